/* host.h - facts about the machine that limits depend on.  `root` is "" in production; tests point
 * it at a directory that plays /proc and /sys. */
#pragma once
#include <stdint.h>
#include "base/err.h"

struct bawn_host {
	uint64_t cpus_milli;        /* CPUs this process may use, in thousandths */
	uint64_t memory_total;
	uint64_t memory_available;  /* the smaller of the host's and the own cgroup's, all ancestors included */
};
BAWN_MUST_CHECK int bawn_host_read(const char *root, struct bawn_host *out, struct bawn_err *err);
