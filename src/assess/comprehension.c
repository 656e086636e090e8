/* comprehension.c - [x for y in z if c] and its like, item by item where all of it is known. */
#include "assess/comprehension.h"
#include "assess/bind.h"
#include "assess/fold.h"
#include "assess/loop.h"
#include "assess/reader.h"
#include "assess/replay.h"

#define CLAUSES_MAX 6u

/* Gathers what a comprehension gives, one clause inside the other; a clause is `for x in y` or `if x`. */
struct gather { uint32_t body; bool pairs, loud; struct value *out, *keys; };

static bool is_clause(const struct script *s, uint32_t i)
{
	return i != 0 && (node(s, i)->kind == BAWN_K_FOR_IN || node(s, i)->kind == BAWN_K_IF || node(s, i)->kind == BAWN_K_OTHER);
}

static bool keep(struct script *s, struct gather *g)
{
	struct value *v = bawn_script_again(s, g->body, !g->loud), *key = NULL;
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
				level[depth].in = bawn_fold_items(s, right == 0 ? NULL : depth == 0 ? s->val[right] : bawn_script_again(s, right, true));
				level[depth].at = 0;
				if (level[depth].in == NULL)
					return false;
			}
			if (level[depth].at < level[depth].in->n_items) {
				struct value *x = level[depth].in->item[level[depth].at++];
				bawn_bind(s, child(s, clause[depth], BAWN_R_LEFT), x != NULL ? x : unknown(s, level[depth].in->taint));
				depth++;
				down = true;
				continue;
			}
			down = false;
		} else if (down) {
			uint32_t test = node(s, clause[depth])->child;
			enum truth t = bawn_fold_truth(test != 0 ? bawn_script_again(s, test, true) : NULL);
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

struct value *bawn_read_comprehension(struct script *s, uint32_t i)
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
		for (uint32_t k = 0; k < n && k < CLAUSES_MAX; k++) {  /* too long to be gone through */
			const struct value *in = child(s, clause[k], BAWN_R_RIGHT) != 0 ? s->val[child(s, clause[k], BAWN_R_RIGHT)] : NULL;
			s->e->cut = s->e->cut || bawn_loop_is_long(in);
		}
		struct value *one = bawn_script_again(s, body, !g.loud);
		v = !g.pairs && bawn_value_is_text(one) ? bawn_fold_list(s, 1, one->taint) : unknown(s, one != NULL ? one->taint : 0);
		if (v != NULL && v->is_list)
			v->item[0] = one, v->partial = true;  /* and more of the kind */
	}
	if (v != NULL)
		v->taint |= taint;
	return v;
}
