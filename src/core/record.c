/* record.c - what the log says of an execution.  Each body carries what the history shows, so that
 * a row needs one record. */
#include <inttypes.h>
#include <stdio.h>
#include "audit/redact.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "core/alerts.h"
#include "core/changed.h"
#include "core/exec.h"
#include "core/running.h"

#define KEEP_HEAD_BYTES 2048
#define KEEP_OBSERVED_BYTES (32u << 10)  /* of each list */
#define KEEP_FILE_BYTES (256u << 10)  /* of names: the code chose them, and must not be able to burst its own record */

static bool logs_evidence(const struct bawn_exec *e)
{
	return strcmp(e->policy->policy->log_level, "minimal") != 0;
}

static int queue_as(struct bawn_exec *e, enum bawn_record_type type, const char *severity, const json_t *body, uint64_t *out_ticket, struct bawn_err *err)
{
	struct bawn_audit *log;
	int r = bawn_log(e->b, &log, err);
	if (r < 0)
		return r;
	struct bawn_record rec = { .type = type, .severity = severity, .exec = e->id, .session = e->checked->session,
		.principal = e->checked->principal, .body = body,
		.redact = e->policy->policy->redact.item, .n_redact = e->policy->policy->redact.n };
	return log->ops->append(log, &rec, out_ticket, err);
}

static int queue(struct bawn_exec *e, enum bawn_record_type type, const json_t *body, uint64_t *out_ticket, struct bawn_err *err)
{
	return queue_as(e, type, NULL, body, out_ticket, err);
}

static int commit(struct bawn_exec *e, uint64_t ticket, struct bawn_receipt *out, struct bawn_err *err)
{
	struct bawn_audit *log;
	int r = bawn_log(e->b, &log, err);
	if (r == 0)
		r = log->ops->wait(log, ticket, out, err);
	if (r == 0)
		bawn_alerts_noted(e);
	return r;
}

