"""C. Resources, and what lives on."""
import contextlib
from campaign import *
import campaign

group("C", "Resources and lifetime")

LIMITS_OFF = "cgroup rlimits"
MORE_PIDS = {"limits": {"pids": 16}}
row("C01", "more processes than allowed (a fork bomb that counts)", LIMITS_OFF, """
n = 0
for i in range(40):
    try: pid = os.fork()
    except OSError: break
    if pid == 0: time.sleep(30); os._exit(0)
    n += 1
say(n >= 16, str(n))""", **MORE_PIDS)


def bomb(lang, code):
    """Ends at its limit, and the next run starts."""
    def run():
        got = sandbox(code, lang=lang, limits={"pids": 24, "timeout_ms": 1500})
        after = spoken(sandbox("say(False)"))
        return "? " + str(got["error"]) if got["error"] else verdict(got["max_pids"] > 24 or after != "BLOCKED")
    return run


def bomb_outside():
    """Unbounded it grows past the limit; a PID namespace with a cap of its own keeps this one small."""
    text = outside("""
n = 0
for i in range(60):
    pid = os.fork()
    if pid == 0: time.sleep(5); os._exit(0)
    n += 1
say(n > 24)""")
    return spoken(text)


check("C01", "the fork bomb of bash", HOST, bomb("bash", ":(){ :|:& };:\n:; sleep 5"), bomb_outside)
check("C01", "the fork bomb of node", HOST, bomb("javascript", "const c=require('child_process'); for(;;){ try { c.spawn('sleep',['5']) } catch (e) {} }"), bomb_outside)
row("C02", "more threads than allowed", LIMITS_OFF, """
go = threading.Event()
n = 0
for i in range(40):
    try: threading.Thread(target=go.wait, daemon=True).start(); n += 1
    except RuntimeError: break
say(n >= 16, str(n))""", **MORE_PIDS)
row("C02", "processor time by threads and children, beyond the limit", "a limit of 60 s", """
def burn():
    while time.process_time() < 0.5: pass
for i in range(3):
    if os.fork() == 0: burn(); os._exit(0)
burn()
for i in range(3): os.wait()
say(True)""", judge=ends_by("cpu"), limits={"cpu_ms": 300, "timeout_ms": 60000}, weaker={"limits": {"cpu_ms": 60000, "timeout_ms": 60000}})
SMALL = {"limits": {"memory": 64 * MIB, "disk": 256 * MIB}}
for what, code in {
        "heap": "x = bytearray(160 << 20); x[::4096] = b'x' * len(x[::4096]); say(True)",
        "a mapping filled by the kernel (MAP_POPULATE)": "say(L.mmap(None, ctypes.c_long(160 << 20), 3, 0x8022, -1, ctypes.c_long(0)) != -1)",
        "children, each below the limit": """
for i in range(4):
    if os.fork() == 0:
        x = b'y' * (40 << 20); time.sleep(2); os._exit(0)
codes = [os.waitstatus_to_exitcode(os.wait()[1]) for i in range(4)]
say(all(c == 0 for c in codes))"""}.items():
    row("C03", "more memory than allowed: " + what, LIMITS_OFF, code, judge=ends_by("memory"), **SMALL)
