"""The usual shape of the JSON artifacts. Departures are told, not refused: the reviewer decides. Pure."""

from __future__ import annotations

from tht.shapes import as_array, as_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LISTS = {
    "schema_linking.json": {
        "tables": ("name",),
        "columns": ("table", "column"),
        "joins": ("left", "right"),
        "filters": ("column", "condition"),
    },
    "ctes.json": {"steps": ("name", "purpose", "sql")},
}
"""By artifact and key, what each entry of the list under the key says."""
REQUIRED = {"schema_linking.json": ("tables", "columns"), "ctes.json": ("steps",)}


def shape_warnings(name: str, document: Any) -> list[str]:
    """What an artifact's parsed JSON lacks, one sentence each."""
    fields = as_object(document)
    if fields is None:
        return [f"{name} should be an object"]
    warnings = [f"{name} should have {key}" for key in REQUIRED.get(name, ()) if not fields.get(key)]
    for key, wanted in LISTS.get(name, {}).items():
        if not fields.get(key):
            continue
        entries = as_array(fields[key])
        if entries is None or not all(_fits(entry, wanted) for entry in entries):
            warnings.append(f"{key} should be a list of objects with {', '.join(wanted)}")
    return warnings


def _fits(entry: Any, wanted: tuple[str, ...]) -> bool:
    fields = as_object(entry)
    return fields is not None and all(isinstance(fields.get(key), str) for key in wanted)
