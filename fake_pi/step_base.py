"""What every step of a scenario is."""

from typing import Any

import msgspec

Json = Any


class Step(msgspec.Struct, forbid_unknown_fields=True):
    """Base of all steps."""


class Steps:
    """A list of steps inside a step; a class of its own so that msgspec hands it to `decode_hook`."""

    def __init__(self, items: list[Step]) -> None:
        self.items = items

    def __iter__(self) -> Any:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


def no_steps() -> Steps:
    """An empty list of steps, as a default."""
    return Steps([])
