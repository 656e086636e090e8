/* arena.h - memory that lives as long as one assessment.  Everything in it dies at once; a request
 * that cannot be met returns NULL and is remembered, so a long computation needs one check. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/span.h"

struct arena_block;
struct arena { struct arena_block *block; size_t used, cap, total, max; bool failed; uint64_t asked; /* bytes, ever */ };

#define ARENA(ceiling) ((struct arena){ .max = (ceiling) })
void *bawn_arena_get(struct arena *a, size_t n);              /* zeroed, aligned for anything */
char *bawn_arena_text(struct arena *a, struct bawn_span s);   /* NUL-terminated copy */
char *bawn_arena_fmt(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void  bawn_arena_done(struct arena *a);

#define bawn_arena_new(a, type)      ((type *)bawn_arena_get((a), sizeof(type)))
#define bawn_arena_array(a, type, n) ((type *)bawn_arena_get((a), (n) * sizeof(type)))
