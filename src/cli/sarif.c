/* sarif.c - assessments as SARIF 2.1.0 (OASIS), for code scanning tools.
 *
 * One run.  Rules are described from the rule table, in the order they are first found, and results point
 * at them by index; so do locations at artifacts.  Files that could not be assessed are notifications of
 * the invocation, which then did not succeed. */
#include "cli/cli.h"
#include "base/cleanup.h"
#include "base/hash.h"

/* `severity` is what code scanning services sort by: 0.1 to 10. */
static const struct { const char *level, *sarif, *severity; } level_of[] = {
	{ "LOW", "note", "3.0" }, { "MEDIUM", "warning", "5.5" }, { "HIGH", "error", "8.0" }, { "BLOCKED", "error", "9.5" },
};

static size_t row_of(const char *level)
{
	for (size_t i = 0; i < BAWN_LEN(level_of); i++)
		if (strcmp(level_of[i].level, level) == 0)
			return i;
	return BAWN_LEN(level_of) - 1;
}

struct writer {
	const struct bawn_cli_sarif *in;
	json_t *rules, *results, *artifacts;
	bool    ok;
};

static void set(struct writer *w, json_t *o, const char *key, json_t *value_stolen) { bawn_json_set(o, key, value_stolen, &w->ok); }
static void push(struct writer *w, json_t *list, json_t *value_stolen) { bawn_json_push(list, value_stolen, &w->ok); }

static json_t *text_of(const char *text) { return bawn_json_text(bawn_span(text)); }

/* {"text": ...} */
static json_t *message(struct writer *w, const char *text)
{
	json_t *m = json_object();
	set(w, m, "text", text_of(text));
	return m;
}

/* A path as a URI reference: everything but unreserved characters and '/' percent-encoded. */
static json_t *uri(const char *path)
{
	bawn_auto_buf out = BAWN_BUF(64u << 10);
	while (strncmp(path, "./", 2) == 0)
		path += 2;
	bawn_buf_str(&out, *path == '/' ? "file://" : "");
	for (const unsigned char *p = (const unsigned char *)path; *p != '\0'; p++) {
		bool plain = (*p >= '0' && *p <= '9') || ((*p | 32) >= 'a' && (*p | 32) <= 'z') || strchr("-._~/", *p) != NULL;
		bawn_buf_fmt(&out, plain ? "%c" : "%%%02X", *p);
	}
	return bawn_json_text(bawn_buf_span(&out));
}

static json_t *artifact_location(struct writer *w, const char *path, size_t index)
{
	json_t *a = json_object();
	set(w, a, "uri", uri(path));
	set(w, a, "index", json_integer((json_int_t)index));
	return a;
}

static json_t *region(struct writer *w, const json_t *finding)
{
	static const struct { const char *from, *to; } row[] = {
		{ "line", "startLine" }, { "column", "startColumn" }, { "end_line", "endLine" }, { "end_column", "endColumn" },
	};
	json_t *r = json_object();
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		if (bawn_cli_number(finding, row[i].from) > 0)
			set(w, r, row[i].to, json_integer((json_int_t)bawn_cli_number(finding, row[i].from)));
	return r;
}

static json_t *location(struct writer *w, const json_t *finding, const char *path, size_t index)
{
	json_t *physical = json_object(), *l = json_object();
	set(w, physical, "artifactLocation", artifact_location(w, path, index));
	if (bawn_cli_number(finding, "line") > 0)
		set(w, physical, "region", region(w, finding));
	set(w, l, "physicalLocation", physical);
	return l;
}

static const json_t *with_id(const json_t *list, const char *id, size_t *out_index)
{
	json_t *r;
	size_t i;
	json_array_foreach(list, i, r)
		if (strcmp(bawn_cli_text(r, "id"), id) == 0) {
			*out_index = i;
			return r;
		}
	return NULL;
}

