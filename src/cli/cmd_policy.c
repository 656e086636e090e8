/* cmd_policy.c - bawn policy: what is in force, whether files are right, changing them. */
#include "cli/commands.h"
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "core/api.h"

#define DOCUMENT_MAX (1u << 20)

static void free_policy(struct bawn_policy **p) { bawn_policy_free(*p); }
#define auto_policy __attribute__((cleanup(free_policy))) struct bawn_policy *
#define auto_errors __attribute__((cleanup(bawn_policy_errors_done))) struct bawn_policy_errors

/* "file:line:column: ..." lines as a list. */
static json_t *lines(const struct bawn_policy_errors *errors)
{
	bool ok = true;
	json_t *list = json_array();
	const char *at = errors->text.p, *end = at + errors->text.n;
	while (at != NULL && at < end) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		nl = nl != NULL ? nl : end;
		if (nl > at)
			bawn_json_push(list, bawn_json_text((struct bawn_span){ at, (size_t)(nl - at) }), &ok);
		at = nl + 1;
	}
	return list;
}

static int say_all(const json_t *errors, int code)
{
	size_t i;
	json_t *line;
	json_array_foreach(errors, i, line)
		bawn_cli_say("%s", json_is_string(line) ? json_string_value(line) : bawn_cli_text(line, "message"));
	return code;
}

static int load(const struct bawn_cli *c, const char *dir, struct bawn_policy **out, struct bawn_policy_errors *errors, struct bawn_err *err)
{
	struct bawn_dirs dirs;
	struct bawn_options o = bawn_cli_options(c);
	int r = bawn_dirs_find(&o, &dirs, err);
	if (r < 0)
		return r;
	if (dir != NULL)
		dirs.policy.explicit_ = dir;
	return bawn_policy_load(&dirs.policy, out, errors, err);
}

/* A policy that does not load: every problem, in its place. */
static int refused(const struct bawn_cli *c, const struct bawn_policy_errors *errors, const struct bawn_err *err, int code)
{
	bool ok = true;
	bawn_auto_json list = lines(errors);
	if (!c->common.json && json_array_size(list) > 0)
		return say_all(list, code);
	if (!c->common.json)
		return (void)bawn_cli_fail(c, err), code;
	bawn_auto_json doc = json_object();
	bawn_json_set(doc, "ok", json_false(), &ok);
	bawn_json_set(doc, "errors", json_incref(list), &ok);
	bawn_json_set(doc, "error", bawn_cli_error_json(err), &ok);
	return bawn_cli_print_json(ok ? doc : NULL, code);
}

