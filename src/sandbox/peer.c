/* peer.c - a backend as the library sees it: spawns the launcher (ipc/child.h) and speaks to it.
 *
 * Invariant: what the launcher sends is checked like any input.
 * bawn_backend.kill may come from another thread: it only sends one message. */
#include "sandbox/peer.h"
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "ipc/child.h"
#include "sandbox/wire.h"

#define PATIENCE_MS 30000  /* the launcher kills, cleans up and ends */

struct bawn_sandbox {
	struct bawn_child launcher;
	uint64_t until_us;   /* how long it may take for its end; 0: it was not asked to */
	size_t sent;         /* of what `start` has to say */
	bool  full;          /* and has no room for */
	bool  collecting;
	int   port;      /* what the sandbox's way out is listened for at, or -1 */
	bool  over;      /* OUTCOME was seen, or the launcher is gone */
	bool  outcome;   /* OUTCOME was seen: nothing inside is alive */
	uint32_t swept;  /* what the launcher said it removed of dead runs, and nobody took yet */
	char *frame;     /* BAWN_IPC_MAX bytes; events borrow from it */
	struct bawn_observed *observed;
	char *container;
};

bool bawn_peer_release(struct bawn_sandbox *s)
{
	if (s == NULL)
		return false;
	uint64_t now = bawn_monotonic_us();
	int patience = s->until_us == 0 ? PATIENCE_MS : now < s->until_us ? (int)((s->until_us - now) / 1000) : 0;
	bool clean = bawn_child_done(&s->launcher, patience) && s->outcome;
	bawn_close_fdp(&s->port);
	free(s->frame);
	bawn_observed_free(s->observed);
	free(s->container);
	free(s);
	return clean;
}

static void releasep(struct bawn_sandbox **s) { (void)bawn_peer_release(*s); }
#define auto_sandbox __attribute__((cleanup(releasep))) struct bawn_sandbox *

int bawn_peer_open(const char *path, struct bawn_sandbox **out, struct bawn_err *err)
{
	auto_sandbox s = calloc(1, sizeof *s);
	if (s == NULL)
		return bawn_fail(err, -ENOMEM, "start the launcher");
	s->launcher = BAWN_CHILD;
	s->port = -1;
	s->frame = malloc(BAWN_IPC_MAX);
	if (s->frame == NULL)
		return bawn_fail(err, -ENOMEM, "start the launcher");
	int r = bawn_child_open(&s->launcher, path, "launch", err);
	if (r < 0)
		return r;
	*out = bawn_steal(s);
	return 0;
}

/* A FAILED message becomes our error; another than was expected is one too. */
static int failure(struct bawn_ipc_msg *m, struct bawn_err *err)
{
	struct bawn_err theirs = { 0 };
	bool failed = m->type == BAWN_WIRE_FAILED;
	if (failed)
		bawn_ipc_get_err(&m->in, &theirs);
	failed = failed && bawn_ipc_in_end(&m->in);
	bawn_ipc_msg_done(m);
	if (!failed)
		return bawn_fail(err, -EPROTO, "the launcher sent message %u", m->type);
	if (err != NULL)
		*err = theirs;
	return theirs.code;
}

/* 1: `want` is there; 0: nothing is (with MSG_DONTWAIT); a FAILED message becomes our error.  Descriptors in *m are the
 * caller's. */
static int expect(struct bawn_sandbox *s, uint32_t want, int flags, struct bawn_ipc_msg *m, struct bawn_err *err)
{
	for (;;) {
		int r = bawn_ipc_recv(s->launcher.sock, s->frame, flags, m, err);
		if (r == -EPIPE)
			return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, NULL, "the launcher ended without an answer");
		if (r <= 0 || m->type == want)
			return r;
		if (m->type != BAWN_WIRE_SWEPT)
			return failure(m, err);
		s->swept += bawn_ipc_get_u32(&m->in);  /* on the way to the answer */
		bawn_ipc_msg_done(m);
	}
}

