/* index.c - see index.h. */
#include "assess/index.h"

size_t bawn_rule_slots(size_t n_keys)
{
	size_t n = 64;
	while (n < n_keys * 3)
		n *= 2;
	return n;
}

void bawn_rule_slots_fill(const struct bawn_rule_key *key, size_t n_keys, uint16_t *slot, size_t n_slots)
{
	for (size_t k = 0; k < n_keys; k++) {
		if (k > 0 && key[k].matcher == key[k - 1].matcher && strcmp(key[k].text, key[k - 1].text) == 0)
			continue;
		uint32_t at = bawn_hash_slot(bawn_hash_add(bawn_hash_key(key[k].matcher), key[k].text, strlen(key[k].text)), n_slots);
		while (slot[at] != 0)
			at = (at + 1) & (uint32_t)(n_slots - 1);
		slot[at] = (uint16_t)(k + 1);
	}
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
	if (!path && k->matcher != BAWN_MATCH_STRING)
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
