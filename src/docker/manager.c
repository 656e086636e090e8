#include "docker/manager.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"

#define ANSWER_MS  20000  /* for an init to say that it stands, to take what it is given, to say that the program runs */
#define GRACE_MS   10000  /* after the time limit, which the init itself keeps */
#define KILL_MS    5000   /* for an init to end what runs */
#define COLLECT_MS 60000  /* for a collection, and a second more for every */
#define COLLECT_BYTES (8u << 20)  /* that it may bring */

enum tag { TAG_SOCK, TAG_ATTACH, TAG_TIMER };

typedef int handler(struct bawn_manager *m, struct bawn_ipc_msg *msg, struct bawn_err *err);
static handler on_prepare, forward, on_start, on_kill, on_collect, on_pull;

#define IN(state) (1u << BAWN_MANAGER_##state)
#define ANY (IN(FRESH) | IN(WAITING) | IN(READY) | IN(RUNNING) | IN(ENDED))
static const struct bawn_ipc_rule rule[] = {
	/* type              name       bytes                     fds   allowed in */
	{ BAWN_WIRE_PREPARE, "prepare", BAWN_WIRE_SPEC,           1, 1, IN(FRESH) },
	{ BAWN_WIRE_PROBE,   "probe",   BAWN_WIRE_SPEC,           0, 1, IN(FRESH) },
	{ BAWN_WIRE_ARG,     "arg",     BAWN_WIRE_STRING + 8,     0, 0, IN(READY) },
	{ BAWN_WIRE_ENV,     "env",     BAWN_WIRE_STRING + 8,     0, 0, IN(READY) },
	{ BAWN_WIRE_FILE,    "file",    BAWN_WIRE_PATH + 16,      1, 1, IN(READY) },
	{ BAWN_WIRE_START,   "start",   0,                        1, 2, IN(READY) },
	{ BAWN_WIRE_KILL,    "kill",    0,                        0, 0, ANY },
	{ BAWN_WIRE_COLLECT, "collect", 0,                        0, 0, IN(ENDED) },
	{ BAWN_WIRE_PULL,    "pull",    8192,                     0, 0, IN(FRESH) },
};
static handler *const handle[] = { on_prepare, on_prepare, forward, forward, forward, on_start, on_kill, on_collect, on_pull };
_Static_assert(BAWN_LEN(handle) == BAWN_LEN(rule), "one handler per rule");

/* What a container may say, and when. */
static const struct bawn_ipc_rule theirs[] = {
	{ BAWN_WIRE_PREPARED, "prepared", 256,                   0, 0, IN(WAITING) },
	{ BAWN_WIRE_PROBED,   "probed",   65536,                 0, 0, IN(WAITING) },
	{ BAWN_WIRE_FAILED,   "failed",   4096,                  0, 0, ANY },
	{ BAWN_WIRE_STARTED,  "started",  0,                     0, 0, IN(RUNNING) },
	{ BAWN_WIRE_OUTPUT,   "output",   BAWN_WIRE_CHUNK + 16,  0, 0, IN(RUNNING) },
	{ BAWN_WIRE_USAGE,    "usage",    256,                   0, 0, IN(RUNNING) },
	{ BAWN_WIRE_DENIAL,   "denial",   4096,                  0, 0, IN(RUNNING) },
	{ BAWN_WIRE_OBSERVED, "observed", 0,                     1, 1, IN(RUNNING) },
	{ BAWN_WIRE_OUTCOME,  "outcome",  256,                   0, 0, IN(RUNNING) },
	{ BAWN_WIRE_FOUND,    "found",    2 * BAWN_WIRE_PATH + 64, 1, 1, IN(ENDED) },
	{ BAWN_WIRE_SKIPPED,  "skipped",  BAWN_WIRE_STRING,      0, 0, IN(ENDED) },
	{ BAWN_WIRE_DONE,     "done",     0,                     0, 0, IN(ENDED) },
};

/* Tells the client why; there is nothing more to do after that. */
static int refuse(struct bawn_manager *m, const struct bawn_err *why)
{
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_ipc_put_err(&b, why);
	int r = bawn_ipc_send(m->sock, BAWN_WIRE_FAILED, &b, NULL, 0, 0, NULL);
	return r < 0 ? r : -ECANCELED;
}

