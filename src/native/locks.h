/* locks.h - file locks a run holds: kernel memory that no memory limit counts. */
#pragma once
#include <stdint.h>
#include "native/cgroup.h"

#define BAWN_LOCKS_MAX 4096

/* Opening the kernel's list waits for a grace period (milliseconds): not for every sample.
 * How many locks the run holds; 0 while the host has no more than BAWN_LOCKS_MAX. */
uint64_t bawn_locks_held(const struct bawn_cgroups *cg);
