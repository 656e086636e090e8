/* script.c - reads Python and JavaScript: one walk, children before parents, in the order of the text.
 *
 * Each node's value is known when its last child has been left, so calls see their arguments, names
 * see the assignments above them, and no function here calls itself however deep the text is nested.
 * Files with functions are walked twice: the first time quietly, so that what is assigned or returned
 * further down is known when it counts. */
#include "assess/script.h"
#include <stdlib.h>
#include "assess/fold.h"
#include "assess/index.h"
#include "assess/javascript.h"
#include "assess/modules.h"
#include "assess/text.h"
#include "base/cleanup.h"

#define REPLAY_MAX     3u
#define REPLAY_NODES   200000u
#define UNREAD_MAX     64u       /* bytes given to functions that were not read again */
#define PATTERNS_MAX   16u
#define FUNCTIONS_MAX  32u
#define SMALL_BODY     40u
#define THROWN         "throw()"  /* a name no program can have */
#define SPREAD_CHOICE  4u   /* arguments that ...x may become where x is one of several lists */
#define LONG_NAME_MAX  4096u
#define OUTSIDE        "outside "

static struct arena *scratch(struct script *s) { return &s->e->scratch; }
static const struct bawn_node *node(const struct script *s, uint32_t i) { return &s->t->node[i]; }
static struct bawn_span text_of(const struct script *s, uint32_t i) { return bawn_node_text(s->t, i); }
static uint32_t child(const struct script *s, uint32_t i, enum bawn_role role) { return bawn_node_child(s->t, i, role); }

static uint32_t subtree_end(const struct script *s, uint32_t i)
{
	uint32_t p = i;
	while (p != 0 && node(s, p)->next == 0)
		p = node(s, p)->parent;
	return p == 0 ? (uint32_t)s->t->n : node(s, p)->next;
}

/* A name that is too long goes by its beginning and what the rest comes to. */
static struct bawn_span short_name(struct script *s, struct bawn_span t)
{
	if (t.n <= NAME_MAX_BYTES || t.n > LONG_NAME_MAX)
		return t;
	char *p = bawn_arena_fmt(scratch(s), "%.*s_%08x", (int)NAME_MAX_BYTES / 4, t.p, (unsigned)bawn_hash_add(BAWN_HASH_START, t.p, t.n));
	return p != NULL ? bawn_span(p) : t;
}

static const char *dotted_text(struct script *s, uint32_t i)
{
	struct bawn_span t = node(s, i)->kind == BAWN_K_NAME ? short_name(s, text_of(s, i)) : text_of(s, i);
	return t.n <= NAME_MAX_BYTES ? bawn_fold_name(scratch(s), t) : NULL;
}

/* A member of a class is found through the class, through its objects and, inside it, through this one. */
static void set_member(struct script *s, const char *name, struct value *v)
{
	uint32_t at = child(s, s->class_, BAWN_R_NAME);
	const char *class_ = at != 0 ? dotted_text(s, at) : NULL;
	if (name == NULL || (class_ != NULL && strlen(class_) + strlen(name) > NAME_MAX_BYTES))
		return;
	bawn_scope_set(s, 0, bawn_arena_fmt(scratch(s), "%s%s", s->python ? "self." : "this.", name), v);
	if (s->python)
		bawn_scope_set(s, 0, bawn_arena_fmt(scratch(s), "cls.%s", name), v);
	if (class_ == NULL)
		return;
	bawn_scope_set(s, 0, bawn_arena_fmt(scratch(s), "%s.%s", class_, name), v);
	bawn_scope_set(s, 0, bawn_arena_fmt(scratch(s), "%s().%s", class_, name), v);
}

/* In the body of a class itself, not of one of its functions? */
static bool in_class(const struct script *s) { return s->class_ != 0 && s->scope < s->class_; }

static struct value *unknown(struct script *s, uint64_t taint)
{
	struct value *v = bawn_value_new(s->e);
	if (v != NULL)
		v->taint = taint;
	return v;
}

/* ---- binding ---- */

/* The nearest function around here that binds the name. */
static uint32_t owner_of(struct script *s, const char *name, uint32_t otherwise)
{
	uint32_t scope = s->scope;
	for (unsigned i = 0; i < FUNCTIONS_MAX; i++) {
		if (bawn_scope_get(s, scope, name, strlen(name)) != NULL)
			return scope;
		if (scope == 0)
			break;
		scope = s->outer[scope];
	}
	return otherwise;
}

static void rebind(struct script *s, uint32_t object, struct value *v)
{
	if (v != NULL && (node(s, object)->kind == BAWN_K_NAME || node(s, object)->kind == BAWN_K_ATTRIBUTE)) {
		const char *name = dotted_text(s, object);
		bool plain = node(s, object)->kind == BAWN_K_NAME;
		uint32_t scope = plain && name != NULL ? owner_of(s, name, 0) : 0;
		bawn_scope_set(s, scope, name, v);
	}
}

/* A copy with one item more (at == n_items) or another item there; the old value may still be somebody's. */
static struct value *with_item(struct script *s, const struct value *old, uint32_t at, const char *key, struct value *item)
{
	struct value *v = old->n_items < ITEMS_MAX / 4 && at <= old->n_items ? bawn_value_new(s->e) : NULL;
	struct value **list = v != NULL ? bawn_arena_array(scratch(s), struct value *, old->n_items + 2) : NULL;
	const char **keys = list != NULL && old->is_dict ? bawn_arena_array(scratch(s), const char *, old->n_items + 2) : NULL;
	if (list == NULL || (old->is_dict && keys == NULL))
		return NULL;
	*v = *old;
	if (old->n_items > 0)
		memcpy(list, old->item, old->n_items * sizeof *list);
	if (old->n_items > 0 && keys != NULL)
		memcpy(keys, old->key, old->n_items * sizeof *keys);
	v->item = list, v->key = keys;
	v->item[at] = item;
	if (keys != NULL)
		keys[at] = key;
	v->n_items += at == old->n_items;
	v->taint |= item != NULL ? item->taint : 0;
	return v;
}

/* a[i] = v */
static void bind_item(struct script *s, uint32_t target, struct value *v)
{
	uint32_t object = node(s, target)->child, index = child(s, target, BAWN_R_SUBSCRIPT);
	struct value *container = s->val[object], *key = index != 0 ? s->val[index] : NULL;
	if (container == NULL)
		return;
	container->taint |= v->taint;
	if (container->is_dict && bawn_value_is_text(key)) {
		const char *name = bawn_arena_text(scratch(s), key->text);
		uint32_t at = 0;
		while (name != NULL && at < container->n_items && (container->key[at] == NULL || strcmp(container->key[at], name) != 0))
			at++;
		if (name != NULL)
			rebind(s, object, with_item(s, container, at, name, v));
	} else if (container->is_list && !container->choice && key != NULL && key->has_number && key->number >= 0 && key->number < container->n_items) {
		rebind(s, object, with_item(s, container, (uint32_t)key->number, NULL, v));
	}
}

/* In JavaScript `x = v` without a declaration sets the x of the nearest function that has one. */
static uint32_t assigned_scope(struct script *s, uint32_t target, const char *name)
{
	const struct bawn_node *n = node(s, target);
	uint8_t parent = node(s, n->parent)->kind;
	bool assigned = name != NULL && n->role == BAWN_R_LEFT && (parent == BAWN_K_ASSIGN || parent == BAWN_K_AUGMENT);
	return assigned ? owner_of(s, name, s->scope) : s->scope;
}

/* What is set, by its name: `x.innerHTML`, and in JavaScript also `x['innerHTML']`. */
static const char *set_name(struct script *s, uint32_t target)
{
	uint32_t object = node(s, target)->child, property = child(s, target, BAWN_R_PROPERTY), index = child(s, target, BAWN_R_SUBSCRIPT);
	const struct value *v = object != 0 ? s->val[object] : NULL, *key = index != 0 && !s->python ? s->val[index] : NULL;
	const char *last = property != 0 ? dotted_text(s, property) : bawn_value_is_text(key) ? bawn_arena_text(scratch(s), key->text) : NULL;
	const char *first = v != NULL && v->name != NULL ? v->name : "?";
	if (last == NULL || strlen(first) + strlen(last) >= NAME_MAX_BYTES)
		return NULL;
	const char *name = bawn_script_canonical(s, bawn_arena_fmt(scratch(s), "%s.%s", first, last));
	return name != NULL && !s->python ? bawn_js_name(name) : name;
}

/* Setting a property is a call of its own: `x.innerHTML = y` is told as "x.innerHTML=". */
static void tell_setting(struct script *s, uint32_t target, struct value *v)
{
	const char *name = set_name(s, target);
	struct fact f = { .kind = BAWN_MATCH_CALL, .arg = &v, .n_args = 1, .taint = v != NULL ? v->taint : 0, .node = target,
	                  .name = name != NULL ? bawn_arena_fmt(scratch(s), "%s=", name) : NULL };
	(void)bawn_engine_fact(s->e, &f);
}

/* `global x`, `nonlocal x` */
static void read_outside(struct script *s, uint32_t i)
{
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next) {
		const char *name = node(s, c)->kind == BAWN_K_NAME ? dotted_text(s, c) : NULL;
		if (name == NULL)
			continue;
		bawn_scope_set(s, s->scope, bawn_arena_fmt(scratch(s), "%s%s", OUTSIDE, name), bawn_script_named(s, "True", false));
		s->outside = true;
	}
}

/* In Python a name belongs to the function that binds it, unless the function says otherwise. */
static uint32_t python_scope(struct script *s, const char *name)
{
	const char *key = s->outside && s->scope != 0 && name != NULL ? bawn_arena_fmt(scratch(s), "%s%s", OUTSIDE, name) : NULL;
	if (key == NULL || bawn_scope_get(s, s->scope, key, strlen(key)) == NULL)
		return s->scope;
	uint32_t here = s->scope;
	s->scope = s->outer[here];
	uint32_t owner = owner_of(s, name, 0);
	s->scope = here;
	return owner;
}

static void bind_one(struct script *s, uint32_t target, struct value *v)
{
	const struct bawn_node *n = node(s, target);
	if (n->kind == BAWN_K_NAME) {
		const char *name = dotted_text(s, target);
		uint32_t scope = s->python ? python_scope(s, name) : assigned_scope(s, target, name);
		bawn_scope_set(s, scope, name, scope == s->scope ? v : bawn_value_either(s, bawn_scope_get(s, scope, name, strlen(name)), v));
		if (in_class(s))
			set_member(s, name, v);
		if (s->scope != 0 && name != NULL && bawn_scope_get(s, 0, name, strlen(name)) == NULL)
			bawn_scope_set(s, 0, name, v);  /* `global` may have said so */
	} else if (n->kind == BAWN_K_ATTRIBUTE) {
		tell_setting(s, target, v);
		bawn_scope_set(s, 0, dotted_text(s, target), v);
	} else if (n->kind == BAWN_K_SUBSCRIPT && v != NULL) {
		if (!s->python)
			tell_setting(s, target, v);
		bind_item(s, target, v);
	}
}

