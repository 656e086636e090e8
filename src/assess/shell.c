/* shell.c - reads Bash: the walk over the tree.
 *
 * Children come first and nothing recurses over the depth of the text.  What the shell would do again is
 * read again, within bounds: the body of a function for each call with its arguments, the body of a loop
 * for each word.  Past the bounds bodies have still been read once, with their parameters not known. */
#include "assess/shell.h"
#include <stdlib.h>
#include "assess/commands.h"
#include "assess/text.h"
#include "base/buf.h"
#include "base/cleanup.h"

#define REPLAY_NODES_MAX 400000u
#define TRIED_DEPTH      2u
#define WRAPPED_MAX      8u
#define NODE_LOOKED_AT   4u

static const struct bawn_node *node(const struct shell *s, uint32_t i) { return &s->t->node[i]; }
static struct bawn_span text_of(const struct shell *s, uint32_t i) { return bawn_node_text(s->t, i); }

static void walk(struct shell *s, uint32_t root);

/* Found by climbing, which is long in deep text: the last few are remembered, bodies are read again. */
static uint32_t subtree_end(struct shell *s, uint32_t i)
{
	uint32_t at = i, steps = 0, slot = i % BAWN_LEN(s->subtree);
	if (s->subtree[slot].node == i && s->subtree[slot].end != 0)
		return s->subtree[slot].end;
	for (; at != 0 && node(s, at)->next == 0; steps++)
		at = node(s, at)->parent;
	s->e->spent += steps * NODE_LOOKED_AT;
	s->subtree[slot].node = i;
	s->subtree[slot].end = at != 0 ? node(s, at)->next : (uint32_t)s->t->n;
	return s->subtree[slot].end;
}

/* How often is the body being read already, one inside the other? */
static unsigned times_within(const struct shell *s, uint32_t root)
{
	unsigned n = 0;
	for (uint32_t i = 0; i < s->depth; i++)
		n += s->within[i] == root;
	return n;
}

/* Reads a body again with other arguments.  NULL: not read, since it calls itself or there is too much;
 * the latter is told at the end. */
struct value *bawn_sh_replay(struct shell *s, uint32_t root, struct value *args)
{
	uint32_t size = subtree_end(s, root) - root;
	bool deep = s->depth == BAWN_LEN(s->within), much = s->replayed + size > REPLAY_NODES_MAX;
	unsigned around = times_within(s, root);
	if (around > 1 || (around == 1 && s->replayed > REPLAY_NODES_MAX / 2))
		return NULL;
	s->cut_short = s->cut_short || deep || much;
	if (deep || much)
		return NULL;
	struct value *before = s->args;
	s->within[s->depth++] = root;
	s->replayed += size;
	s->args = args;
	walk(s, root);
	s->args = before;
	s->depth--;
	return s->val[root];
}

/* ---- words ---- */

/* A bare word loses its backslashes. */
static struct value *bare_word(struct shell *s, struct bawn_span t)
{
	if (memchr(t.p, '\\', t.n) == NULL)
		return bawn_value_text(s->e, t);
	char *p = bawn_arena_get(bawn_sh_arena(s->e), t.n + 1);
	size_t n = 0;
	for (size_t i = 0; p != NULL && i < t.n; i++) {
		if (t.p[i] == '\\' && i + 1 < t.n)
			i++;
		if (t.p[i] != '\n')
			p[n++] = t.p[i];
	}
	return p != NULL ? bawn_value_text(s->e, (struct bawn_span){ p, n }) : NULL;
}

/* Between double quotes a backslash counts before few characters. */
static void add_quoted(struct bawn_buf *b, struct bawn_span t)
{
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] == '\\' && i + 1 < t.n && strchr("$`\"\\\n", t.p[i + 1]) != NULL) {
			if (t.p[++i] != '\n')
				bawn_buf_char(b, t.p[i]);
		} else {
			bawn_buf_char(b, t.p[i]);
		}
	}
}

static bool word_byte(const struct shell *s, uint32_t at) { return at < s->t->text.n && (unsigned char)(s->t->text.p[at] | 0x20) >= 'a'; }

/* $@ between two letters, where there are no arguments, is a way to spell a word. */
static bool nothing_here(const struct shell *s, uint32_t c, bool concat)
{
	struct bawn_span t = text_of(s, c);
	struct value v = { .text = t };
	bool all = bawn_sh_in(&v, "$@ $* ${@} ${*} $!");
	bool number = t.n == 2 && t.p[1] >= '1' && t.p[1] <= '9' && s->args == NULL;
	bool inside = word_byte(s, node(s, c)->end) || (node(s, c)->start > 0 && word_byte(s, node(s, c)->start - 1));
	return s->args == NULL && (all ? concat || inside : number && concat && inside);
}

/* The text from `from` to `to` with the children of node i in place.  `keep`: what is not known stays as
 * it is written, for text that a shell will read. */
