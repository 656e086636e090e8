/* lines.h - bytes as they come become lines, whatever pieces they come in.  Pure; the bytes are the client's, and what is
 * kept of them is bounded by one line. */
#pragma once
#include "base/buf.h"
#include "base/span.h"

struct bawn_mcp_lines {
	struct bawn_buf line;
	bool skipping;             /* the rest of a line that is too long */
};
#define BAWN_MCP_LINES(max) ((struct bawn_mcp_lines){ .line = BAWN_BUF(max) })

/* One line without its newline, in order; or one that was longer than `max` and is gone. */
typedef void bawn_mcp_line_fn(void *ctx, struct bawn_span line, bool too_long);
void bawn_mcp_lines_add(struct bawn_mcp_lines *l, struct bawn_span piece, bawn_mcp_line_fn *fn, void *ctx);
void bawn_mcp_lines_done(struct bawn_mcp_lines *l);
