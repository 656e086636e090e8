/* bodies.h - the bodies of a log against the entries that cite them.
 *
 * A body may be missing: a policy may keep only its hash, and somebody may have removed it.  One that is
 * there must be what an entry cites; one that no entry cites is no part of the log. */
#pragma once
#include <stdbool.h>
#include "audit/segment.h"

struct bawn_bodies {
	uint64_t good;                  /* that are what their name says */
	uint64_t wrong;                 /* that are not */
	bool     cited;                 /* one of these is cited: first by entry `seq` */
	uint64_t seq;
	char     sha256[BAWN_SHA256_HEX];
};
BAWN_MUST_CHECK int bawn_bodies_check(int dirfd, const struct bawn_segments *all, struct bawn_bodies *out, struct bawn_err *err);
