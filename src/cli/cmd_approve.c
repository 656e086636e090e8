/* cmd_approve.c - bawn approve and bawn deny: a person answers a held request.
 *
 * On a terminal the request is shown and `yes` is asked for: assurance `terminal`.  Without one the
 * answer counts as `self`, which the shipped policy does not accept for approving. */
#include "cli/commands.h"
#include <unistd.h>
#include "audit/audit.h"
#include "base/cleanup.h"
#include "core/api.h"

struct opts { const char *reason; };

static const struct bawn_opt rows[] = {
	BAWN_CLI_OPT(struct opts, 0, "reason", TEXT, reason, "TEXT", NULL, "why, 1 to 500 characters; it is recorded"),
};

/* The pending request with this id or unique prefix, for a person to look at: nobody is asked about what cannot be shown. */
static int find(const struct bawn_cli *c, const char *id, json_t **out, struct bawn_err *err)
{
	struct bawn_result *result = NULL;
	bawn_auto_json list = NULL;
	json_t *found = NULL, *row;
	size_t i, n = 0;
	int r = bawn_approvals_list(c->bawn, &result, err);
	r = r < 0 ? r : bawn_cli_take(result, &list, err);
	if (r < 0)
		return r;
	json_array_foreach(list, i, row)
		if (*id != '\0' && strncasecmp(bawn_cli_text(row, "id"), id, strlen(id)) == 0) {
			found = row;
			n++;
		}
	if (n != 1)
		return bawn_fail_as(err, BAWN_ERROR_APPROVAL_UNKNOWN, "approval", n == 0 ? "no request '%.40s' waits for an answer" : "'%.40s' fits several requests", id);
	*out = json_incref(found);
	return 0;
}

static void put_request(struct bawn_buf *out, const struct bawn_cli *c, const json_t *doc)
{
	static const struct bawn_cli_field field[] = {
		{ "approval", "id", BAWN_CLI_TEXT }, { "level", "level", BAWN_CLI_LEVEL }, { "code", "path", BAWN_CLI_TEXT },
		{ "sha256", "code_sha256", BAWN_CLI_TEXT }, { "asked by", "principal", BAWN_CLI_COUNTS },
		{ "session", "session", BAWN_CLI_TEXT }, { "reason", "asked_reason", BAWN_CLI_TEXT }, { "asks for hosts", "limits.network.asked", BAWN_CLI_LIST },
		{ "expires", "expires_at", BAWN_CLI_TEXT },
	};
	bawn_auto_buf code = BAWN_BUF(BAWN_CLI_CODE_MAX);
	size_t i;
	json_t *f;
	/* Where the log does not keep code, findings are shown without their lines. */
	(void)!bawn_audit_blob_get(bawn_dirs_of(c->bawn)->audit, bawn_cli_text(doc, "code_sha256"), &code, NULL);
	bawn_cli_fields(out, doc, field, BAWN_LEN(field), c->colour_err);
	json_array_foreach(bawn_cli_at(doc, "assessment.findings"), i, f)
		bawn_cli_finding(out, f, bawn_buf_span(&code), c->colour_err);
	bawn_cli_score(out, bawn_cli_at(doc, "assessment"), false);
	bawn_buf_str(out, "bawn: if it runs, it gets: ");
	bawn_cli_limits_sentence(out, bawn_cli_at(doc, "limits"), NULL, 0);
	bawn_buf_char(out, '\n');
}

/* 0 with a reason, or why there is no answer. */
static int ask(const struct bawn_cli *c, const json_t *request, bool approve, const char *given, int tty, char *reason, size_t size, struct bawn_err *err)
{
	bawn_auto_buf text = BAWN_BUF(1u << 20);
	struct bawn_cli_asker asker = { .tty = tty, .signals = -1 };
	put_request(&text, c, request);
	bawn_buf_str(&text, approve ? "Approve it? type yes: " : "Deny it? type yes: ");
	if (bawn_buf_error(&text) == 0 && bawn_cli_ask(&asker, text.p, given, reason, size))
		return 0;
	return bawn_fail_as(err, BAWN_ERROR_APPROVAL_OPEN, NULL, "no answer given: %s is as it was", bawn_cli_text(request, "id"));
}

static int decide(struct bawn_cli *c, const struct opts *o, const char *id, bool approve)
{
	struct bawn_err err = { 0 };
	struct bawn_result *result = NULL;
	bawn_auto_json request = NULL, *doc = NULL;
	char reason[2048] = "";
	bawn_auto_fd tty = bawn_cli_tty(c->common.json);
	if (bawn_cli_open(c, &err) < 0)
		return bawn_cli_fail(c, &err);
	int r = tty < 0 && o->reason == NULL ? bawn_fail_as(&err, BAWN_ERROR_REASON_MISSING, "reason", "an answer needs a reason") : 0;
	if (r == 0 && tty >= 0)
		r = find(c, id, &request, &err);
	if (r == 0 && tty >= 0)
		r = ask(c, request, approve, o->reason, tty, reason, sizeof reason, &err);
	if (r == 0)  /* what was shown, also where its name was cut short */
		r = bawn_approvals_decide(c->bawn, tty >= 0 ? bawn_cli_text(request, "id") : id, approve, tty >= 0 ? reason : o->reason, tty >= 0, &result, &err);
	r = r < 0 ? r : bawn_cli_take(result, &doc, &err);
	if (r < 0)
		return bawn_cli_fail(c, &err);
	if (c->common.json)
		return bawn_cli_print_json(doc, BAWN_EXIT_OK);
	bawn_cli_say("%s %s (assurance %s)", bawn_cli_text(doc, "id"), approve ? "approved" : "denied", bawn_cli_text(doc, "decision.assurance"));
	if (approve)
		bawn_cli_say("it runs once, with: bawn run --approval %s and the very same words", bawn_cli_text(doc, "id"));
	return BAWN_EXIT_OK;
}

static int run_approve(struct bawn_cli *c, const void *opts, int n, char **word)
{
	(void)n;
	return decide(c, opts, word[0], true);
}

static int run_deny(struct bawn_cli *c, const void *opts, int n, char **word)
{
	(void)n;
	return decide(c, opts, word[0], false);
}

#define ABOUT_EXIT "Exit status: 0; 1 when the answer changed nothing (unknown, expired, too little assurance)."
const struct bawn_cli_command bawn_cmd_approve = {
	.name = "approve", .synopsis = "ID --reason TEXT",
	.summary = "let a held request run, once",
	.about = "Approves a held request: exactly that code with those arguments, files and limits may run, once,\n"
	         "until it expires.  On a terminal the request is shown and 'yes' asked for (assurance 'terminal');\n"
	         "without one the answer counts as 'self', which policy has to allow.\n\n" ABOUT_EXIT,
	.example = "bawn approve 01J9ZC --reason 'read it, deletes only its own cache'",
	.opts = BAWN_CLI_OPTS(rows), .opts_size = sizeof(struct opts), .least = 1, .most = 1, .run = run_approve,
};
const struct bawn_cli_command bawn_cmd_deny = {
	.name = "deny", .synopsis = "ID --reason TEXT",
	.summary = "refuse a held request for good",
	.about = "Denies a held request; running it again asks anew.\n\n" ABOUT_EXIT,
	.example = "bawn deny 01J9ZC --reason 'reads the password file'",
	.opts = BAWN_CLI_OPTS(rows), .opts_size = sizeof(struct opts), .least = 1, .most = 1, .run = run_deny,
};
