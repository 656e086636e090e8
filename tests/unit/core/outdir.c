/* outdir.c - each row of outdir.h's promise: where the files of hostile code may come to lie, and where not. */
#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "core/outdir.h"
#include "tap.h"
#include "tmpdir.h"

static struct bawn_dirs own;
static const char *top;

static const char *at(const char *name)
{
	static char path[8][400];
	static unsigned n;
	char *p = path[n++ % 8];
	snprintf(p, 400, "%s/%s", top, name);
	return p;
}

static void file(const char *name, const char *text)
{
	bawn_auto_free char *dir = strdup(at(name));
	*strrchr(dir, '/') = '\0';
	if (bawn_make_dirs(dir, 0755, NULL) < 0 || bawn_replace_file(AT_FDCWD, at(name), bawn_span(text), 0644, NULL) < 0)
		ok(false, "a world with '%s'", name);
}

static bool holds(const char *name, const char *text)
{
	bawn_auto_buf b = BAWN_BUF(4096);
	return bawn_read_file(AT_FDCWD, at(name), &b, NULL) == 0 && strcmp(b.p, text) == 0;
}

static bool there(const char *name)
{
	struct stat st;
	return lstat(at(name), &st) == 0;
}

static int put(struct bawn_outdir *d, const char *path, const char *text, struct bawn_err *err)
{
	bawn_auto_fd fd = -1;
	if (bawn_sealed_copy("left", bawn_span(text), &fd, err) < 0)
		return -1;
	struct bawn_collected f = { .path = path, .size = 0, .fd = fd };
	return bawn_outdir_put(d, &f, err);
}

static enum bawn_error opens(const char *path, const char *result, struct bawn_outdir **out)
{
	struct bawn_err err = { 0 };
	int r = bawn_outdir_open(path, &own, NULL, result, out, &err);
	if (r < 0)
		diag("%s: %s", path, err.msg);
	return r == 0 ? BAWN_ERROR_NONE : strcmp(err.field, "out_dir") == 0 ? err.type : BAWN_ERROR_COUNT;
}

static bool leftovers(const char *dir)
{
	glob_t found;
	char pattern[500];
	snprintf(pattern, sizeof pattern, "%s/.bawn-*", at(dir));
	bool any = glob(pattern, 0, NULL, &found) == 0;
	globfree(&found);
	return any;
}

static void test_files(void)
{
	static const struct { const char *name, *path, *why; } row[] = {
		{ "a hidden file that is there stays",                       ".rc",               "'.rc' is hidden and there already" },
		{ "nothing is added to a hidden directory that is there",    ".git/commondir",    "'.git' is hidden and was there before" },
		{ "nor below one",                                           ".git/refs/x",       "'.git' is hidden and was there before" },
		{ "nor where one lies deeper",                               "sub/.git/hooks/x",  "'.git' is hidden and was there before" },
		{ "nor to the state directory, whatever it is called",       "plain/x",           "'plain' is bawn's own directory" },
		{ "nor below it",                                            "plain/approvals/x", "'plain' is bawn's own directory" },
		{ "nor to the run directory by another name",                "realrun/x",         "'realrun' is bawn's own directory" },
		{ "nor to a configuration that is not there yet",            "conf/bawn/x.yaml",  "'bawn' is bawn's own directory" },
		{ "nor may a file be in its way",                            "conf/bawn",         "'bawn' is bawn's own directory" },
		{ "nor where the result will be",                            "result.json",       "'result.json' is the file of the result" },
		{ "nor a directory of that name",                            "result.json/x",     "'result.json' is the file of the result" },
		{ "nor through a link",                                      "link/x",            "'link' is a link" },
		{ "nor over a directory",                                    "sub",               "copy 'sub': replace what is there: Is a directory" },
	};
	struct bawn_outdir *d = NULL;
	if (opens(at("out"), at("out/result.json"), &d) != BAWN_ERROR_NONE)
		return (void)ok(false, "a directory opens");
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_err err = { 0 };
		char path[100];
		snprintf(path, sizeof path, "out/%s", row[i].path);
		bool before = there(path);
		int r = put(d, row[i].path, "evil", &err);
		if (!ok(r < 0 && there(path) == before && strcmp(err.msg, row[i].why) == 0, "%s", row[i].name))
			diag("%d %s", r, err.msg);
	}
	ok(holds("out/.rc", "mine") && holds("out/.git/config", "mine") && !there("elsewhere/x") && !there("out/conf/bawn"), "and all is as it was");
	ok(put(d, "a/b/c", "new", NULL) == 0 && holds("out/a/b/c", "new"), "a new file is there");
	ok(put(d, "old", "new", NULL) == 0 && holds("out/old", "new"), "a plain one is replaced");
	ok(put(d, "way", "new", NULL) == 0 && holds("out/way", "new") && holds("elsewhere/file", "mine"), "a link is replaced, not followed");
	ok(put(d, ".own/a", "1", NULL) == 0 && put(d, ".own/b/.c/d", "2", NULL) == 0 && put(d, ".own/b/.c/e", "3", NULL) == 0 && holds("out/.own/b/.c/e", "3"),
	   "a hidden directory that this run made takes more than one file");
	bawn_outdir_free(d);
	d = NULL;
	ok(opens(at("out"), NULL, &d) == BAWN_ERROR_NONE && put(d, ".own/z", "4", NULL) < 0 && !there("out/.own/z"), "but nothing of the next run");
	bawn_outdir_free(d);
}

