/* limits.c - each limit by its own status or denial, read back from the kernel while it holds. */
#include "harness.h"
#include <sys/wait.h>

#define PY BAWN_LANG_PYTHON
#define SH BAWN_LANG_BASH

/* As root, or where an unprivileged user has a cgroup of its own. */
static bool by_cgroup(void)
{
	auto_got g = run(&(struct job){ .code = "1" });
	return (g.walls.layers & BAWN_LAYER_BIT(CGROUP)) != 0;
}

static void time_limits(void)
{
	for (uint64_t ms = 100; ms <= 1000; ms *= 10) {
		auto_got g = run(&(struct job){ .code = "while True: pass", .timeout_ms = ms });
		ok(g.end.outcome.end == BAWN_END_TIMEOUT && g.end.usage.wall_us >= ms * 1000 &&
		   g.end.outcome.threshold == ms && g.end.outcome.actual >= ms, "the wall clock ends a run at %llu ms", (unsigned long long)ms);
	}
	auto_got s = run(&(struct job){ .code = "import signal,time\nfor i in range(1,65):\n  try: signal.signal(i, signal.SIG_IGN)\n  except Exception: pass\ntime.sleep(60)", .timeout_ms = 300 });
	ok(s.end.outcome.end == BAWN_END_TIMEOUT && s.took_us < 60000000, "ignoring every signal does not help");
	auto_got z = run(&(struct job){ .lang = SH, .code = "kill -STOP $$", .timeout_ms = 300 });
	ok(z.end.outcome.end == BAWN_END_TIMEOUT, "nor does stopping oneself");
	auto_got c = run(&(struct job){ .code = "while True: pass", .cpu_ms = 300, .timeout_ms = 10000 });
	ok(c.end.outcome.end == BAWN_END_CPU && c.end.usage.cpu_us >= 300000, "CPU time has its own limit");
}

static void cpu_share(void)
{
	auto_got g = run(&(struct job){ .cpus_milli = 1000, .timeout_ms = 2000, .code =
		"import os,time\nfor i in range(3):\n  if os.fork()==0: break\nwhile True: pass" });
	double rate = (double)g.end.usage.cpu_us / (double)(g.end.usage.wall_us + 1);
	ok(g.end.outcome.end == BAWN_END_TIMEOUT && rate <= 1.15 && rate > 0.01, "four busy processes under one CPU use at most 1.15 CPU-seconds a second (%.3f)", rate);
}

static void memory(void)
{
	auto_got g = run(&(struct job){ .memory = 64 * MIB, .code = "x=[]\nwhile True: x.append(bytearray(1<<20))" });
	ok(g.end.outcome.end == BAWN_END_MEMORY && g.end.outcome.threshold == 64 * MIB && g.end.usage.peak_memory_bytes > 60 * MIB,
	   "running out of memory is the memory limit, not a crash");
	auto_got c = run(&(struct job){ .memory = 64 * MIB, .lang = SH, .code = "python3 -c 'x=bytearray(1<<28)'; sleep 20; echo went on" });
	ok(c.end.outcome.end == BAWN_END_MEMORY && c.out.n == 0, "also when only a child was killed for it");
	auto_got s = run(&(struct job){ .memory = 64 * MIB, .disk = 256 * MIB, .code = "f=open('/dev/shm/x','wb')\nwhile True: f.write(bytes(1<<20))" });
	ok(s.end.outcome.end == BAWN_END_MEMORY, "tmpfs pages count as memory");
	auto_got v = run(&(struct job){ .memory = 64 * MIB, .code = "import ctypes; ctypes.string_at(0)" });
	ok(v.end.outcome.end == BAWN_END_SIGNAL && v.end.outcome.signal == 11, "a crash is a crash");
}

static void processes(void)
{
	auto_got g = run(&(struct job){ .pids = 16, .code =
		"import os,time\nn=0\nwhile n<20:\n  try: os.fork()\n  except OSError as e: assert e.errno==11; n+=1; time.sleep(0.05)" });
	const struct bawn_denial *d = denial(&g, "processes");
	ok(g.end.outcome.end == BAWN_END_EXIT && g.end.outcome.exit_code == 0 && d != NULL && d->count > 0 && d->threshold == 16 && d->kind == BAWN_DENIAL_LIMIT && g.max_pids <= 16 &&
	   g.end.usage.peak_pids == 16, "a fork bomb stays within its processes and is noted");
	auto_got b = run(&(struct job){ .lang = SH, .pids = 16, .timeout_ms = 3000, .code = ":(){ :|:& };:; sleep 30" });
	ok(b.ended && b.max_pids <= 16 && b.took_us < 30000000, "the bash one too");
	auto_got k = run(&(struct job){ .pids = 16, .on_violation = BAWN_VIOLATION_KILL, .timeout_ms = 20000, .code = "import os,time\nwhile True:\n  try: os.fork()\n  except OSError: time.sleep(1)" });
	ok(k.end.outcome.end == BAWN_END_PIDS && k.end.outcome.threshold == 16, "on_violation: kill ends it");
	auto_got n = run(&(struct job){ .pids = 1, .code = "print(1)" });
	ok(out_is(&n, "1\n"), "one process is enough for one process");
}

