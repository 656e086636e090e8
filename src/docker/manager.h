/* manager.h - the launcher program of the docker backend: one per run, one epoll loop.
 *
 *	client --wire--> manager --HTTP--> engine: image, create, inspect, attach, start, inspect | kill, remove
 *	          ^         |
 *	          +---------+--tunnel over the attached streams--> inside.c, PID 1 of the container
 *
 *	FRESH --PREPARE--> WAITING --PREPARED--> READY --START--> RUNNING --OUTCOME--> ENDED
 *
 * Invariants: (1) no byte of the request goes to a container whose every wall was not asked for, seen by inspection and
 * told of by the init from inside; (2) the end of the client's socket, in any state, ends and removes the container;
 * (3) every wait has an end: calls have their time, a silent container is killed, a dead engine's container by its pidfd;
 * (4) how the run ended is the init's word (it holds the program), or, where it died, the engine's; (5) with a network the
 * way by which the port came out is closed before anything of the request goes in.
 * An attacker controls what the container says only by breaking out of the program's walls into PID 1 of it; it is
 * checked like any input all the same. */
#pragma once
#include "docker/container.h"
#include "docker/mux.h"
#include "docker/tunnel.h"
#include "docker/way.h"
#include "sandbox/wire.h"

enum bawn_manager_state { BAWN_MANAGER_FRESH, BAWN_MANAGER_WAITING, BAWN_MANAGER_READY, BAWN_MANAGER_RUNNING, BAWN_MANAGER_ENDED };

struct bawn_manager {
	int      sock, epoll, timer, slot_fd;
	enum bawn_manager_state state;
	char    *frame;                       /* BAWN_IPC_MAX bytes */
	struct bawn_buf spec_bytes;           /* the PREPARE message, which spec borrows from */
	struct bawn_sandbox_spec spec;
	bool     probing;
	struct bawn_moby engine;
	struct bawn_image  image;
	json_t  *config, *vulnerable, *versions;
	char     id[65];                      /* of the container, or "" */
	bool     started;
	int      pid_fd;                      /* of its PID 1, or -1 */
	int      ca;                          /* a copy of whom to believe outside, or -1 */
	struct bawn_way way;
	int      attach; bool watched;
	char    *chunk;                       /* BAWN_TUNNEL_CHUNK bytes, of which `rest` is not split yet and `piece` not read */
	struct bawn_span rest, piece;
	struct bawn_mux mux;
	struct bawn_tunnel in;
	char     said[512]; size_t n_said;    /* the end of what it wrote to stderr */
	struct bawn_buf queue; size_t sent;   /* on its way to the container */
	struct bawn_ipc_msg sending; size_t file; uint64_t at;
	struct bawn_ipc_msg held; bool holding;  /* what the client had no room for */
	struct bawn_buf held_bytes;
	enum bawn_end wanted;                 /* what the end is called if the container does not say */
	bool     up;                          /* the program runs, or ran */
	uint64_t started_us;
	uint64_t found, skipped, brought;     /* of files: how many, how many not, bytes */
};

/* On the way to a container that stands, or out of one. */
BAWN_MUST_CHECK int bawn_manager_build(struct bawn_manager *m, struct bawn_err *err);
void bawn_manager_remove(struct bawn_manager *m);
/* What the engine says of a container whose init is gone; an error where it says nothing. */
BAWN_MUST_CHECK int bawn_manager_post_mortem(struct bawn_manager *m, enum bawn_end *out, struct bawn_err *err);
/* Its PID 1, to be ended by us where the engine does not. */
void bawn_manager_find_pid(struct bawn_manager *m);
/* {id, image, base, runtime, ...} for the result and the record. */
BAWN_MUST_CHECK int bawn_manager_account(struct bawn_manager *m, struct bawn_buf *out, struct bawn_err *err);
