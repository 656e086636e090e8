/* bounds.c - the worst megabytes we know: each is read to its end or given up, and none needs
 * 64 MB.  Each runs in a process of its own, whose peak the kernel tells; one that computes for many times
 * what the budget of work comes to is ended by the kernel, too: something in it is not counted. */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "assess/assess.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "sanitized.h"
#include "tap.h"

#define TEXT_BYTES (1u << 20)
#define PEAK_KB    (64 << 10)

#if SANITIZED
#define PEAK_COUNTS 0  /* the sanitizer's own memory is not ours */
#define PART        8  /* and it is slow: an eighth of each text shows what it looks for */
#define CPU_SECONDS 60
#else
#define PEAK_COUNTS 1
#define PART        1
#define CPU_SECONDS 30
#endif

enum { PY = BAWN_LANG_PYTHON, SH = BAWN_LANG_BASH, JS = BAWN_LANG_JAVASCRIPT };

/* `open` once, `again` until `bytes` are full (0: a megabyte), `close` once.  MIXED: pieces of `again`,
 * divided by spaces, in an order that looks like chance and never changes.  NESTED: `again` as often as
 * fits, `open` in the middle, `close` as often. */
enum { REPEAT, MIXED, NESTED };
static const struct { const char *name; int language, how; const char *open, *again, *close; size_t bytes; } row[] = {
	{ "short statements", PY, REPEAT, "", "a=b;", "", 0 },
	{ "short statements, as many as pass", PY, REPEAT, "", "a=b;", "", 200000 },
	{ "calls", PY, REPEAT, "", "f(x)\n", "", 0 },
	{ "a list of numbers", PY, REPEAT, "x=[", "1,", "]", 0 },
	{ "a list of texts", PY, REPEAT, "x=[", "'a',", "]", 200000 },
	{ "open brackets", PY, REPEAT, "", "[", "", 0 },
	{ "nested parentheses", PY, REPEAT, "", "(", "1", 60000 },
	{ "sums of texts", PY, REPEAT, "x=", "'a'+", "'b'", 190000 },
	{ "texts beside each other", PY, REPEAT, "x=(", "'a' ", ")", 190000 },
	{ "a text added to", PY, REPEAT, "s=''\n", "s+='abcd'\n", "", 190000 },
	{ "a text turned round", PY, REPEAT, "x='abababababababababababababababab'*9\n", "x=(x+x)[::-1]\n", "", 190000 },
	{ "a text replaced in", PY, REPEAT, "x='ab'*2000\n", "y=x.replace('a','bbbbbbbbbbbbbbbbbbbb')\n", "", 190000 },
	{ "lists added up", PY, REPEAT, "a=[1,2,3,4,5,6,7,8]\n", "a=a+a\n", "", 190000 },
	{ "comprehensions in comprehensions", PY, REPEAT, "", "[[z for z in 'abcdefgh'*100] for y in 'abcdefgh'*100]\n", "", 190000 },
	{ "functions", PY, REPEAT, "", "def f(x):\n return g(x)\n", "", 0 },
	{ "evaluated texts", PY, REPEAT, "", "eval('x+1')\n", "", 0 },
	{ "shell lines", PY, REPEAT, "import os\n", "os.system('cat /etc/hosts | sh; ls -la')\n", "", 0 },
	{ "programs started in one endless loop", PY, REPEAT, "import os\nwhile True:\n", "    os.fork()\n", "", 0 },
	{ "programs started in one function", PY, REPEAT, "import os\ndef f():\n", "    os.fork()\n", "", 0 },
	{ "texts in three quotes that do not fit", PY, REPEAT, "", "x='''a\n'''+", "", 0 },
	{ "lines that go on", PY, REPEAT, "", "\\\n", "", 0 },
	{ "dots", PY, REPEAT, "", ".", "", 0 },
	{ "old statements", PY, REPEAT, "", "exec ", "", 0 },
	{ "decorators", PY, REPEAT, "", "@a\n", "", 0 },
	{ "Python in pieces", PY, MIXED, "", "def if ( ) [ ] x 1 : = , lambda \" for in print return \n \t ' # {", "", 0 },
	{ "empty lines", PY, REPEAT, "", "\n", "", 0 },
	{ "one text", PY, REPEAT, "x='", "A", "'", 0 },
	{ "commands", SH, REPEAT, "", "ls -la\n", "", 0 },
	{ "words", SH, REPEAT, "echo ", "a ", "", 0 },
	{ "a long pipeline", SH, REPEAT, "ls", "|cat", "", 0 },
	{ "variables", SH, REPEAT, "", "a=b\necho $a\n", "", 0 },
	{ "a variable added to", SH, REPEAT, "s=\n", "s=\"$s\"abcdefgh\n", "", 190000 },
	{ "redirections", SH, REPEAT, "ls ", ">a ", "", 0 },
	{ "nested substitutions", SH, REPEAT, "", "$(", "ls", 60000 },
	{ "here-documents without an end", SH, REPEAT, "", "<<a\n", "", 0 },
	{ "here-documents on one line", SH, REPEAT, "", "cat <<E ", "\n", 0 },
	{ "regular expressions", SH, REPEAT, "", "[[ a =~ ", "", 0 },
	{ "here-documents on one line, one after the other", SH, REPEAT, "", "<<a ", "", 0 },
	{ "backslashes", SH, REPEAT, "", "\\", "", 0 },
	{ "expansions in each other", SH, REPEAT, "", "${", "", 0 },
	{ "braces in each other", SH, NESTED, "", "{a,", "}", 0 },
	{ "calls of a function, with much between them", SH, REPEAT, "f(){ :;}\n", "f #aaaaaaaaaaaaaaa\n", "", 0 },
	{ "loops in loops", SH, NESTED, "ls", "for i in 1 2 3; do ", "; done", 450000 },
	{ "evaluated lines", SH, REPEAT, "", "eval \"ls -la\"\n", "", 0 },
	{ "Bash in pieces", SH, MIXED, "", "if then fi $( ) \" ` { } | && x \n <<E case in esac ;; do done for", "", 0 },
	{ "short statements of JavaScript", JS, REPEAT, "", "a=b;", "", 0 },
	{ "arrows", JS, REPEAT, "", "x=>", "x", 0 },
	{ "functions in functions", JS, REPEAT, "", "function f(a){", "", 300000 },
	{ "templates", JS, REPEAT, "x=`", "${a}b", "`", 190000 },
	{ "regular expressions without an end", JS, REPEAT, "", "a=/[\n", "", 0 },
	{ "angle brackets", JS, REPEAT, "", "<", "", 240000 },
	{ "loops in loops of JavaScript", JS, NESTED, "x()", "for(const a of [1,2,3]){", "}", 240000 },
	{ "JavaScript in pieces", JS, MIXED, "", "function if ( ) { } [ ] x 1 \n ; => = , ` ${ \" / return class", "", 0 },
};

