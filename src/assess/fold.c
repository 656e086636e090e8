/* fold.c - constants seen through: texts built in pieces, decoded, reversed, looked up by name.
 *
 * Everything is bounded: no text longer than FOLDED_MAX, no list longer than ITEMS_MAX; past that the
 * value is simply unknown, which never lowers a level. */
#include "assess/names.h"
#include "assess/script.h"
#include "assess/decode.h"
#include "assess/text.h"
#include "base/cleanup.h"
#include "base/utf8.h"

static struct arena *scratch(struct script *s) { return &s->e->scratch; }

static struct value *text_value(struct script *s, const char *p, size_t n, uint64_t taint)
{
	struct value *v = p != NULL ? bawn_value_text(s->e, (struct bawn_span){ p, n }) : NULL;
	if (v != NULL)
		v->taint = taint;
	return v;
}

static struct value *number_value(struct script *s, int64_t n, uint64_t taint)
{
	struct value *v = bawn_value_new(s->e);
	if (v != NULL)
		v->number = n, v->has_number = true, v->taint = taint;
	return v;
}

/* What a value looks like inside a larger text; a gap where it is not known. */
static struct bawn_span shown(struct script *s, const struct value *v, bool *gap)
{
	if (bawn_value_is_text(v)) {
		*gap = *gap || v->partial;
		return v->text;
	}
	if (v != NULL && v->choice && v->n_items > 0 && bawn_value_is_text(v->item[0]))
		return v->item[0]->text;
	if (v != NULL && v->has_number) {
		char digits[24];
		int n = snprintf(digits, sizeof digits, "%lld", (long long)v->number);
		return (struct bawn_span){ bawn_arena_text(scratch(s), (struct bawn_span){ digits, (size_t)n }), (size_t)n };
	}
	*gap = true;
	return bawn_span("{}");
}

struct value *bawn_fold_concat(struct script *s, struct value *left, struct value *right)
{
	bool gap = false;
	if (!bawn_value_is_text(left) && !bawn_value_is_text(right))
		return NULL;
	struct bawn_span a = shown(s, left, &gap), b = shown(s, right, &gap);
	if (a.n + b.n > FOLDED_MAX)
		return NULL;
	char *p = a.p != NULL && b.p != NULL ? bawn_arena_join(scratch(s), a, b) : NULL;
	if (p == NULL)
		return NULL;
	struct value *v = text_value(s, p, a.n + b.n, (left != NULL ? left->taint : 0) | (right != NULL ? right->taint : 0));
	if (v != NULL) {
		v->partial = gap;
		v->taint |= BAWN_TAG(BUILT);
		v->is_path = left != NULL && left->is_path;
	}
	return v;
}

