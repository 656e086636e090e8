#include "core/packages.h"
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "base/json.h"

static const char install_py[] = {
#include "install-py.h"
};
static const char install_js[] = {
#include "install-js.h"
};
static const struct bawn_installer installer[BAWN_LANG_COUNT] = {
	[BAWN_LANG_PYTHON]     = { "pip", "python3-pip", "pip", { install_py, sizeof install_py } },
	[BAWN_LANG_JAVASCRIPT] = { "npm", "npm", "npm", { install_js, sizeof install_js } },
};

const struct bawn_installer *bawn_installer(enum bawn_language language)
{
	return installer[language].tool != NULL ? &installer[language] : NULL;
}

/* ---- names ---- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
static size_t run_of(const char *text, const char *more)
{
	size_t n = 0;
	while (text[n] != '\0' && (is_letter(text[n]) || strchr(more, text[n]) != NULL))
		n++;
	return n;
}

/* Letters in small, and for Python any run of -, _ and . as one hyphen: what an index takes for the same name. */
static void spell(enum bawn_language language, const char *name, size_t n, char out[static BAWN_PACKAGE_NAME])
{
	size_t to = 0;
	for (size_t i = 0; i < n && to + 1 < BAWN_PACKAGE_NAME; i++) {
		char c = name[i];
		if (language == BAWN_LANG_PYTHON && strchr("-_.", c) != NULL) {
			if (to > 0 && out[to - 1] == '-')
				continue;
			c = '-';
		}
		out[to++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
	}
	out[to] = '\0';
}

/* The length of [EXTRA,EXTRA] at `at`, 0 where there is none or it is none. */
static size_t extras(const char *at)
{
	if (at[0] != '[')
		return 0;
	size_t n = 1 + run_of(at + 1, "._-,");
	return n > 1 && at[n] == ']' ? n + 1 : 0;
}

/* "==1.2,<2": operators and versions, and nothing that could be a path, an address or a marker. */
static bool versions(const char *at)
{
	while (*at != '\0') {
		size_t op = strspn(at, "=<>!~"), version = run_of(at + op, ".*+!-");
		if (op == 0 || op > 3 || version == 0)
			return false;
		at += op + version;
		if (*at == ',' && at[1] != '\0')
			at++;
		else if (*at != '\0')
			return false;
	}
	return true;
}

static bool parse_python(const char *spec, size_t *out_n)
{
	size_t n = run_of(spec, "._-");
	*out_n = n;
	return n > 0 && is_letter(spec[0]) && is_letter(spec[n - 1]) && versions(spec + n + extras(spec + n));
}

/* "@^1.2 || >=3": a range or a tag; ':' and '/' would make it an address. */
static bool parse_javascript(const char *spec, size_t *out_n)
{
	size_t scope = spec[0] == '@' ? 1 + run_of(spec + 1, "._-") : 0;
	if (scope == 1 || (scope > 0 && (!is_letter(spec[1]) || spec[scope++] != '/')))
		return false;
	size_t n = run_of(spec + scope, "._-");
	*out_n = scope + n;
	const char *rest = spec + scope + n;
	if (n == 0 || !is_letter(spec[scope]))
		return false;
	return *rest == '\0' || (*rest == '@' && rest[1] != '\0' && rest[1] != ' ' && rest[1 + run_of(rest + 1, ".^~<>=*|+- ")] == '\0');
}

int bawn_package_name(enum bawn_language language, const char *spec, char out[static BAWN_PACKAGE_NAME], struct bawn_err *err)
{
	size_t n = 0;
	bool good = strlen(spec) < BAWN_PACKAGE_SPEC && (language == BAWN_LANG_JAVASCRIPT ? parse_javascript(spec, &n) : parse_python(spec, &n));
	if (!good || n >= BAWN_PACKAGE_NAME)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "packages", "'%.60s' is no package; write %s", spec,
		                    language == BAWN_LANG_JAVASCRIPT ? "NAME, @SCOPE/NAME or NAME@VERSION" : "NAME, NAME==VERSION or NAME[EXTRA]>=1,<2");
	spell(language, spec, n, out);
	return 0;
}

/* ---- files ---- */

#define REFUSED(...) bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "packages", __VA_ARGS__)

/* "numpy >= 1.2  # why" as "numpy>=1.2".  Blanks may stand around operators; between two words, or within an operator, one
 * would make another package of what somebody wrote: false. */
static bool squeeze(struct bawn_span line, struct bawn_buf *out)
{
	bool gap = false;
	for (size_t i = 0; i < line.n; i++) {
		char c = line.p[i], before = out->n > 0 ? out->p[out->n - 1] : '\0';
		if (c == ' ' || c == '\t' || c == '\r') {
			gap = true;
			continue;
		}
		if (c == '#' && (i == 0 || gap))
			return true;
		bool words = strchr("=<>!~,[]", before) == NULL && strchr("=<>!~,[]", c) == NULL;
		bool within = before != '\0' && strchr("=<>!~", before) != NULL && strchr("=<>!~", c) != NULL;
		if (gap && before != '\0' && (words || within))
			return false;
		gap = false;
		bawn_buf_char(out, c);
	}
	return true;
}

