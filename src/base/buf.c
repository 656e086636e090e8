#include "base/buf.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/utf8.h"

void bawn_buf_done(struct bawn_buf *b)
{
	free(b->p);
	*b = (struct bawn_buf){ .max = b->max };
}

void bawn_buf_reset(struct bawn_buf *b)
{
	b->n = 0;
	b->error = 0;
	if (b->p != NULL)
		b->p[0] = '\0';
}

/* Room for `more` bytes and the NUL behind them. */
static bool room(struct bawn_buf *b, size_t more)
{
	if (b->error != 0)
		return false;
	if (more > b->max || b->n > b->max - more) {
		b->error = -EMSGSIZE;
		return false;
	}
	size_t need = b->n + more + 1;
	if (need <= b->cap)
		return true;
	size_t cap = b->cap < 128 ? 128 : b->cap;
	while (cap < need)
		cap *= 2;
	char *p = realloc(b->p, cap);
	if (p == NULL) {
		b->error = -ENOMEM;
		return false;
	}
	b->p = p;
	b->cap = cap;
	return true;
}

void bawn_buf_add(struct bawn_buf *b, const void *p, size_t n)
{
	if (!room(b, n))
		return;
	if (n > 0)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = '\0';
}

void bawn_buf_str(struct bawn_buf *b, const char *text) { bawn_buf_add(b, text, strlen(text)); }
void bawn_buf_char(struct bawn_buf *b, char c) { bawn_buf_add(b, &c, 1); }

void bawn_buf_vfmt(struct bawn_buf *b, const char *fmt, va_list ap)
{
	va_list again;
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0) {
		b->error = b->error != 0 ? b->error : -EINVAL;
		return;
	}
	if (!room(b, (size_t)n))
		return;
	(void)vsnprintf(b->p + b->n, (size_t)n + 1, fmt, ap);
	b->n += (size_t)n;
}

void bawn_buf_fmt(struct bawn_buf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	bawn_buf_vfmt(b, fmt, ap);
	va_end(ap);
}

static bool hides(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c || c == 0x180e ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb) ||
	       (c >= 0xe0000 && c <= 0xe007f);
}

void bawn_buf_escaped(struct bawn_buf *b, struct bawn_span text)
{
	size_t at = 0;
	while (at < text.n && b->error == 0) {
		uint32_t c = 0;
		size_t n = bawn_utf8_next(text, at, &c);
		if (n == 0) {
			bawn_buf_fmt(b, "\\x%02x", (unsigned)(unsigned char)text.p[at]);
			at++;
			continue;
		}
		if (c == '\n')
			bawn_buf_str(b, "\\n");
		else if (c == '\t')
			bawn_buf_str(b, "\\t");
		else if (c == '\r')
			bawn_buf_str(b, "\\r");
		else if (hides(c) && c < 0x100)
			bawn_buf_fmt(b, "\\x%02x", (unsigned)c);
		else if (hides(c))
			bawn_buf_fmt(b, "\\u%04x", (unsigned)c);
		else
			bawn_buf_add(b, text.p + at, n);
		at += n;
	}
}

char *bawn_buf_steal(struct bawn_buf *b)
{
	if (b->p == NULL && b->error == 0)
		bawn_buf_add(b, "", 0);
	if (b->error != 0)
		return NULL;
	char *p = b->p;
	*b = (struct bawn_buf){ .max = b->max };
	return p;
}