static struct value *part_of(struct script *s, struct value *whole, uint32_t at)
{
	const struct value *one = bawn_fold_sole(whole);
	if (one != NULL && one->is_list && !one->choice && at < one->n_items) {
		struct value *part = one->item[at], *copy = part != NULL && (whole->taint & ~part->taint) != 0 && one != whole ? bawn_value_new(s->e) : NULL;
		if (copy == NULL)
			return part;
		*copy = *part;
		copy->taint |= whole->taint;
		return copy;
	}
	struct value *any = whole != NULL && whole->choice && !s->python ? bawn_fold_each_item(s, whole, at, NULL) : NULL;
	return any != NULL ? any : unknown(s, whole != NULL ? whole->taint : 0);
}

/* ...name: what is left of the list, or of any of several lists. */
static struct value *rest_of(struct script *s, struct value *whole, uint32_t at)
{
	static bool has[3] = { true, false, false };
	const int64_t from[3] = { at, 0, 0 };
	struct value *v = NULL;
	if (whole == NULL || !whole->choice)
		v = bawn_fold_slice(s, whole, has, from);
	for (uint32_t i = whole != NULL && whole->choice ? whole->n_items : 0; i > 0; i--) {
		struct value *part = bawn_fold_slice(s, whole->item[i - 1], has, from);
		v = part != NULL ? bawn_value_either(s, v, part) : v;
	}
	return v != NULL ? v : unknown(s, whole != NULL ? whole->taint : 0);
}

static bool is_rest(const struct script *s, uint32_t c) { return !s->python && bawn_span_starts(text_of(s, c), "..."); }

/* The name in `name = default`, `...name` and `key: name`. */
static uint32_t inner_target(const struct script *s, uint32_t c)
{
	if (node(s, c)->kind == BAWN_K_PAIR)
		c = child(s, c, BAWN_R_VALUE);
	bool wrapped = c != 0 && (node(s, c)->kind == BAWN_K_PARAMETER || node(s, c)->kind == BAWN_K_OTHER);
	return wrapped && node(s, c)->child != 0 ? node(s, c)->child : c;
}

static const char *pattern_key(struct script *s, uint32_t c)
{
	uint32_t key = node(s, c)->kind == BAWN_K_PAIR ? child(s, c, BAWN_R_KEY) : inner_target(s, c);
	const struct value *v = key != 0 ? s->val[key] : NULL;
	return bawn_value_is_text(v) ? bawn_arena_text(scratch(s), v->text) : key != 0 ? dotted_text(s, key) : NULL;
}

/* `a, b = x`, `{a, b: {c}} = x`, `[a, [b]] = x`. */
static void bind(struct script *s, uint32_t target, struct value *v)
{
	struct { uint32_t at; struct value *v; } todo[PATTERNS_MAX] = { { target, v } };
	for (size_t n_todo = 1; n_todo > 0; ) {
		uint32_t i = todo[--n_todo].at, at = 0;
		struct value *whole = todo[n_todo].v;
		const struct bawn_node *n = node(s, i);
		bool same = n->kind == BAWN_K_AS_TARGET || n->kind == BAWN_K_PAREN;
		if (n->kind != BAWN_K_PATTERN && n->kind != BAWN_K_LIST && !same) {
			bind_one(s, i, whole);
			continue;
		}
		bool object = s->t->text.n > n->start && s->t->text.p[n->start] == '{';
		for (uint32_t c = n->child; c != 0 && n_todo < PATTERNS_MAX; c = node(s, c)->next, at++) {
			uint32_t to = same ? c : inner_target(s, c);
			struct value *part = same ? whole : object ? bawn_script_attribute(s, whole, pattern_key(s, c)) : is_rest(s, c) ? rest_of(s, whole, at) : part_of(s, whole, at);
			if (to == 0)
				continue;
			if (node(s, to)->kind == BAWN_K_PATTERN || node(s, to)->kind == BAWN_K_LIST || node(s, to)->kind == BAWN_K_PAREN) {
				todo[n_todo].at = to;
				todo[n_todo++].v = part;
			} else {
				bind_one(s, to, part);
			}
		}
	}
}

/* The variable of a loop or handler: there may be nothing to bind it to, and then it still is what it was. */
static void bind_perhaps(struct script *s, uint32_t target, struct value *v)
{
	const char *name = node(s, target)->kind == BAWN_K_NAME ? dotted_text(s, target) : NULL;
	struct value *old = name != NULL ? bawn_scope_get(s, s->scope, name, strlen(name)) : NULL;
	bind(s, target, old != NULL && old->imported ? bawn_value_either(s, old, v) : v);
}

/* The items of a list that may be one of several. */
static struct value *all_items(struct script *s, const struct value *v)
{
	struct value *all = NULL;
	for (uint32_t i = 0; v->choice && !v->is_list && i < v->n_items; i++)
		if (v->item[i] != NULL && v->item[i]->is_list && !v->item[i]->choice)
			all = all == NULL ? v->item[i] : bawn_fold_binary(s, '+', all, v->item[i]);
	return all;
}

static struct value *element_of(struct script *s, struct value *v)
{
	struct value *several = v != NULL ? all_items(s, v) : NULL;
	uint64_t taint = v != NULL ? v->taint : 0;
	v = several != NULL ? several : v;
	if (v == NULL || !v->is_list || v->n_items == 0)
		return unknown(s, v != NULL ? v->taint : 0);
	struct value *one = bawn_value_new(s->e);
	if (one == NULL)
		return NULL;
	*one = *v;
	one->taint |= taint;
	one->choice = true;
	one->name = v->item[0] != NULL ? v->item[0]->name : NULL;
	for (uint32_t i = 0; i < v->n_items; i++)
		one->taint |= v->item[i] != NULL ? v->item[i]->taint : 0;
	return one;
}

/* ---- literals ---- */

/* A letter before the quotes of a Python text: r, b, f. */
static bool has_prefix(struct bawn_span start, char letter)
{
	for (size_t i = 0; i < start.n && start.p[i] != '"' && start.p[i] != '\''; i++)
		if ((start.p[i] | 0x20) == letter)
			return true;
	return false;
}

/* {x}, {x!r}, {x:>8}, ${x} */
static struct value *inserted(struct script *s, uint32_t i)
{
	uint32_t first = node(s, i)->child;
	struct value *v = first != 0 ? s->val[first] : NULL;
	uint32_t from = first != 0 ? node(s, first)->end : 0;
	if (s->python && v != NULL && node(s, i)->end > from + 1)
		v = bawn_fold_inserted(s, v, (struct bawn_span){ s->t->text.p + from, node(s, i)->end - 1 - from });
	return v != NULL ? v : unknown(s, 0);
}

/* The grammar gives r'\\' no parts at all. */
static struct bawn_span between_quotes(const struct script *s, uint32_t i)
{
	uint32_t c = node(s, i)->child;
	struct bawn_span start = c != 0 && node(s, c)->kind == BAWN_K_STRING_START ? text_of(s, c) : bawn_span(""), all = text_of(s, i);
	size_t quotes = 0;
	while (quotes < start.n && (start.p[start.n - 1 - quotes] == '"' || start.p[start.n - 1 - quotes] == '\''))
		quotes++;
	return quotes > 0 && all.n >= start.n + quotes ? (struct bawn_span){ all.p + start.n, all.n - start.n - quotes } : bawn_span("");
}

/* Is most of the text written as numbers of letters that could have been written themselves? */
static bool spelled_out(struct bawn_span t)
{
	size_t n = 0;
	for (size_t i = 0; i + 3 < t.n; i++)
		if (t.p[i] == '\\' && t.p[i + 1] == 'x' && t.p[i + 2] >= '2' && t.p[i + 2] <= '7') {
			n++;
			i += 3;
		}
	return n >= 8 && n * 8 >= t.n;
}

struct value *bawn_script_literal(struct script *s, uint32_t i)
{
	struct value *v = NULL;
	bool raw = false, inserts = false, pieces = s->python && spelled_out(text_of(s, i));
	enum bawn_escapes how = s->python ? BAWN_ESCAPES_PYTHON : BAWN_ESCAPES_JAVASCRIPT;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next) {
		struct value *part = NULL;
		switch (node(s, c)->kind) {
		case BAWN_K_STRING_START:
			raw = has_prefix(text_of(s, c), 'r');
			how = has_prefix(text_of(s, c), 'b') ? BAWN_ESCAPES_BYTES : how;
			continue;
		case BAWN_K_PART: case BAWN_K_ESCAPE: {
			struct bawn_span t = text_of(s, c);
			part = bawn_value_text(s->e, raw ? t : bawn_unescape(scratch(s), t, how));
			break;
		}
		case BAWN_K_INSERT:
			if (v == NULL)
				v = bawn_value_text(s->e, bawn_span(""));
			part = inserted(s, c);
			inserts = true;
			pieces = pieces || (part != NULL && (part->taint & BAWN_TAG(BUILT)) != 0) || node(s, c)->child == 0 || node(s, node(s, c)->child)->kind != BAWN_K_NAME;
			break;
		default: continue;
		}
		v = v == NULL ? part : bawn_fold_concat(s, v, part);
	}
	v = v != NULL ? v : bawn_value_text(s->e, between_quotes(s, i));
	if (v == NULL)
		return NULL;
	v->bytes = how == BAWN_ESCAPES_BYTES;
	if (pieces && !inserts)
		v->taint |= BAWN_TAG(BUILT);
	else if (inserts && !pieces && s->python && !v->partial)
		v->taint &= ~BAWN_TAG(BUILT);  /* a template that holds the values of names hides nothing */
	return v;
}

struct value *bawn_script_integer(struct script *s, uint32_t i)
{
	struct bawn_span t = text_of(s, i);
	int base = 10;
	size_t at = 0;
	if (t.n > 2 && t.p[0] == '0' && ((t.p[1] | 0x20) == 'x' || (t.p[1] | 0x20) == 'o' || (t.p[1] | 0x20) == 'b')) {
		base = (t.p[1] | 0x20) == 'x' ? 16 : (t.p[1] | 0x20) == 'o' ? 8 : 2;
		at = 2;
	}
	int64_t v = 0;
	bool large = false;
	for (; at < t.n; at++) {
		int d = t.p[at] >= '0' && t.p[at] <= '9' ? t.p[at] - '0' : (t.p[at] | 0x20) >= 'a' && (t.p[at] | 0x20) <= 'f' ? (t.p[at] | 0x20) - 'a' + 10 : 99;
		if (t.p[at] == '_')
			continue;
		if (d >= base)
			return NULL;
		large = large || __builtin_mul_overflow(v, (int64_t)base, &v) || __builtin_add_overflow(v, (int64_t)d, &v);
	}
	struct value *out = bawn_value_new(s->e);
	if (out != NULL)
		out->number = large ? INT64_MAX : v, out->has_number = true, out->self = large ? bawn_fold_large(s, t) : NULL;
	return out;
}

/* {f() {...}} is a function; {get f() {...}} is what the function gives. */
static struct value *method_value(struct script *s, uint32_t i)
{
	if (bawn_span_starts(text_of(s, i), "get "))
		return bawn_scope_get(s, i, "()", 2);
	struct value *v = bawn_value_new(s->e);
	if (v != NULL)
		v->function = i;
	return v;
}

