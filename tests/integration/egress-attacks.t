#!/usr/bin/python3
"""What code with a network may not do with it (group D of the checklist), each beside what it may: names, addresses,
ports, requests in disguise, TLS for somebody else, DNS that changes its mind, and no packet to anybody else.

  D1  nothing leaves without a network      D8  requests in disguise         D15 a relay inside
  D2  no name that is denied is resolved    D9  TLS for somebody else        D16 no list, no network; reloads: egress-life.t
  D3  round the proxy                       D10 fronting: docs/network.md    D17 the credential is the run's
  D4  addresses for names                   D11 DNS that changes its mind    D18 floods: egress-life.t
  D5  names that end or begin alike         D12 redirects                    D19 sending to who is allowed: the caps, egress-life.t
  D6  spellings   D7  NUL                   D13 ports   D14 plain HTTP       D20 nobody listens inside"""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from networld import *

needs_network_world()
w = NetWorld()
conf = w.network("index.test", "files.test:8443", "http://plain.test:8080", "http://plain.test", "raw.test:4443", "http://raw.test:4443", "private.test", "moving.test", "mixed.test", "bücher.test",
                 "nobody.test", "six.test", max_connections=5000, max_sent="64m")

# What runs inside: speaks to the proxy byte by byte.
PRELUDE = r'''
import base64, json, os, socket, ssl, sys, time
USER = os.environ["HTTPS_PROXY"].split("//")[1].split("@")[0]
AUTH = b"Proxy-Authorization: Basic " + base64.b64encode(USER.encode()) + b"\r\n"
def dial():
    s = socket.create_connection(("127.0.0.1", 3128), 5)
    s.settimeout(15)
    return s
def head(s):
    got = b""
    while b"\r\n\r\n" not in got:
        c = s.recv(4096)
        if not c: break
        got += c
    return got
def code(got):
    return int(got.split()[1]) if got.startswith(b"HTTP/1.1 ") else 0
def ask(data):
    s = dial()
    try:
        s.sendall(data)
        return code(head(s))
    except OSError as e:
        return str(e)
    finally:
        s.close()
def connect(authority, more=b"", auth=AUTH):
    if isinstance(authority, str): authority = authority.encode("latin-1")
    return ask(b"CONNECT " + authority + b" HTTP/1.1\r\n" + auth + more + b"\r\n")
def get(url, more=b"", host=None, method=b"GET", auth=AUTH):
    h = host if host is not None else url.split("//")[1].split("/")[0].encode("latin-1")
    return ask(method + b" " + url.encode("latin-1") + b" HTTP/1.1\r\nHost: " + h + b"\r\n" + auth + more + b"\r\n")
def tunnel(authority, first=b"", sni=None):
    """What comes back after 200: "tls" for a handshake, else the bytes until the end."""
    s = dial()
    s.sendall(b"CONNECT " + authority.encode() + b" HTTP/1.1\r\n" + AUTH + b"\r\n")
    got = head(s)
    if code(got) != 200: return code(got)
    if first:
        s.sendall(first)
        try: return "bytes" if s.recv(10) else "cut"
        except OSError as e: return "cut"
    c = ssl.create_default_context(); c.check_hostname = False; c.verify_mode = ssl.CERT_NONE
    try:
        t = c.wrap_socket(s, server_hostname=sni)
        t.close()
        return "tls"
    except (OSError, ssl.SSLError) as e:
        return "cut"
'''


def inside(code, *options, config=None, **kw):
    r = w.fetch(PRELUDE + code, config or conf, *options, **kw)
    if r["status"] != "completed":
        r.show()
    try:
        return r, json.loads(r["stdout"].splitlines()[-1])
    except (ValueError, IndexError):
        r.show()
        return r, {}


def table(title, rows, call):
    """rows: {input: expected}; one run for all of them."""
    r, got = inside(f"print(json.dumps([[x, {call}] for x in {list(rows)!r}]))")
    for x, status in got or []:
        equal(status, rows[x], f"{title}: {x!r} gets {rows[x]}")
    ok(len(got) == len(rows), f"{title}: each was tried")
    return r


