/* index.h - how a rule is found without looking at all of them.
 *
 * Names are found by hash: a slot holds 1 + the first key of that matcher and text, 0 where there is
 * none; keys of the same text follow each other.  Patterns cannot be hashed, but most need some letters
 * in the text: each says two pairs of bytes that any text it matches must hold, and is found by the first
 * of them.  A text is looked through for its pairs once. */
#pragma once
#include <string.h>
#include "assess/rule.h"
#include "base/span.h"

/* FNV-1a, in pieces. */
static inline uint32_t bawn_hash_add(uint32_t h, const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)p[i]) * 16777619u;
	return h;
}
#define BAWN_HASH_START 2166136261u
static inline uint32_t bawn_hash_key(uint8_t matcher) { return (BAWN_HASH_START ^ matcher) * 16777619u; }
static inline uint32_t bawn_hash_slot(uint32_t h, size_t n_slots) { return (h ^ h >> 15) & (uint32_t)(n_slots - 1); }

static inline bool bawn_is_pattern(uint8_t matcher)
{
	return matcher == BAWN_MATCH_STRING || matcher == BAWN_MATCH_PATH || matcher == BAWN_MATCH_REDIRECT;
}

/* A power of two with room to spare; then fills `slot`, zeroed before.  `key` is sorted. */
size_t bawn_rule_slots(size_t n_keys);
/* As a table has them; failure is sticky in `text`. */
void   bawn_rule_keys_pack(const struct bawn_rule_key *key, size_t n_keys, struct bawn_table_key *out, struct bawn_buf *text);
void   bawn_rule_slots_fill(const struct bawn_rule_key *key, size_t n_keys, uint16_t *slot, size_t n_slots);

/* Pairs of bytes, six bits of each; numbered from 1. */
struct bawn_pairs { uint64_t bit[64]; };
static inline uint16_t bawn_pair(char a, char b) { return (uint16_t)(1u + (((unsigned)a & 63u) << 6 | ((unsigned)b & 63u))); }
static inline bool bawn_pairs_hold(const struct bawn_pairs *p, uint16_t pair)
{
	return pair == 0 || (p->bit[(pair - 1u) >> 6] >> ((pair - 1u) & 63u) & 1) != 0;
}
void bawn_pairs_of(struct bawn_span text, struct bawn_pairs *out);
void bawn_rule_key_pairs(struct bawn_rule_key *k);

/* The order in which keys are found: those that are found together follow each other. */
int bawn_rule_key_compare(const void *a, const void *b);

/* The first pattern whose first pair this is; past the last key where there is none. */
size_t bawn_pattern_find(const struct bawn_rule_table *t, uint8_t matcher, uint16_t pair);
