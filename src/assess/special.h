/* special.h - methods of Python classes that are called without being named: a + b, a[b], a(b), with a. */
#pragma once
#include "assess/script.h"

/* The method of that name of an object or a class of the program; NULL: it has none. */
struct value *bawn_special(struct script *s, const struct value *object, const char *method);
/* The function that calling an object calls, NULL: not a class of the program, or it has none. */
struct value *bawn_special_called(struct script *s, const struct value *object);
/* a OP b, where either may have a method for it; `op` as it is written. */
void bawn_special_operator(struct script *s, struct bawn_span op, struct value *a, struct value *b);
/* a[b] */
void bawn_special_item(struct script *s, struct value *a, struct value *b, struct value *set);
/* A class begins: it has what its bases have, and its methods are known before their bodies are. */
void bawn_class_begin(struct script *s, uint32_t class_);
/* What `with v as x` binds to x. */
struct value *bawn_special_entered(struct script *s, struct value *v);
