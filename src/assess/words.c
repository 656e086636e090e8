/* words.c - see shell.h.  Words as the shell makes them.
 *
 * Expansions are read from their text, not from the tree: the grammar names only some of the operators,
 * and what follows them (patterns, replacements, offsets) is text to be expanded itself.  That nesting is
 * followed EXPAND_DEPTH deep; beyond it the value is cut, as past all bounds here (see engine.h). */
#include <stdio.h>
#include <stdlib.h>
#include "assess/index.h"
#include "assess/shell.h"
#include "assess/text.h"
#include "base/buf.h"
#include "base/cleanup.h"

#define EXPAND_DEPTH 4u
#define PROBE_WORK   4u
#define PATTERN_MAX  4096u  /* texts longer than this are not cut by patterns */
#define REPLACE_MAX  512u   /* or searched for one, which takes the cube of their length */
#define SUM_MAX      4096u  /* bytes of arithmetic */
#define SUM_DEPTH    8u
#define BRACES_BYTES 4096u  /* of a word whose braces are expanded */
#define BRACES_STEPS (4 * SHELL_WORDS_MAX)
#define RANGE_MAX    128

/* Is that more than the bound?  Then something is cut. */
static bool over(struct engine *e, size_t n, size_t most)
{
	e->cut = e->cut || n > most;
	return n > most;
}

struct value *bawn_sh_text(struct engine *e, struct bawn_span t, uint64_t taint)
{
	struct value *v = bawn_value_text(e, t);
	if (v != NULL)
		v->taint = taint;
	return v;
}

struct value *bawn_sh_list(struct engine *e, struct value **item, uint32_t n)
{
	struct value *v = bawn_value_new(e);
	struct value **copy = v != NULL ? bawn_arena_array(bawn_sh_arena(e), struct value *, n + 1) : NULL;
	if (copy == NULL)
		return NULL;
	if (n > 0)
		memcpy(copy, item, n * sizeof *item);
	v->item = copy, v->n_items = n, v->is_list = true;
	for (uint32_t i = 0; i < n; i++)
		v->taint |= item[i] != NULL ? item[i]->taint : 0;
	return v;
}

struct value *bawn_sh_concat(struct engine *e, const struct value *a, const struct value *b, const char *between)
{
	struct bawn_span x = bawn_value_is_text(a) ? a->text : bawn_span(a == NULL ? "" : "{}");
	struct bawn_span y = bawn_value_is_text(b) ? b->text : bawn_span("{}");
	size_t m = strlen(between);
	if (over(e, x.n + y.n + m, SHELL_TEXT_MAX))
		return NULL;
	const char *p = m > 0 ? bawn_arena_join(bawn_sh_arena(e), x, (struct bawn_span){ between, m }) : x.p;
	p = p != NULL ? bawn_arena_join(bawn_sh_arena(e), (struct bawn_span){ p, x.n + m }, y) : NULL;
	if (p == NULL)
		return NULL;
	struct value *v = bawn_sh_text(e, (struct bawn_span){ p, x.n + m + y.n }, (a != NULL ? a->taint : 0) | (b != NULL ? b->taint : 0));
	if (v != NULL)
		v->partial = (a != NULL && (!bawn_value_is_text(a) || a->partial)) || !bawn_value_is_text(b) || b->partial;
	return v;
}

struct value *bawn_sh_join(struct engine *e, struct value *const *word, uint32_t n)
{
	bawn_auto_buf b = BAWN_BUF(SHELL_TEXT_MAX);
	uint64_t taint = 0;
	bool partial = false;
	for (uint32_t i = 0; i < n; i++) {
		struct bawn_span t = bawn_value_is_text(word[i]) ? word[i]->text : bawn_span("{}");
		if (i > 0)
			bawn_buf_char(&b, ' ');
		bawn_buf_add(&b, t.p, t.n);
		partial = partial || !bawn_value_is_text(word[i]) || word[i]->partial;
		taint |= word[i] != NULL ? word[i]->taint : 0;
	}
	if (!bawn_engine_whole(e, &b))
		return NULL;
	struct value *v = bawn_sh_text(e, (struct bawn_span){ bawn_arena_text(bawn_sh_arena(e), bawn_buf_span(&b)), b.n }, taint);
	if (v != NULL)
		v->partial = partial;
	return v;
}

bool bawn_sh_is(const struct value *v, const char *text) { return bawn_value_is_text(v) && bawn_span_is(v->text, text); }
bool bawn_sh_in(const struct value *v, const char *list)
{
	for (const char *at = list; bawn_value_is_text(v) && v->text.n > 0 && *at != '\0'; ) {
		size_t n = strcspn(at, " ");
		if (n == v->text.n && memcmp(at, v->text.p, n) == 0)
			return true;
		at += n;
		at += *at == ' ';
	}
	return false;
}

bool bawn_sh_option(const struct value *v) { return bawn_value_is_text(v) && v->text.n > 1 && (v->text.p[0] == '-' || v->text.p[0] == '+'); }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

/* ---- variables ---- */

static uint32_t slot_of(const char *kind, struct bawn_span name)
{
	uint32_t h = bawn_hash_add(bawn_hash_add(BAWN_HASH_START, kind, strlen(kind)), name.p, name.n);
	return bawn_hash_slot(h, SHELL_VARS_SLOTS);
}

static bool named(const char *full, const char *kind, struct bawn_span name)
{
	size_t n = strlen(kind);
	return strncmp(full, kind, n) == 0 && strlen(full + n) == name.n && memcmp(full + n, name.p, name.n) == 0;
}

