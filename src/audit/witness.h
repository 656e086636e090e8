/* witness.h - what somebody outside the log's directory remembers of it: how far it had come, and with
 * which hash.  A log put back to an older state, cut, or grown from another past contradicts that.
 *
 *	DIR/<sha256 of the origin>     bawn-witness/1 ORIGIN
 *	                               SIZE HASH ROOT SIGNATURE       one line for each time it was told
 *
 * SIZE entries, HASH of the last of them (64 hex), ROOT of their tree and the SIGNATURE over it (base64).
 * Lines are appended, so that a crash costs the newest at most; the one with the largest SIZE counts, and
 * at 64 KiB the file is replaced by that one.
 *
 * The log is told after it is durable, never before: it may know more than its witness, never less. */
#pragma once
#include "audit/head.h"

struct bawn_sighting {
	struct bawn_seal seal;
	char             hash[BAWN_SHA256_HEX];    /* of entry seal.size - 1; "" where only a checkpoint is known */
	char             origin[BAWN_ORIGIN_MAX];
};

/* Opens the directory, making it (0700) where it is missing.  An error too where it cannot be written. */
BAWN_MUST_CHECK int bawn_witness_open(const char *dir, int *out_fd, struct bawn_err *err);

/* Tells it how far the log is, unless it knows already.  `durable`: on disk on return. */
BAWN_MUST_CHECK int bawn_witness_tell(int witness, const char *origin, const struct bawn_head *h, bool durable, struct bawn_err *err);

/* What it knows of the log of this origin: -ENOENT where that is nothing. */
BAWN_MUST_CHECK int bawn_witness_know(int witness, const char *origin, struct bawn_sighting *out);
/* The same from a file: a witness's, or a checkpoint that somebody kept.  -EBADMSG where it is neither. */
BAWN_MUST_CHECK int bawn_witness_read(int dirfd, const char *file, struct bawn_sighting *out);
#define BAWN_WITNESS_NAME BAWN_SHA256_HEX
void bawn_witness_name(const char *origin, char out[static BAWN_WITNESS_NAME]);

/* Of other logs than this: what it was told last, with origin "" where its file is damaged.  -ENOENT where it knows of none. */
BAWN_MUST_CHECK int bawn_witness_other(int witness, const char *origin, struct bawn_sighting *out);

/* Of a witness that is one log's alone: does it know nothing of this log but something of another, *out, which this one does
 * not say it was begun in place of?  Then somebody put this one there. */
bool bawn_witness_replaced(int witness, const char *origin, int audit, struct bawn_sighting *out);

/* Is the log that ends at *h the one it has seen?  AUDIT_TAMPERED where it is shorter, or another one; 1 where that cannot
 * be told: what it has seen was pruned, and the tiles of that are missing. */
BAWN_MUST_CHECK int bawn_witness_check(int witness, const char *origin, int audit, const struct bawn_head *h, struct bawn_err *err);
