/* shape.c - see shape.h.  One pass over the lines, one over the nodes. */
#include "assess/shape.h"
#include "assess/text.h"
#include "base/cleanup.h"

#define FAR_SPACES   80u    /* as wide as a window */
#define PACKED_BYTES 1500u  /* of a text without a space */
#define NAMES_ALIKE  3u     /* one may be chance */
#define NAME_LEAST   8u

static uint32_t node_at(const struct bawn_tree *t, size_t byte)
{
	uint32_t best = 0;
	for (uint32_t i = 0; i < t->n && t->node[i].start <= byte; i++)
		if (t->node[i].end > byte)
			best = i;
	return best;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Is there a statement behind the spaces that end at `at`? */
static bool statement_at(struct bawn_span text, size_t before, size_t at)
{
	static const char *const word[] = { ";", "exec(", "eval(", "import ", "from ", "__import__(", "getattr(", "(lambda", "require(", "global[", "if " };
	struct bawn_span rest = { text.p + at, text.n - at };
	if (before > 0 && text.p[before - 1] == ';' && at < text.n && text.p[at] != '\n' && text.p[at] != '#' && text.p[at] != '/')
		return true;
	for (size_t i = 0; i < BAWN_LEN(word); i++)
		if (bawn_span_starts(rest, word[i]))
			return before > 0 && text.p[before - 1] != '\n';
	return false;
}

static void far_right(struct engine *e, struct bawn_span text)
{
	for (size_t i = 0; i < text.n; i++) {
		size_t start = i;
		while (i < text.n && is_blank(text.p[i]))
			i++;
		if (i - start >= FAR_SPACES && statement_at(text, start, i)) {
			(void)bawn_engine_event(e, "code-out-of-sight", node_at(e->tree, i), NULL);
			return;
		}
	}
}

static bool all_of(struct bawn_span t, const char *letters)
{
	for (size_t i = 0; i < t.n; i++)
		if (t.p[i] == '\0' || strchr(letters, t.p[i]) == NULL)
			return false;
	return true;
}

/* Made of l, I and 1, or of O and 0, or of nothing but lines? */
static bool unreadable(struct bawn_span name)
{
	if (name.n < NAME_LEAST || (name.p[0] != '_' && strchr("lIOoi", name.p[0]) == NULL))
		return false;
	return all_of(name, "_") || all_of(name, "lI1i_") || all_of(name, "O0o_");
}

struct alike { struct bawn_span name[NAMES_ALIKE]; uint32_t n; };

static void note_name(struct engine *e, uint32_t node, struct alike *a)
{
	struct bawn_span name = bawn_node_text(e->tree, node);
	if (a->n == NAMES_ALIKE || !unreadable(name))
		return;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->name[i].n == name.n && memcmp(a->name[i].p, name.p, name.n) == 0)
			return;
	a->name[a->n++] = name;
	if (a->n == NAMES_ALIKE)
		(void)bawn_engine_event(e, "unreadable-names", node, NULL);
}

static void note_text(struct engine *e, uint32_t node)
{
	struct bawn_span t = bawn_node_text(e->tree, node);
	if (t.n >= PACKED_BYTES && memchr(t.p, ' ', PACKED_BYTES) == NULL && memchr(t.p, '\n', PACKED_BYTES) == NULL)
		(void)bawn_engine_event(e, "packed-text", node, NULL);
}

/* ---- what linters know by form ---- */

static bool says_secret(struct bawn_span name)
{
	static const char *const word[] = { "password", "passwd", "pwd", "secret", "token", "PASSWORD", "SECRET", "TOKEN", "Password", "api_key", "API_KEY" };
	for (size_t i = 0; i < BAWN_LEN(word); i++)
		if (memmem(name.p, name.n, word[i], strlen(word[i])) != NULL)
			return true;
	return false;
}

/* password = "x", f(password="x"), def f(password="x") */
static void note_secret(struct engine *e, uint32_t node)
{
	const struct bawn_tree *t = e->tree;
	uint32_t left = bawn_node_child(t, node, BAWN_R_LEFT), right = bawn_node_child(t, node, BAWN_R_RIGHT);
	left = left != 0 ? left : bawn_node_child(t, node, BAWN_R_NAME);
	right = right != 0 ? right : bawn_node_child(t, node, BAWN_R_VALUE);
	if (left == 0 || right == 0 || t->node[right].kind != BAWN_K_STRING || t->node[right].end - t->node[right].start < 5)
		return;
	if (says_secret(bawn_node_text(t, left)))
		(void)bawn_engine_event(e, "secret-in-code", right, NULL);
}

/* except: pass */
static void note_handler(struct engine *e, uint32_t node)
{
	const struct bawn_tree *t = e->tree;
	if (t->node[t->node[node].parent].kind != BAWN_K_TRY)
		return;
	for (uint32_t c = t->node[node].child; c != 0; c = t->node[c].next)
		if (t->node[c].kind == BAWN_K_BLOCK && (bawn_span_is(bawn_node_text(t, c), "pass") || bawn_span_is(bawn_node_text(t, c), "continue")))
			(void)bawn_engine_event(e, "error-ignored", node, NULL);
}

/* Once for a file: there are many or none. */
static bool note_assert(struct engine *e, uint32_t node)
{
	bool found = bawn_span_starts(bawn_node_text(e->tree, node), "assert ");
	if (found)
		(void)bawn_engine_event(e, "assert", node, NULL);
	return found;
}

static void each_node(struct engine *e)
{
	const struct bawn_tree *t = e->tree;
	bool python = t->grammar == BAWN_GRAMMAR_PYTHON, asserted = false;
	struct alike alike = { .n = 0 };
	for (uint32_t i = 0; i < t->n && t->grammar != BAWN_GRAMMAR_BASH; i++) {
		uint8_t kind = t->node[i].kind, parent = t->node[t->node[i].parent].kind;
		if (kind == BAWN_K_NAME)
			note_name(e, i, &alike);
		else if (kind == BAWN_K_STRING)
			note_text(e, i);
		else if (kind == BAWN_K_ASSIGN || kind == BAWN_K_KEYWORD || kind == BAWN_K_PARAMETER)
			note_secret(e, i);
		else if (kind == BAWN_K_TRY && python)
			note_handler(e, i);
		else if (python && !asserted && (parent == BAWN_K_BLOCK || parent == BAWN_K_ROOT))
			asserted = note_assert(e, i);
	}
}

void bawn_shape(struct engine *e, struct bawn_span text)
{
	size_t hidden = bawn_text_hidden(text);
	if (hidden < text.n)
		(void)bawn_engine_event(e, "hidden-characters", node_at(e->tree, hidden), NULL);
	far_right(e, text);
	each_node(e);
}
