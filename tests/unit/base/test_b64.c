/* test_b64.c - base64 as RFC 4648 has it, and no other spelling of the same bytes. */
#include <string.h>
#include "base/b64.h"
#include "base/cleanup.h"
#include "tap.h"

int main(void)
{
	static const struct { const char *bytes, *text; } row[] = {
		{ "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" }, { "foob", "Zm9vYg==" }, { "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" },
		{ "\xfb\xff\xbf", "+/+/" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		char text[20];
		uint8_t back[20] = { 0 };
		size_t n = strlen(row[i].bytes);
		bawn_auto_buf buf = BAWN_BUF(100);
		bawn_b64((const uint8_t *)row[i].bytes, n, text);
		bawn_b64_put(&buf, (const uint8_t *)row[i].bytes, n);
		ok(strcmp(text, row[i].text) == 0 && bawn_span_is(bawn_buf_span(&buf), text), "%s", row[i].text);
		ok(bawn_b64_read(bawn_span(text), back, n) && memcmp(back, row[i].bytes, n) == 0, "and back");
		ok(!bawn_b64_read(bawn_span(text), back, n + 3) && (n == 0 || !bawn_b64_read(bawn_span(text), back, n - 1) || (n - 1) / 3 != n / 3), "of no other length");
	}
	static const struct { const char *name, *text; size_t n; } bad[] = {
		{ "bits left over", "Zh==", 1 }, { "bits left over in two", "Zm9=", 2 }, { "no padding", "Zg", 1 }, { "too much padding", "Z===", 1 },
		{ "padding inside", "Zg==Zg==", 4 }, { "a space", "Zm 9", 3 }, { "a newline", "Zm9\n", 3 }, { "the other alphabet", "-_-_", 3 }, { "a NUL", "Zm9\0", 3 },
	};
	for (size_t i = 0; i < BAWN_LEN(bad); i++) {
		uint8_t out[8];
		ok(!bawn_b64_read((struct bawn_span){ bad[i].text, BAWN_B64_LEN(bad[i].n) <= strlen(bad[i].text) || i == BAWN_LEN(bad) - 1 ? BAWN_B64_LEN(bad[i].n) : strlen(bad[i].text) }, out, bad[i].n),
		   "%s is refused", bad[i].name);
	}
	return done_testing();
}
