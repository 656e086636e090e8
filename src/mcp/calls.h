/* calls.h - the tool calls of a session: those that answer at once, and executions on their way.
 *
 * Invariants: (1) an execution belongs to exactly one call, and a call gets one answer; (2) every call opens the
 * state directory anew, so a policy that was tightened holds from the next call on; (3) what is held waits for a
 * person: a client's form is put before somebody only where policy takes the requester's own word, and then it is
 * exactly that, an answer of assurance `self` through the same approval as everybody else's; (4) no call names packages
 * unless a person allowed that when the server was started and policy lists whence they come; what holds for
 * `bawn run --with` then holds here. */
#pragma once
#include <poll.h>
#include <bawn/bawn.h>
#include "mcp/mcp.h"
#include "mcp/session.h"

#define BAWN_MCP_CALLS_MAX 64   /* at a time; the host's own queue is behind them */

struct bawn_mcp_calls;

/* `options` and `gift` are borrowed until bawn_mcp_calls_free. */
BAWN_MUST_CHECK int bawn_mcp_calls_new(const struct bawn_options *options, const struct bawn_mcp_gift *gift, struct bawn_mcp_calls **out, struct bawn_err *err);
void bawn_mcp_calls_free(struct bawn_mcp_calls *all);  /* ends what still runs */
void bawn_mcp_calls_attach(struct bawn_mcp_calls *all, struct bawn_mcp_session *s);

void bawn_mcp_calls_begin(struct bawn_mcp_calls *all, struct bawn_mcp_call *call_stolen);
bool bawn_mcp_calls_busy(const struct bawn_mcp_calls *all, const json_t *id);
void bawn_mcp_calls_cancel(struct bawn_mcp_calls *all, const json_t *id_or_all);
void bawn_mcp_calls_response(struct bawn_mcp_calls *all, const char *id, const json_t *result_or_null);

/* Whether a call may name packages: whoever started the server and the policy of this moment both have to say so.  Else
 * who has not. */
BAWN_MUST_CHECK int bawn_mcp_calls_packages(const struct bawn_mcp_calls *all, struct bawn_err *err);

/* What to poll, at most BAWN_MCP_CALLS_MAX, and how many ms at most (-1: for ever); then what came of it. */
int bawn_mcp_calls_patience(const struct bawn_mcp_calls *all);
size_t bawn_mcp_calls_fds(const struct bawn_mcp_calls *all, struct pollfd *out);
void bawn_mcp_calls_step(struct bawn_mcp_calls *all, const struct pollfd *p, size_t n);
size_t bawn_mcp_calls_open(const struct bawn_mcp_calls *all);
