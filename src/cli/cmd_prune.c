/* cmd_prune.c - bawn audit prune: the oldest part of the log goes into a file. */
#include "cli/commands.h"
#include <inttypes.h>
#include <unistd.h>
#include "base/clock.h"
#include "cli/log.h"
#include "core/request.h"

int bawn_cli_find_log(const struct bawn_cli *c, struct bawn_cli_log *out, struct bawn_err *err)
{
	struct bawn_options o = bawn_cli_options(c);
	(void)gethostname(out->node, sizeof out->node - 1);
	int r = bawn_dirs_find(&o, &out->dirs, err);
	if (r == 0)
		r = bawn_policy_load(&out->dirs.policy, &out->policy, NULL, err);
	return r == 0 ? bawn_log_options(&out->dirs, out->policy, out->node, &out->options, err) : r;
}

void bawn_cli_log_done(struct bawn_cli_log *l) { bawn_policy_free(l->policy); }

struct prune_opts { uint64_t keep, before; const char *export; };

static const struct bawn_opt prune_rows[] = {
	BAWN_CLI_OPT(struct prune_opts, 0, "keep", DURATION, keep, "DURATION", NULL, "entries younger than this stay (retention.period_days)"),
	BAWN_CLI_OPT(struct prune_opts, 0, "before", WHEN, before, "TIME", NULL, "entries from then on stay"),
	BAWN_CLI_OPT(struct prune_opts, 'o', "output", TEXT, export, "FILE", NULL, "where what goes is kept: a new file"),
};

#define DAY_US (86400ull * 1000000u)

/* What is asked, but nothing that policy says must stay. */
static int prune_before(const struct prune_opts *o, const struct bawn_policy *p, uint64_t *out_us, struct bawn_err *err)
{
	const uint64_t now = bawn_wall_us(), least = p->retention_days * DAY_US;
	if (o->keep > 0 && o->before > 0)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "keep", "--keep and --before say the same thing: give one of them");
	const uint64_t keep = o->before > 0 ? (now > o->before ? now - o->before : 0) : o->keep > 0 ? o->keep * 1000 : least;
	if (keep < least)
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "keep", "policy keeps the log for %" PRIu64 " days (audit.yaml: retention.period_days)", p->retention_days);
	*out_us = now > keep ? now - keep : 0;
	return 0;
}

static int say(const struct bawn_cli *c, const struct bawn_pruned *p, const char *file)
{
	char until[BAWN_RFC3339_LEN];
	bawn_rfc3339(p->keep_until_us, until);
	if (c->common.json) {
		bawn_auto_json doc = p->cut == 0 ? json_pack("{s:i, s:i, s:n, s:n}", "entries", 0, "bytes", 0, "seq", "export")
			: json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:s}", "from", (json_int_t)p->from, "cut", (json_int_t)p->cut,
			            "entries", (json_int_t)(p->cut - p->from), "segments", (json_int_t)p->segments, "bytes", (json_int_t)p->bytes,
			            "seq", (json_int_t)p->receipt.seq, "sha256", p->sha256, "export", file, "keep_until", until);
		return bawn_cli_print_json(doc, BAWN_EXIT_OK);
	}
	bawn_auto_buf out = BAWN_BUF(8192);
	if (p->cut == 0) {
		bawn_buf_str(&out, "nothing to prune: no whole segment is that old\n");
		return bawn_cli_print(&out, BAWN_EXIT_OK);
	}
	bawn_buf_fmt(&out, "entries %" PRIu64 " to %" PRIu64 " (%" PRIu64 " bytes) are in ", p->from, p->cut - 1, p->bytes);
	bawn_buf_escaped(&out, bawn_span(file));
	bawn_buf_fmt(&out, ", verified, sha256 %s; keep it until %.10s\nentry %" PRIu64 " says so; the log begins at entry %" PRIu64 " now\n",
	             p->sha256, until, p->receipt.seq, p->cut);
	return bawn_cli_print(&out, BAWN_EXIT_OK);
}

static int run_prune(struct bawn_cli *c, const void *opts, int n, char **word)
{
	const struct prune_opts *o = opts;
	struct bawn_err err = { 0 };
	struct bawn_cli_log at = { 0 };
	struct bawn_pruned done = { 0 };
	(void)n, (void)word;
	bawn_auto_json who = bawn_principal_json("cli");
	struct bawn_prune ask = { .export_path = o->export, .principal = who };
	int r = who == NULL ? bawn_fail(&err, -ENOMEM, "prune") :
	        o->export == NULL ? bawn_fail_as(&err, BAWN_ERROR_INVALID_REQUEST, "output", "what goes must be kept somewhere: -o FILE") : bawn_cli_find_log(c, &at, &err);
	if (r == 0) {
		ask.keep_us = at.policy->archive_days * DAY_US;
		r = prune_before(o, at.policy, &ask.before_us, &err);
	}
	if (r == 0)
		r = bawn_audit_prune(at.dirs.audit, &at.options, &ask, &done, &err);
	bawn_cli_log_done(&at);
	return r < 0 ? bawn_cli_fail(c, &err) : say(c, &done, o->export);
}

const struct bawn_cli_command bawn_cmd_audit_prune = {
	.group = "audit", .name = "prune", .synopsis = "[--keep DURATION | --before TIME] -o FILE",
	.summary = "move the oldest part of the log into a file",
	.about = "Takes whole segments that are older than asked, or than retention.period_days, out of the log.  Their\n"
	         "bytes are written to FILE, read back and verified, and an entry log.prune records what went and its\n"
	         "hash, and until when retention.archive_days wants FILE kept; only then are they removed.  What is left\n"
	         "verifies from there on, and every entry of it can still be proved.  Nothing younger than\n"
	         "retention.period_days goes, nor the segment in use.  Kept bodies of code and output stay.",
	.example = "bawn audit prune --keep 90d -o log-2026-q1.jsonl",
	.opts = BAWN_CLI_OPTS(prune_rows), .opts_size = sizeof(struct prune_opts), .run = run_prune,
};
