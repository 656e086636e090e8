/* outdir.h - the files that the code left, copied into the caller's directory.
 *
 * Invariants: (1) nothing is written through a link; (2) what programs look for by themselves is not the code's to change:
 * no hidden file that is there is replaced, and nothing is added below a hidden directory that this run did not make;
 * (3) bawn's own directories, whatever their names and whether or not they exist yet, and the file that the caller wants
 * the result in are never written to; (4) a file is there whole or not at all, and until it is, what had its name stays;
 * (5) whether there is a directory to write to is known before anything runs. */
#pragma once
#include "core/api.h"
#include "sandbox/sandbox.h"

struct bawn_outdir;

/* Makes the directory where it is absent.  INVALID_REQUEST, field out_dir: it is none, cannot be written to, or lies in
 * one of bawn's own.  Borrowed until free: `own`, `witness` (policy's, or NULL), `result` (a path, or NULL). */
BAWN_MUST_CHECK int bawn_outdir_open(const char *path, const struct bawn_dirs *own, const char *witness, const char *result,
                                     struct bawn_outdir **out, struct bawn_err *err);
/* err->msg says why a file was left out. */
BAWN_MUST_CHECK int bawn_outdir_put(struct bawn_outdir *d, const struct bawn_collected *f, struct bawn_err *err);
void bawn_outdir_free(struct bawn_outdir *d);
