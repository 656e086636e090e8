/* yaml.h - YAML (and so JSON) text as plain data: mappings, sequences and scalars with positions.
 *
 * What an attacker controls: every byte.  Promises: (1) tags, anchors, aliases, merge keys, several
 * documents, duplicate keys, keys that are not words, bad UTF-8 and NUL (also "\0") are errors;
 * (2) size, depth and node count are bounded, and so is the time; (3) nothing is printed; (4) a
 * scalar is only text: what it means is for the caller to say, so `no` is never quietly a bool.
 *
 *	struct bawn_yaml *y;
 *	bawn_auto_buf problems = BAWN_BUF(BAWN_YAML_PROBLEMS_MAX);
 *	if (bawn_yaml_parse("rules.yaml", text, &y, &problems, &err) == 0) {
 *		const struct bawn_yaml_node *rules = bawn_yaml_get(bawn_yaml_root(y), "rules");
 *		for (const struct bawn_yaml_node *n = bawn_yaml_first(rules); n != NULL; n = n->next)
 *			...
 *		bawn_yaml_free(y);
 *	} */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define BAWN_YAML_SIZE_MAX     (256u << 10)
#define BAWN_YAML_DEPTH_MAX    16u      /* mappings and sequences inside one another */
#define BAWN_YAML_NODES_MAX    10000u   /* keys and values */
#define BAWN_YAML_PROBLEMS_MAX (64u << 10)

enum bawn_yaml_kind { BAWN_YAML_SCALAR, BAWN_YAML_SEQUENCE, BAWN_YAML_MAPPING, BAWN_YAML_KIND_COUNT };

/* Read-only, owned by the struct bawn_yaml it came from. */
struct bawn_yaml_node {
	enum bawn_yaml_kind kind;
	bool                plain;         /* a scalar written without quotes: may be a number, a bool, null */
	uint32_t            line, column;  /* of its first character, from 1 */
	struct bawn_span    text;          /* a scalar's value, escapes and folding undone; NUL-terminated */
	const struct bawn_yaml_node *key;    /* the key's scalar where this is a value of a mapping, else NULL */
	const struct bawn_yaml_node *first;  /* values of a mapping or items of a sequence, in file order */
	const struct bawn_yaml_node *next;   /* the next value or item of the same parent */
	size_t              n;             /* how many values or items */
};

struct bawn_yaml;

/* `name` stands in front of positions.  On failure err has the first problem and `problems` (may be
 * NULL) gets all of them, "name:line:column: message" one a line; what can be read past is. */
BAWN_MUST_CHECK int bawn_yaml_parse(const char *name, struct bawn_span text, struct bawn_yaml **out,
                                    struct bawn_buf *problems, struct bawn_err *err);
void bawn_yaml_free(struct bawn_yaml *y);
static inline void bawn_yaml_freep(struct bawn_yaml **y) { bawn_yaml_free(*y); }
#define bawn_auto_yaml __attribute__((cleanup(bawn_yaml_freep))) struct bawn_yaml *

/* Never NULL; an empty document is a null scalar. */
const struct bawn_yaml_node *bawn_yaml_root(const struct bawn_yaml *y);

/* All accept NULL and a node of another kind: then there is nothing in it. */
const struct bawn_yaml_node *bawn_yaml_get(const struct bawn_yaml_node *mapping, const char *key);
static inline const struct bawn_yaml_node *bawn_yaml_first(const struct bawn_yaml_node *n)
{
	return n != NULL ? n->first : NULL;
}
bool bawn_yaml_null(const struct bawn_yaml_node *n);  /* plain and empty, ~ or null */

/* "a mapping", "a list", "text", for messages. */
const char *bawn_yaml_kind_name(enum bawn_yaml_kind kind);
