/* http.c - libFuzzer target for the head of a request: what is understood is forwarded so that it is understood again,
 * as the same thing. */
#include <stdlib.h>
#include <string.h>
#include "egress/http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bawn_http h, again;
	enum bawn_deny why;
	struct bawn_span in = { (const char *)data, size };
	int r = bawn_http_parse(in, &h, &why);
	if (r < 0 && why >= BAWN_DENY_COUNT)
		abort();
	if (r <= 0)
		return 0;
	struct bawn_host host;
	struct bawn_buf b = BAWN_BUF(4 * BAWN_HEAD_MAX);
	bawn_authority_put(&b, &h.host, h.port);
	uint16_t port;
	/* In its one spelling a host stays as it is, and has nothing in it but what names are made of. */
	if (h.size > size || h.size > BAWN_HEAD_MAX || h.port == 0 || bawn_authority_parse(bawn_buf_span(&b), &host, &port) != BAWN_SPELLING_GOOD ||
	    port != h.port || !bawn_host_equal(&host, &h.host) || strspn(h.host.text, "abcdefghijklmnopqrstuvwxyz0123456789-.:") != strlen(h.host.text))
		abort();
	bawn_buf_reset(&b);
	if (h.method != BAWN_METHOD_CONNECT) {
		bawn_http_forward(&h, &b);
		/* What upstream gets is one head: its only empty line is its end, and nothing of the proxy's is in it. */
		if (bawn_buf_error(&b) < 0 || (char *)memmem(b.p, b.n, "\r\n\r\n", 4) != b.p + b.n - 4 || strcasestr(b.p, "\nproxy-authorization:") != NULL ||
		    strcasestr(b.p, "\ntransfer-encoding:") != NULL || strcasestr(b.p, "\ncontent-length:") != NULL || memchr(b.p, '\0', b.n) != NULL)
			abort();
		/* And read as a request to a proxy again, with the host in front, it is the same request. */
		struct bawn_buf c = BAWN_BUF(4 * BAWN_HEAD_MAX);
		const char *path = strchr(b.p, ' ') + 1;
		bawn_buf_add(&c, b.p, (size_t)(path - b.p));
		bawn_buf_str(&c, "http://");
		bawn_authority_put(&c, &h.host, h.port);
		bawn_buf_add(&c, path, b.n - (size_t)(path - b.p));
		size_t lines = 0;
		for (const char *at = c.p; (at = strchr(at, '\n')) != NULL; at++)
			lines++;
		/* Our own lines may be one too many for a reader as strict as we are. */
		if (c.n < BAWN_HEAD_MAX && lines - 2 <= BAWN_HEADERS_MAX && (bawn_http_parse(bawn_buf_span(&c), &again, &why) != 1 || !bawn_host_equal(&again.host, &h.host) || again.port != h.port ||
		                            again.method != h.method || again.size != c.n))
			abort();
		bawn_buf_done(&c);
	}
	bawn_buf_done(&b);
	return 0;
}
