#!/usr/bin/python3
"""Every limit has its own verdict, with threshold and actual value in the log; just below it nothing happens."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from conformance import *

MIB = 1 << 20
FILL = "import time\nx = bytearray(%d << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\nprint('filled', flush=True)"
FORK = "import os, time\nkids = []\ntry:\n  for i in range(%d):\n    pid = os.fork()\n    if pid == 0: time.sleep(20); os._exit(0)\n    kids.append(pid)\n" \
       "except OSError as e: print(e.errno, flush=True)\n%s\nfor k in kids: os.kill(k, 9)"
WRITE = "import time\ntry:\n  with open('big', 'wb', 0) as f:\n    for i in range(%d): f.write(bytes(1 << 20))\nexcept OSError as e: print(e.errno, flush=True)\n%s"
TOUCH = "import time\ntry:\n  for i in range(%d): open('f%%d' %% i, 'w').close()\nexcept OSError as e: print(e.errno, flush=True)\n%s"
OPEN = "import time\nkeep = []\ntry:\n  for i in range(%d): keep.append(open('/dev/null'))\nexcept OSError as e: print(e.errno, flush=True)\ntime.sleep(0.6)"
SLEEP = "time.sleep(60)"
few = "resources:\n  inodes: 64\n"
inodes, kill = w.config(sandbox=few), w.config(sandbox="on_violation: kill\n")
inodes_kill = w.config(sandbox=few + "on_violation: kill\n")


def row(name, code, options, want, resource=None, threshold=None, action=None, needs=None, **kw):
    """want = (exit status of bawn, status, exit_code, stdout); over a limit also what the log must say."""
    if needs and needs not in LAYERS:
        return skip(name, f"{World.backend} runs without {needs} here")
    r = w.run(code, *options, **kw)
    out = r["stdout"] if len(r["stdout"]) < 100 else len(r["stdout"])
    if isinstance(want[3], tuple) and out in want[3]:  # ended before or after it came to say so
        want = (*want[:3], out)
    equal((r.code, r["status"], r["exit_code"], out), want, name) or r.show()
    found = violations(r)
    if resource is None:
        return equal((found, [d for d in r["denials"] if d["kind"] == "limit"]), ({}, []), f"{name}: no violation") and r
    equal([(k, v[0], v[2]) for k, v in found.items()], [(resource, threshold, action)], f"{name}: recorded with threshold and action")
    ok(resource in found and found[resource][1] >= threshold, f"{name}: and with the value that passed it ({found})")
    if action == "noted":
        d = denied(r, resource)
        ok(d and d["count"] >= 1 and d["hint"] and d["source"] == "kernel", f"{name}: a denial with a hint") or r.show()
    return r


# time
row("wall time", "import time\nprint('a', flush=True)\ntime.sleep(60)", ("-t", "5s"), (124, "timeout", None, "a\n"), "time", 5000, "killed")
row("wall time, every signal ignored", "import signal, time\nfor s in range(1, 65):\n  try: signal.signal(s, signal.SIG_IGN)\n  except (OSError, ValueError): pass\n" + SLEEP,
    ("-t", "1s"), (124, "timeout", None, ""), "time", 1000, "killed")
row("wall time: below it", "import time\ntime.sleep(1)\nprint('b')", ("-t", "10s"), (0, "completed", 0, "b\n"))
# CPU time is timeout x cpus, and a cgroup gives no more CPU than that: which of the two clocks strikes first is open.
r = w.run("import os\nfor i in range(3): os.fork()\nwhile True: pass", "--cpus", "0.5", "-t", "2s")
ok(r.code == 124 and (r["status"], list(violations(r))) in (("cpu_limit", ["cpu_time"]), ("timeout", ["time"])) and r["exit_code"] is None,
   f"CPU time: busy processes end with 124 and their own status ({r['status']})") or r.show()
row("CPU time: below it", "import time\nwhile time.process_time() < 0.3: pass\nprint('c')", ("-t", "20s"), (0, "completed", 0, "c\n"))

# memory, and what only looks like it
row("memory", FILL % 400, ("-m", "100m"), (137, "memory_limit", None, ""), "memory", 100 * MIB, "killed", needs="cgroup")
row("memory of a child", "import subprocess, sys, time\nsubprocess.run([sys.executable, '-c', 'x = bytearray(400 << 20)'])\n" + SLEEP, ("-m", "100m"),
    (137, "memory_limit", None, ""), "memory", 100 * MIB, "killed", needs="cgroup")
row("memory in files", "import time\nf = open('/dev/shm/x', 'wb')\nx = bytearray(60 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\nfor i in range(45): f.write(bytes(1 << 20))\nprint('no')",
    ("-m", "100m"), (137, "memory_limit", None, ""), "memory", 100 * MIB, "killed", needs="cgroup")
row("memory: below it", FILL % 60, ("-m", "100m"), (0, "completed", 0, "filled\n"))
def at(adj):
    """As a service is started that is never to be killed, or first, when memory is short."""
    def enter():
        with open("/proc/self/oom_score_adj", "w") as f:
            f.write(str(adj))
    return enter
try:
    adj = -1000
    subprocess.run(["true"], preexec_fn=at(adj))
except subprocess.SubprocessError:  # without CAP_SYS_RESOURCE nobody is spared
    adj = 300
row(f"memory, of a caller at {adj} when it is short", FILL % 400, ("-m", "100m"), (137, "memory_limit", None, ""), "memory", 100 * MIB, "killed", needs="cgroup", preexec_fn=at(adj))
if World.backend == "native":
    row(f"memory: the code of a caller at {adj} is not spared", "print(open('/proc/self/oom_score_adj').read(), end='')", (), (0, "completed", 0, f"{max(adj, 0)}\n"), preexec_fn=at(adj))
for name, code, want in (
        ("a real segmentation fault", "import faulthandler\nfaulthandler._sigsegv()", (139, 11)),
        ("abort", "import os\nos.abort()", (134, 6)),
        ("SIGKILL to itself", "import os\nos.kill(os.getpid(), 9)", (137, 9)),
        ("SIGTERM to itself", "import os\nos.kill(os.getpid(), 15)", (143, 15))):
    r = w.run(code, "-m", "100m")
    equal((r.code, r["status"], r["exit_code"], r["signal"], violations(r)), (want[0], "failed", None, want[1], {}), f"not memory: {name}") or r.show()
r = row("not memory: MemoryError below the limit", "import resource\nresource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))\nx = bytearray(300 << 20)", ("-m", "400m"),
        (1, "failed", 1, ""))
r = row("not memory: more than there can be", "x = bytearray(1 << 46)", ("-m", "100m"), (1, "failed", 1, ""))
r = w.run("import subprocess\nprint(subprocess.run(['sh', '-c', 'kill -9 $$']).returncode)", "-m", "100m")
equal((r.code, r["status"], r["stdout"]), (0, "completed", "-9\n"), "not memory: a child that killed itself is the program's affair")

# processes
row("processes", FORK % (60, ""), ("--pids", "20"), (0, "completed", 0, "11\n"), "processes", 20, "noted", needs="cgroup")
row("processes: threads count", "import threading, time\nt = []\ntry:\n  for i in range(60):\n    t.append(threading.Thread(target=time.sleep, args=(4,))); t[-1].start()\nexcept RuntimeError: print('no more')",
    ("--pids", "20"), (0, "completed", 0, "no more\n"), "processes", 20, "noted", needs="cgroup")
row("processes, on_violation: kill", FORK % (60, SLEEP), ("--pids", "20", "--config", kill), (137, "pids_limit", None, ("", "11\n")), "processes", 20, "killed", needs="cgroup")
row("processes: below it", FORK % (15, "print('p')"), ("--pids", "20"), (0, "completed", 0, "p\n"))
r = w.lifted(":(){ :|:& };:\nsleep 20", "--pids", "20", "-t", "2s", lang="bash")
ok(r["status"] in ("timeout", "cpu_limit", "completed", "failed") and w.run("print(1)")["stdout"] == "1\n", f"a fork bomb ends, and the next run starts ({r['status']})") or r.show()

# disk, inodes, open files, output
row("disk", WRITE % (20, ""), ("--disk", "8m"), (0, "completed", 0, "28\n"), "disk", 8 * MIB, "noted")
row("disk, on_violation: kill", WRITE % (20, SLEEP), ("--disk", "8m", "--config", kill), (137, "disk_limit", None, ("", "28\n")), "disk", 8 * MIB, "killed")
row("disk: all three places together", "n = 0\nfor d in ('/workspace/', '/tmp/', '/dev/shm/'):\n  try:\n    with open(d + 'x', 'wb', 0) as f:\n      for i in range(6): n += f.write(bytes(1 << 20))\n"
    "  except OSError as e: pass\nprint(n <= 8 << 20)\nimport time\ntime.sleep(0.3)", ("--disk", "8m"), (0, "completed", 0, "False\n" if differs("disk") else "True\n"), "disk", 8 * MIB, "noted")
row("disk: below it", WRITE % (7, "print('d')"), ("--disk", "8m"), (0, "completed", 0, "d\n"))
row("inodes", TOUCH % (200, ""), ("--config", inodes), (0, "completed", 0, "28\n"), "inodes", 64, "noted")
row("inodes, on_violation: kill", TOUCH % (200, SLEEP), ("--config", inodes_kill), (137, "disk_limit", None, ("", "28\n")), "inodes", 64, "killed")
row("inodes: below it", TOUCH % (50, "print('i')"), ("--config", inodes), (0, "completed", 0, "i\n"))
row("open files", OPEN % 300, (), (0, "completed", 0, "24\n"), "open files", 256, "noted")
row("open files end no run", OPEN % 300, ("--config", kill), (0, "completed", 0, "24\n"), "open files", 256, "noted")
row("open files: below it", OPEN % 240, (), (0, "completed", 0, ""))
for fd, stream in ((1, "stdout"), (2, "stderr")):
    code = f"import os, time\nfor i in range(30): os.write({fd}, b'x' * 100000)\n"
    r = w.run(code)
    equal((r.code, r["status"], len(r[stream]), r["truncated"][stream]), (0, "completed", MIB, True), f"{stream}: cut at the limit, and the program goes on")
    equal((violations(r).get(stream), denied(r, stream) is not None), ((MIB, 3000000, "noted"), True), f"{stream}: noted, with what was written in all")
    r = w.run(code + SLEEP, "--config", kill)
    equal((r.code, r["status"], [(k, v[2]) for k, v in violations(r).items()]), (137, "output_limit", [(stream, "killed")]), f"{stream}, on_violation: kill") or r.show()
    r = w.run(f"import os\nfor i in range(16): os.write({fd}, b'x' * 65536)")
    equal((r.code, len(r[stream]), r["truncated"][stream], violations(r)), (0, MIB, False, {}), f"{stream}: exactly the limit is within it")

done()
