"""From Python values to one `struct bawn_request`: units, text, files.

What is merely of the wrong kind is refused here with TypeError or ValueError; everything else is for the
library to judge, so that every door has the same rules."""
import ctypes
import datetime
import os
import re
import stat
from ctypes import c_char_p
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _lib
from .errors import InvalidRequest

Text = Union[str, bytes]
PathLike = Union[str, "os.PathLike[str]"]
Duration = Union[int, float, str, datetime.timedelta]
Size = Union[int, str]
#: name in the workspace -> what it holds: text, bytes, or the path of a file or tree; or just paths
Files = Union[Mapping[str, Union[Text, "os.PathLike[str]"]], Iterable["PathLike"]]

MAX_FILES = 500
MAX_FILE_BYTES = 256 << 20
MAX_STDIN = 16 << 20
#: a ceiling before policy's own (`max_code_bytes`), so that nobody copies a gigabyte to be told no
MAX_CODE = 64 << 20


def _wrong(field: str, message: str, type: str = "invalid_request") -> InvalidRequest:
    return InvalidRequest(message, type=type, field=field)


def to_bytes(field: str, value: Text) -> bytes:
    if isinstance(value, str):
        try:
            return value.encode()
        except UnicodeEncodeError:
            raise _wrong(field, f"{field} has characters that are not Unicode text", "bad_utf8") from None
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    raise TypeError(f"{field} must be str or bytes, not {type(value).__name__}")


def to_text(field: str, value: Any) -> bytes:
    """Text that C reads up to its NUL: one inside would cut it."""
    if not isinstance(value, str):
        raise TypeError(f"{field} must be str, not {type(value).__name__}")
    raw = to_bytes(field, value)
    if b"\0" in raw:
        raise _wrong(field, f"{field} has a NUL character")
    return raw


def optional_text(field: str, value: Optional[str]) -> Optional[bytes]:
    return None if value is None else to_text(field, value)


def _number(field: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{field} must be a number, not {type(value).__name__}")
    if not 0 < value < 1 << 62:  # not a number is not greater than 0 either
        raise _wrong(field, f"{field} must be greater than 0", "limit_invalid")


#: as the command line has them
_SECONDS = {"": 1, "ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
_BYTES = {"": 1, "b": 1, **{unit + more: 1 << shift for unit, shift in (("k", 10), ("m", 20), ("g", 30), ("t", 40))
                            for more in ("", "b", "ib")}}


def _with_unit(field: str, text: str, units: Mapping[str, float]) -> float:
    """'30s' -> 30.0"""
    parts = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,9})?)([A-Za-z]*)", text)
    if parts is None or parts[2].lower() not in units:
        known = ", ".join(u for u in units if u)
        raise _wrong(field, f"{field}: {text!r} is not a number with one of {known}", "limit_invalid")
    return float(parts[1]) * units[parts[2].lower()]


def to_ms(field: str, value: Optional[Duration]) -> int:
    """Seconds, '30s', '5m' or a timedelta; 0 stands for None."""
    if value is None:
        return 0
    if isinstance(value, str):
        value = _with_unit(field, value, _SECONDS)
    elif isinstance(value, datetime.timedelta):
        value = value.total_seconds()
    _number(field, value)
    return max(1, round(value * 1000))


def to_size(field: str, value: Optional[Size]) -> int:
    """Bytes or '256m'; 0 stands for None."""
    if value is None:
        return 0
    return to_count(field, int(_with_unit(field, value, _BYTES)) if isinstance(value, str) else value)


def to_milli(field: str, value: Optional[float]) -> int:
    if value is None:
        return 0
    _number(field, value)
    return max(1, round(value * 1000))


def to_count(field: str, value: Optional[int]) -> int:
    if value is None:
        return 0
    if not isinstance(value, int):
        raise TypeError(f"{field} must be int, not {type(value).__name__}")
    _number(field, value)
    return value


def to_pairs(field: str, pairs: Optional[Mapping[str, str]]) -> List[bytes]:
    """{'A': 'b'} -> [b'A=b']"""
    if pairs is None:
        return []
    if not isinstance(pairs, Mapping):
        raise TypeError(f"{field} must be a mapping, not {type(pairs).__name__}")
    found = []
    for name, value in pairs.items():
        key = to_text(field, name)
        if not key or b"=" in key:
            raise _wrong(field, f"{field}: {name!r} is no name")
        found.append(key + b"=" + to_text(field, value))
    return found


def to_words(field: str, words: Sequence[str]) -> List[bytes]:
    if isinstance(words, (str, bytes)):
        raise TypeError(f"{field} must be a sequence of str, not one {type(words).__name__}")
    return [to_text(field, w) for w in words]


# --- files -----------------------------------------------------------------------------------------


@dataclass
class InputFile:
    data: bytes
    executable: bool = False


