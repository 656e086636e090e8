/* rulefile.c - see rulefile.h.  The table of keys below is the whole grammar of a rule. */
#include "assess/rulefile.h"
#include "assess/index.h"
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/opt.h"
#include "parse/yaml.h"

#define NAME(n, t) t,
#define WORDS(list, what) \
	static const char *const what##_name[] = { list(NAME) }; \
	const struct bawn_words bawn_##what##_words = { what##_name, (int)BAWN_LEN(what##_name) }
WORDS(BAWN_CAPABILITIES, capability);
WORDS(BAWN_TAGS, tag);
WORDS(BAWN_MATCHERS, matcher);
WORDS(BAWN_ACCESSES, access);
#define CONDITION(n, t, f) { t, f },
static const struct { const char *name; int first; } condition[] = { BAWN_CONDITIONS(CONDITION) };

const char *bawn_condition_name(unsigned what) { return condition[what].name; }
bool bawn_condition_numbered(unsigned what) { return condition[what].first == 1; }

#define RULES_MAX    512u
#define KEYS_MAX     8192u
#define EXAMPLES_MAX 4096u
#define FILE_BYTES   (8u << 20)
#define NO_SCORE     UINT32_MAX

struct reader {
	struct bawn_rulefile *f;
	const char           *name;
	struct bawn_buf      *problems;  /* "name:line:column: ..." one a line */
	size_t                n_problems;
	struct bawn_err      *err;       /* the first of them */
};

/* Records a mistake; reading goes on, to find the others too. */
static int bad_near(struct reader *r, const struct bawn_yaml_node *at, const char *what, const char *near)
{
	bawn_auto_buf line = BAWN_BUF(2048);
	bawn_buf_fmt(&line, "%s:%u:%u: %s", r->name, at->line, at->column, what);
	if (at->kind == BAWN_YAML_SCALAR && at->text.n > 0) {
		bawn_buf_str(&line, ": ");
		bawn_buf_escaped(&line, (struct bawn_span){ at->text.p, at->text.n < 60 ? at->text.n : 60 });
	}
	if (near != NULL)
		bawn_buf_fmt(&line, "; did you mean '%s'?", near);
	if (r->n_problems++ == 0)
		(void)bawn_fail_as(r->err, BAWN_ERROR_CONFIG_INVALID, NULL, "%s", line.p != NULL ? line.p : what);
	if (r->problems != NULL && line.p != NULL)
		bawn_buf_fmt(r->problems, "%s\n", line.p);
	return -EINVAL;
}

static int bad(struct reader *r, const struct bawn_yaml_node *at, const char *what) { return bad_near(r, at, what, NULL); }

static const char *nth_word(size_t i, const void *ctx)
{
	const struct bawn_words *w = ctx;
	return i < (size_t)w->n ? w->name[i] : NULL;
}

static const char *keep(struct reader *r, struct bawn_span s) { return bawn_arena_text(&r->f->arena, s); }

static int word_index(struct reader *r, const struct bawn_yaml_node *n, const struct bawn_words *words, int *out)
{
	*out = bawn_word_find(words, n->text);
	return *out >= 0 ? 0 : bad_near(r, n, "not a known word", bawn_nearest(n->text, nth_word, words));
}

/* A list, or one word alone, as a bit mask. */
static int word_mask(struct reader *r, const struct bawn_yaml_node *n, const struct bawn_words *words, uint64_t *out)
{
	const struct bawn_yaml_node *item = n->kind == BAWN_YAML_SEQUENCE ? n->first : n;
	int failed = 0;
	for (; item != NULL; item = n->kind == BAWN_YAML_SEQUENCE ? item->next : NULL) {
		int i;
		int e = word_index(r, item, words, &i);
		if (e == 0)
			*out |= UINT64_C(1) << i;
		failed = failed < 0 ? failed : e;
	}
	return failed;
}

