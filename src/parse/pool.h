/* pool.h - the memory of one parse: cut from chunks, and given back all at once.
 *
 * A parser asks for thousands of small blocks and frees most of them soon; here that costs a few
 * instructions, and ending a parse needs no walk over its tree.  A block is poisoned past its end and
 * after its free where AddressSanitizer looks. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define BAWN_POOL_SMALL   128u   /* classes of 8, 16, ... 1024 bytes */
#define BAWN_POOL_CLASSES (BAWN_POOL_SMALL + 21u)   /* then 2 KB, 4 KB, ... */

struct bawn_pool_chunk;
struct bawn_pool {
	struct bawn_pool_chunk *chunk;
	char   *at, *end;                    /* what is left of the chunk in use */
	size_t  next_chunk, bytes, max_bytes;
	bool    no_memory;                   /* the last refusal was malloc's, not the bound's */
	void   *free[BAWN_POOL_CLASSES];
};

#define BAWN_POOL(ceiling) ((struct bawn_pool){ .max_bytes = (ceiling) })

/* NULL: over the bound, or no memory; the pool is as it was. */
void *bawn_pool_get(struct bawn_pool *p, size_t n);
void *bawn_pool_resize(struct bawn_pool *p, void *block, size_t n);
void  bawn_pool_put(struct bawn_pool *p, void *block);
void  bawn_pool_done(struct bawn_pool *p);
