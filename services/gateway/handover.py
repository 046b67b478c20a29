"""How one reader comes from a subscription of its own to the one all readers of a session share. Pure.

A reader that joins needs what only it missed: a snapshot, or the replay from its cursor. So it begins on a
subscription of its own. Once that has caught up, the reader also listens to the shared one, whose batches
wait here until its own subscription has come at least as far as the shared one stood when the listening
began. From then on the shared batches are enough; what the reader has seen is left out by sequence number.
"""

from services.gateway.sse import Frames, Position


class HandOver:
    """One reader's way. Give it every batch of its own subscription, and of the shared one."""

    def __init__(self) -> None:
        self.position: Position | None = None
        """Up to where the reader has been told everything."""
        self.done = False
        """True when the reader lives from the shared subscription alone."""
        self.listening = False
        """True from the moment at which the shared batches must be given to `shared`."""
        self._replayed = False
        self._meeting = Position("", 0)
        self._shared: Position | None = None
        self._waiting: list[Frames] = []

    @property
    def caught_up(self) -> bool:
        """True once replay_complete was told: nothing that only this reader needs is still to come."""
        return self._replayed and self.position is not None

    def own(self, frames: Frames) -> bytes:
        """Take a batch of the reader's own subscription; gives the bytes to write."""
        self.position = frames.position_after(self.position)
        self._replayed = self._replayed or frames.replayed
        return frames.joined + self._settle()

    def listen(self, shared: Position) -> bytes:
        """Begin to listen to the shared subscription, which stands at `shared`; gives the bytes to write.

        Does nothing unless the reader has caught up and both are of one epoch.
        """
        if not self.caught_up or self.position is None or self.position.epoch != shared.epoch:
            return b""
        self.listening = True
        self._waiting.clear()
        self._meeting = self._shared = shared
        return self._settle()

    def part(self) -> None:
        """Stop listening: the shared subscription ended before the two met."""
        self.listening = False
        self._waiting.clear()

    def shared(self, frames: Frames) -> bytes:
        """Take a batch of the shared subscription; gives the bytes to write."""
        if not self.done:
            if self.listening:
                self._waiting.append(frames)
            return b""
        before, self._shared = self._shared, frames.position_after(self._shared)
        position, now = self.position, self._shared
        if position is None or before is None or now is None:
            raise AssertionError("a reader met the shared subscription without a position")
        behind = before.epoch == position.epoch and before.seq < position.seq
        if frames.first_seq:
            out = frames.after(position.seq) if frames.epoch == position.epoch else frames.joined
        elif behind and (now.epoch, now.seq <= position.seq) == (position.epoch, True):
            # It speaks of a past that the reader has left behind.
            out = b""
        else:
            out = frames.joined
        if out:
            self.position = now
        return out

    def _settle(self) -> bytes:
        if not self.listening or self.done or self.position is None:
            return b""
        if self.position.epoch != self._meeting.epoch:
            self.part()
            return b""
        if self.position.seq < self._meeting.seq:
            return b""
        self.done = True
        waiting, self._waiting = self._waiting, []
        return b"".join([self.shared(frames) for frames in waiting])