static void put_char(struct bawn_buf *b, uint32_t c)
{
	if (c < 0x80) {
		bawn_buf_char(b, (char)c);
	} else if (c < 0x800) {
		bawn_buf_char(b, (char)(0xc0 | c >> 6));
		bawn_buf_char(b, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x10000) {
		bawn_buf_char(b, (char)(0xe0 | c >> 12));
		bawn_buf_char(b, (char)(0x80 | (c >> 6 & 0x3f)));
		bawn_buf_char(b, (char)(0x80 | (c & 0x3f)));
	} else if (c < 0x110000) {
		bawn_buf_char(b, (char)(0xf0 | c >> 18));
		bawn_buf_char(b, (char)(0x80 | (c >> 12 & 0x3f)));
		bawn_buf_char(b, (char)(0x80 | (c >> 6 & 0x3f)));
		bawn_buf_char(b, (char)(0x80 | (c & 0x3f)));
	}
}

/* Takes the bytes of a finished buffer into the arena. */
static struct value *from_buf(struct script *s, struct bawn_buf *b, uint64_t taint)
{
	s->e->spent += b->n;
	if (bawn_buf_error(b) != 0)
		return NULL;
	return text_value(s, bawn_arena_text(scratch(s), (struct bawn_span){ b->p, b->n }), b->n, taint);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* Reads up to `most` digits of `base` at text[*at]. */
static uint32_t read_digits(struct bawn_span t, size_t *at, unsigned most, int base)
{
	uint32_t v = 0;
	while (most-- > 0 && *at < t.n && digit(t.p[*at]) < base)
		v = v * (uint32_t)base + (uint32_t)digit(t.p[(*at)++]);
	return v;
}

struct bawn_span bawn_unescape(struct arena *a, struct bawn_span t)
{
	static const char from[] = "abfnrtv0e", to[] = "\a\b\f\n\r\t\v\0\033";
	if (t.n == 0 || memchr(t.p, '\\', t.n) == NULL)
		return t;
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	for (size_t at = 0; at < t.n; ) {
		char c = t.p[at++];
		if (c != '\\' || at == t.n) {
			bawn_buf_char(&b, c);
			continue;
		}
		c = t.p[at++];
		if (c == 'x') {
			put_char(&b, read_digits(t, &at, 2, 16));
		} else if (c == 'u' && at < t.n && t.p[at] == '{') {
			at++;
			put_char(&b, read_digits(t, &at, 6, 16));
			at += at < t.n && t.p[at] == '}';
		} else if (c == 'u' || c == 'U') {
			put_char(&b, read_digits(t, &at, c == 'u' ? 4 : 8, 16));
		} else if (c >= '0' && c <= '7') {
			at--;
			put_char(&b, read_digits(t, &at, 3, 8));
		} else if (c == '\n') {
			continue;
		} else {
			const char *k = strchr(from, c);
			bawn_buf_char(&b, k != NULL ? to[k - from] : c);
		}
	}
	if (bawn_buf_error(&b) != 0)
		return t;
	char *p = bawn_arena_text(a, bawn_buf_span(&b));
	return p != NULL ? (struct bawn_span){ p, b.n } : t;
}

/* ---- operators ---- */

/* "..." % value: each %x is the next item. */
static struct value *percent(struct script *s, struct value *left, struct value *right)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	bool gap = false;
	uint32_t next = 0;
	for (size_t i = 0; i < left->text.n; i++) {
		char c = left->text.p[i];
		if (c != '%' || i + 1 == left->text.n) {
			bawn_buf_char(&b, c);
			continue;
		}
		do
			i++;
		while (i + 1 < left->text.n && strchr("0123456789.-+# ", left->text.p[i]) != NULL);
		if (left->text.p[i] == '%') {
			bawn_buf_char(&b, '%');
			continue;
		}
		const struct value *v = right != NULL && right->is_list ? (next < right->n_items ? right->item[next] : NULL) : right;
		next++;
		if (left->text.p[i] == 'c' && v != NULL && v->has_number) {
			put_char(&b, (uint32_t)v->number);
			continue;
		}
		struct bawn_span t = shown(s, v, &gap);
		bawn_buf_add(&b, t.p, t.n);
	}
	struct value *v = from_buf(s, &b, left->taint | (right != NULL ? right->taint : 0) | BAWN_TAG(BUILT));
	if (v != NULL)
		v->partial = gap;
	return v;
}

/* "{} {0} {name}".format(...) */
static struct value *format(struct script *s, const struct value *left, const struct call *c)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	bool gap = false;
	uint32_t next = 0;
	struct bawn_span t = left->text;
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] != '{' || (i + 1 < t.n && t.p[i + 1] == '{')) {
			i += i + 1 < t.n && (t.p[i] == '{' || t.p[i] == '}') && t.p[i + 1] == t.p[i];
			bawn_buf_char(&b, t.p[i]);
			continue;
		}
		size_t end = i;
		while (end < t.n && t.p[end] != '}')
			end++;
		struct bawn_span key = { t.p + i + 1, 0 };
		while (i + 1 + key.n < end && strchr(":!.[", key.p[key.n]) == NULL)
			key.n++;
		const struct value *v = NULL;
		if (key.n == 0) {
			v = next < c->n_args ? c->arg[next] : NULL;
			next++;
		} else if (key.n == 1 && key.p[0] >= '0' && key.p[0] <= '9') {
			v = (uint32_t)(key.p[0] - '0') < c->n_args ? c->arg[key.p[0] - '0'] : NULL;
		}
		for (uint32_t k = 0; v == NULL && k < c->n_keywords; k++)
			if (c->keyword[k].name != NULL && bawn_span_is(key, c->keyword[k].name))
				v = c->keyword[k].value;
		struct bawn_span part = shown(s, v, &gap);
		bawn_buf_add(&b, part.p, part.n);
		i = end;
	}
	struct value *v = from_buf(s, &b, left->taint | c->taint | BAWN_TAG(BUILT));
	if (v != NULL)
		v->partial = gap;
	return v;
}

static struct value *repeat(struct script *s, struct value *what, int64_t times)
{
	if (times < 0 || times > (int64_t)FOLDED_MAX || what->text.n * (size_t)times > 4096)
		return NULL;
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	for (int64_t i = 0; i < times; i++)
		bawn_buf_add(&b, what->text.p, what->text.n);
	return from_buf(s, &b, what->taint);
}

static struct value *join_path(struct script *s, struct value *left, struct value *right)
{
	bool gap = false;
	struct bawn_span a = shown(s, left, &gap), b = shown(s, right, &gap);
	if (b.n > 0 && b.p[0] == '/')
		a.n = 0;
	if (a.n + b.n > FOLDED_MAX)
		return NULL;
	char *p = bawn_arena_get(scratch(s), a.n + b.n + 2);
	if (p == NULL || a.p == NULL || b.p == NULL)
		return NULL;
	memcpy(p, a.p, a.n);
	size_t n = a.n;
	if (n > 0 && p[n - 1] != '/')
		p[n++] = '/';
	memcpy(p + n, b.p, b.n);
	struct value *v = text_value(s, p, n + b.n, (left != NULL ? left->taint : 0) | (right != NULL ? right->taint : 0));
	if (v != NULL) {
		v->partial = gap;
		v->is_path = left != NULL && left->is_path;
		v->name = v->is_path ? "pathlib.Path()" : NULL;
	}
	return v;
}

