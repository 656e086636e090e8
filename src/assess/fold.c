/* fold.c - see fold.h: values, operators and subscripts. */
#include "assess/fold.h"
#include "assess/names.h"
#include "assess/text.h"
#include "base/cleanup.h"
#include "base/utf8.h"

/* Large texts and what loops make end at FOLD_TOTAL; the rest is for short texts outside of loops, so
 * that nobody can blind us by filling the memory first. */
bool bawn_fold_charge(struct script *s, size_t n)
{
	uint64_t most = n <= FOLD_SHORT && s->replay == 0 ? FOLD_TOTAL + FOLD_RESERVE : FOLD_TOTAL;
	if (bawn_fold_over(s, s->e->folded + n, most))
		return false;
	s->e->folded += n;
	return true;
}

bool bawn_fold_over(const struct script *s, uint64_t n, uint64_t most)
{
	s->e->cut = s->e->cut || n > most;
	return n > most;
}

bool bawn_fold_exhausted(const struct script *s)
{
	return bawn_fold_over(s, s->e->folded + FOLD_SHORT, s->replay == 0 ? FOLD_TOTAL + FOLD_RESERVE : FOLD_TOTAL);
}

struct value *bawn_fold_keyword(const struct call *c, const char *name)
{
	for (uint32_t i = 0; i < c->n_keywords; i++)
		if (c->keyword[i].name != NULL && strcmp(c->keyword[i].name, name) == 0)
			return c->keyword[i].value;
	return NULL;
}

/* ---- new values ---- */

struct value *bawn_fold_text(struct script *s, struct bawn_span t, uint64_t taint)
{
	struct value *v = t.p != NULL && bawn_fold_charge(s, t.n + FOLD_VALUE) ? bawn_value_text(s->e, t) : NULL;
	if (v != NULL)
		v->taint = taint;
	return v;
}

struct value *bawn_fold_number(struct script *s, int64_t n, uint64_t taint)
{
	struct value *v = bawn_fold_charge(s, FOLD_VALUE) ? bawn_value_new(s->e) : NULL;
	if (v != NULL)
		v->number = n, v->has_number = true, v->taint = taint;
	return v;
}

struct value *bawn_fold_bool(struct script *s, bool yes)
{
	return bawn_script_named(s, yes ? "True" : "False", false);
}

struct value *bawn_fold_list(struct script *s, uint32_t n, uint64_t taint)
{
	if (bawn_fold_over(s, n, ITEMS_MAX) || !bawn_fold_charge(s, sizeof(struct value *) * (size_t)n + FOLD_VALUE))
		return NULL;
	struct value *v = bawn_value_new(s->e);
	struct value **item = v != NULL ? bawn_arena_array(fold_memory(s), struct value *, n + 1) : NULL;
	if (item == NULL)
		return NULL;
	v->item = item, v->n_items = n, v->is_list = true, v->taint = taint;
	return v;
}

struct value *bawn_fold_pair(struct script *s, struct value *a, struct value *b)
{
	struct value *v = bawn_fold_list(s, 2, taint_of(a) | taint_of(b));
	if (v != NULL)
		v->item[0] = a, v->item[1] = b;
	return v;
}

struct value *bawn_fold_choice(struct script *s, struct value *a, struct value *b)
{
	struct value *v = bawn_fold_pair(s, a, b);
	if (v != NULL)
		v->choice = true, v->name = a != NULL && a->name != NULL ? a->name : b != NULL ? b->name : NULL;
	return v;
}

struct value *bawn_fold_buf(struct script *s, struct bawn_buf *b, uint64_t taint, const struct value *like)
{
	if (!bawn_engine_whole(s->e, b))
		return NULL;
	struct bawn_span t = { bawn_arena_text(fold_memory(s), bawn_buf_span(b)), b->n };
	struct value *v = bawn_fold_text(s, t, taint);
	if (v != NULL)
		v->bytes = like != NULL && like->bytes;
	return v;
}

/* ---- asking values ---- */

enum truth bawn_fold_truth(const struct value *v)
{
	static const struct { const char *name; enum truth is; } word[] = {
		{ "True", TRUTH_YES }, { "False", TRUTH_NO }, { "None", TRUTH_NO }, { "undefined", TRUTH_NO },
	};
	if (v == NULL || v->choice || v->partial)
		return TRUTH_UNKNOWN;
	if (v->has_number)
		return v->number != 0 ? TRUTH_YES : TRUTH_NO;
	if (bawn_value_is_text(v))
		return v->text.n > 0 ? TRUTH_YES : TRUTH_NO;
	if (v->is_list || v->is_dict)
		return v->n_items > 0 ? TRUTH_YES : TRUTH_NO;
	for (size_t i = 0; v->name != NULL && i < BAWN_LEN(word); i++)
		if (strcmp(v->name, word[i].name) == 0)
			return word[i].is;
	return TRUTH_UNKNOWN;
}

