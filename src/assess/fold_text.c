/* fold_text.c - see fold.h: methods of texts, done as the language does them. */
#include "assess/fold.h"
#include "base/cleanup.h"
#include "base/utf8.h"

#define NONE (-1)

static bool is_space(uint32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_upper(uint32_t c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(uint32_t c) { return c >= 'a' && c <= 'z'; }
static bool is_digit(uint32_t c) { return c >= '0' && c <= '9'; }
static bool is_letter(uint32_t c) { return is_upper(c) || is_lower(c) || c >= 0x80; }

static int64_t number_or(const struct script *s, const struct value *v, int64_t other)
{
	int64_t n;
	return bawn_fold_numeric(s, v, &n) ? n : other;
}

static struct value *same_kind(struct value *v, const struct value *as)
{
	if (v != NULL)
		v->bytes = as->bytes, v->partial = as->partial;
	return v;
}

static struct value *part(struct script *s, const struct value *in, size_t from, size_t to)
{
	return same_kind(bawn_fold_text(s, (struct bawn_span){ in->text.p + from, to - from }, in->taint), in);
}

/* Changes letter by letter; `first` is true at the start of a word. */
static struct value *recased(struct script *s, int op, const struct value *in)
{
	char *p = bawn_arena_text(fold_memory(s), in->text);
	bool first = true;
	for (size_t i = 0; p != NULL && i < in->text.n; i++) {
		unsigned char c = (unsigned char)p[i];
		bool up = is_upper(c), low = is_lower(c);
		bool want_up = op == F_UPPER || (op == F_SWAPCASE && low) || (op == F_TITLE && first) || (op == F_CAPITALIZE && i == 0);
		if (up || low)
			p[i] = (char)(want_up ? c & ~0x20 : c | 0x20);
		first = !(up || low);
	}
	return same_kind(bawn_fold_text(s, (struct bawn_span){ p, in->text.n }, in->taint), in);
}

static struct value *stripped(struct script *s, int op, const struct value *in, const struct value *which)
{
	size_t from = 0, to = in->text.n;
	bool given = bawn_value_is_text(which);
#define STRIPS(c) (given ? memchr(which->text.p, (c), which->text.n) != NULL : is_space((unsigned char)(c)))
	while (op != F_RSTRIP && from < to && STRIPS(in->text.p[from]))
		from++;
	while (op != F_LSTRIP && to > from && STRIPS(in->text.p[to - 1]))
		to--;
#undef STRIPS
	return part(s, in, from, to);
}

static struct value *with_pattern(struct script *s, const struct value *in, const struct value *pattern, const struct value *to, bool all);

static struct value *replaced(struct script *s, const struct value *in, const struct value *from, const struct value *to, int64_t times)
{
	if (from != NULL && from->name != NULL && strcmp(from->name, "RegExp()") == 0 && bawn_value_is_text(from->self))
		return with_pattern(s, in, from, to, times != 1);
	if (!bawn_value_is_text(from) || !bawn_value_is_text(to))
		return NULL;
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	for (size_t i = 0; i < in->text.n; ) {
		bool here = in->text.n - i >= from->text.n && memcmp(in->text.p + i, from->text.p, from->text.n) == 0;
		if (here && times != 0) {
			bawn_buf_add(&b, to->text.p, to->text.n);
			i += from->text.n;
			times--;
		}
		if (!here || times == 0 || from->text.n == 0) {
			if (i < in->text.n)
				bawn_buf_char(&b, in->text.p[i]);
			i++;
		}
	}
	struct value *v = bawn_fold_buf(s, &b, in->taint | to->taint | BAWN_TAG(BUILT), in);
	if (v != NULL)
		v->partial = in->partial || to->partial;
	return v;
}

static struct value *justified(struct script *s, int op, const struct value *in, int64_t width, const struct value *fill)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	struct bawn_span with = bawn_value_is_text(fill) && fill->text.n > 0 ? fill->text : bawn_span(op == F_ZFILL ? "0" : " ");
	int64_t gap = width - (int64_t)in->text.n, before = op == F_LJUST ? 0 : op == F_CENTER ? gap / 2 : gap;
	size_t sign = op == F_ZFILL && in->text.n > 0 && (in->text.p[0] == '-' || in->text.p[0] == '+');
	if (gap > 0 && bawn_fold_over(s, (uint64_t)gap, FOLDED_MAX))
		return NULL;
	bawn_buf_add(&b, in->text.p, sign);
	for (int64_t i = 0; i < before; i++)
		bawn_buf_char(&b, with.p[(size_t)i % with.n]);
	bawn_buf_add(&b, in->text.p + sign, in->text.n - sign);
	for (int64_t i = 0; i < gap - before; i++)
		bawn_buf_char(&b, with.p[(size_t)i % with.n]);
	return bawn_fold_buf(s, &b, in->taint, in);
}

/* ---- cutting ---- */

static struct value *words(struct script *s, const struct value *in)
{
	uint32_t n = 0;
	for (size_t i = 0; i < in->text.n; i++)
		n += !is_space((unsigned char)in->text.p[i]) && (i == 0 || is_space((unsigned char)in->text.p[i - 1]));
	struct value *v = bawn_fold_list(s, n, in->taint);
	uint32_t k = 0;
	for (size_t i = 0; v != NULL && i < in->text.n && k < n; ) {
		while (i < in->text.n && is_space((unsigned char)in->text.p[i]))
			i++;
		size_t start = i;
		while (i < in->text.n && !is_space((unsigned char)in->text.p[i]))
			i++;
		v->item[k++] = part(s, in, start, i);
	}
	return v;
}

static size_t find(struct bawn_span in, size_t from, struct bawn_span what)
{
	const char *p = from <= in.n ? memmem(in.p + from, in.n - from, what.p, what.n) : NULL;
	return p != NULL ? (size_t)(p - in.p) : SIZE_MAX;
}

static size_t find_last(struct bawn_span in, size_t end, struct bawn_span what)
{
	for (size_t i = end >= what.n ? end - what.n + 1 : 0; i > 0; i--)
		if (memcmp(in.p + i - 1, what.p, what.n) == 0)
			return i - 1;
	return SIZE_MAX;
}

/* `most`: NONE, or how many cuts. */
static struct value *split(struct script *s, struct value *in, const struct value *by, int64_t most)
{
	if (by == NULL || (!bawn_value_is_text(by) && s->python))
		return words(s, in);
	if (!bawn_value_is_text(by) || by->partial)
		return NULL;
	if (by->text.n == 0)
		return bawn_fold_items(s, in);
	uint32_t n = 1;
	for (size_t at = find(in->text, 0, by->text); at != SIZE_MAX && n <= ITEMS_MAX; at = find(in->text, at + by->text.n, by->text))
		n++;
	struct value *v = bawn_fold_list(s, n, in->taint);
	uint32_t k = 0;
	size_t start = 0;
	for (; v != NULL && k + 1 < n && (most == NONE || k < most); k++) {
		size_t at = find(in->text, start, by->text);
		v->item[k] = part(s, in, start, at);
		start = at + by->text.n;
	}
	if (v != NULL)
		v->item[k] = part(s, in, start, in->text.n), v->n_items = k + 1;
	return v;
}

static struct value *rsplit(struct script *s, struct value *in, const struct value *by, int64_t most)
{
	if (!bawn_value_is_text(by) || by->text.n == 0 || most == NONE || most > 64)
		return split(s, in, by, NONE);
	struct value *v = bawn_fold_list(s, (uint32_t)most + 1, in->taint);
	size_t end = in->text.n, at = 0;
	uint32_t k = 0;
	for (; v != NULL && k < most && (at = find_last(in->text, end, by->text)) != SIZE_MAX; k++) {
		v->item[k] = part(s, in, at + by->text.n, end);
		end = at;
	}
	if (v == NULL)
		return NULL;
	v->item[k] = part(s, in, 0, end), v->n_items = k + 1;
	for (uint32_t i = 0; i < v->n_items / 2; i++) {
		struct value *swap = v->item[i];
		v->item[i] = v->item[k - i];
		v->item[k - i] = swap;
	}
	return v;
}

static struct value *partition(struct script *s, const struct value *in, const struct value *by, bool last)
{
	if (!bawn_value_is_text(by) || by->text.n == 0)
		return NULL;
	size_t at = last ? find_last(in->text, in->text.n, by->text) : find(in->text, 0, by->text);
	struct value *v = bawn_fold_list(s, 3, in->taint);
	if (v == NULL)
		return NULL;
	bool found = at != SIZE_MAX;
	size_t cut = found ? at : last ? 0 : in->text.n, end = found ? at + by->text.n : cut;
	v->item[0] = part(s, in, 0, cut);
	v->item[1] = part(s, in, cut, end);
	v->item[2] = part(s, in, end, in->text.n);
	return v;
}

static struct value *lines(struct script *s, const struct value *in)
{
	uint32_t n = 1;
	for (size_t i = 0; i < in->text.n; i++)
		n += in->text.p[i] == '\n';
	struct value *v = bawn_fold_list(s, n, in->taint);
	uint32_t k = 0;
	for (size_t start = 0, i = 0; v != NULL && i <= in->text.n; i++)
		if ((i == in->text.n && i > start) || (i < in->text.n && in->text.p[i] == '\n')) {
			v->item[k++] = part(s, in, start, i - (i > start && in->text.p[i - 1] == '\r'));
			start = i + 1;
		}
	if (v != NULL)
		v->n_items = k;
	return v;
}

static struct value *slice(struct script *s, struct value *in, const struct value *from, const struct value *to)
{
	bool has[3] = { from != NULL, to != NULL, false };
	int64_t p[3] = { 0, 0, 0 };
	if ((has[0] && !bawn_fold_numeric(s, from, &p[0])) || (has[1] && !bawn_fold_numeric(s, to, &p[1])))
		return NULL;
	return bawn_fold_slice(s, in, has, p);
}

/* substr(from, length), substring(from, to) */
static struct value *substring(struct script *s, struct value *in, const struct value *from, const struct value *to, bool length)
{
	int64_t n = (int64_t)in->text.n, a = number_or(s, from, 0), b = number_or(s, to, n);
	bool has[3] = { true, true, false };
	if (from == NULL || (to != NULL && !to->has_number) || !from->has_number)
		return NULL;
	if (length) {
		a = a < 0 ? (a + n > 0 ? a + n : 0) : a;
		b = a + (b < 0 ? 0 : b > n ? n : b);
	} else {
		a = a < 0 ? 0 : a;
		b = b < 0 ? 0 : b;
		if (a > b) {
			int64_t swap = a;
			a = b, b = swap;
		}
	}
	return bawn_fold_slice(s, in, has, (int64_t[3]){ a, b, 0 });
}

/* ---- patterns ----
 * Only those that are a row of single letters, sets and classes, each perhaps repeated: that is what
 * disguises are stripped with.  Anything else is not known. */

struct atom { struct bawn_span set; bool not, any; char class_, least, many; };  /* set: as written between the brackets */

static bool in_class(char name, unsigned char c)
{
	bool yes = (name | 0x20) == 'd' ? is_digit(c) : (name | 0x20) == 's' ? is_space(c) : is_digit(c) || is_letter(c) || c == '_';
	return yes == ((name & 0x20) != 0);
}

static bool in_set(struct bawn_span set, unsigned char c)
{
	for (size_t i = 0; i < set.n; i++) {
		bool escape = set.p[i] == '\\' && i + 1 < set.n;
		i += escape;
		if (escape && strchr("dswDSW", set.p[i]) != NULL ? in_class(set.p[i], c) : (unsigned char)set.p[i] == c)
			return true;
		if (i + 2 < set.n && set.p[i + 1] == '-') {
			if (c >= (unsigned char)set.p[i] && c <= (unsigned char)set.p[i + 2])
				return true;
			i += 2;
		}
	}
	return false;
}

/* The atom at p.p[*at]; false: more than we read. */
static bool next_atom(struct bawn_span p, size_t *at, struct atom *a)
{
	char c = p.p[(*at)++];
	*a = (struct atom){ .set = { p.p + *at - 1, 1 }, .least = 1 };
	if (strchr("()|^$*+?{", c) != NULL)
		return false;
	if (c == '.') {
		a->any = true;
	} else if (c == '\\' && *at < p.n) {
		c = p.p[(*at)++];
		if (strchr("dswDSW", c) != NULL)
			a->class_ = c;
		else if (is_letter((unsigned char)c) || is_digit((unsigned char)c))
			return false;
		a->set = (struct bawn_span){ p.p + *at - 1, 1 };
	} else if (c == '[') {
		a->not = *at < p.n && p.p[*at] == '^';
		*at += a->not;
		size_t start = *at;
		while (*at < p.n && p.p[*at] != ']')
			*at += p.p[*at] == '\\' ? 2 : 1;
		if (*at >= p.n)
			return false;
		a->set = (struct bawn_span){ p.p + start, *at - start };
		++*at;
	}
	if (*at < p.n && strchr("+*?{", p.p[*at]) != NULL) {
		c = p.p[(*at)++];
		a->least = c == '+';
		a->many = c != '?';
		return c != '{';
	}
	return true;
}

static bool fits(const struct atom *a, unsigned char c)
{
	if (a->any)
		return c != '\n';
	if (a->class_ != 0)
		return in_class(a->class_, c);
	bool single = a->set.n == 1;
	return (single ? (unsigned char)a->set.p[0] == c : in_set(a->set, c)) != a->not;
}

/* How much of `in` from `from` the pattern takes; -1: none, -2: not known. */
static int64_t matched(struct bawn_span p, struct bawn_span in, size_t from)
{
	size_t at = 0, i = from;
	while (at < p.n) {
		struct atom a;
		if (!next_atom(p, &at, &a))
			return -2;
		size_t n = 0;
		while (i < in.n && (a.many || n == 0) && fits(&a, (unsigned char)in.p[i]))
			i++, n++;
		if (n < (size_t)a.least)
			return -1;
	}
	return (int64_t)(i - from);
}

static struct value *substituted(struct script *s, const struct value *in, struct bawn_span p, const struct value *to, bool all)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	bool more = true;
	if (!bawn_value_is_text(to) || p.n == 0 || p.n > 256 || !bawn_fold_charge(s, in->text.n) || memchr(to->text.p, '\\', to->text.n) != NULL ||
	    memchr(to->text.p, '$', to->text.n) != NULL)
		return NULL;
	for (size_t i = 0; i < in->text.n; ) {
		int64_t n = more ? matched(p, in->text, i) : -1;
		if (n == -2)
			return NULL;
		if (n > 0) {
			bawn_buf_add(&b, to->text.p, to->text.n);
			i += (size_t)n;
			more = all;
		} else {
			bawn_buf_char(&b, in->text.p[i++]);
		}
	}
	struct value *v = bawn_fold_buf(s, &b, in->taint | to->taint | BAWN_TAG(BUILT), in);
	return same_kind(v, in);
}

