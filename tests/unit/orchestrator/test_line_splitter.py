"""Framing: bytes, LF only, a cap with resynchronisation."""

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from services.orchestrator.line_splitter import LineProblem, LineSplitter, Problem, lines_of


def split(data: bytes, cuts: list[int], cap: int = 1 << 20) -> list[bytes | LineProblem]:
    splitter = LineSplitter(cap)
    edges = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    blocks: list[bytes | LineProblem] = []
    for start, stop in pairwise(edges):
        blocks += splitter.feed(data[start:stop])
    found: list[bytes | LineProblem] = []
    for block in blocks + splitter.finish():
        found += lines_of(block) if isinstance(block, bytes) else [block]
    return found


def reference(data: bytes, cap: int) -> list[bytes | LineProblem]:
    """The rule in its plainest form."""
    *lines, rest = data.split(b"\n")
    found: list[bytes | LineProblem] = []
    for line in lines:
        if len(line) > cap:
            found.append(LineProblem(Problem.OVERSIZED, len(line)))
        elif line.strip(b" \t\r\v\f"):
            found.append(line)
    if len(rest) > cap:
        found.append(LineProblem(Problem.OVERSIZED, len(rest)))
    elif rest:
        found.append(LineProblem(Problem.TRUNCATED, len(rest)))
    return found


@given(
    st.lists(st.sampled_from([b"\n", b"a", b"\r", b" ", "\u2028".encode(), b"\x85", b"x" * 9, b'{"a":1}'])),
    st.lists(st.integers(min_value=0, max_value=200)),
    st.integers(min_value=1, max_value=12),
)
def test_every_way_of_cutting_the_stream_gives_the_same_lines(
    pieces: list[bytes], cuts: list[int], cap: int
) -> None:
    data = b"".join(pieces)
    assert split(data, cuts, cap) == reference(data, cap)


@given(st.lists(st.dictionaries(st.text(), st.text())), st.lists(st.integers(0, 5000)))
def test_any_json_survives_any_chunking(objects: list[dict[str, str]], cuts: list[int]) -> None:
    data = b"".join(json.dumps(each, ensure_ascii=False).encode() + b"\n" for each in objects)
    lines = split(data, cuts)
    assert [json.loads(line) for line in lines if isinstance(line, bytes)] == objects


def test_a28_long_line_is_delivered_and_one_above_the_cap_is_skipped_and_told() -> None:
    big = b"x" * (5 * 1024 * 1024)
    over = b"y" * (6 * 1024 * 1024)
    lines = split(big + b"\n" + over + b"\nnext\n", list(range(0, 11 << 20, 256 * 1024)), cap=5 * 1024 * 1024)
    assert lines == [big, LineProblem(Problem.OVERSIZED, len(over)), b"next"]


def test_a29_unicode_separators_do_not_cut_a_line() -> None:
    line = '{"t":"a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg"}'.encode()
    assert split(line + b"\n", [9, 11, 14]) == [line]


def test_a30_a_last_line_without_its_end_is_told_and_not_parsed() -> None:
    assert split(b'{"a":1}\r\n\n  \n{"b":2}\n{"c":', [3]) == [
        b'{"a":1}\r',
        b'{"b":2}',
        LineProblem(Problem.TRUNCATED, 5),
    ]


def test_a_skipped_line_is_not_kept_in_memory() -> None:
    splitter = LineSplitter(1000)
    for _ in range(100):
        assert splitter.feed(b"z" * 900) == []
    assert not splitter._pieces
    assert splitter.feed(b"\nok\n") == [LineProblem(Problem.OVERSIZED, 90_000), b"ok"]
