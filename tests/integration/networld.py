"""A world with a network, made of two namespaces: bawn lives in one, everybody else (upstream.py) in the other.

Nothing of the host changes: the link between them, their addresses and names exist in there alone.  Who is called how:

  index.test, files.test, registry.test, plain.test ...   11.0.0.10   public, so no exception is needed
  private.test                                            10.9.0.2    the other end of the link
  six.test                                                2606:4700::10, which is made up, as everything here
  169.254.169.254, fd00:ec2::254                          answer, too, if anybody gets that far"""
import base64, hashlib, io, tarfile, zipfile
from bawntest import *

PUBLIC, INSIDE, HERE = "11.0.0.10", "10.9.0.2", "10.9.0.1"
PUBLIC6, INSIDE6, HERE6 = "2606:4700::10", "fd09::2", "fd09::1"
NAMES = ("index.test", "files.test", "registry.test", "plain.test", "denied.test", "raw.test", "xn--bcher-kva.test")


def call(*argv, **kw):
    return subprocess.run(argv, check=True, capture_output=True, **kw)


def wheel(name, version, text, needs=(), more={}):
    """A wheel as pip wants it; needs: other packages; more: further files."""
    out, info, rows = io.BytesIO(), f"{name}-{version}.dist-info", []
    files = {f"{name}.py": text, f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" + "".join(f"Requires-Dist: {n}\n" for n in needs), **more,
             f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    with zipfile.ZipFile(out, "w") as z:
        for path, body in files.items():
            z.writestr(path, body)
            rows.append(f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(body.encode()).digest()).rstrip(b'=').decode()},{len(body)}")
        z.writestr(f"{info}/RECORD", "\n".join(rows + [f"{info}/RECORD,,"]) + "\n")
    return out.getvalue()


def npm_package(name, version, text):
    out = io.BytesIO()
    files = {"package/package.json": json.dumps({"name": name, "version": version, "main": "index.js"}), "package/index.js": text}
    with tarfile.open(fileobj=out, mode="w:gz") as t:
        for path, body in files.items():
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(body), 0o644
            t.addfile(member, io.BytesIO(body.encode()))
    return out.getvalue()


