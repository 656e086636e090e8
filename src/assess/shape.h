/* shape.h - what the look of a text says about it, whatever it does: code out of sight, names nobody
 * can read, packed texts, and what linters know by form alone.  Raises events; see rules/any. */
#pragma once
#include "assess/engine.h"

void bawn_shape(struct engine *e, struct bawn_span text);
