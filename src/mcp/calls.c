#include "mcp/calls.h"
#include <stdio.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/ulid.h"
#include "core/api.h"
#include "mcp/content.h"
#include "mcp/files.h"
#include "mcp/place.h"
#include "mcp/schema.h"

#define QUESTIONS_MAX 64           /* asked in the modern era and not yet answered; the oldest is forgotten */
#define PROGRESS_EVERY_US 1000000
#define DEFAULT_LIMIT 20
#define FORM_MS (5u * 60 * 1000)   /* whoever has not answered a form by then is not there; the request stays held, for a terminal */

/* What stands behind a requestState: it never leaves this process, and is good once. */
struct question { char token[BAWN_ULID_LEN], approval[BAWN_ULID_LEN]; };

struct run {
	struct run *next;
	struct bawn_mcp_calls *all;
	struct bawn_mcp_call *call;
	struct bawn *b;
	struct bawn_exec *e;               /* NULL while somebody is asked */
	struct bawn_mcp_files files;
	const char **packages;             /* the array; its texts are the call's */
	size_t n_packages;
	char dir[BAWN_MCP_TEMPORARY_MAX + 64];             /* where its files are copied to */
	bool cancelled, asked;
	uint64_t progress, said_us;
	uint64_t installing_us;            /* since when its packages are installed; 0: they are not */
	char question[BAWN_ULID_LEN], approval[BAWN_ULID_LEN];  /* legacy: while somebody is asked */
	uint64_t until_us;                                       /* nobody waits longer for that */
	json_t *held;                      /* what is answered where nobody lifts it */
};

struct bawn_mcp_calls {
	const struct bawn_options *options;
	const struct bawn_mcp_gift *gift;
	struct bawn_mcp_session *session;
	struct run *first;
	size_t open;
	uint64_t n_runs;
	struct bawn_mcp_place place;       /* made for the first run */
	struct question question[QUESTIONS_MAX];
	size_t next_question;
};

/* --- results ------------------------------------------------------------------------------------ */

/* {type, message, hint, field}, or NULL. */
static json_t *error_json(const struct bawn_err *err)
{
	bawn_auto_json doc = bawn_failed_document(err);
	json_t *error = json_object_get(doc, "error");
	return error != NULL ? json_incref(error) : NULL;
}

/* {"NAME": value, "error": null}, or {"NAME": none, "error": {...}}. */
static json_t *plain_result(const char *name, json_t *value_stolen, json_t *none_stolen, const struct bawn_err *err)
{
	bawn_auto_json value = value_stolen, *none = none_stolen;
	if (value != NULL)
		return bawn_mcp_content(json_pack("{s:O, s:n}", name, value, "error"), false);
	return bawn_mcp_content(json_pack("{s:O, s:o}", name, none, "error", error_json(err)), true);
}

static const char *text_at(const json_t *doc, const char *object, const char *key)
{
	const char *v = json_string_value(json_object_get(object != NULL ? json_object_get(doc, object) : doc, key));
	return v != NULL ? v : "";
}

/* As a person has to type it: another state directory than the usual one is named. */
static void put_command(struct bawn_buf *out, const struct bawn_mcp_calls *all, const char *verb, const char *id)
{
	const char *state = all->options->state_dir != NULL ? all->options->state_dir : getenv("BAWN_STATE");
	bawn_buf_fmt(out, "bawn %s %s", verb, id);
	if (state == NULL || *state == '\0')
		return;
	bawn_buf_str(out, " --state '");
	for (const char *p = state; *p != '\0'; p++)
		if (*p == '\'')
			bawn_buf_str(out, "'\\''");
		else
			bawn_buf_char(out, *p);
	bawn_buf_char(out, '\'');
}

static bool held(const json_t *doc)
{
	return strcmp(text_at(doc, NULL, "status"), bawn_status_name(BAWN_STATUS_NEEDS_APPROVAL)) == 0 && *text_at(doc, "decision", "approval_id") != '\0';
}

