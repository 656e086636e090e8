/* value.c - the types a configuration value can have: how each is read, shown, compared, released.
 *
 * Invariant: a value is stored only after it was read whole and found within its bounds, so a field
 * of struct bawn_policy is at every moment either the old value or a good new one.
 * What an attacker controls: the text of every scalar, and how many there are. */
#include "policy/schema.h"
#include <inttypes.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/opt.h"
#include "base/utf8.h"

#define DEFAULT_ITEMS 24

/* ---- reporting ---- */

struct bawn_shown bawn_shown(struct bawn_span text)
{
	struct bawn_shown s = { "?" };
	size_t n = text.n > 60 ? 60 : text.n;
	while (n < text.n && n > 0 && ((unsigned char)text.p[n] & 0xc0) == 0x80)
		n--;
	bawn_auto_buf b = BAWN_BUF(1024);
	bawn_buf_escaped(&b, (struct bawn_span){ text.p, n });
	snprintf(s.text, sizeof s.text, "%.240s%s", b.p != NULL ? b.p : "", n < text.n ? "..." : "");
	return s;
}

#define PROBLEMS_SHOWN 200  /* the rest is only counted */

void bawn_policy_problem(struct bawn_policy_reader *r, uint32_t line, uint32_t column, const char *key,
                         const char *fmt, ...)
{
	r->n++;
	if (r->mute || r->errors->n++ >= PROBLEMS_SHOWN)
		return;
	struct bawn_buf *out = &r->errors->text;
	bawn_buf_str(out, r->name);
	if (line > 0)
		bawn_buf_fmt(out, ":%u:%u", line, column);
	bawn_buf_fmt(out, ": %s%s", key, key[0] != '\0' ? ": " : "");
	va_list ap;
	va_start(ap, fmt);
	bawn_buf_vfmt(out, fmt, ap);
	va_end(ap);
	bawn_buf_char(out, '\n');
}

static const char *nth_word(size_t i, const void *ctx)
{
	const struct bawn_key *k = ctx;
	return i + k->min < (size_t)k->words->n ? k->words->name[i + k->min] : NULL;
}

static const char *nth_flag(size_t i, const void *ctx)
{
	(void)ctx;
	return i == 0 ? "true" : i == 1 ? "false" : NULL;
}

static const char *const type_name[BAWN_VALUE_TYPE_COUNT] = {
	[BAWN_VALUE_BOOL] = "a bool", [BAWN_VALUE_SIZE] = "a size", [BAWN_VALUE_DURATION] = "a duration",
	[BAWN_VALUE_MILLI] = "a number", [BAWN_VALUE_NUMBER] = "a whole number", [BAWN_VALUE_WORD] = "a known word",
	[BAWN_VALUE_CHOICE] = "a known word", [BAWN_VALUE_TEXT] = "good text", [BAWN_VALUE_LIST] = "a list",
	[BAWN_VALUE_LAYERS] = "a known layer", [BAWN_VALUE_RULES] = "a mapping of rules",
};

