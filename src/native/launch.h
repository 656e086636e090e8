/* launch.h - the launcher program: one per run, one epoll loop; a second thread only for a moment (net.c).
 *
 *	FRESH --PREPARE--> READY --START--> RUNNING --(program ends, limit, kill)--> ENDED --COLLECT--> ENDED
 *
 * Invariants: (1) the end of the client's socket, in any state, kills everything and ends the
 * launcher; (2) nothing inside is alive when OUTCOME is sent; (3) a slow client makes the program
 * wait, never the launcher: timers and the socket are always looked at; (4) how the run ended comes
 * from the kernel (wait status, counters) and from what the launcher itself did, in that order of
 * knowledge: our own kill first, then the OOM killer, then the wait status. */
#pragma once
#include "base/hash.h"
#include "native/box.h"

enum bawn_launch_state { BAWN_LAUNCH_FRESH, BAWN_LAUNCH_READY, BAWN_LAUNCH_RUNNING, BAWN_LAUNCH_ENDED };

#define BAWN_SYSCALLS 512

/* What the run has done so far. */
struct bawn_watch {
	int      wall, sample, calm;           /* timerfds */
	bool     resting[3];                   /* by stream: read again when `calm` fires */
	size_t   last_read;                    /* bytes */
	uint64_t started_us, ended_us;
	uint64_t seen[3];                      /* bytes of output by stream */
	bool     cut[3];
	bool     decided;                      /* `end` is ours: we killed */
	enum bawn_end end;
	uint64_t threshold, actual;
	struct bawn_usage usage;
	struct bawn_counters last;
	bool     disk_full, inodes_full;       /* a sample found no room */
	uint64_t files;                        /* the most open files a sample found in the program itself */
	int      sockstat;                     /* the network namespace's count of sockets; -1: it has none of its own */
	uint64_t sockets;                      /* the most a sample found */
	uint64_t locks;                        /* the most file locks a look found */
	uint64_t locks_cpu_us;                 /* CPU time at the last look */
	bool     gave_way;                     /* to runs that begin */
	uint32_t denied[BAWN_SYSCALLS + 1];    /* by number; the last: all others */
	uint64_t notified;
};

struct bawn_input_sum { char *name; uint8_t sha256[BAWN_SHA256_LEN]; };

struct bawn_launcher {
	int      sock, epoll;
	enum bawn_launch_state state;
	char    *frame;                        /* BAWN_IPC_MAX bytes */
	char    *chunk;                        /* BAWN_WIRE_CHUNK bytes */
	struct bawn_buf spec;                  /* the PREPARE message, which box.spec borrows from */
	struct bawn_buf args, env, pending;    /* pending: output the client had no room for */
	struct bawn_input_sum *input; size_t n_inputs;
	struct bawn_box box;
	struct bawn_watch w;
};

enum bawn_tag { BAWN_TAG_SOCK, BAWN_TAG_OUT, BAWN_TAG_ERR, BAWN_TAG_PROGRAM, BAWN_TAG_INIT, BAWN_TAG_WALL, BAWN_TAG_SAMPLE, BAWN_TAG_CALM, BAWN_TAG_NOTIFY };

/* `sock`: the client's socket.  The box is empty then, and may be begun before it runs. */
BAWN_MUST_CHECK int bawn_launch_init(struct bawn_launcher *l, int sock);
int bawn_launch_run(struct bawn_launcher *l);  /* until the client is gone; the exit status */
BAWN_MUST_CHECK int bawn_watch_sockets(struct bawn_launcher *l, struct bawn_err *err);  /* of a box that is built */
BAWN_MUST_CHECK int bawn_watch_start(struct bawn_launcher *l, struct bawn_err *err);
/* One event of the running program.  -EPIPE: the client is gone. */
BAWN_MUST_CHECK int bawn_watch_event(struct bawn_launcher *l, enum bawn_tag tag, uint32_t events, struct bawn_err *err);
/* Ends the run (for `end`, unless it ended by itself) and reports it. */
BAWN_MUST_CHECK int bawn_watch_end(struct bawn_launcher *l, enum bawn_end end, uint64_t threshold, uint64_t actual, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_collect(struct bawn_launcher *l, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_sum_fd(int fd, uint64_t *out_size, uint8_t out[static BAWN_SHA256_LEN], struct bawn_err *err);
