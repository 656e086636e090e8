/* bench.c - what the log costs beside the disk it writes to.
 *
 *	bench-audit [SECONDS [ROUNDS [MODE]]]    MODE: only that one, by its number from 0, to be looked at with a profiler
 *
 * All modes take turns within each round, and only ratios within one run mean anything: whether
 * fdatasync reaches stable media, and what else the machine does, no program here can know. */
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "audit/audit.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "tmpdir.h"

#define CALLERS 32
#define LINE    512
#define SAMPLES 200000u
#define ROUNDS_MAX 50

extern char **environ;

/* Shared between the processes of one measurement. */
struct meter { atomic_uint n; uint32_t us[SAMPLES]; };

struct mode {
	const char *name;
	int         callers;
	void      (*one)(struct mode *m, uint64_t until_us);  /* one caller, until then */
	bool        threads, sign_every, keep_tokens, alone;  /* alone: no witness is told */
	void      (*commit)(unsigned n);                      /* of `grouped`: n lines of the queue become durable */
	double      per_s[ROUNDS_MAX], p50[ROUNDS_MAX], p99[ROUNDS_MAX];
	const char *dir;
	struct bawn_audit *shared;
	struct meter *meter;
};

static void note(struct mode *m, uint64_t from)
{
	unsigned i = atomic_fetch_add(&m->meter->n, 1);
	if (i < SAMPLES)
		m->meter->us[i] = (uint32_t)(bawn_monotonic_us() - from);
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void raw(struct mode *m, uint64_t until_us)
{
	char line[LINE];
	memset(line, 'x', sizeof line);
	line[LINE - 1] = '\n';
	bawn_auto_buf path = BAWN_BUF(200);
	bawn_buf_fmt(&path, "%s/raw", m->dir);
	bawn_auto_fd fd = open(path.p, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	for (uint64_t t; (t = bawn_monotonic_us()) < until_us; note(m, t))
		if (write(fd, line, sizeof line) != (ssize_t)sizeof line || fdatasync(fd) < 0)
			die("raw append");
}

static void put_until(struct mode *m, struct bawn_audit *a, uint64_t until_us)
{
	char text[LINE - 360];  /* with its members about LINE bytes */
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = "a sentence, /a/path/main.py x=1 "[i % 32];
	text[sizeof text - 1] = '\0';
	bawn_auto_json body = json_pack("{s:s}", "text", text);
	struct bawn_record rec = { .type = BAWN_RECORD_EXEC_OUTCOME, .exec = "01ARZ3NDEKTSV4RRFFQ69G5FAV", .body = body };
	struct bawn_err err = { 0 };
	for (uint64_t t; (t = bawn_monotonic_us()) < until_us; note(m, t))
		if (bawn_audit_put(a, &rec, NULL, &err) < 0) {
			fprintf(stderr, "%s\n", err.msg);
			exit(1);
		}
}

static struct bawn_audit *open_log(const struct mode *m)
{
	struct bawn_audit *a = NULL;
	struct bawn_err err = { 0 };
	bawn_auto_buf path = BAWN_BUF(200), witness = BAWN_BUF(200);
	bawn_buf_fmt(&path, "%s/%s", m->dir, m->alone ? "alone" : "audit");
	bawn_buf_fmt(&witness, "%s/witness", m->dir);
	if (bawn_audit_open(path.p, &(struct bawn_audit_options){ .node = "bench", .sign_every = m->sign_every, .keep_tokens = m->keep_tokens,
	                    .witness = m->alone ? NULL : witness.p, .witness_must = true }, &a, &err) < 0) {
		fprintf(stderr, "%s\n", err.msg);
		exit(1);
	}
	return a;
}

static void logged(struct mode *m, uint64_t until_us)
{
	struct bawn_audit *a = m->shared != NULL ? m->shared : open_log(m);
	put_until(m, a, until_us);
	if (m->shared == NULL)
		a->ops->close(a);
}

/* Group commit without any of our work: lines of the same length, made durable together for all that wait,
 * by one write and fdatasync, or as rows of one SQLite transaction.  What the log costs beyond the first is
 * hashing, signing, JSON and head. */
static struct { pthread_mutex_t mutex; pthread_cond_t changed; void (*commit)(unsigned n); unsigned waiting; uint64_t batch, done; bool busy; char *bytes; } queue =
	{ .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
static struct { int fd; sqlite3 *db; sqlite3_stmt *insert; } store = { .fd = -1 };

static void commit_file(unsigned n)
{
	if (write(store.fd, queue.bytes, n * (size_t)LINE) != (ssize_t)(n * (size_t)LINE) || fdatasync(store.fd) < 0)
		die("group append");
}

static void sql(const char *text)
{
	if (sqlite3_exec(store.db, text, NULL, NULL, NULL) != SQLITE_OK)
		die(sqlite3_errmsg(store.db));
}

static void commit_sqlite(unsigned n)
{
	sql("BEGIN");
	for (unsigned i = 0; i < n; i++) {
		(void)sqlite3_bind_blob(store.insert, 1, queue.bytes + i * (size_t)LINE, LINE, SQLITE_STATIC);
		if (sqlite3_step(store.insert) != SQLITE_DONE || sqlite3_reset(store.insert) != SQLITE_OK)
			die(sqlite3_errmsg(store.db));
	}
	sql("COMMIT");
}

static void open_store(const struct mode *m)
{
	bawn_auto_buf path = BAWN_BUF(200), db = BAWN_BUF(200);
	bawn_buf_fmt(&path, "%s/group", m->dir);
	bawn_buf_fmt(&db, "%s/group.db", m->dir);
	store.fd = open(path.p, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (store.fd < 0 || sqlite3_open(db.p, &store.db) != SQLITE_OK)
		die("open a store");
	sql("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE IF NOT EXISTS log (seq INTEGER PRIMARY KEY, line BLOB)");
	if (sqlite3_prepare_v2(store.db, "INSERT INTO log (line) VALUES (?)", -1, &store.insert, NULL) != SQLITE_OK)
		die("prepare");
	queue.bytes = calloc(2 * CALLERS, LINE);
	queue.commit = m->commit;
}

static void close_store(void)
{
	(void)sqlite3_finalize(store.insert);
	(void)sqlite3_close(store.db);
	bawn_close_fdp(&store.fd);
	store.fd = -1;
	free(queue.bytes);
	queue.bytes = NULL;
}

static void commit_waiting(void)
{
	unsigned n = queue.waiting;
	queue.waiting = 0;
	queue.batch++;
	queue.busy = true;
	pthread_mutex_unlock(&queue.mutex);
	queue.commit(n);
	pthread_mutex_lock(&queue.mutex);
	queue.busy = false;
	queue.done = queue.batch;
	pthread_cond_broadcast(&queue.changed);
}

static void grouped(struct mode *m, uint64_t until_us)
{
	for (uint64_t t; (t = bawn_monotonic_us()) < until_us; note(m, t)) {
		pthread_mutex_lock(&queue.mutex);
		memset(queue.bytes + queue.waiting * (size_t)LINE + CALLERS * (size_t)LINE, 'x', LINE);
		queue.waiting++;
		const uint64_t mine = queue.batch + 1;
		while (queue.done < mine)
			if (queue.busy)
				pthread_cond_wait(&queue.changed, &queue.mutex);
			else
				commit_waiting();
		pthread_mutex_unlock(&queue.mutex);
	}
}

struct thread_arg { struct mode *m; uint64_t until; };
static void *thread_main(void *arg)
{
	struct thread_arg *t = arg;
	t->m->one(t->m, t->until);
	return NULL;
}

static void run_threads(struct mode *m, uint64_t until)
{
	pthread_t t[CALLERS];
	struct thread_arg arg = { m, until };
	if (m->one == grouped)
		open_store(m);
	else
		m->shared = open_log(m);
	for (int i = 0; i < m->callers; i++)
		if (pthread_create(&t[i], NULL, thread_main, &arg) != 0)
			die("pthread_create");
	for (int i = 0; i < m->callers; i++)
		(void)pthread_join(t[i], NULL);
	if (m->one == grouped)
		close_store();
	else
		m->shared->ops->close(m->shared);
	m->shared = NULL;
}

static void run_processes(struct mode *m, uint64_t until)
{
	pid_t pid[CALLERS];
	for (int i = 0; i < m->callers; i++)
		if ((pid[i] = fork()) == 0) {
			m->one(m, until);
			_exit(0);
		}
	for (int i = 0; i < m->callers; i++)
		(void)waitpid(pid[i], NULL, 0);
}

static int by_us(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}
static int by_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void run(struct mode *m, int round, double seconds)
{
	uint64_t from = bawn_monotonic_us(), until = from + (uint64_t)(seconds * 1e6);
	atomic_store(&m->meter->n, 0);
	(m->threads ? run_threads : run_processes)(m, until);
	unsigned n = atomic_load(&m->meter->n), kept = n < SAMPLES ? n : SAMPLES;
	qsort(m->meter->us, kept, sizeof *m->meter->us, by_us);
	m->per_s[round] = n / ((double)(bawn_monotonic_us() - from) / 1e6);
	m->p50[round] = kept > 0 ? m->meter->us[kept / 2] / 1e3 : 0;
	m->p99[round] = kept > 0 ? m->meter->us[(uint64_t)kept * 99 / 100] / 1e3 : 0;
}

static double median(const double *v, int n)
{
	double copy[ROUNDS_MAX];
	memcpy(copy, v, (size_t)n * sizeof *v);
	qsort(copy, (size_t)n, sizeof *copy, by_double);
	return copy[n / 2];
}

/* The median over rounds of a/b within each round. */
static double ratio(const double *a, const double *b, int n)
{
	double r[ROUNDS_MAX];
	for (int i = 0; i < n; i++)
		r[i] = b[i] > 0 ? a[i] / b[i] : 0;
	return median(r, n);
}

/* A bar, and whether it was reached. */
static void bar(const char *what, double got, double must, double aim, bool at_most)
{
	const bool met = at_most ? got <= must : got >= must;
	printf("%s: %.2f (must %.2f", what, got, must);
	if (aim > 0)
		printf(", aim %.2f", aim);
	printf("): %s\n", met ? "met" : "MISSED");
}

/* ---- verification ---- */

static double seconds_of(char *const argv[])
{
	posix_spawn_file_actions_t quiet;
	pid_t pid;
	int status;
	(void)posix_spawn_file_actions_init(&quiet);
	(void)posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
	uint64_t from = bawn_monotonic_us();
	int r = posix_spawnp(&pid, argv[0], &quiet, NULL, argv, environ);
	(void)posix_spawn_file_actions_destroy(&quiet);
	if (r != 0 || waitpid(pid, &status, 0) != pid || status != 0)
		return 0;
	return (double)(bawn_monotonic_us() - from) / 1e6;
}

static double plain_seconds(const char *file)
{
	static char chunk[1u << 20];
	struct bawn_sha256 h;
	uint8_t raw_hash[BAWN_SHA256_LEN];
	bawn_auto_fd fd = open(file, O_RDONLY | O_CLOEXEC);
	uint64_t from = bawn_monotonic_us();
	bawn_sha256_init(&h);
	for (ssize_t n; (n = read(fd, chunk, sizeof chunk)) > 0; )
		bawn_sha256_add(&h, chunk, (size_t)n);
	bawn_sha256_end(&h, raw_hash);
	return (double)(bawn_monotonic_us() - from) / 1e6;
}

/* MB/s */
static double verify_rate(const char *dir, unsigned jobs, struct bawn_audit_report *out)
{
	uint64_t from = bawn_monotonic_us();
	if (bawn_audit_verify(dir, &(struct bawn_audit_verify_options){ .jobs = jobs }, out, NULL) < 0 || !out->ok)
		die("verify");
	return (double)out->bytes / (double)(bawn_monotonic_us() - from);
}

/* A log of `commits` commits with `each` entries: how often it was signed decides what there is to check. */
static void bench_verify(const char *dir, int commits, int each, int rounds)
{
	bawn_auto_buf path = BAWN_BUF(200), seg = BAWN_BUF(300);
	bawn_buf_fmt(&path, "%s/big-%d", dir, each);
	bawn_buf_fmt(&seg, "%s/seg/000000000000.jsonl", path.p);
	struct bawn_audit *a = NULL;
	struct bawn_audit_report report = { 0 };
	char text[LINE - 360];
	memset(text, 'y', sizeof text);
	text[sizeof text - 1] = '\0';
	bawn_auto_json body = json_pack("{s:s}", "text", text);
	struct bawn_record rec = { .type = BAWN_RECORD_EXEC_OUTCOME, .body = body };
	if (bawn_audit_open(path.p, &(struct bawn_audit_options){ .max_segment_bytes = 1u << 30 }, &a, NULL) < 0)
		die("open a log");
	for (int i = 0; i < commits; i++) {
		uint64_t ticket = 0;
		for (int k = 0; k < each; k++)
			if (a->ops->append(a, &rec, &ticket, NULL) < 0)
				die("append");
		if (a->ops->wait(a, ticket, NULL, NULL) < 0)
			die("wait");
	}
	a->ops->close(a);
	double ours[ROUNDS_MAX], two[ROUNDS_MAX], theirs[ROUNDS_MAX], coreutils[ROUNDS_MAX], plain[ROUNDS_MAX], back[ROUNDS_MAX];
	for (int i = 0; i < rounds; i++) {
		ours[i] = verify_rate(path.p, 1, &report);
		two[i] = verify_rate(path.p, 2, &report);
		uint64_t from, n = 0;
		double s = seconds_of((char *[]){ (char []){ "openssl" }, (char []){ "dgst" }, (char []){ "-sha256" }, seg.p, NULL });
		theirs[i] = s > 0 ? (double)report.bytes / 1e6 / s : 0;
		s = seconds_of((char *[]){ (char []){ "sha256sum" }, seg.p, NULL });
		coreutils[i] = s > 0 ? (double)report.bytes / 1e6 / s : 0;
		plain[i] = (double)report.bytes / 1e6 / plain_seconds(seg.p);
		from = bawn_monotonic_us();
		if (bawn_audit_size(path.p, &n, NULL) < 0)
			die("size");
		if (bawn_audit_open(path.p, &(struct bawn_audit_options){ 0 }, &a, NULL) < 0)
			die("open");
		a->ops->close(a);
		back[i] = (double)(bawn_monotonic_us() - from);
	}
	printf("verify, %.0f MB, %llu entries in commits of %d: %.0f MB/s; openssl dgst -sha256 %.0f MB/s; sha256sum %.0f MB/s; the same hash as ours, plain %.0f MB/s\n",
	       (double)report.bytes / 1e6, (unsigned long long)report.entries, each, median(ours, rounds), median(theirs, rounds),
	       median(coreutils, rounds), median(plain, rounds));
	if (median(theirs, rounds) > 0 && each >= 100)
		bar("  verify / openssl", ratio(ours, theirs, rounds), 0.30, 0, false);
	else if (median(theirs, rounds) > 0)  /* signatures are nearly all of it: there is no bar for them */
		printf("  verify / openssl: %.2f\n", ratio(ours, theirs, rounds));
	bar("  two threads / one", ratio(two, ours, rounds), 1.60, 1.90, false);
	if (median(coreutils, rounds) > 0)
		printf("  verify / sha256sum %.2f   ", ratio(ours, coreutils, rounds));
	printf("  verify / plain hash %.2f   open+size %.0f us\n", ratio(ours, plain, rounds), median(back, rounds));
}

/* ---- a long log ---- */

static bool add_many(const char *dir, uint64_t n)
{
	static const char *const level[] = { "LOW", "LOW", "LOW", "MEDIUM", "HIGH" };
	static const enum bawn_record_type type[] = { BAWN_RECORD_ASSESS_DONE, BAWN_RECORD_EXEC_INTENT, BAWN_RECORD_SANDBOX_CREATED, BAWN_RECORD_EXEC_OUTCOME };
	struct bawn_audit *a = NULL;
	bool good = bawn_audit_open(dir, &(struct bawn_audit_options){ .node = "bench", .max_segment_bytes = 100u << 20 }, &a, NULL) == 0;
	for (uint64_t i = 0; good && i < n; ) {
		uint64_t ticket = 0;
		for (int k = 0; good && k < 8000 && i < n; k++, i++) {
			char exec[32], session[16];
			snprintf(exec, sizeof exec, "01K%08lluBENCH", (unsigned long long)(i / 4));
			snprintf(session, sizeof session, "s%llu", (unsigned long long)(i / 4 % 1000));
			bawn_auto_json body = json_pack("{s:s,s:s,s:{s:s}}", "level", i / 4 == 5 ? "BLOCKED" : level[i / 4 % 5], "status", "completed", "labels", "name", "bench");
			good = a->ops->append(a, &(struct bawn_record){ .type = type[i % 4], .exec = exec, .session = session, .body = body }, &ticket, NULL) == 0;
		}
		good = good && a->ops->wait(a, ticket, NULL, NULL) == 0;
	}
	if (a != NULL)
		a->ops->close(a);
	return good;
}

struct wanted { const struct bawn_find *f; uint64_t left; };
static int take(void *ctx, const struct bawn_entry *e)
{
	struct wanted *w = ctx;
	const struct bawn_find *f = w->f;
	if (e == NULL)
		die("the index was not good");
	const char *level = json_string_value(json_object_get(json_object_get(e->json, "body"), "level")), *exec = json_string_value(json_object_get(e->json, "exec"));
	const bool met = (f->level == NULL || (level != NULL && strcmp(level, f->level) == 0)) && (f->exec == NULL || (exec != NULL && strcmp(exec, f->exec) == 0));
	return met && --w->left == 0;
}

/* Milliseconds to find some entries. */
static double find_ms(const char *dir, const char *helper, const struct bawn_find *f, uint64_t n)
{
	struct wanted w = { f, n };
	const uint64_t from = bawn_monotonic_us();
	if (bawn_audit_find(dir, helper, f, take, &w, NULL) < 0 || w.left > 0)
		die("find");
	return (double)(bawn_monotonic_us() - from) / 1e3;
}

static void bench_find(const char *dir, int rounds, uint64_t entries)
{
	bawn_auto_buf path = BAWN_BUF(200);
	bawn_buf_fmt(&path, "%s/long", dir);
	if (!add_many(path.p, entries))
		die("make a long log");
	const struct bawn_find last = { 0 }, rare = { .level = "BLOCKED" }, one = { .one = true, .seq = entries / 2 }, exec = { .exec = "01K00000005BENCH" };
	const double scan = find_ms(path.p, NULL, &rare, 4), made = find_ms(path.p, HELPER, &rare, 4);
	double opened[ROUNDS_MAX], row[4][ROUNDS_MAX], proof[ROUNDS_MAX];
	for (int i = 0; i < rounds; i++) {
		struct bawn_audit *a = NULL;
		uint64_t from = bawn_monotonic_us();
		if (bawn_audit_open(path.p, &(struct bawn_audit_options){ 0 }, &a, NULL) < 0)
			die("open");
		opened[i] = (double)(bawn_monotonic_us() - from) / 1e3;
		a->ops->close(a);
		row[0][i] = find_ms(path.p, HELPER, &last, 20);
		row[1][i] = find_ms(path.p, HELPER, &one, 1);
		row[2][i] = find_ms(path.p, HELPER, &exec, 4);
		row[3][i] = find_ms(path.p, HELPER, &rare, 4);
		bawn_auto_buf text = BAWN_BUF(1u << 16);
		from = bawn_monotonic_us();
		if (bawn_audit_proof(path.p, entries / 2, &text, NULL) < 0)
			die("proof");
		proof[i] = (double)(bawn_monotonic_us() - from) / 1e3;
	}
	printf("a log of %llu entries: open %.2f ms (must 5), last 20 %.2f ms, one by its number %.2f ms, an execution %.2f ms, a rare level %.2f ms, proof %.2f ms\n",
	       (unsigned long long)entries, median(opened, rounds), median(row[0], rounds), median(row[1], rounds), median(row[2], rounds), median(row[3], rounds), median(proof, rounds));
	printf("  the rare level by reading everything %.0f ms, while the index is made %.0f ms; reading / index %.0f\n", scan, made, scan / median(row[3], rounds));
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 1.0;
	long asked = argc > 2 ? strtol(argv[2], NULL, 10) : 7;
	int rounds = asked < 1 ? 1 : asked > ROUNDS_MAX ? ROUNDS_MAX : (int)asked;
	auto_tmpdir tmp = tmpdir_make();
	struct meter *meter = mmap(NULL, sizeof *meter, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (meter == MAP_FAILED)
		die("mmap");
	struct mode mode[] = {
		{ .name = "raw append+fdatasync, 1 process",   .callers = 1, .one = raw },
		{ .name = "log, 1 process",                    .callers = 1, .one = logged },
		{ .name = "raw append+fdatasync, 32 processes", .callers = CALLERS, .one = raw },
		{ .name = "log, 32 processes",                 .callers = CALLERS, .one = logged },
		{ .name = "log, 32 threads of one process",    .callers = CALLERS, .one = logged, .threads = true },
		{ .name = "group commit alone, 32 threads",    .callers = CALLERS, .one = grouped, .threads = true, .commit = commit_file },
		{ .name = "log, 32 threads, each entry signed", .callers = CALLERS, .one = logged, .threads = true, .sign_every = true },
		{ .name = "log, 32 threads, nothing redacted", .callers = CALLERS, .one = logged, .threads = true, .keep_tokens = true },
		{ .name = "log, 32 threads, without a witness", .callers = CALLERS, .one = logged, .threads = true, .alone = true },
		{ .name = "log, 1 process, without a witness", .callers = 1, .one = logged, .alone = true },
		{ .name = "SQLite behind a queue, 32 threads", .callers = CALLERS, .one = grouped, .threads = true, .commit = commit_sqlite },
	};
	for (size_t i = 0; i < BAWN_LEN(mode); i++) {
		mode[i].dir = tmp.path;
		mode[i].meter = meter;
	}
	if (argc > 3) {
		struct mode *m = &mode[strtoul(argv[3], NULL, 10) % BAWN_LEN(mode)];
		for (int r = 0; r < rounds; r++)
			run(m, r, seconds);
		printf("%s: %.0f /s\n", m->name, median(m->per_s, rounds));
		return 0;
	}
	for (int r = 0; r < rounds; r++)
		for (size_t i = 0; i < BAWN_LEN(mode); i++)
			run(&mode[i], r, seconds);
	for (size_t i = 0; i < BAWN_LEN(mode); i++)
		printf("%-36s %8.0f /s   p50 %7.3f ms   p99 %7.3f ms\n", mode[i].name,
		       median(mode[i].per_s, rounds), median(mode[i].p50, rounds), median(mode[i].p99, rounds));
	bar("1 caller p50, log / raw", ratio(mode[1].p50, mode[0].p50, rounds), 1.60, 1.30, true);
	printf("32 processes, log / raw appends: %.2f\n", ratio(mode[3].per_s, mode[2].per_s, rounds));
	printf("32 threads, log / raw 32 processes: %.2f   / raw 1 process: %.2f\n", ratio(mode[4].per_s, mode[2].per_s, rounds), ratio(mode[4].per_s, mode[0].per_s, rounds));
	bar("32 threads, log / group commit alone", ratio(mode[4].per_s, mode[5].per_s, rounds), 0.65, 0.90, false);
	bar("32 threads, log / SQLite behind the same queue", ratio(mode[4].per_s, mode[10].per_s, rounds), 0.60, 1.00, false);
	bar("32 threads, each entry signed / each commit", ratio(mode[6].per_s, mode[4].per_s, rounds), 0.40, 0.60, false);
	printf("32 threads, secrets looked for / not: %.2f\n", ratio(mode[4].per_s, mode[7].per_s, rounds));
	printf("with / without a witness: 32 threads %.2f, 1 process %.2f\n", ratio(mode[4].per_s, mode[8].per_s, rounds), ratio(mode[1].per_s, mode[9].per_s, rounds));
	bench_verify(tmp.path, 20, 8000, rounds);
	bench_verify(tmp.path, seconds >= 0.5 ? 20000 : 2000, 3, rounds);
	bench_find(tmp.path, rounds, seconds >= 0.5 ? 1000000 : 100000);
	return 0;
}
