/* exec.h - one execution on its way through the flow (internal to core).
 *
 *   CHECK -> ASSESS -> DECIDE -> BUILD -> ADMIT -> INTENT -> LAUNCH -> START -> RUN -> COLLECT -> RECORD -> END -> DONE
 *     |                   |        |        |
 *     |                   |        |        +--> busy -----------------------> DONE
 *     |                   |        +--> packages cannot be had, or were all -> DONE
 *     |                   +--> refused / held: recorded ---------------------> DONE
 *     +--> not a valid request ---------------------------------------------> DONE
 *
 * BUILD, ADMIT, LAUNCH, START, RUN, COLLECT and END are where it may have to wait: a step that cannot go on returns, and
 * the descriptors that will tell are in its epoll set.  Where bawn fails, or a cancel comes, after the code may have been
 * handed over, END comes before RECORD: what is recorded as over is over.
 *
 * Invariants: (1) no code reaches a sandbox before its intent is durable; (2) once the intent is
 * durable, an outcome is recorded whatever happens, or the next opener records exec.lost; (3) the
 * result is handed out only after the outcome is durable, or says that it is not. */
#pragma once
#include <stdatomic.h>
#include "assess/assess.h"
#include "core/allocate.h"
#include "core/envs.h"
#include "core/handle.h"
#include "core/host.h"
#include "core/network.h"
#include "core/request.h"
#include "sandbox/sandbox.h"

enum bawn_phase {
	BAWN_PHASE_CHECK, BAWN_PHASE_ASSESS, BAWN_PHASE_DECIDE, BAWN_PHASE_BUILD, BAWN_PHASE_ADMIT, BAWN_PHASE_INTENT,
	BAWN_PHASE_LAUNCH, BAWN_PHASE_START, BAWN_PHASE_RUN, BAWN_PHASE_COLLECT, BAWN_PHASE_RECORD, BAWN_PHASE_END, BAWN_PHASE_DONE, BAWN_PHASE_COUNT
};

/* How a verdict was lifted. */
struct bawn_lift { bool used; json_t *by; char reason[2100]; char at[32]; enum bawn_assurance assurance; };

struct bawn_outdir;

struct bawn_exec {
	struct bawn            *b;
	struct bawn_policy_ref *policy;
	struct bawn_request     req;          /* pointers are the caller's */
	char                    id[BAWN_ULID_LEN];
	enum bawn_phase         phase;

	struct bawn_checked    *checked;
	struct bawn_assessment *assessment;
	json_t                 *assessment_json;

	enum bawn_action        action;
	struct bawn_lift        lift;
	char                    approval_id[BAWN_ULID_LEN];
	uint64_t                approval_expires_us;
	bool                    consumed, override_told;  /* the approval is used up; override.used is in the log's queue */
	enum bawn_trust         trust;
	bool                    decided;

	struct bawn_host        host;
	uint64_t                running;      /* others, when limits were computed */
	struct bawn_limits      limits;
	json_t                 *reasons;
	bool                    allocated;

	char                    want[BAWN_SHA256_HEX];  /* what its packages come to; "": it has none */
	struct bawn_plan       *fetch;         /* where they may come from, until an install has it; NULL: nothing to fetch */
	struct bawn_exec       *behalf;        /* of an install: whose packages; its approval is used with the install's intent */
	struct bawn_install    *install;       /* while they are installed */
	struct bawn_env         env;           /* what the code has, held while it may */
	bool                    built;         /* for this request */
	const struct bawn_collector *collector;  /* of an install, who takes its files; NULL: the code is somebody else's */
	uint32_t                collect_files;
	struct bawn_outdir     *outdir;        /* where its files go; NULL: they are only listed */
	struct bawn_err         unkept;        /* the first that could not be written there */
	const char             *result_path;   /* no place for them, or NULL */

	struct bawn_slots       slots;
	unsigned                slot;
	int                     slot_fd, mark_fd;
	bool                    cleared;     /* the sandbox is known to have left nothing */
	int                     epoll, cancel, watch, timer;
	uint64_t                queue_until_us;

	const struct bawn_backend *backend;
	struct bawn_sandbox    *sandbox;
	struct bawn_plan       *plan;          /* of its network; NULL: it has none */
	struct bawn_egress     *egress;        /* its way out, from prepare to the end; NULL: there is none */
	json_t                 *network;       /* what it did there; NULL: it had none, or nobody knows */
	uint32_t                need;          /* walls without which it does not run */
	struct bawn_enforcement enforcement;
	json_t                 *container;     /* what the backend tells of it; NULL: there is none */
	bool                    intent_durable, killed;
	bool                    handed;       /* the launcher may have the code */
	bool                    ending, recorded;  /* these phases were entered */
	bool                    full;         /* the launcher's socket is watched for room, too */
	struct bawn_err         late;         /* what failed when the code was over: said once the files are collected */
	struct bawn_buf         out[3];       /* by stream number; [0] unused */
	struct bawn_sha256      out_hash[3];
	uint64_t                out_bytes[3];
	bool                    truncated[3];
	struct bawn_usage       usage;
	json_t                 *denials, *violations, *files, *skipped, *warnings;
	json_t                 *observed;     /* NULL: nobody watched */
	int                     exit_code, signal;
	bool                    has_exit;

