#include "sandbox/sandbox.h"
#include "base/cleanup.h"

#define NAME(n, t) t,
static const char *const denial_name[] = { BAWN_DENIALS(NAME) };
_Static_assert(BAWN_LEN(denial_name) == BAWN_DENIAL_COUNT, "one word per kind of denial");
const struct bawn_words bawn_denial_words = { denial_name, (int)BAWN_LEN(denial_name) };
