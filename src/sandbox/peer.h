/* peer.h - the half of a backend that lives in the library, whatever the walls are made of: it posix_spawns the
 * backend's launcher (one per run) and speaks sandbox/wire.h to it.  A backend's table takes these functions. */
#pragma once
#include "sandbox/sandbox.h"

int  bawn_peer_open(const char *launcher, struct bawn_sandbox **out, struct bawn_err *err);
/* On a launcher that was opened and asked nothing yet; there is only release after it. */
int  bawn_peer_probe(struct bawn_sandbox *s, const struct bawn_sandbox_spec *spec, struct bawn_probe *out, struct bawn_err *err);
/* Likewise.  `tell` hears now and then of bytes that came and bytes that are known of. */
int  bawn_peer_pull(struct bawn_sandbox *s, const struct bawn_sandbox_spec *spec, bawn_pull_fn *tell, void *ctx, struct bawn_err *err);
int  bawn_peer_prepare(struct bawn_sandbox *s, const struct bawn_sandbox_spec *spec, struct bawn_err *err);
int  bawn_peer_ready(struct bawn_sandbox *s, struct bawn_enforcement *out, struct bawn_err *err);
unsigned bawn_peer_take_swept(struct bawn_sandbox *s);
int  bawn_peer_start(struct bawn_sandbox *s, const struct bawn_sandbox_start *start, struct bawn_err *err);
int  bawn_peer_take_port(struct bawn_sandbox *s);
int  bawn_peer_fd(struct bawn_sandbox *s);
int  bawn_peer_next_event(struct bawn_sandbox *s, struct bawn_sandbox_event *out, struct bawn_err *err);
bool bawn_peer_full(struct bawn_sandbox *s);
int  bawn_peer_kill(struct bawn_sandbox *s);
int  bawn_peer_collect(struct bawn_sandbox *s, const struct bawn_collector *c, struct bawn_err *err);
int  bawn_peer_end(struct bawn_sandbox *s, int patience_ms);
bool bawn_peer_release(struct bawn_sandbox *s);

#define BAWN_PEER_FUNCTIONS \
	.prepare = bawn_peer_prepare, .ready = bawn_peer_ready, .take_swept = bawn_peer_take_swept, .take_port = bawn_peer_take_port, .start = bawn_peer_start, .fd = bawn_peer_fd, .full = bawn_peer_full, \
	.next_event = bawn_peer_next_event, .kill = bawn_peer_kill, .collect = bawn_peer_collect, .end = bawn_peer_end, .release = bawn_peer_release
