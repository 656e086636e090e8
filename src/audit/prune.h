/* prune.h - a log whose oldest segments were taken away, and the log.prune that says so.
 *
 *	seg/ begins at 0                      nothing was taken away
 *	seg/ begins at N, a log.prune cuts at N       the rest is read from there on
 *	seg/ begins before that cut           the removal was interrupted: the next writer finishes it
 *	seg/ begins at N, none cuts at N or beyond    somebody took entries away: TAMPERED
 *
 * The file `pruned` says where the log.prune stands ("SEGMENT BYTE"): a hint for those in a hurry. */
#pragma once
#include "audit/segment.h"
#include "audit/trail.h"

/* For a log that does not begin at 0: the log.prune with the smallest cut at or beyond where it begins.
 * AUDIT_TAMPERED where there is none; whether it is signed is for the caller to see. */
BAWN_MUST_CHECK int bawn_cut_find(int dirfd, const struct bawn_segments *all, struct bawn_cut *out, struct bawn_err *err);

/* The root of the first `size` <= cut->cut entries, which are not there any more: what the tiles of the tree at the cut say.
 * False where they are missing, or are not of that tree. */
bool bawn_cut_root(int dirfd, const struct bawn_cut *cut, uint64_t size, uint8_t out[static BAWN_SHA256_LEN]);
