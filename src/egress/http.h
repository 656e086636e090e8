/* http.h - the head of a request to the proxy.
 *
 *	CONNECT host:port HTTP/1.x          the host and port are all that is taken from it
 *	GET http://host[:port]/path ...     also HEAD; forwarded as one request of its own, with our Host and Connection
 *
 * Invariants: (1) lines end with CR LF, names are tokens, no line is folded, nothing is there twice that decides
 * something: what upstream reads is what was judged; (2) a body is refused: there is no length to disagree about;
 * (3) the host is brought into its one spelling here and nowhere else; Host must say the same.
 * Pure.  An attacker controls every byte. */
#pragma once
#include "egress/deny.h"
#include "egress/name.h"

#define BAWN_HEAD_MAX    16384u
#define BAWN_HEADERS_MAX 64u
enum bawn_method { BAWN_METHOD_CONNECT, BAWN_METHOD_GET, BAWN_METHOD_HEAD };

struct bawn_http {
	enum bawn_method method;
	struct bawn_host host;
	uint16_t         port;
	struct bawn_span path;        /* borrowed; empty for CONNECT */
	struct bawn_span credential;  /* what stands behind "Basic "; p NULL: none was given */
	struct bawn_span headers;     /* all lines of it, each with its CR LF */
	size_t           size;        /* of the whole head */
};

/* 1: *out is filled; 0: there is more to come; -1: *why it is refused.  Where the host could be read, *out has it then. */
int bawn_http_parse(struct bawn_span in, struct bawn_http *out, enum bawn_deny *why);
/* What upstream is sent for a GET or HEAD. */
void bawn_http_forward(const struct bawn_http *h, struct bawn_buf *out);
