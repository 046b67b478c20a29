"""Exit 0 when the service of this container is ready, else 1 with a line that says why not.

usage: health.py grpc HOST:PORT | http URL
"""

import sys
import urllib.request
from typing import Any, cast

TIMEOUT = 4.0
"""Seconds; less than the timeout of the health checks."""


def grpc_problem(address: str) -> str | None:
    """Why the server at `address` does not serve, by the standard gRPC health service."""
    import grpc
    from grpc_health.v1 import health_pb2, health_pb2_grpc

    with grpc.insecure_channel(address) as channel:
        try:
            stub: Any = cast(Any, health_pb2_grpc).HealthStub(channel)
            answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT, wait_for_ready=True)
        except grpc.RpcError as error:
            return f"{address}: {error.code().name}"
    if answer.status == health_pb2.HealthCheckResponse.SERVING:
        return None
    return f"{address} says {health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)}"


def http_problem(url: str) -> str | None:
    """Why `url` does not answer 200."""
    try:
        # No proxy of the environment stands between a container and itself.
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=TIMEOUT).close()
    except OSError as error:
        return f"{url}: {error}"
    return None


def main() -> None:
    """Entry point."""
    kind, target = sys.argv[1:]
    problem = grpc_problem(target) if kind == "grpc" else http_problem(target)
    if problem is not None:
        sys.exit(problem)


if __name__ == "__main__":
    main()
