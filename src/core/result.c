/* result.c - the result document: one shape for every end, every field always there. */
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "core/exec.h"
#include "core/install.h"

static const struct { const char *name; int exit_code; } status_row[] = {
#define BAWN_X(n, t, e, h) [BAWN_STATUS_##n] = { t, e },
	BAWN_STATUSES(BAWN_X)
#undef BAWN_X
};
_Static_assert(BAWN_LEN(status_row) == BAWN_STATUS_COUNT, "one row per status");

const char *bawn_status_name(enum bawn_status s)
{
	return (unsigned)s < BAWN_STATUS_COUNT ? status_row[s].name : "error";
}

int bawn_exit_code(const json_t *result)
{
	const char *status = json_string_value(json_object_get(result, "status"));
	const char *type = json_string_value(json_object_get(json_object_get(result, "error"), "type"));
	if (type != NULL && strcmp(type, bawn_error_name(BAWN_ERROR_INTERPRETER_MISSING)) == 0)
		return 127;
	for (size_t i = 0; status != NULL && i < BAWN_LEN(status_row); i++) {
		if (strcmp(status, status_row[i].name) != 0)
			continue;
		if (status_row[i].exit_code >= 0)
			return status_row[i].exit_code;
		const json_t *code = json_object_get(result, "exit_code"), *sig = json_object_get(result, "signal");
		if (json_is_integer(code))
			return (int)json_integer_value(code);
		return json_is_integer(sig) ? 128 + (int)json_integer_value(sig) : 0;
	}
	return 125;
}

json_t *bawn_layers_json(uint32_t mask)
{
	json_t *list = json_array();
	bool ok = list != NULL;
	for (int i = 0; ok && i < BAWN_LAYER_COUNT; i++)
		if ((mask >> i & 1u) != 0)
			bawn_json_push(list, json_string(bawn_word(&bawn_layer_words, i)), &ok);
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

/* Reporting denials is no wall: it is named only where it is missing. */
json_t *bawn_walls_json(const struct bawn_exec *e)
{
	return bawn_layers_json(e->enforcement.layers & ~BAWN_LAYER_BIT(DENIAL_REPORTING));
}

json_t *bawn_missing_json(const struct bawn_exec *e)
{
	json_t *list = bawn_layers_json(e->enforcement.missing);
	bool ok = list != NULL;
	if (json_array_size(json_object_get(e->container, "vulnerable")) > 0)
		bawn_json_push(list, json_string("patched_runtime"), &ok);
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

/* 2000 -> 2, 500 -> 0.5: a number people read. */
static json_t *milli_json(uint64_t milli)
{
	return milli % 1000 == 0 ? json_integer((json_int_t)(milli / 1000)) : json_real((double)milli / 1000.0);
}

json_t *bawn_limits_json(const struct bawn_exec *e)
{
	if (!e->allocated)
		return json_null();
	struct bawn_net_limits net = bawn_plan_limits(e->policy->policy, e->collector != NULL);
	const struct bawn_limits *l = &e->limits;
	json_t *inputs = json_pack("{s:o, s:i, s:o, s:I, s:I}", "complexity", json_real((double)e->assessment->complexity.milli / 1000.0),
		"lines", (int)e->assessment->complexity.lines, "host_cpus", milli_json(e->host.cpus_milli),
		"available_bytes", (json_int_t)e->host.memory_available, "running", (json_int_t)e->running);
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:O}", "cpus", milli_json(l->cpus_milli),
		"memory_bytes", (json_int_t)l->memory_bytes, "timeout_ms", (json_int_t)l->timeout_ms, "cpu_ms", (json_int_t)l->cpu_ms,
		"pids", (json_int_t)l->pids, "disk_bytes", (json_int_t)l->disk_bytes, "inodes", (json_int_t)l->inodes,
		"open_files", (json_int_t)l->open_files, "output_bytes", (json_int_t)l->output_bytes,
		"network", bawn_plan_json(e->plan, e->checked, &net), "inputs", inputs, "reasons", e->reasons);
}

