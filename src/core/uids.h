/* uids.h - the host uids that runs get as root must be nobody else's. */
#pragma once
#include <stdint.h>
#include "base/err.h"

/* Fails where a uid of first..first+count-1 belongs to an account in passwd or to a range in subuid.
 * `etc` is "/etc" in production.  NOTE: accounts that only a directory service knows are not seen. */
BAWN_MUST_CHECK int bawn_uids_check(const char *etc, uint64_t first, uint64_t count, struct bawn_err *err);
