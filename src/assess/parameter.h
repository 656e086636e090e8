/* parameter.h - the parameters of functions: see parameter.c. */
#pragma once
#include "assess/script.h"

/* What the parameters of `function` stand for; `exact`: in this call, else in any that was seen. */
void bawn_bind_parameters(struct script *s, uint32_t function, const struct call *c, bool exact);
/* A function that somebody else will call with these. */
void bawn_script_hand(struct script *s, uint32_t function, struct value **arg, uint32_t n);
