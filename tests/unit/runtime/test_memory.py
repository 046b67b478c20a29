"""Blocks of the size of a batch are used again without faults for their pages."""

import subprocess
import sys

PROGRAM = """
import resource, sys
from services.runtime.memory import keep_batches
if sys.argv[1] == "keep":
    keep_batches()
def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
bytes(400_000)
before = faults()
for _ in range(1000):
    kept = [bytes(400_000) for _ in range(4)]
print(faults() - before)
"""


def test_batches_fault_no_pages_once_their_memory_is_kept() -> None:
    faults = {
        how: int(subprocess.run([sys.executable, "-c", PROGRAM, how], check=True, capture_output=True).stdout)
        for how in ("keep", "leave")
    }
    assert faults["keep"] < 3000 < faults["leave"]
