"""Command line, environment, agent folder, version, settings."""

import json
from pathlib import Path

import pytest

from contracts.errors import Code, Fault
from services.orchestrator.command_line import ModelChoice, session_arguments
from services.orchestrator.config import OrchestratorSettings
from services.orchestrator.environment import Places, child_environment, prepare_agent_dir
from services.orchestrator.installation import Installation

PROJECT = Path(__file__).resolve().parents[3]


def arguments(name: str = "A  b\nc", choice: ModelChoice = ModelChoice("p", "m", "high")) -> list[str]:  # noqa: B008
    return session_arguments(
        ["pi"],
        gate_extension="gate/index.js",
        gate_tools="a,b",
        session_dir=Path("/s/pi"),
        session_id="s-1",
        name=name,
        choice=choice,
        more=["--no-mcp"],
    )


def test_the_command_line_of_a_session() -> None:
    assert " ".join(arguments()) == (
        "pi --mode rpc --approve -e gate/index.js --tools a,b -nc --session-dir /s/pi --session-id s-1 "
        "--name A b c --provider p --model m --thinking high --no-mcp"
    )
    assert arguments()[14] == "A b c"
    assert "--name" not in arguments("") and "--model" not in arguments(choice=ModelChoice())


def test_sub_agents_add_an_extension_after_the_gate() -> None:
    argv = session_arguments(
        ["pi"],
        gate_extension="gate/index.js",
        subagents_extension="agents/index.ts",
        gate_tools="a,b,Agent",
        session_dir=Path("/s/pi"),
        session_id="s-1",
        name="",
        choice=ModelChoice(),
    )
    assert argv[4:10] == ["-e", "gate/index.js", "-e", "agents/index.ts", "--tools", "a,b,Agent"]


@pytest.mark.parametrize(
    "choice",
    [
        ModelChoice("p", "", ""),
        ModelChoice("", "m", "huge"),
        ModelChoice("", "-e", ""),
        ModelChoice("p q", "m", ""),
    ],
)
def test_a_choice_pi_would_misread_is_refused(choice: ModelChoice) -> None:
    with pytest.raises(Fault) as refused:
        choice.checked()
    assert refused.value.code is Code.INVALID_ARGUMENT


def test_b14_only_the_allow_list_reaches_the_child(tmp_path: Path) -> None:
    inherited = {
        "PATH": "/bin",
        "HOME": "/h",
        "ANTHROPIC_API_KEY": "k",
        "THT_DB_PASSWORD": "secret",
        "THOTHII_SERVICE_TOKEN": "secret",
        "DATABASE_URL": "secret",
        "NODE_OPTIONS": "--require evil",
        "LD_PRELOAD": "evil",
        "MY_KEY": "k2",
        "PI_CODING_AGENT_DIR": "/operator",
    }
    places = Places(tmp_path, tmp_path / "agent", tmp_path / "cache", "/node/bin")
    seen = child_environment(inherited, places, "MY_KEY, OTHER", {"THT_SESSION": "s"})
    assert set(seen) == {
        "PATH", "HOME", "ANTHROPIC_API_KEY", "MY_KEY", "LANG", "TMPDIR", "PI_CODING_AGENT_DIR", "THT_HOME",
        "THT_SESSION",
    }  # fmt: skip
    assert seen["PATH"].startswith("/node/bin:") and seen["PATH"].endswith(":/bin")
    assert seen["PI_CODING_AGENT_DIR"] == str(tmp_path / "agent")


def test_the_agent_folder_shows_the_operators_files_as_they_come_and_go(tmp_path: Path) -> None:
    operator, agent = tmp_path / "operator", tmp_path / "agent"
    operator.mkdir()
    prepare_agent_dir(agent, operator)
    assert list(agent.iterdir()) == []
    (agent / "auth.json").write_text("{}")
    (operator / "auth.json").write_text('{"a": 1}')
    (operator / "settings.json").write_text("{}")
    for _ in range(2):
        prepare_agent_dir(agent, operator)
        assert (agent / "auth.json").read_text() == '{"a": 1}'
        assert [path.name for path in agent.iterdir()] == ["auth.json"]
    (operator / "auth.json").unlink()
    prepare_agent_dir(agent, operator)
    assert list(agent.iterdir()) == []


def settings(tmp_path: Path, **fields: object) -> OrchestratorSettings:
    return OrchestratorSettings(home=tmp_path, **fields)  # pyright: ignore[reportArgumentType]


def fake_install(tmp_path: Path, version: str) -> Path:
    package = tmp_path / "node_modules" / "@earendil-works" / "pi-coding-agent"
    (package / "dist").mkdir(parents=True)
    (package / "package.json").write_text(
        json.dumps({"name": "@earendil-works/pi-coding-agent", "version": version})
    )
    program = package / "dist" / "cli.js"
    program.write_text("#!/bin/sh\nexit 9\n")
    program.chmod(0o755)
    link = tmp_path / "node_modules" / ".bin" / "pi"
    link.parent.mkdir()
    link.symlink_to(program)
    return link


async def test_a_missing_pi_is_named(tmp_path: Path) -> None:
    for command in (["node_modules/.bin/pi"], ["no-such-program-at-all"], []):
        with pytest.raises(Fault) as missing:
            Installation(settings(tmp_path, pi_command=command)).command()
        assert missing.value.code is Code.PI_MISSING


async def test_the_version_is_read_without_starting_pi(tmp_path: Path) -> None:
    link = fake_install(tmp_path, "1.6.0")
    installation = Installation(settings(tmp_path))
    assert await installation.checked_command({}) == [str(link)]


@pytest.mark.parametrize("version", ["0.84.2", "1.7.0", "2.0.0", "1.6.0-beta"])
async def test_an_unsupported_version_is_refused_with_its_number(tmp_path: Path, version: str) -> None:
    fake_install(tmp_path, version)
    with pytest.raises(Fault, match=version) as refused:
        await Installation(settings(tmp_path)).checked_command({})
    assert refused.value.code is Code.PI_UNSUPPORTED


async def test_a_program_without_a_package_is_asked(tmp_path: Path) -> None:
    program = tmp_path / "mypi"
    program.write_text("#!/bin/sh\necho 1.6.7\n")
    program.chmod(0o755)
    installation = Installation(settings(tmp_path, pi_command=json.dumps([str(program), "--x"])))
    assert await installation.version({"PATH": "/bin"}) == "1.6.7"
    program.write_text("#!/bin/sh\nexit 1\n")
    with pytest.raises(Fault) as failed:
        await Installation(settings(tmp_path, pi_command=[str(program)])).version({"PATH": "/bin"})
    assert failed.value.code is Code.PI_FAILED


def test_a_command_is_a_path_or_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THOTHII_PI_COMMAND", "/opt/my pi/pi")
    assert OrchestratorSettings().pi_command == ["/opt/my pi/pi"]
    monkeypatch.setenv("THOTHII_PI_COMMAND", '["node", "cli.js"]')
    assert OrchestratorSettings().pi_command == ["node", "cli.js"]
