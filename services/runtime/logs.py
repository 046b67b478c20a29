"""Logging: one JSON object a line on stderr, without control characters."""

import contextlib
import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any, TextIO, cast

import structlog
from structlog.typing import Processor

# C0, C1 and bidirectional controls: a log line must not be able to rewrite the reader's screen.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class _Stderr:
    """Stderr for log lines. One that a full disk does not take is lost, and nobody's call fails of it."""

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            sys.stderr.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            sys.stderr.flush()


def _strip_controls(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        # A traceback keeps its lines: JSON escapes them.
        if isinstance(value, str) and key != "exception":
            event[key] = _CONTROL.sub("?", value)
    return event


def configure(service: str, level: str) -> None:
    """Send what structlog, the standard library and Python's warnings say to stderr, as lines of `service`.

    Records of the standard library, such as uvicorn's and asyncio's, also say which `logger` they are of.
    """
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)

    def named(_logger: Any, _name: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        # Not a context variable: threads that a library starts have an empty context.
        event["service"] = service
        return event

    stamped: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        named,
    ]
    rendered: list[Processor] = [
        structlog.processors.format_exc_info,
        _strip_controls,
        structlog.processors.JSONRenderer(ensure_ascii=False),
    ]
    output = _Stderr()
    structlog.configure(
        processors=[*stamped, *rendered],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        # A line is one write, so that two threads cannot mix theirs.
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, output)),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(output)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*stamped, structlog.stdlib.add_logger_name],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *rendered],
        )
    )
    logging.basicConfig(level=number, handlers=[handler], force=True)
    logging.captureWarnings(True)
