/* log.c - what is put into a log is found in it, in both directions, and verifies. */
#include "world.h"

struct order { uint64_t seq[400]; size_t n, stop_after; };
static int note_seq(void *ctx, const struct bawn_entry *e)
{
	struct order *o = ctx;
	if (o->n < BAWN_LEN(o->seq))
		o->seq[o->n] = e->seq;
	o->n++;
	return o->stop_after != 0 && o->n == o->stop_after ? 77 : 0;
}

static bool is_run(const struct order *o, uint64_t first, size_t n, int step)
{
	bool good = o->n == n;
	for (size_t i = 0; good && i < n; i++)
		good = o->seq[i] == first + (uint64_t)((int64_t)i * step);
	return good;
}

static void fresh_log(void)
{
	auto_world w = world_make();
	struct stat st;
	uint64_t size = 9;
	auto_log a = open_log(w.dir, 0, NULL);
	ok(a != NULL, "a log is made at first use");
	ok(stat(w.dir, &st) == 0 && (st.st_mode & 07777) == 0700, "its directory is 0700");
	ok(fstatat(w.tmp.fd, SEG0, &st, 0) == 0 && (st.st_mode & 07777) == 0600, "its segment is 0600");
	ok(fstatat(w.tmp.fd, "a/head", &st, 0) == 0 && (st.st_mode & 07777) == 0600, "its head is 0600");
	ok(bawn_audit_size(w.dir, &size, NULL) == 0 && size == 1, "it has one entry");
	ok(tally(w.dir, "log.genesis").of_type == 1, "which is log.genesis");
	struct bawn_audit_report r = verify(w.dir);
	ok(r.ok && r.entries == 1 && r.segments == 1 && strcmp(r.anchor, "none") == 0, "it verifies, without an anchor");
	bawn_auto_buf one = get(&w, SEG0);
	auto_world other = world_make();
	auto_log b = open_log(other.dir, 0, NULL);
	bawn_auto_buf two = get(&other, SEG0);
	ok(b != NULL && strstr(one.p, "\"instance\":\"") != NULL &&
	   strncmp(strstr(one.p, "\"instance\":\""), strstr(two.p, "\"instance\":\""), 44) != 0, "two logs have two identities");
}

static void members(void)
{
	auto_world w = world_make();
	auto_log a = open_log(w.dir, 0, NULL);
	bawn_auto_json principal = json_pack("{s:s,s:s}", "kind", "uid", "id", "1000");
	bawn_auto_json body = json_pack("{s:i,s:[s,n,b],s:s}", "n", -5, "list", "x", 1, "hash", "mine");
	struct bawn_receipt rc = { 0 };
	struct bawn_record rec = { .type = BAWN_RECORD_OVERRIDE_USED, .exec = "01ABC", .session = "s", .principal = principal, .body = body };
	ok(bawn_audit_put(a, &rec, &rc, NULL) == 0 && rc.seq == 1 && rc.log_size == 2, "a receipt says where the record stands");
	bawn_auto_buf log = get(&w, SEG0);
	const char *line = strchr(log.p, '\n') + 1;
	static const char *const in_order[] = {
		"{\"v\":1,\"seq\":1,\"ts\":", ",\"mono\":", ",\"type\":\"override.used\",\"severity\":\"HIGH\",\"node\":\"n1\",\"session\":\"s\",\"principal\":{\"kind\":\"uid\",\"id\":\"1000\"},\"exec\":\"01ABC\",\"body\":{\"n\":-5,\"list\":[\"x\",null,true],\"hash\":\"mine\"},\"salt\":\"",
		"\",\"prev_hash\":\"", "\",\"hash\":\"" };
	const char *at = line;
	for (size_t i = 0; at != NULL && i < BAWN_LEN(in_order); i++)
		at = strstr(at, in_order[i]);
	ok(at != NULL && strncmp(at + strlen("\",\"hash\":\""), rc.hash, 64) == 0, "an entry has its members in the order of the format");
	ok(bawn_audit_put(a, &(struct bawn_record){ .type = BAWN_RECORD_ALERT, .severity = "CRITICAL" }, NULL, NULL) == 0, "a bare record");
	bawn_auto_buf again = get(&w, SEG0);
	ok(strstr(again.p, "\"severity\":\"CRITICAL\",\"node\":\"n1\",\"session\":null,\"principal\":null,\"exec\":null,\"body\":{},\"salt\"") != NULL,
	   "has null and {} where nothing was given, and its own severity");
	for (int t = 0; t < BAWN_RECORD_COUNT; t++)
		if (bawn_record_name((enum bawn_record_type)t)[0] == '\0' || bawn_record_severity((enum bawn_record_type)t)[0] == '\0')
			ok(false, "type %d has a name and a severity", t);
	ok(verify(w.dir).ok, "it verifies");
}

