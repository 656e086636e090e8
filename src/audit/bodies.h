/* bodies.h - the bodies of a log against the entries that cite them.
 *
 * A body that an entry says is kept must be there, however many entries say so.  One that is only cited may be missing: a
 * policy may keep only its hash, and older logs did not say.  One that is there must be what an entry cites; one that no
 * entry cites is no part of the log. */
#pragma once
#include <stdbool.h>
#include "audit/segment.h"

/* Does the body of an entry say that its code is kept?  NULL, or the 64 digits of the code's hash in it. */
const char *bawn_code_kept(struct bawn_span body);
/* The digits of the hash of the i-th body of output that it says is kept; false: it does not say so of as many. */
bool bawn_output_kept(struct bawn_span body, size_t i, const char **out);

/* What entries say is kept, each body once and by the first that does, but for those noted since `sorted`. */
struct bawn_kept { uint8_t sha256[BAWN_SHA256_LEN]; bool there; uint64_t seq; };
struct bawn_keeping { struct bawn_kept *body; size_t n, sorted, room; };
void bawn_keeping_done(struct bawn_keeping *k);
/* 0 or -ENOMEM. */
BAWN_MUST_CHECK int bawn_keeping_note(struct bawn_keeping *k, uint64_t seq, struct bawn_span body);

struct bawn_bodies {
	uint64_t good;                  /* that are what their name says */
	uint64_t wrong;                 /* that are not */
	bool     cited;                 /* one of these is cited: first by entry `seq` */
	uint64_t seq;
	char     sha256[BAWN_SHA256_HEX];
	uint64_t missing;               /* that are not there, though entries say so: first entry `missing_seq` */
	uint64_t missing_seq;
	char     missing_sha256[BAWN_SHA256_HEX];
};
/* To be called after the entries were read: a body is there before the entry that cites it. */
BAWN_MUST_CHECK int bawn_bodies_check(int dirfd, const struct bawn_segments *all, struct bawn_keeping *keeping, struct bawn_bodies *out, struct bawn_err *err);
