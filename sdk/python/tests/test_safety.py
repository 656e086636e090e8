"""The coordinator with dictionaries: the keys it promises, and ValueError for what is no input."""
import string

import bawn
import pytest
from bawn.model import decode
from bawn.safety import SafetyAPI, SafetyCoordinator
from conftest import SELF
from hypothesis import given
from hypothesis import strategies as st
from test_flows import BLOCKED, HIGH, LOW, MEDIUM, comparable

ALWAYS = {"request_id", "timestamp", "success", "security", "execution", "resource_limits", "trust_level"}


def deep(n):
    """Mappings in mappings, n of them."""
    d = {}
    for _ in range(n):
        d = {"x": d}
    return d


def itself():
    d = {}
    d["x"] = d
    return d


@pytest.fixture
def api(world):
    return SafetyAPI(SafetyCoordinator(state=world.state))


@pytest.mark.parametrize("code,more", [(LOW, set()), (MEDIUM, set()), (HIGH, {"blocked", "reason", "approval_id"}),
                                       (BLOCKED, {"blocked", "reason"})], ids=["LOW", "MEDIUM", "HIGH", "BLOCKED"])
def test_the_answer_has_the_keys_it_promises(api, world, code, more):
    a = api.assess_and_execute(code)
    assert set(a) == ALWAYS | more and set(a["security"]) == {"level", "findings", "override_used"}
    assert a["success"] is (not more) and (a["execution"] is None) is bool(more)
    cli = world.run(code).json
    assert a["security"]["level"] == cli["assessment"]["level"] and a["security"]["findings"] == cli["assessment"]["findings"]
    assert a["trust_level"] == cli["trust_level"] and set(a["resource_limits"]) == set(cli["limits"])
    if not more:
        e, c = a["execution"], comparable(cli)
        for key in ("status", "exit_code", "signal", "stdout", "stderr", "truncated", "denials", "observed", "enforcement", "files"):
            assert e[key] == c[key], key


def test_medium_has_its_warnings(api):
    assert api.assess_and_execute(MEDIUM)["execution"]["warnings"]


def test_a_refusal_says_why_and_a_held_one_how_to_go_on(api):
    assert "BLOCKED, refused: " in api.assess_and_execute(BLOCKED)["reason"]
    held = api.assess_and_execute(HIGH)
    assert f"bawn approve {held['approval_id']}" in held["reason"]


def test_an_override_is_the_requesters_own_word(api, world):
    held = api.assess_and_execute(BLOCKED, user_override=True, user_explanation="I must")
    assert held["blocked"] and held["approval_id"] and not held["security"]["override_used"]
    lifting = SafetyAPI(SafetyCoordinator(state=world.state, config=world.config(security=SELF)))
    ran = lifting.assess_and_execute(BLOCKED, user_override=True, user_explanation="my own machine")
    assert ran["success"] and ran["security"]["override_used"] and ran["trust_level"] == "untrusted"
    assert not lifting.assess_and_execute(LOW, True, "why not")["security"]["override_used"]


def test_a_callback_confirms_where_policy_takes_that(world):
    c = SafetyCoordinator(state=world.state, config=world.config(security=SELF), confirm=lambda q: bawn.Answer(True, "seen"))
    a = c.execute_code_safely(HIGH)
    assert a["success"] and a["security"]["override_used"]


def test_a_run_that_failed_is_no_success_and_no_refusal(api):
    a = api.assess_and_execute("raise SystemExit(3)")
    assert (a["success"], a["execution"]["exit_code"]) == (False, 3) and "blocked" not in a


