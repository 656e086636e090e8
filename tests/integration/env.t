#!/usr/bin/python3
"""Packages for code that has no network: installed before, in a sandbox of their own, by the real pip and npm from an
index of the test's; kept whole or not at all; used read-only; recorded one by one; held where the name is suspicious."""
import contextlib, os, sys, threading
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from networld import *

needs_network_world()
w = NetWorld()
w.file(".config/pip/pip.conf", "[global]\nindex-url = https://me:secret@index.test/simple\n", 0o600)
w.file(".npmrc", "registry=https://registry.test/\n", 0o600)
HOME = {"XDG_CONFIG_HOME": ""}
SELF = "overrides:\n  minimum: self\n  acknowledge_risk: true\n"


def policy(*whitelist, world=w, **more):
    keys = {"whitelist": list(whitelist), "ca_file": world.dir + "/ca.pem", **more}
    return world.config(sandbox="network:\n" + "".join(f"  {k}: {json.dumps(v)}\n" for k, v in keys.items()) + "  acknowledge_risk: true\n", security=SELF)


def run(code, *options, config=None, world=w, **kw):
    return world.run(code, "--config", config or conf, *options, env=HOME, **kw)


def env(*args, config=None, **kw):
    return w.bawn("env", *args, "--config", config or conf, env=HOME, **kw)


def environments():
    return sorted(d for d in os.listdir(w.state + "/env") if len(d) == 64) if os.path.isdir(w.state + "/env") else []


def drafts():
    return glob.glob(w.state + "/env/*.tmp")


conf = policy("pip", "npm")
CODE = "import bawnprobe; print(bawnprobe.answer())"

# --- python ---
w.log()
r = run(CODE, "--with", "bawnprobe==1.0")
equal((r["status"], r["stdout"]), ("completed", "installed through the proxy\n"), "real pip installs a package, and the code uses it") or r.show()
equal((r["limits"]["network"], r["trust_level"], r["environment"]["built"]), (None, "trusted", True), "the code itself has no network, and no policy for one was needed")
seen = [q["path"] for q in w.log()["requests"]]
ok("/simple/bawnprobe/" in seen, "upstream saw pip")
sha = r["environment"]["sha256"]
built = w.records("env.built")
equal([(p["name"], p["version"], p["url"]) for p in built[0]["body"]["packages"]], [("bawnprobe", "1.0", "https://index.test/packages/bawnprobe-1.0-py3-none-any.whl")],
      "package, version and origin are in the log, the origin without a password")
whl = hashlib.sha256(open(w.dir + "/www/packages_bawnprobe-1.0-py3-none-any.whl", "rb").read()).hexdigest()
equal(built[0]["body"]["packages"][0]["hash"], "sha256:" + whl, "and the hash is that of the wheel")
ok("secret" not in json.dumps(w.records()), "no password is in any record")
order = [x["type"] for x in w.records() if x["type"] in ("exec.intent", "exec.outcome", "env.built")]
equal(order, ["exec.intent", "exec.outcome", "env.built", "exec.intent", "exec.outcome"], "an install is an execution of its own, recorded before its result is used")
intent = [x["body"] for x in w.records("exec.intent")]
equal([(i["network"], i["environment"], i["packages"]) for i in intent], [("dependencies", None, []), ("none", sha, ["bawnprobe==1.0"])], "the run's intent has the environment's hash")
again = run(CODE, "--with", "bawnprobe==1.0")
equal((again["stdout"], again["environment"]["sha256"], again["environment"]["built"]), (r["stdout"], sha, False), "the second run starts without an install")
equal((w.log()["packets"], len(w.records("env.built"))), ([], 1), "0 packets: nobody was asked")
walls = run("import os, bawnprobe\nfor p in ('/env/x', '/env/bawnprobe.py'):\n  try: open(p, 'w'); print('wrote')\n  except OSError as e: print(e.errno)\nprint(bawnprobe.__cached__, os.path.exists(bawnprobe.__cached__), os.environ['PYTHONPATH'])",
            "--with", "bawnprobe==1.0")
equal(walls["stdout"], "30\n30\n/env/__pycache__/bawnprobe.cpython-%d%d.pyc True /env\n" % sys.version_info[:2] if sys.executable == "/usr/bin/python3" else walls["stdout"], "it is read-only, and compiled")
net = run("import socket\ntry: socket.create_connection(('127.0.0.1', 3128), 1); print('reached')\nexcept OSError as e: print(e.errno)", "--with", "bawnprobe==1.0")
equal(net["stdout"], "111\n", "there is no proxy where the code runs")

