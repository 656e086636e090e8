/* cmd_assess.c - bawn assess: the verdict alone.  Nothing is run, recorded or written.
 *
 * Files are assessed and put into words by workers (pool.c), be it only one file, so that one that crashes
 * the assessor or takes too long costs only its own verdict; what they answer is shown here, in the order of
 * names.  Workers read the files, too, unless there is only one: that may come through a pipe, from somebody
 * who takes longer than a worker may. */
#include "cli/commands.h"
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/utf8.h"
#include "cli/bar.h"
#include "cli/pool.h"
#include "cli/tree.h"
#include "core/api.h"

#define FILE_MS 30000  /* for one file; the assessor gives up before */

struct opts { const char *lang, *format, *fail_on, *jobs; bool all; };

static const struct bawn_opt rows[] = {
	BAWN_CLI_OPT(struct opts, 0, "lang", TEXT, lang, "LANG", NULL, "python, bash or javascript; else by extension or #! line"),
	BAWN_CLI_OPT(struct opts, 0, "format", TEXT, format, "FORMAT", "text|json|sarif", "json: one object a line; sarif: one SARIF 2.1.0 document"),
	BAWN_CLI_OPT(struct opts, 0, "fail-on", TEXT, fail_on, "LEVEL", "LOW|MEDIUM|HIGH|BLOCKED", "exit 1 when a file is rated LEVEL or higher"),
	BAWN_CLI_OPT(struct opts, 'j', "jobs", TEXT, jobs, "N", NULL, "assess N files at a time, at most 64; else as many as there are CPUs"),
	BAWN_CLI_OPT(struct opts, 0, "all", FLAG, all, NULL, NULL, "in directories, read .git, node_modules and caches too"),
};

struct work {
	struct bawn_cli *c;
	const struct opts *o;
	bool json, sarif;
	struct bawn_policy *policy;
	struct bawn_cli_tree tree;
	json_t *all, *failures;  /* for sarif */
	struct bawn_buf only;    /* the code, where there is one file */
	int only_r;              /* or why there is none, */
	struct bawn_err only_err;
	int worst;               /* enum bawn_level, -1: none yet */
	size_t findings, failed, count[BAWN_LEVEL_COUNT];
	struct bawn_cli_bar bar;
};

static void work_done(struct work *w)
{
	bawn_policy_free(w->policy);
	bawn_cli_tree_done(&w->tree);
	json_decref(w->all);
	json_decref(w->failures);
	bawn_buf_done(&w->only);
}

static int read_code(const struct work *w, size_t i, struct bawn_buf *out, struct bawn_err *err)
{
	const struct bawn_cli_tree_file *f = &w->tree.file[i];
	if (f->why != NULL)
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "code", "'%s': %s", f->path, f->why);
	return bawn_cli_read_code(f->path, out, err);
}

/* ---- in a worker: one file ---- */

/* What comes back: this, then the text or document to show; with an error as well where the file was not
 * read to its end.  struct bawn_err holds no pointers. */
struct verdict { int level; uint32_t findings; struct bawn_err err; };

static int check_text(struct bawn_span code, const char *path, struct bawn_err *err)
{
	if (bawn_span_starts(code, "\xff\xfe") || bawn_span_starts(code, "\xfe\xff"))
		return bawn_fail_as(err, BAWN_ERROR_BAD_UTF8, "code", "'%s' is UTF-16, not UTF-8", path);
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
	if (lang < 0 && ours)
		lang = BAWN_LANG_PYTHON;
	if (lang < 0)
		return bawn_fail_as(err, BAWN_ERROR_UNKNOWN_LANGUAGE, "language", "'%s' is in no language known here", path);
	*out = lang;
	return 0;
}

static int assess(const struct work *w, const char *path, struct bawn_span code, struct verdict *v, json_t **out)
{
	struct bawn_assessment *a = NULL;
	struct bawn_assess_file file = { .path = NULL, .bytes = code };
	int r = check_text(code, path, &v->err);
	r = r < 0 ? r : language_of(w, path, code, &file.language, &v->err);
	r = r < 0 ? r : bawn_assess(&file, 1, w->policy, &a, &v->err);
	r = r < 0 ? r : bawn_assessment_json(a, w->policy, code, out, &v->err);
	if (a != NULL) {
		v->level = (int)a->level;
		v->findings = (uint32_t)a->n_findings;
		if (r == 0 && a->unfinished != NULL)
			(void)bawn_fail_as(&v->err, BAWN_ERROR_ASSESSMENT_FAILED, "code", "'%s': %s", path, a->unfinished);
	}
	bawn_assessment_free(a);
	return r;
}

