/* literal.c - what is written out: texts and templates, numbers, lists and dictionaries. */
#include "assess/literal.h"
#include "assess/fold.h"
#include "assess/reader.h"

/* A letter before the quotes of a Python text: r, b, f. */
static bool has_prefix(struct bawn_span start, char letter)
{
	for (size_t i = 0; i < start.n && start.p[i] != '"' && start.p[i] != '\''; i++)
		if ((start.p[i] | 0x20) == letter)
			return true;
	return false;
}

/* {x}, {x!r}, {x:>8}, ${x} */
static struct value *inserted(struct script *s, uint32_t i)
{
	uint32_t first = node(s, i)->child;
	struct value *v = first != 0 ? s->val[first] : NULL;
	uint32_t from = first != 0 ? node(s, first)->end : 0;
	if (s->python && v != NULL && node(s, i)->end > from + 1)
		v = bawn_fold_inserted(s, v, (struct bawn_span){ s->t->text.p + from, node(s, i)->end - 1 - from });
	return v != NULL ? v : unknown(s, 0);
}

/* The grammar gives r'\\' no parts at all. */
static struct bawn_span between_quotes(const struct script *s, uint32_t i)
{
	uint32_t c = node(s, i)->child;
	struct bawn_span start = c != 0 && node(s, c)->kind == BAWN_K_STRING_START ? text_of(s, c) : bawn_span(""), all = text_of(s, i);
	size_t quotes = 0;
	while (quotes < start.n && (start.p[start.n - 1 - quotes] == '"' || start.p[start.n - 1 - quotes] == '\''))
		quotes++;
	return quotes > 0 && all.n >= start.n + quotes ? (struct bawn_span){ all.p + start.n, all.n - start.n - quotes } : bawn_span("");
}

/* Is most of the text written as numbers of letters that could have been written themselves? */
static bool spelled_out(struct bawn_span t)
{
	size_t n = 0;
	for (size_t i = 0; i + 3 < t.n; i++)
		if (t.p[i] == '\\' && t.p[i + 1] == 'x' && t.p[i + 2] >= '2' && t.p[i + 2] <= '7') {
			n++;
			i += 3;
		}
	return n >= 8 && n * 8 >= t.n;
}

struct value *bawn_script_literal(struct script *s, uint32_t i)
{
	struct value *v = NULL;
	bool raw = false, inserts = false, pieces = s->python && spelled_out(text_of(s, i));
	enum bawn_escapes how = s->python ? BAWN_ESCAPES_PYTHON : BAWN_ESCAPES_JAVASCRIPT;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next) {
		struct value *part = NULL;
		switch (node(s, c)->kind) {
		case BAWN_K_STRING_START:
			raw = has_prefix(text_of(s, c), 'r');
			how = has_prefix(text_of(s, c), 'b') ? BAWN_ESCAPES_BYTES : how;
			continue;
		case BAWN_K_PART: case BAWN_K_ESCAPE: {
			struct bawn_span t = text_of(s, c);
			part = bawn_value_text(s->e, raw ? t : bawn_unescape(scratch(s), t, how));
			break;
		}
		case BAWN_K_INSERT:
			if (v == NULL)
				v = bawn_value_text(s->e, bawn_span(""));
			part = inserted(s, c);
			inserts = true;
			pieces = pieces || (part != NULL && (part->taint & BAWN_TAG(BUILT)) != 0) || node(s, c)->child == 0 || node(s, node(s, c)->child)->kind != BAWN_K_NAME;
			break;
		default: continue;
		}
		v = v == NULL ? part : bawn_fold_concat(s, v, part);
	}
	v = v != NULL ? v : bawn_value_text(s->e, between_quotes(s, i));
	if (v == NULL)
		return NULL;
	v->bytes = how == BAWN_ESCAPES_BYTES;
	if (pieces && !inserts)
		v->taint |= BAWN_TAG(BUILT);
	else if (inserts && !pieces && s->python && !v->partial)
		v->taint &= ~BAWN_TAG(BUILT);  /* a template that holds the values of names hides nothing */
	return v;
}

struct value *bawn_script_integer(struct script *s, uint32_t i)
{
	struct bawn_span t = text_of(s, i);
	int base = 10;
	size_t at = 0;
	if (t.n > 2 && t.p[0] == '0' && ((t.p[1] | 0x20) == 'x' || (t.p[1] | 0x20) == 'o' || (t.p[1] | 0x20) == 'b')) {
		base = (t.p[1] | 0x20) == 'x' ? 16 : (t.p[1] | 0x20) == 'o' ? 8 : 2;
		at = 2;
	}
	int64_t v = 0;
	bool large = false;
	for (; at < t.n; at++) {
		int d = t.p[at] >= '0' && t.p[at] <= '9' ? t.p[at] - '0' : (t.p[at] | 0x20) >= 'a' && (t.p[at] | 0x20) <= 'f' ? (t.p[at] | 0x20) - 'a' + 10 : 99;
		if (t.p[at] == '_')
			continue;
		if (d >= base)
			return NULL;
		large = large || __builtin_mul_overflow(v, (int64_t)base, &v) || __builtin_add_overflow(v, (int64_t)d, &v);
	}
	struct value *out = bawn_value_new(s->e);
	if (out != NULL)
		out->number = large ? INT64_MAX : v, out->has_number = true, out->self = large ? bawn_fold_large(s, t) : NULL;
	return out;
}

