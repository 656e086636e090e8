/* inside.c - PID 1 of a container: the launcher of src/native, in walls that an engine put up.
 *
 *	stdin  --tunnel--> thread `in`  --socket--+
 *	                                           +--> launcher loop (native/launch.c): watches, limits, collects
 *	stdout <--tunnel-- thread `out` <--socket--+        |
 *	                                                    +--fork--> program: inner walls, then the interpreter
 *	                           thread `reap`: orphans
 *
 * The engine brings namespaces, cgroup, read-only root, uid, no capabilities, no_new_privs and a filter; the program
 * puts on rlimits, Landlock and the exact filter by itself, as in the native backend, before it gets a byte of the
 * request.  Everything is then read back from the kernel, from in here.
 *
 * Invariants: (1) the program cannot reach PID 1: not killable from inside, not dumpable, no ptrace; (2) nothing inside
 * outlives PID 1, and PID 1 ends with the end of its standard input, so with whoever attached; (3) the program is
 * forked before the threads are, so nobody's lock is held in it.
 * An attacker controls nothing here until the program runs, and then only what it writes and leaves. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "docker/inside.h"
#include "docker/tunnel.h"
#include "native/launch.h"
#include "native/note.h"

static bawn_step *const step[] = {
	bawn_step_session, bawn_step_meet, bawn_step_rlimits, bawn_step_privs, bawn_step_workspace, bawn_step_landlock, bawn_step_seccomp,
};

/* --- the box: what the native backend builds is here already ------------------------------------ */

/* Where the image has its interpreter elsewhere than policy says, by its name in the usual places. */
static const char *find_interpreter(const char *wanted, char out[static 256])
{
	static const char *const dir[] = { "/usr/local/bin", "/usr/bin", "/bin" };
	const char *name = strrchr(wanted, '/');
	if (access(wanted, X_OK) == 0 || name == NULL)
		return wanted;
	for (size_t i = 0; i < BAWN_LEN(dir); i++) {
		int n = snprintf(out, 256, "%s%s", dir[i], name);
		if (n > 0 && n < 256 && access(out, X_OK) == 0)
			return out;
	}
	return wanted;
}