static bool read_number(struct bawn_span t, int64_t *out)
{
	int64_t v = 0;
	size_t at = t.n > 1 && t.p[0] == '-';
	bool minus = at == 1;
	for (; at < t.n; at++)
		if (t.p[at] < '0' || t.p[at] > '9' || __builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, t.p[at] - '0', &v))
			return false;
	*out = minus ? -v : v;
	return true;
}

bool bawn_fold_numeric(const struct script *s, const struct value *v, int64_t *out)
{
	if (v == NULL || v->choice)
		return false;
	*out = v->number;
	if (v->has_number)
		return true;
	if (bawn_value_is_text(v))
		return !s->python && !v->partial && v->text.n < 19 && read_number(v->text, out);
	if (v->name != NULL && (strcmp(v->name, "True") == 0 || strcmp(v->name, "False") == 0)) {
		*out = v->name[0] == 'T';
		return true;
	}
	*out = 0;
	return !s->python && v->is_list && v->n_items == 0;
}

static struct bawn_span digits_of(struct script *s, int64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof digits, "%lld", (long long)n);
	return (struct bawn_span){ bawn_arena_text(fold_memory(s), (struct bawn_span){ digits, (size_t)len }), (size_t)len };
}

const char *bawn_fold_key(struct script *s, const struct value *v)
{
	if (bawn_value_is_text(v))
		return bawn_arena_text(fold_memory(s), v->text);
	return v != NULL && v->has_number ? digits_of(s, v->number).p : NULL;
}

/* A gap where it is not known. */
struct bawn_span bawn_fold_shown(struct script *s, const struct value *v, bool *gap)
{
	if (bawn_value_is_text(v)) {
		*gap = *gap || v->partial;
		return v->text;
	}
	if (v != NULL && v->choice && v->n_items > 0 && bawn_value_is_text(v->item[0]))
		return v->item[0]->text;
	if (v != NULL && v->has_number)
		return digits_of(s, v->number);
	if (bawn_fold_truth(v) != TRUTH_UNKNOWN && v->name != NULL && !v->is_list && !v->is_dict)
		return bawn_span(v->name);
	*gap = true;
	return bawn_span("{}");
}

static bool plain(const struct value *v)
{
	for (size_t i = 0; !v->bytes && i < v->text.n; i++)
		if ((unsigned char)v->text.p[i] >= 0x80)
			return false;
	return true;
}

bool bawn_fold_letters(struct script *s, const struct value *v, struct letters *out)
{
	if (!bawn_value_is_text(v) || bawn_fold_over(s, v->text.n, FOLDED_MAX) || !bawn_fold_charge(s, v->text.n * sizeof(uint32_t)))
		return false;
	uint32_t *c = bawn_arena_array(fold_memory(s), uint32_t, v->text.n + 1);
	size_t n = 0;
	for (size_t at = 0; c != NULL && at < v->text.n; ) {
		c[n] = (unsigned char)v->text.p[at];
		size_t len = v->bytes || c[n] < 0x80 ? 1 : bawn_utf8_next(v->text, at, &c[n]);
		at += len > 0 ? len : 1;
		n++;
	}
	*out = (struct letters){ c, n };
	return c != NULL;
}

void bawn_fold_put(struct bawn_buf *b, uint32_t c, bool bytes)
{
	char u[4];
	size_t n = bytes || c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	if (c >= 0x110000 && !bytes)
		return;
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	u[0] = (char)(n == 1 ? c : first[n] | c >> 6 * (n - 1));
	for (size_t i = 1; i < n; i++)
		u[i] = (char)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
	bawn_buf_add(b, u, n);
}

/* One character (or the number of one byte, as Python counts bytes). */
static struct value *letter(struct script *s, const struct value *in, size_t at, size_t n)
{
	if (in->bytes && s->python)
		return bawn_fold_number(s, (unsigned char)in->text.p[at], in->taint);
	struct value *v = bawn_fold_text(s, (struct bawn_span){ in->text.p + at, n }, in->taint);
	if (v != NULL)
		v->bytes = in->bytes;
	return v;
}

