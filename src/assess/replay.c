/* replay.c - a body that is read once more, with its variables bound: for one call, element or round.
 *
 * It costs: how deep, how many nodes and how much memory are bounded, and past that its value is not known. */
#include "assess/replay.h"
#include "assess/parameter.h"
#include "assess/reader.h"

/* Is there budget and memory for reading a body once more? */
static bool enough(const struct script *s, uint32_t body)
{
	return s->budget >= subtree_end(s, body) - body && s->e->scratch.total <= s->e->scratch.max / 4;
}

struct value *bawn_script_again(struct script *s, uint32_t body, bool quiet)
{
	uint32_t end = subtree_end(s, body), class_ = s->class_;
	if (s->replay >= REPLAY_MAX || !enough(s, body))
		return NULL;
	bool before = s->e->quiet;
	s->budget -= end - body;
	s->replay++;
	s->e->quiet = before || quiet;
	bawn_script_walk(s, body, end);
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
	bawn_bind_parameters(s, function, c, true);
	bawn_scope_set(s, function, "()", NULL);
	struct value *v = bawn_script_again(s, body, true);
	s->sure = sure;
	s->calling = calling;
	s->returned = false;
	if (node(s, body)->kind == BAWN_K_BLOCK)
		v = bawn_scope_get(s, function, "()", 2);
	s->scope = saved;
	bawn_scope_rewind(s, mark);
	return v;
}
