"""Widgets: from Pi's dialog to the public descriptor, and from an answer back to Pi. Pure."""

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, cast

import msgspec

from contracts.errors import Code, Fault
from contracts.limits import ANSWER_TEXT_BYTES, TITLE_CHARACTERS
from contracts.moments import iso
from services.orchestrator.records import DialogRequest, has_surrogate

ENVELOPE_MARK = "thothii-widget/1 "
"""First characters of the title of an `input` request that carries a widget (docs/contracts.md 5)."""

NODE_TIMER_MS = 2**31
"""From here on a timer of Node fires at once."""

ARTIFACTS = ("schema_linking.json", "ctes.json", "sql_final.sql")
"""What can be approved (docs/contracts.md 2)."""

DIALOGS = ("select", "confirm", "input", "editor")
"""Pi 1.6.0's native dialogs; each waits for an answer."""

Widget = Literal["select", "multiselect", "confirm", "input", "editor", "artifact_gate"]
Kind = Literal["reading", "clarification", "selection", "answer", "approval", "verdict", "reopen", "plain"]
_GATE_KINDS = {"approve": "approval", "edit": "edit", "reject": "rejection"}
_SHA256 = re.compile("[0-9a-f]{64}")
_PLAIN_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class DialogRefused(Exception):
    """The request is no dialog this version can show; the message says why."""


class Option(msgspec.Struct, omit_defaults=True):
    """One thing to choose."""

    id: str
    label: str
    description: str | None = None
    recommended: bool | None = None


class Artifact(msgspec.Struct):
    """The version of a file that is shown."""

    name: str
    sha256: str
    media_type: str = "text/plain"


class Origin(msgspec.Struct):
    """Who asks."""

    kind: Literal["main", "subagent", "process"] = "main"
    name: str = "main"


class Envelope(msgspec.Struct):
    """What rides in the title of a gate dialog (docs/contracts.md 5)."""

    v: Literal[1]
    kind: Kind
    widget: Widget
    title: str
    call: str | None = None
    body: str | None = None
    options: list[Option] = []
    min: int = 0
    max: int | None = None
    free_text: bool = False
    placeholder: str | None = None
    prefill: str | None = None
    artifact: Artifact | None = None
    phase: str | None = None
    origin: Origin = msgspec.field(name="from", default_factory=Origin)
    timeout_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Dialog:
    """One question, as Pi asked it."""

    envelope: Envelope
    method: str
    native_options: tuple[Any, ...] | None
    """What Pi hears for the options `0`, `1`, ... of a plain select; None for any other dialog."""
    marked: bool
    """True when the gate asked, with an envelope."""
    frame: str | None = None
    """Id of the checkpoint bridge's call that asks; None for any other dialog."""

    def descriptor(self, public_id: str, asked_at: datetime) -> dict[str, Any]:
        """The public descriptor, version 1."""
        envelope = self.envelope
        expires = None
        if envelope.timeout_ms is not None:
            expires = iso(asked_at + timedelta(milliseconds=envelope.timeout_ms))
        return {
            "v": 1,
            "id": public_id,
            "widget": envelope.widget,
            "title": envelope.title,
            "body": envelope.body,
            "options": msgspec.to_builtins(envelope.options),
            "min": envelope.min,
            "max": envelope.max,
            "free_text": envelope.free_text,
            "placeholder": envelope.placeholder,
            "prefill": envelope.prefill,
            "artifact": msgspec.to_builtins(envelope.artifact),
            "phase": envelope.phase,
            "from": msgspec.to_builtins(envelope.origin),
            "expires_at": expires,
            "asked_at": iso(asked_at),
        }


def public_id(session_id: str, generation: int, rpc_id: Any, fallback: int) -> str:
    """`<session>.<generation>.<rpc id>`; `q<fallback>` stands for an rpc id that is no plain word."""
    word = rpc_id if isinstance(rpc_id, str) and _PLAIN_ID.fullmatch(rpc_id) else f"q{fallback}"
    return f"{session_id}.{generation}.{word}"


def read_dialog(
    request: DialogRequest, phase: str | None, asker: Origin | None = None, frame: str | None = None
) -> Dialog:
    """The question in a native dialog request.

    `phase` is the session's, for a dialog that names none; `asker` and `frame` are of the bridge's call that
    shows it.

    Raises DialogRefused for a method or shape that nobody could answer.
    """
    method = request.method
    if method not in DIALOGS:
        raise DialogRefused(f"the dialog {_text(method)!r} is not known")
    if method == "input" and isinstance(request.title, str) and request.title.startswith(ENVELOPE_MARK):
        return _marked_dialog(request)
    return _plain_dialog(request, phase, asker, frame)


def _marked_dialog(request: DialogRequest) -> Dialog:
    try:
        envelope = msgspec.json.decode(request.title[len(ENVELOPE_MARK) :], type=Envelope)
    except (msgspec.DecodeError, RecursionError) as error:
        raise DialogRefused(f"its envelope cannot be read: {error}") from error
    if envelope.timeout_ms is None:
        envelope.timeout_ms = request.timeout
    if envelope.max is None:
        envelope.max = len(envelope.options)
    reason = _unanswerable(envelope)
    if reason:
        raise DialogRefused(reason)
    return Dialog(envelope, "input", None, marked=True)


