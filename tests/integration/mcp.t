#!/usr/bin/python3
"""`bawn mcp` as a client sees it that speaks the protocol by hand: both eras, every kind of malformed input, several
calls at once, cancellation, progress, held requests and who may lift them, files and pictures."""
import base64, glob, json, os, select, shutil, signal, subprocess, sys, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mcpclient import *

HIGH = "import pty\nprint('ran')\nif False: pty.spawn('/bin/sh')\n"
BLOCKED = "import os\nif False: os.system('rm -rf /')\nprint('ran')\n"
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20


w = World()
w.env["TMPDIR"] = os.path.join(w.dir, "tmp")
os.mkdir(w.env["TMPDIR"])

# --- opening --------------------------------------------------------------------------------------
for asked, got in [("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2024-11-05", "2025-11-25"),
                   ("9999-01-01", "2025-11-25")]:
    c = legacy(w, version=asked)
    r = c.opened["result"]
    equal((r["protocolVersion"], r["serverInfo"]["name"], list(r["capabilities"])), (got, "bawn", ["tools"]), f"initialize with {asked} agrees on {got}")
    equal(c.end(), 0, "the end of input ends it: 0")

c = legacy(w)
equal(c.request("ping").get("result"), {}, "ping")
equal(c.request("initialize", opening())["error"]["code"], -32600, "a second initialize is refused")

# --- tools ----------------------------------------------------------------------------------------
tools = c.request("tools/list")["result"]["tools"]
equal([t["name"] for t in tools], ["execute_code", "assess_code", "get_execution", "list_executions"], "the tools, in their order")
equal([sorted(t["inputSchema"]["properties"]) for t in tools], [["code", "files", "language", "timeout"], ["code", "language"], ["id"], ["limit"]],
      "no argument for policy, network, trust, override or approval in any schema")
ok(all(t["inputSchema"]["additionalProperties"] is False and t["outputSchema"]["type"] == "object" for t in tools), "other arguments are closed out; outputs have a schema")

r = c.run("print(6*7)")
d = doc(r)
equal((d.get("status"), d.get("exit_code"), d.get("stdout"), r.get("isError")), ("completed", 0, "42\n", False), "a LOW run")
equal(json.loads(r["content"][0]["text"]), d, "the text is the same JSON")
cli = w.run("print(6*7)").json
equal(sorted(set(d) - set(cli)), ["approval", "images"], "the document is the command line's, with two members more")
same = lambda x: (x["status"], x["exit_code"], x["stdout"], x["assessment"]["level"], x["decision"]["action"], x["trust_level"], x["enforcement"], x["limits"]["timeout_ms"])
equal(same(d), same(cli), "and says the same")
equal(doc(c.run("echo $((6*7))", language="bash")).get("stdout"), "42\n", "bash")
equal(doc(c.run("console.log(6*7)", language="javascript")).get("stdout"), "42\n", "javascript")
r = c.run("raise SystemExit(3)")
equal((doc(r).get("status"), doc(r).get("exit_code"), r.get("isError")), ("failed", 3, True), "a program that fails is a tool's failure, not the protocol's")
equal(doc(c.run("while True: pass", timeout=0.5)).get("status"), "timeout", "timeout, in seconds")
equal(doc(c.run("import subprocess\nprint(subprocess.run(['true']).returncode)")).get("assessment", {}).get("level") in ("LOW", "MEDIUM"), True, "MEDIUM runs")

a = c.call("assess_code", code=BLOCKED)
equal((doc(a).get("assessment", {}).get("level"), a.get("isError"), doc(a).get("error")), ("BLOCKED", False, None), "assess_code says BLOCKED and is no failure")
g = c.call("get_execution", id=d["id"])
equal((doc(g).get("execution") or {}).get("status"), "completed", "get_execution finds the run")
g = c.call("get_execution", id="7ZZZZZZZZZ")
equal((g.get("isError"), doc(g).get("execution"), doc(g)["error"]["type"]), (True, None, "not_found"), "and says where there is none")
l = doc(c.call("list_executions", limit=2))
equal((len(l["executions"]), l["error"]), (2, None), "list_executions keeps to its limit")
ok(len(doc(c.call("list_executions"))["executions"]) > 2, "and needs none")
intent = [r for r in w.records("exec.intent") if r["principal"]["via"] == "mcp"][0]["principal"]
equal((intent["via"], intent.get("claimed")), ("mcp", "raw 7"), "the log says via mcp, and what the client claims to be")

