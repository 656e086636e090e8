/* Documents as text: what a person reads before saying yes must be right and must be escaped. */
#include <string.h>
#include "base/cleanup.h"
#include "cli/cli.h"
#include "tap.h"

static bool is(struct bawn_buf *b, const char *want)
{
	bool same = bawn_buf_error(b) == 0 && b->n == strlen(want) && memcmp(b->p != NULL ? b->p : "", want, b->n) == 0;
	if (!same)
		diag("got [%s]", b->p != NULL ? b->p : "");
	return same;
}

static void limits(void)
{
	static const struct { const char *name, *network; size_t n; double cpus; int pids; const char *want; } row[] = {
		{ "nothing passed in", NULL, 0, 1, 32, "no network, none of your files, 256m memory, 30s, 1 cpu, 32 processes, 96m disk" },
		{ "network none by name", "none", 0, 0.5, 1, "no network, none of your files, 256m memory, 30s, 0.5 cpu, 1 process, 96m disk" },
		{ "files and network", "dependencies", 3, 2, 64, "network for dependencies only, of your files a copy of the 3 passed with --in, 256m memory, 30s, 2 cpus, 64 processes, 96m disk" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_json l = json_pack("{s:f,s:i,s:i,s:i,s:i}", "cpus", row[i].cpus, "memory_bytes", 256 << 20, "timeout_ms", 30000,
		                             "pids", row[i].pids, "disk_bytes", 96 << 20);
		bawn_auto_buf out = BAWN_BUF(4096);
		bawn_cli_limits_sentence(&out, l, row[i].network, row[i].n);
		ok(is(&out, row[i].want), "limits in one sentence: %s", row[i].name);
	}
}

static void findings(void)
{
	static const struct { const char *name, *code; int line, column, end; const char *want; } row[] = {
		{ "line and caret", "a\nimport pty; pty.spawn(1)\n", 2, 13, 22, "       2 | import pty; pty.spawn(1)\n         |             ^~~~~~~~~\n" },
		{ "characters, not bytes", "\xc3\xbc\xc3\xbc = bad()", 1, 6, 9, "       1 | \xc3\xbc\xc3\xbc = bad()\n         |      ^~~\n" },
		{ "the code cannot redraw the question", "x = '\x1b[2J\r'", 1, 1, 2, "       1 | x = '\\x1b[2J\\r'\n         | ^\n" },
		{ "the caret stands right of what was escaped", "\x01" "f()", 1, 2, 5, "       1 | \\x01f()\n         |     ^~~\n" },
		{ "tabs are blanks, before and within", "\tf(\t1)", 1, 2, 7, "       1 |     f(    1)\n         |     ^~~~~~~~\n" },
		{ "wide characters take two columns", "\xe6\x97\xa5\xe6\x9c\xac = f('\xe6\x97\xa5')", 1, 6, 12, "       1 | \xe6\x97\xa5\xe6\x9c\xac = f('\xe6\x97\xa5')\n         |        ^~~~~~~\n" },
		{ "combining characters take none", "e\xcc\x81 = f()", 1, 6, 9, "       1 | e\xcc\x81 = f()\n         |     ^~~\n" },
		{ "an end beyond the line stops there", "f()", 1, 1, 99, "       1 | f()\n         | ^~~\n" },
		{ "a finding without a place shows none", "x", 0, 0, 0, "" },
		{ "a line that is not there shows none", "x", 9, 1, 2, "" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_json f = json_pack("{s:s,s:s,s:i,s:i,s:i,s:i}", "rule", "r", "level", "HIGH", "line", row[i].line, "column", row[i].column,
		                             "end_line", row[i].line, "end_column", row[i].end);
		bawn_auto_buf out = BAWN_BUF(4096);
		bawn_cli_finding(&out, f, bawn_span(row[i].code), false);
		const char *nl = out.p != NULL ? strchr(out.p, '\n') : NULL;
		if (!ok(nl != NULL && strcmp(nl + 1, row[i].want) == 0, "%s", row[i].name))
			diag("got [%s]", nl != NULL ? nl + 1 : "");
	}
	bawn_auto_json several = json_pack("{s:s,s:i,s:i,s:i,s:i}", "level", "HIGH", "line", 1, "column", 3, "end_line", 2, "end_column", 2);
	bawn_auto_buf first = BAWN_BUF(4096);
	bawn_cli_finding(&first, several, bawn_span("x(1,\n2)"), false);
	ok(first.p != NULL && strstr(first.p, "       1 | x(1,\n         |   ^~\n") != NULL, "a range over several lines is marked to the end of the first");
	char longer[5000];
	memset(longer, 'x', sizeof longer);
	longer[sizeof longer - 1] = '\0';
	bawn_auto_json f = json_pack("{s:s,s:i,s:i,s:i,s:i}", "level", "HIGH", "line", 1, "column", 4000, "end_line", 1, "end_column", 4004);
	bawn_auto_buf out = BAWN_BUF(4096);
	bawn_cli_finding(&out, f, bawn_span(longer), false);
	ok(bawn_buf_error(&out) == 0 && out.n < 500 && strstr(out.p, "^~~~\n") != NULL, "a long line is cut around the place");
}

static void texts(void)
{
	bawn_auto_json f = json_pack("{s:s,s:s,s:s,s:s}", "rule", "r", "level", "HIGH", "message", "m\x1b[2J", "path", "in\nput.py");
	bawn_auto_buf out = BAWN_BUF(4096);
	bawn_cli_finding(&out, f, bawn_span(""), false);
	ok(is(&out, "  HIGH r in in\\nput.py: m\\x1b[2J\n"), "message and path are escaped");
	static const struct { uint64_t bytes; const char *want; } size[] = {
		{ 0, "0" }, { 100, "100" }, { 10000, "10000" }, { 20000, "20k" }, { 24117249, "24m" }, { 1u << 30, "1g" }, { 256u << 20, "256m" },
	};
	for (size_t i = 0; i < BAWN_LEN(size); i++) {
		bawn_auto_buf b = BAWN_BUF(64);
		bawn_cli_put_about(&b, size[i].bytes);
		ok(is(&b, size[i].want), "%s is about %llu bytes", size[i].want, (unsigned long long)size[i].bytes);
	}
	static const struct { const char *in, *want; } word[] = {
		{ "a.py", "a.py" }, { "", "''" }, { "a b", "'a b'" }, { "it's", "'it'\\''s'" }, { "$(x)", "'$(x)'" },
		{ "a\nb'\\\x1b", "$'a\\nb\\'\\\\\\x1b'" },
		{ "\u00fc", "'\u00fc'" }, { "\u2764\ufe0f", "$'\\xe2\\x9d\\xa4\\xef\\xb8\\x8f'" }, { "\xff", "$'\\xff'" },
	};
	for (size_t i = 0; i < BAWN_LEN(word); i++) {
		bawn_auto_buf b = BAWN_BUF(64);
		bawn_cli_put_quoted(&b, word[i].in);
		ok(is(&b, word[i].want), "for a shell: %s", word[i].want);
	}
}

static void table(void)
{
	static const struct bawn_cli_field column[] = { { "ID", "id", BAWN_CLI_TEXT }, { "N", "a.n", BAWN_CLI_SIZE }, { "WHY", "why", BAWN_CLI_TEXT } };
	bawn_auto_json rows = json_pack("[{s:s,s:{s:i},s:s},{s:s,s:n}]", "id", "abc", "a", "n", 1 << 20, "why", "x\ty", "id", "d", "why");
	bawn_auto_buf out = BAWN_BUF(4096);
	bawn_cli_table(&out, rows, column, BAWN_LEN(column), false);
	ok(is(&out, "ID   N   WHY\nabc  1m  x\\ty\nd    -   -\n"), "columns line up, cells are escaped, null is a dash");
	bawn_auto_buf fields = BAWN_BUF(4096);
	bawn_cli_fields(&fields, json_array_get(rows, 1), column, BAWN_LEN(column), false);
	ok(is(&fields, "ID   d\n"), "fields that are null or absent are left out");
}

static void again(void)
{
	char *argv[] = { "bawn", "--state", "/s x", "run", "--wait", "-t", "5s", "a.py", "it's", "--wait" };
	struct bawn_cli c = { .argc = (int)BAWN_LEN(argv), .argv = argv, .at = 3, .rest = 7 };
	bawn_auto_buf out = BAWN_BUF(4096);
	bawn_cli_put_again(&out, &c, "01ABC");
	ok(is(&out, "bawn --state '/s x' run --approval 01ABC -t 5s a.py 'it'\\''s' --wait"), "the command that uses an approval can be pasted");
}

int main(void)
{
	limits();
	findings();
	texts();
	table();
	again();
	return done_testing();
}
