#!/usr/bin/python3
"""bawn run at a terminal and in a pipe: signals, closed streams, waiting for an answer, what reaches the screen."""
import hashlib, os, sys, threading
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

w = World()
HIGH = "print('ran'); open('/etc/cron.d/x','w') if False else None"
SLEEP = "import time\nprint('started', flush=True)\ntime.sleep(60)"

# Signals: the first cancels and waits for the record.
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    p = w.start("run", "-c", SLEEP)
    p.stdout.readline()
    t = time.time()
    p.send_signal(getattr(signal, name))
    out, err = p.communicate(timeout=30)
    ok(p.returncode == 130 and time.time() - t < 20 and b"bawn: cancelled" in err, f"{name}: 130, soon, and says so") or diag(f"{p.returncode} {err}")
    equal(w.records()[-1]["body"].get("status"), "cancelled", f"{name}: the outcome is in the log")
p = w.start("run", "--json", "-c", SLEEP)
wait_for(lambda: [r for r in w.records("exec.intent")][3:])
time.sleep(0.3)
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=30)
equal((p.returncode, json.loads(out)["status"]), (130, "cancelled"), "--json: the document says cancelled")
r = terminal(w, ["run", "-c", SLEEP], [("started", "\x03")])
ok(r.code == 130, "Ctrl-C on a terminal") or r.show()

# A second signal does not wait for a run that will not end.
p = w.start("run", "-c", SLEEP)
p.stdout.readline()
child = int(subprocess.run(["pgrep", "-P", str(p.pid)], capture_output=True, text=True).stdout.split()[0])
os.kill(child, signal.SIGSTOP)
p.send_signal(signal.SIGINT)
time.sleep(0.5)
ok(p.poll() is None, "the first signal waits for the record")
p.send_signal(signal.SIGINT)
t = time.time()
p.communicate(timeout=40)
ok(p.returncode == 130 and time.time() - t < 20, "the second does not") or diag(f"{p.returncode} after {time.time() - t:.1f} s")
if os.path.exists(f"/proc/{child}"):
    os.kill(child, signal.SIGCONT)
ok(wait_for(lambda: not os.path.exists(f"/proc/{child}"), 5), "and the launcher goes with it")
w.run("print(1)")
equal([r["type"] for r in w.records("exec.lost")], ["exec.lost"], "the next run records what was lost")

# A reader that goes away ends the run.
p = w.start("run", "-c", "import time\nwhile True:\n  print('x' * 1000, flush=True)\n  time.sleep(0.001)")
p.stdout.readline()
p.stdout.close()
t = time.time()
p.wait(timeout=30)
said = p.stderr.read()
p.stderr.close()
ok(time.time() - t < 20, "a closed stdout ends the run")
ok(b"nobody reads its output" in said and b"on request" not in said, "and it says why") or diag(said)
equal(w.records()[-1]["body"].get("status"), "cancelled", "and it is recorded")
# A reader that is slow loses nothing, and does not make Ctrl-C wait.
p = w.start("run", "-c", "print('y' * 3000000)")
time.sleep(1.5)
out, err = p.communicate(timeout=60)
equal((p.returncode, len(out)), (0, 3000001), "a slow reader gets every byte")
p = w.start("run", "-c", "print('y' * 30000000)")
time.sleep(1)
p.send_signal(signal.SIGINT)
try:
    p.wait(timeout=20)
    ok(p.returncode == 130, "Ctrl-C works while nobody reads the output")
except subprocess.TimeoutExpired:
    p.kill()
    ok(False, "Ctrl-C works while nobody reads the output")
p.communicate()

