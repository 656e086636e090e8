/* cmd_pending.c - bawn pending: requests that wait for an answer. */
#include "cli/commands.h"
#include "base/cleanup.h"

static int run(struct bawn_cli *c, const void *opts, int n, char **word)
{
	static const struct bawn_cli_field column[] = {
		{ "ID", "id", BAWN_CLI_TEXT }, { "LEVEL", "level", BAWN_CLI_LEVEL }, { "ASKED", "created_at", BAWN_CLI_TIME },
		{ "EXPIRES", "expires_at", BAWN_CLI_TIME }, { "BY", "principal.id", BAWN_CLI_TEXT },
		{ "SESSION", "session", BAWN_CLI_TEXT }, { "CODE", "path", BAWN_CLI_TEXT }, { "REASON", "asked_reason", BAWN_CLI_TEXT },
	};
	struct bawn_err err = { 0 };
	struct bawn_result *result = NULL;
	bawn_auto_json list = NULL;
	(void)opts, (void)n, (void)word;
	if (bawn_cli_open(c, &err) < 0 || bawn_approvals_list(c->bawn, &result, &err) < 0 || bawn_cli_take(result, &list, &err) < 0)
		return bawn_cli_fail(c, &err);
	if (c->common.json)
		return bawn_cli_print_json(list, BAWN_EXIT_OK);
	if (json_array_size(list) == 0) {
		bawn_cli_say("nothing waits for an answer");
		return BAWN_EXIT_OK;
	}
	bawn_auto_buf out = BAWN_BUF(16u << 20);
	bawn_cli_table(&out, list, column, BAWN_LEN(column), c->colour_out);
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

const struct bawn_cli_command bawn_cmd_pending = {
	.name = "pending", .synopsis = "",
	.summary = "requests that wait for an answer",
	.about = "Lists held requests: HIGH ones, and BLOCKED ones somebody asked to override.",
	.example = "bawn pending",
	.run = run,
};
