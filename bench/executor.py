"""The session-checkpoint executor: a run beside Pi driven alone, a plan beside `git rev-parse`.

python -m bench.executor [--runs N] [--files N]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

from bench.measure import alternate, wall_seconds
from session_executor.pi.installation import find_pi
from tests.realpi.scripted_model import (
    MODEL,
    PROVIDER,
    Answer,
    Request,
    ScriptedModel,
    ToolCall,
    write_agent_folder,
)
from tests.unit.session_executor.executor_fixtures import (
    Repository,
    entry,
    git,
    make_repository,
    write_session,
)

TARGET_RUN_S = 1.5
TARGET_PLAN_S = 1.0
ENTRY = "target02"
PROMPT = "Change the title."


def one_edit(request: Request) -> Answer:
    """Edit the title, then say so."""
    if request["messages"][-1]["role"] == "tool":
        return Answer("Done.")
    edit = {"path": "README.md", "edits": [{"oldText": "# fixture", "newText": "# changed"}]}
    return Answer("I edit.", tools=[ToolCall("edit", edit)])


def executor(*arguments: str, environment: Mapping[str, str]) -> None:
    """One call of the command line in a process of its own."""
    program = "import sys; from session_executor.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", program, *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, **environment})


def plan_arguments(repository: Repository, session: Path, out: Path) -> list[str]:
    """The command line of one `plan`."""
    return [
        *("plan", "--workspace", str(repository.root), "--base", "HEAD", "--session", str(session)),
        *(
            "--entry",
            ENTRY,
            "--prompt",
            PROMPT,
            "--commit-message",
            "docs: change the title",
            "--out",
            str(out),
        ),
    ]


def write_source(directory: Path, repository: Repository) -> Path:
    """A session that ends at the entry, on the scripted model."""
    user = {"role": "user", "content": "hello", "timestamp": 1}
    chosen = entry("model001", None, type="model_change", provider=PROVIDER, modelId=MODEL)
    talk = entry(ENTRY, "model001", type="message", message=user)
    return write_session(directory / "source.jsonl", repository.root, chosen, talk)


def pi_alone(directory: Path, session: Path, environment: Mapping[str, str]) -> Callable[[], float]:
    """Seconds for Pi itself to continue a copy of the session in a plain directory and to end."""
    installation = find_pi()
    number = 0

    def once() -> None:
        nonlocal number
        number += 1
        place = directory / f"alone-{number}"
        place.mkdir()
        (place / "README.md").write_text("# fixture\n")
        copy = place / "session.jsonl"
        copy.write_text(session.read_text().replace(str(directory / "repository"), str(place)))
        options = ("--mode", "rpc", "--session", str(copy), "--offline", "--no-extensions", "--no-approve")
        process = subprocess.Popen(
            [*installation.command, *options],
            cwd=place,
            env={**os.environ, **environment, "PATH": f"{installation.node_directory}:{os.environ['PATH']}"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdin is not None and process.stdout is not None
        _converse(process.stdin, process.stdout)
        assert process.wait(30) == 0
        assert (place / "README.md").read_text() == "# changed\n"

    return lambda: wall_seconds(once)


def _converse(commands: IO[str], records: IO[str]) -> None:
    commands.write(json.dumps({"id": "1", "type": "prompt", "message": PROMPT}) + "\n")
    commands.flush()
    for line in records:
        if json.loads(line).get("type") == "agent_settled":
            break
    commands.close()
    records.read()


def run_beside_pi(directory: Path, runs: int) -> tuple[float, float]:
    """Median seconds of `run` and of Pi alone."""
    repository = make_repository(directory / "repository")
    session = write_source(directory, repository)
    agent = directory / "agent"
    environment = {"PI_CODING_AGENT_DIR": str(agent)}
    plans = iter(range(1000))
    with ScriptedModel(one_edit) as model:
        write_agent_folder(agent, model.base_url)

        def ours() -> float:
            plan = directory / f"plan-{next(plans)}.json"
            executor(*plan_arguments(repository, session, plan), environment=environment)
            return wall_seconds(
                lambda: executor("run", "--plan", str(plan), "--yes", environment=environment)
            )

        medians = alternate(runs, {"ours": ours, "pi": pi_alone(directory, session, environment)})
    return medians["ours"], medians["pi"]


def large_repository(directory: Path, files: int) -> Repository:
    """A checked-out repository with `files` files in directories of 500."""
    repository = make_repository(directory / "large")
    lines = [
        "commit refs/heads/main",
        "committer T <t@example.com> 0 +0000",
        "data 0",
        "from refs/heads/main^0",
    ]
    for number in range(files):
        text = f"file {number}"
        lines.append(f"M 644 inline d{number // 500}/f{number}.txt\ndata {len(text)}\n{text}")
    git(repository.root, "fast-import", "--quiet", text="\n".join(lines) + "\n")
    git(repository.root, "reset", "-q", "--hard")
    return repository


def plan_beside_git(directory: Path, runs: int, files: int) -> tuple[float, float]:
    """Median seconds of `plan` and of `git rev-parse HEAD` in a large repository."""
    repository = large_repository(directory, files)
    session = write_source(directory, repository)
    plans = iter(range(1000))

    def plan() -> float:
        out = directory / f"large-{next(plans)}.json"
        return wall_seconds(lambda: executor(*plan_arguments(repository, session, out), environment={}))

    medians = alternate(
        runs, {"ours": plan, "git": lambda: wall_seconds(lambda: git(repository.root, "rev-parse", "HEAD"))}
    )
    return medians["ours"], medians["git"]


def report(what: str, ours: float, beside: str, theirs: float, target: float) -> None:
    """One line: medians in seconds and how much is added."""
    added = ours - theirs
    mark = "" if added < target else "   missed"
    print(f"{what:<34}{ours:>8.3f}  {beside:<26}{theirs:>8.3f}{added:>8.3f}  < {target:g}{mark}")


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--files", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(os.path.realpath(scratch))
        ran, alone = run_beside_pi(directory, options.runs)
        planned, parsed = plan_beside_git(directory, options.runs, options.files)
    print(f"\nsession executor  (Python {sys.version.split()[0]}, {os.cpu_count()} cores)")
    print(f"{'what':<34}{'s':>8}  {'beside':<26}{'s':>8}{'added':>8}  target")
    report("run, one edit", ran, "Pi alone, the same edit", alone, TARGET_RUN_S)
    report(f"plan, {options.files} files", planned, "git rev-parse HEAD", parsed, TARGET_PLAN_S)


if __name__ == "__main__":
    main()
