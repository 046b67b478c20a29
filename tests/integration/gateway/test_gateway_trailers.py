"""What a download tells of itself, before its bytes and behind them, byte by byte on a real connection."""

import asyncio
import gzip
import hashlib
from base64 import b64encode
from urllib.parse import urlsplit

import httpx
import pytest

from tests.integration.gateway.fakes import FakeServices
from tests.integration.gateway.running import RunningGateway
from thothii.executor.v1.executor_service_pb2 import ExportHead

EXPORT = "/sessions/s1/sql/export"


class Answer:
    """One answer as it came: head, body without its chunks, trailers; `whole` when it had its end."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.status = ""
        self.body = b""
        self.trailers: dict[str, str] = {}
        self.whole = False


async def connect(gateway: RunningGateway) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    address = urlsplit(gateway.url)
    return await asyncio.open_connection(address.hostname, address.port)


async def ask(writer: asyncio.StreamWriter, path: str = EXPORT, version: str = "1.1", **headers: str) -> None:
    lines = [f"POST {path} HTTP/{version}", "Host: localhost", "Content-Length: 0"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    await writer.drain()


async def fields(reader: asyncio.StreamReader) -> dict[str, str]:
    found: dict[str, str] = {}
    while (line := (await reader.readuntil(b"\r\n")).decode().rstrip("\r\n")) != "":
        name, _, value = line.partition(":")
        assert name == name.lower() and name not in found
        found[name] = value.strip()
    return found


async def take(reader: asyncio.StreamReader) -> Answer:
    """The next answer of the connection (RFC 9112, 7.1)."""
    answer = Answer()
    answer.status = (await reader.readuntil(b"\r\n")).decode().strip()
    answer.headers = await fields(reader)
    try:
        if answer.headers.get("transfer-encoding") != "chunked":
            answer.body = await reader.readexactly(int(answer.headers["content-length"]))
        else:
            while size := int(await reader.readuntil(b"\r\n"), 16):
                answer.body += await reader.readexactly(size)
                assert await reader.readexactly(2) == b"\r\n"
            answer.trailers = await fields(reader)
        answer.whole = True
    except asyncio.IncompleteReadError:
        answer.whole = False
    return answer


async def test_row_count_and_digest_follow_a_complete_body(
    gateway: RunningGateway, services: FakeServices
) -> None:
    services.add_session()
    reader, writer = await connect(gateway)
    whole = b"".join(services.executor.chunks)
    digest = hashlib.sha256(whole)
    for _ in range(2):
        # the connection goes on behind the trailers
        await ask(writer)
        answer = await take(reader)
        assert (answer.whole, answer.body) == (True, whole)
        assert answer.headers["trailer"] == "x-row-count, x-sha256, repr-digest"
        assert answer.trailers == {
            "x-row-count": "2",
            "x-sha256": digest.hexdigest(),
            "repr-digest": f"sha-256=:{b64encode(digest.digest()).decode()}:",
        }
        assert "x-row-count" not in answer.headers
    await ask(writer, "/sessions/s1/sql/preview")
    assert (await take(reader)).status == "HTTP/1.1 200 OK"
    writer.close()


async def test_requests_that_wait_behind_each_other_get_their_own_trailers(
    gateway: RunningGateway, services: FakeServices
) -> None:
    services.add_session()
    reader, writer = await connect(gateway)
    for _ in range(3):
        await ask(writer)
    for _ in range(3):
        answer = await take(reader)
        assert (answer.whole, answer.trailers["x-row-count"]) == (True, "2")
    writer.close()


async def test_the_digest_of_a_compressed_body_is_that_of_the_file(
    gateway: RunningGateway, services: FakeServices
) -> None:
    services.add_session()
    services.executor.told_before = ExportHead(sha256="a" * 64)
    reader, writer = await connect(gateway)
    await ask(writer, accept_encoding="gzip")
    answer = await take(reader)
    writer.close()
    assert answer.headers["trailer"] == "x-row-count, x-sha256"
    assert answer.trailers["x-sha256"] == hashlib.sha256(gzip.decompress(answer.body)).hexdigest()
    assert "repr-digest" not in {**answer.trailers, **answer.headers}


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
async def test_c27_a_body_that_breaks_off_has_neither_end_nor_trailers(
    gateway: RunningGateway, services: FakeServices, encoding: str
) -> None:
    """C-27: nothing behind a short body says that it is whole."""
    services.add_session()
    services.executor.break_after = 1
    reader, writer = await connect(gateway)
    await ask(writer, accept_encoding=encoding)
    answer = await take(reader)
    writer.close()
    assert answer.status == "HTTP/1.1 200 OK"
    assert (answer.whole, answer.trailers) == (False, {})


async def test_a_client_before_trailers_gets_none(gateway: RunningGateway, services: FakeServices) -> None:
    services.add_session()
    reader, writer = await connect(gateway)
    await ask(writer, version="1.0")
    got = await reader.read()
    writer.close()
    assert b"".join(services.executor.chunks)[-10:] in got
    assert b"x-row-count" not in got


async def test_c27_a_body_that_ends_with_its_connection_is_reset_when_it_breaks_off(
    gateway: RunningGateway, services: FakeServices
) -> None:
    """C-27: before HTTP/1.1 an orderly end is all that tells a whole file from a short one."""
    services.add_session()
    services.executor.break_after = 1
    reader, writer = await connect(gateway)
    await ask(writer, version="1.0")
    with pytest.raises(ConnectionResetError):
        await reader.read()
    writer.close()


async def test_what_is_known_before_stands_in_the_head(
    client: httpx.AsyncClient, services: FakeServices
) -> None:
    services.add_session()
    plain = {"accept-encoding": "identity"}
    whole = hashlib.sha256(b"".join(services.executor.chunks))
    services.executor.told_before = ExportHead(row_count=2, sha256=whole.hexdigest())
    told = (await client.post(EXPORT, headers=plain)).headers
    assert (told["x-result-source"], told["x-result-id"], told["x-row-count"]) == ("kept", "r1", "2")
    assert told["x-sha256"] == whole.hexdigest()
    assert told["repr-digest"] == f"sha-256=:{b64encode(whole.digest()).decode()}:"
    services.executor.told_before = ExportHead(row_count=0)
    told = (await client.post(EXPORT, headers=plain)).headers
    assert told["x-row-count"] == "0"
    assert "x-sha256" not in told
    assert "repr-digest" not in told


@pytest.mark.parametrize(
    ("filename", "plain", "encoded"),
    [
        ("flights-1a2b.csv", "flights-1a2b.csv", "flights-1a2b.csv"),
        ('a"b\\c/d%e\r\n.csv', "a_b_c_d_e__.csv", "a%22b%5Cc%2Fd%25e%0D%0A.csv"),
        ("però 航.csv", "per_ _.csv", "per%C3%B2%20%E8%88%AA.csv"),
    ],
)
async def test_the_name_of_the_file_is_safe_in_a_header(
    client: httpx.AsyncClient, services: FakeServices, filename: str, plain: str, encoded: str
) -> None:
    """RFC 6266, appendix D: quotes, backslashes, percent signs and separators of paths confuse readers."""
    services.add_session()
    services.executor.filename = filename
    told = (await client.post(EXPORT)).headers["content-disposition"]
    assert told == f"attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}"
