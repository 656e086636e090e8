/* filters.c - see shell.h.  What commands print when what goes in is known: the decoders and the text
 * tools that hide a program in a script.  Nothing is run; what is not modelled exactly is not known, and
 * keeps the marks of what it was made from. */
#include "assess/decode.h"
#include "assess/names.h"
#include "assess/commands.h"
#include "assess/text.h"
#include "base/buf.h"
#include "base/cleanup.h"

struct filter { struct shell *s; struct value *const *word; uint32_t n; struct bawn_span in; uint64_t taint; struct bawn_buf *out; };

static struct bawn_span word_at(const struct filter *f, uint32_t i)
{
	return i < f->n && bawn_value_is_text(f->word[i]) && !f->word[i]->partial ? f->word[i]->text : (struct bawn_span){ NULL, 0 };
}

/* Is one of the short options (bundled or not) or the long one given? */
static bool given(const struct filter *f, char letter, const char *name)
{
	for (uint32_t i = 1; i < f->n; i++) {
		struct bawn_span w = word_at(f, i);
		if (w.n < 2 || w.p[0] != '-')
			continue;
		if (w.p[1] != '-' ? memchr(w.p + 1, letter, w.n - 1) != NULL : w.n > 3 && bawn_span_starts(bawn_span(name), bawn_arena_text(bawn_sh_arena(f->s->e), w)))
			return true;
	}
	return false;
}

/* The value of a short option: -d, or -d ,. */
static struct bawn_span option_value(const struct filter *f, char letter)
{
	for (uint32_t i = 1; i < f->n; i++) {
		struct bawn_span w = word_at(f, i);
		if (w.n < 2 || w.p[0] != '-' || w.p[1] != letter)
			continue;
		return w.n > 2 ? (struct bawn_span){ w.p + 2, w.n - 2 } : word_at(f, i + 1);
	}
	return (struct bawn_span){ NULL, 0 };
}

static struct bawn_span operand_at(const struct filter *f, uint32_t k)
{
	for (uint32_t i = 1; i < f->n; i++)
		if (!bawn_sh_option(f->word[i]) && k-- == 0)
			return word_at(f, i);
	return (struct bawn_span){ NULL, 0 };
}

/* ---- escapes, echo, printf ---- */

static int digit(char c, int base)
{
	int d = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : 99;
	return d < base ? d : -1;
}

static void put_utf8(struct bawn_buf *b, uint32_t c)
{
	if (c < 0x80) {
		bawn_buf_char(b, (char)c);
	} else if (c < 0x800) {
		bawn_buf_char(b, (char)(0xc0 | c >> 6));
		bawn_buf_char(b, (char)(0x80 | (c & 0x3f)));
	} else {
		bawn_buf_char(b, (char)(0xe0 | (c >> 12 & 0xf)));
		bawn_buf_char(b, (char)(0x80 | (c >> 6 & 0x3f)));
		bawn_buf_char(b, (char)(0x80 | (c & 0x3f)));
	}
}

/* One escape after its backslash.  echo wants \0nnn where printf and $'...' take \nnn. */
static void unescape_one(struct bawn_span t, size_t *at, bool echo, struct bawn_buf *b)
{
	static const char from[] = "abefnrtv\\'\"?E", to[] = "\a\b\033\f\n\r\t\v\\'\"?\033";
	char c = t.p[(*at)++];
	const char *k = strchr(from, c);
	bool octal = echo ? c == '0' : c >= '0' && c <= '7';
	int most = octal ? 3 : c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0, base = octal ? 8 : 16, digits = 0;
	if (c == '\0' || (k == NULL && most == 0)) {
		bawn_buf_char(b, '\\');
		bawn_buf_char(b, c);
		return;
	}
	if (k != NULL) {
		bawn_buf_char(b, to[k - from]);
		return;
	}
	*at -= octal && !echo;
	uint32_t n = 0;
	for (; *at < t.n && digits < most && digit(t.p[*at], base) >= 0; digits++)
		n = n * (uint32_t)base + (uint32_t)digit(t.p[(*at)++], base);
	if (c == 'u' || c == 'U')
		put_utf8(b, n & 0xffff);
	else
		bawn_buf_char(b, (char)(n & 0xff));
}

static void unescape_into(struct bawn_span t, bool echo, struct bawn_buf *b)
{
	for (size_t at = 0; at < t.n; ) {
		char c = t.p[at++];
		if (c == '\\' && at < t.n)
			unescape_one(t, &at, echo, b);
		else
			bawn_buf_char(b, c);
	}
}

