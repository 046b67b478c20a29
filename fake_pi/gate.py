"""What tht-gate adds: a widget's envelope, and words on the one-way channel (docs/contracts.md 5, 6)."""

import json
from typing import Any

from fake_pi.step_kinds import Widget
from fake_pi.templates import Undefined, compact_json

ENVELOPE_MARK = "thothii-widget/1 "
GATE_ENTRY = "tht-gate"

COMMAND_TEXTS = {
    "nuova-domanda": "Start work on the question of a new session",
    "riprendi-sessione": "Go on with a session",
}

NOT_ANSWERED = (
    "The question was closed without an answer: nothing is decided. Do not ask it again now; say in one "
    "sentence what you wait for and stop."
)
"""What the model hears when the reviewer closes a question."""

WIDGET_TOOLS = {
    "select": "reviewer_select",
    "multiselect": "reviewer_decide",
    "confirm": "ask_reviewer",
    "input": "ask_reviewer",
    "editor": "ask_reviewer",
    "artifact_gate": "artifact_gate",
}
"""The tool that the model calls for a widget."""

WIDGET_KINDS = {
    "select": "clarification",
    "multiselect": "selection",
    "confirm": "answer",
    "input": "answer",
    "editor": "answer",
    "artifact_gate": "approval",
}
"""The ledger kind of a widget's answer when the scenario gives none."""

GATE_TOOLS = (
    "tht_schema",
    "tht_sql",
    "artifact_write",
    "reviewer_select",
    "reviewer_decide",
    "ask_reviewer",
    "artifact_gate",
)

QUIET_OPERATIONS = (
    "session.show",
    "phase.show",
    "decision.list",
    "artifact.get",
    "artifact.list",
)
"""Operations that the gate calls by itself, without a tool call of the model."""


def tool_of_operation(operation: str) -> str:
    """The tool whose work an operation is."""
    if operation.startswith("schema."):
        return "tht_schema"
    return "tht_sql" if operation.startswith("sql.") else "artifact_write"


def tool_arguments(operation: str, args: dict[str, Any]) -> dict[str, Any]:
    """What the model passes to the tool for an operation."""
    return args if operation == "artifact.put" else {"action": operation.partition(".")[2], **args}


def envelope(step: Widget, call_id: str, values: dict[str, Any]) -> str:
    """The title of the `input` dialog that carries a widget; `values` are the step's texts, filled in."""
    options = whole_options(values["options"])
    least, most = _bounds(step, len(options))
    descriptor: dict[str, Any] = {
        "v": 1,
        "call": call_id,
        "kind": step.kind or WIDGET_KINDS[step.widget],
        "widget": step.widget,
        "title": values["title"],
        "body": values["body"],
        "options": options,
        "min": least,
        "max": most,
        "free_text": step.free_text,
        "placeholder": values["placeholder"],
        "prefill": values["prefill"],
        "artifact": values["artifact"],
        "phase": values["phase"],
        "from": step.source or {"kind": "main", "name": "main"},
        "timeout_ms": step.timeout_ms,
    }
    return ENVELOPE_MARK + compact_json(descriptor)


def _bounds(step: Widget, options: int) -> tuple[int, int]:
    """How many options an answer may have: the gate's own defaults where the step gives none."""
    asks = step.widget in ("select", "multiselect")
    most = 1 if step.widget == "select" else options
    return (int(asks) if step.min is None else step.min), (most if step.max is None else step.max)


def widget_fields(step: Widget) -> dict[str, Any]:
    """The parts of a widget that may hold templates."""
    return {
        "title": step.title,
        "body": step.body,
        "options": step.options,
        "placeholder": step.placeholder,
        "prefill": step.prefill,
        "artifact": step.artifact,
        "phase": step.phase,
    }


def widget_arguments(step: Widget, values: dict[str, Any]) -> dict[str, Any]:
    """What the model passes to the gate's tool so that it asks with this widget."""
    title, body = values["title"], values["body"]
    args: dict[str, Any]
    if step.widget == "artifact_gate":
        return {"name": (values["artifact"] or {}).get("name"), "summary": body or ""}
    if step.widget == "select":
        purpose = step.kind or WIDGET_KINDS["select"]
        args = {"purpose": purpose, "title": title, "body": body, "options": whole_options(values["options"])}
        args["free_text"] = step.free_text or None
    elif step.widget == "multiselect":
        args = {"title": title, "body": body, "options": whole_options(values["options"])}
        args |= {"min": step.min, "max": step.max, "free_text": step.free_text or None}
    else:
        form = {"input": "line", "editor": "text", "confirm": "yes_no"}[step.widget]
        args = {"question": title, "body": body, "form": form}
        args |= {"placeholder": values["placeholder"], "prefill": values["prefill"]}
    return {key: value for key, value in args.items() if value is not None}


def artifact_text(name: str, text: str) -> str:
    """The text as the gate writes it: JSON artifacts laid out in one way."""
    if not name.endswith(".json"):
        return text
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2) + "\n"
    except ValueError:
        return text


def whole_options(value: Any) -> list[dict[str, Any]]:
    """Options of a scenario: objects as they are, a plain text is both id and label."""
    items: list[Any] = value if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]
    return [item if isinstance(item, dict) else {"id": str(item), "label": str(item)} for item in items]


def read_answer(value: Any, how: str) -> dict[str, Any]:
    """The answer to a widget from what the dialog gave; `how` is put into it.

    Raises ValueError when an answer is not the JSON object that the bridge has to send.
    """
    if how != "answered":
        return {"cancelled": True, "how": how}
    if isinstance(value, Undefined) or not isinstance(value, str):
        raise ValueError("the answer of a widget is not a text")
    answer: Any = json.loads(value)
    if not isinstance(answer, dict):
        raise ValueError("the answer of a widget is not a JSON object")
    return {**answer, "how": how}
