/* reference.c - names, attributes and subscripts where they are read: what they stand for, and telling it. */
#include "assess/reference.h"
#include "assess/reader.h"
#include "assess/special.h"
#include "assess/text.h"

static void name_fact(struct script *s, uint32_t i, struct value *v, bool called)
{
	struct fact f = { .kind = BAWN_MATCH_NAME, .name = v->name, .node = i };
	struct bawn_span written = text_of(s, i);
	f.folded = bawn_span_is(written, v->name) ? NULL : v->name;
	v->taint |= bawn_engine_fact(s->e, &f) & FLOWS;
	if (called)
		return;
	f.kind = BAWN_MATCH_CALL;  /* handed on as a value, somebody else will call it */
	s->hands_on = (bawn_engine_fact(s->e, &f) & BAWN_TAG(EXEC)) != 0 || s->hands_on;
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

struct value *bawn_read_name(struct script *s, uint32_t i)
{
	struct bawn_span t = bawn_script_short_name(s, text_of(s, i));
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

struct value *bawn_read_attribute(struct script *s, uint32_t i)
{
	uint32_t object = child(s, i, BAWN_R_OBJECT), property = child(s, i, BAWN_R_PROPERTY);
	if (object == 0 || property == 0)
		return NULL;
	/* `self.x` was bound by its spelling. */
	const char *spelled = node(s, object)->kind == BAWN_K_NAME ? bawn_script_dotted(s, i) : NULL;
	struct value *own = spelled != NULL && s->cap_bind > 0 ? bawn_scope_get(s, 0, spelled, strlen(spelled)) : NULL;
	const char *name = bawn_script_dotted(s, property);
	struct value *v = own != NULL ? own : name != NULL ? bawn_fold_member(s, s->val[object], name) : NULL;
	v = v != NULL ? v : bawn_script_attribute(s, s->val[object], name);
	bool target = !is_use(s, i);
	if (own != NULL && (own->name == NULL || strcmp(own->name, "own_subclasses") != 0) && !target && name != NULL && name[0] == '_' && name[1] == '_') {  /* set before, and still what it is */
		struct value whole = { .name = bawn_arena_fmt(scratch(s), "?.%s", name) };
		name_fact(s, i, &whole, true);
	}
	if (v != NULL && v->name != NULL && !target)
		name_fact(s, i, v, called(s, i) || own != NULL || node(s, node(s, i)->parent)->kind == BAWN_K_ATTRIBUTE);
	return v;
}

/* this['on_' + name](...): any method whose name begins like that. */
static struct value *any_method(struct script *s, const struct value *index, struct value *otherwise)
{
	struct bawn_span t = bawn_value_is_text(index) ? index->text : bawn_span("");
	const char *gap = memmem(t.p, t.n, "{}", 2);
	if (gap == NULL && t.n > 0)
		return otherwise;
	struct value *v = bawn_scope_functions(s, bawn_arena_fmt(scratch(s), "this.%.*s", gap != NULL ? (int)(gap - t.p) : 0, t.p));
	return v != NULL ? v : otherwise;
}

/* process[decode(x)]: a member of something we know, by a name that is known only when it is decoded. */
static bool is_hidden(const struct script *s, const struct value *object, const struct value *index)
{
	bool decoded = index != NULL && (index->taint & (BAWN_TAG(DECODE) | BAWN_TAG(OBFUSCATED))) != 0;
	bool known = index != NULL && ((bawn_value_is_text(index) && !index->partial) || index->choice) && (index->taint & BAWN_TAG(INPUT)) == 0;  /* not only in another call */
	return !s->python && decoded && !known && !index->has_number &&
	       object != NULL && object->name != NULL && !object->is_dict && !object->is_list;
}

struct value *bawn_read_subscript(struct script *s, uint32_t i)
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
	bawn_special_item(s, s->val[object], s->val[index], NULL);
	if (!s->python && called(s, i) && v != NULL && v->function == 0 && bawn_span_is(text_of(s, object), "this"))
		v = any_method(s, s->val[index], v);
	if (called(s, i) && is_hidden(s, s->val[object], s->val[index]))
		(void)bawn_engine_event(s->e, "hidden-member", i, NULL);
	if (v != NULL && v->name != NULL && is_use(s, i))
		name_fact(s, i, v, called(s, i));
	return v;
}