static struct value *with_pattern(struct script *s, const struct value *in, const struct value *pattern, const struct value *to, bool all)
{
	struct bawn_span t = pattern->self->text;  /* /x/g */
	size_t end = t.n;
	while (end > 0 && t.p[end - 1] != '/')
		end--;
	if (end < 3 || memchr(t.p + end, 'i', t.n - end) != NULL)
		return NULL;
	return substituted(s, in, (struct bawn_span){ t.p + 1, end - 2 }, to, all || memchr(t.p + end, 'g', t.n - end) != NULL);
}

struct value *bawn_fold_pattern(struct script *s, struct bawn_span text)
{
	struct value *v = bawn_value_new(s->e);
	if (v != NULL)
		v->name = "RegExp()", v->self = bawn_value_text(s->e, text);
	return v != NULL && v->self != NULL ? v : NULL;
}

/* re.sub(pattern, to, text) */
struct value *bawn_fold_re_sub(struct script *s, const struct call *c)
{
	const struct value *pattern = fold_arg(c, 0), *in = fold_arg(c, 2);
	return bawn_value_is_text(pattern) && bawn_value_is_text(in) && c->n_args == 3 ? substituted(s, in, pattern->text, fold_arg(c, 1), true) : NULL;
}

/* ---- letters ---- */

