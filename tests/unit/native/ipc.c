/* ipc.c - frames and fields: bounded, typed, sticky; and which message may come when. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "ipc/child.h"
#include "ipc/ipc.h"
#include "../../fuzz/native/wire.h"
#include "tap.h"
#include "tmpdir.h"

static char frame[BAWN_IPC_MAX];

static void fields(void)
{
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_ipc_put_u32(&b, 7);
	bawn_ipc_put_u64(&b, UINT64_MAX - 1);
	bawn_ipc_put_text(&b, "text");
	bawn_ipc_put_bytes(&b, (struct bawn_span){ "\0x", 2 });
	struct bawn_ipc_in in = { b.p, b.n, false };
	ok(bawn_ipc_get_u32(&in) == 7 && bawn_ipc_get_u64(&in) == UINT64_MAX - 1 && strcmp(bawn_ipc_get_text(&in, 4), "text") == 0 &&
	   bawn_ipc_get_bytes(&in, 2).n == 2 && bawn_ipc_in_end(&in), "what is put is what is got");
	bool all = true;
	for (size_t n = 0; n < b.n; n++) {
		in = (struct bawn_ipc_in){ b.p, n, false };
		(void)bawn_ipc_get_u32(&in), (void)bawn_ipc_get_u64(&in), (void)bawn_ipc_get_text(&in, 4), (void)bawn_ipc_get_bytes(&in, 2);
		all = all && !bawn_ipc_in_end(&in) && bawn_ipc_get_u32(&in) == 0;
	}
	ok(all, "cut anywhere it is bad, and stays bad");
	static const struct { const char *name, *bytes; size_t n, max; } bad[] = {
		{ "a text longer than allowed", "\4\0\0\0abcd\0", 9, 3 },
		{ "a text with a NUL inside", "\3\0\0\0a\0c\0", 8, 10 },
		{ "a text without its NUL", "\2\0\0\0abc", 7, 10 },
		{ "a length past the end", "\xff\xff\xff\xff" "abc", 7, SIZE_MAX },
		{ "bytes left over", "\1\0\0\0a\0x", 7, 10 },
	};
	for (size_t i = 0; i < BAWN_LEN(bad); i++) {
		in = (struct bawn_ipc_in){ bad[i].bytes, bad[i].n, false };
		(void)bawn_ipc_get_text(&in, bad[i].max);
		ok(!bawn_ipc_in_end(&in), "%s is refused", bad[i].name);
	}
	in = (struct bawn_ipc_in){ "\5\0\0\0", 4, false };
	ok(bawn_ipc_get_below(&in, 5) == 0 && in.bad, "a number out of its range is refused");
}

static unsigned open_fds(void)
{
	unsigned n = 0;
	bawn_auto_dir d = opendir("/proc/self/fd");
	while (d != NULL && readdir(d) != NULL)
		n++;
	return n;
}

static void sockets(void)
{
	int s[2];
	(void)!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s);
	unsigned before = open_fds();
	struct bawn_ipc_msg m;
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_ipc_put_text(&b, "x");
	ok(bawn_ipc_recv(s[1], frame, MSG_DONTWAIT, &m, NULL) == 0, "nothing to receive is not an error");
	ok(bawn_ipc_send(s[0], 9, &b, (int[]){ 0, 1 }, 2, 0, NULL) == 0 && bawn_ipc_recv(s[1], frame, 0, &m, NULL) == 1 && m.type == 9 && m.n_fds == 2 &&
	   (fcntl(m.fd[0], F_GETFD) & FD_CLOEXEC) && (fcntl(m.fd[1], F_GETFD) & FD_CLOEXEC), "a message with descriptors, all close-on-exec");
	bawn_ipc_msg_done(&m);
	ok(bawn_ipc_send(s[0], 9, NULL, (int[]){ 0, 0, 0, 0, 0 }, 5, 0, NULL) == -EMSGSIZE, "too many descriptors are not sent");
	union { struct cmsghdr align; char raw[CMSG_SPACE(sizeof(int) * 6)]; } control = { 0 };
	struct iovec iov = { (char[]){ 1, 0, 0, 0 }, 4 };
	struct msghdr h = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.raw, .msg_controllen = sizeof control.raw };
	struct cmsghdr *c = CMSG_FIRSTHDR(&h);
	*c = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int) * 6) };
	memset(CMSG_DATA(c), 0, sizeof(int) * 6);
	ok(sendmsg(s[0], &h, 0) == 4 && bawn_ipc_recv(s[1], frame, 0, &m, NULL) == -EMSGSIZE && open_fds() == before, "nor received: refused, and none stays open");
	ok(send(s[0], "abc", 3, 0) == 3 && bawn_ipc_recv(s[1], frame, 0, &m, NULL) == -EBADMSG, "a frame without a type is refused");
	bawn_auto_free char *big = calloc(1, BAWN_IPC_MAX + 1);
	ok(send(s[0], big, BAWN_IPC_MAX + 1, 0) > 0 && bawn_ipc_recv(s[1], frame, 0, &m, NULL) == -EMSGSIZE, "a frame over the limit is refused, not cut");
	ok(bawn_ipc_send(s[0], 1, &(struct bawn_buf){ .error = -ENOMEM }, NULL, 0, 0, NULL) == -ENOMEM, "a payload that could not be built is not sent");
	(void)close(s[0]);
	ok(bawn_ipc_recv(s[1], frame, 0, &m, NULL) == -EPIPE && bawn_ipc_send(s[1], 1, NULL, NULL, 0, 0, NULL) == -EPIPE, "a peer that is gone is EPIPE, without a signal");
	(void)close(s[1]);
	(void)!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s);
	bool said = bawn_ipc_send(s[0], 1, NULL, NULL, 0, 0, NULL) == 0 && bawn_ipc_send(s[1], 7, NULL, NULL, 0, 0, NULL) == 0;
	(void)close(s[1]);
	ok(said && bawn_ipc_recv(s[0], frame, 0, &m, NULL) == 1 && m.type == 7 && bawn_ipc_recv(s[0], frame, 0, &m, NULL) == -EPIPE,
	   "the last words of a peer that read nothing more are heard");
	(void)close(s[0]);
}

static void rules(void)
{
	static const struct bawn_ipc_rule rule[] = { { 1, "one", 4, 0, 0, 1u << 0 }, { 2, "two", 100, 1, 2, 1u << 1 } };
	static const struct { const char *name; struct bawn_ipc_msg m; unsigned state; int want; } row[] = {
		{ "allowed", { .type = 1, .in = { "abcd", 4, false } }, 0, 0 },
		{ "in the wrong state", { .type = 1 }, 1, -EPROTO },
		{ "in a state there is not", { .type = 1 }, 32, -EPROTO },
		{ "too large", { .type = 1, .in = { "abcde", 5, false } }, 0, -EMSGSIZE },
		{ "with a descriptor too many", { .type = 1, .n_fds = 1 }, 0, -EMSGSIZE },
		{ "without its descriptor", { .type = 2 }, 1, -EMSGSIZE },
		{ "unknown", { .type = 3 }, 0, -EPROTO },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		size_t at = 99;
		int r = bawn_ipc_check(rule, BAWN_LEN(rule), row[i].state, &row[i].m, &at, NULL);
		ok(r == row[i].want && (r < 0 ? at == 99 : at == 0), "a message %s", row[i].name);
	}
}

static void corpus(const char *dir)
{
	unsigned n = 0;
	bawn_auto_dir d = opendir(dir);
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL; ) {
		bawn_auto_buf b = BAWN_IPC_BUF;
		if (e->d_name[0] == '.' || bawn_read_file(dirfd(d), e->d_name, &b, NULL) < 0)
			continue;
		for (size_t cut = 0; cut <= b.n; cut++)
			wire_one(b.p, cut);
		n++;
	}
	ok(n >= 7, "the corpus, each file cut at every byte (%u files)", n);
}

/* A hostile or broken client: the launcher ends, whatever it is sent. */
static void spec_bounds(void)
{
	struct bawn_sandbox_spec s = { .id = "x", .interpreter = "/bin/true", .launcher = "" }, t;
	const struct { const char *name; struct bawn_sandbox_spec s; } bad[] = {
		{ "a relative interpreter", { .id = "x", .interpreter = "python" } },
		{ "a language there is not", { .id = "x", .interpreter = "/p", .language = BAWN_LANG_COUNT } },
		{ "a limit that would overflow", { .id = "x", .interpreter = "/p", .limits.timeout_ms = UINT64_MAX } },
		{ "a uid that is none", { .id = "x", .interpreter = "/p", .uid = UINT32_MAX } },
	};
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_wire_put_spec(&b, &s);
	struct bawn_ipc_in in = { b.p, b.n, false };
	bawn_wire_get_spec(&in, &t);
	ok(bawn_ipc_in_end(&in), "a specification travels");
	for (size_t i = 0; i < BAWN_LEN(bad); i++) {
		bawn_auto_buf w = BAWN_IPC_BUF;
		bawn_wire_put_spec(&w, &bad[i].s);
		in = (struct bawn_ipc_in){ w.p, w.n, false };
		bawn_wire_get_spec(&in, &t);
		ok(!bawn_ipc_in_end(&in), "%s is refused", bad[i].name);
	}
}

