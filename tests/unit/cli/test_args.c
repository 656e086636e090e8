/* Words on the command line: where options end, what wrong usage costs, what --help and --json promise. */
#include <string.h>
#include <sys/mman.h>
#include "base/cleanup.h"
#include "cli/commands.h"
#include "tap.h"

#define MAX_WORDS 12

/* Runs bawn with stdout and stderr in memory files. */
static int call(const char *const *word, char *out, size_t out_size, char *err, size_t err_size)
{
	char *argv[MAX_WORDS + 2] = { (char[]){ "bawn" } };
	int argc = 1, file[2], kept[2];
	for (; argc <= MAX_WORDS && word[argc - 1] != NULL; argc++)
		argv[argc] = (char *)(uintptr_t)word[argc - 1];
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		file[i] = memfd_create("out", MFD_CLOEXEC);
		kept[i] = dup(i + 1);
		(void)dup2(file[i], i + 1);
	}
	int code = bawn_cli_main(argc, argv);
	fflush(stdout);
	for (int i = 0; i < 2; i++) {
		(void)dup2(kept[i], i + 1);
		(void)close(kept[i]);
		char *to = i == 0 ? out : err;
		ssize_t n = pread(file[i], to, (i == 0 ? out_size : err_size) - 1, 0);
		to[n > 0 ? n : 0] = '\0';
		(void)close(file[i]);
	}
	return code;
}

static const struct { const char *name, *word[MAX_WORDS]; int code; const char *out, *err; } row[] = {
	{ "--version", { "--version" }, 0, "bawn " BAWN_VERSION "\n", NULL },
	{ "version", { "version" }, 0, "bawn " BAWN_VERSION "\n", NULL },
	{ "--help", { "--help" }, 0, "commands:", NULL },
	{ "help CMD", { "help", "run" }, 0, "usage: bawn run", NULL },
	{ "help GROUP CMD", { "help", "audit", "verify" }, 0, "usage: bawn audit verify", NULL },
	{ "CMD --help after other options", { "run", "--json", "--help" }, 0, "usage: bawn run", NULL },
	{ "GROUP --help", { "audit", "--help" }, 0, "audit report", NULL },
	{ "GROUP CMD --help", { "policy", "check", "-h" }, 0, "Example", NULL },
	{ "nothing at all", { NULL }, 2, "", "which command?" },
	{ "an unknown command", { "asess" }, 2, "", "did you mean 'assess'?" },
	{ "an unknown subcommand", { "audit", "verfy" }, 2, "", "did you mean 'audit verify'?" },
	{ "a group alone where none is meant", { "audit" }, 2, "", "'audit' needs a command" },
	{ "help with --json", { "help", "--json" }, 0, "commands:", NULL },
	{ "help GROUP with --json", { "help", "audit", "--json" }, 0, "audit report", NULL },
	{ "help for nothing, as JSON", { "help", "asess", "--json" }, 2, "{\"error\":{\"type\":\"invalid_request\"", "" },
	{ "help for nothing in a group, as JSON", { "help", "--json", "audit", "verfy" }, 2, "did you mean 'audit verify'?", "" },
	{ "an unknown command, as JSON", { "asess", "--json" }, 2, "{\"error\":{\"type\":\"invalid_request\"", NULL },
	{ "an unknown option", { "history", "--limt", "3" }, 2, "", "did you mean '--limit'?" },
	{ "an unknown option, as JSON", { "history", "--json", "--limt", "3" }, 2, "{\"error\":", NULL },
	{ "--json after the mistake", { "history", "--limt", "3", "--json" }, 2, "{\"error\":", NULL },
	{ "an unknown option before the command", { "--jsn", "history" }, 2, "", "did you mean '--json'?" },
	{ "a value that is none of the choices", { "history", "--level", "high" }, 2, "", "none of LOW|MEDIUM|HIGH|BLOCKED" },
	{ "a missing word", { "show" }, 2, "", "missing: show ID | last" },
	{ "a missing word, as JSON", { "approve", "--json" }, 2, "missing: approve ID --reason TEXT", "" },
	{ "a status that is none", { "history", "--status", "complete" }, 2, "", "none of completed|failed|timeout|" },
	{ "no status", { "history", "--status", "" }, 2, "", "none of completed|" },
	{ "a state directory without a name", { "--state", "", "pending" }, 2, "", "option --state: " },
	{ "configuration without a name", { "policy", "check", "--json", "--config=" }, 2, "option --config: ", "" },
	{ "a word too many", { "show", "a", "b" }, 2, "", "'b' is one word too many" },
	{ "run: wrong usage is 125", { "run", "--tmeout", "3", "x.py" }, 125, "", "did you mean '--timeout'?" },
	{ "run: wrong usage as JSON has a status", { "run", "--json", "--tmeout" }, 125, "{\"v\":1,\"id\":\"", NULL },
	{ "run: no code", { "run" }, 125, "", "no code to run" },
	{ "run: no code, as JSON", { "run", "--json" }, 125, "\"type\":\"empty_code\"", NULL },
	{ "run: a file that is not there", { "run", "--json", "/nowhere/x.py" }, 125, "\"type\":\"not_found\"", NULL },
	{ "run: -- ends options", { "run", "--json", "--", "--x.py" }, 125, "no file '--x.py'", NULL },
	{ "run: a bad size", { "run", "--memory", "lots", "x.py" }, 125, "", "not a size" },
	{ "what was typed is escaped", { "x\x1b[2J" }, 2, "", "x\\x1b[2J" },
};

