/* shelltext.c - what the grammar is given instead of what it cannot read. */
#include "fault.h"
#include "parse/shelltext.h"
#include <stdlib.h>
#include "base/buf.h"
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
	{ "braces after a keyword",             "do {ls,-l}\n",                    "do _ls,-l_\n" },
	{ "a word that holds braces",           "do{ls,-l}; x{a,b}\n",             NULL },
	{ "a group",                            "{ ls; }\n",                       NULL },
	{ "an offset with a variable",          "echo ${x:$n}\n",                  "echo ${x:_n}\n" },
	{ "a default",                          "echo ${x:-$n}\n",                 NULL },
	{ "an operator before a here-document", "cat <<E ||\nx\nE\ntrue\n",        "cat <<E   \nx\nE\ntrue\n" },
	{ "a coprocess",                        "coproc N { ls; }\n",              "         { ls; }\n" },
	{ "a word over two lines",              "ec\\\nho\n",                      "ec__ho\n" },
};

/* `again`, and then `close`, as often as fits. */
static uint64_t work_for(const char *again, const char *close, size_t bytes)
{
	bawn_auto_buf b = BAWN_BUF(1u << 20);
	bawn_auto_free char *plain = NULL;
	uint64_t work = 0;
	while (b.n < bytes / 2)
		bawn_buf_str(&b, again);
	while (b.n < bytes)
		bawn_buf_str(&b, close);
	return bawn_shelltext_plain(bawn_buf_span(&b), &plain, &work) == 0 ? work : 0;
}

/* Texts that are looked ahead in, or back, from many places. */
static const struct { const char *name, *again, *close; } hostile[] = {
	{ "here-documents on one line",                 "<<a ",   "<<a " },
	{ "here-documents before a long blank",         "<<a ",   " " },
	{ "expansions that are not closed",             "${",     "${" },
	{ "defaults in each other",                     "${a:-",  "}" },
	{ "offsets in each other",                      "${a:$b", "}" },
	{ "braces that are not closed",                 "{a,",    "{a," },
	{ "braces in each other",                       "{a,",    "}" },
	{ "braces after a keyword",                     "do{",    "," },
	{ "braces in each other after a keyword",       "do{a,",  "}" },
	{ "groups",                                     "{ a ",   "}" },
	{ "coprocesses",                                "coproc ", "a" },
	{ "lines that go on",                           "a\\\n",  "a" },
	{ "here-strings",                               "} <<<",  " " },
};

static void check_work(size_t i)
{
	uint64_t once = work_for(hostile[i].again, hostile[i].close, 200000), twice = work_for(hostile[i].again, hostile[i].close, 400000);
	ok(once >= 200000 && once <= 200000 * 400 && twice < once * 5 / 2, "%s: %lu looks at 200 kB, %lu at twice that", hostile[i].name, (unsigned long)once, (unsigned long)twice);
}

static void check_memory(void)
{
	unsigned refused = 0, made = 0;
	for (fault_arm(1); fault_more();) {
		bawn_auto_free char *plain = NULL;
		uint64_t work = 0;
		int r = bawn_shelltext_plain(bawn_span("{ls,-l}\n"), &plain, &work);
		refused += r == -ENOMEM && plain == NULL;
		made += r == 0 && plain != NULL;
	}
	ok(made == 1 && refused == FAULT_WORKS, "no memory for the copy is told");
}

int main(void)
{
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_free char *plain = NULL;
		uint64_t work = 0;
		int r = bawn_shelltext_plain(bawn_span(row[i].text), &plain, &work);
		bool same = r == 0 && plain != NULL && row[i].plain != NULL && memcmp(plain, row[i].plain, strlen(row[i].text)) == 0;
		ok(row[i].plain == NULL ? r == 0 && plain == NULL : same, "%s", row[i].name);
	}
	for (size_t i = 0; i < BAWN_LEN(hostile); i++)
		check_work(i);
	check_memory();
	return done_testing();
}
