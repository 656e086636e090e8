/* fold_format.c - see fold.h: values written into texts, the way Python writes them. */
#include "assess/fold.h"
#include <stdio.h>
#include "base/cleanup.h"

#define WIDTH_MAX 4096u

/* One conversion, however it was spelled: %-08.3x, {:>8}, {!r}. */
struct spec { uint32_t fill; char align, sign, type, how; bool alternate, zero, precise; uint32_t width, precision; };

static uint32_t count(struct bawn_span t, size_t *at)
{
	uint32_t n = 0;
	while (*at < t.n && t.p[*at] >= '0' && t.p[*at] <= '9') {
		n = n * 10 + (uint32_t)(t.p[(*at)++] - '0');
		n = n > WIDTH_MAX ? WIDTH_MAX : n;
	}
	return n;
}

static bool is_align(char c) { return c == '<' || c == '>' || c == '^' || c == '='; }

/* [[fill]align][sign][#][0][width][,][.precision][type] */
static struct spec parse_spec(struct bawn_span t)
{
	struct spec f = { .fill = ' ' };
	size_t at = 0;
	if (t.n > 1 && is_align(t.p[1]))
		f.fill = (unsigned char)t.p[0], f.align = t.p[1], at = 2;
	else if (t.n > 0 && is_align(t.p[0]))
		f.align = t.p[0], at = 1;
	if (at < t.n && strchr("+- ", t.p[at]) != NULL)
		f.sign = t.p[at++];
	if (at < t.n && t.p[at] == '#')
		f.alternate = true, at++;
	if (at < t.n && t.p[at] == '0')
		f.zero = true, at++;
	f.width = count(t, &at);
	if (at < t.n && (t.p[at] == ',' || t.p[at] == '_'))
		at++;
	if (at < t.n && t.p[at] == '.')
		at++, f.precise = true, f.precision = count(t, &at);
	f.type = at < t.n ? t.p[at] : 0;
	return f;
}

static void pad(struct bawn_buf *out, uint32_t fill, size_t n)
{
	while (n-- > 0)
		bawn_fold_put(out, fill, false);
}

static void put_padded(struct bawn_buf *out, const struct spec *f, struct bawn_span t, bool number)
{
	size_t letters = 0;
	for (size_t i = 0; i < t.n; i++)
		letters += ((unsigned char)t.p[i] & 0xc0) != 0x80;
	size_t gap = f->width > letters ? f->width - letters : 0;
	char align = f->align != 0 ? f->align : number && f->zero ? '=' : number ? '>' : '<';
	uint32_t fill = f->zero && f->align == 0 ? '0' : f->fill;
	size_t sign = align == '=' && t.n > 0 && (t.p[0] == '-' || t.p[0] == '+' || t.p[0] == ' ') ? 1 : 0;
	if (align == '=' && t.n > sign + 1 && t.p[sign] == '0' && (t.p[sign + 1] | 0x20) > '9')
		sign += 2;  /* 0x */
	bawn_buf_add(out, t.p, sign);
	pad(out, fill, align == '<' ? 0 : align == '^' ? gap / 2 : gap);
	bawn_buf_add(out, t.p + sign, t.n - sign);
	pad(out, fill, align == '<' ? gap : align == '^' ? gap - gap / 2 : 0);
}

/* Digits of `n` in any base up to 36. */
static size_t digits(char out[72], int64_t n, int base, bool upper, const char *prefix)
{
	char back[72];
	size_t have = 0, at = 0;
	uint64_t v = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
	do
		back[have++] = (upper ? "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ" : "0123456789abcdefghijklmnopqrstuvwxyz")[v % (unsigned)base];
	while ((v /= (unsigned)base) > 0);
	if (n < 0)
		out[at++] = '-';
	for (const char *p = prefix; *p != '\0'; p++)
		out[at++] = *p;
	while (have > 0)
		out[at++] = back[--have];
	return at;
}

struct value *bawn_fold_radix(struct script *s, const struct value *v, int radix, const char *prefix)
{
	char text[72];
	int64_t n;
	if (radix < 2 || radix > 36 || !bawn_fold_numeric(s, v, &n))
		return NULL;
	struct bawn_span t = { text, digits(text, n, radix, false, prefix) };
	return bawn_fold_text(s, (struct bawn_span){ bawn_arena_text(fold_memory(s), t), t.n }, v->taint);
}

