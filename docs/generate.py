"""Write the pages that are made from the code: docs/settings.md and docs/errors.md.

`make docs` runs it; a test compares.
"""

from pathlib import Path

from pydantic.fields import FieldInfo

from contracts.errors import TAXONOMY
from services.gateway.config import GatewaySettings
from services.orchestrator.config import OrchestratorSettings
from services.runtime.settings import ServiceSettings
from services.tht_executor.config import ExecutorSettings

HERE = Path(__file__).parent

GROUPS: dict[str, type[ServiceSettings]] = {
    "All services": ServiceSettings,
    "Gateway": GatewaySettings,
    "Orchestrator": OrchestratorSettings,
    "tht-executor": ExecutorSettings,
}


def table(settings: type[ServiceSettings]) -> list[str]:
    """The rows of one group; what all services share stands only in its own group."""
    shared = set[str]() if settings is ServiceSettings else set(ServiceSettings.model_fields)
    rows = ["| variable | default | what it does |", "| --- | --- | --- |"]
    for name, field in settings.model_fields.items():
        if name not in shared:
            rows.append(f"| `THOTHII_{name.upper()}` | {_default(field)} | {field.description} |")
    return rows


def _default(field: FieldInfo) -> str:
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    text = "" if default is None else str(default)
    # The folder for temporary files differs from machine to machine.
    if isinstance(default, Path) and default.is_absolute():
        text = f"<temporary folder>/{default.name}"
    return f"`{text}`" if text and text not in {"[]", "**********"} else ""


def settings_page() -> str:
    """docs/settings.md."""
    lines = ["# Settings", "", "Each service reads its environment; a workspace file describes a database."]
    for title, settings in GROUPS.items():
        lines += ["", f"## {title}", "", *table(settings)]
    return "\n".join(lines) + "\n"


def errors_page() -> str:
    """docs/errors.md."""
    lines = [
        "# Errors",
        "",
        "One taxonomy for everything: a command line exits with the number of the second column, the",
        "gateway answers with the HTTP status and the code as a problem (RFC 9457), a service ends a gRPC",
        "call with the status and the code as the reason of its `ErrorInfo`. *Retry*: the same call may",
        "succeed later without a change.",
        "",
        "| code | exit | HTTP | gRPC | retry | means |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for code, kind in TAXONOMY.items():
        retry = "yes" if kind.retry else ""
        cells = (f"`{code.value}`", kind.exit_code, kind.http_status, kind.grpc_status, retry, kind.title)
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


PAGES = {"settings.md": settings_page, "errors.md": errors_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")