static struct variable *find_variable(const struct shell *s, const char *kind, struct bawn_span name)
{
	for (uint32_t i = s->slot[slot_of(kind, name)]; i != 0; i = s->var[i - 1].next, s->e->spent += PROBE_WORK)  /* names may be chosen to collide */
		if (named(s->var[i - 1].name, kind, name))
			return (struct variable *)(uintptr_t)&s->var[i - 1];
	return NULL;
}

/* declare -n: another name for a variable. */
static struct bawn_span real_name(const struct shell *s, const char *kind, struct bawn_span name)
{
	const struct variable *x = s->renames && kind[0] == '\0' ? find_variable(s, "nameref ", name) : NULL;
	return x != NULL && bawn_value_is_text(x->value) ? x->value->text : name;
}

struct value *bawn_sh_get(const struct shell *s, const char *kind, struct bawn_span name)
{
	const struct variable *x = find_variable(s, kind, real_name(s, kind, name));
	bool body = strcmp(kind, "function ") == 0;  /* its nodes are those of its own text */
	for (s = body ? NULL : s->outer; x == NULL && s != NULL; s = s->outer)
		x = find_variable(s, kind, real_name(s, kind, name));
	return x != NULL ? x->value : NULL;
}

static bool more_variables(struct shell *s)
{
	uint32_t cap = s->cap_vars == 0 ? 32 : s->cap_vars * 2;
	struct variable *fresh = bawn_arena_array(bawn_sh_arena(s->e), struct variable, cap);
	if (fresh == NULL)
		return false;
	if (s->n_vars > 0)
		memcpy(fresh, s->var, s->n_vars * sizeof *fresh);
	s->var = fresh;
	s->cap_vars = cap;
	return true;
}

void bawn_sh_set(struct shell *s, const char *kind, struct bawn_span name, struct value *v)
{
	name = real_name(s, kind, name);
	struct variable *x = find_variable(s, kind, name);
	if (x != NULL) {
		x->value = v;
		x->certain = true;
		return;
	}
	if (s->n_vars == s->cap_vars && !more_variables(s))
		return;
	const char *own = bawn_arena_fmt(bawn_sh_arena(s->e), "%s%.*s", kind, (int)name.n, name.p);
	uint32_t slot = slot_of(kind, name);
	if (own == NULL)
		return;
	s->var[s->n_vars] = (struct variable){ .name = own, .value = v, .certain = true, .next = s->slot[slot] };
	s->slot[slot] = ++s->n_vars;
}

/* More than a word: a path, a command somebody knows something about, several words. */
static bool is_telling(const struct shell *s, const struct value *v)
{
	struct bawn_span t = bawn_value_is_text(v) ? v->text : bawn_span("");
	for (size_t i = 0; i < t.n; i++)
		if (t.p[i] != '\0' && strchr(" \t\n/~$`;|&", t.p[i]) != NULL)
			return true;
	return bawn_engine_knows_command(s->e, t);
}

/* Past the last, what tells more takes the place of what tells less. */
static void add_older(struct shell *s, struct variable *x, struct value *v, bool certain)
{
	uint32_t at = x->n_older;
	s->perhaps = true;
	if (at == OLDER_MAX && !is_telling(s, v))
		return;
	for (at = at == OLDER_MAX ? 0 : at; at < x->n_older && is_telling(s, x->older[at]); at++)
		;
	x->more = x->more || at == OLDER_MAX;
	if (at == OLDER_MAX)
		return;
	x->was_certain[at] = certain;
	x->older[at] = v;
	x->n_older += at == x->n_older;
}

void bawn_sh_also(struct shell *s, struct bawn_span name, struct value *v)
{
	struct variable *x = find_variable(s, "", real_name(s, "", name));
	if (x == NULL || !bawn_value_is_text(v) || (bawn_value_is_text(x->value) && bawn_span_equal(x->value->text, v->text)))
		return;
	for (uint32_t i = 0; i < x->n_older; i++)
		if (bawn_value_is_text(x->older[i]) && bawn_span_equal(x->older[i]->text, v->text))
			return;
	add_older(s, x, v, false);
}

void bawn_sh_perhaps(struct shell *s, struct bawn_span name, struct value *v)
{
	struct variable *x = find_variable(s, "", name);
	struct value *old = x != NULL ? x->value : NULL;
	bool same = bawn_value_is_text(old) && bawn_value_is_text(v) && bawn_span_equal(old->text, v->text);
	bool known = bawn_value_is_text(old) ? old->text.n > 0 && !old->partial : old != NULL && old->is_list;
	for (uint32_t i = 0; x != NULL && i < x->n_older && !same; i++)
		same = x->older[i] == old;
	if (known && !same)
		add_older(s, x, old, x->certain);
	bawn_sh_set(s, "", name, v);
	x = find_variable(s, "", name);
	if (x != NULL)
		x->certain = false;
}

struct variable *bawn_sh_variable(const struct shell *s, struct bawn_span t)
{
	size_t at = 0, end;
	while (at < t.n && strchr("$\"{!", t.p[at]) != NULL)
		at++;
	for (end = at; end < t.n && (is_letter(t.p[end]) || is_digit(t.p[end])); end++)
		;
	return end > at ? find_variable(s, "", (struct bawn_span){ t.p + at, end - at }) : NULL;
}

