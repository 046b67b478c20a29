"""Ids that several parts make or check."""

import os
import re
from datetime import UTC, datetime

from contracts.errors import Code, Fault

SESSION_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
"""What Pi 1.6.0 takes as `--session-id`, in at most 64 characters."""


def new_session_id(now: datetime | None = None) -> str:
    """A time-sortable id such as `20261130t161035-3f9a1c`; `now` defaults to the current UTC time."""
    moment = now or datetime.now(UTC)
    return f"{moment.astimezone(UTC):%Y%m%dt%H%M%S}-{moment.microsecond // 1000:03d}{os.urandom(3).hex()}"


def check_session_id(session_id: str) -> str:
    """`session_id` as it is. Raises Fault NOT_FOUND when no session can have that id."""
    if not SESSION_ID.fullmatch(session_id):
        raise Fault(
            Code.NOT_FOUND, "there is no session with this id; an id is 1 to 64 of letters, digits, . _ -"
        )
    return session_id
