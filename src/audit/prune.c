/* prune.c - see prune.h; and the way there: export, verify the export, record, remove.
 *
 * Invariants:
 * (1) no segment is removed before its bytes are durable in the export, were read back from it and verified
 *     as the entries of this log, a log.prune that binds them is durable, and the witness knows of it;
 * (2) segments go oldest first, so that what is left is always the end of the log, and wherever it is
 *     interrupted the log opens; the next writer goes on;
 * (3) the last segment stays, and so do tiles, keys and bodies: entries can still be proved. */
#include "audit/prune.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include "audit/keys.h"
#include "audit/store.h"
#include "audit/tiles.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/num.h"

/* ---- finding it ---- */

static bool has_segment(const struct bawn_segments *all, uint64_t first)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->first[i] == first)
			return true;
	return false;
}

/* A log.prune that explains where this log begins?  It stands in a segment that it left: those before the cut are nobody's
 * word.  0, -ENOENT, or -ENOMEM. */
static int read_cut(struct bawn_span line, uint64_t segment, const struct bawn_segments *all, struct bawn_line *out_line, struct bawn_cut *out)
{
	const char *problem;
	struct bawn_cut c;
	static const char type[] = ",\"type\":\"log.prune\",";
	if (memmem(line.p, line.n, type, sizeof type - 1) == NULL)
		return -ENOENT;
	int r = bawn_line_check(line, out_line, &problem);
	if (r == -ENOMEM)
		return r;
	if (r < 0 || !bawn_span_is(out_line->type, "log.prune") || !bawn_cut_read(out_line->body, &c) || c.cut > out_line->seq ||
	    c.cut > segment || !has_segment(all, c.cut))
		return -ENOENT;
	c.seq = out_line->seq;
	c.segment = segment;
	memcpy(c.own, out_line->hash, sizeof c.own);
	*out = c;
	return 0;
}

static int look_through(int dirfd, uint64_t segment, const struct bawn_segments *all, struct bawn_cut *best, struct bawn_err *err)
{
	bawn_auto_fd fd = -1;
	bawn_auto_lines lines = { 0 };
	int r = bawn_segment_open(dirfd, segment, &fd, err);
	if (r == 0)
		r = bawn_lines_init(&lines, fd, 0, err);
	while (r == 0) {
		struct bawn_span line;
		struct bawn_line l;
		struct bawn_cut c;
		bool whole;
		const uint64_t at = lines.offset;
		r = bawn_lines_next(&lines, &line, &whole, err);
		if (r < 0 || line.p == NULL || !whole)  /* no entry follows what is none, however much of it there is */
			return r;
		r = read_cut(line, segment, all, &l, &c);
		if (r == -ENOMEM)
			return bawn_fail(err, r, "read the audit log");
		if (r == 0 && (best->cut == 0 || c.cut < best->cut)) {
			*best = c;
			best->at = at;
		}
		r = 0;
	}
	return r;
}

int bawn_cut_find(int dirfd, const struct bawn_segments *all, struct bawn_cut *out, struct bawn_err *err)
{
	struct bawn_cut best = { 0 };
	int r = 0;
	for (size_t i = 0; r == 0 && i < all->n; i++)
		r = look_through(dirfd, all->first[i], all, &best, err);
	if (r == 0 && best.cut == 0)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL,
		                    "the audit log begins at entry %" PRIu64 ", and no log.prune says where those before it are", all->n > 0 ? all->first[0] : 0);
	if (r == 0)
		*out = best;
	return r;
}

bool bawn_cut_root(int dirfd, const struct bawn_cut *cut, uint64_t size, uint8_t out[static BAWN_SHA256_LEN])
{
	bawn_node want, now;
	bawn_tree_root(&cut->tree, want);
	if (size == cut->cut) {
		memcpy(out, want, sizeof want);
		return true;
	}
	return bawn_tiles_roots(dirfd, cut->cut, size, now, out) && memcmp(now, want, sizeof now) == 0;
}

