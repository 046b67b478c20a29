"""Decodes steps: YAML mappings with one main key that says what they are (`text`, `widget`, `call`, ...).

The other keys are options; unknown ones are refused, with the place where they stand.
"""

from typing import Any

import msgspec

from fake_pi import fault_kinds, step_kinds
from fake_pi.step_base import Step, Steps

STEP_TYPES: dict[str, type[Step]] = {
    kind.__struct_encode_fields__[0]: kind
    for module in (step_kinds, fault_kinds)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, Step) and kind is not Step
}
"""Kinds of steps by main key, which is the first field of each."""

# A main key that is also an option of another step: there the other main key wins.
_OPTIONS = {name for kind in STEP_TYPES.values() for name in kind.__struct_encode_fields__[1:]}


def decode_step(value: object) -> Step:
    """The step of a YAML mapping. Raises ValueError that names what is wrong."""
    if not isinstance(value, dict):
        raise ValueError(f"a step is a mapping, got {type(value).__name__}")
    mapping: dict[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
    keys = [str(key) for key in mapping if str(key) in STEP_TYPES]
    if len(keys) > 1:
        keys = [key for key in keys if key not in _OPTIONS] or keys[:1]
    if not keys:
        raise ValueError(f"no known step in {sorted(str(key) for key in mapping)}; see fake_pi/README.md")
    try:
        return msgspec.convert(value, STEP_TYPES[keys[0]], dec_hook=decode_hook, strict=False)
    except msgspec.ValidationError as error:
        raise ValueError(f"step `{keys[0]}`: {error}") from error


def decode_hook(kind: type, value: object) -> object:
    """Decodes `Steps` for msgspec; the number of a bad step is put before its error."""
    if kind is not Steps:
        raise NotImplementedError(f"cannot decode {kind}")
    if not isinstance(value, list):
        raise ValueError("a list of steps is expected")
    given: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
    items: list[Step] = []
    for index, item in enumerate(given):
        try:
            items.append(decode_step(item))
        except ValueError as error:
            raise ValueError(f"step {index + 1}: {error}") from error
    return Steps(items)
