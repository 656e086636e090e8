/* conditions.c - see conditions.h. */
#include "assess/conditions.h"
#include "assess/text.h"
#include "base/cleanup.h"

#define LOOK_WORK 16u  /* at a node that was read before */

static bool any_glob(const struct bawn_cond *c, struct bawn_span text)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (bawn_glob(c->text[i], text))
			return true;
	return false;
}

#define OPTIONS_DEPTH 3u
#define OPTIONS_MAX   64u  /* looked at; half as many one level further in */

#define VALUES_DEPTH 4u

static bool value_matches(const struct bawn_cond *c, const struct value *v, unsigned depth)
{
	if (v == NULL)
		return false;
	if (v->text.p != NULL && any_glob(c, v->text))
		return true;
	if (v->name != NULL && any_glob(c, bawn_span(v->name)))
		return true;
	if (v->has_number) {
		char digits[24];
		int n = snprintf(digits, sizeof digits, "%lld", (long long)v->number);
		if (any_glob(c, (struct bawn_span){ digits, (size_t)n }))
			return true;
	}
	for (uint32_t i = 0; depth < VALUES_DEPTH && i < v->n_items && i < (depth < 2 ? 64u : 8u); i++)
		if (value_matches(c, v->item[i], depth + 1))
			return true;
	return false;
}

/* Options may stand in options: {cookie: {secure: true}}. */
static bool option_within(const struct value *v, const char *name, unsigned depth, const struct value **out)
{
	for (uint32_t i = 0; v != NULL && v->is_dict && i < v->n_items && i < OPTIONS_MAX >> depth; i++) {
		if (v->key[i] != NULL && strcmp(v->key[i], name) == 0) {
			*out = v->item[i];
			return true;
		}
		if (depth < OPTIONS_DEPTH && option_within(v->item[i], name, depth + 1, out))
			return true;
	}
	return false;
}

/* Is there an argument of that name?  JavaScript has options in its place. */
static bool keyword(const struct engine *e, const struct fact *f, const char *name, const struct value **out)
{
	*out = NULL;
	for (uint32_t i = 0; i < f->n_keywords; i++)
		if (f->keyword[i].name != NULL && strcmp(f->keyword[i].name, name) == 0) {
			*out = f->keyword[i].value;
			return true;
		}
	for (uint32_t i = 0; e->tree != NULL && e->tree->grammar == BAWN_GRAMMAR_JAVASCRIPT && i < f->n_keywords; i++)
		if (option_within(f->keyword[i].value, name, 1, out))
			return true;
	return false;
}

/* Is `want` ("-e", "--exec") among the words?  Short options may be bundled: -rf is -r and -f. */
static bool option_in(const char *want, struct bawn_span word)
{
	if (word.n < 2 || word.p[0] != '-')
		return false;
	if (want[0] == '-' && want[1] != '-' && want[1] != '\0' && want[2] == '\0' && word.p[1] != '-') {
		for (size_t i = 1; i < word.n; i++) {
			char c = word.p[i];
			if (c == want[1])
				return true;
			if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
				return false;
		}
		return false;
	}
	size_t n = strlen(want);
	return word.n >= n && memcmp(word.p, want, n) == 0 && (word.n == n || word.p[n] == '=');
}

static bool has_option(const struct bawn_cond *c, const struct fact *f)
{
	for (uint32_t i = 0; i < f->n_args; i++)
		for (uint32_t t = 0; bawn_value_is_text(f->arg[i]) && t < c->n; t++)
			if (option_in(c->text[t], f->arg[i]->text))
				return true;
	return false;
}

static bool any_word(const struct bawn_cond *c, const struct fact *f)
{
	for (uint32_t i = 0; i < f->n_args; i++)
		if (value_matches(c, f->arg[i], 0))
			return true;
	return false;
}

static bool under_any(const struct bawn_cond *c, const struct fact *f)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (bawn_path_under(c->text[i], f->name, f->shell))
			return true;
	return false;
}

static bool known(const struct value *v)
{
	if (v == NULL || v->partial)
		return false;
	for (uint32_t i = 0; v->choice && !v->is_list && i < v->n_items; i++)
		if (v->item[i] == NULL || v->item[i]->partial || (v->item[i]->text.p == NULL && !v->item[i]->has_number))
			return false;
	return v->text.p != NULL || v->has_number || v->n_items > 0;
}

/* Is nothing of the text known?  A gap is shown as {}. */
static bool opaque(const struct value *v, unsigned depth)
{
	if (v == NULL)
		return true;
	for (uint32_t i = 0; v->choice && depth == 0 && i < v->n_items; i++)
		if (opaque(v->item[i], 1))
			return true;
	if (v->text.p == NULL)
		return !v->has_number && v->n_items == 0;
	size_t at = 0;
	while (v->partial && at < v->text.n && strchr("{} \n", v->text.p[at]) != NULL)
		at++;
	return v->partial && at == v->text.n;
}

