"""Counters in the Prometheus text format; few enough to be written by hand."""

from collections import Counter, defaultdict
from time import perf_counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from services.gateway.upstream import Feeds


class Metrics:
    """What the gateway counts of its requests."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.seconds: defaultdict[tuple[str, str], float] = defaultdict(float)

    def text(self, feeds: Feeds) -> str:
        """All counters and gauges in the text format 0.0.4."""
        lines = [
            "# HELP thothii_gateway_requests_total Answered requests.",
            "# TYPE thothii_gateway_requests_total counter",
        ]
        lines += [
            f'thothii_gateway_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
            for (method, route, status), count in sorted(self.requests.items())
        ]
        lines += [
            "# HELP thothii_gateway_request_seconds_total Time spent on answered requests.",
            "# TYPE thothii_gateway_request_seconds_total counter",
        ]
        lines += [
            f'thothii_gateway_request_seconds_total{{method="{method}",route="{route}"}} {seconds:.6f}'
            for (method, route), seconds in sorted(self.seconds.items())
        ]
        lines += _single("thothii_gateway_readers", "gauge", "Open event streams.", feeds.reader_count)
        lines += _single("thothii_gateway_feeds", "gauge", "Shared subscriptions.", feeds.feed_count)
        lines += _single("thothii_gateway_evictions_total", "counter", "Readers cut off.", feeds.evictions)
        return "\n".join(lines) + "\n"


def _single(name: str, kind: str, meaning: str, value: int) -> list[str]:
    return [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}", f"{name} {value}"]


class MetricsMiddleware:
    """Counts every answered request by the template of its route, so that ids make no new series."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = perf_counter()
        status = 0

        async def watching(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, watching)
        finally:
            route = getattr(scope.get("route"), "path", "(none)")
            method = scope["method"] if scope["method"] in _METHODS else "(other)"
            self.metrics.requests[method, route, status] += 1
            self.metrics.seconds[method, route] += perf_counter() - started


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
