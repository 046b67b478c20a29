"""Times as they cross borders and as they are written down."""

from datetime import UTC, datetime


def iso(moment: datetime) -> str:
    """ISO 8601 in UTC with milliseconds, such as `2026-11-30T16:10:35.120Z`. `moment` knows its zone."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