static struct value *interpolate(struct shell *s, uint32_t i, uint32_t from, uint32_t to, bool quoted, bool keep)
{
	bawn_auto_buf b = BAWN_BUF(SHELL_TEXT_MAX);
	uint64_t taint = 0;
	bool partial = false, concat = node(s, i)->kind == BAWN_K_CONCAT;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next) {
		const struct bawn_node *k = node(s, c);
		if (k->start < from || k->end > to || k->kind == BAWN_K_OPERATOR)
			continue;
		uint32_t start = k->start;
		while (start < k->end && k->kind == BAWN_K_EXPANSION && s->t->text.p[start] != '$')
			start++;  /* the grammar lets an expansion begin at the blanks before it */
		struct bawn_span gap = { s->t->text.p + from, start - from };
		if (quoted)
			add_quoted(&b, gap);
		else
			bawn_buf_add(&b, gap.p, gap.n);
		from = k->end;
		struct value *v = s->val[c];
		if (k->kind == BAWN_K_EXPANSION && !bawn_value_is_text(v) && nothing_here(s, c, concat))
			v = bawn_value_text(s->e, bawn_span(""));
		if (v != NULL && v->is_list)
			v = bawn_sh_join(s->e, v->item, v->n_items);
		if (k->kind == BAWN_K_PART && quoted)
			add_quoted(&b, text_of(s, c));
		else if (bawn_value_is_text(v))
			bawn_buf_add(&b, v->text.p, v->text.n);
		else
			bawn_buf_add(&b, keep ? text_of(s, c).p : "{}", keep ? text_of(s, c).n : 2);
		partial = partial || (k->kind != BAWN_K_PART && (!bawn_value_is_text(v) || v->partial));
		taint |= v != NULL ? v->taint : 0;
		taint |= k->kind == BAWN_K_EXPANSION ? BAWN_TAG(BUILT) : 0;
	}
	if (from < to && quoted)
		add_quoted(&b, (struct bawn_span){ s->t->text.p + from, to - from });
	else if (from < to)
		bawn_buf_add(&b, s->t->text.p + from, to - from);
	s->e->spent += b.n;
	struct value *v = bawn_engine_whole(s->e, &b) ? bawn_sh_text(s->e, (struct bawn_span){ bawn_arena_text(bawn_sh_arena(s->e), bawn_buf_span(&b)), b.n }, taint)
	                                              : bawn_value_new(s->e);
	if (v == NULL)
		return NULL;
	v->taint = taint;
	v->partial = bawn_value_is_text(v) && partial && !keep;
	return v;
}

static struct value *read_string(struct shell *s, uint32_t i)
{
	const struct bawn_node *k = node(s, i);
	uint32_t from = k->start + (s->t->text.p[k->start] == '$') + 1, to = k->end > from && s->t->text.p[k->end - 1] == '"' ? k->end - 1 : k->end;
	uint32_t only = k->child;
	/* "${a[@]}" alone is several words. */
	if (only != 0 && node(s, only)->next == 0 && node(s, only)->start == from && node(s, only)->end == to && s->val[only] != NULL && s->val[only]->is_list)
		return s->val[only];
	return interpolate(s, i, from, to, true, false);
}

/* Is the word split by the shell, and are its braces expanded? */
static uint8_t word_kind(const struct shell *s, uint32_t i)
{
	uint8_t k = node(s, i)->kind;
	return k == BAWN_K_COMMAND_NAME && node(s, i)->child != 0 ? node(s, node(s, i)->child)->kind : k;
}

static bool has_bare_expansion(const struct shell *s, uint32_t concat)
{
	for (uint32_t c = node(s, concat)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind == BAWN_K_EXPANSION || node(s, c)->kind == BAWN_K_SUBSTITUTION)
			return true;
	return false;
}

static void push_node(struct shell *s, uint32_t c, struct value **word, uint32_t *n)
{
	s->cut_short = s->cut_short || *n == SHELL_WORDS_MAX;
	uint8_t k = word_kind(s, c);
	struct value *v = s->val[c] != NULL ? s->val[c] : bawn_value_new(s->e);
	bool split = k == BAWN_K_EXPANSION || k == BAWN_K_CONCAT || k == BAWN_K_SUBSTITUTION;
	if (k == BAWN_K_CONCAT)  /* only what is not quoted is split */
		split = has_bare_expansion(s, node(s, c)->kind == BAWN_K_COMMAND_NAME ? node(s, c)->child : c);
	bool braces = k == BAWN_K_WORD || k == BAWN_K_CONCAT || k == BAWN_K_BRACE;
	bool joined = braces && bawn_value_is_text(v) && memchr(v->text.p, '{', v->text.n) != NULL;
	bawn_sh_push(s, v, split && !joined, braces, word, n);
}

static bool is_word_of_command(uint8_t k)
{
	return k != BAWN_K_ASSIGN && k != BAWN_K_REDIRECT && k != BAWN_K_HERESTRING && k != BAWN_K_HEREDOC && k != BAWN_K_OPERATOR && k != BAWN_K_COMMENT;
}

/* ---- commands ---- */

static uint32_t enclosing(const struct shell *s, uint32_t i, uint8_t kind)
{
	for (unsigned k = 0; i != 0 && k < 64; k++, i = node(s, i)->parent)
		if (node(s, i)->kind == kind)
			return i;
	return 0;
}

static bool in_background(const struct shell *s, uint32_t i)
{
	for (unsigned k = 0; i != 0 && k < 4; k++, i = node(s, i)->parent) {
		uint32_t next = node(s, i)->next;
		if (next != 0 && node(s, next)->kind == BAWN_K_BACKGROUND)
			return true;
		uint8_t up = node(s, node(s, i)->parent)->kind;
		if (up != BAWN_K_PIPELINE && up != BAWN_K_REDIRECTED)
			break;
	}
	return false;
}

/* Does the function start anything in the background?  Looked for once. */
static bool has_background(struct shell *s, uint32_t f, struct bawn_span name)
{
	struct value *v = bawn_sh_get(s, "function ", name);
	if (v == NULL || v->has_number)
		return v != NULL && v->number != 0;
	v->has_number = true;
	for (uint32_t c = node(s, f)->child + 1, end = subtree_end(s, f); c < end; c++)
		if (node(s, c)->kind == BAWN_K_BACKGROUND)
			v->number = 1;
	return v->number != 0;
}

