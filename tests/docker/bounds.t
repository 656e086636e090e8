#!/usr/bin/python3
"""Every wait has an end and everything that comes out of a container has a bound: streams that nobody reads, an init that says too
much, too slowly or nothing, an engine that does not remove.  And what dead runs leave goes, and is recorded, whatever comes of the
run that removes it."""
import hashlib, os, struct, sys, threading
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from between import *

FILE, START, PREPARED, STARTED, OUTPUT, FOUND, SKIPPED, DONE = 5, 6, 32, 34, 35, 39, 40, 41  # sandbox/wire.h
BOOT = open("/proc/sys/kernel/random/boot_id").read().strip()


def message(kind, payload=b"", *files):
    """As src/docker/tunnel.h has it."""
    raw = struct.pack("<III", kind, len(payload), len(files)) + payload
    for f in files:
        raw += b"".join(struct.pack("<I", len(f[i:i + 65536])) + f[i:i + 65536] for i in range(0, len(f), 65536)) + struct.pack("<I", 0)
    return raw


def text(s):
    return struct.pack("<I", len(s)) + s.encode() + b"\0"


def found(name, data):
    return message(FOUND, text(name) + struct.pack("<QI", len(data), 32) + hashlib.sha256(data).digest(), data)


def skipped(name):
    return message(SKIPPED, text(name) + text("not readable"))


class Words(Between):
    """Takes the attached streams apart: to(kind) is told of each message to the container when its first bytes have come, said(kind,
    raw) gets each that comes from there and returns what is to come instead.  Raising Hang: nothing more goes that way."""

    def __init__(self, engine, to=None, said=None):
        super().__init__(engine)
        self.to, self.said, self.lock = to or (lambda kind: None), said or (lambda kind, raw: raw), threading.Lock()

    def messages(self, read, begins=lambda kind: None):
        while len(head := read(12)) == 12:
            kind, size, files = struct.unpack("<III", head)
            begins(kind)
            raw = head + read(size)
            for _ in range(files):
                while n := struct.unpack("<I", (count := read(4)))[0]:
                    raw += count + read(n)
                raw += count
            yield kind, raw

    def say(self, raw):
        with self.lock:
            self.client.sendall(b"\1\0\0\0" + struct.pack(">I", len(raw)) + raw)

    def attach(self, h, target):
        real = socket.socket(socket.AF_UNIX)
        real.connect(self.engine.socket)
        real.sendall(f"POST {target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n".encode())
        stream, self.client = real.makefile("rb"), h.connection
        while (line := stream.readline()) not in (b"\r\n", b""):
            h.wfile.write(line)
        h.wfile.write(b"\r\n")
        have = bytearray()

        def read(n):
            while len(have) < n and len(head := stream.read(8)) == 8:
                piece = stream.read(struct.unpack(">I", head[4:])[0])
                if head[0] == 1:
                    have.extend(piece)
            got = bytes(have[:n])
            del have[:n]
            return got

        def back():
            try:
                for kind, raw in self.messages(read):
                    self.say(self.said(kind, raw))
                h.connection.shutdown(socket.SHUT_RDWR)
            except (OSError, struct.error):
                pass
            except Between.Hang:
                self.over.wait()
        threading.Thread(target=back, daemon=True).start()
        try:
            for _, raw in self.messages(h.rfile.read, self.to):
                real.sendall(raw)
        except (OSError, struct.error):
            pass
        except Between.Hang:
            self.over.wait()
        real.shutdown(socket.SHUT_RDWR)
        return False


def hang_at(which):
    def to(kind):
        if kind == which:
            raise Between.Hang
    return to


def hang_after(which):
    seen = []
    def said(kind, raw):
        if which in seen:
            raise Between.Hang
        seen.append(kind)
        return raw
    return said


def at_the_end(*raw):
    """Before the last word of a collection, this."""
    return lambda kind, said: b"".join(raw) + said if kind == DONE else said


def start(b, code, *options, **kw):
    return w.start("run", "--json", *w.chosen(), *options, "-c", code, env={"DOCKER_HOST": "unix://" + b.path}, **kw)


def finish(p, b, seconds=150):
    try:
        out, err = p.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
        diag("it did not end")
    b.close()
    r = Result(p.returncode, out.decode(), err.decode())
    r.json = r.json or {"status": None, "error": None, "stdout": None, "id": None}
    return r


def says(r):
    return (r["error"] or {}).get("message", "")


