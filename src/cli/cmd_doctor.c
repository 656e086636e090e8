/* cmd_doctor.c - bawn doctor: what this host can enforce, layer by layer, and the exact fix. */
#include "cli/commands.h"
#include "base/cleanup.h"
#include "core/api.h"

static const struct bawn_cli_field column[] = {
	{ "LAYER", "layer", BAWN_CLI_TEXT }, { "STATE", "state", BAWN_CLI_LEVEL }, { "REQUIRED", "required", BAWN_CLI_YESNO },
	{ "DETAIL", "detail", BAWN_CLI_TEXT },
};
static const struct bawn_cli_field interpreter[] = {
	{ "LANGUAGE", "language", BAWN_CLI_TEXT }, { "PRESENT", "present", BAWN_CLI_YESNO }, { "INTERPRETER", "path", BAWN_CLI_TEXT },
};
static const struct bawn_cli_field field[] = {
	{ "mode", "mode", BAWN_CLI_TEXT }, { "kernel", "kernel", BAWN_CLI_TEXT }, { "uid", "uid", BAWN_CLI_TEXT },
	{ "cgroup", "cgroup", BAWN_CLI_TEXT }, { "state", "state_dir", BAWN_CLI_TEXT }, { "log", "audit", BAWN_CLI_TEXT },
	{ "usable", "usable", BAWN_CLI_YESNO }, { "summary", "summary", BAWN_CLI_TEXT },
};

static bool wants(const json_t *layer, const char *fix)
{
	return strcmp(bawn_cli_text(layer, "state"), "active") != 0 && strcmp(bawn_cli_text(layer, "fix"), fix) == 0;
}

/* Each fix once, with the layers it is for. */
static void put_fixes(struct bawn_buf *out, const json_t *layers)
{
	size_t i, k;
	json_t *l, *other;
	json_array_foreach(layers, i, l) {
		const char *fix = bawn_cli_text(l, "fix");
		bool first = *fix != '\0' && wants(l, fix);
		for (k = 0; first && k < i; k++)
			first = !wants(json_array_get(layers, k), fix);
		if (!first)
			continue;
		bawn_buf_str(out, "fix for ");
		json_array_foreach(layers, k, other) {
			if (!wants(other, fix))
				continue;
			bawn_buf_str(out, k > i ? ", " : "");
			bawn_cli_cell(out, bawn_cli_at(other, "layer"), BAWN_CLI_TEXT);
		}
		bawn_buf_str(out, ": ");
		bawn_cli_cell(out, bawn_cli_at(l, "fix"), BAWN_CLI_TEXT);
		bawn_buf_char(out, '\n');
	}
}

static int run(struct bawn_cli *c, const void *opts, int n, char **word)
{
	struct bawn_err err = { 0 };
	bawn_auto_json doc = NULL;
	struct bawn_options o = bawn_cli_options(c);
	(void)opts, (void)n, (void)word;
	if (bawn_doctor(&o, &doc, &err) < 0)
		return bawn_cli_fail(c, &err);
	int code = json_is_true(bawn_cli_at(doc, "usable")) ? BAWN_EXIT_OK : BAWN_EXIT_FOUND;
	if (c->common.json)
		return bawn_cli_print_json(doc, code);
	bawn_auto_buf out = BAWN_BUF(64u << 10);
	bawn_cli_table(&out, bawn_cli_at(doc, "layers"), column, BAWN_LEN(column), c->colour_out);
	bawn_buf_char(&out, '\n');
	bawn_cli_table(&out, bawn_cli_at(doc, "interpreters"), interpreter, BAWN_LEN(interpreter), c->colour_out);
	bawn_buf_char(&out, '\n');
	bawn_cli_fields(&out, doc, field, BAWN_LEN(field), c->colour_out);
	put_fixes(&out, bawn_cli_at(doc, "layers"));
	return bawn_cli_print(&out, code);
}

const struct bawn_cli_command bawn_cmd_doctor = {
	.name = "doctor", .synopsis = "",
	.summary = "what this host can enforce, what is missing and the fix",
	.about = "Tries each layer for real: active, missing (wanted, not to be had) or absent (not in this kernel),\n"
	         "with the exact fix.  Exit status: 0 code can run here under the policy, 1 it cannot.",
	.example = "bawn doctor",
	.run = run,
};