struct bawn_span bawn_sh_unescape(struct engine *e, struct bawn_span t, bool echo)
{
	bawn_auto_buf b = BAWN_BUF(SHELL_TEXT_MAX);
	if (t.n == 0 || memchr(t.p, '\\', t.n) == NULL)
		return t;
	unescape_into(t, echo, &b);
	char *p = bawn_engine_whole(e, &b) ? bawn_arena_text(bawn_sh_arena(e), bawn_buf_span(&b)) : NULL;
	return p != NULL ? (struct bawn_span){ p, b.n } : t;
}

static bool only(struct bawn_span t, const char *set)
{
	for (size_t i = 0; i < t.n; i++)
		if (strchr(set, t.p[i]) == NULL || t.p[i] == '\0')
			return false;
	return true;
}

/* Is most of what comes out spelled in numbers?  Nobody writes words that way who wants them read. */
static void note_escapes(struct filter *f, struct bawn_span t, bool echo)
{
	size_t escapes = 0;
	for (size_t i = 0; i + 2 < t.n; i++) {
		if (t.p[i] != '\\')
			continue;
		char c = t.p[++i];
		escapes += (c == 'x' || c == 'u' || c == 'U' || (c >= '0' && c <= (echo ? '0' : '7'))) && digit(t.p[i + 1], 16) >= 0;
	}
	if (escapes > 1 && escapes * 2 >= f->out->n)
		f->taint |= BAWN_TAG(DECODE);
}

static bool put_echo(struct filter *f)
{
	uint32_t i = 1;
	bool escapes = false;
	for (; i < f->n && bawn_sh_option(f->word[i]) && only(f->word[i]->text, "-neE"); i++)
		escapes = escapes || memchr(f->word[i]->text.p, 'e', f->word[i]->text.n) != NULL;
	for (uint32_t first = i; i < f->n; i++) {
		struct bawn_span w = bawn_value_is_text(f->word[i]) ? f->word[i]->text : bawn_span("{}");
		if (i > first)
			bawn_buf_char(f->out, ' ');
		if (escapes) {
			unescape_into(w, true, f->out);
			note_escapes(f, w, true);
		} else {
			bawn_buf_add(f->out, w.p, w.n);
		}
	}
	return true;
}

/* One %-directive; what it prints is the word itself, or the character of a number for %c-like uses. */
static void directive(char c, struct bawn_span w, struct bawn_buf *b)
{
	uint32_t n = 0;
	size_t i = 0;
	bool hex = w.n > 2 && w.p[0] == '0' && (w.p[1] | 0x20) == 'x', octal = !hex && w.n > 1 && w.p[0] == '0';
	if (c == 'b') {
		unescape_into(w, true, b);
	} else if (c == 'c') {
		bawn_buf_add(b, w.p, w.n > 0 ? 1 : 0);
	} else if (strchr("dioxXu", c) != NULL) {
		for (i = hex ? 2 : 0; i < w.n && digit(w.p[i], hex ? 16 : octal ? 8 : 10) >= 0; i++)
			n = n * (hex ? 16u : octal ? 8u : 10u) + (uint32_t)digit(w.p[i], 16);
		if (w.n == 2 && (w.p[0] == '\'' || w.p[0] == '"'))
			n = (unsigned char)w.p[1];
		bawn_buf_fmt(b, c == 'x' ? "%x" : c == 'X' ? "%X" : c == 'o' ? "%o" : "%u", n);
	} else {
		bawn_buf_add(b, w.p, w.n);
	}
}

/* The format is used again while words are left. */
static bool put_printf(struct filter *f)
{
	uint32_t i = 1;
	while (i < f->n && (bawn_sh_is(f->word[i], "--") || bawn_sh_is(f->word[i], "-v")))
		i += bawn_sh_is(f->word[i], "-v") ? 2 : 1;
	struct bawn_span format = i < f->n && bawn_value_is_text(f->word[i]) ? f->word[i]->text : (struct bawn_span){ NULL, 0 };
	if (format.p == NULL)
		return false;
	i++;
	for (unsigned rounds = 0; rounds == 0 || (i < f->n && rounds < SHELL_WORDS_MAX); rounds++) {
		uint32_t before = i;
		for (size_t at = 0; at < format.n; ) {
			char c = format.p[at++];
			if (c == '\\' && at < format.n) {
				unescape_one(format, &at, false, f->out);
			} else if (c == '%' && at < format.n && format.p[at] == '%') {
				bawn_buf_char(f->out, format.p[at++]);
			} else if (c == '%' && at < format.n) {
				while (at < format.n && strchr("-+ #0123456789.*l", format.p[at]) != NULL)
					at++;
				struct bawn_span w = i < f->n && bawn_value_is_text(f->word[i]) ? f->word[i]->text : bawn_span(i < f->n ? "{}" : "");
				directive(at < format.n ? format.p[at] : 's', w, f->out);
				at++, i++;
			} else {
				bawn_buf_char(f->out, c);
			}
		}
		if (i == before)
			break;
	}
	note_escapes(f, format, false);
	for (uint32_t k = 1; k < f->n; k++)
		if (bawn_value_is_text(f->word[k]) && memmem(format.p, format.n, "%b", 2) != NULL)
			note_escapes(f, f->word[k]->text, false);
	return true;
}

