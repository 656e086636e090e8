/* run.c - what a program sees, and what comes back: through the backend table.  Each row is one
 * promise; as an unprivileged user the same rows hold (rootless.t runs this program again). */
#include "harness.h"
#include <netinet/in.h>
#include <sys/socket.h>
#include "tmpdir.h"

#define PY BAWN_LANG_PYTHON
#define SH BAWN_LANG_BASH
#define JS BAWN_LANG_JAVASCRIPT

static const struct { const char *name; struct job job; const char *out; enum bawn_end end; int code, signal; } row[] = {
	{ "output and exit code come back", { PY, "print(6*7)" }, "42\n", BAWN_END_EXIT, 0, 0 },
	{ "an exit code other than zero", { PY, "import sys; sys.exit(3)" }, "", BAWN_END_EXIT, 3, 0 },
	{ "a self-sent SIGTERM is a signal", { PY, "import os; os.kill(os.getpid(), 15)" }, "", BAWN_END_SIGNAL, 0, 15 },
	{ "abort is SIGABRT", { PY, "import os; os.abort()" }, "", BAWN_END_SIGNAL, 0, 6 },
	{ "a self-sent SIGKILL is its own signal", { PY, "import os; os.kill(os.getpid(), 9)" }, "", BAWN_END_SIGNAL, 0, 9 },
	{ "stdin is empty unless given", { PY, "import sys; print(repr(sys.stdin.read()))" }, "''\n", BAWN_END_EXIT, 0, 0 },
	{ "stdin is what was given", { PY, "import sys; print(sys.stdin.read().upper())", .in = "abc" }, "ABC\n", BAWN_END_EXIT, 0, 0 },
	{ "arguments are data", { PY, "import sys; print(sys.argv)", .args = { "--bind", "a b", "$(x)", "" } },
	  "['/code/main.py', '--bind', 'a b', '$(x)', '']\n", BAWN_END_EXIT, 0, 0 },
	{ "the environment is exactly ours and the request's", { PY, "import os\nfor k in sorted(os.environ): print(k, os.environ[k])", .env = { "A=1", "TZ=Asia/Tokyo" } },
	  "A 1\nHOME /workspace\nLANG C.UTF-8\nPATH /usr/local/bin:/usr/bin:/bin\nTZ Asia/Tokyo\n", BAWN_END_EXIT, 0, 0 },
	{ "inputs are importable and in the working directory",
	  { PY, "import helper, pkg.deep, os; print(helper.x, pkg.deep.y, os.getcwd(), open('helper.py').read())",
	    .file = { { "helper.py", "x=5" }, { "pkg/__init__.py", "" }, { "pkg/deep.py", "y=6" } } },
	  "5 6 /workspace x=5\n", BAWN_END_EXIT, 0, 0 },
	{ "an input called like the code does not replace it", { PY, "print('code')", .file = { { "main.py", "print('input')" } } },
	  "code\n", BAWN_END_EXIT, 0, 0 },
	{ "the code is read-only", { PY, "import os\nfor f in ('/code/main.py','/code/x','/x','/etc/x','/usr/x'):\n  try: open(f,'w'); print('wrote', f)\n  except OSError as e: pass\n"
	  "try: os.unlink('/code/main.py'); print('gone')\nexcept OSError: print('kept')" }, "kept\n", BAWN_END_EXIT, 0, 0 },
	{ "workspace, tmp and shm are writable, the last two not executable",
	  { SH, "for d in /workspace /tmp /dev/shm; do printf '#!/bin/sh\\necho ran\\n' > $d/x && chmod +x $d/x; $d/x 2>/dev/null || echo refused; done" },
	  "ran\nrefused\nrefused\n", BAWN_END_EXIT, 0, 0 },
	{ "uid 1000, pid 2, host name bawn", { PY, "import os,socket; print(os.getuid(), os.getgid(), os.getpid(), socket.gethostname())" },
	  "1000 1000 2 bawn\n", BAWN_END_EXIT, 0, 0 },
	{ "subprocess works", { PY, "import subprocess; print(subprocess.run(['sh','-c','echo hi; exit 4'], capture_output=True, text=True))" },
	  "CompletedProcess(args=['sh', '-c', 'echo hi; exit 4'], returncode=4, stdout='hi\\n', stderr='')\n", BAWN_END_EXIT, 0, 0 },
	{ "threads work", { PY, "import threading\nr=[]\nts=[threading.Thread(target=r.append,args=(i,)) for i in range(8)]\n[t.start() for t in ts];[t.join() for t in ts]\nprint(sorted(r))" },
	  "[0, 1, 2, 3, 4, 5, 6, 7]\n", BAWN_END_EXIT, 0, 0 },
	{ "so do many that live and allocate", { PY, "import threading\ngo=threading.Event()\ndef f(on):\n  x=bytearray(3000); on.set(); go.wait()\nfor i in range(30):\n"
	  "  on=threading.Event(); threading.Thread(target=f,args=(on,)).start(); on.wait()\nprint(threading.active_count()); go.set()" }, "31\n", BAWN_END_EXIT, 0, 0 },
	{ "asyncio works, with a subprocess and a loopback server", { PY,
	  "import asyncio\nasync def main():\n"
	  "  p=await asyncio.create_subprocess_exec('echo','sub',stdout=-1); print((await p.communicate())[0])\n"
	  "  async def h(r,w): w.write(await r.readline()); w.close()\n"
	  "  s=await asyncio.start_server(h,'127.0.0.1',0)\n  port=s.sockets[0].getsockname()[1]\n"
	  "  r,w=await asyncio.open_connection('localhost',port); w.write(b'ping\\n'); print(await r.readline())\nasyncio.run(main())" },
	  "b'sub\\n'\nb'ping\\n'\n", BAWN_END_EXIT, 0, 0 },
	{ "multiprocessing works", { PY, "import multiprocessing as m\nif __name__=='__main__':\n  with m.Pool(3) as p: print(p.map(abs,[-1,-2,-3]))\n"
	  "  q=m.Queue(); q.put(1); print(q.get())" }, "[1, 2, 3]\n1\n", BAWN_END_EXIT, 0, 0 },
	{ "sqlite3 works", { PY, "import sqlite3; c=sqlite3.connect('x.db'); c.execute('create table t(a)'); c.execute('insert into t values(7)'); c.commit(); print(c.execute('select a from t').fetchall())" },
	  "[(7,)]\n", BAWN_END_EXIT, 0, 0 },
	{ "tempfile, shutil and ctypes callbacks work", { PY,
	  "import tempfile,shutil,ctypes,os\nd=tempfile.mkdtemp(); open(d+'/a','w').write('x'*100000); shutil.copy(d+'/a','b'); shutil.copytree(d,'c'); print(os.path.getsize('b'))\n"
	  "C=ctypes.CFUNCTYPE(ctypes.c_int,ctypes.POINTER(ctypes.c_int),ctypes.POINTER(ctypes.c_int))\nl=ctypes.CDLL(None); a=(ctypes.c_int*3)(3,1,2)\n"
	  "l.qsort(a,3,4,C(lambda x,y:x[0]-y[0])); print(list(a))" }, "100000\n[1, 2, 3]\n", BAWN_END_EXIT, 0, 0 },
	{ "bash pipelines, here-documents, process substitution", { SH,
	  "seq 1 100 | grep 7 | sort -rn | head -2; cat <<X\n$((6*7))\nX\ndiff <(echo a) <(echo a) && echo same; sed -n 1p <<< here; cp /etc/hostname h && mv h g && cat g; for i in 1 2; do (echo $i) & wait; done", .args = { "z" } },
	  "97\n87\n42\nsame\nhere\nbawn\n1\n2\n", BAWN_END_EXIT, 0, 0 },
	{ "bash gets its arguments and exit code", { SH, "echo $# $1; exit 9", .args = { "a b" } }, "1 a b\n", BAWN_END_EXIT, 9, 0 },
	{ "node runs, with modules beside the code", { JS, "console.log(require('./m').x, process.argv.length, process.cwd())", .file = { { "m.js", "exports.x=8" } }, .args = { "a" } },
	  "8 3 /workspace\n", BAWN_END_EXIT, 0, 0 },
	{ "node http on loopback, child processes and workers", { JS,
	  "const h=require('http'),c=require('child_process'),{Worker}=require('worker_threads');\n"
	  "const s=h.createServer((q,r)=>r.end('ok')).listen(0,'127.0.0.1',()=>h.get({port:s.address().port,host:'127.0.0.1'},r=>{r.on('data',d=>{console.log(String(d));s.close();\n"
	  "console.log(c.execSync('echo sub').toString().trim());new Worker('console.log(\"w\")',{eval:true})})}));" }, "ok\nsub\nw\n", BAWN_END_EXIT, 0, 0 },
	{ "an interpreter error is the program's own", { PY, "raise SystemExit('bad')" }, "", BAWN_END_EXIT, 1, 0 },
};

