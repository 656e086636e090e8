/* life.h - the life of a log on a disk that can fail (disk.h): what was acknowledged in it, and whether a state that
 * it left still holds all of that. */
#pragma once
#include "disk.h"
#include "world.h"

/* What was acknowledged, and after how many calls. */
struct ack { uint64_t seq; char hash[BAWN_SHA256_HEX]; int calls; };
static struct { struct ack *ack; size_t n, room; } acks;

static void acks_done(void) { free(acks.ack); }

static void acknowledged(const struct bawn_receipt *r)
{
	if (acks.n == acks.room) {
		acks.room = acks.room * 2 + 100;
		acks.ack = realloc(acks.ack, acks.room * sizeof *acks.ack);
		if (acks.ack == NULL)
			abort();
	}
	acks.ack[acks.n] = (struct ack){ .seq = r->seq, .calls = disk.n_ops };
	memcpy(acks.ack[acks.n++].hash, r->hash, sizeof r->hash);
}

struct place { char root[160], audit[192], witness[192], archive[192]; };
static struct place place_at(const char *root)
{
	struct place p;
	snprintf(p.root, sizeof p.root, "%s", root);
	snprintf(p.audit, sizeof p.audit, "%.150s/state/audit", root);
	snprintf(p.witness, sizeof p.witness, "%.150s/state-witness", root);
	snprintf(p.archive, sizeof p.archive, "%.150s/archive", root);
	return p;
}

static bool sign_each;  /* sign: entry */
static struct bawn_audit_options options(const struct place *p)
{
	return (struct bawn_audit_options){ .node = "n", .max_segment_bytes = 9000, .witness = p->witness, .witness_must = true, .reserve_bytes = 8192,
		.sign_every = sign_each };
}

/* ---- a life ---- */

static int put_one(struct bawn_audit *a, const char *text, struct bawn_err *err)
{
	struct bawn_receipt r;
	int code = put_text(a, text, &r, err);
	if (code == 0)
		acknowledged(&r);
	return code;
}

static int put_batch(struct bawn_audit *a, int n, struct bawn_err *err)
{
	uint64_t ticket[40];
	int code = 0, queued = 0;
	for (; code == 0 && queued < n; queued++)
		code = a->ops->append(a, &(struct bawn_record){ .type = BAWN_RECORD_ASSESS_DONE, .exec = "E" }, &ticket[queued], err);
	for (int i = 0; code == 0 && i < queued; i++) {
		struct bawn_receipt r;
		code = a->ops->wait(a, ticket[i], &r, err);
		if (code == 0)
			acknowledged(&r);
	}
	return code;
}

/* A log opened, some records, closed.  0, or the first error: whether the log goes on after it is tried once. */
static int some_records(const struct place *p, int n, struct bawn_err *err)
{
	static char large[6000];
	const struct bawn_audit_options o = options(p);
	struct bawn_audit *a = NULL;
	memset(large, 'l', sizeof large - 1);
	int r = bawn_audit_open(p->audit, &o, &a, err);
	for (int i = 0; r == 0 && i < n; i++)
		r = i % 5 == 3 ? put_batch(a, 12, err) : put_one(a, i % 5 == 4 ? large : "small", err);
	if (r < 0 && a != NULL)
		(void)!put_one(a, "after an error", NULL);
	close_log(a);
	return r;
}

static int another_key(const struct place *p, struct bawn_err *err)
{
	const struct bawn_audit_options o = options(p);
	struct bawn_receipt r;
	int code = bawn_audit_rotate_key(p->audit, &o, NULL, &r, err);
	if (code == 0)
		acknowledged(&r);
	return code;
}

static int prune_all(const struct place *p, struct bawn_err *err)
{
	const struct bawn_audit_options o = options(p);
	struct bawn_pruned done = { 0 };
	return bawn_audit_prune(p->audit, &o, &(struct bawn_prune){ .before_us = UINT64_MAX, .export_path = p->archive }, &done, err);
}