static json_t *approval_json(const struct bawn_mcp_calls *all, const json_t *doc)
{
	bawn_auto_buf command = BAWN_BUF(8192);
	if (!held(doc))
		return json_null();
	put_command(&command, all, "approve", text_at(doc, "decision", "approval_id"));
	return json_pack("{s:s, s:s, s:o, s:s}", "id", text_at(doc, "decision", "approval_id"), "level", text_at(doc, "assessment", "level"),
		"command", bawn_json_text(bawn_buf_span(&command)), "then", "make exactly the same call again");
}

static void say_held(json_t *result, const json_t *doc, bool *ok)
{
	bawn_auto_buf text = BAWN_BUF(16384);
	const json_t *approval = json_object_get(doc, "approval");
	bawn_buf_fmt(&text, "Held: this code was assessed as %s and has not been run. Only a person can let it run: ask the user to look at it and to "
		"type, in a terminal of their own, %s . Then make exactly the same call again. Nothing else lifts it; changed code is assessed anew.",
		text_at(approval, NULL, "level"), text_at(approval, NULL, "command"));
	bawn_mcp_content_say(result, text.p != NULL ? text.p : "", ok);
}

/* The result of execute_code for a document of the library. */
static json_t *run_result(const struct bawn_mcp_calls *all, json_t *doc_stolen, const char *dir)
{
	bawn_auto_json doc = doc_stolen, *blocks = json_array();
	bool ok = doc != NULL && blocks != NULL;
	if (!ok)
		return NULL;
	bawn_json_set(doc, "approval", approval_json(all, doc), &ok);
	bawn_mcp_images(doc, dir, blocks, &ok);
	bool failed = strcmp(text_at(doc, NULL, "status"), bawn_status_name(BAWN_STATUS_COMPLETED)) != 0;
	json_t *result = ok ? bawn_mcp_content(json_incref(doc), failed) : NULL;
	if (result == NULL)
		return NULL;
	if (held(doc))
		say_held(result, doc, &ok);
	ok = ok && json_array_extend(json_object_get(result, "content"), blocks) == 0;
	if (ok)
		return result;
	json_decref(result);
	return NULL;
}

/* --- tools that answer at once ------------------------------------------------------------------- */

static int take_document(struct bawn_result *r, json_t **out, struct bawn_err *err)
{
	int code = bawn_json_parse(bawn_span(bawn_result_json(r)), out, err);
	bawn_result_free(r);
	return code;
}

static const char *language_of(const json_t *args)
{
	const char *language = json_string_value(json_object_get(args, "language"));
	return language != NULL ? language : bawn_language[BAWN_LANG_PYTHON].name;
}

static json_t *assess_code(struct bawn *b, const struct bawn_mcp_call *c)
{
	const json_t *code = json_object_get(c->args, "code");
	struct bawn_request req = { .size = sizeof req, .code = json_string_value(code), .code_size = json_string_length(code),
		.language = language_of(c->args) };
	struct bawn_result *result;
	struct bawn_err err = { 0 };
	json_t *doc = NULL;
	if (bawn_assess_code_only(b, &req, &result, &err) == 0)
		(void)!take_document(result, &doc, &err);
	return plain_result("assessment", doc, json_null(), &err);
}

static int history(struct bawn *b, const char *id, uint64_t limit, json_t **out, struct bawn_err *err)
{
	struct bawn_history_filter f = { .size = sizeof f, .limit = limit, .id = id };
	struct bawn_result *result;
	int r = bawn_get_execution_history(b, &f, &result, err);
	return r < 0 ? r : take_document(result, out, err);
}

static json_t *get_execution(struct bawn *b, const struct bawn_mcp_call *c)
{
	const char *id = json_string_value(json_object_get(c->args, "id"));
	struct bawn_err err = { 0 };
	bawn_auto_json list = NULL;
	json_t *row = NULL;
	int r = history(b, id, 2, &list, &err);
	if (r == 0 && json_array_size(list) == 1)
		row = json_incref(json_array_get(list, 0));
	else if (r == 0)
		(void)bawn_fail_as(&err, BAWN_ERROR_NOT_FOUND, "id", json_array_size(list) == 0 ? "no execution '%.40s'" : "more than one execution starts with '%.40s'", id);
	return plain_result("execution", row, json_null(), &err);
}