/* A function that starts itself twice, or a script that does. */
static void fork_bomb(struct shell *s, uint32_t i, const struct value *name)
{
	uint32_t f = enclosing(s, i, BAWN_K_FUNCTION), own = f != 0 ? bawn_node_child(s->t, f, BAWN_R_NAME) : 0;
	bool piped = node(s, node(s, i)->parent)->kind == BAWN_K_PIPELINE;
	if (own != 0 && bawn_value_is_text(name) && bawn_span_equal(text_of(s, own), name->text)) {
		if (piped || has_background(s, f, name->text))
			(void)bawn_engine_event(s->e, "fork-bomb", i, NULL);
		return;
	}
	uint32_t last = node(s, i)->child;
	while (last != 0 && node(s, last)->next != 0)
		last = node(s, last)->next;
	struct bawn_span t = last != 0 ? text_of(s, last) : bawn_span("");
	struct value self = { .text = t };
	if (!bawn_sh_in(&self, "$0 \"$0\" ${0} \"${0}\""))
		return;
	if (!bawn_sh_is(name, "sh") && !bawn_sh_is(name, "bash") && last != node(s, i)->child)
		return;
	if (!piped && !in_background(s, i))
		return;
	if (++s->self_starts > 1 || piped || enclosing(s, i, BAWN_K_WHILE) != 0 || enclosing(s, i, BAWN_K_FOR) != 0)
		(void)bawn_engine_event(s->e, "fork-bomb", i, NULL);
}

/* Does something other than the terminal stand at the command's standard input? */
bool bawn_sh_has_input(const struct shell *s, uint32_t i)
{
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind == BAWN_K_HERESTRING)
			return true;
	for (uint32_t up = node(s, i)->parent; up != 0; i = up, up = node(s, up)->parent) {
		if (node(s, up)->kind == BAWN_K_PIPELINE)
			return node(s, up)->child != i || node(s, node(s, up)->parent)->kind == BAWN_K_HEREDOC;
		if (node(s, up)->kind != BAWN_K_REDIRECTED)
			return false;
		for (uint32_t c = node(s, up)->child; c != 0; c = node(s, c)->next) {
			uint8_t k = node(s, c)->kind;
			struct bawn_span t = text_of(s, c);
			bool file = k == BAWN_K_REDIRECT && t.n > 1 && t.p[0] == '<' && t.p[1] != '&' && t.p[1] != '>' && memmem(t.p, t.n, "/dev/", 5) == NULL;
			if (k == BAWN_K_HEREDOC || k == BAWN_K_HERESTRING || file)
				return true;
		}
	}
	return false;
}

/* A script expands no aliases unless it asks for it, and only after the line that makes them: what is
 * written counts as well. */
static void as_written(struct shell *s, struct value **word, uint32_t n, uint32_t i)
{
	if (bawn_value_is_text(word[0]) && bawn_value_is_text(bawn_sh_get(s, "alias ", word[0]->text)))
		(void)bawn_sh_command(s, s->e, word, n, i);
}

static struct value *call_function(struct shell *s, struct value **word, uint32_t n)
{
	struct value *f = bawn_value_is_text(word[0]) ? bawn_sh_get(s, "function ", word[0]->text) : NULL;
	uint32_t body = f != NULL ? bawn_node_child(s->t, f->function, BAWN_R_BODY) : 0;
	return body != 0 ? bawn_sh_replay(s, body, bawn_sh_list(s->e, word + 1, n - 1)) : NULL;
}

/* eval 'f x', trap 'f x' EXIT: the function is one of the text around. */
static struct value *call_outer(struct shell *s, struct value **word, uint32_t n)
{
	struct shell *owner = s->outer;
	while (owner != NULL && bawn_value_is_text(word[0]) && bawn_sh_get(owner, "function ", word[0]->text) == NULL)
		owner = owner->outer;
	if (owner == NULL || !bawn_value_is_text(word[0]))
		return NULL;
	const struct bawn_tree *inner = s->e->tree;
	s->e->tree = owner->t;
	s->e->shell = owner;
	struct value *out = call_function(owner, word, n);
	s->e->tree = inner;
	s->e->shell = s;
	return out;
}

/* The shell finds these before functions, if it was told to be like the standard. */
static const char special[] = ". : break continue eval exec exit export readonly return set shift source times trap unset";

/* Is it a function of the program, whatever else has that name?  Only where the definition is certain:
 * it stands above, under no condition, and nothing takes it back. */
static bool own_function(const struct shell *s, const struct value *name, uint32_t command)
{
	const struct value *f = bawn_value_is_text(name) ? bawn_sh_get(s, "function ", name->text) : NULL;
	if (f == NULL || s->undefines || s->cut_short || bawn_sh_in(name, special))
		return false;
	return f->function < command && node(s, f->function)->parent == 0 && !s->unsets;
}

/* Commands that take functions back, or may: what they are given is not known. */
static bool may_undefine(const struct value *name) { return !bawn_value_is_text(name) || name->partial || bawn_sh_in(name, "unset eval source ."); }

static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