w.log()

# D4, D5, D6, D7, D13: names, addresses, ports.  200 and 502 are what is allowed; nothing is said upstream in either case.
r = table("a tunnel", {
    "index.test:443": 200, "INDEX.TEST:443": 200, "index.test.:443": 200, "xn--bcher-kva.test:443": 200,
    "1.2.3.4:443": 403, "11.0.0.10:443": 403, "127.0.0.1:443": 403, "127.1:443": 403, "0x7f.1:443": 403, "2130706433:443": 403, "017700000001:443": 403, "0:443": 403,
    "[::ffff:127.0.0.1]:443": 403, "[::]:443": 403, "[::1]:443": 403, "[fe80::1%eth0]:443": 403, "169.254.169.254:80": 403, "[fd00:ec2::254]:80": 403,
    "evilindex.test:443": 403, "index.test.evil.test:443": 403, "a.index.test:443": 403, "test:443": 403, "index.test@evil.test:443": 400, "xn--index-qva.test:443": 403, "*.index.test:443": 400,
    "index.test%2e:443": 400, "index\x00.test:443": 400, "evil.test\x00.index.test:443": 400, "in_dex.test:443": 400, "index..test:443": 400, ".index.test:443": 400, "a" * 254 + ":443": 400,
    "index.test :443": 400, "index\t.test:443": 400, "b\xfccher.test:443": 400, "index\xe3\x80\x82test:443": 400,
    "index.test:22": 403, "index.test:80": 403, "index.test:0": 400, "index.test:65536": 400, "index.test:": 400, "index.test": 400, "index.test:443:443": 400, "index.test:0443": 400,
    "files.test:443": 403, "plain.test:8080": 403, "denied.test:443": 403, "localhost:443": 403, "metadata.google.internal:80": 403,
}, "connect(x)")
denied = {d["what"]: d for d in r["denials"]}
ok("denied.test:443" in denied and '"denied.test"' in denied["denied.test:443"]["hint"] and "network.whitelist" in denied["denied.test:443"]["hint"], "a denial says which row would allow it")
ok("index.test:22" in denied and '"index.test:22"' in denied["index.test:22"]["hint"], "with its port where that is the matter")
equal({d["kind"] for d in r["denials"]} | {d["source"] for d in r["denials"]}, {"network", "proxy"}, "they are the network's, said by the proxy")
seen = w.log()
equal(set(seen["dns"]), {"index.test", "xn--bcher-kva.test"}, "D2: only names that are allowed were ever resolved")