static struct value *chain(struct script *s, struct value *a, struct value *b)
{
	uint32_t n = a->n_items + b->n_items;
	struct value *v = n <= ITEMS_MAX ? bawn_value_new(s->e) : NULL;
	struct value **item = v != NULL ? bawn_arena_array(scratch(s), struct value *, n + 1) : NULL;
	if (item == NULL)
		return NULL;
	if (a->n_items > 0)
		memcpy(item, a->item, a->n_items * sizeof *item);
	if (b->n_items > 0)
		memcpy(item + a->n_items, b->item, b->n_items * sizeof *item);
	v->item = item, v->n_items = n, v->is_list = true, v->taint = a->taint | b->taint;
	return v;
}

static bool arithmetic(char op, int64_t a, int64_t b, int64_t *out)
{
	switch ((int)op) {
	case '+': return !__builtin_add_overflow(a, b, out);
	case '-': return !__builtin_sub_overflow(a, b, out);
	case '*': return !__builtin_mul_overflow(a, b, out);
	case '^': *out = a ^ b; return true;
	case '%': if (b == 0 || b == -1) return false; *out = a % b; return true;
	case '/': if (b == 0 || b == -1) return false; *out = a / b; return true;
	case '<': if (b < 0 || b > 62 || a < 0 || a > (INT64_MAX >> b)) return false; *out = a << b; return true;
	case 'p':
		*out = 1;
		if (b < 0 || b > 64)
			return false;
		while (b-- > 0)
			if (__builtin_mul_overflow(*out, a, out)) {
				*out = INT64_MAX;
				return true;
			}
		return true;
	default: return false;
	}
}

/* `op` is the operator's first byte; '<' for shifts, 'p' for powers. */
struct value *bawn_fold_binary(struct script *s, char op, struct value *left, struct value *right)
{
	struct value *v = NULL;
	int64_t n;
	uint64_t taint = (left != NULL ? left->taint : 0) | (right != NULL ? right->taint : 0);
	if (left != NULL && right != NULL && left->has_number && right->has_number && arithmetic(op, left->number, right->number, &n))
		return number_value(s, n, taint);
	if (op == '+' && left != NULL && right != NULL && left->is_list && right->is_list)
		v = chain(s, left, right);
	else if (op == '+')
		v = bawn_fold_concat(s, left, right);
	else if (op == '/' && left != NULL && left->is_path)
		v = join_path(s, left, right);
	else if (op == '%' && bawn_value_is_text(left))
		v = percent(s, left, right);
	else if (op == '*' && bawn_value_is_text(left) && right != NULL && right->has_number)
		v = repeat(s, left, right->number);
	if (v == NULL && taint != 0) {
		v = bawn_value_new(s->e);
		if (v != NULL)
			v->taint = taint;
	}
	return v;
}

/* ---- subscripts ---- */

struct value *bawn_fold_slice(struct script *s, struct value *object, bool has[3], const int64_t part[3])
{
	if (!bawn_value_is_text(object) || object->text.n > FOLDED_MAX)
		return NULL;
	int64_t n = (int64_t)object->text.n, step = has[2] ? part[2] : 1;
	if (step == 0)
		return NULL;
	int64_t from = has[0] ? part[0] : step > 0 ? 0 : n - 1;
	int64_t to = has[1] ? part[1] : step > 0 ? n : -1;
	from += has[0] && from < 0 ? n : 0;
	to += has[1] && to < 0 ? n : 0;
	from = from < 0 ? (step > 0 ? 0 : -1) : from >= n ? (step > 0 ? n : n - 1) : from;
	to = to < -1 ? -1 : to > n ? n : to;
	char *p = bawn_arena_get(scratch(s), object->text.n + 1);
	size_t out = 0;
	for (int64_t i = from; p != NULL && (step > 0 ? i < to : i > to) && out < object->text.n; i += step)
		p[out++] = object->text.p[i];
	struct value *v = text_value(s, p, out, object->taint | BAWN_TAG(BUILT));
	if (v != NULL)
		v->partial = object->partial;
	return v;
}

static bool namespace_of_names(const char *name)
{
	static const char *const all[] = { "globals()", "locals()", "vars()", "sys.modules", "__builtins__", "builtins.__dict__",
	                                   "__builtins__.__dict__", "global", "globalThis", "window" };
	for (size_t i = 0; name != NULL && i < BAWN_LEN(all); i++)
		if (strcmp(name, all[i]) == 0)
			return true;
	return false;
}