static struct value *letters_list(struct script *s, const struct value *in)
{
	struct value *v = !in->partial && !bawn_fold_over(s, in->text.n, ITEMS_MAX) ? bawn_fold_list(s, (uint32_t)in->text.n, in->taint) : NULL;
	uint32_t k = 0;
	for (size_t at = 0; v != NULL && at < in->text.n; ) {
		uint32_t c;
		size_t n = in->bytes || (unsigned char)in->text.p[at] < 0x80 ? 1 : bawn_utf8_next(in->text, at, &c);
		n = n > 0 ? n : 1;
		v->item[k++] = letter(s, in, at, n);
		at += n;
	}
	if (v != NULL)
		v->n_items = k;
	return v;
}

struct value *bawn_fold_sole(struct value *v)
{
	struct value *one = NULL;
	for (uint32_t i = 0; v != NULL && v->choice && i < v->n_items; i++) {
		struct value *x = v->item[i];
		if (x == NULL || !(bawn_value_is_text(x) || x->has_number || x->is_list || x->is_dict))
			continue;
		if (one != NULL)
			return v;
		one = x;
	}
	return one != NULL ? one : v;
}

struct value *bawn_fold_items(struct script *s, struct value *v)
{
	v = bawn_fold_sole(v);
	if (v == NULL || v->choice)
		return NULL;
	if (bawn_value_is_text(v))
		return v->is_path ? NULL : letters_list(s, v);
	if (v->is_list)
		return !v->partial && !bawn_fold_over(s, v->n_items, ITEMS_MAX) ? v : NULL;
	if (!v->is_dict)
		return NULL;
	struct value *keys = bawn_fold_list(s, v->n_items, v->taint);
	for (uint32_t i = 0; keys != NULL && i < v->n_items; i++)
		keys->item[i] = v->key[i] != NULL ? bawn_value_text(s->e, bawn_span(v->key[i])) : NULL;
	return keys;
}

struct value *bawn_fold_from_numbers(struct script *s, struct value *const *item, uint32_t n, bool bytes, uint64_t taint)
{
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	const struct value like = { .bytes = bytes };
	for (uint32_t i = 0; i < n; i++) {
		int64_t c;
		if (!bawn_fold_numeric(s, item[i], &c))
			return NULL;
		bawn_fold_put(&b, (uint32_t)c & (bytes ? 0xffu : UINT32_MAX), bytes);
	}
	return n > 0 ? bawn_fold_buf(s, &b, taint | BAWN_TAG(BUILT), &like) : bawn_fold_text(s, bawn_span(""), taint);
}

struct value *bawn_fold_decoded(struct script *s, const struct value *in, enum bawn_codec how)
{
	if (!bawn_value_is_text(in) || in->partial || !bawn_fold_charge(s, in->text.n + bawn_codec_cost(how)))
		return NULL;
	struct bawn_span out = bawn_decode(fold_memory(s), how, in->text);
	return bawn_fold_text(s, out, in->taint | (bawn_codec_hides(how) ? BAWN_TAG(DECODE) : 0));
}

/* ---- operators ---- */

struct value *bawn_fold_concat(struct script *s, struct value *left, struct value *right)
{
	bool gap = false;
	if (!bawn_value_is_text(left) && !bawn_value_is_text(right))
		return NULL;
	struct bawn_span a = bawn_fold_shown(s, left, &gap), b = bawn_fold_shown(s, right, &gap);
	if (a.p == NULL || b.p == NULL || bawn_fold_over(s, a.n + b.n, FOLDED_MAX))
		return NULL;
	char *p = bawn_arena_join(fold_memory(s), a, b);
	if (p == NULL)
		return NULL;
	struct value *v = bawn_fold_text(s, (struct bawn_span){ p, a.n + b.n }, taint_of(left) | taint_of(right) | BAWN_TAG(BUILT));
	if (v != NULL) {
		v->partial = gap;
		v->is_path = left != NULL && left->is_path;
		v->bytes = left != NULL && right != NULL && left->bytes && right->bytes;
	}
	return v;
}

