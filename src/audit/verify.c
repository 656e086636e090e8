/* verify.c - is this log what was written?  Reads every byte, changes none, takes no lock.
 *
 * Invariants:
 * (1) every byte of every segment is either part of an entry that follows the one before and that a
 *     good signature covers, or counted in torn_bytes, or the log is bad;
 * (2) torn bytes lie beyond head and the last signed commit, at the very end, and are (part of) one
 *     commit at most;
 * (3) head and checkpoint are read first and sizes are taken once per segment, so a writer at work
 *     cannot make a good log look bad.  Beyond that head one may cut off what a crash left and go on in its place while it
 *     is read: what is wrong there counts only where the log has not grown since, else it is looked at anew;
 * (4) what is made from the log (tiles) can be wrong without the log being bad; what the log has
 *     signed (head, checkpoint, the hash of a body and that it is kept, the hash of what was cut off) cannot.
 * An attacker controls: everything in the directory.  One who has the private key, or an older copy of
 * all of it, is found by an anchor outside only: a witness, or a checkpoint somebody kept.  It is read
 * before the head: the log was already there when its witness was told. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "audit/ahead.h"
#include "audit/audit.h"
#include "audit/bodies.h"
#include "audit/entry.h"
#include "audit/head.h"
#include "audit/keys.h"
#include "audit/prune.h"
#include "audit/segment.h"
#include "audit/tiles.h"
#include "audit/trail.h"
#include "audit/walk.h"
#include "audit/witness.h"
#include "base/b64.h"
#include "base/cleanup.h"
#include "base/file.h"

#define TELL_EVERY 4096u  /* entries */

struct verify {
	int                       dirfd;
	struct bawn_head          head;
	struct bawn_trail         trail;
	char                      sealed_hash[BAWN_SHA256_HEX];  /* of the last entry that a signature covers */
	struct bawn_vkey          pin;       /* the key the caller knows */
	bool                      pinned, pin_seen;
	struct bawn_buf           note;      /* the checkpoint */
	uint64_t                  note_size; /* what it claims; 0: there is none */
	struct bawn_cut           cut;       /* where the log begins; cut.cut 0: with its genesis */
	bool                      old_head;  /* from before that */
	struct bawn_sighting      seen;      /* what the witness knows; seen.seal.size 0: nothing */
	struct bawn_keeping       keeping;   /* bodies that entries say are kept; not where it skims */
	struct bawn_tiles        *tiles;
	struct bawn_ahead        *ahead;
	struct bawn_audit_report *report;
	struct bawn_audit_progress progress;
};

/* The log is bad: said once, for the first problem.  Not an error of the caller. */
static int bad(struct verify *v, uint64_t seq, const char *fmt, ...) BAWN_PRINTF(3, 4);
static int bad(struct verify *v, uint64_t seq, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (v->report->ok) {
		v->report->ok = false;
		v->report->first_bad_seq = seq;
		vsnprintf(v->report->problem, sizeof v->report->problem, fmt, ap);
	}
	va_end(ap);
	return 0;
}

/* What follows the last signed commit of a segment, from byte `sealed` on; `problem` is that of the
 * first entry that does not fit, or NULL where all of it are entries without a signature. */
static int unsealed(struct verify *v, int fd, uint64_t sealed, uint64_t end, const char *problem, struct bawn_err *err)
{
	const uint64_t seq = v->trail.chain.seq;
	if (v->trail.sealed < v->head.size)
		return problem != NULL ? bad(v, seq, "entry %" PRIu64 ": %s", seq, problem)
		                       : bad(v, v->trail.sealed, "entry %" PRIu64 " is covered by no signature", v->trail.sealed);
	v->report->torn_bytes += end - sealed;
	int r = bawn_segment_not_torn(fd, sealed, end, v->trail.sealed, v->trail.sealed > 0 ? &v->trail.key : NULL, err);
	return r > 0 ? bad(v, seq, "entry %" PRIu64 " is damaged or missing, and entries follow that no crash puts there", seq) : r;
}

