/* faults.c - the launcher fails closed: for every system call that builds a wall, the n-th one is made
 * to fail (strace -e inject), for n = 1, 2, ... until none is left to fail.  Each time either nothing
 * runs and the reason is told, or the program runs behind every wall that was needed, as it sees
 * itself.  Real faults in the real launcher.
 *
 * Where calls are many only some n are tried.  BAWN_FAULTS=all (make soak) tries every n of every call
 * that the launcher and its clones make before the program becomes the interpreter; BAWN_FAULTS=CALL of one. */
#include "harness.h"
#include "tmpdir.h"

/* What the program finds: it prints its verdict on its own walls.  What the hook writes into is the hook's to close: a
 * fault that keeps the linker from loading it leaves it open, and is no wall's. */
#define LOOK \
	"import os,socket,resource\n" \
	"t=dict(l.rstrip('\\n').split(':\\t',1) for l in open('/proc/self/status') if ':\\t' in l)\n" \
	"bad=[]\n" \
	"if any(int(t['Cap'+x],16) for x in ('Inh','Prm','Eff','Bnd','Amb')): bad.append('caps')\n" \
	"if t['NoNewPrivs']!='1': bad.append('nnp')\n" \
	"if t['Seccomp']!='2': bad.append('seccomp')\n" \
	"if os.getuid()!=1000 or os.getgid()!=1000 or t['Groups'].strip(): bad.append('ids')\n" \
	"if t['Pid']!='2': bad.append('pid')\n" \
	"if len([p for p in os.listdir('/proc') if p.isdigit()])>1: bad.append('proc')\n" \
	"if os.path.exists('/root') or os.path.exists('/etc/shadow'): bad.append('root')\n" \
	"if not os.statvfs('/').f_flag&1 or not os.statvfs('/usr').f_flag&1 or not os.statvfs('/code').f_flag&1: bad.append('ro')\n" \
	"if not os.statvfs('/usr').f_flag&2: bad.append('nosuid')\n" \
	"if not os.statvfs('/tmp').f_flag&8: bad.append('noexec')\n" \
	"if 'bawn/run-' in open('/proc/self/cgroup').read(): bad.append('cgroupns')\n" \
	"if resource.getrlimit(resource.RLIMIT_NOFILE)[1]>256 or resource.getrlimit(resource.RLIMIT_CORE)[1]>1: bad.append('rlimits')\n" \
	"for f in os.listdir('/proc/self/fd'):\n" \
	" try: to=os.readlink('/proc/self/fd/'+f)\n" \
	" except OSError: continue\n" \
	" if to.startswith(('socket:','/memfd','anon_inode:seccomp','anon_inode:[pidfd')) and 'observed' not in to: bad.append(to)\n" \
	"print(bad)\n"

static const struct { const char *call; int every; } row[] = {
	{ "mount", 3 }, { "mount_setattr", 2 }, { "umount2", 1 }, { "pivot_root", 1 }, { "clone3", 1 }, { "setns", 1 }, { "unshare", 1 },
	{ "setgroups", 1 }, { "setresgid", 1 }, { "setresuid", 1 }, { "capset", 1 }, { "seccomp", 1 }, { "landlock_restrict_self", 1 },
	{ "landlock_create_ruleset", 1 }, { "sethostname", 1 }, { "setsid", 1 }, { "close_range", 1 }, { "prlimit64", 3 }, { "prctl", 9 },
	{ "chdir", 1 }, { "chown", 1 }, { "capget", 1 }, { "memfd_create", 1 }, { "ftruncate", 1 }, { "dup3", 1 }
};

static bool injected(const struct tmpdir *dir)
{
	bawn_auto_buf b = BAWN_BUF(16 * MIB);
	return bawn_read_file(dir->fd, "log", &b, NULL) == 0 && b.p != NULL && strstr(b.p, "(INJECTED)") != NULL;
}

