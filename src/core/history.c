/* history.c - what the log tells afterwards: past executions, and a report over a time. */
#include <inttypes.h>
#include <stdlib.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "core/handle.h"

static const char *text_of(const json_t *o, const char *key)
{
	const char *v = json_string_value(json_object_get(o, key));
	return v != NULL ? v : "";
}

static json_t *copy_of(const json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);
	return v != NULL ? json_deep_copy(v) : json_null();
}

static json_t *row_json(const json_t *rec)
{
	const json_t *body = json_object_get(rec, "body"), *usage = json_object_get(body, "usage");
	const json_t *decision = json_object_get(body, "decision");
	const char *type = text_of(rec, "type");
	json_t *row = json_object();
	bool ok = row != NULL;
#define SET(key, value) bawn_json_set(row, key, value, &ok)
	SET("id", copy_of(rec, "exec"));
	SET("started_at", copy_of(body, "started_at"));
	SET("level", copy_of(body, "level"));
	SET("score", copy_of(body, "score"));
	SET("decision", copy_of(decision, "action"));
	SET("override", copy_of(decision, "override"));
	SET("trust_level", copy_of(body, "trust_level"));
	SET("status", copy_of(body, "status"));
	SET("exit_code", copy_of(body, "exit_code"));
	SET("wall_ms", copy_of(usage, "wall_ms"));
	SET("peak_memory_bytes", copy_of(usage, "peak_memory_bytes"));
	SET("violations", json_is_integer(json_object_get(body, "violations")) ? copy_of(body, "violations") : json_integer(0));
	SET("code_sha256", copy_of(body, "code_sha256"));
	SET("labels", copy_of(body, "labels"));
	SET("session", copy_of(rec, "session"));
	SET("lost", json_boolean(strcmp(type, bawn_record_name(BAWN_RECORD_EXEC_LOST)) == 0));
	SET("seq", copy_of(rec, "seq"));
#undef SET
	if (ok)
		return row;
	json_decref(row);
	return NULL;
}

static bool differs(const char *want, const char *got) { return want != NULL && strcmp(want, got) != 0; }

struct history { const struct bawn_history_filter *f; uint64_t limit; json_t *rows; bool ok; };

static bool wanted(const struct bawn_history_filter *f, const struct bawn_entry *e)
{
	const json_t *body = json_object_get(e->json, "body");
	if (e->ts_us < f->since_us || (f->until_us != 0 && e->ts_us > f->until_us) || !bawn_record_ends(text_of(e->json, "type")))
		return false;
	if (differs(f->level, text_of(body, "level")) || differs(f->status, text_of(body, "status")) ||
	    differs(f->session, text_of(e->json, "session")))
		return false;
	return f->id == NULL || strncasecmp(text_of(e->json, "exec"), f->id, strlen(f->id)) == 0;
}

static int history_entry(void *ctx, const struct bawn_entry *e)
{
	struct history *h = ctx;
	if (e == NULL) {
		(void)json_array_clear(h->rows);
		return 0;
	}
	if (!wanted(h->f, e))
		return 0;
	bawn_json_push(h->rows, row_json(e->json), &h->ok);
	return !h->ok ? -ENOMEM : json_array_size(h->rows) >= h->limit;
}

int bawn_get_execution_history(struct bawn *b, const struct bawn_history_filter *f, struct bawn_result **out, struct bawn_err *err)
{
	struct bawn_history_filter filter = { .size = sizeof filter };
	if (b == NULL || out == NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "a handle and a place for the result are needed");
	int r = f != NULL ? bawn_options_copy(&filter, sizeof filter, f, sizeof f->size, err) : 0;
	if (r < 0)
		return r;
	bawn_auto_json rows = json_array();
	struct history h = { &filter, filter.limit != 0 ? filter.limit : 50, rows, rows != NULL };
	const struct bawn_find find = { .since_us = filter.since_us, .until_us = filter.until_us, .level = filter.level, .status = filter.status,
		.session = filter.session, .exec = filter.id, .ends = true };
	r = h.ok ? bawn_audit_find(b->dirs.audit, b->dirs.indexer, &find, history_entry, &h, err) : -ENOMEM;
	if (r == -ENOENT)
		r = 0;  /* no log yet: nothing has happened */
	if (r < 0)
		return h.ok ? r : bawn_fail(err, -ENOMEM, "list the history");
	return bawn_result_take(bawn_steal(rows), out, err);
}

