#include "egress/dial.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <resolv.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"

#define ASK     1
#define ANSWER  2

struct dialler { int sock; const struct bawn_rules *rules; const struct bawn_networks *except; struct bawn_net_limits limits; unsigned children; };

static void answer(int sock, const struct bawn_dialled *d)
{
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_ipc_put_u32(&b, d->ticket);
	bawn_ipc_put_u32(&b, (uint32_t)d->how);
	bawn_ipc_put_text(&b, d->detail);
	(void)!bawn_ipc_send(sock, ANSWER, &b, &d->fd, d->fd >= 0, 0, NULL);  /* a proxy that is gone needs none */
}

/* --- one child: one name ---------------------------------------------------------------------- */

static void say(struct bawn_dialled *d, enum bawn_dial how, const char *what, const char *more)
{
	d->how = how;
	snprintf(d->detail, sizeof d->detail, "%.60s%s%.80s", what, more[0] != '\0' ? ": " : "", more);
}

/* False, and *d says why, where one of them may not be dialled. */
static bool all_allowed(const struct addrinfo *list, const struct bawn_networks *except, struct bawn_dialled *d)
{
	for (const struct addrinfo *a = list; a != NULL; a = a->ai_next) {
		const char *what = bawn_address_refused(a->ai_addr, except);
		char text[INET6_ADDRSTRLEN] = "?";
		if (what == NULL)
			continue;
		(void)getnameinfo(a->ai_addr, a->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST);
		say(d, BAWN_DIAL_PRIVATE, text, what);
		return false;
	}
	return true;
}

static int connect_to(const struct addrinfo *a, uint64_t until_us)
{
	bawn_auto_fd fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
	int failed = 0, on = 1;
	socklen_t size = sizeof failed;
	if (fd < 0)
		return -errno;
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  /* for speed only */
	if (connect(fd, a->ai_addr, a->ai_addrlen) < 0 && errno != EINPROGRESS)
		return -errno;
	uint64_t now = bawn_monotonic_us();
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	if (poll(&p, 1, now < until_us ? (int)((until_us - now) / 1000) + 1 : 0) <= 0)
		return -ETIMEDOUT;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &size) < 0 || failed != 0)
		return failed != 0 ? -failed : -errno;
	return bawn_take_fd(&fd);
}

/* Each address gets an equal share of the time that is left. */
static int connect_any(const struct addrinfo *list, uint64_t until_us)
{
	int fd = -EHOSTUNREACH;
	unsigned left = 0;
	for (const struct addrinfo *a = list; a != NULL; a = a->ai_next)
		left++;
	for (const struct addrinfo *a = list; a != NULL && fd < 0; a = a->ai_next, left--) {
		uint64_t now = bawn_monotonic_us();
		fd = connect_to(a, now < until_us ? now + (until_us - now) / left : now);
	}
	return fd;
}

static void dial(const struct dialler *w, const struct bawn_rule *rule, struct bawn_dialled *d)
{
	uint64_t until = bawn_monotonic_us() + w->limits.connect_ms * 1000;
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV | (rule->host.kind == BAWN_HOST_NAME ? 0 : AI_NUMERICHOST) };
	struct addrinfo *list = NULL;
	char port[8];
	snprintf(port, sizeof port, "%u", rule->port);
	/* The name as it is, not with the host's own domains behind it. */
	if (res_init() == 0)
		_res.options &= ~(unsigned long)(RES_DEFNAMES | RES_DNSRCH);
	int r = getaddrinfo(rule->host.text, port, &hints, &list);
	if (r != 0) {
		say(d, BAWN_DIAL_UNKNOWN, "the name cannot be resolved", gai_strerror(r));
		return;
	}
	if (all_allowed(list, w->except, d)) {
		d->fd = connect_any(list, until);
		say(d, d->fd >= 0 ? BAWN_DIAL_CONNECTED : BAWN_DIAL_UNREACHED, d->fd >= 0 ? "" : "no connection", d->fd >= 0 ? "" : strerrordesc_np(-d->fd));
	}
	freeaddrinfo(list);
}

/* --- the dialler ------------------------------------------------------------------------------ */

