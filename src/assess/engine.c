/* engine.c - see engine.h.
 *
 * Invariants: (1) rules decide, code only looks them up: no rule id stands in a C file; (2) a rule
 * switched off still gives its tags, so that muting one finding does not blind the combinations;
 * (3) after the first failure nothing more is matched and the failure is what the caller gets;
 * (4) of several rules that hold for one path only the most severe are reported. */
#include "assess/engine.h"
#include <stdlib.h>
#include "assess/conditions.h"
#include "assess/index.h"
#include "assess/raised.h"
#include "assess/text.h"
#include "base/cleanup.h"
#include "base/clock.h"

#define FOLDED_SHOWN 200u

struct value *bawn_value_new(struct engine *e)
{
	struct value *v = bawn_arena_new(&e->scratch, struct value);
	if (v == NULL && e->error == 0)
		e->error = bawn_fail_as(e->err, BAWN_ERROR_ASSESSMENT_FAILED, NULL, "assess the code: it needs too much memory");
	return v;
}

struct value *bawn_value_text(struct engine *e, struct bawn_span text)
{
	struct value *v = bawn_value_new(e);
	if (v != NULL)
		v->text = text.p != NULL ? text : bawn_span("");
	return v;
}

#define NODE_WORK    64u
#define FACT_WORK    256u
#define PATTERN_WORK 1024u
#define TEXT_WORK    16384u   /* to start a parser and a reader */
#define LOOK_WORK    (1u << 22)  /* between two looks at the clock */

bool bawn_engine_whole(struct engine *e, const struct bawn_buf *b)
{
	if (bawn_buf_error(b) == -ENOMEM && e->error == 0)
		e->error = bawn_fail(e->err, -ENOMEM, "assess the code");
	e->cut = e->cut || bawn_buf_error(b) != 0;
	return bawn_buf_error(b) == 0;
}

struct value *bawn_value_cut(struct engine *e, struct value *v)
{
	struct value *copy = e->cut ? bawn_value_new(e) : NULL;
	e->cut = false;
	if (copy == NULL)
		return v;
	if (v != NULL)
		*copy = *v;
	copy->taint |= BAWN_TAG(CUT);
	return copy;
}

void bawn_engine_reach(struct engine *e, const struct value *v, uint32_t node)
{
	if (v != NULL && (v->taint & BAWN_TAG(CUT)) != 0)
		(void)bawn_engine_event(e, "cut-short", node, NULL);
}

/* There is something left of everything: work, time, room for what is found. */
static bool in_bounds(struct engine *e)
{
	const char *why = NULL;
	uint64_t work = e->spent + e->scratch.asked;
	if (work > e->most.work)
		why = "it takes too much work";
	else if (e->arena->failed)
		why = "there is too much to say about it";
	else if (work >= e->look_at) {
		e->look_at = work + LOOK_WORK;
		if (bawn_monotonic_us() > e->deadline_us)
			why = "it takes too long";
	}
	if (why != NULL)
		e->error = bawn_fail_as(e->err, BAWN_ERROR_ASSESSMENT_FAILED, NULL, "assess the code: %s", why);
	return why == NULL;
}

bool bawn_engine_go_on(struct engine *e)
{
	e->spent += NODE_WORK;
	return e->error == 0 && in_bounds(e);
}

static int mode_of(const struct engine *e, const struct bawn_rule *r)
{
	return e->policy != NULL ? bawn_policy_rule_mode(e->policy, r->id, r->level) : r->level;
}

struct bawn_rule bawn_engine_rule(const struct engine *e, uint16_t number)
{
	if (number < e->rules->n)
		return e->rules->rule[number];
	const struct bawn_own_rule *o = &e->policy->own->rule[number - e->rules->n];
	return (struct bawn_rule){ .id = o->id, .family = "rules.d", .message = o->message, .why = o->why, .fix = o->fix, .cwe = (int16_t)o->cwe,
	                           .language = (int8_t)o->language, .capability = -1, .level = (uint8_t)o->level, .score = bawn_level_score[o->level] };
}

