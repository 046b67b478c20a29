"""A scripted model for a session with sub-agents: it sends two scouts out, and asks while they do."""

import json
import re
from collections.abc import Mapping
from typing import Any

from tests.realpi.bridge.puppet import agent
from tests.realpi.scripted_model import Answer, Request, ToolCall, text_of

SCOUT = "You search the schema of one database"
READING = {
    "purpose": "reading",
    "title": "What does worst mean?",
    "options": [
        {"id": "mean", "label": "the highest mean", "recommended": True},
        {"id": "max", "label": "the maximum"},
    ],
}
SCOUTS = ("carriers", "delays")


def is_scout(request: Request) -> bool:
    return SCOUT in text_of(request["messages"][0])


def scouting(request: Request) -> Answer:
    """The model's answer."""
    messages: list[Mapping[str, Any]] = request["messages"]
    results = [text_of(message) for message in messages if message["role"] == "tool"]
    return _scout(messages, results) if is_scout(request) else _main(results)


def _scout(messages: list[Mapping[str, Any]], results: list[str]) -> Answer:
    thing = next(text_of(message) for message in messages if message["role"] == "user").removeprefix("Find ")
    if not results:
        return Answer(tools=[ToolCall("tht_schema", {"action": "search", "text": thing[:-1]})])
    if len(results) == 1:
        asked = {"question": f"Which {thing}?", "options": [f"{thing} one", f"{thing} two"]}
        return Answer(tools=[ToolCall("ask_user_via_host", {"questions": [asked]})])
    return Answer(f"REPORT on {thing}: {json.loads(results[-1])['answers']}")


def _main(results: list[str]) -> Answer:
    if not results:
        return Answer(tools=[ToolCall("reviewer_select", READING)])
    if len(results) == 1:
        more: dict[str, Any] = {"run_in_background": True, "model": "another", "isolated": True}
        calls = [agent(f"Find {thing}", "schema-scout", **more) for thing in SCOUTS]
        calls += [agent("do what you like", "general-purpose"), agent("anything", "Explore")]
        return Answer(tools=[ToolCall(name, arguments) for name, arguments in calls])
    if len(results) == 5:
        return Answer(tools=[ToolCall("ask_reviewer", {"question": "Anything else?"})])
    started = re.findall(r"Agent ID: (\S+)", "\n".join(results))
    if len(results) == 6 and started:
        waits = [{"agent_id": each, "wait": True} for each in started]
        return Answer(tools=[ToolCall("get_subagent_result", arguments) for arguments in waits])
    return Answer("HEARD " + json.dumps(results))
