"""Frames of the checkpoint bridge (docs/contracts.md 10): whose dialogs these are, and until when. Pure."""

from typing import Any, Literal

import msgspec

from services.orchestrator.widgets import Origin

FRAME_KEY = "checkpoint-bridge"
"""Status key under which the bridge says its frames."""

ENDED = {"timeout": "expired", "timeout-or-cancelled": "expired", "cancelled": "cancelled"}
"""How the open questions of a frame ended, by the status of the call; any other status: gone."""


class Frame(msgspec.Struct):
    """One record of the bridge: the dialogs of a call begin, or are over."""

    ev: Literal["open", "closed"]
    id: str
    sender: str = msgspec.field(name="from", default="")
    """Id of the session that asks."""
    kind: Literal["main", "subagent"] = "subagent"
    name: str = ""
    n: int = 0
    titles: list[str] | None = None
    """The questions of the call; None: not told."""
    status: str | None = None

    @property
    def origin(self) -> Origin:
        """Who asks, as the reviewer is told."""
        return Origin(self.kind, self.name or self.sender or "unnamed")

    @property
    def ended(self) -> str:
        """How a question of this frame ended that is still open when the frame closes."""
        return ENDED.get(self.status or "", "gone")


class OpenFrames:
    """The open frames of one child. The bridge shows one dialog at a time, so the newest owns what comes."""

    def __init__(self) -> None:
        self._open: dict[str, Frame] = {}

    def take(self, text: Any) -> Frame | None:
        """Note a record. None for a status text that is none."""
        if not isinstance(text, str):
            return None
        try:
            frame = msgspec.json.decode(text, type=Frame)
        except (msgspec.DecodeError, RecursionError):
            return None
        if frame.ev == "open":
            self._open[frame.id] = frame
        else:
            self._open.pop(frame.id, None)
        return frame

    def owner(self, title: Any) -> Frame | None:
        """The frame of a dialog with that title; None for a dialog that another extension shows meanwhile."""
        for frame in reversed(self._open.values()):
            if frame.titles is None or title in frame.titles:
                return frame
        return None
