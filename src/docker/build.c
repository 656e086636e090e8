/* build.c - a container from nothing to PID 1 waiting at its standard input, and back to nothing. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/num.h"
#include "docker/manager.h"
#include "docker/names.h"

#define CLEAR_MS   20000u  /* for all that dead runs left */
#define CLEAR_MOST 64u     /* containers of others; more are for the next run */

static void read_boot(char out[static 40])
{
	bawn_auto_buf text = BAWN_BUF(64);
	out[0] = '\0';
	if (bawn_read_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id", &text, NULL) == 0)
		snprintf(out, 40, "%.*s", (int)strcspn(text.p, "\n"), text.p);
}

/* "pid:[4026531836] 4711 123456", or "" where there is no such process: a number alone is given again to others, and one that
 * is dead may wait long for a parent that takes note of it. */
static void read_process(const char *pid, char out[static 80])
{
	char path[64], space[40] = "";
	bawn_auto_buf text = BAWN_BUF(4096);
	unsigned long long start = 0;
	char state = 'X';
	out[0] = '\0';
	snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
	ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);
	if (n <= 0 || bawn_read_file(AT_FDCWD, path, &text, NULL) < 0)
		return;
	const char *end = strrchr(text.p, ')');  /* its name may have anything in it */
	if (end != NULL && sscanf(end, ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %llu", &state, &start) == 2 && state != 'Z' && state != 'X')
		snprintf(out, 80, "%s %ld %llu", space, strtol(text.p, NULL, 10), start);
}

/* The directory that a lock file is in, by the way the descriptor came; -1 where it cannot be told. */
static int open_slots(int lock)
{
	char path[64], file[512] = "";
	snprintf(path, sizeof path, "/proc/self/fd/%d", lock);
	ssize_t n = lock >= 0 ? readlink(path, file, sizeof file - 1) : -1;
	char *slash = n > 0 ? strrchr(file, '/') : NULL;
	if (slash == NULL)
		return -1;
	*slash = '\0';
	return open(file, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void read_maker(const struct bawn_manager *m, struct bawn_maker *out)
{
	struct stat st;
	*out = (struct bawn_maker){ 0 };
	read_boot(out->boot);
	read_process("self", out->by);
	if (m->probing)
		snprintf(out->slot, sizeof out->slot, "probe");
	else
		snprintf(out->slot, sizeof out->slot, "%u", m->spec.slot);
	bawn_auto_fd slots = open_slots(m->slot_fd);
	if (slots >= 0 && fstat(slots, &st) == 0)
		snprintf(out->slots, sizeof out->slots, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
}

static int get(struct bawn_moby *e, const char *id, json_t **out, struct bawn_err *err)
{
	return bawn_moby_call(e, &(struct bawn_call){ .method = "GET", .ms = BAWN_MOBY_QUICK }, NULL, out, err, "/containers/%s/json", id);
}

/* 1: removed; 0: gone already, or on its way by somebody else, who sweeps too. */
static int delete(struct bawn_moby *e, const char *id, long ms, struct bawn_err *err)
{
	long status = 0;
	int r = bawn_moby_call(e, &(struct bawn_call){ .method = "DELETE", .ms = ms, .may = { 404, 409 } }, &status, NULL, err, "/containers/%s?force=1&v=1", id);
	return r < 0 ? r : status != 404 && status != 409;
}

/* Every container of ours that `filter` (a label, or label=value) matches. */
static int list(struct bawn_moby *e, const char *filter, json_t **out, struct bawn_err *err)
{
	bawn_auto_json f = json_pack("{s:[s]}", "label", filter);
	bawn_auto_free char *text = f != NULL ? json_dumps(f, JSON_COMPACT) : NULL;
	char *escaped = text != NULL ? bawn_moby_escape(e, text) : NULL;
	if (escaped == NULL)
		return bawn_fail(err, -ENOMEM, "list the containers");
	int r = bawn_moby_call(e, &(struct bawn_call){ .method = "GET", .ms = BAWN_MOBY_QUICK }, NULL, out, err, "/containers/json?all=1&filters=%s", escaped);
	curl_free(escaped);
	if (r == 0 && !json_is_array(*out)) {
		json_decref(*out);
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "backend", "the engine lists no containers");
	}
	return r;
}

/* --- what dead runs left -------------------------------------------------------------------------- */

static bool is_label(const json_t *c, const char *name, const char *want)
{
	const char *is = json_string_value(json_object_get(json_object_get(c, "Labels"), name));
	return is != NULL && strcmp(is, want) == 0;
}

/* Whether nobody holds the lock of the slot; one that is gone is held by nobody. */
static bool is_free(int slots, const char *slot)
{
	uint64_t number;
	if (bawn_parse_u64(bawn_span(slot), 0, UINT32_MAX, &number, NULL) < 0)
		return false;
	bawn_auto_fd lock = openat(slots, slot, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	return lock < 0 ? errno == ENOENT : flock(lock, LOCK_EX | LOCK_NB) == 0;
}

/* The launcher that made it is gone; where it is of another process namespace the lock tells, which another run may have
 * by now. */
static bool is_orphan(const char *by, int slots, const char *slot)
{
	char now[80], space[40] = "", pid[24];
	ssize_t n = readlink("/proc/self/ns/pid", space, sizeof space - 1);
	if (n <= 0 || strncmp(by, space, strlen(space)) != 0 || sscanf(by + strlen(space), " %23s", pid) != 1)
		return is_free(slots, slot);
	read_process(pid, now);
	return strcmp(now, by) != 0;
}

/* Ours to remove: of this run directory and boot, and nobody's; or of an earlier boot of a host and not running. */
static bool is_left(const json_t *c, int slots, const char *dir, const char *boot)
{
	const json_t *labels = json_object_get(c, "Labels");
	const char *slot = json_string_value(json_object_get(labels, BAWN_LABEL_SLOT)), *theirs = json_string_value(json_object_get(labels, BAWN_LABEL_SLOTS)),
		*when = json_string_value(json_object_get(labels, BAWN_LABEL_BOOT)), *by = json_string_value(json_object_get(labels, BAWN_LABEL_BY)), *state = json_string_value(json_object_get(c, "State"));
	if (slot == NULL || theirs == NULL || when == NULL || when[0] == '\0' || by == NULL || state == NULL)
		return false;  /* of an image of ours, but not of us */
	if (strcmp(when, boot) != 0)
		return strcmp(state, "exited") == 0 || strcmp(state, "created") == 0 || strcmp(state, "dead") == 0;
	return strcmp(theirs, dir) == 0 && is_orphan(by, slots, slot);
}

static long left_ms(uint64_t until_us)
{
	const uint64_t now = bawn_monotonic_us();
	return now + 1000 < until_us ? (long)((until_us - now) / 1000) : 1;  /* 0 would mean for ever */
}

/* What dead runs left, whether they ran or made an image.  Of this very slot it has to go, and first, since the lock is ours
 * now and so is the uid; of others it goes until one does not. */
static int clear(struct bawn_manager *m, const struct bawn_maker *maker, uint32_t *cleared, struct bawn_err *err)
{
	bawn_auto_json all = NULL;
	size_t i, tried = 0;
	json_t *c;
	bawn_auto_fd slots = open_slots(m->slot_fd);
	const uint64_t until = bawn_monotonic_us() + CLEAR_MS * 1000;
	bawn_way_sweep(slots);
	int r = list(&m->engine, BAWN_LABEL_BY, &all, err);
	for (int must = 1; r >= 0 && must >= 0; must--)
		json_array_foreach(all, i, c) {
			const char *id = json_string_value(json_object_get(c, "Id"));
			const bool own = is_label(c, BAWN_LABEL_SLOT, maker->slot) && is_label(c, BAWN_LABEL_SLOTS, maker->slots);
			if (!bawn_is_container_id(id) || own != must || (!own && (!is_left(c, slots, maker->slots, maker->boot) || tried++ >= CLEAR_MOST)))
				continue;
			r = delete(&m->engine, id, left_ms(until), own ? err : NULL);
			if (r < 0)
				return own ? bawn_wrap(err, r, "remove a dead run's container") : 0;
			*cleared += (uint32_t)r;
		}
	return r < 0 ? r : 0;
}

/* Whatever comes of the run: what was removed on its way is the client's to record.  A probe has no log, and removes nothing. */
static int sweep(struct bawn_manager *m, const struct bawn_maker *maker, struct bawn_err *err)
{
	uint32_t cleared = 0;
	bawn_auto_buf b = BAWN_IPC_BUF;
	int r = m->probing ? 0 : clear(m, maker, &cleared, err);
	bawn_ipc_put_u32(&b, cleared);
	int told = cleared > 0 ? bawn_ipc_send(m->sock, BAWN_WIRE_SWEPT, &b, NULL, 0, 0, r == 0 ? err : NULL) : 0;
	return r < 0 ? r : told;
}

static int open_way(struct bawn_manager *m, struct bawn_err *err)
{
	if (m->spec.network == BAWN_NETWORK_NONE)
		return 0;
	bawn_auto_fd slots = open_slots(m->slot_fd);
	return bawn_way_open(&m->way, slots, err);
}

/* An engine asks its runtime for that, which takes it as long as all other questions together: asked beside them. */
struct versions { struct bawn_moby engine; pthread_t thread; bool asked; json_t *said; int r; struct bawn_err err; };

static void *ask_versions(void *ctx)
{
	struct versions *v = ctx;
	v->r = bawn_moby_call(&v->engine, &(struct bawn_call){ .method = "GET", .ms = BAWN_MOBY_QUICK }, NULL, &v->said, &v->err, "/version");
	return NULL;
}

static int begin_versions(const struct bawn_manager *m, struct versions *v, struct bawn_err *err)
{
	int r = bawn_moby_init(&v->engine, m->engine.socket, err);
	memcpy(v->engine.api, m->engine.api, sizeof v->engine.api);
	v->asked = r == 0 && pthread_create(&v->thread, NULL, ask_versions, v) == 0;
	return r == 0 && !v->asked ? bawn_fail(err, -EAGAIN, "ask the engine for its versions") : r;
}

static void end_versions(struct bawn_manager *m, struct versions *v)
{
	if (v->asked)
		(void)pthread_join(v->thread, NULL);
	v->asked = false;
	bawn_moby_done(&v->engine);
	m->versions = v->said;
}

static int check_versions(struct bawn_manager *m, struct versions *v, struct bawn_err *err)
{
	end_versions(m, v);
	int r = v->r;
	if (r < 0 && err != NULL)
		*err = v->err;
	if (r == 0)
		r = bawn_versions_check(m->versions, m->spec.container.runtime, &m->vulnerable, err);
	json_t *first = json_array_get(m->vulnerable, 0);
	if (r == 0 && first != NULL && m->spec.container.require_patched)
		r = bawn_fail_as(err, BAWN_ERROR_ENFORCEMENT_MISSING, "docker.require_patched", "%s, version %.40s, is not known to be mended (%s)",
		                 json_string_value(json_object_get(first, "name")), json_string_value(json_object_get(first, "version")),
		                 json_string_value(json_object_get(first, "cve")));
	return r;
}

static int create(struct bawn_manager *m, const struct bawn_maker *maker, struct bawn_err *err)
{
	bawn_auto_json made = NULL;
	int r = bawn_container_config(&m->spec, &m->image, maker, m->way.socket, &m->config, err);
	if (r == 0)
		r = bawn_moby_call(&m->engine, &(struct bawn_call){ .method = "POST", .body = m->config, .ms = BAWN_MOBY_SLOW / 2 }, NULL, &made, err, "/containers/create");
	if (r < 0)
		return r;
	const char *id = json_string_value(json_object_get(made, "Id"));
	if (!bawn_is_container_id(id))
		return bawn_fail_as(err, BAWN_ERROR_BACKEND_UNAVAILABLE, "backend", "the engine made a container without an id");
	memcpy(m->id, id, sizeof m->id);
	return 0;
}

static int check(struct bawn_manager *m, struct bawn_err *err)
{
	bawn_auto_json seen = NULL;
	int r = get(&m->engine, m->id, &seen, err);
	return r < 0 ? r : bawn_container_check(m->config, &m->image, seen, err);
}

/* An engine on another machine has numbers that mean nothing here. */
void bawn_manager_find_pid(struct bawn_manager *m)
{
	bawn_auto_json seen = NULL;
	if (get(&m->engine, m->id, &seen, NULL) < 0)
		return;
	json_int_t pid = json_integer_value(json_object_get(json_object_get(seen, "State"), "Pid"));
	char path[48];
	bawn_auto_buf text = BAWN_BUF(65536);
	/* Held before it is looked at: a number that is given to another one meanwhile is then not what is ended. */
	bawn_auto_fd held = pid > 1 && pid <= INT32_MAX ? pidfd_open((pid_t)pid, 0) : -1;
	snprintf(path, sizeof path, "/proc/%lld/cgroup", (long long)pid);
	if (held >= 0 && bawn_read_file(AT_FDCWD, path, &text, NULL) == 0 && strstr(text.p, m->id) != NULL)
		m->pid_fd = bawn_take_fd(&held);
}

static int start(struct bawn_manager *m, struct bawn_err *err)
{
	int r = bawn_moby_attach(&m->engine, m->id, &m->attach, err);
	if (r == 0)
		r = bawn_moby_call(&m->engine, &(struct bawn_call){ .method = "POST", .ms = BAWN_MOBY_SLOW / 2 }, NULL, NULL, err, "/containers/%s/start", m->id);
	m->started = r == 0;
	return r;
}

int bawn_manager_build(struct bawn_manager *m, struct bawn_err *err)
{
	struct bawn_maker maker;
	if (m->spec.uid == 0)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "uid", "every run needs a uid of its own");
	if (m->spec.container.image[0] == '\0')
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "image", "no image is named: 'image' in sandbox.yaml, or --image");
	read_maker(m, &maker);
	struct versions versions = { 0 };
	int r = bawn_moby_init(&m->engine, m->spec.container.engine, err);
	if (r == 0)
		r = bawn_moby_meet(&m->engine, err);
	if (r == 0)
		r = begin_versions(m, &versions, err);
	if (r == 0)
		r = sweep(m, &maker, err);
	if (r == 0)
		r = bawn_image_find(&m->engine, m->spec.container.image, &maker, &m->image, err);
	if (r == 0)
		r = open_way(m, err);
	if (r == 0)
		r = create(m, &maker, err);
	if (r == 0)
		r = check(m, err);
	/* Where it matters nothing is started before it is known; where it is only told, nobody waits for it. */
	if (r == 0 && m->spec.container.require_patched)
		r = check_versions(m, &versions, err);
	if (r == 0)
		r = start(m, err);
	if (r == 0 && !m->spec.container.require_patched)
		r = check_versions(m, &versions, err);
	end_versions(m, &versions);
	return r;
}

void bawn_manager_remove(struct bawn_manager *m)
{
	bawn_way_close(&m->way);
	bawn_close_fdp(&m->attach);  /* the end of the init's input */
	if (m->id[0] != '\0' && delete(&m->engine, m->id, BAWN_MOBY_SLOW / 3, NULL) < 0 && m->pid_fd >= 0)
		(void)pidfd_send_signal(m->pid_fd, SIGKILL, NULL, 0);  /* the engine does not: what it leaves is swept later */
	m->id[0] = '\0';
	bawn_close_fdp(&m->pid_fd);
}

int bawn_manager_post_mortem(struct bawn_manager *m, enum bawn_end *out, struct bawn_err *err)
{
	bawn_auto_json seen = NULL;
	int r = get(&m->engine, m->id, &seen, err);
	if (r < 0)
		return bawn_wrap(err, r, "the engine went away while the code ran, which was ended");
	*out = json_is_true(json_object_get(json_object_get(seen, "State"), "OOMKilled")) ? BAWN_END_MEMORY : BAWN_END_KILLED;
	return 0;
}

/* --- the account --------------------------------------------------------------------------------- */

/* As it was sent, with the hash of the filter instead of its thousand lines. */
static json_t *config_account(const json_t *config)
{
	json_t *copy = json_deep_copy(config), *opt = json_object_get(json_object_get(copy, "HostConfig"), "SecurityOpt");
	const char *filter = json_string_value(json_array_get(opt, 1));
	char sum[BAWN_SHA256_HEX], text[100];
	if (filter != NULL) {
		bawn_sha256_hex(bawn_span(filter + strlen("seccomp=")), sum);
		snprintf(text, sizeof text, "seccomp=sha256:%s", sum);
		if (json_array_set_new(opt, 1, json_string(text)) < 0) {
			json_decref(copy);
			return NULL;
		}
	}
	return copy;
}

int bawn_manager_account(struct bawn_manager *m, struct bawn_buf *out, struct bawn_err *err)
{
	json_t *versions = json_object(), *c;
	bool ok = versions != NULL;
	size_t i;
	json_array_foreach(json_object_get(m->versions, "Components"), i, c) {
		const char *name = json_string_value(json_object_get(c, "Name")), *text = json_string_value(json_object_get(c, "Version"));
		if (name != NULL && text != NULL && i < 8)
			bawn_json_set(versions, name, bawn_json_text((struct bawn_span){ text, strnlen(text, 60) }), &ok);
	}
	const char *runtime = m->spec.container.runtime[0] != '\0' ? m->spec.container.runtime : "default";
	bawn_auto_json all = json_pack("{s:s, s:s, s:s, s:s, s:o, s:O, s:o}", "id", m->id, "image", m->image.base, "made", m->image.id, "runtime", runtime,
		"versions", versions, "vulnerable", m->vulnerable, "config", config_account(m->config));
	if (!ok || all == NULL)
		return bawn_fail(err, -ENOMEM, "tell of the container");
	return bawn_json_put(out, all, err);
}
