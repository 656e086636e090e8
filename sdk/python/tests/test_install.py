"""What is shipped: typed, standard library only, installable without a network, and documented by what works."""
import ast
import glob
import os
import re
import shutil
import subprocess
import sys
from ctypes.util import find_library

import pytest
from bawn import _lib
from conftest import HERE, ROOT

PACKAGE = os.path.join(os.path.dirname(HERE), "bawn")
SOURCES = sorted(glob.glob(PACKAGE + "/*.py"))


def command(*words, **kw):
    p = subprocess.run(words, capture_output=True, text=True, timeout=600, **kw)
    return p.returncode, p.stdout + p.stderr


@pytest.fixture
def outside(tmp_path):
    """A copy of the package where no source tree is beside it."""
    shutil.copytree(os.path.dirname(PACKAGE), tmp_path / "python", ignore=shutil.ignore_patterns("__pycache__", "tests"))
    return str(tmp_path / "python")


def test_mypy_strict_has_nothing_to_say(tmp_path):
    if shutil.which("mypy") is None:
        pytest.skip("no mypy")
    code, out = command("mypy", "--strict", "--cache-dir", str(tmp_path), PACKAGE)
    assert code == 0, out
    use = tmp_path / "use.py"
    use.write_text("import bawn\nx: int = bawn.run('1').stdout\n")  # the marker is there: others are checked against it
    code, out = command("mypy", "--strict", "--cache-dir", str(tmp_path), str(use), env={**os.environ, "MYPYPATH": os.path.dirname(PACKAGE)})
    assert code == 1 and 'expression has type "str", variable has type "int"' in out
    assert os.path.exists(PACKAGE + "/py.typed")


@pytest.mark.parametrize("path", SOURCES, ids=os.path.basename)
def test_python_3_9_reads_it_and_only_the_standard_library_is_used(path):
    with open(path) as f:
        tree = ast.parse(f.read(), feature_version=(3, 9))
    for node in ast.walk(tree):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else \
            [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else []
        assert all(n.split(".")[0] in sys.stdlib_module_names for n in names), names
    assert all(len(line) <= 120 for line in open(path).read().split("\n"))


def test_pip_installs_it_without_a_network(outside, tmp_path, world):
    env = {k: v for k, v in os.environ.items() if not k.startswith("PIP_") and k not in ("PYTHONPATH", "BAWN_LIB")}
    code, out = command(sys.executable, "-m", "venv", "--system-site-packages", str(tmp_path / "env"))
    assert code == 0, out
    code, out = command(str(tmp_path / "env/bin/pip"), "install", "--no-index", "--no-build-isolation", outside, env=env)
    assert code == 0, out
    python = str(tmp_path / "env/bin/python")
    show = "import bawn; print(bawn.run('print(6*7)').stdout.strip(), bawn.__file__)"
    code, out = command(python, "-c", show, env={**env, **world.env, "BAWN_LIB": os.environ["BAWN_LIB"]}, cwd=world.dir)
    assert code == 0 and out.startswith("42 " + str(tmp_path / "env")), out
    assert os.path.exists(os.path.dirname(out.split()[1]) + "/py.typed")
    code, out = command(str(tmp_path / "env/bin/pip"), "uninstall", "-y", "bawn", env=env)
    assert code == 0 and command(python, "-c", "import bawn", env=env, cwd=world.dir)[0] == 1


def test_make_install_puts_it_beside_its_library(world, tmp_path):
    build = os.environ.get("BAWN_BUILD", ROOT + "/build")
    code, out = command("meson", "install", "--no-rebuild", "-C", build, env={**os.environ, "DESTDIR": str(tmp_path / "inst")})
    assert code == 0, out
    (package,) = glob.glob(str(tmp_path / "inst/**/dist-packages"), recursive=True)
    show = "from bawn import _lib; import bawn; print(_lib.library().path, _lib.library().libexec, bawn.run('print(6*7)').stdout)"
    code, out = command(sys.executable, "-B", "-c", show, env={**world.env, "PYTHONPATH": package}, cwd=world.dir)
    library, libexec, answer = out.split()
    assert code == 0 and answer == "42"
    assert library.startswith(str(tmp_path / "inst")) and libexec.startswith(str(tmp_path / "inst"))
    assert not glob.glob(package + "/**/__pycache__", recursive=True)


def test_without_the_library_the_first_call_says_what_to_do(outside, world):
    if any(os.path.exists(p) for prefix in ("/usr/local", "/usr") for p in _lib._below(prefix)) or find_library("bawn"):
        pytest.skip("bawn is installed on this host")
    env = {**world.env, "PYTHONPATH": outside}
    code, out = command(sys.executable, "-B", "-c", "import bawn; print('imported'); bawn.run('print(1)')", env=env, cwd=world.dir)
    assert code == 1 and out.startswith("imported") and "LibraryMissing: libbawn.so.0 was not found: install bawn" in out
    code, out = command(sys.executable, "-B", "-c", "import bawn; bawn.assess('1')", env={**env, "BAWN_LIB": "/nonexistent.so"}, cwd=world.dir)
    assert code == 1 and "LibraryMissing: BAWN_LIB names '/nonexistent.so'" in out


def test_a_library_of_another_version_is_refused(outside, world):
    source = world.file("other.c", 'const char *bawn_version(void) { return "9.9.0"; }')
    other = world.dir + "/libbawn.so.0"
    assert command("gcc", "-shared", "-o", other, source)[0] == 0
    code, out = command(sys.executable, "-B", "-c", "import bawn; bawn.assess('1')", cwd=world.dir,
                        env={**world.env, "PYTHONPATH": outside, "BAWN_LIB": other})
    assert code == 1 and "is version 9.9.0; this package is for 0.1.x" in out


def examples():
    """Each ```python block with the plain block that follows it at once, if one does: what it prints."""
    for name in ("README.md", "docs/python.md"):
        with open(os.path.join(ROOT, name)) as f:
            text = f.read()
        for i, m in enumerate(re.finditer(r"^```python\n(.*?)^```\n(?:```\n(.*?)^```\n)?", text, re.S | re.M)):
            yield pytest.param(m[1], m[2], id=f"{name}-{i + 1}")


@pytest.mark.parametrize("code,prints", list(examples()))
def test_the_examples_of_the_documents_work(world, code, prints):
    status, out, err = world.script(code)
    assert status == 0, err
    assert prints is None or out == prints


def test_there_is_a_four_line_start_in_the_readme():
    with open(ROOT + "/README.md") as f:
        first = re.search(r"^```python\n(.*?)^```", f.read(), re.S | re.M)[1]
    assert len([line for line in first.split("\n") if line.strip()]) <= 4 and "bawn.run(" in first
