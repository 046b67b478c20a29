"""Logging: one JSON object a line on stderr, without control characters."""

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

# C0, C1 and bidirectional controls: a log line must not be able to rewrite the reader's screen.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def _strip_controls(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        # A traceback keeps its lines: JSON escapes them.
        if isinstance(value, str) and key != "exception":
            event[key] = _CONTROL.sub("?", value)
    return event


def configure(service: str, level: str) -> None:
    """Send structlog and the standard library's logging to stderr as JSON lines of `service`."""
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    logging.basicConfig(
        level=number, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s", force=True
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _strip_controls,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(service=service)
