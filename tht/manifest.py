"""The manifest of a session: what was asked, of which database, by whom, with which model.

It is written as YAML with one key a line and every value as JSON (which YAML is a superset of), so that
reading it back needs no YAML parser unless a person edited it.
"""

from __future__ import annotations

import json
import math
import re
from datetime import datetime

from contracts.errors import Code, Fault
from tht.files import Folder
from tht.shapes import as_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = "session_manifest.yaml"
CAP = 1 << 20
SCHEMA_VERSION = 1
FIELDS = (
    "id",
    "workspace",
    "question",
    "author",
    "created_at",
    "name",
    "provider",
    "model",
    "thinking",
    "temperature",
)
QUESTION_CAP = 64 << 10
"""Bytes of a question."""
NAME_CAP = 80
"""Characters of a name made from the question."""

_LINE = re.compile(r"([a-z_]+): (.+)")
# Printable in YAML 1.1 and not a line break of it; everything else is written as an escape.
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SHORT = {"author": 256, "name": 200, "provider": 200, "model": 200, "thinking": 32}


def check_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a new manifest, trimmed, with a `name` made from the question when none is given.

    Raises Fault INVALID_ARGUMENT or TOO_LARGE, naming the field and what it may hold.
    """
    question = _text("question", fields["question"]).strip()
    if not question:
        raise Fault(Code.INVALID_ARGUMENT, "the question is empty")
    if len(question.encode()) > QUESTION_CAP:
        raise Fault(Code.TOO_LARGE, f"the question is larger than {QUESTION_CAP} bytes")
    checked = {**fields, "question": question, "temperature": _temperature(fields.get("temperature"))}
    for key, cap in _SHORT.items():
        checked[key] = _short(key, fields.get(key), cap)
    if checked["author"] is None:
        raise Fault(Code.INVALID_ARGUMENT, "the author is missing")
    checked["name"] = checked["name"] or name_of(question)
    return checked


def name_of(question: str) -> str:
    """A short name for a question: its beginning, up to a whole word."""
    words = " ".join(question.split()).lstrip("-") or "question"
    if len(words) <= NAME_CAP:
        return words
    cut = words[:NAME_CAP]
    return (cut.rpartition(" ")[0] or cut) + "…"


def dump(manifest: dict[str, Any]) -> bytes:
    """The bytes of a manifest file."""
    lines = [f"schema_version: {SCHEMA_VERSION}", *(f"{key}: {_scalar(manifest[key])}" for key in FIELDS)]
    return ("\n".join(lines) + "\n").encode()


def _scalar(value: Any) -> str:
    """A value as JSON that is YAML 1.1 too, which has more line breaks and takes 1e-05 for a text."""
    text = f"{value:.10f}" if isinstance(value, float) else json.dumps(value, ensure_ascii=False)
    return _ESCAPED.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def load(content: bytes) -> dict[str, Any]:
    """The manifest in a file, with every one of FIELDS. Raises ValueError for what is no manifest."""
    text = content.decode()
    document = _plain(text)
    if document is None:
        document = _parsed(text)
    if document.get("schema_version") != SCHEMA_VERSION:
        raise ValueError(f"schema_version must be {SCHEMA_VERSION}")
    manifest = {key: document.get(key) for key in FIELDS}
    if isinstance(manifest["created_at"], datetime):  # unquoted by a person's editor
        manifest["created_at"] = manifest["created_at"].isoformat()
    for key in ("id", "workspace", "question", "author"):
        if not isinstance(manifest[key], str):
            raise ValueError(f"{key} must be text")
    for key in ("created_at", "name", "provider", "model", "thinking"):
        if not isinstance(manifest[key], str | None):
            raise ValueError(f"{key} must be text or null")
    if not isinstance(manifest["temperature"], int | float | None):
        raise ValueError("temperature must be a number or null")
    return manifest


def read(session: Folder, session_id: str) -> dict[str, Any]:
    """The manifest in a session's folder. Raises Fault NOT_FOUND without one, CONFLICT when it is broken."""
    try:
        manifest = load(session.read(NAME, CAP))
    except FileNotFoundError as error:
        raise Fault(Code.NOT_FOUND, f"there is no session {session_id}: its manifest is missing") from error
    except ValueError as error:
        raise Fault(Code.CONFLICT, f"the manifest of session {session_id} is broken: {error}") from error
    if manifest["id"] != session_id:
        raise Fault(Code.CONFLICT, f"the manifest in session {session_id} is of another session")
    return manifest


def _plain(text: str) -> dict[str, Any] | None:
    """The document when every line is as `dump` writes it."""
    document: dict[str, Any] = {}
    for line in text.removesuffix("\n").split("\n"):
        match = _LINE.fullmatch(line)
        try:
            document[match[1] if match else ""] = json.loads(match[2] if match else "")
        except (ValueError, RecursionError):
            return None
    return document


def _parsed(text: str) -> dict[str, Any]:
    import yaml

    try:
        document = as_object(yaml.safe_load(text))
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError("the YAML cannot be read") from error
    if document is None:
        raise ValueError("it holds no keys and values")
    return document


def _text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise Fault(Code.INVALID_ARGUMENT, f"{key} must be text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Fault(Code.INVALID_ARGUMENT, f"{key} holds half a character (a lone surrogate)") from error
    if _CONTROL.search(value.replace("\r\n", "\n")):
        raise Fault(Code.INVALID_ARGUMENT, f"{key} holds a control character")
    return value.replace("\r\n", "\n")


def _short(key: str, value: Any, cap: int) -> str | None:
    if value is None:
        return None
    text = _text(key, value).strip()
    if len(text) > cap or "\n" in text:
        raise Fault(Code.INVALID_ARGUMENT, f"{key} must be one line of at most {cap} characters")
    if text.startswith("-"):
        raise Fault(Code.INVALID_ARGUMENT, f"{key} must not begin with -")
    return text or None


def _temperature(value: Any) -> float | None:
    if value is None:
        return None
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if not 0 <= number <= 2:
        raise Fault(Code.INVALID_ARGUMENT, "temperature must be a number from 0 to 2")
    return round(float(number), 10)
