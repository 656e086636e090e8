/* approvals.c - held requests: bound, single use, expiring, first decision wins. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "core/approvals.h"
#include "tap.h"
#include "tmpdir.h"

static struct bawn_audit *log_;
static json_t *me, *assessment, *labels, *limits;

static struct bawn_hold hold_for(const char *sha, uint64_t expires_ms)
{
	return (struct bawn_hold){ .exec = "01ARZ3NDEKTSV4RRFFQ69G5FAV", .request_sha256 = sha, .action = "confirm", .assessment = assessment,
		.limits = limits, .principal = me, .labels = labels, .expires_ms = expires_ms };
}

static int hold(struct bawn_approvals *a, const char *sha, uint64_t expires_ms, char id[static BAWN_ULID_LEN], bool *fresh)
{
	struct bawn_hold h = hold_for(sha, expires_ms);
	uint64_t until;
	return bawn_approval_request(a, &h, id, &until, fresh, NULL);
}

static enum bawn_error use(struct bawn_approvals *a, const char *id, const char *sha)
{
	bawn_auto_json doc = NULL;
	struct bawn_err err = { 0 };
	return bawn_approval_use(a, id, sha, &doc, &err) == 0 ? BAWN_ERROR_NONE : err.type;
}

static enum bawn_error decide(struct bawn_approvals *a, const char *id, bool yes)
{
	bawn_auto_json doc = NULL;
	struct bawn_err err = { 0 };
	struct bawn_verdict v = { yes, "because", BAWN_ASSURANCE_TERMINAL, me };
	return bawn_approval_decide(a, log_, id, &v, &doc, &err) == 0 ? BAWN_ERROR_NONE : err.type;
}

static size_t waiting(struct bawn_approvals *a)
{
	bawn_auto_json list = NULL;
	return bawn_approval_list(a, &list, NULL) == 0 ? json_array_size(list) : 999;
}

static void race(struct bawn_approvals *a, const char *state, const char *sha)
{
	char id[BAWN_ULID_LEN];
	bool fresh;
	int won = 0;
	if (hold(a, sha, 60000, id, &fresh) < 0 || decide(a, id, true) != BAWN_ERROR_NONE)
		return (void)ok(false, "a race is prepared");
	pid_t pid[8];
	for (int i = 0; i < 8; i++) {
		pid[i] = fork();
		if (pid[i] == 0) {
			struct bawn_approvals own;
			_exit(bawn_approvals_open(state, &own, NULL) == 0 && use(&own, id, sha) == BAWN_ERROR_NONE ? 1 : 0);
		}
	}
	for (int i = 0; i < 8; i++) {
		int st;
		waitpid(pid[i], &st, 0);
		won += WIFEXITED(st) && WEXITSTATUS(st) == 1;
	}
	ok(won == 1, "of eight processes that use one approval exactly one succeeds (%d)", won);
}

/* 1 and the id, 0, or the negative type of the error. */
static int answered(struct bawn_approvals *a, const char *sha, char id[static BAWN_ULID_LEN])
{
	struct bawn_err err = { 0 };
	int r = bawn_approval_answered(a, sha, id, &err);
	return r < 0 ? -(int)err.type : r;
}

int main(void)
{
	auto_tmpdir dir = tmpdir_make();
	char audit[100], id[BAWN_ULID_LEN], other[BAWN_ULID_LEN];
	snprintf(audit, sizeof audit, "%s/audit", dir.path);
	me = bawn_principal_json("test");
	assessment = json_pack("{s:s, s:s}", "level", "HIGH", "code_sha256", "00");
	labels = json_object();
	limits = json_object();
	struct bawn_audit_options o = { .node = "here", .max_segment_bytes = 1u << 20 };
	struct bawn_approvals a;
	if (bawn_audit_open(audit, &o, &log_, NULL) < 0 || bawn_approvals_open(dir.path, &a, NULL) < 0)
		return ok(false, "a state directory opens"), done_testing();
	bool fresh;
	ok(hold(&a, "sha-a", 60000, id, &fresh) == 0 && fresh && waiting(&a) == 1, "a held request waits");
	ok(hold(&a, "sha-a", 60000, other, &fresh) == 0 && !fresh && strcmp(id, other) == 0, "asking the same again makes no second one");
	ok(use(&a, id, "sha-a") == BAWN_ERROR_APPROVAL_OPEN, "before the answer it lifts nothing");
	ok(use(&a, "01", "sha-a") != BAWN_ERROR_NONE && decide(&a, "7ZZZZZ", true) == BAWN_ERROR_APPROVAL_UNKNOWN, "an unknown id is an error");
	ok(decide(&a, id, true) == BAWN_ERROR_NONE && waiting(&a) == 0, "approved, it waits no more");
	ok(decide(&a, id, false) == BAWN_ERROR_APPROVAL_USED, "the first decision holds");
	ok(use(&a, id, "sha-b") == BAWN_ERROR_APPROVAL_MISMATCH, "it lifts no other request");
	ok(use(&a, id, "sha-a") == BAWN_ERROR_NONE, "a mismatch consumed nothing: the right request goes through");
	ok(use(&a, id, "sha-a") == BAWN_ERROR_APPROVAL_USED, "once");
	ok(hold(&a, "sha-a", 60000, other, &fresh) == 0 && fresh && strcmp(id, other) != 0, "asked anew, there is a new one");
	ok(answered(&a, "sha-a", id) == 0, "one that was used, and one that waits, answer nothing");
	ok(decide(&a, other, false) == BAWN_ERROR_NONE && use(&a, other, "sha-a") == BAWN_ERROR_APPROVAL_DENIED, "denied is denied");
	ok(answered(&a, "sha-a", id) == -(int)BAWN_ERROR_APPROVAL_DENIED, "and answers the same request so when it is asked again");
	ok(hold(&a, "sha-f", 60000, other, &fresh) == 0 && decide(&a, other, true) == BAWN_ERROR_NONE && answered(&a, "sha-f", id) == 1 && strcmp(id, other) == 0 &&
	   answered(&a, "sha-g", id) == 0, "an approval is found by its request, and by no other");
	ok(hold(&a, "sha-h", 1000, other, &fresh) == 0 && decide(&a, other, false) == BAWN_ERROR_NONE && answered(&a, "sha-h", id) < 0 &&
	   usleep(999000) == 0 && usleep(50000) == 0 && answered(&a, "sha-h", id) == 0, "a denial holds until its time is over");
	ok(hold(&a, "sha-c", 1, id, &fresh) == 0 && usleep(5000) == 0 && waiting(&a) == 0, "after its time it is not pending");
	ok(decide(&a, id, true) == BAWN_ERROR_APPROVAL_EXPIRED, "and cannot be approved");
	ok(hold(&a, "sha-d", 1000, id, &fresh) == 0 && decide(&a, id, true) == BAWN_ERROR_NONE && usleep(999000) == 0 && usleep(50000) == 0 &&
	   use(&a, id, "sha-d") == BAWN_ERROR_APPROVAL_EXPIRED, "nor used when it was approved before");
	race(&a, dir.path, "sha-e");
	bawn_approvals_done(&a);
	log_->ops->close(log_);
	json_decref(me);
	json_decref(assessment);
	json_decref(labels);
	json_decref(limits);
	return done_testing();
}