/* ---- for a writer that opens it ---- */

/* By the hint: one line is read instead of all.  *out_line points into *text. */
static int hinted(struct bawn_store *s, const struct bawn_segments *all, struct bawn_buf *text, struct bawn_line *out_line, struct bawn_cut *out)
{
	bawn_auto_buf hint = BAWN_BUF(64);
	bawn_auto_fd fd = -1;
	bawn_auto_lines lines = { 0 };
	struct bawn_span line = { 0 };
	bool whole = false;
	char *end;
	if (bawn_read_plain_file(s->dirfd, "pruned", &hint, NULL) < 0 || hint.n == 0)
		return -ENOENT;
	const uint64_t segment = strtoull(hint.p, &end, 10), at = strtoull(end, NULL, 10);
	if (bawn_segment_open(s->dirfd, segment, &fd, NULL) < 0 || bawn_lines_init(&lines, fd, at, NULL) < 0 ||
	    bawn_lines_next(&lines, &line, &whole, NULL) < 0 || line.p == NULL || !whole)
		return -ENOENT;
	bawn_buf_add(text, line.p, line.n);
	if (bawn_buf_error(text) < 0)
		return -ENOENT;
	int r = read_cut(bawn_buf_span(text), segment, all, out_line, out);
	if (r == 0)
		out->at = at;
	return r;
}

static int found(struct bawn_store *s, const struct bawn_segments *all, struct bawn_buf *text, struct bawn_line *out_line, struct bawn_cut *out, struct bawn_err *err)
{
	bawn_auto_fd fd = -1;
	bawn_auto_lines lines = { 0 };
	struct bawn_span line = { 0 };
	bool whole = false;
	if (hinted(s, all, text, out_line, out) == 0)
		return 0;
	bawn_buf_reset(text);
	int r = bawn_cut_find(s->dirfd, all, out, err);
	if (r == 0)
		r = bawn_segment_open(s->dirfd, out->segment, &fd, err);
	if (r == 0)
		r = bawn_lines_init(&lines, fd, out->at, err);
	if (r == 0)
		r = bawn_lines_next(&lines, &line, &whole, err);
	if (r < 0)
		return r;
	bawn_buf_add(text, line.p, line.n);
	const char *problem;
	r = bawn_buf_error(text) < 0 ? bawn_buf_error(text) : bawn_line_check(bawn_buf_span(text), out_line, &problem);
	return r < 0 ? bawn_fail(err, r, "read the audit log") : 0;
}

/* Only the log itself can have signed it. */
static bool ours(struct bawn_store *s, const struct bawn_line *l, uint64_t epoch)
{
	struct bawn_vkey key;
	for (uint64_t e = 0; l->sealed && e <= epoch; e++)
		if (bawn_keys_public(s->dirfd, e, &key) == 0 && strcmp(key.origin, s->signer.key.origin) == 0 && bawn_seal_good(&l->seal, &key))
			return true;
	return false;
}

static int remove_before(struct bawn_store *s, const struct bawn_segments *all, uint64_t cut, struct bawn_err *err)
{
	bool removed = false;
	if (all->n > 0 && all->first[0] < cut) {  /* no power cut brings back a head that names one of them */
		int r = bawn_store_fix_head(s, err);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < all->n && all->first[i] < cut; i++) {
		char name[BAWN_SEGMENT_NAME];
		bawn_segment_name(all->first[i], name);
		if (unlinkat(s->segdir, name, 0) < 0 && errno != ENOENT)
			return bawn_store_fail(s, err, "remove a segment");
		removed = true;
	}
	return removed && fsync(s->segdir) < 0 ? bawn_store_fail(s, err, "sync the directory of segments") : 0;
}

