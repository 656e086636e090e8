/* decode.c - see decode.h.
 *
 * A codec is one row: what it costs and the function that undoes it.  The functions append to a
 * buffer whose ceiling was given at birth, so none of them counts its output; each says false where
 * the bytes are not of its form.  They are as lenient as the most lenient decoder of that name, since
 * a text that is decoded here and not at run time only costs a look. */
#include "assess/decode.h"
#include <arpa/inet.h>
#include <bzlib.h>
#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include "assess/names.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/utf8.h"

#define LZMA_MEMORY (80u << 20)  /* what the densest preset asks for */

static void put_char(struct bawn_buf *b, uint32_t c)
{
	char u[4];
	size_t n = 1;
	if (c < 0x80)
		u[0] = (char)c;
	else if (c < 0x800)
		n = 2, u[0] = (char)(0xc0 | c >> 6);
	else if (c < 0x10000)
		n = 3, u[0] = (char)(0xe0 | c >> 12);
	else if (c < 0x110000)
		n = 4, u[0] = (char)(0xf0 | c >> 18);
	else
		return;
	for (size_t i = 1; i < n; i++)
		u[i] = (char)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
	bawn_buf_add(b, u, n);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

/* Reads up to `most` digits of `base` at text[*at]. */
static uint32_t read_digits(struct bawn_span t, size_t *at, unsigned most, int base)
{
	uint32_t v = 0;
	while (most-- > 0 && *at < t.n && digit(t.p[*at]) < base)
		v = v * (uint32_t)base + (uint32_t)digit(t.p[(*at)++]);
	return v;
}

static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\v'; }

/* ---- alphabets ---- */

static int sextet(char c, bool url)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' || (url && c == '-') ? 62 : c == '/' || (url && c == '_') ? 63 : -1;
}

/* Letters that do not belong are skipped, as Python does, or are the end of it (`strict`). */
static bool base64(struct bawn_buf *out, struct bawn_span in, bool url, bool strict)
{
	uint32_t bits = 0, have = 0, used = 0;
	for (size_t i = 0; i < in.n; i++) {
		int v = sextet(in.p[i], url);
		if (in.p[i] == '=' && used % 4 >= 2)
			break;
		if (v < 0 && strict && !is_space(in.p[i]))
			return false;
		if (v < 0)
			continue;
		used++;
		bits = bits << 6 | (uint32_t)v;
		have += 6;
		if (have >= 8) {
			have -= 8;
			bawn_buf_char(out, (char)(bits >> have & 0xff));
		}
	}
	return used >= 2;
}

static bool undo_base64(struct bawn_buf *out, struct bawn_span in) { return base64(out, in, false, false); }
static bool undo_base64url(struct bawn_buf *out, struct bawn_span in) { return base64(out, in, true, false); }
static bool undo_base64any(struct bawn_buf *out, struct bawn_span in) { return base64(out, in, true, true); }

static bool undo_hex(struct bawn_buf *out, struct bawn_span in)
{
	int high = -1;
	for (size_t i = 0; i < in.n; i++) {
		if (is_space(in.p[i]) || in.p[i] == ':')
			continue;
		int v = digit(in.p[i]);
		if (v > 15)
			return false;
		if (high >= 0)
			bawn_buf_char(out, (char)(high << 4 | v));
		high = high >= 0 ? -1 : v;
	}
	return high < 0 && out->n > 0;
}

static bool base32(struct bawn_buf *out, struct bawn_span in, bool hex)
{
	uint32_t bits = 0, have = 0;
	for (size_t i = 0; i < in.n && in.p[i] != '='; i++) {
		char c = in.p[i];
		if (is_space(c))
			continue;
		int d = digit(c), v = hex ? d : d >= 10 && d < 36 ? d - 10 : c >= '2' && c <= '7' ? c - '2' + 26 : 99;
		if (v > 31)
			return false;
		bits = bits << 5 | (uint32_t)v;
		have += 5;
		if (have >= 8) {
			have -= 8;
			bawn_buf_char(out, (char)(bits >> have & 0xff));
		}
	}
	return out->n > 0;
}

static bool undo_base32(struct bawn_buf *out, struct bawn_span in) { return base32(out, in, false); }
static bool undo_base32hex(struct bawn_buf *out, struct bawn_span in) { return base32(out, in, true); }

/* Five letters of base 85 are four bytes; n letters of a short last group are n - 1. */
static bool put85(struct bawn_buf *out, const uint32_t letter[5], unsigned n)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < 5; i++)
		v = v * 85 + (i < n ? letter[i] : 84);
	if (n == 1 || v > UINT32_MAX)
		return false;
	for (unsigned i = 0; i + 1 < n; i++)
		bawn_buf_char(out, (char)(v >> (24 - 8 * i) & 0xff));
	return true;
}

