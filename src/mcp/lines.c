#include "mcp/lines.h"

static void add(struct bawn_mcp_lines *l, struct bawn_span part)
{
	if (l->skipping)
		return;
	bawn_buf_add(&l->line, part.p, part.n);
	if (bawn_buf_error(&l->line) == 0)
		return;
	size_t max = l->line.max;
	bawn_buf_done(&l->line);
	*l = BAWN_MCP_LINES(max);
	l->skipping = true;
}

void bawn_mcp_lines_add(struct bawn_mcp_lines *l, struct bawn_span piece, bawn_mcp_line_fn *fn, void *ctx)
{
	struct bawn_span line;
	while (bawn_span_take(&piece, '\n', &line)) {
		add(l, line);
		bool too_long = l->skipping;
		l->skipping = false;
		fn(ctx, too_long ? (struct bawn_span){ "", 0 } : bawn_buf_span(&l->line), too_long);
		bawn_buf_reset(&l->line);
	}
	add(l, piece);
}

void bawn_mcp_lines_done(struct bawn_mcp_lines *l) { bawn_buf_done(&l->line); }
