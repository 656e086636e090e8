#include "core/slots.h"
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/file.h"

#define SLOTS_MAX 4096

/* A place that cannot be written is no fault inside: the words say which, and what would give another; --state does not. */
static int unwritable(int r, struct bawn_err *err)
{
	if (err != NULL && err->type == BAWN_ERROR_INTERNAL)
		err->type = BAWN_ERROR_STATE_UNWRITABLE;
	return bawn_wrap(err, r, geteuid() == 0 ? "runs are counted in /run" : "runs are counted below XDG_RUNTIME_DIR, if that can be written");
}

static int own_private(int dir, const char *path, struct bawn_err *err)
{
	struct stat st;
	if (fstat(dir, &st) < 0)
		return bawn_fail(err, -errno, "look at '%s'", path);
	if (st.st_uid != geteuid() || (st.st_mode & 022) != 0)
		return unwritable(bawn_fail_as(err, BAWN_ERROR_STATE_UNWRITABLE, NULL, "'%s' belongs to another user or is open to others", path), err);
	return 0;
}

int bawn_slots_open(const char *run_dir, struct bawn_slots *out, struct bawn_err *err)
{
	int r = bawn_make_dirs(run_dir, 0700, err);
	if (r < 0)
		return unwritable(r, err);
	bawn_auto_fd top = open(run_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (top < 0)
		return unwritable(bawn_fail(err, -errno, "open '%s'", run_dir), err);
	r = own_private(top, run_dir, err);
	if (r < 0)
		return r;
	/* Only now: in /tmp somebody else may have been first. */
	if (mkdirat(top, "slots", 0700) < 0 && errno != EEXIST)
		return unwritable(bawn_fail(err, -errno, "make '%s/slots'", run_dir), err);
	bawn_auto_fd dir = openat(top, "slots", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (dir < 0)
		return unwritable(bawn_fail(err, -errno, "open '%s/slots'", run_dir), err);
	bawn_auto_fd admission = openat(top, "admission", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (admission < 0)
		return unwritable(bawn_fail(err, -errno, "open '%s/admission'", run_dir), err);
	*out = (struct bawn_slots){ bawn_take_fd(&dir), bawn_take_fd(&admission) };
	return 0;
}

void bawn_slots_done(struct bawn_slots *s)
{
	bawn_close_fdp(&s->dir);
	bawn_close_fdp(&s->admission);
	s->dir = s->admission = -1;
}

int bawn_slots_lock(const struct bawn_slots *s, struct bawn_err *err)
{
	while (flock(s->admission, LOCK_EX) < 0)
		if (errno != EINTR)
			return bawn_fail(err, -errno, "lock admission");
	return 0;
}

void bawn_slots_unlock(const struct bawn_slots *s)
{
	(void)flock(s->admission, LOCK_UN);  /* cannot fail on a locked fd of ours */
}

/* Looks with a read-only fd: closing it must not wake those who watch for a slot being given up. */
enum slot { ABSENT, FREE, TAKEN };
static int look_at(int dir, const char *name)
{
	bawn_auto_fd fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT ? ABSENT : -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0)
		return FREE;
	return errno == EWOULDBLOCK ? TAKEN : -errno;
}

static int take(int dir, const char *name, int *out_fd, struct bawn_err *err)
{
	bawn_auto_fd fd = openat(dir, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return unwritable(bawn_fail(err, -errno, "open slot %s", name), err);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return bawn_fail(err, -errno, "lock slot %s", name);
	*out_fd = bawn_take_fd(&fd);
	return 0;
}

/* Walks the numbers; slots are handed out from the bottom, so the first absent file ends the walk. */
static int scan(int dir, uint64_t limit, uint64_t *out_running, unsigned *out_free, bool *out_has_free, struct bawn_err *err)
{
	uint64_t running = 0;
	bool has_free = false;
	for (unsigned i = 0; i < SLOTS_MAX; i++) {
		char name[16];
		snprintf(name, sizeof name, "%u", i);
		int r = look_at(dir, name);
		if (r < 0)
			return bawn_fail(err, r, "look at slot %u", i);
		running += r == TAKEN;
		if (r != TAKEN && !has_free && i < limit) {
			has_free = true;
			*out_free = i;
		}
		if (r == ABSENT)
			break;
	}
	*out_running = running;
	*out_has_free = has_free;
	return 0;
}

int bawn_slots_running(const struct bawn_slots *s, uint64_t *out, struct bawn_err *err)
{
	unsigned free_slot;
	bool has_free;
	int r = bawn_slots_lock(s, err);
	if (r < 0)
		return r;
	r = scan(s->dir, SLOTS_MAX, out, &free_slot, &has_free, err);
	bawn_slots_unlock(s);
	return r;
}

int bawn_slots_take(const struct bawn_slots *s, uint64_t limit, unsigned *out_slot, int *out_fd,
                    uint64_t *out_running, struct bawn_err *err)
{
	unsigned free_slot = 0;
	uint64_t running;
	bool has_free;
	int r = scan(s->dir, limit, &running, &free_slot, &has_free, err);
	if (r < 0)
		return r;
	if (!has_free)
		return bawn_fail_as(err, BAWN_ERROR_BUSY, NULL, "%llu execution%s running, and no more may", (unsigned long long)running, running == 1 ? " is" : "s are"), -EAGAIN;
	char name[16];
	snprintf(name, sizeof name, "%u", free_slot);
	r = take(s->dir, name, out_fd, err);
	if (r < 0)
		return r;
	*out_slot = free_slot;
	*out_running = running;
	return 0;
}

void bawn_slots_give_up(int *fd)
{
	if (*fd >= 0)
		(void)flock(*fd, LOCK_UN);  /* cannot fail on a locked fd of ours */
	bawn_close_fdp(fd);
}

#define SLOTS_KEPT 8u

void bawn_slots_trim(const struct bawn_slots *s)
{
	char name[16];
	unsigned n = SLOTS_KEPT;
	for (; n < SLOTS_MAX; n++) {
		snprintf(name, sizeof name, "%u", n);
		if (faccessat(s->dir, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
			break;
	}
	if (n == SLOTS_KEPT || bawn_slots_lock(s, NULL) < 0)
		return;
	/* From the top, so that there is never a gap. */
	for (bool gone = true; gone && n > SLOTS_KEPT; n--) {
		snprintf(name, sizeof name, "%u", n - 1);
		gone = look_at(s->dir, name) == FREE && unlinkat(s->dir, name, 0) == 0;
	}
	bawn_slots_unlock(s);
}

int bawn_slots_watch(const char *run_dir, int *out_fd, struct bawn_err *err)
{
	char path[600];
	snprintf(path, sizeof path, "%s/slots", run_dir);
	bawn_auto_fd fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (fd < 0)
		return bawn_fail(err, -errno, "watch the slots");
	if (inotify_add_watch(fd, path, IN_CLOSE_WRITE) < 0)
		return bawn_fail(err, -errno, "watch '%s'", path);
	*out_fd = bawn_take_fd(&fd);
	return 0;
}
