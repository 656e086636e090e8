"""What bawn answers, as dataclasses: the documents of `bawn run --json` and its neighbours, field by field.

Unknown members are kept in `document`, which is the parsed JSON itself; missing ones are an error, for every
field is always there."""
import base64
import dataclasses
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple, Type, TypeVar, Union, get_args, get_origin, get_type_hints

from .errors import BY_STATUS, BY_TYPE, BawnError, InternalError

T = TypeVar("T")
Json = Dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """Something the assessor saw, where, why it matters and what to do."""
    rule: str
    level: str
    path: Optional[str]
    line: int
    column: int
    end_line: int
    end_column: int
    cwe: Optional[int]
    message: Optional[str]
    why: Optional[str]
    fix: Optional[str]
    folded: Optional[str]
    score: int


@dataclass(frozen=True)
class Scoring:
    """How level and score came about."""
    strongest: str
    thresholds: Dict[str, int]


@dataclass(frozen=True)
class Assessment:
    """The verdict, before anything runs."""
    level: str
    score: int
    scoring: Scoring
    language: str
    parse_ok: bool
    rules_version: str
    code_sha256: str
    assessed_at: str
    elapsed_us: int
    decision: str
    findings: List[Finding]
    capabilities: List[str]
    recommendations: List[str]
    document: Json = field(repr=False, compare=False, default_factory=dict)


@dataclass(frozen=True)
class Override:
    """Who lifted a verdict, why, when, and how sure that is."""
    by: Dict[str, Any]
    reason: str
    at: str
    assurance: str


@dataclass(frozen=True)
class Decision:
    """What policy said (`action`), and what a person said to that."""
    action: str
    approval_id: Optional[str]
    assurance: Optional[str]
    override: Optional[Override]


@dataclass(frozen=True)
class Limits:
    """What the run was held to; `inputs` and `reasons` say how that was computed."""
    cpus: float
    memory_bytes: int
    timeout_ms: int
    cpu_ms: int
    pids: int
    disk_bytes: int
    inodes: int
    open_files: int
    output_bytes: int
    network: Optional[Dict[str, Any]]
    inputs: Dict[str, Any]
    reasons: List[Any]


@dataclass(frozen=True)
class Usage:
    """What the run used; None where nothing on this host counts it."""
    wall_ms: int
    cpu_ms: Optional[int]
    peak_memory_bytes: Optional[int]
    peak_pids: Optional[int]
    disk_bytes: int
    samples: int


@dataclass(frozen=True)
class Denial:
    """Something the code tried and did not get, and what to do instead."""
    kind: str
    what: str
    count: int
    source: str
    hint: Optional[str]


@dataclass(frozen=True)
class Observed:
    """What the interpreter told of itself: evidence, not proof."""
    source: str
    files_read: List[Any]
    files_written: List[Any]
    connects: List[Any]
    execs: List[Any]
    imports: List[Any]
    unpredicted: List[Any]


@dataclass(frozen=True)
class Package:
    """What was installed, and where it came from."""
    name: str
    version: str
    hash: str
    url: str


@dataclass(frozen=True)
class Environment:
    """The packages that the code had.  built: for this request; else they were there."""
    sha256: str
    built: bool
    packages: List[Package]
    interpreter: str


@dataclass(frozen=True)
class Enforcement:
    """The walls that stood, and those that did not."""
    backend: str
    layers: List[str]
    missing: List[str]
    container: Optional[Dict[str, Any]]


@dataclass(frozen=True)
class OutputFile:
    """A file the code made or changed."""
    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class SkippedFile:
    """A file that was left behind."""
    path: str
    why: str


@dataclass(frozen=True)
class AuditReceipt:
    """Where the log has this run."""
    intent_seq: Optional[int]
    outcome_seq: Optional[int]
    hash: Optional[str]
    log_size: Optional[int]


@dataclass(frozen=True)
class Timing:
    """Where the time went, in microseconds."""
    assess_us: int
    queue_us: int
    start_us: int
    run_us: int
    record_us: int
    total_us: int


@dataclass(frozen=True)
class Truncated:
    """Whether a stream was cut."""
    stdout: bool
    stderr: bool


@dataclass(frozen=True)
class ErrorInfo:
    """bawn's own failure; the program's is in stderr."""
    type: str
    message: str
    hint: Optional[str]
    field: Optional[str]