# --- a package that needs another; wheels only; what is not there ---
w.publish("needsit", "1.0", "2.0", text="import bawnprobe; answer = bawnprobe.answer\n", needs=["bawnprobe>=1"])
r = run("import needsit; print(needsit.answer())", "--with", "needsit<2")
equal((r["stdout"], [(p["name"], p["version"]) for p in r["environment"]["packages"]]), ("installed through the proxy\n", [("bawnprobe", "1.0"), ("needsit", "1.0")]), "what a package needs comes with it") or r.show()
before = environments()
r = run("print('ran')", "--with", "nosuchpackage==9")
ok(r["status"] == "error" and r["error"]["type"] == "install_failed" and "nosuchpackage" in r["error"]["message"] and r["stdout"] == "", "an unknown package: pip's own words, and nothing runs") or r.show()
equal(r.code, 125, "that is bawn's failure, not the code's")
r = run("print('ran')", "--with", "bawnprobe==7")
ok(r["error"]["type"] == "install_failed" and "7" in r["error"]["message"], "so with an unknown version")
w.file("www/simple_sourceonly", '<!DOCTYPE html><html><body><a href="/packages/sourceonly-1.0.tar.gz">sourceonly-1.0.tar.gz</a></body></html>')
w.log()
r = run("print('ran')", "--with", "sourceonly")
ok(r["error"]["type"] == "install_failed" and not any(q["path"].endswith(".tar.gz") for q in w.log()["requests"]), "a package that would have to be built is not even fetched")
r = run("print('ran')", "--with", "elsewhere")
ok(r["error"]["type"] == "install_failed" and any(d["what"] == "files.test:443" and '"files.test"' in d["hint"] for d in r["denials"]), "a file host that nobody listed: the denial names the row") or r.show()
# One host more, for this install alone: a person grants it, and the code still has no network.
ask = ("--with", "elsewhere", "--allow-host", "files.test")
w.file("www/packages_elsewhere-1.0-py3-none-any.whl", wheel("elsewhere", "1.0", "x = 1\n"))
held = run("import elsewhere; print(elsewhere.x)", *ask)
equal((held.code, held["status"], held["limits"]["network"]), (126, "needs_approval", {"asked": ["files.test"]}), "a host that an install asks for is held for a person") or held.show()
pending = w.bawn("pending", "--json", "--config", conf)
ok(any(x["limits"]["network"] == {"asked": ["files.test"]} for x in pending.json), "who is told which") or pending.show()
told = w.bawn("approve", held["decision"]["approval_id"], "--reason", "this mirror, once", "--config", conf)
equal(told.code, 0, "it is approved") or told.show()
w.log()
r = run("import elsewhere, os; print(elsewhere.x, 'HTTPS_PROXY' in os.environ)", *ask)
equal(r["status"], "needs_approval", "other code is another request")
r = run("import elsewhere; print(elsewhere.x)", "--approval", held["decision"]["approval_id"], *ask)
equal((r["status"], r["stdout"], r["environment"]["packages"][0]["url"]), ("completed", "1\n", "https://files.test/packages/elsewhere-1.0-py3-none-any.whl"), "granted, the file comes from there") or r.show()
r = run("print('ran')", "--with", "elsewhere")
equal(r["error"]["type"], "install_failed", "that was for one request: without it the host is as it was")
built = env("build", "mirror", *ask, "--override", "--reason", "mine", "--json")
equal(built["status"], "completed", "an environment is built so, too") or built.show()

# Whatever hash the index has: the best is told, and one that is worth little is told as such.
for name, algorithm in (("onlymd", "md5"), ("onlybig", "sha512")):
    w.publish(name, "1.0")
    whl = open(w.dir + f"/www/packages_{name}-1.0-py3-none-any.whl", "rb").read()
    w.file(f"www/simple_{name}", f'<!DOCTYPE html><html><body><a href="/packages/{name}-1.0-py3-none-any.whl#{algorithm}={hashlib.new(algorithm, whl).hexdigest()}">{name}-1.0-py3-none-any.whl</a></body></html>')
    r = run(f"import {name}; print({name}.x)", "--with", name)
    equal((r["stdout"], r["error"]), ("1\n", None), f"an index that gives only {algorithm} can be used") or r.show()
    equal((r["environment"]["packages"][0]["hash"], any(algorithm in x for x in r["warnings"])), (f"{algorithm}:{hashlib.new(algorithm, whl).hexdigest()}", algorithm == "md5"), "its hash is told as it is")