def _unanswerable(envelope: Envelope) -> str | None:
    ids = [option.id for option in envelope.options]
    if len(set(ids)) != len(ids) or "" in ids:
        return "two of its options have the same id, or one has none"
    if envelope.widget == "select" and not ids and not envelope.free_text:
        return "it offers nothing to choose"
    if envelope.widget == "multiselect":
        most = envelope.max if envelope.max is not None else len(ids)
        if not 0 <= envelope.min <= most or envelope.min > len(ids):
            return "its min and max cannot be met"
    if (envelope.widget == "artifact_gate") != (envelope.kind == "approval"):
        return "an approval is asked by an artifact gate, and by nothing else"
    artifact = envelope.artifact
    if envelope.widget == "artifact_gate" and (
        artifact is None or artifact.name not in ARTIFACTS or not _SHA256.fullmatch(artifact.sha256)
    ):
        return "it names no version of an artifact"
    return _over_at_once(envelope.timeout_ms)


def _over_at_once(timeout_ms: float | None) -> str | None:
    """The reason when Node's timer ends the dialog as it is asked: no time, or more than it can count."""
    if timeout_ms is None or 0 < timeout_ms < NODE_TIMER_MS:
        return None
    return "it has expired before it was asked"


def _plain_dialog(
    request: DialogRequest, phase: str | None, asker: Origin | None, frame: str | None
) -> Dialog:
    method = cast("Literal['select', 'confirm', 'input', 'editor']", request.method)
    native: tuple[Any, ...] | None = None
    options: list[Option] = []
    if method == "select":
        if not isinstance(request.options, list) or not request.options:
            raise DialogRefused("it offers nothing to choose")
        native = tuple(cast("list[Any]", request.options))
        options = [Option(id=str(index), label=_text(label)) for index, label in enumerate(native)]
    # Pi 1.6.0 sets no timer for a 0.
    timeout_ms = request.timeout or None
    if (reason := _over_at_once(timeout_ms)) is not None:
        raise DialogRefused(reason)
    envelope = Envelope(
        v=1,
        kind="plain",
        widget=method,
        title=_text(request.title),
        body=None if request.message is None else _text(request.message),
        options=options,
        max=1 if method == "select" else 0,
        placeholder=None if request.placeholder is None else _text(request.placeholder),
        prefill=None if request.prefill is None else _text(request.prefill),
        phase=phase,
        origin=asker or Origin("main", "extension"),
        timeout_ms=timeout_ms,
    )
    return Dialog(envelope, method, native, marked=False, frame=frame)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def parse_answer(body: bytes) -> dict[str, Any]:
    """The answer in a request body. Raises Fault MALFORMED or ANSWER_DOES_NOT_FIT."""
    try:
        answer: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Fault(Code.MALFORMED, "the answer is not JSON") from error
    if not isinstance(answer, dict):
        raise Fault(Code.MALFORMED, "the answer is not a JSON object")
    found = cast("dict[str, Any]", answer)
    if not isinstance(found.get("id"), str):
        raise _misfit("/id", "the answer needs the id of the question")
    return found


def check_answer(dialog: Dialog, answer: dict[str, Any]) -> dict[str, Any]:
    """The answer without its id, when it fits the question.

    Raises Fault ANSWER_DOES_NOT_FIT with a JSON pointer to the part that does not.
    """
    given = {key: value for key, value in answer.items() if key != "id"}
    if "cancelled" in given:
        if given != {"cancelled": True}:
            raise _misfit("/cancelled", "cancelled is true and stands alone")
        return given
    envelope = dialog.envelope
    _CHECKS[envelope.widget](envelope, given)
    return given


def _check_select(envelope: Envelope, given: dict[str, Any]) -> None:
    if envelope.free_text and "value" not in given:
        _only(given, "text")
        _check_text(given, "text", blank=False)
        return
    _only(given, "value")
    value = _needed(given, "value")
    if not isinstance(value, str) or value not in {option.id for option in envelope.options}:
        raise _misfit("/value", "value is the id of one of the options")


def _check_multiselect(envelope: Envelope, given: dict[str, Any]) -> None:
    if envelope.free_text and "text" in given:
        _only(given, "values", "text")
        _check_text(given, "text", blank=False)
        given.setdefault("values", [])
    else:
        _only(given, "values")
    values = _needed(given, "values")
    if not isinstance(values, list):
        raise _misfit("/values", "values is a list of option ids")
    known = {option.id for option in envelope.options}
    seen: set[str] = set()
    for index, value in enumerate(cast("list[Any]", values)):
        if not isinstance(value, str) or value not in known or value in seen:
            raise _misfit(f"/values/{index}", "each value is the id of one of the options, once")
        seen.add(value)
    most = envelope.max if envelope.max is not None else len(known)
    if not envelope.min <= len(seen) <= most:
        raise _misfit("/values", f"choose between {envelope.min} and {most}")