struct value *bawn_fold_subscript(struct script *s, struct value *object, struct value *index)
{
	if (object == NULL)
		return NULL;
	if (index != NULL && index->has_number) {
		int64_t i = index->number, n = object->is_list ? object->n_items : (int64_t)object->text.n;
		i += i < 0 ? n : 0;
		if (object->is_list && i >= 0 && i < n)
			return object->item[i];
		if (bawn_value_is_text(object) && i >= 0 && i < n)
			return text_value(s, object->text.p + i, 1, object->taint);
	}
	if (bawn_value_is_text(index)) {
		const char *key = bawn_arena_text(scratch(s), index->text);
		for (uint32_t i = 0; key != NULL && object->is_dict && i < object->n_items; i++)
			if (object->key[i] != NULL && strcmp(object->key[i], key) == 0)
				return object->item[i];
		if (key == NULL)
			return NULL;
		if (object->name != NULL && strcmp(object->name, "sys.modules") == 0)
			return bawn_script_named(s, key, true);
		if (namespace_of_names(object->name))
			return object->self != NULL && object->self->name != NULL && strcmp(object->name, "vars()") == 0
			       ? bawn_script_attribute(s, object->self, key) : bawn_script_lookup(s, key, strlen(key));
		size_t n = object->name != NULL ? strlen(object->name) : 0;
		if (n > 9 && strcmp(object->name + n - 9, ".__dict__") == 0 && object->self != NULL)
			return bawn_script_attribute(s, object->self, key);
		if (!s->python || object->name != NULL) {
			/* One variable is not the whole environment. */
			struct value *v = bawn_script_attribute(s, object, key);
			if (v != NULL)
				v->taint &= ~BAWN_TAG(ENVIRON);
			return v;
		}
	}
	struct value *v = bawn_value_new(s->e);
	if (v != NULL) {
		v->taint = object->taint;
		/* An unknown member of a known namespace could be anything in it. */
		if (object->name != NULL && (namespace_of_names(object->name) || object->imported))
			v->name = bawn_arena_fmt(scratch(s), "%s[]", object->name);
	}
	return v;
}

/* ---- calls ---- */

static struct value *joined(struct script *s, const struct value *glue, const struct value *list)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	bool gap = false;
	if (list == NULL || (!list->is_list && !bawn_value_is_text(list)))
		return NULL;
	for (uint32_t i = 0; i < list->n_items; i++) {
		struct bawn_span t = shown(s, list->item[i], &gap);
		if (i > 0)
			bawn_buf_add(&b, glue->text.p, glue->text.n);
		bawn_buf_add(&b, t.p, t.n);
	}
	if (bawn_value_is_text(list) && glue->text.n == 0)
		bawn_buf_add(&b, list->text.p, list->text.n);
	struct value *v = from_buf(s, &b, list->taint | glue->taint | BAWN_TAG(BUILT));
	if (v != NULL)
		v->partial = gap;
	return v;
}

/* Bytes from a list of numbers, or characters from a list of code points. */
static struct value *from_numbers(struct script *s, struct value *const *item, uint32_t n, bool bytes, uint64_t taint)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	for (uint32_t i = 0; i < n; i++) {
		if (item[i] == NULL || !item[i]->has_number)
			return NULL;
		if (bytes)
			bawn_buf_char(&b, (char)item[i]->number);
		else
			put_char(&b, (uint32_t)item[i]->number);
	}
	return n > 0 ? from_buf(s, &b, taint | BAWN_TAG(BUILT)) : NULL;
}

static struct value *replaced(struct script *s, const struct value *in, const struct value *from, const struct value *to)
{
	if (!bawn_value_is_text(from) || !bawn_value_is_text(to) || from->text.n == 0)
		return NULL;
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	for (size_t i = 0; i < in->text.n; ) {
		if (in->text.n - i >= from->text.n && memcmp(in->text.p + i, from->text.p, from->text.n) == 0) {
			bawn_buf_add(&b, to->text.p, to->text.n);
			i += from->text.n;
		} else {
			bawn_buf_char(&b, in->text.p[i++]);
		}
	}
	return from_buf(s, &b, in->taint | BAWN_TAG(BUILT));
}

static struct value *recased(struct script *s, const struct value *in, bool upper)
{
	char *p = bawn_arena_text(scratch(s), in->text);
	for (size_t i = 0; p != NULL && i < in->text.n; i++) {
		char c = (char)(p[i] & ~0x20);
		if (c >= 'A' && c <= 'Z')
			p[i] = upper ? c : (char)(c | 0x20);
	}
	return text_value(s, p, in->text.n, in->taint);
}

