#include "core/approvals.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"

#define FILE_MAX_BYTES (4u << 20)
#define KEEP_US (7 * 86400 * UINT64_C(1000000))  /* an answered one, after its time; the log keeps it for good */

static int unwritable(int r, struct bawn_err *err)
{
	if (err != NULL && err->type == BAWN_ERROR_INTERNAL)
		err->type = BAWN_ERROR_STATE_UNWRITABLE;
	return r;
}

int bawn_approvals_peek(const char *state_dir, struct bawn_approvals *out, struct bawn_err *err)
{
	char path[600];
	snprintf(path, sizeof path, "%s/approvals", state_dir);
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return unwritable(bawn_fail(err, -errno, "open '%s'", path), err);
	*out = (struct bawn_approvals){ .dir = dir, .lock = -1 };
	snprintf(out->audit, sizeof out->audit, "%s/audit", state_dir);
	return 0;
}

int bawn_approvals_open(const char *state_dir, struct bawn_approvals *out, struct bawn_err *err)
{
	struct bawn_approvals a = { .dir = -1, .lock = -1 };
	char path[600];
	snprintf(path, sizeof path, "%s/approvals", state_dir);
	int r = bawn_make_dirs(path, 0700, err);
	if (r == 0)
		r = bawn_approvals_peek(state_dir, &a, err);
	if (r < 0)
		return unwritable(r, err);
	a.lock = openat(a.dir, "LOCK", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (a.lock < 0) {
		r = unwritable(bawn_fail(err, -errno, "open '%s/LOCK'", path), err);
		bawn_approvals_done(&a);
		return r;
	}
	*out = a;
	return 0;
}

void bawn_approvals_done(struct bawn_approvals *a)
{
	bawn_close_fdp(&a->dir);
	bawn_close_fdp(&a->lock);
	a->dir = a->lock = -1;
}

struct held { int fd; };
static void unlock(struct held *h)
{
	if (h->fd >= 0)
		(void)flock(h->fd, LOCK_UN);  /* cannot fail on a locked fd of ours */
}
#define auto_lock __attribute__((cleanup(unlock))) struct held

static int lock_all(struct bawn_approvals *a, struct held *h, struct bawn_err *err)
{
	while (flock(a->lock, LOCK_EX) < 0)
		if (errno != EINTR)
			return bawn_fail(err, -errno, "lock the approvals");
	h->fd = a->lock;
	return 0;
}

static const char *text_of(const json_t *doc, const char *key)
{
	const char *v = json_string_value(json_object_get(doc, key));
	return v != NULL ? v : "";
}

static uint64_t number_of(const json_t *doc, const char *key)
{
	json_int_t v = json_integer_value(json_object_get(doc, key));
	return v > 0 ? (uint64_t)v : 0;
}

/* What the file says, but an open answer that came too late is expired. */
static const char *state_of(const json_t *doc)
{
	const char *s = text_of(doc, "state");
	bool open = strcmp(s, "pending") == 0 || strcmp(s, "approved") == 0;
	return open && bawn_wall_us() > number_of(doc, "expires_us") ? "expired" : s;
}

static int load(struct bawn_approvals *a, const char *id, json_t **out, struct bawn_err *err)
{
	char name[64];
	snprintf(name, sizeof name, "%s.json", id);
	bawn_auto_buf text = BAWN_BUF(FILE_MAX_BYTES);
	int r = bawn_read_file(a->dir, name, &text, err);
	if (r < 0)
		return bawn_wrap(err, r, "read approval %s", id);
	bawn_auto_json doc = NULL;
	r = bawn_json_parse(bawn_buf_span(&text), &doc, err);
	if (r == 0 && strcmp(text_of(doc, "id"), id) != 0)
		r = bawn_fail(err, -EBADMSG, "it is not its own");
	if (r < 0)
		return bawn_wrap(err, r, "read approval %s", id);
	*out = bawn_steal(doc);
	return 0;
}

static int store(struct bawn_approvals *a, const char *id, const json_t *doc, struct bawn_err *err)
{
	char name[64];
	snprintf(name, sizeof name, "%s.json", id);
	bawn_auto_buf text = BAWN_BUF(FILE_MAX_BYTES);
	int r = bawn_json_put(&text, doc, err);
	if (r < 0)
		return r;
	return bawn_replace_file(a->dir, name, bawn_buf_span(&text), 0600, err);
}

typedef int each_fn(void *ctx, const char *id);

/* Every approval's id; the directory's order. */
static int each_id(struct bawn_approvals *a, each_fn *fn, void *ctx, struct bawn_err *err)
{
	int fd = openat(a->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return bawn_fail(err, -errno, "list the approvals");
	bawn_auto_dir d = fdopendir(fd);
	if (d == NULL) {
		int code = errno;
		(void)close(fd);
		return bawn_fail(err, -code, "list the approvals");
	}
	for (struct dirent *e; (errno = 0, e = readdir(d)) != NULL; ) {
		struct bawn_span name = bawn_span(e->d_name);
		if (name.n != 31 || strcmp(e->d_name + 26, ".json") != 0 || !bawn_ulid_valid((struct bawn_span){ name.p, 26 }))
			continue;
		char id[BAWN_ULID_LEN];
		snprintf(id, sizeof id, "%.26s", e->d_name);
		int r = fn(ctx, id);
		if (r != 0)
			return r;
	}
	return errno != 0 ? bawn_fail(err, -errno, "list the approvals") : 0;
}

struct prefix { const char *want; char found[BAWN_ULID_LEN]; int n; };
static int match_prefix(void *ctx, const char *id)
{
	struct prefix *p = ctx;
	if (strncasecmp(id, p->want, strlen(p->want)) == 0) {
		p->n++;
		snprintf(p->found, sizeof p->found, "%s", id);
	}
	return 0;
}

static int resolve(struct bawn_approvals *a, const char *id, char out[static BAWN_ULID_LEN], struct bawn_err *err)
{
	struct prefix p = { .want = id };
	int r = id != NULL && id[0] != '\0' ? each_id(a, match_prefix, &p, err) : 0;
	if (r < 0)
		return r;
	if (p.n != 1)
		return bawn_fail_as(err, BAWN_ERROR_APPROVAL_UNKNOWN, "approval", p.n == 0 ? "there is no approval '%.40s'" : "'%.40s' fits several approvals",
		                    id != NULL ? id : "");
	snprintf(out, BAWN_ULID_LEN, "%s", p.found);
	return 0;
}

/* Nothing can be done with it any more and nobody will look for it here. */
static void forget(struct bawn_approvals *a, const char *id, const json_t *doc)
{
	char name[64];
	if (bawn_wall_us() < number_of(doc, "expires_us") + KEEP_US)
		return;
	snprintf(name, sizeof name, "%s.json", id);
	(void)unlinkat(a->dir, name, 0);  /* left behind it costs one look */
}

struct same { struct bawn_approvals *a; const char *sha; char id[BAWN_ULID_LEN]; uint64_t expires; };
static int match_request(void *ctx, const char *id)
{
	struct same *s = ctx;
	bawn_auto_json doc = NULL;
	if (load(s->a, id, &doc, NULL) < 0)
		return 0;  /* an unreadable file is no reason to reuse it */
	if (strcmp(state_of(doc), "pending") != 0) {
		forget(s->a, id, doc);
		return 0;
	}
	if (strcmp(text_of(doc, "request_sha256"), s->sha) != 0)
		return 0;
	snprintf(s->id, sizeof s->id, "%s", id);
	s->expires = number_of(doc, "expires_us");
	return 1;
}

static json_t *hold_json(const struct bawn_hold *h, const char *id, uint64_t now, uint64_t expires)
{
	char at[BAWN_RFC3339_LEN], until[BAWN_RFC3339_LEN];
	bawn_rfc3339(now, at);
	bawn_rfc3339(expires, until);
	json_t *doc = json_object();
	bool ok = doc != NULL;
	bawn_json_set(doc, "v", json_integer(1), &ok);
	bawn_json_set(doc, "id", json_string(id), &ok);
	bawn_json_set(doc, "state", json_string("pending"), &ok);
	bawn_json_set(doc, "exec", json_string(h->exec), &ok);
	bawn_json_set(doc, "request_sha256", json_string(h->request_sha256), &ok);
	bawn_json_set(doc, "action", json_string(h->action), &ok);
	bawn_json_set(doc, "level", json_deep_copy(json_object_get(h->assessment, "level")), &ok);
	bawn_json_set(doc, "code_sha256", json_deep_copy(json_object_get(h->assessment, "code_sha256")), &ok);
	bawn_json_set(doc, "path", bawn_json_text_or_null(h->path), &ok);
	bawn_json_set(doc, "session", bawn_json_text_or_null(h->session), &ok);
	bawn_json_set(doc, "labels", json_deep_copy(h->labels), &ok);
	bawn_json_set(doc, "principal", json_deep_copy(h->principal), &ok);
	bawn_json_set(doc, "asked_reason", bawn_json_text_or_null(h->asked_reason), &ok);
	bawn_json_set(doc, "created_at", json_string(at), &ok);
	bawn_json_set(doc, "expires_at", json_string(until), &ok);
	bawn_json_set(doc, "expires_us", json_integer((json_int_t)expires), &ok);
	bawn_json_set(doc, "assessment", json_deep_copy(h->assessment), &ok);
	bawn_json_set(doc, "limits", json_deep_copy(h->limits), &ok);
	bawn_json_set(doc, "decision", json_null(), &ok);
	if (!ok) {
		json_decref(doc);
		return NULL;
	}
	return doc;
}

int bawn_approval_request(struct bawn_approvals *a, const struct bawn_hold *h, char out_id[static BAWN_ULID_LEN],
                          uint64_t *out_expires_us, bool *out_new, struct bawn_err *err)
{
	auto_lock held = { -1 };
	int r = lock_all(a, &held, err);
	if (r < 0)
		return r;
	struct same same = { .a = a, .sha = h->request_sha256 };
	r = each_id(a, match_request, &same, err);
	if (r < 0)
		return r;
	*out_new = r == 0;
	if (r == 1) {
		snprintf(out_id, BAWN_ULID_LEN, "%s", same.id);
		*out_expires_us = same.expires;
		return 0;
	}
	char id[BAWN_ULID_LEN];
	r = bawn_ulid_new(id, err);
	if (r < 0)
		return r;
	uint64_t now = bawn_wall_us(), expires = now + h->expires_ms * 1000;
	bawn_auto_json doc = hold_json(h, id, now, expires);
	if (doc == NULL)
		return bawn_fail(err, -ENOMEM, "hold the request");
	r = store(a, id, doc, err);
	if (r < 0)
		return bawn_wrap(err, r, "hold the request");
	snprintf(out_id, BAWN_ULID_LEN, "%s", id);
	*out_expires_us = expires;
	return 0;
}

/* What to tell who comes when the approval is in another state than the wanted one. */
static int wrong_state(const char *id, const char *state, struct bawn_err *err)
{
	static const struct { const char *state; enum bawn_error type; const char *says; } row[] = {
		{ "pending",  BAWN_ERROR_APPROVAL_OPEN,    "has not been answered yet" },
		{ "approved", BAWN_ERROR_APPROVAL_USED,    "has been answered already" },
		{ "used",     BAWN_ERROR_APPROVAL_USED,    "has been used already" },
		{ "denied",   BAWN_ERROR_APPROVAL_DENIED,  "was denied" },
		{ "expired",  BAWN_ERROR_APPROVAL_EXPIRED, "has expired" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++)
		if (strcmp(row[i].state, state) == 0)
			return bawn_fail_as(err, row[i].type, "approval", "approval %s %s", id, row[i].says);
	return bawn_fail(err, -EBADMSG, "approval %s is in no known state", id);
}

static json_t *decision_json(const struct bawn_verdict *v)
{
	char at[BAWN_RFC3339_LEN];
	bawn_rfc3339(bawn_wall_us(), at);
	return json_pack("{s:s, s:O, s:s, s:s, s:s}", "decision", v->approve ? "approved" : "denied", "by", v->by,
	                 "reason", v->reason, "at", at, "assurance", bawn_word(&bawn_assurance_words, (int)v->assurance));
}

static json_t *expires_json(const json_t *doc)
{
	char until[BAWN_RFC3339_LEN];
	bawn_rfc3339(number_of(doc, "expires_us"), until);
	return json_string(until);
}

static int record_decision(struct bawn_audit *log, const json_t *doc, const json_t *decision, const struct bawn_verdict *v, uint64_t *out_seq, struct bawn_err *err)
{
	bawn_auto_json body = json_deep_copy(decision);
	bool ok = body != NULL;
	bawn_json_set(body, "approval_id", json_deep_copy(json_object_get(doc, "id")), &ok);
	bawn_json_set(body, "request_sha256", json_deep_copy(json_object_get(doc, "request_sha256")), &ok);
	bawn_json_set(body, "level", json_deep_copy(json_object_get(doc, "level")), &ok);
	bawn_json_set(body, "expires_at", expires_json(doc), &ok);
	if (!ok)
		return bawn_fail(err, -ENOMEM, "record the decision");
	struct bawn_receipt receipt;
	struct bawn_record rec = { .type = BAWN_RECORD_APPROVAL_DECIDED, .exec = json_string_value(json_object_get(doc, "exec")),
		.session = json_string_value(json_object_get(doc, "session")), .principal = v->by, .body = body,
		.redact = v->redact != NULL ? v->redact->item : NULL, .n_redact = v->redact != NULL ? v->redact->n : 0 };
	int r = bawn_audit_put(log, &rec, &receipt, err);
	if (r == 0)
		*out_seq = receipt.seq;
	return r;
}

static int find(struct bawn_approvals *a, const char *id, char full[static BAWN_ULID_LEN], json_t **out, struct bawn_err *err)
{
	int r = resolve(a, id, full, err);
	return r < 0 ? r : load(a, full, out, err);
}

int bawn_approval_decide(struct bawn_approvals *a, struct bawn_audit *log, const char *id,
                         const struct bawn_verdict *v, json_t **out, struct bawn_err *err)
{
	auto_lock held = { -1 };
	char full[BAWN_ULID_LEN];
	bawn_auto_json doc = NULL;
	int r = lock_all(a, &held, err);
	if (r == 0)
		r = find(a, id, full, &doc, err);
	if (r < 0)
		return r;
	if (strcmp(state_of(doc), "pending") != 0)
		return wrong_state(full, state_of(doc), err);
	bawn_auto_json decision = decision_json(v);
	if (decision == NULL)
		return bawn_fail(err, -ENOMEM, "decide");
	uint64_t seq = 0;
	r = record_decision(log, doc, decision, v, &seq, err);
	if (r < 0)
		return bawn_wrap(err, r, "record the decision");
	bool ok = true;
	bawn_json_set(doc, "decided_seq", json_integer((json_int_t)seq), &ok);
	bawn_json_set(doc, "decision", json_incref(decision), &ok);
	bawn_json_set(doc, "state", json_string(v->approve ? "approved" : "denied"), &ok);
	r = ok ? store(a, full, doc, err) : bawn_fail(err, -ENOMEM, "decide");
	if (r < 0)
		return r;
	*out = bawn_steal(doc);
	return 0;
}

struct looking { uint64_t seq; json_t *entry; bool pruned; };
static int see(void *ctx, const struct bawn_entry *e)
{
	struct looking *l = ctx;
	if (e->seq == l->seq) {
		l->entry = json_incref(e->json);
		return 0;  /* the next one has to cite it */
	}
	l->pruned = l->entry == NULL;
	return 1;
}

static bool same(const json_t *a, const json_t *b, const char *key)
{
	const json_t *v = json_object_get(a, key);
	return v != NULL && json_equal(v, json_object_get(b, key));
}

/* Does this entry say what the file says? */
static bool says_so(const json_t *entry, const json_t *doc)
{
	const json_t *body = json_object_get(entry, "body"), *d = json_object_get(doc, "decision");
	bawn_auto_json until = expires_json(doc);
	return strcmp(text_of(entry, "type"), bawn_record_name(BAWN_RECORD_APPROVAL_DECIDED)) == 0 &&
	       strcmp(text_of(body, "approval_id"), text_of(doc, "id")) == 0 && same(body, doc, "request_sha256") &&
	       strcmp(text_of(body, "decision"), "approved") == 0 && same(body, d, "by") && same(body, d, "assurance") && same(body, d, "at") &&
	       until != NULL && json_equal(json_object_get(body, "expires_at"), until);
}

/* The file can be written by whoever has the state directory; the log has what was decided.  Its words stand in for the
 * file's: a reason is kept there without the secrets that were in it. */
static int believe(const struct bawn_approvals *a, json_t *doc, struct bawn_err *err)
{
	const json_t *number = json_object_get(doc, "decided_seq");
	struct looking l = { .seq = number_of(doc, "decided_seq") };
	int r = json_is_integer(number) ? bawn_audit_walk(a->audit, l.seq, see, &l, err) : 0;
	bawn_auto_json entry = l.entry;
	if (r < 0 && r != -ENOENT)
		return bawn_wrap(err, r, "look for the answer to %s", text_of(doc, "id"));
	if (l.pruned)
		return wrong_state(text_of(doc, "id"), "expired", err);
	if (entry == NULL || !says_so(entry, doc))
		return bawn_fail_as(err, BAWN_ERROR_APPROVAL_UNKNOWN, "approval", "approvals/%s.json says that it was approved, the log does not: it lifts nothing",
		                    text_of(doc, "id"));
	bool ok = true;
	bawn_json_set(json_object_get(doc, "decision"), "reason", json_deep_copy(json_object_get(json_object_get(entry, "body"), "reason")), &ok);
	return ok ? 0 : bawn_fail(err, -ENOMEM, "look for the answer");
}

int bawn_approval_look(struct bawn_approvals *a, const char *id, const char *request_sha256, json_t **out, struct bawn_err *err)
{
	char full[BAWN_ULID_LEN];
	bawn_auto_json doc = NULL;
	int r = find(a, id, full, &doc, err);
	if (r < 0)
		return r;
	if (strcmp(text_of(doc, "request_sha256"), request_sha256) != 0)
		return bawn_fail_as(err, BAWN_ERROR_APPROVAL_MISMATCH, "approval", "approval %s was given for another request", full);
	if (strcmp(state_of(doc), "approved") != 0)
		return wrong_state(full, state_of(doc), err);
	r = believe(a, doc, err);
	if (r < 0)
		return r;
	*out = bawn_steal(doc);
	return 0;
}

int bawn_approval_use(struct bawn_approvals *a, const char *id, const char *request_sha256, json_t **out, struct bawn_err *err)
{
	auto_lock held = { -1 };
	bawn_auto_json doc = NULL;
	int r = lock_all(a, &held, err);
	if (r == 0)
		r = bawn_approval_look(a, id, request_sha256, &doc, err);
	if (r < 0)
		return r;
	const char *full = text_of(doc, "id");
	bool ok = true;
	bawn_json_set(doc, "state", json_string("used"), &ok);
	r = ok ? store(a, full, doc, err) : bawn_fail(err, -ENOMEM, "use the approval");
	if (r < 0)
		return r;
	*out = bawn_steal(doc);
	return 0;
}

struct answered { struct bawn_approvals *a; const char *sha; char id[BAWN_ULID_LEN]; bool denied; };
static int match_answer(void *ctx, const char *id)
{
	struct answered *s = ctx;
	bawn_auto_json doc = NULL;
	if (load(s->a, id, &doc, NULL) < 0 || strcmp(text_of(doc, "request_sha256"), s->sha) != 0)
		return 0;  /* an unreadable file answers nothing */
	const char *state = text_of(doc, "state");
	bool denied = strcmp(state, "denied") == 0;
	if ((!denied && strcmp(state, "approved") != 0) || bawn_wall_us() > number_of(doc, "expires_us") || strcmp(id, s->id) < 0)
		return 0;
	snprintf(s->id, sizeof s->id, "%s", id);
	s->denied = denied;
	return 0;
}

int bawn_approval_answered(struct bawn_approvals *a, const char *request_sha256, char out_id[static BAWN_ULID_LEN], struct bawn_err *err)
{
	struct answered s = { .a = a, .sha = request_sha256 };
	int r = each_id(a, match_answer, &s, err);
	if (r < 0 || s.id[0] == '\0')
		return r;
	if (s.denied)
		return wrong_state(s.id, "denied", err);
	snprintf(out_id, BAWN_ULID_LEN, "%s", s.id);
	return 1;
}

int bawn_approval_get(struct bawn_approvals *a, const char *id, json_t **out, struct bawn_err *err)
{
	char full[BAWN_ULID_LEN];
	return find(a, id, full, out, err);
}

struct gather { struct bawn_approvals *a; json_t *list; bool ok; };
static int gather(void *ctx, const char *id)
{
	struct gather *g = ctx;
	bawn_auto_json doc = NULL;
	if (load(g->a, id, &doc, NULL) < 0)
		return 0;
	const char *state = state_of(doc);
	if (strcmp(state, "pending") != 0)
		return 0;
	bawn_json_set(doc, "state", json_string(state), &g->ok);
	bawn_json_push(g->list, bawn_steal(doc), &g->ok);
	return g->ok ? 0 : -ENOMEM;
}

static int by_id(const void *a, const void *b)
{
	return strcmp(text_of(*(json_t *const *)a, "id"), text_of(*(json_t *const *)b, "id"));
}

int bawn_approval_list(struct bawn_approvals *a, json_t **out, struct bawn_err *err)
{
	bawn_auto_json list = json_array();
	struct gather g = { a, list, list != NULL };
	int r = g.ok ? each_id(a, gather, &g, err) : -ENOMEM;
	if (r < 0)
		return bawn_fail(err, r, "list the approvals");
	size_t n = json_array_size(list);
	bawn_auto_free json_t **sorted = calloc(n + 1, sizeof *sorted);
	bawn_auto_json result = json_array();
	bool ok = sorted != NULL && result != NULL;
	for (size_t i = 0; ok && i < n; i++)
		sorted[i] = json_array_get(list, i);
	if (ok && n > 1)
		qsort(sorted, n, sizeof *sorted, by_id);
	for (size_t i = 0; ok && i < n; i++)
		bawn_json_push(result, json_incref(sorted[i]), &ok);
	if (!ok)
		return bawn_fail(err, -ENOMEM, "list the approvals");
	*out = bawn_steal(result);
	return 0;
}
