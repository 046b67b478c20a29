"""Imports what statements need before their time is counted: under load they take seconds."""

import os
from contextlib import suppress
from importlib import import_module

STATEMENTS = ("tht.sql.verdicts", "tht.sql.results.page")
"""The parser and Arrow."""
EVERYTHING = (*STATEMENTS, "tht.sql.engines.sqlite", "tht.sql.engines.duckdb", "tht.schema")
"""The engines of files too; the drivers of servers are light beside them."""


def warm_up(modules: tuple[str, ...]) -> None:
    """Imports `modules`. What is not installed is told by the call that needs it."""
    # Read when Arrow first takes memory. Its own allocators keep what a statement gave back.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    for module in modules:
        with suppress(ImportError):
            import_module(module)
