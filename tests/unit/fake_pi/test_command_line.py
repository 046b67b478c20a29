from pathlib import Path

import pytest

from fake_pi.command_line import early_error, extension_error, parse_arguments

ORCHESTRATOR = [
    *("--mode", "rpc", "--approve", "-e", "gate.js", "--tools", "tht_sql,ask_reviewer", "-nc"),
    *("--session-dir", "s/pi", "--session-id", "abc-1", "--name", "N"),
    *("--provider", "scripted", "--model", "scripted", "--thinking", "high"),
]


def test_the_orchestrators_command_line_is_understood() -> None:
    options = parse_arguments(ORCHESTRATOR)
    assert (options.mode, options.approve, options.session_id) == ("rpc", True, "abc-1")
    assert (options.provider, options.model, options.thinking) == ("scripted", "scripted", "high")
    assert options.tools == ["tht_sql", "ask_reviewer"]
    assert early_error(options) is None and not options.late_errors


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--mode", "rcp"], 'Error: Invalid mode "rcp". Valid values: text, json, rpc'),
        (["--mode"], "Error: --mode requires text, json, or rpc"),
        (["-frob"], "Error: Unknown option: -frob"),
        (["--name", " "], "Error: --name requires a non-empty value"),
        (["--provider", "p"], "Error: --provider requires --model"),
        (["--session-id", "a", "--resume"], "Error: --session-id cannot be combined"),
        (["--session-id", "a/b"], "Error: Session id must be non-empty"),
        (["--session-id", "a-"], "Error: Session id must be non-empty"),
        (["@notes.md"], "Error: @file arguments are not supported"),
    ],
)
def test_mistakes_are_told_before_a_session_is_opened(arguments: list[str], error: str) -> None:
    assert (early_error(parse_arguments(arguments)) or "").startswith(error)


@pytest.mark.parametrize("argument", ["--frobnicate", "--mode=rpc", "--frobnicate=1"])
def test_an_unknown_long_option_is_told_after_it(argument: str) -> None:
    options = parse_arguments([argument])
    assert options.late_errors == [f"Unknown option: {argument.split('=')[0]}"]


def test_a_wrong_thinking_level_is_a_warning() -> None:
    options = parse_arguments(["--thinking", "huge"])
    assert options.thinking is None and options.warnings[0].startswith('Invalid thinking level "huge"')


def test_an_extension_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    here = tmp_path / "gate.js"
    assert "Failed to load extension" in extension_error(parse_arguments(["-e", str(here)]))[0]
    here.touch()
    assert extension_error(parse_arguments(["-e", str(here)])) == []
