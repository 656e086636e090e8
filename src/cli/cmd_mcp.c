/* cmd_mcp.c - bawn mcp: the flow for agents, as a Model Context Protocol server. */
#include "cli/commands.h"
#include <unistd.h>
#include "core/api.h"
#include "mcp/mcp.h"

struct opts { const char *environment; bool packages; };
static const struct bawn_opt rows[] = {
	BAWN_CLI_OPT(struct opts, 0, "environment", TEXT, environment, "NAME", NULL, "packages that 'bawn env build' installed, for code in their language"),
	BAWN_CLI_OPT(struct opts, 0, "packages", FLAG, packages, NULL, NULL, "agents may name packages, from where policy lists (network.whitelist)"),
};

/* Whoever allowed packages learns that policy does not: an agent only sees no argument for them. */
static void say_if_policy_does_not(const struct bawn_options *options)
{
	struct bawn_err err = { 0 };
	struct bawn *b = NULL;
	if (bawn_open(options, &b, NULL) == 0 && bawn_packages_allowed(b, &err) < 0)
		bawn_cli_say("no agent can name packages yet: %s", err.msg);
	bawn_close(b);
}

static int run(struct bawn_cli *c, const void *opts, int n, char **word)
{
	struct bawn_err err = { 0 };
	struct bawn_options options = bawn_cli_options(c);
	const struct opts *o = opts;
	const struct bawn_mcp_gift gift = { .environment = o->environment, .packages = o->packages };
	(void)n, (void)word;
	options.via = "mcp";
	if (isatty(STDIN_FILENO) == 1 && !c->common.quiet)
		bawn_cli_say("an agent host starts this and speaks MCP over it; Ctrl-D ends it");
	if (o->packages && !c->common.quiet)
		say_if_policy_does_not(&options);
	return bawn_mcp_serve(&options, &gift, STDIN_FILENO, STDOUT_FILENO, &err) < 0 ? bawn_cli_fail(c, &err) : BAWN_EXIT_OK;
}

const struct bawn_cli_command bawn_cmd_mcp = {
	.name = "mcp", .synopsis = "[--environment NAME | --packages]",
	.summary = "serve agents: MCP on standard input and output",
	.about = "A Model Context Protocol server over stdio, for agent hosts; docs/mcp.md has the line for each.\n"
	         "Tools: execute_code, assess_code, get_execution, list_executions.  No tool has an argument for\n"
	         "policy, network or overrides: code of level HIGH or BLOCKED is held, the agent is told the\n"
	         "command by which a person approves it, and after that the same call runs.  Speaks the versions\n"
	         "2025-03-26, 2025-06-18, 2025-11-25 and 2026-07-28 of the protocol.  When the client goes away,\n"
	         "what runs is ended and recorded.  Packages come by --environment, built before, or by --packages:\n"
	         "then execute_code has an argument for their names, if policy has a network.whitelist.  They are\n"
	         "installed as 'bawn run --with' does it, the code has no network, and names to be looked at are held.",
	.example = "bawn mcp\nbawn mcp --environment data\nbawn mcp --packages",
	.opts = BAWN_CLI_OPTS(rows), .opts_size = sizeof(struct opts),
	.run = run,
};