int bawn_store_check_pruned(struct bawn_store *s, const struct bawn_head *h, struct bawn_err *err)
{
	bawn_auto_segments all = { 0 };
	bawn_auto_buf text = BAWN_BUF(2 * BAWN_ENTRY_MAX);
	struct bawn_line l;
	struct bawn_cut c;
	int r = bawn_segments_list(s->dirfd, &all, err);
	if (r < 0 || all.n == 0 || all.first[0] == 0)
		return r;
	r = found(s, &all, &text, &l, &c, err);
	if (r < 0)
		return r;
	if (c.seq >= h->size || !ours(s, &l, h->epoch))
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "the log.prune that says where the entries before %" PRIu64 " are is not signed by the log", c.cut);
	return remove_before(s, &all, c.cut, err);
}

/* ---- pruning ---- */

struct pruning {
	struct bawn_store            store;
	const struct bawn_prune     *ask;
	struct bawn_segments         all;
	struct bawn_cut              start, cut;  /* where the log begins now (cut 0: at its genesis), where it will */
	struct bawn_pruned           done;
	int                          export;
	bool                         made;        /* the export file is ours */
};

static int first_time(int dirfd, uint64_t segment, uint64_t *out_us, struct bawn_err *err)
{
	bawn_auto_fd fd = -1;
	bawn_auto_lines lines = { 0 };
	struct bawn_span line = { 0 };
	struct bawn_line l;
	const char *problem;
	bool whole = false;
	int r = bawn_segment_open(dirfd, segment, &fd, err);
	if (r == 0)
		r = bawn_lines_init(&lines, fd, 0, err);
	if (r == 0)
		r = bawn_lines_next(&lines, &line, &whole, err);
	if (r == 0)
		r = line.p != NULL && whole ? bawn_line_shape(line, &l, &problem) : -EBADMSG;
	if (r == 0)
		*out_us = l.ts_us;
	return r < 0 ? bawn_wrap(err, r, "read a segment") : 0;
}

/* The last segment whose first entry, and that of all before it, is older: what stands before it is older still. */
static int choose(struct pruning *p, struct bawn_err *err)
{
	int r = bawn_segments_list(p->store.dirfd, &p->all, err);
	for (size_t i = 1; r == 0 && i < p->all.n && p->all.first[i] <= p->store.head.segment; i++) {
		uint64_t us = 0;
		r = first_time(p->store.dirfd, p->all.first[i], &us, err);
		if (r < 0 || us >= p->ask->before_us)
			break;
		p->cut.cut = p->all.first[i];
		p->done.keep_until_us = us + p->ask->keep_us;
	}
	if (r == 0 && p->cut.cut > 0 && p->all.first[0] > 0)
		r = bawn_cut_find(p->store.dirfd, &p->all, &p->start, err);
	return r;
}

static int export_failed(struct pruning *p, int code, struct bawn_err *err)
{
	return bawn_fail_as(err, code == -ENOSPC || code == -EDQUOT ? BAWN_ERROR_DISK_FULL : BAWN_ERROR_AUDIT_FAILED, NULL,
	                    "export to '%s': %s", p->ask->export_path, strerrordesc_np(-code));
}

static int copy_segment(struct pruning *p, uint64_t segment, struct bawn_sha256 *sha, struct bawn_err *err)
{
	static const size_t piece = 1u << 20;
	bawn_auto_free char *buf = malloc(piece);
	bawn_auto_fd fd = -1;
	int r = buf == NULL ? bawn_fail(err, -ENOMEM, "export") : bawn_segment_open(p->store.dirfd, segment, &fd, err);
	while (r == 0) {
		ssize_t n = read(fd, buf, piece);
		if (n < 0)
			return bawn_store_fail(&p->store, err, "read a segment");
		if (n == 0)
			return 0;
		bawn_sha256_add(sha, buf, (size_t)n);
		p->done.bytes += (size_t)n;
		r = bawn_write_all(p->export, buf, (size_t)n, NULL);
		if (r < 0)
			return export_failed(p, r, err);
	}
	return r;
}

