/* disk.h - a disk that loses power, and calls that fail.
 *
 * The calls of this program that change files are ours.  They do their work; while disk_on() they also
 * note it, for files below one directory, so that disk_cut() can make what a power cut after any of them
 * might have left:
 *
 *	a page of a file       each 512-byte sector as it was at the last sync that succeeded, or as any write
 *	                       since then left it, whatever became of its neighbours
 *	the length of a file   as at the last sync, as after any write since, or any number between
 *	a directory            as at its last fsync, and the first few changes since, in their order
 *	a sync that fails      leaves the pages as they are in memory and forgets that they are dirty: a later sync
 *	                       succeeds and writes nothing, until the page is written to again (Linux does that)
 *
 * That is at least what ext4, XFS and btrfs may do: a file's own sync does not save its name here.
 * Nothing is really synced, so that it is quick.
 *
 * disk_fail(n, code, times, …) makes the n-th call from now on fail, and as many after it. */
#pragma once
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DISK_PAGE   4096u
#define DISK_SECTOR 512u
#define DISK_NAMES  4096
#define DISK_OPS    20000
#define DISK_PAGES  4096
#define DISK_PAST   48  /* versions of a page that are remembered */
#define DISK_PATH   256

enum disk_kind { DISK_CREATE, DISK_MKDIR, DISK_RENAME, DISK_UNLINK, DISK_WRITE, DISK_SYNC, DISK_LOST, DISK_SYNCDIR };
struct disk_op {
	enum disk_kind kind;
	int      file;                   /* an id; of DISK_SYNCDIR unused */
	char    *path, *to;              /* of names: below the root; `to` of DISK_RENAME */
	uint64_t at, size;               /* of DISK_WRITE: the first byte of its first page; length of the file afterwards */
	size_t   n;                      /* bytes of whole pages */
	char    *before, *after;
};
struct disk_name { char path[DISK_PATH]; int file; };  /* file -1: a directory */
struct disk_file { int fd; uint64_t size; };            /* a descriptor of ours to read it; its length when first seen */

static struct {
	char   root[128];
	bool   on;
	struct disk_name base[DISK_NAMES], live[DISK_NAMES];
	int    n_base, n_live;
	struct disk_file file[DISK_NAMES];
	int    n_files;
	struct disk_op op[DISK_OPS];
	int    n_ops;
	/* faults */
	long   calls, fail_at;           /* calls so far; the one that fails, 0: none */
	int    code;
	long   times;                    /* it and those after it that fail */
	bool   half;                     /* a write that fails does half of its work in a call before */
	bool   counting, failed;
	char   failed_call[16];
} disk;

#define DISK_REAL(call, ...) ((int)syscall(SYS_##call, __VA_ARGS__))

/* ---- names ---- */

/* Where an open file is, below the root; false elsewhere. */
static bool disk_where(int dirfd, const char *path, char out[static DISK_PATH])
{
	char link[64], dir[512] = "";
	if (path != NULL && path[0] == '/') {
		snprintf(dir, sizeof dir, "%s", path);
	} else {
		if (dirfd == AT_FDCWD)
			snprintf(link, sizeof link, "/proc/self/cwd");
		else
			snprintf(link, sizeof link, "/proc/self/fd/%d", dirfd);
		ssize_t n = syscall(SYS_readlink, link, dir, sizeof dir - 1);
		if (n < 0)
			return false;
		dir[n] = '\0';
		if (path != NULL && strcmp(path, ".") != 0)
			snprintf(dir + n, sizeof dir - (size_t)n, "/%s", path);
	}
	size_t n = strlen(disk.root);
	if (strncmp(dir, disk.root, n) != 0 || (dir[n] != '/' && dir[n] != '\0'))
		return false;
	snprintf(out, DISK_PATH, "%.200s", dir[n] == '/' ? dir + n + 1 : "");
	return true;
}

static int disk_find(const struct disk_name *names, int n, const char *path)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i].path, path) == 0)
			return i;
	return -1;
}

static void disk_add(struct disk_name *names, int *n, const char *path, int file)
{
	int i = disk_find(names, *n, path);
	if (i < 0 && *n < DISK_NAMES)
		i = (*n)++;
	if (i < 0)
		abort();
	names[i].file = file;
	snprintf(names[i].path, sizeof names[i].path, "%s", path);
}