/* The same for the log, which knows whole numbers only. */
json_t *bawn_limits_record(const struct bawn_exec *e)
{
	json_t *j = bawn_limits_json(e), *inputs = json_object_get(j, "inputs");
	bool ok = json_is_object(j) && json_is_object(inputs);
	(void)json_object_del(j, "cpus");
	(void)json_object_del(inputs, "complexity");
	(void)json_object_del(inputs, "host_cpus");
	bawn_json_set(j, "cpus_milli", json_integer((json_int_t)e->limits.cpus_milli), &ok);
	bawn_json_set(inputs, "complexity_milli", json_integer((json_int_t)e->assessment->complexity.milli), &ok);
	bawn_json_set(inputs, "host_cpus_milli", json_integer((json_int_t)e->host.cpus_milli), &ok);
	if (ok)
		return j;
	json_decref(j);
	return NULL;
}

json_t *bawn_override_json(const struct bawn_exec *e)
{
	if (!e->lift.used)
		return json_null();
	return json_pack("{s:O, s:o, s:s, s:s}", "by", e->lift.by, "reason", bawn_json_text(bawn_span(e->lift.reason)),
		"at", e->lift.at, "assurance", bawn_word(&bawn_assurance_words, (int)e->lift.assurance));
}

json_t *bawn_decision_json(const struct bawn_exec *e)
{
	if (!e->decided)
		return json_null();
	return json_pack("{s:s, s:o, s:o, s:o}", "action", bawn_word(&bawn_action_words, (int)e->action),
		"approval_id", bawn_json_text_or_null(e->approval_id[0] != '\0' ? e->approval_id : NULL),
		"assurance", e->lift.used ? json_string(bawn_word(&bawn_assurance_words, (int)e->lift.assurance)) : json_null(),
		"override", bawn_override_json(e));
}

json_t *bawn_usage_json(const struct bawn_usage *u)
{
	return json_pack("{s:I, s:o, s:o, s:o, s:I, s:I}", "wall_ms", (json_int_t)(u->wall_us / 1000), "cpu_ms", u->has_cpu || u->wall_us == 0 ? json_integer((json_int_t)(u->cpu_us / 1000)) : json_null(),
		"peak_memory_bytes", u->has_memory || u->wall_us == 0 ? json_integer((json_int_t)u->peak_memory_bytes) : json_null(),
		"peak_pids", u->has_peak_pids ? json_integer((json_int_t)u->peak_pids) : json_null(),
		"disk_bytes", (json_int_t)u->disk_bytes, "samples", (json_int_t)u->samples);
}

static json_t *error_json(const struct bawn_err *err)
{
	if (err->code == 0)
		return json_null();
	return json_pack("{s:s, s:o, s:o, s:o}", "type", bawn_error_name(err->type), "message", bawn_json_text(bawn_span(err->msg)),
		"hint", bawn_json_text_or_null(bawn_error_hint(err->type)),
		"field", bawn_json_text_or_null(err->field[0] != '\0' ? err->field : NULL));
}

static json_t *finding_json(const struct bawn_finding *f)
{
	return json_pack("{s:s, s:s, s:o, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:i}", "rule", f->rule,
		"level", bawn_word(&bawn_level_words, (int)f->level), "path", bawn_json_text_or_null(f->path),
		"line", (int)f->line, "column", (int)f->column, "end_line", (int)f->end_line, "end_column", (int)f->end_column,
		"cwe", f->cwe != 0 ? json_integer(f->cwe) : json_null(), "message", bawn_json_text_or_null(f->message),
		"why", bawn_json_text_or_null(f->why), "fix", bawn_json_text_or_null(f->fix), "folded", bawn_json_text_or_null(f->folded),
		"score", (int)f->score);
}

/* How level and score came about: the findings' scores sum up to the score; the level is the higher of the
 * strongest finding's and the highest threshold the score reaches. */
