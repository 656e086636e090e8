#!/usr/bin/python3
"""Limits adapt to the code and the host; what is computed is what the kernel enforces."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from bawntest import *

if not is_root():
    skip_all("reading limits back from cgroups needs root here")
w = World()
COMPLEX = "\n".join(["import math, json, statistics, itertools"] + [
    f"def f{i}(n):\n    total = 0\n    for a in range(n):\n        for b in range(n):\n            for c in range(3):\n"
    f"                if (a + b + c) % {i + 2} == 0:\n                    total += math.sqrt(a*b + c)\n                elif a > b:\n"
    f"                    total -= len(str(a) + str(b))\n    return total" for i in range(20)] + ["print(sum(f(2) for f in (f0, f1, f2)))"])
HOLD = "import time\ntime.sleep(20)\n"


FIRST_UID = 1900000000


def kernel(slot):
    """(memory, cpu quota in thousandths) of a running slot, from the kernel."""
    uid = FIRST_UID + slot
    mem = limit_of(uid, "memory.limit_in_bytes", "memory.max")
    quota, period = limit_of(uid, "cpu.cfs_quota_us"), limit_of(uid, "cpu.cfs_period_us")
    if quota is None:
        quota, period = (limit_of(uid, "cpu.max") or "0 1").split()
    return int(mem or 0), int(quota) * 1000 // int(period or 1), int(limit_of(uid, "pids.max") or 0)


def running(code, *options, prefix=(), world=w):
    """Starts a run, waits until its intent is in the log and it is in its cgroup; (process, slot)."""
    before = len(world.records("exec.intent"))
    p = subprocess.Popen([*prefix, *world.argv("run", "--json", *options, "-c", code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         stdin=subprocess.DEVNULL, env=world.env, cwd=world.dir)
    intents = wait_for(lambda: world.records("exec.intent")[before:], 30)
    slot = intents[0]["body"]["slot"] if intents else -1
    wait_for(lambda: limit_of(FIRST_UID + slot, "cgroup.procs"), 30)
    return p, slot


def finish(p):
    out, err = p.communicate(timeout=60)
    return Result(p.returncode, out.decode(), err.decode())


def measured(code, *options, prefix=(), world=w):
    """A run of `code` that sleeps at its end: its result, and what the kernel said meanwhile."""
    p, slot = running(code + "\n" + "import time\ntime.sleep(1.5)\n", *options, prefix=prefix, world=world)
    seen = kernel(slot)
    return finish(p), seen


def agree(r, seen, name):
    l = r["limits"]
    if seen is None:
        return ok(False, f"{name}: the kernel was asked")
    mem, cpu, pids = seen
    ok(mem == l["memory_bytes"] and abs(cpu - l["cpus"] * 1000) <= 1, f"{name}: the kernel has what the result says") or diag(f"{seen} {l}")


simple, ks = measured("print(1)")
agree(simple, ks, "print(1)")
complex_, kc = measured(COMPLEX)
agree(complex_, kc, "complex code")
equal((simple.code, complex_.code), (0, 0), "both ran")
a, b = simple["limits"], complex_["limits"]
ok(b["memory_bytes"] > a["memory_bytes"] and b["timeout_ms"] > a["timeout_ms"], f"complex code gets more memory and time ({a['memory_bytes']>>20}m/{a['timeout_ms']}ms -> {b['memory_bytes']>>20}m/{b['timeout_ms']}ms)")
ok(b["inputs"]["complexity"] > a["inputs"]["complexity"] and any("complex" in x for x in b["reasons"]), "and says why")
ok(kc[0] > ks[0], "the kernel agrees")

# Little memory in the own cgroup.
cg = None
for base in ("/sys/fs/cgroup/memory", "/sys/fs/cgroup"):
    name = "memory.limit_in_bytes" if base.endswith("memory") else "memory.max"
    if os.path.exists(f"{base}/cgroup.procs") and (base.endswith("memory") or "memory" in open(f"{base}/cgroup.controllers").read()):
        cg = f"{base}/test-adapt-{os.getpid()}"
        os.mkdir(cg)
        open(f"{cg}/{name}", "w").write(str(1 << 30))
        break
try:
    enter = ["sh", "-c", f'echo $$ > {cg}/cgroup.procs; exec "$@"', "sh"]
    tight, kt = measured("print(1)", prefix=enter)
    agree(tight, kt, "little memory")
    ok(tight["limits"]["memory_bytes"] < a["memory_bytes"] and tight["limits"]["inputs"]["available_bytes"] <= 1 << 30,
       f"with 1 GiB in the own cgroup the same script gets {tight['limits']['memory_bytes']>>20}m instead of {a['memory_bytes']>>20}m")
    ok(kt is not None and kt[0] < ks[0], "the kernel agrees")
finally:
    wait_for(lambda: not open(f"{cg}/cgroup.procs").read().strip(), 10)
    os.rmdir(cg)

# Twenty others.
others = [running(HOLD)[0] for _ in range(20)]
st = w.bawn("status", "--json")
ok(st["resources"]["running"] >= 20, "status counts them")
other_state = World()
crowded, kx = measured("print(1)", world=other_state)
ok(crowded["limits"]["memory_bytes"] < a["memory_bytes"] and crowded["limits"]["inputs"]["running"] >= 20,
   f"with twenty active, from another state directory, the same script gets {crowded['limits']['memory_bytes']>>20}m")
agree(crowded, kx, "twenty active")
equal([finish(p).code for p in others], [0] * 20, "the twenty end well")
again, _ = measured("print(1)")
equal(again["limits"]["memory_bytes"], a["memory_bytes"], "alone again, it gets what it got at first")
ok(wait_for(lambda: not cgroup_dirs(), 5), "nothing is left in the cgroup tree")

# Who has computed for a while gives way to those that begin.
def weight(slot):
    """Its part of the CPUs where others want them too; 1: as much as one that begins."""
    shares = limit_of(FIRST_UID + slot, "cpu.shares")
    return int(shares) / 1024 if shares else int(limit_of(FIRST_UID + slot, "cpu.weight") or 0) / 100


busy, busy_slot = running("while True: pass", "-t", "8s")
idle, idle_slot = running("import time\ntime.sleep(8)")
ok(wait_for(lambda: weight(busy_slot) == 0.25, 6), f"a run that has computed for a while has a quarter of a new one's part of the CPUs ({weight(busy_slot)})")
equal(weight(idle_slot), 1, "one that only waits keeps its own")
equal((finish(busy)["status"], finish(idle)["status"]), ("timeout", "completed"), "and both end as they would")

# The host is full: wait, then busy.
conf = w.config(sandbox="dynamic:\n  max_running: 1\nqueue_timeout: 1s\n")
p, _ = running("import time\ntime.sleep(12)\n")
r = w.run("print(1)", "--config", conf)
equal((r.code, r["status"], r["error"]["type"]), (125, "busy", "busy"), "a full host: busy after queue_timeout")
HIGH = "print('ran'); open('/etc/cron.d/x','w') if False else None"
conf_self = w.config(sandbox="dynamic:\n  max_running: 1\nqueue_timeout: 1s\n", security="overrides:\n  minimum: self\n  acknowledge_risk: true\n")
held = w.run(HIGH, "--config", conf_self)
w.bawn("approve", held["decision"]["approval_id"], "--reason", "fine", "--config", conf_self)
r = w.run(HIGH, "--config", conf_self, "--approval", held["decision"]["approval_id"])
equal((r.code, r["status"]), (125, "busy"), "a full host burns no approval: busy")
conf = w.config(sandbox="dynamic:\n  max_running: 1\nqueue_timeout: 30s\n")
r = w.run("print(1)", "--config", conf)
ok(r.code == 0 and r["timing"]["queue_us"] > 100000, "with more patience it waits its turn and runs") or r.show()
finish(p)
r = w.run(HIGH, "--config", conf_self, "--approval", held["decision"]["approval_id"])
equal((r.code, r["stdout"]), (0, "ran\n"), "and it still holds when there is a place")
done()