/* Order is kept: a directory stands before what is in it. */
static void disk_drop(struct disk_name *names, int *n, const char *path)
{
	int i = disk_find(names, *n, path);
	if (i >= 0)
		memmove(&names[i], &names[i + 1], (size_t)(--*n - i) * sizeof *names);
}

static struct disk_op *disk_note(enum disk_kind kind, int file, const char *path, const char *to)
{
	if (disk.n_ops == DISK_OPS)
		abort();
	struct disk_op *o = &disk.op[disk.n_ops++];
	*o = (struct disk_op){ .kind = kind, .file = file, .path = strdup(path), .to = to != NULL ? strdup(to) : NULL };
	return o;
}

/* From now on its bytes can be read, whatever becomes of its name. */
static void disk_touch(const char *path, int file)
{
	char full[DISK_PATH + 160];
	struct stat st;
	struct disk_file *f = &disk.file[file];
	if (file < 0 || f->fd >= 0)
		return;
	snprintf(full, sizeof full, "%.150s/%.250s", disk.root, path);
	f->fd = DISK_REAL(openat, AT_FDCWD, full, O_RDONLY | O_CLOEXEC);
	if (f->fd >= 0 && DISK_REAL(fstat, f->fd, &st) == 0)
		f->size = (uint64_t)st.st_size;
}

static int disk_new_file(void)
{
	if (disk.n_files == DISK_NAMES)
		abort();
	disk.file[disk.n_files] = (struct disk_file){ .fd = -1 };
	return disk.n_files++;
}

/* The file open at fd, or -1. */
static int disk_file_of(int fd, char path[static DISK_PATH])
{
	if (!disk.on || !disk_where(fd, NULL, path))
		return -1;
	int i = disk_find(disk.live, disk.n_live, path);
	if (i < 0 || disk.live[i].file < 0)
		return -1;
	disk_touch(path, disk.live[i].file);
	return disk.live[i].file;
}

/* ---- faults ---- */

static bool disk_refuses(const char *call)
{
	if (!disk.counting)
		return false;
	disk.calls++;
	if (disk.fail_at == 0 || disk.calls < disk.fail_at || disk.calls >= disk.fail_at + disk.times)
		return false;
	/* A full disk refuses what needs room, and nothing else. */
	static const char *const room[] = { "open", "write", "fdatasync", "fsync", "mkdir", "rename", "fallocate" };
	bool may = disk.code != ENOSPC;
	for (size_t i = 0; i < sizeof room / sizeof *room; i++)
		may = may || strcmp(call, room[i]) == 0;
	if (!may)
		return false;
	if (!disk.failed)
		snprintf(disk.failed_call, sizeof disk.failed_call, "%s", call);
	disk.failed = true;
	errno = disk.code;
	return true;
}

__attribute__((unused)) static void disk_fail(long n, int code, long times, bool half)
{
	disk.calls = 0;
	disk.fail_at = n;
	disk.code = code;
	disk.times = times;
	disk.half = half;
	disk.failed = false;
	disk.counting = true;
}
__attribute__((unused)) static void disk_mend(void) { disk.counting = false; disk.fail_at = 0; }

/* ---- the calls ---- */

static ssize_t disk_change(int fd, const void *p, size_t n, off_t at, bool resize);

static int disk_open(int dirfd, const char *path, int flags, unsigned mode)
{
	char where[DISK_PATH];
	bool ours = disk.on && disk_where(dirfd, path, where);
	int i = ours ? disk_find(disk.live, disk.n_live, where) : -1;
	if (disk_refuses("open"))
		return -1;
	const bool empties = ours && i >= 0 && flags & O_TRUNC;
	int fd = DISK_REAL(openat, dirfd, path, empties ? flags & ~O_TRUNC : flags, mode);
	if (fd >= 0 && empties)
		(void)disk_change(fd, NULL, 1, 0, true);
	if (fd < 0 || !ours || i >= 0 || !(flags & O_CREAT))
		return fd;
	int file = disk_new_file();
	disk_add(disk.live, &disk.n_live, where, file);
	disk_touch(where, file);
	(void)disk_note(DISK_CREATE, file, where, NULL);
	return fd;
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	unsigned mode = va_arg(ap, unsigned);
	va_end(ap);
	return disk_open(AT_FDCWD, path, flags, flags & O_CREAT ? mode : 0);
}

