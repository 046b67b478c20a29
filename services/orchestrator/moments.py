"""Times as they cross borders."""

from datetime import UTC, datetime


def now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds, such as `2026-11-30T16:10:35.120Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
