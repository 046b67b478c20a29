"""A scripted model whose every agent does what its prompt says, so that a test writes the prompts alone.

A prompt `DO [{"name", "arguments"}, ...]` makes the tool calls of one message, and then says what the tools
answered, after the word RESULT. Any other prompt is only acknowledged.
"""

import json
from collections.abc import Mapping
from typing import Any

from tests.realpi.scripted_model import Answer, Request, ToolCall, text_of

Call = tuple[str, Mapping[str, Any]]


def do(*calls: Call) -> str:
    """The prompt that makes these calls."""
    return "DO " + json.dumps([{"name": name, "arguments": arguments} for name, arguments in calls])


def ask(*questions: str | dict[str, Any], **more: Any) -> Call:
    """A call of the bridge's tool; a question is a text or an object."""
    asked = [{"question": each} if isinstance(each, str) else each for each in questions]
    return "ask_user_via_host", {"questions": asked, **more}


def agent(prompt: str, kind: str = "asker", **more: Any) -> Call:
    """A call that starts a sub-agent with that prompt."""
    return "Agent", {"subagent_type": kind, "description": "a test", "prompt": prompt, **more}


def puppet(request: Request) -> Answer:
    """The model's answer."""
    messages: list[Mapping[str, Any]] = request["messages"]
    position = _last_user(messages)
    prompt = text_of(messages[position]) if position >= 0 else ""
    if not prompt.startswith("DO "):
        return Answer("noted")
    results = [text_of(message) for message in messages[position + 1 :] if message["role"] == "tool"]
    if results:
        return Answer("RESULT " + json.dumps(results))
    calls = json.loads(prompt.removeprefix("DO "))
    return Answer(tools=[ToolCall(call["name"], call["arguments"]) for call in calls])


def _last_user(messages: list[Mapping[str, Any]]) -> int:
    return max((index for index, each in enumerate(messages) if each["role"] == "user"), default=-1)


def documents_in(text: str) -> list[dict[str, Any]]:
    """The results of the bridge's tool in a text in which they are quoted as often as may be, in order."""
    found: list[dict[str, Any]] = []
    decoder = json.JSONDecoder()
    while '"status' in text or "RESULT" in text:
        start = text.find('{"status"')
        if start >= 0:
            document, end = decoder.raw_decode(text[start:])
            found.append(document)
            text = text[start + end :]
            continue
        start = text.find("[")
        if start < 0:
            break
        try:
            inner, end = decoder.raw_decode(text[start:])
        except ValueError:
            text = text[start + 1 :]
            continue
        for each in inner:
            found += documents_in(str(each))
        text = text[start + end :]
    return found
