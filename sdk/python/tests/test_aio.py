"""asyncio: the loop goes on, callbacks run in it, a cancelled task ends its run."""
import asyncio
import contextvars
import inspect
import threading
import time

import bawn
import bawn.aio
import pytest
from conftest import SELF
from test_flows import BLOCKED, HIGH


def test_it_takes_and_gives_what_the_plain_one_does(world):
    async def main():
        r = await bawn.aio.run("import sys; print(sys.argv)", args=["a"], files={"x": "1"})
        assert r.stdout == "['/code/main.py', 'a']\n"
        assert (await bawn.aio.assess(BLOCKED)).level == "BLOCKED"
        assert [h.id for h in await bawn.aio.history(1)] == [r.id]
        assert (await bawn.aio.status())["system_status"] == "operational"
        assert (await bawn.aio.report())["by_level"] == {"LOW": 1}
        with pytest.raises(bawn.ApprovalRequired) as e:
            await bawn.aio.run(HIGH)
        assert [a.id for a in await bawn.aio.pending()] == [e.value.approval_id]
        with pytest.raises(bawn.AssuranceTooLow):
            await bawn.aio.approve(e.value.approval_id, "why")
        assert await bawn.aio.deny(e.value.approval_id, "no")
        with pytest.raises(TypeError):
            await bawn.aio.run(5)
        with pytest.raises(ValueError):
            await bawn.aio.configure({})
    asyncio.run(main())


@pytest.mark.parametrize("name", ["run", "assess", "history", "status", "report", "configure", "pending", "approve", "deny"])
def test_signatures_agree(name):
    def shape(function):
        return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]
    assert shape(getattr(bawn.aio, name)) == shape(getattr(bawn, name))


def test_the_loop_goes_on(world):
    async def main():
        ticks, done = 0, asyncio.Event()

        async def tick():
            nonlocal ticks
            while not done.is_set():
                ticks += 1
                await asyncio.sleep(0.01)

        t = asyncio.create_task(tick())
        await bawn.aio.run("import time; time.sleep(1)")
        done.set()
        await t
        return ticks
    assert asyncio.run(main()) > 10


def test_many_at_once(world):
    async def main():
        return await asyncio.gather(*[bawn.aio.run(f"print({i})", labels={"i": str(i)}) for i in range(12)])
    results = asyncio.run(main())
    assert [r.stdout for r in results] == [f"{i}\n" for i in range(12)] and len({r.id for r in results}) == 12


def test_callbacks_run_in_the_loop_in_order_and_before_the_result(world):
    var = contextvars.ContextVar("var", default="none")

    async def main():
        var.set("mine")
        seen, me = [], threading.get_ident()
        r = await bawn.aio.run("for i in range(200): print(i, flush=True)",
                               on_stdout=lambda t: seen.append((t, threading.get_ident() == me, var.get())),
                               on_event=lambda e: None)
        assert "".join(t for t, _, _ in seen) == r.stdout and all(here and v == "mine" for _, here, v in seen)
    asyncio.run(main())


@pytest.mark.parametrize("kind", ["plain", "coroutine"])
def test_confirm_may_be_either(world, kind):
    async def slow(q):
        await asyncio.sleep(0.01)
        return bawn.Answer(True, "seen")

    async def main():
        c = bawn.aio.Client(state=world.state, config=world.config(security=SELF))
        return await c.run(HIGH, confirm=slow if kind == "coroutine" else lambda q: bawn.Answer(True, "seen"))
    assert asyncio.run(main()).decision.override.reason == "seen"


def test_what_a_callback_raises_comes_back(world):
    def broken(_):
        raise KeyError("mine")

    async def main():
        with pytest.raises(KeyError, match="mine"):
            await bawn.aio.run("import time\nprint(1, flush=True)\ntime.sleep(600)", on_stdout=broken)
        with pytest.raises(ZeroDivisionError):
            await bawn.aio.Client(config=world.config(security=SELF)).run(HIGH, confirm=lambda q: 1 / 0)
    asyncio.run(main())
    assert bawn.history(status="cancelled")[0].exit_code is None and world.records("override.used") == []


def test_a_cancelled_task_ends_its_run_and_waits_for_the_record(world):
    async def main():
        started = asyncio.Event()
        task = asyncio.create_task(bawn.aio.run("import time\nprint('on', flush=True)\ntime.sleep(600)", on_stdout=lambda _: started.set()))
        await asyncio.wait_for(started.wait(), 120)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return [h.status for h in bawn.history()]
    assert asyncio.run(main()) == ["cancelled"]
    assert len(world.records("exec.outcome")) == 1


def test_a_timeout_of_asyncio_ends_the_run(world):
    async def main():
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(bawn.aio.run("import time; time.sleep(600)"), 1.5)
    asyncio.run(main())
    assert [h.status for h in bawn.history()] in (["cancelled"], [])  # [] where the machine was too slow to start it
    assert len(world.records("exec.outcome")) == len(world.records("exec.intent"))


def test_a_cancelled_question_is_a_no(world):
    async def main():
        asked = asyncio.Event()

        async def never(q):
            asked.set()
            await asyncio.sleep(3600)

        task = asyncio.create_task(bawn.aio.Client(config=world.config(security=SELF)).run(HIGH, confirm=never))
        await asyncio.wait_for(asked.wait(), 120)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    asyncio.run(main())
    assert world.records("exec.intent") == []


def test_sandbox(world):
    async def main():
        async with bawn.aio.Sandbox(files={"a": "1"}) as sb:
            await sb.run("open('b', 'w').write('2')")
            assert (await sb.run("print(open('a').read() + open('b').read())")).stdout == "12\n"
            assert sb.files.list() == ["a", "b"] and len(await sb.history(session=sb.session)) == 2
        with pytest.raises(ValueError, match="closed"):
            await sb.run("print(1)")
    asyncio.run(main())


def test_output_faster_than_the_loop_waits_for_it(world):
    async def main():
        loop, queued, most = asyncio.get_running_loop(), 0, 0
        soon = loop.call_soon_threadsafe

        def counted(*args, **kw):
            nonlocal queued, most
            queued += 1
            most = max(most, queued)
            return soon(*args, **kw)

        def told(_):
            nonlocal queued
            if not slept:
                slept.append(time.sleep(3))  # nothing runs in the loop meanwhile
            queued -= 1

        slept = []
        loop.call_soon_threadsafe = counted
        r = await bawn.aio.run("import os, time\nfor i in range(1500):\n    os.write(1, b'x')\n    time.sleep(0.0005)", on_stdout=told)
        assert r.ok and r.stdout == "x" * 1500 and slept
        assert most <= bawn.aio._QUEUED + 2  # the run's own answer comes the same way
    asyncio.run(main())