static void put_list(struct bawn_buf *out, const char *title, const json_t *list)
{
	size_t i;
	json_t *item;
	json_array_foreach(list, i, item) {
		bawn_buf_fmt(out, "  %s ", title);
		bawn_cli_cell(out, item, BAWN_CLI_TEXT);
		bawn_buf_char(out, '\n');
	}
}

static void put_text(const struct work *w, const char *path, const json_t *doc, struct bawn_span code, struct bawn_buf *out)
{
	size_t i;
	json_t *f;
	const char *level = bawn_cli_text(doc, "level");
	bool verbose = w->c->common.verbose;
	if (w->tree.n > 1 && !verbose && json_array_size(bawn_cli_at(doc, "findings")) == 0)
		return;  /* of many files those are shown that there is something to say about */
	bawn_buf_escaped(out, bawn_span(path));
	bawn_buf_str(out, ": ");
	bawn_cli_colour(out, level, w->c->colour_out, true);
	bawn_buf_escaped(out, bawn_span(level));
	bawn_cli_colour(out, level, w->c->colour_out, false);
	bawn_buf_str(out, ", score ");
	bawn_cli_cell(out, bawn_cli_at(doc, "score"), BAWN_CLI_TEXT);
	bawn_buf_str(out, ", policy says ");
	bawn_cli_cell(out, bawn_cli_at(doc, "decision"), BAWN_CLI_TEXT);
	bawn_buf_str(out, json_is_false(bawn_cli_at(doc, "parse_ok")) ? ", does not parse\n" : "\n");
	json_array_foreach(bawn_cli_at(doc, "findings"), i, f)
		bawn_cli_finding(out, f, code, w->c->colour_out);
	bawn_cli_score(out, doc, verbose);
	if (!verbose)
		return;
	put_list(out, "do:", bawn_cli_at(doc, "recommendations"));
	bawn_buf_str(out, "  can: ");
	bawn_cli_cell(out, bawn_cli_at(doc, "capabilities"), BAWN_CLI_LIST);
	bawn_buf_char(out, '\n');
}

/* {"path": ..., then the members of `value`, or `value` itself under `key`}, on one line */
static void put_json(struct bawn_buf *out, const char *path, const char *key, json_t *value)
{
	bool ok = value != NULL;
	bawn_auto_json doc = json_object();
	bawn_json_set(doc, "path", bawn_json_text(bawn_span(path)), &ok);
	if (key != NULL)
		bawn_json_set(doc, key, json_incref(value), &ok);
	else if (json_object_update_missing(doc, value) < 0)
		ok = false;
	if (!ok || bawn_json_put(out, doc, NULL) < 0)
		out->error = -ENOMEM;
	bawn_buf_char(out, '\n');
}

static int assess_file(void *ctx, size_t i, struct bawn_buf *out)
{
	const struct work *w = ctx;
	const char *path = w->tree.file[i].path;
	struct verdict v = { .level = -1 };
	bawn_auto_buf own = BAWN_BUF(w->policy->max_code_bytes), text = BAWN_BUF(16u << 20);
	bawn_auto_json doc = NULL;
	bool only = w->tree.n == 1;
	int r = only ? w->only_r : read_code(w, i, &own, &v.err);
	if (only)
		v.err = w->only_err;
	struct bawn_span code = bawn_buf_span(only ? &w->only : &own);
	r = r < 0 ? r : assess(w, path, code, &v, &doc);
	if (r == 0 && (w->json || w->sarif))
		put_json(&text, path, NULL, doc);
	else if (r == 0)
		put_text(w, path, doc, code, &text);
	bool whole = r == 0 && bawn_buf_error(&text) == 0;
	if (r == 0 && !whole)
		(void)bawn_fail(&v.err, bawn_buf_error(&text), "'%s': put the verdict into words", path);
	bawn_buf_add(out, &v, sizeof v);
	bawn_buf_add(out, text.p, whole ? text.n : 0);
	return 0;
}

/* ---- here: what the workers say ---- */

static void show_progress(void *ctx, size_t done)
{
	struct work *w = ctx;
	char found[40];
	snprintf(found, sizeof found, "%zu findings", w->findings);
	bawn_cli_bar_show(&w->bar, done, w->tree.n, found);
}

