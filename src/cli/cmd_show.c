/* cmd_show.c - bawn show: one execution, its row and its records. */
#include "cli/commands.h"
#include "base/cleanup.h"
#include "cli/entries.h"
#include "core/api.h"

static const struct bawn_cli_field field[] = {
	{ "id", "id", BAWN_CLI_TEXT }, { "started", "started_at", BAWN_CLI_TEXT }, { "level", "level", BAWN_CLI_LEVEL },
	{ "score", "score", BAWN_CLI_TEXT }, { "decision", "decision", BAWN_CLI_TEXT }, { "override", "override", BAWN_CLI_COUNTS },
	{ "status", "status", BAWN_CLI_TEXT }, { "exit code", "exit_code", BAWN_CLI_TEXT },
	{ "wall time", "wall_ms", BAWN_CLI_MS }, { "peak memory", "peak_memory_bytes", BAWN_CLI_SIZE },
	{ "violations", "violations", BAWN_CLI_TEXT }, { "code sha256", "code_sha256", BAWN_CLI_TEXT },
	{ "labels", "labels", BAWN_CLI_COUNTS }, { "session", "session", BAWN_CLI_TEXT },
};

static int find(struct bawn_cli *c, const char *id, json_t **out, struct bawn_err *err)
{
	bool last = strcmp(id, "last") == 0;
	struct bawn_result *result = NULL;
	bawn_auto_json list = NULL;
	struct bawn_history_filter f = { .size = sizeof f, .limit = last ? 1 : 2, .id = last ? NULL : id };
	int r = bawn_cli_open(c, err);
	r = r < 0 ? r : bawn_get_execution_history(c->bawn, &f, &result, err);
	r = r < 0 ? r : bawn_cli_take(result, &list, err);
	if (r < 0)
		return r;
	if (json_array_size(list) > 1)
		return bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, "id", "more than one execution starts with '%s'", id);
	if (json_array_size(list) == 0)
		return bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, "id", last ? "nothing has run yet" : "no execution '%s'", id);
	*out = json_incref(json_array_get(list, 0));
	return 0;
}

static int run(struct bawn_cli *c, const void *opts, int n, char **word)
{
	struct bawn_err err = { 0 };
	bawn_auto_json row = NULL;
	bawn_auto_json records = NULL;
	bool ok = true;
	(void)opts, (void)n;
	if (find(c, word[0], &row, &err) < 0 ||
	    bawn_cli_entries_of(c, bawn_dirs_of(c->bawn)->audit, bawn_cli_text(row, "id"), NULL, &records, &err) < 0)
		return bawn_cli_fail(c, &err);
	if (c->common.json) {
		bawn_json_set(row, "records", json_incref(records), &ok);
		return bawn_cli_print_json(ok ? row : NULL, BAWN_EXIT_OK);
	}
	bawn_auto_buf out = BAWN_BUF(16u << 20);
	bawn_cli_fields(&out, row, field, BAWN_LEN(field), c->colour_out);
	bawn_buf_str(&out, "\nrecords:\n");
	bawn_cli_put_entries(&out, records, true);
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

const struct bawn_cli_command bawn_cmd_show = {
	.name = "show", .synopsis = "ID | last",
	.summary = "one execution and its records",
	.about = "Shows an execution and every record of it in the log.  ID may be cut short as long as it is\n"
	         "unique; 'last' is the newest.",
	.example = "bawn show last",
	.least = 1, .most = 1, .run = run,
};
