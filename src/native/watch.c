#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "native/launch.h"
#include "native/locks.h"

#define NOTIFY_MAX 100000  /* notifications answered; after that the kernel answers ENOSYS by itself */
#define SOCKET_BYTES (512u << 10)  /* what a socket may hold: net.core.rmem_default and wmem_default as they usually are, and more than that */
#define SOCKETS_MIN  256u
#define GIVE_WAY_US  100000u  /* of CPU time; most runs end before */
#define REST_MS      2u     /* between reads of a stream that brings */
#define REST_BYTES   4096u  /* less than this at a time */

static int watch_fd(struct bawn_launcher *l, int op, int fd, enum bawn_tag tag, uint32_t events, struct bawn_err *err)
{
	struct epoll_event e = { .events = events, .data.u32 = tag };
	return epoll_ctl(l->epoll, op, fd, &e) < 0 ? bawn_fail(err, -errno, "watch a descriptor") : 0;
}

static struct itimerspec in_ms(uint64_t ms) { return (struct itimerspec){ .it_value = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 } }; }

static int make_timer(uint64_t first_ms, uint64_t every_ms, int *out, struct bawn_err *err)
{
	struct itimerspec t = in_ms(first_ms);
	t.it_interval = in_ms(every_ms).it_value;
	bawn_auto_fd fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (fd < 0 || timerfd_settime(fd, 0, &t, NULL) < 0)
		return bawn_fail(err, -errno, "set a timer");
	*out = bawn_take_fd(&fd);
	return 0;
}

/* Opened once, and before the program may go: a name in /proc is lost with its first thread. */
int bawn_watch_sockets(struct bawn_launcher *l, struct bawn_err *err)
{
	char path[48];
	if ((l->box.layers & BAWN_LAYER_BIT(NETNS)) == 0)
		return 0;
	snprintf(path, sizeof path, "/proc/%d/net/sockstat", l->box.pid);
	l->w.sockstat = open(path, O_RDONLY | O_CLOEXEC);
	return l->w.sockstat < 0 ? bawn_fail(err, -errno, "watch the sandbox's sockets") : 0;
}

int bawn_watch_start(struct bawn_launcher *l, struct bawn_err *err)
{
	struct bawn_watch *w = &l->w;
	uint64_t timeout = l->box.spec.limits.timeout_ms, every = l->box.spec.sample_ms;
	every = every == 0 ? 100 : every < 10 ? 10 : every;
	/* A timer of zero would never fire; a limit of zero is the tightest there is. */
	int r = make_timer(timeout == 0 ? 1 : timeout, 0, &w->wall, err);
	if (r == 0)
		r = make_timer(every, every, &w->sample, err);
	if (r == 0)
		r = make_timer(0, 0, &w->calm, err);
	const struct { int fd; enum bawn_tag tag; } row[] = {
		{ w->calm, BAWN_TAG_CALM }, { l->box.out[1], BAWN_TAG_OUT }, { l->box.out[2], BAWN_TAG_ERR }, { l->box.pid_fd, BAWN_TAG_PROGRAM },
		{ l->box.init_fd, BAWN_TAG_INIT }, { w->wall, BAWN_TAG_WALL }, { w->sample, BAWN_TAG_SAMPLE },
		{ l->box.listener, BAWN_TAG_NOTIFY },
	};
	for (size_t i = 0; r == 0 && i < BAWN_LEN(row); i++)
		if (row[i].fd >= 0)
			r = watch_fd(l, EPOLL_CTL_ADD, row[i].fd, row[i].tag, EPOLLIN, err);
	return r;
}

/* --- output --- */

/* While the client has no room the pipes are left alone: the program waits, the timers do not.  A
 * mask of 0 would still report a closed pipe, again and again; ONESHOT reports it once. */
