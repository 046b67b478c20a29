"""The thread with a deep stack in which statements are parsed."""

import sys
import threading

from tht.sql.guard.parsing import on_deep_stack


def test_who_parse_at_once_leave_the_limits_of_the_process_as_they_were() -> None:
    recursion, stack = sys.getrecursionlimit(), threading.stack_size()
    depths: list[int] = []

    def depth(left: int) -> int:
        return 0 if left == 0 else 1 + depth(left - 1)

    def ask() -> None:
        depths.extend(on_deep_stack(lambda: depth(recursion)) for _ in range(20))

    askers = [threading.Thread(target=ask) for _ in range(6)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert depths == [recursion] * 120
    assert (sys.getrecursionlimit(), threading.stack_size()) == (recursion, stack)
