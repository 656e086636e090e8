#!/usr/bin/python3
"""The Python package with the docker backend: the same answers as from the command, files in and out, streams, limits, and no
container is left."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from engine import *

HOST = f"""
import bawn, json, sys
seen = []
docker = dict(backend="docker", image={IMAGE!r}, check=False)
low = bawn.run("print(6*7)", **docker)
files = bawn.run("print(open('in.txt').read()); open('out.txt', 'w').write('left')", files={{"in.txt": "given"}}, out_dir="left", **docker)
streamed = bawn.run("import sys\\nprint('to stdout')\\nprint('to stderr', file=sys.stderr)", on_stdout=seen.append, **docker)
slow = bawn.run("while True: pass", timeout=1, **docker)
fat = bawn.run("x = bytearray(1 << 30)\\nfor i in range(0, len(x), 4096): x[i] = 1", memory="64m", **docker)
held = bawn.run("print('ran'); open('/etc/cron.d/x','w') if False else None", **docker)
with bawn.Sandbox(backend="docker", image={IMAGE!r}) as box:
    boxed = box.run("print('in a sandbox')")
try:
    bawn.run("print(1)", backend="docker", image="bawn/absent:1")
    absent = "ran"
except bawn.BawnError as e:
    absent = type(e).__name__
print(json.dumps(dict(low=low.document, files=[files.stdout, open("left/out.txt").read()], streamed="".join(seen), slow=slow.status, fat=fat.status,
                      held=held.status, boxed=boxed.stdout, absent=absent)))
"""

with Engine() as e:
    e.image()
    w = World()
    p = subprocess.run(["/usr/bin/python3", "-c", HOST], cwd=w.dir, capture_output=True, text=True, timeout=600,
                       env={**w.env, **e.environment(), "PYTHONPATH": ROOT + "/sdk/python", "BAWN_LIB": BUILD + "/libbawn.so.0", "PYTHONDONTWRITEBYTECODE": "1"})
    saw = json.loads(p.stdout or "{}")
    if not ok(saw, "a Python program runs code in containers"):
        diag(p.stderr)
        done()
    cli = w.bawn("run", "--json", "--backend", "docker", "--image", IMAGE, "-c", "print(6*7)", env={"DOCKER_HOST": e.host}).json
    mine, theirs = alone([comparable(saw["low"]), comparable(cli)])
    for d in (mine, theirs):
        d["enforcement"]["container"].pop("id", None)
        d["audit"] = None  # the second in this world
    equal(mine, theirs, "with every field as from the command")
    equal((mine["stdout"], mine["enforcement"]["backend"], saw["low"]["enforcement"]["container"]["image"] is not None), ("42\n", "docker", True), "from a container")
    equal(saw.get("files"), ["given\n", "left"], "files in and out")
    equal(saw.get("streamed"), "to stdout\n", "streams")
    equal((saw.get("slow"), saw.get("fat"), saw.get("held")), ("timeout", "memory_limit", "needs_approval"), "limits and decisions are the same")
    equal(saw.get("boxed"), "in a sandbox\n", "a Sandbox")
    ok(saw.get("absent") not in (None, "ran"), "an image that is not there is an exception") or diag(saw.get("absent"))
    equal(e.containers(), [], "no container is left")
done()
