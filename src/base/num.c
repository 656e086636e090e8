#include "base/num.h"
#include <ctype.h>
#include <inttypes.h>
#include "base/cleanup.h"

#define SHOW(text) (int)((text).n > 40 ? 40 : (text).n), (text).p

struct unit { const char *name; uint64_t factor; };

static const struct unit size_unit[] = {
	{ "", 1 }, { "b", 1 },
	{ "k", 1ull << 10 }, { "kb", 1ull << 10 }, { "kib", 1ull << 10 },
	{ "m", 1ull << 20 }, { "mb", 1ull << 20 }, { "mib", 1ull << 20 },
	{ "g", 1ull << 30 }, { "gb", 1ull << 30 }, { "gib", 1ull << 30 },
	{ "t", 1ull << 40 }, { "tb", 1ull << 40 }, { "tib", 1ull << 40 },
};
static const struct unit time_unit[] = {
	{ "", 1000 }, { "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "min", 60000 },
	{ "h", 3600000 }, { "d", 86400000 },
};
static const struct unit milli_unit[] = { { "", 1000 } };

static bool same_word(struct bawn_span a, const char *b)
{
	if (a.n != strlen(b))
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (tolower((unsigned char)a.p[i]) != b[i])
			return false;
	return true;
}

/* digits [ "." digits{1,6} ] unit; no floating point.  What is not a whole number of the smallest
 * unit is rounded down, but never to nothing: zero may mean "no wish" to the caller. */
static int parse_unit(struct bawn_span text, const struct unit *unit, size_t n_units,
                      const char *what, uint64_t *out, struct bawn_err *err)
{
	uint64_t whole = 0, part = 0, scale = 1;
	size_t at = 0;
	for (; at < text.n && isdigit((unsigned char)text.p[at]); at++)
		if (__builtin_mul_overflow(whole, 10u, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(text.p[at] - '0'), &whole))
			return bawn_fail_as(err, BAWN_ERROR_LIMIT_INVALID, NULL, "'%.*s' is too large", SHOW(text));
	size_t digits = at;
	if (at > 0 && at + 1 < text.n && text.p[at] == '.' && isdigit((unsigned char)text.p[at + 1]))
		for (at++; at < text.n && isdigit((unsigned char)text.p[at]) && scale < 1000000; at++) {
			part = part * 10 + (uint64_t)(text.p[at] - '0');
			scale *= 10;
		}
	struct bawn_span rest = { text.p + at, text.n - at };
	for (size_t i = 0; digits > 0 && i < n_units; i++) {
		uint64_t v;
		if (!same_word(rest, unit[i].name))
			continue;
		if (__builtin_mul_overflow(whole, unit[i].factor, &v) ||
		    __builtin_add_overflow(v, part * unit[i].factor / scale, &v) || v > INT64_MAX)
			return bawn_fail_as(err, BAWN_ERROR_LIMIT_INVALID, NULL, "'%.*s' is too large", SHOW(text));
		if (v == 0 && part != 0)
			return bawn_fail_as(err, BAWN_ERROR_LIMIT_INVALID, NULL, "'%.*s' is too small", SHOW(text));
		*out = v;
		return 0;
	}
	return bawn_fail_as(err, BAWN_ERROR_LIMIT_INVALID, NULL, "'%.*s' is not %s", SHOW(text), what);
}

int bawn_parse_u64(struct bawn_span text, uint64_t min, uint64_t max, uint64_t *out, struct bawn_err *err)
{
	uint64_t v = 0;
	bool good = text.n > 0 && text.n <= 20;
	for (size_t i = 0; good && i < text.n; i++)
		good = isdigit((unsigned char)text.p[i]) && !__builtin_mul_overflow(v, 10u, &v) &&
		       !__builtin_add_overflow(v, (uint64_t)(text.p[i] - '0'), &v);
	if (!good || v < min || v > max)
		return bawn_fail_as(err, BAWN_ERROR_LIMIT_INVALID, NULL,
		                    "'%.*s' is not a number from %" PRIu64 " to %" PRIu64, SHOW(text), min, max);
	*out = v;
	return 0;
}

int bawn_parse_size(struct bawn_span text, uint64_t *out_bytes, struct bawn_err *err)
{
	return parse_unit(text, size_unit, BAWN_LEN(size_unit), "a size such as 64k, 512m or 1g", out_bytes, err);
}

int bawn_parse_duration(struct bawn_span text, uint64_t *out_ms, struct bawn_err *err)
{
	return parse_unit(text, time_unit, BAWN_LEN(time_unit), "a duration such as 100ms, 30s or 5m", out_ms, err);
}

int bawn_parse_milli(struct bawn_span text, uint64_t *out_milli, struct bawn_err *err)
{
	return parse_unit(text, milli_unit, BAWN_LEN(milli_unit), "a number such as 2 or 0.5", out_milli, err);
}

void bawn_put_size(struct bawn_buf *b, uint64_t bytes)
{
	static const struct { char name; uint64_t factor; } unit[] = {
		{ 't', 1ull << 40 }, { 'g', 1ull << 30 }, { 'm', 1ull << 20 }, { 'k', 1ull << 10 } };
	for (size_t i = 0; i < BAWN_LEN(unit); i++)
		if (bytes != 0 && bytes % unit[i].factor == 0) {
			bawn_buf_fmt(b, "%" PRIu64 "%c", bytes / unit[i].factor, unit[i].name);
			return;
		}
	bawn_buf_fmt(b, "%" PRIu64, bytes);
}

void bawn_put_duration(struct bawn_buf *b, uint64_t ms)
{
	static const struct unit unit[] = { { "d", 86400000 }, { "h", 3600000 }, { "m", 60000 }, { "s", 1000 } };
	for (size_t i = 0; i < BAWN_LEN(unit); i++)
		if (ms != 0 && ms % unit[i].factor == 0) {
			bawn_buf_fmt(b, "%" PRIu64 "%s", ms / unit[i].factor, unit[i].name);
			return;
		}
	if (ms == 0)
		bawn_buf_str(b, "0s");
	else
		bawn_buf_fmt(b, "%" PRIu64 "ms", ms);
}