int openat(int dirfd, const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	unsigned mode = va_arg(ap, unsigned);
	va_end(ap);
	return disk_open(dirfd, path, flags, flags & O_CREAT ? mode : 0);
}

/* Whole pages around [at, at + n), zeros behind the end. */
static char *disk_pages(int file, uint64_t at, size_t n)
{
	char *p = calloc(1, n);
	if (p == NULL || syscall(SYS_pread64, disk.file[file].fd, p, n, (off_t)at) < 0)
		abort();
	return p;
}

static ssize_t disk_change(int fd, const void *p, size_t n, off_t at, bool resize)
{
	char path[DISK_PATH];
	struct stat st;
	int file = disk_file_of(fd, path);
	uint64_t from = (uint64_t)at / DISK_PAGE * DISK_PAGE, end = ((uint64_t)at + n + DISK_PAGE - 1) / DISK_PAGE * DISK_PAGE;
	char *before = file >= 0 ? disk_pages(file, from, (size_t)(end - from)) : NULL;
	ssize_t r = resize ? syscall(SYS_ftruncate, fd, at) : syscall(SYS_pwrite64, fd, p, n, at);
	if (file < 0)
		return r;
	if (r < 0 || DISK_REAL(fstat, fd, &st) < 0) {
		free(before);
		return r;
	}
	struct disk_op *o = disk_note(DISK_WRITE, file, path, NULL);
	o->at = from;
	o->n = (size_t)(end - from);
	o->before = before;
	o->after = disk_pages(file, from, o->n);
	o->size = (uint64_t)st.st_size;
	return r;
}

static ssize_t disk_put(int fd, const void *p, size_t n, off_t at)
{
	const bool would = disk.half && disk.counting && disk.calls + 1 == disk.fail_at && n > 1;
	if (would) {  /* half now; the call after this one fails */
		disk.half = false;
		return disk_change(fd, p, n / 2, at, false);
	}
	return disk_refuses("write") ? -1 : disk_change(fd, p, n, at, false);
}

ssize_t pwrite(int fd, const void *p, size_t n, off_t at) { return disk_put(fd, p, n, at); }

ssize_t write(int fd, const void *p, size_t n)
{
	char path[DISK_PATH];
	struct stat st;
	if (disk_file_of(fd, path) < 0)
		return disk.counting && fd > 2 && disk_refuses("write") ? -1 : syscall(SYS_write, fd, p, n);
	off_t at = lseek(fd, 0, SEEK_CUR);
	if (fcntl(fd, F_GETFL) & O_APPEND && DISK_REAL(fstat, fd, &st) == 0)
		at = st.st_size;
	ssize_t r = disk_put(fd, p, n, at);
	if (r > 0)
		(void)lseek(fd, at + r, SEEK_SET);
	return r;
}

int ftruncate(int fd, off_t size) { return disk_refuses("ftruncate") ? -1 : (int)disk_change(fd, NULL, 1, size, true); }

int posix_fallocate(int fd, off_t at, off_t n)
{
	(void)at;
	return disk_refuses("fallocate") ? errno : disk_change(fd, NULL, 1, n, true) < 0 ? errno : 0;
}

static int disk_sync(int fd, const char *call)
{
	char path[DISK_PATH];
	struct stat st;
	const bool fails = disk_refuses(call);
	int file = disk_file_of(fd, path);
	if (file >= 0)
		(void)disk_note(fails ? DISK_LOST : DISK_SYNC, file, path, NULL);
	else if (!fails && disk.on && DISK_REAL(fstat, fd, &st) == 0 && S_ISDIR(st.st_mode) && disk_where(fd, NULL, path))
		(void)disk_note(DISK_SYNCDIR, -1, path, NULL);
	if (fails)
		errno = disk.code;
	return fails ? -1 : 0;
}
int fsync(int fd) { return disk_sync(fd, "fsync"); }
int fdatasync(int fd) { return disk_sync(fd, "fdatasync"); }
int syncfs(int fd)
{
	(void)fd;
	if (disk_refuses("fsync"))
		return -1;
	for (int i = 0; disk.on && i < disk.n_live; i++)
		(void)disk_note(disk.live[i].file >= 0 ? DISK_SYNC : DISK_SYNCDIR, disk.live[i].file, disk.live[i].path, NULL);
	return 0;
}

