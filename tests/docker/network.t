#!/usr/bin/python3
"""A network for dependencies in a container: the same proxy, reached by the one socket that came out; curl, pip and urllib fetch what
policy lists and nothing else; nothing of the host stays bound in that answers, and nothing is left, however the run ends."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from between import *
from networld import *

needs_network_world()
WAYS = "/run/bawn/ways"
FETCH = "import urllib.request\nprint(urllib.request.urlopen('https://index.test/echo', timeout=20).read().decode(), end='')\n"
SLEEP = FETCH + "import time\nprint('up', flush=True)\ntime.sleep(300)"


def children(pid):
    """{name: pid} of what a run started."""
    out = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            text = open(path).read()
        except OSError:
            continue
        if int(text.rsplit(")", 1)[1].split()[1]) == pid:
            out[text.split("(", 1)[1].rsplit(")", 1)[0]] = int(text.split()[0])
    return out


def lives(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def started(config, code=SLEEP, **kw):
    """A run that has fetched something and goes on; its container, and whoever works for it."""
    p = w.start("run", *w.chosen(), "--config", config, "--network", "dependencies", "--override", "--reason", "a test", "--result", w.dir + "/result", "-c", code, **kw)
    said = b""
    while not said.endswith(b"up\n") and (c := p.stdout.read(1)):
        said += c
    said.endswith(b"up\n") or diag(said + p.stderr.read())
    return p, [c["Id"] for c in e.containers() if c["State"] == "running"][0], children(p.pid)


with Engine() as e:
    e.image("curl", "python3-pip")
    os.environ.update(e.environment())
    World.backend = "docker"
    w = NetWorld()
    conf = w.network("index.test", "http://plain.test:8080")

    # What may be fetched is, and is told of.
    r = w.fetch(FETCH, conf)
    equal((r["stdout"], r["exit_code"], r["enforcement"]["backend"]), ("hello from index.test\n", 0, "docker"), "urllib finds the way by itself, and believes whom it should") or r.show()
    w.log()
    r = w.fetch("curl -sS https://index.test/echo && curl -sS http://plain.test:8080/echo && curl -sS https://denied.test/echo", conf, lang="bash")
    equal((r["stdout"], r["exit_code"]), ("hello from index.test\nhello from plain.test:8080\n", 56), "so does curl; what is not listed is refused") or r.show()
    net = {h["host"]: h for h in r["observed"]["network"]}
    equal({k: (h["scheme"], h["connections"], h["failed"]) for k, h in net.items()}, {"index.test:443": ("tls", 1, 0), "plain.test:8080": ("http", 1, 0)}, "hosts and connections are observed")
    ok(all(h["sent_bytes"] > 50 and h["received_bytes"] > 50 for h in net.values()), "and bytes")
    equal([(d["kind"], d["what"], d["count"], d["source"]) for d in r["denials"]], [("network", "denied.test:443", 1, "proxy")], "what was refused is a denial, by the proxy")
    out = w.records("exec.outcome")[-1]["body"]
    equal(({h["host"] for h in out["network"]}, out["denials"][0]["what"]), ({"index.test:443", "plain.test:8080"}, "denied.test:443"), "both are in the log")
    equal(w.records("exec.intent")[-1]["body"]["limits"]["network"]["hosts"], ["index.test", "http://plain.test:8080"], "so is what it was allowed, before it ran")
    seen = w.log()
    equal(({p[1] for p in seen["packets"] if p[0] == 6}, set(seen["dns"])), ({PUBLIC}, {"index.test", "plain.test"}), "and nobody else was called or looked up") or diag(seen)
    w.file(".config/pip/pip.conf", "[global]\nindex-url = https://index.test/simple\n", 0o600)
    PIP = """import subprocess, sys
