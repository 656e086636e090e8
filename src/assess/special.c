/* special.c - see special.h.  Classes of the program are known by what bind.c wrote down of them: the
 * member m of the class A as "A.m", of its objects as "A().m". */
#include "assess/special.h"
#include "assess/bind.h"
#include "assess/loop.h"
#include "assess/parameter.h"
#include "assess/reader.h"
#include "base/cleanup.h"

#define MEMBERS_MAX 256u

struct value *bawn_special(struct script *s, const struct value *object, const char *method)
{
	if (!s->specials || object == NULL || object->name == NULL || object->imported || strlen(object->name) > NAME_MAX_BYTES)
		return NULL;
	const char *full = bawn_arena_fmt(scratch(s), "%s.%s", object->name, method);
	return full != NULL ? bawn_scope_get(s, 0, full, strlen(full)) : NULL;
}

struct value *bawn_special_called(struct script *s, const struct value *object)
{
	bool made = s->specials && object->name != NULL && strlen(object->name) > 2 && object->name[strlen(object->name) - 1] == ')';  /* A() makes an object, A()() calls it */
	struct value *m = made ? bawn_special(s, object, "__call__") : NULL;
	return m != NULL && m->function != 0 ? m : NULL;
}

static void hand(struct script *s, const struct value *object, const char *method, struct value *a, struct value *b)
{
	const struct value *m = bawn_special(s, object, method);
	struct value *given[] = { a, b };
	if (m != NULL && m->function != 0)
		bawn_script_hand(s, m->function, given, b != NULL ? 2 : 1);
}

void bawn_special_operator(struct script *s, struct bawn_span op, struct value *a, struct value *b)
{
	static const struct { const char *op, *left, *right; } row[] = {
		{ "+", "__add__", "__radd__" }, { "-", "__sub__", "__rsub__" }, { "*", "__mul__", "__rmul__" }, { "/", "__truediv__", "__rtruediv__" },
		{ "//", "__floordiv__", "__rfloordiv__" }, { "%", "__mod__", "__rmod__" }, { "**", "__pow__", "__rpow__" }, { "@", "__matmul__", "__rmatmul__" },
		{ "<<", "__lshift__", "__rlshift__" }, { ">>", "__rshift__", "__rrshift__" }, { "&", "__and__", "__rand__" }, { "|", "__or__", "__ror__" },
		{ "^", "__xor__", "__rxor__" }, { "<", "__lt__", "__gt__" }, { ">", "__gt__", "__lt__" }, { "<=", "__le__", "__ge__" },
		{ ">=", "__ge__", "__le__" }, { "==", "__eq__", "__eq__" }, { "!=", "__ne__", "__ne__" }, { "in", "", "__contains__" }, { "not in", "", "__contains__" },
		{ "+=", "__iadd__", "" }, { "-=", "__isub__", "" }, { "*=", "__imul__", "" }, { "|=", "__ior__", "" }, { "&=", "__iand__", "" },
		{ "^=", "__ixor__", "" }, { "<<=", "__ilshift__", "" }, { ">>=", "__irshift__", "" }, { "%=", "__imod__", "" }, { "@=", "__imatmul__", "" },
	};
	for (size_t i = 0; s->specials && i < BAWN_LEN(row); i++)
		if (bawn_span_is(op, row[i].op)) {
			hand(s, a, row[i].left, b, NULL);
			hand(s, b, row[i].right, a, NULL);
		}
}

void bawn_special_item(struct script *s, struct value *a, struct value *b, struct value *set)
{
	if (!s->specials)
		return;
	hand(s, a, set != NULL ? "__setitem__" : "__getitem__", b, set);
	hand(s, a, "__class_getitem__", b, NULL);
	hand(s, a, "__missing__", b, NULL);
	hand(s, a, "__delitem__", b, NULL);
}

/* Members of one class of the program, by what they are called in another. */
static void inherit(struct script *s, const char *base, const char *class_)
{
	struct { const char *name; struct value *value; } member[MEMBERS_MAX];
	size_t n = 0, m = strlen(base);
	for (const struct member_name *b = bawn_scope_members(s, base); b != NULL; b = b->next) {
		s->e->spent += BINDING_LOOKED_AT;
		bool own = strncmp(b->name, base, m) == 0 && (b->name[m] == '.' || strncmp(b->name + m, "().", 3) == 0);
		struct value *v = own ? bawn_scope_get(s, 0, b->name, strlen(b->name)) : NULL;
		if (v == NULL)
			continue;
		if (n == MEMBERS_MAX) {
			(void)bawn_engine_event(s->e, "cut-short", s->class_, NULL);
			break;
		}
		member[n].name = b->name + m;
		member[n++].value = v;
	}
	for (size_t i = 0; i < n; i++)  /* there are more of them after each */
		if (strlen(class_) + strlen(member[i].name) < NAME_MAX_BYTES)
			bawn_scope_set(s, 0, bawn_arena_fmt(scratch(s), "%s%s", class_, member[i].name), member[i].value);
}

static bool is_own_class(struct script *s, const char *name)
{
	const char *mark = bawn_arena_fmt(scratch(s), "%s.__subclasses__", name);
	return mark != NULL && bawn_scope_get(s, 0, mark, strlen(mark)) != NULL;
}

void bawn_class_begin(struct script *s, uint32_t class_)
{
	uint32_t at = child(s, class_, BAWN_R_NAME), body = child(s, class_, BAWN_R_BODY);
	const char *own = at != 0 ? bawn_script_dotted(s, at) : NULL;
	for (uint32_t i = class_ + 1; own != NULL && body != 0 && i < body; i++) {
		const char *base = node(s, i)->kind == BAWN_K_NAME && i != at ? bawn_script_dotted(s, i) : NULL;
		if (base != NULL && strcmp(base, own) != 0 && is_own_class(s, base))
			inherit(s, base, own);
	}
	for (uint32_t c = body != 0 ? node(s, body)->child : 0; c != 0; c = node(s, c)->next) {
		uint32_t name = node(s, c)->kind == BAWN_K_FUNCTION ? child(s, c, BAWN_R_NAME) : 0;
		struct value *v = name != 0 ? bawn_value_new(s->e) : NULL;
		if (v == NULL)
			continue;
		v->function = c;
		bawn_bind_member(s, bawn_script_dotted(s, name), v);
	}
}

struct value *bawn_special_entered(struct script *s, struct value *v)
{
	const struct value *m = bawn_special(s, v, "__enter__");
	struct value *given = m != NULL && m->function != 0 ? bawn_scope_get(s, m->function, "()", 2) : NULL;
	if (given != NULL && !(given->name != NULL && strcmp(given->name, "self") == 0))
		return given;
	return v != NULL && v->is_list && v->partial ? bawn_loop_element(s, v) : v;  /* what a generator yields */
}
