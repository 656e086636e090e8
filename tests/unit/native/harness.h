/* harness.h - runs one program through the backend table and keeps everything it said. */
#pragma once
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "native/native.h"
#include "config.h"
#include "tap.h"

#define MIB (1024ull * 1024)
/* Where the launchers are: the build directory, or copies another user can reach (rootless.c). */
static const char *launcher_at(const char *name)
{
	static char path[2][512];
	const char *dir = getenv("BAWN_TEST_LIBEXEC");
	char *out = path[strcmp(name, "launch") == 0];
	snprintf(out, sizeof path[0], "%s/%s", dir != NULL ? dir : BAWN_BUILD_LIBEXEC, name);
	return out;
}
#define LAUNCHER launcher_at("launch")
#define LAUNCHER_TEST launcher_at("launch-test")
#define NAMESPACES (BAWN_LAYER_BIT(USERNS) | BAWN_LAYER_BIT(MOUNTNS) | BAWN_LAYER_BIT(PIDNS) | BAWN_LAYER_BIT(NETNS) | \
	BAWN_LAYER_BIT(IPCNS) | BAWN_LAYER_BIT(UTSNS) | BAWN_LAYER_BIT(CGROUPNS))
#define MINIMUM (NAMESPACES | BAWN_LAYER_BIT(RO_ROOT) | BAWN_LAYER_BIT(NO_CAPS) | BAWN_LAYER_BIT(NO_NEW_PRIVS) | \
	BAWN_LAYER_BIT(SECCOMP) | BAWN_LAYER_BIT(RLIMITS))

struct input { const char *name, *text; };
struct job {
	enum bawn_language lang;
	const char *code;
	const char *args[8], *env[8];
	const char *in;                    /* stdin, or NULL */
	struct input file[8];
	uint64_t pids, memory, timeout_ms, cpu_ms, disk, output, cpus_milli, inodes;   /* 0: roomy defaults */
	enum bawn_violation on_violation;
	uint32_t need, without;
	unsigned slot;
	const char *interpreter, *environment;
	bool unwatched;                    /* without the hook that tells what Python does */
};
struct got {
	int error; struct bawn_err err;    /* of prepare or start */
	struct bawn_buf out, errout;
	struct bawn_sandbox_event end;
	bool ended;
	struct bawn_denial denial[64]; size_t n_denials;
	struct bawn_enforcement walls;
	struct bawn_buf files, skipped;    /* "path:size\n", "path:why\n" */
	bool watched; struct bawn_buf observed; uint64_t dropped;  /* "files_read 1 /path\n" */
	unsigned usages;
	uint64_t took_us;
	uint64_t max_pids;
};

/* A real lock, so that two test programs never share a slot.  The launcher holds it, too, until the slot's cgroups
 * are gone: only at the end of the program the file goes, with the lock; who waited for a file that is gone by then starts
 * anew. */
struct test_slot { int fd; char path[64]; };
static char test_slot_path[64][64];
static size_t test_slot_paths;

static void test_slot_remove(void)
{
	for (size_t i = 0; i < test_slot_paths; i++) {
		bawn_auto_fd fd = open(test_slot_path[i], O_RDWR | O_CLOEXEC | O_NOFOLLOW);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			(void)unlink(test_slot_path[i]);
	}
}

static void test_slot_remember(const char *path)
{
	size_t i = 0;
	while (i < test_slot_paths && strcmp(test_slot_path[i], path) != 0)
		i++;
	if (test_slot_paths == 0)
		(void)atexit(test_slot_remove);
	if (i == test_slot_paths && i < BAWN_LEN(test_slot_path))
		snprintf(test_slot_path[test_slot_paths++], sizeof *test_slot_path, "%s", path);
}