/* What the shell sets by itself: texts that slices are cut from to spell other words. */
static struct value *own_variable(struct shell *s, struct bawn_span name, bool plain)
{
	static const struct { const char *name, *value; bool kept; } row[] = {  /* kept: stays a name where it is used whole */
		{ "HOME", "/root", true }, { "PWD", "/workspace", true }, { "USER", "root", true }, { "LOGNAME", "root", true },
		{ "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", true }, { "SHELL", "/bin/bash", false },
		{ "BASH", "/bin/bash", false }, { "IFS", " ", false }, { "OSTYPE", "linux-gnu", false }, { "HOSTTYPE", "x86_64", false },
		{ "MACHTYPE", "x86_64-pc-linux-gnu", false }, { "TERM", "xterm-256color", false }, { "LANG", "C.UTF-8", false },
		{ "OLDPWD", "/", false }, { "SHLVL", "1", false }, { "UID", "0", false }, { "EUID", "0", false },
		{ "OPTIND", "1", false }, { "?", "0", false }, { "#", "0", false }, { "-", "hB", false },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		if (!bawn_span_is(name, row[i].name))
			continue;
		if (plain && row[i].kept)
			return bawn_value_text(s->e, bawn_span(bawn_arena_fmt(bawn_sh_arena(s->e), "$%s", row[i].name)));
		return bawn_sh_text(s->e, bawn_span(row[i].value), BAWN_TAG(BUILT));
	}
	return NULL;
}

static struct value *positional(struct shell *s, struct bawn_span name)
{
	struct value *unknown = bawn_value_new(s->e);
	bool own = name.n == 1 && name.p[0] == '0';
	if (unknown != NULL && own)
		unknown->taint = BAWN_TAG(OWN_FILE);
	if (s->args == NULL || unknown == NULL || own)
		return unknown;
	if (name.p[0] == '@' || name.p[0] == '*')
		return s->args;
	uint32_t k = 0;
	for (size_t i = 0; i < name.n && k < 1000; i++)
		k = k * 10 + (uint32_t)(name.p[i] - '0');
	if (k == 0)
		return unknown;
	return k <= s->args->n_items ? s->args->item[k - 1] : bawn_value_text(s->e, bawn_span(""));
}


static struct value *value_of(struct shell *s, struct bawn_span name, bool plain)
{
	if (name.n == 0)
		return NULL;
	if (is_digit(name.p[0]) || name.p[0] == '@' || name.p[0] == '*')
		return positional(s, name);
	struct value *v = bawn_sh_get(s, "", name);
	if (v == NULL && name.n == 1 && name.p[0] == '_')
		v = s->last;
	if (v == NULL && bawn_span_is(name, "BASH_SOURCE") && (v = bawn_value_new(s->e)) != NULL)
		v->taint = BAWN_TAG(OWN_FILE);
	return v != NULL ? v : own_variable(s, name, plain);
}

/* ---- arithmetic ---- */

struct sum { struct shell *s; struct bawn_span t; size_t at; unsigned depth; bool ok, deep; };

static int64_t arithmetic(struct sum *a, int least);

static int64_t number_of(const struct value *v, bool *ok)
{
	int64_t n = 0;
	size_t i = 0;
	bool minus = bawn_value_is_text(v) && v->text.n > 0 && v->text.p[0] == '-';
	if (!bawn_value_is_text(v) || v->text.n == 0 || v->text.n > 17 || v->partial) {
		*ok = false;
		return 0;
	}
	int base = 10;
	i += minus;
	if (v->text.n > i + 2 && v->text.p[i] == '0' && (v->text.p[i + 1] | 0x20) == 'x')
		base = 16, i += 2;
	else if (v->text.n > i + 1 && v->text.p[i] == '0')
		base = 8;
	for (; i < v->text.n; i++) {
		char c = v->text.p[i];
		int d = is_digit(c) ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : 99;
		if (d >= base) {
			*ok = false;
			return 0;
		}
		n = n * base + d;
	}
	return minus ? -n : n;
}

static void skip_space(struct sum *a)
{
	while (a->at < a->t.n && (a->t.p[a->at] == ' ' || a->t.p[a->at] == '\n' || a->t.p[a->at] == '\t'))
		a->at++;
}

static int64_t atom(struct sum *a)
{
	skip_space(a);
	char c = a->at < a->t.n ? a->t.p[a->at] : '\0';
	a->deep = a->deep || a->depth >= SUM_DEPTH;
	if (c == '(' && a->depth < SUM_DEPTH) {
		a->at++, a->depth++;
		int64_t n = arithmetic(a, 0);
		a->depth--;
		skip_space(a);
		a->ok = a->ok && a->at < a->t.n && a->t.p[a->at] == ')';
		a->at++;
		return n;
	}
	if ((c == '-' || c == '+') && a->depth < SUM_DEPTH) {
		a->at++, a->depth++;
		int64_t n = atom(a);
		a->depth--;
		return c == '-' ? -n : n;
	}
	size_t start = a->at;
	if (c == '$')
		a->at++;
	if (a->at < a->t.n && a->t.p[a->at] == '{')
		while (a->at < a->t.n && a->t.p[a->at] != '}')
			a->at++;
	while (a->at < a->t.n && (is_letter(a->t.p[a->at]) || is_digit(a->t.p[a->at]) || a->t.p[a->at] == '}' || (a->t.p[a->at] == '#' && is_digit(c))))
		a->at++;
	struct bawn_span word = { a->t.p + start, a->at - start };
	if (word.n == 0) {
		a->ok = false;
		return 0;
	}
	struct value own = { .text = word };
	if (is_digit(c))
		return number_of(&own, &a->ok);
	struct value *v = c == '$' ? (a->depth < 4 ? bawn_sh_expand(a->s, word) : NULL) : value_of(a->s, word, false);
	return number_of(v, &a->ok);
}

