#include "docker/way.h"
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include "base/cleanup.h"
#include "base/ulid.h"
#include "docker/inside.h"
#include "ipc/ipc.h"
#include "sandbox/sandbox.h"

#define UNAVAILABLE(...) bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network", __VA_ARGS__)
#define SOCKET "socket"
#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71
#endif

/* --- the directory -------------------------------------------------------------------------------- */

static int open_ways(int slots, bool make)
{
	struct stat st;
	bawn_auto_fd run = openat(slots, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (run < 0 || (make && mkdirat(run, "ways", 0700) < 0 && errno != EEXIST))
		return -1;
	bawn_auto_fd ways = openat(run, "ways", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (ways < 0 || fstat(ways, &st) < 0)
		return -1;
	if (st.st_uid != geteuid() || (st.st_mode & 077) != 0) {
		errno = EPERM;
		return -1;
	}
	return bawn_take_fd(&ways);
}

static void remove_way(int ways, const char *name, int dir)
{
	(void)unlinkat(dir, SOCKET, 0);                 /* may not be there yet */
	(void)unlinkat(ways, name, AT_REMOVEDIR);       /* what stays is swept later */
}

void bawn_way_sweep(int slots)
{
	int ways = open_ways(slots, false);
	bawn_auto_dir all = ways >= 0 ? fdopendir(ways) : NULL;
	if (all == NULL) {
		bawn_close_fdp(&ways);
		return;
	}
	for (struct dirent *e; (e = readdir(all)) != NULL; ) {
		if (!bawn_ulid_valid(bawn_span(e->d_name)))
			continue;
		bawn_auto_fd dir = openat(ways, e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (dir >= 0 && flock(dir, LOCK_EX | LOCK_NB) == 0)
			remove_way(ways, e->d_name, dir);
	}
}

/* A sweep that comes between making and locking takes it for a dead run's: then another. */
static bool make_dir(struct bawn_way *w)
{
	struct stat st;
	for (int i = 0; i < 8; i++) {
		if (bawn_ulid_new(w->name, NULL) < 0 || mkdirat(w->ways, w->name, 0700) < 0)
			return false;
		w->dir = openat(w->ways, w->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (w->dir >= 0 && flock(w->dir, LOCK_EX | LOCK_NB) == 0 && fstat(w->dir, &st) == 0 && st.st_nlink > 0)
			return true;
		bawn_close_fdp(&w->dir);
		w->dir = -1;
	}
	return false;
}

/* As it is called on this host, whatever way we came. */
static bool find_path(struct bawn_way *w)
{
	char link[32];
	const size_t room = sizeof w->socket - sizeof "/" SOCKET;
	snprintf(link, sizeof link, "/proc/self/fd/%d", w->dir);
	ssize_t n = readlink(link, w->socket, room);
	if (n <= 0 || (size_t)n >= room || w->socket[0] != '/')
		return false;
	memcpy(w->socket + n, "/" SOCKET, sizeof "/" SOCKET);
	return true;
}

/* Open to all: who may come this far is the directory's to say, and a container's uid may be any on this side. */
static bool listen_at(struct bawn_way *w)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	snprintf(at.sun_path, sizeof at.sun_path, "/proc/self/fd/%d/" SOCKET, w->dir);  /* its own path may be longer than an address */
	w->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return w->listener >= 0 && bind(w->listener, (const struct sockaddr *)&at, sizeof at) == 0 &&
	       fchmodat(w->dir, SOCKET, 0666, 0) == 0 && listen(w->listener, 1) == 0;
}

int bawn_way_open(struct bawn_way *w, int slots, struct bawn_err *err)
{
	w->ways = open_ways(slots, true);
	if (w->ways < 0 || !make_dir(w) || !find_path(w) || !listen_at(w)) {
		int r = UNAVAILABLE("make a socket for the container in the run directory: %s", strerrordesc_np(errno));
		bawn_way_close(w);
		return r;
	}
	return 0;
}

void bawn_way_close(struct bawn_way *w)
{
	bawn_close_fdp(&w->listener);
	if (w->dir >= 0)
		remove_way(w->ways, w->name, w->dir);
	bawn_close_fdp(&w->dir);
	bawn_close_fdp(&w->ways);
	*w = (struct bawn_way)BAWN_WAY_NONE;
}

/* --- what is handed out --------------------------------------------------------------------------- */

static bool has(int fd, int option, int want)
{
	int is = -1;
	socklen_t n = sizeof is;
	return getsockopt(fd, SOL_SOCKET, option, &is, &n) == 0 && n == sizeof is && is == want;
}

static bool listens(int fd)
{
	return has(fd, SO_DOMAIN, AF_INET) && has(fd, SO_TYPE, SOCK_STREAM) && has(fd, SO_PROTOCOL, IPPROTO_TCP) && has(fd, SO_ACCEPTCONN, 1);
}

static bool is_at_port(int fd)
{
	struct sockaddr_in at = { 0 };
	socklen_t n = sizeof at;
	return getsockname(fd, (struct sockaddr *)&at, &n) == 0 && n == sizeof at && at.sin_family == AF_INET && at.sin_port == htons(BAWN_PORT) &&
	       at.sin_addr.s_addr == htonl(INADDR_LOOPBACK);
}

/* A kernel before 5.14 does not tell: there the init's own look at its namespace has to do. */
static bool is_elsewhere(int fd)
{
	uint64_t theirs, ours;
	socklen_t n = sizeof theirs, m = sizeof ours;
	bawn_auto_fd own = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (own < 0)
		return false;
	if (getsockopt(own, SOL_SOCKET, SO_NETNS_COOKIE, &ours, &m) < 0)
		return errno == ENOPROTOOPT;
	return getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &theirs, &n) == 0 && n == sizeof theirs && theirs != ours;
}

static int check_port(int fd, struct bawn_err *err)
{
	if (!listens(fd))
		return UNAVAILABLE("what the container hands out does not listen");
	if (!is_at_port(fd))
		return UNAVAILABLE("what the container hands out listens elsewhere");
	if (!is_elsewhere(fd))
		return UNAVAILABLE("what the container hands out listens in the caller's own network");
	return fcntl(fd, F_SETFL, O_NONBLOCK) == 0 ? 0 : UNAVAILABLE("use what the container hands out: %s", strerrordesc_np(errno));
}

static int receive(int sock, char *frame, int *out, struct bawn_err *err)
{
	struct bawn_ipc_msg m;
	if (bawn_ipc_recv(sock, frame, MSG_DONTWAIT, &m, NULL) != 1)
		return UNAVAILABLE("the container hands nothing out");
	bool one = m.type == BAWN_INSIDE_HANDS_OUT && m.in.n == 0 && m.n_fds == 1;
	*out = one ? bawn_ipc_take_fd(&m, 0) : -1;
	bawn_ipc_msg_done(&m);
	return one ? 0 : UNAVAILABLE("the container hands out something else than one socket");
}

int bawn_way_take(struct bawn_way *w, char *frame, int *out, struct bawn_err *err)
{
	bawn_auto_fd sock = w->listener >= 0 ? accept4(w->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1, port = -1;
	bawn_way_close(w);
	if (sock < 0)
		return UNAVAILABLE("the container hands out no way out");
	int r = receive(sock, frame, &port, err);
	if (r == 0)
		r = check_port(port, err);
	if (r == 0)
		*out = bawn_take_fd(&port);
	return r;
}
