#!/usr/bin/python3
"""Logs of ours, judged by tools that are not: Go's sumdb packages, sigstore-js, openssl, coreutils and zstd.  Good ones
are accepted, changed ones refused, and our own verdict is the same."""
import base64, glob, hashlib, json, os, shutil, subprocess, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

HERE = os.path.dirname(os.path.abspath(__file__))
MAKE = os.path.join(BUILD, "tests/unit/audit/audit-make")
w = World()
log, every, turned = (os.path.join(w.dir, name) for name in ("log", "every", "turned"))


def call(*words, **env):
    return subprocess.run(words, capture_output=True, text=True, env={**os.environ, **env})


def make(*words):
    r = call(MAKE, *map(str, words))
    if r.returncode:
        diag(r.stderr)
    return r.returncode


equal((make(log, 700), make(every, 60, "entry"), make(turned, 40)), (0, 0, 0), "three logs: plain, each entry signed, ...")
stolen = open(f"{turned}/private/epoch-0.key").read()
equal(make(turned, 50, "batch", 0), 0, "a key changed")
old = w.file("old-checkpoint", open(f"{log}/checkpoint").read())
older, fork = os.path.join(w.dir, "older"), os.path.join(w.dir, "fork")
shutil.copytree(log, older)
shutil.copytree(log, fork)
equal(make(log, 333), 0, "the first grows")
for dir in (log, every, turned):
    r = call(BAWN, "audit", "verify", dir)
    equal(r.returncode, 3, f"our verdict on {os.path.basename(dir)}: good, without an anchor") or diag(r.stdout + r.stderr)

# ---- coreutils ----
for dir, n in ((every, 61), (turned, 92)):
    r = call(f"{HERE}/judges/chain.sh", dir)
    equal((r.returncode, r.stdout), (0, f"good: {n}\n"), f"bash and sha256sum accept the chain of {n} entries") or diag(r.stderr)

if shutil.which("zstd"):
    r = call(f"{HERE}/judges/bodies.sh", log)
    equal((r.returncode, r.stdout, len(glob.glob(f"{log}/blob/*/*.zst"))), (0, "good: 2\n", 1), "zstd and sha256sum accept its bodies, packed and not") or diag(r.stderr)
    bad = os.path.join(w.dir, "bad-body")
    shutil.copytree(log, bad)
    packed = glob.glob(f"{bad}/blob/*/*.zst")[0]
    os.chmod(packed, 0o600)
    with open(packed, "r+b") as f:
        f.seek(-3, 2)
        f.write(b"???")
    ok(call(f"{HERE}/judges/bodies.sh", bad).returncode != 0, "and refuse one that was changed")
    r = call(BAWN, "audit", "verify", bad)
    ok(r.returncode == 1 and os.path.basename(packed)[:64] in r.stdout, "so do we: " + r.stdout.split("\n")[0])
    for name in [os.path.basename(f) for f in glob.glob(f"{log}/blob/*/*")]:
        shutil.rmtree(bad)
        shutil.copytree(log, bad)
        os.remove(f"{bad}/blob/{name[:2]}/{name}")
        r, o = call(f"{HERE}/judges/bodies.sh", bad), call(BAWN, "audit", "verify", bad)
        equal((r.returncode, r.stdout), (1, f"{name[:64]} is missing\n"), f"and say that {name[:8]}... is missing, where it was removed") or diag(r.stderr)
        ok(o.returncode == 1 and f"body {name[:64]}, which entry " in o.stdout, "so do we: " + o.stdout.split("\n")[0])
else:
    skip("zstd and sha256sum accept bodies", "zstd is not there")

