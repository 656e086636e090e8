#!/usr/bin/python3
"""A network for dependencies: curl, pip and npm fetch through the proxy what policy lists, as the host itself would;
what they did is in result and log; a person can grant one host more."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from networld import *

needs_network_world()
w = NetWorld()
conf = w.network("index.test", "registry.test", "http://plain.test:8080")

# curl, and what is told of it.
r = w.fetch("curl -sS https://index.test/echo && curl -sS http://plain.test:8080/echo && curl -sS https://denied.test/echo", conf, lang="bash")
equal((r["stdout"], r["exit_code"]), ("hello from index.test\nhello from plain.test:8080\n", 56), "curl finds the way by itself") or r.show()
net = {h["host"]: h for h in r["observed"]["network"]}
equal({k: (h["scheme"], h["connections"], h["failed"]) for k, h in net.items()}, {"index.test:443": ("tls", 1, 0), "plain.test:8080": ("http", 1, 0)}, "hosts and connections are observed")
ok(all(h["sent_bytes"] > 50 and h["received_bytes"] > 50 for h in net.values()), "and bytes")
equal([(d["kind"], d["what"], d["count"], d["source"]) for d in r["denials"]], [("network", "denied.test:443", 1, "proxy")], "what was refused is a denial")
out = w.records("exec.outcome")[-1]["body"]
equal(({h["host"] for h in out["network"]}, out["denials"][0]["what"]), ({"index.test:443", "plain.test:8080"}, "denied.test:443"), "both are in the log")
equal(w.records("exec.intent")[-1]["body"]["limits"]["network"]["hosts"], ["index.test", "registry.test", "http://plain.test:8080"], "so is what it was allowed, before it ran")
body = w.fetch("curl -sS -o - http://denied.test/x; curl -sSI http://denied.test/x | grep -i x-bawn", conf, lang="bash")
ok("network.whitelist" in body["stdout"] and "http://denied.test:80" in body["stdout"] and "X-Bawn-Rule: network.whitelist" in body["stdout"], "the answer names the rule and the row") or body.show()

# What is said of it.
text = w.bawn("run", "--config", conf, "--network", "dependencies", "-c", "print(1)")
dry = w.bawn("run", "--config", conf, "--network", "dependencies", "--dry-run", "-c", "print(1)")
ok("network for dependencies only: index.test, registry.test, http://plain.test:8080" in dry.out, "a dry run says what it would reach") or dry.show()
equal(text.code, 0, "code that asks for nothing runs with a network, too")

# The authorities are there with a network, and only then.
look = "import os; print(os.path.exists('/etc/ssl'), 'HTTPS_PROXY' in os.environ, os.environ.get('SSL_CERT_FILE'))"
with_, without = w.fetch(look, conf), w.run(look)
equal((with_["stdout"], without["stdout"]), ("True True /etc/ssl/certs/ca-certificates.crt\n", "False False None\n"), "certificates and variables in this mode alone")
mine = w.fetch("import os; print(os.environ['NO_PROXY'], os.environ['HTTP_PROXY'][:12])", conf, "-e", "NO_PROXY=mine.test")
equal(mine["stdout"], "mine.test http://bawn:\n", "the request's own variables go before")
bad = w.run("print(1)", "--config", w.network("index.test", ca_file="/nonexistent"), "--network", "dependencies")
equal((bad["status"], bad["error"]["type"], bad["error"]["field"]), ("error", "network_unavailable", "network.ca_file"), "without those to be believed nothing runs")

# The host's own pip and npm: their index and registry, and nothing that is built in.
w.file(".config/pip/pip.conf", "[global]\nindex-url = https://me:secret@index.test/simple\n", 0o600)
w.file(".npmrc", "registry=https://registry.test/\n//registry.test/:_authToken=verysecret\n", 0o600)
preset = w.network("pip", "npm")
env = {"XDG_CONFIG_HOME": ""}
PIP = """import subprocess, sys
r = subprocess.run([sys.executable, '-m', 'pip', 'install', '-q', '--no-cache-dir', '--target', '/workspace/lib', 'bawnprobe'], capture_output=True, text=True)
print(r.stderr[-2000:])
sys.path.insert(0, '/workspace/lib')
import bawnprobe
print(bawnprobe.answer())
"""
w.log()
r = w.fetch(PIP, preset, env=env)
ok(r["stdout"].endswith("installed through the proxy\n"), "real pip installs a wheel that the code then uses") or r.show()
equal(r["limits"]["network"]["hosts"], ["index.test", "registry.test"], "the presets are this host's index and registry")
ok(any("password" in x for x in r["warnings"]) and "secret" not in json.dumps(w.records()), "a password in the host's index is not handed on, and that is said") or diag(r["warnings"])
paths = [q["path"] for q in w.log()["requests"]]
ok("/simple/bawnprobe/" in paths and any(p.startswith("/packages/bawnprobe-1.0") for p in paths), "upstream saw pip")
NPM = """const { spawnSync } = require('child_process');
const r = spawnSync('npm', ['install', '--ignore-scripts', 'bawnprobe'], { encoding: 'utf8' });
console.log(r.stderr.slice(-3000));
console.log(require('/workspace/node_modules/bawnprobe'));
"""
if shutil.which("npm"):
    r = w.fetch(NPM, preset, "-m", "1g", "--pids", "64", lang="javascript", env=env)
    ok(r["stdout"].strip().endswith("installed through the proxy"), "real npm installs a package that node then uses") or r.show()
    equal([q["host"] for q in w.log()["requests"] if "bawnprobe" in q["path"]][:1], ["registry.test"], "upstream saw npm")
else:
    skip("real npm installs a package that node then uses", "npm is not installed")
# Without a variable left, they find the way by their files; curl and npm by those of the home that /etc/passwd has.
BARE = """import os, subprocess, sys
def bare(*argv): return subprocess.run(argv, env={}, capture_output=True, text=True)
print(bare('/usr/bin/curl', '-sS', 'https://index.test/echo').stdout.strip(), bare('/usr/bin/curl', '-sS', 'https://denied.test/echo').returncode)
r = bare(sys.executable, '-m', 'pip', 'install', '-q', '--target', '/workspace/lib', 'bawnprobe')
print(r.stderr[-2000:], sorted(os.listdir('/workspace')), os.environ['HOME'])
sys.path.insert(0, '/workspace/lib')
import bawnprobe
print(bawnprobe.answer())
"""
r = w.fetch(BARE, preset, env=env)
ok(r["stdout"].startswith("hello from index.test 56\n") and r["stdout"].endswith("['lib'] /workspace\ninstalled through the proxy\n"), "env -i: curl and pip find the way by their configuration files") or r.show()
none = w.run("import os; print([os.path.exists(p) for p in ('/etc/pip.conf', '/etc/npmrc', '/tmp/.curlrc', '/tmp/.npmrc')], os.path.expanduser('~user'))")
equal(none["stdout"], "[False, False, False, False] /workspace\n", "control: who has no network has none of these")
if shutil.which("npm"):
    r = w.fetch("const { spawnSync } = require('child_process');\nconst r = spawnSync('/usr/bin/env', ['-i', 'npm', 'install', '--ignore-scripts', 'bawnprobe'], { encoding: 'utf8' });\n"
                "console.log(r.stderr.slice(-3000)); console.log(require('/workspace/node_modules/bawnprobe'));", preset, "-m", "1g", "--pids", "64", lang="javascript", env=env)
    ok(r["stdout"].strip().endswith("installed through the proxy"), "npm, too") or r.show()
w.log()
# What the index points to needs a row of its own, and the denial says which.
r = w.fetch(PIP.replace("bawnprobe", "elsewhere"), preset, env=env)
ok(any(d["what"] == "files.test:443" and '"files.test"' in d["hint"] for d in r["denials"]), "a file host that nobody listed is refused by name") or r.show()
w.file(".config/pip/pip.conf", "[global]\nindex-url = https://index.test/simple\nwhat is this\n", 0o600)
r = w.run("print(1)", "--config", preset, "--network", "dependencies", env=env)
ok(r["error"]["type"] == "network_unavailable" and "pip.conf:3" in r["error"]["message"], "a configuration that is not understood is none") or r.show()
w.file(".config/pip/pip.conf", "[global]\nindex-url = https://index.test/simple\n", 0o666)
r = w.run("print(1)", "--config", preset, "--network", "dependencies", env=env)
ok(r["error"]["type"] == "network_unavailable" and "root" in r["error"]["message"], "as root, a file that others can write is not believed") or r.show()

# One host more, for one run: a person grants it.
ask = ("--config", w.network("index.test"), "--network", "dependencies", "--lang", "bash", "--allow-host", "files.test")
code = ("-c", "curl -sS https://files.test/echo")
held = w.bawn("run", "--json", *ask, *code)
equal((held.code, held["status"], held["decision"]["action"]), (126, "needs_approval", "confirm"), "a host that policy does not list is held for a person") or held.show()
ok(any("files.test" in x for x in held["warnings"]) and held["limits"]["network"]["asked"] == ["files.test"], "and it is said why")
approved = w.bawn("approve", held["decision"]["approval_id"], "--reason", "this mirror, once", "--config", ask[1])
equal(approved.code, 0, "it is approved") or approved.show()
once = w.bawn("run", "--json", "--approval", held["decision"]["approval_id"], *ask, *code)
equal((once["status"], once["stdout"], once["trust_level"]), ("completed", "hello from files.test\n", "untrusted"), "granted, it is reached") or once.show()
again = w.bawn("run", "--json", "--approval", held["decision"]["approval_id"], *ask, *code)
equal(again["error"]["type"], "approval_used", "once")
other = w.bawn("run", "--json", *ask[:-1], "denied.test", *code)
wrong = w.bawn("run", "--json", "--approval", other["decision"]["approval_id"], *ask, *code)
equal(wrong["error"]["type"], "approval_mismatch", "another host is another request")
equal(w.bawn("run", "--json", "--allow-host", "files.test", "-c", "1")["error"]["field"], "hosts", "without a network there is nothing to grant")
for host in ("*.test", "a b", "pip", "127.1"):
    r = w.bawn("run", "--json", *ask[:-1], host, "--override", "--reason", "x", *code)
    ok(r["status"] == "error" and r["error"]["type"] in ("invalid_request", "network_unavailable"), f"'{host}' cannot be granted") or r.show()
listed = w.bawn("run", "--json", *ask[:-1], "index.test", "-c", "true")
equal(listed["status"], "completed", "control: one that policy lists anyway needs nobody")

# What runs may reach is in the log when it changes, whoever changed it.
w.file(".config/pip/pip.conf", "[global]\nindex-url = https://index.test/simple\n", 0o600)
mine = w.network("pip", "http://plain.test:8080")
w.run("print(1)", "--config", mine, "--network", "dependencies", env=env)
n = len(w.records("policy.changed"))
w.run("print(1)", "--config", mine, "--network", "dependencies", env=env)
w.run("print(1)", "--config", w.network("denied.test"))
equal(len(w.records("policy.changed")), n, "the same again, or a run that goes nowhere: nothing is recorded")
text = open(mine + "/sandbox.yaml").read()
with open(mine + "/sandbox.yaml", "w") as f:
    f.write(text.replace('"http://plain.test:8080"', '"http://plain.test:8080", "files.test"'))
r = w.run("print(1)", "--config", mine, "--network", "dependencies", env=env)
c = w.records("policy.changed")
equal((len(c), c[-1]["body"]["updated"], c[-1]["body"]["changes"]), (n + 1, ["sandbox.network.whitelist"], [{"key": "sandbox.network.whitelist", "before": ["index.test", "http://plain.test:8080"],
      "after": ["index.test", "http://plain.test:8080", "files.test"]}]), "a whitelist that was changed by hand is recorded, before and after") or r.show()
ok(c[-1]["seq"] < r["audit"]["intent_seq"] and c[-1]["body"]["before"] == c[-2]["body"]["after"], "before the first run that goes by it")
w.file(".config/pip/pip.conf", "[global]\nindex-url = https://registry.test/simple\n", 0o600)
w.run("print(1)", "--config", mine, "--network", "dependencies", env=env)
equal(w.records("policy.changed")[-1]["body"]["changes"][0]["after"][0], "registry.test", "so is what a preset stands for")

# Without root.
user = os.environ.get("BAWN_TEST_USER", "nobody")
w.tear_down()
u = NetWorld(user)
r = u.fetch("curl -sS https://index.test/echo; curl -sS https://denied.test/echo; curl -sS -m 2 --noproxy '*' https://11.0.0.10/", u.network("index.test"), lang="bash")
equal((r["status"], r["stdout"], [d["what"] for d in r["denials"]]), ("failed", "hello from index.test\n", ["denied.test:443"]), "a user without privileges has the same") or r.show()
equal({tuple(p[:3]) for p in u.log()["packets"]}, {(17, INSIDE, 53), (6, PUBLIC, 443)}, "and no other packet left")
done()
