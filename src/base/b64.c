#include "base/b64.h"
#include <sodium.h>
#include <string.h>

void bawn_b64(const uint8_t *bytes, size_t n, char *out)
{
	(void)sodium_bin2base64(out, BAWN_B64_LEN(n) + 1, bytes, n, sodium_base64_VARIANT_ORIGINAL);
}

void bawn_b64_put(struct bawn_buf *out, const uint8_t *bytes, size_t n)
{
	for (size_t at = 0; at < n; ) {
		char text[BAWN_B64_LEN(48) + 1];
		size_t part = n - at < 48 ? n - at : 48;  /* whole groups of three, so the pieces join */
		bawn_b64(bytes + at, part, text);
		bawn_buf_add(out, text, BAWN_B64_LEN(part));
		at += part;
	}
}

/* libsodium passes over the eighth bit of a letter: what is read must be spelled as we would spell it. */
static bool is_canonical(struct bawn_span text, const uint8_t *bytes, size_t n)
{
	for (size_t at = 0; at < n; at += 48) {
		char own[BAWN_B64_LEN(48) + 1];
		size_t part = n - at < 48 ? n - at : 48;
		bawn_b64(bytes + at, part, own);
		if (memcmp(text.p + BAWN_B64_LEN(at), own, BAWN_B64_LEN(part)) != 0)
			return false;
	}
	return true;
}

bool bawn_b64_read(struct bawn_span text, uint8_t *out, size_t n)
{
	size_t got = 0;
	return text.n == BAWN_B64_LEN(n) &&
	       sodium_base642bin(out, n, text.p, text.n, NULL, &got, NULL, sodium_base64_VARIANT_ORIGINAL) == 0 && got == n &&
	       is_canonical(text, out, n);
}