# --- arguments ------------------------------------------------------------------------------------
for name, args, field in [
        ("no code", {}, "code"), ("code of another type", {"code": 1}, "code"), ("empty code", {"code": ""}, "code"), ("blank code", {"code": " \n"}, "code"),
        ("an unknown language", {"code": "1", "language": "cobol"}, "language"), ("timeout zero", {"code": "1", "timeout": 0}, "timeout"),
        ("a timeout below zero", {"code": "1", "timeout": -1}, "timeout"), ("a timeout that is text", {"code": "1", "timeout": "9"}, "timeout"),
        ("an override", {"code": HIGH, "override": True}, None), ("a reason", {"code": HIGH, "reason": "please"}, None), ("an approval", {"code": HIGH, "approval": "x"}, None),
        ("a network", {"code": "1", "network": "dependencies"}, None), ("a policy", {"code": "1", "policy": {}}, None), ("a trust level", {"code": "1", "trust": "trusted"}, None),
        ("files that are a list", {"code": "1", "files": []}, "files"), ("a file that is a number", {"code": "1", "files": {"a": 1}}, "a"),
        ("a file with another member", {"code": "1", "files": {"a": {"base64": "", "mode": 1}}}, "a"), ("bad base64", {"code": "1", "files": {"a": {"base64": "x"}}}, "files"),
        ("base64 with bits left over", {"code": "1", "files": {"a": {"base64": "QR=="}}}, "files"),
        ("a file that leaves the workspace", {"code": "1", "files": {"../a": "x"}}, "inputs"), ("an absolute file", {"code": "1", "files": {"/etc/x": "x"}}, "inputs"),
        ("a file with an empty name", {"code": "1", "files": {"": "x"}}, "inputs"), ("a timeout of 1e308 seconds", {"code": "1", "timeout": 1e308}, "timeout")]:
    r = c.call("execute_code", **args)
    e = doc(r).get("error") or {}
    ok(r.get("isError") is True and doc(r)["status"] == "error" and (field is None or e.get("field") == field), f"refused: {name}") or diag(r)
r = c.run("import os\nprint(open('t').read(), open('d/b','rb').read(), sorted(os.listdir('.')))", files={"t": "täxt", "d/b": {"base64": base64.b64encode(b"\0\xff").decode()}})
equal(doc(r).get("stdout"), "täxt b'\\x00\\xff' ['d', 't']\n", "files: text and bytes")
equal(doc(c.run("pass", files={"x.sh": "rm -rf /"})).get("status"), "needs_approval", "files are assessed too")
ok(doc(c.call("list_executions", limit=0)).get("error"), "limit 0 is refused")
ok(doc(c.call("list_executions", limit=-1)).get("error"), "limit -1 too")
for name, params in [("an unknown tool", {"name": "rm"}), ("no tool", {}), ("a tool that is a number", {"name": 1}), ("arguments that are a list", {"name": "assess_code", "arguments": []}),
                     ("_meta that is a list", {"name": "assess_code", "_meta": []}), ("a progress token that is an object", {"name": "assess_code", "_meta": {"progressToken": {}}})]:
    equal(c.request("tools/call", params).get("error", {}).get("code"), -32602, f"no call at all: {name}")
equal(c.request("tools/list", {"cursor": "x"})["error"]["code"], -32602, "a cursor nobody gave")

