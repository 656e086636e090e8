/* shell_set.c - see shell.h.  What sets variables, aliases and the directory: builtins and assignments. */
#include "assess/shell.h"
#include "assess/text.h"
#include "base/cleanup.h"

static const struct bawn_node *node(const struct shell *s, uint32_t i) { return &s->t->node[i]; }
static struct bawn_span text_of(const struct shell *s, uint32_t i) { return bawn_node_text(s->t, i); }

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
	bool array = false;
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
		bawn_sh_set(s, "", word[i]->text, v);
	}
}

void bawn_sh_assign_lines(struct shell *s, struct value *const *word, uint32_t n, const struct value *in)
{
	struct value *line[SHELL_WORDS_MAX];
	uint32_t k = 0;
	const struct value *name = n > 1 ? word[n - 1] : NULL;
	if (!bawn_value_is_text(name) || bawn_sh_option(name) || !bawn_value_is_text(in))
		return;
	for (size_t start = 0; start < in->text.n && k < SHELL_WORDS_MAX; ) {
		size_t end = start;
		while (end < in->text.n && in->text.p[end] != '\n')
			end++;
		line[k++] = bawn_sh_text(s->e, (struct bawn_span){ in->text.p + start, end - start }, in->taint);
		start = end + 1;
	}
	bawn_sh_set(s, "", name->text, bawn_sh_list(s->e, line, k));
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

void bawn_sh_builtin(struct shell *s, struct value *const *word, uint32_t n, uint32_t node_)
{
	if (bawn_sh_is(word[0], "cd") || bawn_sh_is(word[0], "pushd") || bawn_sh_is(word[0], "popd")) {
		change_directory(s, word, n);
		return;
	}
	if (bawn_sh_is(word[0], "read")) {
		bawn_sh_assign(s, word, n, 1, NULL);
	} else if (bawn_sh_is(word[0], "set") && n > 2 && bawn_sh_is(word[1], "--")) {
		s->args = bawn_sh_list(s->e, (struct value **)(uintptr_t)word + 2, n - 2);
	} else if (bawn_sh_is(word[0], "shift") && s->args != NULL && s->args->n_items > 0) {
		s->args = bawn_sh_list(s->e, s->args->item + 1, s->args->n_items - 1);
	} else if (bawn_sh_is(word[0], "printf") && n > 3 && bawn_sh_is(word[1], "-v") && bawn_value_is_text(word[2])) {
		bawn_sh_set(s, "", word[2]->text, bawn_sh_printed(s, word, n, NULL));
	} else if (bawn_sh_is(word[0], "hash") && n == 4 && bawn_sh_is(word[1], "-p") && bawn_value_is_text(word[3])) {
		bawn_sh_set(s, "alias ", word[3]->text, word[2]);
	} else if (bawn_sh_is(word[0], "alias")) {
		for (uint32_t i = 1; i < n; i++) {
			const char *equals = bawn_value_is_text(word[i]) ? memchr(word[i]->text.p, '=', word[i]->text.n) : NULL;
			size_t m = equals != NULL ? (size_t)(equals - word[i]->text.p) : 0;
			if (equals == NULL)
				continue;
			struct bawn_span name = { word[i]->text.p, m }, value = { equals + 1, word[i]->text.n - m - 1 };
			bawn_sh_set(s, "alias ", name, bawn_sh_text(s->e, value, word[i]->taint));
			replaces_command(s, name, value, node_);
		}
	}
}

void bawn_sh_expand_alias(struct shell *s, struct value **word, uint32_t *n)
{
	struct value *v = *n > 0 && bawn_value_is_text(word[0]) ? bawn_sh_get(s, "alias ", word[0]->text) : NULL;
	bool path = v == NULL && *n > 0 && bawn_value_is_text(word[0]) && memchr(word[0]->text.p, '/', word[0]->text.n) != NULL;
	const char *key = path ? bawn_path_normal(bawn_sh_arena(s->e), word[0]->text) : NULL;
	if (key != NULL)  /* a program under another name */
		v = bawn_sh_get(s, "program ", bawn_span(key));
	if (!bawn_value_is_text(v))
		return;
	struct value *all[SHELL_WORDS_MAX];
	uint32_t k = 0;
	bawn_sh_push(s, v, true, false, all, &k);
	for (uint32_t i = 1; i < *n && k < SHELL_WORDS_MAX; i++)
		all[k++] = word[i];
	memcpy(word, all, k * sizeof *all);
	*n = k;
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
static void set_element(struct shell *s, uint32_t subscript, struct value *v)
{
	uint32_t array = node(s, subscript)->child, index = array != 0 ? node(s, array)->next : 0;
	struct value *old = array != 0 ? bawn_sh_get(s, "", text_of(s, array)) : NULL, *all[SHELL_WORDS_MAX];
	uint32_t k = old != NULL && old->is_list && old->n_items < SHELL_WORDS_MAX - 1 ? old->n_items : 0;
	const char **key = bawn_arena_array(bawn_sh_arena(s->e), const char *, k + 1);
	if (array == 0 || key == NULL)
		return;
	while (index != 0 && node(s, index)->kind == BAWN_K_OPERATOR)
		index = node(s, index)->next;
	if (k > 0)
		memcpy(all, old->item, k * sizeof *all);
	for (uint32_t i = 0; i < k; i++)
		key[i] = old->key != NULL ? old->key[i] : bawn_arena_fmt(bawn_sh_arena(s->e), "%u", i);
	const struct value *at = index != 0 ? s->val[index] : NULL;
	key[k] = bawn_value_is_text(at) ? bawn_arena_text(bawn_sh_arena(s->e), at->text) : NULL;
	s->e->spent += k;
	all[k++] = v != NULL ? v : bawn_value_new(s->e);
	struct value *list = bawn_sh_list(s->e, all, k);
	if (list != NULL)
		list->key = key;
	bawn_sh_set(s, "", text_of(s, array), list);
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
		if (bawn_span_is(text_of(s, c), "-n"))
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
	v = v != NULL ? v : bawn_value_new(s->e);
	if (is_certain(s, i))
		bawn_sh_set(s, "", n, v);
	else
		bawn_sh_perhaps(s, n, v);
	struct fact f = { .kind = BAWN_MATCH_NAME, .name = bawn_arena_text(bawn_sh_arena(s->e), n), .node = i, .arg = &v, .n_args = 1 };
	(void)bawn_engine_fact(s->e, &f);
	uint8_t up = node(s, node(s, i)->parent)->kind;
	if (holds_command(n) && bawn_value_is_text(v) && (up == BAWN_K_COMMAND || up == BAWN_K_DECLARATION || bawn_span_is(n, "PROMPT_COMMAND"))) {
		bool pipe = v->text.n > 1 && v->text.p[0] == '|';
		bawn_engine_text(s->e, BAWN_LANG_BASH, (struct bawn_span){ v->text.p + pipe, v->text.n - pipe }, i);
	}
}
