"""Which phase a session is in, derived from its ledger and the hashes of its artifacts. Pure."""

from __future__ import annotations

from tht.shapes import as_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

PHASES = ("F1", "F2", "F3", "F4", "F5")
ARTIFACT_OF = {"F2": "schema_linking.json", "F3": "ctes.json", "F4": "sql_final.sql"}
"""The artifact whose approval closes a phase."""
PHASE_OF = {name: phase for phase, name in ARTIFACT_OF.items()}
APPROVALS = ("approval", "edit")


class PhaseState:
    """What the ledger and the artifacts say of a session now."""

    __slots__ = ("closed", "closings", "missing", "phase", "reason")

    def __init__(
        self,
        phase: str,
        closed: list[str],
        missing: list[str],
        reason: str,
        closings: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self.phase = phase
        """The first phase whose closing decision is missing or was withdrawn; F5 when none is."""
        self.closed = closed
        """The phases before it."""
        self.missing = missing
        """What would close the phase: `reading`, `selection`, `artifact:NAME`, `approval:NAME`, or `history`
        when the ledger itself cannot be believed."""
        self.reason = reason
        """One sentence for people and for the model."""
        self.closings = closings
        """By closed phase, the ledger line that closed it."""

    def document(self) -> dict[str, Any]:
        """The state as contracts and commands show it."""
        return {"phase": self.phase, "closed": self.closed, "missing": self.missing, "reason": self.reason}


def derive(
    lines: Iterable[Mapping[str, Any]], hashes: Mapping[str, str], changed_at: int | None = None
) -> PhaseState:
    """The phase after the ledger `lines` (oldest first) while the artifacts have the sha256 `hashes` by name.

    `changed_at` is the number of the first line that the chain of hashes disproves: then no decision counts.
    """
    if changed_at is not None:
        reason = f"the ledger was changed at line {changed_at}: no decision in it counts"
        return PhaseState("F1", [], ["history"], reason, {})
    standing = _Standing()
    for line in lines:
        standing.take(line)
    closings: dict[str, Mapping[str, Any]] = {}
    previous = 0
    for phase in PHASES[:-1]:
        closing = standing.closings.get(phase)
        artifact = ARTIFACT_OF.get(phase)
        changed = (
            artifact is not None and closing is not None and approved_hash(closing) != hashes.get(artifact)
        )
        if closing is None or closing["seq"] < previous or changed:
            outdated = closing is not None and not changed
            reason = standing.reason(phase, outdated, changed)
            return PhaseState(
                phase, list(closings), standing.missing(phase, previous, hashes), reason, closings
            )
        closings[phase] = closing
        previous = closing["seq"]
    return PhaseState("F5", list(closings), [], "the final SQL is approved: preview and export it", closings)


def approved_hash(line: Mapping[str, Any]) -> str | None:
    """The sha256 of the artifact that a ledger line is about."""
    return _artifact(line).get("sha256")


def _artifact(line: Mapping[str, Any]) -> Mapping[str, Any]:
    return as_object(line.get("artifact")) or {}


class _Standing:
    """The decisions that stand after the lines taken so far, whatever the files hold."""

    def __init__(self) -> None:
        self.closings: dict[str, Mapping[str, Any]] = {}
        self._selection = 0
        self._withdrawn: dict[str, str] = {}

    def take(self, line: Mapping[str, Any]) -> None:
        kind = line.get("kind")
        if kind == "reading":
            self._close("F1", line)
        elif kind == "selection" and line.get("phase") == "F2":
            self._selection = line["seq"]
        elif kind == "reopen" and line.get("phase") in PHASES:
            self._reopen(line)
        elif kind in APPROVALS or kind == "rejection":
            self._judge(line, PHASE_OF.get(str(_artifact(line).get("name"))))

    def missing(self, phase: str, previous: int, hashes: Mapping[str, str]) -> list[str]:
        """What would close `phase`, when the phase before it was closed by line `previous`."""
        if phase == "F1":
            return ["reading"]
        name = ARTIFACT_OF[phase]
        missing: list[str] = []
        if phase == "F2" and self._selection <= previous:
            missing.append("selection")
        if name not in hashes:
            missing.append(f"artifact:{name}")
        return [*missing, f"approval:{name}"]

    def reason(self, phase: str, outdated: bool, changed: bool) -> str:
        """Why `phase` is open."""
        if changed:
            return f"{ARTIFACT_OF[phase]} is not the text that was approved"
        if outdated:
            return f"an earlier phase was decided again after {ARTIFACT_OF[phase]} was approved"
        if phase in self._withdrawn:
            return self._withdrawn[phase]
        if phase == "F1":
            return "no reading of the question was chosen"
        return f"{ARTIFACT_OF[phase]} is not approved"

    def _judge(self, line: Mapping[str, Any], phase: str | None) -> None:
        if phase is None:
            return
        if line["kind"] == "rejection":
            self._withdraw(phase, f"{ARTIFACT_OF[phase]} was rejected")
        elif phase != "F2" or self._selected():
            self._close(phase, line)

    def _selected(self) -> bool:
        reading = self.closings.get("F1")
        return reading is not None and self._selection > reading["seq"]

    def _close(self, phase: str, line: Mapping[str, Any]) -> None:
        self.closings[phase] = line
        self._withdrawn.pop(phase, None)

    def _withdraw(self, phase: str, why: str) -> None:
        self.closings.pop(phase, None)
        self._withdrawn[phase] = why

    def _reopen(self, line: Mapping[str, Any]) -> None:
        target = PHASES.index(line["phase"])
        for phase in PHASES[target:-1]:
            self._withdraw(phase, f"the reviewer reopened {PHASES[target]}")
        if target <= PHASES.index("F2"):
            self._selection = 0