# D8, D12, D14: plain HTTP and requests in the shadow of others.
PLAIN = {
    'get("http://plain.test:8080/echo")': 200, 'get("http://plain.test/echo")': 200, 'get("http://plain.test:8080/echo", method=b"HEAD")': 200, 'get("http://PLAIN.test.:8080/echo")': 200,
    'get("http://plain.test:8080/echo", method=b"POST", more=b"Content-Length: 0\\r\\n")': 405, 'get("http://plain.test:8080/echo", method=b"PUT")': 405,
    'get("http://denied.test/")': 403, 'get("http://index.test/")': 403, 'get("http://169.254.169.254/latest/meta-data/")': 403, 'get("http://plain.test:81/")': 403,
    'get("http://a@plain.test:8080/")': 400, 'get("http://plain.test:8080/", host=b"denied.test")': 400, 'get("http://plain.test:8080/", more=b"Host: denied.test\\r\\n")': 400,
    'get("http://plain.test:8080/", more=b"Transfer-Encoding: chunked\\r\\n")': 400, 'get("http://plain.test:8080/", more=b"Content-Length: 3\\r\\n")': 400,
    'get("http://plain.test:8080/", more=b"Content-Length: 0\\r\\nTransfer-Encoding: chunked\\r\\n")': 400, 'get("http://plain.test:8080/", more=b"X: a\\r\\n b\\r\\n")': 400,
    'get("http://plain.test:8080/", more=b"X: a\\nY: b\\r\\n")': 400, 'get("http://plain.test:8080/", more=b"X: a\\rY: b\\r\\n")': 400, 'get("http://plain.test:8080/", more=b"Connection: close, X\\r\\n")': 400,
    'get("http://plain.test:8080/\\tx")': 400, 'get("http://plain.test:8080/", more=b"Upgrade: h2c\\r\\n")': 400, 'get("http://plain.test:8080/", more=b"X\\x00: y\\r\\n")': 400,
    'ask(b"GET /echo HTTP/1.1\\r\\nHost: plain.test:8080\\r\\n" + AUTH + b"\\r\\n")': 400, 'ask(b"GET http://plain.test:8080/echo HTTP/1.1\\nHost: plain.test:8080\\n" + AUTH + b"\\n\\n")': 400,
    'ask(b"GET http://plain.test:8080/echo HTTP/1.1\\r\\nHost: plain.test:8080\\r\\n" + AUTH + b"\\r\\nGET http://plain.test:8080/smuggled HTTP/1.1\\r\\nHost: plain.test:8080\\r\\n\\r\\n")': 400,
    'get("http://plain.test:8080/redirect")': 302,
}
r, got = inside(f"print(json.dumps([{','.join(PLAIN)}]))")
for call, status in zip(PLAIN, got):
    equal(status, PLAIN[call], f"plain HTTP: {call} gets {PLAIN[call]}")
# A second request that comes late, on the same connection, reaches nobody either.
r, got = inside('s = dial()\ns.sendall(b"GET http://plain.test:8080/drip HTTP/1.1\\r\\nHost: plain.test:8080\\r\\n" + AUTH + b"\\r\\n")\nhead(s)\n'
                's.sendall(b"GET http://plain.test:8080/late HTTP/1.1\\r\\nHost: plain.test:8080\\r\\n\\r\\n")\ntime.sleep(1)\ns.close()\nprint(json.dumps(1))')
seen = w.log()
paths = [q["path"] for q in seen["requests"]]
equal(sorted(set(paths)), ["/drip", "/echo", "/redirect"], "upstream saw what was allowed, and nothing that was smuggled") or diag(seen["requests"])
ok(all(q["method"] in ("GET", "HEAD") for q in seen["requests"]), "by GET and HEAD alone")
ok(not any(k.lower().startswith("proxy-") for q in seen["requests"] for k in q["headers"]) and len(paths) >= 5, "and never the proxy's credential")
ok(all(q["headers"].get("Connection") == "close" for q in seen["requests"]), "one request for each connection")
equal(set(seen["dns"]), {"plain.test"}, "nobody else was looked up: a redirect is the client's to ask for")

r, got = inside('s = dial()\ns.sendall(b"GET http://raw.test:4443/first HTTP/1.1\\r\\nHost: raw.test:4443\\r\\n" + AUTH + b"\\r\\n")\ntime.sleep(0.5)\n'
                'try: s.sendall(b"GET /second HTTP/1.1\\r\\nHost: denied.test\\r\\n\\r\\n")\nexcept OSError: pass\ntime.sleep(0.5)\ns.close()\nprint(json.dumps(1))')
raws = wait_for(lambda: [x for x in w.log()["raw"] if x], 5) or [""]
equal(raws, ["GET /first HTTP/1.1\r\nHost: raw.test:4443\r\nConnection: close\r\n\r\n"], "what a client sends after its request goes nowhere")

# D12: who follows a redirect asks again, and is told no; nobody else follows it.
r = w.fetch("for p in redirect redirect/allowed; do curl -sSL -o /dev/null -w '%{http_connect} %{num_redirects} %{http_code}\\n' http://plain.test:8080/$p; done", conf, lang="bash")
equal(r["stdout"].split("\n")[:2], ["403 1 000", "000 1 200"], "D12: curl -L ends in 403 where the redirect is to a host that is denied; control: to one that is not, it arrives") or r.show()
equal(([d["what"] for d in r["denials"]], set(w.log()["dns"])), (["denied.test:443"], {"plain.test"}), "and the host was not looked up")

