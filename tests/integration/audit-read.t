#!/usr/bin/python3
"""Reading the log: the filters of list, show and tail; tail follows what is written, over segments too, and
ends cleanly; a log changed under it is noticed.  export copies lines byte for byte, and makes a bundle that verifies
without the log, also in Python."""
import base64, datetime, hashlib, os, signal, subprocess, sys, threading
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

# ---- a time is asked of each entry: sandbox.created is queued when a run begins and written when it ends ----
u = World()
long = u.start("run", "-c", "import time; time.sleep(7)")
ok(wait_for(lambda: os.path.exists(u.state + "/audit/head") and u.records("exec.intent"), 20), "a run that takes long")
time.sleep(3)
began = time.time()
short = [u.run(LOW)["id"] for i in range(2)]
ok(long.wait(30) == 0, "and two that begin later and end before it")
stamp = [r["ts"] for r in u.records("sandbox.created")]
ok(stamp[-1] < stamp[0] and stamp[-1] < began * 1e6 - 2e6, "the youngest entries hold one that is older than those before")
since = datetime.datetime.utcfromtimestamp(began).isoformat(timespec="microseconds") + "Z"
equal(sorted(r["id"] for r in u.bawn("history", "--json", "--since", since).json)[1:], sorted(short), f"history --since {since} shows all three")
want = [r["seq"] for r in u.records() if r["ts"] > began * 1e6]
equal([r["seq"] for r in u.bawn("audit", "list", "--json", "-n", "100", "--since", since).json][::-1], want, "and audit list each entry since then")
t = Tail(u, "--json", "-n", "100", "--since", since)
ok(t.has(len(want)), "and audit tail")
equal((t.end(), t.seqs()), (0, want), "these and no others")

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

# ---- export: lines ----
def stored_lines(state):
    return b"".join(open(f, "rb").read() for f in sorted(glob.glob(state + "/audit/seg/*.jsonl")))