static int64_t arithmetic(struct sum *a, int least)
{
	static const struct { const char *op; int rank; } row[] = {
		{ "<<", 2 }, { ">>", 2 }, { "+", 3 }, { "-", 3 }, { "*", 4 }, { "/", 4 }, { "%", 4 }, { "^", 1 }, { "|", 0 }, { "&", 1 },
	};
	int64_t left = atom(a);
	while (a->ok) {
		skip_space(a);
		size_t k = 0;
		while (k < BAWN_LEN(row) && !bawn_span_starts((struct bawn_span){ a->t.p + a->at, a->t.n - a->at }, row[k].op))
			k++;
		if (k == BAWN_LEN(row) || row[k].rank < least || a->depth >= SUM_DEPTH)
			break;
		a->at += strlen(row[k].op), a->depth++;
		int64_t right = arithmetic(a, row[k].rank + 1), n = 0;
		a->depth--;
		switch (row[k].op[0]) {
		case '+': a->ok = a->ok && !__builtin_add_overflow(left, right, &n); break;
		case '-': a->ok = a->ok && !__builtin_sub_overflow(left, right, &n); break;
		case '*': a->ok = a->ok && !__builtin_mul_overflow(left, right, &n); break;
		case '/': a->ok = a->ok && right > 0; n = a->ok ? left / right : 0; break;
		case '%': a->ok = a->ok && right > 0; n = a->ok ? left % right : 0; break;
		case '^': n = left ^ right; break;
		case '|': n = left | right; break;
		case '&': n = left & right; break;
		case '<': a->ok = a->ok && right >= 0 && right < 32 && left >= 0 && left < INT32_MAX; n = a->ok ? left << right : 0; break;
		default:  a->ok = a->ok && right >= 0 && right < 63 && left >= 0; n = a->ok ? left >> right : 0; break;
		}
		left = n;
	}
	return left;
}

static bool evaluate(struct shell *s, struct bawn_span t, int64_t *out)
{
	struct sum a = { .s = s, .t = t, .ok = !over(s->e, t.n, SUM_MAX) };
	*out = a.ok ? arithmetic(&a, 0) : 0;
	skip_space(&a);
	bool whole = a.ok && a.at == t.n;
	s->e->cut = s->e->cut || (!whole && a.deep);
	return whole;
}

static struct value *number_value(struct shell *s, int64_t n)
{
	return bawn_sh_text(s->e, bawn_span(bawn_arena_fmt(bawn_sh_arena(s->e), "%lld", (long long)n)), BAWN_TAG(BUILT));
}

static struct bawn_span trimmed(struct bawn_span t)
{
	while (t.n > 0 && (t.p[0] == ' ' || t.p[0] == '\t' || t.p[0] == '\n'))
		t.p++, t.n--;
	while (t.n > 0 && (t.p[t.n - 1] == ' ' || t.p[t.n - 1] == '\t' || t.p[t.n - 1] == '\n'))
		t.n--;
	return t;
}

/* One comparison, one assignment, or a sum. */
bool bawn_sh_number(struct shell *s, struct bawn_span t, int64_t *ret)
{
	static const char *const op[] = { "<=", ">=", "==", "!=", "++", "--", "+=", "-=", "*=", "<", ">", "=" };
	size_t at = 0, k = BAWN_LEN(op);
	t = trimmed(t);
	for (; at < t.n && k == BAWN_LEN(op); at += k == BAWN_LEN(op))
		for (k = 0; k < BAWN_LEN(op) && !bawn_span_starts((struct bawn_span){ t.p + at, t.n - at }, op[k]); k++)
			;
	if (t.n == 0 || k == BAWN_LEN(op))
		return t.n > 0 && evaluate(s, t, ret);
	size_t m = strlen(op[k]);
	struct bawn_span left = trimmed((struct bawn_span){ t.p, at }), right = trimmed((struct bawn_span){ t.p + at + m, t.n - at - m });
	int64_t a = 0, b = 1;
	if (k == 4 || k == 5)
		left = left.n > 0 ? left : right;  /* ++i */
	else if (!evaluate(s, right, &b))
		return false;
	if (k != 11 && !evaluate(s, left, &a))
		return false;
	bool fits = a > INT32_MIN && a < INT32_MAX && b > INT32_MIN && b < INT32_MAX;
	if (!fits)
		return false;
	const int64_t result[] = { a <= b, a >= b, a == b, a != b, a + 1, a - 1, a + b, a - b, a * b, a < b, a > b, b };
	_Static_assert(BAWN_LEN(result) == BAWN_LEN(op), "one result per operator");
	*ret = result[k];
	bool sets = k == 11 || (k >= 4 && k <= 8);
	if (sets)
		bawn_sh_set(s, "", left, number_value(s, *ret));
	return true;
}

/* ---- ${...} ---- */

static struct value *expand_at(struct shell *s, struct bawn_span text, unsigned depth);

