/* audit.h - the record of what was asked, decided and done.
 *
 * Audit is a sink {append, wait}: a local file or, later, a peer.  A record is acknowledged by
 * `wait` only once it is durable; a caller that does not get the acknowledgement must not go on.
 * docs/FORMAT-audit.md describes the bytes on disk. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/span.h"

/* X(NAME, "type", "severity") */
#define BAWN_RECORDS(X) \
	X(ASSESS_DONE,        "assess.done",        "INFO") \
	X(EXEC_INTENT,        "exec.intent",        "INFO") \
	X(EXEC_REFUSED,       "exec.refused",       "MEDIUM") \
	X(EXEC_OUTCOME,       "exec.outcome",       "INFO") \
	X(EXEC_LOST,          "exec.lost",          "HIGH") \
	X(APPROVAL_REQUESTED, "approval.requested", "LOW") \
	X(APPROVAL_DECIDED,   "approval.decided",   "MEDIUM") \
	X(OVERRIDE_USED,      "override.used",      "HIGH") \
	X(SANDBOX_CREATED,    "sandbox.created",    "INFO") \
	X(CONTAINER_CREATED,  "container.created",  "INFO") \
	X(CONTAINER_SWEPT,    "container.swept",    "LOW") \
	X(ENV_BUILT,          "env.built",          "INFO") \
	X(ENV_NAMED,          "env.named",          "INFO") \
	X(ENV_REMOVED,        "env.removed",        "LOW") \
	X(LIMIT_VIOLATION,    "limit.violation",    "MEDIUM") \
	X(POLICY_CHANGED,     "policy.changed",     "HIGH") \
	X(SYSTEM_START,       "system.start",       "INFO") \
	X(SYSTEM_STOP,        "system.stop",        "INFO") \
	X(ALERT,              "alert",              "HIGH") \
	X(LOG_GENESIS,        "log.genesis",        "INFO") \
	X(LOG_SEGMENT,        "log.segment",        "INFO") \
	X(LOG_KEY,            "log.key",            "HIGH") \
	X(LOG_RECOVERED,      "log.recovered",      "HIGH") \
	X(LOG_PRUNE,          "log.prune",          "HIGH") \
	X(LOG_DISK_FULL,      "log.disk_full",      "CRITICAL")
#define BAWN_X_RECORD(n, t, s) BAWN_RECORD_##n,
enum bawn_record_type { BAWN_RECORDS(BAWN_X_RECORD) BAWN_RECORD_COUNT };
const char *bawn_record_name(enum bawn_record_type type);
const char *bawn_record_severity(enum bawn_record_type type);
/* Does a record of this type end an execution?  Each of these carries its whole row in the history. */
bool bawn_record_ends(const char *type);

struct bawn_record {
	enum bawn_record_type type;
	const char   *severity;         /* NULL: the type's own */
	const char   *exec;             /* execution id, or NULL */
	const char   *session;          /* or NULL */
	const json_t *principal;        /* {kind, id, role, via}, or NULL */
	const json_t *body;             /* object: the type's own members, or NULL.  Integers, strings, lists. */
	char *const  *redact; size_t n_redact;  /* names: what stands behind NAME= is not written (redact.h) */
};

struct bawn_receipt { uint64_t seq; char hash[BAWN_SHA256_HEX]; uint64_t log_size; /* entries */ };

/* What alerts go by: CRITICAL records and violated limits. */
enum bawn_notable { BAWN_NOTABLE_CRITICAL, BAWN_NOTABLE_VIOLATION, BAWN_NOTABLE_COUNT };

struct bawn_audit;  /* an open sink */
struct bawn_audit_ops {
	/* Queues a record; *out_ticket is given to wait, once.  NULL: nobody will wait; the record goes
	 * out with the next commit and is then forgotten. */
	int (*append)(struct bawn_audit *a, const struct bawn_record *rec, uint64_t *out_ticket, struct bawn_err *err);
	/* Blocks until the record is durable, once for each ticket; all that is queued is committed together.
	 * An error means: treat it as not written.  Where it is known to be there all the same, since only its witness could not
	 * be told, *out is filled as well. */
	int (*wait)(struct bawn_audit *a, uint64_t ticket, struct bawn_receipt *out, struct bawn_err *err);
	void (*close)(struct bawn_audit *a);  /* queued records that nobody waited for are dropped; accepts NULL */
};
struct bawn_audit {
	const struct bawn_audit_ops *ops;
	char weakness[200];              /* what this log should have and has not, in words, or ""; its first letter comes last,
	                                  * so that a thread may look while another commits */
	_Atomic uint64_t notable[BAWN_NOTABLE_COUNT];  /* how many of these were committed here, the log's own too */
};

/* One record, durable on return; *out as `wait` fills it. */
BAWN_MUST_CHECK int bawn_audit_put(struct bawn_audit *a, const struct bawn_record *rec,
                                   struct bawn_receipt *out, struct bawn_err *err);

/* Enough for the outcome of each execution that a host runs at once, and for one that is as large as can be. */
#define BAWN_AUDIT_RESERVE (8u << 20)

