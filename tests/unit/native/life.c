/* life.c - nothing outlives its run, whoever dies first. */
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include "harness.h"

#define SLOT 640u
#define UID (880000u + SLOT)
#define SLEEP "import time; print('up', flush=True); time.sleep(60)"

static bool read_small(const char *path, char *out, size_t size)
{
	bawn_auto_fd fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, out, size - 1) : -1;
	out[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Processes whose /proc/PID/status has `key` with this number; *out_pid is one of them. */
static int count_status(const char *key, unsigned want, const char *name, pid_t *out_pid)
{
	int n = 0;
	bawn_auto_dir d = opendir("/proc");
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL; ) {
		char path[300], text[2048];
		snprintf(path, sizeof path, "/proc/%s/status", e->d_name);
		if (e->d_name[0] < '0' || e->d_name[0] > '9' || !read_small(path, text, sizeof text))
			continue;
		const char *at = strstr(text, key);
		/* One that has no memory any more is dead; who reaps it when the launcher was killed, and how
		 * soon, is up to the host's PID 1. */
		if (at == NULL || strstr(text, "\nVmSize:") == NULL || strtoul(at + strlen(key), NULL, 10) != want || (name != NULL && strncmp(text + 6, name, strlen(name)) != 0))
			continue;
		n++;
		if (out_pid != NULL)
			*out_pid = (pid_t)strtol(e->d_name, NULL, 10);
	}
	return n;
}
static int alive(void) { return count_status("\nUid:\t", UID, NULL, NULL); }

static bool until(bool (*cond)(void), int ms)
{
	for (; ms > 0; ms -= 10) {
		if (cond())
			return true;
		(void)usleep(10000);
	}
	return cond();
}
static bool some(void) { return alive() >= 2; }   /* init and the program */
static bool none(void) { return alive() == 0; }

static bool no_dirs(void) { return cgroup_dirs(launcher_pid) == 0; }

static unsigned entries(const char *dir)
{
	unsigned n = 0;
	bawn_auto_dir d = opendir(dir);
	while (d != NULL && readdir(d) != NULL)
		n++;
	return n;
}
static unsigned mounts(void)
{
	bawn_auto_buf b = BAWN_BUF(1u << 20);
	unsigned n = 0;
	if (bawn_read_file(AT_FDCWD, "/proc/self/mountinfo", &b, NULL) == 0)
		for (size_t i = 0; i < b.n; i++)
			n += b.p[i] == '\n';
	return n;
}

static void daemons(void)
{
	auto_got g = run(&(struct job){ .slot = SLOT, .code = "import os,time\nif os.fork()==0:\n  os.setsid()\n  if os.fork()==0:\n    time.sleep(60)\n  os._exit(0)\ntime.sleep(0.2); print('done')" });
	ok(out_is(&g, "done\n") && none() && g.took_us < 25000000, "a double-forked daemon dies with its run");
	auto_got b = run(&(struct job){ .slot = SLOT, .lang = BAWN_LANG_BASH, .code = "sleep 60 & echo bg" });
	ok(out_is(&b, "bg\n") && none() && b.took_us < 25000000, "so does a background child that holds the pipes open");
	auto_got k = run(&(struct job){ .slot = SLOT, .code = "import os\nfor p in (-1, 1):\n  try: os.kill(p, 9)\n  except OSError as e: print(e.errno)\nprint('here')" });
	ok(k.ended && strstr(k.out.p, "here") != NULL, "kill(-1) and kill(1) reach nobody else");
}

static void client_dies(void)
{
	pid_t child = fork();
	if (child == 0) {
		struct got g;
		struct bawn_sandbox *s;
		(void)begin(&(struct job){ .slot = SLOT, .code = SLEEP }, &s, &g);
		pause();
	}
	bool up = until(some, 20000) && count_status("\nPPid:\t", (unsigned)child, "launch", &launcher_pid) == 1 && !no_dirs();
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
	ok(up && until(none, 10000), "kill -9 of the client: soon nothing is alive");
	ok(until(no_dirs, 10000), "and the launcher removed the cgroups");
}

