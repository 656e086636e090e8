/* observed.c - libFuzzer target for the memory that a watched program may have written anything into. */
#include <stdlib.h>
#include <string.h>
#include "sandbox/observed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bawn_observed *o = NULL;
	size_t each[BAWN_AREA_KIND_COUNT] = { 0 };
	if (bawn_observed_parse((struct bawn_span){ (const char *)data, size }, &o, NULL) < 0)
		return 0;
	for (size_t i = 0; o != NULL && i < o->n; i++) {
		const struct bawn_observed_item *it = &o->item[i];
		if (it->kind >= BAWN_AREA_KIND_COUNT || it->count == 0 || it->text.n > BAWN_AREA_TEXT || ++each[it->kind] > BAWN_AREA_EACH)
			abort();
		/* What is straight stays so: no "//", no "/../", no "/./". */
		bool path = (it->kind == BAWN_AREA_READ || it->kind == BAWN_AREA_WRITE) && it->text.n > 0 && it->text.p[0] == '/';
		if (path && (memmem(it->text.p, it->text.n, "//", 2) != NULL || memmem(it->text.p, it->text.n, "/../", 4) != NULL ||
		             memmem(it->text.p, it->text.n, "/./", 3) != NULL))
			abort();
	}
	bawn_observed_free(o);
	return 0;
}
