"""Memory of Arrow's columns."""

import os
import subprocess
import sys

PROGRAM = """
from tht.warmup import EVERYTHING, warm_up
warm_up(EVERYTHING)
from tht.sql.values.arrow import compute
import pyarrow
column = compute.add(pyarrow.array(range(1000)), 1)
print(pyarrow.default_memory_pool().backend_name)
"""


def test_a_warm_process_takes_memory_for_columns_where_it_is_given_back() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ARROW_")}
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    assert told.stdout.split() == ["system"]