static json_t *list_executions(struct bawn *b, const struct bawn_mcp_call *c)
{
	const json_t *limit = json_object_get(c->args, "limit");
	struct bawn_err err = { 0 };
	json_t *list = NULL;
	(void)!history(b, NULL, limit != NULL ? (uint64_t)json_integer_value(limit) : DEFAULT_LIMIT, &list, &err);
	return plain_result("executions", list, json_array(), &err);
}

/* --- executions --------------------------------------------------------------------------------- */

static void run_free(struct run *r)
{
	bawn_exec_free(r->e);
	bawn_close(r->b);
	bawn_mcp_files_done(&r->files);
	free(r->packages);
	json_decref(r->held);
	if (r->dir[0] != '\0')
		bawn_mcp_remove_tree(r->dir);
	free(r);
}

static void unlink_run(struct run *r)
{
	for (struct run **at = &r->all->first; *at != NULL; at = &(*at)->next)
		if (*at == r) {
			*at = r->next;
			r->all->open--;
			return;
		}
}

/* The one answer, or none where the client has cancelled; then it is gone. */
static void finish(struct run *r, json_t *doc_stolen)
{
	struct bawn_mcp_calls *all = r->all;
	unlink_run(r);
	if (r->cancelled) {
		json_decref(doc_stolen);
		bawn_mcp_drop(all->session, r->call);
	} else {
		bawn_mcp_answer(all->session, r->call, run_result(all, doc_stolen, r->dir[0] != '\0' ? r->dir : NULL));
	}
	run_free(r);
}

static void fail(struct run *r, const struct bawn_err *err) { finish(r, bawn_failed_document(err)); }

static void say(struct run *r, uint64_t now, const char *text)
{
	if (r->call->token == NULL || r->cancelled)
		return;
	r->said_us = now;
	bawn_mcp_progress(r->all->session, r->call, ++r->progress, text);
}

static bool takes_time(const char *state)
{
	static const char *const row[] = { "assessed", "installing", "running" };
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		if (strcmp(state, row[i]) == 0)
			return true;
	return false;
}

/* What is said while it runs: states that take time to leave, and once a second what it uses. */
static void on_event(void *ctx, const struct bawn_event *e)
{
	struct run *r = ctx;
	uint64_t now = bawn_monotonic_us();
	char text[120];
	if (e->kind == BAWN_EVENT_STATE)
		r->installing_us = strcmp(e->text, "installing") == 0 ? now : 0;
	if (e->kind == BAWN_EVENT_STATE && takes_time(e->text))
		snprintf(text, sizeof text, "%s", e->text);
	else if (e->kind == BAWN_EVENT_USAGE && now - r->said_us >= PROGRESS_EVERY_US)
		snprintf(text, sizeof text, "running for %.1f s, %llu MiB", (double)e->wall_ms / 1000, (unsigned long long)(e->memory_bytes >> 20));
	else
		return;
	say(r, now, text);
}

/* An install has no usage to tell, and clients lose patience with who says nothing. */
static bool tells_of_install(const struct run *r) { return r->installing_us != 0 && r->call->token != NULL && !r->cancelled; }

static void tell_of_installs(struct bawn_mcp_calls *all)
{
	uint64_t now = all->first != NULL ? bawn_monotonic_us() : 0;
	char text[60];
	for (struct run *r = all->first; r != NULL; r = r->next)
		if (tells_of_install(r) && now - r->said_us >= PROGRESS_EVERY_US) {
			snprintf(text, sizeof text, "installing for %.1f s", (double)(now - r->installing_us) / 1e6);
			say(r, now, text);
		}
}