/* ---- judging ---- */

static struct { char (*hash)[BAWN_SHA256_HEX]; uint64_t n; } found;
static void found_done(void) { free(found.hash); }
static int find_hash(void *ctx, const struct bawn_entry *e)
{
	const char *hash = json_string_value(json_object_get(e->json, "hash"));
	(void)ctx;
	while (e->seq >= found.n) {
		found.n = found.n * 2 + 100;
		found.hash = realloc(found.hash, found.n * sizeof *found.hash);
		if (found.hash == NULL)
			abort();
	}
	snprintf(found.hash[e->seq], sizeof *found.hash, "%s", hash != NULL ? hash : "");
	return 0;
}

/* The first entry acknowledged by then that is neither in the log nor, where it was pruned, in the archive. */
static const struct ack *first_lost(const struct place *p, int calls, uint64_t from)
{
	bawn_auto_buf archive = BAWN_BUF(64u << 20);
	if (found.n > 0)
		memset(found.hash, 0, found.n * sizeof *found.hash);
	(void)!bawn_audit_walk(p->audit, 0, find_hash, NULL, NULL);
	if (from > 0)
		(void)!bawn_read_file(AT_FDCWD, p->archive, &archive, NULL);
	for (size_t i = 0; i < acks.n; i++) {
		const struct ack *k = &acks.ack[i];
		if (k->calls > calls)
			continue;
		if (k->seq < from ? archive.p == NULL || memmem(archive.p, archive.n, k->hash, 64) == NULL
		                  : k->seq >= found.n || strcmp(found.hash[k->seq], k->hash) != 0)
			return k;
	}
	return NULL;
}

static bool any_by(int calls)
{
	bool any = false;
	for (size_t i = 0; !any && i < acks.n; i++)
		any = acks.ack[i].calls <= calls;
	return any;
}

/* "" where all is well with what a cut after `calls` left; else what is not. */
static void judge(const struct place *p, int calls, char out[static 400])
{
	struct bawn_audit_report v = { 0 };
	struct bawn_err err = { 0 };
	struct bawn_audit_verify_options how = { .witness = p->witness, .witness_may = true };
	out[0] = '\0';
	if (any_by(calls) && (bawn_audit_verify(p->audit, &how, &v, &err) < 0 || !v.ok)) {
		snprintf(out, 400, "verified as it was left: %.150s%.150s", v.problem, err.msg);
		return;
	}
	if (some_records(p, 1, &err) < 0) {
		snprintf(out, 400, "does not go on: %.150s", err.msg);
		return;
	}
	how.witness_may = false;
	if (bawn_audit_verify(p->audit, &how, &v, &err) < 0 || !v.ok || v.torn_bytes > 0) {
		snprintf(out, 400, "verified after it went on: %.150s%.150s", v.problem, err.msg);
		return;
	}
	bawn_auto_buf proof = BAWN_BUF(1u << 16);
	if (bawn_audit_proof(p->audit, v.entries - 1, &proof, &err) < 0) {
		snprintf(out, 400, "no proof of its last entry: %.150s", err.msg);
		return;
	}
	const struct ack *lost = first_lost(p, calls, v.verified_from);
	if (lost != NULL)
		snprintf(out, 400, "entry %" PRIu64 " is lost (%" PRIu64 " entries, from %" PRIu64 ")", lost->seq, v.entries, v.verified_from);
}

/* In memory where there is some: thousands of small files. */
static struct tmpdir quick_tmpdir(void)
{
	struct tmpdir d = { .fd = -1, .path = "/dev/shm/bawn-test-XXXXXX" };
	return mkdtemp(d.path) != NULL ? d : tmpdir_make();
}

static void remove_tree(const char *path) { (void)nftw(path, tmpdir_unlink_, 16, FTW_DEPTH | FTW_PHYS); }
