/* tiles.h - the tree on disk as C2SP tlog-tiles, and the checkpoint: for readers who are not us.
 *
 *	tile/L/N          256 hashes of level L (level 0: leaves; 1: roots of 256 leaves; …), 8192 bytes
 *	tile/L/N.p/W      the first W of them, while there are no more
 *	tile/entries/N    256 entries: 00 20 and the 32 bytes of the entry's hash; N.p/W likewise
 *	checkpoint        the signed note of the tree these make
 *
 * N in groups of three digits: 5, 1234067 -> 005, x001/x234/067.
 * All of it follows from the segments and is never trusted: it is written after the acknowledgement,
 * without a sync, and made anew from the first entry where it does not lead to the signed root.  Only of
 * entries that were pruned they are all that is left: then from the first that was kept, and with a sync. */
#pragma once
#include "audit/head.h"

#define BAWN_TILE_WIDTH  256u
#define BAWN_TILE_LEVELS 5  /* 256^5 = 2^40 */
#define BAWN_TILES_PROBLEM 128

/* Brings tiles and checkpoint up to this head, whose seal `sealer` made.  Does nothing while another
 * process is at it.  0 or an error; nothing depends on it. */
BAWN_MUST_CHECK int bawn_tiles_publish(int dirfd, const struct bawn_head *h, const struct bawn_vkey *sealer, struct bawn_err *err);

/* Is it worth it at every close?  Not for a few entries more than seconds ago: short runs come in bursts,
 * and this costs as much as the commit. */
bool bawn_tiles_due(int dirfd, const struct bawn_head *h);

/* The first n leaves, from tiles: what they lead to is for the caller to check. */
BAWN_MUST_CHECK int bawn_tiles_leaves(int dirfd, uint64_t n, bawn_node *out, struct bawn_err *err);

/* The roots of the trees of the first n and of the first m <= n entries, from tiles, the second from nothing
 * that the first does not follow from: where root_n is the right one, so is root_m. */
bool bawn_tiles_roots(int dirfd, uint64_t n, uint64_t m, uint8_t root_n[static BAWN_SHA256_LEN], uint8_t root_m[static BAWN_SHA256_LEN]);

/* Compares the tiles of a directory with the tree of its entries, fed in order, up to the size of the
 * checkpoint; out_problem (BAWN_TILES_PROBLEM bytes) names the first that differs or is missing. */
struct bawn_tiles;
BAWN_MUST_CHECK struct bawn_tiles *bawn_tiles_check_new(int dirfd, uint64_t size, char *out_problem);
void bawn_tiles_check_add(struct bawn_tiles *t, const uint8_t data[static BAWN_SHA256_LEN], const uint8_t leaf[static BAWN_SHA256_LEN]);
/* Begins not at 0 but at the tree of the entries that were pruned, whose tiles must lead to its root. */
void bawn_tiles_check_from(struct bawn_tiles *t, const struct bawn_tree *tree);
void bawn_tiles_check_free(struct bawn_tiles *t);
