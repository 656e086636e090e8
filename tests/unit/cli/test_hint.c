/* The "file beside the script" hint: what it recognises, and what it must never suggest. */
#include <string.h>
#include "base/cleanup.h"
#include "cli/cli.h"
#include "tap.h"
#include "tmpdir.h"

static const struct { const char *name, *text, *want; } row[] = {
	{ "Python: a missing file", "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'\n", "--in data.csv" },
	{ "Python: written with ./", "FileNotFoundError: [Errno 2] No such file or directory: './data.csv'", "--in data.csv" },
	{ "Python: the workspace spelled out", "No such file or directory: '/workspace/data.csv'", "--in data.csv" },
	{ "Python: a file in a directory asks for the directory", "No such file or directory: 'sub/x.txt'", "--in sub" },
	{ "Python: a module beside the script", "ModuleNotFoundError: No module named 'helper'", "--in helper.py" },
	{ "Node: open", "Error: ENOENT: no such file or directory, open 'data.csv'\n    at x", "--in data.csv" },
	{ "Node: scandir", "Error: ENOENT: no such file or directory, scandir 'sub'", "--in sub" },
	{ "bash: a redirection", "/code/main.sh: line 3: data.csv: No such file or directory", "--in data.csv" },
	{ "a tool", "cat: data.csv: No such file or directory\n", "--in data.csv" },
	{ "a tool that quotes", "ls: cannot access 'data.csv': No such file or directory", "--in data.csv" },
	{ "a name with a space is quoted", "cat: 'my data.csv': No such file or directory", "--in 'my data.csv'" },
	{ "a name that a shell would take for a command is quoted", "No such file or directory: \"it's $(x).csv\"", "--in 'it'\\''s $(x).csv'" },
	{ "a name that a terminal would obey is quoted", "No such file or directory: \"a\x1b[2J.csv\"", "--in $'a\\x1b[2J.csv'" },
	{ "not beside the script", "No such file or directory: 'absent.csv'", NULL },
	{ "an absolute path is none of ours", "No such file or directory: '/etc/data.csv'", NULL },
	{ "a name that leaves the directory", "No such file or directory: '../data.csv'", NULL },
	{ "a name that leaves it later", "No such file or directory: 'sub/../../data.csv'", NULL },
	{ "a hidden file is never suggested", "No such file or directory: '.env'", NULL },
	{ "a name that looks like an option", "cat: -x: No such file or directory", NULL },
	{ "the script itself", "cat: script.py: No such file or directory", NULL },
	{ "an unfinished quote", "No such file or directory: 'data.csv", NULL },
	{ "the marker and nothing else", "No such file or directory: ", NULL },
	{ "the marker at the start", ": No such file or directory", NULL },
	{ "ordinary output", "data.csv is fine\n", NULL },
	{ "nothing", "", NULL },
};

static void touch(const struct tmpdir *d, const char *name)
{
	(void)close(openat(d->fd, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
}

int main(void)
{
	auto_tmpdir dir = tmpdir_make();
	static const char *const file[] = { "data.csv", "my data.csv", "it's $(x).csv", "a\x1b[2J.csv", "helper.py", ".env", "-x", "script.py" };
	for (size_t i = 0; i < BAWN_LEN(file); i++)
		touch(&dir, file[i]);
	(void)mkdirat(dir.fd, "sub", 0700);
	touch(&dir, "sub/x.txt");
	char script[128];
	(void)snprintf(script, sizeof script, "%s/script.py", dir.path);
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_json doc = json_pack("{s:[]}", "denials");
		int n = bawn_cli_missing_file_hint(doc, script, bawn_span(row[i].text));
		const json_t *d = json_array_get(json_object_get(doc, "denials"), 0);
		ok(n == (row[i].want != NULL) && (row[i].want == NULL || strcmp(bawn_cli_text(d, "hint"), row[i].want) == 0),
		   "%s", row[i].name);
	}
	bawn_auto_json doc = json_object();
	(void)bawn_cli_missing_file_hint(doc, script, bawn_span("cat: data.csv: No such file or directory\ncat: data.csv: No such file or directory\n"));
	const json_t *list = json_object_get(doc, "denials");
	ok(json_array_size(list) == 1, "the same file is named once, and a document without denials gets them");
	const json_t *d = json_array_get(list, 0);
	ok(strcmp(bawn_cli_text(d, "kind"), "path") == 0 && strcmp(bawn_cli_text(d, "source"), "hook") == 0 &&
	   bawn_cli_number(d, "count") == 1 && strcmp(bawn_cli_text(d, "what"), "data.csv") == 0, "the denial has every member");
	return done_testing();
}