/* c'a't, w\\ho, cat${IFS}x, who$@ami; and names put together from variables. */
static void disguise(struct shell *s, uint32_t i, const struct value *name)
{
	uint32_t c = bawn_node_child(s->t, i, BAWN_R_NAME);
	struct bawn_span t = c != 0 ? text_of(s, c) : bawn_span("");
	bool split = false, pieces = false;
	if (!bawn_value_is_text(name) || name->partial || name->text.n < 2 || t.p == NULL || t.n == 0 || bawn_span_equal(t, name->text))
		return;
	for (size_t k = 1, end; k + 1 < t.n; k = end) {  /* a run of quotes is one place */
		char q = t.p[k];
		bool quote = q == '\'' || q == '"' || q == '\\' || (q == '$' && (t.p[k + 1] == '@' || t.p[k + 1] == '*'));
		for (end = k + 1; quote && end < t.n && strchr("'\"\\@*", t.p[end]) != NULL && t.p[end] != '\0'; end++)
			;
		split = split || (quote && is_lower(t.p[k - 1]) && end < t.n && is_lower(t.p[end]));
		pieces = pieces || q == '$';
		s->e->spent += end - k;
	}
	pieces = pieces && word_kind(s, c) == BAWN_K_CONCAT && memchr(name->text.p, '/', name->text.n) == NULL;
	bool cut = (memchr(t.p, ':', t.n) != NULL && memmem(t.p, t.n, ":-", 2) == NULL) || memmem(t.p, t.n, "//", 2) != NULL;
	bool sliced = (name->taint & BAWN_TAG(BUILT)) != 0 && memmem(t.p, t.n, "${", 2) != NULL && cut;
	if (split || memmem(t.p, t.n, "IFS", 3) != NULL)
		(void)bawn_engine_event(s->e, "split-command", i, NULL);
	else if (pieces || sliced)
		(void)bawn_engine_event(s->e, "spelled-command", i, NULL);
}

/* Does it run, delete or write what it is given, or hand it on?  Then each value its words may have counts. */
static bool takes_all(struct shell *s, const struct value *argv)
{
	static const char other[] = "eval trap find xargs dd sed crontab at tee";
	for (uint32_t at = 0, level = 0; argv != NULL && at < argv->n_items && level < WRAPPED_MAX; level++) {
		const struct value *w = argv->item[at];
		const char *name = bawn_sh_name(s->e, w);
		const struct command *c = name != NULL ? bawn_command_find(name) : NULL;
		if (bawn_value_is_text(w) && (bawn_sh_in(w, other) || bawn_sh_get(s, "function ", w->text) != NULL))
			return true;
		if (c != NULL && ((c->kind & (SHELL | SCRIPT | FOREIGN | EDITS | LAST)) != 0 || c->access == BAWN_ACCESS_DELETE || c->access == BAWN_ACCESS_WRITE))
			return true;
		uint32_t inner = name != NULL ? bawn_sh_inner(name, argv->item + at, argv->n_items - at) : 0;
		if (inner == 0)
			return false;
		at += inner;
	}
	return false;
}

/* What all variables are. */
static struct value **values_now(struct shell *s)
{
	struct value **now = bawn_arena_array(bawn_sh_arena(s->e), struct value *, s->n_vars + 1);
	for (uint32_t i = 0; now != NULL && i < s->n_vars; i++)
		now[i] = s->var[i].value;
	return now;
}

/* Reads it again with a variable being something else. */
static void try_value(struct shell *s, uint32_t i, uint32_t at, struct value *v)
{
	struct value *now = s->var[at].value;
	s->var[at].value = v;
	(void)bawn_sh_replay(s, i, s->args);
	s->var[at].value = now;
}

/* Of what it may be, some was left out. */
static void try_rest(struct shell *s, uint32_t i, uint32_t at)
{
	if (!s->var[at].more)
		return;
	s->e->cut = true;
	try_value(s, i, at, bawn_value_cut(s->e, NULL));
}

/* And with all of them at once: what was set in one branch goes together. */
static void try_branch(struct shell *s, uint32_t i, uint32_t older)
{
	uint32_t n = s->n_vars;
	struct value **now = values_now(s);
	for (uint32_t k = 0; now != NULL && k < n; k++)
		if (older < s->var[k].n_older)
			s->var[k].value = s->var[k].older[older];
	if (now != NULL)
		(void)bawn_sh_replay(s, i, s->args);
	for (uint32_t k = 0; now != NULL && k < n; k++)
		s->var[k].value = now[k];
}

/* Once more for everything else that its variables may be.  What one branch set and another replaced
 * seldom meets what both are for, so that it counts only where it names the command, or (`all`) where the
 * command runs, deletes or writes it. */
static void try_others(struct shell *s, uint32_t i, bool all)
{
	struct value *out = s->val[i], *argv = s->argv[i];
	if (!s->perhaps || s->trying || (s->depth > TRIED_DEPTH && !all))
		return;
	uint32_t name = bawn_node_child(s->t, i, BAWN_R_NAME), words = name != 0 ? subtree_end(s, name) : i, end = subtree_end(s, i), most = 0, several = 0;
	s->trying = true;
	s->e->spent += (end - i) * NODE_LOOKED_AT;
	for (uint32_t c = i + 1; c < end; c++) {
		struct variable *x = node(s, c)->kind == BAWN_K_EXPANSION ? bawn_sh_variable(s, text_of(s, c)) : NULL;
		uint32_t at = x != NULL ? (uint32_t)(x - s->var) : 0;  /* the table may move */
		if (x == NULL || x->n_older == 0)
			continue;
		several++;
		most = x->n_older > most ? x->n_older : most;
		for (uint32_t k = 0; k < s->var[at].n_older; k++)
			if (s->var[at].was_certain[k] || all || c < words)
				try_value(s, i, at, s->var[at].older[k]);
		if (all || c < words)
			try_rest(s, i, at);
	}
	for (uint32_t k = 0; all && several > 1 && k < most; k++)
		try_branch(s, i, k);
	s->trying = false;
	s->val[i] = out, s->argv[i] = argv;
}

#define TRIED_VALUES 64u

