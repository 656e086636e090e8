/* soak.c - one process, many runs, several at a time, all kinds of ends; then nothing may have grown.
 *
 *	soak.t			a short one, for every test run
 *	soak.t RUNS AT_A_TIME	make soak: 10000 8
 *	soak.t neighbours	make soak: how much longer a small run takes beside others that burn all they are
 *				given, against the bound 1.5 x (burners + 1) / CPUs
 *
 * Through the installed interface alone.  What is counted before and after: descriptors and children of
 * this process and its resident memory; mounts, network namespaces, cgroups and launchers of the host. */
#include <bawn/bawn.h>
#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "tap.h"
#include "tmpdir.h"

#define MIB (1024u * 1024u)

static const struct kind { const char *language, *code, *want; uint64_t timeout_ms, memory, pids, disk; } kinds[] = {
	{ "python", "print(6*7)", "completed", 0, 0, 0, 0 },
	{ "bash", "seq 1 2000 | tail -n 1", "completed", 0, 0, 0, 0 },
	{ "python", "raise SystemExit(3)", "failed", 0, 0, 0, 0 },
	{ "bash", "kill -SEGV $$", "failed", 0, 0, 0, 0 },
	{ "bash", "while :; do :; done", "timeout", 300, 0, 0, 0 },
	{ "python", "x = bytearray(1 << 30)\nfor i in range(0, len(x), 4096): x[i] = 1", "memory_limit", 0, 64 * MIB, 0, 0 },
	{ "bash", "head -c 9000000 /dev/zero > big", "failed", 0, 0, 0, MIB },
	{ "bash", "head -c 3000000 /dev/zero", "completed", 0, 0, 0, 0 },
	{ "bash", "(setsid sleep 100 & ) ; (trap '' TERM HUP INT; sleep 100) & exit 0", "completed", 0, 0, 0, 0 },
	{ "bash", "mkfifo p; ln -s /etc/passwd l; mkdir -p a/b; echo x > a/b/c", "completed", 0, 0, 0, 0 },
};

struct soak { struct bawn *b; atomic_uint next, wrong; unsigned runs; };

static uint64_t run_one(struct bawn *b, const struct kind *k, char *status, size_t size, struct bawn_err *err)
{
	struct bawn_request req = { .size = sizeof req, .code = k->code, .code_size = strlen(k->code), .language = k->language,
		.timeout_ms = k->timeout_ms, .memory_bytes = k->memory, .pids = k->pids, .disk_bytes = k->disk };
	struct bawn_result *r = NULL;
	uint64_t from = bawn_monotonic_us();
	int e = bawn_assess_and_execute(b, &req, &r, err);
	snprintf(status, size, "%s", e == 0 ? bawn_result_status(r) : "no result");
	bawn_result_free(r);
	return bawn_monotonic_us() - from;
}

static void *worker(void *arg)
{
	struct soak *s = arg;
	for (unsigned i; (i = atomic_fetch_add(&s->next, 1)) < s->runs; ) {
		const struct kind *k = &kinds[i % BAWN_LEN(kinds)];
		struct bawn_err err = { 0 };
		char status[32];
		(void)run_one(s->b, k, status, sizeof status, &err);
		if (strcmp(status, k->want) != 0 && atomic_fetch_add(&s->wrong, 1) < 10)
			diag("run %u: %s, not %s: %s; %s", i, status, k->want, k->code, err.msg);
		if (s->runs > 1000 && i % 1000 == 999)
			diag("%u runs", i + 1);
	}
	return NULL;
}

static void go(struct soak *s, unsigned runs, unsigned at_a_time)
{
	pthread_t thread[64];
	atomic_store(&s->next, 0);
	s->runs = runs;
	for (unsigned i = 0; i < at_a_time; i++)
		if (pthread_create(&thread[i], NULL, worker, s) != 0)
			at_a_time = i;
	for (unsigned i = 0; i < at_a_time; i++)
		(void)pthread_join(thread[i], NULL);
}

