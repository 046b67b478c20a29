"""What kind of database a file is, by how it begins."""

from pathlib import Path

_SQLITE = b"SQLite format 3\0"
_DUCKDB = b"DUCK"
"""Behind a checksum of 8 bytes."""


def misnamed(path: Path, dialect: str) -> str | None:
    """The reason why `path` is no database of `dialect`, when it is one of another; None otherwise."""
    try:
        with path.open("rb") as file:
            begin = file.read(len(_SQLITE))
    except OSError:
        return None
    kind = "sqlite" if begin == _SQLITE else "duckdb" if begin[8:12] == _DUCKDB else dialect
    return None if kind == dialect else f"{path.name} is a database of another kind; write dialect: {kind}"
