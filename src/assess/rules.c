/* rules.c - the rule table as seen from outside: listing, version, and the examples of a rule file. */
#include <stdlib.h>
#include "assess/index.h"
#include "assess/rulefile.h"
#include "assess/table.h"
#include "base/cleanup.h"
#include "parse/yaml.h"

const char *bawn_rules_version(void) { return bawn_rules.version; }

const char *bawn_rules_version_of(const struct bawn_policy *policy, char out[static BAWN_RULES_VERSION_LEN])
{
	char own[BAWN_SHA256_HEX] = "";
	if (policy != NULL && policy->own != NULL)
		bawn_hex(policy->own->sha256, 8, own);
	snprintf(out, BAWN_RULES_VERSION_LEN, "%s%s%s", bawn_rules.version, own[0] != '\0' ? "+" : "", own);
	return out;
}

static json_t *texts_json(char *const *text, size_t n, bool *ok)
{
	json_t *list = json_array();
	for (size_t i = 0; i < n; i++)
		bawn_json_push(list, bawn_json_text(bawn_span(text[i])), ok);
	return list;
}

static json_t *mask_json(const struct bawn_words *words, uint64_t mask, bool *ok)
{
	json_t *list = json_array();
	for (int i = 0; i < words->n; i++)
		if (mask >> i & 1)
			bawn_json_push(list, json_string(bawn_word(words, i)), ok);
	return list;
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* {"call": ["os.system", ...]}, as in the rule file. */
static json_t *matcher_json(const struct bawn_rule_table *t, size_t rule, bool *ok)
{
	const struct bawn_rule *r = &t->rule[rule];
	json_t *o = json_object(), *list = r->matcher == BAWN_MATCH_ALL ? mask_json(&bawn_tag_words, r->all, ok) : json_array();
	bawn_auto_free const char **text = calloc(t->n_keys + 1, sizeof *text);
	size_t n = 0;
	for (size_t i = 0; text != NULL && i < t->n_keys; i++)
		if (t->key[i].rule == rule)
			text[n++] = bawn_key_text(t, i);
	*ok = *ok && text != NULL;
	if (n > 0)
		qsort(text, n, sizeof *text, by_text);
	for (size_t i = 0; i < n; i++)
		bawn_json_push(list, bawn_json_text(bawn_span(text[i])), ok);
	bawn_json_set(o, bawn_word(&bawn_matcher_words, r->matcher), list, ok);
	return o;
}

/* ["arg", "0", "/bin/sh"], as in the rule file. */
static json_t *cond_json(const struct bawn_cond *c, bool *ok)
{
	char index[16];
	json_t *list = json_array();
	bawn_json_push(list, json_string(bawn_condition_name(c->what)), ok);
	snprintf(index, sizeof index, "%d", c->index);
	if (bawn_condition_numbered(c->what))
		bawn_json_push(list, json_string(index), ok);
	if (c->name != NULL)
		bawn_json_push(list, bawn_json_text(bawn_span(c->name)), ok);
	for (uint32_t i = 0; i < c->n; i++)
		bawn_json_push(list, bawn_json_text(bawn_span(c->text[i])), ok);
	const struct bawn_words *words = c->what == BAWN_COND_ACCESS ? &bawn_access_words : &bawn_tag_words;
	bawn_auto_json bits = mask_json(words, c->mask, ok);
	*ok = *ok && json_array_extend(list, bits) == 0;
	return list;
}

static json_t *rule_json(const struct bawn_rule_table *t, size_t i, bool *ok)
{
	const struct bawn_rule *r = &t->rule[i];
	json_t *o = json_object(), *where = json_array();
	for (uint32_t k = 0; k < r->n_conds; k++)
		bawn_json_push(where, cond_json(&r->cond[k], ok), ok);
	bawn_json_set(o, "id", json_string(r->id), ok);
	bawn_json_set(o, "language", json_string(r->language >= 0 ? bawn_word(&bawn_language_words, r->language) : "any"), ok);
	bawn_json_set(o, "family", json_string(r->family), ok);
	bawn_json_set(o, "level", json_string(bawn_word(&bawn_level_words, r->level)), ok);
	bawn_json_set(o, "cwe", r->cwe != 0 ? json_integer(r->cwe) : json_null(), ok);
	bawn_json_set(o, "capability", bawn_json_text_or_null(r->capability >= 0 ? bawn_word(&bawn_capability_words, r->capability) : NULL), ok);
	bawn_json_set(o, "message", json_string(r->message), ok);
	bawn_json_set(o, "why", json_string(r->why), ok);
	bawn_json_set(o, "fix", json_string(r->fix), ok);
	bawn_json_set(o, "score", json_integer(r->score), ok);
	bawn_json_set(o, "tags", mask_json(&bawn_tag_words, r->tags, ok), ok);
	bawn_json_set(o, "matcher", matcher_json(t, i, ok), ok);
	bawn_json_set(o, "where", where, ok);
	bawn_json_set(o, "origin", json_string("shipped"), ok);
	return o;
}

static json_t *own_json(const struct bawn_own_rule *r, bool *ok)
{
	json_t *o = json_object(), *matcher = json_object();
	const struct { const char *name; const struct bawn_list *list; } kind[] = { { "name", &r->name }, { "path", &r->path }, { "host", &r->host } };
	for (size_t k = 0; k < BAWN_LEN(kind); k++)
		if (kind[k].list->n > 0)
			bawn_json_set(matcher, kind[k].name, texts_json(kind[k].list->item, kind[k].list->n, ok), ok);
	bawn_json_set(o, "id", json_string(r->id), ok);
	bawn_json_set(o, "language", json_string(r->language >= 0 ? bawn_word(&bawn_language_words, r->language) : "any"), ok);
	bawn_json_set(o, "family", json_string("rules.d"), ok);
	bawn_json_set(o, "level", json_string(bawn_word(&bawn_level_words, r->level)), ok);
	bawn_json_set(o, "cwe", r->cwe != 0 ? json_integer(r->cwe) : json_null(), ok);
	bawn_json_set(o, "capability", json_null(), ok);
	bawn_json_set(o, "message", bawn_json_text(bawn_span(r->message)), ok);
	bawn_json_set(o, "why", bawn_json_text(bawn_span(r->why)), ok);
	bawn_json_set(o, "fix", bawn_json_text(bawn_span(r->fix)), ok);
	bawn_json_set(o, "score", json_integer(bawn_level_score[r->level]), ok);
	bawn_json_set(o, "tags", json_array(), ok);
	bawn_json_set(o, "matcher", matcher, ok);
	bawn_json_set(o, "where", json_array(), ok);
	bawn_json_set(o, "origin", bawn_json_text(bawn_span(r->where)), ok);
	return o;
}

/* Findings have their ids, too. */
static json_t *alone_json(size_t i, bool *ok)
{
	struct bawn_rule_table own = { .rule = bawn_rule_alone, .n = BAWN_ALONE_COUNT };
	json_t *o = rule_json(&own, i, ok);
	bawn_json_set(o, "origin", json_string("the assessor itself"), ok);
	return o;
}

int bawn_rules_json(const struct bawn_policy *policy, json_t **out, struct bawn_err *err)
{
	bawn_auto_json list = json_array();
	bool ok = list != NULL;
	for (size_t i = 0; ok && i < bawn_rules.n; i++)
		bawn_json_push(list, rule_json(&bawn_rules, i, &ok), &ok);
	for (size_t i = 0; ok && i < BAWN_ALONE_COUNT; i++)
		bawn_json_push(list, alone_json(i, &ok), &ok);
	for (size_t i = 0; ok && policy != NULL && policy->own != NULL && i < policy->own->n; i++)
		bawn_json_push(list, own_json(&policy->own->rule[i], &ok), &ok);
	if (!ok)
		return bawn_fail(err, -ENOMEM, "list the rules");
	*out = bawn_steal(list);
	return 0;
}

/* ---- examples ---- */

/* The shipped rules with those of the file in front: ids of the file replace shipped ones, and
 * combinations across both work. */
struct both { struct bawn_rule *rule; struct bawn_table_key *key; struct bawn_buf text; uint16_t *slot; struct bawn_rule_table table; };

static void both_done(struct both *b)
{
	free(b->rule);
	free(b->key);
	bawn_buf_done(&b->text);
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
	b->text = BAWN_BUF(1u << 24);
	bawn_auto_free struct bawn_rule_key *key = calloc(f->n_keys + bawn_rules.n_keys, sizeof *key);
	size_t slots = bawn_rule_slots(f->n_keys + bawn_rules.n_keys);
	b->slot = calloc(slots, sizeof *b->slot);
	bawn_auto_free uint16_t *index = calloc(bawn_rules.n + 1, sizeof *index);
	if (b->rule == NULL || b->key == NULL || key == NULL || b->slot == NULL || index == NULL)
		return -ENOMEM;
	for (; n < f->n; n++)
		b->rule[n] = f->rule[n];
	for (; keys < f->n_keys; keys++)
		key[keys] = f->key[keys];
	for (size_t i = 0; i < bawn_rules.n; i++) {
		index[i] = UINT16_MAX;
		if (!replaced(f, bawn_rules.rule[i].id)) {
			index[i] = (uint16_t)n;
			b->rule[n++] = bawn_rules.rule[i];
		}
	}
	for (size_t i = 0; i < bawn_rules.n_keys; i++)
		if (index[bawn_rules.key[i].rule] != UINT16_MAX) {
			const struct bawn_table_key *k = &bawn_rules.key[i];
			key[keys++] = (struct bawn_rule_key){ bawn_key_text(&bawn_rules, i), index[k->rule], k->matcher, { k->pair[0], k->pair[1] } };
		}
	qsort(key, keys, sizeof *key, bawn_rule_key_compare);
	bawn_rule_slots_fill(key, keys, b->slot, slots);
	bawn_rule_keys_pack(key, keys, b->key, &b->text);
	b->table = (struct bawn_rule_table){ b->rule, n, b->key, keys, b->text.p, "test", b->slot, slots, .keep_covered = true };
	return bawn_buf_error(&b->text);
}

static bool found(const struct bawn_assessment *a, const char *id)
{
	for (size_t i = 0; i < a->n_findings; i++)
		if (strcmp(a->finding[i].rule, id) == 0)
			return true;
	return false;
}


/* A rule for any language names the language of an example on its first line, "#!python"; Python else. */
static int example_language(int language, const char *text)
{
	if (language >= 0)
		return language;
	int guessed = bawn_language_guess(NULL, bawn_span(text));
	return guessed >= 0 ? guessed : BAWN_LANG_PYTHON;
}

/* What is being tried: with which rules and policy, and which rule it is about. */
struct trial { const struct bawn_rule_table *rules; const struct bawn_policy *policy; const char *id; int language; };

static int try_example(const struct trial *t, const char *text, struct bawn_assessment **out, struct bawn_err *err)
{
	struct bawn_assess_file file = { .language = example_language(t->language, text), .bytes = bawn_span(text) };
	return bawn_assess_with(t->rules, &file, 1, t->policy, NULL, out, err);
}

static json_t *got_json(const struct bawn_assessment *a, bool *ok)
{
	json_t *list = json_array();
	for (size_t i = 0; i < a->n_findings; i++) {
		json_t *o = json_object();
		bawn_json_set(o, "rule", bawn_json_text(bawn_span(a->finding[i].rule)), ok);
		bawn_json_set(o, "level", json_string(bawn_word(&bawn_level_words, (int)a->finding[i].level)), ok);
		bawn_json_set(o, "line", json_integer(a->finding[i].line), ok);
		bawn_json_push(list, o, ok);
	}
	return list;
}

static int run_example(const struct trial *t, const char *text, bool match, uint32_t line, json_t *failures, struct bawn_err *err)
{
	struct bawn_assessment *a = NULL;
	int e = try_example(t, text, &a, err);
	if (e < 0)
		return bawn_wrap(err, e, "%s, example in line %u", t->id, line);
	bool ok = true;
	if (found(a, t->id) != match) {
		json_t *o = json_object();
		bawn_json_set(o, "rule", json_string(t->id), &ok);
		bawn_json_set(o, "line", json_integer(line), &ok);
		bawn_json_set(o, "kind", json_string(match ? "match" : "nomatch"), &ok);
		bawn_json_set(o, "example", bawn_json_text(bawn_span(text)), &ok);
		bawn_json_set(o, "got", got_json(a, &ok), &ok);
		bawn_json_push(failures, o, &ok);
	}
	bawn_assessment_free(a);
	return ok ? 0 : bawn_fail(err, -ENOMEM, "report examples");
}

static int put_outcome(size_t rules, size_t examples, json_t *failures_stolen, json_t **out, struct bawn_err *err)
{
	bool ok = true;
	bawn_auto_json o = json_object();
	bawn_json_set(o, "rules", json_integer((json_int_t)rules), &ok);
	bawn_json_set(o, "examples", json_integer((json_int_t)examples), &ok);
	bawn_json_set(o, "failures", failures_stolen, &ok);
	if (!ok)
		return bawn_fail(err, -ENOMEM, "test rules");
	*out = bawn_steal(o);
	return 0;
}

static int test_shipped(const struct bawn_rulefile *f, json_t **out, struct bawn_err *err)
{
	__attribute__((cleanup(both_done))) struct both b = { 0 };
	bawn_auto_json failures = json_array();
	if (merge(f, &b) < 0 || failures == NULL)
		return bawn_fail(err, -ENOMEM, "test rules");
	for (size_t i = 0; i < f->n_examples; i++) {
		const struct bawn_example *x = &f->example[i];
		struct trial t = { &b.table, NULL, b.rule[x->rule].id, b.rule[x->rule].language };
		int e = run_example(&t, x->text, x->match, x->line, failures, err);
		if (e < 0)
			return e;
	}
	return put_outcome(f->n, f->n_examples, bawn_steal(failures), out, err);
}

static int test_own(const struct bawn_own *own, json_t **out, struct bawn_err *err)
{
	struct bawn_rule_table rules = bawn_rules;
	rules.keep_covered = true;
	struct bawn_policy policy = { .own = own };
	bawn_auto_json failures = json_array();
	size_t n = 0;
	for (size_t i = 0; i < own->n; i++)
		for (size_t k = 0; k < own->rule[i].n_examples; k++, n++) {
			const struct bawn_own_example *x = &own->rule[i].example[k];
			struct trial t = { &rules, &policy, own->rule[i].id, own->rule[i].language };
			int e = run_example(&t, x->text, x->match, x->line, failures, err);
			if (e < 0)
				return e;
		}
	return put_outcome(own->n, n, bawn_steal(failures), out, err);
}

/* A file for rules.d, by the id of its first rule. */
static bool is_own(const char *name, struct bawn_span text)
{
	bawn_auto_yaml yaml = NULL;
	if (bawn_yaml_parse(name, text, &yaml, NULL, NULL) < 0)
		return false;
	const struct bawn_yaml_node *rule = bawn_yaml_first(bawn_yaml_get(bawn_yaml_root(yaml), "rules"));
	const struct bawn_yaml_node *id = bawn_yaml_get(rule, "id");
	return id != NULL && bawn_span_starts(id->text, "local/");
}

static int own_rules_test(const char *name, struct bawn_span yaml, json_t **out, struct bawn_buf *problems, struct bawn_err *err)
{
	struct bawn_policy_errors errors = { .n = 0 };
	const struct bawn_own *own = NULL;
	int r = bawn_own_parse(name, yaml, &own, &errors, err);
	if (problems != NULL && errors.text.n > 0)
		bawn_buf_add(problems, errors.text.p, errors.text.n);
	bawn_policy_errors_done(&errors);
	r = r < 0 ? r : test_own(own, out, err);
	bawn_own_unref(own);
	return r;
}

int bawn_rules_test(const char *name, struct bawn_span yaml, json_t **out, struct bawn_buf *problems, struct bawn_err *err)
{
	struct bawn_rulefile f = { 0 };
	if (is_own(name, yaml))
		return own_rules_test(name, yaml, out, problems, err);
	int r = bawn_rulefile_read(name, yaml, &f, problems, err);
	if (r < 0)
		return r;
	r = test_shipped(&f, out, err);
	bawn_rulefile_done(&f);
	return r;
}

/* ---- examples of one rule ---- */

static json_t *places_json(const struct bawn_assessment *a, const char *id, bool *ok)
{
	json_t *list = json_array();
	for (size_t i = 0; i < a->n_findings; i++) {
		const struct bawn_finding *f = &a->finding[i];
		if (strcmp(f->rule, id) == 0)
			bawn_json_push(list, json_pack("{s:i, s:i, s:i, s:i}", "line", (int)f->line, "column", (int)f->column,
			                               "end_line", (int)f->end_line, "end_column", (int)f->end_column), ok);
	}
	return list;
}

static int add_example(const struct trial *t, const char *text, bool match, json_t *list, struct bawn_err *err)
{
	struct bawn_assessment *a = NULL;
	bool ok = true;
	int r = try_example(t, text, &a, err);
	if (r < 0)
		return r;
	json_t *o = json_object();
	bawn_json_set(o, "match", json_boolean(match), &ok);
	bawn_json_set(o, "language", json_string(bawn_word(&bawn_language_words, (int)a->language)), &ok);
	bawn_json_set(o, "code", bawn_json_text(bawn_span(text)), &ok);
	bawn_json_set(o, "at", places_json(a, t->id, &ok), &ok);
	bawn_json_push(list, o, &ok);
	bawn_assessment_free(a);
	return ok ? 0 : bawn_fail(err, -ENOMEM, "show examples");
}

int bawn_rule_examples_json(const char *id, const struct bawn_policy *policy, json_t **out, struct bawn_err *err)
{
	struct bawn_rule_table rules = bawn_rules;
	rules.keep_covered = true;
	bawn_auto_json list = json_array();
	int r = 0;
	for (size_t i = 0; r == 0 && i < bawn_rule_examples_n; i++) {
		const struct bawn_rule_example *x = &bawn_rule_examples[i];
		struct trial t = { &rules, NULL, bawn_rules.rule[x->rule].id, bawn_rules.rule[x->rule].language };
		if (strcmp(t.id, id) == 0)
			r = add_example(&t, bawn_rule_example_text + x->text, x->match, list, err);
	}
	for (size_t i = 0; r == 0 && policy != NULL && policy->own != NULL && i < policy->own->n; i++) {
		const struct bawn_own_rule *own = &policy->own->rule[i];
		struct trial t = { &rules, policy, own->id, own->language };
		for (size_t k = 0; r == 0 && strcmp(own->id, id) == 0 && k < own->n_examples; k++)
			r = add_example(&t, own->example[k].text, own->example[k].match, list, err);
	}
	if (r == 0)
		*out = bawn_steal(list);
	return r;
}
