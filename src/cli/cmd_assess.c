/* cmd_assess.c - bawn assess: the verdict alone.  Nothing is run, recorded or written. */
#include "cli/commands.h"
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/utf8.h"
#include "core/api.h"

struct opts { const char *lang, *format, *fail_on; };

static const struct bawn_opt rows[] = {
	BAWN_CLI_OPT(struct opts, 0, "lang", TEXT, lang, "LANG", NULL, "python, bash or javascript; else by extension or #! line"),
	BAWN_CLI_OPT(struct opts, 0, "format", TEXT, format, "FORMAT", "text|json|sarif", "json: one object a line; sarif: one SARIF 2.1.0 document"),
	BAWN_CLI_OPT(struct opts, 0, "fail-on", TEXT, fail_on, "LEVEL", "LOW|MEDIUM|HIGH|BLOCKED", "exit 1 when a file is rated LEVEL or higher"),
};

struct work {
	struct bawn_cli *c;
	const struct opts *o;
	bool json, sarif;
	struct bawn_policy *policy;
	json_t *all;             /* for sarif */
	int worst;               /* enum bawn_level, -1: none yet */
	size_t n, failed, count[BAWN_LEVEL_COUNT];
};

static void work_done(struct work *w)
{
	bawn_policy_free(w->policy);
	json_decref(w->all);
}

static int check_text(struct bawn_span code, const char *path, struct bawn_err *err)
{
	if (code.n > 0 && memchr(code.p, '\0', code.n) != NULL)
		return bawn_fail_as(err, BAWN_ERROR_NUL_BYTE, "code", "'%s' holds a NUL byte", path);
	size_t bad = bawn_utf8_bad(code);
	if (bad != code.n)
		return bawn_fail_as(err, BAWN_ERROR_BAD_UTF8, "code", "'%s' is not UTF-8 at byte %zu", path, bad);
	return 0;
}

static int language_of(const struct work *w, const char *path, struct bawn_span code, int *out, struct bawn_err *err)
{
	bool ours = strcmp(path, "-") == 0;
	int lang = w->o->lang != NULL ? bawn_language_named(bawn_span(w->o->lang))
	                              : bawn_language_guess(ours ? NULL : path, code);
	if (lang < 0 && ours && w->o->lang == NULL)
		lang = BAWN_LANG_PYTHON;
	if (lang < 0)
		return bawn_fail_as(err, BAWN_ERROR_UNKNOWN_LANGUAGE, "language", "'%s' is in no language known here", w->o->lang != NULL ? w->o->lang : path);
	*out = lang;
	return 0;
}

static int verdict(const struct work *w, const char *path, struct bawn_span code, json_t **out, int *out_level, struct bawn_err *err)
{
	struct bawn_assessment *a = NULL;
	struct bawn_assess_file file = { .path = NULL, .bytes = code };
	int r = check_text(code, path, err);
	r = r < 0 ? r : language_of(w, path, code, &file.language, err);
	r = r < 0 ? r : bawn_assess(&file, 1, w->policy, &a, err);
	if (r < 0)
		return r;
	int level = (int)a->level;
	r = bawn_assessment_json(a, w->policy, code, out, err);
	bawn_assessment_free(a);
	if (r == 0)
		*out_level = level;
	return r;
}

static void show(const struct work *w, const char *path, const json_t *doc, struct bawn_span code)
{
	bawn_auto_buf out = BAWN_BUF(16u << 20);
	size_t i;
	json_t *f;
	const char *level = bawn_cli_text(doc, "level");
	bawn_buf_escaped(&out, bawn_span(path));
	bawn_buf_str(&out, ": ");
	bawn_cli_colour(&out, level, w->c->colour_out, true);
	bawn_buf_escaped(&out, bawn_span(level));
	bawn_cli_colour(&out, level, w->c->colour_out, false);
	bawn_buf_str(&out, ", score ");
	bawn_cli_cell(&out, bawn_cli_at(doc, "score"), BAWN_CLI_TEXT);
	bawn_buf_str(&out, ", policy says ");
	bawn_cli_cell(&out, bawn_cli_at(doc, "decision"), BAWN_CLI_TEXT);
	bawn_buf_str(&out, json_is_false(bawn_cli_at(doc, "parse_ok")) ? ", does not parse\n" : "\n");
	json_array_foreach(bawn_cli_at(doc, "findings"), i, f)
		bawn_cli_finding(&out, f, code, w->c->colour_out);
	if (w->c->common.verbose) {
		bawn_buf_str(&out, "  can: ");
		bawn_cli_cell(&out, bawn_cli_at(doc, "capabilities"), BAWN_CLI_LIST);
		bawn_buf_char(&out, '\n');
	}
	(void)bawn_cli_print(&out, 0);
}

