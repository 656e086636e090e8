/* proof.c - that an entry is in the log, for somebody who has only the verifier key: a C2SP tlog-proof.
 *
 * Made from tiles where these lead from the entry, as the log holds it now, to the root of the published checkpoint;
 * otherwise (a newer entry, tiles that are damaged, an entry that is) from all segments, re-hashed, to the root that
 * was signed last.  Of entries that were pruned only tiles are left.
 * An attacker controls: every byte of a proof to be checked. */
#include "audit/proof.h"
#include <inttypes.h>
#include "audit/audit.h"
#include "audit/entry.h"
#include "audit/keys.h"
#include "audit/tiles.h"
#include "base/b64.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"

#define FIRST_LINE "c2sp.org/tlog-proof@v1\nindex "

struct reading { bawn_node *leaf; uint64_t left; bawn_line_fn *also; void *ctx; };

static int note_leaf(void *ctx, const struct bawn_line *l, struct bawn_span line, struct bawn_err *err)
{
	struct reading *all = ctx;
	bawn_line_leaf(l, all->leaf[--all->left]);
	return all->also != NULL ? all->also(all->ctx, l, line, err) : 0;
}

/* The key that made the seal of this head: of its epoch, or of the one before. */
static int sealer_of(int dirfd, const struct bawn_head *h, struct bawn_vkey *out, struct bawn_err *err)
{
	for (uint64_t back = 0; back < 2 && back <= h->epoch; back++)
		if (bawn_keys_public(dirfd, h->epoch - back, out) == 0 && bawn_seal_good(&h->seal, out))
			return 0;
	return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "the head of the log is not signed by a key in 'keys'");
}

void bawn_leaves_done(struct bawn_leaves *l)
{
	free(l->leaf);
	l->leaf = NULL;
}

int bawn_leaves_read(int dirfd, bawn_line_fn *also, void *ctx, struct bawn_leaves *out, struct bawn_err *err)
{
	struct bawn_tree tree = { 0 };
	bawn_node root;
	bawn_auto_leaves l = { 0 };
	int r = bawn_head_read_at(dirfd, &l.head, err);
	if (r == 0 && l.head.size == 0)
		r = bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, NULL, "the log has no entry yet");
	if (r == 0)
		r = sealer_of(dirfd, &l.head, &l.sealer, err);
	if (r < 0)
		return r;
	l.leaf = calloc(l.head.size, sizeof *l.leaf);
	struct reading all = { .leaf = l.leaf, .left = l.head.size, .also = also, .ctx = ctx };
	r = l.leaf != NULL ? bawn_lines_back(dirfd, &l.head, note_leaf, &all, err) : bawn_fail(err, -ENOMEM, "make a proof");
	if (r == 0)
		r = bawn_tiles_leaves(dirfd, all.left, l.leaf, err);
	if (r != 0)
		return r;
	for (uint64_t i = 0; i < l.head.size; i++)
		bawn_tree_add(&tree, l.leaf[i]);
	bawn_tree_root(&tree, root);
	if (memcmp(root, l.head.seal.root, sizeof root) != 0)
		return bawn_fail_as(err, BAWN_ERROR_AUDIT_TAMPERED, NULL, "the entries of the log do not lead to the root it signed");
	*out = l;
	l.leaf = NULL;
	return 0;
}

static void put(struct bawn_buf *out, uint64_t index, const bawn_node *path, size_t n, const struct bawn_seal *seal, const struct bawn_vkey *by)
{
	bawn_buf_fmt(out, FIRST_LINE "%" PRIu64 "\n", index);
	for (size_t i = 0; i < n; i++) {
		bawn_b64_put(out, path[i], sizeof path[i]);
		bawn_buf_char(out, '\n');
	}
	bawn_buf_char(out, '\n');
	bawn_note_put(out, seal, by);
}

void bawn_proof_put(struct bawn_buf *out, const bawn_node *leaf, uint64_t index, const struct bawn_seal *seal, const struct bawn_vkey *by)
{
	bawn_node path[BAWN_PATH_MAX];
	put(out, index, path, bawn_tree_path(leaf, seal->size, index, path), seal, by);
}