int renameat(int olddir, const char *old, int newdir, const char *new)
{
	char from[DISK_PATH], to[DISK_PATH];
	const bool ours = disk.on && disk_where(olddir, old, from) && disk_where(newdir, new, to);
	const int i = ours ? disk_find(disk.live, disk.n_live, from) : -1, over = ours ? disk_find(disk.live, disk.n_live, to) : -1;
	if (disk_refuses("rename"))
		return -1;
	if (over >= 0)
		disk_touch(to, disk.live[over].file);
	int r = DISK_REAL(renameat, olddir, old, newdir, new);
	if (r < 0 || i < 0)
		return r;
	int file = disk.live[i].file;
	(void)disk_note(DISK_RENAME, file, from, to);
	disk_drop(disk.live, &disk.n_live, from);
	disk_add(disk.live, &disk.n_live, to, file);
	return 0;
}

int unlinkat(int dirfd, const char *path, int flags)
{
	char where[DISK_PATH];
	const bool ours = disk.on && disk_where(dirfd, path, where);
	const int i = ours ? disk_find(disk.live, disk.n_live, where) : -1;
	if (disk_refuses("unlink"))
		return -1;
	if (i >= 0)
		disk_touch(where, disk.live[i].file);
	int r = DISK_REAL(unlinkat, dirfd, path, flags);
	if (r == 0 && i >= 0) {
		(void)disk_note(DISK_UNLINK, disk.live[i].file, where, NULL);
		disk_drop(disk.live, &disk.n_live, where);
	}
	return r;
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

int mkdirat(int dirfd, const char *path, mode_t mode)
{
	char where[DISK_PATH];
	if (disk_refuses("mkdir"))
		return -1;
	int r = DISK_REAL(mkdirat, dirfd, path, mode);
	if (r == 0 && disk.on && disk_where(dirfd, path, where)) {
		disk_add(disk.live, &disk.n_live, where, -1);
		(void)disk_note(DISK_MKDIR, -1, where, NULL);
	}
	return r;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int flock(int fd, int how) { return how != LOCK_UN && disk_refuses("flock") ? -1 : DISK_REAL(flock, fd, how); }
ssize_t pread(int fd, void *p, size_t n, off_t at) { return disk_refuses("read") ? -1 : syscall(SYS_pread64, fd, p, n, at); }
ssize_t read(int fd, void *p, size_t n) { return disk_refuses("read") ? -1 : syscall(SYS_read, fd, p, n); }
/* What a hardened build calls instead. */
ssize_t __pread64_chk(int fd, void *p, size_t n, off_t at, size_t size);
ssize_t __pread64_chk(int fd, void *p, size_t n, off_t at, size_t size) { return n > size ? (abort(), -1) : pread(fd, p, n, at); }
ssize_t __read_chk(int fd, void *p, size_t n, size_t size);
ssize_t __read_chk(int fd, void *p, size_t n, size_t size) { return n > size ? (abort(), -1) : read(fd, p, n); }
int fstat(int fd, struct stat *st) { return disk_refuses("stat") ? -1 : DISK_REAL(fstat, fd, st); }
int fstatat(int dirfd, const char *path, struct stat *st, int flags)
{
	return disk_refuses("stat") ? -1 : DISK_REAL(newfstatat, dirfd, path, st, flags);
}
ssize_t getrandom(void *p, size_t n, unsigned flags) { return disk_refuses("getrandom") ? -1 : syscall(SYS_getrandom, p, n, flags); }

/* ---- noting ---- */

static void disk_forget(void)
{
	for (int i = 0; i < disk.n_ops; i++) {
		free(disk.op[i].path);
		free(disk.op[i].to);
		free(disk.op[i].before);
		free(disk.op[i].after);
	}
	for (int i = 0; i < disk.n_files; i++)
		if (disk.file[i].fd >= 0)
			(void)close(disk.file[i].fd);
	disk.n_ops = disk.n_files = disk.n_base = disk.n_live = 0;
	disk.on = false;
}

static int disk_scan(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)ftw;
	if (strcmp(path, disk.root) != 0)
		disk_add(disk.base, &disk.n_base, path + strlen(disk.root) + 1, flag == FTW_D ? -1 : disk_new_file());
	return 0;
}

/* What lies below `root` now is on the disk; what happens there from now on is noted. */
static void disk_on(const char *root)
{
	disk_forget();
	snprintf(disk.root, sizeof disk.root, "%s", root);
	(void)nftw(root, disk_scan, 16, FTW_PHYS);
	memcpy(disk.live, disk.base, sizeof disk.base[0] * (size_t)disk.n_base);
	disk.n_live = disk.n_base;
	disk.on = true;
}
static void disk_off(void) { disk.on = false; }

/* ---- the power goes ---- */

enum disk_luck { DISK_NOTHING, DISK_EVERYTHING, DISK_SOME };  /* of what was not synced is there */

static uint64_t disk_dice;
static unsigned disk_roll(unsigned n)
{
	disk_dice = disk_dice * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(disk_dice >> 33) % n;
}

/* In each directory the first few of what was not synced. */
static int disk_names_after(int k, enum disk_luck luck, struct disk_name *names)
{
	static struct { char dir[DISK_PATH]; int count, settled, seen, most; } dirs[512];
	int n_dirs = 0, n = disk.n_base, of[DISK_OPS];
	memcpy(names, disk.base, sizeof names[0] * (size_t)n);
	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < k; i++) {
			const struct disk_op *o = &disk.op[i];
			if (o->kind >= DISK_WRITE && o->kind != DISK_SYNCDIR)
				continue;
			if (pass == 0) {
				char dir[DISK_PATH];
				snprintf(dir, sizeof dir, "%s", o->path);
				char *slash = strrchr(dir, '/');
				if (o->kind != DISK_SYNCDIR)
					*(slash != NULL ? slash : dir) = '\0';
				int d = 0;
				while (d < n_dirs && strcmp(dirs[d].dir, dir) != 0)
					d++;
				if (d == n_dirs) {
					dirs[n_dirs].count = dirs[n_dirs].settled = dirs[n_dirs].seen = 0;
					snprintf(dirs[n_dirs++].dir, DISK_PATH, "%s", dir);
				}
				of[i] = d;
				if (o->kind == DISK_SYNCDIR)
					dirs[d].settled = dirs[d].count;
				else
					dirs[d].count++;
				dirs[d].most = luck == DISK_NOTHING ? dirs[d].settled : luck == DISK_EVERYTHING ? dirs[d].count :
				               dirs[d].settled + (int)disk_roll((unsigned)(dirs[d].count - dirs[d].settled) + 1);
				continue;
			}
			if (o->kind == DISK_SYNCDIR || dirs[of[i]].seen++ >= dirs[of[i]].most)
				continue;
			if (o->kind == DISK_CREATE || o->kind == DISK_MKDIR)
				disk_add(names, &n, o->path, o->file);
			else
				disk_drop(names, &n, o->path);
			if (o->kind == DISK_RENAME)
				disk_add(names, &n, o->to, o->file);
		}
	return n;
}