static int add_keys(struct reader *r, const struct bawn_yaml_node *n, struct bawn_rule *rule)
{
	if (n->kind != BAWN_YAML_SEQUENCE || n->n == 0)
		return bad(r, n, "a list is needed");
	if (rule->matcher == BAWN_MATCH_ALL)
		return word_mask(r, n, &bawn_tag_words, &rule->all);
	for (const struct bawn_yaml_node *i = n->first; i != NULL; i = i->next) {
		if (i->kind != BAWN_YAML_SCALAR || i->text.n == 0 || r->f->n_keys == KEYS_MAX) {
			(void)bad(r, i, "not a text, or too many");
			continue;
		}
		r->f->key[r->f->n_keys++] = (struct bawn_rule_key){ keep(r, i->text), (uint16_t)r->f->n, rule->matcher };
	}
	return 0;
}

static int cond_texts(struct reader *r, const struct bawn_yaml_node *item, struct bawn_cond *c, size_t most)
{
	const char **text = bawn_arena_array(&r->f->arena, const char *, most + 1);
	if (text == NULL)
		return bawn_fail(r->err, -ENOMEM, "read rules");
	for (; item != NULL; item = item->next)
		text[c->n++] = keep(r, item->text);
	c->text = text;
	return 0;
}

static const char *nth_condition(size_t i, const void *unused)
{
	(void)unused;
	return i < BAWN_COND_COUNT ? condition[i].name : NULL;
}

static int read_cond(struct reader *r, const struct bawn_yaml_node *n, struct bawn_cond *c)
{
	const struct bawn_yaml_node *item = n->kind == BAWN_YAML_SEQUENCE ? n->first : NULL;
	if (item == NULL)
		return bad(r, n, "a condition is a list");
	size_t what = 0;
	while (what < BAWN_COND_COUNT && !bawn_span_is(item->text, condition[what].name))
		what++;
	if (what == BAWN_COND_COUNT)
		return bad_near(r, item, "no such condition", bawn_nearest(item->text, nth_condition, NULL));
	c->what = (uint8_t)what;
	item = item->next;
	if (condition[what].first != 0 && item == NULL)
		return bad(r, n, "the condition needs more words");
	if (condition[what].first == 1) {
		uint64_t v;
		int e = bawn_parse_u64(item->text, 0, 100, &v, NULL);
		if (e < 0)
			return bad(r, item, "not a number");
		c->index = (int32_t)v;
		item = item->next;
	} else if (condition[what].first == 2) {
		c->name = keep(r, item->text);
		item = item->next;
	}
	bool tags = what == BAWN_COND_TAINT || what == BAWN_COND_SEEN || what == BAWN_COND_ARG_TAINT ||
	            what == BAWN_COND_KEYWORD_TAINT;
	for (const struct bawn_yaml_node *i = item; i != NULL && (tags || what == BAWN_COND_ACCESS); i = i->next) {
		int bit;
		int e = word_index(r, i, tags ? &bawn_tag_words : &bawn_access_words, &bit);
		if (e < 0)
			return e;
		c->mask |= UINT64_C(1) << bit;
	}
	return c->mask != 0 ? 0 : cond_texts(r, item, c, n->n);
}

static int read_where(struct reader *r, const struct bawn_yaml_node *n, struct bawn_rule *rule)
{
	if (n->kind != BAWN_YAML_SEQUENCE)
		return bad(r, n, "a list of conditions is needed");
	struct bawn_cond *c = bawn_arena_array(&r->f->arena, struct bawn_cond, n->n);
	if (c == NULL)
		return bawn_fail(r->err, -ENOMEM, "read rules");
	rule->cond = c;
	for (const struct bawn_yaml_node *i = n->first; i != NULL; i = i->next) {
		int e = read_cond(r, i, &c[rule->n_conds++]);
		if (e < 0 && e != -EINVAL)
			return e;
	}
	return 0;
}

static int read_examples(struct reader *r, const struct bawn_yaml_node *n)
{
	for (const struct bawn_yaml_node *list = bawn_yaml_first(n); list != NULL; list = list->next) {
		bool match = bawn_span_is(list->key->text, "match");
		if (list->kind != BAWN_YAML_SEQUENCE || (!match && !bawn_span_is(list->key->text, "nomatch"))) {
			(void)bad(r, list->key, "examples are lists called match and nomatch");
			continue;
		}
		for (const struct bawn_yaml_node *i = list->first; i != NULL; i = i->next) {
			if (i->kind != BAWN_YAML_SCALAR || r->f->n_examples == EXAMPLES_MAX)
				(void)bad(r, i, "not a text, or too many");
			else
				r->f->example[r->f->n_examples++] = (struct bawn_example){ (uint16_t)r->f->n, match, i->line, keep(r, i->text) };
		}
	}
	return 0;
}

