/* names.h - const tables whose rows begin with a name, found by it in one step.
 *
 *	static const struct { const char *name; int x; } colour[] = { ... };
 *	NAMES(colours, colour);
 *	for (size_t i = bawn_names_find(&colours, word, n); i < BAWN_LEN(colour); i = bawn_names_next(&colours, i))
 *
 * Rows may stand in any order and share a name.  The index is made when it is first asked, once for
 * all threads. */
#pragma once
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BAWN_NAMES_ROWS  512u
#define BAWN_NAMES_SLOTS 1024u

/* Apart from the rest: pages of it that nobody asked for cost nothing. */
struct names_index {
	atomic_bool ready;
	uint16_t    slot[BAWN_NAMES_SLOTS];  /* 1 + the first row of a name */
	uint16_t    next[BAWN_NAMES_ROWS];   /* 1 + the next row of the same name */
};
struct names { const void *row; size_t n, stride; struct names_index *at; };

#define NAMES(id, table) \
	_Static_assert(sizeof(table) / sizeof *(table) <= BAWN_NAMES_ROWS, "the index is large enough"); \
	static struct names_index id##_index; \
	static const struct names id = { (table), sizeof(table) / sizeof *(table), sizeof *(table), &id##_index }

/* The first row of that name and the one after row i; past the last row where there is none. */
size_t bawn_names_find(const struct names *t, const char *name, size_t n);
size_t bawn_names_next(const struct names *t, size_t i);

/* Rows that may say `m.*` or `*.f`: the one that is the dotted name, else that begins it, else that ends it. */
size_t bawn_names_match(const struct names *t, const char *name);
