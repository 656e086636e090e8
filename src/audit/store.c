/* store.c - a commit: lock, read head, append (the last line signed), fdatasync, publish head, unlock.
 *
 * Invariants:
 * (1) head never says more than is durable: it is written after the fdatasync of the entries it
 *     counts, and it is in place (synced, size 0) before the first segment is made.  So a log shorter
 *     than its head was cut by somebody else;
 * (2) head itself is synced only when a segment is closed, and before a key or a segment goes that an
 *     older one needs.
 *     After a power cut it may lag: signed commits beyond it were perhaps acknowledged and are kept
 *     (recover.c).  What was synced stays in one of its slots until the next sync (head.h);
 * (3) an entry is acknowledged only after its fdatasync, the fsync of a new segment's directory entry
 *     and the write of head all succeeded;
 * (4) bytes of a commit that failed are cut off again before the lock is let go; where even that
 *     fails, or a sync failed, the handle is dead: the kernel may have dropped the dirty pages and
 *     would report success the next time;
 * (5) nothing is written unless directory, LOCK, head and segment are still the files at their
 *     paths: a log that was moved away or deleted is noticed before the next acknowledgement;
 * (6) one writer at a time: flock on LOCK, which is held by an open file of this process alone (a
 *     handle carried over fork refuses to work);
 * (7) nothing is signed but lines this handle makes, on top of a head it signed or whose signature it
 *     checked; a head smaller than one this handle has seen is refused, and so is a log that its
 *     witness has seen longer or with another past (witness.c);
 * (8) the private key is durable before the first line signed with it; log.key, and a head of the epoch
 *     it begins, before the key of the epoch it ends is destroyed;
 * (9) where there is a reserve, an intent is written only while it is there, and the room for its
 *     outcome with it; it is given up for an outcome alone (reserve.h).
 * An attacker controls: the content of records (entry.c deals with it).  Whoever may write the state
 * directory can put back an older log with its head, or take the private key; that is for witnesses.
 *
 * Waiting for the lock: there is no flock with a timeout, and a library may neither start threads
 * nor take signals.  So: try, then sleep 50 us, doubled up to 4 ms, with jitter so that waiters do
 * not march in step, until lock_timeout_ms have passed. */
#include "audit/store.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <sodium.h>
#include "audit/entry.h"
#include "audit/keys.h"
#include "audit/reserve.h"
#include "audit/segment.h"
#include "audit/tiles.h"
#include "audit/witness.h"
#include "base/b64.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"

#define LOCK_DEFAULT_MS 30000u
#define SEGMENT_DEFAULT (100ull << 20)

/* ---- errors ---- */

static enum bawn_error type_of(int code)
{
	switch (code) {
	case ENOSPC: case EDQUOT:           return BAWN_ERROR_DISK_FULL;
	case EACCES: case EPERM: case EROFS: return BAWN_ERROR_STATE_UNWRITABLE;
	case ENOMEM:                        return BAWN_ERROR_OUT_OF_MEMORY;
	default:                            return BAWN_ERROR_AUDIT_FAILED;
	}
}

/* From errno. */
int bawn_store_fail(struct bawn_store *s, struct bawn_err *err, const char *doing)
{
	int code = errno;
	return bawn_fail_as(err, type_of(code), NULL, "%s of the audit log '%s': %s", doing, s->dir,
	                    strerrordesc_np(code));
}

static int die(struct bawn_store *s, int r)
{
	s->dead = true;
	return r;
}

int bawn_store_sync(struct bawn_store *s, int fd, const char *what, struct bawn_err *err)
{
	return fdatasync(fd) < 0 ? die(s, bawn_store_fail(s, err, what)) : 0;
}

/* ---- the lock ---- */

static int take_lock(struct bawn_store *s, struct bawn_err *err)
{
	uint64_t now = bawn_monotonic_us(), until = now + s->lock_ms * 1000u, wait_us = 50;
	uint64_t dice = now ^ (uint64_t)s->pid << 20;
	while (flock(s->lockfd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return bawn_store_fail(s, err, "lock LOCK");
		now = bawn_monotonic_us();
		if (now >= until)
			return bawn_fail_as(err, BAWN_ERROR_AUDIT_BUSY, NULL,
			                    "another process has held the audit log '%s' for %" PRIu64 " ms", s->dir, s->lock_ms);
		dice = dice * 6364136223846793005u + 1442695040888963407u;
		uint64_t us = wait_us / 2 + (dice >> 33) % wait_us;
		if (us > until - now)
			us = until - now;
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0,
		                      &(struct timespec){ (time_t)(us / 1000000u), (long)(us % 1000000u) * 1000 }, NULL);
		if (wait_us < 4000)
			wait_us *= 2;
	}
	return 0;
}