static void usage(void)
{
	static char out[65536], err[65536];
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		int code = call(row[i].word, out, sizeof out, err, sizeof err);
		bool good = code == row[i].code && strstr(out, row[i].out) != NULL && (row[i].err == NULL || strstr(err, row[i].err) != NULL) &&
		            (*row[i].out != '\0' || *out == '\0');
		if (!ok(good, "%s", row[i].name))
			diag("code %d, out [%.200s], err [%.200s]", code, out, err);
	}
}

/* The rows of run, parsed as the dispatcher does. */
static void options_end(void)
{
	static const struct { const char *name, *word[MAX_WORDS]; int rest; bool json; } end[] = {
		{ "options end at FILE", { "--json", "a.py", "--json", "-v" }, 2, true },
		{ "and at -", { "-", "--json" }, 1, false },
		{ "and at -c CODE", { "-c", "print(1)", "--json" }, 3, false },
		{ "-c takes what follows at once", { "-cprint(1)", "--json" }, 2, false },
		{ "values are not FILE", { "--in", "a.csv", "-t", "5s", "--json", "a.py" }, 6, true },
	};
	for (size_t i = 0; i < BAWN_LEN(end); i++) {
		char *argv[MAX_WORDS + 2] = { (char[]){ "run" } };
		int argc = 1, rest = 0;
		for (; end[i].word[argc - 1] != NULL; argc++)
			argv[argc] = (char *)(uintptr_t)end[i].word[argc - 1];
		const struct bawn_opts table[] = { bawn_cli_common_opts, bawn_cmd_run.opts };
		struct bawn_cli_common common = { 0 };
		bawn_auto_free void *own = calloc(1, bawn_cmd_run.opts_size);
		void *target[] = { &common, own };
		int r = bawn_opt_parse(table, 2, argc, argv, target, bawn_cmd_run.options_first, NULL, &rest, NULL);
		ok(r == 0 && rest == end[i].rest && common.json == end[i].json,
		   "%s", end[i].name);
	}
}

static void rows(void)
{
	bool whole = true, once = true;
	for (size_t i = 0; bawn_cli_command[i] != NULL; i++) {
		const struct bawn_cli_command *c = bawn_cli_command[i];
		whole &= c->name != NULL && c->synopsis != NULL && c->summary != NULL && c->about != NULL && c->example != NULL &&
		         c->run != NULL && strncmp(c->example, "bawn ", 5) * strncmp(c->example, "echo ", 5) == 0;
		for (size_t k = 0; k < c->opts.n; k++)
			for (size_t m = 0; m < bawn_cli_common_opts.n; m++) {
				const struct bawn_opt *a = &c->opts.row[k], *b = &bawn_cli_common_opts.row[m];
				once &= !(a->name != NULL && strcmp(a->name, b->name) == 0) && !(a->letter != 0 && a->letter == b->letter);
			}
	}
	ok(whole, "every command has a synopsis, a summary, a description and an example");
	ok(once, "no command hides a common option");
}

/* A name as roff writes it: its hyphens behind a backslash. */
static bool names(const char *man, const char *name)
{
	char text[64];
	size_t n = 0;
	for (; *name != '\0' && n < sizeof text - 2; name++) {
		if (*name == '-')
			text[n++] = '\\';
		text[n++] = *name;
	}
	text[n] = '\0';
	return strstr(man, text) != NULL;
}

static void manual(void)
{
	bawn_auto_buf man = BAWN_BUF(1u << 20);
	bawn_cli_manual(&man);
	bool all = bawn_buf_error(&man) == 0;
	for (size_t i = 0; all && bawn_cli_command[i] != NULL; i++)
		all = names(man.p, bawn_cli_command[i]->name);
	ok(all, "the manual names every command");
	ok(all && strstr(man.p, "approval_mismatch") != NULL && strstr(man.p, "mem_limit") != NULL && strstr(man.p, "needs_approval") != NULL,
	   "and the errors, the configuration and the statuses");
}

int main(void)
{
	usage();
	options_end();
	rows();
	manual();
	return done_testing();
}
