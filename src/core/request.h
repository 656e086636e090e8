/* request.h - a request that has passed the gate: typed, bounded, sealed.
 *
 * Invariants: (1) the bytes that are assessed, hashed and executed are one sealed copy that nobody
 * can change any more; (2) request_sha256 covers every field that can change what the run does, in
 * a versioned, length-prefixed encoding, so an approval holds for exactly one request. */
#pragma once
#include <bawn/bawn.h>
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/span.h"
#include "policy/policy.h"

#define BAWN_MAX_ARGS       1024
#define BAWN_MAX_ARG_BYTES  (128u << 10)   /* arguments and variables together */
#define BAWN_MAX_STDIN      (16u << 20)
#define BAWN_MAX_INPUTS     500
#define BAWN_MAX_INPUT_BYTES (256u << 20)  /* together */
#define BAWN_MAX_INPUT_DEPTH 16
#define BAWN_MAX_LABELS     64
#define BAWN_MAX_LABEL_BYTES 256
#define BAWN_MAX_HOSTS      16
#define BAWN_MAX_REQUIREMENTS (1u << 20)

struct bawn_sealed {
	int fd;
	struct bawn_span bytes;           /* a read-only mapping of the sealed file */
	char sha256[BAWN_SHA256_HEX];
};

struct bawn_sealed_input { char *name; uint32_t mode; struct bawn_sealed file; };

struct bawn_checked {
	enum bawn_language  language;
	struct bawn_sealed  code, stdin_;   /* stdin_.fd is -1 when there is none */
	char              **args, **env, **labels; size_t n_args, n_env, n_labels;
	char              **packages; size_t n_packages;  /* in order, each once */
	char              **hosts; size_t n_hosts;  /* that policy does not list: a person has to grant them */
	struct bawn_sealed_input *input; size_t n_inputs;
	enum bawn_backend_id backend;
	enum bawn_network   network;
	int                 trust_asked;    /* enum bawn_trust, or -1 */
	struct bawn_limits  asked;          /* 0: not asked */
	char               *session, *image, *environment, *path, *reason;  /* environment: its SHA256 */
	char               *build;          /* only the environment is wanted, and what it is to be called */
	bool                override_;
	json_t             *principal, *labels_json;
	char                policy_sha256[BAWN_SHA256_HEX];
	char                request_sha256[BAWN_SHA256_HEX];
};

/* Who asks, and what the request alone does not say. */
struct bawn_asker {
	const char *via;          /* NULL: "c" */
	const char *environment;  /* the SHA256 that the request's name of one stands for; NULL: it has none */
	bool        installs;     /* core itself, for packages that were asked for: it has a network wherever there is a whitelist */
};
/* Checks, copies and seals.  Every refusal is typed and names the field. */
BAWN_MUST_CHECK int bawn_request_check(const struct bawn_request *req, const struct bawn_policy *policy,
                                       const struct bawn_asker *by, struct bawn_checked **out, struct bawn_err *err);
void bawn_checked_free(struct bawn_checked *c);

/* 1..max characters, UTF-8, not blank; REASON_MISSING or REASON_TOO_LONG. */
BAWN_MUST_CHECK int bawn_reason_check(const char *reason, uint64_t max, struct bawn_err *err);

/* Relative, without ".", ".." or control characters: for names that go into or come out of a workspace. */
BAWN_MUST_CHECK int bawn_file_name_check(const char *name, struct bawn_err *err);

json_t *bawn_principal_json(const char *via);  /* who runs this process; NULL: out of memory */
