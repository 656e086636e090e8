/* cmd_status.c - bawn status: is all well, from real probes. */
#include "cli/commands.h"
#include "base/cleanup.h"

static const struct bawn_cli_field field[] = {
	{ "system", "system_status", BAWN_CLI_LEVEL },
	{ "cpus", "resources.cpus", BAWN_CLI_TEXT }, { "memory", "resources.memory_total_bytes", BAWN_CLI_SIZE },
	{ "available", "resources.memory_available_bytes", BAWN_CLI_SIZE }, { "running", "resources.running", BAWN_CLI_TEXT },
	{ "log entries", "audit.entries", BAWN_CLI_TEXT }, { "log verifies", "audit.ok", BAWN_CLI_YESNO },
	{ "verified to", "audit.verified_to", BAWN_CLI_TEXT }, { "anchor", "audit.anchor", BAWN_CLI_TEXT },
	{ "first", "audit.first", BAWN_CLI_TEXT }, { "last", "audit.last", BAWN_CLI_TEXT },
	{ "head", "audit.head_hash", BAWN_CLI_TEXT }, { "checked", "checked_at", BAWN_CLI_TEXT },
};

static void put_components(struct bawn_buf *out, const json_t *components)
{
	const char *name;
	json_t *part;
	json_object_foreach((json_t *)components, name, part) {
		bawn_buf_escaped(out, bawn_span(name));
		bawn_buf_fmt(out, "%*s", (int)(strlen(name) < 14 ? 14 - strlen(name) : 1), "");
		bawn_cli_cell(out, bawn_cli_at(part, "state"), BAWN_CLI_TEXT);
		if (*bawn_cli_text(part, "reason") != '\0') {
			bawn_buf_str(out, ": ");
			bawn_cli_cell(out, bawn_cli_at(part, "reason"), BAWN_CLI_TEXT);
		}
		bawn_buf_char(out, '\n');
	}
}

static int run(struct bawn_cli *c, const void *opts, int n, char **word)
{
	struct bawn_err err = { 0 };
	struct bawn_result *result = NULL;
	bawn_auto_json doc = NULL;
	(void)opts, (void)n, (void)word;
	if (bawn_cli_open(c, &err) < 0 || bawn_get_security_status(c->bawn, &result, &err) < 0 || bawn_cli_take(result, &doc, &err) < 0)
		return bawn_cli_fail(c, &err);
	int code = strcmp(bawn_cli_text(doc, "system_status"), "operational") == 0 ? BAWN_EXIT_OK : BAWN_EXIT_FOUND;
	if (c->common.json)
		return bawn_cli_print_json(doc, code);
	bawn_auto_buf out = BAWN_BUF(64u << 10);
	bawn_cli_fields(&out, doc, field, BAWN_LEN(field), c->colour_out);
	put_components(&out, bawn_cli_at(doc, "components"));
	return bawn_cli_print(&out, code);
}

const struct bawn_cli_command bawn_cmd_status = {
	.name = "status", .synopsis = "",
	.summary = "health of assessor, sandbox and log, from real probes",
	.about = "Tries each part and says what works.  Exit status: 0 operational, 1 degraded or failed.",
	.example = "bawn status --json",
	.run = run,
};
