/* approvals.h - requests that wait for a person, as files in STATE/approvals.
 *
 *   pending --approve--> approved --use--> used
 *      |  \--deny-----> denied
 *      \--time--------> expired   (derived: nobody writes it)
 *
 * Invariants: (1) an approval is bound to request_sha256 and lifts nothing else; (2) it is used at
 * most once: the step to `used` is durable before the intent is recorded; (3) every step is made
 * under STATE/approvals/LOCK by replacing the file atomically, so the first durable decision wins;
 * (4) a decision is recorded in the audit log before the file says so;
 * (5) a file alone lifts nothing: the log must have that very decision (approval, request, who, how sure, until when), in
 * an entry that is whole and that the next one cites; who and why are then taken from the log.
 * NOTE: a `used` that is put back to `approved` is not noticed here; the log then has two override.used of one approval. */
#pragma once
#include "audit/audit.h"
#include "base/err.h"
#include "base/json.h"
#include "base/ulid.h"
#include "core/request.h"
#include "policy/policy.h"

struct bawn_approvals { int dir, lock; char audit[600]; /* STATE/audit */ };
BAWN_MUST_CHECK int bawn_approvals_open(const char *state_dir, struct bawn_approvals *out, struct bawn_err *err);
/* For bawn_approval_list and no other: makes and locks nothing.  -ENOENT: there are none. */
BAWN_MUST_CHECK int bawn_approvals_peek(const char *state_dir, struct bawn_approvals *out, struct bawn_err *err);
void bawn_approvals_done(struct bawn_approvals *a);

/* What a person will be shown and what the approval is bound to. */
struct bawn_hold {
	const char *exec;              /* id of the held execution */
	const char *request_sha256;
	const char *action;            /* what policy said: confirm or refuse */
	const json_t *assessment, *limits, *principal, *labels;
	const char *session, *path, *asked_reason;
	uint64_t expires_ms;
};
/* A pending approval; one that waits for the very same request already is returned again.
 * *out_new: it was made now, and its record must be written. */
BAWN_MUST_CHECK int bawn_approval_request(struct bawn_approvals *a, const struct bawn_hold *h, char out_id[static BAWN_ULID_LEN],
                                          uint64_t *out_expires_us, bool *out_new, struct bawn_err *err);

struct bawn_verdict { bool approve; const char *reason; enum bawn_assurance assurance; const json_t *by; const struct bawn_list *redact; };  /* redact: names, or NULL */
/* Decides a pending one (id or unique prefix).  Records approval.decided first.  *out: the document. */
BAWN_MUST_CHECK int bawn_approval_decide(struct bawn_approvals *a, struct bawn_audit *log, const char *id,
                                         const struct bawn_verdict *v, json_t **out, struct bawn_err *err);

/* Whether it would lift exactly this request now; consumes nothing.  APPROVAL_UNKNOWN where the log does not have it,
 * APPROVAL_EXPIRED where that part of the log was pruned. */
BAWN_MUST_CHECK int bawn_approval_look(struct bawn_approvals *a, const char *id, const char *request_sha256,
                                       json_t **out, struct bawn_err *err);

/* Consumes an approved one for exactly this request.  A mismatch consumes nothing.
 * *out: the document with its `decision`. */
BAWN_MUST_CHECK int bawn_approval_use(struct bawn_approvals *a, const char *id, const char *request_sha256,
                                      json_t **out, struct bawn_err *err);

/* Every approval whose state is `pending`, oldest first. */
BAWN_MUST_CHECK int bawn_approval_list(struct bawn_approvals *a, json_t **out, struct bawn_err *err);

/* The newest answer to exactly this request that still holds: 1 approved (out_id), 0 none, APPROVAL_DENIED. */
BAWN_MUST_CHECK int bawn_approval_answered(struct bawn_approvals *a, const char *request_sha256, char out_id[static BAWN_ULID_LEN],
                                           struct bawn_err *err);

/* uid of the one who asked, to tell `self` from `separate`. */
BAWN_MUST_CHECK int bawn_approval_get(struct bawn_approvals *a, const char *id, json_t **out, struct bawn_err *err);
