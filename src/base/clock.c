#include "base/clock.h"
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

int bawn_parse_when(struct bawn_span text, uint64_t now_us, uint64_t *out_us, struct bawn_err *err)
{
	uint64_t ms;
	if (bawn_parse_duration(text, &ms, NULL) == 0) {
		uint64_t us = ms * 1000u;
		*out_us = us < now_us ? now_us - us : 0;
		return 0;
	}
	static const char *const form[] = { "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d" };
	char copy[40];
	if (text.n < sizeof copy) {
		memcpy(copy, text.p, text.n);
		copy[text.n] = '\0';
		for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
			struct tm tm = { 0 };
			const char *end = strptime(copy, form[i], &tm);
			if (end == NULL)
				continue;
			uint64_t us = 0, scale = 100000;
			if (i == 0 && *end == '.')
				for (end++; *end >= '0' && *end <= '9'; end++, scale /= 10)
					us += (uint64_t)(*end - '0') * scale;
			if (i < 2 && *end == 'Z')
				end++;
			time_t sec = timegm(&tm);
			if (*end != '\0' || sec < 0)
				continue;
			*out_us = (uint64_t)sec * 1000000u + us;
			return 0;
		}
	}
	return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL,
	                    "'%.*s' is neither a date such as 2026-01-31 or 2026-01-31T12:00Z nor a duration such as 24h",
	                    (int)(text.n > 40 ? 40 : text.n), text.p);
}
