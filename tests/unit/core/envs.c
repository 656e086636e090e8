/* envs.c - whole or not at all: each row is one promise of core/envs.h. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "core/envs.h"
#include "tap.h"
#include "tmpdir.h"

#define SHA "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define OTHER "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define KEY "1111111111111111111111111111111111111111111111111111111111111111"

static int put(struct bawn_env_draft *d, const char *path, const char *text)
{
	bawn_auto_fd fd = -1;
	struct bawn_err err = { 0 };
	if (bawn_sealed_copy("x", bawn_span(text), &fd, &err) < 0)
		return -1;
	return bawn_env_draft_put(d, path, fd, SHA, &err);
}

static bool there(const struct tmpdir *dir, const char *path) { return faccessat(dir->fd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0; }

static int publish(const char *state, const char *sha, const char *id)
{
	struct bawn_env_draft d = BAWN_ENV_DRAFT_NONE;
	struct bawn_err err = { 0 };
	int claim = -1;
	bawn_auto_json doc = json_pack("{s:s, s:s}", "language", "python", "built_at", id);
	int r = bawn_env_claim(state, KEY, &claim, &err);
	if (r == 0)
		r = bawn_env_draft_begin(state, id, &d, &err);
	if (r == 0)
		r = put(&d, "a/b/c.py", "x = 1\n");
	if (r == 0)
		r = bawn_env_draft_publish(&d, sha, doc, claim, &err);
	if (r < 0)
		diag("%s", err.msg);
	bawn_env_draft_done(&d);
	bawn_close_fdp(&claim);
	return r;
}

static void drafts(const struct tmpdir *dir)
{
	struct bawn_env_draft d = BAWN_ENV_DRAFT_NONE, e = BAWN_ENV_DRAFT_NONE;
	struct bawn_err err = { 0 };
	char sha[BAWN_SHA256_HEX];
	(void)umask(077);
	ok(bawn_env_draft_begin(dir->path, "one", &d, &err) == 0 && there(dir, "env/one.tmp/tree"), "a draft is begun");
	ok(put(&d, "pkg/__init__.py", "") == 0 && put(&d, "pkg/__init__.py", "") < 0, "a file comes once");
	ok(symlinkat("/etc", d.tree, "out") == 0 && put(&d, "out/x", "") < 0 && !there(dir, "../etc/x"), "and through no link");
	struct stat st;
	ok(fstatat(d.tree, "pkg/__init__.py", &st, 0) == 0 && (st.st_mode & 07777) == 0644 && fstatat(d.tree, "pkg", &st, 0) == 0 && (st.st_mode & 07777) == 0755, "for others to read, whatever the umask");
	ok(bawn_env_draft_begin(dir->path, "two", &e, &err) == 0 && there(dir, "env/one.tmp"), "another begins beside it");
	bawn_env_draft_done(&e);
	ok(!there(dir, "env/two.tmp"), "one that is given up is gone");
	int *fd[] = { &d.tree, &d.self, &d.dir };  /* as if its builder had been killed */
	for (size_t i = 0; i < BAWN_LEN(fd); i++)
		bawn_close_fdp(fd[i]);
	ok(there(dir, "env/one.tmp") && bawn_env_named(dir->path, "one", sha, NULL) < 0, "what a dead builder left is no environment");
	ok(bawn_env_draft_begin(dir->path, "three", &e, &err) == 0 && !there(dir, "env/one.tmp"), "and is swept when the next is begun");
	bawn_env_draft_done(&e);
}

