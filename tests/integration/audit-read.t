#!/usr/bin/python3
"""Reading the log: the filters of list, show and tail; tail follows what is written, over segments too, and
ends cleanly; a log changed under it is noticed."""
import os, signal, subprocess, sys, threading
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

MAKE = os.path.join(BUILD, "tests/unit/audit/audit-make")
w = World()
LOW, MEDIUM = "print(6*7)", "import subprocess\nsubprocess.run(['true'])"
one = w.run(LOW, "--label", "name=answer", "--label", "team=a", "--session", "s1")
two = w.run(MEDIUM, "--label", "name=other", "--session", "s2")
three = w.run("import time; time.sleep(30)", "-t", "1s", "--label", "name=answer")
records = w.records()


def chosen(*options):
    """What the options must choose, told by Python from the stored records."""
    o = list(options)
    keep = lambda r: True
    while o:
        name, value, rest = o[0], o[1], keep
        keep = {
            "--type": lambda r, v=value, k=rest: k(r) and (r["type"] == v or r["type"].startswith(v + ".")),
            "--level": lambda r, v=value, k=rest: k(r) and r["body"].get("level") == v,
            "--severity": lambda r, v=value, k=rest: k(r) and r["severity"] == v,
            "--session": lambda r, v=value, k=rest: k(r) and r["session"] == v,
            "--label": lambda r, v=value, k=rest: k(r) and (r["body"].get("labels", {}).get(v.split("=")[0]) == v.split("=")[1] if "=" in v else v in r["body"].get("labels", {})),
            "--since": lambda r, v=value, k=rest: k(r) and v != "2099-01-01",
            "--until": lambda r, v=value, k=rest: k(r) and v != "2020-01-01",
        }[name]
        o = o[2:]
    return [r["seq"] for r in records if keep(r)]


class Tail:
    """bawn audit tail, its lines gathered as they come."""

    def __init__(self, world, *options, **kw):
        self.p, self.lines = world.start("audit", "tail", *options, **kw), []
        self.gather = threading.Thread(target=self.read, daemon=True)
        self.gather.start()

    def read(self):
        for line in self.p.stdout:
            self.lines.append(line)

    def has(self, n, seconds=20):
        return wait_for(lambda: len(self.lines) >= n, seconds)

    def end(self, sig=signal.SIGINT):
        self.p.send_signal(sig)
        try:
            self.p.wait(10)
        except subprocess.TimeoutExpired:
            self.p.kill()
            self.p.wait()
        self.gather.join(10)
        return self.p.returncode

    def seqs(self):
        return [json.loads(x)["seq"] for x in self.lines]


# ---- filters: the same for list, show and tail ----
FILTERS = (["--type", "exec"], ["--type", "exec.outcome"], ["--level", "MEDIUM"], ["--level", "BLOCKED"], ["--severity", "MEDIUM"], ["--session", "s1"],
           ["--label", "name=answer"], ["--label", "team"], ["--label", "name=answer", "--label", "team=a"], ["--label", "name=nothing"], ["--since", "2099-01-01"],
           ["--until", "2020-01-01"], ["--since", "2020-01-01", "--until", "2099-01-01"], ["--type", "exe"], ["--level", "LOW", "--session", "s1", "--type", "exec.intent"])
for f in FILTERS:
    want, text = chosen(*f), " ".join(f)
    equal([r["seq"] for r in w.bawn("audit", "list", "--json", "-n", "1000", *f).json], want[::-1], f"list {text}: {len(want)} entries")
    of_one = [s for s in want if records[s]["exec"] == one["id"]]
    got = w.bawn("audit", "show", "--json", one["id"], *f)
    equal((got.code, [r["seq"] for r in got.json] if got.code == 0 else []), (0 if of_one else 1, of_one), f"show {text}: {len(of_one)} of one execution")
ok(len(chosen("--label", "name=answer")) > len(chosen("--label", "team=a")) > 0 and len(chosen("--type", "exec")) > 3, "and these filters do choose some and leave some")
equal(w.bawn("audit", "show", str(one["audit"]["intent_seq"]), "--type", "exec.outcome").code, 1, "show SEQ --type of another type is exit 1")
for bad in (["--level", "SEVERE"], ["--severity", "BAD"], ["--since", "soonish"], ["-n", "0"]):
    for command in ("list", "tail"):
        equal(w.bawn("audit", command, *bad, timeout=10).code, 2, f"{command} {' '.join(bad)} is a usage error")

