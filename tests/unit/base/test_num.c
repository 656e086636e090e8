/* test_num.c - sizes, durations and counts as people write them; junk and overflow never pass. */
#include <string.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "tap.h"

#define UNTOUCHED 0xabcdefu

typedef int parse(struct bawn_span text, uint64_t *out, struct bawn_err *err);

struct row { const char *text; uint64_t want; bool bad; };

static void table(const char *what, parse *f, const struct row *row, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t got = UNTOUCHED;
		struct bawn_err err = { 0 };
		int r = f(bawn_span(row[i].text), &got, &err);
		if (row[i].bad)
			ok(r < 0 && got == UNTOUCHED && err.type == BAWN_ERROR_LIMIT_INVALID && err.msg[0] != '\0',
			   "%s '%s' is refused, the output untouched", what, row[i].text);
		else
			ok(r == 0 && got == row[i].want, "%s '%s'", what, row[i].text);
	}
}

#define K 1024ull
static const struct row size_row[] = {
	{ "0", 0, false }, { "1", 1, false }, { "512", 512, false }, { "64k", 64 * K, false }, { "64K", 64 * K, false },
	{ "512M", 512 * K * K, false }, { "1g", K * K * K, false }, { "2t", 2 * K * K * K * K, false },
	{ "1kb", K, false }, { "1KiB", K, false }, { "1MiB", K * K, false }, { "7b", 7, false },
	{ "1.5g", 1536 * K * K, false }, { "0.5k", 512, false }, { "1.000000m", K * K, false },
	{ "0.1k", 102, false },  /* rounded down: a limit never grows */
	{ "007", 7, false },
	{ "9223372036854775807", INT64_MAX, false },
	{ "9223372036854775808", 0, true }, { "18446744073709551616", 0, true },
	{ "99999999999999999999999", 0, true }, { "8388608t", 0, true }, { "16777216t", 0, true }, { "16777217t", 0, true }, { "8388607t", 8388607 * K * K * K * K, false },
	{ "18446744073709551615k", 0, true },
	{ "0.0001", 0, true }, { "0.0001k", 0, true }, { "1.0000001g", 0, true },
	{ "", 0, true }, { " 1", 0, true }, { "1 ", 0, true }, { "+1", 0, true }, { "-1", 0, true }, { "-1k", 0, true },
	{ "k", 0, true }, { ".5k", 0, true }, { "1.", 0, true }, { "1.k", 0, true }, { "1..5k", 0, true },
	{ "1.5.5k", 0, true }, { "1e3", 0, true }, { "0x10", 0, true }, { "1kk", 0, true }, { "1 k", 0, true },
	{ "1s", 0, true }, { "1,5g", 0, true }, { "\xd9\xa1", 0, true }, { "max", 0, true }, { "inf", 0, true },
};
static const struct row time_row[] = {
	{ "30", 30000, false }, { "30s", 30000, false }, { "1.5s", 1500, false }, { "100ms", 100, false },
	{ "5m", 300000, false }, { "5min", 300000, false }, { "2h", 7200000, false }, { "7d", 604800000, false },
	{ "0", 0, false }, { "0.001", 1, false }, { "30S", 30000, false },
	{ "0.0001s", 0, true }, { "0.5ms", 0, true },
	{ "9223372036854775807ms", INT64_MAX, false }, { "9223372036854775808ms", 0, true },
	{ "106751991168d", 0, true }, { "106751991167d", 106751991167 * 86400000ull, false },
	{ "", 0, true }, { "-1s", 0, true }, { "1k", 0, true }, { "s", 0, true }, { "1h30m", 0, true }, { "1m ", 0, true },
	{ "forever", 0, true },
};
static const struct row milli_row[] = {
	{ "2", 2000, false }, { "0.5", 500, false }, { "0.001", 1, false }, { "0", 0, false }, { "1.25", 1250, false },
	{ "0.0001", 0, true }, { "1k", 0, true }, { "", 0, true }, { "-1", 0, true }, { "9223372036854776", 0, true },
	{ "1.2345", 1234, false },
};

static int small(struct bawn_span text, uint64_t *out, struct bawn_err *err) { return bawn_parse_u64(text, 1, 100, out, err); }
static int any(struct bawn_span text, uint64_t *out, struct bawn_err *err) { return bawn_parse_u64(text, 0, UINT64_MAX, out, err); }

static const struct row small_row[] = {
	{ "1", 1, false }, { "100", 100, false }, { "0", 0, true }, { "101", 0, true }, { "1.0", 0, true }, { "1k", 0, true },
	{ "-1", 0, true }, { "", 0, true },
};
static const struct row any_row[] = {
	{ "0", 0, false }, { "18446744073709551615", UINT64_MAX, false }, { "18446744073709551616", 0, true },
	{ "28446744073709551615", 0, true }, { "000000000000000000001", 0, true },
};

static void spelling(void)
{
	static const struct { uint64_t v; const char *size, *duration; } row[] = {
		{ 0, "0", "0s" }, { 1, "1", "1ms" }, { 1500, "1500", "1500ms" }, { 1024, "1k", "1024ms" },
		{ 1000, "1000", "1s" }, { 60000, "60000", "1m" }, { 3600000, "3600000", "1h" }, { 86400000, "84375k", "1d" },
		{ 90000, "90000", "90s" }, { 512 * K * K, "512m", "536870912ms" }, { K * K * K, "1g", "1073741824ms" },
		{ K * K * K * K, "1t", "1099511627776ms" }, { INT64_MAX, "9223372036854775807", "9223372036854775807ms" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_buf size = BAWN_BUF(100), duration = BAWN_BUF(100);
		bawn_put_size(&size, row[i].v);
		bawn_put_duration(&duration, row[i].v);
		uint64_t v1 = 1, v2 = 1;
		ok(strcmp(size.p, row[i].size) == 0 && strcmp(duration.p, row[i].duration) == 0,
		   "%s and %s are spelled short", row[i].size, row[i].duration);
		ok(bawn_parse_size(bawn_buf_span(&size), &v1, NULL) == 0 && v1 == row[i].v &&
		   bawn_parse_duration(bawn_buf_span(&duration), &v2, NULL) == 0 && v2 == row[i].v,
		   "and read back the same");
	}
}

int main(void)
{
	table("size", bawn_parse_size, size_row, BAWN_LEN(size_row));
	table("duration", bawn_parse_duration, time_row, BAWN_LEN(time_row));
	table("thousandths", bawn_parse_milli, milli_row, BAWN_LEN(milli_row));
	table("1 to 100", small, small_row, BAWN_LEN(small_row));
	table("number", any, any_row, BAWN_LEN(any_row));
	uint64_t got = UNTOUCHED;
	ok(bawn_parse_size((struct bawn_span){ "1\0k", 3 }, &got, NULL) < 0 && got == UNTOUCHED, "a NUL ends nothing");
	ok(bawn_parse_size((struct bawn_span){ "12345", 2 }, &got, NULL) == 0 && got == 12, "bytes past the span are not read");
	ok(bawn_parse_u64((struct bawn_span){ NULL, 0 }, 0, 9, &got, NULL) < 0, "no text at all");
	spelling();
	return done_testing();
}
