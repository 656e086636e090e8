"""The campaign: rows of attempts, each made twice, with the walls and as a positive control.

    row(id, title, control, code)      a program; it prints REACHED only when it really got what it wanted
    check(id, title, how, walls, control)   for what is no program: two functions that give a verdict

A control is the same attempt with the named wall away: "seccomp landlock" leaves these layers out (the
launcher built for tests), HOST runs the program outside, as root in namespaces thrown away afterwards.
Verdicts: BLOCKED, REACHED, and ABSENT-IN-KERNEL, where the control found that this kernel lacks the thing."""
import atexit, contextlib, glob, hashlib, itertools, json, os, shutil, socket, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "integration"))
from bawntest import *

SANDBOX, SWEEP = BUILD + "/tests/escape/sandbox", BUILD + "/tests/escape/sweep"
LAUNCH = BUILD + "/libexec/bawn/launch"
MIB = 1 << 20
# Real root on the host's uids, without the filters: what the other walls hold back.
AS_ROOT = "seccomp landlock userns uid no_caps no_new_privs"
HOST = "outside, as root, in namespaces of its own"
PRELUDE = open(HERE + "/inside.py").read()
ABSENT = "ABSENT-IN-KERNEL"
GROUPS = {}  # letter -> title, in order
rows = []
limits = []


class Row:
    def __init__(self, id, title, how, walls, control):
        self.id, self.title, self.how, self.attempt, self.control = id, title, how, walls, control
        self.verdict = self.without = None  # with the walls, and of the control


def group(letter, title):
    GROUPS[letter] = title


def check(id, title, how, walls, control):
    rows.append(Row(id, title, how, walls, control))


def row(id, title, control, code, denial=None, reduced=None, judge=None, weaker=None, **job):
    """denial: the call that must be reported.  reduced: what the control does instead of the dangerous thing.
    judge(result): a verdict from how the run ended.  weaker: limits that the control raises instead."""
    judge = judge or spoken
    def walls():
        got = sandbox(code, **job)
        verdict = judge(got)
        if verdict == "BLOCKED" and denial and denial not in got["denials"]:
            return f"? no denial of {denial} was reported: {got['denials']}"
        return verdict
    def without():
        if control == HOST:
            return judge(outside(code))
        if weaker:
            return judge(sandbox(code, mode="control", **{**job, **weaker}))
        return judge(sandbox(code, mode="control", without=control, **job))
    how = control if control == HOST or weaker else in_words(control)
    rows.append(Row(id, title, how + (f"; {reduced}" if reduced else ""), walls, without))


def in_words(layers):
    rest = layers.replace(AS_ROOT, "").split()
    return ", ".join((["as root"] if AS_ROOT in layers else []) + (["without " + ", ".join(rest)] if rest else []))


def limit(title, code):
    """Something that is known to work from inside, and said to."""
    limits.append((title, code))


def spoken(got):
    """The verdict a program printed, or the filter's: it ended the program."""
    word = got["out"].split(" ")[0].strip()
    if got["error"] is None and got["end"] == "signal" and got["signal"] == 31:
        return "BLOCKED"
    if got["error"] is None and word in ("BLOCKED", "REACHED", "ABSENT"):
        return word
    return "? " + json.dumps({k: str(got[k])[:600] for k in ("error", "end", "signal", "exit_code", "out", "err") if k in got})


def ends_by(*ends):
    """Blocked when the run was ended like this; a program that got through says REACHED."""
    return lambda got: "BLOCKED" if got["end"] in ends and "REACHED" not in got["out"] else spoken(got)


# --- running ---

class Ground:
    """Where the campaign takes place: canaries on the host, listeners to miss, a secret in the environment."""

    def __init__(self):
        self.secret = os.urandom(16).hex()
        self.dirs = [tempfile.mkdtemp(prefix="bawn-canary-", dir=d) for d in ("/tmp", "/var/tmp", "/dev/shm", "/run")]
        for d in self.dirs:
            atexit.register(shutil.rmtree, d, True)
            os.chmod(d, 0o755)
            with open(d + "/canary", "w") as f:
                f.write("canary " + self.secret)
            os.symlink("canary", d + "/link")
        self.scratch = tempfile.mkdtemp(prefix="bawn-escape-", dir="/tmp")
        atexit.register(shutil.rmtree, self.scratch, True)
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.abstract = socket.socket(socket.AF_UNIX)
        self.name = "bawn-canary-" + self.secret[:8]
        self.abstract.bind("\0" + self.name)
        self.abstract.listen(64)
        self.unix = socket.socket(socket.AF_UNIX)
        self.unix.bind(self.dirs[1] + "/socket")
        os.chmod(self.dirs[1] + "/socket", 0o777)
        self.unix.listen(64)
        with open("/proc/filesystems") as f:
            kinds = [line.split()[-1] for line in f if line.startswith("nodev")]
        self.world = {"ipc": os.readlink("/proc/self/ns/ipc"), "port": self.tcp.getsockname()[1], "name": self.name,
                      "terces": self.secret[::-1], "dirs": self.dirs,
                      "slow": os.environ.get("BAWN_TEST_EMULATED") == "1",  # where 20000 directories of /usr take minutes
                      "filesystems": [k for k in kinds if not k.startswith(("cgroup", "fuse", "nfs"))]}
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
                    "BAWN_CANARY": "env-" + self.secret}


