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
};

BAWN_MUST_CHECK int bawn_modules_begin(struct engine *e, const struct bawn_assess_file *file, size_t n, struct bawn_err *err);
/* In which order the files are read: those that others mention first, the code itself last. */
void bawn_modules_order(const struct engine *e, const struct bawn_assess_file *file, size_t n, uint32_t *order);
void bawn_modules_note(struct engine *e);              /* after each file */
void bawn_modules_combine(struct engine *e);           /* after all of them */
void bawn_modules_use(struct engine *e, const char *name);  /* a file is named by another */