struct value *bawn_fold_join(struct script *s, const struct value *glue, struct value *list)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	bool gap = false;
	struct value *items = bawn_fold_items(s, list);
	if (items == NULL)
		items = list != NULL && list->is_list && !list->choice ? list : NULL;
	if (items == NULL || glue == NULL)
		return NULL;
	uint64_t taint = list->taint | glue->taint | BAWN_TAG(BUILT);
	for (uint32_t i = 0; i < items->n_items; i++) {
		struct bawn_span t = bawn_fold_shown(s, items->item[i], &gap);
		taint |= taint_of(items->item[i]);
		if (i > 0)
			bawn_buf_add(&b, glue->text.p, glue->text.n);
		bawn_buf_add(&b, t.p, t.n);
	}
	struct value *v = bawn_fold_buf(s, &b, taint, glue);
	if (v != NULL)
		v->partial = gap || items->partial;
	return v;
}

static struct value *translated(struct script *s, const struct value *in, const struct value *table, const struct value *drop)
{
	struct letters l;
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	bool bytes = bawn_value_is_text(table) && table->text.n == 256;
	if (table == NULL || (!bytes && !table->is_dict) || !bawn_fold_letters(s, in, &l))
		return NULL;
	for (size_t i = 0; i < l.n; i++) {
		char key[16];
		if (bawn_value_is_text(drop) && l.c[i] < 256 && memchr(drop->text.p, (int)l.c[i], drop->text.n) != NULL)
			continue;
		if (bytes) {
			bawn_buf_char(&b, l.c[i] < 256 ? table->text.p[l.c[i]] : ' ');
			continue;
		}
		snprintf(key, sizeof key, "%u", l.c[i]);
		const struct value *to = NULL;
		bool found = false;
		for (uint32_t k = 0; k < table->n_items && !found; k++)
			if (table->key[k] != NULL && strcmp(table->key[k], key) == 0)
				found = true, to = table->item[k];
		if (!found)
			bawn_fold_put(&b, l.c[i], in->bytes);
		else if (bawn_value_is_text(to))
			bawn_buf_add(&b, to->text.p, to->text.n);
		else if (to != NULL && to->has_number)
			bawn_fold_put(&b, (uint32_t)to->number, in->bytes);
	}
	return bawn_fold_buf(s, &b, in->taint | table->taint | BAWN_TAG(BUILT), in);
}

