"""The one taxonomy of errors: code, CLI exit code, HTTP status, gRPC status, whether a retry helps.

Every failure that leaves a part of ThothII is a `Fault` with one of these codes. The CLIs exit with
`exit_code`, the gateway answers `http_status` as problem+json (RFC 9457), the services end a call with
`grpc_status`; all of them carry the code itself, so that nothing has to be guessed from a status.
"""

from __future__ import annotations

from enum import Enum

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing costs the command line a third of its start
    from collections.abc import Mapping
    from typing import Any


class Kind:
    """How one kind of failure is told in each of the places it can reach."""

    __slots__ = ("exit_code", "grpc_status", "http_status", "retry", "title")

    def __init__(self, exit_code: int, http_status: int, grpc_status: str, retry: bool, title: str) -> None:
        self.exit_code = exit_code
        self.http_status = http_status
        self.grpc_status = grpc_status
        """Name of a member of grpc.StatusCode."""
        self.retry = retry
        """True when the same call may succeed later without a change by the caller."""
        self.title = title
        """One short sentence that fits every failure of this kind."""


class Code(Enum):
    """Stable codes; the value is what crosses process borders."""

    INVALID_ARGUMENT = "invalid_argument"
    MALFORMED = "malformed"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    FORBIDDEN_ORIGIN = "forbidden_origin"
    UNAUTHENTICATED = "unauthenticated"
    NOT_FOUND = "not_found"
    REFUSED = "refused"
    NOT_APPROVED = "not_approved"
    APPROVAL_MISMATCH = "approval_mismatch"
    TIMEOUT = "timeout"
    DATABASE_ERROR = "database_error"
    DATABASE_UNAVAILABLE = "database_unavailable"
    WORKSPACE_BROKEN = "workspace_broken"
    CONFLICT = "conflict"
    SESSION_BUSY = "session_busy"
    SESSION_NOT_LIVE = "session_not_live"
    ANSWERED_ALREADY = "answered_already"
    EXPIRED = "expired"
    GONE = "gone"
    ANSWER_DOES_NOT_FIT = "answer_does_not_fit"
    RESULT_EXPIRED = "result_expired"
    TOO_LARGE = "too_large"
    OVER_CAP = "over_cap"
    BUSY = "busy"
    CANCELLED = "cancelled"
    UNAVAILABLE = "unavailable"
    PI_MISSING = "pi_missing"
    PI_UNSUPPORTED = "pi_unsupported"
    PI_FAILED = "pi_failed"
    GATE_MISSING = "gate_missing"
    MODEL_UNKNOWN = "model_unknown"
    NO_CREDENTIALS = "no_credentials"
    AGENT_REFUSED = "agent_refused"
    INTERNAL = "internal"

    @property
    def kind(self) -> Kind:
        """The row of this code in the taxonomy."""
        return TAXONOMY[self]