static int put_json(const char *path, const char *key, json_t *value)
{
	bool ok = true;
	bawn_auto_json doc = json_object();
	bawn_json_set(doc, "path", bawn_json_text(bawn_span(path)), &ok);
	if (key != NULL)
		bawn_json_set(doc, key, value, &ok);
	else if (json_object_update_missing(doc, value) < 0)
		ok = false;
	return bawn_cli_print_json(ok ? doc : NULL, 0);
}

static int answer(struct work *w, const char *path, struct bawn_span code, json_t *doc)
{
	bool ok = true;
	if (!w->sarif && w->json)
		return put_json(path, NULL, doc);
	if (!w->sarif) {
		show(w, path, doc, code);
		return 0;
	}
	bawn_json_set(doc, "path", bawn_json_text(bawn_span(path)), &ok);
	bawn_json_push(w->all, json_incref(doc), &ok);
	return ok ? 0 : -ENOMEM;
}

/* One file: its failure is told and counted; the others go on. */
static int assess_file(void *ctx, const char *path, struct bawn_err *unused)
{
	struct work *w = ctx;
	(void)unused;
	struct bawn_err err = { 0 };
	bawn_auto_buf code = BAWN_BUF(w->policy->max_code_bytes + 1);
	bawn_auto_json doc = NULL;
	int level = 0;
	int r = bawn_cli_read_code(path, &code, &err);
	r = r < 0 ? r : verdict(w, path, bawn_buf_span(&code), &doc, &level, &err);
	w->n++;
	if (r < 0) {
		w->failed++;
		if (w->json)
			return put_json(path, "error", bawn_cli_error_json(&err));
		bawn_cli_error_text(&err);
		return 0;
	}
	w->count[level]++;
	w->worst = level > w->worst ? level : w->worst;
	return answer(w, path, bawn_buf_span(&code), doc);
}

static int each(struct work *w, const char *word)
{
	struct stat st;
	struct bawn_err err = { 0 };
	if (strcmp(word, "-") == 0 || stat(word, &st) < 0 || !S_ISDIR(st.st_mode))
		return assess_file(w, word, NULL);
	int r = bawn_cli_walk(word, assess_file, w, &err);
	if (r < 0 && err.code != 0) {
		w->failed++;
		if (w->json)
			return put_json(word, "error", bawn_cli_error_json(&err));
		bawn_cli_error_text(&err);
		return 0;
	}
	return r;
}

static int finish(struct work *w)
{
	int code = w->failed > 0 ? BAWN_EXIT_CANNOT : BAWN_EXIT_OK;
	if (w->o->fail_on != NULL && w->worst >= bawn_word_find(&bawn_level_words, bawn_span(w->o->fail_on)))
		code = BAWN_EXIT_FOUND;
	if (w->sarif) {
		bawn_auto_json doc = bawn_cli_sarif(w->all, BAWN_VERSION);
		return bawn_cli_print_json(doc, code);
	}
	if (w->json || w->n < 2 || w->c->common.quiet)
		return code;
	bawn_auto_buf line = BAWN_BUF(512);
	for (int i = 0; i < BAWN_LEVEL_COUNT; i++)
		bawn_buf_fmt(&line, ", %zu %s", w->count[i], bawn_word(&bawn_level_words, i));
	bawn_cli_say("%zu files%s, %zu failed", w->n, line.p, w->failed);
	return code;
}

static int run(struct bawn_cli *c, const void *opts, int n, char **word)
{
	const struct opts *o = opts;
	struct bawn_err err = { 0 };
	__attribute__((cleanup(work_done))) struct work w = {
		.c = c, .o = o, .worst = -1, .all = json_array(),
		.sarif = o->format != NULL && strcmp(o->format, "sarif") == 0,
		.json = c->common.json || (o->format != NULL && strcmp(o->format, "json") == 0),
	};
	if (bawn_cli_policy(c, &w.policy, &err) < 0)
		return bawn_cli_fail(c, &err);
	int r = 0;
	for (int i = 0; r == 0 && i < (n > 0 ? n : 1); i++)
		r = each(&w, n > 0 ? word[i] : "-");
	return r != 0 ? BAWN_EXIT_CANNOT : finish(&w);
}

const struct bawn_cli_command bawn_cmd_assess = {
	.name = "assess",
	.synopsis = "[FILE... | DIR... | -]",
	.summary = "say what code could do, without running it",
	.about =
		"Parses the code and shows its level (LOW, MEDIUM, HIGH, BLOCKED), each finding with its line,\n"
		"why it matters and what to write instead.  Directories are walked for files with a known\n"
		"extension; links are not followed.  Nothing is run and nothing is recorded.\n"
		"\n"
		"Exit status: 0; 1 when --fail-on says so; 2 usage; 125 when a file could not be assessed.",
	.example = "bawn assess script.py\n"
	           "bawn assess --fail-on HIGH --format sarif src > report.sarif",
	.opts = BAWN_CLI_OPTS(rows), .opts_size = sizeof(struct opts),
	.least = 0, .most = -1, .run = run,
};
