#include "base/utf8.h"
#include "base/buf.h"

size_t bawn_utf8_next(struct bawn_span text, size_t at, uint32_t *out_char)
{
	const unsigned char *s = (const unsigned char *)text.p + at;
	size_t left = text.n - at;
	if (s[0] < 0x80) {
		*out_char = s[0];
		return 1;
	}
	size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	if (s[0] < 0xc2 || s[0] > 0xf4 || left < n)
		return 0;
	uint32_t c = s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = (c << 6) | (s[i] & 0x3fu);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*out_char = c;
	return n;
}

size_t bawn_utf8_bad(struct bawn_span text)
{
	size_t at = 0;
	while (at < text.n) {
		uint32_t c;
		size_t n = bawn_utf8_next(text, at, &c);
		if (n == 0)
			return at;
		at += n;
	}
	return text.n;
}

void bawn_utf8_replace(struct bawn_buf *out, struct bawn_span text)
{
	size_t at = 0;
	while (at < text.n) {
		struct bawn_span rest = { text.p + at, text.n - at };
		size_t good = bawn_utf8_bad(rest);
		bawn_buf_add(out, rest.p, good);
		at += good;
		if (at < text.n) {
			bawn_buf_str(out, "\xef\xbf\xbd");
			at++;
		}
	}
}
