#!/usr/bin/python3
"""Every entry of the escape checklist, with its positive control; the host is the same afterwards.

    tests/escape/escape.t            the campaign, and whether docs/SECURITY-RESULTS.md says what it found
    tests/escape/escape.t A14 B08    only these entries
    tests/escape/escape.t --write    the campaign, and the document anew"""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import campaign
from campaign import *

RESULTS = ROOT + "/docs/SECURITY-RESULTS.md"
# How many entries each group of the checklist has.
ENTRIES = {"A": 30, "B": 26, "C": 21, "E": 10}

if not is_root():
    skip_all("not root: the positive controls need it")
campaign.begin()
import group_a, group_b, group_c, group_e, group_x

asked = [a for a in sys.argv[1:] if not a.startswith("-")]
if asked:
    run_all([r for r in rows if any(r.id.startswith(a) for a in asked)])
    done()

for letter, n in ENTRIES.items():
    equal(sorted({r.id for r in rows if r.id[0] == letter}), [f"{letter}{i:02}" for i in range(1, n + 1)], f"every entry of group {letter} has a row")
packages = lambda: [os.stat(p).st_mtime_ns for p in ("/var/lib/dpkg/status",) if os.path.exists(p)]
before, installed = host_state(), packages()
run_all(rows)
run_limits()
after = host_state()
if packages() != installed:
    skip("the host is as it was before", "packages were installed meanwhile")
else:
    equal(differences(before, after), [], "canaries, /etc, /usr, programs, mounts and settings of the host are as they were before")
untouched = canaries()
os.chmod(campaign.ground.dirs[0] + "/canary", 0o600)
ok(differences(untouched, canaries()), "control: a change of a canary's mode would have been seen")

text = as_document()
if "--write" in sys.argv:
    with open(RESULTS, "w") as f:
        f.write(text)
equal(comparable(open(RESULTS).read()) if os.path.exists(RESULTS) else None, comparable(text), "docs/SECURITY-RESULTS.md says what was found (make security-results)")
done()
