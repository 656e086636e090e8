/* index.c - see index.h. */
#include "assess/index.h"

size_t bawn_rule_slots(size_t n_keys)
{
	size_t n = 64;
	while (n < n_keys * 3)
		n *= 2;
	return n;
}

/* Patterns are alike if they need the same pair, names if they are the same. */
static int compare_alike(const struct bawn_rule_key *x, const struct bawn_rule_key *y)
{
	if (x->matcher != y->matcher)
		return x->matcher < y->matcher ? -1 : 1;
	return bawn_is_pattern(x->matcher) ? (x->pair[0] > y->pair[0]) - (x->pair[0] < y->pair[0]) : strcmp(x->text, y->text);
}

int bawn_rule_key_compare(const void *a, const void *b)
{
	const struct bawn_rule_key *x = a, *y = b;
	int c = compare_alike(x, y);
	c = c != 0 ? c : strcmp(x->text, y->text);
	return c != 0 ? c : (x->rule > y->rule) - (x->rule < y->rule);
}

static uint32_t hash_pair(uint8_t matcher, uint16_t pair) { return (bawn_hash_key(matcher) ^ pair) * 16777619u; }

static uint32_t hash_alike(const struct bawn_rule_key *k)
{
	return bawn_is_pattern(k->matcher) ? hash_pair(k->matcher, k->pair[0]) : bawn_hash_add(bawn_hash_key(k->matcher), k->text, strlen(k->text));
}

void bawn_rule_slots_fill(const struct bawn_rule_key *key, size_t n_keys, uint16_t *slot, size_t n_slots)
{
	for (size_t k = 0; k < n_keys; k++) {
		if (k > 0 && compare_alike(&key[k], &key[k - 1]) == 0)
			continue;
		uint32_t at = bawn_hash_slot(hash_alike(&key[k]), n_slots);
		while (slot[at] != 0)
			at = (at + 1) & (uint32_t)(n_slots - 1);
		slot[at] = (uint16_t)(k + 1);
	}
}

void bawn_rule_keys_pack(const struct bawn_rule_key *key, size_t n_keys, struct bawn_table_key *out, struct bawn_buf *text)
{
	for (size_t k = 0; k < n_keys; k++) {
		const bool again = k > 0 && strcmp(key[k].text, key[k - 1].text) == 0;
		out[k] = (struct bawn_table_key){ again ? out[k - 1].text : (uint32_t)text->n, key[k].rule, { key[k].pair[0], key[k].pair[1] }, key[k].matcher };
		if (!again)
			bawn_buf_add(text, key[k].text, strlen(key[k].text) + 1);
	}
}

size_t bawn_pattern_find(const struct bawn_rule_table *t, uint8_t matcher, uint16_t pair)
{
	uint32_t at = bawn_hash_slot(hash_pair(matcher, pair), t->n_slots);
	for (; t->slot[at] != 0; at = (at + 1) & (uint32_t)(t->n_slots - 1)) {
		const struct bawn_table_key *k = &t->key[t->slot[at] - 1];
		if (k->matcher == matcher && k->pair[0] == pair)
			return t->slot[at] - 1u;
	}
	return t->n_keys;
}

void bawn_pairs_of(struct bawn_span text, struct bawn_pairs *out)
{
	*out = (struct bawn_pairs){ 0 };
	for (size_t i = 1; i < text.n; i++) {
		unsigned pair = bawn_pair(text.p[i - 1], text.p[i]) - 1u;
		out->bit[pair >> 6] |= UINT64_C(1) << (pair & 63);
	}
}

/* How often a byte occurs in texts, roughly. */
static unsigned common(char c)
{
	return strchr("etaoinsr", c) != NULL ? 4 : c >= 'a' && c <= 'z' ? 3 : strchr(" /.-_", c) != NULL ? 3 : c >= '0' && c <= '9' ? 2 : 1;
}

/* The two rarest pairs of the pattern that stand between its wildcards. */
void bawn_rule_key_pairs(struct bawn_rule_key *k)
{
	bool path = k->matcher == BAWN_MATCH_PATH || k->matcher == BAWN_MATCH_REDIRECT;
	if (!bawn_is_pattern(k->matcher))
		return;
	const char *t = k->text;
	if (path)  /* the marks of text.h are no part of a path */
		t += strncmp(t, "**/", 3) == 0 ? 3 : t[0] == '=';
	size_t n = strlen(t);
	while (path && n > 0 && t[n - 1] == '/')  /* a path that matches need not end in one */
		n--;
	unsigned best[2] = { 9, 9 };
	for (size_t i = 1; i < n; i++) {
		if (strchr("*?\\", t[i - 1]) != NULL || strchr("*?\\", t[i]) != NULL || (i > 1 && t[i - 2] == '\\'))
			continue;
		unsigned c = common(t[i - 1]) + common(t[i]);
		uint16_t pair = bawn_pair(t[i - 1], t[i]);
		if (c < best[0]) {
			best[1] = best[0], k->pair[1] = k->pair[0];
			best[0] = c, k->pair[0] = pair;
		} else if (c < best[1] && pair != k->pair[0]) {
			best[1] = c, k->pair[1] = pair;
		}
	}
}
