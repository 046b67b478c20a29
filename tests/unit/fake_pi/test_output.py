import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_pi.output import BrokenOutput, Output, encode_record


@given(st.dictionaries(st.text(), st.text() | st.integers(-(2**53), 2**53) | st.none() | st.booleans()))
def test_a_record_is_one_line_that_reads_back(record: dict[str, object]) -> None:
    data = encode_record(record)
    assert b"\n" not in data
    assert json.loads(data) == record


def test_separators_are_written_raw_and_lone_surrogates_escaped() -> None:
    assert encode_record({"a": "\u2028\u0085é😀"}) == '{"a":"\u2028\u0085é😀"}'.encode()
    assert encode_record({"a": "x\ud800y"}) == b'{"a":"x\\ud800y"}'


def test_a_reader_that_is_gone_is_noticed() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with pytest.raises(BrokenOutput):
        Output(writer).record({"type": "agent_start"})
    os.close(writer)
