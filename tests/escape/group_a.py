"""A. The runtime, descriptors, mounts and /proc."""
import pty, threading
from campaign import *
import campaign

group("A", "Runtime, descriptors, mounts, /proc")

# "Text file busy" only says that the file runs just now: whoever gets that far waits for its end.
row("A01", "the interpreter and init through /proc/PID/exe, for writing", AS_ROOT, """
for p in ('/proc/self/exe', '/proc/1/exe'):
    if can(lambda: os.close(os.open(p, os.O_WRONLY))) or why == 'ETXTBSY': say(True, p)
say(False, why)""", reduced="'text file busy' counts: the file could be written once it is idle")


def leaked():
    fd = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    try:
        return spoken(sandbox(LEAK, fds=(fd,)))
    finally:
        os.close(fd)


def leaked_outside():
    fd = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    try:
        return spoken(outside(LEAK, fds=(fd,)))
    finally:
        os.close(fd)


LEAK = """
def is_open(n):
    try: fcntl.fcntl(n, fcntl.F_GETFD); return True
    except OSError: return False
found = [n for n in range(3, 1024) if is_open(n)]
say(bool(found) or not os.getcwd().startswith('/'), str(found))"""
check("A02", "a descriptor of the host's root, left open by whoever called", HOST, leaked, leaked_outside)
row("A02", "a working directory outside the root", HOST, """
if CONTROL:
    os.mkdir('x'); fd = os.open('.', 0); os.chroot('x'); os.fchdir(fd)
buf = ctypes.create_string_buffer(4096)
sc(79, buf, 4096)
say(not buf.value.startswith(b'/'), buf.value.decode())""")

row("A03", "putting something else in place of a device in /dev", AS_ROOT + " ro_root", """
st = os.stat('/dev/null')
if not stat.S_ISCHR(st.st_mode) or st.st_rdev != os.makedev(1, 3): say(True, 'not the device')
say(can(os.symlink, '/proc/sys/kernel/core_pattern', '/dev/console') or can(os.rename, '/dev/full', '/dev/null') or can(os.unlink, '/dev/null'), why)""")
DEV = "mount -t proc proc /proc; mount -t tmpfs dev /dev; for n in 'zero 5' 'full 7' 'random 8' 'urandom 9'; do mknod -m 666 /dev/${n% *} c 1 ${n#* }; done; mkdir /dev/shm; "


def started(setup, refusal=None):
    """Does anything run on a host prepared like this?  If not, then for this reason."""
    def run():
        got = sandbox("say(True)", setup=setup)
        return "BLOCKED" if refusal and refusal in (got["error"] or "") else spoken(got)
    return run


check("A03", "a host whose /dev/null is a link to somewhere: nothing runs", "the same host with the device",
      started(DEV + "ln -s /dev/zero /dev/null", "is not the device it should be"), started(DEV + "mknod -m 666 /dev/null c 1 3"))


def on_terminal(argv):
    """What a program says that has a terminal of its own, as controlling terminal and standard streams."""
    argv += ["control" if argv[0] == "python3" else "walls", json.dumps(campaign.ground.world)]
    pid, fd = pty.fork()
    if pid == 0:
        try:
            os.execvpe(argv[0], argv, campaign.ground.env)
        finally:
            os._exit(1)
    text = b""
    try:
        while chunk := os.read(fd, 4096):
            text += chunk
    except OSError:
        pass
    os.waitpid(pid, 0)
    os.close(fd)
    return text.decode("utf-8", "replace")


def terminal_outside(code):
    def walls_off():
        text = on_terminal(["python3", "-s", program(code, "python")])
        return spoken({"error": None, "end": "exit", "signal": 0, "out": "REACHED" if "REACHED" in text else text, "err": text})
    return walls_off


def terminal_inside(code):
    """The sandbox is started from a terminal: nothing of it may come through."""
    def walls():
        return spoken(json.loads(on_terminal([SANDBOX, "--lang", "python", program(code, "python")])))
    return walls


