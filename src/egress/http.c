#include "egress/http.h"
#include <string.h>
#include <strings.h>
#include "base/cleanup.h"

/* What each header that decides something comes to; all others are passed on as they are. */
enum header { PASS, DROP, REFUSE, HOST, CREDENTIAL, LENGTH, CONNECTION };
static const struct { const char *name; enum header what; } header[] = {
	{ "host", HOST }, { "proxy-authorization", CREDENTIAL }, { "content-length", LENGTH },
	{ "connection", CONNECTION }, { "proxy-connection", CONNECTION },
	{ "keep-alive", DROP }, { "proxy-authenticate", DROP },
	{ "transfer-encoding", REFUSE }, { "te", REFUSE }, { "trailer", REFUSE }, { "upgrade", REFUSE }, { "expect", REFUSE },
	{ "http2-settings", REFUSE }, { "alt-used", REFUSE },
};

static bool span_is_nocase(struct bawn_span s, const char *text)
{
	return s.n == strlen(text) && strncasecmp(s.p, text, s.n) == 0;
}

static enum header kind_of(struct bawn_span name)
{
	for (size_t i = 0; i < BAWN_LEN(header); i++)
		if (span_is_nocase(name, header[i].name))
			return header[i].what;
	return PASS;
}

static bool is_token(struct bawn_span s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if (c <= ' ' || c >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", c) != NULL)
			return false;
	}
	return s.n > 0;
}