static void set_timer(struct bawn_manager *m, uint64_t ms)
{
	struct itimerspec t = { .it_value = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 } };
	(void)timerfd_settime(m->timer, 0, &t, NULL);  /* cannot fail with a valid time */
}

/* --- to the container ---------------------------------------------------------------------------- */

static int watch(struct bawn_manager *m, int op, int fd, enum tag tag, uint32_t events, struct bawn_err *err)
{
	struct epoll_event e = { .events = events, .data.u32 = tag };
	return epoll_ctl(m->epoll, op, fd, &e) < 0 ? bawn_fail(err, -errno, "watch a descriptor") : 0;
}

static bool is_sending(const struct bawn_manager *m) { return m->queue.n > 0 || m->sending.n_fds > 0; }

/* Until the program runs a container has to take what it is given: whatever it takes gives it more time. */
static void await_taking(struct bawn_manager *m)
{
	if (m->state == BAWN_MANAGER_READY)
		set_timer(m, is_sending(m) ? ANSWER_MS : 0);
	else if (m->state == BAWN_MANAGER_RUNNING && !m->up)
		set_timer(m, ANSWER_MS);
}

/* One message at a time each way: while one is on its way the client is not read, and while the client has no room the
 * container is not. */
static int watch_all(struct bawn_manager *m, struct bawn_err *err)
{
	uint32_t client = (is_sending(m) ? 0 : EPOLLIN) | (m->holding ? EPOLLOUT : 0u);
	uint32_t container = (m->holding ? 0 : EPOLLIN) | (is_sending(m) ? EPOLLOUT : 0u);
	int r = watch(m, EPOLL_CTL_MOD, m->sock, TAG_SOCK, client, err);
	if (r < 0 || m->attach < 0)
		return r;
	int op = container == 0 ? EPOLL_CTL_DEL : m->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;  /* a closed one would be told of again and again */
	if (op == EPOLL_CTL_DEL && !m->watched)
		return 0;
	m->watched = op != EPOLL_CTL_DEL;
	return watch(m, op, m->attach, TAG_ATTACH, container, err);
}

/* The next piece of the message that is on its way. */
static int refill(struct bawn_manager *m, struct bawn_err *err)
{
	bawn_buf_reset(&m->queue);
	m->sent = 0;
	if (m->file >= m->sending.n_fds) {
		bawn_ipc_msg_done(&m->sending);
		m->sending.n_fds = 0;
		return 0;
	}
	int more = bawn_tunnel_put_chunk(&m->queue, m->sending.fd[m->file], &m->at, err);
	if (more < 0)
		return more;
	if (more == 0) {
		m->file++;
		m->at = 0;
	}
	return bawn_buf_error(&m->queue) < 0 ? bawn_fail(err, bawn_buf_error(&m->queue), "send a file") : 0;
}

/* -EPIPE where the container is gone: what it said before is still to be read. */
static int flush(struct bawn_manager *m, struct bawn_err *err)
{
	while (is_sending(m)) {
		ssize_t n = m->sent < m->queue.n ? send(m->attach, m->queue.p + m->sent, m->queue.n - m->sent, MSG_NOSIGNAL) : 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n < 0)
			return -EPIPE;
		m->sent += (size_t)n;
		int r = m->sent == m->queue.n ? refill(m, err) : 0;
		if (r < 0)
			return r;
		await_taking(m);
	}
	return watch_all(m, err);
}

/* Takes over the descriptors. */
static int forward(struct bawn_manager *m, struct bawn_ipc_msg *msg, struct bawn_err *err)
{
	bawn_tunnel_put(&m->queue, msg->type, (struct bawn_span){ msg->in.p, msg->in.n }, msg->n_fds);
	if (bawn_buf_error(&m->queue) < 0)
		return bawn_fail(err, bawn_buf_error(&m->queue), "send a message");
	m->sending = *msg;
	m->file = 0;
	m->at = 0;
	msg->n_fds = 0;
	await_taking(m);
	int r = flush(m, err);
	return r == -EPIPE ? watch_all(m, err) : r;  /* its end shows on the other way */
}