static struct place place_of(const struct engine *e, uint32_t node)
{
	const struct bawn_node *n = &e->tree->node[node];
	return e->depth > 0 ? e->outer : (struct place){ n->start, n->end };
}

int bawn_finding_by_place(const void *a, const void *b)
{
	const struct raw_finding *x = a, *y = b;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->at.start != y->at.start)
		return x->at.start < y->at.start ? -1 : 1;
	return (x->rule > y->rule) - (x->rule < y->rule);
}

int bawn_finding_by_level(const void *a, const void *b)
{
	const struct raw_finding *x = a, *y = b;
	return x->level != y->level ? (x->level < y->level) - (x->level > y->level) : bawn_finding_by_place(a, b);
}

/* The worst are kept: a flood of small findings must not push out a large one. */
static void make_room(struct engine *e)
{
	qsort(e->found, e->n_found, sizeof *e->found, bawn_finding_by_level);
	e->n_dropped += (uint32_t)(e->n_found - FINDINGS_RAW_MAX / 2);
	e->n_found = FINDINGS_RAW_MAX / 2;
}

static bool same_place(const struct raw_finding *a, const struct raw_finding *b)
{
	return a->rule == b->rule && a->file == b->file && a->at.start == b->at.start;
}

static bool already(const struct engine *e, uint16_t rule)
{
	for (size_t i = 0; i < e->n_found; i++)
		if (e->found[i].rule == rule)
			return true;
	return false;
}

static void report_at(struct engine *e, uint16_t rule, uint8_t level, struct place at, uint32_t file, const char *folded)
{
	struct raw_finding f = { .rule = rule, .level = level, .again = e->rereading, .nested = e->depth > 0, .file = file, .at = at };
	for (size_t i = e->n_found; i > 0 && e->n_found - i < 64; i--)  /* repeats stand close to each other */
		if (same_place(&e->found[i - 1], &f)) {
			if (level > e->found[i - 1].level)  /* what was only mentioned turns out to be used */
				e->found[i - 1].level = level;
			return;
		}
	if (e->n_found == FINDINGS_RAW_MAX)
		make_room(e);
	if (e->n_found == e->cap_found) {
		size_t cap = e->cap_found == 0 ? 32 : e->cap_found * 2;
		struct raw_finding *grown = realloc(e->found, cap * sizeof *grown);
		if (grown == NULL) {
			e->error = bawn_fail(e->err, -ENOMEM, "keep findings");
			return;
		}
		e->found = grown;
		e->cap_found = cap;
	}
	if (folded != NULL) {
		size_t n = strlen(folded);
		f.folded = bawn_arena_text(e->arena, (struct bawn_span){ folded, n < FOLDED_SHOWN ? n : FOLDED_SHOWN });
	}
	e->found[e->n_found++] = f;
}

/* What stands in a text inside the text is not to be seen at its place: it is shown. */
static const char *inner_text(struct engine *e, uint32_t node)
{
	struct bawn_span t = bawn_node_text(e->tree, node);
	t.n = t.n < FOLDED_SHOWN ? t.n : FOLDED_SHOWN;
	return bawn_arena_text(&e->scratch, t);
}

void bawn_engine_report(struct engine *e, uint16_t rule, uint8_t level, uint32_t node, const char *folded)
{
	if (folded == NULL && e->depth > 0 && !e->rereading)
		folded = inner_text(e, node);
	report_at(e, rule, level, place_of(e, node), e->file, folded);
}

/* ---- looking rules up ---- */

#define HITS_MAX       64u
#define NAME_BYTES_MAX 256u
struct hits { uint16_t rule[HITS_MAX]; uint32_t n; bool cut; };  /* cut: there were more */

/* Once for each rule is enough, and leaves room for all of them. */
static bool is_pending(const struct engine *e, uint16_t rule)
{
	for (uint32_t i = 0; i < e->n_pending; i++)
		if (e->pending[i].rule == rule)
			return true;
	return false;
}

