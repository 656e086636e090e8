/* tamper.c - a log that was changed is noticed: every byte, every length, every trade of lines. */
#include "world.h"
#include "audit/entry.h"
#include "audit/head.h"

#define STRIDE (SANITIZED ? 5u : 1u)  /* each byte in one build, some of them in the slow one */

/* The log as it was; each harm starts from here. */
struct original { struct bawn_buf seg, head; };
static void original_done(struct original *o) { bawn_buf_done(&o->seg); bawn_buf_done(&o->head); }
#define auto_original __attribute__((cleanup(original_done))) struct original
static struct original keep(struct world *w) { return (struct original){ get(w, SEG0), get(w, "a/head") }; }
static void restore(struct world *w, const struct original *o)
{
	set(w, SEG0, o->seg.p, o->seg.n);
	set(w, "a/head", o->head.p, o->head.n);
}

/* Does byte i stand in the root or signature of its line?  Reading does not look at these, verify does. */
static bool in_seal(const struct bawn_buf *b, size_t i)
{
	static const char root[] = "\",\"root\":\"";
	const char *end = memchr(b->p + i, '\n', b->n - i);
	size_t seal = sizeof root - 1 + 44 + sizeof "\",\"signature\":\"" - 1 + 88 + sizeof "\"}" - 1;
	return end != NULL && b->p[i] != '\n' && (size_t)(end - (b->p + i)) <= seal && strncmp(end - seal, root, sizeof root - 1) == 0;
}

/* Noticed by verify, by opening (unless the harm lies deep inside), and by reading. */
static bool noticed(struct world *w)
{
	struct bawn_audit_report r = verify(w->dir);
	struct tally t = { 0 };
	int walked = bawn_audit_walk(w->dir, 0, count_entry, &t, NULL);
	int back = bawn_audit_walk_back(w->dir, count_entry, &t, NULL);
	return !r.ok && r.problem[0] != '\0' && walked == -EBADMSG && back == -EBADMSG;
}

static void every_byte(void)
{
	static const unsigned char flip[] = { 0x01, 0x80, 0x20 };
	auto_world w = world_make();
	ok(fill_log(w.dir, 9, 0) && verify(w.dir).entries == 10, "a log of ten records");
	auto_original o = keep(&w);
	for (size_t f = 0; f < BAWN_LEN(flip); f++) {
		size_t missed = 0, wrong_seq = 0, line = 0, last_line_at = o.seg.n;
		for (size_t i = 0; i < o.seg.n; i++) {
			if (o.seg.p[i] == '\n' || i % STRIDE == 0) {
				bool seal = in_seal(&o.seg, i);
				o.seg.p[i] = (char)(o.seg.p[i] ^ flip[f]);
				set(&w, SEG0, o.seg.p, o.seg.n);
				missed += seal ? verify(w.dir).ok : !noticed(&w);
				wrong_seq += verify(w.dir).first_bad_seq != line;
				o.seg.p[i] = (char)(o.seg.p[i] ^ flip[f]);
			}
			if (o.seg.p[i] == '\n' && ++line == 9)
				last_line_at = i + 1;
		}
		ok(missed == 0 && last_line_at < o.seg.n, "each of %zu bytes flipped by 0x%02x is noticed (%zu missed)", o.seg.n / STRIDE, flip[f], missed);
		ok(wrong_seq == 0, "and the entry is named");
		missed = 0;
		for (size_t i = last_line_at; i < o.seg.n; i += STRIDE) {
			o.seg.p[i] = (char)(o.seg.p[i] ^ flip[f]);
			set(&w, SEG0, o.seg.p, o.seg.n);
			missed += opens_as(w.dir) != BAWN_ERROR_AUDIT_TAMPERED;
			o.seg.p[i] = (char)(o.seg.p[i] ^ flip[f]);
		}
		ok(missed == 0, "in the last entry also by opening");
	}
	restore(&w, &o);
	ok(verify(w.dir).ok, "put back, it verifies");
}

