/* crash.c - after a crash at any moment nothing acknowledged is lost, and nothing else is believed.  Here the
 * files are made by hand; power.c and tests/soak/kill.c let them come about. */
#include <sys/file.h>
#include <sys/resource.h>
#include "world.h"
#include "audit/head.h"

/* A log of ten, and its head as it was after `acknowledged` entries. */
struct cut { struct bawn_buf seg, old_head; size_t old_end; };
static void cut_done(struct cut *c) { bawn_buf_done(&c->seg); bawn_buf_done(&c->old_head); }
#define auto_cut __attribute__((cleanup(cut_done))) struct cut

static struct cut make_cut(struct world *w, int before, int after)
{
	struct cut c = { 0 };
	auto_log a = open_log(w->dir, 0, NULL);
	for (int i = 0; i < before; i++)
		(void)!put_text(a, "acknowledged", NULL, NULL);
	c.old_head = get(w, "a/head");
	struct bawn_buf seg = get(w, SEG0);
	c.old_end = seg.n;
	bawn_buf_done(&seg);
	for (int i = 0; i < after; i++)
		(void)!put_text(a, "then \"}\n{ power went", NULL, NULL);
	c.seg = get(w, SEG0);
	return c;
}

static void old_head(struct world *w, const struct cut *c)
{
	set(w, "a/head", c->old_head.p, c->old_head.n);
	forget_checkpoint(w);
}

static void wipe(struct world *w)
{
	bawn_auto_fd q = openat(w->tmp.fd, "a/quarantine", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bawn_auto_dir d = q >= 0 ? fdopendir(bawn_take_fd(&q)) : NULL;
	for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL; )
		if (e->d_name[0] != '.')
			(void)unlinkat(dirfd(d), e->d_name, 0);
}

static void every_cut_point(void)
{
	auto_world w = world_make();
	auto_cut c = make_cut(&w, 9, 1);
	size_t bad = 0;
	for (size_t n = c.old_end; n <= c.seg.n; n++) {
		set(&w, SEG0, c.seg.p, n);
		old_head(&w, &c);
		struct bawn_audit_report before = verify(w.dir);
		bool whole = n == c.seg.n, nothing = n == c.old_end;
		bool good = before.ok && before.entries == (whole ? 11 : 10) && before.torn_bytes == (whole || nothing ? 0 : n - c.old_end);
		good = good && opens_as(w.dir) == BAWN_ERROR_NONE;
		struct bawn_audit_report after = verify(w.dir);
		good = good && after.ok && after.torn_bytes == 0 && after.entries == (nothing ? 10 : 11) && tally(w.dir, NULL).all == after.entries;
		good = good && tally(w.dir, "log.recovered").of_type == (whole || nothing ? 0 : 1) && files_in(&w, "a/quarantine") == (whole || nothing ? 0 : 1);
		bad += !good;
		wipe(&w);
	}
	ok(bad == 0, "cut at each of %zu bytes of the last record, the log recovers and keeps what was acknowledged (%zu wrong)", c.seg.n - c.old_end + 1, bad);
}

