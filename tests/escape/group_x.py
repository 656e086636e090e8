"""X. Further attempts, and what is known not to be held."""
from campaign import *

group("X", "Further attempts")

row("X01", "a lease on a file, a note of changes, a signal to somebody else", "seccomp", """
fd = os.open('f', os.O_RDWR | os.O_CREAT)
kernel_all((72, fd, 1024, 1), (72, os.open('.', 0), 1026, 1), (72, fd, 8, os.getpid()), (72, fd, 10, 10), (72, fd, 16, 0))""", denial="fcntl")
row("X02", "locks of the kind that outlives a process (OFD)", "seccomp", "fd = os.open('f', os.O_RDWR | os.O_CREAT); kernel(*sc(72, fd, 37, bytes(32)))", denial="fcntl")
row("X03", "file locks without number", "cgroup rlimits", """
fd = os.open('f', os.O_RDWR | os.O_CREAT)
end = time.process_time() + 6
n = 0
while n < 130000 and time.process_time() < end:
    r, e = sc(72, fd, 6, struct.pack('hhqqi', 1, 0, n * 2, 1, 0))
    if r < 0: break
    n += 1
if CONTROL: say(n > 1000, str(n))
burn = time.process_time() + 4
while time.process_time() < burn: pass
say(n >= 130000, str(n))""", judge=ends_by("memory", "cpu"), limits={"memory": 128 * MIB, "cpu_ms": 20000, "timeout_ms": 60000})
row("X04", "descriptors in flight beyond the limit of open files", "rlimits", """
import array
n = 0
a, b = socket.socketpair()
a.setblocking(False)
fds = array.array('i', [os.open('/dev/null', 0)] * 100)
try:
    for i in range(20): a.sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)]); n += 100
except OSError: pass
say(n >= 1000, str(n))""")
row("X05", "making the host write its disks: sync, syncfs, sync_file_range", "seccomp", "kernel_all((162,), (306, os.open('.', 0)), (277, 0, 0, 0, 0))", denial="sync")
row("X06", "the mounts of its own tree, made writable again", AS_ROOT, """
r, e = sc(165, 0, b'/tmp', 0, 32 | 4096, 0)
kernel(r, e)""", denial="mount", reduced="of /tmp, in its own mount namespace")
row("X07", "new names and links in what is read-only, by O_TMPFILE and linkat too", AS_ROOT + " ro_root", """
def tmpfile(d): os.close(os.open(d, os.O_TMPFILE | os.O_WRONLY))
say(any(can(tmpfile, d) for d in ('/', '/usr', '/usr/bin', '/etc', '/code', '/dev')), why)""")
row("X08", "its own identity and limits in /proc/self", "landlock", """
names = ('uid_map', 'gid_map', 'setgroups', 'oom_adj', 'coredump_filter', 'timerslack_ns', 'loginuid', 'attr/current', 'clear_refs', 'sched', 'autogroup')
got = [n for n in names if os.path.exists('/proc/self/' + n) and can(lambda: os.close(os.open('/proc/self/' + n, os.O_WRONLY)))]
say(bool(got), ' '.join(got))""")
row("X09", "clone(PTRACE)", "seccomp", """
r, e = sc(56, 0x2000 | 17, 0, 0, 0, 0)
if r == 0: os._exit(0)
say(r > 0, errno.errorcode.get(e, ''))""", denial="clone")
row("X10", "swapping the tree under its feet: rename, exchange and whiteout of directories", AS_ROOT + " ro_root", """
os.mkdir('a')
say(any(can(f) for f in (lambda: os.rename('/usr', '/workspace/usr'), lambda: os.rename('/workspace/a', '/a'), lambda: os.rename('/code', '/workspace/code'), lambda: os.rename('/bin', '/b'))) or
    any(sc(316, -100, a, -100, b, f)[0] == 0 for a, b, f in ((b'/workspace/a', b'/tmp', 2), (b'/workspace/a', b'/w', 4), (b'/etc/hosts', b'/workspace/h', 0))), why)""")
