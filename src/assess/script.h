/* script.h - shared by the parts of the Python and JavaScript reader. */
#pragma once
#include "assess/engine.h"

struct binding { uint32_t scope; uint32_t hash; const char *name; struct value *value; };

struct script {
	struct engine          *e;
	const struct bawn_tree *t;
	bool                    python;
	struct value          **val;      /* by node */
	uint32_t               *outer;    /* of a function node: the scope around it */
	uint32_t                scope;    /* the function being read, 0: the file */
	struct binding         *bind; size_t n_bind, cap_bind;
	const char             *star[4]; uint32_t n_star;   /* from x import * */
	unsigned                replay;   /* nesting of bodies read again for each element */
	uint32_t                budget;   /* nodes that may still be read again */
	uint32_t                loops;    /* nesting, for complexity */
};

/* A call about to be judged. */
struct call {
	uint32_t        node;
	struct value   *function;
	const char     *name;            /* NULL: unknown */
	struct value  **arg; uint32_t n_args;
	struct keyword *keyword; uint32_t n_keywords;
	uint64_t        taint;           /* of arguments and object */
};

#define ITEMS_MAX    4096u
#define FOLDED_MAX   (256u << 10)

struct value *bawn_script_lookup(struct script *s, const char *name, size_t n);
struct value *bawn_script_named(struct script *s, const char *name, bool imported);
struct value *bawn_script_attribute(struct script *s, struct value *object, const char *property);
struct value *bawn_script_replay(struct script *s, uint32_t function, struct value **arg, uint32_t n);

/* fold.c: what a call, an operator or a literal comes to where that can be known; NULL where not. */
struct value *bawn_fold_call(struct script *s, const struct call *c);
struct value *bawn_fold_binary(struct script *s, char op, struct value *left, struct value *right);
struct value *bawn_fold_subscript(struct script *s, struct value *object, struct value *index);
struct value *bawn_fold_slice(struct script *s, struct value *object, bool has[3], const int64_t part[3]);
struct value *bawn_fold_concat(struct script *s, struct value *left, struct value *right);
/* Backslash escapes as Python, JavaScript and $'...' write them. */
struct bawn_span bawn_unescape(struct arena *a, struct bawn_span text);

/* effects.c: paths touched and code run by well-known functions. */
uint64_t bawn_call_effects(struct script *s, const struct call *c);
