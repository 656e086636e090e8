/* literal.h - the constant that a node is: see literal.c. */
#pragma once
#include "assess/script.h"

struct value *bawn_script_literal(struct script *s, uint32_t i);  /* a text or template */
struct value *bawn_script_integer(struct script *s, uint32_t i);
struct value *bawn_script_collection(struct script *s, uint32_t i, bool dict);
