#!/usr/bin/python3
"""A container's life: what it is told to be and is, what the result and the log say of it, and that it is always removed: after
`kill -9` of bawn, of its launcher, of the engine; what is left then is swept at the next start, and recorded."""
import os, sys, threading
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from engine import *

SLEEP = "import time\nprint('up', flush=True)\ntime.sleep(300)"
SAMPLES = f"""
import bawn, json
code = "import subprocess, time\\nx = bytearray(96 << 20)\\np = [subprocess.Popen(['sleep', '20']) for _ in range(3)]\\n[q.wait() for q in p]"
bawn.run(code, backend="docker", image={IMAGE!r}, timeout=60, check=False, on_event=lambda e: e.kind == "usage" and print(json.dumps([e.memory_bytes, e.pids]), flush=True))
"""
# The file system is what an image is made of; a shell is not needed for that.
def commit(change):
    """An image like ours with something in its configuration."""
    c = e.ask("POST", "/containers/create", {"Image": IMAGE, "Cmd": ["x"]})["Id"]
    got = e.ask("POST", f"/commit?container={c}&repo=bawn/odd&tag=1", change)
    e.ask("DELETE", f"/containers/{c}?force=1")
    return got["Id"]


def running():
    return [c for c in e.containers() if c["State"] == "running"]


def started(*options, code=SLEEP):
    """A run whose program is up, and its container."""
    before = {c["Id"] for c in e.containers()}
    p = w.start("run", "--json", *w.chosen(), *options, "-c", code)
    until(lambda: [c for c in running() if c["Id"] not in before]) or diag("no container came up")
    c = next(c for c in running() if c["Id"] not in before)
    until(lambda: len(e.ask("GET", f"/containers/{c['Id']}/top?ps_args=-o pid,args".replace(" ", "%20")).get("Processes") or []) > 1)
    return p, c["Id"]


def launcher(p):
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            text = open(path).read()
        except OSError:
            continue
        pid, rest = int(text.split()[0]), text.rsplit(")", 1)[1].split()
        if int(rest[1]) == p.pid and text.split("(", 1)[1].startswith("docker"):
            return pid


def cgroup(id, controller, file):
    for base in (f"/sys/fs/cgroup/{controller}{e.cgroup}/{id}", f"/sys/fs/cgroup{e.cgroup}/{id}"):
        if os.path.exists(f"{base}/{file}"):
            return open(f"{base}/{file}").read().strip()


def processes(id):
    """Whoever lives in the container's cgroup, on the host."""
    text = cgroup(id, "pids", "cgroup.procs") or ""
    return text.split()