/* --- report ---------------------------------------------------------------------------------- */

struct report {
	uint64_t from, to, total, violations;
	json_t *by_type, *by_level, *by_status, *overrides, *rules;
	bool ok, backwards;  /* entries come newest first */
};

static int forget(struct report *r)
{
	r->total = r->violations = 0;
	json_t *const all[] = { r->by_type, r->by_level, r->by_status, r->rules };
	for (size_t i = 0; i < BAWN_LEN(all); i++)
		(void)json_object_clear(all[i]);
	(void)json_array_clear(r->overrides);
	return 0;
}

static void count(json_t *object, const char *key, bool *ok)
{
	if (key[0] != '\0')
		bawn_json_set(object, key, json_integer(json_integer_value(json_object_get(object, key)) + 1), ok);
}

static void count_rules(struct report *r, const json_t *body)
{
	size_t i;
	json_t *f;
	json_array_foreach(json_object_get(body, "findings"), i, f)
		count(r->rules, text_of(f, "rule"), &r->ok);
}

static void note_override(struct report *r, const struct bawn_entry *e, const json_t *body)
{
	json_t *o = json_deep_copy(body);
	bool ok = o != NULL;
	bawn_json_set(o, "exec", copy_of(e->json, "exec"), &ok);
	bawn_json_set(o, "seq", json_integer((json_int_t)e->seq), &ok);
	if (!ok)
		json_decref(o);
	r->ok = ok && json_array_insert_new(r->overrides, r->backwards ? 0 : json_array_size(r->overrides), o) == 0 && r->ok;
}

static int report_entry(void *ctx, const struct bawn_entry *e)
{
	struct report *r = ctx;
	if (e == NULL)
		return forget(r);
	if (e->ts_us < r->from || e->ts_us > r->to)
		return 0;
	const char *type = text_of(e->json, "type");
	const json_t *body = json_object_get(e->json, "body");
	r->total++;
	count(r->by_type, type, &r->ok);
	if (strcmp(type, bawn_record_name(BAWN_RECORD_ASSESS_DONE)) == 0)
		count_rules(r, body);
	if (bawn_record_ends(type)) {
		count(r->by_level, text_of(body, "level"), &r->ok);
		count(r->by_status, text_of(body, "status"), &r->ok);
	}
	if (strcmp(type, bawn_record_name(BAWN_RECORD_LIMIT_VIOLATION)) == 0)
		r->violations++;
	if (strcmp(type, bawn_record_name(BAWN_RECORD_OVERRIDE_USED)) == 0)
		note_override(r, e, body);
	return r->ok ? 0 : -ENOMEM;
}

/* Of a log that is whole the part that is asked for; of another as much as can be read from its beginning on. */
static int read_for_report(const struct bawn_dirs *d, bool whole, struct report *r, struct bawn_err *err)
{
	r->backwards = whole && r->from > 0;
	return r->backwards ? bawn_audit_find(d->audit, d->indexer, &(struct bawn_find){ .since_us = r->from, .until_us = r->to }, report_entry, r, err)
	                    : bawn_audit_walk(d->audit, 0, report_entry, r, err);
}

