/* place.c - the world around the log: other writers, no room, no permission, files that vanish. */
#include <grp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include "world.h"

static double now_ms(void)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static bool child_ok(pid_t pid)
{
	int status = -1;
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void many_processes(void)
{
	enum { PROCESSES = 64, RECORDS = 50 };
	auto_world w = world_make();
	pid_t pid[PROCESSES];
	int good = 0;
	for (int i = 0; i < PROCESSES; i++)
		if ((pid[i] = fork()) == 0) {
			struct bawn_audit *a = NULL;
			struct bawn_err err = { 0 };
			struct bawn_audit_options o = { .node = "n", .max_segment_bytes = 200000, .lock_timeout_ms = 120000 };
			int r = bawn_audit_open(w.dir, &o, &a, &err);
			for (int n = 0; r == 0 && n < RECORDS; n++)
				r = put_text(a, "from one of many", NULL, &err);
			if (r < 0)
				diag("%s", err.msg);
			_exit(r != 0);
		}
	for (int i = 0; i < PROCESSES; i++)
		good += child_ok(pid[i]);
	struct bawn_audit_report r = verify(w.dir);
	ok(good == PROCESSES && r.ok && tally(w.dir, "exec.outcome").of_type == PROCESSES * RECORDS && tally(w.dir, "log.genesis").of_type == 1,
	   "%d processes x %d records: all there, one chain over %d segments %s", PROCESSES, RECORDS, (int)r.segments, r.problem);
	ok(tally(w.dir, "log.recovered").of_type == 0, "and none took another's work for a torn tail");
}

struct job { struct bawn_audit *a; int good; };
static void *job_run(void *arg)
{
	struct job *j = arg;
	for (int i = 0; i < 50; i++) {
		struct bawn_receipt rc = { 0 };
		j->good += put_text(j->a, "from a thread", &rc, NULL) == 0 && rc.seq > 0 && rc.log_size > rc.seq;
	}
	return NULL;
}

static void many_threads(void)
{
	enum { THREADS = 16 };
	auto_world w = world_make();
	auto_log a = open_log(w.dir, 100000, NULL);
	pthread_t t[THREADS];
	struct job j[THREADS] = { 0 };
	int good = 0;
	for (int i = 0; i < THREADS; i++) {
		j[i].a = a;
		if (pthread_create(&t[i], NULL, job_run, &j[i]) != 0)
			exit(1);
	}
	for (int i = 0; i < THREADS; i++) {
		(void)pthread_join(t[i], NULL);
		good += j[i].good;
	}
	ok(good == THREADS * 50 && verify(w.dir).ok && tally(w.dir, "exec.outcome").of_type == THREADS * 50, "%d threads share a handle", THREADS);
}

static void readers_meet_writers(void)
{
	auto_world w = world_make();
	ok(fill_log(w.dir, 1, 0), "a log");
	pid_t pid = fork();
	if (pid == 0) {
		struct bawn_audit *a = open_log(w.dir, 30000, NULL);
		int r = a == NULL;
		for (int i = 0; r == 0 && i < 800; i++)
			r = put_text(a, "written while others read", NULL, NULL) < 0;
		_exit(r);
	}
	int rounds = 0, bad = 0;
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		uint64_t acknowledged = 0;
		int known = bawn_audit_size(w.dir, &acknowledged, NULL);
		struct bawn_audit_report r = verify(w.dir);
		struct tally t = { 0 };
		bool good = known == 0 && r.ok && r.entries >= acknowledged && bawn_audit_walk_back(w.dir, count_entry, &t, NULL) == 0 &&
		            t.last_seq == 0 && t.all >= acknowledged && tally(w.dir, NULL).all >= t.all;
		if (!good)
			diag("%s", r.problem);
		bad += !good;
		rounds++;
	}
	ok(rounds > 0 && bad == 0 && verify(w.dir).ok, "a log being written is never taken for a bad one (%d readings)", rounds);
}

static void busy(void)
{
	auto_world w = world_make();
	auto_log a = NULL;
	struct bawn_audit_options o = { .lock_timeout_ms = 2000 };
	struct bawn_err err = { 0 };
	ok(bawn_audit_open(w.dir, &o, &a, &err) == 0, "an open log");
	bawn_auto_fd lock = openat(w.tmp.fd, "a/LOCK", O_RDWR | O_CLOEXEC);
	ok(flock(lock, LOCK_EX) == 0, "locked by somebody else");
	double t0 = now_ms();
	int r = put_text(a, "x", NULL, &err);
	double took = now_ms() - t0;
	ok(r == -EBUSY && err.type == BAWN_ERROR_AUDIT_BUSY && took >= 2000 && took < 20000, "AUDIT_BUSY after the timeout (%.0f ms)", took);
	struct bawn_audit *b = NULL;
	ok(bawn_audit_open(w.dir, &o, &b, &err) == -EBUSY && b == NULL, "so for opening");
	(void)flock(lock, LOCK_UN);
	ok(put_text(a, "y", NULL, &err) == 0 && verify(w.dir).entries == 2, "then it goes on, and what failed was never written");
	pid_t pid = fork();
	if (pid == 0) {
		bawn_auto_fd l = openat(w.tmp.fd, "a/LOCK", O_RDWR | O_CLOEXEC);
		(void)flock(l, LOCK_EX);
		(void)usleep(100000);
		_exit(0);
	}
	(void)usleep(30000);
	ok(put_text(a, "z", NULL, &err) == 0, "a lock given up in time is waited for");
	(void)child_ok(pid);
}

