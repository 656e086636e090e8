/* loop.h - loops: see loop.c. */
#pragma once
#include "assess/script.h"

/* What a loop with the variable `left` goes through, of what stands at `right`. */
struct value *bawn_loop_items(struct script *s, uint32_t left, uint32_t right);
/* What the variable of a loop over `v` may be. */
struct value *bawn_loop_element(struct script *s, struct value *v);
/* After the body of a loop was read: reads it round by round instead.  False: it is not worth it, or not known. */
bool bawn_loop_unroll(struct script *s, uint32_t body, uint32_t mark);
/* A range of more numbers than are gone through. */
bool bawn_loop_is_long(const struct value *v);
/* `continue` and `break` of the loop that is being read again */
void bawn_read_jump(struct script *s, uint32_t i);
/* The iterable of a loop or the condition of one was read: does it ever end? */
void bawn_loop_endless(struct script *s, uint32_t i);