static json_t *tags(struct writer *w, const json_t *rule)
{
	json_t *list = json_array();
	push(w, list, json_string("security"));
	if (*bawn_cli_text(rule, "capability") != '\0')
		push(w, list, text_of(bawn_cli_text(rule, "capability")));
	if (bawn_cli_number(rule, "cwe") > 0) {
		char tag[48];
		(void)snprintf(tag, sizeof tag, "external/cwe/cwe-%03llu", (unsigned long long)bawn_cli_number(rule, "cwe"));
		push(w, list, json_string(tag));
	}
	return list;
}

/* `rule` is a row of the rule table or, for want of one, the finding. */
static json_t *descriptor(struct writer *w, const char *id, const json_t *rule)
{
	static const struct { const char *from, *to; } text[] = { { "message", "shortDescription" }, { "why", "fullDescription" }, { "fix", "help" } };
	size_t level = row_of(bawn_cli_text(rule, "level"));
	json_t *r = json_object(), *more = json_object(), *normal = json_object();
	set(w, r, "id", text_of(id));
	for (size_t i = 0; i < BAWN_LEN(text); i++)
		if (*bawn_cli_text(rule, text[i].from) != '\0')
			set(w, r, text[i].to, message(w, bawn_cli_text(rule, text[i].from)));
	set(w, normal, "level", json_string(level_of[level].sarif));
	set(w, r, "defaultConfiguration", normal);
	set(w, more, "tags", tags(w, rule));
	set(w, more, "precision", json_string("high"));
	set(w, more, "problem.severity", json_string(row_of(bawn_cli_text(rule, "level")) == 0 ? "recommendation" : level == 1 ? "warning" : "error"));
	set(w, more, "security-severity", json_string(level_of[level].severity));
	set(w, r, "properties", more);
	return r;
}

static size_t rule_index(struct writer *w, const json_t *finding)
{
	const char *id = bawn_cli_text(finding, "rule");
	size_t at = 0, row = 0;
	if (with_id(w->rules, id, &at) != NULL)
		return at;
	const json_t *rule = with_id(w->in->rules, id, &row);
	push(w, w->rules, descriptor(w, id, rule != NULL ? rule : finding));
	return json_array_size(w->rules) - 1;
}

/* The same finding next time, wherever its line has moved: rule, file and how manieth of them. */
static json_t *fingerprint(struct writer *w, const json_t *finding, const char *path, const json_t *all, size_t i)
{
	char hex[BAWN_SHA256_HEX];
	const char *rule = bawn_cli_text(finding, "rule");
	size_t nth = 0;
	for (size_t k = 0; k < i; k++)
		nth += strcmp(bawn_cli_text(json_array_get(all, k), "rule"), rule) == 0;
	bawn_auto_buf what = BAWN_BUF(64u << 10);
	bawn_buf_fmt(&what, "%s\n%s\n%zu", rule, path, nth);
	bawn_sha256_hex(bawn_buf_span(&what), hex);
	hex[32] = '\0';
	json_t *f = json_object();
	set(w, f, "bawnFinding/v1", json_string(hex));
	return f;
}

static json_t *result(struct writer *w, const json_t *assessment, size_t i, size_t artifact)
{
	const json_t *all = bawn_cli_at(assessment, "findings"), *finding = json_array_get(all, i);
	const char *path = bawn_cli_text(assessment, "path"), *level = bawn_cli_text(finding, "level"), *folded = bawn_cli_text(finding, "folded");
	json_t *r = json_object(), *where = json_array(), *more = json_object();
	bawn_auto_buf says = BAWN_BUF(64u << 10);
	bawn_buf_str(&says, bawn_cli_text(finding, "message"));
	if (*folded != '\0') {
		bawn_buf_str(&says, " (comes to: ");
		bawn_buf_escaped(&says, bawn_span(folded));
		bawn_buf_char(&says, ')');
	}
	set(w, r, "ruleId", text_of(bawn_cli_text(finding, "rule")));
	set(w, r, "ruleIndex", json_integer((json_int_t)rule_index(w, finding)));
	set(w, r, "level", json_string(level_of[row_of(level)].sarif));
	set(w, r, "message", message(w, says.p != NULL ? says.p : ""));
	push(w, where, location(w, finding, path, artifact));
	set(w, r, "locations", where);
	set(w, r, "partialFingerprints", fingerprint(w, finding, path, all, i));
	set(w, more, "level", text_of(level));
	set(w, more, "score", json_integer((json_int_t)bawn_cli_number(finding, "score")));
	set(w, r, "properties", more);
	return r;
}

