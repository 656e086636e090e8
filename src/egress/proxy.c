#include "egress/proxy.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "egress/hello.h"
#include "egress/http.h"

#define FLOW_BYTES   (128u << 10)  /* what is read at once; also more than a head or a greeting */
#define TURNS        16            /* reads of one connection before the others have theirs */
#define LAST_MS      2000          /* for an answer to be taken */
#define LAST_BYTES   (1u << 20)    /* that are thrown away meanwhile; who sends more does not read */
#define DENIALS_MAX  64u           /* different ones that are told; more are counted together, by rule */
_Static_assert(FLOW_BYTES > BAWN_HEAD_MAX && FLOW_BYTES > 2 * BAWN_HELLO_MAX, "a head and a greeting fit");

enum state { FREE, HEAD, DIAL, HELLO, RELAY, LAST };
enum side { CLIENT, UPSTREAM };
enum way { UP, DOWN };              /* UP: from the client */
enum tag { TAG_CORE, TAG_PORT, TAG_DIALLER, TAG_CONN };

/* One direction: bytes at..n of buf are still to be written. */
struct flow { char *buf; size_t at, n; bool ended, shut; };  /* ended: nothing more comes; shut: and the other side knows */

struct conn {
	enum state  state;
	bool        spent;          /* freed after this round of events */
	uint32_t    ticket;
	int         fd[2];          /* by side */
	uint32_t    watched[2];
	struct flow flow[2];        /* by way */
	uint64_t    until_us, thrown_away;
	int         row;            /* of the rules, or -1 */
	enum bawn_method method;
	char        what[BAWN_EGRESS_TEXT];
};

struct proxy {
	const struct bawn_proxy_spec *s;
	int          epoll;
	char        *frame;
	struct conn *conn; size_t n_conns, n_open;
	bool         listening;
	uint32_t     tickets;
	uint64_t     connections, sent, received;
	struct bawn_egress_host   *host;    /* one per rule */
	struct bawn_egress_denied *denied; size_t n_denied;
};

/* --- the account ------------------------------------------------------------------------------ */

/* The row of this rule and this, or where it would be. */
static size_t denied_row(const struct proxy *p, enum bawn_deny why, const char *what)
{
	size_t i = 0;
	while (i < p->n_denied && (p->denied[i].why != why || strcmp(p->denied[i].what, what) != 0))
		i++;
	return i;
}

/* Whatever the code asks for, and however often: no rule that it broke hides behind another. */
static void deny_at(struct proxy *p, enum bawn_deny why, const char *what, uint64_t threshold, uint64_t actual)
{
	if (threshold > 0)
		what = bawn_deny[why].rule;  /* a limit is the run's, whoever was asked for when it was met */
	size_t i = denied_row(p, why, what);
	if (i == p->n_denied && i >= DENIALS_MAX)
		i = denied_row(p, why, what = BAWN_DENY_OTHERS);
	if (i == p->n_denied) {
		p->n_denied++;
		p->denied[i] = (struct bawn_egress_denied){ .why = why, .threshold = threshold };
		snprintf(p->denied[i].what, sizeof p->denied[i].what, "%s", what);
	}
	p->denied[i].count++;
	p->denied[i].actual = actual;
}

static bool tell(struct proxy *p, uint32_t type, const struct bawn_buf *b)
{
	return bawn_ipc_send(p->s->core, type, b, NULL, 0, 0, NULL) == 0;
}

static int settle(struct proxy *p)
{
	bool told = true;
	for (size_t i = 0; told && i < p->s->rules->n; i++) {
		bawn_auto_buf b = BAWN_IPC_BUF;
		if (p->host[i].connections == 0 && p->host[i].failed == 0)
			continue;
		bawn_egress_put_host(&b, &p->host[i]);
		told = tell(p, BAWN_EGRESS_HOST, &b);
	}
	for (size_t i = 0; told && i < p->n_denied; i++) {
		bawn_auto_buf b = BAWN_IPC_BUF;
		bawn_egress_put_denied(&b, &p->denied[i]);
		told = tell(p, BAWN_EGRESS_DENIED, &b);
	}
	return told && tell(p, BAWN_EGRESS_DONE, NULL) ? 0 : 1;
}

/* --- connections ------------------------------------------------------------------------------ */

static void watch(struct proxy *p, struct conn *c, enum side side, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.u64 = (uint64_t)TAG_CONN << 32 | (uint64_t)(c - p->conn) << 1 | side };
	if (c->fd[side] < 0 || c->watched[side] == events)
		return;
	int op = c->watched[side] == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
	if (epoll_ctl(p->epoll, op, c->fd[side], &e) == 0)
		c->watched[side] = events;
}

