/* stream.c - the program's output made safe for a terminal, byte by byte, across chunks.
 * Invariants: (1) nothing but text, newline, tab, return, backspace and colour (SGR) passes unescaped; (2) no text is
 * concealed; (3) colours end with the output, so that none reaches a line of our own. */
#include "cli/cli.h"
#include "base/utf8.h"

/* The length of a colour sequence at `at`; 0: it is none; -1: it may go on beyond the end. */
static int colour_length(struct bawn_span s, size_t at)
{
	size_t i = at + 1;
	if (i == s.n)
		return -1;
	if (s.p[i] != '[')
		return 0;
	for (i++; i < s.n && i - at < sizeof((struct bawn_cli_filter *)0)->held - 1; i++) {
		if (s.p[i] == 'm')
			return (int)(i - at + 1);
		if (strchr("0123456789;:", s.p[i]) == NULL || s.p[i] == '\0')
			return 0;
	}
	return i == s.n ? -1 : 0;
}

/* How many of the parameters from `at` on belong to the one there: 38 and 48 are followed by a kind and by numbers
 * (38;5;8 is a colour, 8 alone conceals).  58 is not for all terminals, and some would take what follows for itself. */
static size_t group(const unsigned *param, size_t at, size_t n)
{
	size_t of = 1;
	if ((param[at] == 38 || param[at] == 48) && at + 1 < n)
		of = param[at + 1] == 5 ? 3 : param[at + 1] == 2 ? 5 : 1;
	return at + of < n ? of : n - at;
}

/* The sequence at s without the parameters that conceal text; nothing where no other is left. */
static void put_colour(struct bawn_cli_filter *f, struct bawn_span s, struct bawn_buf *out)
{
	unsigned param[sizeof f->held] = { 0 };
	size_t start[sizeof f->held + 1] = { 2 }, n = 1, i;
	bool sub = false, subs = false;  /* behind a colon stand details of a parameter */
	for (i = 2; s.p[i] != 'm'; i++) {
		if (s.p[i] == ';') {
			start[n++] = i + 1;
			sub = false;
		} else if (s.p[i] == ':') {
			sub = subs = true;
		} else if (!sub && param[n - 1] < 1000) {
			param[n - 1] = param[n - 1] * 10 + (unsigned)(s.p[i] - '0');
		}
	}
	start[n] = i + 1;
	bool any = false, plain = true;
	for (size_t at = 0, of; at < n; at += of) {
		of = group(param, at, n);
		if (param[at] == 8)
			continue;
		bawn_buf_str(out, any ? ";" : "\x1b[");
		bawn_buf_add(out, s.p + start[at], start[at + of] - 1 - start[at]);
		any = true;
		plain = param[at] == 0 && !subs;
	}
	if (any) {
		bawn_buf_char(out, 'm');
		f->coloured = !plain;
	}
}

/* Whether the bytes from `at` to the end are the start of a character. */
static bool cut_character(struct bawn_span s, size_t at)
{
	unsigned char lead = (unsigned char)s.p[at];
	size_t need = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
	if (lead < 0xc2 || lead > 0xf4 || s.n - at >= need)
		return false;
	for (size_t i = at + 1; i < s.n; i++)
		if (((unsigned char)s.p[i] & 0xc0) != 0x80)
			return false;
	return true;
}

/* How many bytes from `at` on are plain ASCII: nearly all of most output. */
static size_t plain(struct bawn_span s, size_t at)
{
	size_t n = 0;
	while (at + n < s.n && ((s.p[at + n] >= ' ' && s.p[at + n] <= '~') || s.p[at + n] == '\n'))
		n++;
	return n;
}

/* Passes or escapes what stands at `at`; returns its length, 0 where more bytes are needed. */
static size_t one(struct bawn_cli_filter *f, struct bawn_span s, size_t at, struct bawn_buf *out)
{
	uint32_t c;
	size_t n = plain(s, at);
	if (n > 0) {
		bawn_buf_add(out, s.p + at, n);
		return n;
	}
	n = bawn_utf8_next(s, at, &c);
	if (n == 1 && (c == '\t' || c == '\r' || c == '\b')) {
		bawn_buf_char(out, (char)c);
		return 1;
	}
	if (n == 1 && c == 0x1b) {
		int len = colour_length(s, at);
		if (len < 0)
			return 0;
		if (len > 0) {
			put_colour(f, (struct bawn_span){ s.p + at, (size_t)len }, out);
			return (size_t)len;
		}
	}
	if (n == 0 && cut_character(s, at))
		return 0;
	n = n > 0 ? n : 1;
	bawn_buf_escaped(out, (struct bawn_span){ s.p + at, n });
	return n;
}

void bawn_cli_filter_add(struct bawn_cli_filter *f, struct bawn_span bytes, struct bawn_buf *out)
{
	bawn_auto_buf all = BAWN_BUF(bytes.n + sizeof f->held);
	bawn_buf_add(&all, f->held, f->n);
	bawn_buf_add(&all, bytes.p, bytes.n);
	if (bawn_buf_error(&all) < 0) {
		out->error = bawn_buf_error(&all);
		return;
	}
	f->n = 0;
	for (size_t at = 0; at < all.n; ) {
		size_t n = one(f, bawn_buf_span(&all), at, out);
		if (n == 0) {
			f->n = all.n - at;  /* less than a sequence: it fits */
			memcpy(f->held, all.p + at, f->n);
			return;
		}
		at += n;
	}
}

void bawn_cli_filter_end(struct bawn_cli_filter *f, struct bawn_buf *out)
{
	bawn_buf_escaped(out, (struct bawn_span){ (const char *)f->held, f->n });
	if (f->coloured)
		bawn_buf_str(out, "\x1b[0m");
	f->n = 0;
	f->coloured = false;
}