static struct value *collection(struct script *s, uint32_t i, bool dict)
{
	uint32_t n = 0;
	for (uint32_t c = node(s, i)->child; c != 0 && n < ITEMS_MAX; c = node(s, c)->next)
		n++;
	struct value *v = bawn_value_new(s->e);
	if (v == NULL)
		return NULL;
	v->item = bawn_arena_array(scratch(s), struct value *, n + 1);
	v->key = dict ? bawn_arena_array(scratch(s), const char *, n + 1) : NULL;
	if (v->item == NULL || (dict && v->key == NULL))
		return NULL;
	v->is_list = !dict, v->is_dict = dict;
	for (uint32_t c = node(s, i)->child; c != 0 && v->n_items < ITEMS_MAX; c = node(s, c)->next) {
		if (node(s, c)->kind == BAWN_K_COMMENT || node(s, c)->kind == BAWN_K_OPERATOR)
			continue;
		struct value *item = s->val[c];
		if (node(s, c)->kind == BAWN_K_SPLAT && !dict) {
			struct value *in = bawn_fold_items(s, item);
			for (uint32_t k = 0; in != NULL && k < in->n_items && v != NULL; k++)
				v = bawn_fold_append(s, v, in->item[k]);
			if (v == NULL)
				return NULL;
			v->partial = v->partial || in == NULL;
			continue;
		}
		if (dict && node(s, c)->kind == BAWN_K_PAIR) {
			uint32_t k = child(s, c, BAWN_R_KEY), at = child(s, c, BAWN_R_VALUE);
			struct value *key = k != 0 ? s->val[k] : NULL;
			v->key[v->n_items] = bawn_value_is_text(key) || (key != NULL && key->has_number) ? bawn_fold_key(s, key)
			                   : k != 0 && node(s, k)->kind == BAWN_K_NAME && !s->python ? dotted_text(s, k) : NULL;
			item = at != 0 ? s->val[at] : NULL;
		} else if (dict && node(s, c)->kind == BAWN_K_NAME) {
			v->key[v->n_items] = dotted_text(s, c);
		} else if (dict && node(s, c)->kind == BAWN_K_FUNCTION) {
			v->key[v->n_items] = child(s, c, BAWN_R_NAME) != 0 ? dotted_text(s, child(s, c, BAWN_R_NAME)) : NULL;
			item = method_value(s, c);
		}
		if (v->store != NULL) {
			v = bawn_fold_append(s, v, item);
			if (v == NULL)
				return NULL;
			continue;
		}
		v->taint |= item != NULL ? item->taint : 0;
		v->item[v->n_items++] = item;
	}
	return v;
}

/* ---- facts ---- */

static void name_fact(struct script *s, uint32_t i, struct value *v, bool called)
{
	struct fact f = { .kind = BAWN_MATCH_NAME, .name = v->name, .node = i };
	struct bawn_span written = text_of(s, i);
	f.folded = bawn_span_is(written, v->name) ? NULL : v->name;
	v->taint |= bawn_engine_fact(s->e, &f) & FLOWS;
	if (called)
		return;
	f.kind = BAWN_MATCH_CALL;  /* handed on as a value, somebody else will call it */
	(void)bawn_engine_fact(s->e, &f);
}

/* Is this name read here, and not defined, bound or only part of something? */
static bool is_use(const struct script *s, uint32_t i)
{
	const struct bawn_node *n = node(s, i), *p = node(s, n->parent);
	switch (p->kind) {
	case BAWN_K_ATTRIBUTE: return n->role == BAWN_R_OBJECT;
	case BAWN_K_KEYWORD: case BAWN_K_PARAMETER: return n->role == BAWN_R_VALUE || n->role == BAWN_R_RIGHT;
	case BAWN_K_FUNCTION: case BAWN_K_CLASS: case BAWN_K_PARAMETERS: case BAWN_K_ALIASED: case BAWN_K_DOTTED: case BAWN_K_AS_TARGET:
	case BAWN_K_IMPORT: case BAWN_K_IMPORT_FROM: case BAWN_K_PATTERN: case BAWN_K_NAMESPACE: return false;
	case BAWN_K_ASSIGN: case BAWN_K_WALRUS: case BAWN_K_FOR: case BAWN_K_FOR_IN:
		return n->role != BAWN_R_LEFT && n->role != BAWN_R_NAME;
	case BAWN_K_LAMBDA: return n->role != BAWN_R_PARAMETERS && n->role != BAWN_R_NAME;
	case BAWN_K_PAIR: return n->role != BAWN_R_KEY || s->python;
	default: return true;
	}
}

static bool called(const struct script *s, uint32_t i)
{
	const struct bawn_node *n = node(s, i), *p = node(s, n->parent);
	return (p->kind == BAWN_K_CALL || p->kind == BAWN_K_NEW) && n->role == BAWN_R_FUNCTION;
}

static struct value *read_name(struct script *s, uint32_t i)
{
	struct bawn_span t = short_name(s, text_of(s, i));
	if (!is_use(s, i))
		return NULL;
	const char *folded = t.p;
	size_t n = t.n;
	for (size_t k = 0; k < t.n; k++)
		if ((unsigned char)t.p[k] >= 0x80 || t.p[k] == '\\') {
			folded = bawn_fold_name(scratch(s), t);
			n = folded != NULL ? strlen(folded) : 0;
			break;
		}
	struct value *v = n > 0 ? bawn_script_lookup(s, folded, n) : NULL;
	/* A variable of the code's own may be called as it likes; one that was never bound here is somebody else's. */
	bool own = v == NULL || v->name == NULL || (!v->imported && strncmp(v->name, folded, n) != 0);
	if (folded != t.p && (n != t.n || memcmp(folded, t.p, n) != 0) && !own)
		(void)bawn_engine_event(s->e, "disguised-name", i, folded);
	if (v != NULL && v->name != NULL && node(s, node(s, i)->parent)->kind != BAWN_K_ATTRIBUTE)
		name_fact(s, i, v, called(s, i) || v->function != 0);
	else if (v != NULL && v->name != NULL && v->name[0] == '_')
		name_fact(s, i, v, true);
	return v;
}

static struct value *read_attribute(struct script *s, uint32_t i)
{
	uint32_t object = child(s, i, BAWN_R_OBJECT), property = child(s, i, BAWN_R_PROPERTY);
	if (object == 0 || property == 0)
		return NULL;
	/* `self.x` was bound by its spelling. */
	const char *spelled = node(s, object)->kind == BAWN_K_NAME ? dotted_text(s, i) : NULL;
	struct value *own = spelled != NULL && s->cap_bind > 0 ? bawn_scope_get(s, 0, spelled, strlen(spelled)) : NULL;
	const char *name = dotted_text(s, property);
	struct value *v = own != NULL ? own : name != NULL ? bawn_fold_member(s, s->val[object], name) : NULL;
	v = v != NULL ? v : bawn_script_attribute(s, s->val[object], name);
	bool target = !is_use(s, i);
	if (v != NULL && v->name != NULL && !target)
		name_fact(s, i, v, called(s, i) || own != NULL || node(s, node(s, i)->parent)->kind == BAWN_K_ATTRIBUTE);
	return v;
}

/* ---- calls ---- */

static void add_argument(struct script *s, struct call *c, uint32_t i, uint32_t room)
{
	const struct bawn_node *n = node(s, i);
	struct value *v = s->val[i];
	if (n->kind == BAWN_K_COMMENT)
		return;
	if (n->kind == BAWN_K_KEYWORD) {
		uint32_t name = child(s, i, BAWN_R_NAME), at = child(s, i, BAWN_R_VALUE);
		v = at != 0 ? s->val[at] : NULL;
		c->keyword[c->n_keywords++] = (struct keyword){ name != 0 ? dotted_text(s, name) : NULL, v };
	} else if (n->kind == BAWN_K_SPLAT && v != NULL && v->is_list) {
		for (uint32_t k = 0; k < v->n_items && c->n_args < room; k++)
			c->arg[c->n_args++] = v->item[k];
	} else if (n->kind == BAWN_K_SPLAT && v != NULL && v->choice && !s->python) {
		struct value *part = bawn_fold_each_item(s, v, 0, NULL);
		for (uint32_t k = 1; part != NULL && c->n_args < room; part = bawn_fold_each_item(s, v, k++, NULL))
			c->arg[c->n_args++] = part;
	} else if (c->n_args < room) {
		c->arg[c->n_args++] = v;
	}
	c->taint |= v != NULL ? v->taint : 0;
}

static bool gather(struct script *s, uint32_t i, struct call *c)
{
	uint32_t args = child(s, i, BAWN_R_ARGUMENTS), n = 0;
	for (uint32_t k = args != 0 ? node(s, args)->child : 0; k != 0; k = node(s, k)->next)
		n += 1 + (node(s, k)->kind == BAWN_K_SPLAT && s->val[k] != NULL ? s->val[k]->n_items + SPREAD_CHOICE : 0);
	n = n < ITEMS_MAX ? n : ITEMS_MAX;
	c->arg = bawn_arena_array(scratch(s), struct value *, n + 2);
	c->keyword = bawn_arena_array(scratch(s), struct keyword, n + 2);
	if (c->arg == NULL || c->keyword == NULL)
		return false;
	if (args != 0 && node(s, args)->kind != BAWN_K_ARGUMENTS)  /* f(x for x in y), or a tagged template */
		add_argument(s, c, args, n + 1);
	else
		for (uint32_t k = args != 0 ? node(s, args)->child : 0; k != 0; k = node(s, k)->next)
			if (c->n_keywords < n + 1)
				add_argument(s, c, k, n + 1);
	/* An options object counts as keywords too. */
	const struct value *last = NULL;
	for (uint32_t k = c->n_args; k > 0 && last == NULL; k--)
		last = c->arg[k - 1] != NULL && c->arg[k - 1]->is_dict ? c->arg[k - 1] : NULL;
	if (!s->python && last != NULL && last->n_items > 0) {
		struct keyword *kw = bawn_arena_array(scratch(s), struct keyword, last->n_items);
		for (uint32_t k = 0; kw != NULL && k < last->n_items; k++)
			kw[k] = (struct keyword){ last->key[k], last->item[k] };
		if (kw != NULL)
			c->keyword = kw, c->n_keywords = last->n_items;
	}
	return true;
}

static uint32_t parameter_name(const struct script *s, uint32_t p)
{
	uint32_t name = node(s, p)->kind == BAWN_K_PARAMETER && node(s, p)->child != 0 ? node(s, p)->child : p;
	return node(s, name)->kind == BAWN_K_NAME ? name : 0;
}

static struct value *given(const struct call *c, uint32_t at, const char *name)
{
	for (uint32_t i = 0; i < c->n_keywords; i++)
		if (c->keyword[i].name != NULL && strcmp(c->keyword[i].name, name) == 0)
			return c->keyword[i].value;
	return at < c->n_args ? c->arg[at] : NULL;
}

static void bind_in(struct script *s, uint32_t scope, uint32_t target, struct value *v)
{
	uint32_t saved = s->scope;
	s->scope = scope;
	bind(s, target, v);
	s->scope = saved;
}

/* A parameter before the first call that says what it is. */
static bool not_told_yet(const struct value *v)
{
	return v != NULL && v->taint == BAWN_TAG(INPUT) && v->name == NULL && v->text.p == NULL && !v->has_number && v->n_items == 0 && v->function == 0;
}

