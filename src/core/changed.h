/* changed.h - changes of policy that nobody made through us: by an editor, or by the host's own pip.
 *
 * STATE has notes of what the log was told last.  Whoever finds something else has it recorded as policy.changed before
 * the first run that goes by it, and only then the note is written.  One that another run wrote meanwhile costs a record more.
 *
 *	policy/PLACE    "HASH\n{KEY: VALUE, ..}": of the policy that is read from these directories.  To name another one is
 *	                a choice and no change: its first note is only kept.  One that is damaged, and all of them gone from
 *	                under a log that knows of runs, is a change from something unknown
 *	network.json    {whitelist, allow_private}, presets resolved; their keys are in no other note */
#pragma once
#include "core/api.h"
#include "core/network.h"

struct bawn_notice {
	char            file[32];  /* in STATE */
	json_t         *body;      /* of the record; NULL: there is nothing to say */
	struct bawn_buf note;      /* empty: the note is as it should be */
};
void bawn_notice_done(struct bawn_notice *n);
#define bawn_auto_notice __attribute__((cleanup(bawn_notice_done))) struct bawn_notice

BAWN_MUST_CHECK int bawn_policy_notice(const struct bawn_dirs *d, const struct bawn_policy *p, struct bawn_notice *out, struct bawn_err *err);
/* `now`: what bawn_plan_policy_json gives. */
BAWN_MUST_CHECK int bawn_network_notice(const struct bawn_dirs *d, const json_t *now, struct bawn_notice *out, struct bawn_err *err);
/* Once it is recorded.  The record is what counts: a note that cannot be kept makes the next run write it again. */
void bawn_notice_keep(const struct bawn_dirs *d, const struct bawn_notice *n);
