/* shell_set.c - see shell.h.  What sets variables, aliases and the directory: builtins and assignments. */
#include "assess/shell.h"
#include "assess/text.h"
#include "base/cleanup.h"

#define ALIASES_MAX 64u  /* one that begins with another */

static const struct bawn_node *node(const struct shell *s, uint32_t i) { return &s->t->node[i]; }
static struct bawn_span text_of(const struct shell *s, uint32_t i) { return bawn_node_text(s->t, i); }

uint32_t bawn_sh_builtin_at(struct value *const *word, uint32_t n)
{
	uint32_t at = 0;
	while (at + 1 < n && (bawn_sh_in(word[at], "builtin command") || (at > 0 && bawn_sh_in(word[at], "-- -p"))))
		at++;
	return at;
}

/* How many letters of `t` are the name of a variable. */
static size_t name_length(struct bawn_span t)
{
	size_t n = 0;
	while (n < t.n && (t.p[n] == '_' || ((t.p[n] | 0x20) >= 'a' && (t.p[n] | 0x20) <= 'z') || (n > 0 && t.p[n] >= '0' && t.p[n] <= '9')))
		n++;
	return n;
}

static bool substitutes(struct bawn_span t) { return memchr(t.p, '`', t.n) != NULL || memmem(t.p, t.n, "$(", 2) != NULL; }

void bawn_sh_backticks(struct shell *s, struct bawn_span t, uint32_t i)
{
	for (size_t at = 0; at < t.n; at++) {
		if (t.p[at] != '`' || (at > 0 && t.p[at - 1] == '\\'))
			continue;
		const char *end = memchr(t.p + at + 1, '`', t.n - at - 1);
		if (end == NULL)
			return;
		bawn_engine_text(s->e, BAWN_LANG_BASH, (struct bawn_span){ t.p + at + 1, (size_t)(end - t.p) - at - 1 }, i);
		at = (size_t)(end - t.p);
	}
}

void bawn_sh_expands(struct shell *s, struct bawn_span text, uint32_t i)
{
	static const struct bawn_span open = { ": <<bawn\n", 9 }, close = { "\nbawn\n", 6 };
	bawn_auto_buf b = BAWN_BUF(SHELL_TEXT_MAX);
	if (!substitutes(text))
		return;
	bawn_buf_add(&b, open.p, open.n);
	bawn_buf_add(&b, text.p, text.n);
	bawn_buf_add(&b, close.p, close.n);
	if (bawn_engine_whole(s->e, &b))
		bawn_engine_text(s->e, BAWN_LANG_BASH, bawn_buf_span(&b), i);
	else
		(void)bawn_engine_event(s->e, "unread-program", i, NULL);
}

void bawn_sh_subscript(struct shell *s, const struct value *v, uint32_t i)
{
	size_t n = bawn_value_is_text(v) && v->text.n > 4 && v->text.p[v->text.n - 1] != '"' ? name_length(v->text) : 0;
	if (n > 0 && n < v->text.n && v->text.p[n] == '[' && memchr(v->text.p, ']', v->text.n) != NULL)
		bawn_sh_expands(s, v->text, i);
}

void bawn_sh_assign(struct shell *s, struct value *const *word, uint32_t n, uint32_t from, const struct value *in)
{
	struct value *part[SHELL_WORDS_MAX];
	uint32_t k = 0, at = 0;
	bool text = bawn_value_is_text(in);
	struct value line = text ? *in : (struct value){ 0 };
	const char *end = text ? memchr(in->text.p, '\n', in->text.n) : NULL;
	if (end != NULL)
		line.text.n = (size_t)(end - in->text.p);
	if (text)
		bawn_sh_push(s, &line, true, false, part, &k);
	bool array = false, named = false;
	for (uint32_t i = from; i < n; i++) {
		if (!bawn_value_is_text(word[i]))
			continue;
		if (bawn_sh_option(word[i])) {
			array = array || (word[i]->text.p[1] != '-' && memchr(word[i]->text.p, 'a', word[i]->text.n) != NULL);
			continue;
		}
		if (array && text) {
			bawn_sh_set(s, "", word[i]->text, bawn_sh_list(s->e, part, k));
			return;
		}
		struct value *v = NULL;
		if (text)
			v = i + 1 == n && k > at ? bawn_sh_join(s->e, part + at, k - at) : at < k ? part[at] : bawn_value_text(s->e, bawn_span(""));
		at++;
		if (v == NULL && (v = bawn_value_new(s->e)) != NULL)
			v->taint = BAWN_TAG(INPUT) | (in != NULL ? in->taint : 0);
		bawn_sh_set_named(s, word[i]->text, v);
		named = true;
	}
	if (!named)
		bawn_sh_set(s, "", bawn_span("REPLY"), text ? bawn_sh_text(s->e, line.text, in->taint) : bawn_value_new(s->e));
}