/* Helpers that do not notice that nobody wants them any more. */
static void deaf(void)
{
	static const char text[] = "#!/bin/sh\nexec sleep 100\n";
	auto_tmpdir dir = tmpdir_make();
	char path[200];
	snprintf(path, sizeof path, "%s/deaf", dir.path);
	int fd = openat(dir.fd, "deaf", O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	ok(fd >= 0 && bawn_write_all(fd, text, strlen(text), NULL) == 0 && close(fd) == 0, "a helper that is deaf");
	for (int with = 1; with >= 0; with--) {
		struct bawn_child c = BAWN_CHILD;
		bool good = bawn_child_open(&c, path, "deaf", NULL) == 0;
		pid_t pid = c.pid;
		if (!with)
			bawn_close_fdp(&c.pidfd);
		uint64_t t = bawn_monotonic_us();
		ok(good && !bawn_child_done(&c, 200) && bawn_monotonic_us() - t < 20000000 && kill(pid, 0) < 0, "is killed when patience ends, %s a pidfd", with ? "with" : "without");
	}
	struct rlimit was, few;
	struct bawn_child c = BAWN_CHILD;
	struct bawn_err err = { 0 };
	bawn_auto_fd lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
	(void)getrlimit(RLIMIT_NOFILE, &was);
	few = (struct rlimit){ (rlim_t)lowest + 3, was.rlim_max };
	(void)setrlimit(RLIMIT_NOFILE, &few);
	int r = bawn_child_open(&c, path, "deaf", &err);
	(void)setrlimit(RLIMIT_NOFILE, &was);
	ok(r == -EMFILE && c.pid == 0 && c.sock < 0, "one that cannot be watched is none, and is gone");
}

int main(void)
{
	fields();
	sockets();
	rules();
	spec_bounds();
	corpus(CORPUS);
	deaf();
	return done_testing();
}
