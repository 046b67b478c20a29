"""`thothii-gateway`: serve until SIGTERM or SIGINT; a second signal ends the process at once."""

import asyncio
import contextlib
import socket
import sys
from collections.abc import Generator

import structlog
import uvicorn
from pydantic import ValidationError

from contracts.errors import Fault
from services.gateway.app import GOODBYE, create_app, create_gateway
from services.gateway.config import GatewaySettings
from services.gateway.connections import CuttableProtocol
from services.gateway.endpoints import Gateway
from services.runtime.lifetime import end_with_parent
from services.runtime.logs import configure
from services.runtime.server import until_signalled

_log = structlog.get_logger(__name__)


class _Server(uvicorn.Server):
    """uvicorn without its own signal handlers: it would end by the signal, not with exit code 0."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave the signals alone."""
        yield


def make_server(gateway: Gateway) -> uvicorn.Server:
    """The HTTP server of `gateway`; `serve` it on sockets, end it by `should_exit`."""
    config = uvicorn.Config(
        create_app(gateway),
        http=CuttableProtocol,
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=max(1, round(gateway.settings.gateway_stop_s)),
    )
    return _Server(config)


async def serve(settings: GatewaySettings) -> None:
    """Serve until signalled. Then event streams say bye, and open requests have `gateway_stop_s` to end."""
    listening = listen(settings.gateway_host, settings.gateway_port)
    gateway = create_gateway(settings)
    server = make_server(gateway)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    stopping = asyncio.create_task(until_signalled())
    host, port = listening.getsockname()[:2]
    _log.info("gateway listens", host=host, port=port)
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    gateway.feeds.close(GOODBYE)
    server.should_exit = True
    await serving


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises OSError when the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only where the protocol is named; without it, a client that delays its
    # acknowledgements waits 40 ms for the body after the headers (measured).
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(2048)
    except OSError:
        listening.close()
        raise
    return listening


def _first_complaint(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    name = "THOTHII_" + "_".join(str(part) for part in first["loc"]).upper()
    return f"{name}: {first['msg']}"


def main() -> None:
    """Entry point; exits 2 when the settings do not allow to serve."""
    end_with_parent()
    try:
        settings = GatewaySettings()
    except ValidationError as error:
        sys.stderr.write(f"thothii-gateway: {_first_complaint(error)}\n")
        sys.exit(2)
    configure("gateway", settings.log_level)
    try:
        settings.check_bind()
        asyncio.run(serve(settings))
    except Fault as fault:
        sys.stderr.write(f"thothii-gateway: {fault.message}\n")
        sys.exit(fault.code.kind.exit_code)
    except OSError as error:
        sys.stderr.write(
            f"thothii-gateway: cannot listen on {settings.gateway_host}:{settings.gateway_port}: {error}\n"
        )
        sys.exit(9)


if __name__ == "__main__":
    main()