static void against_head(struct verify *v, const struct bawn_line *l, uint64_t segment, uint64_t at, uint64_t offset)
{
	const struct bawn_head *h = &v->head;
	const uint64_t seq = h->size - 1;
	if (v->trail.chain.seq != h->size)
		return;
	if (memcmp(v->trail.chain.hash, h->hash, 64) != 0)
		(void)bad(v, seq, "entry %" PRIu64 " is not the one that was acknowledged: the head has another hash", seq);
	else if (segment != h->segment || at != h->at || offset != h->offset)
		(void)bad(v, seq, "entry %" PRIu64 " is not where the head says", seq);
	else if (!l->sealed || memcmp(&l->seal, &h->seal, sizeof l->seal) != 0)
		(void)bad(v, seq, "entry %" PRIu64 " does not carry the signature of the head", seq);
	else if (!bawn_head_whole(h) || h->epoch != v->trail.epoch)
		(void)bad(v, seq, "the head of the log does not follow from its entries");
}

/* A key becomes the log's: the files that show it to others must say the same. */
static void against_key_files(struct verify *v, uint64_t seq)
{
	struct bawn_vkey file;
	int r = bawn_keys_public(v->dirfd, v->trail.epoch, &file);
	if (r == -EBADMSG || (r == 0 && !bawn_vkey_equal(&file, &v->trail.key)))
		(void)bad(v, seq, "keys/epoch-%" PRIu64 ".vkey is not the key that entry %" PRIu64 " names", v->trail.epoch, seq);
	if (v->trail.epoch > 0)
		return;
	r = bawn_keys_read(v->dirfd, "vkey", &file);
	if (r == -EBADMSG || (r == 0 && !bawn_vkey_equal(&file, &v->trail.key)))
		(void)bad(v, seq, "vkey is not the key that entry %" PRIu64 " names", seq);
	bawn_vkey_text(&v->trail.key, v->report->vkey);
	bawn_vkey_text(&v->trail.key, v->report->pin);
	memcpy(v->report->origin, v->trail.key.origin, sizeof v->report->origin);
}
_Static_assert(sizeof((struct bawn_audit_report *)0)->vkey >= BAWN_VKEY_MAX && sizeof((struct bawn_audit_report *)0)->pin >= BAWN_VKEY_MAX &&
               sizeof((struct bawn_audit_report *)0)->origin == BAWN_ORIGIN_MAX, "they fit");

static void tiles_wrong(struct verify *v, const char *what)
{
	if (v->report->tiles[0] == '\0')
		snprintf(v->report->tiles, sizeof v->report->tiles, "%s", what);
}

/* Where the published checkpoint ends: it was signed, so the tree must be this one. */
static void against_checkpoint(struct verify *v, const struct bawn_vkey *signer)
{
	struct bawn_seal seal;
	bawn_node root;
	if (v->trail.chain.seq != v->note_size)
		return;
	bawn_tree_root(&v->trail.tree, root);
	if (!bawn_note_read(bawn_buf_span(&v->note), signer, &seal) || !bawn_seal_good(&seal, signer))
		tiles_wrong(v, "checkpoint is not signed by the key of its epoch");
	else if (memcmp(root, seal.root, sizeof root) != 0)
		(void)bad(v, v->note_size - 1, "the log has signed a checkpoint of %" PRIu64 " other entries", v->note_size);
}

static void against_witness(struct verify *v)
{
	bawn_node root;
	if (v->seen.seal.size == 0 || v->trail.chain.seq != v->seen.seal.size)
		return;
	bawn_tree_root(&v->trail.tree, root);
	if (memcmp(root, v->seen.seal.root, sizeof root) != 0)
		(void)bad(v, v->seen.seal.size - 1, "its witness has seen %" PRIu64 " other entries: the log has another past", v->seen.seal.size);
}

/* The first entry tells of a log that was here before. */
static void note_previous(struct verify *v, struct bawn_span body)
{
	bawn_auto_json j = json_loadb(body.p, body.n, JSON_ALLOW_NUL, NULL);
	const json_int_t size = json_integer_value(json_object_get(json_object_get(j, "previous"), "size"));
	v->report->previous = size > 0 ? (uint64_t)size : 0;
}