def test_what_bawn_could_not_do_is_an_error_and_no_refusal(api, world, monkeypatch):
    a = api.assess_and_execute(HIGH, approval_id="01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert (a["success"], a["execution"], a["error"]["type"]) == (False, None, "approval_unknown") and not {"blocked", "reason"} & set(a)
    # A host that is full cannot be had here: other tests run on it.  What its answer looks like is serial/adapt.t's.
    error = {"type": "busy", "message": "the host is full", "hint": "try again", "field": None}
    full = {**api.coordinator.client.run(LOW, dry_run=True).document, "status": "busy", "error": error}
    monkeypatch.setattr(api.coordinator.client, "run", lambda *_, **__: decode(bawn.Result, full))
    a = api.assess_and_execute(LOW)
    assert (a["success"], a["execution"], a["error"]) == (False, None, error) and not {"blocked", "reason"} & set(a)


def test_limits_end_in_the_execution(api):
    a = SafetyAPI(api.coordinator).assess_and_execute("import os; os.kill(os.getpid(), 9)")
    assert a["execution"]["signal"] == 9 and not a["success"]


def test_metadata_is_in_the_record(api, world):
    a = api.assess_and_execute(LOW, metadata={"user": "u1", "turn": 3, "draft": True})
    (row,) = api.get_execution_history(1)
    assert row["id"] == a["request_id"] and row["labels"] == {"user": "u1", "turn": "3", "draft": "True"}


def test_assess_code_only(api, world):
    for code, runs in ((LOW, True), (MEDIUM, True), (HIGH, False), (BLOCKED, False)):
        a = api.assess_code_only(code)
        assert set(a) == {"security_level", "security_score", "findings", "recommendations", "can_execute"}
        assert a["can_execute"] is runs
        want = world.run(code, "--dry-run")["assessment"]
        assert [a["security_level"], a["security_score"], a["findings"], a["recommendations"]] == \
            [want["level"], want["score"], want["findings"], want["recommendations"]]


def test_status(api):
    api.assess_and_execute(LOW)
    s = api.get_security_status()
    assert {"system_status", "components", "system_resources", "audit_integrity"} <= set(s)
    assert s["system_status"] == "operational" and s["audit_integrity"]["ok"] and s["system_resources"]["cpus"] >= 1
    assert {"assessor", "sandbox", "docker", "audit"} <= set(s["components"])


def test_history_is_limited_and_newest_first(api):
    ids = [api.assess_and_execute(f"print({i})")["request_id"] for i in range(3)]
    assert [r["id"] for r in api.get_execution_history(2)] == ids[:0:-1]
    assert len(api.get_execution_history(1000)) == 3


def test_policies_are_applied_or_say_what_is_wrong(world):
    api = SafetyAPI(SafetyCoordinator(state=world.state, config=world.config()))
    good = api.configure_policies({"sandbox": {"resources": {"pids_limit": 40}}})
    assert good["success"] and "sandbox.resources.pids_limit" in good["updated"] and good["before"] != good["after"]
    assert api.assess_and_execute(LOW)["resource_limits"]["pids"] == 40
    bad = api.configure_policies({"sandbox": {"resources": {"pids_limit": "many"}}, "security": {"nonsense": 1}})
    assert not bad["success"] and len(bad["errors"]) == 2 and bad["before"] == bad["after"] == good["after"]
    loose = api.configure_policies({"security": {"overrides": {"minimum": "self"}}})
    assert not loose["success"], "what loosens the floor is not a program's to say"
    assert [r["type"] for r in world.records() if r["type"] == "policy.changed"] == ["policy.changed"]


def test_the_report_counts_the_last_hours(api):
    api.assess_and_execute(LOW)
    api.assess_and_execute(BLOCKED)
    r = api.get_audit_report(1)
    assert r["by_level"] == {"LOW": 1, "BLOCKED": 1} and r["integrity"]["ok"] and r["total"] > 4
    assert api.get_audit_report(1e9)["total"] == r["total"]


@pytest.mark.parametrize("call", [
    lambda a: a.assess_and_execute(""), lambda a: a.assess_and_execute(" \n\t"), lambda a: a.assess_and_execute(None),
    lambda a: a.assess_and_execute(b"print(1)"), lambda a: a.assess_and_execute(5), lambda a: a.assess_and_execute("x" * ((1 << 20) + 1)),
    lambda a: a.assess_and_execute("a\0b"), lambda a: a.assess_and_execute("\ud800"), lambda a: a.assess_and_execute(LOW, "yes"),
    lambda a: a.assess_and_execute(LOW, 1), lambda a: a.assess_and_execute(LOW, True), lambda a: a.assess_and_execute(LOW, True, " "),
    lambda a: a.assess_and_execute(LOW, True, "x" * 501), lambda a: a.assess_and_execute(LOW, False, 5),
    lambda a: a.assess_and_execute(LOW, True, b"why"), lambda a: a.assess_and_execute(LOW, metadata="x"),
    lambda a: a.assess_and_execute(LOW, metadata={1: "x"}), lambda a: a.assess_and_execute(LOW, metadata={"x": {}}),
    lambda a: a.assess_and_execute(LOW, metadata={"x": "y" * 300}), lambda a: a.assess_and_execute(LOW, metadata={str(i): "" for i in range(65)}),
    lambda a: a.assess_and_execute(LOW, language="cobol"), lambda a: a.assess_and_execute(LOW, language=5),
    lambda a: a.assess_and_execute(LOW, language=b"python"), lambda a: a.assess_and_execute(LOW, approval_id=5),
    lambda a: a.assess_and_execute(LOW, approval_id=b"01"), lambda a: a.assess_and_execute(LOW, approval_id="a\0b"),
    lambda a: a.assess_and_execute(LOW, metadata={"x": 10 ** 5000}), lambda a: a.assess_code_only(LOW, language=5),
    lambda a: a.assess_code_only(""), lambda a: a.assess_code_only(None), lambda a: a.assess_code_only("x" * ((1 << 20) + 1)),
    lambda a: a.assess_code_only("x" * ((64 << 20) + 1)),
    lambda a: a.get_execution_history(0), lambda a: a.get_execution_history(-1), lambda a: a.get_execution_history("5"),
    lambda a: a.get_execution_history(True), lambda a: a.get_execution_history(1.5), lambda a: a.get_execution_history(None),
    lambda a: a.get_execution_history(1 << 64),
    lambda a: a.get_audit_report(0), lambda a: a.get_audit_report(-1), lambda a: a.get_audit_report("1"), lambda a: a.get_audit_report(None),
    lambda a: a.get_audit_report(float("nan")), lambda a: a.get_audit_report(float("inf")), lambda a: a.get_audit_report(True),
    lambda a: a.get_audit_report(10 ** 400), lambda a: a.get_audit_report(10 ** 306), lambda a: a.get_audit_report(1e308), lambda a: a.get_audit_report([]),
    lambda a: a.configure_policies({}), lambda a: a.configure_policies(None), lambda a: a.configure_policies([]),
    lambda a: a.configure_policies("sandbox: {}"), lambda a: a.configure_policies({"sandbox": 3}), lambda a: a.configure_policies({1: {}}),
    lambda a: a.configure_policies({"sandbox": {"x": object()}}), lambda a: a.configure_policies({"sandbox": {"x": float("nan")}}),
    lambda a: a.configure_policies({"sandbox": deep(10 ** 5)}), lambda a: a.configure_policies({"sandbox": itself()}),
])
def test_what_is_no_input_is_a_value_error(api, world, call):
    with pytest.raises(ValueError):
        call(api)
    assert [r for r in world.records() if r["type"] == "exec.intent"] == []


@given(st.text() | st.binary() | st.none() | st.integers() | st.lists(st.text()))
def test_any_code_at_all_is_assessed_or_a_value_error(code):
    try:
        a = SafetyAPI().assess_code_only(code)
    except ValueError:
        return
    assert a["security_level"] in ("LOW", "MEDIUM", "HIGH", "BLOCKED") and a["can_execute"] is (a["security_level"] in ("LOW", "MEDIUM"))


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda kids: st.lists(kids) | st.dictionaries(st.text(), kids)))
def test_any_policies_at_all_change_nothing_or_are_refused(policies):
    import tempfile
    with tempfile.TemporaryDirectory() as d:
        import os
        os.mkdir(d + "/config")
        api = SafetyAPI(SafetyCoordinator(state=d + "/state", config=d + "/config"))
        try:
            reply = api.configure_policies({"sandbox": policies})
        except ValueError:
            return
        assert reply["before"] == reply["after"]


@given(st.text(string.printable, min_size=1, max_size=60))
def test_whatever_text_is_given_as_explanation_lifts_nothing(text):
    import tempfile
    with tempfile.TemporaryDirectory() as d:
        try:
            a = SafetyCoordinator(state=d + "/state").execute_code_safely(BLOCKED, True, text)
        except ValueError:
            return
        assert a["blocked"] and a["execution"] is None and not a["security"]["override_used"]
