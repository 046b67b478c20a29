"""What is remembered of a file that was made of a kept result: the same request gives the same bytes, so that
its digest can be told before they are made again."""

import hashlib
import os
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa


class Digest(msgspec.Struct, frozen=True):
    """Of one complete file."""

    row_count: int
    sha256: str


class Remembered:
    """The place of one file's digest, beside the result. `request`: all that decides about its bytes."""

    def __init__(self, folder: Path, result_id: str, request: Any) -> None:
        told = msgspec.json.encode([request, pa.__version__, _version()], order="deterministic")
        self._path = folder / f"{result_id}.{hashlib.sha256(told).hexdigest()[:16]}.digest"

    def read(self) -> Digest | None:
        """The digest; None when no such file was made yet."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=Digest)
        except (FileNotFoundError, msgspec.DecodeError):
            return None

    def write(self, digest: Digest) -> None:
        """Remembers the digest of a complete file; where that cannot be, the file is good all the same."""
        part = self._path.with_name(f".{self._path.stem}.{os.getpid()}.part")
        with suppress(OSError):
            part.write_bytes(msgspec.json.encode(digest))
            part.replace(self._path)

    def forget(self) -> None:
        """Remembers it no longer."""
        self._path.unlink(missing_ok=True)


def _version() -> str:
    try:
        return version("thothii")
    except PackageNotFoundError:
        return ""
