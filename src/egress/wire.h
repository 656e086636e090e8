/* wire.h - what core and the proxy say to each other.
 *
 *	core                            egress
 *	RULE text .. PRIVATE text ..  ->
 *	START spec [port]             ->
 *	                              <-  READY | FAILED err
 *	STOP                          ->
 *	                              <-  HOST .. DENIED .. DONE
 * The end of the socket, at any time, means: every connection is cut, exit. */
#pragma once
#include "egress/deny.h"
#include "ipc/child.h"
#include "ipc/ipc.h"
#include "policy/limits.h"

enum bawn_egress_wire {
	BAWN_EGRESS_RULE = 1, BAWN_EGRESS_PRIVATE, BAWN_EGRESS_START, BAWN_EGRESS_STOP,
	BAWN_EGRESS_READY = 32, BAWN_EGRESS_FAILED, BAWN_EGRESS_HOST, BAWN_EGRESS_DENIED, BAWN_EGRESS_DONE,
};

#define BAWN_EGRESS_TEXT 300u        /* a host with its port, a row */
#define BAWN_EGRESS_CREDENTIAL 64u   /* as it stands in a request: base64 of NAME:SECRET */

struct bawn_egress_start { struct bawn_net_limits limits; const char *credential; uint64_t uid, cpu_s; };  /* cpu_s: of the proxy and of who dials, each */
void bawn_egress_put_start(struct bawn_buf *b, const struct bawn_egress_start *s);
void bawn_egress_get_start(struct bawn_ipc_in *in, struct bawn_egress_start *out);

/* What went to and came from one row of the whitelist. */
struct bawn_egress_host { char host[BAWN_EGRESS_TEXT]; bool plain; uint64_t connections, failed, sent_bytes, received_bytes; };
void bawn_egress_put_host(struct bawn_buf *b, const struct bawn_egress_host *h);
void bawn_egress_get_host(struct bawn_ipc_in *in, struct bawn_egress_host *out);

/* One thing that was refused.  Threshold and actual for what is a limit, else 0. */
struct bawn_egress_denied { enum bawn_deny why; char what[BAWN_EGRESS_TEXT]; uint64_t count, threshold, actual; };
void bawn_egress_put_denied(struct bawn_buf *b, const struct bawn_egress_denied *d);
void bawn_egress_get_denied(struct bawn_ipc_in *in, struct bawn_egress_denied *out);
