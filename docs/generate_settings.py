"""Write docs/settings.md from what the services declare; `make docs` runs it, a test compares."""

from pathlib import Path

from pydantic_core import PydanticUndefined

from services.gateway.config import GatewaySettings
from services.orchestrator.config import OrchestratorSettings
from services.runtime.settings import ServiceSettings
from services.tht_executor.config import ExecutorSettings

TARGET = Path(__file__).with_name("settings.md")

GROUPS: dict[str, type[ServiceSettings]] = {
    "All services": ServiceSettings,
    "Gateway": GatewaySettings,
    "Orchestrator": OrchestratorSettings,
    "tht-executor": ExecutorSettings,
}


def table(settings: type[ServiceSettings]) -> list[str]:
    """The rows of one group; what all services share stands only in its own group."""
    shared = set() if settings is ServiceSettings else set(ServiceSettings.model_fields)
    rows = ["| variable | default | what it does |", "| --- | --- | --- |"]
    for name, field in settings.model_fields.items():
        if name not in shared:
            rows.append(f"| `THOTHII_{name.upper()}` | {_default(field.default)} | {field.description} |")
    return rows


def _default(value: object) -> str:
    text = "" if value is PydanticUndefined else str(value)
    # The folder for temporary files differs from machine to machine.
    if isinstance(value, Path) and value.is_absolute():
        text = f"<temporary folder>/{value.name}"
    return f"`{text}`" if text and text not in {"[]", "**********"} else ""


def document() -> str:
    """The whole page."""
    lines = ["# Settings", "", "Each service reads its environment; nothing else is configured."]
    for title, settings in GROUPS.items():
        lines += ["", f"## {title}", "", *table(settings)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(document(), encoding="utf-8")