static void every_length(void)
{
	auto_world w = world_make();
	ok(fill_log(w.dir, 9, 0), "a log of ten records");
	auto_original o = keep(&w);
	size_t missed = 0, opened = 0;
	for (size_t n = 0; n < o.seg.n; n += STRIDE) {
		set(&w, SEG0, o.seg.p, n);
		missed += !noticed(&w);
		opened += opens_as(w.dir) != BAWN_ERROR_AUDIT_TAMPERED;
	}
	ok(missed == 0, "each of %zu lengths below head is noticed", o.seg.n / STRIDE);
	ok(opened == 0, "and refuses to open for appending");
	(void)unlinkat(w.tmp.fd, SEG0, 0);
	ok(noticed(&w) && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED, "so is a segment that is gone");
}

/* Line i of the log, with its newline. */
static struct bawn_span line_of(const struct bawn_buf *b, size_t i)
{
	const char *p = b->p, *end = b->p + b->n;
	while (i-- > 0)
		p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
	return (struct bawn_span){ p, (size_t)((const char *)memchr(p, '\n', (size_t)(end - p)) + 1 - p) };
}

static void trades(void)
{
	/* -1 ends; 0..9 a line of this log, 100+i line i of another */
	static const struct { const char *name; int line[16]; } row[] = {
		{ "the first line dropped",     { 1, 2, 3, 4, 5, 6, 7, 8, 9, -1 } },
		{ "a middle line dropped",      { 0, 1, 2, 3, 5, 6, 7, 8, 9, -1 } },
		{ "the last line dropped",      { 0, 1, 2, 3, 4, 5, 6, 7, 8, -1 } },
		{ "two lines swapped",          { 0, 1, 2, 4, 3, 5, 6, 7, 8, 9, -1 } },
		{ "the last two swapped",       { 0, 1, 2, 3, 4, 5, 6, 7, 9, 8, -1 } },
		{ "a line duplicated",          { 0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, -1 } },
		{ "the last line duplicated",   { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, -1 } },
		{ "a line of another log",      { 0, 1, 2, 103, 4, 5, 6, 7, 8, 9, -1 } },
		{ "one of another log inserted", { 0, 1, 2, 103, 3, 4, 5, 6, 7, 8, 9, -1 } },
		{ "the tail of another log",    { 0, 1, 2, 3, 4, 105, 106, 107, 108, 109, -1 } },
		{ "another log appended",       { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 100, 101, -1 } },
		{ "another log whole",          { 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, -1 } },
		{ "an old line appended",       { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 4, -1 } },
	};
	auto_world w = world_make(), other = world_make();
	ok(fill_log(w.dir, 9, 0) && fill_log(other.dir, 9, 0), "two logs of ten records");
	auto_original o = keep(&w), strange = keep(&other);
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_buf made = BAWN_BUF(1u << 20);
		for (const int *l = row[i].line; *l >= 0; l++) {
			struct bawn_span s = *l >= 100 ? line_of(&strange.seg, (size_t)*l - 100) : line_of(&o.seg, (size_t)*l);
			bawn_buf_add(&made, s.p, s.n);
		}
		set(&w, SEG0, made.p, made.n);
		struct bawn_audit_report r = verify(w.dir);
		ok(!r.ok, "%s is noticed: %s", row[i].name, r.problem);
	}
	restore(&w, &o);
	ok(verify(w.dir).ok, "put back, it verifies");
}

