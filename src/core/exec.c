#include "core/exec.h"
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "core/install.h"
#include "core/outdir.h"
#include "core/running.h"
#include "core/uids.h"
#include "docker/docker.h"
#include "native/native.h"

static const struct bawn_backend *const backend[BAWN_BACKEND_COUNT] = {
	[BAWN_BACKEND_NATIVE] = &bawn_native_backend,
	[BAWN_BACKEND_DOCKER] = &bawn_docker_backend,
};

void bawn_exec_emit(struct bawn_exec *e, struct bawn_event *ev)
{
	if (e->req.on_event == NULL)
		return;
	ev->size = sizeof *ev;
	ev->seq = ++e->event_seq;
	ev->at_us = bawn_wall_us();
	ev->id = e->id;
	e->req.on_event(e->req.ctx, ev);
}

void bawn_exec_emit_state(struct bawn_exec *e, const char *name)
{
	struct bawn_event ev = { .kind = BAWN_EVENT_STATE, .text = name };
	bawn_exec_emit(e, &ev);
}

void bawn_exec_unwatch(struct bawn_exec *e, int *fd)
{
	if (*fd >= 0)
		(void)epoll_ctl(e->epoll, EPOLL_CTL_DEL, *fd, NULL);  /* ENOENT: nobody watched it */
	bawn_close_fdp(fd);
}

static void release(struct bawn_exec *e)
{
	if (e->sandbox != NULL)
		e->cleared = e->backend->release(e->sandbox);
	e->sandbox = NULL;
}

/* A child that the host forked meanwhile has the slot's descriptor, and closing ours would leave the lock to it.  But the
 * launcher and init have it, too: the lock is ended for all only where they are known to be gone. */
static void give_up_slot(struct bawn_exec *e)
{
	if (e->cleared)
		bawn_slots_give_up(&e->slot_fd);
	else
		bawn_close_fdp(&e->slot_fd);
}

/* --- phases: each returns 1 to go on, 0 to wait, negative when bawn failed -------------------- */

static int check(struct bawn_exec *e, struct bawn_err *err)
{
	char sha256[BAWN_SHA256_HEX];
	struct bawn_asker by = { .via = e->b->via, .installs = e->collector != NULL };
	int r = e->req.environment != NULL ? bawn_env_named(e->b->dirs.state, e->req.environment, sha256, err) : 0;
	if (e->req.environment != NULL)
		by.environment = sha256;
	if (r == 0)
		r = bawn_request_check(&e->req, e->policy->policy, &by, &e->checked, err);
	if (r < 0)
		return r;
	e->backend = backend[e->checked->backend];
	if (e->checked->n_packages > 0 && (r = bawn_install_want(e, err)) < 0)
		return r;
	if (e->plan == NULL && e->checked->network != BAWN_NETWORK_NONE && (r = bawn_plan_make(e->policy->policy, e->checked, e->backend->ca_file, &e->plan, err)) < 0)
		return r;
	if (e->backend == &bawn_native_backend)
		e->sandbox = bawn_spare(e->b);
	const struct bawn_policy *p = e->policy->policy;
	if (geteuid() == 0 && (r = bawn_uids_check("/etc", p->uid_first, p->uid_count, err)) < 0)
		return r;
	bawn_exec_emit_state(e, "validated");
	e->phase = BAWN_PHASE_ASSESS;
	return 1;
}

static int assess(struct bawn_exec *e, struct bawn_err *err)
{
	const struct bawn_checked *c = e->checked;
	bawn_auto_free struct bawn_assess_file *file = calloc(c->n_inputs + 1, sizeof *file);
	if (file == NULL)
		return bawn_fail(err, -ENOMEM, "assess");
	file[0] = (struct bawn_assess_file){ NULL, (int)c->language, c->code.bytes };
	for (size_t i = 0; i < c->n_inputs; i++)
		file[i + 1] = (struct bawn_assess_file){ c->input[i].name, -1, c->input[i].file.bytes };
	int r = bawn_assess(file, c->n_inputs + 1, e->policy->policy, &e->assessment, err);
	if (r < 0)
		return r;
	r = bawn_install_doubt(e, err);
	if (r < 0)
		return r;
	r = bawn_assessment_json(e->assessment, e->policy->policy, c->code.bytes, &e->assessment_json, err);
	if (r < 0)
		return r;
	e->t_assess = bawn_monotonic_us() - e->mark_us;
	e->mark_us = bawn_monotonic_us();
	/* What will run unless something comes in between: its launcher starts while the rest is seen to, and
	 * nobody's waits for an answer. */
	if (e->req.dry_run || bawn_exec_action(e) >= BAWN_ACTION_CONFIRM) {
		release(e);
	} else if (e->sandbox == NULL) {
		(void)!e->backend->open(e->b->dirs.launcher, &e->sandbox, NULL);  /* tried again, with words, when it is needed */
	}
	bawn_exec_emit_state(e, "assessed");
	e->phase = BAWN_PHASE_DECIDE;
	return 1;
}