/* Past the last, what is worse takes the place of what is least. */
static void keep_hit(const struct engine *e, uint16_t rule, struct hits *h)
{
	uint32_t least = 0;
	if (h->n < HITS_MAX) {
		h->rule[h->n++] = rule;
		return;
	}
	h->cut = true;
	for (uint32_t i = 1; i < h->n; i++)
		least = e->rules->rule[h->rule[i]].level < e->rules->rule[h->rule[least]].level ? i : least;
	if (e->rules->rule[rule].level > e->rules->rule[h->rule[least]].level)
		h->rule[least] = rule;
}

static void add_hit(struct engine *e, const struct fact *f, uint16_t rule, struct hits *h)
{
	for (uint32_t i = 0; i < h->n; i++)
		if (h->rule[i] == rule)
			return;
	enum answer a = bawn_rule_holds(e, &e->rules->rule[rule], f);
	if (a == BAWN_YES)
		keep_hit(e, rule, h);
	else if (a == BAWN_LATER && !e->quiet && !is_pending(e, rule) && e->n_pending < PENDING_MAX)
		e->pending[e->n_pending++] = (struct pending){ rule, place_of(e, f->node), e->depth == 0 ? f->folded : NULL };
}

/* A text in two pieces, so that `*.f` and `m.*` need not be written down to be looked up. */
struct pieces { struct bawn_span a, b; };

static int compare_text(const char *key, const struct pieces *t)
{
	int c = strncmp(key, t->a.p, t->a.n);
	if (c == 0)
		c = strncmp(key + t->a.n, t->b.p, t->b.n);
	return c != 0 ? c : key[t->a.n + t->b.n] != '\0';
}

/* `hash` is that of matcher and text. */
static size_t hashed_key(const struct bawn_rule_table *t, uint8_t matcher, const struct pieces *text, uint32_t hash)
{
	uint32_t at = bawn_hash_slot(hash, t->n_slots);
	for (; t->slot[at] != 0; at = (at + 1) & (uint32_t)(t->n_slots - 1)) {
		const size_t k = t->slot[at] - 1u;
		if (t->key[k].matcher == matcher && compare_text(bawn_key_text(t, k), text) == 0)
			return k;
	}
	return t->n_keys;
}

static void exact(struct engine *e, const struct fact *f, struct pieces text, uint32_t hash, struct hits *h)
{
	const struct bawn_rule_table *t = e->rules;
	for (size_t i = hashed_key(t, f->kind, &text, hash); i < t->n_keys && t->key[i].matcher == f->kind &&
	     compare_text(bawn_key_text(t, i), &text) == 0; i++)
		add_hit(e, f, t->key[i].rule, h);
}

static void exact_name(struct engine *e, const struct fact *f, const char *name, struct hits *h)
{
	struct pieces text = { bawn_span(name), bawn_span("") };
	exact(e, f, text, bawn_hash_add(bawn_hash_key(f->kind), name, text.a.n), h);
}

/* The name itself, `*`, `*.f` and `*.m.f`, then `m.*` for each dot. */
static void by_name(struct engine *e, const struct fact *f, struct hits *h)
{
	const struct bawn_span star = { "*", 1 };
	size_t n = strlen(f->name);
	exact_name(e, f, f->name, h);
	exact_name(e, f, "*", h);
	uint32_t hash = bawn_hash_key(f->kind), starred = bawn_hash_add(hash, "*", 1);
	unsigned dots = 0;
	for (size_t i = n; i > 0 && dots < 2; i--)
		if (f->name[i - 1] == '.') {
			struct bawn_span end = { f->name + i - 1, n - i + 1 };
			exact(e, f, (struct pieces){ star, end }, bawn_hash_add(starred, end.p, end.n), h);
			dots++;
		}
	for (size_t i = 0; dots > 0 && i < n && i < NAME_BYTES_MAX; i++) {
		hash = bawn_hash_add(hash, f->name + i, 1);
		if (i > 0 && f->name[i] == '.')
			exact(e, f, (struct pieces){ { f->name, i + 1 }, star }, bawn_hash_add(hash, "*", 1), h);
	}
}

