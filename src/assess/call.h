/* call.h - calls: see call.c. */
#pragma once
#include "assess/script.h"

struct value *bawn_read_call(struct script *s, uint32_t i);
/* Tells the call, and what it does to the world.  Returns the tags of what it gives back. */
uint64_t bawn_call_tell(struct script *s, const struct call *c);
