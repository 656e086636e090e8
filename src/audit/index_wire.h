/* index_wire.h - what is said between a reader of the log and libexec/bawn/index, over one socket.
 *
 *	build   ->  entry, terms; entry, terms; … end of file    <-  uint64: entries before this number are in it; 0: it failed
 *	find    ->  ask, terms                                   <-  hit; hit; … newest first, then one with seq BAWN_INDEX_END
 *
 * A term is its length in one byte, then a kind and a text: what can be asked of an entry.  Both sides cut a long
 * text at the same place: more is found then, never less, and whoever asks looks at each entry itself.
 * Both programs are of one build: plain structs. */
#pragma once
#include <stdint.h>
#include "base/hash.h"

#define BAWN_INDEX_FILE  "log-1.sqlite"  /* another layout has another name */
#define BAWN_INDEX_BLOCK 1024u           /* entries that are put in together; only whole blocks are */
#define BAWN_INDEX_TERM  200u            /* bytes of kind and text */
#define BAWN_INDEX_TERMS (16u << 10)     /* bytes of all terms of an entry, or of a question */
#define BAWN_INDEX_END   UINT64_MAX

/* Kinds.  EXEC asks for what begins with its text; ANY is the one term of an entry that has too many: it is found by all. */
enum { BAWN_INDEX_TYPE = 't', BAWN_INDEX_SEVERITY = 'v', BAWN_INDEX_LEVEL = 'l', BAWN_INDEX_STATUS = 'u', BAWN_INDEX_SESSION = 's',
       BAWN_INDEX_LABEL = 'k', BAWN_INDEX_EXEC = 'x', BAWN_INDEX_ENDS = 'e', BAWN_INDEX_ANY = '*' };

struct bawn_index_entry { uint64_t seq, at, ts; uint8_t hash[BAWN_SHA256_LEN]; uint32_t terms, pad; };  /* bytes of terms that follow */
struct bawn_index_ask {
	uint64_t since, until;  /* microseconds; until UINT64_MAX: no end */
	uint64_t low, high;     /* seq: low <= seq < high */
	uint32_t terms, pad;    /* bytes that follow: all must be met */
};
struct bawn_index_hit { uint64_t seq, at; uint8_t hash[BAWN_SHA256_LEN]; };
