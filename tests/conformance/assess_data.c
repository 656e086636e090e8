/* assess_data.c - the assessor against labelled code: how much of the risky reaches its level, how
 * much of the benign is held up.  The data is not part of this tree: $BAWN_ASSESS_DATA, or
 * ../shared/data/assess beside the project; without it the rows are skipped by name.
 *
 *	BAWN_ASSESS_MISSES=1 prints every row that misses its bar. */
#include <fcntl.h>
#include <stdlib.h>
#include "assess/assess.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "tap.h"

/* Bars in hundredths of a percent.  `at` is the level counted; -1: the row's own `expect`. */
enum { EXPECT = -1 };
static const struct { const char *name, *file, *sources; int at, least, most; } bar[] = {
	{ "RedCode Python reaches its level", "risky_python", "redcode_exec", EXPECT, 9700, 10000 },
	{ "all risky Python reaches its level", "risky_python", "", EXPECT, 8000, 10000 },
	{ "RedCode Bash reaches its level", "risky_bash", "redcode_exec", EXPECT, 9700, 10000 },
	{ "Atomic Red Team is at least MEDIUM", "risky_bash", "atomic_red_team", BAWN_LEVEL_MEDIUM, 9000, 10000 },
	{ "reverse shells are BLOCKED", "risky_bash", "revshells", BAWN_LEVEL_BLOCKED, 9000, 10000 },
	{ "GTFOBins reach their level", "risky_bash", "gtfobins", EXPECT, 9000, 10000 },
	{ "risky JavaScript reaches its level", "risky_javascript", "", EXPECT, 8500, 10000 },
	{ "Python evasions reach their level", "evasion_python", "", EXPECT, 9000, 10000 },
	{ "Bash evasions reach their level", "evasion_bash", "", EXPECT, 9000, 10000 },
	{ "core benign Python at HIGH", "benign_python", "humaneval mbpp bigcodebench thealgorithms_py matplotlib_gallery sklearn_examples networkx_examples python_cookbook", BAWN_LEVEL_HIGH, 0, 50 },
	{ "core benign Python BLOCKED", "benign_python", "humaneval mbpp bigcodebench thealgorithms_py matplotlib_gallery sklearn_examples networkx_examples python_cookbook", BAWN_LEVEL_BLOCKED, 0, 5 },
	{ "automation scripts at HIGH", "benign_python", "awesome_py_scripts py_mini_projects", BAWN_LEVEL_HIGH, 0, 500 },
	{ "automation scripts BLOCKED", "benign_python", "awesome_py_scripts py_mini_projects", BAWN_LEVEL_BLOCKED, 0, 50 },
	{ "unvetted scripts at HIGH", "benign_python", "geekcomputers", BAWN_LEVEL_HIGH, 0, 10000 },
	{ "OWASP safe twins at HIGH", "benign_python", "owasp_python", BAWN_LEVEL_HIGH, 0, 500 },
	{ "benign Bash at HIGH", "benign_bash", "", BAWN_LEVEL_HIGH, 0, 300 },
	{ "benign Bash BLOCKED", "benign_bash", "", BAWN_LEVEL_BLOCKED, 0, 50 },
	{ "benign JavaScript at HIGH", "benign_javascript", "", BAWN_LEVEL_HIGH, 0, 50 },
	{ "Python hard negatives at HIGH", "hardneg_python", "", BAWN_LEVEL_HIGH, 0, 0 },
	{ "Bash hard negatives at HIGH", "hardneg_bash", "", BAWN_LEVEL_HIGH, 0, 0 },
	{ "undecidable RedCode Python at HIGH", "risky_python", "redcode_exec LOW", BAWN_LEVEL_HIGH, 0, 300 },
	{ "undecidable RedCode Bash at HIGH", "risky_bash", "redcode_exec LOW", BAWN_LEVEL_HIGH, 0, 300 },
};

static bool listed(const char *list, const char *word)
{
	size_t n = strlen(word);
	if (*list == '\0')
		return true;
	for (const char *at = strstr(list, word); at != NULL; at = strstr(at + 1, word))
		if ((at == list || at[-1] == ' ') && (at[n] == '\0' || at[n] == ' '))
			return true;
	return false;
}

static const char *text_of(json_t *row, const char *key) { return json_string_value(json_object_get(row, key)); }

static void show(json_t *row, const struct bawn_assessment *a, const char *bar_name)
{
	printf("# MISS [%s] %s expect %s got %s:", bar_name, text_of(row, "id"), text_of(row, "expect"), bawn_word(&bawn_level_words, (int)a->level));
	for (size_t i = 0; i < a->n_findings; i++)
		if (a->finding[i].level == a->level)
			printf(" %s@%u", a->finding[i].rule, a->finding[i].line);
	printf("\n");
}

/* 1: counted and hit, 0: counted, -1: not of this bar. */
static int judge(json_t *row, size_t b, bool verbose)
{
	bool undecidable = strstr(bar[b].sources, " LOW") != NULL, low = strcmp(text_of(row, "expect"), "LOW") == 0;
	if (!listed(bar[b].sources, text_of(row, "source")) || undecidable != (undecidable && low))
		return -1;
	bool benign = bar[b].most < 10000 || bar[b].least == 0;
	if (!benign && low)
		return -1;
	struct bawn_assess_file f = { .language = bawn_language_named(bawn_span(text_of(row, "lang"))),
	                              .bytes = { text_of(row, "code"), json_string_length(json_object_get(row, "code")) } };
	struct bawn_assessment *a = NULL;
	struct bawn_policy policy = { .medium_score = 20, .high_score = 60, .blocked_score = 100 };
	struct bawn_err err = { 0 };
	if (bawn_assess(&f, 1, &policy, &a, &err) < 0) {
		printf("# %s: %s\n", text_of(row, "id"), err.msg);
		return !benign;
	}
	int want = bar[b].at == EXPECT ? bawn_word_find(&bawn_level_words, bawn_span(text_of(row, "expect"))) : bar[b].at;
	int hit = (int)a->level >= want;
	if (verbose && hit == benign)
		show(row, a, bar[b].name);
	bawn_assessment_free(a);
	return hit;
}

static void run_bar(const char *dir, size_t b, bool verbose)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s.jsonl", dir, bar[b].file);
	bawn_auto_file f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0, hits = 0, n = 0;
	if (f == NULL) {
		skip(bar[b].name, "the labelled code is not on this machine");
		return;
	}
	while (getline(&line, &cap, f) > 0) {
		json_t *row = json_loads(line, 0, NULL);
		int r = row != NULL ? judge(row, b, verbose) : -1;
		n += r >= 0;
		hits += r == 1;
		json_decref(row);
	}
	free(line);
	int share = n > 0 ? (int)(hits * 10000 / n) : 0;
	ok(share >= bar[b].least && share <= bar[b].most, "%s: %zu of %zu = %d.%02d %% (bar %d.%02d .. %d.%02d)", bar[b].name, hits, n,
	   share / 100, share % 100, bar[b].least / 100, bar[b].least % 100, bar[b].most / 100, bar[b].most % 100);
}

int main(void)
{
	const char *dir = getenv("BAWN_ASSESS_DATA");
	for (size_t b = 0; b < BAWN_LEN(bar); b++)
		run_bar(dir != NULL ? dir : SOURCE_ROOT "/../shared/data/assess", b, getenv("BAWN_ASSESS_MISSES") != NULL);
	return done_testing();
}
