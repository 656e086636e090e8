/* match.h - what the patterns of `case` bind: see match.c. */
#pragma once
#include "assess/script.h"

/* A `case` of Python begins. */
void bawn_match_case(struct script *s, uint32_t case_);
