/* handle.h - struct bawn: one open state directory, shared by threads. */
#pragma once
#include <pthread.h>
#include <stdatomic.h>
#include "audit/audit.h"
#include "core/api.h"
#include "core/approvals.h"
#include "core/slots.h"
#include "sandbox/sandbox.h"

/* A policy in use outlives its replacement: each execution holds a reference. */
struct bawn_policy_ref { struct bawn_policy *policy; atomic_uint refs; };

struct bawn {
	struct bawn_dirs        dirs;
	char                    via[32];
	char                    node[65];
	pthread_mutex_t         lock;       /* guards the four below */
	struct bawn_policy_ref *policy;
	struct bawn_audit      *audit;      /* opened at first use: reading needs none */
	bool                    swept;
	struct bawn_sandbox    *spare;      /* of the native backend, started ahead; or NULL */
	atomic_flag             tidied;     /* by the first run */
	_Atomic uint64_t        noted[BAWN_NOTABLE_COUNT];  /* what of audit->notable the alerts have looked at */
};

struct bawn_policy_ref *bawn_policy_hold(struct bawn *b);
void bawn_policy_drop(struct bawn_policy_ref *r);

/* The log, open for appending.  The first opener records what earlier runs left unfinished. */
BAWN_MUST_CHECK int bawn_log(struct bawn *b, struct bawn_audit **out, struct bawn_err *err);

/* The launcher started ahead, once; the caller's from here on. */
struct bawn_sandbox *bawn_spare(struct bawn *b);

/* What root can always give and must: an own uid per run, and cgroups unless policy says otherwise. */
uint32_t bawn_need_as_root(const struct bawn_policy *p);

/* What `probe` is asked with: small limits, no slot of anybody's. */
BAWN_MUST_CHECK int bawn_probe_spec(const struct bawn_dirs *d, const struct bawn_policy *p, enum bawn_backend_id backend, struct bawn_sandbox_spec *out,
                                    struct bawn_err *err);

/* Where the container engine is: policy's word; else the caller's DOCKER_HOST, which is refused where root has written a policy. */
BAWN_MUST_CHECK int bawn_docker_socket(const struct bawn_policy *p, const char **out, struct bawn_err *err);

/* Copies an options struct of the caller (its `size` comes first) over `to`, which has its defaults.
 * Refused: smaller than `least`, a size that would cut a field, set fields this library does not know. */
BAWN_MUST_CHECK int bawn_options_copy(void *to, size_t to_size, const void *from, size_t least, struct bawn_err *err);

/* Whether there is a controlling terminal: only there can a person have typed. */
bool bawn_has_terminal(void);

/* A result from a finished document; takes it over. */
BAWN_MUST_CHECK int bawn_result_take(json_t *doc_stolen, struct bawn_result **out, struct bawn_err *err);