static void used(const struct tmpdir *dir)
{
	struct bawn_env env = BAWN_ENV_NONE;
	struct bawn_err err = { 0 };
	char sha[BAWN_SHA256_HEX];
	int mine = -1, other = -1;
	ok(!bawn_env_wanted(dir->path, KEY, sha), "nobody has built it");
	ok(bawn_env_claim(dir->path, KEY, &mine, &err) == 0 && bawn_env_claim(dir->path, KEY, &other, &err) == -EAGAIN, "one builds");
	bawn_close_fdp(&mine);
	ok(publish(dir->path, SHA, "1") == 0 && bawn_env_wanted(dir->path, KEY, sha) && strcmp(sha, SHA) == 0, "what was built is found by what was wanted");
	ok(there(dir, "env/" SHA "/tree/a/b/c.py") && !there(dir, "env/1.tmp"), "whole, under its hash");
	ok(publish(dir->path, SHA, "2") == 0 && !there(dir, "env/2.tmp"), "the same once more changes nothing");
	ok(bawn_env_call(dir->path, "mine", SHA, &err) == 0 && bawn_env_named(dir->path, "mine", sha, &err) == 0 && strcmp(sha, SHA) == 0, "it has a name");
	ok(bawn_env_named(dir->path, "00112233", sha, &err) == 0 && bawn_env_named(dir->path, "0011223a", sha, NULL) < 0 && bawn_env_named(dir->path, "", sha, NULL) < 0, "or the beginning of its hash");
	ok(bawn_env_hold(dir->path, SHA, &env, &err) == 0 && strcmp(json_string_value(json_object_get(env.doc, "language")), "python") == 0, "it is used");
	ok(bawn_env_remove(dir->path, SHA, &err) < 0 && err.type == BAWN_ERROR_BUSY && there(dir, "env/" SHA "/tree/a/b/c.py"), "what is in use is not removed");
	bawn_env_drop(&env);
	ok(publish(dir->path, OTHER, "3") == 0, "there is another");
	bawn_auto_json list = NULL;
	ok(bawn_env_list(dir->path, &list, &err) == 0 && json_array_size(list) == 2 && json_array_size(json_object_get(json_array_get(list, 0), "names")) == 1, "both are listed, the older first, with its name");
	ok(mkdirat(dir->fd, "env/" SHA ".tmp", 0700) == 0 && mkdirat(dir->fd, "env/" SHA ".tmp/x", 0700) == 0 && bawn_env_remove(dir->path, SHA, &err) < 0 &&
	   bawn_env_named(dir->path, "mine", sha, NULL) == 0, "one that cannot be removed keeps its name");
	(void)unlinkat(dir->fd, "env/" SHA ".tmp/x", AT_REMOVEDIR);
	ok(bawn_env_remove(dir->path, SHA, &err) == 0 && !there(dir, "env/" SHA) && bawn_env_named(dir->path, "mine", sha, NULL) < 0, "control: nobody uses it, it goes, and its name");
	ok(bawn_env_hold(dir->path, SHA, &env, &err) < 0 && err.type == BAWN_ERROR_NOT_FOUND, "and is not there");
	ok(bawn_env_wanted(dir->path, KEY, sha) && bawn_env_remove(dir->path, OTHER, &err) == 0 && !bawn_env_wanted(dir->path, KEY, sha), "what leads to one that is gone leads nowhere");
}

/* From its name on, it is there for everybody: no moment in which it is locked against users, or free to be removed. */
static void published(const struct tmpdir *dir)
{
	struct bawn_env_draft d = BAWN_ENV_DRAFT_NONE, other = BAWN_ENV_DRAFT_NONE;
	struct bawn_env env = BAWN_ENV_NONE;
	struct bawn_err err = { 0 };
	bawn_auto_fd claim = -1;
	bawn_auto_json doc = json_pack("{s:s}", "language", "python");
	ok(bawn_env_claim(dir->path, KEY, &claim, &err) == 0 && bawn_env_draft_begin(dir->path, "one", &d, &err) == 0 && put(&d, "a.py", "") == 0, "a draft");
	ok(bawn_env_draft_publish(&d, SHA, doc, claim, &err) == 0, "is published");
	ok(bawn_env_remove(dir->path, SHA, &err) < 0 && err.type == BAWN_ERROR_BUSY, "nobody removes it before its builder holds it");
	ok(bawn_env_draft_begin(dir->path, "two", &other, &err) == 0 && bawn_env_hold(dir->path, SHA, &env, &err) == 0, "others can use it already");
	bawn_env_draft_done(&other);
	bawn_env_draft_done(&d);
	ok(bawn_env_remove(dir->path, SHA, &err) < 0, "who holds it has it");
	bawn_env_drop(&env);
	ok(bawn_env_remove(dir->path, SHA, &err) == 0, "control: afterwards it goes");
}

int main(void)
{
	static const char *const bad[] = { "", ".", "..", ".x", "-x", "a/b", "a b", SHA, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" };
	for (size_t i = 0; i < BAWN_LEN(bad); i++)
		ok(!bawn_env_may_be_called(bad[i]), "'%s' is no name", bad[i]);
	ok(bawn_env_may_be_called("data-1.2_x"), "control: data-1.2_x is one");
	auto_tmpdir dir = tmpdir_make();
	drafts(&dir);
	used(&dir);
	published(&dir);
	return done_testing();
}
