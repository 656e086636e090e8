/* rules.c - the rule table as seen from outside: listing, version, and the examples of a rule file. */
#include <stdlib.h>
#include "assess/index.h"
#include "assess/rulefile.h"
#include "assess/table.h"
#include "base/cleanup.h"

const char *bawn_rules_version(void) { return bawn_rules.version; }

static json_t *rule_json(const struct bawn_rule *r, bool *ok)
{
	json_t *o = json_object();
	bawn_json_set(o, "id", json_string(r->id), ok);
	bawn_json_set(o, "language", json_string(r->language >= 0 ? bawn_word(&bawn_language_words, r->language) : "any"), ok);
	bawn_json_set(o, "family", json_string(r->family), ok);
	bawn_json_set(o, "level", json_string(bawn_word(&bawn_level_words, r->level)), ok);
	bawn_json_set(o, "cwe", json_integer(r->cwe), ok);
	bawn_json_set(o, "capability", bawn_json_text_or_null(r->capability >= 0 ? bawn_word(&bawn_capability_words, r->capability) : NULL), ok);
	bawn_json_set(o, "message", json_string(r->message), ok);
	bawn_json_set(o, "why", json_string(r->why), ok);
	bawn_json_set(o, "fix", json_string(r->fix), ok);
	return o;
}

int bawn_rules_json(json_t **out, struct bawn_err *err)
{
	bawn_auto_json list = json_array();
	bool ok = list != NULL;
	for (size_t i = 0; ok && i < bawn_rules.n; i++)
		bawn_json_push(list, rule_json(&bawn_rules.rule[i], &ok), &ok);
	if (!ok)
		return bawn_fail(err, -ENOMEM, "list the rules");
	*out = bawn_steal(list);
	return 0;
}

/* ---- examples ---- */

/* The shipped rules with those of the file in front: ids of the file replace shipped ones, and
 * combinations across both work. */
struct both { struct bawn_rule *rule; struct bawn_rule_key *key; uint16_t *slot; struct bawn_rule_table table; };

static void both_done(struct both *b)
{
	free(b->rule);
	free(b->key);
	free(b->slot);
}

static bool replaced(const struct bawn_rulefile *f, const char *id)
{
	for (size_t i = 0; i < f->n; i++)
		if (strcmp(f->rule[i].id, id) == 0)
			return true;
	return false;
}

static int merge(const struct bawn_rulefile *f, struct both *b)
{
	size_t n = 0, keys = 0;
	b->rule = calloc(f->n + bawn_rules.n, sizeof *b->rule);
	b->key = calloc(f->n_keys + bawn_rules.n_keys, sizeof *b->key);
	size_t slots = bawn_rule_slots(f->n_keys + bawn_rules.n_keys);
	b->slot = calloc(slots, sizeof *b->slot);
	bawn_auto_free uint16_t *index = calloc(bawn_rules.n + 1, sizeof *index);
	if (b->rule == NULL || b->key == NULL || b->slot == NULL || index == NULL)
		return -ENOMEM;
	for (; n < f->n; n++)
		b->rule[n] = f->rule[n];
	for (; keys < f->n_keys; keys++)
		b->key[keys] = f->key[keys];
	for (size_t i = 0; i < bawn_rules.n; i++) {
		index[i] = UINT16_MAX;
		if (!replaced(f, bawn_rules.rule[i].id)) {
			index[i] = (uint16_t)n;
			b->rule[n++] = bawn_rules.rule[i];
		}
	}
	for (size_t i = 0; i < bawn_rules.n_keys; i++)
		if (index[bawn_rules.key[i].rule] != UINT16_MAX) {
			b->key[keys] = bawn_rules.key[i];
			b->key[keys++].rule = index[bawn_rules.key[i].rule];
		}
	qsort(b->key, keys, sizeof *b->key, bawn_rule_key_compare);
	bawn_rule_slots_fill(b->key, keys, b->slot, slots);
	b->table = (struct bawn_rule_table){ b->rule, n, b->key, keys, "test", b->slot, slots };
	return 0;
}

static bool found(const struct bawn_assessment *a, const char *id)
{
	for (size_t i = 0; i < a->n_findings; i++)
		if (strcmp(a->finding[i].rule, id) == 0)
			return true;
	return false;
}

/* A rule for any language names the language of an example on its first line, "#!python"; Python else. */
static int example_language(const struct bawn_rule *r, const char *text)
{
	if (r->language >= 0)
		return r->language;
	int guessed = bawn_language_guess(NULL, bawn_span(text));
	return guessed >= 0 ? guessed : BAWN_LANG_PYTHON;
}

static int run_example(const struct both *b, const struct bawn_example *x, json_t *failures, struct bawn_err *err)
{
	const struct bawn_rule *r = &b->rule[x->rule];
	struct bawn_assess_file file = { .language = example_language(r, x->text), .bytes = bawn_span(x->text) };
	struct bawn_assessment *a = NULL;
	int e = bawn_assess_with(&b->table, &file, 1, NULL, NULL, &a, err);
	if (e < 0)
		return e;
	bool ok = true;
	if (found(a, r->id) != x->match) {
		json_t *o = json_object(), *got = json_array();
		for (size_t i = 0; i < a->n_findings; i++)
			bawn_json_push(got, json_string(a->finding[i].rule), &ok);
		bawn_json_set(o, "rule", json_string(r->id), &ok);
		bawn_json_set(o, "kind", json_string(x->match ? "match" : "nomatch"), &ok);
		bawn_json_set(o, "example", bawn_json_text(bawn_span(x->text)), &ok);
		bawn_json_set(o, "got", got, &ok);
		bawn_json_push(failures, o, &ok);
	}
	bawn_assessment_free(a);
	return ok ? 0 : bawn_fail(err, -ENOMEM, "report examples");
}

static int run_examples(const struct bawn_rulefile *f, json_t **out, struct bawn_err *err)
{
	__attribute__((cleanup(both_done))) struct both b = { 0 };
	bawn_auto_json failures = json_array();
	if (merge(f, &b) < 0 || failures == NULL)
		return bawn_fail(err, -ENOMEM, "test rules");
	for (size_t i = 0; i < f->n_examples; i++) {
		int e = run_example(&b, &f->example[i], failures, err);
		if (e < 0)
			return e;
	}
	bool ok = true;
	bawn_auto_json o = json_object();
	bawn_json_set(o, "rules", json_integer((json_int_t)f->n), &ok);
	bawn_json_set(o, "examples", json_integer((json_int_t)f->n_examples), &ok);
	bawn_json_set(o, "failures", bawn_steal(failures), &ok);
	if (!ok)
		return bawn_fail(err, -ENOMEM, "test rules");
	*out = bawn_steal(o);
	return 0;
}

int bawn_rules_test(const char *name, struct bawn_span yaml, json_t **out, struct bawn_err *err)
{
	struct bawn_rulefile f = { 0 };
	int r = bawn_rulefile_read(name, yaml, &f, err);
	if (r < 0)
		return r;
	r = run_examples(&f, out, err);
	bawn_rulefile_done(&f);
	return r;
}
