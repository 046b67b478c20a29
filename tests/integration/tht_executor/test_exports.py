"""Exports over real gRPC with real workers."""

import csv
import hashlib
import io
from typing import Any

import grpc
import pytest

from contracts.errors import Code
from services.runtime.faults import fault_of
from tests.integration.tht_executor.running import Executor
from thothii.executor.v1 import executor_service_pb2 as pb


async def exported(executor: Executor, **request: Any) -> tuple[pb.ExportHead, bytes, pb.ExportTail]:
    """Head, content and tail of an export."""
    head, content, tail = pb.ExportHead(), b"", pb.ExportTail()
    async for part in executor.stub.ExportSql(pb.ExportSqlRequest(**request)):
        which = part.WhichOneof("part")
        if which == "head":
            head = part.head
        elif which == "tail":
            tail = part.tail
        else:
            content += part.chunk
    return head, content, tail


async def approved(executor: Executor, *final_sql: str) -> str:
    """A session whose SQL is approved."""
    session = await executor.new_session()
    await executor.approve_all(session, *final_sql)
    return session


async def test_a_csv_is_written_as_it_was_asked_for(executor: Executor) -> None:
    session = await approved(
        executor, "SELECT name, price + 0.5 AS price, NULL AS n FROM fruit WHERE price > 2 ORDER BY price"
    )
    options = pb.CsvOptions(delimiter=";", decimal_comma=True, bom=True, null_text="-", crlf=False)
    _, content, tail = await exported(executor, session_id=session, format="csv", csv=options)
    assert content == "\ufeffname;price;n\nplum;3,5;-\nfig;5,5;-\n".encode()
    assert tail.row_count == 2
    plain = (await exported(executor, session_id=session, format="csv", csv=pb.CsvOptions(header=False)))[1]
    assert list(csv.reader(io.StringIO(plain.decode()))) == [["plum", "3.5", ""], ["fig", "5.5", ""]]


@pytest.mark.parametrize("format_", ["parquet", "arrow"])
async def test_the_options_of_csv_are_for_no_other_format(executor: Executor, format_: str) -> None:
    session = await approved(executor)
    with pytest.raises(grpc.RpcError) as caught:
        await exported(executor, session_id=session, format=format_, csv=pb.CsvOptions(bom=True))
    assert fault_of(caught.value).code is Code.INVALID_ARGUMENT
    head, content, _ = await exported(executor, session_id=session, format=format_, csv=pb.CsvOptions())
    assert head.filename.endswith(format_)
    assert content


async def test_an_export_is_the_whole_result_with_its_digest(executor: Executor) -> None:
    head, content, tail = await exported(executor, session_id=await approved(executor), format="csv")
    assert head.media_type.startswith("text/csv")
    assert list(csv.reader(io.StringIO(content.decode()))) == [
        ["name", "price"], ["fig", "5"], ["plum", "3"], ["apple", "2"],
    ]  # fmt: skip
    assert tail.row_count == 3
    assert tail.sha256 == hashlib.sha256(content).hexdigest()