static int pause_output(struct bawn_launcher *l, bool pause, struct bawn_err *err)
{
	int r = watch_fd(l, EPOLL_CTL_MOD, l->sock, BAWN_TAG_SOCK, pause ? EPOLLIN | EPOLLOUT : EPOLLIN, err);
	for (int s = 1; r == 0 && s <= 2; s++)
		if (l->box.out[s] >= 0)
			r = watch_fd(l, EPOLL_CTL_MOD, l->box.out[s], s == 1 ? BAWN_TAG_OUT : BAWN_TAG_ERR, pause ? EPOLLONESHOT : EPOLLIN, err);
	return r;
}

static int send_output(struct bawn_launcher *l, int stream, struct bawn_span bytes, int flags, struct bawn_err *err)
{
	bawn_buf_reset(&l->pending);
	bawn_ipc_put_u32(&l->pending, (uint32_t)stream);
	bawn_ipc_put_bytes(&l->pending, bytes);
	int r = bawn_ipc_send(l->sock, BAWN_WIRE_OUTPUT, &l->pending, NULL, 0, flags, err);
	if (r == 0)
		bawn_buf_reset(&l->pending);
	return r;
}

/* How many of `n` new bytes are within the limit of the stream. */
static size_t within(struct bawn_launcher *l, int stream, size_t n)
{
	uint64_t cap = l->box.spec.limits.output_bytes, seen = l->w.seen[stream];
	size_t room = seen >= cap ? 0 : cap - seen < n ? (size_t)(cap - seen) : n;
	l->w.seen[stream] += n;
	l->w.cut[stream] = l->w.cut[stream] || room < n;
	return room;
}

/* 1: more may come; 0: nothing now; -EPIPE etc.: the client is gone. */
static int read_output(struct bawn_launcher *l, int stream, int flags, struct bawn_err *err)
{
	int *fd = &l->box.out[stream];
	if (*fd < 0)
		return 0;
	ssize_t n = read(*fd, l->chunk, BAWN_WIRE_CHUNK);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return errno == EINTR;
	if (n <= 0) {
		bawn_close_fdp(fd);  /* leaves epoll by itself */
		*fd = -1;
		return 0;
	}
	l->w.last_read = (size_t)n;
	size_t keep = within(l, stream, (size_t)n);
	int r = keep > 0 ? send_output(l, stream, (struct bawn_span){ l->chunk, keep }, flags, err) : 0;
	if (r == -EAGAIN)
		r = pause_output(l, true, err);
	return r < 0 ? r : 1;
}

/* Each read costs us more than a byte costs the code, and what we use nobody limits: a stream that brings little at a
 * time is read again after a moment, when there is more. */
static int rest(struct bawn_launcher *l, int stream, struct bawn_err *err)
{
	const struct itimerspec t = in_ms(REST_MS);
	if (l->box.out[stream] < 0 || l->pending.n > 0 || l->w.last_read >= REST_BYTES)
		return 0;
	l->w.resting[stream] = true;
	(void)timerfd_settime(l->w.calm, 0, &t, NULL);  /* cannot fail with a valid time */
	return watch_fd(l, EPOLL_CTL_MOD, l->box.out[stream], stream == 1 ? BAWN_TAG_OUT : BAWN_TAG_ERR, EPOLLONESHOT, err);
}

static int wake(struct bawn_launcher *l, struct bawn_err *err)
{
	int r = 0;
	for (int s = 1; r == 0 && s <= 2; s++) {
		if (l->w.resting[s] && l->box.out[s] >= 0 && l->pending.n == 0)  /* else flush_pending does it */
			r = watch_fd(l, EPOLL_CTL_MOD, l->box.out[s], s == 1 ? BAWN_TAG_OUT : BAWN_TAG_ERR, EPOLLIN, err);
		l->w.resting[s] = false;
	}
	return r;
}