/* ---- decoders ---- */

static bool put_decoded(struct filter *f, enum bawn_codec codec)
{
	struct bawn_span t = bawn_decode(bawn_sh_arena(f->s->e), codec, f->in);
	if (t.p == NULL)
		return false;
	bawn_buf_add(f->out, t.p, t.n);
	f->taint |= BAWN_TAG(DECODE);
	return true;
}

static bool undoes(const struct filter *f) { return given(f, 'd', "--decode") || given(f, 'D', "--decode") || given(f, 'd', "--decompress"); }

static bool put_base64(struct filter *f) { return undoes(f) && put_decoded(f, BAWN_CODEC_BASE64ANY); }
static bool put_base32(struct filter *f) { return undoes(f) && put_decoded(f, BAWN_CODEC_BASE32); }
static bool put_xxd(struct filter *f) { return given(f, 'r', "--revert") && put_decoded(f, BAWN_CODEC_HEX); }
static bool put_uudecode(struct filter *f) { return put_decoded(f, BAWN_CODEC_UU); }
static bool put_unzipped(struct filter *f) { return put_decoded(f, BAWN_CODEC_INFLATE); }
static bool put_gzip(struct filter *f) { return undoes(f) && put_decoded(f, BAWN_CODEC_INFLATE); }
static bool put_bzip2(struct filter *f) { return (undoes(f) || bawn_sh_in(f->word[0], "bunzip2 bzcat")) && put_decoded(f, BAWN_CODEC_BZIP2); }
static bool put_xz(struct filter *f) { return (undoes(f) || bawn_sh_in(f->word[0], "unxz xzcat")) && put_decoded(f, BAWN_CODEC_LZMA); }

/* basenc --base32 -d: the codec is an option. */
static bool put_basenc(struct filter *f)
{
	enum bawn_codec codec = BAWN_CODEC_NONE;
	for (uint32_t i = 1; i < f->n; i++) {
		struct bawn_span w = word_at(f, i);
		if (w.n > 2 && w.p[0] == '-' && w.p[1] == '-' && !bawn_span_is(w, "--decode"))
			codec = bawn_span_is(w, "--base16") ? BAWN_CODEC_HEX : bawn_codec_named((struct bawn_span){ w.p + 2, w.n - 2 });
	}
	return undoes(f) && codec != BAWN_CODEC_NONE && put_decoded(f, codec);
}

/* openssl base64 -d, openssl enc -d -base64: base64 without a cipher. */
static bool put_openssl(struct filter *f)
{
	bool base64 = false, back = false, other = false;
	for (uint32_t i = 1; i < f->n; i++) {
		struct bawn_span w = word_at(f, i);
		base64 = base64 || bawn_span_is(w, "base64") || bawn_span_is(w, "-base64") || bawn_span_is(w, "-a");
		back = back || bawn_span_is(w, "-d");
		other = other || (w.n > 4 && w.p[0] == '-' && !bawn_span_is(w, "-base64"));
	}
	return base64 && back && !other && put_decoded(f, BAWN_CODEC_BASE64ANY);
}

/* ---- text tools ---- */

static bool put_same(struct filter *f)
{
	bawn_buf_add(f->out, f->in.p, f->in.n);
	return true;
}

/* Did a text tool change so much that the text could not be read before? */
static void note_change(struct filter *f, struct bawn_span now)
{
	size_t same = 0, less = f->in.n < now.n ? f->in.n : now.n;
	for (size_t i = 0; i < less && f->in.n == now.n; i++)
		same += f->in.p[i] == now.p[i];
	size_t changed = f->in.n == now.n ? less - same : f->in.n > now.n ? f->in.n - now.n : now.n - f->in.n;
	if (changed * 4 >= f->in.n && changed > 1)
		f->taint |= BAWN_TAG(DECODE);
}

static bool put_rev(struct filter *f)
{
	for (size_t start = 0; start < f->in.n; ) {
		size_t end = start;
		while (end < f->in.n && f->in.p[end] != '\n')
			end++;
		for (size_t i = end; i > start; i--)
			bawn_buf_char(f->out, f->in.p[i - 1]);
		if (end < f->in.n)
			bawn_buf_char(f->out, '\n');
		start = end + 1;
	}
	f->taint |= BAWN_TAG(DECODE);
	return true;
}

