/* decide.c - policy says run, warn, confirm or refuse; a person may lift the last two.
 *
 * Invariants: (1) nothing the code says or does can lift its own verdict: answers come from the
 * confirm callback, from an approval file or from a flag of the requester, never from the request's
 * code, files or output; (2) an answer below overrides.minimum lifts nothing; (3) a lifted run is
 * `untrusted` (`unknown` where the assessor failed). */
#include <fcntl.h>
#include <stdio.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "core/exec.h"

bool bawn_has_terminal(void)
{
	bawn_auto_fd tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	return tty >= 0;
}

static void lifted(struct bawn_exec *e, json_t *by_stolen, const char *reason, enum bawn_assurance assurance, const char *at)
{
	e->lift.used = true;
	e->lift.by = by_stolen;
	e->lift.assurance = assurance;
	snprintf(e->lift.reason, sizeof e->lift.reason, "%s", reason);
	if (at != NULL)
		snprintf(e->lift.at, sizeof e->lift.at, "%s", at);
	else
		bawn_rfc3339(bawn_wall_us(), e->lift.at);
}

static json_t *requester_as(const struct bawn_exec *e, const char *name)
{
	json_t *by = json_deep_copy(e->checked->principal);
	bool ok = by != NULL;
	if (name != NULL && name[0] != '\0')
		bawn_json_set(by, "name", bawn_json_text(bawn_span(name)), &ok);
	if (ok)
		return by;
	json_decref(by);
	return NULL;
}

/* Durable before the intent, and not before there is a place: a host that is full burns no approval.  What was approved
 * begins with the install of its packages, where there is one. */
int bawn_exec_consume(struct bawn_exec *e, struct bawn_err *err)
{
	struct bawn_approvals a;
	bawn_auto_json doc = NULL;
	if (e->behalf != NULL)
		return bawn_exec_consume(e->behalf, err);
	if (e->approval_id[0] == '\0' || e->consumed)
		return 0;
	int r = bawn_approvals_open(e->b->dirs.state, &a, err);
	if (r < 0)
		return r;
	r = bawn_approval_use(&a, e->approval_id, e->checked->request_sha256, &doc, err);
	bawn_approvals_done(&a);
	e->consumed = r == 0;
	return r;
}

static int use_approval(struct bawn_exec *e, const char *id, struct bawn_err *err)
{
	struct bawn_approvals a;
	bawn_auto_json doc = NULL;
	int r = bawn_approvals_open(e->b->dirs.state, &a, err);
	if (r < 0)
		return r;
	r = bawn_approval_look(&a, id, e->checked->request_sha256, &doc, err);
	bawn_approvals_done(&a);
	if (r < 0)
		return r;
	const json_t *d = json_object_get(doc, "decision");
	const char *reason = json_string_value(json_object_get(d, "reason"));
	const char *at = json_string_value(json_object_get(d, "at"));
	const char *assurance = json_string_value(json_object_get(d, "assurance"));
	int rank = assurance != NULL ? bawn_word_find(&bawn_assurance_words, bawn_span(assurance)) : -1;
	/* The minimum may have been raised since; policy_sha256 in the request covers that, this is the belt. */
	if (reason == NULL || at == NULL || rank < e->policy->policy->override_minimum)
		return bawn_fail_as(err, BAWN_ERROR_ASSURANCE_TOO_LOW, "approval", "the approval was given with too little assurance");
	json_t *by = json_deep_copy(json_object_get(d, "by"));
	if (by == NULL)
		return bawn_fail(err, -ENOMEM, "use the approval");
	snprintf(e->approval_id, sizeof e->approval_id, "%s", json_string_value(json_object_get(doc, "id")));
	lifted(e, by, reason, (enum bawn_assurance)rank, at);
	return 0;
}

/* 1: somebody lifted exactly this request while nobody waited for it; 0: nobody did. */
static int answered_before(struct bawn_exec *e, struct bawn_err *err)
{
	struct bawn_approvals a;
	char id[BAWN_ULID_LEN];
	int r = bawn_approvals_open(e->b->dirs.state, &a, err);
	if (r < 0)
		return r;
	r = bawn_approval_answered(&a, e->checked->request_sha256, id, err);
	bawn_approvals_done(&a);
	if (r != 1)
		return r;
	r = use_approval(e, id, err);
	return r < 0 ? r : 1;
}

