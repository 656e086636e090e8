/* tree.c - see tree.h. */
#include "parse/tree.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <tree_sitter/api.h>
#include "base/cleanup.h"
#include "base/clock.h"

const TSLanguage *tree_sitter_python(void);
const TSLanguage *tree_sitter_bash(void);
const TSLanguage *tree_sitter_javascript(void);

/* Both lists are sorted by name: looked up once for each node. */
struct word { const char *name; uint8_t id; };
#define K(name, kind) { name, BAWN_K_##kind }
static const struct word kinds[] = {
	K("!=", OPERATOR), K("%", OPERATOR), K("&", BACKGROUND), K("&&", OPERATOR), K("&>", OPERATOR),
	K("&>>", OPERATOR), K("*", OPERATOR), K("**", OPERATOR), K("+", OPERATOR), K("+=", OPERATOR),
	K("-", OPERATOR), K("/", OPERATOR), K("//", OPERATOR), K("<", OPERATOR), K("<&", OPERATOR),
	K("<(", OPERATOR), K("<<", OPERATOR), K("=", OPERATOR), K("==", OPERATOR), K(">", OPERATOR),
	K(">&", OPERATOR), K(">(", OPERATOR), K(">>", OPERATOR), K(">|", OPERATOR), K("ERROR", ERROR),
	K("^", OPERATOR), K("aliased_import", ALIASED), K("ansi_c_string", ANSI_C), K("argument_list", ARGUMENTS),
	K("arguments", ARGUMENTS), K("array", LIST), K("array_pattern", PATTERN), K("arrow_function", LAMBDA),
	K("as_pattern", AS), K("as_pattern_target", AS_TARGET), K("assignment", ASSIGN),
	K("assignment_expression", ASSIGN), K("assignment_pattern", PARAMETER), K("attribute", ATTRIBUTE),
	K("augmented_assignment", AUGMENT), K("augmented_assignment_expression", AUGMENT), K("await", AWAIT),
	K("await_expression", AWAIT), K("binary_expression", BINARY), K("binary_operator", BINARY),
	K("block", BLOCK), K("boolean_operator", BOOLEAN), K("brace_expression", BRACE),
	K("c_style_for_statement", FOR), K("call", CALL), K("call_expression", CALL), K("case_clause", CASE),
	K("case_item", CASE), K("case_statement", CASE), K("catch_clause", TRY), K("class", CLASS),
	K("class_declaration", CLASS), K("class_definition", CLASS), K("command", COMMAND),
	K("command_name", COMMAND_NAME), K("command_substitution", SUBSTITUTION), K("comment", COMMENT),
	K("comparison_operator", COMPARE), K("concatenated_string", ADJACENT), K("concatenation", CONCAT),
	K("conditional_expression", CONDITIONAL), K("declaration_command", DECLARATION),
	K("decorator", DECORATOR), K("default_parameter", PARAMETER), K("dictionary", DICT),
	K("dictionary_comprehension", COMPREHENSION), K("dictionary_splat", SPLAT),
	K("dictionary_splat_pattern", PARAMETER), K("do_statement", WHILE), K("dotted_name", DOTTED),
	K("elif_clause", IF), K("escape_sequence", ESCAPE), K("except_clause", TRY),
	K("except_group_clause", TRY), K("expansion", EXPANSION), K("expression_list", LIST),
	K("expression_statement", STATEMENT), K("extglob_pattern", WORD), K("false", FALSE),
	K("field_definition", ASSIGN), K("file_redirect", REDIRECT), K("for_in_clause", FOR_IN),
	K("for_in_statement", FOR), K("for_statement", FOR), K("formal_parameters", PARAMETERS),
	K("function_declaration", FUNCTION), K("function_definition", FUNCTION), K("function_expression", LAMBDA),
	K("generator_expression", COMPREHENSION), K("generator_function", LAMBDA),
	K("generator_function_declaration", FUNCTION), K("heredoc_body", HEREDOC_BODY),
	K("heredoc_content", PART), K("heredoc_redirect", HEREDOC), K("herestring_redirect", HERESTRING),
	K("identifier", NAME), K("if_statement", IF), K("import", NAME), K("import_from_statement", IMPORT_FROM),
	K("import_specifier", ALIASED), K("import_statement", IMPORT), K("integer", INTEGER),
	K("interpolation", INSERT), K("keyword_argument", KEYWORD), K("lambda", LAMBDA),
	K("lambda_parameters", PARAMETERS), K("list", LIST), K("list_comprehension", COMPREHENSION),
	K("list_pattern", PATTERN), K("list_splat", SPLAT), K("list_splat_pattern", PARAMETER),
	K("member_expression", ATTRIBUTE), K("method_definition", FUNCTION), K("module", ROOT),
	K("named_expression", WALRUS), K("namespace_import", NAMESPACE), K("new_expression", NEW),
	K("none", NONE), K("null", NONE), K("number", INTEGER), K("object", DICT), K("object_pattern", PATTERN),
	K("pair", PAIR), K("pair_pattern", PAIR), K("parameters", PARAMETERS),
	K("parenthesized_expression", PAREN), K("pattern_list", PATTERN), K("pipeline", PIPELINE),
	K("private_property_identifier", NAME), K("process_substitution", PROCESS_SUB), K("program", ROOT),
	K("property_identifier", NAME), K("raw_string", RAW), K("redirected_statement", REDIRECTED),
	K("rest_pattern", PARAMETER), K("return_statement", RETURN), K("set", LIST),
	K("set_comprehension", COMPREHENSION), K("shorthand_property_identifier", NAME),
	K("shorthand_property_identifier_pattern", NAME), K("simple_expansion", EXPANSION), K("slice", SLICE),
	K("special_variable_name", NAME), K("spread_element", SPLAT), K("statement_block", BLOCK),
	K("statement_identifier", NAME), K("string", STRING), K("string_content", PART),
	K("string_fragment", PART), K("string_start", STRING_START), K("subscript", SUBSCRIPT),
	K("subscript_expression", SUBSCRIPT), K("subshell", SUBSHELL), K("switch_case", CASE),
	K("template_string", TEMPLATE), K("template_substitution", INSERT), K("ternary_expression", CONDITIONAL),
	K("test_command", TEST), K("this", NAME), K("translated_string", STRING), K("true", TRUE),
	K("try_statement", TRY), K("tuple", LIST), K("tuple_pattern", PATTERN),
	K("typed_default_parameter", PARAMETER), K("typed_parameter", PARAMETER), K("unary_expression", UNARY),
	K("unary_operator", UNARY), K("undefined", NAME), K("variable_assignment", ASSIGN),
	K("variable_declarator", ASSIGN), K("variable_name", NAME), K("while_statement", WHILE),
	K("wildcard_import", WILDCARD), K("with_item", WITH), K("word", WORD), K("|", OPERATOR),
	K("|&", OPERATOR), K("||", OPERATOR),
};
#undef K
#define R(name, role) { name, BAWN_R_##role }
static const struct word roles[] = {
	R("alias", ALIAS), R("alternative", ALTERNATIVE), R("argument", ARGUMENT), R("arguments", ARGUMENTS),
	R("attribute", PROPERTY), R("body", BODY), R("code", ARGUMENT), R("condition", CONDITION),
	R("constructor", FUNCTION), R("destination", DESTINATION), R("function", FUNCTION), R("index", SUBSCRIPT),
	R("key", KEY), R("left", LEFT), R("module_name", MODULE), R("name", NAME), R("object", OBJECT),
	R("operator", OPERATOR), R("parameter", PARAMETERS), R("parameters", PARAMETERS), R("property", PROPERTY),
	R("redirect", REDIRECT), R("right", RIGHT), R("source", MODULE), R("subscript", SUBSCRIPT),
	R("value", VALUE),
};
#undef R

