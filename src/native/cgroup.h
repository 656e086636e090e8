/* cgroup.h - the resource limits of one run: directory `bawn/run-PID-RANDOM`, by the launcher's pid, in
 * whatever hierarchies hold the memory, cpu, cpuacct and pids controllers (v1, v2, or both at once).
 *
 * Invariants: (1) all four stand or none: a controller that cannot be had is a failure with its
 * reason; (2) what was written is read back; (3) whoever uses a directory holds a lock (flock) on it, and
 * nobody but its owner can open it: one without is a dead run's, and a sweep takes it away;
 * (4) joining costs microseconds: v1 by writing "0" to `tasks` (moving oneself takes no global lock;
 * cgroup.procs costs a 9 ms grace period after idle), v2 by CLONE_INTO_CGROUP. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/err.h"
#include "base/span.h"
#include "policy/limits.h"

#define BAWN_CGROUP_PARENT "bawn"  /* below the mount's root; on v2 without root below the caller's own cgroup */

enum bawn_ctl { BAWN_CTL_MEMORY, BAWN_CTL_CPU, BAWN_CTL_CPUACCT, BAWN_CTL_PIDS, BAWN_CTL_COUNT };

struct bawn_hierarchy { char mount[256]; bool v2; int fd, tasks; };  /* what BAWN_CGROUP_PARENT is in; the run's directory and its `tasks`, or -1 */
struct bawn_cgroups {
	struct bawn_hierarchy at[BAWN_CTL_COUNT];
	size_t   n;
	int      of[BAWN_CTL_COUNT];   /* index into `at`, -1 where no hierarchy has the controller */
	char     name[64];             /* of the run's directory */
	bool     made, up;             /* the directories are there; and limit what is in them */
	/* What was counted before the run began and is none of its: in a container its start, and our init. */
	uint64_t cpu_before_us, tasks_before;
};
struct bawn_counters {
	uint64_t cpu_us, memory_bytes, peak_memory_bytes, pids, peak_pids, oom_kills, pids_refused;
	bool     has_peak_pids;
};

/* Reads where the controllers are from the text of /proc/self/mountinfo; `controllers` tells what a
 * v2 mount offers (the content of its cgroup.controllers).  Split from find for the tests. */
void bawn_cgroups_parse(struct bawn_cgroups *cg, struct bawn_span mountinfo,
                        void (*controllers)(const char *mount, char *out, size_t size));
BAWN_MUST_CHECK int bawn_cgroups_find(struct bawn_cgroups *cg, struct bawn_err *err);

/* The directories, then what they are for: `up` after both. */
BAWN_MUST_CHECK int bawn_cgroups_make(struct bawn_cgroups *cg, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_cgroups_limit(struct bawn_cgroups *cg, const struct bawn_limits *limits, struct bawn_err *err);
/* Beside others the run now gets a quarter of what one that begins gets; alone, all it may use as before. */
void bawn_cgroups_give_way(const struct bawn_cgroups *cg);
/* Moves the calling process into the v1 directories, with the rights of who made them; a v2 one is
 * joined by clone3 with this fd (or -1). */
BAWN_MUST_CHECK int bawn_cgroups_enter(const struct bawn_cgroups *cg, struct bawn_err *err);
int bawn_cgroups_v2_fd(const struct bawn_cgroups *cg);
BAWN_MUST_CHECK int bawn_cgroups_confirm(const struct bawn_cgroups *cg, pid_t pid, struct bawn_err *err);
/* In a container: the directories are the engine's, and their roots are what is seen.  Fails where a limit is missing
 * or higher than it must be; `ours`: tasks that are not the run's. */
BAWN_MUST_CHECK int bawn_cgroups_adopt(struct bawn_cgroups *cg, const struct bawn_limits *limits, uint64_t ours, struct bawn_err *err);
void bawn_cgroups_read(const struct bawn_cgroups *cg, struct bawn_counters *out);
/* Kills what is left, removes the run's directories and the parent if it is ours and empty. */
void bawn_cgroups_remove(struct bawn_cgroups *cg);
/* Removes what dead runs left; how many they were. */
unsigned bawn_cgroups_sweep(struct bawn_cgroups *cg);