/* --- from the client ----------------------------------------------------------------------------- */

static int take_spec(struct bawn_manager *m, struct bawn_ipc_msg *msg, struct bawn_err *err)
{
	bawn_buf_add(&m->spec_bytes, msg->in.p, msg->in.n);
	struct bawn_ipc_in in = { m->spec_bytes.p, m->spec_bytes.n, bawn_buf_error(&m->spec_bytes) < 0 };
	bawn_wire_get_spec(&in, &m->spec);
	if (!bawn_ipc_in_end(&in))
		return bawn_fail(err, -EBADMSG, "read the specification");
	if (m->spec.without != 0)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "without", "this launcher leaves no wall out");
	return 0;
}

/* Before there is a container: without those to be believed there is no use for one. */
static int read_authorities(struct bawn_manager *m, struct bawn_err *err)
{
	bawn_auto_buf text = BAWN_BUF(BAWN_CA_BYTES);
	if (m->spec.network == BAWN_NETWORK_NONE || m->spec.ca_file[0] == '\0')
		return 0;
	bawn_auto_fd fd = open(m->spec.ca_file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int r = fd >= 0 ? bawn_read_fd(fd, m->spec.ca_file, &text, NULL) : -errno;
	if (r == 0)
		r = bawn_sealed_copy("authorities", bawn_buf_span(&text), &m->ca, NULL);
	return r < 0 ? bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network.ca_file", "read '%s': %s", m->spec.ca_file, strerrordesc_np(-r)) : 0;
}

/* As /proc/self/ns names them, in one line. */
static void read_outside(char out[static 512])
{
	static const char *const name[] = { "user", "mnt", "pid", "net", "ipc", "uts", "cgroup" };
	size_t n = 0;
	out[0] = '\0';
	for (size_t i = 0; i < BAWN_LEN(name); i++) {
		char path[32], link[48];
		snprintf(path, sizeof path, "/proc/self/ns/%s", name[i]);
		ssize_t got = readlink(path, link, sizeof link - 1);
		if (got > 0)
			n += (size_t)snprintf(out + n, 512 - n, "%.*s ", (int)got, link);
	}
}

/* The init gets the request's walls and limits, and where it must not be. */
static int introduce(struct bawn_manager *m, struct bawn_err *err)
{
	char outside[512];
	bawn_auto_buf b = BAWN_IPC_BUF;
	struct bawn_sandbox_spec spec = m->spec;
	read_outside(outside);
	spec.outside = outside;
	memset(spec.net_file, 0, sizeof spec.net_file);  /* their places are the image's */
	bawn_wire_put_spec(&b, &spec);
	if (bawn_buf_error(&b) < 0)
		return bawn_fail(err, bawn_buf_error(&b), "introduce the run");
	struct bawn_ipc_msg msg = { .type = m->probing ? BAWN_WIRE_PROBE : BAWN_WIRE_PREPARE, .in = { b.p, b.n, false }, .n_fds = m->ca >= 0 };
	msg.fd[0] = bawn_take_fd(&m->ca);
	return forward(m, &msg, err);
}

static int on_prepare(struct bawn_manager *m, struct bawn_ipc_msg *msg, struct bawn_err *err)
{
	m->probing = msg->type == BAWN_WIRE_PROBE;
	m->slot_fd = bawn_ipc_take_fd(msg, 0);
	int r = take_spec(m, msg, err);
	if (r == 0 && !m->probing && flock(m->slot_fd, LOCK_EX | LOCK_NB) < 0)
		r = bawn_fail_as(err, BAWN_ERROR_BUSY, "slot", "the slot's lock is not ours");
	if (r == 0)
		r = bawn_tunnel_init(&m->in, m->spec.limits.disk_bytes + (4u << 20), err);  /* a file, or what was observed */
	if (r == 0)
		r = read_authorities(m, err);
	if (r == 0)
		r = bawn_manager_build(m, err);
	if (r == 0)
		r = introduce(m, err);
	if (r < 0)
		return refuse(m, err);
	m->state = BAWN_MANAGER_WAITING;
	set_timer(m, ANSWER_MS);
	return 0;
}

/* A client that has no room now hears of it next time; one that is gone ends the fetching. */
static int tell_pulling(void *ctx, uint64_t done, uint64_t of)
{
	struct bawn_manager *m = ctx;
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_ipc_put_u64(&b, done);
	bawn_ipc_put_u64(&b, of);
	int r = bawn_ipc_send(m->sock, BAWN_WIRE_PULLING, &b, NULL, 0, MSG_DONTWAIT, NULL);
	return r == -EAGAIN ? 0 : r;
}

static int on_pull(struct bawn_manager *m, struct bawn_ipc_msg *msg, struct bawn_err *err)
{
	int r = take_spec(m, msg, err);
	if (r == 0)
		r = bawn_moby_init(&m->engine, m->spec.container.engine, err);
	if (r == 0)
		r = bawn_moby_meet(&m->engine, err);
	if (r == 0)
		r = bawn_image_pull(&m->engine, m->spec.container.image, tell_pulling, m, err);
	if (r == 0)
		r = bawn_ipc_send(m->sock, BAWN_WIRE_DONE, NULL, NULL, 0, 0, err);
	return r == 0 || r == -ECANCELED ? -ECANCELED : refuse(m, err);
}

static int on_start(struct bawn_manager *m, struct bawn_ipc_msg *msg, struct bawn_err *err)
{
	m->state = BAWN_MANAGER_RUNNING;
	m->wanted = BAWN_END_TIMEOUT;
	m->started_us = bawn_monotonic_us();
	return forward(m, msg, err);
}

static int on_kill(struct bawn_manager *m, struct bawn_ipc_msg *msg, struct bawn_err *err)
{
	if (m->state == BAWN_MANAGER_ENDED)
		return 0;
	if (m->state != BAWN_MANAGER_RUNNING)
		return -ECANCELED;  /* nothing runs: just go */
	m->wanted = BAWN_END_CANCELLED;
	set_timer(m, KILL_MS);
	return forward(m, msg, err);
}

static int on_collect(struct bawn_manager *m, struct bawn_ipc_msg *msg, struct bawn_err *err)
{
	struct bawn_err gone = { 0 };
	if (m->attach < 0) {  /* the init died with the code: nobody can tell what was left */
		(void)bawn_fail(&gone, -EPIPE, "the container is gone, and with it what was in /workspace");
		return refuse(m, &gone);
	}
	set_timer(m, COLLECT_MS + m->spec.limits.disk_bytes / COLLECT_BYTES * 1000);
	return forward(m, msg, err);
}

/* --- from the container -------------------------------------------------------------------------- */

static int send_outcome(struct bawn_manager *m, enum bawn_end end, struct bawn_err *err)
{
	struct bawn_sandbox_event e = { .kind = BAWN_EV_OUTCOME };
	uint64_t us = bawn_monotonic_us() - m->started_us;
	e.outcome.end = end;
	e.outcome.signal = end == BAWN_END_MEMORY || end == BAWN_END_KILLED ? SIGKILL : 0;
	e.usage.wall_us = us;
	e.outcome.threshold = end == BAWN_END_TIMEOUT ? m->spec.limits.timeout_ms : end == BAWN_END_MEMORY ? m->spec.limits.memory_bytes : 0;
	e.outcome.actual = end == BAWN_END_TIMEOUT ? us / 1000 : e.outcome.threshold;
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_wire_put_outcome(&b, &e);
	m->state = BAWN_MANAGER_ENDED;
	set_timer(m, 0);
	return bawn_ipc_send(m->sock, BAWN_WIRE_OUTCOME, &b, NULL, 0, 0, err);
}

/* What the init says stands, no less than what is needed, and who it is that says so. */
static int on_prepared(struct bawn_manager *m, struct bawn_ipc_msg *msg, struct bawn_err *err)
{
	struct bawn_enforcement e = { 0 };
	bawn_auto_buf account = BAWN_BUF(BAWN_WIRE_CONTAINER), b = BAWN_IPC_BUF;
	bawn_wire_get_enforcement(&msg->in, &e);
	if (!bawn_ipc_in_end(&msg->in))
		return bawn_fail(err, -EBADMSG, "read what the container says of its walls");
	if ((m->spec.need & ~e.layers) != 0)
		return bawn_fail_as(err, BAWN_ERROR_ENFORCEMENT_MISSING, NULL, "a required protection is missing in the container");
	bawn_auto_fd port = -1;
	int r = m->spec.network != BAWN_NETWORK_NONE ? bawn_way_take(&m->way, m->frame, &port, err) : 0;
	if (r == 0)
		r = bawn_manager_account(m, &account, err);
	if (r < 0)
		return r;
	e.container = account.p;
	bawn_wire_put_enforcement(&b, &e);
	m->state = BAWN_MANAGER_READY;
	set_timer(m, 0);
	r = bawn_ipc_send(m->sock, BAWN_WIRE_PREPARED, &b, &port, port >= 0, 0, err);  /* from here on it is the client's alone */
	if (r == 0)
		bawn_manager_find_pid(m);  /* while the client has its own to do */
	return r;
}

/* A file's hash and size are told by who is inside; here they are known. */
static bool is_as_told(const struct bawn_ipc_msg *msg)
{
	struct bawn_ipc_in in = msg->in;
	struct stat st;
	uint8_t sum[BAWN_SHA256_LEN];
	(void)bawn_ipc_get_text(&in, 2 * BAWN_WIRE_PATH);
	uint64_t size = bawn_ipc_get_u64(&in);
	struct bawn_span told = bawn_ipc_get_bytes(&in, BAWN_SHA256_LEN);
	if (!bawn_ipc_in_end(&in) || told.n != BAWN_SHA256_LEN || fstat(msg->fd[0], &st) < 0 || (uint64_t)st.st_size != size)
		return false;
	char *p = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, msg->fd[0], 0) : NULL;
	if (p == MAP_FAILED)
		return false;
	bawn_sha256((struct bawn_span){ p, (size_t)size }, sum);
	if (p != NULL)
		(void)munmap(p, (size_t)size);
	return memcmp(sum, told.p, sizeof sum) == 0;
}

