#!/usr/bin/python3
"""What the sandbox refuses is data: the name, how often, and what to do instead; never a bare EPERM alone."""
import os, platform, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from conformance import *

if "denial_reporting" in MISSING:
    skip_all("this host reports no refused system calls")
if platform.machine() != "x86_64":
    skip_all("system call numbers of x86-64")
# Three times each; arguments that would do no harm if they were let through.
CALLS = {
    "ptrace": "101, 0, 0, 0, 0", "process_vm_readv": "310, 1, 0, 0, 0, 0, 0", "kcmp": "312, 1, 1, 0, 0, 0", "pidfd_getfd": "438, 0, 0, 0",
    "mount": "165, b'tmpfs', b'/tmp', b'tmpfs', 0, 0", "umount2": "166, b'/none', 0", "pivot_root": "155, b'.', b'.'", "chroot": "161, b'/tmp'",
    "fsopen": "430, b'tmpfs', 0", "open_tree": "428, -100, b'/', 0", "open_by_handle_at": "304, -100, 0, 0",
    "unshare": "272, 0x10000000", "setns": "308, 0, 0", "clone": "56, 0x10000011, 0, 0, 0, 0",
    "bpf": "321, 0, 0, 0", "perf_event_open": "298, 0, 0, -1, -1, 0", "userfaultfd": "323, 0",
    "keyctl": "250, 0, -3, 0", "add_key": "248, b'user', b'x', b'y', 1, -3", "request_key": "249, b'user', b'x', 0, 0",
    "io_uring_setup": "425, 8, 0", "mknodat": "259, -100, b'dev', 0o20600, 0x103", "setuid": "105, 0", "setgroups": "116, 0, 0",
    "reboot": "169, 0, 0, 0, 0", "init_module": "175, 0, 0, b''", "kexec_load": "246, 0, 0, 0, 0", "sethostname": "170, b'x', 1", "settimeofday": "164, 0, 0",
    "swapon": "167, b'/none', 0", "quotactl": "179, 0, 0, 0, 0", "acct": "163, 0", "iopl": "172, 0", "personality": "135, 0x0040000", "modify_ldt": "154, 0, 0, 0",
    "sched_setscheduler": "144, 0, 1, 0", "setpriority": "141, 0, 0, -5", "name_to_handle_at": "303, -100, b'/', 0, 0, 0", "fanotify_init": "300, 0, 0",
    "clock_settime": "227, 0, 0", "shmget": "29, 0, 4096, 0", "mq_open": "240, b'x', 0, 0, 0", "splice": "275, 0, 0, 1, 0, 0, 0", "prctl": "157, 36, 1, 0, 0, 0",
    "fcntl": "72, 1, 1031, 4096", "ioctl": "16, 0, 0x5412, b'x'", "execveat": "322, -100, b'/none', 0, 0, 0", "prlimit64": "302, 1, 7, 0, 0", "sendto": "44, 0, b'x', 1, 1, 0, 0",
}
GENERIC = "the sandbox allows no such system call, or not with these arguments"
CODE = "import ctypes, os, socket\nL = ctypes.CDLL(None, use_errno=True); L.syscall.restype = ctypes.c_long\ndef sc(*a):\n  r = L.syscall(*[ctypes.c_long(x) if isinstance(x, int) else x for x in a])\n" \
       "  if r == 0 and a[0] == 56: os._exit(0)\n  return r, ctypes.get_errno()\n"
r = w.lifted(CODE + "\n".join(f"print('{n}', *[x for i in range(3) for x in [sc({a})]][0])" for n, a in CALLS.items()))
said = dict(line.split(" ", 1) for line in r["stdout"].splitlines())
equal((r.code, r["status"], sorted(said)), (0, "completed", sorted(CALLS)), "a program that is refused much goes on") or r.show()
for name in CALLS:
    d = denied(r, name, "syscall")
    ok(said.get(name) == "-1 1" and d and d["count"] == 3 and d["source"] == "kernel" and len(d["hint"]) > 20 and d["hint"] != GENERIC, f"{name}: EPERM, and listed with count and what to do instead") or diag(f"{said.get(name)} {d}")
equal([d["what"] for d in r["denials"] if d["what"] not in CALLS], [], "and nothing that was not refused")
outcome = next(x["body"] for x in w.records("exec.outcome") if x["exec"] == r["id"])
equal(sorted(d["what"] for d in outcome["denials"]), sorted(CALLS), "the log has the same list")

