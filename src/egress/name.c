#include "egress/name.h"
#include <arpa/inet.h>
#include <string.h>
#include "base/num.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits only, or 0x and hexadecimal digits: what inet_aton and the URL standard take for a part of an address. */
static bool is_number(struct bawn_span label)
{
	bool hex = label.n >= 2 && label.p[0] == '0' && label.p[1] == 'x';
	for (size_t i = hex ? 2 : 0; i < label.n; i++)
		if (!is_digit(label.p[i]) && !(hex && label.p[i] >= 'a' && label.p[i] <= 'f'))
			return false;
	return label.n > 0;
}

static bool label_good(struct bawn_span label)
{
	return label.n > 0 && label.n <= 63 && label.p[0] != '-' && label.p[label.n - 1] != '-';
}

/* Every label is one, and *last is set to the last. */
static bool labels_good(struct bawn_span name, struct bawn_span *last)
{
	for (;;) {
		const char *dot = memchr(name.p, '.', name.n);
		*last = (struct bawn_span){ name.p, dot != NULL ? (size_t)(dot - name.p) : name.n };
		if (!label_good(*last))
			return false;
		if (dot == NULL)
			return true;
		name.n -= last->n + 1;
		name.p = dot + 1;
	}
}

static bool is_printed(int family, const char *text)
{
	unsigned char raw[16];
	char again[INET6_ADDRSTRLEN];
	return inet_pton(family, text, raw) == 1 && inet_ntop(family, raw, again, sizeof again) != NULL && strcmp(text, again) == 0;
}

static enum bawn_spelling parse_ipv6(struct bawn_span text, struct bawn_host *out)
{
	struct bawn_host h = { .kind = BAWN_HOST_IPV6 };
	if (text.n < 3 || text.p[text.n - 1] != ']' || text.n - 2 >= INET6_ADDRSTRLEN || memchr(text.p, '\0', text.n) != NULL)
		return BAWN_SPELLING_BAD;
	memcpy(h.text, text.p + 1, text.n - 2);
	for (char *at = h.text; *at != '\0'; at++)
		*at = *at >= 'A' && *at <= 'F' ? (char)(*at | 0x20) : *at;
	if (!is_printed(AF_INET6, h.text) || strchr(h.text, '.') != NULL)  /* an IPv4 address in disguise has dots when printed */
		return BAWN_SPELLING_ADDRESS;
	*out = h;
	return BAWN_SPELLING_GOOD;
}

enum bawn_spelling bawn_host_parse(struct bawn_span text, struct bawn_host *out)
{
	struct bawn_host h = { .kind = BAWN_HOST_NAME };
	struct bawn_span last;
	if (text.n > 0 && text.p[0] == '[')
		return parse_ipv6(text, out);
	if (text.n > 0 && text.p[text.n - 1] == '.')
		text.n--;
	if (text.n == 0 || text.n > BAWN_NAME_MAX)
		return BAWN_SPELLING_BAD;
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		bool upper = c >= 'A' && c <= 'Z';
		if (!upper && !(c >= 'a' && c <= 'z') && !is_digit(c) && c != '-' && c != '.')
			return BAWN_SPELLING_BAD;
		h.text[i] = upper ? (char)(c | 0x20) : c;
	}
	if (!labels_good((struct bawn_span){ h.text, text.n }, &last))
		return BAWN_SPELLING_BAD;
	if (is_number(last)) {
		if (!is_printed(AF_INET, h.text))
			return BAWN_SPELLING_ADDRESS;
		h.kind = BAWN_HOST_IPV4;
	}
	*out = h;
	return BAWN_SPELLING_GOOD;
}

enum bawn_spelling bawn_authority_parse(struct bawn_span text, struct bawn_host *out, uint16_t *out_port)
{
	struct bawn_host host;
	uint64_t port = 0;
	if (text.p == NULL || text.n == 0)
		return BAWN_SPELLING_BAD;
	const char *colon = memrchr(text.p, ':', text.n), *bracket = memrchr(text.p, ']', text.n);
	if (colon != NULL && (bracket == NULL || colon > bracket)) {
		struct bawn_span digits = { colon + 1, text.n - (size_t)(colon - text.p) - 1 };
		if (digits.n == 0 || digits.n > 5 || digits.p[0] == '0' || bawn_parse_u64(digits, 1, 65535, &port, NULL) < 0)
			return BAWN_SPELLING_BAD;
		text.n = (size_t)(colon - text.p);
	}
	enum bawn_spelling s = bawn_host_parse(text, &host);
	if (s != BAWN_SPELLING_GOOD)
		return s;
	*out = host;
	*out_port = (uint16_t)port;
	return BAWN_SPELLING_GOOD;
}

bool bawn_host_equal(const struct bawn_host *a, const struct bawn_host *b)
{
	return a->kind == b->kind && strcmp(a->text, b->text) == 0;
}

void bawn_authority_put(struct bawn_buf *out, const struct bawn_host *host, uint16_t port)
{
	bool six = host->kind == BAWN_HOST_IPV6;
	bawn_buf_fmt(out, "%s%s%s:%u", six ? "[" : "", host->text, six ? "]" : "", port);
}