static struct value *letter_code(struct script *s, const struct value *in, const struct value *at)
{
	struct letters l;
	int64_t i = number_or(s, at, 0);
	return bawn_fold_letters(s, in, &l) && i >= 0 && (size_t)i < l.n ? bawn_fold_number(s, l.c[i], in->taint) : NULL;
}

static struct value *all_are(struct script *s, int op, const struct value *in)
{
	bool yes = in->text.n > 0, cased = false;
	for (size_t i = 0; i < in->text.n; i++) {
		uint32_t c = (unsigned char)in->text.p[i];
		cased = cased || is_upper(c) || is_lower(c);
		yes = yes && (op == F_IS_ALPHA ? is_letter(c) : op == F_IS_DIGIT ? is_digit(c) : op == F_IS_SPACE ? is_space(c)
		              : op == F_IS_UPPER ? !is_lower(c) : !is_upper(c));
	}
	return bawn_fold_bool(s, yes && (cased || (op != F_IS_UPPER && op != F_IS_LOWER)));
}

static struct value *found_at(struct script *s, int op, const struct value *in, const struct value *what)
{
	if (!bawn_value_is_text(what) || in->partial || what->partial)
		return NULL;
	size_t at = find(in->text, 0, what->text), n = 0;
	switch (op) {
	case F_FIND:     return bawn_fold_number(s, at != SIZE_MAX ? (int64_t)at : -1, in->taint);
	case F_CONTAINS: return bawn_fold_bool(s, at != SIZE_MAX);
	case F_STARTS:   return bawn_fold_bool(s, at == 0);
	case F_ENDS:     return bawn_fold_bool(s, in->text.n >= what->text.n && memcmp(in->text.p + in->text.n - what->text.n, what->text.p, what->text.n) == 0);
	default:
		for (; at != SIZE_MAX && what->text.n > 0; at = find(in->text, at + what->text.n, what->text))
			n++;
		return bawn_fold_number(s, (int64_t)n, in->taint);
	}
}