# What the program inherits.
r = w.bawn("run", "--lang", "bash", "-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status | tr -d '\\t'; ls /proc/self/fd | wc -l")
sig = dict(l.split(":") for l in r.out.splitlines() if ":" in l)
ok(int(sig["SigBlk"], 16) == 0 and int(sig["SigIgn"], 16) & ((1 << 31) - 1) == 0, "the program starts with no signal blocked or ignored") or r.show()
for redirect, name in ((">&-", "stdout"), ("<&-", "stdin"), ("2>&-", "stderr")):
    code = subprocess.run(["sh", "-c", f'exec "$0" run -c "print(1)" {redirect}', BAWN], env=w.env, cwd=w.dir, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode
    equal(code, 0, f"a closed {name} does no harm")

# The caller's rank is not the code's: nice and policy as /proc/self/stat has them, then what the caller had.
RANK = "f=open('/proc/self/stat').read().rsplit(')',1)[1].split(); print(f[16], f[38])"
def ranked(*words):
    return subprocess.run([*words, BAWN, "run", "-q", "-c", RANK], env=w.env, capture_output=True, text=True).stdout.split()
own = subprocess.run(["python3", "-c", RANK], capture_output=True, text=True).stdout.split()
if os.geteuid() == 0:
    bare = [subprocess.run([*k, "python3", "-c", RANK], capture_output=True, text=True).stdout.split() for k in (("chrt", "-f", "1"), ("nice", "-n", "-5"))]
    ok(bare[0][1] == "1" and int(bare[1][0]) < 0, "control: a program outside has the rank it was started with")
    equal((ranked("chrt", "-f", "1"), ranked("nice", "-n", "-5")), ([own[0], "0"], ["0", "0"]), "no real-time policy and no better than nice 0 inside")
equal(ranked("nice", "-n", "7")[0], str(int(own[0]) + 7), "a caller who steps back is followed")

# Nor are its addresses.
def placed(*words):
    return subprocess.run([*words, "-c", "print(open('/proc/self/personality').read())"], env=w.env, capture_output=True, text=True).stdout.strip()
if ok(placed("setarch", "-R", "python3") == "00040000", "control: a program outside has the addresses it was started with"):
    equal(placed("setarch", "-R", BAWN, "run", "-q"), "00000000", "random addresses inside")

# Standard input.
READ = "import sys, hashlib; d = sys.stdin.buffer.read(); print(len(d), hashlib.sha256(d).hexdigest())"
data = os.urandom(1 << 20)
r = w.bawn("run", "-c", READ, input=data)
equal(r.out.split(), [str(len(data)), hashlib.sha256(data).hexdigest()], "a redirected standard input is passed on")
path = w.file("data.bin", data)
equal(w.bawn("run", "--stdin", path, "-c", READ).out.split()[0], str(len(data)), "--stdin FILE")
equal(w.bawn("run", "--stdin", "/dev/null", "-c", READ, input="x").out.split()[0], "0", "--stdin /dev/null passes none")
equal(w.bawn("run", "-c", READ, input=b"x" * (16 << 20)).out.split()[0], str(16 << 20), "16m of it")
r = w.bawn("run", "--json", "-c", READ, input=b"x" * ((16 << 20) + 1))
equal((r.code, r["error"]["type"], r["error"]["field"]), (125, "invalid_request", "stdin"), "more than 16m is an error, not a cut")
p = w.start("run", "-c", READ, stdin=subprocess.PIPE)
line = p.stderr.readline()
ok(b"standard input" in line and b"--stdin /dev/null" in line, "a pipe nobody closes is named, with the way out")
p.stdin.close()
ok(p.stdout.readline().startswith(b"0 "), "and read to its end")
p.wait(timeout=30)
r = terminal(w, ["run", "-c", READ], [])
ok(r.code == 0 and "0 e3b0c442" in r.out, "a terminal is never read") or r.show()
r = w.lifted("import os\nos.execv('/proc/self/fd/0', ['x'])", input=open("/bin/true", "rb").read())
if tuple(map(int, os.uname().release.split("-")[0].split(".")[:2])) >= (6, 3):
    ok(r.code == 1 and "PermissionError" in r["stderr"], "a standard input that holds a program cannot be executed as it is") or r.show()
else:
    skip("a standard input that holds a program cannot be executed as it is", "memory files are executable before Linux 6.3")
r = w.bawn("run", "--json", "-c", "print('a\\0b')")
equal(r["stdout"], "a\0b\n", "NUL bytes in the output survive")

# What reaches a terminal.
r = terminal(w, ["run", "-c", "print('\\x1b[31mred\\x1b[0m \\x1b]0;title\\x07 \\x1b[2J')"], [])
ok("\x1b[31mred\x1b[0m" in r.out and "\x1b]0;" not in r.out and "\x1b[2J" not in r.out and "\\x1b[2J" in r.out,
   "on a terminal colours pass, other control sequences are shown escaped") or r.show()
r = terminal(w, ["run", "-v", "-c", "print('\\x1b[8mhidden\\x1b[30;40m')"], [])
said = r.out.find("bawn: ")
ok("hidden" in r.out and "\x1b[8m" not in r.out and 0 <= r.out.find("\x1b[30;40m") < r.out.find("\x1b[0m") < said, "nothing is concealed, and a colour ends before a line of our own") or diag(repr(r.out))
r = w.bawn("run", "-c", "print('\\x1b[8mhidden\\x1b[31m')")
equal(r.out, "\x1b[8mhidden\x1b[31m\n", "(not into a pipe)")
r = w.bawn("run", "-c", "import sys; sys.stdout.buffer.write(b'\\x1b[2J\\xff')")
ok("\x1b[2J" in r.out, "into a pipe the bytes pass unchanged")

# The question.
script = w.file("evil.py", "x = '\x1b[2J\x1b[H'\n" + HIGH + "\n")
code = open(script, "rb").read()
r = terminal(w, ["run", script], [("type yes: ", "yes\n"), ("characters): ", "because I can\n")])
ok(r.code == 0 and "ran" in r.out, "yes and a reason run it") or r.show()
for what, name in ((hashlib.sha256(code).hexdigest(), "the hash"), (f"{len(code)} bytes", "the size"), ("HIGH", "the level"), ("no network", "what it would get"),
                   ("none of your files", "what it would not get"), ("   2 | ", "the line"), ("^", "the place"), ("why: ", "why"), ("fix: ", "the fix")):
    ok(what in r.out, f"the question shows {name}")
ok("\x1b[2J" not in r.out, "the code cannot redraw the question about itself")
ok("trusted" not in r.out.replace("untrusted", ""), "unread code is not called trusted")
n = len(w.records("exec.intent"))
r = terminal(w, ["run", script], [("type yes: ", "\x03")])
ok(r.code == 130 and len(w.records("exec.intent")) == n, "Ctrl-C at the question: 130, nothing ran") or r.show()
r = terminal(w, ["run", script], [("type yes: ", "yes\n"), ("characters): ", "\n"), ("characters): ", "\n"), ("characters): ", "\n")])
ok(r.code == 126, "an empty reason is no reason") or r.show()
r = terminal(w, ["run", script], [("type yes: ", "yes\n"), ("characters): ", "  \n"), ("characters): ", "x" * 501 + "\n"), ("characters): ", "x" * 500 + "\n")])
equal((r.code, w.records("override.used")[-1]["body"]["reason"]), (0, "x" * 500), "one that is blank or too long is asked for again") or r.show()
r = terminal(w, ["run", "--reason", "given before", script], [("type yes: ", "yes\n")])
ok(r.code == 0 and w.records("override.used")[-1]["body"]["reason"] == "given before", "--reason is not asked again") or r.show()

# Waiting for the answer.
def pending():
    return {a["id"] for a in w.bawn("pending", "--json").json}


def held(*more):
    before = pending()
    p = w.start("run", "--wait", "--json", *more, "-c", HIGH)
    return p, wait_for(lambda: pending() - before).pop()

p, approval = held()
terminal(w, ["approve", approval, "--reason", "go on"], [("yes", "yes\n")])
out, err = p.communicate(timeout=30)
doc = json.loads(out)
equal((p.returncode, doc["status"], doc["decision"]["approval_id"], doc["stdout"]), (0, "completed", approval, "ran\n"), "--wait goes on when somebody says yes")
p, approval = held("--label", "n=2")
terminal(w, ["deny", approval, "--reason", "no"], [("yes", "yes\n")])
out, err = p.communicate(timeout=30)
equal((p.returncode, json.loads(out)["error"]["type"]), (125, "approval_denied"), "and ends when somebody says no")
p, approval = held("--label", "n=3")
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=30)
equal(p.returncode, 130, "Ctrl-C ends the waiting")
p, approval = held("--label", "n=4", "-q")
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=30)
equal((p.returncode, err), (130, b""), "-q waits without a word")
for word, name in (("7ZZZZZZZZZ", "nothing"), (approval[:3], "several")):
    for verb in ("approve", "deny"):
        r = terminal(w, [verb, word, "--reason", "x"], [("type yes: ", "yes\n")])
        ok(r.code == 1 and "type yes" not in r.out and word in r.out, f"{verb} of {name}: nobody is asked about what is not shown") or r.show()