static bool base85(struct bawn_buf *out, struct bawn_span in, const char *alphabet)
{
	uint32_t group[5];
	unsigned n = 0;
	for (size_t i = 0; i < in.n; i++) {
		if (is_space(in.p[i]))
			continue;
		const char *at = in.p[i] != '\0' ? strchr(alphabet, in.p[i]) : NULL;
		if (at == NULL)
			return false;
		group[n++] = (uint32_t)(at - alphabet);
		if (n == 5 && !put85(out, group, 5))
			return false;
		n %= 5;
	}
	return (n == 0 || put85(out, group, n)) && out->n > 0;
}

static bool undo_base85(struct bawn_buf *out, struct bawn_span in)
{
	return base85(out, in, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~");
}

static bool undo_z85(struct bawn_buf *out, struct bawn_span in)
{
	return base85(out, in, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#");
}

static bool undo_ascii85(struct bawn_buf *out, struct bawn_span in)
{
	uint32_t group[5];
	unsigned n = 0;
	size_t from = bawn_span_starts(in, "<~") ? 2 : 0;
	for (size_t i = from; i < in.n && in.p[i] != '~'; i++) {
		char c = in.p[i];
		if (is_space(c))
			continue;
		if ((c == 'z' || c == 'y') && n == 0) {
			bawn_buf_add(out, c == 'z' ? "\0\0\0\0" : "    ", 4);
			continue;
		}
		if (c < '!' || c > 'u')
			return false;
		group[n++] = (uint32_t)(c - '!');
		if (n == 5 && !put85(out, group, 5))
			return false;
		n %= 5;
	}
	return (n == 0 || put85(out, group, n)) && out->n > 0;
}

/* One line: its length in the first letter, then four letters for three bytes. */
static void uu_line(struct bawn_buf *out, struct bawn_span line)
{
	size_t left = ((unsigned char)line.p[0] - 32u) & 63u;
	for (size_t i = 1; left > 0 && i < line.n; i += 4) {
		uint32_t v = 0;
		for (size_t k = 0; k < 4; k++)
			v = v << 6 | (i + k < line.n ? ((unsigned char)line.p[i + k] - 32u) & 63u : 0u);
		for (unsigned k = 0; k < 3 && left > 0; k++, left--)
			bawn_buf_char(out, (char)(v >> (16 - 8 * k) & 0xff));
	}
}

static bool undo_uu(struct bawn_buf *out, struct bawn_span in)
{
	for (size_t at = 0; at < in.n; ) {
		const char *end = memchr(in.p + at, '\n', in.n - at);
		struct bawn_span line = { in.p + at, end != NULL ? (size_t)(end - in.p) - at : in.n - at };
		at += line.n + 1;
		if (bawn_span_is(line, "end"))
			break;
		if (line.n > 0 && !bawn_span_starts(line, "begin "))
			uu_line(out, line);
	}
	return out->n > 0;
}

/* ---- escapes ---- */

static bool undo_quoted(struct bawn_buf *out, struct bawn_span in)
{
	for (size_t i = 0; i < in.n; i++) {
		if (in.p[i] != '=') {
			bawn_buf_char(out, in.p[i]);
		} else if (i + 1 < in.n && in.p[i + 1] == '\n') {
			i++;
		} else if (i + 2 < in.n && digit(in.p[i + 1]) < 16 && digit(in.p[i + 2]) < 16) {
			size_t at = i + 1;
			bawn_buf_char(out, (char)read_digits(in, &at, 2, 16));
			i += 2;
		} else if (i + 2 < in.n && in.p[i + 1] == '\r') {
			i += 2;
		}
	}
	return true;
}

/* %41; with `unicode` also %u0041, with `plus` a plus for a space. */
static bool percent(struct bawn_buf *out, struct bawn_span in, bool unicode, bool plus)
{
	for (size_t i = 0; i < in.n; i++) {
		size_t at = i + 1;
		if (in.p[i] == '%' && i + 2 < in.n && digit(in.p[i + 1]) < 16 && digit(in.p[i + 2]) < 16) {
			uint32_t c = read_digits(in, &at, 2, 16);
			if (unicode)
				put_char(out, c);
			else
				bawn_buf_char(out, (char)c);
			i += 2;
		} else if (unicode && in.p[i] == '%' && i + 5 < in.n && in.p[i + 1] == 'u') {
			at = i + 2;
			put_char(out, read_digits(in, &at, 4, 16));
			i = at - 1;
		} else {
			bawn_buf_char(out, plus && in.p[i] == '+' ? ' ' : in.p[i]);
		}
	}
	return true;
}

static bool undo_percent(struct bawn_buf *out, struct bawn_span in) { return percent(out, in, false, false); }
static bool undo_plus(struct bawn_buf *out, struct bawn_span in) { return percent(out, in, false, true); }
static bool undo_unescape(struct bawn_buf *out, struct bawn_span in) { return percent(out, in, true, false); }

static bool undo_entities(struct bawn_buf *out, struct bawn_span in)
{
	static const struct { const char *name; char c; } named[] = {
		{ "amp;", '&' }, { "apos;", '\'' }, { "gt;", '>' }, { "lt;", '<' }, { "quot;", '"' }, { "nbsp;", ' ' },
		{ "lpar;", '(' }, { "rpar;", ')' }, { "period;", '.' }, { "sol;", '/' }, { "NewLine;", '\n' }, { "Tab;", '\t' },
	};
	for (size_t i = 0; i < in.n; i++) {
		struct bawn_span rest = { in.p + i + 1, in.n - i - 1 };
		bool found = false;
		if (in.p[i] == '&' && rest.n > 1 && rest.p[0] == '#') {
			bool hex = (rest.p[1] | 0x20) == 'x';
			size_t at = i + 2 + hex, start = at;
			uint32_t c = read_digits(in, &at, 7, hex ? 16 : 10);
			found = at > start;
			if (found)
				put_char(out, c);
			i = found ? at - 1 + (at < in.n && in.p[at] == ';') : i;
		}
		for (size_t k = 0; in.p[i] == '&' && !found && k < BAWN_LEN(named); k++)
			if (bawn_span_starts(rest, named[k].name)) {
				bawn_buf_char(out, named[k].c);
				i += strlen(named[k].name);
				found = true;
			}
		if (!found)
			bawn_buf_char(out, in.p[i]);
	}
	return true;
}

/* What a letter after a backslash stands for, and whether a backslash before any other stays. */
static const struct { const char *from, *to; bool stays, wide, named; } escape[] = {
	[BAWN_ESCAPES_PYTHON]     = { "abfnrtv\\'\"",   "\a\b\f\n\r\t\v\\'\"",           true,  true,  true },
	[BAWN_ESCAPES_BYTES]      = { "abfnrtv\\'\"",   "\a\b\f\n\r\t\v\\'\"",           true,  false, false },
	[BAWN_ESCAPES_JAVASCRIPT] = { "bfnrtv",         "\b\f\n\r\t\v",                  false, true,  false },
};

/* Names of ASCII characters, as in "\N{LATIN SMALL LETTER E}val"; 0 for any other. */
static uint32_t character_named(struct bawn_span name)
{
	static const struct { const char *name; char c; } row[] = {
		{ "SPACE", ' ' }, { "FULL STOP", '.' }, { "SOLIDUS", '/' }, { "REVERSE SOLIDUS", '\\' }, { "LOW LINE", '_' }, { "HYPHEN-MINUS", '-' },
		{ "LEFT PARENTHESIS", '(' }, { "RIGHT PARENTHESIS", ')' }, { "QUOTATION MARK", '"' }, { "APOSTROPHE", '\'' }, { "COMMA", ',' },
		{ "COLON", ':' }, { "SEMICOLON", ';' }, { "VERTICAL LINE", '|' }, { "AMPERSAND", '&' }, { "GREATER-THAN SIGN", '>' },
		{ "LESS-THAN SIGN", '<' }, { "EQUALS SIGN", '=' }, { "DOLLAR SIGN", '$' }, { "TILDE", '~' }, { "GRAVE ACCENT", '`' }, { "LINE FEED", '\n' },
		{ "DIGIT ZERO", '0' }, { "DIGIT ONE", '1' }, { "DIGIT TWO", '2' }, { "DIGIT THREE", '3' }, { "DIGIT FOUR", '4' }, { "DIGIT FIVE", '5' },
		{ "DIGIT SIX", '6' }, { "DIGIT SEVEN", '7' }, { "DIGIT EIGHT", '8' }, { "DIGIT NINE", '9' },
	};
	static const char small[] = "LATIN SMALL LETTER ", capital[] = "LATIN CAPITAL LETTER ";
	size_t s = sizeof small - 1, c = sizeof capital - 1;
	if (name.n == s + 1 && strncasecmp(name.p, small, s) == 0)
		return (uint32_t)(name.p[s] | 0x20);
	if (name.n == c + 1 && strncasecmp(name.p, capital, c) == 0)
		return (uint32_t)(name.p[c] & ~0x20);
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		if (strlen(row[i].name) == name.n && strncasecmp(row[i].name, name.p, name.n) == 0)
			return (uint32_t)row[i].c;
	return 0;
}

/* After "\N": where the name ends, having put what it names; a character that is not a letter where we do not know it. */
static size_t put_named(struct bawn_buf *b, struct bawn_span t, size_t at)
{
	const char *end = memchr(t.p + at, '}', t.n - at);
	if (end == NULL)
		return at;
	uint32_t c = character_named((struct bawn_span){ t.p + at + 1, (size_t)(end - t.p) - at - 1 });
	put_char(b, c != 0 ? c : 0xfffd);
	return (size_t)(end - t.p) + 1;
}

static void put_code(struct bawn_buf *b, uint32_t c, enum bawn_escapes how)
{
	if (how == BAWN_ESCAPES_BYTES)
		bawn_buf_char(b, (char)c);
	else
		put_char(b, c);
}

/* What follows a backslash at t[at]; returns where it ends. */
static size_t put_escape(struct bawn_buf *b, struct bawn_span t, size_t at, enum bawn_escapes how)
{
	char c = t.p[at++];
	bool brace = at < t.n && t.p[at] == '{';
	const char *k = c != '\0' ? strchr(escape[how].from, c) : NULL;
	if (k != NULL) {
		bawn_buf_char(b, escape[how].to[k - escape[how].from]);
	} else if (c == 'x') {
		put_code(b, read_digits(t, &at, 2, 16), how);
	} else if (c >= '0' && c <= '7') {
		at--;
		put_code(b, read_digits(t, &at, 3, 8), how);
	} else if (c == 'u' && brace && how == BAWN_ESCAPES_JAVASCRIPT) {
		at++;
		put_char(b, read_digits(t, &at, 6, 16));
		at += at < t.n && t.p[at] == '}';
	} else if ((c == 'u' || c == 'U') && escape[how].wide) {
		put_char(b, read_digits(t, &at, c == 'u' ? 4 : 8, 16));
	} else if (c == 'N' && brace && escape[how].named) {
		at = put_named(b, t, at);
	} else if (c == '\n' || c == '\r') {
		at += c == '\r' && at < t.n && t.p[at] == '\n';
	} else {
		if (escape[how].stays)
			bawn_buf_char(b, '\\');
		bawn_buf_char(b, c);
	}
	return at;
}

static bool unescape(struct bawn_buf *b, struct bawn_span t, enum bawn_escapes how)
{
	for (size_t at = 0; at < t.n; ) {
		char c = t.p[at++];
		if (c != '\\' || at == t.n)
			bawn_buf_char(b, c);
		else
			at = put_escape(b, t, at, how);
	}
	return true;
}

static bool undo_escapes(struct bawn_buf *out, struct bawn_span in) { return unescape(out, in, BAWN_ESCAPES_PYTHON); }

struct bawn_span bawn_unescape(struct arena *a, struct bawn_span t, enum bawn_escapes how)
{
	if (t.n == 0 || memchr(t.p, '\\', t.n) == NULL)
		return t;
	bawn_auto_buf b = BAWN_BUF(BAWN_DECODED_MAX);
	if (!unescape(&b, t, how) || bawn_buf_error(&b) != 0)
		return t;
	char *p = bawn_arena_text(a, bawn_buf_span(&b));
	return p != NULL ? (struct bawn_span){ p, b.n } : t;
}

/* ---- letters ---- */

static bool undo_rot13(struct bawn_buf *out, struct bawn_span in)
{
	for (size_t i = 0; i < in.n; i++) {
		int c = in.p[i], base = c >= 'a' && c <= 'z' ? 'a' : c >= 'A' && c <= 'Z' ? 'A' : 0;
		bawn_buf_char(out, (char)(base != 0 ? base + (c - base + 13) % 26 : c));
	}
	return true;
}

static bool undo_latin1(struct bawn_buf *out, struct bawn_span in)
{
	for (size_t i = 0; i < in.n; i++)
		put_char(out, (unsigned char)in.p[i]);
	return true;
}

static bool utf16(struct bawn_buf *out, struct bawn_span in, bool big)
{
	uint32_t high = 0;
	for (size_t i = 0; i + 1 < in.n; i += 2) {
		uint32_t a = (unsigned char)in.p[i], b = (unsigned char)in.p[i + 1], c = big ? a << 8 | b : b << 8 | a;
		if (c >= 0xd800 && c < 0xdc00) {
			high = c;
			continue;
		}
		if (c >= 0xdc00 && c < 0xe000)
			c = high != 0 ? 0x10000 + ((high - 0xd800) << 10 | (c - 0xdc00)) : 0xfffd;
		high = 0;
		put_char(out, c);
	}
	return in.n % 2 == 0;
}

static bool undo_utf16le(struct bawn_buf *out, struct bawn_span in) { return utf16(out, in, false); }
static bool undo_utf16be(struct bawn_buf *out, struct bawn_span in) { return utf16(out, in, true); }

static bool undo_utf16(struct bawn_buf *out, struct bawn_span in)
{
	bool big = in.n >= 2 && memcmp(in.p, "\xfe\xff", 2) == 0, mark = big || (in.n >= 2 && memcmp(in.p, "\xff\xfe", 2) == 0);
	return utf16(out, (struct bawn_span){ in.p + (mark ? 2 : 0), in.n - (mark ? 2 : 0) }, big);
}

static bool undo_utf32(struct bawn_buf *out, struct bawn_span in)
{
	size_t from = in.n >= 4 && memcmp(in.p, "\xff\xfe\0\0", 4) == 0 ? 4 : 0;
	bool big = in.n >= 4 && from == 0 && in.p[0] == 0;
	for (size_t i = from; i + 3 < in.n; i += 4) {
		uint32_t c = 0;
		for (unsigned k = 0; k < 4; k++)
			c |= (uint32_t)(unsigned char)in.p[i + k] << 8 * (big ? 3 - k : k);
		if (c != 0xfeff)
			put_char(out, c);
	}
	return in.n % 4 == 0;
}

static bool undo_utf7(struct bawn_buf *out, struct bawn_span in)
{
	for (size_t i = 0; i < in.n; i++) {
		if (in.p[i] != '+') {
			bawn_buf_char(out, in.p[i]);
			continue;
		}
		size_t start = ++i;
		while (i < in.n && sextet(in.p[i], false) >= 0)
			i++;
		if (i == start) {
			bawn_buf_char(out, '+');  /* "+-" */
		} else {
			bawn_auto_buf units = BAWN_BUF(BAWN_DECODED_MAX);
			(void)base64(&units, (struct bawn_span){ in.p + start, i - start }, false, false);
			(void)utf16(out, (struct bawn_span){ units.p, units.n & ~(size_t)1 }, true);
		}
		i -= i < in.n && in.p[i] != '-';
	}
	return true;
}

/* Letters as mainframes have them: the page 037; others differ in a few signs. */
static bool ebcdic(struct bawn_buf *out, struct bawn_span in, const char *other)
{
	static const char page[256] =
		"\x00\x01\x02\x03\x9c\x09\x86\x7f\x97\x8d\x8e\x0b\x0c\x0d\x0e\x0f" "\x10\x11\x12\x13\x9d\x85\x08\x87\x18\x19\x92\x8f\x1c\x1d\x1e\x1f"
		"\x80\x81\x82\x83\x84\x0a\x17\x1b\x88\x89\x8a\x8b\x8c\x05\x06\x07" "\x90\x91\x16\x93\x94\x95\x96\x04\x98\x99\x9a\x9b\x14\x15\x9e\x1a"
		"\x20\xa0\xe2\xe4\xe0\xe1\xe3\xe5\xe7\xf1\xa2.<(+|" "&\xe9\xea\xeb\xe8\xed\xee\xef\xec\xdf!$*);\xac"
		"-/\xc2\xc4\xc0\xc1\xc3\xc5\xc7\xd1\xa6,%_>?" "\xf8\xc9\xca\xcb\xc8\xcd\xce\xcf\xcc`:#@'=\""
		"\xd8" "abcdefghi\xab\xbb\xf0\xfd\xfe\xb1" "\xb0jklmnopqr\xaa\xba\xe6\xb8\xc6\xa4"
		"\xb5~stuvwxyz\xa1\xbf\xd0\xdd\xde\xae" "^\xa3\xa5\xb7\xa9\xa7\xb6\xbc\xbd\xbe[]\xaf\xa8\xb4\xd7"
		"{ABCDEFGHI\xad\xf4\xf6\xf2\xf3\xf5" "}JKLMNOPQR\xb9\xfb\xfc\xf9\xfa\xff"
		"\\\xf7STUVWXYZ\xb2\xd4\xd6\xd2\xd3\xd5" "0123456789\xb3\xdb\xdc\xd9\xda\x9f";
	for (size_t i = 0; i < in.n; i++) {
		char c = page[(unsigned char)in.p[i]];
		for (const char *k = other; *k != '\0'; k += 2)
			c = k[0] == in.p[i] ? k[1] : c;
		put_char(out, (unsigned char)c);
	}
	return true;
}

static bool undo_ebcdic(struct bawn_buf *out, struct bawn_span in) { return ebcdic(out, in, ""); }
static bool undo_ebcdic500(struct bawn_buf *out, struct bawn_span in) { return ebcdic(out, in, "\x4a[\x4f!\x5a]\x5f^\xbb|"); }

/* =?charset?B?...?= and =?charset?Q?...?=, as mail writes words that are not ASCII. */
static bool undo_mail(struct bawn_buf *out, struct bawn_span in)
{
	bool found = false;
	for (size_t i = 0; i < in.n; i++) {
		const char *p = in.p + i, *end = in.p + in.n;
		const char *how = in.n - i > 2 && memcmp(p, "=?", 2) == 0 ? memchr(p + 2, '?', (size_t)(end - p) - 2) : NULL;
		const char *stop = how != NULL && end - how > 3 && how[2] == '?' ? memmem(how + 3, (size_t)(end - how) - 3, "?=", 2) : NULL;
		if (stop == NULL) {
			bawn_buf_char(out, *p);
			continue;
		}
		struct bawn_span word = { how + 3, (size_t)(stop - how) - 3 };
		if ((how[1] | 0x20) == 'b')
			(void)base64(out, word, false, false);  /* what is no base64 gives nothing there, too */
		else
			(void)undo_quoted(out, word);
		found = true;
		i = (size_t)(stop - in.p) + 1;
	}
	return found;
}

/* 127.0.0.1 and ::1 as the bytes they are. */
static bool undo_address(struct bawn_buf *out, struct bawn_span in)
{
	char text[INET6_ADDRSTRLEN];
	unsigned char bytes[16];
	if (in.n >= sizeof text || memchr(in.p, '\0', in.n) != NULL)
		return false;
	memcpy(text, in.p, in.n);
	text[in.n] = '\0';
	int family = strchr(text, ':') != NULL ? AF_INET6 : AF_INET;
	if (inet_pton(family, text, bytes) != 1)
		return false;
	bawn_buf_add(out, bytes, family == AF_INET6 ? 16 : 4);
	return true;
}

struct bawn_span bawn_encode_utf16(struct arena *a, struct bawn_span in, bool big)
{
	char *out = in.n <= BAWN_DECODED_MAX ? bawn_arena_get(a, 2 * in.n + 4) : NULL;
	size_t n = 0;
	for (size_t at = 0; out != NULL && at < in.n; ) {
		uint32_t c = 0;
		size_t len = bawn_utf8_next(in, at, &c);
		if (len == 0)
			return (struct bawn_span){ NULL, 0 };
		uint32_t unit[2] = { c, 0 };
		if (c >= 0x10000)
			unit[0] = 0xd800 + ((c - 0x10000) >> 10), unit[1] = 0xdc00 + ((c - 0x10000) & 0x3ff);
		for (unsigned k = 0; k < (c >= 0x10000 ? 2u : 1u); k++) {
			out[n++] = (char)(big ? unit[k] >> 8 : unit[k] & 0xff);
			out[n++] = (char)(big ? unit[k] & 0xff : unit[k] >> 8);
		}
		at += len;
	}
	return (struct bawn_span){ out, n };
}

struct bawn_span bawn_encode_latin1(struct arena *a, struct bawn_span in)
{
	char *out = bawn_arena_get(a, in.n + 1);
	size_t n = 0;
	for (size_t at = 0; out != NULL && at < in.n; ) {
		uint32_t c = 0;
		size_t len = bawn_utf8_next(in, at, &c);
		if (len == 0 || c > 0xff)
			return (struct bawn_span){ NULL, 0 };
		out[n++] = (char)c;
		at += len;
	}
	return (struct bawn_span){ out, n };
}

/* ---- compressors ----
 * All three run in steps into a small window.  A stream that breaks off keeps what it gave. */

#define STEP 8192u

static bool inflate_as(struct bawn_buf *out, struct bawn_span in, int window)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)in.p, .avail_in = (uInt)in.n };
	Bytef step[STEP];
	if (inflateInit2(&z, window) != Z_OK)
		return false;
	int r = Z_OK;
	while (r == Z_OK && bawn_buf_error(out) == 0) {
		z.next_out = step;
		z.avail_out = sizeof step;
		r = inflate(&z, Z_NO_FLUSH);
		bawn_buf_add(out, step, sizeof step - z.avail_out);
	}
	(void)inflateEnd(&z);  /* only frees */
	return r == Z_STREAM_END || (r == Z_BUF_ERROR && out->n > 0);
}

