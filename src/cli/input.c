/* input.c - what a command reads from the caller's files: code, standard input, --in trees.
 *
 * Invariants: (1) every read has a ceiling; (2) a tree is entered through directory fds with
 * RESOLVE_BENEATH, so a link planted in it cannot bring in a file from outside; (3) names are
 * sorted, so the same tree is the same request.  An attacker may have written the tree. */
#include "cli/cli.h"
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "cli/tree.h"

static int open_beneath(int dir, const char *name, uint64_t flags, uint64_t more)
{
	struct open_how how = { .flags = flags | O_CLOEXEC, .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | more };
	return (int)syscall(SYS_openat2, dir, name, &how, sizeof how);
}

static int join(const char *a, const char *b, char **out, struct bawn_err *err)
{
	if (*a == '\0' ? (*out = strdup(b)) == NULL : asprintf(out, "%s/%s", a, b) < 0)
		return bawn_fail(err, -ENOMEM, "name '%s'", b);
	return 0;
}

static int grow(struct bawn_cli_inputs *in, struct bawn_err *err)
{
	if (in->n == BAWN_CLI_INPUTS_MAX)
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "inputs", "--in: more than %d files", BAWN_CLI_INPUTS_MAX);
	if (in->n < in->cap)
		return 0;
	size_t cap = in->cap * 2 + 8;
	struct bawn_input *more = reallocarray(in->item, cap, sizeof *more);
	if (more == NULL)
		return bawn_fail(err, -ENOMEM, "--in");
	in->item = more;
	in->cap = cap;
	return 0;
}

static int add_file(struct bawn_cli_inputs *in, int fd, const struct stat *st, const char *path, const char *name,
                    struct bawn_err *err)
{
	bawn_auto_buf bytes = BAWN_BUF(BAWN_CLI_INPUT_BYTES_MAX - in->bytes);
	bawn_auto_free char *kept = strdup(name);
	int r = grow(in, err);
	if (r < 0)
		return r;
	r = bawn_read_fd(fd, path, &bytes, err);
	if (r == -EFBIG)
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "inputs", "--in: more than %um in all, at '%s'",
		                    BAWN_CLI_INPUT_BYTES_MAX >> 20, path);
	if (r < 0)
		return bawn_wrap(err, r, "--in");
	size_t n = bytes.n;
	char *data = bawn_buf_steal(&bytes);
	if (kept == NULL || data == NULL) {
		free(data);
		return bawn_fail(err, -ENOMEM, "--in '%s'", path);
	}
	in->bytes += n;
	in->item[in->n++] = (struct bawn_input){
		.name = bawn_steal(kept), .data = data, .size = n,
		.mode = (st->st_mode & 0100) != 0 ? 0755 : 0644,
	};
	return 0;
}

static void skip(struct bawn_cli_inputs *in, const char *path, const char *why)
{
	if (in->skipped++ < 10)
		bawn_cli_say("--in: '%s' left out: %s", path, why);
}

static int add_tree(struct bawn_cli_inputs *in, int root, const char *rel, const char *path, const char *prefix,
                    int depth, struct bawn_err *err);

static int add_entry(struct bawn_cli_inputs *in, int root, const char *rel, const char *path, const char *name,
                     int depth, struct bawn_err *err)
{
	struct stat st;
	bawn_auto_fd look = open_beneath(root, rel, O_PATH, 0);  /* opening a device would already do something */
	if (look < 0 && (errno == EXDEV || errno == ELOOP || errno == ENOENT)) {
		skip(in, path, errno == EXDEV ? "the link leaves the directory" : strerror(errno));
		return 0;
	}
	if (look < 0 || fstat(look, &st) < 0)
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "inputs", "--in '%s': %s", path, strerror(errno));
	bool directory = S_ISDIR(st.st_mode);
	if (!directory && !S_ISREG(st.st_mode)) {
		skip(in, path, "neither a file nor a directory");
		return 0;
	}
	bawn_auto_fd fd = open_beneath(root, rel, directory ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK,
	                               directory ? RESOLVE_NO_SYMLINKS : 0);
	if (fd < 0 && directory && errno == ELOOP) {
		skip(in, path, "a link to a directory");
		return 0;
	}
	if (fd < 0)
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "inputs", "--in '%s': %s", path, strerror(errno));
	return directory ? add_tree(in, root, rel, path, name, depth + 1, err) : add_file(in, fd, &st, path, name, err);
}