static void refused(void)
{
	auto_world w = world_make();
	auto_log a = open_log(w.dir, 0, NULL);
	bawn_auto_free char *big = malloc((1u << 20) + 1);
	memset(big, 'x', 1u << 20);
	big[1u << 20] = '\0';
	json_t *deep = json_object();
	for (int i = 0; i < 70; i++)
		deep = json_pack("{s:o}", "d", deep);
	struct { const char *name; enum bawn_record_type type; const char *severity; json_t *body; } row[] = {
		{ "a fraction",                   BAWN_RECORD_ALERT, NULL, json_pack("{s:f}", "x", 1.5) },
		{ "a number beyond 2^53",         BAWN_RECORD_ALERT, NULL, json_pack("{s:I}", "x", (json_int_t)9007199254740992) },
		{ "a body that is no object",     BAWN_RECORD_ALERT, NULL, json_pack("[i]", 1) },
		{ "a body nested 70 deep",        BAWN_RECORD_ALERT, NULL, deep },
		{ "a record of more than 1 MiB",  BAWN_RECORD_ALERT, NULL, json_pack("{s:s}", "x", big) },
		{ "a severity with a quote",      BAWN_RECORD_ALERT, "HI\"GH", NULL },
		{ "a genesis from outside",       BAWN_RECORD_LOG_GENESIS, NULL, NULL },
		{ "a recovery from outside",      BAWN_RECORD_LOG_RECOVERED, NULL, NULL },
		{ "a type that is none",          BAWN_RECORD_COUNT, NULL, NULL },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_err err = { 0 };
		uint64_t ticket = 99;
		int r = a->ops->append(a, &(struct bawn_record){ .type = row[i].type, .severity = row[i].severity, .body = row[i].body }, &ticket, &err);
		ok(r < 0 && err.type == BAWN_ERROR_INVALID_REQUEST && ticket == 99, "%s is refused", row[i].name);
		json_decref(row[i].body);
	}
	ok(put_text(a, "after", NULL, NULL) == 0 && verify(w.dir).entries == 2, "and nothing of it reached the log");
}

static void injection(void)
{
	static const char *const text[] = {
		"a\nb", "\"}\n{\"v\":1", ",\"hash\":\"0000000000000000000000000000000000000000000000000000000000000000\"}",
		"\",\"hash\":\"x", "\\u0000", "\\\"", "\x01\x1f\x7f\r\t\b\f", "\xe2\x80\xa8\xe2\x80\xae", "\xff\xfe bad", "" };
	auto_world w = world_make();
	auto_log a = open_log(w.dir, 0, NULL);
	for (size_t i = 0; i < BAWN_LEN(text); i++) {
		bool made = true;
		bawn_auto_json body = json_object();
		bawn_json_set(body, "x", bawn_json_text(bawn_span(text[i])), &made);
		bawn_json_set(body, "nul", json_stringn("a\0b", 3), &made);
		struct bawn_receipt rc = { 0 };
		struct bawn_err err = { 0 };
		struct bawn_record rec = { .type = BAWN_RECORD_EXEC_OUTCOME, .exec = text[i], .session = text[i], .principal = body, .body = body };
		ok(made && bawn_audit_put(a, &rec, &rc, &err) == 0 && rc.seq == i + 1, "text %zu is one record %s", i, err.msg);
	}
	bawn_auto_buf log = get(&w, SEG0);
	size_t lines = 0;
	for (size_t i = 0; i < log.n; i++)
		lines += log.p[i] == '\n';
	struct bawn_audit_report r = verify(w.dir);
	ok(lines == BAWN_LEN(text) + 1 && r.ok && r.entries == lines, "one line per record, whatever the text: %s", r.problem);
	ok(tally(w.dir, "exec.outcome").of_type == BAWN_LEN(text), "each is read back");
}

static void walking(void)
{
	auto_world w = world_make();
	ok(fill_log(w.dir, 100, 4000), "a log of many segments");
	struct bawn_audit_report r = verify(w.dir);
	ok(r.ok && r.segments > 5 && (int)r.segments == files_in(&w, "a/seg"), "verifies over %d segments: %s", (int)r.segments, r.problem);
	ok(tally(w.dir, "log.segment").of_type == r.segments - 1, "each later segment begins with log.segment");
	ok(tally(w.dir, "exec.outcome").of_type == 100, "no record is lost to it");
	uint64_t starts[] = { 0, 1, 17, 18, 19, 20, 50, r.entries - 1 };
	for (size_t i = 0; i < BAWN_LEN(starts); i++) {
		struct order o = { 0 };
		ok(bawn_audit_walk(w.dir, starts[i], note_seq, &o, NULL) == 0 && is_run(&o, starts[i], r.entries - starts[i], 1),
		   "walk from %d", (int)starts[i]);
	}
	struct order beyond = { 0 }, back = { 0 }, few = { .stop_after = 3 };
	ok(bawn_audit_walk(w.dir, r.entries + 5, note_seq, &beyond, NULL) == 0 && beyond.n == 0, "walk from beyond the end finds nothing");
	ok(bawn_audit_walk_back(w.dir, note_seq, &back, NULL) == 0 && is_run(&back, r.entries - 1, r.entries, -1), "walk back, newest first");
	ok(bawn_audit_walk_back(w.dir, note_seq, &few, NULL) == 77 && few.n == 3, "a walk is stopped by the callback");
	struct bawn_err err = { 0 };
	uint64_t size;
	ok(bawn_audit_size("/nonexistent/audit", &size, &err) < 0 && err.type == BAWN_ERROR_NOT_FOUND, "no log is NOT_FOUND");
}

