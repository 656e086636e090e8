/* shelltext.h - Bash that the grammar cannot read, written so that it can.
 *
 * tree-sitter-bash knows neither `<>` nor a here-string after a compound command, takes {a,b} at the
 * start of a command for a group, knows neither `coproc` nor offsets with variables (${x:$n}) nor what
 * goes on after `<<E ||`, and ends a word at an escaped newline; on some it loses the rest of the text.  The parser is given a copy of the same length in which these
 * places read like something it knows; the tree keeps the text as it was written, so that offsets and
 * the texts of nodes stay true.  Only bytes of such places change, and never so that code becomes
 * comment, string or here-document. */
#pragma once
#include <stdint.h>
#include "base/err.h"
#include "base/span.h"

/* *out: a copy to be freed, or NULL where the text can be parsed as it stands.  *out_work: how many bytes
 * had to be looked at, at most a few hundred for each of the text.  -ENOMEM: there is no memory. */
BAWN_MUST_CHECK int bawn_shelltext_plain(struct bawn_span text, char **out, uint64_t *out_work);