/* With zlib's header, gzip's, or none. */
static bool undo_inflate(struct bawn_buf *out, struct bawn_span in)
{
	if (inflate_as(out, in, MAX_WBITS + 32))
		return true;
	bawn_buf_reset(out);
	return inflate_as(out, in, -MAX_WBITS);
}

static bool undo_bzip2(struct bawn_buf *out, struct bawn_span in)
{
	bz_stream z = { .next_in = (char *)(uintptr_t)in.p, .avail_in = (unsigned)in.n };
	char step[STEP];
	if (BZ2_bzDecompressInit(&z, 0, 0) != BZ_OK)
		return false;
	int r = BZ_OK;
	bool more = true;
	while (r == BZ_OK && more && bawn_buf_error(out) == 0) {
		z.next_out = step;
		z.avail_out = sizeof step;
		r = BZ2_bzDecompress(&z);
		more = z.avail_in > 0 || z.avail_out < sizeof step;
		bawn_buf_add(out, step, sizeof step - z.avail_out);
	}
	(void)BZ2_bzDecompressEnd(&z);  /* only frees */
	return r == BZ_STREAM_END;
}

static bool undo_lzma(struct bawn_buf *out, struct bawn_span in)
{
	lzma_stream z = LZMA_STREAM_INIT;
	uint8_t step[STEP];
	if (lzma_auto_decoder(&z, LZMA_MEMORY, 0) != LZMA_OK)
		return false;
	z.next_in = (const uint8_t *)in.p;
	z.avail_in = in.n;
	lzma_ret r = LZMA_OK;
	while (r == LZMA_OK && bawn_buf_error(out) == 0) {
		z.next_out = step;
		z.avail_out = sizeof step;
		r = lzma_code(&z, LZMA_FINISH);
		bawn_buf_add(out, step, sizeof step - z.avail_out);
	}
	lzma_end(&z);
	return r == LZMA_STREAM_END;
}