static void long_lines(void)
{
	auto_world w = world_make();
	auto_log a = open_log(w.dir, 0, NULL);
	bool good = true;
	for (size_t n = 1000; n < 1000000; n = n * 3 + 7) {
		bawn_auto_free char *text = calloc(1, n + 1);
		memset(text, 'y', n);
		good = good && put_text(a, text, NULL, NULL) == 0 && put_text(a, "short", NULL, NULL) == 0;
	}
	struct order back = { 0 };
	struct bawn_audit_report r = verify(w.dir);
	ok(good && r.ok, "lines up to 1 MiB are written and verified: %s", r.problem);
	ok(bawn_audit_walk_back(w.dir, note_seq, &back, NULL) == 0 && is_run(&back, r.entries - 1, r.entries, -1), "and read backwards");
}

static uint64_t bytes_read(void)
{
	unsigned long long n = 0;
	bawn_auto_file f = fopen("/proc/self/io", "r");
	return f != NULL && fscanf(f, "rchar: %llu", &n) == 1 ? n : 0;
}

static void last_of_many(void)
{
	auto_world w = world_make();
	auto_log a = open_log(w.dir, 0, NULL);
	uint64_t ticket = 0;
	bool good = true;
	for (int i = 0; good && i < 40000; i++)
		good = a->ops->append(a, &(struct bawn_record){ .type = BAWN_RECORD_ALERT }, &ticket, NULL) == 0;
	ok(good && a->ops->wait(a, ticket, NULL, NULL) == 0, "a log of forty thousand entries");
	struct order o = { .stop_after = 50 };
	uint64_t before = bytes_read();
	int r = bawn_audit_walk_back(w.dir, note_seq, &o, NULL);
	uint64_t took = bytes_read() - before;
	ok(r == 77 && o.seq[0] == 40000 && o.seq[49] == 39951 && took < 200000, "its last fifty cost %d bytes to read", (int)took);
	struct stat st;
	close_log(a);  /* may read what it makes tiles of */
	before = bytes_read();
	a = open_log(w.dir, 0, NULL);
	took = bytes_read() - before;
	ok(a != NULL && fstatat(w.tmp.fd, SEG0, &st, 0) == 0 && st.st_size > 10000000 && took < 200000, "and opening it %d", (int)took);
}

static void many_tickets(void)
{
	auto_world w = world_make();
	auto_log a = open_log(w.dir, 0, NULL);
	uint64_t t[50] = { 0 };
	struct bawn_receipt rc = { 0 }, first = { 0 };
	struct bawn_record rec = { .type = BAWN_RECORD_ALERT };
	bool good = true;
	for (size_t i = 0; i < 50; i++)
		good = good && a->ops->append(a, &rec, &t[i], NULL) == 0;
	ok(good && verify(w.dir).entries == 1, "queued is not written");
	ok(a->ops->wait(a, t[49], &rc, NULL) == 0 && rc.seq == 50 && rc.log_size == 51, "waiting for the last commits all");
	ok(verify(w.dir).entries == 51, "in one go");
	ok(a->ops->wait(a, t[0], &first, NULL) == 0 && first.seq == 1, "earlier tickets keep their receipt");
	ok(a->ops->wait(a, t[0], &first, NULL) == -EINVAL, "a ticket is good once");
	ok(a->ops->append(a, &rec, &t[0], NULL) == 0, "a record nobody waits for");
	close_log(a);
	a = open_log(w.dir, 0, NULL);
	ok(verify(w.dir).entries == 51, "is dropped at close");
}

