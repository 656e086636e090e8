/* redact.h - secrets are not written down: what has the shape of a well-known token, and what stands behind a name
 * that audit.yaml lists, is replaced before anything is hashed.  Bodies of code are never touched. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/buf.h"
#include "base/json.h"
#include "base/span.h"

struct bawn_redact {
	bool         keep_tokens;   /* shapes are left alone */
	char *const *name; size_t n_names;  /* NAME=value and NAME: value become NAME=[redacted]; exact, whole words */
};

/* Whether something was replaced; only then *out holds the whole text.  Failure is sticky in `out`.  Time is linear. */
BAWN_MUST_CHECK bool bawn_redact_text(const struct bawn_redact *how, struct bawn_span text, struct bawn_buf *out);
/* The value with all its strings and keys seen to: a new reference, to the same value where nothing was replaced.  NULL
 * when out of memory. */
json_t *bawn_redact_json(const struct bawn_redact *how, const json_t *value);

/* The table of shapes, for tests and manuals: NULL after the last. */
const char *bawn_redact_name(size_t i);