/* MEDIUM runs, and says why it was worth a word. */
static int warn(struct bawn_exec *e, struct bawn_err *err)
{
	bool ok = true;
	for (size_t i = 0; e->action == BAWN_ACTION_WARN && i < e->assessment->n_findings; i++) {
		const struct bawn_finding *f = &e->assessment->finding[i];
		bawn_auto_buf b = BAWN_BUF(1024);
		if (f->level < BAWN_LEVEL_MEDIUM)
			continue;
		bawn_buf_fmt(&b, "%s %s ", bawn_word(&bawn_level_words, (int)f->level), f->rule);
		if (f->path != NULL)
			bawn_buf_fmt(&b, "%.200s ", f->path);
		bawn_buf_fmt(&b, "line %u: %.400s", f->line, f->message);
		bawn_json_push(e->warnings, bawn_json_text(bawn_buf_span(&b)), &ok);
	}
	if (ok && e->plan != NULL && e->plan->stripped)
		bawn_json_push(e->warnings, json_string("an index of this host has a user or a password in its address; the code is not given them"), &ok);
	for (size_t i = 0; i < e->checked->n_hosts; i++) {
		bawn_auto_buf b = BAWN_BUF(512);
		bawn_buf_fmt(&b, "asks for a host that network.whitelist does not have: %s", e->checked->hosts[i]);
		bawn_json_push(e->warnings, bawn_json_text(bawn_buf_span(&b)), &ok);
	}
	if (ok && e->action == BAWN_ACTION_WARN && json_array_size(e->warnings) == 0)
		bawn_json_push(e->warnings, json_string("the code reached this level by its summed score"), &ok);
	return ok ? 0 : bawn_fail(err, -ENOMEM, "warn");
}

static int dry_run(struct bawn_exec *e, struct bawn_err *err)
{
	bool ok = true;
	struct bawn_sandbox_spec spec;
	struct bawn_probe probe = { 0 };
	bawn_json_push(e->warnings, json_string("dry run: nothing was executed"), &ok);
	if (!ok)
		return bawn_fail(err, -ENOMEM, "dry run");
	int r = bawn_probe_spec(&e->b->dirs, e->policy->policy, e->backend->id, &spec, err);
	spec.container.image = e->checked->image;
	if (r == 0)
		r = e->backend->probe(&spec, &probe, err);
	if (r < 0)
		return r;
	for (int i = 0; i < BAWN_LAYER_COUNT; i++)
		*(probe.layer[i].state == BAWN_PROBE_ACTIVE ? &e->enforcement.layers : &e->enforcement.missing) |= 1u << i;
	if (e->status == BAWN_STATUS_COUNT)
		e->status = BAWN_STATUS_COMPLETED;
	e->phase = BAWN_PHASE_DONE;
	return 1;
}

static int decide(struct bawn_exec *e, struct bawn_err *err)
{
	struct bawn_audit *log;
	int r = e->req.dry_run ? 0 : bawn_log(e->b, &log, err);  /* nobody is asked about what could not be recorded */
	if (r == 0)
		r = bawn_exec_decide(e, err);
	if (r == 0)
		r = warn(e, err);
	if (r < 0)
		return r;
	if (e->req.dry_run)
		return dry_run(e, err);
	e->phase = e->status != BAWN_STATUS_COUNT ? BAWN_PHASE_DONE : BAWN_PHASE_BUILD;
	return 1;
}

