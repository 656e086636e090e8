/* script.h - shared by the parts of the Python and JavaScript reader.
 *
 *	script.c         the walk: what is known of a node before its children are read, and after
 *	reader.c         the tree at hand, and names as they are compared
 *	scope.c          which name stands for what
 *	bind.c           assignments, to names, attributes, items and patterns
 *	literal.c        texts, templates, numbers, lists and dictionaries
 *	reference.c      names, attributes and subscripts where they are read
 *	operator.c       operators, and assignments as expressions
 *	call.c           calls: arguments, results, who else is called
 *	parameter.c      what parameters stand for
 *	import.c         modules, and the names taken from them
 *	branch.c         parts that may run or not
 *	loop.c           loops read round by round
 *	comprehension.c  comprehensions read item by item
 *	replay.c         bodies read once more, within bounds
 *	special.c        methods that operators, subscripts and `with` call
 *	match.c          what the patterns of `case` bind
 *	world.c          variables of the environment, modules and directories that the program sets
 *	mayrun.c         texts that may be run by ways that are not followed
 *	javascript.c     what only JavaScript has; handed.c: functions that somebody else will call
 *	effects.c        what well-known functions do; fold.h: what expressions come to */
#pragma once
#include "assess/engine.h"

#define NAME_MAX_BYTES 240u

/* Tags that stay with data. */
#define FLOWS (BAWN_TAG(NET_RECV) | BAWN_TAG(DECODE) | BAWN_TAG(SECRET) | BAWN_TAG(ENVIRON) | BAWN_TAG(HOST_INFO) | \
               BAWN_TAG(READ) | BAWN_TAG(INPUT) | BAWN_TAG(CAPTURE) | BAWN_TAG(BROWSER) | BAWN_TAG(MARSHAL) | BAWN_TAG(BUILT) | \
               BAWN_TAG(OBFUSCATED) | BAWN_TAG(IDENTITY) | BAWN_TAG(CMD_OUTPUT) | BAWN_TAG(SOCKET) | BAWN_TAG(LISTED) | BAWN_TAG(WHOLE) | BAWN_TAG(HOME) | \
               BAWN_TAG(DOWNLOAD) | BAWN_TAG(CLIPBOARD) | BAWN_TAG(OWN_FILE) | BAWN_TAG(OWN_TEXT) | BAWN_TAG(VISITOR) | BAWN_TAG(SPELLED) | \
                BAWN_TAG(CUT) | BAWN_TAG(KEYS) | BAWN_TAG(SITE) | BAWN_TAG(NAMED) | BAWN_TAG(INTERCEPTS))

/* ever: of a name of the file, whatever it was bound to; a function may be called at any of these times. */
struct binding { uint32_t scope; uint32_t hash; const char *name; struct value *value, *after, *ever; };
#define BINDING_LOOKED_AT 4u  /* work, for each slot of the table of bindings */
struct member_name { const char *name; struct member_name *next; };
struct kept    { struct bawn_span path; uint64_t taint; };
struct change  { uint32_t scope; const char *name; struct value *old; };