static bool put_tac(struct filter *f)
{
	size_t end = f->in.n;
	while (end > 0) {
		size_t start = end - (f->in.p[end - 1] == '\n');
		size_t stop = start;
		while (start > 0 && f->in.p[start - 1] != '\n')
			start--;
		bawn_buf_add(f->out, f->in.p + start, stop - start);
		bawn_buf_char(f->out, '\n');
		end = start;
	}
	return true;
}

/* A set of tr written out: ranges, escapes, the usual classes. */
static size_t tr_set(struct bawn_span t, unsigned char *out, size_t max)
{
	static const struct { const char *name; unsigned char from, to; } class[] = {
		{ "[:lower:]", 'a', 'z' }, { "[:upper:]", 'A', 'Z' }, { "[:digit:]", '0', '9' }, { "[:space:]", '\t', '\r' },
	};
	size_t n = 0;
	for (size_t i = 0; i < t.n && n < max; ) {
		struct bawn_span rest = { t.p + i, t.n - i };
		size_t k = 0;
		while (k < BAWN_LEN(class) && !bawn_span_starts(rest, class[k].name))
			k++;
		if (k < BAWN_LEN(class)) {
			for (unsigned c = class[k].from; c <= class[k].to && n < max; c++)
				out[n++] = (unsigned char)c;
			if (class[k].from == '\t' && n < max)
				out[n++] = ' ';
			i += strlen(class[k].name);
			continue;
		}
		unsigned char c = (unsigned char)t.p[i++];
		if (c == '\\' && i < t.n) {
			static const char from[] = "nrt\\", to[] = "\n\r\t\\";
			const char *at = strchr(from, t.p[i]);
			c = at != NULL && *at != '\0' ? (unsigned char)to[at - from] : (unsigned char)t.p[i];
			i++;
		}
		unsigned char last = c;
		if (i + 1 < t.n && t.p[i] == '-') {
			last = (unsigned char)t.p[i + 1];
			i += 2;
		}
		for (unsigned k2 = c; k2 <= last && n < max; k2++)
			out[n++] = (unsigned char)k2;
	}
	return n;
}

static bool put_tr(struct filter *f)
{
	unsigned char from[512], to[512];
	short map[256];
	struct bawn_span a = operand_at(f, 0), b = operand_at(f, 1);
	bool delete = given(f, 'd', "--delete"), squeeze = given(f, 's', "--squeeze-repeats"), others = given(f, 'c', "--complement");
	if (a.p == NULL || others || (b.p == NULL && !delete && !squeeze))
		return false;
	size_t n = tr_set(a, from, sizeof from), m = b.p != NULL ? tr_set(b, to, sizeof to) : 0;
	for (int i = 0; i < 256; i++)
		map[i] = (short)i;
	for (size_t i = 0; i < n; i++)
		map[from[i]] = delete ? -1 : m > 0 ? to[i < m ? i : m - 1] : from[i];
	int before = -1;
	for (size_t i = 0; i < f->in.n; i++) {
		int c = map[(unsigned char)f->in.p[i]];
		if (c >= 0 && !(squeeze && c == before))
			bawn_buf_char(f->out, (char)c);
		before = c;
	}
	note_change(f, bawn_buf_span(f->out));
	return true;
}

/* One s or y command of sed, with a pattern that has no special characters but the dot alone. */
static bool sed_once(struct bawn_span *text, struct bawn_span cmd, struct bawn_buf *out)
{
	size_t cut[3] = { 0 }, k = 0;
	if (cmd.n < 4 || (cmd.p[0] != 's' && cmd.p[0] != 'y'))
		return false;
	char mark = cmd.p[1];
	for (size_t i = 1; i < cmd.n && k < 3; i++) {
		if (cmd.p[i] == '\\')
			i++;
		else if (cmd.p[i] == mark)
			cut[k++] = i;
	}
	if (k < 3)
		return false;
	struct bawn_span from = { cmd.p + cut[0] + 1, cut[1] - cut[0] - 1 }, to = { cmd.p + cut[1] + 1, cut[2] - cut[1] - 1 };
	bool all = memchr(cmd.p + cut[2], 'g', cmd.n - cut[2]) != NULL, done = false;
	char pattern[128], with[256];
	size_t n = 0, m = 0;
	for (size_t i = 0; i < from.n && n < sizeof pattern; i++) {
		if (from.p[i] == '\\' && i + 1 < from.n)
			i++;
		else if (strchr(".[]*^$", from.p[i]) != NULL && cmd.p[0] == 's')
			return false;
		pattern[n++] = from.p[i];
	}
	for (size_t i = 0; i < to.n && m < sizeof with; i++) {
		if (to.p[i] == '\\' && i + 1 < to.n)
			i++;
		else if (to.p[i] == '&')
			return false;
		with[m++] = to.p[i];
	}
	if (n == 0 || n == sizeof pattern || m == sizeof with || (cmd.p[0] == 'y' && n != m))
		return false;
	for (size_t i = 0; i < text->n; ) {
		const char *y = cmd.p[0] == 'y' ? memchr(pattern, text->p[i], n) : NULL;
		if (y != NULL) {
			bawn_buf_char(out, with[y - pattern]);
			i++;
		} else if (cmd.p[0] == 's' && (all || !done) && text->n - i >= n && memcmp(text->p + i, pattern, n) == 0) {
			bawn_buf_add(out, with, m);
			i += n;
			done = true;
		} else {
			done = done && text->p[i] != '\n';
			bawn_buf_char(out, text->p[i++]);
		}
	}
	return true;
}

