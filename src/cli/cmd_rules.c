/* cmd_rules.c - bawn rules: the rule table, and the examples of a rule file. */
#include "cli/commands.h"
#include <fcntl.h>
#include <inttypes.h>
#include "assess/assess.h"
#include "base/cleanup.h"
#include "base/file.h"

#define RULE_FILE_MAX (4u << 20)

static void free_policy(struct bawn_policy **p) { bawn_policy_free(*p); }
#define auto_policy __attribute__((cleanup(free_policy))) struct bawn_policy *

struct opts { const char *lang, *level, *family; };

#define OR(n, t) n "|"
static const struct bawn_opt list_rows[] = {
	BAWN_CLI_OPT(struct opts, 0, "lang", TEXT, lang, "LANG", "python|bash|javascript|any", "only rules for this language"),
	BAWN_CLI_OPT(struct opts, 0, "level", TEXT, level, "LEVEL", "LOW|MEDIUM|HIGH|BLOCKED", "only rules of this level"),
	BAWN_CLI_OPT(struct opts, 0, "family", TEXT, family, "FAMILY", BAWN_FAMILIES(OR) "rules.d",
	             "only rules of this family, such as secrets; a wrong one is told all there are"),
};

static bool matches(const json_t *rule, const struct opts *o)
{
	return (o->lang == NULL || strcmp(bawn_cli_text(rule, "language"), o->lang) == 0) &&
	       (o->level == NULL || strcmp(bawn_cli_text(rule, "level"), o->level) == 0) &&
	       (o->family == NULL || strcmp(bawn_cli_text(rule, "family"), o->family) == 0);
}

