/* load.c - files, floor and defaults become one struct bawn_policy.
 *
 * Invariants: (1) a value above the floor is at most as loose as the floor's, or it was acknowledged
 * beside the value and the floor is not root's; (2) no problem is ever a default: one problem and
 * there is no policy; (3) every problem of every file is reported, not only the first.
 * What an attacker controls: as a user, every byte of the files above the floor. */
#include "policy/schema.h"
#include "base/cleanup.h"
#include "base/opt.h"

#define ACKNOWLEDGE "acknowledge_risk"
#define KEY_MAX     160

void bawn_policy_errors_done(struct bawn_policy_errors *e)
{
	bawn_buf_done(&e->text);
	e->n = 0;
}

void bawn_policy_free(struct bawn_policy *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < bawn_key_count; i++) {
		union bawn_value v = bawn_value_get(&bawn_key[i], p);
		bawn_value_done(&bawn_key[i], &v);
	}
	struct bawn_list *list[] = { &p->loosened, &p->paths };
	for (size_t l = 0; l < BAWN_LEN(list); l++) {
		for (size_t i = 0; i < list[l]->n; i++)
			free(list[l]->item[i]);
		free(list[l]->item);
	}
	free(p->origin);
	bawn_own_unref(p->own);
	free(p);
}
static void policy_freep(struct bawn_policy **p) { bawn_policy_free(*p); }
#define auto_policy __attribute__((cleanup(policy_freep))) struct bawn_policy *

/* Appends a copy and returns it, NULL when out of memory. */
static const char *keep(struct bawn_list *l, const char *text)
{
	char **item = realloc(l->item, (l->n + 1) * sizeof *item);
	if (item == NULL)
		return NULL;
	l->item = item;
	char *copy = strdup(text);
	if (copy != NULL)
		l->item[l->n++] = copy;
	return copy;
}

static struct bawn_policy *defaults(struct bawn_policy_reader *r)
{
	auto_policy p = calloc(1, sizeof *p);
	if (p == NULL || (p->origin = calloc(bawn_key_count, sizeof *p->origin)) == NULL) {
		r->oom = -ENOMEM;
		return NULL;
	}
	for (size_t i = 0; i < bawn_key_count; i++) {
		union bawn_value v;
		if (!bawn_value_default(r, &bawn_key[i], &v))
			return NULL;
		bawn_value_put_take(&bawn_key[i], p, v);
	}
	for (int t = 0; t < BAWN_TRUST_COUNT; t++)
		p->trust_defined[t] = true;
	return bawn_steal(p);
}

/* ---- one file ---- */

struct walk {
	struct bawn_policy_reader *r;
	const struct bawn_source  *src;
	struct bawn_policy        *p;
	const struct bawn_policy  *floor;       /* NULL while the floor itself is being read */
	bool                       root_owned;
	const char                *path;        /* kept in p->paths */
};

static bool acknowledged(const struct bawn_yaml_node *mapping)
{
	const struct bawn_yaml_node *a = bawn_yaml_get(mapping, ACKNOWLEDGE);
	return a != NULL && a->kind == BAWN_YAML_SCALAR && a->plain && bawn_span_is(a->text, "true");
}

static void put_where(const struct walk *w, const struct bawn_key *k, struct bawn_buf *out)
{
	const struct bawn_policy_origin *o = w->floor != NULL ? &w->floor->origin[k - bawn_key] : NULL;
	if (o != NULL && o->path != NULL)
		bawn_buf_fmt(out, "%s:%u", o->path, o->line);
	else
		bawn_buf_str(out, "compiled in");
}

/* One value looser than the floor's: says so unless it is acknowledged and may be. */
static bool loosening(const struct walk *w, const struct bawn_key *k, const struct bawn_yaml_node *n, const char *key,
                      bool acknowledge, union bawn_value floor, union bawn_value v)
{
	bool fixed = w->floor != NULL && w->root_owned;
	if (acknowledge && !fixed)
		return true;
	bawn_auto_buf value = BAWN_BUF(4096), base = BAWN_BUF(4096), where = BAWN_BUF(8192);
	bawn_value_show(k, v, &value);
	bawn_value_show(k, floor, &base);
	put_where(w, k, &where);
	bawn_policy_problem(w->r, n->line, n->column, key, "'%s' is looser than the floor '%s' (%s)%s",
	                    value.p != NULL ? value.p : "", base.p != NULL ? base.p : "", where.p != NULL ? where.p : "?",
	                    fixed ? ", which belongs to root: it can only be tightened"
	                    : "; to accept that, write '" ACKNOWLEDGE ": true' beside it");
	return false;
}