/* The caps that the init keeps, kept again. */
static int check_found(struct bawn_manager *m, const struct bawn_ipc_msg *msg, struct bawn_err *err)
{
	const uint64_t most = m->spec.collect_files > 0 ? m->spec.collect_files : BAWN_WIRE_FILES;
	struct stat st;
	if (++m->found > most || !is_as_told(msg) || fstat(msg->fd[0], &st) < 0)
		return bawn_fail(err, -EBADMSG, "take a file out of the container");
	m->brought += (uint64_t)st.st_size;
	return m->brought <= m->spec.limits.disk_bytes ? 0 : bawn_fail(err, -EBADMSG, "take more out of the container than its disk limit");
}

static int check_skipped(struct bawn_manager *m, struct bawn_err *err)
{
	return ++m->skipped <= BAWN_WIRE_SKIPS + 1 ? 0 : bawn_fail(err, -EBADMSG, "hear of more files than a container may skip");  /* the last says how many more */
}

/* To the client, who may have no room now. */
static int deliver(struct bawn_manager *m, struct bawn_ipc_msg *msg, struct bawn_err *err)
{
	bawn_buf_reset(&m->held_bytes);
	bawn_buf_add(&m->held_bytes, msg->in.p, msg->in.n);
	int r = bawn_ipc_send(m->sock, msg->type, &m->held_bytes, msg->fd, msg->n_fds, MSG_DONTWAIT, err);
	if (r != -EAGAIN)
		return r;
	m->held = *msg;
	m->holding = true;
	msg->n_fds = 0;
	return watch_all(m, err);
}

