/* run.c - from a durable intent to an outcome: the backend's events become the execution's. */
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "core/exec.h"
#include "core/outdir.h"

/* Which limit an end stands for: resource in records, status in results.  `noted`: what was noted as a
 * denial before, and has now ended the run. */
static const struct end_row { enum bawn_status status; const char *resource, *noted[2]; } end_row[BAWN_END_COUNT] = {
	[BAWN_END_EXIT]      = { BAWN_STATUS_COMPLETED, NULL },
	[BAWN_END_SIGNAL]    = { BAWN_STATUS_FAILED, NULL },
	[BAWN_END_TIMEOUT]   = { BAWN_STATUS_TIMEOUT, "time" },
	[BAWN_END_CPU]       = { BAWN_STATUS_CPU_LIMIT, "cpu_time" },
	[BAWN_END_MEMORY]    = { BAWN_STATUS_MEMORY_LIMIT, "memory" },
	[BAWN_END_PIDS]      = { BAWN_STATUS_PIDS_LIMIT, NULL, { "processes" } },
	[BAWN_END_DISK]      = { BAWN_STATUS_DISK_LIMIT, NULL, { "disk", "inodes" } },
	[BAWN_END_OUTPUT]    = { BAWN_STATUS_OUTPUT_LIMIT, NULL, { "stdout", "stderr" } },
	[BAWN_END_KILLED]    = { BAWN_STATUS_KILLED, NULL },
	[BAWN_END_CANCELLED] = { BAWN_STATUS_CANCELLED, NULL },
	[BAWN_END_LOST]      = { BAWN_STATUS_KILLED, NULL },
};

int bawn_exec_spec(const struct bawn_exec *e, struct bawn_sandbox_spec *out, struct bawn_err *err)
{
	const struct bawn_policy *p = e->policy->policy;
	enum bawn_backend_id backend = e->checked->backend;
	bool uids = geteuid() == 0 || backend == BAWN_BACKEND_DOCKER;  /* an engine gives a run its own uid, whoever asks */
	if (uids && e->slot >= p->uid_count)
		return bawn_fail_as(err, BAWN_ERROR_CONFIG_INVALID, "uids.count", "there are fewer run uids than running executions");
	*out = (struct bawn_sandbox_spec){
		.id = e->id, .language = e->checked->language, .interpreter = p->interpreter[e->checked->language],
		.limits = e->limits, .network = e->checked->network, .ca_file = e->plan != NULL && e->plan->ca_file[0] != '\0' ? e->plan->ca_file : NULL,
		.environment = e->env.lock >= 0 ? e->env.path : NULL, .collect_files = e->collect_files, .on_violation = (enum bawn_violation)p->on_violation,
		.sample_ms = p->sample_ms, .observe = p->observe, .need = p->minimum_enforcement[backend],
		.slot = e->slot, .slot_fd = e->slot_fd, .uid = uids ? p->uid_first + e->slot : 0,
		.launcher = e->b->dirs.launcher,
		.container = { .image = e->checked->image, .runtime = p->docker_runtime, .require_patched = p->docker_require_patched },
	};
	for (int i = 0; e->plan != NULL && i < BAWN_NET_FILE_COUNT; i++)
		out->net_file[i] = e->plan->file[i];
	out->need |= bawn_need_as_root(p);
	return backend == BAWN_BACKEND_DOCKER ? bawn_docker_socket(p, &out->container.engine, err) : 0;
}

static bool has_name(char *const *env, size_t n, const char *entry)
{
	size_t name = strcspn(entry, "=") + 1;
	for (size_t i = 0; i < n; i++)
		if (strncmp(env[i], entry, name) == 0)
			return true;
	return false;
}

