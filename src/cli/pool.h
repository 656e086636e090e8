/* pool.h - the same work on many things, side by side, answers in order. */
#pragma once
#include <stddef.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct bawn_cli_pool {
	size_t   n, jobs;
	unsigned timeout_ms;   /* for one thing */
	void    *ctx;
	/* In a worker, a process of its own unless n is 1: appends the answer; negative: cannot. */
	int    (*work)(void *ctx, size_t i, struct bawn_buf *out);
	/* Here, for each i in order.  `status` is 0, what work returned, -ECHILD where the worker died or
	 * -ETIMEDOUT where it had to be ended.  Anything but 0 ends the whole and is returned. */
	int    (*take)(void *ctx, size_t i, int status, struct bawn_span answer);
	void   (*progress)(void *ctx, size_t done);  /* now and then; may be NULL */
};
BAWN_MUST_CHECK int bawn_cli_pool(const struct bawn_cli_pool *p);
