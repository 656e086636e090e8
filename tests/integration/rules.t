#!/usr/bin/env python3
"""The shipped rules keep their promises, and gen-rules refuses to build those that do not."""
import glob, os, re, shutil, subprocess, tempfile
from bawntest import BUILD, ROOT, done, ok

GEN = os.path.join(BUILD, "src/assess/gen-rules")
work = tempfile.mkdtemp()


def gen(change=None):
    """What gen-rules says of a copy of rules/ after `change`: its status and its complaints."""
    shutil.rmtree(work)
    shutil.copytree(ROOT + "/rules", work + "/rules")
    if change:
        change()
    files = sorted(glob.glob(work + "/rules/*/*.yaml"))
    r = subprocess.run([GEN, work + "/rules/ids", *files], capture_output=True, text=True)
    return r.returncode, r.stderr


def edit(name, old, new):
    path = f"{work}/rules/{name}"
    with open(path) as f:
        text = f.read()
    assert old in text, old
    with open(path, "w") as f:
        f.write(text.replace(old, new, 1))


def refused(name, says, change):
    code, err = gen(change)
    if not ok(code == 1 and says in err, name):
        print(f"# {code} {err[:500]}")


code, err = gen()
ok(code == 0, "the rules as they are shipped") or print("# " + err)
retired = re.search(r"(?m)^(python/\S+) retired$", open(ROOT + "/rules/ids").read()).group(1)
refused("an id that is gone is not used again", f"{retired}: a rule that is gone had this id",
        lambda: edit("python/remote-shell.yaml", "python/pty-spawn", retired))
refused("a new id is entered", "python/brand-new: a new id", lambda: edit("python/remote-shell.yaml", "python/pty-spawn", "python/brand-new"))
refused("an id does not vanish with its rule", "python/pty-spawn: there is no such rule; mark it retired",
        lambda: edit("python/remote-shell.yaml", "python/pty-spawn", "python/brand-new"))
refused("the ids are in order, each once", "python/pty-spawn: not in order, or there already",
        lambda: edit("ids", "python/pty-spawn\n", "python/pty-spawn\npython/pty-spawn\n"))


def moved():
    edit("any/privilege.yaml", "- id: any/account-files", "- id: python/account-files")
    edit("ids", "any/account-files\n", "")
    edit("ids", "python/any-shell-true\n", "python/account-files\npython/any-shell-true\n")


refused("a rule stands with its language", "python/account-files: stands in the directory of another language", moved)
refused("a family has one name", "called like no family", lambda: os.rename(work + "/rules/any/secrets.yaml", work + "/rules/any/credentials.yaml"))
refused("a rule has an example that matches", "python/pty-spawn: needs an example",
        lambda: edit("python/remote-shell.yaml", "    match: [\"import pty\\npty.spawn('/bin/sh')\\n\"]\n", ""))
refused("or a test in its place", "any/too-many-findings: needs an example",
        lambda: edit("any/engine.yaml", "  event: [too-many-findings]\n  tested: tests/unit/assess/engine.c\n", "  event: [too-many-findings]\n"))
refused("but not both", "any/suppression: tested stands in for examples",
        lambda: edit("any/engine.yaml", "  event: [suppression]\n", "  event: [suppression]\n  tested: tests/unit/assess/engine.c\n"))
refused("nothing is looked for twice by one rule", "python/pty-spawn: looks for pty.spawn twice",
        lambda: edit("python/remote-shell.yaml", "call: [pty.spawn,", "call: [pty.spawn, pty.spawn,"))
shutil.rmtree(work)

for path in sorted(glob.glob(ROOT + "/rules/*/*.yaml")):
    with open(path) as f:
        rules = re.split(r"(?m)^- id: ", f.read())[1:]
    for rule in rules:
        test = re.search(r"(?m)^  tested: (\S+)$", rule)
        if test:
            with open(f"{ROOT}/{test.group(1)}") as f:
                ok(f'"{rule.split()[0]}"' in f.read(), f"{rule.split()[0]} is tested in {test.group(1)}")
done()
