/* kill.c - kill -9 at any moment, under load: no acknowledged record is lost, and the log stays good.
 *
 *	kill.t		50 times
 *	kill.t COUNT	make soak: 1000
 *
 * Three processes, two threads each, write to one log, and from time to time `bawn run` does; each tells this
 * one down a pipe which records were acknowledged to it, and with which hash.  They are killed one after the
 * other, at random.  Then the log is opened, verified by `bawn audit verify`, and asked for all of them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "audit/audit.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "config.h"
#include "tap.h"
#include "tmpdir.h"

#define WRITERS 3
#define LARGE   300000  /* bytes: long enough for a kill to come in the middle of the write */
#define PRUNE   50      /* kills after which the log is made short again: it is read as a whole after each */

struct ack { uint64_t seq; char hash[BAWN_SHA256_HEX]; };  /* smaller than PIPE_BUF: written whole or not at all */
static struct { struct ack *ack; size_t n, room; } acks;
static struct { char state[128], audit[160], witness[160]; } at;
static uint64_t dice;

static unsigned roll(unsigned n)
{
	dice = dice * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(dice >> 33) % n;
}

static struct bawn_audit_options options(void)
{
	return (struct bawn_audit_options){ .node = "n", .max_segment_bytes = 1000000, .witness = at.witness, .witness_must = true, .reserve_bytes = 1u << 16 };
}

/* ---- a writer ---- */

struct writer { struct bawn_audit *log; int to, number; };

static void tell(int fd, const struct bawn_receipt *r)
{
	struct ack a = { .seq = r->seq };
	memcpy(a.hash, r->hash, sizeof a.hash);
	if (write(fd, &a, sizeof a) != (ssize_t)sizeof a)
		_exit(1);
}

static int put_some(const struct writer *w, unsigned n, size_t bytes, struct bawn_err *err)
{
	static const char text[] = { [0 ... LARGE] = 't' };
	uint64_t ticket[16] = { 0 };
	int r = 0;
	for (unsigned i = 0; r == 0 && i < n; i++) {
		bawn_auto_json body = json_pack("{s:i,s:s%}", "writer", w->number, "text", text, bytes);
		r = w->log->ops->append(w->log, &(struct bawn_record){ .type = BAWN_RECORD_EXEC_OUTCOME, .exec = "E", .body = body }, &ticket[i], err);
	}
	for (unsigned i = 0; r == 0 && i < n; i++) {
		struct bawn_receipt receipt;
		r = w->log->ops->wait(w->log, ticket[i], &receipt, err);
		if (r == 0)
			tell(w->to, &receipt);
	}
	return r;
}

static void *write_on(void *arg)
{
	const struct writer *w = arg;
	struct bawn_err err = { 0 };
	unsigned mine;  /* each thread its own */
	if (getrandom(&mine, sizeof mine, 0) != (ssize_t)sizeof mine)
		_exit(1);
	for (;; mine = mine * 1103515245u + 12345u)
		if (put_some(w, mine >> 16 & 4 ? 1 : 8, mine >> 20 & 31 ? 30 : LARGE, &err) < 0) {
			fprintf(stderr, "# writer: %s\n", err.msg);
			_exit(1);
		}
	return NULL;
}

static pid_t start_writer(int to, int number, bool new_key)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	const struct bawn_audit_options o = options();
	struct bawn_err err = { 0 };
	struct writer w = { .to = to, .number = number };
	struct bawn_receipt receipt;
	pthread_t second;
	if (new_key && bawn_audit_rotate_key(at.audit, &o, NULL, &receipt, &err) == 0)
		tell(to, &receipt);
	if (bawn_audit_open(at.audit, &o, &w.log, &err) < 0 || pthread_create(&second, NULL, write_on, &w) != 0) {
		fprintf(stderr, "# open: %s\n", err.msg);
		_exit(1);
	}
	(void)write_on(&w);
	_exit(1);
}