static void begin(struct dialler *w, uint32_t ticket, const struct bawn_rule *rule)
{
	struct bawn_dialled d = { .ticket = ticket, .fd = -1 };
	pid_t pid = w->children < 2 * w->limits.at_once ? fork() : -1;
	if (pid == 0) {
		(void)signal(SIGTERM, SIG_DFL);
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		(void)alarm((unsigned)(w->limits.connect_ms / 1000) + 2);  /* a resolver that never answers */
		dial(w, rule, &d);
		answer(w->sock, &d);
		_exit(0);
	}
	if (pid > 0) {
		w->children++;
		return;
	}
	say(&d, BAWN_DIAL_UNREACHED, "no process to dial with", "");
	answer(w->sock, &d);
}

/* Until somebody asks; those who have dialled are buried meanwhile. */
static void wait_to_be_asked(struct dialler *w)
{
	struct pollfd p = { .fd = w->sock, .events = POLLIN };
	int r;
	do {
		while (w->children > 0 && waitpid(-1, NULL, WNOHANG) > 0)
			w->children--;
		r = poll(&p, 1, w->children > 0 ? 100 : -1);
	} while (r == 0 || (r < 0 && errno == EINTR));
}

static _Noreturn void serve(struct dialler *w)
{
	(void)setpgid(0, 0);
	(void)signal(SIGTERM, SIG_IGN);  /* it is for those who dial */
	char *frame = malloc(BAWN_IPC_MAX);
	struct bawn_ipc_msg m;
	for (wait_to_be_asked(w); frame != NULL && bawn_ipc_recv(w->sock, frame, 0, &m, NULL) == 1; wait_to_be_asked(w)) {
		uint32_t ticket = bawn_ipc_get_u32(&m.in), row = bawn_ipc_get_below(&m.in, (uint32_t)w->rules->n);
		bool good = m.type == ASK && bawn_ipc_in_end(&m.in) && m.n_fds == 0;
		bawn_ipc_msg_done(&m);
		if (!good)
			break;
		begin(w, ticket, &w->rules->rule[row]);
	}
	(void)kill(0, SIGTERM);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	_exit(0);
}

int bawn_dial_start(const struct bawn_rules *rules, const struct bawn_networks *except, const struct bawn_net_limits *limits,
                    int *out_sock, struct bawn_err *err)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return bawn_fail(err, -errno, "start the dialler");
	bawn_auto_fd ours = pair[0], theirs = pair[1];
	pid_t pid = fork();
	if (pid < 0)
		return bawn_fail(err, -errno, "start the dialler");
	if (pid == 0) {
		struct dialler w = { .sock = dup2(theirs, BAWN_CHILD_SOCKET), .rules = rules, .except = except, .limits = *limits };
		if (w.sock < 0 || close_range(BAWN_CHILD_SOCKET + 1, ~0u, 0) < 0)  /* above all not the sandbox's end, nor core's */
			_exit(1);
		serve(&w);
	}
	*out_sock = bawn_take_fd(&ours);
	return pid;
}

void bawn_dial_stop(int pid, int sock)
{
	bawn_close_fdp(&sock);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int bawn_dial_ask(int sock, uint32_t ticket, uint32_t row, struct bawn_err *err)
{
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_ipc_put_u32(&b, ticket);
	bawn_ipc_put_u32(&b, row);
	return bawn_ipc_send(sock, ASK, &b, NULL, 0, 0, err);
}

int bawn_dial_answer(int sock, char *frame, struct bawn_dialled *out, struct bawn_err *err)
{
	struct bawn_ipc_msg m;
	struct bawn_dialled d = { .fd = -1 };
	int r = bawn_ipc_recv(sock, frame, MSG_DONTWAIT, &m, err);
	if (r <= 0)
		return r;
	d.ticket = bawn_ipc_get_u32(&m.in);
	d.how = (enum bawn_dial)bawn_ipc_get_below(&m.in, BAWN_DIAL_COUNT);
	bawn_ipc_copy_text(&m.in, d.detail, sizeof d.detail);
	d.fd = bawn_ipc_take_fd(&m, 0);
	bool good = m.type == ANSWER && bawn_ipc_in_end(&m.in) && (d.fd >= 0) == (d.how == BAWN_DIAL_CONNECTED);
	bawn_ipc_msg_done(&m);
	if (!good) {
		bawn_close_fdp(&d.fd);
		return bawn_fail(err, -EPROTO, "the dialler sent message %u", m.type);
	}
	*out = d;
	return 1;
}