# An install has caps of its own: what one may send is not what code may.
r = run(CODE, "--with", "bawnprobe", config=policy("pip", max_sent="1k", max_connections=1))
equal(r["stdout"], "installed through the proxy\n", "the caps of a run are not those of an install") or r.show()
r = run(CODE, "--with", "bawnprobe>=1", config=policy("pip", install_max_sent="1k"))
ok(r["error"] and r["error"]["type"] == "install_failed" and [(d["kind"], d["what"]) for d in r["denials"]] == [("limit", "network.install_max_sent")], "but it has some, and they are told") or r.show()

w.publish("withuser", "1.0")
w.file("www/simple_withuser", open(w.dir + "/www/simple_withuser").read().replace('"/packages', '"https://who:hidden@index.test/packages').replace(".whl#", ".whl?token=hidden#"))
r = run("import withuser; print(withuser.x)", "--with", "withuser")
equal((r["stdout"], r["environment"]["packages"][0]["url"]), ("1\n", "https://index.test/packages/withuser-1.0-py3-none-any.whl"), "an origin is told without a user, a password or a token") or r.show()
before = environments()
w.publish("broken", "1.0")
w.file("www/packages_broken-1.0-py3-none-any.whl", wheel("broken", "1.0", "changed = 1\n"))
r = run("print('ran')", "--with", "broken")
equal(r["error"]["type"], "install_failed", "a wheel that is not what the index says is none")
equal((environments(), drafts()), (before, []), "of all that nothing is left")

# --- what nobody may ask ---
for spec in ("-rrequirements.txt", "--index-url=https://denied.test", "https://denied.test/x.whl", "./x", "a;b", "a b"):
    r = run("print('ran')", f"--with={spec}")
    equal((r["status"], r["error"]["type"], r["error"]["field"]), ("error", "invalid_request", "packages"), f"'{spec}' is no package")
r = run("echo ran", "--with", "bawnprobe", lang="bash")
equal((r["error"]["type"], r["error"]["field"]), ("invalid_request", "packages"), "bash has none")
r = run("print(1)", "--with", "bawnprobe", "--backend", "docker", "--image", "x")
equal((r["error"]["type"], r["error"]["field"]), ("invalid_request", "packages"), "nor has the docker backend")
r = w.run("print('ran')", "--with", "bawnprobe", env=HOME)
ok(r["error"]["type"] == "network_unavailable" and "whitelist: [pip]" in r["error"]["message"] and r["error"]["field"] == "network.whitelist" and r["stdout"] == "", "without a whitelist nothing runs, and the line to add is said") or r.show()
equal(run("print(1)", "-e", "PYTHONPATH=/workspace", "--with", "bawnprobe")["error"]["type"], "env_refused", "nobody points Python elsewhere")

# --- without pip ---
venv = tempfile.mkdtemp(prefix="bawn-it-", dir="/var/tmp")
atexit.register(shutil.rmtree, venv, True)
os.chmod(venv, 0o755)
subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", venv + "/v"], check=True)
bare = policy("pip")
with open(bare + "/sandbox.yaml", "a") as f:
    f.write(f"interpreters:\n  python: {venv}/v/bin/python3\n")
r = run("print('ran')", "--with", "bawnprobe", config=bare)
ok(r["error"]["type"] == "interpreter_missing" and "python3-pip" in r["error"]["message"] and r["stdout"] == "" and r.code == 127, "without pip the package that has it is named") or r.show()
equal(run("print('ran')", config=bare)["stdout"], "ran\n", "control: that Python runs")

# --- files that name packages ---
req = w.file("requirements.txt", "# what it needs\nbawnprobe == 1.0  # this one\n\n")
r = run(CODE, "--with-file", req)
equal((r["stdout"], r["environment"]["built"]), ("installed through the proxy\n", False), "a requirements.txt is taken when it is asked for, and comes to the same")
r = run("try:\n  import bawnprobe\nexcept ImportError: print('none')", "--in", req)
equal((r["stdout"], r["environment"]), ("none\n", None), "one among the inputs is data")
for text in ("-r other.txt\n", "--index-url https://denied.test\n", "bawnprobe; python_version > '3'\n", "x @ https://denied.test/x.whl\n", "bawn probe\n"):
    r = run("print('ran')", "--with-file", w.file("bad.txt", text))
    equal((r["error"]["type"], r["error"]["field"]), ("invalid_request", "packages"), f"'{text.strip()}' is not taken")

