/* assess.c - any bytes as code: an answer or an error, in bounded time, without touching foreign
 * memory.  One target per language: LANGUAGE is given by the build. */
#include <stdint.h>
#include <stdlib.h>
#include "assess/assess.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bawn_assess_file f = { .language = LANGUAGE, .bytes = { (const char *)data, size } };
	struct bawn_assessment *a = NULL, *b = NULL;
	struct bawn_err err = { 0 };
	if (bawn_assess(&f, 1, NULL, &a, &err) == 0 && bawn_assess(&f, 1, NULL, &b, &err) == 0 &&
	    (a->level != b->level || a->n_findings != b->n_findings || a->score != b->score))
		abort();  /* the same bytes, another verdict */
	bawn_assessment_free(a);
	bawn_assessment_free(b);
	return 0;
}