static struct value *repeat(struct script *s, const struct value *what, int64_t times)
{
	size_t one = bawn_value_is_text(what) ? what->text.n : what->n_items;
	size_t most = bawn_value_is_text(what) ? FOLDED_MAX : ITEMS_MAX;
	if (times < 0)
		times = 0;
	if (what->choice || (one > 0 && bawn_fold_over(s, (uint64_t)times, most / one)))
		return NULL;
	if (!bawn_value_is_text(what)) {
		struct value *v = bawn_fold_list(s, (uint32_t)(one * (size_t)times), what->taint);
		for (uint32_t i = 0; v != NULL && i < v->n_items; i++)
			v->item[i] = what->item[i % what->n_items];
		return v;
	}
	size_t n = one * (size_t)times;
	char *p = bawn_fold_charge(s, n) ? bawn_arena_get(fold_memory(s), n + 1) : NULL;
	if (p == NULL)
		return NULL;
	for (size_t i = 0; one > 1 && i < n; i += one)
		memcpy(p + i, what->text.p, one);
	if (one == 1)
		memset(p, what->text.p[0], n);
	struct value *v = bawn_fold_text(s, (struct bawn_span){ p, n }, what->taint);
	if (v != NULL)
		v->bytes = what->bytes, v->partial = what->partial;
	return v;
}

struct value *bawn_fold_join_path(struct script *s, struct value *left, struct value *right)
{
	bool gap = false;
	struct bawn_span a = bawn_fold_shown(s, left, &gap), b = bawn_fold_shown(s, right, &gap);
	if (b.n > 0 && b.p[0] == '/')
		a.n = 0;
	if (a.p == NULL || b.p == NULL || bawn_fold_over(s, a.n + b.n, FOLDED_MAX))
		return NULL;
	char *p = bawn_arena_get(fold_memory(s), a.n + b.n + 2);
	if (p == NULL)
		return NULL;
	memcpy(p, a.p, a.n);
	size_t n = a.n;
	if (n > 0 && p[n - 1] != '/')
		p[n++] = '/';
	memcpy(p + n, b.p, b.n);
	struct value *v = bawn_fold_text(s, (struct bawn_span){ p, n + b.n }, taint_of(left) | taint_of(right));
	if (v != NULL) {
		v->partial = gap;
		v->is_path = left != NULL && left->is_path;
		v->name = v->is_path ? "pathlib.Path()" : NULL;
	}
	return v;
}

struct value *bawn_fold_chain(struct script *s, const struct value *a, const struct value *b)
{
	struct value *v = bawn_fold_list(s, a->n_items + b->n_items, a->taint | b->taint);
	if (v == NULL)
		return NULL;
	if (a->n_items > 0)
		memcpy(v->item, a->item, a->n_items * sizeof *v->item);
	if (b->n_items > 0)
		memcpy(v->item + a->n_items, b->item, b->n_items * sizeof *v->item);
	v->partial = a->partial || b->partial;
	return v;
}

/* The letters are what bawn_fold_binary takes. */
static const struct { const char *text; char op; } operators[] = {
	{ "!=", 'n' }, { "!==", 'n' }, { "%", '%' }, { "&", '&' }, { "&&", 'A' }, { "*", '*' }, { "**", 'p' }, { "+", '+' }, { "-", '-' },
	{ "/", '/' }, { "//", 'f' }, { "<", 'l' }, { "<<", '<' }, { "<=", 'L' }, { "==", 'e' }, { "===", 'e' }, { ">", 'g' },
	{ ">=", 'G' }, { ">>", '>' }, { ">>>", 'u' }, { "?" "?", 'O' }, { "^", '^' }, { "and", 'A' }, { "in", 'i' }, { "is", 'e' },
	{ "is not", 'n' }, { "not in", 'I' }, { "or", 'O' }, { "|", '|' }, { "||", 'O' },
};

NAMES(operator_names, operators);

char bawn_fold_operator(struct bawn_span t)
{
	size_t i = bawn_names_find(&operator_names, t.p, t.n);
	return i < BAWN_LEN(operators) ? operators[i].op : 0;
}

static bool power(int64_t a, int64_t b, int64_t *out)
{
	*out = 1;
	if (b < 0 || b > 64)
		return false;
	while (b-- > 0)
		if (__builtin_mul_overflow(*out, a, out)) {
			*out = INT64_MAX;
			return true;
		}
	return true;
}

static bool divide(char op, int64_t a, int64_t b, bool floor, int64_t *out)
{
	if (b == 0 || b == -1)
		return false;
	int64_t q = a / b, r = a % b;
	if (floor && r != 0 && (r < 0) != (b < 0))
		q--, r += b;
	*out = op == '%' ? r : q;
	return op != '/' || r == 0;  /* what has a fraction is not known */
}

