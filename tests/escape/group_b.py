"""B. What the kernel offers through system calls."""
import re
from campaign import *
import campaign

group("B", "The kernel's surface")

row("B01", "io_uring_setup", "seccomp", "kernel(*sc(425, 1, ctypes.create_string_buffer(256)))")
row("B01", "io_uring_enter and io_uring_register", "seccomp", "kernel_all((426, -1, 0, 0, 0, 0, 0), (427, -1, 0, 0, 0))")
row("B02", "userfaultfd", "seccomp", "kernel(*sc(323, 1))", denial="userfaultfd")
row("B03", "bpf", AS_ROOT, "kernel(*sc(321, 9999, 0, 0))", denial="bpf", reduced="a command there is none of: any answer but 'not permitted'")
row("B03", "SO_ATTACH_FILTER, a packet filter program", AS_ROOT, """
b = ctypes.create_string_buffer(bytes([6, 0, 0, 0, 255, 255, 0, 0]))
s = socket.socket()
kernel(*sc(54, s.fileno(), 1, 26, struct.pack('HxxxxxxQ', 1, ctypes.addressof(b)), 16))""", denial="setsockopt")
row("B03", "SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF, SO_ZEROCOPY, SO_MARK", AS_ROOT, """
s = socket.socket().fileno()
kernel_all((54, s, 1, 50, struct.pack('i', -1), 4), (54, s, 1, 51, b'', 0), (54, s, 1, 60, struct.pack('i', 1), 4), (54, s, 1, 36, struct.pack('i', 1), 4))""", denial="setsockopt")
row("B04", "perf_event_open", AS_ROOT, "kernel(*sc(298, 0, 0, -1, -1, 0))", denial="perf_event_open")
row("B05", "add_key", "seccomp", "kernel(*sc(248, b'user', b'bawn', b'y', 1, -1))", denial="add_key", reduced="into the thread's own keyring")
row("B05", "request_key", "seccomp", "kernel(*sc(249, b'user', b'bawn-none', 0, 0))", denial="request_key")
row("B05", "keyctl", "seccomp", "kernel(*sc(250, 0, -3, 0, 0, 0))", denial="keyctl")
VICTIM = """
r, w = os.pipe()
secret = ctypes.create_string_buffer(b'victim')
pid = os.fork()
if pid == 0: os.read(r, 1); os._exit(0)
"""
row("B06", "ptrace of a sibling", "seccomp", VICTIM + "r, e = sc(101, 16, pid, 0, 0); os.kill(pid, 9); say(r == 0, errno.errorcode.get(e, ''))", denial="ptrace")
row("B06", "ptrace of PID 1", AS_ROOT + " pidns", "r, e = sc(101, 16, 1, 0, 0); say(r == 0 or e == errno.EBUSY, errno.errorcode.get(e, ''))", denial="ptrace")
row("B06", "a sibling's memory by process_vm_readv", "seccomp", VICTIM + """
out = ctypes.create_string_buffer(6)
r, e = sc(310, pid, struct.pack('QQ', ctypes.addressof(out), 6), 1, struct.pack('QQ', ctypes.addressof(secret), 6), 1, 0)
os.kill(pid, 9)
say(out.raw == b'victim', errno.errorcode.get(e, ''))""", denial="process_vm_readv")
row("B06", "a sibling's memory by process_vm_writev", "seccomp", VICTIM + """
r, e = sc(311, pid, struct.pack('QQ', ctypes.addressof(secret), 6), 1, struct.pack('QQ', ctypes.addressof(secret), 6), 1, 0)
os.kill(pid, 9)
say(r == 6, errno.errorcode.get(e, ''))""", denial="process_vm_writev")
row("B06", "pidfd_getfd, kcmp, process_madvise", "seccomp", "kernel_all((438, -1, 0, 0), (312, os.getpid(), os.getpid(), 1, 0, 0), (440, -1, 0, 0, 0, 0))", denial="kcmp")
row("B07", "i386 system calls by int 0x80", "seccomp", """
p = L.mmap(None, ctypes.c_long(4096), 3, 0x22, -1, ctypes.c_long(0))
ctypes.memmove(p, bytes.fromhex('b814000000cd80c3'), 8)
L.mprotect(ctypes.c_long(p), ctypes.c_long(4096), 5)
code = child(lambda: 7 if ctypes.CFUNCTYPE(ctypes.c_int)(p)() == os.getpid() else 8)
if CONTROL and code < 0: absent()
say(code == 7, str(code))""")
row("B07", "x32 system calls", "seccomp", """
code = child(lambda: 7 if sc(0x40000027)[0] == os.getpid() else 8)
if CONTROL and code == 8: absent('ENOSYS')
say(code == 7, str(code))""")
row("B07", "a 32-bit program", "seccomp", """
text = bytes.fromhex('b801000000bb2a000000cd80')  # exit(42)
head = b'\\x7fELF\\1\\1\\1' + bytes(9) + struct.pack('<HHIIIIIHHHHHH', 2, 3, 1, 0x8048054, 52, 0, 0, 52, 32, 1, 0, 0, 0)
prog = struct.pack('<IIIIIIII', 1, 0, 0x8048000, 0x8048000, 84 + len(text), 84 + len(text), 5, 4096)
open('x', 'wb').write(head + prog + text)
os.chmod('x', 0o755)
def run():
    try: os.execv('./x', ['x'])
    except OSError: os._exit(1)
code = child(run)
if CONTROL and code == 1: absent('ENOEXEC')
say(code == 42, str(code))""")