static void drop_lock(struct bawn_store *s) { (void)flock(s->lockfd, LOCK_UN); }

/* ---- are these still the files? ---- */

static int identify(struct bawn_store *s, int fd, struct bawn_file_id *out, struct bawn_err *err)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return bawn_store_fail(s, err, "look at a file");
	*out = (struct bawn_file_id){ st.st_dev, st.st_ino };
	return 0;
}

/* *st is written in any case where there is something at the path. */
static bool same_file(struct bawn_file_id id, int dirfd, const char *path, int flags, struct stat *st)
{
	return fstatat(dirfd, path, st, flags) == 0 && st->st_dev == id.dev && st->st_ino == id.ino;
}

static int check_files(struct bawn_store *s, struct bawn_err *err)
{
	struct stat st;
	const char *gone = !same_file(s->dir_id, AT_FDCWD, s->dir, 0, &st) ? "directory" :
	                   !same_file(s->segdir_id, s->dirfd, "seg", AT_SYMLINK_NOFOLLOW, &st) ? "seg" :
	                   !same_file(s->lock_id, s->dirfd, "LOCK", AT_SYMLINK_NOFOLLOW, &st) ? "LOCK" :
	                   s->headfd >= 0 &&
	                   !same_file(s->head_id, s->dirfd, "head", AT_SYMLINK_NOFOLLOW, &st) ? "head" : NULL;
	if (gone == NULL)
		return 0;
	return die(s, bawn_fail_as(err, BAWN_ERROR_AUDIT_FAILED, NULL,
	                           "%s of the audit log '%s' was removed or replaced while it was open", gone, s->dir));
}

int bawn_store_open_segment(struct bawn_store *s, uint64_t first_seq, bool create, struct bawn_err *err)
{
	char name[BAWN_SEGMENT_NAME];
	bawn_segment_name(first_seq, name);
	bawn_auto_fd fd = openat(s->segdir, name,
	                         O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (create ? O_CREAT : 0), 0600);
	struct stat st;
	if (fd < 0 && errno == ENOENT)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "segment '%s' of the audit log is missing", name);
	if (fd < 0 || fstat(fd, &st) < 0)
		return bawn_store_fail(s, err, "open a segment");
	if (!S_ISREG(st.st_mode))
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL,
		                    "segment '%s' of the audit log is not a plain file", name);
	bawn_close_fdp(&s->segfd);
	s->segfd = bawn_take_fd(&fd);
	s->seg_id = (struct bawn_file_id){ st.st_dev, st.st_ino };
	s->segment = first_seq;
	s->seg_every = s->sign_every && bawn_segment_signs_each(s->segfd);
	return 0;
}

/* ---- writing ---- */

int bawn_store_publish(struct bawn_store *s, const struct bawn_head *h, const struct bawn_vkey *sealer, struct bawn_err *err)
{
	s->trusted = false;
	int r = bawn_head_write(s->headfd, h, s->head_file, err);
	if (r < 0)
		return die(s, bawn_store_fail(s, err, "write head"));
	s->trusted = true;
	s->head = *h;
	s->sealer = *sealer;
	return 0;
}

/* The key of this epoch. */
int bawn_store_signer(struct bawn_store *s, uint64_t epoch, struct bawn_err *err)
{
	if (s->has_signer && s->signer_epoch == epoch)
		return 0;
	int r = bawn_keys_load(s->dirfd, epoch, &s->signer, err);
	s->has_signer = r == 0;
	s->signer_epoch = epoch;
	return r;
}

int bawn_store_fix_head(struct bawn_store *s, struct bawn_err *err)
{
	struct bawn_head h = s->head;
	const struct bawn_vkey sealer = s->sealer;
	int r = bawn_store_sync(s, s->headfd, "sync head", err);
	bawn_head_turn(&h, true);
	if (r == 0)
		r = bawn_store_publish(s, &h, &sealer, err);
	return r == 0 ? bawn_store_sync(s, s->headfd, "sync head", err) : r;
}

/* Head is of the next epoch: the key of this one is needed no more, once no older head can come back. */
static int retire_key(struct bawn_store *s, uint64_t epoch, struct bawn_err *err)
{
	int r = bawn_store_fix_head(s, err);
	return r < 0 ? r : bawn_keys_destroy(s->dirfd, epoch, err);
}

static int put_bytes(struct bawn_store *s, uint64_t at, struct bawn_err *err)
{
	size_t done = 0;
	if (!bawn_fits_rlimit(at + s->out.n))
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_FAILED, NULL,
		                    "the file size limit of this process (RLIMIT_FSIZE) is too low for the audit log '%s'", s->dir);
	while (done < s->out.n) {
		ssize_t n = pwrite(s->segfd, s->out.p + done, s->out.n - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (n == 0)
				errno = EIO;
			bool room = errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
			int r = bawn_store_fail(s, err, "append to a segment");
			if (!room || ftruncate(s->segfd, (off_t)at) < 0)
				s->dead = true;
			return r;
		}
		done += (size_t)n;
	}
	if (fdatasync(s->segfd) == 0)
		return 0;
	int r = bawn_store_fail(s, err, "sync a segment");
	if (ftruncate(s->segfd, (off_t)at) < 0)
		errno = 0;  /* best effort: the handle is dead either way, and the next opener decides */
	return die(s, r);
}

