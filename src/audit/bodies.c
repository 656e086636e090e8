/* bodies.c - see bodies.h.
 * An attacker controls: every name and byte under blob/, and the hashes that entries name.  However many files are wrong,
 * the log is read once to find who cites them; however often bodies are named, a body is looked for once. */
#include "audit/bodies.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include "audit/blob.h"
#include "base/cleanup.h"

/* ---- what is said to be kept ---- */

/* Moves on behind a text that must be there, or behind 64 digits. */
static bool pass(struct bawn_span *s, const char *text)
{
	if (!bawn_span_starts(*s, text))
		return false;
	s->p += strlen(text);
	s->n -= strlen(text);
	return true;
}

static bool pass_hash(struct bawn_span *s, const char **out)
{
	if (s->n < 64 || !bawn_is_hex(s->p, 64))
		return false;
	*out = s->p;
	s->p += 64;
	s->n -= 64;
	return true;
}

/* Behind the first two members, which are the same in both cases. */
static bool pass_opening(struct bawn_span *s, const char **out_code)
{
	const char *request;
	return pass(s, "{\"request_sha256\":\"") && pass_hash(s, &request) && pass(s, "\",\"code_sha256\":\"") && pass_hash(s, out_code);
}

const char *bawn_code_kept(struct bawn_span body)
{
	const char *code;
	return pass_opening(&body, &code) && pass(&body, "\",\"code_kept\":true") ? code : NULL;
}

bool bawn_output_kept(struct bawn_span body, size_t i, const char **out)
{
	enum { EACH = sizeof "\"\"," - 1 + 64 };
	const char *code;
	if (!pass_opening(&body, &code) || !pass(&body, "\",\"output_kept\":[") || body.n / EACH < i)
		return false;
	body.p += i * EACH;  /* behind the last one is no quote */
	body.n -= i * EACH;
	return pass(&body, "\"") && pass_hash(&body, out) && (pass(&body, "\",") || pass(&body, "\"]"));
}

static int by_hash_then_seq(const void *a, const void *b)
{
	const struct bawn_kept *x = a, *y = b;
	const int order = memcmp(x->sha256, y->sha256, sizeof x->sha256);
	return order != 0 ? order : (x->seq > y->seq) - (x->seq < y->seq);
}

/* Each body once, in the order of their hashes. */
static void sort_out(struct bawn_keeping *k)
{
	size_t n = 0;
	if (k->sorted == k->n)
		return;
	qsort(k->body, k->n, sizeof *k->body, by_hash_then_seq);
	for (size_t i = 0; i < k->n; i++)
		if (n == 0 || memcmp(k->body[n - 1].sha256, k->body[i].sha256, sizeof k->body->sha256) != 0)
			k->body[n++] = k->body[i];
	k->n = k->sorted = n;
}

void bawn_keeping_done(struct bawn_keeping *k) { free(k->body); }

static int note_kept(struct bawn_keeping *k, uint64_t seq, const char *hex)
{
	if (k->n == k->room)
		sort_out(k);
	if (k->n + k->room / 4 >= k->room && k->sorted == k->n) {  /* a quarter must be free, or it would be sorted again soon */
		const size_t room = k->room == 0 ? 64 : 2 * k->room;
		void *more = reallocarray(k->body, room, sizeof *k->body);
		if (more == NULL)
			return -ENOMEM;
		k->body = more;
		k->room = room;
	}
	struct bawn_kept *b = &k->body[k->n++];
	*b = (struct bawn_kept){ .seq = seq };
	bawn_unhex(hex, b->sha256, sizeof b->sha256);
	return 0;
}

int bawn_keeping_note(struct bawn_keeping *k, uint64_t seq, struct bawn_span body)
{
	const char *output, *code = bawn_code_kept(body);
	int r = code != NULL ? note_kept(k, seq, code) : 0;
	for (size_t i = 0; r == 0 && code == NULL && bawn_output_kept(body, i, &output); i++)
		r = note_kept(k, seq, output);
	return r;
}

static int by_hash(const void *key, const void *item)
{
	const struct bawn_kept *b = item;
	return memcmp(key, b->sha256, sizeof b->sha256);
}

/* A file of this name is there, whatever is in it. */
static void found(struct bawn_keeping *k, const char *file)
{
	uint8_t sha256[BAWN_SHA256_LEN];
	bawn_unhex(file, sha256, sizeof sha256);
	struct bawn_kept *b = k->n > 0 ? bsearch(sha256, k->body, k->n, sizeof *k->body, by_hash) : NULL;
	if (b != NULL)
		b->there = true;
}

/* ---- the files ---- */

struct wrong { char (*name)[BAWN_SHA256_HEX]; size_t n, room; };
static void wrong_done(struct wrong *w) { free(w->name); }

static int note_wrong(struct wrong *w, const char *file, struct bawn_err *err)
{
	if (w->n == w->room) {
		const size_t room = w->room == 0 ? 16 : 2 * w->room;
		void *more = reallocarray(w->name, room, sizeof *w->name);
		if (more == NULL)
			return bawn_fail(err, -ENOMEM, "check the bodies");
		w->name = more;
		w->room = room;
	}
	snprintf(w->name[w->n++], BAWN_SHA256_HEX, "%.64s", file);
	return 0;
}

