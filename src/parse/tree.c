/* tree.c - see tree.h. */
#include "parse/tree.h"
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <tree_sitter/api.h>
#include "base/cleanup.h"
#include "parse/pool.h"
#include "parse/shelltext.h"

const TSLanguage *tree_sitter_python(void);
const TSLanguage *tree_sitter_bash(void);
const TSLanguage *tree_sitter_javascript(void);

/* Both lists are sorted by name: looked up once for each symbol and field of a grammar. */
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
	K("property_identifier", NAME), K("raw_string", RAW), K("redirected_statement", REDIRECTED), K("regex", REGEX),
	K("rest_pattern", PARAMETER), K("return_statement", RETURN), K("sequence_expression", SEQUENCE), K("set", LIST),
	K("set_comprehension", COMPREHENSION), K("shorthand_property_identifier", NAME),
	K("shorthand_property_identifier_pattern", NAME), K("simple_expansion", EXPANSION), K("slice", SLICE),
	K("special_variable_name", NAME), K("spread_element", SPLAT), K("statement_block", BLOCK),
	K("statement_identifier", NAME), K("string", STRING), K("string_content", PART),
	K("string_fragment", PART), K("string_start", STRING_START), K("subscript", SUBSCRIPT),
	K("subscript_expression", SUBSCRIPT), K("subshell", SUBSHELL), K("switch_case", CASE), K("switch_default", CASE),
	K("template_string", TEMPLATE), K("template_substitution", INSERT), K("ternary_expression", CONDITIONAL),
	K("test_command", TEST), K("this", NAME), K("throw_statement", THROW), K("translated_string", STRING), K("true", TRUE),
	K("try_statement", TRY), K("tuple", LIST), K("tuple_pattern", PATTERN),
	K("typed_default_parameter", PARAMETER), K("typed_parameter", PARAMETER), K("unary_expression", UNARY),
	K("unary_operator", UNARY), K("undefined", NAME), K("variable_assignment", ASSIGN),
	K("variable_declarator", ASSIGN), K("variable_name", NAME), K("while_statement", WHILE),
	K("wildcard_import", WILDCARD), K("with_item", WITH), K("word", WORD), K("yield", YIELD),
	K("yield_expression", YIELD), K("|", OPERATOR),
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

/* ---- a grammar's own numbers ---- */

#define SYMBOLS_MAX 1024u
#define FIELDS_MAX  128u

/* What a symbol and a field of a grammar are in our words; `named` is for tokens, which are left out
 * unless somebody asks about them. */
struct grammar {
	const TSLanguage *(*language)(void);
	pthread_once_t      once;
	uint8_t             kind[SYMBOLS_MAX], role[FIELDS_MAX];
	bool                named[SYMBOLS_MAX];
};
static struct grammar known[] = {
	{ .language = tree_sitter_python, .once = PTHREAD_ONCE_INIT }, { .language = tree_sitter_bash, .once = PTHREAD_ONCE_INIT },
	{ .language = tree_sitter_javascript, .once = PTHREAD_ONCE_INIT },
};
_Static_assert(BAWN_LEN(known) == BAWN_GRAMMAR_COUNT, "one row per grammar");

static uint8_t kind_named(enum bawn_grammar g, const char *name, bool named)
{
	uint8_t kind = look_up(kinds, BAWN_LEN(kinds), name);
	bool token = kind == BAWN_K_OPERATOR || kind == BAWN_K_BACKGROUND;
	if (named == token)  /* a keyword that is spelled like a kind of node, or the reverse */
		return BAWN_K_OTHER;
	return g == BAWN_GRAMMAR_BASH && strcmp(name, "list") == 0 ? (uint8_t)BAWN_K_LIST_OF_COMMANDS : kind;
}

static void learn(enum bawn_grammar g)
{
	const TSLanguage *l = known[g].language();
	uint32_t symbols = ts_language_symbol_count(l), fields = ts_language_field_count(l);
	assert(symbols <= SYMBOLS_MAX && fields < FIELDS_MAX);
	for (uint32_t i = 0; i < symbols; i++) {
		known[g].named[i] = ts_language_symbol_type(l, (TSSymbol)i) == TSSymbolTypeRegular;
		known[g].kind[i] = kind_named(g, ts_language_symbol_name(l, (TSSymbol)i), known[g].named[i]);
	}
	for (uint32_t i = 1; i <= fields; i++)
		known[g].role[i] = look_up(roles, BAWN_LEN(roles), ts_language_field_name_for_id(l, (TSFieldId)i));
}

