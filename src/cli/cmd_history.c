/* cmd_history.c - bawn history: past executions, newest first. */
#include "cli/commands.h"
#include "base/cleanup.h"
#include "core/api.h"

struct opts { uint64_t limit, since, until; const char *level, *status, *session; };

#define OR(n, t, e, h) "|" t
static const struct bawn_opt rows[] = {
	BAWN_CLI_OPT(struct opts, 'n', "limit", NUMBER, limit, "N", NULL, "at most N (50)"),
	BAWN_CLI_OPT(struct opts, 0, "since", WHEN, since, "WHEN", NULL, "a date, a time (UTC), or how long ago: 2h, 7d"),
	BAWN_CLI_OPT(struct opts, 0, "until", WHEN, until, "WHEN", NULL, "likewise"),
	BAWN_CLI_OPT(struct opts, 0, "level", TEXT, level, "LEVEL", "LOW|MEDIUM|HIGH|BLOCKED", "only this level"),
	BAWN_CLI_OPT(struct opts, 0, "status", TEXT, status, "STATUS", &(BAWN_STATUSES(OR))[1], "only this status, such as timeout; a wrong one is told all there are"),
	BAWN_CLI_OPT(struct opts, 0, "session", TEXT, session, "NAME", NULL, "only this session"),
};

static const struct bawn_cli_field column[] = {
	{ "ID", "id", BAWN_CLI_TEXT }, { "STARTED", "started_at", BAWN_CLI_TIME }, { "LEVEL", "level", BAWN_CLI_LEVEL },
	{ "DECISION", "decision", BAWN_CLI_TEXT }, { "STATUS", "status", BAWN_CLI_TEXT }, { "EXIT", "exit_code", BAWN_CLI_TEXT },
	{ "WALL", "wall_ms", BAWN_CLI_MS }, { "MEMORY", "peak_memory_bytes", BAWN_CLI_SIZE },
	{ "VIOLATIONS", "violations", BAWN_CLI_TEXT }, { "SESSION", "session", BAWN_CLI_TEXT },
};

static int run(struct bawn_cli *c, const void *opts, int n, char **word)
{
	const struct opts *o = opts;
	struct bawn_err err = { 0 };
	struct bawn_result *result = NULL;
	bawn_auto_json list = NULL;
	struct bawn_history_filter f = {
		.size = sizeof f, .limit = o->limit, .since_us = o->since, .until_us = o->until,
		.level = o->level, .status = o->status, .session = o->session,
	};
	(void)n, (void)word;
	if (bawn_cli_open(c, &err) < 0 || bawn_get_execution_history(c->bawn, &f, &result, &err) < 0 ||
	    bawn_cli_take(result, &list, &err) < 0)
		return bawn_cli_fail(c, &err);
	if (c->common.json)
		return bawn_cli_print_json(list, BAWN_EXIT_OK);
	if (json_array_size(list) == 0) {
		bawn_cli_say("nothing has run yet, or nothing that matches");
		return BAWN_EXIT_OK;
	}
	bawn_auto_buf out = BAWN_BUF(16u << 20);
	bawn_cli_table(&out, list, column, BAWN_LEN(column), c->colour_out);
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

const struct bawn_cli_command bawn_cmd_history = {
	.name = "history", .synopsis = "[options]",
	.summary = "past executions, newest first",
	.about = "Lists executions from the log, newest first: also those that were refused or held.",
	.example = "bawn history --since 7d --level HIGH\n"
	           "bawn history --json --limit 5",
	.opts = BAWN_CLI_OPTS(rows), .opts_size = sizeof(struct opts), .run = run,
};