/* `bawn run`: what it prints in the end is its acknowledgement. */
static pid_t start_run(int to)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)dup2(to, 1);
	(void)execl(BAWN_BUILD_BAWN, "bawn", "run", "--state", at.state, "--json", "-c", "print(1)", (char *)NULL);
	_exit(1);
}

/* ---- reading what was acknowledged ---- */

static void remember(const struct ack *a)
{
	if (acks.n == acks.room) {
		acks.room = acks.room * 2 + 1000;
		acks.ack = realloc(acks.ack, acks.room * sizeof *acks.ack);
		if (acks.ack == NULL)
			abort();
	}
	acks.ack[acks.n++] = *a;
}

static void read_acks(int fd)
{
	struct ack a;
	while (read(fd, &a, sizeof a) == (ssize_t)sizeof a)
		remember(&a);
}

/* A result that is whole was acknowledged. */
static void read_result(int fd)
{
	bawn_auto_buf text = BAWN_BUF(1u << 20);
	bawn_auto_json doc = NULL;
	if (bawn_read_fd(fd, "result", &text, NULL) < 0 || bawn_json_parse(bawn_buf_span(&text), &doc, NULL) < 0)
		return;
	const json_t *audit = json_object_get(doc, "audit");
	const char *hash = json_string_value(json_object_get(audit, "hash"));
	struct ack a = { .seq = (uint64_t)json_integer_value(json_object_get(audit, "outcome_seq")) };
	if (hash == NULL || a.seq == 0) {
		diag("bawn run: %.300s", text.p);
		return;
	}
	snprintf(a.hash, sizeof a.hash, "%s", hash);
	remember(&a);
}

/* ---- judging ---- */

struct search { size_t next, found; };  /* acks from `next` on are in order of seq */

static int by_seq(const void *x, const void *y)
{
	const struct ack *a = x, *b = y;
	return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static int compare(void *ctx, const struct bawn_entry *e)
{
	struct search *s = ctx;
	const char *hash = json_string_value(json_object_get(e->json, "hash"));
	while (s->next < acks.n && acks.ack[s->next].seq <= e->seq) {
		const struct ack *a = &acks.ack[s->next++];
		s->found += a->seq == e->seq && hash != NULL && strcmp(a->hash, hash) == 0;
	}
	return 0;
}

/* Of the acknowledgements from the `first` on, how many are not in the log. */
static size_t lost_since(size_t first)
{
	struct search s = { .next = first };
	struct bawn_err err = { 0 };
	if (acks.n == first)
		return 0;
	qsort(acks.ack + first, acks.n - first, sizeof *acks.ack, by_seq);
	if (bawn_audit_walk(at.audit, acks.ack[first].seq, compare, &s, &err) < 0)
		diag("walk: %s", err.msg);
	return acks.n - first - s.found;
}

static bool verify_says_good(void)
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0) {
		(void)dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), 1);
		(void)execl(BAWN_BUILD_BAWN, "bawn", "audit", "verify", "--state", at.state, (char *)NULL);
		_exit(1);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 3;  /* by one user: integrity only */
}

static bool opens(void)
{
	const struct bawn_audit_options o = options();
	struct bawn_audit *a = NULL;
	struct bawn_err err = { 0 };
	if (bawn_audit_open(at.audit, &o, &a, &err) < 0)
		diag("open: %s", err.msg);
	if (a != NULL)
		a->ops->close(a);
	return a != NULL;
}

/* ---- a round ---- */

