#!/usr/bin/python3
"""tools/assess-score: counts labelled rows by source, category and level, and names the misses."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

SCORE = os.path.join(BUILD, "tools", "assess-score")
w = World()


def row(id, label, expect, code, source="mine", category="c", lang="python"):
    return json.dumps({"id": id, "source": source, "lang": lang, "label": label, "category": category, "expect": expect, "code": code})


def score(*args):
    r = subprocess.run([SCORE, *args], cwd=w.dir, capture_output=True, text=True)
    return Result(r.returncode, r.stdout, r.stderr)


def line(text, *words):
    """The numbers of the line that begins with these words."""
    for l in text.splitlines():
        if l.split()[:len(words)] == list(words):
            return l.replace("|", " ").split()[len(words):]
    return None


w.file("rows.jsonl", "\n".join([
    row("hit", "risky", "HIGH", "open('/etc/hosts', 'w').write('x')\n"),
    row("too-low", "risky", "BLOCKED", "open('/etc/hosts', 'w').write('x')\n", category="d"),
    row("spared", "benign", "LOW", "print(sum(range(10)))\n"),
    row("held", "benign", "LOW", "open('/etc/hosts', 'w').write('x')\n"),
    row("bash", "benign", "LOW", "echo hello\n", source="other", lang="bash"),
    row("undecidable", "risky", "LOW", "print('x')\n"),
    "", ""]))
r = score("rows.jsonl")
equal(r.code, 0, "a good file is scored") or r.show()
equal(line(r.out, "all", "risky"), ["2", "0", "0", "2", "0", "50.00", "100.00", "100.00", "0.00"], "risky rows: levels and shares")
equal(line(r.out, "all", "benign"), ["3", "2", "0", "1", "0", "100.00", "33.33", "33.33", "0.00"], "benign rows")
equal(line(r.out, "all", "undecidable"), ["1", "1", "0", "0", "0", "100.00", "0.00", "0.00", "0.00"], "risky rows that expect LOW stand apart")
equal(line(r.out, "risky", "mine", "/", "d")[0], "1", "categories are told apart")
equal(line(r.out, "benign", "other,", "bash")[0], "1", "sources too, with their language")
equal(line(r.out, "risky", "BLOCKED")[:5], ["1", "0", "0", "1", "0"], "what was expected against what was given")
ok("MISS" not in r.out, "misses are listed only when asked for")

r = score("--misses", "rows.jsonl")
misses = [l for l in r.out.splitlines() if l.startswith("MISS")]
equal([l.split()[1] for l in misses], ["too-low", "held"], "what is below its level, and what is benign but held, is a miss")
ok(all("any/" in l for l in misses), "with the rules that were found")
rows = [json.loads(l) for l in score("--json", "rows.jsonl").out.splitlines()]
equal([(x["id"], x["level"], x["miss"]) for x in rows][:2], [("hit", "HIGH", False), ("too-low", "HIGH", True)], "--json gives each row")

w.file("bad.jsonl", row("ok", "benign", "LOW", "x = 1\n") + "\n{\n" + row("x", "benign", "SEVERE", "x") + "\n")
r = score("bad.jsonl", "no-such.jsonl")
ok(r.code == 1 and "bad.jsonl:2:" in r.err and "bad.jsonl:3: bad or no expect" in r.err and "no-such.jsonl" in r.err,
   "bad rows and files are named, the rest is counted") or r.show()
equal(line(r.out, "all", "benign")[0], "1", "the good row of it is counted")
equal(score().code, 2, "no file is a mistake in usage")
done()