with Engine() as e:
    e.image()
    w = e.world()

    # What it is.
    r = w.run("print(6*7)")
    equal((r.code, r["stdout"], r["enforcement"]["backend"]), (0, "42\n", "docker"), "code runs in a container") or r.show()
    c = r["enforcement"]["container"]
    image = e.ask("GET", f"/images/{IMAGE}/json")["Id"]
    equal((len(c["id"]), c["image"], c["runtime"], sorted(c["versions"])[:2]), (64, image, "default", ["Engine", "containerd"]), "the result says which, of which image, by whom")
    ok("userns" in r["enforcement"]["missing"] and all(x in r["enforcement"]["layers"] for x in
       ("mountns", "pidns", "netns", "ipcns", "utsns", "cgroupns", "ro_root", "uid", "no_caps", "no_new_privs", "seccomp", "rlimits", "cgroup")), "which walls stand, as seen from inside")
    record = w.records("container.created")[-1]
    equal((record["exec"], record["body"]["id"], record["body"]["config"]["HostConfig"]["NetworkMode"], record["body"]["config"]["HostConfig"]["SecurityOpt"][1][:15]),
          (r["id"], c["id"], "none", "seccomp=sha256:"), "container.created has the whole configuration, the filter by its hash")
    weak = [v["name"] for v in c["vulnerable"]]
    equal("patched_runtime" in r["enforcement"]["missing"], bool(weak), f"a runtime known to be weak is missing its patch ({weak})")
    equal(e.containers(), [], "and nothing is left")

    # Limits, read from the container's own cgroup by who stands outside; adaptive, so from the result.
    p, id = started("-m", "200m", "--cpus", "0.5", "--pids", "20")
    inspected = e.ask("GET", f"/containers/{id}/json")
    host = inspected["HostConfig"]
    memory = cgroup(id, "memory", "memory.limit_in_bytes") or cgroup(id, "", "memory.max")
    quota = cgroup(id, "cpu", "cpu.cfs_quota_us") or (cgroup(id, "", "cpu.max") or "").split(" ")[0]
    equal((memory, quota, cgroup(id, "pids", "pids.max")), (str(200 << 20), "50000", "24"), "memory, CPU and processes are what was asked for (and four tasks of ours)")
    equal((host["Memory"], host["MemorySwap"], host["CapDrop"], host["ReadonlyRootfs"], host["NetworkMode"], host["LogConfig"]["Type"], host["IpcMode"], host["CgroupnsMode"], host["Binds"] or [], inspected["Mounts"]),
          (200 << 20, 200 << 20, ["ALL"], True, "none", "none", "none", "private", [], []), "and the engine says the same")
    pid = inspected["State"]["Pid"]
    status = open(f"/proc/{pid}/status").read()
    ok(re.search(r"CapBnd:\t0+\n", status) and "NoNewPrivs:\t1" in status and "Seccomp:\t2" in status and re.search(r"Uid:\t19000", status), "PID 1 has no privilege either, on the host's account")
    p.send_signal(signal.SIGINT)
    out, _ = p.communicate(timeout=60)
    equal((p.returncode, json.loads(out)["status"]), (130, "cancelled"), "Ctrl-C ends it")
    ok(until(lambda: not e.containers() and not processes(id)), "and removes it")

    # kill -9 of bawn; of the launcher; of both.
    for name in ("bawn", "its launcher", "both"):
        p, id = started()
        helper = launcher(p)
        if name in ("its launcher", "both"):
            os.kill(helper, signal.SIGKILL)
        if name in ("bawn", "both"):
            p.kill()
        out, _ = p.communicate(timeout=60)
        ok(until(lambda: not processes(id)), f"kill -9 of {name}: no process of the container is left")
        if name == "its launcher":
            equal(json.loads(out)["status"], "error", "and bawn says so")
        left = len(e.containers())
        r = w.run("print(1)")
        equal((r.code, e.containers()), (0, []), f"and no container after the next start ({left} before)") or r.show()
    swept = w.records("container.swept")
    ok(swept and swept[-1]["body"]["removed"] >= 1, "what was swept is recorded") or diag(swept)
    ok(any(x["type"] == "exec.lost" for x in w.records()), "and the runs that never ended too")

    # What bawn says a run uses is read in the container; the engine reads the same from outside.
    before = {c["Id"] for c in e.containers()}
    host = subprocess.Popen(["/usr/bin/python3", "-c", SAMPLES], cwd=w.dir, stdout=subprocess.PIPE, text=True,
                            env={**w.env, "PYTHONPATH": ROOT + "/sdk/python", "BAWN_LIB": BUILD + "/libbawn.so.0", "PYTHONDONTWRITEBYTECODE": "1"})
    samples = []
    threading.Thread(target=lambda: [samples.append(json.loads(line)) for line in host.stdout], daemon=True).start()
    until(lambda: samples and samples[-1][0] > 96 << 20 and samples[-1][1] >= 4)
    time.sleep(0.5)
    id = next((c["Id"] for c in running() if c["Id"] not in before), None)
    stats, (memory, pids) = e.ask("GET", f"/containers/{id}/stats?stream=false"), samples[-1] if samples else (0, 0)
    ok(abs(stats["memory_stats"]["usage"] - memory) < 8 << 20 and abs(stats["pids_stats"]["current"] - 4 - pids) <= 1,
       f"usage as sampled inside ({memory >> 20} MiB, {pids} tasks) is what the engine says ({stats['memory_stats']['usage'] >> 20} MiB, {stats['pids_stats']['current']} with four of ours)")
    host.communicate(timeout=60)
    equal(e.containers(), [], "and that container is gone, too")

    # A sweep leaves others alone.
    other = e.ask("POST", "/containers/create", {"Image": IMAGE, "Cmd": ["x"], "Labels": {"org.bawn.run": "x", "org.bawn.slot": "0", "org.bawn.by": "", "org.bawn.slots": "1:1",
                                                 "org.bawn.boot": open("/proc/sys/kernel/random/boot_id").read().strip()}})["Id"]
    old = e.ask("POST", "/containers/create", {"Image": IMAGE, "Cmd": ["x"], "Labels": {"org.bawn.run": "x", "org.bawn.slot": "0", "org.bawn.by": "", "org.bawn.slots": "1:1", "org.bawn.boot": "of another time"}})["Id"]
    p, id = started()
    w.run("print(1)")
    equal(sorted(c["Id"] for c in e.containers()), sorted([other, id]), "a sweep leaves a live run's container and another run directory's, and takes what a reboot left")
    p.kill()
    p.communicate()
    e.ask("DELETE", f"/containers/{other}?force=1")
    until(lambda: not processes(id))

    # The engine dies in mid-run, and comes back.
    p, id = started()
    e.kill()
    out, _ = p.communicate(timeout=120)
    r = json.loads(out)
    equal((p.returncode, r["status"], r["error"]["type"]), (125, "error", "backend_unavailable"), f"the engine is killed in mid-run: {r['error']['message'][:90]}")
    ok(until(lambda: not processes(id)), "no process of the container is left, without any engine")
    r = w.run("print(1)")
    equal((r.code, r["error"]["type"]), (125, "backend_unavailable"), "while it is away nothing runs")
    e.start()
    left = len(e.containers())
    r = w.run("print(1)")
    equal((r.code, r["stdout"]), (0, "1\n"), "when it is back code runs again") or r.show()
    equal((left, e.containers(), [x["body"] for x in w.records("container.swept") if x["exec"] == r["id"]]), (1, [], [{"backend": "docker", "removed": 1}]), "what it had left is gone, and recorded")
    p, id = started()
    e.stop()
    out, _ = p.communicate(timeout=120)
    ok(json.loads(out)["status"] in ("killed", "error"), f"an engine that is stopped ends the run: {json.loads(out)['status']}")
    e.start()
    r = w.run("print(1)")
    equal((r.code, e.containers()), (0, []), "and nothing is left of it either") or r.show()

    # From outside.
    p, id = started()
    e.ask("POST", f"/containers/{id}/kill")
    out, _ = p.communicate(timeout=60)
    equal((p.returncode, json.loads(out)["status"]), (137, "killed"), "killed from outside is killed")
    p, id = started()
    e.ask("POST", f"/containers/{id}/pause")
    p.send_signal(signal.SIGINT)
    out, _ = p.communicate(timeout=60)
    equal((p.returncode, json.loads(out)["status"]), (130, "cancelled"), "a container that somebody froze is ended all the same")

    # Images.
    for name, change, want in (
        ("with a volume", {"Volumes": {"/data": {}}}, "Volumes"), ("with an entry point, a user and a health check", {"Entrypoint": ["/bin/false"], "User": "root", "Healthcheck": {"Test": ["CMD", "true"]}}, None)):
        r = w.run("import os\nprint(os.getuid() > 0)", "--image", commit(change))
        ok((r.code == 125 and want in r["error"]["message"]) if want else (r.code, r["stdout"]) == (0, "True\n"), f"an image {name}: {'refused' if want else 'has no say'}") or r.show()
    digest = w.run("print(1)", "--image", image)
    equal((digest.code, digest["enforcement"]["container"]["image"]), (0, image), "an image is named by tag or by id, and runs under its id")
    for name, options, kind, word in (
        ("an image the engine does not have", ("--image", "bawn/none:1"), "backend_unavailable", "bawn image pull"), ("a name that is none", ("--image", "../x"), "invalid_request", "name"),
        ("a runtime the engine does not know", ("--config", w.config(sandbox="docker:\n  runtime: none-such\n")), "backend_unavailable", "none-such"),
        ("an engine on TCP", (), "backend_unavailable", "Unix socket")):
        r = w.bawn("run", "--json", *w.chosen(), *options, "-c", "print('ran')", env={"DOCKER_HOST": "tcp://127.0.0.1:2375"} if "TCP" in name else {})
        ok(r.code == 125 and r["error"]["type"] == kind and word in r["error"]["message"] and r["stdout"] == "", f"{name}: {r['error']['message'][:90]}") or r.show()
    r = w.bawn("run", "--json", "--backend", "native", "--image", IMAGE, "-c", "print(1)")
    equal((r.code, r["error"]["type"]), (125, "invalid_request"), "an image without containers is an error")
    r = w.run("print(1)", "--config", w.config(sandbox="docker:\n  runtime: runc\n"))
    equal((r.code, r["enforcement"]["container"]["runtime"]), (0, "runc"), "a runtime can be chosen")
    made = [t for i in e.ask("GET", "/images/json") for t in (i["RepoTags"] or []) if t.startswith("bawn-inside:")]
    ok(len(made) == 3, f"one image of ours for each of theirs, made once ({len(made)})") or diag(made)
    r = w.run("print(1)", "--dry-run")
    equal((r.code, "seccomp" in r["enforcement"]["layers"], e.containers()), (0, True, []), "a dry run tells which walls would stand, from a container of its own") or r.show()

    chosen = w.config(sandbox=f"backend: docker\nimage: {IMAGE}\n")
    r = w.bawn("doctor", "--json", "--config", chosen)
    rows = {x["layer"]: x["state"] for x in r["layers"]}
    equal((r.code, r["backend"], r["usable"], rows["seccomp"], rows["userns"]), (0, "docker", True, "active", "missing"), "doctor asks the backend that policy chose") or r.show()
    r = w.bawn("status", "--json", "--config", chosen)
    equal((r["system_status"], r["components"]["docker"]["state"]), ("operational", "operational"), "and so does status") or r.show()
    r = w.bawn("status", "--json", "--config", chosen, env={"DOCKER_HOST": "unix:///nonexistent"})
    equal((r["system_status"], r["components"]["docker"]["state"]), ("degraded", "degraded"), "control: without an engine it says so") or r.show()
    equal(e.containers(), [], "their containers are gone")

    # Another user, who may speak to the engine.
    os.chmod(e.dir, 0o755)
    os.chmod(e.socket, 0o666)
    mine = e.world(user=os.environ.get("BAWN_TEST_USER", "nobody"))
    r = mine.run("import os\nprint(os.getuid())")
    equal((r.code, int(r["stdout"] or 0) >= 1900000000, "uid" in r["enforcement"]["layers"], "cgroup" in r["enforcement"]["layers"]), (0, True, True, True),
          "without root a run has its own uid and its limits all the same") or r.show()
    equal(e.containers(), [], "nothing is left at the end")
done()