row("C03", "a larger stack than allowed", "rlimits", "say(not 0 <= resource.getrlimit(resource.RLIMIT_STACK)[1] <= 8 << 20)")
row("C04", "files in memory beyond the memory limit", LIMITS_OFF, """
for d in ('/tmp', '/workspace', '/dev/shm'):
    with open(d + '/big', 'wb') as f:
        for i in range(40): f.write(b'x' * (1 << 20))
say(True)""", judge=ends_by("memory"), **SMALL)
row("C04", "/tmp, /workspace and /dev/shm together beyond the disk limit", "a limit of 64 MiB", """
n = 0
for d in ('/tmp', '/workspace', '/dev/shm'):
    try:
        with open(d + '/big', 'wb', 0) as f:
            for i in range(8): n += f.write(b'x' * (1 << 20))
    except OSError: pass
say(n > 9 << 20, str(n))""", limits={"disk": 8 * MIB}, weaker={"limits": {"disk": 64 * MIB}})
row("C05", "page tables: one byte in each two megabytes", LIMITS_OFF, """
n = 16000
base = L.mmap(None, ctypes.c_long(n << 21), 3, 0x4022, -1, ctypes.c_long(0))
sc(28, base, n << 21, 15)  # madvise(NOHUGEPAGE): else each byte may be a page of two megabytes
for i in range(n): ctypes.c_char.from_address(base + (i << 21)).value = 1
say(True)""", judge=ends_by("memory"), limits={"memory": 64 * MIB})
row("C05", "sockets full of data nobody reads", LIMITS_OFF, """
keep, n = [], 0
for i in range(100):
    a, b = socket.socketpair(); keep += [a, b]
    a.setblocking(False); b.setblocking(False)
    for s in (a, b):
        s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
        try:
            while True: n += s.send(b'x' * 65536)
        except OSError: pass
say(n > 24 << 20, str(n))""", judge=ends_by("memory"), limits={"memory": 24 * MIB})
row("C05", "larger pipes", "seccomp", "r, w = os.pipe(); kernel(*sc(72, w, 1031, 1 << 20))", denial="fcntl")
row("C05", "more open files than allowed", "rlimits", """
fds = []
try:
    while len(fds) < 300: fds.append(os.open('/dev/null', 0))
except OSError: pass
say(len(fds) >= 300, str(len(fds)))""")
row("C05", "more timers than allowed", "rlimits", """
t = ctypes.c_int()
n = 0
while n < 600 and sc(222, 1, 0, ctypes.byref(t))[0] == 0: n += 1
say(n >= 600, str(n))""")
row("C05", "memory locked, queues, core files", "rlimits", """
hard = [resource.getrlimit(r)[1] for r in (resource.RLIMIT_MEMLOCK, resource.RLIMIT_MSGQUEUE, resource.RLIMIT_CORE)]
say(hard[0] != 0 or hard[1] != 0 or hard[2] not in (0, 1), str(hard))""")
row("C05", "raising a limit", "rlimits", """
got = []
for which in range(16):  # by the call itself: Python checks before it asks
    soft, hard = resource.getrlimit(which)
    if soft != resource.RLIM_INFINITY and sc(302, 0, which, struct.pack('Qq', soft * 2 + 1, max(hard, soft * 2 + 1) if hard >= 0 else hard), 0)[0] == 0: got.append(which)
say(bool(got), str(got))""", reduced="up to the hard limit")
row("C05", "the limits of another process", "seccomp", """
pid = os.fork()
if pid == 0: time.sleep(5); os._exit(0)
r, e = sc(302, pid, 7, 0, ctypes.create_string_buffer(16))
os.kill(pid, 9)
say(r == 0, errno.errorcode.get(e, ''))""", denial="prlimit64")


def during(code, look, **options):
    """Starts a sandbox in a slot of its own, waits for its first word and looks at it from the host."""
    slot = 2000 + os.getpid() % 500 + campaign.next_slot()
    argv = [SANDBOX, "--slot", str(slot), *[f"--limit={k}={v}" for k, v in options.get("limits", {}).items()], program(code, "python"), "walls", json.dumps(campaign.ground.world)]
    with tempfile.TemporaryFile(dir=campaign.ground.scratch) as out:
        p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, env=campaign.ground.env, cwd=campaign.ground.scratch, start_new_session=True)
        try:
            wait_for(lambda: of_uid(880000 + slot), 20)
            p.said = lambda: (p.wait(60), out.seek(0), json.loads(out.read())["out"])[-1]
            return look(p, slot)
        finally:
            end(p, slot)


def end(p, slot):
    """Kills the caller of a run; the lock file it could not remove goes too."""
    p.kill()
    p.wait()
    with contextlib.suppress(FileNotFoundError):
        os.unlink(f"/tmp/bawn-test-slot-0-{slot}")


def of_uid(uid):
    """Processes of a uid."""
    found = []
    for path in glob.glob("/proc/[0-9]*/status"):
        try:
            with open(path) as f:
                if f"\nUid:\t{uid}\t" in f.read():
                    found.append(int(path.split("/")[2]))
        except OSError:
            pass
    return found


def swap_of(slot):
    uid = 880000 + slot
    got = limit_of(uid, "memory.swap.max") or limit_of(uid, "memory.memsw.limit_in_bytes")
    return got, limit_of(uid, "memory.limit_in_bytes")


def no_swap():
    def look(p, slot):
        got, memory = wait_for(lambda: swap_of(slot) if swap_of(slot)[0] else None, 10) or (None, None)
        if got is None:
            return "ABSENT"  # no swap accounting here
        return "BLOCKED" if got == "0" or got == memory else "REACHED"
    return during("time.sleep(20)", look)


