/* buf.h - a growing byte buffer with a ceiling given at birth.
 *
 * Failure (ceiling reached, out of memory) is sticky: appends after it do nothing, so a series of
 * appends needs one check of bawn_buf_error at the end.  The bytes are always NUL-terminated. */
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/span.h"

struct bawn_buf { char *p; size_t n, cap, max; int error; };

#define BAWN_BUF(ceiling) ((struct bawn_buf){ .max = (ceiling) })
#define bawn_auto_buf __attribute__((cleanup(bawn_buf_done))) struct bawn_buf

void bawn_buf_done(struct bawn_buf *b);
void bawn_buf_reset(struct bawn_buf *b);               /* empty again, failure forgotten, memory kept */
void bawn_buf_add(struct bawn_buf *b, const void *p, size_t n);
void bawn_buf_str(struct bawn_buf *b, const char *text);
void bawn_buf_char(struct bawn_buf *b, char c);
void bawn_buf_fmt(struct bawn_buf *b, const char *fmt, ...) BAWN_PRINTF(2, 3);
void bawn_buf_vfmt(struct bawn_buf *b, const char *fmt, va_list ap) BAWN_PRINTF(2, 0);

/* Appends untrusted text so that it can be shown: one line, C0, C1, ANSI, bidirectional and
 * zero-width characters and bytes that are not UTF-8 written as \n, \x1b, \u202e, \U000e0041. */
void bawn_buf_escaped(struct bawn_buf *b, struct bawn_span text);

/* 0, or the negative errno of the first append that failed. */
static inline int bawn_buf_error(const struct bawn_buf *b) { return b->error; }
static inline struct bawn_span bawn_buf_span(const struct bawn_buf *b)
{
	return (struct bawn_span){ b->p, b->n };
}
/* Gives up the bytes (the caller frees them); NULL if anything failed. */
char *bawn_buf_steal(struct bawn_buf *b);
