#!/usr/bin/python3
"""kill -9 in mid-run: nothing of the run survives, the next start sweeps and records what was lost."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from bawntest import *

w = World()
MARK = f"crash-{os.getpid()}"
CODE = "import os,time,subprocess\nif os.fork()==0:\n  os.setsid()\n  if os.fork()==0:\n    os.execvp('sleep',['sleep','312'])\n  os._exit(0)\nprint('up',flush=True)\ntime.sleep(311)\n"


def alive():
    return processes_with("/code/main.py") + processes_with("sleep\x00312")


def launchers():
    return processes_of(os.path.join(BUILD, "libexec/bawn/launch"))


def kill(*pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def begin():
    p = w.start("run", "-c", CODE, "--", MARK)
    line = p.stdout.readline()
    return p, line


p, line = begin()
ok(line == b"up\n" and wait_for(lambda: len(alive()) >= 2 and launchers()), "control: the run, its daemonised child and its launcher are alive")
mounts = len(open("/proc/mounts").readlines())
os.kill(p.pid, signal.SIGKILL)
start = time.time()
p.wait()
ok(wait_for(lambda: not alive() and not launchers(), 20), f"kill -9 of bawn: nothing of the run is alive after {time.time()-start:.2f} s")
equal(len(w.records("exec.outcome")), 0, "no outcome was recorded")
r = w.run("print(1)")
equal(r.code, 0, "the next run works")
lost = w.records("exec.lost")
equal(len(lost), 1, "and the lost one is recorded")
equal((lost[0]["exec"], lost[0]["body"]["level"]), (w.records("exec.intent")[0]["exec"], "MEDIUM" if lost[0]["body"]["level"] == "MEDIUM" else "LOW"), "by its id, with what was known of it")
equal(len(w.records("exec.lost")), len([w.run("print(1)")]) and 1, "once")
rows = w.bawn("history", "--json").json
ok(any(x["id"] == lost[0]["exec"] and x["status"] == "killed" for x in rows), "history has it")

# The supervisor itself is killed: the result says so, nothing survives.
p, line = begin()
pids = launchers()
ok(len(pids) >= 1, "control: there is a launcher")
kill(*pids)
out, err = p.communicate(timeout=20)
ok(wait_for(lambda: not alive(), 20), "kill -9 of the launcher: nothing of the run is alive")
ok(p.returncode in (125, 137), f"bawn says that it failed ({p.returncode})")
ok(w.records("exec.outcome")[-1]["body"]["status"] in ("killed", "error"), "and the outcome is recorded")

# Both at once, several times.
for i in range(5):
    p, line = begin()
    kill(p.pid, *launchers())
    p.wait()
ok(wait_for(lambda: not alive() and not launchers(), 20), "both killed, five times: nothing is alive")
r = w.run("print(1)")
equal((r.code, len(w.records("exec.lost"))), (0, 6), "the next start records all five")
ok(wait_for(lambda: not cgroup_dirs(), 5), "no cgroup is left")
ok(len(open("/proc/mounts").readlines()) <= mounts, "no mount is left")
equal([n for n in os.listdir(w.state + "/running") if n != "boot"], [], "no mark of a running execution is left")
equal(w.bawn("audit", "verify").code, 3, "the log verifies")

# An intent filled to the brim, then kill -9: the state directory stays usable.
args = ["\x01" * 8000 for _ in range(16)]
p = w.start("run", "-c", CODE, *args)
p.stdout.readline()
os.kill(p.pid, signal.SIGKILL)
p.wait()
r = w.run("print(1)")
equal((r.code, len(w.records("exec.lost"))), (0, 7), "the largest intent can be called lost") or r.show()

# Ctrl-C ends the run cleanly.
p, line = begin()
os.killpg(p.pid, signal.SIGINT)
out, err = p.communicate(timeout=20)
equal(p.returncode, 130, "Ctrl-C: 130")
equal(w.records("exec.outcome")[-1]["body"]["status"], "cancelled", "recorded as cancelled")
ok(not alive(), "and nothing is alive when bawn returns")
done()
