/* parameter.c - what the parameters of a function stand for: in one call, or in any that was seen. */
#include "assess/parameter.h"
#include "assess/bind.h"
#include "assess/fold.h"
#include "assess/reader.h"
#include "base/cleanup.h"

static uint32_t parameter_name(const struct script *s, uint32_t p)
{
	uint32_t name = node(s, p)->kind == BAWN_K_PARAMETER && node(s, p)->child != 0 ? node(s, p)->child : p;
	while (s->python && node(s, name)->kind == BAWN_K_OPERATOR && node(s, name)->next != 0)  /* the star of *x */
		name = node(s, name)->next;
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
	bawn_bind(s, target, v);
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

#define TELLING (FLOWS & ~(BAWN_TAG(INPUT) | BAWN_TAG(BUILT) | BAWN_TAG(OWN_TEXT) | BAWN_TAG(SPELLED)))

/* A body that stands before the call and was read without what the call gives is read once more. */
static void note_late(struct script *s, uint32_t function, const struct value *before, const struct value *now)
{
	uint64_t more = now != NULL ? now->taint & TELLING & ~(before != NULL ? before->taint : 0) : 0;
	if (more == 0 || s->python || s->e->quiet || s->replay > 0 || function >= s->at || s->n_late == BAWN_LEN(s->late))
		return;
	for (uint32_t i = 0; i < s->n_late; i++)
		if (s->late[i] == function)
			return;
	s->late[s->n_late++] = function;
}

/* ([a, b]) => ...: taken apart is whatever any call gave. */
static void bind_pattern(struct script *s, uint32_t function, uint32_t p, uint32_t at, struct value *now, bool exact)
{
	const char *whole = exact ? NULL : bawn_arena_fmt(scratch(s), "%u()", at);  /* a name no program can have */
	struct value *before = whole != NULL ? bawn_scope_get(s, function, whole, strlen(whole)) : NULL;
	struct value *v = before != NULL ? bawn_value_either(s, before, now) : now;
	if (!exact)
		note_late(s, function, before, now);
	if (whole != NULL)
		bawn_scope_set(s, function, whole, v);
	bind_in(s, function, bawn_bind_inner(s, p), v);
}

/* **options */
static struct value *options_of(struct script *s, const struct call *c)
{
	struct value *keys = bawn_fold_list(s, c->n_keywords, 0), *items = bawn_fold_list(s, c->n_keywords, 0);
	if (c->n_keywords == 0 || keys == NULL || items == NULL)
		return NULL;
	for (uint32_t i = 0; i < c->n_keywords; i++) {
		keys->item[i] = c->keyword[i].name != NULL ? bawn_value_text(s->e, bawn_span(c->keyword[i].name)) : NULL;
		items->item[i] = c->keyword[i].value;
		items->taint |= c->keyword[i].value != NULL ? c->keyword[i].value->taint : 0;
	}
	return bawn_fold_dict(s, keys, items);
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

/* function () { arguments[0]... } */
static void bind_arguments(struct script *s, uint32_t function, const struct call *c, bool exact)
{
	struct value *before = exact ? NULL : bawn_scope_get(s, function, "arguments", 9), *now = rest_of_arguments(s, c, 0);
	if (now != NULL)
		bawn_scope_set(s, function, "arguments", bawn_value_either(s, before, now));
}

void bawn_bind_parameters(struct script *s, uint32_t function, const struct call *c, bool exact)
{
	uint32_t list = child(s, function, BAWN_R_PARAMETERS), at = 0;
	bool single = list != 0 && node(s, list)->kind == BAWN_K_NAME;
	if (s->arguments && c->n_args > 0)
		bind_arguments(s, function, c, exact);
	for (uint32_t p = list == 0 ? 0 : single ? list : node(s, list)->child; p != 0; p = single ? 0 : node(s, p)->next) {
		uint32_t name = parameter_name(s, p);
		uint32_t otherwise = child(s, p, BAWN_R_VALUE) != 0 ? child(s, p, BAWN_R_VALUE) : child(s, p, BAWN_R_RIGHT);
		if (name == 0 && !s->python && at < c->n_args && c->arg[at] != NULL)
			bind_pattern(s, function, p, at, c->arg[at], exact);
		else if (name == 0 && !s->python && otherwise != 0 && s->val[otherwise] != NULL)
			bind_pattern(s, function, p, at, s->val[otherwise], exact);
		at += name == 0 && !s->python && node(s, p)->kind != BAWN_K_COMMENT;
		const char *t = name != 0 ? bawn_script_dotted(s, name) : NULL;
		if (t == NULL || (at == 0 && s->python && (strcmp(t, "self") == 0 || strcmp(t, "cls") == 0)))
			continue;
		bool options = s->python && bawn_span_starts(text_of(s, p), "**"), rest = bawn_bind_is_rest(s, p) || (s->python && !options && bawn_span_starts(text_of(s, p), "*"));
		struct value *before = bawn_scope_get(s, function, t, strlen(t)), *now = options ? options_of(s, c) : rest ? rest_of_arguments(s, c, at) : given(c, at, t);
		if (now == NULL && otherwise != 0)
			now = s->val[otherwise];
		if (now == NULL)
			now = before == NULL || exact ? unknown(s, BAWN_TAG(INPUT)) : before;
		if (!exact)
			note_late(s, function, before, now);
		bawn_scope_set(s, function, t, exact ? now : not_told_yet(before) ? told(s, now) : bawn_value_either(s, before, now));
		at++;
	}
}

void bawn_script_hand(struct script *s, uint32_t function, struct value **arg, uint32_t n)
{
	struct call c = { .arg = arg, .n_args = n };
	bawn_bind_parameters(s, function, &c, false);
}