static int sync_parent(const char *path)
{
	const char *slash = strrchr(path, '/');
	bawn_auto_free char *dir = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
	bawn_auto_fd fd = dir != NULL ? open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

static int export_all(struct pruning *p, struct bawn_err *err)
{
	struct bawn_sha256 sha;
	uint8_t raw[BAWN_SHA256_LEN];
	bawn_sha256_init(&sha);
	p->export = open(p->ask->export_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (p->export < 0)
		return export_failed(p, -errno, err);
	p->made = true;
	int r = 0;
	for (size_t i = 0; r == 0 && i < p->all.n && p->all.first[i] < p->cut.cut; i++) {
		if (p->all.first[i] < p->start.cut)
			continue;
		r = copy_segment(p, p->all.first[i], &sha, err);
		p->done.segments++;
	}
	if (r < 0)
		return r;
	bawn_sha256_end(&sha, raw);
	bawn_hex(raw, sizeof raw, p->done.sha256);
	if (fsync(p->export) < 0)
		return export_failed(p, -errno, err);
	r = sync_parent(p->ask->export_path);
	return r < 0 ? export_failed(p, r, err) : 0;
}

static int bad_export(struct pruning *p, uint64_t seq, const char *problem, struct bawn_err *err)
{
	return bawn_fail_as(err, BAWN_ERROR_AUDIT_FAILED, NULL, "the export '%s' does not hold what the log held: entry %" PRIu64 ": %s",
	                    p->ask->export_path, seq, problem);
}

static int same_bytes(struct pruning *p, struct bawn_err *err)
{
	bawn_auto_free char *buf = malloc(1u << 20);
	struct bawn_sha256 sha;
	uint8_t raw[BAWN_SHA256_LEN];
	char hex[BAWN_SHA256_HEX];
	ssize_t n = 1;
	if (buf == NULL)
		return bawn_fail(err, -ENOMEM, "verify the export");
	bawn_sha256_init(&sha);
	for (off_t at = 0; n > 0; at += n) {
		n = pread(p->export, buf, 1u << 20, at);
		if (n > 0)
			bawn_sha256_add(&sha, buf, (size_t)n);
	}
	bawn_sha256_end(&sha, raw);
	bawn_hex(raw, sizeof raw, hex);
	return n == 0 && strcmp(hex, p->done.sha256) == 0 ? 0 : bad_export(p, p->start.cut, "other bytes than were written", err);
}

/* Reads the export as a verifier would; where it ends is the cut. */
static int verify_export(struct pruning *p, struct bawn_err *err)
{
	struct bawn_trail t;
	bawn_auto_lines lines = { 0 };
	int r = same_bytes(p, err);
	bawn_trail_init(&t);
	if (p->start.cut > 0)
		bawn_trail_cut(&t, &p->start);
	if (r == 0)
		r = bawn_lines_init(&lines, p->export, 0, err);
	while (r == 0) {
		struct bawn_span line;
		struct bawn_line l;
		bool whole;
		const char *problem = "not a whole line";
		r = bawn_lines_next(&lines, &line, &whole, err);
		if (r < 0 || line.p == NULL)
			break;
		r = whole ? bawn_trail_next(&t, line, &l, &problem) : -EBADMSG;
		if (r < 0)
			return r == -ENOMEM ? bawn_fail(err, r, "verify the export") : bad_export(p, t.chain.seq, problem, err);
		if (l.seq == 0)
			p->cut.genesis = t.key;
	}
	if (r < 0)
		return r;
	if (t.chain.seq != p->cut.cut || t.sealed != p->cut.cut)
		return bad_export(p, t.chain.seq, "it ends there", err);
	memcpy(p->cut.hash, t.chain.hash, sizeof p->cut.hash);
	p->cut.epoch = t.epoch;
	p->cut.key = t.key;
	p->cut.tree = t.tree;
	if (p->start.cut > 0)
		p->cut.genesis = p->start.genesis;
	p->done.from = p->start.cut;
	p->done.cut = p->cut.cut;
	return 0;
}

/* Nothing is taken out of a log that is not whole, nor before its tiles can prove what is left. */
static int check_log(struct pruning *p, const char *dir, struct bawn_err *err)
{
	struct bawn_audit_report v = { 0 };
	bawn_store_derive(&p->store, &p->store.head, &p->store.sealer);
	int r = bawn_audit_verify(dir, NULL, &v, err);
	if (r < 0)
		return r;
	if (!v.ok)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "the audit log is not good: %s", v.problem);
	if (strcmp(v.tiles, "good") != 0)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_FAILED, NULL, "the tiles of the audit log are not whole: %s; remove tile and checkpoint, and they are made anew",
		                    v.tiles[0] != '\0' ? v.tiles : "there are none");
	return syncfs(p->store.dirfd) < 0 ? bawn_store_fail(&p->store, err, "sync the tiles") : 0;
}

