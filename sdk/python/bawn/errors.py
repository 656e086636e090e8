"""What can go wrong, one class for each row of bawn's closed lists.

`error.type` of a result and of the C library, and `status` of a result, are closed lists; BY_TYPE and
BY_STATUS give every row its class.  All derive from BawnError and carry `type`, `hint`, `field` and, where
the request got far enough to have one, `result`."""
from typing import TYPE_CHECKING, Dict, Optional, Type

if TYPE_CHECKING:
    from .model import Result


class BawnError(Exception):
    """Something bawn could not or would not do."""

    def __init__(self, message: str, *, type: str = "internal", hint: Optional[str] = None,
                 field: Optional[str] = None, result: "Optional[Result]" = None) -> None:
        super().__init__(message)
        self.message = message
        self.type = type
        self.hint = hint
        self.field = field
        self.result = result

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message

    def __reduce__(self) -> "tuple[object, ...]":
        return (_again, (self.__class__, self.message, self.__dict__))


def _again(cls: Type[BawnError], message: str, state: Dict[str, object]) -> BawnError:
    made = cls(message)
    made.__dict__.update(state)
    return made


class LibraryMissing(BawnError, ImportError):
    """libbawn is not installed, or is another version than this package is for."""


class InternalError(BawnError):
    """bawn itself failed."""


class OutOfMemory(BawnError):
    """There was no memory for bawn itself; the code's own limit is MemoryLimit."""


class InvalidRequest(BawnError, ValueError):
    """The request is not one: `field` says where, `type` says how."""


class OverrideNotAllowed(BawnError):
    """Policy lets nobody lift a verdict."""


class Unavailable(BawnError):
    """This host or this build cannot do what was asked for; nothing ran."""


class NetworkUnavailable(Unavailable):
    """A network was asked for and there is none to give."""


class NetworkLost(Unavailable):
    """The proxy of a run with a network ended before the run did; the run was ended, too."""


class InstallFailed(Unavailable):
    """The packages that the code needs could not be installed; nothing was kept, and nothing ran."""


class BackendUnavailable(Unavailable):
    """The sandbox cannot be built; `bawn doctor` says why."""


class EnforcementMissing(Unavailable):
    """A wall that policy requires does not stand on this host."""


class InterpreterMissing(Unavailable):
    """There is no interpreter for the language."""


class ConfigInvalid(BawnError):
    """The policy cannot be read; `bawn policy check` lists every mistake."""


class StateError(BawnError):
    """The state directory cannot be used."""


class StateUnwritable(StateError):
    """The state directory cannot be written."""


class DiskFull(StateError):
    """There is no room for the record, so nothing ran."""


class AuditError(BawnError):
    """The log cannot take a record, so nothing runs."""


class AuditBusy(AuditError):
    """Somebody else holds the log; try again."""


class AuditTampered(AuditError):
    """The log was changed by somebody else than bawn."""


class ApprovalError(BawnError):
    """An approval that cannot be used."""


class ApprovalUnknown(ApprovalError):
    """There is no such approval."""


class ApprovalMismatch(ApprovalError):
    """The approval was given for another request."""


class ApprovalExpired(ApprovalError):
    """The approval came too late."""


class ApprovalUsed(ApprovalError):
    """The approval was good for one run, which has been."""


class ApprovalDenied(ApprovalError):
    """Somebody said no."""


class ApprovalOpen(ApprovalError):
    """Nobody has answered yet."""


class AssuranceTooLow(ApprovalError):
    """Policy wants an answer that is surer than this one, usually one typed on a terminal."""


class AssessmentFailed(BawnError):
    """The code could not be assessed."""


class NotFound(BawnError):
    """There is no such thing."""


class Busy(BawnError):
    """The host is full, and stayed full for as long as policy waits."""


class Cancelled(BawnError):
    """Somebody cancelled the run."""


