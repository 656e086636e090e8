/* complexity.h - how much work a text looks like: lines, branches, loops by nesting, calls, imports,
 * texts put together. */
#pragma once
#include <stdint.h>
#include "parse/tree.h"

/* In tenths of a line; grows with everything that is added to a program. */
uint64_t bawn_complexity_work(const struct bawn_tree *t);
uint32_t bawn_complexity_milli(uint64_t work);  /* 0..1000 */
uint32_t bawn_count_lines(struct bawn_span text);