A_TERMINAL = "outside, on a terminal of its own"
NO_TTY = "say(any(os.isatty(n) for n in range(3)) or os.path.exists('/dev/console') or os.path.exists('/dev/pts') or can(lambda: open('/dev/tty')))"
check("A04", "a terminal, /dev/console or /dev/pts", A_TERMINAL, terminal_inside(NO_TTY), terminal_outside(NO_TTY))

FAKE_PROC = """mount -t tmpfs proc /proc; cd /proc; mkdir -p self/ns $(seq -f %g/ns 1 40)
for p in *; do for f in uid_map gid_map setgroups oom_score_adj status limits; do : > $p/$f; done; done; chmod 666 */*_map */setgroups */oom_score_adj"""
check("A05", "a /proc that is none, with the files the launcher writes: nothing runs", "the same namespace with the kernel's /proc",
      started(FAKE_PROC, "which is not the kernel's"), started("mount -t proc proc /proc"))


def swapped_input(read):
    """A directory given as input is swapped for a link to a secret, again and again."""
    def race():
        d = scratch("swap")
        os.makedirs(d + "/tree/data")
        open(d + "/tree/data/x", "w").write("harmless")
        stop = threading.Event()
        def swap():
            while not stop.is_set():
                os.rename(d + "/tree/data", d + "/aside")
                os.symlink(campaign.ground.dirs[1], d + "/tree/data")
                os.unlink(d + "/tree/data")
                os.rename(d + "/aside", d + "/tree/data")
        t = threading.Thread(target=swap)
        t.start()
        try:
            return verdict(any(campaign.ground.secret in read(d) for _ in range(40)))
        finally:
            stop.set()
            t.join()
    return race


FIND = """import os
for d, _, files in os.walk('.'):
    for f in files: print(open(os.path.join(d, f)).read())"""


def read_by_bawn(d):
    return World().bawn("run", "--json", "--in", d + "/tree", "-c", FIND, cwd=d).out


def read_naively(d):
    text = ""
    for _ in range(300):
        try:
            text += "".join(open(d + "/tree/data/" + n).read() for n in os.listdir(d + "/tree/data") if n != "socket")
        except OSError:
            pass
    return text


check("A06", "an input directory swapped for a link while it is taken in (40 times)", "a reader that follows links", swapped_input(read_by_bawn), swapped_input(read_naively))

row("A07", "mounting a cgroup hierarchy, for its release_agent", AS_ROOT, """
for kind, data in ((b'cgroup', b'memory'), (b'cgroup', b'pids'), (b'cgroup2', b'')):
    r, e = sc(165, b'cgroup', b'/tmp', kind, 0, data)
    if r == 0: say(True, os.listdir('/tmp')[0])
if e in (errno.ENODEV, errno.EBUSY): absent(errno.errorcode[e])
say(False, errno.errorcode[e])""", denial="mount", reduced="only mounted, in its own mount namespace; no file of it is written")
row("A07", "a release_agent anywhere in the tree", HOST, """
found = [line for line in open('/proc/self/mountinfo') if ' - cgroup' in line] if not CONTROL else []  # so none below /usr, which is large
for d, dirs, files in os.walk('/sys/fs/cgroup' if CONTROL else '/'):
    if d == '/': dirs.remove('usr')
    if 'release_agent' in files: found.append(d)
if CONTROL and not found: absent('pure cgroup v2')
say(bool(found))""")
row("A08", "fsopen", AS_ROOT, "kernel(*sc(430, b'tmpfs', 0))", denial="fsopen")
row("A08", "fsconfig, fsmount, move_mount, open_tree, mount_setattr", AS_ROOT, "kernel_all((431, -1, 0, 0, 0, 0), (432, -1, 0, 0), (429, -1, b'', -1, b'', 0), (428, -100, b'/', 0), (442, -100, b'/', 0, 0, 0))",
    denial="fsconfig")
