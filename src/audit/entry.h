/* entry.h - one line of the log: how it is written, and whether some bytes are one.
 *
 *	{"v":1,"seq":N,"ts":us,"mono":us,"type":"…","severity":"…","node":"…","session":…,"principal":…,
 *	 "exec":…,"body":{…},"salt":"32 hex","prev_hash":"64 hex","hash":"64 hex"}
 *	\__________________ covered by hash, with a closing } ________________/
 *
 * The last line of a commit goes on after its hash: ,"root":"44 base64","signature":"88 base64"}
 *
 * Pure: bytes in, bytes out.  docs/FORMAT-audit.md has the grammar. */
#pragma once
#include <stdbool.h>
#include "audit/audit.h"
#include "audit/note.h"
#include "base/buf.h"

#define BAWN_ENTRY_MAX (1u << 20)  /* bytes of a line with its newline */
#define BAWN_NO_HASH   "0000000000000000000000000000000000000000000000000000000000000000"

/* A line taken apart; spans and letters point into it. */
struct bawn_line {
	uint64_t         seq, ts_us;
	struct bawn_span type, body;        /* body with its braces */
	const char      *prev_hash, *hash;  /* 64 letters each, not terminated */
	uint8_t          data[BAWN_SHA256_LEN];  /* the bytes of hash: what the tree is over */
	bool             sealed;            /* it carries root and signature: */
	struct bawn_seal seal;              /* of size seq + 1 */
};
/* The leaf of this entry in the Merkle tree. */
void bawn_line_leaf(const struct bawn_line *l, uint8_t out[static BAWN_SHA256_LEN]);
/* The same from the 64 letters of a hash. */
void bawn_hash_leaf(const char hash[static 64], uint8_t out[static BAWN_SHA256_LEN]);

/* Is this (without its newline) an entry: canonical in shape, and is `hash` the hash of its bytes?
 * 0, -EBADMSG with *out_problem in words, or -ENOMEM.  Says nothing about its place in the chain. */
BAWN_MUST_CHECK int bawn_line_check(struct bawn_span line, struct bawn_line *out, const char **out_problem);
/* The same without hashing. */
BAWN_MUST_CHECK int bawn_line_shape(struct bawn_span line, struct bawn_line *out, const char **out_problem);

/* The part of a line that does not depend on its place: from "ts" to the salt.  The record is
 * stamped with the time and a fresh salt.  INVALID_REQUEST where it could not be read back. */
BAWN_MUST_CHECK int bawn_line_draft(struct bawn_buf *out, const struct bawn_record *rec,
                                    const char *node, struct bawn_err *err);

/* Appends the whole line and its newline; out_hash receives its hash.  Failure is sticky in `out`. */
void bawn_line_put(struct bawn_buf *out, uint64_t seq, struct bawn_span draft,
                   const char prev_hash[static 64], char out_hash[static BAWN_SHA256_HEX]);
/* Adds root and signature to the line that `out` ends with. */
void bawn_line_seal(struct bawn_buf *out, const struct bawn_seal *seal);

bool bawn_is_hex(const char *p, size_t n);