/* ---- the table ---- */

static bool undo_same(struct bawn_buf *out, struct bawn_span in)
{
	bawn_buf_add(out, in.p, in.n);
	return true;
}

static const struct { bool (*undo)(struct bawn_buf *out, struct bawn_span in); uint32_t cost; bool hides; } codec[] = {
	[BAWN_CODEC_NONE]      = { NULL, 0, false },
	[BAWN_CODEC_SAME]      = { undo_same, 0, false },
	[BAWN_CODEC_BASE64]    = { undo_base64, 0, true },
	[BAWN_CODEC_BASE64URL] = { undo_base64url, 0, true },
	[BAWN_CODEC_BASE64ANY] = { undo_base64any, 0, true },
	[BAWN_CODEC_HEX]       = { undo_hex, 0, true },
	[BAWN_CODEC_BASE32]    = { undo_base32, 0, true },
	[BAWN_CODEC_BASE32HEX] = { undo_base32hex, 0, true },
	[BAWN_CODEC_BASE85]    = { undo_base85, 0, true },
	[BAWN_CODEC_ASCII85]   = { undo_ascii85, 0, true },
	[BAWN_CODEC_Z85]       = { undo_z85, 0, true },
	[BAWN_CODEC_UU]        = { undo_uu, 0, true },
	[BAWN_CODEC_QUOTED]    = { undo_quoted, 0, true },
	[BAWN_CODEC_PERCENT]   = { undo_percent, 0, true },
	[BAWN_CODEC_PLUS]      = { undo_plus, 0, true },
	[BAWN_CODEC_UNESCAPE]  = { undo_unescape, 0, true },
	[BAWN_CODEC_ENTITIES]  = { undo_entities, 0, true },
	[BAWN_CODEC_ESCAPES]   = { undo_escapes, 0, true },
	[BAWN_CODEC_ROT13]     = { undo_rot13, 0, true },
	[BAWN_CODEC_LATIN1]    = { undo_latin1, 0, false },
	[BAWN_CODEC_UTF16]     = { undo_utf16, 0, false },
	[BAWN_CODEC_UTF16LE]   = { undo_utf16le, 0, false },
	[BAWN_CODEC_UTF16BE]   = { undo_utf16be, 0, false },
	[BAWN_CODEC_UTF32]     = { undo_utf32, 0, false },
	[BAWN_CODEC_UTF7]      = { undo_utf7, 0, true },
	[BAWN_CODEC_EBCDIC]    = { undo_ebcdic, 0, true },
	[BAWN_CODEC_EBCDIC500] = { undo_ebcdic500, 0, true },
	[BAWN_CODEC_MAIL]      = { undo_mail, 0, true },
	[BAWN_CODEC_ADDRESS]   = { undo_address, 0, true },
	/* a few bytes can make these work hard before the first byte comes out */
	[BAWN_CODEC_INFLATE]   = { undo_inflate, 32u << 10, true },
	[BAWN_CODEC_BZIP2]     = { undo_bzip2, 512u << 10, true },
	[BAWN_CODEC_LZMA]      = { undo_lzma, 512u << 10, true },
};
_Static_assert(BAWN_LEN(codec) == BAWN_CODEC_COUNT, "one row per codec");

