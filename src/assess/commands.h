/* commands.h - what commands do with their words.
 *
 *	command_table.c  what kind of program each is, and which of its options are files or command lines
 *	commands.c       one command line: its name, what it wraps, its files, its facts for the rules
 *	programs.c       what is run: texts, files and standard input that are programs
 *
 * Text that is a program goes back through the engine, which bounds the nesting.  Words may come from any
 * language (bawn_shell_command): then there is no shell, and what needs one is not known. */
#pragma once
#include "assess/shell.h"

enum {
	WRAPS   = 1,    /* runs the command that its words are; `skip` operands stand before it */
	SHELL   = 2,    /* reads shell: -c, a file, or standard input */
	SCRIPT  = 4,    /* the same for a language with a grammar: `language` */
	FOREIGN = 8,    /* its words, files and input are programs in a language without one */
	EDITS   = 16,   /* takes commands that can start programs: editors, pagers, clients */
	DATA    = 32,   /* its operands are texts or files, whatever they look like */
	LAST    = 64,   /* the last operand is written, the others are `access` */
	FIRST   = 128,  /* the first operand is a pattern, a mode, an owner */
	JOINED  = 256,  /* its operands, put together, are a command line */
	NET     = 512,  /* its words name hosts and addresses */
};

/* `valued`: short options that take a word, so that the word is not mistaken for an operand.
 * access BAWN_ACCESS_COUNT: operands are not files, or nothing happens to them. */
struct command { const char *name; unsigned kind; uint8_t access, skip; const char *valued; int8_t language; };

/* Options whose value is a file (enum bawn_access), a command line (RUN), a program in another language
 * (CODE), words that Bash expands (EXPANDED), a key with its command (KEY), or nothing to us although it
 * looks like a path (SKIP). */
enum { RUN = BAWN_ACCESS_COUNT, CODE, SKIP, EXPANDED, KEY };
struct option { const char *command, *name; uint8_t what; };

/* command_table.c; NULL: not known, or no more */
const struct command *bawn_command_find(const char *name);
const struct option  *bawn_command_option(const char *name, const struct option *before);

/* commands.c */
bool     bawn_sh_takes_value(const struct command *c, struct bawn_span option);
bool     bawn_sh_any(struct value *const *word, uint32_t n, const char *text);  /* is one of the words `text`? */
uint32_t bawn_sh_inner(const char *name, struct value *const *word, uint32_t n);  /* where the wrapped command starts, or 0 */
uint64_t bawn_sh_file(const struct shell *s, struct engine *e, struct bawn_span t, enum bawn_access access, uint32_t node);

struct value *bawn_sh_marked(struct engine *e, struct value *word, const char *mark, const struct value *with);  /* with `mark` replaced */

/* programs.c */
void bawn_sh_run(struct engine *e, struct bawn_span text, uint32_t node);
void bawn_sh_programs(struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, uint32_t node);
void bawn_sh_keep_files(struct shell *s, struct engine *e, const char *name, struct value *const *word, uint32_t n, uint64_t tags, uint32_t node);
