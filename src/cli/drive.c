/* drive.c - one execution from start to result: its output passed on, the signals heeded.
 *
 *	first SIGINT, SIGTERM or SIGHUP, or a stdout nobody reads: cancel, then wait for the record
 *	second signal: give up waiting
 *
 * Invariants: (1) signals are blocked and read from a signalfd, so none is lost between a look and
 * a wait; (2) writing never waits longer than the next signal; (3) what is kept is bounded. */
#include "cli/cli.h"
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "core/api.h"

#define TAIL_MAX (16u << 10)
#define PIECE    4096        /* what a pipe that polls writable takes without blocking */

int bawn_cli_drive_init(struct bawn_cli_drive *d, bool live, struct bawn_err *err)
{
	sigset_t set;
	*d = (struct bawn_cli_drive){ .live = live, .signals = -1, .asker.tty = -1 };
	d->tail.max = 2 * TAIL_MAX;
	for (int i = 1; i <= 2; i++)
		d->terminal[i] = isatty(i) == 1;
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGHUP);
	d->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	(void)sigaddset(&set, SIGPIPE);  /* a write says EPIPE instead */
	if (d->signals < 0 || sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return bawn_fail(err, -errno, "listen for signals");
	d->asker.signals = d->signals;
	return 0;
}

void bawn_cli_drive_done(struct bawn_cli_drive *d)
{
	bawn_buf_done(&d->tail);
	bawn_close_fdp(&d->signals);
	bawn_close_fdp(&d->asker.tty);
}

static void note_signals(struct bawn_cli_drive *d)
{
	struct signalfd_siginfo si;
	while (read(d->signals, &si, sizeof si) == (ssize_t)sizeof si)
		d->interrupts++;
}

/* Waits until `fd` takes bytes; false: after an interrupt, output that cannot go out is dropped. */
static bool writable(struct bawn_cli_drive *d, int fd)
{
	for (;;) {
		struct pollfd p[] = { { .fd = fd, .events = POLLOUT }, { .fd = d->signals, .events = POLLIN } };
		if (poll(p, 2, d->interrupts > 0 ? 0 : -1) < 0 && errno != EINTR)
			return false;
		if (p[1].revents != 0)
			note_signals(d);
		if (p[0].revents != 0)
			return true;
		if (d->interrupts > 0)
			return false;
	}
}

static void put(struct bawn_cli_drive *d, int fd, struct bawn_span s)
{
	while (s.n > 0 && writable(d, fd)) {
		ssize_t n = write(fd, s.p, s.n < PIECE ? s.n : PIECE);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0) {
			d->broken |= fd == STDOUT_FILENO;
			if (errno != EPIPE && d->interrupts == 0)
				d->lost[fd] = errno;  /* a full disk, say: nobody chose that */
			return;
		}
		s = (struct bawn_span){ s.p + n, s.n - (size_t)n };
	}
}

static void pass_on(struct bawn_cli_drive *d, int stream, struct bawn_span s)
{
	if (stream == STDOUT_FILENO && d->broken)
		return;
	if (!d->terminal[stream]) {
		put(d, stream, s);
		return;
	}
	bawn_auto_buf safe = BAWN_BUF(8 * (s.n + sizeof d->filter->held));
	bawn_cli_filter_add(&d->filter[stream], s, &safe);
	if (bawn_buf_error(&safe) < 0 || safe.n == 0)
		return;
	put(d, stream, bawn_buf_span(&safe));
	d->open_line = safe.p[safe.n - 1] != '\n';
}

static void keep_end(struct bawn_cli_drive *d, struct bawn_span s)
{
	if (s.n > TAIL_MAX)
		s = (struct bawn_span){ s.p + (s.n - TAIL_MAX), TAIL_MAX };
	if (d->tail.n + s.n >= d->tail.max) {
		size_t n = d->tail.n < TAIL_MAX / 2 ? d->tail.n : TAIL_MAX / 2;
		memmove(d->tail.p, d->tail.p + d->tail.n - n, n);
		d->tail.n = n;
	}
	bawn_buf_add(&d->tail, s.p, s.n);
}

