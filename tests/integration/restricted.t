#!/usr/bin/python3
"""Hosts that forbid a wall: nothing runs, the error says enforcement_missing, and the doctor names the fix."""
import ctypes, errno, os, struct, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

if os.uname().machine != "x86_64":
    skip_all("system call numbers of x86-64")
libc = ctypes.CDLL(None, use_errno=True)
NEWNS, NEWUSER, PRIVATE = 0x00020000, 0x10000000, 0x40000 | 0x4000
user = os.environ.get("BAWN_TEST_USER", "nobody")
worlds = {"root": World(), user: World(user=user, base="/tmp")} if is_root() else {"this user": World()}


def need(r):
    if r < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def filtered(calls):
    """A system call filter as a container's runtime sets one: {number: errno}."""
    code = [(0x20, 0, 0, 0)] + [x for nr, e in calls.items() for x in ((0x15, 0, 1, nr), (0x06, 0, 0, 0x00050000 | e))] + [(0x06, 0, 0, 0x7fff0000)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in code))
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code), ctypes.addressof(program)))

    def enter(keep=program):  # the kernel reads it through `head`
        need(libc.prctl(38, 1, 0, 0, 0))
        need(libc.syscall(317, 1, 0, head))
    return enter


def spaces(limit, ids=4294967295):
    """A user namespace with everybody in it, or so many, where so many more may be made; the host's own limit stays."""
    def enter():
        me, (r, w) = os.getpid(), os.pipe()
        pid = os.fork()
        if pid == 0:
            os.read(r, 1)
            for kind in ("uid", "gid"):
                with open(f"/proc/{me}/{kind}_map", "w") as f:
                    f.write(f"0 0 {ids}")
            os._exit(0)
        need(libc.unshare(NEWUSER | NEWNS))
        os.write(w, b"x")
        assert os.waitpid(pid, 0)[1] == 0 and open("/proc/self/uid_map").read().split() == ["0", "0", str(ids)]
        with open("/proc/sys/user/max_user_namespaces", "w") as f:
            f.write(str(limit))
    return enter


def covered(path, **files):
    """An empty directory, or these files, over a directory of the host's, in a mount namespace of our own."""
    def enter():
        need(libc.unshare(NEWNS))
        need(libc.mount(None, b"/", None, PRIVATE, None))
        need(libc.mount(b"none", path.encode(), b"tmpfs", 0, None))
        for name, text in files.items():
            with open(os.path.join(path, name), "w") as f:
                f.write(text)
    return enter


def capable(keep):
    """Root with these capabilities alone, by number: a bounding set as a container's runtime makes one."""
    def enter():
        for cap in range(64):
            if cap not in keep and libc.prctl(24, cap, 0, 0, 0) < 0:
                assert ctypes.get_errno() == errno.EINVAL
    return enter


def both(*steps):
    return lambda: [s() for s in steps]


def refuses(who, name, enter, fix):
    w = worlds[who]
    r = w.bawn("run", "--json", "-c", "print('ran')", preexec_fn=enter)
    ok(r.code == 125 and r.json and r["status"] == "error" and r["error"]["type"] == "enforcement_missing" and "bawn doctor" in r["error"]["hint"] and r["stdout"] == "",
       f"{who}, {name}: refused, not run with less") or r.show()
    d = w.bawn("doctor", "--json", preexec_fn=enter)
    lacks = [l for l in d.json["layers"] if l["required"] and l["state"] != "active"] if d.json else []
    ok(d.code == 1 and not d["usable"] and lacks and any(fix in l["fix"] for l in lacks) and all(l["fix"] and l["detail"] for l in lacks),
       f"{who}, {name}: the doctor says so and names the fix") or d.show()


def works(who, name, enter):
    w = worlds[who]
    r = w.bawn("run", "--json", "-c", "print('ran')", preexec_fn=enter)
    equal((r.code, r["stdout"], w.bawn("doctor", "--json", preexec_fn=enter).code), (0, "ran\n", 0), f"{who}, {name}: control, it runs") or r.show()


EPERM, ENOSYS, SECCOMP = errno.EPERM, errno.ENOSYS, "seccomp=unconfined"
CALLS = {"clone3": (435, ENOSYS), "unshare": (272, EPERM), "setns": (308, EPERM), "mount": (165, EPERM), "pivot_root": (155, EPERM),
         "mount_setattr": (442, ENOSYS), "seccomp": (317, EPERM), "sethostname": (170, EPERM)}
