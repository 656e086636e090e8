/* egress.h - the way out of a run that has a network, as the library sees it: it posix_spawns libexec/bawn/egress (one
 * per run) and speaks egress/wire.h to it.
 *
 *   open -> ready(port) -> ... -> stop
 *
 * Fails closed: before `ready` has returned 0 nobody listens at the sandbox's port; when the proxy is gone nobody does
 * any more, and `look` says so. */
#pragma once
#include "egress/wire.h"

struct bawn_egress;

struct bawn_egress_spec {
	const char *const *rule; size_t n_rules;   /* rows of the whitelist, presets resolved */
	const char *const *private_; size_t n_private;
	struct bawn_net_limits limits;
	const char *credential;                    /* as it stands in a request, see BAWN_EGRESS_CREDENTIAL */
	uint64_t    uid;                           /* of the proxy (as root); 0: rootless */
	uint64_t    run_ms;                        /* the run's time: nobody who works for it may compute for longer */
};

/* Starts it, and does not wait. */
BAWN_MUST_CHECK int bawn_egress_open(const char *program, struct bawn_egress **out, struct bawn_err *err);
/* Hands over the sandbox's listening socket (taken) and waits until somebody is there. */
BAWN_MUST_CHECK int bawn_egress_ready(struct bawn_egress *e, const struct bawn_egress_spec *spec, int port_taken, struct bawn_err *err);
int bawn_egress_fd(const struct bawn_egress *e);  /* readable when it is gone */
/* 0: it lives; NETWORK_LOST: it is gone, and what the run did is not known. */
BAWN_MUST_CHECK int bawn_egress_look(struct bawn_egress *e, struct bawn_err *err);

struct bawn_egress_account {
	struct bawn_egress_host   *host;   size_t n_hosts;
	struct bawn_egress_denied *denied; size_t n_denied;
};
/* Ends it and takes its account; NETWORK_LOST where there is none. */
BAWN_MUST_CHECK int bawn_egress_stop(struct bawn_egress *e, struct bawn_egress_account *out, struct bawn_err *err);
void bawn_egress_account_done(struct bawn_egress_account *a);
void bawn_egress_free(struct bawn_egress *e);  /* cuts what is open; accepts NULL */