static void try_pattern(struct engine *e, const struct fact *f, size_t key, struct hits *h)
{
	const char *pattern = bawn_key_text(e->rules, key);
	bool path = f->kind == BAWN_MATCH_PATH || f->kind == BAWN_MATCH_REDIRECT;
	struct bawn_span text = bawn_span(f->name);
	e->spent += text.n;
	if (path ? bawn_path_under(pattern, f->name, f->shell) : bawn_glob(pattern, text))
		add_hit(e, f, e->rules->key[key].rule, h);
}

/* The patterns that need this pair first; pair 0 is for those that need none. */
static void patterns_of(struct engine *e, const struct fact *f, uint16_t pair, const struct bawn_pairs *pairs, struct hits *h)
{
	const struct bawn_rule_table *t = e->rules;
	size_t i = bawn_pattern_find(t, f->kind, pair);
	for (; i < t->n_keys && t->key[i].matcher == f->kind && t->key[i].pair[0] == pair; i++)
		if (bawn_pairs_hold(pairs, t->key[i].pair[1]))
			try_pattern(e, f, i, h);
}

/* A path that the shell has still to expand may hold none of the letters it stands for. */
static void every_pattern(struct engine *e, const struct fact *f, struct hits *h)
{
	for (size_t i = 0; i < e->rules->n_keys; i++)
		if (e->rules->key[i].matcher == f->kind)
			try_pattern(e, f, i, h);
}

static void by_pattern(struct engine *e, const struct fact *f, struct hits *h)
{
	struct bawn_span text = bawn_span(f->name);
	struct bawn_pairs pairs;
	e->spent += PATTERN_WORK + text.n;
	if (f->shell && strpbrk(f->name, "?*[") != NULL) {
		every_pattern(e, f, h);
		return;
	}
	bawn_pairs_of(text, &pairs);
	patterns_of(e, f, 0, &pairs, h);
	for (unsigned i = 0; i < BAWN_LEN(pairs.bit); i++)
		for (uint64_t left = pairs.bit[i]; left != 0; left &= left - 1)
			patterns_of(e, f, (uint16_t)(1 + i * 64 + (unsigned)__builtin_ctzll(left)), &pairs, h);
}

/* What was not counted because the policy trusts it: the worst of it, and how many. */
struct silenced { const struct bawn_rule *rule; int mode; unsigned n; };

static void silence(struct silenced *s, const struct bawn_rule *r, int mode)
{
	if (s->n++ == 0 || mode > s->mode) {
		s->rule = r;
		s->mode = mode;
	}
}

static void say_trusted(struct engine *e, const struct fact *f, const struct silenced *s)
{
	char more[32] = "";
	size_t before = e->n_found;
	if (s->n == 0)
		return;
	(void)bawn_engine_event(e, "trusted-pattern", f->node, NULL);
	if (s->n > 1)
		snprintf(more, sizeof more, " and %u more", s->n - 1);
	if (e->n_found > before)
		e->found[e->n_found - 1].message = bawn_arena_fmt(e->arena, "The policy trusts %.100s: not counted: %s (%s)%s",
			f->folded != NULL ? f->folded : f->name, s->rule->id, bawn_word(&bawn_level_words, s->mode), more);
}

static void note_tags(struct engine *e, uint64_t tags, uint32_t node)
{
	uint64_t fresh = tags & ~e->tags;
	e->tags |= tags;
	if (fresh == 0)
		return;
	for (int i = 0; i < BAWN_TAG_COUNT; i++)
		if (fresh >> i & 1)
			e->tag_at[i] = place_of(e, node);
}

/* Every rule that holds gives tags and capability; of those on a path only the worst are reported.
 * A text that is only mentioned, as in the tables of a scanner or the words of a manual, is worth knowing
 * and no more; what it would do counts where it is run, written, asked for or sent. */