def swept(mode, lang):
    p = subprocess.run([SWEEP, mode, lang], capture_output=True, text=True, env=campaign.ground.env, timeout=120)
    return p.returncode, p.stdout.splitlines()


def filter_equals_table(lang):
    def run():
        code, text = swept("filter", lang)
        if code != 0:
            return "ABSENT" if "error 22" in text[-1] or "error 5" in text[-1] else "? " + " ".join(text)
        filters, instructions, calls, differences = (int(x) for x in text[-1].split())
        return "BLOCKED" if filters == 1 and differences == 0 and calls > 100000 else "? " + "; ".join(text)
    return run


def sweep_notices(lang):
    def run():
        code, text = swept("control", lang)
        if code != 0:
            return "ABSENT"
        returns, noticed = (int(x) for x in text[-1].split())
        return verdict(returns == noticed >= 5)
    return run


# Called for real, all that the table refuses when every argument is zero.  335 and 336 are left out: newer
# kernels ask no filter about them (uretprobe, uprobe) and end whoever calls them from anywhere else.
LIVE = """
for nr, want in json.loads(open('table').read()):
    if nr in (335, 336): continue
    r, e = sc(nr, 0, 0, 0, 0, 0, 0)
    if (e if r < 0 else 0) != want: say(True, str((nr, want, r, e)))
say(False)"""
IN_BASH = "python3 - walls '{}' <<'END'\n%s\nEND"
IN_NODE = "require('child_process').spawnSync('python3', ['-', 'walls', '{}'], {input: %s, stdio: ['pipe', 'inherit', 'inherit']})"


def live(lang, without=""):
    def run():
        table = [line.split() for line in swept("table", lang)[1]]
        code = {"python": LIVE, "bash": IN_BASH % (PRELUDE + LIVE), "javascript": IN_NODE % json.dumps(PRELUDE + LIVE)}[lang]
        return spoken(sandbox(code, lang=lang, without=without, inputs={"table": json.dumps([(int(n), int(e)) for n, e in table if e != "allow"])}))
    return run


for lang in ("python", "bash", "javascript"):
    check("B08", f"the filter loaded for {lang}, over all numbers and architectures, is the policy table", "each return turned into 'allow' is noticed",
          filter_equals_table(lang), sweep_notices(lang))
    check("B08", f"every number {lang} is refused, called for real, gives the table's answer", "without seccomp", live(lang), live(lang, "seccomp"))
