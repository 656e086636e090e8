/* diff.h - what changed between two texts, as a unified diff. */
#pragma once
#include "base/buf.h"
#include "base/span.h"

/* Appends the hunks, three lines of context, without the two lines of names; nothing where the texts are the same.
 * Minimal, unless they differ in more than 2000 lines: then what lies between their common beginning and end is
 * one change.  Bytes are copied as they are.  Failure is sticky in `out`. */
void bawn_cli_diff(struct bawn_buf *out, struct bawn_span before, struct bawn_span after);