row("X11", "what connections hold that nobody accepts, beyond the memory limit", "a limit of 2 GiB", """
l = socket.create_server(('127.0.0.1', 0), backlog=4096)
n = 0
for i in range(1200):
    with socket.socket() as c:
        c.setblocking(False)
        try: c.connect(l.getsockname())
        except BlockingIOError: pass
        try:
            while True: n += c.send(bytes(65536))
        except OSError: pass
time.sleep(1)
say(n > 32 << 20, str(n))""", judge=ends_by("memory"), limits={"memory": 64 * MIB}, weaker={"limits": {"memory": 2048 * MIB}})
row("X12", "huge pages, which the memory limit does not count", "seccomp", "say(sc(9, 0, 2 << 20, 3, 0x22 | 0x4000 | 0x40000, -1, 0)[0] > 0)")
row("X13", "clone(FILES): locks that outlive the process they are counted by", "seccomp", """
r, e = sc(56, 0x400 | 17, 0, 0, 0, 0)
if r == 0: os._exit(0)
say(r > 0, errno.errorcode.get(e, ''))""", denial="clone")
row("X14", "output in packets of one byte", "seccomp", "kernel(*sc(72, 1, 4, 0x4000))", denial="fcntl")
row("X15", "keys of TCP sockets (MD5SIG), which the memory limit does not count", "seccomp", """
end, n = time.process_time() + 1, 0
with socket.socket() as s:
    while time.process_time() < end and n < 20:
        r, e = sc(54, s.fileno(), 6, 14, struct.pack('<HHBBBB120xBBHI80s', 2, 0, 10, 0, n >> 8, n & 255, 0, 0, 80, 0, b'k'), 216)
        if e == errno.ENOPROTOOPT: absent('ENOPROTOOPT')
        if r < 0: break
        n += 1
say(n >= 20, f'{n} {errno.errorcode.get(e, "")}')""", denial="setsockopt")
row("X16", "what UDP sockets hold that nobody reads, beyond the memory limit", "a limit of 2 GiB", """
to = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); to.bind(('127.0.0.1', 0))
def fill(n):
    keep = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(n)]
    for s in keep:
        for _ in range(4): can(lambda: s.sendmsg([bytes(60000)], [(1, 37, struct.pack('I', 2))], 0, to.getsockname()))
    return keep
full, told = os.pipe()
for _ in range(3):
    if os.fork() == 0:
        keep = fill(200)
        os.write(told, b'x')
        time.sleep(60)
        os._exit(0)
for _ in range(3): os.read(full, 1)
time.sleep(1)
say(True)""", judge=ends_by("memory"), limits={"memory": 64 * MIB}, weaker={"limits": {"memory": 2048 * MIB}})
row("X17", "a socket that holds more than others, outside the memory limit (RCVBUF)", "seccomp", """
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
was = s.getsockopt(1, 8)
s.setsockopt(1, 8, 8 << 20)
say(s.getsockopt(1, 8) > was, f'{was} {s.getsockopt(1, 8)}')""")
row("X18", "the same for TCP, by what is waited for (RCVLOWAT)", "seccomp", """
s = socket.socket()
was = s.getsockopt(1, 8)
s.setsockopt(1, 18, 1 << 30)
say(s.getsockopt(1, 8) > was, f'{was} {s.getsockopt(1, 8)}')""")

# Said in docs/THREAT-MODEL.md under "What is not defended against"; here so that it stays true.
limit("an advisory lock (flock) on a file of /usr", "fcntl.flock(os.open('/usr/bin/env', os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB); say(True)")
limit("reading /usr as fast as it comes", """
n = 0
for d, _, files in os.walk('/usr/lib'):
    for f in files:
        if n > 16 << 20: say(True)
        if can(lambda: open(d + '/' + f, 'rb')): n += len(open(d + '/' + f, 'rb').read(1 << 20))
say(False)""")
limit("the kernel's version, its uptime, its memory", "say(os.uname().release != '' and time.clock_gettime(time.CLOCK_BOOTTIME) > 0)")