def swap_above():
    """The same files one level up allow swap: the look can fail.  A run of our own keeps them there."""
    def look(p, slot):
        wait_for(lambda: swap_of(slot)[0], 10)
        for name in ("memory.swap.max", "memory.memsw.limit_in_bytes"):
            for path in glob.glob(f"/sys/fs/cgroup/*/bawn/{name}") + glob.glob(f"/sys/fs/cgroup/bawn/{name}"):
                with open(path) as f:
                    return verdict(f.read().strip() not in ("0",))
        return "ABSENT"
    return during("time.sleep(20)", look)


check("C06", "swap", "the same files one level up", no_swap, swap_above)
row("C07", "more files than allowed, with names of 255 bytes", "a limit of 4000", """
n = 0
try:
    for i in range(1000): open('%0255d' % i, 'w'); n += 1
except OSError as e: pass
say(n >= 1000, str(n))""", limits={"inodes": 200}, weaker={"limits": {"inodes": 4000}})
row("C08", "a file of 8 EiB, or of a terabyte", "rlimits", """
say(any(can(os.truncate, os.open('f', os.O_RDWR | os.O_CREAT), n) for n in ((1 << 63) - 1, 1 << 40)), why)""")
row("C08", "fallocate beyond the disk", "a limit of 64 MiB", "tries(os.posix_fallocate, os.open('f', os.O_RDWR | os.O_CREAT), 0, 16 << 20)", limits={"disk": 8 * MIB}, weaker={"limits": {"disk": 64 * MIB}})
FLOOD = "import os\nfor i in range(128): os.write(1, b'x' * 65536)"
row("C09", "a flood of output", "a limit of 64 MiB", FLOOD, judge=lambda got: verdict(len(got["out"]) > MIB) if got["truncated"] or len(got["out"]) == 8 * MIB else "? " + str(got["end"]),
    weaker={"limits": {"output": 64 * MIB}})


def flood_and_size():
    """The client does not grow with what is thrown away."""
    def look(p, slot):
        peak = 0
        while p.poll() is None:
            try:
                with open(f"/proc/{p.pid}/status") as f:
                    peak = max([peak] + [int(line.split()[1]) for line in f if line.startswith("VmRSS")])
            except OSError:
                break
            time.sleep(0.02)
        return verdict(peak > 32 << 10)
    return during("end = time.time() + 1\nwhile time.time() < end: os.write(1, b'x' * 65536)", look)


def reader_that_keeps():
    got = subprocess.run(["python3", "-c", FLOOD.replace("128", "1024")], capture_output=True)
    return verdict(len(got.stdout) > 32 << 20)


check("C09", "a flood the reader would have to keep", "a reader that keeps all", flood_and_size, reader_that_keeps)
HANG = "a program that does wait runs into its limit"


def ended(code, want, **job):
    return lambda: "BLOCKED" if sandbox(code, limits={"timeout_ms": 10000}, **job)["end"] == want else "REACHED"


check("C10", "standard input never read, streams closed half way", HANG, ended("os.close(0); os.close(1); os.close(2); os._exit(0)", "exit"), ended("time.sleep(30)", "exit"))
DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for s in (signal.SIGHUP, signal.SIGTERM): signal.signal(s, signal.SIG_IGN)
        time.sleep(%d)
        os._exit(0)
    os._exit(0)
time.sleep(0.3)
print('BLOCKED', flush=True)"""


def survivors(run):
    """Does anything live on when the answer is there?"""
    def look():
        mark = 1000 + campaign.next_slot()
        slot = 7000 + os.getpid() % 500 + mark
        run(slot, mark)
        return verdict(bool(of_uid(880000 + slot)) or bool(processes_with(f"daemon-{mark}-{campaign.ground.secret}")))
    return look


def daemon_outside(slot, mark):
    """On the host it does live on; it ends by itself."""
    path = program(DAEMON % 3, "python")
    subprocess.run(["python3", "-s", path, "control", "{}", f"daemon-{mark}-{campaign.ground.secret}"], env=campaign.ground.env, stdout=subprocess.DEVNULL, start_new_session=True)


check("C11", "a daemon that outlives the answer", "outside: it does", survivors(lambda slot, mark: sandbox(DAEMON % 60, slot=slot)), survivors(daemon_outside))
STUBBORN = """
for s in range(1, 65):
    try: signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError): pass