static void put_number(struct bawn_buf *out, struct spec f, int64_t n)
{
	static const struct { char type; int base; const char *prefix; } row[] = {
		{ 'x', 16, "0x" }, { 'X', 16, "0X" }, { 'o', 8, "0o" }, { 'b', 2, "0b" },
	};
	char text[128];
	size_t len = 0;
	if (f.type == 'c') {
		bawn_fold_put(out, (uint32_t)n, false);
		return;
	}
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		if (row[i].type == f.type)
			len = digits(text, n, row[i].base, f.type == 'X', f.alternate ? row[i].prefix : "");
	if (f.type != 0 && strchr("eEfFgG%", f.type) != NULL) {
		int more = snprintf(text, sizeof text, "%.*f", f.precise ? (int)(f.precision < 40 ? f.precision : 40) : 6, (double)n);
		len = more > 0 ? (size_t)more : 0;
	} else if (len == 0) {
		len = digits(text, n, 10, false, "");
		while (f.precise && len < f.precision && len < 64) {  /* %.3d */
			memmove(text + 1, text, len++);
			text[0] = '0';
		}
	}
	if ((f.sign == '+' || f.sign == ' ') && text[0] != '-') {
		memmove(text + 1, text, len++);
		text[0] = f.sign;
	}
	put_padded(out, &f, (struct bawn_span){ text, len }, true);
}

/* One value as a conversion wants it; a gap where it is not known. */
static void put_value(struct script *s, struct bawn_buf *out, struct spec f, const struct value *v, bool *gap)
{
	bool quoted = f.how == 'r' || f.how == 'a' || f.type == 'r' || f.type == 'a';
	if (v != NULL && v->has_number && f.type != 's' && !quoted) {
		put_number(out, f, v->number);
		return;
	}
	struct value *r = quoted ? bawn_fold_repr(s, v) : NULL;
	struct bawn_span t = bawn_fold_shown(s, r != NULL ? r : v, gap);
	if (f.precise && f.precision < t.n)
		t.n = f.precision;
	put_padded(out, &f, t, v != NULL && v->has_number);
}

static struct value *finish(struct script *s, struct bawn_buf *b, uint64_t taint, bool gap, const struct value *like)
{
	struct value *v = bawn_fold_buf(s, b, taint | BAWN_TAG(BUILT), like);
	if (v != NULL)
		v->partial = gap;
	return v;
}

static const struct value *member(const struct value *dict, struct bawn_span key)
{
	for (uint32_t i = 0; dict != NULL && dict->is_dict && i < dict->n_items; i++)
		if (dict->key[i] != NULL && bawn_span_is(key, dict->key[i]))
			return dict->item[i];
	return NULL;
}

/* %[(key)][flags][width][.precision]type, from text.p[*at], which is past the '%'. */
static struct spec percent_spec(struct bawn_span t, size_t *at, struct bawn_span *key)
{
	struct spec f = { .fill = ' ', .align = '>' };
	*key = (struct bawn_span){ NULL, 0 };
	if (*at < t.n && t.p[*at] == '(') {
		size_t start = ++*at;
		while (*at < t.n && t.p[*at] != ')')
			++*at;
		*key = (struct bawn_span){ t.p + start, *at - start };
		*at += *at < t.n;
	}
	for (; *at < t.n && strchr("-+ #0", t.p[*at]) != NULL && t.p[*at] != '\0'; ++*at) {
		char c = t.p[*at];
		f.align = c == '-' ? '<' : f.align;
		f.zero = f.zero || c == '0';
		f.alternate = f.alternate || c == '#';
		f.sign = c == '+' || c == ' ' ? c : f.sign;
	}
	f.width = count(t, at);
	if (*at < t.n && t.p[*at] == '.')
		++*at, f.precise = true, f.precision = count(t, at);
	while (*at < t.n && strchr("hlL", t.p[*at]) != NULL && t.p[*at] != '\0')
		++*at;
	f.type = *at < t.n ? t.p[(*at)++] : '%';
	if (f.zero && f.align == '>')
		f.align = 0;
	return f;
}

struct value *bawn_fold_percent(struct script *s, struct value *left, struct value *right)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	bool gap = left->partial, list = right != NULL && right->is_list && !right->choice;
	uint32_t next = 0;
	for (size_t at = 0; at < left->text.n; ) {
		char c = left->text.p[at++];
		if (c != '%' || at == left->text.n) {
			bawn_buf_char(&b, c);
			continue;
		}
		struct bawn_span key;
		struct spec f = percent_spec(left->text, &at, &key);
		if (f.type == '%') {
			bawn_buf_char(&b, '%');
			continue;
		}
		const struct value *v = key.p != NULL ? member(right, key) : list ? (next < right->n_items ? right->item[next] : NULL) : right;
		next++;
		f.type = f.type == 'd' || f.type == 'i' || f.type == 'u' ? 0 : f.type;
		put_value(s, &b, f, v, &gap);
	}
	return finish(s, &b, left->taint | taint_of(right), gap, left);
}