static void disk(void)
{
	auto_got g = run(&(struct job){ .disk = 4 * MIB, .code =
		"import errno\nn=0\nfor d in ('/workspace/','/tmp/','/dev/shm/'):\n  f=open(d+'x','wb',0)\n  try:\n    while True: n+=f.write(bytes(65536))\n  except OSError as e: assert e.errno==errno.ENOSPC\nprint(n<=4<<20, n>3<<20)" });
	const struct bawn_denial *d = denial(&g, "disk");
	ok(out_is(&g, "True True\n") && d != NULL && d->threshold == 4 * MIB, "a full disk gives ENOSPC, for all three places together, and is noted");
	auto_got i = run(&(struct job){ .inodes = 64, .code = "n=0\ntry:\n  for n in range(1000): open(f'f{n}','w').close()\nexcept OSError as e: print(n<=64, e.errno)" });
	ok(out_is(&i, "True 28\n"), "inodes are limited");
	auto_got s = run(&(struct job){ .disk = 4 * MIB, .code = "f=open('x','wb')\ntry: f.truncate(1<<60)\nexcept OSError as e: print(e.errno)" });
	ok(out_is(&s, "27\n"), "sparse files are limited");
	auto_got k = run(&(struct job){ .disk = MIB, .on_violation = BAWN_VIOLATION_KILL, .lang = SH, .code = "head -c 2000000 /dev/zero > x; sleep 20" });
	ok(k.end.outcome.end == BAWN_END_DISK, "on_violation: kill ends it");
}

static void output(void)
{
	auto_got g = run(&(struct job){ .output = 100000, .code = "import sys\nsys.stderr.write('e'*150000)\nfor i in range(3000): sys.stdout.write('x'*1000)" });
	const struct bawn_denial *o = denial(&g, "stdout"), *e = denial(&g, "stderr");
	ok(g.end.outcome.end == BAWN_END_EXIT && g.out.n == 100000 && g.errout.n == 100000 && g.end.outcome.truncated[1] && g.end.outcome.truncated[2] &&
	   o != NULL && o->actual == 3000000 && e != NULL && e->actual == 150000, "output over the limit is cut, drained and noted; the program goes on");
	auto_got k = run(&(struct job){ .output = 1000, .on_violation = BAWN_VIOLATION_KILL, .code = "while True: print('x'*1000)" });
	ok(k.end.outcome.end == BAWN_END_OUTPUT && k.out.n == 1000, "on_violation: kill ends it");
	auto_got b = run(&(struct job){ .output = 8 * MIB, .code = "import sys\nfor i in range(8): sys.stdout.write('y'*(1<<20))" });
	ok(b.out.n == 8 * MIB && !b.end.outcome.truncated[1], "eight megabytes come through whole");
}

static void usage(void)
{
	auto_got g = run(&(struct job){ .code = "import time\nx=bytearray(50<<20)\nopen('f','wb').write(bytes(1<<20))\nwhile time.process_time()<0.3: pass\ntime.sleep(0.3)" });
	const struct bawn_usage *u = &g.end.usage;
	ok(g.usages >= 5 && u->samples >= g.usages && u->wall_us > 600000 && u->wall_us < g.took_us && u->cpu_us >= 300000 && u->cpu_us < u->wall_us &&
	   u->disk_bytes >= MIB && u->disk_bytes < 2 * MIB, "usage is what was used");
	if (geteuid() == 0 || u->has_memory)
		ok(u->has_memory && u->peak_memory_bytes > 50 * MIB && u->peak_memory_bytes < 100 * MIB && u->has_peak_pids && u->peak_pids >= 1, "memory and processes too");
}

/* The kernel's files say what was asked, while the program runs. */
static void read_back(void *ctx, struct got *g)
{
	static const struct { const char *name; uint64_t want; } file[] = {
		{ "/memory.limit_in_bytes", 96 * MIB }, { "/memory.max", 96 * MIB }, { "/pids.max", 17 }, { "/cpu.cfs_quota_us", 150000 }, { "/cpu.max", 150000 } };
	unsigned *good = ctx;
	if (*good != 0 || g->out.n == 0)
		return;
	for (size_t i = 0; i < BAWN_LEN(file); i++) {
		glob_t found = cgroup_paths(launcher_pid, file[i].name);
		for (size_t k = 0; k < found.gl_pathc; k++) {
			bawn_auto_buf text = BAWN_BUF(4096);
			*good += bawn_read_file(AT_FDCWD, found.gl_pathv[k], &text, NULL) == 0 && strtoull(text.p, NULL, 10) == file[i].want;
		}
		globfree(&found);
	}
}

static void stand(void)
{
	unsigned good = 0;
	struct job j = { .memory = 96 * MIB, .pids = 17, .cpus_milli = 1500, .code = "print(1); import time; time.sleep(3)" };
	auto_got g = run_with(&j, read_back, &good);
	ok(good == 3 && g.end.outcome.exit_code == 0, "the limits stand in the cgroup while the program runs");
}

int main(void)
{
	time_limits();
	output();
	usage();
	disk();
	if (!by_cgroup()) {
		skip("memory, processes and CPU share by cgroup", "neither root nor a cgroup of one's own");
		return done_testing();
	}
	cpu_share();
	memory();
	processes();
	if (geteuid() == 0)
		stand();
	auto_got tight = run(&(struct job){ .memory = 64 * MIB, .pids = 3, .disk = MIB, .code = "1" }), wide = run(&(struct job){ .memory = 1024 * MIB, .pids = 100, .code = "1" });
	ok(tight.walls.layers == wide.walls.layers && tight.walls.layers != 0, "limits change numbers, never walls");
	return done_testing();
}