static bool permitted(const struct walk *w, const struct bawn_key *k, const struct bawn_yaml_node *n,
                      const struct bawn_yaml_node *mapping, union bawn_value v)
{
	if (w->floor != NULL) {
		union bawn_value floor = bawn_value_get(k, w->floor);
		bool guarded = k->guarded && w->root_owned && floor.text == NULL && v.text != NULL;
		return (!guarded && !bawn_value_looser(k, floor, v)) || loosening(w, k, n, k->key, acknowledged(mapping), floor, v);
	}
	union bawn_value compiled;
	if (!k->always)
		return true;
	if (!bawn_value_default(w->r, k, &compiled))
		return false;
	bool good = !bawn_value_looser(k, compiled, v) || loosening(w, k, n, k->key, acknowledged(mapping), compiled, v);
	bawn_value_done(k, &compiled);
	return good;
}

/* Rules are judged and merged one by one. */
static bool rules_permitted(const struct walk *w, const struct bawn_key *k, const struct bawn_yaml_node *mapping, struct bawn_rules *rules)
{
	bool good = true, acknowledge = acknowledged(mapping);
	union bawn_value floor = { .rules = { NULL, 0 } };
	if (w->floor != NULL)
		floor = bawn_value_get(k, w->floor);
	for (size_t i = 0; i < rules->n; i++) {
		struct bawn_rule_set *set = &rules->item[i];
		const struct bawn_rule_set *base = bawn_rule_find(floor.rules, bawn_span(set->id));
		union bawn_value one = { .rules = { set, 1 } };
		union bawn_value was = { .rules = { (struct bawn_rule_set *)base, base != NULL } };
		set->may_lower = w->floor == NULL || (acknowledge && !w->root_owned) || (base != NULL && base->may_lower);
		if (w->floor != NULL && bawn_value_looser(k, floor, one))
			good = loosening(w, k, bawn_yaml_get(mapping, set->id), "rules", acknowledge, was, one) && good;
	}
	return good;
}

/* The rules of `below` that `above` does not name, and all of `above`; both are used up. */
static bool merge_rules(struct bawn_policy_reader *r, struct bawn_rules *below, struct bawn_rules *above)
{
	struct bawn_rule_set *all = calloc(below->n + above->n + 1, sizeof *all);
	if (all == NULL) {
		r->oom = -ENOMEM;
		return false;
	}
	size_t n = 0, b = 0;
	for (size_t a = 0; a <= above->n; a++) {
		while (b < below->n && (a == above->n || strcmp(below->item[b].id, above->item[a].id) < 0)) {
			all[n++] = below->item[b];
			below->item[b++].id = NULL;
		}
		if (a == above->n)
			break;
		if (b < below->n && strcmp(below->item[b].id, above->item[a].id) == 0)
			b++;
		all[n++] = above->item[a];
	}
	free(above->item);
	*above = (struct bawn_rules){ all, n };
	return true;
}

static void take(const struct walk *w, const struct bawn_key *k, const struct bawn_yaml_node *n, const struct bawn_yaml_node *mapping)
{
	union bawn_value v;
	if (!bawn_value_parse(w->r, k, n, &v))
		return;
	bool good;
	if (k->type == BAWN_VALUE_RULES) {
		union bawn_value below = bawn_value_get(k, w->p);
		good = rules_permitted(w, k, n, &v.rules) && merge_rules(w->r, &below.rules, &v.rules);
	} else {
		good = permitted(w, k, n, mapping, v);
	}
	if (!good) {
		bawn_value_done(k, &v);
		return;
	}
	bawn_value_put_take(k, w->p, v);
	w->p->origin[k - bawn_key] = (struct bawn_policy_origin){ w->path, n->line, n->column };
}

/* The row called `key`, or -1; *out_group says whether it is the beginning of some. */
static int find_key(enum bawn_policy_file file, const char *key, bool *out_group)
{
	size_t n = strlen(key);
	*out_group = false;
	for (size_t i = 0; i < bawn_key_count; i++) {
		if (bawn_key[i].file != file || strncmp(bawn_key[i].key, key, n) != 0)
			continue;
		if (bawn_key[i].key[n] == '\0')
			return (int)i;
		*out_group = *out_group || bawn_key[i].key[n] == '.';
	}
	return -1;
}

/* The names that may stand at one place, without repetition. */
struct siblings { char name[64][40]; size_t n; };

