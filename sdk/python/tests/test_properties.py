"""Whatever is put in: a typed answer, never a crash, and what was said is what arrives."""
import os
import tempfile

import bawn
from bawn import _request
from hypothesis import given, settings
from hypothesis import strategies as st

#: text that an argument may have: no NUL, no lone surrogates
WORDS = st.text(st.characters(blacklist_characters="\0", blacklist_categories=("Cs",)), max_size=40)
NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,12}", fullmatch=True)


@given(st.text(max_size=400) | st.binary(max_size=400), st.sampled_from(["python", "bash", "javascript", None, "x", ""]))
def test_any_code_is_assessed_or_is_a_typed_error(code, language):
    try:
        assert bawn.assess(code, language).level in ("LOW", "MEDIUM", "HIGH", "BLOCKED")
    except bawn.InvalidRequest as e:
        assert e.type in bawn.errors.BY_TYPE and e.message


@settings(max_examples=15)
@given(st.lists(WORDS, max_size=6), st.binary(max_size=300), st.dictionaries(NAMES, WORDS, max_size=4),
       st.dictionaries(NAMES, st.binary(max_size=300), max_size=4))
def test_what_is_given_is_what_the_program_gets(args, stdin, env, files):
    env = {"T_" + name: value for name, value in env.items()}
    files = {name + ".bin": data for name, data in files.items()}
    code = "import os, sys\nprint(ascii((sys.argv[1:], sys.stdin.buffer.read(), {k: v for k, v in os.environ.items() if k.startswith('T_')}, " \
           "{n: open(n, 'rb').read() for n in sorted(os.listdir('.'))})))"
    with tempfile.TemporaryDirectory() as d:
        try:
            r = bawn.Client(state=d + "/state").run(code, args=args, stdin=stdin, env=env, files=files)
        except bawn.ApprovalRequired as e:  # a file that looks like a program
            assert e.result.assessment.findings
            return
        assert r.stdout == ascii((args, stdin, dict(sorted(env.items())), dict(sorted(files.items())))) + "\n" or \
            eval(r.stdout) == (args, stdin, env, files)


@given(st.dictionaries(st.text(max_size=20), st.text(max_size=60) | st.integers(), max_size=5), st.text(max_size=70))
def test_any_labels_and_session_are_kept_or_refused(labels, session):
    with tempfile.TemporaryDirectory() as d:
        try:
            r = bawn.Client(state=d + "/state").run("print(1)", labels=labels, session=session, dry_run=True)
        except (TypeError, ValueError):
            return
        assert r.labels == labels and r.session == session


@given(st.floats() | st.integers() | st.text(max_size=12) | st.booleans())
def test_any_limit_is_a_positive_number_or_is_refused(value):
    for read in (_request.to_ms, _request.to_size, _request.to_milli, _request.to_count):
        try:
            assert read("limit", value) > 0
        except (TypeError, ValueError):
            pass


@given(st.lists(st.text("ab/.\0é\n", max_size=8), max_size=4, unique=True))
def test_no_name_of_a_file_leads_out_of_the_workspace(names):
    with tempfile.TemporaryDirectory() as d:
        try:
            bawn.Client(state=d + "/state").run("print(1)", files={n: "" for n in names}, dry_run=True)
        except bawn.InvalidRequest:
            return
        except bawn.ApprovalRequired:
            pass  # one that ends in .a looks like compiled code
        assert all(os.path.normpath(n) == n and not n.startswith(("/", "..")) for n in names)
