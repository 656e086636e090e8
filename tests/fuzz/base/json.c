/* json.c - fuzz target: a document that is read can be written and read again, and stays the same. */
#include "base/cleanup.h"
#include "base/json.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
	if (!good)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bawn_span text = { (const char *)data, size };
	json_t *untouched = (json_t *)(void *)&text, *j = untouched;
	struct bawn_err err = { 0 };
	if (bawn_json_parse(text, &j, &err) < 0) {
		must(j == untouched && err.code < 0 && err.msg[0] != '\0');
		return 0;
	}
	must(bawn_utf8_bad(text) == size);
	bawn_auto_json first = j;
	bawn_auto_json second = NULL;
	bawn_auto_buf one = BAWN_BUF(size * 30 + 100);  /* a real may be written longer than it was read */
	bawn_auto_buf two = BAWN_BUF(size * 30 + 100);
	must(bawn_json_put(&one, first, &err) == 0);
	must(memchr(one.p, '\n', one.n) == NULL);
	must(bawn_json_parse(bawn_buf_span(&one), &second, &err) == 0);
	must(json_equal(first, second));
	must(bawn_json_put(&two, second, &err) == 0 && bawn_span_equal(bawn_buf_span(&one), bawn_buf_span(&two)));
	return 0;
}
