#include "base/clock.h"
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include "base/num.h"

static uint64_t now(clockid_t id)
{
	struct timespec t;
	(void)clock_gettime(id, &t);  /* cannot fail for these two clocks */
	return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

uint64_t bawn_wall_us(void) { return now(CLOCK_REALTIME); }
uint64_t bawn_monotonic_us(void) { return now(CLOCK_MONOTONIC); }

void bawn_rfc3339(uint64_t wall_us, char out[static BAWN_RFC3339_LEN])
{
	time_t sec = (time_t)(wall_us / 1000000u);
	struct tm tm;
	if (gmtime_r(&sec, &tm) == NULL || tm.tm_year > 8099)
		tm = (struct tm){ .tm_year = 8099, .tm_mon = 11, .tm_mday = 31 };
	snprintf(out, BAWN_RFC3339_LEN, "%04u-%02u-%02uT%02u:%02u:%02u.%06uZ",
	         (unsigned)(tm.tm_year + 1900) % 10000u, (unsigned)(tm.tm_mon + 1) % 100u,
	         (unsigned)tm.tm_mday % 100u, (unsigned)tm.tm_hour % 100u, (unsigned)tm.tm_min % 100u,
	         (unsigned)tm.tm_sec % 100u, (unsigned)(wall_us % 1000000u));
}

/* Exactly `n` digits, or false. */
static bool digits(struct bawn_span *text, size_t n, int *out)
{
	int v = 0;
	if (text->n < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (text->p[i] < '0' || text->p[i] > '9')
			return false;
		v = v * 10 + (text->p[i] - '0');
	}
	*text = (struct bawn_span){ text->p + n, text->n - n };
	*out = v;
	return true;
}

static bool sign(struct bawn_span *text, char c)
{
	if (text->n == 0 || text->p[0] != c)
		return false;
	*text = (struct bawn_span){ text->p + 1, text->n - 1 };
	return true;
}

/* Up to six digits after the point, as microseconds. */
static bool fraction(struct bawn_span *text, uint64_t *out_us)
{
	uint64_t us = 0, scale = 1000000;
	int d;
	while (scale > 1 && digits(text, 1, &d)) {
		scale /= 10;
		us += (uint64_t)d * scale;
	}
	*out_us = us;
	return scale < 1000000;
}

/* YYYY-MM-DD, then nothing or Thh:mm, then nothing or :ss, then nothing or .digits, then Z or nothing. */
static bool parse_date(struct bawn_span text, uint64_t *out_us)
{
	struct tm tm = { 0 };
	uint64_t us = 0;
	if (!digits(&text, 4, &tm.tm_year) || !sign(&text, '-') || !digits(&text, 2, &tm.tm_mon) ||
	    !sign(&text, '-') || !digits(&text, 2, &tm.tm_mday))
		return false;
	if (sign(&text, 'T')) {
		if (!digits(&text, 2, &tm.tm_hour) || !sign(&text, ':') || !digits(&text, 2, &tm.tm_min))
			return false;
		if (sign(&text, ':') && (!digits(&text, 2, &tm.tm_sec) ||
		                         (sign(&text, '.') && !fraction(&text, &us))))
			return false;
		(void)sign(&text, 'Z');  /* the time is UTC with it and without */
	}
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	struct tm given = tm;
	time_t sec = timegm(&tm);  /* turns the 31st of February into March: then the date was none */
	if (text.n != 0 || sec < 0 || tm.tm_mon != given.tm_mon || tm.tm_mday != given.tm_mday ||
	    tm.tm_hour != given.tm_hour || tm.tm_min != given.tm_min || tm.tm_sec != given.tm_sec)
		return false;
	*out_us = (uint64_t)sec * 1000000u + us;
	return true;
}

int bawn_parse_when(struct bawn_span text, uint64_t now_us, uint64_t *out_us, struct bawn_err *err)
{
	uint64_t ms;
	if (bawn_parse_duration(text, &ms, NULL) == 0) {
		*out_us = ms < now_us / 1000u ? now_us - ms * 1000u : 0;
		return 0;
	}
	if (parse_date(text, out_us))
		return 0;
	return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL,
	                    "'%.*s' is neither a date such as 2026-01-31 or 2026-01-31T12:00Z nor a duration such as 24h",
	                    (int)(text.n > 40 ? 40 : text.n), text.p);
}