static void blobs(void)
{
	auto_world w = world_make();
	char sha[BAWN_SHA256_HEX] = "", again[BAWN_SHA256_HEX] = "", path[200];
	struct bawn_err err = { 0 };
	struct bawn_span code = { "print(1)\0x", 10 };
	struct stat st;
	ok(bawn_audit_blob_put(w.dir, code, sha, &err) == 0, "a body is kept %s", err.msg);
	snprintf(path, sizeof path, "a/blob/%.2s/%s", sha, sha);
	ok(fstatat(w.tmp.fd, path, &st, 0) == 0 && (st.st_mode & 07777) == 0400, "under its hash, 0400: durable");
	bawn_auto_buf out = BAWN_BUF(100);
	ok(bawn_audit_blob_get(w.dir, sha, &out, &err) == 0 && bawn_span_equal(bawn_buf_span(&out), code), "and comes back");
	ino_t was = st.st_ino;
	ok(bawn_audit_blob_put(w.dir, code, again, &err) == 0 && strcmp(sha, again) == 0 && fstatat(w.tmp.fd, path, &st, 0) == 0 && st.st_ino == was,
	   "the same body is kept once");
	ok(fchmodat(w.tmp.fd, path, 0600, 0) == 0 && bawn_audit_blob_put(w.dir, code, again, &err) == 0 && fstatat(w.tmp.fd, path, &st, 0) == 0 &&
	   (st.st_mode & 07777) == 0400 && st.st_ino == was, "one that its writer did not come to sync is synced by the next");
	(void)!fchmodat(w.tmp.fd, path, 0600, 0);
	set(&w, path, "print(2)\0x", 10);
	bawn_buf_reset(&out);
	ok(bawn_audit_blob_get(w.dir, sha, &out, &err) < 0 && err.type == BAWN_ERROR_AUDIT_TAMPERED && out.n == 0, "a changed body is noticed");
	ok(bawn_audit_blob_put(w.dir, code, again, &err) == 0 && bawn_audit_blob_get(w.dir, sha, &out, &err) == 0, "and mended by the next put");
	ok(bawn_audit_blob_get(w.dir, BAWN_LEN(sha) > 64 ? "0000000000000000000000000000000000000000000000000000000000000000" : "", &out, &err) < 0 &&
	   err.type == BAWN_ERROR_NOT_FOUND, "an unknown body is NOT_FOUND");
	ok(bawn_audit_blob_get(w.dir, "../../../../etc/passwd", &out, &err) < 0 && err.type == BAWN_ERROR_INVALID_REQUEST, "a name is a hash, never a path");
	ok(bawn_audit_blob_put(w.dir, (struct bawn_span){ NULL, 0 }, sha, &err) == 0 && bawn_audit_blob_get(w.dir, sha, &out, &err) == 0, "an empty body");
}

#define BIG 150000  /* more than zstd unpacks at once */
struct packed { struct world *w; char text[BIG], sha[BAWN_SHA256_HEX], path[200]; };

/* What get says of the packed body when its file holds these bytes. */
static enum bawn_error got(struct packed *p, const char *bytes, size_t n, size_t ceiling)
{
	struct bawn_err err = { 0 };
	bawn_auto_buf out = BAWN_BUF(ceiling);
	(void)unlinkat(p->w->tmp.fd, p->path, 0);
	set(p->w, p->path, bytes, n);
	if (bawn_audit_blob_get(p->w->dir, p->sha, &out, &err) < 0)
		return out.n == 0 ? err.type : BAWN_ERROR_INTERNAL;
	return bawn_span_equal(bawn_buf_span(&out), (struct bawn_span){ p->text, BIG }) ? BAWN_ERROR_NONE : BAWN_ERROR_INTERNAL;
}

/* Frames made by hand: magic, a descriptor, then what it calls for; blocks of one repeated byte. */
static size_t rle_frame(char *out, uint8_t descriptor, const char *fields, size_t n_fields, int blocks)
{
	size_t n = 0;
	memcpy(out, "\x28\xb5\x2f\xfd", n += 4);
	out[n++] = (char)descriptor;
	memcpy(out + n, fields, n_fields);
	n += n_fields;
	for (int i = 0; i < blocks; i++) {
		const uint32_t head = 128u << 10 << 3 | 1u << 1 | (i + 1 == blocks);
		const char block[] = { (char)head, (char)(head >> 8), (char)(head >> 16), 'x' };
		memcpy(out + n, block, sizeof block);
		n += sizeof block;
	}
	return n;
}

