/* ulid.h - identifiers: 48 bits of milliseconds, 80 random bits, 26 letters of Crockford's base 32. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "base/span.h"

#define BAWN_ULID_LEN 27  /* 26 letters and the NUL */
BAWN_MUST_CHECK int bawn_ulid_new(char out[static BAWN_ULID_LEN], struct bawn_err *err);
bool bawn_ulid_valid(struct bawn_span text);