static void quarantine_keeps_bytes(void)
{
	auto_world w = world_make();
	auto_cut c = make_cut(&w, 3, 1);
	set(&w, SEG0, c.seg.p, c.seg.n - 5);
	old_head(&w, &c);
	ok(opens_as(w.dir) == BAWN_ERROR_NONE, "a torn log opens");
	bawn_auto_buf log = get(&w, SEG0);
	const char *rec = strstr(log.p, "\"log.recovered\""), *file = rec != NULL ? strstr(rec, "\"file\":\"") : NULL;
	char path[120] = "a/quarantine/", want[64], sha[BAWN_SHA256_HEX];
	ok(file != NULL, "log.recovered names the file");
	if (file == NULL)
		return;
	size_t n = strcspn(file + 8, "\"");
	snprintf(path, sizeof path, "a/quarantine/%.*s", (int)n, file + 8);
	bawn_auto_buf kept = get(&w, path);
	ok(kept.n == c.seg.n - 5 - c.old_end && memcmp(kept.p, c.seg.p + c.old_end, kept.n) == 0, "which holds the bytes that were cut");
	snprintf(want, sizeof want, "\"cut_bytes\":%zu,", kept.n);
	bawn_sha256_hex(bawn_buf_span(&kept), sha);
	ok(strstr(rec, want) != NULL && strstr(rec, sha) != NULL, "with their number and hash");
	ok(verify(w.dir).ok, "it verifies");
	static const char *const harm[] = { "printf x | dd of=$f bs=1 seek=9 conv=notrunc 2>/dev/null", "truncate -s -1 $f", ": > $f", "mv $f x && ln -s ../../x $f", "rm $f && mkdir $f" };
	for (size_t i = 0; i < BAWN_LEN(harm); i++) {
		char command[300];
		snprintf(command, sizeof command, "cp -a a whole && f=%s && %s", path, harm[i]);
		bool done = sh(&w, command);
		struct bawn_audit_report r = verify(w.dir);
		ok(done && !r.ok && strstr(r.problem, "cut off") != NULL, "not after: %s: %s", harm[i], r.problem);
		(void)!sh(&w, "rm -rf a x && mv whole a");
	}
	ok(sh(&w, "rm a/quarantine/*") && verify(w.dir).ok, "thrown away it is no fault of the log");
	bool done = sh(&w, "cp -a a whole && truncate -s +20M $(ls -d a/seg/* | tail -1)");
	struct bawn_audit_report r = verify(w.dir);
	ok(done && !r.ok && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED && sh(&w, "! ls a/quarantine/* 2>/dev/null"), "a tail longer than any commit is none that a crash left: %s", r.problem);
	(void)alarm(300);  /* for who waits for a pipe */
	done = sh(&w, "rm -r a && cp -a whole a && rm -f a/checkpoint && mkfifo a/checkpoint a/checkpoint.tmp");
	r = verify(w.dir);
	ok(done && r.ok && strcmp(r.tiles, "good") != 0 && opens_as(w.dir) == BAWN_ERROR_NONE, "nobody waits for a pipe in place of a checkpoint: %s", r.tiles);
	(void)alarm(0);
}

