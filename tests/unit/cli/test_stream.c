/* What of a program's output may reach a terminal, in one piece and cut anywhere. */
#include <string.h>
#include "base/cleanup.h"
#include "cli/cli.h"
#include "tap.h"

static const struct { const char *name, *in, *want; } row[] = {
	{ "text, newlines, tabs and returns pass", "a\tb\r\nc\b", "a\tb\r\nc\b" },
	{ "UTF-8 passes", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8e\x89\n", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8e\x89\n" },
	{ "colour passes", "\x1b[1;31mred\x1b[0m", "\x1b[1;31mred\x1b[0m" },
	{ "a colour ends with the output", "\x1b[1;31mred", "\x1b[1;31mred\x1b[0m" },
	{ "but one that was ended already does not", "\x1b[31mred\x1b[m", "\x1b[31mred\x1b[m" },
	{ "an end that is followed by a colour is none", "\x1b[0;31mred", "\x1b[0;31mred\x1b[0m" },
	{ "text is not concealed", "\x1b[8mx", "x" },
	{ "nor among colours", "\x1b[1;08;31mx\x1b[0m", "\x1b[1;31mx\x1b[0m" },
	{ "nor by a longer spelling", "\x1b[8:1;4mx\x1b[0m", "\x1b[4mx\x1b[0m" },
	{ "nor behind a colour of many", "\x1b[38;5;8;8mx\x1b[0m", "\x1b[38;5;8mx\x1b[0m" },
	{ "the eighth colour passes", "\x1b[48;5;8m\x1b[38;2;8;8;8mx\x1b[0m", "\x1b[48;5;8m\x1b[38;2;8;8;8mx\x1b[0m" },
	{ "a colour of unknown kind takes nothing along", "\x1b[38;8mx\x1b[0m", "\x1b[38mx\x1b[0m" },
	{ "a cursor movement does not", "\x1b[2Aup", "\\x1b[2Aup" },
	{ "clearing the screen does not", "\x1b[2J", "\\x1b[2J" },
	{ "a window title does not", "\x1b]0;title\x07", "\\x1b]0;title\\x07" },
	{ "a title in C1 does not", "\xc2\x9d" "0;x", "\\x9d0;x" },
	{ "bytes that are not UTF-8 are shown", "\xff\xc0x", "\\xff\\xc0x" },
	{ "text that runs the other way is shown", "a\xe2\x80\xae" "b", "a\\u202eb" },
	{ "an overlong colour is no colour", "\x1b[0000000000000000000000000000001m", "\\x1b[0000000000000000000000000000001m" },
	{ "an escape at the very end is shown", "x\x1b", "x\\x1b" },
	{ "half a character at the very end is shown", "x\xe2\x82", "x\\xe2\\x82" },
	{ "half a colour at the very end is shown", "x\x1b[3", "x\\x1b[3" },
};

/* The same bytes in two pieces. */
static bool cut_at(const char *in, size_t at, const char *want)
{
	struct bawn_cli_filter f = { .n = 0 };
	bawn_auto_buf out = BAWN_BUF(4096);
	bawn_cli_filter_add(&f, (struct bawn_span){ in, at }, &out);
	bawn_cli_filter_add(&f, bawn_span(in + at), &out);
	bawn_cli_filter_end(&f, &out);
	return out.n == strlen(want) && memcmp(out.p, want, out.n) == 0;
}

int main(void)
{
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bool good = true;
		for (size_t at = 0; at <= strlen(row[i].in); at++)
			good = cut_at(row[i].in, at, row[i].want) && good;
		ok(good, "%s, wherever it is cut", row[i].name);
	}
	return done_testing();
}