static bool refuse(struct bawn_policy_reader *r, const struct bawn_key *k, const struct bawn_yaml_node *n, const char *near)
{
	bawn_auto_buf allowed = BAWN_BUF(2048);
	bawn_value_allowed(k, &allowed);
	struct bawn_shown v = n->kind == BAWN_YAML_SCALAR ? bawn_shown(n->text) : bawn_shown(bawn_span(bawn_yaml_kind_name(n->kind)));
	bool quoted = n->kind == BAWN_YAML_SCALAR;
	bawn_policy_problem(r, n->line, n->column, k->key, "%s%s%s is not %s; allowed: %s%s%s%s", quoted ? "'" : "", v.text,
	                    quoted ? "'" : "", type_name[k->type], allowed.p != NULL ? allowed.p : "?",
	                    near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
	return false;
}

static bool no_memory(struct bawn_policy_reader *r)
{
	r->oom = -ENOMEM;
	return false;
}

/* ---- reading ---- */

static bool parse_bool(struct bawn_policy_reader *r, const struct bawn_key *k, const struct bawn_yaml_node *n, union bawn_value *out)
{
	bool yes = bawn_span_is(n->text, "true");
	if (!n->plain || (!yes && !bawn_span_is(n->text, "false")))
		return refuse(r, k, n, bawn_nearest(n->text, nth_flag, NULL));
	out->flag = yes;
	return true;
}

static bool parse_number(struct bawn_policy_reader *r, const struct bawn_key *k, const struct bawn_yaml_node *n, union bawn_value *out)
{
	uint64_t v = 0;
	int failed = k->type == BAWN_VALUE_SIZE ? bawn_parse_size(n->text, &v, NULL)
	           : k->type == BAWN_VALUE_DURATION ? bawn_parse_duration(n->text, &v, NULL)
	           : k->type == BAWN_VALUE_MILLI ? bawn_parse_milli(n->text, &v, NULL)
	           : bawn_parse_u64(n->text, 0, UINT64_MAX, &v, NULL);
	if (failed < 0)
		return refuse(r, k, n, NULL);
	if (v < k->min || v > k->max) {
		bawn_auto_buf allowed = BAWN_BUF(2048);
		bawn_value_allowed(k, &allowed);
		bawn_policy_problem(r, n->line, n->column, k->key, "'%s' is %s; allowed: %s", bawn_shown(n->text).text,
		                    v < k->min ? "too small" : "too large", allowed.p != NULL ? allowed.p : "?");
		return false;
	}
	out->number = v;
	return true;
}

static bool parse_word(struct bawn_policy_reader *r, const struct bawn_key *k, const struct bawn_yaml_node *n, union bawn_value *out)
{
	int i = bawn_word_find(k->words, n->text);
	if (i < 0 || (uint64_t)i < k->min)
		return refuse(r, k, n, bawn_nearest(n->text, nth_word, k));
	if (k->type == BAWN_VALUE_WORD) {
		out->word = i;
		return true;
	}
	char *copy = strdup(bawn_word(k->words, i));
	if (copy == NULL)
		return no_memory(r);
	out->text = copy;
	return true;
}

static bool check_text(struct bawn_policy_reader *r, const struct bawn_key *k, const struct bawn_yaml_node *n)
{
	const char *allowed = n->kind == BAWN_YAML_SCALAR && !bawn_yaml_null(n) ? k->check(n->text) : "text";
	if (allowed == NULL)
		return true;
	bawn_policy_problem(r, n->line, n->column, k->key, "'%s' is not allowed; allowed: %s",
	                    n->kind == BAWN_YAML_SCALAR ? bawn_shown(n->text).text : bawn_yaml_kind_name(n->kind), allowed);
	return false;
}

static bool parse_text(struct bawn_policy_reader *r, const struct bawn_key *k, const struct bawn_yaml_node *n, union bawn_value *out)
{
	if (bawn_yaml_null(n)) {
		out->text = NULL;
		return true;
	}
	if (!check_text(r, k, n))
		return false;
	char *copy = strndup(n->text.p, n->text.n);
	if (copy == NULL)
		return no_memory(r);
	out->text = copy;
	return true;
}

static void free_list(struct bawn_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->item[i]);
	free(l->item);
	*l = (struct bawn_list){ NULL, 0 };
}

static bool listed(const struct bawn_list *l, struct bawn_span text)
{
	for (size_t i = 0; i < l->n; i++)
		if (bawn_span_is(text, l->item[i]))
			return true;
	return false;
}