/* y=$x: what x may be, y may be. */
static void try_values(struct shell *s, uint32_t i)
{
	struct value *may[TRIED_VALUES];
	uint32_t name = bawn_node_child(s->t, i, BAWN_R_NAME), value = bawn_node_child(s->t, i, BAWN_R_VALUE), n = 0;
	if (!s->perhaps || s->trying || name == 0 || value == 0 || node(s, name)->kind == BAWN_K_SUBSCRIPT)
		return;
	struct value *now = s->val[value];
	bool more = false;
	s->trying = true;
	for (uint32_t c = value, end = subtree_end(s, value); c < end; c++) {
		struct variable *x = node(s, c)->kind == BAWN_K_EXPANSION ? bawn_sh_variable(s, text_of(s, c)) : NULL;
		uint32_t at = x != NULL ? (uint32_t)(x - s->var) : 0;
		if (x != NULL && bawn_span_equal(text_of(s, name), bawn_span(x->name)))
			continue;  /* it is what is set */
		for (uint32_t k = 0; x != NULL && k < s->var[at].n_older && n < TRIED_VALUES; k++) {
			try_value(s, value, at, s->var[at].older[k]);
			may[n++] = s->val[value];
		}
		more = more || (x != NULL && s->var[at].more) || n == TRIED_VALUES;
	}
	s->trying = false;
	s->val[value] = now;
	for (uint32_t k = 0; k < n; k++)
		bawn_sh_also(s, text_of(s, name), may[k]);
	struct variable *y = more ? bawn_sh_variable(s, text_of(s, name)) : NULL;
	if (y != NULL)
		y->more = true;
}

static struct value *read_command(struct shell *s, uint32_t i)
{
	struct value *word[SHELL_WORDS_MAX];
	uint32_t n = 0;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (is_word_of_command(node(s, c)->kind))
			push_node(s, c, word, &n);
	if (n == 0)
		return NULL;
	word[n - 1] = n == SHELL_WORDS_MAX ? bawn_value_cut(s->e, word[n - 1]) : word[n - 1];
	fork_bomb(s, i, word[0]);
	disguise(s, i, word[0]);
	s->undefines = s->undefines || may_undefine(word[0]);
	as_written(s, word, n, i);
	bawn_sh_expand_alias(s, word, &n);
	s->argv[i] = bawn_sh_list(s->e, word, n);
	bawn_sh_builtin(s, word, n, i);
	s->last = word[n - 1];
	s->fed = bawn_sh_has_input(s, i);
	uint64_t tags = own_function(s, word[0], i) ? 0 : bawn_sh_command(s, s->e, word, n, i);
	struct value *out = call_function(s, word, n);
	if (out == NULL && s->outer != NULL)
		out = call_outer(s, word, n);
	if (out == NULL)
		out = bawn_sh_printed(s, word, n, NULL);
	struct value *v = bawn_value_new(s->e);
	if (v == NULL)
		return NULL;
	if (out != NULL)
		*v = *out;
	for (uint32_t k = 0; k < n; k++)
		v->taint |= word[k]->taint;
	v->taint |= tags & (BAWN_TAG(NET_RECV) | BAWN_TAG(SECRET) | BAWN_TAG(DECODE) | BAWN_TAG(READ) | BAWN_TAG(ENVIRON) |
	                     BAWN_TAG(HOST_INFO) | BAWN_TAG(KEYS));
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind == BAWN_K_HERESTRING) {
			struct value *given = bawn_sh_give(s, i, s->val[c]);
			v = given != NULL ? given : v;
		}
	return v;
}

/* ---- the walk ---- */

static struct value *last_output(struct shell *s, uint32_t i)
{
	struct value *v = NULL;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (s->val[c] != NULL && node(s, c)->kind != BAWN_K_OPERATOR)
			v = s->val[c];
	return v;
}

static struct value *read_substitution(struct shell *s, uint32_t i)
{
	struct value *v = last_output(s, i), *out = bawn_value_new(s->e);
	uint32_t only = node(s, i)->child;
	if (only != 0 && node(s, only)->kind == BAWN_K_REDIRECT && node(s, only)->next == 0)  /* $(<file) */
		v = bawn_sh_input_of(s, only);
	if (v == NULL || out == NULL)
		return out;
	*out = *v;
	while (bawn_value_is_text(out) && out->text.n > 0 && out->text.p[out->text.n - 1] == '\n')
		out->text.n--;
	out->taint |= node(s, i)->kind == BAWN_K_SUBSTITUTION || node(s, i)->kind == BAWN_K_PROCESS_SUB ? BAWN_TAG(BUILT) : 0;
	if (node(s, i)->kind != BAWN_K_PROCESS_SUB)
		return out;
	struct value *path = bawn_sh_text(s->e, bawn_span("/dev/fd/63"), out->taint);
	if (path != NULL)
		path->self = out;
	return path;
}

/* The words a for loop goes through. */
static uint32_t loop_words(struct shell *s, uint32_t i, struct value **word)
{
	uint32_t n = 0;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->role == BAWN_R_VALUE)
			push_node(s, c, word, &n);
	return n;
}

static struct bawn_span loop_variable(const struct shell *s, uint32_t i)
{
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind == BAWN_K_NAME)
			return text_of(s, c);
	return bawn_span("");
}

/* The three parts of for ((a; b; c)), which stand before the body. */
static bool counted(struct shell *s, uint32_t i, struct bawn_span part[3])
{
	uint32_t body = bawn_node_child(s->t, i, BAWN_R_BODY);
	struct bawn_span t = text_of(s, i);
	if (body != 0)
		t.n = node(s, body)->start - node(s, i)->start;
	const char *open = memmem(t.p, t.n < 16 ? t.n : 16, "((", 2);
	if (open == NULL)
		return false;
	s->e->spent += t.n;
	const char *close = memmem(open + 2, t.n - (size_t)(open + 2 - t.p), "))", 2);
	size_t n = 0;
	if (close == NULL)
		return false;
	for (const char *at = open + 2; n < 3 && at <= close; n++) {
		const char *end = memchr(at, ';', (size_t)(close - at));
		end = end != NULL && n < 2 ? end : close;
		part[n] = (struct bawn_span){ at, (size_t)(end - at) };
		at = end + 1;
	}
	return n == 3 && part[0].n + part[1].n + part[2].n > 0;
}