/* The request's variables, those of its network that it does not have itself, and where its packages are. */
static const char **environment(const struct bawn_exec *e, size_t *out_n)
{
	const struct bawn_checked *c = e->checked;
	size_t n = 0, more = e->plan != NULL ? e->plan->env.n : 0;
	const char **env = calloc(c->n_env + more + 2, sizeof *env);
	for (size_t i = 0; env != NULL && i < c->n_env; i++)
		env[n++] = c->env[i];
	for (size_t i = 0; env != NULL && i < more; i++)
		if (!has_name(c->env, c->n_env, e->plan->env.item[i]))
			env[n++] = e->plan->env.item[i];
	if (env != NULL && e->env.lock >= 0 && c->language == BAWN_LANG_PYTHON)
		env[n++] = "PYTHONPATH=" BAWN_ENV_PLACE;  /* node finds them by itself: native/tree.c */
	*out_n = n;
	return env;
}

static int start(struct bawn_exec *e, struct bawn_err *err)
{
	const struct bawn_checked *c = e->checked;
	size_t n_env;
	bawn_auto_free struct bawn_sandbox_file *file = calloc(c->n_inputs + 1, sizeof *file);
	bawn_auto_free const char **env = environment(e, &n_env);
	if (file == NULL || env == NULL)
		return bawn_fail(err, -ENOMEM, "start");
	for (size_t i = 0; i < c->n_inputs; i++)
		file[i] = (struct bawn_sandbox_file){ c->input[i].name, c->input[i].file.fd, c->input[i].mode };
	struct bawn_sandbox_start s = {
		.code_fd = c->code.fd, .stdin_fd = c->stdin_.fd,
		.args = (const char *const *)c->args, .n_args = c->n_args,
		.env = env, .n_env = n_env, .file = file, .n_files = c->n_inputs,
	};
	return e->backend->start(e->sandbox, &s, err);
}

int bawn_exec_prepare(struct bawn_exec *e, struct bawn_err *err)
{
	struct bawn_sandbox_spec spec;
	int r = bawn_exec_spec(e, &spec, err);
	e->need = spec.need;
	if (r == 0 && e->sandbox == NULL)
		r = e->backend->open(spec.launcher, &e->sandbox, err);
	if (r == 0 && e->plan != NULL)
		r = bawn_egress_open(e->b->dirs.egress, &e->egress, err);
	if (r == 0)
		r = e->backend->prepare(e->sandbox, &spec, err);
	struct epoll_event ev = { .events = EPOLLIN };
	if (r == 0 && epoll_ctl(e->epoll, EPOLL_CTL_ADD, e->backend->fd(e->sandbox), &ev) < 0)
		r = bawn_fail(err, -errno, "watch the sandbox");
	return r;
}

/* What the backend tells of its container: all of it for the log, who it is for the result, and what is known against it. */
static int take_container(struct bawn_exec *e, struct bawn_err *err)
{
	size_t i;
	json_t *v;
	bool ok = true;
	int r = bawn_json_parse(bawn_span(e->enforcement.container), &e->container, err);
	if (r < 0)
		return bawn_wrap(err, r, "read what the container is");
	json_array_foreach(json_object_get(e->container, "vulnerable"), i, v) {
		bawn_auto_buf b = BAWN_BUF(512);
		bawn_buf_fmt(&b, "the container engine's %s, version %s, is not known to be mended (%s)", json_string_value(json_object_get(v, "name")),
		             json_string_value(json_object_get(v, "version")), json_string_value(json_object_get(v, "cve")));
		bawn_json_push(e->warnings, bawn_json_text(bawn_buf_span(&b)), &ok);
	}
	return ok ? 0 : bawn_fail(err, -ENOMEM, "read what the container is");
}

/* The proxy's own uid lies at the other end of the range: no run has it. */
static int proxy_uid(const struct bawn_exec *e, uint64_t *out, struct bawn_err *err)
{
	const struct bawn_policy *p = e->policy->policy;
	*out = 0;
	if (geteuid() != 0)
		return 0;
	if (2 * (uint64_t)e->slot + 1 >= p->uid_count)
		return bawn_fail_as(err, BAWN_ERROR_CONFIG_INVALID, "uids.count", "there are fewer uids than running executions and their proxies");
	*out = p->uid_first + p->uid_count - 1 - e->slot;
	return 0;
}