static uint64_t apply(struct engine *e, const struct fact *f, const struct hits *h)
{
	bool trusted = f->trusted || bawn_is_trusted(e, f);
	bool worst_only = f->kind == BAWN_MATCH_PATH;
	struct silenced silenced = { .n = 0 };
	uint64_t tags = 0;
	int worst = 0;
	for (uint32_t i = 0; i < h->n; i++) {
		const struct bawn_rule *r = &e->rules->rule[h->rule[i]];
		worst = mode_of(e, r) != BAWN_RULE_OFF && r->level > worst ? r->level : worst;
	}
	for (uint32_t i = 0; i < h->n; i++) {
		const struct bawn_rule *r = &e->rules->rule[h->rule[i]];
		int mode = mode_of(e, r);
		bool idle = f->mention && r->level > BAWN_LEVEL_MEDIUM;
		if (idle && mode == r->level)
			mode = BAWN_LEVEL_MEDIUM;
		tags |= idle ? r->tags & BAWN_TAG(PROBE) : r->tags;
		if (e->quiet)
			continue;
		if (r->capability >= 0)
			e->capabilities |= 1u << r->capability;
		if (mode == BAWN_RULE_OFF || (worst_only && r->level < worst))
			continue;
		if (trusted && mode <= BAWN_LEVEL_MEDIUM)
			silence(&silenced, r, mode);
		else
			bawn_engine_report(e, h->rule[i], (uint8_t)mode, f->node, f->folded);
	}
	e->given |= tags;
	say_trusted(e, f, &silenced);
	if (h->cut && !e->quiet)
		(void)bawn_engine_event(e, "cut-short", f->node, NULL);
	if (tags != 0 && !e->quiet)
		note_tags(e, tags, f->node);
	return tags;
}

/* A call that sends or runs something is told once more under that name. */
static uint64_t consequences(struct engine *e, const struct fact *f, uint64_t tags)
{
	static const struct { uint64_t tags; const char *event; } then[] = {
		{ BAWN_TAG(NET_SEND) | BAWN_TAG(FETCH), "sent" }, { BAWN_TAG(EXEC), "run" },
	};
	uint64_t more = 0;
	if (f->n_args > 0 && (tags & (BAWN_TAG(EXEC) | BAWN_TAG(DYNAMIC) | BAWN_TAG(FETCH))) != 0)
		bawn_engine_reach(e, f->arg[0], f->node);
	for (size_t i = 0; i < BAWN_LEN(then) && (f->n_args > 0 || f->n_keywords > 0); i++) {
		struct hits h = { .n = 0 };
		struct fact again = *f;
		if ((tags & then[i].tags) == 0)
			continue;
		again.kind = BAWN_MATCH_EVENT;
		again.name = then[i].event;
		exact_name(e, &again, again.name, &h);
		more |= apply(e, &again, &h);
	}
	return more;
}

/* An address that is written as nobody writes it is told as it is known, too. */
static void other_address(struct engine *e, const struct fact *f)
{
	struct fact plain = *f;
	plain.name = bawn_text_address(&e->scratch, f->name);
	if (plain.name == NULL)
		return;
	plain.folded = plain.name;
	(void)bawn_engine_fact(e, &plain);
	if (strstr(f->name, "://") != NULL)
		(void)bawn_engine_event(e, "disguised-address", f->node, plain.name);
}

uint64_t bawn_engine_fact(struct engine *e, const struct fact *f)
{
	struct hits h = { .n = 0 };
	if (e->error != 0 || f->name == NULL)
		return 0;
	if (e->quiet && (f->kind == BAWN_MATCH_STRING || f->kind == BAWN_MATCH_IMPORT))
		return 0;  /* they give findings and nothing that flows */
	e->spent += FACT_WORK;
	if (f->kind == BAWN_MATCH_STRING)
		other_address(e, f);
	if (f->kind == BAWN_MATCH_STRING || f->kind == BAWN_MATCH_PATH || f->kind == BAWN_MATCH_REDIRECT)
		by_pattern(e, f, &h);
	else
		by_name(e, f, &h);
	bawn_raise_patterns(e, f);
	bawn_raise_own(e, f);
	uint64_t tags = apply(e, f, &h);
	e->held = h.n;
	return f->kind == BAWN_MATCH_CALL ? tags | consequences(e, f, tags) : tags;
}

