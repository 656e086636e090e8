/* witness.c - see witness.h.
 *
 * Invariants: (1) what it knows never becomes less: lines are appended, and a file is replaced by its
 * largest line alone; (2) bytes that are no whole line count for nothing, and hide no other line; (3) one at a time tells it,
 * also of the threads that share a handle: the lock is on a file opened for that, and let go before that is closed (a child
 * forked meanwhile has it open as well).
 * What a line says is believed for where it stands, not for its signature: a log put back to before a
 * change of keys does not know the key of what it should be held against.
 * An attacker controls: the log; a file given by name. */
#include "audit/witness.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include "audit/prune.h"
#include "base/b64.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"

#define LEAD     "bawn-witness/1 "
#define FILE_MAX (64u << 10)
#define LINE_MAX_LEN 300u
#define LINES_MAX 1000  /* that are no whole line: the file is bounded, and so is the time for it */
#define LOCK_TRIES 100  /* of 2 ms: whoever has it writes one line */

void bawn_witness_name(const char *origin, char out[static BAWN_WITNESS_NAME]) { bawn_sha256_hex(bawn_span(origin), out); }

int bawn_witness_open(const char *dir, int *out_fd, struct bawn_err *err)
{
	int r = bawn_make_dirs(dir, 0700, err);
	if (r < 0)
		return bawn_wrap(err, r, "make the witness '%s'", dir);
	bawn_auto_fd fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		return bawn_fail_as(err, BAWN_ERROR_STATE_UNWRITABLE, NULL, "write the witness '%s': %s", dir, strerrordesc_np(errno));
	*out_fd = bawn_take_fd(&fd);
	return 0;
}

/* ---- lines ---- */

static bool read_line(struct bawn_span line, struct bawn_sighting *out)
{
	struct bawn_span size, hash, root;
	if (!bawn_span_take(&line, ' ', &size) || !bawn_span_take(&line, ' ', &hash) || !bawn_span_take(&line, ' ', &root) ||
	    bawn_parse_u64(size, 1, INT64_MAX, &out->seal.size, NULL) < 0 || hash.n != 64 || !bawn_is_hex(hash.p, 64) ||
	    !bawn_b64_read(root, out->seal.root, sizeof out->seal.root) ||
	    !bawn_b64_read(line, out->seal.signature, sizeof out->seal.signature))
		return false;
	memcpy(out->hash, hash.p, 64);
	out->hash[64] = '\0';
	return true;
}

static void put_line(struct bawn_buf *out, const struct bawn_sighting *s)
{
	bawn_buf_fmt(out, "%" PRIu64 " %s ", s->seal.size, s->hash);
	bawn_b64_put(out, s->seal.root, sizeof s->seal.root);
	bawn_buf_char(out, ' ');
	bawn_b64_put(out, s->seal.signature, sizeof s->seal.signature);
	bawn_buf_char(out, '\n');
}

static bool take_origin(struct bawn_span text, struct bawn_sighting *out)
{
	if (text.n == 0 || text.n >= sizeof out->origin)
		return false;
	memcpy(out->origin, text.p, text.n);
	out->origin[text.n] = '\0';
	return true;
}

/* The line with the largest size below `limit`; only that one is worth reading whole. */
static bool largest(struct bawn_span text, uint64_t limit, struct bawn_span *out, uint64_t *out_size)
{
	struct bawn_span line, size;
	uint64_t best = 0;
	while (bawn_span_take(&text, '\n', &line)) {
		struct bawn_span rest = line;
		uint64_t n;
		if (bawn_span_take(&rest, ' ', &size) && bawn_parse_u64(size, 1, INT64_MAX, &n, NULL) == 0 && n > best && n < limit) {
			best = n;
			*out = line;
		}
	}
	*out_size = best;
	return best > 0;
}

/* The largest sighting; -ENOENT where there is none. */
static int largest_of(struct bawn_span text, struct bawn_sighting *out)
{
	struct bawn_sighting s = *out;
	struct bawn_span line;
	uint64_t size = UINT64_MAX;
	for (int tries = 0; tries < LINES_MAX && largest(text, size, &line, &size); tries++)
		if (read_line(line, &s)) {
			*out = s;
			return 0;
		}
	return -ENOENT;
}

/* The same of a witness's file, -EBADMSG where it is none. */
static int read_lines(struct bawn_span text, struct bawn_sighting *out)
{
	struct bawn_sighting s = { 0 };
	struct bawn_span line;
	if (!bawn_span_take(&text, '\n', &line) || !bawn_span_starts(line, LEAD) ||
	    !take_origin((struct bawn_span){ line.p + sizeof LEAD - 1, line.n - (sizeof LEAD - 1) }, &s))
		return -EBADMSG;
	int r = largest_of(text, &s);
	if (r == 0)
		*out = s;
	return r;
}

static int read_note(struct bawn_span text, struct bawn_sighting *out)
{
	struct bawn_sighting s = { 0 };
	struct bawn_span rest = text, origin;
	if (!bawn_note_claim(text, &s.seal) || s.seal.size == 0 || !bawn_span_take(&rest, '\n', &origin) || !take_origin(origin, &s))
		return -EBADMSG;
	*out = s;
	return 0;
}

