#include "native/launch.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include "base/cleanup.h"
#include "base/clock.h"

typedef int handler(struct bawn_launcher *l, struct bawn_ipc_msg *m, struct bawn_err *err);
static handler on_prepare, on_probe, on_arg, on_env, on_file, on_start, on_kill, on_collect;

#define IN(state) (1u << BAWN_LAUNCH_##state)
#define ANY (IN(FRESH) | IN(READY) | IN(RUNNING) | IN(ENDED))
static const struct bawn_ipc_rule rule[] = {
	/* type              name       bytes                     fds   allowed in */
	{ BAWN_WIRE_PREPARE, "prepare", BAWN_WIRE_SPEC,           1, 1, IN(FRESH) },
	{ BAWN_WIRE_PROBE,   "probe",   BAWN_WIRE_SPEC,           0, 1, IN(FRESH) },
	{ BAWN_WIRE_ARG,     "arg",     BAWN_WIRE_STRING + 8,     0, 0, IN(READY) },
	{ BAWN_WIRE_ENV,     "env",     BAWN_WIRE_STRING + 8,     0, 0, IN(READY) },
	{ BAWN_WIRE_FILE,    "file",    BAWN_WIRE_PATH + 16,      1, 1, IN(READY) },
	{ BAWN_WIRE_START,   "start",   0,                        1, 2, IN(READY) },
	{ BAWN_WIRE_KILL,    "kill",    0,                        0, 0, ANY },
	{ BAWN_WIRE_COLLECT, "collect", 0,                        0, 0, IN(ENDED) },
};
static handler *const handle[] = { on_prepare, on_probe, on_arg, on_env, on_file, on_start, on_kill, on_collect };
_Static_assert(BAWN_LEN(handle) == BAWN_LEN(rule), "one handler per rule");

/* Tells the client why; the launcher has nothing more to do after that. */
static int refuse(struct bawn_launcher *l, const struct bawn_err *why)
{
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_ipc_put_err(&b, why);
	int r = bawn_ipc_send(l->sock, BAWN_WIRE_FAILED, &b, NULL, 0, 0, NULL);
	return r < 0 ? r : -ECANCELED;
}

/* The spec borrows its text from the message: keep the message. */
static int take_spec(struct bawn_launcher *l, struct bawn_ipc_msg *m, struct bawn_err *err)
{
	bawn_buf_add(&l->spec, m->in.p, m->in.n);
	struct bawn_ipc_in in = { l->spec.p, l->spec.n, bawn_buf_error(&l->spec) < 0 };
	bawn_wire_get_spec(&in, &l->box.spec);
	if (!bawn_ipc_in_end(&in))
		return bawn_fail(err, -EBADMSG, "read the specification");
#ifndef BAWN_TEST_WALLS
	if (l->box.spec.without != 0)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "without", "this launcher leaves no wall out");
#endif
	return 0;
}

/* The slot's uid is the run's alone: only who holds its lock may ask for that. */
static int check_lock(int slot_fd, struct bawn_err *err)
{
	if (flock(slot_fd, LOCK_EX | LOCK_NB) < 0)
		return bawn_fail_as(err, BAWN_ERROR_BUSY, "slot", "the slot's lock is not ours");
	return 0;
}

static int on_prepare(struct bawn_launcher *l, struct bawn_ipc_msg *m, struct bawn_err *err)
{
	l->box.slot_fd = bawn_ipc_take_fd(m, 0);
	int r = take_spec(l, m, err);
	if (r == 0)
		r = check_lock(l->box.slot_fd, err);
	if (r == 0)
		r = bawn_box_build(&l->box, err);
	if (r < 0)
		return refuse(l, err);
	l->state = BAWN_LAUNCH_READY;
	struct bawn_enforcement e = { .layers = l->box.layers, .missing = l->box.missing };
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_wire_put_enforcement(&b, &e);
	bawn_auto_fd port = bawn_take_fd(&l->box.port);  /* from here on it is the client's alone */
	r = bawn_ipc_send(l->sock, BAWN_WIRE_PREPARED, &b, &port, port >= 0, 0, err);
	if (r < 0)
		return r;
	r = bawn_watch_sockets(l, err);  /* while the client reads that; nothing is started without */
	return r < 0 ? refuse(l, err) : 0;
}

