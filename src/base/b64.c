#include "base/b64.h"

static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void group(const uint8_t *p, size_t n, char out[static 4])
{
	uint32_t v = (uint32_t)p[0] << 16 | (n > 1 ? (uint32_t)p[1] << 8 : 0) | (n > 2 ? p[2] : 0u);
	for (unsigned i = 0; i < 4; i++)
		out[i] = i <= n ? letter[v >> (18 - 6 * i) & 63u] : '=';
}

void bawn_b64(const uint8_t *bytes, size_t n, char *out)
{
	for (; n > 0; out += 4) {
		size_t part = n < 3 ? n : 3;
		group(bytes, part, out);
		bytes += part;
		n -= part;
	}
	*out = '\0';
}

void bawn_b64_put(struct bawn_buf *out, const uint8_t *bytes, size_t n)
{
	for (; n > 0; ) {
		char four[4];
		size_t part = n < 3 ? n : 3;
		group(bytes, part, four);
		bawn_buf_add(out, four, sizeof four);
		bytes += part;
		n -= part;
	}
}

static int value_of(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 :
	       c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool bawn_b64_read(struct bawn_span text, uint8_t *out, size_t n)
{
	if (text.n != BAWN_B64_LEN(n))
		return false;
	for (const char *p = text.p; n > 0; p += 4) {
		size_t part = n < 3 ? n : 3;
		uint32_t v = 0;
		for (size_t i = 0; i < 4; i++) {
			int bits = i <= part ? value_of(p[i]) : p[i] == '=' ? 0 : -1;
			if (bits < 0)
				return false;
			v = v << 6 | (uint32_t)bits;
		}
		if ((v & ((1u << 8 * (3 - part)) - 1u)) != 0)  /* bits that belong to no byte */
			return false;
		for (size_t i = 0; i < part; i++)
			*out++ = (uint8_t)(v >> (16 - 8 * i));
		n -= part;
	}
	return true;
}
