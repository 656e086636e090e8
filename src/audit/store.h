/* store.h - the files of one audit log, as a writer sees them: one commit at a time.
 * Not thread-safe: sink.c lets one thread in at a time. */
#pragma once
#include <stdbool.h>
#include <sys/types.h>
#include "audit/audit.h"
#include "audit/head.h"
#include "audit/note.h"
#include "base/buf.h"

/* A record on its way into the log; the list is borrowed by bawn_store_commit. */
struct bawn_pending {
	struct bawn_pending *next;
	struct bawn_buf      draft;
	struct bawn_receipt  receipt;  /* filled by a commit that succeeds */
	bool                 new_key;  /* a log.key: what follows is signed by the next epoch */
	bool                 begins;   /* something that will end: not without the reserve */
	bool                 ends;     /* the end of something: worth the reserve */
	bool                 witnessed; /* the witness must know of it before it is acknowledged (bawn_store_witnessed) */
	bool                 notable[BAWN_NOTABLE_COUNT];  /* see struct bawn_audit */
};

#define BAWN_LINE_AROUND 400u  /* what stands around a draft on its line, or a little more */

struct bawn_file_id { dev_t dev; ino_t ino; };

struct bawn_store {
	char    *dir, *node;
	struct bawn_file_id dir_id, segdir_id, lock_id, head_id, seg_id;  /* which files these are: */
	int      dirfd, segdir, lockfd, headfd, segfd;
	int      witness;         /* its directory, or -1 */
	bool     witness_must;
	char     weakness[200];   /* see struct bawn_audit */
	uint64_t notable[BAWN_NOTABLE_COUNT];  /* likewise */
	uint64_t segment;         /* first seq of the segment open at segfd */
	uint64_t max_segment, lock_ms, reserve;
	struct bawn_head head;    /* the last one this handle wrote or checked itself; size 0: none yet */
	struct bawn_vkey sealer;  /* who signed it */
	bool     trusted;         /* nothing went wrong since */
	char     head_file[BAWN_HEAD_FILE];  /* as last read or written: while it is the same, so is head */
	struct bawn_signer signer;
	uint64_t signer_epoch;
	bool     has_signer, sign_every;
	bool     seg_every;       /* the open segment says that its entries may be signed each; known where sign_every */
	bool     dead;            /* the files cannot be relied on any more: nothing is written again */
	pid_t    pid;
	struct bawn_buf out;
};

BAWN_MUST_CHECK int bawn_store_open(struct bawn_store *s, const char *dir,
                                    const struct bawn_audit_options *o, struct bawn_err *err);
void bawn_store_done(struct bawn_store *s);

/* All of the list durable and in the head, or an error and none of it acknowledged. */
BAWN_MUST_CHECK int bawn_store_commit(struct bawn_store *s, struct bawn_pending *first, struct bawn_err *err);

/* Tells the witness of all that is committed.  An error, which comes only where it must be told, says that it does not know:
 * the records are in the log all the same, and are not to be written again. */
BAWN_MUST_CHECK int bawn_store_witnessed(struct bawn_store *s, struct bawn_err *err);

/* What alerts count a record as; severity NULL: that of its type. */
void bawn_store_note(struct bawn_pending *p, enum bawn_record_type type, const char *severity);

/* Tiles, checkpoint and what the witness knows, up to this head: after the acknowledgement, without waiting
 * for a disk, and a failure costs nothing but that the next one has more to do. */
void bawn_store_derive(const struct bawn_store *s, const struct bawn_head *h, const struct bawn_vkey *sealer);

/* A key for the next epoch, recorded as log.key; the private key of this one is destroyed. */
BAWN_MUST_CHECK int bawn_store_rotate_key(struct bawn_store *s, const json_t *principal, struct bawn_receipt *out, struct bawn_err *err);

/* One entry of our own by somebody, which the witness knows of on return; `then` is called with the lock
 * still held.  *out is filled as soon as it is written, whatever follows. */
typedef int bawn_then_fn(struct bawn_store *s, void *ctx, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_store_record(struct bawn_store *s, enum bawn_record_type type, const json_t *principal, const json_t *body,
                                      bawn_then_fn *then, void *ctx, struct bawn_receipt *out, struct bawn_err *err);

/* store.c for recover.c */
BAWN_MUST_CHECK int bawn_store_signer(struct bawn_store *s, uint64_t epoch, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_store_fail(struct bawn_store *s, struct bawn_err *err, const char *doing);
BAWN_MUST_CHECK int bawn_store_sync(struct bawn_store *s, int fd, const char *what, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_store_publish(struct bawn_store *s, const struct bawn_head *h, const struct bawn_vkey *sealer, struct bawn_err *err);
/* Writes the head as it is to both slots, durable on return: no power cut brings back an older one. */
BAWN_MUST_CHECK int bawn_store_fix_head(struct bawn_store *s, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_store_open_segment(struct bawn_store *s, uint64_t first_seq, bool create,
                                            struct bawn_err *err);
BAWN_MUST_CHECK int bawn_store_write(struct bawn_store *s, struct bawn_head *h,
                                     struct bawn_pending *first, bool new_file, struct bawn_err *err);
/* One entry of our own, durable on return. */
BAWN_MUST_CHECK int bawn_store_own(struct bawn_store *s, struct bawn_head *h,
                                   enum bawn_record_type type, json_t *body_stolen,
                                   bool new_file, struct bawn_err *err);

/* recover.c: makes head and files agree, or says why they never will.  Called under the lock where
 * they differ; *h is the head read, and on return the head published. */
BAWN_MUST_CHECK int bawn_store_recover(struct bawn_store *s, struct bawn_head *h, struct bawn_err *err);
/* Is the head signed, is the last line acknowledged by it there, and is it the one?  Then s->head is *h. */
BAWN_MUST_CHECK int bawn_store_check_last(struct bawn_store *s, const struct bawn_head *h, struct bawn_err *err);
/* prune.c: where the log does not begin at 0, does a log.prune say why?  Finishes its work. */
BAWN_MUST_CHECK int bawn_store_check_pruned(struct bawn_store *s, const struct bawn_head *h, struct bawn_err *err);
/* Has the log published a checkpoint of more entries than it has now, or has its witness seen another log? */
BAWN_MUST_CHECK int bawn_store_check_published(struct bawn_store *s, const struct bawn_head *h, struct bawn_err *err);
