#include "core/install.h"
#include <inttypes.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "core/packages.h"

#define MAX_FILES    16384
#define MAX_INSTALLED 1024       /* packages, those that others need among them */
#define REPORT_BYTES (2u << 20)
#define LOOK_AGAIN_MS 100        /* whether who builds the same is done */
#define ABSENT 127               /* exit code of our programs: what installs is not there */

struct bawn_install {
	struct bawn_exec     *e, *child;   /* who wants it; what installs it */
	int                   claim;
	struct bawn_env_draft draft;
	struct bawn_collector collector;
	json_t               *report;      /* what the program told */
	char                  skipped[300];
};

void bawn_install_free(struct bawn_install *i)
{
	if (i == NULL)
		return;
	bawn_exec_free(i->child);
	bawn_env_draft_done(&i->draft);
	bawn_close_fdp(&i->claim);
	json_decref(i->report);
	free(i);
}

/* ---- what is wanted ---- */

static void add_text(struct bawn_sha256 *h, const char *text)
{
	bawn_sha256_add(h, text, strlen(text) + 1);  /* no text has a NUL: its end keeps two apart */
}

/* Another interpreter, or a newer one in its place, needs other files. */
static void add_interpreter(struct bawn_sha256 *h, const char *path)
{
	struct stat st = { 0 };
	char facts[96], real[PATH_MAX] = "";
	(void)!realpath(path, real);  /* one that is not there is said so by the sandbox */
	(void)stat(path, &st);
	snprintf(facts, sizeof facts, "%jd %jd.%09ld", (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	add_text(h, path);
	add_text(h, real);
	add_text(h, facts);
}

int bawn_install_want(struct bawn_exec *e, struct bawn_err *err)
{
	const struct bawn_checked *c = e->checked;
	const struct bawn_policy *p = e->policy->policy;
	const struct bawn_installer *tool = bawn_installer(c->language);
	struct bawn_plan *plan = NULL;
	int r = bawn_packages_whitelist(p, tool->tool, tool->preset, err);
	if (r == 0)
		r = bawn_plan_make(p, c, e->backend->ca_file, &plan, err);
	if (r < 0)
		return r;
	struct bawn_sha256 h;
	uint8_t raw[BAWN_SHA256_LEN];
	bawn_sha256_init(&h);
	add_text(&h, "bawn-want 1");
	add_text(&h, bawn_language[c->language].name);
	add_interpreter(&h, p->interpreter[c->language]);
	bawn_sha256_add(&h, tool->code.p, tool->code.n);
	for (size_t i = 0; i < c->n_packages; i++)
		add_text(&h, c->packages[i]);
	add_text(&h, "");
	for (size_t i = 0; i < plan->rule.n; i++)
		add_text(&h, plan->rule.item[i]);
	add_text(&h, "");
	for (size_t i = 0; i < plan->n_index; i++)
		add_text(&h, plan->env.item[i]);
	e->fetch = plan;
	bawn_sha256_end(&h, raw);
	bawn_hex(raw, sizeof raw, e->want);
	return 0;
}

int bawn_install_doubt(struct bawn_exec *e, struct bawn_err *err)
{
	const struct bawn_checked *c = e->checked;
	int r = 0;
	for (size_t i = 0; r == 0 && i < c->n_packages; i++) {
		char name[BAWN_PACKAGE_NAME], near[BAWN_PACKAGE_NAME], message[600];
		r = bawn_package_name(c->language, c->packages[i], name, err);
		if (r == 0 && bawn_package_lookalike(c->language, name, near)) {
			snprintf(message, sizeof message, "The package '%s' is one edit away from '%s'", name, near);
			r = bawn_assessment_package(e->assessment, BAWN_ALONE_LOOKALIKE, message, err);
		}
		if (r == 0 && !bawn_package_listed(e->policy->policy, c->language, name)) {
			snprintf(message, sizeof message, "The package '%s' is not in network.packages", name);
			r = bawn_assessment_package(e->assessment, BAWN_ALONE_UNLISTED, message, err);
		}
	}
	return r;
}

/* ---- what came ---- */

static int take_report(struct bawn_install *i, int fd, struct bawn_err *err)
{
	bawn_auto_buf text = BAWN_BUF(REPORT_BYTES);
	int r = bawn_read_fd(fd, "the report", &text, err);
	return r < 0 ? r : bawn_json_parse(bawn_buf_span(&text), &i->report, err);
}

static int on_file(void *ctx, const struct bawn_collected *f, struct bawn_err *err)
{
	struct bawn_install *i = ctx;
	bawn_auto_fd fd = f->fd;
	if (i->child->status != BAWN_STATUS_COMPLETED)
		return 0;
	if (strcmp(f->path, "report.json") == 0 && i->report == NULL)
		return take_report(i, fd, err);
	if (strncmp(f->path, "env/", 4) != 0)
		return 0;
	int r = bawn_file_name_check(f->path, err);
	return r < 0 ? r : bawn_env_draft_put(&i->draft, f->path + 4, fd, f->sha256, err);
}

/* One file that cannot be taken spoils the whole. */
static int on_skipped(void *ctx, const char *path, const char *why, struct bawn_err *err)
{
	struct bawn_install *i = ctx;
	(void)err;
	if (i->skipped[0] == '\0' && strncmp(path, "env/", 4) == 0)
		snprintf(i->skipped, sizeof i->skipped, "%.200s: %.80s", path + 4, why);
	return 0;
}

#define FAILED(...) bawn_fail_as(err, BAWN_ERROR_INSTALL_FAILED, "packages", __VA_ARGS__)

/* Where it came from, without a user, a password or anything behind it. */
static json_t *origin(const char *url)
{
	bawn_auto_buf b = BAWN_BUF(2048);
	const char *slashes = strstr(url, "://");
	const char *host = slashes != NULL ? slashes + 3 : url;
	size_t authority = strcspn(host, "/?#"), all = strcspn(host, "?#");
	const char *at = memrchr(host, '@', authority);
	bawn_buf_add(&b, url, (size_t)(host - url));
	const char *from = at != NULL ? at + 1 : host;
	bawn_buf_add(&b, from, (size_t)(host + all - from));
	return bawn_buf_error(&b) == 0 ? bawn_json_text(bawn_buf_span(&b)) : json_string("");
}

static const char *text_of(const json_t *o, const char *key, size_t max)
{
	const json_t *v = json_object_get(o, key);
	const char *text = json_string_value(v);
	return text != NULL && text[0] != '\0' && json_string_length(v) <= max && strlen(text) == json_string_length(v) ? text : NULL;
}

/* A package that nobody named comes with one that somebody did: what would be held for its name is not let in by the side. */
static int check_brought(const struct bawn_exec *e, const char *name, struct bawn_err *err)
{
	const struct bawn_checked *c = e->checked;
	char near[BAWN_PACKAGE_NAME], asked[BAWN_PACKAGE_NAME];
	for (size_t i = 0; i < c->n_packages; i++)
		if (bawn_package_name(c->language, c->packages[i], asked, NULL) == 0 && strcmp(asked, name) == 0)
			return 0;
	if (bawn_package_lookalike(c->language, name, near))
		return FAILED("the packages need '%s', which is one edit away from '%s'; name it among the packages, too, so that a person can agree", name, near);
	if (!bawn_package_listed(e->policy->policy, c->language, name))
		return FAILED("the packages need '%s', which is not in network.packages; name it among the packages, too, so that a person can agree", name);
	return 0;
}

static int check_package(const struct bawn_exec *e, const json_t *from, json_t **out, struct bawn_err *err)
{
	const char *given = text_of(from, "name", BAWN_PACKAGE_NAME - 1), *version = text_of(from, "version", 128);
	const char *hash = text_of(from, "hash", 256), *url = text_of(from, "url", 2000);
	char name[BAWN_PACKAGE_NAME];
	if (given == NULL || version == NULL || hash == NULL || url == NULL || strlen(hash) < 32)
		return FAILED("a package came without name, version, hash or origin: %.100s", given != NULL ? given : "?");
	int r = bawn_package_name(e->checked->language, given, name, err);
	/* What another brings in its own file was not fetched by its name: whoever took the one took the other. */
	const char *bundled = json_string_value(json_object_get(from, "bundled_in"));
	if (r == 0 && bundled == NULL)
		r = check_brought(e, name, err);
	if (r < 0)
		return r;
	bawn_auto_json p = json_pack("{s:s, s:o, s:o, s:o}", "name", name, "version", bawn_json_text(bawn_span(version)), "hash", bawn_json_text(bawn_span(hash)), "url", origin(url));
	bool ok = p != NULL;
	if (bundled != NULL)
		bawn_json_set(p, "bundled_in", bawn_json_text(bawn_span(bundled)), &ok);
	if (!ok)
		return bawn_fail(err, -ENOMEM, "read the report");
	*out = bawn_steal(p);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a, *y = *(json_t *const *)b;
	int r = strcmp(json_string_value(json_object_get(x, "name")), json_string_value(json_object_get(y, "name")));
	if (r == 0)
		r = strcmp(json_string_value(json_object_get(x, "version")), json_string_value(json_object_get(y, "version")));
	return r != 0 ? r : strcmp(json_string_value(json_object_get(x, "hash")), json_string_value(json_object_get(y, "hash")));  /* bundled by two */
}

/* Every package, checked and in order. */
static int check_packages(const struct bawn_exec *e, const json_t *report, json_t **out, struct bawn_err *err)
{
	const json_t *list = json_object_get(report, "packages");
	size_t n = json_array_size(list);
	if (n == 0 || n > MAX_INSTALLED)
		return FAILED("%zu packages came, from 1 to %d can be taken", n, MAX_INSTALLED);
	bawn_auto_free json_t **item = calloc(n, sizeof(json_t *));
	bawn_auto_json all = json_array();
	int r = item != NULL && all != NULL ? 0 : bawn_fail(err, -ENOMEM, "read the report");
	size_t got = 0;
	bool ok = true;
	for (; r == 0 && got < n; got += r == 0)
		r = check_package(e, json_array_get(list, got), &item[got], err);
	if (r == 0)
		qsort(item, n, sizeof *item, by_name);
	for (size_t i = 0; i < got; i++)
		bawn_json_push(all, item[i], &ok);  /* takes them, whatever came before */
	if (r == 0 && ok)
		*out = bawn_steal(all);
	return r < 0 ? r : ok ? 0 : bawn_fail(err, -ENOMEM, "read the report");
}

/* Two files can be made that have the same of these. */
static bool is_weak(const json_t *package)
{
	const char *hash = json_string_value(json_object_get(package, "hash"));
	return hash != NULL && (strncmp(hash, "md5", 3) == 0 || strncmp(hash, "sha1", 4) == 0);
}

/* tree: the sum of what was installed, which stands in for hashes that are worth little. */
static void lock_sum(const struct bawn_exec *e, const char *interpreter, const json_t *packages, const char *tree, char out[static BAWN_SHA256_HEX])
{
	static const char *const key[] = { "name", "version", "hash" };
	struct bawn_sha256 h;
	uint8_t raw[BAWN_SHA256_LEN];
	size_t i;
	json_t *p;
	bawn_sha256_init(&h);
	add_text(&h, "bawn-env 1");
	add_text(&h, bawn_language[e->checked->language].name);
	add_text(&h, interpreter);
	bool weak = false;
	json_array_foreach(packages, i, p) {
		for (size_t k = 0; k < BAWN_LEN(key); k++)
			add_text(&h, json_string_value(json_object_get(p, key[k])));
		weak = weak || is_weak(p);
	}
	if (weak)
		add_text(&h, tree);
	bawn_sha256_end(&h, raw);
	bawn_hex(raw, sizeof raw, out);
}

static json_t *requested(const struct bawn_checked *c)
{
	json_t *list = json_array();
	bool ok = list != NULL;
	for (size_t i = 0; ok && i < c->n_packages; i++)
		bawn_json_push(list, bawn_json_text(bawn_span(c->packages[i])), &ok);
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

static int describe(const struct bawn_install *i, char sha256[static BAWN_SHA256_HEX], json_t **out, struct bawn_err *err)
{
	const struct bawn_exec *e = i->e;
	const char *interpreter = text_of(i->report, "interpreter", 200), *tool = text_of(i->report, "tool", 100);
	bawn_auto_json packages = NULL;
	char at[BAWN_RFC3339_LEN], tree[BAWN_SHA256_HEX];
	uint8_t raw[BAWN_SHA256_LEN];
	struct bawn_sha256 sum = i->draft.sum;
	if (interpreter == NULL || tool == NULL || i->draft.files == 0)
		return FAILED("the installer did not say what it did");
	int r = check_packages(e, i->report, &packages, err);
	if (r < 0)
		return r;
	bawn_sha256_end(&sum, raw);
	bawn_hex(raw, sizeof raw, tree);
	lock_sum(e, interpreter, packages, tree, sha256);
	bawn_rfc3339(bawn_wall_us(), at);
	*out = json_pack("{s:i, s:s, s:s, s:o, s:o, s:o, s:O, s:I, s:I, s:s, s:s, s:s}", "v", 1, "environment", sha256, "language", bawn_language[e->checked->language].name,
		"interpreter", bawn_json_text(bawn_span(interpreter)), "tool", bawn_json_text(bawn_span(tool)), "requested", requested(e->checked), "packages", packages,
		"files", (json_int_t)i->draft.files, "bytes", (json_int_t)i->draft.bytes, "tree_sha256", tree, "built_at", at, "install", i->child->id);
	return *out != NULL ? 0 : bawn_fail(err, -ENOMEM, "describe the environment");
}

/* ---- how it ended ---- */

/* The end of what pip or npm said: it knows best what was wrong. */
static int not_installed(const struct bawn_install *i, struct bawn_err *err)
{
	const struct bawn_exec *child = i->child;
	const struct bawn_installer *tool = bawn_installer(i->e->checked->language);
	bawn_auto_buf said = BAWN_BUF(4096);
	struct bawn_span text = bawn_buf_span(&child->out[2]);
	size_t cut = text.n > 320 ? text.n - 320 : 0;
	if (child->has_exit && child->exit_code == ABSENT)
		return bawn_fail_as(err, BAWN_ERROR_INTERPRETER_MISSING, "packages", "%s is not there: install the package '%s'", tool->tool, tool->package);
	while (cut > 0 && cut < text.n && text.p[cut - 1] != '\n' && text.p[cut - 1] != ' ')
		cut++;
	while (text.n > cut && text.p[text.n - 1] == '\n')
		text.n--;
	struct bawn_span rest = { text.p + cut, text.n - cut }, line;
	for (; bawn_span_take(&rest, '\n', &line); bawn_buf_str(&said, "; "))
		bawn_buf_escaped(&said, line);
	bawn_buf_escaped(&said, rest);
	return FAILED("%s did not install them (%s): %.330s", tool->tool, bawn_status_name(child->status), said.n > 0 ? said.p : "it said nothing");
}

static int failed(struct bawn_install *i, struct bawn_err *err)
{
	struct bawn_exec *e = i->e, *child = i->child;
	/* A host that is not listed, and which row would list it; a password that was not handed on. */
	if (json_array_extend(e->denials, child->denials) < 0 || json_array_extend(e->warnings, child->warnings) < 0)
		return bawn_fail(err, -ENOMEM, "install the packages");
	if (child->status == BAWN_STATUS_CANCELLED || child->status == BAWN_STATUS_BUSY)
		e->status = child->status;
	if (child->error.code < 0) {
		*err = child->error;
		return bawn_wrap(err, child->error.code, "install the packages");
	}
	if (child->status != BAWN_STATUS_COMPLETED)
		return not_installed(i, err);
	return FAILED("what was installed cannot be taken whole: %s", i->skipped);
}

static int warn_of_weak(struct bawn_exec *e, const json_t *doc, struct bawn_err *err)
{
	size_t i;
	json_t *p;
	bool ok = true;
	json_array_foreach(json_object_get(doc, "packages"), i, p) {
		bawn_auto_buf b = BAWN_BUF(600);
		if (!is_weak(p))
			continue;
		const char *hash = json_string_value(json_object_get(p, "hash"));
		bawn_buf_fmt(&b, "of the package '%s' the index gives no better hash than %.*s", json_string_value(json_object_get(p, "name")), (int)strcspn(hash, ":-"), hash);
		bawn_json_push(e->warnings, bawn_json_text(bawn_buf_span(&b)), &ok);
	}
	return ok ? 0 : bawn_fail(err, -ENOMEM, "read the report");
}

/* Recorded, then published: nobody uses what is not in the log. */
static int finish(struct bawn_install *i, struct bawn_err *err)
{
	struct bawn_exec *e = i->e;
	char sha256[BAWN_SHA256_HEX];
	bawn_auto_json doc = NULL;
	if (i->child->status != BAWN_STATUS_COMPLETED || i->child->error.code < 0 || i->skipped[0] != '\0')
		return failed(i, err);
	int r = describe(i, sha256, &doc, err);
	if (r == 0)
		r = warn_of_weak(e, doc, err);
	if (r == 0)
		r = bawn_record_env_built(e, doc, err);
	if (r == 0)
		r = bawn_env_draft_publish(&i->draft, sha256, doc, i->claim, err);
	if (r == 0)
		r = bawn_env_hold(e->b->dirs.state, sha256, &e->env, err);
	return r;
}

/* ---- the phase ---- */

/* Our own program, the packages for its arguments, and as much room as policy gives anybody. */
static int begin(struct bawn_install *i, struct bawn_err *err)
{
	struct bawn_exec *e = i->e;
	const struct bawn_trust_base *most = &e->policy->policy->dynamic_max;
	struct bawn_span code = bawn_installer(e->checked->language)->code;
	struct bawn_request req = { .size = sizeof req, .code = code.p, .code_size = code.n, .language = bawn_language[e->checked->language].name,
		.path = "bawn install", .args = (const char *const *)e->checked->packages, .n_args = e->checked->n_packages, .session = e->checked->session,
		.backend = bawn_word(&bawn_backend_words, BAWN_BACKEND_NATIVE), .memory_bytes = most->memory_bytes, .disk_bytes = most->disk_bytes,
		.timeout_ms = most->timeout_ms, .client = e->req.client,
		.hosts = (const char *const *)e->checked->hosts, .n_hosts = e->checked->n_hosts };  /* granted, or none of this would begin */
	struct epoll_event ev = { .events = EPOLLIN };
	int r = bawn_env_draft_begin(e->b->dirs.state, e->id, &i->draft, err);
	if (r == 0)
		r = bawn_start(e->b, &req, &i->child, err);
	if (r < 0)
		return r;
	bawn_policy_drop(i->child->policy);  /* the same as the request's, whatever was set meanwhile */
	(void)atomic_fetch_add(&e->policy->refs, 1);
	i->child->policy = e->policy;
	i->child->behalf = e;
	i->child->plan = e->fetch;  /* what the key was made of is what it has: nothing is resolved twice */
	e->fetch = NULL;
	i->collector = (struct bawn_collector){ i, on_file, on_skipped };
	i->child->collector = &i->collector;
	i->child->collect_files = MAX_FILES;
	if (epoll_ctl(e->epoll, EPOLL_CTL_ADD, bawn_exec_fd(i->child), &ev) < 0)
		return bawn_fail(err, -errno, "watch the install");
	/* The launcher that was started for the run is not kept waiting for minutes. */
	e->backend->release(e->sandbox);
	e->sandbox = NULL;
	bawn_exec_emit_state(e, "installing");
	return 0;
}

static int look_again(struct bawn_exec *e, struct bawn_err *err)
{
	struct itimerspec in = { .it_interval = { .tv_nsec = LOOK_AGAIN_MS * 1000000l }, .it_value = { .tv_nsec = LOOK_AGAIN_MS * 1000000l } };
	struct epoll_event ev = { .events = EPOLLIN };
	uint64_t seen;
	if (e->timer >= 0)
		return read(e->timer, &seen, sizeof seen) < 0 && errno != EAGAIN ? bawn_fail(err, -errno, "wait for the install") : 0;
	e->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (e->timer < 0 || timerfd_settime(e->timer, 0, &in, NULL) < 0 || epoll_ctl(e->epoll, EPOLL_CTL_ADD, e->timer, &ev) < 0)
		return bawn_fail(err, -errno, "wait for the install");
	return 0;
}

/* What was built before is held to the policy of today: what it came with may be listed no more. */
static int check_known(const struct bawn_exec *e, struct bawn_err *err)
{
	size_t i;
	json_t *p;
	int r = 0;
	json_array_foreach(json_object_get(e->env.doc, "packages"), i, p) {
		const char *name = json_string_value(json_object_get(p, "name"));
		if (json_object_get(p, "bundled_in") != NULL)
			continue;
		r = name != NULL ? check_brought(e, name, err) : FAILED("environment %.12s does not say what it is made of", e->env.sha256);
		if (r < 0)
			return r;
	}
	return 0;
}

/* 1: it was built before; 0: it was not. */
static int take_known(struct bawn_exec *e, struct bawn_err *err)
{
	const char *state = e->b->dirs.state;
	char sha256[BAWN_SHA256_HEX];
	if (!bawn_env_wanted(state, e->want, sha256) || bawn_env_hold(state, sha256, &e->env, NULL) < 0)
		return 0;
	int r = check_known(e, err);
	return r < 0 ? r : 1;
}

/* Somebody else builds it.  One that was stopped in the middle holds its claim for ever: it is not waited for that long. */
static int wait_for_it(struct bawn_exec *e, struct bawn_err *err)
{
	const struct bawn_policy *p = e->policy->policy;
	uint64_t now = bawn_monotonic_us();
	if (e->timer < 0) {
		e->queue_until_us = now + (p->dynamic_max.timeout_ms + p->queue_timeout_ms) * 1000;
		bawn_exec_emit_state(e, "installing");
	}
	if (now < e->queue_until_us)
		return look_again(e, err);
	bawn_exec_unwatch(e, &e->timer);
	e->status = BAWN_STATUS_BUSY;
	return bawn_fail_as(err, BAWN_ERROR_BUSY, "packages", "somebody else installs the same packages, and was not done in time");
}

/* 1: it is there; 0: it is not, and this one may build it, or (no e->install) waits for who does. */
static int find(struct bawn_exec *e, struct bawn_err *err)
{
	int claim = -1;
	int r = take_known(e, err);
	if (r != 0)
		return r;
	r = bawn_env_claim(e->b->dirs.state, e->want, &claim, err);
	if (r == -EAGAIN)
		return wait_for_it(e, err);
	if (r < 0)
		return r;
	bawn_exec_unwatch(e, &e->timer);
	r = take_known(e, err);  /* built between the two looks? */
	if (r != 0) {
		bawn_close_fdp(&claim);
		return r;
	}
	e->install = calloc(1, sizeof *e->install);
	if (e->install == NULL) {
		bawn_close_fdp(&claim);
		return bawn_fail(err, -ENOMEM, "install");
	}
	*e->install = (struct bawn_install){ .e = e, .claim = claim, .draft = BAWN_ENV_DRAFT_NONE };
	return begin(e->install, err);
}

static int go_on(struct bawn_exec *e, struct bawn_err *err)
{
	if (atomic_load(&e->cancelled) && !atomic_load(&e->install->child->cancelled))
		(void)bawn_cancel(e->install->child);  /* its outcome follows */
	int r = bawn_exec_step(e->install->child, err);
	if (r != 1)
		return r;
	r = finish(e->install, err);
	e->built = r == 0;
	bool ok = true;
	if (r < 0 && e->consumed)
		bawn_json_push(e->warnings, json_string("the approval was for one try, which was made: another needs another"), &ok);
	bawn_install_free(e->install);
	e->install = NULL;
	return r < 0 ? r : 1;
}

static int take_named(struct bawn_exec *e, struct bawn_err *err)
{
	int r = bawn_env_hold(e->b->dirs.state, e->checked->environment, &e->env, err);
	if (r < 0)
		return r;
	const char *language = json_string_value(json_object_get(e->env.doc, "language"));
	if (language == NULL || strcmp(language, bawn_language[e->checked->language].name) != 0)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "environment", "environment %.12s is for %.20s", e->env.sha256, language != NULL ? language : "nobody");
	return 1;
}

int bawn_install_step(struct bawn_exec *e, struct bawn_err *err)
{
	if (e->checked->environment != NULL)
		return take_named(e, err);
	if (e->checked->n_packages == 0)
		return 1;
	if (e->install == NULL && atomic_load(&e->cancelled)) {
		e->status = BAWN_STATUS_CANCELLED;
		return bawn_fail_as(err, BAWN_ERROR_CANCELLED, NULL, "cancelled before it started");
	}
	int r = e->install == NULL ? find(e, err) : 0;
	return r != 0 || e->install == NULL ? r : go_on(e, err);
}

json_t *bawn_install_json(const struct bawn_exec *e)
{
	if (e->env.doc == NULL)
		return json_null();
	return json_pack("{s:s, s:b, s:O, s:O}", "sha256", e->env.sha256, "built", (int)e->built, "packages", json_object_get(e->env.doc, "packages"),
		"interpreter", json_object_get(e->env.doc, "interpreter"));
}
