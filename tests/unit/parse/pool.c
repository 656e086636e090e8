/* pool.c - the memory of a parse: blocks do not overlap, come back, and stay within their bound. */
#include "parse/pool.h"
#include <stdint.h>
#include "base/cleanup.h"
#include "base/span.h"
#include "tap.h"

#define BLOCKS 2000u

static size_t size_of(size_t i) { return 1 + i * 7919 % 3000; }

static bool holds(const char *block, size_t n, char c)
{
	for (size_t i = 0; i < n; i++)
		if (block[i] != c)
			return false;
	return true;
}

static void test_blocks(void)
{
	static char *block[BLOCKS];
	struct bawn_pool p = BAWN_POOL(64u << 20);
	bool got = true, kept = true, aligned = true;
	for (size_t i = 0; i < BLOCKS; i++) {
		block[i] = bawn_pool_get(&p, size_of(i));
		got = got && block[i] != NULL;
		aligned = aligned && (uintptr_t)block[i] % 8 == 0;
		memset(block[i], (char)i, size_of(i));
	}
	ok(got && aligned, "blocks of many sizes, aligned");
	for (size_t i = 0; i < BLOCKS; i += 2) {
		block[i] = bawn_pool_resize(&p, block[i], size_of(i) * 3);
		kept = kept && block[i] != NULL && holds(block[i], size_of(i), (char)i);
		memset(block[i], (char)i, size_of(i) * 3);
	}
	for (size_t i = 0; i < BLOCKS; i++)
		kept = kept && holds(block[i], size_of(i) * (i % 2 == 0 ? 3 : 1), (char)i);
	ok(kept, "what is in a block stays, also when others or the block itself grow");
	size_t before = p.bytes;
	for (size_t round = 0; round < 50; round++)
		for (size_t i = 1; i < BLOCKS; i += 2) {
			bawn_pool_put(&p, block[i]);
			block[i] = bawn_pool_get(&p, size_of(i));
		}
	ok(p.bytes == before, "a block that was freed is used again");
	bawn_pool_put(&p, NULL);
	bawn_pool_done(&p);
	ok(p.bytes == 0 && p.chunk == NULL, "the end gives everything back");
}

static void test_bound(void)
{
	struct bawn_pool p = BAWN_POOL(1u << 20);
	size_t n = 0;
	while (n < 100000 && bawn_pool_get(&p, 100) != NULL)
		n++;
	ok(n > 8000 && n < 10500 && p.bytes <= 1u << 20 && !p.no_memory, "a megabyte holds 100 bytes %zu times", n);
	ok(bawn_pool_get(&p, SIZE_MAX / 4) == NULL && bawn_pool_get(&p, 2u << 20) == NULL, "nothing is larger than the bound");
	bawn_pool_done(&p);
}

int main(void)
{
	test_blocks();
	test_bound();
	return done_testing();
}