r = subprocess.run([sys.executable, '-m', 'pip', 'install', '-q', '--no-cache-dir', '--target', '/workspace/lib', 'bawnprobe'], capture_output=True, text=True)
print(r.stderr[-2000:])
sys.path.insert(0, '/workspace/lib')
import bawnprobe
print(bawnprobe.answer())
"""
    r = w.fetch(PIP, w.network("pip"), env={"XDG_CONFIG_HOME": ""})
    ok(r["stdout"].endswith("installed through the proxy\n"), "real pip installs a wheel that the code then uses") or r.show()

    # Round the proxy there is nothing.
    w.log()
    r = w.fetch(r'''
import json, os, socket
def direct(family, kind, address):
    try:
        s = socket.socket(family, kind); s.settimeout(1)
        if kind == socket.SOCK_DGRAM: s.sendto(b"x", address)
        else: s.connect(address)
        return "reached"
    except OSError as e: return e.strerror or "timed out"
def tried(f):
    try: f(); return "done"
    except OSError as e: return e.strerror
def call(kind):
    with socket.socket(socket.AF_UNIX, kind) as s: s.connect("/.bawn/way")
import stat
mounts = [x.split()[4] for x in open("/proc/self/mountinfo") if not x.split(" - ")[1].startswith(("tmpfs", "proc", "sysfs", "cgroup", "devpts", "mqueue", "overlay"))]
print(json.dumps({
    "direct": [direct(socket.AF_INET, k, (a, p)) for a, p in (("11.0.0.10", 443), ("10.9.0.2", 53), ("169.254.169.254", 80), ("10.9.0.1", 22)) for k in (socket.SOCK_STREAM, socket.SOCK_DGRAM)],
    "six": [direct(socket.AF_INET6, k, ("2606:4700::1", 443)) for k in (socket.SOCK_STREAM, socket.SOCK_DGRAM)],
    "devices": [x.split(":")[0].strip() for x in open("/proc/self/net/dev") if ":" in x],
    "listening": sorted(int(x.split()[1].split(":")[1], 16) for f in ("tcp", "tcp6") if os.path.exists("/proc/self/net/" + f) for x in open("/proc/self/net/" + f) if " 0A " in x),
    "way": [stat.S_ISSOCK(os.stat("/.bawn/way").st_mode), tried(lambda: call(socket.SOCK_STREAM))],
    "changed": [tried(lambda: os.chmod("/.bawn/way", 0o777)), tried(lambda: os.unlink("/.bawn/way")), tried(lambda: os.rename("/.bawn/way", "/.bawn/x")),
                tried(lambda: socket.socket(socket.AF_UNIX).bind("/.bawn/other"))],
    "ca": [os.environ["SSL_CERT_FILE"], open(os.environ["SSL_CERT_FILE"]).read(), tried(lambda: open(os.environ["SSL_CERT_FILE"], "a")), tried(lambda: os.unlink(os.environ["SSL_CERT_FILE"]))],
    "mounts": mounts}))
''', conf)
    got = json.loads(r["stdout"] or "{}") or r.show() or {}
    ok(got["direct"] and all(x != "reached" for x in got["direct"] + got["six"]), f"no way out but the proxy ({sorted(set(got['direct'] + got['six']))})") or diag(got)
    equal((got["devices"], got["listening"]), (["lo"], [3128]), "loopback alone, and on it the proxy")
    equal(got["way"], [True, "Connection refused"], "the socket that the way came out by is dead")
    ok(all(x != "done" for x in got["changed"]), f"and nobody puts another in its place ({got['changed']})")
    equal(got["ca"][:2], ["/code/.ca-certificates.crt", open(w.dir + "/ca.pem").read()], "the certificates are those of policy")
    ok("done" not in got["ca"][2:], f"which the code cannot change ({got['ca'][2:]})")
    equal(sorted(set(got["mounts"]) - {"/", "/etc/resolv.conf", "/etc/hostname", "/etc/hosts"}), ["/.bawn/way"], "and it is all there is of the host's file systems, but for what an engine makes itself")
    equal(w.log()["packets"], [], "not one packet went out")
    bound = w.records("container.created")[-1]["body"]["config"]["HostConfig"]["Mounts"]
    equal([(m["Type"], m["Target"], m["ReadOnly"], m["Source"].startswith(WAYS + "/"), os.path.exists(m["Source"])) for m in bound], [("bind", "/.bawn/way", True, True, False)], "container.created has what was bound in")

    # What is bound in, as the engine has it.
    w.log()
    p, id, who = started(conf)
    inspected = e.ask("GET", f"/containers/{id}/json")
    source = inspected["Mounts"][0]["Source"]
    equal([(m["Type"], m["Destination"], m["RW"], m["Source"].startswith(WAYS + "/")) for m in inspected["Mounts"]], [("bind", "/.bawn/way", False, True)], "the engine has one mount, read-only: our socket")
    equal((inspected["HostConfig"]["NetworkMode"], inspected["HostConfig"]["Binds"] or []), ("none", []), "and no network for it")
    ok(not os.path.exists(os.path.dirname(source)), "while the code runs its directory is gone")
    ok({"egress", "docker"} <= set(who), f"control: proxy and launcher are there ({sorted(who)})")

    # kill -9: of bawn, of the launcher, of the proxy.
    for name in ("bawn", "docker", "egress"):
        if name != "bawn":
            p, id, who = started(conf)
        family = [int(x) for d in who.values() for x in (d, *children(d).values())]
        os.kill(p.pid if name == "bawn" else who[name], signal.SIGKILL)
        p.communicate(timeout=60)
        if name != "bawn":
            told = json.load(open(w.dir + "/result"))
            ok(told["status"] == "error" and told["error"]["type"] == "network_lost" if name == "egress" else told["status"] == "error", f"kill -9 of {name} in mid-run: {told['error']['type']}")
        ok(until(lambda: not any(lives(x) for x in family)), f"kill -9 of {name}: neither launcher nor proxy is left")
        ok(until(lambda: id not in [c["Id"] for c in e.containers() if c["State"] == "running"]), "nor a container that runs")
        ok(not os.path.exists(os.path.dirname(source)) and until(lambda: not os.listdir(WAYS)), "nor a directory of the socket")
    r = w.fetch(FETCH, conf)
    equal((r["stdout"], e.containers()), ("hello from index.test\n", []), "the next run works, and no container is left")

    # Killed while the socket waits for its container: the next run removes it, whether that one has a network or not.
    made = []
    def note(method, path, body):
        if path == "/containers/create" and (bound := json.loads(body)["HostConfig"].get("Mounts")):
            made.append(bound[0]["Source"])
    def hang(method, path, status, body):
        if path.endswith("/start"):
            raise Between.Hang()
    b = Between(e, ask=note, change=hang)
    p = w.start("run", *w.chosen(), "--config", conf, "--network", "dependencies", "-c", "print(1)", env={"DOCKER_HOST": "unix://" + b.path})
    ok(until(lambda: made and ("POST", "/containers/ID/start") in b.seen) and os.path.exists(made[0]), "a socket waits for its container")
    mode = os.stat(os.path.dirname(made[0])).st_mode & 0o777
    w.run("print(1)")
    ok(os.path.exists(made[0]) and mode == 0o700, "a run beside it leaves it alone")
    family = children(p.pid)
    os.kill(p.pid, signal.SIGSTOP)  # nobody takes note of the launcher's end
    os.kill(family["docker"], signal.SIGKILL)
    until(lambda: not lives(family["docker"]))
    r = w.run("print(1)")
    equal((r.code, os.path.exists(f"/proc/{family['docker']}"), os.path.exists(os.path.dirname(made[0])), e.containers()), (0, True, False, []), "killed, what it left is swept by the next run")
    p.kill()
    p.communicate(timeout=60)
    b.close()

    # Without a network there is none of it.
    look = "import os, socket\ns = socket.socket()\nprint(s.connect_ex(('127.0.0.1', 3128)), 'HTTPS_PROXY' in os.environ, os.path.exists('/code/.ca-certificates.crt'), os.path.getsize('/.bawn/way'), os.path.isfile('/.bawn/way'))"
    r = w.run(look, "--config", conf, "--override", "--reason", "a test")
    equal(r["stdout"], "111 False False 0 True\n", "network none: no port, no variables, no certificates, no socket") or r.show()
    equal((w.records("container.created")[-1]["body"]["config"]["HostConfig"]["Mounts"], r["limits"]["network"]), (None, None), "and nothing is bound in")
    p = w.start("run", *w.chosen(), "-c", "import time\nprint('up', flush=True)\ntime.sleep(60)")
    p.stdout.read(1)
    equal("egress" in children(p.pid), False, "nor is there a proxy")
    p.kill()
    p.communicate()

    # What it cannot be given: nothing runs.
    for name, options, field in (("no certificates", ("--config", w.network("index.test", ca_file="/nonexistent")), "network.ca_file"), ("certificates without end", ("--config", w.network("index.test", ca_file="/dev/zero")), "network.ca_file"),
                                 ("an empty list", ("--config", w.network()), "network.whitelist"), ("policy without a network", (), "network")):
        r = w.run("print('ran')", *options, "--network", "dependencies")
        equal((r.code, r["error"]["type"], r["error"]["field"], r["stdout"]), (125, "network_unavailable", field, ""), f"{name}: {r['error']['message'][:90]}") or r.show()
    r = w.run("print(1)", "--config", conf, "--with", "bawnprobe")
    equal((r.code, r["error"]["type"]), (125, "invalid_request"), "packages are for its image")

    # Another user, who may speak to the engine.
    os.chmod(e.dir, 0o755)
    os.chmod(e.socket, 0o666)
    mine = NetWorld(user=os.environ.get("BAWN_TEST_USER", "nobody"))
    shutil.chown(mine.dir + "/ca.pem", mine.user)
    r = mine.fetch(FETCH, mine.network("index.test"))
    equal((r["stdout"], [h["host"] for h in (r["observed"] or {}).get("network", [])]), ("hello from index.test\n", ["index.test:443"]), "without root it is the same") or r.show()
    ok(until(lambda: not e.containers()), "and nothing is left at the end")
done()
