"""Questions of the agent and what answers them. Pure: how they reach a person is elsewhere."""

import re
from dataclasses import dataclass
from typing import Any

from terminal.clean import clean, one_line

Answer = dict[str, Any]
"""The members of an answer beside its id (docs/contracts.md, section 5)."""

END_OF_TEXT = "."
"""A line with this alone ends a text of several lines."""
CANCEL = "/cancel"


class DoesNotFit(ValueError):
    """What was typed answers nothing; the message says what would."""


@dataclass(frozen=True)
class Option:
    """One of the things to choose from."""

    id: str
    label: str
    description: str
    recommended: bool


@dataclass(frozen=True)
class Question:
    """A widget descriptor, read; every text in it is clean."""

    id: str
    widget: str
    title: str
    body: str
    asker: str
    phase: str
    options: tuple[Option, ...]
    least: int
    most: int
    free_text: bool
    placeholder: str
    prefill: str
    artifact: str
    """Name of the artifact that is to be judged; empty when none is."""
    sha256: str

    @classmethod
    def read(cls, descriptor: dict[str, Any]) -> "Question":
        """The question that `descriptor` describes."""
        offered: list[dict[str, Any]] = descriptor.get("options") or []
        options = tuple(
            Option(
                id=str(option["id"]),
                label=one_line(str(option.get("label") or option["id"])),
                description=one_line(str(option.get("description") or "")),
                recommended=bool(option.get("recommended")),
            )
            for option in offered
        )
        artifact: dict[str, Any] = descriptor.get("artifact") or {}
        most = descriptor.get("max")
        return cls(
            id=str(descriptor["id"]),
            widget=str(descriptor["widget"]),
            title=clean(str(descriptor.get("title") or "")),
            body=clean(str(descriptor.get("body") or "")),
            asker=_asker(descriptor.get("from") or {}),
            phase=str(descriptor.get("phase") or ""),
            options=options,
            least=int(descriptor.get("min") or 0),
            most=len(options) if most is None else int(most),
            free_text=bool(descriptor.get("free_text")),
            placeholder=one_line(str(descriptor.get("placeholder") or "")),
            prefill=str(descriptor.get("prefill") or ""),
            artifact=str(artifact.get("name") or ""),
            sha256=str(artifact.get("sha256") or ""),
        )

    @property
    def recommended(self) -> tuple[Option, ...]:
        """The recommended options, else the first; as many as may be chosen."""
        chosen = [option for option in self.options if option.recommended] or list(self.options[:1])
        if self.widget != "multiselect":
            return tuple(chosen[:1])
        chosen = chosen[: self.most]
        others = [option for option in self.options if option not in chosen]
        return tuple(chosen + others[: max(0, self.least - len(chosen))])

    @property
    def takes_lines(self) -> bool:
        """True when its answer is a text of several lines."""
        return self.widget == "editor"


def _asker(source: dict[str, Any]) -> str:
    kind, name = str(source.get("kind") or "main"), one_line(str(source.get("name") or ""), 60)
    if kind == "main":
        return "the agent"
    return f"{kind} {name}".strip()


def accepting(question: Question) -> Answer:
    """The answer of a reviewer who agrees with everything: what is recommended, approval."""
    if question.widget == "select" and question.options:
        return {"value": question.recommended[0].id}
    if question.widget == "multiselect":
        return {"values": [option.id for option in question.recommended]}
    if question.widget == "confirm":
        return {"confirmed": True}
    if question.widget == "artifact_gate":
        return {"decision": "approve"}
    return {"text": question.prefill or "As you think best."}


def parse(question: Question, line: str) -> Answer:
    """The answer that `line` gives. Raises DoesNotFit.

    Options are named by their number, their id or their label. A text of several lines comes as one.
    """
    typed = line.strip()
    if typed == CANCEL:
        return {"cancelled": True}
    if question.widget == "select":
        return _parse_select(question, typed)
    if question.widget == "multiselect":
        return _parse_multiselect(question, typed)
    if question.widget == "confirm":
        return _parse_confirm(typed)
    if question.widget == "artifact_gate":
        return _parse_gate(typed)
    return {"text": line if question.takes_lines else typed or question.prefill}


def hint(question: Question) -> str:
    """What can be typed, in one line."""
    if question.widget == "select":
        words = "a number" + (" or your own words" if question.free_text else "")
    elif question.widget == "multiselect":
        words = "numbers such as 1,3; nothing takes the recommended ones"
        if question.free_text:
            words += "; your own words after a colon"
    elif question.widget == "confirm":
        words = "yes or no"
    elif question.widget == "artifact_gate":
        words = "approve, reject: <why>, or edit"
    elif question.takes_lines:
        words = f"your text; a line with {END_OF_TEXT} alone ends it"
    else:
        words = "your answer" + (
            f", nothing takes: {one_line(question.prefill, 60)}" if question.prefill else ""
        )
    return f"{words} ({CANCEL} gives none)"


def find(question: Question, typed: str) -> Option | None:
    """The option that `typed` names."""
    if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(question.options):
        return question.options[int(typed) - 1]
    for option in question.options:
        if typed == option.id or typed.casefold() == option.label.casefold():
            return option
    return None


def _parse_select(question: Question, typed: str) -> Answer:
    if not typed and question.recommended and question.recommended[0].recommended:
        return {"value": question.recommended[0].id}
    if option := find(question, typed):
        return {"value": option.id}
    if question.free_text and typed:
        return {"text": typed}
    raise DoesNotFit(f"type a number from 1 to {len(question.options)}")


def _parse_multiselect(question: Question, typed: str) -> Answer:
    numbers, _, words = typed.partition(":") if question.free_text else (typed, "", "")
    names = [name for name in numbers.replace(",", " ").split() if name]
    chosen: list[str] = []
    for name in names:
        option = find(question, name)
        if option is None:
            raise DoesNotFit(f"{one_line(name, 40)} is none of 1 to {len(question.options)}")
        if option.id not in chosen:
            chosen.append(option.id)
    answer: Answer = {"values": chosen}
    if words.strip():
        answer["text"] = words.strip()
    elif not names:
        answer["values"] = chosen = [option.id for option in question.recommended]
    if not question.least <= len(chosen) <= question.most:
        raise DoesNotFit(f"choose {question.least} to {question.most}")
    return answer


def _parse_confirm(typed: str) -> Answer:
    word = typed.casefold()
    if word in {"y", "yes"}:
        return {"confirmed": True}
    if word in {"n", "no"}:
        return {"confirmed": False}
    raise DoesNotFit("type yes or no")


def _parse_gate(typed: str) -> Answer:
    word = re.split(r"[:\s]", typed, maxsplit=1)[0]
    comment = typed.removeprefix(word).lstrip(": \t").strip()
    word = word.casefold()
    if word in {"a", "approve"}:
        return {"decision": "approve", **({"comment": comment} if comment else {})}
    if word in {"r", "reject"}:
        if not comment:
            raise DoesNotFit("a rejection says why: reject: <why>")
        return {"decision": "reject", "comment": comment}
    if word in {"e", "edit"}:
        return {"decision": "edit", **({"comment": comment} if comment else {})}
    raise DoesNotFit("type approve, reject: <why>, or edit")
