/* mcp.h - a Model Context Protocol server on standard input and output: the agent's door to the flow. */
#pragma once
#include <bawn/bawn.h>
#include "base/err.h"

/* environment: packages for code in their language (`bawn env build`), or NULL.  Serves until `in` ends or SIGTERM, SIGINT or SIGHUP comes; what runs then is ended and recorded.  One thread, one
 * poll loop; nothing but messages is written to `out`. */
BAWN_MUST_CHECK int bawn_mcp_serve(const struct bawn_options *options, const char *environment, int in, int out, struct bawn_err *err);
