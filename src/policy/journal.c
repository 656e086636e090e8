#include "policy/journal.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "policy/schema.h"

#define JOURNAL_MAX (8u << 20)  /* four files of 256 KiB, each byte escaped at worst */
#define MODE        0644

static bool ours(const json_t *journal)
{
	size_t known = 0;
	for (int f = 0; f < BAWN_FILE_COUNT; f++)
		known += json_is_string(json_object_get(journal, bawn_policy_file[f]));
	return json_is_object(journal) && known == json_object_size(journal);
}

int bawn_journal_read(int dirfd, json_t **out)
{
	bawn_auto_fd fd = openat(dirfd, BAWN_JOURNAL, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT) {
		*out = NULL;
		return 0;
	}
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_uid != 0 && st.st_uid != geteuid()) || (st.st_mode & S_IWOTH) != 0)
		return -EPERM;
	bawn_auto_buf text = BAWN_BUF(JOURNAL_MAX);
	int failed = bawn_read_fd(fd, BAWN_JOURNAL, &text, NULL);
	bawn_auto_json journal = NULL;
	if (failed == 0)
		failed = bawn_json_parse(bawn_buf_span(&text), &journal, NULL);
	if (failed < 0)
		return failed;
	if (!ours(journal))
		return -EINVAL;
	*out = bawn_steal(journal);
	return 0;
}

/* ---- one file ---- */

struct slot { const char *file, *text; char temp[40]; mode_t mode; bool existed, moved; };

static int write_temp(int dirfd, const struct slot *s, struct bawn_err *err)
{
	(void)unlinkat(dirfd, s->temp, 0);  /* left by somebody who was killed; O_EXCL finds out otherwise */
	bawn_auto_fd fd = openat(dirfd, s->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, s->mode);
	if (fd < 0)
		return bawn_fail(err, -errno, "create '%s'", s->temp);
	int failed = bawn_write_all(fd, s->text, strlen(s->text), err);
	if (failed == 0 && fsync(fd) < 0)
		failed = bawn_fail(err, -errno, "sync '%s'", s->temp);
	return failed;
}

/* A slot for these bytes.  A file keeps its mode; the temporary name is always the same, so that
 * nothing can pile up. */
static struct slot slot_of(int dirfd, const char *file, const char *text)
{
	struct stat st;
	struct slot s = { .file = file, .text = text, .mode = MODE };
	snprintf(s.temp, sizeof s.temp, ".%s.set", file[0] == '.' ? file + 1 : file);
	s.existed = fstatat(dirfd, file, &st, AT_SYMLINK_NOFOLLOW) == 0;
	if (s.existed && S_ISREG(st.st_mode))
		s.mode = st.st_mode & 0775;
	return s;
}

/* One file by itself: atomic, durable, readable at most as `mask` says. */
static int replace(int dirfd, const char *file, const char *text, mode_t mask, struct bawn_err *err)
{
	struct slot s = slot_of(dirfd, file, text);
	s.mode &= mask;
	int failed = write_temp(dirfd, &s, err);
	if (failed == 0 && renameat(dirfd, s.temp, dirfd, file) < 0)
		failed = bawn_fail(err, -errno, "replace '%s'", file);
	if (failed == 0 && fsync(dirfd) < 0)
		failed = bawn_fail(err, -errno, "sync the configuration directory");
	if (failed < 0)
		(void)unlinkat(dirfd, s.temp, 0);
	return failed;
}

/* The new bytes under the file's name, the old ones (if there were any) under the temporary one;
 * called again it undoes itself. */
static int exchange(int dirfd, struct slot *s, struct bawn_err *err)
{
	const char *from = s->moved ? s->file : s->temp, *to = s->moved ? s->temp : s->file;
	if (renameat2(dirfd, from, dirfd, to, s->existed ? RENAME_EXCHANGE : RENAME_NOREPLACE) < 0)
		return bawn_fail(err, -errno, "replace '%s'", s->file);
	s->moved = !s->moved;
	return 0;
}

/* ---- all of them ---- */

struct change { struct slot slot[BAWN_FILE_COUNT]; size_t n; mode_t mask; };

static void undo(int dirfd, struct change *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->slot[i].moved)
			(void)exchange(dirfd, &c->slot[i], NULL);  /* the failure that led here is reported */
		(void)unlinkat(dirfd, c->slot[i].temp, 0);
	}
	(void)unlinkat(dirfd, BAWN_JOURNAL, 0);
	(void)fsync(dirfd);
}

static int prepare(int dirfd, const json_t *files, struct change *c, struct bawn_err *err)
{
	for (int f = 0; f < BAWN_FILE_COUNT; f++) {
		const char *text = json_string_value(json_object_get(files, bawn_policy_file[f]));
		if (text == NULL)
			continue;
		struct slot *s = &c->slot[c->n++];
		*s = slot_of(dirfd, bawn_policy_file[f], text);
		c->mask &= s->mode;
		int failed = write_temp(dirfd, s, err);
		if (failed < 0)
			return failed;
	}
	return 0;
}

static int replace_all(int dirfd, struct change *c, struct bawn_err *err)
{
	for (size_t i = 0; i < c->n; i++) {
		int failed = exchange(dirfd, &c->slot[i], err);
		if (failed < 0)
			return failed;
	}
	if (fsync(dirfd) < 0)
		return bawn_fail(err, -errno, "sync the configuration directory");
	if (unlinkat(dirfd, BAWN_JOURNAL, 0) < 0)
		return bawn_fail(err, -errno, "remove '%s'", BAWN_JOURNAL);
	return 0;
}

static int commit(int dirfd, const json_t *files, struct bawn_err *err)
{
	struct change c = { .mask = MODE };
	bawn_auto_buf text = BAWN_BUF(JOURNAL_MAX);
	int failed = prepare(dirfd, files, &c, err);
	if (failed == 0)
		failed = bawn_json_put(&text, files, err);
	if (failed == 0)
		failed = replace(dirfd, BAWN_JOURNAL, text.p, c.mask, err);  /* it shows what the files show */
	if (failed == 0)
		failed = replace_all(dirfd, &c, err);
	if (failed < 0) {
		undo(dirfd, &c);
		return failed;
	}
	for (size_t i = 0; i < c.n; i++)
		(void)unlinkat(dirfd, c.slot[i].temp, 0);  /* the old bytes; at worst they are removed next time */
	(void)fsync(dirfd);  /* a journal that comes back after a power cut only says the same again */
	return 0;
}

int bawn_journal_commit(int dirfd, const json_t *files, struct bawn_err *err)
{
	bawn_auto_json old = NULL;
	int failed = bawn_journal_read(dirfd, &old);
	if (failed < 0)
		return bawn_fail(err, failed, "read '%s'", BAWN_JOURNAL);
	const char *file;
	json_t *text;
	json_object_foreach(old, file, text) {
		failed = replace(dirfd, file, json_string_value(text), 0777, err);
		if (failed < 0)
			return failed;
	}
	if (old != NULL && unlinkat(dirfd, BAWN_JOURNAL, 0) < 0)
		return bawn_fail(err, -errno, "remove '%s'", BAWN_JOURNAL);
	return commit(dirfd, files, err);
}
