/* world.h - what the tests of the log share: a log in a directory of its own, and hands to harm it. */
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "audit/audit.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "sanitized.h"
#include "tap.h"
#include "tmpdir.h"

#define SEG0 "a/seg/000000000000.jsonl"

struct world { struct tmpdir tmp; char dir[96]; };

__attribute__((unused)) static void world_done(struct world *w) { tmpdir_done(&w->tmp); }
#define auto_world __attribute__((cleanup(world_done))) struct world

__attribute__((unused)) static struct world world_make(void)
{
	struct world w = { .tmp = tmpdir_make() };
	snprintf(w.dir, sizeof w.dir, "%s/a", w.tmp.path);
	return w;
}

static struct bawn_audit *open_log(const char *dir, uint64_t max_segment, struct bawn_err *err)
{
	struct bawn_audit *a = NULL;
	struct bawn_audit_options o = { .node = "n1", .max_segment_bytes = max_segment, .lock_timeout_ms = 5000 };
	struct bawn_err local = { 0 };
	if (bawn_audit_open(dir, &o, &a, err != NULL ? err : &local) < 0 && err == NULL)
		diag("open: %s", local.msg);
	return a;
}

static void close_log(struct bawn_audit *a) { if (a != NULL) a->ops->close(a); }
static void close_logp(struct bawn_audit **a) { close_log(*a); }
#define auto_log __attribute__((cleanup(close_logp))) struct bawn_audit *

static int put_text(struct bawn_audit *a, const char *text, struct bawn_receipt *out, struct bawn_err *err)
{
	bawn_auto_json body = json_pack("{s:s#}", "text", text, (int)strlen(text));
	return bawn_audit_put(a, &(struct bawn_record){ .type = BAWN_RECORD_EXEC_OUTCOME, .exec = "E", .body = body }, out, err);
}

/* A log with `n` records besides what the log writes itself. */
__attribute__((unused)) static bool fill_log(const char *dir, int n, uint64_t max_segment)
{
	auto_log a = open_log(dir, max_segment, NULL);
	bool good = a != NULL;
	for (int i = 0; good && i < n; i++) {
		char text[32];
		snprintf(text, sizeof text, "record %d", i);
		good = put_text(a, text, NULL, NULL) == 0;
	}
	return good;
}

/* Of files under the world's directory: a/head, a/seg/… */
__attribute__((unused)) static struct bawn_buf get(struct world *w, const char *path)
{
	struct bawn_buf b = BAWN_BUF(64u << 20);
	if (bawn_read_file(w->tmp.fd, path, &b, NULL) < 0)
		diag("cannot read %s", path);
	return b;
}

__attribute__((unused)) static void set(struct world *w, const char *path, const char *p, size_t n)
{
	/* Not O_TRUNC: ext4 would flush the file at close. */
	bawn_auto_fd fd = openat(w->tmp.fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || bawn_write_all(fd, p, n, NULL) < 0 || ftruncate(fd, (off_t)n) < 0)
		diag("cannot write %s", path);
}

/* One byte becomes another, whatever it was. */
__attribute__((unused)) static bool flip_at(struct world *w, const char *path, size_t at)
{
	bawn_auto_buf b = get(w, path);
	if (at >= b.n)
		return false;
	b.p[at] ^= 1;
	set(w, path, b.p, b.n);
	return true;
}

/* A crash comes before a checkpoint of what it tore: one from later in the test must not know better. */
/* cp -a, rm -r: under the world's directory. */
__attribute__((unused)) static bool sh(struct world *w, const char *command)
{
	int status = -1;
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		if (fchdir(w->tmp.fd) == 0)
			(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(9);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

/* Makes the checkpoint old enough for the next close to publish. */
/* As if it had been made `seconds` ago: a machine that is busy must not decide. */
__attribute__((unused)) static void date_checkpoint(struct world *w, time_t seconds)
{
	struct timespec at[2] = { { .tv_nsec = UTIME_OMIT }, { .tv_sec = time(NULL) - seconds } };
	(void)utimensat(w->tmp.fd, "a/checkpoint", at, 0);
}
__attribute__((unused)) static void age_checkpoint(struct world *w) { date_checkpoint(w, 60); }

__attribute__((unused)) static void forget_checkpoint(struct world *w) { (void)unlinkat(w->tmp.fd, "a/checkpoint", 0); }

__attribute__((unused)) static struct bawn_audit_report verify(const char *dir)
{
	struct bawn_audit_report r = { .problem = "could not be read" };
	struct bawn_err err = { 0 };
	if (bawn_audit_verify(dir, NULL, &r, &err) < 0)
		snprintf(r.problem, sizeof r.problem, "error: %.150s", err.msg);
	return r;
}

/* Can it be opened for appending?  The error type if not. */
__attribute__((unused)) static enum bawn_error opens_as(const char *dir)
{
	struct bawn_err err = { 0 };
	auto_log a = open_log(dir, 0, &err);
	return a != NULL ? BAWN_ERROR_NONE : err.type;
}

/* Number of files in a directory. */
__attribute__((unused)) static int files_in(struct world *w, const char *path)
{
	int n = 0;
	bawn_auto_fd fd = openat(w->tmp.fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bawn_auto_dir d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL)
		return -1;
	(void)bawn_take_fd(&fd);
	for (const struct dirent *e; (e = readdir(d)) != NULL; )
		n += e->d_name[0] != '.';
	return n;
}

/* Counts entries, and how many are of one type. */
struct tally { const char *type; uint64_t all, of_type, last_seq; };
__attribute__((unused)) static int count_entry(void *ctx, const struct bawn_entry *e)
{
	struct tally *t = ctx;
	t->all++;
	t->last_seq = e->seq;
	const char *type = json_string_value(json_object_get(e->json, "type"));
	t->of_type += t->type != NULL && type != NULL && strcmp(type, t->type) == 0;
	return 0;
}
__attribute__((unused)) static struct tally tally(const char *dir, const char *type)
{
	struct tally t = { .type = type };
	struct bawn_err err = { 0 };
	if (bawn_audit_walk(dir, 0, count_entry, &t, &err) < 0)
		diag("walk: %s", err.msg);
	return t;
}