static int flush_pending(struct bawn_launcher *l, int flags, struct bawn_err *err)
{
	int r = l->pending.n > 0 ? bawn_ipc_send(l->sock, BAWN_WIRE_OUTPUT, &l->pending, NULL, 0, flags, err) : 0;
	if (r == -EAGAIN)
		return 0;
	if (r == 0) {
		bawn_buf_reset(&l->pending);
		if (l->state == BAWN_LAUNCH_RUNNING)
			r = pause_output(l, false, err);
	}
	return r;
}

/* --- usage and limits --- */

/* Without cgroups only the program itself and what it waited for is known. */
static uint64_t program_cpu_us(const struct bawn_box *box)
{
	char path[32], text[1024];
	snprintf(path, sizeof path, "/proc/%d/stat", box->pid);
	bawn_auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
	if (n <= 0)
		return 0;
	text[n] = '\0';
	const char *at = strrchr(text, ')');
	unsigned long long t[4] = { 0 };
	if (at == NULL || sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3]) != 4)
		return 0;
	return (t[0] + t[1] + t[2] + t[3]) * 1000000u / (unsigned long)sysconf(_SC_CLK_TCK);
}

static void measure_disk(struct bawn_launcher *l)
{
	struct bawn_watch *w = &l->w;
	const int room[] = { l->box.workspace, l->box.rooms[0], l->box.rooms[1] };
	uint64_t now = 0;
	for (size_t i = 0; i < BAWN_LEN(room); i++) {
		struct statfs fs;
		if (room[i] < 0 || fstatfs(room[i], &fs) < 0)
			continue;
		now += (uint64_t)(fs.f_blocks - fs.f_bfree) * (uint64_t)fs.f_bsize;
		w->disk_full = w->disk_full || fs.f_bfree == 0;
		w->inodes_full = w->inodes_full || fs.f_ffree == 0;
	}
	/* Where each room has the limit for itself nobody is stopped at the sum: it is noted all the same. */
	w->disk_full = w->disk_full || (l->box.rooms[0] >= 0 && now >= l->box.spec.limits.disk_bytes);
	w->usage.disk_bytes = now > w->usage.disk_bytes ? now : w->usage.disk_bytes;
}

/* EMFILE leaves no trace in the kernel: all there is, is to look how many files are open now. */
static void measure_files(struct bawn_launcher *l)
{
	char path[32];
	struct stat st;
	uint64_t n = 0;
	snprintf(path, sizeof path, "/proc/%d/fd", l->box.pid);
	if (l->box.reaped || stat(path, &st) < 0)
		return;
	bawn_auto_dir d = st.st_size == 0 ? opendir(path) : NULL;  /* before 6.2 the size says nothing */
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL; )
		n += e->d_name[0] != '.';
	n = d != NULL ? n : (uint64_t)st.st_size;
	l->w.files = n > l->w.files ? n : l->w.files;
}

/* What UDP sockets hold is charged to nobody, nor is what a connection holds that nobody accepted: the kernel charges a TCP
 * socket when it is accepted.  So there may be only as many as could hold the memory limit once more. */
static uint64_t sockets_max(const struct bawn_launcher *l)
{
	uint64_t n = l->box.spec.limits.memory_bytes / SOCKET_BYTES;
	return n < SOCKETS_MIN ? SOCKETS_MIN : n;
}

/* "sockets: used 4\nTCP: inuse ...": of every family, also those that are in no table of the protocol's. */
static void measure_sockets(struct bawn_launcher *l)
{
	static const char lead[] = "sockets: used ";
	char text[64];
	ssize_t n = l->w.sockstat >= 0 ? pread(l->w.sockstat, text, sizeof text - 1, 0) : -1;
	text[n > 0 ? n : 0] = '\0';
	uint64_t now = strncmp(text, lead, sizeof lead - 1) == 0 ? strtoull(text + sizeof lead - 1, NULL, 10) : 0;
	l->w.sockets = now > l->w.sockets ? now : l->w.sockets;
}