static void packed_blobs(void)
{
	auto_world w = world_make();
	static struct packed p;
	struct bawn_err err = { 0 };
	struct stat st = { 0 };
	char sha[BAWN_SHA256_HEX], plain[200];
	p.w = &w;
	for (size_t i = 0; i < BIG; i++)
		p.text[i] = "def f(x):\n\treturn x + 1\n"[i * i / 7 % 25];
	const struct bawn_span code = { p.text, BIG };
	ok(bawn_audit_blob_put(w.dir, code, p.sha, &err) == 0, "a large body is kept %s", err.msg);
	snprintf(p.path, sizeof p.path, "a/blob/%.2s/%s.zst", p.sha, p.sha);
	snprintf(plain, sizeof plain, "a/blob/%.2s/%s", p.sha, p.sha);
	ok(fstatat(w.tmp.fd, p.path, &st, 0) == 0 && (st.st_mode & 07777) == 0400 && st.st_size < BIG / 2 && fstatat(w.tmp.fd, plain, &st, 0) < 0,
	   "packed, durable, once");
	bawn_auto_buf file = get(&w, p.path), out = BAWN_BUF(BIG + 1);
	ok(bawn_audit_blob_get(w.dir, p.sha, &out, &err) == 0 && bawn_span_equal(bawn_buf_span(&out), code), "and comes back");
	const ino_t was = (fstatat(w.tmp.fd, p.path, &st, 0), st.st_ino);
	ok(bawn_audit_blob_put(w.dir, code, sha, &err) == 0 && fstatat(w.tmp.fd, p.path, &st, 0) == 0 && st.st_ino == was, "the same body is kept once");
	ok(fchmodat(w.tmp.fd, p.path, 0600, 0) == 0 && bawn_audit_blob_put(w.dir, code, sha, &err) == 0 && fstatat(w.tmp.fd, p.path, &st, 0) == 0 &&
	   (st.st_mode & 07777) == 0400 && st.st_ino == was, "one that its writer did not come to sync is synced by the next");

	/* What a file may claim. */
	ok(got(&p, file.p, file.n, BIG + 1) == BAWN_ERROR_NONE, "the bytes as they were");
	int wrong = 0, noticed = 0;
	for (size_t i = 0; i < file.n; i++) {
		file.p[i] ^= 0x55;
		const enum bawn_error e = got(&p, file.p, file.n, BIG + 1);
		file.p[i] ^= 0x55;
		wrong += e != BAWN_ERROR_NONE && e != BAWN_ERROR_AUDIT_TAMPERED;
		noticed += e == BAWN_ERROR_AUDIT_TAMPERED;
	}
	ok(wrong == 0 && noticed > (int)file.n / 2, "each byte changed: noticed (%d of %zu), or without effect", noticed, file.n);
	wrong = 0;
	for (size_t n = 0; n < file.n; n += 97)
		wrong += got(&p, file.p, n, BIG + 1) != BAWN_ERROR_AUDIT_TAMPERED;
	ok(wrong == 0, "cut anywhere: noticed");
	bawn_auto_buf twice = BAWN_BUF(1u << 20);
	bawn_buf_add(&twice, file.p, file.n);
	bawn_buf_char(&twice, 'x');
	ok(got(&p, twice.p, twice.n, BIG + 1) == BAWN_ERROR_AUDIT_TAMPERED, "a byte behind the frame: noticed");
	twice.n = file.n;
	bawn_buf_add(&twice, "\x50\x2a\x4d\x18\0\0\0\0", 8);
	ok(got(&p, twice.p, twice.n, BIG + 1) == BAWN_ERROR_AUDIT_TAMPERED, "a frame to be skipped behind it: noticed");
	ok(got(&p, file.p, file.n, 1000) != BAWN_ERROR_NONE, "more than the caller has room for is not unpacked");
	static const struct { const char *name; uint8_t descriptor; const char *fields; size_t n; int blocks; } bomb[] = {
		{ "a frame that declares 1 GiB",             0xa0, "\0\0\0\x40", 4, 8192 },
		{ "one that declares less than it holds",    0xa0, "\0\0\x02\0", 4, 8192 },
		{ "one that declares nothing, of 1 GiB",     0x00, "\x58", 1, 8192 },
		{ "one with a window of 2 GiB",              0x80, "\xa8\0\0\x02\0", 5, 1 },
		{ "one that needs a dictionary",             0xa1, "\x07\0\0\x02\0", 5, 1 },
	};
	static char frame[40000];
	for (size_t i = 0; i < BAWN_LEN(bomb); i++)
		ok(got(&p, frame, rle_frame(frame, bomb[i].descriptor, bomb[i].fields, bomb[i].n, bomb[i].blocks), 256u << 20) == BAWN_ERROR_AUDIT_TAMPERED,
		   "%s: noticed", bomb[i].name);
	/* The very bytes, in blocks that are not packed: only what the frame claims makes the difference. */
	static const struct { const char *name; uint8_t descriptor; const char *fields; size_t n; enum bawn_error want; } raw[] = {
		{ "a frame with its size is read",       0xa0, "\xf0\x49\x02\0", 4, BAWN_ERROR_NONE },
		{ "one that declares no size is not",    0x00, "\x58", 1, BAWN_ERROR_AUDIT_TAMPERED },
		{ "nor one with a window of 16 MiB",     0x80, "\x70\xf0\x49\x02\0", 5, BAWN_ERROR_AUDIT_TAMPERED },
	};
	_Static_assert(BIG == 0x249f0, "as the frames say");
	for (size_t i = 0; i < BAWN_LEN(raw); i++) {
		bawn_auto_buf b = BAWN_BUF(1u << 20);
		bawn_buf_add(&b, frame, rle_frame(frame, raw[i].descriptor, raw[i].fields, raw[i].n, 0));
		for (unsigned half = 0; half < 2; half++) {
			const uint32_t head = BIG / 2 << 3 | half;
			bawn_buf_add(&b, (char[]){ (char)head, (char)(head >> 8), (char)(head >> 16) }, 3);
			bawn_buf_add(&b, p.text + half * (BIG / 2), BIG / 2);
		}
		ok(got(&p, b.p, b.n, BIG + 1) == raw[i].want, "%s", raw[i].name);
	}
	ok(bawn_audit_blob_put(w.dir, code, sha, &err) == 0 && bawn_audit_blob_get(w.dir, p.sha, (bawn_buf_reset(&out), &out), &err) == 0, "mended by the next put");

	/* As it was written before bodies were packed. */
	(void)unlinkat(w.tmp.fd, p.path, 0);
	set(&w, plain, p.text, BIG);
	bawn_buf_reset(&out);
	ok(bawn_audit_blob_get(w.dir, p.sha, &out, &err) == 0 && bawn_span_equal(bawn_buf_span(&out), code), "a large body that is not packed is read");
	ok(bawn_audit_blob_put(w.dir, code, sha, &err) == 0 && fstatat(w.tmp.fd, p.path, &st, 0) < 0, "and kept as it is");
	(void)!fchmodat(w.tmp.fd, plain, 0600, 0);
	set(&w, plain, "other", 5);
	ok(bawn_audit_blob_put(w.dir, code, sha, &err) == 0 && fstatat(w.tmp.fd, p.path, &st, 0) == 0 && fstatat(w.tmp.fd, plain, &st, 0) < 0,
	   "one that is damaged gives way to a packed one");
	for (uint64_t i = 0, v = 1; i < BIG; i++)
		p.text[i] = (char)((v = v * 6364136223846793005u + 1442695040888963407u) >> 56);
	ok(bawn_audit_blob_put(w.dir, code, sha, &err) == 0 && (snprintf(plain, sizeof plain, "a/blob/%.2s/%s", sha, sha), fstatat(w.tmp.fd, plain, &st, 0) == 0),
	   "a body that cannot be packed is kept as it is");
}

