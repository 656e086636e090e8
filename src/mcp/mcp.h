/* mcp.h - a Model Context Protocol server on standard input and output: the agent's door to the flow. */
#pragma once
#include <bawn/bawn.h>
#include <stdbool.h>
#include "base/err.h"

/* What whoever starts a server gives the code of its agents; one or the other. */
struct bawn_mcp_gift {
	const char *environment;  /* packages that are there (`bawn env build`), for code in their language; NULL: none */
	bool        packages;     /* a call may name some, where policy lists whence they come */
};

/* Serves until `in` ends or SIGTERM, SIGINT or SIGHUP comes; what runs then is ended and recorded.  One thread, one
 * poll loop; nothing but messages is written to `out`. */
BAWN_MUST_CHECK int bawn_mcp_serve(const struct bawn_options *options, const struct bawn_mcp_gift *gift, int in, int out, struct bawn_err *err);
