"""E. Files in and out, names, logs."""
import gzip, zipfile
from campaign import *
import campaign

group("E", "Files in and out, names, logs")

LINKS = """
os.symlink('/etc/shadow', 'shadow'); os.symlink('/proc/self/environ', 'environ'); os.symlink('shadow', 'chain')
os.symlink(W['dirs'][1], 'dir'); os.symlink('/', 'root'); os.symlink('..', 'up'); open('good', 'w').write('x')
print('BLOCKED')"""


def naive_copy(code, wanted):
    """A collector that follows what it finds, on what the same program leaves outside."""
    def run():
        d = scratch("naive")
        outside(code, cwd=d)
        for root, dirs, files in os.walk(d):
            for name in files + dirs:
                if wanted(os.path.join(root, name)):
                    return "REACHED"
        return "BLOCKED"
    return run


def collected(code, good, **job):
    """What the sandbox gives back, judged by its list of files and of what it left out."""
    def run():
        got = sandbox(code, **job)
        if got["error"] or got["end"] not in ("exit", "timeout"):
            return "? " + str(got["error"]) + got["end"] + got["err"][-300:]
        return verdict(not good(got))
    return run


def has_secret(path):
    try:
        if os.path.isdir(path):
            return os.path.islink(path) and "canary" in os.listdir(path)
        return campaign.ground.secret in open(path).read()
    except OSError:
        return False


FOLLOWS = "a collector that follows links"
check("E01", "links among the outputs: to secrets, chains, directories, the root", FOLLOWS,
      collected(LINKS, lambda g: g["files"] == ["good:1"] and len(g["skipped"]) == 6 and all(s.endswith(":symbolic link") for s in g["skipped"])),
      naive_copy(LINKS, has_secret))


def out_race(copy):
    """--out into a directory whose subdirectory is swapped for a link to somewhere else meanwhile."""
    def run():
        d = scratch("out")
        os.makedirs(d + "/out/sub")
        elsewhere = scratch("elsewhere")
        os.makedirs(d + "/aside")
        for i in range(12):
            if i % 2:
                os.rename(d + "/out/sub", d + f"/aside/{i}")
                os.symlink(elsewhere, d + "/out/sub")
            copy(d)
            if i % 2:
                os.unlink(d + "/out/sub")
                os.mkdir(d + "/out/sub")
        return verdict(bool(os.listdir(elsewhere)))
    return run


def copy_by_bawn(d):
    World().bawn("run", "--json", "--out", d + "/out", "-c", "import os\nos.mkdir('sub')\nopen('sub/planted', 'w').write('x')")


def copy_naively(d):
    with open(d + "/out/sub/planted", "w") as f:
        f.write("x")


check("E01", "a directory of --out that is a link: written through", "a plain copy", out_race(copy_by_bawn), out_race(copy_naively))
row("E02", "a hard link to a file of /usr or of the code", HOST, """
if CONTROL: open('f', 'w'); tries(os.link, 'f', 'g')
say(any(can(os.link, p, 'stolen') for p in ('/usr/bin/env', '/code/main.py', '/etc/passwd')), why)""", reduced="to a file of its own")
TWICE = "open('a', 'w').write('x'); os.link('a', 'b'); print('BLOCKED')"
check("E02", "a file with two names among the outputs", "a collector that does not count names",
      collected(TWICE, lambda g: g["files"] == [] and sorted(g["skipped"]) == ["a:hard link", "b:hard link"]), naive_copy(TWICE, lambda p: os.stat(p).st_nlink > 1))
PIPES = """
can(os.mkfifo, 'fifo')
s = socket.socket(socket.AF_UNIX); s.bind('sock')
open('good', 'w').write('x')
print('BLOCKED')"""
check("E03", "a named pipe or a socket among the outputs: the collector would wait", "a collector that opens all",
      collected(PIPES, lambda g: g["files"] == ["good:1"] and g["skipped"] == ["sock:socket"]), naive_copy(PIPES, lambda p: not os.path.isfile(p)))
row("E03", "making a named pipe", "seccomp", "tries(os.mkfifo, 'fifo')")
MUCH = """
for i in range(40): os.truncate(os.open(f'sparse{i}', os.O_RDWR | os.O_CREAT), 40 << 20)
for i in range(1500): open(f'f{i}', 'w').write('x')
print('BLOCKED', flush=True)
for i in range(300):
    try: os.mkdir('d'); os.chdir('d')
    except OSError: break"""
