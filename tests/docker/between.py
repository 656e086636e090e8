"""Somebody who stands between bawn and a real engine and changes what they say to each other."""
import os, socketserver, threading
from engine import *


class Between:
    """Hands requests on and answers back.  ask(method, path, body) may return another body for a request,
    change(method, path, status, body) another (status, body) for its answer, or raise Hang, Drop or Raw."""

    class Hang(Exception):
        pass

    class Drop(Exception):
        pass

    class Raw(Exception):
        pass

    def __init__(self, engine, change=None, streams=None, ask=None):
        self.ask = ask or (lambda *a: None)
        self.engine, self.change, self.streams, self.seen, self.over = engine, change or (lambda *a: None), streams, [], threading.Event()
        self.path = tempfile.mktemp(prefix="between-", dir=engine.dir)
        outer = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                try:
                    while outer.one(self):
                        pass
                except (OSError, Between.Drop):
                    pass
        self.server = socketserver.ThreadingUnixStreamServer(self.path, Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def one(self, h):
        line = h.rfile.readline()
        if not line:
            return False
        method, target, _ = line.decode().split(" ", 2)
        head = {}
        while (l := h.rfile.readline()) not in (b"\r\n", b""):
            k, v = l.decode().split(":", 1)
            head[k.lower()] = v.strip()
        body = h.rfile.read(int(head.get("content-length", 0)))
        path = re.sub(r"^/v1\.\d+", "", target.split("?")[0])
        self.seen.append((method, re.sub(r"[0-9a-f]{64}", "ID", path)))
        if path.endswith("/attach"):
            return self.attach(h, target)
        body = self.ask(method, path, body) or body
        c = Connection(self.engine.socket, 60)
        c.request(method, target, body=body or None, headers={k: v for k, v in head.items() if k in ("content-type",)})
        r = c.getresponse()
        answer = r.read()
        try:
            status, answer = self.change(method, path, r.status, answer) or (r.status, answer)
        except Between.Hang:
            self.over.wait()
            return False
        except Between.Raw as e:
            h.wfile.write(e.args[0])
            return False
        extra = f"Api-Version: {r.headers['Api-Version']}\r\n" if "Api-Version" in r.headers else ""
        none = status in (204, 304)
        h.wfile.write(f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n{extra}".encode() + (b"" if none else f"Content-Length: {len(answer)}\r\n".encode()) + b"\r\n" + (b"" if none else answer))
        return True

    def attach(self, h, target):
        if self.streams and self.streams.get("head") is not None:
            h.wfile.write(self.streams["head"])
            self.over.wait(self.streams.get("wait", 0))
            return False
        real = socket.socket(socket.AF_UNIX)
        real.connect(self.engine.socket)
        real.sendall(f"POST {target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n\r\n".encode())

        def back():
            first = True
            try:
                while data := real.recv(65536):
                    if self.streams and not first:
                        data = self.streams["change"](data)
                    first = False
                    h.connection.sendall(data)
            except OSError:
                pass
            try:
                h.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        threading.Thread(target=back, daemon=True).start()
        while data := h.rfile.read1(65536):
            real.sendall(data)
        real.close()
        return False

    def close(self):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()


def edited(which, edit):
    def change(method, path, status, body):
        if re.fullmatch(which, path) and method == "GET" and status == 200:
            doc = json.loads(body)
            edit(doc)
            return status, json.dumps(doc).encode()
    return change
