/* walk.c - reading entries, forwards from a seq or backwards from the end.
 *
 * Invariants: (1) an entry is handed out only after its bytes, its seq and its link to the neighbour
 * read before it were checked; (2) backwards reads what it hands out and no more, so the last fifty of
 * a huge log cost the same as of a small one.
 * Both see commits beyond head that continue chain and tree and are signed, unless somebody is committing: after a power cut
 * these were acknowledged.  So what was handed out stays: a commit under way may be taken back, also where each of its lines
 * is signed.  Up to head signatures are not checked here: that is for bawn_audit_verify.
 * The log may be pruned meanwhile: what is not there any more is passed over, unless somebody had begun to read it in order. */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include "audit/audit.h"
#include "audit/entry.h"
#include "audit/head.h"
#include "audit/keys.h"
#include "audit/prune.h"
#include "audit/segment.h"
#include "audit/trail.h"
#include "audit/walk.h"
#include "base/cleanup.h"

#define LOCK_TRIES 20  /* of 1 ms */

static int tampered(struct bawn_err *err, uint64_t seq, const char *problem)
{
	return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL,
	                    "entry %" PRIu64 " of the audit log: %s", seq, problem);
}

int bawn_walk_show(bawn_entry_fn *entry, void *ctx, const struct bawn_line *l, struct bawn_span line, struct bawn_err *err)
{
	bawn_auto_json j = json_loadb(line.p, line.n, JSON_ALLOW_NUL, NULL);
	if (j == NULL)  /* the line was checked: nothing else can be wrong with it */
		return bawn_fail(err, -ENOMEM, "read the audit log");
	struct bawn_entry e = { .seq = l->seq, .ts_us = l->ts_us, .line = line, .json = j };
	return entry(ctx, &e);
}

/* ---- the end ---- */

/* What stands there: the head, the segments, how long the last of them is. */
struct standing { struct bawn_head head; struct bawn_segments *all; uint64_t bytes; };

static int look_at(int dirfd, struct standing *out, struct bawn_err *err)
{
	bawn_auto_fd fd = -1;
	struct stat st = { 0 };
	bawn_segments_done(out->all);
	int r = bawn_head_read_at(dirfd, &out->head, err);
	if (r == 0)
		r = bawn_segments_list(dirfd, out->all, err);
	if (r == 0 && out->all->n > 0) {
		r = bawn_segment_open(dirfd, out->all->first[out->all->n - 1], &fd, err);
		if (r == -ENOENT)  /* a torn one, dropped since */
			r = 0;
	}
	if (r == 0 && fd >= 0 && fstat(fd, &st) < 0)
		r = bawn_fail(err, -errno, "read the audit log");
	out->bytes = (uint64_t)st.st_size;
	return r;
}

static bool ends_at_head(const struct standing *s)
{
	const uint64_t last = s->all->n > 0 ? s->all->first[s->all->n - 1] : 0;
	return last < s->head.segment || (last == s->head.segment && s->bytes <= s->head.offset);
}

/* What stands beyond head is a commit under way, or was left by a crash.  Where nobody commits it is the latter, as far as it
 * reaches now; the next writer keeps what of it is signed.  The lock is held for this look alone: no reader keeps a writer
 * waiting.  A commit takes a moment, so a moment is waited for it: it may be the one that mends what a crash left.  Returns 1 if it
 * may be read, 0 if not. */
static int look_beyond(int dirfd, struct standing *s, struct bawn_err *err)
{
	bawn_auto_fd lock = openat(dirfd, "LOCK", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (lock < 0)
		return errno == ENOENT;  /* a copy, where nobody writes */
	int r = 0;
	for (int i = 0; flock(lock, LOCK_SH | LOCK_NB) < 0; i++) {
		if (i == LOCK_TRIES)
			return 0;
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = 1000000 }, NULL);
		r = look_at(dirfd, s, err);
		if (r < 0 || ends_at_head(s))
			return r;
	}
	r = look_at(dirfd, s, err);
	(void)flock(lock, LOCK_UN);  /* not by closing it alone: a child forked meanwhile has it open as well */
	return r < 0 ? r : 1;
}

