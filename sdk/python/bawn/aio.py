"""The same for asyncio: nothing here blocks the loop, and a cancelled task ends its run.

    import asyncio, bawn.aio
    result = asyncio.run(bawn.aio.run("print(6*7)"))

Each call has a thread of its own while it lasts, for libbawn reads files and waits for the disk.  Callbacks run
in the loop; `confirm` may be a coroutine function.  A task that is cancelled cancels the run, waits until that is
recorded, and then ends as cancelled."""
import asyncio
import concurrent.futures
import contextlib
import contextvars
import inspect
import threading
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Sequence, TypeVar, Union

from . import client as _client
from . import sandbox as _sandbox
from ._request import Duration, Files, PathLike, Size, Text
from .client import Execution, OnEvent, OnText
from .model import Answer, Approval, Assessment, HistoryRow, Question, Result

T = TypeVar("T")
#: callbacks of one run that wait for the loop; then the run waits for it as well
_QUEUED = 256
Confirm = Callable[[Question], Union[Answer, bool, Awaitable[Union[Answer, bool]]]]


def _resolve(future: "asyncio.Future[T]", value: Optional[T], error: Optional[BaseException]) -> None:
    if future.done():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(value)  # type: ignore[arg-type]


async def _in_thread(work: Callable[[], T], cancel: Callable[[], None] = lambda: None) -> T:
    loop = asyncio.get_running_loop()
    future: "asyncio.Future[T]" = loop.create_future()

    def body() -> None:
        value: Optional[T] = None
        error: Optional[BaseException] = None
        try:
            value = work()
        except BaseException as e:
            error = e
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits
            loop.call_soon_threadsafe(_resolve, future, value, error)

    threading.Thread(target=body, name="bawn").start()
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        cancel()
        await asyncio.wait([future])
        future.exception()  # looked at, so that nobody complains
        raise


