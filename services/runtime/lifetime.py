"""A service that was started by the launcher ends when the launcher does, also when that is killed."""

import ctypes
import os
import signal

_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Ask Linux for SIGTERM when the parent dies, if `THOTHII_PARENT_PID` names it; else do nothing."""
    expected = os.environ.get("THOTHII_PARENT_PID")
    if not expected:
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    # It may have died before the call above.
    if os.getppid() != int(expected):
        os.kill(os.getpid(), signal.SIGTERM)