static void vanishing(void)
{
	static const struct { const char *name, *path; enum bawn_error type; } row[] = {
		{ "its segment deleted", SEG0, BAWN_ERROR_AUDIT_TAMPERED },
		{ "its head deleted", "a/head", BAWN_ERROR_AUDIT_FAILED },
		{ "its lock deleted", "a/LOCK", BAWN_ERROR_AUDIT_FAILED },
		{ "its directory moved away", "a", BAWN_ERROR_AUDIT_FAILED },
		{ "its segments moved away", "a/seg", BAWN_ERROR_AUDIT_FAILED },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		auto_world w = world_make();
		auto_log a = open_log(w.dir, 0, NULL);
		struct bawn_err err = { 0 };
		ok(put_text(a, "x", NULL, NULL) == 0 && renameat(w.tmp.fd, row[i].path, w.tmp.fd, "gone") == 0 &&
		   put_text(a, "y", NULL, &err) < 0 && err.type == row[i].type, "a log with %s is noticed: %s", row[i].name, err.msg);
		ok(renameat(w.tmp.fd, "gone", w.tmp.fd, row[i].path) == 0 && put_text(a, "z", NULL, &err) < 0 && err.type == BAWN_ERROR_AUDIT_FAILED,
		   "and the handle stays dead");
		ok(opens_as(w.dir) == BAWN_ERROR_NONE && verify(w.dir).entries == 2, "a new one works");
	}
	auto_world w = world_make();
	auto_log a = open_log(w.dir, 0, NULL);
	ok(put_text(a, "x", NULL, NULL) == 0, "a log");
	bawn_auto_buf seg = get(&w, SEG0);
	ok(renameat(w.tmp.fd, SEG0, w.tmp.fd, "old") == 0, "its segment replaced by a copy");
	set(&w, SEG0, seg.p, seg.n);
	struct bawn_err err = { 0 };
	ok(put_text(a, "y", NULL, &err) < 0 && err.type == BAWN_ERROR_AUDIT_TAMPERED, "is noticed");
}

static void over_fork(void)
{
	auto_world w = world_make();
	auto_log a = open_log(w.dir, 0, NULL);
	pid_t pid = fork();
	if (pid == 0) {
		struct bawn_err err = { 0 };
		_exit(!(put_text(a, "child", NULL, &err) < 0 && err.type == BAWN_ERROR_AUDIT_FAILED));
	}
	ok(child_ok(pid) && put_text(a, "parent", NULL, NULL) == 0, "a handle carried over fork refuses to write");
}

static void file_size_limit(void)
{
	auto_world w = world_make();
	ok(fill_log(w.dir, 20, 0), "a log");
	pid_t pid = fork();
	if (pid == 0) {
		struct bawn_err err = { 0 };
		struct bawn_audit *a = open_log(w.dir, 0, NULL);
		struct stat st = { 0 };
		(void)fstatat(w.tmp.fd, SEG0, &st, 0);
		struct rlimit limit = { (rlim_t)st.st_size + 3000, (rlim_t)st.st_size + 3000 };  /* room for some records */
		int r = setrlimit(RLIMIT_FSIZE, &limit), n = 0;
		for (; r == 0 && n < 100; n++)
			r = put_text(a, "until it is full", NULL, &err);
		_exit(!(r < 0 && n > 1 && n < 60 && err.type == BAWN_ERROR_AUDIT_FAILED && strstr(err.msg, "RLIMIT_FSIZE") != NULL));
	}
	ok(child_ok(pid), "a file size limit is an error, not a signal that ends the program");
	ok(verify(w.dir).ok && verify(w.dir).torn_bytes == 0 && opens_as(w.dir) == BAWN_ERROR_NONE, "and leaves a whole log");
}

