"""The safety coordinator: the whole flow with plain dictionaries in and out.

`SafetyCoordinator.execute_code_safely` is `bawn.run` for callers that want data instead of exceptions: what ran and
what did not both come back as a dictionary.  ValueError is for input that is no request at all: blank, oversize or
of the wrong kind.

An override is asked for with `user_override` and `user_explanation`.  It is the requester's own word, so it lifts a
verdict only where policy takes that (`overrides.minimum: self`); elsewhere the request is held, `reason` says how a
person can approve it, and `approval_id` is what the same call is made with afterwards."""
import time
from typing import Any, Dict, List, Mapping, Optional

from ._request import PathLike
from .client import Client, Confirm
from .errors import BY_TYPE, InvalidRequest
from .model import Result

#: the levels of these decisions run without anybody being asked
_RUNS = ("run", "warn")
#: policy said no, or not without a person
_BLOCKED = ("refused", "needs_approval")
#: a hundred thousand years: whoever asks for more has made a mistake
_MOST_HOURS = 1e9


def _code(code: Any) -> str:
    if not isinstance(code, str):
        raise ValueError(f"code must be str, not {type(code).__name__}")
    if not code.strip():
        raise ValueError("code is blank")
    return code


def _text(field: str, value: Any) -> Optional[str]:
    if value is not None and not isinstance(value, str):
        raise ValueError(f"{field} must be str, not {type(value).__name__}")
    return value


def _explanation(override: Any, explanation: Any) -> Optional[str]:
    if not isinstance(override, bool):
        raise ValueError(f"user_override must be bool, not {type(override).__name__}")
    words = _text("user_explanation", explanation)
    if override and not (words or "").strip():
        raise ValueError("an override needs a user_explanation")
    return words if override else None


def _labels(metadata: Any) -> Dict[str, str]:
    """metadata as labels: names and plain values."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise ValueError(f"metadata must be a mapping, not {type(metadata).__name__}")
    for name, value in metadata.items():
        if not isinstance(name, str) or not isinstance(value, (str, int, float)):
            raise ValueError("metadata must map names to text, numbers or booleans")
    return {name: str(value) for name, value in metadata.items()}


def _execution(document: Mapping[str, Any]) -> Optional[Dict[str, Any]]:
    """What is known of the run itself; None where nothing ran."""
    if document["audit"]["intent_seq"] is None:
        return None
    names = ("status", "exit_code", "signal", "stdout", "stderr", "truncated", "warnings", "usage", "denials",
             "observed", "enforcement", "files", "skipped_files", "audit", "timing")
    return {name: document[name] for name in names}


def _answer(result: Result) -> Dict[str, Any]:
    d = result.document
    assessment, decision = d["assessment"] or {}, d["decision"] or {}
    answer: Dict[str, Any] = {
        "request_id": d["id"],
        "timestamp": d["started_at"],
        "success": result.ok,
        "security": {
            "level": assessment.get("level"),
            "findings": assessment.get("findings", []),
            "override_used": decision.get("override") is not None,
        },
        "execution": _execution(d),
        "resource_limits": d["limits"],
        "trust_level": d["trust_level"],
    }
    if d["status"] in _BLOCKED:
        answer["blocked"] = True
        answer["reason"] = str(result.exception())
    if decision.get("approval_id") is not None:
        answer["approval_id"] = decision["approval_id"]
    if d["error"] is not None:
        answer["error"] = d["error"]
    return answer


class SafetyCoordinator:
    """Assess, decide, allocate, run, record: one call."""

    def __init__(self, *, state: Optional[PathLike] = None, config: Optional[PathLike] = None,
                 confirm: Optional[Confirm] = None) -> None:
        self.client = Client(state=state, config=config)
        self._confirm = confirm

    def execute_code_safely(self, code: str, user_override: bool = False, user_explanation: Optional[str] = None,
                            metadata: Optional[Mapping[str, Any]] = None, *, language: str = "python",
                            approval_id: Optional[str] = None) -> Dict[str, Any]:
        """The whole flow.  Always there: request_id, timestamp, success, security {level, findings,
        override_used}, execution (None where nothing ran), resource_limits, trust_level; where policy refused or
        held it also blocked and reason; approval_id where one is open or was used; error where bawn itself failed
        or was too busy."""
        explanation = _explanation(user_override, user_explanation)
        result = self.client.run(_code(code), _text("language", language), labels=_labels(metadata),
                                 override=user_override, reason=explanation, approval=_text("approval_id", approval_id),
                                 confirm=self._confirm, check=False)
        if result.error is not None and BY_TYPE.get(result.error.type) is InvalidRequest:
            raise InvalidRequest(result.error.message, type=result.error.type, hint=result.error.hint,
                                 field=result.error.field, result=result)
        return _answer(result)


class SafetyAPI:
    """The six calls of the coordinator's interface."""

    def __init__(self, coordinator: Optional[SafetyCoordinator] = None) -> None:
        self.coordinator = coordinator if coordinator is not None else SafetyCoordinator()
        self._client = self.coordinator.client

    def assess_and_execute(self, code: str, user_override: bool = False, user_explanation: Optional[str] = None,
                           metadata: Optional[Mapping[str, Any]] = None, *, language: str = "python",
                           approval_id: Optional[str] = None) -> Dict[str, Any]:
        """SafetyCoordinator.execute_code_safely."""
        return self.coordinator.execute_code_safely(code, user_override, user_explanation, metadata,
                                                    language=language, approval_id=approval_id)

    def assess_code_only(self, code: str, *, language: str = "python") -> Dict[str, Any]:
        """The verdict; `can_execute` is whether the code would run without anybody being asked."""
        a = self._client.assess(_code(code), _text("language", language)).document
        return {"security_level": a["level"], "security_score": a["score"], "findings": a["findings"],
                "recommendations": a["recommendations"], "can_execute": a["decision"] in _RUNS}

    def get_execution_history(self, limit: int = 50) -> List[Dict[str, Any]]:
        """Past executions, newest first."""
        return [row.document for row in self._client.history(limit)]

    def get_security_status(self) -> Dict[str, Any]:
        """The health of each part, from real probes."""
        s = self._client.status()
        return {"system_status": s["system_status"], "components": s["components"],
                "system_resources": s["resources"], "audit_integrity": s["audit"], "timestamp": s["checked_at"]}

    def configure_policies(self, policies: Mapping[str, Any]) -> Dict[str, Any]:
        """Applies what `bawn policy set` would; `success` is whether anything was wrong with it (`errors`)."""
        reply = self._client.configure(policies)
        return {"success": not reply["errors"], **reply}

    def get_audit_report(self, time_range_hours: float = 24) -> Dict[str, Any]:
        """What the log has of the last hours."""
        if isinstance(time_range_hours, bool) or not isinstance(time_range_hours, (int, float)) or \
                not 0 < time_range_hours <= _MOST_HOURS:
            raise ValueError(f"time_range_hours must be a number greater than 0, at most {_MOST_HOURS:.0f}")
        return self._client.report(since=max(0.0, time.time() - time_range_hours * 3600))
