/* assess.c - any bytes as code: an answer or an error, in bounded work, without touching foreign
 * memory; the same bytes get the same answer, and with less to spend the same or none.  One target per
 * language: LANGUAGE is given by the build. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "assess/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
	if (!good)
		abort();
}

static bool same_text(const char *a, const char *b) { return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0; }

static bool same_finding(const struct bawn_finding *a, const struct bawn_finding *b)
{
	return a->level == b->level && a->line == b->line && a->column == b->column && a->end_line == b->end_line &&
	       a->end_column == b->end_column && a->score == b->score && a->cwe == b->cwe && same_text(a->rule, b->rule) &&
	       same_text(a->path, b->path) && same_text(a->message, b->message) && same_text(a->folded, b->folded);
}

static bool same(const struct bawn_assessment *a, const struct bawn_assessment *b)
{
	bool good = a->level == b->level && a->score == b->score && a->capabilities == b->capabilities && a->parse_ok == b->parse_ok &&
	            a->complexity.milli == b->complexity.milli && a->n_findings == b->n_findings && a->n_recommendations == b->n_recommendations;
	for (size_t i = 0; good && i < a->n_findings; i++)
		good = same_finding(&a->finding[i], &b->finding[i]);
	for (size_t i = 0; good && i < a->n_recommendations; i++)
		good = same_text(a->recommendation[i], b->recommendation[i]);
	return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bawn_assess_file f = { .language = LANGUAGE, .bytes = { (const char *)data, size } };
	struct bawn_tree_limit less = bawn_assess_limit;  /* in memory the same: how much is read again depends on it */
	less.work = UINT64_C(40000) << (size % 13);
	struct bawn_assessment *a = NULL, *b = NULL, *c = NULL;
	struct bawn_err err = { 0 };
	int first = bawn_assess(&f, 1, NULL, &a, &err), second = bawn_assess(&f, 1, NULL, &b, &err);
	must(first == second && (first < 0 || same(a, b)));
	if (bawn_assess_with(&bawn_rules, &f, 1, NULL, &less, &c, &err) == 0 && c->unfinished == NULL)
		must(first == 0 && same(a, c));
	must(c == NULL || c->unfinished == NULL || c->level >= BAWN_LEVEL_HIGH);
	bawn_assessment_free(a);
	bawn_assessment_free(b);
	bawn_assessment_free(c);
	return 0;
}
