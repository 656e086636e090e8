/* bind.h - what an assignment does: see bind.c. */
#pragma once
#include "assess/script.h"

/* In the body of a class itself, not of one of its functions? */
static inline bool in_class(const struct script *s) { return s->class_ != 0 && s->scope < s->class_; }

/* `a, b = x`, `{a, b: {c}} = x`, `[a, [b]] = x`. */
void bawn_bind(struct script *s, uint32_t target, struct value *v);
/* The variable of a loop or handler: there may be nothing to bind it to, and then it still is what it was. */
void bawn_bind_perhaps(struct script *s, uint32_t target, struct value *v);
/* What a name or attribute stands for was changed in place. */
/* object.property = v, wherever it is said; setattr(object, property, v) is the same. */
void bawn_bind_attribute(struct script *s, uint32_t object, const char *property, struct value *v);
/* After a method that changes what it is called on: list.append(x), dict.update(y). */
void bawn_bind_method(struct script *s, const struct call *c);
void bawn_bind_again(struct script *s, uint32_t object, struct value *v);
/* A member of a class is found through the class, through its objects and, inside it, through this one. */
void bawn_bind_member(struct script *s, const char *name, struct value *v);
/* `global x`, `nonlocal x` */
void bawn_bind_outside(struct script *s, uint32_t i);

/* The name in `name = default`, `...name` and `key: name`. */
uint32_t bawn_bind_inner(const struct script *s, uint32_t c);
bool     bawn_bind_is_rest(const struct script *s, uint32_t c);
