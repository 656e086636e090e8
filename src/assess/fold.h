/* fold.h - shared by the parts of constant folding: what can be known of an expression without running it.
 *
 *	fold.c         values, operators, subscripts
 *	fold_call.c    which function or method is which operation (tables), and calls in disguise
 *	fold_text.c    methods of texts
 *	fold_format.c  %, .format, f-strings, repr, struct.pack
 *	fold_list.c    sequences: range, zip, map, sorted, reduce
 *
 * Promises: (1) no text longer than FOLDED_MAX, no list longer than ITEMS_MAX, and FOLD_TOTAL bytes
 * for a whole assessment, counted, so that the verdict does not depend on the clock; past any of
 * these the value is unknown and marked as cut, see engine.h; (2) nothing calls itself over the depth of
 * a value; (3) NULL is "not known", and only memory that ran out is an error. */
#pragma once
#include "assess/decode.h"
#include "assess/script.h"
#include "base/buf.h"

#define FOLD_TOTAL   (8u << 20)
#define FOLD_RESERVE (4u << 20)
#define FOLD_SHORT   1024u

enum truth { TRUTH_NO, TRUTH_YES, TRUTH_UNKNOWN };

static inline struct arena *fold_memory(struct script *s) { return &s->e->scratch; }
static inline uint64_t taint_of(const struct value *v) { return v != NULL ? v->taint : 0; }
static inline struct value *fold_arg(const struct call *c, uint32_t i) { return i < c->n_args ? c->arg[i] : NULL; }
struct value *bawn_fold_keyword(const struct call *c, const char *name);

/* Takes `n` bytes, or those of a value, from the budget of the assessment; false: it is used up. */
#define FOLD_VALUE sizeof(struct value)
bool bawn_fold_charge(struct script *s, size_t n);

bool bawn_fold_exhausted(const struct script *s);

/* Is that more than the bound?  Then something is cut. */
bool bawn_fold_over(const struct script *s, uint64_t n, uint64_t most);

/* New values.  The bytes of `t` stay where they are; a NULL .p gives NULL. */
struct value *bawn_fold_text(struct script *s, struct bawn_span t, uint64_t taint);
struct value *bawn_fold_number(struct script *s, int64_t n, uint64_t taint);
struct value *bawn_fold_bool(struct script *s, bool yes);
struct value *bawn_fold_list(struct script *s, uint32_t n, uint64_t taint);  /* n empty items */
struct value *bawn_fold_pair(struct script *s, struct value *a, struct value *b);
struct value *bawn_fold_choice(struct script *s, struct value *a, struct value *b);
/* The bytes of a finished buffer; bytes or text as `like` (may be NULL) is. */
struct value *bawn_fold_buf(struct script *s, struct bawn_buf *b, uint64_t taint, const struct value *like);

/* Asking values. */
enum truth bawn_fold_truth(const struct value *v);
bool bawn_fold_numeric(const struct script *s, const struct value *v, int64_t *out);   /* True is 1 */
const char *bawn_fold_key(struct script *s, const struct value *v);                    /* as a dict has it; NULL: unknown */
struct bawn_span bawn_fold_shown(struct script *s, const struct value *v, bool *gap);  /* inside a larger text */
struct value *bawn_fold_items(struct script *s, struct value *v);                      /* what a loop over it meets, or NULL */

/* Of a choice with only one item that says something, that one; else v itself. */
struct value *bawn_fold_sole(struct value *v);
/* Any of the items of a list or dictionary; NULL: there are too many, or not all are known. */
struct value *bawn_fold_any(struct script *s, const struct value *object);
/* One list after the other. */
struct value *bawn_fold_chain(struct script *s, const struct value *a, const struct value *b);

/* The characters of a text, or the bytes of bytes. */
struct letters { const uint32_t *c; size_t n; };
bool bawn_fold_letters(struct script *s, const struct value *v, struct letters *out);
void bawn_fold_put(struct bawn_buf *b, uint32_t c, bool bytes);
/* Characters from a list of code points, or bytes. */
struct value *bawn_fold_from_numbers(struct script *s, struct value *const *item, uint32_t n, bool bytes, uint64_t taint);
struct value *bawn_fold_decoded(struct script *s, const struct value *in, enum bawn_codec how);

