/* lines.c - any bytes in any pieces: the lines are those that the whole has, one that is too long is told of once, and
 * nothing of it is taken for a line.  The first two bytes say how long a line may be and where the pieces are cut. */
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include "mcp/lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct expected { struct bawn_span rest; size_t max, n; };

static void on_line(void *ctx, struct bawn_span line, bool too_long)
{
	struct expected *e = ctx;
	struct bawn_span want;
	assert(bawn_span_take(&e->rest, '\n', &want));
	assert(too_long == (want.n > e->max));
	assert(too_long ? line.n == 0 : line.n == want.n && (line.n == 0 || memcmp(line.p, want.p, line.n) == 0));
	e->n++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	struct bawn_span all = { (const char *)data + 2, size - 2 }, line;
	struct expected e = { .rest = all, .max = 1 + data[0] };
	struct bawn_mcp_lines l = BAWN_MCP_LINES(e.max);
	uint32_t next = data[1];
	for (size_t at = 0; at < all.n;) {
		next = next * 1103515245u + 12345u;
		size_t n = 1 + (next >> 16) % 97;
		n = n < all.n - at ? n : all.n - at;
		bawn_mcp_lines_add(&l, (struct bawn_span){ all.p + at, n }, on_line, &e);
		assert(l.line.n <= e.max);
		at += n;
	}
	size_t lines = 0;
	while (bawn_span_take(&all, '\n', &line))
		lines++;
	assert(e.n == lines);
	bawn_mcp_lines_done(&l);
	return 0;
}
