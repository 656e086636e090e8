/* sarif.c - assessments as SARIF 2.1.0, for code scanning tools. */
#include "cli/cli.h"
#include "base/cleanup.h"

static const struct { const char *level, *sarif; } level_of[] = {
	{ "LOW", "note" }, { "MEDIUM", "warning" }, { "HIGH", "error" }, { "BLOCKED", "error" },
};

static const char *sarif_level(const char *level)
{
	for (size_t i = 0; i < BAWN_LEN(level_of); i++)
		if (strcmp(level_of[i].level, level) == 0)
			return level_of[i].sarif;
	return "warning";
}

/* {"text": ...} */
static json_t *message(const char *text)
{
	bool ok = true;
	json_t *m = json_object();
	bawn_json_set(m, "text", bawn_json_text(bawn_span(text)), &ok);
	return m;
}

/* A path as a URI reference: everything but unreserved characters and '/' percent-encoded. */
static json_t *uri(const char *path)
{
	bawn_auto_buf out = BAWN_BUF(64u << 10);
	for (const unsigned char *p = (const unsigned char *)path; *p != '\0'; p++) {
		bool plain = (*p >= '0' && *p <= '9') || ((*p | 32) >= 'a' && (*p | 32) <= 'z') || strchr("-._~/", *p) != NULL;
		bawn_buf_fmt(&out, plain ? "%c" : "%%%02X", *p);
	}
	return bawn_json_text(bawn_buf_span(&out));
}

static json_t *region(const json_t *finding)
{
	static const struct { const char *from, *to; } row[] = {
		{ "line", "startLine" }, { "column", "startColumn" }, { "end_line", "endLine" }, { "end_column", "endColumn" },
	};
	bool ok = true;
	json_t *r = json_object();
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		if (bawn_cli_number(finding, row[i].from) > 0)
			bawn_json_set(r, row[i].to, json_integer((json_int_t)bawn_cli_number(finding, row[i].from)), &ok);
	return r;
}

static json_t *location(const json_t *finding, const char *path)
{
	bool ok = true;
	json_t *artifact = json_object(), *physical = json_object(), *l = json_object();
	bawn_json_set(artifact, "uri", uri(path), &ok);
	bawn_json_set(physical, "artifactLocation", artifact, &ok);
	if (bawn_cli_number(finding, "line") > 0)
		bawn_json_set(physical, "region", region(finding), &ok);
	bawn_json_set(l, "physicalLocation", physical, &ok);
	return l;
}

static json_t *result(const json_t *finding, const char *path, bool *ok)
{
	json_t *r = json_object(), *where = json_array(), *more = json_object();
	bawn_json_set(r, "ruleId", json_string(bawn_cli_text(finding, "rule")), ok);
	bawn_json_set(r, "level", json_string(sarif_level(bawn_cli_text(finding, "level"))), ok);
	bawn_json_set(r, "message", message(bawn_cli_text(finding, "message")), ok);
	bawn_json_push(where, location(finding, path), ok);
	bawn_json_set(r, "locations", where, ok);
	bawn_json_set(more, "level", json_string(bawn_cli_text(finding, "level")), ok);
	bawn_json_set(r, "properties", more, ok);
	return r;
}

static json_t *rule(const json_t *finding, bool *ok)
{
	json_t *r = json_object();
	bawn_json_set(r, "id", json_string(bawn_cli_text(finding, "rule")), ok);
	bawn_json_set(r, "shortDescription", message(bawn_cli_text(finding, "message")), ok);
	if (*bawn_cli_text(finding, "why") != '\0')
		bawn_json_set(r, "fullDescription", message(bawn_cli_text(finding, "why")), ok);
	if (*bawn_cli_text(finding, "fix") != '\0')
		bawn_json_set(r, "help", message(bawn_cli_text(finding, "fix")), ok);
	if (bawn_cli_number(finding, "cwe") > 0) {
		char tag[48];
		json_t *tags = json_array(), *more = json_object();
		(void)snprintf(tag, sizeof tag, "external/cwe/cwe-%03llu", (unsigned long long)bawn_cli_number(finding, "cwe"));
		bawn_json_push(tags, json_string(tag), ok);
		bawn_json_set(more, "tags", tags, ok);
		bawn_json_set(r, "properties", more, ok);
	}
	return r;
}

static bool has_rule(const json_t *rules, const char *id)
{
	size_t i;
	json_t *r;
	json_array_foreach(rules, i, r)
		if (strcmp(bawn_cli_text(r, "id"), id) == 0)
			return true;
	return false;
}

static void gather(const json_t *assessment, json_t *rules, json_t *results, bool *ok)
{
	size_t i;
	json_t *finding;
	json_array_foreach(bawn_cli_at(assessment, "findings"), i, finding) {
		if (!has_rule(rules, bawn_cli_text(finding, "rule")))
			bawn_json_push(rules, rule(finding, ok), ok);
		bawn_json_push(results, result(finding, bawn_cli_text(assessment, "path"), ok), ok);
	}
}

json_t *bawn_cli_sarif(const json_t *assessments, const char *version)
{
	bool ok = true;
	size_t i;
	json_t *a, *rules = json_array(), *results = json_array(), *driver = json_object();
	json_array_foreach(assessments, i, a)
		gather(a, rules, results, &ok);
	json_t *tool = json_object(), *run = json_object(), *runs = json_array(), *doc = json_object();
	bawn_json_set(driver, "name", json_string("bawn"), &ok);
	bawn_json_set(driver, "version", json_string(version), &ok);
	bawn_json_set(driver, "rules", rules, &ok);
	bawn_json_set(tool, "driver", driver, &ok);
	bawn_json_set(run, "tool", tool, &ok);
	bawn_json_set(run, "columnKind", json_string("unicodeCodePoints"), &ok);
	bawn_json_set(run, "results", results, &ok);
	bawn_json_push(runs, run, &ok);
	bawn_json_set(doc, "$schema", json_string("https://json.schemastore.org/sarif-2.1.0.json"), &ok);
	bawn_json_set(doc, "version", json_string("2.1.0"), &ok);
	bawn_json_set(doc, "runs", runs, &ok);
	if (ok)
		return doc;
	json_decref(doc);
	return NULL;
}
