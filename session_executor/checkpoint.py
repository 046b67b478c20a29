"""What the core knows of a checkpoint: one entry of one session file, whoever wrote it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from session_executor.errors import ErrorCode, ExecutorError


@dataclass(frozen=True, slots=True)
class Inspection:
    """The identity of an entry in a session, read from the bytes of the session file."""

    session_id: str
    version: int
    source_cwd: str
    entry_count: int
    entry_id: str
    entry_type: str
    branch_entry_ids: tuple[str, ...]
    """Ids from the root to the entry."""
    branch_digest: str


class Inspect(Protocol):
    """How a provider reads its session files."""

    def __call__(self, data: bytes, entry_id: str) -> Inspection:
        """The entry `entry_id` in the session `data`.

        Raises ExecutorError INVALID_UTF8, INVALID_SESSION or CHECKPOINT_NOT_FOUND.
        """
        ...


def read_session(path: str) -> tuple[str, bytes]:
    """The real path of a session file and its bytes, read once.

    Raises ExecutorError SESSION_NOT_FOUND when it is missing, unreadable or not a regular file.
    """
    try:
        resolved = Path(path).resolve(strict=True)
        if not resolved.is_file():
            raise ExecutorError(ErrorCode.SESSION_NOT_FOUND, "the session is not a regular file")
        return str(resolved), resolved.read_bytes()
    except (OSError, RuntimeError, ValueError) as error:
        raise ExecutorError(ErrorCode.SESSION_NOT_FOUND, "the session file cannot be read") from error