static int read_id(struct reader *r, const struct bawn_yaml_node *n, struct bawn_rule *rule)
{
	if (n->kind != BAWN_YAML_SCALAR || n->text.n == 0)
		return bad(r, n, "a text is needed");
	const char *slash = memchr(n->text.p, '/', n->text.n);
	struct bawn_span head = { n->text.p, slash != NULL ? (size_t)(slash - n->text.p) : 0 };
	rule->language = (int8_t)bawn_word_find(&bawn_language_words, head);
	if (rule->language < 0 && !bawn_span_is(head, "any") && !bawn_span_is(head, "policy"))
		return bad(r, n, "an id begins with its language, any or policy");
	for (size_t i = 0; i < n->text.n; i++)
		if (strchr("abcdefghijklmnopqrstuvwxyz0123456789-/", n->text.p[i]) == NULL)
			return bad(r, n, "an id is made of small letters, digits and '-'");
	for (size_t i = 0; i < r->f->n; i++)
		if (bawn_span_is(n->text, r->f->rule[i].id))
			return bad(r, n, "two rules have this id");
	rule->id = keep(r, n->text);
	return 0;
}

static const char *nth_key(size_t i, const void *unused)
{
	static const char *const other[] = { "id", "level", "cwe", "capability", "tags", "message", "why", "fix", "score", "where", "examples", "tested" };
	(void)unused;
	return i < BAWN_LEN(other) ? other[i] : nth_word(i - BAWN_LEN(other), &bawn_matcher_words);
}

static int read_key(struct reader *r, const struct bawn_yaml_node *n, struct bawn_rule *rule)
{
	static const struct { const char *name; size_t offset; } text[] = {
		{ "message", offsetof(struct bawn_rule, message) }, { "why", offsetof(struct bawn_rule, why) },
		{ "fix", offsetof(struct bawn_rule, fix) },
	};
	struct bawn_span key = n->key->text;
	int i = 0;
	int e;
	uint64_t v;
	for (size_t t = 0; t < BAWN_LEN(text); t++)
		if (bawn_span_is(key, text[t].name)) {
			if (n->kind != BAWN_YAML_SCALAR || n->text.n == 0)
				return bad(r, n, "a text is needed");
			*(const char **)(void *)((char *)rule + text[t].offset) = keep(r, n->text);
			return 0;
		}
	if (bawn_word_find(&bawn_matcher_words, key) >= 0) {
		rule->matcher = (uint8_t)bawn_word_find(&bawn_matcher_words, key);
		return add_keys(r, n, rule);
	}
	if (bawn_span_is(key, "id"))
		return read_id(r, n, rule);
	if (bawn_span_is(key, "level")) {
		e = word_index(r, n, &bawn_level_words, &i);
		rule->level = (uint8_t)i;
		return e;
	}
	if (bawn_span_is(key, "capability")) {
		e = word_index(r, n, &bawn_capability_words, &i);
		rule->capability = (int8_t)i;
		return e;
	}
	if (bawn_span_is(key, "cwe") || bawn_span_is(key, "score")) {
		if (bawn_parse_u64(n->text, 0, 10000, &v, NULL) < 0)
			return bad(r, n, "not a number");
		if (bawn_span_is(key, "cwe"))
			rule->cwe = (int16_t)v;
		else
			rule->score = (uint32_t)v;
		return 0;
	}
	if (bawn_span_is(key, "tags"))
		return word_mask(r, n, &bawn_tag_words, &rule->tags);
	if (bawn_span_is(key, "where"))
		return read_where(r, n, rule);
	if (bawn_span_is(key, "examples"))
		return read_examples(r, n);
	if (bawn_span_is(key, "tested")) {
		if (n->kind != BAWN_YAML_SCALAR || n->text.n == 0)
			return bad(r, n, "a text is needed");
		r->f->tested[r->f->n] = keep(r, n->text);
		return 0;
	}
	return bad_near(r, n->key, "no such key in a rule", bawn_nearest(key, nth_key, NULL));
}