static void lagging_heads(void)
{
	auto_world w = world_make();
	auto_cut c = make_cut(&w, 4, 5);
	old_head(&w, &c);
	ok(verify(w.dir).ok && verify(w.dir).entries == 10, "entries beyond a head that lags count");
	struct tally back = { 0 };
	ok(tally(w.dir, NULL).all == 10 && bawn_audit_walk_back(w.dir, count_entry, &back, NULL) == 0 && back.all == 10, "and are read, both ways");
	uint64_t size = 0;
	ok(opens_as(w.dir) == BAWN_ERROR_NONE && bawn_audit_size(w.dir, &size, NULL) == 0 && size == 10, "and the next opener publishes them");
	ok(tally(w.dir, "log.recovered").of_type == 0 && files_in(&w, "a/quarantine") == 0, "as a matter of course");

	/* One of them damaged, two commits after it: no crash does that. */
	size_t bad = 0, tried = 0;
	size_t last_line = c.seg.n - 1, but_one;
	while (c.seg.p[last_line - 1] != '\n')
		last_line--;
	for (but_one = last_line - 1; c.seg.p[but_one - 1] != '\n'; )
		but_one--;
	for (size_t i = c.old_end; i < but_one; i++, tried++) {
		c.seg.p[i] ^= 0x01;
		set(&w, SEG0, c.seg.p, c.seg.n);
		old_head(&w, &c);
		bad += verify(w.dir).ok || opens_as(w.dir) != BAWN_ERROR_AUDIT_TAMPERED;
		c.seg.p[i] ^= 0x01;
	}
	ok(bad == 0, "each of %zu bytes between head and the last two commits, flipped, is tampering (%zu missed)", tried, bad);
	bad = 0;
	for (size_t i = but_one; i < last_line; i += 7) {  /* it might be a hole in one commit of two entries */
		c.seg.p[i] ^= 0x01;
		set(&w, SEG0, c.seg.p, c.seg.n);
		old_head(&w, &c);
		bad += verify(w.dir).verified_to != 8 || (verify(w.dir).ok && verify(w.dir).torn_bytes != c.seg.n - but_one);
		c.seg.p[i] ^= 0x01;
	}
	ok(bad == 0, "in the last commit but one it is noticed, and what stands before it kept (%zu wrong)", bad);
	bad = 0;
	for (size_t i = last_line; i < c.seg.n; i++) {
		c.seg.p[i] ^= 0x01;
		set(&w, SEG0, c.seg.p, c.seg.n);
		old_head(&w, &c);
		bad += !verify(w.dir).ok || verify(w.dir).torn_bytes == 0 || opens_as(w.dir) != BAWN_ERROR_NONE || verify(w.dir).entries != 10;
		c.seg.p[i] ^= 0x01;
	}
	ok(bad == 0, "in the last entry it is a torn tail (%zu wrong)", bad);
	/* Zeros at the end, as some file systems leave them. */
	bawn_auto_buf zeros = BAWN_BUF(1u << 20);
	bawn_buf_add(&zeros, c.seg.p, c.seg.n);
	for (int i = 0; i < 5000; i++)
		bawn_buf_char(&zeros, '\0');
	set(&w, SEG0, zeros.p, zeros.n);
	old_head(&w, &c);
	ok(verify(w.dir).torn_bytes == 5000 && opens_as(w.dir) == BAWN_ERROR_NONE && verify(w.dir).entries == 11, "zeros at the end are a torn tail");
	/* A tail longer than any entry. */
	bawn_auto_buf big = BAWN_BUF(8u << 20);
	bawn_buf_add(&big, c.seg.p, c.seg.n);
	for (int i = 0; i < 300000; i++)
		bawn_buf_str(&big, "xxxxxxxxxxx");
	set(&w, SEG0, big.p, big.n);
	old_head(&w, &c);
	ok(verify(w.dir).torn_bytes == 3300000 && opens_as(w.dir) == BAWN_ERROR_NONE && verify(w.dir).torn_bytes == 0, "3 MB of it are cut too");
}

/* A lagging head, and behind it a commit whose signature is nobody's. */
/* A file of any length costs nothing to make. */
static void endless(void)
{
	auto_world w = world_make();
	bool good = fill_log(w.dir, 3, 0) && sh(&w, "mv a/seg/000000000000.jsonl a/seg/000000000005.jsonl && truncate -s 4T a/seg/000000000009.jsonl");
	int status = -1;
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		(void)setrlimit(RLIMIT_CPU, &(struct rlimit){ 20, 20 });
		struct tally t = { 0 };
		_exit(verify(w.dir).ok || bawn_audit_walk_back(w.dir, count_entry, &t, NULL) == 0 || bawn_audit_walk(w.dir, 0, count_entry, &t, NULL) == 0);
	}
	ok(good && waitpid(pid, &status, 0) == pid && status == 0, "a segment of terabytes that hold nothing is a bad log at once");
}

struct meanwhile { const char *dir; int commits; bool done, good; };
static void go_on(void *ctx, uint64_t done, uint64_t of)
{
	struct meanwhile *m = ctx;
	(void)done, (void)of;
	if (m->done)
		return;
	m->done = true;
	auto_log a = open_log(m->dir, 0, NULL);
	m->good = a != NULL;
	for (int i = 0; m->good && i < m->commits; i++)
		m->good = put_text(a, "in its place", NULL, NULL) == 0;
}

