"""Hatch build hook: the wheel and the editable install carry freshly generated stubs."""

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class GenerateStubs(BuildHookInterface[Any]):
    """Generate `thothii/` before the build collects its files."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's signature
        """Called by hatchling once per build target."""
        # protoc finds its mypy plug-ins on PATH; an isolated build has them beside its interpreter.
        scripts = str(Path(sys.executable).parent)
        os.environ["PATH"] = scripts + os.pathsep + os.environ.get("PATH", "")
        sys.path.insert(0, str(Path(self.root) / "proto"))
        from generate import generate

        generate(Path(self.root))
