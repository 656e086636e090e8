/* script.c - reads Python and JavaScript: one walk, children before parents, in the order of the text.
 *
 * Each node's value is known when its last child has been left, so calls see their arguments, names
 * see the assignments above them, and no function here calls itself however deep the text is nested.
 * Files with functions are walked twice: the first time quietly, so that what is assigned or returned
 * further down is known when it counts. */
#include "assess/script.h"
#include <stdlib.h>
#include "assess/bind.h"
#include "assess/branch.h"
#include "assess/call.h"
#include "assess/comprehension.h"
#include "assess/fold.h"
#include "assess/import.h"
#include "assess/handed.h"
#include "assess/javascript.h"
#include "assess/literal.h"
#include "assess/loop.h"
#include "assess/match.h"
#include "assess/mayrun.h"
#include "assess/operator.h"
#include "assess/parameter.h"
#include "assess/reader.h"
#include "assess/reference.h"
#include "assess/special.h"
#include "base/cleanup.h"

#define REPLAY_NODES   200000u
#define UNREAD_MAX     64u       /* bytes given to functions that were not read again */
#define YIELDS_MAX     64u
#define THROWN         "throw()"  /* a name no program can have */

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
	return child(s, i, BAWN_R_ARGUMENT) != 0 ? bawn_read_update(s, i) : first_child(s, i);
}

/* Which catch a throw reaches is only known at run time: any of the file may be meant. */
static void note_thrown(struct script *s, struct value *v)
{
	struct value *before = bawn_scope_get(s, 0, THROWN, strlen(THROWN));
	if (v != NULL && !s->python)
		bawn_scope_set(s, 0, THROWN, bawn_value_either(s, before, v));
}

static void bind_caught(struct script *s, uint32_t i)
{
	uint32_t name = child(s, i, BAWN_R_PARAMETERS);
	struct value *thrown = name != 0 && !s->python ? bawn_scope_get(s, 0, THROWN, strlen(THROWN)) : NULL;
	if (thrown != NULL && thrown->imported)
		bawn_bind(s, name, thrown);
	else if (thrown != NULL && (thrown->taint & FLOWS) != 0)
		bawn_bind(s, name, unknown(s, thrown->taint & FLOWS & ~BAWN_TAG(INPUT)));
}

/* A generator is gone through like a list: of this, and more. */
static struct value *yielded(struct script *s, struct value *v)
{
	struct value *list = bawn_fold_list(s, 1, v->taint);
	if (list != NULL)
		list->item[0] = v, list->partial = true;
	return list;
}

/* In Python all that is yielded is kept in one list. */
static void add_yielded(struct script *s, uint32_t i, struct value *v)
{
	bool each = bawn_span_starts(text_of(s, i), s->python ? "yield from" : "yield*");
	struct value *before = s->python && s->scope != 0 ? bawn_scope_get(s, s->scope, "()", 2) : NULL;
	const struct value *in = each && s->python ? bawn_fold_items(s, v) : NULL;
	if (!s->python || s->scope == 0 || (each && in == NULL)) {
		set_result(s, s->scope, !each ? yielded(s, v) : s->python ? unknown(s, v->taint) : v);
		return;
	}
	bool list = before != NULL && before->is_list && before->partial && before->n_items < YIELDS_MAX;
	struct value *now = list ? before : bawn_fold_list(s, 0, before != NULL ? before->taint : 0);
	for (uint32_t k = 0; now != NULL && k < (each ? in->n_items : 1); k++)
		now = bawn_fold_append(s, now, each ? in->item[k] : v);
	if (now == NULL)
		return;
	now->partial = true;
	bawn_scope_set(s, s->scope, "()", now);
}

/* A getter of a class is read like what it gives. */
static void read_getter(struct script *s, uint32_t i)
{
	uint32_t name = child(s, i, BAWN_R_NAME);
	struct bawn_span t = text_of(s, i);
	struct value *v = name != 0 && (bawn_span_starts(t, "get ") || bawn_span_starts(t, "static get ")) ? bawn_scope_get(s, i, "()", 2) : NULL;
	if (v != NULL)
		bawn_bind_member(s, bawn_script_dotted(s, name), v);
}

static struct value *read_adjacent(struct script *s, uint32_t i)
{
	struct value *v = NULL;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		v = v == NULL ? s->val[c] : s->val[c] != NULL ? bawn_fold_concat(s, v, s->val[c]) : v;
	return v;
}