/* A torn end is cut off, and others go on in its place, while it is read. */
static void overtaken(void)
{
	auto_world w = world_make();
	struct bawn_audit_report r = { 0 };
	struct meanwhile m = { .dir = w.dir, .commits = 8 };
	const struct bawn_audit_verify_options o = { .progress = { go_on, &m } };
	bool good = fill_log(w.dir, 5, 0);
	bawn_auto_fd seg = openat(w.tmp.fd, SEG0, O_RDWR | O_APPEND | O_CLOEXEC);
	char junk[3000];
	memset(junk, 'j', sizeof junk);
	good = good && write(seg, junk, sizeof junk) == (ssize_t)sizeof junk && verify(w.dir).torn_bytes == sizeof junk;
	ok(good && bawn_audit_verify(w.dir, &o, &r, NULL) == 0 && m.good && r.ok && r.entries > 13, "a writer that cuts off a torn end while it is read is no alarm: %s", r.problem);
	/* What really is wrong stays so, however much is written meanwhile. */
	m = (struct meanwhile){ .dir = w.dir, .commits = 8 };
	ok(verify(w.dir).ok && flip_at(&w, SEG0, 2500) && bawn_audit_verify(w.dir, &o, &r, NULL) == 0 && m.good && !r.ok, "a changed entry is: %s", r.problem);
}

static void not_signed(void)
{
	auto_world w = world_make();
	auto_cut c = make_cut(&w, 4, 5);
	char *signature = memrchr(c.seg.p, ':', c.seg.n);
	signature[9] = signature[9] == 'A' ? 'B' : 'A';
	set(&w, SEG0, c.seg.p, c.seg.n);
	old_head(&w, &c);
	struct tally back = { 0 };
	ok(tally(w.dir, NULL).all == 9 && bawn_audit_walk_back(w.dir, count_entry, &back, NULL) == 0 && back.all == 9 && verify(w.dir).entries == 9,
	   "beyond head, what is not signed by its key is not shown");
}

static struct bawn_audit *open_each(struct world *w)
{
	struct bawn_audit *a = NULL;
	(void)!bawn_audit_open(w->dir, &(struct bawn_audit_options){ .node = "n1", .sign_every = true }, &a, NULL);
	return a;
}

static bool put_many(struct bawn_audit *a, int n, const json_t *body)
{
	uint64_t t = 0;
	bool good = a != NULL;
	for (int i = 0; good && i < n; i++)
		good = a->ops->append(a, &(struct bawn_record){ .type = BAWN_RECORD_ALERT, .body = body }, &t, NULL) == 0;
	return good && a->ops->wait(a, t, NULL, NULL) == 0;
}

/* One commit of many entries, of which the disk kept some sectors and not others.  Signed on each line, those before the
 * first hole are kept. */
static void lost_sectors(bool each)
{
	auto_world w = world_make();
	struct cut c = { 0 };
	auto_log a = each ? open_each(&w) : open_log(w.dir, 0, NULL);
	bool good = put_text(a, "acknowledged", NULL, NULL) == 0;
	c.old_head = get(&w, "a/head");
	bawn_auto_buf before = get(&w, SEG0);
	ok(good && put_many(a, 12, NULL), "a commit of twelve, %s", each ? "each signed" : "signed once");
	c.seg = get(&w, SEG0);
	const size_t first = before.n / 512, sectors = c.seg.n / 512 + 1 - first;
	size_t bad = 0, tried = 0;
	for (unsigned lost = 1; lost < 1u << sectors && lost < 4096; lost += lost < 64 ? 1 : 37, tried++) {
		bawn_auto_buf torn = BAWN_BUF(1u << 20);
		bawn_buf_add(&torn, c.seg.p, c.seg.n);
		size_t hole = c.seg.n;
		for (size_t i = 0; i < sectors; i++) {
			size_t from = (first + i) * 512 < before.n ? before.n : (first + i) * 512, to = (first + i + 1) * 512 < c.seg.n ? (first + i + 1) * 512 : c.seg.n;
			if (lost >> i & 1u && to > from) {
				memset(torn.p + from, 0, to - from);
				hole = from < hole ? from : hole;
			}
		}
		size_t whole = before.n, alerts = 0;  /* what stands before the hole */
		for (size_t i = before.n; each && i < hole; i++)
			if (c.seg.p[i] == '\n')
				whole = i + 1, alerts++;
		set(&w, SEG0, torn.p, torn.n);
		old_head(&w, &c);
		struct bawn_audit_report r = verify(w.dir);
		bool fine = r.ok && r.entries == 2 + alerts && r.torn_bytes == c.seg.n - whole && opens_as(w.dir) == BAWN_ERROR_NONE &&
		            tally(w.dir, "alert").of_type == alerts && verify(w.dir).ok;
		if (!fine && bad == 0)
			diag("sectors %x: %s", lost, r.problem);
		bad += !fine;
		wipe(&w);
	}
	ok(tried > 60 && bad == 0, "with any of its sectors lost (%zu ways) it is a torn tail, not an alarm (%zu wrong)", tried, bad);
	cut_done(&c);
}

