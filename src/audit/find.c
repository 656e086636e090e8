/* find.c - entries that meet a question, newest first.
 *
 *	end of the log ... to   read backwards, as bawn_audit_walk_back does
 *	to ... from             the index says where to look
 *
 * Invariants: (1) an entry is shown only after its bytes were read from the log and hashed, and its hash is the one it had
 * when it was put into the index, in the chain that the newest entries end; (2) whatever is not as the index says, what was
 * shown is taken back and the log itself is read; the index is made anew by the next reader.
 * Where a time is asked for, reading does not end at the first entry that is older: an entry's time is when it was queued,
 * and it is written later (sandbox.created waits for the outcome), so younger ones may stand before it.
 * NOTE: entries that are passed over are not read, so damage in them is not noticed here: that is for bawn_audit_verify.
 * An attacker controls: as in index.c. */
#include <sys/stat.h>
#include "audit/index.h"
#include "audit/walk.h"
#include "base/cleanup.h"

#define LOOK 32768u  /* of the newest are read before an index is begun: that takes less than a second */

struct finding {
	const struct bawn_find *ask;
	bawn_entry_fn *entry;
	void *ctx;
	uint64_t down_to;       /* entries from here on are read one after the other */
	bool     met;           /* the one before it was reached */
};

/* ---- what is read one after the other ---- */

/* Told from the line alone: what is not asked for is not worth parsing. */
static bool in_time(const struct bawn_find *ask, const struct bawn_line *l)
{
	return l->ts_us >= ask->since_us && (ask->until_us == 0 || l->ts_us <= ask->until_us);
}

static int newer(void *ctx, const struct bawn_line *l, struct bawn_span line, struct bawn_err *err)
{
	struct finding *f = ctx;
	if (l->seq < f->down_to) {
		f->met = true;
		return 1;
	}
	return (f->ask->one && l->seq != f->ask->seq) || !in_time(f->ask, l) ? 0 : bawn_walk_show(f->entry, f->ctx, l, line, err);
}

struct link { const struct bawn_index *x; bool good; };
static int is_linked(void *ctx, const struct bawn_line *l, struct bawn_span line, struct bawn_err *err)
{
	struct link *k = ctx;
	(void)line, (void)err;
	k->good = l->seq + 1 == k->x->to && memcmp(l->hash, k->x->place.hash, 64) == 0;
	return l->seq < k->x->to;
}

/* ---- what is ---- */

/* The line that begins at this byte, without its newline, in buf; false: there is none. */
static bool read_line(int fd, uint64_t at, struct bawn_buf *buf)
{
	for (;;) {
		char chunk[4096];
		ssize_t n = pread(fd, chunk, sizeof chunk, (off_t)(at + buf->n));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		const char *nl = memchr(chunk, '\n', (size_t)n);
		bawn_buf_add(buf, chunk, nl != NULL ? (size_t)(nl - chunk) : (size_t)n);
		if (bawn_buf_error(buf) < 0 || nl != NULL)
			return bawn_buf_error(buf) == 0;
	}
}

struct reading { int dirfd, fd; uint64_t segment; const struct bawn_segments *all; struct bawn_buf line; };
static void reading_done(struct reading *r)
{
	bawn_close_fdp(&r->fd);
	bawn_buf_done(&r->line);
}

static bool open_segment_of(struct reading *r, uint64_t seq)
{
	size_t i = r->all->n;
	while (i > 1 && r->all->first[i - 1] > seq)
		i--;
	const uint64_t segment = r->all->first[i - 1];
	if (r->fd >= 0 && r->segment == segment)
		return true;
	bawn_close_fdp(&r->fd);
	r->fd = -1;
	r->segment = segment;
	return bawn_segment_open(r->dirfd, segment, &r->fd, NULL) == 0;
}

/* The entry of a hit, checked; -ESTALE where the log does not hold it there. */
static int read_hit(struct reading *r, const struct bawn_index_hit *hit, struct bawn_line *out)
{
	const char *problem;
	bawn_buf_reset(&r->line);
	if (hit->at > INT64_MAX || !open_segment_of(r, hit->seq) || !read_line(r->fd, hit->at, &r->line))
		return -ESTALE;
	int c = bawn_line_check(bawn_buf_span(&r->line), out, &problem);
	return c == -ENOMEM ? c : c < 0 || out->seq != hit->seq || memcmp(out->data, hit->hash, sizeof hit->hash) != 0 ? -ESTALE : 0;
}

