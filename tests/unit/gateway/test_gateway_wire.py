"""Batches read by hand are what protobuf reads, whoever wrote them."""

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from services.gateway.wire import Batch, WireBatch, decode_batch
from thothii.events.v1.events_pb2 import EventBatch
from thothii.orchestrator.v1.orchestrator_service_pb2 import SubscribeResponse

EVENTS = st.lists(st.tuples(st.integers(0, 200), st.binary(max_size=300)), max_size=140)


def seen(batch: Batch) -> tuple[str, int, list[int], list[bytes]]:
    return batch.epoch, batch.first_seq, list(batch.kinds), list(batch.json)


def message(epoch: str, first_seq: int, events: list[tuple[int, bytes]]) -> bytes:
    kinds, payloads = [kind for kind, _ in events], [payload for _, payload in events]
    batch = EventBatch(epoch=epoch, first_seq=first_seq, kinds=kinds, json=payloads)  # type: ignore[arg-type]
    return SubscribeResponse(batch=batch).SerializeToString()


@given(st.text(max_size=20), st.integers(0, 2**64 - 1), EVENTS)
def test_what_protobuf_wrote_is_read_as_protobuf_reads_it(
    epoch: str, first_seq: int, events: list[tuple[int, bytes]]
) -> None:
    written = message(epoch, first_seq, events)
    assert seen(decode_batch(written)) == seen(SubscribeResponse.FromString(written).batch)


@given(st.binary(max_size=60), st.integers(0, 60), st.binary(max_size=4))
def test_any_bytes_are_read_or_refused_as_protobuf_does(noise: bytes, at: int, patch: bytes) -> None:
    written = message("epoch", 7, [(4, b'{"a":1}'), (5, b"{}")])
    for wire in (noise, written[:at] + patch + written[at + len(patch) :], written[:at]):
        try:
            expected = seen(SubscribeResponse.FromString(wire).batch)
        except DecodeError:
            with pytest.raises(DecodeError):
                decode_batch(wire)
        else:
            assert seen(decode_batch(wire)) == expected


def test_a_batch_of_the_orchestrator_is_read_by_hand() -> None:
    for size in (1, 127, 128, 16_384, 3_000_000):
        batch = decode_batch(message("e", 1, [(4, b"x" * size)]))
        assert isinstance(batch, WireBatch) and batch.json == [b"x" * size]


@pytest.mark.parametrize(
    "wire",
    [
        # Kinds one by one instead of packed, a field of a later version, the batch in two halves.
        b"\x0a\x04\x18\x04\x18\x05",
        b"\x0a\x02\x50\x01",
        b"\x0a\x03\x0a\x01e\x0a\x02\x10\x07",
        b"",
    ],
)
def test_other_ways_to_write_a_batch_are_left_to_protobuf(wire: bytes) -> None:
    assert seen(decode_batch(wire)) == seen(SubscribeResponse.FromString(wire).batch)
