/* proof.h - C2SP tlog-proofs: made, and checked without the log.
 *
 *	c2sp.org/tlog-proof@v1
 *	index N
 *	base64 of each node of the path, from the leaf upwards
 *	                             (an empty line)
 *	a signed note                (note.h) */
#pragma once
#include "audit/head.h"
#include "audit/segment.h"

/* All leaves of the acknowledged log, re-hashed, and what was signed over them. */
struct bawn_leaves { bawn_node *leaf; struct bawn_head head; struct bawn_vkey sealer; };
#define bawn_auto_leaves __attribute__((cleanup(bawn_leaves_done))) struct bawn_leaves
void bawn_leaves_done(struct bawn_leaves *l);
/* Shows each line to `also` (or NULL), newest first.
 * NOTE: reads the whole log, about a second for a million entries. */
BAWN_MUST_CHECK int bawn_leaves_read(int dirfd, bawn_line_fn *also, void *ctx, struct bawn_leaves *out, struct bawn_err *err);

/* That entry `index` is in the tree of the first seal->size leaves. */
void bawn_proof_put(struct bawn_buf *out, const bawn_node *leaf, uint64_t index, const struct bawn_seal *seal, const struct bawn_vkey *by);
/* Does this text, and no other spelling of it, prove that the leaf is entry `index` of a tree that `by` signed?  Then
 * *out is what was signed.  NULL, or what is wrong. */
const char *bawn_proof_check(struct bawn_span text, const uint8_t leaf[static BAWN_SHA256_LEN], uint64_t index, const struct bawn_vkey *by,
                             struct bawn_seal *out);