static int add_tree(struct bawn_cli_inputs *in, int root, const char *rel, const char *path, const char *prefix,
                    int depth, struct bawn_err *err)
{
	if (depth > BAWN_CLI_TREE_DEPTH)
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "inputs", "--in '%s': nested too deep", path);
	bawn_auto_fd dir = *rel != '\0' ? open_beneath(root, rel, O_RDONLY | O_DIRECTORY, RESOLVE_NO_SYMLINKS) : dup(root);
	if (dir < 0)
		return bawn_fail(err, -errno, "--in: open '%s'", path);
	struct dirent **list = NULL;
	int n = bawn_cli_tree_list(dir, &list), r = n < 0 ? bawn_fail(err, n, "read directory '%s'", path) : 0;
	for (int i = 0; i < n; i++) {
		bawn_auto_free char *sub = NULL, *show = NULL, *name = NULL;
		bawn_auto_free struct dirent *entry = list[i];
		r = r < 0 ? r : join(rel, entry->d_name, &sub, err);
		r = r < 0 ? r : join(path, entry->d_name, &show, err);
		r = r < 0 ? r : join(prefix, entry->d_name, &name, err);
		r = r < 0 ? r : add_entry(in, root, sub, show, name, depth, err);
	}
	free(list);
	return r;
}

/* The name in the workspace: what was asked for, else the last part of the path; "" is the root. */
static void default_name(const char *path, char *out, size_t size)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	size_t from = n;
	while (from > 0 && path[from - 1] != '/')
		from--;
	(void)snprintf(out, size, "%.*s", (int)(n - from), path + from);
	if (strcmp(out, ".") == 0)
		out[0] = '\0';
}

int bawn_cli_input_add(struct bawn_cli_inputs *in, const char *spec, struct bawn_err *err)
{
	char last[NAME_MAX + 1];
	const char *name = last;
	bawn_auto_free char *path = strdup(spec);
	if (path == NULL)
		return bawn_fail(err, -ENOMEM, "--in");
	char *colon = strrchr(path, ':');
	if (colon != NULL && access(path, F_OK) != 0) {  /* a file may have a colon in its own name */
		*colon = '\0';
		name = strcmp(colon + 1, ".") == 0 ? "" : colon + 1;
	} else {
		default_name(path, last, sizeof last);
	}
	struct stat st;
	if (stat(path, &st) < 0)
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "inputs", "--in '%s': %s", path, strerror(errno));
	bool file = S_ISREG(st.st_mode), tree = S_ISDIR(st.st_mode);
	bawn_auto_fd fd = file || tree ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (tree && fd >= 0)
		return add_tree(in, fd, "", path, name, 0, err);
	if (fd < 0 && (file || tree))
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "inputs", "--in '%s': %s", path, strerror(errno));
	if (fd < 0)
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "inputs", "--in '%s' is neither a file nor a directory", path);
	return add_file(in, fd, &st, path, name, err);
}

void bawn_cli_inputs_done(struct bawn_cli_inputs *in)
{
	for (size_t i = 0; i < in->n; i++) {
		free((void *)(uintptr_t)in->item[i].name);
		free((void *)(uintptr_t)in->item[i].data);
	}
	free(in->item);
	*in = (struct bawn_cli_inputs){ 0 };
}

#define PATIENCE_MS 3000

int bawn_cli_read_stdin(struct bawn_buf *out, bool quiet, struct bawn_err *err)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	if (!quiet && poll(&p, 1, PATIENCE_MS) == 0)
		bawn_cli_say("waiting for the end of standard input (--stdin /dev/null passes none)");
	return bawn_read_fd(STDIN_FILENO, "standard input", out, err);
}

int bawn_cli_read_file(const char *path, struct bawn_buf *out, struct bawn_err *err)
{
	int r = bawn_read_file(AT_FDCWD, path, out, err);
	if (r == -ENOENT)
		return bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, NULL, "no file '%s'", path);
	if (r == -EFBIG)
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, NULL, "'%s' is larger than %zu bytes", path, out->max);
	if (r < 0 && r != -ENOMEM)
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, NULL, "'%s': %s", path, strerror(-r));
	return r;
}

int bawn_cli_read_code(const char *path, struct bawn_buf *out, struct bawn_err *err)
{
	int r = strcmp(path, "-") == 0 ? bawn_cli_read_stdin(out, true, err) : bawn_read_file(AT_FDCWD, path, out, err);
	if (r == -EFBIG)
		return bawn_fail_as(err, BAWN_ERROR_CODE_TOO_LARGE, "code", "'%s' is larger than %zu bytes", path, out->max);
	if (r == -ENOENT)
		return bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, "code", "no file '%s'", path);
	if (r < 0 && r != -ENOMEM)
		return bawn_fail_as(err, BAWN_ERROR_INPUT_INVALID, "code", "'%s': %s", path, strerror(-r));
	return r;
}
