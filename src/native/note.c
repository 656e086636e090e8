#include "native/note.h"
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include "base/cleanup.h"

int bawn_note_send(int sock, const struct bawn_note *n, const int *fds, size_t n_fds)
{
	union { struct cmsghdr align; char raw[CMSG_SPACE(sizeof(int) * 2)]; } control = { 0 };
	struct iovec iov = { (void *)(uintptr_t)n, sizeof *n };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	if (n_fds > 0) {
		m.msg_control = control.raw;
		m.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * n_fds);
	}
	ssize_t did;
	do
		did = sendmsg(sock, &m, MSG_NOSIGNAL);
	while (did < 0 && errno == EINTR);
	return did < 0 ? -errno : 0;
}

int bawn_note_recv(int sock, int timeout_ms, struct bawn_note *out, int fds[static 2])
{
	fds[0] = fds[1] = -1;
	struct pollfd p = { .fd = sock, .events = POLLIN };
	int ready;
	do
		ready = poll(&p, 1, timeout_ms);
	while (ready < 0 && errno == EINTR);
	if (ready <= 0)
		return ready == 0 ? -ETIMEDOUT : -errno;
	union { struct cmsghdr align; char raw[CMSG_SPACE(sizeof(int) * 2)]; } control;
	struct iovec iov = { out, sizeof *out };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.raw, .msg_controllen = sizeof control };
	ssize_t n;
	do
		n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && (errno == EINTR || errno == ECONNRESET));  /* a reset comes once, before what was still said */
	if (n < 0)
		return -errno;
	if (n == 0)
		return -EPIPE;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c != NULL; c = CMSG_NXTHDR(&m, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
			memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0) <= sizeof(int) * 2 ? c->cmsg_len - CMSG_LEN(0) : 0);
	if ((m.msg_flags & MSG_CTRUNC) != 0 || (size_t)n != sizeof *out) {  /* cut: there was no room for a descriptor */
		bawn_close_fdp(&fds[0]);
		bawn_close_fdp(&fds[1]);
		return (m.msg_flags & MSG_CTRUNC) != 0 ? -EMFILE : -EBADMSG;
	}
	return 0;
}
