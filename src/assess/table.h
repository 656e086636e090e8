/* table.h - assessing with a rule table and limits of one's own (NULL: the usual ones), which are those of
 * all files together. */
#pragma once
#include "assess/assess.h"
#include "assess/rule.h"
#include "parse/tree.h"

/* What one assessment may take, where nothing else is said. */
extern const struct bawn_tree_limit bawn_assess_limit;

/* No rules of the table: no policy may turn them off. */
extern const struct bawn_rule bawn_rule_alone[BAWN_ALONE_COUNT];

BAWN_MUST_CHECK int bawn_assess_with(const struct bawn_rule_table *rules, const struct bawn_assess_file *file, size_t n_files,
                                     const struct bawn_policy *policy, const struct bawn_tree_limit *most,
                                     struct bawn_assessment **out, struct bawn_err *err);
