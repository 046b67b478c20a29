"""The command line of a Pi child. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.errors import Code, Fault

THINKING_LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")
"""What Pi 1.6.0 takes; any other word is ignored by it with a warning."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """Provider, model and thinking level of a session; empty: Pi's default."""

    provider: str = ""
    model: str = ""
    thinking: str = ""

    def checked(self) -> "ModelChoice":
        """Itself. Raises Fault INVALID_ARGUMENT for a choice Pi would misread."""
        if self.provider and not self.model:
            raise Fault(Code.INVALID_ARGUMENT, "a provider needs a model beside it; GET /models lists them")
        if self.thinking and self.thinking not in THINKING_LEVELS:
            raise Fault(Code.INVALID_ARGUMENT, f"thinking is one of {', '.join(THINKING_LEVELS)}")
        for value in (self.provider, self.model):
            if value.startswith("-") or any(
                character.isspace() or ord(character) < 32 for character in value
            ):
                raise Fault(Code.INVALID_ARGUMENT, "a provider or model id has no spaces and no leading dash")
        return self


def session_arguments(
    command: Sequence[str],
    *,
    gate_extension: str,
    gate_tools: str,
    session_dir: Path,
    session_id: str,
    name: str,
    choice: ModelChoice,
    subagents_extension: str = "",
    more: Sequence[str] = (),
) -> list[str]:
    """Command line of a session's child. `name` is left out on a resume: Pi would append it each time."""
    arguments = [*command, "--mode", "rpc", "--approve"]
    if gate_extension:
        arguments += ["-e", gate_extension]
    if subagents_extension:
        arguments += ["-e", subagents_extension]
    arguments += ["--tools", gate_tools, "-nc"]
    arguments += ["--session-dir", str(session_dir), "--session-id", session_id]
    named = (
        ("--name", " ".join(name.split())),
        ("--provider", choice.provider),
        ("--model", choice.model),
        ("--thinking", choice.thinking),
    )
    for option, value in named:
        if value:
            arguments += [option, value]
    return [*arguments, *more]


def throwaway_arguments(command: Sequence[str], more: Sequence[str] = ()) -> list[str]:
    """Command line of a child that only lists its models: no session file, no project files."""
    return [*command, "--mode", "rpc", "--no-session", "--no-approve", "-nc", *more]
