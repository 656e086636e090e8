/* tree.c - roots and proofs as Python computes them from the definitions of RFC 6962, for every small size. */
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "audit/tree.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "tap.h"

extern char **environ;

#define SIZES 70

static const char script[] =
	"import hashlib\n"
	"H = lambda b: hashlib.sha256(b).digest()\n"
	"D = [H(b'%d' % i) for i in range(70)]\n"
	"def split(n):\n"
	"    k = 1\n"
	"    while 2 * k < n: k *= 2\n"
	"    return k\n"
	"def mth(d):\n"
	"    if not d: return H(b'')\n"
	"    if len(d) == 1: return H(b'\\0' + d[0])\n"
	"    k = split(len(d)); return H(b'\\1' + mth(d[:k]) + mth(d[k:]))\n"
	"def path(m, d):\n"
	"    if len(d) == 1: return []\n"
	"    k = split(len(d))\n"
	"    return path(m, d[:k]) + [mth(d[k:])] if m < k else path(m - k, d[k:]) + [mth(d[:k])]\n"
	"def sub(m, d, b):\n"
	"    if m == len(d): return [] if b else [mth(d)]\n"
	"    k = split(len(d))\n"
	"    return sub(m, d[:k], b) + [mth(d[k:])] if m <= k else sub(m - k, d[k:], False) + [mth(d[:k])]\n"
	"for n in range(71):\n"
	"    print('root', n, mth(D[:n]).hex())\n"
	"    for m in range(n): print('path', n, m, *[h.hex() for h in path(m, D[:n])])\n"
	"    for m in range(1, n + 1): print('from', n, m, *[h.hex() for h in sub(m, D[:n], True)])\n";

static void put_nodes(struct bawn_buf *b, const bawn_node *node, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char hex[BAWN_SHA256_HEX];
		bawn_hex(node[i], sizeof node[i], hex);
		bawn_buf_fmt(b, " %s", hex);
	}
	bawn_buf_char(b, '\n');
}

static void ours(struct bawn_buf *b)
{
	static bawn_node leaf[SIZES];
	struct bawn_tree t = { 0 };
	bawn_node path[BAWN_PATH_MAX], root;
	for (uint64_t n = 0; n <= SIZES; n++) {
		bawn_tree_root(&t, root);
		bawn_buf_fmt(b, "root %" PRIu64, n);
		put_nodes(b, &root, 1);
		for (uint64_t m = 0; m < n; m++) {
			bawn_buf_fmt(b, "path %" PRIu64 " %" PRIu64, n, m);
			put_nodes(b, path, bawn_tree_path(leaf, n, m, path));
		}
		for (uint64_t m = 1; m <= n; m++) {
			bawn_buf_fmt(b, "from %" PRIu64 " %" PRIu64, n, m);
			put_nodes(b, path, bawn_tree_consistency(leaf, n, m, path));
		}
		if (n < SIZES) {
			char text[16];
			bawn_node data;
			snprintf(text, sizeof text, "%d", (int)n);
			bawn_sha256(bawn_span(text), data);
			bawn_tree_leaf(data, leaf[n]);
			bawn_tree_add(&t, leaf[n]);
		}
	}
}

static bool python_says(struct bawn_buf *out)
{
	int p[2];
	char *argv[] = { "python3", "-c", (char *)(uintptr_t)script, NULL };
	posix_spawn_file_actions_t to;
	pid_t pid;
	int status = -1;
	if (pipe2(p, O_CLOEXEC) < 0)
		return false;
	(void)posix_spawn_file_actions_init(&to);
	(void)posix_spawn_file_actions_adddup2(&to, p[1], 1);
	int r = posix_spawnp(&pid, "python3", &to, NULL, argv, environ);
	(void)posix_spawn_file_actions_destroy(&to);
	(void)close(p[1]);
	bool good = r == 0 && bawn_read_fd(p[0], "python3", out, NULL) == 0;
	(void)close(p[0]);
	return r == 0 && waitpid(pid, &status, 0) == pid && status == 0 && good;
}

int main(void)
{
	bawn_auto_buf mine = BAWN_BUF(64u << 20), theirs = BAWN_BUF(64u << 20);
	ours(&mine);
	if (!python_says(&theirs)) {
		skip("roots and proofs are those of RFC 6962", "python3 is not there");
		return done_testing();
	}
	ok(bawn_buf_error(&mine) == 0 && mine.n == theirs.n && memcmp(mine.p, theirs.p, mine.n) == 0,
	   "roots, paths and consistency proofs of all trees up to %d entries are those of RFC 6962 (%zu bytes)", SIZES, mine.n);
	return done_testing();
}