struct disk_past { uint64_t page; int n; const char *as[DISK_PAST]; bool lost; };

static struct disk_past *disk_page(struct disk_past *pages, int *n, uint64_t page, const char *before)
{
	for (int i = 0; i < *n; i++)
		if (pages[i].page == page)
			return &pages[i];
	if (*n == DISK_PAGES)
		abort();
	pages[*n] = (struct disk_past){ .page = page, .n = 1, .as = { before } };
	return &pages[(*n)++];
}

static bool disk_content(int file, int k, enum disk_luck luck, int to)
{
	static struct disk_past pages[DISK_PAGES];
	static uint64_t sizes[DISK_OPS];
	int n = 0, n_sizes = 1;
	sizes[0] = disk.file[file].size;
	for (int i = 0; i < k; i++) {
		const struct disk_op *o = &disk.op[i];
		if (o->file != file)
			continue;
		for (size_t at = 0; o->kind == DISK_WRITE && at < o->n; at += DISK_PAGE) {
			struct disk_past *p = disk_page(pages, &n, (o->at + at) / DISK_PAGE, o->before + at);
			if (p->n == DISK_PAST)
				memmove(&p->as[1], &p->as[2], (size_t)(--p->n - 1) * sizeof p->as[0]);
			p->as[p->n++] = o->after + at;
			p->lost = false;
		}
		if (o->kind == DISK_WRITE)
			sizes[n_sizes++] = o->size;
		for (int j = 0; j < n && (o->kind == DISK_SYNC || o->kind == DISK_LOST); j++)
			if (o->kind == DISK_LOST)
				pages[j].lost = pages[j].lost || pages[j].n > 1;
			else if (!pages[j].lost) {
				pages[j].as[0] = pages[j].as[pages[j].n - 1];
				pages[j].n = 1;
			}
		if (o->kind == DISK_SYNC) {
			sizes[0] = sizes[n_sizes - 1];
			n_sizes = 1;
		}
	}
	/* Pages that only later calls change are as they were. */
	for (int i = k; i < disk.n_ops; i++)
		for (size_t at = 0; disk.op[i].file == file && disk.op[i].kind == DISK_WRITE && at < disk.op[i].n; at += DISK_PAGE)
			(void)disk_page(pages, &n, (disk.op[i].at + at) / DISK_PAGE, disk.op[i].before + at);
	uint64_t size = luck == DISK_NOTHING ? sizes[0] : sizes[n_sizes - 1];
	if (luck == DISK_SOME) {
		uint64_t a = sizes[disk_roll((unsigned)n_sizes)], b = sizes[disk_roll((unsigned)n_sizes)];
		size = disk_roll(2) ? a : (a < b ? a : b) + disk_roll((unsigned)(a < b ? b - a : a - b) + 1);
	}
	char page[DISK_PAGE];
	for (uint64_t at = 0; at < size; at += DISK_PAGE) {
		memset(page, 0, sizeof page);
		int i = 0;
		while (i < n && pages[i].page != at / DISK_PAGE)
			i++;
		if (i == n && syscall(SYS_pread64, disk.file[file].fd, page, sizeof page, (off_t)at) < 0)
			return false;
		const unsigned whim = disk_roll(3);  /* all of it, nothing of it, each sector for itself */
		for (unsigned s = 0; i < n && s < DISK_PAGE / DISK_SECTOR; s++) {
			int as = luck == DISK_NOTHING ? 0 : luck == DISK_EVERYTHING || whim == 0 ? pages[i].n - 1 : whim == 1 ? 0 : (int)disk_roll((unsigned)pages[i].n);
			memcpy(page + s * DISK_SECTOR, pages[i].as[as] + s * DISK_SECTOR, DISK_SECTOR);
		}
		size_t want = size - at < sizeof page ? (size_t)(size - at) : sizeof page;
		if (syscall(SYS_pwrite64, to, page, want, (off_t)at) != (ssize_t)want)
			return false;
	}
	return DISK_REAL(ftruncate, to, (off_t)size) == 0;
}

/* Makes at `to` what the power, cut after the first k calls, may have left. */
__attribute__((unused)) static bool disk_cut(int k, enum disk_luck luck, const char *to)
{
	static struct disk_name names[DISK_NAMES];
	const int n = disk_names_after(k, luck, names);
	bool good = DISK_REAL(mkdirat, AT_FDCWD, to, 0700) == 0;
	for (int i = 0; good && i < n; i++) {
		char full[DISK_PATH + 160];
		const int file = names[i].file;
		snprintf(full, sizeof full, "%.150s/%.250s", to, names[i].path);
		if (file < 0) {
			good = DISK_REAL(mkdirat, AT_FDCWD, full, 0700) == 0 || errno == ENOENT;
			continue;
		}
		disk_touch(names[i].path, file);
		int fd = DISK_REAL(openat, AT_FDCWD, full, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		good = (fd < 0 && errno == ENOENT) || disk_content(file, k, luck, fd);  /* its directory is gone, too */
		if (fd >= 0)
			(void)close(fd);
	}
	return good;
}