static int read_lines(struct bawn_span text, const char *file, struct bawn_strings *out, struct bawn_err *err)
{
	struct bawn_span line;
	for (unsigned number = 1; text.n > 0; number++) {
		bawn_auto_buf b = BAWN_BUF(4096);
		if (!bawn_span_take(&text, '\n', &line))
			line = text, text.n = 0;
		bool good = squeeze(line, &b);
		if (!good || bawn_buf_error(&b) < 0 || (b.n > 0 && (b.p[0] == '-' || memchr(b.p, ';', b.n) != NULL || memchr(b.p, '\\', b.n) != NULL)))
			return REFUSED("%s:%u: only NAME and NAME==VERSION are taken, no options and no conditions", file, number);
		if (b.n > 0 && bawn_strings_add(out, "%s", b.p) < 0)
			return bawn_fail(err, -ENOMEM, "read %s", file);
	}
	return 0;
}

static int read_dependencies(struct bawn_span text, const char *file, struct bawn_strings *out, struct bawn_err *err)
{
	bawn_auto_json doc = NULL;
	const char *name;
	json_t *range;
	int r = bawn_json_parse(text, &doc, err);
	if (r < 0 || !json_is_object(json_object_get(doc, "dependencies")))
		return REFUSED("%s: no JSON object with `dependencies`", file);
	json_object_foreach(json_object_get(doc, "dependencies"), name, range)
		if (bawn_strings_add(out, "%s@%s", name, json_is_string(range) && json_string_length(range) > 0 ? json_string_value(range) : "*") < 0)
			return bawn_fail(err, -ENOMEM, "read %s", file);
	return 0;
}

int bawn_packages_read(struct bawn_span text, bool json, const char *file, struct bawn_strings *out, struct bawn_err *err)
{
	if (text.n > 0 && memchr(text.p, '\0', text.n) != NULL)
		return REFUSED("%s has a NUL byte", file);
	return json ? read_dependencies(text, file, out, err) : read_lines(text, file, out, err);
}

bool bawn_package_listed(const struct bawn_policy *p, enum bawn_language language, const char *name)
{
	for (size_t i = 0; i < p->packages.n; i++) {
		char listed[BAWN_PACKAGE_NAME];
		spell(language, p->packages.item[i], strlen(p->packages.item[i]), listed);
		if (strcmp(listed, name) == 0)
			return true;
	}
	return p->packages.n == 0;
}

/* ---- what they need ---- */

int bawn_packages_backend(int backend, const char *field, struct bawn_err *err)
{
	if (backend == BAWN_BACKEND_NATIVE)
		return 0;
	return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, field, "the %s backend takes no packages: put them into its image", bawn_word(&bawn_backend_words, backend));
}

int bawn_packages_whitelist(const struct bawn_policy *p, const char *tool, const char *preset, struct bawn_err *err)
{
	if (p->whitelist.n > 0)
		return 0;
	return bawn_fail_as(err, BAWN_ERROR_NETWORK_UNAVAILABLE, "network.whitelist",
	                    "policy lists no host that packages may come from; in sandbox.yaml, for what %s of this host is configured with: "
	                    "network: {whitelist: [%s], acknowledge_risk: true}", tool, preset);
}

/* ---- names that are nearly others ---- */

#define SHORTEST 4  /* of three letters nearly everything is one edit away */

static const char pypi[] = {
#include "popular-pypi.h"
	0
};
static const char npm[] = {
#include "popular-npm.h"
	0
};

/* Is `a` exactly one edit away from `b`: insertion, deletion, substitution, transposition of neighbours? */
static bool one_edit(struct bawn_span a, struct bawn_span b)
{
	size_t same = 0, tail = 0, least = a.n < b.n ? a.n : b.n;
	while (same < least && a.p[same] == b.p[same])
		same++;
	while (tail < least - same && a.p[a.n - 1 - tail] == b.p[b.n - 1 - tail])
		tail++;
	size_t x = a.n - same - tail, y = b.n - same - tail;  /* what differs in the middle of each */
	if (x + y == 1 || (x == 1 && y == 1))
		return true;
	return x == 2 && y == 2 && a.p[same] == b.p[same + 1] && a.p[same + 1] == b.p[same];
}

bool bawn_package_lookalike(enum bawn_language language, const char *name, char out[static BAWN_PACKAGE_NAME])
{
	struct bawn_span rest = bawn_span(language == BAWN_LANG_JAVASCRIPT ? npm : pypi), line;
	bool found = false;
	while (bawn_span_take(&rest, '\n', &line)) {
		if (bawn_span_is(line, name))
			return false;
		if (!found && line.n >= SHORTEST && one_edit(bawn_span(name), line)) {
			snprintf(out, BAWN_PACKAGE_NAME, "%.*s", (int)line.n, line.p);
			found = true;
		}
	}
	return found;
}
