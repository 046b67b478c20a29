"""Connections that can be cut: a client that never reads would otherwise keep its socket for ever."""

from collections.abc import Callable
from typing import Any, cast

from starlette.types import Scope
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_CUT = "thothii.cut"


class CuttableProtocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol; its requests carry a way to drop their connection and what waits in it."""

    def on_message_begin(self) -> None:
        """Put the way into the scope, as an ASGI extension."""
        super().on_message_begin()
        cast(Any, self.scope)["extensions"] = {_CUT: self.transport.abort}


def cut(scope: Scope) -> None:
    """Drop the connection of `scope` at once; does nothing under another server."""
    abort: Callable[[], None] | None = scope.get("extensions", {}).get(_CUT)
    if abort is not None:
        abort()
