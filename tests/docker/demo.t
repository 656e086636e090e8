#!/usr/bin/python3
"""The tour of `make demo BACKEND=docker`, with an engine of its own: every step ends as it should, in containers."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from engine import *

p = subprocess.run([ROOT + "/tools/with-engine", ROOT + "/tools/demo"], env={**os.environ, "BAWN_BUILD": BUILD}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
skipped = re.match(r"1\.\.0 # SKIP (.*)", p.stdout)
if skipped:
    skip_all(skipped[1])
ok(p.returncode == 0, "every step of the tour ends as it should") or diag(p.stdout[-3000:] + p.stderr[-3000:])
ok("in a container" in p.stdout, "and the walls are a container's")
for step in ("the sum of the first ten squares is 385", "no network in here", "could not write to /etc/cron.d"):
    ok(step in p.stdout, f"seen on the way: {step}")
done()
