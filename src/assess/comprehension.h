/* comprehension.h - [x for y in z]: see comprehension.c. */
#pragma once
#include "assess/script.h"

struct value *bawn_read_comprehension(struct script *s, uint32_t i);