static void gather(struct siblings *s, enum bawn_policy_file file, const char *prefix)
{
	size_t skip = strlen(prefix);
	for (size_t i = 0; i < bawn_key_count && s->n < BAWN_LEN(s->name); i++) {
		if (bawn_key[i].file != file || strncmp(bawn_key[i].key, prefix, skip) != 0)
			continue;
		const char *at = bawn_key[i].key + skip;
		size_t n = strcspn(at, ".");
		if (s->n > 0 && strncmp(s->name[s->n - 1], at, n) == 0 && s->name[s->n - 1][n] == '\0')
			continue;
		snprintf(s->name[s->n++], sizeof *s->name, "%.*s", (int)n, at);
	}
}

static const char *nth_sibling(size_t i, const void *ctx)
{
	const struct siblings *s = ctx;
	return i < s->n ? s->name[i] : NULL;
}

/* A key of that name that stands somewhere else. */
static const char *elsewhere(enum bawn_policy_file file, struct bawn_span name)
{
	for (size_t i = 0; i < bawn_key_count; i++) {
		const char *dot = strrchr(bawn_key[i].key, '.');
		if (bawn_key[i].file == file && dot != NULL && bawn_span_is(name, dot + 1))
			return bawn_key[i].key;
	}
	return NULL;
}

