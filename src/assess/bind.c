/* bind.c - what an assignment does: to a name, an attribute, an item, or a pattern of these.
 *
 * A name is bound in the function it belongs to, which Python and JavaScript find differently. */
#include "assess/bind.h"
#include "assess/fold.h"
#include "assess/javascript.h"
#include "assess/reader.h"
#include "assess/special.h"
#include "assess/world.h"

#define PATTERNS_MAX   16u
#define FUNCTIONS_MAX  32u
#define ITEM_SET_MAX   (ITEMS_MAX / 4)  /* items of a list or dictionary that is copied to set one */
#define OUTSIDE        "outside "

void bawn_bind_member(struct script *s, const char *name, struct value *v)
{
	uint32_t at = child(s, s->class_, BAWN_R_NAME);
	const char *class_ = at != 0 ? bawn_script_dotted(s, at) : NULL;
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

/* An object or a class of the program: by which name its members go. */
static const char *own_members(struct script *s, const struct value *object)
{
	size_t n = s->python && object != NULL && object->name != NULL && !object->imported ? strlen(object->name) : 0;
	n -= n > 2 && object->name[n - 1] == ')' ? 2 : 0;
	const char *mark = n > 0 && n < NAME_MAX_BYTES ? bawn_arena_fmt(scratch(s), "%.*s.__subclasses__", (int)n, object->name) : NULL;
	return mark != NULL && bawn_scope_get(s, 0, mark, strlen(mark)) != NULL ? object->name : NULL;
}

void bawn_bind_attribute(struct script *s, uint32_t object, const char *property, struct value *v)
{
	bool spelled = node(s, object)->kind == BAWN_K_NAME || node(s, object)->kind == BAWN_K_ATTRIBUTE;
	const char *name = spelled ? bawn_script_dotted(s, object) : NULL, *members = own_members(s, s->val[object]);
	const struct value *o = s->val[object];
	if (property == NULL || strlen(property) > NAME_MAX_BYTES)
		return;
	if (name != NULL && strlen(name) + strlen(property) < NAME_MAX_BYTES)
		bawn_scope_set(s, 0, bawn_arena_fmt(scratch(s), "%s.%s", name, property), v);
	if (s->python && o != NULL && o->name != NULL && strcmp(o->name, "builtins") == 0)
		bawn_scope_set(s, 0, property, v);
	if (members == NULL)
		return;
	const char *full = bawn_arena_fmt(scratch(s), "%s.%s", members, property), *made = bawn_arena_fmt(scratch(s), "%s().%s", members, property);
	bawn_scope_set(s, 0, full, bawn_value_either(s, full != NULL ? bawn_scope_get(s, 0, full, strlen(full)) : NULL, v));
	if (strchr(members, ')') == NULL)  /* what a class has, its objects have */
		bawn_scope_set(s, 0, made, v);
}

/* A list or a dictionary was changed: every name that stands for it sees that. */
static void bind_changed(struct script *s, uint32_t object, const struct value *old, struct value *v)
{
	bawn_bind_again(s, object, v);
	if (v == NULL || old == NULL || !old->aliased)
		return;
	s->e->spent += s->cap_bind * BINDING_LOOKED_AT;
	for (size_t i = 0; i < s->cap_bind; i++)
		if (s->bind[i].name != NULL && s->bind[i].value == old)
			bawn_scope_set(s, s->bind[i].scope, s->bind[i].name, v);
}

void bawn_bind_again(struct script *s, uint32_t object, struct value *v)
{
	if (v != NULL && (node(s, object)->kind == BAWN_K_NAME || node(s, object)->kind == BAWN_K_ATTRIBUTE)) {
		const char *name = bawn_script_dotted(s, object);
		bool plain = node(s, object)->kind == BAWN_K_NAME;
		uint32_t scope = plain && name != NULL ? owner_of(s, name, 0) : 0;
		bawn_scope_set(s, scope, name, v);
	}
}

/* A copy with one item more (at == n_items) or another item there; the old value may still be somebody's. */
static struct value *with_item(struct script *s, const struct value *old, uint32_t at, const char *key, struct value *item)
{
	struct value *v = old->n_items < ITEM_SET_MAX && at <= old->n_items ? bawn_value_new(s->e) : NULL;
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

static struct value *with_key(struct script *s, const struct value *dict, const char *name, struct value *v)
{
	uint32_t at = 0;
	while (dict != NULL && at < dict->n_items && (dict->key[at] == NULL || strcmp(dict->key[at], name) != 0))
		at++;
	return dict != NULL ? with_item(s, dict, at, name, v) : NULL;
}

/* a[i] = v */
static void bind_item(struct script *s, uint32_t target, struct value *v)
{
	uint32_t object = node(s, target)->child, index = child(s, target, BAWN_R_SUBSCRIPT);
	struct value *container = s->val[object], *key = index != 0 ? s->val[index] : NULL;
	if (container == NULL)
		return;
	container->taint |= v->taint | (container->n_items >= ITEM_SET_MAX ? BAWN_TAG(CUT) : 0);
	if (container->is_dict && bawn_value_is_text(key)) {
		const char *name = bawn_arena_text(scratch(s), key->text);
		if (name != NULL)
			bind_changed(s, object, container, with_key(s, container, name, v));
	} else if (container->is_list && !container->choice && key != NULL && key->has_number && key->number >= 0 && key->number < container->n_items) {
		bind_changed(s, object, container, with_item(s, container, (uint32_t)key->number, NULL, v));
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
	const char *last = property != 0 ? bawn_script_dotted(s, property) : bawn_value_is_text(key) ? bawn_arena_text(scratch(s), key->text) : NULL;
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

void bawn_bind_outside(struct script *s, uint32_t i)
{
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next) {
		const char *name = node(s, c)->kind == BAWN_K_NAME ? bawn_script_dotted(s, c) : NULL;
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

/* C.prototype.f = v: each C has it, and inside it is this.f. */
static void bind_prototype(struct script *s, const char *name, struct value *v)
{
	static const char between[] = ".prototype.";
	const char *at = name != NULL && strlen(name) < NAME_MAX_BYTES ? strstr(name, between) : NULL;
	if (at == NULL || v->function == 0)
		return;
	const char *own = at + sizeof between - 1;
	bawn_scope_set(s, 0, bawn_arena_fmt(scratch(s), "this.%s", own), v);
	bawn_scope_set(s, 0, bawn_arena_fmt(scratch(s), "%.*s().%s", (int)(at - name), name, own), v);
}

static void bind_one(struct script *s, uint32_t target, struct value *v)
{
	const struct bawn_node *n = node(s, target);
	if (n->kind == BAWN_K_NAME) {
		const char *name = bawn_script_dotted(s, target);
		uint32_t scope = s->python ? python_scope(s, name) : assigned_scope(s, target, name);
		if (v != NULL && (v->is_list || v->is_dict)) {
			v->aliased = v->aliased || v->named;
			v->named = true;
		}
		bawn_scope_set(s, scope, name, scope == s->scope ? v : bawn_value_either(s, bawn_scope_get(s, scope, name, strlen(name)), v));
		if (in_class(s))
			bawn_bind_member(s, name, v);
		if (s->scope != 0 && name != NULL && bawn_scope_get(s, 0, name, strlen(name)) == NULL)
			bawn_scope_set(s, 0, name, v);  /* `global` may have said so */
	} else if (n->kind == BAWN_K_ATTRIBUTE) {
		uint32_t object = child(s, target, BAWN_R_OBJECT), property = child(s, target, BAWN_R_PROPERTY);
		tell_setting(s, target, v);
		const char *name = bawn_script_dotted(s, target);
		bawn_scope_set(s, 0, name, v);
		if (!s->python && v != NULL)
			bind_prototype(s, name, v);
		if (s->python && object != 0 && property != 0 && s->val[object] != NULL && s->val[object]->name != NULL)
			bawn_bind_attribute(s, object, bawn_script_dotted(s, property), v);
	} else if (n->kind == BAWN_K_SUBSCRIPT && v != NULL) {
		if (!s->python)
			tell_setting(s, target, v);
		uint32_t object = node(s, target)->child, index = child(s, target, BAWN_R_SUBSCRIPT);
		bawn_special_item(s, object != 0 ? s->val[object] : NULL, index != 0 ? s->val[index] : NULL, v);
		bawn_world_item(s, object != 0 ? s->val[object] : NULL, index != 0 ? s->val[index] : NULL, v, target);
		bind_item(s, target, v);
	}
}

/* d.update({...}), d.update(x=...), d.setdefault(k, v), d.__setitem__(k, v) */
static struct value *dict_after(struct script *s, const struct call *c, const struct value *dict)
{
	const char *dot = strrchr(c->name, '.'), *key = NULL;
	struct value *after = NULL;
	if (strcmp(dot, ".update") == 0) {
		const struct value *in = c->n_args > 0 ? c->arg[0] : NULL;
		for (uint32_t i = 0; in != NULL && in->is_dict && !in->choice && i < in->n_items; i++)
			if (in->key[i] != NULL)
				dict = after = with_key(s, dict, in->key[i], in->item[i]);
		for (uint32_t i = 0; i < c->n_keywords; i++)
			if (c->keyword[i].name != NULL)
				dict = after = with_key(s, dict, c->keyword[i].name, c->keyword[i].value);
	} else if ((strcmp(dot, ".setdefault") == 0 || strcmp(dot, ".__setitem__") == 0) && c->n_args == 2) {
		key = bawn_value_is_text(c->arg[0]) ? bawn_arena_text(scratch(s), c->arg[0]->text) : NULL;
		after = key != NULL ? with_key(s, dict, key, c->arg[1]) : NULL;
	}
	return after;
}

void bawn_bind_method(struct script *s, const struct call *c)
{
	uint32_t f = child(s, c->node, BAWN_R_FUNCTION), object = f != 0 ? child(s, f, BAWN_R_OBJECT) : 0;
	const struct value *self = c->function != NULL ? c->function->self : NULL;
	if (object == 0 || c->name == NULL || strrchr(c->name, '.') == NULL)
		return;
	struct value *after = s->python && self != NULL && self->is_dict && !self->choice ? dict_after(s, c, self) : bawn_fold_changed(s, c);
	if (after != NULL)
		bind_changed(s, object, self, after);
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

bool bawn_bind_is_rest(const struct script *s, uint32_t c) { return !s->python && bawn_span_starts(text_of(s, c), "..."); }

uint32_t bawn_bind_inner(const struct script *s, uint32_t c)
{
	if (node(s, c)->kind == BAWN_K_PAIR)
		c = child(s, c, BAWN_R_VALUE);
	bool wrapped = c != 0 && (node(s, c)->kind == BAWN_K_PARAMETER || node(s, c)->kind == BAWN_K_OTHER);
	return wrapped && node(s, c)->child != 0 ? node(s, c)->child : c;
}

static const char *pattern_key(struct script *s, uint32_t c)
{
	uint32_t key = node(s, c)->kind == BAWN_K_PAIR ? child(s, c, BAWN_R_KEY) : bawn_bind_inner(s, c);
	const struct value *v = key != 0 ? s->val[key] : NULL;
	return bawn_value_is_text(v) ? bawn_arena_text(scratch(s), v->text) : key != 0 ? bawn_script_dotted(s, key) : NULL;
}

/* [, , a]: how many are passed over between the end of the one before and a. */
static uint32_t holes_before(const struct script *s, uint32_t from, uint32_t c, bool first)
{
	uint32_t n = 0;
	for (uint32_t i = from; i < node(s, c)->start; i++)
		n += s->t->text.p[i] == ',';
	return first || n == 0 ? n : n - 1;
}

/* {a = b}, [a = b]: b, where there is no a. */
static struct value *or_default(struct script *s, uint32_t c, struct value *part)
{
	if (node(s, c)->kind == BAWN_K_PAIR)
		c = child(s, c, BAWN_R_VALUE);
	uint32_t otherwise = c != 0 && !s->python ? child(s, c, BAWN_R_RIGHT) : 0;
	struct value *v = otherwise != 0 ? s->val[otherwise] : NULL;
	bool known = part != NULL && (bawn_value_is_text(part) || part->has_number || part->is_list || part->is_dict || part->function != 0);
	return v == NULL || known ? part : part == NULL ? v : bawn_value_either(s, part, v);
}

void bawn_bind(struct script *s, uint32_t target, struct value *v)
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
		uint32_t end = n->start;
		for (uint32_t c = n->child; c != 0 && n_todo < PATTERNS_MAX; c = node(s, c)->next, at++) {
			at += !s->python && !object && !same ? holes_before(s, end, c, c == n->child) : 0;
			end = node(s, c)->end;
			uint32_t to = same ? c : bawn_bind_inner(s, c);
			struct value *part = same ? whole : object ? bawn_script_attribute(s, whole, pattern_key(s, c)) : bawn_bind_is_rest(s, c) ? rest_of(s, whole, at) : part_of(s, whole, at);
			if (to == 0)
				continue;
			part = same ? part : or_default(s, c, part);
			if (node(s, to)->kind == BAWN_K_PATTERN || node(s, to)->kind == BAWN_K_LIST || node(s, to)->kind == BAWN_K_PAREN) {
				todo[n_todo].at = to;
				todo[n_todo++].v = part;
			} else {
				bind_one(s, to, part);
			}
		}
	}
}

void bawn_bind_perhaps(struct script *s, uint32_t target, struct value *v)
{
	const char *name = node(s, target)->kind == BAWN_K_NAME ? bawn_script_dotted(s, target) : NULL;
	struct value *old = name != NULL ? bawn_scope_get(s, s->scope, name, strlen(name)) : NULL;
	bawn_bind(s, target, old != NULL && old->imported ? bawn_value_either(s, old, v) : v);
}
