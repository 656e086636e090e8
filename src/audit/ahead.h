/* ahead.h - the lines of a segment, in order, each checked by itself before its turn comes: hashing and signatures
 * are what verification costs, and need not wait for one another.
 *
 *	this thread    reads blocks of whole lines, takes them in order, checks some
 *	the others     check blocks
 *
 * What is handed out depends on the bytes alone, not on how many threads there are. */
#pragma once
#include "audit/trail.h"

#define BAWN_AHEAD_JOBS 64

struct bawn_ahead;
/* With `jobs` threads, this one counted; 0 and 1: no other.  `signatures`: look at them too. */
struct bawn_ahead *bawn_ahead_new(unsigned jobs, bool signatures);
void bawn_ahead_free(struct bawn_ahead *a);
/* The bytes of this file (borrowed) from its first up to `end`. */
void bawn_ahead_open(struct bawn_ahead *a, int fd, uint64_t end);
/* The next line, valid until the next call; NULL at the end.  Split as bawn_lines_next does; one that is not whole
 * is the last.  `key` is whose signatures are expected from here on, or NULL: a guess that may be wrong. */
BAWN_MUST_CHECK int bawn_ahead_next(struct bawn_ahead *a, const struct bawn_vkey *key, const struct bawn_checked **out, struct bawn_err *err);
