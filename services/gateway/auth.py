"""Who calls. One authenticator is asked for every request; which one is a matter of the settings."""

from typing import Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from services.gateway.config import GatewaySettings

AUTHOR = "thothii.author"
"""Key of the scope under which the author of the request stands."""

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""Paths that a supervisor asks without being anybody."""


class Authenticator(Protocol):
    """Knows who sent a request."""

    async def author(self, scope: Scope) -> str:
        """A stable name for whoever sent it. Raises Fault UNAUTHENTICATED when that is not known."""
        ...


class NoAuthentication:
    """Everybody is the developer at this machine."""

    async def author(self, scope: Scope) -> str:
        """Always dev@local."""
        del scope
        return "dev@local"


def authenticator(settings: GatewaySettings) -> Authenticator:
    """The authenticator that `settings` names."""
    modes: dict[str, type[Authenticator]] = {"none": NoAuthentication}
    return modes[settings.gateway_auth]()


class AuthenticationMiddleware:
    """Puts the author of each request into its scope."""

    def __init__(self, app: ASGIApp, authenticator: Authenticator) -> None:
        self.app = app
        self.authenticator = authenticator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in OPEN_PATHS:
            scope[AUTHOR] = await self.authenticator.author(scope)
        await self.app(scope, receive, send)