/* What verification says of bodies: one that is there must be what an entry cites. */
static void verified_bodies(void)
{
	auto_world w = world_make();
	static char text[BIG];
	char sha[BAWN_SHA256_HEX] = "", small[BAWN_SHA256_HEX] = "", path[200];
	memset(text, 'a', BIG);
	bool good = bawn_audit_blob_put(w.dir, (struct bawn_span){ text, BIG }, sha, NULL) == 0 && bawn_audit_blob_put(w.dir, bawn_span("small"), small, NULL) == 0;
	auto_log a = open_log(w.dir, 0, NULL);
	bawn_auto_json body = json_pack("{s:s}", "code_sha256", sha);
	good = good && a != NULL && put_text(a, "x", NULL, NULL) == 0 &&
	       bawn_audit_put(a, &(struct bawn_record){ .type = BAWN_RECORD_EXEC_INTENT, .body = body }, NULL, NULL) == 0 && put_text(a, "y", NULL, NULL) == 0;
	struct bawn_audit_report r = verify(w.dir);
	ok(good && r.ok && r.bodies == 2 && r.stray_bodies == 0, "both bodies are looked at %s", r.problem);
	snprintf(path, sizeof path, "a/blob/%.2s/%s", small, small);
	(void)!fchmodat(w.tmp.fd, path, 0600, 0);
	set(&w, path, "other", 5);
	r = verify(w.dir);
	ok(r.ok && r.bodies == 1 && r.stray_bodies == 1, "one that no entry cites and is something else is said, and is no fault of the log");
	snprintf(path, sizeof path, "a/blob/%.2s/%s.zst", sha, sha);
	bawn_auto_buf file = get(&w, path);
	(void)!fchmodat(w.tmp.fd, path, 0600, 0);
	file.p[file.n - 2] ^= 1;
	set(&w, path, file.p, file.n);
	r = verify(w.dir);
	ok(!r.ok && r.first_bad_seq == 2 && strstr(r.problem, sha) != NULL, "one that an entry cites: the log is not good from there: %s", r.problem);
	(void)unlinkat(w.tmp.fd, path, 0);
	ok(verify(w.dir).ok, "one that is not there any more is no fault: nobody said that it is kept");
}