static int ask(struct bawn_sandbox *s, const struct bawn_sandbox_spec *spec, uint32_t type, struct bawn_err *err)
{
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_wire_put_spec(&b, spec);
	int r = bawn_ipc_send(s->launcher.sock, type, &b, &spec->slot_fd, spec->slot_fd >= 0, 0, err);
	return r == -EPIPE ? 0 : r;  /* gone already: expect says so in our words */
}

int bawn_peer_probe(struct bawn_sandbox *s, const struct bawn_sandbox_spec *spec, struct bawn_probe *out, struct bawn_err *err)
{
	struct bawn_ipc_msg m;
	struct bawn_probe p = { 0 };
	int r = ask(s, spec, BAWN_WIRE_PROBE, err);
	if (r == 0)
		r = expect(s, BAWN_WIRE_PROBED, 0, &m, err);
	if (r < 0)
		return r;
	bawn_wire_get_probe(&m.in, &p);
	bawn_ipc_msg_done(&m);
	if (!bawn_ipc_in_end(&m.in))
		return bawn_fail(err, -EBADMSG, "read the probe");
	*out = p;
	return 0;
}

int bawn_peer_pull(struct bawn_sandbox *s, const struct bawn_sandbox_spec *spec, bawn_pull_fn *tell, void *ctx, struct bawn_err *err)
{
	int r = ask(s, spec, BAWN_WIRE_PULL, err);
	while (r == 0) {
		struct bawn_ipc_msg m;
		r = bawn_ipc_recv(s->launcher.sock, s->frame, 0, &m, err);
		if (r == -EPIPE)
			return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, NULL, "the launcher ended without an answer");
		if (r < 0 || m.type == BAWN_WIRE_DONE)
			return r < 0 ? r : 0;
		if (m.type != BAWN_WIRE_PULLING)
			return failure(&m, err);
		uint64_t done = bawn_ipc_get_u64(&m.in), of = bawn_ipc_get_u64(&m.in);
		bawn_ipc_msg_done(&m);
		r = bawn_ipc_in_end(&m.in) ? 0 : bawn_fail(err, -EBADMSG, "read how far the image has come");
		if (r == 0)
			tell(ctx, done, of);
	}
	return r;
}

int bawn_peer_prepare(struct bawn_sandbox *s, const struct bawn_sandbox_spec *spec, struct bawn_err *err)
{
	return ask(s, spec, BAWN_WIRE_PREPARE, err);
}

int bawn_peer_ready(struct bawn_sandbox *s, struct bawn_enforcement *out, struct bawn_err *err)
{
	struct bawn_ipc_msg m;
	struct bawn_enforcement e = { 0 };
	int r = expect(s, BAWN_WIRE_PREPARED, MSG_DONTWAIT, &m, err);
	if (r <= 0)
		return r;
	bawn_wire_get_enforcement(&m.in, &e);
	s->port = bawn_ipc_take_fd(&m, 0);
	bawn_ipc_msg_done(&m);
	if (!bawn_ipc_in_end(&m.in))
		return bawn_fail(err, -EBADMSG, "read the enforcement");
	s->container = e.container[0] != '\0' ? strdup(e.container) : NULL;
	if (e.container[0] != '\0' && s->container == NULL)
		return bawn_fail(err, -ENOMEM, "read the enforcement");
	e.container = s->container;
	*out = e;
	return 1;
}

unsigned bawn_peer_take_swept(struct bawn_sandbox *s)
{
	uint32_t n = s->swept;
	s->swept = 0;
	return n;
}

static int send_string(struct bawn_sandbox *s, uint32_t type, const char *text, struct bawn_err *err)
{
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_ipc_put_text(&b, text);
	return bawn_ipc_send(s->launcher.sock, type, &b, NULL, 0, MSG_DONTWAIT, err);
}

static int send_file(struct bawn_sandbox *s, const struct bawn_sandbox_file *f, struct bawn_err *err)
{
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_ipc_put_text(&b, f->name);
	bawn_ipc_put_u32(&b, f->mode);
	return bawn_ipc_send(s->launcher.sock, BAWN_WIRE_FILE, &b, &f->fd, 1, MSG_DONTWAIT, err);
}

