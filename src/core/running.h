/* running.h - which executions of this state directory are on their way: STATE/running/ID.
 *
 * The file is locked (flock) by the process that will write the outcome.  A file that can be locked
 * belongs to a dead process: if its intent is in the log and its outcome is not, exec.lost is
 * recorded.  Invariants: (1) the file exists, locked, before the intent is appended; (2) it is
 * unlinked, still locked, after the outcome is durable.
 *
 * It is not synced: that would cost each run a write to the disk.  After a power cut an intent may be there and its
 * file not.  So STATE/running/boot says under which boot of the system the sweep was last made; under another one the
 * newest entries of the log are looked through as well.  The system writes out what is not synced within a minute;
 * files of runs that began earlier are there. */
#pragma once
#include <stdint.h>
#include "audit/audit.h"
#include "base/err.h"

BAWN_MUST_CHECK int bawn_running_mark(const char *state_dir, const char *exec, uint64_t log_from, int *out_fd, struct bawn_err *err);
void bawn_running_clear(const char *state_dir, const char *exec, int fd);

/* *out_lost: how many executions were recorded as lost. */
BAWN_MUST_CHECK int bawn_running_sweep(const char *state_dir, const char *audit_dir, struct bawn_audit *log,
                                       unsigned *out_lost, struct bawn_err *err);
