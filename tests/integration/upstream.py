#!/usr/bin/python3
"""The internet of the egress tests: runs in a network namespace of its own and answers for everybody in it.

A DNS server whose answers the test changes, a package index and an npm registry over HTTPS, plain HTTP, a port that
only records, peers that are slow or endless, and somebody who counts every packet that arrives.  Orders come as one
JSON object a line on standard input, each is answered with one."""
import http.server, json, os, socket, socketserver, ssl, struct, sys, threading, time

base, link = sys.argv[1], sys.argv[2]
lock = threading.Lock()
answers = {}                       # name: [list of addresses, ...]; the last list stays
log = {"dns": [], "requests": [], "packets": [], "raw": [], "connections": []}


def note(kind, what):
    with lock:
        log[kind].append(what)


class DNS(socketserver.BaseRequestHandler):
    def handle(self):
        data, sock = self.request
        at, labels = 12, []
        while data[at]:
            labels.append(data[at + 1:at + 1 + data[at]].decode("latin-1"))
            at += data[at] + 1
        name, kind = ".".join(labels).lower(), struct.unpack(">H", data[at + 1:at + 3])[0]
        note("dns", name)
        if name.startswith("mute"):
            return
        with lock:
            sets = answers.get(name)
            chosen = sets[0] if sets else []
            if sets and len(sets) > 1 and kind == 28:  # a resolver asks for both kinds: the next pair gets the next answer
                sets.pop(0)
        question, records = data[12:at + 5], b""
        for a in chosen:
            six = ":" in a
            if kind == (28 if six else 1):
                raw = socket.inet_pton(socket.AF_INET6 if six else socket.AF_INET, a)
                records += b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(raw)) + raw
        count = len([a for a in chosen if kind == (28 if ":" in a else 1)])
        code = 0 if name in answers else 3
        sock.sendto(data[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, count, 0, 0) + question + records, self.client_address)


class Pages(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *a):
        pass

    def setup(self):
        if self.server.context:
            self.request.settimeout(30)
            self.request = self.server.context.wrap_socket(self.request, server_side=True)
        super().setup()

    def answer(self, body, kind="text/plain", status=200, **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for k, v in headers.items():
            self.send_header(k, v)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        note("requests", {"host": self.headers.get("Host"), "method": self.command, "path": self.path, "to": self.connection.getsockname()[0],
                          "port": self.connection.getsockname()[1], "tls": bool(self.server.context), "headers": dict(self.headers.items())})
        path = self.path.split("?")[0]
        if path == "/echo":
            self.answer(f"hello from {self.headers.get('Host')}\n".encode())
        elif path == "/redirect":
            self.answer(b"", status=302, Location="https://denied.test/echo")
        elif path == "/redirect/allowed":
            self.answer(b"", status=302, Location="/echo")
        elif path == "/chunks":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            while True:
                self.wfile.write(b"8000\r\n" + b"z" * 0x8000 + b"\r\n")
        elif path.startswith("/bytes/"):
            n, chunk = int(path.split("/")[2]), b"x" * 65536
            self.send_response(200)
            self.send_header("Content-Length", str(n))
            self.end_headers()
            while n > 0:
                self.wfile.write(chunk[:n])
                n -= len(chunk)
        elif path == "/endless":
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(b"y" * 65536)
        elif path.split("/")[1] == "drip":
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(b".")
                time.sleep(0.2)
        elif path == "/silent":
            time.sleep(3600)
        else:
            file = os.path.join(base, "www", path.strip("/").replace("/", "_") or "index")
            if not os.path.exists(file):
                return self.answer(b"not here\n", status=404)
            with open(file, "rb") as f:
                kind = "text/html" if path.endswith("/") else "application/json" if "." not in path else "application/octet-stream"
                self.answer(f.read(), kind)

    do_HEAD = do_POST = do_PUT = do_GET


class Raw(socketserver.BaseRequestHandler):
    """Keeps what it gets and says nothing."""

    def handle(self):
        note("connections", self.request.getsockname()[1])
        got = b""
        self.request.settimeout(20)
        try:
            while chunk := self.request.recv(65536):
                got += chunk
        except OSError:
            pass
        note("raw", got.decode("latin-1")[:4096])


class Six:
    address_family = socket.AF_INET6

    def server_bind(self):
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        super().server_bind()


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
    request_queue_size = 128
    context = None

    def handle_error(self, *a):
        pass


class Server6(Six, Server):
    pass


def sniff():
    """Every packet that arrives: protocol, address, port."""
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    s.bind((link, 0))
    while True:
        data, where = s.recvfrom(256)
        if where[2] == 4 or len(data) < 34:  # our own
            continue
        kind, d = struct.unpack(">H", data[12:14])[0], data[14:]
        if kind == 0x0800:
            size, proto = (d[0] & 15) * 4, d[9]
            port = struct.unpack(">H", d[size + 2:size + 4])[0] if proto in (6, 17) and len(d) >= size + 4 else 0
            key = (proto, socket.inet_ntoa(d[16:20]), port)
        elif kind == 0x86dd:
            if (d[6] == 58 and d[40] not in (128, 129)) or (d[6] == 0 and d[40] == 58 and d[24] == 0xff):  # neighbours looking for each other, and the kernel joining groups of theirs
                continue
            port = struct.unpack(">H", d[42:44])[0] if len(d) >= 44 else 0
            key = (d[6], socket.inet_ntop(socket.AF_INET6, d[24:40]), port)
        else:
            continue
        with lock:
            if key not in packets:
                packets[key] = 0
            packets[key] += 1


packets = {}
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(base + "/server.pem", base + "/server.key")
started = []
for port, handler, tls in ((443, Pages, True), (80, Pages, False), (8080, Pages, False), (4443, Raw, False), (22, Raw, False)):
    for kind, address in ((Server, "0.0.0.0"), (Server6, "::")):
        server = kind((address, port), handler)
        server.context = context if tls else None
        started.append(server)
started.append(socketserver.UDPServer(("0.0.0.0", 53), DNS))  # one after the other, as they are asked: see `answers`
for server in started:
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
threading.Thread(target=sniff, daemon=True).start()
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    order = json.loads(line)
    with lock:
        for name, value in order.get("dns", {}).items():
            answers[name] = value if value and isinstance(value[0], list) else [value]
        reply = {}
        if order.get("log"):
            reply = {**log, "packets": [[*k, n] for k, n in packets.items()]}
            for k in log:
                log[k] = []
            packets.clear()
    print(json.dumps(reply), flush=True)