static bool put_sed(struct filter *f)
{
	struct bawn_span text = f->in;
	bool any = false;
	for (uint32_t i = 1; i < f->n; i++) {
		struct bawn_span w = word_at(f, i);
		if (w.p == NULL)
			return false;
		if (w.n > 0 && w.p[0] == '-')
			continue;
		for (size_t start = 0; start < w.n; ) {  /* s/a/b/;s/c/d/ */
			size_t end = start;
			unsigned marks = 0;
			while (end < w.n && !(w.p[end] == ';' && marks >= 3))
				marks += start + 1 < w.n && w.p[end] == w.p[start + 1], end++;
			bawn_auto_buf b = BAWN_BUF(SHELL_TEXT_MAX);
			if (!sed_once(&text, (struct bawn_span){ w.p + start, end - start }, &b) || !bawn_engine_whole(f->s->e, &b))
				return false;
			text = (struct bawn_span){ bawn_arena_text(bawn_sh_arena(f->s->e), bawn_buf_span(&b)), b.n };
			any = true;
			start = end + 1;
			if (text.p == NULL)
				return false;
		}
	}
	if (!any)
		return false;
	note_change(f, text);
	bawn_buf_add(f->out, text.p, text.n);
	return true;
}

static bool small_number(struct bawn_span t, size_t *out)
{
	size_t n = 0;
	for (size_t i = 0; i < t.n; i++) {
		if (t.p[i] < '0' || t.p[i] > '9' || i > 6)
			return false;
		n = n * 10 + (size_t)(t.p[i] - '0');
	}
	*out = n;
	return t.n > 0;
}

/* Field k of a line, counted from 1. */
static struct bawn_span field(struct bawn_span line, size_t k, char mark)
{
	bool blanks = mark == '\0';
	size_t at = 0;
	for (;;) {
		while (blanks && at < line.n && (line.p[at] == ' ' || line.p[at] == '\t'))
			at++;
		size_t start = at;
		while (at < line.n && (blanks ? line.p[at] != ' ' && line.p[at] != '\t' : line.p[at] != mark))
			at++;
		if (--k == 0 || at >= line.n)
			return k == 0 ? (struct bawn_span){ line.p + start, at - start } : (struct bawn_span){ line.p, 0 };
		at++;
	}
}

/* cut -d, -f2 or -c3-5, one range. */
static bool put_cut(struct filter *f)
{
	struct bawn_span mark = option_value(f, 'd'), fields = option_value(f, 'f'), chars = option_value(f, 'c');
	struct bawn_span list = fields.p != NULL ? fields : chars;
	const char *dash = list.p != NULL ? memchr(list.p, '-', list.n) : NULL;
	size_t from = 1, to = 100000;
	if (list.p == NULL || memchr(list.p, ',', list.n) != NULL)
		return false;
	struct bawn_span a = { list.p, dash != NULL ? (size_t)(dash - list.p) : list.n };
	struct bawn_span b = dash != NULL ? (struct bawn_span){ dash + 1, list.n - a.n - 1 } : a;
	if ((a.n > 0 && !small_number(a, &from)) || (b.n > 0 && !small_number(b, &to)) || from == 0)
		return false;
	for (size_t start = 0; start < f->in.n; ) {
		size_t end = start;
		while (end < f->in.n && f->in.p[end] != '\n')
			end++;
		struct bawn_span line = { f->in.p + start, end - start };
		if (chars.p != NULL && fields.p == NULL) {
			size_t stop = to < line.n ? to : line.n;
			if (from <= stop)
				bawn_buf_add(f->out, line.p + from - 1, stop - from + 1);
		} else {
			char d = mark.n > 0 ? mark.p[0] : '\t';
			for (size_t k = from; k <= to && k < from + 64; k++) {
				struct bawn_span part = field(line, k, d);
				if (part.n == 0 && part.p == line.p && k > 1)
					break;
				if (k > from)
					bawn_buf_char(f->out, d);
				bawn_buf_add(f->out, part.p, part.n);
			}
		}
		if (end < f->in.n)
			bawn_buf_char(f->out, '\n');
		start = end + 1;
	}
	return true;
}

