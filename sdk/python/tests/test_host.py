"""The package in hosts of all kinds: signals, threads, forks, foreign ideas about children; and nothing leaks."""
import os
import subprocess
import sys
import threading

import bawn
import bawntest
import pytest
from conftest import HERE

#: a program that goes on for ever, and says when it has begun
ON = "import time\nprint('on', flush=True)\ntime.sleep(600)"


def test_nothing_leaks_and_nothing_is_lost(world):
    p = subprocess.run([sys.executable, "-B", os.path.join(HERE, "leak.py"), "60", "8"], env={**os.environ, **world.env},
                       capture_output=True, text=True, timeout=600)
    assert p.returncode == 0, p.stdout + p.stderr


def test_threads_share_a_client(client):
    got, threads = {}, []

    def work(i):
        got[i] = client.run(f"print({i})").stdout

    for i in range(8):
        threads.append(threading.Thread(target=work, args=(i,)))
        threads[-1].start()
    for t in threads:
        t.join()
    assert got == {i: f"{i}\n" for i in range(8)}


@pytest.mark.parametrize("signals", [(["SIGINT"]), (["SIGINT", "SIGINT"])], ids=["once", "twice"])
def test_ctrl_c_ends_the_run_and_is_still_ctrl_c(world, signals):
    p = subprocess.Popen([sys.executable, "-B", "-c", f"""
import bawn, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what it does not wait for without
try:
    bawn.run({ON!r}, args=['ends-by-ctrl-c'], on_stdout=lambda t: t.strip() and print('on', flush=True))
except KeyboardInterrupt:
    print('interrupted', flush=True)
print(bawn.history()[0].status if len(sys.argv) < 2 else 'left', flush=True)
""", *(["x"] if len(signals) > 1 else [])], env={**world.env, "PYTHONPATH": os.path.dirname(HERE), "BAWN_LIB": os.environ["BAWN_LIB"]},
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert p.stdout.readline() == "on\n"
    for _ in signals:
        p.send_signal(2)
    out, err = p.communicate(timeout=120)
    if len(signals) == 1:
        assert out == "interrupted\ncancelled\n", err
    assert bawntest.wait_for(lambda: not bawntest.processes_with("ends-by-ctrl-c"), 60)
    assert world.bawn("audit", "verify").code == 3


HOSTS = {
    "ignores SIGCHLD": "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "handles SIGCHLD and reaps all": """
import os, signal
def reap(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]: pass
    except ChildProcessError: pass
signal.signal(signal.SIGCHLD, reap)""",
    "steals children in a thread": """
import os, threading, time
def steal():
    while True:
        try: os.waitpid(-1, 0)
        except ChildProcessError: time.sleep(0.001)
threading.Thread(target=steal, daemon=True).start()""",
    "blocks every signal": "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
    "has a timer that interrupts every call": """
import signal
signal.signal(signal.SIGALRM, lambda *_: None); signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)""",
    "has no standard streams": "import os; out = os.dup(1); [os.close(i) for i in (0, 1, 2)]",
    "runs in a small stack": "import threading; threading.stack_size(256 * 1024)",
}


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_that(world, host):
    code, out, err = world.script(HOSTS[host] + """
import bawn, os, threading
got = []
def work(i):
    got.append(bawn.run(f'print({i})', collect=True).stdout)
ts = [threading.Thread(target=work, args=(i,)) for i in range(4)]
[t.start() for t in ts]; [t.join() for t in ts]
work(4)
os.write(globals().get('out', 1), repr(sorted(got)).encode())
""")
    assert out == repr([f"{i}\n" for i in range(5)]), err


def test_a_child_forked_in_the_middle_holds_nothing_up(world):
    """The child has every descriptor of the run, outlives it, and uses the package itself."""
    code, out, err = world.script(f"""
import bawn, os
go, forked = os.pipe(), []
def fork(_):
    if forked: return
    pid = os.fork()
    if pid == 0:
        os.close(go[1])
        os.read(go[0], 1)                      # until the parent has seen the end of its own run
        mine = ['/proc/self/fd/' + fd for fd in os.listdir('/proc/self/fd')]
        slots = [p for p in mine if os.path.lexists(p) and '/slots/' in os.readlink(p)]
        os.write(1, f'child {{len(slots)}} {{bawn.run("print(5)").stdout}}'.encode())
        os._exit(0)
    forked.append(pid)
r = bawn.run("print('x', flush=True)", on_stdout=fork)
print('parent', r.status, os.waitpid(forked[0], os.WNOHANG), flush=True)
os.write(go[1], b'x')
os.waitpid(forked[0], 0)
print(len(bawn.history()))
""")
    assert out == "parent completed (0, 0)\nchild 0 5\n2\n", err


def test_multiprocessing_by_fork(world):
    code, out, err = world.script("""
import bawn, multiprocessing
def work(i): return bawn.run(f'print({i})').stdout
if __name__ == '__main__':
    bawn.run('print(1)')
    with multiprocessing.get_context('fork').Pool(3) as pool:
        print(pool.map(work, range(6)))
    print(len(bawn.history()))
""")
    assert out == repr([f"{i}\n" for i in range(6)]) + "\n7\n", err


def test_a_host_that_ends_in_the_middle_leaves_nothing_running(world):
    world.script(f"""
import bawn, os
bawn.run({ON!r}, args=['dies-with-its-host'], on_stdout=lambda t: os.kill(os.getpid(), 9))
""")
    assert bawntest.wait_for(lambda: not bawntest.processes_with("dies-with-its-host"), 60)
    assert world.client().run("print(1)").ok
    assert [r["type"] for r in world.records() if r["type"] == "exec.lost"] == ["exec.lost"]


def test_the_library_says_nothing_on_its_own(world):
    code, out, err = world.script("import bawn; bawn.run('print(1)'); bawn.run('x', check=False); bawn.status()")
    assert (code, out, err) == (0, "", "")


@pytest.mark.skipif(os.geteuid() != 0, reason="it needs root to become somebody else")
def test_without_root(world):
    import shutil
    user = os.environ.get("BAWN_TEST_USER", "nobody")
    u = bawntest.World(user=user, base="/tmp")
    shutil.copytree(os.path.join(os.path.dirname(HERE), "bawn"), u.dir + "/package/bawn", ignore=shutil.ignore_patterns("__pycache__"))
    lib = shutil.copy(os.path.realpath(os.environ["BAWN_LIB"]), u.dir + "/build/libbawn.so.0")
    os.chmod(lib, 0o755)
    u.program = "/usr/bin/python3"
    u.env.update(PYTHONPATH=u.dir + "/package", BAWN_LIB=lib, PYTHONDONTWRITEBYTECODE="1")
    r = u.bawn("-c", "import bawn; r = bawn.run('import os; print(os.getcwd())', collect=True); print(r.stdout, r.enforcement.layers)")
    assert r.code == 0 and "/workspace" in r.out and "seccomp" in r.out, r.err
