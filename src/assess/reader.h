/* reader.h - what each part of the Python and JavaScript reader asks of the tree. */
#pragma once
#include "assess/script.h"

static inline struct arena *scratch(struct script *s) { return &s->e->scratch; }
static inline const struct bawn_node *node(const struct script *s, uint32_t i) { return &s->t->node[i]; }
static inline struct bawn_span text_of(const struct script *s, uint32_t i) { return bawn_node_text(s->t, i); }
static inline uint32_t child(const struct script *s, uint32_t i, enum bawn_role role) { return bawn_node_child(s->t, i, role); }

/* The node after `i` and all that is in it. */
static inline uint32_t subtree_end(const struct script *s, uint32_t i)
{
	uint32_t p = i;
	while (p != 0 && node(s, p)->next == 0)
		p = node(s, p)->parent;
	return p == 0 ? (uint32_t)s->t->n : node(s, p)->next;
}

static inline struct value *unknown(struct script *s, uint64_t taint)
{
	struct value *v = bawn_value_new(s->e);
	if (v != NULL)
		v->taint = taint;
	return v;
}

/* A name that is too long goes by its beginning and what the rest comes to. */
struct bawn_span bawn_script_short_name(struct script *s, struct bawn_span t);
/* The text of a node as a name, `a` or `a.b`; NULL: it is too long for one. */
const char *bawn_script_dotted(struct script *s, uint32_t i);