_numbers = itertools.count()


def next_slot():
    return next(_numbers) % 400


def scratch(name):
    """A new directory below the campaign's."""
    path = f"{ground.scratch}/{next(_numbers)}-{name}"
    os.mkdir(path)
    return path


def program(code, lang):
    d = scratch("program")
    path = d + "/code"
    with open(path, "w") as f:
        f.write(PRELUDE + code + "\n" if lang == "python" else code + "\n")
    return path


def wrap(argv, inside):
    """Runs argv after shell commands in a mount and PID namespace of its own."""
    return ["unshare", "--mount", "--pid", "--fork", "--propagation", "private", "sh", "-ec", inside + '\nexec "$@"', "sh", *argv] if inside else argv


def sandbox(code, mode="walls", without="", lang="python", args=None, inputs=None, limits=None, setup=None, fds=(), **options):
    """The program in a sandbox; `setup` is shell text that prepares the host's side, in a namespace."""
    argv = [SANDBOX, "--lang", lang]
    argv += ["--without", without.replace(" ", ",")] if without else []
    argv += [f"--{k}={v}" for k, v in options.items()]
    argv += [f"--limit={k}={v}" for k, v in {"timeout_ms": 100000, **(limits or {})}.items()]  # time enough for a busy, slow machine
    for name, text in (inputs or {}).items():
        path = scratch("input") + "/input"
        with open(path, "w") as f:
            f.write(text)
        argv.append(f"--in={name}={path}")
    argv += [program(code, lang)] + ([mode, json.dumps(ground.world)] if args is None else args)
    p = subprocess.run(wrap(argv, setup), stdin=subprocess.DEVNULL, capture_output=True, env=ground.env, cwd=ground.scratch, pass_fds=fds, timeout=400)
    try:
        return json.loads(p.stdout)
    except ValueError:
        return {"error": f"exit {p.returncode}: {p.stdout[-500:]} {p.stderr[-500:]}", "end": "none", "signal": 0, "out": "", "err": "", "denials": []}


def outside(code, lang="python", fds=(), stdin=None, cwd=None):
    """The same program on the host: root, in mount, PID, network, IPC and UTS namespaces that end with it."""
    interpreter = {"python": ["python3", "-s", "-u"], "bash": ["bash", "--norc"], "javascript": ["node"]}[lang]
    argv = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--net", "--ipc", "--uts", "--cgroup", "--propagation", "private",
            *interpreter, program(code, lang), "control", json.dumps(ground.world)]
    p = subprocess.run(argv, stdin=stdin or subprocess.DEVNULL, capture_output=True, env=ground.env, cwd=cwd or scratch("outside"), pass_fds=fds,
                       timeout=120, start_new_session=True)
    return {"error": None, "end": "signal" if p.returncode < 0 else "exit", "signal": -p.returncode if p.returncode < 0 else 0, "exit_code": p.returncode,
            "out": p.stdout.decode("utf-8", "replace"), "err": p.stderr.decode("utf-8", "replace"), "denials": [], "files": [], "skipped": [], "max_pids": 0}


def verdict(reached):
    return "REACHED" if reached else "BLOCKED"


# --- the campaign ---

def attempt(r):
    """Both halves of a row; the third verdict is the control's to give."""
    def safe(f):
        try:
            return f()
        except Exception as e:
            return f"? {type(e).__name__}: {e}"
    r.verdict, r.without = safe(r.attempt), safe(r.control)
    if r.verdict == "BLOCKED" and r.without == "ABSENT":
        r.verdict = r.without = ABSENT
    return r


