"""The application: routes, and around them what every request passes."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from starlette.routing import Match, Route, Router
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


class _ByEnding:
    """Routes by the last segment of their path: a request is held against the few that end as it does."""

    def __init__(self, routes: list[Route]) -> None:
        endings = {_ending(route.path) for route in routes}
        # The order decides between routes that fit, so it stays.
        self._routes = {
            ending: [route for route in routes if _ending(route.path) in (ending, _ANY)] for ending in endings
        }

    def those(self, path: str) -> list[Route]:
        """The routes that may fit `path`, in their order."""
        return self._routes.get(_ending(path)) or self._routes.get(_ANY, [])


_ANY = "{}"


def _ending(path: str) -> str:
    last = path[path.rfind("/") + 1 :]
    return _ANY if last.startswith("{") else last


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
    routes = [endpoint.route(gateway) for endpoint in ENDPOINTS]
    router = Router(routes=routes, redirect_slashes=False, lifespan=lifespan)
    of_path = _ByEnding(routes)

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            # Inside an application the router raises its 404 and 405, which then become problems.
            scope["app"] = scope["router"] = router
            for route in of_path.those(scope["path"]):
                match, found = route.matches(scope)
                if match is Match.FULL:
                    scope.update(found, route=route)
                    await route.handle(scope, receive, send)
                    return
        await router(scope, receive, send)

    app: ASGIApp = AuthenticationMiddleware(routed, authenticator(settings))
    app = OriginMiddleware(app, settings.hosts, settings.origins)
    app = ProblemMiddleware(app)
    app = MetricsMiddleware(app, gateway.metrics)
    return _NoSniff(app)
