/* tree.c - see tree.h.  Recursion is at most BAWN_TREE_BITS deep. */
#include "audit/tree.h"

unsigned bawn_tree_nodes(uint64_t size) { return (unsigned)__builtin_popcountll(size); }

void bawn_tree_leaf(const uint8_t data[static BAWN_SHA256_LEN], uint8_t out[static BAWN_SHA256_LEN])
{
	char bytes[1 + BAWN_SHA256_LEN] = { 0x00 };
	memcpy(bytes + 1, data, BAWN_SHA256_LEN);
	bawn_sha256((struct bawn_span){ bytes, sizeof bytes }, out);
}

void bawn_tree_node(const uint8_t *left, const uint8_t *right, uint8_t out[static BAWN_SHA256_LEN])
{
	char bytes[1 + 2 * BAWN_SHA256_LEN] = { 0x01 };
	memcpy(bytes + 1, left, BAWN_SHA256_LEN);
	memcpy(bytes + 1 + BAWN_SHA256_LEN, right, BAWN_SHA256_LEN);
	bawn_sha256((struct bawn_span){ bytes, sizeof bytes }, out);
}

void bawn_tree_add(struct bawn_tree *t, const uint8_t leaf[static BAWN_SHA256_LEN])
{
	bawn_node sum;
	unsigned n = bawn_tree_nodes(t->size);
	memcpy(sum, leaf, sizeof sum);
	for (uint64_t s = t->size++; s & 1u; s >>= 1)
		bawn_tree_node(t->node[--n], sum, sum);
	memcpy(t->node[n], sum, sizeof sum);
}

void bawn_tree_root(const struct bawn_tree *t, uint8_t out[static BAWN_SHA256_LEN])
{
	bawn_node sum;
	unsigned n = bawn_tree_nodes(t->size);
	if (n == 0) {
		bawn_sha256((struct bawn_span){ "", 0 }, out);
		return;
	}
	memcpy(sum, t->node[--n], sizeof sum);
	while (n > 0)
		bawn_tree_node(t->node[--n], sum, sum);
	memcpy(out, sum, sizeof sum);
}

/* ---- proofs ---- */

static void root_of(const bawn_node *leaf, uint64_t n, uint8_t out[static BAWN_SHA256_LEN])
{
	struct bawn_tree t = { 0 };
	for (uint64_t i = 0; i < n; i++)
		bawn_tree_add(&t, leaf[i]);
	bawn_tree_root(&t, out);
}

/* The largest power of two below n (n > 1): where RFC 6962 splits a tree. */
static uint64_t split(uint64_t n) { return UINT64_C(1) << (63 - __builtin_clzll(n - 1)); }

size_t bawn_tree_path(const bawn_node *leaf, uint64_t n, uint64_t index, bawn_node *out)
{
	if (n <= 1)
		return 0;
	const uint64_t k = split(n);
	size_t done = index < k ? bawn_tree_path(leaf, k, index, out) : bawn_tree_path(leaf + k, n - k, index - k, out);
	if (index < k)
		root_of(leaf + k, n - k, out[done]);
	else
		root_of(leaf, k, out[done]);
	return done + 1;
}

/* `whole`: the old tree is this subtree from its first leaf on, so its root is known to the reader. */
static size_t subproof(const bawn_node *leaf, uint64_t n, uint64_t m, int whole, bawn_node *out)
{
	if (m == n) {
		if (whole)
			return 0;
		root_of(leaf, n, out[0]);
		return 1;
	}
	const uint64_t k = split(n);
	size_t done = m <= k ? subproof(leaf, k, m, whole, out) : subproof(leaf + k, n - k, m - k, 0, out);
	if (m <= k)
		root_of(leaf + k, n - k, out[done]);
	else
		root_of(leaf, k, out[done]);
	return done + 1;
}

size_t bawn_tree_consistency(const bawn_node *leaf, uint64_t n, uint64_t m, bawn_node *out)
{
	return m == 0 || m > n ? 0 : subproof(leaf, n, m, 1, out);
}

/* Down from the root to the leaf, as bawn_tree_path went, but with the path in hand: at each split the last node of
 * what is left is the other side's. */
static bool climb(const uint8_t *leaf, uint64_t index, uint64_t n, const bawn_node *path, size_t count, uint8_t *out)
{
	bawn_node below;
	if (n <= 1 || count == 0) {
		memcpy(out, leaf, BAWN_SHA256_LEN);
		return n == 1 && count == 0;
	}
	const uint64_t k = split(n);
	if (!(index < k ? climb(leaf, index, k, path, count - 1, below) : climb(leaf, index - k, n - k, path, count - 1, below)))
		return false;
	if (index < k)
		bawn_tree_node(below, path[count - 1], out);
	else
		bawn_tree_node(path[count - 1], below, out);
	return true;
}

bool bawn_tree_path_good(const uint8_t leaf[static BAWN_SHA256_LEN], uint64_t index, uint64_t n, const bawn_node *path, size_t count,
                         const uint8_t root[static BAWN_SHA256_LEN])
{
	bawn_node got;
	return index < n && count <= BAWN_PATH_MAX && climb(leaf, index, n, path, count, got) && memcmp(got, root, sizeof got) == 0;
}
