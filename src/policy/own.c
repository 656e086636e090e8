/* own.c - rules.d: the rules an installation adds to the shipped ones.
 *
 *	rules:
 *	- id: local/billing-db           begins with local/, never one of ours
 *	  level: HIGH
 *	  message: Reaches for the billing database
 *	  host: [billing.example.com]    and what lies below; at least one of name, path, host
 *	  name: [billing.client]         a module, function or command after aliases are undone
 *	  path: [/srv/billing]           and what lies below
 *	  why: ..., fix: ..., cwe: 200, language: python     if wanted
 *	  examples: {match: [...], nomatch: [...]}           bawn rules test FILE runs them
 *
 * Invariants: (1) nothing here can lower or switch off anything: there is no word for it; (2) a file
 * with a mistake is a mistake of the policy, so nothing is assessed until it is mended; (3) every
 * mistake is told, with its place. */
#include "policy/schema.h"
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/opt.h"

#define PREFIX    "local/"
#define RULES_MAX 4096u
#define KEYS_MAX  65536u
#define TEXT_MAX  1000u

struct reading { struct bawn_policy_reader *r; struct bawn_own *own; struct bawn_own_rule *rule; };

static bool wrong(struct reading *g, const struct bawn_yaml_node *at, const char *what)
{
	bawn_policy_problem(g->r, at->line, at->column, "", "%s%s%s%s", what, at->kind == BAWN_YAML_SCALAR ? ": '" : "",
	                    at->kind == BAWN_YAML_SCALAR ? bawn_shown(at->text).text : "", at->kind == BAWN_YAML_SCALAR ? "'" : "");
	return false;
}

static bool keep_text(struct reading *g, const struct bawn_yaml_node *n, char **out)
{
	if (n->kind != BAWN_YAML_SCALAR || n->text.n == 0 || n->text.n > TEXT_MAX)
		return wrong(g, n, "not a text of 1 to 1000 bytes");
	*out = strndup(n->text.p, n->text.n);
	if (*out == NULL)
		g->r->oom = -ENOMEM;
	return *out != NULL;
}

static const char *nth_word(size_t i, const void *ctx)
{
	const struct bawn_words *w = ctx;
	return i < (size_t)w->n ? w->name[i] : NULL;
}

static bool read_word(struct reading *g, const struct bawn_yaml_node *n, const struct bawn_words *words, int *out)
{
	*out = n->kind == BAWN_YAML_SCALAR ? bawn_word_find(words, n->text) : -1;
	if (*out >= 0)
		return true;
	const char *near = n->kind == BAWN_YAML_SCALAR ? bawn_nearest(n->text, nth_word, words) : NULL;
	bawn_auto_buf allowed = BAWN_BUF(1024);
	for (int i = 0; i < words->n; i++)
		bawn_buf_fmt(&allowed, "%s%s", i > 0 ? ", " : "", words->name[i]);
	bawn_policy_problem(g->r, n->line, n->column, "", "'%s' is not allowed here; allowed: %s%s%s%s",
	                    n->kind == BAWN_YAML_SCALAR ? bawn_shown(n->text).text : bawn_yaml_kind_name(n->kind), allowed.p != NULL ? allowed.p : "?",
	                    near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
	return false;
}

static bool list_push(struct reading *g, struct bawn_list *l, struct bawn_span text, bool lower)
{
	char **item = realloc(l->item, (l->n + 1) * sizeof *item);
	char *copy = strndup(text.p, text.n);
	if (item != NULL)
		l->item = item;
	if (item == NULL || copy == NULL) {
		free(copy);
		g->r->oom = -ENOMEM;
		return false;
	}
	for (char *c = copy; lower && *c != '\0'; c++)
		*c = (char)(*c >= 'A' && *c <= 'Z' ? *c | 0x20 : *c);
	l->item[l->n++] = copy;
	return true;
}

/* ---- what a name, a path and a host look like ---- */

static bool made_of(struct bawn_span s, const char *more)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		bool plain = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c >= 0x80;
		if (!plain && (c == '\0' || strchr(more, c) == NULL))
			return false;
	}
	return s.n > 0 && s.n <= 256;
}

static const char *check_name(struct bawn_span s)
{
	return made_of(s, "._-+") && s.p[0] != '.' && s.p[s.n - 1] != '.' ? NULL : "a name is a module, function or command such as os.system";
}

static const char *check_path(struct bawn_span s)
{
	bool begins = s.n > 1 && s.n <= 256 && (s.p[0] == '/' || bawn_span_starts(s, "~/") || bawn_span_starts(s, "**/"));
	return begins && memmem(s.p, s.n, "..", 2) == NULL ? NULL : "a path begins with /, ~/ or **/ and has no '..'";
}

