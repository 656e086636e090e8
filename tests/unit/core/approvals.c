/* approvals.c - held requests: bound, single use, expiring, first decision wins. */
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "base/file.h"
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
	struct bawn_verdict v = { yes, "because", BAWN_ASSURANCE_TERMINAL, me, NULL };
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

/* Sets a member, given by its way, of the file of an approval. */
static bool edit(struct bawn_approvals *a, const char *id, const char *inside, const char *key, json_t *value)
{
	char name[64];
	snprintf(name, sizeof name, "%s.json", id);
	bawn_auto_buf text = BAWN_BUF(1u << 20), out = BAWN_BUF(1u << 20);
	bawn_auto_json doc = NULL;
	if (bawn_read_file(a->dir, name, &text, NULL) < 0 || bawn_json_parse(bawn_buf_span(&text), &doc, NULL) < 0)
		return false;
	json_t *at = inside != NULL ? json_object_get(doc, inside) : doc;
	return json_object_set_new(at, key, value) == 0 && bawn_json_put(&out, doc, NULL) == 0 && bawn_replace_file(a->dir, name, bawn_buf_span(&out), 0600, NULL) == 0;
}

static json_t *value_of(struct bawn_approvals *a, const char *id, const char *key)
{
	bawn_auto_json doc = NULL;
	return bawn_approval_get(a, id, &doc, NULL) == 0 ? json_incref(json_object_get(doc, key)) : NULL;
}

