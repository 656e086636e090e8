#!/usr/bin/python3
"""Installing and removing: by meson below DESTDIR, and as Debian packages on this very machine: built from a copy of the tree,
installed, used as root and as somebody else, purged.  Nothing is left, whatever happens."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from bawntest import *

PACKAGES = ["bawn", "libbawn0", "libbawn-dev", "python3-bawn"]
RUN = "print(6*7)"
w = World()
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that atexit is heard


def command(*words, env=None, cwd=None, timeout=1800):
    p = subprocess.run(words, env={**w.env, **(env or {})}, cwd=cwd or w.dir, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout)
    return Result(p.returncode, p.stdout, p.stderr)


def files(top):
    return sorted(os.path.join(d, f) for d, dirs, names in os.walk(top) for f in dirs + names)


# --- make install, make uninstall -----------------------------------------------------------------
inst = os.path.join(w.dir, "inst")
os.makedirs(inst + "/usr/local/bin")
with open(inst + "/usr/local/bin/other", "w") as f:
    f.write("not ours")
before = files(inst)
r = command("meson", "install", "--no-rebuild", "-C", BUILD, env={"DESTDIR": inst})
ok(r.code == 0 and len(files(inst)) > len(before) + 20, "installed below DESTDIR") or r.show()
package = glob.glob(inst + "/usr/local/lib/python3*/dist-packages")[0]
r = command("/usr/bin/python3", "-c", f"import bawn; print(bawn.run({RUN!r}).stdout, bawn.__file__)", env={"PYTHONPATH": package, "PYTHONDONTWRITEBYTECODE": ""})
ok(r.out.startswith("42\n") and inst in r.out and os.path.isdir(package + "/bawn/__pycache__"), "used, also by Python, which leaves compiled files") or r.show()
r = command(os.path.join(ROOT, "tools/uninstall"), BUILD, env={"DESTDIR": inst})
ok(r.code == 0, "uninstalled") or r.show()
equal(files(inst), before, "nothing is left but what was there before")

# --- Debian packages ------------------------------------------------------------------------------
def why_not():
    if not is_root():
        return "installing packages needs root"
    if not (shutil.which("dpkg-buildpackage") and shutil.which("dh")):
        return "there is no debhelper: tools/setup test"
    have = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Package}\n", *PACKAGES], capture_output=True, text=True).stdout
    return "bawn is installed on this host" if [x for x in have.splitlines() if not x.startswith("un")] else None


def apt(*words):
    return command("apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=600", "-o", "Dpkg::Use-Pty=0", "-o", "APT::Sandbox::User=root", *words, env={"DEBIAN_FRONTEND": "noninteractive"})


def purge():
    return apt("purge", *PACKAGES)


def traces():
    """What has our name, where packages put things."""
    found = []
    for top in ("/usr", "/etc", "/lib", "/var/lib", "/var/cache"):
        found += [p for p in subprocess.run(["find", top, "-iname", "*bawn*"], capture_output=True, text=True).stdout.splitlines()]
    return sorted(p for p in found if not p.startswith("/var/lib/docker"))


reason = why_not()
if reason:
    skip("Debian packages", reason)
    done()
tree = os.path.join(w.dir, "tree")
shutil.copytree(ROOT, tree, symlinks=True, ignore=lambda d, names: [n for n in names if n in ("node_modules", "__pycache__", ".git") or (d == ROOT and n.startswith("build"))])
os.symlink(os.path.join(ROOT, "node_modules"), os.path.join(tree, "node_modules"))
r = command("dpkg-buildpackage", "-b", "-us", "-uc", cwd=tree, env={"DEB_BUILD_OPTIONS": f"parallel={os.cpu_count()} noautodbgsym", "no_proxy": "*", "https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"})
ok(r.code == 0, "dpkg-buildpackage builds them, without a network") or diag((r.out + r.err)[-4000:])
debs = sorted(glob.glob(w.dir + "/*.deb"))
equal([os.path.basename(d).split("_")[0] for d in debs], sorted(PACKAGES), "four packages")
for name in ("bawn", "libexec/bawn/launch"):
    r = command(os.path.join(ROOT, "tools/check-hardening"), glob.glob(tree + "/obj-*/")[0] + name)
    ok(r.code == 0, f"{name} is hardened as ours is") or r.show()

was = traces()
atexit.register(purge)
r = apt("install", "--no-install-recommends", *debs)
if not ok(r.code == 0, "installed"):
    r.show()
    done()
owned = [f for p in PACKAGES for f in command("dpkg", "-L", p).out.splitlines() if os.path.isfile(f)]
leaks = [f for f in owned if tree.encode() in open(f, "rb").read()]
equal(leaks, [], "no file names the directory it was built in")
equal([f for f in owned if f.startswith("/etc/")], [], "nothing in /etc")
r = command("bawn", "run", "--json", "-c", RUN)
equal((r.code, (r.json or {}).get("stdout")), (0, "42\n"), "bawn run") or r.show()
r = command("bawn", "doctor", "--json")
equal(((r.json or {}).get("usable"), (r.json or {}).get("launcher")), (True, "/usr/libexec/bawn/launch"), "bawn doctor finds its own launcher, and every wall") or r.show()
for code, lang in (("echo $((6*7))", "bash"), ("console.log(6*7)", "javascript")):
    equal((command("bawn", "run", "--json", "--lang", lang, "-c", code).json or {}).get("stdout"), "42\n", f"bawn run of {lang}")
user = World(user=os.environ.get("BAWN_TEST_USER", "nobody"), base="/tmp")
user.program = "/usr/bin/bawn"
r = user.bawn("run", "--json", "-c", RUN)
equal((r.code, (r.json or {}).get("stdout")), (0, "42\n"), "bawn run as somebody else") or r.show()
r = command("/usr/bin/python3", "-c", f"import bawn; from bawn import _lib; print(bawn.run({RUN!r}).stdout, bawn.__file__, _lib.library().path)")
out = r.out.split()
ok(out[:2] == ["42", "/usr/lib/python3/dist-packages/bawn/__init__.py"] and out[2].startswith("/usr/lib/"), "import bawn, over the packaged library") or r.show()
r = command("bawn", "mcp")
equal((r.code, r.out), (0, ""), "bawn mcp ends with its input")
shell = ". /usr/share/bash-completion/completions/bawn; for words in 'bawn au' 'bawn audit ver' 'bawn run --net' 'bawn run --network '; do COMP_WORDS=($words); [ \"${words% }\" = \"$words\" ] || COMP_WORDS+=(''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _bawn; echo \"${COMPREPLY[@]}\"; done"
equal(command("bash", "-c", shell).out.split("\n")[:4], ["audit", "verify", "--network", "none dependencies"], "the completion completes")
for section, page, title in (("1", "bawn", "BAWN(1)"), ("3", "libbawn", "LIBBAWN(3)")):
    if not glob.glob(f"/usr/share/man/man{section}/{page}.*"):
        skip(f"man {page}", "this host's dpkg leaves out manuals")
        continue
    r = command("man", section, page, env={"MANPAGER": "cat", "MANWIDTH": "100"})
    ok(r.code == 0 and r.out.lstrip().startswith(title), f"man {section} {page}") or r.show()
flags = command("pkg-config", "--cflags", "--libs", "bawn").out.split()
r = command("gcc", "-std=c11", "-Wall", "-Werror", os.path.join(ROOT, "docs/examples/run.c"), "-o", w.dir + "/run", *flags)
ok(r.code == 0 and "-lbawn" in flags, "an example builds with pkg-config") or r.show()
equal(command(w.dir + "/run", RUN).out, "42\n", "and runs")
profile = "/usr/share/bawn/apparmor/bawn-launch"
ok("profile bawn-launch /usr/libexec/bawn/launch " in open(profile).read(), "the AppArmor profile names the launcher where it is")

r = purge()
ok(r.code == 0, "purged") or r.show()
equal(traces(), was, "nothing is left on this machine")
ok(shutil.which("bawn", path="/usr/bin") is None and command("/usr/bin/python3", "-c", "import bawn").code == 1, "the command and the module are gone")
r = w.bawn("audit", "verify")
ok(r.code == 3, "the log is its owner's: it is still there, and verifies") or r.show()
done()
