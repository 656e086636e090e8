#!/usr/bin/python3
"""What a run uses is watched while it runs, and stands in the result and in the log."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from conformance import *

MIB = 1 << 20
CODE = "import os, time\nx = bytearray(60 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1\nf = open('f', 'wb', 0); f.write(bytes(8 << 20))\nfor i in range(3):\n  if os.fork() == 0: time.sleep(0.5); os._exit(0)\n" \
       "while time.process_time() < 0.4: pass\ntime.sleep(0.3)\nos.unlink('f'); f.close()\ndel x"
r = w.run(CODE)
u = r["usage"]
equal(r.code, 0, "the run is fine") or r.show()
ok(u["wall_ms"] >= 700 and u["samples"] >= 4, f"it was looked at while it ran: {u['samples']} samples in {u['wall_ms']} ms")
ok(u["disk_bytes"] >= 8 * MIB, f"the most disk that was in use, not what was left ({u['disk_bytes']})")
if "cgroup" in LAYERS:
    ok(u["cpu_ms"] >= 400 and 60 * MIB <= u["peak_memory_bytes"] < 120 * MIB and u["peak_pids"] >= 4, f"CPU time, memory and processes, of all of it together ({u})")
else:
    skip("CPU time, memory and processes", f"{World.backend} runs without cgroup here")
records = {x["type"]: x for x in w.records() if x["exec"] == r["id"]}
equal(records["exec.outcome"]["body"]["usage"], u, "the log has the same numbers")
equal((records["sandbox.created"]["body"]["backend"], records["sandbox.created"]["body"]["layers"]), (World.backend, r["enforcement"]["layers"]), "and which walls stood")
small = w.run("print(1)")["usage"]
ok(small["disk_bytes"] < MIB and (small["peak_memory_bytes"] or 0) < (u["peak_memory_bytes"] or 1), f"control: a small program uses less ({small})")
fast = w.config(sandbox="monitoring:\n  sample_interval: 20ms\n")
slow = w.config(sandbox="monitoring:\n  sample_interval: 1s\n")
often, seldom = (w.run("import time\ntime.sleep(1.5)", "--config", c)["usage"]["samples"] for c in (fast, slow))
ok(often > 3 * seldom, f"as often as the policy says ({often} against {seldom})")

# People see it with --stats; a violation is in the history too.
r = w.bawn("run", *w.chosen(), "--stats", "-c", "import time\ntime.sleep(0.3)")
line = next((l for l in r.err.splitlines() if "stats:" in l), "")
ok(all(word in line for word in ("wall", "cpu", "memory", "processes", "disk", "samples")), "--stats says what was used") or r.show()
over = w.run("print('x' * 3000000)")
equal(next(h for h in w.bawn("history", "--json").json if h["id"] == over["id"])["violations"], 1, "history counts violations")
v = next(x for x in w.records("limit.violation") if x["exec"] == over["id"])
equal((v["body"], v["severity"] in ("LOW", "MEDIUM", "HIGH")), ({"resource": "stdout", "threshold": MIB, "actual": 3000001, "action": "noted"}, True), "a violation is resource, threshold, value and action")
done()
