/* api.c - the public functions that are not an execution: open and close, approvals, policy. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "core/changed.h"
#include "core/envs.h"
#include "core/handle.h"
#include "core/packages.h"
#include "core/request.h"
#include "core/running.h"
#include "native/native.h"

struct bawn_result { json_t *doc; char *text; };

const char *bawn_version(void) { return BAWN_VERSION; }

/* --- results --------------------------------------------------------------------------------- */

int bawn_result_take(json_t *doc_stolen, struct bawn_result **out, struct bawn_err *err)
{
	bawn_auto_json doc = doc_stolen;
	bawn_auto_buf text = BAWN_BUF(512u << 20);
	int r = bawn_json_put(&text, doc, err);
	if (r < 0)
		return r;
	struct bawn_result *res = calloc(1, sizeof *res);
	char *p = res != NULL ? bawn_buf_steal(&text) : NULL;
	if (p == NULL) {
		free(res);
		return bawn_fail(err, -ENOMEM, "write the result");
	}
	*res = (struct bawn_result){ bawn_steal(doc), p };
	*out = res;
	return 0;
}

const char *bawn_result_json(const struct bawn_result *r) { return r != NULL ? r->text : ""; }

const char *bawn_result_status(const struct bawn_result *r)
{
	const char *s = r != NULL ? json_string_value(json_object_get(r->doc, "status")) : NULL;
	return s != NULL ? s : "";
}

void bawn_result_free(struct bawn_result *r)
{
	if (r == NULL)
		return;
	json_decref(r->doc);
	free(r->text);
	free(r);
}

/* --- the handle ------------------------------------------------------------------------------ */

struct bawn_policy_ref *bawn_policy_hold(struct bawn *b)
{
	(void)pthread_mutex_lock(&b->lock);
	struct bawn_policy_ref *r = b->policy;
	(void)atomic_fetch_add(&r->refs, 1);
	(void)pthread_mutex_unlock(&b->lock);
	return r;
}

void bawn_policy_drop(struct bawn_policy_ref *r)
{
	if (r == NULL || atomic_fetch_sub(&r->refs, 1) != 1)
		return;
	bawn_policy_free(r->policy);
	free(r);
}

static int load_policy(const struct bawn_dirs *d, struct bawn_policy_ref **out, struct bawn_err *err)
{
	struct bawn_policy_ref *r = calloc(1, sizeof *r);
	if (r == NULL)
		return bawn_fail(err, -ENOMEM, "load the policy");
	atomic_init(&r->refs, 1);
	int rc = bawn_policy_load(&d->policy, &r->policy, NULL, err);
	if (rc < 0) {
		free(r);
		return rc;
	}
	*out = r;
	return 0;
}

const struct bawn_dirs *bawn_dirs_of(const struct bawn *b) { return &b->dirs; }

int bawn_options_copy(void *to, size_t to_size, const void *from, size_t least, struct bawn_err *err)
{
	size_t size;
	memcpy(&size, from, sizeof size);
	if (size < least || size > 4096 || size % sizeof(void *) != 0)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "size", "the struct does not say its own size");
	for (size_t i = to_size; i < size; i++)
		if (((const char *)from)[i] != 0)
			return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "size", "a field is set that this version does not know");
	memcpy(to, from, size < to_size ? size : to_size);
	return 0;
}

static int open_handle(const struct bawn_options *options, bool to_run, struct bawn **out, struct bawn_err *err)
{
	struct bawn_options o = { .size = sizeof o };
	if (out == NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "a place for the handle is needed");
	int r = options != NULL ? bawn_options_copy(&o, sizeof o, options, sizeof o.size, err) : 0;
	if (r < 0)
		return r;
	struct bawn *b = calloc(1, sizeof *b);
	if (b == NULL)
		return bawn_fail(err, -ENOMEM, "open");
	snprintf(b->via, sizeof b->via, "%s", o.via != NULL ? o.via : "c");
	if (gethostname(b->node, sizeof b->node - 1) < 0)
		snprintf(b->node, sizeof b->node, "unknown");
	(void)pthread_mutex_init(&b->lock, NULL);
	r = bawn_dirs_find(&o, &b->dirs, err);
	if (r == 0 && to_run)
		(void)!bawn_native_backend.open(b->dirs.launcher, &b->spare, NULL);  /* tried again, with words, when it is needed */
	if (r == 0)
		r = load_policy(&b->dirs, &b->policy, err);
	if (r < 0) {
		bawn_close(b);
		return r;
	}
	*out = b;
	return 0;
}

int bawn_open(const struct bawn_options *options, struct bawn **out, struct bawn_err *err)
{
	return open_handle(options, false, out, err);
}

int bawn_open_to_run(const struct bawn_options *options, struct bawn **out, struct bawn_err *err)
{
	return open_handle(options, true, out, err);
}

