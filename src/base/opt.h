/* opt.h - command-line options from one table: parser, --help, man page and completion read it. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "base/err.h"

enum bawn_opt_kind {
	BAWN_OPT_FLAG,      /* bool */
	BAWN_OPT_TEXT,      /* const char *, pointing into argv */
	BAWN_OPT_LIST,      /* struct bawn_opt_list; may be given again and again */
	BAWN_OPT_SIZE,      /* uint64_t, bytes; this and the next two: never zero */
	BAWN_OPT_DURATION,  /* uint64_t, milliseconds */
	BAWN_OPT_MILLI,     /* uint64_t, thousandths */
	BAWN_OPT_NUMBER,    /* uint64_t, at least 1 */
	BAWN_OPT_WHEN,      /* uint64_t, microseconds since 1970 */
	BAWN_OPT_REST,      /* const char *; ends the options: what follows belongs to the program */
};

#define BAWN_OPT_LIST_MAX 256
struct bawn_opt_list { const char *item[BAWN_OPT_LIST_MAX]; size_t n; };

struct bawn_opt {
	char               letter;   /* 0 where there is only the long name */
	const char        *name;     /* without the dashes; NULL where there is only the letter */
	enum bawn_opt_kind kind;
	size_t             offset;   /* of the field in the target struct */
	const char        *arg;      /* "SIZE", "FILE"; NULL for flags */
	const char        *choices;  /* "a|b|c", or NULL */
	const char        *help;
};

struct bawn_opts { const struct bawn_opt *row; size_t n; };

/* Fills `target` from argv[1..].  Several tables may be given (common options, the command's own).
 * With `stop_early` options end at the first word that is none; otherwise words are gathered into
 * `words` wherever they stand.  "--" ends options.  *out_rest is the index of the first argument
 * not consumed.  Errors name the option and, where one is near, the option that was meant. */
BAWN_MUST_CHECK int bawn_opt_parse(const struct bawn_opts *tables, size_t n_tables, int argc, char **argv,
                                   void *const *targets, bool stop_early, struct bawn_opt_list *words,
                                   int *out_rest, struct bawn_err *err);

void bawn_opt_help(struct bawn_buf *out, const struct bawn_opts *table);

/* The candidate nearest to `word` (edit distance at most 2 and at most half the word), or NULL. */
const char *bawn_nearest(struct bawn_span word, const char *(*candidate)(size_t i, const void *ctx), const void *ctx);