static void learn_python(void) { learn(BAWN_GRAMMAR_PYTHON); }
static void learn_bash(void) { learn(BAWN_GRAMMAR_BASH); }
static void learn_javascript(void) { learn(BAWN_GRAMMAR_JAVASCRIPT); }

static const struct grammar *learned(enum bawn_grammar g)
{
	static void (*const how[])(void) = { learn_python, learn_bash, learn_javascript };
	_Static_assert(BAWN_LEN(how) == BAWN_GRAMMAR_COUNT, "one row per grammar");
	(void)pthread_once(&known[g].once, how[g]);
	return &known[g];
}

/* ---- copying ---- */

static void charge(uint64_t work);  /* to the guard, see below */

/* A tree being copied out of the cursor. */
struct copy {
	struct bawn_tree     *t;
	const struct grammar *g;
	size_t                cap, room;   /* nodes, bytes */
	TSTreeCursor          cursor;
};

static int make_room(struct copy *c, struct bawn_err *err)
{
	size_t most = c->room / sizeof *c->t->node, cap = c->cap == 0 ? 256 : c->cap * 2;
	cap = cap < most ? cap : most;
	if (c->t->n >= cap)
		return bawn_fail_as(err, BAWN_ERROR_ASSESSMENT_FAILED, NULL, "read the code: it has too many parts");
	struct bawn_node *grown = realloc(c->t->node, cap * sizeof *grown);
	if (grown == NULL)
		return bawn_fail(err, -ENOMEM, "copy the syntax tree");
	c->t->node = grown;
	c->cap = cap;
	return 0;
}

