/* table.h - assessing with a rule table, a time and a cancel flag of one's own. */
#pragma once
#include "assess/assess.h"
#include "assess/rule.h"

BAWN_MUST_CHECK int bawn_assess_with(const struct bawn_rule_table *rules, const struct bawn_assess_file *file, size_t n_files,
                                     const struct bawn_policy *policy, uint64_t time_us, const size_t *cancel,
                                     struct bawn_assessment **out, struct bawn_err *err);