static void every_row(void)
{
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		if (access(bawn_language[row[i].job.lang].interpreter, X_OK) < 0) {
			skip(row[i].name, "the interpreter is not installed");
			continue;
		}
		auto_got g = run(&row[i].job);
		ok(out_is(&g, row[i].out) && g.end.outcome.end == row[i].end && g.end.outcome.exit_code == row[i].code &&
		   g.end.outcome.signal == row[i].signal, "%s", row[i].name);
		for (size_t k = 0; k < g.n_denials; k++)
			diag("denied: %s x%llu", g.denial[k].what, (unsigned long long)g.denial[k].count);
	}
}

/* The way out begins at a port in the sandbox, and only whoever prepared it holds that port. */
static void ports(void)
{
	struct job j = { .code = "1" };
	auto_test_slot slot = test_slot_take(78);
	struct bawn_sandbox_spec spec = spec_of(&j, slot.fd);
	struct bawn_sandbox *s = NULL;
	struct bawn_enforcement e;
	struct bawn_err err = { 0 };
	ok(prepared(&spec, &s, &e, &err) == 0 && bawn_native_backend.take_port(s) < 0, "without a network there is no port");
	bawn_native_backend.release(s);
	s = NULL;
	spec.network = BAWN_NETWORK_DEPENDENCIES;
	char text[BAWN_NET_FILE_BYTES];  /* the largest there may be: they travel, too */
	memset(text, '#', sizeof text);
	text[sizeof text - 1] = '\0';
	for (int i = 0; i < BAWN_NET_FILE_COUNT; i++)
		spec.net_file[i] = text;
	int r = prepared(&spec, &s, &e, &err);
	bawn_auto_fd port = r == 0 ? bawn_native_backend.take_port(s) : -1;
	struct sockaddr_in at = { 0 };
	socklen_t size = sizeof at;
	int listens = 0;
	socklen_t int_size = sizeof listens;
	ok(port >= 0 && getsockname(port, (struct sockaddr *)&at, &size) == 0 && at.sin_port == htons(BAWN_PORT) && at.sin_addr.s_addr == htonl(INADDR_LOOPBACK) &&
	   getsockopt(port, SOL_SOCKET, SO_ACCEPTCONN, &listens, &int_size) == 0 && listens == 1, "with one it listens on loopback");
	bawn_auto_fd ours = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ok(connect(ours, (const struct sockaddr *)&at, sizeof at) < 0, "in there, not out here");
	ok(r == 0 && bawn_native_backend.take_port(s) < 0, "it is handed over once");
	bawn_native_backend.release(s);
}

