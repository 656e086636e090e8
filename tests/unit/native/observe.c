/* observe.c - what Python tells of itself, in real runs; and that neither the code nor its result feels it. */
#include "harness.h"

#define PY BAWN_LANG_PYTHON
#define HAS(g, text) ((g).observed.p != NULL && strstr((g).observed.p, text) != NULL)

static const struct { const char *name, *code, *want[4], *not; } row[] = {
	{ "files read", "open('/etc/hostname').read(); import os; os.listdir('/etc')", { "files_read 1 /etc/hostname\n", "files_read 1 /etc\n" }, "main.py" },
	{ "files written, by any way", "import os, pathlib\nopen('a','w'); pathlib.Path('b').write_text('x'); os.rename('a','c'); os.mkdir('d'); os.chmod('d',0o700)",
	  { "files_written 2 /workspace/a\n", "files_written 1 /workspace/b\n", "files_written 1 /workspace/c\n", "files_written 2 /workspace/d\n" }, "files_read" },
	{ "a name relative to where the code is by then", "import os; os.chdir('/tmp'); open('../etc/hostname')", { "files_read 1 /etc/hostname\n" }, "/tmp" },
	{ "a name below a descriptor is not made up", "import os; os.mkdir('x', dir_fd=os.open('/tmp', os.O_RDONLY))", { "files_written 1 ?/x\n" }, NULL },
	{ "programs", "import os, subprocess\nsubprocess.run(['echo','a b']); subprocess.run('true', shell=True); os.system('true;true'); os.execv('/bin/true', ('true','z'))",
	  { "execs 1 echo a b\n", "execs 1 /bin/sh -c true\n", "execs 1 true;true\n", "execs 1 true z\n" }, NULL },
	{ "addresses", "import socket\ns=socket.socket(); s.bind(('127.0.0.1',8123)); s.listen(); socket.create_connection(('localhost',8123))\n"
	  "def t(f):\n  try: f()\n  except OSError: pass\n"
	  "t(lambda: socket.create_connection(('no.example','http'))); t(lambda: socket.socket(socket.AF_INET6).connect(('::1',9))); t(lambda: socket.socket(socket.AF_UNIX).connect('\\0x'))",
	  { "connects 1 127.0.0.1:8123\n", "connects 1 no.example:http\n", "connects 1 [::1]:9\n", "connects 1 unix:@x\n" }, NULL },
	{ "modules the code imports, not what they import", "import xml.dom.minidom, importlib\n__import__('c'+'sv'); importlib.import_module('email.mime.text')",
	  { " xml\n", " csv\n", " email\n" }, " _csv\n" },
	{ "what a library reads while it is imported is not the code's doing", "import this", { " this\n" }, "files_" },
	{ "the same thing again is counted", "for i in range(500): open('/etc/hostname').close()", { "files_read 500 /etc/hostname\n" }, NULL },
	{ "children by fork tell too", "import os\nfor i in range(4):\n  if os.fork()==0: open('/etc/hostname'); open('f%d'%i,'w'); os._exit(0)\nfor i in range(4): os.wait()",
	  { "files_read 4 /etc/hostname\n", "/workspace/f0\n", "/workspace/f3\n" }, NULL },
	{ "what was told before a crash stays told", "import os; open('a','w'); os.abort()", { "files_written 1 /workspace/a\n" }, NULL },
	{ "a name that is no text is told by its bytes", "open(b'/tmp/\\xff','w')", { "files_written 1 /tmp/\xff\n" }, NULL },
};

static void every_row(void)
{
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		auto_got g = run(&(struct job){ PY, row[i].code });
		bool good = g.watched && (row[i].not == NULL || !HAS(g, row[i].not));
		for (size_t k = 0; k < 4 && row[i].want[k] != NULL; k++)
			good = good && HAS(g, row[i].want[k]);
		if (!ok(good, "%s", row[i].name))
			diag("%s; %s", g.observed.p != NULL ? g.observed.p : "nothing", g.errout.p != NULL ? g.errout.p : "");
	}
}

/* All the code can see of its interpreter, once with and once without. */
static void unfelt(void)
{
	static const char *const code[] = {
		"import sys,os,gc,signal\nprint(sys.argv, sys.flags, sys.path, sorted(sys.modules), sorted(os.environ.items()), sys.executable, __name__, __file__, sys.getrecursionlimit())\n"
		"print(sorted(os.listdir('/proc/self/fd')), open('/proc/self/environ','rb').read().rstrip(b'\\0'), os.listdir('/workspace'), os.listdir('/tmp'), os.listdir('/dev/shm'))\n"
		"print(os.popen('env; ls /proc/self/fd').read())",
		"def f(): raise ValueError('x')\nf()",
		"import sys; sys.exit(7)",
		"import nosuch",
		"(",
		"import os; os.kill(os.getpid(), 11)",
	};
	for (size_t i = 0; i < BAWN_LEN(code); i++) {
		auto_got with = run(&(struct job){ PY, code[i], .args = { "a", "b" }, .env = { "K=v" } });
		auto_got without = run(&(struct job){ PY, code[i], .args = { "a", "b" }, .env = { "K=v" }, .unwatched = true });
		bool same = bawn_span_equal(bawn_buf_span(&with.out), bawn_buf_span(&without.out)) &&
		            bawn_span_equal(bawn_buf_span(&with.errout), bawn_buf_span(&without.errout)) &&
		            with.end.outcome.end == without.end.outcome.end && with.end.outcome.exit_code == without.end.outcome.exit_code &&
		            with.end.outcome.signal == without.end.outcome.signal;
		if (!ok(same && with.watched && !without.watched, "the code sees and does the same, watched or not (%zu)", i))
			diag("%s\n%s\n%s\n%s", with.out.p, without.out.p, with.errout.p, without.errout.p);
	}
}

