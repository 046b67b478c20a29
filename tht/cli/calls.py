"""Commands that run an operation: cancelled by Ctrl-C and SIGTERM, ended when a statement will not end."""

import os
import signal
import sys
import threading
from functools import cache
from typing import Any, cast

import msgspec

from contracts.errors import Fault
from tht import operations
from tht.cli.failures import tell
from tht.cli.parser import Options
from tht.home import find_home
from tht.sql.cancel import Cancel
from tht.stopping import stop_descriptor
from tht.warmup import STATEMENTS, warm_up
from tht.watchdog import CANCEL_GRACE_S, Watchdog

_unfinished: set[str] = set()
"""Files that are removed when the process ends in the middle of writing them."""


def call(options: Options, operation: str, /, **arguments: Any) -> dict[str, Any]:
    """The result of an operation, decoded. Raises Fault."""
    result = run(options, operation, arguments)
    return decoded(result) if isinstance(result, msgspec.Raw) else cast("dict[str, Any]", result)


def decoded(answer: msgspec.Raw) -> dict[str, Any]:
    """The JSON object of an answer that came as its bytes."""
    return msgspec.json.decode(answer, type=dict[str, Any])


def run(options: Options, operation: str, arguments: dict[str, Any]) -> operations.Result:
    """The result of an operation as it is; arguments that are None are left out. Raises Fault."""
    given = {key: value for key, value in arguments.items() if value is not None}
    home, context = find_home(options.home), _context(options.json)
    if operation.startswith(("sql.", "schema.")) and operation != "sql.check":
        warm_up(STATEMENTS)
    return operations.call(home, operation, given, context)


@cache
def _context(as_json: bool) -> operations.Context:
    """The context of every operation of this process."""
    cancel = Cancel()
    stop = stop_descriptor(signal.SIGINT, signal.SIGTERM)
    threading.Thread(target=_stop, args=(stop, cancel, as_json), name="stop", daemon=True).start()
    watchdog = Watchdog(lambda fault: _end(fault, as_json))
    return operations.Context(cancel, watchdog.guard)


def unfinished(path: str) -> None:
    """Says that `path` is being written: it goes when this process has to end before `finished`."""
    _unfinished.add(path)


def finished(path: str) -> None:
    """Says that `path` is whole, renamed or gone."""
    _unfinished.discard(path)


def _stop(descriptor: int, cancel: Cancel, as_json: bool) -> None:
    """Cancels at the first signal; ends the process at the second, or when cancelling does not help."""
    os.read(descriptor, 1)
    cancel.set()
    again = threading.Thread(target=os.read, args=(descriptor, 1), daemon=True)
    again.start()
    again.join(CANCEL_GRACE_S)
    try:
        cancel.raise_if_set()
    except Fault as fault:
        _end(fault, as_json)


def _end(fault: Fault, as_json: bool) -> None:
    for path in list(_unfinished):
        if os.path.exists(path):  # noqa: PTH110
            os.unlink(path)  # noqa: PTH108
    tell(fault, as_json=as_json)
    sys.stderr.flush()
    os._exit(fault.code.kind.exit_code)
