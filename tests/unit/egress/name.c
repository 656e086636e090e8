/* name.c - one spelling for each host: what is brought into it, what is told apart, what is no host at all. */
#include "egress/name.h"
#include <string.h>
#include "tap.h"

#define G BAWN_SPELLING_GOOD
#define B BAWN_SPELLING_BAD
#define A BAWN_SPELLING_ADDRESS
#define L63 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static const struct { const char *text; enum bawn_spelling want; enum bawn_host_kind kind; const char *host; } host[] = {
	{ "index.test", G, BAWN_HOST_NAME, "index.test" },
	{ "INDEX.Test", G, BAWN_HOST_NAME, "index.test" },
	{ "index.test.", G, BAWN_HOST_NAME, "index.test" },
	{ "a-b.c0.x", G, BAWN_HOST_NAME, "a-b.c0.x" },
	{ "localhost", G, BAWN_HOST_NAME, "localhost" },
	{ "xn--bcher-kva.test", G, BAWN_HOST_NAME, "xn--bcher-kva.test" },
	{ "1.a", G, BAWN_HOST_NAME, "1.a" },
	{ "0x7f.test", G, BAWN_HOST_NAME, "0x7f.test" },
	{ L63 ".test", G, BAWN_HOST_NAME, L63 ".test" },
	{ L63 "." L63 "." L63 ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", G, BAWN_HOST_NAME,
	  L63 "." L63 "." L63 ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" },
	{ L63 "." L63 "." L63 ".aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", B },  /* 254 */
	{ L63 "a.test", B },
	{ "", B }, { ".", B }, { "..", B }, { "a..b", B }, { ".a", B }, { "a..", B }, { "index.test..", B },
	{ "-a.test", B }, { "a-.test", B }, { "a_b.test", B }, { "a b", B }, { " a", B }, { "a\t", B }, { "a\n", B }, { "a%2etest", B },
	{ "*.index.test", B }, { "user@index.test", B }, { "index.test/", B }, { "index\xe3\x80\x82test", B }, { "b\xc3\xbc" "cher.test", B },
	{ "a\\b", B }, { "a:b", B }, { "a,b", B }, { "fe80::1", B }, { "[::1", B }, { "[]", B }, { "[::1]x", B },
	{ "1.2.3.4", G, BAWN_HOST_IPV4, "1.2.3.4" },
	{ "1.2.3.4.", G, BAWN_HOST_IPV4, "1.2.3.4" },
	{ "127.1", A }, { "127.0.1", A }, { "0", A }, { "0x7f.1", A }, { "0X7F.1", A }, { "2130706433", A }, { "017700000001", A }, { "127.0.0.01", A },
	{ "0x7f000001", A }, { "1.2.3.256", A }, { "1.2.3.4.5", A }, { "foo.1", A }, { "foo.0x1", A }, { "0x", A }, { "00.0.0.0", A }, { "1.2.3.4e", G, BAWN_HOST_NAME, "1.2.3.4e" },
	{ "[2001:470::1]", G, BAWN_HOST_IPV6, "2001:470::1" },
	{ "[2001:470::AB]", G, BAWN_HOST_IPV6, "2001:470::ab" },
	{ "[2001:0470::1]", A }, { "[::ffff:127.0.0.1]", A }, { "[::127.0.0.1]", A }, { "[fe80::1%eth0]", A }, { "[::ffff:7f00:1]", A },
	{ "[::]", G, BAWN_HOST_IPV6, "::" }, { "[v1.a]", A },
};

static const struct { const char *text; enum bawn_spelling want; const char *host; uint16_t port; } authority[] = {
	{ "index.test:443", G, "index.test", 443 }, { "index.test", G, "index.test", 0 }, { "index.test.:443", G, "index.test", 443 },
	{ "[2001:470::1]:8443", G, "2001:470::1", 8443 }, { "[2001:470::1]", G, "2001:470::1", 0 },
	{ "a:65535", G, "a", 65535 }, { "a:1", G, "a", 1 },
	{ "a:65536", B }, { "a:0", B }, { "a:", B }, { "a:443 ", B }, { "a: 443", B }, { "a:+443", B }, { "a:0443", B }, { "a:0x1bb", B }, { "a:443:443", B },
	{ "a:-1", B }, { "a:99999999999999999999", B }, { ":443", B }, { "127.1:443", A }, { "2001:470::1:443", B },
};

int main(void)
{
	for (size_t i = 0; i < sizeof host / sizeof *host; i++) {
		struct bawn_host h = { .text = "untouched" };
		enum bawn_spelling got = bawn_host_parse(bawn_span(host[i].text), &h);
		ok(got == host[i].want && (got == G ? h.kind == host[i].kind && strcmp(h.text, host[i].host) == 0 : strcmp(h.text, "untouched") == 0), "host '%s'", host[i].text);
	}
	struct bawn_host h;
	uint16_t port;
	ok(bawn_host_parse((struct bawn_span){ "evil.test\0.index.test", 21 }, &h) == B, "a NUL is no part of a name");
	ok(bawn_host_parse((struct bawn_span){ "[::1\0]", 6 }, &h) == B, "nor of an address");
	for (size_t i = 0; i < sizeof authority / sizeof *authority; i++) {
		enum bawn_spelling got = bawn_authority_parse(bawn_span(authority[i].text), &h, &port);
		ok(got == authority[i].want && (got != G || (strcmp(h.text, authority[i].host) == 0 && port == authority[i].port)), "authority '%s'", authority[i].text);
	}
	bawn_auto_buf b = BAWN_BUF(300);
	(void)bawn_host_parse(bawn_span("[2001:470::1]"), &h);
	bawn_authority_put(&b, &h, 443);
	ok(bawn_span_is(bawn_buf_span(&b), "[2001:470::1]:443"), "an address of IPv6 is written in brackets");
	return done_testing();
}