int bawn_witness_read(int dirfd, const char *file, struct bawn_sighting *out)
{
	bawn_auto_buf text = BAWN_BUF(2 * FILE_MAX);
	bawn_auto_fd fd = openat(dirfd, file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	int r = bawn_read_fd(fd, file, &text, NULL);
	if (r < 0)
		return r == -EFBIG ? -EBADMSG : r;
	return bawn_span_starts(bawn_buf_span(&text), LEAD) ? read_lines(bawn_buf_span(&text), out) : read_note(bawn_buf_span(&text), out);
}

/* A file whose first line is damaged: the others still count.  Its origin is "". */
static int read_harmed(int witness, const char *name, struct bawn_sighting *out)
{
	bawn_auto_buf text = BAWN_BUF(2 * FILE_MAX);
	int r = bawn_read_plain_file(witness, name, &text, NULL);
	*out = (struct bawn_sighting){ 0 };
	return r == 0 || r == -EFBIG ? largest_of(bawn_buf_span(&text), out) : r;  /* none: begun and not finished; telling it anew mends it */
}

/* The name of the file says whose it is. */
static int know(int witness, const char *origin, struct bawn_sighting *out)
{
	char name[BAWN_WITNESS_NAME];
	struct bawn_sighting s = { 0 };
	bawn_witness_name(origin, name);
	int r = bawn_witness_read(witness, name, &s);
	if (r == -EBADMSG || (r == 0 && strcmp(s.origin, origin) != 0))
		r = read_harmed(witness, name, &s);
	if (r == 0)
		*out = s;
	return r;
}

int bawn_witness_know(int witness, const char *origin, struct bawn_sighting *out)
{
	int r = know(witness, origin, out);
	if (r == 0)
		snprintf(out->origin, sizeof out->origin, "%s", origin);
	return r;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

int bawn_witness_other(int witness, const char *origin, struct bawn_sighting *out)
{
	char own[BAWN_WITNESS_NAME];
	struct timespec last = { 0 };
	bool any = false;
	bawn_witness_name(origin, own);
	bawn_auto_fd fd = openat(witness, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bawn_auto_dir d = fd >= 0 ? fdopendir(fd) : NULL;
	if (d == NULL)
		return -errno;
	(void)bawn_take_fd(&fd);
	for (const struct dirent *e; (e = readdir(d)) != NULL; ) {
		struct bawn_sighting s;
		struct stat st;
		if (strlen(e->d_name) != 64 || !bawn_is_hex(e->d_name, 64) || strcmp(e->d_name, own) == 0 ||
		    fstatat(witness, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || (any && !is_later(&st.st_mtim, &last)))
			continue;
		int r = bawn_witness_read(witness, e->d_name, &s);
		if (r == -EBADMSG)
			r = read_harmed(witness, e->d_name, &s);
		if (r < 0)
			continue;
		any = true;
		last = st.st_mtim;
		*out = s;
	}
	return any ? 0 : -ENOENT;
}

/* ---- telling ---- */

static int lock(int witness, int *out_fd)
{
	bawn_auto_fd fd = openat(witness, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	for (int i = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; i++) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (i == LOCK_TRIES)
			return -EBUSY;
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ 0, 2000000 }, NULL);
	}
	*out_fd = bawn_take_fd(&fd);
	return 0;
}

/* A new file with this line alone: the first, or one grown too long, or one that is no witness's. */
static int begin(int witness, const char *name, const char *origin, struct bawn_span line, struct bawn_err *err)
{
	bawn_auto_buf text = BAWN_BUF(2048);
	bawn_buf_fmt(&text, LEAD "%s\n", origin);
	bawn_buf_add(&text, line.p, line.n);
	int r = bawn_buf_error(&text);
	return r < 0 ? bawn_fail(err, r, "tell the witness") : bawn_replace_file(witness, name, bawn_buf_span(&text), 0600, err);
}

static int append(int fd, struct bawn_span line, bool durable, struct bawn_err *err)
{
	int r = bawn_write_all(fd, line.p, line.n, err);  /* half a line counts for nothing, and the next one begins the file anew */
	if (r < 0)
		return bawn_wrap(err, r, "tell the witness");
	return durable && fdatasync(fd) < 0 ? bawn_fail(err, -errno, "tell the witness") : 0;
}

static int tell_locked(int witness, const char *origin, const struct bawn_sighting *s, bool durable, struct bawn_err *err)
{
	char name[BAWN_WITNESS_NAME], last = '\n';
	struct bawn_sighting known;
	struct stat st = { 0 };
	bawn_auto_buf line = BAWN_BUF(2 * LINE_MAX_LEN);
	bawn_witness_name(origin, name);
	int r = know(witness, origin, &known);
	if (r < 0 && r != -ENOENT)
		return bawn_fail(err, r, "read the witness");
	const bool knows = r == 0 && known.seal.size >= s->seal.size, harmed = r == 0 && known.origin[0] == '\0';
	if (knows && !harmed && !durable)
		return 0;
	put_line(&line, knows ? &known : s);
	r = bawn_buf_error(&line);
	if (r < 0)
		return bawn_fail(err, r, "tell the witness");
	bawn_auto_fd fd = openat(witness, name, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	/* A file cut in the middle of a line by a full disk or a crash is begun anew as well. */
	if (harmed || fd < 0 || fstat(fd, &st) < 0 || st.st_size > FILE_MAX || st.st_size == 0 || pread(fd, &last, 1, st.st_size - 1) != 1 || last != '\n')
		return begin(witness, name, origin, bawn_buf_span(&line), err);
	if (knows)
		return fdatasync(fd) < 0 ? bawn_fail(err, -errno, "tell the witness") : 0;
	return append(fd, bawn_buf_span(&line), durable, err);
}

int bawn_witness_tell(int witness, const char *origin, const struct bawn_head *h, bool durable, struct bawn_err *err)
{
	struct bawn_sighting s = { .seal = h->seal };
	if (h->size == 0)
		return 0;
	if (!bawn_fits_rlimit(2 * FILE_MAX))
		return durable ? bawn_fail(err, -EFBIG, "tell the witness: the file size limit of this process (RLIMIT_FSIZE) is too low") : 0;
	memcpy(s.hash, h->hash, sizeof s.hash);
	bawn_auto_fd held = -1;
	int r = lock(witness, &held);
	if (r < 0)
		return bawn_fail(err, r, "lock the witness");
	r = tell_locked(witness, origin, &s, durable, err);
	(void)flock(held, LOCK_UN);
	return r;
}

/* ---- another log ---- */

/* Does the log's first entry say that it was begun in place of one that the witness knows? */
static bool says_so(int witness, int audit)
{
	bawn_auto_fd fd = -1;
	bawn_auto_lines lines = { 0 };
	struct bawn_span text = { 0 };
	struct bawn_line l;
	struct bawn_sighting s;
	bool whole = false;
	const char *problem;
	if (bawn_segment_open(audit, 0, &fd, NULL) < 0 || bawn_lines_init(&lines, fd, 0, NULL) < 0 || bawn_lines_next(&lines, &text, &whole, NULL) < 0 ||
	    !whole || bawn_line_shape(text, &l, &problem) < 0)
		return false;
	bawn_auto_json body = json_loadb(l.body.p, l.body.n, JSON_ALLOW_NUL, NULL);
	const json_t *previous = json_object_get(body, "previous");
	const char *origin = json_string_value(json_object_get(previous, "origin"));
	return json_integer_value(json_object_get(previous, "size")) > 0 && (origin == NULL || know(witness, origin, &s) == 0);
}

bool bawn_witness_replaced(int witness, const char *origin, int audit, struct bawn_sighting *out)
{
	struct bawn_sighting own;
	return know(witness, origin, &own) == -ENOENT && bawn_witness_other(witness, origin, out) == 0 && !says_so(witness, audit);
}

/* ---- comparing ---- */

struct looking { uint64_t seq; const char *hash; bool same; };

static int look(void *ctx, const struct bawn_line *l, struct bawn_span line, struct bawn_err *err)
{
	struct looking *k = ctx;
	(void)line, (void)err;
	if (l->seq != k->seq)
		return 0;
	k->same = memcmp(l->hash, k->hash, 64) == 0;
	return 1;
}

/* What it has seen is not there any more: another witness was told that it went.  Tiles and the cut know its root. */
static int check_pruned(int audit, const struct bawn_segments *all, const struct bawn_sighting *s, bool *out_same, struct bawn_err *err)
{
	struct bawn_cut cut;
	bawn_node root;
	int r = bawn_cut_find(audit, all, &cut, err);
	if (r == 0 && !bawn_cut_root(audit, &cut, s->seal.size, root))
		return 1;
	*out_same = r == 0 && memcmp(root, s->seal.root, sizeof root) == 0;
	return r;
}

int bawn_witness_check(int witness, const char *origin, int audit, const struct bawn_head *h, struct bawn_err *err)
{
	char name[BAWN_WITNESS_NAME];
	struct bawn_sighting s;
	bawn_auto_segments all = { 0 };
	int r = bawn_witness_know(witness, origin, &s);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return bawn_fail(err, r, "read the witness of the audit log");
	bawn_witness_name(origin, name);
	if (s.seal.size > h->size)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL,
		                    "the audit log was cut or put back to an older state: it has %" PRIu64 " entries, its witness has seen %" PRIu64
		                    " (file %s)", h->size, s.seal.size, name);
	/* Hashes form a chain: where this one is the same, so is everything before it. */
	struct looking k = { .seq = s.seal.size - 1, .hash = s.hash };
	r = bawn_segments_list(audit, &all, err);
	if (r == 0 && all.n > 0 && k.seq < all.first[0]) {
		r = check_pruned(audit, &all, &s, &k.same, err);
		if (r > 0)
			return r;
	} else if (r == 0) {
		r = bawn_lines_back(audit, h, look, &k, err);
	}
	if (r < 0)
		return r;
	return k.same ? 0 : bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL,
	                                 "the audit log has another past than its witness has seen: entry %" PRIu64 " is not the same (file %s)",
	                                 k.seq, name);
}
