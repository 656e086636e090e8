#!/usr/bin/python3
"""An engine that hangs, lies or answers garbage: a typed error, no code run, nothing left.  Between bawn and a real engine stands
somebody who changes answers; who changes nothing is the control."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from between import *


def through(between, code="print('ran')", *options):
    r = w.run(code, *options, env={"DOCKER_HOST": "unix://" + between.path})
    between.close()
    return r


def is_refused(r, between, name, types=("backend_unavailable", "enforcement_missing")):
    """A typed error, and whatever the engine said nobody got to run."""
    good = r.code == 125 and r["status"] == "error" and r["error"]["type"] in types and r["stdout"] == "" and r["audit"]["intent_seq"] is not None
    return ok(good, f"{name}: {r['error'] and r['error']['message'][:110]}") or r.show()


with Engine() as e:
    e.image()
    w = e.world()
    b = Between(e)
    r = through(b)
    equal((r.code, r["stdout"]), (0, "ran\n"), "control: who only stands between changes nothing") or r.show()
    ok(("POST", "/containers/ID/start") in b.seen and ("GET", "/containers/ID/json") in b.seen, f"and sees what is asked ({len(b.seen)} requests)")

    # Lies about the container: every key that was sent, and then what was not.
    asked = w.records("container.created")[-1]["body"]["config"]
    lies = []
    for key, value in asked["HostConfig"].items():
        other = {"Privileged": True, "ReadonlyRootfs": False, "Memory": 0, "PidsLimit": -1, "NetworkMode": "host", "PidMode": "host", "IpcMode": "host", "CapDrop": [], "CapAdd": ["SYS_ADMIN"],
                 "Binds": ["/:/host"], "SecurityOpt": ["no-new-privileges"]}.get(key, "x" if value is None else None)
        lies.append((f"HostConfig.{key} is {json.dumps(other)}", lambda d, k=key, o=other: d["HostConfig"].__setitem__(k, o)))
    lies += [(f"Config.{k} is {json.dumps(v)}", lambda d, k=k, v=v: d["Config"].__setitem__(k, v)) for k, v in
             (("User", ""), ("User", "0:0"), ("Tty", True), ("Entrypoint", ["/bin/sh"]), ("Healthcheck", None), ("Volumes", {"/x": {}}), ("Labels", {}))]
    lies += [("a mount", lambda d: d.__setitem__("Mounts", [{"Type": "volume"}])), ("another image", lambda d: d.__setitem__("Image", "sha256:" + "0" * 64)),
             ("it runs already", lambda d: d["State"].__setitem__("Status", "running")), ("no HostConfig", lambda d: d.pop("HostConfig"))]
    for name, edit in lies:
        b = Between(e, edited("/containers/[0-9a-f]{64}/json", edit))
        r = through(b)
        is_refused(r, b, name)
        if ("POST", "/containers/ID/start") in b.seen or ("DELETE", "/containers/ID") not in b.seen:
            ok(False, f"{name}: not started, and removed")

    # With a network one thing is bound into the container: that, and nothing besides.
    way = ("--config", w.config(sandbox="network:\n  network_mode: dependencies\n  whitelist: [index.test]\n  acknowledge_risk: true\n"), "--network", "dependencies")
    b = Between(e)
    r = through(b, "print('ran')", *way)
    equal((r.code, r["stdout"]), (0, "ran\n"), "control: with a network it runs") or r.show()
    def mount(**more):
        return lambda d: d["Mounts"][0].update(more)
    def asked_for(**more):
        return lambda d: d["HostConfig"]["Mounts"][0].update(more)
    MORE = {"Type": "bind", "Source": "/", "Destination": "/host", "Mode": "", "RW": False, "Propagation": "rprivate"}
    for name, edit in {
        "a second mount": lambda d: d["Mounts"].append(MORE), "a second one before it": lambda d: d["Mounts"].insert(0, MORE), "none": lambda d: d.__setitem__("Mounts", []), "nothing said of them": lambda d: d.pop("Mounts"),
        "another instead": lambda d: d.__setitem__("Mounts", [MORE]), "writable": mount(RW=True), "not said whether": lambda d: d["Mounts"][0].pop("RW"), "of something else": mount(Source="/"),
        "somewhere else": mount(Destination="/usr"), "a volume": mount(Type="volume"), "no list": lambda d: d.__setitem__("Mounts", {"0": d["Mounts"][0]}),
        "asked for: none": lambda d: d["HostConfig"].pop("Mounts"), "asked for: two": lambda d: d["HostConfig"]["Mounts"].append({"Type": "bind", "Source": "/", "Target": "/host"}),
        "asked for: writable": asked_for(ReadOnly=False), "asked for: of something else": asked_for(Source="/"), "asked for: somewhere else": asked_for(Target="/usr"),
        "asked for: another, as a bind": lambda d: d["HostConfig"].__setitem__("Binds", ["/:/host"]),
    }.items():
        b = Between(e, edited("/containers/[0-9a-f]{64}/json", edit))
        r = through(b, "print('ran')", *way)
        is_refused(r, b, f"mounts, {name}", ("enforcement_missing",))
        if ("POST", "/containers/ID/start") in b.seen or ("DELETE", "/containers/ID") not in b.seen:
            ok(False, f"mounts, {name}: not started, and removed")
    ours = {**MORE, "Source": "/run/bawn/ways/x/socket", "Destination": "/.bawn/way"}
    b = Between(e, edited("/containers/[0-9a-f]{64}/json", lambda d: d.__setitem__("Mounts", [ours])))
    is_refused(through(b), b, "without a network not even that one", ("enforcement_missing",))
    # An engine that says one thing and does another: then nothing comes out.
    def instead(mounts):
        said = {}
        def ask(method, path, body):
            if path == "/containers/create" and (doc := json.loads(body))["HostConfig"]["Mounts"]:
                said["was"] = doc["HostConfig"]["Mounts"]
                doc["HostConfig"]["Mounts"] = mounts(said["was"])
                return json.dumps(doc).encode()
        def claim(d):
            was = said["was"][0]
            d["HostConfig"]["Mounts"], d["Mounts"] = said["was"], [{"Type": "bind", "Source": was["Source"], "Destination": was["Target"], "Mode": "", "RW": False, "Propagation": "rprivate"}]
        return {"ask": ask, "change": edited("/containers/[0-9a-f]{64}/json", claim)}
    mute = socket.socket(socket.AF_UNIX)
    mute.bind(e.dir + "/mute")
    mute.listen()
    os.chmod(e.dir + "/mute", 0o666)
    for name, mounts in {"drops it": lambda was: [], "binds another": lambda was: [{**was[0], "Source": e.dir + "/mute"}]}.items():
        b = Between(e, **instead(mounts))
        is_refused(through(b, "print('ran')", *way), b, f"an engine that {name}, and says otherwise", ("network_unavailable",))
    b = Between(e, **instead(lambda was: was))
    r = through(b, "print('ran')", *way)
    equal((r.code, r["stdout"]), (0, "ran\n"), "control: one that does what it says is believed") or r.show()
    ok(until(lambda: not os.listdir("/run/bawn/ways")), "and no way is left open")

    # Garbage, at every call.
    CALLS = {"ping": "/_ping", "version": "/version", "list": "/containers/json", "image": "/images/", "create": "/containers/create", "inspect": "ID/json", "start": "/start"}
    def at(part, do):
        def change(method, path, status, body):
            if part in re.sub(r"[0-9a-f]{64}", "ID", path):
                return do(status, body)
        return change
    def raises(what):
        def do(status, body):
            raise what
        return do
    GARBAGE = {
        "not JSON": lambda s, b_: (s, b"\xff\xfe<html>"), "empty": lambda s, b_: (s, b""), "another kind": lambda s, b_: (s, b"[1, 2]"), "null": lambda s, b_: (s, b"null"),
        "deep": lambda s, b_: (s, b"[" * 100000), "500": lambda s, b_: (500, b'{"message": "no \\u001b[2J"}'), "gone": raises(Between.Drop()),
        "not HTTP": raises(Between.Raw(b"SSH-2.0-x\r\n\r\n")), "ids": lambda s, b_: (s, b'{"Id": "../../etc"}'),
    }
    for call, part in CALLS.items():
        for kind, do in GARBAGE.items():
            if (call, kind) in (("ping", "not JSON"), ("ping", "empty"), ("ping", "another kind"), ("ping", "null"), ("ping", "deep"), ("ping", "ids"),  # its body is not read
                                ("start", "not JSON"), ("start", "empty"), ("start", "another kind"), ("start", "null"), ("start", "deep"), ("start", "ids"),
                                ("version", "another kind"), ("version", "null"), ("version", "ids"), ("list", "another kind")):  # no versions to tell of, or no containers of ours: no harm
                continue
            b = Between(e, at(part, do))
            r = through(b)
            is_refused(r, b, f"{call}: {kind}")
            if r["error"]:
                "\x1b" in r["error"]["message"] and ok(False, f"{call}: {kind}: escaped")
    b = Between(e, lambda m, p, s, body: (s, b"{" + b" " * (9 << 20) + b"}") if p == "/version" else None)
    is_refused(through(b), b, "an answer without end")

    # What is attached is not a container, or not its words.
    def flip(data):
        return bytes(x ^ 0x55 for x in data)
    for name, streams in {
        "attach: no upgrade": {"head": b"HTTP/1.1 200 OK\r\n\r\n"}, "attach: not HTTP": {"head": b"x" * 8000}, "attach: nothing": {"head": b""},
        "attach: a stream of noise": {"head": b"HTTP/1.1 101 UPGRADED\r\n\r\n" + os.urandom(4096), "wait": 5},
        "attach: a message too long": {"head": b"HTTP/1.1 101 UPGRADED\r\n\r\n\1\0\0\0\0\0\0\14" + b"\x20\0\0\0" + b"\xff" * 8, "wait": 5},
        "attach: output before its time": {"head": b"HTTP/1.1 101 UPGRADED\r\n\r\n\1\0\0\0\0\0\0\14" + b"\x23\0\0\0" + b"\0" * 8, "wait": 5},
        "attach: closed at once": {"head": b"HTTP/1.1 101 UPGRADED\r\n\r\n"}, "attach: every byte changed": {"change": flip},
    }.items():
        b = Between(e, streams=streams)
        r = w.run("print('ran')", env={"DOCKER_HOST": "unix://" + b.path})
        b.close()
        is_refused(r, b, name, ("backend_unavailable", "enforcement_missing", "internal"))

    # An engine that says nothing: each in its own place, all at once.
    hangs = []
    for call, part in CALLS.items():
        b = Between(e, at(part, raises(Between.Hang())))
        hangs.append((call, b, w.start("run", "--json", *w.chosen(), "-c", "print('ran')", env={"DOCKER_HOST": "unix://" + b.path})))
    for call, b, p in hangs:
        out, err = p.communicate(timeout=300)
        b.close()
        is_refused(Result(p.returncode, out.decode(), err.decode()), b, f"{call}: hangs")

    # It says that it is patched; it is not what policy wants.
    strict = w.config(sandbox="docker:\n  require_patched: true\n")
    def patched(version):
        return edited("/version", lambda d: [c.__setitem__("Version", version) for c in d["Components"] if c["Name"] == "runc"])
    for version, good in (("1.1.5+ds1", False), ("1.1.99", False), ("1.2.7", False), ("1.2.8", True), ("1.3.2", False), ("1.3.3", True), ("1.4.0-rc.2", False), ("1.4.0", True), ("2.0.0", True), ("", False), ("next", False)):
        b = Between(e, patched(version))
        r = through(b, "print('ran')", "--config", strict)
        ok((r.code == 0 and "patched_runtime" not in r["enforcement"]["missing"]) if good else (r.code == 125 and r["error"]["type"] == "enforcement_missing"),
           f"require_patched: runc {version} is {'good enough' if good else 'refused'}") or r.show()
        equal(("POST", "/containers/ID/start") in b.seen, good, "and is started only then")
    for runtime in ("io.containerd.runc.v2", "mine"):
        b = Between(e, patched("1.1.5" if runtime != "mine" else "1.3.3"), ask=lambda m, p, body: re.sub(rb'"Runtime": ?"mine"', b'"Runtime":"runc"', body))
        r = through(b, "print('ran')", "--config", w.config(sandbox=f"docker:\n  require_patched: true\n  runtime: {runtime}\n"))
        ok(r.code == 125 and r["error"]["type"] == "enforcement_missing" and ("POST", "/containers/ID/start") not in b.seen, f"require_patched: a runtime by another name, {runtime}: {r['error']['message'][:90]}") or r.show()

    for c in e.containers():  # a hang at the end may leave one: the next start takes it
        diag(c["Labels"])
    w.run("print(1)")
    equal(e.containers(), [], "and after the next run nothing is left")
done()