void bawn_sh_assign_lines(struct shell *s, struct value *const *word, uint32_t n, const struct value *in)
{
	struct value *line[SHELL_WORDS_MAX];
	uint32_t k = 0;
	const struct value *name = n > 1 && !bawn_sh_option(word[n - 1]) ? word[n - 1] : NULL;
	if (!bawn_value_is_text(in))
		return;
	for (size_t start = 0; start < in->text.n && k < SHELL_WORDS_MAX; ) {
		size_t end = start;
		while (end < in->text.n && in->text.p[end] != '\n')
			end++;
		line[k++] = bawn_sh_text(s->e, (struct bawn_span){ in->text.p + start, end - start }, in->taint);
		start = end + 1;
		s->e->cut = k == SHELL_WORDS_MAX && start < in->text.n;
	}
	bawn_sh_set(s, "", bawn_value_is_text(name) ? name->text : bawn_span("MAPFILE"), bawn_value_cut(s->e, bawn_sh_list(s->e, line, k)));
}

/* `alias ls=...` where what runs is not ls: whoever types ls is in for a surprise. */
static void replaces_command(struct shell *s, struct bawn_span name, struct bawn_span value, uint32_t i)
{
	struct value own = { .text = name };
	if (!bawn_sh_in(&own, "ls cd cat rm cp mv sudo su ssh git echo ps grep find kill passwd vim vi nano apt pip python docker history clear exit who top") || memmem(value.p, value.n, name.p, name.n) != NULL)
		return;
	bawn_engine_text(s->e, BAWN_LANG_BASH, value, i);
	(void)bawn_engine_event(s->e, "replaced-command", i, NULL);
}

static void change_directory(struct shell *s, struct value *const *word, uint32_t n)
{
	const struct value *to = n > 1 ? word[n - 1] : NULL;
	bool known = bawn_value_is_text(to) && !to->partial && !bawn_sh_option(to) && !bawn_sh_is(to, "-");
	struct bawn_span path = known ? bawn_sh_path(s, to->text) : (struct bawn_span){ NULL, 0 };
	const char *normal = path.n > 0 ? bawn_path_normal(bawn_sh_arena(s->e), path) : NULL;
	s->cwd = normal != NULL && bawn_path_outside(normal) ? normal : NULL;
}

/* printf -v x ..., printf -vx ... */
static void print_into(struct shell *s, struct value *const *word, uint32_t n)
{
	bool joined = n > 2 && bawn_value_is_text(word[1]) && word[1]->text.n > 2 && bawn_span_starts(word[1]->text, "-v");
	struct bawn_span name = { NULL, 0 };
	if (joined)
		name = (struct bawn_span){ word[1]->text.p + 2, word[1]->text.n - 2 };
	else if (n > 3 && bawn_sh_is(word[1], "-v") && bawn_value_is_text(word[2]))
		name = word[2]->text;
	if (name.n == 0)
		return;
	uint32_t skip = joined ? 1 : 2;
	struct value *rest[SHELL_WORDS_MAX] = { word[0] };
	memcpy(rest + 1, word + 1 + skip, (n - 1 - skip) * sizeof *rest);
	bawn_sh_set_named(s, name, bawn_sh_printed(s, rest, n - skip, NULL));
}

static void set_alias(struct shell *s, struct bawn_span name, struct bawn_span value, uint64_t taint, uint32_t i)
{
	bawn_sh_set(s, "alias ", name, bawn_sh_text(s->e, value, taint));
	replaces_command(s, name, value, i);
}

