/* text.c - see text.h. */
#include "assess/text.h"
#include <strings.h>
#include "assess/decode.h"
#include "base/cleanup.h"
#include "base/utf8.h"

bool bawn_glob(const char *pattern, struct bawn_span text)
{
	size_t at = 0, star_at = 0;
	const char *p = pattern, *star = NULL;
	while (at < text.n) {
		if (*p == '*') {
			star = ++p;
			star_at = at;
		} else if (*p == '\\' && p[1] == text.p[at]) {
			p += 2;
			at++;
		} else if (*p == '?' || (*p != '\0' && *p != '\\' && *p == text.p[at])) {
			p++;
			at++;
		} else if (star != NULL) {
			p = star;
			at = ++star_at;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return *p == '\0';
}

/* The part of a path below somebody's home directory, or NULL. */
static const char *below_home(const char *p)
{
	static const char *const home[] = { "~", "$HOME", "${HOME}", "/root", "/workspace/~", "%USERPROFILE%" };
	for (size_t i = 0; i < BAWN_LEN(home); i++) {
		size_t n = strlen(home[i]);
		if (strncmp(p, home[i], n) == 0 && (p[n] == '/' || p[n] == '\0'))
			return p + n;
	}
	static const char *const homes[] = { "/home/", "/Users/" };
	for (size_t i = 0; i < BAWN_LEN(homes); i++)
		if (strncmp(p, homes[i], strlen(homes[i])) == 0) {
			const char *rest = strchr(p + strlen(homes[i]), '/');
			if (rest != NULL)
				return rest;
		}
	if (p[0] == '~' && p[1] != '/' && p[1] != '\0')
		return strchr(p, '/');
	return NULL;
}

/* C:\Users\x\y, or anything below AppData, written as other paths are. */
static struct bawn_span from_windows(struct arena *a, struct bawn_span text)
{
	bool drive = text.n > 2 && text.p[1] == ':' && (text.p[2] == '\\' || text.p[2] == '/') && ((text.p[0] | 0x20) >= 'a' && (text.p[0] | 0x20) <= 'z');
	if (!drive && memmem(text.p, text.n, "AppData", 7) == NULL && !bawn_span_starts(text, "%"))
		return text;
	if (drive)
		text = (struct bawn_span){ text.p + 2, text.n - 2 };
	char *out = bawn_arena_text(a, text);
	for (size_t i = 0; out != NULL && i < text.n; i++)
		out[i] = out[i] == '\\' ? '/' : out[i];
	return out != NULL ? (struct bawn_span){ out, text.n } : text;
}

/* file:///x, file:/x, file://localhost/x?mode=ro, with %41 for A. */
static struct bawn_span from_url(struct arena *a, struct bawn_span t)
{
	static const char scheme[] = "file:", host[] = "//localhost/";
	if (t.n < sizeof scheme || strncasecmp(t.p, scheme, sizeof scheme - 1) != 0)
		return t;
	t = (struct bawn_span){ t.p + sizeof scheme - 1, t.n - (sizeof scheme - 1) };
	size_t skip = t.n >= sizeof host - 1 && strncasecmp(t.p, host, sizeof host - 1) == 0 ? sizeof host - 2 : bawn_span_starts(t, "//") ? 2 : 0;
	t = (struct bawn_span){ t.p + skip, t.n - skip };
	const char *query = memchr(t.p, '?', t.n);
	t.n = query != NULL ? (size_t)(query - t.p) : t.n;
	struct bawn_span plain = memchr(t.p, '%', t.n) != NULL ? bawn_decode(a, BAWN_CODEC_PERCENT, t) : t;
	return plain.p != NULL && memchr(plain.p, '\0', plain.n) == NULL ? plain : t;
}

/* *, ?*, [a-z]*: no more of a name than that there is one. */
static bool is_wild(struct bawn_span part)
{
	bool any = false;
	for (size_t i = 0; i < part.n; i++) {
		const char *close = part.p[i] == '[' ? memchr(part.p + i, ']', part.n - i) : NULL;
		bool letters = false;
		for (; close != NULL && part.p + i < close; i++)
			letters = letters || (part.p[i] | 0x20) >= 'a';
		if (part.p[i] != '*' && part.p[i] != '?' && !letters)
			return false;
		any = true;
	}
	return any;
}

const char *bawn_path_widest(struct arena *a, const char *normal)
{
	size_t n = strlen(normal), end = n;
	for (size_t at = n; at > 0; at--)
		if (normal[at - 1] == '/') {
			if (!is_wild((struct bawn_span){ normal + at, end - at }))
				break;
			end = at - 1;
		}
	if (end == n || strcmp(normal + end, "/*") == 0)
		return NULL;
	return bawn_arena_fmt(a, "%.*s/*", (int)end, normal);
}

const char *bawn_path_behind(const char *p)
{
	static const char proc[] = "/proc/", root[] = "/root";
	if (strncmp(p, proc, sizeof proc - 1) != 0)
		return NULL;
	p += sizeof proc - 1;
	p += strcspn(p, "/");
	if (strncmp(p, "/task/", 6) == 0)
		p += 6, p += strcspn(p, "/");
	if (strncmp(p, root, sizeof root - 1) != 0)
		return NULL;
	p += sizeof root - 1;
	return p[0] == '/' ? p : p[0] == '\0' ? "/" : NULL;
}

/* 0251.0376.0251.0376, 0xa9fea9fe, 2852039166, 127.1: as inet_aton reads it.  False: it is none, or written as usual. */
static bool odd_address(struct bawn_span t, bool alone, uint32_t *ret)
{
	uint64_t part[4];
	unsigned n = 0;
	bool odd = false;
	for (size_t at = 0; at < t.n && n < 4; n++) {
		unsigned base = 10;
		size_t start = at;
		if (t.p[at] == '0' && at + 1 < t.n && (t.p[at + 1] | 0x20) == 'x')
			base = 16, at += 2, start = at;
		else if (t.p[at] == '0' && at + 1 < t.n && t.p[at + 1] != '.')
			base = 8;
		for (part[n] = 0; at < t.n && t.p[at] != '.' && part[n] <= UINT32_MAX; at++) {
			unsigned c = (unsigned char)t.p[at], d = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : 99;
			if (d >= base)
				return false;
			part[n] = part[n] * base + d;
		}
		odd = odd || base != 10;
		if (at == start || part[n] > UINT32_MAX || (at < t.n && t.p[at] != '.') || (at + 1 == t.n && t.p[at] == '.'))
			return false;
		at += at < t.n;
	}
	odd = odd || n < 4;
	if (n == 0 || !odd || (alone && n < 4 && part[0] < 1u << 24))
		return false;
	uint64_t whole = 0;
	for (unsigned i = 0; i + 1 < n; i++) {
		if (part[i] > 255)
			return false;
		whole |= part[i] << (24 - 8 * i);
	}
	if (part[n - 1] > UINT32_MAX >> 8 * (n - 1))
		return false;
	*ret = (uint32_t)(whole | part[n - 1]);
	return *ret >= 1u << 24;  /* 0 and its like are this machine, and common */
}

const char *bawn_text_address(struct arena *a, const char *text)
{
	const char *slashes = strstr(text, "://"), *host = slashes != NULL ? slashes + 3 : text;
	size_t to_at = slashes != NULL ? strcspn(host, "@/?#") : 0;
	host += slashes != NULL && host[to_at] == '@' ? to_at + 1 : 0;
	size_t n = strcspn(host, ":/?#");
	uint32_t address = 0;
	bool alone = slashes == NULL;
	if (host[0] < '0' || host[0] > '9' || n > 48 || (alone && (host[0] != '0' || host[n] == '/')) || !odd_address((struct bawn_span){ host, n }, alone, &address))
		return NULL;
	return bawn_arena_fmt(a, "%.*s%u.%u.%u.%u%s", (int)(host - text), text, address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255, host + n);
}

const char *bawn_path_normal(struct arena *a, struct bawn_span text)
{
	if (text.n == 0 || memchr(text.p, '\0', text.n) != NULL)
		return NULL;
	text = from_url(a, text);
	text = from_windows(a, text);
	char *out = bawn_arena_get(a, text.n + 4);
	if (out == NULL)
		return NULL;
	size_t n = 0, up = 0;
	bool absolute = text.n > 0 && text.p[0] == '/';
	for (size_t at = 0; at < text.n; ) {
		size_t start = at;
		while (at < text.n && text.p[at] != '/')
			at++;
		struct bawn_span part = { text.p + start, at - start };
		at++;
		if (part.n == 0 || bawn_span_is(part, "."))
			continue;
		if (bawn_span_is(part, "..")) {
			if (n == 0)
				up++;
			while (n > 0 && out[--n] != '/')
				;
			continue;
		}
		if (n > 0 || absolute)
			out[n++] = '/';
		memcpy(out + n, part.p, part.n);
		n += part.n;
	}
	if (up > 1 && !absolute && n > 0) {  /* climbing out of the workspace: as far as it goes */
		memmove(out + 1, out, n);
		out[0] = '/';
		n++;
	}
	if (n == 0)
		out[n++] = absolute ? '/' : '.';
	out[n] = '\0';
	if (n > BAWN_PATH_MAX)
		return NULL;
	const char *rest = below_home(out);
	if (rest == NULL)
		return out;
	size_t left = strlen(rest);
	char *home = bawn_arena_get(a, left + 2);
	if (home == NULL)
		return NULL;
	home[0] = '~';
	memcpy(home + 1, rest, left + 1);
	return home;
}

static struct bawn_span component(const char **at)
{
	struct bawn_span s = { *at, strcspn(*at, "/") };
	*at += s.n;
	*at += **at == '/';
	return s;
}

/* Does a component still to be expanded by the shell name this one?  Only where it spells out at
 * least one letter or how long the name is: `*` alone names everything and says nothing. */
static bool expands_to(struct bawn_span path, const char *name, size_t n)
{
	char pattern[128];
	bool wild = false, letter = memchr(path.p, '*', path.n) == NULL;
	size_t out = 0;
	for (size_t i = 0; i < path.n && out < sizeof pattern - 1; i++) {
		char c = path.p[i];
		wild = wild || strchr("?*[", c) != NULL;
		letter = letter || (c >= 'a' && c <= 'z');
		if (c == '[') {
			while (i < path.n && path.p[i] != ']')
				i++;
			c = '?';
		}
		pattern[out++] = c;
	}
	pattern[out] = '\0';
	return wild && letter && bawn_glob(pattern, (struct bawn_span){ name, n });
}

static bool has_letter(struct bawn_span t)
{
	for (size_t i = 0; i < t.n; i++)
		if ((t.p[i] | 0x20) >= 'a' && (t.p[i] | 0x20) <= 'z')
			return true;
	return false;
}

static bool components_match(const char *pattern, const char *path, bool shell, bool whole)
{
	char one[128];
	bool blank = false, spelled = false;  /* one component is question marks only; one has letters */
	while (*pattern != '\0') {
		struct bawn_span want = component(&pattern);
		if (*path == '\0')
			return false;
		struct bawn_span got = component(&path);
		if (want.n >= sizeof one)
			return false;
		memcpy(one, want.p, want.n);
		one[want.n] = '\0';
		bool same = bawn_glob(one, got);
		if (!same && !(shell && expands_to(got, want.p, want.n)))
			return false;
		blank = blank || (!same && !has_letter(got));
		spelled = spelled || has_letter(got);
	}
	return (!blank || spelled) && (!whole || *path == '\0');
}

bool bawn_path_under(const char *pattern, const char *path, bool shell)
{
	if (pattern[0] == '=')
		return components_match(pattern + 1, path, shell, true);
	if (strncmp(pattern, "**/", 3) != 0)
		return components_match(pattern, path, shell, false);
	for (const char *at = path; ; ) {
		if (components_match(pattern + 3, at, shell, false))
			return true;
		at += strcspn(at, "/");
		if (*at == '\0')
			return false;
		at++;
	}
}

bool bawn_path_outside(const char *path)
{
	static const char *const inside[] = {
		"/tmp", "/workspace", "/code", "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/shm", "/dev/fd",
		"/dev/urandom", "/dev/random", "/dev/zero", "/dev/tty", "/var/tmp",
	};
	if (path[0] != '/' && path[0] != '~')
		return false;
	for (size_t i = 0; i < BAWN_LEN(inside); i++)
		if (bawn_path_under(inside[i], path, false))
			return false;
	return true;
}

/* What NFKC, which Python applies to every name, makes of characters beyond ASCII: one ASCII character for
 * each from `from` on, a space where there is none.  Complete as of Unicode 14; the mathematical letters
 * follow a rule of their own. */
static const struct { uint32_t from; const char *ascii; } compatible[] = {
	{ 0x00aa, "a       23     1o" }, { 0x017f, "s" }, { 0x02b0, "h jr   wy" }, { 0x02e1, "lsx" }, { 0x037e, ";" },
	{ 0x1d2c, "A B DE GHIJKLMN O PRTUWa   bde   g km o   ptu  v      iruv" }, { 0x1d9c, "c   f" },
	{ 0x1dbb, "z" }, { 0x1fef, "`" }, { 0x2024, "." },
	{ 0x2070, "0i  456789+ =()n0123456789+ =() aeox hklmnpst" },
	{ 0x2102, "C       gHHHh IILl N   PQRRR      Z   Z K BC eEF Mo    i" }, { 0x2145, "Ddeij" },
	{ 0x2160, "I   V    X  LCDMi   v    x  lcdm" }, { 0x2460, "123456789" },
	{ 0x24b6, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0" }, { 0x2c7c, "jV" }, { 0xa7f2, "CFQ" },
	{ 0xfb29, "+" }, { 0xfe10, ",  :;!?" }, { 0xfe33, "__(){}" },
	{ 0xfe47, "[]    ___, . ;:?! (){}  #&*+-<>= \\$%@" },
	{ 0xff01, "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~" },
	{ 0x107a5, "q" }, { 0x1f12b, "CR   ABCDEFGHIJKLMNOPQRSTUVWXYZ" }, { 0x1fbf0, "0123456789" },
};

/* And those that come to several letters. */
static const struct { uint32_t c; const char *ascii; } several[] = {
	{ 0x0132, "IJ" }, { 0x0133, "ij" }, { 0x01c7, "LJ" }, { 0x01c8, "Lj" }, { 0x01c9, "lj" }, { 0x01ca, "NJ" },
	{ 0x01cb, "Nj" }, { 0x01cc, "nj" }, { 0x01f1, "DZ" }, { 0x01f2, "Dz" }, { 0x01f3, "dz" }, { 0x2161, "II" },
	{ 0x2162, "III" }, { 0x2163, "IV" }, { 0x2165, "VI" }, { 0x2166, "VII" }, { 0x2167, "VIII" },
	{ 0x2168, "IX" }, { 0x216a, "XI" }, { 0x216b, "XII" }, { 0x2171, "ii" }, { 0x2172, "iii" }, { 0x2173, "iv" },
	{ 0x2175, "vi" }, { 0x2176, "vii" }, { 0x2177, "viii" }, { 0x2178, "ix" }, { 0x217a, "xi" },
	{ 0x217b, "xii" }, { 0xfb00, "ff" }, { 0xfb01, "fi" }, { 0xfb02, "fl" }, { 0xfb03, "ffi" }, { 0xfb04, "ffl" },
	{ 0xfb05, "st" }, { 0xfb06, "st" },
};
#define SEVERAL_MAX 4u

/* Mathematical letters come in blocks of 26 capitals and 26 small ones, digits in blocks of ten. */
static char mathematical(uint32_t c)
{
	if (c >= 0x1d7ce && c <= 0x1d7ff)
		return (char)('0' + (c - 0x1d7ce) % 10);
	if (c < 0x1d400 || c > 0x1d6a3)
		return 0;
	uint32_t i = (c - 0x1d400) % 52;
	return (char)(i < 26 ? 'A' + i : 'a' + i - 26);
}

/* The character in ASCII, without a NUL; returns how many there are, 0: it stands for itself. */
static size_t ascii_of(uint32_t c, char out[static SEVERAL_MAX])
{
	out[0] = mathematical(c);
	for (size_t k = 0; k < BAWN_LEN(compatible) && out[0] == 0 && compatible[k].from <= c; k++)
		if (c - compatible[k].from < strlen(compatible[k].ascii) && compatible[k].ascii[c - compatible[k].from] != ' ')
			out[0] = compatible[k].ascii[c - compatible[k].from];
	for (size_t k = 0; k < BAWN_LEN(several) && out[0] == 0; k++)
		if (several[k].c == c) {
			memcpy(out, several[k].ascii, strlen(several[k].ascii));
			return strlen(several[k].ascii);
		}
	return out[0] != 0;
}

/* A letter written \u0061 or \u{61}, as JavaScript allows in names; 0: none of ours. */
static char escaped(struct bawn_span name, size_t at, size_t *len)
{
	bool braces = at + 2 < name.n && name.p[at + 2] == '{';
	size_t i = at + 2 + braces;
	uint32_t c = 0;
	for (unsigned most = braces ? 6 : 4; most > 0 && i < name.n; most--, i++) {
		const char *digit = memchr("0123456789abcdefABCDEF", name.p[i], 22);
		if (digit == NULL)
			break;
		c = (c << 4 | ((uint32_t)name.p[i] & 15)) + (name.p[i] > '9' ? 9 : 0);
	}
	i += braces && i < name.n && name.p[i] == '}';
	if (at + 1 >= name.n || name.p[at + 1] != 'u' || c < ' ' || c > '~')
		return 0;
	*len = i - at;
	return (char)c;
}

const char *bawn_fold_name(struct arena *a, struct bawn_span name)
{
	char *out = bawn_arena_get(a, 2 * name.n + 1);  /* three bytes become four letters at most */
	size_t n = 0;
	for (size_t at = 0; out != NULL && at < name.n; ) {
		uint32_t c = 0;
		char ascii[SEVERAL_MAX] = { 0 };
		size_t len = (unsigned char)name.p[at] < 0x80 ? 1 : bawn_utf8_next(name, at, &c);
		size_t letters = len > 1 ? ascii_of(c, ascii) : 0;
		if (name.p[at] == '\\') {
			ascii[0] = escaped(name, at, &len);
			letters = ascii[0] != 0;
		}
		len = len == 0 ? 1 : len;
		memcpy(out + n, letters > 0 ? ascii : name.p + at, letters > 0 ? letters : len);
		n += letters > 0 ? letters : len;
		at += len;
	}
	return out;
}

size_t bawn_text_hidden(struct bawn_span text)
{
	for (size_t at = 0; at < text.n; ) {
		uint32_t c;
		if ((unsigned char)text.p[at] < 0x80) {
			at++;
			continue;
		}
		size_t n = bawn_utf8_next(text, at, &c);
		if (n > 0 && ((c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || (c >= 0x200b && c <= 0x200f && c != 0x200d) ||
		              c == 0x2060 || (c == 0xfeff && at > 0) || (c >= 0xe0001 && c <= 0xe007f) || c == 0x180e))
			return at;
		at += n > 0 ? n : 1;
	}
	return text.n;
}

bool bawn_text_printable(struct bawn_span text)
{
	size_t odd = 0;
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		odd += c < ' ' && c != '\n' && c != '\t' && c != '\r' && c != '\f';
	}
	return odd <= text.n / 8 && bawn_utf8_bad(text) == text.n;
}
