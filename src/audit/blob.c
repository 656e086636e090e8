/* blob.c - bodies kept once, named by their content: blob/ab/abcd… (64 letters) as they are, or
 * blob/ab/abcd….zst as one Zstandard frame of them.  The name is the SHA-256 of the plain bytes either way.
 *
 * Invariants: (1) a blob is durable, file and names, when put returns: the entry that cites it comes
 * after; (2) get hands out only bytes whose hash is the name; (3) a damaged blob is mended by the next
 * put of the same content; (4) what a file claims to unpack to is not believed: memory is bounded by the
 * caller's ceiling and UNPACK_WINDOW, time by BLOB_MAX bytes.
 * An attacker controls: the bytes put, and on reading every byte of a file; the name asked for is checked
 * before it becomes a path. */
#include "audit/blob.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <zstd.h>
#include <zstd_errors.h>
#include "audit/audit.h"
#include "audit/entry.h"
#include "base/cleanup.h"
#include "base/file.h"

#define BLOB_MAX      (256u << 20)
#define PACK_FROM     4096u  /* a file takes a block of the disk, however short: up to this packing gains nothing */
#define PACK_LEVEL    3
#define UNPACK_WINDOW 23     /* log2 of the bytes that a frame may refer back to; level 3 needs 21 */

/* How a body may lie on disk. */
enum { PLAIN, PACKED, FORMS };
static const char *const suffix[FORMS] = { [PLAIN] = "", [PACKED] = ".zst" };
#define BLOB_PATH (sizeof "blob/ab/" + BAWN_SHA256_HEX + sizeof ".zst")

static void path_of(const char *sha256, int form, char out[static BLOB_PATH])
{
	snprintf(out, BLOB_PATH, "blob/%.2s/%.64s%s", sha256, sha256, suffix[form]);
}

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

/* ---- reading ---- */

struct body { struct bawn_sha256 *hash; struct bawn_buf *keep; uint64_t n; };  /* what is NULL is not wanted */

static int take(struct body *b, const char *p, size_t n)
{
	b->n += n;
	if (b->n > BLOB_MAX)
		return -EFBIG;
	if (b->hash != NULL)
		bawn_sha256_add(b->hash, p, n);
	if (b->keep == NULL)
		return 0;
	bawn_buf_add(b->keep, p, n);
	return bawn_buf_error(b->keep);
}

static ssize_t read_some(int fd, char *p, size_t n)
{
	ssize_t got;
	while ((got = read(fd, p, n)) < 0 && errno == EINTR)
		;
	return got < 0 ? -errno : got;
}

static int take_plain(int fd, struct body *b)
{
	char chunk[16384];
	ssize_t n;
	int r = 0;
	while (r == 0 && (n = read_some(fd, chunk, sizeof chunk)) != 0)
		r = n < 0 ? (int)n : take(b, chunk, (size_t)n);
	return r;
}

/* Exactly one frame, whole, that declares its size; -EBADMSG where it is anything else. */
static int take_frame(int fd, ZSTD_DStream *z, struct body *b)
{
	char *in = malloc(2 * ZSTD_BLOCKSIZE_MAX), *out = in != NULL ? in + ZSTD_BLOCKSIZE_MAX : NULL;
	size_t left = 1;  /* 0: the frame has ended */
	bool first = true;
	ssize_t n = 0;
	int r = in != NULL ? 0 : -ENOMEM;
	while (r == 0 && (n = read_some(fd, in, ZSTD_BLOCKSIZE_MAX)) > 0) {
		ZSTD_inBuffer from = { in, (size_t)n, 0 };
		if (first && ZSTD_getFrameContentSize(in, (size_t)n) > BLOB_MAX)  /* also: unknown, and no frame */
			r = -EBADMSG;
		first = false;
		for (bool full = false; r == 0 && (from.pos < from.size || full); ) {
			ZSTD_outBuffer to = { out, ZSTD_BLOCKSIZE_MAX, 0 };
			left = left == 0 ? (size_t)-1 : ZSTD_decompressStream(z, &to, &from);  /* nothing follows a frame */
			if (ZSTD_isError(left))
				r = ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation ? -ENOMEM : -EBADMSG;
			else
				r = take(b, out, to.pos);
			full = left != 0 && to.pos == to.size;
		}
	}
	free(in);
	return r < 0 ? r : n < 0 ? (int)n : left != 0 ? -EBADMSG : 0;
}

