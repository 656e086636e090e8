#include "docker/moby.h"
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"

#define ANSWER_MAX (8u << 20)
#define API_MOST   47u  /* 1.47; the engine's own, where it is older */
#define API_LEAST  41u  /* the first with a container's own cgroup namespace */

#define UNAVAILABLE(err, ...) bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "backend", __VA_ARGS__)

int bawn_moby_init(struct bawn_moby *e, const char *socket_path, struct bawn_err *err)
{
	*e = (struct bawn_moby){ 0 };
	const char *path = socket_path != NULL && socket_path[0] != '\0' ? socket_path : BAWN_MOBY_SOCKET;
	if (strlen(path) >= sizeof e->socket)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "engine", "the engine's socket has too long a name");
	memcpy(e->socket, path, strlen(path) + 1);
	/* No TLS on a Unix socket: nothing has to be initialised for it. */
	if (curl_global_init(CURL_GLOBAL_NOTHING) != CURLE_OK || (e->curl = curl_easy_init()) == NULL)
		return bawn_fail(err, -ENOMEM, "prepare to speak to the engine");
	return 0;
}

void bawn_moby_done(struct bawn_moby *e)
{
	curl_easy_cleanup(e->curl);
	e->curl = NULL;
}

struct answer { const struct bawn_moby *e; const struct bawn_call *call; struct bawn_buf *body; };

/* Whole lines of a good answer are handed over; what is left waits for its end. */
static int hand_over(const struct answer *a)
{
	char *nl;
	long status = 0;
	(void)curl_easy_getinfo(a->e->curl, CURLINFO_RESPONSE_CODE, &status);
	while (status == 200 && a->body->n > 0 && (nl = memchr(a->body->p, '\n', a->body->n)) != NULL) {
		const size_t n = (size_t)(nl - a->body->p);
		int r = a->call->line(a->call->ctx, (struct bawn_span){ a->body->p, n });
		if (r < 0)
			return r;
		memmove(a->body->p, nl + 1, a->body->n - n - 1);
		a->body->n -= n + 1;
	}
	return 0;
}

static size_t on_bytes(char *p, size_t size, size_t n, void *ctx)
{
	const struct answer *a = ctx;
	bawn_buf_add(a->body, p, size * n);
	if (bawn_buf_error(a->body) < 0 || (a->call->line != NULL && hand_over(a) < 0))
		return 0;
	return size * n;
}

/* Between bytes, while nothing comes: who waits may have gone. */
static int on_wait(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct bawn_call *call = ctx;
	(void)a, (void)b, (void)c, (void)d;
	return call->line(call->ctx, (struct bawn_span){ NULL, 0 }) < 0;
}

static bool set_stream(CURL *h, const struct bawn_call *c)
{
	return curl_easy_setopt(h, CURLOPT_LOW_SPEED_LIMIT, 1L) == CURLE_OK && curl_easy_setopt(h, CURLOPT_LOW_SPEED_TIME, c->ms / 1000) == CURLE_OK &&
	       curl_easy_setopt(h, CURLOPT_NOPROGRESS, 0L) == CURLE_OK && curl_easy_setopt(h, CURLOPT_XFERINFOFUNCTION, on_wait) == CURLE_OK &&
	       curl_easy_setopt(h, CURLOPT_XFERINFODATA, c) == CURLE_OK;
}

/* What the engine says it is about, in our words: one line, nothing that could move a cursor. */
static int refused(struct bawn_err *err, const char *what, long status, struct bawn_span answer)
{
	bawn_auto_buf shown = BAWN_BUF(2048);
	bawn_auto_json j = NULL;
	if (bawn_json_parse(answer, &j, NULL) == 0 && json_is_string(json_object_get(j, "message")))
		answer = (struct bawn_span){ json_string_value(json_object_get(j, "message")), json_string_length(json_object_get(j, "message")) };
	answer.n = answer.n < 300 ? answer.n : 300;
	bawn_buf_escaped(&shown, answer);
	return UNAVAILABLE(err, "the engine answered %s with %ld: %s", what, status, bawn_buf_error(&shown) < 0 || shown.p == NULL ? "" : shown.p);
}

