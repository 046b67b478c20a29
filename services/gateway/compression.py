"""Compressed bodies for clients that ask for them (RFC 9110, 12.5.3)."""

import asyncio
import zlib
from collections.abc import AsyncIterator

LEVEL = 1
"""Of 1 to 9. A database gives rows faster than higher levels take them, for a few percent of the size."""
_GZIP_FORMAT = 31
"""zlib's `wbits` for the largest window in a gzip member."""


def accepts_gzip(accept_encoding: str) -> bool:
    """True when an Accept-Encoding header allows gzip and does not prefer the plain body."""
    weights = dict(_weighted(item) for item in accept_encoding.lower().split(","))
    gzip = weights.get("gzip", weights.get("x-gzip", weights.get("*", 0.0)))
    return gzip > 0 and gzip >= weights.get("identity", 0.0)


def _weighted(item: str) -> tuple[str, float]:
    name, *parameters = (part.strip() for part in item.split(";"))
    weight = next((part.partition("=")[2] for part in parameters if part.startswith("q=")), "1")
    try:
        return name, float(weight)
    except ValueError:
        return name, 0.0


async def gzipped(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The pieces as one gzip member, compressed outside the event loop. Where they fail it has no end."""
    compressor = zlib.compressobj(LEVEL, zlib.DEFLATED, _GZIP_FORMAT)
    async for piece in pieces:
        if packed := await asyncio.to_thread(compressor.compress, piece):
            yield packed
    yield compressor.flush()
