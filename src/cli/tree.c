/* tree.c - the files below a directory that are code, in order of name.
 *
 * Invariants: (1) links are not followed; (2) what cannot be entered is in the list, with why, and the rest goes on;
 * (3) what is left out is counted.  An attacker may have written the tree. */
#include "cli/tree.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "cli/cli.h"

/* Not what somebody is about to run: versions, other people's packages, caches. */
static const char *const left_out[] = { ".git", ".hg", ".svn", "node_modules", "__pycache__" };

static int not_dots(const struct dirent *d) { return strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0; }
static int by_bytes(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }

int bawn_cli_tree_list(int dir, struct dirent ***out)
{
	int n = scandirat(dir, ".", out, not_dots, by_bytes);
	return n < 0 ? -errno : n;
}

int bawn_cli_tree_add(struct bawn_cli_tree *t, const char *path, const char *why)
{
	if (t->n == t->cap) {
		size_t cap = t->cap * 2 + 64;
		struct bawn_cli_tree_file *more = reallocarray(t->file, cap, sizeof *more);
		if (more == NULL)
			return -ENOMEM;
		t->file = more;
		t->cap = cap;
	}
	char *copy = strdup(path);
	if (copy == NULL)
		return -ENOMEM;
	t->file[t->n++] = (struct bawn_cli_tree_file){ copy, why };
	return 0;
}

/* By its extension, or a #! line. */
static bool is_code(int dir, const char *name)
{
	char head[128];
	if (bawn_language_guess(name, (struct bawn_span){ NULL, 0 }) >= 0)
		return true;
	bawn_auto_fd fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, head, sizeof head) : -1;
	return n > 2 && bawn_language_guess(NULL, (struct bawn_span){ head, (size_t)n }) >= 0;
}

static bool is_left_out(const struct bawn_cli_tree *t, const char *name)
{
	for (size_t i = 0; !t->all && i < BAWN_LEN(left_out); i++)
		if (strcmp(name, left_out[i]) == 0)
			return true;
	return false;
}

static int walk(struct bawn_cli_tree *t, int dir, const char *path, int depth);

static int entry(struct bawn_cli_tree *t, int dir, const char *name, const char *path, int depth)
{
	struct stat st;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return bawn_cli_tree_add(t, path, strerrordesc_np(errno));
	if (S_ISREG(st.st_mode) && is_code(dir, name))
		return bawn_cli_tree_add(t, path, NULL);
	if (!S_ISDIR(st.st_mode)) {
		t->skipped++;
		return 0;
	}
	if (is_left_out(t, name)) {
		t->left_out++;
		return 0;
	}
	if (depth == BAWN_CLI_TREE_DEPTH)
		return bawn_cli_tree_add(t, path, "nested too deep");
	bawn_auto_fd next = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return next < 0 ? bawn_cli_tree_add(t, path, strerrordesc_np(errno)) : walk(t, next, path, depth + 1);
}

/* Recursion is bounded by BAWN_CLI_TREE_DEPTH. */
static int walk(struct bawn_cli_tree *t, int dir, const char *path, int depth)
{
	struct dirent **list = NULL;
	int n = bawn_cli_tree_list(dir, &list), r = 0;
	if (n < 0)
		return bawn_cli_tree_add(t, path, strerrordesc_np(-n));
	for (int i = 0; i < n; i++) {
		bawn_auto_free char *sub = NULL;
		bool slash = path[0] != '\0' && path[strlen(path) - 1] == '/';
		if (r == 0 && asprintf(&sub, "%s%s%s", path, slash ? "" : "/", list[i]->d_name) < 0)
			r = -ENOMEM;
		if (r == 0)
			r = entry(t, dir, list[i]->d_name, sub, depth);
		free(list[i]);
	}
	free(list);
	return r;
}

int bawn_cli_tree_walk(struct bawn_cli_tree *t, const char *dir)
{
	bawn_auto_fd fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? bawn_cli_tree_add(t, dir, strerrordesc_np(errno)) : walk(t, fd, dir, 0);
}

void bawn_cli_tree_done(struct bawn_cli_tree *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->file[i].path);
	free(t->file);
	*t = (struct bawn_cli_tree){ 0 };
}
