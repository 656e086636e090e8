/* operator.h - operators and assignments, by the kind of their node: see operator.c. */
#pragma once
#include "assess/script.h"

struct value *bawn_read_assign(struct script *s, uint32_t i);
struct value *bawn_read_augment(struct script *s, uint32_t i);      /* a += b */
struct value *bawn_read_binary(struct script *s, uint32_t i);
struct value *bawn_read_boolean(struct script *s, uint32_t i);
struct value *bawn_read_compare(struct script *s, uint32_t i);
struct value *bawn_read_conditional(struct script *s, uint32_t i);  /* c ? x : y */
struct value *bawn_read_unary(struct script *s, uint32_t i);
struct value *bawn_read_update(struct script *s, uint32_t i);       /* i++ */