/* One file that could not be assessed, or not to its end (`verdict`: there is one): told and counted; the
 * others go on. */
static int failed(struct work *w, const char *path, const struct bawn_err *err, bool verdict)
{
	bool ok = true;
	w->failed++;
	if (!w->json)
		bawn_cli_error_text(err);
	if (!w->sarif && (!w->json || verdict))
		return 0;
	bawn_auto_json error = bawn_cli_error_json(err);
	bawn_json_push(w->failures, json_pack("{s:o, s:O}", "path", bawn_json_text(bawn_span(path)), "error", error), &ok);
	if (w->sarif)
		return ok ? 0 : -ENOMEM;
	bawn_auto_buf line = BAWN_BUF(64u << 10);
	put_json(&line, path, "error", error);
	return bawn_cli_print(&line, 0);
}

static int take_sarif(struct work *w, struct bawn_span text)
{
	bool ok = true;
	json_t *doc = NULL;
	if (bawn_json_parse(text, &doc, NULL) < 0)
		return -ENOMEM;
	bawn_json_push(w->all, doc, &ok);
	return ok ? 0 : -ENOMEM;
}

static int take(void *ctx, size_t i, int status, struct bawn_span answer)
{
	struct work *w = ctx;
	struct verdict v = { .level = -1 };
	const char *path = w->tree.file[i].path;
	if (status == 0 && answer.n >= sizeof v)
		memcpy(&v, answer.p, sizeof v);
	else
		(void)bawn_fail_as(&v.err, BAWN_ERROR_ASSESSMENT_FAILED, "code", "'%s': %s", path,
		                   status == -ETIMEDOUT ? "not assessed in time" : status == -ENOMEM ? "out of memory" : "the assessor broke off");
	if (v.err.code != 0 || (answer.n > sizeof v && !w->sarif))
		bawn_cli_bar_clear(&w->bar);
	bool verdict = v.err.code == 0 || answer.n > sizeof v;
	int r = v.err.code != 0 ? failed(w, path, &v.err, verdict) : 0;
	if (r != 0 || !verdict)
		return r;
	w->count[v.level]++;
	w->findings += v.findings;
	w->worst = v.level > w->worst ? v.level : w->worst;
	struct bawn_span text = { answer.p + sizeof v, answer.n - sizeof v };
	if (w->sarif)
		return take_sarif(w, text);
	struct bawn_buf out = { .p = (char *)(uintptr_t)text.p, .n = text.n };
	return bawn_cli_print(&out, 0);
}

static int gather(struct work *w, const char *word)
{
	struct stat st;
	if (strcmp(word, "-") == 0 || stat(word, &st) < 0 || !S_ISDIR(st.st_mode))
		return bawn_cli_tree_add(&w->tree, word, NULL);
	return bawn_cli_tree_walk(&w->tree, word);
}

static void say_summary(const struct work *w)
{
	bawn_auto_buf line = BAWN_BUF(1024);
	bawn_buf_fmt(&line, "%zu files", w->tree.n);
	for (int i = 0; i < BAWN_LEVEL_COUNT; i++)
		bawn_buf_fmt(&line, ", %zu %s", w->count[i], bawn_word(&bawn_level_words, i));
	bawn_buf_fmt(&line, ", %zu failed; %zu findings", w->failed, w->findings);
	if (w->tree.n == 0) {
		bawn_buf_reset(&line);
		bawn_buf_str(&line, "nothing to assess: no file with a known extension or #! line");
	}
	if (w->tree.skipped > 0)
		bawn_buf_fmt(&line, "; %zu other files skipped", w->tree.skipped);
	if (w->tree.left_out > 0)
		bawn_buf_fmt(&line, "; %zu directories left out, --all reads them", w->tree.left_out);
	bawn_cli_say("%s", line.p);
}

static int print_sarif(const struct work *w, int code)
{
	struct bawn_err err = { 0 };
	char version[BAWN_RULES_VERSION_LEN];
	bawn_auto_json rules = NULL;
	if (bawn_rules_json(w->policy, &rules, &err) < 0)
		return bawn_cli_fail(w->c, &err);
	struct bawn_cli_sarif in = { w->all, w->failures, rules, BAWN_VERSION, bawn_rules_version_of(w->policy, version) };
	bawn_auto_json doc = bawn_cli_sarif(&in);
	return bawn_cli_print_json(doc, code);
}

