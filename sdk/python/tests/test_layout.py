"""The package says of C what C says of itself."""
import re
import subprocess

from bawn import _lib, errors
from conftest import ROOT

PROGRAM = r"""
#include <bawn/bawn.h>
#include <stddef.h>
#include <stdio.h>
int main(void)
{
	%s
	return 0;
}
"""


def test_structs_have_the_layout_of_the_header(tmp_path):
    lines, want = [], []
    for name, cls in _lib.STRUCTS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        want.append(f"{name} {_lib.ctypes.sizeof(cls)}")
        for field, _ in cls._fields_:
            at = getattr(cls, field)
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof(struct {name}, {field}), '
                         f'sizeof(((struct {name} *)0)->{field}));')
            want.append(f"{name}.{field} {at.offset} {at.size}")
    source = tmp_path / "layout.c"
    source.write_text(PROGRAM % "\n\t".join(lines))
    subprocess.run(["gcc", "-I", ROOT + "/include", "-o", str(tmp_path / "layout"), str(source)], check=True)
    got = subprocess.run([str(tmp_path / "layout")], check=True, capture_output=True, text=True).stdout.split("\n")[:-1]
    assert got == want


def test_every_field_of_the_header_is_mirrored():
    with open(ROOT + "/include/bawn/bawn.h") as f:
        header = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    for name, cls in _lib.STRUCTS.items():
        if name == "bawn_err":
            continue
        body = re.search(r"struct %s \{(.*?)\}" % name, header, re.S)[1]
        body = re.sub(r"\(\*(\w+)\)\([^)]*\)", r"\1", body)  # a pointer to a function
        assert re.findall(r"(\w+)(?:\[\w+\])?\s*(?=[,;])", body) == [f for f, _ in cls._fields_], name


def test_every_error_type_of_the_library_has_a_class():
    lib, names = _lib.library(), []
    with open(ROOT + "/include/bawn/err.h") as f:
        count = len(re.findall(r"^\tX\(", f.read(), re.M))
    for i in range(1, count):  # 0 is "none"
        names.append(lib.c.bawn_error_name(i).decode())
    assert sorted(names) == sorted(errors.BY_TYPE)


def test_every_status_has_a_class():
    with open(ROOT + "/src/core/api.h") as f:
        rows = re.findall(r'^\tX\(\w+,\s+"(\w+)",\s+-?\d+,', f.read(), re.M)
    assert sorted(rows) == sorted(errors.BY_STATUS) and len(rows) == 14


def test_versions_agree():
    import bawn
    with open(ROOT + "/sdk/python/pyproject.toml") as f:
        assert f'version = "{bawn.__version__}"' in f.read()
    assert _lib.library().version == bawn.__version__