static void no_permission(void)
{
	auto_world w = world_make();
	if (getuid() != 0) {
		skip("an unwritable directory is STATE_UNWRITABLE", "needs root to become another user");
		return;
	}
	ok(fill_log(w.dir, 2, 0), "a log of root's");
	if (chmod(w.tmp.path, 0755) < 0)
		diag("chmod failed");
	pid_t pid = fork();
	if (pid == 0) {
		struct bawn_err err = { 0 };
		char fresh[120];
		snprintf(fresh, sizeof fresh, "%s/new", w.tmp.path);
		if (setgroups(0, NULL) < 0 || setresgid(65534, 65534, 65534) < 0 || setresuid(65534, 65534, 65534) < 0)
			_exit(9);
		char sha[BAWN_SHA256_HEX];
		bool old = open_log(w.dir, 0, &err) == NULL && err.type == BAWN_ERROR_STATE_UNWRITABLE;
		bool made = open_log(fresh, 0, &err) == NULL && err.type == BAWN_ERROR_STATE_UNWRITABLE;
		bool blob = bawn_audit_blob_put(fresh, bawn_span("x"), sha, &err) < 0 && err.type == BAWN_ERROR_STATE_UNWRITABLE;
		_exit(!(old && made && blob));
	}
	ok(child_ok(pid), "an unwritable directory is STATE_UNWRITABLE");
	ok(verify(w.dir).ok, "and nothing is changed");
}

/* In a mount namespace of its own, so nothing is left behind. */
static int full_disk_child(struct world *w)
{
	struct bawn_err err = { 0 };
	char disk[100], dir[120], fill[140];
	snprintf(disk, sizeof disk, "%s/disk", w->tmp.path);
	snprintf(dir, sizeof dir, "%s/a", disk);
	snprintf(fill, sizeof fill, "%s/fill", disk);
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || mkdir(disk, 0700) < 0 ||
	    mount("tmpfs", disk, "tmpfs", MS_NOSUID | MS_NODEV, "size=512k") < 0)
		return 2;
	struct bawn_audit *a = open_log(dir, 60000, NULL);
	static char text[3001];
	memset(text, 't', 3000);
	int r = 0, n = 0;
	for (; a != NULL && r == 0 && n < 1000; n++)
		r = put_text(a, text, NULL, &err);
	struct bawn_audit_report v = verify(dir);
	if (!ok(n > 20 && n < 400 && r == -ENOSPC && err.type == BAWN_ERROR_DISK_FULL, "a full disk is DISK_FULL (after %d records)", n))
		diag("%s", err.msg);
	ok(v.ok && v.torn_bytes == 0 && (int)tally(dir, "exec.outcome").of_type == n - 1, "the log stays whole, with what was acknowledged: %s", v.problem);
	struct bawn_audit *b = NULL;
	ok(bawn_audit_open(dir, &(struct bawn_audit_options){ .node = "n" }, &b, &err) == 0, "it still opens");
	ok(put_text(b, text, NULL, &err) == -ENOSPC && err.type == BAWN_ERROR_DISK_FULL, "and says so again");
	char sha[BAWN_SHA256_HEX];
	ok(bawn_audit_blob_put(dir, (struct bawn_span){ text, 3000 }, sha, &err) < 0 && err.type == BAWN_ERROR_DISK_FULL, "so for a body");
	if (mount(NULL, disk, NULL, MS_REMOUNT | MS_NOSUID | MS_NODEV, "size=2m") < 0)
		return 3;
	ok(put_text(a, text, NULL, &err) == 0 && put_text(b, text, NULL, &err) == 0 && verify(dir).ok, "with room again both handles go on");
	ok((int)tally(dir, "exec.outcome").of_type == n + 1 && tally(dir, "log.recovered").of_type == 0, "and nothing was torn");
	close_log(b);
	/* Full before the first entry. */
	char fresh[140];
	snprintf(fresh, sizeof fresh, "%s/fresh", disk);
	bawn_auto_fd fd = open(fill, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	static char block[4096];
	while (write(fd, block, sizeof block) > 0)
		continue;
	struct bawn_audit *c = NULL;
	ok(bawn_audit_open(fresh, &(struct bawn_audit_options){ .node = "n" }, &c, &err) < 0 && c == NULL && err.type == BAWN_ERROR_DISK_FULL, "no log is begun on a full disk");
	ok(ftruncate(fd, 0) == 0, "room is made");
	ok(bawn_audit_open(fresh, &(struct bawn_audit_options){ .node = "n" }, &c, &err) == 0 && verify(fresh).ok, "until there is room");
	close_log(c);
	close_log(a);
	return tap_failed != 0;
}

static void full_disk(void)
{
	auto_world w = world_make();
	if (getuid() != 0) {
		skip("a full disk is DISK_FULL", "needs root to mount a small tmpfs");
		return;
	}
	int p[2];
	if (pipe2(p, O_CLOEXEC) < 0)
		return;
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		int r = full_disk_child(&w);
		if (write(p[1], &tap_count, sizeof tap_count) < 0)
			r = 4;
		(void)fflush(stdout);
		_exit(r);
	}
	(void)close(p[1]);
	if (read(p[0], &tap_count, sizeof tap_count) < 0)
		diag("the child said nothing");
	(void)close(p[0]);
	ok(child_ok(pid), "all of it in a file system of 512 KiB");
}

int main(void)
{
	many_processes();
	many_threads();
	readers_meet_writers();
	busy();
	vanishing();
	over_fork();
	file_size_limit();
	no_permission();
	full_disk();
	return done_testing();
}
