"""Kill a run of the executor at every change it makes to the system, run again, and print what is left.

A process of its own, so that it may fork. Usage: `python -m tests.integration.session_executor.crash_driver
DIRECTORY changes|orphans|steps FIRST STRIDE`. Prints one JSON object for every kill point.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from session_executor.errors import ExecutorError
from session_executor.execute import STEPS, ExecutionOptions, execute_plan
from session_executor.pi.session_file import inspect_session
from session_executor.plan import Plan
from tests.unit.session_executor.executor_fixtures import (
    Repository,
    make_plan,
    make_repository,
    write_session,
)
from tests.unit.session_executor.executor_runner import ScriptedRunner

CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "subprocess.Popen"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT

Arm = Callable[[int], None]


def kill_at_change(number: int) -> None:
    """Die just before the change with this number."""
    seen = -1

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        written = event == "open" and isinstance(arguments[2], int) and bool(arguments[2] & WRITING)
        if event in CHANGES or written:
            seen += 1
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def kill_after_spawn(number: int) -> None:
    """Die when the git with this number has started, so that it goes on as an orphan."""
    seen = -1
    communicate = subprocess.Popen.communicate

    def dying(process: Any, *arguments: Any, **more: Any) -> Any:
        nonlocal seen
        seen += 1
        if seen == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return communicate(process, *arguments, **more)

    subprocess.Popen.communicate = dying  # type: ignore[method-assign]


def in_child(plan: Plan, arm: Callable[[], None], options: ExecutionOptions) -> str:
    """Run the plan in a fork and tell how that ended."""
    child = os.fork()
    if child == 0:
        arm()
        try:
            execute_plan(plan, ScriptedRunner(), inspect_session, options)
        except ExecutorError:
            os._exit(1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return {0: "finished", -signal.SIGKILL: "killed"}.get(status, f"status {status}")


def run_again(repository: Repository, plan: Plan) -> dict[str, Any]:
    """What the same plan gives afterwards, and what is left of both runs."""
    try:
        status = execute_plan(plan, ScriptedRunner(), inspect_session)["status"]
    except ExecutorError as error:
        receipt = json.loads(Path(plan.output.artifact_dir, "receipt.json").read_text())
        status = f"{error.code} {receipt['status']}"
    left = repository.leftovers() + [str(path) for path in Path(tempfile.gettempdir()).iterdir()]
    ref = repository.git("show", f"{plan.output.ref}:generated.txt", allowed=(0, 128))
    return {"status": status, "left": left, "content": ref}


def points(directory: Path, kind: str, first: int, stride: int) -> Iterator[dict[str, Any]]:
    template = make_repository(directory / "template")
    arm = {"changes": kill_at_change, "orphans": kill_after_spawn}.get(kind)
    number = first
    while True:
        base = directory / f"{kind}-{number}"
        temporary = base / "tmp"
        temporary.mkdir(parents=True)
        tempfile.tempdir = str(temporary)
        shutil.copytree(template.root, base / "repository")
        repository = Repository((base / "repository").resolve(), template.base)
        plan = make_plan(repository, write_session(base / "session.jsonl", repository.root))
        if arm is not None:
            at = number
            ended = in_child(plan, lambda arm=arm, at=at: arm(at), ExecutionOptions())
        else:
            step = STEPS[number]

            def progress(name: str, detail: str, step: str = step) -> None:
                if name == step:
                    os.kill(os.getpid(), signal.SIGKILL)

            ended = in_child(plan, lambda: None, ExecutionOptions(progress=progress))
        yield {"point": number, "ended": ended, **run_again(repository, plan)}
        number += stride
        if ended == "finished" or (arm is None and number >= len(STEPS)):
            return


if __name__ == "__main__":
    for point in points(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])):
        print(json.dumps(point))