# D9: TLS that is for somebody else, or none.
GREETINGS = {
    'tunnel("index.test:443", sni="index.test")': "tls", 'tunnel("index.test:443", sni="INDEX.test")': "tls", 'tunnel("index.test:443", sni="denied.test")': "cut", 'tunnel("index.test:443", sni=None)': "cut",
    'tunnel("index.test:443", b"GET / HTTP/1.1\\r\\nHost: index.test\\r\\n\\r\\n")': "cut", 'tunnel("index.test:443", b"SSH-2.0-x\\r\\n")': "cut", 'tunnel("index.test:443", b"\\x16\\x03\\x01\\x00\\x00")': "cut",
    'tunnel("raw.test:4443", b"anything at all that is no TLS")': "cut", 'tunnel("raw.test:4443", sni="denied.test")': "cut", 'tunnel("raw.test:4443", sni=None)': "cut",
}
r, got = inside(f"print(json.dumps([{','.join(GREETINGS)}]))")
for call, what in zip(GREETINGS, got):
    equal(what, GREETINGS[call], f"{call}: {GREETINGS[call]}")
ECH = r'''
def v(b, n): return len(b).to_bytes(n, "big") + b
def hello(*ext):
    body = b"\3\3" + b"r" * 32 + v(b"", 1) + v(b"\x13\1", 2) + v(b"\0", 1) + v(b"".join(e.to_bytes(2, "big") + v(x, 2) for e, x in ext), 2)
    m = b"\1" + v(body, 3)
    return b"".join(b"\x16\3\1" + v(m[i:i + 30], 2) for i in range(0, len(m), 30))
name = (0, v(b"\0" + v(b"raw.test", 2), 2))
print(json.dumps([tunnel("raw.test:4443", hello((0xfe0d, b"x"), name)), tunnel("raw.test:4443", hello(name, name))]))
'''
r, got = inside(ECH)
equal(got, ["cut", "cut"], "an encrypted greeting, and a name that stands there twice, are cut")
ok({"encrypted_hello", "tls"} <= {d["hint"].split(":")[0] for d in r["denials"]}, "each by its own rule") or diag(r["denials"])
time.sleep(2)
seen = w.log()
ok(len(seen["connections"]) >= 5 and all(x == "" for x in seen["raw"]), "of all that was cut not one byte went upstream") or diag(seen["raw"])
# Control: in pieces, and for whom it says, it does go.
r, got = inside(ECH.replace("print(json", "0 and print(json") + 's = dial(); s.sendall(b"CONNECT raw.test:4443 HTTP/1.1\\r\\n" + AUTH + b"\\r\\n"); head(s)\n'
                'for b in (hello(name)[i:i+7] for i in range(0, len(hello(name)), 7)): s.sendall(b); time.sleep(0.002)\ntime.sleep(0.3); s.close(); print(json.dumps(len(hello(name))))')
raws = wait_for(lambda: [x for x in w.log()["raw"] if x], 5) or [""]
ok(raws[0].startswith("\x16\x03\x01") and len(raws[0]) == got, "control: a greeting in pieces arrives whole and unchanged")

# D11: DNS that changes its mind, mixes, lies.
w.dns(**{"moving.test": [[PUBLIC], ["127.0.0.1"], ["10.9.0.2"], ["169.254.169.254"]], "mixed.test": [PUBLIC, "10.9.0.2"], "files.test": [PUBLIC]})
w.log()
r, got = inside('print(json.dumps([connect("moving.test:443"), connect("moving.test:443"), connect("moving.test:443"), connect("moving.test:443"), connect("mixed.test:443"),'
                ' connect("private.test:443"), connect("nobody.test:443")]))')
