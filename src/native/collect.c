/* collect.c - what the program left in /workspace, once nothing inside is alive.
 *
 * Invariants: (1) no link is followed and no mount crossed; only regular files with one name are
 * opened, and never in a way that can wait; (2) files, depth and bytes are capped, and what is left
 * out is said; (3) names are shown only escaped.  An attacker made every name, type and size here. */
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "base/cleanup.h"
#include "base/utf8.h"
#include "native/launch.h"

#define MAX_DEPTH 16  /* parts of a name, as with inputs */

struct walk { struct bawn_launcher *l; struct bawn_buf path; uint64_t bytes; size_t files, max_files, skipped; };

int bawn_sum_fd(int fd, uint64_t *out_size, uint8_t out[static BAWN_SHA256_LEN], struct bawn_err *err)
{
	struct bawn_sha256 h;
	uint64_t at = 0;
	char chunk[65536];
	bawn_sha256_init(&h);
	for (;;) {
		ssize_t n = pread(fd, chunk, sizeof chunk, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return bawn_fail(err, -errno, "read");
		if (n == 0)
			break;
		bawn_sha256_add(&h, chunk, (size_t)n);
		at += (uint64_t)n;
	}
	bawn_sha256_end(&h, out);
	*out_size = at;
	return 0;
}

static int skip(struct walk *w, const char *why, struct bawn_err *err)
{
	if (w->skipped++ >= BAWN_WIRE_SKIPS)
		return 0;
	bawn_auto_buf b = BAWN_IPC_BUF, shown = BAWN_BUF(BAWN_WIRE_PATH * 4);
	bawn_buf_escaped(&shown, bawn_buf_span(&w->path));
	bawn_ipc_put_text(&b, bawn_buf_error(&shown) < 0 ? "?" : shown.p);
	bawn_ipc_put_text(&b, why);
	return bawn_ipc_send(w->l->sock, BAWN_WIRE_SKIPPED, &b, NULL, 0, 0, err);
}

static bool is_input(const struct bawn_launcher *l, const char *path, const uint8_t *sum)
{
	for (size_t i = 0; i < l->n_inputs; i++)
		if (strcmp(l->input[i].name, path) == 0)
			return memcmp(l->input[i].sha256, sum, BAWN_SHA256_LEN) == 0;
	return false;
}

static int open_beneath(int dir, const char *name, uint64_t flags)
{
	struct open_how how = { .flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
	                        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV | RESOLVE_NO_MAGICLINKS };
	return (int)syscall(SYS_openat2, dir, name, &how, sizeof how);
}

static int take(struct walk *w, int dir, const char *name, struct bawn_err *err)
{
	struct stat st;
	uint8_t sum[BAWN_SHA256_LEN];
	uint64_t size;
	bawn_auto_fd fd = open_beneath(dir, name, O_RDONLY);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return skip(w, "not readable", err);
	if (st.st_nlink != 1)
		return skip(w, "hard link", err);
	if (w->files >= w->max_files)
		return skip(w, "too many files", err);
	/* Sparse files count by what they pretend to be: copying them would cost that. */
	if ((uint64_t)st.st_size > w->l->box.spec.limits.disk_bytes - w->bytes)
		return skip(w, "files larger than the disk limit", err);
	if (bawn_sum_fd(fd, &size, sum, NULL) < 0)
		return skip(w, "not readable", err);
	if (is_input(w->l, w->path.p, sum))
		return 0;
	w->files++;
	w->bytes += size;
	bawn_auto_buf b = BAWN_IPC_BUF;
	bawn_ipc_put_text(&b, w->path.p);
	bawn_ipc_put_u64(&b, size);
	bawn_ipc_put_bytes(&b, (struct bawn_span){ (const char *)sum, sizeof sum });
	return bawn_ipc_send(w->l->sock, BAWN_WIRE_FOUND, &b, &fd, 1, 0, err);
}

static const char *name_trouble(const char *name)
{
	struct bawn_span s = bawn_span(name);
	if (bawn_utf8_bad(s) != s.n)
		return "name is not UTF-8";
	for (size_t at = 0, n; at < s.n; at += n) {
		uint32_t c = 0;
		n = bawn_utf8_next(s, at, &c);
		if (c < 0x20 || (c >= 0x7f && c <= 0x9f))
			return "name has control characters";
		if ((c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
			return "name has characters that turn text round or break lines";
	}
	return NULL;
}

static const char *kind_trouble(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
	case S_IFDIR:
		return NULL;
	case S_IFLNK:
		return "symbolic link";
	case S_IFIFO:
		return "named pipe";
	case S_IFSOCK:
		return "socket";
	default:
		return "device";
	}
}

static int walk_dir(struct walk *w, int dir, int depth, struct bawn_err *err);

static int visit(struct walk *w, int dir, const char *name, int depth, struct bawn_err *err)
{
	struct stat st;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return skip(w, "not readable", err);
	const char *why = name_trouble(name);
	if (why == NULL)
		why = kind_trouble(st.st_mode);
	if (why != NULL)
		return skip(w, why, err);
	if (S_ISREG(st.st_mode))
		return take(w, dir, name, err);
	if (depth + 1 >= MAX_DEPTH)
		return skip(w, "too deep", err);
	bawn_auto_fd sub = open_beneath(dir, name, O_RDONLY | O_DIRECTORY);
	if (sub < 0)
		return skip(w, "not readable", err);
	return walk_dir(w, sub, depth + 1, err);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

struct names { char **name; size_t n; };
static void names_done(struct names *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->name[i]);
	free(l->name);
}

static int list(int dir, struct names *out, struct bawn_err *err)
{
	bawn_auto_fd copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bawn_auto_dir d = copy >= 0 ? fdopendir(copy) : NULL;
	if (d == NULL)
		return bawn_fail(err, -errno, "list a directory");
	copy = -1;
	for (struct dirent *e; (e = readdir(d)) != NULL; ) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		char **more = realloc(out->name, (out->n + 1) * sizeof *more);
		if (more == NULL)
			return bawn_fail(err, -ENOMEM, "list a directory");
		out->name = more;
		out->name[out->n] = strdup(e->d_name);
		if (out->name[out->n] == NULL)
			return bawn_fail(err, -ENOMEM, "list a directory");
		out->n++;
	}
	if (out->n > 1)
		qsort(out->name, out->n, sizeof *out->name, by_name);
	return 0;
}

static int walk_dir(struct walk *w, int dir, int depth, struct bawn_err *err)
{
	__attribute__((cleanup(names_done))) struct names all = { NULL, 0 };
	int r = list(dir, &all, err);
	if (r == -EACCES)  /* without root its mode binds us too */
		return skip(w, "not readable", err);
	for (size_t i = 0; r == 0 && i < all.n; i++) {
		size_t was = w->path.n;
		bawn_buf_fmt(&w->path, "%s%s", was > 0 ? "/" : "", all.name[i]);
		if (bawn_buf_error(&w->path) < 0) {
			r = bawn_fail(err, bawn_buf_error(&w->path), "walk /workspace");
			break;
		}
		r = visit(w, dir, all.name[i], depth, err);
		w->path.n = was;
		w->path.p[was] = '\0';
	}
	return r;
}

int bawn_collect(struct bawn_launcher *l, struct bawn_err *err)
{
	struct walk w = { .l = l, .path = BAWN_BUF(MAX_DEPTH * 260 + 260),
		.max_files = l->box.spec.collect_files > 0 ? l->box.spec.collect_files : BAWN_WIRE_FILES };
	int r = walk_dir(&w, l->box.workspace, 0, err);
	if (r == 0 && w.skipped > BAWN_WIRE_SKIPS) {
		uint64_t more = w.skipped - BAWN_WIRE_SKIPS;
		char why[64];
		snprintf(why, sizeof why, "and %ju more", (uintmax_t)more);
		w.skipped = 0;
		bawn_buf_str(&w.path, "...");
		r = skip(&w, why, err);
	}
	bawn_buf_done(&w.path);
	return r < 0 ? r : bawn_ipc_send(l->sock, BAWN_WIRE_DONE, NULL, NULL, 0, 0, err);
}