static bool parse_list(struct bawn_policy_reader *r, const struct bawn_key *k, const struct bawn_yaml_node *n, union bawn_value *out)
{
	bool good = true;
	struct bawn_list l = { calloc(n->n + 1, sizeof *l.item), 0 };
	if (l.item == NULL)
		return no_memory(r);
	for (const struct bawn_yaml_node *i = n->first; i != NULL && r->oom == 0; i = i->next) {
		if (!check_text(r, k, i)) {
			good = false;
		} else if (listed(&l, i->text)) {
			bawn_policy_problem(r, i->line, i->column, k->key, "'%s' stands there twice", bawn_shown(i->text).text);
			good = false;
		} else if ((l.item[l.n] = strndup(i->text.p, i->text.n)) == NULL) {
			good = no_memory(r);
		} else {
			l.n++;
		}
	}
	if (!good || r->oom != 0) {
		free_list(&l);
		return false;
	}
	out->list = l;
	return true;
}

static bool parse_layers(struct bawn_policy_reader *r, const struct bawn_key *k, const struct bawn_yaml_node *n, union bawn_value *out)
{
	uint32_t mask = 0;
	bool good = true;
	for (const struct bawn_yaml_node *i = n->first; i != NULL; i = i->next) {
		int bit = i->kind == BAWN_YAML_SCALAR ? bawn_word_find(k->words, i->text) : -1;
		if (bit < 0)
			good = refuse(r, k, i, i->kind == BAWN_YAML_SCALAR ? bawn_nearest(i->text, nth_word, k) : NULL);
		else
			mask |= 1u << bit;
	}
	if (good)
		out->mask = mask;
	return good;
}

bool bawn_rule_mode_parse(struct bawn_span text, int *out)
{
	int level = bawn_word_find(&bawn_level_words, text);
	if (level < 0 && !bawn_span_is(text, "off"))
		return false;
	*out = level < 0 ? BAWN_RULE_OFF : level;
	return true;
}

static const char *nth_mode(size_t i, const void *ctx)
{
	(void)ctx;
	return i == 0 ? "off" : i - 1 < BAWN_LEVEL_COUNT ? bawn_level_words.name[i - 1] : NULL;
}

static bool rule_id(struct bawn_span id)
{
	for (size_t i = 0; i < id.n; i++)
		if (!((id.p[i] >= 'a' && id.p[i] <= 'z') || (id.p[i] >= '0' && id.p[i] <= '9') || strchr("/-_.", id.p[i]) != NULL))
			return false;
	return id.n > 0 && id.n <= 128;
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct bawn_rule_set *)a)->id, ((const struct bawn_rule_set *)b)->id);
}

static void free_rules(struct bawn_rules *rules)
{
	for (size_t i = 0; i < rules->n; i++)
		free(rules->item[i].id);
	free(rules->item);
	*rules = (struct bawn_rules){ NULL, 0 };
}