static struct value *told(struct script *s, const struct value *v)
{
	struct value *copy = bawn_value_new(s->e);
	if (copy != NULL) {
		*copy = *v;
		copy->taint |= BAWN_TAG(INPUT);  /* others may call it, too */
	}
	return copy;
}

/* ([a, b]) => ...: taken apart is whatever any call gave. */
static void bind_pattern(struct script *s, uint32_t function, uint32_t p, uint32_t at, struct value *now, bool exact)
{
	const char *whole = exact ? NULL : bawn_arena_fmt(scratch(s), "%u()", at);  /* a name no program can have */
	struct value *before = whole != NULL ? bawn_scope_get(s, function, whole, strlen(whole)) : NULL;
	struct value *v = before != NULL ? bawn_value_either(s, before, now) : now;
	if (whole != NULL)
		bawn_scope_set(s, function, whole, v);
	bind_in(s, function, inner_target(s, p), v);
}

static struct value *rest_of_arguments(struct script *s, const struct call *c, uint32_t at)
{
	struct value *v = at < c->n_args ? bawn_fold_list(s, c->n_args - at, 0) : NULL;
	for (uint32_t i = at; v != NULL && i < c->n_args; i++) {
		v->item[i - at] = c->arg[i];
		v->taint |= c->arg[i] != NULL ? c->arg[i]->taint : 0;
	}
	return v;
}

/* What the parameters of `function` stand for; `exact`: in this call, else in any that was seen. */
static void bind_parameters(struct script *s, uint32_t function, const struct call *c, bool exact)
{
	uint32_t list = child(s, function, BAWN_R_PARAMETERS), at = 0;
	bool single = list != 0 && node(s, list)->kind == BAWN_K_NAME;
	for (uint32_t p = list == 0 ? 0 : single ? list : node(s, list)->child; p != 0; p = single ? 0 : node(s, p)->next) {
		uint32_t name = parameter_name(s, p);
		if (name == 0 && !s->python && at < c->n_args && c->arg[at] != NULL)
			bind_pattern(s, function, p, at, c->arg[at], exact);
		at += name == 0 && !s->python && node(s, p)->kind != BAWN_K_COMMENT;
		const char *t = name != 0 ? dotted_text(s, name) : NULL;
		if (t == NULL || (at == 0 && s->python && (strcmp(t, "self") == 0 || strcmp(t, "cls") == 0)))
			continue;
		struct value *before = bawn_scope_get(s, function, t, strlen(t)), *now = is_rest(s, p) ? rest_of_arguments(s, c, at) : given(c, at, t);
		uint32_t otherwise = child(s, p, BAWN_R_VALUE) != 0 ? child(s, p, BAWN_R_VALUE) : child(s, p, BAWN_R_RIGHT);
		if (now == NULL && otherwise != 0)
			now = s->val[otherwise];
		if (now == NULL)
			now = before == NULL || exact ? unknown(s, BAWN_TAG(INPUT)) : before;
		bawn_scope_set(s, function, t, exact ? now : not_told_yet(before) ? told(s, now) : bawn_value_either(s, before, now));
		at++;
	}
}

void bawn_script_hand(struct script *s, uint32_t function, struct value **arg, uint32_t n)
{
	struct call c = { .arg = arg, .n_args = n };
	bind_parameters(s, function, &c, false);
}

/* Functions that put texts together are read again for each call whose arguments are known. */
static bool worth_replaying(const struct script *s, const struct call *c)
{
	bool known = false;
	for (uint32_t i = 0; i < c->n_args; i++)
		known = known || (c->arg[i] != NULL && ((bawn_value_is_text(c->arg[i]) && !c->arg[i]->partial) || c->arg[i]->n_items > 0 || c->arg[i]->has_number));
	uint32_t f = c->function->function, body = child(s, f, BAWN_R_BODY);
	bool small = body != 0 && subtree_end(s, body) - body <= SMALL_BODY;
	return (s->builds[f] || small) && (known || c->n_args == 0);
}

/* What a function of the program itself gives back. */
static struct value *local_call(struct script *s, struct call *c)
{
	struct value *exact = worth_replaying(s, c) ? bawn_script_replay(s, c->function->function, c) : NULL;
	s->builds[s->scope] = s->builds[s->scope] || s->builds[c->function->function];
	bind_parameters(s, c->function->function, c, false);
	struct value *result = exact != NULL ? exact : bawn_scope_get(s, c->function->function, "()", 2);
	struct value *v = result != NULL ? bawn_value_new(s->e) : NULL;
	if (v != NULL)
		*v = *result;
	return v;
}

/* Tells the call, and what it does to the world.  Returns the tags of what it gives back. */
static uint64_t tell_call(struct script *s, const struct call *c)
{
	uint32_t f = child(s, c->node, BAWN_R_FUNCTION);
	struct fact fact = { .kind = BAWN_MATCH_CALL, .name = c->name, .arg = c->arg, .n_args = c->n_args, .keyword = c->keyword,
	                     .n_keywords = c->n_keywords, .taint = c->taint, .node = c->node };
	if (c->name != NULL && !bawn_span_is(f != 0 ? text_of(s, f) : bawn_span(""), c->name))
		fact.folded = c->name;
	uint64_t tags = c->name != NULL ? bawn_engine_fact(s->e, &fact) : 0;
	if (c->name == NULL && c->function != NULL && (c->function->taint & (BAWN_TAG(DECODE) | BAWN_TAG(OBFUSCATED))) != 0)
		(void)bawn_engine_event(s->e, "unknown-call", c->node, NULL);
	bool told = c->name != NULL && s->e->held > 0;
	return (tags | bawn_call_effects(s, c, told)) & FLOWS;
}

/* Whatever the function may be: each possibility counts. */
static void tell_alternatives(struct script *s, const struct call *c)
{
	const struct value *f = c->function;
	for (uint32_t i = 0; f != NULL && f->choice && i < f->n_items; i++) {
		struct value *one = f->item[i];
		if (one == NULL || one->name == NULL || one->function != 0 || (c->name != NULL && strcmp(one->name, c->name) == 0))
			continue;
		struct call other = *c;
		other.function = one;
		other.name = one->name;
		(void)tell_call(s, &other);
	}
}

/* list.append(x) and its like, on a list that is known item by item. */
static void grow_list(struct script *s, const struct call *c)
{
	uint32_t f = child(s, c->node, BAWN_R_FUNCTION), object = f != 0 ? child(s, f, BAWN_R_OBJECT) : 0;
	struct value *after = object != 0 ? bawn_fold_changed(s, c) : NULL;
	if (after != NULL)
		rebind(s, object, after);
}

/* Calls by which a function puts a text together. */
static void note_builder(struct script *s, const char *name)
{
	static const char *const builds[] = { "chr", "bytes", "bytearray", "join", "decode", "translate", "fromCharCode", "fromCodePoint", "to_bytes",
	                                      "charCodeAt", "reversed", "reverse", "replace", "b64decode", "fromhex", "unhexlify", "atob", "from" };
	const char *dot = name != NULL ? strrchr(name, '.') : NULL;
	for (size_t i = 0; name != NULL && s->scope != 0 && i < BAWN_LEN(builds); i++)
		if (strcmp(dot != NULL ? dot + 1 : name, builds[i]) == 0)
			s->builds[s->scope] = true;
}

static struct value *result_of(struct script *s, const struct call *c)
{
	struct value *v = unknown(s, 0);
	if (v == NULL)
		return NULL;
	if (c->function != NULL && c->function->result != NULL)
		*v = *c->function->result;
	else if (c->name != NULL && strlen(c->name) < NAME_MAX_BYTES)
		v->name = bawn_arena_fmt(scratch(s), "%s()", c->name);
	v->self = bawn_call_wraps(c);
	return v;
}

/* Making an object of a class of the program runs its constructor. */
static void construct(struct script *s, const struct call *c)
{
	const char *init = c->name != NULL ? bawn_arena_fmt(scratch(s), "%s.%s", c->name, s->python ? "__init__" : "constructor") : NULL;
	const struct value *v = init != NULL ? bawn_scope_get(s, 0, init, strlen(init)) : NULL;
	if (v != NULL && v->function != 0)
		bind_parameters(s, v->function, c, false);
}

/* Thread(target=f, args=(x,)), submit(f, x), Timer(5, f, [x]): somebody else will call f with x. */
static void tell_later(struct script *s, const struct call *c, struct value *f, struct value **arg, uint32_t n)
{
	static const char *const builtin[] = { "exec", "eval", "compile", "open", "__import__" };
	bool known = f != NULL && f->name != NULL && f->function == 0 && !bawn_value_is_text(f) && f->imported;
	for (size_t i = 0; !known && f != NULL && f->name != NULL && f->function == 0 && i < BAWN_LEN(builtin); i++)
		known = strcmp(f->name, builtin[i]) == 0;
	for (uint32_t i = 0; n == 0 && i < c->n_keywords; i++)
		if (c->keyword[i].name != NULL && (strcmp(c->keyword[i].name, "args") == 0 || strcmp(c->keyword[i].name, "argument") == 0))
			arg = &c->keyword[i].value, n = 1;
	if (!known || n == 0)
		return;
	struct call later = { .node = c->node, .function = f, .name = f->name, .arg = arg, .n_args = n };
	if (n == 1 && arg[0] != NULL && arg[0]->is_list && !arg[0]->choice)
		later.arg = arg[0]->item, later.n_args = arg[0]->n_items;
	for (uint32_t i = 0; i < later.n_args; i++)
		later.taint |= later.arg[i] != NULL ? later.arg[i]->taint : 0;
	(void)tell_call(s, &later);
}

static void tell_handed(struct script *s, const struct call *c)
{
	for (uint32_t i = 0; i < c->n_args && i < 5; i++)
		tell_later(s, c, c->arg[i], c->arg + i + 1, c->n_args - i - 1);
	for (uint32_t i = 0; i < c->n_keywords; i++)
		if (c->keyword[i].name != NULL && (strcmp(c->keyword[i].name, "target") == 0 || strcmp(c->keyword[i].name, "func") == 0 ||
		    strcmp(c->keyword[i].name, "function") == 0 || strcmp(c->keyword[i].name, "action") == 0))
			tell_later(s, c, c->keyword[i].value, NULL, 0);
}

/* Another file than the one it was made of. */
static bool other_file(const char *name)
{
	static const char *const part[] = { "dirname", "basename", "splitext", "relpath", "with_name", "with_suffix", "with_stem", "joinpath" };
	const char *dot = name != NULL ? strrchr(name, '.') : NULL;
	for (size_t i = 0; dot != NULL && i < BAWN_LEN(part); i++)
		if (strcmp(dot + 1, part[i]) == 0)
			return true;
	return false;
}

/* What listens for keys or messages hands them to the functions it was given. */
static void hand_on(struct script *s, const struct call *c, uint64_t tags)
{
	tags &= BAWN_TAG(KEYS) | BAWN_TAG(NET_RECV);
	struct value *got = tags != 0 ? unknown(s, tags) : NULL, *given_[] = { got, got, got };
	if (got == NULL)
		return;
	for (uint32_t i = 0; i < c->n_args; i++)
		if (c->arg[i] != NULL && c->arg[i]->function != 0)
			bawn_script_hand(s, c->arg[i]->function, given_, BAWN_LEN(given_));
	for (uint32_t i = 0; i < c->n_keywords; i++)
		if (c->keyword[i].value != NULL && c->keyword[i].value->function != 0)
			bawn_script_hand(s, c->keyword[i].value->function, given_, BAWN_LEN(given_));
}

