#include "core/outdir.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "base/ulid.h"

/* A directory or file by what it is; by its name it could have others. */
struct id { bool known; dev_t dev; ino_t ino; };

#define OWN    "bawn's own directory"
#define RESULT "the file of the result"

/* What the code's files must not touch: the thing itself, and its name in its directory, where it need not exist. */
struct kept { const char *path, *why; char *parent, *name; struct id self, in; };
#define KEPT_MAX 8

struct bawn_outdir {
	int top;
	struct kept kept[KEPT_MAX]; size_t n_kept;
	struct id *made; size_t n_made;  /* hidden directories of this run */
};

static struct id id_of(const struct stat *st) { return (struct id){ true, st->st_dev, st->st_ino }; }

static struct id id_at(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 ? id_of(&st) : (struct id){ 0 };
}

static struct id id_fd(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 ? id_of(&st) : (struct id){ 0 };
}

static bool same(struct id a, struct id b) { return a.known && b.known && a.dev == b.dev && a.ino == b.ino; }

static int keep(struct bawn_outdir *d, const char *path, const char *why)
{
	if (path == NULL || path[0] == '\0')
		return 0;
	size_t n = strlen(path), at;
	while (n > 1 && path[n - 1] == '/')
		n--;
	for (at = n; at > 0 && path[at - 1] != '/'; at--)
		;
	struct kept *k = &d->kept[d->n_kept++];
	*k = (struct kept){ .path = path, .why = why, .name = strndup(path + at, n - at), .parent = at == 0 ? strdup(".") : strndup(path, at) };
	return k->name == NULL || k->parent == NULL ? -ENOMEM : 0;
}

/* Again after each directory that was made: it may be the one that was missing. */
static void look(struct bawn_outdir *d)
{
	for (size_t i = 0; i < d->n_kept; i++) {
		d->kept[i].self = id_at(d->kept[i].path);
		d->kept[i].in = id_at(d->kept[i].parent);
	}
}

static const char *is_kept(const struct bawn_outdir *d, struct id it)
{
	for (size_t i = 0; i < d->n_kept; i++)
		if (same(d->kept[i].self, it))
			return d->kept[i].why;
	return NULL;
}

static const char *name_is_kept(const struct bawn_outdir *d, int dir, const char *name)
{
	const struct id here = id_fd(dir);
	for (size_t i = 0; i < d->n_kept; i++)
		if (same(d->kept[i].in, here) && strcmp(d->kept[i].name, name) == 0)
			return d->kept[i].why;
	return NULL;
}

/* --- the directory --------------------------------------------------------------------------- */

/* Whether it or a directory above it is kept.  One that we may not search has none of ours above it. */
static const char *lies_in(const struct bawn_outdir *d, int fd)
{
	bawn_auto_fd at = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	for (struct id last = { 0 }, here; at >= 0 && !same(here = id_fd(at), last); last = here) {
		const char *why = is_kept(d, here);
		if (why != NULL)
			return why;
		int up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		bawn_close_fdp(&at);
		at = up;
	}
	return NULL;
}

/* The directory, or what is there of the way to it. */
static int open_nearest(const char *path)
{
	bawn_auto_free char *way = strdup(path);
	for (size_t n = way != NULL ? strlen(way) : 0; n > 0; ) {
		int fd = open(way, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 || errno != ENOENT)
			return fd;
		while (n > 0 && way[n - 1] == '/')
			n--;
		while (n > 0 && way[n - 1] != '/')
			n--;
		way[n] = '\0';
	}
	return open(path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int not_ours(struct bawn_outdir *d, const char *path, int fd, struct bawn_err *err)
{
	look(d);
	const char *why = fd >= 0 ? lies_in(d, fd) : NULL;
	return why == NULL ? 0 : bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "out_dir", "'%s' lies in %s", path, why);
}

static int open_top(struct bawn_outdir *d, const char *path, struct bawn_err *err)
{
	bawn_auto_fd near = open_nearest(path);
	int r = not_ours(d, path, near, err);  /* before a directory is made there */
	if (r == 0)
		r = bawn_make_dirs(path, 0777, err);
	if (r < 0)
		return r;
	d->top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->top < 0)
		return bawn_fail(err, -errno, "open '%s'", path);
	if (faccessat(d->top, ".", W_OK | X_OK, AT_EACCESS) < 0)
		return bawn_fail(err, -errno, "write to '%s'", path);
	return not_ours(d, path, d->top, err);
}

static int keep_all(struct bawn_outdir *d, const struct bawn_dirs *own, const char *witness, const char *result)
{
	const char *const dir[] = { own->state, own->witness, witness, own->run, own->config, own->config_user, own->policy.floor };
	_Static_assert(BAWN_LEN(dir) < KEPT_MAX, "there is room for each, and for the result");
	int r = keep(d, result, RESULT);
	for (size_t i = 0; r == 0 && i < BAWN_LEN(dir); i++)
		r = keep(d, dir[i], OWN);
	return r;
}