# --- names a person should look at ---
w.publish("requestss", "1.0")
r = run("print('ran')", "--with", "requestss")
equal((r.code, r["status"], r["decision"]["action"], r["assessment"]["level"]), (126, "needs_approval", "confirm", "HIGH"), "one edit away from a popular package: held as HIGH is") or r.show()
f = r["assessment"]["findings"][0]
ok(f["rule"] == "bawn/package-lookalike" and "'requests'" in f["message"], "and the finding says of which") or diag(f)
equal(w.bawn("rules", "show", f["rule"]).code, 0, "its rule can be looked up")
approved = w.bawn("approve", r["decision"]["approval_id"], "--reason", "I mean it", "--config", conf)
equal(approved.code, 0, "a person agrees") or approved.show()
once = run("print('ran')", "--approval", r["decision"]["approval_id"], "--with", "requestss")
equal((once["status"], once["stdout"], once["trust_level"]), ("completed", "ran\n", "untrusted"), "then it is installed and the code runs") or once.show()
again = run("print('ran')", "--with", "requestss")
equal(again["status"], "needs_approval", "once: that it is there already changes nothing")
w.bawn("approve", again["decision"]["approval_id"], "--reason", "again", "--config", conf)
equal(run("print('ran')", "--approval", again["decision"]["approval_id"], "--with", "requestt")["error"]["type"], "approval_mismatch", "nor does one hold for another package")
equal(run("print(1)", "--override", "--reason", "x", "--with", "requests")["error"]["type"], "install_failed", "control: the popular one is only not there")
w.publish("brings", "1.0", needs=["requestss"])
r = run("print('ran')", "--with", "brings")
ok(r["error"]["type"] == "install_failed" and "requestss" in r["error"]["message"], "nor does such a one come in by the side") or r.show()
listed = policy("pip", packages=["BawnProbe"])
r = run(CODE, "--with", "needsit", config=listed)
ok(r["status"] == "needs_approval" and r["assessment"]["findings"][0]["rule"] == "bawn/package-unlisted", "a package that network.packages does not list is held") or r.show()
equal(run(CODE, "--with", "bawnprobe", config=listed)["stdout"], "installed through the proxy\n", "control: one that it lists is not")
tight = policy("pip", "npm", packages=["needsit"])
r = run("print('ran')", "--with", "needsit<2", config=tight)
ok(r["error"] and r["error"]["type"] == "install_failed" and "'bawnprobe'" in r["error"]["message"] and r["stdout"] == "", "a list that was made shorter holds for what was built before it, too") or r.show()
r = run("print('ran')", "--with", "needsit<2", config=policy("pip", "npm", packages=["needsit", "bawnprobe"]))
equal((r["stdout"], r["environment"]["built"]), ("ran\n", False), "control: with both on it, what was built is used") or r.show()
dry = run("print('ran')", "--dry-run", "--with", "bawnprobe==1.0", "--with", "needsit==2.0")
equal((dry["status"], dry["environment"], dry["stdout"]), ("completed", None, ""), "a dry run installs nothing")