static void measure(struct bawn_launcher *l)
{
	struct bawn_watch *w = &l->w;
	struct bawn_usage *u = &w->usage;
	struct bawn_counters c;
	bool cg = l->box.cg.up;
	bawn_cgroups_read(&l->box.cg, &c);
	u->wall_us = (w->ended_us != 0 ? w->ended_us : bawn_monotonic_us()) - w->started_us;
	if (cg) {
		u->cpu_us = c.cpu_us;
	} else if (!l->box.reaped) {
		uint64_t now = program_cpu_us(&l->box);
		u->cpu_us = now > u->cpu_us ? now : u->cpu_us;
	}
	u->has_cpu = cg;  /* without cgroups: what the program itself used, and whom it waited for */
	u->has_memory = cg;
	u->memory_bytes = c.memory_bytes;
	u->peak_memory_bytes = c.peak_memory_bytes > c.memory_bytes ? c.peak_memory_bytes : c.memory_bytes;
	u->pids = c.pids;
	u->peak_pids = c.has_peak_pids ? c.peak_pids : c.pids > u->peak_pids ? c.pids : u->peak_pids;
	u->has_peak_pids = cg;
	u->samples++;
	measure_disk(l);
	measure_files(l);
	measure_sockets(l);
	w->last = c;
	if (cg && !w->gave_way && u->cpu_us >= GIVE_WAY_US) {
		bawn_cgroups_give_way(&l->box.cg);
		w->gave_way = true;
	}
	/* Locks cost the code CPU time, and looking costs the host a grace period: look once a CPU second. */
	if (cg && w->ended_us == 0 && u->cpu_us - w->locks_cpu_us >= 1000000) {
		uint64_t locks = bawn_locks_held(&l->box.cg);
		w->locks = locks > w->locks ? locks : w->locks;
		w->locks_cpu_us = u->cpu_us;
	}
}

/* The first limit that is passed, in order of how sure it is. */
static bool over(const struct bawn_launcher *l, enum bawn_end *end, uint64_t *threshold, uint64_t *actual)
{
	const struct bawn_limits *m = &l->box.spec.limits;
	const struct bawn_watch *w = &l->w;
	bool kill_ = l->box.spec.on_violation == BAWN_VIOLATION_KILL;
	const struct { bool is; enum bawn_end end; uint64_t threshold, actual; } row[] = {
		{ w->last.oom_kills > 0, BAWN_END_MEMORY, m->memory_bytes, w->usage.peak_memory_bytes },
		{ w->locks > BAWN_LOCKS_MAX, BAWN_END_MEMORY, BAWN_LOCKS_MAX, w->locks },
		{ w->sockets > sockets_max(l), BAWN_END_MEMORY, sockets_max(l), w->sockets },
		/* Where both clocks have struck it is this one's: one CPU burnt all the time is a timeout, whoever looks first. */
		{ w->usage.wall_us >= m->timeout_ms * 1000, BAWN_END_TIMEOUT, m->timeout_ms, w->usage.wall_us / 1000 },
		{ w->usage.cpu_us >= m->cpu_ms * 1000, BAWN_END_CPU, m->cpu_ms, w->usage.cpu_us / 1000 },
		{ kill_ && w->last.pids_refused > 0, BAWN_END_PIDS, m->pids, m->pids + 1 },
		{ kill_ && w->disk_full, BAWN_END_DISK, m->disk_bytes, w->usage.disk_bytes },
		{ kill_ && w->inodes_full, BAWN_END_DISK, m->inodes, m->inodes },
		{ kill_ && w->cut[1], BAWN_END_OUTPUT, m->output_bytes, w->seen[1] },
		{ kill_ && w->cut[2], BAWN_END_OUTPUT, m->output_bytes, w->seen[2] },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		if (!row[i].is)
			continue;
		*end = row[i].end;
		*threshold = row[i].threshold;
		*actual = row[i].actual;
		return true;
	}
	return false;
}

