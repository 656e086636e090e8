"""What the integration tests share: TAP, a throw-away world, running bawn, a terminal, the kernel's word.

Every test builds its own state directory and, unless it says otherwise, runs without /etc/bawn or a
user's configuration having a say: a host with an /etc/bawn of its own is skipped by name."""
import atexit, glob, json, os, pty, select, shutil, signal, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("BAWN_BUILD", os.path.join(ROOT, "build")))
BAWN = os.path.join(BUILD, "bawn")
_count = _failed = 0


def ok(good, name):
    global _count, _failed
    _count += 1
    _failed += not good
    print(f"{'' if good else 'not '}ok {_count} - {name}", flush=True)
    return good


def equal(got, want, name):
    if not ok(got == want, name):
        diag(f"got  {got!r}"[:2000])
        diag(f"want {want!r}"[:2000])
    return got == want


def diag(text):
    for line in str(text).splitlines():
        print("# " + line, flush=True)


def skip(name, why):
    global _count
    _count += 1
    print(f"ok {_count} - {name} # SKIP {why}", flush=True)


def skip_all(why):
    print(f"1..0 # SKIP {why}", flush=True)
    sys.exit(0)


def done():
    print(f"1..{_count}", flush=True)
    sys.exit(1 if _failed else 0)


class Result:
    """One call of bawn: exit code, streams, and the JSON document when there was one."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err
        try:
            self.json = json.loads(out)
        except ValueError:
            self.json = None

    def __getitem__(self, key):
        return self.json[key]

    def show(self):
        diag(f"exit {self.code}\n{self.out[:3000]}\n{self.err[:3000]}")


class World:
    """A state directory, a place for files and a clean environment; gone at exit."""

    backend = None  # the conformance suite names one; otherwise the policy chooses

    def __init__(self, user=None, base=None):
        self.dir = tempfile.mkdtemp(prefix="bawn-it-", dir=base)
        atexit.register(shutil.rmtree, self.dir, True)
        self.state = os.path.join(self.dir, "state")
        self.user = user
        self.program = BAWN
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": self.dir, "LANG": "C.UTF-8",
                    "BAWN_STATE": self.state, "XDG_CONFIG_HOME": os.path.join(self.dir, "config")}
        if self.backend == "docker" and "DOCKER_HOST" in os.environ:
            self.env["DOCKER_HOST"] = os.environ["DOCKER_HOST"]
        if user:
            os.chmod(self.dir, 0o755)
            os.makedirs(self.state)
            shutil.chown(self.dir, user)
            shutil.chown(self.state, user)
            # The tree may lie where another user cannot look: a copy of what runs.
            os.makedirs(self.dir + "/build/libexec/bawn")
            self.program = shutil.copy(BAWN, self.dir + "/build/bawn")
            for name in ("launch", "docker", "egress"):
                shutil.copy(BUILD + "/libexec/bawn/" + name, self.dir + "/build/libexec/bawn/" + name)

    def file(self, name, text, mode=0o644):
        path = os.path.join(self.dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(path, mode)
        if self.user:
            shutil.chown(path, self.user)
        return path

    def config(self, **files):
        """config(sandbox="...") writes sandbox.yaml into a directory for --config and returns it."""
        path = tempfile.mkdtemp(prefix="config-", dir=self.dir)
        os.chmod(path, 0o755)
        for name, text in files.items():
            with open(os.path.join(path, name + ".yaml"), "w") as f:
                f.write(text)
        return path

    def argv(self, *args):
        cmd = [self.program, *args]
        return ["setpriv", "--reuid", self.user, "--regid", self.user_group(), "--clear-groups", *cmd] if self.user else cmd

    def user_group(self):
        import grp, pwd
        return grp.getgrgid(pwd.getpwnam(self.user).pw_gid).gr_name

    def start(self, *args, stdin=subprocess.DEVNULL, env=None, **kw):
        return subprocess.Popen(self.argv(*args), stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**self.env, **(env or {})}, cwd=kw.pop("cwd", self.dir), start_new_session=True, **kw)

    def bawn(self, *args, input=None, env=None, timeout=180, **kw):
        p = self.start(*args, stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL, env=env, **kw)
        try:
            out, err = p.communicate(input.encode() if isinstance(input, str) else input, timeout=timeout)
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
            diag(f"timed out: {args}")
        return Result(p.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))

    def run(self, code, *options, lang="python", **kw):
        """`bawn run --json` of a piece of code."""
        r = self.bawn("run", "--json", "--lang", lang, *self.chosen(), *options, "-c", code, **kw)
        if r.json is None:
            r.show()
            r.json = {}
        return r

    def chosen(self):
        image = ("--image", os.environ["BAWN_IMAGE"]) if self.backend == "docker" and "BAWN_IMAGE" in os.environ else ()
        return ("--backend", self.backend, *image) if self.backend else ()

    def lifted(self, code, *options, **kw):
        """The same for code that policy would hold: its own requester lifts it."""
        if not hasattr(self, "lifting"):
            self.lifting = self.config(security="overrides:\n  minimum: self\n  acknowledge_risk: true\n")
        return self.run(code, "--config", self.lifting, "--override", "--reason", "a test", *options, **kw)

    def records(self, type=None):
        """What the log has; a line without its end is being written."""
        found = []
        for path in sorted(glob.glob(os.path.join(self.state, "audit/seg/*.jsonl"))):
            with open(path) as f:
                found += [json.loads(line) for line in f if line.endswith("\n")]
        return [r for r in found if type is None or r["type"] == type]


def stuck_launchers(world, *hows):
    """A directory with one directory for each way to get stuck, to be used as libexec."""
    top = tempfile.mkdtemp(prefix="stuck-", dir=world.dir)
    for how in hows or ("silent", "full", "unstarted", "uncollected", "deaf"):
        os.mkdir(f"{top}/{how}")
        shutil.copy(os.path.join(ROOT, "tests/integration/stuck-launcher"), f"{top}/{how}/launch")
        with open(f"{top}/{how}/how", "w") as f:
            f.write(how)
    return top


def terminal(world, args, answers, timeout=60):
    """Runs bawn on a terminal of its own; answers = [(what must be on the screen, what is typed)]."""
    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(world.dir)
        argv = world.argv(*args)
        os.execvpe(argv[0], argv, {**world.env, "TERM": "xterm"})
    screen, at, deadline, todo = "", 0, time.time() + timeout, list(answers)
    while time.time() < deadline:
        if todo and todo[0][0] in screen[at:]:
            at = len(screen)
            os.write(fd, todo.pop(0)[1].encode())
        ready, _, _ = select.select([fd], [], [], 0.2)
        if ready:
            try:
                chunk = os.read(fd, 65536)
            except OSError:
                break
            if not chunk:
                break
            screen += chunk.decode("utf-8", "replace")
    else:
        os.kill(pid, signal.SIGKILL)
        diag("the terminal session timed out")
    _, status = os.waitpid(pid, 0)
    os.close(fd)
    return Result(os.waitstatus_to_exitcode(status), screen, "")


#: of a result: measured, or made anew for each run
VARY = ["id", "request_sha256", "started_at", "finished_at", "assessment.assessed_at", "assessment.elapsed_us",
        "decision.approval_id", "decision.override.at", "usage", "audit.hash", "timing", "limits.inputs.available_bytes",
        "limits.inputs.running"]


def comparable(document):
    """A result without what may differ between two runs of the same, by whatever door."""
    d = json.loads(json.dumps(document))
    for path in VARY:
        *way, last = path.split(".")
        at = d
        for name in way:
            at = (at or {}).get(name)
        if at and last in at:
            at[last] = "varies" if at[last] is not None else None
    if d.get("decision") and d["decision"]["override"]:
        d["decision"]["override"]["by"].pop("via")  # which door
        d["decision"]["override"]["by"].pop("name", None)  # a callback gives one, a flag does not
    d["warnings"] = [w for w in d.get("warnings", []) if not w.startswith("alert:")]  # of what went before in this world
    return d


def alone(documents):
    """The same without what the load of this host made smaller, where it did."""
    if any((d["limits"] or {}).get("reasons") and any("share of the host's" in reason for reason in d["limits"]["reasons"]) for d in documents):
        for d in documents:
            for name in ("cpus", "cpu_ms", "memory_bytes", "disk_bytes", "inodes", "reasons"):
                (d["limits"] or {}).pop(name, None)
    return documents


def steps(world, seen=0):
    """What the log has of it: the types and the members of each body."""
    return [(r["type"], sorted(r["body"])) for r in world.records()[seen:]]


def is_root():
    return os.geteuid() == 0


def cgroups():
    """The cgroup directories of all runs."""
    return glob.glob("/sys/fs/cgroup/**/bawn/run-*", recursive=True)


def cgroup_dirs():
    """Those of ours that no live run holds."""
    import fcntl
    left = []
    for d in cgroups():
        try:
            fd = os.open(d, os.O_RDONLY | os.O_DIRECTORY)
        except (FileNotFoundError, PermissionError):
            continue
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            left.append(d)
        except BlockingIOError:
            pass
        finally:
            os.close(fd)
    return left


def uid_of(pid):
    try:
        with open(f"/proc/{pid}/status") as f:
            return int(next(line for line in f if line.startswith("Uid:")).split()[1])
    except (OSError, StopIteration):
        return -1


def limit_of(uid, *names):
    """A limit as the kernel has it for the run under this uid: limit_of(uid, "memory.max", "memory.limit_in_bytes")."""
    for d in cgroups():
        try:
            with open(d + "/cgroup.procs") as f:
                if uid not in [uid_of(pid) for pid in f.read().split()]:
                    continue
            for name in names:
                if os.path.exists(f"{d}/{name}"):
                    with open(f"{d}/{name}") as f:
                        return f.read().strip()
        except OSError:
            continue
    return None


def wait_for(what, seconds=10, every=0.02):
    end = time.time() + seconds
    while time.time() < end:
        value = what()
        if value:
            return value
        time.sleep(every)
    return what()


def processes_with(marker):
    """Pids whose command line or environment-free argv has the marker, whatever their namespace."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as f:
                if marker.encode() in f.read():
                    found.append(int(path.split("/")[2]))
        except OSError:
            pass
    return [p for p in found if p != os.getpid()]


def idle_share():
    """How much of the machine's CPUs nobody uses, over half a second."""
    def read():
        with open("/proc/stat") as f:
            n = [int(x) for x in f.readline().split()[1:9]]
        return sum(n), n[3] + n[4]
    a = read()
    time.sleep(0.5)
    b = read()
    return (b[1] - a[1]) / max(1, b[0] - a[0])


def describe(pids):
    """What these processes are, for whoever reads a failed test."""
    text = []
    for pid in pids:
        try:
            text.append(f"{pid}: {open(f'/proc/{pid}/cmdline').read()!r}")
            text += [line for line in open(f"/proc/{pid}/status").read().splitlines() if line.split(":")[0] in ("State", "PPid", "NSpid", "Uid")]
        except OSError as e:
            text.append(f"{pid}: {e}")
    return "\n".join(text)


def processes_of(program):
    """Pids that run this very file."""
    found = []
    for path in glob.glob("/proc/[0-9]*/exe"):
        try:
            if os.readlink(path) == program:
                found.append(int(path.split("/")[2]))
        except OSError:
            pass
    return found


if os.path.isdir("/etc/bawn"):
    skip_all("this host has an /etc/bawn of its own")
