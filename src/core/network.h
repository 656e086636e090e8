/* network.h - what a run with a network may reach, how its programs find the way, and what became of it.
 *
 * A plan is made once, from the policy that the request is held to, and never changes: rows of the whitelist with the
 * presets resolved, the variables of the run, a secret.  A policy that is changed meanwhile is the next run's. */
#pragma once
#include "base/json.h"
#include "core/request.h"
#include "egress/egress.h"
#include "egress/presets.h"
#include "policy/policy.h"
#include "sandbox/sandbox.h"

struct bawn_plan {
	struct bawn_strings rule;    /* rows, as the proxy takes them */
	struct bawn_strings env;     /* "NAME=VALUE" */
	char  *file[BAWN_NET_FILE_COUNT];  /* the same for who has no variables: sandbox/sandbox.h */
	size_t n_index;              /* of these, the first: what the host's own pip and npm are configured with */
	bool   stripped;             /* an index of the host has a user or a password, which the code is not given */
	char   ca_file[256];         /* on the host; "": there is none */
	char   credential[BAWN_EGRESS_CREDENTIAL + 1];
};

/* `ca_inside`: where the backend puts the authorities.  NETWORK_UNAVAILABLE where there is nothing to reach, or a preset
 * cannot be resolved. */
BAWN_MUST_CHECK int bawn_plan_make(const struct bawn_policy *p, const struct bawn_checked *c, const char *ca_inside, struct bawn_plan **out, struct bawn_err *err);
void bawn_plan_free(struct bawn_plan *plan);  /* accepts NULL */

/* What a run is held to on its network; an install has caps of its own. */
struct bawn_net_limits bawn_plan_limits(const struct bawn_policy *p, bool installs);
/* {hosts: [..], asked: [..], sent_bytes, ..}: what it may, and what of it policy does not list.  Without a plan: null, or
 * {asked: [..]} where its packages may come from what policy does not list.  NULL: out of memory. */
json_t *bawn_plan_json(const struct bawn_plan *plan, const struct bawn_checked *c, const struct bawn_net_limits *l);
/* {whitelist: [..], allow_private: [..]}: what policy itself lets runs reach, presets resolved; NULL: out of memory. */
json_t *bawn_plan_policy_json(const struct bawn_plan *plan, const struct bawn_checked *c, const struct bawn_policy *p);
/* [{host, scheme, connections, failed, sent_bytes, received_bytes}]: what it did. */
json_t *bawn_account_json(const struct bawn_egress_account *a);
