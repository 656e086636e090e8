#!/usr/bin/python3
"""Breaking things: a full disk, an unwritable state, a broken component.  Nothing runs unrecorded, and bawn says why."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from bawntest import *

w = World()
user = os.environ.get("BAWN_TEST_USER", "nobody")
MARKED = "open('ran','w').write('x'); print('ran')"

if is_root():
    # A state directory on a file system with no room: a tmpfs in a mount namespace of our own.
    script = w.file("full.sh", f"""set -e
mkdir -p {w.dir}/small && mount -t tmpfs -o size=9m,nr_inodes=200 none {w.dir}/small
export BAWN_STATE={w.dir}/small/state
{BAWN} run --json -c 'print(1)' > {w.dir}/before.json
dd if=/dev/zero of={w.dir}/small/fill bs=4k 2>/dev/null || true
set +e
{BAWN} run --json -c "{MARKED}" > {w.dir}/full.json; echo $? > {w.dir}/full.code
rm {w.dir}/small/fill
{BAWN} run --json -c 'import time; [open("f%03d" % i + "x" * 60, "w").close() for i in range(99)]; print("begun", flush=True); time.sleep(8); print("ended")' > {w.dir}/during.json &
for i in $(seq 100); do ls {w.dir}/small/state/running/* > /dev/null 2>&1 && break; sleep 0.1; done
sleep 1
for n in 4096 512 64 8 1; do dd if=/dev/zero bs=$n 2>/dev/null >> {w.dir}/small/fill; done
wait $!; echo $? > {w.dir}/during.code
cp {w.dir}/small/state/audit/seg/*.jsonl {w.dir}/during.jsonl
dd if=/dev/zero bs=64k count=1 2>/dev/null >> {w.dir}/small/fill
{BAWN} run --json -c "{MARKED}" > {w.dir}/full2.json; echo $? > {w.dir}/full2.code
rm {w.dir}/small/fill
{BAWN} run --json -c 'print(2)' > {w.dir}/after.json; echo $? > {w.dir}/after.code
{BAWN} audit verify > /dev/null; echo $? > {w.dir}/verify.code
umount {w.dir}/small
""")
    subprocess.run(["unshare", "--mount", "--propagation", "private", "bash", script], env=w.env, timeout=120, stdin=subprocess.DEVNULL)
    load = lambda name: json.load(open(f"{w.dir}/{name}.json"))
    code = lambda name: int(open(f"{w.dir}/{name}.code").read())
    equal(load("before")["stdout"], "1\n", "control: with room it runs")
    full = load("full")
    equal((code("full"), full["status"], full["stdout"]), (125, "error", ""), "disk full: nothing runs, 125")
    equal(full["error"]["type"], "disk_full", "disk full: and says so")
    during, lines = load("during"), [json.loads(line) for line in open(f"{w.dir}/during.jsonl")]
    last = [r["type"] for r in lines if r["type"].startswith(("exec.", "log."))][-3:]
    equal((code("during"), during["status"], during["stdout"], last), (0, "completed", "begun\nended\n", ["exec.intent", "log.disk_full", "exec.outcome"]),
          "filled while something ran: its end is recorded, after a log.disk_full") or diag(during)
    equal((code("full2"), load("full2")["error"]["type"], load("full2")["stdout"]), (125, "disk_full", ""), "and nothing new runs")
    ok("nothing is begun" in load("full2")["error"]["message"], "for want of the reserve: " + load("full2")["error"]["message"])
    equal((code("after"), load("after")["stdout"], code("verify")), (0, "2\n", 3), "with room again it runs, and the log verifies")

    u = World(user=user, base="/tmp")
    equal(u.run("print(1)").code, 0, f"control: {user} runs with an own state directory")
    os.chmod(u.state, 0o500)
    os.chown(u.state, 0, 0)
    r = u.run(MARKED)
    equal((r.code, r["status"], r["stdout"]), (125, "error", ""), "unwritable state: nothing runs, 125")
    ok(r["error"]["type"] in ("state_unwritable", "audit_failed") and r["error"]["hint"], f"unwritable state: and says so ({r['error']['type']})")
    r = u.run(MARKED, "--state", "/proc/nothing")
    equal((r.code, r["status"], r["error"]["type"]), (125, "error", "state_unwritable"), "a state directory that cannot be made: the same")
else:
    skip("a full disk", "needs root to mount a small file system")

# status: operational, and degraded with the reason when a component is broken.
w.run("print(1)")
s = w.bawn("status", "--json")
equal((s.code, s["system_status"]), (0, "operational"), "status: operational") or s.show()
for key in ("system_status", "components", "resources", "audit", "checked_at"):
    ok(key in s.json, f"status has {key}")
for c in ("assessor", "sandbox", "docker", "audit"):
    ok("state" in s["components"][c] and "reason" in s["components"][c], f"status has components.{c} with state and reason")
entries = len(w.records())
equal((s["audit"]["entries"], s["audit"]["verified_to"], s["audit"]["ok"], s["audit"]["anchor"]), (entries, entries, True, "same-uid"), "status: the log as it is")
ok(s["audit"]["first"] <= s["audit"]["last"] and len(s["audit"]["head_hash"]) == 64, "status: first, last and head")
equal(s["resources"]["cpus"], len(os.sched_getaffinity(0)), "status: the CPUs there are")
ok(0 < s["resources"]["memory_available_bytes"] <= s["resources"]["memory_total_bytes"] and s["resources"]["running"] == 0, "status: memory and nobody running")


def degraded(name, component, *options, world=w, says=""):
    s = world.bawn("status", "--json", *options)
    good = s.json and s["system_status"] == "degraded" and s["components"][component]["state"] != "operational" and s["components"][component]["reason"]
    ok(good and says in s["components"][component]["reason"], f"status: degraded when {name} ({s['components'][component]['reason'] if s.json else '?'})") or s.show()


sound = os.path.join(w.dir, "sound")
shutil.copytree(w.state, sound)
seg = sorted(glob.glob(w.state + "/audit/seg/*.jsonl"))[0]
os.truncate(seg, os.path.getsize(seg) - 5)
degraded("the log is cut", "audit")
r = w.run(MARKED)
equal((r.code, r["status"], r["stdout"]), (125, "error", ""), "and nothing runs on it")
conf = w.config(sandbox="interpreters:\n  python: /usr/bin/no-such-python\n  acknowledge_risk: true\n")
degraded("the interpreter is absent", "sandbox", "--state", sound, "--config", conf, says="no-such-python")
r = w.run("print(1)", "--state", sound, "--config", conf)
equal((r.code, r["error"]["type"]), (127, "interpreter_missing"), "and a run says interpreter_missing, 127")
build = os.path.join(w.dir, "build")
os.makedirs(build)
shutil.copy(BAWN, build + "/bawn")
os.makedirs(build + "/libexec/bawn")
with open(build + "/libexec/bawn/launch", "w") as f:
    f.write("#!/bin/false\n")
os.chmod(build + "/libexec/bawn/launch", 0o755)
p = subprocess.run([build + "/bawn", "status", "--json", "--state", sound], env=w.env, capture_output=True, text=True)
s = json.loads(p.stdout)
equal((s["system_status"], s["components"]["sandbox"]["state"] != "operational"), ("degraded", True), "status: degraded when the launcher is broken")
p = subprocess.run([build + "/bawn", "run", "--json", "--state", sound, "-c", MARKED], env=w.env, capture_output=True, text=True)
equal((p.returncode, json.loads(p.stdout)["status"], json.loads(p.stdout)["stdout"]), (125, "error", ""), "and nothing runs")
rules = [x["id"] for x in w.bawn("rules", "list", "--json").json]
off = w.config(security="rules:\n  acknowledge_risk: true\n" + "".join(f"  {i}: off\n" for i in rules))
degraded("the rules are switched off", "assessor", "--state", sound, "--config", off)
done()