class _Reader:
    """Reads files and trees with the ceilings of the request, following no link out of a tree: whoever wrote the
    tree must not choose what else is read."""

    def __init__(self) -> None:
        self.found: Dict[str, InputFile] = {}
        self.bytes = 0

    def add(self, name: str, data: bytes, executable: bool = False) -> None:
        self.bytes += len(data)
        if self.bytes > MAX_FILE_BYTES:
            raise _wrong("files", f"more than {MAX_FILE_BYTES >> 20}m in all, at {name!r}", "input_invalid")
        if name in self.found:
            raise _wrong("files", f"{name!r} is given twice", "input_invalid")
        if len(self.found) >= MAX_FILES:
            raise _wrong("files", f"more than {MAX_FILES} files", "input_invalid")
        self.found[name] = InputFile(data, executable)

    def path(self, name: str, path: str) -> None:
        """What the caller named: a link is followed here, and only here."""
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            if stat.S_ISDIR(os.fstat(fd).st_mode):
                self._tree(fd, name, path)
            else:
                self._file(fd, name, path)
        finally:
            os.close(fd)

    def _file(self, fd: int, name: str, path: str) -> None:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise _wrong("files", f"{path!r} is neither a file nor a directory", "input_invalid")
        data = bytearray()
        while True:
            chunk = os.read(fd, 1 << 20)
            data += chunk
            if not chunk:
                break
            if self.bytes + len(data) > MAX_FILE_BYTES:
                break  # add says it
        self.add(name, bytes(data), bool(info.st_mode & 0o100))

    def _tree(self, fd: int, prefix: str, path: str) -> None:
        for entry in sorted(os.listdir(fd)):
            name = f"{prefix}/{entry}" if prefix else entry
            try:
                mode = os.stat(entry, dir_fd=fd, follow_symlinks=False).st_mode
                if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
                    continue  # links and special files stay out
                sub = os.open(entry, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=fd)
            except FileNotFoundError:
                continue  # gone meanwhile
            try:
                if stat.S_ISDIR(os.fstat(sub).st_mode):
                    self._tree(sub, name, os.path.join(path, entry))
                else:
                    self._file(sub, name, os.path.join(path, entry))
            finally:
                os.close(sub)


def _named(files: Files) -> Iterator[Tuple[str, Any]]:
    if isinstance(files, Mapping):
        yield from files.items()
        return
    if isinstance(files, (str, bytes)):
        raise TypeError("files must be a mapping or a list of paths")
    for path in files:
        text = os.fspath(path)
        if not isinstance(text, str):
            raise TypeError("files: a path must be str")
        base = os.path.basename(text.rstrip("/"))
        yield ("" if base in (".", "") else base), _Path(text)


class _Path:
    """A path that was given where a content would be text."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __fspath__(self) -> str:
        return self.text


def read_files(files: Optional[Files]) -> Dict[str, InputFile]:
    """Everything `files` names, read now."""
    reader = _Reader()
    for name, value in _named(files) if files is not None else ():
        if not isinstance(name, str):
            raise TypeError("files: a name must be str")
        if isinstance(value, InputFile):
            reader.add(name, value.data, value.executable)
        elif isinstance(value, os.PathLike):
            try:
                reader.path(name, os.fspath(value))
            except OSError as e:
                raise _wrong("files", f"{os.fspath(value)!r}: {e.strerror}", "input_invalid") from e
        else:
            reader.add(name, to_bytes("files", value))
    return reader.found


# --- the whole -------------------------------------------------------------------------------------


@dataclass
class RunRequest:
    """A request whose values are checked for kind and ready for C."""
    code: bytes
    language: Optional[bytes] = None
    path: Optional[bytes] = None
    args: List[bytes] = field(default_factory=list)
    env: List[bytes] = field(default_factory=list)
    stdin: Optional[bytes] = None
    files: Dict[str, InputFile] = field(default_factory=dict)
    timeout_ms: int = 0
    memory_bytes: int = 0
    cpus_milli: int = 0
    pids: int = 0
    disk_bytes: int = 0
    packages: List[bytes] = field(default_factory=list)
    requirements: Optional[bytes] = None
    hosts: List[bytes] = field(default_factory=list)
    environment: Optional[bytes] = None
    backend: Optional[bytes] = None
    image: Optional[bytes] = None
    trust: Optional[bytes] = None
    network: Optional[bytes] = None
    labels: List[bytes] = field(default_factory=list)
    session: Optional[bytes] = None
    override: bool = False
    reason: Optional[bytes] = None
    approval: Optional[bytes] = None
    out_dir: Optional[bytes] = None
    stream: bool = False
    dry_run: bool = False
    hold: bool = False

    def struct(self) -> "_lib.Request":
        """The C struct; it keeps alive what it points to."""
        r = _lib.Request(size=ctypes.sizeof(_lib.Request), code=self.code, code_size=len(self.code),
                         language=self.language, path=self.path, stdin_data=self.stdin,
                         stdin_size=len(self.stdin or b""), timeout_ms=self.timeout_ms,
                         memory_bytes=self.memory_bytes, cpus_milli=self.cpus_milli, pids=self.pids,
                         disk_bytes=self.disk_bytes, backend=self.backend, image=self.image, trust=self.trust,
                         environment=self.environment, requirements=self.requirements,
                         requirements_size=len(self.requirements or b""),
                         network=self.network, session=self.session, override_=self.override, reason=self.reason,
                         approval=self.approval, out_dir=self.out_dir, stream=self.stream,
                         dry_run=self.dry_run, hold=self.hold)
        for name in ("args", "env", "labels", "packages", "hosts"):
            words = getattr(self, name)
            setattr(r, name, (c_char_p * len(words))(*words))
            setattr(r, "n_" + name, len(words))
        r.inputs = (_lib.Input * len(self.files))(*[
            _lib.Input(to_text("files", name), f.data, len(f.data), 0o755 if f.executable else 0o644)
            for name, f in self.files.items()])
        r.n_inputs = len(self.files)
        return r


def to_code(code: Text) -> bytes:
    raw = to_bytes("code", code)
    if len(raw) > MAX_CODE:
        raise _wrong("code", f"the code has {len(raw)} bytes", "code_too_large")
    return raw