static struct value *characters(struct script *s, const struct value *in)
{
	struct value *v = in->text.n <= ITEMS_MAX ? bawn_value_new(s->e) : NULL;
	struct value **item = v != NULL ? bawn_arena_array(scratch(s), struct value *, in->text.n + 1) : NULL;
	if (item == NULL)
		return NULL;
	for (size_t i = 0; i < in->text.n; i++)
		item[i] = text_value(s, in->text.p + i, 1, in->taint);
	v->item = item, v->n_items = (uint32_t)in->text.n, v->is_list = true, v->taint = in->taint;
	return v;
}

static struct value *split(struct script *s, struct value *in, const struct value *by)
{
	if (bawn_value_is_text(by) && by->text.n == 0)
		return characters(s, in);
	char sep = bawn_value_is_text(by) && by->text.n == 1 ? by->text.p[0] : ' ';
	if (bawn_value_is_text(by) && by->text.n > 1)
		return NULL;
	struct value *v = bawn_value_new(s->e);
	size_t n = 1;
	for (size_t i = 0; i < in->text.n; i++)
		n += in->text.p[i] == sep;
	struct value **item = v != NULL && n <= ITEMS_MAX ? bawn_arena_array(scratch(s), struct value *, n) : NULL;
	if (item == NULL)
		return NULL;
	uint32_t k = 0;
	for (size_t i = 0, start = 0; i <= in->text.n; i++)
		if (i == in->text.n || in->text.p[i] == sep) {
			if (i > start || by != NULL)
				item[k++] = text_value(s, in->text.p + start, i - start, in->taint);
			start = i + 1;
		}
	v->item = item, v->n_items = k, v->is_list = true, v->taint = in->taint;
	return v;
}

static struct value *reversed(struct script *s, struct value *in)
{
	bool none[3] = { false, false, true };
	int64_t back[3] = { 0, 0, -1 };
	if (bawn_value_is_text(in)) {
		struct value *v = bawn_fold_slice(s, in, none, back);
		return v;
	}
	if (in == NULL || !in->is_list)
		return NULL;
	struct value *v = bawn_value_new(s->e);
	struct value **item = v != NULL ? bawn_arena_array(scratch(s), struct value *, in->n_items + 1) : NULL;
	if (item == NULL)
		return NULL;
	for (uint32_t i = 0; i < in->n_items; i++)
		item[i] = in->item[in->n_items - 1 - i];
	v->item = item, v->n_items = in->n_items, v->is_list = true, v->taint = in->taint;
	return v;
}

enum codec { BASE64, HEX, ROT13, SAME };

static struct value *decoded(struct script *s, const struct value *in, enum codec how)
{
	size_t n = in->text.n;
	const char *p = how == BASE64 ? bawn_decode_base64(scratch(s), in->text, &n)
	              : how == HEX ? bawn_decode_hex(scratch(s), in->text, &n)
	              : how == ROT13 ? bawn_decode_rot13(scratch(s), in->text) : in->text.p;
	return text_value(s, p, n, in->taint | (how == SAME ? 0 : BAWN_TAG(DECODE)));
}

static enum codec codec_named(const struct value *v)
{
	static const struct { const char *name; enum codec codec; } row[] = {
		{ "base64", BASE64 }, { "base64_codec", BASE64 }, { "base-64", BASE64 }, { "hex", HEX }, { "hex_codec", HEX },
		{ "rot13", ROT13 }, { "rot_13", ROT13 }, { "rot-13", ROT13 }, { "base64url", BASE64 },
	};
	for (size_t i = 0; bawn_value_is_text(v) && i < BAWN_LEN(row); i++)
		if (bawn_span_is(v->text, row[i].name))
			return row[i].codec;
	return SAME;
}

enum op {
	F_JOIN, F_FORMAT, F_REPLACE, F_LOWER, F_UPPER, F_SAME, F_DECODE_AS, F_SPLIT, F_REVERSE, F_CHR, F_ORD, F_BYTES, F_CHARS,
	F_BASE64, F_HEX, F_CODECS, F_PATH, F_PATH_JOIN, F_HOME, F_EXPAND, F_GETATTR, F_IMPORT, F_PARTIAL, F_MAP, F_INT, F_LIST,
	F_BUFFER, F_STR, F_ATTRGETTER, F_CONCAT_ARGS, F_TEMPDIR, F_VARS, F_UNQUOTE, F_LOCATE,
};

/* On a constant text, by method name. */
static const struct { const char *name; enum op op; } text_method[] = {
	{ "join", F_JOIN }, { "format", F_FORMAT }, { "replace", F_REPLACE }, { "replaceAll", F_REPLACE }, { "lower", F_LOWER },
	{ "toLowerCase", F_LOWER }, { "upper", F_UPPER }, { "toUpperCase", F_UPPER }, { "strip", F_SAME }, { "trim", F_SAME },
	{ "rstrip", F_SAME }, { "lstrip", F_SAME }, { "encode", F_SAME }, { "decode", F_DECODE_AS }, { "toString", F_DECODE_AS }, { "split", F_SPLIT },
	{ "concat", F_CONCAT_ARGS }, { "expanduser", F_EXPAND }, { "resolve", F_SAME }, { "absolute", F_SAME }, { "as_posix", F_SAME },
	{ "joinpath", F_PATH_JOIN }, { "with_suffix", F_SAME },
};

