#include "sandbox/sandbox.h"
#include <string.h>
#include "base/cleanup.h"

#define NAME(n, t) t,
static const char *const denial_name[] = { BAWN_DENIALS(NAME) };
_Static_assert(BAWN_LEN(denial_name) == BAWN_DENIAL_COUNT, "one word per kind of denial");
const struct bawn_words bawn_denial_words = { denial_name, (int)BAWN_LEN(denial_name) };
static const char *const by_name[] = { BAWN_DENIED_BY(NAME) };
_Static_assert(BAWN_LEN(by_name) == BAWN_BY_COUNT, "one word for each who denies");
const struct bawn_words bawn_by_words = { by_name, (int)BAWN_LEN(by_name) };

const struct bawn_place bawn_writable[] = {
	{ "/workspace", true }, { "/tmp", true }, { "/dev/shm", true },
	{ "/dev/null", false }, { "/dev/zero", false }, { "/dev/full", false },
};
const size_t bawn_writable_count = BAWN_LEN(bawn_writable);

bool bawn_is_writable(struct bawn_span path)
{
	for (size_t i = 0; i < bawn_writable_count; i++) {
		size_t n = strlen(bawn_writable[i].path);
		if (bawn_span_starts(path, bawn_writable[i].path) && (path.n == n || (bawn_writable[i].dir && path.p[n] == '/')))
			return true;
	}
	return false;
}