/* Lower case, without '-', '_' and spaces. */
static const struct { const char *name; enum bawn_codec codec; } spelled[] = {
	{ "a85", BAWN_CODEC_ASCII85 }, { "ascii", BAWN_CODEC_SAME }, { "ascii85", BAWN_CODEC_ASCII85 }, { "b16", BAWN_CODEC_HEX },
	{ "b32", BAWN_CODEC_BASE32 }, { "b64", BAWN_CODEC_BASE64 }, { "b85", BAWN_CODEC_BASE85 }, { "base16", BAWN_CODEC_HEX },
	{ "base32", BAWN_CODEC_BASE32 }, { "base64", BAWN_CODEC_BASE64ANY }, { "base64codec", BAWN_CODEC_BASE64 },
	{ "base64url", BAWN_CODEC_BASE64URL }, { "base85", BAWN_CODEC_BASE85 }, { "binary", BAWN_CODEC_LATIN1 }, { "bz2", BAWN_CODEC_BZIP2 },
	{ "bz2codec", BAWN_CODEC_BZIP2 }, { "cp037", BAWN_CODEC_EBCDIC }, { "cp1026", BAWN_CODEC_EBCDIC500 }, { "cp1140", BAWN_CODEC_EBCDIC },
	{ "cp1252", BAWN_CODEC_LATIN1 }, { "cp273", BAWN_CODEC_EBCDIC500 }, { "cp424", BAWN_CODEC_EBCDIC }, { "cp500", BAWN_CODEC_EBCDIC500 },
	{ "cp875", BAWN_CODEC_EBCDIC500 }, { "ebcdiccpbe", BAWN_CODEC_EBCDIC500 }, { "ebcdiccpch", BAWN_CODEC_EBCDIC500 },
	{ "ebcdiccphe", BAWN_CODEC_EBCDIC }, { "ebcdiccpnl", BAWN_CODEC_EBCDIC }, { "ebcdiccpus", BAWN_CODEC_EBCDIC }, { "ibm037", BAWN_CODEC_EBCDIC },
	{ "ibm039", BAWN_CODEC_EBCDIC }, { "ibm500", BAWN_CODEC_EBCDIC500 }, { "ibm1140", BAWN_CODEC_EBCDIC }, { "037", BAWN_CODEC_EBCDIC },
	{ "500", BAWN_CODEC_EBCDIC500 }, { "1140", BAWN_CODEC_EBCDIC }, { "gzip", BAWN_CODEC_INFLATE }, { "hex", BAWN_CODEC_HEX },
	{ "hexcodec", BAWN_CODEC_HEX }, { "iso88591", BAWN_CODEC_LATIN1 }, { "l1", BAWN_CODEC_LATIN1 }, { "latin", BAWN_CODEC_LATIN1 },
	{ "latin1", BAWN_CODEC_LATIN1 }, { "lzma", BAWN_CODEC_LZMA }, { "quopri", BAWN_CODEC_QUOTED }, { "quopricodec", BAWN_CODEC_QUOTED },
	{ "quotedprintable", BAWN_CODEC_QUOTED }, { "rawunicodeescape", BAWN_CODEC_ESCAPES }, { "rot13", BAWN_CODEC_ROT13 },
	{ "stringescape", BAWN_CODEC_ESCAPES }, { "u16", BAWN_CODEC_UTF16 }, { "u7", BAWN_CODEC_UTF7 }, { "u8", BAWN_CODEC_SAME },
	{ "ucs2", BAWN_CODEC_UTF16LE }, { "unicodeescape", BAWN_CODEC_ESCAPES }, { "usascii", BAWN_CODEC_SAME }, { "utf", BAWN_CODEC_SAME },
	{ "utf16", BAWN_CODEC_UTF16 }, { "utf16be", BAWN_CODEC_UTF16BE }, { "utf16le", BAWN_CODEC_UTF16LE }, { "utf32", BAWN_CODEC_UTF32 },
	{ "utf32be", BAWN_CODEC_UTF32 }, { "utf32le", BAWN_CODEC_UTF32 }, { "utf7", BAWN_CODEC_UTF7 }, { "utf8", BAWN_CODEC_SAME },
	{ "utf8sig", BAWN_CODEC_SAME }, { "uu", BAWN_CODEC_UU }, { "uucodec", BAWN_CODEC_UU }, { "xz", BAWN_CODEC_LZMA },
	{ "zip", BAWN_CODEC_INFLATE }, { "zlib", BAWN_CODEC_INFLATE }, { "zlibcodec", BAWN_CODEC_INFLATE },
};

