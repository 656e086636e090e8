/* install.h - how the packages of a request become the environment of its run (internal to core).
 *
 *	request -> key: packages, interpreter, index -> built before? -----------------------------------> hold
 *	                                                 |no                                               ^
 *	                                                 +-> claim -> an execution of our own program, -> checked, recorded,
 *	                                                     with a network, that installs them           published
 *
 * Invariants: (1) nothing of a package runs where there is a network: wheels are unpacked, scripts are not started;
 * (2) what is not taken whole is not taken; (3) what was installed is in the log before anybody can use it. */
#pragma once
#include "core/envs.h"
#include "core/exec.h"

struct bawn_install;

/* What the packages of a checked request come to; NETWORK_UNAVAILABLE where policy lets nobody fetch any. */
BAWN_MUST_CHECK int bawn_install_want(struct bawn_exec *e, struct bawn_err *err);
/* Findings for names that a person should look at; e->assessment is there. */
BAWN_MUST_CHECK int bawn_install_doubt(struct bawn_exec *e, struct bawn_err *err);
/* The phase: 1 there is an environment or none is needed, 0 wait. */
int bawn_install_step(struct bawn_exec *e, struct bawn_err *err);
void bawn_install_free(struct bawn_install *i);  /* ends what still installs; accepts NULL */

/* {environment, built, language, packages: [..]}, or null; NULL: out of memory. */
json_t *bawn_install_json(const struct bawn_exec *e);
