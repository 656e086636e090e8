/* report.c - a result in words, on stderr, after the program's own output.
 * A plain run says nothing: what we print is what the reader did not get from the program. */
#include "cli/cli.h"
#include <stdio.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "core/api.h"
#include "base/file.h"
#include "base/num.h"

#define TEXT_MAX (1u << 20)

void bawn_cli_put_again(struct bawn_buf *out, const struct bawn_cli *c, const char *approval)
{
	int word = c->at;  /* behind the last word of the command: where it has a group, its own name comes later */
	while (c->command != NULL && c->command->group != NULL && word < c->argc - 1 && strcmp(c->argv[word], c->command->name) != 0)
		word++;
	bawn_buf_str(out, "bawn");
	for (int i = 1; i < c->argc; i++) {
		if (i < c->rest && strcmp(c->argv[i], "--wait") == 0)
			continue;
		bawn_buf_char(out, ' ');
		bawn_cli_put_quoted(out, c->argv[i]);
		if (i == word)
			bawn_buf_fmt(out, " --approval %s", approval);
	}
}

/* How a limit that ended a run is told: what was used, what was allowed, what raises it. */
static const struct ended {
	const char *status, *verb, *used, *limit, *raise;
	enum bawn_cli_kind kind;
} ended[] = {
	{ "timeout", "stopped after", "usage.wall_ms", "limits.timeout_ms", "--timeout", BAWN_CLI_MS },
	{ "cpu_limit", "used cpu time of", "usage.cpu_ms", "limits.cpu_ms", "--timeout or --cpus", BAWN_CLI_MS },
	{ "memory_limit", "needed", "usage.peak_memory_bytes", "limits.memory_bytes", "--memory", BAWN_CLI_SIZE },
	{ "pids_limit", "reached", "usage.peak_pids", "limits.pids", "--pids", BAWN_CLI_TEXT },
	{ "disk_limit", "wrote", "usage.disk_bytes", "limits.disk_bytes", "--disk", BAWN_CLI_SIZE },
	{ "output_limit", "wrote more than its output limit", NULL, "limits.output_bytes", NULL, BAWN_CLI_SIZE },
	{ "killed", "killed from outside", NULL, NULL, NULL, BAWN_CLI_TEXT },
	{ "cancelled", "stopped on request", NULL, NULL, NULL, BAWN_CLI_TEXT },
};

static void say_ended(const json_t *result, const struct ended *e)
{
	bawn_auto_buf line = BAWN_BUF(1024);
	bawn_buf_fmt(&line, "%s: %s", e->status, e->verb);
	if (e->used != NULL) {
		bawn_buf_char(&line, ' ');
		bawn_cli_cell(&line, bawn_cli_at(result, e->used), e->kind);
	}
	if (e->limit != NULL) {
		bawn_buf_str(&line, " (limit ");
		bawn_cli_cell(&line, bawn_cli_at(result, e->limit), e->kind);
		bawn_buf_char(&line, ')');
	}
	if (e->raise != NULL)
		bawn_buf_fmt(&line, "; %s asks for more, up to what policy allows", e->raise);
	bawn_cli_say("%s", line.p != NULL ? line.p : e->status);
}

static void say_error(const json_t *result)
{
	const char *hint = bawn_cli_text(result, "error.hint");
	bawn_cli_say("%s: %s", bawn_cli_text(result, "error.type"), bawn_cli_text(result, "error.message"));
	if (*hint != '\0')
		bawn_cli_say("hint: %s", hint);
}

static void show_findings(const struct bawn_cli *c, const json_t *result, struct bawn_span code)
{
	bawn_auto_buf text = BAWN_BUF(TEXT_MAX);
	size_t i;
	json_t *f;
	json_array_foreach(bawn_cli_at(result, "assessment.findings"), i, f)
		bawn_cli_finding(&text, f, code, c->colour_err);
	bawn_cli_score(&text, bawn_cli_at(result, "assessment"), c->common.verbose);
	bawn_cli_show(STDERR_FILENO, &text);
}

