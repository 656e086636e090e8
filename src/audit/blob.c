/* blob.c - bodies kept once, named by their content: blob/ab/abcd… (64 letters).
 *
 * Invariants: (1) a blob is durable, file and names, when put returns: the entry that cites it comes
 * after; (2) get hands out only bytes whose hash is the name; (3) a damaged blob is mended by the next
 * put of the same content.
 * An attacker controls: the bytes put; the name asked for is checked before it becomes a path. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include "audit/audit.h"
#include "audit/entry.h"
#include "base/cleanup.h"
#include "base/file.h"

#define BLOB_MAX (256u << 20)
#define BLOB_PATH sizeof "blob/ab/" + BAWN_SHA256_HEX

static int open_audit(const char *dir, int *out_fd, struct bawn_err *err)
{
	bawn_auto_fd fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return bawn_fail_as(err, errno == ENOENT ? BAWN_ERROR_NOT_FOUND : BAWN_ERROR_AUDIT_FAILED, NULL,
		                    "open the audit log '%s': %s", dir, strerrordesc_np(errno));
	*out_fd = bawn_take_fd(&fd);
	return 0;
}

static int unwritable(struct bawn_err *err, int code, const char *dir)
{
	code = code < 0 ? -code : code;
	enum bawn_error type = code == ENOSPC || code == EDQUOT ? BAWN_ERROR_DISK_FULL :
	                       code == EACCES || code == EPERM || code == EROFS ? BAWN_ERROR_STATE_UNWRITABLE :
	                       code == ENOMEM ? BAWN_ERROR_OUT_OF_MEMORY : BAWN_ERROR_AUDIT_FAILED;
	return bawn_fail_as(err, type, NULL, "keep a body in '%s/blob': %s", dir, strerrordesc_np(code));
}

static int sync_dir(int dirfd, const char *path)
{
	bawn_auto_fd fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

/* mkdir, durable when this returns, whoever made it. */
static int make_dir(int dirfd, const char *path, const char *parent)
{
	if (mkdirat(dirfd, path, 0700) < 0)
		return errno == EEXIST ? 0 : -errno;
	return sync_dir(dirfd, parent);
}

#define SYNCED 0400  /* the mode of a blob whose file and names are durable: set after the last sync, so never too early */

/* Is the content there already, whole?  Where its writer has not come to sync it yet, do so. */
static bool already_there(int dirfd, const char *path, const char *dir, struct bawn_span bytes)
{
	bawn_auto_fd fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	bawn_auto_buf have = BAWN_BUF(bytes.n);
	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == bytes.n &&
	       bawn_read_fd(fd, path, &have, NULL) == 0 && bawn_span_equal(bawn_buf_span(&have), bytes) &&
	       ((st.st_uid == geteuid() && (st.st_mode & 07777) == SYNCED) ||
	        (fsync(fd) == 0 && sync_dir(dirfd, dir) == 0 && sync_dir(dirfd, "blob") == 0 && fchmod(fd, SYNCED) <= 0));
}

int bawn_audit_blob_put(const char *dir, struct bawn_span bytes,
                        char out_sha256[static BAWN_SHA256_HEX], struct bawn_err *err)
{
	char name[BAWN_SHA256_HEX], path[BLOB_PATH], sub[sizeof "blob/ab"];
	if (bytes.n > BLOB_MAX)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "bytes", "a body of more than %u bytes", BLOB_MAX);
	bawn_sha256_hex(bytes, name);
	snprintf(sub, sizeof sub, "blob/%.2s", name);
	snprintf(path, sizeof path, "%s/%s", sub, name);
	int r = bawn_make_dirs(dir, 0700, err);
	if (r < 0)
		return unwritable(err, r, dir);
	bawn_auto_fd dirfd = -1;
	r = open_audit(dir, &dirfd, err);
	if (r < 0)
		return r;
	if (!already_there(dirfd, path, sub, bytes)) {
		r = make_dir(dirfd, "blob", ".");
		if (r == 0)
			r = make_dir(dirfd, sub, "blob");
		if (r == 0)
			r = bawn_replace_file(dirfd, path, bytes, 0600, err);
		if (r == 0)
			r = sync_dir(dirfd, "blob");  /* another writer may have made `sub` and not synced it yet */
		if (r < 0)
			return unwritable(err, r, dir);
		(void)!fchmodat(dirfd, path, SYNCED, 0);  /* else the next put syncs again */
	}
	memcpy(out_sha256, name, sizeof name);
	return 0;
}

int bawn_audit_blob_get(const char *dir, const char *sha256, struct bawn_buf *out, struct bawn_err *err)
{
	char path[BLOB_PATH], hash[BAWN_SHA256_HEX];
	if (strlen(sha256) != 64 || !bawn_is_hex(sha256, 64))
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "sha256",
		                    "not the name of a body: 64 hexadecimal digits");
	snprintf(path, sizeof path, "blob/%.2s/%s", sha256, sha256);
	bawn_auto_fd dirfd = -1;
	int r = open_audit(dir, &dirfd, err);
	if (r < 0)
		return r;
	bawn_auto_fd fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, NULL, "no body %s is kept", sha256);
	if (fd < 0)
		return bawn_fail(err, -errno, "open body %s", sha256);
	bawn_auto_buf bytes = BAWN_BUF(BLOB_MAX);
	r = bawn_read_fd(fd, path, &bytes, err);
	if (r < 0)
		return r;
	bawn_sha256_hex(bawn_buf_span(&bytes), hash);
	if (strcmp(hash, sha256) != 0)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL,
		                    "body %s was changed: its bytes have another hash", sha256);
	bawn_buf_add(out, bytes.p, bytes.n);
	r = bawn_buf_error(out);
	return r < 0 ? bawn_fail(err, r, "read body %s", sha256) : 0;
}