/* The lines of a commit into s->out; *next is the head after them.  Signed is the last line, or each. */
static void put_lines(struct bawn_store *s, struct bawn_head *next, struct bawn_pending *first)
{
	const uint64_t start = next->offset;
	struct bawn_tree tree;
	bawn_head_tree(next, &tree);
	bawn_buf_reset(&s->out);
	for (struct bawn_pending *p = first; p != NULL; p = p->next) {
		bawn_node leaf;
		bawn_line_put(&s->out, next->size, bawn_buf_span(&p->draft), next->hash, p->receipt.hash);
		if (bawn_buf_error(&s->out) < 0)
			return;
		memcpy(next->hash, p->receipt.hash, sizeof next->hash);
		p->receipt.seq = next->size++;
		if (p->next == NULL)
			next->before = tree;
		bawn_hash_leaf(next->hash, leaf);
		bawn_tree_add(&tree, leaf);
		if (s->sign_every || p->next == NULL) {
			next->seal.size = next->size;
			bawn_tree_root(&tree, next->seal.root);
			bawn_seal_sign(&next->seal, &s->signer);
			bawn_line_seal(&s->out, &next->seal);
		}
		next->epoch += p->new_key;
		next->at = next->offset;
		next->offset = start + s->out.n;
	}
}

static void count_notable(struct bawn_store *s, const struct bawn_pending *p)
{
	for (int i = 0; i < BAWN_NOTABLE_COUNT; i++)
		s->notable[i] += p->notable[i];
}

/* Appends the list to the open segment; *h moves on only if all went well. */
int bawn_store_write(struct bawn_store *s, struct bawn_head *h, struct bawn_pending *first,
                     bool new_file, struct bawn_err *err)
{
	struct bawn_head next = *h;
	int r = bawn_store_signer(s, h->epoch, err);
	if (r < 0)
		return r;
	bawn_head_turn(&next, new_file);  /* before a new segment head was synced */
	next.segment = s->segment;
	next.offset = new_file ? 0 : h->offset;
	const uint64_t start = next.offset;
	put_lines(s, &next, first);
	if (bawn_buf_error(&s->out) < 0)
		return bawn_fail(err, bawn_buf_error(&s->out), "write to the audit log");
	r = put_bytes(s, start, err);
	if (r == 0 && new_file && fsync(s->segdir) < 0)
		r = die(s, bawn_store_fail(s, err, "sync the directory of segments"));
	if (r == 0)
		r = bawn_store_publish(s, &next, &s->signer.key, err);
	if (r < 0)
		return r;
	for (struct bawn_pending *p = first; p != NULL; p = p->next)
		p->receipt.log_size = next.size, count_notable(s, p);
	*h = next;
	return 0;
}

void bawn_store_note(struct bawn_pending *p, enum bawn_record_type type, const char *severity)
{
	p->notable[BAWN_NOTABLE_CRITICAL] = strcmp(severity != NULL ? severity : bawn_record_severity(type), "CRITICAL") == 0;
	p->notable[BAWN_NOTABLE_VIOLATION] = type == BAWN_RECORD_LIMIT_VIOLATION;
}

static int draft_own(struct bawn_store *s, struct bawn_pending *p, enum bawn_record_type type,
                     const json_t *principal, json_t *body_stolen, struct bawn_err *err)
{
	bawn_auto_json body = body_stolen;
	if (body == NULL)
		return bawn_fail(err, -ENOMEM, "write to the audit log");
	p->draft = BAWN_BUF(BAWN_ENTRY_MAX);
	bawn_store_note(p, type, NULL);
	return bawn_line_draft(&p->draft, &(struct bawn_record){ .type = type, .principal = principal, .body = body }, s->node, err);
}

int bawn_store_own(struct bawn_store *s, struct bawn_head *h, enum bawn_record_type type, json_t *body_stolen,
                   bool new_file, struct bawn_err *err)
{
	struct bawn_pending own = { 0 };
	int r = draft_own(s, &own, type, NULL, body_stolen, err);
	if (r == 0)
		r = bawn_store_write(s, h, &own, new_file, err);
	bawn_buf_done(&own.draft);
	return r;
}

