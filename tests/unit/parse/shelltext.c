/* shelltext.c - what the grammar is given instead of what it cannot read. */
#include "parse/shelltext.h"
#include <stdlib.h>
#include "base/cleanup.h"
#include "tap.h"

/* `plain` NULL: the text stays as it is.  Lengths never change. */
static const struct { const char *name, *text, *plain; } row[] = {
	{ "a here-string after a loop",         "while read l; do :; done <<<x\n", "while read l; do :; done <  x\n" },
	{ "a here-string after blanks",         "done \t <<< x\n",                 "done \t <   x\n" },
	{ "a here-string after a condition",    "if read l; then :; fi <<<x\n",    "if read l; then :; fi <  x\n" },
	{ "a here-string after a choice",       "esac <<<x\n",                     "esac <  x\n" },
	{ "a here-string after a group",        "{ read l; } <<<x\n",              "{ read l; } <  x\n" },
	{ "a here-string after a subshell",     "(read l) <<<x\n",                 "(read l) <  x\n" },
	{ "a here-string after a command",      "cat <<<x\n",                      NULL },
	{ "a word that ends like a keyword",    "undone <<<x; wifi <<<x\n",        NULL },
	{ "a file opened for both",             "exec 3<>x\n",                     "exec 3< x\n" },
	{ "braces for a command",               "{ls,-l}\n",                       "_ls,-l_\n" },
	{ "a group",                            "{ ls; }\n",                       NULL },
	{ "an offset with a variable",          "echo ${x:$n}\n",                  "echo ${x:_n}\n" },
	{ "a default",                          "echo ${x:-$n}\n",                 NULL },
	{ "an operator before a here-document", "cat <<E ||\nx\nE\ntrue\n",        "cat <<E   \nx\nE\ntrue\n" },
	{ "a coprocess",                        "coproc N { ls; }\n",              "         { ls; }\n" },
	{ "a word over two lines",              "ec\\\nho\n",                      "ec__ho\n" },
};

int main(void)
{
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_free char *plain = bawn_shelltext_plain(bawn_span(row[i].text));
		bool same = plain != NULL && row[i].plain != NULL && memcmp(plain, row[i].plain, strlen(row[i].text)) == 0;
		ok(row[i].plain == NULL ? plain == NULL : same, "%s", row[i].name);
	}
	return done_testing();
}
