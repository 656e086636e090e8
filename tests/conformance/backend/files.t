#!/usr/bin/python3
"""Files in and out: what is passed is there, what is left is collected within caps, nothing is followed, and what is left out is listed with the reason."""
import hashlib, os, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from conformance import *


def run(code, *options, lang="python"):
    r = w.bawn("run", "--json", "--lang", lang, *w.chosen(), *options, "-c", code, cwd=w.dir)
    return r if r.json else r.show() or r


# In.
w.file("helper.py", "def answer(): return 42\n")
w.file("data/deep/a.csv", "1,2\n")
w.file("with space ü.txt", "odd")
w.file("tool.sh", "#!/bin/sh\necho tool", 0o755)
os.symlink("/etc/hostname", w.dir + "/data/link")
r = run("import helper, os, subprocess\nprint(helper.answer(), open('data/deep/a.csv').read().strip(), open('b.csv').read().strip(), open('with space ü.txt').read(),\n"
        "  subprocess.run(['./tool.sh'], capture_output=True, text=True).stdout.strip(), os.path.lexists('data/link'))\nopen('helper.py', 'a').write('#')\nopen('b.csv', 'w').write('new')",
        "--in", "helper.py", "--in", "data", "--in", "data/deep/a.csv:b.csv", "--in", "with space ü.txt", "--in", "tool.sh", "--out", "out")
equal((r.code, r["stdout"]), (0, "42 1,2 1,2 odd tool False\n"), "inputs are importable, keep name and mode, may be changed; links are left behind") or r.show()
equal([f["path"] for f in r["files"]], ["b.csv", "helper.py"], "changed inputs come back, unchanged ones do not")
equal((open(w.dir + "/out/b.csv").read(), open(w.dir + "/helper.py").read()), ("new", "def answer(): return 42\n"), "into --out, not over what they were made from")
for name in ("helper.py:../x", "helper.py:/x", "helper.py:a/../../x", "helper.py:" + "x" * 300, "helper.py:a\nb", "none.txt", "/dev/zero", "/proc/self/mem"):
    r = run("print(1)", "--in", name)
    ok(r.code == 125 and r["status"] == "error" and r["error"]["message"] and r["stdout"] == "", f"--in {name[:24]!r} is refused before anything runs") or r.show()
big = w.file("big.bin", b"x" * (9 << 20))
r = run("print(1)", "--in", big, "--disk", "8m")
equal((r.code, r["error"]["type"], "disk" in r["error"]["message"]), (125, "input_invalid", True), "inputs larger than the disk limit are refused")
r = run("import os\nprint(os.path.getsize('big.bin'))", "--in", big, "--disk", "16m")
equal((r.code, r["stdout"]), (0, f"{9 << 20}\n"), "control: within it they are not")

# Out: what comes back is what was there.
r = w.lifted("import os\nos.makedirs('d/e')\nopen('d/e/f', 'wb').write(bytes(range(256)))\nopen('empty', 'w')\nopen('x', 'w').write('x')\nos.chmod('x', 0o4755)", "--out", "out2", cwd=w.dir)
equal([(f["path"], f["size"], f["sha256"]) for f in r["files"]],
      [(p, len(b), hashlib.sha256(b).hexdigest()) for p, b in (("d/e/f", bytes(range(256))), ("empty", b""), ("x", b"x"))], "files come back with size and hash")
equal((open(w.dir + "/out2/d/e/f", "rb").read(), os.stat(w.dir + "/out2/x").st_mode & 0o7111), (bytes(range(256)), 0), "their bytes, but never their mode")

# What is never followed or opened, each with its reason.
LEAVES = r'''
import os, socket
os.symlink('/etc/passwd', 'link'); os.symlink('/', 'root'); os.symlink('link2', 'link2')
open('hard1', 'w').write('h'); os.link('hard1', 'hard2')
try: os.mkfifo('fifo'); print('fifo')
except PermissionError: pass
s = socket.socket(socket.AF_UNIX); s.bind('sock')
for kind in (0o020000, 0o060000):
    try: os.mknod('device%o' % kind, kind | 0o600, os.makedev(1, 3))
    except OSError: pass
open(b'bad\xff', 'w').close(); open('esc\x1b[2J', 'w').close(); open('line\nbreak', 'w').close()
open('csi\x9b2J', 'w').close(); open('exe\u202egnp', 'w').close()
os.makedirs('/'.join(['deep'] * 20)); open('/'.join(['deep'] * 15) + '/f', 'w').write('kept')
with open('sparse', 'w') as f: f.truncate(7 << 20)
with open('sparse2', 'w') as f: f.truncate(7 << 20)
open('good', 'w').write('good')
'''
r = w.lifted(LEAVES, "--disk", "8m", "--out", "out3", cwd=w.dir)
equal((r.code, [(f["path"], f["size"]) for f in r["files"]]), (0, [("/".join(["deep"] * 15) + "/f", 4), ("good", 4), ("sparse", 7 << 20)]), "only plain files within the caps are taken") or r.show()
made = [("fifo", "named pipe")] if r["stdout"] == "fifo\n" else []  # what cannot be made need not be left out
equal(sorted((f["path"], f["why"]) for f in r["skipped_files"]), sorted([
    ("link", "symbolic link"), ("root", "symbolic link"), ("link2", "symbolic link"), ("hard1", "hard link"), ("hard2", "hard link"), *made,
    ("sock", "socket"), ("bad\\xff", "name is not UTF-8"), ("esc\\x1b[2J", "name has control characters"), ("line\\nbreak", "name has control characters"),
    ("csi\\x9b2J", "name has control characters"), ("exe\\u202egnp", "name has characters that turn text round or break lines"),
    ("/".join(["deep"] * 16), "too deep"), ("sparse2", "files larger than the disk limit")]), "everything else is listed with the reason")
