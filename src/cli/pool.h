/* pool.h - the same work on many things, side by side, answers in order. */
#pragma once
#include <stddef.h>
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#define BAWN_CLI_JOBS_MAX   64
#define BAWN_CLI_POOL_AHEAD 32  /* answers for each job that may wait for an earlier one; then workers wait, too */
/* --jobs: as many as given (NULL: as there are CPUs to run on), at most BAWN_CLI_JOBS_MAX. */
BAWN_MUST_CHECK int bawn_cli_jobs(const char *given, size_t *out, struct bawn_err *err);

struct bawn_cli_pool {
	size_t   n, jobs;      /* at most BAWN_CLI_JOBS_MAX at a time */
	unsigned timeout_ms;   /* for one thing */
	void    *ctx;
	/* In a worker, a process of its own: appends the answer; negative: cannot. */
	int    (*work)(void *ctx, size_t i, struct bawn_buf *out);
	/* Here, for each i in order.  `status` is 0, what work returned, -ECHILD where the worker died or
	 * -ETIMEDOUT where it had to be ended.  Anything but 0 ends the whole and is returned. */
	int    (*take)(void *ctx, size_t i, int status, struct bawn_span answer);
	void   (*progress)(void *ctx, size_t done);  /* now and then; may be NULL */
};
BAWN_MUST_CHECK int bawn_cli_pool(const struct bawn_cli_pool *p);