static bool arithmetic(const struct script *s, char op, int64_t a, int64_t b, int64_t *out)
{
	if (!s->python && strchr("&|^<>u", op) != NULL) {  /* 32 bits, as JavaScript has it */
		int32_t x = (int32_t)(uint32_t)(uint64_t)a;
		uint32_t by = (uint32_t)(uint64_t)b & 31;
		*out = op == '&' ? x & (int32_t)b : op == '|' ? x | (int32_t)b : op == '^' ? x ^ (int32_t)b
		     : op == '<' ? (int32_t)((uint32_t)x << by) : op == '>' ? x >> by : (int64_t)((uint32_t)x >> by);
		return true;
	}
	switch (op) {
	case '+': return !__builtin_add_overflow(a, b, out);
	case '-': return !__builtin_sub_overflow(a, b, out);
	case '*': return !__builtin_mul_overflow(a, b, out);
	case '^': *out = a ^ b; return true;
	case '&': *out = a & b; return true;
	case '|': *out = a | b; return true;
	case '%': case '/': case 'f': return divide(op, a, b, s->python, out);
	case '<': if (b < 0 || b > 62 || a < 0 || a > (INT64_MAX >> b)) return false; *out = a << b; return true;
	case '>': if (b < 0) return false; *out = a >> (b > 62 ? 63 : b); return true;
	case 'p': return power(a, b, out);
	default:  return false;
	}
}

static int order(const struct value *a, const struct value *b)
{
	if (a->has_number && b->has_number)
		return (a->number > b->number) - (a->number < b->number);
	int c = memcmp(a->text.p, b->text.p, a->text.n < b->text.n ? a->text.n : b->text.n);
	return c != 0 ? c : (a->text.n > b->text.n) - (a->text.n < b->text.n);
}

static bool comparable(const struct value *a, const struct value *b)
{
	if (a == NULL || b == NULL || a->choice || b->choice || a->partial || b->partial)
		return false;
	return (a->has_number && b->has_number) || (bawn_value_is_text(a) && bawn_value_is_text(b));
}

static struct value *contains(struct script *s, const struct value *what, const struct value *in, bool yes)
{
	if (comparable(what, in) && bawn_value_is_text(in))
		return bawn_fold_bool(s, (memmem(in->text.p, in->text.n, what->text.p, what->text.n) != NULL) == yes);
	if (what == NULL || in == NULL || in->choice || in->partial || !(in->is_list || in->is_dict))
		return NULL;
	const char *key = in->is_dict ? bawn_fold_key(s, what) : NULL;
	for (uint32_t i = 0; i < in->n_items; i++) {
		if (in->is_dict ? key == NULL || in->key[i] == NULL : !comparable(what, in->item[i]))
			return NULL;
		if (in->is_dict ? strcmp(key, in->key[i]) == 0 : order(what, in->item[i]) == 0)
			return bawn_fold_bool(s, yes);
	}
	return bawn_fold_bool(s, !yes);
}

static struct value *compare(struct script *s, char op, const struct value *a, const struct value *b)
{
	if (op == 'i' || op == 'I')
		return contains(s, a, b, op == 'i');
	if (!comparable(a, b)) {
		enum truth x = bawn_fold_truth(a), y = bawn_fold_truth(b);
		bool words = a != NULL && b != NULL && a->name != NULL && b->name != NULL && x != TRUTH_UNKNOWN && y != TRUTH_UNKNOWN;
		return words && (op == 'e' || op == 'n') ? bawn_fold_bool(s, (strcmp(a->name, b->name) == 0) == (op == 'e')) : NULL;
	}
	int c = order(a, b);
	switch (op) {
	case 'e': return bawn_fold_bool(s, c == 0);
	case 'n': return bawn_fold_bool(s, c != 0);
	case 'l': return bawn_fold_bool(s, c < 0);
	case 'g': return bawn_fold_bool(s, c > 0);
	case 'L': return bawn_fold_bool(s, c <= 0);
	case 'G': return bawn_fold_bool(s, c >= 0);
	default:  return NULL;
	}
}

/* `a or b`, `a and b`: the one it must be, or one of both. */
static struct value *logic(struct script *s, char op, struct value *a, struct value *b)
{
	enum truth t = bawn_fold_truth(a);
	if (t != TRUTH_UNKNOWN)
		return (t == TRUTH_YES) == (op == 'O') ? a : b;
	if (op == 'A')
		return b != NULL ? b : a;
	return bawn_value_is_text(a) && bawn_value_is_text(b) ? bawn_fold_choice(s, a, b)
	     : a != NULL && (a->name != NULL || a->text.p != NULL) ? a : b != NULL ? b : a;
}

static struct value *either_side(struct script *s, char op, struct value *left, struct value *right)
{
	struct value *v = logic(s, op, left, right), *out = NULL;
	uint64_t taint = taint_of(left) | taint_of(right);
	if (v == NULL || (taint & ~v->taint) == 0)
		return v;
	out = bawn_value_new(s->e);
	if (out == NULL)
		return v;
	*out = *v;
	out->taint = taint;
	return out;
}

