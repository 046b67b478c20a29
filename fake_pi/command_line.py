"""Pi's command line, as Pi 1.6.0 reads it, and what it refuses."""

import re
from dataclasses import dataclass, field
from pathlib import Path

THINKING_LEVELS = ("off", "minimal", "low", "medium", "high", "xhigh", "max")

_VALUED = {
    "--provider": "provider",
    "--model": "model",
    "--session": "session",
    "--session-id": "session_id",
    "--session-dir": "session_dir",
    "--fork": "fork",
    "--name": "name",
    "-n": "name",
    "--scenario": "scenario",
}
_FLAGS = {
    "--help": "help",
    "-h": "help",
    "--version": "version",
    "-v": "version",
    "--continue": "continue_last",
    "-c": "continue_last",
    "--resume": "resume",
    "-r": "resume",
    "--no-session": "no_session",
    "--no-tools": "no_tools",
    "-nt": "no_tools",
    "--no-builtin-tools": "no_builtin_tools",
    "-nbt": "no_builtin_tools",
    "--no-extensions": "no_extensions",
    "-ne": "no_extensions",
    "--no-mcp": "no_mcp",
}
_TRUST = {"--approve": True, "-a": True, "--no-approve": False, "-na": False}
_IGNORED_VALUED = {
    "--api-key",
    "--system-prompt",
    "--append-system-prompt",
    "--models",
    "--export",
    "--skill",
    "--prompt-template",
    "--theme",
    "--use-theme",
    "--tui-mode",
}
_IGNORED_FLAGS = {
    "--print",
    "-p",
    "--no-skills",
    "-ns",
    "--no-prompt-templates",
    "-np",
    "--no-themes",
    "--no-context-files",
    "-nc",
    "--verbose",
    "--offline",
}


@dataclass(slots=True)
class Options:
    """What the command line says."""

    mode: str = "text"
    provider: str | None = None
    model: str | None = None
    thinking: str | None = None
    name: str | None = None
    session: str | None = None
    session_id: str | None = None
    session_dir: str | None = None
    fork: str | None = None
    scenario: str | None = None
    extensions: list[str] = field(default_factory=list[str])
    tools: list[str] | None = None
    excluded_tools: list[str] = field(default_factory=list[str])
    list_models: str | None = None
    """Search text, empty for all."""
    help: bool = False
    version: bool = False
    approve: bool = False
    no_session: bool = False
    no_tools: bool = False
    no_builtin_tools: bool = False
    no_extensions: bool = False
    no_mcp: bool = False
    continue_last: bool = False
    resume: bool = False
    files: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])
    errors: list[str] = field(default_factory=list[str])
    late_errors: list[str] = field(default_factory=list[str])
    """Found only once the session is open: unknown `--options`, which an extension could have registered."""


def parse_arguments(arguments: list[str]) -> Options:
    """Reads the arguments (without the program's name). Never raises: mistakes are in the result."""
    options = Options()
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument == "--":
            break
        if argument == "--mode":
            _read_mode(options, rest)
        elif argument == "--thinking" and rest:
            _read_thinking(options, rest.pop(0))
        elif argument in ("--extension", "-e") and rest:
            options.extensions.append(rest.pop(0))
        elif argument in ("--tools", "-t") and rest:
            options.tools = _names(rest.pop(0))
        elif argument in ("--exclude-tools", "-xt") and rest:
            options.excluded_tools = _names(rest.pop(0))
        elif argument == "--list-models":
            searched = bool(rest) and not rest[0].startswith(("-", "@"))
            options.list_models = rest.pop(0) if searched else ""
        elif argument in _TRUST:
            options.approve = _TRUST[argument]
        elif argument in _VALUED and rest:
            setattr(options, _VALUED[argument], rest.pop(0))
        elif argument in _FLAGS:
            setattr(options, _FLAGS[argument], True)
        elif argument in _IGNORED_VALUED and rest:
            rest.pop(0)
        elif argument in _IGNORED_FLAGS:
            continue
        elif argument.startswith("@"):
            options.files.append(argument)
        else:
            _read_unknown(options, argument, rest)
    return options


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _read_mode(options: Options, rest: list[str]) -> None:
    if not rest or rest[0].startswith("-"):
        options.errors.append("--mode requires text, json, or rpc")
        return
    mode = rest.pop(0)
    if mode not in ("text", "json", "rpc"):
        options.errors.append(f'Invalid mode "{mode}". Valid values: text, json, rpc')
    else:
        options.mode = mode


def _read_thinking(options: Options, level: str) -> None:
    if level in THINKING_LEVELS:
        options.thinking = level
    else:
        options.warnings.append(
            f'Invalid thinking level "{level}". Valid values: {", ".join(THINKING_LEVELS)}'
        )


def _read_unknown(options: Options, argument: str, rest: list[str]) -> None:
    """An option nobody knows; a plain text is ignored in RPC mode."""
    if argument.startswith("--"):
        if "=" not in argument and rest and not rest[0].startswith(("-", "@")):
            rest.pop(0)
        options.late_errors.append(f"Unknown option: {argument.split('=', 1)[0]}")
    elif argument.startswith("-"):
        options.errors.append(f"Unknown option: {argument}")


_SESSION_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


def early_error(options: Options) -> str | None:
    """The first mistake that makes Pi exit 1 before it opens a session, as it says it on stderr."""
    if options.errors:
        return f"Error: {options.errors[0]}"
    if options.files:
        return "Error: @file arguments are not supported in RPC mode"
    if options.name is not None and not options.name.strip():
        return "Error: --name requires a non-empty value"
    if options.session_id is not None:
        if options.session or options.continue_last or options.resume:
            return "Error: --session-id cannot be combined with --session, --continue, or --resume"
        if not _SESSION_ID.fullmatch(options.session_id):
            return (
                "Error: Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.'"
                ", and start and end with an alphanumeric character"
            )
    if options.provider and not options.model:
        return "Error: --provider requires --model"
    return None


def extension_error(options: Options) -> list[str]:
    """What Pi says, and exits 1, when an `-e` file is not there; empty when all are."""
    for name in options.extensions:
        if not name.startswith("builtin:") and not Path(name).exists():
            return [
                f'Error: Failed to load extension "{name}": Extension path does not exist: '
                f"{Path(name).absolute()}",
                'Hint: Start without extensions using "pi -ne".',
            ]
    return []
