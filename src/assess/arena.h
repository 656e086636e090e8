/* arena.h - memory that lives as long as one assessment.  Everything in it dies at once; a request
 * that cannot be met returns NULL and is remembered, so a long computation needs one check. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/span.h"

struct arena_block;
struct arena {
	struct arena_block *block;
	size_t   used, cap, total, max;
	bool     failed;
	uint64_t asked;                                  /* bytes, ever */
	struct { char *p; size_t n, cap; } growing[4];   /* texts with room behind them, see bawn_arena_join */
	unsigned next_growing;
};
struct arena_mark { struct arena_block *block; size_t used, cap, total; };

#define ARENA(ceiling) ((struct arena){ .max = (ceiling) })
void *bawn_arena_get(struct arena *a, size_t n);              /* zeroed, aligned for anything */
char *bawn_arena_text(struct arena *a, struct bawn_span s);   /* NUL-terminated copy */
char *bawn_arena_fmt(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* `x` and then `y`, NUL-terminated.  A text that is added to again and again grows where it stands, so
 * that putting one together from n pieces costs what it holds, not n times that. */
char *bawn_arena_join(struct arena *a, struct bawn_span x, struct bawn_span y);
void  bawn_arena_done(struct arena *a);

/* What was taken since a mark can be given back. */
struct arena_mark bawn_arena_mark(const struct arena *a);
void bawn_arena_back(struct arena *a, struct arena_mark m);

#define bawn_arena_new(a, type)      ((type *)bawn_arena_get((a), sizeof(type)))
#define bawn_arena_array(a, type, n) ((type *)bawn_arena_get((a), (n) * sizeof(type)))