/* Only paths are divided by texts. */
static struct value *under_some_path(struct script *s, const struct value *left, struct value *right)
{
	struct value some = { .text = bawn_span("{}"), .partial = true, .is_path = true, .taint = taint_of(left) };
	return bawn_fold_join_path(s, &some, right);
}

static struct value *combine(struct script *s, char op, struct value *left, struct value *right)
{
	if (bawn_fold_exhausted(s))
		return NULL;
	bool lists = left != NULL && right != NULL && left->is_list && right->is_list && !left->choice && !right->choice;
	int64_t n;
	switch (op) {
	case '+': return lists && s->python ? bawn_fold_chain(s, left, right) : bawn_fold_concat(s, left, right);
	case '/':
		if (left != NULL && left->is_path)
			return bawn_fold_join_path(s, left, right);
		return s->python && bawn_value_is_text(right) ? under_some_path(s, left, right) : NULL;
	case '%': return bawn_value_is_text(left) ? bawn_fold_percent(s, left, right) : NULL;
	case '*':
		if (bawn_fold_numeric(s, left, &n) && right != NULL && !right->has_number)
			return bawn_value_is_text(right) || right->is_list ? repeat(s, right, n) : NULL;
		if (bawn_fold_numeric(s, right, &n) && left != NULL)
			return bawn_value_is_text(left) || left->is_list ? repeat(s, left, n) : NULL;
		return NULL;
	default: return NULL;
	}
}

/* One side is any of several: so is the result. */
static struct value *either_of(struct script *s, char op, struct value *left, struct value *right)
{
	const struct value *choice = left != NULL && left->choice ? left : right;
	struct value *v = NULL;
	for (uint32_t i = 0; i < choice->n_items && i < CHOICES_MAX; i++) {
		struct value *one = choice == left ? combine(s, op, choice->item[i], right) : combine(s, op, left, choice->item[i]);
		v = one == NULL ? v : v == NULL ? one : bawn_value_either(s, v, one);
	}
	return v;
}

static bool one_choice(const struct value *left, const struct value *right)
{
	return (left != NULL && left->choice) != (right != NULL && right->choice);
}

struct value *bawn_fold_binary(struct script *s, char op, struct value *left, struct value *right)
{
	int64_t a, b, n;
	uint64_t taint = taint_of(left) | taint_of(right);
	left = bawn_fold_sole(left);
	right = bawn_fold_sole(right);
	if (op == 'A' || op == 'O')
		return either_side(s, op, left, right);
	if (op != 0 && strchr("enlgLGiI", op) != NULL)
		return compare(s, op, left, right);
	bool text = op == '+' && (bawn_value_is_text(left) || bawn_value_is_text(right));
	if (!text && bawn_fold_numeric(s, left, &a) && bawn_fold_numeric(s, right, &b) && arithmetic(s, op, a, b, &n)) {
		struct value *number = bawn_fold_number(s, n, taint);
		if (number != NULL)
			number->partial = left->partial || right->partial;
		return number;
	}
	struct value *v = op != '*' && one_choice(left, right) ? either_of(s, op, left, right) : combine(s, op, left, right);
	if (v == NULL && taint != 0) {
		v = bawn_value_new(s->e);
		if (v != NULL)
			v->taint = taint;
	}
	return v;
}

struct value *bawn_fold_unary(struct script *s, char op, struct value *v)
{
	int64_t n = 0;
	bool number = bawn_fold_numeric(s, v, &n);
	enum truth t = bawn_fold_truth(v);
	switch (op) {
	case '-': return number && n != INT64_MIN ? bawn_fold_number(s, -n, v->taint) : v;
	case '~': return number ? bawn_fold_number(s, s->python ? ~n : (int64_t)~(int32_t)(uint32_t)(uint64_t)n, v->taint) : v;
	case '+': return number ? bawn_fold_number(s, n, v->taint) : v;
	case '!': case 'n':
		if (v != NULL && !s->python && v->is_list && !v->choice)
			t = TRUTH_YES;  /* an empty array is true there */
		return t != TRUTH_UNKNOWN ? bawn_fold_bool(s, t == TRUTH_NO) : NULL;
	default:  return v;
	}
}

/* ---- subscripts ---- */

