"""The two sets of limits a plan may ask for; any other value is refused."""

from dataclasses import dataclass
from typing import Any

from session_executor.canonical import canonical_json
from session_executor.errors import ErrorCode, ExecutorError

_STANDARD: dict[str, Any] = {
    "isolation": "detached-git-worktree",
    "readTools": ["read", "ls"],
    "mutationTools": ["edit", "write"],
    "shell": False,
    "deleteOrRename": False,
    "extensions": False,
    "skills": False,
    "maxToolCalls": 64,
    "maxDurationMs": 900_000,
}

_WITH_DELETE: dict[str, Any] = {
    "version": 2,
    **_STANDARD,
    "mutationTools": ["edit", "write", "delete", "rename"],
    "deleteOrRename": True,
}


@dataclass(frozen=True, slots=True)
class Constraints:
    """What a continuation may do, as the plan states it."""

    document: dict[str, Any]

    @classmethod
    def choose(cls, *, allow_delete: bool) -> "Constraints":
        """The standard limits, or version 2 with the `delete` and `rename` tools."""
        return cls(dict(_WITH_DELETE if allow_delete else _STANDARD))

    @classmethod
    def accept(cls, document: Any) -> "Constraints":
        """The limits in a plan. Raises ExecutorError UNSUPPORTED_PLAN unless they are one of the two sets."""
        try:
            wanted = canonical_json(document)
        except (ValueError, RecursionError):
            wanted = b""
        for known in (_STANDARD, _WITH_DELETE):
            if wanted == canonical_json(known):
                return cls(dict(known))
        raise ExecutorError(
            ErrorCode.UNSUPPORTED_PLAN, "the plan asks for execution constraints that are not supported"
        )

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the tools the model may call."""
        return (*self.document["readTools"], *self.document["mutationTools"])

    @property
    def allow_delete(self) -> bool:
        """True when files may be deleted or renamed."""
        return bool(self.document["deleteOrRename"])

    @property
    def maximum_tool_calls(self) -> int:
        """Calls that may start; the next one ends the run."""
        return int(self.document["maxToolCalls"])

    @property
    def maximum_seconds(self) -> float:
        """Time from the prompt to the end of the run."""
        return float(self.document["maxDurationMs"]) / 1000
