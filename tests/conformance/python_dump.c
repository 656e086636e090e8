/* python_dump.c - what our tree finds in Python files, for tests/integration/ast.t to hold against
 * CPython's own parser.
 *
 *	python-dump FILE...	for each: "file PATH", then a line for each
 *		name START END | call START END | format START END | text START END HEX | int START END VALUE | error START END */
#include <fcntl.h>
#include <stdlib.h>
#include "assess/literal.h"
#include "base/cleanup.h"
#include "base/file.h"

static bool is_text(const struct bawn_tree *t, uint32_t i) { return t->node[i].kind == BAWN_K_STRING || t->node[i].kind == BAWN_K_ADJACENT; }

/* f"..." */
static bool is_format(const struct bawn_tree *t, uint32_t i)
{
	struct bawn_span start = t->node[i].child != 0 ? bawn_node_text(t, t->node[i].child) : bawn_span("");
	for (size_t k = 0; k < start.n && start.p[k] != '"' && start.p[k] != '\''; k++)
		if ((start.p[k] | 0x20) == 'f')
			return true;
	return false;
}

static void put_text(struct script *s, uint32_t i)
{
	const struct bawn_tree *t = s->t;
	bool adjacent = t->node[i].kind == BAWN_K_ADJACENT, format = !adjacent && is_format(t, i);
	for (uint32_t c = adjacent ? t->node[i].child : 0; c != 0; c = t->node[c].next)
		format = format || (is_text(t, c) && is_format(t, c));
	bool bytes = false;
	bawn_auto_buf hex = BAWN_BUF(32u << 20);
	for (uint32_t c = adjacent ? t->node[i].child : i; !format && c != 0; c = adjacent ? t->node[c].next : 0) {
		struct value *v = is_text(t, c) ? bawn_script_literal(s, c) : NULL;
		bytes = bytes || (v != NULL && v->bytes);
		for (size_t k = 0; bawn_value_is_text(v) && k < v->text.n; k++)
			bawn_buf_fmt(&hex, "%02x", (unsigned char)v->text.p[k]);
	}
	printf("%s %u %u %s", format ? "format" : bytes ? "bytes" : "text", t->node[i].start, t->node[i].end, hex.n > 0 ? hex.p : "");
	putchar('\n');
}

static void put_node(struct script *s, uint32_t i)
{
	const struct bawn_node *n = &s->t->node[i];
	struct value *v = n->kind == BAWN_K_INTEGER ? bawn_script_integer(s, i) : NULL;
	if (is_text(s->t, i) && s->t->node[n->parent].kind != BAWN_K_ADJACENT)
		put_text(s, i);
	else if (n->kind == BAWN_K_NAME || n->kind == BAWN_K_CALL || n->kind == BAWN_K_ERROR)
		printf("%s %u %u\n", n->kind == BAWN_K_NAME ? "name" : n->kind == BAWN_K_CALL ? "call" : "error", n->start, n->end);
	else if (v != NULL && v->has_number)
		printf("int %u %u %lld\n", n->start, n->end, (long long)v->number);
}

static int dump(const char *path, struct bawn_err *err)
{
	struct bawn_tree_limit most = { .work = UINT64_MAX, .bytes = SIZE_MAX, .time_us = 60000000 };
	bawn_auto_buf b = BAWN_BUF(16u << 20);
	bawn_auto_tree tree = { 0 };
	int r = bawn_read_file(AT_FDCWD, path, &b, err);
	if (r == 0)
		r = bawn_tree_parse(BAWN_GRAMMAR_PYTHON, bawn_buf_span(&b), &most, &tree, err);
	if (r < 0)
		return r;
	struct engine e = { .scratch = ARENA(SIZE_MAX), .err = err, .most = most, .tree = &tree };
	struct script s = { .e = &e, .t = &tree, .python = true, .val = calloc(tree.n, sizeof *s.val) };
	printf("file %s\n", path);
	for (uint32_t i = 0; s.val != NULL && i < tree.n; i++)
		put_node(&s, i);
	free(s.val);
	bawn_arena_done(&e.scratch);
	return e.error;
}

int main(int argc, char **argv)
{
	struct bawn_err err = { 0 };
	for (int i = 1; i < argc; i++)
		if (dump(argv[i], &err) < 0) {
			fprintf(stderr, "python-dump: %s: %s\n", argv[i], err.msg);
			return 1;
		}
	return 0;
}