static const char *check_host(struct bawn_span s)
{
	return made_of(s, ".-:") && s.p[0] != '.' && s.p[0] != '-' && s.p[s.n - 1] != '.' ? NULL : "a host is a name or an address without scheme, port or path";
}

static const struct { const char *name; size_t offset; const char *(*check)(struct bawn_span); } kind[] = {
	[BAWN_OWN_NAME] = { "name", offsetof(struct bawn_own_rule, name), check_name },
	[BAWN_OWN_PATH] = { "path", offsetof(struct bawn_own_rule, path), check_path },
	[BAWN_OWN_HOST] = { "host", offsetof(struct bawn_own_rule, host), check_host },
};
_Static_assert(sizeof kind / sizeof *kind == BAWN_OWN_KIND_COUNT, "one row per kind");

static struct bawn_list *list_of(struct bawn_own_rule *r, size_t k)
{
	return (struct bawn_list *)(void *)((char *)r + kind[k].offset);
}

static void read_patterns(struct reading *g, const struct bawn_yaml_node *n, size_t k)
{
	if (n->kind != BAWN_YAML_SEQUENCE || n->n == 0) {
		(void)wrong(g, n, "a list is needed");
		return;
	}
	for (const struct bawn_yaml_node *i = n->first; i != NULL; i = i->next) {
		const char *why = i->kind == BAWN_YAML_SCALAR ? kind[k].check(i->text) : "a text is needed";
		if (why == NULL && ++g->own->n_keys > KEYS_MAX)
			why = "more than 65536 names, paths and hosts";
		if (why != NULL)
			(void)wrong(g, i, why);
		else
			(void)list_push(g, list_of(g->rule, k), i->text, k == BAWN_OWN_HOST);
	}
}

/* ---- one rule ---- */

static void read_id(struct reading *g, const struct bawn_yaml_node *n)
{
	struct bawn_span id = n->text, rest = { id.p, 0 };
	bool good = n->kind == BAWN_YAML_SCALAR && bawn_span_starts(id, PREFIX) && id.n > strlen(PREFIX) && id.n < 80;
	if (good)
		rest = (struct bawn_span){ id.p + strlen(PREFIX), id.n - strlen(PREFIX) };
	for (size_t i = 0; good && i < rest.n; i++)
		good = strchr("abcdefghijklmnopqrstuvwxyz0123456789-", rest.p[i]) != NULL;
	if (!good) {
		(void)wrong(g, n, "an id here is " PREFIX " and small letters, digits and '-'");
		return;
	}
	for (size_t i = 0; i < g->own->n; i++)
		if (g->own->rule[i].id != NULL && bawn_span_is(id, g->own->rule[i].id)) {
			bawn_policy_problem(g->r, n->line, n->column, "", "'%s' is already used at %s", g->own->rule[i].id, g->own->rule[i].where);
			return;
		}
	(void)keep_text(g, n, &g->rule->id);
}

static void add_example(struct reading *g, const struct bawn_yaml_node *n, bool match)
{
	struct bawn_own_example *grown = realloc(g->rule->example, (g->rule->n_examples + 1) * sizeof *grown);
	char *copy = strndup(n->text.p, n->text.n);
	if (grown != NULL)
		g->rule->example = grown;
	if (grown == NULL || copy == NULL) {
		free(copy);
		g->r->oom = -ENOMEM;
		return;
	}
	grown[g->rule->n_examples++] = (struct bawn_own_example){ copy, n->line, match };
}

static void read_examples(struct reading *g, const struct bawn_yaml_node *n)
{
	if (n->kind != BAWN_YAML_MAPPING)
		(void)wrong(g, n, "examples are lists called match and nomatch");
	for (const struct bawn_yaml_node *list = bawn_yaml_first(n); n->kind == BAWN_YAML_MAPPING && list != NULL; list = list->next) {
		bool match = bawn_span_is(list->key->text, "match");
		if (list->kind != BAWN_YAML_SEQUENCE || (!match && !bawn_span_is(list->key->text, "nomatch"))) {
			(void)wrong(g, list->key, "examples are lists called match and nomatch");
			continue;
		}
		for (const struct bawn_yaml_node *i = list->first; i != NULL; i = i->next)
			if (i->kind != BAWN_YAML_SCALAR)
				(void)wrong(g, i, "an example is a text");
			else
				add_example(g, i, match);
	}
}

static const char *const key_name[] = { "id", "level", "message", "why", "fix", "cwe", "language", "examples", "name", "path", "host" };
static const struct bawn_words keys = { key_name, (int)BAWN_LEN(key_name) };