# ---- openssl ----
if shutil.which("openssl"):
    for dir in (log, every, turned):
        r = call(f"{HERE}/judges/signature.sh", dir)
        equal((r.returncode, r.stdout.count("Signature Verified Successfully")), (0, 2), "openssl accepts the inline signature and the checkpoint") or diag(r.stdout + r.stderr)
    bad = os.path.join(w.dir, "bad-root")
    shutil.copytree(every, bad)
    last = sorted(glob.glob(f"{bad}/seg/*"))[-1]
    text = open(last, "rb").read()
    at = text.rindex(b'"root":"') + 8
    open(last, "wb").write(text[:at] + (b"B" if text[at:at + 1] == b"A" else b"A") + text[at + 1:])
    ok(call(f"{HERE}/judges/signature.sh", bad).returncode != 0, "and refuses another root")

    def sign(private, text):
        """By the key in a private key file; an Ed25519 private key in DER is these 16 bytes and the seed."""
        seed = base64.b64decode(private.strip().split("+", 4)[4])[1:]
        der, body = w.file("key.der", bytes.fromhex("302e020100300506032b657004220420") + seed), w.file("body", text)
        sig = os.path.join(w.dir, "sig")
        call("openssl", "pkeyutl", "-sign", "-rawin", "-keyform", "DER", "-inkey", der, "-in", body, "-out", sig).check_returncode()
        return base64.b64encode(open(sig, "rb").read()).decode()
else:
    skip("openssl accepts signatures", "openssl is not there")

# ---- sigstore-js ----
NODE_MODULES = os.path.join(HERE, "../../node_modules")


def sigstore(dir, *proofs):
    return call("node", f"{HERE}/judges/sigstore.js", dir, *proofs)


def proof(dir, seq):
    r = call(BAWN, "audit", "proof", str(seq), dir)
    if r.returncode:
        diag(r.stderr)
    return w.file(f"proof-{os.path.basename(dir)}-{seq}", r.stdout)


has_sigstore = os.path.isdir(f"{NODE_MODULES}/@sigstore/verify") and shutil.which("node")
size = int(open(f"{log}/checkpoint").read().split("\n")[1])
held = [proof(log, seq) for seq in (0, 1, 49, 50, 51, 100, 255, 256, size - 2, size - 1)]  # what callers were given
if has_sigstore:
    for dir, proofs in ((log, held), (every, [proof(every, 60)]), (turned, [proof(turned, seq) for seq in (3, 40, 41, 91)])):
        r = sigstore(dir, *proofs)
        equal((r.returncode, r.stdout), (0, f"good: {len(proofs)} proofs\n"), f"sigstore-js accepts {os.path.basename(dir)}") or diag(r.stdout + r.stderr)
    text = open(held[3]).read()
    path = text.split("\n")[2]
    for name, bad in (("another index", text.replace("index 50\n", "index 51\n")), ("another path", text.replace(path, path[:-2] + ("A=" if path[-2] != "A" else "E="))),
                      ("another size", text.replace(f"\n{size}\n", f"\n{size + 1}\n")), ("another root", text.replace(f"\n{size}\n", f"\n{size}\nA"))):
        r = sigstore(log, w.file("bad-proof", bad))
        ok(bad != text and r.returncode == 1, f"and refuses a proof with {name}: {r.stdout.strip()}") or diag(r.stderr)
    shutil.copytree(log, os.path.join(w.dir, "strange"))
    shutil.rmtree(os.path.join(w.dir, "strange/keys"))
    shutil.copytree(f"{every}/keys", os.path.join(w.dir, "strange/keys"))
    r = sigstore(os.path.join(w.dir, "strange"))
    ok(r.returncode == 1 and "signature" in r.stdout, f"and a log signed by another key: {r.stdout.strip()}")
else:
    skip("sigstore-js accepts our logs", "node or @sigstore/verify is not there")

# ---- Go ----
GOCODE = "/usr/share/gocode"
judge = os.path.join(w.dir, "judge")
if not shutil.which("go") or not os.path.isdir(f"{GOCODE}/src/golang.org/x/mod/sumdb/tlog"):
    skip("Go's sumdb packages accept our logs", "golang-go or golang-golang-x-mod-dev is not there")
    done()
r = call("go", "build", "-o", judge, f"{HERE}/judges/verify.go", GO111MODULE="off", GOPATH=GOCODE, GOCACHE=os.path.join(w.dir, "gocache"), GOFLAGS="")
if not equal(r.returncode, 0, "a verifier is built from Go's sumdb packages"):
    diag(r.stderr)
    done()
sizes = {}
for dir in (log, every, turned):
    r = call(judge, dir)
    sizes[dir] = r.stdout
    ok(r.returncode == 0 and r.stdout.startswith("good: "), f"Go accepts {os.path.basename(dir)}: {r.stdout.strip()}") or diag(r.stderr)
