#include "core/envs.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"

#define DOC_BYTES (4u << 20)
#define DEPTH 64  /* of what is removed: more than a draft can have */

static bool is_sha256(const char *name)
{
	return strlen(name) == BAWN_SHA256_HEX - 1 && strspn(name, "0123456789abcdef") == BAWN_SHA256_HEX - 1;
}

bool bawn_env_may_be_called(const char *name)
{
	size_t n = strlen(name);
	return n > 0 && n < BAWN_ENV_NAME && name[0] != '.' && name[0] != '-' && !is_sha256(name) &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == n;
}

/* STATE/env/SUB; "": env itself. */
static int open_dir(const char *state, const char *sub, bool make, struct bawn_err *err)
{
	char path[BAWN_ENV_PATH];
	snprintf(path, sizeof path, "%s/env%s%s", state, sub[0] != '\0' ? "/" : "", sub);
	int r = make ? bawn_make_dirs(path, 0700, err) : 0;
	if (r < 0)
		return r;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 ? fd : bawn_fail(err, -errno, "open '%s'", path);
}

/* The hash that stands in a small file; a torn one is none. */
static bool read_sha256(int dir, const char *name, char out[static BAWN_SHA256_HEX])
{
	bawn_auto_buf text = BAWN_BUF(128);
	if (bawn_read_file(dir, name, &text, NULL) < 0 || text.n != BAWN_SHA256_HEX - 1 || !is_sha256(text.p))
		return false;
	memcpy(out, text.p, BAWN_SHA256_HEX);
	return true;
}

/* ---- removing ---- */

static int remove_tree(int dir, const char *name, int depth)
{
	bawn_auto_fd sub = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub < 0 || depth == 0)
		return -errno;
	bawn_auto_fd copy = fcntl(sub, F_DUPFD_CLOEXEC, 0);
	bawn_auto_dir d = copy >= 0 ? fdopendir(copy) : NULL;
	if (d == NULL)
		return -errno;
	copy = -1;
	int r = 0;
	for (struct dirent *e; r == 0 && (e = readdir(d)) != NULL; ) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (unlinkat(sub, e->d_name, 0) < 0)
			r = errno == EISDIR || errno == EPERM ? remove_tree(sub, e->d_name, depth - 1) : -errno;
	}
	return r < 0 ? r : unlinkat(dir, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);
	return n > m && strcmp(name + n - m, end) == 0;
}

/* What builders left who are no more.  Failing fails nothing: nobody uses what has no name. */
static void sweep(int dir)
{
	bawn_auto_fd copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bawn_auto_dir d = copy >= 0 ? fdopendir(copy) : NULL;
	if (d == NULL)
		return;
	copy = -1;
	for (struct dirent *e; (e = readdir(d)) != NULL; ) {
		if (!ends_in(e->d_name, ".tmp"))
			continue;
		bawn_auto_fd left = openat(dir, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (left >= 0 && flock(left, LOCK_EX | LOCK_NB) == 0)
			(void)remove_tree(dir, e->d_name, DEPTH);
	}
}

/* ---- using ---- */

int bawn_env_hold(const char *state, const char *sha256, struct bawn_env *out, struct bawn_err *err)
{
	struct stat held, there;
	bawn_auto_buf text = BAWN_BUF(DOC_BYTES);
	bawn_auto_fd dir = open_dir(state, "", false, NULL);
	bawn_auto_fd lock = dir >= 0 ? openat(dir, sha256, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	/* Locked, and still what has the name: somebody may have removed it in between. */
	if (lock < 0 || flock(lock, LOCK_SH | LOCK_NB) < 0 || fstat(lock, &held) < 0 || fstatat(dir, sha256, &there, AT_SYMLINK_NOFOLLOW) < 0 ||
	    held.st_ino != there.st_ino || held.st_dev != there.st_dev)
		return bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, "environment", "there is no environment %.64s", sha256);
	json_t *doc = NULL;
	int r = bawn_read_file(lock, "env.json", &text, err);
	if (r == 0)
		r = bawn_json_parse(bawn_buf_span(&text), &doc, err);
	if (r < 0)
		return bawn_wrap(err, r, "read environment %.12s", sha256);
	snprintf(out->sha256, sizeof out->sha256, "%s", sha256);
	snprintf(out->path, sizeof out->path, "%s/env/%s/tree", state, sha256);
	out->lock = bawn_take_fd(&lock);
	out->doc = doc;
	return 0;
}

void bawn_env_drop(struct bawn_env *e)
{
	bawn_close_fdp(&e->lock);
	json_decref(e->doc);
	*e = BAWN_ENV_NONE;
}

/* Exactly one environment whose hash begins so. */
static bool by_prefix(int dir, const char *prefix, char out[static BAWN_SHA256_HEX])
{
	size_t n = strlen(prefix), found = 0;
	bawn_auto_fd copy = n >= 4 ? openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	bawn_auto_dir d = copy >= 0 ? fdopendir(copy) : NULL;
	if (d == NULL)
		return false;
	copy = -1;
	for (struct dirent *e; (e = readdir(d)) != NULL; )
		if (is_sha256(e->d_name) && strncmp(e->d_name, prefix, n) == 0 && found++ == 0)
			memcpy(out, e->d_name, BAWN_SHA256_HEX);
	return found == 1;
}

int bawn_env_named(const char *state, const char *name, char out[static BAWN_SHA256_HEX], struct bawn_err *err)
{
	bawn_auto_fd dir = open_dir(state, "", false, NULL), names = open_dir(state, "name", false, NULL);
	if (bawn_env_may_be_called(name) && names >= 0 && read_sha256(names, name, out))
		return 0;
	if (dir >= 0 && by_prefix(dir, name, out))
		return 0;
	return bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, "environment", "there is no environment '%.64s'; bawn env list names those there are", name);
}

