/* out.c - how commands speak (stderr), answer (stdout) and fail. */
#include "cli/cli.h"
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "core/api.h"

#define LINE_MAX_BYTES (64u << 10)
#define OUT_MAX        (256u << 20)

void bawn_cli_show(int fd, const struct bawn_buf *text)
{
	if (bawn_buf_error(text) == 0 && text->n > 0 && bawn_write_all(fd, text->p, text->n, NULL) < 0)
		return;  /* nobody to tell */
}

void bawn_cli_say(const char *fmt, ...)
{
	bawn_auto_buf raw = BAWN_BUF(LINE_MAX_BYTES);
	bawn_auto_buf line = BAWN_BUF(8 * LINE_MAX_BYTES);
	va_list ap;
	va_start(ap, fmt);
	bawn_buf_vfmt(&raw, fmt, ap);
	va_end(ap);
	bawn_buf_str(&line, "bawn: ");
	if (bawn_buf_error(&raw) == 0)
		bawn_buf_escaped(&line, bawn_buf_span(&raw));
	else
		bawn_buf_str(&line, "a message too long to show");
	bawn_buf_char(&line, '\n');
	bawn_cli_show(STDERR_FILENO, &line);
}

int bawn_cli_print(const struct bawn_buf *text, int code)
{
	struct bawn_err err = { 0 };
	int r = bawn_buf_error(text);
	if (r < 0)
		(void)bawn_fail(&err, r, "build the answer");
	else if (text->n > 0)
		r = bawn_write_all(STDOUT_FILENO, text->p, text->n, &err);
	if (r < 0) {
		bawn_cli_say("write standard output: %s", err.msg);
		return BAWN_EXIT_CANNOT;
	}
	return code;
}

int bawn_cli_print_json(const json_t *doc, int code)
{
	bawn_auto_buf out = BAWN_BUF(OUT_MAX);
	if (doc == NULL || bawn_json_put(&out, doc, NULL) < 0) {
		bawn_cli_say("out of memory");
		return BAWN_EXIT_CANNOT;
	}
	bawn_buf_char(&out, '\n');
	return bawn_cli_print(&out, code);
}

json_t *bawn_cli_error_json(const struct bawn_err *err)
{
	bool ok = true;
	json_t *e = json_object();
	bawn_json_set(e, "type", json_string(bawn_error_name(err->type)), &ok);
	bawn_json_set(e, "message", bawn_json_text(bawn_span(err->msg)), &ok);
	bawn_json_set(e, "hint", bawn_json_text_or_null(bawn_error_hint(err->type)), &ok);
	bawn_json_set(e, "field", bawn_json_text_or_null(err->field[0] != '\0' ? err->field : NULL), &ok);
	if (ok)
		return e;
	json_decref(e);
	return NULL;
}

void bawn_cli_error_text(const struct bawn_err *err)
{
	bawn_cli_say("%s", err->msg);
	if (bawn_error_hint(err->type) != NULL)
		bawn_cli_say("hint: %s", bawn_error_hint(err->type));
}

/* What is an answer rather than an inability: exit 1; what was asked wrongly: exit 2. */
static const struct { enum bawn_error type; int code; } exit_of[] = {
	{ BAWN_ERROR_INVALID_REQUEST, BAWN_EXIT_USAGE },
	{ BAWN_ERROR_LIMIT_INVALID, BAWN_EXIT_USAGE },
	{ BAWN_ERROR_REASON_MISSING, BAWN_EXIT_USAGE },
	{ BAWN_ERROR_REASON_TOO_LONG, BAWN_EXIT_USAGE },
	{ BAWN_ERROR_NOT_FOUND, BAWN_EXIT_FOUND },
	{ BAWN_ERROR_APPROVAL_UNKNOWN, BAWN_EXIT_FOUND },
	{ BAWN_ERROR_APPROVAL_MISMATCH, BAWN_EXIT_FOUND },
	{ BAWN_ERROR_APPROVAL_EXPIRED, BAWN_EXIT_FOUND },
	{ BAWN_ERROR_APPROVAL_USED, BAWN_EXIT_FOUND },
	{ BAWN_ERROR_APPROVAL_DENIED, BAWN_EXIT_FOUND },
	{ BAWN_ERROR_APPROVAL_OPEN, BAWN_EXIT_FOUND },
	{ BAWN_ERROR_ASSURANCE_TOO_LOW, BAWN_EXIT_FOUND },
	{ BAWN_ERROR_OVERRIDE_NOT_ALLOWED, BAWN_EXIT_FOUND },
};