/* ---- what there is ---- */

static long entries(const char *path, const char *start)
{
	long n = 0;
	bawn_auto_dir d = opendir(path);
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL; )
		n += strncmp(e->d_name, start, strlen(start)) == 0;
	return n;
}

static long cgroups(void)
{
	static const char *const at[] = { "", "/cpu", "/cpuacct", "/memory", "/pids" };
	long n = 0;
	for (size_t i = 0; i < BAWN_LEN(at); i++) {
		char path[64];
		snprintf(path, sizeof path, "/sys/fs/cgroup%s/bawn", at[i]);
		n += entries(path, "run-");
	}
	return n;
}

static long lines(const char *path)
{
	long n = 0;
	FILE *f = fopen(path, "re");
	for (int c; f != NULL && (c = getc(f)) != EOF; )
		n += c == '\n';
	if (f != NULL)
		(void)fclose(f);
	return n;
}

static long words(const char *path)
{
	long n = 0;
	char word[32];
	FILE *f = fopen(path, "re");
	while (f != NULL && fscanf(f, "%31s", word) == 1)
		n++;
	if (f != NULL)
		(void)fclose(f);
	return n;
}

/* Of all processes: launchers, and different network namespaces. */
static void look_at_processes(long *launchers, long *namespaces)
{
	static ino_t seen[4096];
	long n = 0;
	*launchers = 0;
	bawn_auto_dir d = opendir("/proc");
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL; ) {
		char path[300], comm[32] = "";
		struct stat st;
		long i = 0;
		if (e->d_name[0] < '0' || e->d_name[0] > '9')
			continue;
		snprintf(path, sizeof path, "/proc/%s/comm", e->d_name);
		FILE *f = fopen(path, "re");
		if (f != NULL) {
			*launchers += fscanf(f, "%31s", comm) == 1 && strcmp(comm, "launch") == 0;
			(void)fclose(f);
		}
		snprintf(path, sizeof path, "/proc/%s/ns/net", e->d_name);
		if (stat(path, &st) < 0)
			continue;
		while (i < n && seen[i] != st.st_ino)
			i++;
		if (i == n && n < (long)BAWN_LEN(seen))
			seen[n++] = st.st_ino;
	}
	*namespaces = n;
}