/* "audit.HOST/INSTANCE": never the same twice, whatever the host is called. */
static void name_origin(const struct bawn_store *s, const char *instance, char out[static BAWN_ORIGIN_MAX])
{
	char host[65] = "";
	size_t n = 0;
	for (const char *p = s->node; *p != '\0' && n < sizeof host - 1; p++)
		if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '.' || *p == '-')
			host[n++] = *p;
	snprintf(out, BAWN_ORIGIN_MAX, "audit.%s/%s", n > 0 ? host : "host", instance);
}

/* A witness that is this log's alone and remembers another: that one was in its place and is gone.  The new one says so
 * for ever, and whoever begins it is told. */
static json_t *previous(struct bawn_store *s, const char *origin)
{
	struct bawn_sighting old;
	if (s->witness < 0 || s->witness_must || bawn_witness_other(s->witness, origin, &old) < 0)
		return NULL;
	snprintf(s->weakness, sizeof s->weakness, "the audit log was begun anew: its witness remembers another one of %" PRIu64 " entries in its place, %.100s",
	         old.seal.size, old.origin[0] != '\0' ? old.origin : "of a damaged name");
	return json_pack("{s:s*,s:I,s:s}", "origin", old.origin[0] != '\0' ? old.origin : NULL, "size", (json_int_t)old.seal.size, "hash", old.hash);
}

/* The first entry, with a key of its own: one that an earlier attempt left has signed nothing that counts. */
static int genesis(struct bawn_store *s, struct bawn_head *h, struct bawn_err *err)
{
	uint8_t raw[16];
	char id[2 * sizeof raw + 1], origin[BAWN_ORIGIN_MAX], vkey[BAWN_VKEY_MAX];
	if (getrandom(raw, sizeof raw, 0) != (ssize_t)sizeof raw)
		return bawn_store_fail(s, err, "draw the identity");
	bawn_hex(raw, sizeof raw, id);
	name_origin(s, id, origin);
	int r = bawn_keys_make(s->dirfd, origin, 0, &s->signer, err);
	if (r < 0) {
		errno = -r;
		return bawn_store_fail(s, err, "make the key");
	}
	s->has_signer = true;
	s->signer_epoch = 0;
	bawn_vkey_text(&s->signer.key, vkey);
	r = bawn_store_own(s, h, BAWN_RECORD_LOG_GENESIS,
	                   json_pack("{s:s,s:i,s:s,s:s,s:o*,s:s*}", "instance", id, "format", 1, "origin", origin, "vkey", vkey,
	                             "previous", previous(s, origin), "sign", s->sign_every ? "entry" : NULL), true, err);
	s->seg_every = r == 0 && s->sign_every;
	return r;
}

/* A new segment begins with log.segment, written together with the records that found no room; where each entry is
 * signed, before them: torn, it must not hide how what follows it is signed (segment.h).
 * Head is synced first: however often power fails, it lags by one segment at most. */
static int rotate(struct bawn_store *s, struct bawn_head *h, struct bawn_pending *first, struct bawn_err *err)
{
	char name[BAWN_SEGMENT_NAME], root[BAWN_B64_LEN(BAWN_SHA256_LEN) + 1];
	struct bawn_pending own = { .next = s->sign_every ? NULL : first };
	int r = 0;
	bawn_b64(h->seal.root, sizeof h->seal.root, root);
	if (h->size > BAWN_SEGMENT_LAST)
		r = bawn_fail_as(err, BAWN_ERROR_AUDIT_FAILED, NULL, "the audit log is full: %" PRIu64 " entries", h->size);
	if (r == 0)
		r = bawn_store_sync(s, s->headfd, "sync head", err);
	if (r == 0)
		r = draft_own(s, &own, BAWN_RECORD_LOG_SEGMENT, NULL,
		              json_pack("{s:I,s:I,s:I,s:s,s:s,s:I,s:s*}", "previous", (json_int_t)h->segment,
		                        "previous_bytes", (json_int_t)h->offset, "size", (json_int_t)h->size,
		                        "head_hash", h->hash, "root", root, "epoch", (json_int_t)h->epoch,
		                        "sign", s->sign_every ? "entry" : NULL), err);
	const uint64_t old = s->segment;
	if (r == 0)
		r = bawn_store_open_segment(s, h->size, true, err);
	if (r == 0) {
		bawn_segment_name(h->size, name);
		r = bawn_store_write(s, h, &own, true, err);
		if (r < 0 && !s->dead) {  /* no room: leave no empty segment behind */
			if (unlinkat(s->segdir, name, 0) < 0)
				s->dead = true;
			else
				s->dead = bawn_store_open_segment(s, old, false, NULL) < 0;
		}
	}
	bawn_buf_done(&own.draft);
	if (r < 0 || !s->sign_every)
		return r;
	s->seg_every = true;
	return bawn_store_write(s, h, first, false, err);
}

/* ---- a commit ---- */