/* A record of code; `kept` NULL: as older logs had it. */
static bool put_code(struct bawn_audit *a, enum bawn_record_type type, const char *sha, const char *kept)
{
	static const char request[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	bawn_auto_json body = json_pack("{s:s,s:s}", "request_sha256", request, "code_sha256", sha);
	bool ok = body != NULL;
	if (kept != NULL)
		bawn_json_set(body, "code_kept", json_boolean(strcmp(kept, "true") == 0), &ok);
	bawn_json_set(body, "language", json_string("python"), &ok);
	bawn_json_set(body, "labels", json_pack("{s:s}", "code_kept", "true"), &ok);
	return ok && bawn_audit_put(a, &(struct bawn_record){ .type = type, .exec = "E", .body = body }, NULL, NULL) == 0;
}

/* What an entry says is kept must be there, in one form or the other; what is only cited need not. */
static void missing_bodies(void)
{
	static char text[BIG];
	static const struct { const char *name; bool first, second; const char *kept[3]; uint64_t missing, bad; } row[] = {
		{ "all are there",                                  false, false, { "true", "true", "true" },   0, 0 },
		{ "one is missing, and two entries say it is kept", true,  false, { "true", "true", "true" },   1, 1 },
		{ "the first to say so is named",                   true,  false, { "false", "true", "true" },  1, 3 },
		{ "the other one, which lies packed",               false, true,  { "true", "true", "true" },   1, 2 },
		{ "both",                                           true,  true,  { "true", "true", "true" },   2, 1 },
		{ "one that nobody kept",                           true,  false, { "false", "true", "false" }, 0, 0 },
		{ "a log from before entries said it",              true,  true,  { NULL, NULL, NULL },         0, 0 },
	};
	memset(text, 'a', BIG);
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		auto_world w = world_make();
		char sha[2][BAWN_SHA256_HEX] = { "", "" }, path[200];
		const char *kept[] = { row[i].kept[0], row[i].kept[1], row[i].kept[2] };
		bool good = bawn_audit_blob_put(w.dir, bawn_span("small"), sha[0], NULL) == 0 && bawn_audit_blob_put(w.dir, (struct bawn_span){ text, BIG }, sha[1], NULL) == 0;
		auto_log a = open_log(w.dir, 0, NULL);
		good = good && a != NULL && put_code(a, BAWN_RECORD_EXEC_INTENT, sha[0], kept[0]) && put_code(a, BAWN_RECORD_EXEC_REFUSED, sha[1], kept[1]) &&
		       put_code(a, BAWN_RECORD_APPROVAL_REQUESTED, sha[0], kept[2]);
		snprintf(path, sizeof path, "a/blob/%.2s/%s", sha[0], sha[0]);
		good = good && (!row[i].first || unlinkat(w.tmp.fd, path, 0) == 0);
		snprintf(path, sizeof path, "a/blob/%.2s/%s.zst", sha[1], sha[1]);
		good = good && (!row[i].second || unlinkat(w.tmp.fd, path, 0) == 0);
		struct bawn_audit_report r = verify(w.dir);
		ok(good && r.ok == (row[i].missing == 0) && r.missing_bodies == row[i].missing && (r.ok || (r.first_bad_seq == row[i].bad &&
		   strstr(r.problem, sha[row[i].bad == 2]) != NULL && strstr(r.problem, "missing") != NULL)), "missing bodies: %s %s", row[i].name, r.problem);
	}
}

