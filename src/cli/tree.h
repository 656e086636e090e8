/* tree.h - the files below a directory that are code. */
#pragma once
#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

/* `why`: borrowed; not NULL: it could not be looked at, for that reason. */
struct bawn_cli_tree_file { char *path; const char *why; };

struct bawn_cli_tree {
	bool   all;                          /* version control, packages and caches too */
	struct bawn_cli_tree_file *file; size_t n, cap;
	size_t skipped, left_out;            /* files in no language; directories */
};
BAWN_MUST_CHECK int bawn_cli_tree_add(struct bawn_cli_tree *t, const char *path, const char *why);
/* Adds what lies below, sorted; links are not followed.  Fails only for want of memory. */
BAWN_MUST_CHECK int bawn_cli_tree_walk(struct bawn_cli_tree *t, const char *dir);
/* The entries of a directory, sorted by name: how many, each to be freed, and the list. */
BAWN_MUST_CHECK int bawn_cli_tree_list(int dir, struct dirent ***out);
void bawn_cli_tree_done(struct bawn_cli_tree *t);
