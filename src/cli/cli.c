/* cli.c - from argv to a row of the command table.
 *
 *	bawn [common options] COMMAND [SUBCOMMAND] [options and words]
 *
 * Invariant: nothing is opened, read or asked before the row is known and its options parsed;
 * `bawn --version` and `--help` only print. */
#include "cli/cli.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/cleanup.h"

static const struct bawn_opt common_rows[] = {
	BAWN_CLI_OPT(struct bawn_cli_common, 0, "json", FLAG, json, NULL, NULL, "print one JSON document on standard output"),
	BAWN_CLI_OPT(struct bawn_cli_common, 0, "config", TEXT, config, "DIR", NULL, "read policy files from DIR too (they may only tighten)"),
	BAWN_CLI_OPT(struct bawn_cli_common, 0, "state", TEXT, state, "DIR", NULL, "keep log and approvals in DIR"),
	BAWN_CLI_OPT(struct bawn_cli_common, 'q', "quiet", FLAG, quiet, NULL, NULL, "only errors on standard error"),
	BAWN_CLI_OPT(struct bawn_cli_common, 'v', "verbose", FLAG, verbose, NULL, NULL, "say more on standard error"),
	BAWN_CLI_OPT(struct bawn_cli_common, 'h', "help", FLAG, help, NULL, NULL, "show this help"),
};
const struct bawn_opts bawn_cli_common_opts = BAWN_CLI_OPTS(common_rows);

/* A closed standard descriptor would be reused by the next open: a log that becomes stdout. */
static void keep_standard_fds(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO)
		fd = dup(fd);
	if (fd > STDERR_FILENO)
		(void)close(fd);
}

static bool is_group(const char *word)
{
	for (size_t i = 0; bawn_cli_command[i] != NULL; i++)
		if (bawn_cli_command[i]->group != NULL && strcmp(bawn_cli_command[i]->group, word) == 0)
			return true;
	return false;
}

static const struct bawn_cli_command *find(const char *group, const char *name)
{
	for (size_t i = 0; bawn_cli_command[i] != NULL; i++) {
		const struct bawn_cli_command *cmd = bawn_cli_command[i];
		bool same = group == NULL ? cmd->group == NULL : cmd->group != NULL && strcmp(cmd->group, group) == 0;
		if (same && (name != NULL ? strcmp(cmd->name, name) == 0 : cmd->when_bare))
			return cmd;
	}
	return NULL;
}

/* Names to guess from: top-level words, or the words of one group. */
static const char *nth_word(size_t i, const void *group)
{
	static const char *const more[] = { "help", "version" };
	size_t n = 0;
	for (; bawn_cli_command[n] != NULL; n++) {
		const struct bawn_cli_command *cmd = bawn_cli_command[n];
		if (n != i)
			continue;
		if (group == NULL)
			return cmd->group != NULL ? cmd->group : cmd->name;
		return cmd->group != NULL && strcmp(cmd->group, group) == 0 ? cmd->name : "";
	}
	return group == NULL && i - n < BAWN_LEN(more) ? more[i - n] : NULL;
}

static int unknown(struct bawn_cli *c, const char *group, const char *word)
{
	const char *near = bawn_nearest(bawn_span(word), nth_word, group);
	const char *space = group != NULL ? " " : "";
	group = group != NULL ? group : "";
	if (near != NULL && *near != '\0')
		return bawn_cli_usage(c, "unknown command '%s%s%s'; did you mean '%s%s%s'?", group, space, word, group, space, near);
	return bawn_cli_usage(c, "unknown command '%s%s%s'; 'bawn --help' lists them", group, space, word);
}