/* A loop was left before its end: what the last round still changed would have gone on changing. */
static void left_early(struct shell *s, struct value *const *before, uint32_t n, struct bawn_span name)
{
	for (uint32_t i = 0; before != NULL && i < n; i++) {
		struct value *v = s->var[i].value;
		bool same = v == before[i] || (bawn_value_is_text(v) && bawn_value_is_text(before[i]) && bawn_span_equal(v->text, before[i]->text));
		if (same || bawn_span_is(name, s->var[i].name))
			continue;
		s->e->cut = true;
		s->var[i].value = bawn_value_cut(s->e, v);
	}
}

/* The body again for each number. */
static struct value *read_counted(struct shell *s, uint32_t body, struct bawn_span part[3], struct value *out)
{
	int64_t holds = 0, any;
	struct value **before = NULL;
	uint32_t n_before = 0;
	unsigned k = 1;
	for (; k < SHELL_LOOP_WORDS; k++) {
		if (!bawn_sh_number(s, part[2], &any) || !bawn_sh_number(s, part[1], &holds) || holds == 0)
			break;
		if (k + 1 == SHELL_LOOP_WORDS)
			before = values_now(s), n_before = s->n_vars;
		struct value *next = bawn_sh_replay(s, body, s->args);
		if (next == NULL && s->cut_short)
			break;
		if (bawn_value_is_text(out) && bawn_value_is_text(next) && next != out)
			out = bawn_sh_concat(s->e, out, next, "");
	}
	if (k < SHELL_LOOP_WORDS)
		return out;
	left_early(s, before, n_before, bawn_span(""));
	s->e->cut = true;
	return bawn_value_cut(s->e, out);
}

static struct value *read_for(struct shell *s, uint32_t i)
{
	struct value *word[SHELL_WORDS_MAX], **before = NULL;
	s->range_cut = false;
	uint32_t n = loop_words(s, i, word), body = bawn_node_child(s->t, i, BAWN_R_BODY), n_before = 0;
	bool early = s->range_cut;
	struct bawn_span name = loop_variable(s, i);
	struct value *out = body != 0 ? s->val[body] : NULL;
	struct bawn_span part[3];
	if (n == 0 && body != 0 && counted(s, i, part))
		return read_counted(s, body, part, out);
	if (n == SHELL_WORDS_MAX)
		word[n - 1] = bawn_value_cut(s->e, word[n - 1]);
	for (uint32_t k = 1; k < n && body != 0 && name.n > 0; k++) {
		if (early && k + 1 == n)
			before = values_now(s), n_before = s->n_vars;
		bawn_sh_set(s, "", name, word[k]);
		struct value *next = bawn_sh_replay(s, body, s->args);
		if (bawn_value_is_text(out) && bawn_value_is_text(next) && next != out)
			out = bawn_sh_concat(s->e, out, next, "");
	}
	left_early(s, before, n_before, name);
	s->e->cut = s->e->cut || early;
	return bawn_value_cut(s->e, out);
}

/* ([0]=a [1]=b) and ([x]=a [y]=b): items have keys where the program gives them. */
static struct value *read_list(struct shell *s, uint32_t i)
{
	struct value *word[SHELL_WORDS_MAX];
	const char **key = NULL;
	uint32_t n = 0;
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind != BAWN_K_OPERATOR && node(s, c)->kind != BAWN_K_COMMENT) {
			uint32_t at = n;
			push_node(s, c, word, &n);
			struct bawn_span t = n == at + 1 && bawn_value_is_text(word[at]) ? word[at]->text : (struct bawn_span){ NULL, 0 };
			const char *equals = t.n > 2 && t.p[0] == '[' ? memmem(t.p, t.n, "]=", 2) : NULL;
			if (equals == NULL || (key == NULL && (key = bawn_arena_array(bawn_sh_arena(s->e), const char *, SHELL_WORDS_MAX)) == NULL))
				continue;
			key[at] = bawn_arena_text(bawn_sh_arena(s->e), (struct bawn_span){ t.p + 1, (size_t)(equals - t.p) - 1 });
			word[at] = bawn_sh_text(s->e, (struct bawn_span){ equals + 2, t.n - (size_t)(equals + 2 - t.p) }, word[at]->taint);
		}
	struct value *list = bawn_sh_list(s->e, word, n);
	if (list != NULL)
		list->key = key;
	return list;
}

/* `unset`, `$((...))` and other nodes that have no kind of their own. */
static struct value *read_other(struct shell *s, uint32_t i)
{
	struct bawn_span t = text_of(s, i);
	if (bawn_span_starts(t, "$((") || bawn_span_starts(t, "$["))
		return bawn_sh_expand(s, t);
	if (bawn_span_starts(t, "unset")) {
		struct value *word[SHELL_WORDS_MAX];
		uint32_t n = 0;
		word[n++] = bawn_value_text(s->e, bawn_span("unset"));
		for (uint32_t c = node(s, i)->child; c != 0 && n < SHELL_WORDS_MAX; c = node(s, c)->next)
			word[n++] = bawn_value_text(s->e, text_of(s, c));
		(void)bawn_sh_command(s, s->e, word, n, i);
		return NULL;
	}
	return last_output(s, i);
}

