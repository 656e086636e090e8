/* recover.c - head and files disagree: a crash, or somebody's hand?
 *
 *	at or below head        everything must be there and must be what was written, else TAMPERED
 *	beyond head, signed     kept and synced: it may have been acknowledged (head lags after a power cut)
 *	beyond that             a torn tail, never acknowledged: moved to quarantine/, log.recovered follows.
 *	                        Whole entries without a signature too: nobody signs what another wrote
 *	two commits in a tail   TAMPERED: a commit begins only when the one before it is durable
 *
 * Invariants:
 * (1) nothing at or below head is ever cut or changed;
 * (2) no byte is cut before its copy in quarantine/ is durable;
 * (3) what is kept is written once more and synced before head counts it (store.c, invariant 1).  A sync
 *     alone is not enough: where that of its writer failed, the kernel took the pages for clean, and a second
 *     one would succeed without a byte on the disk.
 * NOTE: between the cut and log.recovered a crash may come; the copy is then there without an entry.
 * An attacker controls: what he managed to append to a segment, at most. */
#include "audit/store.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include "audit/entry.h"
#include "audit/keys.h"
#include "audit/segment.h"
#include "audit/trail.h"
#include "audit/witness.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/ulid.h"

static int tampered(struct bawn_err *err, const struct bawn_head *h, const char *problem)
{
	return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL,
	                    "the audit log was changed: after entry %" PRIu64 " in segment %012" PRIu64 ": %s",
	                    h->size > 0 ? h->size - 1 : 0, h->segment, problem);
}

/* By the key of its epoch, or by the one before where a log.key stands last. */
static int check_signature(struct bawn_store *s, const struct bawn_head *h, bool turn, struct bawn_err *err)
{
	struct bawn_vkey key;
	int r = bawn_store_signer(s, h->epoch, err);
	if (r < 0)
		return r;
	key = s->signer.key;
	if (turn && (h->epoch == 0 || bawn_keys_public(s->dirfd, h->epoch - 1, &key) < 0))
		return tampered(err, h, "the verifier key of the epoch before is missing");
	if (!bawn_head_whole(h) || !bawn_seal_good(&h->seal, &key) || strcmp(key.origin, s->signer.key.origin) != 0)
		return tampered(err, h, "its head is not signed by its key");
	s->head = *h;
	s->sealer = key;
	return 0;
}

int bawn_store_check_last(struct bawn_store *s, const struct bawn_head *h, struct bawn_err *err)
{
	struct stat st;
	struct bawn_line l;
	const char *problem = "";
	if (fstat(s->segfd, &st) < 0)
		return bawn_store_fail(s, err, "look at a segment");
	if ((uint64_t)st.st_size < h->offset)
		return tampered(err, h, "it is shorter than its head says");
	if (h->size == 0)
		return 0;
	uint64_t n = h->offset - h->at;
	if (n < 2 || n > BAWN_ENTRY_MAX)
		return tampered(err, h, "the head names a line of impossible length");
	bawn_auto_free char *line = malloc(n);
	if (line == NULL)
		return bawn_fail(err, -ENOMEM, "read the audit log");
	if (pread(s->segfd, line, n, (off_t)h->at) != (ssize_t)n)
		return bawn_store_fail(s, err, "read the last entry");
	int r = line[n - 1] == '\n' ? bawn_line_check((struct bawn_span){ line, n - 1 }, &l, &problem) : -EBADMSG;
	if (r == -ENOMEM)
		return bawn_fail(err, r, "read the audit log");
	if (r < 0 || l.seq != h->size - 1 || memcmp(l.hash, h->hash, 64) != 0 || !l.sealed || memcmp(&l.seal, &h->seal, sizeof l.seal) != 0)
		return tampered(err, h, "its last entry is not the one that was acknowledged");
	return check_signature(s, h, bawn_span_is(l.type, "log.key"), err);
}

