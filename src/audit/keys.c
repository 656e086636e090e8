/* keys.c - see keys.h.
 *
 * Invariants: (1) a private key is on disk, whole and synced, before anything signed with it is;
 * (2) its bytes leave memory wiped wherever we held a copy.
 * NOTE: overwriting in place reaches the old blocks on plain disks only; a journal, a snapshot or a
 * flash controller may keep them.  Then destroying the key protects from whoever reads the file system. */
#include "audit/keys.h"
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/file.h"

#define PATH_MAX_KEY 48
#define KEY_FILE_MAX 512

static void private_path(uint64_t epoch, char out[static PATH_MAX_KEY]) { snprintf(out, PATH_MAX_KEY, "private/epoch-%" PRIu64 ".key", epoch); }
static void public_path(uint64_t epoch, char out[static PATH_MAX_KEY]) { snprintf(out, PATH_MAX_KEY, "keys/epoch-%" PRIu64 ".vkey", epoch); }

static void wipe_buf(struct bawn_buf *b)
{
	if (b->p != NULL)
		sodium_memzero(b->p, b->cap);
	bawn_buf_done(b);
}

static int put_private(int dirfd, uint64_t epoch, const struct bawn_signer *s, struct bawn_err *err)
{
	char path[PATH_MAX_KEY];
	__attribute__((cleanup(wipe_buf))) struct bawn_buf text = BAWN_BUF(KEY_FILE_MAX);
	private_path(epoch, path);
	bawn_signer_put(&text, s);
	if (bawn_buf_error(&text) < 0)
		return bawn_fail(err, bawn_buf_error(&text), "make a key");
	return bawn_replace_file(dirfd, path, bawn_buf_span(&text), 0600, err);
}

static int put_public(int dirfd, const char *path, const struct bawn_vkey *k, struct bawn_err *err)
{
	char text[BAWN_VKEY_MAX], line[BAWN_VKEY_MAX + 1];
	bawn_vkey_text(k, text);
	snprintf(line, sizeof line, "%s\n", text);
	return bawn_replace_file(dirfd, path, bawn_span(line), 0600, err);
}

int bawn_keys_make(int dirfd, const char *origin, uint64_t epoch, struct bawn_signer *out, struct bawn_err *err)
{
	char path[PATH_MAX_KEY];
	struct bawn_signer s = { 0 };
	snprintf(s.key.origin, sizeof s.key.origin, "%s", origin);
	if (getrandom(s.seed, sizeof s.seed, 0) != (ssize_t)sizeof s.seed)
		return bawn_fail(err, -errno, "draw a key");
	bawn_signer_expand(&s);
	public_path(epoch, path);
	int r = put_private(dirfd, epoch, &s, err);
	if (r == 0)
		r = put_public(dirfd, path, &s.key, err);
	if (r == 0 && epoch == 0)
		r = put_public(dirfd, "vkey", &s.key, err);
	if (r == 0)
		*out = s;
	bawn_signer_wipe(&s);
	return r;
}

int bawn_keys_load(int dirfd, uint64_t epoch, struct bawn_signer *out, struct bawn_err *err)
{
	char path[PATH_MAX_KEY];
	struct stat st;
	private_path(epoch, path);
	bawn_auto_fd fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno == EACCES)
		return bawn_fail_as(err, BAWN_ERROR_STATE_UNWRITABLE, NULL, "read the key '%s' of the audit log: %s", path, strerrordesc_np(EACCES));
	if (fd < 0 || fstat(fd, &st) < 0)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_FAILED, NULL,
		                    "the audit log cannot be signed: its key '%s': %s", path, strerrordesc_np(errno));
	if (!S_ISREG(st.st_mode) || (st.st_mode & 077) != 0)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_FAILED, NULL, "the key '%s' of the audit log may be read by others: chmod 600", path);
	__attribute__((cleanup(wipe_buf))) struct bawn_buf text = BAWN_BUF(KEY_FILE_MAX);
	int r = bawn_read_fd(fd, path, &text, err);
	if (r == -ENOMEM)
		return r;
	if (r < 0 || !bawn_signer_read(bawn_buf_span(&text), out))
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_FAILED, NULL, "the key '%s' of the audit log is damaged", path);
	return 0;
}

int bawn_keys_read(int dirfd, const char *path, struct bawn_vkey *out)
{
	bawn_auto_fd fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bawn_auto_buf text = BAWN_BUF(KEY_FILE_MAX);
	if (fd < 0)
		return errno == ELOOP ? -EBADMSG : -errno;
	int r = bawn_read_fd(fd, path, &text, NULL);
	if (r < 0)
		return r == -EFBIG ? -EBADMSG : r;
	if (text.n == 0 || text.p[text.n - 1] != '\n')
		return -EBADMSG;
	return bawn_vkey_read((struct bawn_span){ text.p, text.n - 1 }, out) ? 0 : -EBADMSG;
}

int bawn_keys_public(int dirfd, uint64_t epoch, struct bawn_vkey *out)
{
	char path[PATH_MAX_KEY];
	public_path(epoch, path);
	return bawn_keys_read(dirfd, path, out);
}

bool bawn_keys_private_there(int dirfd, uint64_t epoch)
{
	char path[PATH_MAX_KEY];
	private_path(epoch, path);
	return faccessat(dirfd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

int bawn_keys_destroy(int dirfd, uint64_t epoch, struct bawn_err *err)
{
	static const char zeros[KEY_FILE_MAX];
	char path[PATH_MAX_KEY];
	struct stat st;
	private_path(epoch, path);
	bawn_auto_fd fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= KEY_FILE_MAX &&
	    bawn_write_all(fd, zeros, (size_t)st.st_size, NULL) == 0)
		(void)fsync(fd);
	if (unlinkat(dirfd, path, 0) < 0)
		return bawn_fail(err, -errno, "destroy '%s'", path);
	bawn_auto_fd dir = openat(dirfd, "private", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return dir < 0 || fsync(dir) < 0 ? bawn_fail(err, -errno, "destroy '%s'", path) : 0;
}
