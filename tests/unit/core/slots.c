/* slots.c - who is counted, and that a slot lives exactly as long as somebody holds it. */
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "core/slots.h"
#include "tap.h"
#include "tmpdir.h"

static int take(const struct bawn_slots *s, uint64_t limit, unsigned *slot, int *fd, uint64_t *running)
{
	int r = bawn_slots_lock(s, NULL);
	if (r == 0)
		r = bawn_slots_take(s, limit, slot, fd, running, NULL);
	bawn_slots_unlock(s);
	return r;
}

static bool unlink_admission(const char *run)
{
	char path[120];
	snprintf(path, sizeof path, "%s/admission", run);
	return unlink(path) == 0;
}

int main(void)
{
	auto_tmpdir dir = tmpdir_make();
	char run[100];
	snprintf(run, sizeof run, "%s/run", dir.path);
	struct bawn_slots s = { -1, -1 };
	ok(bawn_slots_open(run, &s, NULL) == 0, "the directory is made at first use");
	unsigned a, b, c;
	int fa = -1, fb = -1, fc = -1;
	uint64_t n;
	ok(take(&s, 2, &a, &fa, &n) == 0 && a == 0 && n == 0, "the first gets slot 0 and sees nobody");
	struct bawn_err why = { 0 };
	ok(bawn_slots_take(&s, 1, &c, &fc, &n, &why) == -EAGAIN && strstr(why.msg, "1 execution is running") != NULL, "where one is all, the next is told of it");
	ok(take(&s, 2, &b, &fb, &n) == 0 && b == 1 && n == 1, "the second gets slot 1 and sees one");
	ok(take(&s, 2, &c, &fc, &n) == -EAGAIN && fc == -1, "a third is told to wait");
	ok(bawn_slots_running(&s, &n, NULL) == 0 && n == 2, "two are running");
	int watch = -1;
	ok(bawn_slots_watch(run, &watch, NULL) == 0, "somebody watches");
	struct pollfd p = { .fd = watch, .events = POLLIN };
	ok(bawn_slots_running(&s, &n, NULL) == 0 && poll(&p, 1, 50) == 0, "looking wakes nobody");
	close(fa);
	ok(poll(&p, 1, 2000) == 1, "a slot given up wakes who waits");
	ok(take(&s, 2, &c, &fc, &n) == 0 && c == 0 && n == 1, "and is handed out again");

	/* A holder that is killed gives its slot back; one whose helper lives on does not. */
	int pipefd[2];
	if (pipe(pipefd) < 0)
		return 1;
	pid_t helper = fork();
	if (helper == 0) {
		char x;
		close(pipefd[1]);
		(void)!read(pipefd[0], &x, 1);
		_exit(0);
	}
	close(fb);
	close(fc);
	ok(bawn_slots_running(&s, &n, NULL) == 0 && n == 2, "a slot is taken while any process still holds it");
	unsigned d;
	int fd = -1;
	ok(take(&s, 3, &d, &fd, &n) == 0 && d == 2, "a third slot");
	pid_t child = fork();
	if (child == 0) {
		char x;
		close(pipefd[1]);
		(void)!read(pipefd[0], &x, 1);
		_exit(0);
	}
	bawn_slots_give_up(&fd);
	ok(fd == -1 && bawn_slots_running(&s, &n, NULL) == 0 && n == 2, "one that is given up is free, whoever has its descriptor");
	bawn_slots_give_up(&fd);
	close(pipefd[1]);
	waitpid(helper, NULL, 0);
	waitpid(child, NULL, 0);
	ok(bawn_slots_running(&s, &n, NULL) == 0 && n == 0, "and free when the last is gone");

	int held[12];
	bool all = true;
	for (unsigned i = 0; i < 12; i++)
		all = take(&s, 20, &a, &held[i], &n) == 0 && a == i && all;
	ok(all, "(twelve at once)");
	close(held[10]);
	bawn_slots_trim(&s);
	ok(bawn_slots_running(&s, &n, NULL) == 0 && n == 11, "what is below a taken number stays");
	for (unsigned i = 0; i < 12; i++)
		if (i != 10)
			close(held[i]);
	char path[120];
	snprintf(path, sizeof path, "%s/slots/11", run);
	bool was = access(path, F_OK) == 0;
	bawn_slots_trim(&s);
	ok(was && access(path, F_OK) < 0, "the files of free numbers go");
	snprintf(path, sizeof path, "%s/slots/7", run);
	ok(access(path, F_OK) == 0, "but for a few");
	ok(take(&s, 20, &a, &fa, &n) == 0 && a == 0 && n == 0, "and slots are handed out as before");
	close(fa);
	ok(chmod(run, 0777) == 0, "(the directory is opened to others)");
	struct bawn_slots open_to_all = { -1, -1 };
	struct bawn_err err = { 0 };
	ok(bawn_slots_open(run, &open_to_all, &err) < 0 && err.type == BAWN_ERROR_STATE_UNWRITABLE, "a directory others may write is refused");
	char others[PATH_MAX], inside[PATH_MAX + 8];
	snprintf(others, sizeof others, "%s/others", dir.path);
	snprintf(inside, sizeof inside, "%s/slots", others);
	bool there = mkdir(others, 0700) == 0 && chmod(others, 0777) == 0;
	err = (struct bawn_err){ 0 };
	ok(there && bawn_slots_open(others, &open_to_all, &err) < 0 && access(inside, F_OK) < 0, "and nothing is made in it");
	ok(strstr(err.msg, geteuid() == 0 ? "/run" : "XDG_RUNTIME_DIR") != NULL, "it is said what gives another place: %s", err.msg);
	bool shut = chmod(dir.path, 0755) == 0 && unlink_admission(run) && chmod(run, 0500) == 0 && (geteuid() != 0 || (chown(run, 65534, 65534) == 0 && seteuid(65534) == 0));
	err = (struct bawn_err){ 0 };
	ok(shut && bawn_slots_open(run, &open_to_all, &err) < 0 && err.type == BAWN_ERROR_STATE_UNWRITABLE, "one that cannot be written is named as that");
	if (getuid() == 0 && seteuid(0) < 0)
		return 1;
	close(watch);
	bawn_slots_done(&s);
	return done_testing();
}