/* Programs that run what they are given. */
static bool is_runner(struct bawn_span word)
{
	static const char *const runner[] = { "sh", "bash", "dash", "zsh", "ksh", "cmd", "cmd.exe", "powershell", "powershell.exe", "pwsh", "sudo", "env", "nohup" };
	for (size_t i = word.n; i > 0; i--)
		if (word.p[i - 1] == '/' || word.p[i - 1] == '\\') {
			word = (struct bawn_span){ word.p + i, word.n - i };
			break;
		}
	for (size_t i = 0; i < BAWN_LEN(runner); i++)
		if (bawn_span_is(word, runner[i]))
			return true;
	return false;
}

/* Is the command itself, not only one of its arguments, a gap?  `sh -c {}` is one, `ls {}` is not. */
static bool text_unread(struct bawn_span t)
{
	for (size_t at = 0; at < t.n; ) {
		size_t end = at;
		while (end < t.n && t.p[end] != ' ')
			end++;
		struct bawn_span word = { t.p + at, end - at };
		if (bawn_span_starts(word, "{}"))
			return true;
		bool option = word.n > 0 && (word.p[0] == '-' || word.p[0] == '/') && at > 0;
		if (word.n > 0 && !option && !is_runner(word))
			return false;
		at = end + 1;
	}
	return false;
}

static bool unread(const struct value *v)
{
	if (v == NULL)
		return true;
	if (v->text.p != NULL)
		return v->partial && text_unread(v->text);
	if (v->choice || !v->is_list || v->n_items == 0)
		return !v->choice && !v->has_number;
	for (uint32_t i = 0; i < v->n_items && i < 8; i++) {
		const struct value *word = v->item[i];
		if (!bawn_value_is_text(word) || word->partial)
			return word == NULL || word->name == NULL || word->text.p != NULL || strcmp(word->name, "sys.executable") != 0;
		if (word->text.n > 0 && !is_runner(word->text) && word->text.p[0] != '-' && (i == 0 || word->text.p[0] != '/'))
			return false;
	}
	return false;
}

/* The endless loop around a node within its function, or 0. */
static uint32_t endless_loop(const struct engine *e, uint32_t node)
{
	const struct bawn_tree *t = e->tree;
	for (uint32_t i = node; i != 0 && t->node[i].kind != BAWN_K_FUNCTION; i = t->node[i].parent) {
		uint32_t c = t->node[i].kind == BAWN_K_WHILE ? bawn_node_child(t, i, BAWN_R_CONDITION) : 0;
		struct bawn_span text = c != 0 ? bawn_node_text(t, c) : bawn_span("");
		if (bawn_span_is(text, "True") || bawn_span_is(text, "1") || bawn_span_is(text, "(true)") || bawn_span_is(text, "(1)"))
			return i;
		for (uint32_t k = 0; k < e->n_endless; k++)
			if (e->endless[k].loop == i && e->endless[k].tree == t)
				return i;
	}
	return 0;
}

/* In an endless loop in which nothing waits for anything? */
static bool in_busy_loop(struct engine *e, uint32_t node)
{
	static const char *const waits[] = { "sleep", "wait", "accept", "recv", "input", "join", "read", "get(", "poll", "select", "break", "return", "communicate" };
	uint32_t loop = endless_loop(e, node);
	struct bawn_span text = loop != 0 ? bawn_node_text(e->tree, loop) : bawn_span("");
	for (size_t i = 0; loop != 0 && i < BAWN_LEN(waits); i++) {
		e->spent += text.n;  /* a loop may hold thousands of calls that ask */
		if (memmem(text.p, text.n, waits[i], strlen(waits[i])) != NULL)
			return false;
	}
	return loop != 0;
}

/* Does the function around a node call itself? */
static bool calls_itself(struct engine *e, uint32_t node)
{
	const struct bawn_tree *t = e->tree;
	while (node != 0 && t->node[node].kind != BAWN_K_FUNCTION)
		node = t->node[node].parent;
	uint32_t at = node != 0 ? bawn_node_child(t, node, BAWN_R_NAME) : 0, body = node != 0 ? bawn_node_child(t, node, BAWN_R_BODY) : 0;
	for (uint32_t i = body; at != 0 && body != 0 && i < t->n && t->node[i].start < t->node[body].end; i++) {
		e->spent += LOOK_WORK;
		uint32_t f = t->node[i].kind == BAWN_K_CALL ? bawn_node_child(t, i, BAWN_R_FUNCTION) : 0;
		struct bawn_span name = bawn_node_text(t, at), called = f != 0 ? bawn_node_text(t, f) : bawn_span("");
		if (called.n == name.n && memcmp(called.p, name.p, name.n) == 0)
			return true;
	}
	return false;
}