static int check_checkpoint(struct bawn_store *s, const struct bawn_head *h, struct bawn_err *err)
{
	bawn_auto_buf text = BAWN_BUF(4096);
	struct bawn_vkey key;
	struct bawn_seal seal;
	uint64_t size = 0;
	int r = bawn_read_plain_file(s->dirfd, "checkpoint", &text, NULL);
	if (r == -ENOMEM)
		return bawn_fail(err, r, "read the audit log");
	if (r < 0 || !bawn_note_size(bawn_buf_span(&text), &size) || size <= h->size)
		return 0;
	for (uint64_t epoch = 0; bawn_keys_public(s->dirfd, epoch, &key) == 0; epoch++)
		if (bawn_note_read(bawn_buf_span(&text), &key, &seal) && bawn_seal_good(&seal, &key))
			return tampered(err, h, "it has signed a checkpoint of more entries than it has");
	return 0;
}

int bawn_store_check_published(struct bawn_store *s, const struct bawn_head *h, struct bawn_err *err)
{
	int r = check_checkpoint(s, h, err);
	if (r < 0 || s->witness < 0 || h->size == 0)
		return r;
	struct bawn_sighting other;
	r = bawn_store_signer(s, h->epoch, err);
	if (r == 0 && !s->witness_must && bawn_witness_replaced(s->witness, s->signer.key.origin, s->dirfd, &other))
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "the audit log was replaced: its witness knows nothing of it, and has seen another one of %" PRIu64
		                    " entries in its place, %.100s", other.seal.size, other.origin[0] != '\0' ? other.origin : "of a damaged name");
	if (r == 0)
		r = bawn_witness_check(s->witness, s->signer.key.origin, s->dirfd, h, err);
	if (r == -EACCES && !s->witness_must) {  /* made by another user who may write this log */
		snprintf(s->weakness, sizeof s->weakness, "the witness of the audit log cannot be read");
		return 0;
	}
	if (r > 0 && s->witness_must)
		return tampered(err, h, "its witness has seen entries that were pruned since, and the tiles that would show that they are the same are missing or damaged");
	if (r > 0)
		snprintf(s->weakness, sizeof s->weakness, "the witness of the audit log has seen nothing of what is left of it, and tiles of the rest are missing");
	return r < 0 ? r : 0;
}

/* Keeps the signed commits that follow *h in the open segment.  *out_clean: nothing else follows. */
static int keep_sealed(struct bawn_store *s, struct bawn_trail *trail, struct bawn_head *h, bool *out_clean, struct bawn_err *err)
{
	bawn_auto_lines lines = { 0 };
	struct bawn_trail t = *trail;
	uint64_t at = h->offset;
	int r = bawn_lines_init(&lines, s->segfd, h->offset, err);
	*out_clean = false;
	while (r == 0) {
		struct bawn_span line;
		struct bawn_line l;
		bool whole;
		const char *problem;
		r = bawn_lines_next(&lines, &line, &whole, err);
		if (r < 0)
			return r;
		if (line.p == NULL)
			*out_clean = at == h->offset;
		if (line.p == NULL || !whole)
			return 0;
		r = bawn_trail_next(&t, line, &l, &problem);
		if (r == -ENOMEM)
			return bawn_fail(err, r, "read the audit log");
		if (r < 0 || (at == 0 && l.seq > 0 && !bawn_span_is(l.type, "log.segment")))
			return 0;
		if (l.sealed) {
			*trail = t;
			h->at = at;
			h->offset = lines.offset;
			h->size = t.chain.seq;
			h->segment = s->segment;
			h->epoch = t.epoch;
			h->before = t.before;
			h->seal = t.seal;
			memcpy(h->hash, t.chain.hash, sizeof h->hash);
		}
		at = lines.offset;
	}
	return r;
}

static int copy_tail(struct bawn_store *s, int to, uint64_t from, uint64_t *out_bytes,
                     char out_hash[static BAWN_SHA256_HEX], struct bawn_err *err)
{
	struct bawn_sha256 sha;
	uint8_t raw[BAWN_SHA256_LEN];
	char chunk[16384];
	uint64_t done = 0;
	bawn_sha256_init(&sha);
	for (;;) {
		ssize_t n = pread(s->segfd, chunk, sizeof chunk, (off_t)(from + done));
		if (n < 0)
			return bawn_store_fail(s, err, "read a torn tail");
		if (n == 0)
			break;
		bawn_sha256_add(&sha, chunk, (size_t)n);
		int r = bawn_write_all(to, chunk, (size_t)n, err);
		if (r < 0) {
			errno = -r;
			return bawn_store_fail(s, err, "copy a torn tail");
		}
		done += (size_t)n;
	}
	bawn_sha256_end(&sha, raw);
	bawn_hex(raw, sizeof raw, out_hash);
	*out_bytes = done;
	return fsync(to) < 0 ? bawn_store_fail(s, err, "sync a torn tail") : 0;
}

