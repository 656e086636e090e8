/* branch.h - parts of a program that may run or not: see branch.c. */
#pragma once
#include "assess/fold.h"

/* A part that may run or not, or to its end or not, or whose names are its own. */
bool bawn_is_branch(const struct script *s, uint32_t i);
/* While a body is read again with everything known, of `if` and `else` only one is read. */
enum truth bawn_is_taken(const struct script *s, uint32_t i);