if os.fork() == 0:
    while True: time.sleep(1)
time.sleep(3)
say(True)"""
row("C12", "ignoring every signal, to outlive the time limit", "a limit of 60 s", STUBBORN, judge=ends_by("timeout"), limits={"timeout_ms": 1000}, weaker={"limits": {"timeout_ms": 60000}})
row("C12", "stopping itself and its group, to outlive the time limit", "a limit of 60 s", """
import subprocess
if CONTROL: say(True)
subprocess.Popen(['sleep', '30'])
os.kill(0, signal.SIGSTOP)
say(True)""", judge=ends_by("timeout"), limits={"timeout_ms": 800}, weaker={"limits": {"timeout_ms": 60000}})
KILL_ALL = """
hit = [can(os.kill, p, 9) for p in (1, *range(3, 400))]
can(os.kill, -1, 9)
can(os.kill, 1, 19)
say(False, str(sum(hit)))  # without PID 1 nobody would be left to say so"""


def kill_everyone():
    """A second run, and its supervisor, while the first kills all it can name."""
    def look(p, slot):
        attacker = ends_by("exit")(sandbox(KILL_ALL))
        return attacker if attacker != "BLOCKED" else verdict(p.said().strip() != "alive")
    return during("time.sleep(1.5); print('alive')", look)


def kill_everyone_outside():
    """In a namespace of its own: a sibling falls."""
    return spoken(outside("""
r, w = os.pipe()
pid = os.fork()
if pid == 0: time.sleep(30); os._exit(0)
if os.fork() == 0:
    for p in range(2, 400):
        if p != os.getpid(): can(os.kill, p, 9)
    os._exit(0)
say(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == -9)"""))


check("C13", "killing PID 1, the supervisor, another run", HOST, kill_everyone, kill_everyone_outside)


def nonces(run, n=60):
    def go():
        with ThreadPoolExecutor(8) as pool:
            return verdict(not all(pool.map(run, range(n))))
    return go


check("C14", "runs mixed up by reused process numbers (60 runs, 8 at a time)", "a wrong answer is noticed",
      nonces(lambda i: sandbox(f"print('nonce-{i}')")["out"] == f"nonce-{i}\n"), nonces(lambda i: sandbox(f"print('nonce-{i if i else 1}')")["out"] == f"nonce-{i}\n", 3))
row("C15", "a parent held by vfork, to outlive the time limit", "a limit of 60 s", """
code = bytes.fromhex('b83a0000000f0585c07519' 'b80700000031ff31f6bad00700000f05' 'b83c00000031ff0f05' 'c3')  # vfork; the child polls for 2 s and exits
p = L.mmap(None, ctypes.c_long(4096), 3, 0x22, -1, ctypes.c_long(0))
ctypes.memmove(p, code, len(code))
L.mprotect(ctypes.c_long(p), ctypes.c_long(4096), 5)
ctypes.CFUNCTYPE(ctypes.c_int)(p)()  # waits in the kernel, whatever signals come
say(True)""", judge=ends_by("timeout"), limits={"timeout_ms": 800}, weaker={"limits": {"timeout_ms": 60000}})
row("C15", "a core file or a core handler", "rlimits", """
say(not 0 <= resource.getrlimit(resource.RLIMIT_CORE)[1] <= 1)""")
row("C16", "more zombies than processes allowed", LIMITS_OFF, """
n = 0
for i in range(60):
    try: pid = os.fork()
    except OSError: break
    if pid == 0: os._exit(0)
    n += 1
say(n >= 60, str(n))""", **MORE_PIDS)
row("C16", "zombies left to init", HOST, """
for i in range(30):
    if os.fork() == 0:
        if os.fork() == 0: os._exit(0)
        os._exit(0)
    os.wait()
time.sleep(0.3)
if CONTROL and os.fork() == 0: os._exit(0)
def dead(p):
    try: return 'State:\\tZ' in open(f'/proc/{p}/status').read()
    except OSError: return False
end = time.time() + 10
while True:  # on a busy machine init may come to it later
    z = sum(dead(p) for p in os.listdir('/proc') if p.isdigit())
    if (z > 0) == CONTROL or time.time() > end: break
    time.sleep(0.1)
say(z > 0, str(z))""")
row("C17", "a scheduling class", "seccomp", "kernel(*sc(144, 0, 3, ctypes.byref(ctypes.c_int(0))))", denial="sched_setscheduler")
row("C17", "priority, affinity, input and output class", "seccomp", """
mask = ctypes.create_string_buffer(b'\\xff' * 128)
kernel_all((141, 0, 0, 5), (203, 0, 128, mask), (251, 1, 0, 0x6000), (314, 0, 0, 0))""", denial="setpriority")
row("C17", "another place with the OOM killer", "landlock", """
def move():
    with open('/proc/self/oom_score_adj', 'w') as f: f.write('100')
tries(move)""", reduced="a worse one: that needs no privilege")
row("C18", "running on after the time limit", "a limit of 60 s", "time.sleep(2); say(True)", judge=ends_by("timeout"), limits={"timeout_ms": 500}, weaker={"limits": {"timeout_ms": 60000}})