static int run_list(struct bawn_cli *c, const void *opts, int n, char **word)
{
	static const struct bawn_cli_field column[] = {
		{ "RULE", "id", BAWN_CLI_TEXT }, { "LEVEL", "level", BAWN_CLI_LEVEL }, { "LANGUAGE", "language", BAWN_CLI_TEXT },
		{ "FAMILY", "family", BAWN_CLI_TEXT }, { "CWE", "cwe", BAWN_CLI_TEXT }, { "CAPABILITY", "capability", BAWN_CLI_TEXT },
		{ "MESSAGE", "message", BAWN_CLI_TEXT },
	};
	struct bawn_err err = { 0 };
	auto_policy policy = NULL;
	bawn_auto_json all = NULL;
	bawn_auto_json some = json_array();
	bool ok = true;
	size_t i;
	json_t *rule;
	(void)n, (void)word;
	if (bawn_cli_policy(c, &policy, &err) < 0 || bawn_rules_json(policy, &all, &err) < 0)
		return bawn_cli_fail(c, &err);
	json_array_foreach(all, i, rule)
		if (matches(rule, opts))
			bawn_json_push(some, json_incref(rule), &ok);
	if (c->common.json)
		return bawn_cli_print_json(ok ? some : NULL, BAWN_EXIT_OK);
	char version[BAWN_RULES_VERSION_LEN];
	bawn_auto_buf out = BAWN_BUF(4u << 20);
	bawn_cli_table(&out, some, column, BAWN_LEN(column), c->colour_out);
	if (!c->common.quiet)
		bawn_cli_say("%zu rules, version %s", json_array_size(some), bawn_rules_version_of(policy, version));
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

/* ---- show ---- */

static const char *nth_id(size_t i, const void *ctx)
{
	return i < json_array_size(ctx) ? bawn_cli_text(json_array_get(ctx, i), "id") : NULL;
}

static void put_matcher(struct bawn_buf *out, const json_t *rule)
{
	const char *kind;
	json_t *list, *cond;
	size_t i;
	json_object_foreach(bawn_cli_at(rule, "matcher"), kind, list) {
		bawn_buf_fmt(out, "%-12s", kind);
		bawn_cli_cell(out, list, BAWN_CLI_LIST);
		bawn_buf_char(out, '\n');
	}
	json_array_foreach(bawn_cli_at(rule, "where"), i, cond) {
		bawn_buf_fmt(out, "%-12s", i == 0 ? "where" : "and");
		bawn_cli_cell(out, cond, BAWN_CLI_LIST);
		bawn_buf_char(out, '\n');
	}
}

static void put_lines(struct bawn_buf *out, struct bawn_span text)
{
	while (text.n > 0) {
		const char *end = memchr(text.p, '\n', text.n);
		size_t n = end != NULL ? (size_t)(end - text.p) : text.n, step = n + (end != NULL);
		bawn_buf_str(out, "         | ");
		bawn_buf_escaped(out, (struct bawn_span){ text.p, n });
		bawn_buf_char(out, '\n');
		text = (struct bawn_span){ text.p + step, text.n - step };
	}
}

/* An example that matches shows the place; the others are shown whole. */
static void put_example(struct bawn_buf *out, const json_t *example)
{
	const json_t *code = bawn_cli_at(example, "code"), *at = bawn_cli_at(example, "at"), *place;
	struct bawn_span text = { json_string_value(code), json_string_length(code) };
	size_t i;
	bawn_buf_fmt(out, "%s (%s)\n", json_is_true(bawn_cli_at(example, "match")) ? "matches" : "does not match", bawn_cli_text(example, "language"));
	json_array_foreach(at, i, place)
		bawn_cli_excerpt(out, place, text);
	if (json_array_size(at) == 0)
		put_lines(out, text);
}

static int show_rule(struct bawn_cli *c, json_t *rule, const struct bawn_policy *policy)
{
	static const struct bawn_cli_field field[] = {
		{ "rule", "id", BAWN_CLI_TEXT }, { "language", "language", BAWN_CLI_TEXT }, { "family", "family", BAWN_CLI_TEXT },
		{ "level", "level", BAWN_CLI_LEVEL }, { "score", "score", BAWN_CLI_TEXT }, { "cwe", "cwe", BAWN_CLI_TEXT },
		{ "capability", "capability", BAWN_CLI_TEXT }, { "message", "message", BAWN_CLI_TEXT }, { "why", "why", BAWN_CLI_TEXT },
		{ "fix", "fix", BAWN_CLI_TEXT }, { "from", "origin", BAWN_CLI_TEXT },
	};
	struct bawn_err err = { 0 };
	bool ok = true;
	size_t i;
	json_t *examples = NULL, *example;
	if (bawn_rule_examples_json(bawn_cli_text(rule, "id"), policy, &examples, &err) < 0)
		return bawn_cli_fail(c, &err);
	bawn_json_set(rule, "examples", examples, &ok);
	if (c->common.json)
		return bawn_cli_print_json(ok ? rule : NULL, BAWN_EXIT_OK);
	bawn_auto_buf out = BAWN_BUF(1u << 20);
	bawn_cli_fields(&out, rule, field, BAWN_LEN(field), c->colour_out);
	put_matcher(&out, rule);
	json_array_foreach(examples, i, example)
		put_example(&out, example);
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

static int run_show(struct bawn_cli *c, const void *opts, int n, char **word)
{
	struct bawn_err err = { 0 };
	auto_policy policy = NULL;
	bawn_auto_json all = NULL;
	size_t i;
	json_t *rule;
	(void)opts, (void)n;
	if (bawn_cli_policy(c, &policy, &err) < 0 || bawn_rules_json(policy, &all, &err) < 0)
		return bawn_cli_fail(c, &err);
	json_array_foreach(all, i, rule)
		if (strcmp(bawn_cli_text(rule, "id"), word[0]) == 0)
			return show_rule(c, rule, policy);
	const char *near = bawn_nearest(bawn_span(word[0]), nth_id, all);
	(void)bawn_fail_as(&err, BAWN_ERROR_NOT_FOUND, NULL, "no rule '%s'%s%s%s", word[0],
	                   near != NULL ? "; did you mean '" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
	return bawn_cli_fail(c, &err);
}

/* ---- test ---- */

/* The mistakes of a file that is no rule file. */
static int mistakes(const struct bawn_cli *c, const struct bawn_buf *problems, const struct bawn_err *err)
{
	bool ok = true;
	bawn_auto_json list = json_array();
	for (const char *at = problems->p; at != NULL && *at != '\0';) {
		size_t n = strcspn(at, "\n");
		bawn_json_push(list, bawn_json_text((struct bawn_span){ at, n }), &ok);
		if (!c->common.json)
			bawn_cli_say("%.*s", (int)n, at);
		at += n + (at[n] != '\0');
	}
	if (json_array_size(list) == 0)
		return bawn_cli_fail(c, err);
	if (!c->common.json) {
		bawn_cli_say("%zu mistake%s; no example was run", json_array_size(list), json_array_size(list) == 1 ? "" : "s");
		return BAWN_EXIT_FOUND;
	}
	bawn_auto_json doc = json_object();
	bawn_json_set(doc, "errors", bawn_steal(list), &ok);
	bawn_json_set(doc, "error", bawn_cli_error_json(err), &ok);
	return bawn_cli_print_json(ok ? doc : NULL, BAWN_EXIT_FOUND);
}

static void say_failure(const char *path, const json_t *f)
{
	bawn_auto_buf got = BAWN_BUF(64u << 10);
	bool match = strcmp(bawn_cli_text(f, "kind"), "match") == 0;
	const json_t *list = bawn_cli_at(f, "got"), *x;
	size_t i;
	json_array_foreach(list, i, x)
		bawn_buf_fmt(&got, "%s%s %s in line %" PRIu64, i > 0 ? ", " : "", bawn_cli_text(x, "rule"), bawn_cli_text(x, "level"), bawn_cli_number(x, "line"));
	bawn_cli_say("%s:%" PRIu64 ": %s: %s", path, bawn_cli_number(f, "line"), bawn_cli_text(f, "rule"),
	             match ? "this example must match and does not" : "this example must not match and does");
	bawn_cli_say("  %s", bawn_cli_text(f, "example"));
	bawn_cli_say("  found: %s", got.n > 0 ? got.p : "nothing");
}

static int run_test(struct bawn_cli *c, const void *opts, int n, char **word)
{
	struct bawn_err err = { 0 };
	bawn_auto_buf yaml = BAWN_BUF(RULE_FILE_MAX), problems = BAWN_BUF(1u << 20);
	bawn_auto_json doc = NULL;
	size_t i;
	json_t *f;
	(void)opts, (void)n;
	if (bawn_cli_read_file(word[0], &yaml, &err) < 0)
		return (void)bawn_cli_fail(c, &err), BAWN_EXIT_CANNOT;
	if (bawn_rules_test(word[0], bawn_buf_span(&yaml), &doc, &problems, &err) < 0)
		return mistakes(c, &problems, &err);
	size_t failures = json_array_size(bawn_cli_at(doc, "failures"));
	int code = failures > 0 ? BAWN_EXIT_FOUND : BAWN_EXIT_OK;
	if (c->common.json)
		return bawn_cli_print_json(doc, code);
	json_array_foreach(bawn_cli_at(doc, "failures"), i, f)
		say_failure(word[0], f);
	bawn_auto_buf out = BAWN_BUF(1024);
	uint64_t rules = bawn_cli_number(doc, "rules"), examples = bawn_cli_number(doc, "examples");
	bawn_buf_fmt(&out, "%" PRIu64 " rule%s, %" PRIu64 " example%s, %zu failed\n", rules, rules == 1 ? "" : "s", examples,
	             examples == 1 ? "" : "s", failures);
	return bawn_cli_print(&out, code);
}

const struct bawn_cli_command bawn_cmd_rules_list = {
	.group = "rules", .name = "list", .synopsis = "", .when_bare = true,
	.summary = "the rules code is assessed by",
	.about = "Lists every rule with its level, language, family, CWE number, the capability it stands for and its\n"
	         "message: the shipped ones, then those of rules.d.",
	.example = "bawn rules list --lang python --level BLOCKED",
	.opts = BAWN_CLI_OPTS(list_rows), .opts_size = sizeof(struct opts), .run = run_list,
};
const struct bawn_cli_command bawn_cmd_rules_show = {
	.group = "rules", .name = "show", .synopsis = "ID",
	.summary = "one rule: what it finds, why, and what to write instead",
	.about = "Shows all of one rule: level and score, what it matches and under which conditions, why, what to write\n"
	         "instead, and its examples with the matching part marked.",
	.example = "bawn rules show python/pty-spawn",
	.least = 1, .most = 1, .run = run_show,
};
const struct bawn_cli_command bawn_cmd_rules_test = {
	.group = "rules", .name = "test", .synopsis = "FILE",
	.summary = "run the examples of a rule file",
	.about = "Reads a rule file (YAML) and assesses its examples: those that must match and those that must\n"
	         "not.  The file may be a shipped one or one meant for rules.d (ids begin with local/); it need not be\n"
	         "installed.  Every mistake in the file is told with file:line:column.\n"
	         "Exit status: 0 when all do as they say, 1 when one does not or the file has mistakes, 125 unreadable.",
	.example = "bawn rules test rules/python/process.yaml",
	.least = 1, .most = 1, .run = run_test,
};