uint64_t bawn_engine_told(struct engine *e, const struct fact *f)
{
	struct hits h = { .n = 0 };
	if (e->error != 0)
		return 0;
	exact_name(e, f, f->name, &h);
	return apply(e, f, &h);
}

uint64_t bawn_engine_event(struct engine *e, const char *event, uint32_t node, const char *folded)
{
	struct fact f = { .kind = BAWN_MATCH_EVENT, .name = event, .node = node, .folded = folded };
	return bawn_engine_told(e, &f);
}

void bawn_engine_link(struct engine *e, struct bawn_span target, struct bawn_span name, uint32_t node)
{
	const char *to = bawn_path_normal(&e->scratch, target), *from = bawn_path_normal(&e->scratch, name);
	if (to == NULL || from == NULL || !bawn_path_outside(to))
		return;
	for (uint32_t i = 0; i < e->n_links; i++)
		if (strcmp(e->link[i].name, from) == 0 && strcmp(e->link[i].target, to) == 0)
			return;
	if (e->n_links == LINKS_MAX) {
		(void)bawn_engine_event(e, "cut-short", node, NULL);
		return;
	}
	struct link l = { bawn_arena_text(e->arena, bawn_span(from)), bawn_arena_text(e->arena, bawn_span(to)) };
	if (l.name != NULL && l.target != NULL)
		e->link[e->n_links++] = l;
}

/* Where a path leads by a link, NULL where it does not.  To delete a link leaves the file alone. */
static const char *followed(struct engine *e, const struct link *l, const char *path, enum bawn_access access)
{
	size_t n = strlen(l->name);
	if (strncmp(path, l->name, n) != 0 || (path[n] != '/' && (path[n] != '\0' || access == BAWN_ACCESS_DELETE)))
		return NULL;
	return bawn_arena_fmt(&e->scratch, "%s%s", l->target, path + n + (path[n] == '/' && strcmp(l->target, "/") == 0));
}

static uint64_t use_path(struct engine *e, const char *normal, enum bawn_access access, bool shell, uint32_t node)
{
	struct fact f = { .kind = BAWN_MATCH_PATH, .name = normal, .access = (uint8_t)access, .shell = shell, .node = node, .folded = normal };
	uint64_t tags = bawn_engine_fact(e, &f);
	static const char *const event[] = {
		[BAWN_ACCESS_USE] = NULL, [BAWN_ACCESS_READ] = "read-outside", [BAWN_ACCESS_LIST] = "list-outside",
		[BAWN_ACCESS_WRITE] = "write-outside", [BAWN_ACCESS_DELETE] = "delete-outside", [BAWN_ACCESS_EXECUTE] = NULL, [BAWN_ACCESS_MODE] = "write-outside",
	};
	_Static_assert(BAWN_LEN(event) == BAWN_ACCESS_COUNT, "one row per access");
	if (event[access] == NULL || !bawn_path_outside(normal))
		return tags;
	bool trusted = bawn_is_trusted(e, &f);
	struct fact outside = { .kind = BAWN_MATCH_EVENT, .name = event[access], .node = node, .folded = normal, .trusted = trusted };
	return tags | bawn_engine_told(e, &outside);
}

