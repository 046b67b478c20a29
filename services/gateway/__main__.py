"""`thothii-gateway`: serve until SIGTERM or SIGINT; a second signal ends the process at once."""

import asyncio
import socket

import structlog
import uvicorn
import uvloop

from contracts.errors import Code, Fault
from services.gateway.app import GOODBYE, create_app, create_gateway
from services.gateway.config import GatewaySettings
from services.gateway.connections import CuttableProtocol
from services.gateway.endpoints import Gateway
from services.runtime.entry import run
from services.runtime.server import until_signalled
from services.runtime.web.serving import Server

_log = structlog.get_logger(__name__)


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
        # Nobody in front of it is trusted to say who calls.
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=max(1, round(gateway.settings.gateway_stop_s)),
    )
    return Server(config)


async def serve(settings: GatewaySettings) -> None:
    """Serve until signalled. Then event streams say bye, and open requests have `gateway_stop_s` to end.

    Raises Fault INVALID_ARGUMENT for an address where strangers could reach it, and as `listen`.
    """
    settings.check_bind()
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
    """A listening socket. Raises Fault UNAVAILABLE when the address cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only where the protocol is named; without it, a client that delays its
    # acknowledgements waits 40 ms for the body after the headers (measured).
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(2048)
    except OSError as error:
        listening.close()
        raise Fault(Code.UNAVAILABLE, f"cannot listen on {host}:{port}: {error}") from error
    return listening


def main() -> None:
    """Entry point of `thothii-gateway`.

    uvloop takes a fifth less CPU time for a page than asyncio's loop, and answers more readers at once. Where
    children are spawned it would break some at birth, so the other services do without; this one spawns none.
    """
    run("thothii-gateway", "gateway", GatewaySettings, serve, uvloop.new_event_loop)


if __name__ == "__main__":
    main()