const char *bawn_proof_check(struct bawn_span text, const uint8_t leaf[static BAWN_SHA256_LEN], uint64_t index, const struct bawn_vkey *by,
                             struct bawn_seal *out)
{
	bawn_node path[BAWN_PATH_MAX];
	struct bawn_span rest = text, line = { 0 };
	struct bawn_seal seal;
	size_t n = 0;
	if (!bawn_span_take(&rest, '\n', &line) || !bawn_span_take(&rest, '\n', &line))
		return "no tlog-proof";
	while (bawn_span_take(&rest, '\n', &line) && line.n > 0)
		if (n == BAWN_PATH_MAX || !bawn_b64_read(line, path[n++], BAWN_SHA256_LEN))
			return "a path that is none";
	if (!bawn_note_read(rest, by, &seal))
		return "no checkpoint by the key of its time";
	if (!bawn_seal_good(&seal, by))
		return "a checkpoint whose signature is not by the key of its time";
	bawn_auto_buf again = BAWN_BUF(1u << 16);  /* its first lines, a second signature, anything behind: one spelling only */
	put(&again, index, path, n, &seal, by);
	if (bawn_buf_error(&again) < 0 || !bawn_span_equal(bawn_buf_span(&again), text))
		return "not the proof of this entry as it is written";
	if (!bawn_tree_path_good(leaf, index, seal.size, path, n, seal.root))
		return "a path that does not lead from the entry to the signed root";
	*out = seal;
	return NULL;
}

struct at_hand { uint64_t seq; bool found; bawn_node leaf; };
static int note_entry(void *ctx, const struct bawn_entry *e)
{
	struct at_hand *a = ctx;
	struct bawn_line l;
	const char *problem;
	a->found = e->seq == a->seq && bawn_line_shape(e->line, &l, &problem) == 0;
	if (a->found)
		bawn_line_leaf(&l, a->leaf);
	return 1;
}

/* The checkpoint that the log has published, signed by a key in `keys`. */
static bool published(int dirfd, uint64_t epoch, struct bawn_seal *out, struct bawn_vkey *by)
{
	bawn_auto_buf note = BAWN_BUF(4096);
	if (bawn_read_plain_file(dirfd, "checkpoint", &note, NULL) < 0)
		return false;
	for (uint64_t back = 0; back < 2 && back <= epoch; back++)
		if (bawn_keys_public(dirfd, epoch - back, by) == 0 && bawn_note_read(bawn_buf_span(&note), by, out) && bawn_seal_good(out, by))
			return true;
	return false;
}

/* False where it cannot be made that way. */
static bool from_tiles(const char *dir, int dirfd, const struct bawn_head *h, uint64_t seq, struct bawn_buf *out)
{
	struct at_hand at = { .seq = seq };
	struct bawn_seal seal;
	struct bawn_vkey by;
	bawn_node leaf, path[BAWN_PATH_MAX];
	if (!published(dirfd, h->epoch, &seal, &by) || seq >= seal.size || bawn_audit_walk(dir, seq, note_entry, &at, NULL) < 0 || !at.found)
		return false;
	int n = bawn_tiles_path(dirfd, seal.size, seq, leaf, path);
	if (n < 0 || !bawn_tree_path_good(at.leaf, seq, seal.size, path, (size_t)n, seal.root))
		return false;
	put(out, seq, path, (size_t)n, &seal, &by);
	return true;
}

int bawn_audit_proof(const char *dir, uint64_t seq, struct bawn_buf *out, struct bawn_err *err)
{
	struct bawn_head h;
	bawn_auto_fd dirfd = -1;
	bawn_auto_leaves all = { 0 };
	int r = bawn_audit_dir_open(dir, &dirfd, err);
	if (r == 0)
		r = bawn_head_read_at(dirfd, &h, err);
	if (r == 0 && seq >= h.size)
		r = bawn_fail_as(err, BAWN_ERROR_NOT_FOUND, NULL, "the log has no entry %" PRIu64 ", it has %" PRIu64, seq, h.size);
	if (r == 0 && !from_tiles(dir, dirfd, &h, seq, out)) {
		r = bawn_leaves_read(dirfd, NULL, NULL, &all, err);
		if (r == 0)
			bawn_proof_put(out, all.leaf, seq, &all.head.seal, &all.sealer);
	}
	if (r < 0)
		return r;
	return bawn_buf_error(out) < 0 ? bawn_fail(err, bawn_buf_error(out), "make a proof") : 0;
}
