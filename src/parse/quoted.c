#include "parse/quoted.h"
#include <stdint.h>
#include <string.h>

struct text { struct bawn_span raw; size_t at; struct bawn_buf *out; };

static bool blank(const struct text *t) { return t->at < t->raw.n && (t->raw.p[t->at] == ' ' || t->raw.p[t->at] == '\t'); }

static void skip_blanks(struct text *t)
{
	while (blank(t))
		t->at++;
}

/* A line break: LF, CR LF or CR. */
static bool take_break(struct text *t)
{
	if (t->at == t->raw.n || (t->raw.p[t->at] != '\n' && t->raw.p[t->at] != '\r'))
		return false;
	bool two = t->raw.p[t->at] == '\r' && t->at + 1 < t->raw.n && t->raw.p[t->at + 1] == '\n';
	t->at += two ? 2 : 1;
	return true;
}

/* Behind a line break: every further one stands for itself; blanks that begin a line are nothing. */
static size_t take_empty_lines(struct text *t)
{
	size_t n = 0;
	for (skip_blanks(t); take_break(t); skip_blanks(t))
		n++;
	for (size_t i = 0; i < n; i++)
		bawn_buf_char(t->out, '\n');
	return n;
}

static void put_utf8(struct bawn_buf *out, uint32_t c)
{
	char b[4] = { (char)c };
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const uint8_t lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	for (size_t i = n; n > 1 && i-- > 1; c >>= 6)
		b[i] = (char)(0x80 | (c & 0x3f));
	if (n > 1)
		b[0] = (char)(lead[n] | c);
	bawn_buf_add(out, b, n);
}

static bool take_hex(struct text *t, size_t digits, uint32_t *out)
{
	uint32_t c = 0;
	if (t->raw.n - t->at < digits)
		return false;
	for (size_t i = 0; i < digits; i++) {
		static const char hex[] = "0123456789abcdef0123456789ABCDEF";
		char digit = t->raw.p[t->at++];
		const char *at = digit != '\0' ? strchr(hex, digit) : NULL;
		if (at == NULL)
			return false;
		c = c << 4 | ((uint32_t)(at - hex) & 15);
	}
	*out = c;
	return c != 0 && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
}

/* Behind a backslash. */
static bool take_escape(struct text *t)
{
	static const struct { char name; uint8_t digits; uint16_t c; } row[] = {
		{ 'a', 0, 7 }, { 'b', 0, 8 }, { 't', 0, 9 }, { '\t', 0, 9 }, { 'n', 0, 10 }, { 'v', 0, 11 }, { 'f', 0, 12 },
		{ 'r', 0, 13 }, { 'e', 0, 27 }, { ' ', 0, ' ' }, { '"', 0, '"' }, { '/', 0, '/' }, { '\\', 0, '\\' },
		{ 'N', 0, 0x85 }, { '_', 0, 0xa0 }, { 'L', 0, 0x2028 }, { 'P', 0, 0x2029 },
		{ 'x', 2, 0 }, { 'u', 4, 0 }, { 'U', 8, 0 },
	};
	if (take_break(t)) {
		(void)take_empty_lines(t);  /* an escaped break is nothing itself */
		return true;
	}
	char name = t->at < t->raw.n ? t->raw.p[t->at++] : '\0';
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		uint32_t c = row[i].c;
		if (row[i].name != name)
			continue;
		if (row[i].digits > 0 && !take_hex(t, row[i].digits, &c))
			return false;
		put_utf8(t->out, c);
		return true;
	}
	return false;
}

bool bawn_yaml_unquote(struct bawn_span raw, bool doubled, struct bawn_buf *out)
{
	struct text t = { raw, 0, out };
	while (t.at < raw.n && bawn_buf_error(out) == 0) {
		size_t blanks = t.at;
		skip_blanks(&t);
		if (take_break(&t)) {  /* the blanks before it are dropped, a single break is a space */
			if (take_empty_lines(&t) == 0)
				bawn_buf_char(out, ' ');
			continue;
		}
		bawn_buf_add(out, raw.p + blanks, t.at - blanks);
		if (t.at == raw.n)
			break;
		char c = raw.p[t.at++];
		if (doubled && c == '\\') {
			if (!take_escape(&t))
				return false;
			continue;
		}
		if (!doubled && c == '\'')
			t.at++;  /* the second of a pair: alone it would have ended the scalar */
		bawn_buf_char(out, c);
	}
	return true;
}