/* with a as b, except a as b, case a as b */
static struct value *read_as(struct script *s, uint32_t i)
{
	uint32_t first = node(s, i)->child;
	for (uint32_t c = first; c != 0; c = node(s, c)->next)
		if (node(s, c)->role == BAWN_R_ALIAS || node(s, c)->kind == BAWN_K_AS_TARGET)
			bawn_bind_perhaps(s, node(s, c)->kind == BAWN_K_AS_TARGET && node(s, c)->child != 0 ? node(s, c)->child : c,
			                  s->val[first] != NULL ? bawn_special_entered(s, s->val[first]) : unknown(s, 0));
	return first != 0 ? s->val[first] : NULL;
}

/* @f without arguments is a call of f. */
static void read_decorator(struct script *s, uint32_t i)
{
	struct value *v = first_child(s, i), *one[1] = { NULL };
	if (v == NULL || v->name == NULL || node(s, node(s, i)->child)->kind == BAWN_K_CALL)
		return;
	struct fact f = { .kind = BAWN_MATCH_CALL, .name = v->name, .arg = one, .n_args = 1, .node = i, .folded = v->name };
	(void)bawn_engine_fact(s->e, &f);
}

static struct value *leave_statement(struct script *s, uint32_t i)
{
	switch (node(s, i)->kind) {
	case BAWN_K_AS:         return read_as(s, i);
	case BAWN_K_IMPORT:
		if (s->python)
			bawn_read_import(s, i);
		else
			bawn_read_js_import(s, i);
		return NULL;
	case BAWN_K_IMPORT_FROM: bawn_read_import(s, i); return NULL;
	case BAWN_K_RETURN:     set_result(s, s->scope, first_child(s, i)); return NULL;
	case BAWN_K_YIELD:      /* what comes out of a generator is some of these */
		for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
			if (s->val[c] != NULL)
				add_yielded(s, i, s->val[c]);
		return s->python ? NULL : first_child(s, i);  /* compiled code awaits with it */
	case BAWN_K_DECORATOR:  read_decorator(s, i); return NULL;
	case BAWN_K_THROW:      note_thrown(s, first_child(s, i)); return NULL;
	case BAWN_K_OTHER:
		bawn_read_jump(s, i);
		if (s->python && (bawn_span_starts(text_of(s, i), "global ") || bawn_span_starts(text_of(s, i), "nonlocal ")))
			bawn_bind_outside(s, i);
		return s->t->grammar == BAWN_GRAMMAR_JAVASCRIPT && node(s, i)->child != 0 ? read_other(s, i) : NULL;
	default:
		return NULL;
	}
}

static struct value *leave(struct script *s, uint32_t i)
{
	struct value *v = NULL;
	switch (node(s, i)->kind) {
	case BAWN_K_NAME:       return bawn_read_name(s, i);
	case BAWN_K_STRING: case BAWN_K_TEMPLATE:
		v = bawn_script_literal(s, i);
		string_fact(s, i, v);
		return v;
	case BAWN_K_ADJACENT:   return read_adjacent(s, i);
	case BAWN_K_INTEGER:    return bawn_script_integer(s, i);
	case BAWN_K_TRUE:       return bawn_script_named(s, "True", false);
	case BAWN_K_FALSE:      return bawn_script_named(s, "False", false);
	case BAWN_K_NONE:       return bawn_script_named(s, "None", false);
	case BAWN_K_CALL: case BAWN_K_NEW: return bawn_read_call(s, i);
	case BAWN_K_ATTRIBUTE:  return bawn_read_attribute(s, i);
	case BAWN_K_SUBSCRIPT:  return bawn_read_subscript(s, i);
	case BAWN_K_BINARY:
		v = bawn_read_binary(s, i);
		if (v != NULL && node(s, node(s, i)->parent)->kind != BAWN_K_BINARY)
			string_fact(s, i, v);
		return v;
	case BAWN_K_UNARY:      return bawn_read_unary(s, i);
	case BAWN_K_LIST:       return bawn_script_collection(s, i, false);
	case BAWN_K_DICT:       return bawn_script_collection(s, i, true);
	case BAWN_K_PAREN: case BAWN_K_AWAIT: case BAWN_K_SPLAT: case BAWN_K_INSERT:
		return first_child(s, i);
	case BAWN_K_SEQUENCE:   return last_child(s, i);
	case BAWN_K_REGEX:
		pattern_fact(s, i);
		return bawn_fold_pattern(s, text_of(s, i));
	case BAWN_K_CONDITIONAL: return bawn_read_conditional(s, i);
	case BAWN_K_BOOLEAN:    return bawn_read_boolean(s, i);
	case BAWN_K_COMPARE:    return bawn_read_compare(s, i);
	case BAWN_K_COMPREHENSION: return bawn_read_comprehension(s, i);
	case BAWN_K_ASSIGN: case BAWN_K_WALRUS: return bawn_read_assign(s, i);
	case BAWN_K_AUGMENT:    return bawn_read_augment(s, i);
	case BAWN_K_LAMBDA:
		v = bawn_value_new(s->e);
		if (v != NULL)
			v->function = i;
		return v;
	default:                return leave_statement(s, i);
	}
}

