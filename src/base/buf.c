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

/* Characters that draw nothing, move the cursor or turn the text round. */
static bool hides(uint32_t c)
{
	static const struct { uint32_t first, last; } range[] = {
		{ 0x0, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad },   /* C0, C1, soft hyphen */
		{ 0x34f, 0x34f }, { 0x61c, 0x61c },              /* grapheme joiner, Arabic letter mark */
		{ 0x115f, 0x1160 }, { 0x17b4, 0x17b5 },          /* Hangul fillers, Khmer inherent vowels */
		{ 0x180b, 0x180f },                              /* Mongolian selectors and vowel separator */
		{ 0x200b, 0x200f }, { 0x2028, 0x202e },          /* zero width, line separators, bidi */
		{ 0x2060, 0x206f }, { 0x3164, 0x3164 },          /* joiners, bidi isolates; Hangul filler */
		{ 0xfe00, 0xfe0f }, { 0xfeff, 0xfeff },          /* variation selectors, byte order mark */
		{ 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },          /* Hangul filler; annotations */
		{ 0xe0000, 0xe0fff },                            /* tags, more variation selectors */
	};
	for (size_t i = 0; i < sizeof range / sizeof *range; i++)
		if (c >= range[i].first && c <= range[i].last)
			return true;
	return false;
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
			bawn_buf_fmt(b, c <= 0xffff ? "\\u%04x" : "\\U%08x", (unsigned)c);
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
