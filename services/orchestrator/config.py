"""Settings of the orchestrator."""

import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator
from pydantic_settings import NoDecode

from services.runtime.settings import ServiceSettings

SUBAGENT_TOOLS = "Agent,get_subagent_result,steer_subagent,ask_user_via_host"
"""What the agent of a workspace with `subagents: true` has beside the gate's tools."""

GATE_TOOLS = "tht_schema,tht_sql,artifact_write,reviewer_select,reviewer_decide,ask_reviewer,artifact_gate"


class OrchestratorSettings(ServiceSettings):
    """What the orchestrator can be told. Times are in seconds."""

    home: Path = Field(
        default=Path("harness"),
        description="The harness folder: Pi's working directory, with sessions/ and workspaces/ in it.",
    )
    runner: str = Field(
        default="pi", pattern="^(pi|fake_pi)$", description="What runs the sessions: pi or fake_pi."
    )
    runner_reason: str = Field(default="", description="Why this runner was chosen, in one line.")
    scripted: bool = Field(
        default=False, description="A scripted model answers instead of a real one; always true for fake_pi."
    )
    pi_command: Annotated[list[str], NoDecode] = Field(
        default=["node_modules/.bin/pi"],
        description="How to start Pi: a path (from the harness folder, or a name on the PATH) or a JSON list "
        "of program and arguments.",
    )
    node_directory: str = Field(
        default="", description="Folder of the Node that runs Pi, put first in its PATH; empty: as found."
    )
    fake_pi_scenario: str = Field(default="", description="Scenario file of fake_pi.")
    gate_extension: str = Field(
        default=".pi/extensions/tht-gate/index.js",
        description="The gate, from the harness folder; empty: it is found by Pi itself.",
    )
    gate_tools: str = Field(
        default=GATE_TOOLS, description="The only tools a session's agent has, separated by commas."
    )
    subagents_extension: str = Field(
        default="node_modules/@tintinweb/pi-subagents/src/index.ts",
        description="The extension that runs sub-agents, from the harness folder; loaded only for workspaces "
        "with subagents: true.",
    )
    pi_arguments: Annotated[list[str], NoDecode] = Field(
        default=[], description="More arguments for every Pi, as a JSON list."
    )
    pi_environment: str = Field(
        default="",
        description="Names of further environment variables Pi may see, separated by commas, "
        "such as the key of a provider of your own.",
    )
    operator_agent_dir: str = Field(
        default="",
        description="The operator's Pi folder with auth.json and models.json; empty: PI_CODING_AGENT_DIR, "
        "or ~/.pi/agent.",
    )
    state_dir: Path = Field(
        default=Path("~/.local/state/thothii"),
        description="ThothII's own files that are not sessions: Pi's agent folder, Pi's caches.",
    )
    advertised_address: str = Field(
        default="", description="How other orchestrators name this one; empty: its listening address."
    )
    max_live_sessions: int = Field(default=20, ge=1, description="Pi children at the same time, at most.")
    start_seconds: float = Field(
        default=30.0, gt=0, description="How long a child may take to come up before it is given up."
    )
    start_patience_seconds: float = Field(
        default=8.0,
        ge=0,
        description="How long creating or opening a session waits for the checks before it answers that "
        "the session is starting.",
    )
    idle_seconds: float = Field(
        default=1800.0, gt=0, description="After so long without work or reader an idle child is stopped."
    )
    waiting_seconds: float = Field(
        default=43_200.0,
        gt=0,
        description="After so long without reader a child that waits for a reviewer is stopped.",
    )
    ring_events: int = Field(default=16_384, ge=16, description="Events kept for replay, per session.")
    ring_bytes: int = Field(
        default=8 * 1024 * 1024, ge=65_536, description="Bytes of events kept for replay, per session."
    )
    record_cap: int = Field(
        default=32 * 1024 * 1024,
        ge=65_536,
        description="Largest record of Pi in bytes; a longer one is skipped and told.",
    )
    kept_closed_sessions: int = Field(
        default=16, ge=0, description="Sessions without a child whose events stay in memory for replay."
    )
    warm_models: bool = Field(
        default=True,
        description="Ask Pi for its models when the service starts, so that the first session with a named "
        "model need not wait.",
    )
    models_seconds: float = Field(
        default=300.0, ge=0, description="How long the list of models is kept before Pi is asked again."
    )

    checkpoint_repositories: Annotated[list[Path], NoDecode] = Field(
        default=[],
        description="Git work trees in which sessions may be continued into new commits: a path, or a JSON "
        "list of paths; what lies below one is allowed too. Empty: checkpoints are off.",
    )
    checkpoint_sessions: Annotated[list[Path], NoDecode] = Field(
        default=[],
        description="Folders with Pi session files that may be continued beside ThothII's own sessions: a "
        "path, or a JSON list of paths.",
    )
    max_checkpoint_runs: int = Field(default=2, ge=1, description="Continuations at the same time, at most.")

    @field_validator(
        "pi_command", "pi_arguments", "checkpoint_repositories", "checkpoint_sessions", mode="before"
    )
    @classmethod
    def _list_or_word(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        if value.lstrip().startswith("["):
            return json.loads(value)
        return [value] if value else []

    @field_validator("state_dir", "home", mode="after")
    @classmethod
    def _whole_path(cls, value: Path) -> Path:
        return value.expanduser().absolute()

    @field_validator("checkpoint_repositories", "checkpoint_sessions", mode="after")
    @classmethod
    def _whole_paths(cls, value: list[Path]) -> list[Path]:
        return [path.expanduser().absolute() for path in value]

    @property
    def is_scripted(self) -> bool:
        """True when no real model answers."""
        return self.scripted or self.runner == "fake_pi"

    @property
    def sessions(self) -> Path:
        """The folder of the sessions."""
        return self.home / "sessions"