/* The text of a pattern or a default: quotes go, expansions are made. */
static struct value *expand_text(struct shell *s, struct bawn_span t, unsigned depth)
{
	bawn_auto_buf b = BAWN_BUF(SHELL_TEXT_MAX);
	bool partial = false;
	for (size_t i = 0; i < t.n; i++) {
		char c = t.p[i];
		if (c == '\\' && i + 1 < t.n) {
			bawn_buf_char(&b, t.p[++i]);
		} else if (c == '"' || c == '\'') {
			continue;
		} else if (c == '$' && i + 1 < t.n && !over(s->e, depth, EXPAND_DEPTH - 1)) {
			size_t end = i + 1;
			unsigned open = 0;
			if (t.p[end] == '{' || t.p[end] == '(') {
				do {
					open += t.p[end] == '{' || t.p[end] == '(';
					open -= t.p[end] == '}' || t.p[end] == ')';
					end++;
				} while (open > 0 && end < t.n);
			} else {
				while (end < t.n && (is_letter(t.p[end]) || is_digit(t.p[end])))
					end++;
			}
			struct value *v = expand_at(s, (struct bawn_span){ t.p + i, end - i }, depth + 1);
			partial = partial || !bawn_value_is_text(v);
			if (bawn_value_is_text(v))
				bawn_buf_add(&b, v->text.p, v->text.n);
			i = end - 1;
		} else {
			bawn_buf_char(&b, c);
		}
	}
	if (!bawn_engine_whole(s->e, &b) || partial)
		return NULL;
	return bawn_sh_text(s->e, (struct bawn_span){ bawn_arena_text(bawn_sh_arena(s->e), bawn_buf_span(&b)), b.n }, BAWN_TAG(BUILT));
}

static struct value *slice(struct shell *s, const struct value *v, struct bawn_span spec)
{
	size_t colon = 0;
	unsigned open = 0;
	for (; colon < spec.n && (spec.p[colon] != ':' || open > 0); colon++)
		open += (spec.p[colon] == '{') - (unsigned)(spec.p[colon] == '}' && open > 0);
	int64_t from, len = INT32_MAX, total = v->is_list ? (int64_t)v->n_items : (int64_t)v->text.n;
	if (!evaluate(s, (struct bawn_span){ spec.p, colon }, &from))
		return NULL;
	if (colon < spec.n && !evaluate(s, (struct bawn_span){ spec.p + colon + 1, spec.n - colon - 1 }, &len))
		return NULL;
	from = from < 0 ? from + total : v->is_list && from > 0 && v == s->args ? from - 1 : from;
	if (from < 0 || from > total)
		return bawn_value_text(s->e, bawn_span(""));
	if (len < 0)
		len = total + len - from;
	len = len < 0 ? 0 : len > total - from ? total - from : len;
	if (v->is_list)
		return bawn_sh_list(s->e, v->item + from, (uint32_t)len);
	return bawn_sh_text(s->e, (struct bawn_span){ v->text.p + from, (size_t)len }, v->taint | BAWN_TAG(BUILT));
}

/* Removes the shortest or longest match of a pattern from the front or the back. */
static struct value *trim(struct shell *s, const struct value *v, const struct value *pattern, bool front, bool longest)
{
	char *glob = bawn_value_is_text(pattern) ? bawn_arena_text(bawn_sh_arena(s->e), pattern->text) : NULL;
	size_t n = v->text.n;
	if (glob == NULL || over(s->e, n, PATTERN_MAX))
		return NULL;
	s->e->spent += n * n;
	for (size_t k = 0; k <= n; k++) {
		size_t cut = longest ? n - k : k;
		struct bawn_span part = front ? (struct bawn_span){ v->text.p, cut } : (struct bawn_span){ v->text.p + n - cut, cut };
		if (bawn_glob(glob, part)) {
			struct bawn_span rest = front ? (struct bawn_span){ v->text.p + cut, n - cut } : (struct bawn_span){ v->text.p, n - cut };
			return bawn_sh_text(s->e, rest, v->taint | BAWN_TAG(BUILT));
		}
	}
	return (struct value *)(uintptr_t)v;
}

/* How much of the text at `at` the pattern matches, the longest; 0: none. */
static size_t match_at(const char *glob, struct bawn_span t, size_t at)
{
	if (strpbrk(glob, "*?") == NULL) {
		size_t n = strlen(glob);
		return n > 0 && t.n - at >= n && memcmp(t.p + at, glob, n) == 0 ? n : 0;
	}
	for (size_t n = t.n - at; n > 0; n--)
		if (bawn_glob(glob, (struct bawn_span){ t.p + at, n }))
			return n;
	return 0;
}

static struct value *replace(struct shell *s, const struct value *v, struct bawn_span spec, unsigned depth)
{
	bool all = spec.n > 0 && spec.p[0] == '/', front = spec.n > 0 && spec.p[0] == '#', back = spec.n > 0 && spec.p[0] == '%';
	size_t start = all || front || back, mid = start;
	while (mid < spec.n && (spec.p[mid] != '/' || mid == start))
		mid += spec.p[mid] == '\\' ? 2 : 1;
	mid = mid < spec.n ? mid : spec.n;
	struct value *from = expand_text(s, (struct bawn_span){ spec.p + start, mid - start }, depth);
	struct value *to = mid < spec.n ? expand_text(s, (struct bawn_span){ spec.p + mid + 1, spec.n - mid - 1 }, depth) : bawn_value_text(s->e, bawn_span(""));
	char *glob = bawn_value_is_text(from) ? bawn_arena_text(bawn_sh_arena(s->e), from->text) : NULL;
	if (glob == NULL || !bawn_value_is_text(to))
		return NULL;
	bool wild = strpbrk(glob, "*?") != NULL;
	if (wild && over(s->e, v->text.n, REPLACE_MAX))
		return NULL;
	s->e->spent += wild ? v->text.n * v->text.n * v->text.n / 8 : v->text.n;
	bawn_auto_buf b = BAWN_BUF(SHELL_TEXT_MAX);
	bool done = false;
	for (size_t at = 0; at < v->text.n; ) {
		size_t n = done || (front && at > 0) ? 0 : match_at(glob, v->text, at);
		if (n == 0 || (back && at + n != v->text.n)) {
			bawn_buf_char(&b, v->text.p[at++]);
			continue;
		}
		bawn_buf_add(&b, to->text.p, to->text.n);
		at += n;
		done = !all;
	}
	if (!bawn_engine_whole(s->e, &b))
		return NULL;
	return bawn_sh_text(s->e, (struct bawn_span){ bawn_arena_text(bawn_sh_arena(s->e), bawn_buf_span(&b)), b.n }, v->taint | to->taint | BAWN_TAG(BUILT));
}

