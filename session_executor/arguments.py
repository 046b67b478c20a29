"""Options of the command line, read as the public session executor reads them.

`--flag value` only, every flag once, no value that starts with `--`; anything else is a usage error.
"""

from collections.abc import Sequence
from dataclasses import dataclass


class UsageError(Exception):
    """The command line itself is wrong; the message says how."""


@dataclass(frozen=True, slots=True)
class Command:
    """Which options one command takes."""

    values: frozenset[str]
    switches: frozenset[str] = frozenset({"--json"})
    operand: str | None = None
    """Name of the one positional argument, when there is one."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The options of one call."""

    values: dict[str, str]
    switches: frozenset[str]
    operand: str | None

    def required(self, flag: str) -> str:
        """The value of `flag`; UsageError when it is missing or empty."""
        value = self.values.get(flag)
        if not value:
            raise UsageError(f"required option missing: {flag}")
        return value


def parse(command: str, accepted: Command, known_flags: frozenset[str], words: Sequence[str]) -> Arguments:
    """Read the words after the command. `known_flags` are those of all commands, for a better message."""
    values: dict[str, str] = {}
    switches: set[str] = set()
    operand: str | None = None
    remaining = list(words)
    while remaining:
        word = remaining.pop(0)
        if word in values or word in switches:
            raise UsageError(f"duplicate option: {word}")
        if word in accepted.switches:
            switches.add(word)
        elif word in accepted.values:
            if not remaining or remaining[0].startswith("--"):
                raise UsageError(f"missing value for {word}")
            values[word] = remaining.pop(0)
        elif word in known_flags:
            raise UsageError(f"{word} is not valid for {command}")
        elif accepted.operand is not None and operand is None and not word.startswith("-"):
            operand = word
        else:
            raise UsageError("unrecognized option")
    if accepted.operand is not None and operand is None:
        raise UsageError(f"{command} requires {accepted.operand}")
    return Arguments(values, frozenset(switches), operand)
