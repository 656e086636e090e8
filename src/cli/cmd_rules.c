/* cmd_rules.c - bawn rules: the rule table, and the examples of a rule file. */
#include "cli/commands.h"
#include <fcntl.h>
#include <inttypes.h>
#include "assess/assess.h"
#include "base/cleanup.h"
#include "base/file.h"

#define RULE_FILE_MAX (4u << 20)

struct opts { const char *lang, *level; };

static const struct bawn_opt list_rows[] = {
	BAWN_CLI_OPT(struct opts, 0, "lang", TEXT, lang, "LANG", "python|bash|javascript", "only rules for this language"),
	BAWN_CLI_OPT(struct opts, 0, "level", TEXT, level, "LEVEL", "LOW|MEDIUM|HIGH|BLOCKED", "only rules of this level"),
};

static bool matches(const json_t *rule, const struct opts *o)
{
	return (o->lang == NULL || strcmp(bawn_cli_text(rule, "language"), o->lang) == 0) &&
	       (o->level == NULL || strcmp(bawn_cli_text(rule, "level"), o->level) == 0);
}

static int run_list(struct bawn_cli *c, const void *opts, int n, char **word)
{
	static const struct bawn_cli_field column[] = {
		{ "RULE", "id", BAWN_CLI_TEXT }, { "LEVEL", "level", BAWN_CLI_LEVEL }, { "CWE", "cwe", BAWN_CLI_TEXT },
		{ "CAPABILITY", "capability", BAWN_CLI_TEXT }, { "MESSAGE", "message", BAWN_CLI_TEXT },
	};
	struct bawn_err err = { 0 };
	bawn_auto_json all = NULL;
	bawn_auto_json some = json_array();
	bool ok = true;
	size_t i;
	json_t *rule;
	(void)n, (void)word;
	if (bawn_rules_json(&all, &err) < 0)
		return bawn_cli_fail(c, &err);
	json_array_foreach(all, i, rule)
		if (matches(rule, opts))
			bawn_json_push(some, json_incref(rule), &ok);
	if (c->common.json)
		return bawn_cli_print_json(ok ? some : NULL, BAWN_EXIT_OK);
	bawn_auto_buf out = BAWN_BUF(4u << 20);
	bawn_cli_table(&out, some, column, BAWN_LEN(column), c->colour_out);
	if (!c->common.quiet)
		bawn_cli_say("%zu rules, version %s", json_array_size(some), bawn_rules_version());
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

static const char *nth_id(size_t i, const void *ctx)
{
	return i < json_array_size(ctx) ? bawn_cli_text(json_array_get(ctx, i), "id") : NULL;
}

static int run_show(struct bawn_cli *c, const void *opts, int n, char **word)
{
	static const struct bawn_cli_field field[] = {
		{ "rule", "id", BAWN_CLI_TEXT }, { "language", "language", BAWN_CLI_TEXT }, { "family", "family", BAWN_CLI_TEXT },
		{ "level", "level", BAWN_CLI_LEVEL }, { "cwe", "cwe", BAWN_CLI_TEXT }, { "capability", "capability", BAWN_CLI_TEXT },
		{ "message", "message", BAWN_CLI_TEXT }, { "why", "why", BAWN_CLI_TEXT }, { "fix", "fix", BAWN_CLI_TEXT },
	};
	struct bawn_err err = { 0 };
	bawn_auto_json all = NULL;
	size_t i;
	json_t *rule;
	(void)opts, (void)n;
	if (bawn_rules_json(&all, &err) < 0)
		return bawn_cli_fail(c, &err);
	json_array_foreach(all, i, rule) {
		if (strcmp(bawn_cli_text(rule, "id"), word[0]) != 0)
			continue;
		if (c->common.json)
			return bawn_cli_print_json(rule, BAWN_EXIT_OK);
		bawn_auto_buf out = BAWN_BUF(64u << 10);
		bawn_cli_fields(&out, rule, field, BAWN_LEN(field), c->colour_out);
		return bawn_cli_print(&out, BAWN_EXIT_OK);
	}
	const char *near = bawn_nearest(bawn_span(word[0]), nth_id, all);
	(void)bawn_fail_as(&err, BAWN_ERROR_NOT_FOUND, NULL, "no rule '%s'%s%s%s", word[0],
	                   near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
	return bawn_cli_fail(c, &err);
}

static int run_test(struct bawn_cli *c, const void *opts, int n, char **word)
{
	struct bawn_err err = { 0 };
	bawn_auto_buf yaml = BAWN_BUF(RULE_FILE_MAX);
	bawn_auto_json doc = NULL;
	size_t i;
	json_t *f;
	(void)opts, (void)n;
	int r = bawn_read_file(AT_FDCWD, word[0], &yaml, &err);
	if (r == 0)
		r = bawn_rules_test(word[0], bawn_buf_span(&yaml), &doc, &err);
	if (r < 0)
		return bawn_cli_fail(c, &err);
	size_t failures = json_array_size(bawn_cli_at(doc, "failures"));
	int code = failures > 0 ? BAWN_EXIT_FOUND : BAWN_EXIT_OK;
	if (c->common.json)
		return bawn_cli_print_json(doc, code);
	json_array_foreach(bawn_cli_at(doc, "failures"), i, f) {
		bawn_auto_buf got = BAWN_BUF(64u << 10);
		bawn_cli_cell(&got, bawn_cli_at(f, "got"), BAWN_CLI_LIST);
		bawn_cli_say("%s: %s example failed: %s: got %s", bawn_cli_text(f, "rule"), bawn_cli_text(f, "kind"),
		             bawn_cli_text(f, "example"), got.p != NULL ? got.p : "?");
	}
	bawn_auto_buf out = BAWN_BUF(1024);
	bawn_buf_fmt(&out, "%" PRIu64 " rules, %" PRIu64 " examples, %zu failed\n", bawn_cli_number(doc, "rules"),
	             bawn_cli_number(doc, "examples"), failures);
	return bawn_cli_print(&out, code);
}

const struct bawn_cli_command bawn_cmd_rules_list = {
	.group = "rules", .name = "list", .synopsis = "", .when_bare = true,
	.summary = "the rules code is assessed by",
	.about = "Lists every rule with its level, CWE number, the capability it stands for and its message.",
	.example = "bawn rules list --lang python --level BLOCKED",
	.opts = BAWN_CLI_OPTS(list_rows), .opts_size = sizeof(struct opts), .run = run_list,
};
const struct bawn_cli_command bawn_cmd_rules_show = {
	.group = "rules", .name = "show", .synopsis = "ID",
	.summary = "one rule: what it finds, why, and what to write instead",
	.about = "Shows one rule of the table.",
	.example = "bawn rules show python/pty-spawn",
	.least = 1, .most = 1, .run = run_show,
};
const struct bawn_cli_command bawn_cmd_rules_test = {
	.group = "rules", .name = "test", .synopsis = "FILE",
	.summary = "run the examples of a rule file",
	.about = "Reads a rule file (YAML) and assesses its examples: those that must match and those that must\n"
	         "not.  Exit status: 0 when all do as they say, 1 when one does not.",
	.example = "bawn rules test rules/python/process.yaml",
	.least = 1, .most = 1, .run = run_test,
};
