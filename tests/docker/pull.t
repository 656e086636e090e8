#!/usr/bin/python3
"""bawn image pull: a real engine fetches an image from a small registry on this host, with progress; what goes wrong is said, and
a run never fetches anything by itself."""
import gzip, hashlib, http.server, io, os, sys, tarfile, threading
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from between import *


class Registry(http.server.ThreadingHTTPServer):
    """The four requests that an engine makes.  Engines take plain HTTP from their own host."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Registry.Handler)
        self.blobs, self.manifests, self.asked, self.slow = {}, {}, [], None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def keep(self, data):
        name = "sha256:" + hashlib.sha256(data).hexdigest()
        self.blobs[name] = data
        return {"digest": name, "size": len(data)}

    def add(self, tag, *files):
        """An image with a layer for each file."""
        layers, ids = [], []
        for name, data in files:
            raw = io.BytesIO()
            with tarfile.open(fileobj=raw, mode="w") as tar:
                info = tarfile.TarInfo(name)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
            ids.append("sha256:" + hashlib.sha256(raw.getvalue()).hexdigest())
            layers.append({"mediaType": "application/vnd.docker.image.rootfs.diff.tar.gzip", **self.keep(gzip.compress(raw.getvalue(), 1))})
        config = self.keep(json.dumps({"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {"type": "layers", "diff_ids": ids}}).encode())
        self.manifests[tag] = json.dumps({"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
                                          "config": {"mediaType": "application/vnd.docker.container.image.v1+json", **config}, "layers": layers}).encode()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            s, part = self.server, self.path.split("/")
            s.asked.append(self.path)
            found = b"{}" if self.path == "/v2/" else None
            kind = "application/json"
            if "manifests" in part:
                found = next((m for tag, m in s.manifests.items() if part[-1] in (tag, "sha256:" + hashlib.sha256(m).hexdigest())), None)
                kind = "application/vnd.docker.distribution.manifest.v2+json"
            elif "blobs" in part:
                found, kind = s.blobs.get(part[-1]), "application/octet-stream"
            self.send_response(200 if found is not None else 404)
            found = found if found is not None else b'{"errors":[{"code":"MANIFEST_UNKNOWN","message":"there is \\u001b[31mno such thing"}]}'
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(found)))
            if "manifests" in part:
                self.send_header("Docker-Content-Digest", "sha256:" + hashlib.sha256(found).hexdigest())
            self.end_headers()
            if self.command == "HEAD":
                return
            try:
                while s.slow is not None and len(found) > s.slow:
                    self.wfile.write(found[:s.slow])
                    found = found[s.slow:]
                    time.sleep(0.02)
                self.wfile.write(found)
            except OSError:
                pass

        do_HEAD = do_GET

        def log_message(self, *_):
            pass


def has(name):
    return "Id" in e.ask("GET", f"/images/{name}/json")


def launchers():
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            if os.path.realpath(os.path.dirname(path) + "/exe").startswith(BUILD + "/libexec/bawn/docker"):
                found.append(path)
        except OSError:
            pass
    return found


with Engine() as e:
    registry = Registry()
    name = f"127.0.0.1:{registry.server_port}/pulled"
    registry.add("latest", ("etc/one", b"one"), ("etc/two", os.urandom(2 << 20)))
    registry.add("other", ("etc/one", b"one"))
    w = e.world()

    r = w.bawn("run", "--backend", "docker", "--image", name, "--json", "-c", "print(1)")
    ok(r.json["error"]["type"] == "backend_unavailable" and f"bawn image pull {name}" in r.json["error"]["message"], "a run without its image says how to fetch it") or r.show()
    equal(registry.asked, [], "and asks nobody")

    registry.slow = 65536
    out = terminal(w, ["image", "pull", name], [])
    registry.slow = None
    bars = re.findall(r"\[[#.]{20}\] (\d+)/(\d+) bytes", out.out)
    ok(len(bars) > 2 and int(bars[-1][0]) > int(bars[0][0]) and int(bars[-1][1]) > 2 << 20, f"on a terminal a bar says how far it is, {len(bars)} times") or out.show()
    ok(has(name + ":latest") and not has(name + ":other"), "the engine has the image, and no other tag of it")
    ok(registry.asked != [], "from where it was asked to fetch it")
    r = w.bawn("image", "pull", name + ":other", "--json")
    equal((r.code, r.json, r.err, has(name + ":other")), (0, {"image": name + ":other"}, "", True), "another tag, told as JSON")
    digest = "sha256:" + hashlib.sha256(registry.manifests["other"]).hexdigest()
    r = w.bawn("image", "pull", f"{name}@{digest}")
    equal((r.code, has(f"{name}@{digest}")), (0, True), "by digest") or r.show()
    r = w.bawn("image", "pull", "--config", w.config(sandbox=f"image: {name}:other\n"), "--json")
    equal((r.code, r.json), (0, {"image": name + ":other"}), "without a name: that of sandbox.yaml") or r.show()

    for bad, says in (((name + ":none",), "manifest unknown"), (("127.0.0.1:1/x",), "connection refused"), (("a b",), "is no image's name"), (("../x",), "is no image's name"), ((), "which image?")):
        r = w.bawn("image", "pull", *bad)
        ok(r.code != 0 and says in r.err and "\x1b" not in r.err, f"refused: {bad}: {r.err.strip()[:150]}") or r.show()

    # An engine that says nothing, or says it in the last line without an end to it, or says what is not so.
    def answers(body):
        return lambda method, path, status, real: (200, body) if path == "/images/create" else None
    fine = b'{"status":"Download complete","id":"a"}'
    for what, body, tag, says in (("nothing at all", b"", "none", "does not have it"), ("an error without an end of line", b'{"status":"Pulling"}\r\n{"error":"disk is \\u001b[31mfull"}', "none", "disk is"),
                                  ("an error, of an image that is there", fine + b'\n{"error":"disk is full"}', "latest", "disk is full"), ("that all is well", fine + b"\r\n", "none", "does not have it"),
                                  ("half a line", b'{"status":"Pull', "latest", "not JSON"), ("that all is well, without an end of line", fine, "latest", None), ("control: nothing, of what is there", b"", "latest", None)):
        b = Between(e, answers(body))
        r = w.bawn("image", "pull", f"{name}:{tag}", "--json", env={"DOCKER_HOST": "unix://" + b.path})
        b.close()
        ok(r.code == 0 if says is None else r.code == 125 and r.json["error"]["type"] == "backend_unavailable" and says in r.json["error"]["message"] and "\x1b" not in r.out,
           f"an engine that says {what}: {r.json['error']['message'][:120] if r.code else 'believed'}") or r.show()

    # Whoever waits goes away: so does the fetching.
    registry.add("big", ("big", os.urandom(8 << 20)))
    registry.slow = 16384
    p = w.start("image", "pull", name + ":big")
    ok(until(lambda: any("big" in path for path in registry.asked)) and launchers(), "a long one is on its way")
    p.kill()
    p.wait()
    ok(until(lambda: not launchers(), 20), "killed: nobody of ours is left")
    ok(not has(name + ":big"), "and there is no half of an image")
    registry.slow = None

    e.stop()
    r = w.bawn("image", "pull", name, "--json")
    ok(r.code == 125 and r.json["error"]["type"] == "backend_unavailable", "without an engine that is said") or r.show()
    e.start()
done()
