"""A private agent directory: Pi finds the user's credentials and models there and writes nothing of theirs.

Measured on Pi 1.6.0: `auth.json` is written in place under a lock on the resolved file, so a link is safe;
`models.json` is only read; `models-store.json`, the cached catalogue, may be rewritten.
"""

import json
import os
from pathlib import Path
from typing import Any, cast

from session_executor.files import PRIVATE_DIRECTORY, create_file, read_object

_LINKED = ("auth.json", "models.json")
_COPIED = ("models-store.json",)
_KEPT_SETTINGS = (
    "defaultProvider",
    "defaultModel",
    "defaultThinkingLevel",
    "httpIdleTimeoutMs",
    "httpProxy",
    "transport",
    "websocketConnectTimeoutMs",
    "images",
)
_MAXIMUM_RETRIES = 5
_RETRY = {"enabled": True, "maxRetries": 3, "baseDelayMs": 1000}


def user_agent_directory() -> Path:
    """Where the user's Pi keeps its files: `$PI_CODING_AGENT_DIR`, else `~/.pi/agent`."""
    configured = os.environ.get("PI_CODING_AGENT_DIR")
    return Path(configured).expanduser() if configured else Path.home() / ".pi/agent"


def make_agent_directory(path: str, source: Path | None = None) -> None:
    """Make the directory at `path` from `source`, by default the user's own.

    Of the settings there the model and how to reach it stay.
    """
    directory, source = Path(path), source or user_agent_directory()
    directory.mkdir(mode=PRIVATE_DIRECTORY)
    for name in _LINKED:
        original = source / name
        if original.exists():
            (directory / name).symlink_to(original.resolve())
    for name in _COPIED:
        original = source / name
        if original.is_file():
            create_file(str(directory / name), original.read_bytes())
    create_file(str(directory / "settings.json"), json.dumps(_settings(source / "settings.json")).encode())


def _settings(path: Path) -> dict[str, Any]:
    user = read_object(str(path)) or {}
    settings: dict[str, Any] = {name: user[name] for name in _KEPT_SETTINGS if name in user}
    retry = {**_RETRY, **_object(user.get("retry"))}
    retries = retry.get("maxRetries")
    if not isinstance(retries, int) or retries > _MAXIMUM_RETRIES:
        retry["maxRetries"] = _MAXIMUM_RETRIES
    settings["retry"] = retry
    settings["compaction"] = {"enabled": False}
    settings["enableInstallTelemetry"] = False
    settings["defaultProjectTrust"] = "never"
    return settings


def _object(value: object) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}
