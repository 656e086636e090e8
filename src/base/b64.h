/* b64.h - base64 with padding (RFC 4648, section 4), one spelling for each string of bytes. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/span.h"

#define BAWN_B64_LEN(n) (((n) + 2) / 3 * 4)  /* letters for n bytes, without a NUL */

/* BAWN_B64_LEN(n) letters and a NUL. */
void bawn_b64(const uint8_t *bytes, size_t n, char *out);
/* Exactly n bytes in their canonical spelling: padded, no bits left over, nothing else in between. */
bool bawn_b64_read(struct bawn_span text, uint8_t *out, size_t n);
void bawn_b64_put(struct bawn_buf *out, const uint8_t *bytes, size_t n);
