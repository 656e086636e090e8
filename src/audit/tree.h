/* tree.h - the Merkle tree of RFC 6962 over the entries of a log.
 *
 *	leaf(d) = SHA-256(00 d), d the 32 bytes of an entry's hash     node(l, r) = SHA-256(01 l r)
 *
 * A growing tree needs only its frontier: the roots of the perfect subtrees that its size is the sum
 * of, the largest first (size 11 = 8 + 2 + 1: three nodes).
 * Pure: no files, no allocation. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/hash.h"

#define BAWN_TREE_BITS 40  /* a log ends before 10^12 entries (segment.h): fewer than 2^40 */
#define BAWN_PATH_MAX  (2 * BAWN_TREE_BITS)

typedef uint8_t bawn_node[BAWN_SHA256_LEN];

struct bawn_tree {
	uint64_t  size;
	bawn_node node[BAWN_TREE_BITS];  /* as many as size has bits set */
};

unsigned bawn_tree_nodes(uint64_t size);
void bawn_tree_leaf(const uint8_t data[static BAWN_SHA256_LEN], uint8_t out[static BAWN_SHA256_LEN]);
void bawn_tree_node(const uint8_t *left, const uint8_t *right, uint8_t out[static BAWN_SHA256_LEN]);
void bawn_tree_add(struct bawn_tree *t, const uint8_t leaf[static BAWN_SHA256_LEN]);
/* SHA-256 of nothing for an empty tree. */
void bawn_tree_root(const struct bawn_tree *t, uint8_t out[static BAWN_SHA256_LEN]);

/* Proofs as RFC 6962 writes them, from all leaves (bawn_tree_leaf of each entry): the path of entry
 * `index` in the tree of `n` leaves, and that the tree of `m` leaves (0 < m <= n) is its beginning.
 * They return the number of nodes, at most BAWN_PATH_MAX. */
size_t bawn_tree_path(const bawn_node *leaf, uint64_t n, uint64_t index, bawn_node *out);
size_t bawn_tree_consistency(const bawn_node *leaf, uint64_t n, uint64_t m, bawn_node *out);
/* Does this path lead from the leaf at `index` to the root of a tree of `n`? */
bool bawn_tree_path_good(const uint8_t leaf[static BAWN_SHA256_LEN], uint64_t index, uint64_t n, const bawn_node *path, size_t count,
                         const uint8_t root[static BAWN_SHA256_LEN]);
