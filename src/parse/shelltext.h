/* shelltext.h - Bash that the grammar cannot read, written so that it can.
 *
 * tree-sitter-bash knows neither `<>` nor a here-string after a compound command, takes {a,b} at the
 * start of a command for a group, knows neither `coproc` nor offsets with variables (${x:$n}) nor what
 * goes on after `<<E ||`, and ends a word at an escaped newline; on some it loses the rest of the text.  The parser is given a copy of the same length in which these
 * places read like something it knows; the tree keeps the text as it was written, so that offsets and
 * the texts of nodes stay true.  Only bytes of such places change, and never so that code becomes
 * comment, string or here-document. */
#pragma once
#include "base/span.h"

/* A copy to be freed, or NULL where the text can be parsed as it stands (or there is no memory). */
char *bawn_shelltext_plain(struct bawn_span text);