static int take_packed(int fd, struct body *b)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	if (z == NULL)
		return -ENOMEM;
	int r = ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, UNPACK_WINDOW)) ? -EINVAL : take_frame(fd, z, b);
	(void)ZSTD_freeDStream(z);
	return r;
}

static int take_form(int fd, int form, struct body *b) { return form == PACKED ? take_packed(fd, b) : take_plain(fd, b); }

/* Of this name in one form: 0, -ENOENT, -EBADMSG where it is not what its name says, or another error. */
static int read_form(int dirfd, const char *sha256, int form, struct bawn_buf *keep)
{
	char path[BLOB_PATH], name[BAWN_SHA256_HEX];
	struct bawn_sha256 hash;
	struct body b = { .hash = &hash, .keep = keep };
	uint8_t raw[BAWN_SHA256_LEN];
	struct stat st;
	path_of(sha256, form, path);
	bawn_auto_fd fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0)
		return errno == ELOOP ? -EBADMSG : -errno;
	bawn_sha256_init(&hash);
	int r = S_ISREG(st.st_mode) ? take_form(fd, form, &b) : -EBADMSG;
	if (r < 0)
		return r == -EFBIG ? -EBADMSG : r;
	bawn_sha256_end(&hash, raw);
	bawn_hex(raw, sizeof raw, name);
	return strncmp(name, sha256, 64) != 0 ? -EBADMSG : 0;
}

bool bawn_blob_name(const char *file)
{
	const size_t n = strlen(file);
	return n >= 64 && bawn_is_hex(file, 64) && (n == 64 || strcmp(file + 64, suffix[PACKED]) == 0);
}

int bawn_blob_check(int dirfd, const char *file) { return read_form(dirfd, file, file[64] == '\0' ? PLAIN : PACKED, NULL); }

int bawn_blob_check_any(int dirfd, const char *sha256)
{
	static const int order[] = { PLAIN, PACKED, PLAIN };  /* whoever changes the form makes the new file first */
	int r = -ENOENT;
	for (size_t i = 0; (r == -ENOENT || r == -ENOTDIR) && i < BAWN_LEN(order); i++)
		r = read_form(dirfd, sha256, order[i], NULL);
	return r == -ENOTDIR ? -ENOENT : r;
}

int bawn_audit_blob_get(const char *dir, const char *sha256, struct bawn_buf *out, struct bawn_err *err)
{
	if (strlen(sha256) != 64 || !bawn_is_hex(sha256, 64))
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "sha256",
		                    "not the name of a body: 64 hexadecimal digits");
	bawn_auto_fd dirfd = -1;
	int r = open_audit(dir, &dirfd, err), found = -ENOENT;
	if (r < 0)
		return r;
	bawn_auto_buf bytes = BAWN_BUF(out->max < BLOB_MAX ? out->max : BLOB_MAX);
	for (int form = 0; form < FORMS && found != 0; form++) {  /* one that is damaged does not hide a good one */
		bawn_buf_reset(&bytes);
		r = read_form(dirfd, sha256, form, &bytes);
		found = r == -ENOENT ? found : r;
	}
	if (found == -ENOENT)
		return bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, NULL, "no body %s is kept", sha256);
	if (found == -EBADMSG)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL,
		                    "body %s was changed: its bytes have another hash", sha256);
	if (found == 0) {
		bawn_buf_add(out, bytes.p, bytes.n);
		found = bawn_buf_error(out);
	}
	return found < 0 ? bawn_fail(err, found, "read body %s", sha256) : 0;
}

