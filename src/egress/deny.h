/* deny.h - why the proxy says no: the rule's name, what it answers, and what to do instead.
 * One row each; the body of the answer, `denials` of the result and the manual come from here. */
#pragma once
#include <stdint.h>
#include "base/buf.h"

/* X(NAME, "rule", status: 0 where the connection is only cut, hint; %s: what was asked for) */
#define BAWN_DENIES(X) \
	X(REQUEST,     "request",                 400, "the proxy takes CONNECT host:port, and GET or HEAD of http://host, in HTTP/1; nothing else") \
	X(CREDENTIAL,  "credential",              407, "use the proxy as HTTPS_PROXY names it: the run's own credential is part of that address") \
	X(METHOD,      "method",                  405, "plain HTTP is for GET and HEAD only") \
	X(ADDRESS,     "address",                 403, "ask by the name that is in network.whitelist; an address counts only as it is written there") \
	X(WHITELIST,   "network.whitelist",       403, "to allow it, add \"%s\" to network.whitelist in sandbox.yaml; a run with --network dependencies or --with can ask for it once with --allow-host") \
	X(PRIVATE,     "network.allow_private",   403, "the name leads to an address that is not public; if it is yours, list its network in network.allow_private") \
	X(SENT,        "network.max_sent",        403, "the run has sent as much as network.max_sent allows") \
	X(RECEIVED,    "network.max_received",    403, "the run has received as much as network.max_received allows") \
	X(CONNECTIONS, "network.max_connections", 403, "the run has made as many connections as network.max_connections allows") \
	X(NOT_TLS,     "tls",                     0,   "only TLS goes to this host; plain HTTP needs a row http://host:port and a plain GET") \
	X(SERVER_NAME, "server_name",             0,   "the name in the TLS greeting must be the one the proxy was asked for") \
	X(ECH,         "encrypted_hello",         0,   "an encrypted TLS greeting hides whom it is for; turn it off (ECH)") \
	X(HEAD_TIME,   "network.head_timeout",    408, "the request was not complete in time") \
	X(IDLE,        "network.idle_timeout",    0,   "nothing came or went for too long")

#define BAWN_X_DENY(name, rule, status, hint) BAWN_DENY_##name,
enum bawn_deny { BAWN_DENIES(BAWN_X_DENY) BAWN_DENY_COUNT };
#undef BAWN_X_DENY
extern const struct bawn_deny_row { const char *rule; unsigned status; const char *hint; } bawn_deny[BAWN_DENY_COUNT];

#define BAWN_DENY_OTHERS "others"  /* what a rule refused when there were too many to be named */
/* The hint with `what` (host:port) in its place, as a row of the whitelist; no quotation mark or control character of it comes through. */
void bawn_deny_hint(struct bawn_buf *out, enum bawn_deny why, const char *what);