/* Before there is a place: an install takes one of its own. */
static int build(struct bawn_exec *e, struct bawn_err *err)
{
	int r = bawn_install_step(e, err);
	if (r <= 0)
		return r;
	e->mark_us = bawn_monotonic_us();  /* a person may have taken minutes, and so may an index: that is not queueing */
	e->phase = BAWN_PHASE_ADMIT;
	if (e->checked->build == NULL)
		return 1;
	r = bawn_exec_consume(e, err);
	if (r == 0)
		r = bawn_record_env_named(e, err);
	if (r == 0)
		r = bawn_env_call(e->b->dirs.state, e->checked->build, e->env.sha256, err);
	if (r < 0)
		return r;
	e->status = BAWN_STATUS_COMPLETED;
	e->phase = BAWN_PHASE_DONE;
	return 1;
}

static int cancelled(struct bawn_exec *e, struct bawn_err *err)
{
	if (!atomic_load(&e->cancelled))
		return 0;
	e->status = BAWN_STATUS_CANCELLED;
	return bawn_fail_as(err, BAWN_ERROR_CANCELLED, NULL, e->handed ? "cancelled while it started" : "cancelled before it started");
}

static int admit(struct bawn_exec *e, struct bawn_err *err)
{
	int r = cancelled(e, err);
	if (r == 0)
		r = bawn_exec_admit(e, err);
	if (r <= 0) {
		if (r == -EBUSY)
			e->status = BAWN_STATUS_BUSY;
		return r;
	}
	e->t_queue = bawn_monotonic_us() - e->mark_us;
	e->mark_us = bawn_monotonic_us();
	bawn_exec_emit_state(e, "admitted");
	e->phase = BAWN_PHASE_INTENT;
	return 1;
}

/* What dead runs left, while our own goes on.  Failing fails nothing: a slot is cleaned again before it is used. */
static void tidy(struct bawn_exec *e)
{
	unsigned swept;
	if (atomic_flag_test_and_set(&e->b->tidied))
		return;
	if (e->backend->sweep != NULL)
		(void)!e->backend->sweep(e->b->dirs.run, &swept, NULL);
	bawn_slots_trim(&e->slots);
}

static int intend(struct bawn_exec *e, struct bawn_err *err)
{
	int r = bawn_exec_open_out(e, err);
	if (r == 0)
		r = bawn_exec_consume(e, err);
	if (r == 0)
		r = bawn_exec_prepare(e, err);  /* the walls go up while the intent goes to disk */
	if (r == 0)
		r = bawn_record_intent(e, err);
	e->t_record += bawn_monotonic_us() - e->mark_us;
	e->mark_us = bawn_monotonic_us();
	if (r < 0)
		return r;
	bawn_exec_emit_state(e, "intent-durable");
	e->phase = BAWN_PHASE_LAUNCH;
	return 1;
}

static int launch(struct bawn_exec *e, struct bawn_err *err)
{
	int r = cancelled(e, err);
	if (r == 0)
		r = bawn_exec_launch(e, err);
	if (r == 1)
		e->phase = BAWN_PHASE_START;
	return r;
}

static int start(struct bawn_exec *e, struct bawn_err *err)
{
	int r = cancelled(e, err);
	if (r == 0)
		r = bawn_exec_start(e, err);
	if (r <= 0)
		return r;
	bawn_exec_emit_state(e, "running");
	tidy(e);
	e->phase = BAWN_PHASE_RUN;
	return 1;
}

static int run(struct bawn_exec *e, struct bawn_err *err)
{
	int r = bawn_exec_watch(e, err);
	if (r == 1)
		e->phase = BAWN_PHASE_COLLECT;
	return r;
}

static int collect(struct bawn_exec *e, struct bawn_err *err)
{
	int r = bawn_exec_collect(e, err);
	if (r == 1)
		e->phase = BAWN_PHASE_RECORD;
	return r;
}

static int record(struct bawn_exec *e, struct bawn_err *err)
{
	e->recorded = true;
	e->finished_us = bawn_wall_us();
	int r = bawn_record_outcome(e, err);
	e->t_record += bawn_monotonic_us() - e->mark_us;
	if (r < 0)
		return r;
	bawn_exec_emit_state(e, "outcome-durable");
	e->phase = BAWN_PHASE_END;
	return 1;
}

/* An outcome that is owed and was not tried yet. */
static bool owes_outcome(const struct bawn_exec *e) { return e->intent_durable && !e->recorded; }

