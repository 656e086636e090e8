/* bench.c - what assessing costs: microseconds for one warm assessment of each text it is given.
 *
 *	bench-assess LANGUAGE [FILE...]	texts are lines "BYTES\n" followed by that many bytes on standard
 *		input, or the files; for each: bytes, microseconds, 0 or 1 (assessed or refused)
 *	bench-assess --peak LANGUAGE FILE	the same once, and then the peak memory in kilobytes
 *
 * The driver is bench/assess/run. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "assess/assess.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"

/* Small texts are assessed again until this much time has gone. */
#define AT_LEAST_US 10000u

static void measure(int language, struct bawn_span code, bool once)
{
	uint64_t from = bawn_monotonic_us(), took = 0;
	unsigned n = 0;
	int r = 0;
	do {
		struct bawn_assess_file f = { .language = language, .bytes = code };
		struct bawn_assessment *a = NULL;
		r = bawn_assess(&f, 1, NULL, &a, NULL);
		bawn_assessment_free(a);
		n++;
		took = bawn_monotonic_us() - from;
	} while (!once && took < AT_LEAST_US);
	printf("%zu %.1f %d\n", code.n, (double)took / n, r < 0);
}

static int one_file(int language, const char *path, bool once)
{
	bawn_auto_buf b = BAWN_BUF(16u << 20);
	struct bawn_err err = { 0 };
	if (bawn_read_file(AT_FDCWD, path, &b, &err) < 0) {
		fprintf(stderr, "bench-assess: %s\n", err.msg);
		return 1;
	}
	measure(language, bawn_buf_span(&b), once);
	return 0;
}

static int from_input(int language)
{
	char line[32];
	while (fgets(line, sizeof line, stdin) != NULL) {
		size_t n = strtoul(line, NULL, 10);
		bawn_auto_free char *text = malloc(n + 1);
		if (text == NULL || fread(text, 1, n, stdin) != n)
			return 1;
		measure(language, (struct bawn_span){ text, n }, false);
		fflush(stdout);
	}
	return 0;
}

static int peak(int language, const char *path)
{
	struct rusage use;
	if (one_file(language, path, true) != 0 || getrusage(RUSAGE_SELF, &use) < 0)
		return 1;
	printf("%ld\n", use.ru_maxrss);
	return 0;
}

int main(int argc, char **argv)
{
	bool one = argc == 4 && strcmp(argv[1], "--peak") == 0;
	const char *word = argc > 1 ? argv[one ? 2 : 1] : "";
	int language = bawn_word_find(&bawn_language_words, bawn_span(word));
	if (language < 0) {
		fputs("usage: bench-assess [--peak] LANGUAGE [FILE...]\n", stderr);
		return 2;
	}
	if (one)
		return peak(language, argv[3]);
	if (argc == 2)
		return from_input(language);
	for (int i = 2; i < argc; i++)
		if (one_file(language, argv[i], false) != 0)
			return 1;
	return 0;
}
