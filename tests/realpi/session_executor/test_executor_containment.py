"""Attacks on the contained tools, made by the scripted model on the real Pi."""

import json
import tempfile
from pathlib import Path

import pytest

from session_executor.errors import ErrorCode, ExecutorError
from session_executor.execute import execute_plan
from session_executor.pi.runner import PiRunner
from session_executor.pi.session_file import inspect_session
from tests.realpi.scripted_model import Answer, ScriptedModel, ToolCall, text_of
from tests.unit.session_executor.executor_fixtures import Repository, make_plan, make_repository

pytestmark = pytest.mark.realpi


def read(path: str) -> ToolCall:
    return ToolCall("read", {"path": path})


def ls(path: str) -> ToolCall:
    return ToolCall("ls", {"path": path})


def write(path: str, content: str = "evil") -> ToolCall:
    return ToolCall("write", {"path": path, "content": content})


def edit(path: str, old: str, new: str) -> ToolCall:
    return ToolCall("edit", {"path": path, "edits": [{"oldText": old, "newText": new}]})


def results(model: ScriptedModel) -> list[str]:
    """The tool results of the last request, in order."""
    return [text_of(message) for message in model.requests[-1]["messages"] if message["role"] == "tool"]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    directory = tmp_path / "outside"
    directory.mkdir()
    (directory / "secret.txt").write_text("SECRET")
    return directory


@pytest.fixture
def hostile(repository: Repository, outside: Path, tmp_path: Path) -> str:
    """A base commit with symlinks out of the tree, a submodule and a file that is not UTF-8."""
    links = {
        "dangling": outside / "created.txt",
        "link-file": outside / "secret.txt",
        "link-dir": outside,
        "link-git": Path(".git"),
        "link-up": Path(".."),
        "loop": Path("loop"),
    }
    for name, target in links.items():
        (repository.root / name).symlink_to(target)
    (repository.root / "inside-link").symlink_to("real")
    module = make_repository(tmp_path / "module")
    repository.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(module.root), "module")
    return repository.commit({"real/file.txt": "one\n", "latin.txt": b"caf\xe9 one\n", "keep.txt": "keep\n"})


GIT_NAMES = [
    ".git",
    ".git/config",
    ".GIT/config",
    ".git /config",
    ".git./config",
    "git~1",
    "GIT~1/config",
    ".git::$INDEX_ALLOCATION/config",
    ".g\u200cit/config",
    "\uff0egit/config",
    "sub/.git/hooks/post-checkout",
    "a\\.git\\config",
    "real/../.git",
]


def test_d17_no_way_out_of_the_worktree(
    repository: Repository, session: Path, hostile: str, outside: Path, model: ScriptedModel
) -> None:
    home = Path.home() / "session-executor-attack.txt"
    attacks = [write(name) for name in GIT_NAMES]
    attacks += [
        read(".git"),
        read("link-git"),
        ls(".git"),
        write("link-git"),
        edit(".git", "gitdir", "gitdir"),
        write("../escape.txt"),
        write(str(outside / "absolute.txt")),
        write(f"file://{outside}/url.txt"),
        write(f"@{outside}/at.txt"),
        write("~/session-executor-attack.txt"),
        write("dangling"),
        write("link-file"),
        write("link-dir/new.txt"),
        write("link-dir/new/deep.txt"),
        write("link-up/up.txt"),
        write("nul\0byte"),
        write("loop"),
        write("module/lost.txt"),
        write("module"),
        write("real"),
        write("keep.txt/below.txt"),
        read("link-file"),
        read("link-dir/secret.txt"),
        read("/etc/passwd"),
        read("/dev/zero"),
        read("../agent/models.json"),
        read("../tools.json"),
        ls(".."),
        ls("link-dir"),
        ls("/"),
        edit("link-file", "SECRET", "stolen"),
        edit("latin.txt", "one", "two"),
        ToolCall("bash", {"command": "id"}),
        ToolCall("delete", {"path": "keep.txt"}),
        ToolCall("rename", {"from": "keep.txt", "to": "moved.txt"}),
    ]
    assert len(attacks) <= 60
    model.script(
        [Answer("", tools=[*attacks, write("ok.txt", "fine"), ls("."), ls("link-up")]), Answer("Done.")]
    )
    before = {path: path.read_bytes() for path in outside.iterdir()}
    receipt = execute_plan(make_plan(repository, session, base=hostile), PiRunner(), inspect_session)
    answers = results(model)
    for attack, answer in zip(attacks, answers, strict=False):
        assert "Successfully" not in answer and "SECRET" not in answer, (attack, answer)
    listing = answers[len(attacks) + 1].splitlines()
    assert ".gitmodules" in listing and "real/" in listing
    assert not {".git", ".git/", "link-dir/", "link-git", "link-up/"} & set(listing)
    assert receipt["result"]["changedPaths"] == ["ok.txt"]
    assert receipt["result"]["ignoredPaths"] == []
    assert {path: path.read_bytes() for path in outside.iterdir()} == before
    assert not home.exists()
    assert list(Path(tempfile.gettempdir()).glob("session-execution-*")) == []
    assert not (Path(tempfile.gettempdir()) / "escape.txt").exists()


