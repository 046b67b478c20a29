"""`thothii-executor`: serve until SIGTERM or SIGINT; a second signal ends the process at once."""

import structlog

from services.runtime.entry import run
from services.runtime.server import GrpcServer, until_signalled
from services.tht_executor.config import ExecutorSettings
from services.tht_executor.pool import WorkerPool
from services.tht_executor.service import NAME, ExecutorService
from services.tht_executor.worker import Worker
from thothii.executor.v1 import executor_service_pb2_grpc as pb_grpc
from tht.home import Home

_log = structlog.get_logger(__name__)


async def serve(settings: ExecutorSettings) -> None:
    """Serve on `settings.executor_address` until a signal. Raises Fault when that address cannot be had."""
    home = settings.home.resolve()
    pool = WorkerPool(
        lambda: Worker.start(home, settings.worker_memory_mib),
        size=settings.workers,
        queue=settings.worker_queue,
        wait=settings.worker_wait_s,
        idle=settings.worker_idle_s,
    )
    service = ExecutorService(Home(home), pool, settings.statement_grace_s)
    server = GrpcServer(
        settings,
        settings.executor_address,
        [(NAME, pb_grpc.add_ExecutorServiceServicer_to_server, service)],
    )
    await pool.open()
    await server.start()
    _log.info("executor listens", address=server.address)
    try:
        await until_signalled()
    finally:
        await server.stop()
        await pool.close()


def main() -> None:
    """Entry point of `thothii-executor`."""
    run("thothii-executor", "tht-executor", ExecutorSettings, serve)


if __name__ == "__main__":
    main()
