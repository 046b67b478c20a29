"""Commands that are answered at once: they read or set a value."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fake_pi.command_line import THINKING_LEVELS
from fake_pi.machine import Machine
from fake_pi.messages import model_object
from fake_pi.session_file import SessionFile

Query = Callable[[Machine, dict[str, Any]], Any]


class CommandFailed(Exception):
    """The command is answered with `success: false` and this text."""


def state(machine: Machine, _record: dict[str, Any]) -> dict[str, Any]:
    """get_state."""
    session, agent = machine.session, machine.agent
    data: dict[str, Any] = {
        "model": model_object(machine.model),
        "thinkingLevel": machine.thinking_level,
        "isStreaming": agent.streaming,
        "isCompacting": machine.compacting,
        "steeringMode": machine.steering_mode,
        "followUpMode": machine.follow_up_mode,
    }
    if session.path is not None:
        data["sessionFile"] = str(session.path)
    data["sessionId"] = session.session_id
    if machine.session_name is not None:
        data["sessionName"] = machine.session_name
    waiting = len(agent.steering) + len(agent.follow_ups)
    return data | {
        "autoCompactionEnabled": True,
        "messageCount": len(session.messages()),
        "pendingMessageCount": waiting,
    }


def entries(machine: Machine, record: dict[str, Any]) -> dict[str, Any]:
    """get_entries."""
    found = machine.session.entries
    if "since" in record:
        ids = [entry["id"] for entry in found]
        if record["since"] not in ids:
            raise CommandFailed(f"Entry not found: {record['since']}")
        found = found[ids.index(record["since"]) + 1 :]
    return {"entries": found, "leafId": machine.session.leaf}


def tree(machine: Machine, _record: dict[str, Any]) -> dict[str, Any]:
    """get_tree: the fake's sessions have one branch."""
    children: list[dict[str, Any]] = []
    for entry in reversed(machine.session.entries):
        children = [{"entry": entry, "children": children}]
    return {"tree": children, "leafId": machine.session.leaf}


def session_stats(machine: Machine, _record: dict[str, Any]) -> dict[str, Any]:
    """get_session_stats."""
    messages = machine.session.messages()
    roles = [message["role"] for message in messages]
    answers = [message for message in messages if message["role"] == "assistant"]
    calls = sum(block["type"] == "toolCall" for message in answers for block in message["content"])
    tokens = {key: sum(message["usage"][key] for message in answers) for key in ("input", "output")}
    total = tokens["input"] + tokens["output"]
    window = machine.model.context_window
    used = answers[-1]["usage"]["totalTokens"] if answers else 0
    data: dict[str, Any] = {} if machine.session.path is None else {"sessionFile": str(machine.session.path)}
    return data | {
        "sessionId": machine.session.session_id,
        "userMessages": roles.count("user"),
        "assistantMessages": len(answers),
        "toolCalls": calls,
        "toolResults": roles.count("toolResult"),
        "totalMessages": len(messages),
        "tokens": {**tokens, "cacheRead": 0, "cacheWrite": 0, "total": total},
        "cost": 0,
        "contextUsage": {"tokens": used, "contextWindow": window, "percent": round(100 * used / window, 4)},
    }


def commands(machine: Machine, _record: dict[str, Any]) -> dict[str, Any]:
    """get_commands: those of the gate and of the scenario, then Pi's own."""
    path = str(Path((machine.options.extensions or [".pi/extensions/gate.js"])[0]).absolute())
    base = str(Path(path).parent.parent)
    info = {"path": path, "source": "auto", "scope": "project", "origin": "top-level", "baseDir": base}
    found: list[dict[str, Any]] = []
    for command in machine.commands.values():
        item: dict[str, Any] = {"name": command.name}
        if command.description is not None:
            item["description"] = command.description
        found.append({**item, "source": "extension", "sourceInfo": info})
    builtin = [("llama", "Manage llama.cpp router models", "builtin:llama.cpp")]
    if not machine.options.no_mcp:
        about = "Manage MCP servers: sign in, reconnect, enable or disable, and change exposure"
        builtin.append(("mcp", about, "builtin:mcp"))
    for name, about, where in [] if machine.options.no_extensions else builtin:
        source = {"path": where, "source": "builtin", "scope": "temporary", "origin": "top-level"}
        found.append({"name": name, "description": about, "source": "extension", "sourceInfo": source})
    return {"commands": found}