static bool parse_rules(struct bawn_policy_reader *r, const struct bawn_key *k, const struct bawn_yaml_node *n, union bawn_value *out)
{
	bool good = true;
	struct bawn_rules rules = { calloc(n->n + 1, sizeof *rules.item), 0 };
	if (rules.item == NULL)
		return no_memory(r);
	for (const struct bawn_yaml_node *i = n->first; i != NULL && r->oom == 0; i = i->next) {
		struct bawn_rule_set *set = &rules.item[rules.n];
		if (bawn_span_is(i->key->text, "acknowledge_risk"))
			continue;
		if (!rule_id(i->key->text)) {
			bawn_policy_problem(r, i->key->line, i->key->column, k->key, "'%s' is not the ID of a rule; allowed: such as python/pty-spawn", bawn_shown(i->key->text).text);
			good = false;
		} else if (i->kind != BAWN_YAML_SCALAR || !bawn_rule_mode_parse(i->text, &set->mode)) {
			const char *near = i->kind == BAWN_YAML_SCALAR ? bawn_nearest(i->text, nth_mode, NULL) : NULL;
			bawn_policy_problem(r, i->line, i->column, k->key, "'%s' is not a mode of '%s'; allowed: off, LOW, MEDIUM, HIGH, BLOCKED%s%s%s",
			                    bawn_shown(i->text).text, bawn_shown(i->key->text).text,
			                    near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
			good = false;
		} else if ((set->id = strndup(i->key->text.p, i->key->text.n)) == NULL) {
			good = no_memory(r);
		} else {
			rules.n++;
		}
	}
	if (!good || r->oom != 0) {
		free_rules(&rules);
		return false;
	}
	qsort(rules.item, rules.n, sizeof *rules.item, by_id);
	out->rules = rules;
	return true;
}

/* What each type is made of and who reads it. */
static const struct {
	enum bawn_yaml_kind kind;
	size_t size;
	bool (*parse)(struct bawn_policy_reader *, const struct bawn_key *, const struct bawn_yaml_node *, union bawn_value *);
} type[] = {
	[BAWN_VALUE_BOOL]     = { BAWN_YAML_SCALAR,   sizeof(bool),              parse_bool },
	[BAWN_VALUE_SIZE]     = { BAWN_YAML_SCALAR,   sizeof(uint64_t),          parse_number },
	[BAWN_VALUE_DURATION] = { BAWN_YAML_SCALAR,   sizeof(uint64_t),          parse_number },
	[BAWN_VALUE_MILLI]    = { BAWN_YAML_SCALAR,   sizeof(uint64_t),          parse_number },
	[BAWN_VALUE_NUMBER]   = { BAWN_YAML_SCALAR,   sizeof(uint64_t),          parse_number },
	[BAWN_VALUE_WORD]     = { BAWN_YAML_SCALAR,   sizeof(int),               parse_word },
	[BAWN_VALUE_CHOICE]   = { BAWN_YAML_SCALAR,   sizeof(char *),            parse_word },
	[BAWN_VALUE_TEXT]     = { BAWN_YAML_SCALAR,   sizeof(char *),            parse_text },
	[BAWN_VALUE_LIST]     = { BAWN_YAML_SEQUENCE, sizeof(struct bawn_list),  parse_list },
	[BAWN_VALUE_LAYERS]   = { BAWN_YAML_SEQUENCE, sizeof(uint32_t),          parse_layers },
	[BAWN_VALUE_RULES]    = { BAWN_YAML_MAPPING,  sizeof(struct bawn_rules), parse_rules },
};
_Static_assert(BAWN_LEN(type) == BAWN_VALUE_TYPE_COUNT, "one row per type");
_Static_assert(offsetof(struct bawn_policy, n_rules) == offsetof(struct bawn_policy, rules) + offsetof(struct bawn_rules, n),
               "rules and n_rules are moved as one value");

bool bawn_value_parse(struct bawn_policy_reader *r, const struct bawn_key *k, const struct bawn_yaml_node *n, union bawn_value *out)
{
	bool nothing = k->type == BAWN_VALUE_RULES && bawn_yaml_null(n);  /* "rules:" with nothing below it yet */
	if (n->kind != type[k->type].kind && !nothing)
		return refuse(r, k, n, NULL);
	return type[k->type].parse(r, k, n, out);
}

/* A default is text as it would be written, read by the same functions. */
bool bawn_value_default(struct bawn_policy_reader *r, const struct bawn_key *k, union bawn_value *out)
{
	struct bawn_yaml_node n = { .kind = type[k->type].kind, .plain = true, .text = bawn_span(k->def != NULL ? k->def : "") };
	struct bawn_yaml_node item[DEFAULT_ITEMS];
	const char *at = k->def;
	while (n.kind == BAWN_YAML_SEQUENCE && at != NULL && *at != '\0' && n.n < DEFAULT_ITEMS) {
		size_t len = strcspn(at, " ");
		item[n.n] = (struct bawn_yaml_node){ .kind = BAWN_YAML_SCALAR, .plain = true, .text = { at, len } };
		if (n.n > 0)
			item[n.n - 1].next = &item[n.n];
		n.n++;
		n.first = item;
		at += len + strspn(at + len, " ");
	}
	return bawn_value_parse(r, k, &n, out);
}

/* ---- storing ---- */

union bawn_value bawn_value_get(const struct bawn_key *k, const struct bawn_policy *p)
{
	union bawn_value v;
	memset(&v, 0, sizeof v);
	memcpy(&v, (const char *)p + k->offset, type[k->type].size);
	return v;
}

void bawn_value_done(const struct bawn_key *k, union bawn_value *v)
{
	if (k->type == BAWN_VALUE_CHOICE || k->type == BAWN_VALUE_TEXT)
		free(bawn_steal(v->text));
	else if (k->type == BAWN_VALUE_LIST)
		free_list(&v->list);
	else if (k->type == BAWN_VALUE_RULES)
		free_rules(&v->rules);
}

void bawn_value_put_take(const struct bawn_key *k, struct bawn_policy *p, union bawn_value v)
{
	union bawn_value old = bawn_value_get(k, p);
	memcpy((char *)p + k->offset, &v, type[k->type].size);
	bawn_value_done(k, &old);
}

/* ---- comparing ---- */

static uint64_t rank(const struct bawn_key *k, union bawn_value v)
{
	switch (k->type) {
	case BAWN_VALUE_BOOL:
		return v.flag;
	case BAWN_VALUE_WORD:
		return (uint64_t)v.word;
	case BAWN_VALUE_CHOICE: {
		int i = bawn_word_find(k->words, bawn_span(v.text));
		return i < 0 ? 0 : (uint64_t)i;
	}
	case BAWN_VALUE_LAYERS:
		return v.mask;
	case BAWN_VALUE_SIZE:
	case BAWN_VALUE_DURATION:
	case BAWN_VALUE_MILLI:
	case BAWN_VALUE_NUMBER:
		return v.number;
	case BAWN_VALUE_TEXT:
	case BAWN_VALUE_LIST:
	case BAWN_VALUE_RULES:
	case BAWN_VALUE_TYPE_COUNT:
		break;
	}
	return 0;
}

static bool contains(const struct bawn_key *k, union bawn_value outer, union bawn_value inner)
{
	if (k->type == BAWN_VALUE_LAYERS)
		return (inner.mask & ~outer.mask) == 0;
	for (size_t i = 0; i < inner.list.n; i++)
		if (!listed(&outer.list, bawn_span(inner.list.item[i])))
			return false;
	return true;
}

static bool same(const struct bawn_key *k, union bawn_value a, union bawn_value b)
{
	if (k->type != BAWN_VALUE_TEXT)
		return rank(k, a) == rank(k, b);
	return a.text == b.text || (a.text != NULL && b.text != NULL && strcmp(a.text, b.text) == 0);
}

const struct bawn_rule_set *bawn_rule_find(struct bawn_rules rules, struct bawn_span id)
{
	for (size_t i = 0; i < rules.n; i++)
		if (bawn_span_is(id, rules.item[i].id))
			return &rules.item[i];
	return NULL;
}

int bawn_policy_rule_mode(const struct bawn_policy *p, const char *id, int own)
{
	const struct bawn_rule_set *set = bawn_rule_find((struct bawn_rules){ p->rules, p->n_rules }, bawn_span(id));
	return set != NULL && (set->may_lower || set->mode > own) ? set->mode : own;
}

static bool rule_looser(struct bawn_rules floor, const struct bawn_rule_set *set)
{
	const struct bawn_rule_set *base = bawn_rule_find(floor, bawn_span(set->id));
	return base != NULL ? set->mode < base->mode : set->mode == BAWN_RULE_OFF;
}

bool bawn_value_looser(const struct bawn_key *k, union bawn_value floor, union bawn_value v)
{
	switch (k->stricter) {
	case BAWN_STRICTER_LOWER:
		return rank(k, v) > rank(k, floor);
	case BAWN_STRICTER_HIGHER:
		return rank(k, v) < rank(k, floor);
	case BAWN_STRICTER_SUBSET:
		return !contains(k, floor, v);
	case BAWN_STRICTER_NARROWER:
		return floor.list.n > 0 && (v.list.n == 0 || !contains(k, floor, v));
	case BAWN_STRICTER_SUPERSET:
		return !contains(k, v, floor);
	case BAWN_STRICTER_SAME:
		return !same(k, floor, v);
	case BAWN_STRICTER_KEEP:
		return floor.text != NULL && !same(k, floor, v);
	case BAWN_STRICTER_RULES:
		for (size_t i = 0; i < v.rules.n; i++)
			if (rule_looser(floor.rules, &v.rules.item[i]))
				return true;
		return false;
	case BAWN_STRICTER_FREE:
	case BAWN_STRICTER_COUNT:
		break;
	}
	return false;
}

const char *bawn_stricter_name(const struct bawn_key *k)
{
	static const char *const name[BAWN_STRICTER_COUNT] = {
		"free", "lower is stricter", "higher is stricter", "fewer is stricter", "once set, fewer is stricter", "more is stricter",
		"any change loosens", "once set, it stays", "higher levels are stricter",
	};
	if (k->type == BAWN_VALUE_BOOL && k->stricter != BAWN_STRICTER_FREE)
		return k->stricter == BAWN_STRICTER_LOWER ? "false is stricter" : "true is stricter";
	if ((k->type == BAWN_VALUE_WORD || k->type == BAWN_VALUE_CHOICE) && k->stricter != BAWN_STRICTER_FREE)
		return k->stricter == BAWN_STRICTER_LOWER ? "the earlier word is stricter" : "the later word is stricter";
	return name[k->stricter];
}

/* ---- showing ---- */

static void put_milli(struct bawn_buf *b, uint64_t v)
{
	size_t start = b->n;
	bawn_buf_fmt(b, "%" PRIu64 ".%03" PRIu64, v / 1000, v % 1000);
	if (b->error != 0)
		return;
	while (b->n > start && b->p[b->n - 1] == '0')
		b->p[--b->n] = '\0';
	if (b->n > start && b->p[b->n - 1] == '.')
		b->p[--b->n] = '\0';
}

static void put_number(const struct bawn_key *k, uint64_t v, struct bawn_buf *b)
{
	if (k->type == BAWN_VALUE_SIZE)
		bawn_put_size(b, v);
	else if (k->type == BAWN_VALUE_DURATION)
		bawn_put_duration(b, v);
	else if (k->type == BAWN_VALUE_MILLI)
		put_milli(b, v);
	else
		bawn_buf_fmt(b, "%" PRIu64, v);
}

static json_t *json_number(const struct bawn_key *k, uint64_t v)
{
	if (k->type == BAWN_VALUE_NUMBER)
		return json_integer((json_int_t)v);
	if (k->type == BAWN_VALUE_MILLI && v % 1000 == 0)
		return json_integer((json_int_t)(v / 1000));
	bawn_auto_buf b = BAWN_BUF(64);
	put_number(k, v, &b);
	return b.p != NULL && b.error == 0 ? json_string(b.p) : NULL;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static json_t *json_list(const struct bawn_list *l, bool sorted)
{
	bawn_auto_free char **item = calloc(l->n + 1, sizeof *item);
	bawn_auto_json a = json_array();
	bool good = item != NULL && a != NULL;
	if (good && l->n > 0)
		memcpy(item, l->item, l->n * sizeof *item);
	if (good && sorted)
		qsort(item, l->n, sizeof *item, by_text);
	for (size_t i = 0; good && i < l->n; i++)
		bawn_json_push(a, bawn_json_text(bawn_span(item[i])), &good);
	return good ? bawn_steal(a) : NULL;
}

static json_t *json_layers(const struct bawn_words *words, uint32_t mask)
{
	bawn_auto_json a = json_array();
	bool good = a != NULL;
	for (int i = 0; good && i < words->n; i++)
		if (mask & (1u << i))
			bawn_json_push(a, json_string(words->name[i]), &good);
	return good ? bawn_steal(a) : NULL;
}

static json_t *json_rules(struct bawn_rules rules, bool canonical)
{
	bawn_auto_json o = json_object();
	bool good = o != NULL;
	for (size_t i = 0; good && i < rules.n; i++) {
		const struct bawn_rule_set *s = &rules.item[i];
		const char *mode = s->mode == BAWN_RULE_OFF ? "off" : bawn_word(&bawn_level_words, s->mode);
		json_t *v = canonical && s->may_lower ? json_pack("[s]", mode) : json_string(mode);
		bawn_json_set(o, s->id, v, &good);
	}
	return good ? bawn_steal(o) : NULL;
}

json_t *bawn_value_json(const struct bawn_key *k, union bawn_value v, bool canonical)
{
	switch (k->type) {
	case BAWN_VALUE_BOOL:
		return json_boolean(v.flag);
	case BAWN_VALUE_WORD:
		return json_string(bawn_word(k->words, v.word));
	case BAWN_VALUE_CHOICE:
	case BAWN_VALUE_TEXT:
		return bawn_json_text_or_null(v.text);
	case BAWN_VALUE_LIST:
		return json_list(&v.list, canonical);
	case BAWN_VALUE_LAYERS:
		return json_layers(k->words, v.mask);
	case BAWN_VALUE_RULES:
		return json_rules(v.rules, canonical);
	case BAWN_VALUE_SIZE:
	case BAWN_VALUE_DURATION:
	case BAWN_VALUE_MILLI:
	case BAWN_VALUE_NUMBER:
	case BAWN_VALUE_TYPE_COUNT:
		break;
	}
	return json_number(k, v.number);
}

void bawn_value_show(const struct bawn_key *k, union bawn_value v, struct bawn_buf *out)
{
	bawn_auto_json j = bawn_value_json(k, v, false);
	if (json_is_string(j))
		bawn_buf_escaped(out, bawn_span(json_string_value(j)));
	else if (j == NULL || bawn_json_put(out, j, NULL) < 0)
		bawn_buf_str(out, "?");
}

static void put_words(const struct bawn_key *k, struct bawn_buf *out)
{
	for (int i = (int)k->min; i < k->words->n; i++)
		bawn_buf_fmt(out, "%s%s", i > (int)k->min ? ", " : "", k->words->name[i]);
}

void bawn_value_allowed(const struct bawn_key *k, struct bawn_buf *out)
{
	switch (k->type) {
	case BAWN_VALUE_BOOL:
		bawn_buf_str(out, "true, false");
		return;
	case BAWN_VALUE_WORD:
	case BAWN_VALUE_CHOICE:
		put_words(k, out);
		return;
	case BAWN_VALUE_LAYERS:
		bawn_buf_str(out, "a list of ");
		put_words(k, out);
		return;
	case BAWN_VALUE_TEXT:
		bawn_buf_str(out, k->check(bawn_span("")));
		bawn_buf_str(out, ", or null");
		return;
	case BAWN_VALUE_LIST:
		bawn_buf_fmt(out, "a list; each item %s", k->check(bawn_span("")));
		return;
	case BAWN_VALUE_RULES:
		bawn_buf_str(out, "a mapping of rule IDs to off, LOW, MEDIUM, HIGH or BLOCKED");
		return;
	case BAWN_VALUE_SIZE:
	case BAWN_VALUE_DURATION:
	case BAWN_VALUE_MILLI:
	case BAWN_VALUE_NUMBER:
	case BAWN_VALUE_TYPE_COUNT:
		break;
	}
	put_number(k, k->min, out);
	bawn_buf_str(out, " to ");
	put_number(k, k->max, out);
}