static void say_limits(const json_t *result, const struct bawn_cli_ran *ran, const char *lead)
{
	bawn_auto_buf line = BAWN_BUF(2048);
	if (!json_is_object(bawn_cli_at(result, "limits")))
		return;
	bawn_cli_limits_sentence(&line, bawn_cli_at(result, "limits"), ran->network, ran->n_inputs);
	bawn_cli_say("%s%s", lead, line.p != NULL ? line.p : "");
}

static void say_where(struct bawn_buf *out, const struct bawn_cli *c)
{
	static const char *const name[] = { "--state", "--config" };
	const char *const value[] = { c->common.state, c->common.config };
	for (size_t i = 0; i < BAWN_LEN(name); i++)
		if (value[i] != NULL) {
			bawn_buf_fmt(out, " %s ", name[i]);
			bawn_cli_put_quoted(out, value[i]);
		}
}

static void say_held(const struct bawn_cli *c, const json_t *result, const struct bawn_cli_ran *ran)
{
	const char *id = bawn_cli_text(result, "decision.approval_id");
	bawn_cli_say("%s: held, nothing ran; somebody has to answer first", bawn_cli_text(result, "assessment.level"));
	show_findings(c, result, ran->code);
	say_limits(result, ran, "if it runs, it gets: ");
	if (*id == '\0')
		return;
	bawn_auto_buf approve = BAWN_BUF(8192), again = BAWN_BUF(64u << 10);
	bawn_buf_fmt(&approve, "bawn approve %s --reason TEXT", id);
	say_where(&approve, c);
	bawn_cli_put_again(&again, c, id);
	bawn_cli_say("approval %s is pending; to let it run:", id);
	bawn_cli_say("  %s", approve.p != NULL ? approve.p : "");
	if (again.p != NULL && bawn_buf_error(&again) == 0)
		bawn_cli_say("  %s", again.p);
}

static void say_refused(const struct bawn_cli *c, const json_t *result, const struct bawn_cli_ran *ran)
{
	const char *level = bawn_cli_text(result, "assessment.level");
	bawn_cli_say("%s: refused, nothing ran", *level != '\0' ? level : "refused");
	if (ran->asked)
		return;  /* all of it was just shown */
	show_findings(c, result, ran->code);
	say_limits(result, ran, "if it ran, it would get: ");
	if (json_is_object(bawn_cli_at(result, "error")))
		say_error(result);
	else
		bawn_cli_say("hint: a person may lift this on a terminal, or ask for an answer with --override --reason TEXT");
}

static void say_status(const struct bawn_cli *c, const json_t *result, const struct bawn_cli_ran *ran)
{
	const char *status = bawn_cli_text(result, "status");
	if (strcmp(status, "needs_approval") == 0)
		say_held(c, result, ran);
	else if (strcmp(status, "refused") == 0)
		say_refused(c, result, ran);
	else if (json_is_object(bawn_cli_at(result, "error")))
		say_error(result);
	else if (strcmp(status, "cancelled") == 0 && ran->unread)
		bawn_cli_say("cancelled: stopped since nobody reads its output any more");
	else
		for (size_t i = 0; i < BAWN_LEN(ended); i++)
			if (strcmp(status, ended[i].status) == 0)
				say_ended(result, &ended[i]);
	uint64_t signal = bawn_cli_number(result, "signal");
	if (strcmp(status, "failed") == 0 && signal > 0) {
		const char *name = sigabbrev_np((int)signal);
		bawn_cli_say("ended by its own signal %" PRIu64 " (SIG%s)", signal, name != NULL ? name : "?");
	}
}

static void say_warnings(const json_t *result)
{
	size_t i;
	json_t *w;
	json_array_foreach(bawn_cli_at(result, "warnings"), i, w)
		bawn_cli_say("%s", json_is_string(w) ? json_string_value(w) : "?");
}

