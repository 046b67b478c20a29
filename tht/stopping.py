"""SIGTERM and SIGINT while the main thread is inside a database driver.

Python runs a signal's handler in the main thread between two bytecodes, so not while a driver works. Its
wake-up descriptor is written at once, and whoever reads it can stop the statement.
"""

import os
import signal


def stop_descriptor(*signals: signal.Signals) -> int:
    """A descriptor that becomes readable, one byte each time, when one of `signals` arrives from now on."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    for number in signals:
        signal.signal(number, _noted)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    return reading


def _noted(_number: int, _frame: object) -> None:
    """Something must be installed for the wake-up descriptor to be written."""
