/* head.h - the small file that says how far the log is acknowledged.
 *
 *	0           4096          8192
 *	+-----------+-------------+      a slot: {"v":1,"gen":N,"size":N,"segment":N,"at":N,"offset":N,
 *	| even gen  | odd gen     |               "hash":"64 hex","epoch":N,"before":"hex","root":"base64",
 *	+-----------+-------------+               "signature":"base64",…,"check":"64 hex"}\n and zero bytes
 *
 * The valid slot with the larger gen counts.  It is written in place, again and again, while the other one
 * stays as it was at the last sync of the file; after a sync they change places.  So a power cut, which may
 * tear what was not synced, spoils one slot, never both.  Members may be added before "check".
 *
 * `before` is the frontier of the tree without its last entry.  So the root follows from `before` and
 * `hash`, and the signature over it vouches for size, hash and frontier at once; segment, at and offset
 * are checked against the line they lead to. */
#pragma once
#include <stdbool.h>
#include "audit/note.h"
#include "audit/tree.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/span.h"
#include <stdint.h>

#define BAWN_HEAD_SLOT 4096u
#define BAWN_HEAD_FILE (2 * BAWN_HEAD_SLOT)

struct bawn_head {
	uint64_t gen;                /* larger with each write; odd or even: the slot */
	bool     alone;              /* the other slot is damaged */
	uint64_t size;               /* entries */
	uint64_t segment;            /* first seq of the segment that holds the last entry */
	uint64_t at, offset;         /* of the last line in it: its first byte, the byte after its newline */
	char     hash[BAWN_SHA256_HEX];
	uint64_t epoch;              /* whose key signs what comes next */
	struct bawn_tree before;     /* all entries but the last */
	struct bawn_seal seal;       /* as on the last line; zeros before the first entry */
};

/* The tree of all its entries. */
void bawn_head_tree(const struct bawn_head *h, struct bawn_tree *out);
/* Does the root follow from the rest? */
bool bawn_head_whole(const struct bawn_head *h);

/* The head of a log without entries. */
void bawn_head_init(struct bawn_head *h);
/* From the bytes of the file; -EBADMSG where neither slot is valid. */
BAWN_MUST_CHECK int bawn_head_decode(struct bawn_span file, struct bawn_head *out);
void bawn_head_encode(const struct bawn_head *h, char out[static BAWN_HEAD_SLOT]);

/* Before the next write: to the other slot where the file was synced since the last one (or that slot is damaged). */
void bawn_head_turn(struct bawn_head *h, bool synced);

/* -EBADMSG and AUDIT_TAMPERED where neither slot is valid. */
BAWN_MUST_CHECK int bawn_head_read(int fd, struct bawn_head *out, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_head_read_at(int dirfd, struct bawn_head *out, struct bawn_err *err);
/* Encodes it into the slot of h->gen in `file`, what the file is known to hold, and writes that; not synced. */
BAWN_MUST_CHECK int bawn_head_write(int fd, const struct bawn_head *h, char file[static BAWN_HEAD_FILE], struct bawn_err *err);