static int run_show(struct bawn_cli *c, const void *opts, int n, char **word)
{
	static const struct bawn_cli_field column[] = {
		{ "KEY", "key", BAWN_CLI_TEXT }, { "VALUE", "value", BAWN_CLI_TEXT }, { "ORIGIN", "origin", BAWN_CLI_TEXT },
	};
	struct bawn_err err = { 0 };
	auto_policy p = NULL;
	auto_errors errors = { .text = BAWN_BUF(DOCUMENT_MAX) };
	bawn_auto_json list = NULL;
	(void)opts, (void)n, (void)word;
	if (load(c, NULL, &p, &errors, &err) < 0)
		return refused(c, &errors, &err, BAWN_EXIT_CANNOT);
	if (bawn_policy_show(p, &list, &err) < 0)
		return bawn_cli_fail(c, &err);
	if (c->common.json)
		return bawn_cli_print_json(list, BAWN_EXIT_OK);
	char sha256[BAWN_SHA256_HEX];
	bawn_hex(p->sha256, sizeof p->sha256, sha256);
	bawn_auto_buf out = BAWN_BUF(4u << 20);
	bawn_cli_table(&out, list, column, BAWN_LEN(column), c->colour_out);
	if (!c->common.quiet)
		bawn_cli_say("policy sha256 %s", sha256);
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

static int run_check(struct bawn_cli *c, const void *opts, int n, char **word)
{
	struct bawn_err err = { 0 };
	auto_policy p = NULL;
	auto_errors errors = { .text = BAWN_BUF(DOCUMENT_MAX) };
	bool ok = true;
	struct stat st;
	(void)opts;
	if (n > 0 && (stat(word[0], &st) < 0 || !S_ISDIR(st.st_mode))) {
		(void)bawn_fail_as(&err, BAWN_ERROR_NOT_FOUND, NULL, "no directory '%s'", word[0]);
		return (void)bawn_cli_fail(c, &err), BAWN_EXIT_CANNOT;
	}
	int r = load(c, n > 0 ? word[0] : NULL, &p, &errors, &err);
	if (r < 0)
		return refused(c, &errors, &err, err.type == BAWN_ERROR_CONFIG_INVALID ? BAWN_EXIT_FOUND : BAWN_EXIT_CANNOT);
	char sha256[BAWN_SHA256_HEX];
	bawn_hex(p->sha256, sizeof p->sha256, sha256);
	if (!c->common.json) {
		bawn_auto_buf out = BAWN_BUF(256);
		bawn_buf_fmt(&out, "good; sha256 %s\n", sha256);
		return bawn_cli_print(&out, BAWN_EXIT_OK);
	}
	bawn_auto_json doc = json_object();
	bawn_json_set(doc, "ok", json_true(), &ok);
	bawn_json_set(doc, "errors", json_array(), &ok);
	bawn_json_set(doc, "sha256", json_string(sha256), &ok);
	return bawn_cli_print_json(ok ? doc : NULL, BAWN_EXIT_OK);
}

static int answer_set(const struct bawn_cli *c, const json_t *doc)
{
	int code = json_array_size(bawn_cli_at(doc, "errors")) > 0 ? BAWN_EXIT_FOUND : BAWN_EXIT_OK;
	if (c->common.json)
		return bawn_cli_print_json(doc, code);
	static const struct bawn_cli_field field[] = {
		{ "updated", "updated", BAWN_CLI_LIST }, { "before", "before", BAWN_CLI_TEXT }, { "after", "after", BAWN_CLI_TEXT },
	};
	if (code != BAWN_EXIT_OK) {
		(void)say_all(bawn_cli_at(doc, "errors"), code);
		bawn_cli_say("nothing was changed");
		return code;
	}
	bawn_auto_buf out = BAWN_BUF(64u << 10);
	bawn_cli_fields(&out, doc, field, BAWN_LEN(field), c->colour_out);
	return bawn_cli_print(&out, code);
}

static int run_set(struct bawn_cli *c, const void *opts, int n, char **word)
{
	struct bawn_err err = { 0 };
	struct bawn_result *result = NULL;
	bawn_auto_json doc = NULL;
	bawn_auto_buf text = BAWN_BUF(DOCUMENT_MAX);
	(void)opts, (void)n;
	int r = strcmp(word[0], "-") == 0 ? bawn_cli_read_stdin(&text, c->common.quiet, &err) : bawn_cli_read_file(word[0], &text, &err);
	if (r < 0)
		return (void)bawn_cli_fail(c, &err), BAWN_EXIT_CANNOT;
	r = bawn_cli_open(c, &err);
	r = r < 0 ? r : bawn_configure_policies(c->bawn, text.p != NULL ? text.p : "", text.n, &result, &err);
	if (result != NULL && bawn_cli_take(result, &doc, &err) == 0)
		return answer_set(c, doc);
	int code = bawn_cli_fail(c, &err);
	return err.type == BAWN_ERROR_CONFIG_INVALID ? BAWN_EXIT_FOUND : code;
}

const struct bawn_cli_command bawn_cmd_policy_show = {
	.group = "policy", .name = "show", .synopsis = "", .when_bare = true,
	.summary = "the policy in force and where each value comes from",
	.about = "Shows every key with its value and origin: the compiled default, or file and line.",
	.example = "bawn policy show --json",
	.run = run_show,
};
const struct bawn_cli_command bawn_cmd_policy_check = {
	.group = "policy", .name = "check", .synopsis = "[DIR]",
	.summary = "validate policy files; every mistake with its position",
	.about = "Reads security.yaml, sandbox.yaml, audit.yaml and server.yaml as a run would, with DIR in place of\n"
	         "--config, and lists every mistake as file:line:column.  Exit status: 0 good, 1 mistakes, 125 unreadable.",
	.example = "bawn policy check ./config",
	.least = 0, .most = 1, .run = run_check,
};
const struct bawn_cli_command bawn_cmd_policy_set = {
	.group = "policy", .name = "set", .synopsis = "FILE | -",
	.summary = "change the policy: all of a document or nothing",
	.about = "Applies a YAML or JSON document with any of security, sandbox, audit and server at top level.  The\n"
	         "whole is validated first; a document with a mistake changes nothing (exit 1).  The change is recorded.\n"
	         "It is written to --config DIR where one is given, else to /etc/bawn (root) or $XDG_CONFIG_HOME/bawn.",
	.example = "echo 'sandbox: {resources: {timeout: 60}}' | bawn policy set -",
	.least = 1, .most = 1, .run = run_set,
};