class NetWorld(World):
    """A World whose bawn sees only the namespaces of this test."""

    def __init__(self, user=None):
        super().__init__(user)
        os.chmod(self.dir, 0o755)
        atexit.register(self.tear_down)
        # No names, which would be mounts of the host: whoever sleeps in it holds a namespace, and goes with us.
        self.sleepers = [subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "sh", "-c", "echo; exec sleep infinity"], stdout=subprocess.PIPE) for _ in range(2)]
        for s in self.sleepers:
            s.stdout.readline()
        self.near, self.far = (f"/proc/{s.pid}/ns/net" for s in self.sleepers)
        for ns in (self.near, self.far):
            self.ip(ns, "link", "set", "lo", "up")
        self.ip(self.near, "link", "add", "out0", "type", "veth", "peer", "name", "in0", "netns", str(self.sleepers[1].pid))
        for ns, link, address, six in ((self.near, "out0", HERE, HERE6), (self.far, "in0", INSIDE, INSIDE6)):
            self.ip(ns, "addr", "add", address + "/24", "dev", link)
            self.ip(ns, "addr", "add", six + "/64", "dev", link, "nodad")
            self.ip(ns, "link", "set", link, "up")
        for address in (PUBLIC, "169.254.169.254", PUBLIC6, "fd00:ec2::254"):
            self.ip(self.far, "addr", "add", address + ("/128" if ":" in address else "/32"), "dev", "lo")
        self.ip(self.near, "route", "add", "default", "via", INSIDE)
        self.ip(self.near, "-6", "route", "add", "default", "via", INSIDE6)
        self.make_certificates()
        self.make_packages()
        self.resolv = self.file("resolv.conf", f"nameserver {INSIDE}\noptions timeout:2 attempts:2\n")
        self.upstream = subprocess.Popen(["nsenter", "--net=" + self.far, sys.executable, os.path.join(ROOT, "tests/integration/upstream.py"), self.dir, "in0"],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        json.loads(self.upstream.stdout.readline())
        self.dns(**{name: [PUBLIC] for name in NAMES}, **{"private.test": [INSIDE], "six.test": [PUBLIC6]})

    def tear_down(self):
        if getattr(self, "upstream", None):
            self.upstream.kill()
            self.upstream.wait()
        for s in getattr(self, "sleepers", []):
            s.kill()
            s.wait()

    @staticmethod
    def ip(ns, *words):
        call("nsenter", "--net=" + ns, "ip", *words)

    def make_certificates(self):
        """An authority of our own, and one certificate for every name there is."""
        d = self.dir
        names = ",".join("DNS:" + n for n in (*NAMES, "private.test", "evil.test", "six.test"))
        call("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test authority",
             "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout", d + "/ca.key", "-out", d + "/ca.pem")
        call("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=index.test", "-keyout", d + "/server.key", "-out", d + "/server.csr")
        self.file("ext", f"subjectAltName={names}\nextendedKeyUsage=serverAuth\n")
        call("openssl", "x509", "-req", "-in", d + "/server.csr", "-CA", d + "/ca.pem", "-CAkey", d + "/ca.key", "-CAcreateserial", "-days", "2", "-extfile", d + "/ext",
             "-out", d + "/server.pem")

    def publish(self, name, *versions, text="x = 1\n", **kw):
        """A package on index.test, as wheels."""
        links = []
        for version in versions:
            whl, file = wheel(name, version, text, **kw), f"{name}-{version}-py3-none-any.whl"
            self.file(f"www/packages_{file}", whl)
            links.append(f'<a href="/packages/{file}#sha256={hashlib.sha256(whl).hexdigest()}">{file}</a>')
        self.file(f"www/simple_{name}", f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>")

    def make_packages(self):
        self.publish("bawnprobe", "1.0", text="def answer():\n    return 'installed through the proxy'\n")
        self.file("www/simple_elsewhere", f'<!DOCTYPE html><html><body><a href="https://files.test/packages/elsewhere-1.0-py3-none-any.whl">elsewhere-1.0-py3-none-any.whl</a></body></html>')
        tgz = npm_package("bawnprobe", "1.0.0", "module.exports = 'installed through the proxy';\n")
        self.file("www/bawnprobe_-_bawnprobe-1.0.0.tgz", tgz)
        self.file("www/bawnprobe", json.dumps({"name": "bawnprobe", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {
            "name": "bawnprobe", "version": "1.0.0", "main": "index.js", "dist": {"tarball": "https://registry.test/bawnprobe/-/bawnprobe-1.0.0.tgz",
            "integrity": "sha512-" + base64.b64encode(hashlib.sha512(tgz).digest()).decode(), "shasum": hashlib.sha1(tgz).hexdigest()}}}}))

    def order(self, **what):
        self.upstream.stdin.write(json.dumps(what) + "\n")
        self.upstream.stdin.flush()
        return json.loads(self.upstream.stdout.readline())

    def dns(self, **names):
        self.order(dns=names)

    def log(self):
        """What happened out there since the last look."""
        return self.order(log=True)

    def inside(self, *argv):
        """argv for a command in our namespace, with our resolver."""
        return ["nsenter", "--net=" + self.near, "unshare", "--mount", "--propagation", "private", "sh", "-c",
                'mount --bind "$0" "$(readlink -f /etc/resolv.conf)" && exec "$@"', self.resolv, *argv]

    def argv(self, *args):
        return self.inside(*super().argv(*args))

    def network(self, *whitelist, **more):
        """A configuration directory with this whitelist; more: other keys of `network`."""
        keys = {"network_mode": "dependencies", "whitelist": list(whitelist), "ca_file": self.dir + "/ca.pem", **more}
        lines = "".join(f"  {k}: {json.dumps(v)}\n" for k, v in keys.items())
        return self.config(sandbox=f"network:\n{lines}  acknowledge_risk: true\n", security="overrides:\n  minimum: self\n  acknowledge_risk: true\n")

    def fetch(self, code, config, *options, **kw):
        """A run that has a network; whatever level it is."""
        return self.run(code, "--config", config, "--network", "dependencies", "--override", "--reason", "a test", *options, **kw)


def needs_network_world():
    if not is_root():
        skip_all("network namespaces are made as root")
    for tool in ("ip", "nsenter", "unshare", "openssl"):
        if shutil.which(tool, path="/usr/sbin:/sbin:/usr/bin:/bin") is None:
            skip_all(f"{tool} is not installed")
