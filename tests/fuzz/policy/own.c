/* own.c - any bytes as a file for rules.d: rules that keep their promises, or problems with positions. */
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include "policy/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct bawn_own *own)
{
	for (size_t i = 0; i < own->n; i++) {
		const struct bawn_own_rule *r = &own->rule[i];
		assert(strncmp(r->id, "local/", 6) == 0 && r->level >= 0 && r->level < BAWN_LEVEL_COUNT && r->language < BAWN_LANG_COUNT);
		assert(r->message[0] != '\0' && r->why[0] != '\0' && r->fix[0] != '\0' && r->where != NULL);
		assert(r->name.n + r->path.n + r->host.n > 0);
	}
	for (size_t i = 0; i < own->n_keys; i++) {
		const struct bawn_own_key *k = &own->key[i];
		size_t n = 0;
		const struct bawn_own_key *found = bawn_own_find(own, k->kind, bawn_span(k->text), &n);
		assert(k->rule < own->n && n > 0 && found <= k && k < found + n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct bawn_own *own = NULL;
	struct bawn_policy_errors errors = { .n = 0 };
	struct bawn_err err = { 0 };
	int r = bawn_own_parse("f", (struct bawn_span){ (const char *)data, size }, &own, &errors, &err);
	if (r < 0)
		assert(own == NULL && err.type == BAWN_ERROR_CONFIG_INVALID && errors.text.n > 0 && strncmp(errors.text.p, "f:", 2) == 0);
	else if (own != NULL)
		check(own);
	bawn_own_unref(own);
	bawn_policy_errors_done(&errors);
	return 0;
}
