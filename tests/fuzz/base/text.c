/* text.c - fuzz target: any bytes can be shown, replaced and put into JSON; nothing dangerous is left. */
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool good)
{
	if (!good)
		abort();
}

/* Escaped text is UTF-8 without controls, and escaping it again changes nothing. */
static void shown(struct bawn_span text)
{
	bawn_auto_buf once = BAWN_BUF(text.n * 10 + 1), twice = BAWN_BUF(text.n * 10 + 1);
	bawn_buf_escaped(&once, text);
	must(bawn_buf_error(&once) == 0);
	for (size_t at = 0, n; at < once.n; at += n) {
		uint32_t c = 0;
		n = bawn_utf8_next(bawn_buf_span(&once), at, &c);
		must(n > 0 && c >= 0x20 && !(c >= 0x7f && c < 0xa0) && !(c >= 0x200b && c <= 0x200f) &&
		     !(c >= 0x2028 && c <= 0x202e) && !(c >= 0x2066 && c <= 0x2069) && c != 0xfeff);
	}
	bawn_buf_escaped(&twice, bawn_buf_span(&once));
	must(bawn_span_equal(bawn_buf_span(&once), bawn_buf_span(&twice)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bawn_span text = { (const char *)data, size };
	size_t bad = bawn_utf8_bad(text);
	must(bad <= size && bawn_utf8_bad((struct bawn_span){ text.p, bad }) == bad);
	shown(text);

	bawn_auto_buf clean = BAWN_BUF(size * 3);
	bawn_utf8_replace(&clean, text);
	must(bawn_buf_error(&clean) == 0 && bawn_utf8_bad(bawn_buf_span(&clean)) == clean.n);
	must(bad < size || bawn_span_equal(bawn_buf_span(&clean), text));

	bawn_auto_json j = bawn_json_text(text);
	must(j != NULL && json_string_length(j) == clean.n &&
	     (clean.n == 0 || memcmp(json_string_value(j), clean.p, clean.n) == 0));
	bawn_auto_json coded = bawn_json_base64(text);
	must(coded != NULL && json_string_length(coded) == (size + 2) / 3 * 4);
	return 0;
}