row("A09", "a cgroup.procs to write", HOST, """
for top in ('/sys/fs/cgroup', '/workspace', '/tmp', '/proc', '/etc', '/dev'):
    for d, _, files in os.walk(top):
        if 'cgroup.procs' in files and can(lambda: os.close(os.open(d + '/cgroup.procs', os.O_WRONLY))): say(True, d)
say(False)""", reduced="opened, never written")
row("A09", "the host's cgroup path", "cgroupns", "say('bawn/run-' in open('/proc/self/cgroup').read())")
row("A10", "unshare(NEWUSER)", "seccomp", "r, e = sc(272, 0x10000000); say(r == 0, errno.errorcode.get(e, ''))", denial="unshare")
row("A10", "unshare with a high bit", "seccomp", "kernel(*sc(272, 0x10000000 | 1 << 40))", denial="unshare")
row("A10", "clone(NEWUSER)", "seccomp", "r, e = sc(56, 0x10000011, 0, 0, 0, 0)\nif r == 0: os._exit(0)\nsay(r > 0, errno.errorcode.get(e, ''))", denial="clone")
row("A10", "clone of each namespace, one by one", AS_ROOT, """
n = 0
for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
    r, e = sc(56, flag | 17, 0, 0, 0, 0)
    if r == 0: os._exit(0)
    n += r > 0
say(n > 0, str(n))""", denial="clone")
row("A10", "clone(PARENT), a child of the launcher", "seccomp", "r, e = sc(56, 0x8011, 0, 0, 0, 0)\nif r == 0: os._exit(0)\nsay(r > 0, errno.errorcode.get(e, ''))", denial="clone")
row("A10", "setns", "seccomp", "kernel(*sc(308, os.open('/proc/self/ns/user', 0), 0))", denial="setns")
row("A11", "clone3(NEWUSER), whose flags no filter can see", "seccomp", """
args = struct.pack('11Q', 0x10000000, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0)
r, e = sc(435, args, len(args))
if r == 0: os._exit(0)
say(r > 0, errno.errorcode.get(e, ''))""")
row("A12", "a mount that propagates", HOST, """
if CONTROL: L.mount(b'none', b'/', None, ctypes.c_ulong(1 << 20 | 1 << 14), None)
say('shared:' in open('/proc/self/mountinfo').read() or 'master:' in open('/proc/self/mountinfo').read())""", reduced="its own mounts are made shared")
row("A13", "what lies above the root", "mountns", "say(any(os.path.exists('/' + '../' * 20 + d) for d in W['dirs']))")
row("A13", "chroot, and out of it", AS_ROOT, "os.mkdir('x'); kernel(*sc(161, b'x'))", denial="chroot")
row("A13", "pivot_root", AS_ROOT, "kernel(*sc(155, b'.', b'.'))", denial="pivot_root")
row("A13", "umount of a mask or a wall", AS_ROOT, "kernel(*sc(166, b'/tmp', 2))", denial="umount2")
row("A14", "a secret in the environment of whoever called, from PID 1", HOST, "say(W['terces'][::-1] in open('/proc/1/environ').read()) if can(lambda: open('/proc/1/environ')) else say(False, why)")
row("A14", "init's memory", "pidns " + AS_ROOT, "opens('/proc/1/mem')")
row("A14", "init's root", "pidns " + AS_ROOT, "tries(os.listdir, '/proc/1/root')")
row("A14", "processes that are not its own", "pidns", "say(len([p for p in os.listdir('/proc') if p.isdigit()]) > 1)")
row("A14", "the secret in any file that can be read", "mountns " + AS_ROOT, """
want, n = W['terces'][::-1].encode(), 0
for d, dirs, files in os.walk('/'):
    if d == '/': dirs[:] = [x for x in dirs if x not in ('usr', 'sys')]
    if CONTROL and d == '/var': dirs[:] = ['tmp']
    for f in files:
        try:
            if stat.S_ISREG(os.stat(d + '/' + f).st_mode):
                n += 1
                if want in open(d + '/' + f, 'rb').read(1 << 20): say(True, d)
        except OSError: pass
say(n < 20, f'{n} files')""")
row("A15", "any file of /proc/sys, for writing", "pidns " + AS_ROOT, """
got = [d + '/' + f for d, _, files in os.walk('/proc/sys') for f in files if can(lambda: os.close(os.open(d + '/' + f, os.O_WRONLY)))]
say(bool(got), str(len(got)))""", reduced="opened, never written")
row("A15", "core_pattern, modprobe and binfmt_misc", "pidns " + AS_ROOT, """
say(any(can(lambda: os.close(os.open('/proc/sys/' + f, os.O_WRONLY))) for f in ('kernel/core_pattern', 'kernel/modprobe', 'fs/binfmt_misc/register')), why)""",
    reduced="opened, never written")