struct rule_count { const char *rule; json_int_t n; };
static int by_count(const void *a, const void *b)
{
	const struct rule_count *x = a, *y = b;
	return x->n != y->n ? (x->n < y->n ? 1 : -1) : strcmp(x->rule, y->rule);
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* The same members by name: in which order they were met says nothing.  NULL: no memory. */
static json_t *in_order(const json_t *counts)
{
	size_t n = json_object_size(counts), i = 0;
	bawn_auto_free const char **name = calloc(n + 1, sizeof *name);
	json_t *out = json_object();
	bool ok = name != NULL && out != NULL;
	const char *key;
	json_t *v;
	if (ok)
		json_object_foreach((json_t *)(uintptr_t)counts, key, v)
			name[i++] = key;
	if (n > 1 && ok)
		qsort(name, n, sizeof *name, by_name);
	for (i = 0; ok && i < n; i++)
		bawn_json_set(out, name[i], json_incref(json_object_get(counts, name[i])), &ok);
	if (ok)
		return out;
	json_decref(out);
	return NULL;
}

static json_t *top_rules(json_t *counts)
{
	size_t n = json_object_size(counts), i = 0;
	bawn_auto_free struct rule_count *row = calloc(n + 1, sizeof *row);
	json_t *list = json_array();
	bool ok = row != NULL && list != NULL;
	const char *key;
	json_t *v;
	if (ok) {
		json_object_foreach(counts, key, v)
			row[i++] = (struct rule_count){ key, json_integer_value(v) };
		if (n > 1)
			qsort(row, n, sizeof *row, by_count);
	}
	for (i = 0; ok && i < n && i < 10; i++)
		bawn_json_push(list, json_pack("{s:s, s:I}", "rule", row[i].rule, "count", row[i].n), &ok);
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

static int integrity(const struct bawn_dirs *d, json_t **out, struct bawn_err *err)
{
	struct bawn_audit_report v = { 0 };
	char witness[544];
	(void)bawn_log_witness(d, witness, sizeof witness);
	int r = bawn_audit_verify(d->audit, &(struct bawn_audit_verify_options){ .skim = true, .witness = witness, .witness_may = true }, &v, err);
	if (r == -ENOENT) {
		v.ok = true;  /* no log yet */
		r = 0;
	}
	if (r < 0)
		return r;
	*out = json_pack("{s:b, s:I, s:I, s:s, s:s, s:s}", "ok", (int)v.ok, "entries", (json_int_t)v.entries,
		"verified_to", (json_int_t)v.verified_to, "head_hash", v.head_hash, "anchor", v.anchor[0] != '\0' ? v.anchor : "none", "problem", v.problem);
	return *out != NULL ? 0 : bawn_fail(err, -ENOMEM, "verify the log");
}

int bawn_get_audit_report(struct bawn *b, uint64_t since_us, uint64_t until_us, struct bawn_result **out, struct bawn_err *err)
{
	if (b == NULL || out == NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "a handle and a place for the result are needed");
	uint64_t now = bawn_wall_us();
	bawn_auto_json by_type = json_object(), *by_level = json_object(), *by_status = json_object(), *overrides = json_array(),
		*rules = json_object(), *sound = NULL;
	struct report r = { since_us, until_us != 0 ? until_us : now, 0, 0, by_type, by_level, by_status, overrides, rules,
		by_type != NULL && by_level != NULL && by_status != NULL && overrides != NULL && rules != NULL };
	int rc = r.ok ? integrity(&b->dirs, &sound, err) : -ENOMEM;
	if (rc < 0)
		return r.ok ? rc : bawn_fail(err, -ENOMEM, "report");
	const bool whole = json_is_true(json_object_get(sound, "ok"));
	struct bawn_err why = { 0 };
	rc = read_for_report(&b->dirs, whole, &r, &why);
	if (rc < 0 && !r.ok)
		return bawn_fail(err, -ENOMEM, "report");
	/* A log that does not verify still gives a report of what could be read; integrity says so.  One that does and cannot
	 * be read gives none: it would say too little. */
	if (rc < 0 && rc != -ENOENT && whole) {
		if (err != NULL)
			*err = why;
		return bawn_wrap(err, rc, "report");
	}
	bawn_auto_json types = in_order(by_type), *levels = in_order(by_level), *statuses = in_order(by_status);
	char from[BAWN_RFC3339_LEN], to[BAWN_RFC3339_LEN], at[BAWN_RFC3339_LEN];
	bawn_rfc3339(r.from, from);
	bawn_rfc3339(r.to, to);
	bawn_rfc3339(now, at);
	json_t *doc = json_pack("{s:s, s:s, s:s, s:I, s:O, s:O, s:O, s:I, s:O, s:o, s:O}", "from", from, "to", to, "generated_at", at,
		"total", (json_int_t)r.total, "by_type", types, "by_level", levels, "by_status", statuses,
		"violations", (json_int_t)r.violations, "overrides", overrides, "top_rules", top_rules(rules), "integrity", sound);
	return doc != NULL ? bawn_result_take(doc, out, err) : bawn_fail(err, -ENOMEM, "report");
}