/* {f() {...}} is a function; {get f() {...}} is what the function gives. */
static struct value *method_value(struct script *s, uint32_t i)
{
	if (bawn_span_starts(text_of(s, i), "get "))
		return bawn_scope_get(s, i, "()", 2);
	struct value *v = bawn_value_new(s->e);
	if (v != NULL)
		v->function = i;
	return v;
}

/* {...x, a: 1}: what x has; a copy of a module is as good as the module. */
static uint32_t spread_items(const struct value *from) { return from != NULL && from->is_dict && !from->choice ? from->n_items : 0; }

static void spread(struct value *v, const struct value *from, uint32_t room)
{
	for (uint32_t i = 0; i < spread_items(from) && v->n_items < room; i++) {
		v->key[v->n_items] = from->key[i];
		v->item[v->n_items++] = from->item[i];
	}
	v->taint |= from->taint;
	if (from->imported && from->name != NULL)
		v->name = from->name, v->imported = true;
}

/* {run(c) {...}}: to its other methods it is this.run. */
static void bind_method(struct script *s, const char *key, struct value *f)
{
	const char *name = key != NULL && strlen(key) < NAME_MAX_BYTES ? bawn_arena_fmt(scratch(s), "this.%s", key) : NULL;
	struct value *before = name != NULL ? bawn_scope_get(s, 0, name, strlen(name)) : NULL;
	if (name != NULL && (before == NULL || before->function != f->function))
		bawn_scope_set(s, 0, name, bawn_value_either(s, before, f));
}

struct value *bawn_script_collection(struct script *s, uint32_t i, bool dict)
{
	uint32_t n = 0;
	for (uint32_t c = node(s, i)->child; c != 0 && n < ITEMS_MAX; c = node(s, c)->next)
		n += 1 + (dict && !s->python && node(s, c)->kind == BAWN_K_SPLAT ? spread_items(bawn_fold_sole(s->val[c])) : 0);
	struct value *v = bawn_value_new(s->e);
	if (v == NULL)
		return NULL;
	s->e->cut = s->e->cut || n >= ITEMS_MAX;
	v->item = bawn_arena_array(scratch(s), struct value *, n + 1);
	v->key = dict ? bawn_arena_array(scratch(s), const char *, n + 1) : NULL;
	if (v->item == NULL || (dict && v->key == NULL))
		return NULL;
	v->is_list = !dict, v->is_dict = dict;
	for (uint32_t c = node(s, i)->child; c != 0 && v->n_items < ITEMS_MAX; c = node(s, c)->next) {
		if (node(s, c)->kind == BAWN_K_COMMENT || node(s, c)->kind == BAWN_K_OPERATOR)
			continue;
		struct value *item = s->val[c];
		if (node(s, c)->kind == BAWN_K_SPLAT && !dict) {
			struct value *in = bawn_fold_items(s, item);
			for (uint32_t k = 0; in != NULL && k < in->n_items && v != NULL; k++)
				v = bawn_fold_append(s, v, in->item[k]);
			if (v == NULL)
				return NULL;
			v->partial = v->partial || in == NULL;
			v->taint |= in == NULL && item != NULL ? item->taint : 0;
			continue;
		}
		if (node(s, c)->kind == BAWN_K_SPLAT && !s->python && item != NULL && (item->imported || spread_items(bawn_fold_sole(item)) > 0)) {
			spread(v, bawn_fold_sole(item), n);
			continue;
		}
		if (dict && node(s, c)->kind == BAWN_K_PAIR) {
			uint32_t k = child(s, c, BAWN_R_KEY), at = child(s, c, BAWN_R_VALUE);
			struct value *key = k != 0 ? s->val[k] : NULL;
			v->key[v->n_items] = bawn_value_is_text(key) || (key != NULL && key->has_number) ? bawn_fold_key(s, key)
			                   : k != 0 && node(s, k)->kind == BAWN_K_NAME && !s->python ? bawn_script_dotted(s, k) : NULL;
			item = at != 0 ? s->val[at] : NULL;
		} else if (dict && node(s, c)->kind == BAWN_K_NAME) {
			v->key[v->n_items] = bawn_script_dotted(s, c);
		} else if (dict && node(s, c)->kind == BAWN_K_FUNCTION) {
			v->key[v->n_items] = child(s, c, BAWN_R_NAME) != 0 ? bawn_script_dotted(s, child(s, c, BAWN_R_NAME)) : NULL;
			item = method_value(s, c);
		}
		if (dict && !s->python && item != NULL && item->function != 0)
			bind_method(s, v->key[v->n_items], item);
		if (v->store != NULL) {
			v = bawn_fold_append(s, v, item);
			if (v == NULL)
				return NULL;
			continue;
		}
		v->taint |= item != NULL ? item->taint : 0;
		v->item[v->n_items++] = item;
	}
	return v;
}