/* The options every call has.  Zero environment, one protocol, no redirect: there is nowhere else to go. */
static int perform(struct bawn_moby *e, const struct bawn_call *c, const char *url, const char *body, size_t n, struct bawn_buf *answer,
                   long *status, struct bawn_err *err)
{
	CURL *h = e->curl;
	struct answer to = { e, c, answer };
	char why[CURL_ERROR_SIZE] = "";
	struct curl_slist *head = curl_slist_append(NULL, c->tar.p != NULL ? "Content-Type: application/x-tar" : "Content-Type: application/json");
	struct curl_slist *more = head != NULL ? curl_slist_append(head, "Expect:") : NULL;
	if (more == NULL) {
		curl_slist_free_all(head);
		return bawn_fail(err, -ENOMEM, "ask the engine");
	}
	curl_easy_reset(h);
	bool ok = curl_easy_setopt(h, CURLOPT_UNIX_SOCKET_PATH, e->socket) == CURLE_OK && curl_easy_setopt(h, CURLOPT_URL, url) == CURLE_OK &&
	          curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http") == CURLE_OK && curl_easy_setopt(h, CURLOPT_CUSTOMREQUEST, c->method) == CURLE_OK &&
	          curl_easy_setopt(h, CURLOPT_HTTPHEADER, more) == CURLE_OK && curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, on_bytes) == CURLE_OK &&
	          curl_easy_setopt(h, CURLOPT_WRITEDATA, &to) == CURLE_OK && curl_easy_setopt(h, CURLOPT_ERRORBUFFER, why) == CURLE_OK &&
	          curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L) == CURLE_OK && curl_easy_setopt(h, CURLOPT_PROXY, "") == CURLE_OK &&
	          curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT_MS, 5000L) == CURLE_OK &&
	          (c->line != NULL ? set_stream(h, c) : curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, c->ms) == CURLE_OK);
	if (ok && body != NULL)
		ok = curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n) == CURLE_OK && curl_easy_setopt(h, CURLOPT_POSTFIELDS, body) == CURLE_OK;
	CURLcode r = ok ? curl_easy_perform(h) : CURLE_FAILED_INIT;
	curl_slist_free_all(more);
	if (r != CURLE_OK)
		return UNAVAILABLE(err, "the engine at '%s' does not answer %s: %s", e->socket, strchr(url + strlen("http://engine"), '/'), why[0] != '\0' ? why : curl_easy_strerror(r));
	(void)curl_easy_getinfo(h, CURLINFO_RESPONSE_CODE, status);
	return 0;
}

static int call(struct bawn_moby *e, const struct bawn_call *c, const char *url, const char *what, long *out_status, json_t **out, struct bawn_err *err)
{
	bawn_auto_buf answer = BAWN_BUF(ANSWER_MAX), body = BAWN_BUF(ANSWER_MAX);
	long status = 0;
	int r = c->body != NULL ? bawn_json_put(&body, c->body, err) : 0;
	if (r < 0)
		return r;
	bool post = strcmp(c->method, "POST") == 0;
	const char *bytes = c->tar.p != NULL ? c->tar.p : c->body != NULL ? body.p : post ? "" : NULL;
	r = perform(e, c, url, bytes, c->tar.p != NULL ? c->tar.n : body.n, &answer, &status, err);
	if (r < 0)
		return r;
	if ((status < 200 || status > 299) && status != c->may[0] && status != c->may[1])
		return refused(err, what, status, bawn_buf_span(&answer));
	if (c->line != NULL && answer.n > 0 && c->line(c->ctx, bawn_buf_span(&answer)) < 0)  /* the last one need not end */
		return UNAVAILABLE(err, "the engine's answer to %s cannot be used", what);
	if (out != NULL && (answer.n == 0 || bawn_json_parse(bawn_buf_span(&answer), out, NULL) < 0))
		return UNAVAILABLE(err, "the engine answered %s with something that is not JSON", what);
	if (out_status != NULL)
		*out_status = status;
	return 0;
}

