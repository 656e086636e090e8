"""A client of `bawn mcp` that speaks the protocol by hand, in either era."""
import json, os, select, subprocess
from bawntest import *

META = "io.modelcontextprotocol/"
MODERN = "2026-07-28"


class Client:
    """Speaks raw lines; every line that comes back must be one JSON-RPC message."""

    def __init__(self, world, *options):
        self.world = world
        self.p = world.start("mcp", *options, stdin=subprocess.PIPE)
        self.seen, self.rest, self.n, self.bad = [], b"", 0, []

    def raw(self, data):
        self.p.stdin.write(data)
        self.p.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message).encode() + b"\n")

    def next(self, timeout=120):
        """The next message, or None: the server is gone, or silent for that long."""
        while b"\n" not in self.rest:
            if not select.select([self.p.stdout], [], [], timeout)[0]:
                return None
            piece = os.read(self.p.stdout.fileno(), 1 << 20)
            if not piece:
                return None
            self.rest += piece
        line, self.rest = self.rest.split(b"\n", 1)
        try:
            m = json.loads(line)
            good = isinstance(m, list) or m["jsonrpc"] == "2.0"
        except (ValueError, KeyError, TypeError):
            good, m = False, {}
        if not good:
            self.bad.append(line[:200])
        self.seen.append(m)
        return m

    def until(self, id):
        """The answer to this request; what came before it stays in `seen`."""
        while True:
            m = self.next()
            if m is None or (isinstance(m, dict) and m.get("id") == id and "method" not in m):
                return m or {}

    def ask(self, method, params=None, id=None):
        self.n += 1
        id = id if id is not None else self.n
        self.send({"jsonrpc": "2.0", "id": id, "method": method, **({"params": params} if params is not None else {})})
        return id

    def request(self, method, params=None):
        return self.until(self.ask(method, params))

    def call_params(self, tool, args, meta=None, **more):
        return {"name": tool, "arguments": args, **({"_meta": meta} if meta else {}), **more}

    def call(self, tool, meta=None, **args):
        return self.request("tools/call", self.call_params(tool, args, meta)).get("result", {})

    def run(self, code, **args):
        return self.call("execute_code", code=code, **args)

    def end(self):
        self.p.stdin.close()
        code = self.p.wait(120)
        while self.next() is not None:
            pass
        self.err = self.p.stderr.read()
        self.p.stdout.close()
        self.p.stderr.close()
        return code


def opening(version="2025-11-25", capabilities=None, **more):
    return {"protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": {"name": "raw", "version": "7"}, **more}


def legacy(world, *options, version="2025-11-25", capabilities=None):
    c = Client(world, *options)
    c.opened = c.request("initialize", opening(version, capabilities))
    c.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return c


class ModernClient(Client):
    capabilities = {}

    def meta(self, **more):
        return {META + "protocolVersion": MODERN, META + "clientCapabilities": self.capabilities,
                META + "clientInfo": {"name": "modern", "version": "1"}, **more}

    def request(self, method, params=None):
        return super().request(method, {"_meta": self.meta(), **(params or {})})


def doc(result):
    return result.get("structuredContent") or {}


def approve(world, id):
    return terminal(world, ["approve", id, "--reason", "seen"], [("yes", "yes\n")]).code