/* 1: asked and answered yes with enough assurance; 0: answered no; -EAGAIN: too little assurance. */
static int ask(struct bawn_exec *e, struct bawn_err *err)
{
	bawn_auto_buf assessment = BAWN_BUF(8u << 20), limits = BAWN_BUF(65536);
	bawn_auto_json lj = bawn_limits_json(e);
	if (lj == NULL)
		return bawn_fail(err, -ENOMEM, "ask");
	int r = bawn_json_put(&assessment, e->assessment_json, err);
	if (r == 0)
		r = bawn_json_put(&limits, lj, err);
	if (r < 0)
		return r;
	struct bawn_question q = { .size = sizeof q, .level = json_string_value(json_object_get(e->assessment_json, "level")),
		.request_sha256 = e->checked->request_sha256, .assessment_json = assessment.p, .limits_json = limits.p,
		.code = e->checked->code.bytes.p, .code_size = e->checked->code.bytes.n };
	struct bawn_answer answer = { .size = sizeof answer };
	if (e->checked->reason != NULL)
		snprintf(answer.reason, sizeof answer.reason, "%s", e->checked->reason);
	r = e->req.confirm(e->req.ctx, &q, &answer);
	if (r == -ECANCELED)
		atomic_store(&e->cancelled, true);
	if (r != 0 || !answer.yes)
		return 0;
	answer.reason[sizeof answer.reason - 1] = answer.name[sizeof answer.name - 1] = '\0';
	r = bawn_reason_check(answer.reason, e->policy->policy->max_reason, err);
	if (r < 0)
		return r;
	enum bawn_assurance got = answer.terminal && bawn_has_terminal() ? BAWN_ASSURANCE_TERMINAL : BAWN_ASSURANCE_SELF;
	if ((int)got < e->policy->policy->override_minimum)
		return -EAGAIN;
	json_t *by = requester_as(e, answer.name);
	if (by == NULL)
		return bawn_fail(err, -ENOMEM, "ask");
	lifted(e, by, answer.reason, got, NULL);
	return 1;
}

static int hold(struct bawn_exec *e, struct bawn_err *err)
{
	e->status = BAWN_STATUS_NEEDS_APPROVAL;
	return e->req.dry_run ? 0 : bawn_record_held(e, err);
}

static int refuse(struct bawn_exec *e, struct bawn_err *err)
{
	e->status = atomic_load(&e->cancelled) ? BAWN_STATUS_CANCELLED : BAWN_STATUS_REFUSED;
	return e->req.dry_run ? 0 : bawn_record_refused(e, err);
}

/* Somebody has to lift the verdict: an approval, the requester's own word where policy takes it, a
 * person who is asked now, a person who is asked later. */
static int lift(struct bawn_exec *e, struct bawn_err *err)
{
	const struct bawn_policy *p = e->policy->policy;
	if (e->req.approval != NULL)
		return use_approval(e, e->req.approval, err);
	if (!p->allow_user_override) {
		bool asked = e->checked->override_;
		int r = refuse(e, err);
		if (r == 0 && asked)
			(void)bawn_fail_as(&e->error, BAWN_ERROR_OVERRIDE_NOT_ALLOWED, "override", "policy lets nobody lift a verdict");
		return r;
	}
	if (e->req.dry_run)
		return e->action == BAWN_ACTION_CONFIRM ? hold(e, err) : refuse(e, err);
	if (e->checked->override_ && p->override_minimum <= BAWN_ASSURANCE_SELF) {
		json_t *by = requester_as(e, NULL);
		if (by == NULL)
			return bawn_fail(err, -ENOMEM, "override");
		lifted(e, by, e->checked->reason, BAWN_ASSURANCE_SELF, NULL);
		return 0;
	}
	int before = e->req.hold ? answered_before(e, err) : 0;
	if (before != 0)
		return before < 0 ? before : 0;
	int answer = e->req.confirm != NULL ? ask(e, err) : -EAGAIN;
	if (answer == 1)
		return 0;
	if (answer < 0 && answer != -EAGAIN)
		return answer;
	if (answer == 0)
		return refuse(e, err);
	return e->action == BAWN_ACTION_CONFIRM || e->checked->override_ || e->req.hold ? hold(e, err) : refuse(e, err);
}

static enum bawn_trust trust_of(const struct bawn_exec *e)
{
	const struct bawn_policy *p = e->policy->policy;
	if (e->collector != NULL)
		return BAWN_TRUST_TRUSTED;
	int t = p->level_trust[e->assessment->level];
	if (e->action >= BAWN_ACTION_CONFIRM)
		t = BAWN_TRUST_UNTRUSTED;  /* whoever gets here past this point was lifted */
	if (e->assessment->unfinished != NULL || !p->trust_defined[t])
		t = BAWN_TRUST_UNKNOWN;
	if (e->checked->trust_asked > t)
		t = e->checked->trust_asked;  /* callers may only lower it */
	return (enum bawn_trust)t;
}

enum bawn_action bawn_exec_action(const struct bawn_exec *e)
{
	/* Our own program, for packages that were decided on. */
	if (e->collector != NULL)
		return BAWN_ACTION_RUN;
	enum bawn_action a = (enum bawn_action)e->policy->policy->decision[e->assessment->level];
	/* A host that policy does not list is granted by a person, whatever the code looks like. */
	bool asks = e->assessment->unfinished != NULL || e->checked->n_hosts > 0;
	return asks && a < BAWN_ACTION_CONFIRM ? BAWN_ACTION_CONFIRM : a;
}

int bawn_exec_decide(struct bawn_exec *e, struct bawn_err *err)
{
	e->action = bawn_exec_action(e);
	e->trust = trust_of(e);
	e->decided = true;
	if (e->action >= BAWN_ACTION_CONFIRM || e->req.dry_run) {
		int r = bawn_exec_preview(e, err);
		if (r < 0)
			return r;
	}
	if (e->action < BAWN_ACTION_CONFIRM) {
		if (e->req.approval != NULL)
			return bawn_fail_as(err, BAWN_ERROR_APPROVAL_MISMATCH, "approval", "there is nothing to approve in this request");
		return 0;
	}
	bawn_exec_emit_state(e, "held");
	return lift(e, err);
}