def leave(**labels):
    """What a run of an earlier boot of this host left."""
    return e.ask("POST", "/containers/create", {"Image": IMAGE, "Cmd": ["x"], "Labels": {"org.bawn.run": "x", "org.bawn.slot": "0", "org.bawn.by": "", "org.bawn.slots": "1:1",
                                                                                     "org.bawn.boot": "of another time", **labels}})["Id"]


def ids():
    return sorted(c["Id"] for c in e.containers())


def swept(r):
    return [x["body"]["removed"] for x in w.records("container.swept") if x["exec"] == r["id"]]


def deletes(b):
    return b.seen.count(("DELETE", "/containers/ID"))


with Engine() as e:
    e.image()
    w = e.world()
    b = Words(e)
    big = w.file("big.bin", os.urandom(4 << 20))
    r = finish(start(b, "print(len(open('big.bin', 'rb').read())); open('left', 'w').write('x')", "--in", big), b)
    equal((r.code, r["stdout"], [f["path"] for f in r.json.get("files", [])]), (0, f"{4 << 20}\n", ["left"]), "control: who only takes the words apart changes nothing") or r.show()

    # Streams.  All at once: each takes its time.
    stdin = w.file("stdin", os.urandom(4 << 20))

    def lie(kind):
        """Says that it has started, and takes nothing of what there is to start."""
        if kind == START:
            liar.say(message(STARTED))
            raise Between.Hang

    def drip(kind, said):
        """One file that is left out after another, and no end."""
        if kind == DONE:
            for i in range(900):
                dripping.say(skipped(f"x{i}"))
                if dripping.over.wait(1):
                    break
            raise Between.Hang
        return said
    liar, dripping = Words(e, lie), Words(e, said=drip)
    PLAIN = "print('ran')"
    began = time.monotonic()
    rows = [  # name, who stands between, options, status, word, seconds
        ("4 MB of input that nobody takes", Words(e, to=hang_at(FILE)), ("--in", big), "error", "does not answer", 60),
        ("an init that never says that the code runs", Words(e, said=hang_after(PREPARED)), (), "error", "does not answer", 60),
        ("an init that says nothing after that", Words(e, said=hang_after(STARTED)), ("-t", "3s"), "timeout", "is gone", 60),
        ("an init that says it before it has the code", liar, ("-t", "3s", "--stdin", stdin), "timeout", "is gone", 60),
        ("more bytes of files than the disk limit", Words(e, said=at_the_end(*(found(f"f{i}", bytes(4 << 20)) for i in range(3)))), ("--disk", "8m"), "completed", "more out of the container", 60),
        ("more files left out than there may be", Words(e, said=at_the_end(*(skipped(f"x{i}") for i in range(1100)))), (), "completed", "more files than", 60),
        ("a collection that does not end", dripping, ("--disk", "8m"), "completed", "what was left", 100),
    ]
    running = [(row, start(row[1], PLAIN, *row[2])) for row in rows]

    # Nobody listens to the launcher until the time is long over.  In small pieces, so that it has heard more than it can say.
    up = threading.Event()

    def crumble(kind, raw):
        if kind == STARTED:
            up.set()
        return raw if kind != OUTPUT else b"".join(message(OUTPUT, raw[12:16] + struct.pack("<I", len(raw[i:i + 1000])) + raw[i:i + 1000]) for i in range(20, len(raw), 1000))
    deaf = Words(e, said=crumble)
    q = start(deaf, "import time\ntime.sleep(3)\nprint('x' * 3000000, flush=True)\ntime.sleep(60)", "-t", "12s")
    ok(up.wait(60), "a run whose client stops to listen")
    q.send_signal(signal.SIGSTOP)

    for (name, b, options, status, word, seconds), p in running:
        r = finish(p, b)
        took = time.monotonic() - began
        kind = "backend_unavailable" if status == "error" else (r["error"] or {}).get("type")
        ok(r["status"] == status and word in says(r) and (r["error"] or {}).get("type") == kind and took < seconds + 30, f"{name}: {r['status']}, {says(r)[:90]} ({took:.0f} s)") or r.show()
    q.send_signal(signal.SIGCONT)
    r = finish(q, deaf)
    ok(r["status"] == "timeout" and "is gone" in says(r) and r["stdout"].startswith("xxx"), f"a client that did not listen: {r['status']}, {says(r)[:90]}") or r.show()
    ok(until(lambda: ids() == [], 30), "and no container is left") or diag(e.containers())

    # What dead runs left, and an engine that does not remove it.
    old = [leave() for _ in range(4)]
    def stuck(method, path, body):
        if method == "DELETE" and path.split("/")[-1] in old:
            asked.append(path)
            b.over.wait()
            raise Between.Drop
    asked, b = [], Between(e, ask=stuck)
    began = time.monotonic()
    r = finish(start(b, PLAIN), b)
    took = time.monotonic() - began
    ok(r.code == 0 and took < 45 and len(asked) == 1, f"an engine that removes nothing of others is asked once, and code runs ({took:.0f} s)") or r.show()
    equal((swept(r), [i for i in old if i in ids()]), ([], old), "and nothing is said to have been swept")
    ghosts = [{"Id": f"{i:064x}", "State": "exited", "Labels": {"org.bawn.run": "x", "org.bawn.slot": "0", "org.bawn.by": "", "org.bawn.slots": "1:1", "org.bawn.boot": "of another time"}} for i in range(100)]
    b = Between(e, lambda m, p, s, body: (200, json.dumps(ghosts).encode()) if p == "/containers/json" else None)
    r = finish(start(b, PLAIN), b)
    equal((r.code, deletes(b), swept(r)), (0, 65, []), "of very many at most 64 are removed at a start; what was gone already is not counted") or r.show()

    # Recorded whatever comes of the run; a probe, which has no log, removes nothing.
    r = w.bawn("doctor", "--json", "--config", w.config(sandbox=f"backend: docker\nimage: {IMAGE}\n"))
    ok(r.code == 0 and all(i in ids() for i in old), "doctor removes nothing of others") or r.show()
    r = w.run(PLAIN, "--image", "bawn/none:1")
    equal((r.code, r["error"]["type"], swept(r), ids()), (125, "backend_unavailable", [4], []), "what was swept is recorded also by a run of which nothing comes") or r.show()

    # Killed while the image is made.
    c = e.ask("POST", "/containers/create", {"Image": IMAGE, "Cmd": ["x"], "Labels": {"odd": "1"}})["Id"]
    odd = e.ask("POST", f"/commit?container={c}&repo=bawn/odd&tag=1", {})["Id"]
    e.ask("DELETE", f"/containers/{c}?force=1")
    def at_archive(method, path, status, body):
        if path.endswith("/archive"):
            raise Between.Hang
    b = Between(e, at_archive)
    p = start(b, PLAIN, "--image", odd)
    ok(until(lambda: any(path.endswith("/archive") for _, path in b.seen) and ids()), "an image is being made")
    helpers = [int(x) for x in subprocess.run(["ps", "-o", "pid=", "--ppid", str(p.pid)], capture_output=True, text=True).stdout.split()]
    p.kill()
    for pid in helpers:
        os.kill(pid, signal.SIGKILL)
    p.communicate()
    b.close()
    until(lambda: not any(os.path.exists(f"/proc/{pid}/fd/0") for pid in helpers))  # dead, whether or not anybody has noticed
    equal(len(ids()), 1, "kill -9 of everybody then leaves a container")
    r = w.run(PLAIN)
    equal((r.code, swept(r), ids()), (0, [1], []), "which the next run removes, and says so") or r.show()
    r = w.run(PLAIN, "--image", odd)
    made = next(i for i in e.ask("GET", "/images/json") if (i.get("Labels") or {}).get("org.bawn.base") == odd)
    equal((r.code, {k: v for k, v in made["Labels"].items() if k.split(".")[-1] in ("by", "boot", "slot", "slots", "making", "run") and v}), (0, {}), "and an image of ours is nobody's") or diag(made)
    mine = e.ask("POST", "/containers/create", {"Image": made["Id"], "Cmd": ["x"]})["Id"]
    w.run(PLAIN)
    equal(ids(), [mine], "so what somebody makes of it by hand is left alone")
    e.ask("DELETE", f"/containers/{mine}?force=1")

    # An engine that names somebody else's process and removes nothing: that one is not ended.
    bystander = subprocess.Popen(["sleep", "300"])
    def name_another(method, path, status, body):
        if method == "DELETE":
            return 500, b"{}"
        if re.fullmatch("/containers/[0-9a-f]{64}/json", path) and status == 200 and json.loads(body)["State"]["Status"] == "running":
            doc = json.loads(body)
            doc["State"]["Pid"] = bystander.pid
            return status, json.dumps(doc).encode()
    b = Between(e, name_another)
    r = finish(start(b, PLAIN), b)
    ok(r.code == 0 and bystander.poll() is None, "a process that an engine calls its own is looked at first") or r.show()
    bystander.kill()
    bystander.wait()
    w.run(PLAIN)
    equal(ids(), [], "and after the next run nothing is left")
done()