/* A text whose UTF-16 is another text was made to hide that one. */
static struct value *wide_text(struct script *s, const struct value *in, enum bawn_codec how)
{
	struct bawn_span t = bawn_encode_utf16(fold_memory(s), in->text, how == BAWN_CODEC_UTF16BE);
	bool hidden = t.n > 0 && bawn_utf8_bad(t) == t.n && memchr(t.p, '\0', t.n) == NULL;
	if (t.p != NULL && how == BAWN_CODEC_UTF16)  /* begins with a mark */
		t = (struct bawn_span){ bawn_arena_join(fold_memory(s), bawn_span("\xff\xfe"), t), t.n + 2 };
	struct value *v = bawn_fold_text(s, t, in->taint | (hidden ? BAWN_TAG(DECODE) : 0));
	if (v != NULL)
		v->bytes = true;
	return v;
}

static struct value *encoded(struct script *s, struct value *in, const struct value *as)
{
	enum bawn_codec how = bawn_value_is_text(as) ? bawn_codec_named(as->text) : BAWN_CODEC_SAME;
	struct bawn_span t = how == BAWN_CODEC_LATIN1 ? bawn_encode_latin1(fold_memory(s), in->text) : in->text;
	if (how == BAWN_CODEC_ROT13)
		return bawn_fold_decoded(s, in, how);  /* its own inverse */
	bool wide = how == BAWN_CODEC_UTF16 || how == BAWN_CODEC_UTF16LE || how == BAWN_CODEC_UTF16BE;
	if (wide && !in->partial && bawn_fold_charge(s, 2 * in->text.n))
		return wide_text(s, in, how);
	struct value *v = how == BAWN_CODEC_SAME || how == BAWN_CODEC_LATIN1 ? bawn_fold_text(s, t, in->taint) : NULL;
	if (v != NULL)
		v->bytes = true, v->partial = in->partial;
	return v;
}