/* Writers at work, killed one after the other.  *out_early: one that ended before it was killed. */
static void crash(bool with_run, bool new_key, int *out_early)
{
	int p[2], q[2];
	struct { pid_t pid; bool run; } who[WRITERS + 1];
	int n = 0;
	if (pipe2(p, O_CLOEXEC) < 0 || pipe2(q, O_CLOEXEC) < 0)
		abort();
	(void)fcntl(p[1], F_SETPIPE_SZ, 1 << 20);  /* nobody reads while they write */
	for (; n < WRITERS; n++)
		who[n].pid = start_writer(p[1], n, new_key && n == 0), who[n].run = false;
	if (with_run)
		who[n].pid = start_run(q[1]), who[n++].run = true;
	(void)close(p[1]);
	(void)close(q[1]);
	(void)usleep(1000 + roll(with_run ? 90000 : 12000));
	while (n > 0) {
		int status = 0, i = (int)roll((unsigned)n);
		if (waitpid(who[i].pid, &status, WNOHANG) == who[i].pid) {
			*out_early += !who[i].run;  /* bawn run may come to its end */
		} else {
			(void)kill(who[i].pid, SIGKILL);
			(void)waitpid(who[i].pid, NULL, 0);
		}
		who[i] = who[--n];
		(void)usleep(roll(3000));
	}
	read_acks(p[0]);
	read_result(q[0]);
	(void)close(p[0]);
	(void)close(q[0]);
}

/* All that was acknowledged so far has been found, and goes to an archive. */
static bool shorten(void)
{
	char archive[160];
	const struct bawn_audit_options o = options();
	struct bawn_pruned done = { 0 };
	struct bawn_err err = { 0 };
	snprintf(archive, sizeof archive, "%s-archive", at.state);
	int r = bawn_audit_prune(at.audit, &o, &(struct bawn_prune){ .before_us = UINT64_MAX, .export_path = archive }, &done, &err);
	if (r < 0)
		diag("prune: %s", err.msg);
	(void)unlink(archive);
	acks.n = 0;
	return r == 0;
}

struct recoveries { uint64_t count, entries; };
static int count_recoveries(void *ctx, const struct bawn_entry *e)
{
	struct recoveries *r = ctx;
	const char *type = json_string_value(json_object_get(e->json, "type"));
	r->count += e->seq >= r->entries && type != NULL && strcmp(type, "log.recovered") == 0;
	r->entries = e->seq + 1;
	return 0;
}

int main(int argc, char **argv)
{
	const int count = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 50;
	auto_tmpdir tmp = tmpdir_make();
	int rounds = 0, refused = 0, alarms = 0, early = 0, runs = 0;
	size_t lost = 0, all = 0;
	struct recoveries r = { 0 };
	snprintf(at.state, sizeof at.state, "%s/state", tmp.path);
	snprintf(at.audit, sizeof at.audit, "%s/audit", at.state);
	snprintf(at.witness, sizeof at.witness, "%s-witness", at.state);
	dice = (uint64_t)getpid();
	for (; rounds < count && lost == 0 && alarms == 0 && refused == 0; rounds++) {
		const size_t before = acks.n;
		const bool with_run = rounds % 5 == 4 && access("/usr/bin/python3", X_OK) == 0;
		crash(with_run, rounds % 20 == 19, &early);
		runs += with_run;
		refused += rounds % 2 == 0 && !opens();  /* else the writers of the next round are the first to open it */
		lost += lost_since(before);
		all += acks.n - before;
		alarms += all > 0 && !verify_says_good();
		if (rounds % PRUNE != PRUNE - 1 && rounds + 1 < count)
			continue;
		lost += lost_since(0);
		(void)!bawn_audit_walk(at.audit, 0, count_recoveries, &r, NULL);
		alarms += !shorten() || !verify_says_good();
		if (count > 100)
			diag("%d kills, %zu records acknowledged, %" PRIu64 " torn tails", rounds + 1, all, r.count);
	}
	ok(rounds == count && lost == 0 && all > 0, "%d times kill -9 of %d writers and %d of bawn run: %zu of %zu acknowledged records lost", rounds, WRITERS, runs, lost, all);
	ok(alarms == 0 && refused == 0 && opens(), "no alarm and no refusal in between: %" PRIu64 " entries, %" PRIu64 " torn tails recorded", r.entries, r.count);
	ok(early == 0, "no writer failed (%d did)", early);
	free(acks.ack);
	return done_testing();
}
