/* replay.h - bodies that are read once more: see replay.c. */
#pragma once
#include "assess/script.h"

#define REPLAY_MAX 3u  /* one inside the other */

/* Reads a body again with its variables bound, and gives its value; NULL: not known. */
struct value *bawn_script_again(struct script *s, uint32_t body, bool quiet);
/* What `function` gives back when it is called like this; NULL: not known. */
struct value *bawn_script_replay(struct script *s, uint32_t function, const struct call *c);
