/* modules.h - a program in several files.  See modules.c. */
#pragma once
#include "assess/engine.h"

struct member { const char *name; struct value *value; };

struct module {
	const char    *name;      /* dotted, without ending */
	struct member *member; size_t n;
	uint64_t       tags;      /* seen in this file */
	struct place   tag_at[BAWN_TAG_COUNT];
	bool           used;      /* another file names it */
	const char    *base;      /* the last part of its path; NULL: the code itself, or native */
	struct bawn_span text;
	int            language;  /* by what it says itself; < 0: none, it is data as long as nobody runs it */
	const char    *copy[4]; unsigned n_copies;  /* and the names it was copied to */
	bool           opened;    /* another file reads it as data */
	unsigned       run, read; /* 1u << enum bawn_language: what it is run as, what it was read as */
};

/* `language`: of each file, as it says itself, or one of these. */
#define BAWN_MODULE_DATA   (-1)
#define BAWN_MODULE_NATIVE (-2)
BAWN_MUST_CHECK int bawn_modules_begin(struct engine *e, const struct bawn_assess_file *file, const int *language, size_t n, struct bawn_err *err);
/* In which order the files are read: those that others mention first, the code itself last. */
void bawn_modules_order(const struct engine *e, const struct bawn_assess_file *file, size_t n, uint32_t *order);
void bawn_modules_note(struct engine *e);              /* after each file */
void bawn_modules_combine(struct engine *e);           /* after all of them */
void bawn_modules_use(struct engine *e, const char *name);  /* a file is named by another */

/* Input files that the program runs, whatever their names say.  Of a path the last part counts; without one it may be any. */
bool bawn_modules_open(struct engine *e, struct bawn_span path);  /* it is read as data; false: no input of that name */
void bawn_modules_copy(struct engine *e, struct bawn_span from, struct bawn_span to, uint32_t node);
/* It is run as that language.  Negative: one that is not read here, or what it is itself, else a shell. */
#define BAWN_MODULE_ITSELF (-3)
void bawn_modules_run(struct engine *e, struct bawn_span path, int language, uint32_t node);
void bawn_modules_run_any(struct engine *e, uint32_t node);       /* some file is run, and nobody knows which */
void bawn_modules_feed(struct engine *e, int language, uint32_t node);  /* so is some text, and it may come from one that was read */
/* The next file that is still to be read in `language`, or 0. */
size_t bawn_modules_next(struct engine *e, int *language);