static json_t *prune_json(const struct pruning *p)
{
	const char *slash = strrchr(p->ask->export_path, '/');
	char until[BAWN_RFC3339_LEN];
	bawn_rfc3339(p->done.keep_until_us, until);
	json_t *body = bawn_cut_json(&p->cut);
	bool ok = body != NULL;
	bawn_json_set(body, "from", json_integer((json_int_t)p->done.from), &ok);
	bawn_json_set(body, "segments", json_integer((json_int_t)p->done.segments), &ok);
	bawn_json_set(body, "bytes", json_integer((json_int_t)p->done.bytes), &ok);
	bawn_json_set(body, "sha256", json_string(p->done.sha256), &ok);
	bawn_json_set(body, "keep_until", json_string(until), &ok);
	bawn_json_set(body, "file", bawn_json_text(bawn_span(slash != NULL ? slash + 1 : p->ask->export_path)), &ok);
	if (ok)
		return body;
	json_decref(body);
	return NULL;
}

/* Called with the lock held, after log.prune was written: head ends with it. */
static int carry_out(struct bawn_store *s, void *ctx, struct bawn_err *err)
{
	struct pruning *p = ctx;
	char hint[64];
	int n = snprintf(hint, sizeof hint, "%" PRIu64 " %" PRIu64 "\n", s->head.segment, s->head.at);
	int r = bawn_replace_file(s->dirfd, "pruned", (struct bawn_span){ hint, (size_t)n }, 0600, err);
	return r < 0 ? r : remove_before(s, &p->all, p->cut.cut, err);
}

static int prune(struct pruning *p, const char *dir, struct bawn_err *err)
{
	int r = check_log(p, dir, err);
	if (r == 0)
		r = choose(p, err);
	if (r < 0 || p->cut.cut == 0)
		return r;
	r = export_all(p, err);
	if (r == 0)
		r = verify_export(p, err);
	if (r < 0)
		return r;
	bawn_auto_json body = prune_json(p);
	if (body == NULL)
		return bawn_fail(err, -ENOMEM, "record the pruning");
	r = bawn_store_record(&p->store, BAWN_RECORD_LOG_PRUNE, p->ask->principal, body, carry_out, p, &p->done.receipt, err);
	if (p->done.receipt.log_size > 0)
		p->made = false;  /* the record names it */
	return r;
}

int bawn_audit_prune(const char *dir, const struct bawn_audit_options *o, const struct bawn_prune *ask, struct bawn_pruned *out, struct bawn_err *err)
{
	static const struct bawn_audit_options none;
	struct pruning p = { .ask = ask, .export = -1 };
	struct bawn_audit_options roomless = o != NULL ? *o : none;
	roomless.reserve_bytes = 0;  /* a full disk is when it is needed: no room is asked for, and what was kept may be used */
	int r = bawn_store_open(&p.store, dir, &roomless, err);
	if (r < 0)
		return r;
	p.store.reserve = o != NULL ? o->reserve_bytes : 0;
	r = prune(&p, dir, err);
	bawn_store_done(&p.store);
	bawn_segments_done(&p.all);
	bawn_close_fdp(&p.export);
	if (r < 0 && p.made)
		(void)unlink(ask->export_path);
	if (r == 0)
		*out = p.done;
	return r;
}