static struct value *read_call(struct script *s, uint32_t i)
{
	uint32_t f = child(s, i, BAWN_R_FUNCTION);
	struct call c = { .node = i, .function = f != 0 ? s->val[f] : NULL };
	if (!gather(s, i, &c))
		return NULL;
	c.name = c.function != NULL ? c.function->name : NULL;
	if (!s->python && f != 0 && c.n_args > 0 && c.arg[0] != NULL && c.arg[0]->imported && bawn_js_is_wrapper(text_of(s, f)))
		return c.arg[0];
	if (!s->python && bawn_js_bound(&c) != NULL)
		return bawn_js_bound(&c);
	if (!s->python)
		bawn_js_apply(&c);
	bawn_fold_redirect(s, &c);
	note_builder(s, c.name);
	struct value *self = c.function != NULL ? c.function->self : NULL;
	uint64_t own = c.taint, tags = 0;
	c.taint |= self != NULL ? self->taint : c.function != NULL ? c.function->taint : 0;
	bool local = c.function != NULL && c.function->function != 0;
	struct value *v = local ? local_call(s, &c) : bawn_fold_call(s, &c);
	if (v == NULL && !local && !s->python)
		v = bawn_js_call(s, &c);
	if (!local)
		tags = tell_call(s, &c);
	tell_alternatives(s, &c);
	grow_list(s, &c);
	construct(s, &c);
	if (self != NULL && self->name != NULL && !self->imported && (s->python || strchr(self->name, '(') != NULL) && (own & FLOWS) != 0)
		self->taint |= own & FLOWS;  /* what is put into an object stays in it */
	if (v == NULL)
		v = result_of(s, &c);
	bool one_variable = v != NULL && v->name != NULL && strcmp(v->name, "os.getenv()") == 0;
	if (v != NULL && !one_variable)
		v->taint |= (c.taint & FLOWS) | tags;
	if (v != NULL && s->python && other_file(c.name))
		v->taint &= ~BAWN_TAG(OWN_FILE);
	if (s->python && !local) {
		tell_handed(s, &c);
		hand_on(s, &c, tags);
	}
	if (!s->python)
		bawn_js_after(s, &c, v, tags);
	return v;
}

/* ---- imports ---- */

void bawn_script_import(struct script *s, const char *name, uint32_t i)
{
	struct fact f = { .kind = BAWN_MATCH_IMPORT, .name = name, .node = i };
	bawn_modules_use(s->e, name);
	(void)bawn_engine_fact(s->e, &f);
}

static const char *module_name(struct script *s, uint32_t i)
{
	struct value *v = s->val[i];
	const char *name = bawn_value_is_text(v) ? bawn_arena_text(scratch(s), v->text) : dotted_text(s, i);
	return s->python ? name : bawn_js_module(name);
}

static void import_name(struct script *s, uint32_t i, const char *from)
{
	uint32_t name = node(s, i)->kind == BAWN_K_ALIASED ? child(s, i, BAWN_R_NAME) : i;
	uint32_t alias = node(s, i)->kind == BAWN_K_ALIASED ? child(s, i, BAWN_R_ALIAS) : 0;
	const char *written = name != 0 ? dotted_text(s, name) : NULL;
	if (written == NULL)
		return;
	const char *full = from != NULL ? bawn_arena_fmt(scratch(s), "%s.%s", from, written) : written;
	if (full == NULL)
		return;
	bawn_script_import(s, full, i);
	const char *bound = alias != 0 ? dotted_text(s, alias) : written;
	if (from == NULL && alias == 0) {  /* import a.b binds a */
		size_t n = strcspn(written, ".");
		bound = full = bawn_arena_text(scratch(s), (struct bawn_span){ written, n });
	}
	struct value *v = from != NULL ? bawn_module_member(s, from, written) : NULL;
	if (v == NULL && full != NULL)
		v = bawn_script_named(s, bawn_script_canonical(s, full), true);
	if (v != NULL)
		bawn_fold_constant(v);
	bawn_scope_set(s, s->scope, bound, v);
}

static void add_star(struct script *s, const char *from, uint32_t i)
{
	for (uint32_t k = 0; k < s->n_star; k++)
		if (strcmp(s->star[k], from) == 0)
			return;
	if (s->n_star == BAWN_LEN(s->star))
		(void)bawn_engine_event(s->e, "cut-short", i, NULL);
	else
		s->star[s->n_star++] = from;
}

static void read_import(struct script *s, uint32_t i)
{
	uint32_t module = child(s, i, BAWN_R_MODULE);
	const char *from = module != 0 ? module_name(s, module) : NULL;
	if (from != NULL)
		bawn_script_import(s, from, i);
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next) {
		if (c == module)
			continue;
		if (node(s, c)->kind == BAWN_K_WILDCARD && from != NULL)
			add_star(s, from, i);
		else if (s->python && (node(s, c)->kind == BAWN_K_DOTTED || node(s, c)->kind == BAWN_K_ALIASED))
			import_name(s, c, from);
	}
}

/* import x, {a as b}, * as y from 'm' */
static void read_js_import(struct script *s, uint32_t i)
{
	uint32_t module = child(s, i, BAWN_R_MODULE);
	const char *from = module != 0 ? module_name(s, module) : NULL;
	if (from == NULL)
		return;
	bawn_script_import(s, from, i);
	for (uint32_t c = i + 1; c < s->t->n && node(s, c)->start < node(s, i)->end; c++) {
		uint32_t p = node(s, c)->parent;
		if (node(s, c)->kind == BAWN_K_ALIASED)
			import_name(s, c, from);
		else if (node(s, c)->kind == BAWN_K_NAME && (node(s, p)->kind == BAWN_K_OTHER || node(s, p)->kind == BAWN_K_NAMESPACE) && c != module)
			bawn_scope_set(s, s->scope, dotted_text(s, c), bawn_script_named(s, from, true));
	}
}

/* ---- the walk ---- */

static struct value *read_assign(struct script *s, uint32_t i)
{
	uint32_t left = child(s, i, BAWN_R_LEFT), right = child(s, i, BAWN_R_RIGHT);
	if (left == 0)
		left = child(s, i, BAWN_R_NAME);
	if (left == 0)
		left = child(s, i, BAWN_R_PROPERTY);
	if (right == 0)
		right = child(s, i, BAWN_R_VALUE);
	if (left == 0 || right == 0)
		return NULL;
	struct value *v = s->val[right];
	bind(s, left, v != NULL ? v : unknown(s, 0));
	return v;
}

/* The operator that stands between two nodes. */
static struct bawn_span between(const struct script *s, uint32_t left, uint32_t right)
{
	struct bawn_span t = { s->t->text.p + node(s, left)->end, node(s, right)->start - node(s, left)->end };
	while (t.n > 0 && (t.p[0] == ' ' || t.p[0] == '\n' || t.p[0] == '\t' || t.p[0] == '\\' || t.p[0] == '\r'))
		t.p++, t.n--;
	while (t.n > 0 && (t.p[t.n - 1] == ' ' || t.p[t.n - 1] == '\n' || t.p[t.n - 1] == '\t' || t.p[t.n - 1] == '\\' || t.p[t.n - 1] == '\r'))
		t.n--;
	return t;
}

static struct value *read_augment(struct script *s, uint32_t i)
{
	uint32_t left = child(s, i, BAWN_R_LEFT), right = child(s, i, BAWN_R_RIGHT);
	if (left == 0 || right == 0)
		return NULL;
	const char *name = dotted_text(s, left);
	struct value *before = name != NULL ? bawn_script_lookup(s, name, strlen(name)) : NULL;
	struct bawn_span op = between(s, left, right);
	op.n -= op.n > 0 && op.p[op.n - 1] == '=';
	struct value *v = bawn_fold_binary(s, bawn_fold_operator(op), before, s->val[right]);
	bind(s, left, v != NULL ? v : unknown(s, 0));
	return v;
}

static struct value *read_binary(struct script *s, uint32_t i)
{
	uint32_t left = child(s, i, BAWN_R_LEFT), right = child(s, i, BAWN_R_RIGHT);
	if (left == 0 || right == 0)
		return NULL;
	char c = bawn_fold_operator(between(s, left, right));
	struct value *a = s->val[left], *b = s->val[right];
	s->builds[s->scope] = s->builds[s->scope] || c == '^';
	struct value *times = b != NULL && b->has_number ? b : a;
	const struct value *what = times == b ? a : b;
	if (c == '*' && times != NULL && times->has_number && times->number > (INT64_C(1) << 31) && what != NULL &&
	    (what->is_list || bawn_value_is_text(what)))
		(void)bawn_engine_event(s->e, "memory-bomb", i, NULL);
	struct value *v = bawn_fold_binary(s, c, a, b);
	if (c == '^' && s->python && v == NULL)
		v = unknown(s, (a != NULL ? a->taint : 0) | (b != NULL ? b->taint : 0));
	if (c == '^' && v != NULL && !v->has_number)  /* bytes are undone with it */
		v->taint |= s->python ? BAWN_TAG(SPELLED) : BAWN_TAG(DECODE);
	return v;
}

static struct value *read_subscript(struct script *s, uint32_t i)
{
	uint32_t object = child(s, i, BAWN_R_OBJECT), index = child(s, i, BAWN_R_SUBSCRIPT);
	if (object == 0)
		object = child(s, i, BAWN_R_VALUE);
	if (object == 0 || index == 0)
		return NULL;
	if (node(s, index)->kind == BAWN_K_SLICE) {
		/* a:b:c without tokens for the colons: count them in the text between the parts. */
		bool has[3] = { false, false, false };
		int64_t part[3] = { 0, 0, 0 };
		uint32_t slot_at = 0, at = node(s, index)->start;
		uint32_t c = node(s, index)->child;
		while (at < node(s, index)->end && slot_at < 3) {
			if (c != 0 && at == node(s, c)->start) {
				has[slot_at] = s->val[c] != NULL && s->val[c]->has_number;
				if (!has[slot_at])
					return s->val[object] != NULL ? unknown(s, s->val[object]->taint) : NULL;
				part[slot_at] = s->val[c]->number;
				at = node(s, c)->end;
				c = node(s, c)->next;
				continue;
			}
			slot_at += s->t->text.p[at++] == ':';
		}
		s->builds[s->scope] = s->builds[s->scope] || has[2];
		struct value *v = bawn_fold_slice(s, s->val[object], has, part);
		return v != NULL ? v : s->val[object];
	}
	struct value *v = bawn_fold_subscript(s, s->val[object], s->val[index]);
	if (v != NULL && v->name != NULL && is_use(s, i))
		name_fact(s, i, v, called(s, i));
	return v;
}

static struct value *read_unary(struct script *s, uint32_t i)
{
	uint32_t a = child(s, i, BAWN_R_ARGUMENT);
	return bawn_fold_unary(s, s->t->text.p[node(s, i)->start], a != 0 ? s->val[a] : NULL);
}