r = call(judge, log, old)
ok(r.returncode == 0 and "grown from " in r.stdout, f"and that it grew from its older checkpoint: {r.stdout.split(chr(10))[0]}") or diag(r.stdout + r.stderr)
n = int(sizes[log].split()[1])
for seq in (0, 1, 255, 256, 511, 700, n - 1):
    p = call(BAWN, "audit", "proof", str(seq), log)
    file = w.file(f"proof-{seq}", p.stdout)
    r = call(judge, log, "-proof", file)
    ok(p.returncode == 0 and r.returncode == 0 and f"proof of {seq}\n" in r.stdout, f"Go accepts our proof of entry {seq}") or diag(p.stderr + r.stdout + r.stderr)
p = call(BAWN, "audit", "proof", "3", log).stdout
r = call(judge, log, "-proof", w.file("bad-proof", p.replace("index 3\n", "index 4\n")))
ok(r.returncode != 0, f"and refuses it for another entry: {r.stdout.strip()}")
ok(call(BAWN, "audit", "proof", str(n), log).returncode not in (0, 3), "there is no proof of an entry to come")


# ---- attacks: each on a copy; the columns are the first entry that the chain alone finds bad (None: it misses the attack),
# the verdicts of Go, of sigstore-js with the proofs that were held, and ours ----
def lines(dir):
    return [(f, open(f, "rb").read().splitlines(True)) for f in sorted(glob.glob(f"{dir}/seg/*.jsonl"))]


def edit(change):
    def attack(dir):
        f, text = lines(dir)[0]
        open(f, "wb").write(b"".join(change(text)))
    return attack


def rehash(dir):
    """Everything made to fit, but for the signatures."""
    prev, n = b"0" * 64, 0
    for f, text in lines(dir):
        for i, line in enumerate(text):
            if n == 100:
                line = line.replace(b'"severity":"INFO"', b'"severity":"HIGH"')
            covered, _, rest = line.rpartition(b',"hash":"')
            covered = covered[:-65] + prev + b'"'
            prev = hashlib.sha256(covered + b"}").hexdigest().encode()
            text[i] = covered + b',"hash":"' + prev + rest[64:]
            n += 1
        open(f, "wb").write(b"".join(text))


def cut(dir):
    f, text = lines(dir)[-1]
    open(f, "wb").write(b"".join(text[:-1]))