/* export -p, declare -x: without names they print what is set. */
static struct value *read_listing(struct shell *s, uint32_t i)
{
	struct bawn_span t = text_of(s, i);
	struct value *word[4], *v = NULL;
	uint32_t n = 1;
	size_t end = 0;
	while (end < t.n && t.p[end] != ' ')
		end++;
	word[0] = bawn_value_text(s->e, (struct bawn_span){ t.p, end });
	for (uint32_t c = node(s, i)->child; c != 0 && n < BAWN_LEN(word); c = node(s, c)->next) {
		if (!bawn_span_starts(text_of(s, c), "-"))
			return NULL;
		word[n++] = bawn_value_text(s->e, text_of(s, c));
	}
	s->argv[i] = bawn_sh_list(s->e, word, n);
	uint64_t tags = bawn_sh_command(s, s->e, word, n, i);
	if ((tags & BAWN_TAG(ENVIRON)) != 0 && (v = bawn_value_new(s->e)) != NULL)
		v->taint = tags & (BAWN_TAG(ENVIRON) | BAWN_TAG(HOST_INFO));
	return v;
}

/* The grammar takes `x` in a here-document for text; the shell runs it, unless the end mark is quoted. */
static void read_backticks(struct shell *s, uint32_t body)
{
	struct bawn_span t = text_of(s, body), all = text_of(s, node(s, body)->parent);
	size_t at = 2;
	if (memchr(t.p, '`', t.n) == NULL)
		return;
	while (at < all.n && (all.p[at] == '-' || all.p[at] == ' '))
		at++;
	if (at < all.n && strchr("'\"\\", all.p[at]) == NULL)
		bawn_sh_backticks(s, t, body);
}

/* A text that is put together here. */
static struct value *read_text(struct shell *s, uint32_t i, struct value *v)
{
	bawn_sh_subscript(s, v, i);
	return v;
}

/* echo "$x" | sh */
static bool ends_in_sink(struct shell *s, uint32_t i)
{
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (c != node(s, i)->child && takes_all(s, s->argv[c]))
			return true;
	return false;
}

/* echo x > "$f", sh <<< "$x" */
static bool leads_to_variable(struct shell *s, uint32_t i)
{
	for (uint32_t c = node(s, i)->child; c != 0; c = node(s, c)->next)
		if (node(s, c)->kind == BAWN_K_REDIRECT || node(s, c)->kind == BAWN_K_HERESTRING || node(s, c)->kind == BAWN_K_HEREDOC)
			for (uint32_t k = c, end = subtree_end(s, c); k < end; k++)
				if (node(s, k)->kind == BAWN_K_EXPANSION)
					return true;
	return false;
}

static struct value *leave(struct shell *s, uint32_t i)
{
	struct bawn_span t = text_of(s, i);
	s->at = i;
	switch (node(s, i)->kind) {
	case BAWN_K_WORD: case BAWN_K_INTEGER: return bare_word(s, t);
	case BAWN_K_RAW: return read_text(s, i, bawn_value_text(s->e, t.n >= 2 ? (struct bawn_span){ t.p + 1, t.n - 2 } : t));
	case BAWN_K_ANSI_C: {
		struct value *v = bawn_value_text(s->e, bawn_sh_unescape(s->e, t.n >= 3 ? (struct bawn_span){ t.p + 2, t.n - 3 } : t, false));
		if (v != NULL && memchr(t.p, '\\', t.n) != NULL)
			v->taint |= BAWN_TAG(BUILT);
		return read_text(s, i, v);
	}
	case BAWN_K_PART: case BAWN_K_BRACE: return bawn_value_text(s->e, t);
	case BAWN_K_STRING: return read_text(s, i, read_string(s, i));
	case BAWN_K_CONCAT: return read_text(s, i, interpolate(s, i, node(s, i)->start, node(s, i)->end, false, false));
	case BAWN_K_HEREDOC_BODY:
		read_backticks(s, i);
		return interpolate(s, i, node(s, i)->start, node(s, i)->end, false, true);
	case BAWN_K_COMMAND_NAME: return node(s, i)->child != 0 ? s->val[node(s, i)->child] : NULL;
	case BAWN_K_EXPANSION: {
		const char *at = memchr(t.p, '$', t.n);
		return at != NULL ? bawn_sh_expand(s, (struct bawn_span){ at, t.n - (size_t)(at - t.p) }) : bawn_value_new(s->e);
	}
	case BAWN_K_SUBSTITUTION: case BAWN_K_PROCESS_SUB: case BAWN_K_SUBSHELL: case BAWN_K_LIST_OF_COMMANDS: return read_substitution(s, i);
	case BAWN_K_COMMAND:
		s->val[i] = read_command(s, i);
		try_others(s, i, takes_all(s, s->argv[i]));
		return s->val[i];
	case BAWN_K_PIPELINE:
		s->val[i] = bawn_sh_read_pipeline(s, i);
		try_others(s, i, ends_in_sink(s, i));
		return s->val[i];
	case BAWN_K_REDIRECT: return bawn_sh_read_redirect(s, i);
	case BAWN_K_HERESTRING: {
		uint32_t body = node(s, i)->child;
		while (body != 0 && s->val[body] == NULL)
			body = node(s, body)->next;
		return body != 0 ? s->val[body] : NULL;
	}
	case BAWN_K_REDIRECTED:
		s->val[i] = bawn_sh_read_redirected(s, i);
		if (leads_to_variable(s, i))
			try_others(s, i, true);
		return s->val[i];
	case BAWN_K_ASSIGN:
		bawn_sh_read_assign(s, i);
		try_values(s, i);
		return NULL;
	case BAWN_K_DECLARATION: bawn_sh_read_declaration(s, i); return read_listing(s, i);
	case BAWN_K_LIST: return read_list(s, i);
	case BAWN_K_FOR: return read_for(s, i);
	case BAWN_K_OTHER: return read_other(s, i);
	case BAWN_K_IF: case BAWN_K_WHILE: case BAWN_K_CASE: case BAWN_K_ROOT: return last_output(s, i);
	default: return NULL;
	}
}