row("B08", "a number with high bits, -1, and far beyond the table", "seccomp", """
got = [sc(n)[1] for n in (-1, 1023, 0x3fffffff, 600)]
say(any(e == errno.ENOSYS for e in got), str(got))""", reduced="the kernel's own answer counts")
row("B09", "a thread without the filter", "seccomp", """
def look(): say(any('Seccomp:\\t2' not in open(f'/proc/self/task/{i}/status').read() for i in os.listdir('/proc/self/task')))
t = threading.Thread(target=look); t.start(); t.join()""")
row("B09", "a child, and a program it becomes, without the filter", "seccomp", """
import subprocess
say('Seccomp:\\t2' not in subprocess.run(['cat', '/proc/self/status'], capture_output=True, text=True).stdout)""")
row("B10", "arguments swapped in memory while the supervisor answers (2000 times)", AS_ROOT, """
kind = ctypes.create_string_buffer(b'tmpfs')
go = [True]
def swap():
    while go[0]: kind.value = b'tmpfs'; kind.value = b'ramfs'
t = threading.Thread(target=swap); t.start()
got = [sc(165, b'x', b'/tmp', kind, 0, 0) for _ in range(20 if CONTROL else 2000)]
go[0] = False; t.join()
say(any(r == 0 for r, e in got), str({e for r, e in got}))""", denial="mount")
row("B10", "after more refusals than the supervisor counts", "seccomp", """
# push rbx; mov ebx, N; 1: mov eax, 135; mov edi, -1; syscall; dec ebx; jnz 1b; pop rbx; ret
code = b'\\x53\\xbb' + struct.pack('I', 10 if CONTROL else 100100) + bytes.fromhex('b887000000' 'bfffffffff' '0f05' 'ffcb' '75f0' '5b' 'c3')
p = L.mmap(None, ctypes.c_long(4096), 3, 0x22, -1, ctypes.c_long(0))
ctypes.memmove(p, code, len(code))
L.mprotect(ctypes.c_long(p), ctypes.c_long(4096), 5)
ctypes.CFUNCTYPE(None)(p)()
r, e = sc(135, 0xffffffff)
say(r >= 0, errno.errorcode.get(e, ''))""", denial="personality", limits={"timeout_ms": 300000, "cpu_ms": 300000})
row("B11", "AF_NETLINK", "seccomp", "family(16, 3)", denial="socket")
row("B12", "AF_PACKET", AS_ROOT, "family(17, 3)", denial="socket")
row("B12", "raw sockets", AS_ROOT, "family(2, 3, 1)", denial="socket")
row("B13", "AF_VSOCK, which no namespace holds", "seccomp", "family(40, 1)", denial="socket")
row("B13", "AF_VSOCK with high bits set", "seccomp", "family(40 | 1 << 40, 1)", denial="socket")
row("B14", "AF_ALG", "seccomp", "family(38, 5)", denial="socket")
row("B14", "any family but unix and the internet's", AS_ROOT, """
got = [f for f in range(46) for k in (1, 2, 3, 5) if sc(41, f, k, 0)[0] >= 0]
say(bool(set(got) - {1, 2, 10}), str(sorted(set(got))))""", denial="socket")
row("B15", "MSG_OOB on a unix socket", "seccomp", "a, b = socket.socketpair(); kernel(*sc(44, a.fileno(), b'x', 1, 1, 0, 0))", denial="sendto")
row("B15", "MSG_OOB by sendmsg, recvfrom and recvmsg", "seccomp", "a, b = socket.socketpair(); f = a.fileno(); kernel_all((46, f, 0, 1), (45, f, 0, 0, 0x41, 0, 0), (47, f, 0, 0x41))", denial="sendmsg")
row("B16", "SCTP, DCCP, UDP-Lite, MPTCP", "seccomp", """
got = [sc(41, f, k, p) for f in (2, 10) for k, p in ((1, 132), (6, 33), (2, 136), (1, 262))]
if CONTROL and all(r < 0 for r, e in got): absent()
say(any(r >= 0 for r, e in got))""", denial="socket")
row("B16", "TCP_ULP", "seccomp", "s = socket.socket(); kernel(*sc(54, s.fileno(), 6, 31, b'tls', 3))", denial="setsockopt")
row("B16", "a network interface besides loopback", "netns", """
names = [line.split(':')[0].strip() for line in open('/proc/self/net/dev').readlines()[2:]]
say(names != ['lo'] or can(lambda: socket.create_connection(('127.0.0.1', W['port']), 5)), str(names))""")
row("B17", "System V shared memory", "seccomp", "kernel(*sc(29, 0, 4096, 0o1600))", denial="shmget")
row("B17", "System V messages and semaphores", "seccomp", "kernel_all((68, 0, 0o1600), (64, 0, 1, 0o1600))", denial="msgget")
row("B17", "POSIX message queues", "seccomp", "kernel(*sc(240, b'q', 0, 0, 0))", denial="mq_open")
row("B17", "the host's System V objects", "ipcns", "say(os.readlink('/proc/self/ns/ipc') == W['ipc'])")
row("B18", "the host's abstract sockets", "netns landlock", "s = socket.socket(socket.AF_UNIX); tries(s.connect, '\\0' + W['name'])")
row("B18", "the host's name", "utsns", "say(socket.gethostname() != 'bawn')")