/* Somebody listens at the sandbox's port, or the code does not run. */
static int open_way(struct bawn_exec *e, struct bawn_err *err)
{
	const struct bawn_policy *p = e->policy->policy;
	struct bawn_egress_spec s = { .rule = (const char *const *)e->plan->rule.item, .n_rules = e->plan->rule.n,
		.private_ = (const char *const *)p->allow_private.item, .n_private = p->allow_private.n, .limits = bawn_plan_limits(p, e->collector != NULL), .credential = e->plan->credential,
		.run_ms = e->limits.timeout_ms };
	struct epoll_event ev = { .events = EPOLLIN };
	int r = proxy_uid(e, &s.uid, err);
	if (r == 0)
		r = bawn_egress_ready(e->egress, &s, e->backend->take_port(e->sandbox), err);
	if (r == 0 && epoll_ctl(e->epoll, EPOLL_CTL_ADD, bawn_egress_fd(e->egress), &ev) < 0)
		r = bawn_fail(err, -errno, "watch the proxy");
	return r;
}

int bawn_exec_launch(struct bawn_exec *e, struct bawn_err *err)
{
	int r = e->backend->ready(e->sandbox, &e->enforcement, err);
	const unsigned swept = e->backend->take_swept(e->sandbox);
	int recorded = swept > 0 ? bawn_record_swept(e, swept, r < 0 ? NULL : err) : 0;  /* also where nothing comes of this run */
	r = recorded < 0 && r >= 0 ? recorded : r;
	if (r <= 0)
		return r;
	r = 0;
	if ((e->need & ~e->enforcement.layers) != 0)
		return bawn_fail_as(err, BAWN_ERROR_ENFORCEMENT_MISSING, NULL, "a required protection is missing");
	if (e->enforcement.container != NULL)
		r = take_container(e, err);
	if (r == 0)
		r = bawn_record_sandbox(e, err);
	if (r == 0 && e->plan != NULL)
		r = open_way(e, err);
	return r < 0 ? r : 1;
}

int bawn_exec_start(struct bawn_exec *e, struct bawn_err *err)
{
	e->handed = true;
	int r = start(e, err);
	if (r < 0)
		return r;
	bool full = r == 0 && e->backend->full(e->sandbox);
	struct epoll_event ev = { .events = EPOLLIN | (full ? EPOLLOUT : 0u) };
	if (full != e->full && epoll_ctl(e->epoll, EPOLL_CTL_MOD, e->backend->fd(e->sandbox), &ev) < 0)
		return bawn_fail(err, -errno, "watch the sandbox");
	e->full = full;
	if (r == 0)
		return 0;
	e->t_start = bawn_monotonic_us() - e->mark_us;
	e->mark_us = bawn_monotonic_us();
	return 1;
}

/* --- events ---------------------------------------------------------------------------------- */

static void on_output(struct bawn_exec *e, const struct bawn_sandbox_event *ev)
{
	int s = ev->stream == 2 ? 2 : 1;
	struct bawn_buf *b = &e->out[s];
	bawn_sha256_add(&e->out_hash[s], ev->bytes.p, ev->bytes.n);
	e->out_bytes[s] += ev->bytes.n;
	size_t room = b->max - b->n, n = ev->bytes.n < room ? ev->bytes.n : room;
	bawn_buf_add(b, ev->bytes.p, n);
	if (n < ev->bytes.n || bawn_buf_error(b) < 0)
		e->truncated[s] = true;
	struct bawn_event out = { .kind = BAWN_EVENT_OUTPUT, .stream = s, .data = ev->bytes.p, .data_size = ev->bytes.n };
	bawn_exec_emit(e, &out);
}

static int add_violation(struct bawn_exec *e, const char *resource, uint64_t threshold, uint64_t actual, const char *action)
{
	json_t *v = json_pack("{s:s, s:I, s:I, s:s}", "resource", resource, "threshold", (json_int_t)threshold,
	                      "actual", (json_int_t)actual, "action", action);
	return json_array_append_new(e->violations, v) == 0 ? 0 : -ENOMEM;
}

