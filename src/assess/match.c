/* match.c - the patterns of Python's `case`: names in them stand for the subject, or for parts of it. */
#include "assess/match.h"
#include "assess/literal.h"
#include "assess/reader.h"

#define PATTERNS_MAX 32u

struct part { uint32_t at; struct value *v; };
struct parts { struct part todo[PATTERNS_MAX]; size_t n; };

static void push(struct parts *p, uint32_t at, struct value *v)
{
	if (at != 0 && p->n < PATTERNS_MAX)
		p->todo[p->n++] = (struct part){ at, v };
}

static uint32_t last_of(const struct script *s, uint32_t i)
{
	uint32_t last = 0;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		last = c;
	return last;
}

/* name=pattern: the first child is the name. */
static bool is_keyword(const struct script *s, uint32_t i)
{
	uint32_t name = node(s, i)->child, sign = name != 0 ? node(s, name)->next : 0;
	return sign != 0 && node(s, name)->kind == BAWN_K_NAME && bawn_span_is(text_of(s, sign), "=");
}

/* Class(a, b=c): b is an attribute; what stands without a name may be the subject itself, as in str(a). */
static void push_class(struct script *s, struct parts *p, uint32_t i, struct value *v)
{
	for (uint32_t c = node(s, node(s, i)->child)->next; c != 0; c = node(s, c)->next) {
		uint32_t inner = node(s, c)->kind == BAWN_K_OTHER && node(s, c)->child != 0 ? node(s, c)->child : c;
		if (is_keyword(s, inner))
			push(p, last_of(s, inner), bawn_script_attribute(s, v, bawn_script_dotted(s, node(s, inner)->child)));
		else
			push(p, c, v);
	}
}

/* {'key': pattern} */
static void push_items(struct script *s, struct parts *p, uint32_t i, struct value *v)
{
	struct value *key = NULL;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->role == BAWN_R_KEY)
			key = node(s, c)->kind == BAWN_K_STRING ? bawn_script_literal(s, c) : NULL;
		else if (node(s, c)->role == BAWN_R_VALUE)
			push(p, c, key != NULL ? bawn_fold_subscript(s, v, key) : unknown(s, v != NULL ? v->taint : 0));
}

static void push_sequence(struct script *s, struct parts *p, uint32_t i, const struct value *v)
{
	bool list = v != NULL && v->is_list && !v->choice;
	uint32_t k = 0;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next, k++) {
		list = list && !bawn_span_starts(text_of(s, c), "*");  /* after it, it is not known which */
		push(p, c, list && k < v->n_items ? v->item[k] : unknown(s, v != NULL ? v->taint : 0));
	}
}

static void push_other(struct script *s, struct parts *p, uint32_t i, struct value *v)
{
	struct bawn_span t = text_of(s, i);
	uint32_t first = node(s, i)->child, next = first != 0 ? node(s, first)->next : 0;
	bool class_ = first != 0 && node(s, first)->kind == BAWN_K_DOTTED && node(s, first)->end < node(s, i)->end && s->t->text.p[node(s, first)->end] == '(';
	if (first != 0 && node(s, first)->start == node(s, i)->start && node(s, first)->end == node(s, i)->end)
		push(p, first, v);
	else if (class_)
		push_class(s, p, i, v);
	else if (bawn_span_starts(t, "{"))
		push_items(s, p, i, v);
	else if (bawn_span_starts(t, "*"))
		push(p, last_of(s, i), unknown(s, v != NULL ? v->taint : 0));
	else if (next == 0 || bawn_span_is(text_of(s, next), "|"))
		for (uint32_t c = first; c != 0; c = node(s, c)->next)
			push(p, c, v);
}

void bawn_match_case(struct script *s, uint32_t case_)
{
	uint32_t block = node(s, case_)->parent, match = node(s, block)->parent, subject = node(s, match)->child;
	if (node(s, block)->kind != BAWN_K_BLOCK || subject == 0 || node(s, subject)->next != block || s->val[subject] == NULL)
		return;
	struct parts p = { .n = 0 };
	push(&p, node(s, case_)->child, s->val[subject]);
	while (p.n > 0) {
		struct part one = p.todo[--p.n];
		const char *name = NULL;
		switch (node(s, one.at)->kind) {
		case BAWN_K_OTHER:   push_other(s, &p, one.at, one.v); break;
		case BAWN_K_PATTERN: push_sequence(s, &p, one.at, one.v); break;
		case BAWN_K_AS:
			push(&p, node(s, one.at)->child, one.v);
			push(&p, last_of(s, one.at), one.v);
			break;
		case BAWN_K_DOTTED: case BAWN_K_NAME:
			name = bawn_script_dotted(s, one.at);
			if (name != NULL && strchr(name, '.') == NULL)  /* a.b is compared, not bound */
				bawn_scope_set(s, s->scope, name, one.v);
			break;
		default: break;
		}
	}
}
