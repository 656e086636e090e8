"""The suite every backend has to pass: `BAWN_BACKEND=native|docker`, through `bawn run --json` alone.

A row holds for every backend.  Where it needs a layer a host may lack, it asks what the backend itself
says it enforces, and is skipped by that name."""
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "integration"))
from bawntest import *

# What a container does otherwise, and why; docs/DOCKER.md has the same rows.
DIFFERENCES = {
    "process numbers": "the runtime's own start takes the first ones, and PID 1 is seen; it cannot be killed, traced or read from inside",
    "uid": "no user namespace unless the engine remaps: the program sees the uid that the host gave the run",
    "devices": "the runtime adds tty, ptmx, pts and mqueue; none of them leads anywhere, and none can be written",
    "disk": "/workspace, /tmp and /dev/shm are three file systems: each has the limit for itself, what they hold together is noted and counts against memory",
    "packages": "--with and --environment are refused: packages come with the image",
    "certificates": "with a network they are at /code/.ca-certificates.crt, since the root is the image's; the same variables name them",
}

World.backend = os.environ.get("BAWN_BACKEND", "native")
w = World()
first = w.run("print(6*7)")
if (first.json.get("error") or {}).get("type") == "backend_unavailable":
    skip_all(f"{World.backend}: {first['error']['message']}")
LAYERS, MISSING = first["enforcement"]["layers"], first["enforcement"]["missing"]


def violations(r):
    """What the log says of limits this run went over: {resource: (threshold, actual, action)}."""
    return {v["body"]["resource"]: (v["body"]["threshold"], v["body"]["actual"], v["body"]["action"])
            for v in w.records("limit.violation") if v["exec"] == r["id"]}


def denied(r, what, kind="limit"):
    return next((d for d in r["denials"] if (d["kind"], d["what"]) == (kind, what)), None)


def differs(what):
    """Whether this backend does it otherwise, for the reason in the table."""
    return World.backend == "docker" and bool(DIFFERENCES[what])
