#!/usr/bin/python3
"""A state directory put back to an older copy is noticed by the log's witness, and nothing runs on it."""
import glob, os, shutil, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

w = World()
witness, older = w.state + "-witness", w.dir + "/older"
equal(w.run("print(1)").code, 0, "a run")
shutil.copytree(w.state, older, symlinks=True)
os.utime(w.state + "/audit/checkpoint", (0, 0))  # old enough to be published anew
r = w.run("print(2)")
equal((r.code, [x for x in r["warnings"] if "witness" in x]), (0, []), "another")
entries = len(w.records())
v = w.bawn("audit", "verify", "--json")
equal((v.code, v["ok"], v["anchor"], v["witnessed"]), (3, True, "same-uid", entries), "the witness beside the state directory has seen it all")
ok(f"its witness has seen {entries} of the entries" in w.bawn("audit", "verify").out, "and verify says so")
checkpoint = shutil.copy(w.state + "/audit/checkpoint", w.dir + "/note")
copy = shutil.copytree(w.state, w.dir + "/copy", symlinks=True)
equal((w.bawn("audit", "verify", copy, "--json")["anchor"], w.bawn("audit", "verify", copy, "--witness", witness, "--json")["anchor"],
       w.bawn("audit", "verify", copy, "--witness", checkpoint, "--json")["witnessed"]), ("none", "same-uid", entries), "a copy is held against what is named")

# Who owns a copy is who made it: nothing says that the witness's owner is not who writes the log.
if is_root():
    theirs = shutil.copytree(w.state, w.dir + "/theirs", symlinks=True)
    seen = shutil.copytree(witness, w.dir + "/seen")
    os.chmod(w.dir, 0o755)
    for path in [theirs] + [os.path.join(d, f) for d, ds, fs in os.walk(theirs) for f in ds + fs]:
        os.lchown(path, 4321, 4321)
    for owner, want in ((4320, (3, "same-uid")), (0, (0, "other-uid"))):
        for path in [seen] + [os.path.join(seen, f) for f in os.listdir(seen)]:
            os.chown(path, owner, owner)
        v = w.bawn("audit", "verify", theirs, "--witness", seen, "--json")
        equal((v.code, v["anchor"]), want, f"a copy of one user's, its witness {'of another' if owner else 'in our own hands'}: {want[1]}") or v.show()
else:
    skip("whose a copy is", "needs root")

# Back to the older state, keys and all.
shutil.rmtree(w.state)
shutil.copytree(older, w.state, symlinks=True)
equal((w.bawn("audit", "verify", w.state).code, w.bawn("audit", "verify", w.state, "--json")["ok"]), (3, True), "control: to itself the older copy is a good log")
for option, what in (([], "its witness"), (["--witness", witness], "the witness's directory"), (["--witness", checkpoint], "a checkpoint kept elsewhere")):
    v = w.bawn("audit", "verify", *([w.state] if option else []), *option, "--json")
    equal((v.code, v["ok"]), (1, False), f"{what} knows better")
r = w.run("open('ran','w'); print('ran')")
equal((r.code, r["status"], r["error"]["type"], r["stdout"]), (125, "error", "audit_tampered", ""), "nothing runs on it")
ok("witness has seen" in r["error"]["message"], "and the message says why: " + r["error"]["message"])
equal(w.bawn("status", "--json")["components"]["audit"]["state"], "degraded", "status shows it")
os.rename(witness, witness + ".gone")
equal(w.run("print(3)").code, 0, "control: without a witness it goes unnoticed")

# Where it is, and what happens when it cannot be.
u = World()
for text, want in ((f"witness: {u.state}/w\n", "config_invalid"), (f"witness: {u.dir}/file/w\n", "audit_failed"), ("witness: https://witness.example\n", "config_invalid")):
    u.file("file", "x")
    r = u.run("print(1)", "--config", u.config(audit=text))
    equal((r.code, (r["error"] or {}).get("type")), (125, want), f"refused: {text.strip().replace(u.dir, '')}")
