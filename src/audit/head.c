/* head.c - see head.h.
 *
 * Invariants: (1) a slot counts only if its check is the SHA-256 of its own bytes; (2) of the two slots the
 * older one is on disk: a write goes to the newer one, or to a damaged one, or follows a sync.
 * An attacker controls: the file, if he may write the state directory.  `check` finds accidents, the
 * signature finds him (recover.c and verify.c look at it), except where he puts back an older head. */
#include "audit/head.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "audit/entry.h"
#include "audit/segment.h"
#include "base/b64.h"
#include "base/cleanup.h"
#include "base/num.h"

#define CHECK ",\"check\":\""
#define CHECK_LEN (sizeof CHECK - 1 + 64 + sizeof "\"}" - 1)

void bawn_head_init(struct bawn_head *h)
{
	*h = (struct bawn_head){ .hash = BAWN_NO_HASH };
}

void bawn_head_tree(const struct bawn_head *h, struct bawn_tree *out)
{
	bawn_node leaf;
	*out = h->before;
	if (h->size == 0)
		return;
	bawn_hash_leaf(h->hash, leaf);
	bawn_tree_add(out, leaf);
}

bool bawn_head_whole(const struct bawn_head *h)
{
	struct bawn_tree t;
	bawn_node root;
	bawn_head_tree(h, &t);
	bawn_tree_root(&t, root);
	return h->size == 0 || (t.size == h->size && h->seal.size == h->size && memcmp(root, h->seal.root, sizeof root) == 0);
}

static void check_of(struct bawn_span covered, char out[static BAWN_SHA256_HEX])
{
	struct bawn_sha256 s;
	uint8_t raw[BAWN_SHA256_LEN];
	bawn_sha256_init(&s);
	bawn_sha256_add(&s, covered.p, covered.n);
	bawn_sha256_add(&s, "}", 1);
	bawn_sha256_end(&s, raw);
	bawn_hex(raw, sizeof raw, out);
}

static bool skip(struct bawn_span *s, const char *text)
{
	size_t n = strlen(text);
	if (!bawn_span_starts(*s, text))
		return false;
	s->p += n;
	s->n -= n;
	return true;
}

static bool take(struct bawn_span *s, const char *name, uint64_t *out)
{
	size_t n = 0;
	if (!skip(s, name))
		return false;
	while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
		n++;
	if (bawn_parse_u64((struct bawn_span){ s->p, n }, 0, INT64_MAX, out, NULL) < 0)
		return false;
	s->p += n;
	s->n -= n;
	return true;
}

static bool take_hex(struct bawn_span *s, char out[static BAWN_SHA256_HEX])
{
	if (s->n < 64 || !bawn_is_hex(s->p, 64))
		return false;
	memcpy(out, s->p, 64);
	out[64] = '\0';
	s->p += 64;
	s->n -= 64;
	return true;
}

static bool take_b64(struct bawn_span *s, uint8_t *out, size_t n)
{
	size_t letters = BAWN_B64_LEN(n);
	if (s->n < letters || !bawn_b64_read((struct bawn_span){ s->p, letters }, out, n))
		return false;
	s->p += letters;
	s->n -= letters;
	return true;
}

static bool take_frontier(struct bawn_span *s, struct bawn_tree *t)
{
	char hex[BAWN_SHA256_HEX];
	for (unsigned i = 0; i < bawn_tree_nodes(t->size); i++) {
		if (!take_hex(s, hex))
			return false;
		bawn_unhex(hex, t->node[i], sizeof t->node[i]);
	}
	return true;
}

static bool decode_slot(struct bawn_span slot, struct bawn_head *out)
{
	struct bawn_head h = { 0 };
	char check[BAWN_SHA256_HEX];
	const char *end = slot.n > 0 ? memchr(slot.p, '\n', slot.n) : NULL;
	if (end == NULL || (size_t)(end - slot.p) < CHECK_LEN)
		return false;
	struct bawn_span covered = { slot.p, (size_t)(end - slot.p) - CHECK_LEN };
	const char *tail = covered.p + covered.n;
	check_of(covered, check);
	if (memcmp(tail, CHECK, sizeof CHECK - 1) != 0 || memcmp(tail + sizeof CHECK - 1, check, 64) != 0 ||
	    memcmp(end - 2, "\"}", 2) != 0)
		return false;
	struct bawn_span s = covered;
	if (!skip(&s, "{\"v\":1,") || !take(&s, "\"gen\":", &h.gen) || !take(&s, ",\"size\":", &h.size) ||
	    !take(&s, ",\"segment\":", &h.segment) || !take(&s, ",\"at\":", &h.at) || !take(&s, ",\"offset\":", &h.offset) ||
	    h.at > h.offset || h.segment > h.size || h.size > BAWN_SEGMENT_LAST + 1u)
		return false;
	h.seal.size = h.size;
	h.before.size = h.size > 0 ? h.size - 1 : 0;
	if (!skip(&s, ",\"hash\":\"") || !take_hex(&s, h.hash) || !take(&s, "\",\"epoch\":", &h.epoch) ||
	    !skip(&s, ",\"before\":\"") || !take_frontier(&s, &h.before) ||
	    !skip(&s, "\",\"root\":\"") || !take_b64(&s, h.seal.root, sizeof h.seal.root) ||
	    !skip(&s, "\",\"signature\":\"") || !take_b64(&s, h.seal.signature, sizeof h.seal.signature) || !skip(&s, "\""))
		return false;
	*out = h;
	return true;
}