/* A launcher whose n-th `call` fails. */
static bool wrap(const struct tmpdir *dir, const char *call, int n, char *path, size_t size)
{
	char text[1200];
	snprintf(path, size, "%s/launch", dir->path);
	(void)unlinkat(dir->fd, "log", 0);
	(void)unlinkat(dir->fd, "launch", 0);
	snprintf(text, sizeof text, "#!/bin/sh\nexec /usr/bin/strace -f -qq -o %s/log -e trace=%s -e signal=none -e inject=%s:error=EPERM:when=%d %s\n",
	         dir->path, call, call, n, LAUNCHER);
	bawn_auto_fd fd = openat(dir->fd, "launch", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	return fd >= 0 && bawn_write_all(fd, text, strlen(text), NULL) == 0;
}

/* -1: a wall was missing and nobody said so; 0: closed; 1: all walls up. */
static int attempt(const char *launcher, struct got *g)
{
	const struct bawn_backend *b = &bawn_native_backend;
	struct job j = { .code = LOOK };
	auto_test_slot slot = test_slot_take(930);
	bawn_auto_fd code = -1;
	struct bawn_sandbox_spec spec = spec_of(&j, slot.fd);
	struct bawn_sandbox *s = NULL;
	spec.launcher = launcher;
	spec.slot = 930;
	*g = (struct got){ .out = BAWN_BUF(MIB), .errout = BAWN_BUF(MIB) };
	if (bawn_sealed_copy("code", bawn_span(j.code), &code, &g->err) < 0)
		return -1;
	if (prepared(&spec, &s, &g->walls, &g->err) < 0)
		return g->err.msg[0] != '\0' ? 0 : -1;
	struct bawn_sandbox_start start = { .code_fd = code, .stdin_fd = -1 };
	int r = started(s, &start, &g->err);
	if (r == 0)
		r = follow(s, g, NULL, NULL);
	b->release(s);
	bool all = bawn_span_starts(bawn_buf_span(&g->out), "[]") && (g->walls.layers & spec.need) == spec.need;
	if (r < 0)  /* what failed after the program had run lost its outcome, not a wall */
		return (g->out.n == 0 || all) && g->err.msg[0] != '\0' ? 0 : -1;
	if (g->end.outcome.end != BAWN_END_EXIT || g->end.outcome.exit_code != 0)
		return g->out.n == 0 || all ? 0 : -1;
	return all ? 1 : g->out.n == 0 ? 0 : -1;  /* an interpreter that lost its output says nothing */
}

/* Every n of one call until it is never reached; *out says how it went. */
struct tally { int faults, closed, open_, last; };
static struct tally loop(const struct tmpdir *dir, const char *call, int step)
{
	struct tally t = { .last = -1 };
	bool fired = true;
	for (int n = 1; fired && n < 5000; n += step) {
		char path[96];
		auto_got g = { 0 };
		int r = wrap(dir, call, n, path, sizeof path) ? attempt(path, &g) : -1;
		fired = injected(dir) || r == 0;  /* a call that never came back is not in the log */
		t.faults += fired;
		t.closed += r == 0;
		t.open_ += r < 0;
		t.last = r;
		if (r < 0)
			diag("%s %d: %s; stdout '%.200s'; stderr '%.300s'", call, n, g.err.msg,
			     g.out.p != NULL ? g.out.p : "", g.errout.p != NULL ? g.errout.p : "");
	}
	return t;
}

static void judge(const char *call, struct tally t)
{
	ok(t.open_ == 0 && t.faults >= 1 && t.last == 1, "%s: %d faults, %d refused to run, none ran with a wall missing", call, t.faults, t.closed);
}

/* The calls of a log of strace's, each once, up to where a process runs something else than the launcher. */
#define CALLS_MAX 256
struct calls { char name[CALLS_MAX][32]; size_t n; };

static void note_call(struct calls *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->name[i], name) == 0)
			return;
	if (c->n < CALLS_MAX)
		snprintf(c->name[c->n++], sizeof c->name[0], "%s", name);
}

static void read_calls(char *log, struct calls *out)
{
	long gone[64];
	size_t n_gone = 0;
	for (char *save = NULL, *line = strtok_r(log, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
		char name[32];
		long pid;
		bool left = false;
		if (sscanf(line, "%ld %31[a-z0-9_](", &pid, name) != 2)
			continue;
		for (size_t i = 0; i < n_gone; i++)
			left = left || gone[i] == pid;
		if (!left)
			note_call(out, name);
		if (strstr(line, "execve(\"/usr/bin/python3\"") != NULL && n_gone < BAWN_LEN(gone))
			gone[n_gone++] = pid;
	}
}

static void every_call(const struct tmpdir *dir)
{
	char path[96];
	auto_got g = { 0 };
	bawn_auto_buf log = BAWN_BUF(64 * MIB);
	static struct calls calls;
	bool seen = wrap(dir, "all", 60000, path, sizeof path) && attempt(path, &g) == 1 && bawn_read_file(dir->fd, "log", &log, NULL) == 0;
	if (seen)
		read_calls(log.p, &calls);
	ok(seen && calls.n > 40, "the launcher makes %zu kinds of system calls", calls.n);
	for (size_t i = 0; i < calls.n; i++)
		judge(calls.name[i], loop(dir, calls.name[i], 1));
}

int main(void)
{
	if (geteuid() != 0 || access("/usr/bin/strace", X_OK) < 0) {
		skip("every wall's system calls made to fail", geteuid() != 0 ? "not root" : "strace is not installed");
		return done_testing();
	}
	(void)run_with, (void)out_is;
	auto_tmpdir dir = tmpdir_make();
	const char *which = getenv("BAWN_FAULTS");
	if (which != NULL && strcmp(which, "all") == 0)
		every_call(&dir);
	else if (which != NULL)
		judge(which, loop(&dir, which, 1));
	else
		for (size_t i = 0; i < BAWN_LEN(row); i++)
			judge(row[i].call, loop(&dir, row[i].call, row[i].every));
	return done_testing();
}
