/* files.h - the `files` of a call become inputs: text as it is, {"base64": ...} decoded.  Pure; names and bytes are the
 * client's. */
#pragma once
#include <bawn/bawn.h>
#include "base/json.h"

struct bawn_mcp_files { struct bawn_input *input; void **decoded; size_t n; };

/* `args` conforms to the tool's schema, and is borrowed until bawn_mcp_files_done, which also follows a failure. */
BAWN_MUST_CHECK int bawn_mcp_files_take(const json_t *args, struct bawn_mcp_files *out, struct bawn_err *err);
void bawn_mcp_files_done(struct bawn_mcp_files *f);
