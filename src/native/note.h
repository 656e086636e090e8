/* note.h - the few words between the launcher and the processes it clones: one program image, so a
 * plain struct.  Sent before any untrusted byte is in the sandbox; the socket closes at exec. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/err.h"
#include "policy/limits.h"
#include "sandbox/sandbox.h"

#define BAWN_GUEST_PATH 512

enum bawn_note_kind {
	BAWN_NOTE_FAILED = 1,  /* err says what; the sandbox is not to be used */
	BAWN_NOTE_LACKS,       /* layer could not be put up; err says why */
	BAWN_NOTE_STANDS,      /* init: the tree has all there will be in it */
	BAWN_NOTE_ROOM,        /* init: the door is locked and it has no privilege left; [workspace, code] */
	BAWN_NOTE_JOINED,      /* program: it is inside with init, in its cgroups, under its own uid */
	BAWN_NOTE_GO,          /* launcher: take the next step; at the gate: n_args, n_env, [strings, stdin] */
	BAWN_NOTE_GUEST,       /* launcher: who is to come; to init [the slot's lock, whom to believe outside], to the program [what it may write observations into] [its network] */
	BAWN_NOTE_PORT,        /* program: where the way out begins; [listening socket] */
	BAWN_NOTE_LISTENER,    /* program: whom its refused system calls are told to; [listener] */
	BAWN_NOTE_READY,       /* program: all walls up */
};
/* What those inside have to know of the request, and no more. */
struct bawn_guest {
	uid_t uid; gid_t gid;
	struct bawn_limits limits;
	uint32_t language, without, network;
	bool observe, in_cgroup;  /* in_cgroup: it limits memory and processes */
	char interpreter[BAWN_GUEST_PATH], environment[BAWN_ENV_PATH];
};
struct bawn_note { uint32_t kind; uint32_t layer; uint32_t n_args, n_env; struct bawn_err err; struct bawn_guest guest; };

BAWN_MUST_CHECK int bawn_note_send(int sock, const struct bawn_note *n, const int *fds, size_t n_fds);
/* Waits at most `timeout_ms` (-1: for ever).  fds[0..2) are filled with what came along, else -1.
 * -EPIPE: the other side is gone. */
BAWN_MUST_CHECK int bawn_note_recv(int sock, int timeout_ms, struct bawn_note *out, int fds[static 2]);
