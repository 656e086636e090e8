/* names.c - see names.h. */
#include "assess/names.h"
#include <pthread.h>
#include "assess/index.h"
#include "base/cleanup.h"

static const char *name_of(const struct names *t, size_t i)
{
	return *(const char *const *)(const void *)((const char *)t->row + i * t->stride);
}

static bool is_name(const struct names *t, size_t i, struct bawn_span a, struct bawn_span b)
{
	struct bawn_span own = bawn_span(name_of(t, i));  /* a and b may hold NUL bytes: code does */
	return own.n == a.n + b.n && memcmp(own.p, a.p, a.n) == 0 && memcmp(own.p + a.n, b.p, b.n) == 0;
}

static uint32_t first_slot(uint32_t hash) { return bawn_hash_slot(hash, BAWN_NAMES_SLOTS); }
static uint32_t next_slot(uint32_t at) { return (at + 1) & (BAWN_NAMES_SLOTS - 1); }

static void add_row(const struct names *t, size_t i)
{
	struct bawn_span name = bawn_span(name_of(t, i)), nothing = bawn_span("");
	uint32_t at = first_slot(bawn_hash_add(BAWN_HASH_START, name.p, name.n));
	while (t->at->slot[at] != 0 && !is_name(t, t->at->slot[at] - 1u, name, nothing))
		at = next_slot(at);
	uint16_t *link = &t->at->slot[at];
	while (*link != 0)
		link = &t->at->next[*link - 1];
	*link = (uint16_t)(i + 1);
}

static void make(const struct names *t)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	(void)pthread_mutex_lock(&one);
	if (!atomic_load_explicit(&t->at->ready, memory_order_relaxed)) {
		for (size_t i = 0; i < t->n; i++)
			add_row(t, i);
		atomic_store_explicit(&t->at->ready, true, memory_order_release);
	}
	(void)pthread_mutex_unlock(&one);
}

/* The name is `a` and then `b`; `hash` is that of both. */
static size_t find(const struct names *t, struct bawn_span a, struct bawn_span b, uint32_t hash)
{
	if (!atomic_load_explicit(&t->at->ready, memory_order_acquire))
		make(t);
	for (uint32_t at = first_slot(hash); t->at->slot[at] != 0; at = next_slot(at))
		if (is_name(t, t->at->slot[at] - 1u, a, b))
			return t->at->slot[at] - 1u;
	return t->n;
}

size_t bawn_names_find(const struct names *t, const char *name, size_t n)
{
	return find(t, (struct bawn_span){ name, n }, bawn_span(""), bawn_hash_add(BAWN_HASH_START, name, n));
}

size_t bawn_names_next(const struct names *t, size_t i) { return t->at->next[i] != 0 ? t->at->next[i] - 1u : t->n; }

size_t bawn_names_match(const struct names *t, const char *name)
{
	const struct bawn_span star = { "*", 1 };
	size_t n = strlen(name), hit = bawn_names_find(t, name, n), dot = n;
	uint32_t hash = BAWN_HASH_START;
	for (size_t i = 0; i < n && hit == t->n; i++) {
		hash = bawn_hash_add(hash, name + i, 1);
		if (name[i] != '.')
			continue;
		dot = i;
		hit = find(t, (struct bawn_span){ name, i + 1 }, star, bawn_hash_add(hash, "*", 1));
	}
	struct bawn_span end = { name + dot, n - dot };
	if (hit == t->n && end.n > 0)
		hit = find(t, star, end, bawn_hash_add(bawn_hash_add(BAWN_HASH_START, "*", 1), end.p, end.n));
	return hit;
}
