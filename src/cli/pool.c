/* pool.c - the same work on many things, side by side, in processes of our own.
 *
 *	parent                               worker (fork, with its first index)
 *	  take(i), in order of i   <-------    work(i): status, length, answer
 *	  index of the next thing  ------->
 *
 * Invariants: (1) answers are taken in order of index, whoever finished first; (2) a worker that dies or
 * takes too long loses the one thing it had, be it the only one there is: that is told, and another worker
 * goes on with the rest;
 * (3) no worker outlives its parent; (4) nobody runs far ahead of the oldest thing that is not done: how
 * many answers are kept does not grow with the number of things.  An attacker may have written what the
 * workers read; what comes back from a worker is bounded. */
#include "cli/pool.h"
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"

#define ANSWER_MAX  (64u << 20)
#define NOTHING     SIZE_MAX

struct head { int64_t status; uint64_t n; };
struct worker { pid_t pid; int fd; size_t index; uint64_t deadline_us; struct bawn_buf in; };
struct answer { int status; bool there; char *bytes; size_t n; };

struct pool {
	const struct bawn_cli_pool *p;
	struct worker  worker[BAWN_CLI_JOBS_MAX];
	size_t         n_workers, next, taken, done;
	struct answer *answer;
};

static int read_exactly(int fd, void *to, size_t n)
{
	for (char *at = to; n > 0;) {
		ssize_t got = read(fd, at, n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -EPIPE;
		at += got;
		n -= (size_t)got;
	}
	return 0;
}

/* Status, length and answer in one piece: the parent wakes up once. */
static int answer(const struct bawn_cli_pool *p, int fd, uint64_t index)
{
	bawn_auto_buf out = BAWN_BUF(ANSWER_MAX + sizeof(struct head));
	struct head h = { 0 };
	bawn_buf_add(&out, &h, sizeof h);
	h.status = p->work(p->ctx, (size_t)index, &out);
	h.status = h.status == 0 ? bawn_buf_error(&out) : h.status;
	if (h.status != 0)
		return bawn_write_all(fd, &h, sizeof h, NULL);
	h.n = out.n - sizeof h;
	memcpy(out.p, &h, sizeof h);
	return bawn_write_all(fd, out.p, out.n, NULL);
}

/* Until the parent closes its end. */
static _Noreturn void serve(const struct bawn_cli_pool *p, int fd, size_t first)
{
	uint64_t index = first;
	if (first == NOTHING || answer(p, fd, index) == 0)
		while (read_exactly(fd, &index, sizeof index) == 0 && answer(p, fd, index) == 0)
			;
	_exit(0);
}

static bool may_go_on(const struct pool *s)
{
	return s->next < s->p->n && s->next - s->taken < s->n_workers * BAWN_CLI_POOL_AHEAD;
}

static uint64_t deadline(const struct pool *s) { return bawn_monotonic_us() + (uint64_t)s->p->timeout_ms * 1000; }

/* A worker has its first thing with it. */
static int start(struct pool *s, struct worker *w)
{
	int pair[2];
	pid_t parent = getpid();
	size_t first = may_go_on(s) ? s->next : NOTHING;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid_t pid = fork();
	if (pid == 0) {
		for (size_t i = 0; i < s->n_workers; i++)  /* or a worker would keep the others' ends open */
			if (s->worker[i].fd >= 0)
				(void)close(s->worker[i].fd);
		(void)close(pair[0]);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
			_exit(1);
		serve(s->p, pair[1], first);
	}
	(void)close(pair[1]);
	if (pid < 0) {
		int code = -errno;
		(void)close(pair[0]);
		return code;
	}
	*w = (struct worker){ .pid = pid, .fd = pair[0], .index = first, .deadline_us = deadline(s), .in = BAWN_BUF(ANSWER_MAX + sizeof(struct head)) };
	s->next += first != NOTHING;
	return 0;
}

static void stop(struct worker *w, bool now)
{
	if (w->fd < 0)
		return;
	(void)close(w->fd);
	if (now)
		(void)kill(w->pid, SIGKILL);
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
	bawn_buf_done(&w->in);
	w->fd = -1;
}

static void settle(struct pool *s, size_t index, int status, struct bawn_span bytes)
{
	struct answer *a = &s->answer[index];
	*a = (struct answer){ .status = status, .there = true };
	if (status == 0 && bytes.n > 0 && (a->bytes = malloc(bytes.n)) == NULL)
		a->status = -ENOMEM;
	if (a->bytes != NULL) {
		memcpy(a->bytes, bytes.p, bytes.n);
		a->n = bytes.n;
	}
	s->done++;
}

/* The next thing for a worker that waits.  One that cannot be told will be found dead. */
static void give(struct pool *s, struct worker *w)
{
	if (!may_go_on(s))
		return;
	uint64_t index = s->next;
	w->index = s->next++;
	w->deadline_us = deadline(s);
	if (send(w->fd, &index, sizeof index, MSG_NOSIGNAL) != (ssize_t)sizeof index)
		w->deadline_us = 0;
}

/* What it had is lost; another takes its place. */
static int replace(struct pool *s, struct worker *w, int status)
{
	size_t index = w->index;
	stop(w, true);
	if (index != NOTHING)
		settle(s, index, status, (struct bawn_span){ NULL, 0 });
	if (s->next == s->p->n)
		return 0;
	return start(s, w);
}

static int hear(struct pool *s, struct worker *w)
{
	char bytes[64 << 10];
	struct head h;
	ssize_t n = read(w->fd, bytes, sizeof bytes);
	if (n < 0 && errno == EINTR)
		return 0;
	bawn_buf_add(&w->in, bytes, n > 0 ? (size_t)n : 0);
	if (n <= 0 || bawn_buf_error(&w->in) < 0)
		return replace(s, w, -ECHILD);
	if (w->in.n < sizeof h)
		return 0;
	memcpy(&h, w->in.p, sizeof h);
	if (w->in.n - sizeof h < h.n)
		return 0;
	settle(s, w->index, (int)h.status, (struct bawn_span){ w->in.p + sizeof h, (size_t)h.n });
	bawn_buf_reset(&w->in);
	w->index = NOTHING;
	return 0;
}

static int wait_some(struct pool *s)
{
	struct pollfd fd[BAWN_CLI_JOBS_MAX];
	uint64_t now = bawn_monotonic_us(), soonest = now + 100000;  /* progress is shown that often */
	for (size_t i = 0; i < s->n_workers; i++) {
		struct worker *w = &s->worker[i];
		fd[i] = (struct pollfd){ .fd = w->index != NOTHING ? w->fd : -1, .events = POLLIN };
		if (w->fd >= 0 && w->index != NOTHING && w->deadline_us < soonest)
			soonest = w->deadline_us;
	}
	if (poll(fd, s->n_workers, soonest > now ? (int)((soonest - now + 999) / 1000) : 0) < 0 && errno != EINTR)
		return -errno;
	now = bawn_monotonic_us();
	int r = 0;
	for (size_t i = 0; i < s->n_workers && r == 0; i++) {
		struct worker *w = &s->worker[i];
		if (w->fd < 0 || w->index == NOTHING)
			continue;
		if (fd[i].revents != 0)
			r = hear(s, w);
		else if (now >= w->deadline_us)
			r = replace(s, w, -ETIMEDOUT);
	}
	return r;
}

static int take_ready(struct pool *s)
{
	for (int r; s->taken < s->p->n && s->answer[s->taken].there; s->taken++) {
		struct answer *a = &s->answer[s->taken];
		r = s->p->take(s->p->ctx, s->taken, a->status, (struct bawn_span){ a->bytes, a->n });
		free(a->bytes);
		a->bytes = NULL;
		if (r != 0)
			return r;
	}
	return 0;
}

/* Those that had to wait, now that there is room. */
static void give_all(struct pool *s)
{
	for (size_t i = 0; i < s->n_workers; i++)
		if (s->worker[i].fd >= 0 && s->worker[i].index == NOTHING)
			give(s, &s->worker[i]);
}

static void pool_done(struct pool *s)
{
	for (size_t i = 0; i < s->n_workers; i++)
		stop(&s->worker[i], s->worker[i].index != NOTHING);
	for (size_t i = 0; s->answer != NULL && i < s->p->n; i++)
		free(s->answer[i].bytes);
	free(s->answer);
}

int bawn_cli_jobs(const char *given, size_t *out, struct bawn_err *err)
{
	cpu_set_t set;
	uint64_t n = sched_getaffinity(0, sizeof set, &set) == 0 ? (uint64_t)CPU_COUNT(&set) : 1;
	int r = given != NULL ? bawn_parse_u64(bawn_span(given), 1, BAWN_CLI_JOBS_MAX, &n, err) : 0;
	if (r == 0)
		*out = n < BAWN_CLI_JOBS_MAX ? (size_t)n : BAWN_CLI_JOBS_MAX;
	return r;
}

int bawn_cli_pool(const struct bawn_cli_pool *p)
{
	__attribute__((cleanup(pool_done))) struct pool s = { .p = p };
	if (p->n == 0)
		return 0;
	s.answer = calloc(p->n, sizeof *s.answer);
	if (s.answer == NULL)
		return -ENOMEM;
	size_t jobs = p->jobs < p->n ? p->jobs : p->n;
	jobs = jobs > BAWN_CLI_JOBS_MAX ? BAWN_CLI_JOBS_MAX : jobs > 0 ? jobs : 1;
	int r = 0;
	while (r == 0 && s.n_workers < jobs) {
		struct worker *w = &s.worker[s.n_workers++];
		w->fd = -1;
		r = start(&s, w);
	}
	while (r == 0 && s.taken < p->n) {
		give_all(&s);
		r = wait_some(&s);
		r = r != 0 ? r : take_ready(&s);
		if (r == 0 && p->progress != NULL)
			p->progress(p->ctx, s.done);
	}
	return r;
}