@dataclass(frozen=True, repr=False)
class Result:
    """How a request ended.  `status` is the word; `ok` is whether the program ran and exited with 0."""
    v: int
    id: str
    mode: str
    request_sha256: Optional[str]
    started_at: str
    finished_at: str
    labels: Dict[str, str]
    session: Optional[str]
    status: str
    exit_code: Optional[int]
    signal: Optional[int]
    stdout: str
    stderr: str
    truncated: Truncated
    warnings: List[str]
    error: Optional[ErrorInfo]
    assessment: Optional[Assessment]
    decision: Optional[Decision]
    trust_level: Optional[str]
    limits: Optional[Limits]
    usage: Usage
    denials: List[Denial]
    observed: Optional[Observed]
    environment: Optional[Environment]
    enforcement: Enforcement
    files: List[OutputFile]
    skipped_files: List[SkippedFile]
    audit: AuditReceipt
    timing: Timing
    #: with collect=True: what the files hold, by path
    contents: Mapping[str, bytes] = field(repr=False, compare=False, default_factory=dict)
    #: the whole document as bawn wrote it
    document: Json = field(repr=False, compare=False, default_factory=dict)

    def __repr__(self) -> str:
        return f"<Result {self.id} {self.status} exit_code={self.exit_code} stdout={self.stdout[:60]!r}>"

    @property
    def ok(self) -> bool:
        return self.status == "completed" and self.error is None

    @property
    def stdout_bytes(self) -> bytes:
        """stdout as it came; `stdout` has replaced what is not UTF-8."""
        return self._bytes("stdout")

    @property
    def stderr_bytes(self) -> bytes:
        return self._bytes("stderr")

    def _bytes(self, name: str) -> bytes:
        exact = self.document.get(name + "_base64")
        return base64.b64decode(exact) if exact is not None else str(self.document[name]).encode()

    def exception(self, check: bool = False) -> Optional[BawnError]:
        """What this result is as an exception; None where the program came to an end of its own (with
        `check`: and that was a good one) and its files could be kept."""
        if self.error is None and (self.status == "completed" or (self.status == "failed" and not check)):
            return None
        kind = BY_STATUS.get(self.status) or InternalError
        if self.error is None:
            return kind(self._words(), type=self.status, result=self)
        if self.status in ("error", "completed", "failed"):
            kind = BY_TYPE.get(self.error.type, InternalError)
        return kind(self.error.message, type=self.error.type, hint=self.error.hint, field=self.error.field, result=self)

    def raise_for_status(self, check: bool = False) -> "Result":
        """Raises that exception, or returns the result itself."""
        wrong = self.exception(check)
        if wrong is not None:
            raise wrong
        return self

    def _words(self) -> str:
        """One line for people."""
        level = self.assessment.level if self.assessment is not None else "?"
        findings = self.assessment.findings if self.assessment is not None else []
        main = next((f for f in findings if f.level == level), findings[0] if findings else None)
        why = f": {main.rule} line {main.line}: {main.message}" if main is not None else ""
        if self.status == "refused":
            return f"{level}, refused{why}"
        if self.status == "needs_approval":
            approval = self.decision.approval_id if self.decision is not None else None
            how = f"somebody has to answer: bawn approve {approval} --reason TEXT" if approval else \
                "somebody would have to approve it"  # a dry run holds nothing
            return f"{level}, held{why}; {how}"
        if self.status == "failed":
            return f"the program was ended by signal {self.signal}" if self.signal else \
                f"the program exited with {self.exit_code}"
        return f"the run ended as {self.status}"


@dataclass(frozen=True)
class HistoryRow:
    """One past execution."""
    id: str
    started_at: Optional[str]
    level: Optional[str]
    score: Optional[int]
    decision: Optional[str]
    override: Optional[Override]
    trust_level: Optional[str]
    status: Optional[str]
    exit_code: Optional[int]
    wall_ms: Optional[int]
    peak_memory_bytes: Optional[int]
    violations: int
    code_sha256: Optional[str]
    labels: Optional[Dict[str, str]]
    session: Optional[str]
    lost: bool
    seq: int
    document: Json = field(repr=False, compare=False, default_factory=dict)


@dataclass(frozen=True)
class Approval:
    """A request that waits for a person."""
    id: str
    state: str
    exec: str
    request_sha256: str
    action: str
    level: str
    code_sha256: str
    session: Optional[str]
    labels: Dict[str, str]
    principal: Dict[str, Any]
    asked_reason: Optional[str]
    created_at: str
    expires_at: str
    assessment: Assessment
    document: Json = field(repr=False, compare=False, default_factory=dict)


@dataclass(frozen=True)
class Question:
    """What a `confirm` callback is asked: the findings, and what the run would be held to."""
    level: str
    request_sha256: str
    assessment: Assessment
    limits: Optional[Limits]
    code: bytes


@dataclass(frozen=True)
class Answer:
    """What a `confirm` callback says.  A program's word counts as assurance `self`, whoever it asked: where
    policy wants a terminal or another person, the request stays held."""
    yes: bool
    reason: str = ""
    name: str = ""


@dataclass(frozen=True)
class Event:
    """One step of a run: kind is state, output, usage, denial or outcome."""
    seq: int
    at_us: int
    kind: str
    id: str
    text: Optional[str] = None
    stream: Optional[int] = None
    data: bytes = b""
    cpu_ms: int = 0
    memory_bytes: int = 0
    pids: int = 0
    wall_ms: int = 0


_shapes: Dict[Type[Any], List[Tuple[str, Any, bool]]] = {}


def _shape(cls: Type[Any]) -> List[Tuple[str, Any, bool]]:
    """Of each field: name, type, whether JSON has it."""
    if cls not in _shapes:
        hints = get_type_hints(cls)
        _shapes[cls] = [(f.name, hints[f.name], f.name not in ("document", "contents"))
                        for f in dataclasses.fields(cls)]
    return _shapes[cls]


def _value(hint: Any, value: Any) -> Any:
    if value is None:
        return None
    if get_origin(hint) is Union:  # Optional
        hint = next(a for a in get_args(hint) if a is not type(None))
    if dataclasses.is_dataclass(hint):
        return decode(hint, value)
    if get_origin(hint) is list and dataclasses.is_dataclass(get_args(hint)[0]):
        return [decode(get_args(hint)[0], v) for v in value]
    return value


def decode(cls: Type[T], document: Json, **more: Any) -> T:
    """A dataclass from a JSON object; `more` are fields the object does not have."""
    values: Dict[str, Any] = {}
    for name, hint, in_json in _shape(cls):
        if in_json:
            values[name] = _value(hint, document[name])
        elif name == "document":
            values[name] = document
    return cls(**{**values, **more})
