/* verify.c - is this log what was written?  Reads every byte, changes none, takes no lock.
 *
 * Invariants:
 * (1) every byte of every segment is either part of an entry that follows the one before, or counted
 *     in torn_bytes, or the log is bad;
 * (2) torn bytes lie beyond head, at the very end, with no entry after them;
 * (3) head is read first and sizes are taken once per segment, so a writer at work cannot make a good
 *     log look bad.
 * An attacker controls: everything in the directory.  One who rewrites log and head alike is found by
 * an anchor outside only; there is none yet, and the report says so. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include "audit/audit.h"
#include "audit/entry.h"
#include "audit/head.h"
#include "audit/segment.h"
#include "base/cleanup.h"

struct verify {
	int                       dirfd;
	struct bawn_head          head;
	struct bawn_chain         chain;
	struct bawn_audit_report *report;
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

static int broken(struct verify *v, int fd, uint64_t from, uint64_t end, const char *problem,
                  struct bawn_err *err)
{
	if (v->chain.seq < v->head.size)
		return bad(v, v->chain.seq, "entry %" PRIu64 ": %s", v->chain.seq, problem);
	v->report->torn_bytes += end - from;
	int r = bawn_segment_has_entry(fd, from, end, err);
	return r > 0 ? bad(v, v->chain.seq,
	                   "entry %" PRIu64 " is damaged or missing, and entries follow it", v->chain.seq) : r;
}

static void against_head(struct verify *v, uint64_t segment, uint64_t at, uint64_t offset)
{
	if (v->chain.seq != v->head.size)
		return;
	if (memcmp(v->chain.hash, v->head.hash, 64) != 0)
		(void)bad(v, v->head.size - 1,
		          "entry %" PRIu64 " is not the one that was acknowledged: the head has another hash",
		          v->head.size - 1);
	else if (segment != v->head.segment || at != v->head.at || offset != v->head.offset)
		(void)bad(v, v->head.size - 1, "entry %" PRIu64 " is not where the head says", v->head.size - 1);
}

static void note_times(struct bawn_audit_report *r, const struct bawn_line *l)
{
	if (l->seq == 0)
		r->first_us = l->ts_us;
	r->last_us = l->ts_us;
}

static int verify_lines(struct verify *v, int fd, uint64_t segment, uint64_t end, struct bawn_err *err)
{
	bawn_auto_lines lines = { 0 };
	int r = bawn_lines_init(&lines, fd, 0, err);
	lines.end = end;
	while (r == 0 && v->report->ok) {
		struct bawn_span line;
		struct bawn_line l;
		bool whole;
		const char *problem = "not a whole line";
		const uint64_t at = lines.offset;
		r = bawn_lines_next(&lines, &line, &whole, err);
		if (r < 0 || line.p == NULL)
			return r;
		struct bawn_chain before = v->chain;
		r = whole ? bawn_chain_next(&v->chain, line, &l, &problem) : -EBADMSG;
		if (r == 0 && at == 0 && segment > 0 && !bawn_span_is(l.type, "log.segment")) {
			v->chain = before;
			problem = "the segment does not begin with log.segment";
			r = -EBADMSG;
		}
		if (r == -ENOMEM)
			return bawn_fail(err, r, "verify the audit log");
		if (r < 0)
			return broken(v, fd, at, end, problem, err);
		note_times(v->report, &l);
		against_head(v, segment, at, lines.offset);
	}
	return r;
}

static int verify_segment(struct verify *v, uint64_t segment, struct bawn_err *err)
{
	struct stat st;
	if (segment != v->chain.seq)
		return bad(v, v->chain.seq,
		           "entry %" PRIu64 " is missing: the next segment begins at %" PRIu64, v->chain.seq, segment);
	if (v->report->torn_bytes > 0)
		return bad(v, v->chain.seq, "entry %" PRIu64 " is damaged, and a segment follows it", v->chain.seq);
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

static int verify_all(struct verify *v, struct bawn_err *err)
{
	bawn_auto_segments all = { 0 };
	int r = bawn_segments_list(v->dirfd, &all, err);
	if (r == -ENOENT || r == -ENOTDIR || r == -ELOOP)
		return bad(v, 0, "the directory of segments is missing");
	for (size_t i = 0; r == 0 && v->report->ok && i < all.n; i++)
		r = verify_segment(v, all.first[i], err);
	if (r < 0)
		return r;
	if (v->chain.seq < v->head.size)
		(void)bad(v, v->chain.seq,
		          "the log ends before entry %" PRIu64 ", but %" PRIu64 " entries were acknowledged",
		          v->chain.seq, v->head.size);
	if (all.stranger[0] != '\0')
		(void)bad(v, v->chain.seq, "seg holds a file that is no segment");
	return 0;
}

int bawn_audit_verify(const char *dir, struct bawn_audit_report *out, struct bawn_err *err)
{
	struct bawn_audit_report report = { .ok = true, .anchor = "none" };
	struct verify v = { .dirfd = -1, .report = &report, .chain = { .hash = BAWN_NO_HASH } };
	struct bawn_err why = { 0 };
	bawn_auto_fd dirfd = -1;
	int r = bawn_audit_dir_open(dir, &dirfd, err);
	if (r < 0)
		return r;
	v.dirfd = dirfd;
	bawn_head_init(&v.head);
	r = bawn_head_read_at(dirfd, &v.head, &why);
	if (r == -EBADMSG || r == -ELOOP)
		r = bad(&v, 0, "%.150s", why.msg);
	else if (r < 0 && err != NULL)
		*err = why;
	if (r == 0 && report.ok)
		r = verify_all(&v, err);
	if (r < 0)
		return bawn_wrap(err, r, "verify '%s'", dir);
	report.verified_to = v.chain.seq;
	report.entries = v.chain.seq > v.head.size ? v.chain.seq : v.head.size;
	memcpy(report.head_hash, v.chain.hash, sizeof report.head_hash);
	*out = report;
	return 0;
}
