#include "ipc/ipc.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include "base/cleanup.h"

void bawn_ipc_put_u32(struct bawn_buf *b, uint32_t v)
{
	unsigned char raw[4];
	for (int i = 0; i < 4; i++)
		raw[i] = (unsigned char)(v >> (8 * i));
	bawn_buf_add(b, raw, sizeof raw);
}

void bawn_ipc_put_u64(struct bawn_buf *b, uint64_t v)
{
	bawn_ipc_put_u32(b, (uint32_t)v);
	bawn_ipc_put_u32(b, (uint32_t)(v >> 32));
}

void bawn_ipc_put_bytes(struct bawn_buf *b, struct bawn_span bytes)
{
	if (bytes.n > BAWN_IPC_MAX) {
		b->error = -EMSGSIZE;
		return;
	}
	bawn_ipc_put_u32(b, (uint32_t)bytes.n);
	bawn_buf_add(b, bytes.p, bytes.n);
}

void bawn_ipc_put_text(struct bawn_buf *b, const char *text)
{
	bawn_ipc_put_bytes(b, bawn_span(text));
	bawn_buf_add(b, "", 1);
}

void bawn_ipc_put_err(struct bawn_buf *b, const struct bawn_err *e)
{
	bawn_ipc_put_u32(b, e->code < 0 ? (uint32_t)-e->code : EIO);  /* a failure never reads as success */
	bawn_ipc_put_u32(b, (uint32_t)e->type);
	bawn_ipc_put_text(b, e->field);
	bawn_ipc_put_text(b, e->msg);
}

/* The next n bytes, or NULL and bad for good. */
static const char *pull(struct bawn_ipc_in *in, size_t n)
{
	if (in->bad || in->n < n) {
		in->bad = true;
		return NULL;
	}
	const char *at = in->p;
	in->p += n;
	in->n -= n;
	return at;
}

uint32_t bawn_ipc_get_u32(struct bawn_ipc_in *in)
{
	const char *at = pull(in, 4);
	uint32_t v = 0;
	for (int i = 0; at != NULL && i < 4; i++)
		v |= (uint32_t)(unsigned char)at[i] << (8 * i);
	return v;
}

uint64_t bawn_ipc_get_u64(struct bawn_ipc_in *in)
{
	uint64_t low = bawn_ipc_get_u32(in);
	uint64_t high = bawn_ipc_get_u32(in);
	return in->bad ? 0 : low | high << 32;
}

uint32_t bawn_ipc_get_below(struct bawn_ipc_in *in, uint32_t limit)
{
	uint32_t v = bawn_ipc_get_u32(in);
	if (v < limit)
		return v;
	in->bad = true;
	return 0;
}

struct bawn_span bawn_ipc_get_bytes(struct bawn_ipc_in *in, size_t max)
{
	size_t n = bawn_ipc_get_u32(in);
	if (n > max)
		in->bad = true;
	const char *at = pull(in, n);
	return at != NULL ? (struct bawn_span){ at, n } : (struct bawn_span){ "", 0 };
}

const char *bawn_ipc_get_text(struct bawn_ipc_in *in, size_t max)
{
	struct bawn_span s = bawn_ipc_get_bytes(in, max);
	const char *nul = pull(in, 1);
	if (nul != NULL && *nul == '\0' && memchr(s.p, '\0', s.n) == NULL)
		return s.p;
	in->bad = true;
	return "";
}

void bawn_ipc_copy_text(struct bawn_ipc_in *in, char *out, size_t size)
{
	snprintf(out, size, "%s", bawn_ipc_get_text(in, size - 1));
}

void bawn_ipc_get_err(struct bawn_ipc_in *in, struct bawn_err *out)
{
	uint32_t code = bawn_ipc_get_below(in, 4096);
	in->bad = in->bad || code == 0;
	out->code = code == 0 ? -EIO : -(int)code;
	out->type = (enum bawn_error)bawn_ipc_get_below(in, BAWN_ERROR_COUNT);
	bawn_ipc_copy_text(in, out->field, sizeof out->field);
	bawn_ipc_copy_text(in, out->msg, sizeof out->msg);
}

bool bawn_ipc_in_end(const struct bawn_ipc_in *in) { return !in->bad && in->n == 0; }

