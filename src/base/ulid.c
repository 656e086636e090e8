#include "base/ulid.h"
#include <sys/random.h>
#include "base/clock.h"

static const char letter[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

int bawn_ulid_new(char out[static BAWN_ULID_LEN], struct bawn_err *err)
{
	unsigned char raw[10];
	if (getrandom(raw, sizeof raw, 0) != (ssize_t)sizeof raw)
		return bawn_fail(err, -errno, "draw random bytes");
	uint64_t ms = bawn_wall_us() / 1000u;
	for (int i = 9; i >= 0; i--, ms >>= 5)
		out[i] = letter[ms & 31u];
	for (int half = 0; half < 2; half++) {  /* 40 bits at a time: five bytes, eight letters */
		uint64_t v = 0;
		for (int i = 0; i < 5; i++)
			v = v << 8 | raw[half * 5 + i];
		for (int i = 7; i >= 0; i--, v >>= 5)
			out[10 + half * 8 + i] = letter[v & 31u];
	}
	out[26] = '\0';
	return 0;
}

bool bawn_ulid_valid(struct bawn_span text)
{
	if (text.n != 26 || text.p[0] > '7')
		return false;
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\0' || strchr(letter, text.p[i]) == NULL)
			return false;
	return true;
}
