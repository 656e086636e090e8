/* screen.c - what an attacker can bring onto a person's screen: program output, findings, hints.
 *
 * Properties: (1) output is filtered the same wherever it is cut, and no escape but a colour passes;
 * (2) a finding about any code shows no control character but newline; (3) a hint never names a path. */
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include "base/cleanup.h"
#include "cli/cli.h"

static void check_filter(struct bawn_span s, size_t cut)
{
	bawn_auto_buf whole = BAWN_BUF(1u << 20), parts = BAWN_BUF(1u << 20);
	struct bawn_cli_filter a = { .n = 0 }, b = { .n = 0 };
	bawn_cli_filter_add(&a, s, &whole);
	bawn_cli_filter_end(&a, &whole);
	bawn_cli_filter_add(&b, (struct bawn_span){ s.p, cut }, &parts);
	bawn_cli_filter_add(&b, (struct bawn_span){ s.p + cut, s.n - cut }, &parts);
	bawn_cli_filter_end(&b, &parts);
	assert(bawn_buf_error(&whole) == 0 && bawn_span_equal(bawn_buf_span(&whole), bawn_buf_span(&parts)));
	for (size_t i = 0; i < whole.n; i++) {
		unsigned char c = (unsigned char)whole.p[i];
		assert(c >= 0x20 || strchr("\n\t\r\b\x1b", c) != NULL);
		if (c == 0x1b) {
			size_t end = i + 2 + strspn(whole.p + i + 2, "0123456789;:");
			assert(whole.p[i + 1] == '[' && whole.p[end] == 'm');
		}
	}
}

static void check_finding(struct bawn_span s, uint8_t line, uint8_t column, uint8_t end)
{
	bawn_auto_json text = bawn_json_text(s);
	bawn_auto_json f = json_pack("{s:s,s:O,s:O,s:i,s:i,s:i,s:i}", "level", "HIGH", "rule", text, "message", text, "line", line,
	                             "column", column * 16, "end_line", line, "end_column", end * 16);
	bawn_auto_buf out = BAWN_BUF(1u << 22);
	bawn_cli_finding(&out, f, s, false);
	for (size_t i = 0; i < out.n; i++)
		assert((unsigned char)out.p[i] >= 0x20 || out.p[i] == '\n');
}

static void check_hint(struct bawn_span s)
{
	bawn_auto_json doc = json_object();
	size_t i;
	json_t *d;
	(void)bawn_cli_missing_file_hint(doc, "/usr/script.py", s);
	json_array_foreach(json_object_get(doc, "denials"), i, d) {
		const char *name = bawn_cli_text(d, "what");
		assert(*name != '\0' && *name != '.' && *name != '-' && strchr(name, '/') == NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 4 || size > 16384)
		return 0;
	struct bawn_span s = { (const char *)data + 4, size - 4 };
	check_filter(s, s.n > 0 ? data[0] * 64u % s.n : 0);
	check_finding(s, data[1], data[2], data[3]);
	check_hint(s);
	return 0;
}
