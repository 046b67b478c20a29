"""Private directories and files that survive a crash half written or not at all."""

import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any, cast

from session_executor.canonical import readable_json
from session_executor.errors import ErrorCode, ExecutorError

PRIVATE_DIRECTORY = 0o700
PRIVATE_FILE = 0o600


def private_directory(base: str, *names: str) -> str:
    """`base/names...`, made where missing for the owner alone.

    Raises ExecutorError EXECUTION_FAILED when one of the names is something else than a directory: following
    a symlink would put transcripts somewhere else.
    """
    path = Path(base)
    for name in names:
        path = path / name
        try:
            path.mkdir(mode=PRIVATE_DIRECTORY)
        except FileExistsError:
            if not stat.S_ISDIR(path.lstat().st_mode):
                message = f"{path} is in the way: it is not a directory"
                raise ExecutorError(ErrorCode.EXECUTION_FAILED, message) from None
    return str(path)


def create_file(path: str, data: bytes) -> None:
    """Create a private file; raises FileExistsError when the name is taken."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def replace_json(path: str, value: Any) -> None:
    """Write `value` as readable JSON; see `replace_bytes`."""
    replace_bytes(path, readable_json(value))


def replace_bytes(path: str, data: bytes) -> None:
    """Write a private file so that a reader, also after a crash, sees the old one or the new one."""
    temporary = f"{path}.tmp"
    Path(temporary).unlink(missing_ok=True)
    create_file(temporary, data)
    Path(temporary).replace(path)
    directory = os.open(Path(path).parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def read_object(path: str) -> dict[str, Any] | None:
    """The JSON object in a file, None when there is none that can be read."""
    try:
        document = json.loads(Path(path).read_bytes())
    except (OSError, ValueError):
        return None
    return cast(dict[str, Any], document) if isinstance(document, dict) else None


def remove_tree(path: str) -> str | None:
    """Remove a directory and all in it, read-only directories included; a warning when something stays."""
    try:
        shutil.rmtree(path)
    except FileNotFoundError:
        return None
    except OSError:
        for directory, _, _ in os.walk(path):
            if not Path(directory).is_symlink():
                Path(directory).chmod(PRIVATE_DIRECTORY)
        shutil.rmtree(path, ignore_errors=True)
    if Path(path).exists():
        return f"could not remove {path}"
    return None
