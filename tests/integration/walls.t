#!/usr/bin/python3
"""Trust changes numbers, never walls: what the code sees of its cage is the same at every level."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

w = World()
PROBE = r'''
import os, socket, sys, json
out = {}
for line in open('/proc/self/status'):
    k, v = line.split(':', 1)
    if k in ('Uid','Gid','Groups','CapInh','CapPrm','CapEff','CapBnd','CapAmb','NoNewPrivs','Seccomp','Seccomp_filters'): out[k] = v.strip()
out['uid'] = (os.getuid(), os.geteuid())
out['mounts'] = sorted(' '.join(l.split()[i] for i in (4, 5)) for l in open('/proc/self/mountinfo'))
out['root'] = sorted(os.listdir('/'))
out['etc'] = sorted(os.listdir('/etc'))
out['dev'] = sorted(os.listdir('/dev'))
out['pid'] = os.getpid()
out['fds'] = sorted(int(x) for x in os.listdir('/proc/self/fd'))[:3]
out['nfds'] = len(os.listdir('/proc/self/fd'))
out['env'] = sorted(os.environ)
out['cwd'] = os.getcwd()
def tries(f):
    try: f(); return 'ok'
    except Exception as e: return type(e).__name__ + str(getattr(e, 'errno', ''))
out['usr'] = tries(lambda: open('/usr/x', 'w'))
out['code'] = tries(lambda: open('/code/main.py', 'w'))
out['shadow'] = tries(lambda: open('/etc/' + 'shadow'))
out['net'] = tries(lambda: socket.create_connection(('198.51.100.1', 80), 1))
out['host'] = socket.gethostname()
out['ns'] = [os.readlink('/proc/self/ns/' + n).split(':')[0] for n in sorted(os.listdir('/proc/self/ns'))]
print(json.dumps(out, sort_keys=True))
'''
conf = w.config(security="decisions:\n  HIGH: confirm\noverrides:\n  minimum: self\n  acknowledge_risk: true\n")
seen = {}
for trust in ("trusted", "standard", "untrusted", "unknown"):
    r = w.run(PROBE, "--trust", trust, "--override", "--reason", "test", "--config", conf)
    if not ok(r.code == 0 and r["trust_level"] != "" and r["stdout"], f"the probe runs at {trust}"):
        r.show()
        continue
    seen[trust] = (json.loads(r["stdout"]), sorted(r["enforcement"]["layers"]), sorted(r["enforcement"]["missing"]), r["limits"], r["trust_level"])
    own = r["trust_level"]
levels = list(seen)
for t in levels[1:]:
    equal(seen[t][:3], seen[levels[0]][:3], f"walls at {seen[t][4]} equal those at {seen[levels[0]][4]}")
ok(len({v[3]["pids"] for v in seen.values()}) > 1 or len({v[3]["timeout_ms"] for v in seen.values()}) > 1, "control: the numbers do differ")
p = seen[levels[0]][0]
equal((p["CapEff"], p["CapPrm"], p["CapInh"], p["CapBnd"], p["CapAmb"]), ("0" * 16,) * 5, "no capability in any of the five sets")
equal((p["NoNewPrivs"], p["Seccomp"]), ("1", "2"), "no new privileges, a seccomp filter")
equal((p["pid"], p["cwd"], p["fds"]), (2, "/workspace", [0, 1, 2]), "PID 2, in /workspace, with the three standard descriptors")
equal(p["env"], ["HOME", "LANG", "PATH", "TZ"], "only PATH, HOME, LANG and TZ in the environment")
ok(p["usr"] != "ok" and p["code"] != "ok" and p["shadow"] != "ok" and p["net"] != "ok", f"no writing to /usr or the code, no shadow, no network ({p['usr']} {p['code']} {p['shadow']} {p['net']})")

# The caller's rank is not the code's: nice and policy as /proc/self/stat has them, then what the caller had.
RANK = "f=open('/proc/self/stat').read().rsplit(')',1)[1].split(); print(f[16], f[38])"
def ranked(*words):
    return subprocess.run([*words, BAWN, "run", "-q", "-c", RANK], env=w.env, capture_output=True, text=True).stdout.split()
own = subprocess.run(["python3", "-c", RANK], capture_output=True, text=True).stdout.split()
if os.geteuid() == 0:
    bare = [subprocess.run([*k, "python3", "-c", RANK], capture_output=True, text=True).stdout.split() for k in (("chrt", "-f", "1"), ("nice", "-n", "-5"))]
    ok(bare[0][1] == "1" and int(bare[1][0]) < 0, "control: a program outside has the rank it was started with")
    equal((ranked("chrt", "-f", "1"), ranked("nice", "-n", "-5")), ([own[0], "0"], ["0", "0"]), "no real-time policy and no better than nice 0 inside")
equal(ranked("nice", "-n", "7")[0], str(int(own[0]) + 7), "a caller who steps back is followed")

# What ordinary programs need.
w.file("helper.py", "def answer(): return 42\n")
w.file("data/a.csv", "1,2\n")
r = w.bawn("run", "--json", "--in", "helper.py", "--in", "data", "--in", "data/a.csv:b.csv", "--out", "out", "-e", "WHO=me", "-c",
           "import helper, os, sys\nprint(helper.answer(), open('data/a.csv').read().strip(), open('b.csv').read().strip(), os.environ['WHO'], sys.argv[1:])\n"
           "open('result.txt','w').write('r')\nos.makedirs('d/e')\nopen('d/e/f','w').write('x'*10)\nos.symlink('/etc/passwd','link')", "a b", "--flag", cwd=w.dir)
equal((r.code, r["stdout"]), (0, "42 1,2 1,2 me ['a b', '--flag']\n"), "inputs, arguments and variables arrive") or r.show()
equal([(f["path"], f["size"]) for f in r["files"]], [("d/e/f", 10), ("result.txt", 1)], "new files are collected, inputs are not")
equal([f["path"] for f in r["skipped_files"]], ["link"], "a link is skipped, with the reason")
equal(sorted(os.listdir(w.dir + "/out")), ["d", "result.txt"], "--out has them")
os.makedirs(w.dir + "/out2")
os.makedirs(w.dir + "/elsewhere")
os.symlink(w.dir + "/elsewhere", w.dir + "/out2/link")
os.symlink(w.dir + "/elsewhere/file", w.dir + "/out2/file")
r = w.bawn("run", "--json", "--out", "out2", "-c", "import os\nos.mkdir('link')\nopen('link/evil','w').write('x')\nopen('file','w').write('y')\nopen('good','w').write('z')", cwd=w.dir)
equal((os.listdir(w.dir + "/elsewhere"), sorted(f["path"] for f in r["files"])), ([], ["file", "good"]), "--out never writes through a link that lies in DIR")
ok(any(f["path"] == "link/evil" for f in r["skipped_files"]) and not os.path.islink(w.dir + "/out2/file"), "what would have is listed as skipped, or takes the link's place")
os.makedirs(w.dir + "/out3/.own")
open(w.dir + "/out3/.own/config", "w").write("mine")
r = w.bawn("run", "--json", "--out", "out3", "-c", "import os\nos.mkdir('.own')\nopen('.own/config','w').write('evil')\nopen('.new','w').write('x')", cwd=w.dir)
equal((open(w.dir + "/out3/.own/config").read(), [f["path"] for f in r["files"]]), ("mine", [".new"]), "--out replaces no hidden file that is there already")
r = w.run("import os\nd='\\\\'*250+'/'+'\\\\'*250+'/'+'\\\\'*250\nos.makedirs(d)\nfor i in range(900):\n    open(d+'/'+'\\\\'*200+str(i),'w')")
equal((r.code, r["status"], r["audit"]["outcome_seq"] is not None), (0, "completed", True), "names the code chose cannot burst its own record") or diag(r["error"])
equal(w.bawn("run", "-c", "import sys; print(sys.stdin.read().upper(), end='')", input="abc\n").out, "ABC\n", "standard input is passed")
r = w.run("cat | tr a-z A-Z; echo $0 $# $1; exit 7", lang="bash", input="x\n")
equal((r.code, r["stdout"]), (7, "X\n/code/main.sh 0\n"), "bash: pipelines, $0, exit code")
r = w.run("const http=require('http');const s=http.createServer((q,a)=>a.end('hi')).listen(0,'127.0.0.1',()=>http.get({port:s.address().port,host:'127.0.0.1'},a=>a.on('data',d=>{console.log(''+d);s.close()})))", lang="javascript")
equal((r.code, r["stdout"]), (0, "hi\n"), "node: http on loopback") or r.show()
ORDINARY = '''
import asyncio, multiprocessing, sqlite3, subprocess, threading, tempfile, socket
def sq(x): return x * x
async def a(): await asyncio.sleep(0); return (await (await asyncio.create_subprocess_exec('echo', 'hi', stdout=-1)).communicate())[0]
if __name__ == '__main__':
    print(subprocess.run(['echo', 'sub'], capture_output=True, text=True).stdout.strip())
    t = threading.Thread(target=lambda: print('thread')); t.start(); t.join()
    print(asyncio.run(a()).decode().strip())
    with multiprocessing.Pool(2) as p: print(p.map(sq, [1, 2, 3]))
    c = sqlite3.connect('x.db'); c.execute('create table t(a)'); c.execute('insert into t values(5)'); c.commit(); print(c.execute('select a from t').fetchone())
    s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); k = socket.create_connection(s.getsockname()); print('sock')
    print(tempfile.TemporaryFile().write(b'abc'))
'''
r = w.run(ORDINARY)
equal((r.code, r["stdout"]), (0, "sub\nthread\nhi\n[1, 4, 9]\n(5,)\nsock\n3\n"), "python: subprocess, threads, asyncio, multiprocessing, sqlite, sockets, temporary files") or r.show()
r = w.run("import sys; sys.stdout.buffer.write(b'a\\xffb')")
equal((r["stdout"], r["stdout_base64"]), ("a\ufffdb", "Yf9i"), "bytes that are not UTF-8 are replaced, and kept in base64")
r = w.run("print('{\"status\": \"completed\"}'); print('\\x1b[2J'); import sys; sys.exit(9)")
equal((r["status"], r["exit_code"], r.code), ("failed", 9, 9), "what the code prints is not how it ended")
done()