/* A probe needs no slot, and takes nobody's uid where none was given. */
static int on_probe(struct bawn_launcher *l, struct bawn_ipc_msg *m, struct bawn_err *err)
{
	int r = take_spec(l, m, err);
	if (r < 0)
		return refuse(l, err);
	l->box.spec.need = 0;
	l->box.spec.interpreter = "/proc/self/exe";  /* nothing is started: whether there is a python is another question */
	if (l->box.spec.uid == 0)
		l->box.spec.uid = 65534;
	struct bawn_err failure = { 0 };
	struct bawn_probe p = { 0 };
	(void)!bawn_box_build(&l->box, &failure);  /* how it failed is the answer */
	bawn_explain(&l->box, &failure, &p);
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_wire_put_probe(&b, &p);
	r = bawn_ipc_send(l->sock, BAWN_WIRE_PROBED, &b, NULL, 0, 0, err);
	return r < 0 ? r : -ECANCELED;
}

static int add_string(struct bawn_buf *to, struct bawn_ipc_msg *m, struct bawn_err *err)
{
	const char *text = bawn_ipc_get_text(&m->in, BAWN_WIRE_STRING);
	if (!bawn_ipc_in_end(&m->in))
		return bawn_fail(err, -EBADMSG, "read a string");
	bawn_buf_add(to, text, strlen(text) + 1);
	return bawn_buf_error(to) < 0 ? bawn_fail(err, bawn_buf_error(to), "keep the arguments") : 0;
}

static int on_arg(struct bawn_launcher *l, struct bawn_ipc_msg *m, struct bawn_err *err) { return add_string(&l->args, m, err); }
static int on_env(struct bawn_launcher *l, struct bawn_ipc_msg *m, struct bawn_err *err) { return add_string(&l->env, m, err); }

static int remember_input(struct bawn_launcher *l, const char *name, int fd, struct bawn_err *err)
{
	struct bawn_input_sum *more = realloc(l->input, (l->n_inputs + 1) * sizeof *more);
	if (more == NULL)
		return bawn_fail(err, -ENOMEM, "remember an input");
	l->input = more;
	uint64_t size;
	int r = bawn_sum_fd(fd, &size, l->input[l->n_inputs].sha256, err);
	if (r < 0)
		return r;
	l->input[l->n_inputs].name = strdup(name);
	if (l->input[l->n_inputs].name == NULL)
		return bawn_fail(err, -ENOMEM, "remember an input");
	l->n_inputs++;
	return 0;
}

static int on_file(struct bawn_launcher *l, struct bawn_ipc_msg *m, struct bawn_err *err)
{
	const char *name = bawn_ipc_get_text(&m->in, BAWN_WIRE_PATH);
	uint32_t mode = bawn_ipc_get_u32(&m->in);
	if (!bawn_ipc_in_end(&m->in))
		return bawn_fail(err, -EBADMSG, "read an input's name");
	int r = bawn_box_put(&l->box, name, mode, m->fd[0], err);
	if (r == 0)
		r = remember_input(l, name, m->fd[0], err);
	return r < 0 ? refuse(l, err) : 0;
}

static int on_start(struct bawn_launcher *l, struct bawn_ipc_msg *m, struct bawn_err *err)
{
	l->w.started_us = bawn_monotonic_us();
	int r = bawn_box_start(&l->box, m->fd[0], m->n_fds > 1 ? m->fd[1] : -1, &l->args, &l->env, err);
	if (r == 0)
		r = bawn_watch_start(l, err);
	if (r < 0)
		return refuse(l, err);
	l->state = BAWN_LAUNCH_RUNNING;
	return bawn_ipc_send(l->sock, BAWN_WIRE_STARTED, NULL, NULL, 0, 0, err);
}

