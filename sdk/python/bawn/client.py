"""The door itself: a Client assesses, runs, and asks the log, through libbawn.

A handle is opened for each call and closed after it.  That costs a tenth of a millisecond and buys much: every
call sees the policy of its moment, as the command does; nothing is shared between threads; nothing is carried
over a fork; nothing has to be closed."""
import codecs
import contextlib
import ctypes
import errno
import json
import os
import select
import shutil
import tempfile
import threading
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from . import _lib, _request
from ._request import Duration, Files, PathLike, RunRequest, Size, Text
from .errors import BawnError, InvalidRequest
from .model import (Answer, Approval, Assessment, Event, HistoryRow, Limits, Question, Result, decode)

Confirm = Callable[[Question], Union[Answer, bool]]
OnText = Callable[[str], None]
OnEvent = Callable[[Event], None]

_KINDS = ("state", "output", "usage", "denial", "outcome")


class _Handle:
    """One open state directory, for the length of a `with`."""

    def __init__(self, state: Optional[bytes], config: Optional[bytes]) -> None:
        self.lib = _lib.library()
        self.c = self.lib.c
        libexec = os.fsencode(self.lib.libexec) if self.lib.libexec else None
        self._options = _lib.Options(ctypes.sizeof(_lib.Options), state, config, libexec, b"python")
        self.handle = ctypes.c_void_p()

    def __enter__(self) -> "_Handle":
        err = _lib.Err()
        if self.c.bawn_open(self._options, self.handle, err) < 0:
            raise self.lib.error(err)
        return self

    def __exit__(self, *_: object) -> None:
        self.c.bawn_close(self.handle)

    def start(self, request: "_lib.Request", execution: ctypes.c_void_p) -> None:
        """Into `execution`, which is the caller's to free whatever happens."""
        err = _lib.Err()
        if self.c.bawn_start(self.handle, request, execution, err) < 0:
            raise self.lib.error(err)

    def ask(self, function: Callable[..., int], *args: Any) -> Any:
        """The document that a function of C answers with, after these arguments."""
        result, err = ctypes.c_void_p(), _lib.Err()
        if function(*args, result, err) < 0:
            raise self.lib.error(err)
        try:
            return json.loads(self.c.bawn_result_json(result))
        finally:
            self.c.bawn_result_free(result)


class _Callbacks:
    """The host's functions, called from C.  What one of them raises ends the run and is raised again when that
    is recorded; none of it gets lost, and none of it counts as a yes."""

    def __init__(self, confirm: Optional[Confirm], on_stdout: Optional[OnText], on_stderr: Optional[OnText],
                 on_event: Optional[OnEvent]) -> None:
        self.raised: Optional[BaseException] = None
        self.cancel: Callable[[], None] = lambda: None
        self._confirm, self._on_event = confirm, on_event
        self._text = {n: (f, codecs.getincrementaldecoder("utf-8")("replace"))
                      for n, f in ((1, on_stdout), (2, on_stderr)) if f is not None}
        # Kept here: C calls them for as long as the execution lives.
        self.c_confirm = _lib.ConfirmFn(self._ask) if confirm is not None else _lib.ConfirmFn(0)
        self.c_event = _lib.EventFn(self._event) if on_event is not None or self._text else _lib.EventFn(0)

    def _failed(self, e: BaseException) -> None:
        if self.raised is None:
            self.raised = e
        self.cancel()

    def _ask(self, _ctx: object, question: Any, answer: Any) -> int:
        try:
            if self.raised is not None or self._confirm is None:
                return -errno.ECANCELED
            said = self._confirm(_question(question.contents))
            if isinstance(said, bool):
                said = Answer(said)
            if not isinstance(said, Answer):
                raise TypeError(f"confirm must return Answer or bool, not {type(said).__name__}")
            out = answer.contents
            if said.reason:  # else what the request gave
                out.reason = _fitting("reason", said.reason, _lib.Answer.reason.size, "reason_too_long")
            out.name = _fitting("name", said.name, _lib.Answer.name.size, "invalid_request")
            out.yes = said.yes is True  # out.terminal stays 0: a program is never a person at a terminal
            return 0
        except BaseException as e:
            self._failed(e)
            return -errno.ECANCELED

    def _event(self, _ctx: object, event: Any) -> None:
        try:
            if self.raised is None:
                self._tell(event.contents)
        except BaseException as e:
            self._failed(e)

    def _tell(self, e: Any) -> None:
        data = ctypes.string_at(e.data, e.data_size) if e.data_size else b""
        if self._on_event is not None:
            self._on_event(Event(e.seq, e.at_us, _KINDS[e.kind], e.id.decode(),
                                 e.text.decode("utf-8", "replace") if e.text is not None else None,
                                 e.stream or None, data, e.cpu_ms, e.memory_bytes, e.pids, e.wall_ms))
        if data and e.stream in self._text:
            function, decoder = self._text[e.stream]
            text = decoder.decode(data)
            if text:
                function(text)

    def finish(self) -> None:
        """What is left of a character that never ended."""
        for function, decoder in self._text.values():
            text = decoder.decode(b"", True)
            if text and self.raised is None:
                function(text)


