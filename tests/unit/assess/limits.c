/* limits.c - a bound that is reached never hides anything: rows of code in which some bound runs out before
 * the part that counts, and the level they keep.  Beside each stands what honest code does near the bound. */
#include "base/buf.h"
#include "base/cleanup.h"
#include "tap.h"
#include "words.h"

#define MOST true   /* at most that level; else at least */

/* `open` once, `again` `times` times, `close` once. */
static const struct { const char *name; int language, level; bool most; const char *open, *again; size_t times; const char *close; } row[] = {
	/* what one branch set, another did not: both count where it is run, deleted or written */
	{ "bash -c of what a branch set", SH, BLOCKED, false, "if true; then x='rm -rf /'; else x=ls; fi; bash -c \"$x\"\n", "", 0, "" },
	{ "eval of it", SH, BLOCKED, false, "case $1 in *) x='rm -rf /';; b) x=ls;; esac\neval \"$x\"\n", "", 0, "" },
	{ "trap of it", SH, BLOCKED, false, "true && x='rm -rf /' || x=ls; trap \"$x\" EXIT\n", "", 0, "" },
	{ "rm of it", SH, BLOCKED, false, "if true; then x=/; else x=build; fi; rm -rf $x\n", "", 0, "" },
	{ "sudo rm of it", SH, BLOCKED, false, "if true; then x=/; else x=build; fi; sudo rm -rf \"$x\"\n", "", 0, "" },
	{ "written to where a branch said", SH, HIGH, false, "if true; then f=~/.bashrc; else f=log; fi; echo x >> $f\n", "", 0, "" },
	{ "sourced from where a branch said", SH, HIGH, false, "echo 'cat /etc/shadow' > a; if true; then f=./a; else f=./b; fi; . $f\n", "", 0, "" },
	{ "handed on to another variable", SH, BLOCKED, false, "if true; then x='rm -rf /'; else x=ls; fi; y=$x; bash -c \"$y\"\n", "", 0, "" },
	{ "handed to a function", SH, BLOCKED, false, "if true; then x=/; else x=build; fi; f() { rm -rf \"$1\"; }; f \"$x\"\n", "", 0, "" },
	{ "printed into a shell", SH, BLOCKED, false, "if true; then x='rm -rf /'; else x=ls; fi; echo \"$x\" | bash\n", "", 0, "" },
	{ "a here-string of it", SH, BLOCKED, false, "if true; then x='rm -rf /'; else x=ls; fi; bash <<< \"$x\"\n", "", 0, "" },
	{ "two variables of one branch", SH, BLOCKED, false, "if true; then o=-rf; p=/; else o=-i; p=a; fi; rm $o $p\n", "", 0, "" },
	{ "more branches than are tried", SH, HIGH, false, "case $1 in 0) x='rm -rf /';;", "\n*) x=a$RANDOM;;", 0, "\n1) x=b1;; 2) x=b2;; 3) x=b3;; 4) x=b4;; 5) x=b5;; 6) x=b6;; 7) x=b7;; 8) x=b8;; 9) x=b9;; 10) x=c0;; 11) x=c1;; 12) x=c2;; 13) x=c3;; 14) x=c4;; 15) x=c5;; 16) x=c6;; 17) x=c7;; 18) x=c8;; 19) x=c9;; esac\nbash -c \"$x\"\n" },
	{ "branches that only choose a name", SH, LOW, MOST, "if [ -n \"$1\" ]; then f=$1.txt; else f=out.txt; fi\necho done > \"$f\"\nrm -f \"$f\"\n", "", 0, "" },
	/* paths */
	{ "a path full of /.", SH, BLOCKED, false, "rm -rf /", "./", 2000, "\n" },
	{ "a path full of slashes", PY, HIGH, false, "open('", "/", 3000, "etc/shadow')\n" },
	{ "a path that goes back and forth", JS, HIGH, false, "require('fs').readFileSync('/etc/", "a/../", 500, "shadow');\n" },
	{ "a path with a line break", PY, HIGH, false, "open('/etc/a\\n/../shadow')\n", "", 0, "" },
	{ "a path longer than any", PY, HIGH, false, "import shutil\nshutil.rmtree('/", "a/", 3000, "b')\n" },
	{ "a text that begins like a path", PY, LOW, MOST, "def f(t):\n    return len(t)\nf('/* ", "words and words\\n", 900, "*/')\n" },
	{ "a command by a long path", SH, BLOCKED, false, "/bin/", "./", 400, "rm -rf /\n" },
	/* programs too long to be read */
	{ "a long here-document for a shell", SH, HIGH, false, "bash <<'E'\nrm -rf /\n", ": abcdefghijklmnopqrstuvwxyz\n", 10000, "E\n" },
	{ "a long here-document for Python", SH, HIGH, false, "python3 - <<'E'\nimport os\nos.system('rm -rf /')\n", "#abcdefghijklmnopqrstuvwxyz\n", 10000, "E\n" },
	{ "a long bash -c", SH, HIGH, false, "bash -c \"rm -rf / #", "abcdefghijklmnopqrstuvwxyz", 11000, "\"\n" },
	{ "a long eval", SH, HIGH, false, "eval \"rm -rf / #", "abcdefghijklmnopqrstuvwxyz", 11000, "\"\n" },
	{ "a long eval of two words", SH, HIGH, false, "eval rm '-rf / #", "abcdefghijklmnopqrstuvwxyz", 11000, "'\n" },
	{ "a long trap", SH, HIGH, false, "trap \"rm -rf / #", "abcdefghijklmnopqrstuvwxyz", 11000, "\" EXIT\n" },
	{ "a long file that is run", SH, HIGH, false, "echo \"rm -rf / #", "abcdefghijklmnopqrstuvwxyz", 11000, "\" > x; bash x\n" },
	{ "a file that grew long", SH, HIGH, false, "echo 'rm -rf /' > x\n", "echo '#abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz' >> x\n", 3000, "bash x\n" },
	{ "a long text into a shell", SH, HIGH, false, "echo \"rm -rf / #", "abcdefghijklmnopqrstuvwxyz", 11000, "\" | bash\n" },
	{ "long arguments of bash -c", SH, HIGH, false, "bash -c 'eval \"$1\"' x 'rm -rf / #", "abcdefghijklmnopqrstuvwxyz", 11000, "'\n" },
	{ "find -exec of a long text", SH, HIGH, false, "find . -exec bash -c \"rm -rf / #", "abcdefghijklmnopqrstuvwxyz", 11000, "\" \\;\n" },
	{ "bytes that are no text, run", SH, HIGH, false, "bash <<< $'", "\\x01", 40, "\\nrm -rf /'\n" },
	{ "a long text that is only shown", SH, LOW, MOST, "cat <<'E'\n", ": abcdefghijklmnopqrstuvwxyz\n", 10000, "E\n" },
	{ "a long Perl program", SH, BLOCKED, false, "perl -e '", "my $abcdefghijklmnop = 1; ", 3500, "system(\"rm -rf /\")'\n" },
	{ "Perl with many texts", SH, BLOCKED, false, "perl -e '", "print \"a\"; ", 300, "system(\"rm -rf /\")'\n" },
	{ "Perl with more texts than are read", SH, HIGH, false, "perl -e '", "print \"a\"; ", 9000, "system(\"rm -rf /\")'\n" },
	{ "awk with many texts", SH, BLOCKED, false, "awk 'BEGIN { ", "a = \"x\"; ", 20, "c = \"rm -rf /\"; c | getline }'\n" },
	{ "a long table of cron", SH, BLOCKED, false, "crontab - <<'E'\n", "# a\n", 200, "* * * * * rm -rf /\nE\n" },
	/* words */
	{ "many words of a list", PY, BLOCKED, false, "import subprocess\nsubprocess.run(['rm', '-rf', ", "'a', ", 100, "'/'])\n" },
	{ "more words than are read", PY, HIGH, false, "import subprocess\nsubprocess.run(['rm', '-rf', ", "'a', ", 1200, "'/'])\n" },
	{ "many words of spawn", JS, BLOCKED, false, "require('child_process').spawn('rm', ['-rf', ", "'a', ", 100, "'/']);\n" },
	{ "more words of spawn than are read", JS, HIGH, false, "require('child_process').spawn('rm', ['-rf', ", "'a', ", 1200, "'/']);\n" },
	{ "words of a variable", SH, HIGH, false, "x='", "a ", 1200, "/'\nrm -rf $x\n" },
	{ "words that xargs reads", SH, HIGH, false, "echo '", "a ", 2500, "/' | xargs rm -rf\n" },
	/* braces */
	{ "many alternatives", SH, BLOCKED, false, "rm -rf {", "a,", 300, "/}\n" },
	{ "more than are looked at", SH, HIGH, false, "rm -rf {", "a,", 1500, "/}\n" },
	{ "a long word with braces", SH, HIGH, false, "rm -rf {", "abcdefghijklmnopqrstuvwxyz", 200, ",/}\n" },
	{ "braces after a range", SH, BLOCKED, false, "rm -rf /{1..1}{,/..}\n", "", 0, "" },
	{ "a long range", SH, LOW, MOST, "for i in {1..5000}; do echo \"$i\" > \"f$i\"; rm \"f$i\"; done\ntouch g{1..5000}\n", "", 0, "" },
	{ "a text put together over a long range", SH, HIGH, false, "s='", "a", 200, "rm -rf /'\nfor i in {0..207}; do x+=${s:$i:1}; done\neval \"${x:200}\"\n" },
	{ "counted rounds", SH, HIGH, false, "s='", "a", 90, "rm -rf /'\nfor ((i = 0; i < 98; i++)); do x+=${s:$i:1}; done\neval \"${x:90}\"\n" },
	{ "many counted rounds", SH, LOW, MOST, "for ((i = 0; i < 5000; i++)); do n=$((n + i)); echo \"$n\" >> sums; done\nrm sums\n", "", 0, "" },
	/* names, ${...} and arithmetic */
	{ "a long name", SH, BLOCKED, false, "", "a", 500, "='rm -rf /'\nfor n in ${!a*}; do eval \"${!n}\"; done\n" },
	{ "defaults inside defaults", SH, HIGH, false, "p='rm -rf /'; bash -c \"${a:-${b:-${c:-${d:-${e:-${f:-${g:-${h:-$p}}}}}}}}\"\n", "", 0, "" },
	{ "what a pattern cuts off a long text", SH, HIGH, false, "x='", "b", 5000, "arm -rf /'\neval \"${x##*a}\"\n" },
	{ "what a pattern replaces in a long text", SH, HIGH, false, "x='a", "b", 600, "arm -rf /'\neval \"${x//a*a/}\"\n" },
	{ "a long sum", SH, HIGH, false, "s=xxrm\\ -rf\\ /\neval \"${s:2", "+0", 3000, "}\"\n" },
	{ "a deep sum", SH, HIGH, false, "s=xxrm\\ -rf\\ /\neval \"${s:", "(", 12, "2))))))))))))}\"\n" },
	/* folding */
	{ "a text past the bound, cut to size", PY, HIGH, false, "import os\nos.system(('a' * 300000 + 'rm -rf /')[300000:])\n", "", 0, "" },
	{ "the same in JavaScript", JS, HIGH, false, "require('child_process').execSync(('a'.repeat(300000) + 'rm -rf /').slice(300000));\n", "", 0, "" },
	{ "through names and a function", PY, HIGH, false, "import os\nA = 'a' * 300000\ndef f(x):\n    return x[300000:]\nB = f(A + 'rm -rf /')\nos.system(B)\n", "", 0, "" },
	{ "a path past the bound", PY, HIGH, false, "import shutil\nshutil.rmtree(('a' * 300000 + '/')[300000:])\n", "", 0, "" },
	{ "a list past the bound", PY, HIGH, false, "import os\nx = ['a'] * 9000 + ['rm -', 'rf /']\nos.system(x[9000] + x[9001])\n", "", 0, "" },
	{ "a list written out", PY, HIGH, false, "import os\nx = [", "'a',", 8300, "'rm -', 'rf /']\nos.system(x[8300] + x[8301])\n" },
	{ "a function found past the bound", PY, HIGH, false, "import os\nx = ['a'] * 9000 + ['system']\ngetattr(os, x[9000])('rm' + ' -rf /')\n", "", 0, "" },
	{ "a text added up in a long loop", PY, HIGH, false, "import os\ns = 'rm -rf /'\nx = ''\nfor i in range(9000):\n    x += s[i % 9]\nos.system(x)\n", "", 0, "" },
	{ "a long comprehension", PY, HIGH, false, "import os\ns = 'r-f/', 'm r '\nos.system(''.join([s[i % 2][i // 2 % 4] for i in range(9000)]))\n", "", 0, "" },
	{ "members put together", JS, BLOCKED, false, "const o = Object.assign({", "a: 1, ", 100, "run: require('child_process').execSync}, {b: 1});\no.run('rm -rf /');\n" },
	{ "more members than are followed", JS, HIGH, false, "const o = Object.assign({", "a: 1, ", 1200, "run: require('child_process').execSync}, {b: 1});\no.run('rm -rf /');\n" },
	{ "a module found past the bound", PY, HIGH, false, "import importlib\nm = importlib.import_module(('a' * 300000 + 'os')[300000:])\nm.system('id')\n", "", 0, "" },
	{ "a member found past the bound", JS, HIGH, false, "const n = ('a'.repeat(300000) + 'execSync').slice(300000);\nrequire('child_process')[n]('rm -rf /');\n", "", 0, "" },
	{ "a host past the bound", PY, HIGH, false, "import urllib.request\nurllib.request.urlopen(('a' * 300000 + 'http://example.com/')[300000:])\n", "", 0, "" },
	{ "a long variable of the environment", PY, HIGH, false, "import os\nos.environ['X'] = 'rm -rf / #' + 'a' * 70000\nos.system('eval \"$X\"')\n", "", 0, "" },
	{ "a long list in Bash", SH, HIGH, false, "a=(", "x ", 1500, "'rm -rf /')\neval \"${a[1500]}\"\n" },
	{ "an array that grew long", SH, HIGH, false, "a[0]='rm -rf /'\n", "a[1]=x\n", 1100, "eval \"${a[0]}\"\n" },
	{ "a long here-document that is printed into a variable", SH, HIGH, false, "x=$(cat <<'E'\n", ": abcdefghijklmnopqrstuvwxyz\n", 10000, "rm -rf /\nE\n)\neval \"$x\"\n" },
	{ "a large text for a file", PY, LOW, MOST, "with open('big.txt', 'w') as f:\n    f.write('x' * 1000000)\n", "", 0, "" },
	{ "a large sieve", PY, LOW, MOST, "n = 100000\ns = [True] * n\nfor i in range(2, n):\n    s[i] = i % 2 == 1\nwith open('out.txt', 'w') as f:\n    f.write(str(sum(s)))\n", "", 0, "" },
	{ "files by number", PY, LOW, MOST, "for i in range(100000):\n    with open(f'part{i}.txt', 'w') as f:\n        f.write('x')\n", "", 0, "" },
	/* what was made for people */
	{ "a long call in YAML", PY, BLOCKED, false, "import yaml\nyaml.unsafe_load('!!python/object/apply:os.system [\"", "true;", 120, "rm -rf /\"]')\n" },
	{ "a link to a long path", SH, HIGH, false, "ln -s / l\nrm -rf l/", "./", 10, "etc/x\n" },
	/* wildcards one step from everything */
	{ "rm -rf /*/*", SH, BLOCKED, false, "rm -rf /*/*\n", "", 0, "" },
	{ "rm -rf /?*", SH, BLOCKED, false, "rm -rf /?*\n", "", 0, "" },
	{ "rm -rf /[a-z]*", SH, BLOCKED, false, "rm -rf /[a-z]*\n", "", 0, "" },
	{ "rm -rf ~/*/*", SH, BLOCKED, false, "rm -rf ~/*/*\n", "", 0, "" },
	/* what is given up is still read line by line */
	{ "a tree that is too large", PY, BLOCKED, false, "import os\nos.system('rm -rf /')\n", "a=b;", 200000, "\n" },
	{ "a tree that is too large in Bash", SH, BLOCKED, false, "rm -rf /\n", "a=$((b)) ", 100000, "\n" },
};