class PolicyBlocked(BawnError):
    """BLOCKED, or a confirmation that was refused: nothing ran.  `result.assessment.findings` says why."""


class ApprovalRequired(BawnError):
    """Held: a person has to answer.  `approval_id` is what they answer to; pass it as `approval=` afterwards."""

    @property
    def approval_id(self) -> Optional[str]:
        decision = self.result.decision if self.result is not None else None
        return decision.approval_id if decision is not None else None


class LimitReached(BawnError):
    """The run was ended by a limit; `result` has its output up to there, `result.limits` the numbers."""


class ExecutionTimeout(LimitReached, TimeoutError):
    """It took longer than its wall time."""


class CpuLimit(LimitReached):
    """It used up its CPU time."""


class MemoryLimit(LimitReached):
    """It needed more memory than it was given."""


class PidsLimit(LimitReached):
    """It made more processes or threads than it was given, and policy ends that."""


class DiskLimit(LimitReached):
    """It wrote more than it was given, and policy ends that."""


class OutputLimit(LimitReached):
    """It printed more than it was given, and policy ends that."""


class ExecutionKilled(BawnError):
    """The run was killed from outside."""


class ProgramFailed(BawnError):
    """The program ended with another exit code than 0 or by its own signal (only with check=True)."""


#: `error.type`: include/bawn/err.h has the list, a test compares
BY_TYPE: Dict[str, Type[BawnError]] = {
    "internal": InternalError,
    "out_of_memory": OutOfMemory,
    "invalid_request": InvalidRequest,
    "empty_code": InvalidRequest,
    "code_too_large": InvalidRequest,
    "nul_byte": InvalidRequest,
    "bad_utf8": InvalidRequest,
    "unknown_language": InvalidRequest,
    "env_refused": InvalidRequest,
    "input_invalid": InvalidRequest,
    "limit_invalid": InvalidRequest,
    "reason_missing": InvalidRequest,
    "reason_too_long": InvalidRequest,
    "override_not_allowed": OverrideNotAllowed,
    "network_unavailable": NetworkUnavailable,
    "network_lost": NetworkLost,
    "install_failed": InstallFailed,
    "backend_unavailable": BackendUnavailable,
    "enforcement_missing": EnforcementMissing,
    "interpreter_missing": InterpreterMissing,
    "config_invalid": ConfigInvalid,
    "state_unwritable": StateUnwritable,
    "disk_full": DiskFull,
    "audit_busy": AuditBusy,
    "audit_failed": AuditError,
    "audit_tampered": AuditTampered,
    "approval_unknown": ApprovalUnknown,
    "approval_mismatch": ApprovalMismatch,
    "approval_expired": ApprovalExpired,
    "approval_used": ApprovalUsed,
    "approval_denied": ApprovalDenied,
    "approval_open": ApprovalOpen,
    "assurance_too_low": AssuranceTooLow,
    "assessment_failed": AssessmentFailed,
    "not_found": NotFound,
    "busy": Busy,
    "cancelled": Cancelled,
}

#: `status`: src/core/api.h has the list, a test compares.  None: the program came to its own end.
BY_STATUS: Dict[str, Optional[Type[BawnError]]] = {
    "completed": None,
    "failed": ProgramFailed,
    "timeout": ExecutionTimeout,
    "cpu_limit": CpuLimit,
    "memory_limit": MemoryLimit,
    "pids_limit": PidsLimit,
    "disk_limit": DiskLimit,
    "output_limit": OutputLimit,
    "killed": ExecutionKilled,
    "cancelled": Cancelled,
    "refused": PolicyBlocked,
    "needs_approval": ApprovalRequired,
    "busy": Busy,
    "error": InternalError,
}


def error_of(type: str, message: str, hint: Optional[str] = None, field: Optional[str] = None,
             result: "Optional[Result]" = None) -> BawnError:
    """The exception for one row of the closed list."""
    return BY_TYPE.get(type, BawnError)(message, type=type, hint=hint, field=field, result=result)
