/* cost.c - the work that is counted grows with the text and not with its square: twice the text takes
 * about twice the work.  Time is not looked at; bounds.c sees to work that nobody counts. */
#include <stdio.h>
#include "assess/assess.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "tap.h"

enum { PY = BAWN_LANG_PYTHON, SH = BAWN_LANG_BASH };

/* `open` once, then `again` `times` times, with @ the number of the round and # the next one. */
static const struct { const char *name; int language; const char *open, *again; unsigned times; } row[] = {
	{ "backslashes in the name of a command", SH, "", "\\", 20000 },
	{ "quotes between the letters of a command", SH, "a", "''b", 5000 },
	{ "calls of one function", SH, "f() { :; }\n", "f\n", 1000 },
	{ "links to one file", SH, "", "ln -s /etc/passwd a\n", 500 },
	{ "classes of which each inherits from the one before", PY, "class C0: pass\n", "class C#(C@):\n  def m(self):\n    self.x=self.y\n", 500 },
	{ "classes that inherit from one", PY, "class C0:\n  def m(self): pass\n", "class C#(C0):\n  def n(self): pass\n", 500 },
};

static void build(size_t i, unsigned times, struct bawn_buf *b)
{
	bawn_buf_str(b, row[i].open);
	for (unsigned k = 0; k < times; k++)
		for (const char *at = row[i].again; *at != '\0'; at++) {
			if (*at == '@' || *at == '#')
				bawn_buf_fmt(b, "%u", k + (*at == '#'));
			else
				bawn_buf_char(b, *at);
		}
}

/* 0: not read to its end. */
static uint64_t work_of(size_t i, unsigned times)
{
	bawn_auto_buf b = BAWN_BUF(1u << 20);
	struct bawn_assessment *a = NULL;
	struct bawn_err err = { 0 };
	build(i, times, &b);
	struct bawn_assess_file f = { .language = row[i].language, .bytes = bawn_buf_span(&b) };
	uint64_t work = bawn_assess(&f, 1, NULL, &a, &err) == 0 && a->unfinished == NULL ? a->work : 0;
	bawn_assessment_free(a);
	return work;
}

int main(void)
{
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		uint64_t once = work_of(i, row[i].times), twice = work_of(i, 2 * row[i].times);
		ok(once > 0 && twice > once && twice < once * 5 / 2, "%s: %lu, twice as many %lu", row[i].name, (unsigned long)once, (unsigned long)twice);
	}
	return done_testing();
}