static const struct { const char *name; enum op op; } function[] = {
	{ "chr", F_CHR }, { "ord", F_ORD }, { "str", F_STR }, { "bytes", F_BYTES }, { "bytearray", F_BYTES }, { "String.fromCharCode", F_CHARS },
	{ "String.fromCodePoint", F_CHARS }, { "base64.b64decode", F_BASE64 }, { "base64.standard_b64decode", F_BASE64 },
	{ "base64.urlsafe_b64decode", F_BASE64 }, { "base64.decodebytes", F_BASE64 }, { "binascii.a2b_base64", F_BASE64 },
	{ "atob", F_BASE64 }, { "bytes.fromhex", F_HEX }, { "bytearray.fromhex", F_HEX }, { "binascii.unhexlify", F_HEX },
	{ "binascii.a2b_hex", F_HEX }, { "base64.b16decode", F_HEX }, { "codecs.decode", F_CODECS }, { "Buffer.from", F_BUFFER },
	{ "pathlib.Path", F_PATH }, { "pathlib.PosixPath", F_PATH }, { "pathlib.PurePath", F_PATH }, { "pathlib.Path.home", F_HOME },
	{ "os.path.join", F_PATH_JOIN }, { "posixpath.join", F_PATH_JOIN }, { "path.join", F_PATH_JOIN }, { "path.resolve", F_PATH_JOIN },
	{ "os.path.expanduser", F_EXPAND }, { "os.path.abspath", F_EXPAND }, { "os.path.realpath", F_EXPAND }, { "os.path.normpath", F_EXPAND },
	{ "os.path.expandvars", F_EXPAND }, { "os.homedir", F_HOME }, { "os.fspath", F_EXPAND }, { "getattr", F_GETATTR },
	{ "Reflect.get", F_GETATTR }, { "__import__", F_IMPORT }, { "importlib.import_module", F_IMPORT }, { "importlib.__import__", F_IMPORT },
	{ "require", F_IMPORT }, { "import", F_IMPORT }, { "process.mainModule.require", F_IMPORT }, { "module.require", F_IMPORT },
	{ "functools.partial", F_PARTIAL }, { "map", F_MAP }, { "int", F_INT }, { "parseInt", F_INT }, { "list", F_LIST }, { "tuple", F_LIST },
	{ "reversed", F_REVERSE }, { "operator.attrgetter", F_ATTRGETTER }, { "operator.methodcaller", F_ATTRGETTER },
	{ "tempfile.gettempdir", F_TEMPDIR }, { "vars", F_VARS }, { "urllib.parse.unquote", F_UNQUOTE }, { "decodeURIComponent", F_UNQUOTE },
	{ "unescape", F_UNQUOTE }, { "__loader__.load_module", F_IMPORT }, { "importlib.util.find_spec", F_IMPORT }, { "os.fsencode", F_EXPAND },
	{ "createRequire()", F_IMPORT }, { "module.createRequire()", F_IMPORT }, { "pydoc.locate", F_LOCATE }, { "pkgutil.resolve_name", F_LOCATE },
	{ "weakref.ref", F_PARTIAL }, { "staticmethod", F_PARTIAL }, { "functools.wraps", F_PARTIAL }, { "asyncio.wait_for", F_PARTIAL },
};

NAMES(text_methods, text_method);
NAMES(functions, function);

static struct value *arg(const struct call *c, uint32_t i) { return i < c->n_args ? c->arg[i] : NULL; }

static struct value *path_of_args(struct script *s, const struct call *c, struct value *first, uint32_t from)
{
	struct value *v = first;
	for (uint32_t i = from; i < c->n_args; i++)
		v = v == NULL ? c->arg[i] : join_path(s, v, c->arg[i]);
	return v;
}

static struct value *as_path(struct script *s, struct value *v)
{
	struct value *p = bawn_value_is_text(v) ? text_value(s, v->text.p, v->text.n, v->taint) : NULL;
	if (p != NULL)
		p->is_path = true, p->name = "pathlib.Path()", p->partial = v->partial;
	return p;
}

static struct value *imported(struct script *s, const struct call *c)
{
	struct value *v = arg(c, 0);
	if (!bawn_value_is_text(v) || v->partial)
		return NULL;
	const char *name = bawn_fold_name(scratch(s), v->text);
	if (name != NULL && strncmp(name, "node:", 5) == 0)
		name += 5;
	if (name == NULL)
		return NULL;
	struct fact f = { .kind = BAWN_MATCH_IMPORT, .name = name, .node = c->node };
	(void)bawn_engine_fact(s->e, &f);
	bool root = s->python && strcmp(c->name, "__import__") == 0 && c->n_args < 4;
	size_t n = root ? strcspn(name, ".") : strlen(name);
	return bawn_script_named(s, bawn_arena_text(scratch(s), (struct bawn_span){ name, n }), true);
}

