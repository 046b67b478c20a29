"""The shapes of Pi's messages, measured on Pi 1.6.0."""

from collections.abc import Iterable
from typing import Any

from fake_pi.scenario import Model
from fake_pi.session_file import timestamp_ms

Message = dict[str, Any]

BUILTIN_TOOLS = ("read", "bash", "edit", "write")


def no_usage() -> dict[str, Any]:
    """The usage of an answer that has not ended, or that failed."""
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
    return {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 0, "cost": cost}


def full_usage(request: int) -> dict[str, Any]:
    """The usage of the answer to the model's request number `request` (from 0)."""
    tokens = 100 + request
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0, "totalFromProvider": False}
    return {
        "input": tokens,
        "output": 10,
        "cacheRead": 0,
        "cacheWrite": 0,
        "reasoning": 0,
        "totalTokens": tokens + 10,
        "cost": cost,
    }


def model_object(model: Model) -> dict[str, Any]:
    """Pi's Model object."""
    return {
        "id": model.id,
        "name": model.name or model.id,
        "api": "openai-completions",
        "provider": model.provider,
        "baseUrl": "http://127.0.0.1:9/v1",
        "reasoning": model.reasoning,
        "input": ["text"],
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
        "contextWindow": model.context_window,
        "maxTokens": model.max_tokens,
        **model.extra,
    }


def text_block(text: str) -> dict[str, Any]:
    """One block of text content."""
    return {"type": "text", "text": text}


def system_message(tools: Iterable[str], cwd: str) -> Message:
    """The system prompt's message, of about the size that Pi's has."""
    filler = "This text stands for a part of Pi's system prompt. " * 40
    return {
        "role": "system",
        "content": "",
        "sections": {
            "preamble": "You are a coding assistant running inside pi, a coding agent harness.",
            "tools": filler,
            "rules": filler,
            "docs": "docs",
            "cwd": f"Current working directory: {cwd}",
        },
        "timestamp": timestamp_ms(),
        "toolsAdded": [
            {
                "name": name,
                "description": f"The tool {name}",
                "parameters": {"type": "object", "properties": {}},
            }
            for name in tools
        ],
    }


def user_message(text: str) -> Message:
    """What the user said."""
    return {"role": "user", "content": [text_block(text)], "timestamp": timestamp_ms()}


def failed_answer(model: Model, error: str) -> Message:
    """The assistant message of a run that Pi itself could not carry out."""
    return {
        "role": "assistant",
        "content": [text_block("")],
        "api": "openai-completions",
        "provider": model.provider,
        "model": model.id,
        "usage": no_usage(),
        "stopReason": "error",
        "errorMessage": error,
        "timestamp": timestamp_ms(),
    }


def custom_message(kind: str, content: Any, display: bool, details: Any = None) -> Message:
    """A message of an extension; `details` is left out when there are none."""
    message: Message = {"role": "custom", "customType": kind, "content": content, "display": display}
    if details is not None:
        message["details"] = details
    return {**message, "timestamp": timestamp_ms()}


def tool_result(
    call_id: str, name: str, result: dict[str, Any], error: bool, duration: int | None
) -> Message:
    """The message that gives a tool's result to the model; `duration` is None for a tool that did not run."""
    message: Message = {
        "role": "toolResult",
        "toolCallId": call_id,
        "toolName": name,
        "content": result["content"],
    }
    if "details" in result:
        message["details"] = result["details"]
    message["isError"] = error
    if duration is not None:
        message["durationMs"] = duration
    return {**message, "timestamp": timestamp_ms()}