struct bawn_sandbox *bawn_spare(struct bawn *b)
{
	(void)pthread_mutex_lock(&b->lock);
	struct bawn_sandbox *s = b->spare;
	b->spare = NULL;
	(void)pthread_mutex_unlock(&b->lock);
	return s;
}

void bawn_close(struct bawn *b)
{
	if (b == NULL)
		return;
	(void)bawn_native_backend.release(b->spare);
	if (b->audit != NULL)
		b->audit->ops->close(b->audit);
	bawn_policy_drop(b->policy);
	(void)pthread_mutex_destroy(&b->lock);
	free(b);
}

/* --- the log --------------------------------------------------------------------------------- */

static int open_log(struct bawn *b, struct bawn_err *err)
{
	int r = bawn_make_dirs(b->dirs.state, 0700, err);
	if (r < 0) {
		if (err != NULL && err->type == BAWN_ERROR_INTERNAL)
			err->type = BAWN_ERROR_STATE_UNWRITABLE;
		return bawn_wrap(err, r, "make the state directory");
	}
	struct bawn_audit_options o;
	r = bawn_log_options(&b->dirs, b->policy->policy, b->node, &o, err);
	return r < 0 ? r : bawn_audit_open(b->dirs.audit, &o, &b->audit, err);
}

int bawn_log(struct bawn *b, struct bawn_audit **out, struct bawn_err *err)
{
	(void)pthread_mutex_lock(&b->lock);
	int r = b->audit != NULL ? 0 : open_log(b, err);
	if (r == 0 && !b->swept) {
		unsigned lost = 0;
		r = bawn_running_sweep(b->dirs.state, b->dirs.audit, b->audit, &lost, err);
		b->swept = r == 0;
	}
	if (r == 0)
		*out = b->audit;
	(void)pthread_mutex_unlock(&b->lock);
	return r;
}

/* --- assessment alone ------------------------------------------------------------------------ */

int bawn_assess_code_only(struct bawn *b, const struct bawn_request *req, struct bawn_result **out, struct bawn_err *err)
{
	if (b == NULL || req == NULL || out == NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "a handle, a request and a place for the result are needed");
	struct bawn_request copy = { 0 };
	int r = bawn_options_copy(&copy, sizeof copy, req, offsetof(struct bawn_request, language), err);
	if (r < 0)
		return r;
	struct bawn_policy_ref *p = bawn_policy_hold(b);
	struct bawn_checked *c = NULL;
	struct bawn_assessment *a = NULL;
	json_t *doc = NULL;
	r = bawn_request_check(&copy, p->policy, &(struct bawn_asker){ .via = b->via }, &c, err);
	if (r == 0) {
		struct bawn_assess_file f = { NULL, (int)c->language, c->code.bytes };
		r = bawn_assess(&f, 1, p->policy, &a, err);
	}
	if (r == 0)
		r = bawn_assessment_json(a, p->policy, c->code.bytes, &doc, err);
	bawn_assessment_free(a);
	bawn_checked_free(c);
	bawn_policy_drop(p);
	return r < 0 ? r : bawn_result_take(doc, out, err);
}

/* --- policy ---------------------------------------------------------------------------------- */

struct changing { struct bawn *b; json_t *recorded; };

/* Before the change is made: one that is in force is in the log. */
static int record_policy(void *ctx, const json_t *change, struct bawn_err *err)
{
	struct changing *c = ctx;
	struct bawn *b = c->b;
	struct bawn_audit *log = NULL;
	struct bawn_receipt receipt = { 0 };
	int r = bawn_log(b, &log, err);
	if (r < 0)
		return r;
	bawn_auto_json who = bawn_principal_json(b->via);
	if (who == NULL)
		return bawn_fail(err, -ENOMEM, "record the policy");
	struct bawn_policy_ref *p = bawn_policy_hold(b);  /* the one that is in force until then */
	struct bawn_record rec = { .type = BAWN_RECORD_POLICY_CHANGED, .principal = who, .body = change,
		.redact = p->policy->redact.item, .n_redact = p->policy->redact.n };
	r = bawn_audit_put(log, &rec, &receipt, err);
	bawn_policy_drop(p);
	/* Also where that failed: the entry is there when only its witness could not be told, and may be after an I/O error. */
	if (r == 0 || receipt.log_size > 0 || err == NULL || err->type == BAWN_ERROR_AUDIT_FAILED)
		c->recorded = json_deep_copy(change);
	return r < 0 ? bawn_wrap(err, r, "the policy was not changed, since that cannot be recorded") : 0;
}

/* What was recorded did not come about: the log must not say that it is in force. */
static void take_back(struct bawn *b, json_t *change)
{
	struct changing again = { .b = b };
	bool ok = true;
	bawn_json_set(change, "undone", json_true(), &ok);
	(void)!record_policy(&again, change, NULL);  /* best effort: the error that led here is told */
	json_decref(again.recorded);
}

