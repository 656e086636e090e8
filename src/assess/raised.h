/* raised.h - what the owner of the machine adds to the rules: patterns of security.yaml, and rules.d. */
#pragma once
#include "assess/engine.h"

/* Does the policy trust what this is about? */
bool bawn_is_trusted(const struct engine *e, const struct fact *f);

/* blocked_patterns and high_triggers are findings of their own, raised as events. */
void bawn_raise_patterns(struct engine *e, const struct fact *f);

/* Rules of rules.d that the fact meets. */
void bawn_raise_own(struct engine *e, const struct fact *f);