/* Commits that follow *end in one segment, between two bytes; *t is where *end is. */
static int end_in_segment(int dirfd, uint64_t segment, uint64_t offset, uint64_t until, struct bawn_trail *t, struct bawn_head *end, struct bawn_err *err)
{
	bawn_auto_fd fd = -1;
	bawn_auto_lines lines = { 0 };
	struct bawn_trail next = *t;
	int r = bawn_segment_open(dirfd, segment, &fd, err);
	if (r == 0)
		r = bawn_lines_init(&lines, fd, offset, err);
	lines.end = until;
	while (r == 0) {
		struct bawn_span line;
		struct bawn_line l;
		bool whole;
		const char *problem;
		r = bawn_lines_next(&lines, &line, &whole, err);
		if (r < 0 || line.p == NULL || !whole)
			return r;
		r = bawn_trail_next(&next, line, &l, &problem);
		if (r < 0)
			return r == -ENOMEM ? bawn_fail(err, r, "read the audit log") : 0;
		if (!l.sealed)
			continue;
		*t = next;
		end->segment = segment;
		end->offset = lines.offset;
		end->size = next.chain.seq;
		memcpy(end->hash, next.chain.hash, sizeof end->hash);
	}
	return r;
}

/* Where the log ends, at head or beyond: segment, offset, size and hash of *out.  A copy without keys/ ends at its head:
 * what stands behind could be anybody's. */
static int find_end(int dirfd, const struct standing *s, struct bawn_head *out, struct bawn_err *err)
{
	int r = 0;
	struct bawn_trail trail;
	struct bawn_vkey key;
	const struct bawn_head *head = &s->head;
	const struct bawn_segments *all = s->all;
	struct bawn_head end = *head;
	*out = end;
	bawn_trail_init(&trail);
	if (head->size > 0) {
		if (bawn_keys_public(dirfd, head->epoch, &key) < 0)
			return 0;
		bawn_trail_from(&trail, head, &key);
	}
	for (size_t i = 0; r == 0 && i < all->n; i++) {
		const uint64_t until = i + 1 == all->n ? s->bytes : UINT64_MAX;
		if (all->first[i] == head->segment)
			r = end_in_segment(dirfd, all->first[i], head->offset, until, &trail, &end, err);
		else if (all->first[i] > head->segment && all->first[i] == end.size)
			r = end_in_segment(dirfd, all->first[i], 0, until, &trail, &end, err);
	}
	*out = end;
	return r;
}

/* ---- forwards ---- */

struct forward {
	int                    dirfd;
	struct bawn_head       end;
	struct bawn_chain      chain;
	bool                   linked;  /* chain.hash is known */
	bool                   ended;   /* by who was shown an entry */
	struct bawn_bookmark     *place;   /* from place->seq on entries are handed out */
	bawn_entry_fn         *entry;
	void                  *ctx;
};

/* `segment` and `offset` are where the next line begins. */
static int one_line(struct forward *f, struct bawn_span line, bool whole, uint64_t segment, uint64_t offset, struct bawn_err *err)
{
	struct bawn_line l = { 0 };
	const char *problem = "not a whole line";
	if (whole && f->chain.seq < f->place->seq) {  /* not asked for: its turn to be checked is bawn_audit_verify */
		f->chain.seq++;
		f->linked = false;
		return 0;
	}
	int r = -EBADMSG;
	if (whole && !f->linked) {
		r = bawn_line_shape(line, &l, &problem);
		if (r == 0)
			memcpy(f->chain.hash, l.prev_hash, 64);
		f->linked = r == 0;
	}
	if (whole && f->linked)
		r = bawn_chain_next(&f->chain, line, &l, &problem);
	if (r == -ENOMEM)
		return bawn_fail(err, r, "read the audit log");
	if (r < 0)
		return tampered(err, f->chain.seq, problem);
	*f->place = (struct bawn_bookmark){ .seq = f->chain.seq, .known = true, .segment = segment, .offset = offset };
	memcpy(f->place->hash, f->chain.hash, sizeof f->place->hash);
	r = bawn_walk_show(f->entry, f->ctx, &l, line, err);
	f->ended = r != 0;
	return r;
}