static struct value *slice_letters(struct script *s, const struct value *object, int64_t from, int64_t to, int64_t step)
{
	struct letters l;
	bawn_auto_buf b = BAWN_BUF(FOLDED_MAX);
	if (!bawn_fold_letters(s, object, &l))
		return NULL;
	for (int64_t i = from; step > 0 ? i < to : i > to; i += step)
		bawn_fold_put(&b, l.c[i], object->bytes);
	return bawn_fold_buf(s, &b, object->taint | BAWN_TAG(BUILT), object);
}

static struct value *slice_list(struct script *s, const struct value *object, int64_t from, int64_t to, int64_t step)
{
	struct value *v = bawn_fold_list(s, object->n_items, object->taint);
	uint32_t n = 0;
	for (int64_t i = from; v != NULL && (step > 0 ? i < to : i > to); i += step)
		v->item[n++] = object->item[i];
	if (v != NULL)
		v->n_items = n;
	return v;
}

struct value *bawn_fold_slice(struct script *s, struct value *object, bool has[3], const int64_t part[3])
{
	object = bawn_fold_sole(object);
	bool text = bawn_value_is_text(object);
	if (object == NULL || object->choice || (!text && !object->is_list))
		return NULL;
	int64_t n = object->n_items, step = has[2] ? part[2] : 1;
	if (text && plain(object)) {
		n = (int64_t)object->text.n;
	} else if (text) {
		struct letters l;
		if (!bawn_fold_letters(s, object, &l))
			return NULL;
		n = (int64_t)l.n;
	}
	if (step == 0 || bawn_fold_over(s, step < 0 ? 0 - (uint64_t)step : (uint64_t)step, FOLDED_MAX) || bawn_fold_over(s, (uint64_t)n, FOLDED_MAX))
		return NULL;
	int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
	int64_t from = has[0] ? part[0] : step > 0 ? 0 : n - 1;
	int64_t to = has[1] ? part[1] : step > 0 ? n : -1;
	from += has[0] && from < 0 ? n : 0;
	to += has[1] && to < 0 ? n : 0;
	from = from < low ? low : from > high ? high : from;
	to = to < low ? low : to > high ? high : to;
	struct value *v = text ? slice_letters(s, object, from, to, step) : slice_list(s, object, from, to, step);
	if (v != NULL)
		v->partial = object->partial;
	return v;
}

bool bawn_fold_is_namespace(const char *name)
{
	static const char *const all[] = { "globals()", "locals()", "vars()", "sys.modules", "__builtins__", "builtins.__dict__",
	                                   "__builtins__.__dict__", "global", "globalThis", "window", "self" };
	for (size_t i = 0; name != NULL && i < BAWN_LEN(all); i++)
		if (strcmp(name, all[i]) == 0)
			return true;
	return false;
}

static struct value *at_index(struct script *s, const struct value *object, int64_t i)
{
	if (object->is_list && !object->choice && !object->partial) {
		i += i < 0 ? object->n_items : 0;
		return i >= 0 && i < (int64_t)object->n_items ? object->item[i] : NULL;
	}
	if (!bawn_value_is_text(object) || object->partial)
		return NULL;
	if (plain(object)) {
		i += i < 0 ? (int64_t)object->text.n : 0;
		return i >= 0 && i < (int64_t)object->text.n ? letter(s, object, (size_t)i, 1) : NULL;
	}
	struct value *all = letters_list(s, object);
	return all != NULL ? at_index(s, all, i) : NULL;
}

/* Variables that stand for a directory of the user. */
struct value *bawn_fold_variable(struct script *s, struct bawn_span name)
{
	static const struct { const char *name, *path; } variable[] = {
		{ "HOME", "~" }, { "USERPROFILE", "~" }, { "APPDATA", "~/AppData/Roaming" }, { "LOCALAPPDATA", "~/AppData/Local" },
		{ "XDG_CONFIG_HOME", "~/.config" }, { "TMPDIR", "/tmp" }, { "TEMP", "/tmp" }, { "TMP", "/tmp" },
	};
	for (size_t i = 0; i < BAWN_LEN(variable); i++)
		if (bawn_span_is(name, variable[i].name))
			return bawn_value_text(s->e, bawn_span(variable[i].path));
	return NULL;
}