equal(got, [200, 403, 403, 403, 403, 403, 502], "a name is dialled only while all its addresses are public; one that has none is not found")
equal({d["what"]: d["count"] for d in r["denials"]}, {"moving.test:443": 3, "mixed.test:443": 1, "private.test:443": 1}, "each a denial")
ok(all("network.allow_private" in d["hint"] for d in r["denials"]), "that names the key")
seen = w.log()
equal(seen["dns"].count("moving.test"), 8, "resolved once for each connection (two kinds of address)")
equal({p[1] for p in seen["packets"] if p[0] == 6}, {PUBLIC}, "and nobody else got a packet")
own = w.network("private.test", allow_private=["10.9.0.0/24"])
r, got = inside('print(json.dumps([connect("private.test:443")]))', config=own)
equal(got, [200], "control: a private network that policy lists is reached")
w.dns(**{"private.test": ["169.254.169.254"]})
r, got = inside('print(json.dumps([get("http://private.test/latest/")]))', config=w.network("http://private.test", allow_private=["169.254.0.0/16"]))
equal(got, [403], "a listed link-local network is no leave for the metadata service")
r, got = inside('print(json.dumps([get("http://private.test/latest/")]))', config=w.network("http://private.test", allow_private=["169.254.169.254/32"]))
equal(got, [404], "control: it answers, and listed by its own address it is reached")
w.dns(**{"private.test": [INSIDE]})

