/* arena.c - see arena.h. */
#include "assess/arena.h"
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct arena_block { struct arena_block *next; _Alignas(16) char bytes[]; };

#define BLOCK_BYTES (16u << 10)
#define GROW_FROM   256u   /* shorter texts are copied */

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

char *bawn_arena_join(struct arena *a, struct bawn_span x, struct bawn_span y)
{
	size_t n = x.n + y.n;
	for (unsigned i = 0; i < sizeof a->growing / sizeof *a->growing; i++)
		if (x.n > 0 && a->growing[i].p == x.p && a->growing[i].n == x.n && n < a->growing[i].cap) {
			memmove(a->growing[i].p + x.n, y.p, y.n);
			a->growing[i].n = n;
			a->asked += y.n;
			return a->growing[i].p;
		}
	size_t cap = n < GROW_FROM ? n + 1 : 2 * n;
	char *p = bawn_arena_get(a, cap);
	if (p == NULL)
		return NULL;
	if (x.n > 0)
		memcpy(p, x.p, x.n);
	if (y.n > 0)
		memcpy(p + x.n, y.p, y.n);
	if (n >= GROW_FROM) {
		unsigned i = a->next_growing++ % (sizeof a->growing / sizeof *a->growing);
		a->growing[i].p = p, a->growing[i].n = n, a->growing[i].cap = cap;
	}
	return p;
}

/* Formats that only put texts together, nearly all, need no printf.  As snprintf, it returns how long the text is. */
static int join_texts(char *out, size_t cap, const char *fmt, va_list ap)
{
	size_t n = 0;
	for (const char *at = fmt; *at != '\0'; at++) {
		struct bawn_span part = { at, 1 };
		if (at[0] == '%' && at[1] != 's')
			return -1;
		if (at[0] == '%') {
			part = bawn_span(va_arg(ap, const char *));
			at++;
		}
		size_t room = n < cap ? cap - n : 0;
		memcpy(out + (room > 0 ? n : 0), part.p, part.n < room ? part.n : room);
		n += part.n;
	}
	return n <= INT_MAX ? (int)n : -1;
}

__attribute__((format(printf, 3, 0)))
static int format(char *out, size_t cap, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	int n = join_texts(out, cap, fmt, ap);
	if (n < 0)
		n = vsnprintf(out, cap, fmt, again);
	va_end(again);
	return n;
}

char *bawn_arena_fmt(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char small[512];
	va_start(ap, fmt);
	int n = format(small, sizeof small, fmt, ap);
	va_end(ap);
	if (n < 0) {
		a->failed = true;
		return NULL;
	}
	if ((size_t)n < sizeof small)
		return bawn_arena_text(a, (struct bawn_span){ small, (size_t)n });
	char *p = bawn_arena_get(a, (size_t)n + 1);
	if (p == NULL)
		return NULL;
	va_start(ap, fmt);
	(void)format(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
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

struct arena_mark bawn_arena_mark(const struct arena *a) { return (struct arena_mark){ a->block, a->used, a->cap, a->total }; }

void bawn_arena_back(struct arena *a, struct arena_mark m)
{
	while (a->block != m.block) {
		struct arena_block *next = a->block->next;
		free(a->block);
		a->block = next;
	}
	a->used = m.used, a->cap = m.cap, a->total = m.total;
	memset(a->growing, 0, sizeof a->growing);
}