/* head and tail in bytes or lines. */
static bool put_part(struct filter *f, bool head)
{
	struct bawn_span bytes = option_value(f, 'c'), lines = option_value(f, 'n');
	struct bawn_span count = bytes.p != NULL ? bytes : lines;
	bool plus = count.n > 0 && count.p[0] == '+';
	size_t n = 10;
	if (count.p != NULL && !small_number((struct bawn_span){ count.p + plus, count.n - plus }, &n))
		return false;
	size_t at = head || plus ? 0 : f->in.n, k = 0;
	if (bytes.p != NULL)
		at = head ? (n < f->in.n ? n : f->in.n) : plus ? (n > 0 && n - 1 < f->in.n ? n - 1 : f->in.n) : f->in.n - (n < f->in.n ? n : f->in.n);
	else if (head || plus)
		for (k = plus ? 1 : 0; at < f->in.n && k < n; at++)
			k += f->in.p[at] == '\n';
	else
		for (; at > 0; at--)
			if (f->in.p[at - 1] == '\n' && at < f->in.n && ++k == n)
				break;
	bawn_buf_add(f->out, head ? f->in.p : f->in.p + at, head ? at : f->in.n - at);
	return true;
}
static bool put_head(struct filter *f) { return put_part(f, true); }
static bool put_tail(struct filter *f) { return put_part(f, false); }

/* One argument of awk's printf: a number or a text.  Where it ends, or 0. */
static size_t awk_argument(struct bawn_span p, size_t at, char how, struct bawn_buf *b)
{
	size_t start, n = 0;
	while (at < p.n && (p.p[at] == ' ' || p.p[at] == ','))
		at++;
	start = at;
	if (at < p.n && p.p[at] == '"') {
		const char *end = memchr(p.p + at + 1, '"', p.n - at - 1);
		if (end == NULL)
			return 0;
		bawn_buf_add(b, p.p + at + 1, (size_t)(end - p.p) - at - 1);
		return (size_t)(end - p.p) + 1;
	}
	while (at < p.n && p.p[at] >= '0' && p.p[at] <= '9')
		at++;
	if (!small_number((struct bawn_span){ p.p + start, at - start }, &n))
		return 0;
	if (how == 'c')
		bawn_buf_char(b, (char)n);
	else
		bawn_buf_add(b, p.p + start, at - start);
	return at;
}

/* awk 'BEGIN{printf "%c%c", 108, 115}': words spelled in numbers. */
static bool put_awk_begin(struct filter *f, struct bawn_span p)
{
	const char *call = memmem(p.p, p.n, "printf", 6), *open = call != NULL ? memchr(call, '"', (size_t)(p.p + p.n - call)) : NULL;
	const char *close = open != NULL ? memchr(open + 1, '"', (size_t)(p.p + p.n - open - 1)) : NULL;
	if (close == NULL)
		return false;
	size_t at = (size_t)(close - p.p) + 1;
	struct bawn_span format = { open + 1, (size_t)(close - open) - 1 };
	for (size_t i = 0; i < format.n; ) {
		char c = format.p[i++];
		if (c == '\\' && i < format.n) {
			unescape_one(format, &i, false, f->out);
		} else if (c == '%' && i < format.n) {
			f->taint |= format.p[i] == 'c' ? BAWN_TAG(DECODE) : 0;
			if ((at = awk_argument(p, at, format.p[i++], f->out)) == 0)
				return false;
		} else {
			bawn_buf_char(f->out, c);
		}
	}
	return true;
}

/* awk '{print $2}' and awk '{print $1 $3}'. */
static bool put_awk(struct filter *f)
{
	for (uint32_t i = 1; i < f->n; i++)
		if (bawn_span_starts(word_at(f, i), "BEGIN"))
			return put_awk_begin(f, word_at(f, i));
	if (f->in.p == NULL)
		return false;
	struct bawn_span mark = option_value(f, 'F'), p = { NULL, 0 };
	for (uint32_t i = 1; i < f->n && p.p == NULL; i++) {
		struct bawn_span w = word_at(f, i);
		if (w.n > 7 && w.p[0] == '{')
			p = w;
	}
	if (p.p == NULL || !bawn_span_starts(p, "{print $") || p.p[p.n - 1] != '}' || mark.n > 1)
		return false;
	for (size_t at = 7; at + 1 < p.n; ) {
		if (p.p[at] == ' ' || p.p[at] == ',') {
			if (p.p[at] == ',')
				bawn_buf_char(f->out, ' ');
			at++;
			continue;
		}
		if (p.p[at] != '$' || p.p[at + 1] < '1' || p.p[at + 1] > '9')
			return false;
		struct bawn_span part = field(f->in, (size_t)(p.p[at + 1] - '0'), mark.n > 0 ? mark.p[0] : '\0');
		bawn_buf_add(f->out, part.p, part.n);
		at += 2;
	}
	return true;
}