/* The same of output: an outcome lists the bodies of its streams. */
static void missing_output(void)
{
	static const char request[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", small[] = "o", other[] = "e";
	static const struct { const char *name, *list; bool first, second; uint64_t missing; } row[] = {
		{ "both are there",                   "01", false, false, 0 },
		{ "that of stdout is missing",        "01", true,  false, 1 },
		{ "that of stderr",                   "01", false, true,  1 },
		{ "both",                             "01", true,  true,  2 },
		{ "one body for both streams",        "00", true,  false, 1 },
		{ "one stream alone",                 "0",  true,  false, 1 },
		{ "the other one is not kept",        "0",  false, true,  0 },
		{ "none is kept",                     "",   true,  true,  0 },
		{ "a log from before outcomes said it", NULL, true, true, 0 },
		{ "a list of many",                   "001100", true, true, 2 },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		auto_world w = world_make();
		char sha[2][BAWN_SHA256_HEX] = { "", "" }, path[200];
		bawn_auto_json list = json_array(), *body = json_pack("{s:s,s:s}", "request_sha256", request, "code_sha256", request);
		bool good = bawn_audit_blob_put(w.dir, bawn_span(small), sha[0], NULL) == 0 && bawn_audit_blob_put(w.dir, bawn_span(other), sha[1], NULL) == 0;
		for (const char *at = row[i].list; at != NULL && *at != '\0'; at++)
			bawn_json_push(list, json_string(sha[*at - '0']), &good);
		if (row[i].list != NULL)
			bawn_json_set(body, "output_kept", json_incref(list), &good);
		bawn_json_set(body, "stdout", json_pack("{s:s}", "blob", sha[0]), &good);
		bawn_json_set(body, "stderr", json_pack("{s:s}", "blob", sha[1]), &good);
		auto_log a = open_log(w.dir, 0, NULL);
		good = good && a != NULL && put_text(a, "x", NULL, NULL) == 0 &&
		       bawn_audit_put(a, &(struct bawn_record){ .type = BAWN_RECORD_EXEC_OUTCOME, .exec = "E", .body = body }, NULL, NULL) == 0;
		for (int k = 0; k < 2; k++) {
			snprintf(path, sizeof path, "a/blob/%.2s/%s", sha[k], sha[k]);
			good = good && (!(k == 0 ? row[i].first : row[i].second) || unlinkat(w.tmp.fd, path, 0) == 0);
		}
		struct bawn_audit_report r = verify(w.dir);
		ok(good && r.ok == (row[i].missing == 0) && r.missing_bodies == row[i].missing && (r.ok || (r.first_bad_seq == 2 &&
		   (strstr(r.problem, sha[0]) != NULL) <= row[i].first && (strstr(r.problem, sha[1]) != NULL) <= row[i].second && strstr(r.problem, "missing") != NULL)), "missing output: %s %s", row[i].name, r.problem);
	}
}

/* A link in the place of the directory that a body lies in: it is looked at all the same. */
static void linked_bodies(void)
{
	auto_world w = world_make();
	char sha[BAWN_SHA256_HEX] = "", command[300];
	bool good = bawn_audit_blob_put(w.dir, bawn_span("small"), sha, NULL) == 0;
	auto_log a = open_log(w.dir, 0, NULL);
	good = good && a != NULL && put_code(a, BAWN_RECORD_EXEC_INTENT, sha, "true");
	ok(good && verify(w.dir).ok && verify(w.dir).bodies == 1, "a body that is kept");
	snprintf(command, sizeof command, "mv a/blob/%.2s away && ln -s ../../away a/blob/%.2s && chmod 600 away/%s && echo other >away/%s", sha, sha, sha, sha);
	good = sh(&w, command);
	struct bawn_audit_report r = verify(w.dir);
	ok(good && !r.ok && r.first_bad_seq == 1, "changed behind a link, it is noticed: %s", r.problem);
}

/* Many entries, few bodies and many: each is looked for once, and the first that says so is named. */
static void many_kept(void)
{
	auto_world w = world_make();
	char sha[BAWN_SHA256_HEX], lost[BAWN_SHA256_HEX] = "", text[32], path[200];
	auto_log a = open_log(w.dir, 0, NULL);
	bool good = a != NULL;
	for (int i = 0; good && i < 400; i++) {
		snprintf(text, sizeof text, "%d", i < 200 ? i % 7 : i % 150);
		good = bawn_audit_blob_put(w.dir, bawn_span(text), sha, NULL) == 0 && put_code(a, BAWN_RECORD_EXEC_INTENT, sha, "true");
		if (i == 5)
			memcpy(lost, sha, sizeof lost);
	}
	struct bawn_audit_report r = verify(w.dir);
	ok(good && r.ok && r.bodies == 150 && r.missing_bodies == 0, "400 entries that keep 150 bodies %s", r.problem);
	snprintf(path, sizeof path, "a/blob/%.2s/%s", lost, lost);
	good = unlinkat(w.tmp.fd, path, 0) == 0;
	r = verify(w.dir);
	ok(good && !r.ok && r.bodies == 149 && r.missing_bodies == 1 && r.first_bad_seq == 6 && strstr(r.problem, lost) != NULL, "one of them is missing: %s", r.problem);
	(void)!renameat(w.tmp.fd, "a/blob", w.tmp.fd, "a/elsewhere");
	r = verify(w.dir);
	ok(!r.ok && r.missing_bodies == 150 && r.first_bad_seq == 1, "all of them, and their directory: %s", r.problem);
}

/* Reading on from a bookmark: only what is new, over segments, and only where it goes on from what was read. */
static void bookmarked(void)
{
	auto_world w = world_make();
	struct bawn_bookmark at = { .seq = 3 };
	struct bawn_err err = { 0 };
	struct order o = { 0 };
	ok(fill_log(w.dir, 9, 0) && bawn_audit_walk_on(w.dir, &at, note_seq, &o, NULL) == 0 && is_run(&o, 3, 7, 1), "from an entry to the end");
	o.n = 0;
	ok(bawn_audit_walk_on(w.dir, &at, note_seq, &o, NULL) == 0 && o.n == 0, "then nothing, while nothing is new");
	const struct bawn_bookmark then = at;
	uint64_t size = 0;
	ok(fill_log(w.dir, 300, 20000) && bawn_audit_size(w.dir, &size, NULL) == 0 && files_in(&w, "a/seg") > 3, "300 more, over segments");
	o = (struct order){ .stop_after = 4 };
	ok(bawn_audit_walk_on(w.dir, &at, note_seq, &o, NULL) == 77 && is_run(&o, 10, 4, 1), "the walk can be left");
	o = (struct order){ 0 };
	ok(bawn_audit_walk_on(w.dir, &at, note_seq, &o, NULL) == 0 && is_run(&o, 14, size - 14, 1), "and goes on with the next, each once");
	at = then;
	at.hash[7] = at.hash[7] == '0' ? '1' : '0';
	ok(bawn_audit_walk_on(w.dir, &at, note_seq, &o, &err) < 0 && err.type == BAWN_ERROR_AUDIT_TAMPERED, "not where the entry read last is another now");
	at = (struct bawn_bookmark){ .known = true, .seq = size + 1 };
	ok(bawn_audit_walk_on(w.dir, &at, note_seq, &o, &err) < 0 && err.type == BAWN_ERROR_AUDIT_TAMPERED, "nor in a log that has become shorter");
	at = then;
	at.segment = 5;
	ok(bawn_audit_walk_on(w.dir, &at, note_seq, &o, &err) < 0 && err.type == BAWN_ERROR_AUDIT_TAMPERED, "nor in a segment that is gone");
}

int main(void)
{
	fresh_log();
	members();
	refused();
	injection();
	walking();
	long_lines();
	last_of_many();
	many_tickets();
	blobs();
	packed_blobs();
	verified_bodies();
	missing_bodies();
	missing_output();
	linked_bodies();
	many_kept();
	bookmarked();
	return done_testing();
}