def socket_as_stdin():
    a, b = socket.socketpair()
    with a, b:
        return spoken(outside(PASS, stdin=a))


PASS = """
import array
def send(n):
    with socket.socket(fileno=os.dup(n)) as s: s.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [os.open('/dev/null', 0)]))])
say(any(stat.S_ISSOCK(os.fstat(n).st_mode) and can(send, n) for n in range(3)))"""
check("B19", "a socket to pass descriptors to whoever supervises", "outside, with a socket as standard input", lambda: spoken(sandbox(PASS)), socket_as_stdin)
row("B20", "personality", "seccomp", "kernel(*sc(135, 0x40000))", denial="personality")
row("B20", "modify_ldt", "seccomp", "kernel(*sc(154, 0, 0, 0))", denial="modify_ldt")
row("B20", "iopl, ioperm, arch_prctl(SET_GS), vm86's kin", AS_ROOT, "kernel_all((172, 0), (173, 0, 1, 0), (158, 0x1004, ctypes.byref(ctypes.c_long())))", denial="ioperm", reduced="level 0; reads the register")
row("B21", "prctl: seccomp, mm, ptracer, dispatch, subreaper, dumpable, timer slack", "seccomp", """
got = [sc(157, *a) for a in ((22, 2, 0, 0, 0), (35, 1, 0, 0, 0), (0x59616d61, -1, 0, 0, 0), (59, 0, 0, 0, 0), (36, 1, 0, 0, 0), (4, 1, 0, 0, 0), (29, 1, 0, 0, 0), (24, 0, 0, 0, 0))]
say(any(e != errno.EPERM for r, e in got), str([errno.errorcode.get(e, r) for r, e in got]))""", denial="prctl")
row("B21", "a second filter, by seccomp", "seccomp", "kernel(*sc(317, 2, 0, ctypes.byref(ctypes.c_uint32(0x7fff0000))))", denial="seccomp")
row("B21", "Landlock rules of its own", "seccomp", "kernel(*sc(444, 0, 0, 1))", denial="landlock_create_ruleset")
row("B22", "writable and executable memory", "seccomp", "say(L.mmap(None, ctypes.c_long(4096), 7, 0x22, -1, ctypes.c_long(0)) != -1)", denial="mmap")
row("B22", "memory made executable while writable", "seccomp", """
p = L.mmap(None, ctypes.c_long(4096), 3, 0x22, -1, ctypes.c_long(0))
say(L.mprotect(ctypes.c_long(p), ctypes.c_long(4096), 7) == 0)""", denial="mprotect")
row("B22", "mprotect under another name: pkey_mprotect, shmat, remap_file_pages", "seccomp", "kernel_all((329, 0, 0, 7, -1), (216, 0, 0, 0, 0, 0))", denial="pkey_mprotect")
row("B23", "setting the clock", AS_ROOT, "kernel_all((227, 0, 0), (164, 0, 0))", denial="clock_settime", reduced="without a time to set")
row("B23", "adjtimex, clock_adjtime", "seccomp", "kernel_all((159, ctypes.create_string_buffer(256)), (305, 0, ctypes.create_string_buffer(256)))", denial="adjtimex", reduced="reads only")
row("B23", "a time namespace", AS_ROOT, "r, e = sc(272, 0x80); absent() if CONTROL and e == errno.EINVAL else say(r == 0, errno.errorcode.get(e, ''))", denial="unshare")
row("B24", "ioctls of graphics, virtual machines, block devices and file systems", "seccomp landlock", """
fd = os.open('/dev/null', os.O_RDWR)
kernel_all((16, fd, 0xc0406400, 0), (16, fd, 0xae00, 0), (16, fd, 0x1272, 0), (16, fd, 0x40086602, 0), (16, fd, 0xc0045877, 0))""", denial="ioctl", reduced="on /dev/null")
# Caches, timing and shared hardware are no goal (docs/THREAT-MODEL.md); what the kernel would tell by itself is refused.
row("B25", "asking the page cache what others read: mincore, preadv2(NOWAIT), cachestat", "seccomp", """
fd = os.open('/usr/bin/env', os.O_RDONLY)
p = L.mmap(None, ctypes.c_long(4096), 1, 1, fd, ctypes.c_long(0))
vec = ctypes.create_string_buffer(8)
iov = struct.pack('QQ', ctypes.addressof(vec), 1)
say(sc(27, p, 4096, vec)[0] == 0 or sc(327, fd, iov, 1, 0, 0, 8)[0] >= 0 or sc(451, fd, 0, 0, 0)[1] == errno.EFAULT)""", denial="mincore")
row("B25", "turning a mitigation off (PR_SET_SPECULATION_CTRL)", "seccomp", "kernel(*sc(157, 53, 0, 2, 0, 0))", denial="prctl", reduced="any answer of the kernel's own")
row("B26", "reboot, kexec, swapon, acct, quotactl, syslog", AS_ROOT, "kernel_all((169, 0, 0, 0, 0), (246, 0, 0, 0, -1), (167, b'/nonexistent', 0), (163, b'/nonexistent'), (179, -1, 0, 0, 0), (103, 10, 0, 0))",
    denial="reboot", reduced="with arguments nothing can come of: any answer but 'not permitted'")
