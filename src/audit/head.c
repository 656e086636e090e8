/* head.c - see head.h.
 *
 * Invariants: (1) a slot counts only if its check is the SHA-256 of its own bytes; (2) a write touches
 * one slot, so the other keeps the state before it.
 * An attacker controls: the file, if he may write the state directory (then only signatures help). */
#include "audit/head.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "audit/entry.h"
#include "base/cleanup.h"
#include "base/num.h"

#define CHECK ",\"check\":\""
#define CHECK_LEN (sizeof CHECK - 1 + 64 + sizeof "\"}" - 1)

void bawn_head_init(struct bawn_head *h)
{
	*h = (struct bawn_head){ .hash = BAWN_NO_HASH };
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

static bool take(struct bawn_span *s, const char *name, uint64_t *out)
{
	if (!bawn_span_starts(*s, name))
		return false;
	s->p += strlen(name);
	s->n -= strlen(name);
	size_t n = 0;
	while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9')
		n++;
	if (bawn_parse_u64((struct bawn_span){ s->p, n }, 0, INT64_MAX, out, NULL) < 0)
		return false;
	s->p += n;
	s->n -= n;
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
	if (!bawn_span_starts(s, "{\"v\":1,"))
		return false;
	s.p += strlen("{\"v\":1,");
	s.n -= strlen("{\"v\":1,");
	if (!take(&s, "\"gen\":", &h.gen) || !take(&s, ",\"size\":", &h.size) ||
	    !take(&s, ",\"segment\":", &h.segment) ||
	    !take(&s, ",\"at\":", &h.at) || !take(&s, ",\"offset\":", &h.offset) ||
	    !bawn_span_starts(s, ",\"hash\":\"") || s.n < strlen(",\"hash\":\"") + 65)
		return false;
	memcpy(h.hash, s.p + strlen(",\"hash\":\""), 64);
	if (!bawn_is_hex(h.hash, 64) || s.p[strlen(",\"hash\":\"") + 64] != '"' ||
	    h.at > h.offset || h.segment > h.size)
		return false;
	*out = h;
	return true;
}

int bawn_head_decode(struct bawn_span file, struct bawn_head *out)
{
	bool found = false;
	struct bawn_head best = { 0 };
	for (size_t i = 0; i < 2; i++) {
		struct bawn_head h;
		if (file.n < (i + 1) * BAWN_HEAD_SLOT ||
		    !decode_slot((struct bawn_span){ file.p + i * BAWN_HEAD_SLOT, BAWN_HEAD_SLOT }, &h) || (h.gen & 1u) != i)
			continue;
		if (!found || h.gen > best.gen)
			best = h;
		found = true;
	}
	if (!found)
		return -EBADMSG;
	*out = best;
	return 0;
}

void bawn_head_encode(const struct bawn_head *h, char out[static BAWN_HEAD_SLOT])
{
	char check[BAWN_SHA256_HEX];
	memset(out, 0, BAWN_HEAD_SLOT);
	int n = snprintf(out, BAWN_HEAD_SLOT,
	                 "{\"v\":1,\"gen\":%" PRIu64 ",\"size\":%" PRIu64 ",\"segment\":%" PRIu64 ",\"at\":%" PRIu64
	                 ",\"offset\":%" PRIu64 ",\"hash\":\"%.64s\"",
	                 h->gen, h->size, h->segment, h->at, h->offset, h->hash);
	check_of((struct bawn_span){ out, (size_t)n }, check);
	snprintf(out + n, BAWN_HEAD_SLOT - (size_t)n, CHECK "%s\"}\n", check);
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
	if (fd < 0)
		return bawn_fail(err, -errno, "open the head of the log");
	/* Readers take no lock: while writers are quick enough to touch both slots during one read, look again. */
	int r = bawn_head_read(fd, out, err);
	for (int i = 0; r == -EBADMSG && i < 10; i++) {
		(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){ .tv_nsec = 1000000 }, NULL);
		r = bawn_head_read(fd, out, err);
	}
	return r;
}

int bawn_head_write(int fd, const struct bawn_head *h, struct bawn_err *err)
{
	char slot[BAWN_HEAD_SLOT];
	bawn_head_encode(h, slot);
	ssize_t n = pwrite(fd, slot, sizeof slot, (off_t)((h->gen & 1u) * BAWN_HEAD_SLOT));
	if (n != (ssize_t)sizeof slot)
		return bawn_fail(err, n < 0 ? -errno : -EIO, "write the head of the log");
	return 0;
}