static void others(void)
{
	auto_got sh = run(&(struct job){ BAWN_LANG_BASH, "echo hi" });
	ok(out_is(&sh, "hi\n") && !sh.watched, "bash tells nothing");
	auto_got no = run(&(struct job){ PY, "import sys; print(1)", .interpreter = "/usr/bin/bash", .in = "echo \"${LD_PRELOAD-none}\"; ls /proc/self/fd | wc -l; tr '\\0' '\\n' < /proc/self/environ | grep -c PRELOAD\n" });
	ok(out_is(&no, "none\n4\n0\n") && !no.watched, "a program that is no Python keeps neither variable nor descriptor, and tells nothing");
}

/* Finds the shared memory and writes over it. */
#define AREA "import ctypes,os,re\n" \
	"m=[l for l in open('/proc/self/maps') if 'memfd:observed' in l][0]; a,b=[int(x,16) for x in re.match('(.*?)-(.*?) ',m).groups()]\n" \
	"def over(bytes_): ctypes.memmove(a, bytes_, min(len(bytes_), b-a))\n"

static const struct { const char *name, *code; } hostile[] = {
	{ "ones everywhere", AREA "over(b'\\xff'*(b-a)); print(open('/etc/hostname').read().strip())" },
	{ "zeros everywhere", AREA "over(bytes(b-a)); print(open('/etc/hostname').read().strip())" },
	{ "noise behind a good head", AREA "over(ctypes.string_at(a,16)+os.urandom(b-a-16)); print(open('/etc/hostname').read().strip())" },
	{ "five thousand entries that claim everything", AREA "e=b'\\xff\\xff\\xff\\xff\\x01\\x01\\xf8\\x00'+b'\\x1b[2J\\xff/..'*31; over(ctypes.string_at(a,12)+b'\\xff'*28+e*5000); print('bawn')" },
	{ "memory taken away", AREA "print('bawn', flush=True); ctypes.CDLL(None).munmap(ctypes.c_void_p(a), ctypes.c_size_t(b-a)); os._exit(0)" },
	{ "the head replaced in a loop by four processes", AREA "import time\nfor i in range(4):\n  if os.fork()==0:\n    t=time.time()\n    while time.time()<t+.3: over(os.urandom(4096)); open('/etc/hostname').close()\n    os._exit(0)\n"
	  "for i in range(4): os.wait()\nprint('bawn')" },
};

static void attacks(void)
{
	for (size_t i = 0; i < BAWN_LEN(hostile); i++) {
		auto_got g = run(&(struct job){ PY, hostile[i].code });
		ok(out_is(&g, "bawn\n") && g.end.outcome.end == BAWN_END_EXIT && g.observed.n <= 2 * MIB, "%s: the run ends as it would, what is told is bounded", hostile[i].name);
	}
	auto_got flood = run(&(struct job){ PY, "for i in range(3000):\n  try: open('/no%d' % i)\n  except OSError: pass\nopen('/no1','w') if 0 else None\nfor i in range(9):\n  try: open('/no1')\n  except OSError: pass\nopen('w','w')" });
	ok(flood.watched && flood.dropped == 2000 && HAS(flood, "files_read 10 /no1\n") && HAS(flood, "/no999\n") && !HAS(flood, "/no1000\n") && HAS(flood, "files_written 1 /workspace/w\n"),
	   "a flood fills its own list only, the rest is counted");
	auto_got longer = run(&(struct job){ PY, "open('/tmp/'+'a'*240,'w'); import os; os.system('true '+'b'*100000)" });
	ok(longer.watched && HAS(longer, "execs 1 true bbb") && longer.observed.n < 1000, "a long text is cut");
	auto_got full = run(&(struct job){ PY, "import os\nf=open('big','wb')\ntry:\n  while f.write(b'x'*1000000): pass\nexcept OSError: pass\nfor i in range(900):\n  try: open('n%d'%i,'w')\n  except OSError: pass\nprint('alive')", .disk = 2 * MIB });
	ok(out_is(&full, "alive\n") && full.watched && HAS(full, "/workspace/n899\n"), "a full disk does not hurt it");
}

int main(void)
{
	every_row();
	unfelt();
	others();
	attacks();
	return done_testing();
}