/* Visible characters, blanks and tabs; bytes of other scripts are passed on, as RFC 9110 has it. */
static bool is_value(struct bawn_span s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static struct bawn_span trimmed(struct bawn_span s)
{
	while (s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t'))
		s.p++, s.n--;
	while (s.n > 0 && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

/* The next line, without its CR LF; false where a CR or an LF stands alone. */
static bool take_line(struct bawn_span *rest, struct bawn_span *line)
{
	if (!bawn_span_take(rest, '\n', line) || line->n == 0 || line->p[line->n - 1] != '\r')
		return false;
	line->n--;
	return memchr(line->p, '\r', line->n) == NULL;
}

static bool take_header(struct bawn_span *rest, struct bawn_span *name, struct bawn_span *value)
{
	struct bawn_span line;
	if (!take_line(rest, &line))
		return false;
	const char *colon = memchr(line.p, ':', line.n);
	if (colon == NULL)
		return false;
	*name = (struct bawn_span){ line.p, (size_t)(colon - line.p) };
	*value = trimmed((struct bawn_span){ colon + 1, line.n - name->n - 1 });
	return is_token(*name) && is_value(*value);
}

/* Only these: another word would name a header that we are to take away. */
static bool is_connection(struct bawn_span value)
{
	return span_is_nocase(value, "close") || span_is_nocase(value, "keep-alive");
}

static bool refuse(enum bawn_deny *why, enum bawn_deny as)
{
	*why = as;
	return false;
}

static bool read_host(struct bawn_http *h, struct bawn_span text, enum bawn_deny *why)
{
	enum bawn_spelling s = bawn_authority_parse(text, &h->host, &h->port);
	return s == BAWN_SPELLING_GOOD || refuse(why, s == BAWN_SPELLING_ADDRESS ? BAWN_DENY_ADDRESS : BAWN_DENY_REQUEST);
}

static bool read_target(struct bawn_http *h, struct bawn_span method, struct bawn_span target, enum bawn_deny *why)
{
	for (size_t i = 0; i < target.n; i++)
		if ((unsigned char)target.p[i] <= ' ' || (unsigned char)target.p[i] >= 0x7f || target.p[i] == '#')
			return refuse(why, BAWN_DENY_REQUEST);
	if (bawn_span_is(method, "CONNECT")) {
		h->method = BAWN_METHOD_CONNECT;
		h->path = (struct bawn_span){ "", 0 };
		return read_host(h, target, why) && (h->port != 0 || refuse(why, BAWN_DENY_REQUEST));
	}
	h->method = bawn_span_is(method, "HEAD") ? BAWN_METHOD_HEAD : BAWN_METHOD_GET;
	if (target.n < 7 || strncasecmp(target.p, "http://", 7) != 0)
		return refuse(why, BAWN_DENY_REQUEST);
	target.p += 7;
	target.n -= 7;
	size_t n = 0;
	while (n < target.n && target.p[n] != '/' && target.p[n] != '?')
		n++;
	h->path = (struct bawn_span){ target.p + n, target.n - n };
	if (!read_host(h, (struct bawn_span){ target.p, n }, why))
		return false;
	if (h->port == 0)
		h->port = 80;
	return bawn_span_is(method, "GET") || bawn_span_is(method, "HEAD") || refuse(why, BAWN_DENY_METHOD);
}

/* METHOD SP target SP HTTP/1.x; *out_minor: x. */
static bool read_request_line(struct bawn_http *h, struct bawn_span line, bool *out_old, enum bawn_deny *why)
{
	struct bawn_span method, target;
	if (!bawn_span_take(&line, ' ', &method) || !bawn_span_take(&line, ' ', &target) || !is_token(method))
		return refuse(why, BAWN_DENY_REQUEST);
	*out_old = bawn_span_is(line, "HTTP/1.0");
	if (!*out_old && !bawn_span_is(line, "HTTP/1.1"))
		return refuse(why, BAWN_DENY_REQUEST);
	return read_target(h, method, target, why);
}

/* Host says what the request line said: a port that is not written is the scheme's, for CONNECT any. */
static bool same_host(const struct bawn_http *h, struct bawn_span value)
{
	struct bawn_host host;
	uint16_t port;
	if (bawn_authority_parse(value, &host, &port) != BAWN_SPELLING_GOOD || !bawn_host_equal(&host, &h->host))
		return false;
	if (port == 0)
		port = h->method == BAWN_METHOD_CONNECT ? h->port : 80;
	return port == h->port;
}

static bool read_credential(struct bawn_http *h, struct bawn_span value)
{
	if (h->credential.p != NULL || value.n < 6 || strncasecmp(value.p, "basic ", 6) != 0)
		return false;
	h->credential = trimmed((struct bawn_span){ value.p + 6, value.n - 6 });
	return true;
}

static bool read_headers(struct bawn_http *h, bool old)
{
	struct bawn_span rest = h->headers, name, value;
	size_t n = 0, hosts = 0, lengths = 0;
	while (rest.n > 0) {
		if (++n > BAWN_HEADERS_MAX || !take_header(&rest, &name, &value))
			return false;
		switch (kind_of(name)) {
		case REFUSE:
			return false;
		case HOST:
			if (++hosts > 1 || !same_host(h, value))
				return false;
			break;
		case LENGTH:
			if (++lengths > 1 || !bawn_span_is(value, "0"))
				return false;
			break;
		case CONNECTION:
			if (!is_connection(value))
				return false;
			break;
		case CREDENTIAL:
			if (!read_credential(h, value))
				return false;
			break;
		case PASS:
		case DROP:
			break;
		}
	}
	return hosts == 1 || old || h->method == BAWN_METHOD_CONNECT;
}

/* What cannot become a head any more, however much follows. */
static bool is_lost(struct bawn_span in)
{
	for (size_t i = 0; i < in.n; i++)
		if (in.p[i] == '\0' || (in.p[i] == '\n' && (i == 0 || in.p[i - 1] != '\r')) ||
		    (in.p[i] == '\r' && i + 1 < in.n && in.p[i + 1] != '\n'))
			return true;
	return in.n >= BAWN_HEAD_MAX;
}

int bawn_http_parse(struct bawn_span in, struct bawn_http *out, enum bawn_deny *why)
{
	struct bawn_http h = { .size = 0 };
	struct bawn_span line, rest = in;
	bool old;
	*why = BAWN_DENY_REQUEST;
	const char *end = in.n > 0 ? memmem(in.p, in.n < BAWN_HEAD_MAX ? in.n : BAWN_HEAD_MAX, "\r\n\r\n", 4) : NULL;
	if (end == NULL)
		return is_lost(in) ? -1 : 0;
	h.size = (size_t)(end - in.p) + 4;
	rest.n = h.size - 2;
	if (!take_line(&rest, &line))
		return -1;
	h.headers = rest;
	bool read = read_request_line(&h, line, &old, why);
	if (read && !read_headers(&h, old)) {
		*why = BAWN_DENY_REQUEST;
		read = false;
	}
	*out = h;
	return read ? 1 : -1;
}

void bawn_http_forward(const struct bawn_http *h, struct bawn_buf *out)
{
	struct bawn_span rest = h->headers, name, value;
	bool bare = h->path.n == 0 || h->path.p[0] != '/';
	bawn_buf_fmt(out, "%s %s%.*s HTTP/1.1\r\nHost: ", h->method == BAWN_METHOD_HEAD ? "HEAD" : "GET", bare ? "/" : "", (int)h->path.n, h->path.p);
	bawn_buf_str(out, h->host.kind == BAWN_HOST_IPV6 ? "[" : "");
	bawn_buf_str(out, h->host.text);
	bawn_buf_str(out, h->host.kind == BAWN_HOST_IPV6 ? "]" : "");
	if (h->port != 80)
		bawn_buf_fmt(out, ":%u", h->port);
	bawn_buf_str(out, "\r\n");
	while (rest.n > 0 && take_header(&rest, &name, &value))
		if (kind_of(name) == PASS) {
			bawn_buf_add(out, name.p, name.n);
			bawn_buf_str(out, ": ");
			bawn_buf_add(out, value.p, value.n);
			bawn_buf_str(out, "\r\n");
		}
	bawn_buf_str(out, "Connection: close\r\n\r\n");
}
