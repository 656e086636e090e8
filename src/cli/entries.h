/* entries.h - log entries for `show` and `audit`: found, chosen and rendered in one place. */
#pragma once
#include "audit/audit.h"
#include "cli/cli.h"

/* The audit directory: of this state, or of the copy (of a state or an audit directory) `given` names. */
BAWN_MUST_CHECK int bawn_cli_log_dir(const struct bawn_cli *c, const char *given, char *out, size_t size, struct bawn_err *err);

/* Which entries are meant: those that meet all that was asked for.  The zero value means all of them. */
struct bawn_cli_pick {
	uint64_t since, until;
	const char *type, *severity, *level, *session;
	struct bawn_opt_list label;
};
/* Rows for the option table of a command whose struct has a bawn_cli_pick `f`. */
#define BAWN_CLI_PICK_ROWS(type_, f) \
	BAWN_CLI_OPT(type_, 0, "since", WHEN, f.since, "WHEN", NULL, "a date, a time (UTC), or how long ago: 2h, 7d"), \
	BAWN_CLI_OPT(type_, 0, "until", WHEN, f.until, "WHEN", NULL, "likewise"), \
	BAWN_CLI_OPT(type_, 0, "type", TEXT, f.type, "TYPE", NULL, "only this type, or a family: exec"), \
	BAWN_CLI_OPT(type_, 0, "level", TEXT, f.level, "LEVEL", "LOW|MEDIUM|HIGH|BLOCKED", "only entries about code of this level"), \
	BAWN_CLI_OPT(type_, 0, "severity", TEXT, f.severity, "SEVERITY", "CRITICAL|HIGH|MEDIUM|LOW|INFO", "only this severity"), \
	BAWN_CLI_OPT(type_, 0, "session", TEXT, f.session, "NAME", NULL, "only this session"), \
	BAWN_CLI_OPT(type_, 0, "label", LIST, f.label, "K[=V]", NULL, "only entries that carry this label; may be given again, all must match")
/* The same as a question to the log (borrows). */
struct bawn_find bawn_cli_find_of(const struct bawn_cli_pick *p);
/* As bawn_audit_find, with the helper of this installation. */
BAWN_MUST_CHECK int bawn_cli_find(const struct bawn_cli *c, const char *dir, const struct bawn_find *what, bawn_entry_fn *entry, void *ctx, struct bawn_err *err);
bool bawn_cli_picked(const struct bawn_cli_pick *p, const struct bawn_entry *e);

/* The entries of one execution (id or unique prefix), oldest first; of those the chosen ones, or all (NULL). */
BAWN_MUST_CHECK int bawn_cli_entries_of(const struct bawn_cli *c, const char *dir, const char *exec, const struct bawn_cli_pick *pick, json_t **out,
                                        struct bawn_err *err);
/* bawn audit show --diff: the code of the execution these entries are of, against the version before it. */
int bawn_cli_show_diff(const struct bawn_cli *c, const char *dir, const json_t *entries);
/* One line an entry; with `full` its other members below it. */
void bawn_cli_put_entry(struct bawn_buf *out, const json_t *entry, bool full);
void bawn_cli_put_entries(struct bawn_buf *out, const json_t *entries, bool full);