/* a < b; a chain of them is not known. */
static struct value *read_compare(struct script *s, uint32_t i)
{
	uint32_t side[2], n = 0;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind != BAWN_K_OPERATOR && node(s, c)->kind != BAWN_K_COMMENT && node(s, c)->kind != BAWN_K_BACKGROUND && n++ < 2)
			side[n - 1] = c;
	return n == 2 ? bawn_fold_binary(s, bawn_fold_operator(between(s, side[0], side[1])), s->val[side[0]], s->val[side[1]]) : NULL;
}

/* x if c else y, c ? x : y: the one it must be, or either. */
static struct value *read_conditional(struct script *s, uint32_t i)
{
	uint32_t part[3] = { 0 }, n = 0;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind != BAWN_K_COMMENT && n++ < 3)
			part[n - 1] = c;
	if (n != 3)
		return NULL;
	struct value *yes = s->val[part[s->python ? 0 : 1]], *no = s->val[part[2]];
	enum truth t = bawn_fold_truth(s->val[part[s->python ? 1 : 0]]);
	if (t != TRUTH_UNKNOWN)
		return t == TRUTH_YES ? yes : no;
	return bawn_value_either(s, no, yes);
}

static struct value *read_boolean(struct script *s, uint32_t i)
{
	uint32_t left = child(s, i, BAWN_R_LEFT), right = child(s, i, BAWN_R_RIGHT);
	return left != 0 && right != 0 ? bawn_fold_binary(s, bawn_fold_operator(between(s, left, right)), s->val[left], s->val[right]) : NULL;
}

static struct value *first_child(struct script *s, uint32_t i)
{
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind != BAWN_K_COMMENT && node(s, c)->kind != BAWN_K_OPERATOR)  /* the star of *x */
			return s->val[c];
	return NULL;
}

static struct value *last_child(struct script *s, uint32_t i)
{
	struct value *v = NULL;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		v = s->val[c];
	return v;
}

static void walk(struct script *s, uint32_t from, uint32_t to);

/* Is there budget and memory for reading a body once more? */
static bool enough(const struct script *s, uint32_t body)
{
	return s->budget >= subtree_end(s, body) - body && s->e->scratch.total <= s->e->scratch.max / 4;
}

/* Reads a body again with its variables bound, and gives its value. */
static struct value *again(struct script *s, uint32_t body, bool quiet)
{
	uint32_t end = subtree_end(s, body), class_ = s->class_;
	if (s->replay >= REPLAY_MAX || !enough(s, body))
		return NULL;
	bool before = s->e->quiet;
	s->budget -= end - body;
	s->replay++;
	s->e->quiet = before || quiet;
	walk(s, body, end);
	s->e->quiet = before;
	s->class_ = class_;
	s->replay--;
	return s->val[body];
}

/* Is the call inside the function itself, however far? */
static bool being_read(const struct script *s, uint32_t function)
{
	for (unsigned i = 0; i <= s->replay; i++)
		for (uint32_t scope = i < s->replay ? s->caller[i] : s->scope; scope != 0; scope = s->outer[scope])
			if (scope == function)
				return true;
	return false;
}

static size_t text_given(const struct call *c)
{
	size_t n = 0;
	for (uint32_t i = 0; i < c->n_args; i++)
		n += bawn_value_is_text(c->arg[i]) ? c->arg[i]->text.n : 0;
	return n;
}

/* What `function` gives back when it is called like this; NULL: not known. */
struct value *bawn_script_replay(struct script *s, uint32_t function, const struct call *c)
{
	uint32_t body = child(s, function, BAWN_R_BODY), saved = s->scope;
	if (body == 0 || s->replay >= REPLAY_MAX || being_read(s, function))
		return NULL;
	if (!enough(s, body))  /* after a flood of work nobody knows what it makes of the texts it is given */
		s->unread += text_given(c);
	s->caller[s->replay] = saved;
	uint32_t mark = bawn_scope_branch(s);
	unsigned sure = s->sure;
	uint32_t calling = s->calling;
	s->sure = s->branches;
	s->calling = function;
	s->scope = function;
	bind_parameters(s, function, c, true);
	bawn_scope_set(s, function, "()", NULL);
	struct value *v = again(s, body, true);
	s->sure = sure;
	s->calling = calling;
	s->returned = false;
	if (node(s, body)->kind == BAWN_K_BLOCK)
		v = bawn_scope_get(s, function, "()", 2);
	s->scope = saved;
	bawn_scope_rewind(s, mark);
	return v;
}

/* ---- comprehensions ---- */

/* Gathers what a comprehension gives, one clause inside the other; a clause is `for x in y` or `if x`. */
struct gather { uint32_t body; bool pairs, loud; struct value *out, *keys; };

static bool is_clause(const struct script *s, uint32_t i)
{
	return i != 0 && (node(s, i)->kind == BAWN_K_FOR_IN || node(s, i)->kind == BAWN_K_IF || node(s, i)->kind == BAWN_K_OTHER);
}

static bool keep(struct script *s, struct gather *g)
{
	struct value *v = again(s, g->body, !g->loud), *key = NULL;
	g->loud = false;
	if (g->pairs) {
		uint32_t k = child(s, g->body, BAWN_R_KEY), at = child(s, g->body, BAWN_R_VALUE);
		key = k != 0 ? s->val[k] : NULL;
		v = at != 0 ? s->val[at] : NULL;
		g->keys = bawn_fold_append(s, g->keys, key);
	}
	g->out = bawn_fold_append(s, g->out, v);
	return g->out != NULL && (!g->pairs || g->keys != NULL) && s->e->error == 0;
}

#define CLAUSES_MAX 6u

/* Goes through the clauses with a counter for each.  False: something of it is not known. */
static bool run_clauses(struct script *s, const uint32_t *clause, uint32_t n, struct gather *g)
{
	struct { struct value *in; uint32_t at; } level[CLAUSES_MAX];
	uint32_t depth = 0;
	bool down = true;  /* entering clause `depth`, not coming back to it */
	while (bawn_engine_go_on(s->e)) {
		if (depth == n) {
			if (!keep(s, g))
				return false;
			down = false;
		} else if (node(s, clause[depth])->kind == BAWN_K_FOR_IN) {
			if (down) {
				uint32_t right = child(s, clause[depth], BAWN_R_RIGHT);
				level[depth].in = bawn_fold_items(s, right == 0 ? NULL : depth == 0 ? s->val[right] : again(s, right, true));
				level[depth].at = 0;
				if (level[depth].in == NULL)
					return false;
			}
			if (level[depth].at < level[depth].in->n_items) {
				struct value *x = level[depth].in->item[level[depth].at++];
				bind(s, child(s, clause[depth], BAWN_R_LEFT), x != NULL ? x : unknown(s, level[depth].in->taint));
				depth++;
				down = true;
				continue;
			}
			down = false;
		} else if (down) {
			uint32_t test = node(s, clause[depth])->child;
			enum truth t = bawn_fold_truth(test != 0 ? again(s, test, true) : NULL);
			if (t == TRUTH_UNKNOWN)
				return false;
			depth += t == TRUTH_YES;
			down = t == TRUTH_YES;
			if (down)
				continue;
		}
		if (depth == 0)
			return true;
		depth--;
	}
	return false;
}

static struct value *read_comprehension(struct script *s, uint32_t i)
{
	uint32_t body = child(s, i, BAWN_R_BODY), clause[CLAUSES_MAX], n = 0;
	struct value *v = NULL;
	for (uint32_t c = body != 0 ? node(s, body)->next : 0; c != 0; c = node(s, c)->next)
		if (is_clause(s, c) && n++ < CLAUSES_MAX)
			clause[n - 1] = c;
	if (body == 0 || n == 0)
		return NULL;
	struct gather g = { .body = body, .loud = true, .pairs = node(s, body)->kind == BAWN_K_PAIR };
	g.out = bawn_fold_list(s, 0, 0);
	g.keys = g.pairs ? bawn_fold_list(s, 0, 0) : NULL;
	uint32_t right = child(s, clause[0], BAWN_R_RIGHT);
	uint64_t taint = right != 0 && s->val[right] != NULL ? s->val[right]->taint : 0;
	uint32_t mark = bawn_scope_branch(s);  /* its variables are its own */
	bool known = g.out != NULL && n <= CLAUSES_MAX && child(s, clause[0], BAWN_R_LEFT) != 0 && run_clauses(s, clause, n, &g);
	bawn_scope_join(s, mark);
	if (known)
		v = g.pairs ? bawn_fold_dict(s, g.keys, g.out) : g.out;
	if (v == NULL) {
		struct value *one = again(s, body, !g.loud);
		v = !g.pairs && bawn_value_is_text(one) ? bawn_fold_list(s, 1, one->taint) : unknown(s, one != NULL ? one->taint : 0);
		if (v != NULL && v->is_list)
			v->item[0] = one, v->partial = true;  /* and more of the kind */
	}
	if (v != NULL)
		v->taint |= taint;
	return v;
}

/* ---- branches and loops ---- */

/* if __name__ == "__main__": what a program does is in there. */
static bool is_main_part(const struct script *s, uint32_t condition)
{
	struct bawn_span t = condition != 0 ? text_of(s, condition) : bawn_span("");
	static const char *const form[] = { "__name__=='__main__'", "__name__==\"__main__\"", "'__main__'==__name__", "\"__main__\"==__name__" };
	char plain[32];
	size_t n = 0;
	for (size_t i = 0; i < t.n && n < sizeof plain; i++)
		if (strchr(" ()", t.p[i]) == NULL)
			plain[n++] = t.p[i];
	for (size_t i = 0; i < BAWN_LEN(form); i++)
		if (bawn_span_is((struct bawn_span){ plain, n }, form[i]))
			return true;
	return false;
}

/* What may be set in passing: a && (b = c), x ? (b = c) : d */
static bool is_aside(const struct script *s, uint32_t i)
{
	uint8_t parent = node(s, node(s, i)->parent)->kind;
	return node(s, i)->kind == BAWN_K_PAREN && node(s, i)->role != BAWN_R_LEFT &&
	       (parent == BAWN_K_BINARY || parent == BAWN_K_BOOLEAN || parent == BAWN_K_CONDITIONAL);
}

/* A part that may run or not, or to its end or not, or whose names are its own. */
static bool is_branch(const struct script *s, uint32_t i)
{
	uint32_t p = node(s, i)->parent;
	const struct bawn_node *n = node(s, p);
	uint8_t kind = node(s, i)->kind;
	bool loop = (n->kind == BAWN_K_FOR || n->kind == BAWN_K_WHILE) && node(s, i)->role == BAWN_R_BODY && node(s, i)->child != 0;
	if (is_aside(s, i) || (kind == BAWN_K_CASE && !s->python))
		return true;
	if (kind != BAWN_K_BLOCK && kind != BAWN_K_STATEMENT && !loop)
		return false;
	switch (n->kind) {
	case BAWN_K_FOR: case BAWN_K_WHILE: case BAWN_K_CASE: return kind == BAWN_K_BLOCK || loop;
	case BAWN_K_IF:    return !is_main_part(s, child(s, p, BAWN_R_CONDITION));
	case BAWN_K_TRY:   return s->replay == 0 || node(s, n->parent)->kind == BAWN_K_TRY;  /* read again, a `try` is taken to work */
	case BAWN_K_CLASS: return kind == BAWN_K_BLOCK;
	case BAWN_K_ROOT: case BAWN_K_BLOCK: return kind == BAWN_K_BLOCK && !s->python;
	case BAWN_K_OTHER: return node(s, n->parent)->kind == BAWN_K_IF || node(s, n->parent)->kind == BAWN_K_FOR;  /* else */
	default:           return false;
	}
}

