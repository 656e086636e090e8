/* test_utf8.c - strict: each character has one spelling, and no other bytes pass. */
#include <string.h>
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/utf8.h"
#include "fault.h"
#include "tap.h"

static size_t encode(uint32_t c, unsigned char out[4])
{
	if (c < 0x80)
		return out[0] = (unsigned char)c, 1;
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		out[i] = (unsigned char)(0x80u | (c & 0x3fu));
	out[0] = (unsigned char)((0xf00u >> n & 0xffu) | c);
	return n;
}

/* Every code point there is, and the ones there are not. */
static void every_character(void)
{
	uint32_t wrong = 0;
	for (uint32_t c = 0; c <= 0x1fffff; c++) {
		unsigned char bytes[4];
		struct bawn_span s = { (char *)bytes, encode(c, bytes) };
		uint32_t got = UINT32_MAX;
		size_t n = bawn_utf8_next(s, 0, &got);
		bool valid = c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
		wrong += valid ? n != s.n || got != c : n != 0 || got != UINT32_MAX;
	}
	ok(wrong == 0, "all of U+0000 to U+10FFFF but the surrogates decode to themselves; nothing above");
}

static void bad_bytes(void)
{
	static const struct { const char *name, *in; size_t n, bad; const char *replaced; } row[] = {
#define TEXT(in) in, sizeof in - 1
#define R "\xef\xbf\xbd"
		{ "empty",                         TEXT(""),                  0, "" },
		{ "good to the end",               TEXT("a\xc3\xa9"),         3, "a\xc3\xa9" },
		{ "a lone continuation byte",      TEXT("a\x80z"),            1, "a" R "z" },
		{ "overlong slash, two bytes",     TEXT("\xc0\xaf"),          0, R R },
		{ "overlong NUL, two bytes",       TEXT("\xc0\x80"),          0, R R },
		{ "overlong, c1",                  TEXT("\xc1\xbf"),          0, R R },
		{ "overlong, three bytes",         TEXT("\xe0\x9f\xbf"),      0, R R R },
		{ "overlong, four bytes",          TEXT("\xf0\x8f\xbf\xbf"),  0, R R R R },
		{ "first surrogate",               TEXT("\xed\xa0\x80"),      0, R R R },
		{ "last surrogate",                TEXT("\xed\xbf\xbf"),      0, R R R },
		{ "just below the surrogates",     TEXT("\xed\x9f\xbf"),      3, "\xed\x9f\xbf" },
		{ "U+10FFFF",                      TEXT("\xf4\x8f\xbf\xbf"),  4, "\xf4\x8f\xbf\xbf" },
		{ "U+110000",                      TEXT("\xf4\x90\x80\x80"),  0, R R R R },
		{ "f5 and beyond",                 TEXT("\xf5\x80\x80\x80"),  0, R R R R },
		{ "five bytes",                    TEXT("\xf8\x88\x80\x80\x80"), 0, R R R R R },
		{ "fe and ff",                     TEXT("\xfe\xff"),          0, R R },
		{ "cut after one of two",          TEXT("ab\xc3"),            2, "ab" R },
		{ "cut after two of three",        TEXT("\xe6\x97"),          0, R R },
		{ "cut after three of four",       TEXT("x\xf0\x9f\x98"),     1, "x" R R R },
		{ "letter where a byte must follow", TEXT("\xe6" "a\x97"),    0, R "a" R },
		{ "NUL is a character",            TEXT("a\0b"),              3, NULL },
#undef TEXT
#undef R
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_span in = { row[i].in, row[i].n };
		/* A copy without a byte to spare: ASan sees a read past the end. */
		bawn_auto_free char *tight = malloc(in.n + (in.n == 0));
		memcpy(tight, in.p, in.n);
		in.p = tight;
		bawn_auto_buf b = BAWN_BUF(100);
		bawn_utf8_replace(&b, in);
		bawn_buf_add(&b, "", 0);
		ok(bawn_utf8_bad(in) == row[i].bad &&
		   (row[i].replaced == NULL || strcmp(b.p, row[i].replaced) == 0), "%s", row[i].name);
	}
}

static void no_memory(void)
{
	bool clean = true;
	for (fault_arm(1); fault_more(); ) {
		bawn_auto_buf b = BAWN_BUF(1000);
		for (int i = 0; i < 100; i++)
			bawn_utf8_replace(&b, bawn_span("ab\xff"));
		clean &= bawn_buf_error(&b) == 0 ? b.n == 500 : bawn_buf_error(&b) == -ENOMEM;
	}
	ok(clean, "replacing survives every failing allocation");
}

int main(void)
{
	every_character();
	bad_bytes();
	no_memory();
	return done_testing();
}