static bool has_hash(int fd, const char *want)
{
	struct bawn_sha256 sha;
	uint8_t raw[BAWN_SHA256_LEN];
	char chunk[16384], hex[BAWN_SHA256_HEX];
	ssize_t n;
	bawn_sha256_init(&sha);
	while ((n = read(fd, chunk, sizeof chunk)) > 0)
		bawn_sha256_add(&sha, chunk, (size_t)n);
	bawn_sha256_end(&sha, raw);
	bawn_hex(raw, sizeof raw, hex);
	return n < 0 || strcmp(hex, want) == 0;  /* what cannot be read was perhaps not changed */
}

/* What a recovery cut off may be thrown away, but not changed: the log has its hash. */
static void against_quarantine(struct verify *v, const struct bawn_line *l)
{
	bawn_auto_json j = json_loadb(l->body.p, l->body.n, JSON_ALLOW_NUL, NULL);
	const char *file = json_string_value(json_object_get(j, "file")), *want = json_string_value(json_object_get(j, "sha256"));
	char path[100];
	struct stat st;
	if (file == NULL || want == NULL || strchr(file, '/') != NULL || strlen(file) >= sizeof path - sizeof "quarantine/")
		return;
	snprintf(path, sizeof path, "quarantine/%s", file);
	bawn_auto_fd fd = openat(v->dirfd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	const json_int_t bytes = json_integer_value(json_object_get(j, "cut_bytes"));
	if (fd < 0 ? errno == ELOOP : fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size != bytes || !has_hash(fd, want))
		(void)bad(v, l->seq, "%s is not what entry %" PRIu64 " says was cut off", path, l->seq);
}

/* After an entry that fits. */
static void took(struct verify *v, const struct bawn_checked *c, const struct bawn_vkey *before)
{
	const struct bawn_line *l = &c->l;
	const struct bawn_vkey *signer = l->seq == 0 ? &v->trail.key : before;
	if (v->report->first_us == 0)
		v->report->first_us = l->ts_us;
	if (l->seq == 0 || bawn_span_is(l->type, "log.key"))
		against_key_files(v, l->seq);
	if (l->seq == 0)
		note_previous(v, l->body);
	if (v->cut.cut > 0 && l->seq == v->cut.seq && memcmp(l->hash, v->cut.own, sizeof v->cut.own) != 0)
		(void)bad(v, l->seq, "entry %" PRIu64 " is not the log.prune that says where the log begins", l->seq);
	if (!v->trail.skim && bawn_span_is(l->type, "log.recovered"))
		against_quarantine(v, l);
	if (l->sealed) {
		v->report->signatures++;
		v->report->last_us = l->ts_us;
		v->pin_seen = v->pin_seen || (v->pinned && bawn_vkey_equal(signer, &v->pin));
		memcpy(v->sealed_hash, v->trail.chain.hash, sizeof v->sealed_hash);
	}
	bawn_tiles_check_add(v->tiles, l->data, c->leaf);
	against_checkpoint(v, signer);
	against_witness(v);
}

static int verify_lines(struct verify *v, int fd, uint64_t segment, uint64_t end, struct bawn_err *err)
{
	uint64_t sealed = 0, at = 0;
	int r = 0;
	bawn_ahead_open(v->ahead, fd, end);
	while (r == 0 && v->report->ok) {
		const struct bawn_checked *c;
		const char *problem;
		r = bawn_ahead_next(v->ahead, v->trail.sealed > 0 ? &v->trail.key : NULL, &c, err);
		if (r < 0)
			return r;
		if (c == NULL)
			return sealed < end ? unsealed(v, fd, sealed, end, NULL, err) : 0;
		const struct bawn_vkey key = v->trail.key;
		const struct bawn_line *l = &c->l;
		const uint64_t next = at + c->line.n + 1;
		r = bawn_trail_take(&v->trail, c, &problem);
		if (r == -ENOMEM)
			return bawn_fail(err, r, "verify the audit log");
		if (r < 0)
			return unsealed(v, fd, sealed, end, problem, err);
		if (at == 0 && segment > 0 && !bawn_span_is(l->type, "log.segment"))
			return bad(v, l->seq, "entry %" PRIu64 ": the segment does not begin with log.segment", l->seq);
		took(v, c, &key);
		if (!v->trail.skim && bawn_keeping_note(&v->keeping, l->seq, l->body) < 0)
			return bawn_fail(err, -ENOMEM, "verify the audit log");
		against_head(v, l, segment, at, next);
		at = next;
		if (l->sealed)
			sealed = at;
		if (v->progress.tell != NULL && l->seq % TELL_EVERY == 0)
			v->progress.tell(v->progress.ctx, l->seq - v->cut.cut, v->head.size - v->cut.cut);
	}
	return r;
}

static int verify_segment(struct verify *v, uint64_t segment, struct bawn_err *err)
{
	struct stat st;
	const uint64_t seq = v->trail.chain.seq;
	if (v->report->torn_bytes > 0)
		return bad(v, seq, "entry %" PRIu64 " is damaged, and a segment follows it", seq);
	if (segment != seq)
		return bad(v, seq, "entry %" PRIu64 " is missing: the next segment begins at %" PRIu64, seq, segment);
	bawn_auto_fd fd = -1;
	int r = bawn_segment_open(v->dirfd, segment, &fd, err);
	if (r == -EBADMSG || r == -ELOOP)
		return bad(v, segment, "segment %012" PRIu64 " is not a plain file", segment);
	if (r < 0)
		return r;
	if (fstat(fd, &st) < 0)
		return bawn_fail(err, -errno, "look at segment %012" PRIu64, segment);
	v->report->segments++;
	v->report->bytes += (uint64_t)st.st_size;
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);  /* only a hint */
	return verify_lines(v, fd, segment, (uint64_t)st.st_size, err);
}