static int open_rooms(struct bawn_box *box, struct bawn_err *err)
{
	box->workspace = open("/workspace", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	box->code = open("/code", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	box->rooms[0] = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	box->rooms[1] = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool all = box->workspace >= 0 && box->code >= 0 && box->rooms[0] >= 0 && box->rooms[1] >= 0;
	return all ? 0 : bawn_fail(err, -errno, "open the places of the run");
}

/* The root is the image's and read-only; /code is as good, since Landlock lets the program write to neither. */
static int put_authorities(const struct bawn_box *box, int ca_stolen, struct bawn_err *err)
{
	bawn_auto_fd ca = ca_stolen;
	if (ca < 0)
		return 0;
	bawn_auto_fd to = openat(box->code, strrchr(BAWN_INSIDE_CA, '/') + 1, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0444);
	return to >= 0 ? bawn_copy_fd(ca, to, err) : bawn_fail(err, -errno, "make '" BAWN_INSIDE_CA "'");
}

/* The one way out begins in here and is listened at from outside: we keep nothing of it, and after this nobody listens at
 * the other end of the socket that it went by. */
static int hand_out_port(const struct bawn_box *box, struct bawn_err *err)
{
	const struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = BAWN_INSIDE_WAY };
	bawn_auto_fd port = -1, way = -1;
	if (box->spec.network == BAWN_NETWORK_NONE)
		return 0;
	int r = bawn_port_open(&port, err);
	if (r < 0)
		return r;
	way = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	r = way < 0 || connect(way, (const struct sockaddr *)&at, sizeof at) < 0 ? -errno : bawn_ipc_send(way, BAWN_INSIDE_HANDS_OUT, NULL, &port, 1, 0, NULL);
	return r < 0 ? bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network", "hand the way out of the container: %s", strerrordesc_np(-r)) : 0;
}

/* Before there are threads. */
static int begin(struct bawn_box *box, int ca_stolen, struct bawn_err *err)
{
	int ctl[2], w[3] = { -1, -1, -1 };
	struct bawn_err why = { 0 };
	box->begun = box->root = true;  /* with a uid of its own, that is */
	box->uid = geteuid();
	box->gid = getegid();
	if (getpid() != 1 || box->uid == 0 || box->uid != box->spec.uid)
		return bawn_fail_as(err, BAWN_ERROR_ENFORCEMENT_MISSING, "uid", "the container runs process %d as uid %u", getpid(), box->uid);
	if (bawn_cgroups_adopt(&box->cg, &box->spec.limits, BAWN_INSIDE_TASKS, &why) < 0)
		bawn_box_lacks(box, BAWN_LAYER_CGROUP, "%s", why.msg);
	int r = open_rooms(box, err);
	if (r == 0)
		r = put_authorities(box, ca_stolen, err);
	if (r == 0)
		r = hand_out_port(box, err);
	if (r == 0 && access(BAWN_AREA_HOOK, R_OK) == 0)
		r = bawn_box_area(box, err);
	if (r == 0)
		r = bawn_box_pipes(box, w, err);
	if (r == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ctl) < 0)
		r = bawn_fail(err, -errno, "make a control socket");
	if (r < 0)
		return r;
	box->ctl = ctl[0];
	box->pid = fork();
	if (box->pid == 0)
		bawn_program_run(box, ctl[1], w, step, BAWN_LEN(step));
	bawn_close_fdp(&ctl[1]);
	bawn_close_fdp(&w[1]);
	bawn_close_fdp(&w[2]);
	box->pid_fd = box->pid > 0 ? pidfd_open(box->pid, 0) : -1;
	return box->pid_fd < 0 ? bawn_fail(err, -errno, "make the program's process") : bawn_box_tell_guest(box, box->ctl, box->area, -1, err);
}

int bawn_box_build(struct bawn_box *box, struct bawn_err *err)
{
	struct bawn_note note;
	int fds[2];
	if (box->early.code < 0) {
		if (err != NULL)
			*err = box->early;
		return box->early.code;
	}
	int r = bawn_box_listen(box, box->ctl, BAWN_NOTE_READY, &note, fds, err);
	if (r < 0)
		return r;
	bawn_verify_contained(box);
	r = bawn_verify_power(box, err);
	if (r == 0)
		r = bawn_box_check_need(box, err);
	box->missing = ((1u << BAWN_LAYER_COUNT) - 1) & ~box->layers;
	return r;
}

void bawn_box_kill(struct bawn_box *box)
{
	(void)kill(-1, SIGKILL);  /* all but ourselves; ESRCH: nobody */
	bawn_box_reap(box);
	bawn_close_fdp(&box->pid_fd);
}

void bawn_box_done(struct bawn_box *box) { bawn_box_kill(box); }  /* the rest ends with the container */

void bawn_explain(const struct bawn_box *box, const struct bawn_err *failure, struct bawn_probe *out)
{
	static const char *const fix[BAWN_LAYER_COUNT] = {
		[BAWN_LAYER_USERNS] = "start the engine with userns-remap (dockerd --userns-remap=default); it is no part of the minimum",
		[BAWN_LAYER_LANDLOCK] = "a kernel of 5.13 or later with CONFIG_SECURITY_LANDLOCK and 'landlock' in the lsm= boot parameter",
		[BAWN_LAYER_CGROUP] = "an engine with the memory, cpu and pids cgroup controllers",
		[BAWN_LAYER_DENIAL_REPORTING] = "a kernel of 5.0 or later and a runtime that is not its own kernel",
	};
	*out = (struct bawn_probe){ .usable = failure->code == 0 };
	for (int i = 0; i < BAWN_LAYER_COUNT; i++) {
		struct bawn_probe_row *row = &out->layer[i];
		bool stands = (box->layers & 1u << i) != 0;
		row->state = stands ? BAWN_PROBE_ACTIVE : BAWN_PROBE_MISSING;
		if (stands)
			continue;
		snprintf(row->detail, sizeof row->detail, "%.159s", box->why[i][0] != '\0' ? box->why[i] : failure->code != 0 ? failure->msg : "not there");
		snprintf(row->fix, sizeof row->fix, "%s", fix[i] != NULL ? fix[i] : "another engine or runtime: this one does not do what it was told");
	}
	snprintf(out->summary, sizeof out->summary, failure->code != 0 ? "cannot run in a container: %.170s" : "in a container%.0s", failure->msg);
}

