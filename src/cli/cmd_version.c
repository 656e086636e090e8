/* cmd_version.c - bawn version. */
#include "cli/commands.h"
#include "assess/assess.h"
#include "base/cleanup.h"

static int run(struct bawn_cli *c, const void *opts, int n, char **word)
{
	(void)opts, (void)n, (void)word;
	if (c->common.json) {
		bool ok = true;
		bawn_auto_json doc = json_object();
		bawn_json_set(doc, "version", json_string(BAWN_VERSION), &ok);
		bawn_json_set(doc, "rules_version", json_string(bawn_rules_version()), &ok);
		return bawn_cli_print_json(ok ? doc : NULL, BAWN_EXIT_OK);
	}
	bawn_auto_buf out = BAWN_BUF(256);
	bawn_buf_str(&out, "bawn " BAWN_VERSION "\n");
	if (c->common.verbose)
		bawn_buf_fmt(&out, "rules %s\n", bawn_rules_version());
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

const struct bawn_cli_command bawn_cmd_version = {
	.name = "version", .synopsis = "",
	.summary = "the version of bawn (with -v or --json also of its rules)",
	.about = "Prints the version.",
	.example = "bawn version --json",
	.run = run,
};
