#include "base/file.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/ulid.h"

int bawn_read_fd(int fd, const char *name, struct bawn_buf *out, struct bawn_err *err)
{
	char chunk[16384];
	for (;;) {
		ssize_t n = read(fd, chunk, sizeof chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return bawn_fail(err, -errno, "read '%s'", name);
		if (n == 0)
			break;
		bawn_buf_add(out, chunk, (size_t)n);
		int r = bawn_buf_error(out);
		if (r == -EMSGSIZE) {
			r = bawn_fail(err, -EFBIG, "read '%s': more than %zu bytes", name, out->max);
			if (err != NULL)
				err->type = BAWN_ERROR_INTERNAL;  /* no disk is full: it is not ours to read */
			return r;
		}
		if (r < 0)
			return bawn_fail(err, r, "read '%s'", name);
	}
	bawn_buf_add(out, "", 0);
	return bawn_buf_error(out) < 0 ? bawn_fail(err, bawn_buf_error(out), "read '%s'", name) : 0;
}

int bawn_read_file(int dirfd, const char *path, struct bawn_buf *out, struct bawn_err *err)
{
	bawn_auto_fd fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return bawn_fail(err, -errno, "open '%s'", path);
	return bawn_read_fd(fd, path, out, err);
}

int bawn_read_plain_file(int dirfd, const char *path, struct bawn_buf *out, struct bawn_err *err)
{
	struct stat st;
	bawn_auto_fd fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0)
		return bawn_fail(err, -errno, "open '%s'", path);
	if (!S_ISREG(st.st_mode))
		return bawn_fail(err, -EBADMSG, "read '%s', which is not a plain file", path);
	return bawn_read_fd(fd, path, out, err);
}

bool bawn_fits_rlimit(uint64_t end)
{
	struct rlimit limit;
	return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY || end <= limit.rlim_cur;
}

/* No full disk, but as little room. */
static int too_long(struct bawn_err *err)
{
	return bawn_fail(err, -EFBIG, "write, within the file size limit of this process (RLIMIT_FSIZE, ulimit -f)");
}

int bawn_write_all(int fd, const void *p, size_t n, struct bawn_err *err)
{
	const char *at = p;
	while (n > 0) {
		ssize_t did = write(fd, at, n);
		if (did < 0 && errno == EINTR)
			continue;
		if (did < 0 && errno == EFBIG)
			return too_long(err);
		if (did <= 0)
			return bawn_fail(err, did < 0 ? -errno : -EIO, "write");
		at += did;
		n -= (size_t)did;
	}
	return 0;
}

