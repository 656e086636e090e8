/* api.h - what the programs in this tree use of core besides the public <bawn/bawn.h>. */
#pragma once
#include <bawn/bawn.h>
#include "assess/assess.h"
#include "base/json.h"
#include "policy/policy.h"

/* Where things are for this user and these options; every path absolute. */
struct bawn_dirs {
	char state[512];       /* STATE */
	char audit[544];       /* STATE/audit */
	char witness[544];     /* STATE-witness: of the log, unless audit.yaml names another */
	char run[512];         /* host-wide slots: /run/bawn or $XDG_RUNTIME_DIR/bawn */
	char config_user[512]; /* $XDG_CONFIG_HOME/bawn, or "" without a home */
	char config[512];      /* --config or BAWN_CONFIG, or "" */
	char launcher[512];    /* libexec/bawn/launch */
	char indexer[512];     /* libexec/bawn/index, beside it */
	char egress[512];      /* libexec/bawn/egress, beside it */
	struct bawn_policy_dirs policy;  /* points into this struct: do not copy it */
};
BAWN_MUST_CHECK int bawn_dirs_find(const struct bawn_options *o, struct bawn_dirs *out, struct bawn_err *err);

const struct bawn_dirs *bawn_dirs_of(const struct bawn *b);

/* How the log of this state directory is opened under this policy; borrows from both.  CONFIG_INVALID
 * where its witness lies in the state directory. */
struct bawn_audit_options;
BAWN_MUST_CHECK int bawn_log_options(const struct bawn_dirs *d, const struct bawn_policy *p, const char *node,
                                     struct bawn_audit_options *out, struct bawn_err *err);
/* Of a check of the whole log that somebody made: an alert where audit.yaml says so; `said` receives its words, or "". */
struct bawn_audit_report;
void bawn_alert_integrity(struct bawn *b, const struct bawn_audit_report *r, char *said, size_t size);
/* Where its witness is; a policy that cannot be read names none, and a verifier goes on with the usual place. */
int bawn_log_witness(const struct bawn_dirs *d, char *out, size_t size);

/* The `assessment` object of DESIGN: for results and for `bawn assess`. */
BAWN_MUST_CHECK int bawn_assessment_json(const struct bawn_assessment *a, const struct bawn_policy *p,
                                         struct bawn_span code, json_t **out, struct bawn_err *err);

/* {mode, kernel, uid, layers: [{layer, state: active|missing|absent, detail, fix, required}], usable, summary,
 *  interpreters: [{language, path, present}], launcher, state_dir, run_dir}: works without an open handle. */
BAWN_MUST_CHECK int bawn_doctor(const struct bawn_options *o, json_t **out, struct bawn_err *err);

/* Environments (core/envs.h): [{environment, names, language, packages: [{name, version, hash, url}], files, bytes, built_at, ..}]. */
BAWN_MUST_CHECK int bawn_environments(struct bawn *b, json_t **out, struct bawn_err *err);
/* By its name or the beginning of its hash; NOT_FOUND. */
BAWN_MUST_CHECK int bawn_environment(struct bawn *b, const char *name, json_t **out, struct bawn_err *err);
/* Recorded; BUSY where a run has it. */
BAWN_MUST_CHECK int bawn_environment_remove(struct bawn *b, const char *name, json_t **out, struct bawn_err *err);

/* Has the container engine fetch `name`, or (NULL) the policy's image; `tell` hears of its progress in bytes.  `out`: its name. */
BAWN_MUST_CHECK int bawn_pull_image(const struct bawn_options *o, const char *name, void (*tell)(void *ctx, uint64_t done, uint64_t of), void *ctx,
                                    char out[static 256], struct bawn_err *err);

/* A result in its whole shape for a request that never reached the library; NULL: out of memory. */
json_t *bawn_failed_document(const struct bawn_err *why);

/* As bawn_open; its launcher starts while the policy is read. */
BAWN_MUST_CHECK int bawn_open_to_run(const struct bawn_options *options, struct bawn **out, struct bawn_err *err);

/* Whether policy lets the requester's own word lift a verdict: only then is it worth asking for. */
bool bawn_self_suffices(struct bawn *b);
uint64_t bawn_hold_ms(struct bawn *b);  /* how long policy lets a held request wait for its answer */

/* Whether policy lets a request name packages, of any language; else what it lacks. */
BAWN_MUST_CHECK int bawn_packages_allowed(struct bawn *b, struct bawn_err *err);

/* What bawn_exec_result gives, before it is text. */
BAWN_MUST_CHECK int bawn_exec_document(const struct bawn_exec *e, json_t **out, struct bawn_err *err);

/* Statuses: name and the exit code of `bawn run` (-1: the program's own). */
#define BAWN_STATUSES(X) \
	X(COMPLETED,      "completed",      -1,  200) \
	X(FAILED,         "failed",         -1,  200) \
	X(TIMEOUT,        "timeout",        124, 200) \
	X(CPU_LIMIT,      "cpu_limit",      124, 200) \
	X(MEMORY_LIMIT,   "memory_limit",   137, 200) \
	X(PIDS_LIMIT,     "pids_limit",     137, 200) \
	X(DISK_LIMIT,     "disk_limit",     137, 200) \
	X(OUTPUT_LIMIT,   "output_limit",   137, 200) \
	X(KILLED,         "killed",         137, 200) \
	X(CANCELLED,      "cancelled",      130, 200) \
	X(REFUSED,        "refused",        126, 403) \
	X(NEEDS_APPROVAL, "needs_approval", 126, 202) \
	X(BUSY,           "busy",           125, 503) \
	X(ERROR,          "error",          125, 500)
#define BAWN_X_STATUS(n, t, e, h) BAWN_STATUS_##n,
enum bawn_status { BAWN_STATUSES(BAWN_X_STATUS) BAWN_STATUS_COUNT };
const char *bawn_status_name(enum bawn_status s);
/* The exit code of `bawn run` for a result document. */
int bawn_exit_code(const json_t *result);

/* Of an execution that has not begun: the files that the code leaves do not take this path, in which the caller will write
 * the result.  Borrowed until the execution is freed. */
void bawn_exec_result_at(struct bawn_exec *e, const char *result_path);