static uint8_t look_up(const struct word *list, size_t n, const char *name)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		int c = strcmp(name, list[mid].name);
		if (c == 0)
			return list[mid].id;
		if (c < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return 0;
}

static const TSLanguage *language(enum bawn_grammar g)
{
	static const TSLanguage *(*const get[])(void) = { tree_sitter_python, tree_sitter_bash, tree_sitter_javascript };
	_Static_assert(BAWN_LEN(get) == BAWN_GRAMMAR_COUNT, "one row per grammar");
	return get[g]();
}

/* A tree being copied out of the cursor. */
struct copy {
	struct bawn_tree *t;
	size_t            cap;
	uint64_t          deadline_us;
	TSTreeCursor      cursor;
};

static uint8_t kind_of(const struct copy *c, TSNode node)
{
	if (ts_node_is_missing(node))
		return BAWN_K_ERROR;
	uint8_t kind = look_up(kinds, BAWN_LEN(kinds), ts_node_type(node));
	bool token = kind == BAWN_K_OPERATOR || kind == BAWN_K_BACKGROUND;
	if (ts_node_is_named(node) == token)  /* a keyword that is spelled like a kind of node, or the reverse */
		return BAWN_K_OTHER;
	if (c->t->grammar == BAWN_GRAMMAR_BASH && kind == BAWN_K_LIST && strcmp(ts_node_type(node), "list") == 0)
		return BAWN_K_LIST_OF_COMMANDS;
	return kind;
}

