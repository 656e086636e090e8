/* reference.h - names, attributes and subscripts where they are read: see reference.c. */
#pragma once
#include "assess/script.h"

struct value *bawn_read_name(struct script *s, uint32_t i);
struct value *bawn_read_attribute(struct script *s, uint32_t i);
struct value *bawn_read_subscript(struct script *s, uint32_t i);