def flip(path):
    def attack(dir):
        b = bytearray(open(f"{dir}/{path}", "rb").read())
        b[len(b) // 2] ^= 1
        open(f"{dir}/{path}", "wb").write(b)
    return attack


ATTACKS = [
    ("nothing", lambda dir: None, None, True, True, True),
    ("an entry changed", edit(lambda t: t[:50] + [t[50].replace(b'"INFO"', b'"LOW"')] + t[51:]), 50, False, False, False),
    ("an entry removed", edit(lambda t: t[:50] + t[51:]), 50, False, False, False),
    ("two entries swapped", edit(lambda t: t[:50] + [t[51], t[50]] + t[52:]), 50, False, False, False),
    ("an entry duplicated", edit(lambda t: t[:50] + [t[50]] + t[50:]), 51, False, False, False),
    ("an entry of another log inserted", edit(lambda t: t[:50] + [lines(every)[0][1][50]] + t[50:]), 50, False, False, False),
    ("the last entry cut off", cut, None, False, False, False),
    ("an entry changed and everything re-hashed", rehash, None, False, False, False),
    ("a tile changed", flip("tile/0/001"), None, False, True, True),  # made from the log: ours names it, the log is good
    ("a bundle changed", flip("tile/entries/001"), None, False, True, True),
    ("the checkpoint's size changed", lambda dir: open(f"{dir}/checkpoint", "r+").write(open(f"{dir}/checkpoint").read().replace("\n", "\n1", 1)), None, False, False, True),
]
for name, attack, chain, go, js, our in ATTACKS:
    dir = os.path.join(w.dir, "attack")
    shutil.rmtree(dir, ignore_errors=True)
    shutil.copytree(log, dir)
    attack(dir)
    c, g, o = call(f"{HERE}/judges/chain.sh", dir), call(judge, dir), call(BAWN, "audit", "verify", "--json", dir)
    left = sum(len(text) for _, text in lines(dir))
    equal((c.returncode, c.stdout.strip()), (0, f"good: {left}") if chain is None else (1, f"entry {chain} is bad"),
          f"{name}: the chain alone {'sees nothing' if chain is None else 'names it'}") or diag(c.stderr)
    equal(g.returncode == 0, go, f"{name}: Go says {g.stdout.strip()}")
    if has_sigstore:
        s = sigstore(dir, *held)
        equal(s.returncode, 0 if js else 1, f"{name}: sigstore-js says {s.stdout.strip()}") or diag(s.stderr)
    equal(o.returncode, 3 if our else 1, f"{name}: ours says so too") or diag(o.stdout + o.stderr)


# ---- keys: whoever kept the private key of an epoch that is over signs the end of the log, or its checkpoint ----
def sign_entry(dir, key):
    last = sorted(glob.glob(f"{dir}/seg/*"))[-1]
    text = open(last).read()
    at = text.rindex('"signature":"') + 13
    size, root = open(f"{dir}/checkpoint").read().split("\n")[1:3]
    open(last, "w").write(text[:at] + sign(key, f"{key.split('+')[2]}\n{size}\n{root}\n") + text[at + 88:])


def sign_checkpoint(dir, key):
    origin, id = key.split("+")[2:4]
    text = open(f"{dir}/checkpoint").read().split("\n\n")[0] + "\n"
    sig = base64.b64encode(bytes.fromhex(id) + base64.b64decode(sign(key, text))).decode()
    open(f"{dir}/checkpoint", "w").write(f"{text}\n\u2014 {origin} {sig}\n")


# No hash covers a signature, so the chain sees none of it.  A checkpoint that is not ours is named; the log is good all the same.
STALE = "checkpoint is not signed by the key of its epoch"
if shutil.which("openssl"):
    keys = {"the key in force": open(f"{turned}/private/epoch-1.key").read(), "a key whose epoch is over": stolen, "the key of another log": open(f"{every}/private/epoch-0.key").read()}
    for what, resign in (("the last entry", sign_entry), ("the checkpoint", sign_checkpoint)):
        for who, key in keys.items():
            dir, good, name = os.path.join(w.dir, "signed"), who == "the key in force", f"{what} signed by {who}"
            shutil.rmtree(dir, ignore_errors=True)
            shutil.copytree(turned, dir)
            resign(dir, key)
            equal(call(f"{HERE}/judges/chain.sh", dir).returncode, 0, f"{name}: the chain alone sees nothing")
            equal(call(f"{HERE}/judges/signature.sh", dir).returncode == 0, good, f"{name}: openssl")
            g, o = call(judge, dir), call(BAWN, "audit", "verify", "--json", dir)
            equal(g.returncode == 0, good, f"{name}: Go says {g.stdout.strip()}") or diag(g.stderr)
            if has_sigstore:
                s = sigstore(dir)
                equal(s.returncode, 0 if good else 1, f"{name}: sigstore-js says {s.stdout.strip()}") or diag(s.stderr)
            equal((o.returncode, json.loads(o.stdout)["tiles"]), (1 if what == "the last entry" and not good else 3, STALE if what == "the checkpoint" and not good else "good"),
                  f"{name}: ours") or diag(o.stdout + o.stderr)

# ---- what a log alone cannot show: whoever remembers a checkpoint of it can ----
newest = w.file("newest-checkpoint", open(f"{log}/checkpoint").read())
equal(make(fork, 400), 0, "a copy of the log goes another way")
for name, dir, remembered, good in (("honest growth", log, old, True), ("the newest state", log, newest, True),
                                    ("put back to an older signed state", older, newest, False), ("another future of the same past", fork, newest, False)):
    c, g, o = call(f"{HERE}/judges/chain.sh", dir), call(judge, dir), call(BAWN, "audit", "verify", dir)
    equal((c.returncode, g.returncode, o.returncode), (0, 0, 3), f"{name}: alone it looks good to the chain, to Go and to us") or diag(c.stdout)
    g, o = call(judge, dir, remembered), call(BAWN, "audit", "verify", "--witness", remembered, dir)
    equal((g.returncode == 0, o.returncode), (good, 3 if good else 1), f"{name}, held against a checkpoint: {(g.stdout.strip() or g.stderr.strip()).splitlines()[0]}") or diag(g.stdout + g.stderr + o.stdout + o.stderr)
done()