/* Appends the node under the cursor; *out_index is 0 for a token that nobody asks about. */
static int add_node(struct copy *c, uint32_t parent, uint32_t *out_index, struct bawn_err *err)
{
	struct bawn_tree *t = c->t;
	TSNode node = ts_tree_cursor_current_node(&c->cursor);
	uint8_t kind = kind_of(c, node);
	*out_index = 0;
	if (t->n > 0 && kind == BAWN_K_OTHER && !ts_node_is_named(node))
		return 0;
	if (t->n == c->cap) {
		size_t cap = c->cap == 0 ? 256 : c->cap * 2;
		if (t->n >= BAWN_TREE_NODES_MAX)
			return bawn_fail_as(err, BAWN_ERROR_ASSESSMENT_FAILED, NULL, "read the code: it has too many parts");
		if (bawn_monotonic_us() > c->deadline_us)
			return bawn_fail_as(err, BAWN_ERROR_ASSESSMENT_FAILED, NULL, "read the code in time");
		struct bawn_node *grown = realloc(t->node, cap * sizeof *grown);
		if (grown == NULL)
			return bawn_fail(err, -ENOMEM, "copy the syntax tree");
		t->node = grown;
		c->cap = cap;
	}
	const char *field = ts_tree_cursor_current_field_name(&c->cursor);
	TSPoint from = ts_node_start_point(node), to = ts_node_end_point(node);
	bool bad = kind == BAWN_K_ERROR;
	if (bad && !t->errors) {
		t->errors = true;
		t->error_node = (uint32_t)t->n;
	}
	*out_index = (uint32_t)t->n;
	t->node[t->n++] = (struct bawn_node){
		.start = ts_node_start_byte(node), .end = ts_node_end_byte(node), .row = from.row, .end_row = to.row,
		.parent = parent, .kind = kind, .missing = ts_node_is_missing(node),
		.role = field != NULL ? look_up(roles, BAWN_LEN(roles), field) : (uint8_t)BAWN_R_NONE,
	};
	return 0;
}

static void link_node(struct bawn_tree *t, uint32_t parent, uint32_t *last, uint32_t i)
{
	if (i == 0)
		return;
	if (*last != 0)
		t->node[*last].next = i;
	else
		t->node[parent].child = i;
	*last = i;
}

/* Depth first with the cursor as the only stack.  `last` of the level above is found again through
 * the node we come back to, so nothing here grows with the depth of the text. */
static int copy_nodes(struct copy *c, struct bawn_err *err)
{
	uint32_t at = 0, skipped = 0;
	int r = add_node(c, 0, &at, err);
	uint32_t parent = 0, last = 0;
	if (r < 0 || !ts_tree_cursor_goto_first_child(&c->cursor))
		return r;
	for (;;) {
		r = add_node(c, parent, &at, err);
		if (r < 0)
			return r;
		link_node(c->t, parent, &last, at);
		if (ts_tree_cursor_goto_first_child(&c->cursor)) {
			if (at == 0)
				skipped++;  /* tokens have no children of interest, but stay balanced */
			else
				parent = at, last = 0;
			continue;
		}
		while (!ts_tree_cursor_goto_next_sibling(&c->cursor)) {
			if (!ts_tree_cursor_goto_parent(&c->cursor))
				return 0;
			if (skipped > 0) {
				skipped--;
				continue;
			}
			if (parent == 0)
				return 0;
			last = parent;
			parent = c->t->node[parent].parent;
		}
	}
}

static int copy_tree(const TSTree *tree, uint64_t deadline_us, struct bawn_tree *t, struct bawn_err *err)
{
	struct copy c = { .t = t, .deadline_us = deadline_us, .cursor = ts_tree_cursor_new(ts_tree_root_node(tree)) };
	int r = copy_nodes(&c, err);
	ts_tree_cursor_delete(&c.cursor);
	return r;
}

/* ---- tree-sitter's memory ----
 *
 * libtree-sitter 0.20 ends the process when memory runs out, and counts the children of a node that
 * error recovery makes in 16 bits: a text nested deeper than 65535 corrupts its heap.  Both are
 * stopped where every such accident must pass, at the allocator: each block of one parse is on a list,
 * and a request that fails, or that is large enough to hold more children than can be counted, leaves
 * the parser by longjmp; then the list is freed.  Nothing of ours is on the stack in between. */

#define CHILDREN_MAX 65535u
#define CHILD_BYTES  8u

struct block { struct block *next, *prev; size_t size; _Alignas(16) char bytes[]; };
struct guard { struct block head; jmp_buf leave; bool parsing, refused; };

/* The parse of this thread; the allocator's interface has no room for a context. */
static _Thread_local struct guard *guard;

