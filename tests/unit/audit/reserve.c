/* reserve.c - on a full disk what was begun can still be ended, and nothing new begins. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include "world.h"

#define RESERVE (128u << 10)

static char disk[100], dir[120], fill[140];

static struct bawn_audit *open_kept(uint64_t reserve, struct bawn_err *err)
{
	struct bawn_audit *a = NULL;
	(void)!bawn_audit_open(dir, &(struct bawn_audit_options){ .node = "n", .max_segment_bytes = 20000, .reserve_bytes = reserve }, &a, err);
	return a;
}

static int put(struct bawn_audit *a, enum bawn_record_type type, struct bawn_err *err)
{
	static char text[3001];
	memset(text, 't', sizeof text - 1);
	bawn_auto_json body = json_pack("{s:s}", "text", text);
	return bawn_audit_put(a, &(struct bawn_record){ .type = type, .body = body }, NULL, err);
}

static void fill_disk(void)
{
	static char block[4096];
	bawn_auto_fd fd = open(fill, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
	for (size_t n = sizeof block; n > 0; n /= 2)
		while (write(fd, block, n) > 0)
			continue;
}

/* A log with an intent, on a disk filled up since. */
static struct bawn_audit *begun(uint64_t reserve)
{
	struct bawn_err err = { 0 };
	struct bawn_audit *a = open_kept(reserve, &err);
	if (a == NULL || put(a, BAWN_RECORD_EXEC_INTENT, &err) < 0)
		diag("%s", err.msg);
	fill_disk();
	return a;
}

