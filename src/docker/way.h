/* way.h - where the way out of a container begins: a Unix socket, the one thing of the host that is bound into it, over
 * which its init hands out the socket that it listens at inside (BAWN_PORT).
 *
 *	RUN/ways/NAME/socket  --bind, read-only-->  BAWN_INSIDE_WAY
 *
 * Invariants: (1) the directory is the caller's alone and locked while whoever made it lives: what nobody locks is a dead
 * run's, and is swept; (2) one connection, one descriptor, seen to be what was asked for, from another network than ours;
 * then nobody listens there any more and its name is gone: what stays in the container refuses whoever calls; (3) nothing
 * here waits: the init has handed it out before it says that it stands.
 * All failures are of type network_unavailable.
 * An attacker controls nothing here: no code is in the container before the way is closed.  What comes is checked all
 * the same. */
#pragma once
#include "base/err.h"

struct bawn_way { int ways, dir, listener; char name[48], socket[512]; };  /* socket: its path, for the engine */
#define BAWN_WAY_NONE { .ways = -1, .dir = -1, .listener = -1 }

/* `slots`: the directory of the lock files, beside which ways are made. */
BAWN_MUST_CHECK int bawn_way_open(struct bawn_way *w, int slots, struct bawn_err *err);
/* What was handed out, non-blocking.  `frame`: BAWN_IPC_MAX bytes.  Closes the way in any case. */
BAWN_MUST_CHECK int bawn_way_take(struct bawn_way *w, char *frame, int *out_port, struct bawn_err *err);
void bawn_way_close(struct bawn_way *w);  /* may be called again */
/* Removes what dead runs left there. */
void bawn_way_sweep(int slots);