/* Rule, level, place: enough to find the finding again; the texts are the rule table's. */
static json_t *findings_brief(const struct bawn_assessment *a)
{
	json_t *list = json_array();
	bool ok = list != NULL;
	for (size_t i = 0; ok && i < a->n_findings; i++) {
		const struct bawn_finding *f = &a->finding[i];
		bawn_json_push(list, json_pack("{s:s, s:s, s:o, s:i, s:i}", "rule", f->rule,
			"level", bawn_word(&bawn_level_words, (int)f->level), "path", bawn_json_text_or_null(f->path),
			"line", (int)f->line, "column", (int)f->column), &ok);
	}
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

/* Labels as they may be written: values of those that audit.yaml redacts are not. */
static json_t *labels_record(const struct bawn_exec *e)
{
	const struct bawn_list *redact = &e->policy->policy->redact;
	json_t *labels = json_deep_copy(e->checked->labels_json);
	bool ok = labels != NULL;
	for (size_t i = 0; i < redact->n; i++)
		if (json_object_get(labels, redact->item[i]) != NULL)
			bawn_json_set(labels, redact->item[i], json_string("[redacted]"), &ok);
	if (ok)
		return labels;
	json_decref(labels);
	return NULL;
}

/* The members every record of an execution starts with.  `key` and `kept`, which it takes: which bodies are kept for this
 * record.  Verification finds that in the first three members, and only there. */
static json_t *opening(const struct bawn_exec *e, const char *key, json_t *kept)
{
	char at[BAWN_RFC3339_LEN];
	bawn_rfc3339(e->started_us, at);
	json_t *b = json_object();
	bool ok = b != NULL;
	bawn_json_set(b, "request_sha256", json_string(e->checked->request_sha256), &ok);
	bawn_json_set(b, "code_sha256", json_string(e->checked->code.sha256), &ok);
	if (key != NULL)
		bawn_json_set(b, key, kept, &ok);
	bawn_json_set(b, "started_at", json_string(at), &ok);
	bawn_json_set(b, "language", json_string(bawn_language[e->checked->language].name), &ok);
	bawn_json_set(b, "path", bawn_json_text_or_null(e->checked->path), &ok);
	bawn_json_set(b, "labels", labels_record(e), &ok);
	bawn_json_set(b, "level", json_string(bawn_word(&bawn_level_words, (int)e->assessment->level)), &ok);
	bawn_json_set(b, "score", json_integer((json_int_t)e->assessment->score), &ok);
	if (e->decided) {
		bawn_json_set(b, "decision", bawn_decision_json(e), &ok);
		bawn_json_set(b, "trust_level", json_string(bawn_word(&bawn_trust_words, (int)e->trust)), &ok);
	}
	if (ok)
		return b;
	json_decref(b);
	return NULL;
}

static json_t *common(const struct bawn_exec *e) { return opening(e, NULL, NULL); }
static json_t *common_of_code(const struct bawn_exec *e) { return opening(e, "code_kept", json_boolean(e->policy->policy->include_full_code)); }

/* Queued with the record that ends or starts the execution: what was assessed and went no further
 * (busy, a wrong approval) leaves nothing waiting in a shared handle. */
static int queue_assessed(struct bawn_exec *e, struct bawn_err *err)
{
	if (!logs_evidence(e))
		return 0;
	bawn_auto_json body = common(e);
	bool ok = body != NULL;
	char version[BAWN_RULES_VERSION_LEN];
	bawn_json_set(body, "rules_version", json_string(bawn_rules_version_of(e->policy->policy, version)), &ok);
	bawn_json_set(body, "parse_ok", json_boolean(e->assessment->parse_ok), &ok);
	bawn_json_set(body, "elapsed_us", json_integer((json_int_t)e->assessment->elapsed_us), &ok);
	bawn_json_set(body, "findings", findings_brief(e->assessment), &ok);
	return ok ? queue(e, BAWN_RECORD_ASSESS_DONE, body, NULL, err) : bawn_fail(err, -ENOMEM, "record the assessment");
}

/* Code that was asked for is kept, whether it ran or not; durable before the record that says so is queued. */
static int keep_code(struct bawn_exec *e, struct bawn_err *err)
{
	char sha[BAWN_SHA256_HEX];
	if (!e->policy->policy->include_full_code)
		return 0;
	struct bawn_audit *log;
	int r = bawn_log(e->b, &log, err);  /* makes the directory at first use */
	return r < 0 ? r : bawn_audit_blob_put(e->b->dirs.audit, e->checked->code.bytes, sha, err);
}

int bawn_record_refused(struct bawn_exec *e, struct bawn_err *err)
{
	bawn_auto_json body = common_of_code(e);
	bool ok = body != NULL;
	bawn_json_set(body, "status", json_string(bawn_status_name(e->status)), &ok);
	bawn_json_set(body, "findings", findings_brief(e->assessment), &ok);
	uint64_t ticket;
	int r = ok ? keep_code(e, err) : bawn_fail(err, -ENOMEM, "record the refusal");
	if (r == 0)
		r = queue_assessed(e, err);
	if (r == 0)
		r = queue(e, BAWN_RECORD_EXEC_REFUSED, body, &ticket, err);
	if (r == 0)
		r = commit(e, ticket, &e->outcome, err);
	e->has_outcome = r == 0;
	return r;
}

int bawn_record_held(struct bawn_exec *e, struct bawn_err *err)
{
	struct bawn_approvals a;
	bawn_auto_json limits = bawn_limits_json(e), *labels = labels_record(e);
	struct bawn_hold h = { .exec = e->id, .request_sha256 = e->checked->request_sha256,
		.action = bawn_word(&bawn_action_words, (int)e->action), .assessment = e->assessment_json, .limits = limits,
		.principal = e->checked->principal, .labels = labels, .session = e->checked->session,
		.path = e->checked->path, .asked_reason = e->checked->reason, .expires_ms = e->policy->policy->override_expires_ms };
	bool fresh = false;
	int r = limits != NULL && labels != NULL ? bawn_approvals_open(e->b->dirs.state, &a, err) : bawn_fail(err, -ENOMEM, "hold the request");
	if (r < 0)
		return r;
	r = bawn_approval_request(&a, &h, e->approval_id, &e->approval_expires_us, &fresh, err);
	bawn_approvals_done(&a);
	if (r < 0)
		return r;
	bawn_auto_json body = common_of_code(e);
	bool ok = body != NULL;
	bawn_json_set(body, "approval_id", json_string(e->approval_id), &ok);
	bawn_json_set(body, "repeated", json_boolean(!fresh), &ok);
	bawn_json_set(body, "asked_reason", bawn_json_text_or_null(e->checked->reason), &ok);
	bawn_json_set(body, "status", json_string(bawn_status_name(e->status)), &ok);
	bawn_json_set(body, "findings", findings_brief(e->assessment), &ok);
	uint64_t ticket;
	r = ok ? keep_code(e, err) : bawn_fail(err, -ENOMEM, "record the held request");
	if (r == 0)
		r = queue_assessed(e, err);
	if (r == 0)
		r = queue(e, BAWN_RECORD_APPROVAL_REQUESTED, body, &ticket, err);
	if (r == 0)
		r = commit(e, ticket, &e->outcome, err);
	e->has_outcome = r == 0;
	return r;
}

static int queue_override(struct bawn_exec *e, struct bawn_err *err)
{
	if (e->behalf != NULL)
		return queue_override(e->behalf, err);
	if (!e->lift.used || e->override_told)
		return 0;
	e->override_told = true;
	bawn_auto_json body = bawn_override_json(e);
	bool ok = body != NULL && !json_is_null(body);
	bawn_json_set(body, "request_sha256", json_string(e->checked->request_sha256), &ok);
	bawn_json_set(body, "code_sha256", json_string(e->checked->code.sha256), &ok);
	bawn_json_set(body, "level", json_string(bawn_word(&bawn_level_words, (int)e->assessment->level)), &ok);
	bawn_json_set(body, "action", json_string(bawn_word(&bawn_action_words, (int)e->action)), &ok);
	bawn_json_set(body, "approval_id", bawn_json_text_or_null(e->approval_id[0] != '\0' ? e->approval_id : NULL), &ok);
	/* What nobody should run was run: of the overrides these are the ones to count. */
	const char *severity = e->assessment->level == BAWN_LEVEL_BLOCKED ? "CRITICAL" : NULL;
	return ok ? queue_as(e, BAWN_RECORD_OVERRIDE_USED, severity, body, NULL, err) : bawn_fail(err, -ENOMEM, "record the override");
}

static json_t *inputs_json(const struct bawn_checked *c)
{
	json_t *list = json_array();
	bool ok = list != NULL;
	for (size_t i = 0; ok && i < c->n_inputs; i++)
		bawn_json_push(list, json_pack("{s:o, s:s, s:i}", "name", bawn_json_text(bawn_span(c->input[i].name)),
			"sha256", c->input[i].file.sha256, "mode", (int)c->input[i].mode), &ok);
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

/* Names only: values of variables are often secrets. */
static json_t *env_names(const struct bawn_checked *c)
{
	json_t *list = json_array();
	bool ok = list != NULL;
	for (size_t i = 0; ok && i < c->n_env; i++)
		bawn_json_push(list, json_stringn(c->env[i], strcspn(c->env[i], "=")), &ok);
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *text_list(char *const *list, size_t n)
{
	json_t *j = json_array();
	bool ok = j != NULL;
	for (size_t i = 0; ok && i < n; i++)
		bawn_json_push(j, bawn_json_text(bawn_span(list[i])), &ok);
	if (ok)
		return j;
	json_decref(j);
	return NULL;
}

static int record_notice(struct bawn_exec *e, const struct bawn_notice *n, struct bawn_err *err)
{
	struct bawn_receipt receipt;
	uint64_t ticket;
	if (n->body == NULL)
		return 0;
	int r = queue(e, BAWN_RECORD_POLICY_CHANGED, n->body, &ticket, err);
	if (r == 0)
		r = commit(e, ticket, &receipt, err);
	if (r == 0)
		bawn_notice_keep(&e->b->dirs, n);
	return r;
}

/* What was changed by an editor, or by the host's own pip, since the log was told last: acknowledged, and known to the
 * witness, before the intent of what goes by it. */
static int record_noticed(struct bawn_exec *e, struct bawn_err *err)
{
	bawn_auto_notice policy = { 0 }, network = { 0 };
	int r = bawn_policy_notice(&e->b->dirs, e->policy->policy, &policy, err);
	if (r == 0 && e->plan != NULL) {
		bawn_auto_json now = bawn_plan_policy_json(e->plan, e->checked, e->policy->policy);
		r = now != NULL ? bawn_network_notice(&e->b->dirs, now, &network, err) : bawn_fail(err, -ENOMEM, "record the network's policy");
	}
	if (r == 0)
		r = record_notice(e, &policy, err);
	return r == 0 ? record_notice(e, &network, err) : r;
}

int bawn_record_intent(struct bawn_exec *e, struct bawn_err *err)
{
	const struct bawn_checked *c = e->checked;
	bawn_auto_json body = common_of_code(e);
	bool ok = body != NULL;
	bawn_json_set(body, "limits", bawn_limits_record(e), &ok);
	bawn_json_set(body, "backend", json_string(bawn_word(&bawn_backend_words, (int)c->backend)), &ok);
	bawn_json_set(body, "network", json_string(bawn_word(&bawn_network_words, (int)c->network)), &ok);
	bawn_json_set(body, "args", text_list(c->args, c->n_args), &ok);
	bawn_json_set(body, "env", env_names(c), &ok);
	bawn_json_set(body, "stdin_sha256", bawn_json_text_or_null(c->stdin_.fd >= 0 ? c->stdin_.sha256 : NULL), &ok);
	bawn_json_set(body, "inputs", inputs_json(c), &ok);
	bawn_json_set(body, "packages", text_list(c->packages, c->n_packages), &ok);
	bawn_json_set(body, "environment", bawn_json_text_or_null(e->env.lock >= 0 ? e->env.sha256 : NULL), &ok);
	bawn_json_set(body, "policy_sha256", json_string(c->policy_sha256), &ok);
	bawn_json_set(body, "loosened", text_list(e->policy->policy->loosened.item, e->policy->policy->loosened.n), &ok);
	bawn_json_set(body, "slot", json_integer((json_int_t)e->slot), &ok);
	uint64_t from = 0, ticket;
	struct bawn_audit *log;
	int r = bawn_log(e->b, &log, err);
	if (r == 0)
		r = record_noticed(e, err);
	if (r == 0 && log->weakness[0] != '\0') {  /* seen by whoever reads the record, and by whoever ran it */
		bawn_json_set(body, "weakness", bawn_json_text(bawn_span(log->weakness)), &ok);
		bawn_json_push(e->warnings, bawn_json_text(bawn_span(log->weakness)), &ok);
	}
	if (r == 0 && !ok)
		r = bawn_fail(err, -ENOMEM, "record the intent");
	if (r == 0)
		r = keep_code(e, err);
	if (r == 0)
		r = bawn_audit_size(e->b->dirs.audit, &from, err);
	if (r == 0)
		r = bawn_running_mark(e->b->dirs.state, e->id, from, &e->mark_fd, err);
	if (r == 0)
		r = queue_assessed(e, err);
	if (r == 0)
		r = queue_override(e, err);
	if (r == 0)
		r = queue(e, BAWN_RECORD_EXEC_INTENT, body, &ticket, err);
	if (r == 0)
		r = commit(e, ticket, &e->intent, err);
	e->intent_durable = r == 0;
	return r;
}

int bawn_record_env_built(struct bawn_exec *e, const json_t *doc, struct bawn_err *err)
{
	bawn_auto_json body = json_deep_copy(doc);
	bool ok = body != NULL;
	bawn_json_set(body, "request_sha256", json_string(e->checked->request_sha256), &ok);
	bawn_json_set(body, "decision", bawn_decision_json(e), &ok);
	uint64_t ticket;
	struct bawn_receipt receipt;
	int r = ok ? queue(e, BAWN_RECORD_ENV_BUILT, body, &ticket, err) : bawn_fail(err, -ENOMEM, "record the environment");
	return r < 0 ? r : commit(e, ticket, &receipt, err);
}

/* An environment alone was asked for: this is its outcome. */
int bawn_record_env_named(struct bawn_exec *e, struct bawn_err *err)
{
	bawn_auto_json body = common(e);
	bool ok = body != NULL;
	bawn_json_set(body, "name", bawn_json_text(bawn_span(e->checked->build)), &ok);
	bawn_json_set(body, "environment", json_string(e->env.sha256), &ok);
	bawn_json_set(body, "packages", text_list(e->checked->packages, e->checked->n_packages), &ok);
	uint64_t ticket;
	int r = ok ? queue_assessed(e, err) : bawn_fail(err, -ENOMEM, "record the environment");
	if (r == 0)
		r = queue_override(e, err);
	if (r == 0)
		r = queue(e, BAWN_RECORD_ENV_NAMED, body, &ticket, err);
	if (r == 0)
		r = commit(e, ticket, &e->outcome, err);
	e->has_outcome = r == 0;
	return r;
}

/* Containers of runs that died: theirs are the exec.lost records. */
int bawn_record_swept(struct bawn_exec *e, unsigned n, struct bawn_err *err)
{
	bawn_auto_json body = json_pack("{s:s, s:I}", "backend", e->backend->name, "removed", (json_int_t)n);
	return body != NULL ? queue(e, BAWN_RECORD_CONTAINER_SWEPT, body, NULL, err) : bawn_fail(err, -ENOMEM, "record what was swept");
}

int bawn_record_sandbox(struct bawn_exec *e, struct bawn_err *err)
{
	int r = e->container != NULL ? queue(e, BAWN_RECORD_CONTAINER_CREATED, e->container, NULL, err) : 0;
	if (r < 0 || !logs_evidence(e))
		return r;
	bawn_auto_json body = json_pack("{s:s, s:o, s:o, s:I}", "backend", e->backend->name,
		"layers", bawn_walls_json(e), "missing", bawn_missing_json(e),
		"slot", (json_int_t)e->slot);
	return body != NULL ? queue(e, BAWN_RECORD_SANDBOX_CREATED, body, NULL, err) : bawn_fail(err, -ENOMEM, "record the sandbox");
}

static int queue_violations(struct bawn_exec *e, struct bawn_err *err)
{
	size_t i;
	json_t *v;
	json_array_foreach(e->violations, i, v) {
		int r = queue(e, BAWN_RECORD_LIMIT_VIOLATION, v, NULL, err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* One stream, as audit.yaml keep_output says: its hash always, its beginning or all of it if wanted. */
static json_t *stream_json(struct bawn_exec *e, int s)
{
	const char *keep = e->policy->policy->keep_output;
	uint8_t raw[BAWN_SHA256_LEN];
	char hex[BAWN_SHA256_HEX];
	struct bawn_sha256 h = e->out_hash[s];
	bawn_sha256_end(&h, raw);
	bawn_hex(raw, sizeof raw, hex);
	json_t *j = json_pack("{s:I, s:s, s:b}", "bytes", (json_int_t)e->out_bytes[s], "sha256", hex, "truncated", (int)e->truncated[s]);
	bool ok = j != NULL;
	struct bawn_span kept = bawn_buf_span(&e->out[s]);
	const struct bawn_redact how = { .keep_tokens = !e->policy->policy->redact_tokens, .name = e->policy->policy->redact.item,
		.n_names = e->policy->policy->redact.n };
	bawn_auto_buf clean = BAWN_BUF(4 * kept.n + 64);
	if (strcmp(keep, "hash") != 0 && bawn_redact_text(&how, kept, &clean)) {  /* before it is cut: half a token has no shape */
		ok = ok && bawn_buf_error(&clean) == 0;
		kept = bawn_buf_span(&clean);
	}
	if (strcmp(keep, "head") == 0) {
		kept.n = kept.n < KEEP_HEAD_BYTES ? kept.n : KEEP_HEAD_BYTES;
		bawn_json_set(j, "head", bawn_json_text(kept), &ok);
	} else if (strcmp(keep, "full") == 0) {
		char blob[BAWN_SHA256_HEX];
		/* An outcome without its output is worth more than none. */
		bool stored = bawn_audit_blob_put(e->b->dirs.audit, kept, blob, NULL) == 0;
		bawn_json_set(j, "blob", stored ? json_string(blob) : json_null(), &ok);
	}
	if (ok)
		return j;
	json_decref(j);
	return NULL;
}

/* The files that fit, in order; `files_total` beside them says whether some were left out. */
static json_t *files_record(const struct bawn_exec *e)
{
	json_t *list = json_array(), *f;
	bool ok = list != NULL;
	size_t i, bytes = 0;
	json_array_foreach(e->files, i, f) {
		bytes += 120 + 6 * json_string_length(json_object_get(f, "path"));  /* as escaped as can be */
		if (!ok || bytes > KEEP_FILE_BYTES)
			break;
		bawn_json_push(list, json_deep_copy(f), &ok);
	}
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

/* As much of what was observed as may stand in a record, of each list from its beginning; `cut` says whether
 * that is all.  Evidence: the log levels below comprehensive leave it out. */
static json_t *observed_record(const struct bawn_exec *e)
{
	json_t *copy = json_object(), *list, *item;
	const char *key;
	bool ok = copy != NULL, cut = false;
	if (e->observed == NULL || strcmp(e->policy->policy->log_level, "comprehensive") != 0) {
		json_decref(copy);
		return json_null();
	}
	json_object_foreach(e->observed, key, list) {
		json_t *kept = json_is_array(list) ? json_array() : json_deep_copy(list);
		size_t i, bytes = 0;
		json_array_foreach(list, i, item) {
			const json_t *text = json_is_object(item) ? json_object_get(item, "what") : item;
			bytes += 120 + 6 * json_string_length(text);
			cut = cut || bytes > KEEP_OBSERVED_BYTES;
			if (bytes <= KEEP_OBSERVED_BYTES)
				bawn_json_push(kept, json_deep_copy(item), &ok);
		}
		bawn_json_set(copy, key, kept, &ok);
	}
	bawn_json_set(copy, "cut", json_boolean(cut), &ok);
	if (ok)
		return copy;
	json_decref(copy);
	return NULL;
}

static void push_kept(json_t *list, const json_t *stream, bool *ok)
{
	const char *blob = json_string_value(json_object_get(stream, "blob"));
	if (blob != NULL)
		bawn_json_push(list, json_string(blob), ok);
}

/* The outcome's opening: with the bodies of its streams, where they are kept. */
static json_t *common_of_output(const struct bawn_exec *e, const json_t *out, const json_t *err)
{
	if (strcmp(e->policy->policy->keep_output, "full") != 0)
		return common(e);
	bawn_auto_json kept = json_array();
	bool ok = kept != NULL;
	push_kept(kept, out, &ok);
	push_kept(kept, err, &ok);
	return ok ? opening(e, "output_kept", bawn_steal(kept)) : NULL;
}

int bawn_record_outcome(struct bawn_exec *e, struct bawn_err *err)
{
	bawn_auto_json stream_out = stream_json(e, 1), *stream_err = stream_json(e, 2), *body = common_of_output(e, stream_out, stream_err);
	bool ok = body != NULL;
	char at[BAWN_RFC3339_LEN];
	bawn_rfc3339(e->finished_us, at);
	bawn_json_set(body, "finished_at", json_string(at), &ok);
	bawn_json_set(body, "intent_seq", json_integer((json_int_t)e->intent.seq), &ok);
	bawn_json_set(body, "status", json_string(bawn_status_name(e->status)), &ok);
	bawn_json_set(body, "exit_code", e->has_exit ? json_integer(e->exit_code) : json_null(), &ok);
	bawn_json_set(body, "signal", e->signal != 0 ? json_integer(e->signal) : json_null(), &ok);
	bawn_json_set(body, "error", e->error.code != 0 ? json_string(bawn_error_name(e->error.type)) : json_null(), &ok);
	bawn_json_set(body, "usage", bawn_usage_json(&e->usage), &ok);
	bawn_json_set(body, "violations", json_integer((json_int_t)json_array_size(e->violations)), &ok);
	bawn_json_set(body, "denials", json_deep_copy(e->denials), &ok);
	bawn_json_set(body, "observed", observed_record(e), &ok);
	bawn_json_set(body, "network", e->network != NULL ? json_deep_copy(e->network) : json_null(), &ok);
	bawn_json_set(body, "layers", bawn_walls_json(e), &ok);
	bawn_json_set(body, "missing", bawn_missing_json(e), &ok);
	bawn_json_set(body, "stdout", bawn_steal(stream_out), &ok);
	bawn_json_set(body, "stderr", bawn_steal(stream_err), &ok);
	bawn_json_set(body, "files", files_record(e), &ok);
	bawn_json_set(body, "files_total", json_integer((json_int_t)json_array_size(e->files)), &ok);
	if (!ok)
		return bawn_fail(err, -ENOMEM, "record the outcome");
	uint64_t ticket;
	int r = queue_violations(e, err);
	if (r == 0)
		r = queue(e, BAWN_RECORD_EXEC_OUTCOME, body, &ticket, err);
	if (r == 0)
		r = commit(e, ticket, &e->outcome, err);
	e->has_outcome = r == 0;
	if (r == 0)
		bawn_running_clear(e->b->dirs.state, e->id, bawn_take_fd(&e->mark_fd));
	if (r == 0)
		bawn_alerts_disk(e);
	return r;
}
