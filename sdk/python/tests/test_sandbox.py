"""Sandbox: settings, a session, and files that stay; nothing else does."""
import os
import threading

import bawn
import bawn.client
import pytest
from test_flows import BLOCKED


def test_files_stay_and_nothing_else_does(world):
    with bawn.Sandbox(state=world.state, files={"start.txt": "1"}) as sb:
        sb.run("x = 5\nopen('made.txt', 'w').write(open('start.txt').read() + '2')\nopen('/tmp/gone', 'w').write('')")
        r = sb.run("import os\nprint(open('made.txt').read(), os.path.exists('/tmp/gone'), 'x' in globals())")
        assert r.stdout == "12 False False\n"
        sb.run("open('start.txt', 'a').write('!')")
        sb.files.write("more.py", "y = 7")
        assert sb.run("import more; print(more.y, open('start.txt').read())").stdout == "7 1!\n"
        assert sb.files.list() == ["made.txt", "more.py", "start.txt"] and sb.files.read_text("made.txt") == "12"
        sb.files.remove("more.py")
        assert not sb.files.exists("more.py")
        with pytest.raises(FileNotFoundError):
            sb.files.read("more.py")
        with pytest.raises(FileNotFoundError):
            sb.files.remove("more.py")
        assert [h.session for h in sb.history(session=sb.session)] == [sb.session] * 4
    with pytest.raises(ValueError, match="closed"):
        sb.run("print(1)")


def test_what_a_run_left_is_assessed_when_the_next_one_gets_it(world):
    with bawn.Sandbox(state=world.state) as sb:
        sb.run(f"open('helper.py', 'w').write({BLOCKED!r}.replace('x.invalid', 'y.invalid'))", check=False)
        sb.files.write("helper.py", BLOCKED)
        with pytest.raises(bawn.PolicyBlocked):
            sb.run("import helper")


def test_settings_hold_unless_a_run_says_otherwise(world):
    with bawn.Sandbox("named", state=world.state, timeout=9, pids=20, env={"A": "1", "B": "2"}, labels={"l": "1"}) as sb:
        r = sb.run("import os; print(os.environ['A'], os.environ['B'])", env={"B": "3"}, pids=30, labels={"m": "2"})
        assert (r.stdout, r.limits.timeout_ms, r.limits.pids) == ("1 3\n", 9000, 30)
        assert r.labels == {"l": "1", "m": "2"} and r.session == "named"


def test_files_of_a_run_that_raised_are_kept(world):
    with bawn.Sandbox(state=world.state) as sb:
        with pytest.raises(bawn.ExecutionTimeout):
            sb.run("open('so_far', 'w').write('half')\nwhile True: pass", timeout=1)
        assert sb.files.read("so_far") == b"half"


def test_an_executable_stays_one(world):
    with bawn.Sandbox(state=world.state) as sb:
        sb.files.write("tool", "#!/bin/sh\necho out\n", executable=True)
        assert sb.run("./tool", "bash").stdout == sb.run("./tool", "bash").stdout == "out\n"


def test_kill_ends_what_runs(world):
    with bawn.Sandbox(state=world.state) as sb:
        started, ended = threading.Event(), []

        def work():
            try:
                sb.run("import time\nprint('on', flush=True)\ntime.sleep(600)", on_stdout=lambda _: started.set())
            except bawn.Cancelled as e:
                ended.append(e.result.status)

        t = threading.Thread(target=work)
        t.start()
        assert started.wait(120)
        sb.kill()
        t.join()
        assert ended == ["cancelled"] and sb.run("print(1)").ok


def test_a_directory_for_outputs_is_refused(world, tmp_path):
    with bawn.Sandbox(state=world.state) as sb, pytest.raises(ValueError):
        sb.run("print(1)", out_dir=tmp_path)


def test_a_run_that_is_prepared_while_the_sandbox_is_closed_does_not_run(world, monkeypatch):
    sb = bawn.Sandbox(state=world.state)
    prepare = bawn.Client._prepare

    def slowly(self, *args, **options):
        execution = prepare(self, *args, **options)
        sb.close()  # as from another thread, which finds nothing to cancel
        return execution

    monkeypatch.setattr(bawn.Client, "_prepare", slowly)
    with pytest.raises(ValueError, match="closed"):
        sb.run("print(1)")
    assert world.records("exec.intent") == [] and not sb._going


def test_a_signal_handler_may_kill_whatever_its_thread_is_doing(world):
    sb = bawn.Sandbox(state=world.state)
    execution = sb._prepare("print(1)", "python", **{**dict.fromkeys(
        "args stdin files env timeout memory cpus pids disk trust network requirements environment backend image name labels session reason approval "
        "confirm on_stdout on_stderr on_event out_dir".split()), "args": (), "packages": (), "hosts": (), "override": False, "hold": False, "collect": False, "dry_run": False})
    over = threading.Event()

    def interrupted():
        with sb._going_lock, execution._lock:  # where a handler may come in between
            sb.kill()
        over.set()

    threading.Thread(target=interrupted, daemon=True).start()
    assert over.wait(30)
    assert execution._cancelled


def test_an_interrupt_right_after_the_start_leaves_nothing(world, client, monkeypatch):
    client.run("print(1)")

    def interrupted():
        raise KeyboardInterrupt

    before = sorted(os.listdir("/proc/self/fd"))
    monkeypatch.setattr(bawn.client, "_counted", interrupted)
    with pytest.raises(KeyboardInterrupt):
        client.run("print(1)")
    assert sorted(os.listdir("/proc/self/fd")) == before