	enum bawn_status        status;
	struct bawn_err         error;        /* bawn's own failure; code 0: none */
	struct bawn_receipt     intent, outcome;
	bool                    has_outcome, closed;
	uint64_t                started_us, finished_us, t0, t_assess, t_queue, t_start, t_run, t_record, t_total, mark_us;
	uint64_t                event_seq;
	atomic_bool             cancelled;
};

void bawn_exec_emit_state(struct bawn_exec *e, const char *name);
void bawn_exec_emit(struct bawn_exec *e, struct bawn_event *ev);

/* Denials, violations, files, skipped files, warnings: empty lists.  False: out of memory. */
bool bawn_exec_lists(struct bawn_exec *e);

/* result.c */
json_t *bawn_limits_json(const struct bawn_exec *e);     /* NULL: out of memory; null before allocation */
json_t *bawn_limits_record(const struct bawn_exec *e);   /* after allocation */
json_t *bawn_decision_json(const struct bawn_exec *e);
json_t *bawn_usage_json(const struct bawn_usage *u);
json_t *bawn_layers_json(uint32_t mask);
json_t *bawn_missing_json(const struct bawn_exec *e);  /* and a runtime that is known to be weak */
json_t *bawn_walls_json(const struct bawn_exec *e);
json_t *bawn_override_json(const struct bawn_exec *e);

/* record.c: what the log says of an execution. */
BAWN_MUST_CHECK int bawn_record_refused(struct bawn_exec *e, struct bawn_err *err);    /* durable */
BAWN_MUST_CHECK int bawn_record_held(struct bawn_exec *e, struct bawn_err *err);       /* durable */
BAWN_MUST_CHECK int bawn_record_intent(struct bawn_exec *e, struct bawn_err *err);     /* durable */
BAWN_MUST_CHECK int bawn_record_env_built(struct bawn_exec *e, const json_t *doc, struct bawn_err *err);  /* durable */
BAWN_MUST_CHECK int bawn_record_env_named(struct bawn_exec *e, struct bawn_err *err);  /* durable */
BAWN_MUST_CHECK int bawn_record_swept(struct bawn_exec *e, unsigned n, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_record_sandbox(struct bawn_exec *e, struct bawn_err *err);    /* queued */
BAWN_MUST_CHECK int bawn_record_outcome(struct bawn_exec *e, struct bawn_err *err);    /* durable */

/* Two denials that more than one place can tell. */
#define BAWN_HINT_WRITE   "only /workspace, /tmp and /dev/shm can be written; --out DIR brings home what is in /workspace"
#define BAWN_HINT_NETWORK "the sandbox has no network but its own loopback; pass data with --in or standard input"

/* observed.c: keeps what the interpreter told; NULL: nothing. */
BAWN_MUST_CHECK int bawn_exec_observed(struct bawn_exec *e, const struct bawn_observed *o, struct bawn_err *err);

/* What the proxy told, beside it; a run that nobody else watched has this alone.  -ENOMEM. */
BAWN_MUST_CHECK int bawn_exec_observed_network(struct bawn_exec *e);

/* said.c: a warning for each refusal that only the program's own words tell.  -ENOMEM. */
BAWN_MUST_CHECK int bawn_exec_said(struct bawn_exec *e);

/* decide.c: what policy says of a level, and whether somebody lifts it. */
enum bawn_action bawn_exec_action(const struct bawn_exec *e);
BAWN_MUST_CHECK int bawn_exec_decide(struct bawn_exec *e, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_exec_consume(struct bawn_exec *e, struct bawn_err *err);  /* the approval, if one was used */

/* admit.c: 1 admitted with limits, 0 wait, negative with a typed error. */
int bawn_exec_admit(struct bawn_exec *e, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_exec_preview(struct bawn_exec *e, struct bawn_err *err);

/* Out of the epoll set, and closed: a child that the host forked has a copy, with which a mere close would leave it there. */
void bawn_exec_unwatch(struct bawn_exec *e, int *fd);

/* run.c: 1 over, 0 wait. */
BAWN_MUST_CHECK int bawn_exec_prepare(struct bawn_exec *e, struct bawn_err *err);   /* begins: 0 */
int bawn_exec_launch(struct bawn_exec *e, struct bawn_err *err);                    /* the walls stand */
int bawn_exec_start(struct bawn_exec *e, struct bawn_err *err);
int bawn_exec_watch(struct bawn_exec *e, struct bawn_err *err);
int bawn_exec_collect(struct bawn_exec *e, struct bawn_err *err);
void bawn_exec_cut(struct bawn_exec *e);                                            /* its way out, if it has one */
int bawn_exec_end(struct bawn_exec *e);                                             /* the launcher is gone, or late */
BAWN_MUST_CHECK int bawn_exec_open_out(struct bawn_exec *e, struct bawn_err *err);  /* out_dir, if it was asked for */
BAWN_MUST_CHECK int bawn_exec_denial(struct bawn_exec *e, const struct bawn_denial *d);
BAWN_MUST_CHECK int bawn_exec_spec(const struct bawn_exec *e, struct bawn_sandbox_spec *out, struct bawn_err *err);