int bawn_copy_fd(int from, int to, struct bawn_err *err)
{
	char chunk[65536];
	for (;;) {
		ssize_t n = read(from, chunk, sizeof chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? bawn_fail(err, -errno, "read") : 0;
		int r = bawn_write_all(to, chunk, (size_t)n, err);
		if (r < 0)
			return r;
	}
}

/* root writing into somebody's directory leaves files that somebody can read. */
static int give_to_owner(int fd, int dir)
{
	struct stat st;
	if (geteuid() != 0)
		return 0;
	return fstat(dir, &st) < 0 || fchown(fd, st.st_uid, st.st_gid) < 0 ? -errno : 0;
}

/* The directory that holds `path`, so that its entry can be made durable. */
static int open_parent(int dirfd, const char *path)
{
	const char *slash = strrchr(path, '/');
	if (slash == NULL)
		return openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bawn_auto_free char *dir = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	if (dir == NULL)
		return -1;
	return openat(dirfd, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void bawn_new_file_done(struct bawn_new_file *f)
{
	if (f->fd >= 0)
		(void)unlinkat(f->dirfd, f->tmp.p, 0);  /* best effort: the failure is already being reported */
	bawn_close_fdp(&f->fd);
	bawn_close_fdp(&f->dir);
	bawn_buf_done(&f->tmp);
}

int bawn_new_file_begin(struct bawn_new_file *f, int dirfd, const char *path, mode_t mode, struct bawn_err *err)
{
	char id[BAWN_ULID_LEN];
	*f = (struct bawn_new_file){ .dirfd = dirfd, .fd = -1, .dir = -1, .path = path, .tmp = BAWN_BUF(8192) };
	int r = bawn_ulid_new(id, err);
	if (r < 0)
		return r;
	bawn_buf_fmt(&f->tmp, "%s.%s.tmp", path, id);
	if (bawn_buf_error(&f->tmp) < 0)
		return bawn_fail(err, bawn_buf_error(&f->tmp), "replace '%s'", path);
	f->dir = open_parent(dirfd, path);
	if (f->dir < 0)
		return bawn_fail(err, -errno, "replace '%s'", path);
	f->fd = openat(dirfd, f->tmp.p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	if (f->fd < 0)
		return bawn_fail(err, -errno, "replace '%s': create '%s'", path, f->tmp.p);
	r = give_to_owner(f->fd, f->dir);
	return r < 0 ? bawn_fail(err, r, "replace '%s': hand it to the directory's owner", path) : 0;
}

int bawn_new_file_add(struct bawn_new_file *f, struct bawn_span bytes, struct bawn_err *err)
{
	int r = bawn_fits_rlimit(bytes.n) ? bawn_write_all(f->fd, bytes.p, bytes.n, err) : too_long(err);
	return r < 0 ? bawn_wrap(err, r, "replace '%s'", f->path) : 0;
}

int bawn_new_file_end(struct bawn_new_file *f, struct bawn_err *err)
{
	if (fsync(f->fd) < 0)
		return bawn_fail(err, -errno, "replace '%s': sync", f->path);
	if (renameat(f->dirfd, f->tmp.p, f->dirfd, f->path) < 0)
		return bawn_fail(err, -errno, "replace '%s': rename", f->path);
	bawn_close_fdp(&f->fd);
	return fsync(f->dir) < 0 ? bawn_fail(err, -errno, "sync the directory of '%s'", f->path) : 0;
}

int bawn_replace_file(int dirfd, const char *path, struct bawn_span bytes, mode_t mode, struct bawn_err *err)
{
	bawn_auto_new_file f;
	int r = bawn_new_file_begin(&f, dirfd, path, mode, err);
	if (r == 0)
		r = bawn_new_file_add(&f, bytes, err);
	return r < 0 ? r : bawn_new_file_end(&f, err);
}

int bawn_make_dirs(const char *path, mode_t mode, struct bawn_err *err)
{
	bawn_auto_free char *copy = strdup(path);
	if (copy == NULL)
		return bawn_fail(err, -ENOMEM, "make '%s'", path);
	if (path[0] == '\0')
		return bawn_fail(err, -EINVAL, "make a directory without a name");
	for (char *at = copy + 1; ; at++) {
		if (*at != '/' && *at != '\0')
			continue;
		char was = *at;
		*at = '\0';
		const bool made = mkdir(copy, mode) == 0;
		if (!made && errno != EEXIST)
			return bawn_fail(err, -errno, "make directory '%s'", copy);
		bawn_auto_fd parent = made ? open_parent(AT_FDCWD, copy) : -1;
		if (made && (parent < 0 || fsync(parent) < 0) && errno != EACCES) {  /* may be written, not read: nothing to be done */
			int code = errno;
			(void)rmdir(copy);  /* or the next one would find it and not sync */
			return bawn_fail(err, -code, "sync the directory of '%s'", copy);
		}
		*at = was;
		if (was == '\0')
			break;
	}
	struct stat st;
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return bawn_fail(err, -ENOTDIR, "make directory '%s'", path);
	return 0;
}

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int bawn_memory_file(const char *name, struct bawn_err *err)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	if (fd < 0 && errno == EINVAL)  /* Linux before 6.3 */
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 ? bawn_fail(err, -errno, "make a memory file") : fd;
}

int bawn_sealed_copy(const char *name, struct bawn_span bytes, int *out_fd, struct bawn_err *err)
{
	if (!bawn_fits_rlimit(bytes.n))
		return bawn_wrap(err, too_long(err), "make a copy of the %s", name);
	bawn_auto_fd fd = bawn_memory_file(name, err);
	if (fd < 0)
		return fd;
	int r = bawn_write_all(fd, bytes.p, bytes.n, err);
	if (r < 0)
		return bawn_wrap(err, r, "fill a memory file");
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) < 0)
		return bawn_fail(err, -errno, "seal a memory file");
	if (lseek(fd, 0, SEEK_SET) < 0)
		return bawn_fail(err, -errno, "rewind a memory file");
	*out_fd = bawn_take_fd(&fd);
	return 0;
}
