/* http.c - the head of a request to the proxy: what is understood, what is refused, what upstream gets. */
#include "egress/http.h"
#include <stdlib.h>
#include <string.h>
#include "tap.h"

#define H "Host: index.test\r\n"
#define GET "GET http://index.test/ HTTP/1.1\r\n"
#define OK 100

/* want: OK, 0 where more is to come, else the refusal. */
static const struct { const char *name, *head; int want; } row[] = {
	{ "a tunnel", "CONNECT index.test:443 HTTP/1.1\r\nHost: index.test:443\r\n\r\n", OK },
	{ "a tunnel of HTTP/1.0 without Host", "CONNECT index.test:443 HTTP/1.0\r\n\r\n", OK },
	{ "a tunnel whose Host has no port", "CONNECT index.test:443 HTTP/1.1\r\nHost: INDEX.test\r\n\r\n", OK },
	{ "a tunnel without a port", "CONNECT index.test HTTP/1.1\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a tunnel to a URL", "CONNECT http://index.test/ HTTP/1.1\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a tunnel to another than Host", "CONNECT index.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a tunnel to another port than Host", "CONNECT index.test:443 HTTP/1.1\r\nHost: index.test:22\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a tunnel with a user", "CONNECT a@index.test:443 HTTP/1.1\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a tunnel to an odd address", "CONNECT 127.1:443 HTTP/1.1\r\n\r\n", BAWN_DENY_ADDRESS },
	{ "a tunnel to an address in disguise", "CONNECT [::ffff:127.0.0.1]:443 HTTP/1.1\r\n\r\n", BAWN_DENY_ADDRESS },
	{ "a tunnel with a zone", "CONNECT [fe80::1%eth0]:443 HTTP/1.1\r\n\r\n", BAWN_DENY_ADDRESS },
	{ "a tunnel to a decimal address", "CONNECT 2130706433:443 HTTP/1.1\r\n\r\n", BAWN_DENY_ADDRESS },
	{ "a tunnel with a body", "CONNECT index.test:443 HTTP/1.1\r\nContent-Length: 5\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a port too high", "CONNECT index.test:65536 HTTP/1.1\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a port of zero", "CONNECT index.test:0 HTTP/1.1\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a blank behind the port", "CONNECT index.test:443  HTTP/1.1\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a plain GET", GET H "\r\n", OK },
	{ "a plain HEAD", "HEAD http://index.test/ HTTP/1.1\r\n" H "\r\n", OK },
	{ "a port in both", "GET http://index.test:8080/x HTTP/1.1\r\nHost: index.test:8080\r\n\r\n", OK },
	{ "port 80 in one", "GET http://index.test:80/x HTTP/1.1\r\n" H "\r\n", OK },
	{ "a scheme in capitals", "GET HTTP://index.test/x HTTP/1.1\r\n" H "\r\n", OK },
	{ "no path", "GET http://index.test HTTP/1.1\r\n" H "\r\n", OK },
	{ "only a query", "GET http://index.test?a=b HTTP/1.1\r\n" H "\r\n", OK },
	{ "a port in one only", "GET http://index.test:8080/x HTTP/1.1\r\n" H "\r\n", BAWN_DENY_REQUEST },
	{ "a POST", "POST http://index.test/ HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n", BAWN_DENY_METHOD },
	{ "a PUT with a body", "PUT http://index.test/ HTTP/1.1\r\n" H "Content-Length: 3\r\n\r\nabc", BAWN_DENY_METHOD },
	{ "a method in small letters", "get http://index.test/ HTTP/1.1\r\n" H "\r\n", BAWN_DENY_METHOD },
	{ "https by absolute form", "GET https://index.test/ HTTP/1.1\r\n" H "\r\n", BAWN_DENY_REQUEST },
	{ "origin form", "GET / HTTP/1.1\r\n" H "\r\n", BAWN_DENY_REQUEST },
	{ "asterisk form", "OPTIONS * HTTP/1.1\r\n" H "\r\n", BAWN_DENY_REQUEST },
	{ "a user in the address", "GET http://index.test@evil.test/ HTTP/1.1\r\nHost: evil.test\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a backslash in the address", "GET http://evil.test\\@index.test/ HTTP/1.1\r\n" H "\r\n", BAWN_DENY_REQUEST },
	{ "a fragment", "GET http://index.test/#@evil.test HTTP/1.1\r\n" H "\r\n", BAWN_DENY_REQUEST },
	{ "no Host in HTTP/1.1", GET "\r\n", BAWN_DENY_REQUEST },
	{ "no Host in HTTP/1.0", "GET http://index.test/ HTTP/1.0\r\n\r\n", OK },
	{ "two Hosts", GET H H "\r\n", BAWN_DENY_REQUEST },
	{ "two Hosts in HTTP/1.0", "GET http://index.test/ HTTP/1.0\r\n" H H "\r\n", BAWN_DENY_REQUEST },
	{ "a tunnel with two Hosts", "CONNECT index.test:443 HTTP/1.1\r\n" H H "\r\n", BAWN_DENY_REQUEST },
	{ "another Host", GET "Host: evil.test\r\n\r\n", BAWN_DENY_REQUEST },
	{ "an empty Host", GET "Host:\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a blank before the colon", GET "Host : index.test\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a folded line", GET H "X: a\r\n b\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a header without a colon", GET H "X\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a header without a name", GET H ": x\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a length of nothing", GET H "Content-Length: 0\r\n\r\n", OK },
	{ "a length", GET H "Content-Length: 5\r\n\r\n", BAWN_DENY_REQUEST },
	{ "two lengths", GET H "Content-Length: 0\r\nContent-Length: 0\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a signed length", GET H "Content-Length: +0\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a transfer coding", GET H "Transfer-Encoding: chunked\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a transfer coding in capitals", GET H "TRANSFER-ENCODING: x\r\n\r\n", BAWN_DENY_REQUEST },
	{ "both", GET H "Content-Length: 0\r\nTransfer-Encoding: identity\r\n\r\n", BAWN_DENY_REQUEST },
	{ "an upgrade", GET H "Upgrade: h2c\r\n\r\n", BAWN_DENY_REQUEST },
	{ "an expectation", GET H "Expect: 100-continue\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a trailer", GET H "Trailer: X\r\n\r\n", BAWN_DENY_REQUEST },
	{ "connection: close", GET H "Connection: close\r\n\r\n", OK },
	{ "proxy-connection", GET H "Proxy-Connection: Keep-Alive\r\n\r\n", OK },
	{ "connection names a header", GET H "Connection: close, X\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a bare LF in the middle", GET "Host: index.test\n\r\n\r\n", BAWN_DENY_REQUEST },
	{ "bare LFs all over", "GET http://index.test/ HTTP/1.1\nHost: index.test\n\n", BAWN_DENY_REQUEST },
	{ "a bare CR", GET "Host: index.test\rX: y\r\n\r\n", BAWN_DENY_REQUEST },
	{ "a tab for a blank", "GET\thttp://index.test/\tHTTP/1.1\r\n" H "\r\n", BAWN_DENY_REQUEST },
	{ "HTTP/2", "GET http://index.test/ HTTP/2.0\r\n" H "\r\n", BAWN_DENY_REQUEST },
	{ "HTTP/1.2", "GET http://index.test/ HTTP/1.2\r\n" H "\r\n", BAWN_DENY_REQUEST },
	{ "no version", "GET http://index.test/\r\n" H "\r\n", BAWN_DENY_REQUEST },
	{ "an empty line first", "\r\n" GET H "\r\n", BAWN_DENY_REQUEST },
	{ "a control character in a value", GET H "X: a\x01\r\n\r\n", BAWN_DENY_REQUEST },
	{ "bytes of another script in a value", GET H "X: \xc3\xbc\r\n\r\n", OK },
	{ "bytes of another script in the address", "GET http://index.test/\xc3\xbc HTTP/1.1\r\n" H "\r\n", BAWN_DENY_REQUEST },
	{ "a full stop of another script", "CONNECT index\xe3\x80\x82test:443 HTTP/1.1\r\n\r\n", BAWN_DENY_REQUEST },
	{ "two credentials", GET H "Proxy-Authorization: Basic YQ==\r\nProxy-Authorization: Basic YQ==\r\n\r\n", BAWN_DENY_REQUEST },
	{ "another kind of credential", GET H "Proxy-Authorization: Bearer a\r\n\r\n", BAWN_DENY_REQUEST },
	{ "nothing yet", "", 0 },
	{ "half a line", "CONNECT index.te", 0 },
	{ "all but the last byte", GET H "\r", 0 },
	{ "a TLS greeting", "\x16\x03\x01\x02", 0 },
};

