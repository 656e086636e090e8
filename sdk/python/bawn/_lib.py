"""libbawn as ctypes sees it: found, loaded once, checked, its structs and functions declared.

Nothing else in the package touches C.  The structs are those of include/bawn/bawn.h, field by field; a
test compiles a program against that header and compares every offset."""
import ctypes
import os
import sysconfig
import threading
from ctypes import (CFUNCTYPE, POINTER, c_char, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p)
from typing import Any, Dict, List, Optional, Tuple

from .errors import BawnError, LibraryMissing, error_of

#: Before 1.0 a minor version may change the structs.
SERIES = "0.1."


class Err(ctypes.Structure):
    _fields_ = [("code", c_int), ("type", c_int), ("field", c_char * 40), ("msg", c_char * 464)]


class Options(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("state_dir", c_char_p), ("config_dir", c_char_p), ("libexec_dir", c_char_p),
                ("via", c_char_p)]


class Input(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("data", c_char_p), ("size", c_size_t), ("mode", c_uint32)]


class Question(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("level", c_char_p), ("request_sha256", c_char_p), ("assessment_json", c_char_p),
                ("limits_json", c_char_p), ("code", c_void_p), ("code_size", c_size_t)]


class Answer(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("yes", c_int), ("terminal", c_int), ("name", c_char * 64),
                ("reason", c_char * 2048)]


class CEvent(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("seq", c_uint64), ("at_us", c_uint64), ("kind", c_int), ("id", c_char_p),
                ("text", c_char_p), ("stream", c_int), ("data", c_void_p), ("data_size", c_size_t),
                ("cpu_ms", c_uint64), ("memory_bytes", c_uint64), ("pids", c_uint64), ("wall_ms", c_uint64)]


ConfirmFn = CFUNCTYPE(c_int, c_void_p, POINTER(Question), POINTER(Answer))
EventFn = CFUNCTYPE(None, c_void_p, POINTER(CEvent))


class Request(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("code", c_char_p), ("code_size", c_size_t), ("language", c_char_p),
                ("path", c_char_p), ("args", POINTER(c_char_p)), ("n_args", c_size_t), ("env", POINTER(c_char_p)),
                ("n_env", c_size_t), ("stdin_data", c_char_p), ("stdin_size", c_size_t), ("inputs", POINTER(Input)),
                ("n_inputs", c_size_t), ("packages", POINTER(c_char_p)), ("n_packages", c_size_t),
                ("backend", c_char_p), ("image", c_char_p), ("environment", c_char_p), ("timeout_ms", c_uint64),
                ("memory_bytes", c_uint64), ("cpus_milli", c_uint64), ("pids", c_uint64), ("disk_bytes", c_uint64),
                ("trust", c_char_p), ("network", c_char_p), ("labels", POINTER(c_char_p)), ("n_labels", c_size_t),
                ("session", c_char_p), ("override_", c_int), ("reason", c_char_p), ("approval", c_char_p),
                ("out_dir", c_char_p), ("stream", c_int), ("dry_run", c_int), ("confirm", ConfirmFn),
                ("on_event", EventFn), ("ctx", c_void_p), ("hold", c_int), ("client", c_char_p),
                ("hosts", POINTER(c_char_p)), ("n_hosts", c_size_t), ("build", c_char_p), ("requirements", c_char_p),
                ("requirements_size", c_size_t)]


class HistoryFilter(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("limit", c_uint64), ("since_us", c_uint64), ("until_us", c_uint64),
                ("level", c_char_p), ("status", c_char_p), ("session", c_char_p), ("id", c_char_p)]


#: name in bawn.h -> the class that mirrors it, for the test of the layout
STRUCTS: Dict[str, Any] = {
    "bawn_err": Err, "bawn_options": Options, "bawn_input": Input, "bawn_question": Question, "bawn_answer": Answer,
    "bawn_event": CEvent, "bawn_request": Request, "bawn_history_filter": HistoryFilter,
}

