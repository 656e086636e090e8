/* child.h - a helper program of ours: spawned, spoken to over a socket, ended by hanging up.
 *
 * Invariants: (1) the host is never forked: posix_spawn; (2) only our own child is reaped, by its pid,
 * and a host that reaps everything or ignores SIGCHLD does not confuse us (ECHILD means gone);
 * (3) every descriptor is close-on-exec, and a host that forks without exec does not keep the helper
 * waiting; (4) it gets no environment, no standard streams and a session of its own. */
#pragma once
#include <stdbool.h>
#include <sys/types.h>
#include "base/err.h"

#define BAWN_CHILD_SOCKET 3   /* the helper's end */

struct bawn_child { int sock, pidfd; pid_t pid; };
#define BAWN_CHILD ((struct bawn_child){ -1, -1, 0 })

/* `path` is what is run, under `name`. */
BAWN_MUST_CHECK int bawn_child_open(struct bawn_child *c, const char *path, const char *name, struct bawn_err *err);
/* Nothing more is said; the helper tidies up and ends while we go on.  The descriptor stays ours until the end: who watches
 * it can still say that they no longer do. */
void bawn_child_hang_up(struct bawn_child *c);
/* Hangs up and waits; killed after `patience_ms`: false.  Accepts one that was never opened. */
bool bawn_child_done(struct bawn_child *c, int patience_ms);