int bawn_exec_denial(struct bawn_exec *e, const struct bawn_denial *d)
{
	json_t *j = json_pack("{s:s, s:o, s:I, s:s, s:o}", "kind", bawn_word(&bawn_denial_words, (int)d->kind),
	                      "what", bawn_json_text(bawn_span(d->what)), "count", (json_int_t)d->count,
	                      "source", bawn_word(&bawn_by_words, (int)d->by), "hint", bawn_json_text(bawn_span(d->hint)));
	if (json_array_append_new(e->denials, j) != 0)
		return -ENOMEM;
	struct bawn_event out = { .kind = BAWN_EVENT_DENIAL, .text = d->what };
	bawn_exec_emit(e, &out);
	if (d->kind != BAWN_DENIAL_LIMIT)
		return 0;
	return add_violation(e, d->what, d->threshold, d->actual, "noted");
}

static void on_usage(struct bawn_exec *e, const struct bawn_usage *u)
{
	e->usage = *u;
	struct bawn_event out = { .kind = BAWN_EVENT_USAGE, .cpu_ms = u->cpu_us / 1000, .memory_bytes = u->memory_bytes,
		.pids = u->pids, .wall_ms = u->wall_us / 1000 };
	bawn_exec_emit(e, &out);
}

/* A violation that was noted turns out to have ended the run. */
static int end_by(struct bawn_exec *e, const char *resource)
{
	size_t i;
	json_t *v;
	json_array_foreach(e->violations, i, v)
		if (strcmp(json_string_value(json_object_get(v, "resource")), resource) == 0 && json_object_set_new(v, "action", json_string("killed")) < 0)
			return -ENOMEM;
	return 0;
}

static int on_outcome(struct bawn_exec *e, const struct bawn_sandbox_event *ev, struct bawn_err *err)
{
	enum bawn_end end = (unsigned)ev->outcome.end < BAWN_END_COUNT ? ev->outcome.end : BAWN_END_LOST;
	e->usage = ev->usage;
	e->status = end_row[end].status;
	e->exit_code = ev->outcome.exit_code;
	e->signal = ev->outcome.signal;
	e->has_exit = end == BAWN_END_EXIT;
	if (end == BAWN_END_EXIT && e->exit_code != 0)
		e->status = BAWN_STATUS_FAILED;
	for (int s = 1; s <= 2; s++)
		e->truncated[s] = e->truncated[s] || ev->outcome.truncated[s];
	if (end == BAWN_END_LOST)
		(void)bawn_fail_as(&e->error, BAWN_ERROR_INTERNAL, NULL, "the supervisor of the sandbox vanished; the run was ended");
	if (end_row[end].resource != NULL &&
	    add_violation(e, end_row[end].resource, ev->outcome.threshold, ev->outcome.actual, "killed") < 0)
		return bawn_fail(err, -ENOMEM, "note a violation");
	for (size_t i = 0; i < BAWN_LEN(end_row[end].noted); i++)
		if (end_row[end].noted[i] != NULL && end_by(e, end_row[end].noted[i]) < 0)
			return bawn_fail(err, -ENOMEM, "note a violation");
	return 0;
}

/* --- the way out ------------------------------------------------------------------------------ */

static bool is_limit(enum bawn_deny why) { return why == BAWN_DENY_SENT || why == BAWN_DENY_RECEIVED || why == BAWN_DENY_CONNECTIONS; }

/* "network.max_sent", for an install "network.install_max_sent": the key that would have to be another. */
static void limit_key(const struct bawn_exec *e, enum bawn_deny why, char *out, size_t size)
{
	const char *key = strchr(bawn_deny[why].rule, '.');
	snprintf(out, size, "network.%s%s", e->collector != NULL ? "install_" : "", key != NULL ? key + 1 : "");
}

static int note_refused(struct bawn_exec *e, const struct bawn_egress_denied *r)
{
	bawn_auto_buf hint = BAWN_BUF(1024);
	char key[64];
	struct bawn_denial d = { .kind = is_limit(r->why) ? BAWN_DENIAL_LIMIT : BAWN_DENIAL_NETWORK, .count = r->count, .by = BAWN_BY_PROXY,
		.threshold = r->threshold, .actual = r->actual };
	limit_key(e, r->why, key, sizeof key);
	snprintf(d.what, sizeof d.what, "%.280s", is_limit(r->why) ? key : r->what);
	bawn_deny_hint(&hint, r->why, r->what);
	if (is_limit(r->why) && e->collector != NULL)
		snprintf(d.hint, sizeof d.hint, "%s: the install of the packages met it", key);
	else
		snprintf(d.hint, sizeof d.hint, "%s: %s", bawn_deny[r->why].rule, bawn_buf_error(&hint) == 0 ? hint.p : "");
	return bawn_exec_denial(e, &d);
}