TAXONOMY: Mapping[Code, Kind] = {
    Code.INVALID_ARGUMENT: Kind(2, 422, "INVALID_ARGUMENT", False, "A value is not acceptable"),
    Code.MALFORMED: Kind(2, 400, "INVALID_ARGUMENT", False, "The request cannot be read"),
    Code.METHOD_NOT_ALLOWED: Kind(2, 405, "UNIMPLEMENTED", False, "The method is not offered here"),
    Code.UNSUPPORTED_MEDIA_TYPE: Kind(2, 415, "INVALID_ARGUMENT", False, "The content type is not supported"),
    Code.FORBIDDEN_ORIGIN: Kind(4, 403, "PERMISSION_DENIED", False, "This host or origin is not allowed"),
    Code.UNAUTHENTICATED: Kind(4, 401, "UNAUTHENTICATED", False, "Who you are is not known"),
    Code.NOT_FOUND: Kind(3, 404, "NOT_FOUND", False, "There is no such thing"),
    Code.REFUSED: Kind(4, 403, "PERMISSION_DENIED", False, "The statement is not allowed"),
    Code.NOT_APPROVED: Kind(5, 409, "FAILED_PRECONDITION", False, "Nobody has approved this SQL"),
    Code.APPROVAL_MISMATCH: Kind(5, 409, "FAILED_PRECONDITION", False, "What was approved is another text"),
    Code.TIMEOUT: Kind(6, 504, "DEADLINE_EXCEEDED", True, "It took too long and was stopped"),
    Code.DATABASE_ERROR: Kind(7, 422, "ABORTED", False, "The database refused the statement"),
    Code.DATABASE_UNAVAILABLE: Kind(7, 503, "UNAVAILABLE", True, "The database cannot be reached"),
    Code.WORKSPACE_BROKEN: Kind(7, 500, "FAILED_PRECONDITION", False, "The workspace cannot be used"),
    Code.CONFLICT: Kind(8, 409, "ABORTED", False, "It was changed in the meantime"),
    Code.SESSION_BUSY: Kind(8, 409, "ABORTED", True, "Somebody else holds this session"),
    Code.SESSION_NOT_LIVE: Kind(8, 409, "FAILED_PRECONDITION", False, "The session has no running agent"),
    Code.ANSWERED_ALREADY: Kind(8, 409, "ALREADY_EXISTS", False, "The question was answered already"),
    Code.EXPIRED: Kind(8, 409, "FAILED_PRECONDITION", False, "The question has expired"),
    Code.GONE: Kind(8, 410, "FAILED_PRECONDITION", False, "The question is gone"),
    Code.ANSWER_DOES_NOT_FIT: Kind(2, 422, "INVALID_ARGUMENT", False, "The answer does not fit the question"),
    Code.RESULT_EXPIRED: Kind(8, 410, "FAILED_PRECONDITION", False, "The kept result is gone"),
    Code.TOO_LARGE: Kind(10, 413, "RESOURCE_EXHAUSTED", False, "It is too large"),
    Code.OVER_CAP: Kind(10, 413, "RESOURCE_EXHAUSTED", False, "A limit of the workspace was exceeded"),
    Code.BUSY: Kind(10, 429, "RESOURCE_EXHAUSTED", True, "All places are taken"),
    Code.CANCELLED: Kind(6, 499, "CANCELLED", False, "It was cancelled"),
    Code.UNAVAILABLE: Kind(9, 503, "UNAVAILABLE", True, "A service behind this one does not answer"),
    Code.PI_MISSING: Kind(9, 503, "FAILED_PRECONDITION", False, "Pi is not installed"),
    Code.PI_UNSUPPORTED: Kind(9, 503, "FAILED_PRECONDITION", False, "This version of Pi is not supported"),
    Code.PI_FAILED: Kind(9, 502, "UNKNOWN", False, "Pi did not come up or ended"),
    Code.GATE_MISSING: Kind(9, 502, "FAILED_PRECONDITION", False, "The gate did not load"),
    Code.MODEL_UNKNOWN: Kind(2, 422, "INVALID_ARGUMENT", False, "Pi does not know this model"),
    Code.NO_CREDENTIALS: Kind(9, 503, "FAILED_PRECONDITION", False, "Pi has no credentials for the model"),
    Code.AGENT_REFUSED: Kind(9, 502, "UNKNOWN", False, "Pi refused the command"),
    Code.INTERNAL: Kind(9, 500, "INTERNAL", False, "Something went wrong in ThothII"),
}


class Fault(Exception):
    """A failure to be told to whoever asked.

    `message` is one line for people: what is wrong and what to do. It never holds a secret, a connection
    string or values of rows. `details` are machine-readable extras (JSON values) such as both hashes of an
    approval mismatch.
    """

    def __init__(self, code: Code, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details: dict[str, Any] = details

    def document(self) -> dict[str, Any]:
        """`{code, message, details}`, the form in which a fault crosses a pipe or the agent endpoint."""
        return {"code": self.code.value, "message": self.message, "details": self.details}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Fault:
        """The fault that `document()` told; an unknown code becomes INTERNAL."""
        try:
            code = Code(document.get("code"))
        except ValueError:
            code = Code.INTERNAL
        details = document.get("details")
        return cls(code, str(document.get("message", "")), **(details if isinstance(details, dict) else {}))