/* The last commit holds many entries and one signature. */
static void last_batch(void)
{
	enum { BEFORE = 3, BATCH = 12 };
	auto_world w = world_make();
	struct bawn_audit *a = open_log(w.dir, 0, NULL);
	uint64_t t = 0;
	bool good = a != NULL;
	for (int i = 1; good && i < BEFORE; i++)
		good = put_text(a, "before", NULL, NULL) == 0;
	for (int i = 0; good && i < BATCH; i++)
		good = a->ops->append(a, &(struct bawn_record){ .type = BAWN_RECORD_ALERT }, &t, NULL) == 0;
	good = good && a->ops->wait(a, t, NULL, NULL) == 0;
	close_log(a);
	ok(good && verify(w.dir).entries == BEFORE + BATCH && verify(w.dir).signatures == BEFORE + 1, "a log whose last commit has twelve entries");
	auto_original o = keep(&w);
	const size_t from = (size_t)(line_of(&o.seg, BEFORE).p - o.seg.p);
	size_t missed = 0, opened = 0;
	for (size_t n = from; n < o.seg.n; n += STRIDE) {
		set(&w, SEG0, o.seg.p, n);
		missed += !noticed(&w);
		opened += opens_as(w.dir) != BAWN_ERROR_AUDIT_TAMPERED;
	}
	ok(missed == 0 && opened == 0, "cut at each of %zu bytes of it it is noticed, and refused", (o.seg.n - from) / STRIDE);
	missed = 0;
	for (size_t i = from; i < o.seg.n; i += STRIDE) {
		o.seg.p[i] ^= 0x01;
		set(&w, SEG0, o.seg.p, o.seg.n);
		missed += verify(w.dir).ok;
		o.seg.p[i] ^= 0x01;
	}
	ok(missed == 0, "so is each byte of it flipped (%zu missed)", missed);
	missed = 0;
	for (size_t at = BEFORE; at < BEFORE + BATCH; at++)
		for (int how = 0; how < 3; how++) {  /* dropped, twice, in the place of the one before */
			bawn_auto_buf made = BAWN_BUF(1u << 20);
			for (size_t i = 0; i < BEFORE + BATCH; i++) {
				struct bawn_span s = line_of(&o.seg, how == 2 && i == at ? at - 1 : how == 2 && i + 1 == at ? at : i);
				for (int times = i != at ? 1 : how == 0 ? 0 : how == 1 ? 2 : 1; times > 0; times--)
					bawn_buf_add(&made, s.p, s.n);
			}
			set(&w, SEG0, made.p, made.n);
			missed += verify(w.dir).ok;
		}
	ok(missed == 0, "and each of its entries dropped, doubled or swapped with the one before (%zu missed)", missed);
	restore(&w, &o);
	ok(verify(w.dir).ok && opens_as(w.dir) == BAWN_ERROR_NONE, "put back, it verifies and goes on");
}

static void heads(void)
{
	auto_world w = world_make();
	ok(fill_log(w.dir, 9, 0), "a log of ten records");
	auto_original o = keep(&w);
	(void)unlinkat(w.tmp.fd, "a/head", 0);
	ok(noticed(&w) && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED, "a missing head is noticed");
	set(&w, "a/head", "", 0);
	ok(noticed(&w) && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED, "an empty head is noticed");
	size_t wrong = 0;
	for (size_t i = 0; i < o.head.n; i += STRIDE) {
		o.head.p[i] ^= 0x01;
		set(&w, "a/head", o.head.p, o.head.n);
		struct bawn_audit_report r = verify(w.dir);
		wrong += !r.ok || r.entries != 10;
		o.head.p[i] ^= 0x01;
	}
	ok(wrong == 0, "one spoiled slot falls back to the other, and the log still counts ten");
	for (int i = 0; i < 2; i++)
		o.head.p[i * 4096 + 20] ^= 0x01;
	set(&w, "a/head", o.head.p, o.head.n);
	ok(noticed(&w) && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED, "both slots spoiled is noticed");
	for (int i = 0; i < 2; i++)
		o.head.p[i * 4096 + 20] ^= 0x01;

	/* A head that is valid in itself and wrong. */
	struct bawn_head h, lie;
	ok(bawn_head_decode(bawn_buf_span(&o.head), &h) == 0 && h.size == 10 && h.offset == o.seg.n, "head says ten and where");
	static const struct { const char *name; int size, at, offset, segment; char hash; int epoch, frontier, seal; } row[] = {
		{ "one entry more than there is", 1, 0, 0, 0, 0 },
		{ "an offset beyond the end",     0, 0, 1, 0, 0 },
		{ "another start of the last line", 0, -1, 0, 0, 0 },
		{ "another hash",                 0, 0, 0, 0, 'f' },
		{ "another segment",              0, 0, 0, 3, 0 },
		{ "another epoch",                .epoch = 1 },
		{ "another frontier",             .frontier = 1 },
		{ "another signature",            .seal = 1 },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		char slot[BAWN_HEAD_SLOT];
		lie = h;
		lie.gen += 2;
		lie.size += (uint64_t)row[i].size;
		lie.at += (uint64_t)row[i].at;
		lie.offset += (uint64_t)row[i].offset;
		lie.segment += (uint64_t)row[i].segment;
		lie.epoch += (uint64_t)row[i].epoch;
		lie.before.node[0][0] ^= (uint8_t)row[i].frontier;
		lie.seal.signature[9] ^= (uint8_t)row[i].seal;
		if (row[i].hash != 0)
			lie.hash[0] = lie.hash[0] == 'f' ? 'e' : row[i].hash;
		bawn_head_encode(&lie, slot);
		set(&w, "a/head", o.head.p, o.head.n);
		bawn_auto_fd fd = openat(w.tmp.fd, "a/head", O_WRONLY | O_CLOEXEC);
		bool written = pwrite(fd, slot, sizeof slot, (off_t)((lie.gen & 1) * BAWN_HEAD_SLOT)) == (ssize_t)sizeof slot;
		ok(written && !verify(w.dir).ok && opens_as(w.dir) == (row[i].epoch != 0 ? BAWN_ERROR_AUDIT_FAILED : BAWN_ERROR_AUDIT_TAMPERED), "a head with %s is noticed: %s", row[i].name, verify(w.dir).problem);
	}
}