static void on_event(void *ctx, const struct bawn_event *e)
{
	struct bawn_cli_drive *d = ctx;
	struct bawn_span s = { e->data, e->data_size };
	d->samples += e->kind == BAWN_EVENT_USAGE;
	if (d->tells && e->kind == BAWN_EVENT_STATE && strcmp(e->text, "installing") == 0)
		bawn_cli_say("installing packages, in a sandbox of their own");
	if (e->kind != BAWN_EVENT_OUTPUT || (e->stream != 1 && e->stream != 2))
		return;
	if (e->stream == STDERR_FILENO)
		keep_end(d, s);
	if (d->live)
		pass_on(d, e->stream, s);
}

static int on_question(void *ctx, const struct bawn_question *q, struct bawn_answer *out)
{
	struct bawn_cli_drive *d = ctx;
	int r = bawn_cli_confirm(&d->asker, q, d->reason, out);
	d->interrupts += d->asker.interrupted;
	return d->asker.interrupted ? -ECANCELED : r;
}

static int step(struct bawn_cli_drive *d, struct bawn_exec *e, struct bawn_err *err)
{
	bool cancelled = false;
	for (;;) {
		if (!cancelled && (d->interrupts > 0 || d->broken)) {
			(void)bawn_cancel(e);  /* an execution already over stays over */
			cancelled = true;
		}
		if (d->interrupts > 1)
			return bawn_fail_as(err, BAWN_ERROR_CANCELLED, NULL, "interrupted twice: the result was not waited for");
		int r = bawn_exec_step(e, err);
		if (r != 0)
			return r < 0 ? r : 0;
		struct pollfd p[] = { { .fd = bawn_exec_fd(e), .events = POLLIN }, { .fd = d->signals, .events = POLLIN } };
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return bawn_fail(err, -errno, "wait for the execution");
		if (p[1].revents != 0)
			note_signals(d);
	}
}

static void end_lines(struct bawn_cli_drive *d)
{
	for (int i = 1; i <= 2; i++) {
		bawn_auto_buf rest = BAWN_BUF(256);
		d->open_line |= d->filter[i].n > 0;
		bawn_cli_filter_end(&d->filter[i], &rest);
		put(d, i, bawn_buf_span(&rest));
	}
	if (d->open_line && d->terminal[STDERR_FILENO])
		put(d, STDERR_FILENO, bawn_span("\n"));
	d->open_line = false;
}

static void free_exec(struct bawn_exec **e) { bawn_exec_free(*e); }

int bawn_cli_drive(struct bawn_cli_drive *d, struct bawn *b, struct bawn_request *req, json_t **out, struct bawn_err *err)
{
	__attribute__((cleanup(free_exec))) struct bawn_exec *e = NULL;
	bawn_auto_json doc = NULL;
	req->ctx = d;
	req->on_event = on_event;
	req->stream = d->live;
	req->confirm = d->asker.tty >= 0 ? on_question : NULL;
	int r = bawn_start(b, req, &e, err);
	if (r == 0 && d->result_path != NULL)
		bawn_exec_result_at(e, d->result_path);
	if (r == 0)
		r = step(d, e, err);
	if (r == 0)
		r = bawn_exec_document(e, &doc, err);
	if (d->interrupts > 1 && doc == NULL) {
		e = NULL;  /* ending it could take long: the launcher ends the run when we are gone */
		d->abandoned = true;
	}
	if (d->live)
		end_lines(d);
	if (r < 0)
		return r;
	*out = bawn_steal(doc);
	return 0;
}

int bawn_cli_drive_wait(struct bawn_cli_drive *d, int inotify, int ms)
{
	struct pollfd p[] = { { .fd = d->signals, .events = POLLIN }, { .fd = inotify, .events = POLLIN } };
	if (poll(p, inotify >= 0 ? 2 : 1, ms) < 0 && errno != EINTR)
		return -errno;
	if (p[0].revents != 0)
		note_signals(d);
	return d->interrupts > 0;
}