/* What the file says and the log does not. */
static void forge(struct bawn_approvals *a)
{
	char id[BAWN_ULID_LEN], other[BAWN_ULID_LEN];
	bool fresh;
	bool made = hold(a, "sha-x", 60000, other, &fresh) == 0 && decide(a, other, true) == BAWN_ERROR_NONE &&
	            hold(a, "sha-y", 60000, id, &fresh) == 0 && edit(a, id, NULL, "decision", json_pack("{s:s, s:O, s:s, s:s, s:s}", "decision", "approved", "by", me,
	            "reason", "x", "at", "2026-01-01T00:00:00.000000Z", "assurance", "terminal")) && edit(a, id, NULL, "state", json_string("approved"));
	struct bawn_err err = { 0 };
	bawn_auto_json doc = NULL;
	ok(made && bawn_approval_use(a, id, "sha-y", &doc, &err) < 0 && err.type == BAWN_ERROR_APPROVAL_UNKNOWN && strstr(err.msg, id) != NULL && strstr(err.msg, "the log does not") != NULL,
	   "a file that somebody wrote lifts nothing, and is named");
	ok(edit(a, id, NULL, "decided_seq", value_of(a, other, "decided_seq")) && edit(a, id, NULL, "decision", value_of(a, other, "decision")) &&
	   use(a, id, "sha-y") == BAWN_ERROR_APPROVAL_UNKNOWN, "nor with the answer to another");
	ok(edit(a, id, NULL, "decided_seq", json_integer(1u << 30)) && use(a, id, "sha-y") == BAWN_ERROR_APPROVAL_UNKNOWN, "nor with an entry that is not there");
	static const struct { const char *name, *inside, *key, *value; } row[] = {
		{ "who gave it", "decision", "by", "somebody" }, { "how sure", "decision", "assurance", "separate" }, { "when", "decision", "at", "2026-01-01T00:00:00.000000Z" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_json was = value_of(a, other, "decision");
		ok(edit(a, other, row[i].inside, row[i].key, json_string(row[i].value)) && use(a, other, "sha-x") == BAWN_ERROR_APPROVAL_UNKNOWN &&
		   edit(a, other, NULL, "decision", json_incref(was)), "an answer is bound to %s", row[i].name);
	}
	bawn_auto_json until = value_of(a, other, "expires_us"), *first = NULL;
	ok(edit(a, other, NULL, "expires_us", json_integer(json_integer_value(until) + 1000000)) && use(a, other, "sha-x") == BAWN_ERROR_APPROVAL_UNKNOWN &&
	   edit(a, other, NULL, "expires_us", json_incref(until)), "and to its time");
	ok(edit(a, other, "decision", "reason", json_string("another")) && bawn_approval_look(a, other, "sha-x", &first, NULL) == 0 &&
	   strcmp(json_string_value(json_object_get(json_object_get(first, "decision"), "reason")), "because") == 0, "the reason is the log's");
	ok(use(a, other, "sha-x") == BAWN_ERROR_NONE, "nothing of that consumed it");
	ok(hold(a, "sha-z", 60000, id, &fresh) == 0 && decide(a, id, false) == BAWN_ERROR_NONE && edit(a, id, NULL, "state", json_string("approved")) &&
	   edit(a, id, "decision", "decision", json_string("approved")) && use(a, id, "sha-z") == BAWN_ERROR_APPROVAL_UNKNOWN, "a no does not become a yes");
}

/* Segments of the log that were begun since, damaged, and pruned. */
static void age(struct bawn_approvals *a, const char *audit, const struct bawn_audit_options *o)
{
	char id[BAWN_ULID_LEN], second[BAWN_ULID_LEN], path[200], export[120];
	bool fresh;
	if (hold(a, "sha-p", 60000, id, &fresh) < 0 || decide(a, id, true) != BAWN_ERROR_NONE || hold(a, "sha-q", 60000, second, &fresh) < 0 || decide(a, second, true) != BAWN_ERROR_NONE)
		return (void)ok(false, "two approvals");
	bawn_auto_json seq = value_of(a, second, "decided_seq");
	for (int i = 0; i < 300; i++) {
		struct bawn_receipt receipt;
		bawn_auto_json body = json_pack("{s:s}", "text", "filler filler filler filler filler filler filler filler filler filler filler filler filler filler");
		if (bawn_audit_put(log_, &(struct bawn_record){ .type = BAWN_RECORD_ALERT, .body = body }, &receipt, NULL) < 0)
			return (void)ok(false, "a long log");
	}
	ok(use(a, id, "sha-p") == BAWN_ERROR_NONE, "the answer is found in an older segment");
	/* One byte of the answer, its own hash unchanged. */
	glob_t found;
	snprintf(path, sizeof path, "%s/seg/*", audit);
	bool done = false;
	if (glob(path, 0, NULL, &found) != 0)
		return (void)ok(false, "the log has segments");
	for (size_t i = 0; i < found.gl_pathc && !done; i++) {
		bawn_auto_buf text = BAWN_BUF(1u << 20);
		char *at;
		if (bawn_read_file(AT_FDCWD, found.gl_pathv[i], &text, NULL) == 0 && (at = memmem(text.p, text.n, second, 26)) != NULL) {
			bawn_auto_fd fd = open(found.gl_pathv[i], O_WRONLY | O_CLOEXEC);
			done = pwrite(fd, at[25] == '0' ? "1" : "0", 1, at - text.p + 25) == 1 && use(a, second, "sha-q") == BAWN_ERROR_AUDIT_TAMPERED && pwrite(fd, at + 25, 1, at - text.p + 25) == 1;
		}
	}
	globfree(&found);
	ok(done, "a damaged entry is no answer");
	struct bawn_pruned pruned = { 0 };
	snprintf(export, sizeof export, "%s/../old", audit);
	struct bawn_prune p = { .before_us = UINT64_MAX, .export_path = export, .principal = me };
	ok(bawn_audit_prune(audit, o, &p, &pruned, NULL) == 0 && pruned.cut > (uint64_t)json_integer_value(seq), "(the log is pruned)");
	ok(use(a, second, "sha-q") == BAWN_ERROR_APPROVAL_EXPIRED, "an answer that was pruned has expired");
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
	struct bawn_audit_options o = { .node = "here", .max_segment_bytes = 64u << 10 };
	struct bawn_approvals a;
	struct bawn_err err = { 0 };
	ok(bawn_approvals_peek(dir.path, &a, &err) == -ENOENT && faccessat(dir.fd, "approvals", F_OK, 0) < 0, "looking makes no directory");
	ok(bawn_approvals_open("/proc/bawn", &a, &err) < 0 && err.type == BAWN_ERROR_STATE_UNWRITABLE, "where none can be made, that is said");
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
	ok(hold(&a, "sha-h", 3000, other, &fresh) == 0 && decide(&a, other, false) == BAWN_ERROR_NONE && answered(&a, "sha-h", id) < 0 &&
	   sleep(3) == 0 && usleep(50000) == 0 && answered(&a, "sha-h", id) == 0, "a denial holds until its time is over");
	ok(hold(&a, "sha-c", 1, id, &fresh) == 0 && usleep(5000) == 0 && waiting(&a) == 0, "after its time it is not pending");
	ok(decide(&a, id, true) == BAWN_ERROR_APPROVAL_EXPIRED, "and cannot be approved");
	ok(hold(&a, "sha-d", 3000, id, &fresh) == 0 && decide(&a, id, true) == BAWN_ERROR_NONE && sleep(3) == 0 && usleep(50000) == 0 &&
	   use(&a, id, "sha-d") == BAWN_ERROR_APPROVAL_EXPIRED, "nor used when it was approved before");
	race(&a, dir.path, "sha-e");
	forge(&a);
	age(&a, audit, &o);
	bawn_approvals_done(&a);
	log_->ops->close(log_);
	json_decref(me);
	json_decref(assessment);
	json_decref(labels);
	json_decref(limits);
	return done_testing();
}
