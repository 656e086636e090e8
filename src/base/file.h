/* file.h - whole files, read within a ceiling and replaced atomically.  Paths are relative to a
 * directory fd (AT_FDCWD works); a final symbolic link is never followed on writing. */
#pragma once
#include <sys/types.h>
#include "base/buf.h"
#include "base/err.h"

/* Appends the whole file; -EFBIG where it does not fit the buffer's ceiling. */
BAWN_MUST_CHECK int bawn_read_file(int dirfd, const char *path, struct bawn_buf *out, struct bawn_err *err);
/* The same of a plain file alone, -EBADMSG for a pipe that nobody writes to or a device. */
BAWN_MUST_CHECK int bawn_read_plain_file(int dirfd, const char *path, struct bawn_buf *out, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_read_fd(int fd, const char *name, struct bawn_buf *out, struct bawn_err *err);

/* May this process have a file that long?  The kernel would answer a write beyond RLIMIT_FSIZE with a signal that
 * ends the program. */
bool bawn_fits_rlimit(uint64_t end);
BAWN_MUST_CHECK int bawn_write_all(int fd, const void *p, size_t n, struct bawn_err *err);
/* All that is left to read of one, behind what is in the other. */
BAWN_MUST_CHECK int bawn_copy_fd(int from, int to, struct bawn_err *err);

/* A reader sees the old bytes or the new ones, also after a power cut: temporary file, fsync,
 * rename, fsync of the directory. */
BAWN_MUST_CHECK int bawn_replace_file(int dirfd, const char *path, struct bawn_span bytes, mode_t mode, struct bawn_err *err);

/* The same in steps, for what is too long to be held: begun, added to, ended; one that is not ended leaves nothing. */
struct bawn_new_file { int dirfd, fd, dir; const char *path; /* borrowed */ struct bawn_buf tmp; };
#define bawn_auto_new_file __attribute__((cleanup(bawn_new_file_done))) struct bawn_new_file
BAWN_MUST_CHECK int bawn_new_file_begin(struct bawn_new_file *f, int dirfd, const char *path, mode_t mode, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_new_file_add(struct bawn_new_file *f, struct bawn_span bytes, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_new_file_end(struct bawn_new_file *f, struct bawn_err *err);
void bawn_new_file_done(struct bawn_new_file *f);

/* mkdir -p; existing directories are left as they are, new ones are durable. */
BAWN_MUST_CHECK int bawn_make_dirs(const char *path, mode_t mode, struct bawn_err *err);

/* A file in memory that can be sealed, and never executed where the kernel can see to that (6.3). */
BAWN_MUST_CHECK int bawn_memory_file(const char *name, struct bawn_err *err);

/* A sealed, immutable memory file holding these bytes: what was looked at is what will be used. */
BAWN_MUST_CHECK int bawn_sealed_copy(const char *name, struct bawn_span bytes, int *out_fd, struct bawn_err *err);