static int forward_segment(struct forward *f, uint64_t segment, uint64_t from, struct bawn_err *err)
{
	bawn_auto_fd fd = -1;
	bawn_auto_lines lines = { 0 };
	int r = bawn_segment_open(f->dirfd, segment, &fd, err);
	if (r == 0)
		r = bawn_lines_init(&lines, fd, from, err);
	while (r == 0 && f->chain.seq < f->end.size) {
		struct bawn_span line;
		bool whole;
		r = bawn_lines_next(&lines, &line, &whole, err);
		if (r < 0 || line.p == NULL)
			return r;
		r = one_line(f, line, whole, segment, lines.offset, err);
	}
	return r;
}

int bawn_walk_open(const char *dir, int *out_fd, struct bawn_segments *all, struct bawn_head *out_end, struct bawn_err *err)
{
	struct standing s = { .all = all };
	int r = bawn_audit_dir_open(dir, out_fd, err);
	if (r == 0)
		r = look_at(*out_fd, &s, err);
	if (r == 0 && !ends_at_head(&s))
		r = look_beyond(*out_fd, &s, err);
	*out_end = s.head;
	return r > 0 ? find_end(*out_fd, &s, out_end, err) : r;
}

/* The segment of a place was pruned: where what follows it is the first that is left, that goes on from it. */
static int find_pruned(struct forward *f, const struct bawn_segments *all, size_t *out_segment, struct bawn_err *err)
{
	const struct bawn_bookmark *p = f->place;
	struct bawn_cut cut;
	int r = bawn_cut_find(f->dirfd, all, &cut, err);
	if (r < 0)
		return r;
	if (cut.cut > p->seq)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_FAILED, NULL, "entries %" PRIu64 " to %" PRIu64 " of the audit log were pruned before they were read", p->seq, cut.cut - 1);
	if (cut.cut < p->seq || memcmp(cut.hash, p->hash, 64) != 0)
		return tampered(err, p->seq - 1, "another one was pruned in its place");
	for (*out_segment = 0; all->first[*out_segment] < cut.cut; )
		++*out_segment;
	f->chain.seq = p->seq;
	f->linked = true;
	memcpy(f->chain.hash, p->hash, sizeof f->chain.hash);
	return 0;
}

/* Whoever follows the log was shown what stood beyond head while nobody committed; now somebody does.  Is it still there? */
static bool still_there(int dirfd, const struct bawn_head *end, const struct bawn_bookmark *p)
{
	bawn_auto_fd fd = -1;
	struct stat st;
	return (p->segment > end->segment || (p->segment == end->segment && p->offset > end->offset)) &&
	       bawn_segment_open(dirfd, p->segment, &fd, NULL) == 0 && fstat(fd, &st) == 0 && (uint64_t)st.st_size >= p->offset;
}

/* Where to begin: at the place, or at the start of the segment that holds its entry.  *out_segment indexes all. */
static int find_start(struct forward *f, const struct bawn_segments *all, size_t *out_segment, uint64_t *out_offset, struct bawn_err *err)
{
	const struct bawn_bookmark *p = f->place;
	struct bawn_cut cut = { 0 };
	size_t i = 0;
	/* Who knows his place has asked before: that reads all segments, and tail comes once a second. */
	int r = !p->known && all->n > 0 && all->first[0] > 0 ? bawn_cut_find(f->dirfd, all, &cut, err) : 0;
	if (r < 0)
		return r;
	if (p->known && p->seq > f->end.size) {
		f->chain.seq = f->end.size;  /* there is nothing new */
		return still_there(f->dirfd, &f->end, p) ? 0 : tampered(err, f->end.size, "it was here and is gone");
	}
	if (p->known && all->n > 0 && all->first[0] > p->segment)
		return find_pruned(f, all, out_segment, err);
	while (i + 1 < all->n && (all->first[i + 1] <= (p->known ? p->segment : p->seq) || all->first[i] < cut.cut))
		i++;
	*out_segment = i;
	*out_offset = p->known ? p->offset : 0;
	if (p->known && (all->n == 0 || all->first[i] != p->segment))
		return tampered(err, p->seq - 1, "its segment is gone");
	f->chain.seq = p->known ? p->seq : i > 0 || cut.cut > 0 ? all->first[i] : 0;
	f->linked = p->known || f->chain.seq == 0;
	memcpy(f->chain.hash, p->known ? p->hash : BAWN_NO_HASH, sizeof f->chain.hash);
	return 0;
}

