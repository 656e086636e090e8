/* manifest.h - package.json as an input or as the code itself. */
#pragma once
#include "assess/engine.h"

/* Is the text being read a JSON object?  If so it has been read: JSON is no JavaScript program. */
bool bawn_read_manifest(struct engine *e);