static int on_kill(struct bawn_launcher *l, struct bawn_ipc_msg *m, struct bawn_err *err)
{
	(void)m;
	if (l->state == BAWN_LAUNCH_RUNNING)
		return bawn_watch_end(l, BAWN_END_CANCELLED, 0, 0, err);
	return l->state == BAWN_LAUNCH_ENDED ? 0 : -ECANCELED;  /* nothing runs: just go */
}

static int on_collect(struct bawn_launcher *l, struct bawn_ipc_msg *m, struct bawn_err *err)
{
	(void)m;
	int r = bawn_collect(l, err);
	return r < 0 && r != -EPIPE ? refuse(l, err) : r;
}

static int receive(struct bawn_launcher *l, struct bawn_err *err)
{
	struct bawn_ipc_msg m;
	size_t row;
	int r = bawn_ipc_recv(l->sock, l->frame, MSG_DONTWAIT, &m, err);
	if (r <= 0)
		return r;
	r = bawn_ipc_check(rule, BAWN_LEN(rule), l->state, &m, &row, err);
	if (r == 0)
		r = handle[row](l, &m, err);
	bawn_ipc_msg_done(&m);
	return r;
}

/* Ends with a negative errno: -EPIPE and -ECANCELED are the ordinary ways. */
static int loop(struct bawn_launcher *l, struct bawn_err *err)
{
	struct epoll_event first = { .events = EPOLLIN, .data.u32 = BAWN_TAG_SOCK };
	if (epoll_ctl(l->epoll, EPOLL_CTL_ADD, l->sock, &first) < 0)
		return bawn_fail(err, -errno, "watch the client");
	for (;;) {
		struct epoll_event e[8];
		int n = epoll_wait(l->epoll, e, (int)BAWN_LEN(e), -1);
		if (n < 0 && errno != EINTR)
			return bawn_fail(err, -errno, "wait");
		for (int i = 0; i < n; i++) {
			enum bawn_tag tag = (enum bawn_tag)e[i].data.u32;
			int r = tag == BAWN_TAG_SOCK && (e[i].events & ~(uint32_t)EPOLLOUT) ? receive(l, err) : 0;
			if (r >= 0)
				r = bawn_watch_event(l, tag, e[i].events, err);
			if (r < 0)
				return r;
		}
	}
}

int bawn_launch_init(struct bawn_launcher *l, int sock)
{
	*l = (struct bawn_launcher){ .sock = sock, .epoll = epoll_create1(EPOLL_CLOEXEC),
		.frame = malloc(BAWN_IPC_MAX), .chunk = malloc(BAWN_WIRE_CHUNK), .spec = BAWN_BUF(BAWN_IPC_MAX),
		.args = BAWN_BUF(4u << 20), .env = BAWN_BUF(4u << 20), .pending = BAWN_IPC_BUF, .w = { .wall = -1, .sample = -1, .calm = -1, .sockstat = -1 } };
	bawn_box_init(&l->box);
	return l->epoll < 0 || l->frame == NULL || l->chunk == NULL ? -ENOMEM : 0;
}

int bawn_launch_run(struct bawn_launcher *l)
{
	struct bawn_err err = { 0 };
	int r = loop(l, &err);
	/* A bug or a hostile peer: say so if anybody still listens. */
	if (r != -EPIPE && r != -ECANCELED)
		(void)!refuse(l, &err);
	bawn_box_done(&l->box);
	for (size_t i = 0; i < l->n_inputs; i++)
		free(l->input[i].name);
	free(l->input);
	free(l->frame);
	free(l->chunk);
	struct bawn_buf *const buf[] = { &l->spec, &l->args, &l->env, &l->pending };
	for (size_t i = 0; i < BAWN_LEN(buf); i++)
		bawn_buf_done(buf[i]);
	return r == -EPIPE || r == -ECANCELED ? 0 : 1;
}
