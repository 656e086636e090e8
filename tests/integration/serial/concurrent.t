#!/usr/bin/python3
"""Two hundred embedded runs at once on one state directory: all answered, all recorded, the log verifies."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from bawntest import *

N = int(os.environ.get("BAWN_TEST_RUNS", "200"))
w = World()
conf = w.config(sandbox="queue_timeout: 10m\n")
procs = [w.start("run", "--json", "--config", conf, "--label", f"n={i}", "-c", f"print({i}*{i})") for i in range(N)]
results = []
for i, p in enumerate(procs):
    out, err = p.communicate(timeout=900)
    results.append(Result(p.returncode, out.decode(), err.decode()))
bad = [i for i, r in enumerate(results) if r.code != 0 or r.json is None or r["stdout"] != f"{i*i}\n"]
equal(bad, [], f"all {N} are answered, each with its own answer")
for i in bad[:3]:
    results[i].show()
ids = {r["id"] for r in results if r.json}
equal(len(ids), N, "each has its own id")
recs = w.records()
equal({r["exec"] for r in recs if r["type"] == "exec.intent"}, ids, "every intent is recorded")
equal({r["exec"] for r in recs if r["type"] == "exec.outcome"}, ids, "every outcome is recorded")
equal(len([r for r in recs if r["type"] == "exec.lost"]), 0, "none is called lost")
equal(len({(r["audit"]["intent_seq"]) for r in results} | {(r["audit"]["outcome_seq"]) for r in results}), 2 * N, "each receipt is its own")
v = w.bawn("audit", "verify", "--json")
equal((v.code, v["ok"], v["entries"]), (3, True, len(recs)), "the log verifies")
ok(wait_for(lambda: not cgroup_dirs(), 10), "no cgroup is left")
if is_root():
    ok(wait_for(lambda: not glob.glob("/sys/fs/cgroup/*/bawn") + glob.glob("/sys/fs/cgroup/bawn"), 10), "nor the directory they were in")
ok(wait_for(lambda: not processes_with("/code/main.py"), 5), "no process is left") or diag(describe(processes_with("/code/main.py")))
equal([n for n in os.listdir(w.state + "/running") if n != "boot"], [], "no mark is left")
# Without a uid of its own a run shares the kernel's count of descriptors in flight with the user's others: the next one starts all the same.
u = World(os.environ.get("BAWN_TEST_USER", "nobody") if is_root() else None)
p = u.start("run", "-c", """import socket, sys
a, b = socket.socketpair()
try:
    while True: socket.send_fds(a, [b'x'], [a.fileno()] * 200)
except OSError: print('full', flush=True)
import time; time.sleep(60)""")
full = p.stdout.readline()
r = u.run("print(6 * 7)")
equal((full, r["stdout"]), (b"full\n", "42\n"), "a run that has as many descriptors in flight as it may stops nobody") or r.show()
p.send_signal(signal.SIGINT)
p.communicate(timeout=30)
if is_root() and shutil.which("strace"):
    # A probe lives as long as its launcher: a run that starts meanwhile must not take it for a dead one's remains.
    slow = ["strace", "-f", "-o", "/dev/null", "-e", "trace=pivot_root", "-e", "inject=pivot_root:delay_enter=2000000"]
    others = cgroups()
    p = subprocess.Popen([*slow, BAWN, "doctor", "--json"], stdout=subprocess.PIPE, env=w.env)
    made = wait_for(lambda: [d for d in cgroups() if d not in others], 10)
    equal(w.run("print(1)").code, 0, "a run starts while a probe is at work")
    doctor = json.loads(p.communicate(timeout=60)[0])
    ok(made and doctor["usable"], "and leaves the probe's cgroups alone") or diag(doctor["summary"])
done()