/* Does a function start itself: as a target, or by calling itself after it has made a copy? */
static bool own_target(struct engine *e, const struct fact *f)
{
	const struct value *target = NULL;
	if (!keyword(e, f, "target", &target))
		return f->n_args == 0 && f->n_keywords == 0 && calls_itself(e, f->node);
	for (uint32_t i = f->node; target != NULL && target->function != 0 && i != 0; i = e->tree->node[i].parent)
		if (i == target->function)
			return true;
	return false;
}

static bool holds(struct engine *e, const struct bawn_cond *c, const struct fact *f)
{
	const struct value *arg = c->index < (int32_t)f->n_args && c->index >= 0 ? f->arg[c->index] : NULL;
	bool given = (uint32_t)c->index < f->n_args;
	const struct value *option;
	switch ((enum bawn_condition)c->what) {
	case BAWN_COND_ARG:        return value_matches(c, arg, 0);
	case BAWN_COND_ANY_ARG: {
		bool hit = any_word(c, f);
		for (uint32_t i = 0; !hit && i < f->n_keywords; i++)
			hit = value_matches(c, f->keyword[i].value, 0);
		return hit;
	}
	case BAWN_COND_KEYWORD:    return keyword(e, f, c->name, &option) && value_matches(c, option, 0);
	case BAWN_COND_NO_KEYWORD:
		for (uint32_t i = 0; i < c->n; i++)
			if (keyword(e, f, c->text[i], &option))
				return false;
		return true;
	case BAWN_COND_TAINT:      return (f->taint & c->mask) != 0;
	case BAWN_COND_ARG_TAINT:  return arg != NULL && (arg->taint & c->mask) != 0;
	case BAWN_COND_UNKNOWN:    return given && !known(arg);
	case BAWN_COND_KNOWN:      return given && known(arg);
	case BAWN_COND_OPAQUE:     return given && opaque(arg, 0);
	case BAWN_COND_OPTION:     return has_option(c, f);
	case BAWN_COND_NO_OPTION:  return !has_option(c, f);
	case BAWN_COND_WORD:       return any_word(c, f);
	case BAWN_COND_NO_WORD:    return !any_word(c, f);
	case BAWN_COND_ACCESS:     return (c->mask >> f->access & 1) != 0;
	case BAWN_COND_AT_LEAST:   return f->n_args >= (uint32_t)c->index;
	case BAWN_COND_TO:         return f->to != NULL && any_glob(c, bawn_span(f->to));
	case BAWN_COND_SEEN:       return (e->tags & c->mask) != 0;
	case BAWN_COND_NOT_UNDER:  return !under_any(c, f);
	case BAWN_COND_NESTED:     return e->depth > 0;
	case BAWN_COND_ANY_OPTION:  /* one of these keywords, with a constant text */
		for (uint32_t i = 0; f->n_keywords > 0 && i < c->n; i++)
			if (keyword(e, f, c->text[i], &option) && bawn_value_is_text(option) && !option->partial && option->text.n > 0)
				return true;
		return false;
	case BAWN_COND_OFF_OPTION:  /* one of these keywords, switched off */
		for (uint32_t i = 0; f->n_keywords > 0 && i < c->n; i++)
			if (keyword(e, f, c->text[i], &option) && option != NULL && option->name != NULL && strcmp(option->name, "False") == 0)
				return true;
		return false;
	case BAWN_COND_AT_MOST:    return f->n_args <= (uint32_t)c->index;
	case BAWN_COND_KEYWORD_TAINT: return keyword(e, f, c->name, &option) && option != NULL && (option->taint & c->mask) != 0;
	case BAWN_COND_HAS_KEYWORD:
		for (uint32_t i = 0; i < c->n; i++)
			if (keyword(e, f, c->text[i], &option))
				return true;
		return false;
	case BAWN_COND_UNREAD:     return given && unread(arg);
	case BAWN_COND_BUSY:       return in_busy_loop(e, f->node);
	case BAWN_COND_RECURSES:   return own_target(e, f);
	case BAWN_COND_COUNT:      break;
	}
	return false;
}

enum answer bawn_rule_holds(struct engine *e, const struct bawn_rule *r, const struct fact *f)
{
	enum answer a = BAWN_YES;
	if (r->language >= 0 && !e->across && r->language != (int8_t)e->tree->grammar)
		return BAWN_NO;
	for (uint32_t i = 0; i < r->n_conds; i++)
		if (!holds(e, &r->cond[i], f)) {
			if (r->cond[i].what != BAWN_COND_SEEN)
				return BAWN_NO;
			a = BAWN_LATER;
		}
	return a;
}
