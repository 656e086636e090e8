/* bench.c - a sandboxed `print(1)` against a bare interpreter and bwrap, interleaved in one run so that
 * the ratios hold whatever else the machine does.  Usage: bench-native [ROUNDS] */
#include <spawn.h>
#include <sys/wait.h>
#include "../../tests/unit/native/harness.h"

enum what { BARE, BWRAP, BAWN, PREPARE, START, RUN, RELEASE, WHAT_COUNT };
static const char *const name[] = { "bare python3", "bwrap python3", "bawn: whole", "  prepare", "  start", "  to the outcome", "  release" };
_Static_assert(BAWN_LEN(name) == WHAT_COUNT, "one name each");

static uint64_t spawned(char *const *argv)
{
	char *env[] = { (char[]){ "PATH=/usr/bin:/bin" }, NULL };
	posix_spawn_file_actions_t files;
	pid_t pid;
	uint64_t t = bawn_monotonic_us();
	(void)posix_spawn_file_actions_init(&files);
	(void)posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, argv[0], &files, NULL, argv, env) == 0)
		(void)waitpid(pid, NULL, 0);
	(void)posix_spawn_file_actions_destroy(&files);
	return bawn_monotonic_us() - t;
}

static bool sandboxed(uint64_t *out)
{
	const struct bawn_backend *b = &bawn_native_backend;
	struct job j = { .code = "print(1)\n" };
	auto_test_slot slot = test_slot_take(950);
	bawn_auto_fd code = -1;
	struct bawn_sandbox_spec spec = spec_of(&j, slot.fd);
	struct bawn_sandbox *s;
	auto_got g = { .out = BAWN_BUF(MIB) };
	if (bawn_sealed_copy("code", bawn_span(j.code), &code, &g.err) < 0)
		return false;
	struct bawn_sandbox_start start = { .code_fd = code, .stdin_fd = -1 };
	uint64_t t[5] = { bawn_monotonic_us() };
	if (b->prepare(&spec, &s, &g.walls, &g.err) < 0) {
		fprintf(stderr, "bench: %s\n", g.err.msg);
		return false;
	}
	t[1] = bawn_monotonic_us();
	bool good = b->start(s, &start, &g.err) == 0;
	t[2] = bawn_monotonic_us();
	good = good && follow(s, &g, NULL, NULL) == 0 && g.out.n == 2;
	t[3] = bawn_monotonic_us();
	b->release(s);
	t[4] = bawn_monotonic_us();
	out[BAWN] = t[3] - t[0];  /* the answer is there; release follows it */
	for (int i = 0; i < 4; i++)
		out[PREPARE + i] = t[i + 1] - t[i];
	return good;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
	n = n < 10 ? 10 : n > 5000 ? 5000 : n;
	(void)run_with, (void)out_is, (void)ok, (void)done_testing, (void)tap_failed;
	static uint64_t v[WHAT_COUNT][5000];
	char *bare[] = { (char[]){ "/usr/bin/python3" }, (char[]){ "-s" }, (char[]){ "-u" }, (char[]){ "-c" }, (char[]){ "print(1)" }, NULL };
	char *wrap[] = { (char[]){ "/usr/bin/bwrap" }, (char[]){ "--unshare-all" }, (char[]){ "--ro-bind" }, (char[]){ "/usr" }, (char[]){ "/usr" },
		(char[]){ "--symlink" }, (char[]){ "usr/lib" }, (char[]){ "/lib" }, (char[]){ "--symlink" }, (char[]){ "usr/lib64" }, (char[]){ "/lib64" },
		(char[]){ "--proc" }, (char[]){ "/proc" }, (char[]){ "--dev" }, (char[]){ "/dev" }, (char[]){ "--tmpfs" }, (char[]){ "/tmp" },
		bare[0], bare[1], bare[2], bare[3], bare[4], NULL };
	bool bwrap = access(wrap[0], X_OK) == 0;
	for (long i = -3; i < n; i++) {  /* the first few warm the caches */
		uint64_t once[WHAT_COUNT] = { 0 };
		once[BARE] = spawned(bare);
		once[BWRAP] = bwrap ? spawned(wrap) : 0;
		if (!sandboxed(once))
			return 1;
		for (int k = 0; i >= 0 && k < WHAT_COUNT; k++)
			v[k][i] = once[k];
	}
	for (int k = 0; k < WHAT_COUNT; k++)
		qsort(v[k], (size_t)n, sizeof **v, by_value);
	printf("%-18s %10s %10s %10s %14s %14s   (us, n=%ld, interleaved)\n", "", "least", "p50", "p95", "p50/bare p50", "p50/bwrap p50", n);
	for (int k = 0; k < WHAT_COUNT; k++) {
		if (k == BWRAP && !bwrap) {
			printf("%-18s not installed\n", name[k]);
			continue;
		}
		double p50 = (double)v[k][n / 2], ref = (double)v[BARE][n / 2];
		printf("%-18s %10llu %10llu %10llu %14.2f ", name[k], (unsigned long long)v[k][0], (unsigned long long)v[k][n / 2], (unsigned long long)v[k][n * 95 / 100], p50 / ref);
		if (bwrap)
			printf("%14.2f\n", p50 / (double)v[BWRAP][n / 2]);
		else
			printf("%14s\n", "-");
	}
	return 0;
}
