/* reader.c - names of a program as they are compared. */
#include "assess/reader.h"
#include "assess/index.h"
#include "assess/text.h"

struct bawn_span bawn_script_short_name(struct script *s, struct bawn_span t)
{
	if (t.n <= NAME_MAX_BYTES)
		return t;
	char *p = bawn_arena_fmt(scratch(s), "%.*s_%08x", (int)NAME_MAX_BYTES / 4, t.p, (unsigned)bawn_hash_add(BAWN_HASH_START, t.p, t.n));
	return p != NULL ? bawn_span(p) : t;
}

const char *bawn_script_dotted(struct script *s, uint32_t i)
{
	struct bawn_span t = node(s, i)->kind == BAWN_K_NAME ? bawn_script_short_name(s, text_of(s, i)) : text_of(s, i);
	return t.n <= NAME_MAX_BYTES ? bawn_fold_name(scratch(s), t) : NULL;
}
