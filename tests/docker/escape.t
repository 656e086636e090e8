#!/usr/bin/python3
"""The attempts of tests/escape, each that is a program, inside a container: every one is held back.  Their positive controls are the native
campaign's: the same programs, seen to succeed without a wall.

    tests/docker/escape.t            the attempts, and whether docs/SECURITY-RESULTS-docker.md says what they found
    tests/docker/escape.t A14 B08    only these entries
    tests/docker/escape.t --write    and the document anew"""
import os, sys
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "escape")]
from engine import *
import campaign

RESULTS = ROOT + "/docs/SECURITY-RESULTS-docker.md"
ENDS = {"completed": "exit", "failed": "exit", "timeout": "timeout", "cpu_limit": "cpu", "memory_limit": "memory", "pids_limit": "pids", "disk_limit": "disk",
        "output_limit": "output", "killed": "killed", "cancelled": "cancelled", "error": "none"}
# What is not held back in a container, or held back by other means; each with its reason.
MASKED = "masked: it can be opened, and is empty"
KNOWN = {
    ("A07", "a release_agent anywhere in the tree"): "the container's own cgroups are there, read-only; none has a release_agent",
    ("A12", "a mount that propagates"): "the runtime's mounts are slaves of the host's: nothing goes out",
    ("A14", "processes that are not its own"): "PID 1 is seen; it cannot be killed, traced or read",
    ("A16", "/proc/kallsyms"): MASKED, ("A16", "/proc/timer_list"): MASKED, ("A16", "/proc/keys"): MASKED, ("A16", "/proc/interrupts"): MASKED,
    ("A16", "/proc/meminfo"): "how much memory the machine has, which the kernel tells everybody",
    ("A17", "/sys"): "there, read-only, and empty but for the container's own cgroups",
    ("A20", "a block device in /dev, or more than the five"): "tty and ptmx, which lead nowhere",
    ("A21", "set-user-id binaries count"): "the image's file system has no nosuid; with no_new_privs a set-user-id program gains nothing",
}
KNOWN[("C04", "/tmp, /workspace and /dev/shm together beyond the disk limit")] = "three file systems; together they are noted, and count against memory"
# Limits that no request can ask for.
NOT_HERE = {("C04", "files in memory beyond the memory limit"): "the disk limit is at most half of the memory limit"}
w = None
left_out = []


def sandbox(code, mode="walls", without="", lang="python", args=None, inputs=None, limits=None, **options):
    """The program through `bawn run --backend docker`, told of as tests/escape/sandbox tells it."""
    limits = {"timeout_ms": 100000, **(limits or {})}
    flags = ["--timeout", f"{limits['timeout_ms']}ms"]
    flags += [x for k, o in (("memory", "--memory"), ("pids", "--pids"), ("disk", "--disk")) if k in limits for x in (o, str(limits[k]))]
    for name, text in (inputs or {}).items():
        path = campaign.scratch("input") + "/input"
        open(path, "w").write(text)
        flags += ["--in", f"{path}:{name}"]
    r = w.bawn("run", "--json", "--lang", lang, *w.chosen(), "--config", config, "--override", "--reason", "a test", *flags, campaign.program(code, lang),
               *([mode, json.dumps(campaign.ground.world)] if args is None else args), timeout=400)
    if r.json is None:
        return {"error": r.err, "end": "none", "signal": 0, "out": "", "err": "", "denials": []}
    return {"error": r["error"] and r["error"]["message"], "end": "signal" if r["status"] == "failed" and r["signal"] else ENDS.get(r["status"], "none"), "exit_code": r["exit_code"], "signal": r["signal"] or 0,
            "out": r["stdout"], "err": r["stderr"], "denials": [d["what"] for d in r["denials"]], "files": [f["path"] for f in r["files"]],
            "skipped": [f["path"] for f in r["skipped_files"]], "max_pids": r["usage"]["peak_pids"] or 0, "peak_memory": r["usage"]["peak_memory_bytes"], "truncated": r["truncated"]["stdout"]}


def usable(job):
    """Whether an attempt needs nothing of the host's side that only the native launcher has."""
    return not set(job) - {"lang", "inputs", "limits", "args"} and not set(job.get("limits") or {}) - {"timeout_ms", "memory", "pids", "disk"}


campaign.begin()
campaign.sandbox = sandbox
of_campaign = campaign.row


def row(id, title, control, code, **job):
    attempt = {k: v for k, v in job.items() if k not in ("denial", "reduced", "judge", "weaker")}
    of_campaign(id, title, control, code, **job) if usable(attempt) and (id, title) not in NOT_HERE else left_out.append((id, title))


campaign.row = row
campaign.check = lambda id, title, *rest: left_out.append((id, title))
import group_a, group_b, group_c, group_e, group_x

HEAD = """# Security results, in containers
The attempts of [the campaign](SECURITY-RESULTS.md) that are programs, each once inside a container of the docker backend. Their positive
controls are the campaign's own. Attempts on what only the native launcher has (its own files, descriptors and namespaces on the host) are left
out here; `tests/docker` tries what stands in their place. `tests/docker/escape.t --write` writes this file.

"""
with Engine() as e:
    e.image("nodejs")
    w = e.world()
    config = w.config(security="overrides:\n  minimum: self\n  acknowledge_risk: true\n", sandbox="monitoring:\n  max_execution_time: 300\n")
    w.run("print(1)")  # the image is made once
    asked = [a for a in sys.argv[1:] if not a.startswith("-")]
    selected = [r for r in campaign.rows if not asked or any(r.id.startswith(a) for a in asked)]
    before = campaign.canaries()

    def attempt(r):
        try:
            r.verdict = r.attempt()
        except Exception as why:
            r.verdict = f"? {type(why).__name__}: {why}"
        return r
    with campaign.ThreadPoolExecutor(2) as pool:
        for r in pool.map(attempt, selected):
            known = KNOWN.get((r.id, r.title))
            good = ok(r.verdict == ("REACHED" if known else "BLOCKED"), f"{r.id} {r.title}: {r.verdict.split(' ')[0]}{' (' + known + ')' if known else ''}")
            good or diag(r.verdict)
    equal(campaign.differences(before, campaign.canaries()), [], "the host's canaries are as they were before")
    equal(e.containers(), [], "and no container is left")

if not asked:
    text = HEAD + f"{len(selected)} attempts: {sum(r.verdict == 'BLOCKED' for r in selected)} BLOCKED, {sum(r.verdict == 'REACHED' for r in selected)} REACHED.\n"
    for letter, title in campaign.GROUPS.items():
        mine = sorted((r for r in selected if r.id[0] == letter), key=lambda r: r.id)
        text += f"\n## {letter}. {title}\n| entry | attempt | verdict | reason |\n|---|---|---|---|\n" if mine else ""
        for r in mine:
            text += f"| {r.id} | {campaign.cell(r.title)} | {r.verdict.split(' ')[0]} | {KNOWN.get((r.id, r.title), '')} |\n"
    if "--write" in sys.argv:
        open(RESULTS, "w").write(text)
    equal(campaign.comparable(open(RESULTS).read()) if os.path.exists(RESULTS) else None, campaign.comparable(text), "docs/SECURITY-RESULTS-docker.md says what was found")
done()
