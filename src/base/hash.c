#include "base/hash.h"
#define OPENSSL_SUPPRESS_DEPRECATED  /* its newer interface looks a hash up by name, in a registry that takes longer to make than we run */
#include <openssl/sha.h>

_Static_assert(sizeof(SHA256_CTX) <= sizeof(struct bawn_sha256) && _Alignof(SHA256_CTX) <= _Alignof(struct bawn_sha256), "the state fits");

static SHA256_CTX *state(struct bawn_sha256 *h) { return (SHA256_CTX *)(void *)h->opaque; }

/* Each answers 1 and cannot fail: there is nothing to allocate and nothing to look up. */
void bawn_sha256_init(struct bawn_sha256 *h) { (void)SHA256_Init(state(h)); }
void bawn_sha256_add(struct bawn_sha256 *h, const void *p, size_t n) { (void)SHA256_Update(state(h), p, n); }
void bawn_sha256_end(struct bawn_sha256 *h, uint8_t out[static BAWN_SHA256_LEN]) { (void)SHA256_Final(out, state(h)); }

void bawn_sha256(struct bawn_span bytes, uint8_t out[static BAWN_SHA256_LEN])
{
	struct bawn_sha256 h;
	bawn_sha256_init(&h);
	bawn_sha256_add(&h, bytes.p, bytes.n);
	bawn_sha256_end(&h, out);
}

void bawn_hex(const uint8_t *bytes, size_t n, char *out)
{
	static const char digit[] = "0123456789abcdef";
	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digit[bytes[i] >> 4];
		out[2 * i + 1] = digit[bytes[i] & 15];
	}
	out[2 * n] = '\0';
}

/* Small letters and digits, and whatever else: 0 to 15.  Without a branch: '0' is 0x30, 'a' 0x61. */
static unsigned nibble(char c) { return ((unsigned)c & 15u) + 9u * ((unsigned)c >> 6 & 1u); }

void bawn_unhex(const char *hex, uint8_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (uint8_t)(nibble(hex[2 * i]) << 4 | (nibble(hex[2 * i + 1]) & 15u));
}

void bawn_sha256_hex(struct bawn_span bytes, char out[static BAWN_SHA256_HEX])
{
	uint8_t raw[BAWN_SHA256_LEN];
	bawn_sha256(bytes, raw);
	bawn_hex(raw, sizeof raw, out);
}
