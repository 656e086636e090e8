#!/usr/bin/python3
"""A long log: commands answer the same with an index, without one, and with one that was harmed; and only its owner,
with its key, makes one."""
import json, os, shutil, subprocess, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

w = World()
state, copy = os.path.join(w.dir, "long"), os.path.join(w.dir, "copy")
r = subprocess.run([os.path.join(BUILD, "tests/unit/audit/audit-make"), f"{state}/audit", "34000"], capture_output=True, text=True)
equal(r.returncode, 0, "a log of 34,000 entries") or diag(r.stderr)
shutil.copytree(state, copy, ignore=shutil.ignore_patterns("private"))
index = f"{state}/audit/index"

QUESTIONS = [
    ["audit", "list", "--json", "--type", "log.genesis"],
    ["audit", "list", "--type", "log", "-n", "5"],
    ["audit", "list", "--json", "--session", "none"],
    ["audit", "show", "--json", "E", "--type", "log"],
    ["audit", "show", "17"],
    ["audit", "show", "33999"],
    ["audit", "show", "99999"],
    ["history", "--json", "--level", "BLOCKED"],
    ["show", "nobody"],
]


def ask(where, words):
    r = subprocess.run([BAWN] + words + ["--state", where], capture_output=True, text=True)
    return r.returncode, r.stdout, r.stderr


plain = [ask(copy, q) for q in QUESTIONS]
ok(not os.path.exists(f"{copy}/audit/index"), "a copy without the private key is read, nothing is written")
equal(plain[0][0:1] + (json.loads(plain[0][1])[0]["seq"],), (0, 0), "the oldest entry is found by reading")
ask(state, QUESTIONS[0])
ok(os.path.exists(f"{index}/stamp") and oct(os.stat(f"{index}/log-1.sqlite").st_mode)[-3:] == "600", "a question that the newest do not answer makes an index")
for q, p in zip(QUESTIONS, plain):
    equal(ask(state, q), p, f"the same with it: {' '.join(q)}")
with open(f"{index}/log-1.sqlite", "r+b") as f:
    f.seek(5000)
    f.write(os.urandom(20000))
for q, p in zip(QUESTIONS, plain):
    equal(ask(state, q), p, f"and after it was harmed: {' '.join(q)}")
shutil.rmtree(index)
equal(ask(state, QUESTIONS[0]), plain[0], "and after it was removed")
since = ["audit", "report", "--json", "--since", "1h"]
a, b = (json.loads(ask(where, since)[1]) for where in (state, copy))
for r in (a, b):
    for key in ("from", "to", "generated_at"):
        r.pop(key)
    r["integrity"].pop("anchor")
equal(a, b, "a report over a time is the same")
done()
