/* schema.h - the part of JSON Schema that our own tool schemas use; what is published is what is checked.
 * Known: type, enum, properties, required, additionalProperties, anyOf, minimum, exclusiveMinimum, maximum,
 * minLength, maxLength, pattern, maxProperties, items, maxItems.  A pattern is written so that it means the same to POSIX
 * (extended) as to JSON Schema.  Words that only describe are passed over. */
#pragma once
#include "base/json.h"

/* 0, or INVALID_REQUEST naming the member at fault.  `name` is what the value is called. */
BAWN_MUST_CHECK int bawn_mcp_conforms(const json_t *schema, const json_t *value, const char *name, struct bawn_err *err);
