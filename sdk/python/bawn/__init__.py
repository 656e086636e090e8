"""bawn runs code that nobody has read yet: assessed before, contained during, provable after.

    import bawn
    result = bawn.run("print(6*7)")
    print(result.stdout)

`run` raises PolicyBlocked, ApprovalRequired, ExecutionTimeout, MemoryLimit, Busy and their kin where the program
came to no end of its own; all of them are BawnError and carry `result`.  `bawn.aio` has the same for asyncio,
`bawn.safety` the coordinator with plain dictionaries."""
from . import errors
from .client import Client, Confirm, OnEvent, OnText
from .errors import (ApprovalError, ApprovalRequired, AssuranceTooLow, AuditError, AuditTampered, BawnError, Busy,
                     Cancelled, ConfigInvalid, CpuLimit, DiskLimit, EnforcementMissing, ExecutionKilled,
                     ExecutionTimeout, InterpreterMissing, InvalidRequest, LibraryMissing, LimitReached, MemoryLimit,
                     NotFound, OutputLimit, OverrideNotAllowed, PidsLimit, PolicyBlocked, ProgramFailed, StateError,
                     Unavailable)
from .model import (Answer, Approval, Assessment, Decision, Denial, Enforcement, Environment, Event, Finding,
                    HistoryRow, Limits, Observed, OutputFile, Override, Question, Result, SkippedFile, Usage)
from .sandbox import Sandbox

__version__ = "0.1.0"

#: the Client that the functions of this module belong to: state and configuration of the environment
default = Client()
run = default.run
assess = default.assess
history = default.history
status = default.status
report = default.report
pending = default.pending
approve = default.approve
deny = default.deny
configure = default.configure

__all__ = [
    "Answer", "Approval", "ApprovalError", "ApprovalRequired", "Assessment", "AssuranceTooLow", "AuditError",
    "AuditTampered", "BawnError", "Busy", "Cancelled", "Client", "ConfigInvalid", "Confirm", "CpuLimit", "Decision",
    "Denial", "DiskLimit", "Enforcement", "EnforcementMissing", "Environment", "Event", "ExecutionKilled",
    "ExecutionTimeout",
    "Finding", "HistoryRow", "InterpreterMissing", "InvalidRequest", "LibraryMissing", "LimitReached", "Limits",
    "MemoryLimit", "NotFound", "Observed", "OnEvent", "OnText", "OutputFile", "OutputLimit", "Override",
    "OverrideNotAllowed", "PidsLimit", "PolicyBlocked", "ProgramFailed", "Question", "Result", "Sandbox",
    "SkippedFile", "StateError", "Unavailable", "Usage", "approve", "assess", "configure", "default", "deny",
    "errors", "history", "pending", "report", "run", "status",
]
