#include "egress/egress.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include "base/cleanup.h"

#define PATIENCE_MS 10000  /* for an answer that takes milliseconds */
#define ROWS_MAX    512u   /* of an account */
#define CPU_MORE_S  10     /* beyond the run's own time: it starts before and settles after */

struct bawn_egress { struct bawn_child child; char *frame; };

static int lost(struct bawn_err *err, const char *what)
{
	return bawn_fail_as(err, BAWN_ERROR_NETWORK_LOST, "network", "%s", what);
}

int bawn_egress_open(const char *program, struct bawn_egress **out, struct bawn_err *err)
{
	struct bawn_egress *e = calloc(1, sizeof *e);
	if (e == NULL || (e->frame = malloc(BAWN_IPC_MAX)) == NULL) {
		free(e);
		return bawn_fail(err, -ENOMEM, "start the proxy");
	}
	e->child = BAWN_CHILD;
	struct bawn_err why = { 0 };
	if (bawn_child_open(&e->child, program, "egress", &why) < 0) {
		bawn_egress_free(e);
		return bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network", "%s", why.msg);
	}
	*out = e;
	return 0;
}

/* The next message, within our patience. */
static int receive(struct bawn_egress *e, struct bawn_ipc_msg *m, struct bawn_err *err)
{
	struct pollfd p = { .fd = e->child.sock, .events = POLLIN };
	int r;
	do
		r = poll(&p, 1, PATIENCE_MS);
	while (r < 0 && errno == EINTR);
	if (r <= 0)
		return bawn_fail(err, -ETIMEDOUT, "wait for the proxy");
	r = bawn_ipc_recv(e->child.sock, e->frame, MSG_DONTWAIT, m, err);
	return r == 0 ? bawn_fail(err, -EAGAIN, "wait for the proxy") : r < 0 ? r : 0;
}

static int send_rows(struct bawn_egress *e, uint32_t type, const char *const *row, size_t n, struct bawn_err *err)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < n; i++) {
		bawn_auto_buf b = BAWN_IPC_BUF;
		bawn_ipc_put_text(&b, row[i]);
		r = bawn_ipc_send(e->child.sock, type, &b, NULL, 0, 0, err);
	}
	return r;
}

static int answered(struct bawn_egress *e, struct bawn_err *err)
{
	struct bawn_ipc_msg m;
	struct bawn_err theirs = { 0 };
	int r = receive(e, &m, &theirs);
	if (r == 0 && m.type == BAWN_EGRESS_FAILED)
		bawn_ipc_get_err(&m.in, &theirs);
	bool ready = r == 0 && m.type == BAWN_EGRESS_READY;
	if (r == 0)
		bawn_ipc_msg_done(&m);
	if (ready)
		return 0;
	return bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, theirs.field[0] != '\0' ? theirs.field : "network", "the proxy is not ready: %s",
	                    theirs.msg[0] != '\0' ? theirs.msg : "it gave no reason");
}

int bawn_egress_ready(struct bawn_egress *e, const struct bawn_egress_spec *s, int port_taken, struct bawn_err *err)
{
	bawn_auto_fd port = port_taken;
	bawn_auto_buf b = BAWN_IPC_BUF;
	struct bawn_egress_start start = { .limits = s->limits, .credential = s->credential, .uid = s->uid, .cpu_s = s->run_ms / 1000 + CPU_MORE_S };
	if (port < 0)
		return bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network", "the sandbox has no port that leads out");
	bawn_egress_put_start(&b, &start);
	int r = send_rows(e, BAWN_EGRESS_RULE, s->rule, s->n_rules, err);
	if (r == 0)
		r = send_rows(e, BAWN_EGRESS_PRIVATE, s->private_, s->n_private, err);
	if (r == 0)
		r = bawn_ipc_send(e->child.sock, BAWN_EGRESS_START, &b, &port, 1, 0, err);
	/* One that refused has said why before it closed: its word counts, not our EPIPE. */
	return r == 0 || r == -EPIPE ? answered(e, err) : r;
}

int bawn_egress_fd(const struct bawn_egress *e) { return e->child.sock; }

int bawn_egress_look(struct bawn_egress *e, struct bawn_err *err)
{
	struct pollfd p = { .fd = e->child.sock, .events = POLLIN };
	int r;
	do
		r = poll(&p, 1, 0);
	while (r < 0 && errno == EINTR);  /* a signal of the host's says nothing about the proxy */
	/* It speaks when it is asked: whatever comes by itself is its end. */
	return r == 0 ? 0 : lost(err, "the proxy ended in the middle of the run; the run was ended, too");
}

static int take_host(struct bawn_egress_account *a, struct bawn_ipc_msg *m)
{
	struct bawn_egress_host *more = a->n_hosts < ROWS_MAX ? realloc(a->host, (a->n_hosts + 1) * sizeof *more) : NULL;
	if (more == NULL)
		return -ENOMEM;
	a->host = more;
	bawn_egress_get_host(&m->in, &a->host[a->n_hosts++]);
	return bawn_ipc_in_end(&m->in) ? 0 : -EBADMSG;
}

static int take_denied(struct bawn_egress_account *a, struct bawn_ipc_msg *m)
{
	struct bawn_egress_denied *more = a->n_denied < ROWS_MAX ? realloc(a->denied, (a->n_denied + 1) * sizeof *more) : NULL;
	if (more == NULL)
		return -ENOMEM;
	a->denied = more;
	bawn_egress_get_denied(&m->in, &a->denied[a->n_denied++]);
	return bawn_ipc_in_end(&m->in) ? 0 : -EBADMSG;
}

int bawn_egress_stop(struct bawn_egress *e, struct bawn_egress_account *out, struct bawn_err *err)
{
	struct bawn_egress_account a = { 0 };
	int r = bawn_ipc_send(e->child.sock, BAWN_EGRESS_STOP, NULL, NULL, 0, 0, NULL);
	for (bool done = false; r == 0 && !done; ) {
		struct bawn_ipc_msg m;
		r = receive(e, &m, NULL);
		if (r < 0)
			break;
		done = m.type == BAWN_EGRESS_DONE;
		r = done ? 0 : m.type == BAWN_EGRESS_HOST ? take_host(&a, &m) : m.type == BAWN_EGRESS_DENIED ? take_denied(&a, &m) : -EPROTO;
		bawn_ipc_msg_done(&m);
	}
	bawn_child_hang_up(&e->child);
	if (r < 0) {
		bawn_egress_account_done(&a);
		return lost(err, "the proxy gave no account of what the run did");
	}
	*out = a;
	return 0;
}

void bawn_egress_account_done(struct bawn_egress_account *a)
{
	free(a->host);
	free(a->denied);
	*a = (struct bawn_egress_account){ 0 };
}

void bawn_egress_free(struct bawn_egress *e)
{
	if (e == NULL)
		return;
	(void)bawn_child_done(&e->child, 5000);
	free(e->frame);
	free(e);
}