for name in ("sysrq-trigger", "kcore", "kallsyms", "timer_list", "keys", "kmsg", "meminfo", "slabinfo", "vmallocinfo", "modules", "interrupts"):
    row("A16", "/proc/" + name, "pidns " + AS_ROOT, f"opens_if_there('/proc/{name}', {'os.O_WRONLY' if name == 'sysrq-trigger' else 'os.O_RDONLY'})", reduced="opened only" if name == "sysrq-trigger" else None)
DEVICES = {"A20": "kmsg mem kmem port fuse vsock vhost-net net/tun loop-control mapper/control", "B02": "userfaultfd", "B24": "kvm dri"}
for entry, names in DEVICES.items():
    for name in names.split():
        row(entry, "/dev/" + name, HOST, f"opens_if_there('/dev/{name}')")
row("A17", "/sys", "mountns", "say(os.path.exists('/sys/kernel'))")
row("A17", "mounting each file system the kernel has without a device", AS_ROOT, """
got = [k for k in W['filesystems'] if sc(165, b'none', b'/tmp', k.encode(), 0, 0)[0] == 0]
say(bool(got), ' '.join(got))""", denial="mount")
PUSH = """
fd = os.open('/dev/tty', os.O_RDWR) if CONTROL else 0
if CONTROL: fcntl.ioctl(fd, 0x5412, b'x'); say(True)
kernel(*sc(16, fd, %s, b'x'))"""
check("A18", "TIOCSTI, into the terminal of whoever called", A_TERMINAL, terminal_inside(PUSH % "0x5412"), terminal_outside(PUSH % "0x5412"))
row("A18", "TIOCSTI by number", "seccomp", "kernel(*sc(16, 0, 0x5412, b'x'))", denial="ioctl", reduced="on what is no terminal: any answer but 'not permitted'")
row("A18", "TIOCSTI with high bits", "seccomp", "kernel(*sc(16, 0, 0x5412 | 1 << 40, b'x'))", denial="ioctl", reduced="as before")
row("A18", "TIOCLINUX", "seccomp", "kernel(*sc(16, 0, 0x541c, b'\\2'))", denial="ioctl", reduced="as before")
row("A18", "TIOCSCTTY, a terminal taken over", "seccomp", "kernel(*sc(16, 0, 0x540e, 1))", denial="ioctl", reduced="as before")