/* While a body is read again with everything known, of `if` and `else` only one is read. */
static enum truth is_taken(const struct script *s, uint32_t i)
{
	uint32_t p = node(s, i)->parent;
	if (s->replay == 0)
		return TRUTH_UNKNOWN;
	if (node(s, p)->kind == BAWN_K_OTHER && node(s, p)->role == BAWN_R_ALTERNATIVE)  /* the block of an else */
		i = p, p = node(s, p)->parent;
	if (node(s, p)->kind != BAWN_K_IF || node(s, i)->role == BAWN_R_CONDITION || node(s, i)->kind == BAWN_K_COMMENT)
		return TRUTH_UNKNOWN;
	uint32_t c = child(s, p, BAWN_R_CONDITION);
	enum truth t = bawn_fold_truth(c != 0 ? s->val[c] : NULL);
	if (node(s, i)->role != BAWN_R_ALTERNATIVE)
		return t;
	for (uint32_t k = node(s, p)->child; k != i && t == TRUTH_NO; k = node(s, k)->next)
		if (node(s, k)->kind == BAWN_K_IF && node(s, k)->role == BAWN_R_ALTERNATIVE) {  /* elif */
			c = child(s, k, BAWN_R_CONDITION);
			t = bawn_fold_truth(c != 0 ? s->val[c] : NULL);
		}
	return t == TRUTH_UNKNOWN ? t : t == TRUTH_YES ? TRUTH_NO : TRUTH_YES;
}

/* Does a loop's body put something together, bit by bit? */
static bool accumulates(const struct script *s, uint32_t body)
{
	static const char *const adds[] = { "append", "push", "extend", "insert", "unshift", "appendleft" };
	for (uint32_t i = body, end = subtree_end(s, body); i < end; i++) {
		uint32_t left = child(s, i, BAWN_R_LEFT), right = child(s, i, BAWN_R_RIGHT);
		if (node(s, i)->kind == BAWN_K_AUGMENT)
			return true;
		if (node(s, i)->kind == BAWN_K_ASSIGN && right != 0 && node(s, right)->kind == BAWN_K_BINARY) {  /* x = x + y, x = y + x */
			uint32_t a = child(s, right, BAWN_R_LEFT), b = child(s, right, BAWN_R_RIGHT);
			if ((a != 0 && bawn_span_equal(text_of(s, left), text_of(s, a))) || (b != 0 && bawn_span_equal(text_of(s, left), text_of(s, b))))
				return true;
		}
		for (size_t k = 0; node(s, i)->role == BAWN_R_PROPERTY && k < BAWN_LEN(adds); k++)
			if (bawn_span_is(text_of(s, i), adds[k]))
				return true;
		if (node(s, i)->kind == BAWN_K_SUBSCRIPT && node(s, i)->role == BAWN_R_LEFT)  /* x[i] = y */
			return true;
	}
	return false;
}

/* Did the body bind a text or a list?  Loops that only count have nothing to tell. */
static bool bound_texts(struct script *s, uint32_t mark)
{
	for (uint32_t i = mark; i < s->n_trail; i++) {
		const struct value *v = bawn_scope_get(s, s->trail[i].scope, s->trail[i].name, strlen(s->trail[i].name)), *old = s->trail[i].old;
		if ((v != NULL && (bawn_value_is_text(v) || v->is_list)) || (old != NULL && (bawn_value_is_text(old) || old->is_list)))
			return true;
	}
	return false;
}

/* Reads the body of a loop once more.  False: it was left for good. */
static bool go_round(struct script *s, uint32_t body)
{
	s->loop_sure = s->branches;
	(void)again(s, body, true);
	bool on = s->jump != BREAK && !s->returned;
	s->jump = GO_ON;
	return on;
}

/* A loop over items that are all known is read once for each, so that texts put together in it are
 * known too. */
static bool unroll_for(struct script *s, uint32_t body, uint32_t mark)
{
	uint32_t loop = node(s, body)->parent;
	uint32_t left = child(s, loop, BAWN_R_LEFT), right = child(s, loop, BAWN_R_RIGHT);
	const struct value *in = left != 0 && right != 0 ? bawn_fold_items(s, s->val[right]) : NULL;
	uint32_t n = in != NULL && !in->cycles ? in->n_items : 0, nodes = subtree_end(s, body) - body;
	if (n == 0 || (uint64_t)n * nodes > s->budget / 2)
		return false;
	bawn_scope_rewind(s, mark);
	bool on = true;
	for (uint32_t k = 0; k < n && s->e->error == 0 && on; k++) {
		bind(s, left, in->item[k] != NULL ? in->item[k] : unknown(s, in->taint));
		on = go_round(s, body);
	}
	return true;
}

static uint32_t inner(const struct script *s, uint32_t i) { return node(s, i)->kind == BAWN_K_STATEMENT ? node(s, i)->child : i; }

/* while (c) ..., for (a; c; b) ...: as long as the condition is known. */
static bool run_loop(struct script *s, uint32_t loop, uint32_t body, uint32_t condition)
{
	uint32_t first = node(s, loop)->child, step = node(s, condition)->next, least = s->budget - s->budget / 4;
	if (node(s, loop)->kind == BAWN_K_FOR && first != condition)
		(void)again(s, first, true);
	while (s->e->error == 0 && s->budget > least) {
		uint32_t before = s->n_trail;
		enum truth t = bawn_fold_truth(again(s, inner(s, condition), true));
		if (t != TRUTH_YES)
			return t == TRUTH_NO;
		if (!go_round(s, body))
			return true;
		if (node(s, loop)->kind == BAWN_K_FOR && step != body && step != 0)
			(void)again(s, step, true);
		if (s->n_trail == before)
			return false;  /* nothing changes: it would go on for ever */
	}
	return false;
}

static bool unroll_while(struct script *s, uint32_t body, uint32_t mark)
{
	uint32_t loop = node(s, body)->parent, condition = child(s, loop, BAWN_R_CONDITION);
	uint8_t kind = condition != 0 ? node(s, inner(s, condition))->kind : BAWN_K_TRUE;
	if (kind == BAWN_K_TRUE || kind == BAWN_K_INTEGER || condition > body)
		return false;
	bawn_scope_rewind(s, mark);
	uint32_t trial = bawn_scope_branch(s);
	if (run_loop(s, loop, body, condition)) {
		bawn_scope_keep(s);
		return true;
	}
	bawn_scope_rewind(s, trial);
	trial = bawn_scope_branch(s);
	(void)go_round(s, body);
	bawn_scope_join(s, trial);
	return true;
}

static bool unroll(struct script *s, uint32_t body, uint32_t mark)
{
	uint32_t loop = node(s, body)->parent, saved = s->looped;
	uint8_t kind = node(s, loop)->kind;
	if ((kind != BAWN_K_FOR && kind != BAWN_K_WHILE) || s->replay >= REPLAY_MAX || !bound_texts(s, mark) || !accumulates(s, body))
		return false;
	unsigned sure = s->loop_sure;
	s->looped = body;
	bool done = kind == BAWN_K_FOR && child(s, loop, BAWN_R_RIGHT) != 0 ? unroll_for(s, body, mark) : unroll_while(s, body, mark);
	s->looped = saved;
	s->loop_sure = sure;
	return done;
}

/* i++, --i */
static struct value *read_update(struct script *s, uint32_t i)
{
	uint32_t a = child(s, i, BAWN_R_ARGUMENT);
	struct bawn_span t = text_of(s, i);
	struct value *before = a != 0 ? s->val[a] : NULL;
	bool steps = t.n > 2 && (t.p[0] == '+' || t.p[0] == '-' || t.p[t.n - 1] == '+' || t.p[t.n - 1] == '-');
	if (!steps || before == NULL || !before->has_number || (s->replay == 0 && node(s, node(s, i)->parent)->kind == BAWN_K_FOR))
		return before;
	bool less = t.p[0] == '-' || t.p[t.n - 1] == '-';
	struct value *after = bawn_fold_binary(s, less ? '-' : '+', before, bawn_fold_number(s, 1, 0));
	if (after != NULL)
		rebind(s, a, after);
	return t.p[0] == '+' || t.p[0] == '-' ? after : before;
}

/* What `function` gives back, on one of its ways out. */
static void set_result(struct script *s, uint32_t function, struct value *v)
{
	struct value *before = function != 0 ? bawn_scope_get(s, function, "()", 2) : NULL;
	if (function == 0 || v == NULL)
		return;
	if ((v->taint & (BAWN_TAG(BUILT) | BAWN_TAG(DECODE))) != 0)
		s->builds[function] = true;
	bawn_scope_set(s, function, "()", before != NULL ? bawn_value_either(s, before, v) : v);
	s->returned = function == s->calling && s->branches == s->sure;  /* nothing after it runs */
}

static void string_fact(struct script *s, uint32_t i, struct value *v)
{
	uint8_t parent = node(s, node(s, i)->parent)->kind;
	if (!bawn_value_is_text(v) || v->text.n < 4 || v->text.n > 4096 || parent == BAWN_K_STATEMENT)
		return;
	struct fact f = { .kind = BAWN_MATCH_STRING, .name = bawn_arena_text(scratch(s), v->text), .node = i, .mention = true };
	(void)bawn_engine_fact(s->e, &f);
}

/* What a program looks for says what it is about: /pattern/ is told as a text. */
static void pattern_fact(struct script *s, uint32_t i)
{
	struct bawn_span t = text_of(s, i);
	struct fact f = { .kind = BAWN_MATCH_STRING, .node = i, .mention = true };
	if (t.n < 6 || t.n > 4096)
		return;
	f.name = bawn_arena_text(scratch(s), t);
	(void)bawn_engine_fact(s->e, &f);
}

/* What has no kind of its own in JavaScript: i++ and others. */
static struct value *read_other(struct script *s, uint32_t i)
{
	return child(s, i, BAWN_R_ARGUMENT) != 0 ? read_update(s, i) : first_child(s, i);
}

/* Which catch a throw reaches is only known at run time: any of the file may be meant. */
static void note_thrown(struct script *s, struct value *v)
{
	struct value *before = bawn_scope_get(s, 0, THROWN, strlen(THROWN));
	if (v != NULL && !s->python)
		bawn_scope_set(s, 0, THROWN, unknown(s, (v->taint & FLOWS) | (before != NULL ? before->taint : 0)));
}

static void bind_caught(struct script *s, uint32_t i)
{
	uint32_t name = child(s, i, BAWN_R_PARAMETERS);
	const struct value *thrown = name != 0 && !s->python ? bawn_scope_get(s, 0, THROWN, strlen(THROWN)) : NULL;
	if (thrown != NULL && thrown->taint != 0)
		bind(s, name, unknown(s, thrown->taint & ~BAWN_TAG(INPUT)));
}

