#!/usr/bin/python3
"""`bawn mcp` judged by clients that are not ours: both generations of the official one, in both eras, and the
Inspector's command line.  They check every structured result against its schema."""
import glob, json, os, subprocess, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

JUDGES = os.path.join(ROOT, "tests/mcp")
nodes = glob.glob(JUDGES + "/node_modules/node-linux-*/bin/node")
if not nodes:
    skip_all("the clients are not installed: tools/setup test")
FORM = json.dumps({"action": "accept", "content": {"approve": True, "reason": "a form"}})
HELD = [True, "needs_approval", None, "HIGH"]
LIFTED = [False, "completed", "self", None]


def node(world, *words):
    p = subprocess.run([nodes[0], *words], cwd=JUDGES, env={**world.env, "PATH": os.path.dirname(nodes[0]) + ":" + world.env["PATH"]}, capture_output=True, text=True, timeout=300)
    try:
        return json.loads(p.stdout)
    except ValueError:
        diag(f"exit {p.returncode}\n{p.stdout[:2000]}\n{p.stderr[:3000]}")
        return {}


def fair(saw, who, held, asked):
    equal(saw.get("tools"), ["execute_code", "assess_code", "get_execution", "list_executions"], f"{who}: the tools")
    equal((saw.get("low"), saw.get("text")), ([False, "completed", "42\n", ["text", "image"]], True), f"{who}: a run, with a file in and a picture out")
    equal((saw.get("failed"), saw.get("bad")), ([True, 3], [True, "invalid_request"]), f"{who}: failures are the tool's")
    equal((saw.get("assess"), saw.get("row"), saw.get("list")), ([False, "HIGH"], "completed", 1), f"{who}: the other tools")
    equal(saw.get("unknown"), -32602, f"{who}: a tool that is not there is the protocol's failure")
    ok((saw.get("progress") or 0) >= 2 and saw.get("increasing"), f"{who}: progress arrives, increasing") or diag(saw)
    equal((saw.get("parallel"), saw.get("cancelled")), (["1\n", "2\n", "3\n"], "no answer"), f"{who}: several at once beside one that is cancelled")
    equal((saw.get("held"), saw.get("asked")), (held, asked), f"{who}: HIGH")


def ended(world, who):
    equal(sorted(r["body"]["status"] for r in world.records("exec.outcome") if r["body"]["status"] not in ("completed", "failed")), ["cancelled"], f"{who}: the log knows what was cancelled")
    equal(world.bawn("audit", "verify").code, 3, f"{who}: and verifies")


for who, words, era in [("sdk 1", ["sdk.mjs"], None), ("client 2 as it comes", ["client.mjs", "default"], "2025-11-25"), ("client 2, auto", ["client.mjs", "auto"], "2026-07-28"),
                        ("client 2, modern", ["client.mjs", "2026-07-28"], "2026-07-28")]:
    w = World()
    saw = node(w, *words, "--form", FORM, w.program, "mcp")
    fair(saw, who, HELD, 0)
    equal(saw.get("era"), era, f"{who}: the era it found")
    ended(w, who)
    w = World()
    own = w.config(security="overrides:\n  minimum: self\n  acknowledge_risk: true\n")
    saw = node(w, *words, "--form", FORM, w.program, "mcp", "--config", own)
    equal((saw.get("held"), saw.get("asked")), (LIFTED, 1), f"{who}: where policy takes the requester's own word, its form is asked, once")

w = World()
INSPECTOR = [JUDGES + "/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli", w.program, "mcp", "--state", w.state]
r = node(w, *INSPECTOR, "--method", "tools/list")
equal([t["name"] for t in r.get("tools", [])], ["execute_code", "assess_code", "get_execution", "list_executions"], "the Inspector lists the tools")
r = node(w, *INSPECTOR, "--method", "tools/call", "--tool-name", "execute_code", "--tool-arg", "code=print(6*7)", "--tool-arg", "timeout=20")
equal((r.get("structuredContent") or {}).get("stdout"), "42\n", "and calls one")
done()
