/* mux.h - an engine's framing of an attached container's two output streams. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "base/err.h"
#include "base/span.h"

/* What comes from an attached container: "\1\0\0\0" and a length in network order before each piece, 2 for stderr. */
struct bawn_mux { char head[8]; size_t have; uint32_t left; int stream; };
/* Takes the next piece from the front of *bytes: its stream, 0 where there is none, negative where it is garbage. */
BAWN_MUST_CHECK int bawn_mux_next(struct bawn_mux *m, struct bawn_span *bytes, struct bawn_span *out);
