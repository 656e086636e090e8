#!/usr/bin/python3
"""libbawn from programs built outside the tree, through pkg-config: host.c calls everything, as it is, with AddressSanitizer
and under valgrind; the examples of the manual and the README do what they say."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

HOST = os.path.join(ROOT, "tests/integration/host.c")
EXAMPLES = os.path.join(ROOT, "docs/examples")
STRICT = ["-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror"]
# Debian's valgrind has no pidfd_open: there, who does not notice that nobody wants it any more is waited for in a step.
STUCK = {False: ("silent", "full", "unstarted", "uncollected", "deaf"), True: ("silent", "full", "unstarted", "uncollected")}
SELF = "overrides:\n  minimum: self\n  acknowledge_risk: true\n"
w = World()


class Installed:
    """A build directory's library, installed somewhere else."""

    def __init__(self, build, name):
        self.top = os.path.join(w.dir, name)
        p = subprocess.run(["meson", "install", "--no-rebuild", "-C", build], env=dict(os.environ, DESTDIR=self.top), capture_output=True, text=True)
        self.good = p.returncode == 0
        self.said = p.stdout + p.stderr
        self.prefix = self.top + "/usr/local"
        self.pc = [os.path.dirname(f) for f in glob.glob(self.top + "/**/bawn.pc", recursive=True)]
        self.lib = [os.path.dirname(f) for f in glob.glob(self.top + "/**/libbawn.so", recursive=True)]

    def compile(self, source, *options):
        """The program, or None."""
        env = dict(os.environ, PKG_CONFIG_PATH=self.pc[0], PKG_CONFIG_SYSROOT_DIR=self.top)
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "bawn"], env=env, capture_output=True, text=True).stdout.split()
        program = os.path.join(self.top, os.path.basename(source) + ".program")
        p = subprocess.run(["gcc", *options, source, "-o", program, *flags, "-lpthread"], capture_output=True, text=True)
        diag(p.stderr)
        return program if p.returncode == 0 else None

    def run(self, world, *argv, **env):
        return subprocess.run(argv, env={**world.env, "LD_LIBRARY_PATH": self.lib[0], **env}, capture_output=True, text=True, timeout=1200, cwd=world.dir)


def host(inst, who, *before, flags=(), **env):
    """Runs host.c in a world of its own; each of its lines is a test here."""
    world = World()
    program = inst.compile(HOST, *STRICT, "-g", *flags)
    if not ok(program, f"{who}: a C11 program builds with pkg-config"):
        return False
    p = inst.run(world, *before, program, inst.prefix + "/libexec/bawn", world.config(security=SELF), stuck_launchers(world, *STUCK[bool(before)]), **env)
    lines = p.stdout.splitlines()
    for line in lines[:-1]:
        if line.startswith("#"):
            diag(line[2:])
        else:
            ok(line.startswith("ok - "), f"{who}: {line.split(' - ', 1)[-1]}")
    good = equal((p.returncode, lines[-1:], p.stderr), (0, ["end"], ""), f"{who}: it comes to its end, and the library prints nothing")
    equal(world.bawn("audit", "verify").code, 3, f"{who}: the log verifies")
    equal(world.bawn("status", "--json").json["system_status"], "operational", f"{who}: nothing is the worse for it")
    equal(sorted(r["exec"] for r in world.records("exec.lost")), sorted({r["exec"] for r in world.records("exec.intent")} - {r["exec"] for r in world.records("exec.outcome")}), f"{who}: every intent has its outcome, but for those that were freed")
    return good


release = Installed(BUILD, "release")
ok(release.good, "make install works below DESTDIR") or diag(release.said)
ok(len(release.pc) == 1 and all(os.path.exists(release.prefix + f) for f in ("/include/bawn/bawn.h", "/libexec/bawn/launch", "/bin/bawn")), "library, header, program and launcher are installed")
ok(all(glob.glob(release.prefix + "/share/man/" + f) for f in ("man1/bawn.1*", "man3/libbawn.3*")), "and the manuals")
host(release, "plain")

# The same program, watched: the library under valgrind, and the library that was built with sanitizers.
if shutil.which("valgrind"):
    # To a file: of Debian's valgrind itself we hear that it does not know pidfd_open.
    log = os.path.join(w.dir, "valgrind")
    host(release, "valgrind", "valgrind", "-q", "--log-file=" + log, "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite,possible") or diag(open(log).read()[-5000:])
else:
    skip("valgrind", "there is none: tools/setup test")
checked = os.path.join(os.path.dirname(BUILD), "build-asan")
if os.path.exists(checked + "/libbawn.so") and checked != BUILD:
    asan = Installed(checked, "asan")
    ok(asan.good, "the library with sanitizers is installed") or diag(asan.said)
    host(asan, "sanitizers", flags=["-fsanitize=address,undefined"], ASAN_OPTIONS="detect_leaks=1", UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1")
else:
    skip("sanitizers", "there is no build-asan")

# The examples, as they stand in the manual and the README.
manual = open(glob.glob(release.prefix + "/share/man/man3/libbawn.3")[0]).read()
for name, words, prints in [("run.c", ["print(6*7)"], "42\n"), ("step.c", ["print(6*7)"], "42\ncompleted\n"), ("step.c", ["while True: pass"], "cancelled\n")]:
    program = release.compile(os.path.join(EXAMPLES, name), *STRICT)
    p = release.run(World(), program or "false", *words)
    equal((p.returncode, p.stdout, p.stderr), (0, prints, ""), f"the example {name} of the manual builds, and runs {words[0]!r}")
    text = open(os.path.join(EXAMPLES, name)).read()
    ok(text.replace("\\", "\\e").replace("-", "\\-").replace("\t", "    ") in manual, f"{name} stands in the manual")
    ok(os.path.exists(release.prefix + "/share/doc/bawn/examples/" + name), f"{name} is installed")
text = open(os.path.join(ROOT, "README.md")).read()
example = text[text.index("```c\n") + 5:]
src = w.file("readme.c", "#include <bawn/bawn.h>\n#include <stdio.h>\nint main(void)\n{\n" + example[:example.index("```")] + "return 0;\n}\n")
program = release.compile(src, *STRICT)
ok(program, "the example of the README builds")
p = release.run(w, program or "false")
equal((p.returncode, json.loads(p.stdout or "{}").get("stdout")), (0, "42\n"), "and runs") or diag(p.stderr)
done()