uint64_t bawn_engine_path(struct engine *e, struct bawn_span path, enum bawn_access access, bool shell, uint32_t node)
{
	const char *normal = bawn_path_normal(&e->scratch, path);
	e->spent += path.n;
	if (normal == NULL && path.n > BAWN_PATH_MAX && access != BAWN_ACCESS_USE)
		(void)bawn_engine_event(e, "cut-short", node, NULL);
	if (normal == NULL)
		return 0;
	uint64_t tags = use_path(e, normal, access, shell, node);
	bool changes = access == BAWN_ACCESS_DELETE || access == BAWN_ACCESS_WRITE || access == BAWN_ACCESS_MODE;
	const char *all = shell && changes ? bawn_path_widest(&e->scratch, normal) : NULL;
	tags |= all != NULL ? use_path(e, all, access, shell, node) : 0;
	const char *behind = bawn_path_behind(normal);
	tags |= behind != NULL ? use_path(e, behind, access, shell, node) : 0;
	for (uint32_t i = 0; i < e->n_links; i++) {
		const char *real = followed(e, &e->link[i], normal, access);
		tags |= real != NULL ? use_path(e, real, access, shell, node) : 0;
	}
	return tags;
}

/* What was missing may have been seen since. */
static void settle_pending(struct engine *e)
{
	for (uint32_t i = 0; i < e->n_pending && e->error == 0; i++) {
		const struct pending *p = &e->pending[i];
		const struct bawn_rule *r = &e->rules->rule[p->rule];
		bool seen = true;
		for (uint32_t k = 0; k < r->n_conds; k++)
			seen = seen && (r->cond[k].what != BAWN_COND_SEEN || (e->tags & r->cond[k].mask) != 0);
		if (!seen)
			continue;
		e->tags |= r->tags;
		if (r->capability >= 0)
			e->capabilities |= 1u << r->capability;
		int mode = mode_of(e, r);
		if (mode != BAWN_RULE_OFF)
			report_at(e, p->rule, (uint8_t)mode, p->at, e->file, p->folded);
	}
	e->n_pending = 0;
}

static bool combination_holds(struct engine *e, const struct bawn_rule *r)
{
	if (r->matcher != BAWN_MATCH_ALL || (e->tags & r->all) != r->all)
		return false;
	struct fact none = { .kind = BAWN_MATCH_ALL, .name = "" };
	return bawn_rule_holds(e, r, &none) == BAWN_YES;
}

/* Combinations give tags, too: all of them are known before any is told. */
static void combine_tags(struct engine *e)
{
	for (size_t i = 0; i < e->rules->n; i++)
		if (combination_holds(e, &e->rules->rule[i]))
			e->tags |= e->rules->rule[i].tags;
}

void bawn_engine_combine(struct engine *e)
{
	settle_pending(e);
	combine_tags(e);
	for (size_t i = 0; i < e->rules->n && e->error == 0; i++) {
		const struct bawn_rule *r = &e->rules->rule[i];
		if (!combination_holds(e, r))
			continue;
		int mode = mode_of(e, r);
		if (r->capability >= 0)
			e->capabilities |= 1u << r->capability;
		if (mode == BAWN_RULE_OFF)
			continue;
		/* It is shown where its last part was first seen. */
		struct place last = { 0 };
		uint32_t file = e->file;
		for (int t = 0; t < BAWN_TAG_COUNT; t++)
			if ((r->all >> t & 1) && e->tag_at[t].start >= last.start) {
				last = e->tag_at[t];
				file = e->across ? e->tag_file[t] : e->file;
			}
		if (!e->across || !already(e, (uint16_t)i))
			report_at(e, (uint16_t)i, (uint8_t)mode, last, file, NULL);
	}
}

/* What is left for values, beside the trees. */
static void share_memory(struct engine *e)
{
	size_t held = e->live + e->arena->total;
	e->scratch.max = held < e->most.bytes ? e->most.bytes - held : 0;
}

static size_t bytes_of(const struct bawn_tree *t)
{
	return t->n * (sizeof *t->node + 2 * sizeof(void *));  /* readers keep up to two pointers for each node */
}