int bawn_ipc_send(int sock, uint32_t type, const struct bawn_buf *payload, const int *fds, size_t n_fds,
                  int flags, struct bawn_err *err)
{
	if (payload != NULL && bawn_buf_error(payload) < 0)
		return bawn_fail(err, bawn_buf_error(payload), "build message %u", type);
	if (n_fds > BAWN_IPC_FDS || (payload != NULL && payload->n > BAWN_IPC_MAX - 4))
		return bawn_fail(err, -EMSGSIZE, "send message %u", type);
	unsigned char head[4];
	for (int i = 0; i < 4; i++)
		head[i] = (unsigned char)(type >> (8 * i));
	struct iovec iov[2] = { { head, sizeof head },
		{ payload != NULL ? payload->p : NULL, payload != NULL ? payload->n : 0 } };
	union { struct cmsghdr align; char raw[CMSG_SPACE(sizeof(int) * BAWN_IPC_FDS)]; } control;
	struct msghdr m = { .msg_iov = iov, .msg_iovlen = iov[1].iov_len > 0 ? 2 : 1 };
	if (n_fds > 0) {
		memset(&control, 0, sizeof control);
		m.msg_control = control.raw;
		m.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * n_fds);
	}
	for (;;) {
		ssize_t n = sendmsg(sock, &m, flags | MSG_NOSIGNAL);
		if (n >= 0)
			return 0;
		if (errno != EINTR)
			return bawn_fail(err, errno == ECONNRESET ? -EPIPE : -errno, "send message %u", type);
	}
}

int bawn_ipc_parse(const char *frame, size_t n, struct bawn_ipc_msg *out, struct bawn_err *err)
{
	struct bawn_ipc_in in = { frame, n, false };
	uint32_t type = bawn_ipc_get_u32(&in);
	if (in.bad)
		return bawn_fail(err, -EBADMSG, "a message without a type");
	out->type = type;
	out->in = in;
	return 0;
}

/* Puts the descriptors that came along into *out; more than it can hold are closed and refused. */
static int take_rights(struct msghdr *m, struct bawn_ipc_msg *out)
{
	int r = 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c != NULL; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;
			memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
			if (out->n_fds < BAWN_IPC_FDS) {
				out->fd[out->n_fds++] = fd;
			} else {
				bawn_close_fdp(&fd);
				r = -EMSGSIZE;
			}
		}
	}
	return r;
}

int bawn_ipc_recv(int sock, char *buf, int flags, struct bawn_ipc_msg *out, struct bawn_err *err)
{
	union { struct cmsghdr align; char raw[CMSG_SPACE(sizeof(int) * BAWN_IPC_FDS)]; } control;
	struct iovec iov = { buf, BAWN_IPC_MAX };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.raw, .msg_controllen = sizeof control };
	ssize_t n;
	bool reset = false;
	for (;;) {
		n = recvmsg(sock, &m, flags | MSG_CMSG_CLOEXEC);
		/* A peer that closed with our messages unread leaves this mark, once, in front of what it
		 * said before: look again, its last words are still there. */
		bool again = n < 0 && (errno == EINTR || (errno == ECONNRESET && !reset));
		reset = reset || (n < 0 && errno == ECONNRESET);
		if (!again)
			break;
	}
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n < 0)
		return bawn_fail(err, errno == ECONNRESET ? -EPIPE : -errno, "receive a message");
	if (n == 0)
		return bawn_fail(err, -EPIPE, "receive a message");
	struct bawn_ipc_msg got = { .fd = { -1, -1, -1, -1 } };
	int r = take_rights(&m, &got);
	if (m.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		r = -EMSGSIZE;
	if (r == 0)
		r = bawn_ipc_parse(buf, (size_t)n, &got, err);
	if (r < 0) {
		bawn_ipc_msg_done(&got);
		return bawn_fail(err, r, "receive a message");
	}
	*out = got;
	return 1;
}

void bawn_ipc_msg_done(struct bawn_ipc_msg *m)
{
	for (size_t i = 0; i < m->n_fds; i++)
		bawn_close_fdp(&m->fd[i]);
	m->n_fds = 0;
}

int bawn_ipc_take_fd(struct bawn_ipc_msg *m, size_t i)
{
	return i < m->n_fds ? bawn_take_fd(&m->fd[i]) : -1;
}

int bawn_ipc_check(const struct bawn_ipc_rule *rule, size_t n, unsigned state, const struct bawn_ipc_msg *m,
                   size_t *out_row, struct bawn_err *err)
{
	for (size_t i = 0; i < n; i++) {
		if (rule[i].type != m->type)
			continue;
		if (state >= 32 || (rule[i].states & 1u << state) == 0)
			return bawn_fail(err, -EPROTO, "message '%s' in state %u", rule[i].name, state);
		if (m->in.n > rule[i].max || m->n_fds < rule[i].min_fds || m->n_fds > rule[i].max_fds)
			return bawn_fail(err, -EMSGSIZE, "message '%s' of %zu bytes with %zu descriptors",
			                 rule[i].name, m->in.n, m->n_fds);
		*out_row = i;
		return 0;
	}
	return bawn_fail(err, -EPROTO, "unknown message %u", m->type);
}
