#!/usr/bin/python3
"""Trust changes numbers, never walls: what the code sees of its cage is the same at every level."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from conformance import *

PROBE = r'''
import json, os, resource, socket, sys
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
out['cgroup'] = sorted(l.strip().rsplit(':', 1)[1] for l in open('/proc/self/cgroup'))
out['processes'] = [p for p in os.listdir('/proc') if p.isdigit()]
out['rlimits'] = [resource.getrlimit(getattr(resource, 'RLIMIT_' + n))[1] for n in ('NOFILE', 'MEMLOCK', 'NICE', 'RTPRIO')]
out['writable'] = []
for d, below, _ in os.walk('/'):
    below[:] = [b for b in below if os.path.join(d, b) not in ('/usr', '/proc')]
    if tries(lambda: open(d + '/.x', 'w').close() or os.unlink(d + '/.x')) == 'ok': out['writable'].append(d)
out['writable'].sort()
print(json.dumps(out, sort_keys=True))
print(json.dumps({n: os.readlink('/proc/self/ns/' + n) for n in ('user', 'mnt', 'pid', 'net', 'ipc', 'uts', 'cgroup')}))
'''
seen = {}
for trust in ("trusted", "standard", "untrusted", "unknown"):
    r = w.lifted(PROBE, "--trust", trust)
    if not ok(r.code == 0 and r["trust_level"] != "" and r["stdout"], f"the probe runs at {trust}"):
        r.show()
        continue
    sees, spaces = map(json.loads, r["stdout"].splitlines())
    if differs("process numbers"):
        own, sees["pid"] = str(sees["pid"]), 2
        sees["processes"] = ["2" if p == own else p for p in sees["processes"] if p != "1"]
    seen[trust] = (sees, sorted(r["enforcement"]["layers"]), sorted(r["enforcement"]["missing"]), r["limits"], r["trust_level"])
levels = list(seen)
for t in levels[1:]:
    equal(seen[t][:3], seen[levels[0]][:3], f"walls at {seen[t][4]} equal those at {seen[levels[0]][4]}")
ok(len({v[3]["pids"] for v in seen.values()}) > 1 or len({v[3]["timeout_ms"] for v in seen.values()}) > 1, "control: the numbers do differ")
p = seen[levels[0]][0]
for name in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup"):
    layer = {"mnt": "mount"}.get(name, name) + "ns"
    if layer in LAYERS:
        ok(spaces[name] != os.readlink("/proc/self/ns/" + name), f"{layer}: not the host's")
    else:
        skip(f"{layer}: not the host's", f"{World.backend} runs without it here")
equal((p["CapEff"], p["CapPrm"], p["CapInh"], p["CapBnd"], p["CapAmb"]), ("0" * 16,) * 5, "no capability in any of the five sets")
equal((p["NoNewPrivs"], p["Seccomp"]), ("1", "2"), "no new privileges, a seccomp filter")
equal((p["pid"], p["cwd"], p["fds"]), (2, "/workspace", [0, 1, 2]), "PID 2, in /workspace, with the three standard descriptors")
equal(p["env"], ["HOME", "LANG", "PATH", "TZ"], "only PATH, HOME, LANG and TZ in the environment")
ok(all(p[x] != "ok" for x in ("usr", "code", "shadow", "net")), f"no writing to /usr or the code, no shadow, no network ({p['usr']} {p['code']} {p['shadow']} {p['net']})")
equal(p["writable"], ["/dev/shm", "/tmp", "/workspace"], "three places are writable, and nothing else")
uid = p["uid"][0] if differs("uid") and p["uid"][0] >= 1900000000 else 1000
equal((p["uid"], p["Groups"] in ("", str(uid), "65534"), p["host"]), ([uid, uid], True, "bawn"), "one user without privileges, one host name")
equal((p["cgroup"], p["processes"]), (["/"] * len(p["cgroup"]), ["2"]), "it sees itself alone, and nothing of the host's cgroups")
if differs("devices"):
    p["dev"] = [d for d in p["dev"] if d not in ("mqueue", "ptmx", "pts", "tty")]
equal((p["rlimits"], p["dev"]), ([256, 0, 0, 0], ["fd", "full", "null", "random", "shm", "stderr", "stdin", "stdout", "urandom", "zero"]), "few files, no locked memory, no rank, no devices but the harmless ones")
done()
