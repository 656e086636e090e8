/* quote.c - words that somebody will paste into a shell: whatever is in them, they come out as the same word. */
#include "cli/cli.h"
#include <string.h>
#include "base/cleanup.h"

/* Whether a word of ours comes out as it is where all that is shown is escaped. */
static bool shows(const char *word)
{
	size_t n = strlen(word);
	bawn_auto_buf shown = BAWN_BUF(8 * n + 1);
	bawn_buf_escaped(&shown, bawn_span(word));
	return n == 0 || (bawn_buf_error(&shown) == 0 && strcmp(shown.p, word) == 0);
}

/* $'...', for words a line cannot hold as they are. */
static void put_dollar_quoted(struct bawn_buf *out, const char *word)
{
	bawn_buf_str(out, "$'");
	for (const char *p = word; *p != '\0'; p++)
		if (*p == '\n')
			bawn_buf_str(out, "\\n");
		else if (*p == '\'' || *p == '\\')
			bawn_buf_fmt(out, "\\%c", *p);
		else if ((unsigned char)*p < 0x20 || (unsigned char)*p > 0x7e)
			bawn_buf_fmt(out, "\\x%02x", (unsigned)(unsigned char)*p);
		else
			bawn_buf_char(out, *p);
	bawn_buf_char(out, '\'');
}

void bawn_cli_put_quoted(struct bawn_buf *out, const char *word)
{
	bool plain = *word != '\0';
	for (const char *p = word; *p != '\0'; p++)
		plain &= (*p >= '0' && *p <= '9') || ((*p | 32) >= 'a' && (*p | 32) <= 'z') || strchr("._-+,@%=/:", *p) != NULL;
	if (!shows(word)) {
		put_dollar_quoted(out, word);
		return;
	}
	bawn_buf_str(out, plain ? "" : "'");
	for (const char *p = word; *p != '\0'; p++)
		if (*p == '\'')
			bawn_buf_str(out, "'\\''");
		else
			bawn_buf_char(out, *p);
	bawn_buf_str(out, plain ? "" : "'");
}
