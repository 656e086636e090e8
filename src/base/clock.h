/* clock.h - wall time for people and records, monotonic time for durations. */
#pragma once
#include <stdint.h>
#include "base/err.h"
#include "base/span.h"

uint64_t bawn_wall_us(void);       /* microseconds since 1970 */
uint64_t bawn_monotonic_us(void);

#define BAWN_RFC3339_LEN 28        /* 2026-01-02T03:04:05.678901Z and the NUL */
void bawn_rfc3339(uint64_t wall_us, char out[static BAWN_RFC3339_LEN]);

/* "2026-01-02", "2026-01-02T03:04[:05[.678901]][Z]" (UTC), or a duration: that long before `now_us`. */
BAWN_MUST_CHECK int bawn_parse_when(struct bawn_span text, uint64_t now_us, uint64_t *out_us, struct bawn_err *err);
