/* check.h - what must hold for any bytes; shared by the fuzz targets and the replay of their corpus. */
#pragma once
#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
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