/* A head older than one this handle knows was put back by somebody. */
static int check_forward(struct bawn_store *s, const struct bawn_head *h, struct bawn_err *err)
{
	if (h->size > s->head.size || (h->size == s->head.size && strcmp(h->hash, s->head.hash) == 0) || s->head.size == 0)
		return 0;
	return die(s, bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL,
	                           "the head of the audit log '%s' went back from %" PRIu64 " entries to %" PRIu64, s->dir, s->head.size, h->size));
}

/* After this the open segment ends exactly where head says. */
static int settle(struct bawn_store *s, struct bawn_head *h, struct bawn_err *err)
{
	char name[BAWN_SEGMENT_NAME], next[BAWN_SEGMENT_NAME];
	struct stat st;
	int r = 0;
	bawn_segment_name(h->segment, name);
	bawn_segment_name(h->size, next);
	const bool unknown = s->head.size == 0;  /* else check_forward knows more than checkpoint and witness */
	r = check_forward(s, h, err);
	if (r < 0)
		return r;
	if (s->segfd < 0 || s->segment != h->segment || !same_file(s->seg_id, s->segdir, name, AT_SYMLINK_NOFOLLOW, &st)) {
		bool replaced = s->segfd >= 0 && s->segment == h->segment;
		s->trusted = false;
		if (replaced)
			return die(s, bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL,
			                           "segment '%s' of the audit log was removed or replaced while it was open", name));
		r = bawn_store_open_segment(s, h->segment, h->size == 0, err);
		if (r < 0)
			return r;
		if (fstat(s->segfd, &st) < 0)
			return bawn_store_fail(s, err, "look at a segment");
	}
	if ((uint64_t)st.st_size != h->offset ||
	    (h->size > 0 && faccessat(s->segdir, next, F_OK, AT_SYMLINK_NOFOLLOW) == 0)) {
		r = bawn_store_recover(s, h, err);
	} else if (!s->trusted) {
		r = h->size > 0 ? bawn_store_check_last(s, h, err) : 0;
		if (r == 0 && unknown)
			r = bawn_store_check_published(s, h, err);
	}
	if (r == 0 && unknown)
		r = bawn_store_check_pruned(s, h, err);
	/* What an interrupted rotation left; where the key cannot be removed the next opener tries again.  A sync that
	 * failed, however, makes this handle useless. */
	if (r == 0 && unknown && h->epoch > 0 && bawn_keys_private_there(s->dirfd, h->epoch - 1)) {
		r = retire_key(s, h->epoch - 1, err);
		r = s->dead ? r : 0;
	}
	if (r == 0 && h->size > 0)
		*h = s->head;  /* which these may have written anew */
	if (r == 0 && h->size == 0)
		r = genesis(s, h, err);
	s->trusted = r == 0;
	return r;
}

static uint64_t bytes_of(const struct bawn_pending *p)
{
	uint64_t n = 0;
	for (; p != NULL; p = p->next)
		n += p->draft.n + BAWN_LINE_AROUND;
	return n;
}

static int read_head(struct bawn_store *s, struct bawn_head *out, struct bawn_err *err)
{
	char file[BAWN_HEAD_FILE];
	ssize_t n = pread(s->headfd, file, sizeof file, 0);
	if (n == (ssize_t)sizeof file && s->trusted && memcmp(file, s->head_file, sizeof file) == 0) {
		*out = s->head;
		return 0;
	}
	s->trusted = false;
	int r = bawn_head_read(s->headfd, out, err);
	if (r == 0 && n == (ssize_t)sizeof file)
		memcpy(s->head_file, file, sizeof file);
	return r;
}

/* ---- no room ---- */

static bool begins(const struct bawn_pending *p) { return p->begins; }
static bool ends(const struct bawn_pending *p) { return p->ends; }
static bool any(const struct bawn_pending *p, bool (*is)(const struct bawn_pending *))
{
	while (p != NULL && !is(p))
		p = p->next;
	return p != NULL;
}

static int keep_reserve(struct bawn_store *s, struct bawn_err *err)
{
	int r = s->reserve > 0 ? bawn_reserve_make(s->dirfd, s->reserve) : 0;
	if (r == -ENOSPC)
		return bawn_fail_as(err, BAWN_ERROR_DISK_FULL, NULL, "the disk of the audit log '%s' is full: nothing is begun while there are not %" PRIu64
		                    " KiB for the records of its end", s->dir, s->reserve / 1024);
	if (r < 0)
		snprintf(s->weakness, sizeof s->weakness, "the audit log keeps no room on its disk for the end of what runs: it cannot be set aside here");
	return 0;
}

