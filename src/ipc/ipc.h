/* ipc.h - framed, typed messages between our own processes over a SOCK_SEQPACKET pair.
 *
 *	frame:  type (u32)  payload           descriptors travel beside it (SCM_RIGHTS)
 *	u32, u64: little-endian               bytes: u32 length, bytes
 *	text:   u32 length, bytes, one NUL (not counted), no NUL inside
 *
 * Invariants: (1) a frame is bounded, one that is cut short is an error, never half a message;
 * (2) fields are pulled from the front of a bounded buffer and a failed pull is sticky: once bad,
 * everything after reads as zero or "" and bawn_ipc_in_end says so; (3) every descriptor received
 * is close-on-exec, and closed where the message is refused; (4) which message may come when is a
 * const table, not code.
 * An attacker controls nothing here, but a peer is never believed: its bytes are checked like any. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define BAWN_IPC_MAX (192u * 1024)  /* a frame with its type; below the default socket buffer */
#define BAWN_IPC_FDS 4

/* Payload out: any bawn_buf; its failure is sticky and found by bawn_ipc_send. */
#define BAWN_IPC_BUF BAWN_BUF(BAWN_IPC_MAX)
void bawn_ipc_put_u32(struct bawn_buf *b, uint32_t v);
void bawn_ipc_put_u64(struct bawn_buf *b, uint64_t v);
void bawn_ipc_put_bytes(struct bawn_buf *b, struct bawn_span bytes);
void bawn_ipc_put_text(struct bawn_buf *b, const char *text);
void bawn_ipc_put_err(struct bawn_buf *b, const struct bawn_err *e);

/* Payload in. */
struct bawn_ipc_in { const char *p; size_t n; bool bad; };
uint32_t         bawn_ipc_get_u32(struct bawn_ipc_in *in);
uint64_t         bawn_ipc_get_u64(struct bawn_ipc_in *in);
uint32_t         bawn_ipc_get_below(struct bawn_ipc_in *in, uint32_t limit);  /* u32 < limit */
struct bawn_span bawn_ipc_get_bytes(struct bawn_ipc_in *in, size_t max);
const char      *bawn_ipc_get_text(struct bawn_ipc_in *in, size_t max);       /* borrowed; never NULL */
void             bawn_ipc_copy_text(struct bawn_ipc_in *in, char *out, size_t size);
void             bawn_ipc_get_err(struct bawn_ipc_in *in, struct bawn_err *out);  /* never a success */
bool             bawn_ipc_in_end(const struct bawn_ipc_in *in);               /* all read, nothing bad */

struct bawn_ipc_msg { uint32_t type; struct bawn_ipc_in in; int fd[BAWN_IPC_FDS]; size_t n_fds; };

/* `flags`: 0 or MSG_DONTWAIT.  -EAGAIN where it would block, -EPIPE where the peer is gone. */
BAWN_MUST_CHECK int bawn_ipc_send(int sock, uint32_t type, const struct bawn_buf *payload_or_null,
                                  const int *fds, size_t n_fds, int flags, struct bawn_err *err);
/* 1: *out is filled, borrowing `buf` (BAWN_IPC_MAX bytes); 0: would block; -EPIPE: the peer is gone.
 * The descriptors are the caller's; bawn_ipc_msg_done closes those still in *out. */
BAWN_MUST_CHECK int bawn_ipc_recv(int sock, char *buf, int flags, struct bawn_ipc_msg *out, struct bawn_err *err);
void bawn_ipc_msg_done(struct bawn_ipc_msg *m);
int  bawn_ipc_take_fd(struct bawn_ipc_msg *m, size_t i);  /* -1 where there is none */

/* Splits one frame; what bawn_ipc_recv does with the bytes, apart for the fuzzer. */
BAWN_MUST_CHECK int bawn_ipc_parse(const char *frame, size_t n, struct bawn_ipc_msg *out, struct bawn_err *err);

/* Who may say what and when: `states` is a mask of 1 << state. */
struct bawn_ipc_rule { uint32_t type; const char *name; size_t max; size_t min_fds, max_fds; uint32_t states; };
BAWN_MUST_CHECK int bawn_ipc_check(const struct bawn_ipc_rule *rule, size_t n, unsigned state,
                                   const struct bawn_ipc_msg *m, size_t *out_row, struct bawn_err *err);