static bool endless(const struct shell *s, uint32_t i)
{
	static const char *const always[] = { "true", ":", "[ 1 ]", "((1))", "(( 1 ))", "[ true ]", "[[ 1 ]]", "[[ true ]]", "/bin/true", "1" };
	uint32_t c = node(s, i)->child;
	struct bawn_span t = c != 0 ? text_of(s, c) : bawn_span("");
	for (size_t k = 0; k < BAWN_LEN(always); k++)
		if (bawn_span_is(t, always[k]))
			return true;
	return bawn_span_starts(text_of(s, i), "until") && bawn_span_is(t, "false");
}

/* do :; done */
static bool spins(const struct shell *s, uint32_t loop)
{
	struct bawn_span t = text_of(s, loop);
	const char *at = memmem(t.p, t.n, "do", 2);
	size_t n = at != NULL ? t.n - (size_t)(at - t.p) : 0;
	char word[16] = "";
	for (size_t i = 0, k = 0; i < n && n < 2 * sizeof word && k + 1 < sizeof word; i++)
		if (strchr(" \t\n;", at[i]) == NULL)
			word[k++] = at[i];
	return strcmp(word, "do:done") == 0 || strcmp(word, "dotruedone") == 0;
}

/* What a subshell, a branch or a definition does with `cd` ends with it. */
static bool keeps_directory(uint8_t kind)
{
	return kind == BAWN_K_SUBSHELL || kind == BAWN_K_SUBSTITUTION || kind == BAWN_K_PROCESS_SUB || kind == BAWN_K_FUNCTION ||
	       kind == BAWN_K_IF || kind == BAWN_K_CASE || kind == BAWN_K_WHILE || kind == BAWN_K_FOR || kind == BAWN_K_PIPELINE;
}

/* Before its children: functions get their name, loops their first word. */
static void enter(struct shell *s, uint32_t i)
{
	uint32_t up = node(s, i)->parent;
	if (keeps_directory(node(s, i)->kind))
		s->argv[i] = s->cwd != NULL ? bawn_value_text(s->e, bawn_span(s->cwd)) : NULL;
	if (node(s, i)->kind == BAWN_K_FUNCTION) {
		uint32_t name = bawn_node_child(s->t, i, BAWN_R_NAME);
		struct value *f = name != 0 ? bawn_value_new(s->e) : NULL;
		if (f != NULL) {
			f->function = i;
			bawn_sh_set(s, "function ", text_of(s, name), f);
		}
	} else if (node(s, i)->kind == BAWN_K_WHILE && endless(s, i)) {
		(void)bawn_engine_event(s->e, "endless-loop", i, NULL);
		if (spins(s, i))
			(void)bawn_engine_event(s->e, "spin", i, NULL);
	} else if (i != 0 && node(s, up)->kind == BAWN_K_FOR && node(s, i)->role == BAWN_R_BODY) {
		struct value *word[SHELL_WORDS_MAX];
		if (bawn_span_starts(text_of(s, up), "for ((;;))") || bawn_span_starts(text_of(s, up), "for((;;))"))
			(void)bawn_engine_event(s->e, "endless-loop", i, NULL);
		struct bawn_span part[3];
		int64_t any;
		if (counted(s, up, part))
			(void)bawn_sh_number(s, part[0], &any);
		if (loop_words(s, up, word) > 0) {
			if (!bawn_value_is_text(word[0]))
				word[0]->taint |= BAWN_TAG(INPUT);  /* names that come from a command */
			bawn_sh_set(s, "", loop_variable(s, up), word[0]);
		}
	}
}

/* Inside a function that is only being defined nothing is known about its arguments. */
static bool is_definition(const struct shell *s, uint32_t i) { return node(s, i)->kind == BAWN_K_FUNCTION; }

static void walk(struct shell *s, uint32_t root)
{
	uint32_t end = subtree_end(s, root);
	struct value *outside = s->args;
	for (uint32_t i = root; i < end && s->e->error == 0; i++) {
		bool first = root == 0 || i != root;
		if (first)
			enter(s, i);
		if (is_definition(s, i)) {
			outside = s->args;
			s->args = NULL;
		}
		if (node(s, i)->child != 0)
			continue;
		for (uint32_t at = i; bawn_engine_go_on(s->e); at = node(s, at)->parent) {
			s->val[at] = bawn_value_cut(s->e, leave(s, at));
			if (keeps_directory(node(s, at)->kind)) {
				s->cwd = s->argv[at] != NULL ? s->argv[at]->text.p : NULL;
				s->argv[at] = NULL;
			}
			if (is_definition(s, at))
				s->args = outside;
			if (at == root || node(s, at)->next != 0)
				break;
		}
	}
}

void bawn_read_shell(struct engine *e)
{
	struct shell *s = calloc(1, sizeof *s);
	if (s != NULL) {
		*s = (struct shell){ .e = e, .t = e->tree, .outer = e->shell, .unsets = memmem(e->tree->text.p, e->tree->text.n, "unset", 5) != NULL };
		s->val = calloc(e->tree->n, sizeof *s->val);
		s->argv = calloc(e->tree->n, sizeof *s->argv);
	}
	if (s == NULL || s->val == NULL || s->argv == NULL)
		e->error = bawn_fail(e->err, -ENOMEM, "assess the code");
	else {
		e->shell = s;
		walk(s, 0);
		bawn_sh_read_plumbed(s);
		e->shell = s->outer;
		bawn_sh_hand_back(s);
	}
	if (s != NULL && s->cut_short)
		(void)bawn_engine_event(e, "cut-short", 0, NULL);
	/* What does not parse as Bash may be a program in another language, given as Bash. */
	if (e->error == 0 && e->depth == 0 && e->tree->errors && bawn_foreign_looks(e->tree->text))
		bawn_foreign_program(e, e->tree->text, false, 0);
	if (s != NULL) {
		free(s->val);
		free(s->argv);
	}
	free(s);
}