/* A checkpoint of more entries than there are, signed by a key of this log: the log was cut. */
static void beyond_the_end(struct verify *v)
{
	struct bawn_vkey key = v->trail.key;
	struct bawn_seal seal;
	bool signed_by_us = false;
	for (uint64_t epoch = 0; !signed_by_us; epoch++) {
		signed_by_us = strcmp(key.origin, v->trail.key.origin) == 0 && bawn_note_read(bawn_buf_span(&v->note), &key, &seal) &&
		               bawn_seal_good(&seal, &key);
		if (bawn_keys_public(v->dirfd, epoch, &key) < 0)
			break;
	}
	if (signed_by_us)
		(void)bad(v, v->trail.sealed, "the log ends before entry %" PRIu64 ", but has signed a checkpoint of %" PRIu64 " entries",
		          v->trail.sealed, v->note_size);
	else
		tiles_wrong(v, "checkpoint is not signed by a key of this log");
}

/* What the witness has seen was pruned since: only the tiles know of it. */
static void against_older_witness(struct verify *v)
{
	bawn_node then;
	if (v->seen.seal.size == 0 || v->seen.seal.size >= v->cut.cut)
		return;
	if (!bawn_cut_root(v->dirfd, &v->cut, v->seen.seal.size, then)) {
		snprintf(v->report->anchor, sizeof v->report->anchor, "none");
		v->report->witnessed = 0;
	} else if (memcmp(then, v->seen.seal.root, sizeof then) != 0) {
		(void)bad(v, v->seen.seal.size - 1, "its witness has seen %" PRIu64 " other entries: the log has another past", v->seen.seal.size);
	}
}

/* Bodies lie beside the log; what an entry cites by its hash must be that, and be there where it says so. */
static int against_bodies(struct verify *v, const struct bawn_segments *all, struct bawn_err *err)
{
	struct bawn_bodies b;
	int r = bawn_bodies_check(v->dirfd, all, &v->keeping, &b, err);
	if (r < 0)
		return r;
	v->report->bodies = b.good;
	v->report->stray_bodies = b.cited ? 0 : b.wrong;
	v->report->missing_bodies = b.missing;
	if (b.missing > 0 && !(b.cited && b.seq <= b.missing_seq))
		return bad(v, b.missing_seq, "body %s, which entry %" PRIu64 " says is kept, is missing", b.missing_sha256, b.missing_seq);
	return b.cited ? bad(v, b.seq, "body %s, which entry %" PRIu64 " cites, was changed: its bytes have another hash", b.sha256, b.seq) : 0;
}

/* Head counts log.prune, on disk, before anything goes.  One that does not is read again: the log may have been pruned
 * since; then it is one that lags, as before. */
