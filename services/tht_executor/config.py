"""Settings of the tht-executor."""

from pathlib import Path

from pydantic import Field

from services.runtime.settings import ServiceSettings


class ExecutorSettings(ServiceSettings):
    """Read from the environment, prefix `THOTHII_`."""

    home: Path = Field(
        default=Path("harness"), description="The harness folder: workspaces/, sessions/, results/."
    )
    workers: int = Field(
        default=4, ge=1, le=64, description="Most `tht` workers at once; one statement runs in each."
    )
    worker_queue: int = Field(
        default=64,
        ge=0,
        description="Calls that may wait for a worker, sessions in rotation; the next is refused as busy.",
    )
    worker_wait_s: float = Field(
        default=30, gt=0, description="Seconds a call waits for a worker before it is refused as busy."
    )
    worker_memory_mib: int = Field(
        default=2048,
        ge=256,
        description="Address space a worker may use on top of what it has after its start, in MiB.",
    )
    worker_idle_s: float = Field(
        default=300, gt=0, description="Seconds after which an idle worker beside the first one ends."
    )
    statement_grace_s: float = Field(
        default=5,
        gt=0,
        description="Seconds past a statement's own timeout after which its worker is killed.",
    )
