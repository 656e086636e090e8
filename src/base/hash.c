#include "base/hash.h"
#include <sodium.h>
#include "base/hash_by.h"

_Static_assert(sizeof(crypto_hash_sha256_state) <= sizeof((struct bawn_sha256 *)0)->opaque, "the state fits");

static int by_sodium_start(void *state) { return crypto_hash_sha256_init(state); }
static int by_sodium_add(void *state, const void *p, size_t n) { return crypto_hash_sha256_update(state, p, n); }
static int by_sodium_end(unsigned char *out, void *state) { return crypto_hash_sha256_final(state, out); }
static const struct bawn_sha256_by sodium = { by_sodium_start, by_sodium_add, by_sodium_end };

/* The one thing that is not const here: whichever stands in it, the results are the same. */
static _Atomic(const struct bawn_sha256_by *) current = &sodium;

void bawn_sha256_use(const struct bawn_sha256_by *by) { current = by; }

void bawn_sha256_init(struct bawn_sha256 *h)
{
	h->by = current;
	(void)h->by->start(h->opaque);
}
void bawn_sha256_add(struct bawn_sha256 *h, const void *p, size_t n) { (void)h->by->add(h->opaque, p, n); }
void bawn_sha256_end(struct bawn_sha256 *h, uint8_t out[static BAWN_SHA256_LEN]) { (void)h->by->end(out, h->opaque); }

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
