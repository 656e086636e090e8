/* walk.h - what the ways of reading entries share. */
#pragma once
#include "audit/head.h"
#include "audit/segment.h"

/* Readers keep no lock: a segment may be pruned between being listed and being opened, and a torn end cut off while it is
 * read.  So often the log is looked at anew. */
#define BAWN_PRUNED_TRIES 3

/* Opens a log for reading: its segments, and where it ends (segment, offset, size and hash of *out_end; the rest is the
 * head's), at head or beyond. */
BAWN_MUST_CHECK int bawn_walk_open(const char *dir, int *out_fd, struct bawn_segments *all, struct bawn_head *out_end, struct bawn_err *err);
/* Shows an entry that was checked. */
BAWN_MUST_CHECK int bawn_walk_show(bawn_entry_fn *entry, void *ctx, const struct bawn_line *l, struct bawn_span line, struct bawn_err *err);