static int release_held(struct bawn_manager *m, struct bawn_err *err)
{
	int r = m->holding ? bawn_ipc_send(m->sock, m->held.type, &m->held_bytes, m->held.fd, m->held.n_fds, MSG_DONTWAIT, err) : 0;
	if (r == -EAGAIN)
		return 0;
	if (m->holding)
		bawn_ipc_msg_done(&m->held);
	m->holding = false;
	return r < 0 ? r : watch_all(m, err);
}

static int on_theirs(struct bawn_manager *m, struct bawn_ipc_msg *msg, struct bawn_err *err)
{
	size_t row;
	int r = bawn_ipc_check(theirs, BAWN_LEN(theirs), m->state, msg, &row, err);
	if (r < 0)
		return r;
	if (msg->type == BAWN_WIRE_PREPARED)
		return on_prepared(m, msg, err);
	if (msg->type == BAWN_WIRE_FOUND || msg->type == BAWN_WIRE_SKIPPED)
		r = msg->type == BAWN_WIRE_FOUND ? check_found(m, msg, err) : check_skipped(m, err);
	if (r < 0)
		return r;
	if (msg->type == BAWN_WIRE_STARTED) {
		m->up = true;
		set_timer(m, m->spec.limits.timeout_ms + GRACE_MS);
	} else if (msg->type == BAWN_WIRE_OUTCOME) {
		m->state = BAWN_MANAGER_ENDED;
		set_timer(m, 0);
	} else if (msg->type == BAWN_WIRE_DONE) {
		set_timer(m, 0);
	}
	return deliver(m, msg, err);
}