equal(sorted(os.listdir(w.dir + "/out3")), ["deep", "good", "sparse"], "--out has what was taken")
r = run("for i in range(1200): open('f%04d' % i, 'w').close()")
equal((len(r["files"]), len(r["skipped_files"]), {f["why"] for f in r["skipped_files"]}), (1000, 200, {"too many files"}), "at most a thousand files")
r = run("for i in range(3000): open('f%d' % i, 'w').close()")
equal((len(r["files"]), len(r["skipped_files"]), r["skipped_files"][-1]), (1000, 1001, {"path": "...", "why": "and 1000 more"}), "more than can be listed are counted")
r = run("import os\nd = '\\\\' * 250 + '/' + '\\\\' * 250 + '/' + '\\\\' * 250\nos.makedirs(d)\nfor i in range(900): open(d + '/' + '\\\\' * 200 + str(i), 'w')")
equal((r.code, r["status"], r["audit"]["outcome_seq"] is not None), (0, "completed", True), "names the code chose cannot burst its own record") or diag(r["error"])
r = run("import os\nos.mkdir('shut'); open('shut/f', 'w').write('s'); os.chmod('shut', 0)\nopen('closed', 'w').write('c'); os.chmod('closed', 0)\nprint(1)")
equal((r.code, sorted([f["path"] for f in r["files"]] + [f["path"] for f in r["skipped_files"]]) in (["closed", "shut"], ["closed", "shut/f"])), (0, True), "what cannot be read is taken or listed, and holds nothing up") or r.show()

# --out: never through a link, never over what others look for by themselves.
os.makedirs(w.dir + "/out4/.own")
os.makedirs(w.dir + "/elsewhere")
os.symlink(w.dir + "/elsewhere", w.dir + "/out4/link")
os.symlink(w.dir + "/elsewhere/file", w.dir + "/out4/file")
open(w.dir + "/out4/.own/config", "w").write("mine")
r = run("import os\nfor d in ('link', '.own'): os.mkdir(d)\nfor f in ('link/evil', 'file', 'good', '.own/config', '.new'): open(f, 'w').write('evil')", "--out", "out4")
equal((os.listdir(w.dir + "/elsewhere"), os.path.islink(w.dir + "/out4/file"), open(w.dir + "/out4/.own/config").read()), ([], False, "mine"),
      "--out writes through no link and replaces no hidden file")
equal((sorted(f["path"] for f in r["files"]), sorted(f["path"] for f in r["skipped_files"])), ([".new", "file", "good"], [".own/config", "link/evil"]), "and what was left out is listed")

# A repository of the caller's: nothing is added to what git reads by itself.
repo = w.dir + "/repo"
git = ["git", "-c", "safe.directory=*", "-C", repo]
subprocess.run(["git", "init", "-q", repo], check=True, env=w.env)
PLANT = """import os
for d in ('.git', 'build'): os.mkdir(d)
open('.git/commondir', 'w').write('../build')
open('build/config', 'w').write('[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = "touch %s/owned; false"\\n')
for d in ('build/objects', 'build/refs'):
    os.mkdir(d)
    open(d + '/x', 'w')
open('out.txt', 'w').write('wanted')""" % w.dir
r = run(PLANT, "--out", repo)
subprocess.run([*git, "status"], env=w.env, capture_output=True)
equal((r["assessment"]["level"], os.path.exists(w.dir + "/owned"), os.path.exists(repo + "/.git/commondir"), open(repo + "/out.txt").read()),
      ("LOW", False, False, "wanted"), "--out into a repository adds nothing to .git: git status runs nothing of the code's") or r.show()
equal(r["skipped_files"], [{"path": ".git/commondir", "why": "'.git' is hidden and was there before"}], "and says so")
open(repo + "/.git/commondir", "w").write("../build")
subprocess.run([*git, "status"], env=w.env, capture_output=True)
ok(os.path.exists(w.dir + "/owned"), "control: with that file there it would")

# bawn's own directories, by whatever name.
r = run("import os\nos.makedirs('state/approvals')\nos.makedirs('config/bawn')\nfor f in ('state/approvals/x', 'config/bawn/security.yaml', 'mine'): open(f, 'w').write('x')", "--out", ".")
equal((sorted(f["path"] for f in r["files"]), sorted((f["path"], f["why"]) for f in r["skipped_files"])),
      (["mine"], [("config/bawn/security.yaml", "'bawn' is bawn's own directory"), ("state/approvals/x", "'state' is bawn's own directory")]), "--out never reaches bawn's state or configuration")
n = len(w.records("exec.intent"))
for where, what in ((w.state, "the state directory"), (w.state + "/new/dir", "what would lie in it"), (big, "a file"), ("/proc/none", "a place that cannot be written")):
    r = run("open('a', 'w').write('A')", "--out", where)
    equal((r.code, r["status"], r["error"]["type"], r["error"]["field"]), (125, "error", "invalid_request", "out_dir"), f"{what} is no place for files") or r.show()
equal((len(w.records("exec.intent")), os.path.exists(w.state + "/new")), (n, False), "and nothing ran")
done()
