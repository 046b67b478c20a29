"""Print what pyproject.toml requires, one requirement a line, so that an image installs it before the code.

usage: requirements.py PYPROJECT build | EXTRA...   (an extra brings the project's own requirements with it)
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any


def of_extras(project: dict[str, Any], extras: Iterable[str]) -> Iterator[str]:
    """Requirements of `extras`; one that names extras of the project itself is replaced by theirs."""
    own = re.compile(rf"{re.escape(project['name'])}\[([^]]+)\]")
    for extra in extras:
        for requirement in project["optional-dependencies"][extra]:
            if inner := own.fullmatch(requirement):
                yield from of_extras(project, (name.strip() for name in inner[1].split(",")))
            else:
                yield requirement


def main() -> None:
    """Entry point. Raises KeyError for an unknown extra."""
    path, *extras = sys.argv[1:]
    described = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    if extras == ["build"]:
        wanted = described["build-system"]["requires"]
    else:
        wanted = [*described["project"]["dependencies"], *of_extras(described["project"], extras)]
    sys.stdout.write("".join(f"{requirement}\n" for requirement in dict.fromkeys(wanted)))


if __name__ == "__main__":
    main()
