"""`fake-pi`: Pi's command line, answered from a scenario file."""

import asyncio
import os
import sys
from importlib.resources import files
from pathlib import Path

from fake_pi.command_line import Options, early_error, extension_error, parse_arguments
from fake_pi.output import Output
from fake_pi.scenario import Scenario, ScenarioError, load_scenario

PI_VERSION = "1.6.0"
"""The version of Pi whose RPC mode this speaks."""

USAGE = """\
fake-pi: a Pi that speaks the RPC protocol from a scenario file

Usage:
  fake-pi [--scenario FILE] --mode rpc [any option of Pi 1.6.0]
  fake-pi --check FILE...     say whether scenario files are right

The scenario is --scenario FILE or $FAKE_PI_SCENARIO; without one there is a Pi with the gate and a model
that answers "done". All of Pi's options are accepted; an unknown one exits 1, as with Pi.

"""


def main() -> None:
    """Entry point of `fake-pi` and `python -m fake_pi`; ends the process."""
    arguments = sys.argv[1:]
    output = Output()
    if arguments[:1] == ["--check"]:
        sys.exit(_check(output, arguments[1:]))
    options = parse_arguments(arguments)
    if options.help:
        output.write((USAGE + _scenario_help()).encode())
        sys.exit(0)
    if options.version:
        output.write(f"{PI_VERSION}\n".encode())
        sys.exit(0)
    try:
        scenario = _scenario(options)
    except ScenarioError as error:
        output.error_line(f"fake-pi: {error}")
        sys.exit(2)
    if options.list_models is not None:
        _list_models(scenario, options, output)
        sys.exit(0)
    error = early_error(options)
    if error is not None:
        output.error_line(error)
        sys.exit(1)
    if options.mode != "rpc":
        output.error_line("fake-pi: only --mode rpc is played")
        sys.exit(2)
    asyncio.run(_run(scenario, options, output))


async def _run(scenario: Scenario, options: Options, output: Output) -> None:
    from fake_pi.machine import Machine
    from fake_pi.process import Process

    machine = Machine(scenario, options, output)
    lines = extension_error(options)
    error = None if lines else machine.apply_options()
    for line in lines or ([error] if error else []):
        output.error_line(line)
    if lines or error:
        os._exit(1)
    await Process(machine).run()


def _scenario(options: Options) -> Scenario:
    path = options.scenario or os.environ.get("FAKE_PI_SCENARIO")
    return load_scenario(Path(path)) if path else Scenario()


def _check(output: Output, paths: list[str]) -> int:
    wrong = 0
    for path in paths:
        try:
            output.write(f"{path}: {load_scenario(Path(path)).name}\n".encode())
        except ScenarioError as error:
            output.error_line(str(error))
            wrong = 1
    return wrong


def _scenario_help() -> str:
    return files("fake_pi").joinpath("README.md").read_text(encoding="utf-8")


def _list_models(scenario: Scenario, options: Options, output: Output) -> None:
    """Pi's table of models: on stdout, with --mode rpc or json on stderr."""
    search = options.list_models or ""
    models = [m for m in scenario.models if m.credentials and search in f"{m.provider}/{m.id}"]
    rows = [("provider", "model", "context", "max-out", "thinking", "images")]
    for model in models:
        sizes = f"{model.context_window // 1000}K", f"{model.max_tokens // 1000}K"
        rows.append((model.provider, model.id, *sizes, "yes" if model.reasoning else "no", "no"))
    widths = [max(len(row[column]) for row in rows) for column in range(6)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    if not models:
        lines = [f'No models matching "{search}"']
    for line in lines:
        if options.mode == "text":
            output.write(line.encode() + b"\n")
        else:
            output.error_line(line)


if __name__ == "__main__":
    main()
