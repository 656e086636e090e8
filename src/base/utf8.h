/* utf8.h - strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/span.h"

/* Decodes the character at `at` (< text.n); returns its length, or 0 where the bytes are not UTF-8. */
size_t bawn_utf8_next(struct bawn_span text, size_t at, uint32_t *out_char);

/* The offset of the first byte that is not UTF-8, or text.n. */
size_t bawn_utf8_bad(struct bawn_span text);

struct bawn_buf;
/* Appends `text` with each byte that is not UTF-8 replaced by U+FFFD. */
void bawn_utf8_replace(struct bawn_buf *out, struct bawn_span text);
