/* rulefile.h - one rule file (YAML text) as rules and examples. */
#pragma once
#include "assess/arena.h"
#include "assess/rule.h"

struct bawn_example { uint16_t rule; bool match; uint32_t line; const char *text; };

struct bawn_rulefile {
	struct arena          arena;    /* owns everything below */
	struct bawn_rule     *rule;    size_t n;
	struct bawn_rule_key *key;     size_t n_keys;
	struct bawn_example  *example; size_t n_examples;
	const char          **tested;   /* by rule: the test that stands in for examples, NULL mostly */
};

/* `name` is "python/process.yaml" or the like: its stem is the family.  Every mistake is an error that
 * says where: err has the first, `problems` (may be NULL) all of them, one a line. */
BAWN_MUST_CHECK int bawn_rulefile_read(const char *name, struct bawn_span text, struct bawn_rulefile *out,
                                       struct bawn_buf *problems, struct bawn_err *err);
void bawn_rulefile_done(struct bawn_rulefile *f);