static void say_denials(const json_t *result, const char *script)
{
	size_t i;
	json_t *d;
	json_array_foreach(bawn_cli_at(result, "denials"), i, d) {
		const char *hint = bawn_cli_text(d, "hint"), *what = bawn_cli_text(d, "what");
		uint64_t count = bawn_cli_number(d, "count");
		if (strcmp(bawn_cli_text(d, "kind"), "path") == 0 && strncmp(hint, "--in ", 5) == 0) {
			const char *slash = script != NULL ? strrchr(script, '/') : NULL;
			bawn_cli_say("hint: '%s' lies beside %s; pass it with %s", what, slash != NULL ? slash + 1 : script, hint);
			continue;
		}
		bawn_auto_buf times = BAWN_BUF(64);
		if (count > 1)
			bawn_buf_fmt(&times, ", %" PRIu64 " times", count);
		bawn_cli_say("denied: %s %s%s%s%s", bawn_cli_text(d, "kind"), what, times.n > 0 ? times.p : "",
		             *hint != '\0' ? "; " : "", hint);
	}
}

#define SKIPPED_SHOWN 20

static void say_files(const json_t *result, const struct bawn_cli_ran *ran)
{
	size_t i, n = json_array_size(bawn_cli_at(result, "files"));
	json_t *f;
	uint64_t bytes = 0;
	json_array_foreach(bawn_cli_at(result, "files"), i, f)
		bytes += bawn_cli_number(f, "size");
	bawn_auto_buf size = BAWN_BUF(64);
	bawn_cli_put_about(&size, bytes);
	if (bytes < 10240)
		bawn_buf_str(&size, " bytes");
	const char *s = n == 1 ? "" : "s";
	if (n > 0 && ran->out_dir != NULL)
		bawn_cli_say("%zu file%s (%s) copied to %s", n, s, size.p, ran->out_dir);
	else if (n > 0)
		bawn_cli_say("%zu file%s (%s) left in the workspace and dropped; --out DIR keeps them", n, s, size.p);
	const json_t *skipped = bawn_cli_at(result, "skipped_files");
	for (i = 0; i < json_array_size(skipped) && i < SKIPPED_SHOWN; i++) {
		f = json_array_get(skipped, i);
		bawn_cli_say("file '%s' left out: %s", bawn_cli_text(f, "path"), bawn_cli_text(f, "why"));
	}
	if (i < json_array_size(skipped))
		bawn_cli_say("%zu more left out; --json lists them", json_array_size(skipped) - i);
}

/* How much, and what the assessor did not foresee; the lists are in the result. */
static void say_observed(const json_t *result)
{
	static const struct { const char *path, *what; } row[] = {
		{ "observed.files_read", "read" }, { "observed.files_written", "written" }, { "observed.connects", "connected to" },
		{ "observed.execs", "run" }, { "observed.imports", "imported" }, { "observed.unpredicted", "not foreseen" },
	};
	bawn_auto_buf line = BAWN_BUF(512);
	if (!json_is_object(bawn_cli_at(result, "observed")))
		return;
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		bawn_buf_fmt(&line, "%s%zu %s", i > 0 ? ", " : "", json_array_size(bawn_cli_at(result, row[i].path)), row[i].what);
	bawn_cli_say("observed: %s", line.p != NULL ? line.p : "?");
}

static void say_stats(const json_t *result)
{
	static const struct bawn_cli_field row[] = {
		{ "wall", "usage.wall_ms", BAWN_CLI_MS }, { "cpu", "usage.cpu_ms", BAWN_CLI_MS },
		{ "peak memory", "usage.peak_memory_bytes", BAWN_CLI_SIZE }, { "processes", "usage.peak_pids", BAWN_CLI_TEXT },
		{ "disk", "usage.disk_bytes", BAWN_CLI_SIZE }, { "samples", "usage.samples", BAWN_CLI_TEXT },
		{ "assess us", "timing.assess_us", BAWN_CLI_TEXT }, { "queue us", "timing.queue_us", BAWN_CLI_TEXT },
		{ "start us", "timing.start_us", BAWN_CLI_TEXT }, { "run us", "timing.run_us", BAWN_CLI_TEXT },
		{ "record us", "timing.record_us", BAWN_CLI_TEXT }, { "total us", "timing.total_us", BAWN_CLI_TEXT },
	};
	bawn_auto_buf line = BAWN_BUF(2048);
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_buf_fmt(&line, "%s%s ", i > 0 ? ", " : "", row[i].title);
		bawn_cli_cell(&line, bawn_cli_at(result, row[i].path), row[i].kind);
	}
	bawn_cli_say("stats: %s", line.p != NULL ? line.p : "");
}