/* What an editor changed before, also since this handle read it: it is no part of what is changed now. */
static int record_noticed(struct bawn *b, struct bawn_err *err)
{
	struct bawn_policy_ref *p = NULL;
	struct changing found = { .b = b };
	bawn_auto_notice n = { 0 };
	int r = load_policy(&b->dirs, &p, err);
	if (r < 0)
		return r;
	r = bawn_policy_notice(&b->dirs, p->policy, &n, err);
	if (r == 0 && n.body != NULL)
		r = record_policy(&found, n.body, err);
	if (r == 0)
		bawn_notice_keep(&b->dirs, &n);
	json_decref(found.recorded);
	bawn_policy_drop(p);
	return r;
}

/* What is in force now was recorded when it was set. */
static void note_policy(const struct bawn *b, const struct bawn_policy *p)
{
	bawn_auto_notice n = { 0 };
	if (bawn_policy_notice(&b->dirs, p, &n, NULL) == 0)
		bawn_notice_keep(&b->dirs, &n);
}

/* Where a change is written: the directory that was named, else the user's own, else /etc/bawn. */
static const char *policy_target(const struct bawn_dirs *d)
{
	if (d->config[0] != '\0')
		return d->config;
	return geteuid() == 0 || d->config_user[0] == '\0' ? "/etc/bawn" : d->config_user;
}

int bawn_configure_policies(struct bawn *b, const char *document, size_t size, struct bawn_result **out, struct bawn_err *err)
{
	if (b == NULL || document == NULL || out == NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "a handle, a document and a place for the result are needed");
	/* A change that cannot be recorded is not made. */
	struct bawn_audit *log;
	int r = bawn_log(b, &log, err);
	if (r < 0)
		return r;
	r = record_noticed(b, err);
	if (r < 0)
		return r;
	bawn_auto_json change = NULL;
	struct bawn_err why = { 0 };
	struct changing c = { .b = b };
	r = bawn_policy_set_recorded(&b->dirs.policy, policy_target(&b->dirs), (struct bawn_span){ document, size }, record_policy, &c, &change, &why);
	bawn_auto_json recorded = c.recorded;
	if (r < 0 && recorded != NULL)
		take_back(b, recorded);
	if (r < 0 && change != NULL && why.type == BAWN_ERROR_CONFIG_INVALID)
		return bawn_result_take(bawn_steal(change), out, err);  /* its `errors` say what is wrong */
	if (r < 0) {
		if (err != NULL)
			*err = why;
		return r;
	}
	struct bawn_policy_ref *fresh = NULL;
	r = load_policy(&b->dirs, &fresh, err);
	if (r < 0)
		return r;
	note_policy(b, fresh->policy);
	(void)pthread_mutex_lock(&b->lock);
	struct bawn_policy_ref *old = b->policy;
	b->policy = fresh;
	(void)pthread_mutex_unlock(&b->lock);
	bawn_policy_drop(old);
	return bawn_result_take(bawn_steal(change), out, err);
}

/* --- approvals ------------------------------------------------------------------------------- */

int bawn_approvals_list(struct bawn *b, struct bawn_result **out, struct bawn_err *err)
{
	if (b == NULL || out == NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "a handle and a place for the result are needed");
	struct bawn_approvals a;
	json_t *list = NULL;
	struct bawn_err why = { 0 };
	int r = bawn_approvals_peek(b->dirs.state, &a, &why);
	if (r == -ENOENT)
		return bawn_result_take(json_array(), out, err);  /* nobody ever asked */
	if (r < 0) {
		if (err != NULL)
			*err = why;
		return r;
	}
	r = bawn_approval_list(&a, &list, err);
	bawn_approvals_done(&a);
	return r < 0 ? r : bawn_result_take(list, out, err);
}

bool bawn_self_suffices(struct bawn *b)
{
	struct bawn_policy_ref *p = bawn_policy_hold(b);
	bool suffices = p->policy->allow_user_override && p->policy->override_minimum <= BAWN_ASSURANCE_SELF;
	bawn_policy_drop(p);
	return suffices;
}

uint64_t bawn_hold_ms(struct bawn *b)
{
	struct bawn_policy_ref *p = bawn_policy_hold(b);
	uint64_t ms = p->policy->override_expires_ms;
	bawn_policy_drop(p);
	return ms;
}

int bawn_packages_allowed(struct bawn *b, struct bawn_err *err)
{
	struct bawn_policy_ref *p = bawn_policy_hold(b);
	int r = bawn_packages_backend(p->policy->backend, "backend", err);
	if (r == 0)
		r = bawn_packages_whitelist(p->policy, "pip and npm", "pip, npm", err);
	bawn_policy_drop(p);
	return r;
}

