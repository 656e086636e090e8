/* segment.h - the files under seg/, and the lines in one of them.
 *
 * A segment is named by the seq of its first entry, twelve digits: seg/000000000000.jsonl. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "audit/entry.h"
#include "base/err.h"
#include "base/span.h"

#define BAWN_SEGMENT_NAME 19  /* 12 digits, ".jsonl" and the NUL */
#define BAWN_SEGMENT_LAST 999999999999u
void bawn_segment_name(uint64_t first_seq, char out[static BAWN_SEGMENT_NAME]);

/* The first seqs of all segments, ascending.  `stranger` is the name of a file that is none, or "". */
struct bawn_segments { uint64_t *first; size_t n; char stranger[32]; };
#define bawn_auto_segments __attribute__((cleanup(bawn_segments_done))) struct bawn_segments
BAWN_MUST_CHECK int bawn_segments_list(int dirfd, struct bawn_segments *out, struct bawn_err *err);
void bawn_segments_done(struct bawn_segments *s);

/* Read-only, no link followed, a plain file. */
BAWN_MUST_CHECK int bawn_segment_open(int dirfd, uint64_t first_seq, int *out_fd, struct bawn_err *err);

/* Lines of a file from an offset on, in order, read in large pieces. */
struct bawn_lines {
	int      fd;       /* borrowed */
	char    *buf;
	size_t   from, to; /* bytes in buf not handed out yet */
	uint64_t offset;   /* in the file, of buf[from] */
	uint64_t end;      /* no byte at or beyond this offset is looked at */
	bool     eof;
};
#define bawn_auto_lines __attribute__((cleanup(bawn_lines_done))) struct bawn_lines
BAWN_MUST_CHECK int bawn_lines_init(struct bawn_lines *l, int fd, uint64_t offset, struct bawn_err *err);
void bawn_lines_done(struct bawn_lines *l);

/* The next line without its newline, valid until the next call.  *out_whole is false for bytes that
 * no newline ends: the rest of the file, or BAWN_ENTRY_MAX bytes of a line too long to be an entry.
 * At the end an empty span with p == NULL. */
BAWN_MUST_CHECK int bawn_lines_next(struct bawn_lines *l, struct bawn_span *out, bool *out_whole,
                                    struct bawn_err *err);

struct bawn_chain { uint64_t seq; char hash[BAWN_SHA256_HEX]; };  /* the next seq, the hash it must cite */
/* Is this, a line that was checked, the next entry of this chain?  Moves the place on if so.  0 or -EBADMSG. */
BAWN_MUST_CHECK int bawn_chain_take(struct bawn_chain *c, const struct bawn_line *l, const char **out_problem);
/* The same, and checks the line first.  0, -EBADMSG or -ENOMEM. */
BAWN_MUST_CHECK int bawn_chain_next(struct bawn_chain *c, struct bawn_span line, struct bawn_line *out,
                                    const char **out_problem);

/* A segment whose first entry says so ("sign":"entry", the last member of its body) may hold commits that are signed
 * on each line.  In others a signature ends a commit. */
#define BAWN_SIGN_EACH ",\"sign\":\"entry\"}"
bool bawn_segment_signs_each(int fd);
/* No commit of several entries is longer: 8 MiB, and what the log itself says before them. */
#define BAWN_COMMIT_MAX ((8u << 20) + (64u << 10))

/* Bytes of a file that follow the last sealed entry: can a crash have left them?  A commit begins only
 * when the one before it is durable, so a torn tail holds (parts of) one commit, whose signature stands
 * on its last line.  1 where it cannot: an entry of the `sealed` ones before stands there again, or an
 * entry signed by `key` has another after it: two commits.  In a segment that signs each entry, where that is
 * one commit: an entry signed by `key` has one after it that does not follow, or lies further away than a commit is
 * long.  Without a key (no log.genesis yet) any whole
 * entry is one too many.  Also found where the newline before an entry was changed.  1, 0 or an error. */
BAWN_MUST_CHECK int bawn_segment_not_torn(int fd, uint64_t from, uint64_t end, uint64_t sealed, const struct bawn_vkey *key,
                                          struct bawn_err *err);

/* Entries from the last one of `end` backwards, each checked against its own hash and the prev_hash of
 * the one after it.  A non-zero return of `fn` stops the walk and is returned. */
struct bawn_head;
typedef int bawn_line_fn(void *ctx, const struct bawn_line *l, struct bawn_span line, struct bawn_err *err);
BAWN_MUST_CHECK int bawn_lines_back(int dirfd, const struct bawn_head *end, bawn_line_fn *fn, void *ctx, struct bawn_err *err);

/* Opens an audit directory for reading: NOT_FOUND where there is none. */
BAWN_MUST_CHECK int bawn_audit_dir_open(const char *dir, int *out_fd, struct bawn_err *err);