/* Mostly it tidied up while the outcome went to disk. */
static int end(struct bawn_exec *e, struct bawn_err *err)
{
	(void)err;
	if (e->sandbox != NULL && bawn_exec_end(e) == 0)
		return 0;
	release(e);
	e->phase = owes_outcome(e) ? BAWN_PHASE_RECORD : BAWN_PHASE_DONE;
	return 1;
}

static int done(struct bawn_exec *e, struct bawn_err *err)
{
	(void)e, (void)err;
	return 0;
}

static int (*const phase_fn[])(struct bawn_exec *, struct bawn_err *) = {
	[BAWN_PHASE_CHECK] = check, [BAWN_PHASE_ASSESS] = assess, [BAWN_PHASE_DECIDE] = decide, [BAWN_PHASE_BUILD] = build, [BAWN_PHASE_ADMIT] = admit,
	[BAWN_PHASE_INTENT] = intend, [BAWN_PHASE_LAUNCH] = launch, [BAWN_PHASE_START] = start, [BAWN_PHASE_RUN] = run, [BAWN_PHASE_COLLECT] = collect,
	[BAWN_PHASE_RECORD] = record, [BAWN_PHASE_END] = end, [BAWN_PHASE_DONE] = done,
};
_Static_assert(BAWN_LEN(phase_fn) == BAWN_PHASE_COUNT, "one function per phase");

/* bawn failed: what runs is ended, and if an intent is in the log an outcome follows it. */
static void fail(struct bawn_exec *e, const struct bawn_err *why)
{
	bawn_exec_cut(e);  /* first: what is cut cannot go on for a moment */
	bawn_install_free(e->install);
	e->install = NULL;
	/* A record that failed weighs more than files that were not collected. */
	if (e->error.code == 0 || e->recorded) {
		e->error = *why;
		if (e->error.code == 0)
			(void)bawn_fail(&e->error, -EIO, "execute");
	}
	if (e->status != BAWN_STATUS_BUSY && e->status != BAWN_STATUS_CANCELLED)
		e->status = BAWN_STATUS_ERROR;
	e->has_exit = false;
	e->signal = 0;
	/* Code that was handed over is dead before it is said to be; where it never was nobody has to wait for that. */
	e->phase = owes_outcome(e) && !e->handed ? BAWN_PHASE_RECORD : BAWN_PHASE_END;
}

static void close_up(struct bawn_exec *e)
{
	if (e->closed)
		return;
	e->closed = true;
	if (e->finished_us == 0)
		e->finished_us = bawn_wall_us();
	e->t_total = bawn_monotonic_us() - e->t0;
	give_up_slot(e);
	bawn_close_fdp(&e->env.lock);
	struct bawn_event ev = { .kind = BAWN_EVENT_OUTCOME, .text = bawn_status_name(e->status) };
	bawn_exec_emit(e, &ev);
}

int bawn_exec_step(struct bawn_exec *e, struct bawn_err *err)
{
	if (e == NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "no execution");
	eventfd_t seen;
	(void)eventfd_read(e->cancel, &seen);  /* the flag tells; the eventfd only wakes */
	while (e->phase != BAWN_PHASE_DONE) {
		struct bawn_err why = { 0 };
		int r = phase_fn[e->phase](e, &why);
		if (r == 0)
			return 0;
		if (r < 0)
			fail(e, &why);
	}
	close_up(e);
	return 1;
}

bool bawn_exec_lists(struct bawn_exec *e)
{
	json_t **list[] = { &e->denials, &e->violations, &e->files, &e->skipped, &e->warnings };
	for (size_t i = 0; i < BAWN_LEN(list); i++)
		if ((*list[i] = json_array()) == NULL)
			return false;
	return true;
}

static int open_fds(struct bawn_exec *e, struct bawn_err *err)
{
	e->epoll = epoll_create1(EPOLL_CLOEXEC);
	e->cancel = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct epoll_event ev = { .events = EPOLLIN };
	if (e->epoll < 0 || e->cancel < 0 || epoll_ctl(e->epoll, EPOLL_CTL_ADD, e->cancel, &ev) < 0)
		return bawn_fail(err, -errno, "prepare an execution");
	/* The first steps need no event: a readable eventfd makes poll return at once. */
	return eventfd_write(e->cancel, 1) < 0 ? bawn_fail(err, -errno, "prepare an execution") : 0;
}

