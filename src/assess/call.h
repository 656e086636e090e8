/* call.h - calls: see call.c. */
#pragma once
#include "assess/script.h"

struct value *bawn_read_call(struct script *s, uint32_t i);
