/* reserve.h - room on the disk that nobody else can take: the file `reserve` in the log's directory.
 *
 * Nothing is begun (exec.intent) unless it is there.  When the disk is full and something ends
 * (exec.outcome), it is given up, and the end is recorded after a log.disk_full. */
#pragma once
#include <stdint.h>
#include "base/err.h"

/* Makes it, or what is missing of it: 0, -ENOSPC, or -EOPNOTSUPP where that cannot be done here. */
BAWN_MUST_CHECK int bawn_reserve_make(int dirfd, uint64_t bytes);
/* Gives it up; -ENOENT where it was given up already. */
BAWN_MUST_CHECK int bawn_reserve_release(int dirfd);
