/* wire.h - what client and launcher say to each other.
 *
 *	client                          launcher
 *	PREPARE spec [slot fd]      ->
 *	                            <-  SWEPT n (where dead runs had left something)
 *	                            <-  PREPARED enforcement [port] | FAILED err
 *	ARG.. ENV.. FILE [fd]..     ->
 *	START [code, stdin]         ->
 *	                            <-  STARTED | FAILED err
 *	                            <-  OUTPUT, USAGE .. DENIAL .. OBSERVED [fd] OUTCOME
 *	KILL (any time)             ->
 *	COLLECT                     ->
 *	                            <-  FOUND [fd].. SKIPPED.. DONE | FAILED err
 *	PROBE spec                  ->  (instead of PREPARE)
 *	                            <-  PROBED rows
 *	PULL spec                   ->  (likewise, of a backend that has images)
 *	                            <-  PULLING done, of .. DONE | FAILED err
 * The end of the socket, at any time, means: kill everything, clean up, exit. */
#pragma once
#include "ipc/child.h"
#include "ipc/ipc.h"
#include "sandbox/sandbox.h"

enum bawn_wire {
	BAWN_WIRE_PREPARE = 1, BAWN_WIRE_PROBE, BAWN_WIRE_ARG, BAWN_WIRE_ENV, BAWN_WIRE_FILE, BAWN_WIRE_START,
	BAWN_WIRE_KILL, BAWN_WIRE_COLLECT, BAWN_WIRE_PULL,
	BAWN_WIRE_PREPARED = 32, BAWN_WIRE_FAILED, BAWN_WIRE_STARTED, BAWN_WIRE_OUTPUT, BAWN_WIRE_USAGE,
	BAWN_WIRE_DENIAL, BAWN_WIRE_OUTCOME, BAWN_WIRE_FOUND, BAWN_WIRE_SKIPPED, BAWN_WIRE_DONE, BAWN_WIRE_PROBED,
	BAWN_WIRE_OBSERVED, BAWN_WIRE_PULLING, BAWN_WIRE_SWEPT,
};

#define BAWN_WIRE_SOCKET BAWN_CHILD_SOCKET /* the launcher's end */
#define BAWN_WIRE_CHUNK  (32u * 1024)      /* of output in one frame */
#define BAWN_WIRE_STRING (128u * 1024)     /* one argument or variable: the kernel's own MAX_ARG_STRLEN */
#define BAWN_WIRE_PATH   4096u
#define BAWN_WIRE_ID     64u
#define BAWN_WIRE_FILES  1000u             /* a collection tells of, unless the spec says otherwise */
#define BAWN_WIRE_SKIPS  1000u             /* of files that it leaves out; one more says how many more */
#define BAWN_WIRE_CONTAINER (64u * 1024)  /* what a backend tells of a container */
#define BAWN_WIRE_SPEC   (8192u + BAWN_NET_FILE_COUNT * (BAWN_NET_FILE_BYTES + 8))
_Static_assert(BAWN_WIRE_SPEC <= BAWN_IPC_MAX, "a specification is one frame");

/* put appends; get pulls, and leaves the stickiness of `in` to say whether it was good.  Text is
 * borrowed from the message. */
void bawn_wire_put_spec(struct bawn_buf *b, const struct bawn_sandbox_spec *s);
void bawn_wire_get_spec(struct bawn_ipc_in *in, struct bawn_sandbox_spec *out);
void bawn_wire_put_enforcement(struct bawn_buf *b, const struct bawn_enforcement *e);
void bawn_wire_get_enforcement(struct bawn_ipc_in *in, struct bawn_enforcement *out);
void bawn_wire_put_usage(struct bawn_buf *b, const struct bawn_usage *u);
void bawn_wire_get_usage(struct bawn_ipc_in *in, struct bawn_usage *out);
void bawn_wire_put_denial(struct bawn_buf *b, const struct bawn_denial *d);
void bawn_wire_get_denial(struct bawn_ipc_in *in, struct bawn_denial *out);
void bawn_wire_put_outcome(struct bawn_buf *b, const struct bawn_sandbox_event *e);
void bawn_wire_get_outcome(struct bawn_ipc_in *in, struct bawn_sandbox_event *out);
void bawn_wire_put_probe(struct bawn_buf *b, const struct bawn_probe *p);
void bawn_wire_get_probe(struct bawn_ipc_in *in, struct bawn_probe *out);