int bawn_outdir_open(const char *path, const struct bawn_dirs *own, const char *witness, const char *result,
                     struct bawn_outdir **out, struct bawn_err *err)
{
	struct bawn_outdir *d = calloc(1, sizeof *d);
	if (d == NULL)
		return bawn_fail(err, -ENOMEM, "keep files");
	d->top = -1;
	struct bawn_err why = { 0 };
	int r = keep_all(d, own, witness, result) < 0 ? bawn_fail(&why, -ENOMEM, "keep files") : open_top(d, path, &why);
	if (r == 0) {
		*out = d;
		return 0;
	}
	bawn_outdir_free(d);
	if (why.type == BAWN_ERROR_INTERNAL)
		r = bawn_fail_as(&why, BAWN_ERROR_INVALID_REQUEST, "out_dir", "no place for the files: %s", why.msg);
	if (err != NULL)
		*err = why;
	return r;
}

void bawn_outdir_free(struct bawn_outdir *d)
{
	if (d == NULL)
		return;
	for (size_t i = 0; i < d->n_kept; i++) {
		free(d->kept[i].parent);
		free(d->kept[i].name);
	}
	free(d->made);
	bawn_close_fdp(&d->top);
	free(d);
}

/* --- a file ---------------------------------------------------------------------------------- */

static int leave_out(struct bawn_err *err, const char *path, const char *why)
{
	return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "out_dir", "'%s' is %s", path, why);
}

static int remember(struct bawn_outdir *d, struct id made)
{
	struct id *more = realloc(d->made, (d->n_made + 1) * sizeof *more);
	if (more == NULL)
		return -ENOMEM;
	d->made = more;
	d->made[d->n_made++] = made;
	return 0;
}

static bool is_made(const struct bawn_outdir *d, struct id it)
{
	for (size_t i = 0; i < d->n_made; i++)
		if (same(d->made[i], it))
			return true;
	return false;
}

/* From *dir into its directory `part`, made where it is absent.  Never through a link, or the code could write wherever
 * one in the caller's directory leads. */
static int step_into(struct bawn_outdir *d, int *dir, const char *part, struct bawn_err *err)
{
	const char *why = name_is_kept(d, *dir, part);
	if (why != NULL)
		return leave_out(err, part, why);
	const bool made = mkdirat(*dir, part, 0777) == 0;
	if (!made && errno != EEXIST)
		return bawn_fail(err, -errno, "make directory '%s'", part);
	bawn_auto_fd next = openat(*dir, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0) {
		const int code = errno;
		struct stat st;
		if (fstatat(*dir, part, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
			return leave_out(err, part, "a link");
		return bawn_fail(err, -code, "open directory '%s'", part);
	}
	const struct id it = id_fd(next);
	if (made)
		look(d);
	why = is_kept(d, it);
	if (why != NULL && made)
		(void)unlinkat(*dir, part, AT_REMOVEDIR);  /* empty: it does no harm there */
	if (why != NULL)
		return leave_out(err, part, why);
	if (part[0] == '.' && !made && !is_made(d, it))
		return leave_out(err, part, "hidden and was there before");
	if (part[0] == '.' && made && remember(d, it) < 0)
		return bawn_fail(err, -ENOMEM, "keep files");
	bawn_close_fdp(dir);
	*dir = bawn_take_fd(&next);
	return 0;
}

/* The directory of `path`; *out_name: its last part. */
static int open_parent(struct bawn_outdir *d, const char *path, int *out, const char **out_name, struct bawn_err *err)
{
	bawn_auto_fd dir = fcntl(d->top, F_DUPFD_CLOEXEC, 0);
	const char *at = path;
	if (dir < 0)
		return bawn_fail(err, -errno, "open the directory");
	for (const char *slash; (slash = strchr(at, '/')) != NULL; at = slash + 1) {
		char part[256];
		snprintf(part, sizeof part, "%.*s", (int)(slash - at), at);
		int r = step_into(d, &dir, part, err);
		if (r < 0)
			return r;
	}
	*out = bawn_take_fd(&dir);
	*out_name = at;
	return 0;
}

static bool hidden(const char *path)
{
	return path[0] == '.' || strstr(path, "/.") != NULL;
}

static int fill(int dir, const char *tmp, const char *name, const struct bawn_collected *f, struct bawn_err *err)
{
	if (!bawn_fits_rlimit(f->size))
		return bawn_fail(err, -EFBIG, "the limit on file sizes (ulimit -f)");
	bawn_auto_fd to = openat(dir, tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (to < 0)
		return bawn_fail(err, -errno, "write");
	int r = bawn_copy_fd(f->fd, to, err);
	if (r == 0 && renameat(dir, tmp, dir, name) < 0)  /* over a link or a special file, never through it; not over a directory */
		r = bawn_fail(err, -errno, "replace what is there");
	if (r < 0)
		(void)unlinkat(dir, tmp, 0);  /* best effort: the failure is already being reported */
	return r;
}

int bawn_outdir_put(struct bawn_outdir *d, const struct bawn_collected *f, struct bawn_err *err)
{
	const char *name = f->path;
	bawn_auto_fd dir = -1;
	char id[BAWN_ULID_LEN], tmp[BAWN_ULID_LEN + 8];
	int r = open_parent(d, f->path, &dir, &name, err);
	if (r < 0)
		return r;
	const char *why = name_is_kept(d, dir, name);
	if (why != NULL)
		return leave_out(err, name, why);
	if (hidden(f->path) && faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return leave_out(err, name, "hidden and there already");
	r = bawn_ulid_new(id, err);
	if (r < 0)
		return r;
	snprintf(tmp, sizeof tmp, ".bawn-%s", id);
	r = fill(dir, tmp, name, f, err);
	return r < 0 ? bawn_wrap(err, r, "copy '%s'", name) : 0;
}