static int parse(struct bawn_span in, struct bawn_http *h)
{
	enum bawn_deny why;
	int r = bawn_http_parse(in, h, &why);
	return r > 0 ? OK : r == 0 ? 0 : (int)why;
}

static void limits(void)
{
	struct bawn_http h;
	bawn_auto_buf b = BAWN_BUF(1u << 20);
	bawn_buf_str(&b, GET H);
	for (size_t i = 1; i < BAWN_HEADERS_MAX; i++)
		bawn_buf_fmt(&b, "X%zu: y\r\n", i);
	size_t full = b.n;
	bawn_buf_str(&b, "\r\n");
	ok(parse(bawn_buf_span(&b), &h) == OK, "%u headers are taken", BAWN_HEADERS_MAX);
	b.n = full;
	bawn_buf_str(&b, "One: more\r\n\r\n");
	ok(parse(bawn_buf_span(&b), &h) == BAWN_DENY_REQUEST, "one more is not");
	bawn_buf_reset(&b);
	bawn_buf_str(&b, GET H "X: ");
	while (b.n < BAWN_HEAD_MAX - 1)
		bawn_buf_char(&b, 'x');
	ok(parse(bawn_buf_span(&b), &h) == 0, "a head that goes on");
	bawn_buf_char(&b, 'x');
	ok(parse(bawn_buf_span(&b), &h) == BAWN_DENY_REQUEST, "does not go on for ever");
	static const char nul[] = "GET http://index.test/ HTTP/1.1\r\nHost: evil.test\0.index.test\r\n\r\n";
	ok(parse((struct bawn_span){ nul, sizeof nul - 1 }, &h) == BAWN_DENY_REQUEST, "a NUL is refused");
	ok(parse((struct bawn_span){ "CONNECT evil.test\0", 18 }, &h) == BAWN_DENY_REQUEST, "at once");
}