/* What was installed before is there to be read, and for nothing else. */
static void environments(void)
{
	static const struct { enum bawn_language lang; const char *code; } look[] = {
		{ PY, "import os\nprint(open('/env/x').read(), end='')\nfor f in ('/env/x', '/env/y'):\n  try: open(f, 'w'); print('wrote')\n  except OSError as e: print(e.errno)\n"
		      "print([m.split()[5].split(',')[:3] for m in open('/proc/self/mountinfo') if m.split()[4] == '/env'])" },
		{ JS, "console.log(require('m').x)" },
	};
	static const char *const out[] = { "here\n30\n30\n[['ro', 'nosuid', 'nodev']]\n", "9\n" };
	auto_tmpdir dir = tmpdir_make();
	char path[128];
	(void)chmod(dir.path, 0755);
	(void)mkdirat(dir.fd, "node_modules", 0755);
	struct { const char *name, *text; } file[] = { { "x", "here\n" }, { "node_modules/m.js", "exports.x = 9" } };
	for (size_t i = 0; i < BAWN_LEN(file); i++) {
		bawn_auto_fd fd = openat(dir.fd, file[i].name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		(void)!write(fd, file[i].text, strlen(file[i].text));
	}
	snprintf(path, sizeof path, "%s", dir.path);
	for (size_t i = 0; i < BAWN_LEN(look); i++) {
		auto_got g = run(&(struct job){ .lang = look[i].lang, .code = look[i].code, .environment = path });
		ok(out_is(&g, out[i]), "an environment under /tmp, where our root is built, is there, read-only (%s)", bawn_language[look[i].lang].name);
	}
	auto_got n = run(&(struct job){ .code = "import os; print(os.path.exists('/env'), os.path.exists('/node_modules'))" });
	ok(out_is(&n, "False False\n"), "control: who has none has none");
	auto_got g = run(&(struct job){ .code = "print(1)", .environment = "/nonexistent" });
	ok(g.error < 0 && g.out.n == 0, "one that is not there: nothing runs");
}

static void failures(void)
{
	auto_got g = run(&(struct job){ .code = "1", .interpreter = "/usr/bin/no-such-python" });
	ok(g.error < 0 && g.err.type == BAWN_ERROR_INTERPRETER_MISSING, "a missing interpreter is said before anything runs");
	auto_got w = run(&(struct job){ .code = "print(1)", .without = BAWN_LAYER_BIT(SECCOMP), .need = MINIMUM });
	ok(w.error < 0 && w.err.type == BAWN_ERROR_ENFORCEMENT_MISSING && strcmp(w.err.field, "seccomp") == 0 && w.out.n == 0,
	   "a needed wall that does not stand: nothing runs and it is named");
	struct job j = { .code = "1" };
	auto_test_slot slot = test_slot_take(77);
	struct bawn_sandbox_spec spec = spec_of(&j, slot.fd);
	struct bawn_sandbox *s = NULL;
	struct bawn_enforcement e;
	struct bawn_err err = { 0 };
	spec.without = BAWN_LAYER_BIT(SECCOMP);
	ok(prepared(&spec, &s, &e, &err) < 0 && s == NULL, "the launcher that is installed leaves no wall out");
	spec.without = 0;
	spec.network = BAWN_NETWORK_DEPENDENCIES;
	spec.ca_file = "/nonexistent";
	ok(prepared(&spec, &s, &e, &err) < 0 && err.type == BAWN_ERROR_NETWORK_UNAVAILABLE && strcmp(err.field, "network.ca_file") == 0,
	   "a network without those who are to be believed there is none");
	spec.ca_file = NULL;
	spec.network = BAWN_NETWORK_NONE;
	bawn_auto_fd held = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), other = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	(void)flock(held, LOCK_EX);
	spec.slot_fd = other;
	ok(prepared(&spec, &s, &e, &err) < 0 && err.type == BAWN_ERROR_BUSY, "a slot somebody else holds is not touched");
	spec.slot_fd = slot.fd;
	spec.launcher = "/nonexistent";
	ok(prepared(&spec, &s, &e, &err) < 0 && err.type == BAWN_ERROR_BACKEND_UNAVAILABLE, "a missing launcher is a backend that is not there");
	spec.launcher = "/bin/true";
	ok(prepared(&spec, &s, &e, &err) < 0 && err.type == BAWN_ERROR_BACKEND_UNAVAILABLE, "so is one that ends at once");
	auto_got big = run(&(struct job){ .code = "1", .disk = 8192, .file = { { "a", "0123456789" }, { "b", "x" }, { "c", "x" }, { "d", "x" } } });
	ok(big.error < 0 && big.err.type == BAWN_ERROR_INPUT_INVALID, "inputs over the disk limit are refused");
	auto_got up = run(&(struct job){ .code = "1", .file = { { "../a", "x" } } });
	ok(up.error < 0 && up.err.type == BAWN_ERROR_INPUT_INVALID, "an input cannot leave the workspace");
}

