/* serve.c - lines in, lines out, executions in between; one poll loop.
 *
 * Invariants: (1) it reads on while executions run, unless the client does not take what it was sent; (2) a message
 * that is due is written at once if the client takes it, so progress arrives before the answer; (3) what is kept of
 * input is bounded by one line. */
#include "mcp/mcp.h"
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include "base/cleanup.h"
#include "mcp/calls.h"
#include "mcp/lines.h"

#define PIECE        4096          /* what a pipe or socket that polls writable takes without blocking */
#define READ_SIZE    65536
#define OUT_SLOW     (4u << 20)    /* more than this unread: no more is read from the client */
#define OUT_MAX      (512u << 20)
#define LAST_WORD_MS 2000          /* a client that is leaving gets this long to read on */

struct server {
	int in, out, signals;
	struct bawn_mcp_lines lines;
	struct bawn_buf queue;
	size_t sent;                   /* of the queue */
	bool ended;
	unsigned interrupts;
	struct bawn_mcp_session *session;
	struct bawn_mcp_calls *calls;
};

static size_t unsent(const struct server *s) { return s->queue.n - s->sent; }

/* Writes as much as goes out without waiting longer than `ms`; a client that is gone ends the session. */
static void flush_out(struct server *s, int ms)
{
	while (unsent(s) > 0) {
		struct pollfd p = { .fd = s->out, .events = POLLOUT };
		int ready = poll(&p, 1, ms);
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			return;
		ssize_t n = write(s->out, s->queue.p + s->sent, unsent(s) < PIECE ? unsent(s) : PIECE);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0) {
			s->ended = true;
			bawn_buf_reset(&s->queue);
			s->sent = 0;
			return;
		}
		s->sent += (size_t)n;
	}
	bawn_buf_reset(&s->queue);
	s->sent = 0;
}

static void send_message(void *ctx, const json_t *message)
{
	struct server *s = ctx;
	size_t before = s->queue.n;
	bool whole = bawn_json_put(&s->queue, message, NULL) == 0;
	bawn_buf_char(&s->queue, '\n');
	if (whole && bawn_buf_error(&s->queue) == 0) {
		flush_out(s, 0);
		return;
	}
	s->queue.n = before;  /* half a message is none, and nothing may follow it */
	s->ended = true;
}

static void begin(void *ctx, struct bawn_mcp_call *call_stolen) { bawn_mcp_calls_begin(((struct server *)ctx)->calls, call_stolen); }
static bool busy(void *ctx, const json_t *id) { return bawn_mcp_calls_busy(((struct server *)ctx)->calls, id); }
static void cancel(void *ctx, const json_t *id) { bawn_mcp_calls_cancel(((struct server *)ctx)->calls, id); }
static void response(void *ctx, const char *id, const json_t *result) { bawn_mcp_calls_response(((struct server *)ctx)->calls, id, result); }
static bool packages(void *ctx) { return bawn_mcp_calls_packages(((struct server *)ctx)->calls, NULL) == 0; }

static void on_line(void *ctx, struct bawn_span line, bool too_long)
{
	struct server *s = ctx;
	if (too_long)
		bawn_mcp_session_too_long(s->session);
	else
		bawn_mcp_session_line(s->session, line);
}

static void read_in(struct server *s)
{
	char piece[READ_SIZE];
	ssize_t n = read(s->in, piece, sizeof piece);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		s->ended = true;  /* a line without its end is no message */
		return;
	}
	bawn_mcp_lines_add(&s->lines, (struct bawn_span){ piece, (size_t)n }, on_line, s);
}

static void note_signals(struct server *s)
{
	struct signalfd_siginfo si;
	while (read(s->signals, &si, sizeof si) == (ssize_t)sizeof si)
		s->interrupts++;
}

enum { IN, OUT, SIGNALS, CALLS };

/* One round: waits, then sees to signals, runs, output and input, in this order. */
static int round_once(struct server *s, bool reading, struct bawn_err *err)
{
	struct pollfd p[CALLS + BAWN_MCP_CALLS_MAX] = {
		[IN] = { .fd = reading && unsent(s) < OUT_SLOW ? s->in : -1, .events = POLLIN },
		[OUT] = { .fd = s->out, .events = unsent(s) > 0 ? POLLOUT : 0 },
		[SIGNALS] = { .fd = s->signals, .events = POLLIN },
	};
	size_t n = bawn_mcp_calls_fds(s->calls, p + CALLS);
	if (!reading && unsent(s) == 0)
		p[OUT].fd = -1;
	if (poll(p, CALLS + n, bawn_mcp_calls_patience(s->calls)) < 0)
		return errno == EINTR ? 0 : bawn_fail(err, -errno, "wait for messages");
	if (p[SIGNALS].revents != 0)
		note_signals(s);
	bawn_mcp_calls_step(s->calls, p + CALLS, n);
	if ((p[OUT].revents & POLLOUT) != 0)
		flush_out(s, 0);
	if ((p[OUT].revents & (POLLERR | POLLNVAL)) != 0)
		s->ended = true;  /* nobody reads any more */
	if (p[IN].revents != 0)
		read_in(s);
	return 0;
}

static int loop(struct server *s, struct bawn_err *err)
{
	int r = 0;
	while (r == 0 && !s->ended && s->interrupts == 0)
		r = round_once(s, true, err);
	flush_out(s, LAST_WORD_MS);
	bawn_mcp_calls_cancel(s->calls, NULL);
	unsigned signals = s->interrupts;
	while (r == 0 && bawn_mcp_calls_open(s->calls) > 0 && s->interrupts == signals)  /* one more signal: give up waiting */
		r = round_once(s, false, err);
	return r;
}

static int listen_for_signals(struct server *s, struct bawn_err *err)
{
	sigset_t set;
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	(void)sigaddset(&set, SIGPIPE);  /* a write says EPIPE instead */
	if (s->signals < 0 || sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return bawn_fail(err, -errno, "listen for signals");
	return 0;
}

/* A policy that cannot be read or a state directory that cannot be had is said before the first message. */
static int try_open(const struct bawn_options *options, struct bawn_err *err)
{
	struct bawn *b;
	int r = bawn_open(options, &b, err);
	if (r == 0)
		bawn_close(b);
	return r;
}

int bawn_mcp_serve(const struct bawn_options *options, const struct bawn_mcp_gift *gift, int in, int out, struct bawn_err *err)
{
	struct server s = { .in = in, .out = out, .signals = -1, .lines = BAWN_MCP_LINES(BAWN_MCP_LINE_MAX + 1), .queue = BAWN_BUF(OUT_MAX) };
	const struct bawn_mcp_host host = { .ctx = &s, .send = send_message, .call = begin, .busy = busy, .cancel = cancel, .response = response,
		.packages = gift->packages ? packages : NULL };
	if (gift->packages && gift->environment != NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "environment", "packages are installed into an environment of their own, not into one that is there: --packages or --environment");
	int r = try_open(options, err);
	if (r == 0)
		r = listen_for_signals(&s, err);
	if (r == 0)
		r = bawn_mcp_calls_new(options, gift, &s.calls, err);
	if (r == 0)
		r = bawn_mcp_session_new(&host, &s.session, err);
	if (r == 0) {
		bawn_mcp_calls_attach(s.calls, s.session);
		r = loop(&s, err);
	}
	bawn_mcp_calls_free(s.calls);
	bawn_mcp_session_free(s.session);
	bawn_mcp_lines_done(&s.lines);
	bawn_buf_done(&s.queue);
	bawn_close_fdp(&s.signals);
	return r;
}
