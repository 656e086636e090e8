/* startup.c - how long a program takes from spawn to end, against another one.
 *
 *	startup N REFERENCE -- PROGRAM [ARGS...]
 *
 * The two are run in turn, N times each, so that a change of load or clock speed meets both alike;
 * standard output goes to /dev/null.  Prints p50, p95 and the ratio of the p50s. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "base/clock.h"
#include "base/num.h"

extern char **environ;

/* Microseconds, or 0 when the program could not be run or failed. */
static uint64_t run_once(char **argv, const posix_spawn_file_actions_t *actions)
{
	pid_t pid;
	int status;
	uint64_t start = bawn_monotonic_us();
	if (posix_spawn(&pid, argv[0], actions, NULL, argv, environ) != 0)
		return 0;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0;
	uint64_t took = bawn_monotonic_us() - start;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? took + (took == 0) : 0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static uint64_t show(const char *name, uint64_t *took, size_t n)
{
	qsort(took, n, sizeof *took, by_value);
	printf("%-40s p50 %6.3f ms   p95 %6.3f ms\n", name, (double)took[n / 2] / 1000, (double)took[n * 95 / 100] / 1000);
	return took[n / 2];
}

int main(int argc, char **argv)
{
	uint64_t n = 0;
	if (argc < 5 || strcmp(argv[3], "--") != 0 || bawn_parse_u64(bawn_span(argv[1]), 1, 1000000, &n, NULL) < 0) {
		fprintf(stderr, "usage: startup N REFERENCE -- PROGRAM [ARGS...]\n");
		return 2;
	}
	char *reference[] = { argv[2], NULL };
	uint64_t *took[2] = { calloc(n, sizeof *took[0]), calloc(n, sizeof *took[0]) };
	posix_spawn_file_actions_t actions;
	if (took[0] == NULL || took[1] == NULL || posix_spawn_file_actions_init(&actions) != 0 ||
	    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) != 0)
		return 1;
	for (size_t i = 0; i < n + 10; i++)  /* the first ten only warm the caches */
		for (int k = 0; k < 2; k++) {
			uint64_t us = run_once(k == 0 ? reference : argv + 4, &actions);
			if (us == 0) {
				fprintf(stderr, "startup: %s failed\n", k == 0 ? reference[0] : argv[4]);
				return 1;
			}
			took[k][i < 10 ? 0 : i - 10] = us;
		}
	uint64_t base_us = show(argv[2], took[0], n), ours_us = show(argv[4], took[1], n);
	printf("ratio of p50 %.2f (n=%zu each, interleaved)\n", (double)ours_us / (double)base_us, (size_t)n);
	posix_spawn_file_actions_destroy(&actions);
	free(took[0]);
	free(took[1]);
	return 0;
}