static void build(size_t i, struct bawn_buf *b)
{
	bawn_buf_str(b, row[i].open);
	for (size_t k = 0; k < row[i].times; k++)
		bawn_buf_str(b, row[i].again);
	bawn_buf_str(b, row[i].close);
}

int main(void)
{
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_buf b = BAWN_BUF(2u << 20);
		build(i, &b);
		struct bawn_assess_file f = { .language = row[i].language, .bytes = bawn_buf_span(&b) };
		struct bawn_assessment *a = NULL;
		struct bawn_err err = { 0 };
		int r = bawn_assess(&f, 1, NULL, &a, &err);
		bool good = r == 0 && (row[i].most ? (int)a->level <= row[i].level : (int)a->level >= row[i].level);
		if (!ok(good, "%s is at %s %s", row[i].name, row[i].most ? "most" : "least", bawn_word(&bawn_level_words, row[i].level))) {
			diag("%s got %s", err.msg, r == 0 ? bawn_word(&bawn_level_words, (int)a->level) : "an error");
			for (size_t k = 0; r == 0 && k < a->n_findings && k < 8; k++)
				diag("  %s line %u %.80s", a->finding[k].rule, a->finding[k].line, a->finding[k].folded != NULL ? a->finding[k].folded : "");
		}
		bawn_assessment_free(a);
	}
	return done_testing();
}