/* fold_text.c, fold_list.c: `op` is what fold_call.c found for a method of `self`. */
struct value *bawn_fold_text_method(struct script *s, int op, struct value *self, const struct call *c);
struct value *bawn_fold_list_op(struct script *s, int op, struct value *self, const struct call *c);
struct value *bawn_fold_append(struct script *s, const struct value *list, struct value *v);
struct value *bawn_fold_dict(struct script *s, const struct value *keys, const struct value *items);
int bawn_fold_list_method(const char *name);
struct value *bawn_fold_re_sub(struct script *s, const struct call *c);
struct value *bawn_fold_join(struct script *s, const struct value *glue, struct value *list);

/* fold_format.c */
struct value *bawn_fold_percent(struct script *s, struct value *left, struct value *right);
struct value *bawn_fold_format(struct script *s, const struct value *left, const struct call *c);
struct value *bawn_fold_repr(struct script *s, const struct value *v);
struct value *bawn_fold_pack(struct script *s, const struct call *c);
struct value *bawn_fold_format_value(struct script *s, const struct value *v, const struct value *spec);
struct value *bawn_fold_radix(struct script *s, const struct value *v, int radix, const char *prefix);

struct value *bawn_fold_join_path(struct script *s, struct value *left, struct value *right);
struct value *bawn_fold_variable(struct script *s, struct bawn_span name);  /* $HOME and its like, or NULL */
bool bawn_fold_is_namespace(const char *name);

/* Calls a function that is a value, quietly if it is one of the program's. */
struct value *bawn_fold_apply(struct script *s, struct value *f, struct value **arg, uint32_t n, uint32_t node);

/* What fold_call.c knows of. */
enum fold_op {
	F_NONE,
	/* functions */
	F_ABS, F_ASCII, F_ATTRGETTER, F_BASE64_OF, F_BOOL, F_BUFFER, F_BYTES, F_CHARS, F_CHR, F_CODECS, F_CODECS_ENCODE, F_CYCLE, F_DECODE,
	F_DICT, F_ENUMERATE, F_EXPAND, F_FILTER, F_FORMAT_VALUE, F_FROM_BYTES, F_GETATTR, F_HEX_OF, F_HOME, F_IMPORT, F_INT, F_INT_TO_BYTES,
	F_ITEMGETTER, F_LEN, F_LIST, F_LOCATE, F_MAKETRANS, F_MAP, F_MAX, F_METHODCALLER, F_MIN, F_NEXT, F_OPERATOR, F_ORD, F_PACK,
	F_PARTIAL, F_PATH, F_PATH_JOIN, F_RADIX, F_RANGE, F_REDUCE, F_REPEAT, F_REPR, F_REVERSED, F_SAME_ARG, F_SET, F_SLICE_LIST,
	F_SORTED, F_STARMAP, F_STR, F_STREAM, F_SUM, F_FOUND, F_WORDS, F_TEMPDIR, F_TEMPFILE, F_TYPE, F_VARS, F_ZIP, F_CHAIN, F_CONCAT_LIST, F_KEYS, F_VALUES, F_ENTRIES,
	F_BYTEARRAY, F_CHAIN_ARGS, F_FLATTEN, F_LONG_TO_BYTES, F_SUB, F_GETTER_OF_CODEC, F_MAIL, F_MAIL_TEXT, F_SECOND, F_GET_FIELD, F_GETATTRS, F_ITER,
	/* methods */
	F_APPEND, F_AT, F_CAPITALIZE, F_CASEFOLD, F_CENTER, F_CHAR_AT, F_CHAR_CODE, F_CONCAT, F_CONTAINS, F_COUNT, F_DECODE_AS, F_ENCODE_AS,
	F_ENDS, F_EXTEND, F_FILL, F_FIND, F_FLAT, F_FORMAT, F_GET, F_HEX, F_INSERT, F_IS_ALPHA, F_IS_DIGIT, F_IS_SPACE, F_IS_UPPER, F_IS_LOWER,
	F_JOIN, F_LJUST, F_LOWER, F_LSTRIP, F_PARTITION, F_POP, F_PERCENT, F_FORMAT_AS, F_REVERSED_TEXT, F_PUT_PREFIX, F_REMOVE_PREFIX, F_REMOVE_SUFFIX, F_REPLACE, F_REPLACE_ONE,
	F_REVERSE, F_RJUST, F_RPARTITION, F_RSPLIT, F_RSTRIP, F_SAME, F_SHIFT, F_SLICE, F_SORT, F_SPLIT, F_SPLITLINES, F_STARTS, F_STRIP,
	F_SUBSTR, F_SUBSTRING, F_SWAPCASE, F_TITLE, F_TO_BYTES, F_TO_STRING, F_TRANSLATE, F_UPDATE, F_UPPER, F_ZFILL,
};