r = w.bawn("audit", "export", "--format", "jsonl")
equal((r.code, r.out.encode()), (0, stored_lines(w.state)), "export writes the stored bytes")
out = os.path.join(w.dir, "out.jsonl")
r = w.bawn("audit", "export", "-o", out)
equal((r.code, open(out, "rb").read(), r.out), (0, stored_lines(w.state), ""), "-o FILE holds the same")
equal((os.stat(out).st_mode & 0o777, glob.glob(w.dir + "/*.tmp")), (0o600, []), "for its owner only, and nothing beside it")
r = w.bawn("audit", "export", "-o", out, "--json", "--session", "s1", "--type", "exec")
want = [x for x in stored_lines(w.state).splitlines(True) if json.loads(x)["session"] == "s1" and json.loads(x)["type"].startswith("exec.")]
equal((r.code, open(out, "rb").read(), r["entries"], r["bytes"]), (0, b"".join(want), len(want), len(b"".join(want))), "with filters only these, and --json counts them")
ok(len(want) == 2 and all(hashlib.sha256(x.rpartition(b',"hash":"')[0] + b"}").hexdigest() == json.loads(x)["hash"] for x in want), "each line still has its hash")
middle = w.records()[5]["ts"]
stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(middle // 1000000 + 1))
before, after = w.bawn("audit", "export", "--until", stamp).out, w.bawn("audit", "export", "--since", stamp).out
equal((before + after).encode(), stored_lines(w.state), "--until and --since part the log")
ok(before and after, "and neither part is empty")
equal(w.bawn("audit", "export", v.state).out.encode(), stored_lines(v.state), "a copy elsewhere, over all its segments")
before = open(out, "rb").read()
broken = os.path.join(w.dir, "broken")
shutil.copytree(v.state, broken)
f = sorted(glob.glob(broken + "/audit/seg/*.jsonl"))[1]
data = bytearray(open(f, "rb").read())
data[len(data) // 2] ^= 1
open(f, "wb").write(data)
r = w.bawn("audit", "export", "-o", out, broken)
equal((r.code, open(out, "rb").read(), glob.glob(w.dir + "/*.tmp")), (125, before, []), "a damaged log: no export, the old file stays")
os.mkfifo(os.path.join(w.dir, "fifo"))
equal((w.bawn("audit", "export", "-o", os.path.join(w.dir, "fifo")).code, w.bawn("audit", "export", "-o", "/dev/null").code), (2, 2), "what is not a plain file is not replaced")
equal(w.bawn("audit", "export", "-o", w.dir + "/no/such/place").code, 125, "a file that cannot be written is an error")
equal(w.bawn("audit", "export", "--format", "csv").code, 2, "another format is a usage error")

# ---- export: a bundle ----
file = os.path.join(w.dir, "bundle.json")
r = w.bawn("audit", "export", "--bundle", "--exec", one["id"][:20], "-o", file)
if r.code == 1:  # another execution in the same moment: the prefix is not unique
    r = w.bawn("audit", "export", "--bundle", "--exec", one["id"], "-o", file)
equal(r.code, 0, "a bundle of one execution") or r.show()
b = json.load(open(file))
lines = [x.rstrip("\n") for x in stored_lines(w.state).decode().splitlines() if json.loads(x)["exec"] == one["id"]]
equal((b["exec"], [e["line"] for e in b["entries"]]), (one["id"], lines), "has its lines as they are stored")
equal(base64.b64decode(b["code"]["base64"]).decode(), LOW, "and its code")


def root_of(line, proof):
    """RFC 9162, 2.1.3.2."""
    head, _, note = proof.partition("\n\n")
    index, size = int(head.split("\n")[1].split()[1]), int(note.split("\n")[1])
    r = hashlib.sha256(b"\0" + bytes.fromhex(json.loads(line)["hash"])).digest()
    fn, sn = index, size - 1
    for node in map(base64.b64decode, head.split("\n")[2:]):
        if fn & 1 or fn == sn:
            r = hashlib.sha256(b"\1" + node + r).digest()
            while fn and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = hashlib.sha256(b"\1" + r + node).digest()
        fn, sn = fn >> 1, sn >> 1
    return base64.b64encode(r).decode() if sn == 0 else None


equal({root_of(e["line"], e["proof"]) for e in b["entries"]}, {b["checkpoint"].split("\n")[2]}, "Python comes from each line to the root of the checkpoint")
alone = w.bawn("audit", "proof", str(json.loads(lines[0])["seq"])).out  # by whatever checkpoint is published
equal(root_of(lines[0], alone), alone.partition("\n\n")[2].split("\n")[2], "and from the same line to that of audit proof")
vkey = open(w.state + "/audit/vkey").read().strip()
elsewhere = World()
r = elsewhere.bawn("audit", "verify", "--bundle", file, "--json")
equal((r.code, r["ok"], r["entries"], r["exec"], r["code"], r["key_known"], r["vkey"]), (3, True, len(lines), one["id"], True, False, vkey), "it verifies without the log: exit 3 while nobody vouches for the key")
r = elsewhere.bawn("audit", "verify", "--bundle", file, "--key", vkey)
equal((r.code, r.out.splitlines()[0]), (0, f"good: {len(lines)} entries of execution {one['id']} are in the log {vkey.split('+')[0]} when it had {len(w.records())}"), "with the key: exit 0")
equal(elsewhere.bawn("audit", "verify", "--bundle", file, "--key", open(v.state + "/audit/vkey").read().strip()).code, 1, "with another key: exit 1")
text = open(file).read()
for name, old, new in (("a line", "exec.intent", "exec.intend"), ("the code", b["code"]["base64"][:8], b["code"]["base64"][:7] + "A"), ("the exec", one["id"], two["id"]),
                       ("a proof", "tlog-proof@v1\\nindex", "tlog-proof@v2\\nindex"), ("its spelling", '"v":1,"bundle"', '"v": 1,"bundle"')):
    ok(text.count(old) >= 1, f"{name} can be changed")
    r = elsewhere.bawn("audit", "verify", "--bundle", elsewhere.file("changed.json", text.replace(old, new, 1)), "--key", vkey, "--json")
    equal((r.code, r["ok"]), (1, False), f"{name} changed: exit 1: {r['problem']}")
equal(elsewhere.bawn("audit", "verify", "--bundle", w.dir + "/nothing").code, 125, "no file there: exit 125")
for bad in (["--bundle"], ["--exec", one["id"]], ["--bundle", "--exec", one["id"], "--format", "jsonl"]):
    equal(w.bawn("audit", "export", *bad).code, 2, f"export {' '.join(bad)[:20]} is a usage error")
equal(w.bawn("audit", "verify", "--bundle", file, w.state).code, 2, "a bundle and a log at once is a usage error")
equal(w.bawn("audit", "export", "--bundle", "--exec", "7ZZZZ").code, 1, "no such execution: exit 1")

# ---- show --diff ----
def diff_of(world, run, *options):
    return world.bawn("audit", "show", "--diff", run["id"], *options)


d = World()
A, B = "a = 1\nb = 2\nprint(a + b)\n", "a = 1\nb = 3\nprint(a + b)\n"
named = [d.run(code, "--label", "name=sum", "--session", session) for code, session in ((A, "x"), (B, "y"), (B, "x"), (A, "z"))]
ok(all(r.code == 0 for r in named), "four runs of one script: A B B A")
r = diff_of(d, named[0])
equal((r.code, r.out, "no earlier version" in r.err), (0, "", True), "the first has no version before it")
r = diff_of(d, named[1])
equal(r.out.splitlines()[2:], ["@@ -1,3 +1,3 @@", " a = 1", "-b = 2", "+b = 3", " print(a + b)"], "the second changed a line, whatever its session")
ok(r.out.startswith(f"--- {named[0]['id']}\t") and r.out.splitlines()[1].startswith(f"+++ {named[1]['id']}\t"), "and says between which executions")
j = diff_of(d, named[2], "--json")
equal((j["previous"]["exec"], j["previous"]["by"], j["diff"].count("\n+")), (named[0]["id"], "name", 1), "the same code again is no version: the one before it counts")
equal(diff_of(d, named[3], "--json")["previous"]["exec"], named[2]["id"], "back to the first code: the newest other version counts")
patched = d.file("a.py", A)
if shutil.which("patch"):
    r = subprocess.run(["patch", "-s", patched], input=diff_of(d, named[1]).out.encode(), capture_output=True)
    equal((r.returncode, open(patched).read()), (0, B), "patch makes the one from the other")
else:
    skip("patch makes the one from the other", "patch is not there")
s1, s2 = d.run("print(1)", "--session", "talk"), d.run("print(2)", "--session", "talk")
j = diff_of(d, s2, "--json")
equal((j["previous"]["exec"], j["previous"]["by"]), (s1["id"], "session"), "without a name the session tells")
script = d.file("job.py", "print('one')\n")
p1 = d.bawn("run", "--json", script)
d.file("job.py", "print('two')\n")
d.run("print('between')")
p2 = d.bawn("run", "--json", script)
j = diff_of(d, p2, "--json")
equal((j["previous"]["exec"], j["previous"]["by"], j["diff"]), (p1["id"], "path", "@@ -1 +1 @@\n-print('one')\n+print('two')\n"), "without a session the path")
equal(diff_of(d, d.run("print('bare')"), "--json")["previous"], None, "without any of them there is none")
equal(d.bawn("audit", "show", "--diff", "--json", str(p2["audit"]["outcome_seq"]))["previous"]["exec"], p1["id"], "by the number of an entry too")
equal(d.bawn("audit", "show", "--diff", "0").code, 1, "an entry about no code: exit 1")
evil = d.run("print('\x1b[2J\tx')  # \u202e\n", "--label", "name=evil"), d.run("print(0)", "--label", "name=evil")
r = diff_of(d, evil[1])
ok(r.code == 0 and "\x1b" not in r.out and "\u202e" not in r.out and "\\x1b[2J\tx" in r.out, "what could drive a terminal is escaped, tabs are not")
no = d.config(audit="include_full_code: false\n")
d.run("print(5)", "--label", "name=gone", "--config", no)
equal(diff_of(d, d.run("print(6)", "--label", "name=gone", "--config", no)).code, 1, "code that was not kept: exit 1")
done()