static int child(void)
{
	struct bawn_err err = { 0 };
	struct stat st = { 0 };
	char name[140], out[140];
	struct bawn_pruned pruned = { 0 };
	snprintf(out, sizeof out, "%s/../export", disk);
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || mkdir(disk, 0700) < 0 ||
	    mount("tmpfs", disk, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m") < 0)
		return 2;
	auto_log without = begun(0);
	int tries = 0;  /* the last page may have room for one more */
	while (tries < 5 && put(without, BAWN_RECORD_EXEC_OUTCOME, &err) == 0)
		tries++;
	ok(tries < 3 && err.type == BAWN_ERROR_DISK_FULL, "control: without a reserve an outcome is lost on a full disk");
	close_log(without);
	without = NULL;
	snprintf(name, sizeof name, "%s/gone", disk);
	ok(rename(dir, name) == 0 && unlink(fill) == 0, "another log");

	auto_log a = begun(RESERVE);
	snprintf(name, sizeof name, "%s/reserve", dir);
	ok(stat(name, &st) == 0 && st.st_blocks * 512 >= RESERVE && (st.st_mode & 07777) == 0600, "it has set room aside");
	int intents = 0;
	while (intents < 5 && put(a, BAWN_RECORD_EXEC_INTENT, &err) == 0)
		intents++;
	ok(intents < 3 && err.type == BAWN_ERROR_DISK_FULL && stat(name, &st) == 0, "an intent does not get it: %s", err.msg);
	int outcomes = 0;
	while (outcomes < 8 && put(a, BAWN_RECORD_EXEC_OUTCOME, &err) == 0)
		outcomes++;
	ok(outcomes == 8 && stat(name, &st) < 0, "outcomes do");
	ok(tally(dir, "log.disk_full").of_type == 1 && tally(dir, "exec.outcome").of_type == 8 && verify(dir).ok && verify(dir).segments > 1, "after one log.disk_full, over a change of segments: %s", verify(dir).problem);
	ok(a->notable[BAWN_NOTABLE_CRITICAL] == 1 && a->notable[BAWN_NOTABLE_VIOLATION] == 0 && put(a, BAWN_RECORD_LIMIT_VIOLATION, &err) == 0 &&
	   a->notable[BAWN_NOTABLE_CRITICAL] == 1 && a->notable[BAWN_NOTABLE_VIOLATION] == 1, "which counts for alerts, as a violated limit does");
	ok(put(a, BAWN_RECORD_EXEC_INTENT, &err) < 0 && err.type == BAWN_ERROR_DISK_FULL && strstr(err.msg, "nothing is begun") != NULL, "nothing is begun now: %s", err.msg);
	auto_log b = open_kept(RESERVE, &err);
	ok(b == NULL && err.type == BAWN_ERROR_DISK_FULL, "not by another either");
	ok(truncate(fill, 4096) == 0 && put(a, BAWN_RECORD_EXEC_INTENT, &err) == 0 && stat(name, &st) == 0, "with room again it is set aside again, and all goes on");
	b = open_kept(RESERVE, &err);
	ok(b != NULL && b->weakness[0] == '\0' && put(b, BAWN_RECORD_EXEC_INTENT, &err) == 0 && verify(dir).ok, "for others as well");
	fill_disk();
	while (put(b, BAWN_RECORD_ALERT, &err) == 0)
		continue;
	ok(put(b, BAWN_RECORD_EXEC_LOST, &err) == 0 && tally(dir, "log.disk_full").of_type == 2, "the second time as well");
	/* Holes hold no room. */
	ok(truncate(fill, 4096) == 0, "room");
	bawn_auto_fd fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	ok(ftruncate(fd, RESERVE) == 0 && fstat(fd, &st) == 0 && st.st_blocks == 0 && put(a, BAWN_RECORD_EXEC_INTENT, &err) == 0 && fstat(fd, &st) == 0 && st.st_blocks * 512 >= RESERVE,
	   "a reserve of holes is filled");
	(void)close(bawn_take_fd(&fd));  /* open, its room would not come back */
	/* Queued together, as by two threads: the reserve is for one of them alone. */
	ok(truncate(fill, 4096) == 0 && put(b, BAWN_RECORD_EXEC_INTENT, &err) == 0 && stat(name, &st) == 0, "set aside once more");
	fill_disk();
	while (put(b, BAWN_RECORD_ALERT, &err) == 0)
		continue;
	uint64_t intent = 0, outcome = 0;
	bawn_auto_json body = json_object();
	for (int i = 0; i < 400; i++) {
		char key[16];
		snprintf(key, sizeof key, "%d", i);
		(void)json_object_set_new(body, key, json_string("text"));
	}
	const uint64_t intents_before = tally(dir, "exec.intent").of_type, outcomes_before = tally(dir, "exec.outcome").of_type;
	bool queued = b->ops->append(b, &(struct bawn_record){ .type = BAWN_RECORD_EXEC_INTENT, .body = body }, &intent, NULL) == 0 &&
	              b->ops->append(b, &(struct bawn_record){ .type = BAWN_RECORD_EXEC_OUTCOME, .body = body }, &outcome, NULL) == 0;
	int began = b->ops->wait(b, intent, NULL, &err), ended = b->ops->wait(b, outcome, NULL, NULL);
	ok(queued && began < 0 && err.type == BAWN_ERROR_DISK_FULL && ended == 0 && tally(dir, "exec.intent").of_type == intents_before &&
	   tally(dir, "exec.outcome").of_type == outcomes_before + 1 && verify(dir).ok, "of one that begins and one that ends in a commit, the one that ends is written: %s", err.msg);
	/* Pruning to another disk makes room, so it must not need any. */
	ok(truncate(fill, 4096) == 0 && put(b, BAWN_RECORD_EXEC_INTENT, &err) == 0, "room for a reserve");
	close_log(b);
	b = NULL;
	ok(bawn_audit_prune(dir, &(struct bawn_audit_options){ .reserve_bytes = RESERVE }, &(struct bawn_prune){ .before_us = 1, .export_path = out }, &pruned, &err) == 0 && pruned.cut == 0, "tiles are made");
	ok(unlink(name) == 0, "the reserve was used");
	fill_disk();
	ok(stat(fill, &st) == 0 && truncate(fill, st.st_size - (64 << 10)) == 0, "and the disk is full but for 64 KiB");
	b = open_kept(RESERVE, &err);
	ok(b == NULL && err.type == BAWN_ERROR_DISK_FULL, "no log opens on a disk that is full");
	err = (struct bawn_err){ 0 };
	ok(bawn_audit_prune(dir, &(struct bawn_audit_options){ .reserve_bytes = RESERVE }, &(struct bawn_prune){ .before_us = UINT64_MAX, .export_path = out }, &pruned, &err) == 0 &&
	   pruned.segments > 0 && verify(dir).ok, "but it can be pruned: %s", err.msg);
	b = open_kept(RESERVE, &err);
	ok(truncate(fill, 4096) == 0 && (b != NULL || (b = open_kept(RESERVE, &err)) != NULL) && put(b, BAWN_RECORD_EXEC_INTENT, &err) == 0, "and goes on");
	/* Where nothing is left but the reserve, what makes room may use it. */
	while (b != NULL && verify(dir).segments < 3 && put(b, BAWN_RECORD_ALERT, &err) == 0)
		continue;
	close_log(b);
	b = NULL;
	ok(bawn_audit_prune(dir, &(struct bawn_audit_options){ .reserve_bytes = RESERVE }, &(struct bawn_prune){ .before_us = 1, .export_path = out }, &pruned, &err) == 0 && pruned.cut == 0 &&
	   verify(dir).segments == 3 && stat(name, &st) == 0, "more segments, tiles and a reserve");
	fill_disk();
	b = open_kept(RESERVE, &err);
	while (b != NULL && put(b, BAWN_RECORD_ALERT, &err) == 0)
		continue;
	ok(b != NULL && err.type == BAWN_ERROR_DISK_FULL && stat(name, &st) == 0, "a disk without any room");
	close_log(b);
	b = NULL;
	err = (struct bawn_err){ 0 };
	(void)unlink(out);
	ok(bawn_audit_prune(dir, &(struct bawn_audit_options){ .reserve_bytes = RESERVE }, &(struct bawn_prune){ .before_us = UINT64_MAX, .export_path = out }, &pruned, &err) == 0 &&
	   pruned.segments > 0 && verify(dir).ok, "pruning takes the reserve: %s", err.msg);
	return tap_failed != 0;
}

int main(void)
{
	auto_world w = world_make();
	int p[2], status = -1;
	if (getuid() != 0) {
		skip("a full disk", "needs root to mount a small tmpfs");
		return done_testing();
	}
	snprintf(disk, sizeof disk, "%s/disk", w.tmp.path);
	snprintf(dir, sizeof dir, "%s/a", disk);
	snprintf(fill, sizeof fill, "%s/fill", disk);
	(void)fflush(stdout);
	pid_t pid = pipe2(p, O_CLOEXEC) == 0 ? fork() : -1;
	if (pid == 0) {  /* in a mount namespace of its own, so nothing is left behind */
		int r = child();
		if (write(p[1], &tap_count, sizeof tap_count) < 0)
			r = 4;
		(void)fflush(stdout);
		_exit(r);
	}
	(void)close(p[1]);
	if (read(p[0], &tap_count, sizeof tap_count) < 0)
		diag("the child said nothing");
	ok(waitpid(pid, &status, 0) == pid && status == 0, "all of it in a file system of 1 MiB");
	return done_testing();
}
