# What every attack program starts with.  argv: "walls" or "control", then the world as JSON.
import ctypes, errno, fcntl, json, mmap, os, resource, signal, socket, stat, struct, sys, threading, time
CONTROL, W = sys.argv[1] == "control", json.loads(sys.argv[2])
L = ctypes.CDLL(None, use_errno=True)
L.syscall.restype = L.mmap.restype = ctypes.c_long
why = ""  # the last refusal


def sc(*a):
    """One system call: result and errno."""
    ctypes.set_errno(0)
    r = L.syscall(*[ctypes.c_long(x) if isinstance(x, int) else x for x in a])
    return r, ctypes.get_errno()


def say(reached, why=""):
    print("REACHED" if reached else "BLOCKED", why, flush=True)
    os._exit(0)


def absent(why=""):
    print("ABSENT" if CONTROL else "BLOCKED", why, flush=True)
    os._exit(0)


def kernel(r, e):
    """Did the kernel itself look at the call?  Any answer of its own means yes."""
    if e == errno.ENOSYS:
        absent("ENOSYS")
    say(e not in (errno.EPERM, errno.EACCES), errno.errorcode.get(e, str(r)))


def kernel_all(*calls):
    """The same for several calls: one is enough."""
    got = [sc(*c) for c in calls]
    if all(e == errno.ENOSYS for _, e in got):
        absent("ENOSYS")
    say(any(e not in (errno.EPERM, errno.EACCES, errno.ENOSYS) for _, e in got), " ".join(errno.errorcode.get(e, str(r)) for r, e in got))


def family(f, k, p=0):
    r, e = sc(41, f, k, p)
    if e in (errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ESOCKTNOSUPPORT):
        absent(errno.errorcode[e])
    say(r >= 0, errno.errorcode.get(e, ""))


def can(f, *a):
    """Does an attempt succeed?  If not, `why` says why not."""
    global why
    try:
        f(*a)
        return True
    except OSError as e:
        why = errno.errorcode.get(e.errno, str(e))
        return False


def tries(f, *a):
    good = can(f, *a)
    say(good, "" if good else why)


def opens(path, flags=os.O_RDONLY):
    tries(lambda: os.close(os.open(path, flags)))


def opens_if_there(path, flags=os.O_RDONLY):
    """A file of the kernel's that not every kernel has."""
    if not os.path.lexists(path):
        absent("ENOENT")
    opens(path, flags)


def child(f):
    """Runs f in a child: its exit code, or minus the signal."""
    pid = os.fork()
    if pid == 0:
        code = 99
        try:
            code = f() or 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