static void *guarded(struct block *b, size_t n)
{
	bool large = guard->parsing && n / CHILD_BYTES >= CHILDREN_MAX;
	if (large)
		guard->refused = true;
	struct block *fresh = large ? NULL : realloc(b, sizeof *b + n);
	if (fresh == NULL)
		longjmp(guard->leave, 1);  /* b, if any, is still on the list */
	return fresh;
}

static void *put_on_list(struct block *b, size_t n)
{
	b->size = n;
	b->prev = &guard->head;
	b->next = guard->head.next;
	b->next->prev = b;
	guard->head.next = b;
	return b->bytes;
}

static void *guarded_malloc(size_t n) { return put_on_list(guarded(NULL, n), n); }

static void *guarded_calloc(size_t n, size_t size)
{
	size_t total;
	if (__builtin_mul_overflow(n, size, &total))
		longjmp(guard->leave, 1);
	return memset(guarded_malloc(total), 0, total);
}

static struct block *block_of(void *p) { return (struct block *)(void *)((char *)p - offsetof(struct block, bytes)); }

static void guarded_free(void *p)
{
	if (p == NULL)
		return;
	struct block *b = block_of(p);
	b->prev->next = b->next;
	b->next->prev = b->prev;
	free(b);
}

static void *guarded_realloc(void *p, size_t n)
{
	if (p == NULL)
		return guarded_malloc(n);
	struct block *b = guarded(block_of(p), n);
	b->size = n;
	b->prev->next = b;  /* it may have moved */
	b->next->prev = b;
	return b->bytes;
}

static void set_allocator(void) { ts_set_allocator(guarded_malloc, guarded_calloc, guarded_realloc, guarded_free); }

struct job { enum bawn_grammar grammar; struct bawn_span text; uint64_t time_us, deadline_us; const size_t *cancel; struct bawn_tree *t; };

/* The parser adds microseconds to a clock without carrying into its seconds, so that fractions end up
 * to a second early; copy_nodes checks the exact time. */
static uint64_t whole_seconds(uint64_t us) { return us < 1000000 ? us : (us + 999999) / 1000000 * 1000000; }

static int parse(const struct job *j, struct bawn_err *err)
{
	TSParser *parser = ts_parser_new();
	TSTree *tree = NULL;
	if (ts_parser_set_language(parser, language(j->grammar))) {
		ts_parser_set_timeout_micros(parser, whole_seconds(j->time_us));
		ts_parser_set_cancellation_flag(parser, j->cancel);
		guard->parsing = true;
		tree = ts_parser_parse_string(parser, NULL, j->text.p, (uint32_t)j->text.n);
		guard->parsing = false;
	}
	int r = tree != NULL ? copy_tree(tree, j->deadline_us, j->t, err)
	                     : bawn_fail_as(err, BAWN_ERROR_ASSESSMENT_FAILED, NULL, "parse the code within %u ms",
	                                    (unsigned)(j->time_us / 1000));
	if (tree != NULL)
		ts_tree_delete(tree);
	ts_parser_delete(parser);
	return r;
}

static int parse_guarded(const struct job *j, struct bawn_err *err)
{
	struct guard g = { .refused = false };
	int r;
	g.head.next = g.head.prev = &g.head;
	guard = &g;
	if (setjmp(g.leave) == 0)
		r = parse(j, err);
	else if (g.refused)
		r = bawn_fail_as(err, BAWN_ERROR_ASSESSMENT_FAILED, NULL, "parse the code: it is nested too deeply");
	else
		r = bawn_fail(err, -ENOMEM, "parse the code");
	guard = NULL;
	while (g.head.next != &g.head) {
		struct block *b = g.head.next;
		g.head.next = b->next;
		free(b);
	}
	return r;
}

int bawn_tree_parse(enum bawn_grammar grammar, struct bawn_span text, uint64_t time_us,
                    const size_t *cancel, struct bawn_tree *out, struct bawn_err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct bawn_tree t = { .grammar = grammar, .text = text };
	struct job j = { grammar, text, time_us, bawn_monotonic_us() + time_us, cancel, &t };
	if (text.n >= UINT32_MAX)
		return bawn_fail_as(err, BAWN_ERROR_CODE_TOO_LARGE, NULL, "parse the code");
	(void)pthread_once(&once, set_allocator);
	int r = parse_guarded(&j, err);
	if (r < 0) {
		bawn_tree_done(&t);
		return r;
	}
	*out = t;
	return 0;
}

void bawn_tree_done(struct bawn_tree *t)
{
	free(t->node);
	t->node = NULL;
	t->n = 0;
}

uint32_t bawn_node_child(const struct bawn_tree *t, uint32_t i, enum bawn_role role)
{
	for (uint32_t c = t->node[i].child; c != 0; c = t->node[c].next)
		if (t->node[c].role == role)
			return c;
	return 0;
}