static struct bawn_sandbox *sleeping(struct got *g)
{
	struct bawn_sandbox *s = NULL;
	return begin(&(struct job){ .slot = SLOT, .code = SLEEP }, &s, g) == 0 ? s : NULL;
}

/* Holds the directories as the launcher does: until all are let go again no sweep takes them, whoever sweeps. */
static void hold(int fd[static 8])
{
	glob_t g = cgroup_paths(launcher_pid, "");
	for (size_t i = 0; i < 8; i++) {
		fd[i] = i < g.gl_pathc ? open(g.gl_pathv[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		(void)flock(fd[i], LOCK_SH);
	}
	globfree(&g);
}

static void launcher_dies(void)
{
	int fd[8];
	auto_got g;
	struct bawn_sandbox *s = sleeping(&g);
	pid_t dead = launcher_pid;
	bool up = s != NULL && until(some, 20000);
	hold(fd);
	if (up)
		(void)kill(dead, SIGKILL);
	ok(up && until(none, 10000), "kill -9 of the launcher: soon nothing is alive");
	ok(follow(s, &g, NULL, NULL) < 0, "and the client is told that the run is lost");
	bawn_native_backend.release(s);
	auto_got next = run(&(struct job){ .slot = SLOT, .code = "print('next')" });
	ok(out_is(&next, "next\n"), "the next run in the slot works");
	unsigned n = 99;
	ok(bawn_native_backend.sweep("/nonexistent", &n, NULL) == 0 && cgroup_dirs(dead) > 0, "its cgroups are left, and a sweep leaves alone what is locked");
	for (size_t i = 0; i < BAWN_LEN(fd); i++)
		bawn_close_fdp(&fd[i]);
	ok(bawn_native_backend.sweep("/nonexistent", &n, NULL) == 0 && cgroup_dirs(dead) == 0, "and removes what is not");
}

static ino_t namespace_of(pid_t pid, const char *name)
{
	struct stat st;
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/ns/%s", pid, name);
	return stat(path, &st) == 0 ? st.st_ino : 0;
}

static void init_dies(void)
{
	auto_got g;
	struct bawn_sandbox *s = sleeping(&g);
	pid_t launcher = 0, init = 0, program = 0;
	bool up = s != NULL && until(some, 20000) && count_status("\nPPid:\t", (unsigned)getpid(), "launch", &launcher) == 1 &&
	          count_status("\nPPid:\t", (unsigned)launcher, "launch", &init) == 1 &&
	          count_status("\nPPid:\t", (unsigned)launcher, "python3", &program) == 1;
	static const char *const shared[] = { "net", "mnt", "ipc", "uts", "pid" };
	for (size_t i = 0; i < BAWN_LEN(shared); i++)
		ok(up && namespace_of(init, shared[i]) != 0 && namespace_of(init, shared[i]) == namespace_of(program, shared[i]) &&
		   namespace_of(init, shared[i]) != namespace_of(launcher, shared[i]) && namespace_of(launcher, shared[i]) == namespace_of(getpid(), shared[i]),
		   "init and the program share a %s namespace that is not the launcher's, which has the host's", shared[i]);
	if (up)
		(void)kill(init, SIGKILL);
	ok(up && follow(s, &g, NULL, NULL) == 0 && g.end.outcome.end == BAWN_END_KILLED && none(), "killed from outside is not its own signal");
	bawn_native_backend.release(s);
}

static void cancelled(void)
{
	auto_got g;
	struct bawn_sandbox *s = sleeping(&g);
	(void)until(some, 20000);
	uint64_t t = bawn_monotonic_us();
	ok(s != NULL && bawn_native_backend.kill(s) == 0 && follow(s, &g, NULL, NULL) == 0 && g.end.outcome.end == BAWN_END_CANCELLED && none() &&
	   bawn_monotonic_us() - t < 25000000, "kill ends the run as cancelled");
	bawn_native_backend.release(s);
	struct job j = { .slot = SLOT, .code = "" };
	auto_test_slot slot = test_slot_take(SLOT);
	struct bawn_sandbox_spec spec = spec_of(&j, slot.fd);
	struct bawn_enforcement e;
	s = NULL;
	int r = prepared(&spec, &s, &e, NULL);
	bool good = r == 0 && some();
	bawn_native_backend.release(s);
	ok(good && none() && no_dirs(), "a sandbox released before it was started leaves nothing");
	bawn_native_backend.release(NULL);
}

static void odd_hosts(void)
{
	(void)signal(SIGCHLD, SIG_IGN);
	auto_got g = run(&(struct job){ .slot = SLOT, .code = "print(1)" });
	ok(out_is(&g, "1\n"), "a host that ignores SIGCHLD");
	(void)signal(SIGCHLD, SIG_DFL);
	auto_got h;
	struct bawn_sandbox *s = sleeping(&h);
	pid_t launcher = 0;
	(void)count_status("\nPPid:\t", (unsigned)getpid(), "launch", &launcher);
	(void)kill(launcher, SIGKILL);
	ok(waitpid(-1, NULL, 0) == launcher, "a host that reaps everything takes the launcher's status");
	bawn_native_backend.release(s);
	unsigned swept = 0;
	ok(until(none, 10000), "and release still comes back");
	ok(bawn_native_backend.sweep("/nonexistent", &swept, NULL) == 0 && cgroup_dirs(launcher) == 0, "and what it left is swept");
	sigset_t all, old;
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &old);
	auto_got m = run(&(struct job){ .slot = SLOT, .lang = BAWN_LANG_BASH, .code = "grep -E 'SigBlk|SigIgn' /proc/self/status" });
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	ok(out_is(&m, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"), "the host's signal mask stays the host's");
	int leak = open("/etc/passwd", O_RDONLY);  /* on purpose not close-on-exec */
	auto_got f = run(&(struct job){ .slot = SLOT, .code = "import os; print(sorted(os.listdir('/proc/self/fd')))" });
	ok(out_is(&f, "['0', '1', '2', '3']\n"), "only 0, 1, 2 (and the listing itself) are open");
	(void)close(leak);
}

static void nothing_left(void)
{
	auto_got first = run(&(struct job){ .slot = SLOT, .code = "1" });
	ok(first.ended, "a first run, to fill every cache");
	unsigned fds = entries("/proc/self/fd"), m = mounts(), bad = 0;
	size_t dirs = 0;
	int children = count_status("\nPPid:\t", (unsigned)getpid(), NULL, NULL);
	for (int i = 0; i < 50; i++) {
		auto_got g = run(&(struct job){ .slot = SLOT, .code = "open('x','w').write('y'*100000); print(1)" });
		dirs += cgroup_dirs(launcher_pid);
		if (!out_is(&g, "1\n")) {
			bad++;
			diag("run %d: %s; end %d, code %d, out '%.50s', err '%.300s'", i, g.err.msg, (int)g.end.outcome.end, g.end.outcome.exit_code,
			     g.out.p != NULL ? g.out.p : "", g.errout.p != NULL ? g.errout.p : "");
		}
	}
	ok(bad == 0, "fifty runs, fifty answers");
	ok(entries("/proc/self/fd") == fds, "no descriptor is left");
	ok(mounts() == m, "no mount");
	ok(none() && count_status("\nPPid:\t", (unsigned)getpid(), NULL, NULL) == children, "no process");
	ok(dirs == 0, "no cgroup");
}

int main(void)
{
	if (geteuid() != 0) {
		skip("lifetime of a run", "not root: processes are told apart by their uid");
		return done_testing();
	}
	daemons();
	client_dies();
	launcher_dies();
	init_dies();
	cancelled();
	odd_hosts();
	nothing_left();
	return done_testing();
}