# D3, D15, D20: round the proxy, through a relay of one's own, and what listens in there.
w.log()
r, got = inside(r'''
import threading, subprocess
out = {}
def direct(family, kind, address):
    try:
        s = socket.socket(family, kind); s.settimeout(1)
        if kind == socket.SOCK_DGRAM: s.sendto(b"x", address)
        else: s.connect(address)
        return "reached"
    except OSError as e: return e.strerror or "timed out"
out["direct"] = [direct(socket.AF_INET, k, (a, p)) for a, p in (("11.0.0.10", 443), ("10.9.0.2", 53), ("169.254.169.254", 80), ("10.9.0.1", 22)) for k in (socket.SOCK_STREAM, socket.SOCK_DGRAM)]
out["six"] = [direct(socket.AF_INET6, k, (a, 443)) for a in ("2606:4700::10", "fd09::2", "fd00:ec2::254") for k in (socket.SOCK_STREAM, socket.SOCK_DGRAM)]
def raw(*what):
    try: s = socket.socket(*what); s.sendto(b"\x08\0\xf7\xff\0\0\0\0", ("11.0.0.10", 0) if what[0] == 2 else ("2606:4700::10", 0)); return "sent"
    except OSError: return "no"
out["raw"] = [raw(2, 3, 1), raw(2, 3, 255), raw(2, 2, 1), raw(10, 3, 58), raw(10, 2, 58), raw(17, 3, 0x300)]
out["tunnel6"] = tunnel("six.test:443", sni="six.test")
try: out["dns"] = socket.getaddrinfo("secret.attacker.test", 443)
except OSError: out["dns"] = None
out["curl"] = [subprocess.run(["curl", "-s", "-m", "5", "-o", "/dev/null", *a], capture_output=True).returncode for a in (["--noproxy", "*", "https://index.test/echo"],
    ["--noproxy", "*", "--resolve", "index.test:443:11.0.0.10", "https://index.test/echo"], ["--connect-to", "index.test:443:denied.test:443", "https://index.test/echo"], ["https://index.test/echo"])]
l = socket.socket(); l.bind(("127.0.0.1", 0)); l.listen()
def relay():
    a, _ = l.accept(); b = dial(); b.sendall(a.recv(4096)); a.sendall(head(b)); a.close()
threading.Thread(target=relay).start()
s = socket.create_connection(l.getsockname()); s.sendall(b"CONNECT denied.test:443 HTTP/1.1\r\n" + AUTH + b"\r\n"); out["relayed"] = code(head(s))
out["listening"] = sorted(int(x.split()[1].split(":")[1], 16) for f in ("tcp", "tcp6") if os.path.exists("/proc/self/net/" + f) for x in open("/proc/self/net/" + f) if " 0A " in x)
def open_(p):
    with socket.socket() as s:  # one that happens to call itself reaches nobody
        return s.connect_ex(("127.0.0.1", p)) == 0 and s.getsockname() != s.getpeername()
out["ports"] = [p for p in range(1, 65536) if p not in (3128, l.getsockname()[1]) and open_(p)]
out["fds"] = sorted(os.listdir("/proc/self/fd"))[:4]
print(json.dumps(out))''')
ok(got.get("direct") and "reached" not in got["direct"] + got["six"], "D3: nothing is reached but through the proxy") or diag(got)
equal((got.get("raw"), got.get("tunnel6")), (["no"] * 6, "tls"), "no raw socket, no packet socket, no ping; control: the proxy goes by IPv6, too")
equal((got.get("dns"), got.get("curl")), (None, [6, 7, 56, 0]), "no name resolves; curl without the proxy, or told another host, fails; control: with it, it does not") or diag(got)
equal(got.get("relayed"), 403, "D15: a relay of one's own has no more rights")
equal(got.get("ports"), [], "D20: nobody but the proxy's port listens in there")
ok({"11.0.0.10:443", "10.9.0.2:53", "169.254.169.254:80"} <= {d["what"] for d in r["denials"] if d["source"] == "hook"}, "what went round the proxy is a denial") or diag(r["denials"])
ok(all("HTTPS_PROXY" in d["hint"] for d in r["denials"] if d["source"] == "hook"), "that says where the way is")
seen = w.log()
equal(set(map(tuple, [p[:3] for p in seen["packets"]])), {(17, INSIDE, 53), (6, PUBLIC, 443), (6, PUBLIC6, 443)}, "0 packets to anybody else: all that left were ours to the resolver, to index.test and to six.test")
# D1: without a network, nothing at all, however it is tried.  The same program outside is the control.
TRY = r"""
import json, os, socket, struct, sys
four = ["11.0.0.10", "10.9.0.2", "10.9.0.1", "169.254.169.254", "168.63.129.16", "100.100.100.200", "198.51.100.9", "255.255.255.255"]
six = ["2606:4700::10", "fd09::2", "fd09::1", "fd00:ec2::254", "ff02::1"]
ports = [22, 53, 67, 80, 123, 443, 853, 3128, 4443, 8080] + list(range(9000, 9030))
tried, reached = 0, []
def attempt(what, f):
    global tried
    tried += 1
    try: f()
    except OSError: return
    reached.append(what)
def talk(family, kind, address, proto=0, data=b"x"):
    with socket.socket(family, kind, proto) as s:
        s.settimeout(0.3)
        if family == 10 and address[0].startswith("ff"): s.setsockopt(41, 17, 1)
        if kind == 1: s.connect(address)
        else: s.sendto(data, address)
few = len(sys.argv) > 1
for f, all_ in ((2, four), (10, six)):
    for a in all_:
        for p in ports[:1] if few else ports:
            for k in (1, 2):
                if not (few and k == 1): attempt([a, p, k], lambda: talk(f, k, (a, p)))
        attempt([a, "ping"], lambda: talk(f, 3 if few else 2, (a, 0), 1 if f == 2 else 58, struct.pack(">BBHHH", 8 if f == 2 else 128, 0, 0xf7fe if f == 2 else 0, 1, 0)))
        attempt([a, "raw"], lambda: talk(f, 3, (a, 0), 253))
for a in ("127.0.0.1", "::1"):
    for p in (22, 53, 80, 3128, 7777, 8080): attempt([a, p], lambda: talk(10 if ":" in a else 2, 1, (a, p)))
for n in ("index.test", "metadata.google.internal", "instance-data", "secret.attacker.test", "a" * 60 + ".attacker.test"): attempt(n, lambda: socket.getaddrinfo(n, 443))
print(json.dumps([tried, reached]))
"""
host = subprocess.Popen(w.inside("/usr/bin/python3", "-c", "import socket, time\nl = [socket.create_server(('127.0.0.1', 7777)), socket.create_server(('::1', 7777), family=socket.AF_INET6)]\nprint(1, flush=True)\ntime.sleep(300)"), stdout=subprocess.PIPE)
host.stdout.readline()