static void segments(void)
{
	auto_world w = world_make();
	ok(fill_log(w.dir, 40, 4000) && verify(w.dir).segments >= 4, "a log of several segments");
	struct bawn_audit_report before = verify(w.dir);
	bawn_auto_buf seg = get(&w, SEG0);
	set(&w, "a/seg/x", "x", 1);
	ok(!verify(w.dir).ok, "a strange file among the segments is noticed");
	(void)unlinkat(w.tmp.fd, "a/seg/x", 0);
	set(&w, SEG0, seg.p, seg.n - 1);
	ok(noticed(&w), "an earlier segment cut by a byte is noticed");
	set(&w, SEG0, seg.p, line_of(&seg, 0).n);
	ok(noticed(&w), "or by whole lines");
	(void)unlinkat(w.tmp.fd, SEG0, 0);
	ok(noticed(&w), "or removed");
	ok(symlinkat("/dev/null", w.tmp.fd, SEG0) == 0 && !verify(w.dir).ok, "or a link");
	(void)unlinkat(w.tmp.fd, SEG0, 0);
	set(&w, SEG0, seg.p, seg.n);
	set(&w, "a/seg/000000000999.jsonl", "", 0);
	ok(!verify(w.dir).ok && opens_as(w.dir) == BAWN_ERROR_NONE, "a segment out of nowhere is noticed by verify");
	(void)unlinkat(w.tmp.fd, "a/seg/000000000999.jsonl", 0);
	struct bawn_audit_report after = verify(w.dir);
	ok(after.ok && after.entries == before.entries, "put back, it verifies: %s", after.problem);
}

static void on_a_copy(void)
{
	auto_world w = world_make(), copy = world_make();
	ok(fill_log(w.dir, 5, 0), "a log");
	bawn_auto_buf seg = get(&w, SEG0), head = get(&w, "a/head");
	(void)mkdirat(copy.tmp.fd, "a", 0700);
	(void)mkdirat(copy.tmp.fd, "a/seg", 0700);
	set(&copy, SEG0, seg.p, seg.n);
	set(&copy, "a/head", head.p, head.n);
	ok(verify(copy.dir).ok && verify(copy.dir).entries == 6 && tally(copy.dir, NULL).all == 6, "segments and head are enough to verify elsewhere");
	ok(verify(copy.dir).ok && files_in(&copy, "a") == 2, "and nothing is written there");
}

int main(void)
{
	every_byte();
	every_length();
	trades();
	last_batch();
	heads();
	segments();
	on_a_copy();
	return done_testing();
}