static json_t *scoring_json(const struct bawn_assessment *a, const struct bawn_policy *p)
{
	return json_pack("{s:s, s:{s:I, s:I, s:I}}", "strongest", bawn_word(&bawn_level_words, (int)a->strongest), "thresholds",
		"MEDIUM", (json_int_t)p->medium_score, "HIGH", (json_int_t)p->high_score, "BLOCKED", (json_int_t)p->blocked_score);
}

int bawn_assessment_json(const struct bawn_assessment *a, const struct bawn_policy *p, struct bawn_span code,
                         json_t **out, struct bawn_err *err)
{
	char sha[BAWN_SHA256_HEX], at[BAWN_RFC3339_LEN], version[BAWN_RULES_VERSION_LEN];
	bawn_sha256_hex(code, sha);
	bawn_rfc3339(bawn_wall_us(), at);
	bawn_auto_json findings = json_array(), *caps = json_array(), *recs = json_array();
	bool ok = findings != NULL && caps != NULL && recs != NULL;
	for (size_t i = 0; ok && i < a->n_findings; i++)
		bawn_json_push(findings, finding_json(&a->finding[i]), &ok);
	for (int i = 0; ok && i < BAWN_CAP_COUNT; i++)
		if ((a->capabilities >> i & 1u) != 0)
			bawn_json_push(caps, json_string(bawn_word(&bawn_capability_words, i)), &ok);
	for (size_t i = 0; ok && i < a->n_recommendations; i++)
		bawn_json_push(recs, bawn_json_text(bawn_span(a->recommendation[i])), &ok);
	json_t *j = !ok ? NULL : json_pack("{s:s, s:I, s:o, s:s, s:b, s:s, s:s, s:s, s:I, s:s, s:O, s:O, s:O}",
		"level", bawn_word(&bawn_level_words, (int)a->level), "score", (json_int_t)a->score,
		"scoring", scoring_json(a, p), "language", bawn_language[a->language].name, "parse_ok", (int)a->parse_ok, "rules_version", bawn_rules_version_of(p, version),
		"code_sha256", sha, "assessed_at", at, "elapsed_us", (json_int_t)a->elapsed_us,
		"decision", bawn_word(&bawn_action_words, p->decision[a->level]),
		"findings", findings, "capabilities", caps, "recommendations", recs);
	if (j == NULL)
		return bawn_fail(err, -ENOMEM, "write the assessment");
	*out = j;
	return 0;
}

static void put_stream(json_t *doc, const struct bawn_exec *e, int s, const char *name, const char *name64, bool *ok)
{
	struct bawn_span bytes = bawn_buf_span(&e->out[s]);
	bawn_json_set(doc, name, bawn_json_text(bytes), ok);
	if (bytes.n > 0 && bawn_utf8_bad(bytes) < bytes.n)
		bawn_json_set(doc, name64, bawn_json_base64(bytes), ok);
}

/* Who it was; the log has the rest. */
static json_t *container_json(const struct bawn_exec *e)
{
	static const char *const key[] = { "id", "image", "runtime", "versions", "vulnerable" };
	json_t *j = e->container != NULL ? json_object() : json_null();
	bool ok = j != NULL;
	for (size_t i = 0; e->container != NULL && i < BAWN_LEN(key); i++)
		bawn_json_set(j, key[i], json_incref(json_object_get(e->container, key[i])), &ok);
	if (ok)
		return j;
	json_decref(j);
	return NULL;
}

static json_t *enforcement_json(const struct bawn_exec *e)
{
	return json_pack("{s:s, s:o, s:o, s:o}", "backend", e->backend != NULL ? e->backend->name : "native",
		"layers", bawn_walls_json(e), "missing", bawn_missing_json(e), "container", container_json(e));
}

static json_t *audit_json(const struct bawn_exec *e)
{
	return json_pack("{s:o, s:o, s:o, s:o}",
		"intent_seq", e->intent_durable ? json_integer((json_int_t)e->intent.seq) : json_null(),
		"outcome_seq", e->has_outcome ? json_integer((json_int_t)e->outcome.seq) : json_null(),
		"hash", e->has_outcome ? json_string(e->outcome.hash) : json_null(),
		"log_size", e->has_outcome ? json_integer((json_int_t)e->outcome.log_size) : json_null());
}

