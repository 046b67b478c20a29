"""The files an agent produces in a session, every version of them kept."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from datetime import UTC, datetime

from contracts.errors import Code, Fault
from contracts.moments import iso
from tht.artifact_shapes import shape_warnings
from tht.files import Folder
from tht.ledger import lock_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MEDIA_TYPES = {
    "schema_linking.json": "application/json",
    "ctes.json": "application/json",
    "sql_final.sql": "application/sql",
}
"""The known artifacts, in the order of their phases."""
CAP = 1 << 20
"""Bytes of one artifact."""
FOLDER = "artifacts"
HISTORY = ".history"


def put(session: Folder, name: str, text: str) -> dict[str, Any]:
    """Makes `text` the newest version of an artifact and keeps the one before in `.history/`.

    Gives `{name, sha256, bytes, warnings}`; `warnings` say where JSON departs from the usual shape. Raises
    Fault NOT_FOUND for a name that is no artifact's, INVALID_ARGUMENT for an empty text, text that is no
    Unicode or JSON that does not parse, TOO_LARGE above CAP.
    """
    check_name(name)
    content = encode(name, text)
    warnings = shape_warnings(name, _parse(name, text)) if name.endswith(".json") else []
    with session.folder(FOLDER, create=True) as folder:
        lock_file(folder.descriptor, fcntl.LOCK_EX, "the artifacts of this session")
        before = _read(folder, name)
        if before != content:
            if before is not None:
                _keep(folder, name, before)
            folder.write(name, content)
    return {"name": name, "sha256": sha256(content), "bytes": len(content), "warnings": warnings}


def get(session: Folder, name: str) -> bytes:
    """The bytes of an artifact. Raises Fault NOT_FOUND for one that is not there or whose name is unknown."""
    check_name(name)
    content = None
    try:
        with session.folder(FOLDER) as folder:
            content = _read(folder, name)
    except FileNotFoundError:
        pass
    if content is None:
        raise Fault(Code.NOT_FOUND, f"the session has no {name} yet")
    return content


def show(session: Folder, name: str) -> dict[str, Any]:
    """`{name, sha256, media_type, text}` of an artifact. Raises as `get`; INVALID_ARGUMENT when a file that
    was changed by hand is not UTF-8."""
    content = get(session, name)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise Fault(Code.INVALID_ARGUMENT, f"{name} is not UTF-8: write it again") from error
    return {"name": name, "sha256": sha256(content), "media_type": MEDIA_TYPES[name], "text": text}


def listing(session: Folder) -> list[dict[str, Any]]:
    """`{name, sha256, bytes, modified_at, media_type}` of each artifact that is there, in phase order; a file
    that is no regular one, or is too large, counts as absent."""
    try:
        folder = session.folder(FOLDER)
    except (FileNotFoundError, Fault):
        return []
    with folder:
        return [entry for name in MEDIA_TYPES if (entry := _entry(folder, name))]


def hashes(session: Folder) -> dict[str, str]:
    """sha256 by name of the artifacts that are there."""
    return {entry["name"]: entry["sha256"] for entry in listing(session)}


def sha256(content: bytes) -> str:
    """What an approval holds: sha256 in hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def check_name(name: str) -> None:
    """Raises Fault NOT_FOUND when `name` is no artifact's."""
    if name not in MEDIA_TYPES:
        raise Fault(Code.NOT_FOUND, f"there is no such artifact; there are: {', '.join(MEDIA_TYPES)}")


def encode(name: str, text: str) -> bytes:
    """The bytes of an artifact with this text. Raises as `put`."""
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise Fault(Code.INVALID_ARGUMENT, f"{name} holds half a character (a lone surrogate)") from error
    if len(content) > CAP:
        raise Fault(Code.TOO_LARGE, f"{name} is larger than {CAP} bytes")
    if not text.strip():
        raise Fault(Code.INVALID_ARGUMENT, f"{name} is empty")
    return content


def _parse(name: str, text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError as error:
        raise Fault(Code.INVALID_ARGUMENT, f"{name} is nested too deep") from error
    except ValueError as error:
        raise Fault(Code.INVALID_ARGUMENT, f"{name} is not JSON: {error}") from error


def _no_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON value")


def _read(folder: Folder, name: str) -> bytes | None:
    try:
        return folder.read(name, CAP)
    except FileNotFoundError:
        return None


def _keep(folder: Folder, name: str, content: bytes) -> None:
    """Keeps a version as `.history/<number>-<first of its sha256>-<name>`."""
    with folder.folder(HISTORY, create=True) as history:
        number = 1 + max((int(kept[:6]) for kept in history.names() if kept[:6].isdecimal()), default=0)
        history.write(f"{number:06d}-{sha256(content)[:12]}-{name}", content)


def _entry(folder: Folder, name: str) -> dict[str, Any] | None:
    try:
        content = _read(folder, name)
        status = os.stat(name, dir_fd=folder.descriptor, follow_symlinks=False)
    except (Fault, FileNotFoundError):
        return None
    if content is None:
        return None
    return {
        "name": name,
        "sha256": sha256(content),
        "bytes": len(content),
        "modified_at": iso(datetime.fromtimestamp(status.st_mtime, UTC)),
        "media_type": MEDIA_TYPES[name],
    }
