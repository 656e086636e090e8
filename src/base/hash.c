/* hash.c - SHA-256: by the instructions of the processor where it has them, else by libsodium.
 *
 * libsodium's is portable C; on processors since about 2017 the instructions are four to eight times
 * as fast, and the audit log hashes every byte twice (docs/decisions/0017-signed-log.md).
 * The block function follows FIPS 180-4: 64 rounds, four of them and four words of schedule at a time. */
#include "base/hash.h"
#include <sodium.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_SHA 1
#else
#define HAVE_SHA 0
#endif

struct fast { uint32_t h[8]; uint64_t bytes; uint8_t part[64]; };

struct state { bool fast; union { struct fast own; crypto_hash_sha256_state sodium; } u; };
_Static_assert(sizeof(struct state) <= sizeof(struct bawn_sha256), "the state fits");

static struct state *state(struct bawn_sha256 *h) { return (struct state *)(void *)h->opaque; }

#if HAVE_SHA
static const uint32_t k[64] __attribute__((aligned(16))) = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static bool has_sha(void)
{
	/* Bit 29 of EBX, leaf 7; what goes with it (SSSE3, SSE4.1) every such processor has. */
	unsigned a = 0, b = 0, c = 0, d = 0;
	__asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
	if (a < 7)
		return false;
	a = 7;
	c = 0;
	__asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return (b >> 29 & 1u) != 0;
}

/* The instructions keep the eight words as ABEF and CDGH. */
__attribute__((target("sha,sse4.1,ssse3")))
static void blocks(uint32_t h[static 8], const uint8_t *p, size_t n)
{
	const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	__m128i dcba = _mm_loadu_si128((const __m128i *)(const void *)h), hgfe = _mm_loadu_si128((const __m128i *)(const void *)(h + 4));
	__m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
	__m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
	for (; n > 0; n--, p += 64) {
		const __m128i abef_before = abef, cdgh_before = cdgh;
		__m128i w[4];
#pragma GCC unroll 16
		for (int i = 0; i < 16; i++) {
			__m128i *now = &w[i % 4];
			if (i < 4) {
				*now = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i)), swap);
			} else {
				const __m128i w1 = w[(i + 1) % 4], w2 = w[(i + 2) % 4], w3 = w[(i + 3) % 4];
				*now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(*now, w1), _mm_alignr_epi8(w3, w2, 4)), w3);
			}
			const __m128i sum = _mm_add_epi32(*now, _mm_load_si128((const __m128i *)(const void *)(k + 4 * i)));
			cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
			abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
		}
		abef = _mm_add_epi32(abef, abef_before);
		cdgh = _mm_add_epi32(cdgh, cdgh_before);
	}
	const __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
	_mm_storeu_si128((__m128i *)(void *)h, _mm_blend_epi16(feba, dchg, 0xf0));
	_mm_storeu_si128((__m128i *)(void *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#else
static bool has_sha(void) { return false; }
static void blocks(uint32_t h[static 8], const uint8_t *p, size_t n) { (void)h, (void)p, (void)n; }
#endif

static bool fast(void)
{
	static int known;  /* the same answer whoever asks first */
	int now = __atomic_load_n(&known, __ATOMIC_RELAXED);
	if (now == 0) {
		now = has_sha() ? 1 : 2;
		__atomic_store_n(&known, now, __ATOMIC_RELAXED);
	}
	return now == 1;
}

static void fast_init(struct fast *f)
{
	static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	memcpy(f->h, start, sizeof f->h);
	f->bytes = 0;
}

static void fast_add(struct fast *f, const uint8_t *p, size_t n)
{
	size_t have = (size_t)(f->bytes % 64);
	f->bytes += n;
	if (have > 0) {
		size_t part = n < 64 - have ? n : 64 - have;
		memcpy(f->part + have, p, part);
		p += part;
		n -= part;
		if (have + part < 64)
			return;
		blocks(f->h, f->part, 1);
	}
	if (n >= 64)
		blocks(f->h, p, n / 64);
	if (n % 64 > 0)
		memcpy(f->part, p + n / 64 * 64, n % 64);
}

static void fast_end(struct fast *f, uint8_t out[static BAWN_SHA256_LEN])
{
	static const uint8_t pad[64] = { 0x80 };
	const uint64_t bits = f->bytes * 8;
	uint8_t length[8];
	for (int i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	fast_add(f, pad, (size_t)((f->bytes % 64 < 56 ? 56 : 120) - f->bytes % 64));
	fast_add(f, length, sizeof length);
	for (int i = 0; i < 32; i++)
		out[i] = (uint8_t)(f->h[i / 4] >> (24 - 8 * (i % 4)));
}

void bawn_sha256_init(struct bawn_sha256 *h)
{
	struct state *s = state(h);
	s->fast = fast();
	if (s->fast)
		fast_init(&s->u.own);
	else
		(void)crypto_hash_sha256_init(&s->u.sodium);
}

void bawn_sha256_add(struct bawn_sha256 *h, const void *p, size_t n)
{
	struct state *s = state(h);
	if (n == 0)
		return;
	if (s->fast)
		fast_add(&s->u.own, p, n);
	else
		(void)crypto_hash_sha256_update(&s->u.sodium, p, n);
}

void bawn_sha256_end(struct bawn_sha256 *h, uint8_t out[static BAWN_SHA256_LEN])
{
	struct state *s = state(h);
	if (s->fast)
		fast_end(&s->u.own, out);
	else
		(void)crypto_hash_sha256_final(&s->u.sodium, out);
}

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