/* What this host lacks is said once, and again when it changes: every result has it anyway. */
static bool said_before(const struct bawn_cli *c, struct bawn_span list)
{
	char path[600];
	bawn_auto_buf old = BAWN_BUF(1024);
	if (c->bawn == NULL)
		return false;
	(void)snprintf(path, sizeof path, "%s/said", bawn_dirs_of(c->bawn)->state);
	if (bawn_read_file(AT_FDCWD, path, &old, NULL) == 0 && bawn_span_equal(bawn_buf_span(&old), list))
		return true;
	(void)!bawn_replace_file(AT_FDCWD, path, list, 0600, NULL);  /* said again next time */
	return false;
}

static void say_missing(const struct bawn_cli *c, const json_t *result)
{
	bawn_auto_buf list = BAWN_BUF(1024);
	if (json_array_size(bawn_cli_at(result, "enforcement.missing")) == 0)
		return;
	bawn_cli_cell(&list, bawn_cli_at(result, "enforcement.missing"), BAWN_CLI_LIST);
	if (!c->common.verbose && said_before(c, bawn_buf_span(&list)))
		return;
	bawn_cli_say("not enforced on this host: %s ('bawn doctor' says why)", list.p != NULL ? list.p : "?");
}

/* What would happen: on stdout, because it is the answer that was asked for. */
static int dry_run(const struct bawn_cli *c, const json_t *result, const struct bawn_cli_ran *ran)
{
	static const struct bawn_cli_field row[] = {
		{ "level", "assessment.level", BAWN_CLI_LEVEL }, { "score", "assessment.score", BAWN_CLI_TEXT },
		{ "language", "assessment.language", BAWN_CLI_TEXT }, { "decision", "decision.action", BAWN_CLI_TEXT },
		{ "can", "assessment.capabilities", BAWN_CLI_LIST }, { "why these limits", "limits.reasons", BAWN_CLI_LIST },
		{ "backend", "enforcement.backend", BAWN_CLI_TEXT }, { "walls", "enforcement.layers", BAWN_CLI_LIST },
		{ "missing", "enforcement.missing", BAWN_CLI_LIST },
	};
	bawn_auto_buf out = BAWN_BUF(TEXT_MAX);
	size_t i;
	json_t *f;
	if (json_is_object(bawn_cli_at(result, "error"))) {
		say_error(result);
		return 0;
	}
	bawn_cli_fields(&out, result, row, BAWN_LEN(row), c->colour_out);
	bawn_buf_str(&out, "limits            ");
	bawn_cli_limits_sentence(&out, bawn_cli_at(result, "limits"), ran->network, ran->n_inputs);
	bawn_buf_char(&out, '\n');
	json_array_foreach(bawn_cli_at(result, "assessment.findings"), i, f)
		bawn_cli_finding(&out, f, ran->code, c->colour_out);
	bawn_cli_score(&out, bawn_cli_at(result, "assessment"), c->common.verbose);
	int code = bawn_cli_print(&out, 0);
	if (!c->common.quiet)
		bawn_cli_say("dry run: nothing ran");
	return code;
}

int bawn_cli_report(const struct bawn_cli *c, const json_t *result, const struct bawn_cli_ran *ran)
{
	if (ran->dry_run)
		return dry_run(c, result, ran);
	say_status(c, result, ran);
	bool ran_at_all = json_is_object(bawn_cli_at(result, "usage")) && *bawn_cli_text(result, "assessment.level") != '\0' &&
	                  strcmp(bawn_cli_text(result, "status"), "needs_approval") != 0 &&
	                  strcmp(bawn_cli_text(result, "status"), "refused") != 0;
	if (ran_at_all && ran->stats)
		say_stats(result);
	if (c->common.quiet || !ran_at_all)
		return 0;
	say_warnings(result);
	say_denials(result, ran->path);
	say_files(result, ran);
	say_missing(c, result);
	if (c->common.verbose) {
		say_limits(result, ran, "it had: ");
		say_observed(result);
	}
	if (c->common.verbose)
		bawn_cli_say("execution %s, %s; 'bawn show %s' has the record", bawn_cli_text(result, "id"),
		             bawn_cli_text(result, "status"), bawn_cli_text(result, "id"));
	return 0;
}