def last_text(machine: Machine, _record: dict[str, Any]) -> dict[str, Any]:
    """get_last_assistant_text; nothing before the first answer."""
    for message in reversed(machine.session.messages()):
        if message["role"] == "assistant":
            texts = [block["text"] for block in message["content"] if block["type"] == "text"]
            if texts:
                return {"text": "".join(texts)}
    return {}


def available_models(machine: Machine, _record: dict[str, Any]) -> dict[str, Any]:
    """get_available_models: only those with credentials."""
    return {"models": [model_object(model) for model in machine.scenario.models if model.credentials]}


def set_model(machine: Machine, record: dict[str, Any]) -> dict[str, Any]:
    """set_model."""
    found = machine.find_model(str(record.get("provider")), str(record.get("modelId")))
    if found is None:
        raise CommandFailed(f"Model not found: {record.get('provider')}/{record.get('modelId')}")
    machine.model = found
    machine.session.append("model_change", provider=found.provider, modelId=found.id)
    return model_object(found)


def set_thinking_level(machine: Machine, record: dict[str, Any]) -> None:
    """set_thinking_level: nonsense becomes off, so does any level of a model that does not reason."""
    level = record.get("level")
    known = level in THINKING_LEVELS and machine.model.thinks
    machine.thinking_level = str(level) if known else "off"
    machine.session.append("thinking_level_change", thinkingLevel=machine.thinking_level)
    machine.emit({"type": "thinking_level_changed", "level": machine.thinking_level})


def set_session_name(machine: Machine, record: dict[str, Any]) -> None:
    """set_session_name: trimmed, newlines become spaces."""
    if "name" not in record:
        raise CommandFailed("Cannot read properties of undefined (reading 'trim')")
    name = record["name"]
    if not isinstance(name, str):
        raise CommandFailed("command.name.trim is not a function")
    name = " ".join(name.strip().splitlines()) if "\n" in name else name.strip()
    if not name:
        raise CommandFailed("Session name cannot be empty")
    machine.rename(name)
    machine.emit({"type": "session_info_changed", "name": name})


def new_session(machine: Machine, _record: dict[str, Any]) -> dict[str, Any]:
    """new_session: another id, and no event that says so."""
    old = machine.session
    machine.session = SessionFile(old.path.parent if old.path else None, os.urandom(16).hex(), old.cwd)
    machine.session_name = None
    machine.session.append("model_change", provider=machine.model.provider, modelId=machine.model.id)
    machine.session.append("thinking_level_change", thinkingLevel=machine.thinking_level)
    return {"cancelled": False}


def _thinking_levels(machine: Machine, _record: dict[str, Any]) -> dict[str, Any]:
    return {"levels": list(THINKING_LEVELS[:5]) if machine.model.thinks else ["off"]}


def _messages(machine: Machine, _record: dict[str, Any]) -> dict[str, Any]:
    return {"messages": machine.session.messages()}


def _set_mode(field: str) -> Query:
    def change(machine: Machine, record: dict[str, Any]) -> None:
        setattr(machine, field, record.get("mode"))

    return change


def _accept(_machine: Machine, _record: dict[str, Any]) -> None:
    """Settings of the operator: accepted, and without effect on a scenario."""


QUERIES: dict[str, Query] = {
    "get_state": state,
    "get_entries": entries,
    "get_tree": tree,
    "get_messages": _messages,
    "get_session_stats": session_stats,
    "get_commands": commands,
    "get_last_assistant_text": last_text,
    "get_available_models": available_models,
    "get_available_thinking_levels": _thinking_levels,
    "set_model": set_model,
    "set_thinking_level": set_thinking_level,
    "set_session_name": set_session_name,
    "new_session": new_session,
    "set_steering_mode": _set_mode("steering_mode"),
    "set_follow_up_mode": _set_mode("follow_up_mode"),
    "set_auto_retry": _accept,
    "set_auto_compaction": _accept,
}
"""Answered before anything that takes time."""