def test_what_is_allowed_works(
    repository: Repository, session: Path, hostile: str, model: ScriptedModel
) -> None:
    worktree_file = "real/file.txt"
    calls = [
        read(worktree_file),
        read("inside-link/file.txt"),
        edit("inside-link/file.txt", "one", "two"),
        write("new/deep/ünï.txt", "grüße\u2028"),
        write("link.txt", ""),
        write(".gitignore", "*.log\n"),
        write("x.log", "ignored"),
        write("keep.txt", "keep\n"),
        ls("inside-link"),
    ]
    model.script([Answer("", tools=calls), Answer("Done.")])
    plan = make_plan(repository, session, base=hostile)
    receipt = execute_plan(plan, PiRunner(), inspect_session)
    changed = [".gitignore", "link.txt", "new/deep/ünï.txt", "real/file.txt"]
    assert receipt["result"]["changedPaths"] == changed
    reasons = {file["path"]: file["reason"] for file in receipt["result"]["ignoredFiles"]}
    assert reasons == {"keep.txt": "unchanged", "x.log": "ignored"}
    assert repository.git("show", f"{plan.output.ref}:real/file.txt") == "two\n"
    assert repository.git("show", f"{plan.output.ref}:new/deep/ünï.txt") == "grüße\u2028"


def test_delete_and_rename_when_allowed(
    repository: Repository, session: Path, hostile: str, outside: Path, model: ScriptedModel
) -> None:
    def rename(source: str, target: str) -> ToolCall:
        return ToolCall("rename", {"from": source, "to": target})

    def delete(path: str) -> ToolCall:
        return ToolCall("delete", {"path": path})

    refused = [
        delete(".git"),
        delete("real"),
        delete("missing"),
        delete(str(outside / "secret.txt")),
        delete("link-dir/secret.txt"),
        delete("module/x"),
        rename("keep.txt", "../stolen.txt"),
        rename("keep.txt", ".git/hooks/x"),
        rename("keep.txt", "latin.txt"),
        rename(".git", "git.txt"),
        rename("link-file", "file"),
        rename(str(outside / "secret.txt"), "secret.txt"),
    ]
    done = [delete("dangling"), delete("README.md"), rename("real/file.txt", "moved/file.txt")]
    model.script([Answer("", tools=[*refused, *done]), Answer("Done.")])
    plan = make_plan(repository, session, base=hostile, allow_delete=True)
    receipt = execute_plan(plan, PiRunner(), inspect_session)
    for attack, answer in zip(refused, results(model), strict=False):
        assert not answer.startswith(("Deleted", "Renamed")), (attack, answer)
    changed = ["README.md", "dangling", "moved/file.txt", "real/file.txt"]
    assert receipt["result"]["changedPaths"] == changed
    assert (outside / "secret.txt").read_text() == "SECRET"
    assert sorted(tool["function"]["name"] for tool in model.requests[0]["tools"]) == [
        "delete",
        "edit",
        "ls",
        "read",
        "rename",
        "write",
    ]


def test_nothing_of_the_repository_or_the_user_reaches_the_model(
    repository: Repository,
    session: Path,
    model: ScriptedModel,
    agent: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    extension = 'throw new Error("M-loaded");'
    skill = "---\nname: evil\ndescription: M-skill\n---\nM-skill\n"
    files: dict[str, str | bytes] = {
        "AGENTS.md": "M-agents",
        "CLAUDE.md": "M-claude",
        ".pi/SYSTEM.md": "M-system",
        ".pi/APPEND_SYSTEM.md": "M-append",
        ".pi/extensions/evil.js": extension,
        ".pi/skills/evil/SKILL.md": skill,
        ".pi/prompts/evil.md": "M-prompt",
        ".pi/settings.json": json.dumps({"defaultTools": ["bash"], "extensions": ["./x.js"]}),
        ".pi/mcp.json": json.dumps({"mcpServers": {"evil": {"command": "touch", "args": ["M-mcp"]}}}),
    }
    base = repository.commit(files)
    for name, content in (("SYSTEM.md", "M-user"), ("APPEND_SYSTEM.md", "M-user"), ("AGENTS.md", "M-user")):
        (agent / name).write_text(content)
    (agent / "extensions").mkdir()
    (agent / "extensions/evil.js").write_text(extension)
    settings = json.loads((agent / "settings.json").read_text())
    (agent / "settings.json").write_text(json.dumps({**settings, "defaultTools": ["bash"]}))
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("NODE_OPTIONS", "--require=/nonexistent.js")
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    before = {path: path.read_bytes() for path in agent.rglob("*") if path.is_file()}
    model.script([Answer("", tools=[write("ok.txt")]), Answer("Done.")])
    execute_plan(make_plan(repository, session, base=base), PiRunner(), inspect_session)
    sent = json.dumps(model.requests)
    assert "M-" not in sent
    assert sorted(tool["function"]["name"] for tool in model.requests[0]["tools"]) == [
        "edit",
        "ls",
        "read",
        "write",
    ]
    assert {path: path.read_bytes() for path in agent.rglob("*") if path.is_file()} == before
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("prompt", ["/evil", "!id", "!!id", "@README.md", "/skill:x", "\u2028/x", "-n"])
def test_a_prompt_is_only_text(
    repository: Repository, session: Path, model: ScriptedModel, prompt: str
) -> None:
    model.script([Answer("Nothing.")])
    with pytest.raises(ExecutorError) as caught:
        execute_plan(make_plan(repository, session, prompt=prompt), PiRunner(), inspect_session)
    assert caught.value.code is ErrorCode.NO_CHANGES
    assert text_of(model.requests[0]["messages"][-1]) == prompt


def test_a_large_prompt_arrives_whole(repository: Repository, session: Path, model: ScriptedModel) -> None:
    prompt = "x" * 1_000_000 + " é \u2028 end"
    model.script([Answer("Nothing.")])
    with pytest.raises(ExecutorError):
        execute_plan(make_plan(repository, session, prompt=prompt), PiRunner(), inspect_session)
    assert text_of(model.requests[0]["messages"][-1]) == prompt