r = terminal(w, ["approve", approval[:-1].lower(), "--reason", "cut short"], [("type yes: ", "yes\n")])
ok(r.code == 0 and 0 <= r.out.find(approval) < r.out.find("type yes") < r.out.find(f"{approval} approved"), "a name that is cut short is shown whole, and is the one approved") or r.show()
r = w.bawn("run", "-c", HIGH + " # it's \u2764\ufe0f")
again = [l for l in r.err.splitlines() if "run --approval" in l]
ok(len(again) == 1 and "bawn approve" in r.err, "a held request says what to type") or r.show()
if again:
    approval = again[0].split("--approval ")[1].split()[0]
    terminal(w, ["approve", approval, "--reason", "typed"], [("yes", "yes\n")])
    line = again[0].replace("bawn:   bawn ", f"{BAWN} ")
    out = subprocess.run(["bash", "-c", line], env=w.env, cwd=w.dir, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    ok(out.returncode == 0 and out.stdout == "ran\n", "and typed as shown, it runs") or diag(out.stderr)

# Results and files.
r = w.bawn("run", "--result", "/dev/stderr", "-q", "-c", "print('x' * 2000000)")
doc = json.loads(r.err)
equal((len(doc["stdout"]) <= 1 << 20, doc["truncated"]["stdout"], len(r.out)), (True, True, 2000001), "--result into a pipe; the document keeps the start, the stream is whole")
r = w.bawn("run", "--result", "no/such/dir/r.json", "-c", "print(1)")
ok(r.code == 125 and "--result" in r.err, "a result that cannot be written is a failure")
r = w.bawn("run", "--result", "", "-c", "print(1)")
equal((r.code, r.out, "--result" in r.err), (125, "", True), "one without a name, too") or r.show()
equal(w.records()[-1]["type"] == "exec.outcome" and w.records()[-1]["exec"], doc["id"], "and nothing ran")
for name, code in (("file", "open('r.json','w').write('evil')"), ("directory", "import os; os.mkdir('r.json'); open('r.json/x','w').write('evil')")):
    r = w.bawn("run", "--out", "both-" + name, "--result", f"both-{name}/r.json", "-c", code + "; open('ok','w')")
    doc = json.load(open(f"{w.dir}/both-{name}/r.json"))
    equal((r.code, [f["path"] for f in doc["files"]], [f["why"] for f in doc["skipped_files"]]), (0, ["ok"], ["'r.json' is the file of the result"]),
          f"a {name} that takes the name of the result is left out") or r.show()
for n in (20, 23):
    r = w.bawn("run", "-c", f"import os\nfor i in range({n}): os.symlink('x', f'l{{i}}')")
    equal((r.err.count("' left out: symbolic link"), r.err.count("3 more left out; --json lists them")), (20, n - 20 == 3), f"of {n} files left out the first twenty are named") or r.show()
log = open(w.dir + "/err.log", "wb")
p = subprocess.run([BAWN, "run", "-q", "--result", "/proc/self/fd/2", "-c", "print(1)"], env=w.env, cwd=w.dir, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
ok(p.returncode == 0 and json.load(open(w.dir + "/err.log"))["status"] == "completed", "a descriptor as --result is written to, not replaced by a file")

# What cannot be written is said, and is not success.
for args, stream in ((("-c", "print(1)"), ">"), (("--dry-run", "-c", "print(1)"), ">"), (("-c", "import sys; print(1, file=sys.stderr)"), "2>")):
    p = subprocess.run(["sh", "-c", f'exec "$@" {stream}/dev/full', "sh", BAWN, "run", *args], env=w.env, cwd=w.dir, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    ok(p.returncode == 125 and (stream == "2>" or "bawn: write standard output: " in p.stderr), f"{stream} /dev/full: 125{' (dry run)' if '--dry-run' in args else ''}") or diag(f"{p.returncode} {p.stderr}")
import resource
for size in (0, 1, 512, 65536):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    for state in (w.state, f"{w.dir}/new-{size}"):
        p = subprocess.run([BAWN, "run", "-q", "--state", state, "-c", "print(1)"], env=w.env, cwd=w.dir, stdin=subprocess.DEVNULL, capture_output=True, text=True, preexec_fn=limit)
        ok(p.returncode == 125 and ("File too large" in p.stderr or "RLIMIT_FSIZE" in p.stderr) and p.stdout == "" and "internal" not in p.stderr,
           f"ulimit -f: {size} bytes, {'a log that is there' if state == w.state else 'no log yet'}: told, not killed") or diag(f"{p.returncode} {p.stderr}")
size = 9000 << 10  # enough for the log
with open(w.dir + "/big.out", "wb") as out:
    p = subprocess.run([BAWN, "run", "-q", "-c", "print('x' * 12000000)"], env=w.env, cwd=w.dir, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True, preexec_fn=limit)
equal((p.returncode, "write standard output: File too large" in p.stderr, os.path.getsize(w.dir + "/big.out")), (125, True, size), "output that outgrows it, too") or diag(p.stderr)
os.makedirs(w.dir + "/taken/big")
for code, lost in (("open('big','w').write('b'); open('small','w').write('s')", ["big"]), ("open('small','w').write('t')", [])):
    r = w.bawn("run", "--json", "--out", "taken", "-c", code)
    equal((r.code, r["status"], (r["error"] or {}).get("field"), [f["path"] for f in r["files"]], [f["path"] for f in r["skipped_files"]]),
          (125 if lost else 0, "completed", "out_dir" if lost else None, ["small"], lost), "a file of --out that cannot be written, too" if lost else "control: one that can") or r.show()
r = w.bawn("run", "--out", "left", "-c", "open('a.txt','w').write('A'); print(1)")
ok(r.code == 0 and open(w.dir + "/left/a.txt").read() == "A" and "1 file" in r.err, "--out copies what was left, and says so") or r.show()
r = w.bawn("run", "-c", "open('a.txt','w').write('A')")
ok("--out DIR" in r.err, "without it, it says how to keep them")
w.file("tree/sub/x.txt", "X")
os.symlink("/etc/hostname", w.dir + "/tree/out")
r = w.bawn("run", "--in", "tree", "-c", "import os; print(sorted(os.path.join(d, f) for d, _, fs in os.walk('.') for f in fs))")
equal(r.out, "['./tree/sub/x.txt']\n", "--in DIR copies the tree, not what its links lead to")
done()
