"""The codes with which a plan or a run is refused, as the public session executor names them."""

from enum import StrEnum

from contracts.errors import Code as FaultCode
from contracts.errors import Fault


class ErrorCode(StrEnum):
    """What `harness-session-executor` prints before the colon; names are part of the interface."""

    INVALID_INPUT = "INVALID_INPUT"
    RESERVED_TRAILER = "RESERVED_TRAILER"
    WORKSPACE_NOT_FOUND = "WORKSPACE_NOT_FOUND"
    PROCESS_START_FAILED = "PROCESS_START_FAILED"
    PROCESS_FAILED = "PROCESS_FAILED"
    INVALID_UTF8 = "INVALID_UTF8"
    SESSION_NOT_FOUND = "SESSION_NOT_FOUND"
    INVALID_SESSION = "INVALID_SESSION"
    CHECKPOINT_NOT_FOUND = "CHECKPOINT_NOT_FOUND"
    PLAN_NOT_FOUND = "PLAN_NOT_FOUND"
    INVALID_PLAN = "INVALID_PLAN"
    UNSUPPORTED_PLAN = "UNSUPPORTED_PLAN"
    UNSUPPORTED_PROVIDER = "UNSUPPORTED_PROVIDER"
    PLAN_TAMPERED = "PLAN_TAMPERED"
    WORKSPACE_CHANGED = "WORKSPACE_CHANGED"
    BASE_CHANGED = "BASE_CHANGED"
    CHECKPOINT_CHANGED = "CHECKPOINT_CHANGED"
    OUTPUT_EXISTS = "OUTPUT_EXISTS"
    BASE_MOVED = "BASE_MOVED"
    NO_CHANGES = "NO_CHANGES"
    INVALID_RUNNER_RESULT = "INVALID_RUNNER_RESULT"
    EXECUTION_FAILED = "EXECUTION_FAILED"
    EXECUTION_INCOMPLETE = "EXECUTION_INCOMPLETE"
    PATH_OUTSIDE_WORKTREE = "PATH_OUTSIDE_WORKTREE"
    PI_SDK_UNAVAILABLE = "PI_SDK_UNAVAILABLE"
    PI_CHECKPOINT_FORK_FAILED = "PI_CHECKPOINT_FORK_FAILED"
    PI_TOOL_BOUNDARY_FAILED = "PI_TOOL_BOUNDARY_FAILED"
    PI_TOOL_CALL_LIMIT = "PI_TOOL_CALL_LIMIT"
    PI_EXECUTION_TIMEOUT = "PI_EXECUTION_TIMEOUT"
    PI_CONTINUATION_FAILED = "PI_CONTINUATION_FAILED"
    PI_SESSION_NOT_PERSISTED = "PI_SESSION_NOT_PERSISTED"


_NOT_FOUND = {
    ErrorCode.WORKSPACE_NOT_FOUND,
    ErrorCode.SESSION_NOT_FOUND,
    ErrorCode.CHECKPOINT_NOT_FOUND,
    ErrorCode.PLAN_NOT_FOUND,
}
_CONFLICT = {
    ErrorCode.WORKSPACE_CHANGED,
    ErrorCode.BASE_CHANGED,
    ErrorCode.CHECKPOINT_CHANGED,
    ErrorCode.OUTPUT_EXISTS,
    ErrorCode.BASE_MOVED,
    ErrorCode.EXECUTION_INCOMPLETE,
}
_INVALID = {
    ErrorCode.INVALID_INPUT,
    ErrorCode.RESERVED_TRAILER,
    ErrorCode.INVALID_UTF8,
    ErrorCode.INVALID_SESSION,
    ErrorCode.INVALID_PLAN,
    ErrorCode.UNSUPPORTED_PLAN,
    ErrorCode.UNSUPPORTED_PROVIDER,
    ErrorCode.PLAN_TAMPERED,
}
_PI_FAILED = {
    ErrorCode.PI_CHECKPOINT_FORK_FAILED,
    ErrorCode.PI_TOOL_BOUNDARY_FAILED,
    ErrorCode.PI_TOOL_CALL_LIMIT,
    ErrorCode.PI_CONTINUATION_FAILED,
    ErrorCode.PI_SESSION_NOT_PERSISTED,
    ErrorCode.NO_CHANGES,
}


class ExecutorError(Exception):
    """A refusal or failure with its code, a one-line message and what the cleanup could not remove."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        line = " ".join(message.split())
        super().__init__(line)
        self.code = code
        self.message = line
        self.cleanup_warnings: list[str] = []

    def as_fault(self) -> Fault:
        """The same failure in the taxonomy of the services.

        Its details have the own code as `executor_code`, and `cleanup_warnings` when there are any.
        """
        fault = Fault(_fault_code(self.code), self.message, executor_code=self.code.value)
        if self.cleanup_warnings:
            fault.details["cleanup_warnings"] = list(self.cleanup_warnings)
        return fault


def _fault_code(code: ErrorCode) -> FaultCode:
    if code in _NOT_FOUND:
        return FaultCode.NOT_FOUND
    if code in _CONFLICT:
        return FaultCode.CONFLICT
    if code in _INVALID:
        return FaultCode.INVALID_ARGUMENT
    if code in _PI_FAILED:
        return FaultCode.PI_FAILED
    if code is ErrorCode.PI_SDK_UNAVAILABLE:
        return FaultCode.PI_MISSING
    if code is ErrorCode.PI_EXECUTION_TIMEOUT:
        return FaultCode.TIMEOUT
    return FaultCode.INTERNAL
