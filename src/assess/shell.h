/* shell.h - the parts of the Bash reader.
 *
 *	shell.c        the walk: words, commands, functions and loops
 *	shell_input.c  pipelines, redirections, here-documents
 *	shell_set.c    builtins and assignments
 *	words.c        words as the shell makes them: variables, ${...}, braces, splitting
 *	filters.c      what a command prints when it is given constants
 *	commands.h     what a command does with its words: wrappers, interpreters, files, options
 *	foreign.c      programs in languages that have no grammar here
 *
 * Values are those of engine.h: a text that is not known is a value without text; `partial` says that
 * "{}" stands where something is missing.  Everything lives in the engine's scratch arena. */
#pragma once
#include "assess/engine.h"

#define SHELL_WORDS_MAX  1024u
#define SHELL_TEXT_MAX   (256u << 10)
#define SHELL_VARS_SLOTS 2048u
#define SHELL_LOOP_WORDS 64u

#define OLDER_MAX 16u

/* older: what it may still be, where what was set last was set in a branch, a subshell or a function. */
struct variable {
	const char   *name;
	struct value *value;
	struct value *older[OLDER_MAX]; uint32_t n_older;
	bool          certain, was_certain[OLDER_MAX];  /* set whatever happened; of each older value */
	bool          more;  /* it may be still more than that */
	uint32_t      next;
};

/* What is known while one text is read.  Variables, aliases ("alias x"), functions ("function f") and
 * files that the program itself writes ("file /tmp/x") share one table. */
struct shell {
	struct engine          *e;
	const struct bawn_tree *t;
	struct shell           *outer;  /* the text this one stands in, NULL: none */
	uint32_t                at;     /* the node being read */
	struct value          **val;    /* of a word: the word; of a command: what it prints */
	struct value          **argv;   /* of a command: its words as a list */
	struct variable        *var; uint32_t n_vars, cap_vars;
	uint32_t                slot[SHELL_VARS_SLOTS];  /* 1 + the newest variable of that hash */
	struct value           *last;   /* the last word of the command before, $_ */
	struct value           *args;   /* positional parameters, a list; NULL: not known */
	const char             *cwd;    /* where `cd` went; NULL: where the program was started, or not known */
	bool                    renames;  /* some variable is another name for one */
	bool                    verified;  /* something was compared with a checksum or a signature */
	bool                    fed;    /* the command being read has a standard input of its own */
	bool                    plumbed;  /* descriptors lead elsewhere: exec 3>x */
	bool                    wired;    /* one leads to another machine: exec 3<>/dev/tcp/... */
	bool                    hungry;   /* a shell reads what is not known, or runs what was written */
	uint32_t                self_starts;
	uint32_t                replayed, depth;  /* nodes of bodies read again, how deep we are in them */
	uint32_t                within[16];  /* the bodies being read again, one inside the other */
	struct { uint32_t node, end; } subtree[16];  /* where some nodes' subtrees end; 0: not known */
	bool                    cut_short;  /* something was not read again: there was too much of it */
	bool                    range_cut;  /* a range in braces was longer than is gone through */
	bool                    unsets;     /* the word stands somewhere in the text */
	bool                    undefines;  /* a command may have taken functions back */
	bool                    perhaps;    /* some variable may also be what it was before */
	bool                    trying;     /* a command is read again with what a variable may also be */
};

/* shell.c: reads a body again with other arguments; NULL past the bounds */
struct value *bawn_sh_replay(struct shell *s, uint32_t root, struct value *args);
bool bawn_sh_has_input(const struct shell *s, uint32_t command);

/* shell_input.c */
struct value *bawn_sh_give(struct shell *s, uint32_t at, struct value *in);  /* what it prints then, NULL: not known */
struct value *bawn_sh_input_of(struct shell *s, uint32_t redirect);
struct value *bawn_sh_contents(struct shell *s, const struct value *file);  /* what the program wrote to it, or the program itself; NULL: not known */
void bawn_sh_read_plumbed(struct shell *s);  /* at the end: texts that descriptors may have led to a shell */
struct value *bawn_sh_read_pipeline(struct shell *s, uint32_t i);
struct value *bawn_sh_read_redirect(struct shell *s, uint32_t i);
struct value *bawn_sh_read_redirected(struct shell *s, uint32_t i);
struct bawn_span bawn_sh_operator(const struct shell *s, uint32_t i);  /* of a redirection or an assignment */

