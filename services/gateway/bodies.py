"""What clients send, as models. What does not fit is refused with a JSON pointer."""

import json
import re
from typing import Annotated, Any, Literal, TypeVar, cast
from urllib.parse import parse_qsl

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from starlette.requests import ClientDisconnect, Request

from contracts.errors import Code, Fault
from contracts.limits import ANSWER_TEXT_BYTES, QUESTION_CHARACTERS, STEER_CHARACTERS
from services.runtime.web.serving import client_gone

SMALL = 2 * 1024 * 1024
"""Bytes of a body. The longest text in one is 100,000 characters, escaped at worst twelve bytes each."""
ANSWER = 16 * 1024 * 1024
"""Bytes of an answer: its text may have 1 MiB, and whoever sends more hears which field is too long."""

Model = TypeVar("Model", bound=Struct)

_AT = re.compile(r" - at `\$(?P<path>.*)`$")
_FIELD = re.compile(r"(?:missing required field|unknown field) `(?P<field>.*?)`")
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")

Name = Annotated[str, Meta(min_length=1, max_length=200)]


class CreateSession(Struct, forbid_unknown_fields=True, kw_only=True):
    """A question to be worked out."""

    workspace: Annotated[str, Meta(min_length=1, max_length=64, description="The database to ask about.")]
    question: Annotated[
        str,
        Meta(min_length=1, max_length=QUESTION_CHARACTERS, description="The question in plain words."),
    ]
    provider: Name | None = None
    model: Name | None = None
    thinking: Name | None = None
    name: Name | None = None
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = None


class Answer(Struct, forbid_unknown_fields=True, kw_only=True):
    """An answer to a pending question; which members it has depends on the widget."""

    id: Annotated[str, Meta(min_length=1, max_length=200, description="Id of the question.")]
    value: str | UnsetType = UNSET
    values: list[str] | UnsetType = UNSET
    confirmed: bool | UnsetType = UNSET
    text: str | UnsetType = UNSET
    decision: Literal["approve", "reject", "edit"] | UnsetType = UNSET
    comment: str | UnsetType = UNSET
    cancelled: Literal[True] | UnsetType = UNSET


class Steer(Struct, forbid_unknown_fields=True, kw_only=True):
    """Free text for the running agent."""

    text: Annotated[str, Meta(min_length=1, max_length=STEER_CHARACTERS)]


class Nothing(Struct, forbid_unknown_fields=True):
    """No query parameters, or a body without members."""


class SessionsQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """Which sessions, and where the page begins."""

    workspace: Name | None = None
    author: Name | None = None
    phase: Literal["F1", "F2", "F3", "F4", "F5"] | None = None
    limit: Annotated[int, Meta(ge=1, le=200)] = 50
    after: Annotated[str, Meta(max_length=200, description="`next` of the page before.")] = ""


class EventsQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """For clients that cannot set a header on the first connection."""

    last_event_id: Annotated[
        str, Meta(max_length=200, description="Continue after this event; the header Last-Event-ID wins.")
    ] = ""


async def read_body(request: Request, limit: int) -> bytes:
    """The body. Raises Fault TOO_LARGE above `limit` bytes, as soon as that is known, and CANCELLED when the
    client goes before its end."""
    refusal = Fault(Code.TOO_LARGE, f"the body is larger than {limit} bytes", limit=limit)
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > limit:
        raise refusal
    parts: list[bytes] = []
    size = 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > limit:
                raise refusal
            parts.append(part)
    except ClientDisconnect as error:
        raise client_gone() from error
    return b"".join(parts)


def check_json_type(content_type: str) -> None:
    """Raises Fault UNSUPPORTED_MEDIA_TYPE unless `content_type` is JSON in UTF-8.

    A page of another site can send other types without asking first (a "simple request" of Fetch), JSON not.
    """
    media_type, _, parameters = content_type.partition(";")
    charset = parameters.strip().lower().removeprefix("charset=").strip('"')
    if media_type.strip().lower() != "application/json" or charset not in {"", "utf-8", "utf8"}:
        raise Fault(Code.UNSUPPORTED_MEDIA_TYPE, "send the body as application/json in UTF-8")


def decode_body(raw: bytes, model: type[Model]) -> Model:
    """`raw` as `model`.

    Raises Fault MALFORMED when it is no JSON, INVALID_ARGUMENT with a JSON pointer when a value does not fit.
    """
    try:
        return msgspec.json.decode(raw, type=model)
    except msgspec.ValidationError as error:
        raise does_not_fit(str(error)) from error
    except (msgspec.DecodeError, RecursionError) as error:
        pointer = _lone_surrogate(raw)
        if pointer is None:
            raise Fault(Code.MALFORMED, "the body is not valid JSON") from error
        raise Fault(
            Code.INVALID_ARGUMENT,
            f"{pointer}: text with a lone surrogate is not Unicode",
            pointer=pointer,
        ) from error


def decode_query(request: Request, model: type[Model]) -> Model:
    """The query parameters as `model`. Raises Fault INVALID_ARGUMENT with the parameter's name."""
    pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
    given = dict(pairs)
    if len(given) != len(pairs):
        raise Fault(Code.INVALID_ARGUMENT, "a query parameter is given twice")
    try:
        return msgspec.convert(given, model, strict=False)
    except msgspec.ValidationError as error:
        fault = does_not_fit(str(error))
        parameter = fault.details["pointer"].removeprefix("/")
        raise Fault(fault.code, fault.message, parameter=parameter) from error


def check_answer(answer: Answer) -> None:
    """Raises Fault ANSWER_DOES_NOT_FIT with a pointer for a text that no question takes."""
    texts: list[tuple[str, str | UnsetType]] = [("text", answer.text), ("comment", answer.comment)]
    for field, text in texts:
        if isinstance(text, str) and len(text.encode()) > ANSWER_TEXT_BYTES:
            message = f"/{field}: at most {ANSWER_TEXT_BYTES} bytes"
            raise Fault(Code.ANSWER_DOES_NOT_FIT, message, pointer=f"/{field}")


def does_not_fit(message: str) -> Fault:
    """The fault that msgspec's message of a failed validation tells, with a JSON pointer."""
    at = _AT.search(message)
    steps = _STEP.findall(at["path"]) if at else []
    field = _FIELD.search(message)
    names = [name or index for name, index in steps] + ([field["field"]] if field else [])
    pointer = "".join("/" + name.replace("~", "~0").replace("/", "~1") for name in names)
    said = _AT.sub("", message)
    text = f"{pointer}: {said}" if pointer and not field else said
    return Fault(Code.INVALID_ARGUMENT, text[:300], pointer=pointer)


def _lone_surrogate(raw: bytes) -> str | None:
    """Pointer to the first string with a lone surrogate, which msgspec does not tell from broken JSON."""
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    stack: list[tuple[str, Any]] = [("", document)]
    while stack:
        pointer, value = stack.pop()
        if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
            return pointer
        if isinstance(value, dict):
            members = cast("dict[str, Any]", value)
            stack += [(f"{pointer}/{key}", member) for key, member in members.items()]
        elif isinstance(value, list):
            items = cast("list[Any]", value)
            stack += [(f"{pointer}/{index}", item) for index, item in enumerate(items)]
    return None