static int read_rule(struct reader *r, const struct bawn_yaml_node *n, const char *family)
{
	if (n->kind != BAWN_YAML_MAPPING || r->f->n == RULES_MAX)
		return bad(r, n, "a rule is a mapping, and there are at most 512");
	struct bawn_rule rule = { .family = family, .capability = -1, .score = NO_SCORE, .level = BAWN_LEVEL_COUNT, .matcher = BAWN_MATCH_COUNT };
	static const char *const must[] = { "id", "level", "message", "why", "fix" };
	for (const struct bawn_yaml_node *k = n->first; k != NULL; k = k->next) {
		uint8_t before = rule.matcher;
		int e = read_key(r, k, &rule);
		if (e < 0 && e != -EINVAL)
			return e;
		if (before != BAWN_MATCH_COUNT && before != rule.matcher)
			(void)bad(r, k->key, "a rule has one matcher");
	}
	for (size_t i = 0; i < BAWN_LEN(must); i++)
		if (bawn_yaml_get(n, must[i]) == NULL) {
			char what[64];
			snprintf(what, sizeof what, "a rule needs %s", must[i]);
			(void)bad(r, n, what);
		}
	if (rule.matcher == BAWN_MATCH_COUNT)
		(void)bad(r, n, "a rule needs a matcher");
	if (rule.id == NULL || rule.level >= BAWN_LEVEL_COUNT)
		return -EINVAL;
	if (rule.score == NO_SCORE)
		rule.score = bawn_level_score[rule.level];
	r->f->rule[r->f->n++] = rule;
	return 0;
}

static const char *stem(struct arena *a, const char *name)
{
	const char *slash = strrchr(name, '/');
	const char *base = slash != NULL ? slash + 1 : name;
	return bawn_arena_text(a, (struct bawn_span){ base, strcspn(base, ".") });
}

static int read_all(struct reader *r, const struct bawn_yaml_node *root)
{
	struct bawn_rulefile *f = r->f;
	f->rule = bawn_arena_array(&f->arena, struct bawn_rule, RULES_MAX);
	f->key = bawn_arena_array(&f->arena, struct bawn_rule_key, KEYS_MAX);
	f->example = bawn_arena_array(&f->arena, struct bawn_example, EXAMPLES_MAX);
	f->tested = bawn_arena_array(&f->arena, const char *, RULES_MAX);
	const char *family = stem(&f->arena, r->name);
	if (f->arena.failed)
		return bawn_fail(r->err, -ENOMEM, "read rules");
	const struct bawn_yaml_node *rules = bawn_yaml_get(root, "rules");
	if (rules == NULL || rules->kind != BAWN_YAML_SEQUENCE || root->n != 1)
		return bad(r, root, "a rule file holds one list, rules");
	for (const struct bawn_yaml_node *n = rules->first; n != NULL; n = n->next) {
		int e = read_rule(r, n, family);
		if (e < 0 && e != -EINVAL)
			return e;
	}
	if (r->n_problems > 0)
		return -EINVAL;
	if (f->arena.failed)
		return bawn_fail(r->err, -ENOMEM, "read rules");
	for (size_t i = 0; i < f->n_keys; i++)
		bawn_rule_key_pairs(&f->key[i]);
	qsort(f->key, f->n_keys, sizeof *f->key, bawn_rule_key_compare);
	return 0;
}

int bawn_rulefile_read(const char *name, struct bawn_span text, struct bawn_rulefile *out, struct bawn_buf *problems, struct bawn_err *err)
{
	bawn_auto_yaml yaml = NULL;
	struct bawn_err own = { 0 };
	int e = bawn_yaml_parse(name, text, &yaml, problems, err);
	if (e < 0)
		return e;
	struct bawn_rulefile f = { .arena = ARENA(FILE_BYTES) };
	struct reader r = { .f = &f, .name = name, .problems = problems, .err = err != NULL ? err : &own };
	e = read_all(&r, bawn_yaml_root(yaml));
	if (e < 0) {
		bawn_rulefile_done(&f);
		return e;
	}
	*out = f;
	return 0;
}

void bawn_rulefile_done(struct bawn_rulefile *f) { bawn_arena_done(&f->arena); }