static size_t to_send(const struct bawn_sandbox_start *start) { return start->n_args + start->n_env + start->n_files + 1; }

/* The i-th of what there is to say: arguments, variables, files, and then the code. */
static int send_nth(struct bawn_sandbox *s, const struct bawn_sandbox_start *start, size_t i, struct bawn_err *err)
{
	int fds[2] = { start->code_fd, start->stdin_fd };
	if (i < start->n_args)
		return send_string(s, BAWN_WIRE_ARG, start->args[i], err);
	i -= start->n_args;
	if (i < start->n_env)
		return send_string(s, BAWN_WIRE_ENV, start->env[i], err);
	i -= start->n_env;
	if (i < start->n_files)
		return send_file(s, &start->file[i], err);
	return bawn_ipc_send(s->launcher.sock, BAWN_WIRE_START, NULL, fds, start->stdin_fd >= 0 ? 2 : 1, MSG_DONTWAIT, err);
}

int bawn_peer_start(struct bawn_sandbox *s, const struct bawn_sandbox_start *start, struct bawn_err *err)
{
	struct bawn_ipc_msg m;
	int r = 0;
	while (r == 0 && s->sent < to_send(start)) {
		r = send_nth(s, start, s->sent, err);
		s->sent += r == 0;
	}
	s->full = r == -EAGAIN;
	/* A launcher that refused has said why before it closed: its word counts, not our EPIPE. */
	if (r < 0 && r != -EPIPE && r != -EAGAIN)
		return r;
	r = expect(s, BAWN_WIRE_STARTED, MSG_DONTWAIT, &m, err);
	if (r <= 0)
		return r;
	bawn_ipc_msg_done(&m);
	return s->sent == to_send(start) ? 1 : bawn_fail(err, -EPROTO, "the launcher started something else");
}

bool bawn_peer_full(struct bawn_sandbox *s) { return s->full; }

int bawn_peer_take_port(struct bawn_sandbox *s) { return bawn_take_fd(&s->port); }

int bawn_peer_fd(struct bawn_sandbox *s) { return s->launcher.sock; }

/* What cannot be read was not observed: the run is none the worse for it. */
static void read_observed(struct bawn_sandbox *s, const struct bawn_ipc_msg *m)
{
	if (s->observed == NULL && m->n_fds == 1)
		(void)!bawn_observed_read(m->fd[0], &s->observed, NULL);
}

static bool decode(struct bawn_sandbox *s, struct bawn_ipc_msg *m, struct bawn_sandbox_event *e)
{
	switch (m->type) {
	case BAWN_WIRE_OUTPUT:
		e->kind = BAWN_EV_OUTPUT;
		e->stream = (int)bawn_ipc_get_below(&m->in, 3);
		e->bytes = bawn_ipc_get_bytes(&m->in, BAWN_WIRE_CHUNK);
		m->in.bad = m->in.bad || e->stream == 0;
		break;
	case BAWN_WIRE_USAGE:
		e->kind = BAWN_EV_USAGE;
		bawn_wire_get_usage(&m->in, &e->usage);
		break;
	case BAWN_WIRE_DENIAL:
		e->kind = BAWN_EV_DENIAL;
		bawn_wire_get_denial(&m->in, &e->denial);
		break;
	case BAWN_WIRE_OBSERVED:
		e->kind = BAWN_EV_OBSERVED;
		read_observed(s, m);
		e->observed = s->observed;
		break;
	case BAWN_WIRE_OUTCOME:
		e->kind = BAWN_EV_OUTCOME;
		bawn_wire_get_outcome(&m->in, e);
		break;
	default:
		return false;
	}
	return bawn_ipc_in_end(&m->in);
}

