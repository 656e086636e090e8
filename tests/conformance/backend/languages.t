#!/usr/bin/python3
"""Ordinary programs in each language run untouched, with the limits they get by default."""
import glob, os, sys
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from conformance import *

PROGRAMS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs")
needs = {"numbers.py": "numpy", "frames.py": "pandas", "plot.py": "matplotlib"}


def has(module):
    return subprocess.run(["/usr/bin/python3", "-c", "import importlib.util, sys; sys.exit(not importlib.util.find_spec(sys.argv[1]))", module]).returncode == 0


def program(path):
    """Each checks itself and says ok; a denial would mean that something was not as the program expected."""
    name = os.path.basename(path)
    if World.backend == "native" and name in needs and not has(needs[name]):
        return skip(name, f"{needs[name]} is not installed (tools/setup test)")
    if name in ("frames.py", "plot.py") and os.environ.get("BAWN_TEST_EMULATED"):
        return skip(name, f"{needs[name]} takes a minute to load where each instruction is emulated")
    r = w.bawn("run", "--json", *w.chosen(), path)
    equal((r.code, r["status"], r["stdout"], r["denials"]), (0, "completed", "ok\n", []), f"{name} runs ({r['trust_level']}, {r['usage']['wall_ms']} ms)") or r.show()


for path in sorted(glob.glob(PROGRAMS + "/*")):
    program(path)

# What each language's program is given.
SEES = (
    ("python", "import sys, os; print(sys.argv, os.getcwd(), sys.stdin.read())", "['/code/main.py', 'a b', '--x'] /workspace in\n"),
    ("bash", 'echo "$0 $# $1 $2 $PWD $(cat)"', "/code/main.sh 2 a b --x /workspace in\n"),
    ("javascript", "console.log(process.argv.slice(1).join(), process.cwd(), require('fs').readFileSync(0, 'utf8'))", "/code/main.js,a b,--x /workspace in\n"))
for lang, code, want in SEES:
    r = w.bawn("run", "--json", *w.chosen(), "--lang", lang, "-c", code, "a b", "--x", input="in")
    equal((r.code, r["stdout"]), (0, want), f"{lang}: its own name, arguments, directory and input") or r.show()
BY_NAME = (
    ("python", "d = open('/dev/stdin').read()\nopen('/dev/stdout', 'w').write('out ' + d)\nopen('/dev/stderr', 'a').write('err ' + d)"),
    ("bash", 'd=$(cat /dev/stdin); echo -n "out $d" > /dev/stdout; echo -n "err $d" | tee -a /dev/fd/2 > /dev/null'),
    ("javascript", "const fs = require('fs'), d = fs.readFileSync('/dev/stdin', 'utf8'); fs.writeFileSync('/dev/stdout', 'out ' + d); fs.writeFileSync('/dev/stderr', 'err ' + d)"))
for lang, code in BY_NAME:
    r = w.bawn("run", "--json", *w.chosen(), "--lang", lang, "-c", code, input="in")
    equal((r.code, r["stdout"], r["stderr"], r["denials"]), (0, "out in", "err in", []), f"{lang}: the standard streams can be opened by their names") or r.show()
for lang, code in (("python", "import sys; sys.exit(7)"), ("bash", "exit 7"), ("javascript", "process.exit(7)")):
    r = w.run(code, lang=lang)
    equal((r.code, r["status"], r["exit_code"], r["signal"]), (7, "failed", 7, None), f"{lang}: its exit code is bawn's")
r = w.run("raise ValueError('wrong')")
ok(r.code == 1 and r["error"] is None and "ValueError: wrong" in r["stderr"], "an exception is the program's, not bawn's")
r = w.run("import sys; sys.stdout.buffer.write(b'a\\xffb\\0')")
equal((r["stdout"], r["stdout_base64"]), ("a\ufffdb\0", "Yf9iAA=="), "bytes that are not UTF-8 are replaced, and kept in base64")
r = w.run("print('{\"status\": \"completed\"}'); print('\\x1b[2J'); import sys; sys.exit(9)")
equal((r["status"], r["exit_code"], r.code), ("failed", 9, 9), "what the code prints is not how it ended")
done()
