"""What must be true of a child before its first prompt. Pure, but for the three calls."""

import asyncio
from dataclasses import dataclass
from typing import Any, cast

from contracts.errors import Code, Fault
from services.orchestrator.bridge import KICKOFF_COMMANDS
from services.orchestrator.command_line import ModelChoice
from services.orchestrator.rpc_client import RpcClient

GATE_VERSION = "tht-gate/1"
"""Contract version of the gate this orchestrator works with (docs/contracts.md 6)."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What was asked for."""

    session_id: str
    choice: ModelChoice
    resumes: bool


@dataclass(frozen=True, slots=True)
class Started:
    """A child that passed."""

    provider: str
    model: str
    models: list[dict[str, Any]]


async def check_child(rpc: RpcClient, expectation: Expectation, seconds: float) -> Started:
    """Ask the child about itself, and judge the answers; see `judge` for the faults."""
    state, commands, models = await asyncio.gather(
        rpc.call("get_state", seconds),
        rpc.call("get_commands", seconds),
        rpc.call("get_available_models", seconds),
    )
    return judge(expectation, state, _objects(commands.get("commands")), _objects(models.get("models")))


def judge(
    expectation: Expectation,
    state: dict[str, Any],
    commands: list[dict[str, Any]],
    models: list[dict[str, Any]],
) -> Started:
    """The child's model.

    Raises Fault GATE_MISSING (without the gate Pi 1.6.0 runs unreviewed, and says nothing), PI_FAILED for
    another session or a lost history, NO_CREDENTIALS and MODEL_UNKNOWN for a model that only its first run
    would show to be unusable.
    """
    _judge_gate(commands)
    if state.get("sessionId") != expectation.session_id:
        raise Fault(Code.PI_FAILED, "Pi opened another session than the one asked for")
    if expectation.resumes and not state.get("messageCount"):
        raise Fault(
            Code.PI_FAILED,
            "Pi did not find the history of this session; was the harness folder moved or renamed?",
        )
    raw: Any = state.get("model")
    model = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
    provider, identity = str(model.get("provider", "")), str(model.get("id", ""))
    find_model(expectation.choice, models)
    choice = expectation.choice
    if choice.model and (identity != choice.model or (choice.provider and provider != choice.provider)):
        raise Fault(Code.MODEL_UNKNOWN, f"Pi runs {provider}/{identity} instead of the model asked for")
    if (provider, identity) not in {(each.get("provider"), each.get("id")) for each in models}:
        raise Fault(
            Code.NO_CREDENTIALS,
            "Pi has no credentials for its default model; sign in with pi, set the provider's key, "
            "or name a model of GET /models",
        )
    return Started(provider, identity, models)


def find_model(choice: ModelChoice, models: list[dict[str, Any]]) -> None:
    """Check a choice against the models Pi has credentials for.

    Raises Fault MODEL_UNKNOWN or NO_CREDENTIALS.
    """
    if not models:
        raise Fault(
            Code.NO_CREDENTIALS,
            "Pi has no credentials for any model; sign in with pi or set a provider's key",
        )
    if not choice.model:
        return
    offered = [each for each in models if not choice.provider or each.get("provider") == choice.provider]
    if not offered:
        raise Fault(
            Code.NO_CREDENTIALS,
            f"Pi has no provider {choice.provider} with credentials; GET /models lists what there is",
        )
    if not any(each.get("id") == choice.model for each in offered):
        raise Fault(Code.MODEL_UNKNOWN, f"Pi has no model {choice.model}; GET /models lists what there is")


def judge_ready(ready: dict[str, Any] | None, session_id: str) -> None:
    """Check what the gate said when it was ready. Raises Fault GATE_MISSING."""
    if ready is None:
        raise Fault(Code.GATE_MISSING, "the gate was loaded but did not get ready; its log is on stderr")
    if ready.get("session") != session_id:
        raise Fault(Code.GATE_MISSING, "the gate got ready for another session")


def _judge_gate(commands: list[dict[str, Any]]) -> None:
    described = {
        str(each.get("name")): str(each.get("description", ""))
        for each in commands
        if each.get("source") == "extension"
    }
    for name in KICKOFF_COMMANDS:
        if name not in described:
            raise Fault(
                Code.GATE_MISSING,
                f"Pi runs without the gate: there is no command /{name}; is the extension tht-gate in place?",
            )
        if not described[name].endswith(f"({GATE_VERSION})"):
            raise Fault(
                Code.GATE_MISSING, f"the gate is of another version than {GATE_VERSION}; update the harness"
            )


def _objects(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list):
        return []
    return [cast("dict[str, Any]", item) for item in cast("list[Any]", value) if isinstance(item, dict)]