static int append_list(struct bawn_store *s, struct bawn_head *h, struct bawn_pending *first, struct bawn_err *err)
{
	/* A segment holds at least one entry besides its first, however small the limit.  And one whose first entry does not
	 * say that each is signed is not for commits that are. */
	if ((h->at > 0 && h->offset + bytes_of(first) > s->max_segment) || (s->sign_every && !s->seg_every && first->next != NULL))
		return rotate(s, h, first, err);
	return bawn_store_write(s, h, first, false, err);
}

/* The reserve is free: what ends is recorded, and before it why nothing new begins. */
static int append_last(struct bawn_store *s, struct bawn_head *h, struct bawn_pending *first, struct bawn_err *err)
{
	struct bawn_pending own = { .next = first };
	int r = draft_own(s, &own, BAWN_RECORD_LOG_DISK_FULL, NULL, json_pack("{s:I}", "reserve_bytes", (json_int_t)s->reserve), err);
	if (r == 0)
		r = append_list(s, h, &own, err);
	bawn_buf_done(&own.draft);
	return r;
}

static int commit_locked(struct bawn_store *s, struct bawn_pending *first, struct bawn_err *err)
{
	struct bawn_head h;
	int r = check_files(s, err);
	if (r == 0)
		r = read_head(s, &h, err);
	if (r == 0)
		r = settle(s, &h, err);
	if (r == 0 && (first == NULL || any(first, begins)))
		r = keep_reserve(s, err);
	if (r < 0 || first == NULL)
		return r;
	r = append_list(s, &h, first, err);
	/* Not for a list that also begins something: that would be acknowledged without the reserve (sink.c parts them). */
	if (r == -ENOSPC && !s->dead && s->reserve > 0 && any(first, ends) && !any(first, begins) && bawn_reserve_release(s->dirfd) == 0)
		r = append_last(s, &h, first, err);
	return r;
}

static int usable(struct bawn_store *s, struct bawn_err *err)
{
	if (s->dead)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_FAILED, NULL,
		                    "an earlier failure made this handle of the audit log '%s' useless; open it again", s->dir);
	if (s->pid != getpid())
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_FAILED, NULL,
		                    "the audit log '%s' was opened by another process", s->dir);
	return 0;
}

/* Some records are worth waiting for the witness: what changes the rules that the others are judged by.  `must`: nothing
 * that cannot be undone follows unless it knows. */
static int tell_witness(struct bawn_store *s, bool must, struct bawn_err *err)
{
	struct bawn_err why = { 0 };
	if (s->witness < 0)
		return 0;
	int r = bawn_witness_tell(s->witness, s->sealer.origin, &s->head, true, &why);
	if (r == 0)
		return 0;
	snprintf(s->weakness, sizeof s->weakness, "the witness of the audit log cannot be told: %.150s", why.msg);
	return must ? bawn_fail_as(err, type_of(-r), NULL, "the audit log '%s' has the record, but its witness does not know of it: %.150s", s->dir, why.msg) : 0;
}

/* Before a key or segments go, while nothing is recorded yet: the same will have to be said of the record. */
static int witness_hears(struct bawn_store *s, struct bawn_err *err)
{
	struct bawn_err why = { 0 };
	int r = s->witness >= 0 ? bawn_witness_tell(s->witness, s->sealer.origin, &s->head, true, &why) : 0;
	return r == 0 ? 0 : bawn_fail_as(err, type_of(-r), NULL, "the witness of the audit log '%s' cannot be told, so nothing was done: %.150s", s->dir, why.msg);
}

int bawn_store_commit(struct bawn_store *s, struct bawn_pending *first, struct bawn_err *err)
{
	int r = usable(s, err);
	if (r == 0)
		r = take_lock(s, err);
	if (r < 0)
		return r;
	r = commit_locked(s, first, err);
	drop_lock(s);
	return r;
}

int bawn_store_witnessed(struct bawn_store *s, struct bawn_err *err) { return tell_witness(s, s->witness_must, err); }

static int record_locked(struct bawn_store *s, struct bawn_pending *own, bawn_then_fn *then, void *ctx, struct bawn_err *err)
{
	int r = witness_hears(s, err);
	if (r == 0)
		r = commit_locked(s, own, err);
	if (r == 0)
		r = tell_witness(s, true, err);
	return r == 0 ? then(s, ctx, err) : r;
}

int bawn_store_record(struct bawn_store *s, enum bawn_record_type type, const json_t *principal, const json_t *body,
                      bawn_then_fn *then, void *ctx, struct bawn_receipt *out, struct bawn_err *err)
{
	struct bawn_pending own = { .ends = type == BAWN_RECORD_LOG_PRUNE };  /* what makes room may use the last of it */
	int r = usable(s, err);
	if (r == 0)
		r = draft_own(s, &own, type, principal, json_deep_copy(body), err);
	if (r == 0)
		r = take_lock(s, err);
	if (r == 0) {
		r = record_locked(s, &own, then, ctx, err);
		drop_lock(s);
	}
	*out = own.receipt;
	bawn_buf_done(&own.draft);
	return r;
}