# ---- tail ----
stored = b"".join(open(f, "rb").read() for f in sorted(glob.glob(w.state + "/audit/seg/*.jsonl"))).splitlines(True)
t = Tail(w, "--json", "-n", "4")
ok(t.has(4), "tail -n 4 shows four entries at once")
four = w.run(LOW, "--session", "s4")
n = len(w.records())
ok(t.has(4 + n - len(records)), "and what is written meanwhile")
stored = b"".join(open(f, "rb").read() for f in sorted(glob.glob(w.state + "/audit/seg/*.jsonl"))).splitlines(True)
equal(t.end(), 0, "SIGINT ends it: exit 0")
equal(t.lines, stored[len(records) - 4:], "--json lines are byte for byte the stored ones, in order, each once")
equal(t.p.stderr.read(), b"", "and it says nothing else")
t = Tail(w, "--json", "--session", "s4")
ok(t.has(len([r for r in w.records() if r["session"] == "s4"])), "a filter holds for what is there")
w.run(LOW, "--session", "s5")
w.run(LOW, "--session", "s4")
want = [r["seq"] for r in w.records() if r["session"] == "s4"][-10:]
ok(wait_for(lambda: t.seqs()[-1:] == want[-1:]), "and for what comes")
equal((t.end(signal.SIGTERM), set(json.loads(x)["session"] for x in t.lines)), (0, {"s4"}), "SIGTERM ends it: exit 0; other sessions were not shown")
t = Tail(w, "-n", "2")
ok(t.has(2) and b"exec.outcome" in t.lines[-1] and one["id"].encode() not in t.lines[-1] and not t.lines[-1].startswith(b"{"), "as text it shows what list shows")
t.end()

# Somebody who reads two lines and goes.
p = w.start("audit", "tail", "--json", "-n", "5")
p.stdout.readline()
p.stdout.close()
try:
    code = p.wait(10)
except subprocess.TimeoutExpired:
    code = "still there"
    p.kill()
equal((code, p.stderr.read()), (0, b""), "a reader that goes ends it, also while nothing is written")

# Before there is a log; over segments; many writers.
v = World()
v.env["BAWN_STATE"] = v.state
t = Tail(v, "--json")
time.sleep(0.5)
equal(t.p.poll(), None, "without a log it waits")
for _ in range(3):
    subprocess.run([MAKE, v.state + "/audit", "700"], check=True)
many = [subprocess.Popen([MAKE, v.state + "/audit", "300"]) for _ in range(3)]
equal([m.wait() for m in many], [0, 0, 0], "three writers at once")
total = sum(open(f, "rb").read().count(b"\n") for f in glob.glob(v.state + "/audit/seg/*.jsonl"))
ok(t.has(total) and len(glob.glob(v.state + "/audit/seg/*.jsonl")) > 3, f"{total} entries over {len(glob.glob(v.state + '/audit/seg/*.jsonl'))} segments came")
equal((t.end(), t.seqs() == list(range(total))), (0, True), "each once, in order")

# A log that changes under the reader.
def follow():
    """A log of 20 records with a tail on it that has seen them all."""
    x = World()
    subprocess.run([MAKE, x.state + "/audit", "20"], check=True)
    t = Tail(x, "--json")
    t.has(10)
    return x.state + "/audit", t


def another(dir, n):
    """Another log in its place, file by file."""
    x = World()
    subprocess.run([MAKE, x.state + "/audit", str(n)], check=True)
    for name in ("seg/000000000000.jsonl", "head"):
        shutil.copyfile(f"{x.state}/audit/{name}", f"{dir}/{name}")


for what, change in (("gone", lambda d: shutil.rmtree(d)), ("shorter", lambda d: another(d, 5)), ("longer, but another", lambda d: another(d, 200))):
    dir, t = follow()
    change(dir)
    ok(wait_for(lambda: t.p.poll() is not None), f"a log that is {what}: the tail ends")
    code = t.end()
    last = json.loads(t.lines[-1])
    equal((code, last.get("error", {}).get("type")), (125, "audit_tampered"), f"with an error: {last.get('error', {}).get('message')}")
dir, t = follow()
subprocess.run([MAKE, dir, "5"], check=True)
ok(t.has(15), "one that only grew goes on")
equal(t.end(), 0, "and ends well")
done()