static int walk_once(const char *dir, struct forward *f, struct bawn_err *err)
{
	bawn_auto_fd dirfd = -1;
	bawn_auto_segments all = { 0 };
	size_t i = 0;
	uint64_t offset = 0;
	int r = bawn_walk_open(dir, &dirfd, &all, &f->end, err);
	f->dirfd = dirfd;
	if (r == 0)
		r = find_start(f, &all, &i, &offset, err);
	if (r < 0)
		return r;
	for (; r == 0 && f->chain.seq < f->end.size && i < all.n; i++, offset = 0) {
		if (offset == 0 && all.first[i] != f->chain.seq)
			return tampered(err, f->chain.seq, "it is missing");
		r = forward_segment(f, all.first[i], offset, err);
	}
	if (r == 0 && f->chain.seq < f->end.size)
		r = tampered(err, f->chain.seq, "the log is shorter than its head");
	return r;
}

int bawn_audit_walk_on(const char *dir, struct bawn_bookmark *place, bawn_entry_fn *entry, void *ctx, struct bawn_err *err)
{
	int r = -ENOENT;
	bool again = true;
	for (int i = 0; again && i < BAWN_PRUNED_TRIES; i++) {
		struct forward f = { .place = place, .entry = entry, .ctx = ctx };
		r = walk_once(dir, &f, err);
		again = r == -ENOENT && !f.ended;
	}
	return r;
}

int bawn_audit_walk(const char *dir, uint64_t from_seq, bawn_entry_fn *entry, void *ctx, struct bawn_err *err)
{
	return bawn_audit_walk_on(dir, &(struct bawn_bookmark){ .seq = from_seq }, entry, ctx, err);
}

/* ---- backwards ---- */

struct window { int fd; char *buf; size_t cap; uint64_t from, to; };  /* bytes from..to of the file */

#define WINDOW_FIRST (64u << 10)