static int make_dir(struct run *r, struct bawn_err *err)
{
	int code = bawn_mcp_place_make(&r->all->place, err);
	if (code == 0)
		snprintf(r->dir, sizeof r->dir, "%s/%llu", r->all->place.dir, (unsigned long long)++r->all->n_runs);
	return code;
}

/* The one that the server was given, for code in its language; one that is gone is the library's to say. */
static const char *environment_of(const struct run *r, const char *language)
{
	bawn_auto_json doc = NULL;
	const char *name = r->all->gift->environment;
	if (name == NULL || bawn_environment(r->b, name, &doc, NULL) < 0)
		return name;
	return bawn_language_named(bawn_span(text_at(doc, NULL, "language"))) == bawn_language_named(bawn_span(language)) ? name : NULL;
}

/* The list that the library reads until the run is over. */
static int take_packages(struct run *r, struct bawn_err *err)
{
	const json_t *list = json_object_get(r->call->args, "packages");
	size_t i;
	json_t *one;
	r->packages = calloc(json_array_size(list) + 1, sizeof *r->packages);
	if (r->packages == NULL)
		return bawn_fail(err, -ENOMEM, "take the packages");
	json_array_foreach(list, i, one)
		r->packages[r->n_packages++] = json_string_value(one);
	return 0;
}

static int start(struct run *r, struct bawn_err *err)
{
	const json_t *args = r->call->args, *code = json_object_get(args, "code"), *timeout = json_object_get(args, "timeout");
	double ms = timeout != NULL ? json_number_value(timeout) * 1000 : 0;
	struct bawn_request req = {
		.size = sizeof req,
		.code = json_string_value(code), .code_size = json_string_length(code),
		.language = language_of(args),
		.environment = environment_of(r, language_of(args)),
		.packages = r->packages, .n_packages = r->n_packages,
		.inputs = r->files.input, .n_inputs = r->files.n,
		.timeout_ms = timeout == NULL ? 0 : ms < 1 ? 1 : (uint64_t)ms,
		.out_dir = r->dir, .hold = 1,
		.client = r->call->client[0] != '\0' ? r->call->client : NULL,
		.on_event = on_event, .ctx = r,
	};
	return bawn_start(r->b, &req, &r->e, err);
}

/* --- a client's form ---------------------------------------------------------------------------- */

static json_t *form(const struct run *r, const json_t *doc)
{
	bawn_auto_buf text = BAWN_BUF(64u << 10);
	size_t i;
	json_t *f;
	bawn_buf_fmt(&text, "bawn assessed this %s code as %s (sha256 %.16s...).", text_at(doc, "assessment", "language"), text_at(doc, "assessment", "level"),
	             text_at(doc, "assessment", "code_sha256"));
	json_array_foreach(json_object_get(json_object_get(doc, "assessment"), "findings"), i, f)
		if (i < 10)
			bawn_buf_fmt(&text, " Line %d: %.200s.", (int)json_integer_value(json_object_get(f, "line")), text_at(f, NULL, "message"));
	for (i = 0; i < r->n_packages; i++)
		bawn_buf_fmt(&text, "%s'%s'%s", i == 0 ? " It asks for packages: " : ", ", r->packages[i], i + 1 == r->n_packages ? "." : "");
	bawn_buf_str(&text, " Let it run once?");
	return json_pack("{s:o, s:{s:s, s:{s:{s:s, s:s}, s:{s:s, s:s, s:i, s:i}}, s:[s, s]}}", "message", bawn_json_text(bawn_buf_span(&text)),
		"requestedSchema", "type", "object", "properties",
			"approve", "type", "boolean", "title", "Let it run once",
			"reason", "type", "string", "title", "Why (it is recorded)", "minLength", 1, "maxLength", 500,
		"required", "approve", "reason");
}