def named_like_an_option(argv):
    def run():
        d = scratch("option")
        open(d + "/-cprint('REACHED')", "w").write("print('BLOCKED')\n")
        return subprocess.run(argv, cwd=d, env={**campaign.ground.env, "BAWN_STATE": d + "/state"}, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout.strip()
    return run


check("A19", "a file named like an option of the interpreter", "the interpreter called with that name",
      named_like_an_option([BAWN, "run", "--lang", "python", "./-cprint('REACHED')"]), named_like_an_option(["python3", "-cprint('REACHED')"]))
check("A19", "arguments and code that look like options", "the interpreter called with these arguments",
      lambda: verdict(sandbox("--version || true; echo \"$@\"", lang="bash", args=["--bind", "-c", "echo REACHED", "--"])["out"] != "--bind -c echo REACHED --\n"),
      lambda: verdict("REACHED" in subprocess.run(["bash", "--norc", "-c", "echo REACHED", "--"], capture_output=True, text=True).stdout))

row("A20", "making a device", AS_ROOT, "kernel(*sc(133, b'/workspace/n', 0o20666, 0x103))", denial="mknod")
row("A20", "making a device by mknodat", AS_ROOT, "kernel(*sc(259, -100, b'/workspace/n', 0o60666, 0x700))", denial="mknodat", reduced="of loop 0, and never opened")
row("A20", "a device in a place that can be written", HOST, """
def device(d):
    p = os.path.join(d, 'n')
    if CONTROL: os.mknod(p, 0o20666, os.makedev(1, 3))
    return CONTROL and can(lambda: open(p)) or not os.statvfs(d).f_flag & os.ST_NODEV
say(any(device(d) for d in (['.'] if CONTROL else ['/workspace', '/tmp', '/dev/shm'])))""")
row("A20", "a block device in /dev, or more than the five", HOST, """
nodes = {n for n in os.listdir('/dev') if stat.S_ISCHR(os.lstat('/dev/' + n).st_mode) or stat.S_ISBLK(os.lstat('/dev/' + n).st_mode)}
say(bool(nodes - {'null', 'zero', 'full', 'random', 'urandom'}), str(len(nodes)))""")
row("A21", "set-user-id binaries count", "mountns", "say(not os.statvfs('/usr').f_flag & os.ST_NOSUID)")
row("A21", "a capability, in any of the five sets", "no_caps", "say(any(l.startswith('Cap') and int(l.split()[1], 16) for l in open('/proc/self/status')))")
row("A21", "new privileges by exec", "no_new_privs no_caps", "say('NoNewPrivs:\\t0' in open('/proc/self/status').read())")
row("A21", "being root", "userns uid", "say(os.getuid() == 0)")
row("A21", "setuid, setgid, setgroups, capset", AS_ROOT, "kernel_all((105, os.getuid()), (106, os.getgid()), (116, 0, 0), (126, 0, 0))", denial="setuid")
row("A22", "open_by_handle_at", AS_ROOT, """
h = ctypes.create_string_buffer(struct.pack('Ii', 128, 0) + bytes(128))
mnt = ctypes.c_int()
r, e = sc(303, -100, b'/workspace', h, ctypes.byref(mnt), 0)
if e == errno.EOPNOTSUPP: absent('no handles')
root = os.open('/workspace', os.O_RDONLY)
r, e = sc(304, root, h, os.O_RDONLY)
say(r >= 0, errno.errorcode.get(e, ''))""", denial="open_by_handle_at")
row("A23", "a program in memory (memfd_create)", "seccomp", "r, e = sc(319, b'x', 0); say(r >= 0, errno.errorcode.get(e, ''))")
row("A23", "execveat", "seccomp", "kernel(*sc(322, -1, b'', 0, 0, 0x1000))", denial="execveat")
row("A23", "running a file of /tmp, by /proc/self/fd too", HOST, """
d = '.' if CONTROL else '/tmp'
open(d + '/x', 'w').write('#!/bin/sh\\nexit 42\\n')
os.chmod(d + '/x', 0o755)
fd = os.open(d + '/x', os.O_RDONLY)
os.set_inheritable(fd, True)
def run(p):
    try: os.execv(p, ['x'])
    except OSError: os._exit(1)
say(any(child(lambda: run(p)) == 42 for p in (d + '/x', f'/proc/self/fd/{fd}')))""")
row("A24", "splice, of the page-cache family", "seccomp", "r, w = os.pipe(); kernel(*sc(275, r, 0, w, 0, 1, 2))", denial="splice")
row("A24", "vmsplice and tee", "seccomp", "r, w = os.pipe(); kernel_all((278, w, 0, 0, 0), (276, r, w, 1, 2))", denial="vmsplice")
row("A24", "sendfile and copy_file_range", "seccomp", """
a, b = os.open('/usr/bin/env', os.O_RDONLY), os.open('out', os.O_RDWR | os.O_CREAT)
say(sc(40, b, a, 0, 10)[0] >= 0 or sc(326, a, 0, b, 0, 10, 0)[0] >= 0)""")
row("A25", "writing a read-only page through /proc/self/mem", "landlock", """
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ)
addr = L.mmap(None, ctypes.c_long(4096), 1, 0x22, -1, ctypes.c_long(0))
def patch():
    with open('/proc/self/mem', 'r+b', 0) as f:
        f.seek(addr); f.write(b'gotcha')
say(can(patch) and ctypes.string_at(addr, 6) == b'gotcha')""")
row("A25", "another's memory through /proc/PID/mem", AS_ROOT + " pidns", """
pid = os.fork()
if pid == 0: time.sleep(20); os._exit(0)
good = can(lambda: os.close(os.open(f'/proc/{pid}/mem', os.O_RDWR)))
os.kill(pid, 9)
say(good)""")
row("A26", "stat, chdir, access, readlink on what is outside", "mountns", """
d = W['dirs'][1]
say(any(can(f, d) for f in (os.stat, os.chdir, os.listdir)) or os.access(d, os.F_OK) or can(os.readlink, d + '/link'), why)""")
row("A26", "mode, owner, times, attributes, locks of a file of /usr", AS_ROOT + " ro_root", """
if CONTROL: open('f', 'w'); p = 'f'
else: p = '/usr/bin/env'
fd = os.open(p, os.O_RDONLY)
say(any(can(f) for f in (lambda: os.chmod(p, 0o755), lambda: os.chown(p, os.getuid(), -1), lambda: os.utime(p), lambda: os.setxattr(p, 'user.x', b'y'),
                         lambda: os.truncate(p, 10), lambda: os.fchmod(fd, 0o755), lambda: os.utime(fd))), why)""", reduced="on a file of its own")
row("A26", "past Landlock by rename and link", AS_ROOT + " ro_root", """
say(any(can(f) for f in (lambda: os.rename('/code/main.py', '/workspace/m'), lambda: os.link('/usr/bin/env', '/workspace/env'), lambda: os.link('/code/main.py', '/workspace/m'),
                         lambda: os.mkdir('/x'), lambda: os.rename('/workspace', '/w'), lambda: os.symlink('x', '/etc/x'))), why)""")
row("A26", "writing to the root, /etc, /usr, /code, /dev", "ro_root landlock", """
say(any(can(lambda: open(p, 'w')) for p in ('/x', '/etc/x', '/usr/x', '/usr/bin/x', '/code/x', '/dev/x', '/bin/x', '/lib/x')), why)""")
row("A26", "writing where only Landlock says no", "landlock", "opens('/proc/self/comm', os.O_WRONLY)")
row("A26", "the host's home directories and secrets", "mountns", "say(os.path.exists('/root') or os.path.exists('/etc/shadow') or os.path.exists('/home'))")
row("A27", "a socket of a daemon, anywhere in the tree", "mountns", """
tops = ['/'] if not CONTROL else [W['dirs'][1]]
found = []
for top in tops:
    for d, dirs, files in os.walk(top):
        if d == '/usr' and W['slow']: dirs.clear()
        found += [d + '/' + f for f in files if can(os.lstat, d + '/' + f) and stat.S_ISSOCK(os.lstat(d + '/' + f).st_mode)]
def knock(p):
    s = socket.socket(socket.AF_UNIX); s.connect(p)
say(any(can(knock, p) for p in found), str(found))""")
row("A27", "a daemon on the host's loopback", "netns", "tries(lambda: socket.create_connection(('127.0.0.1', W['port']), 5))")

NO_DOCKER = "the native backend takes it"
NO_ENGINE = {"DOCKER_HOST": "unix:///nonexistent/engine"}  # what is tried with one is in tests/docker


def backend(name, *more):
    def run():
        image = ("--image", "x") if name == "docker" else ()
        r = World().bawn("run", "--json", "--backend", name, *image, *more, "-c", "print('REACHED')", env=NO_ENGINE)
        return verdict(r.json is None or r["stdout"] == "REACHED\n" or r["status"] == "completed")
    return run


big = "x='" + "a" * (200 << 10) + "'\nprint('REACHED')"
check("A28", "a container API asked with a body too large to be looked at: without an engine nothing runs, and code is in no body", NO_DOCKER,
      lambda: verdict(World().bawn("run", "--json", "--backend", "docker", "--image", "x", "-", input=big, env=NO_ENGINE)["status"] == "completed"),
      lambda: verdict(World().bawn("run", "--json", "-", input=big)["status"] == "completed"))
check("A29", "files copied out of a running container: without an engine nothing runs, and nothing is copied so", NO_DOCKER, backend("docker", "--out", campaign.ground.scratch + "/out"), backend("native"))
check("A30", "a container with a weak default: without an engine nothing runs, and with one every setting is checked", NO_DOCKER, backend("docker"), backend("native"))
