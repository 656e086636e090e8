import sqlite3

for path in ("plain.db", "/tmp/wal.db", ":memory:"):
    c = sqlite3.connect(path)
    if "wal" in path:
        assert c.execute("pragma journal_mode=wal").fetchone() == ("wal",)
    with c:
        c.execute("create table t(a integer primary key, b text)")
        c.executemany("insert into t values(?, ?)", ((n, str(n)) for n in range(1000)))
    try:
        with c:
            c.execute("insert into t values(1, 'again')")
    except sqlite3.IntegrityError:
        pass
    assert c.execute("select count(*), max(b) from t").fetchone() == (1000, "999")
    c.execute("vacuum")
    c.close()
print("ok")
