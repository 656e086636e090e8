/* slots.h - how many executions run on this host, and which number is mine.
 *
 * RUN/slots/N is locked (flock) while execution number N is alive: by bawn, by its launcher and by
 * the sandbox's init, so the lock ends only when all three are gone, however they went; or when bawn, having
 * seen the other two end, gives it up: a child that the host forked has the descriptor, too.  RUN/admission
 * is locked for the moment of looking and taking, which makes the count exact.  State directories do
 * not matter: the host is one. */
#pragma once
#include <stdint.h>
#include "base/err.h"

struct bawn_slots { int dir, admission; };

/* Makes RUN (0700) when absent; refuses one that is not ours or open to others. */
BAWN_MUST_CHECK int bawn_slots_open(const char *run_dir, struct bawn_slots *out, struct bawn_err *err);
void bawn_slots_done(struct bawn_slots *s);

/* Number of executions alive now; looked at under the admission lock. */
BAWN_MUST_CHECK int bawn_slots_running(const struct bawn_slots *s, uint64_t *out, struct bawn_err *err);

/* While the admission lock is held nobody else is counted in or out of `running`. */
BAWN_MUST_CHECK int bawn_slots_lock(const struct bawn_slots *s, struct bawn_err *err);
void bawn_slots_unlock(const struct bawn_slots *s);

/* Under the lock: the first free number below `limit`; -EAGAIN when all are taken.  *out_running:
 * the others.  The fd holds the slot. */
BAWN_MUST_CHECK int bawn_slots_take(const struct bawn_slots *s, uint64_t limit, unsigned *out_slot, int *out_fd,
                                    uint64_t *out_running, struct bawn_err *err);

/* Ends the hold on a slot, whoever else may have the descriptor; accepts -1.  *fd becomes -1. */
void bawn_slots_give_up(int *fd);

/* Removes the files of numbers that are long free: every look walks over them. */
void bawn_slots_trim(const struct bawn_slots *s);

/* An fd that becomes readable when some slot may have become free. */
BAWN_MUST_CHECK int bawn_slots_watch(const char *run_dir, int *out_fd, struct bawn_err *err);