/* A loop in which nothing is called and that nothing leaves only uses up a processor. */
static void endless(struct script *s, uint32_t i)
{
	static const char *const leaves[] = { "break", "return", "yield", "raise", "throw", "await", "del ", "[" };
	uint32_t body = child(s, i, BAWN_R_BODY);
	struct bawn_span t = body != 0 ? text_of(s, body) : bawn_span("(");
	bool spins = memchr(t.p, '(', t.n) == NULL;
	s->e->spent += t.n;
	for (size_t k = 0; k < BAWN_LEN(leaves); k++)
		spins = spins && memmem(t.p, t.n, leaves[k], strlen(leaves[k])) == NULL;
	(void)bawn_engine_event(s->e, "endless-loop", i, NULL);
	if (spins)
		(void)bawn_engine_event(s->e, "spin", i, NULL);
}

/* A function gets its name. */
static void define(struct script *s, uint32_t i)
{
	uint32_t name = child(s, i, BAWN_R_NAME);
	struct value *v = name != 0 ? bawn_value_new(s->e) : NULL;
	if (v == NULL)
		return;
	v->function = i;
	const char *own = bawn_script_dotted(s, name);
	if (s->python || (!in_class(s) && node(s, node(s, i)->parent)->kind != BAWN_K_DICT))  /* a method has no name of its own */
		bawn_scope_set(s, s->scope, own, v);
	if (in_class(s))
		bawn_bind_member(s, own, v);
	s->specials = s->specials || (s->python && in_class(s) && own != NULL && strncmp(own, "__", 2) == 0 && strcmp(own, "__init__") != 0);
	struct fact f = { .kind = BAWN_MATCH_NAME, .node = name, .name = bawn_arena_fmt(scratch(s), "def.%s", own != NULL ? own : "") };
	(void)bawn_engine_fact(s->e, &f);
}

