/* bench.c - what a sandbox costs beside bwrap and a bare interpreter, interleaved in one run so that the
 * ratios hold whatever else the machine does.
 *
 *	bench-sandbox [ROUNDS [TABLE]]	default 100, all three
 *
 * Three tables: whole runs back to back (the command with its log on disk), the same with a pause
 * before each, and the launcher alone around /bin/true.  Bars: a whole run 1.15 times bwrap, 1.35 times
 * after a pause, the launcher half of bwrap. */
#include <ftw.h>
#include <spawn.h>
#include <sys/wait.h>
#include "../../tests/unit/native/harness.h"

#define ROUNDS_MAX 5000
#define PAUSE_US   30000
#define AHEAD_US   3000

#define WORDS_MAX 24
static const char *const bare[WORDS_MAX] = { "/usr/bin/python3", "-c", "print(1)" };
static const char *const bwrap[WORDS_MAX] = { "/usr/bin/bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
	"--tmpfs", "/tmp", "/usr/bin/python3", "-c", "print(1)" };
static const char *const bwrap_true[WORDS_MAX] = { "/usr/bin/bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev",
	"--tmpfs", "/tmp", "/bin/true" };
static const char *const bawn[WORDS_MAX] = { BAWN_BUILD_BAWN, "run", "-q", "-c", "print(1)" };

static char state[] = "/tmp/bawn-bench-XXXXXX";

/* Microseconds until it is reaped, 0 if it failed. */
static uint64_t spawned(const char *const *words)
{
	char path[] = "PATH=/usr/bin:/bin", where[sizeof state + 32], *env[] = { path, where, NULL }, *argv[WORDS_MAX] = { NULL };
	posix_spawn_file_actions_t files;
	pid_t pid;
	int status = 1;
	snprintf(where, sizeof where, "BAWN_STATE=%s/state", state);
	for (size_t i = 0; i < WORDS_MAX && words[i] != NULL; i++)
		argv[i] = (char *)(uintptr_t)words[i];
	uint64_t t = bawn_monotonic_us();
	(void)posix_spawn_file_actions_init(&files);
	(void)posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	(void)posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, argv[0], &files, NULL, argv, env) == 0)
		(void)waitpid(pid, &status, 0);
	(void)posix_spawn_file_actions_destroy(&files);
	return status == 0 ? bawn_monotonic_us() - t : 0;
}

static uint64_t whole_bare(void) { return spawned(bare); }
static uint64_t whole_bwrap(void) { return spawned(bwrap); }
static uint64_t whole_bawn(void) { return spawned(bawn); }
static uint64_t true_bwrap(void) { return spawned(bwrap_true); }

/* A launcher of its own each time.  Ahead: it was there before anybody asked, as in a whole run. */
static uint64_t launched(bool ahead)
{
	const struct bawn_backend *b = &bawn_native_backend;
	struct job j = { .lang = BAWN_LANG_BASH, .code = "true\n", .interpreter = "/bin/true" };
	auto_test_slot slot = test_slot_take(950);
	bawn_auto_fd code = -1;
	struct bawn_sandbox_spec spec = spec_of(&j, slot.fd);
	struct bawn_sandbox *s = NULL;
	auto_got g = { .out = BAWN_BUF(MIB) };
	if (bawn_sealed_copy("code", bawn_span(j.code), &code, &g.err) < 0)
		return 0;
	struct bawn_sandbox_start start = { .code_fd = code, .stdin_fd = -1 };
	uint64_t t = bawn_monotonic_us();
	bool good = b->open(LAUNCHER, &s, &g.err) == 0;
	if (ahead) {
		(void)usleep(AHEAD_US);
		t = bawn_monotonic_us();
	}
	good = good && b->prepare(s, &spec, &g.err) == 0 && readied(s, &g.walls, &g.err) == 0;
	if (good) {
		good = started(s, &start, &g.err) == 0 && follow(s, &g, NULL, NULL) == 0 && g.end.outcome.end == BAWN_END_EXIT;
		t = bawn_monotonic_us() - t;  /* the answer is there; release follows it */
	}
	b->release(s);
	if (!good)
		fprintf(stderr, "bench-sandbox: %s\n", g.err.msg);
	return good ? t : 0;
}

static uint64_t true_launch(void) { return launched(false); }
static uint64_t true_ahead(void) { return launched(true); }

struct row { const char *name; uint64_t (*once)(void); };
struct table { const char *title; unsigned pause_us; struct row row[3]; };  /* all against the first */
static const struct table tables[] = {
	{ "print(1), back to back", 0, { { "bwrap", whole_bwrap }, { "bawn run", whole_bawn }, { "bare python3", whole_bare } } },
	{ "print(1), 30 ms idle before each", PAUSE_US, { { "bwrap", whole_bwrap }, { "bawn run", whole_bawn }, { "bare python3", whole_bare } } },
	{ "/bin/true", 0, { { "bwrap", true_bwrap }, { "launcher, from nothing", true_launch }, { "launcher, started ahead", true_ahead } } },
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static bool measure(const struct table *t, long n)
{
	static uint64_t took[BAWN_LEN(t->row)][ROUNDS_MAX];
	size_t rows = 0;
	while (rows < BAWN_LEN(t->row) && t->row[rows].name != NULL)
		rows++;
	for (long i = -3; i < n; i++)  /* the first few warm the caches */
		for (size_t j = 0; j < rows; j++) {
			/* By turns: what one leaves for the kernel to clean up is a burden to the next. */
			size_t k = (j + (size_t)(i + 3)) % rows;
			(void)usleep(t->pause_us);
			uint64_t us = t->row[k].once();
			if (us == 0) {
				fprintf(stderr, "bench-sandbox: %s failed\n", t->row[k].name);
				return false;
			}
			if (i >= 0)
				took[k][i] = us;
		}
	printf("%-34s %9s %9s %9s  p50 / bwrap's\n", t->title, "least", "p50", "p95");
	for (size_t k = 0; k < rows; k++) {
		qsort(took[k], (size_t)n, sizeof **took, by_value);
		printf("  %-32s %9llu %9llu %9llu  %.2f\n", t->row[k].name, (unsigned long long)took[k][0], (unsigned long long)took[k][n / 2],
		       (unsigned long long)took[k][n * 95 / 100], (double)took[k][n / 2] / (double)took[0][n / 2]);
	}
	return true;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
	n = n < 10 ? 10 : n > ROUNDS_MAX ? ROUNDS_MAX : n;
	(void)run_with, (void)out_is, (void)ok, (void)done_testing, (void)tap_failed;
	if (access(bwrap[0], X_OK) < 0 || mkdtemp(state) == NULL) {
		fprintf(stderr, "bench-sandbox: needs %s and a writable /tmp\n", bwrap[0]);
		return 1;
	}
	printf("microseconds, n=%ld, interleaved\n", n);
	bool good = true;
	long only = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
	for (size_t i = 0; i < BAWN_LEN(tables); i++)
		if (only == 0 || only == (long)i + 1)
			good = measure(&tables[i], n) && good;
	(void)nftw(state, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return good ? 0 : 1;
}