def quiet():
    w.log()
    time.sleep(0.5)
    return not w.log()["packets"]


wait_for(quiet)  # what went before has ended
none = w.lifted(TRY)
tried, reached = json.loads(none["stdout"].splitlines()[-1]) if none["stdout"].strip() else (0, None)
equal((tried >= 1000, reached), (True, []), f"D1: {tried} attempts of a run without a network reach nobody: IPv4, IPv6, UDP, ping, raw, names, the host's own loopback, metadata") or none.show()
time.sleep(0.3)
equal([p for p in w.log()["packets"]], [], "and no packet left")
out = subprocess.run(w.inside("/usr/bin/python3", "-c", TRY, "few"), capture_output=True, text=True, timeout=60)
time.sleep(0.3)
control, packets = json.loads(out.stdout)[1], {p[1] for p in w.log()["packets"]}
ok(["127.0.0.1", 7777] in control and ["::1", 7777] in control and "index.test" in control, "control: outside, the same program reaches loopback and names") or diag(out.stdout, out.stderr)
ok({"11.0.0.10", "10.9.0.2", "169.254.169.254", "168.63.129.16", "198.51.100.9", "2606:4700::10", "fd00:ec2::254"} <= packets, "control: and its packets are counted, IPv6 and all") or diag(packets)
host.kill()
host.wait()

# D17: the credential is the run's own.
r, got = inside('print(json.dumps([connect("index.test:443", auth=b""), connect("index.test:443", auth=b"Proxy-Authorization: Basic " + base64.b64encode(b"bawn:" + b"0" * 32) + b"\\r\\n"),'
                ' connect("index.test:443", auth=b"Proxy-Authorization: Basic " + base64.b64encode(USER[:-1].encode()) + b"\\r\\n"), connect("index.test:443", auth=AUTH + AUTH), connect("index.test:443"), USER]))')
equal(got[:5], [407, 407, 407, 400, 200], "D17: without the credential, with another or half of it: 407") or diag(got)
r, other = inside(f'print(json.dumps([connect("index.test:443", auth=b"Proxy-Authorization: Basic " + base64.b64encode({got[5]!r}.encode()) + b"\\r\\n"), USER]))')
ok(other[0] == 407 and other[1] != got[5], "that of a run that is over is none: it died with it")
ok(got[5].split(":")[1] not in json.dumps(w.records()), "and it is in no record")

# D16: no list, no network.
for text, kind in (("whitelist: []", "network_unavailable"), ("whitelist: null", None), ("", "network_unavailable"), ("whitelist: ['127.1']", "network_unavailable"), ("whitelist: ['index.test', '*.test']", "config_invalid"),
                   ("whitelist: index.test", None), ("whitelist: ['index.test', 'a..b']", "network_unavailable"), ("whitelist: ['pip']", "network_unavailable")):
    c = w.config(sandbox=f"network:\n  network_mode: dependencies\n  {text}\n  acknowledge_risk: true\n")
    r = w.run("print('ran')", "--config", c, "--network", "dependencies")
    ok(r["status"] == "error" and r["stdout"] == "" and (r["error"]["type"] == kind or (kind is None and r["error"]["type"] in ("config_invalid", "network_unavailable"))), f"D16: {text or 'no whitelist'!r}: nothing runs ({r['error']['type']})") or r.show()
r = w.run("print('ran')", "--config", w.config(sandbox="network:\n  whitelist: ['index.test']\n  acknowledge_risk: true\n"), "--network", "dependencies")
equal((r["error"]["type"], r["error"]["field"], r["stdout"]), ("network_unavailable", "network", ""), "a whitelist without network_mode gives none")
done()