/* paste -sd '': the lines of the input put together. */
static bool put_paste(struct filter *f)
{
	struct bawn_span mark = option_value(f, 'd');
	if (!given(f, 's', "--serial"))
		return false;
	bool none = mark.n == 0 && given(f, 'd', "--delimiters");
	for (size_t i = 0; i < f->in.n; i++) {
		if (f->in.p[i] != '\n')
			bawn_buf_char(f->out, f->in.p[i]);
		else if (i + 1 < f->in.n && !none)
			bawn_buf_char(f->out, mark.n > 0 ? mark.p[0] : '\t');
	}
	return true;
}

/* which, command -v, type -p: the name is good enough. */
static bool put_which(struct filter *f)
{
	struct bawn_span w = operand_at(f, 0);
	if (w.p == NULL)
		return false;
	if (bawn_sh_is(f->word[0], "command") && !given(f, 'v', "-v") && !given(f, 'V', "-V"))
		return false;
	bawn_buf_add(f->out, w.p, w.n);
	return true;
}

/* expr substr xxcat 3 3 */
static bool put_expr(struct filter *f)
{
	size_t from, len;
	struct bawn_span w = f->n == 5 && bawn_sh_is(f->word[1], "substr") ? word_at(f, 2) : (struct bawn_span){ NULL, 0 };
	if (w.p == NULL || !small_number(word_at(f, 3), &from) || !small_number(word_at(f, 4), &len) || from == 0 || from > w.n)
		return false;
	bawn_buf_add(f->out, w.p + from - 1, len < w.n - from + 1 ? len : w.n - from + 1);
	return true;
}

/* A file that the program wrote itself. */
static bool put_cat(struct filter *f)
{
	bool any = false;
	for (uint32_t i = 1; i < f->n; i++) {
		struct bawn_span w = word_at(f, i);
		if ((w.p != NULL && w.n == 0) || (w.n > 1 && w.p[0] == '-'))
			continue;
		const struct value *v = bawn_sh_contents(f->s, f->word[i]);
		if (!bawn_value_is_text(v))
			return false;
		bawn_buf_add(f->out, v->text.p, v->text.n);
		f->taint |= v->taint;
		any = true;
	}
	return any || (f->in.p != NULL && put_same(f));
}

/* A name nobody else has; the template is one. */
static bool put_mktemp(struct filter *f)
{
	struct bawn_span w = operand_at(f, 0);
	if (w.n > 0)
		bawn_buf_add(f->out, w.p, w.n);
	else
		bawn_buf_fmt(f->out, "/tmp/tmp.%u", f->s->n_vars);
	return true;
}

static bool put_basename(struct filter *f)
{
	struct bawn_span w = operand_at(f, 0);
	bool dir = bawn_sh_is(f->word[0], "dirname");
	const char *slash = w.n > 0 ? memrchr(w.p, '/', w.n) : NULL;
	if (w.p == NULL)
		return false;
	if (dir)
		bawn_buf_add(f->out, slash != NULL ? w.p : ".", slash != NULL ? (size_t)(slash - w.p) : 1);
	else
		bawn_buf_add(f->out, slash != NULL ? slash + 1 : w.p, slash != NULL ? w.n - (size_t)(slash + 1 - w.p) : w.n);
	return true;
}

