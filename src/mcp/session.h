/* session.h - one client's side of the protocol: which era, which version, who it says it is; messages in,
 * messages and tool calls out.
 *
 *   legacy  (2025-03-26, 2025-06-18, 2025-11-25)   initialize once; then ping, tools/list, tools/call
 *   modern  (2026-07-28)                           every request names version and capabilities in its _meta
 *
 * Invariants: (1) whatever bytes come in, what goes out are whole messages, and every request gets exactly one
 * answer unless the client cancelled it; (2) a session never runs anything: calls go to its host; (3) nothing a
 * client sends lifts a verdict.  An attacker controls every byte that comes in. */
#pragma once
#include "base/json.h"
#include "base/span.h"

#define BAWN_MCP_LINE_MAX (8u << 20)

struct bawn_mcp_session;
struct bawn_mcp_batch;

/* A tools/call that has a known tool and an object of arguments. */
struct bawn_mcp_call {
	json_t     *id, *token;     /* token: NULL where no progress is wanted */
	const char *tool;           /* a name of the table; borrowed */
	const json_t *schema;       /* of its arguments; borrowed */
	json_t     *args;
	json_t     *responses;      /* modern: answers to what we asked, or NULL */
	json_t     *state;          /* modern: the string that came with them, or NULL */
	bool        modern;
	bool        elicits;        /* the client can put a form before somebody */
	char        client[160];    /* as it calls itself */
	struct bawn_mcp_batch *batch;
};
void bawn_mcp_call_free(struct bawn_mcp_call *c);

struct bawn_mcp_host {
	void *ctx;
	void (*send)(void *ctx, const json_t *message);
	/* Takes it over; it is answered by bawn_mcp_answer, now or later, or dropped. */
	void (*call)(void *ctx, struct bawn_mcp_call *call_stolen);
	bool (*busy)(void *ctx, const json_t *id);              /* a call with this id is on its way */
	void (*cancel)(void *ctx, const json_t *id);
	void (*response)(void *ctx, const char *id, const json_t *result_or_null);
	/* Whether a call may name packages now; NULL: never.  It decides what is listed; what a call then has is the host's to check. */
	bool (*packages)(void *ctx);
};

BAWN_MUST_CHECK int bawn_mcp_session_new(const struct bawn_mcp_host *host, struct bawn_mcp_session **out, struct bawn_err *err);
void bawn_mcp_session_free(struct bawn_mcp_session *s);

/* One line, without its newline. */
void bawn_mcp_session_line(struct bawn_mcp_session *s, struct bawn_span line);
/* A line longer than BAWN_MCP_LINE_MAX was thrown away. */
void bawn_mcp_session_too_long(struct bawn_mcp_session *s);

/* The call's one answer, {content, structuredContent, isError}; NULL: out of memory.  Frees the call. */
void bawn_mcp_answer(struct bawn_mcp_session *s, struct bawn_mcp_call *call_stolen, json_t *result_stolen);
/* Modern era: what is needed first. */
void bawn_mcp_ask_back(struct bawn_mcp_session *s, struct bawn_mcp_call *call_stolen, json_t *requests_stolen, const char *state);
/* No answer: the client cancelled it. */
void bawn_mcp_drop(struct bawn_mcp_session *s, struct bawn_mcp_call *call_stolen);
void bawn_mcp_progress(struct bawn_mcp_session *s, const struct bawn_mcp_call *call, uint64_t n, const char *message);
/* Legacy era: a request of ours; the host's `response` gets what comes back. */
void bawn_mcp_ask(struct bawn_mcp_session *s, const char *id, const char *method, json_t *params_stolen);
/* It is no longer waited for. */
void bawn_mcp_unask(struct bawn_mcp_session *s, const char *id);
