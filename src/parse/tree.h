/* tree.h - source text as a flat syntax tree: bytes in, an array of nodes out.
 *
 * tree-sitter does the parsing and stays behind this header.  Promises: (1) bounded in work, memory
 * and the number of nodes: past any there is an error, never half a tree; (2) nodes stand in the
 * order of their first byte, parents before children, and every link is an index, so that whoever
 * walks the tree needs no recursion however deep the text is nested; (3) text that does not parse
 * still gives a tree, with the nodes that hold the trouble marked.  An attacker controls every byte. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/span.h"

/* In the order of enum bawn_language, which this layer does not know. */
enum bawn_grammar { BAWN_GRAMMAR_PYTHON, BAWN_GRAMMAR_BASH, BAWN_GRAMMAR_JAVASCRIPT, BAWN_GRAMMAR_COUNT };

/* What one parse may use.  Work is counted, in about the bytes that the parser reads and asks for, so
 * that a text passes or fails on every machine alike; the time is only a net below that.  `cancel` (may
 * be NULL): parsing stops soon after it becomes non-zero. */
struct bawn_tree_limit { uint64_t work; size_t bytes; uint64_t time_us; const size_t *cancel; };

/* What a node is, in words shared by the languages.  OTHER nodes only hold their children. */
enum bawn_kind {
	BAWN_K_OTHER, BAWN_K_ERROR, BAWN_K_ROOT, BAWN_K_COMMENT,
	/* names and constants */
	BAWN_K_NAME, BAWN_K_STRING, BAWN_K_PART, BAWN_K_ESCAPE, BAWN_K_INSERT, BAWN_K_STRING_START,
	BAWN_K_ADJACENT, BAWN_K_TEMPLATE, BAWN_K_INTEGER, BAWN_K_TRUE, BAWN_K_FALSE, BAWN_K_NONE,
	/* expressions */
	BAWN_K_CALL, BAWN_K_NEW, BAWN_K_ARGUMENTS, BAWN_K_KEYWORD, BAWN_K_ATTRIBUTE, BAWN_K_SUBSCRIPT, BAWN_K_SLICE,
	BAWN_K_BINARY, BAWN_K_UNARY, BAWN_K_LIST, BAWN_K_DICT, BAWN_K_PAIR, BAWN_K_PAREN, BAWN_K_CONDITIONAL,
	BAWN_K_BOOLEAN, BAWN_K_COMPREHENSION, BAWN_K_FOR_IN, BAWN_K_SPLAT, BAWN_K_AWAIT, BAWN_K_LAMBDA, BAWN_K_COMPARE,
	BAWN_K_SEQUENCE, BAWN_K_REGEX,
	/* statements */
	BAWN_K_ASSIGN, BAWN_K_AUGMENT, BAWN_K_WALRUS, BAWN_K_IMPORT, BAWN_K_IMPORT_FROM, BAWN_K_ALIASED, BAWN_K_DOTTED,
	BAWN_K_WILDCARD, BAWN_K_NAMESPACE, BAWN_K_FUNCTION, BAWN_K_CLASS, BAWN_K_PARAMETERS, BAWN_K_PARAMETER,
	BAWN_K_DECORATOR, BAWN_K_RETURN, BAWN_K_YIELD, BAWN_K_IF, BAWN_K_FOR, BAWN_K_WHILE, BAWN_K_CASE, BAWN_K_TRY, BAWN_K_THROW, BAWN_K_WITH,
	BAWN_K_AS, BAWN_K_AS_TARGET, BAWN_K_PATTERN, BAWN_K_STATEMENT, BAWN_K_BLOCK,
	/* shell */
	BAWN_K_COMMAND, BAWN_K_COMMAND_NAME, BAWN_K_WORD, BAWN_K_RAW, BAWN_K_ANSI_C, BAWN_K_CONCAT, BAWN_K_EXPANSION,
	BAWN_K_SUBSTITUTION, BAWN_K_PROCESS_SUB, BAWN_K_PIPELINE, BAWN_K_LIST_OF_COMMANDS, BAWN_K_REDIRECTED, BAWN_K_REDIRECT, BAWN_K_HEREDOC,
	BAWN_K_HEREDOC_BODY, BAWN_K_HERESTRING, BAWN_K_SUBSHELL, BAWN_K_DECLARATION, BAWN_K_TEST, BAWN_K_BRACE, BAWN_K_BACKGROUND,
	/* tokens */
	BAWN_K_OPERATOR,
	BAWN_K_COUNT
};

/* Which child of its parent a node is. */
enum bawn_role {
	BAWN_R_NONE, BAWN_R_ALIAS, BAWN_R_ALTERNATIVE, BAWN_R_ARGUMENT, BAWN_R_ARGUMENTS, BAWN_R_BODY, BAWN_R_CONDITION,
	BAWN_R_DESTINATION, BAWN_R_FUNCTION, BAWN_R_KEY, BAWN_R_LEFT, BAWN_R_MODULE, BAWN_R_NAME, BAWN_R_OBJECT,
	BAWN_R_OPERATOR, BAWN_R_PARAMETERS, BAWN_R_PROPERTY, BAWN_R_REDIRECT, BAWN_R_RIGHT, BAWN_R_SUBSCRIPT, BAWN_R_VALUE,
	BAWN_R_COUNT
};

struct bawn_node {
	uint32_t start, end;            /* bytes */
	uint32_t parent, child, next;   /* indices; 0: none (0 is the root, nobody's child) */
	uint8_t  kind, role;
	bool     missing;               /* the parser had to make it up */
};

struct bawn_tree {
	enum bawn_grammar grammar;
	struct bawn_span  text;         /* borrowed */
	struct bawn_node *node;
	size_t            n;
	bool              errors;       /* some node is ERROR or missing */
	uint32_t          error_node;   /* the first of them */
	uint64_t          work;         /* what it took */
};

/* `text` must stay as long as the tree.  Over a limit or cancelled: ASSESSMENT_FAILED. */
BAWN_MUST_CHECK int bawn_tree_parse(enum bawn_grammar grammar, struct bawn_span text, const struct bawn_tree_limit *most,
                                    struct bawn_tree *out, struct bawn_err *err);
void bawn_tree_done(struct bawn_tree *t);
#define bawn_auto_tree __attribute__((cleanup(bawn_tree_done))) struct bawn_tree

static inline struct bawn_span bawn_node_text(const struct bawn_tree *t, uint32_t i)
{
	return (struct bawn_span){ t->text.p + t->node[i].start, t->node[i].end - t->node[i].start };
}
/* The first child with that role, or 0. */
uint32_t bawn_node_child(const struct bawn_tree *t, uint32_t i, enum bawn_role role);