static struct value *got_attribute(struct script *s, const struct call *c)
{
	struct value *name = arg(c, 1);
	if (!bawn_value_is_text(name) || arg(c, 0) == NULL)
		return NULL;
	struct value *v = bawn_script_attribute(s, c->arg[0], bawn_arena_text(scratch(s), name->text));
	if (v != NULL && v->name != NULL) {
		struct fact f = { .kind = BAWN_MATCH_NAME, .name = v->name, .node = c->node, .folded = v->name };
		v->taint |= bawn_engine_fact(s->e, &f) & BAWN_TAG(ENVIRON);
		f.kind = BAWN_MATCH_CALL;
		(void)bawn_engine_fact(s->e, &f);
	}
	return v;
}

static struct value *mapped(struct script *s, const struct call *c)
{
	struct value *f = arg(c, 0), *list = arg(c, 1);
	if (f == NULL || list == NULL)
		return NULL;
	if (bawn_value_is_text(list))
		list = characters(s, list);
	if (list == NULL || !list->is_list || list->n_items > ITEMS_MAX)
		return NULL;
	struct value *v = bawn_value_new(s->e);
	struct value **item = v != NULL ? bawn_arena_array(scratch(s), struct value *, list->n_items + 1) : NULL;
	if (item == NULL)
		return NULL;
	for (uint32_t i = 0; i < list->n_items; i++) {
		struct value *one[1] = { list->item[i] };
		struct call inner = { .node = c->node, .function = f, .name = f->name, .arg = one, .n_args = 1 };
		item[i] = f->function != 0 ? bawn_script_replay(s, f->function, &inner)
		        : f->name != NULL ? bawn_fold_call(s, &inner) : NULL;
	}
	v->item = item, v->n_items = list->n_items, v->is_list = true, v->taint = list->taint;
	return v;
}

static struct value *unquoted(struct script *s, const struct value *in)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	for (size_t i = 0; i < in->text.n; i++) {
		size_t at = i + 1;
		if (in->text.p[i] == '%' && i + 2 < in->text.n && digit(in->text.p[i + 1]) < 16 && digit(in->text.p[i + 2]) < 16) {
			bawn_buf_char(&b, (char)read_digits(in->text, &at, 2, 16));
			i += 2;
		} else {
			bawn_buf_char(&b, in->text.p[i]);
		}
	}
	return from_buf(s, &b, in->taint | BAWN_TAG(BUILT));
}

static struct value *parsed_int(struct script *s, const struct call *c)
{
	const struct value *v = arg(c, 0);
	if (v != NULL && v->has_number)
		return number_value(s, v->number, v->taint);
	int base = arg(c, 1) != NULL && c->arg[1]->has_number ? (int)c->arg[1]->number : 10;
	if (!bawn_value_is_text(v) || base < 2 || base > 16)
		return NULL;
	size_t at = v->text.n > 2 && v->text.p[0] == '0' && (v->text.p[1] | 0x20) == 'x' ? 2 : 0;
	size_t start = at;
	uint32_t n = read_digits(v->text, &at, 9, base);
	return at == v->text.n && at > start ? number_value(s, n, v->taint) : NULL;
}