int bawn_head_decode(struct bawn_span file, struct bawn_head *out)
{
	int found = 0;
	struct bawn_head best = { 0 };
	for (size_t i = 0; i < 2; i++) {
		struct bawn_head h;
		if (file.n < (i + 1) * BAWN_HEAD_SLOT ||
		    !decode_slot((struct bawn_span){ file.p + i * BAWN_HEAD_SLOT, BAWN_HEAD_SLOT }, &h) || (h.gen & 1u) != i)
			continue;
		if (found++ == 0 || h.gen > best.gen)
			best = h;
	}
	if (found == 0)
		return -EBADMSG;
	*out = best;
	out->alone = found == 1;
	return 0;
}

void bawn_head_turn(struct bawn_head *h, bool synced)
{
	h->gen += synced || h->alone ? 1 : 2;
	h->alone = false;
}

#define SLOT_FIXED sizeof "{\"v\":1,\"gen\":,\"size\":,\"segment\":,\"at\":,\"offset\":,\"hash\":\"\",\"epoch\":,\"before\":\"\",\"root\":\"\",\"signature\":\"\"\n"
_Static_assert(SLOT_FIXED + 6 * 20 + 64 + BAWN_TREE_BITS * 64 + BAWN_B64_LEN(BAWN_SHA256_LEN) + BAWN_B64_LEN(BAWN_SIGNATURE_LEN) + CHECK_LEN <= BAWN_HEAD_SLOT,
               "the largest head fits its slot");

void bawn_head_encode(const struct bawn_head *h, char out[static BAWN_HEAD_SLOT])
{
	char check[BAWN_SHA256_HEX];
	memset(out, 0, BAWN_HEAD_SLOT);
	size_t n = (size_t)snprintf(out, BAWN_HEAD_SLOT,
	                 "{\"v\":1,\"gen\":%" PRIu64 ",\"size\":%" PRIu64 ",\"segment\":%" PRIu64 ",\"at\":%" PRIu64
	                 ",\"offset\":%" PRIu64 ",\"hash\":\"%.64s\",\"epoch\":%" PRIu64 ",\"before\":\"",
	                 h->gen, h->size, h->segment, h->at, h->offset, h->hash, h->epoch);
	for (unsigned i = 0; i < bawn_tree_nodes(h->before.size); i++, n += 64)
		bawn_hex(h->before.node[i], sizeof h->before.node[i], out + n);
	n += (size_t)snprintf(out + n, BAWN_HEAD_SLOT - n, "\",\"root\":\"");
	bawn_b64(h->seal.root, sizeof h->seal.root, out + n);
	n += BAWN_B64_LEN(sizeof h->seal.root);
	n += (size_t)snprintf(out + n, BAWN_HEAD_SLOT - n, "\",\"signature\":\"");
	bawn_b64(h->seal.signature, sizeof h->seal.signature, out + n);
	n += BAWN_B64_LEN(sizeof h->seal.signature);
	out[n++] = '"';
	check_of((struct bawn_span){ out, n }, check);
	snprintf(out + n, BAWN_HEAD_SLOT - n, CHECK "%s\"}\n", check);
}

int bawn_head_read(int fd, struct bawn_head *out, struct bawn_err *err)
{
	char bytes[BAWN_HEAD_FILE];
	ssize_t n = pread(fd, bytes, sizeof bytes, 0);
	if (n < 0)
		return bawn_fail(err, -errno, "read the head of the log");
	if (bawn_head_decode((struct bawn_span){ bytes, (size_t)n }, out) < 0)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL,
		                    "the head of the log is damaged: neither copy is valid");
	return 0;
}

int bawn_head_read_at(int dirfd, struct bawn_head *out, struct bawn_err *err)
{
	bawn_auto_fd fd = openat(dirfd, "head", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "the head of the log is missing");
	struct stat st;
	if (fd < 0 || fstat(fd, &st) < 0)
		return bawn_fail(err, -errno, "open the head of the log");
	if (!S_ISREG(st.st_mode))
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "the head of the log is not a plain file");
	/* Readers take no lock.  A slot that is being written looks damaged, and the other one may be old: look again. */
	int r = bawn_head_read(fd, out, err);
	for (int i = 0; (r == -EBADMSG || (r == 0 && out->alone)) && i < 10; i++) {
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = 1000000 }, NULL);
		r = bawn_head_read(fd, out, err);
	}
	return r;
}

int bawn_head_write(int fd, const struct bawn_head *h, char file[static BAWN_HEAD_FILE], struct bawn_err *err)
{
	const size_t at = (size_t)(h->gen & 1u) * BAWN_HEAD_SLOT;
	bawn_head_encode(h, file + at);
	ssize_t n = pwrite(fd, file + at, BAWN_HEAD_SLOT, (off_t)at);
	if (n != (ssize_t)BAWN_HEAD_SLOT)
		return bawn_fail(err, n < 0 ? -errno : -EIO, "write the head of the log");
	return 0;
}
