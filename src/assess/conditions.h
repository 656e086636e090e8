/* conditions.h - what a rule asks for beyond a name: arguments, options, where the data came from. */
#pragma once
#include "assess/engine.h"

/* LATER: all that is missing may still be seen in this file. */
enum answer { BAWN_NO, BAWN_LATER, BAWN_YES };
enum answer bawn_rule_holds(struct engine *e, const struct bawn_rule *r, const struct fact *f);