/* The value a field names: {}, {0}, {name}, {0[1]}, {x[key]}. */
static const struct value *field(const struct call *c, struct bawn_span name, uint32_t *next)
{
	size_t n = 0, at = 0;
	while (n < name.n && name.p[n] != '[' && name.p[n] != '.')
		n++;
	struct bawn_span key = { name.p, n };
	const struct value *v = NULL;
	uint32_t index = count(key, &at);
	if (n == 0)
		v = fold_arg(c, (*next)++);
	else if (at == n)
		v = fold_arg(c, index);
	for (uint32_t k = 0; v == NULL && k < c->n_keywords; k++)
		if (c->keyword[k].name != NULL && bawn_span_is(key, c->keyword[k].name))
			v = c->keyword[k].value;
	while (v != NULL && n < name.n && name.p[n] == '[') {
		size_t start = ++n;
		while (n < name.n && name.p[n] != ']')
			n++;
		struct bawn_span sub = { name.p + start, n - start };
		at = 0;
		index = count(sub, &at);
		v = v->is_dict ? member(v, sub) : v->is_list && at == sub.n && index < v->n_items ? v->item[index] : NULL;
		n++;
	}
	return n >= name.n ? v : NULL;
}

struct value *bawn_fold_format(struct script *s, const struct value *left, const struct call *c)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	bool gap = left->partial;
	uint32_t next = 0;
	struct bawn_span t = left->text;
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] != '{' || (i + 1 < t.n && t.p[i + 1] == '{')) {
			i += i + 1 < t.n && (t.p[i] == '{' || t.p[i] == '}') && t.p[i + 1] == t.p[i];
			bawn_buf_char(&b, t.p[i]);
			continue;
		}
		size_t start = i + 1, name = start, end = start;
		while (end < t.n && t.p[end] != '}')
			end++;
		while (name < end && t.p[name] != ':' && t.p[name] != '!')
			name++;
		char how = name + 1 < end && t.p[name] == '!' ? t.p[name + 1] : 0;
		size_t spec = name + (how != 0 ? 2 : 0);
		struct spec f = parse_spec(spec < end && t.p[spec] == ':' ? (struct bawn_span){ t.p + spec + 1, end - spec - 1 } : bawn_span(""));
		f.how = how;
		put_value(s, &b, f, field(c, (struct bawn_span){ t.p + start, name - start }, &next), &gap);
		i = end;
	}
	return finish(s, &b, left->taint | c->taint, gap, NULL);
}

/* `rest` is what stands behind the expression in {x!r:>8}, without the brace. */
struct value *bawn_fold_inserted(struct script *s, struct value *v, struct bawn_span rest)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	bool gap = false;
	while (rest.n > 0 && rest.p[0] == ' ')
		rest.p++, rest.n--;
	char how = rest.n > 1 && rest.p[0] == '!' ? rest.p[1] : 0;
	size_t at = how != 0 ? 2 : 0;
	if (rest.n == 0 || (at < rest.n && rest.p[at] != ':') || memchr(rest.p, '{', rest.n) != NULL)
		return v;
	struct spec f = parse_spec(at < rest.n ? (struct bawn_span){ rest.p + at + 1, rest.n - at - 1 } : bawn_span(""));
	f.how = how;
	put_value(s, &b, f, v, &gap);
	return finish(s, &b, taint_of(v), gap, NULL);
}

/* format(x, 'spec') */
struct value *bawn_fold_format_value(struct script *s, const struct value *v, const struct value *spec)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	bool gap = false;
	put_value(s, &b, parse_spec(bawn_value_is_text(spec) ? spec->text : bawn_span("")), v, &gap);
	return finish(s, &b, taint_of(v), gap, NULL);
}