static void keep_said(struct bawn_manager *m, struct bawn_span text)
{
	size_t room = sizeof m->said - m->n_said, n = text.n < room ? text.n : room;
	memcpy(m->said + m->n_said, text.p, n);
	m->n_said += n;
}

/* All that was read, until the client has no room. */
static int pump(struct bawn_manager *m, struct bawn_err *err)
{
	while (!m->holding) {
		struct bawn_ipc_msg msg;
		if (m->piece.n == 0) {
			int stream = bawn_mux_next(&m->mux, &m->rest, &m->piece);
			if (stream <= 0)
				return stream < 0 ? bawn_fail(err, stream, "read what the container says") : 0;
			if (stream == 2) {
				keep_said(m, m->piece);
				m->piece.n = 0;
				continue;
			}
		}
		int r = bawn_tunnel_feed(&m->in, &m->piece, &msg, err);
		if (r > 0) {
			r = on_theirs(m, &msg, err);
			bawn_ipc_msg_done(&msg);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

/* Nothing goes to the container any more, nothing that it said comes after its outcome, and the client is heard again. */
static int let_go(struct bawn_manager *m, struct bawn_err *err)
{
	bawn_close_fdp(&m->attach);
	m->watched = false;
	m->rest = m->piece = (struct bawn_span){ NULL, 0 };
	bawn_buf_reset(&m->queue);
	m->sent = 0;
	bawn_ipc_msg_done(&m->sending);
	int r = m->holding ? bawn_ipc_send(m->sock, m->held.type, &m->held_bytes, m->held.fd, m->held.n_fds, 0, err) : 0;
	if (m->holding)
		bawn_ipc_msg_done(&m->held);
	m->holding = false;
	return r < 0 ? r : watch_all(m, err);
}

/* PID 1 is gone.  Before the code ran that is a failure, and what it wrote last is why; then the engine knows more. */
static int on_gone(struct bawn_manager *m, struct bawn_err *err)
{
	enum bawn_end end;
	int r = let_go(m, err);
	if (r < 0)
		return r;
	if (m->up && m->state == BAWN_MANAGER_RUNNING) {
		r = bawn_manager_post_mortem(m, &end, err);
		return r < 0 ? r : send_outcome(m, m->wanted == BAWN_END_CANCELLED ? m->wanted : end, err);
	}
	bawn_auto_buf shown = BAWN_BUF(4 * sizeof m->said);
	bawn_buf_escaped(&shown, (struct bawn_span){ m->said, m->n_said });
	return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "backend", "the container ended by itself: %.200s", shown.n > 0 && bawn_buf_error(&shown) == 0 ? shown.p : "without a word");
}

static int on_attach(struct bawn_manager *m, uint32_t events, struct bawn_err *err)
{
	int r = (events & EPOLLOUT) ? flush(m, err) : 0;
	if (r < 0 && r != -EPIPE)
		return r;
	if ((events & ~(uint32_t)EPOLLOUT) == 0 || m->holding)
		return 0;
	ssize_t n = recv(m->attach, m->chunk, BAWN_TUNNEL_CHUNK, 0);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0)
		return on_gone(m, err);
	m->rest = (struct bawn_span){ m->chunk, (size_t)n };
	return pump(m, err);
}

/* Nobody said anything for too long. */
static int on_timer(struct bawn_manager *m, struct bawn_err *err)
{
	uint64_t n;
	if (read(m->timer, &n, sizeof n) < 0)
		return 0;
	if (!m->up || m->state != BAWN_MANAGER_RUNNING)
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "backend", m->state == BAWN_MANAGER_ENDED ? "the container does not say what was left" : "the container does not answer");
	enum bawn_end end = m->wanted;
	bawn_manager_remove(m);
	int r = let_go(m, err);
	return r < 0 ? r : send_outcome(m, end, err);
}

