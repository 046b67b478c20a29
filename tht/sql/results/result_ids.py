"""Ids of kept results: of which statement on which workspace, and since when. Pure.

`r`, 16 hexadecimal digits that the workspace and the text decide, `-`, 12 of the time and 4 at random.
"""

import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tht.workspaces import Workspace

ID = re.compile(r"r[0-9a-f]{16}-[0-9a-f]{16}")
ID_LENGTH = 34

_MICROSECONDS = 0xFFFFFFFFFFFF
"""The time in an id, in microseconds, begins anew every nine years."""


def key_of(workspace: "Workspace", sha256: str) -> str:
    """The part of a result's id that the workspace and the text decide."""
    return hashlib.sha256(f"{workspace.fingerprint} {sha256}".encode()).hexdigest()[:16]


def new_id(workspace: "Workspace", sha256: str, now_ns: int, chance: str) -> str:
    """The id of a result that begins at `now_ns`, nanoseconds since 1970; `chance`: four hexadecimal digits.

    The ids of one statement sort by their time.
    """
    return f"r{key_of(workspace, sha256)}-{now_ns // 1000 & _MICROSECONDS:012x}{chance}"


def age_of(result_id: str, now_ns: int) -> float:
    """Seconds since the result began, as its id tells it."""
    return (now_ns // 1000 - int(result_id[18:30], 16) & _MICROSECONDS) / 1e6
