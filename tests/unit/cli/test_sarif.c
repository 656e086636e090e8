/* The members a SARIF 2.1.0 reader relies on. */
#include <string.h>
#include "base/cleanup.h"
#include "cli/cli.h"
#include "tap.h"

static json_t *finding(const char *rule, const char *level, int line)
{
	return json_pack("{s:s,s:s,s:n,s:i,s:i,s:i,s:i,s:i,s:s,s:s,s:s}", "rule", rule, "level", level, "path", "line", line, "column", 5,
	                 "end_line", line, "end_column", 9, "cwe", 78, "message", "a message", "why", "because", "fix", "do this");
}

int main(void)
{
	bawn_auto_json in = json_pack("[{s:s,s:[o,o,o]},{s:s,s:[]}]", "path", "dir/a b#1.py", "findings",
		finding("python/x", "BLOCKED", 3), finding("python/x", "BLOCKED", 4), finding("python/y", "MEDIUM", 7),
		"path", "clean.py", "findings");
	bawn_auto_json rules = json_pack("[{s:s,s:s,s:s,s:i,s:s}]", "id", "python/y", "level", "HIGH", "message", "of the table", "cwe", 9, "capability", "network");
	bawn_auto_json failures = json_pack("[{s:s,s:{s:s,s:s}}]", "path", "/abs/b.py", "error", "type", "bad_utf8", "message", "no");
	struct bawn_cli_sarif of = { .assessments = in, .failures = failures, .rules = rules, .version = "1.2.3", .rules_version = "abc" };
	bawn_auto_json doc = bawn_cli_sarif(&of);
	const json_t *run = json_array_get(json_object_get(doc, "runs"), 0), *results = bawn_cli_at(run, "results");
	const json_t *first = json_array_get(results, 0), *where = json_array_get(bawn_cli_at(first, "locations"), 0);
	static const struct { const char *name, *path, *want; } text[] = {
		{ "the version of the format", "version", "2.1.0" },
	};
	for (size_t i = 0; i < BAWN_LEN(text); i++)
		ok(strcmp(bawn_cli_text(doc, text[i].path), text[i].want) == 0, "%s", text[i].name);
	ok(strstr(bawn_cli_text(doc, "$schema"), "sarif-2.1.0") != NULL, "the schema is named");
	ok(strcmp(bawn_cli_text(run, "tool.driver.name"), "bawn") == 0 && strcmp(bawn_cli_text(run, "tool.driver.version"), "1.2.3") == 0, "the tool is named");
	ok(json_array_size(bawn_cli_at(run, "tool.driver.rules")) == 2, "each rule is described once");
	ok(json_array_size(results) == 3, "each finding is a result; a clean file has none");
	ok(strcmp(bawn_cli_text(first, "level"), "error") == 0 && strcmp(bawn_cli_text(json_array_get(results, 2), "level"), "warning") == 0, "BLOCKED is an error, MEDIUM a warning");
	ok(strcmp(bawn_cli_text(first, "ruleId"), "python/x") == 0 && strcmp(bawn_cli_text(first, "message.text"), "a message") == 0, "rule and message");
	ok(strcmp(bawn_cli_text(where, "physicalLocation.artifactLocation.uri"), "dir/a%20b%231.py") == 0, "a path becomes a URI");
	ok(bawn_cli_number(where, "physicalLocation.region.startLine") == 3 && bawn_cli_number(where, "physicalLocation.region.startColumn") == 5 &&
	   bawn_cli_number(where, "physicalLocation.region.endColumn") == 9, "the region");
	const json_t *described = bawn_cli_at(run, "tool.driver.rules");
	ok(strcmp(bawn_cli_text(json_array_get(described, 1), "shortDescription.text"), "of the table") == 0 &&
	   strcmp(bawn_cli_text(json_array_get(described, 1), "defaultConfiguration.level"), "error") == 0, "a rule is described from the table, not from what policy made of it");
	bool points = true;
	for (size_t i = 0; i < json_array_size(results); i++) {
		const json_t *r = json_array_get(results, i);
		points = points && strcmp(bawn_cli_text(json_array_get(described, bawn_cli_number(r, "ruleIndex")), "id"), bawn_cli_text(r, "ruleId")) == 0;
	}
	ok(points, "results point at their rules");
	ok(json_is_false(bawn_cli_at(json_array_get(bawn_cli_at(run, "invocations"), 0), "executionSuccessful")), "a file without a verdict is no success");
	const json_t *told = json_array_get(bawn_cli_at(json_array_get(bawn_cli_at(run, "invocations"), 0), "toolExecutionNotifications"), 0);
	ok(strcmp(bawn_cli_text(told, "message.text"), "no") == 0 &&
	   strcmp(bawn_cli_text(json_array_get(bawn_cli_at(told, "locations"), 0), "physicalLocation.artifactLocation.uri"), "file:///abs/b.py") == 0, "and is told; an absolute path is a file URI");
	const char *one = bawn_cli_text(bawn_cli_at(first, "partialFingerprints"), "bawnFinding/v1");
	ok(strlen(one) == 32 && strcmp(one, bawn_cli_text(bawn_cli_at(json_array_get(results, 1), "partialFingerprints"), "bawnFinding/v1")) != 0, "findings have fingerprints of their own");
	return done_testing();
}