/* What came back for an approval: {action, content: {approve, reason}}.  Only a plain yes approves and only a plain no denies. */
static void note_answer(struct bawn *b, const char *approval, const json_t *answer)
{
	const char *action = text_at(answer, NULL, "action"), *reason = text_at(answer, "content", "reason");
	bool accepted = strcmp(action, "accept") == 0;
	const json_t *yes = json_object_get(json_object_get(answer, "content"), "approve");
	struct bawn_result *result = NULL;
	if (accepted && json_is_true(yes))
		(void)bawn_approvals_decide(b, approval, 1, reason, 0, &result, NULL);  /* a failure lifts nothing: it stays held */
	else if (strcmp(action, "decline") == 0 || (accepted && json_is_false(yes)))
		(void)bawn_approvals_decide(b, approval, 0, *reason != '\0' ? reason : "declined in the client", 0, &result, NULL);
	bawn_result_free(result);
}

static void ask_now(struct run *r, json_t *doc_stolen)
{
	json_t *question = form(r, doc_stolen);
	snprintf(r->approval, sizeof r->approval, "%s", text_at(doc_stolen, "decision", "approval_id"));
	if (question == NULL || bawn_ulid_new(r->question, NULL) < 0) {
		json_decref(question);
		finish(r, doc_stolen);
		return;
	}
	uint64_t ms = bawn_hold_ms(r->b);
	r->until_us = bawn_monotonic_us() + 1000 * (ms < FORM_MS ? ms : FORM_MS);
	r->held = doc_stolen;
	bawn_mcp_ask(r->all->session, r->question, "elicitation/create", question);
}

static void ask_back(struct run *r, json_t *doc_stolen)
{
	struct bawn_mcp_calls *all = r->all;
	struct question *q = &all->question[all->next_question % QUESTIONS_MAX];
	json_t *params = form(r, doc_stolen);
	json_t *requests = params != NULL ? json_pack("{s:{s:s, s:o}}", "approval", "method", "elicitation/create", "params", params) : NULL;
	if (requests == NULL || bawn_ulid_new(q->token, NULL) < 0) {
		json_decref(requests);
		finish(r, doc_stolen);
		return;
	}
	all->next_question++;
	snprintf(q->approval, sizeof q->approval, "%s", text_at(doc_stolen, "decision", "approval_id"));
	json_decref(doc_stolen);
	unlink_run(r);
	bawn_mcp_ask_back(all->session, r->call, requests, q->token);
	run_free(r);
}

/* Modern era: the answer that came along with a call made again. */
static void take_answer(struct run *r)
{
	const char *token = json_string_value(r->call->state);
	for (size_t i = 0; token != NULL && i < QUESTIONS_MAX; i++) {
		struct question *q = &r->all->question[i];
		if (q->token[0] == '\0' || strcmp(q->token, token) != 0)
			continue;
		note_answer(r->b, q->approval, json_object_get(r->call->responses, "approval"));
		*q = (struct question){ 0 };
		r->asked = true;  /* once is enough */
		return;
	}
}

/* --- the way of a run --------------------------------------------------------------------------- */

static void over(struct run *r)
{
	struct bawn_err err = { 0 };
	json_t *doc = NULL;
	if (bawn_exec_document(r->e, &doc, &err) < 0)
		doc = bawn_failed_document(&err);
	bawn_exec_free(bawn_steal(r->e));
	if (doc == NULL || r->cancelled || r->asked || !held(doc) || !r->call->elicits || !bawn_self_suffices(r->b)) {
		finish(r, doc);
		return;
	}
	r->asked = true;
	if (r->call->modern)
		ask_back(r, doc);
	else
		ask_now(r, doc);
}

static void step(struct run *r)
{
	struct bawn_err err = { 0 };
	int code = bawn_exec_step(r->e, &err);
	if (code == 1)
		over(r);
	else if (code < 0)
		fail(r, &err);
}

