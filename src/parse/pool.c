/* pool.c - see pool.h. */
#include "parse/pool.h"
#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>

/* A chunk is its header and then blocks; a block is a word that holds its class, and then its bytes.
 * A block that is free holds the next free one of its class. */
struct bawn_pool_chunk { struct bawn_pool_chunk *next; size_t n; char bytes[]; };

#define HEAD        8u   /* also the alignment: the parser stores pointers and 64-bit numbers, nothing wider */
#define SMALL_BYTES 1024u
#define FIRST_CHUNK (32u << 10)
#define LAST_CHUNK  (1u << 20)

static unsigned class_of(size_t n)
{
	if (n <= SMALL_BYTES)
		return n == 0 ? 0 : (unsigned)((n - 1) / HEAD);
	return BAWN_POOL_SMALL + (unsigned)(63 - __builtin_clzll((unsigned long long)n - 1)) - 10;
}

static size_t class_bytes(unsigned c)
{
	return c < BAWN_POOL_SMALL ? ((size_t)c + 1) * HEAD : (size_t)SMALL_BYTES << (c - BAWN_POOL_SMALL + 1);
}

__attribute__((no_sanitize("address"))) static void set_class(char *block, unsigned c) { memcpy(block - HEAD, &c, sizeof c); }

__attribute__((no_sanitize("address"))) static unsigned get_class(const void *block)
{
	return *(const unsigned *)(const void *)((const char *)block - HEAD);
}

/* A new chunk with room for `need`; a large block has one of its own, and the chunk in use stays. */
static char *add_chunk(struct bawn_pool *p, size_t need)
{
	size_t usual = p->next_chunk != 0 ? p->next_chunk : FIRST_CHUNK;
	bool own = need > usual / 4;
	size_t n = own ? need : usual;
	if (n > p->max_bytes - p->bytes)
		return NULL;
	struct bawn_pool_chunk *c = malloc(sizeof *c + n);
	p->no_memory = c == NULL;
	if (c == NULL)
		return NULL;
	*c = (struct bawn_pool_chunk){ p->chunk, n };
	p->chunk = c;
	p->bytes += n;
	ASAN_POISON_MEMORY_REGION(c->bytes, n);
	if (own)
		return c->bytes;
	p->at = c->bytes + need;
	p->end = c->bytes + n;
	p->next_chunk = usual < LAST_CHUNK ? usual * 2 : usual;
	return c->bytes;
}

void *bawn_pool_get(struct bawn_pool *p, size_t n)
{
	unsigned c = class_of(n);
	p->no_memory = false;
	if (c >= BAWN_POOL_CLASSES)
		return NULL;
	char *block = p->free[c];
	if (block != NULL) {
		ASAN_UNPOISON_MEMORY_REGION(block, sizeof(void *));
		memcpy(&p->free[c], block, sizeof(void *));
		ASAN_POISON_MEMORY_REGION(block, sizeof(void *));
	} else {
		size_t need = HEAD + class_bytes(c);
		char *cut = p->at;
		if (need > (size_t)(p->end - p->at)) {
			cut = add_chunk(p, need);
			if (cut == NULL)
				return NULL;
		} else {
			p->at += need;
		}
		block = cut + HEAD;
		set_class(block, c);
	}
	ASAN_UNPOISON_MEMORY_REGION(block, n);
	return block;
}

void bawn_pool_put(struct bawn_pool *p, void *block)
{
	if (block == NULL)
		return;
	unsigned c = get_class(block);
	ASAN_UNPOISON_MEMORY_REGION(block, sizeof(void *));
	memcpy(block, &p->free[c], sizeof(void *));
	p->free[c] = block;
	ASAN_POISON_MEMORY_REGION(block, class_bytes(c));
}

void *bawn_pool_resize(struct bawn_pool *p, void *block, size_t n)
{
	if (block == NULL)
		return bawn_pool_get(p, n);
	size_t had = class_bytes(get_class(block));
	if (n <= had && n > had / 4) {
		ASAN_POISON_MEMORY_REGION(block, had);
		ASAN_UNPOISON_MEMORY_REGION(block, n);
		return block;
	}
	void *fresh = bawn_pool_get(p, n);
	if (fresh == NULL)
		return NULL;
	ASAN_UNPOISON_MEMORY_REGION(block, had);  /* how much of it was in use is not known */
	memcpy(fresh, block, n < had ? n : had);
	bawn_pool_put(p, block);
	return fresh;
}

void bawn_pool_done(struct bawn_pool *p)
{
	for (struct bawn_pool_chunk *c = p->chunk; c != NULL; ) {
		struct bawn_pool_chunk *next = c->next;
		ASAN_UNPOISON_MEMORY_REGION(c->bytes, c->n);
		free(c);
		c = next;
	}
	*p = BAWN_POOL(p->max_bytes);
}
