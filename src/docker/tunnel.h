/* tunnel.h - sandbox/wire.h through a container's standard input and output, where no descriptor can travel: the
 * bytes of the files go along instead.
 *
 *	u32 type  u32 size  u32 files  payload[size]  then for each file: (u32 n  bytes[n])...  u32 0
 *
 * Invariants: (1) a payload is at most BAWN_IPC_MAX, a chunk BAWN_TUNNEL_CHUNK, the files of one message no more than
 * the reader's `room`; (2) files arrive as sealed memory files.  What comes out of a container is never believed. */
#pragma once
#include "ipc/ipc.h"

#define BAWN_TUNNEL_HEAD  12u
#define BAWN_TUNNEL_CHUNK (64u * 1024)

/* What has come in of a message so far. */
struct bawn_tunnel {
	uint64_t room;               /* bytes of files one message may bring */
	char     head[BAWN_TUNNEL_HEAD];
	size_t   have;               /* of the part that is being read */
	char    *payload;            /* BAWN_IPC_MAX bytes */
	uint32_t type, size, files;
	uint64_t brought;
	uint32_t chunk;              /* bytes still to come of this one */
	int      fd[BAWN_IPC_FDS];
	size_t   n_fds;
	enum { BAWN_TUNNEL_IN_HEAD, BAWN_TUNNEL_IN_PAYLOAD, BAWN_TUNNEL_IN_COUNT, BAWN_TUNNEL_IN_CHUNK } at;
};
BAWN_MUST_CHECK int bawn_tunnel_init(struct bawn_tunnel *t, uint64_t room, struct bawn_err *err);
void bawn_tunnel_done(struct bawn_tunnel *t);

/* Takes from the front of *bytes.  1: a message is whole, in *out, which borrows from `t` and owns its descriptors;
 * 0: all taken, more is needed; negative: nothing that comes can be used any more. */
BAWN_MUST_CHECK int bawn_tunnel_feed(struct bawn_tunnel *t, struct bawn_span *bytes, struct bawn_ipc_msg *out, struct bawn_err *err);

/* After 0: how many bytes are needed at least.  Who reads no more than that leaves what follows the message. */
size_t bawn_tunnel_wants(const struct bawn_tunnel *t);

/* The head and the payload of a message; its files follow, a chunk at a time: 1 while there is more of this one. */
void bawn_tunnel_put(struct bawn_buf *b, uint32_t type, struct bawn_span payload, size_t files);
BAWN_MUST_CHECK int bawn_tunnel_put_chunk(struct bawn_buf *b, int fd, uint64_t *at, struct bawn_err *err);
