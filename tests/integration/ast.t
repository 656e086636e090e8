#!/usr/bin/env python3
"""Names, calls, texts and numbers that our tree finds in Python are those that CPython's parser finds.

On some hundred files of the host's standard library, and on the benign labelled rows where they are
($BAWN_ASSESS_DATA or ../shared/data/assess).  What may differ is one of EXPLAINED, never a file."""
import ast, collections, glob, json, os, subprocess, sys, sysconfig, tempfile, unicodedata, warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bawntest import BUILD, ROOT, diag, done, ok, skip

DUMP = os.path.join(BUILD, "tests/conformance/python-dump")
FILES = 300
INT_MAX = 2**63 - 1

# Identifiers that are one node for us and none for CPython, or the reverse, by kind of node and field.
NAME_FIELDS = {
    ast.Name: ["id"], ast.Attribute: ["attr"], ast.FunctionDef: ["name"], ast.AsyncFunctionDef: ["name"], ast.ClassDef: ["name"],
    ast.arg: ["arg"], ast.keyword: ["arg"], ast.alias: ["name", "asname"], ast.ImportFrom: ["module"], ast.Global: ["names"],
    ast.Nonlocal: ["names"], ast.ExceptHandler: ["name"], ast.MatchAs: ["name"], ast.MatchStar: ["name"], ast.MatchMapping: ["rest"],
    ast.MatchClass: ["kwd_attrs"],
}


def names_of(node):
    for field in NAME_FIELDS.get(type(node), []):
        value = getattr(node, field)
        for part in value if isinstance(value, list) else [value]:
            yield from (p for p in (part or "").split(".") if p and p != "*")


def theirs(source):
    found = {kind: collections.Counter() for kind in ("name", "call", "text", "int")}
    lines = [0]
    for line in source.splitlines(True) if b"\r" not in source else source.split(b"\n"):
        lines.append(lines[-1] + len(line) + (b"\r" in source))
    stack = [(ast.parse(source), False)]
    while stack:
        node, in_format = stack.pop()
        found["name"].update(names_of(node))
        if isinstance(node, ast.Call):
            place = (lines[node.lineno - 1] + node.col_offset, lines[node.end_lineno - 1] + node.end_col_offset)
            found["call"][None if in_format else place] += 1
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            found["int"][min(node.value, INT_MAX)] += 1
        elif isinstance(node, ast.Constant) and type(node.value) in (str, bytes):
            found["text"][node.value if isinstance(node.value, str) else node.value.decode("latin-1")] += 1
        inside = in_format or isinstance(node, ast.JoinedStr)
        for child in ast.iter_child_nodes(node):
            if not (isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)):  # the fixed parts of an f-string
                stack.append((child, inside))
    return found


def ours(source, rows):
    found = {kind: collections.Counter() for kind in ("name", "call", "text", "int")}
    formats = [(int(r[1]), int(r[2])) for r in rows if r[0] == "format"]
    for row in rows:
        start, end = int(row[1]), int(row[2])
        if row[0] == "name":
            found["name"][unicodedata.normalize("NFKC", source[start:end].decode())] += 1
        elif row[0] == "call":
            while source[start:start + 1] in (b"*", b" "):  # in `[*f(x)]` the grammar reads (*f)(x)
                start += 1
            found["call"][None if any(a <= start and end <= b for a, b in formats) else (start, end)] += 1
        elif row[0] in ("text", "bytes"):
            value = bytes.fromhex(row[3] if len(row) > 3 else "")
            found["text"][value.decode("latin-1") if row[0] == "bytes" else value.decode("utf-8", "surrogatepass")] += 1
        elif row[0] == "int":
            found["int"][int(row[3])] += 1
    return found


def missing(a, b):
    return {k: n for k, n in (a - b).items()}


# What may differ: kind, who has more, when (by the value and by what the other has more of), and why.
EXPLAINED = [
    ("name", "theirs", lambda v, other: v == "__future__", "a word of the grammar, not a name"),
    ("text", "theirs", lambda v, other: any("\ufffd" in o for o in other), "characters by name that are not ASCII"),
    ("text", "ours", lambda v, other: "\ufffd" in v, "characters by name that are not ASCII"),
]


def differences(source, rows):
    a, b, out = theirs(source), ours(source, rows), []
    for kind in a:
        more = {"theirs": missing(a[kind], b[kind]), "ours": missing(b[kind], a[kind])}
        for who, other in (("theirs", "ours"), ("ours", "theirs")):
            for value in more[who]:
                if not any((k, w) == (kind, who) and holds(value, more[other]) for k, w, holds, _ in EXPLAINED):
                    out.append(f"{kind} only {who}: {value!r}"[:200])
    return out


def readable(path):
    with open(path, "rb") as f:
        source = f.read()
    try:
        source.decode()
        ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    return source


def library():
    base = sysconfig.get_paths()["stdlib"]
    paths = [p for p in sorted(glob.glob(os.path.join(base, "**/*.py"), recursive=True))
             if "/test" not in p[len(base):] and "/lib2to3/" not in p and "site-packages" not in p and "dist-packages" not in p]
    return paths[:: max(1, len(paths) // FILES)]


def labelled(folder):
    for source in (os.environ.get("BAWN_ASSESS_DATA"), os.path.join(ROOT, "../shared/data/assess")):
        path = os.path.join(source, "benign_python.jsonl") if source else ""
        if os.path.exists(path):
            for i, line in enumerate(open(path, encoding="utf-8")):
                name = os.path.join(folder, f"{i}.py")
                with open(name, "w", encoding="utf-8", newline="") as f:
                    f.write(json.loads(line)["code"])
                yield name


def compare(paths, what):
    sources = {p: s for p in paths for s in [readable(p)] if s is not None}
    if not sources:
        return skip(f"{what}: names, calls, texts and numbers", "there are none here")
    rows = {}
    names = list(sources)
    for at in range(0, len(names), 200):
        out = subprocess.run([DUMP, *names[at:at + 200]], stdout=subprocess.PIPE, check=True).stdout.decode()
        for line in out.splitlines():
            words = line.split(" ")
            if words[0] == "file":
                current = rows.setdefault(line[5:], [])
            else:
                current.append(words)
    bad = 0
    for path, source in sources.items():
        wrong = differences(source, rows[path])
        bad += bool(wrong)
        for text in wrong[:5]:
            diag(f"{os.path.basename(path)}: {text}")
    ok(bad == 0, f"{what}: names, calls, texts and numbers of {len(sources)} files are CPython's ({bad} differ)")


warnings.simplefilter("ignore")
compare(library(), "the standard library")
with tempfile.TemporaryDirectory() as temp:
    compare(list(labelled(temp)), "benign labelled code")
done()
