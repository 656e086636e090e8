/* import.h - imports: see import.c. */
#pragma once
#include "assess/script.h"

/* The program uses the module `name`. */
/* What the module has may be meant by names that are bound nowhere: from x import *, with (x) {...}. */
void bawn_import_star(struct script *s, const char *from, uint32_t i);
void bawn_script_import(struct script *s, const char *name, uint32_t i);
void bawn_read_import(struct script *s, uint32_t i);
/* import x, {a as b}, * as y from 'm' */
void bawn_read_js_import(struct script *s, uint32_t i);