static int sample(struct bawn_launcher *l, struct bawn_err *err)
{
	enum bawn_end end;
	uint64_t threshold, actual;
	measure(l);
	if (over(l, &end, &threshold, &actual))
		return bawn_watch_end(l, end, threshold, actual, err);
	if (l->pending.n > 0)
		return 0;  /* the client is behind; it will see the next one */
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_wire_put_usage(&b, &l->w.usage);
	int r = bawn_ipc_send(l->sock, BAWN_WIRE_USAGE, &b, NULL, 0, MSG_DONTWAIT, err);
	return r == -EAGAIN ? 0 : r;
}

/* --- denials --- */

static void answer(struct bawn_launcher *l)
{
	for (int i = 0; i < 64 && l->box.listener >= 0; i++) {
		struct pollfd p = { .fd = l->box.listener, .events = POLLIN };
		if (poll(&p, 1, 0) <= 0)
			return;
		int nr = (p.revents & POLLIN) ? bawn_seccomp_answer(l->box.listener) : -ESRCH;
		if (nr >= 0) {
			uint32_t *n = &l->w.denied[nr < BAWN_SYSCALLS ? nr : BAWN_SYSCALLS];
			*n += *n < UINT32_MAX;
			l->w.notified++;
		}
		if ((p.revents & POLLIN) == 0 || l->w.notified >= NOTIFY_MAX)
			bawn_close_fdp(&l->box.listener);
	}
}

static int send_denial(struct bawn_launcher *l, const struct bawn_denial *d, struct bawn_err *err)
{
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_wire_put_denial(&b, d);
	return bawn_ipc_send(l->sock, BAWN_WIRE_DENIAL, &b, NULL, 0, 0, err);
}

static int send_limit_denials(struct bawn_launcher *l, struct bawn_err *err)
{
	const struct bawn_limits *m = &l->box.spec.limits;
	const struct bawn_watch *w = &l->w;
	const struct { bool is; const char *what, *hint; uint64_t count, threshold, actual; } row[] = {
		{ w->last.pids_refused > 0, "processes", "fork gave EAGAIN; ask for more with --pids", w->last.pids_refused, m->pids,
		  m->pids + 1 },
		{ w->disk_full, "disk", "writes gave ENOSPC; ask for more with --disk", 1, m->disk_bytes, w->usage.disk_bytes },
		{ w->inodes_full, "inodes", "new files gave ENOSPC; leave fewer, or raise resources.inodes in sandbox.yaml", 1, m->inodes, m->inodes },
		{ w->files >= m->open_files, "open files", "opening gives EMFILE; close some, or raise resources.open_files in sandbox.yaml", 1,
		  m->open_files, w->files },
		{ w->locks > BAWN_LOCKS_MAX, "file locks", "the kernel keeps locks outside the memory limit, so a run may hold only so many", w->locks,
		  BAWN_LOCKS_MAX, w->locks },
		{ w->sockets > sockets_max(l), "sockets", "the kernel keeps what UDP sockets and unaccepted connections hold outside the memory limit, so a run may have only so many",
		  w->sockets, sockets_max(l), w->sockets },
		{ w->cut[1], "stdout", "the rest of the output was dropped", 1, m->output_bytes, w->seen[1] },
		{ w->cut[2], "stderr", "the rest of the output was dropped", 1, m->output_bytes, w->seen[2] },
	};
	int r = 0;
	for (size_t i = 0; r == 0 && i < BAWN_LEN(row); i++) {
		struct bawn_denial d = { .kind = BAWN_DENIAL_LIMIT, .count = row[i].count, .threshold = row[i].threshold, .actual = row[i].actual };
		snprintf(d.what, sizeof d.what, "%s", row[i].what);
		snprintf(d.hint, sizeof d.hint, "%s", row[i].hint);
		if (row[i].is)
			r = send_denial(l, &d, err);
	}
	return r;
}