def _check_confirm(_envelope: Envelope, given: dict[str, Any]) -> None:
    _only(given, "confirmed")
    if not isinstance(_needed(given, "confirmed"), bool):
        raise _misfit("/confirmed", "confirmed is true or false")


def _check_words(envelope: Envelope, given: dict[str, Any]) -> None:
    _only(given, "text")
    # A sub-agent or process asked one thing; to say nothing is to cancel.
    _check_text(given, "text", blank=envelope.origin.kind == "main")


def _check_artifact_gate(_envelope: Envelope, given: dict[str, Any]) -> None:
    decision = _needed(given, "decision")
    if decision not in ("approve", "reject", "edit"):
        raise _misfit("/decision", "decision is approve, reject or edit")
    if decision == "edit":
        _only(given, "decision", "comment", "text")
        _check_text(given, "text", blank=False)
    else:
        _only(given, "decision", "comment")
    if decision == "reject":
        _check_text(given, "comment", blank=False)
    elif "comment" in given:
        _check_text(given, "comment", blank=True)


_CHECKS = {
    "select": _check_select,
    "multiselect": _check_multiselect,
    "confirm": _check_confirm,
    "input": _check_words,
    "editor": _check_words,
    "artifact_gate": _check_artifact_gate,
}


def _needed(given: dict[str, Any], name: str) -> Any:
    if name not in given:
        raise _misfit(f"/{name}", f"the answer to this question needs {name}")
    return given[name]


def _only(given: dict[str, Any], *names: str) -> None:
    for name in given:
        if name not in names:
            pointer = "/" + name.replace("~", "~0").replace("/", "~1")
            raise _misfit(pointer, f"this question takes {' and '.join(names)}")


def _check_text(given: dict[str, Any], name: str, *, blank: bool) -> None:
    value = _needed(given, name)
    if not isinstance(value, str):
        raise _misfit(f"/{name}", f"{name} is a string")
    if has_surrogate(value):
        raise _misfit(f"/{name}", f"{name} has half of a character (a lone surrogate)")
    if len(value.encode()) > ANSWER_TEXT_BYTES:
        raise _misfit(f"/{name}", f"{name} is longer than 1 MiB")
    if not blank and not value.strip():
        raise _misfit(f"/{name}", f"{name} is empty")


def _misfit(pointer: str, message: str) -> Fault:
    safe = pointer.encode("utf-8", "replace").decode()
    return Fault(Code.ANSWER_DOES_NOT_FIT, message, pointer=safe)


def decision_of(dialog: Dialog, answer: dict[str, Any], by: str) -> dict[str, Any] | None:
    """What goes on the ledger for a checked answer; None for a cancelled one, which decides nothing."""
    if "cancelled" in answer:
        return None
    envelope = dialog.envelope
    decision: dict[str, Any] = {
        "kind": envelope.kind,
        "widget": envelope.widget,
        "title": envelope.title[:TITLE_CHARACTERS],
        "answer": answer,
        "by": by,
    }
    if envelope.options:
        decision["options"] = msgspec.to_builtins(envelope.options)
    if envelope.widget == "artifact_gate" and envelope.artifact is not None:
        decision["artifact"] = {"name": envelope.artifact.name, "sha256": envelope.artifact.sha256}
        decision["kind"] = _GATE_KINDS[answer["decision"]]
        if answer["decision"] == "edit":
            decision["edit"] = answer["text"]
            decision["answer"] = {key: value for key, value in answer.items() if key != "text"}
    return decision


def encode_answer(
    dialog: Dialog, rpc_id: Any, answer: dict[str, Any], by: str, sha256: str | None = None
) -> bytes:
    """The line Pi hears. `sha256` is the version an edit wrote."""
    response: dict[str, Any] = {"type": "extension_ui_response", "id": rpc_id}
    if "cancelled" in answer:
        response["cancelled"] = True
    elif dialog.marked:
        told = {**answer, "by": by}
        if sha256 is not None:
            told["sha256"] = sha256
        response["value"] = json.dumps(told, ensure_ascii=False)
    elif dialog.native_options is not None:
        response["value"] = dialog.native_options[int(answer["value"])]
    elif dialog.method == "confirm":
        response["confirmed"] = answer["confirmed"]
    else:
        response["value"] = answer["text"]
    return msgspec.json.encode(response) + b"\n"


def heard_text(dialog: Dialog, answer: dict[str, Any]) -> str:
    """What the asker of a plain select or text hears."""
    if dialog.native_options is not None:
        return str(dialog.native_options[int(answer["value"])])
    return str(answer["text"])


def encode_cancel(rpc_id: Any) -> bytes:
    """The line that tells Pi that nobody will answer."""
    return msgspec.json.encode({"type": "extension_ui_response", "id": rpc_id, "cancelled": True}) + b"\n"