class _OnLoop:
    """Callbacks of one run, called in the loop from the run's thread."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._question: "Optional[concurrent.futures.Future[Union[Answer, bool]]]" = None
        self._execution: Optional[Execution] = None
        self._lock = threading.RLock()  # a signal handler may cancel while its own thread has it
        self._cancelled = False
        self._room = threading.Semaphore(_QUEUED)
        self.raised: Optional[BaseException] = None

    def started(self, execution: Execution) -> None:
        with self._lock:
            self._execution = execution
            if self._cancelled:
                execution.cancel()

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            if self._question is not None:
                self._question.cancel()
            if self._execution is not None:
                self._execution.cancel()

    def told(self, function: Optional[Callable[[T], None]]) -> Optional[Callable[[T], None]]:
        if function is None:
            return None
        user = function

        def call(value: T) -> None:
            try:
                if self.raised is None:
                    user(value)
            except BaseException as e:
                self.raised = e
                self.cancel()

        return lambda value: self._say(call, value)

    def _say(self, call: Callable[[T], None], value: T) -> None:
        """Queued for the loop.  Output faster than it holds up the program, but not a run that is to end, or whose
        loop has stopped."""
        held = False
        while not held and not self._cancelled and self._loop.is_running():
            held = self._room.acquire(timeout=0.2)

        def in_loop() -> None:
            if held:
                self._room.release()
            call(value)

        self._loop.call_soon_threadsafe(in_loop, context=self._context)

    def asked(self, confirm: Optional[Confirm]) -> Optional[_client.Confirm]:
        if confirm is None:
            return None
        user = confirm

        async def ask(question: Question) -> Union[Answer, bool]:
            said = user(question)
            return await said if inspect.isawaitable(said) else said  # type: ignore[return-value]

        def wait(question: Question) -> Union[Answer, bool]:
            with self._lock:
                if self._cancelled:
                    return False
                self._question = asyncio.run_coroutine_threadsafe(ask(question), self._loop)
            return self._question.result()

        return wait


class Client:
    """bawn.Client, awaited."""

    def __init__(self, *, state: Optional[PathLike] = None, config: Optional[PathLike] = None) -> None:
        self._client = _client.Client(state=state, config=config)

    async def run(self, code: Text, language: Optional[str] = "python", *, args: Sequence[str] = (),
                  stdin: Optional[Text] = None, files: Optional[Files] = None,
                  env: Optional[Mapping[str, str]] = None, timeout: Optional[Duration] = None,
                  memory: Optional[Size] = None, cpus: Optional[float] = None, pids: Optional[int] = None,
                  disk: Optional[Size] = None, trust: Optional[str] = None, network: Optional[str] = None,
                  packages: Sequence[str] = (), requirements: Optional[Text] = None, hosts: Sequence[str] = (),
                  environment: Optional[str] = None,
                  backend: Optional[str] = None, image: Optional[str] = None,
                  name: Optional[str] = None, labels: Optional[Mapping[str, str]] = None, session: Optional[str] = None,
                  override: bool = False, reason: Optional[str] = None, approval: Optional[str] = None,
                  hold: bool = False, confirm: Optional[Confirm] = None, on_stdout: Optional[OnText] = None,
                  on_stderr: Optional[OnText] = None, on_event: Optional[OnEvent] = None,
                  out_dir: Optional[PathLike] = None, collect: bool = False, dry_run: bool = False,
                  check: Optional[bool] = None) -> Result:
        """bawn.run, awaited."""
        on = _OnLoop()

        def work() -> Result:
            execution = self._client._prepare(
                code, language, args=args, stdin=stdin, files=files, env=env, timeout=timeout, memory=memory,
                cpus=cpus, pids=pids, disk=disk, trust=trust, network=network, packages=packages,
                requirements=requirements, hosts=hosts, environment=environment,
                backend=backend, image=image, name=name,
                labels=labels, session=session, override=override, reason=reason, approval=approval, hold=hold,
                confirm=on.asked(confirm), on_stdout=on.told(on_stdout), on_stderr=on.told(on_stderr),
                on_event=on.told(on_event), out_dir=out_dir, collect=collect, dry_run=dry_run)
            on.started(execution)
            return self._client._finish(execution, check)

        try:
            return await _in_thread(work, on.cancel)
        finally:
            if on.raised is not None:
                raise on.raised

    async def assess(self, code: Text, language: Optional[str] = "python") -> Assessment:
        return await _in_thread(lambda: self._client.assess(code, language))

    async def history(self, limit: int = 50, *, since: Optional[float] = None, until: Optional[float] = None,
                      level: Optional[str] = None, status: Optional[str] = None, session: Optional[str] = None,
                      id: Optional[str] = None) -> List[HistoryRow]:
        return await _in_thread(lambda: self._client.history(limit, since=since, until=until, level=level,
                                                             status=status, session=session, id=id))

    async def status(self) -> Dict[str, Any]:
        return await _in_thread(self._client.status)

    async def report(self, since: Optional[float] = None, until: Optional[float] = None) -> Dict[str, Any]:
        return await _in_thread(lambda: self._client.report(since, until))

    async def configure(self, policies: Mapping[str, Any]) -> Dict[str, Any]:
        return await _in_thread(lambda: self._client.configure(policies))

    async def pending(self) -> List[Approval]:
        return await _in_thread(self._client.pending)

    async def approve(self, id: str, reason: str) -> Dict[str, Any]:
        return await _in_thread(lambda: self._client.approve(id, reason))

    async def deny(self, id: str, reason: str) -> Dict[str, Any]:
        return await _in_thread(lambda: self._client.deny(id, reason))


class Sandbox(Client):
    """bawn.Sandbox, awaited: `async with bawn.aio.Sandbox() as sb: await sb.run(...)`.  A `confirm` is given to
    each run."""

    def __init__(self, session: Optional[str] = None, *, files: Optional[Files] = None,
                 env: Optional[Mapping[str, str]] = None, timeout: Optional[Duration] = None,
                 memory: Optional[Size] = None, cpus: Optional[float] = None, pids: Optional[int] = None,
                 disk: Optional[Size] = None, backend: Optional[str] = None, image: Optional[str] = None,
                 labels: Optional[Mapping[str, str]] = None,
                 state: Optional[PathLike] = None, config: Optional[PathLike] = None) -> None:
        super().__init__(state=state, config=config)
        self._sandbox = _sandbox.Sandbox(session, files=files, env=env, timeout=timeout, memory=memory, cpus=cpus,
                                         pids=pids, disk=disk, backend=backend, image=image, labels=labels,
                                         state=state, config=config)
        self._client = self._sandbox
        self.session = self._sandbox.session
        self.files = self._sandbox.files

    async def __aenter__(self) -> "Sandbox":
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends what runs; no run follows."""
        self._sandbox.close()

    def kill(self) -> None:
        """Ends what runs."""
        self._sandbox.kill()


#: the Client that the functions of this module belong to
default = Client()
run = default.run
assess = default.assess
history = default.history
status = default.status
report = default.report
configure = default.configure
pending = default.pending
approve = default.approve
deny = default.deny