static void read_key(struct reading *g, const struct bawn_yaml_node *n)
{
	struct bawn_own_rule *rule = g->rule;
	struct bawn_span key = n->key->text;
	const struct { const char *name; char **to; } text[] = { { "message", &rule->message }, { "why", &rule->why }, { "fix", &rule->fix } };
	int index;
	uint64_t number;
	for (size_t i = 0; i < BAWN_LEN(text); i++)
		if (bawn_span_is(key, text[i].name)) {
			(void)keep_text(g, n, text[i].to);
			return;
		}
	for (size_t k = 0; k < BAWN_LEN(kind); k++)
		if (bawn_span_is(key, kind[k].name)) {
			read_patterns(g, n, k);
			return;
		}
	if (!read_word(g, n->key, &keys, &index))
		return;
	if (bawn_span_is(key, "id"))
		read_id(g, n);
	else if (bawn_span_is(key, "level"))
		(void)(read_word(g, n, &bawn_level_words, &index) && (rule->level = index, true));
	else if (bawn_span_is(key, "language"))
		(void)(read_word(g, n, &bawn_language_words, &index) && (rule->language = index, true));
	else if (bawn_span_is(key, "examples"))
		read_examples(g, n);
	else if (n->kind != BAWN_YAML_SCALAR || bawn_parse_u64(n->text, 1, 9999, &number, NULL) < 0)
		(void)wrong(g, n, "not a CWE number");
	else
		rule->cwe = (int)number;
}

static bool has(const struct bawn_yaml_node *rule, const char *key) { return bawn_yaml_get(rule, key) != NULL; }

static void read_rule(struct reading *g, const struct bawn_yaml_node *n)
{
	static const char *const must[] = { "id", "level", "message" };
	bawn_auto_buf where = BAWN_BUF(8192);
	if (n->kind != BAWN_YAML_MAPPING) {
		(void)wrong(g, n, "a rule is a mapping");
		return;
	}
	for (const struct bawn_yaml_node *k = n->first; k != NULL && g->r->oom == 0; k = k->next)
		read_key(g, k);
	for (size_t i = 0; i < BAWN_LEN(must); i++)
		if (!has(n, must[i]))
			bawn_policy_problem(g->r, n->line, n->column, "", "the rule has no %s", must[i]);
	if (!has(n, "name") && !has(n, "path") && !has(n, "host"))
		bawn_policy_problem(g->r, n->line, n->column, "", "the rule names no name, path or host");
	bawn_buf_fmt(&where, "%s:%u", g->r->name, n->line);
	struct bawn_own_rule *rule = g->rule;
	rule->where = bawn_buf_steal(&where);
	if (rule->why == NULL)
		rule->why = strdup("It is a rule of this installation.");
	if (rule->fix == NULL)
		rule->fix = strdup("Do without it, or ask whoever wrote the rule.");
	if (rule->where == NULL || rule->why == NULL || rule->fix == NULL)
		g->r->oom = -ENOMEM;
}

void bawn_own_read(struct bawn_policy_reader *r, const struct bawn_yaml_node *root, struct bawn_own **own)
{
	if (*own == NULL && (*own = calloc(1, sizeof **own)) == NULL) {
		r->oom = -ENOMEM;
		return;
	}
	struct reading g = { .r = r, .own = *own };
	g.own->refs = g.own->refs > 0 ? g.own->refs : 1;
	const struct bawn_yaml_node *rules = bawn_yaml_get(root, "rules");
	if (rules == NULL || rules->kind != BAWN_YAML_SEQUENCE || root->n != 1) {
		(void)wrong(&g, root, "a rule file holds one list, rules");
		return;
	}
	for (const struct bawn_yaml_node *n = rules->first; n != NULL && r->oom == 0; n = n->next) {
		if (g.own->n == RULES_MAX) {
			(void)wrong(&g, n, "more than 4096 rules");
			return;
		}
		struct bawn_own_rule *grown = realloc(g.own->rule, (g.own->n + 1) * sizeof *grown);
		if (grown == NULL) {
			r->oom = -ENOMEM;
			return;
		}
		g.own->rule = grown;
		g.rule = &grown[g.own->n];
		*g.rule = (struct bawn_own_rule){ .language = -1 };
		read_rule(&g, n);
		g.own->n++;
	}
}

/* ---- the whole ---- */

static int by_key(const void *a, const void *b)
{
	const struct bawn_own_key *x = a, *y = b;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	int c = strcmp(x->text, y->text);
	return c != 0 ? c : (x->rule > y->rule) - (x->rule < y->rule);
}