/* Things to know before the children are read. */
static void enter(struct script *s, uint32_t i)
{
	static const struct call none = { 0 };
	const struct bawn_node *n = node(s, i);
	switch (n->kind) {
	case BAWN_K_FUNCTION: case BAWN_K_LAMBDA:
		if (n->kind == BAWN_K_FUNCTION)
			define(s, i);
		s->outer[i] = s->scope;
		s->scope = i;
		bawn_bind_parameters(s, i, &none, false);
		if (!s->python)
			bawn_js_enter(s, i);
		return;
	case BAWN_K_CLASS:
		s->class_ = i;
		if (s->python) {  /* of a class of the program they are classes of the program */
			bawn_bind_member(s, "__subclasses__", bawn_script_named(s, "own_subclasses", false));
			bawn_class_begin(s, i);
		}
		return;
	case BAWN_K_CASE:
		if (s->python)
			bawn_match_case(s, i);
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
			endless(s, i);
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

/* Is what the node stands for made of what its children stand for? */
static bool is_made(uint8_t kind)
{
	return kind == BAWN_K_BINARY || kind == BAWN_K_SUBSCRIPT || kind == BAWN_K_ATTRIBUTE || kind == BAWN_K_BOOLEAN || kind == BAWN_K_UNARY ||
	       kind == BAWN_K_STRING || kind == BAWN_K_TEMPLATE || kind == BAWN_K_ADJACENT || kind == BAWN_K_COMPREHENSION;
}

/* What was cut stays so, whatever is made of it. */
static struct value *still_cut(struct script *s, uint32_t i, struct value *v)
{
	for (uint32_t c = is_made(node(s, i)->kind) ? node(s, i)->child : 0; c != 0; c = node(s, c)->next)
		s->e->cut = s->e->cut || (s->val[c] != NULL && (s->val[c]->taint & BAWN_TAG(CUT)) != 0);
	return bawn_value_cut(s->e, v);
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
		if (n->kind == BAWN_K_FUNCTION && !s->python && in_class(s))
			read_getter(s, i);
	}
	if (n->kind == BAWN_K_CLASS)
		s->class_ = around(s, i);
	uint32_t mark = s->mark[i];
	s->mark[i] = 0;
	if (mark != 0 && !bawn_loop_unroll(s, i, mark - 1))
		bawn_scope_join(s, mark - 1);
	s->val[i] = still_cut(s, i, leave(s, i));
	uint8_t parent = node(s, n->parent)->kind;
	if (n->kind == BAWN_K_PAREN && parent == BAWN_K_OTHER && s->val[i] != NULL && s->val[i]->imported && bawn_span_starts(text_of(s, n->parent), "with"))
		bawn_import_star(s, s->val[i]->name, i);
	uint32_t otherwise = n->kind == BAWN_K_PARAMETER && parent == BAWN_K_PARAMETERS && !s->python && s->replay == 0 ? child(s, i, BAWN_R_RIGHT) : 0;
	if (otherwise != 0 && node(s, otherwise)->kind == BAWN_K_ATTRIBUTE)
		bawn_bind_parameters(s, s->scope, &(struct call){ 0 }, false);  /* (a = this.b): only now it is known */
	if (s->python && n->role == BAWN_R_CONDITION && parent == BAWN_K_WHILE)
		bawn_loop_endless(s, i);
	if (n->role == BAWN_R_RIGHT && (parent == BAWN_K_FOR || parent == BAWN_K_FOR_IN)) {
		if (s->python)
			bawn_loop_endless(s, i);
		uint32_t left = child(s, n->parent, BAWN_R_LEFT);
		if (left != 0)
			bawn_bind_perhaps(s, left, bawn_loop_element(s, bawn_loop_items(s, left, i)));
	}
}

void bawn_script_walk(struct script *s, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to && s->e->error == 0 && !s->returned && s->jump == GO_ON; i++) {
		enum truth taken = bawn_is_taken(s, i);
		uint32_t at = s->at = i;
		bool skipped = taken == TRUTH_NO;
		if (skipped) {
			s->val[i] = NULL;
			i = subtree_end(s, i) - 1;
		} else {
			enter(s, i);
			if (taken == TRUTH_UNKNOWN && i != s->looped && bawn_is_branch(s, i))
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

/* Data that goes through functions in the order opposite to that of the text: each is read with what
 * the one after it gave. */
static void read_late(struct script *s)
{
	for (uint32_t i = 0; i < s->n_late && s->e->error == 0; i++) {
		uint32_t f = s->late[i], end = subtree_end(s, f);
		if (s->budget < end - f)
			return;
		s->budget -= end - f;
		s->scope = s->outer[f];
		s->class_ = around(s, f);
		bawn_script_walk(s, f, end);
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
	s.told = calloc(t->n, sizeof *s.told);
	bool functions = false;
	for (size_t i = 0; i < t->n && !functions; i++)
		functions = t->node[i].kind == BAWN_K_FUNCTION || t->node[i].kind == BAWN_K_LAMBDA;
	if (s.val == NULL || s.outer == NULL || s.mark == NULL || s.builds == NULL || s.told == NULL || !bawn_scope_grow(&s)) {
		if (e->error == 0)
			e->error = bawn_fail(e->err, -ENOMEM, "assess the code");
	} else {
		bool quiet = e->quiet;
		if (!s.python)
			bawn_js_shapes(&s);
		s.arguments = !s.python && memmem(t->text.p, t->text.n, "arguments[", 10) != NULL;
		if (functions) {
			e->quiet = true;
			bawn_script_walk(&s, 0, (uint32_t)t->n);
			e->quiet = quiet;
			s.scope = 0;
		}
		bawn_script_walk(&s, 0, (uint32_t)t->n);
		read_late(&s);
		if (s.unread > UNREAD_MAX)
			(void)bawn_engine_event(e, "cut-short", 0, NULL);
		bawn_script_may_run(&s);
		bawn_module_export(&s);
	}
	free(s.val);
	free(s.outer);
	free(s.mark);
	free(s.builds);
	free(s.told);
}