static int against_old_head(struct verify *v, struct bawn_err *err)
{
	struct bawn_head now = v->head;
	struct bawn_err why = { 0 };
	int r = now.size <= v->cut.seq ? bawn_head_read_at(v->dirfd, &now, &why) : 0;
	v->old_head = now.size <= v->cut.seq;
	if (r == -EBADMSG || r == -ELOOP)
		return bad(v, 0, "%.150s", why.msg);
	if (r < 0 && err != NULL)
		*err = why;
	return r;
}

/* A log without its beginning: what its log.prune says of the place is where verification starts. */
static int begin_at_cut(struct verify *v, const struct bawn_segments *all, struct bawn_err *err)
{
	struct bawn_err why = { 0 };
	struct bawn_vkey file;
	int r = bawn_cut_find(v->dirfd, all, &v->cut, &why);
	if (r == -EBADMSG || r == -ELOOP)
		return bad(v, all->first[0] - 1, "%.150s", why.msg);
	if (r < 0) {
		if (err != NULL)
			*err = why;
		return r;
	}
	const bool skim = v->trail.skim;
	bawn_trail_cut(&v->trail, &v->cut);
	v->trail.skim = skim;
	v->report->verified_from = v->cut.cut;
	bawn_tiles_check_from(v->tiles, &v->cut.tree);
	bawn_vkey_text(&v->cut.genesis, v->report->vkey);
	bawn_vkey_text(&v->cut.key, v->report->pin);
	memcpy(v->report->origin, v->cut.key.origin, sizeof v->report->origin);
	if (v->note_size > 0 && v->note_size < v->cut.cut)
		tiles_wrong(v, "checkpoint is older than what was pruned");
	r = bawn_keys_public(v->dirfd, v->cut.epoch, &file);
	if (r == -EBADMSG || (r == 0 && !bawn_vkey_equal(&file, &v->cut.key)))
		(void)bad(v, v->cut.seq, "the key file of epoch %" PRIu64 " is not the key that entry %" PRIu64 " names", v->cut.epoch, v->cut.seq);
	static const char *const of_first[] = { "vkey", "keys/epoch-0.vkey" };
	for (size_t i = 0; i < BAWN_LEN(of_first); i++) {
		r = bawn_keys_read(v->dirfd, of_first[i], &file);
		if (r == -EBADMSG || (r == 0 && !bawn_vkey_equal(&file, &v->cut.genesis)))
			(void)bad(v, v->cut.seq, "%s is not the key that entry %" PRIu64 " names", of_first[i], v->cut.seq);
	}
	against_witness(v);
	against_older_witness(v);
	return against_old_head(v, err);
}

/* Is the key given one of those that this log says it had before it was cut?  That alone proves nothing, neither way. */
static bool pin_pruned(const struct verify *v)
{
	struct bawn_vkey file;
	bool was = v->cut.epoch > 0 && bawn_vkey_equal(&v->pin, &v->cut.genesis);
	for (uint64_t epoch = 1; !was && epoch < v->cut.epoch && bawn_keys_public(v->dirfd, epoch, &file) == 0; epoch++)
		was = bawn_vkey_equal(&v->pin, &file);
	return was;
}

