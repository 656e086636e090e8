/* log.h - the log of this state directory as its own writers open it: for commands that write to it. */
#pragma once
#include "audit/audit.h"
#include "cli/cli.h"
#include "core/api.h"

struct bawn_cli_log { struct bawn_dirs dirs; struct bawn_policy *policy; char node[65]; struct bawn_audit_options options; };
/* `out` stays where it is: its parts point at one another. */
BAWN_MUST_CHECK int bawn_cli_find_log(const struct bawn_cli *c, struct bawn_cli_log *out, struct bawn_err *err);
void bawn_cli_log_done(struct bawn_cli_log *l);
