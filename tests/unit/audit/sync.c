/* sync.c - what is asked of the disk, in which order, and what happens when it says no.  The calls of
 * this program that write and sync are ours: they note themselves, and fail when told to. */
#include <sys/syscall.h>
#include "world.h"

static char trace[200];        /* W: entries written, H: head written, S: fdatasync, D: fsync */
static size_t traced;
static char fail_at;           /* the next call of this kind fails */
static int fail_code;
static long write_first;       /* … after this many bytes */

static bool refuse(char kind)
{
	if (traced < sizeof trace - 1)
		trace[traced++] = kind;
	if (kind != fail_at)
		return false;
	fail_at = 0;
	errno = fail_code;
	return true;
}

int fdatasync(int fd) { return refuse('S') ? -1 : (int)syscall(SYS_fdatasync, fd); }
int fsync(int fd) { return refuse('D') ? -1 : (int)syscall(SYS_fsync, fd); }
ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
	char kind = n == 4096 ? 'H' : 'W';
	if (kind == fail_at && write_first > 0) {
		n = (size_t)write_first;
		write_first = 0;  /* the call after this one fails */
		return (ssize_t)syscall(SYS_pwrite64, fd, p, n, at);
	}
	return refuse(kind) ? -1 : (ssize_t)syscall(SYS_pwrite64, fd, p, n, at);
}

static const char *calls(void)
{
	trace[traced] = '\0';
	traced = 0;
	return trace;
}

static void order(void)
{
	auto_world w = world_make();
	auto_log a = open_log(w.dir, 3000, NULL);
	(void)calls();
	ok(put_text(a, "x", NULL, NULL) == 0 && strcmp(calls(), "WSH") == 0, "a commit is one write, one sync, then head: %s", trace);
	uint64_t t = 0;
	for (int i = 0; i < 3; i++)
		(void)!a->ops->append(a, &(struct bawn_record){ .type = BAWN_RECORD_ALERT }, &t, NULL);
	ok(a->ops->wait(a, t, NULL, NULL) == 0 && strcmp(calls(), "WSH") == 0, "also of many records: %s", trace);
	while (files_in(&w, "a/seg") == 1) {
		(void)calls();
		(void)!put_text(a, "y", NULL, NULL);
	}
	ok(strcmp(calls(), "SWSDH") == 0, "a new segment: head synced first, then entries, their directory, head: %s", trace);
	ok(verify(w.dir).ok, "it verifies");
}

static void failures(void)
{
	static const struct { const char *name; char at; int code; long first; bool dead; enum bawn_error type; uint64_t after; } row[] = {
		{ "a sync that fails",              'S', EIO,    0,  true,  BAWN_ERROR_AUDIT_FAILED, 2 },
		{ "a sync without room",            'S', ENOSPC, 0,  true,  BAWN_ERROR_DISK_FULL,    2 },
		{ "a write that fails",             'W', EIO,    0,  true,  BAWN_ERROR_AUDIT_FAILED, 2 },
		{ "a write that fails half-way",    'W', EIO,    70, true,  BAWN_ERROR_AUDIT_FAILED, 3 },  /* 3: log.recovered */
		{ "no room",                        'W', ENOSPC, 0,  false, BAWN_ERROR_DISK_FULL,    2 },
		{ "no room half-way",               'W', ENOSPC, 70, false, BAWN_ERROR_DISK_FULL,    2 },
		{ "a quota",                        'W', EDQUOT, 9,  false, BAWN_ERROR_DISK_FULL,    2 },
		{ "an interrupted write",           'W', EINTR,  70, false, BAWN_ERROR_NONE,         3 },
		{ "a head that cannot be written",  'H', EIO,    0,  true,  BAWN_ERROR_AUDIT_FAILED, 3 },  /* durable, not acknowledged */
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		auto_world w = world_make();
		auto_log a = open_log(w.dir, 0, NULL);
		struct bawn_err err = { 0 };
		struct bawn_receipt rc = { .seq = 777 };
		(void)!put_text(a, "before", NULL, NULL);
		fail_at = row[i].at;
		fail_code = row[i].code;
		write_first = row[i].first;
		int r = put_text(a, "lost", &rc, &err);
		ok((r < 0) == (row[i].type != BAWN_ERROR_NONE) && err.type == row[i].type && (r == 0 || rc.seq == 777), "%s is %s %s", row[i].name, r < 0 ? "not acknowledged:" : "finished", err.msg);
		(void)calls();
		int again = row[i].dead ? put_text(a, "again", NULL, &err) : -1;
		ok(!row[i].dead || (again < 0 && err.type == BAWN_ERROR_AUDIT_FAILED && strcmp(calls(), "") == 0), "and the handle %s", row[i].dead ? "never touches the files again" : "lives");
		ok(opens_as(w.dir) == BAWN_ERROR_NONE && verify(w.dir).ok && verify(w.dir).entries == row[i].after, "the next opener finds %d entries", (int)row[i].after);
		ok(row[i].dead || put_text(a, "after", NULL, &err) == 0, "and it goes on");
	}
}

/* An old key that an interrupted change of keys left is destroyed by the next opener, after head is on disk. */
static void retiring(void)
{
	auto_world w = world_make();
	struct bawn_err err = { 0 };
	ok(fill_log(w.dir, 1, 0) && sh(&w, "cp -p a/private/epoch-0.key old") && bawn_audit_rotate_key(w.dir, NULL, NULL, NULL, NULL) == 0, "a log whose key was changed");
	ok(sh(&w, "cp -p old a/private/epoch-0.key") && opens_as(w.dir) == BAWN_ERROR_NONE && sh(&w, "test ! -e a/private/epoch-0.key"), "an old key goes");
	const uint64_t entries = verify(w.dir).entries;
	bool put_back = sh(&w, "cp -p old a/private/epoch-0.key");
	fail_at = 'S';
	fail_code = EIO;
	auto_log a = open_log(w.dir, 0, &err);
	ok(put_back && a == NULL && err.type == BAWN_ERROR_AUDIT_FAILED && sh(&w, "test -e a/private/epoch-0.key"), "not where the sync before it fails: that handle is none: %s", err.msg);
	fail_at = 0;
	ok(opens_as(w.dir) == BAWN_ERROR_NONE && sh(&w, "test ! -e a/private/epoch-0.key") && verify(w.dir).ok && verify(w.dir).entries == entries, "the next one destroys it");
}

int main(void)
{
	order();
	failures();
	retiring();
	return done_testing();
}