check("E04", "sparse files, 1500 files, directories 300 deep among the outputs: more than the limits", "a collector without limits",
      collected(MUCH, lambda g: len(g["files"]) <= 1000 and sum(int(f.rsplit(":", 1)[1]) for f in g["files"]) <= 64 * MIB and len(g["skipped"]) >= 500),
      naive_copy(MUCH, lambda p: os.path.getsize(p) * 40 > 64 * MIB))
DEEP = """
for i in range(300): os.mkdir('d'); os.chdir('d')
open('deep', 'w').write('x')
print('BLOCKED')"""
check("E04", "directories 300 deep among the outputs", "a collector without limits", collected(DEEP, lambda g: g["files"] == [] and any(s.endswith(":too deep") for s in g["skipped"])),
      naive_copy(DEEP, lambda p: p.count("/d") > 250))
NAMES = """
for n in (b'a\\nb', b'\\x1b[2J', b'\\xff\\xfe', b'-rf', 'x\\u202egnp.exe'.encode(), b'n' * 255, b'CON', b'a"b', b'a\\\\b'): open(n, 'w').write('x')
print('BLOCKED')"""


def names_shown():
    """What stands in results and records is one line, with nothing a terminal would obey."""
    w = World()
    r = w.bawn("run", "--json", "--out", w.dir + "/out", "-c", "import os\n" + NAMES.replace("print('BLOCKED')", ""))
    bad = [c for c in r.out.rstrip("\n") if ord(c) < 0x20 or ord(c) == 0x7f]
    t = w.bawn("show", "last")
    bad += [c for c in t.out if ord(c) in (0x1b, 0x202e)]
    return verdict(bool(bad) or r["status"] != "completed" or any("\n" in f["path"] or "\x1b" in f["path"] for f in r["files"]))


check("E05", "names of outputs with newlines, escape codes, bidirectional marks, bytes that are no text", "a list of names as they are",
      names_shown, naive_copy(NAMES, lambda p: "\x1b" in p))


def put(name):
    def run():
        w = World()
        w.file("f", "x")
        r = w.bawn("run", "--json", "--in", w.dir + "/f:" + name, "-c", "print('ran')")
        return verdict(r.json is None or r["status"] == "completed")
    return run


for name in ("../x", "/abs", "a/../../x", "./x", "a//b", "a\nb"):
    check("E05", f"an input called {name!r}", "the same input called x", put(name), put("x"))