# Families of sockets.
FAMILIES = {"AF_NETLINK": "16, 3, 0", "AF_PACKET": "17, 3, 0", "AF_VSOCK": "40, 1, 0", "AF_ALG": "38, 5, 0", "AF_BLUETOOTH": "31, 1, 0", "raw IP": "2, 3, 1", "SCTP": "2, 1, 132"}
r = w.lifted(CODE + "\n".join(f"print(sc(41, {a})[1])" for a in FAMILIES.values()))
errors = r["stdout"].split()
ok(len(errors) == len(FAMILIES) and all(e in ("1", "97") for e in errors), f"socket families: {', '.join(FAMILIES)} are refused") or r.show()
d = denied(r, "socket", "syscall")
ok(d and d["count"] == len(FAMILIES) and "TCP" in d["hint"], "and counted, with what may be used")
# What libraries try and do without is an answer, not a denial.  What the file system refuses only the interpreter can tell.
r = w.lifted(CODE + "print([sc(*a)[1] for a in ((435, 0, 0), (319, b'x', 0), (437, -100, 0, 0, 0))])\ntry: open('/usr/x', 'w')\nexcept OSError as e: print(e.errno)")
equal((r["stdout"].split("\n")[0], [(d["what"], d["source"]) for d in r["denials"]]), ("[38, 38, 38]", [("/usr/x", "hook")] if r["observed"] else []),
      "a call that libraries do without says it is not there, and is no denial; a file that cannot be written is one where somebody watches") or r.show()

# What leaves no trace is explained by the program's own words; where there is a denial, nothing is said twice.
SAID = {
    "a limit raised": ("bash", "ulimit -Hn 1000000", "Operation not permitted", "no privileges"),
    "a write outside": ("bash", "mkdir /q", "Read-only file system", "/workspace, /tmp"),
    "a write outside, by node": ("javascript", "require('fs').mkdirSync('/q')", "EROFS", "/workspace, /tmp"),
    "a name that nobody resolves": ("javascript", "require('dns').lookup('a.test', e => { throw e })", ("ENOTFOUND", "EAI_AGAIN"), "no network"),
    "a program in /tmp": ("bash", "cp /bin/true /tmp/t && /tmp/t", "Permission denied", "/workspace"),
    "an address that is not its own": ("python", "import socket; socket.socket().bind(('192.0.2.1', 0))", "Cannot assign requested address", "127.0.0.1"),
    "a call that is not there": ("python", "import os; raise OSError(38, os.strerror(38))", "Function not implemented", "memfd_create"),
    "too many files": ("python", "l = [open('/dev/null') for i in range(3000)]", "Too many open files", "resources.open_files"),
    "a file that is too long": ("python", "import os; os.ftruncate(os.open('x', os.O_CREAT | os.O_RDWR), 1 << 42)", "File too large", "--disk"),
}
for name, (lang, code, words, hint) in SAID.items():
    r = w.run(code, lang=lang)
    said = [x for x in r["warnings"] if x.startswith("the program said ")]
    ok(r["status"] == "failed" and len(said) == 1 and any(f"said '{x}': " in said[0] for x in ([words] if isinstance(words, str) else words)) and hint in said[0],
       f"{name}: what the program said, and what to do") or r.show()
r = w.lifted(CODE + "import sys\nsc(101, 0, 0, 0, 0)\nprint('Read-only file system')\nprint('Operation not permitted', file=sys.stderr)")
equal([x for x in r["warnings"] if "said" in x], [], "not where a denial says more, nor for what is on standard output") or r.show()

# Programs and people see it too.
ptrace = w.file("trace.py", CODE + "print(sc(101, 0, 0, 0, 0))")
r = w.bawn("run", *w.chosen(), "--config", w.lifting, "--override", "--reason", "a test", ptrace)
ok(r.code == 0 and "ptrace" in r.err and "trace it outside" in r.err, "without --json the name and the hint are on stderr") or r.show()
w.file("beside.csv", "1")
script = w.file("reads.py", "open('beside.csv')")
r = w.bawn("run", "--json", *w.chosen(), script)
d = denied(r, "beside.csv", "path")
ok(r.code == 1 and d and d["hint"] == "--in beside.csv", "a file that lies beside the script is named, with the way to pass it") or r.show()
done()
