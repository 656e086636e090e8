/* entries.h - log entries for `show` and `audit`, gathered and rendered in one place. */
#pragma once
#include "cli/cli.h"

/* Every entry of one execution (id or unique prefix), oldest first. */
BAWN_MUST_CHECK int bawn_cli_entries_of(const char *dir, const char *exec, json_t **out, struct bawn_err *err);
/* One line an entry; with `full` its other members below it. */
void bawn_cli_put_entries(struct bawn_buf *out, const json_t *entries, bool full);
