#include "base/hash.h"
#include <sodium.h>

_Static_assert(sizeof(crypto_hash_sha256_state) <= sizeof(struct bawn_sha256), "the state fits");

static crypto_hash_sha256_state *state(struct bawn_sha256 *h) { return (crypto_hash_sha256_state *)(void *)h->opaque; }

void bawn_sha256_init(struct bawn_sha256 *h) { (void)crypto_hash_sha256_init(state(h)); }
void bawn_sha256_add(struct bawn_sha256 *h, const void *p, size_t n)
{
	(void)crypto_hash_sha256_update(state(h), p, n);
}
void bawn_sha256_end(struct bawn_sha256 *h, uint8_t out[static BAWN_SHA256_LEN])
{
	(void)crypto_hash_sha256_final(state(h), out);
}

void bawn_sha256(struct bawn_span bytes, uint8_t out[static BAWN_SHA256_LEN])
{
	(void)crypto_hash_sha256(out, (const unsigned char *)bytes.p, bytes.n);
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

static unsigned nibble(char c) { return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10) & 15u; }

void bawn_unhex(const char *hex, uint8_t *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = (uint8_t)(nibble(hex[2 * i]) << 4 | nibble(hex[2 * i + 1]));
}

void bawn_sha256_hex(struct bawn_span bytes, char out[static BAWN_SHA256_HEX])
{
	uint8_t raw[BAWN_SHA256_LEN];
	bawn_sha256(bytes, raw);
	bawn_hex(raw, sizeof raw, out);
}
