"""A container engine of the test's own: dockerd on its own socket, with its own data, stopped by its pid; nothing is left.

    with Engine() as e:
        e.image()          # made of this host's packages (tools/make-image)

Tests are skipped by name where there is no dockerd (tools/setup docker) or no root; one that does not start is a failure where CI is
set, and a skip elsewhere."""
import glob, http.client, json, os, re, shutil, signal, socket, subprocess, sys, tempfile, time
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "integration"))
from bawntest import *

IMAGE = "bawn/test:1"


class Connection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("engine", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Engine:
    def __init__(self):
        if os.geteuid() != 0 or not shutil.which("dockerd"):
            skip_all("needs root and dockerd (tools/setup docker)")
        # Short: a socket's path may have 107 characters.
        self.dir = tempfile.mkdtemp(prefix="bawn-dk-", dir="/tmp")
        self.socket = self.dir + "/sock"
        self.host = "unix://" + self.socket
        self.cgroup = "/bawn-test-" + os.path.basename(self.dir)
        self.process = None

    def __enter__(self):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that nothing is left then either
        self.start()
        return self

    def __exit__(self, *exc):
        self.stop()
        self.clean()

    def start(self):
        self.log = open(self.dir + "/log", "ab")
        self.process = subprocess.Popen(
            ["dockerd", "-H", self.host, "--data-root", self.dir + "/data", "--exec-root", self.dir + "/exec", "--pidfile", self.dir + "/pid", "--cgroup-parent", self.cgroup,
             "--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false", "--ip-masq=false"], stdout=self.log, stderr=self.log, start_new_session=True)
        until = time.monotonic() + 60
        while time.monotonic() < until and self.process.poll() is None:
            try:
                return self.ask("GET", "/_ping")
            except OSError:
                time.sleep(0.1)
        why = "dockerd does not start here: " + open(self.dir + "/log").read()[-300:].replace("\n", " ")
        self.stop()
        self.clean()
        if os.environ.get("CI"):
            ok(False, why)
            done()
        skip_all(why)

    def stop(self, how=signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.log.close()

    def kill(self):
        """As a crash would: its containerd dies with it, its shims and their containers do not.  A containerd that nobody has
        reaped yet would be taken for a live one."""
        self.stop(signal.SIGKILL)
        path = self.dir + "/exec/containerd/containerd.pid"
        if os.path.exists(path):
            os.unlink(path)

    def clean(self):
        """What a killed engine leaves: its containerd, shims and mounts, by what names our directory and nothing else."""
        for path in glob.glob("/proc/[0-9]*/cmdline"):
            try:
                if self.dir.encode() in open(path, "rb").read() and int(path.split("/")[2]) != os.getpid():
                    os.kill(int(path.split("/")[2]), signal.SIGKILL)
            except OSError:
                pass
        time.sleep(0.2)
        for line in reversed(open("/proc/self/mounts").read().splitlines()):
            if line.split()[1].startswith(self.dir):
                subprocess.run(["umount", "-l", line.split()[1]], capture_output=True)
        shutil.rmtree(self.dir, True)
        for top in glob.glob("/sys/fs/cgroup/*" + self.cgroup) + glob.glob("/sys/fs/cgroup" + self.cgroup):
            until(lambda: not self.remove(top), 10)

    def remove(self, top):
        """Of a container that outlived its engine the processes, then its directories; whether something is still there."""
        for d, _, _ in os.walk(top, topdown=False):
            try:
                for pid in open(d + "/cgroup.procs").read().split():
                    os.kill(int(pid), signal.SIGKILL)
                os.rmdir(d)
            except OSError:
                pass
        return os.path.exists(top)

    def ask(self, method, path, body=None, timeout=30):
        c = Connection(self.socket, timeout)
        c.request(method, path, body=json.dumps(body) if body is not None else None, headers={"Content-Type": "application/json"} if body is not None else {})
        r = c.getresponse()
        data = r.read()
        c.close()
        return json.loads(data) if data[:1] in (b"{", b"[") else data

    def containers(self):
        return self.ask("GET", "/containers/json?all=1")

    def image(self, *packages):
        r = subprocess.run([ROOT + "/tools/make-image", "--socket", self.socket, "--tag", IMAGE, *packages], capture_output=True, text=True)
        if r.returncode != 0:
            skip_all("no image can be made here: " + r.stderr.strip().replace("\n", " ")[:300])
        return IMAGE

    def environment(self):
        return {"BAWN_BACKEND": "docker", "BAWN_IMAGE": IMAGE, "DOCKER_HOST": self.host}

    def world(self, **kw):
        os.environ.update(self.environment())
        World.backend = "docker"
        return World(**kw)


def until(fact, seconds=60):
    """Waits for something that happens by itself; false where it never does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if fact():
            return True
        time.sleep(0.05)
    return False