def _fitting(field: str, text: str, size: int, type: str) -> bytes:
    raw = _request.to_text(field, text)
    if len(raw) >= size:
        raise InvalidRequest(f"the {field} of an answer has {len(raw)} bytes, at most {size - 1} are taken", type=type,
                             field=field)
    return raw


def _question(q: Any) -> Question:
    limits = json.loads(q.limits_json)
    return Question(q.level.decode(), q.request_sha256.decode(), decode(Assessment, json.loads(q.assessment_json)),
                    decode(Limits, limits) if limits is not None else None, ctypes.string_at(q.code, q.code_size))


class Execution:
    """One run: `go` in one thread, `cancel` from any."""

    def __init__(self, request: RunRequest, callbacks: _Callbacks, state: Optional[bytes], config: Optional[bytes],
                 collect: bool) -> None:
        self._request, self._callbacks = request, callbacks
        self._state, self._config, self._collect = state, config, collect
        self._lock = threading.RLock()  # a signal handler may cancel while its own thread has it
        self._running: Optional[ctypes.c_void_p] = None
        self._cancelled = False
        callbacks.cancel = self.cancel

    def cancel(self) -> None:
        """Ends the run; its result says `cancelled`.  Before the start it keeps it from starting."""
        with self._lock:
            self._cancelled = True
            if self._running is not None:
                _lib.library().c.bawn_cancel(self._running)

    def go(self) -> Result:
        """From the request to the recorded result."""
        with self._outputs() as out_dir:
            if out_dir is not None:
                self._request.out_dir = os.fsencode(out_dir)
            with _Handle(self._state, self._config) as handle:
                document = self._execute(handle)
            contents = {f["path"]: _read(out_dir, f["path"]) for f in document["files"]} if out_dir is not None else {}
        if self._callbacks.raised is not None:
            raise self._callbacks.raised
        self._callbacks.finish()
        return decode(Result, document, contents=contents)

    @contextlib.contextmanager
    def _outputs(self) -> Iterator[Optional[str]]:
        """A directory that is gone afterwards, where contents are wanted."""
        if not self._collect:
            yield None
            return
        path = tempfile.mkdtemp(prefix="bawn-out-")
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def _execute(self, handle: _Handle) -> Dict[str, Any]:
        request = self._request.struct()
        request.confirm, request.on_event = self._callbacks.c_confirm, self._callbacks.c_event
        execution = ctypes.c_void_p()
        try:  # from before the start: an interrupt may come at any point after it
            handle.start(request, execution)
            with _counted():
                with self._lock:
                    self._running = execution
                    if self._cancelled:
                        handle.c.bawn_cancel(execution)
                self._drive(handle, execution)
                document: Dict[str, Any] = handle.ask(handle.c.bawn_exec_result, execution)
                return document
        finally:
            try:
                with self._lock:
                    self._running = None
            finally:
                handle.c.bawn_exec_free(execution)  # ends what still runs

    def _drive(self, handle: _Handle, execution: ctypes.c_void_p) -> None:
        """Steps until it is over.  An exception from outside (Ctrl-C) cancels, waits for the record, and goes on;
        a second one does not wait."""
        stopped: Optional[BaseException] = None
        poll = select.poll()
        poll.register(handle.c.bawn_exec_fd(execution), select.POLLIN)
        while True:
            try:
                if self._step(handle, execution, poll):
                    break
            except BawnError:
                raise
            except BaseException as e:
                if stopped is not None:
                    raise
                stopped = e
                handle.c.bawn_cancel(execution)
        if stopped is not None:
            raise stopped

    @staticmethod
    def _step(handle: _Handle, execution: ctypes.c_void_p, poll: "select.poll") -> bool:
        err = _lib.Err()
        done = handle.c.bawn_exec_step(execution, err)
        if done < 0:
            raise handle.lib.error(err)
        if not done:
            poll.poll()
        return bool(done)


