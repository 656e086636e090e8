/* sql.h - files and commands that a statement for a database names: see sql.c. */
#pragma once
#include "assess/rule.h"
#include "base/span.h"

/* What a statement does with a text: enum bawn_access, or it is a command line. */
#define BAWN_SQL_RUN BAWN_ACCESS_COUNT
struct bawn_sql_use { struct bawn_span text; uint8_t what; };

/* The next use at or after *at, which is moved on; false: there is none.  A text that is not there
 * (ATTACH ?) has a NULL .p: it comes with the statement. */
bool bawn_sql_next(struct bawn_span statement, size_t *at, struct bawn_sql_use *ret);
