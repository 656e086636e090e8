#!/usr/bin/python3
"""cgroup v2 without root: a caller with a cgroup of its own gets limits on the whole tree, any other caller is told."""
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "integration"))
from bawntest import *

TOP = "/sys/fs/cgroup"
USER = os.environ.get("BAWN_TEST_USER", "nobody")
FILES = ("", "/cgroup.procs", "/cgroup.subtree_control")
made = []


def cgroup(name, own=False, on=False):
    """Makes a cgroup; `own` gives it to the user, `on` gives its children the controllers."""
    path = f"{TOP}/{name}"
    os.mkdir(path)
    made.append(path)
    if on:
        with open(path + "/cgroup.subtree_control", "w") as f:
            f.write("+cpu +memory +pids")
    for file in FILES if own else ():
        shutil.chown(path + file, USER)
    return path


class Placed(World):
    """A user's world whose bawn starts in a given cgroup."""

    def __init__(self, at):
        super().__init__(user=USER, base="/tmp")
        self.at = at

    def argv(self, *args):
        return ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', self.at, *super().argv(*args)]


def layers(world):
    return {row["layer"]: row for row in world.bawn("doctor", "--json")["layers"]}


me = f"test-{os.getpid()}"
foreign = Placed(cgroup(f"{me}-root"))
r = foreign.run("print(1)")
ok(r["stdout"] == "1\n" and "cgroup" in r["enforcement"]["missing"], "in root's cgroup it runs, and the missing layer is named") or r.show()
row = layers(foreign)["cgroup"]
ok(row["state"] == "missing" and "caller's own" in row["detail"] and "systemd-run --user --scope" in row["fix"], f"doctor says why and what to do ({row['detail']})")

# A directory of the user's that is not above where the user is: it could be filled, not joined.
cgroup("bawn", own=True, on=True)
r = foreign.run("print(2)")
ok(r["stdout"] == "2\n" and "cgroup" in r["enforcement"]["missing"], "a cgroup of its own elsewhere is no use, and no harm") or r.show()

own = cgroup(f"{me}-own", own=True, on=True)
w = Placed(cgroup(f"{me}-own/session", own=True))
equal(layers(w)["cgroup"]["state"], "active", "below a cgroup of its own the layer stands")
p = w.start("run", "--json", "-m", "96m", "--pids", "20", "--cpus", "0.5", "-c", "print('up', flush=True)\nimport time\ntime.sleep(3)")
FILES_OF = ("memory.max", "memory.swap.max", "pids.max", "cpu.max")


def limits_now():
    """Of a run that somebody is in, once they are set."""
    for d in glob.glob(own + "/bawn/run-*"):
        found = {f: open(f"{d}/{f}").read().strip() for f in FILES_OF}
        if open(d + "/cgroup.procs").read() and found["pids.max"] != "max":  # the last one
            return found


limits = wait_for(limits_now, 60) or {}
equal([limits.get(f) for f in FILES_OF], [str(96 << 20), "0", "20", "50000 100000"], "the kernel has the limits while it runs")
out, err = p.communicate(timeout=120)
ok("cgroup" in json.loads(out)["enforcement"]["layers"], "and the result names the layer") or diag(out.decode() + err.decode())
TREE = "import os, time\nfor i in range(3):\n  if os.fork() == 0:\n    x = bytearray(40 << 20)\n    time.sleep(60)\n    os._exit(0)\nfor i in range(3): os.wait()\nprint('all lived')"
equal(w.run(TREE, "-m", "80m")["status"], "memory_limit", "three processes of 40 MiB are over a limit of 80")
r = w.run("import os\nfor i in range(3):\n  if os.fork() == 0:\n    x = bytearray(40 << 20)\n    os._exit(0)\n  os.wait()\nprint('one by one')", "-m", "80m")
equal((r["status"], r["stdout"]), ("completed", "one by one\n"), "control: one after the other they are not")
ok(wait_for(lambda: not os.path.exists(own + "/bawn"), 10), "nothing of ours is left in the user's cgroup")

# Processes in the very directory that is the user's: v2 then gives its children no controllers.
inner = Placed(cgroup(f"{me}-inner", own=True))
r = inner.run("print(3)")
ok(r["stdout"] == "3\n" and "cgroup" in r["enforcement"]["missing"], "a user's cgroup with processes in it has none to give, and it runs") or r.show()
for path in reversed(made):
    ok(wait_for(lambda: not os.path.exists(path) or os.rmdir(path) is None, 10), f"{os.path.basename(path)} is empty in the end")
done()