static long resident(void)
{
	long pages = 0;
	(void)malloc_trim(0);
	FILE *f = fopen("/proc/self/statm", "re");
	if (f != NULL) {
		if (fscanf(f, "%*d %ld", &pages) != 1)
			pages = 0;
		(void)fclose(f);
	}
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

enum count { FDS, CHILDREN, MOUNTS, CGROUPS, LAUNCHERS, NAMESPACES, COUNTS };
static const char *const count_name[] = { "descriptors", "children", "mounts", "cgroups", "launchers", "network namespaces" };
_Static_assert(BAWN_LEN(count_name) == COUNTS, "one name each");

static void take(long n[static COUNTS])
{
	n[FDS] = entries("/proc/self/fd", "");
	n[CHILDREN] = words("/proc/thread-self/children");
	n[MOUNTS] = lines("/proc/self/mountinfo");
	n[CGROUPS] = cgroups();
	look_at_processes(&n[LAUNCHERS], &n[NAMESPACES]);
}

/* Others may use bawn on this host at the same time: a moment is waited for what is theirs. */
static void nothing_grew(const long before[static COUNTS])
{
	long after[COUNTS];
	for (int patience = 0; patience < 50; patience++) {
		bool more = false;
		take(after);
		for (int i = 0; i < COUNTS; i++)
			more = more || after[i] > before[i];
		if (!more)
			break;
		(void)usleep(200000);
	}
	for (int i = 0; i < COUNTS; i++)
		ok(after[i] <= before[i], "%s: %ld before, %ld after", count_name[i], before[i], after[i]);
}

/* ---- neighbours ---- */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

#define ROUNDS 6
#define SMALL_RUNS 100  /* a round */
struct times { uint64_t us[ROUNDS * SMALL_RUNS]; size_t n; };

static void small_runs(struct bawn *b, struct times *t)
{
	for (int i = 0; i < SMALL_RUNS; i++) {
		char status[32];
		t->us[t->n++] = run_one(b, &kinds[0], status, sizeof status, NULL);
	}
}

static double ms_at(struct times *t, size_t percent)
{
	qsort(t->us, t->n, sizeof *t->us, by_value);
	return (double)t->us[t->n * percent / 100] / 1000;
}

struct burner { struct bawn *b; atomic_bool stop; };
static void *burn(void *arg)
{
	struct burner *u = arg;
	const struct kind k = { "bash", "while :; do :; done", "timeout", 3000, 0, 0, 0 };
	while (!atomic_load(&u->stop)) {
		char status[32];
		(void)run_one(u->b, &k, status, sizeof status, NULL);
	}
	return NULL;
}

/* Alone and beside the burners in turn: the machine has slow phases that last longer than a round. */
static void neighbours(struct bawn *b, unsigned burners)
{
	static struct times alone, beside;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	alone.n = beside.n = 0;
	for (int round = 0; round < ROUNDS; round++) {
		pthread_t thread[16];
		struct burner u = { .b = b };
		unsigned n = 0;
		small_runs(b, &alone);
		while (n < burners && pthread_create(&thread[n], NULL, burn, &u) == 0)
			n++;
		(void)usleep(500000);
		small_runs(b, &beside);
		atomic_store(&u.stop, true);
		for (unsigned i = 0; i < n; i++)
			(void)pthread_join(thread[i], NULL);
	}
	double most = 1.5 * (burners + 1) / (double)(cpus < 1 ? 1 : cpus), ratio = ms_at(&beside, 99) / ms_at(&alone, 99);
	most = most < 1.5 ? 1.5 : most;
	ok(ratio <= most, "beside %u that burn all they have, p99 of a small run is %.2f times that alone (at most %.2f)", burners, ratio, most);
	diag("p50 %.1f and %.1f ms, p99 %.1f and %.1f ms", ms_at(&alone, 50), ms_at(&beside, 50), ms_at(&alone, 99), ms_at(&beside, 99));
}

static void many_runs(struct bawn *b, unsigned runs, unsigned at_a_time)
{
	struct soak s = { .b = b };
	long before[COUNTS];
	go(&s, BAWN_LEN(kinds) * 5, at_a_time);  /* whatever is made once is made now */
	take(before);
	long memory = resident();
	go(&s, runs, at_a_time);
	ok(atomic_load(&s.wrong) == 0, "%u runs, %u at a time, each ended as it should", runs, at_a_time);
	nothing_grew(before);
	/* The allocator keeps some; a leak of 200 bytes a run would show in the long one. */
	ok(resident() - memory < 2048, "resident memory grew by %ld kB", resident() - memory);
}

int main(int argc, char **argv)
{
	unsigned runs = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 200, at_a_time = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 4;
	auto_tmpdir dir = tmpdir_make();
	char state[128];
	snprintf(state, sizeof state, "%s/state", dir.path);  /* what stands beside it goes, too */
	struct bawn_options options = { .size = sizeof options, .state_dir = state };
	struct bawn_err err = { 0 };
	struct bawn *b = NULL;
	(void)mallopt(M_ARENA_MAX, 1);  /* what the allocator keeps for each thread would hide a leak */
	if (bawn_open(&options, &b, &err) < 0) {
		ok(false, "open: %s", err.msg);
		return done_testing();
	}
	if (argc > 1 && strcmp(argv[1], "neighbours") == 0) {
		neighbours(b, 2);
		neighbours(b, 6);
	} else {
		many_runs(b, runs, at_a_time < 1 ? 1 : at_a_time > 64 ? 64 : at_a_time);
	}
	bawn_close(b);
	return done_testing();
}