static void execute(struct bawn_mcp_calls *all, struct bawn_mcp_call *c)
{
	struct bawn_err err = { 0 };
	struct run *r = calloc(1, sizeof *r);
	if (r == NULL) {
		bawn_mcp_answer(all->session, c, NULL);
		return;
	}
	*r = (struct run){ .all = all, .call = c };
	struct run **at = &all->first;
	while (*at != NULL)  /* who came first is stepped first: of those who are told of a free place the oldest gets it */
		at = &(*at)->next;
	*at = r;
	all->open++;
	int code = bawn_mcp_files_take(c->args, &r->files, &err);
	if (code == 0)
		code = take_packages(r, &err);
	if (code == 0)
		code = make_dir(r, &err);
	if (code == 0)
		code = bawn_open_to_run(all->options, &r->b, &err);
	if (code == 0) {
		take_answer(r);
		code = start(r, &err);
	}
	if (code < 0)
		fail(r, &err);
}

/* --- all of them -------------------------------------------------------------------------------- */

static const struct tool {
	const char *name;
	json_t *(*now)(struct bawn *, const struct bawn_mcp_call *);  /* NULL: an execution */
	const char *part;                                             /* of the result of one that answers at once */
} tool[] = {
	{ "execute_code",    NULL,            NULL },
	{ "assess_code",     assess_code,     "assessment" },
	{ "get_execution",   get_execution,   "execution" },
	{ "list_executions", list_executions, "executions" },
};

static const struct tool *tool_of(const struct bawn_mcp_call *c)
{
	size_t i = 0;
	while (i + 1 < BAWN_LEN(tool) && strcmp(tool[i].name, c->tool) != 0)
		i++;
	return &tool[i];
}

static json_t *failed_result(const struct bawn_mcp_calls *all, const struct tool *t, const struct bawn_err *err)
{
	if (t->now == NULL)
		return run_result(all, bawn_failed_document(err), NULL);
	return plain_result(t->part, NULL, strcmp(t->part, "executions") == 0 ? json_array() : json_null(), err);
}

int bawn_mcp_calls_packages(const struct bawn_mcp_calls *all, struct bawn_err *err)
{
	struct bawn *b;
	if (!all->gift->packages)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "a person allows it by starting the server as 'bawn mcp --packages', and policy by network.whitelist");
	int r = bawn_open(all->options, &b, err);
	if (r < 0)
		return r;
	r = bawn_packages_allowed(b, err);
	bawn_close(b);
	return r;
}

/* The schema has `packages` for all, the list that a client is given only where they may be named: so that who names some
 * unasked learns why not. */
static int check_arguments(const struct bawn_mcp_calls *all, const struct bawn_mcp_call *c, struct bawn_err *err)
{
	struct bawn_err why = { 0 };
	bool named = json_object_get(json_object_get(c->schema, "properties"), "packages") != NULL && json_object_get(c->args, "packages") != NULL;
	if (named && bawn_mcp_calls_packages(all, &why) < 0)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "packages", "there is no argument 'packages' here: %s", why.msg);
	return bawn_mcp_conforms(c->schema, c->args, "arguments", err);
}

void bawn_mcp_calls_begin(struct bawn_mcp_calls *all, struct bawn_mcp_call *call_stolen)
{
	const struct tool *t = tool_of(call_stolen);
	struct bawn_err err = { 0 };
	struct bawn *b = NULL;
	int r = check_arguments(all, call_stolen, &err);
	if (r == 0 && t->now == NULL && all->open >= BAWN_MCP_CALLS_MAX)
		r = bawn_fail_as(&err, BAWN_ERROR_BUSY, NULL, "%d calls are on their way already", BAWN_MCP_CALLS_MAX);
	if (r == 0 && t->now == NULL) {
		execute(all, call_stolen);
		return;
	}
	if (r == 0)
		r = bawn_open(all->options, &b, &err);
	bawn_mcp_answer(all->session, call_stolen, r == 0 ? t->now(b, call_stolen) : failed_result(all, t, &err));
	bawn_close(b);
}

bool bawn_mcp_calls_busy(const struct bawn_mcp_calls *all, const json_t *id)
{
	for (const struct run *r = all->first; r != NULL; r = r->next)
		if (json_equal(r->call->id, id))
			return true;
	return false;
}

