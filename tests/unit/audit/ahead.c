/* ahead.c - verification says the same with one thread and with many: of good logs, and of logs changed at every kind of
 * place, above all where the blocks that threads take begin and end. */
#include "world.h"

#define BLOCK (256u << 10)  /* as ahead.c reads */

static bool make(const char *dir, int n, bool every, uint64_t max_segment)
{
	struct bawn_audit *a = NULL;
	struct bawn_audit_options o = { .node = "n1", .max_segment_bytes = max_segment, .sign_every = every };
	static char text[1500];
	memset(text, 'z', sizeof text - 1);
	bool good = bawn_audit_open(dir, &o, &a, NULL) == 0;
	for (int i = 0; good && i < n; ) {
		uint64_t ticket = 0;
		for (int k = 0; good && k < 50 && i < n; k++, i++) {
			bawn_auto_json body = json_pack("{s:i,s:s}", "number", i, "text", text + i * 7 % 1300);
			good = a->ops->append(a, &(struct bawn_record){ .type = BAWN_RECORD_EXEC_OUTCOME, .exec = "E", .body = body }, &ticket, NULL) == 0;
		}
		good = good && a->ops->wait(a, ticket, NULL, NULL) == 0;
	}
	close_log(a);
	return good;
}

static struct bawn_audit_report with(const char *dir, unsigned jobs)
{
	struct bawn_audit_report r = { .problem = "could not be read" };
	struct bawn_err err = { 0 };
	if (bawn_audit_verify(dir, &(struct bawn_audit_verify_options){ .jobs = jobs }, &r, &err) < 0)
		snprintf(r.problem, sizeof r.problem, "error: %.150s", err.msg);
	return r;
}

static bool same(const struct bawn_audit_report *a, const struct bawn_audit_report *b)
{
	return a->ok == b->ok && a->entries == b->entries && a->bytes == b->bytes && a->segments == b->segments && a->verified_to == b->verified_to &&
	       a->first_bad_seq == b->first_bad_seq && strcmp(a->problem, b->problem) == 0 && strcmp(a->head_hash, b->head_hash) == 0 &&
	       a->first_us == b->first_us && a->last_us == b->last_us && a->torn_bytes == b->torn_bytes && a->signatures == b->signatures &&
	       a->epoch == b->epoch && strcmp(a->root, b->root) == 0 && strcmp(a->vkey, b->vkey) == 0 && strcmp(a->tiles, b->tiles) == 0;
}

/* Counts what is good; false where two numbers of threads disagree. */
static bool agree(const char *dir, int *good)
{
	static const unsigned jobs[] = { 1, 2, 3, 8 };
	struct bawn_audit_report one = with(dir, 0);
	*good += one.ok;
	for (size_t i = 0; i < BAWN_LEN(jobs); i++) {
		struct bawn_audit_report r = with(dir, jobs[i]);
		if (!same(&one, &r)) {
			diag("%u threads: %d, entry %" PRIu64 ": %s; alone: %d, entry %" PRIu64 ": %s", jobs[i], r.ok, r.first_bad_seq, r.problem,
			     one.ok, one.first_bad_seq, one.problem);
			return false;
		}
	}
	return true;
}

enum harm { FLIP, NEWLINE, JOIN, CUT, DOUBLE, SWAP, LONG, ZEROS, HARMS };
static const char *const harm_name[HARMS] = { "a bit changed", "a newline put in", "a newline taken out", "cut", "a line twice", "two lines swapped",
	"a line longer than an entry", "zeros" };