_ERR, _OUT = POINTER(Err), POINTER(c_void_p)
#: every function used: what it returns, what it takes
_FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "bawn_error_name": (c_char_p, [c_int]),
    "bawn_error_hint": (c_char_p, [c_int]),
    "bawn_open": (c_int, [POINTER(Options), _OUT, _ERR]),
    "bawn_close": (None, [c_void_p]),
    "bawn_start": (c_int, [c_void_p, POINTER(Request), _OUT, _ERR]),
    "bawn_exec_fd": (c_int, [c_void_p]),
    "bawn_exec_step": (c_int, [c_void_p, _ERR]),
    "bawn_exec_result": (c_int, [c_void_p, _OUT, _ERR]),
    "bawn_cancel": (c_int, [c_void_p]),
    "bawn_exec_free": (None, [c_void_p]),
    "bawn_assess_code_only": (c_int, [c_void_p, POINTER(Request), _OUT, _ERR]),
    "bawn_get_execution_history": (c_int, [c_void_p, POINTER(HistoryFilter), _OUT, _ERR]),
    "bawn_get_security_status": (c_int, [c_void_p, _OUT, _ERR]),
    "bawn_configure_policies": (c_int, [c_void_p, c_char_p, c_size_t, _OUT, _ERR]),
    "bawn_get_audit_report": (c_int, [c_void_p, c_uint64, c_uint64, _OUT, _ERR]),
    "bawn_approvals_list": (c_int, [c_void_p, _OUT, _ERR]),
    "bawn_approvals_decide": (c_int, [c_void_p, c_char_p, c_int, c_char_p, c_int, _OUT, _ERR]),
    "bawn_result_json": (c_char_p, [c_void_p]),
    "bawn_result_free": (None, [c_void_p]),
}


class Library:
    """A loaded libbawn and the directory of its launcher (None: the library knows it)."""

    def __init__(self, path: str, libexec: Optional[str]) -> None:
        self.path, self.libexec = path, libexec
        self.c = ctypes.CDLL(path)
        self.c.bawn_version.restype = c_char_p
        self.version: str = self.c.bawn_version().decode()
        if not self.version.startswith(SERIES):
            raise LibraryMissing(f"{path} is version {self.version}; this package is for {SERIES}x")
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(self.c, name)
            function.restype, function.argtypes = result, arguments

    def error(self, err: Err) -> BawnError:
        """The exception for what C has filled in."""
        hint = self.c.bawn_error_hint(err.type)
        return error_of(self.c.bawn_error_name(err.type).decode(), err.msg.decode("utf-8", "replace"),
                        hint.decode() if hint else None, err.field.decode("utf-8", "replace") or None)


_SONAME = "libbawn.so.0"


def _below(prefix: str) -> List[str]:
    """Where a prefix may have its library."""
    triplet = str(sysconfig.get_config_var("MULTIARCH") or "")
    return [os.path.join(prefix, part, _SONAME) for part in (os.path.join("lib", triplet), "lib", "lib64")]


def _launcher_dir(library: str) -> Optional[str]:
    """libexec/bawn beside the library (a build tree) or of the prefix it lies in."""
    at = os.path.dirname(os.path.realpath(library))
    for _ in range(3):
        found = os.path.join(at, "libexec", "bawn")
        if os.access(os.path.join(found, "launch"), os.X_OK):
            return found
        at = os.path.dirname(at)
    return None


def _places() -> List[str]:
    """Paths of the library, most telling first: the source tree this package lies in, its prefix, the usual ones."""
    here = os.path.dirname(os.path.realpath(__file__))
    tree = os.path.dirname(os.path.dirname(os.path.dirname(here)))
    places = [os.path.join(tree, "build", _SONAME)] if os.path.exists(os.path.join(tree, "meson.build")) else []
    at = here
    for _ in range(4):  # PREFIX/lib/pythonX.Y/site-packages/bawn
        at = os.path.dirname(at)
    for prefix in (at, "/usr/local", "/usr"):
        places += _below(prefix)
    return places


def _open() -> Library:
    asked = os.environ.get("BAWN_LIB")
    if asked:
        try:
            return Library(asked, _launcher_dir(asked))
        except OSError as e:
            raise LibraryMissing(f"BAWN_LIB names {asked!r}, which cannot be loaded: {e}") from None
    for path in _places():
        if os.path.exists(path):
            return Library(path, _launcher_dir(path))
    try:
        return Library(_SONAME, None)  # wherever the dynamic linker looks
    except OSError:
        raise LibraryMissing(
            f"{_SONAME} was not found: install bawn (`make install` in its source tree), or set BAWN_LIB to the "
            "path of the library") from None


_loaded: Optional[Library] = None
_loading = threading.Lock()


def library() -> Library:
    """The library, loaded at first use."""
    global _loaded
    if _loaded is None:
        with _loading:
            if _loaded is None:
                _loaded = _open()
    return _loaded
