/* way.c - each row is one promise of docker/way.h: one socket that listens where it should, in another network, is taken;
 * anything else is refused as network_unavailable, and either way nothing is left to be called. */
#include <dirent.h>
#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "docker/inside.h"
#include "docker/way.h"
#include "ipc/ipc.h"
#include "sandbox/sandbox.h"
#include "tap.h"
#include "tmpdir.h"

static char frame[BAWN_IPC_MAX];

/* A network namespace of our own with loopback. */
static bool enter_net(void)
{
	struct ifreq up = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	bawn_auto_fd fd = unshare(CLONE_NEWNET) == 0 ? socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
	return fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &up) == 0;
}

static int call(const char *path)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	snprintf(at.sun_path, sizeof at.sun_path, "%.107s", path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (connect(fd, (const struct sockaddr *)&at, sizeof at) == 0)
		return fd;
	int r = -errno;
	(void)close(fd);
	return r;
}

/* What is handed out. */
struct offer { const char *name; int domain, type; uint32_t address; unsigned port; bool listens, here; unsigned message; size_t payload, copies; const char *refusal; };
enum { NOBODY = 100, SILENT };  /* instead of a message: nobody calls; somebody does, and says nothing */

static int make_socket(const struct offer *o)
{
	if (o->domain == AF_UNSPEC)
		return open("/dev/null", O_RDWR | O_CLOEXEC);
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)o->port), .sin_addr.s_addr = htonl(o->address) };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons((uint16_t)o->port), .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	const struct sockaddr *to = o->domain == AF_UNIX ? (const struct sockaddr *)&un : o->domain == AF_INET6 ? (const struct sockaddr *)&six : (const struct sockaddr *)&at;
	socklen_t n = o->domain == AF_UNIX ? sizeof un.sun_family : o->domain == AF_INET6 ? sizeof six : sizeof at;
	int fd = socket(o->domain, o->type | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, to, n) < 0 || (o->listens && listen(fd, 1) < 0))
		_exit(2);
	return fd;
}