static void forwards(const char *name, const char *head, const char *want)
{
	struct bawn_http h;
	bawn_auto_buf b = BAWN_BUF(1u << 16);
	if (ok(parse(bawn_span(head), &h) == OK, "%s", name))
		bawn_http_forward(&h, &b);
	ok(bawn_span_is(bawn_buf_span(&b), want), "%s: what upstream gets", name);
	if (!bawn_span_is(bawn_buf_span(&b), want))
		diag("%s", b.p);
}

int main(void)
{
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct bawn_http h;
		int got = parse(bawn_span(row[i].head), &h);
		ok(got == row[i].want, "%s", row[i].name);
		if (got != row[i].want)
			diag("got %d, want %d", got, row[i].want);
	}
	limits();
	struct bawn_http h;
	static const char tunnel[] = "CONNECT Index.Test.:8443 HTTP/1.1\r\nProxy-Authorization:   basic  YmF3bg== \r\n\r\n" "MORE";
	ok(parse(bawn_span(tunnel), &h) == OK && h.method == BAWN_METHOD_CONNECT &&
	   strcmp(h.host.text, "index.test") == 0 && h.port == 8443 && bawn_span_is(h.credential, "YmF3bg==") && h.size == sizeof tunnel - 5, "what is taken from a tunnel's head");
	forwards("a plain request", "GET http://Index.test:8080/a/b?c=d HTTP/1.0\r\nhost: index.TEST:8080\r\nUser-Agent: x\r\nProxy-Authorization: Basic YQ==\r\nProxy-Connection: keep-alive\r\n"
	         "Keep-Alive: 5\r\nAuthorization: Basic eA==\r\nContent-Length: 0\r\nAccept:  */* \r\n\r\n",
	         "GET /a/b?c=d HTTP/1.1\r\nHost: index.test:8080\r\nUser-Agent: x\r\nAuthorization: Basic eA==\r\nAccept: */*\r\nConnection: close\r\n\r\n");
	forwards("one without a path", "HEAD http://index.test?q HTTP/1.1\r\n" H "\r\n", "HEAD /?q HTTP/1.1\r\nHost: index.test\r\nConnection: close\r\n\r\n");
	return done_testing();
}
