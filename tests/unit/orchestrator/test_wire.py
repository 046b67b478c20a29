"""Batches written by hand are what protobuf writes."""

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from services.orchestrator.events import EventKind
from services.orchestrator.hub import Batch
from services.orchestrator.wire import encode_batch
from thothii.orchestrator.v1.orchestrator_service_pb2 import SubscribeResponse

EVENTS = st.lists(st.tuples(st.sampled_from(EventKind), st.binary(max_size=300)), max_size=140)


@given(st.text(max_size=20), st.integers(0, 2**64 - 1), EVENTS)
def test_a_batch_is_byte_for_byte_what_protobuf_makes_of_it(
    epoch: str, first_seq: int, events: list[tuple[EventKind, bytes]]
) -> None:
    kinds, payloads = [kind for kind, _ in events], [payload for _, payload in events]
    message = SubscribeResponse()
    message.batch.epoch = epoch
    message.batch.first_seq = first_seq
    cast(Any, message.batch.kinds).extend(kinds)
    message.batch.json.extend(payloads)
    message.batch.SetInParent()
    assert encode_batch(epoch, Batch(first_seq, kinds, payloads)) == message.SerializeToString()


def test_long_payloads_have_their_length_before_them() -> None:
    payloads = [b"x" * size for size in (127, 128, 16_383, 16_384, 3_000_000)]
    encoded = encode_batch("e", Batch(1, [EventKind.INFO] * len(payloads), payloads))
    assert list(SubscribeResponse.FromString(encoded).batch.json) == payloads
