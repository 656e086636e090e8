/* bar.h - a line on the terminal that says how far long work has come; nothing where nobody looks. */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "cli/cli.h"

struct bawn_cli_bar { bool on, drawn; uint64_t shown_us; const char *what; };

/* None with --quiet or without a terminal, and none for what is done at once.  `what` is counted: "entries". */
struct bawn_cli_bar bawn_cli_bar_begin(const struct bawn_cli *c, const char *what);
/* Draws it, not oftener than can be seen; `more` is said behind it, or NULL. */
void bawn_cli_bar_show(struct bawn_cli_bar *b, uint64_t done, uint64_t of, const char *more);
/* The line is empty again: before anything else is said, and at the end. */
void bawn_cli_bar_clear(struct bawn_cli_bar *b);
/* As an audit callback: ctx is the bar. */
void bawn_cli_bar_tick(void *ctx, uint64_t done, uint64_t of);