static struct value *member_named(struct script *s, struct value *object, const char *key)
{
	for (uint32_t i = 0; object->is_dict && i < object->n_items; i++)
		if (object->key[i] != NULL && strcmp(object->key[i], key) == 0)
			return object->item[i];
	if (object->name != NULL && strcmp(object->name, "os.environ") == 0) {
		struct value *known = bawn_fold_variable(s, bawn_span(key));
		if (known != NULL)
			return known;
	}
	if (object->name != NULL && strcmp(object->name, "sys.modules") == 0)
		return bawn_script_named(s, key, true);
	if (bawn_fold_is_namespace(object->name))
		return object->self != NULL && object->self->name != NULL && strcmp(object->name, "vars()") == 0
		       ? bawn_script_attribute(s, object->self, key) : bawn_script_lookup(s, key, strlen(key));
	size_t n = object->name != NULL ? strlen(object->name) : 0;
	if (n > 9 && strcmp(object->name + n - 9, ".__dict__") == 0 && object->self != NULL)
		return bawn_script_attribute(s, object->self, key);
	if (s->python && object->name == NULL)
		return NULL;
	struct value *v = bawn_script_attribute(s, object, key);
	if (v != NULL)
		v->taint &= ~BAWN_TAG(ENVIRON);  /* one variable is not the whole environment */
	return v;
}

/* table[process.platform]: any of what is in the table. */
struct value *bawn_fold_any(struct script *s, const struct value *object)
{
	struct value *v = NULL;
	if (object->partial || object->n_items > CHOICES_MAX)
		return NULL;
	for (uint32_t i = object->n_items; i > 0; i--)
		v = object->item[i - 1] != NULL ? bawn_value_either(s, v, object->item[i - 1]) : v;
	return v;
}

static bool has_functions(const struct value *object)
{
	for (uint32_t i = 0; i < object->n_items; i++)
		if (object->item[i] != NULL && (object->item[i]->function != 0 || object->item[i]->imported))
			return true;
	return false;
}

struct value *bawn_fold_each_item(struct script *s, const struct value *choice, uint32_t at, const char *key)
{
	struct value *v = NULL;
	for (uint32_t i = choice->n_items; i > 0; i--) {
		const struct value *one = choice->item[i - 1];
		struct value *part = one != NULL && one->is_list && !one->choice && key == NULL && at < one->n_items ? one->item[at] : NULL;
		for (uint32_t k = 0; one != NULL && one->is_dict && key != NULL && part == NULL && k < one->n_items; k++)
			part = one->key[k] != NULL && strcmp(one->key[k], key) == 0 ? one->item[k] : NULL;
		v = part != NULL ? bawn_value_either(s, v, part) : v;
	}
	return v;
}

struct value *bawn_fold_subscript(struct script *s, struct value *object, struct value *index)
{
	int64_t at = -1;
	object = bawn_fold_sole(object);
	index = bawn_fold_sole(index);
	if (object == NULL)
		return NULL;
	struct value *v = NULL;
	/* The number of a round, or one that other calls give otherwise. */
	bool round = !s->python && index != NULL && index->has_number && (index->partial || (index->taint & BAWN_TAG(INPUT)) != 0);
	if (round && object->is_list && !object->choice)
		v = bawn_fold_any(s, object);
	if (v == NULL && !bawn_value_is_text(index) && bawn_fold_numeric(s, index, &at))
		v = at == 0 && object->name != NULL && strcmp(object->name, "sys.argv") == 0 ? bawn_script_named(s, "__file__", false)
		  : at == 1 && object->name != NULL && strcmp(object->name, "process.argv") == 0 ? bawn_script_named(s, "__filename", false) : at_index(s, object, at);
	bool known = bawn_value_is_text(index) || (index != NULL && index->has_number);
	if (!known && v == NULL && (!s->python || has_functions(object)) && !object->choice && (object->is_dict || object->is_list))
		v = bawn_fold_any(s, object);
	const char *key = v == NULL && (bawn_value_is_text(index) || object->is_dict) ? bawn_fold_key(s, index) : NULL;
	if (key != NULL)
		v = member_named(s, object, key);
	if (v == NULL && !s->python && object->choice && at >= 0 && at < ITEMS_MAX)
		v = bawn_fold_each_item(s, object, (uint32_t)at, NULL);
	if (v != NULL)
		return v;
	v = bawn_value_new(s->e);
	if (v != NULL) {
		v->taint = object->taint;
		/* An unknown member of a known namespace could be anything in it. */
		if (!s->python && !known && object->function != 0 && s->builds[object->function]) {
			/* decode[decode('...')]: the only member worth hiding is the maker of functions. */
			v->name = "Function";
			v->taint |= BAWN_TAG(OBFUSCATED);
		}
		if (object->name != NULL && (bawn_fold_is_namespace(object->name) || object->imported))
			v->name = bawn_arena_fmt(fold_memory(s), "%s[]", object->name);
	}
	return v;
}

