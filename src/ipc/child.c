#include "ipc/child.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include "base/cleanup.h"

static int spawn(const char *path, const char *as, int theirs, pid_t *out, struct bawn_err *err)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t all, none;
	char name[32], *argv[] = { name, NULL }, *envp[] = { NULL };
	snprintf(name, sizeof name, "%s", as);
	if (posix_spawn_file_actions_init(&files) != 0)
		return bawn_fail(err, -ENOMEM, "start '%s'", as);
	if (posix_spawnattr_init(&attr) != 0) {
		(void)posix_spawn_file_actions_destroy(&files);
		return bawn_fail(err, -ENOMEM, "start '%s'", as);
	}
	(void)sigfillset(&all);
	(void)sigemptyset(&none);
	/* The socket first: its number may be one of those the next lines take. */
	int r = posix_spawn_file_actions_adddup2(&files, theirs, BAWN_CHILD_SOCKET);
	for (int fd = 0; r == 0 && fd <= 2; fd++)
		r = posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
	if (r == 0)
		r = posix_spawnattr_setsigdefault(&attr, &all);
	if (r == 0)
		r = posix_spawnattr_setsigmask(&attr, &none);
	/* Its own session: a Ctrl-C on the terminal is for the host to act upon. */
	if (r == 0)
		r = posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
	if (r == 0)
		r = posix_spawn(out, path, &files, &attr, argv, envp);
	(void)posix_spawn_file_actions_destroy(&files);
	(void)posix_spawnattr_destroy(&attr);
	if (r != 0)
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, NULL, "start '%s': %s", path, strerrordesc_np(r));
	return 0;
}

int bawn_child_open(struct bawn_child *c, const char *path, const char *name, struct bawn_err *err)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return bawn_fail(err, -errno, "start '%s'", name);
	bawn_auto_fd ours = pair[0], theirs = pair[1];
	pid_t pid;
	int r = spawn(path, name, theirs, &pid, err);
	if (r < 0)
		return r;
	/* A pidfd of -1: dead and reaped by the host already (ESRCH), the socket will tell; or a kernel without (valgrind). */
	*c = (struct bawn_child){ .sock = bawn_take_fd(&ours), .pidfd = pidfd_open(pid, 0), .pid = pid };
	if (c->pidfd >= 0 || errno == ESRCH || errno == ENOSYS)
		return 0;
	r = bawn_fail(err, -errno, "watch '%s'", name);
	(void)bawn_child_done(c, 1000);
	return r;
}

/* A child that the host forked meanwhile has the socket too: a close alone would not end the conversation. */
void bawn_child_hang_up(struct bawn_child *c)
{
	if (c->sock >= 0)
		(void)shutdown(c->sock, SHUT_RDWR);
}

/* Without a pidfd to wait with: looked for now and then.  True: it is gone. */
static bool ends_within(pid_t pid, int patience_ms)
{
	const struct timespec nap = { .tv_nsec = 5000000 };
	for (int ms = 0;; ms += 5) {
		siginfo_t info = { 0 };
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid != 0)
			return true;
		if (ms >= patience_ms)
			return false;
		(void)nanosleep(&nap, NULL);
	}
}

bool bawn_child_done(struct bawn_child *c, int patience_ms)
{
	bool by_itself = true;
	bawn_child_hang_up(c);
	bawn_close_fdp(&c->sock);
	if (c->pidfd >= 0) {
		struct pollfd p = { .fd = c->pidfd, .events = POLLIN };
		int r;
		do
			r = poll(&p, 1, patience_ms);
		while (r < 0 && errno == EINTR);
		by_itself = r > 0;
		if (r == 0)
			(void)pidfd_send_signal(c->pidfd, SIGKILL, NULL, 0);
	} else if (c->pid > 0 && !ends_within(c->pid, patience_ms)) {
		by_itself = false;
		(void)kill(c->pid, SIGKILL);  /* seen as a child of ours a moment ago */
	}
	siginfo_t info;
	while (c->pid > 0 && waitid(P_PID, (id_t)c->pid, &info, WEXITED) < 0 && errno == EINTR)
		;  /* ECHILD: the host reaped it, or ignores SIGCHLD: gone either way */
	bawn_close_fdp(&c->pidfd);
	*c = BAWN_CHILD;
	return by_itself;
}