def _read(top: str, path: str) -> bytes:
    with open(os.path.join(os.fsencode(top), path.encode()), "rb") as f:
        return f.read()


# A child forked while a run goes on would hold the run's place on the host for as long as it lives: it lets go.
_going = 0
_going_lock = threading.RLock()


@contextlib.contextmanager
def _counted() -> Iterator[None]:
    global _going
    with _going_lock:
        _going += 1
    try:
        yield
    finally:
        with _going_lock:
            _going -= 1


def _after_fork() -> None:
    global _going, _going_lock
    _going_lock = threading.RLock()
    if _going == 0:
        return
    _going = 0
    for fd in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            parts = os.readlink(f"/proc/self/fd/{fd}").split("/")
            if parts[-2:-1] == ["slots"] and parts[-3].startswith("bawn"):
                os.close(int(fd))


os.register_at_fork(after_in_child=_after_fork)


def _path(path: Optional[PathLike]) -> Optional[bytes]:
    return None if path is None else os.fsencode(path)


class Client:
    """Assesses, runs and asks.  `state` and `config` are directories; without them BAWN_STATE and BAWN_CONFIG
    count, then the usual places, each time anew.  Threads may share one."""

    def __init__(self, *, state: Optional[PathLike] = None, config: Optional[PathLike] = None) -> None:
        self._state, self._config = _path(state), _path(config)

    def _handle(self) -> _Handle:
        return _Handle(self._state, self._config)

    def run(self, code: Text, language: Optional[str] = "python", *, args: Sequence[str] = (),
            stdin: Optional[Text] = None, files: Optional[Files] = None, env: Optional[Mapping[str, str]] = None,
            timeout: Optional[Duration] = None, memory: Optional[Size] = None, cpus: Optional[float] = None,
            pids: Optional[int] = None, disk: Optional[Size] = None, trust: Optional[str] = None,
            network: Optional[str] = None, packages: Sequence[str] = (), requirements: Optional[Text] = None,
            hosts: Sequence[str] = (), environment: Optional[str] = None,
            backend: Optional[str] = None, image: Optional[str] = None,
            name: Optional[str] = None, labels: Optional[Mapping[str, str]] = None, session: Optional[str] = None,
            override: bool = False, reason: Optional[str] = None, approval: Optional[str] = None,
            hold: bool = False, confirm: Optional[Confirm] = None, on_stdout: Optional[OnText] = None,
            on_stderr: Optional[OnText] = None, on_event: Optional[OnEvent] = None,
            out_dir: Optional[PathLike] = None, collect: bool = False, dry_run: bool = False,
            check: Optional[bool] = None) -> Result:
        """Assesses code and files, decides, runs the code behind the wall, records it.

        language: python, bash or javascript; None looks at the #! line.
        files: {name: text, bytes or Path}, or a list of paths; they stand in the code's working directory.
        timeout: seconds, '30s' or a timedelta; memory and disk: bytes or '256m'.  More than what bawn computes is
            granted up to the policy's ceiling.
        packages: installed first, in a sandbox of their own, where policy has a whitelist: 'NAME', 'NAME==VERSION', for
            javascript 'NAME@VERSION'; the code itself has no network.  requirements: more of them, as the text of a
            requirements.txt, for javascript of a package.json.  environment: one that `bawn env build` made.
        hosts: with network or packages, hosts outside the whitelist for this run alone; a person has to grant them.
        backend, image: `native` or `docker`, and the container's image; None is what policy says.
        name, labels, session: kept in the record and in the result (`name` is the label of that name).
        override, reason: ask to lift HIGH or BLOCKED; the requester's own word, assurance `self`.
        approval: the id of an approval given for exactly this request; hold: BLOCKED waits for a person too, and an
            approval that was given for exactly this request is found and used.
        confirm: asked about HIGH and BLOCKED; returns Answer or bool.  Assurance `self` as well.
        on_stdout, on_stderr: text as it comes; on_event: everything.  They run in the calling thread.
        out_dir: files the code leaves are copied there; collect: they are in `result.contents`.
        check: None raises where the program came to no end of its own (refused, held, a limit, an error); True also
            where it failed; False never raises about how it ended.
        """
        execution = self._prepare(
            code, language, args=args, stdin=stdin, files=files, env=env, timeout=timeout, memory=memory, cpus=cpus,
            pids=pids, disk=disk, trust=trust, network=network, packages=packages, requirements=requirements,
            hosts=hosts, environment=environment, backend=backend, image=image, name=name, labels=labels,
            session=session, override=override, reason=reason, approval=approval, hold=hold, confirm=confirm,
            on_stdout=on_stdout, on_stderr=on_stderr, on_event=on_event, out_dir=out_dir, collect=collect,
            dry_run=dry_run)
        return self._finish(execution, check)

    def _finish(self, execution: Execution, check: Optional[bool]) -> Result:
        return self._judge(execution.go(), check)

    @staticmethod
    def _judge(result: Result, check: Optional[bool]) -> Result:
        return result if check is False else result.raise_for_status(check is True)

    def _prepare(self, code: Text, language: Optional[str], *, args: Sequence[str], stdin: Optional[Text],
                 files: Optional[Files], env: Optional[Mapping[str, str]], timeout: Optional[Duration],
                 memory: Optional[Size], cpus: Optional[float], pids: Optional[int], disk: Optional[Size],
                 trust: Optional[str], network: Optional[str], packages: Sequence[str],
                 requirements: Optional[Text], hosts: Sequence[str], environment: Optional[str],
                 backend: Optional[str], image: Optional[str],
                 name: Optional[str], labels: Optional[Mapping[str, str]], session: Optional[str],
                 override: bool, reason: Optional[str],
                 approval: Optional[str], hold: bool, confirm: Optional[Confirm], on_stdout: Optional[OnText],
                 on_stderr: Optional[OnText], on_event: Optional[OnEvent], out_dir: Optional[PathLike],
                 collect: bool, dry_run: bool) -> Execution:
        if out_dir is not None and collect:
            raise ValueError("out_dir and collect exclude one another: read what is in out_dir")
        raw = None if stdin is None else _request.to_bytes("stdin", stdin)
        request = RunRequest(
            code=_request.to_code(code), language=_request.optional_text("language", language),
            args=_request.to_words("args", args), env=_request.to_pairs("env", env), stdin=raw,
            files=_request.read_files(files), timeout_ms=_request.to_ms("timeout", timeout),
            memory_bytes=_request.to_size("memory", memory), cpus_milli=_request.to_milli("cpus", cpus),
            pids=_request.to_count("pids", pids), disk_bytes=_request.to_size("disk", disk),
            backend=_request.optional_text("backend", backend), image=_request.optional_text("image", image),
            trust=_request.optional_text("trust", trust),
            network=_request.optional_text("network", network),
            packages=_request.to_words("packages", packages), hosts=_request.to_words("hosts", hosts),
            requirements=None if requirements is None else _request.to_bytes("requirements", requirements),
            environment=_request.optional_text("environment", environment),
            labels=_request.to_pairs("labels", {**(labels or {}), **({"name": name} if name is not None else {})}),
            session=_request.optional_text("session", session), override=bool(override),
            reason=_request.optional_text("reason", reason), approval=_request.optional_text("approval", approval),
            out_dir=_path(out_dir), stream=on_stdout is not None or on_stderr is not None, dry_run=bool(dry_run),
            hold=bool(hold))
        callbacks = _Callbacks(confirm, on_stdout, on_stderr, on_event)
        return Execution(request, callbacks, self._state, self._config, collect)

    def assess(self, code: Text, language: Optional[str] = "python") -> Assessment:
        """Only the verdict: level, score, findings.  Runs and records nothing."""
        request = RunRequest(code=_request.to_code(code), language=_request.optional_text("language", language))
        with self._handle() as h:
            return decode(Assessment, h.ask(h.c.bawn_assess_code_only, h.handle, request.struct()))

    def history(self, limit: int = 50, *, since: Optional[float] = None, until: Optional[float] = None,
                level: Optional[str] = None, status: Optional[str] = None, session: Optional[str] = None,
                id: Optional[str] = None) -> List[HistoryRow]:
        """Past executions, newest first; `since` and `until` are seconds since the epoch."""
        if isinstance(limit, bool) or not isinstance(limit, int) or not 0 < limit < 1 << 63:
            raise ValueError("limit must be a whole number of 1 or more")
        wanted = _lib.HistoryFilter(
            ctypes.sizeof(_lib.HistoryFilter), limit, _micro("since", since), _micro("until", until),
            *[_request.optional_text(n, v) for n, v in
              (("level", level), ("status", status), ("session", session), ("id", id))])
        with self._handle() as h:
            return [decode(HistoryRow, row) for row in h.ask(h.c.bawn_get_execution_history, h.handle, wanted)]

    def status(self) -> Dict[str, Any]:
        """The health of each part, from real probes: the document of `bawn status --json`."""
        with self._handle() as h:
            document: Dict[str, Any] = h.ask(h.c.bawn_get_security_status, h.handle)
            return document

    def report(self, since: Optional[float] = None, until: Optional[float] = None) -> Dict[str, Any]:
        """What the log has of a time: the document of `bawn audit report --json`."""
        with self._handle() as h:
            document: Dict[str, Any] = h.ask(h.c.bawn_get_audit_report, h.handle, _micro("since", since),
                                             _micro("until", until))
            return document

    def configure(self, policies: Mapping[str, Any]) -> Dict[str, Any]:
        """Applies a document with any of security, sandbox, audit and server at top level, as `bawn policy set`
        does: merged, checked whole, written at once, recorded.  `errors` of the reply says what was wrong with
        it; then nothing was changed.  What loosens the floor is refused as everywhere."""
        if not isinstance(policies, Mapping) or not policies:
            raise ValueError("policies must be a mapping that is not empty")
        for name, section in policies.items():
            if not isinstance(name, str) or not isinstance(section, Mapping):
                raise ValueError("policies must map names of sections to mappings")
        try:
            text = json.dumps(policies, allow_nan=False).encode()
        except (TypeError, ValueError, RecursionError) as e:
            raise ValueError(f"policies must be plain data: {e}") from None
        with self._handle() as h:
            document: Dict[str, Any] = h.ask(h.c.bawn_configure_policies, h.handle, text, len(text))
            return document

    def pending(self) -> List[Approval]:
        """The requests that wait for a person."""
        with self._handle() as h:
            return [decode(Approval, a) for a in h.ask(h.c.bawn_approvals_list, h.handle)]

    def approve(self, id: str, reason: str) -> Dict[str, Any]:
        """Answers yes: with assurance `self`, or `separate` where another uid had asked.  AssuranceTooLow where
        policy wants more: then a person types `bawn approve` on a terminal."""
        return self._decide(id, True, reason)

    def deny(self, id: str, reason: str) -> Dict[str, Any]:
        """Answers no, which needs no assurance."""
        return self._decide(id, False, reason)

    def _decide(self, id: str, yes: bool, reason: str) -> Dict[str, Any]:
        words = (_request.to_text("id", id), yes, _request.to_text("reason", reason))
        with self._handle() as h:
            # A program is never a person at a terminal: the last one stays 0.
            document: Dict[str, Any] = h.ask(h.c.bawn_approvals_decide, h.handle, *words, 0)
            return document


def _micro(field: str, seconds: Optional[float]) -> int:
    if seconds is None:
        return 0
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(f"{field} must be a number of seconds, not {type(seconds).__name__}")
    if not 0 <= seconds < 1 << 40:
        raise ValueError(f"{field} must be seconds since the epoch")
    return int(seconds * 1_000_000)
