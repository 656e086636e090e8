/* allocate.h - limits that adapt to the code, the trust in it and the host.
 *
 * A pure function: same inputs, same limits.  What it computes is what is enforced; `reasons` tells
 * a person how each number came about.
 *
 *   base(trust) -> x factor(complexity) -> asked by the caller -> ceiling(policy) -> host share -> floor(interpreter) */
#pragma once
#include "base/err.h"
#include "base/json.h"
#include "policy/policy.h"

struct bawn_allocate_in {
	enum bawn_trust    trust;
	enum bawn_language language;
	uint32_t           complexity_milli, lines;
	uint64_t           host_cpus_milli, available_bytes, running;  /* running: others, now */
	struct bawn_limits asked;    /* 0: not asked */
	bool               stream;   /* output goes to the caller as it comes, not into the result */
};

/* *out_full: the host share is below what the interpreter needs to start; wait or give up.
 * *out_reasons: new array of strings, owned by the caller. */
BAWN_MUST_CHECK int bawn_allocate(const struct bawn_policy *p, const struct bawn_allocate_in *in,
                                  struct bawn_limits *out, bool *out_full, json_t **out_reasons, struct bawn_err *err);
