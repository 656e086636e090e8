/* caps.h - all capabilities gone from all five sets: the bounding set while there is still a
 * capability to do it with, the others last. */
#pragma once
#include <stdbool.h>
#include <sys/types.h>
#include "base/err.h"
BAWN_MUST_CHECK int bawn_caps_bound(struct bawn_err *err);
/* All three of each, and no other group where `groups`.  For this process alone: libc would do it for all threads of
 * the launcher, of which a clone has none. */
BAWN_MUST_CHECK int bawn_ids_set(uid_t uid, gid_t gid, bool groups, struct bawn_err *err);
/* What was kept over a change of uid takes effect again. */
BAWN_MUST_CHECK int bawn_caps_raise(struct bawn_err *err);
BAWN_MUST_CHECK int bawn_caps_clear(struct bawn_err *err);