static int check_file(int dirfd, const char *sub, const char *file, struct bawn_keeping *keeping, struct wrong *wrong, struct bawn_bodies *out, struct bawn_err *err)
{
	if (!bawn_blob_name(file) || strncmp(file, sub, 2) != 0)
		return 0;  /* left by a writer that was interrupted: nobody would look for a body there */
	int r = bawn_blob_check(dirfd, file);
	if (r == 0 || r == -EBADMSG)
		found(keeping, file);
	if (r == -EBADMSG)
		return note_wrong(wrong, file, err);
	if (r < 0)
		return r == -ENOENT ? 0 : bawn_fail(err, r, "read body %.64s", file);  /* gone since: replaced or removed */
	out->good++;
	return 0;
}

static int check_dir(int dirfd, const char *sub, struct bawn_keeping *keeping, struct wrong *wrong, struct bawn_bodies *out, struct bawn_err *err)
{
	char path[sizeof "blob/ab"];
	int r = 0;
	snprintf(path, sizeof path, "blob/%s", sub);
	bawn_auto_fd fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? 0 : bawn_fail(err, -errno, "list the bodies");
	bawn_auto_dir d = fdopendir(fd);
	if (d == NULL)
		return bawn_fail(err, -errno, "list the bodies");
	(void)bawn_take_fd(&fd);
	for (const struct dirent *e; r == 0 && (e = readdir(d)) != NULL; )
		r = check_file(dirfd, sub, e->d_name, keeping, wrong, out, err);
	return r;
}

static int note_missing(const struct bawn_kept *b, const char hex[static BAWN_SHA256_HEX], struct bawn_bodies *out)
{
	if (out->missing++ == 0 || b->seq < out->missing_seq) {
		out->missing_seq = b->seq;
		memcpy(out->missing_sha256, hex, sizeof out->missing_sha256);
	}
	return 0;
}

/* Those that the directories did not list are read by their names: a writer that mends a body gives it another name
 * meanwhile, and a listing may see neither; and a directory may have become a link, which is not listed. */
static int look_by_name(int dirfd, const struct bawn_keeping *k, struct wrong *wrong, struct bawn_bodies *out, struct bawn_err *err)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < k->n; i++) {
		const struct bawn_kept *b = &k->body[i];
		char hex[BAWN_SHA256_HEX];
		if (b->there)
			continue;
		bawn_hex(b->sha256, sizeof b->sha256, hex);
		r = bawn_blob_check_any(dirfd, hex);
		if (r == 0)
			out->good++;
		else if (r == -ENOENT)
			r = note_missing(b, hex, out);
		else
			r = r == -EBADMSG ? note_wrong(wrong, hex, err) : bawn_fail(err, r, "read body %s", hex);
	}
	return r;
}

/* ---- who cites them ---- */

static int by_name(const void *a, const void *b) { return memcmp(a, b, 64); }

/* A hash is cited as a string of its own, wherever it stands: "64 digits" */
static bool cites(struct bawn_span line, const struct wrong *w, struct bawn_bodies *out)
{
	enum { EACH = sizeof "\"\"" - 1 + 64 };
	for (const char *p = line.p, *end = line.p + line.n; end - p >= EACH; p++) {
		p = memchr(p, '"', (size_t)(end - p));
		if (p == NULL || end - p < EACH)
			return false;
		const char *found = p[EACH - 1] == '"' && bawn_is_hex(p + 1, 64) ? bsearch(p + 1, w->name, w->n, sizeof *w->name, by_name) : NULL;
		if (found != NULL) {
			memcpy(out->sha256, found, sizeof out->sha256);
			return true;
		}
	}
	return false;
}

static int cited_in(int dirfd, uint64_t segment, const struct wrong *w, struct bawn_bodies *out, struct bawn_err *err)
{
	bawn_auto_fd fd = -1;
	bawn_auto_lines lines = { 0 };
	int r = bawn_segment_open(dirfd, segment, &fd, err);
	if (r == 0)
		r = bawn_lines_init(&lines, fd, 0, err);
	for (uint64_t seq = segment; r == 0 && !out->cited; seq++) {
		struct bawn_span line;
		bool whole;
		r = bawn_lines_next(&lines, &line, &whole, err);
		if (r < 0 || line.p == NULL || !whole)
			return r;
		out->cited = cites(line, w, out);
		out->seq = seq;
	}
	return r;
}

int bawn_bodies_check(int dirfd, const struct bawn_segments *all, struct bawn_keeping *keeping, struct bawn_bodies *out, struct bawn_err *err)
{
	__attribute__((cleanup(wrong_done))) struct wrong wrong = { 0 };
	struct bawn_bodies b = { 0 };
	int r = 0;
	sort_out(keeping);
	for (unsigned i = 0; r == 0 && i < 256; i++) {
		char sub[sizeof "ab"];
		snprintf(sub, sizeof sub, "%02x", i & 255u);
		r = check_dir(dirfd, sub, keeping, &wrong, &b, err);
	}
	if (r == 0)
		r = look_by_name(dirfd, keeping, &wrong, &b, err);
	b.wrong = wrong.n;
	if (r == 0 && wrong.n > 0)
		qsort(wrong.name, wrong.n, sizeof *wrong.name, by_name);
	for (size_t i = 0; r == 0 && wrong.n > 0 && !b.cited && i < all->n; i++)
		r = cited_in(dirfd, all->first[i], &wrong, &b, err);
	if (r == 0)
		*out = b;
	return r;
}
