"""Runs of text deltas: the same items as from records read one by one, whatever stands between them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.orchestrator.bridge import SessionBridge
from services.orchestrator.items import Item, Text
from services.orchestrator.text_runs import TextEnd, TextRuns, escaped

USAGE = {"input": 1, "cost": {"total": 0}}


def delta(text: str, **more: Any) -> bytes:
    """A record as Pi 1.6.0 writes it."""
    event = {"type": "text_delta", "contentIndex": 0, "delta": text}
    record = {"type": "message_update", "usage": USAGE, "assistantMessageEvent": event, **more}
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode(errors="surrogatepass")


BEFORE = delta("")[:-3]
OTHERS = [
    b'{"type":"agent_start"}',
    b'{"type":"message_start","message":{"role":"assistant"}}',
    b'{"type":"message_end","message":{"role":"assistant","content":[]}}',
    b"",
    b"   ",
    b"not JSON",
    delta("more", other=1),
    delta("other usage").replace(b'"input":1', b'"input":2'),
    delta("x").replace(b'"text_delta"', b'"thinking_delta"'),
    delta("carriage return") + b"\r",
    BEFORE,
    BEFORE[:-1] + b'"}}',
    BEFORE + b"}}",
    BEFORE + b'a\\"}}',
    BEFORE + b'\\u00"}}',
    BEFORE + b'41"}}',
    BEFORE + b'\\ud83d"}}',
    BEFORE + b'\\ude00"}}',
    BEFORE + b'\\x"}}',
    BEFORE + b'a","delta":"b"}}',
    BEFORE + b'a"}},"b":{"c":{"d":"e"}}',
    BEFORE + b'raw \x01 control"}}',
    BEFORE + b'no UTF-8 \xff"}}',
]
LINES = st.one_of(st.text(max_size=8).map(lambda text: delta(text)), st.sampled_from(OTHERS))


def joined(items: list[Item]) -> list[Any]:
    """The items with the parts of a text joined."""
    return [
        (item.message_id, json.loads(b'"' + b"".join(item.parts) + b'"')) if isinstance(item, Text) else item
        for item in items
    ]


@given(st.lists(LINES, max_size=12))
def test_a_block_says_what_its_lines_say_one_by_one(lines: list[bytes]) -> None:
    lines = [line.replace(b"\n", b"\\n") for line in lines]
    taught, plain = SessionBridge(1), SessionBridge(1)
    first = delta("first")
    in_runs = taught.read([first, b"\n".join(lines)])
    one_by_one: list[Item] = plain.read([b'{"type":"agent_start"}', first])[1:]
    for line in lines:
        # What was learnt is forgotten, so that every record is parsed.
        plain._runs = TextRuns()
        if line.strip():
            one_by_one += plain.read([line])
    merged: list[Any] = []
    for item in joined(one_by_one):
        if isinstance(item, tuple) and merged and isinstance(merged[-1], tuple) and merged[-1][0] == item[0]:
            merged[-1] = (item[0], merged[-1][1] + item[1])
        else:
            merged.append(item)
    assert joined(in_runs) == merged
    assert taught.current_message() == plain.current_message()


def test_a_run_is_taken_whole_once_its_form_was_seen() -> None:
    runs = TextRuns()
    texts = ["ab", "", 'say "x"', "line\nbreak", "\u2028 Ünï 😀"]
    block = b"\n".join(map(delta, texts))
    assert runs.take(block, 0) == (None, 0)
    runs.learn(delta("ab"), b"ab")
    run, end = runs.take(block, 0)
    assert run is not None and run[1] == "".join(texts) and bytes(run[0]) == escaped("".join(texts))
    assert end == len(block) + 1


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"x"},"o":{"delta":"x"}}',
        b'{"type":"message_update","assistantMessageEvent":{"type":"text_delta","d\\u0065lta":"x"},"o":{"delta":"x"}}',
        b'{"type":"message_update","assistantMessageEvent":{"delta":"x","type":"text_delta"}}',
        b'{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta": "x"}}',
        b'{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"x"}}  ',
        b'{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":""}}',
    ],
)
def test_a_record_that_could_be_misread_teaches_nothing(line: bytes) -> None:
    runs = TextRuns()
    runs.learn(line, b"" if b'""' in line else b"x")
    assert runs.take(line, 0) == (None, 0)


@given(st.lists(st.text(max_size=300), max_size=40), st.integers(1, 500))
def test_the_end_of_a_text_is_its_last_characters_and_not_much_more_is_held(
    pieces: list[str], kept: int
) -> None:
    end = TextEnd(kept)
    for piece in pieces:
        end.add(piece)
    assert str(end) == "".join(pieces)[-kept:]
    assert len(end) <= kept + 300 * len(pieces)


def test_many_short_pieces_are_few_objects_and_the_old_ones_go() -> None:
    end = TextEnd(10_000)
    for number in range(100_000):
        end.add("x" if number % 2 else "yz")
    assert len(end._older) + len(end._recent) < 400 and len(end) < 11_000
