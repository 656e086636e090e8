/* pool.h - the memory of one parse: cut from chunks, and given back all at once.
 *
 * A parser asks for thousands of small blocks and frees most of them soon; here that costs a few
 * instructions, and ending a parse needs no walk over its tree.  Both what is asked for and how often
 * are bounded, so that the same text always gets the same answer, however busy the machine is.  A
 * block past its end or after its free is poisoned where AddressSanitizer looks. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BAWN_POOL_SMALL   64u   /* classes of 16, 32, ... 1024 bytes */
#define BAWN_POOL_CLASSES (BAWN_POOL_SMALL + 21u)   /* then 2 KB, 4 KB, ... */

struct bawn_pool_chunk;
struct bawn_pool {
	struct bawn_pool_chunk *chunk;
	char    *at, *end;                   /* what is left of the chunk in use */
	size_t   next_chunk, bytes, max_bytes;
	uint64_t calls, max_calls;
	bool     no_memory;                  /* the last refusal was malloc's, not a bound's */
	void    *free[BAWN_POOL_CLASSES];
};

#define BAWN_POOL(bytes_, calls_) ((struct bawn_pool){ .max_bytes = (bytes_), .max_calls = (calls_) })

/* NULL: over a bound, or no memory; the pool is as it was. */
void *bawn_pool_get(struct bawn_pool *p, size_t n);
void *bawn_pool_resize(struct bawn_pool *p, void *block, size_t n);
void  bawn_pool_put(struct bawn_pool *p, void *block);
void  bawn_pool_done(struct bawn_pool *p);