/* 0, what `entry` returned, or -ESTALE. */
static int older(struct finding *f, struct bawn_index *x, int dirfd, const struct bawn_segments *all, struct bawn_err *err)
{
	__attribute__((cleanup(reading_done))) struct reading r = { .dirfd = dirfd, .fd = -1, .all = all, .line = BAWN_BUF(BAWN_ENTRY_MAX) };
	struct bawn_index_hit hit;
	struct bawn_line l;
	uint64_t last = f->down_to;
	int c = bawn_index_ask(x, f->ask, f->down_to);
	while (c >= 0 && (c = bawn_index_next(x, &hit)) > 0) {
		if (hit.seq >= last)
			return -ESTALE;
		if (hit.seq < all->first[0])
			return 0;  /* pruned since */
		last = hit.seq;
		c = read_hit(&r, &hit, &l);
		if (c < 0)
			return c == -ENOMEM ? bawn_fail(err, c, "read the audit log") : c;
		c = bawn_walk_show(f->entry, f->ctx, &l, bawn_buf_span(&r.line), err);
		if (c != 0)
			return c;
	}
	return c < 0 ? -ESTALE : 0;
}

static int without(const char *dir, const struct bawn_find *ask, bawn_entry_fn *entry, void *ctx, struct bawn_err *err)
{
	struct finding f = { .ask = ask, .entry = entry, .ctx = ctx };
	bawn_auto_fd dirfd = -1;
	bawn_auto_segments all = { 0 };
	struct bawn_head end;
	if (ask->one)
		return bawn_audit_walk(dir, ask->seq, entry, ctx, err);
	int r = bawn_walk_open(dir, &dirfd, &all, &end, err);
	return r == 0 ? bawn_lines_back(dirfd, &end, newer, &f, err) : r;
}

/* Is the newest entry in the index the one that the log has there? */
static int linked(int dirfd, const struct bawn_index *x, const struct bawn_head *end)
{
	struct link k = { .x = x };
	return bawn_lines_back(dirfd, end, is_linked, &k, NULL) == 1 && k.good ? 0 : -ESTALE;
}

int bawn_audit_find(const char *dir, const char *helper, const struct bawn_find *ask, bawn_entry_fn *entry, void *ctx, struct bawn_err *err)
{
	const uint64_t look = ask->look > 0 ? ask->look : LOOK;
	bawn_auto_fd dirfd = -1;
	bawn_auto_segments all = { 0 };
	struct bawn_head end;
	if (!bawn_index_helps(ask))
		return without(dir, ask, entry, ctx, err);
	int r = bawn_walk_open(dir, &dirfd, &all, &end, err);
	if (r < 0)
		return r;
	bawn_auto_index x;
	if (bawn_index_open(&x, dir, dirfd, helper, &all, &end, look, ask->progress) < 0 || (ask->one && (x.to == 0 || ask->seq >= end.size)))
		return without(dir, ask, entry, ctx, err);
	struct finding f = { .ask = ask, .entry = entry, .ctx = ctx, .down_to = end.size > look ? end.size - look : 0 };
	if (x.to > 0 && end.size - x.to <= (look > BAWN_INDEX_BLOCK ? look : BAWN_INDEX_BLOCK))
		f.down_to = x.to;
	r = bawn_lines_back(dirfd, &end, newer, &f, err);
	if (!f.met)
		return r;
	/* From down_to on backwards all must be in it, or something would be passed over. */
	if (x.to >= f.down_to || (bawn_index_bring_up(&x, dir, &all, &end) == 0 && x.to >= f.down_to)) {
		r = linked(dirfd, &x, &end);
		if (r == 0)
			r = older(&f, &x, dirfd, &all, err);
		if (r != -ESTALE)
			return r;
		bawn_index_discard(&x);
	}
	r = entry(ctx, NULL);
	return r != 0 ? r : without(dir, ask, entry, ctx, err);
}