static size_t line_at(const struct bawn_buf *b, int i)
{
	size_t at = 0;
	while (i-- > 0)
		at = (size_t)((const char *)memchr(b->p + at, '\n', b->n - at) - b->p) + 1;
	return at;
}

/* What stands beyond head while somebody commits is perhaps taken back: a full disk ends a commit half-way. */
static void under_way(bool each)
{
	auto_world w = world_make();
	struct bawn_audit *a = NULL;
	bool good = bawn_audit_open(w.dir, &(struct bawn_audit_options){ .node = "n", .sign_every = each }, &a, NULL) == 0 && put_many(a, 3, NULL);
	bawn_auto_buf head = get(&w, "a/head");
	good = good && put_many(a, 4, NULL);
	close_log(a);
	forget_checkpoint(&w);
	set(&w, "a/head", head.p, head.n);
	struct tally forth = tally(w.dir, NULL), back = { 0 };
	const uint64_t all = verify(w.dir).entries, known = all - 4;
	ok(good && forth.all == all && bawn_audit_walk_back(w.dir, count_entry, &back, NULL) == 0 && back.all == all, "control: nobody commits, all %d entries are read, %s",
	   (int)all, each ? "each signed" : "signed once");
	struct bawn_bookmark beyond = { 0 };
	struct tally follower = { 0 };
	good = bawn_audit_walk_on(w.dir, &beyond, count_entry, &follower, NULL) == 0 && follower.all == all;
	bawn_auto_fd lock = openat(w.tmp.fd, "a/LOCK", O_RDWR | O_CLOEXEC);
	good = good && flock(lock, LOCK_EX) == 0;
	ok(good && bawn_audit_walk_on(w.dir, &beyond, count_entry, &follower, NULL) == 0 && follower.all == all, "who was shown them is not alarmed when somebody begins to");
	forth = tally(w.dir, NULL);
	back = (struct tally){ 0 };
	ok(good && forth.all == known && bawn_audit_walk_back(w.dir, count_entry, &back, NULL) == 0 && back.all == known, "while somebody does, those that are acknowledged (%d, %d)",
	   (int)forth.all, (int)back.all);
	struct bawn_bookmark place = { 0 };
	struct tally seen = { 0 };
	good = bawn_audit_walk_on(w.dir, &place, count_entry, &seen, NULL) == 0 && seen.all == known;
	struct bawn_head h = { 0 };
	bawn_auto_fd seg = openat(w.tmp.fd, SEG0, O_RDWR | O_CLOEXEC);
	good = good && bawn_head_decode(bawn_buf_span(&head), &h) == 0 && ftruncate(seg, (off_t)h.offset) == 0 && flock(lock, LOCK_UN) == 0;
	ok(good && bawn_audit_walk_on(w.dir, &place, count_entry, &seen, NULL) == 0 && seen.all == known && opens_as(w.dir) == BAWN_ERROR_NONE, "who follows it misses nothing when it is taken back");
	ok(bawn_audit_walk_on(w.dir, &beyond, count_entry, &follower, NULL) == -EBADMSG, "but is, when what he was shown is cut off");
	bawn_auto_fd shared = openat(w.tmp.fd, "a/LOCK", O_RDONLY | O_CLOEXEC);
	ok(flock(shared, LOCK_EX | LOCK_NB) == 0, "no reader has kept the lock");
}