struct value *bawn_fold_repr(struct script *s, const struct value *v)
{
	struct letters l;
	if (v != NULL && v->has_number)
		return bawn_fold_radix(s, v, 10, "");
	if (v == NULL || v->partial || !bawn_fold_letters(s, v, &l))
		return NULL;
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	bool single = memchr(v->text.p, '\'', v->text.n) != NULL && memchr(v->text.p, '"', v->text.n) == NULL;
	uint32_t quote = single ? '"' : '\'';
	if (v->bytes)
		bawn_buf_char(&b, 'b');
	bawn_fold_put(&b, quote, false);
	for (size_t i = 0; i < l.n; i++) {
		uint32_t c = l.c[i];
		if (c == '\n' || c == '\r' || c == '\t')
			bawn_buf_fmt(&b, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
		else if (c < 0x20 || c == 0x7f || (v->bytes && c > 0x7f))
			bawn_buf_fmt(&b, "\\x%02x", c);
		else if (c == quote || c == '\\')
			bawn_buf_fmt(&b, "\\%c", (char)c);
		else
			bawn_fold_put(&b, c, false);
	}
	bawn_fold_put(&b, quote, false);
	return bawn_fold_buf(s, &b, v->taint, NULL);
}

/* struct.pack(format, values...) */
struct value *bawn_fold_pack(struct script *s, const struct call *c)
{
	static const struct { char type; uint8_t size; } row[] = {
		{ 'b', 1 }, { 'B', 1 }, { 'c', 1 }, { '?', 1 }, { 'h', 2 }, { 'H', 2 }, { 'i', 4 }, { 'I', 4 }, { 'l', 4 }, { 'L', 4 },
		{ 'q', 8 }, { 'Q', 8 }, { 'x', 1 },
	};
	const struct value *how = fold_arg(c, 0);
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	if (!bawn_value_is_text(how) || how->text.n > 256)
		return NULL;
	size_t at = 0;
	uint32_t next = 1;
	bool big = how->text.n > 0 && (how->text.p[0] == '>' || how->text.p[0] == '!');
	at = how->text.n > 0 && strchr("<>=!@", how->text.p[0]) != NULL ? 1 : 0;
	while (at < how->text.n) {
		size_t start = at;
		uint32_t times = count(how->text, &at);
		times = at == start ? 1 : times;
		char type = at < how->text.n ? how->text.p[at++] : ' ';
		if (type == ' ')
			continue;
		if (type == 's') {
			const struct value *v = fold_arg(c, next++);
			if (!bawn_value_is_text(v))
				return NULL;
			for (uint32_t k = 0; k < times; k++)
				bawn_buf_char(&b, k < v->text.n ? v->text.p[k] : '\0');
			continue;
		}
		uint8_t size = 0;
		for (size_t i = 0; i < BAWN_LEN(row); i++)
			size = row[i].type == type ? row[i].size : size;
		for (uint32_t k = 0; k < times; k++) {
			const struct value *v = type == 'x' ? NULL : fold_arg(c, next++);
			int64_t n = 0;
			if (size == 0 || (type == 'c' && (!bawn_value_is_text(v) || v->text.n != 1)) ||
			    (type != 'c' && type != 'x' && !bawn_fold_numeric(s, v, &n)))
				return NULL;
			n = type == 'c' ? (unsigned char)v->text.p[0] : n;
			for (unsigned i = 0; i < size; i++)
				bawn_buf_char(&b, (char)((uint64_t)n >> 8 * (big ? size - 1 - i : i) & 0xff));
		}
	}
	const struct value like = { .bytes = true };
	return bawn_fold_buf(s, &b, c->taint | BAWN_TAG(BUILT), &like);
}

#define LARGE_DIGITS 8192u

/* The bytes of a number that does not fit, the highest first; NULL: not one of ours, or too large. */
struct value *bawn_fold_large(struct script *s, struct bawn_span t)
{
	uint32_t limb[LARGE_DIGITS / 8 + 1] = { 0 }, n = 0;  /* the lowest first */
	bool hex = t.n > 2 && (t.p[1] | 0x20) == 'x';
	if (t.n > LARGE_DIGITS || (t.n > 2 && t.p[0] == '0' && !hex) || !bawn_fold_charge(s, t.n * 256))
		return NULL;
	for (size_t i = hex ? 2 : 0; i < t.n; i++) {
		if (t.p[i] == '_')
			continue;
		uint64_t carry = (uint64_t)(t.p[i] <= '9' ? t.p[i] - '0' : (t.p[i] | 0x20) - 'a' + 10);
		for (uint32_t k = 0; k < n || carry > 0; k++) {
			carry += (uint64_t)limb[k] * (hex ? 16 : 10);
			limb[k] = (uint32_t)carry;
			carry >>= 32;
			n = k >= n ? k + 1 : n;
		}
	}
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	for (uint32_t k = 4 * n; k > 0; k--) {
		char byte = (char)(limb[(k - 1) / 4] >> 8 * ((k - 1) % 4) & 0xff);
		if (byte != 0 || b.n > 0)
			bawn_buf_char(&b, byte);
	}
	const struct value like = { .bytes = true };
	return b.n > 0 ? bawn_fold_buf(s, &b, 0, &like) : NULL;
}