static void mix(struct bawn_buf *b, const char *pieces, size_t bytes)
{
	const char *piece[32];
	size_t n[32], count = 0;
	for (const char *at = pieces; *at != '\0' && count < BAWN_LEN(piece); at += n[count - 1], at += *at == ' ') {
		piece[count] = at;
		n[count++] = strcspn(at, " ");
	}
	uint32_t chance = 1;
	while (b->n < bytes) {
		chance = chance * 1664525u + 1013904223u;
		size_t i = (chance >> 16) % count;
		bawn_buf_add(b, piece[i], n[i]);
		bawn_buf_char(b, chance >> 28 < 12 ? ' ' : '\n');
	}
}

static void build(size_t i, struct bawn_buf *b)
{
	size_t bytes = (row[i].bytes != 0 ? row[i].bytes : TEXT_BYTES) / PART, end = strlen(row[i].close), step = strlen(row[i].again);
	size_t deep = row[i].how == NESTED ? bytes / (step + end) : 0;
	for (size_t k = 0; k < deep; k++)
		bawn_buf_str(b, row[i].again);
	bawn_buf_str(b, row[i].open);
	if (row[i].how == MIXED)
		mix(b, row[i].again, bytes - 64);
	while (row[i].how == REPEAT && b->n + step + end <= bytes)
		bawn_buf_str(b, row[i].again);
	for (size_t k = 0; k < (deep > 0 ? deep : 1); k++)
		bawn_buf_str(b, row[i].close);
}

/* An exit status, none that a sanitizer ends with. */
enum { ASSESSED = 10, GIVEN_UP, FAILED };
static int child(struct bawn_span code, int language)
{
	struct bawn_assess_file f = { .language = language, .bytes = code };
	struct bawn_assessment *a = NULL;
	struct bawn_err err = { 0 };
	int r = bawn_assess(&f, 1, NULL, &a, &err);
	int end = r < 0 ? FAILED : a->unfinished == NULL ? ASSESSED : a->level >= BAWN_LEVEL_HIGH ? GIVEN_UP : FAILED;
	bawn_assessment_free(a);
	return end;
}

static int run(struct bawn_span code, int language, long *out_peak)
{
	struct rusage use;
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		struct rlimit most = { CPU_SECONDS, CPU_SECONDS };
		(void)setrlimit(RLIMIT_CPU, &most);
		_exit(child(code, language));
	}
	if (pid < 0 || wait4(pid, &status, 0, &use) != pid || !WIFEXITED(status))
		return -1;
	*out_peak = use.ru_maxrss;
	return WEXITSTATUS(status);
}

int main(void)
{
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_buf b = BAWN_BUF(2u << 20);
		build(i, &b);
		long peak = 0;
		int end = run(bawn_buf_span(&b), row[i].language, &peak);
		ok((end == ASSESSED || end == GIVEN_UP) && (!PEAK_COUNTS || peak < PEAK_KB), "%s: %s, %ld MB at most", row[i].name,
		   end == ASSESSED ? "assessed" : end == GIVEN_UP ? "given up" : "failed", peak >> 10);
	}
	return done_testing();
}
