/* test_clock.c - times are written one way and read strictly. */
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "tap.h"

#define SEC 1000000ull
#define NOW (1767323045ull * SEC + 678901)  /* 2026-01-02T03:04:05.678901Z */
#define UNTOUCHED 12345ull

static void writing(void)
{
	static const struct { uint64_t us; const char *want; } row[] = {
		{ 0, "1970-01-01T00:00:00.000000Z" },
		{ 1, "1970-01-01T00:00:00.000001Z" },
		{ NOW, "2026-01-02T03:04:05.678901Z" },
		{ 1709208000ull * SEC, "2024-02-29T12:00:00.000000Z" },
		{ 253402300799ull * SEC + 999999, "9999-12-31T23:59:59.999999Z" },
	};
	char text[BAWN_RFC3339_LEN];
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		uint64_t back = 0;
		bawn_rfc3339(row[i].us, text);
		ok(strcmp(text, row[i].want) == 0 && bawn_parse_when(bawn_span(text), NOW, &back, NULL) == 0 &&
		   back == row[i].us, "%s is written and read back", row[i].want);
	}
	bawn_rfc3339(UINT64_MAX, text);
	ok(strlen(text) == BAWN_RFC3339_LEN - 1 && strncmp(text, "9999-12-31", 10) == 0, "a time past all years stays in its box");
}

static void reading(void)
{
	static const struct { const char *text; uint64_t want; bool bad; } row[] = {
		{ "2026-01-02",                  1767312000 * SEC, false },
		{ "2026-01-02T03:04",            1767323040 * SEC, false },
		{ "2026-01-02T03:04Z",           1767323040 * SEC, false },
		{ "2026-01-02T03:04:05",         1767323045 * SEC, false },
		{ "2026-01-02T03:04:05Z",        1767323045 * SEC, false },
		{ "2026-01-02T03:04:05.5Z",      1767323045 * SEC + 500000, false },
		{ "2026-01-02T03:04:05.678901",  NOW, false },
		{ "2024-02-29",                  1709164800 * SEC, false },
		{ "1970-01-01",                  0, false },
		{ "24h",                         NOW - 86400 * SEC, false },
		{ "30",                          NOW - 30 * SEC, false },
		{ "100ms",                       NOW - 100000, false },
		{ "0s",                          NOW, false },
		{ "36500d",                      0, false },
		{ "9223372036854775807ms",       0, false },
		{ "18446744073709552ms",         0, false },  /* times 1000 wraps round 64 bits */
		{ "2026-02-29", 0, true }, { "2026-02-31", 0, true }, { "2026-13-01", 0, true }, { "2026-00-01", 0, true },
		{ "2026-01-00", 0, true }, { "2026-01-32", 0, true }, { "2026-1-2", 0, true }, { "26-01-02", 0, true },
		{ "2026-01-02T24:00", 0, true }, { "2026-01-02T03:60", 0, true }, { "2026-01-02T03:04:60", 0, true },
		{ "2026-01-02T3:04", 0, true }, { "2026-01-02T", 0, true }, { "2026-01-02T03", 0, true },
		{ "2026-01-02T03:04:", 0, true }, { "2026-01-02T03:04:05.", 0, true }, { "2026-01-02T03:04:05.1234567", 0, true },
		{ "2026-01-02T03:04+01:00", 0, true }, { "2026-01-02Z", 0, true }, { "2026-01-02 03:04", 0, true },
		{ " 2026-01-02", 0, true }, { "2026-01-02 ", 0, true }, { "2026-01-02x", 0, true }, { "1969-12-31", 0, true },
		{ "+026-01-02", 0, true }, { "yesterday", 0, true }, { "", 0, true }, { "-1h", 0, true }, { "now", 0, true },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		uint64_t got = UNTOUCHED;
		struct bawn_err err = { 0 };
		int r = bawn_parse_when(bawn_span(row[i].text), NOW, &got, &err);
		ok(row[i].bad ? r < 0 && got == UNTOUCHED && err.type == BAWN_ERROR_INVALID_REQUEST
		              : r == 0 && got == row[i].want, "when '%s'%s", row[i].text, row[i].bad ? " is refused" : "");
	}
	uint64_t got = UNTOUCHED;
	ok(bawn_parse_when((struct bawn_span){ "2026-01-02\0junk", 15 }, NOW, &got, NULL) < 0 && got == UNTOUCHED,
	   "bytes behind a NUL are not overlooked");
	ok(bawn_parse_when((struct bawn_span){ "2026-01-02junk", 10 }, NOW, &got, NULL) == 0, "bytes past the span are not read");
}

int main(void)
{
	writing();
	reading();
	uint64_t wall = bawn_wall_us(), a = bawn_monotonic_us(), b = bawn_monotonic_us();
	ok(wall > 1700000000ull * SEC && wall < 4102444800ull * SEC, "the wall clock is in this century");
	ok(b >= a && a > 0, "the monotonic clock does not go back");
	return done_testing();
}