/* Plays the container; what it keeps of the socket goes with it. */
static bool play(const struct offer *o, const char *path)
{
	pid_t pid = fork();
	if (pid == 0) {
		bawn_auto_buf b = BAWN_IPC_BUF;
		if (!o->here && !enter_net())
			_exit(3);
		int fd = make_socket(o), to = o->message != NOBODY ? call(path) : -1;
		int fds[BAWN_IPC_FDS] = { fd, fd, fd, fd };
		for (size_t i = 0; i < o->payload; i++)
			bawn_buf_char(&b, 'x');
		if (o->message < NOBODY && (to < 0 || bawn_ipc_send(to, o->message, &b, fds, o->copies, 0, NULL) < 0))
			_exit(4);
		_exit(0);
	}
	int status = -1;
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static int count(int run)
{
	int n = 0;
	bawn_auto_dir d = fdopendir(openat(run, "ways", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL; )
		n += e->d_name[0] != '.';
	return d != NULL ? n : -1;
}

#define LO INADDR_LOOPBACK, BAWN_PORT
#define OUT BAWN_INSIDE_HANDS_OUT, 0, 1
static const struct offer offer[] = {
	{ "what listens at the port, elsewhere",   AF_INET,   SOCK_STREAM, LO,                         true,  false, OUT,                         NULL },
	{ "the same in our own network",           AF_INET,   SOCK_STREAM, LO,                         true,  true,  OUT,                         "own network" },
	{ "another port",                          AF_INET,   SOCK_STREAM, INADDR_LOOPBACK, 3129,      true,  false, OUT,                         "elsewhere" },
	{ "another address",                       AF_INET,   SOCK_STREAM, INADDR_ANY, BAWN_PORT,      true,  false, OUT,                         "elsewhere" },
	{ "one that is bound and does not listen", AF_INET,   SOCK_STREAM, LO,                         false, false, OUT,                         "does not listen" },
	{ "datagrams",                             AF_INET,   SOCK_DGRAM,  LO,                         false, false, OUT,                         "does not listen" },
	{ "the other family",                      AF_INET6,  SOCK_STREAM, LO,                         true,  false, OUT,                         "does not listen" },
	{ "a Unix socket",                         AF_UNIX,   SOCK_STREAM, 0, 0,                       true,  false, OUT,                         "does not listen" },
	{ "no socket",                             AF_UNSPEC, 0,           0, 0,                       false, false, OUT,                         "does not listen" },
	{ "two of them",                           AF_INET,   SOCK_STREAM, LO,                         true,  false, BAWN_INSIDE_HANDS_OUT, 0, 2, "something else" },
	{ "a message without one",                 AF_INET,   SOCK_STREAM, LO,                         true,  false, BAWN_INSIDE_HANDS_OUT, 0, 0, "something else" },
	{ "another message",                       AF_INET,   SOCK_STREAM, LO,                         true,  false, 2, 0, 1,                     "something else" },
	{ "a message with more in it",             AF_INET,   SOCK_STREAM, LO,                         true,  false, BAWN_INSIDE_HANDS_OUT, 9, 1, "something else" },
	{ "somebody who says nothing",             AF_INET,   SOCK_STREAM, LO,                         true,  false, SILENT, 0, 0,                "nothing out" },
	{ "nobody",                                AF_INET,   SOCK_STREAM, LO,                         true,  false, NOBODY, 0, 0,                "no way out" },
};

/* Whether what the container still has of the socket refuses. */
static bool is_dead(int bound)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/self/fd/%d", bound);
	return call(path) == -ECONNREFUSED;
}

static void try(const struct offer *o, int run, int slots)
{
	struct bawn_way w = BAWN_WAY_NONE;
	struct bawn_err err = { 0 };
	bawn_auto_fd port = -1, bound = -1;
	char path[sizeof w.socket];
	if (bawn_way_open(&w, slots, &err) < 0 || (bound = open(w.socket, O_PATH | O_CLOEXEC)) < 0 || count(run) != 1) {
		ok(false, "%s: a way is opened: %s", o->name, err.msg);
		return;
	}
	memcpy(path, w.socket, sizeof path);
	bool played = play(o, w.socket);
	int r = bawn_way_take(&w, frame, &port, &err);
	bool as_said = o->refusal == NULL ? r == 0 && port >= 0 && (fcntl(port, F_GETFL) & O_NONBLOCK) != 0 && (fcntl(port, F_GETFD) & FD_CLOEXEC) != 0
	                                  : r < 0 && port < 0 && err.type == BAWN_ERROR_NETWORK_UNAVAILABLE && strstr(err.msg, o->refusal) != NULL;
	ok(played && as_said && count(run) == 0 && call(path) == -ENOENT && is_dead(bound), "%s is %s, and the way is closed", o->name, o->refusal == NULL ? "taken" : "refused") ||
		(diag("played %d, %d %s, %d left", played, r, err.msg, count(run)), 0);
}

static void leave_one(int slots)
{
	struct bawn_way w = BAWN_WAY_NONE;
	pid_t pid = fork();
	if (pid == 0)
		_exit(bawn_way_open(&w, slots, NULL) < 0);
	(void)waitpid(pid, NULL, 0);
}

int main(void)
{
	if (geteuid() != 0 || !enter_net()) {
		printf("1..0 # SKIP network namespaces are made as root\n");
		return 0;
	}
	auto_tmpdir run = tmpdir_make();
	struct stat st;
	struct bawn_err err = { 0 };
	struct bawn_way w = BAWN_WAY_NONE;
	(void)mkdirat(run.fd, "slots", 0700);
	bawn_auto_fd slots = openat(run.fd, "slots", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < sizeof offer / sizeof *offer; i++)
		try(&offer[i], run.fd, slots);

	leave_one(slots);
	ok(count(run.fd) == 1, "who dies leaves a directory");
	int r = bawn_way_open(&w, slots, &err);
	bawn_way_sweep(slots);
	ok(r == 0 && count(run.fd) == 1 && stat(w.socket, &st) == 0 && S_ISSOCK(st.st_mode), "a sweep takes it, and leaves one whose maker lives");
	char dir[sizeof w.socket];
	snprintf(dir, sizeof dir, "%.*s", (int)(strrchr(w.socket, '/') - w.socket), w.socket);
	ok(stat(dir, &st) == 0 && (st.st_mode & 0777) == 0700, "nobody else may look into it");
	bawn_way_close(&w);
	bawn_way_close(&w);
	ok(count(run.fd) == 0, "closed twice it is gone");
	r = fchmodat(run.fd, "ways", 0755, 0) == 0 ? bawn_way_open(&w, slots, &err) : 0;
	ok(r < 0 && err.type == BAWN_ERROR_NETWORK_UNAVAILABLE, "a place that is open to others is not used: %s", err.msg);
	r = bawn_way_open(&w, -1, &err);
	ok(r < 0 && err.type == BAWN_ERROR_NETWORK_UNAVAILABLE, "without a run directory there is none: %s", err.msg);
	return done_testing();
}
