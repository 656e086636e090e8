/* area.h - the memory a watched interpreter writes what it did into, and bawn reads when all is over.
 *
 *	launcher: memory file of this size, sealed, zeros but for `magic`
 *	hook:     maps it shared, closes the descriptor; forked children write into the same memory
 *	client:   reads a copy when nothing inside is alive (sandbox/observed.h)
 *
 * An entry is taken by adding to `used` and counts once its `count` is not zero, so who dies halfway
 * leaves a hole and nobody waits for anybody.  The program can write anything here: evidence. */
#pragma once
#include <stdatomic.h>
#include <stdint.h>

#define BAWN_AREA_FD    4            /* of the interpreter until the hook has mapped it, before its main */
#define BAWN_AREA_HOOK  "/run/bawn/observe.so"
#define BAWN_AREA_MAGIC 0x626177656e203031u
#define BAWN_AREA_TEXT  248u
#define BAWN_AREA_EACH  1000u        /* entries of each kind; more are only counted */
#define BAWN_AREA_SLOTS 8192u

/* X(NAME, "name"): the lists of `observed` in a result. */
#define BAWN_AREA_KINDS(X) \
	X(READ, "files_read") X(WRITE, "files_written") X(CONNECT, "connects") X(EXEC, "execs") X(IMPORT, "imports")
#define BAWN_X_AREA(n, t) BAWN_AREA_##n,
enum bawn_area_kind { BAWN_AREA_KINDS(BAWN_X_AREA) BAWN_AREA_KIND_COUNT };
#define BAWN_AREA_ENTRIES (BAWN_AREA_EACH * BAWN_AREA_KIND_COUNT)

struct bawn_area_entry {
	_Atomic uint32_t count;      /* how often; saturates; 0: not written to its end */
	uint8_t          kind, cut;  /* cut: the text was longer */
	uint16_t         len;
	char             text[BAWN_AREA_TEXT];
};

struct bawn_area_head {
	uint64_t         magic;
	_Atomic uint32_t watching;   /* the hook is in and the code has begun */
	_Atomic uint32_t used;       /* entries handed out */
	_Atomic uint32_t dropped;    /* what found no room; saturates */
	_Atomic uint32_t kinds[BAWN_AREA_KIND_COUNT];
};

struct bawn_area {
	struct bawn_area_head  head;
	struct bawn_area_entry entry[BAWN_AREA_ENTRIES];
	/* The hook's own: what it has seen, by hash. */
	struct { _Atomic uint64_t hash; _Atomic uint32_t entry; } slot[BAWN_AREA_SLOTS];  /* entry: index + 1 */
};
