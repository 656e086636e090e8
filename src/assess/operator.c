/* operator.c - expressions with an operator between their parts, and assignments. */
#include "assess/operator.h"
#include "assess/bind.h"
#include "assess/fold.h"
#include "assess/handed.h"
#include "assess/reader.h"
#include "assess/special.h"

/* for (let i = 0; ...): a number that is another one in the next round. */
static struct value *counted(struct script *s, uint32_t i, struct value *v)
{
	uint32_t p = node(s, i)->parent, below = i;
	if (s->python || s->replay > 0 || v == NULL || !v->has_number)
		return v;
	for (unsigned up = 0; up < 2 && node(s, p)->kind != BAWN_K_FOR; up++)
		below = p, p = node(s, p)->parent;
	if (node(s, p)->kind != BAWN_K_FOR || node(s, p)->child != below)
		return v;
	struct value *round = bawn_value_new(s->e);
	if (round == NULL)
		return v;
	*round = *v;
	round->partial = true;
	return round;
}

struct value *bawn_read_assign(struct script *s, uint32_t i)
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
	struct value *v = counted(s, i, s->val[right]);
	bawn_bind(s, left, v != NULL ? v : unknown(s, 0));
	if (!s->python && v != NULL && v->function != 0 && node(s, left)->kind == BAWN_K_ATTRIBUTE)
		bawn_js_handler(s, left, v->function);
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

struct value *bawn_read_augment(struct script *s, uint32_t i)
{
	uint32_t left = child(s, i, BAWN_R_LEFT), right = child(s, i, BAWN_R_RIGHT);
	if (left == 0 || right == 0)
		return NULL;
	const char *name = bawn_script_dotted(s, left);
	struct value *before = name != NULL ? bawn_script_lookup(s, name, strlen(name)) : NULL;
	struct bawn_span op = between(s, left, right);
	bawn_special_operator(s, op, before, s->val[right]);
	op.n -= op.n > 0 && op.p[op.n - 1] == '=';
	struct value *v = bawn_fold_binary(s, bawn_fold_operator(op), before, s->val[right]);
	s->e->cut = s->e->cut || (((before != NULL ? before->taint : 0) | (s->val[right] != NULL ? s->val[right]->taint : 0)) & BAWN_TAG(CUT)) != 0;
	v = bawn_value_cut(s->e, v);
	bawn_bind(s, left, v != NULL ? v : unknown(s, 0));
	return v;
}

struct value *bawn_read_binary(struct script *s, uint32_t i)
{
	uint32_t left = child(s, i, BAWN_R_LEFT), right = child(s, i, BAWN_R_RIGHT);
	if (left == 0 || right == 0)
		return NULL;
	struct bawn_span op = between(s, left, right);
	char c = bawn_fold_operator(op);
	struct value *a = s->val[left], *b = s->val[right];
	bawn_special_operator(s, op, a, b);
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

struct value *bawn_read_unary(struct script *s, uint32_t i)
{
	uint32_t a = child(s, i, BAWN_R_ARGUMENT);
	return bawn_fold_unary(s, s->t->text.p[node(s, i)->start], a != 0 ? s->val[a] : NULL);
}

/* i++, --i */
struct value *bawn_read_update(struct script *s, uint32_t i)
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
		bawn_bind_again(s, a, after);
	return t.p[0] == '+' || t.p[0] == '-' ? after : before;
}

/* a < b; a chain of them is not known. */
struct value *bawn_read_compare(struct script *s, uint32_t i)
{
	uint32_t side[2], n = 0;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind != BAWN_K_OPERATOR && node(s, c)->kind != BAWN_K_COMMENT && node(s, c)->kind != BAWN_K_BACKGROUND && n++ < 2)
			side[n - 1] = c;
	if (n != 2)
		return NULL;
	struct bawn_span op = between(s, side[0], side[1]);
	bawn_special_operator(s, op, s->val[side[0]], s->val[side[1]]);
	return bawn_fold_binary(s, bawn_fold_operator(op), s->val[side[0]], s->val[side[1]]);
}

/* x if c else y, c ? x : y: the one it must be, or either. */
struct value *bawn_read_conditional(struct script *s, uint32_t i)
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

struct value *bawn_read_boolean(struct script *s, uint32_t i)
{
	uint32_t left = child(s, i, BAWN_R_LEFT), right = child(s, i, BAWN_R_RIGHT);
	return left != 0 && right != 0 ? bawn_fold_binary(s, bawn_fold_operator(between(s, left, right)), s->val[left], s->val[right]) : NULL;
}
