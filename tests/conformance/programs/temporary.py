import mmap, os, shutil, tempfile, zipfile

with tempfile.NamedTemporaryFile() as f, tempfile.TemporaryFile() as g, tempfile.SpooledTemporaryFile(10) as h:
    for x in (f, g, h):
        x.write(b"x" * 1000)
        x.flush()
        x.seek(0)
        assert len(x.read()) == 1000
    with mmap.mmap(g.fileno(), 1000) as m:
        m[0:1] = b"y"
    assert f.name.startswith("/tmp/") and os.stat(f.name).st_size == 1000
with tempfile.TemporaryDirectory() as d:
    open(d + "/a", "w").write("a" * 100000)
    shutil.copy(d + "/a", "b")
    shutil.copytree(d, "c")
    shutil.make_archive("z", "zip", "c")
    assert zipfile.ZipFile("z.zip").namelist() == ["a"] and os.path.getsize("b") == 100000
    shutil.move("b", d + "/b")
assert not os.path.exists(d)
shutil.rmtree("c")
print("ok")
