/* place.h - a directory of the server's own, below that for temporary files: what runs leave is copied there.
 *
 * It is locked for as long as its server lives.  One that nobody has locked belonged to a server that was killed: the
 * next one removes it, where it is the same user's and no link. */
#pragma once
#include "base/err.h"

#define BAWN_MCP_TEMPORARY_MAX 3000  /* a longer TMPDIR is not used */

struct bawn_mcp_place { char dir[BAWN_MCP_TEMPORARY_MAX + 32]; int lock; };  /* dir "": there is none yet */
#define BAWN_MCP_PLACE ((struct bawn_mcp_place){ .lock = -1 })

BAWN_MUST_CHECK int bawn_mcp_place_make(struct bawn_mcp_place *p, struct bawn_err *err);  /* unless there is one */
void bawn_mcp_place_done(struct bawn_mcp_place *p);   /* with all that is in it */
void bawn_mcp_place_sweep(void);                      /* what dead servers left; what cannot go stays */
void bawn_mcp_remove_tree(const char *path);          /* likewise; follows no link */