struct bawn_audit_options {
	const char *node;               /* host name in each record */
	uint64_t    max_segment_bytes;
	uint64_t    lock_timeout_ms;    /* 0: 30 s */
	bool        sign_every;         /* a signature on each entry, not only on the last of a commit */
	bool        keep_tokens;        /* what looks like a well-known secret is written all the same */
	const char *witness;            /* a directory elsewhere that remembers how far the log is; NULL: none */
	uint64_t    reserve_bytes;      /* of disk kept free for the end of what was begun; 0: none */
	bool        witness_must;       /* one that cannot be written is an error; otherwise it is `weakness` */
};

/* Opens STATE/audit for appending, making it and its key at first use (0700, files 0600).  Refuses a
 * log that is shorter than its head, a checkpoint it has published or what its witness has seen, or whose
 * end is not signed by its key (AUDIT_TAMPERED); bytes beyond head that are no signed commit are a torn tail: moved to
 * quarantine/, recorded as log.recovered. */
BAWN_MUST_CHECK int bawn_audit_open(const char *dir, const struct bawn_audit_options *o,
                                    struct bawn_audit **out, struct bawn_err *err);

/* A new signing key: recorded as log.key, signed by the old one, whose private half is destroyed. */
BAWN_MUST_CHECK int bawn_audit_rotate_key(const char *dir, const struct bawn_audit_options *o, const json_t *principal,
                                          struct bawn_receipt *out, struct bawn_err *err);

/* Takes the oldest segments out of the log: all that end before `before_us`, the last one never.  They are
 * exported to a new file (bytes as stored, one after the other), read back and verified, and recorded as
 * log.prune before they go; proofs of what is left still work.  out->cut 0: there is nothing that old, and
 * nothing was done. */
struct bawn_prune { uint64_t before_us, keep_us; const char *export_path; const json_t *principal; };  /* keep_us: how old entries get in the export */
struct bawn_pruned {
	uint64_t from, cut;             /* the first entry that went, the first that stays */
	uint64_t segments, bytes;
	uint64_t keep_until_us;         /* the export: its youngest entry is keep_us old then */
	char     sha256[BAWN_SHA256_HEX];  /* of the export */
	struct bawn_receipt receipt;    /* of log.prune */
};
BAWN_MUST_CHECK int bawn_audit_prune(const char *dir, const struct bawn_audit_options *o, const struct bawn_prune *ask,
                                     struct bawn_pruned *out, struct bawn_err *err);

/* Bodies of code and output, kept once by content hash (STATE/audit/blob/ab/abcd…, or packed abcd….zst): durable
 * before the entry that cites it. */
BAWN_MUST_CHECK int bawn_audit_blob_put(const char *dir, struct bawn_span bytes, char out_sha256[static BAWN_SHA256_HEX], struct bawn_err *err);
BAWN_MUST_CHECK int bawn_audit_blob_get(const char *dir, const char *sha256, struct bawn_buf *out, struct bawn_err *err);

/* What verification found. */
struct bawn_audit_report {
	bool     ok;
	uint64_t entries, bytes, segments;
	uint64_t verified_from;         /* the first entry that was kept (see bawn_audit_prune); 0: all of them */
	uint64_t verified_to;           /* entries that verify from there */
	uint64_t first_bad_seq;         /* when !ok */
	char     problem[200];          /* when !ok: what is wrong, in words */
	char     head_hash[BAWN_SHA256_HEX];
	uint64_t first_us, last_us;     /* times of the first and last entry, 0 when empty */
	uint64_t torn_bytes;            /* beyond the last signature: never acknowledged */
	char     anchor[16];            /* none|same-uid|other-uid|remote */
	uint64_t witnessed;             /* entries that the anchor has seen */
	bool     absent;                /* when !ok: nothing is left of it */
	uint64_t previous;              /* entries of another log that the witness remembered when this one was begun in its place */
	uint64_t signatures;            /* met; all of them checked unless skimmed */
	uint64_t epoch;                 /* of the key that signs next */
	char     origin[200], vkey[300]; /* the log's name and the verifier key of epoch 0; "" while there is none */
	char     pin[300];              /* the oldest key that still vouches for what is there: vkey, unless its entries were pruned */
	char     root[48];              /* base64, of the verified entries */
	uint64_t bodies;                /* kept beside the log, each what its name says; 0 when skimmed: not looked at */
	uint64_t stray_bodies;          /* files there that are not, but that no entry cites */
	uint64_t missing_bodies;        /* that entries say are kept, and are not there */
	char     tiles[128];            /* "": none published; "good"; or what is wrong: made from the log, so no fault of it */
};
/* Who wants to know how far reading has come: called now and then, with the entries that were read and their number. */
struct bawn_audit_progress { void (*tell)(void *ctx, uint64_t done, uint64_t of); void *ctx; };