r = u.run("print(1)", "--config", u.config(audit=f"witness: {u.dir}/elsewhere\n"))
equal((r.code, len(os.listdir(u.dir + "/elsewhere")), os.path.exists(u.state + "-witness")), (0, 1, False), "the directory that audit.yaml names is used")
u.file("state-witness", "in the way")
r = u.run("print(1)")
intent = u.records("exec.intent")[-1]["body"]
ok(r.code == 0 and any("no witness" in x for x in r["warnings"]) and "no witness" in intent.get("weakness", ""), "the usual one that cannot be made is a weakness, said and recorded")
ok("weakness" not in u.records("exec.intent")[0]["body"], "which is not said where there is none")
equal(u.bawn("audit", "verify", "--witness", u.dir + "/file").code, 2, "a file that is no witness is a usage error")

# However the state directory is spelled, its witness lies beside it.
s = World()
os.makedirs(s.state + "/below")
for spelled, at in ((".", s.state), ("./", s.state), ("..", s.state + "/below"), ("../.", s.state + "/below"), ("state/", s.dir), ("./state/.", s.dir)):
    r = s.start("audit", "rotate-key", "--state", spelled, cwd=at)
    equal((r.wait(), os.listdir(s.dir).count("state-witness"), sorted(os.listdir(s.state)), os.listdir(s.state + "/below")), (0, 1, ["audit", "below"], []), f"--state {spelled}")
    shutil.rmtree(s.state + "-witness", True)

# A log that was removed is not contradicted by the one begun in its place; but that cannot hide it.
n = World()
equal((n.run("print(1)").code, n.bawn("audit", "verify", "--json")["previous"], "previous" in n.records()[0]["body"]), (0, 0, False), "a log")
old = n.records()
shutil.rmtree(n.state + "/audit")
r = n.run("print(2)")
ok(r.code == 0 and any(f"another one of {len(old)} entries" in x for x in r["warnings"]), "removed and begun anew: whoever does is told") or r.show()
was = n.records()[0]["body"].get("previous")
equal(was, {"origin": old[0]["body"]["origin"], "size": len(old), "hash": old[-1]["hash"]}, "and the new log's first entry says what was there")
equal([x for x in n.run("print(3)")["warnings"] if "anew" in x], [], "it is said once")
equal(n.bawn("audit", "verify", "--json")["previous"], len(old), "verify tells everybody")
ok(f"remembered another log, of {len(old)} entries, in its place" in n.bawn("audit", "verify").out, "in words too")
shutil.rmtree(n.state + "/audit")
r = n.bawn("audit", "verify", "--json")
ok(r.code == 1 and not r["ok"] and "was removed" in r["problem"] and not os.path.exists(n.state + "/audit"), "removed and not yet begun anew: verify says so, and begins none") or r.show()
os.mkdir(n.state + "/audit")
equal(n.bawn("audit", "verify").code, 1, "nor does an empty directory hide it")
size = n.bawn("audit", "verify", "--json")["problem"].split("one of ")[1].split()[0]
for f in glob.glob(n.state + "-witness/*"):
    text, was = open(f, "rb").read(), os.stat(f)
    with open(f, "wb") as harmed:
        harmed.write((b"X" if text[:1] != b"X" else b"Y") + text[1:])
    os.utime(f, ns=(was.st_atime_ns, was.st_mtime_ns))  # the one that was told last is still the one that was
equal(n.bawn("audit", "verify", "--json")["problem"].split("one of ")[1].split()[0], size, "nor a byte of the witness")
r = n.run("print(5)")
ok(r.code == 0 and any(f"another one of {size} entries" in x for x in r["warnings"]), "whoever begins another is told the same") or r.show()
equal((n.records()[0]["body"]["previous"].get("origin"), n.records()[0]["body"]["previous"]["size"]), (None, int(size)), "and so is its first entry")
shutil.rmtree(n.state + "/audit"), shutil.rmtree(n.state + "-witness")
equal(n.bawn("audit", "verify").code, 125, "control: without a witness there is no log")
shared = n.config(audit=f"witness: {n.dir}/shared\n")
for state in "ab":
    n.env["BAWN_STATE"] = n.dir + "/" + state
    r = n.run("print(4)", "--config", shared)
    equal((r.code, [x for x in r["warnings"] if "anew" in x], n.bawn("audit", "verify", "--json", n.dir + "/" + state)["previous"]), (0, [], 0), f"a witness that several logs share says nothing of the others ({state})")

equal((n.bawn("audit", "verify", n.dir).code, n.bawn("audit", "export", n.dir).code), (125, 1), "a directory without any of a log's files is none, not a bad one")
done()
