/* names.c - a table is found by whole names, whatever bytes are asked for. */
#include "assess/names.h"
#include <stdio.h>
#include <string.h>
#include "base/cleanup.h"
#include "tap.h"

static const char roomy[64] = "read";  /* zeros behind it: a comparison that goes on would not notice */
static const struct { const char *name; int x; } row[] = { { roomy, 1 }, { "os.*", 2 }, { "*.close", 3 }, { "read", 4 } };
NAMES(names, row);

/* Enough of them to fall on every place of the index. */
static bool found_with_nul(void)
{
	for (unsigned i = 0; i < 100000; i++) {
		char name[32] = "read";
		int n = snprintf(name + 5, sizeof name - 5, "%u", i);
		if (bawn_names_find(&names, name, 5 + (size_t)n) != BAWN_LEN(row))
			return true;
	}
	return false;
}

int main(void)
{
	size_t first = bawn_names_find(&names, "read", 4);
	ok(first == 0 && bawn_names_next(&names, first) == 3 && bawn_names_next(&names, 3) == BAWN_LEN(row), "rows of one name follow each other");
	ok(bawn_names_find(&names, "rea", 3) == BAWN_LEN(row) && bawn_names_find(&names, "reads", 5) == BAWN_LEN(row) &&
	   bawn_names_find(&names, "", 0) == BAWN_LEN(row), "a part is not a name, nor is more");
	ok(!found_with_nul(), "a name that goes on behind a NUL byte is another name");
	ok(bawn_names_match(&names, "os.path.join") == 1 && bawn_names_match(&names, "f.close") == 2 &&
	   bawn_names_match(&names, "os.close") == 1 && bawn_names_match(&names, "osx") == BAWN_LEN(row), "patterns match by their beginning, then their end");
	return done_testing();
}