int bawn_start(struct bawn *b, const struct bawn_request *req, struct bawn_exec **out, struct bawn_err *err)
{
	if (b == NULL || req == NULL || out == NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "a handle, a request and a place for the execution are needed");
	struct bawn_request copy = { 0 };
	int r = bawn_options_copy(&copy, sizeof copy, req, offsetof(struct bawn_request, language), err);
	if (r < 0)
		return r;
	struct bawn_exec *e = calloc(1, sizeof *e);
	if (e == NULL)
		return bawn_fail(err, -ENOMEM, "start");
	e->req = copy;
	e->b = b;
	e->policy = bawn_policy_hold(b);
	e->status = BAWN_STATUS_COUNT;
	e->slot_fd = e->mark_fd = e->epoll = e->cancel = e->watch = e->timer = -1;
	e->slots = (struct bawn_slots){ -1, -1 };
	e->env = BAWN_ENV_NONE;
	e->started_us = bawn_wall_us();
	e->t0 = e->mark_us = bawn_monotonic_us();
	for (int s = 1; s <= 2; s++) {
		e->out[s] = BAWN_BUF(e->policy->policy->output_bytes);
		bawn_sha256_init(&e->out_hash[s]);
	}
	r = bawn_exec_lists(e) ? bawn_ulid_new(e->id, err) : bawn_fail(err, -ENOMEM, "start");
	if (r == 0)
		r = open_fds(e, err);
	if (r < 0) {
		bawn_exec_free(e);
		return r;
	}
	*out = e;
	return 0;
}

int bawn_exec_fd(const struct bawn_exec *e) { return e != NULL ? e->epoll : -1; }

int bawn_cancel(struct bawn_exec *e)
{
	if (e == NULL)
		return -EINVAL;
	atomic_store(&e->cancelled, true);
	return eventfd_write(e->cancel, 1) < 0 ? -errno : 0;
}

int bawn_exec_result(struct bawn_exec *e, struct bawn_result **out, struct bawn_err *err)
{
	if (e == NULL || out == NULL || e->phase != BAWN_PHASE_DONE)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "the execution is not over");
	json_t *doc;
	int r = bawn_exec_document(e, &doc, err);
	return r < 0 ? r : bawn_result_take(doc, out, err);
}

void bawn_exec_free(struct bawn_exec *e)
{
	if (e == NULL)
		return;
	bawn_egress_free(e->egress);
	bawn_install_free(e->install);
	release(e);
	give_up_slot(e);
	bawn_env_drop(&e->env);
	bawn_plan_free(e->plan);
	bawn_plan_free(e->fetch);
	bawn_outdir_free(e->outdir);
	json_t *list[] = { e->denials, e->violations, e->files, e->skipped, e->warnings, e->reasons, e->assessment_json, e->lift.by, e->observed, e->container, e->network };
	for (size_t i = 0; i < BAWN_LEN(list); i++)
		json_decref(list[i]);
	bawn_assessment_free(e->assessment);
	bawn_checked_free(e->checked);
	for (int s = 1; s <= 2; s++)
		bawn_buf_done(&e->out[s]);
	int *fd[] = { &e->mark_fd, &e->epoll, &e->cancel, &e->watch, &e->timer };
	for (size_t i = 0; i < BAWN_LEN(fd); i++)
		bawn_close_fdp(fd[i]);
	bawn_slots_done(&e->slots);
	bawn_policy_drop(e->policy);
	free(e);
}

int bawn_assess_and_execute(struct bawn *b, const struct bawn_request *req, struct bawn_result **out, struct bawn_err *err)
{
	struct bawn_exec *e;
	if (out == NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "a place for the result is needed");
	int r = bawn_start(b, req, &e, err);
	if (r < 0)
		return r;
	while ((r = bawn_exec_step(e, err)) == 0) {
		struct pollfd p = { .fd = e->epoll, .events = POLLIN };
		if (poll(&p, 1, -1) < 0 && errno != EINTR) {
			r = bawn_fail(err, -errno, "wait for the execution");
			break;
		}
	}
	if (r == 1)
		r = bawn_exec_result(e, out, err);
	bawn_exec_free(e);
	return r;
}
