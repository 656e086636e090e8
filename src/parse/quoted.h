/* quoted.h - the value of a quoted YAML scalar, from what stands between its quotes.  Private to parse.
 *
 * libfyaml 0.7 finds where a scalar begins and ends, but gets two values wrong: '''''' (it doubles
 * quotes that follow one another) and "\\\" before a line break. */
#pragma once
#include <stdbool.h>
#include "base/buf.h"
#include "base/span.h"

/* Appends the value.  False where an escape is unknown, cut short, NUL or no character. */
bool bawn_yaml_unquote(struct bawn_span raw, bool doubled, struct bawn_buf *out);