void bawn_sh_builtin(struct shell *s, struct value *const *word, uint32_t n, uint32_t node_)
{
	uint32_t at = bawn_sh_builtin_at(word, n);
	word += at, n -= at;
	if (bawn_sh_is(word[0], "cd") || bawn_sh_is(word[0], "pushd") || bawn_sh_is(word[0], "popd")) {
		change_directory(s, word, n);
		return;
	}
	if (bawn_sh_is(word[0], "read")) {
		bawn_sh_assign(s, word, n, 1, NULL);
	} else if (bawn_sh_is(word[0], "set") && n > 1 && (bawn_sh_is(word[1], "--") || !bawn_sh_option(word[1]))) {
		uint32_t first = bawn_sh_is(word[1], "--") ? 2 : 1;
		s->args = n > first ? bawn_sh_list(s->e, (struct value **)(uintptr_t)word + first, n - first) : s->args;
	} else if (bawn_sh_is(word[0], "shift") && s->args != NULL && s->args->n_items > 0) {
		s->args = bawn_sh_list(s->e, s->args->item + 1, s->args->n_items - 1);
	} else if (bawn_sh_is(word[0], "printf")) {
		print_into(s, word, n);
	} else if (bawn_sh_is(word[0], "hash") && n == 4 && bawn_sh_is(word[1], "-p") && bawn_value_is_text(word[3])) {
		bawn_sh_set(s, "alias ", word[3]->text, word[2]);
	} else if (bawn_sh_is(word[0], "alias")) {
		for (uint32_t i = 1; i < n; i++) {
			const char *equals = bawn_value_is_text(word[i]) ? memchr(word[i]->text.p, '=', word[i]->text.n) : NULL;
			size_t m = equals != NULL ? (size_t)(equals - word[i]->text.p) : 0;
			if (equals == NULL)
				continue;
			struct bawn_span name = { word[i]->text.p, m }, value = { equals + 1, word[i]->text.n - m - 1 };
			set_alias(s, name, value, word[i]->taint, node_);
		}
	}
}

/* Does an alias stand for more than the first words of a command? */
static bool is_program(struct bawn_span t)
{
	for (size_t i = 0; i < t.n; i++)
		if (strchr(";|&$`<>(\n", t.p[i]) != NULL && t.p[i] != '\0')
			return true;
	return false;
}

/* One that ends in a blank has the next word looked up as well. */
static void push_next_alias(struct shell *s, struct bawn_span before, struct value **all, uint32_t *k, struct value *next)
{
	struct value *v = before.n > 0 && before.p[before.n - 1] == ' ' && bawn_value_is_text(next) ? bawn_sh_get(s, "alias ", next->text) : NULL;
	bawn_sh_push(s, bawn_value_is_text(v) ? v : next, bawn_value_is_text(v), false, all, k);
}

static bool expand_once(struct shell *s, struct value **word, uint32_t *n)
{
	struct value *v = *n > 0 && bawn_value_is_text(word[0]) ? bawn_sh_get(s, "alias ", word[0]->text) : NULL;
	bool path = v == NULL && *n > 0 && bawn_value_is_text(word[0]) && memchr(word[0]->text.p, '/', word[0]->text.n) != NULL;
	const char *key = path ? bawn_path_normal(bawn_sh_arena(s->e), word[0]->text) : NULL;
	if (key != NULL)  /* a program under another name */
		v = bawn_sh_get(s, "program ", bawn_span(key));
	if (!bawn_value_is_text(v))
		return false;
	struct value *all[SHELL_WORDS_MAX];
	uint32_t k = 0;
	if (is_program(v->text))
		bawn_engine_text(s->e, BAWN_LANG_BASH, v->text, s->at);
	bawn_sh_push(s, v, true, false, all, &k);
	for (uint32_t i = 1; i < *n && k < SHELL_WORDS_MAX; i++) {
		if (i == 1)
			push_next_alias(s, v->text, all, &k, word[i]);
		else
			all[k++] = word[i];
	}
	bool again = k > 0 && !bawn_value_is_text(word[0]) ? false : k > 0 && bawn_value_is_text(all[0]) && !bawn_span_equal(all[0]->text, word[0]->text);
	memcpy(word, all, k * sizeof *all);
	*n = k;
	return again;
}

/* An alias may begin with another one. */
void bawn_sh_expand_alias(struct shell *s, struct value **word, uint32_t *n)
{
	for (unsigned k = 0; k < ALIASES_MAX && expand_once(s, word, n); k++)
		;
}

/* ---- assignments ---- */

/* Variables that programs take for a command line. */
static bool holds_command(struct bawn_span name)
{
	static const char *const end[] = { "PAGER", "EDITOR", "VISUAL", "BROWSER", "LESSOPEN", "LESSCLOSE", "ASKPASS", "_COMMAND", "GIT_SSH", "RSH", "PROMPT_COMMAND" };
	for (size_t i = 0; i < BAWN_LEN(end); i++) {
		size_t n = strlen(end[i]);
		if (name.n >= n && memcmp(name.p + name.n - n, end[i], n) == 0)
			return true;
	}
	return false;
}

