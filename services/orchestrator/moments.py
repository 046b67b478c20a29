"""The clocks: the one that is shown, and the one for deadlines."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)


def steady() -> datetime:
    """The moment for deadlines: it goes on evenly when somebody sets the machine's clock. Never shown."""
    return datetime.fromtimestamp(time.monotonic(), UTC)