static int send_denials(struct bawn_launcher *l, struct bawn_err *err)
{
	int r = send_limit_denials(l, err);
	for (int nr = 0; r == 0 && nr <= BAWN_SYSCALLS; nr++) {
		if (l->w.denied[nr] == 0)
			continue;
		struct bawn_denial d = { .kind = BAWN_DENIAL_SYSCALL, .count = l->w.denied[nr] };
		const char *name = bawn_syscall_name(nr);
		if (name != NULL)
			snprintf(d.what, sizeof d.what, "%s", name);
		else
			snprintf(d.what, sizeof d.what, nr < BAWN_SYSCALLS ? "syscall %d" : "other", nr);
		snprintf(d.hint, sizeof d.hint, "%s", bawn_syscall_hint(nr));
		r = send_denial(l, &d, err);
	}
	const struct bawn_denial more = { .kind = BAWN_DENIAL_SYSCALL, .what = "further calls", .count = 1,
		.hint = "so many calls were refused that counting ended: what was refused after that is not listed" };
	return r == 0 && l->w.notified >= NOTIFY_MAX ? send_denial(l, &more, err) : r;
}

/* Nobody writes any more.  What it says is for others to read: not here, with privilege. */
static int send_observed(struct bawn_launcher *l, struct bawn_err *err)
{
	return l->box.area < 0 ? 0 : bawn_ipc_send(l->sock, BAWN_WIRE_OBSERVED, NULL, &l->box.area, 1, 0, err);
}

/* --- the end --- */

/* SIGKILL that nobody of us sent: the program's own doing, unless init was killed too, which the
 * inside cannot do.  Init's end shows only after the program is reaped. */
static bool killed_from_outside(struct bawn_launcher *l)
{
	struct pollfd p = { .fd = l->box.init_fd, .events = POLLIN };
	return l->box.init_fd >= 0 && poll(&p, 1, 50) > 0;
}

static void reap_program(struct bawn_launcher *l)
{
	int status;
	if (!l->box.reaped && waitpid(l->box.pid, &status, WNOHANG | __WALL) == l->box.pid) {
		l->box.reaped = true;
		l->box.status = status;
	}
}

static void judge(struct bawn_launcher *l, bool outside, struct bawn_sandbox_event *e)
{
	struct bawn_watch *w = &l->w;
	int status = l->box.status;
	bool sigkill = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	uint64_t cpu_ms = l->box.spec.limits.cpu_ms;
	e->outcome.end = WIFEXITED(status) ? BAWN_END_EXIT : BAWN_END_SIGNAL;
	if (w->decided) {
		e->outcome.end = w->end;
		e->outcome.threshold = w->threshold;
		e->outcome.actual = w->actual;
	} else if (w->last.oom_kills > 0) {
		e->outcome.end = BAWN_END_MEMORY;
		e->outcome.threshold = l->box.spec.limits.memory_bytes;
		e->outcome.actual = w->usage.peak_memory_bytes;
	} else if (WIFSIGNALED(status) && (sigkill || WTERMSIG(status) == SIGXCPU) && w->usage.cpu_us >= cpu_ms * 1000) {
		e->outcome.end = BAWN_END_CPU;
		e->outcome.threshold = cpu_ms;
		e->outcome.actual = w->usage.cpu_us / 1000;
	} else if (sigkill && outside) {
		e->outcome.end = BAWN_END_KILLED;
	}
	e->outcome.exit_code = e->outcome.end == BAWN_END_EXIT ? WEXITSTATUS(status) : 0;
	e->outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	e->outcome.truncated[1] = w->cut[1];
	e->outcome.truncated[2] = w->cut[2];
}

static int drain(struct bawn_launcher *l, struct bawn_err *err)
{
	int r = flush_pending(l, 0, err);
	/* Every writer is dead, so what is in the pipe is all there is.  Its end need not show: a descriptor
	 * left in flight in a socket lives until the kernel's garbage collection. */
	for (int s = 1; r >= 0 && s <= 2; s++)
		do
			r = read_output(l, s, 0, err);
		while (r > 0);
	return r < 0 ? r : 0;
}

