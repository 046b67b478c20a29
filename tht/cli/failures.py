"""How a command fails: one line on stderr and the exit code of the error taxonomy."""

from __future__ import annotations

import json
import os
import sys

from contracts.errors import Code, Fault
from tht.cli.output import printable


def report(error: BaseException, *, as_json: bool) -> int:
    """Tells `error` on stderr, as JSON or in words; gives the exit code.

    With THT_DEBUG set, an error that is no Fault shows its traceback first."""
    fault = _fault(error)
    if fault.code is Code.INTERNAL and not isinstance(error, Fault) and os.environ.get("THT_DEBUG"):
        import traceback

        traceback.print_exception(error)
    tell(fault, as_json=as_json)
    return fault.code.kind.exit_code


def tell(fault: Fault, *, as_json: bool) -> None:
    """One line on stderr."""
    if as_json:
        line = json.dumps(fault.document(), ensure_ascii=False, default=str)
    else:
        line = f"tht: {fault.code.value}: {printable(fault.message)}"
    sys.stderr.write(" ".join(line.splitlines()) + "\n")


def _fault(error: BaseException) -> Fault:
    if isinstance(error, Fault):
        return error
    if isinstance(error, KeyboardInterrupt):
        return Fault(Code.CANCELLED, "cancelled")
    if isinstance(error, OSError):
        where = f" {error.filename}" if isinstance(error.filename, str) else ""
        return Fault(Code.INTERNAL, f"the system refused{where}: {error.strerror or type(error).__name__}")
    if isinstance(error, MemoryError):
        return Fault(Code.OVER_CAP, "it needs more memory than there is")
    return Fault(Code.INTERNAL, f"{type(error).__name__} in tht; THT_DEBUG=1 shows where")
