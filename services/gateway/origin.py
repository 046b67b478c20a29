"""Which pages may call: a server on loopback is reachable by every page that the operator's browser shows.

Two ways in are closed. A page of another site sends requests here: browsers name its origin in `Origin` (and
`Sec-Fetch-Site`), which must be ours. A page of a name that was re-pointed at this machine (DNS rebinding) is
of our origin to the browser: but its `Host` is not one of ours. Clients that are no browsers send no Origin.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from contracts.errors import Code, Fault

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})


def host_name(host: str) -> str:
    """The name in a Host header, lower case and without port; empty when it is not a host."""
    name, colon, port = host.rpartition(":")
    if not colon or (host.startswith("[") and host.endswith("]")):
        return host.lower()
    return name.lower() if port.isdigit() else ""


def check(headers: Iterable[tuple[bytes, bytes]], hosts: frozenset[str], origins: frozenset[str]) -> None:
    """Raises Fault FORBIDDEN_ORIGIN unless the request is for one of our `hosts` and from a page of ours.

    `origins` are foreign origins that are welcome all the same.
    """
    sent: dict[bytes, list[str]] = {}
    for name, value in headers:
        sent.setdefault(name.lower(), []).append(value.decode("latin-1").strip())
    host = sent.get(b"host", [])
    if len(host) != 1 or host_name(host[0]) not in hosts:
        raise Fault(
            Code.FORBIDDEN_ORIGIN,
            "the gateway does not answer for this host; call it as localhost or 127.0.0.1",
        )
    refusal = Fault(Code.FORBIDDEN_ORIGIN, "a page of another origin may not call the gateway")
    if origin := sent.get(b"origin"):
        named = origin[0].lower()
        if len(origin) != 1 or not (named in origins or _is_at(named, host[0].lower())):
            raise refusal
    elif sent.get(b"sec-fetch-site", ["none"])[0] in {"cross-site", "same-site"}:
        # Without Origin a browser sends only simple reads; following a link to a page of ours is one.
        following = sent.get(b"sec-fetch-mode", [""])[0] == "navigate"
        if not following:
            raise refusal


def _is_at(origin: str, host: str) -> bool:
    """True when `origin` is a web origin at `host`; one that cannot be read is at none."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and parts.netloc == host


class OriginMiddleware:
    """Refuses requests for foreign hosts and from foreign pages."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], origins: frozenset[str]) -> None:
        self.app = app
        self.hosts = LOOPBACK | hosts
        self.origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            check(scope["headers"], self.hosts, self.origins)
        await self.app(scope, receive, send)