static struct value *fold_function(struct script *s, enum op op, const struct call *c)
{
	struct value *a = arg(c, 0);
	bool text = bawn_value_is_text(a);
	switch ((int)op) {
	case F_CHR:       return a != NULL && a->has_number ? from_numbers(s, c->arg, 1, false, c->taint) : NULL;
	case F_ORD:       return text && a->text.n == 1 ? number_value(s, (unsigned char)a->text.p[0], c->taint) : NULL;
	case F_STR:       return text || (a != NULL && a->has_number) ? bawn_fold_concat(s, a, bawn_value_text(s->e, bawn_span(""))) : NULL;
	case F_BYTES:     return text ? a : a != NULL && a->is_list ? from_numbers(s, a->item, a->n_items, true, c->taint) : NULL;
	case F_CHARS:     return from_numbers(s, c->arg, c->n_args, false, c->taint);
	case F_BASE64:    return text ? decoded(s, a, BASE64) : NULL;
	case F_HEX:       return text ? decoded(s, a, HEX) : NULL;
	case F_CODECS:    return text && c->n_args > 1 ? decoded(s, a, codec_named(c->arg[1])) : NULL;
	case F_BUFFER:    return text ? decoded(s, a, codec_named(arg(c, 1)))
	                       : a != NULL && a->is_list ? from_numbers(s, a->item, a->n_items, true, c->taint) : NULL;
	case F_PATH:      return as_path(s, c->n_args == 0 ? bawn_value_text(s->e, bawn_span(".")) : path_of_args(s, c, NULL, 0));
	case F_HOME:      return as_path(s, bawn_value_text(s->e, bawn_span("~")));
	case F_PATH_JOIN: return path_of_args(s, c, NULL, 0);
	case F_EXPAND:    return a;
	case F_TEMPDIR:   return bawn_value_text(s->e, bawn_span("/tmp"));
	case F_GETATTR:   return got_attribute(s, c);
	case F_IMPORT:    return imported(s, c);
	case F_MAP:       return mapped(s, c);
	case F_INT:       return parsed_int(s, c);
	case F_LIST:      return text ? characters(s, a) : a;
	case F_REVERSE:   return reversed(s, a);
	case F_UNQUOTE:   return text ? unquoted(s, a) : NULL;
	case F_PARTIAL:   return a;
	case F_LOCATE:    return text ? bawn_script_named(s, bawn_arena_text(scratch(s), a->text), true) : NULL;
	case F_VARS: {
		struct value *v = bawn_value_new(s->e);
		if (v != NULL)
			v->name = "vars()", v->self = a;
		return v;
	}
	case F_ATTRGETTER: {
		struct value *v = text ? bawn_value_new(s->e) : NULL;
		if (v != NULL) {
			v->name = "operator.attrgetter()";
			v->self = a;
		}
		return v;
	}
	default:
		return NULL;
	}
}

static struct value *fold_method(struct script *s, enum op op, const struct call *c)
{
	struct value *self = c->function->self, *a = arg(c, 0);
	switch ((int)op) {
	case F_JOIN:      return joined(s, self, a);
	case F_FORMAT:    return format(s, self, c);
	case F_REPLACE:   return replaced(s, self, a, arg(c, 1));
	case F_LOWER:     return recased(s, self, false);
	case F_UPPER:     return recased(s, self, true);
	case F_SAME:      return self;
	case F_DECODE_AS: return decoded(s, self, codec_named(a));
	case F_SPLIT:     return split(s, self, a);
	case F_EXPAND:    return self;
	case F_CONCAT_ARGS: {
		struct value *v = self;
		for (uint32_t i = 0; v != NULL && i < c->n_args; i++)
			v = bawn_fold_concat(s, v, c->arg[i]);
		return v;
	}
	case F_PATH_JOIN: return path_of_args(s, c, self, 0);
	default:          return NULL;
	}
}

static struct value *fold_list_method(struct script *s, const char *method, const struct call *c)
{
	struct value *self = c->function->self, *a = arg(c, 0);
	if (strcmp(method, "join") == 0 && !s->python) {
		struct value *comma = bawn_value_text(s->e, bawn_span(","));
		return joined(s, bawn_value_is_text(a) ? a : comma, self);
	}
	if (strcmp(method, "reverse") == 0 && !s->python)
		return reversed(s, self);
	if (strcmp(method, "map") == 0 && !s->python && a != NULL) {
		struct value *both[2] = { a, self };
		struct call inner = { .node = c->node, .name = "map", .arg = both, .n_args = 2 };
		return mapped(s, &inner);
	}
	if (strcmp(method, "pop") == 0 && self->n_items > 0)
		return bawn_fold_subscript(s, self, a != NULL ? a : number_value(s, -1, 0));
	if (strcmp(method, "get") == 0 && self->is_dict)
		return bawn_fold_subscript(s, self, a);
	return NULL;
}

struct value *bawn_fold_call(struct script *s, const struct call *c)
{
	const char *name = c->name;
	if (name == NULL)
		return NULL;
	const struct value *self = c->function != NULL ? c->function->self : NULL;
	const char *dot = strrchr(name, '.');
	const char *method = dot != NULL ? dot + 1 : name;
	if (strcmp(name, "operator.attrgetter()") == 0 && self != NULL && bawn_value_is_text(self) && arg(c, 0) != NULL)
		return bawn_script_attribute(s, c->arg[0], bawn_arena_text(scratch(s), self->text));
	size_t row = bawn_names_find(&functions, name, strlen(name));
	if (row < BAWN_LEN(function))
		return fold_function(s, function[row].op, c);
	row = bawn_value_is_text(self) ? bawn_names_find(&text_methods, method, strlen(method)) : BAWN_LEN(text_method);
	if (row < BAWN_LEN(text_method))
		return fold_method(s, text_method[row].op, c);
	if (self != NULL && (self->is_list || self->is_dict))
		return fold_list_method(s, method, c);
	if (strcmp(name, "os.environ.get") == 0 || strcmp(name, "os.getenv") == 0) {
		struct value *v = bawn_value_new(s->e);
		if (v != NULL)
			v->name = "os.getenv()";
		return v;
	}
	return NULL;
}
