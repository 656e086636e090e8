"""A Sandbox: several runs with the same settings, one session in the log, and files that stay from run to run.

Every run still has walls of its own and starts from nothing but these files; no process, variable or connection
outlives it.  What a run leaves is assessed like any input when the next one gets it."""
import secrets
import threading
from typing import Any, Dict, List, Mapping, Optional, Set

from . import _request
from ._request import Duration, Files, InputFile, PathLike, Size, Text
from .client import Client, Confirm, Execution
from .model import Result


class Workspace:
    """The files between the runs, by name.  They are kept in memory, at most 500 and 256 MiB, as inputs may be."""

    def __init__(self, files: Optional[Files] = None) -> None:
        self._files: Dict[str, InputFile] = _request.read_files(files)
        self._lock = threading.Lock()

    def write(self, name: str, data: Text, *, executable: bool = False) -> None:
        """Puts a file there for the runs that follow."""
        with self._lock:
            self._files[name] = InputFile(_request.to_bytes("files", data), executable)

    def read(self, name: str) -> bytes:
        """What a file holds; FileNotFoundError where there is none."""
        with self._lock:
            if name not in self._files:
                raise FileNotFoundError(name)
            return self._files[name].data

    def read_text(self, name: str) -> str:
        return self.read(name).decode()

    def list(self) -> List[str]:
        with self._lock:
            return sorted(self._files)

    def exists(self, name: str) -> bool:
        with self._lock:
            return name in self._files

    def remove(self, name: str) -> None:
        """Takes a file away; the code itself can change and add files, but not remove them for the next run."""
        with self._lock:
            if self._files.pop(name, None) is None:
                raise FileNotFoundError(name)

    def _given(self, more: Optional[Files]) -> Dict[str, InputFile]:
        """All of it as inputs, with `more` joined in for good."""
        fresh = _request.read_files(more)
        with self._lock:
            self._files.update(fresh)
            return dict(self._files)

    def _left(self, contents: Mapping[str, bytes]) -> None:
        with self._lock:
            for name, data in contents.items():
                was = self._files.get(name)
                self._files[name] = InputFile(data, was is not None and was.executable)


class Sandbox(Client):
    """`with Sandbox(memory="256m") as sb: sb.run(...)`: what is given here holds for every run that does not say
    otherwise.  `sb.files` are the files; `sb.session` is the name in `bawn history --session`."""

    def __init__(self, session: Optional[str] = None, *, files: Optional[Files] = None,
                 env: Optional[Mapping[str, str]] = None, timeout: Optional[Duration] = None,
                 memory: Optional[Size] = None, cpus: Optional[float] = None, pids: Optional[int] = None,
                 disk: Optional[Size] = None, backend: Optional[str] = None, image: Optional[str] = None,
                 labels: Optional[Mapping[str, str]] = None,
                 confirm: Optional[Confirm] = None, state: Optional[PathLike] = None,
                 config: Optional[PathLike] = None) -> None:
        super().__init__(state=state, config=config)
        self.session = session if session is not None else "sandbox-" + secrets.token_hex(6)
        self.files = Workspace(files)
        self._env, self._labels = dict(env or {}), dict(labels or {})
        self._defaults: Dict[str, Any] = {"timeout": timeout, "memory": memory, "cpus": cpus, "pids": pids,
                                          "disk": disk, "backend": backend, "image": image, "confirm": confirm,
                                          "session": self.session}
        self._going: Set[Execution] = set()
        # Guards these two; a signal handler may kill while its own thread has it.
        self._going_lock = threading.RLock()
        self._closed = False

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends what runs; no run follows."""
        with self._going_lock:
            self._closed = True
            self.kill()

    def kill(self) -> None:
        """Ends what runs, from any thread; those runs are `cancelled`."""
        with self._going_lock:
            for execution in list(self._going):
                execution.cancel()

    def _prepare(self, code: Text, language: Optional[str], **options: Any) -> Execution:
        self._check_open()
        if options["out_dir"] is not None:
            raise ValueError("a Sandbox keeps the files itself: read them from .files")
        for name, value in self._defaults.items():
            if options[name] is None:
                options[name] = value
        options["env"] = {**self._env, **(options["env"] or {})}
        options["labels"] = {**self._labels, **(options["labels"] or {})}
        options["files"] = self.files._given(options["files"])
        options["collect"] = not options["dry_run"]
        execution = super()._prepare(code, language, **options)
        with self._going_lock:
            self._check_open()  # again: who closes after this finds it
            self._going.add(execution)
        return execution

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("the sandbox is closed")

    def _finish(self, execution: Execution, check: Optional[bool]) -> Result:
        try:
            result = execution.go()
        finally:
            with self._going_lock:
                self._going.discard(execution)
        self.files._left(result.contents)
        return self._judge(result, check)
