/* serve.h - the helper's answers, once it has a database and has given up the rest.
 *
 * Each takes the database, closes it, and returns the status to exit with: what is said over the socket `fd` is in
 * audit/index_wire.h. */
#pragma once
#include <sqlite3.h>

int bawn_index_build(sqlite3 *db, int fd);
int bawn_index_find(sqlite3 *db, int fd);