int bawn_watch_end(struct bawn_launcher *l, enum bawn_end end, uint64_t threshold, uint64_t actual, struct bawn_err *err)
{
	struct bawn_watch *w = &l->w;
	reap_program(l);
	w->ended_us = bawn_monotonic_us();
	if (!l->box.reaped && !w->decided) {
		w->decided = true;
		w->end = end;
		w->threshold = threshold;
		w->actual = actual;
	}
	bool sigkill = l->box.reaped && WIFSIGNALED(l->box.status) && WTERMSIG(l->box.status) == SIGKILL;
	bool outside = sigkill && !w->decided && killed_from_outside(l);
	l->state = BAWN_LAUNCH_ENDED;
	bawn_close_fdp(&w->wall);    /* nobody would read a timer any more, and epoll would not rest */
	bawn_close_fdp(&w->sample);
	bawn_close_fdp(&w->calm);
	bawn_close_fdp(&w->sockstat);
	bawn_box_kill(&l->box);
	int r = drain(l, err);
	if (r < 0)
		return r;
	measure(l);
	struct rusage used;
	if (!l->box.cg.up && getrusage(RUSAGE_CHILDREN, &used) == 0)
		w->usage.cpu_us = (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000u +
		                  (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
	struct bawn_sandbox_event e = { .kind = BAWN_EV_OUTCOME, .usage = w->usage };
	judge(l, outside, &e);
	r = send_denials(l, err);
	if (r == 0)
		r = send_observed(l, err);
	if (r < 0)
		return r;
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_wire_put_outcome(&b, &e);
	return bawn_ipc_send(l->sock, BAWN_WIRE_OUTCOME, &b, NULL, 0, 0, err);
}

static void consume(int timer)
{
	uint64_t n;
	(void)!read(timer, &n, sizeof n);  /* EAGAIN: it was read already */
}

int bawn_watch_event(struct bawn_launcher *l, enum bawn_tag tag, uint32_t events, struct bawn_err *err)
{
	if (l->state != BAWN_LAUNCH_RUNNING)
		return 0;  /* left over from the batch in which the run ended */
	switch (tag) {
	case BAWN_TAG_SOCK:
		return (events & EPOLLOUT) ? flush_pending(l, MSG_DONTWAIT, err) : 0;
	case BAWN_TAG_OUT:
	case BAWN_TAG_ERR: {
		int s = tag == BAWN_TAG_OUT ? 1 : 2;
		int r = l->pending.n > 0 ? 0 : read_output(l, s, MSG_DONTWAIT, err);
		if (r >= 0 && l->w.cut[s] && l->box.spec.on_violation == BAWN_VIOLATION_KILL)
			return bawn_watch_end(l, BAWN_END_OUTPUT, l->box.spec.limits.output_bytes, l->w.seen[s], err);
		return r <= 0 ? r : rest(l, s, err);
	}
	case BAWN_TAG_PROGRAM:
		return bawn_watch_end(l, BAWN_END_KILLED, 0, 0, err);
	case BAWN_TAG_INIT:
		return bawn_watch_end(l, BAWN_END_KILLED, 0, 0, err);
	case BAWN_TAG_WALL:
		consume(l->w.wall);
		return bawn_watch_end(l, BAWN_END_TIMEOUT, l->box.spec.limits.timeout_ms,
		                      (bawn_monotonic_us() - l->w.started_us) / 1000, err);
	case BAWN_TAG_CALM:
		consume(l->w.calm);
		return wake(l, err);
	case BAWN_TAG_SAMPLE:
		consume(l->w.sample);
		return sample(l, err);
	case BAWN_TAG_NOTIFY:
		answer(l);
		return 0;
	default:
		return 0;
	}
}