static struct value *change_case(struct shell *s, const struct value *v, bool upper, bool all)
{
	char *p = bawn_arena_text(bawn_sh_arena(s->e), v->text);
	for (size_t i = 0; p != NULL && i < v->text.n && (all || i == 0); i++)
		if (upper ? p[i] >= 'a' && p[i] <= 'z' : p[i] >= 'A' && p[i] <= 'Z')
			p[i] = (char)(p[i] ^ 0x20);
	return p != NULL ? bawn_sh_text(s->e, (struct bawn_span){ p, v->text.n }, v->taint | BAWN_TAG(BUILT)) : NULL;
}

/* `op` is all that follows the name. */
static struct value *operate(struct shell *s, struct value *v, struct bawn_span op, unsigned depth)
{
	bool set = v != NULL, text = bawn_value_is_text(v) && !v->partial;
	bool colon = op.n > 1 && op.p[0] == ':';
	char c = op.p[colon];
	struct bawn_span rest = { op.p + colon + 1, op.n - colon - 1 };
	if (c == '-' || c == '=') {
		if (!set || (colon && text && v->text.n == 0))
			return expand_text(s, rest, depth);
		return v;
	}
	if (c == '+')
		return text && v->text.n > 0 ? expand_text(s, rest, depth) : NULL;
	if (c == '?')
		return v;
	if (colon && v != NULL && (text || v->is_list))
		return slice(s, v, (struct bawn_span){ op.p + 1, op.n - 1 });
	if (!text)
		return v != NULL && v->is_list && c == '@' ? v : NULL;
	bool twice = op.n > 1 && op.p[1] == c;
	struct bawn_span pattern = { op.p + 1 + twice, op.n - 1 - twice };
	switch (c) {
	case '#': case '%': return trim(s, v, expand_text(s, pattern, depth), c == '#', twice);
	case '/': return replace(s, v, (struct bawn_span){ op.p + 1, op.n - 1 }, depth);
	case '^': case ',': return change_case(s, v, c == '^', twice);
	case '@':
		if (op.n == 2 && op.p[1] == 'P')
			bawn_sh_expands(s, v->text, s->at);
		if (op.n == 2 && (op.p[1] == 'U' || op.p[1] == 'L'))
			return change_case(s, v, op.p[1] == 'U', true);
		if (op.n == 2 && op.p[1] == 'E')
			return bawn_sh_text(s->e, bawn_sh_unescape(s->e, v->text, false), v->taint | BAWN_TAG(BUILT));
		return v;
	default: return NULL;
	}
}

static struct value *keyed_item(const struct value *v, const struct value *key)
{
	for (uint32_t i = v->n_items; i > 0 && bawn_value_is_text(key); i--)
		if (v->key[i - 1] != NULL && bawn_span_is(key->text, v->key[i - 1]))
			return v->item[i - 1];
	return NULL;
}

/* ${!a[@]} */
static struct value *keys_of(struct shell *s, const struct value *v)
{
	struct value *all[SHELL_WORDS_MAX];
	uint32_t n = 0;
	(void)over(s->e, v->n_items, SHELL_WORDS_MAX);
	for (uint32_t i = 0; i < v->n_items && n < SHELL_WORDS_MAX; i++)
		all[n++] = v->key != NULL && v->key[i] != NULL ? bawn_value_text(s->e, bawn_span(v->key[i])) : number_value(s, i);
	return bawn_sh_list(s->e, all, n);
}

static struct value *element(struct shell *s, struct value *v, struct bawn_span index, unsigned depth)
{
	int64_t k;
	if (v == NULL || index.n == 0)
		return NULL;
	if (index.p[0] == '@' || index.p[0] == '*')
		return v;
	s->e->spent += v->key != NULL ? v->n_items : 0;
	struct value *keyed = v->key != NULL ? keyed_item(v, expand_text(s, index, depth)) : NULL;
	if (keyed != NULL)
		return keyed;
	if (!v->is_list)
		return evaluate(s, index, &k) && k == 0 ? v : NULL;
	if (v->is_dict || !evaluate(s, index, &k))
		return NULL;
	k = k < 0 ? k + (int64_t)v->n_items : k;
	return k >= 0 && k < (int64_t)v->n_items ? v->item[k] : bawn_value_text(s->e, bawn_span(""));
}

/* ${!x*}: the names of all variables that begin so. */
static struct value *names_like(struct shell *s, struct bawn_span start)
{
	struct value *all[SHELL_WORDS_MAX];
	uint32_t n = 0;
	s->e->spent += s->n_vars;
	for (uint32_t i = 0; i < s->n_vars && n < SHELL_WORDS_MAX; i++)
		if (bawn_span_starts(bawn_span(s->var[i].name), bawn_arena_text(bawn_sh_arena(s->e), start)) && strchr(s->var[i].name, ' ') == NULL)
			all[n++] = bawn_value_text(s->e, bawn_span(s->var[i].name));
	(void)over(s->e, n, SHELL_WORDS_MAX - 1);
	return bawn_sh_list(s->e, all, n);
}