static int verify_all(struct verify *v, struct bawn_err *err)
{
	bawn_auto_segments all = { 0 };
	int r = bawn_segments_list(v->dirfd, &all, err);
	if (r == -ENOENT || r == -ENOTDIR || r == -ELOOP)
		return bad(v, 0, "the directory of segments is missing");
	if (r == 0 && all.n > 0 && all.first[0] > 0)
		r = begin_at_cut(v, &all, err);
	for (size_t i = 0; r == 0 && v->report->ok && i < all.n; i++)
		if (all.first[i] >= v->cut.cut)  /* before it: left by a removal that was interrupted */
			r = verify_segment(v, all.first[i], err);
	if (r < 0)
		return r;
	if (v->cut.cut > 0 && v->cut.seq >= v->trail.sealed)
		(void)bad(v, v->cut.seq, "entry %" PRIu64 " says that those before it were pruned, and is not signed", v->cut.seq);
	if (v->old_head)
		(void)bad(v, v->cut.seq, "the head of the log is older than what was pruned");
	const uint64_t seq = v->trail.chain.seq;
	if (seq < v->head.size)
		(void)bad(v, seq, "the log ends before entry %" PRIu64 ", but %" PRIu64 " entries were acknowledged", seq, v->head.size);
	if (all.stranger[0] != '\0')
		(void)bad(v, seq, "seg holds a file that is no segment");
	if (v->report->ok && !bawn_trail_finish(&v->trail))
		(void)bad(v, v->trail.sealed - 1, "entry %" PRIu64 ": its signature is not by the key of its epoch", v->trail.sealed - 1);
	if (v->report->ok && v->note_size > v->trail.sealed)
		beyond_the_end(v);
	if (v->seen.seal.size > 0 && v->trail.sealed > 0 && strcmp(v->seen.origin, v->trail.key.origin) != 0)
		(void)bad(v, 0, "the witness speaks of another log");
	if (v->seen.seal.size > v->trail.sealed)
		(void)bad(v, v->trail.sealed, "the log ends before entry %" PRIu64 ", but its witness has seen %" PRIu64 " entries: it was cut, or put back",
		          v->trail.sealed, v->seen.seal.size);
	if (v->report->ok && v->pinned && !v->pin_seen && pin_pruned(v))
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_FAILED, "key", "the key given signed only entries that were pruned: it says nothing of what is left. "
		                    "Give a later one, or put what was exported in front of the rest");
	if (v->pinned && !v->pin_seen)
		(void)bad(v, v->cut.cut, "no entry is signed by the key given");
	return v->report->ok && !v->trail.skim ? against_bodies(v, &all, err) : 0;
}

static int read_checkpoint(struct verify *v, bool compare, struct bawn_err *err)
{
	int r = bawn_read_plain_file(v->dirfd, "checkpoint", &v->note, NULL);
	if (r == -ENOMEM)
		return bawn_fail(err, r, "read the checkpoint");
	if (r < 0)
		return 0;
	if (!bawn_note_size(bawn_buf_span(&v->note), &v->note_size)) {
		tiles_wrong(v, "checkpoint is no signed note");
		return 0;
	}
	if (!compare)
		return 0;
	v->tiles = bawn_tiles_check_new(v->dirfd, v->note_size, v->report->tiles);
	return v->tiles == NULL ? bawn_fail(err, -ENOMEM, "compare tiles") : 0;
}

static void finish_report(const struct verify *v)
{
	struct bawn_audit_report *r = v->report;
	r->verified_to = v->trail.sealed;
	r->entries = v->trail.sealed > v->head.size ? v->trail.sealed : v->head.size;
	r->epoch = v->trail.epoch;
	memcpy(r->head_hash, v->sealed_hash, sizeof r->head_hash);
	bawn_b64(v->trail.seal.root, sizeof v->trail.seal.root, r->root);
	if (v->note_size > 0 && r->tiles[0] == '\0')
		snprintf(r->tiles, sizeof r->tiles, "good");
}

/* ---- the witness ---- */

/* The name the log gives itself in its first entry; "" where that cannot be read. */
static int first_origin(int dirfd, char out[static BAWN_ORIGIN_MAX], struct bawn_err *err)
{
	bawn_auto_fd fd = -1;
	bawn_auto_lines lines = { 0 };
	struct bawn_trail t;
	struct bawn_span line = { 0 };
	struct bawn_line l;
	bool whole = false;
	const char *problem;
	out[0] = '\0';
	bawn_trail_init(&t);
	bawn_auto_segments all = { 0 };
	struct bawn_cut cut;
	int r = bawn_segments_list(dirfd, &all, NULL);
	if (r == 0 && all.n > 0 && all.first[0] > 0) {
		r = bawn_cut_find(dirfd, &all, &cut, NULL);
		if (r == 0)
			memcpy(out, cut.key.origin, sizeof cut.key.origin);
		return r == -ENOMEM ? bawn_fail(err, r, "read the first entry") : 0;
	}
	if (r == 0)
		r = bawn_segment_open(dirfd, 0, &fd, NULL);
	if (r < 0)
		return r == -ENOMEM || (r == -ENOENT && all.n > 0) ? bawn_fail(err, r, "read the first entry") : 0;
	r = bawn_lines_init(&lines, fd, 0, err);
	if (r == 0)
		r = bawn_lines_next(&lines, &line, &whole, err);
	if (r < 0 || line.p == NULL || !whole)
		return r;
	r = bawn_trail_next(&t, line, &l, &problem);
	if (r == 0)
		memcpy(out, t.key.origin, sizeof t.key.origin);
	return r == -ENOMEM ? bawn_fail(err, r, "read the first entry") : 0;
}

