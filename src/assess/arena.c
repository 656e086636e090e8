/* arena.c - see arena.h. */
#include "assess/arena.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct arena_block { struct arena_block *next; _Alignas(16) char bytes[]; };

#define BLOCK_BYTES (16u << 10)

void *bawn_arena_get(struct arena *a, size_t n)
{
	n = (n + 15) & ~(size_t)15;
	a->asked += n;
	if (a->block == NULL || n > a->cap - a->used) {
		size_t want = n > BLOCK_BYTES ? n : BLOCK_BYTES;
		struct arena_block *b = want <= a->max && a->total <= a->max - want ? malloc(sizeof *b + want) : NULL;
		if (b == NULL) {
			a->failed = true;
			return NULL;
		}
		b->next = a->block;
		a->block = b;
		a->total += want;
		a->used = 0;
		a->cap = want;
	}
	void *p = a->block->bytes + a->used;
	a->used += n;
	return memset(p, 0, n);
}

char *bawn_arena_text(struct arena *a, struct bawn_span s)
{
	char *p = bawn_arena_get(a, s.n + 1);
	if (p != NULL && s.n > 0)
		memcpy(p, s.p, s.n);
	return p;
}

char *bawn_arena_fmt(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	char small[512];
	int n = vsnprintf(small, sizeof small, fmt, ap);
	va_end(ap);
	if (n < 0) {
		a->failed = true;
		return NULL;
	}
	/* Longer texts are cut: what is formatted here is shown to people. */
	return bawn_arena_text(a, (struct bawn_span){ small, (size_t)n < sizeof small ? (size_t)n : sizeof small - 1 });
}

void bawn_arena_done(struct arena *a)
{
	for (struct arena_block *b = a->block; b != NULL; ) {
		struct arena_block *next = b->next;
		free(b);
		b = next;
	}
	*a = (struct arena){ .max = a->max, .asked = a->asked };
}