/* Appends `node`, which is under the cursor; *out_index is 0 for a token that nobody asks about. */
static int add_node(struct copy *c, TSNode node, uint32_t parent, uint32_t *out_index, struct bawn_err *err)
{
	struct bawn_tree *t = c->t;
	TSSymbol symbol = ts_node_symbol(node);
	bool missing = ts_node_is_missing(node), bad = missing || symbol >= SYMBOLS_MAX;  /* ERROR has the last number there is */
	uint8_t kind = bad ? (uint8_t)BAWN_K_ERROR : c->g->kind[symbol];
	*out_index = 0;
	if (t->n > 0 && kind == BAWN_K_OTHER && !c->g->named[symbol])
		return 0;
	if (t->n == c->cap) {
		int r = make_room(c, err);
		if (r < 0)
			return r;
	}
	if (bad && !t->errors) {
		t->errors = true;
		t->error_node = (uint32_t)t->n;
	}
	*out_index = (uint32_t)t->n;
	t->node[t->n++] = (struct bawn_node){
		.start = ts_node_start_byte(node), .end = ts_node_end_byte(node), .parent = parent, .kind = kind, .missing = missing,
		.role = c->g->role[ts_tree_cursor_current_field_id(&c->cursor)],
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

/* To the first child.  What the parser stumbled over is a chain of hidden nodes, which the cursor goes up
 * from each child to find its role: that is counted before it begins. */
static bool descend(struct copy *c, TSNode node)
{
	uint64_t n = ts_node_child_count(node);
	if (ts_node_symbol(node) >= SYMBOLS_MAX)
		charge(n * n / 2);
	return n > 0 && ts_tree_cursor_goto_first_child(&c->cursor);
}

/* Depth first with the cursor as the only stack.  `last` of the level above is found again through
 * the node we come back to, so nothing here grows with the depth of the text. */
static int copy_nodes(struct copy *c, struct bawn_err *err)
{
	uint32_t at = 0, skipped = 0, parent = 0, last = 0;
	TSNode root = ts_tree_cursor_current_node(&c->cursor);
	int r = add_node(c, root, 0, &at, err);
	if (r < 0 || !descend(c, root))
		return r;
	for (;;) {
		TSNode node = ts_tree_cursor_current_node(&c->cursor);
		r = add_node(c, node, parent, &at, err);
		if (r < 0)
			return r;
		link_node(c->t, parent, &last, at);
		if (descend(c, node)) {
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

/* ---- tree-sitter's memory and work ----
 *
 * libtree-sitter 0.20 ends the process when memory runs out, and counts the children of a node that
 * error recovery makes in 16 bits: a text nested deeper than 65535 corrupts its heap.  Both are
 * stopped where every such accident must pass, at the allocator: everything one parse uses comes from
 * one pool, and a request that fails, that passes the bound of the pool, or that is large enough to
 * hold more children than can be counted, leaves the parser by longjmp; then the pool goes, and with
 * it parser, tree and cursor.  Nothing of ours is on the stack in between.
 *
 * What the parser does is counted at the same place, and where it reads the text: error recovery and
 * scanning ahead take quadratic time for some texts, but they cannot do so without asking for memory
 * or for text.  Each block costs its bytes and a fixed sum, each byte of text a few. */

#define CHILDREN_MAX 65535u
#define CHILD_BYTES  8u
#define BLOCK_WORK   64u
#define BYTE_WORK    8u
#define PIECE_BYTES  256u

struct guard {
	struct bawn_pool pool;
	struct bawn_span text;
	jmp_buf          leave;
	uint64_t         work, max_work;
	bool             parsing, nested;
};

/* The parse of this thread; the allocator's interface has no room for a context. */
static _Thread_local struct guard *guard;

static void charge(uint64_t work)
{
	guard->work += work;
	if (guard->work > guard->max_work)
		longjmp(guard->leave, 1);
}

static void ask(size_t n)
{
	guard->nested = guard->parsing && n / CHILD_BYTES >= CHILDREN_MAX;
	if (guard->nested)
		longjmp(guard->leave, 1);
	charge(BLOCK_WORK + (uint64_t)n);
}

/* What the pool gave, if it gave anything. */
static void *or_leave(void *block)
{
	if (block == NULL)
		longjmp(guard->leave, 1);
	return block;
}

/* The parser is a shared library where libbawn is one, and its allocator is one for the whole process:
 * outside our own parses it serves whoever else in the process uses the parser, as it did before. */
static void *guarded_malloc(size_t n)
{
	if (guard == NULL)
		return malloc(n);
	ask(n);
	return or_leave(bawn_pool_get(&guard->pool, n));
}

static void *guarded_calloc(size_t n, size_t size)
{
	size_t total;
	if (guard == NULL)
		return calloc(n, size);
	if (__builtin_mul_overflow(n, size, &total))
		longjmp(guard->leave, 1);
	return memset(guarded_malloc(total), 0, total);
}

static void *guarded_realloc(void *p, size_t n)
{
	if (guard == NULL)
		return realloc(p, n);
	ask(n);
	return or_leave(bawn_pool_resize(&guard->pool, p, n));
}

static void guarded_free(void *p)
{
	if (guard == NULL)
		free(p);
	else
		bawn_pool_put(&guard->pool, p);
}

static void set_allocator(void) { ts_set_allocator(guarded_malloc, guarded_calloc, guarded_realloc, guarded_free); }

/* The text in small pieces, so that reading ahead is noticed. */
static const char *read_piece(void *nothing, uint32_t at, TSPoint where, uint32_t *out_n)
{
	(void)nothing;
	(void)where;
	size_t left = at < guard->text.n ? guard->text.n - at : 0;
	*out_n = (uint32_t)(left < PIECE_BYTES ? left : PIECE_BYTES);
	charge(BLOCK_WORK + *out_n * BYTE_WORK);
	return left > 0 ? guard->text.p + at : "";
}

/* The parser adds microseconds to a clock without carrying into its seconds, so that fractions end up
 * to a second early. */
static uint64_t whole_seconds(uint64_t us) { return us < 1000000 ? us : (us + 999999) / 1000000 * 1000000; }

/* Nothing is deleted here: it is all in the pool. */
static int parse(const struct bawn_tree_limit *most, struct bawn_tree *t, struct bawn_err *err)
{
	const struct grammar *g = learned(t->grammar);
	TSParser *parser = ts_parser_new();
	TSTree *tree = NULL;
	if (ts_parser_set_language(parser, g->language())) {
		ts_parser_set_timeout_micros(parser, whole_seconds(most->time_us));
		ts_parser_set_cancellation_flag(parser, most->cancel);
		guard->parsing = true;
		tree = ts_parser_parse(parser, NULL, (TSInput){ .read = read_piece, .encoding = TSInputEncodingUTF8 });
		guard->parsing = false;
	}
	if (tree == NULL)
		return bawn_fail_as(err, BAWN_ERROR_ASSESSMENT_FAILED, NULL, "parse the code within %u ms", (unsigned)(most->time_us / 1000));
	struct copy c = { .t = t, .g = g, .cursor = ts_tree_cursor_new(ts_tree_root_node(tree)), .room = guard->pool.max_bytes - guard->pool.bytes };
	return copy_nodes(&c, err);
}

static int why_left(const struct guard *g, struct bawn_err *err)
{
	if (g->pool.no_memory)
		return bawn_fail(err, -ENOMEM, "parse the code");
	return bawn_fail_as(err, BAWN_ERROR_ASSESSMENT_FAILED, NULL, "parse the code: it %s",
	                    g->nested ? "is nested too deeply" : g->work > g->max_work ? "takes too much work" : "needs too much memory");
}

/* `work`: what was done before. */
static int parse_guarded(const struct bawn_tree_limit *most, struct bawn_span text, uint64_t work, struct bawn_tree *t, struct bawn_err *err)
{
	struct guard g = { .pool = BAWN_POOL(most->bytes), .text = text, .work = work, .max_work = most->work };
	guard = &g;
	int r = setjmp(g.leave) == 0 ? parse(most, t, err) : why_left(&g, err);
	guard = NULL;
	t->work = g.work;
	bawn_pool_done(&g.pool);
	return r;
}

/* ---- line ends ----
 *
 * Python and JavaScript end a line at a lone carriage return, too, and JavaScript at two characters of
 * Unicode; the grammars end a comment or the #! line only at a newline, and what stands behind would be
 * hidden in it.  The parser is given a copy of the same length in which such a line ends for it. */

static bool lone_return(struct bawn_span t, size_t i) { return t.p[i] == '\r' && (i + 1 == t.n || t.p[i + 1] != '\n'); }

static bool line_separator(struct bawn_span t, size_t i)
{
	return i + 2 < t.n && memcmp(t.p + i, "\xe2\x80", 2) == 0 && ((unsigned char)t.p[i + 2] & 0xfe) == 0xa8;
}

static int script_plain(enum bawn_grammar grammar, struct bawn_span t, char **ret, uint64_t *out_work)
{
	if (t.n == 0 || (memchr(t.p, '\r', t.n) == NULL && !bawn_span_starts(t, "#!")))
		return 0;
	char *out = malloc(t.n);
	if (out == NULL)
		return -ENOMEM;
	bool first = grammar == BAWN_GRAMMAR_JAVASCRIPT && bawn_span_starts(t, "#!");
	memcpy(out, t.p, t.n);
	for (size_t i = 0; i < t.n; i++) {
		if (lone_return(t, i))
			out[i] = '\n';
		else if (first && line_separator(t, i))
			memcpy(out + i, "\n  ", 3);
		first = first && out[i] != '\n';
	}
	*ret = out;
	*out_work = 2 * t.n;
	return 0;
}

int bawn_tree_parse(enum bawn_grammar grammar, struct bawn_span text, const struct bawn_tree_limit *most,
                    struct bawn_tree *out, struct bawn_err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct bawn_tree t = { .grammar = grammar, .text = text };
	if (text.n >= UINT32_MAX)
		return bawn_fail_as(err, BAWN_ERROR_CODE_TOO_LARGE, NULL, "parse the code");
	(void)pthread_once(&once, set_allocator);
	bawn_auto_free char *plain = NULL;
	uint64_t work = 0;
	int r = grammar == BAWN_GRAMMAR_BASH ? bawn_shelltext_plain(text, &plain, &work) : script_plain(grammar, text, &plain, &work);
	if (r < 0)  /* as it stands it would be read as something else */
		return bawn_fail(err, r, "parse the code");
	r = parse_guarded(most, plain != NULL ? (struct bawn_span){ plain, text.n } : text, work, &t, err);
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
