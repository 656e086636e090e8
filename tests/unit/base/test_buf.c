/* test_buf.c - the ceiling holds, failure is sticky, and shown text cannot drive a terminal. */
#include <string.h>
#include "base/buf.h"
#include "base/cleanup.h"
#include "fault.h"
#include "tap.h"

static void ceiling(void)
{
	static const struct { const char *name; size_t max, first, second; int want; size_t n; } row[] = {
		{ "nothing fits into nothing",          0,    0,   0,   0,         0 },
		{ "one byte does not fit into nothing", 0,    1,   0,   -EMSGSIZE, 0 },
		{ "exactly full",                       10,   10,  0,   0,         10 },
		{ "full by two appends",                10,   4,   6,   0,         10 },
		{ "one too many",                       10,   10,  1,   -EMSGSIZE, 10 },
		{ "a refused append adds nothing",      10,   4,   7,   -EMSGSIZE, 4 },
		{ "growth past the first block",        5000, 127, 4873, 0,        5000 },
	};
	static char bytes[5000];
	memset(bytes, 'a', sizeof bytes);
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_buf b = BAWN_BUF(row[i].max);
		bawn_buf_add(&b, bytes, row[i].first);
		bawn_buf_add(&b, bytes, row[i].second);
		ok(bawn_buf_error(&b) == row[i].want && b.n == row[i].n &&
		   (b.p == NULL || b.p[b.n] == '\0'), "%s", row[i].name);
	}
	bawn_auto_buf b = BAWN_BUF(SIZE_MAX - 1);
	bawn_buf_char(&b, 'x');
	bawn_buf_add(&b, bytes, SIZE_MAX - 1);
	ok(bawn_buf_error(&b) == -EMSGSIZE, "a length near the end of the address space is refused");
}

static void sticky(void)
{
	bawn_auto_buf b = BAWN_BUF(4);
	bawn_buf_str(&b, "abc");
	bawn_buf_str(&b, "de");
	bawn_buf_char(&b, 'f');
	bawn_buf_fmt(&b, "%d", 7);
	bawn_buf_escaped(&b, bawn_span("g"));
	ok(bawn_buf_error(&b) == -EMSGSIZE && b.n == 3 && strcmp(b.p, "abc") == 0,
	   "after a failure nothing is appended, even if it would fit");
	ok(bawn_buf_steal(&b) == NULL, "a failed buffer gives up nothing");
	bawn_buf_reset(&b);
	bawn_buf_str(&b, "wxyz");
	ok(bawn_buf_error(&b) == 0 && strcmp(b.p, "wxyz") == 0, "reset forgets failure and bytes, not the ceiling");
	bawn_buf_char(&b, '!');
	ok(bawn_buf_error(&b) == -EMSGSIZE, "the ceiling is still there");
	bawn_buf_reset(&b);
	bawn_buf_fmt(&b, "%s", "12345");
	ok(bawn_buf_error(&b) == -EMSGSIZE && b.n == 0, "formatted text over the ceiling is not cut but refused");

	bawn_auto_buf empty = BAWN_BUF(0);
	bawn_auto_free char *text = bawn_buf_steal(&empty);
	ok(text != NULL && text[0] == '\0', "an empty buffer gives up an empty string");
	bawn_auto_buf some = BAWN_BUF(10);
	bawn_buf_add(&some, "a\0b", 3);
	bawn_auto_free char *raw = bawn_buf_steal(&some);
	ok(raw != NULL && memcmp(raw, "a\0b", 4) == 0 && some.n == 0 && some.p == NULL, "bytes survive, NULs too");
	bawn_buf_str(&some, "again");
	ok(strcmp(some.p, "again") == 0, "a buffer can be used again after that");
}

static void escaping(void)
{
	static const struct { const char *name, *in; size_t n; const char *out; } row[] = {
#define TEXT(in) in, sizeof in - 1
		{ "plain text stays",                 TEXT("caf\xc3\xa9 \xe6\x97\xa5"), "caf\xc3\xa9 \xe6\x97\xa5" },
		{ "line ends and tabs are one line",  TEXT("a\nb\r\tc"),          "a\\nb\\r\\tc" },
		{ "ANSI colour",                      TEXT("\x1b[31mred"),        "\\x1b[31mred" },
		{ "window title",                     TEXT("\x1b]0;t\x07"),       "\\x1b]0;t\\x07" },
		{ "NUL, backspace, DEL",              TEXT("\0\x08\x7f"),         "\\x00\\x08\\x7f" },
		{ "C1 control as a character",        TEXT("\xc2\x9b" "31m"),     "\\x9b31m" },
		{ "C1 control as a bare byte",        TEXT("\x9b" "31m"),         "\\x9b31m" },
		{ "right-to-left override",           TEXT("\xe2\x80\xae" "x"),   "\\u202ex" },
		{ "bidi isolate",                     TEXT("\xe2\x81\xa6"),       "\\u2066" },
		{ "Arabic letter mark",               TEXT("\xd8\x9c"),           "\\u061c" },
		{ "line separator",                   TEXT("\xe2\x80\xa8"),       "\\u2028" },
		{ "zero-width space",                 TEXT("a\xe2\x80\x8b" "b"),  "a\\u200bb" },
		{ "word joiner",                      TEXT("\xe2\x81\xa0"),       "\\u2060" },
		{ "soft hyphen",                      TEXT("\xc2\xad"),           "\\xad" },
		{ "byte order mark",                  TEXT("\xef\xbb\xbf"),       "\\ufeff" },
		{ "Hangul filler",                    TEXT("\xe3\x85\xa4"),       "\\u3164" },
		{ "variation selector",               TEXT("\xef\xb8\x8f"),       "\\ufe0f" },
		{ "tag character",                    TEXT("\xf3\xa0\x81\x81"),   "\\U000e0041" },
		{ "variation selector, second block", TEXT("\xf3\xa0\x84\x80"),   "\\U000e0100" },
		{ "overlong form",                    TEXT("\xc0\xaf"),           "\\xc0\\xaf" },
		{ "cut in the middle",                TEXT("\xe6\x97"),           "\\xe6\\x97" },
		{ "surrogate",                        TEXT("\xed\xa0\x80"),       "\\xed\\xa0\\x80" },
#undef TEXT
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_buf b = BAWN_BUF(1000);
		bawn_buf_escaped(&b, (struct bawn_span){ row[i].in, row[i].n });
		ok(bawn_buf_error(&b) == 0 && strcmp(b.p, row[i].out) == 0, "escaped: %s", row[i].name);
	}
}

static void no_memory(void)
{
	bool clean = true;
	for (fault_arm(1); fault_more(); ) {
		bawn_auto_buf b = BAWN_BUF(100000);
		for (int i = 0; i < 1000; i++)
			bawn_buf_fmt(&b, "row %d\n", i);
		bawn_buf_escaped(&b, bawn_span("\x1b"));
		if (bawn_buf_error(&b) == 0)
			clean &= b.n == 7894;
		else
			clean &= bawn_buf_error(&b) == -ENOMEM && (b.p == NULL || b.p[b.n] == '\0');
	}
	ok(clean && (!FAULT_WORKS || fault_at > 5), "each allocation may fail: -ENOMEM, the bytes before are whole");
}

int main(void)
{
	ceiling();
	sticky();
	escaping();
	no_memory();
	return done_testing();
}