/* What the variable is that `v` names: x, or x[k]. */
static struct value *named_by(struct shell *s, const struct value *v, bool plain, unsigned depth)
{
	if (!bawn_value_is_text(v) || v->partial)
		return NULL;
	if (memchr(v->text.p, '[', v->text.n) == NULL)
		return value_of(s, v->text, plain);
	const char *whole = bawn_arena_fmt(bawn_sh_arena(s->e), "${%.*s}", (int)v->text.n, v->text.p);
	return whole != NULL ? expand_at(s, bawn_span(whole), depth + 1) : NULL;
}

static struct value *expand_at(struct shell *s, struct bawn_span t, unsigned depth)
{
	if (t.n < 2 || t.p[0] != '$' || over(s->e, depth, EXPAND_DEPTH))
		return NULL;
	if (t.n > 5 && bawn_span_starts(t, "$((")) {
		int64_t n;
		return evaluate(s, (struct bawn_span){ t.p + 3, t.n - 5 }, &n) ? number_value(s, n) : NULL;
	}
	if (t.p[1] != '{')
		return value_of(s, (struct bawn_span){ t.p + 1, t.n - 1 }, true);
	if (t.n < 4 || t.p[t.n - 1] != '}')
		return NULL;
	size_t at = 2, end = t.n - 1;
	bool count = t.p[2] == '#' && end > 3, indirect = t.p[2] == '!' && end > 3;
	at += count || indirect;
	size_t start = at;
	while (at < end && (is_letter(t.p[at]) || is_digit(t.p[at])))
		at++;
	at += at == start && at < end;  /* one special character */
	struct bawn_span name = { t.p + start, at - start }, index = { NULL, 0 };
	if (at < end && t.p[at] == '[') {
		size_t close = at + 1;
		while (close < end && t.p[close] != ']')
			close++;
		index = (struct bawn_span){ t.p + at + 1, close - at - 1 };
		at = close < end ? close + 1 : close;
	}
	struct bawn_span op = { t.p + at, end - at };
	struct value *v = value_of(s, name, op.n == 0 && !count && !indirect);
	s->e->cut = s->e->cut || (v != NULL && (v->taint & BAWN_TAG(CUT)) != 0);  /* a part of it, too */
	if (indirect && op.n == 1 && (op.p[0] == '*' || op.p[0] == '@'))
		return names_like(s, name);
	if (indirect && index.n == 1 && v != NULL && v->is_list)
		return keys_of(s, v);
	if (indirect)
		v = named_by(s, v, op.n == 0, depth);
	if (index.p != NULL)
		v = element(s, v, index, depth);
	else if (v != NULL && v->is_list && v != s->args)
		v = v->n_items > 0 ? v->item[0] : NULL;
	if (count) {
		bool list = v != NULL && v->is_list;
		return list ? number_value(s, v->n_items) : bawn_value_is_text(v) && !v->partial ? number_value(s, (int64_t)v->text.n) : NULL;
	}
	struct value *out = op.n > 0 ? operate(s, v, op, depth) : v;
	if (out != NULL && out != v && index.p == NULL && op.n > 1 && (op.p[0] == '=' || (op.p[0] == ':' && op.p[1] == '=')))
		bawn_sh_set(s, "", name, out);
	if (out == NULL && v != NULL && (out = bawn_value_new(s->e)) != NULL)
		out->taint = v->taint;  /* a part of something is still of it */
	return out;
}

struct value *bawn_sh_expand(struct shell *s, struct bawn_span text)
{
	struct value *v = expand_at(s, text, 0);
	return v != NULL ? v : bawn_value_new(s->e);
}

/* ---- words ---- */

static struct value *glued(struct shell *s, struct bawn_span a, struct bawn_span b, struct bawn_span c, uint64_t taint)
{
	char *p = bawn_arena_get(bawn_sh_arena(s->e), a.n + b.n + c.n + 1);
	if (p == NULL)
		return NULL;
	memcpy(p, a.p, a.n);
	memcpy(p + a.n, b.p, b.n);
	memcpy(p + a.n + b.n, c.p, c.n);
	return bawn_sh_text(s->e, (struct bawn_span){ p, a.n + b.n + c.n }, taint | BAWN_TAG(BUILT));
}

static void push(struct shell *s, struct value *v, struct value **word, uint32_t *n)
{
	if (v != NULL && !over(s->e, *n, SHELL_WORDS_MAX - 1))
		word[(*n)++] = v;
}

/* Words whose braces are still to be looked at, the last one first. */
struct todo { struct value *word[SHELL_WORDS_MAX]; uint32_t n; };

static void put_off(struct shell *s, struct todo *t, struct value *v)
{
	if (v != NULL && !over(s->e, t->n, SHELL_WORDS_MAX - 1))
		t->word[t->n++] = v;
}

/* {a..e} and {1..9}; false where it is something else.  Of a long one the last comes after the first ones:
 * what is left out differs from them in its number alone. */