static void collected(void)
{
	auto_got g = run(&(struct job){ .file = { { "same.txt", "same" }, { "changed.txt", "old" } }, .code =
		"import os,socket\nopen('new.txt','w').write('12345')\nopen('changed.txt','w').write('new')\nos.makedirs('d/e'); open('d/e/f','w').write('x')\n"
		"os.symlink('/etc/shadow','link'); os.link('new.txt','hard') if False else None\nopen('h1','w').write('h'); os.link('h1','h2')\n"
		"s=socket.socket(socket.AF_UNIX); s.bind('sock')\nopen(b'bad\\xff','w').close()\nopen('esc\\x1b[2J','w').close()\n"
		"os.makedirs('/workspace/'+'/'.join(['x']*20))\nf=open('sparse','w'); f.truncate(60<<20)\nf=open('sparse2','w'); f.truncate(60<<20)" });
	ok(g.error == 0 && g.files.p != NULL && strcmp(g.files.p, "changed.txt:3\nd/e/f:1\nnew.txt:5\nsparse:62914560\n") == 0,
	   "new and changed files are collected, unchanged inputs are not");
	diag("%s", g.files.p != NULL ? g.files.p : "");
	static const char *const want[] = { "link:symbolic link\n", "h1:hard link\n", "h2:hard link\n", "sock:socket\n", "bad\\xff:name is not UTF-8\n",
		"esc\\x1b[2J:name has control characters\n", "x/x/x/x/x/x/x/x/x/x/x/x/x/x/x/x:too deep\n", "sparse2:files larger than the disk limit\n" };
	for (size_t i = 0; i < BAWN_LEN(want); i++)
		ok(g.skipped.p != NULL && strstr(g.skipped.p, want[i]) != NULL, "skipped with the reason: %.*s", (int)strcspn(want[i], "\n"), want[i]);
	auto_got many = run(&(struct job){ .code = "for i in range(1100): open(f'f{i}','w').close()" });
	size_t n = 0;
	for (size_t i = 0; i < many.files.n; i++)
		n += many.files.p[i] == '\n';
	ok(n == 1000 && strstr(many.skipped.p, "too many files") != NULL, "at most 1000 files");
}

static void probed(void)
{
	struct job j = { .code = "" };
	struct bawn_sandbox_spec spec = spec_of(&j, -1);
	struct bawn_probe p;
	struct bawn_err err = { 0 };
	int r = bawn_native_backend.probe(&spec, &p, &err);
	ok(r == 0 && p.usable && p.layer[BAWN_LAYER_PIDNS].state == BAWN_PROBE_ACTIVE && p.layer[BAWN_LAYER_SECCOMP].state == BAWN_PROBE_ACTIVE,
	   "the probe builds a sandbox and names its layers");
	bool fixes = true;
	for (int i = 0; r == 0 && i < BAWN_LAYER_COUNT; i++)
		fixes = fixes && (p.layer[i].state == BAWN_PROBE_ACTIVE || (p.layer[i].fix[0] != '\0' && p.layer[i].detail[0] != '\0'));
	ok(fixes, "every layer that is missing has a reason and a fix");
	diag("%s", p.summary);
}

int main(void)
{
	every_row();
	ports();
	environments();
	failures();
	collected();
	probed();
	return done_testing();
}