int bawn_moby_call(struct bawn_moby *e, const struct bawn_call *c, long *out_status, json_t **out, struct bawn_err *err, const char *path, ...)
{
	bawn_auto_buf url = BAWN_BUF(8192);
	bawn_buf_fmt(&url, "http://engine/v%s", e->api);
	va_list ap;
	va_start(ap, path);
	bawn_buf_vfmt(&url, path, ap);
	va_end(ap);
	if (bawn_buf_error(&url) < 0)
		return bawn_fail(err, bawn_buf_error(&url), "ask the engine");
	bawn_auto_free char *what = strndup(url.p + strlen("http://engine"), strcspn(url.p + strlen("http://engine"), "?"));
	return call(e, c, url.p, what != NULL ? what : "?", out_status, out, err);
}

char *bawn_moby_escape(struct bawn_moby *e, const char *text) { return curl_easy_escape(e->curl, text, 0); }

int bawn_moby_meet(struct bawn_moby *e, struct bawn_err *err)
{
	struct bawn_call ping = { .method = "GET", .ms = BAWN_MOBY_QUICK };
	struct curl_header *said = NULL;
	uint64_t minor = 0;
	int r = call(e, &ping, "http://engine/_ping", "/_ping", NULL, NULL, err);
	if (r < 0)
		return r;
	if (curl_easy_header(e->curl, "Api-Version", 0, CURLH_HEADER, -1, &said) != CURLHE_OK || strncmp(said->value, "1.", 2) != 0 ||
	    bawn_parse_u64(bawn_span(said->value + 2), 0, 1000, &minor, NULL) < 0)
		return UNAVAILABLE(err, "what answers at '%s' is no container engine", e->socket);
	if (minor < API_LEAST)
		return UNAVAILABLE(err, "the engine speaks version 1.%u of its API, 1.%u is the least that will do", (unsigned)minor, API_LEAST);
	snprintf(e->api, sizeof e->api, "1.%u", (unsigned)(minor < API_MOST ? minor : API_MOST));
	return 0;
}

/* --- attaching ----------------------------------------------------------------------------------- */

static bool wait_for(int fd, short events, uint64_t until_us)
{
	for (;;) {
		uint64_t now = bawn_monotonic_us();
		struct pollfd p = { .fd = fd, .events = events };
		int r = now < until_us ? poll(&p, 1, (int)((until_us - now) / 1000 + 1)) : 0;
		if (r >= 0 || errno != EINTR)
			return r > 0;
	}
}

/* The head of the answer, byte by byte: what follows it is the container's. */
static int read_head(int fd, char *out, size_t size, uint64_t until_us)
{
	for (size_t n = 0; n + 1 < size; ) {
		if (!wait_for(fd, POLLIN, until_us))
			return -ETIMEDOUT;
		ssize_t got = recv(fd, out + n, 1, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EPIPE;
		out[++n] = '\0';
		if (n >= 4 && memcmp(out + n - 4, "\r\n\r\n", 4) == 0)
			return 0;
	}
	return -EMSGSIZE;
}

int bawn_moby_attach(const struct bawn_moby *e, const char *id, int *out_fd, struct bawn_err *err)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	char text[4096];
	uint64_t until = bawn_monotonic_us() + BAWN_MOBY_QUICK * 1000ull;
	memcpy(at.sun_path, e->socket, sizeof at.sun_path);
	bawn_auto_fd fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at) < 0)
		return UNAVAILABLE(err, "connect to the engine at '%s': %s", e->socket, strerrordesc_np(errno));
	int n = snprintf(text, sizeof text, "POST /v%s/containers/%s/attach?stream=1&stdin=1&stdout=1&stderr=1 HTTP/1.1\r\nHost: engine\r\n"
	                 "Connection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n", e->api, id);
	if (!wait_for(fd, POLLOUT, until) || send(fd, text, (size_t)n, MSG_NOSIGNAL) != n)
		return UNAVAILABLE(err, "the engine does not take a request to attach");
	int r = read_head(fd, text, sizeof text, until);
	if (r < 0)
		return UNAVAILABLE(err, "the engine does not answer a request to attach: %s", strerrordesc_np(-r));
	if (strncmp(text, "HTTP/1.1 101 ", 13) != 0)
		return UNAVAILABLE(err, "the engine does not attach: %.40s", strncmp(text, "HTTP/1.", 7) == 0 ? text + 9 : "it does not speak HTTP");
	*out_fd = bawn_take_fd(&fd);
	return 0;
}
