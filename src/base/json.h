/* json.h - jansson with our rules: duplicate keys, NUL, bad UTF-8, trailing bytes and documents
 * nested deeper than BAWN_JSON_DEPTH are errors; integers only leave this program as integers. */
#pragma once
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define BAWN_JSON_DEPTH 64

static inline void bawn_json_decrefp(json_t **j) { json_decref(*j); }
#define bawn_auto_json __attribute__((cleanup(bawn_json_decrefp))) json_t *

BAWN_MUST_CHECK int bawn_json_parse(struct bawn_span text, json_t **out, struct bawn_err *err);

/* Compact, in insertion order, control characters escaped: one line. */
BAWN_MUST_CHECK int bawn_json_put(struct bawn_buf *out, const json_t *value, struct bawn_err *err);

/* A string from any bytes: what is not UTF-8 becomes U+FFFD.  NULL only when out of memory. */
json_t *bawn_json_text(struct bawn_span bytes);
json_t *bawn_json_text_or_null(const char *text);  /* NULL -> null */
json_t *bawn_json_base64(struct bawn_span bytes);

/* Setters that fold "could not allocate" into *ok, so that a long object needs one check. */
void bawn_json_set(json_t *object, const char *key, json_t *value_stolen, bool *ok);
void bawn_json_push(json_t *array, json_t *value_stolen, bool *ok);