static void unknown_key(const struct walk *w, const struct bawn_yaml_node *key, const char *prefix)
{
	struct siblings s = { .n = 0 };
	gather(&s, w->src->file, prefix);
	const char *near = bawn_nearest(key->text, nth_sibling, &s);
	if (near == NULL)
		near = elsewhere(w->src->file, key->text);
	bawn_auto_buf allowed = BAWN_BUF(4096);
	for (size_t i = 0; i < s.n; i++)
		bawn_buf_fmt(&allowed, "%s%s", i > 0 ? ", " : "", s.name[i]);
	bawn_policy_problem(w->r, key->line, key->column, "", "%s%s: unknown key; allowed: %s%s%s%s", prefix, bawn_shown(key->text).text,
	                    allowed.p != NULL ? allowed.p : "?",
	                    near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
}

static void check_acknowledge(const struct walk *w, const struct bawn_yaml_node *n)
{
	bool good = n->kind == BAWN_YAML_SCALAR && n->plain && (bawn_span_is(n->text, "true") || bawn_span_is(n->text, "false"));
	if (!good)
		bawn_policy_problem(w->r, n->line, n->column, ACKNOWLEDGE, "'%s' is not a bool; allowed: true, false", bawn_shown(n->text).text);
}

/* `prefix` is "" or ends in a dot.  Recursion is bounded by the depth of the schema. */
static void walk_mapping(const struct walk *w, const struct bawn_yaml_node *mapping, const char *prefix)
{
	for (const struct bawn_yaml_node *n = mapping->first; n != NULL && w->r->oom == 0; n = n->next) {
		struct bawn_span name = n->key->text;
		char key[KEY_MAX];
		bool group = false;
		int row = -1;
		if (bawn_span_is(name, ACKNOWLEDGE)) {
			check_acknowledge(w, n);
			continue;
		}
		if (memchr(name.p, '.', name.n) == NULL && strlen(prefix) + name.n + 2 < sizeof key) {
			snprintf(key, sizeof key, "%s%s", prefix, name.p);
			row = find_key(w->src->file, key, &group);
		}
		if (row >= 0) {
			take(w, &bawn_key[row], n, mapping);
		} else if (group && n->kind == BAWN_YAML_MAPPING) {
			key[strlen(prefix) + name.n] = '.';
			key[strlen(prefix) + name.n + 1] = '\0';
			walk_mapping(w, n, key);
		} else if (group && !bawn_yaml_null(n)) {
			bawn_policy_problem(w->r, n->line, n->column, key, "'%s' is not a mapping",
			                    n->kind == BAWN_YAML_SCALAR ? bawn_shown(n->text).text : bawn_yaml_kind_name(n->kind));
		} else if (!group) {
			unknown_key(w, n->key, prefix);
		}
	}
}

static void apply(struct bawn_policy_reader *r, const struct bawn_source *src, struct bawn_policy *p,
                  const struct bawn_policy *floor, bool root_owned)
{
	struct bawn_policy_reader here = *r;
	here.name = src->name;
	struct walk w = { &here, src, p, src->rank == BAWN_RANK_FLOOR ? NULL : floor, root_owned, keep(&p->paths, src->name) };
	if (w.path == NULL)
		here.oom = -ENOMEM;
	else if (src->root->kind == BAWN_YAML_MAPPING)
		walk_mapping(&w, src->root, "");
	else if (!bawn_yaml_null(src->root))
		bawn_policy_problem(&here, src->root->line, src->root->column, "", "the file is %s, not a mapping", bawn_yaml_kind_name(src->root->kind));
	r->n = here.n;
	r->oom = here.oom;
}

/* ---- the whole ---- */

static const struct bawn_key *key_at(size_t offset)
{
	for (size_t i = 0; i < bawn_key_count; i++)
		if (bawn_key[i].offset == offset)
			return &bawn_key[i];
	return NULL;
}

/* No number is above the one that bounds it; the origin goes with the number. */
static void cap(struct bawn_policy *p, size_t offset, size_t bound)
{
	uint64_t *v = (uint64_t *)(void *)((char *)p + offset), *max = (uint64_t *)(void *)((char *)p + bound);
	const struct bawn_key *k = key_at(offset), *by = key_at(bound);
	if (*v <= *max || k == NULL || by == NULL)
		return;
	*v = *max;
	p->origin[k - bawn_key] = p->origin[by - bawn_key];
}

/* `resources` tighter than shipped bounds what a request may ask for as well, unless dynamic.max says
 * its own: who gives ten seconds does not mean three hundred. */
static void follow(struct bawn_policy *p, const struct bawn_trust_base *shipped, size_t at)
{
	size_t offset = offsetof(struct bawn_policy, dynamic_max) + at, bound = offsetof(struct bawn_policy, resources) + at;
	const struct bawn_key *k = key_at(offset), *by = key_at(bound);
	uint64_t *v = (uint64_t *)(void *)((char *)p + offset), base = *(uint64_t *)(void *)((char *)p + bound);
	uint64_t most = base * p->max_factor_milli / 1000, usual = *(const uint64_t *)(const void *)((const char *)shipped + at);
	if (k == NULL || by == NULL || base >= usual || *v <= most || p->origin[k - bawn_key].line != 0)
		return;
	*v = most;
	p->origin[k - bawn_key] = p->origin[by - bawn_key];
}

static void cap_all(struct bawn_policy *p, const struct bawn_trust_base *shipped)
{
	_Static_assert(sizeof(struct bawn_trust_base) % sizeof(uint64_t) == 0, "only numbers");
	for (size_t at = 0; at < sizeof(struct bawn_trust_base); at += sizeof(uint64_t)) {
		follow(p, shipped, at);
		for (int t = 0; t < BAWN_TRUST_COUNT; t++)
			cap(p, offsetof(struct bawn_policy, trust) + (size_t)t * sizeof(struct bawn_trust_base) + at,
			    offsetof(struct bawn_policy, resources) + at);
	}
	cap(p, offsetof(struct bawn_policy, dynamic_max.timeout_ms), offsetof(struct bawn_policy, max_execution_ms));
}

static void check_between(struct bawn_policy_reader *r, const struct bawn_policy *p)
{
	for (size_t c = 0; c < bawn_policy_check_count; c++) {
		const struct bawn_policy_check *check = &bawn_policy_check[c];
		if (check->good(p))
			continue;
		struct bawn_policy_origin at = { bawn_policy_file[check->file], 0, 0 };
		size_t n = strlen(check->key);
		for (size_t i = 0; i < bawn_key_count; i++)
			if (bawn_key[i].file == check->file && strncmp(bawn_key[i].key, check->key, n) == 0 && p->origin[i].path != NULL)
				at = p->origin[i];
		struct bawn_policy_reader here = *r;
		here.name = at.path;
		bawn_policy_problem(&here, at.line, at.column, check->key, "%s", check->message);
		r->n = here.n;
	}
}

static void note_loose(struct bawn_policy_reader *r, struct bawn_policy *p, const struct bawn_key *k, const char *more)
{
	char text[KEY_MAX + 160];
	snprintf(text, sizeof text, "%s: %s%s%s", bawn_policy_file[k->file], k->key, more[0] != '\0' ? "." : "", more);
	if (keep(&p->loosened, text) == NULL)
		r->oom = -ENOMEM;
}

static void note_loose_rules(struct bawn_policy_reader *r, struct bawn_policy *p, const struct bawn_key *k, union bawn_value floor)
{
	for (size_t i = 0; i < p->n_rules; i++) {
		union bawn_value one = { .rules = { &p->rules[i], 1 } };
		bool unnamed = bawn_rule_find(floor.rules, bawn_span(p->rules[i].id)) == NULL;
		if (bawn_value_looser(k, floor, one) || (unnamed && p->rules[i].may_lower && p->rules[i].mode < BAWN_LEVEL_BLOCKED))
			note_loose(r, p, k, p->rules[i].id);
	}
}

/* What in the end is looser than the floor, or than is ever taken for granted. */
static void note_all_loose(struct bawn_policy_reader *r, struct bawn_policy *p, const struct bawn_policy *floor)
{
	for (size_t i = 0; i < bawn_key_count && r->oom == 0; i++) {
		const struct bawn_key *k = &bawn_key[i];
		union bawn_value base = bawn_value_get(k, floor), v = bawn_value_get(k, p), compiled;
		if (k->type == BAWN_VALUE_RULES) {
			note_loose_rules(r, p, k, base);
			continue;
		}
		bool loose = bawn_value_looser(k, base, v);
		if (!loose && k->always && bawn_value_default(r, k, &compiled)) {
			loose = bawn_value_looser(k, compiled, v);
			bawn_value_done(k, &compiled);
		}
		if (loose)
			note_loose(r, p, k, "");
	}
}

int bawn_policy_refuse(const struct bawn_policy_reader *r, struct bawn_err *err)
{
	if (r->oom != 0)
		return bawn_fail(err, r->oom, "read the configuration");
	const char *text = r->errors->text.p != NULL ? r->errors->text.p : "the configuration is wrong";
	size_t n = strcspn(text, "\n");
	if (r->errors->n > 1)
		return bawn_fail_as(err, BAWN_ERROR_CONFIG_INVALID, NULL, "%.*s (and %zu more)", (int)n, text, r->errors->n - 1);
	return bawn_fail_as(err, BAWN_ERROR_CONFIG_INVALID, NULL, "%.*s", (int)n, text);
}

/* The floor is built twice: once to compare with (where its problems are told), once to go on from. */
static struct bawn_policy *build_layers(const struct bawn_sources *s, struct bawn_policy_reader *r, const struct bawn_policy *floor)
{
	auto_policy p = defaults(r);
	struct bawn_trust_base shipped = p != NULL ? p->resources : (struct bawn_trust_base){ 0 };
	for (size_t i = 0; p != NULL && i < s->n && r->oom == 0; i++) {
		bool is_floor = s->s[i].rank == BAWN_RANK_FLOOR;
		if (floor == NULL && !is_floor)
			continue;
		struct bawn_policy_reader here = *r;
		here.mute = floor != NULL && is_floor;
		apply(&here, &s->s[i], p, floor, s->floor_root_owned);
		r->n = here.n;
		r->oom = here.oom;
	}
	if (p != NULL)
		cap_all(p, &shipped);
	return r->oom == 0 ? bawn_steal(p) : NULL;
}

int bawn_policy_build(const struct bawn_sources *s, struct bawn_policy_reader *r, struct bawn_policy **out, struct bawn_err *err)
{
	auto_policy floor = build_layers(s, r, NULL);
	if (floor == NULL)
		return bawn_policy_refuse(r, err);
	auto_policy p = build_layers(s, r, floor);
	if (p != NULL && r->n == 0)
		check_between(r, p);
	if (p != NULL && r->n == 0)
		note_all_loose(r, p, floor);
	if (p == NULL || r->n > 0 || r->oom != 0)
		return bawn_policy_refuse(r, err);
	p->floor_root_owned = s->floor_root_owned;
	p->own = bawn_own_ref(s->own);
	int failed = bawn_policy_hash(p, err);
	if (failed < 0)
		return failed;
	*out = bawn_steal(p);
	return 0;
}

#define ERRORS_MAX (256u << 10)

int bawn_policy_load(const struct bawn_policy_dirs *dirs, struct bawn_policy **out,
                     struct bawn_policy_errors *errors, struct bawn_err *err)
{
	struct bawn_policy_errors local = { .text = BAWN_BUF(ERRORS_MAX) };
	if (errors != NULL && errors->text.max == 0)
		errors->text.max = ERRORS_MAX;
	struct bawn_policy_reader r = { .name = "", .errors = errors != NULL ? errors : &local };
	struct bawn_sources s = { .n = 0 };
	int failed = bawn_sources_read(&s, dirs, NULL, &r, err);
	if (failed == 0)
		failed = bawn_policy_build(&s, &r, out, err);
	bawn_sources_done(&s);
	bawn_policy_errors_done(&local);
	return failed;
}