int bawn_env_call(const char *state, const char *name, const char *sha256, struct bawn_err *err)
{
	bawn_auto_fd names = open_dir(state, "name", true, err);
	return names < 0 ? names : bawn_replace_file(names, name, bawn_span(sha256), 0600, err);
}

bool bawn_env_wanted(const char *state, const char *key, char out[static BAWN_SHA256_HEX])
{
	bawn_auto_fd wants = open_dir(state, "want", false, NULL), dir = open_dir(state, "", false, NULL);
	return wants >= 0 && dir >= 0 && read_sha256(wants, key, out) && faccessat(dir, out, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

int bawn_env_claim(const char *state, const char *key, int *out_lock, struct bawn_err *err)
{
	bawn_auto_fd wants = open_dir(state, "want", true, err);
	if (wants < 0)
		return wants;
	bawn_auto_fd fd = openat(wants, key, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return bawn_fail(err, -errno, "open what is wanted");
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK ? -EAGAIN : bawn_fail(err, -errno, "lock what is wanted");
	*out_lock = bawn_take_fd(&fd);
	return 0;
}

/* ---- building ---- */

static int make_dir(int dir, const char *name)
{
	if (mkdirat(dir, name, 0755) < 0)
		return errno == EEXIST ? 0 : -errno;
	return fchmodat(dir, name, 0755, 0) < 0 ? -errno : 0;  /* past the umask: the run has another uid */
}

/* Sweeping and beginning exclude one another: a draft is locked before anybody can take it for left over. */
int bawn_env_draft_begin(const char *state, const char *id, struct bawn_env_draft *out, struct bawn_err *err)
{
	bawn_auto_fd dir = open_dir(state, "", true, err);
	if (dir < 0)
		return dir;
	if (flock(dir, LOCK_EX) < 0)
		return bawn_fail(err, -errno, "lock the environments");
	sweep(dir);
	snprintf(out->name, sizeof out->name, "%.26s.tmp", id);
	bawn_sha256_init(&out->sum);
	out->dir = bawn_take_fd(&dir);
	if (make_dir(out->dir, out->name) < 0 || (out->self = openat(out->dir, out->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0 ||
	    flock(out->self, LOCK_EX | LOCK_NB) < 0 || make_dir(out->self, "tree") < 0 ||
	    (out->tree = openat(out->self, "tree", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0)
		return bawn_fail(err, -errno, "begin an environment");
	return flock(out->dir, LOCK_UN) < 0 ? bawn_fail(err, -errno, "unlock the environments") : 0;
}

/* Nothing there is followed: the draft is ours alone, but what names it came from inside. */
static int open_parent(int tree, const char *path, int *out, const char **out_name)
{
	bawn_auto_fd dir = fcntl(tree, F_DUPFD_CLOEXEC, 0);
	const char *at = path;
	for (const char *slash; dir >= 0 && (slash = strchr(at, '/')) != NULL; at = slash + 1) {
		char part[256];
		snprintf(part, sizeof part, "%.*s", (int)(slash - at), at);
		int r = make_dir(dir, part);
		int next = r == 0 ? openat(dir, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : r;
		if (next < 0)
			return r < 0 ? r : -errno;
		bawn_close_fdp(&dir);
		dir = next;
	}
	if (dir < 0)
		return -errno;
	*out = bawn_take_fd(&dir);
	*out_name = at;
	return 0;
}

int bawn_env_draft_put(struct bawn_env_draft *d, const char *path, int fd, const char *sha256, struct bawn_err *err)
{
	struct stat st;
	const char *name = path;
	bawn_auto_fd dir = -1;
	int r = open_parent(d->tree, path, &dir, &name);
	if (r < 0 || fstat(fd, &st) < 0)
		return bawn_fail(err, r < 0 ? r : -errno, "put '%.200s' into the environment", path);
	bawn_auto_fd to = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (to < 0)
		return bawn_fail(err, -errno, "put '%.200s' into the environment", path);
	r = bawn_copy_fd(fd, to, err);
	/* Python believes a compiled module only while its source has the time that it had. */
	const struct timespec when[2] = { st.st_mtim, st.st_mtim };
	if (r == 0 && (fchmod(to, 0644) < 0 || futimens(to, when) < 0))
		r = bawn_fail(err, -errno, "set the mode");
	if (r < 0)
		return bawn_wrap(err, r, "put '%.200s' into the environment", path);
	bawn_sha256_add(&d->sum, path, strlen(path) + 1);
	bawn_sha256_add(&d->sum, sha256, BAWN_SHA256_HEX);
	d->files++;
	d->bytes += (uint64_t)st.st_size;
	return 0;
}

static int name_it(struct bawn_env_draft *d, const char *sha256, struct bawn_err *err)
{
	if (syncfs(d->self) < 0)  /* thousands of files: one sync of the file system, not one of each */
		return bawn_fail(err, -errno, "sync the environment");
	/* Shared from the moment it has its name: whoever wants it may hold it, nobody can remove it before its builder does.
	 * Between one lock and the other there is none (flock): a sweeper is kept out by the lock that it sweeps under. */
	if (flock(d->dir, LOCK_EX) < 0 || flock(d->self, LOCK_SH | LOCK_NB) < 0)
		return bawn_fail(err, -errno, "share the environment");
	int r = renameat2(d->dir, d->name, d->dir, sha256, RENAME_NOREPLACE) < 0 ? -errno : 0;
	(void)flock(d->dir, LOCK_UN);
	if (r < 0)
		return r == -EEXIST ? 0 : bawn_fail(err, r, "name the environment");
	d->name[0] = '\0';
	return fsync(d->dir) < 0 ? bawn_fail(err, -errno, "sync the environments") : 0;
}

int bawn_env_draft_publish(struct bawn_env_draft *d, const char *sha256, const json_t *doc, int claim, struct bawn_err *err)
{
	bawn_auto_buf text = BAWN_BUF(DOC_BYTES);
	int r = bawn_json_put(&text, doc, err);
	if (r == 0)
		r = bawn_replace_file(d->self, "env.json", bawn_buf_span(&text), 0600, err);
	if (r == 0)
		r = name_it(d, sha256, err);
	if (r < 0)
		return r;
	if (ftruncate(claim, 0) < 0 || pwrite(claim, sha256, BAWN_SHA256_HEX - 1, 0) != BAWN_SHA256_HEX - 1)
		return bawn_fail(err, -errno, "note what was wanted");
	return 0;
}

void bawn_env_draft_done(struct bawn_env_draft *d)
{
	if (d->dir >= 0 && d->name[0] != '\0')
		(void)remove_tree(d->dir, d->name, DEPTH);  /* else the next builder does */
	bawn_close_fdp(&d->tree);
	bawn_close_fdp(&d->self);
	bawn_close_fdp(&d->dir);
}

/* ---- telling ---- */

static json_t *names_of(const char *state, const char *sha256)
{
	json_t *list = json_array();
	bool ok = list != NULL;
	bawn_auto_fd names = open_dir(state, "name", false, NULL);
	bawn_auto_fd copy = names >= 0 ? fcntl(names, F_DUPFD_CLOEXEC, 0) : -1;
	bawn_auto_dir d = copy >= 0 ? fdopendir(copy) : NULL;
	if (d != NULL)
		copy = -1;
	for (struct dirent *e; ok && d != NULL && (e = readdir(d)) != NULL; ) {
		char called[BAWN_SHA256_HEX];
		if (bawn_env_may_be_called(e->d_name) && read_sha256(names, e->d_name, called) && strcmp(called, sha256) == 0)
			bawn_json_push(list, json_string(e->d_name), &ok);
	}
	if (ok)
		return list;
	json_decref(list);
	return NULL;
}

static int by_time(const void *a, const void *b)
{
	const char *x = json_string_value(json_object_get(*(json_t *const *)a, "built_at")), *y = json_string_value(json_object_get(*(json_t *const *)b, "built_at"));
	return strcmp(x != NULL ? x : "", y != NULL ? y : "");
}

static int sorted(json_t *list, json_t **out, struct bawn_err *err)
{
	size_t i, n = json_array_size(list);
	json_t *item;
	bawn_auto_free json_t **all = calloc(n + 1, sizeof(json_t *));
	bawn_auto_json to = json_array();
	bool ok = all != NULL && to != NULL;
	json_array_foreach(list, i, item)
		if (ok)
			all[i] = item;
	if (ok && n > 1)
		qsort(all, n, sizeof *all, by_time);
	for (i = 0; ok && i < n; i++)
		bawn_json_push(to, json_incref(all[i]), &ok);
	if (!ok)
		return bawn_fail(err, -ENOMEM, "list the environments");
	*out = bawn_steal(to);
	return 0;
}

int bawn_env_list(const char *state, json_t **out, struct bawn_err *err)
{
	bawn_auto_json list = json_array();
	bawn_auto_fd dir = open_dir(state, "", false, NULL);
	bawn_auto_dir d = dir >= 0 ? fdopendir(dir) : NULL;
	bool ok = list != NULL;
	if (d != NULL)
		dir = -1;
	for (struct dirent *e; ok && d != NULL && (e = readdir(d)) != NULL; ) {
		struct bawn_env env = BAWN_ENV_NONE;
		if (!is_sha256(e->d_name) || bawn_env_hold(state, e->d_name, &env, NULL) < 0)
			continue;
		bawn_json_set(env.doc, "names", names_of(state, e->d_name), &ok);
		bawn_json_push(list, json_incref(env.doc), &ok);
		bawn_env_drop(&env);
	}
	return ok ? sorted(list, out, err) : bawn_fail(err, -ENOMEM, "list the environments");
}

int bawn_env_remove(const char *state, const char *sha256, struct bawn_err *err)
{
	bawn_auto_fd dir = open_dir(state, "", false, err), names = open_dir(state, "name", false, NULL);
	bawn_auto_fd self = dir >= 0 ? openat(dir, sha256, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	if (self < 0)
		return bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, "environment", "there is no environment %.64s", sha256);
	if (flock(self, LOCK_EX | LOCK_NB) < 0)
		return bawn_fail_as(err, BAWN_ERROR_BUSY, "environment", "environment %.12s is in use", sha256);
	bawn_auto_json called = names_of(state, sha256);
	/* Out of sight first: what is half removed is nobody's, and the next builder's to sweep.  One that stays keeps its names. */
	char gone[BAWN_SHA256_HEX + 8];
	snprintf(gone, sizeof gone, "%s.tmp", sha256);
	if (renameat(dir, sha256, dir, gone) < 0)
		return bawn_fail(err, -errno, "remove environment %.12s", sha256);
	size_t i;
	json_t *name;
	json_array_foreach(called, i, name)
		(void)unlinkat(names, json_string_value(name), 0);  /* a name that leads nowhere is none */
	int r = remove_tree(dir, gone, DEPTH);
	return r < 0 ? bawn_fail(err, r, "remove environment %.12s", sha256) : 0;
}