/* Could whoever writes the log have written this as well?  Root can write everything. */
static bool out_of_reach(int fd, uid_t writer)
{
	struct stat st;
	return fstat(fd, &st) == 0 && writer != 0 && st.st_uid != writer && (st.st_mode & 022) == 0;
}

/* Of a copy nobody can tell who writes the log it is of: only what the asking user or root keeps is certainly not his. */
static bool ours(int fd)
{
	struct stat st;
	return fstat(fd, &st) == 0 && (st.st_uid == 0 || st.st_uid == geteuid());
}

static const char *anchor_of(int dirfd, bool copy, int dir, const char *file)
{
	static const char *const of_log[] = { ".", "seg", "head" };
	bawn_auto_fd fd = openat(dir, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool good = !copy || (ours(dir) && ours(fd));
	for (size_t i = 0; good && i < BAWN_LEN(of_log); i++) {
		struct stat log;
		good = fstatat(dirfd, of_log[i], &log, AT_SYMLINK_NOFOLLOW) == 0 && out_of_reach(dir, log.st_uid) && out_of_reach(fd, log.st_uid);
	}
	return good ? "other-uid" : "same-uid";
}

/* A directory is asked for the log's own file, a file is taken as it is; *out_own: the first. */
static int open_witness(const char *path, const char *origin, int *out_dir, bool *out_own, char *file, size_t size)
{
	struct stat st;
	const char *slash = strrchr(path, '/');
	if (stat(path, &st) < 0)
		return -errno;
	*out_own = S_ISDIR(st.st_mode);
	if (*out_own) {
		char name[BAWN_WITNESS_NAME];
		bawn_witness_name(origin, name);
		snprintf(file, size, "%s", name);
		*out_dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	} else {
		bawn_auto_free char *dir = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
		if (dir == NULL)
			return -ENOMEM;
		snprintf(file, size, "%s", slash == NULL ? path : slash + 1);
		*out_dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	return *out_dir < 0 ? -errno : 0;
}

static int ask_witness(struct verify *v, const struct bawn_audit_verify_options *o, struct bawn_err *err)
{
	char origin[BAWN_ORIGIN_MAX], file[256];
	bawn_auto_fd dir = -1;
	bool own = false;
	if (o->witness == NULL)
		return 0;
	int r = first_origin(v->dirfd, origin, err);
	if (r < 0)
		return r;
	r = open_witness(o->witness, origin, &dir, &own, file, sizeof file);
	const bool found = r == 0;
	if (r == 0)  /* its own file is known by its name: what it has seen counts for us as for a writer, also where the first line is damaged */
		r = own ? bawn_witness_know(dir, origin, &v->seen) : bawn_witness_read(dir, file, &v->seen);
	if (r == 0) {
		snprintf(v->report->anchor, sizeof v->report->anchor, "%s", anchor_of(v->dirfd, o->copy, dir, file));
		v->report->witnessed = v->seen.seal.size;
		return 0;
	}
	if (r == -ENOMEM)
		return bawn_fail(err, r, "read the witness");
	struct bawn_sighting other;
	if (r == -ENOENT && found && own && o->witness_own && bawn_witness_replaced(dir, origin, v->dirfd, &other))
		return bad(v, 0, "the log was replaced: its witness knows nothing of it, and has seen another one of %" PRIu64 " entries in its place", other.seal.size);
	if (o->witness_may)
		return 0;
	if (r == -ENOENT && found)
		return bad(v, 0, "the witness knows nothing of this log");
	return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "witness", "read the witness '%s': %s", o->witness,
	                    r == -EBADMSG ? "neither a witness's file nor a checkpoint" : strerrordesc_np(-r));
}

static int verify_open(struct verify *v, const struct bawn_audit_verify_options *o, struct bawn_err *err)
{
	struct bawn_err why = { 0 };
	bawn_head_init(&v->head);
	bawn_trail_init(&v->trail);
	v->trail.skim = o->skim;
	int r = ask_witness(v, o, err);
	if (r < 0)
		return r;
	r = bawn_head_read_at(v->dirfd, &v->head, &why);
	if (r == -EBADMSG || r == -ELOOP)
		r = bad(v, 0, "%.150s", why.msg);
	else if (r < 0 && err != NULL)
		*err = why;
	if (r == 0)
		r = read_checkpoint(v, !o->skim, err);
	if (r == 0 && v->report->ok)
		r = verify_all(v, err);
	return r;
}

/* Is what is wrong perhaps what a writer changed while it was read? */
static bool overtaken(int dirfd, const struct bawn_audit_report *r, uint64_t acknowledged)
{
	struct bawn_head now;
	return !r->ok && r->first_bad_seq >= acknowledged && bawn_head_read_at(dirfd, &now, NULL) == 0 && now.size > acknowledged;
}

static int verify_once(int dirfd, const struct bawn_audit_verify_options *o, const struct bawn_vkey *pin, struct bawn_audit_report *report, struct bawn_err *err)
{
	struct verify v = { .report = report, .dirfd = dirfd, .note = BAWN_BUF(4096), .sealed_hash = BAWN_NO_HASH, .progress = o->progress, .pinned = o->key != NULL, .pin = *pin };
	*report = (struct bawn_audit_report){ .ok = true, .anchor = "none" };
	v.ahead = bawn_ahead_new(o->jobs, !o->skim);
	int r = v.ahead != NULL ? verify_open(&v, o, err) : bawn_fail(err, -ENOMEM, "verify the log");
	bawn_ahead_free(v.ahead);
	bawn_buf_done(&v.note);
	bawn_tiles_check_free(v.tiles);
	bawn_keeping_done(&v.keeping);
	if (r == 0)
		finish_report(&v);
	return r == 0 && overtaken(dirfd, report, v.head.size) ? -EAGAIN : r;
}

/* There is no log: was there one? */
static bool is_remembered(const char *witness, struct bawn_audit_report *out)
{
	struct bawn_sighting seen;
	bawn_auto_fd dir = open(witness, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || bawn_witness_other(dir, "", &seen) < 0)
		return false;
	*out = (struct bawn_audit_report){ .absent = true, .anchor = "none" };
	snprintf(out->problem, sizeof out->problem, "there is no audit log, but its witness has seen one of %" PRIu64 " entries here: it was removed", seen.seal.size);
	return true;
}

int bawn_audit_verify(const char *dir, const struct bawn_audit_verify_options *o, struct bawn_audit_report *out, struct bawn_err *err)
{
	static const struct bawn_audit_verify_options none;
	struct bawn_audit_report report;
	struct bawn_vkey pin = { 0 };
	bawn_auto_fd dirfd = -1;
	o = o != NULL ? o : &none;
	if (o->key != NULL && !bawn_vkey_read(bawn_span(o->key), &pin))
		return bawn_fail_as(err, BAWN_ERROR_INVALID_REQUEST, "key", "not a verifier key: NAME+ID+KEY, as in the file vkey of a log");
	struct bawn_err why = { 0 };
	int r = bawn_audit_dir_open(dir, &dirfd, &why);
	if (r < 0 && why.type == BAWN_ERROR_NOT_FOUND && o->witness_own && is_remembered(o->witness, out))
		return 0;
	if (r < 0) {
		if (err != NULL)
			*err = why;
		return r;
	}
	r = -ENOENT;
	for (int i = 0; (r == -ENOENT || r == -EAGAIN) && i < BAWN_PRUNED_TRIES; i++)
		r = verify_once(dirfd, o, &pin, &report, err);
	if (r == -EAGAIN)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_BUSY, NULL, "the end of the audit log '%s' was cut off and written anew each of %d times it was read; verify it again",
		                    dir, BAWN_PRUNED_TRIES);
	if (r < 0)
		return bawn_wrap(err, r, "verify '%s'", dir);
	*out = report;
	return 0;
}
