/* proof.c - that an entry is in the log, for somebody who has only the verifier key: a C2SP tlog-proof.
 *
 * Made from the segments, not from tiles: what is handed out was re-hashed a moment ago and leads to
 * the signed root.  Of entries that were pruned only tiles are left.
 * NOTE: reads the whole log, about a second for a million entries. */
#include <inttypes.h>
#include "audit/audit.h"
#include "audit/entry.h"
#include "audit/head.h"
#include "audit/keys.h"
#include "audit/segment.h"
#include "audit/tiles.h"
#include "base/b64.h"
#include "base/cleanup.h"

struct leaves { bawn_node *leaf; uint64_t left; };

static int note_leaf(void *ctx, const struct bawn_line *l, struct bawn_span line, struct bawn_err *err)
{
	struct leaves *all = ctx;
	(void)line, (void)err;
	bawn_line_leaf(l, all->leaf[--all->left]);
	return 0;
}

/* The key that made the seal of this head: of its epoch, or of the one before. */
static int sealer_of(int dirfd, const struct bawn_head *h, struct bawn_vkey *out, struct bawn_err *err)
{
	for (uint64_t back = 0; back < 2 && back <= h->epoch; back++)
		if (bawn_keys_public(dirfd, h->epoch - back, out) == 0 && bawn_seal_good(&h->seal, out))
			return 0;
	return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "the head of the log is not signed by a key in 'keys'");
}

int bawn_audit_proof(const char *dir, uint64_t seq, struct bawn_buf *out, struct bawn_err *err)
{
	struct bawn_head h;
	struct bawn_vkey key;
	struct bawn_tree tree = { 0 };
	bawn_node path[BAWN_PATH_MAX], root;
	bawn_auto_fd dirfd = -1;
	int r = bawn_audit_dir_open(dir, &dirfd, err);
	if (r == 0)
		r = bawn_head_read_at(dirfd, &h, err);
	if (r == 0 && seq >= h.size)
		r = bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, NULL, "the log has no entry %" PRIu64 ", it has %" PRIu64, seq, h.size);
	if (r == 0)
		r = sealer_of(dirfd, &h, &key, err);
	if (r < 0)
		return r;
	bawn_auto_free bawn_node *leaf = calloc(h.size, sizeof *leaf);
	struct leaves all = { .leaf = leaf, .left = h.size };
	r = leaf != NULL ? bawn_lines_back(dirfd, &h, note_leaf, &all, err) : bawn_fail(err, -ENOMEM, "make a proof");
	if (r == 0)
		r = bawn_tiles_leaves(dirfd, all.left, leaf, err);
	if (r < 0)
		return r;
	for (uint64_t i = 0; i < h.size; i++)
		bawn_tree_add(&tree, leaf[i]);
	bawn_tree_root(&tree, root);
	if (memcmp(root, h.seal.root, sizeof root) != 0)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "the entries of the log do not lead to the root it signed");
	const size_t n = bawn_tree_path(leaf, h.size, seq, path);
	bawn_buf_fmt(out, "c2sp.org/tlog-proof@v1\nindex %" PRIu64 "\n", seq);
	for (size_t i = 0; i < n; i++) {
		bawn_b64_put(out, path[i], sizeof path[i]);
		bawn_buf_char(out, '\n');
	}
	bawn_buf_char(out, '\n');
	bawn_note_put(out, &h.seal, &key);
	return bawn_buf_error(out) < 0 ? bawn_fail(err, bawn_buf_error(out), "make a proof") : 0;
}