/* --- the tunnel ---------------------------------------------------------------------------------- */

struct ends { int sock; pid_t program; struct bawn_tunnel t; };

/* The next message from standard input: 1, or negative. */
static int receive(struct bawn_tunnel *t, struct bawn_span *rest, char *chunk, struct bawn_ipc_msg *m)
{
	for (;;) {
		int r = bawn_tunnel_feed(t, rest, m, NULL);
		if (r != 0)
			return r;
		ssize_t n = read(STDIN_FILENO, chunk, BAWN_TUNNEL_CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -EPIPE;
		*rest = (struct bawn_span){ chunk, (size_t)n };
	}
}

static int pass(int sock, struct bawn_ipc_msg *m)
{
	struct bawn_buf payload = { .p = (char *)(uintptr_t)m->in.p, .n = m->in.n, .cap = m->in.n, .max = m->in.n };  /* borrowed */
	int r = bawn_ipc_send(sock, m->type, &payload, m->fd, m->n_fds, 0, NULL);
	bawn_ipc_msg_done(m);
	return r;
}

static void *run_in(void *ctx)
{
	struct ends *e = ctx;
	static char chunk[BAWN_TUNNEL_CHUNK];
	struct bawn_span rest = { chunk, 0 };
	struct bawn_ipc_msg m;
	while (receive(&e->t, &rest, chunk, &m) > 0 && pass(e->sock, &m) == 0)
		;
	(void)shutdown(e->sock, SHUT_WR);  /* the launcher ends everything */
	return NULL;
}

static int give(const struct bawn_ipc_msg *m)
{
	bawn_auto_buf b = BAWN_BUF(BAWN_IPC_MAX + BAWN_TUNNEL_CHUNK + 64);
	bawn_tunnel_put(&b, m->type, (struct bawn_span){ m->in.p, m->in.n }, m->n_fds);
	for (size_t i = 0; i < m->n_fds; i++) {
		uint64_t at = 0;
		int more;
		do {
			more = bawn_tunnel_put_chunk(&b, m->fd[i], &at, NULL);
			int r = more < 0 ? more : bawn_buf_error(&b) < 0 ? bawn_buf_error(&b) : bawn_write_all(STDOUT_FILENO, b.p, b.n, NULL);
			if (r < 0)
				return r;
			bawn_buf_reset(&b);
		} while (more > 0);
	}
	return bawn_buf_error(&b) < 0 ? bawn_buf_error(&b) : bawn_write_all(STDOUT_FILENO, b.p, b.n, NULL);
}

static void *run_out(void *ctx)
{
	struct ends *e = ctx;
	static char frame[BAWN_IPC_MAX];
	struct bawn_ipc_msg m;
	while (bawn_ipc_recv(e->sock, frame, 0, &m, NULL) > 0) {
		int r = give(&m);
		bawn_ipc_msg_done(&m);
		if (r < 0)
			break;
	}
	return NULL;
}

/* Orphans become children of PID 1: they are let go as soon as they end, or they would fill the pids limit.  The program
 * is the launcher's to reap. */
static void *run_reap(void *ctx)
{
	const struct ends *e = ctx;
	for (;;) {
		siginfo_t info = { 0 };
		if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | __WALL) < 0 && errno != EINTR)
			return NULL;  /* nobody is left */
		if (info.si_pid == e->program)
			return NULL;  /* it is over: whoever is left is killed, and reaped then */
		if (info.si_pid > 0)
			(void)waitpid(info.si_pid, NULL, __WALL);
	}
}