int bawn_engine_open(struct engine *e, int language, struct bawn_span text, struct bawn_tree *out)
{
	size_t held = e->live + e->arena->total + e->scratch.total;
	uint64_t spent = e->spent + e->scratch.asked;
	uint64_t now = bawn_monotonic_us();
	struct bawn_tree_limit left = e->most;
	left.bytes -= held < left.bytes ? held : left.bytes;
	left.work -= spent < left.work ? spent : left.work;
	left.time_us = now < e->deadline_us ? e->deadline_us - now : 0;
	if (e->error == 0 && left.time_us == 0)
		e->error = bawn_fail_as(e->err, BAWN_ERROR_ASSESSMENT_FAILED, NULL, "assess the code: it takes too long");
	if (e->error != 0)
		return e->error;
	e->error = bawn_tree_parse((enum bawn_grammar)language, text, &left, out, e->err);
	if (e->error < 0)
		return e->error;
	e->spent += TEXT_WORK + out->work;
	e->live += bytes_of(out);
	e->tree = out;
	share_memory(e);
	return 0;
}

void bawn_engine_read(struct engine *e)
{
	if (e->tree->grammar == BAWN_GRAMMAR_BASH)
		bawn_read_shell(e);
	else
		bawn_read_script(e);
	if (e->scratch.failed && e->error == 0)  /* something was left out */
		e->error = bawn_fail_as(e->err, BAWN_ERROR_ASSESSMENT_FAILED, NULL, "assess the code: it needs too much memory");
}

void bawn_engine_close(struct engine *e, struct bawn_tree *t)
{
	e->live -= bytes_of(t);
	e->tree = NULL;
	bawn_tree_done(t);
	share_memory(e);
}

void bawn_engine_text(struct engine *e, int language, struct bawn_span text, uint32_t node)
{
	if (e->error != 0 || text.n == 0 || e->quiet)
		return;
	if (e->depth >= NESTING_MAX)
		(void)bawn_engine_event(e, "nested-too-deep", node, NULL);
	else
		(void)bawn_engine_text_at(e, language, text, place_of(e, node));
}

bool bawn_engine_knows_command(const struct engine *e, struct bawn_span name)
{
	struct pieces text = { name, bawn_span("") };
	return hashed_key(e->rules, BAWN_MATCH_COMMAND, &text, bawn_hash_add(bawn_hash_key(BAWN_MATCH_COMMAND), name.p, name.n)) < e->rules->n_keys;
}

int bawn_engine_try(struct engine *e, int language, struct bawn_span text, uint32_t node)
{
	struct engine before = *e;
	int worst = BAWN_LEVEL_LOW;
	if (e->error != 0 || e->depth >= NESTING_MAX)
		return worst;
	e->found = NULL, e->n_found = e->cap_found = 0;  /* apart: those there are may be sorted and cut on the way */
	bool whole = bawn_engine_text_at(e, language, text, place_of(e, node));
	for (size_t i = 0; whole && i < e->n_found; i++)
		worst = e->found[i].level > worst ? e->found[i].level : worst;
	free(e->found);
	e->found = before.found, e->n_found = before.n_found, e->cap_found = before.cap_found, e->n_dropped = before.n_dropped;
	e->tags = before.tags, e->capabilities = before.capabilities, e->given = before.given, e->n_pending = before.n_pending;
	e->outer = before.outer, e->complexity = before.complexity, e->work = before.work, e->parse_ok = before.parse_ok;
	return worst;
}

bool bawn_engine_text_at(struct engine *e, int language, struct bawn_span text, struct place at)
{
	const struct bawn_tree *outer = e->tree;
	struct arena_mark before = bawn_arena_mark(&e->scratch);
	struct bawn_tree tree = { 0 };
	if (bawn_engine_open(e, language, text, &tree) < 0)
		return true;
	bool kept = e->kept, cut = e->cut;
	e->outer = at;  /* of a text inside a text that is where the outermost stands */
	e->kept = e->cut = false;
	e->depth++;
	bawn_engine_read(e);
	bool whole = !tree.errors;
	bawn_engine_close(e, &tree);
	if (!e->kept)
		bawn_arena_back(&e->scratch, before);  /* findings have copies of what they show */
	e->kept = e->kept || kept;
	e->cut = cut;
	e->tree = outer;
	e->depth--;
	return whole;
}