/* --- the loop ------------------------------------------------------------------------------------ */

static int receive(struct bawn_manager *m, struct bawn_err *err)
{
	struct bawn_ipc_msg msg;
	size_t row;
	int r = bawn_ipc_recv(m->sock, m->frame, MSG_DONTWAIT, &msg, err);
	if (r <= 0)
		return r;
	r = bawn_ipc_check(rule, BAWN_LEN(rule), m->state, &msg, &row, err);
	if (r == 0)
		r = handle[row](m, &msg, err);
	bawn_ipc_msg_done(&msg);
	return r;
}

static int on_event(struct bawn_manager *m, enum tag tag, uint32_t events, struct bawn_err *err)
{
	int r = 0;
	switch (tag) {
	case TAG_SOCK:
		if (events & EPOLLOUT)
			r = release_held(m, err);
		if (r == 0 && m->rest.n + m->piece.n > 0)
			r = pump(m, err);
		return r == 0 && (events & ~(uint32_t)EPOLLOUT) ? receive(m, err) : r;
	case TAG_ATTACH:
		return m->attach >= 0 ? on_attach(m, events, err) : 0;
	case TAG_TIMER:
		return on_timer(m, err);
	}
	return 0;
}

/* Ends with a negative errno: -EPIPE and -ECANCELED are the ordinary ways. */
static int loop(struct bawn_manager *m, struct bawn_err *err)
{
	int r = watch(m, EPOLL_CTL_ADD, m->sock, TAG_SOCK, EPOLLIN, err);
	if (r == 0)
		r = watch(m, EPOLL_CTL_ADD, m->timer, TAG_TIMER, EPOLLIN, err);
	while (r >= 0) {
		struct epoll_event e[4];
		int n = epoll_wait(m->epoll, e, (int)BAWN_LEN(e), -1);
		if (n < 0 && errno != EINTR)
			return bawn_fail(err, -errno, "wait");
		for (int i = 0; r >= 0 && i < n; i++)
			r = on_event(m, (enum tag)e[i].data.u32, e[i].events, err);
	}
	return r;
}

int main(void)
{
	/* Whatever the host left open is not ours. */
	if (syscall(SYS_close_range, BAWN_WIRE_SOCKET + 1, ~0u, 0) < 0)
		return 1;
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);  /* a write beyond ulimit -f fails instead */
	static struct bawn_manager m;
	m = (struct bawn_manager){ .sock = BAWN_WIRE_SOCKET, .epoll = epoll_create1(EPOLL_CLOEXEC), .timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
		.slot_fd = -1, .pid_fd = -1, .ca = -1, .way = BAWN_WAY_NONE, .attach = -1, .frame = malloc(BAWN_IPC_MAX), .chunk = malloc(BAWN_TUNNEL_CHUNK), .spec_bytes = BAWN_BUF(BAWN_IPC_MAX),
		.queue = BAWN_BUF(2 * BAWN_IPC_MAX), .held_bytes = BAWN_IPC_BUF };
	struct bawn_err err = { 0 };
	if (m.epoll < 0 || m.timer < 0 || m.frame == NULL || m.chunk == NULL)
		return 1;
	int r = loop(&m, &err);
	if (r != -EPIPE && r != -ECANCELED)
		(void)!refuse(&m, &err);
	bawn_manager_remove(&m);
	bawn_moby_done(&m.engine);
	return r == -EPIPE || r == -ECANCELED ? 0 : 1;  /* memory goes with the process */
}