static struct test_slot test_slot_take(unsigned slot)
{
	struct test_slot s = { .fd = -1 };
	snprintf(s.path, sizeof s.path, "/tmp/bawn-test-slot-%u-%u", geteuid(), slot);
	test_slot_remember(s.path);
	for (struct stat st = { 0 }; st.st_nlink == 0; ) {
		bawn_close_fdp(&s.fd);
		s.fd = open(s.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (s.fd < 0 || flock(s.fd, LOCK_EX) < 0 || fstat(s.fd, &st) < 0)
			break;
	}
	return s;
}

static void test_slot_done(struct test_slot *s)
{
	bawn_close_fdp(&s->fd);
}
#define auto_test_slot __attribute__((cleanup(test_slot_done))) struct test_slot

static uint64_t or_(uint64_t v, uint64_t otherwise) { return v != 0 ? v : otherwise; }

static struct bawn_sandbox_spec spec_of(const struct job *j, int slot_fd)
{
	bool root = geteuid() == 0;
	unsigned slot = (unsigned)or_(j->slot, 900u + (unsigned)getpid() % 1000u);
	return (struct bawn_sandbox_spec){
		.id = "01TEST", .language = j->lang,
		.interpreter = j->interpreter != NULL ? j->interpreter : bawn_language[j->lang].interpreter,
		.limits = { .cpus_milli = or_(j->cpus_milli, 2000), .memory_bytes = or_(j->memory, 512 * MIB),
			.timeout_ms = or_(j->timeout_ms, 30000), .cpu_ms = or_(j->cpu_ms, 60000), .pids = or_(j->pids, 64),
			.disk_bytes = or_(j->disk, 64 * MIB), .inodes = or_(j->inodes, 16384), .open_files = 256, .output_bytes = or_(j->output, MIB) },
		.network = BAWN_NETWORK_NONE, .environment = j->environment, .on_violation = j->on_violation, .sample_ms = 50, .observe = !j->unwatched,
		.need = (uint32_t)or_(j->need, j->without != 0 ? 0 : root ? MINIMUM | BAWN_LAYER_BIT(CGROUP) | BAWN_LAYER_BIT(UID) : MINIMUM),
		.slot = slot, .slot_fd = slot_fd, .uid = root ? 880000u + slot : 0u,
		.launcher = j->without != 0 ? LAUNCHER_TEST : LAUNCHER, .without = j->without,
	};
}

static int note_file(void *ctx, const struct bawn_collected *f, struct bawn_err *err)
{
	(void)err;
	bawn_buf_fmt(&((struct got *)ctx)->files, "%s:%llu\n", f->path, (unsigned long long)f->size);
	(void)close(f->fd);
	return 0;
}
static int note_skipped(void *ctx, const char *path, const char *why, struct bawn_err *err)
{
	(void)err;
	bawn_buf_fmt(&((struct got *)ctx)->skipped, "%s:%s\n", path, why);
	return 0;
}

static void take_event(struct got *g, const struct bawn_sandbox_event *e)
{
	if (e->kind == BAWN_EV_OUTPUT)
		bawn_buf_add(e->stream == 1 ? &g->out : &g->errout, e->bytes.p, e->bytes.n);
	if (e->kind == BAWN_EV_USAGE) {
		g->usages++;
		g->max_pids = e->usage.pids > g->max_pids ? e->usage.pids : g->max_pids;
	}
	if (e->kind == BAWN_EV_DENIAL && g->n_denials < 64)
		g->denial[g->n_denials++] = e->denial;
	if (e->kind == BAWN_EV_OBSERVED && e->observed != NULL) {
		g->watched = true;
		g->dropped = e->observed->dropped;
		for (size_t i = 0; i < e->observed->n; i++)
			bawn_buf_fmt(&g->observed, "%s %u %.*s\n", bawn_word(&bawn_area_words, (int)e->observed->item[i].kind), e->observed->item[i].count,
			             (int)e->observed->item[i].text.n, e->observed->item[i].text.p);
	}
	if (e->kind == BAWN_EV_OUTCOME) {
		g->ended = true;
		g->end = *e;
	}
}

/* Follows the events to the end; `during` (may be NULL) is called after every batch. */
static int follow(struct bawn_sandbox *s, struct got *g, void (*during)(void *ctx, struct got *g), void *ctx)
{
	const struct bawn_backend *b = &bawn_native_backend;
	while (!g->ended) {
		struct bawn_sandbox_event e;
		int r = b->next_event(s, &e, &g->err);
		if (r < 0)
			return r;
		if (r == 1) {
			take_event(g, &e);
			continue;
		}
		if (during != NULL)
			during(ctx, g);
		struct pollfd p = { .fd = b->fd(s), .events = POLLIN };
		if (poll(&p, 1, 60000) == 0)
			return -ETIMEDOUT;
	}
	return 0;
}

/* The cgroup directories of the run of launcher `pid`, or the files `/name` in them; globfree is the caller's. */
__attribute__((unused)) static glob_t cgroup_paths(pid_t pid, const char *file)
{
	static const char *const at[] = { "/sys/fs/cgroup/*/bawn", "/sys/fs/cgroup/bawn" };
	glob_t g = { 0 };
	for (size_t i = 0; i < BAWN_LEN(at); i++) {
		char pattern[128];
		snprintf(pattern, sizeof pattern, "%s/run-%d-*%s", at[i], pid, file);
		(void)glob(pattern, i > 0 ? GLOB_APPEND : 0, NULL, &g);
	}
	return g;
}
__attribute__((unused)) static size_t cgroup_dirs(pid_t pid)
{
	glob_t g = cgroup_paths(pid, "");
	size_t n = g.gl_pathc;
	globfree(&g);
	return n;
}

/* The launcher started last. */
static pid_t launcher_pid;
static void note_launcher(void)
{
	bawn_auto_buf all = BAWN_BUF(65536);
	if (bawn_read_file(AT_FDCWD, "/proc/thread-self/children", &all, NULL) < 0)
		return;
	for (const char *at = all.p; at != NULL && *at >= '0' && *at <= '9'; at += strcspn(at, " "), at += *at == ' ')
		launcher_pid = (pid_t)strtol(at, NULL, 10);
}

/* Until it said something, or has room for more. */
static void wait_for(struct bawn_sandbox *s)
{
	const struct bawn_backend *b = &bawn_native_backend;
	struct pollfd p = { .fd = b->fd(s), .events = (short)(POLLIN | (b->full(s) ? POLLOUT : 0)) };
	(void)poll(&p, 1, 1000);
}

static int started(struct bawn_sandbox *s, const struct bawn_sandbox_start *start, struct bawn_err *err)
{
	int r;
	while ((r = bawn_native_backend.start(s, start, err)) == 0)
		wait_for(s);
	return r < 0 ? r : 0;
}

__attribute__((unused)) static int collect_all(struct bawn_sandbox *s, const struct bawn_collector *c, struct bawn_err *err)
{
	int r;
	while ((r = bawn_native_backend.collect(s, c, err)) == 0)
		wait_for(s);
	return r < 0 ? r : 0;
}

static int readied(struct bawn_sandbox *s, struct bawn_enforcement *walls, struct bawn_err *err)
{
	int r;
	while ((r = bawn_native_backend.ready(s, walls, err)) == 0)
		wait_for(s);
	return r < 0 ? r : 0;
}

/* Both halves; on failure nothing is left behind. */
static int prepared(const struct bawn_sandbox_spec *spec, struct bawn_sandbox **out, struct bawn_enforcement *walls, struct bawn_err *err)
{
	const struct bawn_backend *b = &bawn_native_backend;
	struct bawn_sandbox *s = NULL;
	int r = b->open(spec->launcher, &s, err);
	note_launcher();
	if (r == 0)
		r = b->prepare(s, spec, err);
	if (r == 0)
		r = readied(s, walls, err);
	if (r < 0)
		b->release(s);
	else
		*out = s;
	return r;
}

static int begin(const struct job *j, struct bawn_sandbox **s, struct got *g)
{
	const struct bawn_backend *b = &bawn_native_backend;
	*g = (struct got){ .out = BAWN_BUF(128 * MIB), .errout = BAWN_BUF(128 * MIB), .files = BAWN_BUF(MIB), .skipped = BAWN_BUF(MIB), .observed = BAWN_BUF(4 * MIB) };
	auto_test_slot slot = test_slot_take((unsigned)or_(j->slot, 900u + (unsigned)getpid() % 1000u));
	struct bawn_sandbox_spec spec = spec_of(j, slot.fd);
	struct bawn_sandbox_start start = { .stdin_fd = -1, .args = j->args, .env = j->env };
	struct bawn_sandbox_file file[8];
	bawn_auto_fd code = -1, in = -1;
	while (start.n_args < 8 && j->args[start.n_args] != NULL)
		start.n_args++;
	while (start.n_env < 8 && j->env[start.n_env] != NULL)
		start.n_env++;
	int r = prepared(&spec, s, &g->walls, &g->err);
	if (r < 0)
		return g->error = r;
	for (; start.n_files < 8 && j->file[start.n_files].name != NULL; start.n_files++) {
		struct bawn_sandbox_file *f = &file[start.n_files];
		*f = (struct bawn_sandbox_file){ .name = j->file[start.n_files].name, .mode = 0644 };
		r = bawn_sealed_copy("in", bawn_span(j->file[start.n_files].text), &f->fd, &g->err);
	}
	r = bawn_sealed_copy("code", bawn_span(j->code), &code, &g->err);
	if (r == 0 && j->in != NULL)
		r = bawn_sealed_copy("stdin", bawn_span(j->in), &in, &g->err);
	start.code_fd = code;
	start.stdin_fd = in;
	start.file = file;
	if (r == 0)
		r = started(*s, &start, &g->err);
	for (size_t i = 0; i < start.n_files; i++)
		(void)close(file[i].fd);
	if (r < 0) {
		b->release(*s);
		*s = NULL;
	}
	return g->error = r;
}

__attribute__((unused)) static void got_done(struct got *g)
{
	bawn_buf_done(&g->out);
	bawn_buf_done(&g->errout);
	bawn_buf_done(&g->files);
	bawn_buf_done(&g->skipped);
	bawn_buf_done(&g->observed);
}
#define auto_got __attribute__((cleanup(got_done))) struct got

static struct got run_with(const struct job *j, void (*during)(void *ctx, struct got *g), void *ctx)
{
	struct got g;
	struct bawn_sandbox *s = NULL;
	uint64_t t = bawn_monotonic_us();
	if (begin(j, &s, &g) == 0) {
		g.error = follow(s, &g, during, ctx);
		struct bawn_collector c = { &g, note_file, note_skipped };
		if (g.error == 0)
			g.error = collect_all(s, &c, &g.err);
		bawn_native_backend.release(s);
	}
	g.took_us = bawn_monotonic_us() - t;
	if (g.error < 0)
		diag("error %d: %s", g.error, g.err.msg);
	return g;
}
__attribute__((unused)) static struct got run(const struct job *j) { return run_with(j, NULL, NULL); }

__attribute__((unused)) static bool out_is(const struct got *g, const char *want)
{
	bool same = g->error == 0 && bawn_span_is(bawn_buf_span(&g->out), want);
	if (!same)
		diag("end %d code %d signal %d; stdout: %.300s; stderr: %.600s", g->end.outcome.end, g->end.outcome.exit_code,
		     g->end.outcome.signal, g->out.p != NULL ? g->out.p : "", g->errout.p != NULL ? g->errout.p : "");
	return same;
}
__attribute__((unused)) static const struct bawn_denial *denial(const struct got *g, const char *what)
{
	for (size_t i = 0; i < g->n_denials; i++)
		if (strcmp(g->denial[i].what, what) == 0)
			return &g->denial[i];
	return NULL;
}
