import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fake_pi.input_lines import LineBuffer, parse_json


@given(
    st.lists(st.text(alphabet=st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]))), st.data()
)
def test_lines_do_not_depend_on_how_the_bytes_arrive(lines: list[str], data: st.DataObject) -> None:
    whole = "".join(f"{line}\n" for line in lines).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)))))
    buffer = LineBuffer()
    found: list[str] = []
    for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        found += buffer.feed(whole[start:end])
    assert found + buffer.feed(b"", final=True) == lines


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"a\r\nb\n", ["a", "b"]),
        ("a\u2028b\u0085c\n".encode(), ["a\u2028b\u0085c"]),
        (b"\n\n", ["", ""]),
        (b"a\xff\xfeb\n", ["a\ufffd\ufffdb"]),
        (b"last without LF", ["last without LF"]),
    ],
)
def test_only_lf_ends_a_line(data: bytes, lines: list[str]) -> None:
    buffer = LineBuffer()
    assert buffer.feed(data) + buffer.feed(b"", final=True) == lines


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Unexpected end of JSON input"),
        ("   ", "Unexpected end of JSON input"),
        ('{"a":', "Unexpected end of JSON input"),
        ("hello", "Unexpected token 'h', \"hello\" is not valid JSON"),
        ("{broken json", "Expected property name or '}' in JSON at position 1 (line 1 column 2)"),
        ('{"text":"unfin', "Unterminated string in JSON at position 14 (line 1 column 15)"),
        ("NaN", "Unexpected token 'N', \"NaN\" is not valid JSON"),
        ("{} x", "Unexpected non-whitespace character after JSON at position 3 (line 1 column 4)"),
    ],
)
def test_what_is_not_json_is_refused_in_the_words_of_node(text: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        parse_json(text)
    assert str(refused.value) == message


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(), st.lists, max_leaves=20
    )
)
def test_json_is_read_as_it_is(value: object) -> None:
    assert parse_json(json.dumps(value)) == value