/* Where there was nothing to assess there is a document all the same. */
static int print_nothing(const struct work *w, int code)
{
	bawn_auto_json doc = json_pack("{s:i, s:I, s:I}", "files", 0, "skipped", (json_int_t)w->tree.skipped, "left_out", (json_int_t)w->tree.left_out);
	return bawn_cli_print_json(doc, code);
}

static int finish(struct work *w)
{
	int code = w->failed > 0 ? BAWN_EXIT_CANNOT : BAWN_EXIT_OK;
	if (w->o->fail_on != NULL && w->worst >= bawn_word_find(&bawn_level_words, bawn_span(w->o->fail_on)))
		code = BAWN_EXIT_FOUND;
	bool other = w->tree.skipped + w->tree.left_out > 0;
	if (!w->c->common.quiet && (w->tree.n != 1 || other) && (!w->json || w->sarif))
		say_summary(w);
	return w->sarif ? print_sarif(w, code) : w->json && w->tree.n == 0 ? print_nothing(w, code) : code;
}

static int run(struct bawn_cli *c, const void *opts, int n, char **word)
{
	const struct opts *o = opts;
	struct bawn_err err = { 0 };
	__attribute__((cleanup(work_done))) struct work w = {
		.c = c, .o = o, .worst = -1, .all = json_array(), .failures = json_array(), .tree = { .all = o->all },
		.sarif = o->format != NULL && strcmp(o->format, "sarif") == 0,
		.json = c->common.json || (o->format != NULL && strcmp(o->format, "json") == 0),
	};
	size_t jobs;
	if (bawn_cli_jobs(o->jobs, &jobs, &err) < 0)
		return bawn_cli_usage(c, "option -j: %s", err.msg);
	if (n == 0 && isatty(STDIN_FILENO) == 1)  /* who forgot the file would wait for what nobody types */
		return bawn_cli_usage(c, "which file or directory? for example 'bawn assess script.py'; '-' reads standard input");
	if (o->lang != NULL && bawn_language_named(bawn_span(o->lang)) < 0)
		return bawn_cli_usage(c, "option --lang: '%s' is none of python|bash|javascript", o->lang);
	w.json = w.json && !w.sarif;
	w.bar = bawn_cli_bar_begin(c, "files");
	if (bawn_cli_policy(c, &w.policy, &err) < 0)
		return bawn_cli_fail(c, &err);
	int r = 0;
	for (int i = 0; r == 0 && i < (n > 0 ? n : 1); i++)
		r = gather(&w, n > 0 ? word[i] : "-");
	w.only = BAWN_BUF(w.policy->max_code_bytes);
	w.only_r = r == 0 && w.tree.n == 1 ? read_code(&w, 0, &w.only, &w.only_err) : 0;
	struct bawn_cli_pool pool = {
		.n = w.tree.n, .jobs = jobs, .timeout_ms = FILE_MS, .ctx = &w,
		.work = assess_file, .take = take, .progress = show_progress,
	};
	r = r < 0 ? r : bawn_cli_pool(&pool);
	bawn_cli_bar_clear(&w.bar);
	if (r < 0) {
		(void)bawn_fail(&err, r, "assess");
		return bawn_cli_fail(c, &err);
	}
	return r > 0 ? r : finish(&w);
}

const struct bawn_cli_command bawn_cmd_assess = {
	.name = "assess",
	.synopsis = "[FILE... | DIR... | -]",
	.summary = "say what code could do, without running it",
	.about =
		"Parses the code and shows its level (LOW, MEDIUM, HIGH, BLOCKED), each finding with its line,\n"
		"why it matters and what to write instead.  Directories are walked for files with a known\n"
		"extension or #! line, side by side on all CPUs; links are not followed, and .git, node_modules and\n"
		"caches are left out.  Of several files those with findings are shown (-v shows all, how each score\n"
		"came about and what to do first).  Nothing is run and nothing is recorded.  With --json each file has\n"
		"a line, with its path and its assessment or error; where there is no code there is one line that says\n"
		"{\"files\":0} and how many other files were skipped and directories left out.\n"
		"\n"
		"Exit status: 0; 1 when --fail-on says so; 2 usage; 125 when a file could not be assessed,\n"
		"or not to its end.",
	.example = "bawn assess script.py\n"
	           "bawn assess --fail-on HIGH --format sarif src > report.sarif",
	.opts = BAWN_CLI_OPTS(rows), .opts_size = sizeof(struct opts),
	.least = 0, .most = -1, .run = run,
};