# --- named environments ---
b = env("build", "data", "--json", "--with", "needsit==2.0")
equal((b.code, b["status"], b["environment"]["built"]), (0, "completed", True), "an environment is built by name") or b.show()
r = run("import needsit; print(needsit.answer())", "--environment", "data")
equal((r["stdout"], r["environment"]["sha256"]), ("installed through the proxy\n", b["environment"]["sha256"]), "and used by it") or r.show()
r = w.run("import needsit; print(needsit.answer())", "--environment", "data")
equal(r["stdout"], "installed through the proxy\n", "by whom there is no whitelist for, too: it is there already")
equal([x["body"]["name"] for x in w.records("env.named")][-1:], ["data"], "that is recorded")
listing = env("list", "--json")
row = [e for e in listing.json if e["environment"] == b["environment"]["sha256"]]
equal((listing.code, row[0]["names"], row[0]["requested"]), (0, ["data"], ["needsit==2.0"]), "it is listed")
ok("data" in env("list").out and "bawnprobe" in env("show", "data").out and env("show", "data", "--json")["files"] > 3, "and shown")
ok(env("show", b["environment"]["sha256"][:8]).code == 0 and env("show", "nope").code != 0, "by the beginning of its hash, too")
equal(run("console.log(1)", "--environment", "data", lang="javascript")["error"]["field"], "environment", "Python's packages are not for JavaScript")
equal(run("print(1)", "--environment", "nope")["error"]["type"], "not_found", "one that is not there is said so")
equal(run("print(1)", "--environment", "../../etc")["error"]["type"], "not_found", "a name is no path")
# Python's door, and an agent's: which can name none unless it was allowed to (mcp-packages.t), and is given what a person built.
py = subprocess.run(w.inside("/usr/bin/python3", "-c", "import bawn\n"
    f"c = bawn.Client(state={w.state!r}, config={conf!r})\nr = c.run({CODE!r}, packages=['bawnprobe==1.0'])\nprint(r.stdout, r.environment.packages[0].name, r.environment.built)\n"
    "print(c.run('import needsit; print(needsit.answer())', environment='data').stdout)\ntry: c.run('1', packages=['nosuchpackage'])\nexcept bawn.BawnError as e: print(e.type)\n"
    f"r = c.run({CODE!r}, requirements='# mine\\nbawnprobe == 1.0\\n')\nprint(r.stdout, end='')\n"
    "try: c.run('1', requirements='scikit learn')\nexcept bawn.BawnError as e: print(e.type)\n"
    "try: c.run('1', packages=['bawnprobe'], hosts=['files.test'])\nexcept bawn.BawnError as e: print(type(e).__name__)\n"),
    env={**w.env, **HOME, "PYTHONPATH": ROOT + "/sdk/python", "BAWN_LIB": BUILD + "/libbawn.so.0", "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, text=True, timeout=180)
equal(py.stdout.split("\n"), ["installed through the proxy", " bawnprobe False", "installed through the proxy", "", "install_failed", "installed through the proxy", "invalid_request", "ApprovalRequired", ""],
      "from Python: packages, an environment, a file of packages, a host, and what is raised") or diag(py.stderr)
door = w.dir + "/door"
gcc = subprocess.run(["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-I", ROOT + "/include", ROOT + "/tests/integration/door.c", "-o", door, BUILD + "/libbawn.so.0"], capture_output=True, text=True)


def through_c(*words):
    p = subprocess.run(w.inside(door, BUILD + "/libexec/bawn", "config=" + conf, *words), env={**w.env, **HOME, "BAWN_STATE": w.state, "LD_LIBRARY_PATH": BUILD}, capture_output=True, text=True, timeout=180)
    return json.loads(p.stdout) if p.stdout else {"stderr": p.stderr}


d = through_c("code=" + CODE, "package=bawnprobe==1.0")
equal((d.get("stdout"), (d.get("environment") or {}).get("built")), ("installed through the proxy\n", False), "from C: packages") or diag(gcc.stderr, d)
d = through_c("code=" + CODE, "requirements=bawnprobe == 1.0  # mine\n")
equal(d.get("stdout"), "installed through the proxy\n", "and a file of them") or diag(d)
d = through_c("code=" + CODE, "requirements=bawnprobe", "host=files.test", "hold=1")
equal((d.get("status"), d["limits"]["network"]), ("needs_approval", {"asked": ["files.test"]}), "and a host more, which is held") or diag(d)


def agent(*options, **arguments):
    say = [{"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
           {"method": "notifications/initialized"}, {"id": 2, "method": "tools/call", "params": {"name": "execute_code", "arguments": arguments}}]
    p = w.start("mcp", *options, stdin=subprocess.PIPE)
    p.stdin.write("".join(json.dumps({"jsonrpc": "2.0", **m}) + "\n" for m in say).encode())
    p.stdin.flush()
    for line in p.stdout:
        m = json.loads(line)
        if m.get("id") == 2:
            break
    p.stdin.close()
    p.wait(60)
    return m


use = "import needsit; print(needsit.answer())"
equal(agent("--environment", "data", code=use)["result"]["structuredContent"]["stdout"], "installed through the proxy\n", "an agent's code has the environment that its server was given")
equal(agent(code=use)["result"]["structuredContent"]["status"], "failed", "control: without it there is none")
equal(agent("--environment", "data", code="echo hi", language="bash")["result"]["structuredContent"]["stdout"], "hi\n", "other languages run as ever")
equal(agent("--environment", "nope", code="print(1)")["result"]["structuredContent"]["error"]["type"], "not_found", "one that is not there is not left out silently")
refused = agent("--environment", "data", code="1", packages=["bawnprobe"])
ok(refused.get("error") or refused["result"]["isError"], "no argument of a call names packages") or diag(refused)
p = w.start("run", "--environment", "data", "-c", "import time; print('up', flush=True); time.sleep(60)")
wait_for(lambda: p.stdout.readline() == b"up\n", 30)
rm = env("rm", "data", "--json")
ok(rm.code != 0 and rm["error"]["type"] == "busy" and b["environment"]["sha256"] in environments(), "one that is in use is not removed") or rm.show()
p.send_signal(signal.SIGINT)
p.communicate(timeout=60)
rm = env("rm", "data")
ok(rm.code == 0 and b["environment"]["sha256"] not in environments(), "control: afterwards it is") or rm.show()
equal((w.records("env.removed")[-1]["body"]["names"], run("print(1)", "--environment", "data")["error"]["type"]), (["data"], "not_found"), "and that is recorded")
held = env("build", "odd", "--json", "--with", "requestss")
equal((held.code, held["status"]), (126, "needs_approval"), "building asks as running does")
said = env("build", "odd", "--with", "requestss")
ok(f"bawn env build --approval {held['decision']['approval_id']} odd --with requestss --config" in said.err, "and says what to type then") or said.show()
w.bawn("approve", held["decision"]["approval_id"], "--reason", "odd, but mine", "--config", conf)
lifted = env("build", "--approval", held["decision"]["approval_id"], "odd", "--with", "requestss", "--json")
equal((lifted.code, lifted["decision"]["override"]["reason"], w.records("override.used")[-1]["body"]["approval_id"]), (0, "odd, but mine", held["decision"]["approval_id"]), "approved, it is built, and that is recorded") or lifted.show()
equal(env("build", "--approval", held["decision"]["approval_id"], "odd", "--with", "requestss", "--json")["error"]["type"], "approval_used", "once")

# --- at once; and in the middle of it ---
w.publish("many", "1.0")
w.log()
ps = [w.start("run", "--json", "--config", conf, "--with", "many", "-c", "import many; print(many.x)", env=HOME) for _ in range(4)]
docs = [json.loads(p.communicate(timeout=180)[0]) for p in ps]
equal([d["stdout"] for d in docs], ["1\n"] * 4, "four ask for the same at once and all have it") or diag(docs)
equal(sum(d["environment"]["built"] for d in docs), 1, "one of them built it")
equal(len([q for q in w.log()["requests"] if q["path"].endswith("many-1.0-py3-none-any.whl")]), 1, "it was fetched once")

w.file("www/simple_slow", '<!DOCTYPE html><html><body><a href="/drip/slow-1.0-py3-none-any.whl">slow-1.0-py3-none-any.whl</a></body></html>')


def ours(program):
    home = os.stat(w.near).st_ino
    found = []
    for pid in processes_of(program):
        try:
            if os.stat(f"/proc/{pid}/ns/net").st_ino == home:
                found.append(pid)
        except OSError:
            pass
    return found


def dripping(*options, package="slow"):
    w.log()
    p = w.start("run", "--json", "--config", conf, *options, "--with", package, "-c", "print('ran')", env=HOME)
    wait_for(lambda: any(q["path"].startswith("/drip") for q in w.log()["requests"]), 60)
    return p


before = environments()
p = dripping()
wait_for(lambda: len(ours(BUILD + "/libexec/bawn/egress")) == 2)  # whoever dialled may still be about to exit
proxies = ours(BUILD + "/libexec/bawn/egress")
for pid in proxies:
    with contextlib.suppress(ProcessLookupError):  # the second may follow the first by itself
        os.kill(pid, signal.SIGKILL)
d = json.loads(p.communicate(timeout=120)[0])
equal((len(proxies), d["status"], d["error"]["type"], d["stdout"]), (2, "error", "network_lost", ""), "kill -9 of the proxy in mid-install: a typed error, and nothing runs") or diag(d)
equal((environments(), drafts()), (before, []), "and nothing is kept")
p = dripping()
os.killpg(p.pid, signal.SIGKILL)
p.communicate()
ok(len(drafts()) == 1 and environments() == before, "kill -9 of bawn in mid-install leaves a draft, which is nobody's environment") or diag(drafts())
wait_for(lambda: not ours(BUILD + "/libexec/bawn/egress"), 20)
w.publish("next1", "1.0")
equal(run("import next1; print(next1.x)", "--with", "next1")["stdout"], "1\n", "the next build goes on")
equal(drafts(), [], "and sweeps it")
p = dripping()
p.send_signal(signal.SIGINT)
d = json.loads(p.communicate(timeout=120)[0])
equal((d["status"], drafts()), ("cancelled", []), "an install that is cancelled is over") or diag(d)

# A builder that was stopped holds its claim, and is not waited for without an end.
p = dripping()
p.send_signal(signal.SIGSTOP)
short = policy("pip", "npm")
with open(short + "/sandbox.yaml", "a") as f:
    f.write("dynamic:\n  max: {timeout: 2}\nqueue_timeout: 1\n")
d = run("print('ran')", "--with", "slow", config=short)
equal((d.code, d["status"], d["error"]["type"], d["stdout"]), (125, "busy", "busy", ""), "who waits for a builder that was stopped is told so") or d.show()
os.killpg(p.pid, signal.SIGKILL)
p.communicate()
# What a person agreed to begins with the install: one that dies in it has used the approval.
w.file("www/simple_numpyy", open(w.dir + "/www/simple_slow").read().replace("slow-1.0", "numpyy-1.0"))
held = run("print('ran')", "--with", "numpyy")
w.bawn("approve", held["decision"]["approval_id"], "--reason", "once", "--config", conf)
p = dripping("--approval", held["decision"]["approval_id"], package="numpyy")
os.killpg(p.pid, signal.SIGKILL)
p.communicate()
used = [x["body"]["approval_id"] for x in w.records("override.used")]
os.unlink(w.dir + "/www/simple_numpyy")
again = run("print('ran')", "--approval", held["decision"]["approval_id"], "--with", "numpyy")
equal((again["error"]["type"], used[-1:]), ("approval_used", [held["decision"]["approval_id"]]), "kill -9 in an approved install: the approval is used, and the log has it") or again.show()
w.publish("panddas", "1.0", needs=["nosuchpackage"])
held = run("print('ran')", "--with", "panddas")
w.bawn("approve", held["decision"]["approval_id"], "--reason", "once", "--config", conf)
r = run("print('ran')", "--approval", held["decision"]["approval_id"], "--with", "panddas")
ok(r["error"]["type"] == "install_failed" and any("approval" in x for x in r["warnings"]), "an approved install that fails says that another try needs another approval") or r.show()
equal([x["body"]["approval_id"] for x in w.records("override.used")].count(held["decision"]["approval_id"]), 1, "and is in the log once")

# --- what cannot be taken whole is not taken ---
w.publish("toodeep", "1.0", more={"/".join(["d"] * 20) + "/x.py": "x = 1\n"})
r = run("print('ran')", "--with", "toodeep")
ok(r["error"]["type"] == "install_failed" and "too deep" in r["error"]["message"] and r["stdout"] == "", "one file that cannot be taken spoils the whole") or r.show()
equal(drafts(), [], "and nothing is left of it")

# --- javascript ---
if shutil.which("npm", path=w.env["PATH"]):
    w.log()
    r = run("console.log(require('bawnprobe'))", "--with", "bawnprobe@^1.0.0", lang="javascript")
    equal((r["status"], r["stdout"]), ("completed", "installed through the proxy\n"), "real npm installs a package, and node uses it") or r.show()
    p = r["environment"]["packages"]
    ok(len(p) == 1 and p[0]["hash"].startswith("sha512-") and p[0]["url"] == "https://registry.test/bawnprobe/-/bawnprobe-1.0.0.tgz", "version, hash and origin are told") or diag(p)
    w.log()
    esm = w.file("main.mjs", "import answer from 'bawnprobe'; console.log(answer)")
    r = w.bawn("run", "--json", "--config", conf, "--with", "bawnprobe@^1.0.0", "--lang", "javascript", "-c", "import('bawnprobe').then(m => console.log(m.default))", env=HOME)
    equal((r["stdout"], r["environment"]["built"], w.log()["packets"]), ("installed through the proxy\n", False, []), "imports find it, too, and the second run asks nobody") or r.show()
    pj = w.file("package.json", json.dumps({"name": "x", "dependencies": {"bawnprobe": "^1.0.0"}}))
    r = run("console.log(require('bawnprobe'))", "--with-file", pj, lang="javascript")
    equal((r["stdout"], r["environment"]["built"]), ("installed through the proxy\n", False), "so does what package.json names") or r.show()
    bad = w.file("bad.json", json.dumps({"dependencies": {"bawnprobe": "file:../x"}}))
    equal(run("1", "--with-file", bad, lang="javascript")["error"]["field"], "packages", "but no path in it")
    # A package that brings another in its own file: the other has no hash of its own.
    files = {"package/package.json": json.dumps({"name": "bundler", "version": "1.0.0", "main": "index.js", "dependencies": {"inner": "1.0.0"}, "bundleDependencies": ["inner"]}),
             "package/index.js": "module.exports = require('inner')\n", "package/node_modules/inner/package.json": json.dumps({"name": "inner", "version": "1.0.0", "main": "i.js"}),
             "package/node_modules/inner/i.js": "module.exports = 'bundled'\n"}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as t:
        for path, body in files.items():
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(body), 0o644
            t.addfile(member, io.BytesIO(body.encode()))
    tgz = out.getvalue()
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(tgz).digest()).decode()
    w.file("www/bundler_-_bundler-1.0.0.tgz", tgz)
    w.file("www/bundler", json.dumps({"name": "bundler", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {**json.loads(files["package/package.json"]), "dist": {
        "tarball": "https://registry.test/bundler/-/bundler-1.0.0.tgz", "integrity": integrity}}}}))
    r = run("console.log(require('bundler'))", "--with", "bundler", lang="javascript")
    equal((r["stdout"], [(p["name"], p["hash"], p.get("bundled_in")) for p in (r["environment"] or {"packages": []})["packages"]]), ("bundled\n", [("bundler", integrity, None), ("inner", integrity, "bundler")]),
          "what a package bundles comes with it, under its hash") or r.show()
    tgz = npm_package("withuser", "1.0.0", "module.exports = 7\n")
    w.file("www/withuser_-_withuser-1.0.0.tgz", tgz)
    w.file("www/withuser", json.dumps({"name": "withuser", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {"name": "withuser", "version": "1.0.0", "dist": {
        "tarball": "https://who:hidden@registry.test/withuser/-/withuser-1.0.0.tgz", "integrity": "sha512-" + base64.b64encode(hashlib.sha512(tgz).digest()).decode()}}}}))
    r = run("console.log(require('withuser'))", "--with", "withuser", lang="javascript")
    equal((r["stdout"], r["environment"]["packages"][0]["url"]), ("7\n", "https://registry.test/withuser/-/withuser-1.0.0.tgz"), "an origin is told without a user or a password") or r.show()
    ok("hidden" not in json.dumps(w.records("env.built")), "in the log, too")
    r = run("1", "--with", "nosuch-bawn-package", lang="javascript")
    ok(r["error"]["type"] == "install_failed" and "nosuch-bawn-package" in r["error"]["message"], "what the registry does not have: npm's own words") or r.show()
    r = run("1", "--with", "lodahs", lang="javascript")
    equal((r["status"], r["assessment"]["findings"][0]["rule"]), ("needs_approval", "bawn/package-lookalike"), "names are looked at, too") or r.show()
else:
    skip("real npm installs a package, and node uses it", "npm is not installed")
verify = w.bawn("audit", "verify")
ok(verify.code in (0, 3), "the log of all this verifies") or verify.show()

# --- without root ---
w.tear_down()
u = NetWorld(os.environ.get("BAWN_TEST_USER", "nobody"))
u.file(".config/pip/pip.conf", "[global]\nindex-url = https://index.test/simple\n")
shutil.chown(u.dir + "/.config", u.user), shutil.chown(u.dir + "/.config/pip", u.user)
conf = policy("pip", world=u)
r = run(CODE, "--with", "bawnprobe", world=u)
equal((r["status"], r["stdout"]), ("completed", "installed through the proxy\n"), "a user without privileges has the same") or r.show()
r = run(CODE + "\nopen('/env/x', 'w')", "--with", "bawnprobe", world=u)
ok(r["environment"]["built"] is False and "Read-only file system" in r["stderr"], "read-only, and found again") or r.show()
done()
