"""The application: routes, and around them what every request passes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from starlette.routing import Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.gateway.auth import AuthenticationMiddleware, authenticator
from services.gateway.clients import Services
from services.gateway.config import GatewaySettings
from services.gateway.endpoints import Gateway
from services.gateway.metrics import Metrics, MetricsMiddleware
from services.gateway.origin import OriginMiddleware
from services.gateway.problems import ProblemMiddleware
from services.gateway.routes import ENDPOINTS
from services.gateway.upstream import Feeds

GOODBYE = "the gateway is going down; come back with the last event id"


class _NoSniff:
    """Browsers take every answer for what its content type says."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def marking(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", []), (b"x-content-type-options", b"nosniff")]
                message = {**message, "headers": headers}
            await send(message)

        await self.app(scope, receive, marking if scope["type"] == "http" else send)


def create_gateway(settings: GatewaySettings) -> Gateway:
    """What the handlers work with; it holds channels, so it is made inside the running loop."""
    services = Services(settings)
    feeds = Feeds(services.subscribe, settings.gateway_reader_bytes, settings.gateway_heartbeat_s)
    return Gateway(settings, services, feeds, Metrics())


def create_app(gateway: Gateway) -> ASGIApp:
    """The ASGI application of `gateway`; its lifespan ends with the channels closed."""

    @asynccontextmanager
    async def lifespan(_app: object) -> AsyncGenerator[None]:
        yield
        gateway.feeds.close(GOODBYE)
        await gateway.services.close()

    settings = gateway.settings
    router = Router(
        routes=[endpoint.route(gateway) for endpoint in ENDPOINTS],
        redirect_slashes=False,
        lifespan=lifespan,
    )

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        # Inside an application the router raises its 404 and 405, which then become problems.
        if scope["type"] == "http":
            scope["app"] = router
        await router(scope, receive, send)

    app: ASGIApp = AuthenticationMiddleware(routed, authenticator(settings))
    app = OriginMiddleware(app, settings.hosts, settings.origins)
    app = ProblemMiddleware(app)
    app = MetricsMiddleware(app, gateway.metrics)
    return _NoSniff(app)