static int print_help(const struct bawn_cli_command *cmd, const char *group)
{
	bawn_auto_buf out = BAWN_BUF(256u << 10);
	if (cmd != NULL)
		bawn_cli_help_command(&out, cmd);
	else if (group != NULL)
		bawn_cli_help_group(&out, group);
	else
		bawn_cli_help(&out);
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

/* Common options standing before a command word.  *out_rest: where that word is. */
static int leading(struct bawn_cli *c, int argc, char **argv, int *out_rest, struct bawn_err *err)
{
	void *target[] = { &c->common };
	return bawn_opt_parse(&bawn_cli_common_opts, 1, argc, argv, target, true, NULL, out_rest, err);
}

/* Gathers options wherever they stand; the words between them go to `word`, in order. */
static int gather(struct bawn_cli *c, const struct bawn_cli_command *cmd, void *opts, int argc, char **argv,
                  char **word, int *out_n, struct bawn_err *err)
{
	const struct bawn_opts tables[] = { bawn_cli_common_opts, cmd->opts };
	void *targets[] = { &c->common, opts };
	for (int at = 0; ; ) {  /* argv[at] stands where the parser expects a program's name */
		int rest = 0;
		int r = bawn_opt_parse(tables, 2, argc - at, argv + at, targets, true, NULL, &rest, err);
		if (r < 0)
			return r;
		bool all = cmd->options_first || (rest > 1 && strcmp(argv[at + rest - 1], "--") == 0);
		if (cmd->options_first)
			c->rest = (int)(argv + rest - c->argv);
		for (at += rest; all && at < argc; at++)
			word[(*out_n)++] = argv[at];
		if (at >= argc)
			return 0;
		word[(*out_n)++] = argv[at];
	}
}

static void look_for_json(struct bawn_cli *c, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		c->common.json |= strcmp(argv[i], "--json") == 0;
}

static int help_for(struct bawn_cli *c, int argc, char **argv)
{
	struct bawn_err err = { 0 };
	int skip = 1;
	look_for_json(c, argc, argv);  /* help has no document, a wrong word has */
	if (leading(c, argc, argv, &skip, &err) < 0)
		return bawn_cli_usage(c, "%s", err.msg);
	argc -= skip;
	argv += skip;
	if (argc < 1)
		return print_help(NULL, NULL);
	if (is_group(argv[0])) {
		const char *name = argc > 1 && argv[1][0] != '-' ? argv[1] : NULL;
		const struct bawn_cli_command *cmd = name != NULL ? find(argv[0], name) : NULL;
		return name != NULL && cmd == NULL ? unknown(c, argv[0], name) : print_help(cmd, argv[0]);
	}
	const struct bawn_cli_command *cmd = find(NULL, argv[0]);
	return cmd != NULL ? print_help(cmd, NULL) : unknown(c, NULL, argv[0]);
}

/* --state "$DIR" with nothing in DIR must not mean the host's own. */
static const char *empty_directory(const struct bawn_cli_common *o)
{
	return o->state != NULL && *o->state == '\0' ? "state" : o->config != NULL && *o->config == '\0' ? "config" : NULL;
}

static int dispatch(struct bawn_cli *c, const struct bawn_cli_command *cmd, int argc, char **argv)
{
	struct bawn_err err = { 0 };
	bawn_auto_free void *opts = calloc(1, cmd->opts_size + 1);
	bawn_auto_free char **word = calloc((size_t)argc + 1, sizeof *word);
	int n = 0;
	c->command = cmd;
	if (opts == NULL || word == NULL)
		return bawn_cli_usage(c, "out of memory");
	if (gather(c, cmd, opts, argc, argv, word, &n, &err) < 0) {
		look_for_json(c, argc, argv);
		return bawn_cli_usage(c, "%s", err.msg);
	}
	if (c->common.help)
		return print_help(cmd, NULL);
	if (empty_directory(&c->common) != NULL)
		return bawn_cli_usage(c, "option --%s: a directory without a name", empty_directory(&c->common));
	if (n < cmd->least)
		return bawn_cli_usage(c, "something is missing: %s %s", cmd->name, cmd->synopsis);
	if (cmd->most >= 0 && n > cmd->most)
		return bawn_cli_usage(c, "'%s' is one word too many", word[cmd->most]);
	int code = cmd->run(c, opts, n, word);
	if (c->bawn != NULL)
		bawn_close(c->bawn);
	return code;
}

static int dispatch_group(struct bawn_cli *c, int argc, char **argv)
{
	int skip = 1;
	if (leading(c, argc, argv, &skip, NULL) < 0)
		skip = argc;  /* a foreign option: the bare command may know it */
	const char *name = skip < argc && argv[skip][0] != '-' ? argv[skip] : NULL;
	const struct bawn_cli_command *cmd = find(argv[0], name);
	if (c->common.help && name == NULL)
		return print_help(NULL, argv[0]);
	if (cmd != NULL)
		return name != NULL ? dispatch(c, cmd, argc - skip, argv + skip) : dispatch(c, cmd, argc, argv);
	look_for_json(c, argc, argv);
	if (name != NULL)
		return unknown(c, argv[0], name);
	return bawn_cli_usage(c, "'%s' needs a command; 'bawn %s --help' lists them", argv[0], argv[0]);
}

static bool wants_version(int argc, char **argv)
{
	for (int i = 1; i < argc && argv[i][0] == '-'; i++)
		if (strcmp(argv[i], "--version") == 0)
			return true;
	return false;
}

static int choose(struct bawn_cli *c, int argc, char **argv)
{
	struct bawn_err err = { 0 };
	int skip = 1;
	if (wants_version(argc, argv)) {
		look_for_json(c, argc, argv);
		return dispatch(c, find(NULL, "version"), 1, argv);
	}
	if (leading(c, argc, argv, &skip, &err) < 0) {
		look_for_json(c, argc, argv);
		return bawn_cli_usage(c, "%s", err.msg);
	}
	c->at = skip;
	argc -= skip;
	argv += skip;
	if (argc < 1)
		return c->common.help ? print_help(NULL, NULL) : bawn_cli_usage(c, "which command? 'bawn --help' lists them");
	if (strcmp(argv[0], "help") == 0)
		return help_for(c, argc, argv);
	if (is_group(argv[0]))
		return dispatch_group(c, argc, argv);
	const struct bawn_cli_command *cmd = find(NULL, argv[0]);
	if (cmd != NULL)
		return dispatch(c, cmd, argc, argv);
	look_for_json(c, argc, argv);
	return unknown(c, NULL, argv[0]);
}

int bawn_cli_main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return puts("bawn " BAWN_VERSION) < 0 || fflush(stdout) != 0 ? BAWN_EXIT_CANNOT : BAWN_EXIT_OK;
	keep_standard_fds();
	(void)signal(SIGXFSZ, SIG_IGN);  /* a file that may not grow (ulimit -f) is a write that fails, and is told */
	bool plain = getenv("NO_COLOR") != NULL && *getenv("NO_COLOR") != '\0';
	struct bawn_cli c = {
		.colour_out = !plain && isatty(STDOUT_FILENO) == 1,
		.colour_err = !plain && isatty(STDERR_FILENO) == 1,
		.argc = argc,
		.argv = argv,
	};
	return choose(&c, argc, argv);
}