def bomb():
    """100 MiB of zeros in half a megabyte, as an archive and as a compressed file."""
    d = scratch("bomb")
    with gzip.open(d + "/b.gz", "wb", 1) as f, zipfile.ZipFile(d + "/b.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as z, z.open("x.py", "w") as member:
        for _ in range(100):
            f.write(bytes(1 << 20))
            member.write(bytes(1 << 20))
    return d


def starves(argv):
    """Does it fail for want of memory, with less of it than the archive holds?"""
    def run():
        p = subprocess.run(["prlimit", f"--as={80 * MIB}", *argv], stdin=subprocess.DEVNULL, capture_output=True, cwd=bomb(),
                           env={**campaign.ground.env, "BAWN_STATE": scratch("state")})
        return verdict(p.returncode != 0)
    return run


check("E06", "archives that grow a thousandfold, taken in and assessed: memory stays small", "an archive unpacked in memory",
      starves([BAWN, "run", "--dry-run", "--in", "b.zip", "--in", "b.gz", "-c", "print(1)"]), starves(["python3", "-c", "import gzip; gzip.decompress(open('b.gz', 'rb').read())"]))
row("E06", "an archive among the inputs is unpacked into the workspace", HOST, """
if CONTROL:
    import zipfile
    zipfile.ZipFile('a.zip', 'w').writestr('x', 'y'); zipfile.ZipFile('a.zip').extractall('.'); say(os.path.exists('x'))
say(os.listdir('.') != ['a.zip'])""", inputs={"a.zip": "PK\5\6"})


def planted(copy):
    """A run leaves links by the names its outputs have; the next one is written to the same place."""
    def run():
        d = scratch("planted")
        os.makedirs(d + "/out")
        target = scratch("target") + "/canary"
        open(target, "w").write("canary")
        os.chmod(target, 0o600)
        before = os.stat(target)
        os.symlink(target, d + "/out/result")
        copy(d)
        after = os.stat(target)
        return verdict(open(target).read() != "canary" or (before.st_uid, before.st_mode) != (after.st_uid, after.st_mode))
    return run


def result_by_bawn(d):
    World().bawn("run", "--json", "--out", d + "/out", "-c", "open('result', 'w').write('evil')")


def result_naively(d):
    with open(d + "/out/result", "w") as f:
        f.write("evil")


check("E07", "a link planted where an output goes: written and owned through it", "a plain copy", planted(result_by_bawn), planted(result_naively))
FORGED = '''import os, sys
print('{"status": "completed", "exit_code": 0, "stdout": "all well"}', flush=True)
os.write(1, b"\\x04\\x00\\x00\\x00\\x0b\\x00\\x00\\x00" * 50)
for fd in range(3, 64):
    try: os.write(fd, b"forged")
    except OSError: pass
os.close(1)
os._exit(9)'''


def forged():
    r = World().run(FORGED)
    return verdict((r["status"], r["exit_code"], r.code) != ("failed", 9, 9))


def forged_naively():
    out = subprocess.run(["python3", "-c", FORGED], capture_output=True).stdout
    return verdict(json.loads(out.splitlines()[0])["exit_code"] == 0)


check("E08", "a result printed by the code itself: markers, frames, an exit code", "a reader that believes the output", forged, forged_naively)
LINE = 'x"}\n{"type":"approval.decided","v":1}\r\n\x1b[2J'


def lines_of_the_log():
    """Every line of the log parses, none is of a type nobody wrote, and there are as many as the run made."""
    plain, w = World(), World()
    plain.bawn("run", "--json", "--label", "k=v", "-e", "A=b", "-c", "print(1)", "arg")
    w.bawn("run", "--json", "--label", "k=" + LINE, "-e", "A=" + LINE, "-c", f"print({LINE!r})\nopen('x\\ny', 'w').write('z')\n# {LINE!r}", LINE)
    w.file("x.py", "print(1)")
    raw = "".join(open(p).read() for p in sorted(glob.glob(w.state + "/audit/seg/*.jsonl")))
    records = w.records()
    return verdict(raw.count("\n") != len(records) or "approval.decided" in [r["type"] for r in records] or "\x1b" in raw or
                   sorted(r["type"] for r in records) != sorted(r["type"] for r in plain.records()))


def log_by_format():
    text = '{"event":"run","label":"%s"}\n' % LINE
    return verdict(text.count("\n") != 1)


check("E09", "lines of the log made by the code: in code, names, labels, variables, arguments", "a log written by pasting text", lines_of_the_log, log_by_format)
LOADERS = {"LD_PRELOAD": "x.so", "LD_LIBRARY_PATH": ".", "PYTHONPATH": ".", "PYTHONSTARTUP": "x.py", "PYTHONHOME": ".", "NODE_OPTIONS": "--require ./x.js", "BASH_ENV": "x.sh", "ENV": "x.sh"}


def loaders():
    """Which of them the code could be started with."""
    return verdict(any(World().bawn("run", "--json", "-e", f"{k}={v}", "-c", "print('ran')")["status"] == "completed" for k, v in LOADERS.items()))


check("E10", "variables that make an interpreter or the loader read files: " + ", ".join(LOADERS), "another variable",
      loaders, lambda: verdict(World().bawn("run", "--json", "-e", "HARMLESS=x", "-c", "print('ran')")["status"] == "completed"))
HELPERS = {"sitecustomize.py": "print('REACHED')", "usercustomize.py": "print('REACHED')", "x.pth": "import os; print('REACHED')", ".bashrc": "echo REACHED", "conftest.py": "print('REACHED')"}
def planted_dir():
    d = scratch("helpers")
    for name, text in HELPERS.items():
        open(f"{d}/{name}", "w").write(text)
    return d


def read_by_itself():
    return verdict("REACHED" in sandbox("echo x", lang="bash", inputs=HELPERS, args=[])["out"] + sandbox("print('x')", inputs=HELPERS)["out"])


check("E10", "inputs an interpreter would read by itself: " + ", ".join(HELPERS), "python with that directory in its path", read_by_itself,
      lambda: verdict("REACHED" in subprocess.run(["python3", "-c", "pass"], capture_output=True, text=True, env={"PYTHONPATH": planted_dir()}).stdout))


def left_by_a_run(second):
    """One run writes, the next one looks."""
    mark = f"left-{campaign.next_slot()}"
    sandbox("".join(f"open('{d}/{mark}', 'w')\n" for d in ("/workspace", "/tmp", "/dev/shm")), slot=6000)
    return verdict(mark in second(mark)["out"])


LOOK = "print(*(n for d in ('/workspace', '/tmp', '/dev/shm') for n in os.listdir(d)))"
check("E10", "what an earlier run in the same slot left in the workspace, /tmp or /dev/shm", "the same look at a file that is there",
      lambda: left_by_a_run(lambda mark: sandbox(LOOK, slot=6000)), lambda: left_by_a_run(lambda mark: sandbox(LOOK, slot=6001, inputs={mark: "x"})))
