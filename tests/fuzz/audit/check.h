/* check.h - what must hold for any bytes; shared by the fuzz targets and the replay of their corpus. */
#pragma once
#include <assert.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cleanup.h"
#include "audit/entry.h"
#include "audit/head.h"
#include "audit/redact.h"
#include "audit/segment.h"

/* A line our scanner takes is one line of JSON with these members for everybody else too. */
static inline void check_entry(const char *p, size_t n)
{
	struct bawn_line l;
	const char *problem = NULL;
	struct bawn_span line = { p, n };
	int r = bawn_line_shape(line, &l, &problem);
	assert(r == 0 || (r == -EBADMSG && problem != NULL));
	if (r == 0) {
		json_error_t why;
		bawn_auto_json j = json_loadb(p, n, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
		assert(j != NULL && json_is_object(j) && json_object_size(j) == (l.sealed ? 16 : 14));
		assert((uint64_t)json_integer_value(json_object_get(j, "seq")) == l.seq);
		assert(memchr(p, '\n', n) == NULL && memchr(p, '\0', n) == NULL);
		/* One spelling: writing it again gives the same bytes. */
		bawn_auto_buf again = BAWN_BUF(BAWN_ENTRY_MAX);
		assert(bawn_json_put(&again, j, NULL) == 0 && again.n == n && memcmp(again.p, p, n) == 0);
	}
	assert(bawn_line_check(line, &l, &problem) <= 0);
}

/* As a segment, and as a head: no crash, and lines add up to the whole file. */
static inline void check_segment(const char *p, size_t n)
{
	struct bawn_head h;
	struct bawn_vkey key, again;
	struct bawn_signer signer;
	struct bawn_seal seal;
	uint64_t size;
	if (bawn_head_decode((struct bawn_span){ p, n }, &h) == 0)
		(void)bawn_head_whole(&h);
	/* As a key and as a note: what is read is written the same way. */
	(void)bawn_signer_read((struct bawn_span){ p, n }, &signer);
	if (bawn_vkey_read((struct bawn_span){ p, n }, &key)) {
		char text[BAWN_VKEY_MAX];
		bawn_vkey_text(&key, text);
		assert(strlen(text) == n && memcmp(text, p, n) == 0 && bawn_vkey_read(bawn_span(text), &again) && bawn_vkey_equal(&key, &again));
	}
	struct bawn_vkey fuzzer = { .origin = "audit.fuzz/0" };
	if (bawn_note_read((struct bawn_span){ p, n }, &fuzzer, &seal))
		assert(bawn_note_size((struct bawn_span){ p, n }, &size) && size == seal.size && !bawn_seal_good(&seal, &fuzzer));
	int fd = memfd_create("segment", MFD_CLOEXEC);
	assert(fd >= 0 && write(fd, p, n) == (ssize_t)n);
	bawn_auto_lines lines = { 0 };
	struct bawn_chain chain = { .hash = BAWN_NO_HASH };
	assert(bawn_lines_init(&lines, fd, 0, NULL) == 0);
	for (size_t total = 0; ; ) {
		struct bawn_span line;
		struct bawn_line l;
		bool whole;
		const char *problem;
		assert(bawn_lines_next(&lines, &line, &whole, NULL) == 0);
		if (line.p == NULL) {
			assert(total == n);
			break;
		}
		total += line.n + whole;
		assert(lines.offset == total && memcmp(line.p, p + total - line.n - whole, line.n) == 0);
		uint64_t seq = chain.seq;
		int r = bawn_chain_next(&chain, line, &l, &problem);
		assert(r == 0 ? chain.seq == seq + 1 : chain.seq == seq);
	}
	struct bawn_vkey nobody = { .origin = "nobody" };
	int has = bawn_segment_not_torn(fd, 0, UINT64_MAX, 0, NULL, NULL), two = bawn_segment_not_torn(fd, 0, UINT64_MAX, 0, &nobody, NULL);
	assert((has == 0 || has == 1) && two == 0);
	assert(has == 1 || chain.seq == 0);
	(void)close(fd);
}

/* As a bundle: no crash, a verdict, and what is good is refused with a byte more. */
static inline void check_bundle(const char *p, size_t n)
{
	struct bawn_bundle_report r;
	assert(bawn_audit_bundle_verify((struct bawn_span){ p, n }, NULL, &r, NULL) == 0);
	assert(r.ok == (r.problem[0] == '\0'));
	if (r.ok) {
		bawn_auto_buf more = BAWN_BUF(16u << 20);
		bawn_buf_add(&more, p, n);
		bawn_buf_char(&more, ' ');
		assert(bawn_buf_error(&more) < 0 || (bawn_audit_bundle_verify(bawn_buf_span(&more), NULL, &r, NULL) == 0 && !r.ok));
	}
}

/* As a text with secrets: told as text and as JSON, the same comes out. */
static inline void check_redact(const char *p, size_t n)
{
	char *name[] = { (char []){ "token" }, (char []){ "k" } };
	const struct bawn_redact how = { .name = name, .n_names = 2 };
	bawn_auto_buf out = BAWN_BUF(16u << 20);
	const bool any = bawn_redact_text(&how, (struct bawn_span){ p, n }, &out);
	assert(any || out.n == 0);
	assert(bawn_buf_error(&out) == 0 && out.n <= 4 * n + 64);
	bawn_auto_json text = bawn_json_text((struct bawn_span){ p, n });
	bawn_auto_json clean = bawn_redact_json(&how, text);
	assert(clean != NULL && json_is_string(clean) && (json_string_length(text) != n || (clean != text) == any));
	if (any && json_string_length(text) == n && memcmp(json_string_value(text), p, n) == 0)
		assert(json_string_length(clean) == out.n && memcmp(json_string_value(clean), out.p, out.n) == 0);
}

/* ---- a whole log ---- */

static char check_dir_[64];
static inline int check_remove_(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}
static inline void check_clean_(void) { (void)nftw(check_dir_, check_remove_, 8, FTW_DEPTH | FTW_PHYS); }

/* The parts of a log, 0xff 0xfe between them; a part that is not there is no file. */
static const struct { const char *path; size_t pad; } check_part_[] = {
	{ "head", BAWN_HEAD_SLOT }, { "head", BAWN_HEAD_SLOT },  /* two slots, without their zeros */
	{ "seg/000000000000.jsonl", 0 }, { "checkpoint", 0 }, { "witness", 0 }, { "keys/epoch-0.vkey", 0 }, { "vkey", 0 },
	{ "tile/0/000.p/2", 0 }, { "blob/00/0000000000000000000000000000000000000000000000000000000000000000", 0 }, { "seg/000000000002.jsonl", 0 },
};

static inline void check_lay_out_(const char *p, size_t n)
{
	static const char *const sub[] = { "seg", "keys", "tile", "tile/0", "tile/0/000.p", "blob", "blob/00" };
	char path[200];
	if (check_dir_[0] == '\0') {
		snprintf(check_dir_, sizeof check_dir_, "/dev/shm/bawn-fuzz-XXXXXX");
		if (mkdtemp(check_dir_) == NULL) {
			snprintf(check_dir_, sizeof check_dir_, "/tmp/bawn-fuzz-XXXXXX");
			assert(mkdtemp(check_dir_) != NULL);
		}
		(void)atexit(check_clean_);
		for (size_t i = 0; i < BAWN_LEN(sub); i++) {
			snprintf(path, sizeof path, "%s/%s", check_dir_, sub[i]);
			assert(mkdir(path, 0700) == 0);
		}
	}
	off_t head = 0;
	for (size_t i = 0; i < BAWN_LEN(check_part_); i++) {
		snprintf(path, sizeof path, "%s/%s", check_dir_, check_part_[i].path);
		if (i != 1)
			(void)unlink(path);
		if (p == NULL)
			continue;
		const char *end = n > 0 ? memmem(p, n, "\xff\xfe", 2) : NULL;
		const size_t here = end != NULL ? (size_t)(end - p) : n;
		int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		assert(fd >= 0 && pwrite(fd, p, here, i == 1 ? head : 0) == (ssize_t)here);
		if (check_part_[i].pad > 0) {
			head += BAWN_HEAD_SLOT;
			assert(ftruncate(fd, head) == 0);
		}
		(void)close(fd);
		n = end != NULL ? n - here - 2 : 0;
		p = end != NULL ? end + 2 : NULL;
	}
}

static inline int check_seen_(void *ctx, const struct bawn_entry *e)
{
	uint64_t *n = ctx;
	assert(e->json != NULL && e->line.n > 0);
	return ++*n > 100000;
}

/* Whatever is there: a verdict, and a good one only without a problem; readers come to an end. */
static inline void check_verify(const char *p, size_t n)
{
	char witness[100];
	check_lay_out_(p, n);
	snprintf(witness, sizeof witness, "%s/witness", check_dir_);
	const int i = (int)(n % 4);  /* one way for each input: buffers for long lines make it slow */
	struct bawn_audit_report r = { 0 };
	const struct bawn_audit_verify_options o = { .skim = i == 1, .jobs = i == 2 ? 2 : 0, .witness = i < 3 ? witness : NULL, .witness_may = i > 0, .copy = i == 3 };
	if (bawn_audit_verify(check_dir_, &o, &r, NULL) == 0) {
		assert(r.ok == (r.problem[0] == '\0') && (!r.ok || r.verified_to >= r.verified_from) && (!r.ok || r.entries == r.verified_to));
		assert(r.anchor[0] != '\0' && (r.witnessed == 0 || strcmp(r.anchor, "none") != 0));
	}
	uint64_t on = 0, back = 0;
	struct bawn_buf proof = BAWN_BUF(1u << 20);
	(void)!bawn_audit_walk(check_dir_, 0, check_seen_, &on, NULL);
	(void)!bawn_audit_walk_back(check_dir_, check_seen_, &back, NULL);
	(void)!bawn_audit_proof(check_dir_, 0, &proof, NULL);
	bawn_buf_done(&proof);
}
