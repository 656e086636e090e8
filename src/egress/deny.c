#include "egress/deny.h"
#include <string.h>

const struct bawn_deny_row bawn_deny[BAWN_DENY_COUNT] = {
#define BAWN_X_DENY(name, rule, status, hint) [BAWN_DENY_##name] = { rule, status, hint },
	BAWN_DENIES(BAWN_X_DENY)
#undef BAWN_X_DENY
};

void bawn_deny_hint(struct bawn_buf *out, enum bawn_deny why, const char *what)
{
	const char *hint = bawn_deny[why].hint, *place = strstr(hint, "%s");
	if (place == NULL) {
		bawn_buf_str(out, hint);
		return;
	}
	bawn_buf_add(out, hint, (size_t)(place - hint));
	if (strcmp(what, BAWN_DENY_OTHERS) == 0)
		what = "HOST";
	size_t n = strlen(what);  /* as a row would have it: 443 goes without saying */
	if (n > 4 && strcmp(what + n - 4, ":443") == 0 && strncmp(what, "http:", 5) != 0)
		n -= 4;
	for (const char *end = what + n; what < end; what++)
		if (*what > ' ' && *what < 0x7f && *what != '"')
			bawn_buf_char(out, *what);
	bawn_buf_str(out, place + 2);
}