void bawn_exec_cut(struct bawn_exec *e)
{
	if (e->egress != NULL)
		(void)epoll_ctl(e->epoll, EPOLL_CTL_DEL, bawn_egress_fd(e->egress), NULL);  /* as bawn_exec_unwatch */
	bawn_egress_free(e->egress);
	e->egress = NULL;
}

/* The program is dead: whatever it had open is cut, and its account is taken. */
static int close_way(struct bawn_exec *e, struct bawn_err *err)
{
	struct bawn_egress_account a = { 0 };
	if (e->egress == NULL)
		return 0;
	int r = bawn_egress_stop(e->egress, &a, err);
	bool ok = true;
	for (size_t i = 0; r == 0 && i < a.n_denied; i++)
		ok = ok && note_refused(e, &a.denied[i]) == 0;
	if (r == 0) {
		e->network = bawn_account_json(&a);
		ok = ok && e->network != NULL && bawn_exec_observed_network(e) == 0;
	}
	bawn_egress_account_done(&a);
	bawn_exec_cut(e);
	return ok ? r : bawn_fail(err, -ENOMEM, "note what the run did on the network");
}

/* --- files ----------------------------------------------------------------------------------- */

int bawn_exec_open_out(struct bawn_exec *e, struct bawn_err *err)
{
	if (e->req.out_dir == NULL || e->collector != NULL)
		return 0;
	return bawn_outdir_open(e->req.out_dir, &e->b->dirs, e->policy->policy->witness, e->result_path, &e->outdir, err);
}

void bawn_exec_result_at(struct bawn_exec *e, const char *result_path) { e->result_path = result_path; }

static int on_skipped(void *ctx, const char *path, const char *why, struct bawn_err *err)
{
	struct bawn_exec *e = ctx;
	json_t *j = json_pack("{s:o, s:o}", "path", bawn_json_text(bawn_span(path)), "why", bawn_json_text(bawn_span(why)));
	return json_array_append_new(e->skipped, j) == 0 ? 0 : bawn_fail(err, -ENOMEM, "list a file");
}

static int on_file(void *ctx, const struct bawn_collected *f, struct bawn_err *err)
{
	struct bawn_exec *e = ctx;
	bawn_auto_fd fd = f->fd;
	(void)fd;  /* ours to close */
	if (bawn_file_name_check(f->path, NULL) < 0)
		return on_skipped(ctx, f->path, "its name cannot be used here", err);
	struct bawn_err why = { 0 };
	if (e->outdir != NULL && bawn_outdir_put(e->outdir, f, &why) < 0) {
		/* One that may not go there is left out; one that could not is something that went wrong. */
		if (why.type != BAWN_ERROR_INVALID_REQUEST && e->unkept.code == 0)
			(void)bawn_fail_as(&e->unkept, BAWN_ERROR_INVALID_REQUEST, "out_dir", "not all files were kept: %s", why.msg);
		return on_skipped(ctx, f->path, why.msg, err);
	}
	json_t *j = json_pack("{s:o, s:I, s:s}", "path", bawn_json_text(bawn_span(f->path)), "size", (json_int_t)f->size, "sha256", f->sha256);
	return json_array_append_new(e->files, j) == 0 ? 0 : bawn_fail(err, -ENOMEM, "list a file");
}

static int collect(struct bawn_exec *e, struct bawn_err *err)
{
	struct bawn_collector own = { e, on_file, on_skipped };
	if (!e->killed && atomic_load(&e->cancelled))
		return bawn_fail_as(err, BAWN_ERROR_CANCELLED, NULL, "cancelled when the code was over");
	return e->backend->collect(e->sandbox, e->collector != NULL ? e->collector : &own, err);
}