/* What no crash leaves where each entry is signed: more than one commit can hold, or not in order. */
static void signed_each(void)
{
	auto_world w = world_make();
	struct cut c = { 0 };
	auto_log a = open_each(&w);
	bool good = put_text(a, "acknowledged", NULL, NULL) == 0;
	c.old_head = get(&w, "a/head");
	ok(good && put_many(a, 5, NULL), "a commit of five, each signed");
	c.seg = get(&w, SEG0);
	static const struct { const char *name; int line[9]; bool bad; } row[] = {
		{ "as it was",                  { 0, 1, 2, 3, 4, 5, 6, -1 }, false },
		{ "with a hole",                { 0, 1, 2, 4, 5, 6, -1 },    false },
		{ "two of them swapped",        { 0, 1, 2, 4, 3, 5, 6, -1 }, true },
		{ "one of them twice",          { 0, 1, 2, 4, 4, 5, 6, -1 }, true },
		{ "an acknowledged one again",  { 0, 1, 2, 4, 1, 5, 6, -1 }, true },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_buf made = BAWN_BUF(1u << 20);
		for (const int *l = row[i].line; *l >= 0; l++)
			bawn_buf_add(&made, c.seg.p + line_at(&c.seg, *l), line_at(&c.seg, *l + 1) - line_at(&c.seg, *l));
		set(&w, SEG0, made.p, made.n);
		old_head(&w, &c);
		struct bawn_audit_report r = verify(w.dir);
		ok(r.ok != row[i].bad && opens_as(w.dir) == (row[i].bad ? BAWN_ERROR_AUDIT_TAMPERED : BAWN_ERROR_NONE), "beyond head, %s: %s", row[i].name, r.problem);
	}
	cut_done(&c);

	auto_world large = world_make();
	auto_log b = open_each(&large);
	bawn_auto_buf text = BAWN_BUF(1u << 20);
	for (int i = 0; i < 900000; i++)
		bawn_buf_char(&text, 'x');
	bawn_auto_json body = json_pack("{s:s#}", "text", text.p, (int)text.n);
	good = put_text(b, "acknowledged", NULL, NULL) == 0;
	c.old_head = get(&large, "a/head");
	good = good && put_many(b, 9, body) && put_many(b, 3, body);
	bawn_auto_fd fd = openat(large.tmp.fd, SEG0, O_RDWR | O_CLOEXEC);
	struct stat st = { 0 };
	struct bawn_head h = { 0 };
	ok(good && fstat(fd, &st) == 0 && st.st_size > 12 * 900000 && bawn_head_decode(bawn_buf_span(&c.old_head), &h) == 0, "two commits, together longer than one can be");
	set(&large, "a/head", c.old_head.p, c.old_head.n);
	forget_checkpoint(&large);
	ok(verify(large.dir).ok && verify(large.dir).entries == 14, "beyond head they count");
	ok(pwrite(fd, "\0\0\0", 3, (off_t)h.offset + 300) == 3 && !verify(large.dir).ok && opens_as(large.dir) == BAWN_ERROR_AUDIT_TAMPERED,
	   "a hole so far before signed entries is none of a crash: %s", verify(large.dir).problem);
	bawn_buf_done(&c.old_head);
}