/* Another uid than the one that asked is a separate principal; the same one is as sure as its
 * terminal. */
static enum bawn_assurance assurance_of(const json_t *held, bool terminal)
{
	char me[24];
	snprintf(me, sizeof me, "%u", geteuid());
	const char *asker = json_string_value(json_object_get(json_object_get(held, "principal"), "id"));
	if (asker != NULL && strcmp(asker, me) != 0)
		return BAWN_ASSURANCE_SEPARATE;
	return terminal && bawn_has_terminal() ? BAWN_ASSURANCE_TERMINAL : BAWN_ASSURANCE_SELF;
}

static int decide_one(struct bawn *b, struct bawn_approvals *a, const struct bawn_policy *p, const char *id,
                      bool approve, const char *reason, bool terminal, json_t **out, struct bawn_err *err)
{
	bawn_auto_json held = NULL;
	struct bawn_audit *log;
	int r = bawn_reason_check(reason, p->max_reason, err);
	if (r == 0)
		r = bawn_approval_get(a, id, &held, err);
	if (r == 0)
		r = bawn_log(b, &log, err);
	if (r < 0)
		return r;
	enum bawn_assurance got = assurance_of(held, terminal);
	/* Saying no needs no assurance: anybody who may ask may also withdraw. */
	if (approve && (int)got < p->override_minimum)
		return bawn_fail_as(err, BAWN_ERROR_ASSURANCE_TOO_LOW, NULL, "this answer has assurance '%s', policy asks for '%s'; still pending",
		                    bawn_word(&bawn_assurance_words, (int)got), bawn_word(&bawn_assurance_words, p->override_minimum));
	bawn_auto_json by = bawn_principal_json(b->via);
	if (by == NULL)
		return bawn_fail(err, -ENOMEM, "decide");
	struct bawn_verdict v = { approve, reason, got, by, &p->redact };
	return bawn_approval_decide(a, log, id, &v, out, err);
}

int bawn_approvals_decide(struct bawn *b, const char *id, int approve, const char *reason, int terminal,
                          struct bawn_result **out, struct bawn_err *err)
{
	if (b == NULL || id == NULL || out == NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "a handle, an id and a place for the result are needed");
	struct bawn_approvals a;
	json_t *doc = NULL;
	int r = bawn_approvals_open(b->dirs.state, &a, err);
	if (r < 0)
		return r;
	struct bawn_policy_ref *p = bawn_policy_hold(b);
	r = decide_one(b, &a, p->policy, id, approve != 0, reason, terminal != 0, &doc, err);
	bawn_policy_drop(p);
	bawn_approvals_done(&a);
	return r < 0 ? r : bawn_result_take(doc, out, err);
}

/* --- environments ---------------------------------------------------------------------------- */

int bawn_environments(struct bawn *b, json_t **out, struct bawn_err *err)
{
	return bawn_env_list(b->dirs.state, out, err);
}

int bawn_environment(struct bawn *b, const char *name, json_t **out, struct bawn_err *err)
{
	char sha256[BAWN_SHA256_HEX];
	bawn_auto_json list = NULL;
	size_t i;
	json_t *env;
	int r = bawn_env_named(b->dirs.state, name, sha256, err);
	if (r == 0)
		r = bawn_env_list(b->dirs.state, &list, err);
	if (r < 0)
		return r;
	json_array_foreach(list, i, env) {
		const char *its = json_string_value(json_object_get(env, "environment"));
		if (its != NULL && strcmp(its, sha256) == 0) {
			*out = json_incref(env);
			return 0;
		}
	}
	return bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, "environment", "environment %.12s is not there any more", sha256);
}

/* The log is open before: what cannot be recorded is not done. */
int bawn_environment_remove(struct bawn *b, const char *name, json_t **out, struct bawn_err *err)
{
	struct bawn_audit *log;
	struct bawn_receipt receipt;
	bawn_auto_json env = NULL, *who = bawn_principal_json(b->via), *body = NULL;
	int r = bawn_environment(b, name, &env, err);
	if (r == 0)
		r = bawn_log(b, &log, err);
	if (r < 0)
		return r;
	const char *sha256 = json_string_value(json_object_get(env, "environment"));
	r = bawn_env_remove(b->dirs.state, sha256, err);
	if (r < 0)
		return r;
	body = json_pack("{s:s, s:O}", "environment", sha256, "names", json_object_get(env, "names"));
	if (who == NULL || body == NULL)
		return bawn_fail(err, -ENOMEM, "record what was removed");
	struct bawn_record rec = { .type = BAWN_RECORD_ENV_REMOVED, .principal = who, .body = body };
	r = bawn_audit_put(log, &rec, &receipt, err);
	if (r < 0)
		return bawn_wrap(err, r, "the environment was removed but that was not recorded");
	*out = bawn_steal(env);
	return 0;
}