/* What went wrong after the code had run does not change how it ended; it is said beside it. */
int bawn_exec_collect(struct bawn_exec *e, struct bawn_err *err)
{
	struct bawn_err why = { 0 };
	int r = collect(e, &why);
	if (r == 0)
		return 0;
	if (r < 0 && e->error.code == 0) {
		e->error = why;
		(void)bawn_wrap(&e->error, e->error.code, "collect files");
	}
	if (e->error.code == 0 && e->late.code == 0)
		e->error = e->unkept;
	e->t_run = bawn_monotonic_us() - e->mark_us;
	e->mark_us = bawn_monotonic_us();
	if (e->late.code == 0)
		return 1;
	*err = e->late;
	return err->code;
}

static int handle(struct bawn_exec *e, const struct bawn_sandbox_event *ev, struct bawn_err *err)
{
	switch (ev->kind) {
	case BAWN_EV_OUTPUT:
		on_output(e, ev);
		return 0;
	case BAWN_EV_USAGE:
		on_usage(e, &ev->usage);
		return 0;
	case BAWN_EV_DENIAL:
		return bawn_exec_denial(e, &ev->denial) < 0 ? bawn_fail(err, -ENOMEM, "note a denial") : 0;
	case BAWN_EV_OBSERVED:
		return bawn_exec_observed(e, ev->observed, err);
	case BAWN_EV_OUTCOME:
		if (on_outcome(e, ev, &e->late) == 0 && close_way(e, &e->late) == 0 && bawn_exec_said(e) < 0)
			(void)bawn_fail(&e->late, -ENOMEM, "note what the program said");  /* the files are collected whatever is in it */
		return 1;
	}
	return bawn_fail(err, -EPROTO, "the sandbox sent an unknown event");
}

int bawn_exec_watch(struct bawn_exec *e, struct bawn_err *err)
{
	for (;;) {
		/* Looked at between events: output that never pauses must not hide a cancel. */
		if (!e->killed && atomic_load(&e->cancelled))
			e->killed = e->backend->kill(e->sandbox) == 0;  /* the outcome follows as an event */
		/* Not the code's word, nor its end, but what it did there counts: without the account it did not end well. */
		int lost = e->egress != NULL ? bawn_egress_look(e->egress, err) : 0;
		if (lost < 0)
			return lost;
		struct bawn_sandbox_event ev = { 0 };
		int r = e->backend->next_event(e->sandbox, &ev, err);
		if (r <= 0)
			return r;
		r = handle(e, &ev, err);
		if (r != 0)
			return r;
	}
}

/* --- the end ----------------------------------------------------------------------------------- */

#define PATIENCE_MS 30000  /* for a launcher that has walls to take down */
#define HURRY_MS    5000   /* for one that never had the code, where somebody waits who wants it no more; what it leaves is swept */

static int watch_end(struct bawn_exec *e, int gone, int ms)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct itimerspec after = { .it_value = { ms / 1000, (long)(ms % 1000) * 1000000 + 1 } };
	bawn_exec_unwatch(e, &e->timer);
	(void)epoll_ctl(e->epoll, EPOLL_CTL_DEL, e->backend->fd(e->sandbox), NULL);  /* it has said all it will */
	e->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return e->timer < 0 || timerfd_settime(e->timer, 0, &after, NULL) < 0 || epoll_ctl(e->epoll, EPOLL_CTL_ADD, e->timer, &ev) < 0 ||
	       epoll_ctl(e->epoll, EPOLL_CTL_ADD, gone, &ev) < 0 ? -errno : 0;
}

int bawn_exec_end(struct bawn_exec *e)
{
	int ms = e->status == BAWN_STATUS_CANCELLED && !e->handed ? HURRY_MS : PATIENCE_MS;
	int gone = e->backend->end(e->sandbox, ms);
	struct pollfd p[] = { { .fd = gone, .events = POLLIN }, { .fd = e->ending ? e->timer : -1, .events = POLLIN } };
	if (gone < 0 || poll(p, 2, 0) != 0)
		return 1;
	if (!e->ending && watch_end(e, gone, ms) < 0)
		return 1;  /* then release waits */
	e->ending = true;
	return 0;
}
