#!/usr/bin/python3
"""All of tests/conformance/backend, in containers: what holds for the native backend holds here, but for the differences that
conformance.py names, each with its reason; and docs/DOCKER.md names the same ones."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from engine import *

SUITE = os.path.join(ROOT, "tests/conformance/backend")
with Engine() as e:
    e.image("nodejs", "python3-numpy", "python3-pandas", "python3-matplotlib", "--without=python3-sympy", "--without=python3-scipy", "--without=unicode-data")
    for name in sorted(os.listdir(SUITE)):
        r = subprocess.run([os.path.join(SUITE, name)], env={**os.environ, **e.environment()}, capture_output=True, text=True)
        bad = [line for line in r.stdout.splitlines() if not line.startswith(("ok ", "1.."))]
        plan = next((line for line in r.stdout.splitlines() if line.startswith("1..")), "no plan")
        ok(r.returncode == 0 and re.fullmatch(r"1\.\.[1-9]\d*", plan) and not any(" # SKIP" in line and "userns" not in line for line in r.stdout.splitlines()),
           f"{name}: {plan[3:]} tests in a container") or diag("\n".join(bad)[:6000] + r.stderr[-2000:])
    equal(e.containers(), [], "and no container is left")

sys.path.insert(0, os.path.join(ROOT, "tests/conformance"))
text = open(os.path.join(ROOT, "tests/conformance/conformance.py")).read()
differences = re.findall(r'^    "([a-z ]+)": "', text[text.index("DIFFERENCES"):text.index("World.backend")], re.M)
documented = re.findall(r"^\| ([a-z ]+) \|", open(os.path.join(ROOT, "docs/DOCKER.md")).read().split("## Differences")[1], re.M)
equal(sorted(differences), sorted(documented[1:] if documented and documented[0] == "what" else documented), "every difference is a row of docs/DOCKER.md")
done()