/* A log that was signed by the commit, and from now on entry by entry. */
static void another_mode(void)
{
	auto_world w = world_make();
	ok(fill_log(w.dir, 3, 0), "a log signed by the commit");
	auto_log a = open_each(&w);
	ok(put_text(a, "one", NULL, NULL) == 0 && files_in(&w, "a/seg") == 1, "a signed entry is a commit as before");
	ok(put_many(a, 3, NULL) && files_in(&w, "a/seg") == 2 && put_many(a, 3, NULL) && files_in(&w, "a/seg") == 2, "several of them begin a segment that says so, once");
	auto_log b = open_log(w.dir, 0, NULL);
	ok(put_many(b, 3, NULL) && put_many(a, 2, NULL) && files_in(&w, "a/seg") == 2, "in which both may write");
	struct bawn_audit_report r = verify(w.dir);
	bawn_auto_buf seg = get(&w, "a/seg/000000000005.jsonl");
	ok(r.ok && r.entries == 17 && r.signatures == 5 + 7 + 1 + 2 && strstr(seg.p, ",\"sign\":\"entry\"},\"salt\"") != NULL, "it verifies: %" PRIu64 " entries, %" PRIu64 " signatures %s", r.entries, r.signatures, r.problem);
}

/* The first entry of a segment that signs each is a commit of its own: one that is not good does not say how those after
 * it are signed. */
static void first_of_each(void)
{
	static const char next[] = "a/seg/000000000005.jsonl";
	auto_world w = world_make();
	struct cut c = { 0 };
	ok(fill_log(w.dir, 4, 0), "a log signed by the commit");
	c.old_head = get(&w, "a/head");
	auto_log a = open_each(&w);
	ok(put_many(a, 3, NULL) && files_in(&w, "a/seg") == 2, "and a segment of entries signed each");
	c.seg = get(&w, next);
	old_head(&w, &c);
	ok(verify(w.dir).ok && verify(w.dir).entries == 9, "beyond head they count");
	char *signature = memmem(c.seg.p, c.seg.n, "\"signature\":\"", 13);
	signature[20] = signature[20] == 'A' ? 'B' : 'A';
	set(&w, next, c.seg.p, c.seg.n);
	ok(!verify(w.dir).ok && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED, "not behind a first entry that is not signed: %s", verify(w.dir).problem);
	cut_done(&c);
}

/* The newest segment is torn at every length, head still in the one before. */
static void torn_segments(void)
{
	auto_world w = world_make();
	bawn_auto_buf old_head = BAWN_BUF(1u << 16);
	auto_log a = open_log(w.dir, 3000, NULL);
	char next[60] = "";
	for (int i = 0; i < 40 && next[0] == '\0'; i++) {
		bawn_buf_done(&old_head);
		old_head = get(&w, "a/head");
		struct bawn_receipt rc = { 0 };
		(void)!put_text(a, "x", &rc, NULL);
		if (files_in(&w, "a/seg") == 2)
			snprintf(next, sizeof next, "a/seg/%012" PRIu64 ".jsonl", rc.seq - 1);
	}
	struct bawn_head h = { 0 };
	ok(bawn_head_decode(bawn_buf_span(&old_head), &h) == 0 && next[0] != '\0', "a log that has just begun its second segment");
	bawn_auto_buf seg = get(&w, next), first = get(&w, SEG0);
	size_t bad = 0;
	for (size_t n = 0; n <= seg.n; n++) {
		set(&w, SEG0, first.p, first.n);
		set(&w, next, seg.p, n);
		set(&w, "a/head", old_head.p, old_head.n);
		forget_checkpoint(&w);
		uint64_t kept = h.size + (n == seg.n ? 2 : 0);  /* one commit: log.segment and the record, signed once */
		bool torn = n != 0 && n != seg.n;
		bool good = verify(w.dir).ok && verify(w.dir).entries == kept && tally(w.dir, NULL).all == kept;
		struct bawn_audit *b = open_log(w.dir, 3000, NULL);
		good = good && b != NULL && verify(w.dir).entries == kept + torn && put_text(b, "next", NULL, NULL) == 0;
		close_log(b);
		struct bawn_audit_report r = verify(w.dir);
		good = good && r.ok && tally(w.dir, "log.recovered").of_type == torn;
		bad += !good;
		wipe(&w);
		(void)unlinkat(w.tmp.fd, next, 0);
		char later[60];
		for (uint64_t i = 0; i < 5; i++) {  /* where the next record opened yet another segment */
			snprintf(later, sizeof later, "a/seg/%012" PRIu64 ".jsonl", h.size + i);
			(void)unlinkat(w.tmp.fd, later, 0);
		}
	}
	ok(bad == 0, "torn at each of %zu lengths of a new segment, the log goes on (%zu wrong)", seg.n + 1, bad);
	bawn_buf_str(&first, "junk");
	set(&w, SEG0, first.p, first.n);
	set(&w, next, seg.p, seg.n);
	set(&w, "a/head", old_head.p, old_head.n);
	forget_checkpoint(&w);
	ok(!verify(w.dir).ok && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED && opens_as(w.dir) == BAWN_ERROR_AUDIT_TAMPERED &&
	   files_in(&w, "a/quarantine") == 0, "a tail before a further segment is not torn: %s", verify(w.dir).problem);
}