# --- malformed input ------------------------------------------------------------------------------
for name, line, code in [
        ("not JSON", b"hello", -32700), ("half an object", b'{"jsonrpc":', -32700), ("bytes after it", b'{} {}', -32700), ("bad UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700),
        ("an overlong form", b'"\xc0\xaf"', -32700), ("a lone surrogate", b'{"a":"\\ud800"}', -32700), ("NUL in a string", b'{"a":"\\u0000"}', -32700), ("a byte order mark", b'\xef\xbb\xbf{}', -32700),
        ("a NUL byte", b'{"jsonrpc":"2.0"\0}', -32700), ("the same key twice", b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700),
        ("code twice", b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_code","arguments":{"code":"1","code":"2"}}}', -32700),
        ("deep arrays", b"[" * 100000, -32700), ("deep objects", b'{"a":' * 100000, -32700), ("a number too long", b'{"id":' + b"9" * 100000 + b"}", -32700), ("a real too large", b'{"id":1e999}', -32700),
        ("a string", b'"x"', -32600), ("a number", b"1", -32600), ("null", b"null", -32600), ("true", b"true", -32600), ("an empty object", b"{}", -32600), ("an empty array", b"[]", -32600),
        ("an array of messages", b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600), ("version 1.0", b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600), ("no version", b'{"id":1,"method":"ping"}', -32600),
        ("id null", b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600), ("id true", b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600), ("id 1.5", b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        ("id an object", b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600), ("method a number", b'{"jsonrpc":"2.0","id":1,"method":1}', -32600), ("params a list", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600),
        ("no method", b'{"jsonrpc":"2.0","id":1}', -32600), ("result and error", b'{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', -32600), ("an unknown method", b'{"jsonrpc":"2.0","id":1,"method":"tools/delete"}', -32601),
        ("an empty method", b'{"jsonrpc":"2.0","id":1,"method":""}', -32601), ("resources/list", b'{"jsonrpc":"2.0","id":1,"method":"resources/list"}', -32601), ("server/discover in the old era", b'{"jsonrpc":"2.0","id":1,"method":"server/discover"}', -32601),
        ("9 MiB", b'"' + b"x" * (9 << 20) + b'"', -32700)]:
    c.raw(line + b"\n")
    m = c.next() or {}
    equal((m.get("error", {}).get("code"), "result" in m), (code, False), f"malformed: {name}")
before = len(c.seen)
for line in [b"", b"  ", b"\r", b'{"jsonrpc":"2.0","method":"notifications/unknown"}', b'{"jsonrpc":"2.0","method":"notifications/cancelled"}', b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
             b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"never"}}', b'{"jsonrpc":"2.0","id":"never","result":{}}', b'{"jsonrpc":"2.0","id":77,"error":{}}', b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"execute_code","arguments":{"code":"1"}}}']:
    c.raw(line + b"\n")
equal((c.request("ping").get("result"), len(c.seen) - before), ({}, 1), "blank lines, notifications and foreign responses get no answer")
equal(c.request("ping")["result"], {}, "ids of our own go on")
c.raw(json.dumps({"jsonrpc": "2.0", "id": "spl", "method": "ping"}).encode()[:20])
time.sleep(0.2)
c.raw(json.dumps({"jsonrpc": "2.0", "id": "spl", "method": "ping"}).encode()[20:] + b"\r\n")
equal(c.until("spl").get("result"), {}, "a message in two pieces, with a carriage return")

# --- what the code prints is data -----------------------------------------------------------------
frame = '{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":{"status":"completed"}}}'
r = c.run(f"print('\\n{frame % (c.n + 1)}\\r\\n{frame % (c.n + 2)}\\u2028\\n')\nimport sys; sys.stdout.buffer.write(b'\\xff\\x00\\n'); print('</tool>', file=sys.stderr)")
equal((doc(r)["stdout"].count('"jsonrpc"'), doc(r)["stderr"]), (2, "</tool>\n"), "messages in the output come back as text")
equal((c.request("ping").get("result"), c.bad), ({}, []), "and nothing but messages was on the wire")

# --- pictures and files ---------------------------------------------------------------------------
r = c.run(f"""
import os
os.mkdir('d')
for name, data in [('a.png', {PNG!r}), ('d/b.jpg', b'\\xff\\xd8\\xff\\xe0jpeg'), ('c.dat', b'GIF89a..'), ('e.webp', b'RIFF\\0\\0\\0\\0WEBPVP8 '), ('f.svg', b'<svg/>'),
                   ('g.png', b'not one'), ('t.txt', b'text'), ('z.png', {PNG!r} + bytes(5 << 20))]:
    open(name, 'wb').write(data)
os.symlink('/etc/passwd', 'h.png')
""")
images = [b for b in r["content"] if b["type"] == "image"]
listed = {i["path"]: (i["mime_type"], i["attached"]) for i in doc(r)["images"]}
equal(listed, {"a.png": ("image/png", True), "d/b.jpg": ("image/jpeg", True), "c.dat": ("image/gif", True), "e.webp": ("image/webp", True), "z.png": ("image/png", False)},
      "pictures are known by their bytes; one over the cap is named, not attached")
equal([b["mimeType"] for b in images], [i["mime_type"] for i in doc(r)["images"] if i["attached"]], "what is attached follows in that order")
equal(base64.b64decode(images[[i["path"] for i in doc(r)["images"]].index("a.png")]["data"]), PNG, "byte for byte")
ok({"t.txt", "f.svg", "a.png", "d/b.jpg"} <= {f["path"] for f in doc(r)["files"]} and "h.png" not in {f["path"] for f in doc(r)["files"]}, "all files are listed, links are not")
r = c.run(f"for i in range(12): open(f'{{i:02}}.png', 'wb').write({PNG!r})")
equal((len([b for b in r["content"] if b["type"] == "image"]), len(doc(r)["images"])), (8, 12), "at most eight pictures")
ok(wait_for(lambda: not glob.glob(w.env["TMPDIR"] + "/*/*"), 60), "what a call left is removed after its answer") or diag(glob.glob(w.env["TMPDIR"] + "/*/*"))

# --- several at once, cancellation, progress ------------------------------------------------------
SLEEP = "import time\nprint('on', flush=True)\ntime.sleep(600)\n"
running = lambda: [r for r in w.records("exec.intent") if r["exec"] not in {o["exec"] for o in w.records("exec.outcome")}]
long = [c.ask("tools/call", c.call_params("execute_code", {"code": SLEEP + f"#{i}"})) for i in range(3)]
ok(wait_for(lambda: len(running()) == 3, 60), "three runs at once")
ok(os.listdir(w.env["TMPDIR"]), "their files have a place")
equal(doc(c.run("print('between')"))["stdout"], "between\n", "a fourth is answered while they go on")
equal(len(running()), 3, "and they do go on")
equal(c.request("ping").get("result"), {}, "so is a ping")
m = c.until(c.ask("ping", id=long[0]))
equal(m.get("error", {}).get("code"), -32600, "an id that is in use is refused")
c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": long[0], "reason": "enough"}})
ok(wait_for(lambda: len(running()) == 2, 60), "cancelling one ends that one")
equal([o["body"]["status"] for o in w.records("exec.outcome")][-1], "cancelled", "the log says cancelled")
c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": long[1]}})
ok(wait_for(lambda: len(running()) == 1, 60), "and another")
c.request("ping")
ok(not any(isinstance(m, dict) and m.get("id") in long and "result" in m for m in c.seen), "a cancelled call gets no answer")

at = len(c.seen)
r = c.call("execute_code", {"progressToken": "p-1"}, code="import time\ntime.sleep(2.5)")
told = [m["params"] for m in c.seen[at:] if m.get("method") == "notifications/progress"]
ok(len(told) >= 3 and all(t["progressToken"] == "p-1" for t in told), "progress where a token was given") or diag(told)
ok(all(a["progress"] < b["progress"] for a, b in zip(told, told[1:])), "strictly increasing")
ok(c.seen[-1].get("result") is not None, "and before the answer")
at = len(c.seen)
c.run("print(1)")
equal(len(c.seen) - at, 1, "none where none was given")

equal(c.end(), 0, "the end of input while one runs: exit 0")
equal((len(running()), [o["body"]["status"] for o in w.records("exec.outcome")][-1]), (0, "cancelled"), "what ran was ended and recorded")
equal((c.bad, c.err, c.rest), ([], b"", b""), "only messages on stdout, nothing on stderr")
c = legacy(w)
last = c.ask("tools/call", c.call_params("execute_code", {"code": SLEEP}))
ok(wait_for(lambda: len(running()) == 1, 60), "one more runs")
c.p.send_signal(signal.SIGTERM)
equal((c.p.wait(120), len(running())), (0, 0), "SIGTERM ends it the same way")
equal(os.listdir(w.env["TMPDIR"]), [], "no directory of ours is left")

# --- the cap ---------------------------------------------------------------------------------------
# One at a time runs, so that the others wait for a place and cost nothing.
one = w.config(sandbox="queue_timeout: 10m\ndynamic:\n  max_running: 1\n")
c = legacy(w, "--config", one)
many = [c.ask("tools/call", c.call_params("execute_code", {"code": SLEEP + f"# {i}"})) for i in range(64)]
r = c.run(SLEEP)
equal((doc(r).get("status"), (doc(r).get("error") or {}).get("type"), r.get("isError")), ("busy", "busy", True), "64 calls are on their way: the 65th is told so, as a tool's failure") or diag(r)
ok("64" in (doc(r).get("error") or {}).get("message", ""), "in words")
equal((doc(c.call("assess_code", code="1")).get("error"), c.request("ping").get("result")), (None, {}), "what needs no place is answered")
c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": many[-1]}})


def taken():
    """Whether one more call is let in: a refusal would come before the answer to the ping."""
    at, id = len(c.seen), c.ask("tools/call", c.call_params("execute_code", {"code": SLEEP + "# again"}))
    c.request("ping")
    return not any(m.get("id") == id for m in c.seen[at:])


ok(wait_for(taken, 60, 0.2), "where one was cancelled, another may wait")
equal(doc(c.run(SLEEP)).get("status"), "busy", "and that was the last")
equal((c.end(), len(running()), c.bad), (0, 0, []), "the end of input ends all of them")
equal(os.listdir(w.env["TMPDIR"]), [], "no directory of theirs is left")

# --- what a server that was killed left --------------------------------------------------------------
tmp = w.env["TMPDIR"]
c = legacy(w)
c.run("open('out', 'w').write('x')")
(killed,) = os.listdir(tmp)
os.makedirs(f"{tmp}/{killed}/99/deep")
open(f"{tmp}/{killed}/99/deep/out", "w").close()
c.p.kill()
c.end()
live = legacy(w)
live.run("print(1)")
(lives,) = set(os.listdir(tmp)) - {killed}
elsewhere = w.file("elsewhere/kept", "x")
os.symlink(os.path.dirname(elsewhere), f"{tmp}/bawn-mcp-linked")
for name in ("bawn-mcp-", "bawn-mcp-longer1", "other-mcp-abcdef", "bawn-mcp-nobody"):
    os.mkdir(f"{tmp}/{name}")
open(f"{tmp}/bawn-mcp-afile0", "w").close()
if is_root():
    os.mkdir(f"{tmp}/bawn-mcp-theirs")
    shutil.chown(f"{tmp}/bawn-mcp-theirs", "nobody")
os.symlink(os.path.dirname(elsewhere), f"{tmp}/bawn-mcp-nobody/link")
c = legacy(w)
left = set(os.listdir(tmp))
equal(sorted({killed, "bawn-mcp-nobody"} & left), [], "the next server removes what one that was killed left")
equal(sorted(left), sorted([lives, "bawn-mcp-linked", "bawn-mcp-", "bawn-mcp-longer1", "other-mcp-abcdef", "bawn-mcp-afile0"] + (["bawn-mcp-theirs"] if is_root() else [])),
      "and not what a living one has, a link, another user's, or another's by its name")
ok(os.path.exists(elsewhere), "nor what a link in it leads to")
equal((c.end(), live.end()), (0, 0), "both end")
ok(lives not in os.listdir(tmp), "and take their own with them")
shutil.rmtree(tmp)
os.mkdir(tmp)

# --- a launcher that gets stuck, as behind an engine that hangs -------------------------------------
stuck = World()
launcher = stuck_launchers(stuck, "silent", "deaf")
stuck.program = shutil.copy(BAWN, stuck.dir + "/bawn")
os.makedirs(stuck.dir + "/libexec")
for how in ("silent", "deaf"):
    if os.path.islink(stuck.dir + "/libexec/bawn"):
        os.unlink(stuck.dir + "/libexec/bawn")
    os.symlink(f"{launcher}/{how}", stuck.dir + "/libexec/bawn")
    before = len(stuck.records("exec.outcome"))
    c = legacy(stuck)
    id = c.ask("tools/call", c.call_params("execute_code", {"code": "print(1)"}))
    ok(wait_for(lambda: len(stuck.records("exec.intent")) == before + 1, 60), f"{how}: a call waits for its launcher")
    t = time.time()
    equal((c.request("ping").get("result"), doc(c.call("assess_code", code="1")).get("error")), ({}, None), f"{how}: others are answered meanwhile")
    ok(time.time() - t < 5, f"{how}: at once") or diag(time.time() - t)
    c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
    ok(wait_for(lambda: len(stuck.records("exec.outcome")) == before + 1, 20), f"{how}: a cancel is seen, and recorded")
    equal(([r["body"]["status"] for r in stuck.records("exec.outcome")[before:]], c.request("ping").get("result")), (["cancelled"], {}), f"{how}: as cancelled")
    ok(wait_for(lambda: not processes_with(f"{launcher}/{how}/launch"), 20), f"{how}: the launcher is gone") or diag(describe(processes_with(f"{launcher}/{how}/launch")))
    c.ask("tools/call", c.call_params("execute_code", {"code": "print(2)"}))
    ok(wait_for(lambda: len(stuck.records("exec.intent")) == before + 2, 60), f"{how}: another waits")
    t = time.time()
    c.p.send_signal(signal.SIGINT)
    ok(c.p.wait(60) is not None and time.time() - t < 25, f"{how}: an interrupt ends the server") or diag(time.time() - t)
    c.end()
    equal([r["body"]["status"] for r in stuck.records("exec.outcome")[before:]], ["cancelled", "cancelled"], f"{how}: and what waited is recorded")

# --- held, and who may lift it --------------------------------------------------------------------
FORM = {"elicitation": {}}
c = legacy(w, capabilities=FORM)
for level, code in [("HIGH", HIGH), ("BLOCKED", BLOCKED)]:
    r = c.run(code)
    d, ap = doc(r), doc(r).get("approval") or {}
    equal((d["status"], d["assessment"]["level"], ap.get("level"), r["isError"], d["stdout"]), ("needs_approval", level, level, True, ""), f"{level} is held")
    ok(d["assessment"]["findings"] and ap["id"] == d["decision"]["approval_id"] and ap["command"] == f"bawn approve {ap['id']} --state '{w.state}'" and ap["command"] in r["content"][1]["text"],
       "the answer has findings, the approval's id and the command") or diag(ap)
    equal(doc(c.run(code))["approval"]["id"], ap["id"], "asking again asks no second time")
    equal((w.bawn("approve", ap["id"], "--reason", "agent").code, doc(c.run(code))["status"]), (1, "needs_approval"), "without a terminal nobody approves it")
    equal(approve(w, ap["id"]), 0, "a person does")
    equal(doc(c.run(code + "#"))["status"], "needs_approval", "other code is still held")
    equal(doc(c.run(code, files={"a": "b"}))["status"], "needs_approval", "so is the same code with a file")
    r = c.run(code)
    equal((doc(r)["status"], doc(r)["stdout"], doc(r)["decision"]["assurance"], doc(r)["trust_level"]), ("completed", "ran\n", "terminal", "untrusted"), "the same call runs")
    r = c.run(code)
    ok(doc(r)["status"] == "needs_approval" and doc(r)["approval"]["id"] != ap["id"], "once: after that it is held anew")
    equal(w.bawn("deny", doc(r)["approval"]["id"], "--reason", "no").code, 0, "denied")
    r = c.run(code)
    equal((doc(r)["status"], (doc(r)["error"] or {}).get("type"), doc(r)["approval"]), ("error", "approval_denied", None), "what was denied stays so")
ok(not any(m.get("method") == "elicitation/create" for m in c.seen), "a client that could ask somebody is not asked: its word would not do")
equal(doc(c.run("print(1)"))["status"], "completed", "LOW needs nobody")
equal(c.end(), 0, "over")
equal(w.bawn("audit", "verify").code, 3, "the log verifies")

# An approval given for the command line's request is none for the agent's, and the other way round.
h = w.run("import pty\nif False: pty.spawn('x')\n").json
approve(w, h["decision"]["approval_id"])
c = legacy(w)
equal(doc(c.run("import pty\nif False: pty.spawn('x')\n"))["status"], "needs_approval", "an approval for the command line lifts nothing here")

# --- the requester's own word, where policy takes it -----------------------------------------------
c.end()
own = w.config(security="overrides:\n  minimum: self\n  acknowledge_risk: true\n")
c = legacy(w, "--config", own)
equal(doc(c.run(HIGH + "#0"))["status"], "needs_approval", "self suffices, but this client has no form: held")
c.end()
c = legacy(w, "--config", own, version="2025-03-26", capabilities=FORM)
equal(doc(c.run(HIGH + "#00"))["status"], "needs_approval", "nor is there one in 2025-03-26")
c.send([{"jsonrpc": "2.0", "id": "b1", "method": "ping"}, {"jsonrpc": "2.0", "method": "x"}, {"jsonrpc": "2.0", "id": "b2", "method": "tools/call", "params": {"name": "execute_code", "arguments": {"code": "print('b')"}}}, 7])
m = c.next()
equal((isinstance(m, list), sorted(str(x.get("id")) for x in m), [doc(x["result"]).get("stdout") for x in m if x.get("id") == "b2"]), (True, ["None", "b1", "b2"], ["b\n"]), "but there are batches, answered together")
c.end()
c = legacy(w, "--config", own, capabilities=FORM)
for answer, status, error in [({"action": "accept", "content": {"approve": True, "reason": "form"}}, "completed", None), ({"action": "decline"}, "error", "approval_denied"),
                              ({"action": "accept", "content": {"approve": False, "reason": "no"}}, "error", "approval_denied"), ({"action": "cancel"}, "needs_approval", None),
                              ({"action": "accept", "content": {"approve": True}}, "needs_approval", None), ({"action": "accept", "content": {"approve": "yes", "reason": "x"}}, "needs_approval", None),
                              ({}, "needs_approval", None), ([], "needs_approval", None), (None, "needs_approval", None)]:
    id = c.ask("tools/call", c.call_params("execute_code", {"code": HIGH + f"# {json.dumps(answer)}"}))
    q = c.next()
    equal((q.get("method"), list(q["params"]["requestedSchema"]["properties"])), ("elicitation/create", ["approve", "reason"]), "the form is asked for")
    c.send({"jsonrpc": "2.0", "id": q["id"], **({"result": answer} if answer is not None else {"error": {"code": -1, "message": "no"}})})
    r = c.until(id)["result"]
    equal((doc(r)["status"], (doc(r)["error"] or {}).get("type")), (status, error), f"answered {json.dumps(answer)}: {status}")
    if status == "completed":
        equal((doc(r)["decision"]["assurance"], doc(r)["decision"]["override"]["reason"]), ("self", "form"), "and counts as self")
        c.send({"jsonrpc": "2.0", "id": q["id"], "result": answer})  # again: to nothing
id = c.ask("tools/call", c.call_params("execute_code", {"code": HIGH + "# never"}))
q = c.next()
c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
c.send({"jsonrpc": "2.0", "id": q["id"], "result": {"action": "accept", "content": {"approve": True, "reason": "late"}}})
equal(c.request("ping").get("result"), {}, "an answer after the cancellation is one to nothing")
c.ask("tools/call", c.call_params("execute_code", {"code": HIGH + "# at the end"}))
c.next()
equal(c.end(), 0, "the end of input while somebody is asked")
soon = w.config(security="overrides:\n  minimum: self\n  expires: 2s\n  acknowledge_risk: true\n")
c = legacy(w, "--config", soon, capabilities=FORM)
id = c.ask("tools/call", c.call_params("execute_code", {"code": HIGH + "# nobody there"}))
q = c.next()
t = time.time()
r = c.until(id).get("result", {})
equal((doc(r).get("status"), (doc(r).get("approval") or {}).get("level"), time.time() - t < 30), ("needs_approval", "HIGH", True), "a form that nobody answers: held, when policy waits no longer")
equal([m["params"]["requestId"] for m in c.seen if isinstance(m, dict) and m.get("method") == "notifications/cancelled"], [q["id"]], "and the client is told that it is not waited for any more")
c.send({"jsonrpc": "2.0", "id": q["id"], "result": {"action": "accept", "content": {"approve": True, "reason": "late"}}})
equal((c.request("ping").get("result"), w.records("override.used")[-1]["body"].get("reason") != "late"), ({}, True), "an answer after that is one to nothing")
equal((c.end(), c.bad), (0, []), "over")

# --- the modern era -------------------------------------------------------------------------------
c = ModernClient(w, "--config", own)
r = c.request("server/discover")["result"]
equal((r["supportedVersions"][0], r["resultType"], r["cacheScope"], r["_meta"][META + "serverInfo"]["name"], list(r["capabilities"])), (MODERN, "complete", "public", "bawn", ["tools"]), "server/discover")
r = c.request("tools/list")["result"]
equal((r["tools"], r["resultType"], r["ttlMs"] > 0, r["cacheScope"]), (tools, "complete", True, "public"), "the same tools, with how long that holds")
r = c.call("execute_code", code="print(6*7)")
equal((doc(r)["stdout"], r["resultType"]), ("42\n", "complete"), "a run without any opening")
equal(w.records("exec.intent")[-1]["principal"].get("claimed"), "modern 1", "who claims to ask, by request")
for name, meta, code in [("no capabilities", {META + "protocolVersion": MODERN}, -32602), ("a version that is a number", {META + "protocolVersion": 1, META + "clientCapabilities": {}}, -32602),
                         ("capabilities that are a list", {META + "protocolVersion": MODERN, META + "clientCapabilities": []}, -32602),
                         ("an unknown version", {META + "protocolVersion": "2030-01-01", META + "clientCapabilities": {}}, -32022), ("an old version", {META + "protocolVersion": "2025-11-25", META + "clientCapabilities": {}}, -32022),
                         ("no version and no opening", {}, -32600)]:
    e = Client.request(c, "tools/list", {"_meta": meta}).get("error", {})
    ok(e.get("code") == code and (code != -32022 or (MODERN in e["data"]["supported"] and e["data"]["requested"] == meta[META + "protocolVersion"])), f"refused: {name}") or diag(e)
equal(c.request("ping").get("error", {}).get("code"), -32601, "ping is gone from this era")
equal(c.request("initialize", opening()).get("error", {}).get("code"), -32601, "so is initialize")
equal(doc(c.run(HIGH + "#m0"))["status"], "needs_approval", "no form here: held")
c.capabilities = {"elicitation": {"form": {}}}
YES = {"approval": {"action": "accept", "content": {"approve": True, "reason": "modern"}}}


def again(code, state, responses=YES):
    return c.request("tools/call", c.call_params("execute_code", {"code": code}, requestState=state, inputResponses=responses)).get("result", {})


r = c.run(HIGH + "#m1")
equal((r.get("resultType"), r["inputRequests"]["approval"]["method"], "structuredContent" in r), ("input_required", "elicitation/create", False), "with a form: what is needed first")
forged = again(HIGH + "#m1", "01ARZ3NDEKTSV4RRFFQ69G5FAV")
equal(forged.get("resultType"), "input_required", "a state nobody gave lifts nothing")
other = again(HIGH + "#m2", r["requestState"])
equal(doc(other).get("status"), "needs_approval", "the answer for one is none for another")
fresh = c.run(HIGH + "#m3")
ran = again(HIGH + "#m3", fresh["requestState"])
equal((ran.get("resultType"), doc(ran).get("status"), doc(ran)["decision"]["assurance"]), ("complete", "completed", "self"), "answered: it runs, with the assurance of a requester's own word")
equal(again(HIGH + "#m3", fresh["requestState"]).get("resultType"), "input_required", "a state is good once")
no = c.run(HIGH + "#m4")
equal(doc(again(HIGH + "#m4", no["requestState"], {"approval": {"action": "decline"}}))["error"]["type"], "approval_denied", "declined")
none = c.run(HIGH + "#m5")
equal(doc(again(HIGH + "#m5", none["requestState"], {}))["status"], "needs_approval", "an answer that is missing is no answer")
at = len(c.seen)
c.call("execute_code", c.meta(progressToken=5), code="import time; time.sleep(1.2)")
told = [m["params"] for m in c.seen[at:] if m.get("method") == "notifications/progress"]
ok(told and all(t["progressToken"] == 5 for t in told), "progress in this era")
id = c.ask("tools/call", c.call_params("execute_code", {"code": SLEEP}, c.meta()))
ok(wait_for(lambda: len(running()) == 1, 60), "one runs")
c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
ok(wait_for(lambda: len(running()) == 0, 60), "and is cancelled")
c.capabilities = {}
equal(c.end(), 0, "over")
equal(c.bad, [], "only messages")

# --- where it cannot --------------------------------------------------------------------------------
bad = w.config(security="nonsense: 1\n")
r = w.bawn("mcp", "--config", bad)
equal((r.code, r.out), (125, ""), "a policy that cannot be read: said before the first message, and not on stdout")
tight = w.config()
c = legacy(w, "--config", tight)
equal(doc(c.run("import subprocess; subprocess.run(['true'])"))["status"], "completed", "before the policy is tightened")
with open(tight + "/security.yaml", "w") as f:
    f.write("decisions:\n  LOW: confirm\n  MEDIUM: confirm\n")
equal(doc(c.run("print(2)"))["status"], "needs_approval", "a policy that is tightened holds from the next call on")
with open(tight + "/security.yaml", "w") as f:
    f.write("nonsense: 1\n")
r = c.run("print(1)")
equal((doc(r)["status"], doc(r)["error"]["type"]), ("error", "config_invalid"), "one that is broken stops everything")
c.end()
done()
