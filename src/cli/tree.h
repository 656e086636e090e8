/* tree.h - the files below a directory that are code. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

struct bawn_cli_tree {
	bool   all;                          /* version control, packages and caches too */
	char **path; size_t n, cap;
	size_t skipped, left_out, failed;    /* files in no language; directories; what could not be read, and was told */
};
BAWN_MUST_CHECK int bawn_cli_tree_add(struct bawn_cli_tree *t, const char *path);
/* Adds what lies below, sorted; links are not followed.  Fails only for want of memory. */
BAWN_MUST_CHECK int bawn_cli_tree_walk(struct bawn_cli_tree *t, const char *dir);
void bawn_cli_tree_done(struct bawn_cli_tree *t);