static void listen_or_not(struct proxy *p)
{
	bool room = p->n_open < p->n_conns;
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = (uint64_t)TAG_PORT << 32 };
	if (room == p->listening)
		return;
	if (epoll_ctl(p->epoll, room ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, p->s->port, &e) == 0)
		p->listening = room;
}

/* Taken out of the set by name: who dialled may still have the same socket, and then closing ours ends neither the socket
 * nor what is told of it, which would be taken for the next connection in this place. */
static void let_go(struct proxy *p, struct conn *c, enum side side)
{
	watch(p, c, side, 0);
	bawn_close_fdp(&c->fd[side]);
}

static void cut(struct proxy *p, struct conn *c)
{
	let_go(p, c, CLIENT);
	let_go(p, c, UPSTREAM);
	c->spent = true;
}

static void set_deadline(struct conn *c, uint64_t ms) { c->until_us = bawn_monotonic_us() + ms * 1000; }

static void accept_one(struct proxy *p)
{
	int on = 1;
	bawn_auto_fd fd = accept4(p->s->port, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	struct conn *c = p->conn;
	while (c < p->conn + p->n_conns && c->state != FREE)
		c++;
	if (fd < 0 || c == p->conn + p->n_conns)
		return;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  /* for speed only */
	struct conn fresh = { .state = HEAD, .ticket = ++p->tickets, .fd = { bawn_take_fd(&fd), -1 }, .row = -1 };
	for (int w = UP; w <= DOWN; w++)
		fresh.flow[w].buf = c->flow[w].buf != NULL ? c->flow[w].buf : malloc(FLOW_BYTES);
	*c = fresh;
	p->connections++;
	p->n_open++;
	set_deadline(c, p->s->limits.head_ms);
	if (c->flow[UP].buf == NULL || c->flow[DOWN].buf == NULL)
		cut(p, c);
	else
		watch(p, c, CLIENT, EPOLLIN | EPOLLRDHUP);
}

/* Those that are over make room, once no event of this round can mean them any more. */
static void bury(struct proxy *p)
{
	for (size_t i = 0; i < p->n_conns; i++) {
		struct conn *c = &p->conn[i];
		if (c->state == FREE || !c->spent)
			continue;
		*c = (struct conn){ .state = FREE, .fd = { -1, -1 }, .flow = { { .buf = c->flow[UP].buf }, { .buf = c->flow[DOWN].buf } } };
		p->n_open--;
	}
	listen_or_not(p);
}

/* --- reading and writing ---------------------------------------------------------------------- */

/* What there is, behind what is there; false: the connection is lost. */
static bool fill(struct flow *f, int fd, size_t max)
{
	if (f->at == f->n)
		f->at = f->n = 0;
	if (f->ended || f->n >= max)
		return true;
	ssize_t n = recv(fd, f->buf + f->n, max - f->n, 0);
	if (n == 0)
		f->ended = true;
	if (n > 0)
		f->n += (size_t)n;
	return n >= 0 || errno == EAGAIN || errno == EINTR;
}

static bool drain(struct flow *f, int fd, size_t *out_n)
{
	*out_n = 0;
	if (f->at == f->n)
		return true;
	ssize_t n = send(fd, f->buf + f->at, f->n - f->at, MSG_NOSIGNAL);
	if (n > 0) {
		f->at += (size_t)n;
		*out_n = (size_t)n;
	}
	return n >= 0 || errno == EAGAIN || errno == EINTR;
}

/* An end is looked for only where there is room for what comes before it: who has sent all and gone stays gone, and would
 * wake us again and again until the other side has read.  A plain request is over before its client, whose end means
 * that nobody wants the answer any more (on_relay). */
static void rewatch(struct proxy *p, struct conn *c)
{
	uint32_t want[2] = { c->method != BAWN_METHOD_CONNECT ? EPOLLRDHUP : 0, 0 };
	static const enum side from[] = { [UP] = CLIENT, [DOWN] = UPSTREAM };
	for (int w = UP; w <= DOWN; w++) {
		const struct flow *f = &c->flow[w];
		if (!f->ended && f->at == f->n)
			want[from[w]] |= EPOLLIN | EPOLLRDHUP;
		if (f->at < f->n)
			want[!from[w]] |= EPOLLOUT;
	}
	watch(p, c, CLIENT, want[CLIENT]);
	watch(p, c, UPSTREAM, want[UPSTREAM]);
}

/* --- answers ---------------------------------------------------------------------------------- */

static void say(struct proxy *p, struct conn *c, unsigned status, const char *rule, const char *text, const char *hint)
{
	static const struct { unsigned status; const char *text; } name[] = {
		{ 400, "Bad Request" }, { 403, "Forbidden" }, { 405, "Method Not Allowed" }, { 407, "Proxy Authentication Required" },
		{ 408, "Request Timeout" }, { 502, "Bad Gateway" } };
	const char *called = "Refused";
	for (size_t i = 0; i < BAWN_LEN(name); i++)
		called = name[i].status == status ? name[i].text : called;
	bawn_auto_buf body = BAWN_BUF(2048), all = BAWN_BUF(4096);
	bawn_buf_fmt(&body, "bawn: %s: %s\n%s%s", rule, text, hint, hint[0] != '\0' ? "\n" : "");
	bawn_buf_fmt(&all, "HTTP/1.1 %u %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\nConnection: close\r\nX-Bawn-Rule: %s\r\n%s\r\n", status, called,
	             body.n, rule, status == 407 ? "Proxy-Authenticate: Basic realm=\"bawn\"\r\n" : "");
	bawn_buf_add(&all, body.p, body.n);
	struct flow *f = &c->flow[DOWN];
	if (bawn_buf_error(&all) < 0 || bawn_buf_error(&body) < 0) {
		cut(p, c);
		return;
	}
	memcpy(f->buf, all.p, all.n);
	f->at = 0;
	f->n = all.n;
	f->ended = true;
	c->state = LAST;
	let_go(p, c, UPSTREAM);
	set_deadline(c, LAST_MS);
	watch(p, c, CLIENT, EPOLLIN | EPOLLOUT);
}

static void refuse_at(struct proxy *p, struct conn *c, enum bawn_deny why, uint64_t threshold, uint64_t actual)
{
	bawn_auto_buf hint = BAWN_BUF(1024);
	const char *what = c->what[0] != '\0' ? c->what : bawn_deny[why].rule;
	deny_at(p, why, what, threshold, actual);
	bawn_deny_hint(&hint, why, what);
	/* Where an answer has begun, or is not understood, the end has to do. */
	if (bawn_deny[why].status == 0 || c->state == HELLO || c->state == RELAY || bawn_buf_error(&hint) < 0)
		cut(p, c);
	else
		say(p, c, bawn_deny[why].status, bawn_deny[why].rule, what, hint.p);
}

static void refuse(struct proxy *p, struct conn *c, enum bawn_deny why) { refuse_at(p, c, why, 0, 0); }

/* --- the steps -------------------------------------------------------------------------------- */

static bool same_secret(struct bawn_span given, const char *secret)
{
	size_t n = strlen(secret);
	unsigned differ = given.n != n;
	for (size_t i = 0; i < n; i++)  /* as long for every guess */
		differ |= (unsigned)(unsigned char)secret[i] ^ (i < given.n ? (unsigned)(unsigned char)given.p[i] : 0x100u);
	return differ == 0;
}

/* Whom it asks for, for the account. */
static void name_it(struct conn *c, const struct bawn_http *h)
{
	bawn_auto_buf b = BAWN_BUF(sizeof c->what - 1);
	if (h->host.text[0] == '\0')
		return;
	bawn_buf_str(&b, h->method != BAWN_METHOD_CONNECT ? "http://" : "");
	bawn_authority_put(&b, &h->host, h->port);
	if (bawn_buf_error(&b) == 0)
		snprintf(c->what, sizeof c->what, "%s", b.p);
}

static void judge(struct proxy *p, struct conn *c, const struct bawn_http *h)
{
	const struct bawn_net_limits *l = &p->s->limits;
	struct flow *up = &c->flow[UP];
	name_it(c, h);
	if (h->credential.p == NULL || !same_secret(h->credential, p->s->credential)) {
		refuse(p, c, BAWN_DENY_CREDENTIAL);
		return;
	}
	c->method = h->method;
	c->row = bawn_rules_find(p->s->rules, &h->host, h->port, h->method != BAWN_METHOD_CONNECT);
	bool more = h->size < up->n && h->method != BAWN_METHOD_CONNECT;  /* a second request in its shadow */
	if (c->row < 0)
		refuse(p, c, h->host.kind == BAWN_HOST_NAME ? BAWN_DENY_WHITELIST : BAWN_DENY_ADDRESS);
	else if (more)
		refuse(p, c, BAWN_DENY_REQUEST);
	else if (p->connections > l->connections)
		refuse_at(p, c, BAWN_DENY_CONNECTIONS, l->connections, p->connections);
	else if (p->sent >= l->sent_bytes)
		refuse_at(p, c, BAWN_DENY_SENT, l->sent_bytes, p->sent);
	else if (p->received >= l->received_bytes)
		refuse_at(p, c, BAWN_DENY_RECEIVED, l->received_bytes, p->received);
	if (c->state != HEAD || c->spent)
		return;
	bawn_auto_buf head = BAWN_BUF(2 * BAWN_HEAD_MAX);
	if (h->method != BAWN_METHOD_CONNECT) {
		bawn_http_forward(h, &head);
		if (bawn_buf_error(&head) < 0) {
			refuse(p, c, BAWN_DENY_REQUEST);
			return;
		}
		memcpy(up->buf, head.p, head.n);
		up->n = head.n;
		up->ended = up->shut = true;  /* nothing of the client's follows; some servers take an end for a change of mind */
	} else {
		memmove(up->buf, up->buf + h->size, up->n - h->size);
		up->n -= h->size;
	}
	c->state = DIAL;
	set_deadline(c, l->connect_ms + 1000);
	watch(p, c, CLIENT, EPOLLRDHUP);
	if (bawn_dial_ask(p->s->dialler, c->ticket, (uint32_t)c->row, NULL) < 0)
		say(p, c, 502, "dialler", c->what, "");
}

static void on_head(struct proxy *p, struct conn *c)
{
	struct bawn_http h = { .size = 0 };
	enum bawn_deny why;
	struct flow *up = &c->flow[UP];
	if (!fill(up, c->fd[CLIENT], BAWN_HEAD_MAX)) {
		cut(p, c);
		return;
	}
	int r = bawn_http_parse((struct bawn_span){ up->buf, up->n }, &h, &why);
	if (r < 0) {
		name_it(c, &h);
		refuse(p, c, why);
	} else if (r > 0) {
		judge(p, c, &h);
	} else if (up->ended) {
		cut(p, c);  /* nobody is there to be told */
	}
}

static void greet(struct proxy *p, struct conn *c)
{
	static const char yes[] = "HTTP/1.1 200 Connection established\r\n\r\n";
	struct flow *f = &c->flow[DOWN];
	memcpy(f->buf, yes, sizeof yes - 1);
	f->n = sizeof yes - 1;
	c->state = HELLO;
	set_deadline(c, p->s->limits.head_ms);
	watch(p, c, CLIENT, EPOLLIN | EPOLLOUT);
}

static void on_dialled(struct proxy *p, struct bawn_dialled *d)
{
	struct conn *c = p->conn;
	bawn_auto_fd fd = d->fd;
	while (c < p->conn + p->n_conns && (c->state != DIAL || c->spent || c->ticket != d->ticket))
		c++;
	if (c == p->conn + p->n_conns)
		return;  /* it is gone */
	struct bawn_egress_host *host = &p->host[c->row];
	if (d->how == BAWN_DIAL_PRIVATE) {
		bawn_auto_buf hint = BAWN_BUF(1024);
		deny_at(p, BAWN_DENY_PRIVATE, c->what, 0, 0);
		bawn_buf_fmt(&hint, "%s; %s", d->detail, bawn_deny[BAWN_DENY_PRIVATE].hint);
		say(p, c, bawn_deny[BAWN_DENY_PRIVATE].status, bawn_deny[BAWN_DENY_PRIVATE].rule, c->what, bawn_buf_error(&hint) == 0 ? hint.p : "");
		return;
	}
	if (d->how != BAWN_DIAL_CONNECTED) {
		host->failed++;
		say(p, c, 502, d->how == BAWN_DIAL_UNKNOWN ? "resolve" : "connect", c->what, d->detail);
		return;
	}
	host->connections++;
	c->fd[UPSTREAM] = bawn_take_fd(&fd);
	if (c->method == BAWN_METHOD_CONNECT) {
		greet(p, c);
		return;
	}
	c->state = RELAY;
	set_deadline(c, p->s->limits.idle_ms);
	rewatch(p, c);
}

static bool is_for(const struct bawn_hello *h, const struct bawn_host *host)
{
	struct bawn_host named;
	if (host->kind != BAWN_HOST_NAME)
		return !h->named;  /* an address is not named */
	return h->named && bawn_host_parse(bawn_span(h->name), &named) == BAWN_SPELLING_GOOD && bawn_host_equal(&named, host);
}

static void on_hello(struct proxy *p, struct conn *c)
{
	struct bawn_hello h;
	struct flow *up = &c->flow[UP];
	size_t n;
	if (!drain(&c->flow[DOWN], c->fd[CLIENT], &n) || !fill(up, c->fd[CLIENT], 2 * BAWN_HELLO_MAX)) {
		cut(p, c);
		return;
	}
	int r = bawn_hello_parse((struct bawn_span){ up->buf, up->n }, &h);
	if (r < 0 || (r == 0 && up->n >= 2 * BAWN_HELLO_MAX))
		refuse(p, c, BAWN_DENY_NOT_TLS);
	else if (r == 0 && up->ended)
		cut(p, c);
	else if (r == 0)
		watch(p, c, CLIENT, EPOLLIN | (c->flow[DOWN].at < c->flow[DOWN].n ? EPOLLOUT : 0));
	else if (h.encrypted)
		refuse(p, c, BAWN_DENY_ECH);
	else if (!is_for(&h, &p->s->rules->rule[c->row].host))
		refuse(p, c, BAWN_DENY_SERVER_NAME);
	else {
		c->state = RELAY;
		set_deadline(c, p->s->limits.idle_ms);
		rewatch(p, c);
	}
}

/* One direction, as far as it goes; false: the connection is over. */
static bool relay(struct proxy *p, struct conn *c, enum way way)
{
	const struct bawn_net_limits *l = &p->s->limits;
	struct flow *f = &c->flow[way];
	int from = c->fd[way == UP ? CLIENT : UPSTREAM], to = c->fd[way == UP ? UPSTREAM : CLIENT];
	for (int i = 0; i < TURNS; i++) {
		size_t before = f->n - f->at, n;
		if (before == 0 && !fill(f, from, FLOW_BYTES))
			return false;
		size_t got = before == 0 ? f->n : 0;
		if (way == DOWN) {
			p->received += got;
			p->host[c->row].received_bytes += got;
			if (p->received > l->received_bytes) {
				refuse_at(p, c, BAWN_DENY_RECEIVED, l->received_bytes, p->received);
				return false;
			}
		} else if (p->sent + (f->n - f->at) > l->sent_bytes) {
			refuse_at(p, c, BAWN_DENY_SENT, l->sent_bytes, p->sent + (f->n - f->at));
			return false;
		}
		if (!drain(f, to, &n))
			return false;
		if (way == UP) {
			p->sent += n;
			p->host[c->row].sent_bytes += n;
		}
		if (n > 0 || got > 0)
			set_deadline(c, l->idle_ms);
		if (f->at < f->n || n == 0)
			break;
	}
	if (f->ended && f->at == f->n && !f->shut) {
		(void)shutdown(to, SHUT_WR);
		f->shut = true;
	}
	return true;
}

static void on_relay(struct proxy *p, struct conn *c, enum side side, uint32_t events)
{
	/* Who asked for a file by plain HTTP and is gone wants it no more. */
	bool left = c->method != BAWN_METHOD_CONNECT && side == CLIENT && (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0;
	if (left || !relay(p, c, UP) || c->spent || !relay(p, c, DOWN) || (c->flow[UP].shut && c->flow[DOWN].shut))
		cut(p, c);
	else
		rewatch(p, c);
}

/* The answer goes out, and what still comes is thrown away: a close in its face would take the answer along. */
static void on_last(struct proxy *p, struct conn *c)
{
	struct flow *down = &c->flow[DOWN];
	char *junk = c->flow[UP].buf;
	size_t n;
	if (!drain(down, c->fd[CLIENT], &n)) {
		cut(p, c);
		return;
	}
	if (down->at == down->n && !down->shut) {
		(void)shutdown(c->fd[CLIENT], SHUT_WR);
		down->shut = true;
		watch(p, c, CLIENT, EPOLLIN);
	}
	ssize_t r = recv(c->fd[CLIENT], junk, FLOW_BYTES, 0);
	c->thrown_away += r > 0 ? (uint64_t)r : 0;
	if (r == 0 || c->thrown_away > LAST_BYTES || (r < 0 && errno != EAGAIN && errno != EINTR))
		cut(p, c);
}

static void on_conn(struct proxy *p, struct conn *c, enum side side, uint32_t events)
{
	if (c->spent)
		return;
	switch (c->state) {
	case HEAD:  on_head(p, c); break;
	case DIAL:  cut(p, c); break;  /* the client left: nothing else is watched */
	case HELLO: on_hello(p, c); break;
	case RELAY: on_relay(p, c, side, events); break;
	case LAST:  on_last(p, c); break;
	case FREE:  break;
	}
}

static void expire(struct proxy *p, struct conn *c)
{
	if (c->state == HEAD || c->state == HELLO)
		refuse(p, c, BAWN_DENY_HEAD_TIME);
	else if (c->state == DIAL) {
		p->host[c->row].failed++;
		say(p, c, 502, "connect", c->what, "no connection in time");
	} else {
		if (c->state == RELAY)
			deny_at(p, BAWN_DENY_IDLE, c->what, 0, 0);
		cut(p, c);
	}
}

/* --- the loop --------------------------------------------------------------------------------- */

static int patience(struct proxy *p)
{
	uint64_t now = bawn_monotonic_us(), first = UINT64_MAX;
	for (size_t i = 0; i < p->n_conns; i++) {
		struct conn *c = &p->conn[i];
		if (c->state != FREE && !c->spent && c->until_us <= now)
			expire(p, c);
		if (c->state != FREE && !c->spent && c->until_us < first)
			first = c->until_us;
	}
	bury(p);
	return first == UINT64_MAX ? -1 : first > now ? (int)((first - now) / 1000) + 1 : 0;
}

static bool on_dialler(struct proxy *p)
{
	struct bawn_dialled d;
	int r;
	while ((r = bawn_dial_answer(p->s->dialler, p->frame, &d, NULL)) == 1)
		on_dialled(p, &d);
	return r == 0;
}

static int loop(struct proxy *p)
{
	for (;;) {
		struct epoll_event e[64];
		int n = epoll_wait(p->epoll, e, (int)BAWN_LEN(e), patience(p));
		if (n < 0 && errno != EINTR)
			return 1;
		for (int i = 0; i < n; i++) {
			struct bawn_ipc_msg m;
			switch ((enum tag)(e[i].data.u64 >> 32)) {
			case TAG_CORE:
				if (bawn_ipc_recv(p->s->core, p->frame, MSG_DONTWAIT, &m, NULL) != 1)
					return 0;
				bawn_ipc_msg_done(&m);
				return m.type == BAWN_EGRESS_STOP ? settle(p) : 1;
			case TAG_PORT:
				if (p->n_open < p->n_conns)
					accept_one(p);
				break;
			case TAG_DIALLER:
				if (!on_dialler(p))
					return 1;
				break;
			case TAG_CONN:
				on_conn(p, &p->conn[(uint32_t)e[i].data.u64 >> 1], e[i].data.u64 & 1 ? UPSTREAM : CLIENT, e[i].events);
				break;
			}
		}
	}
}

static bool add(struct proxy *p, int fd, enum tag tag)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u64 = (uint64_t)tag << 32 };
	return epoll_ctl(p->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

int bawn_proxy_run(const struct bawn_proxy_spec *s)
{
	struct proxy p = { .s = s, .epoll = epoll_create1(EPOLL_CLOEXEC), .frame = malloc(BAWN_IPC_MAX), .n_conns = s->limits.at_once,
		.conn = calloc(s->limits.at_once, sizeof *p.conn), .host = calloc(s->rules->n + 1, sizeof *p.host),
		.denied = calloc(DENIALS_MAX + BAWN_DENY_COUNT, sizeof *p.denied) };
	if (p.epoll < 0 || p.frame == NULL || p.conn == NULL || p.host == NULL || p.denied == NULL || !add(&p, s->core, TAG_CORE) ||
	    !add(&p, s->dialler, TAG_DIALLER))
		return 1;
	for (size_t i = 0; i < p.n_conns; i++)
		p.conn[i].fd[CLIENT] = p.conn[i].fd[UPSTREAM] = -1;
	for (size_t i = 0; i < s->rules->n; i++) {
		const struct bawn_rule *r = &s->rules->rule[i];
		bawn_auto_buf b = BAWN_BUF(BAWN_EGRESS_TEXT - 1);
		bawn_authority_put(&b, &r->host, r->port);
		snprintf(p.host[i].host, sizeof p.host[i].host, "%s", bawn_buf_error(&b) == 0 ? b.p : "?");
		p.host[i].plain = r->plain;
	}
	listen_or_not(&p);
	return p.listening ? loop(&p) : 1;  /* what it holds goes with the process */
}