/* x.decode('name'), buffer.toString('name') */
static struct value *decoded(struct script *s, struct value *in, const struct value *as)
{
	enum bawn_codec how = bawn_value_is_text(as) ? bawn_codec_named(as->text) : BAWN_CODEC_SAME;
	if (!s->python && in->bytes && (how == BAWN_CODEC_HEX || how == BAWN_CODEC_BASE64ANY || how == BAWN_CODEC_BASE64URL))
		return NULL;  /* there it is the way back */
	struct value *v = how == BAWN_CODEC_SAME ? bawn_fold_text(s, in->text, in->taint) : bawn_fold_decoded(s, in, how);
	if (v != NULL)
		v->partial = in->partial, v->is_path = in->is_path;
	return v;
}

static struct value *without(struct script *s, const struct value *in, const struct value *what, bool prefix)
{
	if (!bawn_value_is_text(what))
		return NULL;
	size_t n = what->text.n, from = prefix ? 0 : in->text.n - n;
	bool has = in->text.n >= n && memcmp(in->text.p + from, what->text.p, n) == 0;
	return part(s, in, has && prefix ? n : 0, has && !prefix ? in->text.n - n : in->text.n);
}

struct value *bawn_fold_text_method(struct script *s, int op, struct value *self, const struct call *c)
{
	struct value *a = fold_arg(c, 0), *b = fold_arg(c, 1);
	switch (op) {
	case F_JOIN:          return bawn_fold_join(s, self, a);
	case F_FORMAT:        return bawn_fold_format(s, self, c);
	case F_REPLACE:       return replaced(s, self, a, b, number_or(s, fold_arg(c, 2), NONE));
	case F_REPLACE_ONE:   return replaced(s, self, a, b, s->python ? number_or(s, fold_arg(c, 2), NONE) : 1);
	case F_LOWER: case F_UPPER: case F_SWAPCASE: case F_TITLE: case F_CAPITALIZE: case F_CASEFOLD:
		return recased(s, op, self);
	case F_STRIP: case F_LSTRIP: case F_RSTRIP: return stripped(s, op, self, s->python ? a : NULL);
	case F_CENTER: case F_LJUST: case F_RJUST: case F_ZFILL: return justified(s, op, self, number_or(s, a, 0), b);
	case F_SPLIT:         return split(s, self, s->python && a == NULL ? bawn_fold_keyword(c, "sep") : a, s->python ? number_or(s, b, NONE) : NONE);
	case F_RSPLIT:        return rsplit(s, self, a, number_or(s, b, NONE));
	case F_PARTITION:     return partition(s, self, a, false);
	case F_RPARTITION:    return partition(s, self, a, true);
	case F_SPLITLINES:    return lines(s, self);
	case F_SLICE:         return slice(s, self, a, b);
	case F_SUBSTR:        return substring(s, self, a, b, true);
	case F_SUBSTRING:     return substring(s, self, a, b, false);
	case F_TRANSLATE:     return translated(s, self, a, b);
	case F_CHAR_CODE:     return letter_code(s, self, a);
	case F_CHAR_AT: case F_AT: return a != NULL ? bawn_fold_subscript(s, self, a) : NULL;
	case F_IS_ALPHA: case F_IS_DIGIT: case F_IS_SPACE: case F_IS_UPPER: case F_IS_LOWER: return all_are(s, op, self);
	case F_FIND: case F_CONTAINS: case F_STARTS: case F_ENDS: case F_COUNT: return found_at(s, op, self, a);
	case F_ENCODE_AS:     return encoded(s, self, a);
	case F_DECODE_AS:     return decoded(s, self, a != NULL ? a : bawn_fold_keyword(c, "encoding"));
	case F_TO_STRING:     return decoded(s, self, a);
	case F_REMOVE_PREFIX: return without(s, self, a, true);
	case F_REMOVE_SUFFIX: return without(s, self, a, false);
	case F_REPEAT:        return bawn_fold_binary(s, '*', self, a);
	case F_HEX: {
		bawn_auto_buf out = BAWN_BUF(FOLDED_MAX);
		if (self->partial)
			return NULL;  /* what a gap comes to is not known */
		for (size_t i = 0; i < self->text.n; i++)
			bawn_buf_fmt(&out, "%02x", (unsigned char)self->text.p[i]);
		return bawn_fold_buf(s, &out, self->taint, NULL);
	}
	case F_CONCAT: {
		struct value *v = self;
		for (uint32_t i = 0; v != NULL && i < c->n_args; i++)
			v = bawn_fold_concat(s, v, c->arg[i]);
		return v;
	}
	case F_SAME:          return self;
	default:              return NULL;
	}
}