int bawn_peer_next_event(struct bawn_sandbox *s, struct bawn_sandbox_event *out, struct bawn_err *err)
{
	struct bawn_ipc_msg m;
	struct bawn_sandbox_event e = { 0 };
	int r = bawn_ipc_recv(s->launcher.sock, s->frame, MSG_DONTWAIT, &m, err);
	if (r == 0)
		return 0;
	if (r < 0) {
		s->over = true;
		return bawn_wrap(err, r, "the launcher is gone");
	}
	if (m.type == BAWN_WIRE_FAILED) {  /* the walls cannot say how the run ended */
		s->over = true;
		return failure(&m, err);
	}
	bool good = decode(s, &m, &e);
	bawn_ipc_msg_done(&m);
	if (!good) {
		s->over = true;
		return bawn_fail(err, -EPROTO, "the launcher sent message %u", m.type);
	}
	s->outcome = s->outcome || e.kind == BAWN_EV_OUTCOME;
	s->over = s->over || s->outcome;
	*out = e;
	return 1;
}

int bawn_peer_kill(struct bawn_sandbox *s)
{
	return bawn_ipc_send(s->launcher.sock, BAWN_WIRE_KILL, NULL, NULL, 0, MSG_DONTWAIT, NULL);
}

static int take_found(struct bawn_ipc_msg *m, const struct bawn_collector *c, struct bawn_err *err)
{
	struct bawn_collected f = { .fd = -1 };
	f.path = bawn_ipc_get_text(&m->in, 2 * BAWN_WIRE_PATH);
	f.size = bawn_ipc_get_u64(&m->in);
	struct bawn_span sum = bawn_ipc_get_bytes(&m->in, BAWN_SHA256_LEN);
	if (!bawn_ipc_in_end(&m->in) || sum.n != BAWN_SHA256_LEN || m->n_fds != 1)
		return bawn_fail(err, -EBADMSG, "read a file's name");
	bawn_hex((const uint8_t *)sum.p, sum.n, f.sha256);
	f.fd = bawn_ipc_take_fd(m, 0);
	return c->file(c->ctx, &f, err);
}

static int take_skipped(struct bawn_ipc_msg *m, const struct bawn_collector *c, struct bawn_err *err)
{
	const char *path = bawn_ipc_get_text(&m->in, BAWN_WIRE_STRING), *why = bawn_ipc_get_text(&m->in, 256);
	if (!bawn_ipc_in_end(&m->in))
		return bawn_fail(err, -EBADMSG, "read a skipped file's name");
	return c->skipped(c->ctx, path, why, err);
}

static int collect_some(struct bawn_sandbox *s, const struct bawn_collector *c, struct bawn_err *err)
{
	int r = s->collecting ? 0 : bawn_ipc_send(s->launcher.sock, BAWN_WIRE_COLLECT, NULL, NULL, 0, MSG_DONTWAIT, err);
	s->collecting = true;
	while (r == 0) {
		struct bawn_ipc_msg m;
		r = bawn_ipc_recv(s->launcher.sock, s->frame, MSG_DONTWAIT, &m, err);
		if (r <= 0)
			return r;
		if (m.type == BAWN_WIRE_FAILED)
			return failure(&m, err);
		uint32_t type = m.type;
		r = type == BAWN_WIRE_FOUND ? take_found(&m, c, err) : type == BAWN_WIRE_SKIPPED ? take_skipped(&m, c, err) : 0;
		bawn_ipc_msg_done(&m);
		if (type == BAWN_WIRE_DONE) {
			bawn_child_hang_up(&s->launcher);  /* it ends while we go on */
			return 1;
		}
		if (r == 0 && type != BAWN_WIRE_FOUND && type != BAWN_WIRE_SKIPPED)
			r = bawn_fail(err, -EPROTO, "the launcher sent message %u", type);
	}
	return r;
}

int bawn_peer_collect(struct bawn_sandbox *s, const struct bawn_collector *c, struct bawn_err *err)
{
	int r = collect_some(s, c, err);
	return r < 0 ? bawn_wrap(err, r, "collect the files") : r;
}

int bawn_peer_end(struct bawn_sandbox *s, int patience_ms)
{
	if (s->until_us == 0)
		s->until_us = bawn_monotonic_us() + (uint64_t)patience_ms * 1000;
	bawn_child_hang_up(&s->launcher);
	return s->launcher.pidfd;
}
