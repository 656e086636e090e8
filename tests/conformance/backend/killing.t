#!/usr/bin/python3
"""When the result is there nothing of the run is alive, whatever it did to stay."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from conformance import *

FOREVER = "\nwhile True: time.sleep(60)"
DAEMON = "import os, signal, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    %s\n    while True: time.sleep(60)\n  os._exit(0)\nos.wait()\ntime.sleep(0.2)\nprint('left', flush=True)"
IGNORE = "for s in range(1, 65):\n      try: signal.signal(s, signal.SIG_IGN)\n      except (OSError, ValueError): pass"
# Three seconds: where instructions are emulated an interpreter needs one to start, and that is time it computes.
STAYS = (  # name, language, code, options, (exit status, status, stdout)
    ("a double-forked daemon in a session of its own", "python", DAEMON % "pass", (), (0, "completed", "left\n")),
    ("one that ignores every signal", "python", DAEMON % IGNORE, (), (0, "completed", "left\n")),
    ("one that is stopped", "python", DAEMON % "os.kill(os.getpid(), signal.SIGSTOP)", (), (0, "completed", "left\n")),
    ("one that closed everything", "python", DAEMON % "os.closerange(0, 256); os.chdir('/')", (), (0, "completed", "left\n")),
    ("one that writes on and on", "python", (DAEMON % "while True: os.write(2, b'x' * 1000)"), (), (0, "completed", "left\n")),
    ("one that forks on and on", "python", DAEMON % "while True:\n      if os.fork(): os._exit(0)\n      time.sleep(0.001)", (), (0, "completed", "left\n")),
    ("threads that never end", "python", "import threading, time\nfor i in range(20): threading.Thread(target=time.sleep, args=(600,)).start()\nprint('left', flush=True)\nimport os; os._exit(0)",
     (), (0, "completed", "left\n")),
    ("background jobs that hold the pipes", "bash", "for i in 1 2 3 4 5; do (while :; do sleep 60; done) & done; nohup bash -c 'sleep 600' $1 & echo left", (), (0, "completed", "left\n")),
    ("children of a program that crashed", "python", "import os, time\nfor i in range(10):\n  if os.fork() == 0:" + FOREVER.replace("\n", " ").replace("while", "\n    while") + "\nos.abort()",
     (), (134, "failed", "")),
    ("children at the time limit", "python", "import os, time\nfor i in range(10):\n  if os.fork() == 0: break" + FOREVER, ("-t", "3s"), (124, "timeout", "")),
    ("a program that stopped itself", "python", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", ("-t", "3s"), (124, "timeout", "")),
    ("a child that waits for a lock", "bash", "exec 9> lock; flock 9; (flock 8) 8> lock & sleep 0.1; echo left", (), (0, "completed", "left\n")),
    ("an unread pipe filled to the brim", "bash", "(yes | sleep 600) & sleep 0.2; echo left", (), (0, "completed", "left\n")),
)


def marked():
    """The argument by which a run's processes are known: children that were forked have it too."""
    marked.n = getattr(marked, "n", 0) + 1
    return f"stays-{os.getpid()}-{marked.n}"


for name, lang, code, options, want in STAYS:
    mark = marked()
    r = w.bawn("run", "--json", *w.chosen(), "--lang", lang, *options, "-c", code, mark)
    alive = processes_with(mark)  # at once: the result is the promise
    equal((r.code, r["status"], r["stdout"]), want, f"{name}: the run ends") or r.show()
    ok(not alive, f"{name}: nothing is alive") or diag(describe(alive))

# The same by a signal to bawn, and the control: while it runs, it is seen.
for signals, name in (((signal.SIGINT,), "cancelled"), ((signal.SIGKILL,), "bawn itself killed")):
    mark = marked()
    p = w.start("run", *w.chosen(), "-c", DAEMON % "pass" + FOREVER, mark)
    p.stdout.readline()
    seen = [pid for pid in processes_with(mark) if pid != p.pid]
    ok(len(seen) >= 2, f"{name}: control, the program and its daemon are there") or diag(describe(seen))
    for s in signals:
        p.send_signal(s)
    p.communicate(timeout=30)
    gone = (lambda: not processes_with(mark)) if name == "cancelled" else (lambda: wait_for(lambda: not processes_with(mark), 30))
    ok(gone(), f"{name}: nothing is alive") or diag(describe(processes_with(mark)))
equal(w.run("print(1)")["stdout"], "1\n", "and the next run starts")
done()
