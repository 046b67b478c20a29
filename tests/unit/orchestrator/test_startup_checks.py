"""What must be true of a child before its first prompt."""

from typing import Any

import pytest

from contracts.errors import Code, Fault
from services.orchestrator.command_line import ModelChoice
from services.orchestrator.models import thinking_levels
from services.orchestrator.startup_checks import GATE_VERSION, Expectation, judge, judge_ready

MODELS = [{"provider": "p", "id": "m"}, {"provider": "p", "id": "n"}, {"provider": "q", "id": "m"}]
COMMANDS = [
    {"name": name, "source": "extension", "description": f"x ({GATE_VERSION})"}
    for name in ("nuova-domanda", "riprendi-sessione", "mcp")
]
STATE = {"sessionId": "s", "messageCount": 0, "model": {"provider": "p", "id": "m"}}


def check(
    state: dict[str, Any] | None = None,
    commands: list[dict[str, Any]] = COMMANDS,
    models: list[dict[str, Any]] = MODELS,
    choice: ModelChoice = ModelChoice(),  # noqa: B008
    resumes: bool = False,
) -> Any:
    return judge(Expectation("s", choice, resumes), {**STATE, **(state or {})}, commands, models)


def test_a_good_child_tells_its_model() -> None:
    started = check(choice=ModelChoice("p", "m", "high"))
    assert (started.provider, started.model) == ("p", "m")
    assert check({"messageCount": 3}, resumes=True).model == "m"


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"commands": []}, Code.GATE_MISSING),
        ({"commands": COMMANDS[:1]}, Code.GATE_MISSING),
        ({"commands": [{**each, "description": "x (tht-gate/2)"} for each in COMMANDS]}, Code.GATE_MISSING),
        ({"commands": [{**each, "source": "prompt"} for each in COMMANDS]}, Code.GATE_MISSING),
        (
            {"commands": [{"name": each["name"], "source": "extension"} for each in COMMANDS]},
            Code.GATE_MISSING,
        ),
        ({"state": {"sessionId": "t"}}, Code.PI_FAILED),
        ({"resumes": True}, Code.PI_FAILED),
        ({"state": {"model": {"provider": "p", "id": "unknown"}}}, Code.NO_CREDENTIALS),
        ({"state": {"model": None}}, Code.NO_CREDENTIALS),
        ({"models": []}, Code.NO_CREDENTIALS),
        ({"choice": ModelChoice("p", "zzz")}, Code.MODEL_UNKNOWN),
        ({"choice": ModelChoice("r", "m")}, Code.NO_CREDENTIALS),
        ({"choice": ModelChoice("p", "n")}, Code.MODEL_UNKNOWN),
        ({"choice": ModelChoice("q", "m")}, Code.MODEL_UNKNOWN),
    ],
)
def test_a27_a_child_that_will_not_do_is_refused(given: dict[str, Any], code: Code) -> None:
    with pytest.raises(Fault) as refused:
        check(**given)
    assert refused.value.code is code


def test_the_gate_must_have_said_that_it_is_ready_for_this_session() -> None:
    judge_ready({"ev": "ready", "session": "s"}, "s")
    for ready in (None, {"ev": "ready", "session": "t"}, {"ev": "ready"}):
        with pytest.raises(Fault) as refused:
            judge_ready(ready, "s")
        assert refused.value.code is Code.GATE_MISSING


@pytest.mark.parametrize(
    ("model", "levels"),
    [
        ({}, ["off"]),
        ({"reasoning": True}, ["off", "minimal", "low", "medium", "high"]),
        (
            {"reasoning": True, "thinkingLevelMap": {"off": None, "minimal": None, "xhigh": "x"}},
            ["low", "medium", "high", "xhigh"],
        ),
    ],
)
def test_the_thinking_levels_of_a_model(model: dict[str, Any], levels: list[str]) -> None:
    assert thinking_levels(model) == levels