/* The log with one harm at a place. */
static void do_harm(struct bawn_buf *out, struct bawn_span log, enum harm harm, size_t at)
{
	const char *nl = memchr(log.p + at, '\n', log.n - at), *next = nl != NULL && nl + 1 < log.p + log.n ? memchr(nl + 1, '\n', (size_t)(log.p + log.n - nl - 1)) : NULL;
	const char *start = at > 0 ? memrchr(log.p, '\n', at) : NULL;
	const size_t from = start != NULL ? (size_t)(start + 1 - log.p) : 0, to = nl != NULL ? (size_t)(nl + 1 - log.p) : log.n, then = next != NULL ? (size_t)(next + 1 - log.p) : to;
	static char many[1300000];
	bawn_buf_add(out, log.p, harm == FLIP || harm == NEWLINE || harm == CUT || harm == LONG || harm == ZEROS ? at : harm == JOIN ? to - 1 : from);
	switch (harm) {
	case FLIP: bawn_buf_char(out, (char)(log.p[at] ^ 1)); break;
	case NEWLINE: bawn_buf_str(out, "\n"); break;
	case DOUBLE: bawn_buf_add(out, log.p + from, to - from); bawn_buf_add(out, log.p + from, to - from); break;
	case SWAP: bawn_buf_add(out, log.p + to, then - to); bawn_buf_add(out, log.p + from, to - from); break;
	case LONG: memset(many, 'l', sizeof many); bawn_buf_add(out, many, sizeof many); break;
	case ZEROS: memset(many, 0, sizeof many); bawn_buf_add(out, many, sizeof many); break;
	case JOIN: case CUT: case HARMS: break;
	}
	const size_t rest = harm == FLIP ? at + 1 : harm == NEWLINE || harm == LONG ? at : harm == JOIN || harm == DOUBLE ? to : harm == SWAP ? then : log.n;
	bawn_buf_add(out, log.p + rest, log.n - rest);
}

static void harmed(struct world *w, const char *segment, const char *what)
{
	bawn_auto_buf log = get(w, segment);
	const size_t blocks = log.n / BLOCK;
	for (int harm = 0; harm < HARMS; harm++) {
		int tried = 0, apart = 0, good = 0;
		for (size_t b = 0; b <= blocks; b++)
			for (int off = -2; off <= 2; off += harm == FLIP ? 1 : 2) {  /* at a seam and beside it; within the first and last lines */
				const size_t seam = b == 0 ? 2000 : b * BLOCK, at = seam + (size_t)(off + 2) - 2;
				if (at >= log.n || (harm == LONG && off != 0))
					continue;
				bawn_auto_buf bad = BAWN_BUF(64u << 20);
				do_harm(&bad, bawn_buf_span(&log), (enum harm)harm, at);
				set(w, segment, bad.p, bad.n);
				tried++;
				apart += !agree(w->dir, &good);
			}
		ok(tried > 0 && apart == 0 && good == 0, "%s: %s, %d places: noticed, and the same with any number of threads", what, harm_name[harm], tried);
	}
	set(w, segment, log.p, log.n);
	int good = 0;
	ok(agree(w->dir, &good) && good == 1, "%s: put back, it is good again", what);
}

int main(void)
{
	int good = 0;
	auto_world w = world_make(), many = world_make(), every = world_make(), empty = world_make();
	ok(make(w.dir, 900, false, 0) && agree(w.dir, &good) && good == 1, "a log of one segment and several blocks");
	harmed(&w, SEG0, "one segment");
	good = 0;
	ok(make(many.dir, 900, false, 300000) && files_in(&many, "a/seg") > 2 && agree(many.dir, &good) && good == 1, "one of several segments");
	harmed(&many, SEG0, "its first segment");
	good = 0;
	ok(make(every.dir, 300, true, 0) && bawn_audit_rotate_key(every.dir, NULL, NULL, NULL, NULL) == 0 && make(every.dir, 300, true, 0) &&
	   agree(every.dir, &good) && good == 1, "one with a signature on each entry, and a key that changes");
	good = 0;
	ok(fill_log(empty.dir, 1, 0) && agree(empty.dir, &good) && good == 1, "a short one");
	forget_checkpoint(&w);
	bawn_auto_buf log = get(&w, SEG0), torn = BAWN_BUF(64u << 20);
	int wrong = 0;
	for (size_t n = 1; n < 400000; n *= 7) {  /* what a crash leaves behind the last signature */
		bawn_buf_reset(&torn);
		bawn_buf_add(&torn, log.p, log.n);
		for (size_t i = 0; i < n; i++)
			bawn_buf_char(&torn, '\0');
		set(&w, SEG0, torn.p, torn.n);
		good = 0;
		wrong += !agree(w.dir, &good) || good != 1 || with(w.dir, 2).torn_bytes != n;
	}
	ok(wrong == 0, "torn tails of all lengths");
	return done_testing();
}
