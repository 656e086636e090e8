/* others.c - a program that uses tree-sitter itself goes on doing so beside bawn's parses. */
#include <string.h>
#include <tree_sitter/api.h>
#include "base/span.h"
#include "parse/tree.h"
#include "tap.h"

const TSLanguage *tree_sitter_python(void);

static bool parsed_here(TSParser *parser)
{
	static const char text[] = "print(1)\n";
	TSTree *tree = ts_parser_parse_string(parser, NULL, text, sizeof text - 1);
	bool good = tree != NULL && ts_node_end_byte(ts_tree_root_node(tree)) == sizeof text - 1;
	ts_tree_delete(tree);
	return good;
}

static bool parsed_by_bawn(void)
{
	const struct bawn_tree_limit most = { .work = UINT64_C(1) << 30, .bytes = (size_t)16 << 20, .time_us = 10000000 };
	struct bawn_tree tree = { 0 };
	struct bawn_err err = { 0 };
	bool good = bawn_tree_parse(BAWN_GRAMMAR_PYTHON, bawn_span("x = 1\n"), &most, &tree, &err) == 0 && !tree.errors;
	bawn_tree_done(&tree);
	return good;
}

int main(void)
{
	TSParser *before = ts_parser_new();
	ok(ts_parser_set_language(before, tree_sitter_python()) && parsed_here(before), "a parser of one's own");
	ok(parsed_by_bawn(), "a parse of bawn");
	ok(parsed_here(before), "the parser made before it still works");
	ts_parser_delete(before);
	TSParser *after = ts_parser_new();
	ok(ts_parser_set_language(after, tree_sitter_python()) && parsed_here(after), "so does one made after it");
	ts_parser_delete(after);
	return done_testing();
}
