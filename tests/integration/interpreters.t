#!/usr/bin/python3
"""An interpreter outside /usr: a virtual environment comes in, read-only and with nothing beside it; anything else is refused with the way out."""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import *

# /tmp is the sandbox's own: what lies there on the host cannot be shown in it.
home = tempfile.mkdtemp(prefix="bawn-it-", dir="/var/tmp")
atexit.register(shutil.rmtree, home, True)
os.chmod(home, 0o755)
user = os.environ.get("BAWN_TEST_USER", "nobody")
worlds = [("root" if is_root() else "this user", World())] + ([(user, World(user=user, base="/tmp"))] if is_root() else [])


def venv(name, python="/usr/bin/python3"):
    """What `python3 -m venv` makes of its own, and a module only it has."""
    path = os.path.join(home, name)
    subprocess.run([python, "-m", "venv", "--without-pip", path], check=True)
    with open(glob.glob(path + "/lib/python3*/site-packages")[0] + "/only_here.py", "w") as f:
        f.write("answer = 42\n")
    with open(path + "/secret", "w") as f:
        f.write("not for the code")
    return path


def using(w, python, code):
    return w.run(code, "--config", w.config(sandbox=f"interpreters:\n  python: {python}\n"))


good, stray, shut = venv("good"), venv("stray"), venv("shut")
os.remove(stray + "/bin/python3")
os.symlink(home + "/elsewhere/python3", stray + "/bin/python3")
os.chmod(shut + "/bin", 0)
os.makedirs(home + "/bin")
shutil.copy(os.path.realpath("/usr/bin/python3"), home + "/bin/python3")
in_tmp = os.path.join(worlds[0][1].dir, "bin/python3")
SEES = f"""import os, subprocess, sys, only_here
print(only_here.answer, sys.prefix, sorted(set(os.listdir(sys.prefix)) - {{'lib64'}}), os.listdir({home!r}))
print(subprocess.run([sys.executable, '-c', 'import only_here; print(only_here.answer)'], capture_output=True, text=True).stdout, end='')
for f in ('lib', 'bin', ''):
    try: open(os.path.join(sys.prefix, f, 'x'), 'w'); print('wrote')
    except OSError: pass
"""
for who, w in worlds:
    r = using(w, good + "/bin/python", SEES)
    equal((r.code, r["stdout"]), (0, f"42 {good} ['bin', 'lib', 'pyvenv.cfg'] ['good']\n42\n"), f"{who}: a virtual environment works, read-only, and only its own parts are there") or r.show()
    equal("only_here" in using(w, "/usr/bin/python3", "import only_here")["stderr"], True, f"{who}: control, without it its modules are not there")
    for name, path in (("one whose interpreter is elsewhere", stray + "/bin/python3"), ("one that may not be entered", shut + "/bin/python"),
                       ("a program that is in no environment", home + "/bin/python3"), ("one in /tmp", in_tmp), ("none at all", home + "/none/bin/python")):
        r = using(w, path, "print('ran')")
        said = (r["error"] or {}).get("message", "")
        ok(r.code == 127 and (r["error"] or {}).get("type") == "interpreter_missing" and path in said and "python3" in said and "interpreters.python in sandbox.yaml" in said,
           f"{who}: {name} is refused: 127, with what to install and where to name it") or r.show()
done()