/* ---- writing ---- */

#define SYNCED 0400  /* the mode of a blob whose file and names are durable: set after the last sync, so never too early */

/* Is the content there already in this form, whole?  Where its writer has not come to sync it yet, do so. */
static bool already_there(int dirfd, const char *sha256, int form, const char *dir, struct bawn_span bytes)
{
	char path[BLOB_PATH];
	path_of(sha256, form, path);
	bawn_auto_fd fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	bawn_auto_buf have = BAWN_BUF(bytes.n);
	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (form != PLAIN || (uint64_t)st.st_size == bytes.n) &&
	       take_form(fd, form, &(struct body){ .keep = &have }) == 0 && bawn_span_equal(bawn_buf_span(&have), bytes) &&
	       ((st.st_uid == geteuid() && (st.st_mode & 07777) == SYNCED) ||
	        (fsync(fd) == 0 && sync_dir(dirfd, dir) == 0 && sync_dir(dirfd, "blob") == 0 && fchmod(fd, SYNCED) <= 0));
}

/* False where it gains nothing, or there is no memory for it: then it is kept as it is. */
static bool pack(struct bawn_span bytes, struct bawn_span *out, char **room)
{
	const size_t most = bytes.n > PACK_FROM ? ZSTD_compressBound(bytes.n) : 0;
	*room = most > 0 ? malloc(most) : NULL;
	const size_t n = *room != NULL ? ZSTD_compress(*room, most, bytes.p, bytes.n, PACK_LEVEL) : bytes.n;
	*out = (struct bawn_span){ *room, n };
	return !ZSTD_isError(n) && n < bytes.n;
}

/* Where another form of it lies that is not whole, that goes. */
static int write_body(int dirfd, const char *sha256, const char *sub, struct bawn_span bytes, struct bawn_err *err)
{
	bawn_auto_free char *room = NULL;
	struct bawn_span packed;
	char path[BLOB_PATH], other[BLOB_PATH];
	const int form = pack(bytes, &packed, &room) ? PACKED : PLAIN;
	path_of(sha256, form, path);
	path_of(sha256, form == PACKED ? PLAIN : PACKED, other);
	int r = make_dir(dirfd, "blob", ".");
	if (r == 0)
		r = make_dir(dirfd, sub, "blob");
	if (r == 0)
		r = bawn_replace_file(dirfd, path, form == PACKED ? packed : bytes, 0600, err);
	if (r == 0)
		r = sync_dir(dirfd, "blob");  /* another writer may have made `sub` and not synced it yet */
	if (r == 0) {
		(void)unlinkat(dirfd, other, 0);
		(void)!fchmodat(dirfd, path, SYNCED, 0);  /* else the next put syncs again */
	}
	return r;
}

int bawn_audit_blob_put(const char *dir, struct bawn_span bytes,
                        char out_sha256[static BAWN_SHA256_HEX], struct bawn_err *err)
{
	char name[BAWN_SHA256_HEX], sub[sizeof "blob/ab"];
	if (bytes.n > BLOB_MAX)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "bytes", "a body of more than %u bytes", BLOB_MAX);
	bawn_sha256_hex(bytes, name);
	snprintf(sub, sizeof sub, "blob/%.2s", name);
	int r = bawn_make_dirs(dir, 0700, err);
	if (r < 0)
		return unwritable(err, r, dir);
	bawn_auto_fd dirfd = -1;
	r = open_audit(dir, &dirfd, err);
	if (r < 0)
		return r;
	if (!(bytes.n > PACK_FROM && already_there(dirfd, name, PACKED, sub, bytes)) && !already_there(dirfd, name, PLAIN, sub, bytes))
		r = write_body(dirfd, name, sub, bytes, err);
	if (r < 0)
		return unwritable(err, r, dir);
	memcpy(out_sha256, name, sizeof name);
	return 0;
}