def run_all(selected, jobs=2):
    with ThreadPoolExecutor(jobs) as pool:
        for r in pool.map(attempt, selected):
            if r.verdict == ABSENT:
                skip(f"{r.id} {r.title}", "absent in kernel")
            elif not ok(r.verdict == "BLOCKED" and r.without == "REACHED", f"{r.id} {r.title}: {r.verdict.split(' ')[0]}, control {r.without.split(' ')[0]}"):
                diag(f"walls: {r.verdict}")
                diag(f"control ({r.how}): {r.without}")


def run_limits():
    for title, code in limits:
        equal(spoken(sandbox(code)), "REACHED", f"a known limit is still one: {title}")


# --- the document ---

HEAD = """# Security results
Every entry of the escape checklist as a small program, tried twice: with all walls, and as a *positive control*, with the named
wall away. Only if the control reaches its aim does the refusal prove anything. `make security-results` runs the campaign
(`tests/escape/escape.t`) and writes this file; the tests fail if it is no longer what the campaign finds. This is the native backend;
what the same programs find in a container is in [a table of its own](SECURITY-RESULTS-docker.md).

- **BLOCKED**: refused with the walls, reached by the control.
- **REACHED**: a hole.
- **ABSENT-IN-KERNEL**: the kernel on which this file was made lacks the thing, so nothing was proved; on others the row decides anew.

Controls: *without x, y* leaves these layers out (a launcher built for tests, never installed); *as root* leaves out {as_root}. Others
say what they do. Where the real thing would harm the host, the control does less, and says so after the
semicolon.
"""


def as_document():
    text = HEAD.format(as_root=AS_ROOT.replace(" ", ", "))
    count = lambda v: sum(r.verdict == v for r in rows)
    text += f"\n{len(rows)} attempts for {len({r.id for r in rows})} entries: {count('BLOCKED')} BLOCKED, {count('REACHED')} REACHED, {count(ABSENT)} ABSENT-IN-KERNEL.\n"
    for letter, title in GROUPS.items():
        text += f"\n## {letter}. {title}\n| entry | attempt | verdict | control |\n|---|---|---|---|\n"
        for r in sorted((r for r in rows if r.id[0] == letter), key=lambda r: r.id):
            text += f"| {r.id} | {cell(r.title)} | {r.verdict.split(' ')[0]} | {cell(r.how)} |\n"
    text += "\n## Known limits\nThese work from inside, and are said to in [the threat model](THREAT-MODEL.md):\n"
    return text + "".join(f"- {title}\n" for title, _ in limits)


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def comparable(text):
    """What does not depend on the kernel it was made on."""
    return [line.replace(ABSENT, "BLOCKED") for line in text.splitlines() if line.startswith(("|", "#", "- "))]


# --- the host ---

def lstat_of(path):
    st = os.lstat(path)
    return st.st_mode, st.st_uid, st.st_gid, st.st_nlink, st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_ino


def tree(top):
    found = {}
    for d, dirs, files in os.walk(top):
        dirs[:] = [n for n in dirs if n != "__pycache__"]
        for n in dirs + files:
            path = os.path.join(d, n)
            with contextlib.suppress(FileNotFoundError):
                found[path] = lstat_of(path)
    return found


def content(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


def canaries():
    return {"canary " + d: (tree(d), content(d + "/canary"), lstat_of(d)) for d in ground.dirs}


def host_state():
    """What must be the same afterwards: canaries, /etc, /usr, programs by content, mounts, settings of the kernel."""
    programs = [BAWN, LAUNCH, "/bin/bash", "/bin/sh", sys.executable, "/usr/bin/env", *glob.glob("/usr/bin/node"), *glob.glob("/lib/x86_64-linux-gnu/libc.so.6")]
    settings = ("kernel/core_pattern", "kernel/modprobe", "kernel/hostname", "kernel/randomize_va_space", "net/ipv4/ip_forward", "vm/overcommit_memory")
    state = canaries()
    state |= {"content of " + p: content(p) for p in programs}
    state |= {"setting " + s: open("/proc/sys/" + s).read() for s in settings if os.path.exists("/proc/sys/" + s)}
    state |= {"tree " + d: tree(d) for d in ("/etc", "/usr")}
    state["environment"] = os.environ.copy()
    state["mounts"] = open("/proc/self/mountinfo").read()
    return state


def differences(before, after):
    found = []
    for key in before.keys() | after.keys():
        a, b = before.get(key), after.get(key)
        if a != b:
            both = isinstance(a, dict) and isinstance(b, dict)
            found.append(key + (": " + " ".join(sorted(k for k in a.keys() | b.keys() if a.get(k) != b.get(k))[:5]) if both else ""))
    return found


ground = None


def begin():
    global ground
    ground = Ground()
    return ground
