/* loop.c - loops that put something together are read round by round, as far as they are known. */
#include "assess/loop.h"
#include "assess/bind.h"
#include "assess/fold.h"
#include "assess/reader.h"
#include "assess/replay.h"
#include "base/cleanup.h"

#define NODE_LOOKED_AT 4u

/* The items of a list that may be one of several. */
static struct value *all_items(struct script *s, const struct value *v)
{
	struct value *all = NULL;
	for (uint32_t i = 0; v->choice && !v->is_list && i < v->n_items; i++)
		if (v->item[i] != NULL && v->item[i]->is_list && !v->item[i]->choice)
			all = all == NULL ? v->item[i] : bawn_fold_chain(s, all, v->item[i]);
	return all;
}

/* What only a Map has in `for (const [key, value] of map)`: pairs. */
struct value *bawn_loop_items(struct script *s, uint32_t left, uint32_t right)
{
	struct value *in = bawn_fold_sole(s->val[right]);
	struct bawn_span between = { s->t->text.p + node(s, left)->end, node(s, right)->start - node(s, left)->end };
	if (s->python || in == NULL || !in->is_dict || in->choice || memmem(between.p, between.n, "of", 2) == NULL)
		return s->val[right];
	struct value *pairs = bawn_fold_list_op(s, F_ENTRIES, in, &(struct call){ .node = right });
	return pairs != NULL ? pairs : s->val[right];
}

struct value *bawn_loop_element(struct script *s, struct value *v)
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

/* for x in itertools.repeat(y), while not 0: what a loop goes over or asks for never ends. */
void bawn_loop_endless(struct script *s, uint32_t i)
{
	static const char *const name[] = { "itertools.count()", "itertools.cycle()", "itertools.repeat()" };
	const struct value *v = s->val[i];
	uint32_t loop = node(s, i)->parent;
	bool endless = v != NULL && v->cycles;
	for (size_t k = 0; !endless && v != NULL && v->name != NULL && k < BAWN_LEN(name); k++)
		endless = strcmp(v->name, name[k]) == 0;
	if (node(s, i)->role == BAWN_R_CONDITION) {
		bool not = bawn_span_starts(text_of(s, i), "not ") && node(s, i)->child != 0;
		endless = not ? bawn_fold_truth(s->val[node(s, i)->child]) == TRUTH_NO : bawn_fold_truth(v) == TRUTH_YES;
		for (uint32_t k = i, end = subtree_end(s, i); endless && k < end; k++)
			endless = node(s, k)->kind != BAWN_K_NAME && node(s, k)->kind != BAWN_K_CALL;  /* what may change */
	} else if (node(s, loop)->kind == BAWN_K_FOR_IN) {
		loop = node(s, loop)->parent;  /* the comprehension */
	}
	struct engine *e = s->e;
	for (uint32_t k = 0; endless && k < e->n_endless; k++)
		endless = e->endless[k].loop != loop || e->endless[k].tree != s->t;
	if (endless && e->n_endless < ENDLESS_MAX) {
		e->endless[e->n_endless].tree = s->t;
		e->endless[e->n_endless++].loop = loop;
	}
}

/* Does a loop's body put something together, bit by bit? */
static bool accumulates(struct script *s, uint32_t body)
{
	static const char *const adds[] = { "append", "push", "extend", "insert", "unshift", "appendleft" };
	for (uint32_t i = body, end = subtree_end(s, body); i < end; i++) {
		uint32_t right = node(s, i)->kind == BAWN_K_ASSIGN ? child(s, i, BAWN_R_RIGHT) : 0;
		s->e->spent += NODE_LOOKED_AT;  /* loops in loops: once for each */
		if (node(s, i)->kind == BAWN_K_AUGMENT)
			return true;
		if (right != 0 && node(s, right)->kind == BAWN_K_BINARY) {  /* x = x + y, x = y + x */
			uint32_t left = child(s, i, BAWN_R_LEFT);
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

/* A loop is not read to its end: the texts and lists that it puts together are cut. */
static void left_early(struct script *s, uint32_t mark)
{
	for (uint32_t i = mark, n = s->n_trail; i < n; i++) {
		const struct change *c = &s->trail[i];
		struct value *v = bawn_scope_get(s, c->scope, c->name, strlen(c->name));
		if (v == NULL || !(bawn_value_is_text(v) || v->is_list || v->choice))
			continue;
		s->e->cut = true;
		bawn_scope_set(s, c->scope, c->name, bawn_value_cut(s->e, v));
	}
	s->e->cut = false;
}

/* range(10000000): nothing is hidden in it, but whoever goes through it is not followed. */
bool bawn_loop_is_long(const struct value *v) { return v != NULL && !v->choice && v->cut != CUT_NONE; }

/* Reads the body of a loop once more.  False: it was left for good. */
static bool go_round(struct script *s, uint32_t body)
{
	s->loop_sure = s->branches;
	(void)bawn_script_again(s, body, true);
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
	const struct value *in = left != 0 && right != 0 ? bawn_fold_items(s, bawn_loop_items(s, left, right)) : NULL;
	uint32_t n = in != NULL && !in->cycles ? in->n_items : 0, nodes = subtree_end(s, body) - body;
	if ((n == 0 && s->e->cut) || bawn_loop_is_long(right != 0 ? s->val[right] : NULL) || (uint64_t)n * nodes > s->budget / 2)
		left_early(s, mark);
	if (n == 0 || (uint64_t)n * nodes > s->budget / 2)
		return false;
	bawn_scope_rewind(s, mark);
	bool on = true;
	for (uint32_t k = 0; k < n && s->e->error == 0 && on; k++) {
		bawn_bind(s, left, in->item[k] != NULL ? in->item[k] : unknown(s, in->taint));
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
		(void)bawn_script_again(s, first, true);
	while (s->e->error == 0 && s->budget > least) {
		uint32_t before = s->n_trail;
		enum truth t = bawn_fold_truth(bawn_script_again(s, inner(s, condition), true));
		if (t != TRUTH_YES)
			return t == TRUTH_NO;
		if (!go_round(s, body))
			return true;
		if (node(s, loop)->kind == BAWN_K_FOR && step != body && step != 0)
			(void)bawn_script_again(s, step, true);
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
	uint32_t trial = bawn_scope_branch(s), least = s->budget - s->budget / 4;
	if (run_loop(s, loop, body, condition)) {
		bawn_scope_keep(s);
		return true;
	}
	bool early = s->budget <= least;
	bawn_scope_rewind(s, trial);
	trial = bawn_scope_branch(s);
	(void)go_round(s, body);
	if (early)
		left_early(s, trial);
	bawn_scope_join(s, trial);
	return true;
}

bool bawn_loop_unroll(struct script *s, uint32_t body, uint32_t mark)
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

void bawn_read_jump(struct script *s, uint32_t i)
{
	struct bawn_span t = text_of(s, i);
	t.n -= t.n > 0 && t.p[t.n - 1] == ';';
	if (s->looped == 0 || s->branches != s->loop_sure)
		return;
	s->jump = bawn_span_is(t, "continue") ? CONTINUE : bawn_span_is(t, "break") ? BREAK : s->jump;
}