/* ---- a new key ---- */

static int rotate_locked(struct bawn_store *s, const json_t *principal, struct bawn_receipt *out, struct bawn_err *err)
{
	char vkey[BAWN_VKEY_MAX];
	struct bawn_signer fresh = { 0 };
	struct bawn_pending own = { .new_key = true };
	int r = commit_locked(s, NULL, err);
	if (r == 0)
		r = witness_hears(s, err);
	if (r < 0)
		return r;
	struct bawn_head h = s->head;
	const uint64_t old = h.epoch;
	r = bawn_store_signer(s, old, err);
	if (r < 0)
		return r;
	r = bawn_keys_make(s->dirfd, s->signer.key.origin, old + 1, &fresh, err);
	if (r < 0) {
		errno = -r;
		return bawn_store_fail(s, err, "make a key");
	}
	bawn_vkey_text(&fresh.key, vkey);
	r = draft_own(s, &own, BAWN_RECORD_LOG_KEY, principal, json_pack("{s:I,s:s}", "epoch", (json_int_t)(old + 1), "vkey", vkey), err);
	if (r == 0)
		r = bawn_store_write(s, &h, &own, false, err);
	bawn_buf_done(&own.draft);
	if (r == 0) {
		s->signer = fresh;
		s->signer_epoch = old + 1;
		*out = own.receipt;
		if (retire_key(s, old, err) < 0)
			r = bawn_wrap(err, -EIO, "the new key signs from here on, but the old one is still there");
		else
			r = tell_witness(s, true, err);
	} else if (!s->dead) {  /* else log.key may be there in spite of all: the next opener will see */
		(void)!bawn_keys_destroy(s->dirfd, old + 1, NULL);  /* it signs nothing */
	}
	bawn_signer_wipe(&fresh);
	return r;
}

int bawn_store_rotate_key(struct bawn_store *s, const json_t *principal, struct bawn_receipt *out, struct bawn_err *err)
{
	int r = usable(s, err);
	if (r == 0)
		r = take_lock(s, err);
	if (r < 0)
		return r;
	r = rotate_locked(s, principal, out, err);
	drop_lock(s);
	return r;
}

/* ---- opening ---- */

static int sync_dir(struct bawn_store *s, const char *path, struct bawn_err *err)
{
	bawn_auto_fd fd = openat(s->dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 || fsync(fd) < 0 ? bawn_store_fail(s, err, "sync a directory") : 0;
}

/* Head comes before the first segment: a segment without a head is one that lost it. */
static int make_head(struct bawn_store *s, struct bawn_err *err)
{
	bawn_auto_segments segments = { 0 };
	struct bawn_head h;
	int r = bawn_segments_list(s->dirfd, &segments, err);
	if (r < 0)
		return r;
	if (segments.n > 0)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL,
		                    "the audit log '%s' has entries but no head", s->dir);
	char bytes[BAWN_HEAD_FILE];
	for (bawn_head_init(&h); h.gen < 2; h.gen++)
		bawn_head_encode(&h, bytes + h.gen * BAWN_HEAD_SLOT);
	r = bawn_replace_file(s->dirfd, "head", (struct bawn_span){ bytes, sizeof bytes }, 0600, err);
	if (r < 0) {
		errno = -r;
		return bawn_store_fail(s, err, "make the head");
	}
	return sync_dir(s, "..", err);
}

