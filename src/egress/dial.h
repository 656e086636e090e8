/* dial.h - the half of the proxy that makes connections and reads nothing that comes from the sandbox.
 *
 *	proxy --{ticket, row}--> dialler --fork--> child: resolve, check every address, connect
 *	  ^                                          |
 *	  +------------- {ticket, how} [socket] -----+
 *
 * The proxy parses what unread code sends and can make no socket of its own; the dialler knows the rules and takes
 * the number of a row, nothing else.  So whoever takes over the proxy can still reach only what policy allows.
 *
 * Invariants: (1) only names of rows are resolved, once per connection, by the host's own resolver; (2) one address
 * among the answers that may not be dialled refuses the name; (3) what is dialled is the address that was checked.
 * An attacker controls what names resolve to. */
#pragma once
#include "egress/address.h"
#include "egress/rules.h"
#include "ipc/child.h"
#include "ipc/ipc.h"
#include "policy/limits.h"

enum bawn_dial { BAWN_DIAL_CONNECTED, BAWN_DIAL_PRIVATE, BAWN_DIAL_UNKNOWN, BAWN_DIAL_UNREACHED, BAWN_DIAL_COUNT };
struct bawn_dialled { uint32_t ticket; enum bawn_dial how; char detail[160]; int fd; };  /* fd: -1 unless connected; the caller's */

/* Forks the dialler, whose pid is returned; *out_sock leads to it.  Its end means: nobody is dialled any more. */
BAWN_MUST_CHECK int bawn_dial_start(const struct bawn_rules *rules, const struct bawn_networks *except,
                                    const struct bawn_net_limits *limits, int *out_sock, struct bawn_err *err);
/* Ends it and all who dial, and waits: not every host has somebody who buries orphans. */
void bawn_dial_stop(int pid, int sock);
BAWN_MUST_CHECK int bawn_dial_ask(int sock, uint32_t ticket, uint32_t row, struct bawn_err *err);
/* 1: *out is filled; 0: nothing now; negative: the dialler is gone. */
int bawn_dial_answer(int sock, char *frame, struct bawn_dialled *out, struct bawn_err *err);