def leftovers():
    """What this host has of ours; a second look has nothing more when nothing was left."""
    with open("/proc/self/mountinfo") as f:
        mounts = set(f)
    locks = {s for s in SLOTS if os.path.exists(f"/tmp/bawn-test-slot-0-{s}")}
    return mounts | locks | set(cgroup_dirs()) | {("process", p) for s in SLOTS for p in of_uid(880000 + s)}


SLOTS = range(4000, 4004)


def many():
    before = leftovers()
    for i in range(24):
        sandbox("print(1)", slot=SLOTS[i % len(SLOTS)])
    return verdict(not wait_for(lambda: leftovers() <= before, 5))  # others come and go


def one_left():
    before = leftovers()
    p = subprocess.Popen([SANDBOX, "--slot", str(SLOTS[0]), program("time.sleep(30)", "python"), "walls", "{}"], stdout=subprocess.DEVNULL, env=campaign.ground.env, start_new_session=True)
    try:
        return verdict(bool(wait_for(lambda: leftovers() - before, 10)))
    finally:
        end(p, SLOTS[0])
        wait_for(lambda: not of_uid(880000 + SLOTS[0]))


# One row, so that the two never look at the same time.
check("C19", "mounts, cgroups, locks, processes left by runs (24 of them)", "a run that still goes on is seen", many, one_left)


def orphans():
    """Whoever called is killed at some moment: nothing of the run lives on."""
    left = []
    for i in range(12):
        slot = 5000 + os.getpid() % 500 + i
        p = subprocess.Popen([SANDBOX, "--slot", str(slot), program("time.sleep(60)", "python"), "walls", json.dumps(campaign.ground.world)],
                             stdout=subprocess.DEVNULL, env=campaign.ground.env, start_new_session=True)
        time.sleep(0.012 * i)
        end(p, slot)
        gone = wait_for(lambda: not of_uid(880000 + slot), 40)  # the host's init reaps whom nobody else does, in its own time
        if not gone:
            left.append(describe(of_uid(880000 + slot)))
    for line in left:
        diag(line)
    return verdict(bool(left))


def plain_orphan():
    p = subprocess.Popen(["python3", "-c", "import subprocess, time; subprocess.Popen(['sleep', '3.14159']); print('up', flush=True); time.sleep(60)"], stdout=subprocess.PIPE, start_new_session=True)
    p.stdout.readline()
    p.kill()
    p.wait()
    p.stdout.close()
    return verdict(bool(wait_for(lambda: processes_with("3.14159"), 2)))  # its exec may not be over yet


check("C20", "a run whose caller is killed, at twelve moments", "a child started plainly", orphans, plain_orphan)


def injected(options):
    """The launcher under strace: a real fault in the real program."""
    def run():
        if not shutil.which("strace"):
            return "ABSENT"
        d = scratch("strace")
        wrapper = d + "/launch"
        with open(wrapper, "w") as f:
            f.write(f"#!/bin/sh\nexec strace -f -qq -o /dev/null {options} {LAUNCH}\n")
        os.chmod(wrapper, 0o755)
        got = subprocess.run([SANDBOX, program("say(True)", "python"), "walls", json.dumps(campaign.ground.world)], capture_output=True, text=True,
                             env={**campaign.ground.env, "BAWN_TEST_LIBEXEC": d}, timeout=60)
        return verdict("REACHED" in got.stdout)
    return run


for call in ("seccomp", "pivot_root", "setresuid", "capset", "mount_setattr"):
    check("C21", f"a launcher whose {call} fails: nothing runs", "the same launcher without the fault (tests/unit/native/faults.c has all calls, one by one)",
          injected(f"-e trace={call} -e inject={call}:error=EPERM"), injected(f"-e trace={call}"))