DEFAULT = {435: ENOSYS, 272: EPERM, 308: EPERM, 165: EPERM, 166: EPERM, 155: EPERM, 442: EPERM, 321: EPERM}
for who in worlds:
    works(who, "under a filter that refuses nothing we need", filtered({246: EPERM}))
    refuses(who, "a container's default filter", filtered(DEFAULT), SECCOMP)
    text = worlds[who].bawn("doctor", preexec_fn=filtered(DEFAULT))
    ok(text.code == 1 and len([l for l in text.out.splitlines() if l.startswith("fix for") and SECCOMP in l]) == 1, f"{who}: each fix once, in plain text") or text.show()
    for name, (nr, e) in CALLS.items():
        refuses(who, f"no {name}", filtered({nr: e}), SECCOMP)
    if is_root():
        works(who, "with room for user namespaces", spaces(100))
        refuses(who, "user.max_user_namespaces=0", spaces(0), "sysctl -w user.max_user_namespaces=")
if is_root():
    # The sysctls of other kernels, as they would read there; what they forbid is forbidden by a filter.
    for name, value, fix in (("unprivileged_userns_clone", "0", "sysctl -w kernel.unprivileged_userns_clone=1"),
                             ("apparmor_restrict_unprivileged_userns", "1", "/share/bawn/apparmor/bawn-launch")):
        enter = both(covered("/proc/sys/kernel", **{name: value + "\n"}), filtered({165: EPERM}))
        refuses(user, f"kernel.{name}={value}", enter, fix)
        refuses("root", f"kernel.{name}={value} does not bind root", enter, SECCOMP)
    # What docker leaves to a container, and what the doctor says is needed besides.
    DOCKER, ADDED = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}, {"NET_ADMIN": 12, "SYS_PTRACE": 19, "SYS_ADMIN": 21}
    refuses("root", "a container's default capabilities", capable(DOCKER), "--cap-add")
    d = worlds["root"].bawn("doctor", "--json", preexec_fn=capable(DOCKER))
    named = {words.split()[0] for l in d["layers"] for words in l["fix"].split("--cap-add ")[1:]}
    works("root", f"those, and what the fix adds: {sorted(named)}", capable(DOCKER | {ADDED[n] for n in named}))
    for name in sorted(ADDED):
        refuses("root", f"without {name}", capable(DOCKER | set(ADDED.values()) - {ADDED[name]}), f"--cap-add {name}")
    refuses("root", "in a container with few uids", spaces(100, 65536), "uids.first")
    refuses("root", "the same without user namespaces", spaces(0, 65536), "sysctl -w user.max_user_namespaces=")
    few = worlds["root"].config(sandbox="uids:\n  first: 3000000\n  count: 64\n  acknowledge_risk: true\n")
    r = worlds["root"].run("print('ran')", "--config", few, preexec_fn=spaces(100, 3000064))
    equal((r.code, r["stdout"]), (0, "ran\n"), "root, in a container with few uids: control, with some of those it runs") or r.show()
    refuses("root", "no cgroups", covered("/sys/fs/cgroup"), "cgroup controllers writable")
    r = worlds[user].bawn("doctor", "--json", preexec_fn=covered("/sys/fs/cgroup"))
    row = next(l for l in r["layers"] if l["layer"] == "cgroup")
    ok(r.code == 0 and row["state"] == "missing" and not row["required"] and row["fix"] and row["detail"], f"{user}, no cgroups: said, with the fix, and not required") or r.show()
    r = worlds[user].run("print('ran')", preexec_fn=covered("/sys/fs/cgroup"))
    equal((r.code, r["stdout"], "cgroup" in r["enforcement"]["missing"]), (0, "ran\n", True), f"{user}, no cgroups: it runs, and the result says what is missing") or r.show()
# An interpreter that is not there is no missing wall.
w = worlds[list(worlds)[0]]
r = w.bawn("doctor", "--json", "--config", w.config(sandbox="interpreters:\n  python: /usr/bin/no-such-python\n"))
equal((r.code, r["usable"], [i["present"] for i in r["interpreters"] if i["language"] == "python"]), (0, True, [False]), "the doctor tells an absent interpreter from an absent wall") or r.show()

# The profile that is shipped is for the launcher that is installed, and lets it do that one thing more.
profile = open(os.path.join(BUILD, "config/bawn-launch")).read()
rules = [l.strip() for l in profile.splitlines() if l.strip() and not l.startswith("#")]
equal([l for l in rules if not l.startswith(("abi", "include"))], ["profile bawn-launch /usr/local/libexec/bawn/launch flags=(unconfined) {", "userns,", "}"] if "/usr/local/libexec" in profile else rules[2:],
      "the AppArmor profile names the launcher and gives it user namespaces")
if shutil.which("apparmor_parser", path=worlds[list(worlds)[0]].env["PATH"]):
    p = subprocess.run(["apparmor_parser", "-QKS", os.path.join(BUILD, "config/bawn-launch")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    ok(p.returncode == 0 or "abi" in p.stderr, "and AppArmor's own parser takes it, unless it is older than the abi") or diag(p.stderr)
done()