/* A window that ends at `end` and is longer than the one before, if that was too short. */
static int slide(struct window *w, uint64_t end, bool longer, struct bawn_err *err)
{
	size_t want = w->cap == 0 ? WINDOW_FIRST : longer ? 2 * w->cap : w->cap;
	if (want != w->cap) {
		char *buf = realloc(w->buf, want);
		if (buf == NULL)
			return bawn_fail(err, -ENOMEM, "read the audit log");
		w->buf = buf;
		w->cap = want;
	}
	w->from = end > want ? end - want : 0;
	w->to = end;
	for (size_t done = 0, all = (size_t)(end - w->from); done < all; ) {
		ssize_t n = pread(w->fd, w->buf + done, all - done, (off_t)(w->from + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return bawn_fail(err, n < 0 ? -errno : -EIO, "read the audit log");
		done += (size_t)n;
	}
	return 0;
}

/* The line whose newline is the byte before `end`; -EBADMSG where there is none. */
static int line_before(struct window *w, uint64_t end, struct bawn_span *out, struct bawn_err *err)
{
	int r = w->cap == 0 || end > w->to || end <= w->from ? slide(w, end, false, err) : 0;
	while (r == 0) {
		size_t n = (size_t)(end - w->from);
		if (n == 0 || w->buf[n - 1] != '\n')
			return -EBADMSG;
		const char *nl = n > 1 ? memrchr(w->buf, '\n', n - 1) : NULL;
		if (nl != NULL || w->from == 0) {
			const char *start = nl != NULL ? nl + 1 : w->buf;
			*out = (struct bawn_span){ start, (size_t)(w->buf + n - 1 - start) };
			return 0;
		}
		if (n > BAWN_ENTRY_MAX)
			return -EBADMSG;
		r = slide(w, end, w->to == end, err);
	}
	return r;
}

struct backward { uint64_t left; char hash[BAWN_SHA256_HEX]; bawn_line_fn *fn; void *ctx; };

static int one_back(struct backward *b, struct bawn_span line, struct bawn_err *err)
{
	struct bawn_line l;
	const char *problem = "";
	int r = bawn_line_check(line, &l, &problem);
	if (r == -ENOMEM)
		return bawn_fail(err, r, "read the audit log");
	if (r < 0)
		return tampered(err, b->left - 1, problem);
	if (l.seq != b->left - 1)
		return tampered(err, b->left - 1, "another entry stands in its place");
	if (memcmp(l.hash, b->hash, 64) != 0)
		return tampered(err, l.seq, "the entry after it cites another hash");
	memcpy(b->hash, l.prev_hash, 64);
	b->left--;
	return b->fn(b->ctx, &l, line, err);
}

static int backward_segment(struct backward *b, int fd, uint64_t end, struct bawn_err *err)
{
	struct window w = { .fd = fd };
	int r = 0;
	while (r == 0 && end > 0) {
		struct bawn_span line;
		if (b->left == 0) {
			r = tampered(err, 0, "bytes stand before it");
			break;
		}
		r = line_before(&w, end, &line, err);
		if (r == -EBADMSG)
			r = tampered(err, b->left - 1, "not a whole line");
		if (r == 0) {
			end -= line.n + 1;
			r = one_back(b, line, err);
		}
	}
	free(w.buf);
	return r;
}

/* A segment that was listed is not there any more: does the log begin with the one that was read last? */
static bool pruned_since(int dirfd, uint64_t left, struct bawn_segments *all)
{
	bawn_segments_done(all);
	return bawn_segments_list(dirfd, all, NULL) == 0 && all->n > 0 && all->first[0] >= left;
}

int bawn_lines_back(int dirfd, const struct bawn_head *end, bawn_line_fn *fn, void *ctx, struct bawn_err *err)
{
	bawn_auto_segments all = { 0 };
	struct backward b = { .left = end->size, .fn = fn, .ctx = ctx };
	bool pruned = false;
	int r = bawn_segments_list(dirfd, &all, err);
	memcpy(b.hash, end->hash, sizeof b.hash);
	for (size_t i = all.n; r == 0 && i-- > 0; ) {
		if (all.first[i] > end->segment)
			continue;
		bawn_auto_fd fd = -1;
		struct stat st;
		r = bawn_segment_open(dirfd, all.first[i], &fd, err);
		pruned = r == -ENOENT && pruned_since(dirfd, b.left, &all);
		if (pruned) {
			r = 0;
			break;
		}
		if (r == 0 && fstat(fd, &st) < 0)
			r = bawn_fail(err, -errno, "read the audit log");
		if (r < 0)
			return r;
		uint64_t stop = all.first[i] == end->segment ? end->offset : (uint64_t)st.st_size;
		r = stop > (uint64_t)st.st_size ? tampered(err, b.left - 1, "the log is shorter than its head")
		                                : backward_segment(&b, fd, stop, err);
		if (r == 0 && b.left != all.first[i])
			r = tampered(err, b.left, "it is missing");
	}
	struct bawn_cut cut;
	if (r == 0 && b.left > 0)
		r = all.n > 0 && (pruned || b.left == all.first[0]) ? bawn_cut_find(dirfd, &all, &cut, err) : tampered(err, b.left - 1, "it is missing");
	return r;
}

struct handing { bawn_entry_fn *entry; void *ctx; };
static int hand_back(void *ctx, const struct bawn_line *l, struct bawn_span line, struct bawn_err *err)
{
	const struct handing *h = ctx;
	return bawn_walk_show(h->entry, h->ctx, l, line, err);
}

int bawn_audit_walk_back(const char *dir, bawn_entry_fn *entry, void *ctx, struct bawn_err *err)
{
	struct bawn_head end;
	bawn_auto_fd dirfd = -1;
	bawn_auto_segments all = { 0 };
	int r = bawn_walk_open(dir, &dirfd, &all, &end, err);
	return r == 0 ? bawn_lines_back(dirfd, &end, hand_back, &(struct handing){ entry, ctx }, err) : r;
}

int bawn_audit_size(const char *dir, uint64_t *out_entries, struct bawn_err *err)
{
	struct bawn_head h;
	bawn_auto_fd dirfd = -1;
	int r = bawn_audit_dir_open(dir, &dirfd, err);
	if (r == 0)
		r = bawn_head_read_at(dirfd, &h, err);
	if (r == 0)
		*out_entries = h.size;
	return r;
}