/* shell_set.c */
void bawn_sh_assign(struct shell *s, struct value *const *word, uint32_t n, uint32_t from, const struct value *in);
void bawn_sh_assign_lines(struct shell *s, struct value *const *word, uint32_t n, const struct value *in);
void bawn_sh_builtin(struct shell *s, struct value *const *word, uint32_t n, uint32_t node);
void bawn_sh_expand_alias(struct shell *s, struct value **word, uint32_t *n);
void bawn_sh_read_assign(struct shell *s, uint32_t i);
void bawn_sh_read_declaration(struct shell *s, uint32_t i);
/* A variable, or the element x[k]; `name` as a builtin is given it. */
void bawn_sh_set_named(struct shell *s, struct bawn_span name, struct value *v);
/* x=v, wherever it is written: some variables are programs, or are expanded when they are used. */
void bawn_sh_setting(struct shell *s, struct bawn_span name, struct value *v, bool handed, uint32_t node);
void bawn_sh_expands(struct shell *s, struct bawn_span text, uint32_t node);  /* the shell makes its $(...) later */
void bawn_sh_backticks(struct shell *s, struct bawn_span text, uint32_t node);
void bawn_sh_subscript(struct shell *s, const struct value *v, uint32_t node);  /* 'a[$(x)]': x runs where it is counted with */
uint32_t bawn_sh_builtin_at(struct value *const *word, uint32_t n);  /* after `builtin` and `command` */
void bawn_sh_hand_back(struct shell *s);  /* to the text around: what this one set */

/* words.c */
static inline struct arena *bawn_sh_arena(struct engine *e) { return &e->scratch; }
struct value *bawn_sh_text(struct engine *e, struct bawn_span t, uint64_t taint);
struct value *bawn_sh_list(struct engine *e, struct value **item, uint32_t n);
struct value *bawn_sh_concat(struct engine *e, const struct value *a, const struct value *b, const char *between);
struct value *bawn_sh_join(struct engine *e, struct value *const *word, uint32_t n);
bool bawn_sh_is(const struct value *v, const char *text);
bool bawn_sh_in(const struct value *v, const char *list);  /* one of the words of `list`, which blanks part */
bool bawn_sh_option(const struct value *v);

struct value *bawn_sh_get(const struct shell *s, const char *kind, struct bawn_span name);  /* NULL: never set */
void bawn_sh_set(struct shell *s, const char *kind, struct bawn_span name, struct value *v);
void bawn_sh_perhaps(struct shell *s, struct bawn_span name, struct value *v);  /* a variable: set, or not */
void bawn_sh_also(struct shell *s, struct bawn_span name, struct value *v);     /* it may be that as well */
struct variable *bawn_sh_variable(const struct shell *s, struct bawn_span expansion);  /* that $x or ${x...} names, or NULL */
struct value *bawn_sh_expand(struct shell *s, struct bawn_span text);     /* $x, ${...}, $((...)) */
bool bawn_sh_number(struct shell *s, struct bawn_span sum, int64_t *ret);  /* arithmetic; ++, = and += set variables */
void bawn_sh_push(struct shell *s, struct value *v, bool split, bool braces, struct value **word, uint32_t *n);

/* filters.c: what the command prints, given `in` (NULL: nothing known comes in); NULL: not known */
struct value *bawn_sh_printed(struct shell *s, struct value *const *word, uint32_t n, const struct value *in);
struct bawn_span bawn_sh_unescape(struct engine *e, struct bawn_span t, bool echo);

/* commands.c */
const char *bawn_sh_name(struct engine *e, const struct value *v);
struct bawn_span bawn_sh_path(const struct shell *s, struct bawn_span t);  /* seen from where `cd` went */
uint32_t bawn_sh_unwrap(struct engine *e, struct value *const *word, uint32_t n);  /* how many words stand before the command itself */
uint64_t bawn_sh_command(struct shell *s, struct engine *e, struct value **word, uint32_t n, uint32_t node);
bool bawn_sh_feed(struct shell *s, struct value *const *word, uint32_t n, struct value *in, uint32_t node);  /* standard input is a program */
void bawn_sh_wrote(struct shell *s, struct bawn_span path, const struct value *v, bool append, uint64_t tags, uint32_t node);
bool bawn_sh_is_shell(const char *name);

/* foreign.c; `commands`: an editor's or a client's, where !x runs x */
bool bawn_foreign_looks(struct bawn_span text);  /* some line starts like a program and unlike a command */
void bawn_foreign_program(struct engine *e, struct bawn_span text, bool commands, uint32_t node);