struct bawn_audit_verify_options {
	const char *key;                /* a verifier key known from elsewhere, which must have signed this log; or NULL */
	const char *witness;            /* a witness's directory, its file, or a checkpoint somebody kept; or NULL */
	bool        witness_may;        /* it may be missing, or know nothing of this log: then there is no anchor */
	bool        witness_own;        /* it is this log's alone: what it has seen was here */
	bool        copy;               /* it is not where it is written: its owner may be who copied it, not who writes it */
	unsigned    jobs;               /* threads that share the work, the caller's counted; 0: only that */
	bool        skim;               /* of the signatures only the last of each epoch, which covers what the others do */
	struct bawn_audit_progress progress;  /* .tell may be NULL */
};
/* Reads every byte; works on a copy.  Fails only where the log cannot be read at all, or the key is none. */
BAWN_MUST_CHECK int bawn_audit_verify(const char *dir, const struct bawn_audit_verify_options *o,
                                      struct bawn_audit_report *out, struct bawn_err *err);

/* A C2SP tlog-proof that entry `seq` is in a tree the log signed: that of its checkpoint, or the last.  NOT_FOUND where there
 * is none. */
BAWN_MUST_CHECK int bawn_audit_proof(const char *dir, uint64_t seq, struct bawn_buf *out, struct bawn_err *err);

/* One execution (its whole id) as evidence that needs no log: entries, code, kept output, proofs and keys in one JSON document
 * (docs/FORMAT-audit.md).  NOT_FOUND where it has no entry. */
BAWN_MUST_CHECK int bawn_audit_bundle(const char *dir, const char *exec, struct bawn_buf *out, struct bawn_err *err);
struct bawn_bundle_report {
	bool     ok;
	char     problem[200];          /* when !ok */
	char     exec[64];
	uint64_t entries;               /* of it in the document */
	uint64_t size;                  /* of the log that was signed */
	bool     code;                  /* is in it */
	uint64_t output;                /* bodies of output in it: all that its entries say are kept */
	char     code_sha256[BAWN_SHA256_HEX];
	bool     known;                 /* a key known from elsewhere vouches for it */
	char     origin[200], vkey[300];  /* the log's name, and the first key as the document has it: of epoch 0, or of where the log was cut */
};
/* Checks such a document alone; `key` is a verifier key known from elsewhere, or NULL.  Fails only where the key is none
 * or memory ends. */
BAWN_MUST_CHECK int bawn_audit_bundle_verify(struct bawn_span text, const char *key, struct bawn_bundle_report *out, struct bawn_err *err);

/* Calls `entry` for each acknowledged entry from `from_seq` on, in order; each is checked against its
 * own hash first.  A non-zero return of `entry` stops the walk and is returned. */
struct bawn_entry { uint64_t seq; uint64_t ts_us; struct bawn_span line; json_t *json; };
typedef int bawn_entry_fn(void *ctx, const struct bawn_entry *e);
BAWN_MUST_CHECK int bawn_audit_walk(const char *dir, uint64_t from_seq, bawn_entry_fn *entry, void *ctx, struct bawn_err *err);
/* The same from a bookmark on, which moves with each entry handed out: called again later, it goes on where it was
 * and reads only what is new.  { .seq = N } is a bookmark; the rest is for the walk. */
struct bawn_bookmark { uint64_t seq; bool known; uint64_t segment, offset; char hash[BAWN_SHA256_HEX]; };
BAWN_MUST_CHECK int bawn_audit_walk_on(const char *dir, struct bawn_bookmark *place, bawn_entry_fn *entry, void *ctx, struct bawn_err *err);
/* Newest first. */
BAWN_MUST_CHECK int bawn_audit_walk_back(const char *dir, bawn_entry_fn *entry, void *ctx, struct bawn_err *err);
/* What entries are looked for; what is NULL, 0 or false is not asked. */
struct bawn_find {
	uint64_t     since_us, until_us;  /* asked of each entry by itself: a record is written when what it belongs to ends,
	                                 * later than its own time, and clocks step.  So an old one says nothing of those before it */
	const char  *type;              /* or a family of types: exec */
	const char  *severity, *level, *status, *session;
	const char  *exec;              /* what its id begins with, in small or capital letters */
	const char *const *label; size_t n_labels;  /* "K=V", or "K" */
	bool         ends;              /* entries that end an execution: bawn_record_ends */
	bool         one; uint64_t seq; /* this entry */
	uint64_t     look;              /* so many of the newest are read before an index is begun; 0: 32768 */
	struct bawn_audit_progress progress;  /* of making an index; .tell may be NULL */
};
/* Calls `entry`, newest first, for at least every entry that meets the question: the caller looks at each itself.  With the
 * help of an index (`helper` is the path of libexec/bawn/index, or NULL) where there is one or it can be made, so that a
 * rare entry of a long log is found without reading all of it; else as bawn_audit_walk_back (`one`: as bawn_audit_walk).
 * entry(ctx, NULL) means: forget what was shown, it begins anew. */
BAWN_MUST_CHECK int bawn_audit_find(const char *dir, const char *helper, const struct bawn_find *what, bawn_entry_fn *entry, void *ctx, struct bawn_err *err);
/* Number of acknowledged entries, from head alone. */
BAWN_MUST_CHECK int bawn_audit_size(const char *dir, uint64_t *out_entries, struct bawn_err *err);