static int code_of(enum bawn_error type)
{
	for (size_t i = 0; i < BAWN_LEN(exit_of); i++)
		if (exit_of[i].type == type)
			return exit_of[i].code;
	return BAWN_EXIT_CANNOT;
}

static int report(const struct bawn_cli *c, const struct bawn_err *err, int code)
{
	if (!c->common.json) {
		bawn_cli_error_text(err);
		return code;
	}
	/* Readers of a run find the same shape whatever went wrong. */
	bool run = c->command != NULL && c->command->options_first;
	bawn_auto_json doc = run ? bawn_failed_document(err) : json_pack("{s:o}", "error", bawn_cli_error_json(err));
	return bawn_cli_print_json(doc, code);
}

int bawn_cli_fail(const struct bawn_cli *c, const struct bawn_err *err)
{
	bool run = c->command != NULL && c->command->options_first;
	return report(c, err, run ? BAWN_EXIT_CANNOT : code_of(err->type));
}

int bawn_cli_usage(const struct bawn_cli *c, const char *fmt, ...)
{
	struct bawn_err err = { 0 };
	bawn_auto_buf text = BAWN_BUF(LINE_MAX_BYTES);
	va_list ap;
	va_start(ap, fmt);
	bawn_buf_vfmt(&text, fmt, ap);
	va_end(ap);
	(void)bawn_fail_as(&err, BAWN_ERROR_INVALID_REQUEST, NULL, "%s", text.p != NULL ? text.p : "");
	int code = bawn_cli_fail(c, &err);
	if (c->command != NULL && !c->common.json)
		bawn_cli_say("usage: bawn %s%s%s%s%s", c->command->group != NULL ? c->command->group : "", c->command->group != NULL ? " " : "",
		             c->command->name, *c->command->synopsis != '\0' ? " " : "", c->command->synopsis);
	return code;
}

struct bawn_options bawn_cli_options(const struct bawn_cli *c)
{
	return (struct bawn_options){
		.size = sizeof(struct bawn_options),
		.state_dir = c->common.state,
		.config_dir = c->common.config,
		.via = "cli",
	};
}

int bawn_cli_open(struct bawn_cli *c, struct bawn_err *err)
{
	struct bawn_options o = bawn_cli_options(c);
	return bawn_open(&o, &c->bawn, err);
}

int bawn_cli_take(struct bawn_result *r, json_t **out, struct bawn_err *err)
{
	/* Our own document: a program's output may hold NUL, which bawn_json_parse refuses. */
	json_error_t why;
	json_t *doc = json_loads(bawn_result_json(r), JSON_ALLOW_NUL | JSON_DECODE_ANY, &why);
	bawn_result_free(r);
	if (doc == NULL)
		return bawn_fail(err, -ENOMEM, "read the result: %s", why.text);
	*out = doc;
	return 0;
}

int bawn_cli_policy(const struct bawn_cli *c, struct bawn_policy **out, struct bawn_err *err)
{
	struct bawn_dirs dirs;
	struct bawn_options o = bawn_cli_options(c);
	int r = bawn_dirs_find(&o, &dirs, err);
	return r < 0 ? r : bawn_policy_load(&dirs.policy, out, NULL, err);
}