/* a[k]=v: in the order in which they are set, as in most programs; a key set again is found first. */
static void set_item(struct shell *s, struct bawn_span array, const struct value *at, struct value *v)
{
	struct value *old = bawn_sh_get(s, "", array), *all[SHELL_WORDS_MAX];
	uint32_t k = old != NULL && old->is_list ? old->n_items : 0;
	if (k >= SHELL_WORDS_MAX - 1 || (old != NULL && (old->taint & BAWN_TAG(CUT)) != 0)) {
		s->e->cut = true;
		bawn_sh_set(s, "", array, bawn_value_cut(s->e, NULL));
		return;
	}
	const char **key = bawn_arena_array(bawn_sh_arena(s->e), const char *, k + 1);
	if (key == NULL)
		return;
	if (bawn_span_is(array, "BASH_ALIASES") && bawn_value_is_text(at) && bawn_value_is_text(v))
		set_alias(s, at->text, v->text, v->taint, s->at);
	if (k > 0)
		memcpy(all, old->item, k * sizeof *all);
	for (uint32_t i = 0; i < k; i++)
		key[i] = old->key != NULL ? old->key[i] : bawn_arena_fmt(bawn_sh_arena(s->e), "%u", i);
	key[k] = bawn_value_is_text(at) ? bawn_arena_text(bawn_sh_arena(s->e), at->text) : NULL;
	s->e->spent += k;
	all[k++] = v != NULL ? v : bawn_value_new(s->e);
	struct value *list = bawn_sh_list(s->e, all, k);
	if (list != NULL)
		list->key = key;
	bawn_sh_set(s, "", array, list);
}

static void set_element(struct shell *s, uint32_t subscript, struct value *v)
{
	uint32_t array = node(s, subscript)->child, index = array != 0 ? node(s, array)->next : 0;
	while (index != 0 && node(s, index)->kind == BAWN_K_OPERATOR)
		index = node(s, index)->next;
	if (array != 0)
		set_item(s, text_of(s, array), index != 0 ? s->val[index] : NULL, v);
}

void bawn_sh_set_named(struct shell *s, struct bawn_span name, struct value *v)
{
	size_t n = name_length(name);
	struct value key = { .text = { name.p + n + 1, name.n > n + 1 ? name.n - n - 2 : 0 } };
	if (n > 0 && name.n > n + 2 && name.p[n] == '[' && name.p[name.n - 1] == ']')
		set_item(s, (struct bawn_span){ name.p, n }, &key, v);
	else
		bawn_sh_set(s, "", name, v);
}

static struct value *appended(struct shell *s, struct value *old, struct value *v)
{
	struct value *all[SHELL_WORDS_MAX];
	uint32_t k = 0;
	if (old == NULL || !old->is_list || v == NULL || !v->is_list)
		return bawn_sh_concat(s->e, old, v, "");
	bawn_sh_push(s, old, false, false, all, &k);
	bawn_sh_push(s, v, false, false, all, &k);
	return bawn_sh_list(s->e, all, k);
}

/* declare -n r=x, local -n r=x */
static bool is_nameref(const struct shell *s, uint32_t i)
{
	uint32_t up = node(s, i)->parent;
	bool declares = node(s, up)->kind == BAWN_K_DECLARATION;
	for (uint32_t c = declares ? node(s, up)->child : 0; c != 0 && c != i; c = node(s, c)->next)
		if (text_of(s, c).n > 1 && text_of(s, c).p[0] == '-' && memchr(text_of(s, c).p, 'n', text_of(s, c).n) != NULL)
			return true;
	return false;
}

/* Does it happen whatever happens, and stay? */
static bool is_certain(const struct shell *s, uint32_t i)
{
	uint32_t up = node(s, i)->parent;
	for (unsigned k = 0; up != 0 && k < 64; k++, up = node(s, up)->parent)
		switch (node(s, up)->kind) {
		case BAWN_K_IF: case BAWN_K_CASE: case BAWN_K_WHILE: case BAWN_K_FOR: case BAWN_K_FUNCTION: case BAWN_K_SUBSHELL: case BAWN_K_COMMAND:
		case BAWN_K_SUBSTITUTION: case BAWN_K_PROCESS_SUB: case BAWN_K_LIST_OF_COMMANDS: case BAWN_K_PIPELINE: return false;
		default: break;
		}
	return up == 0;
}