static void first_use(void)
{
	auto_world w = world_make();
	ok(fill_log(w.dir, 0, 0), "a log with its genesis only");
	static const char *const key[] = { "a/private/epoch-0.key", "a/keys/epoch-0.vkey", "a/vkey" };
	bawn_auto_buf seg = get(&w, SEG0), k0 = get(&w, key[0]), k1 = get(&w, key[1]), k2 = get(&w, key[2]);
	const struct bawn_buf *kept[] = { &k0, &k1, &k2 };
	char empty[BAWN_HEAD_FILE];
	struct bawn_head h;
	for (bawn_head_init(&h); h.gen < 2; h.gen++)
		bawn_head_encode(&h, empty + h.gen * BAWN_HEAD_SLOT);
	size_t bad = 0;
	for (size_t n = 0; n <= seg.n; n++) {
		set(&w, SEG0, seg.p, n);
		set(&w, "a/head", empty, sizeof empty);
		forget_checkpoint(&w);
		for (size_t k = 0; k < BAWN_LEN(key); k++)
			set(&w, key[k], kept[k]->p, kept[k]->n);
		bad += opens_as(w.dir) != BAWN_ERROR_NONE || !verify(w.dir).ok || verify(w.dir).entries != 1;
	}
	ok(bad == 0, "killed at any byte of its first entry, the log is begun anew");
	(void)unlinkat(w.tmp.fd, SEG0, 0);
	set(&w, "a/head", empty, sizeof empty);
	forget_checkpoint(&w);
	ok(opens_as(w.dir) == BAWN_ERROR_NONE && verify(w.dir).entries == 1, "or before its first segment");
}

/* Another process dies in mid-write while we hold the log open. */
static void torn_by_another(void)
{
	auto_world w = world_make();
	auto_log a = open_log(w.dir, 0, NULL);
	ok(put_text(a, "one", NULL, NULL) == 0, "an open log");
	bawn_auto_fd fd = openat(w.tmp.fd, SEG0, O_WRONLY | O_APPEND | O_CLOEXEC);
	ok(write(fd, "{\"v\":1,\"seq\":2,\"ts\"", 19) == 19, "half a line by another writer");
	struct bawn_receipt rc = { 0 };
	ok(put_text(a, "two", &rc, NULL) == 0 && rc.seq == 3 && verify(w.dir).ok && tally(w.dir, "log.recovered").of_type == 1,
	   "is recovered by the next commit");
}

int main(void)
{
	every_cut_point();
	quarantine_keeps_bytes();
	lagging_heads();
	under_way(false);
	under_way(true);
	overtaken();
	endless();
	not_signed();
	lost_sectors(false);
	lost_sectors(true);
	signed_each();
	another_mode();
	first_of_each();
	torn_segments();
	first_use();
	torn_by_another();
	return done_testing();
}