struct script {
	struct engine          *e;
	const struct bawn_tree *t;
	bool                    python;
	struct value          **val;      /* by node */
	uint32_t               *outer;    /* of a function node: the scope around it */
	uint32_t                scope;    /* the function being read, 0: the file */
	struct binding         *bind; size_t n_bind, cap_bind;
	struct member_name     *members[128];  /* dotted names of the file, by a hash of what stands before the dot; Python */
	struct change          *trail; uint32_t n_trail, cap_trail;  /* what branches have bound */
	unsigned                branches; /* that are being read, one inside the other */
	uint32_t               *mark;     /* of a branch: where its trail begins */
	bool                   *builds;   /* of a function: it puts texts together */
	bool                   *told;     /* of a call: a rule knows what it does with its texts */
	uint32_t                class_;   /* the class whose body is being read, 0: none */
	uint32_t                looped;   /* the loop body being read again */
	unsigned                loop_sure;  /* and how many branches were open before it */
	enum { GO_ON, CONTINUE, BREAK } jump;  /* it came to one of these that is taken for certain */
	bool                    outside;  /* a function says that names are those of the functions around it */
	uint64_t                kept_more;  /* what was written to files for which there was no room below */
	struct kept             kept[32]; uint32_t n_kept;  /* files by constant names: what was written to them */
	const char             *star[64]; uint32_t n_star;   /* from x import * */
	uint32_t                caller[4];  /* of each body being read again: the scope that asked */
	uint32_t                calling;  /* the function being read again for one call, 0: none */
	unsigned                sure;     /* while a call is read again: how many branches were open before */
	bool                    returned; /* and it came to a `return` that is taken for certain */
	unsigned                replay;   /* nesting of bodies read again for each element */
	size_t                  unread;   /* bytes of text given to functions for which it was not enough */
	uint32_t                budget;   /* nodes that may still be read again */
	uint32_t                loops;    /* nesting, for complexity */
	bool                    arguments;  /* JavaScript that asks for arguments[0] */
	uint32_t                at;       /* the node the walk has come to */
	uint32_t                late[16]; uint32_t n_late;  /* functions of JavaScript that were given more after they were read */
	bool                    specials; /* a class has methods that are called without being named */
	bool                    reads_notes;  /* the program looks at its own documentation */
	bool                    hands_on; /* a function that runs texts is used as a value */
	bool                    swaps;    /* a module stands under another one's name */
	const char             *environ[64]; uint32_t n_environs;  /* variables that the program set */
	bool                    more_environs;  /* and some that there was no room for */
	const struct value     *handed;   /* variables that the call being read hands on; NULL: none */
	const char             *cwd;      /* where it went; NULL: where it was started, or not known */
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

#define ITEMS_MAX    8192u
#define FOLDED_MAX   (256u << 10)

/* script.c: visits [from, to), a whole subtree or the whole file. */
void bawn_script_walk(struct script *s, uint32_t from, uint32_t to);

/* modules.c: what another file of the same program binds to a name, or NULL. */
struct value *bawn_module_member(struct script *s, const char *module, const char *name);
/* At the end of a file: what others may import from it. */
void bawn_module_export(struct script *s);

/* scope.c */
bool          bawn_scope_grow(struct script *s);
void          bawn_scope_set(struct script *s, uint32_t scope, const char *name, struct value *v);
struct value *bawn_scope_get(struct script *s, uint32_t scope, const char *p, size_t n);
/* The names bound in the file that begin with `owner` and a dot or parentheses, among others; NULL: none. */
const struct member_name *bawn_scope_members(struct script *s, const char *owner);
struct value *bawn_scope_functions(struct script *s, const char *prefix);
uint32_t      bawn_scope_branch(struct script *s);                 /* begins; gives its mark */
void          bawn_scope_join(struct script *s, uint32_t mark);    /* ends */
void          bawn_scope_keep(struct script *s);                   /* ends, and was taken for certain */
void          bawn_scope_rewind(struct script *s, uint32_t mark);  /* ends, and nothing of it counts */
#define CHOICES_MAX 32u
struct value *bawn_value_either(struct script *s, struct value *old, struct value *new);
const char   *bawn_script_canonical(struct script *s, const char *name);
struct value *bawn_script_lookup(struct script *s, const char *name, size_t n);
struct value *bawn_script_named(struct script *s, const char *name, bool imported);
struct value *bawn_script_attribute(struct script *s, struct value *object, const char *property);

/* fold.c: what a call, an operator or a literal comes to where that can be known; NULL where not. */
struct value *bawn_fold_call(struct script *s, const struct call *c);
struct value *bawn_fold_binary(struct script *s, char op, struct value *left, struct value *right);
struct value *bawn_fold_subscript(struct script *s, struct value *object, struct value *index);
/* Of one of several lists or dictionaries: item `at`, or the one under `key`; NULL where none has it. */
struct value *bawn_fold_each_item(struct script *s, const struct value *choice, uint32_t at, const char *key);
struct value *bawn_fold_slice(struct script *s, struct value *object, bool has[3], const int64_t part[3]);
struct value *bawn_fold_unary(struct script *s, char op, struct value *v);
struct value *bawn_fold_member(struct script *s, struct value *object, const char *property);  /* "abc".length */
void          bawn_fold_constant(struct value *v);                                              /* string.digits */
struct value *bawn_fold_inserted(struct script *s, struct value *v, struct bawn_span rest);     /* {v!r:>8} */
struct value *bawn_fold_changed(struct script *s, const struct call *c);                        /* the list after list.append(x) */
void          bawn_fold_redirect(struct script *s, struct call *c);                             /* partial(f, x)(y) is f(x, y) */
struct value *bawn_fold_large(struct script *s, struct bawn_span digits);                       /* the bytes of a number */
struct value *bawn_fold_pattern(struct script *s, struct bawn_span text);                       /* /x/g */
char          bawn_fold_operator(struct bawn_span text);  /* what bawn_fold_binary takes; 0: none */
struct value *bawn_fold_concat(struct script *s, struct value *left, struct value *right);

/* effects.c: a file holds data of that kind from now on. */
void bawn_script_keep(struct script *s, struct value *file, uint64_t taint);
/* effects.c: paths touched, texts used and code run by well-known functions; `told`: a rule knows the call. */
uint64_t bawn_call_effects(struct script *s, const struct call *c, bool told);
/* What the object a call gives stands for: the path of a file, else the object of the method; or NULL. */
struct value *bawn_call_wraps(const struct call *c);
