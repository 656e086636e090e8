/* observed.h - what a watched interpreter wrote down, as read when all is over.
 *
 * Pure: bytes in, plain data out.  An attacker controls every byte: counts and lengths are bounded here, and
 * texts may be anything, so they are shown only through JSON or escaped. */
#pragma once
#include <stdbool.h>
#include "base/err.h"
#include "base/span.h"
#include "policy/tables.h"
#include "sandbox/area.h"

extern const struct bawn_words bawn_area_words;  /* by enum bawn_area_kind */

/* Absolute paths are without "//", "." and ".."; `cut`: the text was longer. */
struct bawn_observed_item { enum bawn_area_kind kind; uint32_t count; bool cut; struct bawn_span text; };
struct bawn_observed { struct bawn_observed_item *item; size_t n; uint64_t dropped; };

/* `bytes` begins like struct bawn_area.  *out is NULL where no hook was in it: nothing was watched. */
BAWN_MUST_CHECK int bawn_observed_parse(struct bawn_span bytes, struct bawn_observed **out, struct bawn_err *err);
/* The same from the memory file. */
BAWN_MUST_CHECK int bawn_observed_read(int fd, struct bawn_observed **out, struct bawn_err *err);
void bawn_observed_free(struct bawn_observed *o);