/* The size that was told is not what comes: as a disk does that fills up half-way. */
static void test_half(void)
{
	struct bawn_outdir *d = NULL;
	struct rlimit was, tight;
	static char text[9000];
	memset(text, 'x', sizeof text - 1);
	bawn_auto_fd fd = -1;
	if (opens(at("half"), NULL, &d) != BAWN_ERROR_NONE || put(d, "f", "old", NULL) < 0 || bawn_sealed_copy("left", bawn_span(text), &fd, NULL) < 0)
		return (void)ok(false, "a directory opens");
	struct bawn_collected f = { .path = "f", .size = 0, .fd = fd }, big = { .path = "f", .size = sizeof text, .fd = fd };
	void (*sig)(int) = signal(SIGXFSZ, SIG_IGN);
	if (getrlimit(RLIMIT_FSIZE, &was) < 0)
		return;
	tight = (struct rlimit){ 5000, was.rlim_max };
	(void)setrlimit(RLIMIT_FSIZE, &tight);
	struct bawn_err err = { 0 };
	int r = bawn_outdir_put(d, &f, &err);
	(void)signal(SIGXFSZ, SIG_DFL);
	int r2 = bawn_outdir_put(d, &big, NULL);  /* known too large beforehand: no signal */
	(void)setrlimit(RLIMIT_FSIZE, &was);
	(void)signal(SIGXFSZ, sig);
	if (!ok(r < 0 && r2 < 0 && holds("half/f", "old") && !leftovers("half"), "a file that cannot be written whole leaves the old one and nothing else"))
		diag("%d %d %s", r, r2, err.msg);
	bawn_outdir_free(d);
}

static void test_places(void)
{
	static const struct { const char *name, *path; enum bawn_error want; } row[] = {
		{ "one that is not there is made",             "new/er",            BAWN_ERROR_NONE },
		{ "a file is no directory",                    "out/old",           BAWN_ERROR_INVALID_REQUEST },
		{ "nor is what would lie below one",           "out/old/x",         BAWN_ERROR_INVALID_REQUEST },
		{ "the state directory is none",               "out/plain",         BAWN_ERROR_INVALID_REQUEST },
		{ "nor what lies in it",                       "out/plain/deep",    BAWN_ERROR_INVALID_REQUEST },
		{ "nor what would",                            "out/plain/a/b",     BAWN_ERROR_INVALID_REQUEST },
		{ "nor by another name",                       "link-to-run/x",     BAWN_ERROR_INVALID_REQUEST },
		{ "one below a hidden one is the caller's choice", "out/.git/out",  BAWN_ERROR_NONE },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_outdir *d = NULL;
		enum bawn_error got = opens(at(row[i].path), NULL, &d);
		ok(got == row[i].want && (got == BAWN_ERROR_NONE) == (d != NULL), "%s", row[i].name);
		bawn_outdir_free(d);
	}
	ok(!there("out/plain/a"), "and nothing was made in it");
	struct bawn_outdir *d = NULL;
	bool shut = chmod(top, 0755) == 0 && chmod(at("new/er"), 0555) == 0 && (geteuid() != 0 || seteuid(65534) == 0);
	ok(shut && opens(at("new/er"), NULL, &d) == BAWN_ERROR_INVALID_REQUEST, "one that cannot be written to is none");
	bawn_outdir_free(d);
	if (getuid() == 0 && seteuid(0) < 0)
		_exit(1);
}

int main(void)
{
	auto_tmpdir dir = tmpdir_make();
	top = dir.path;
	snprintf(own.state, sizeof own.state, "%s/out/plain/", top);
	snprintf(own.run, sizeof own.run, "%s/run", top);
	snprintf(own.config_user, sizeof own.config_user, "%s/out/conf/bawn", top);
	own.policy.floor = "/etc/bawn";
	file("out/.rc", "mine");
	file("out/.git/config", "mine");
	file("out/sub/.git/HEAD", "mine");
	file("out/plain/approvals/LOCK", "");
	file("out/plain/deep/x", "");
	file("out/old", "mine");
	file("out/realrun/slots/0", "");
	file("elsewhere/file", "mine");
	if (symlink(at("elsewhere"), at("out/link")) < 0 || symlink(at("elsewhere/file"), at("out/way")) < 0 || symlink(at("out/realrun"), at("run")) < 0 ||
	    symlink(at("run"), at("link-to-run")) < 0)
		return 1;
	test_files();
	test_half();
	test_places();
	return done_testing();
}
