"""The reading end of a worker's pipe: frames in order, bounded, and one end."""

import asyncio
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.tht_executor.output import MOST_WAITING, WorkerDied, WorkerOutput
from tht.frames import Chunk, Message, encode_chunks, encode_message


class StubTransport:
    """Remembers what was asked of it."""

    def __init__(self) -> None:
        self.paused = False
        self.closed = False

    def pause_reading(self) -> None:
        assert not self.paused
        self.paused = True

    def resume_reading(self) -> None:
        assert self.paused
        self.paused = False

    def close(self) -> None:
        self.closed = True


def connected() -> tuple[WorkerOutput, StubTransport]:
    output, transport = WorkerOutput(), StubTransport()
    output.connection_made(cast(Any, transport))
    return output, transport


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=8), st.integers(1, 40))
def test_frames_come_in_order_however_they_were_cut(contents: list[bytes], step: int) -> None:
    written = b"".join(frame for content in contents for frame in encode_chunks(3, content))

    async def read_all() -> list[Message | Chunk]:
        output, _ = connected()
        for start in range(0, len(written), step):
            output.data_received(written[start : start + step])
        output.connection_lost(None)
        frames = [await output.read() for _ in contents]
        with pytest.raises(WorkerDied):
            await output.read()
        return frames

    assert asyncio.run(read_all()) == [Chunk(3, content) for content in contents]


async def test_a_reader_that_waits_is_woken_by_a_frame_and_by_the_end() -> None:
    output, _ = connected()
    waiting = asyncio.create_task(output.read())
    await asyncio.sleep(0)
    frame = encode_message({"id": 1})
    output.data_received(frame[:3])
    output.data_received(frame[3:])
    assert await waiting == Message(b'{"id":1}')
    waiting = asyncio.create_task(output.read())
    await asyncio.sleep(0)
    output.connection_lost(None)
    with pytest.raises(WorkerDied):
        await waiting


async def test_a_reader_that_gives_up_loses_no_frame() -> None:
    output, _ = connected()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await output.read()
    output.data_received(encode_message({"id": 2}))
    assert await output.read() == Message(b'{"id":2}')


async def test_a_worker_that_is_ahead_of_its_reader_waits() -> None:
    output, transport = connected()
    chunk = next(encode_chunks(1, bytes(MOST_WAITING // 4)))
    given_ = 0
    while not transport.paused:
        output.data_received(chunk)
        given_ += 1
    assert given_ == 5
    taken = 0
    while transport.paused:
        await output.read()
        taken += 1
    assert taken == 3
    assert [await output.read() for _ in range(given_ - taken)]


async def test_one_frame_longer_than_what_may_wait_is_read_whole() -> None:
    output, transport = connected()
    message = encode_message({"id": 1, "ok": "x" * (3 * MOST_WAITING)})
    for start in range(0, len(message), 1 << 18):
        assert not transport.paused
        output.data_received(message[start : start + (1 << 18)])
    assert len(cast(Message, await output.read()).payload) == len(message) - 5
    assert not transport.paused


async def test_what_is_no_frame_is_the_end() -> None:
    output, transport = connected()
    output.data_received(encode_message({"id": 1}))
    output.data_received(b"Traceback (most recent call last)\n")
    assert transport.closed
    assert await output.read() == Message(b'{"id":1}')
    with pytest.raises(WorkerDied):
        await output.read()
