"""The approved SQL's result: pages, and the whole as a file."""

from base64 import b64encode
from collections.abc import AsyncIterator
from functools import partial

import structlog
from starlette.responses import Response

from contracts.errors import Code, Fault
from services.gateway.compression import accepts_gzip, gzipped
from services.gateway.documents import Page
from services.gateway.endpoints import Call, Endpoint, json_response
from services.gateway.result_queries import ExportQuery, PreviewQuery, filter_json, sort_keys
from services.gateway.streaming import Download
from thothii.executor.v1.executor_service_pb2 import (
    ExportHead,
    ExportSqlRequest,
    ExportSqlResponse,
    ExportTail,
    PreviewSqlRequest,
)

SQL_FAULTS = (
    Code.NOT_APPROVED,
    Code.APPROVAL_MISMATCH,
    Code.REFUSED,
    Code.DATABASE_ERROR,
    Code.DATABASE_UNAVAILABLE,
    Code.WORKSPACE_BROKEN,
    Code.RESULT_EXPIRED,
    Code.TOO_LARGE,
    Code.OVER_CAP,
    Code.BUSY,
    Code.CANCELLED,
)

_log = structlog.get_logger(__name__)


async def preview(call: Call) -> Response:
    """A page."""
    query: PreviewQuery = call.query
    services = call.gateway.services
    request = PreviewSqlRequest(
        session_id=call.session_id,
        limit=query.limit,
        offset=query.offset,
        result_id=query.result_id,
        fresh=query.fresh,
        sort=sort_keys(query.sort),
        filter_json=filter_json(query.filter),
    )
    read = partial(
        services.executor.read,
        services.executor_stub.PreviewSql,
        request,
        call.gateway.settings.gateway_query_s,
    )
    if query.fresh:
        answer = await read()
    else:
        answer = await call.gateway.pages.ask(request.SerializeToString(), read)
    return json_response(answer.page_json)


async def export(call: Call) -> Response:
    """The file. What fails before its first bytes is still told as a problem."""
    query: ExportQuery = call.query
    request = ExportSqlRequest(
        session_id=call.session_id,
        format=query.format,
        result_id=query.result_id,
        raw=query.raw,
        csv=query.csv(),
        sort=sort_keys(query.sort),
        filter_json=filter_json(query.filter),
    )
    timeout = call.gateway.settings.gateway_export_s
    first, parts = await call.gateway.services.export(request, timeout)
    if first.WhichOneof("part") != "head":
        raise Fault(Code.INTERNAL, "the export did not begin with its head")
    second = await anext(parts, None)
    if second is None:
        raise Fault(Code.INTERNAL, "the export ended before its first bytes")
    head = first.head
    ending = _Ending()
    pieces = _pieces(call, head, second, parts, ending)
    headers = _told_before(head)
    compressed = False
    # Parquet is compressed already, and readers of Arrow map it as it is.
    if query.format == "csv":
        headers["vary"] = "accept-encoding"
        compressed = accepts_gzip(",".join(call.request.headers.getlist("accept-encoding")))
    if compressed:
        headers["content-encoding"] = "gzip"
        pieces = gzipped(pieces)
    elif head.sha256:
        headers["repr-digest"] = repr_digest(head.sha256)
    return Download(
        pieces,
        head.media_type or "application/octet-stream",
        head.filename,
        headers,
        announced=TOLD_AFTER if compressed else (*TOLD_AFTER, "repr-digest"),
        trailers=lambda: ending.fields(compressed),
    )


TOLD_AFTER = ("x-row-count", "x-sha256")
"""Trailers of every download."""


def _told_before(head: ExportHead) -> dict[str, str]:
    """What is known before the first byte."""
    told = {"x-result-source": "kept" if head.result_id else "fresh-run"}
    if head.result_id:
        told["x-result-id"] = head.result_id
    if head.HasField("row_count"):
        told["x-row-count"] = str(head.row_count)
    if head.sha256:
        told["x-sha256"] = head.sha256
    return told


def repr_digest(sha256: str) -> str:
    """A field of RFC 9530 from hexadecimal digits. It is of the body as it is coded, so that a compressed one
    has another."""
    return f"sha-256=:{b64encode(bytes.fromhex(sha256)).decode()}:"


class _Ending:
    """What the last part of an export told."""

    tail: ExportTail | None = None

    def fields(self, compressed: bool) -> dict[str, str]:
        """The trailers of the download."""
        if self.tail is None:
            raise Fault(Code.INTERNAL, "the export ended without its tail")
        told = {"x-row-count": str(self.tail.row_count), "x-sha256": self.tail.sha256}
        return told if compressed else {**told, "repr-digest": repr_digest(self.tail.sha256)}


async def _pieces(
    call: Call,
    head: ExportHead,
    part: ExportSqlResponse,
    parts: AsyncIterator[ExportSqlResponse],
    ending: _Ending,
) -> AsyncIterator[bytes]:
    # The log says of every download who took what, and whether it was the whole.
    log = _log.bind(session=call.session_id, by=call.author, file=head.filename, result_id=head.result_id)
    following: ExportSqlResponse | None = part
    try:
        while following is not None:
            if following.WhichOneof("part") == "tail":
                ending.tail = following.tail
                log.info("exported", rows=following.tail.row_count, sha256=following.tail.sha256)
                return
            yield following.chunk
            following = await anext(parts, None)
        raise Fault(Code.INTERNAL, "the export ended without its tail")
    except Fault as fault:
        log.warning("export failed", code=fault.code.value, reason=fault.message)
        raise


ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/sessions/{id}/sql/preview",
        name="previewSql",
        summary="A page of the approved SQL's result",
        handle=preview,
        answer=Page,
        query=PreviewQuery,
        faults=SQL_FAULTS,
        stops_with_client=True,
    ),
    Endpoint(
        method="POST",
        path="/sessions/{id}/sql/export",
        name="exportSql",
        summary="The approved SQL's whole result as a file; a body that breaks off means it failed",
        handle=export,
        query=ExportQuery,
        headers={"Accept-Encoding": "With gzip a CSV comes compressed; the other formats never do."},
        media_types=("text/csv", "application/vnd.apache.parquet", "application/vnd.apache.arrow.stream"),
        answer_headers={
            "Content-Disposition": "A name for the file.",
            "Content-Encoding": "gzip when a CSV is compressed.",
            "X-Result-Source": "kept: read from a kept result; fresh-run: the statement ran for this file.",
            "X-Result-Id": "The kept result that the file was read from.",
            "X-Row-Count": "Rows of the file where they are known before it is made; else a trailer.",
            "X-Sha256": "sha256 of the file before compression, in hexadecimal, where the same one was "
            "made before; else a trailer.",
            "Repr-Digest": "The same as RFC 9530 has it; not of a compressed body.",
            "Trailer": "The fields that follow a complete body.",
        },
        faults=SQL_FAULTS,
        stops_with_client=True,
    ),
)