/* `continue` and `break` of the loop that is being read again */
static void read_jump(struct script *s, uint32_t i)
{
	struct bawn_span t = text_of(s, i);
	t.n -= t.n > 0 && t.p[t.n - 1] == ';';
	if (s->looped == 0 || s->branches != s->loop_sure)
		return;
	s->jump = bawn_span_is(t, "continue") ? CONTINUE : bawn_span_is(t, "break") ? BREAK : s->jump;
}

static struct value *leave(struct script *s, uint32_t i)
{
	struct value *v = NULL;
	switch (node(s, i)->kind) {
	case BAWN_K_NAME:       return read_name(s, i);
	case BAWN_K_STRING: case BAWN_K_TEMPLATE:
		v = bawn_script_literal(s, i);
		string_fact(s, i, v);
		return v;
	case BAWN_K_ADJACENT:
		for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
			v = v == NULL ? s->val[c] : s->val[c] != NULL ? bawn_fold_concat(s, v, s->val[c]) : v;
		return v;
	case BAWN_K_INTEGER:    return bawn_script_integer(s, i);
	case BAWN_K_TRUE:       return bawn_script_named(s, "True", false);
	case BAWN_K_FALSE:      return bawn_script_named(s, "False", false);
	case BAWN_K_NONE:       return bawn_script_named(s, "None", false);
	case BAWN_K_CALL: case BAWN_K_NEW: return read_call(s, i);
	case BAWN_K_ATTRIBUTE:  return read_attribute(s, i);
	case BAWN_K_SUBSCRIPT:  return read_subscript(s, i);
	case BAWN_K_BINARY:
		v = read_binary(s, i);
		if (v != NULL && node(s, node(s, i)->parent)->kind != BAWN_K_BINARY)
			string_fact(s, i, v);
		return v;
	case BAWN_K_UNARY:      return read_unary(s, i);
	case BAWN_K_LIST:       return collection(s, i, false);
	case BAWN_K_DICT:       return collection(s, i, true);
	case BAWN_K_PAREN: case BAWN_K_AWAIT: case BAWN_K_SPLAT: case BAWN_K_INSERT:
		return first_child(s, i);
	case BAWN_K_SEQUENCE:   return last_child(s, i);
	case BAWN_K_REGEX:
		pattern_fact(s, i);
		return bawn_fold_pattern(s, text_of(s, i));
	case BAWN_K_CONDITIONAL: return read_conditional(s, i);
	case BAWN_K_BOOLEAN:    return read_boolean(s, i);
	case BAWN_K_COMPARE:    return read_compare(s, i);
	case BAWN_K_COMPREHENSION: return read_comprehension(s, i);
	case BAWN_K_ASSIGN: case BAWN_K_WALRUS: return read_assign(s, i);
	case BAWN_K_AUGMENT:    return read_augment(s, i);
	case BAWN_K_AS: {
		uint32_t first = node(s, i)->child;
		for (uint32_t c = first; c != 0; c = node(s, c)->next)
			if (node(s, c)->role == BAWN_R_ALIAS || node(s, c)->kind == BAWN_K_AS_TARGET)
				bind_perhaps(s, node(s, c)->kind == BAWN_K_AS_TARGET && node(s, c)->child != 0 ? node(s, c)->child : c, s->val[first] != NULL ? s->val[first] : unknown(s, 0));
		return first != 0 ? s->val[first] : NULL;
	}
	case BAWN_K_IMPORT:
		if (s->python)
			read_import(s, i);
		else
			read_js_import(s, i);
		return NULL;
	case BAWN_K_IMPORT_FROM: read_import(s, i); return NULL;
	case BAWN_K_RETURN:     set_result(s, s->scope, first_child(s, i)); return NULL;
	case BAWN_K_YIELD:      /* what comes out of a generator is some of these */
		for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
			if (s->val[c] != NULL)
				set_result(s, s->scope, unknown(s, s->val[c]->taint));
		return s->python ? NULL : first_child(s, i);  /* compiled code awaits with it */
	case BAWN_K_DECORATOR:
		v = first_child(s, i);
		if (v != NULL && v->name != NULL && node(s, node(s, i)->child)->kind != BAWN_K_CALL) {
			struct value *one[1] = { NULL };
			struct fact f = { .kind = BAWN_MATCH_CALL, .name = v->name, .arg = one, .n_args = 1, .node = i, .folded = v->name };
			(void)bawn_engine_fact(s->e, &f);
		}
		return NULL;
	case BAWN_K_LAMBDA:
		v = bawn_value_new(s->e);
		if (v != NULL)
			v->function = i;
		return v;
	case BAWN_K_THROW:
		note_thrown(s, first_child(s, i));
		return NULL;
	case BAWN_K_OTHER:
		read_jump(s, i);
		if (s->python && (bawn_span_starts(text_of(s, i), "global ") || bawn_span_starts(text_of(s, i), "nonlocal ")))
			read_outside(s, i);
		return s->t->grammar == BAWN_GRAMMAR_JAVASCRIPT && node(s, i)->child != 0 ? read_other(s, i) : NULL;
	default:
		return NULL;
	}
}

/* Things to know before the children are read. */
static void enter(struct script *s, uint32_t i)
{
	static const struct call none = { 0 };
	const struct bawn_node *n = node(s, i);
	switch (n->kind) {
	case BAWN_K_FUNCTION: {
		uint32_t name = child(s, i, BAWN_R_NAME);
		struct value *v = name != 0 ? bawn_value_new(s->e) : NULL;
		if (v != NULL) {
			v->function = i;
			const char *own = dotted_text(s, name);
			if (s->python || (!in_class(s) && node(s, n->parent)->kind != BAWN_K_DICT))  /* a method has no name of its own */
				bawn_scope_set(s, s->scope, own, v);
			if (in_class(s))
				set_member(s, own, v);
			struct fact f = { .kind = BAWN_MATCH_NAME, .node = name, .name = bawn_arena_fmt(scratch(s), "def.%s", own != NULL ? own : "") };
			(void)bawn_engine_fact(s->e, &f);
		}
		s->outer[i] = s->scope;
		s->scope = i;
		bind_parameters(s, i, &none, false);
		if (!s->python)
			bawn_js_enter(s, i);
		return;
	}
	case BAWN_K_LAMBDA:
		s->outer[i] = s->scope;
		s->scope = i;
		bind_parameters(s, i, &none, false);
		if (!s->python)
			bawn_js_enter(s, i);
		return;
	case BAWN_K_CLASS:
		s->class_ = i;
		if (s->python)  /* of a class of the program they are classes of the program */
			set_member(s, "__subclasses__", bawn_script_named(s, "own_subclasses", false));
		return;
	case BAWN_K_TRY:
		bind_caught(s, i);
		return;
	case BAWN_K_FOR:
		if (!s->python && (bawn_span_starts(text_of(s, i), "for (;;") || bawn_span_starts(text_of(s, i), "for(;;")))
			(void)bawn_engine_event(s->e, "endless-loop", i, NULL);
		return;
	case BAWN_K_WHILE: {
		uint32_t c = child(s, i, BAWN_R_CONDITION);
		struct bawn_span t = c != 0 ? text_of(s, c) : bawn_span("");
		if (bawn_span_is(t, "True") || bawn_span_is(t, "1") || bawn_span_is(t, "(true)") || bawn_span_is(t, "(1)"))
			(void)bawn_engine_event(s->e, "endless-loop", i, NULL);
		return;
	}
	default:
		return;
	}
}

static uint32_t around(const struct script *s, uint32_t class_)
{
	uint32_t p = node(s, class_)->parent;
	while (p != 0 && node(s, p)->kind != BAWN_K_CLASS)
		p = node(s, p)->parent;
	return p;
}

static void left_node(struct script *s, uint32_t i)
{
	const struct bawn_node *n = node(s, i);
	if (n->kind == BAWN_K_FUNCTION || n->kind == BAWN_K_LAMBDA) {
		if (n->kind == BAWN_K_LAMBDA) {  /* its body is its result */
			uint32_t body = child(s, i, BAWN_R_BODY);
			if (body != 0 && node(s, body)->kind != BAWN_K_BLOCK)
				set_result(s, i, s->val[body]);
		}
		s->scope = s->outer[i];
	}
	if (n->kind == BAWN_K_CLASS)
		s->class_ = around(s, i);
	uint32_t mark = s->mark[i];
	s->mark[i] = 0;
	if (mark != 0 && !unroll(s, i, mark - 1))
		bawn_scope_join(s, mark - 1);
	s->val[i] = leave(s, i);
	uint8_t parent = node(s, n->parent)->kind;
	if (n->role == BAWN_R_RIGHT && (parent == BAWN_K_FOR || parent == BAWN_K_FOR_IN)) {
		uint32_t left = child(s, n->parent, BAWN_R_LEFT);
		if (left != 0)
			bind_perhaps(s, left, element_of(s, s->val[i]));
	}
}

/* Visits [from, to), a whole subtree or the whole file. */
static void walk(struct script *s, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to && s->e->error == 0 && !s->returned && s->jump == GO_ON; i++) {
		enum truth taken = is_taken(s, i);
		uint32_t at = i;
		bool skipped = taken == TRUTH_NO;
		if (skipped) {
			s->val[i] = NULL;
			i = subtree_end(s, i) - 1;
		} else {
			enter(s, i);
			if (taken == TRUTH_UNKNOWN && i != s->looped && is_branch(s, i))
				s->mark[i] = 1 + bawn_scope_branch(s);
			if (node(s, i)->child != 0)
				continue;
		}
		while (bawn_engine_go_on(s->e)) {
			if (!skipped)
				left_node(s, at);
			skipped = false;
			if (at == from || node(s, at)->next != 0)
				break;
			at = node(s, at)->parent;
		}
	}
}

void bawn_read_script(struct engine *e)
{
	const struct bawn_tree *t = e->tree;
	struct script s = { .e = e, .t = t, .python = t->grammar == BAWN_GRAMMAR_PYTHON, .budget = REPLAY_NODES };
	s.val = calloc(t->n, sizeof *s.val);
	s.outer = calloc(t->n, sizeof *s.outer);
	s.mark = calloc(t->n, sizeof *s.mark);
	s.builds = calloc(t->n, sizeof *s.builds);
	bool functions = false;
	for (size_t i = 0; i < t->n && !functions; i++)
		functions = t->node[i].kind == BAWN_K_FUNCTION || t->node[i].kind == BAWN_K_LAMBDA;
	if (s.val == NULL || s.outer == NULL || s.mark == NULL || s.builds == NULL || !bawn_scope_grow(&s)) {
		if (e->error == 0)
			e->error = bawn_fail(e->err, -ENOMEM, "assess the code");
	} else {
		bool quiet = e->quiet;
		if (!s.python)
			bawn_js_shapes(&s);
		if (functions) {
			e->quiet = true;
			walk(&s, 0, (uint32_t)t->n);
			e->quiet = quiet;
			s.scope = 0;
		}
		walk(&s, 0, (uint32_t)t->n);
		if (s.unread > UNREAD_MAX)
			(void)bawn_engine_event(e, "cut-short", 0, NULL);
		bawn_module_export(&s);
	}
	free(s.val);
	free(s.outer);
	free(s.mark);
	free(s.builds);
}