static int open_head(struct bawn_store *s, struct bawn_err *err)
{
	int r = take_lock(s, err);
	if (r < 0)
		return r;
	s->headfd = openat(s->dirfd, "head", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (s->headfd < 0 && errno == ENOENT) {
		r = make_head(s, err);
		if (r == 0)
			s->headfd = openat(s->dirfd, "head", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	}
	if (r == 0 && s->headfd < 0)
		r = bawn_store_fail(s, err, "open the head");
	if (r == 0)
		r = identify(s, s->headfd, &s->head_id, err);
	drop_lock(s);
	return r;
}

static int open_files(struct bawn_store *s, struct bawn_err *err)
{
	static const char *const sub[] = { "seg", "blob", "quarantine", "keys", "private", "tile" };
	int r = bawn_make_dirs(s->dir, 0700, err);
	if (r < 0) {
		errno = -r;
		return bawn_store_fail(s, err, "make the directory");
	}
	if (s->dir[0] != '/') {  /* the path is looked at again at each commit, wherever the program is by then */
		char *absolute = realpath(s->dir, NULL);
		if (absolute == NULL)
			return bawn_store_fail(s, err, "find the directory");
		free(s->dir);
		s->dir = absolute;
	}
	s->dirfd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dirfd < 0)
		return bawn_store_fail(s, err, "open the directory");
	for (size_t i = 0; i < BAWN_LEN(sub); i++)
		if (mkdirat(s->dirfd, sub[i], 0700) < 0 && errno != EEXIST)
			return bawn_store_fail(s, err, "make a directory");
	s->segdir = openat(s->dirfd, "seg", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (s->segdir < 0)
		return bawn_store_fail(s, err, "open seg");
	s->lockfd = openat(s->dirfd, "LOCK", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (s->lockfd < 0)
		return bawn_store_fail(s, err, "open LOCK");
	r = identify(s, s->dirfd, &s->dir_id, err);
	if (r == 0)
		r = identify(s, s->segdir, &s->segdir_id, err);
	if (r == 0)
		r = identify(s, s->lockfd, &s->lock_id, err);
	return r == 0 ? open_head(s, err) : r;
}

static int open_witness(struct bawn_store *s, const char *dir, bool must, struct bawn_err *err)
{
	struct bawn_err why = { 0 };
	if (dir == NULL)
		return 0;
	s->witness_must = must;
	int r = bawn_witness_open(dir, &s->witness, &why);
	if (r == 0)
		return 0;
	if (must)
		return bawn_fail_as(err, type_of(-r), NULL, "%.180s", why.msg);
	snprintf(s->weakness, sizeof s->weakness, "the audit log has no witness: %.150s", why.msg);
	return 0;
}

/* What a crash kept from it. */
static int catch_up(struct bawn_store *s, struct bawn_err *err)
{
	struct bawn_err why = { 0 };
	if (s->witness < 0)
		return 0;
	int r = bawn_witness_tell(s->witness, s->sealer.origin, &s->head, false, &why);
	if (r < 0 && s->witness_must && r != -EBUSY)
		return bawn_fail_as(err, type_of(-r), NULL, "the witness of the audit log cannot be told: %.150s", why.msg);
	if (r < 0 && r != -EBUSY)
		snprintf(s->weakness, sizeof s->weakness, "the witness of the audit log cannot be told: %.150s", why.msg);
	return 0;
}

int bawn_store_open(struct bawn_store *s, const char *dir, const struct bawn_audit_options *o,
                    struct bawn_err *err)
{
	*s = (struct bawn_store){
		.dirfd = -1, .segdir = -1, .lockfd = -1, .headfd = -1, .segfd = -1, .witness = -1,
		.dir = strdup(dir), .node = strdup(o->node != NULL ? o->node : ""), .pid = getpid(),
		.max_segment = o->max_segment_bytes != 0 ? o->max_segment_bytes : SEGMENT_DEFAULT,
		.lock_ms = o->lock_timeout_ms != 0 ? o->lock_timeout_ms : LOCK_DEFAULT_MS,
		.out = BAWN_BUF(64u << 20), .sign_every = o->sign_every, .reserve = o->reserve_bytes,
	};
	(void)sodium_mlock(&s->signer, sizeof s->signer);  /* best effort: a small RLIMIT_MEMLOCK is no reason not to log */
	int r = s->dir == NULL || s->node == NULL ? bawn_fail(err, -ENOMEM, "open the audit log") : 0;
	if (r == 0)
		r = open_witness(s, o->witness, o->witness_must, err);
	if (r == 0)
		r = open_files(s, err);
	if (r == 0)
		r = bawn_store_commit(s, NULL, err);
	if (r == 0)
		r = catch_up(s, err);
	if (r < 0)
		bawn_store_done(s);
	return r;
}

static void remind_witness(const struct bawn_store *s, const struct bawn_head *h, const struct bawn_vkey *sealer)
{
	if (s->witness >= 0)
		(void)!bawn_witness_tell(s->witness, sealer->origin, h, false, NULL);
}

void bawn_store_derive(const struct bawn_store *s, const struct bawn_head *h, const struct bawn_vkey *sealer)
{
	(void)!bawn_tiles_publish(s->dirfd, h, sealer, NULL);
	remind_witness(s, h, sealer);
}

void bawn_store_done(struct bawn_store *s)
{
	int *fd[] = { &s->dirfd, &s->segdir, &s->lockfd, &s->headfd, &s->segfd, &s->witness };
	if (s->trusted && !s->dead && s->pid == getpid()) {
		if (bawn_tiles_due(s->dirfd, &s->head))
			(void)!bawn_tiles_publish(s->dirfd, &s->head, &s->sealer, NULL);  /* what can be made from the log can wait for the next one */
		remind_witness(s, &s->head, &s->sealer);
	}
	(void)sodium_munlock(&s->signer, sizeof s->signer);  /* wipes it */
	for (size_t i = 0; i < BAWN_LEN(fd); i++)
		bawn_close_fdp(fd[i]);
	free(s->dir);
	free(s->node);
	s->dir = s->node = NULL;
	bawn_buf_done(&s->out);
}
