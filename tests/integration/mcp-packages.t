#!/usr/bin/python3
"""Packages that an agent names, where a person and policy both allow it: `bawn mcp --packages`.  Real pip and npm, an index of
the test's; the argument is there for nobody else, and what holds for `bawn run --with` holds for it."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from networld import *
from mcpclient import *

needs_network_world()
CODE = "import bawnprobe; print(bawnprobe.answer())"
ANSWER = "installed through the proxy\n"
FORM = {"elicitation": {}}
SELF = "overrides:\n  minimum: self\n  acknowledge_risk: true\n"


def prepare(world):
    world.file(".config/pip/pip.conf", "[global]\nindex-url = https://me:secret@index.test/simple\n", 0o600)
    world.file(".npmrc", "registry=https://registry.test/\n", 0o600)
    if world.user:
        for path in ("/.config", "/.config/pip", "/.config/pip/pip.conf", "/.npmrc"):
            shutil.chown(world.dir + path, world.user)
    world.env["XDG_CONFIG_HOME"] = ""


def write_policy(world, directory, *whitelist, **more):
    keys = {"whitelist": list(whitelist), "ca_file": world.dir + "/ca.pem", **more}
    with open(directory + "/sandbox.yaml", "w") as f:
        f.write("network:\n" + "".join(f"  {k}: {json.dumps(v)}\n" for k, v in keys.items()) + "  acknowledge_risk: true\n")


def policy(*whitelist, world=None, security="", **more):
    directory = (world or w).config(security=security)
    write_policy(world or w, directory, *whitelist, **more)
    return directory


def server(*options, config=None, world=None, **kw):
    return legacy(world or w, "--config", config or conf, *options, **kw)


def arguments(client):
    """What execute_code can be given, and whether it has to do with the world."""
    tool = client.request("tools/list")["result"]["tools"][0]
    return sorted(tool["inputSchema"]["properties"]), tool["annotations"]["openWorldHint"]


def told(client, at):
    return [m["params"]["message"] for m in client.seen[at:] if m.get("method") == "notifications/progress"]


def rules(document):
    return [f["rule"] for f in document["assessment"]["findings"]]


def error(result):
    return doc(result).get("error") or {}


w = NetWorld()
prepare(w)
conf = policy("pip", "npm")
PLAIN, WITH = ["code", "files", "language", "timeout"], ["code", "files", "language", "packages", "timeout"]

# --- who has the argument -------------------------------------------------------------------------
w.log()
empty = w.config()
docker = policy("pip")
with open(docker + "/sandbox.yaml", "a") as f:
    f.write("backend: docker\nimage: x\n")
for name, options, config, why in [("without --packages", [], conf, "bawn mcp --packages"), ("with an empty whitelist", ["--packages"], empty, "whitelist: [pip, npm]"),
                                   ("without either", [], empty, "bawn mcp --packages"), ("with a backend that takes none", ["--packages"], docker, "docker")]:
    c = server(*options, config=config)
    equal(arguments(c), (PLAIN, False), f"{name}: no schema has an argument for packages")
    r = c.run(CODE, packages=["bawnprobe"])
    ok(r["isError"] and error(r).get("type") == "invalid_request" and error(r).get("field") == "packages" and "no argument 'packages'" in error(r)["message"] and why in error(r)["message"],
       f"{name}: a call that has one is refused, and says what would allow it") or diag(r)
    equal(error(c.run(CODE, packages=[])).get("field"), "packages", f"{name}: so is one that names none")
    equal((c.end(), why in c.err.decode() if options else c.err), (0, True if options else b""), f"{name}: who starts it is told, if he meant to allow it")
ok(not w.records("exec.intent") and w.log()["packets"] == [], "nothing ran, and nobody was asked")
r = w.bawn("mcp", "--packages", "--environment", "data", "--config", conf)
ok(r.code != 0 and r.out == "" and "--packages or --environment" in r.err, "packages or an environment, as for a run") or r.show()

# --- installed, used, recorded --------------------------------------------------------------------
c = server("--packages")
equal(arguments(c), (WITH, True), "with both there is one argument more, and none for policy, network, hosts, override or approval")
r = c.run(CODE)
equal(doc(r).get("status"), "failed", "control: without packages the code has none")
w.log()
before = len(w.records())
r = c.run(CODE, packages=["bawnprobe==1.0"])
d = doc(r)
equal((d.get("status"), d.get("stdout"), r.get("isError")), ("completed", ANSWER, False), "real pip installs what the call names, and its code uses it") or diag(r)
equal((d["limits"]["network"], d["trust_level"]), (None, "trusted"), "the code itself has no network")
equal([(p["name"], p["version"], p["url"]) for p in d["environment"]["packages"]], [("bawnprobe", "1.0", "https://index.test/packages/bawnprobe-1.0-py3-none-any.whl")], "the answer says what was installed")
ok("/simple/bawnprobe/" in [q["path"] for q in w.log()["requests"]], "upstream saw pip")
new = w.records()[before:]
equal([x["type"] for x in new if x["type"] in ("exec.intent", "exec.outcome", "env.built")], ["exec.intent", "exec.outcome", "env.built", "exec.intent", "exec.outcome"],
      "the install is an execution of its own, recorded before its result is used")
intent = [x for x in new if x["type"] == "exec.intent"]
equal([(x["body"]["network"], x["body"]["packages"], x["principal"]["via"], x["principal"].get("claimed")) for x in intent],
      [("dependencies", [], "mcp", "raw 7"), ("none", ["bawnprobe==1.0"], "mcp", "raw 7")], "the log says who asked for which")
built = [x["body"] for x in new if x["type"] == "env.built"][0]
whl = hashlib.sha256(open(w.dir + "/www/packages_bawnprobe-1.0-py3-none-any.whl", "rb").read()).hexdigest()
equal([(p["name"], p["version"], p["hash"]) for p in built["packages"]], [("bawnprobe", "1.0", "sha256:" + whl)], "package by package, with its hash")
ok("secret" not in json.dumps(w.records()) + json.dumps(c.seen), "no password of the index is in the log or in an answer")
r = c.run(CODE + " # again", packages=["bawnprobe==1.0"])
equal((doc(r)["stdout"], doc(r)["environment"]["built"], w.log()["packets"]), (ANSWER, False, []), "the second call asks nobody")
r = c.run("import socket\ntry: socket.create_connection(('127.0.0.1', 3128), 1); print('reached')\nexcept OSError as e: print(e.errno)", packages=["bawnprobe==1.0"])
equal(doc(r)["stdout"], "111\n", "there is no proxy where the code runs")
r = c.run("try:\n  import bawnprobe\nexcept ImportError: print(open('requirements.txt').read())", files={"requirements.txt": "bawnprobe", "package.json": "{}"})
equal((doc(r)["stdout"], doc(r)["environment"]), ("bawnprobe\n", None), "a requirements.txt among the files is data, as it is everywhere")
r = c.run("print('ran')", packages=["nosuchpackage"])
equal((doc(r)["status"], error(r).get("type"), doc(r)["stdout"], r["isError"]), ("error", "install_failed", "", True), "what the index does not have: nothing runs") or diag(r)
if shutil.which("npm", path=w.env["PATH"]):
    r = c.run("console.log(require('bawnprobe'))", language="javascript", packages=["bawnprobe@^1.0.0"])
    equal((doc(r)["stdout"], doc(r)["environment"]["packages"][0]["url"]), (ANSWER, "https://registry.test/bawnprobe/-/bawnprobe-1.0.0.tgz"), "real npm, too") or diag(r)
else:
    skip("real npm, too", "npm is not installed")

# --- what is no package ---------------------------------------------------------------------------
w.log()
before = len(w.records("exec.intent"))
for name, packages in [("a text", "bawnprobe"), ("a number", [1]), ("an empty name", [""]), ("an option", ["-rx.txt"]), ("another index", ["--index-url=https://denied.test"]), ("an address", ["https://denied.test/x.whl"]),
                       ("a path", ["./x"]), ("a name with an address", ["x @ https://denied.test/x.whl"]), ("a condition", ["a;b"]), ("two in one", ["a b"]), ("a line break", ["bawnprobe\n-rx"]),
                       ("256 characters", ["a" * 256]), ("65 packages", [f"p{i}" for i in range(65)]), ("an object", {"bawnprobe": "1.0"})]:
    r = c.run(CODE, packages=packages)
    equal((r["isError"], error(r).get("type"), error(r).get("field")), (True, "invalid_request", "packages"), f"refused: {name}") or diag(r)
for packages, why in ((["-rx.txt"], "does not match ^"), (["a" * 256], "too long"), (["p"] * 65, "more than 64 items")):
    ok(why in error(c.run(CODE, packages=packages)).get("message", ""), f"by the schema that is published: {why}")
for spec in ("bawnprobe >= 1", "bawnprobe\t", "Bawn Probe"):
    equal(error(c.run(CODE, packages=[spec])).get("type"), "invalid_request", f"refused: {spec!r}")
equal(error(c.run("echo hi", language="bash", packages=["bawnprobe"])).get("field"), "packages", "refused: bash has none")
equal(error(c.call("assess_code", code="1", packages=["bawnprobe"])).get("type"), "invalid_request", "refused: an assessment needs none")
for argument in ("hosts", "requirements", "network", "environment", "index"):
    equal(error(c.run(CODE, packages=["bawnprobe"], **{argument: ["files.test"]})).get("type"), "invalid_request", f"refused: {argument} beside them")
equal((len(w.records("exec.intent")), w.log()["packets"]), (before, []), "of all that nothing ran, and nobody was asked")
r = c.run(CODE, packages=["bawnprobe>=1,<2"])
equal(doc(r)["stdout"], ANSWER, "control: a range is a package") or diag(r)

# --- names a person should look at ----------------------------------------------------------------
w.publish("requestss", "1.0")
ASK = {"code": "import requestss; print('ran', requestss.x)", "packages": ["requestss"]}
c.end()
c = server("--packages", capabilities=FORM)
w.log()
r = c.call("execute_code", **ASK)
d, held = doc(r), doc(r).get("approval") or {}
equal((d["status"], d["assessment"]["level"], rules(d), held.get("level"), d["stdout"]), ("needs_approval", "HIGH", ["bawn/package-lookalike"], "HIGH", ""),
      "one edit away from a popular package: held as HIGH is") or diag(r)
ok(held["command"] in r["content"][1]["text"], "and the agent is told the command by which a person approves it")
equal(w.log()["packets"], [], "nothing was fetched")
ok(not any(m.get("method") == "elicitation/create" for m in c.seen), "a form is not shown where the requester's own word does not do")
equal((w.bawn("approve", held["id"], "--reason", "agent").code, doc(c.call("execute_code", **ASK))["status"]), (1, "needs_approval"), "without a terminal nobody approves it")
screen = terminal(w, ["approve", held["id"], "--reason", "I mean it"], [("yes", "yes\n")])
ok(screen.code == 0 and "'requestss' is one edit away from 'requests'" in screen.out, "a person is shown the name, and agrees") or screen.show()
equal(doc(c.call("execute_code", code=ASK["code"], packages=["requestss", "bawnprobe"]))["status"], "needs_approval", "the same code with another package is another request")
r = c.call("execute_code", **ASK)
equal((doc(r)["status"], doc(r)["stdout"], doc(r)["decision"]["assurance"], doc(r)["trust_level"]), ("completed", "ran 1\n", "terminal", "untrusted"), "the same call is installed and runs") or diag(r)
equal(w.records("override.used")[-1]["body"]["approval_id"], held["id"], "the log has by which approval")
r = c.call("execute_code", **ASK)
ok(doc(r)["status"] == "needs_approval" and doc(r)["approval"]["id"] != held["id"], "once: that it is there already changes nothing")
c.end()
w.publish("needsit", "1.0", needs=["bawnprobe"])
c = server("--packages", config=policy("pip", packages=["BawnProbe"]))
r = c.run("1", packages=["needsit"])
equal((doc(r)["status"], rules(doc(r))), ("needs_approval", ["bawn/package-unlisted"]), "a package that network.packages does not list is held") or diag(r)
equal(doc(c.run(CODE, packages=["bawnprobe"]))["stdout"], ANSWER, "control: one that it lists is not")
c.end()

# A form, where policy takes the requester's own word: it says which packages, and counts as self.
own = policy("pip", security=SELF)
c = server("--packages", config=own, capabilities=FORM)
id = c.ask("tools/call", c.call_params("execute_code", {**ASK, "packages": ["bawnprobe", "requestss"]}))
q = c.next()
ok(q.get("method") == "elicitation/create" and "packages: 'bawnprobe', 'requestss'." in q["params"]["message"] and "one edit away" in q["params"]["message"], "a form names the packages") or diag(q)
c.send({"jsonrpc": "2.0", "id": q["id"], "result": {"action": "accept", "content": {"approve": True, "reason": "form"}}})
r = c.until(id)["result"]
equal((doc(r)["status"], doc(r)["stdout"], doc(r)["decision"]["assurance"]), ("completed", "ran 1\n", "self"), "its answer counts as self") or diag(r)
c.end()
c = ModernClient(w, "--config", own, "--packages")
c.capabilities = {"elicitation": {"form": {}}}
listed = c.request("tools/list")["result"]
equal((sorted(listed["tools"][0]["inputSchema"]["properties"]), listed["ttlMs"]), (WITH, 60000), "the modern era has it, too, for as long as policy may be believed unread")
r = c.call("execute_code", **ASK)
equal((r.get("resultType"), "packages: 'requestss'." in json.dumps(r["inputRequests"])), ("input_required", True), "there the form comes back")
yes = {"approval": {"action": "accept", "content": {"approve": True, "reason": "modern"}}}
r = c.request("tools/call", c.call_params("execute_code", ASK, requestState=r["requestState"], inputResponses=yes))["result"]
equal((doc(r)["status"], doc(r)["stdout"]), ("completed", "ran 1\n"), "answered, it runs") or diag(r)
c.end()

# --- while it takes time --------------------------------------------------------------------------
w.file("www/simple_slow", '<!DOCTYPE html><html><body><a href="/drip/slow-1.0-py3-none-any.whl">slow-1.0-py3-none-any.whl</a></body></html>')
dripping = lambda: any(q["path"].startswith("/drip") for q in w.log()["requests"])
c = server("--packages")
w.log()
before, at = len(w.records("exec.outcome")), len(c.seen)
slow = {"code": "print('ran')", "packages": ["slow"]}
one = c.ask("tools/call", c.call_params("execute_code", slow, {"progressToken": "one"}))
ok(wait_for(dripping, 60), "a call installs, and goes on installing")
two = c.ask("tools/call", c.call_params("execute_code", slow, {"progressToken": "two"}))
equal((doc(c.run("print('between')"))["stdout"], c.request("ping").get("result")), ("between\n", {}), "others are answered meanwhile")
deadline = time.time() + 60
while time.time() < deadline and not all(sum(m["params"]["progressToken"] == who for m in c.seen[at:] if m.get("method") == "notifications/progress") >= 4 for who in ("one", "two")):
    c.next()
steps = {who: [m["params"] for m in c.seen[at:] if m.get("method") == "notifications/progress" and m["params"]["progressToken"] == who] for who in ("one", "two")}
for who in steps:
    ok([p["message"] for p in steps[who]][:2] == ["assessed", "installing"] and all(p["message"].startswith("installing for ") for p in steps[who][2:]) and len(steps[who]) >= 4,
       f"{who}: progress tells of the install, by whoever builds it") or diag(steps[who])
    ok(all(a["progress"] < b["progress"] for a, b in zip(steps[who], steps[who][1:])), "strictly increasing")
for id in (two, one):
    c.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
ok(wait_for(lambda: [o["body"]["status"] for o in w.records("exec.outcome")[before:]].count("cancelled") >= 1 and not glob.glob(w.state + "/env/*.tmp"), 60), "cancelled, the install is over and recorded, and nothing is left of it") \
    or diag([o["body"]["status"] for o in w.records("exec.outcome")[before:]])
c.request("ping")
ok(not any(m.get("id") in (one, two) for m in c.seen), "a cancelled call gets no answer")
at = len(c.seen)
c.ask("tools/call", c.call_params("execute_code", slow))
ok(wait_for(dripping, 60), "once more")
c.request("ping")
equal(told(c, at), [], "no token, no progress")
equal((c.end(), c.bad, c.err), (0, [], b""), "the end of input in mid-install ends it, too")
outcomes = {o["exec"] for o in w.records("exec.outcome")}
equal(([x["exec"] for x in w.records("exec.intent") if x["exec"] not in outcomes], glob.glob(w.state + "/env/*.tmp")), ([], []), "recorded, and nothing is left")

# --- a policy that changes ------------------------------------------------------------------------
tight = policy("pip")
c = server("--packages", config=tight)
equal((arguments(c)[0], doc(c.run(CODE, packages=["bawnprobe==1.0"]))["stdout"]), (WITH, ANSWER), "while policy has a whitelist")
write_policy(w, tight)
equal((arguments(c)[0], error(c.run(CODE, packages=["bawnprobe==1.0"])).get("type")), (PLAIN, "invalid_request"), "from when it has none, there is no argument, whatever was installed before")
equal((doc(c.run("print(1)"))["stdout"], c.end()), ("1\n", 0), "and the rest goes on")
verify = w.bawn("audit", "verify")
ok(verify.code in (0, 3), "the log of all this verifies") or verify.show()

# --- without root ---------------------------------------------------------------------------------
w.tear_down()
u = NetWorld(os.environ.get("BAWN_TEST_USER", "nobody"))
prepare(u)
c = server("--packages", world=u, config=policy("pip", world=u))
equal(doc(c.run(CODE, packages=["bawnprobe"])).get("stdout"), ANSWER, "a user without privileges has the same")
equal(c.end(), 0, "over")
done()