/* What runs is ended and recorded as cancelled; what only waits for an answer is over at once. */
void bawn_mcp_calls_cancel(struct bawn_mcp_calls *all, const json_t *id_or_all)
{
	for (struct run *r = all->first, *next; r != NULL; r = next) {
		next = r->next;
		if (id_or_all != NULL && !json_equal(r->call->id, id_or_all))
			continue;
		r->cancelled = true;
		if (r->e != NULL)
			(void)bawn_cancel(r->e);  /* an execution already over stays over */
		else
			finish(r, NULL);
	}
}

void bawn_mcp_calls_response(struct bawn_mcp_calls *all, const char *id, const json_t *result_or_null)
{
	struct bawn_err err = { 0 };
	struct run *r = all->first;
	while (r != NULL && (r->held == NULL || strcmp(r->question, id) != 0))
		r = r->next;
	if (r == NULL)
		return;  /* an answer to nothing we asked */
	note_answer(r->b, r->approval, result_or_null);
	json_decref(bawn_steal(r->held));
	if (start(r, &err) < 0)
		fail(r, &err);
}

int bawn_mcp_calls_patience(const struct bawn_mcp_calls *all)
{
	uint64_t now = bawn_monotonic_us(), least = UINT64_MAX;
	for (const struct run *r = all->first; r != NULL; r = r->next) {
		uint64_t due = r->held != NULL ? r->until_us : tells_of_install(r) ? r->said_us + PROGRESS_EVERY_US : UINT64_MAX;
		least = due < least ? due : least;
	}
	return least == UINT64_MAX ? -1 : least <= now ? 0 : (int)((least - now) / 1000 + 1);
}

/* Nobody answered: it is held as if there had been no form, and an answer that comes later is one to nothing. */
static void give_up_forms(struct bawn_mcp_calls *all)
{
	uint64_t now = all->first != NULL ? bawn_monotonic_us() : 0;
	for (struct run *r = all->first, *next; r != NULL; r = next) {
		next = r->next;
		if (r->held == NULL || now < r->until_us)
			continue;
		bawn_mcp_unask(all->session, r->question);
		finish(r, bawn_steal(r->held));
	}
}

size_t bawn_mcp_calls_fds(const struct bawn_mcp_calls *all, struct pollfd *out)
{
	size_t n = 0;
	for (const struct run *r = all->first; r != NULL && n < BAWN_MCP_CALLS_MAX; r = r->next)
		if (r->e != NULL)
			out[n++] = (struct pollfd){ .fd = bawn_exec_fd(r->e), .events = POLLIN };
	return n;
}

void bawn_mcp_calls_step(struct bawn_mcp_calls *all, const struct pollfd *p, size_t n)
{
	give_up_forms(all);
	tell_of_installs(all);
	for (struct run *r = all->first, *next; r != NULL; r = next) {
		next = r->next;  /* a step ends its own run and starts none */
		for (size_t i = 0; r->e != NULL && i < n; i++)
			if (p[i].revents != 0 && p[i].fd == bawn_exec_fd(r->e)) {
				step(r);
				break;
			}
	}
}

size_t bawn_mcp_calls_open(const struct bawn_mcp_calls *all) { return all->open; }

int bawn_mcp_calls_new(const struct bawn_options *options, const struct bawn_mcp_gift *gift, struct bawn_mcp_calls **out, struct bawn_err *err)
{
	struct bawn_mcp_calls *all = calloc(1, sizeof *all);
	if (all == NULL)
		return bawn_fail(err, -ENOMEM, "begin");
	all->options = options;
	all->gift = gift;
	all->place = BAWN_MCP_PLACE;
	bawn_mcp_place_sweep();
	*out = all;
	return 0;
}

void bawn_mcp_calls_attach(struct bawn_mcp_calls *all, struct bawn_mcp_session *s) { all->session = s; }

void bawn_mcp_calls_free(struct bawn_mcp_calls *all)
{
	if (all == NULL)
		return;
	while (all->first != NULL) {
		all->first->cancelled = true;
		finish(all->first, NULL);
	}
	bawn_mcp_place_done(&all->place);
	free(all);
}
