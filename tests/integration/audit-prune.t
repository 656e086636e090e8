#!/usr/bin/python3
"""bawn audit prune: the oldest part of the log goes into a file, and what is left verifies, goes on and can be proved."""
import datetime, hashlib, json, os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

w = World()
MAKE = os.path.join(BUILD, "tests/unit/audit/audit-make")
subprocess.run([MAKE, w.state + "/audit", "3000"], check=True)
before = b"".join(open(f, "rb").read() for f in sorted(glob.glob(w.state + "/audit/seg/*")))
short = w.config(audit="retention:\n  period_days: 0\n  acknowledge_risk: true\n")
export = w.dir + "/old.jsonl"

for args, says in (((), "-o FILE"), (("-o", export, "--keep", "1h"), "policy keeps the log for 30 days"), (("-o", export, "--before", "1h"), "policy keeps the log for 30 days"),
                   (("-o", export, "--keep", "40d", "--before", "2020-01-01"), "give one of them")):
    r = w.bawn("audit", "prune", *args)
    ok(r.code == 2 and says in r.err and not os.path.exists(export), f"refused: {' '.join(args).replace(w.dir, '')}") or r.show()
for args in ((), ("--keep", "45d"), ("--before", "2020-01-01")):
    r = w.bawn("audit", "prune", "-o", export, *args, "--json")
    equal((r.code, r["entries"], os.path.exists(export)), (0, 0, False), f"nothing is that old: {' '.join(args)}")
ok("nothing to prune" in w.bawn("audit", "prune", "-o", export).out, "and it says so")
equal(len(w.records("log.prune")), 0, "and records nothing")

r = w.bawn("audit", "prune", "-o", export, "--config", short, "--json")
equal(r.code, 0, "with a policy that keeps nothing, all but the last segment go") or r.show()
data = open(export, "rb").read()
equal((data, hashlib.sha256(data).hexdigest(), len(data)), (before[:len(data)], r["sha256"], r["bytes"]), "the export has the bytes as they were stored")
record = w.records("log.prune")[0]
equal((record["seq"], record["body"]["cut"], record["body"]["sha256"], record["body"]["file"], record["principal"]["kind"], record["severity"]),
      (r["seq"], r["cut"], r["sha256"], "old.jsonl", "uid", "HIGH"), "log.prune says what went, where to, and who did it")
stays = json.loads(before.splitlines()[r["cut"]])["ts"]
until = (datetime.datetime(1970, 1, 1) + datetime.timedelta(days=90, microseconds=stays)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
equal((r["keep_until"], record["body"]["keep_until"]), (until, until), "and until when retention.archive_days wants it kept")
v = w.bawn("audit", "verify", "--json")
equal((v.code, v["ok"], v["verified_from"], v["entries"], v["tiles"], v["anchor"]), (3, True, r["cut"], r["seq"] + 1, "good", "same-uid"), "the rest verifies from the cut") or v.show()
ok(f"those before entry {r['cut']} were pruned" in w.bawn("audit", "verify").out, "and it says so")
run = w.run("print(1)")
equal(run.code, 0, "it goes on")
bundle = w.bawn("audit", "export", "--bundle", "--exec", run["id"])
file, key = w.file("bundle.json", bundle.out), open(w.state + "/audit/vkey").read().strip()
equal((bundle.code, w.bawn("audit", "verify", "--bundle", file).code, w.bawn("audit", "verify", "--bundle", file, "--key", key).code), (0, 3, 0),
      "a bundle of an execution after the cut is good alone") or bundle.show()
for seq in (r["cut"], r["cut"] + 1, r["seq"], 5):
    p = w.bawn("audit", "proof", str(seq))
    ok(p.code == 0 and p.out.startswith("c2sp.org/tlog-proof@v1\nindex %d\n" % seq), f"entry {seq} can be proved")
equal((w.bawn("audit", "show", str(r["cut"]), "--json")["seq"], w.bawn("audit", "show", "5").code), (r["cut"], 1), "entries that are left are shown, others are not there")
equal((w.bawn("history", "--json").code, w.bawn("audit", "report", "--json")["integrity"]["ok"], w.bawn("status", "--json")["audit"]["ok"]), (0, True, True), "history, report and status work on it")
ok(w.bawn("audit", "prune", "-o", export, "--config", short).code != 0 or len(w.records("log.prune")) == 1, "the export is not overwritten")
equal(hashlib.sha256(open(export, "rb").read()).hexdigest(), r["sha256"], "it is still there")

# Its beginning lost in any other way.
first = sorted(glob.glob(w.state + "/audit/seg/*"))[0]
subprocess.run([MAKE, w.state + "/audit", "1500"], check=True)
ok(len(glob.glob(w.state + "/audit/seg/*")) > 1, "more segments")
os.remove(first)
v = w.bawn("audit", "verify", "--json")
equal((v.code, v["ok"]), (1, False), "a segment more than was recorded is gone: not good")
r = w.run("print(2)")
equal((r.code, r["error"]["type"]), (125, "audit_tampered"), "and nothing runs")
done()