/* `in`: needs an input; else the words are enough. */
static const struct { const char *name; bool (*put)(struct filter *); bool in; } filter[] = {
	{ "echo", put_echo, false }, { "printf", put_printf, false }, { "which", put_which, false }, { "command", put_which, false },
	{ "type", put_which, false }, { "cat", put_cat, false }, { "tac", put_tac, true }, { "mktemp", put_mktemp, false },
	{ "basename", put_basename, false }, { "expr", put_expr, false }, { "dirname", put_basename, false },
	{ "base64", put_base64, true }, { "gbase64", put_base64, true }, { "basenc", put_basenc, true }, { "base32", put_base32, true },
	{ "xxd", put_xxd, true }, { "openssl", put_openssl, true }, { "tee", put_same, true }, { "grep", put_same, true }, { "sort", put_same, true },
	{ "rev", put_rev, true }, { "uudecode", put_uudecode, true }, { "gunzip", put_unzipped, true }, { "zcat", put_unzipped, true },
	{ "gzip", put_gzip, true },
	{ "pigz", put_gzip, true }, { "bzip2", put_bzip2, true }, { "bunzip2", put_bzip2, true }, { "bzcat", put_bzip2, true },
	{ "xz", put_xz, true }, { "unxz", put_xz, true }, { "xzcat", put_xz, true },
	 { "tr", put_tr, true }, { "sed", put_sed, true }, { "cut", put_cut, true }, { "head", put_head, true },
	{ "tail", put_tail, true }, { "awk", put_awk, false }, { "gawk", put_awk, false }, { "mawk", put_awk, false }, { "paste", put_paste, true },
};
NAMES(filters, filter);

/* The last operand, where it is a file of which it is known what is in it. */
static struct value *file_operand(struct shell *s, struct value *const *word, uint32_t n)
{
	bool own = n > 1 && word[n - 1] != NULL && (word[n - 1]->taint & BAWN_TAG(OWN_FILE)) != 0;
	if (n < 2 || (!own && (!bawn_value_is_text(word[n - 1]) || bawn_sh_option(word[n - 1]))))
		return NULL;
	struct value *v = bawn_sh_contents(s, word[n - 1]);
	return bawn_value_is_text(v) && !v->partial ? v : NULL;
}

/* Some of the lines of the program itself: those that are not run where they stand, without what marks them. */
static struct value *own_comments(struct shell *s, const struct value *in)
{
	bawn_auto_buf b = BAWN_BUF(SHELL_TEXT_MAX);
	for (size_t at = 0; at < in->text.n; ) {
		const char *end = memchr(in->text.p + at, '\n', in->text.n - at);
		size_t stop = end != NULL ? (size_t)(end - in->text.p) : in->text.n, from = at;
		while (from < stop && strchr("#@!%:;,+=- \t", in->text.p[from]) != NULL)
			from++;
		if (in->text.p[at] == '#' && !(at == 0 && stop > 1 && in->text.p[1] == '!')) {
			bawn_buf_add(&b, in->text.p + from, stop - from);
			bawn_buf_char(&b, '\n');
		}
		at = stop + 1;
	}
	const char *own = b.n > 0 && bawn_engine_whole(s->e, &b) ? bawn_arena_text(bawn_sh_arena(s->e), bawn_buf_span(&b)) : NULL;
	return own != NULL ? bawn_sh_text(s->e, (struct bawn_span){ own, b.n }, in->taint) : NULL;
}

struct value *bawn_sh_printed(struct shell *s, struct value *const *word, uint32_t n, const struct value *in)
{
	const char *name = n > 0 ? bawn_sh_name(s->e, word[0]) : NULL;
	size_t row = name != NULL ? bawn_names_find(&filters, name, strlen(name)) : BAWN_LEN(filter);
	const struct command *c = in == NULL && row >= BAWN_LEN(filter) && name != NULL ? bawn_command_find(name) : NULL;
	bool reads = row < BAWN_LEN(filter) ? filter[row].in || filter[row].put == put_awk : c != NULL && (c->kind & FOREIGN) != 0;
	const struct value *file = in == NULL && reads ? file_operand(s, word, n) : NULL;
	if (file != NULL && (file->taint & BAWN_TAG(OWN_TEXT)) != 0)
		return own_comments(s, file);
	if (file != NULL && row < BAWN_LEN(filter))
		in = file, n--;
	bool have = bawn_value_is_text(in) && !in->partial;
	if (row >= BAWN_LEN(filter) || (filter[row].in && !have))
		return NULL;
	s->e->spent += have ? in->text.n : 0;
	bawn_auto_buf b = BAWN_BUF(SHELL_TEXT_MAX);
	struct filter f = { .s = s, .word = word, .n = n, .in = have ? in->text : (struct bawn_span){ NULL, 0 }, .taint = in != NULL ? in->taint : 0, .out = &b };
	if (!filter[row].put(&f) || !bawn_engine_whole(f.s->e, &b))
		return NULL;
	bool partial = in != NULL && in->partial;
	for (uint32_t i = 0; i < n; i++) {
		f.taint |= word[i] != NULL ? word[i]->taint : 0;
		partial = partial || !bawn_value_is_text(word[i]) || word[i]->partial;
	}
	struct value *v = bawn_sh_text(s->e, (struct bawn_span){ bawn_arena_text(bawn_sh_arena(s->e), bawn_buf_span(&b)), b.n }, f.taint);
	if (v != NULL)
		v->partial = partial;
	return v;
}
