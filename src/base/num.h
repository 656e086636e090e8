/* num.h - numbers, sizes and durations as people write them, range-checked in one place. */
#pragma once
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

/* Decimal digits only, min..max. */
BAWN_MUST_CHECK int bawn_parse_u64(struct bawn_span text, uint64_t min, uint64_t max, uint64_t *out, struct bawn_err *err);

/* "512", "64k", "512M", "1g", "1.5g" -> bytes; K, M, G, T are powers of 1024; "B" or "iB" may follow.
 * Here and below at most six decimals; parts of the smallest unit are rounded down, but not to zero. */
BAWN_MUST_CHECK int bawn_parse_size(struct bawn_span text, uint64_t *out_bytes, struct bawn_err *err);

/* "30", "30s", "1.5s", "100ms", "5m", "2h", "7d" -> milliseconds; a bare number is seconds. */
BAWN_MUST_CHECK int bawn_parse_duration(struct bawn_span text, uint64_t *out_ms, struct bawn_err *err);

/* "2", "0.5" -> thousandths of a CPU. */
BAWN_MUST_CHECK int bawn_parse_milli(struct bawn_span text, uint64_t *out_milli, struct bawn_err *err);

/* The shortest exact spelling: 1t, 512m, 1500; 1h, 30s, 1500ms. */
void bawn_put_size(struct bawn_buf *b, uint64_t bytes);
void bawn_put_duration(struct bawn_buf *b, uint64_t ms);