struct cut { uint64_t bytes; char sha256[BAWN_SHA256_HEX], file[64]; };

static int quarantine(struct bawn_store *s, uint64_t size, uint64_t from, struct cut *out, struct bawn_err *err)
{
	char id[BAWN_ULID_LEN];
	int r = bawn_ulid_new(id, err);
	if (r < 0)
		return r;
	snprintf(out->file, sizeof out->file, "%012" PRIu64 "-%s", size, id);
	bawn_auto_fd dir = openat(s->dirfd, "quarantine", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (dir < 0)
		return bawn_store_fail(s, err, "open quarantine");
	bawn_auto_fd to = openat(dir, out->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (to < 0)
		return bawn_store_fail(s, err, "make a file in quarantine");
	r = copy_tail(s, to, from, &out->bytes, out->sha256, err);
	if (r == 0 && fsync(dir) < 0)
		r = bawn_store_fail(s, err, "sync quarantine");
	if (r < 0)
		(void)unlinkat(dir, out->file, 0);  /* best effort: a copy nobody needs */
	return r;
}

/* Looked at before anything is cut: a log that is refused stays as it was found. */
static int last_segment(struct bawn_store *s, const struct bawn_head *h, struct bawn_err *err)
{
	bawn_auto_segments all = { 0 };
	int r = bawn_segments_list(s->dirfd, &all, err);
	if (r == 0 && all.n > 0 && all.first[all.n - 1] > s->segment)
		r = tampered(err, h, "bytes that are no entry, and a segment after them");
	return r;
}

/* Cuts the open segment at `from`, which is where the log, up to *h, ends in it. */
static int cut_tail(struct bawn_store *s, const struct bawn_trail *t, const struct bawn_head *h, uint64_t from, struct cut *out, struct bawn_err *err)
{
	int r = last_segment(s, h, err);
	if (r == 0)
		r = bawn_store_check_published(s, h, err);
	if (r == 0)
		r = bawn_segment_not_torn(s->segfd, from, UINT64_MAX, t->sealed, t->chain.seq > 0 ? &t->key : NULL, err);
	if (r > 0)
		r = tampered(err, h, "entries follow that do not continue the log");
	if (r == 0)
		r = quarantine(s, h->size, from, out, err);
	if (r == 0 && ftruncate(s->segfd, (off_t)from) < 0)
		r = bawn_store_fail(s, err, "cut a torn tail");
	return r;
}

/* A segment begun but without a single good entry: its bytes go to quarantine, the file goes. */
static int drop_segment(struct bawn_store *s, const struct bawn_trail *t, const struct bawn_head *h, struct cut *out, struct bawn_err *err)
{
	char name[BAWN_SEGMENT_NAME];
	struct stat st;
	bawn_segment_name(s->segment, name);
	if (fstat(s->segfd, &st) < 0)
		return bawn_store_fail(s, err, "look at a segment");
	int r = st.st_size > 0 ? cut_tail(s, t, h, 0, out, err) : 0;
	if (r == 0 && (unlinkat(s->segdir, name, 0) < 0 || fsync(s->segdir) < 0))
		r = bawn_store_fail(s, err, "remove a torn segment");
	return r == 0 ? bawn_store_open_segment(s, h->segment, false, err) : r;
}

/* What was kept in the open segment, which ends at *h; *head is what was acknowledged for certain. */
static int make_durable(struct bawn_store *s, const struct bawn_head *head, const struct bawn_head *h, struct bawn_err *err)
{
	char chunk[16384];
	uint64_t at = s->segment == head->segment ? head->offset : 0;
	while (at < h->offset) {
		const size_t want = h->offset - at < sizeof chunk ? (size_t)(h->offset - at) : sizeof chunk;
		ssize_t n = pread(s->segfd, chunk, want, (off_t)at);
		if (n > 0)
			n = pwrite(s->segfd, chunk, (size_t)n, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n == 0 ? EIO : errno;
			return bawn_store_fail(s, err, "write a kept entry once more");
		}
		at += (size_t)n;
	}
	return bawn_store_sync(s, s->segfd, "sync a segment", err);
}

/* The segments after the open one, each of which must continue the chain. */
static int later_segments(struct bawn_store *s, const struct bawn_head *head, struct bawn_trail *t, struct bawn_head *h, struct cut *cut, struct bawn_err *err)
{
	bawn_auto_segments all = { 0 };
	int r = bawn_segments_list(s->dirfd, &all, err);
	for (size_t i = 0; r == 0 && i < all.n; i++) {
		if (all.first[i] <= h->segment)
			continue;
		if (all.first[i] != h->size || cut->bytes > 0)
			return tampered(err, h, "a segment follows that does not continue the chain");
		struct bawn_head next = *h;
		bool clean = false;
		next.at = next.offset = 0;
		r = make_durable(s, head, h, err);
		if (r == 0)
			r = bawn_store_open_segment(s, all.first[i], false, err);
		if (r == 0)
			r = keep_sealed(s, t, &next, &clean, err);
		if (r < 0)
			return r;
		if (next.size == h->size)
			r = drop_segment(s, t, h, cut, err);
		else
			*h = next;
		if (r == 0 && next.offset > 0 && !clean)
			r = cut_tail(s, t, h, h->offset, cut, err);
	}
	return r;
}

/* What was kept, in a head of its own; the key to go on with must be the one the log names. */
static int publish_kept(struct bawn_store *s, const struct bawn_trail *t, struct bawn_head *good, struct bawn_err *err)
{
	struct bawn_vkey sealer = t->key;
	int r = bawn_store_signer(s, good->epoch, err);
	if (r == 0 && !bawn_vkey_equal(&s->signer.key, &t->key))
		r = tampered(err, good, "its private key is not the one it names");
	if (r == 0 && !bawn_seal_good(&good->seal, &sealer) &&  /* it ends with a log.key, signed by the key before */
	    bawn_keys_public(s->dirfd, good->epoch - 1, &sealer) < 0)
		r = tampered(err, good, "the verifier key of the epoch before is missing");
	bawn_head_turn(good, false);
	return r == 0 ? bawn_store_publish(s, good, &sealer, err) : r;
}

int bawn_store_recover(struct bawn_store *s, struct bawn_head *h, struct bawn_err *err)
{
	struct bawn_head good = *h;
	struct bawn_trail trail;
	struct cut cut = { 0 };
	bool clean = false;
	int r = bawn_store_check_last(s, h, err);
	bawn_trail_init(&trail);
	if (h->size > 0)
		bawn_trail_from(&trail, h, &s->signer.key);
	if (r == 0)
		r = keep_sealed(s, &trail, &good, &clean, err);
	if (r == 0 && !clean)
		r = cut_tail(s, &trail, &good, good.offset, &cut, err);
	if (r == 0)
		r = later_segments(s, h, &trail, &good, &cut, err);
	if (r == 0)
		r = bawn_store_check_published(s, &good, err);
	if (r == 0)
		r = make_durable(s, h, &good, err);
	if (r == 0 && fsync(s->segdir) < 0)
		r = bawn_store_fail(s, err, "sync the directory of segments");
	if (r == 0 && good.size != h->size)
		r = publish_kept(s, &trail, &good, err);
	/* A torn log.genesis is made anew by the caller; there is nothing yet that could tell of it. */
	if (r == 0 && cut.bytes > 0 && good.size > 0)
		r = bawn_store_own(s, &good, BAWN_RECORD_LOG_RECOVERED,
		                   json_pack("{s:I,s:s,s:s}", "cut_bytes", (json_int_t)cut.bytes,
		                             "sha256", cut.sha256, "file", cut.file), false, err);
	if (r == 0)
		*h = good;
	return r;
}