/* The first message says who is to come.  No more than that is read: what follows it is the thread's. */
static int meet(struct bawn_tunnel *t, struct bawn_ipc_msg *out)
{
	for (int r = 0; r == 0; ) {
		char part[4096];
		size_t wants = bawn_tunnel_wants(t);
		ssize_t n = read(STDIN_FILENO, part, wants < sizeof part ? wants : sizeof part);
		if (n < 0 && errno == EINTR)
			continue;
		struct bawn_span rest = { part, n > 0 ? (size_t)n : 0 };
		r = n > 0 ? bawn_tunnel_feed(t, &rest, out, NULL) : -EPIPE;
		if (r < 0)
			return r;
	}
	return 0;
}

/* The launcher gets it like any other, but with the interpreter that there is, and with a lock to hold: the slot's own
 * is held outside.  The authorities come along as bytes: nothing of the host is to be seen here. */
static int read_spec(struct bawn_box *box, struct bawn_ipc_msg *m, struct bawn_buf *again, char interpreter[static 256], int *out_ca)
{
	struct bawn_ipc_in in = m->in;
	bool probe = m->type == BAWN_WIRE_PROBE;
	bawn_wire_get_spec(&in, &box->spec);
	bool authorities = box->spec.network != BAWN_NETWORK_NONE && box->spec.ca_file[0] != '\0';
	if (!bawn_ipc_in_end(&in) || m->n_fds != authorities || (m->type != BAWN_WIRE_PREPARE && !probe))
		return -EBADMSG;
	*out_ca = bawn_ipc_take_fd(m, 0);
	box->spec.interpreter = probe ? BAWN_INSIDE_PATH : find_interpreter(box->spec.interpreter, interpreter);
	bawn_wire_put_spec(again, &box->spec);
	m->in = (struct bawn_ipc_in){ again->p, again->n, bawn_buf_error(again) < 0 };
	m->fd[0] = probe ? -1 : open("/dev/null", O_RDWR | O_CLOEXEC);
	m->n_fds = m->fd[0] >= 0;
	return bawn_buf_error(again);
}

int main(void)
{
	static struct bawn_launcher l;
	static struct ends ends;
	static char interpreter[256];
	struct bawn_buf spec = BAWN_IPC_BUF;
	struct bawn_ipc_msg first;
	int pair[2], ca;
	pthread_t in, out, reap;
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 || syscall(SYS_close_range, 3, ~0u, 0) < 0)
		return 1;
	(void)umask(022);
	(void)signal(SIGPIPE, SIG_IGN);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0 || bawn_launch_init(&l, pair[0]) < 0 ||
	    bawn_tunnel_init(&ends.t, BAWN_INSIDE_ROOM, NULL) < 0 || meet(&ends.t, &first) < 0 ||
	    read_spec(&l.box, &first, &spec, interpreter, &ca) < 0)
		return 1;
	ends.sock = pair[1];
	(void)!begin(&l.box, ca, &l.box.early);  /* bawn_box_build tells */
	ends.program = l.box.pid;
	if (pass(ends.sock, &first) < 0 || pthread_create(&reap, NULL, run_reap, &ends) != 0 || pthread_create(&in, NULL, run_in, &ends) != 0 || pthread_create(&out, NULL, run_out, &ends) != 0)
		return 1;
	int r = bawn_launch_run(&l);
	(void)shutdown(pair[0], SHUT_RDWR);  /* what was said is still delivered */
	(void)pthread_join(out, NULL);
	return r;
}
