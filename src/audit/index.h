/* index.h - an index of the log: which entries have what can be asked for, and where they stand.
 *
 *	STATE/audit/index/log-1.sqlite   made and read by libexec/bawn/index alone
 *	STATE/audit/index/stamp          what of the log is in it, which file it is, and a MAC over that
 *	STATE/audit/index/LOCK           flock(2): shared by readers, exclusive by who adds to it
 *
 * All of it may be removed at any time.  It holds whole blocks of entries from one entry up to another; what comes after
 * is read from the log.  It is used only where its stamp was made with the key that signs the log: who can make an index
 * that leaves entries out could as well sign a log without them. */
#pragma once
#include "audit/audit.h"
#include "audit/head.h"
#include "audit/index_wire.h"
#include "audit/segment.h"

struct bawn_index {
	const char *helper;
	int         dirfd, fd, lock;        /* the log's directory (borrowed), the index's, its lock */
	uint8_t     key[BAWN_SHA256_LEN];   /* of the MAC */
	uint64_t    from, to;               /* entries in it */
	struct bawn_bookmark place;         /* behind the last of them */
	int         talk, pidfd;            /* the helper, while it answers */
	int         pid;
	struct bawn_audit_progress progress;  /* of adding to it */
};
#define bawn_auto_index __attribute__((cleanup(bawn_index_done))) struct bawn_index

/* Opens the index of the log that ends at *end; where up to `most` entries are not in it yet, they are put there.  x->to
 * is 0 where nothing is in it.  Where there can be none (another user's log, a copy without its key, a directory that
 * cannot be written, somebody at work on it) that is an error, and nothing to tell anybody: the log itself is there. */
BAWN_MUST_CHECK int bawn_index_open(struct bawn_index *x, const char *dir, int dirfd, const char *helper, const struct bawn_segments *all,
                                    const struct bawn_head *end, uint64_t most, struct bawn_audit_progress progress);
/* Puts all in that is not yet; begins one where there is none. */
BAWN_MUST_CHECK int bawn_index_bring_up(struct bawn_index *x, const char *dir, const struct bawn_segments *all, const struct bawn_head *end);
void bawn_index_done(struct bawn_index *x);
/* It was found to be wrong: the next reader makes it anew. */
void bawn_index_discard(struct bawn_index *x);

/* What is asked of the entries in it before `high`; hits come newest first.  1, 0 at the end, or an error. */
BAWN_MUST_CHECK int bawn_index_ask(struct bawn_index *x, const struct bawn_find *what, uint64_t high);
BAWN_MUST_CHECK int bawn_index_next(struct bawn_index *x, struct bawn_index_hit *out);
/* Would it help? */
bool bawn_index_helps(const struct bawn_find *what);