static json_t *timing_json(const struct bawn_exec *e)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "assess_us", (json_int_t)e->t_assess, "queue_us", (json_int_t)e->t_queue,
		"start_us", (json_int_t)e->t_start, "run_us", (json_int_t)e->t_run, "record_us", (json_int_t)e->t_record,
		"total_us", (json_int_t)e->t_total);
}

static json_t *text_at(uint64_t us)
{
	char at[BAWN_RFC3339_LEN];
	bawn_rfc3339(us, at);
	return json_string(at);
}

int bawn_exec_document(const struct bawn_exec *e, json_t **out, struct bawn_err *err)
{
	bawn_auto_json doc = json_object();
	bool ok = doc != NULL;
#define SET(key, value) bawn_json_set(doc, key, value, &ok)
	SET("v", json_integer(1));
	SET("id", json_string(e->id));
	SET("mode", json_string("embedded"));
	SET("request_sha256", bawn_json_text_or_null(e->checked != NULL ? e->checked->request_sha256 : NULL));
	SET("started_at", text_at(e->started_us));
	SET("finished_at", text_at(e->finished_us));
	SET("labels", e->checked != NULL ? json_deep_copy(e->checked->labels_json) : json_object());
	SET("session", bawn_json_text_or_null(e->checked != NULL ? e->checked->session : NULL));
	SET("status", json_string(bawn_status_name(e->status)));
	SET("exit_code", e->has_exit ? json_integer(e->exit_code) : json_null());
	SET("signal", e->signal != 0 ? json_integer(e->signal) : json_null());
	put_stream(doc, e, 1, "stdout", "stdout_base64", &ok);
	put_stream(doc, e, 2, "stderr", "stderr_base64", &ok);
	SET("truncated", json_pack("{s:b, s:b}", "stdout", (int)e->truncated[1], "stderr", (int)e->truncated[2]));
	SET("warnings", json_deep_copy(e->warnings));
	SET("error", error_json(&e->error));
	SET("assessment", e->assessment_json != NULL ? json_deep_copy(e->assessment_json) : json_null());
	SET("decision", bawn_decision_json(e));
	SET("trust_level", e->decided ? json_string(bawn_word(&bawn_trust_words, (int)e->trust)) : json_null());
	SET("limits", bawn_limits_json(e));
	SET("usage", bawn_usage_json(&e->usage));
	SET("denials", json_deep_copy(e->denials));
	SET("observed", e->observed != NULL ? json_deep_copy(e->observed) : json_null());
	SET("environment", bawn_install_json(e));
	SET("enforcement", enforcement_json(e));
	SET("files", json_deep_copy(e->files));
	SET("skipped_files", json_deep_copy(e->skipped));
	SET("audit", audit_json(e));
	SET("timing", timing_json(e));
#undef SET
	if (!ok)
		return bawn_fail(err, -ENOMEM, "write the result");
	*out = bawn_steal(doc);
	return 0;
}

json_t *bawn_failed_document(const struct bawn_err *why)
{
	json_t *doc = NULL;
	struct bawn_exec *e = calloc(1, sizeof *e);
	if (e == NULL)
		return NULL;
	e->slot_fd = e->mark_fd = e->epoll = e->cancel = e->watch = e->timer = -1;
	e->slots = (struct bawn_slots){ -1, -1 };
	e->env = BAWN_ENV_NONE;
	e->status = why->type == BAWN_ERROR_CANCELLED ? BAWN_STATUS_CANCELLED : why->type == BAWN_ERROR_BUSY ? BAWN_STATUS_BUSY : BAWN_STATUS_ERROR;
	e->error = *why;
	e->started_us = e->finished_us = bawn_wall_us();
	if (bawn_exec_lists(e) && bawn_ulid_new(e->id, NULL) == 0)
		(void)!bawn_exec_document(e, &doc, NULL);
	bawn_exec_free(e);
	return doc;
}