row("B26", "loading a kernel module", AS_ROOT, "kernel_all((175, 0, 0, b''), (313, -1, b'', 0), (176, b'bawn-none', 0))", denial="init_module", reduced="without a module")
row("B26", "inotify, fanotify, lookup_dcookie, mincore, readahead, sync", AS_ROOT, "kernel_all((253,), (300, 0, 0), (212, 0, 0, 0), (27, 0, 0, 0), (187, 0, 0, 0), (306, 0))", denial="mincore")

# A small fuzzer: any call, any argument, thousands of times in children that may die as they like.
FUZZ = """
import random
random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
words = [0, 1, 2, 3, -1, 4095, 4096, 1 << 31, 1 << 32, 1 << 62, -4096, id(W), random.getrandbits(64) - (1 << 63)]
leave = {13, 14, 15, 34, 35, 60, 61, 62, 127, 128, 130, 200, 231, 230, 234, 247, 271, 270, 23, 7, 232, 281, 202}  # exits, waits, kills
end = time.time() + 2.5
n = 0
while time.time() < end:
    pid = os.fork()
    if pid == 0:
        signal.alarm(1)
        for _ in range(400):
            nr = random.choice((random.randrange(0, 470), random.randrange(0, 1024)))
            if nr not in leave: sc(nr, *[random.choice(words) for _ in range(6)])
        os._exit(0)
    random.random()
    late = time.time() + 1.5  # its alarm is one of the calls that it may undo
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        if time.time() > late: os.kill(pid, signal.SIGKILL)
        time.sleep(0.0005)
    n += 400
say(n < 400, str(n))"""


OURS = "bawn escape control"


def kernel_log(written=None):
    """What the kernel complained about so far; with `written`, a line of ours, since that."""
    found = []
    fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    try:
        if written:
            os.lseek(fd, 0, os.SEEK_END)
            with open("/dev/kmsg", "w") as f:
                f.write(written)
        while True:
            try:
                line = os.read(fd, 8192).decode("utf-8", "replace")
            except BlockingIOError:
                break
            except BrokenPipeError:
                continue
            if (OURS in line) == bool(written) and re.search(r"\bBUG\b|\bWARNING:|Oops|general protection fault: |kernel panic|hung_task|UBSAN|KASAN", line):
                found.append(line.split(";", 1)[1][:200])
    finally:
        os.close(fd)
    return found


def fuzzed(lang):
    def run():
        before = kernel_log()
        code = {"python": FUZZ, "bash": IN_BASH % (PRELUDE + FUZZ), "javascript": IN_NODE % json.dumps(PRELUDE + FUZZ)}[lang]
        got = sandbox(code, lang=lang, limits={"timeout_ms": 60000})
        after = kernel_log()
        if got["error"] or got["end"] not in ("exit", "signal", "killed", "memory") or "REACHED" in got["out"]:
            return "? " + json.dumps({k: str(got.get(k))[-300:] for k in ("error", "end", "out", "err")})
        again = spoken(sandbox("say(False)"))
        return verdict(len(after) > len(before) or again != "BLOCKED")
    return run


def log_is_read():
    return verdict(len(kernel_log(f"{OURS}: this WARNING: is a test\n")) == 1)


for lang in ("python", "bash", "javascript"):
    check("B26", f"random calls with random arguments under the filter of {lang}: no complaint by the kernel, and the next run works (some seconds)",
          "a line written into the kernel's log is noticed", fuzzed(lang), log_is_read)