NAMES(spelled_names, spelled);

/* Of all other letters the first half is ASCII, and a program needs no more. */
static bool is_charset(struct bawn_span name)
{
	static const char *const first[] = { "iso8859", "iso2022", "cp", "windows", "koi8", "mac", "gb", "big5", "euc", "shiftjis", "sjis", "johab", "hz", "tis620", "ptcp154", "kz1048", "ibm" };
	for (size_t i = 0; i < BAWN_LEN(first); i++)
		if (bawn_span_starts(name, first[i]))
			return true;
	return false;
}

enum bawn_codec bawn_codec_named(struct bawn_span name)
{
	char plain[24];
	size_t n = 0;
	for (size_t i = 0; i < name.n; i++) {
		char c = name.p[i];
		if (c == '-' || c == '_' || c == ' ')
			continue;
		if (n == sizeof plain - 1)
			return BAWN_CODEC_NONE;
		plain[n++] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
	}
	size_t row = bawn_names_find(&spelled_names, plain, n);
	return row < BAWN_LEN(spelled) ? spelled[row].codec : is_charset((struct bawn_span){ plain, n }) ? BAWN_CODEC_LATIN1 : BAWN_CODEC_NONE;
}

bool bawn_codec_hides(enum bawn_codec c) { return codec[c].hides; }
size_t bawn_codec_cost(enum bawn_codec c) { return codec[c].cost; }

struct bawn_span bawn_decode(struct arena *a, enum bawn_codec how, struct bawn_span in)
{
	struct bawn_span none = { NULL, 0 };
	if (codec[how].undo == NULL || in.p == NULL || in.n > 4 * BAWN_DECODED_MAX)
		return none;
	if (how == BAWN_CODEC_SAME)
		return in;
	bawn_auto_buf b = BAWN_BUF(BAWN_DECODED_MAX);
	bool undone = codec[how].undo(&b, in);
	a->failed = a->failed || bawn_buf_error(&b) == -ENOMEM;
	if (!undone || bawn_buf_error(&b) != 0)
		return none;
	return (struct bawn_span){ bawn_arena_text(a, bawn_buf_span(&b)), b.n };
}

char *bawn_decode_base64(struct arena *a, struct bawn_span in, size_t *out_n)
{
	struct bawn_span out = bawn_decode(a, BAWN_CODEC_BASE64ANY, in);
	*out_n = out.n;
	return (char *)(uintptr_t)out.p;
}