static void add_hash(struct bawn_sha256 *h, const char *text)
{
	if (text != NULL)
		bawn_sha256_add(h, text, strlen(text));
	bawn_sha256_add(h, "", 1);
}

static void hash_rule(struct bawn_sha256 *h, struct bawn_own_rule *r)
{
	char numbers[64];
	snprintf(numbers, sizeof numbers, "%d %d %d", r->level, r->language, r->cwe);
	const char *text[] = { r->id, numbers, r->message, r->why, r->fix };
	for (size_t i = 0; i < BAWN_LEN(text); i++)
		add_hash(h, text[i]);
	for (size_t k = 0; k < BAWN_LEN(kind); k++) {
		for (size_t i = 0; i < list_of(r, k)->n; i++)
			add_hash(h, list_of(r, k)->item[i]);
		add_hash(h, "");
	}
}

void bawn_own_seal(struct bawn_policy_reader *r, struct bawn_own *own)
{
	struct bawn_sha256 h;
	own->key = calloc(own->n_keys + 1, sizeof *own->key);
	if (own->key == NULL) {
		r->oom = -ENOMEM;
		return;
	}
	size_t n = 0;
	bawn_sha256_init(&h);
	for (size_t i = 0; i < own->n; i++) {
		for (size_t k = 0; k < BAWN_LEN(kind); k++)
			for (size_t t = 0; t < list_of(&own->rule[i], k)->n; t++)
				own->key[n++] = (struct bawn_own_key){ list_of(&own->rule[i], k)->item[t], (uint32_t)i, (enum bawn_own_kind)k };
		hash_rule(&h, &own->rule[i]);
	}
	own->n_keys = n;
	qsort(own->key, n, sizeof *own->key, by_key);
	bawn_sha256_end(&h, own->sha256);
}

static int compare(const struct bawn_own_key *k, enum bawn_own_kind what, struct bawn_span text)
{
	if (k->kind != what)
		return k->kind < what ? -1 : 1;
	int c = strncmp(k->text, text.p, text.n);
	return c != 0 ? c : k->text[text.n] != '\0';
}

const struct bawn_own_key *bawn_own_find(const struct bawn_own *own, enum bawn_own_kind what, struct bawn_span text, size_t *out_n)
{
	size_t low = 0, high = own->n_keys;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (compare(&own->key[mid], what, text) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*out_n = 0;
	while (low + *out_n < own->n_keys && compare(&own->key[low + *out_n], what, text) == 0)
		++*out_n;
	return &own->key[low];
}

const struct bawn_own *bawn_own_ref(const struct bawn_own *own)
{
	if (own != NULL)
		__atomic_add_fetch(&((struct bawn_own *)(uintptr_t)own)->refs, 1, __ATOMIC_RELAXED);
	return own;
}

void bawn_own_unref(const struct bawn_own *shared)
{
	struct bawn_own *own = (struct bawn_own *)(uintptr_t)shared;
	if (own == NULL || __atomic_sub_fetch(&own->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	for (size_t i = 0; i < own->n; i++) {
		struct bawn_own_rule *r = &own->rule[i];
		char *text[] = { r->id, r->message, r->why, r->fix, r->where };
		struct bawn_list *list[] = { &r->name, &r->path, &r->host };
		for (size_t t = 0; t < BAWN_LEN(text); t++)
			free(text[t]);
		for (size_t l = 0; l < BAWN_LEN(list); l++) {
			for (size_t t = 0; t < list[l]->n; t++)
				free(list[l]->item[t]);
			free(list[l]->item);
		}
		for (size_t x = 0; x < r->n_examples; x++)
			free(r->example[x].text);
		free(r->example);
	}
	free(own->rule);
	free(own->key);
	free(own);
}

int bawn_own_parse(const char *name, struct bawn_span text, const struct bawn_own **out, struct bawn_policy_errors *errors, struct bawn_err *err)
{
	bawn_auto_yaml yaml = NULL;
	if (errors->text.max == 0)
		errors->text.max = BAWN_YAML_PROBLEMS_MAX;
	struct bawn_policy_reader r = { .name = name, .errors = errors };
	struct bawn_own *own = NULL;
	int failed = bawn_yaml_parse(name, text, &yaml, &errors->text, err);
	if (failed < 0)
		return failed;
	bawn_own_read(&r, bawn_yaml_root(yaml), &own);
	if (own != NULL && r.n == 0 && r.oom == 0)
		bawn_own_seal(&r, own);
	if (r.n > 0 || r.oom != 0) {
		bawn_own_unref(own);
		return bawn_policy_refuse(&r, err);
	}
	*out = own;
	return 0;
}