static void gather(struct writer *w, const json_t *assessment)
{
	size_t i, index = json_array_size(w->artifacts);
	json_t *finding, *artifact = json_object(), *place = json_object(), *hashes = json_object(), *more = json_object();
	set(w, place, "uri", uri(bawn_cli_text(assessment, "path")));
	set(w, artifact, "location", place);
	if (*bawn_cli_text(assessment, "language") != '\0')
		set(w, artifact, "sourceLanguage", text_of(bawn_cli_text(assessment, "language")));
	set(w, hashes, "sha-256", text_of(bawn_cli_text(assessment, "code_sha256")));
	set(w, artifact, "hashes", hashes);
	set(w, more, "level", text_of(bawn_cli_text(assessment, "level")));
	set(w, more, "score", json_integer((json_int_t)bawn_cli_number(assessment, "score")));
	set(w, artifact, "properties", more);
	push(w, w->artifacts, artifact);
	json_array_foreach(bawn_cli_at(assessment, "findings"), i, finding)
		push(w, w->results, result(w, assessment, i, index));
}

/* {path, error: {type, message, ...}}: a file without a verdict. */
static json_t *notification(struct writer *w, const json_t *failure)
{
	json_t *n = json_object(), *where = json_array(), *place = json_object(), *artifact = json_object(), *l = json_object(), *kind = json_object();
	set(w, kind, "id", text_of(bawn_cli_text(failure, "error.type")));
	set(w, n, "descriptor", kind);
	set(w, n, "level", json_string("error"));
	set(w, n, "message", message(w, bawn_cli_text(failure, "error.message")));
	set(w, artifact, "uri", uri(bawn_cli_text(failure, "path")));
	set(w, place, "artifactLocation", artifact);
	set(w, l, "physicalLocation", place);
	push(w, where, l);
	set(w, n, "locations", where);
	return n;
}

static json_t *invocations(struct writer *w)
{
	size_t i;
	json_t *failure, *list = json_array(), *v = json_object(), *told = json_array();
	json_array_foreach(w->in->failures, i, failure)
		push(w, told, notification(w, failure));
	set(w, v, "executionSuccessful", json_boolean(json_array_size(w->in->failures) == 0));
	set(w, v, "toolExecutionNotifications", told);
	push(w, list, v);
	return list;
}

static json_t *tool(struct writer *w)
{
	json_t *driver = json_object(), *t = json_object(), *more = json_object();
	set(w, driver, "name", json_string("bawn"));
	set(w, driver, "version", json_string(w->in->version));
	set(w, driver, "semanticVersion", json_string(w->in->version));
	set(w, driver, "rules", json_incref(w->rules));
	set(w, more, "rulesVersion", text_of(w->in->rules_version));
	set(w, driver, "properties", more);
	set(w, t, "driver", driver);
	return t;
}

json_t *bawn_cli_sarif(const struct bawn_cli_sarif *in)
{
	size_t i;
	json_t *a;
	bawn_auto_json rules = json_array(), *results = json_array(), *artifacts = json_array();
	struct writer w = { .in = in, .rules = rules, .results = results, .artifacts = artifacts, .ok = true };
	json_array_foreach(in->assessments, i, a)
		gather(&w, a);
	json_t *run = json_object(), *runs = json_array(), *doc = json_object();
	set(&w, run, "tool", tool(&w));
	set(&w, run, "invocations", invocations(&w));
	set(&w, run, "columnKind", json_string("unicodeCodePoints"));
	set(&w, run, "artifacts", json_incref(artifacts));
	set(&w, run, "results", json_incref(results));
	push(&w, runs, run);
	set(&w, doc, "$schema", json_string("https://json.schemastore.org/sarif-2.1.0.json"));
	set(&w, doc, "version", json_string("2.1.0"));
	set(&w, doc, "runs", runs);
	if (w.ok)
		return doc;
	json_decref(doc);
	return NULL;
}
