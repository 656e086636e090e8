/* --in: what is copied from the caller's files, under which name, and what stays outside. */
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "cli/cli.h"
#include "tap.h"
#include "tmpdir.h"

static void put(const struct tmpdir *d, const char *name, const char *text, mode_t mode)
{
	int fd = openat(d->fd, name, O_CREAT | O_WRONLY | O_CLOEXEC, mode);
	ok(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "made %s", name);
	(void)close(fd);
}

static const struct bawn_input *find(const struct bawn_cli_inputs *in, const char *name)
{
	for (size_t i = 0; i < in->n; i++)
		if (strcmp(in->item[i].name, name) == 0)
			return &in->item[i];
	return NULL;
}

int main(void)
{
	auto_tmpdir dir = tmpdir_make();
	put(&dir, "a.csv", "1,2", 0600);
	put(&dir, "with:colon", "c", 0600);
	put(&dir, "tool.sh", "#!", 0755);
	(void)mkdirat(dir.fd, "tree", 0700);
	(void)mkdirat(dir.fd, "tree/deep", 0700);
	put(&dir, "tree/z.txt", "z", 0600);
	put(&dir, "tree/deep/y.txt", "y", 0600);
	static const struct { const char *to, *name; } link[] = {
		{ "../a.csv", "tree/out-link" }, { "/etc/passwd", "tree/passwd" }, { "z.txt", "tree/in-link" }, { ".", "tree/loop" },
	};
	for (size_t i = 0; i < BAWN_LEN(link); i++)
		ok(symlinkat(link[i].to, dir.fd, link[i].name) == 0, "made link %zu", i);
	ok(mkfifoat(dir.fd, "tree/fifo", 0600) == 0 && chdir(dir.path) == 0, "made a fifo");

#define PART "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"
	static const struct { const char *name, *spec; int files; const char *has; } row[] = {
		{ "a file keeps its last name", "a.csv", 1, "a.csv" },
		{ "a path too", "./tree/z.txt", 1, "z.txt" },
		{ "a name can be given", "a.csv:data/in.csv", 1, "data/in.csv" },
		{ "a long name is not cut", "a.csv:" PART PART PART PART PART PART "z", 1, PART PART PART PART PART PART "z" },
		{ "a colon in a file's own name", "with:colon", 1, "with:colon" },
		{ "a tree: links that stay inside are files, those that leave, loops and fifos are left out", "tree", 3, "tree/in-link" },
		{ "a tree with a slash", "tree/", 3, "tree/deep/y.txt" },
		{ "a tree under another name", "tree:t", 3, "t/z.txt" },
		{ "a tree without a name of its own", "tree:.", 3, "deep/y.txt" },
		{ "a file that is not there", "absent", -1, NULL },
		{ "a device", "/dev/null", -1, NULL },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_cli_inputs in = { 0 };
		struct bawn_err err = { 0 };
		int r = bawn_cli_input_add(&in, row[i].spec, &err);
		bool good = row[i].files < 0 ? r < 0 && err.type == BAWN_ERROR_INPUT_INVALID
		                             : r == 0 && in.n == (size_t)row[i].files && find(&in, row[i].has) != NULL;
		if (!ok(good, "%s", row[i].name))
			diag("r %d, %zu files, %s", r, in.n, err.msg);
		bawn_cli_inputs_done(&in);
	}

	struct bawn_cli_inputs in = { 0 };
	ok(bawn_cli_input_add(&in, "tree", NULL) == 0 && strcmp(in.item[0].name, "tree/deep/y.txt") == 0 &&
	   strcmp(in.item[2].name, "tree/z.txt") == 0, "files come in order of name, so the same tree is the same request");
	ok(find(&in, "tree/passwd") == NULL && find(&in, "tree/out-link") == NULL, "nothing from outside the tree came in");
	ok(bawn_cli_input_add(&in, "tool.sh", NULL) == 0 && find(&in, "tool.sh")->mode == 0755 && find(&in, "tree/z.txt")->mode == 0644,
	   "a program stays executable, other files are readable");
	bawn_cli_inputs_done(&in);
	return done_testing();
}