void bawn_sh_read_assign(struct shell *s, uint32_t i)
{
	uint32_t name = bawn_node_child(s->t, i, BAWN_R_NAME), value = bawn_node_child(s->t, i, BAWN_R_VALUE);
	if (name == 0)
		return;
	struct value *v = value != 0 ? s->val[value] : bawn_value_text(s->e, bawn_span(""));
	struct bawn_span n = text_of(s, name);
	bool append = bawn_sh_operator(s, i).n == 2;
	if (node(s, name)->kind == BAWN_K_SUBSCRIPT) {
		set_element(s, name, v);
		return;
	}
	if (append)
		v = appended(s, bawn_sh_get(s, "", n), v);
	if (is_nameref(s, i) && bawn_value_is_text(v)) {
		s->renames = true;
		bawn_sh_set(s, "nameref ", n, v);
		return;
	}
	v = bawn_value_cut(s->e, v != NULL ? v : bawn_value_new(s->e));
	if (is_certain(s, i))
		bawn_sh_set(s, "", n, v);
	else
		bawn_sh_perhaps(s, n, v);
	uint8_t up = node(s, node(s, i)->parent)->kind;
	bawn_sh_setting(s, n, v, up == BAWN_K_COMMAND || up == BAWN_K_DECLARATION, i);
}

/* Texts that Bash expands when it shows them, or to find a file that it reads as a program. */
static bool is_expanded(struct bawn_span name)
{
	struct value v = { .text = name };
	return bawn_sh_in(&v, "PS0 PS1 PS2 PS3 PS4 BASH_ENV ENV");
}

/* A function that is handed on: BASH_FUNC_f%%=() { ...; } */
static void handed_function(struct shell *s, struct bawn_span name, struct bawn_span text, uint32_t i)
{
	if (!bawn_span_starts(name, "BASH_FUNC_") && !bawn_span_starts(text, "() {"))
		return;
	const char *open = memchr(text.p, '{', text.n);
	if (open != NULL)
		bawn_engine_text(s->e, BAWN_LANG_BASH, (struct bawn_span){ open, text.n - (size_t)(open - text.p) }, i);
}

void bawn_sh_setting(struct shell *s, struct bawn_span n, struct value *v, bool handed, uint32_t i)
{
	struct fact f = { .kind = BAWN_MATCH_NAME, .name = bawn_arena_text(bawn_sh_arena(s->e), n), .node = i, .arg = &v, .n_args = 1 };
	(void)bawn_engine_fact(s->e, &f);
	for (uint32_t k = 0; v != NULL && v->is_list && bawn_span_is(n, "PROMPT_COMMAND") && k < v->n_items; k++)
		if (bawn_value_is_text(v->item[k]))
			bawn_engine_text(s->e, BAWN_LANG_BASH, v->item[k]->text, i);
	if (!bawn_value_is_text(v))
		return;
	if (holds_command(n) && (handed || bawn_span_is(n, "PROMPT_COMMAND"))) {
		bool pipe = v->text.n > 1 && v->text.p[0] == '|';
		bawn_engine_text(s->e, BAWN_LANG_BASH, (struct bawn_span){ v->text.p + pipe, v->text.n - pipe }, i);
	}
	if (is_expanded(n))
		bawn_sh_expands(s, v->text, i);
	if (handed)
		handed_function(s, n, v->text, i);
	const struct value *file = bawn_span_is(n, "BASH_ENV") || bawn_span_is(n, "ENV") ? bawn_sh_get(s, "file ", v->text) : NULL;
	if (bawn_value_is_text(file))
		bawn_engine_text(s->e, BAWN_LANG_BASH, file->text, i);
}

/* declare "$n=text": a word that turns out to be an assignment. */
void bawn_sh_read_declaration(struct shell *s, uint32_t i)
{
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next) {
		const struct value *v = node(s, c)->kind != BAWN_K_ASSIGN ? s->val[c] : NULL;
		size_t n = bawn_value_is_text(v) ? name_length(v->text) : 0;
		if (n == 0 || n >= v->text.n || v->text.p[n] != '=')
			continue;
		struct bawn_span name = { v->text.p, n };
		struct value *own = bawn_sh_text(s->e, (struct bawn_span){ v->text.p + n + 1, v->text.n - n - 1 }, v->taint);
		if (own == NULL)
			return;
		own->partial = v->partial;
		bawn_sh_set(s, "", name, own);
		bawn_sh_setting(s, name, own, true, i);
	}
}

void bawn_sh_hand_back(struct shell *s)
{
	for (uint32_t i = 0; s->outer != NULL && i < s->n_vars; i++) {
		const char *blank = strchr(s->var[i].name, ' ');
		struct bawn_span name = bawn_span(s->var[i].name);
		if (s->var[i].value == NULL || (blank != NULL && strncmp(name.p, "alias ", 6) != 0))
			continue;
		s->e->kept = true;
		if (blank == NULL)
			bawn_sh_perhaps(s->outer, name, s->var[i].value);
		else
			bawn_sh_set(s->outer, "alias ", bawn_span(blank + 1), s->var[i].value);
	}
}
