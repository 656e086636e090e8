/* blob.h - the files under blob/, for those who look at all of them. */
#pragma once
#include <stdbool.h>

/* Is this the name of a body: 64 digits, or these and .zst? */
bool bawn_blob_name(const char *file);
/* Is a body (by the name of its file) what its name says?  0, -EBADMSG where it is not, or another error. */
int bawn_blob_check(int dirfd, const char *file);
/* The same of a body by its hash (64 digits), in whatever form it is there; -ENOENT: in none. */
int bawn_blob_check_any(int dirfd, const char *sha256);
