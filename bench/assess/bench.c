/* bench.c - microseconds for one warm assessment, beside starting `python3 -c pass` in the same run.
 *
 *	bench-assess [ROUNDS]	rounds are interleaved, medians are shown */
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "assess/assess.h"
#include "base/cleanup.h"
#include "base/clock.h"

extern char **environ;

#define ROUNDS_MAX 1001
#define REPEATS    50

static const struct { const char *name; int language; const char *code; } snippet[] = {
	{ "print(1)", BAWN_LANG_PYTHON, "print(1)\n" },
	{ "python, 500 bytes", BAWN_LANG_PYTHON,
	  "import json\nimport math\n\ndef mean(xs):\n    return sum(xs) / len(xs)\n\ndef deviation(xs):\n    m = mean(xs)\n"
	  "    return math.sqrt(sum((x - m) ** 2 for x in xs) / len(xs))\n\nwith open('data.json') as f:\n    data = json.load(f)\n"
	  "rows = [row['value'] for row in data if row.get('value') is not None]\nprint(f'mean {mean(rows):.2f}, deviation {deviation(rows):.2f}')\n"
	  "with open('out.txt', 'w') as f:\n    for row in rows:\n        f.write('%s\\n' % row)\n" },
	{ "bash, 200 bytes", BAWN_LANG_BASH,
	  "#!/bin/bash\nset -e\nfor f in *.txt; do\n  n=$(wc -l < \"$f\")\n  if [ \"$n\" -gt 10 ]; then\n    echo \"$f: $n lines\"\n    head -n 3 \"$f\" | sort | uniq -c\n  fi\ndone > report.out\n" },
	{ "javascript, 200 bytes", BAWN_LANG_JAVASCRIPT,
	  "const fs = require('fs');\nconst rows = fs.readFileSync('in.csv', 'utf8').split('\\n').map(l => l.split(','));\nconst sum = rows.reduce((a, r) => a + Number(r[1]), 0);\nconsole.log(`sum ${sum}`);\n" },
};

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static double start_python(void)
{
	char *argv[] = { (char *)"python3", (char *)"-c", (char *)"pass", NULL };
	pid_t pid;
	int status;
	uint64_t from = bawn_monotonic_us();
	if (posix_spawn(&pid, "/usr/bin/python3", NULL, NULL, argv, environ) != 0 || waitpid(pid, &status, 0) < 0)
		return 0;
	return (double)(bawn_monotonic_us() - from);
}

static double assess_once(size_t i)
{
	uint64_t from = bawn_monotonic_us();
	for (int k = 0; k < REPEATS; k++) {
		struct bawn_assess_file f = { .language = snippet[i].language, .bytes = bawn_span(snippet[i].code) };
		struct bawn_assessment *a = NULL;
		if (bawn_assess(&f, 1, NULL, &a, NULL) < 0)
			return 0;
		bawn_assessment_free(a);
	}
	return (double)(bawn_monotonic_us() - from) / REPEATS;
}

int main(int argc, char **argv)
{
	static double us[BAWN_LEN(snippet)][ROUNDS_MAX], python[ROUNDS_MAX];
	long want = argc > 1 ? strtol(argv[1], NULL, 10) : 21;
	size_t rounds = want > 0 && want < ROUNDS_MAX ? (size_t)want : 21;
	for (size_t r = 0; r < rounds; r++) {
		python[r] = start_python();
		for (size_t i = 0; i < BAWN_LEN(snippet); i++)
			us[i][r] = assess_once(i);
	}
	qsort(python, rounds, sizeof *python, compare);
	printf("%-24s %10.1f us\n", "python3 -c pass", python[rounds / 2]);
	for (size_t i = 0; i < BAWN_LEN(snippet); i++) {
		qsort(us[i], rounds, sizeof *us[i], compare);
		printf("%-24s %10.1f us   %6.0f times as fast\n", snippet[i].name, us[i][rounds / 2], python[rounds / 2] / us[i][rounds / 2]);
	}
	return 0;
}