static bool put_range(struct shell *s, struct bawn_span pre, struct bawn_span in, struct bawn_span post, struct todo *todo)
{
	const char *dots = memmem(in.p, in.n, "..", 2);
	if (dots == NULL)
		return false;
	struct bawn_span a = { in.p, (size_t)(dots - in.p) }, b = { dots + 2, in.n - a.n - 2 };
	const char *more = memmem(b.p, b.n, "..", 2);
	struct bawn_span by = more != NULL ? (struct bawn_span){ more + 2, b.n - (size_t)(more + 2 - b.p) } : bawn_span("1");
	b.n = more != NULL ? (size_t)(more - b.p) : b.n;
	bool letters = a.n == 1 && b.n == 1 && is_letter(a.p[0]) && is_letter(b.p[0]), ok = true;
	struct value x = { .text = a }, y = { .text = b }, z = { .text = by };
	int64_t from = letters ? a.p[0] : number_of(&x, &ok), to = letters ? b.p[0] : number_of(&y, &ok), step = number_of(&z, &ok);
	if (!ok || llabs(from) > INT32_MAX || llabs(to) > INT32_MAX || llabs(step) > INT32_MAX)
		return false;
	step = step == 0 ? 1 : llabs(step);
	int64_t n = llabs(to - from) / step + 1;
	s->range_cut = s->range_cut || n > RANGE_MAX;
	for (int64_t k = n < RANGE_MAX ? n : RANGE_MAX; k > 0; k--) {  /* the first is looked at first */
		int64_t at = (k == RANGE_MAX ? n - 1 : k - 1) * (from <= to ? step : -step) + from;
		char one[24];
		int len = letters ? snprintf(one, sizeof one, "%c", (char)at) : snprintf(one, sizeof one, "%lld", (long long)at);
		put_off(s, todo, glued(s, pre, (struct bawn_span){ one, (size_t)len }, post, 0));
	}
	return true;
}

/* The first brace group of a word, from `open` to `close`; false where there is none that expands. */
static bool brace_group(struct bawn_span t, size_t *open, size_t *close)
{
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] != '{' || (i > 0 && t.p[i - 1] == '$'))
			continue;
		unsigned depth = 0;
		bool splits = false;
		for (size_t k = i; k < t.n; k++) {
			depth += t.p[k] == '{';
			splits = splits || (depth == 1 && (t.p[k] == ',' || (t.p[k] == '.' && k + 1 < t.n && t.p[k + 1] == '.')));
			if (t.p[k] == '}' && --depth == 0) {
				*open = i, *close = k;
				if (splits)
					return true;
				break;
			}
		}
	}
	return false;
}

/* Several groups multiply; a list of words still to be looked at keeps it flat. */
static void push_braces(struct shell *s, struct value *v, struct value **word, uint32_t *n)
{
	struct todo todo;
	todo.n = 0;
	put_off(s, &todo, v);
	for (unsigned steps = 0; todo.n > 0 && steps < BRACES_STEPS; steps++) {
		struct value *w = todo.word[--todo.n];
		size_t open, close;
		s->e->spent += w->text.n;
		if (over(s->e, w->text.n, BRACES_BYTES)) {
			push(s, bawn_value_cut(s->e, w), word, n);
			continue;
		}
		if (!brace_group(w->text, &open, &close)) {
			push(s, w, word, n);
			continue;
		}
		struct bawn_span pre = { w->text.p, open }, in = { w->text.p + open + 1, close - open - 1 };
		struct bawn_span post = { w->text.p + close + 1, w->text.n - close - 1 };
		uint32_t first = todo.n;
		unsigned depth = 0;
		if (memchr(in.p, ',', in.n) == NULL && put_range(s, pre, in, post, &todo))
			continue;
		for (size_t start = 0, k = 0; k <= in.n; k++) {
			if (k < in.n && in.p[k] == '{')
				depth++;
			else if (k < in.n && in.p[k] == '}' && depth > 0)
				depth--;
			if (k < in.n && (in.p[k] != ',' || depth > 0))
				continue;
			put_off(s, &todo, glued(s, pre, (struct bawn_span){ in.p + start, k - start }, post, v->taint));
			start = k + 1;
		}
		for (uint32_t a = first, b = todo.n; a + 1 < b; a++) {  /* the first alternative is looked at first */
			struct value *swap = todo.word[a];
			todo.word[a] = todo.word[--b];
			todo.word[b] = swap;
		}
	}
	(void)over(s->e, todo.n, 0);
}

/* The characters that split words: IFS as the program set it. */
static const char *separators(const struct shell *s)
{
	struct value *v = bawn_sh_get(s, "", bawn_span("IFS"));
	const char *own = bawn_value_is_text(v) && v->text.n > 0 ? bawn_arena_text(bawn_sh_arena(s->e), v->text) : NULL;
	return own != NULL ? own : " \t\n";
}

void bawn_sh_push(struct shell *s, struct value *v, bool split, bool braces, struct value **word, uint32_t *n)
{
	if (v != NULL && v->is_list) {
		for (uint32_t i = 0; i < v->n_items; i++)
			push(s, v->item[i], word, n);
		return;
	}
	if (bawn_value_is_text(v) && braces && memchr(v->text.p, '{', v->text.n) != NULL) {
		push_braces(s, v, word, n);
		return;
	}
	if (!split || !bawn_value_is_text(v)) {
		push(s, v, word, n);
		return;
	}
	const char *ifs = separators(s);
	for (size_t at = 0, start = 0; at <= v->text.n; at++)
		if (at == v->text.n || (v->text.p[at] != '\0' && strchr(ifs, v->text.p[at]) != NULL)) {
			if (at > start) {
				struct value *part = bawn_sh_text(s->e, (struct bawn_span){ v->text.p + start, at - start }, v->taint);
				if (part != NULL)
					part->partial = v->partial;
				push(s, part, word, n);
			}
			start = at + 1;
		}
}
