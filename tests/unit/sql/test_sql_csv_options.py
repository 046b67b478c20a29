"""CSV as spreadsheets want it: whatever the options, readers get back every value and tell NULL apart."""

import csv
import io
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import Code, Fault
from tests.unit.sql.view_results import kept
from tht.sql.files.csv_text import CsvOptions, CsvWriter, csv_options

EXCEL: dict[str, Any] = {"delimiter": ";", "decimal_comma": True, "bom": True, "null": "NULL"}
ROWS = kept(
    ("integer", [1, -20, None], pa.int64()),
    ("decimal", ["1.50", "-0.05", None], pa.string()),
    ("float", [0.1, 1e300, None], pa.float64()),
    ("text", ["però; così", 'a "b"\r\nc', None], pa.string()),
    ("text", ["00123", "", "NULL"], pa.string()),
    ("bigint", ["1234567890123456", "9007199254740993", None], pa.string()),
    ("boolean", [True, False, None], pa.bool_()),
    ("date", ["2024-02-29", "0001-01-01", None], pa.string()),
)


def written(options: CsvOptions, result: Any = ROWS) -> bytes:
    writer = CsvWriter(options)
    batches = result.read(0, result.rows)
    return b"".join([writer.header(["n", "d", "f", "t", "z", "b", "o", "day"]), *map(writer.lines, batches)])


def test_c26_a_file_for_excel_reads_back_with_csv() -> None:
    data = written(csv_options(EXCEL, raw=True))
    assert data.startswith(b"\xef\xbb\xbfn;d;")
    assert data.count(b"\r\n") == 5
    rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=";"))
    assert rows[1] == [
        "1", "1,50", "0,1", "però; così", "00123", "1234567890123456", "true", "2024-02-29",
    ]  # fmt: skip
    assert rows[2][1:5] == ["-0,05", "1e+300", 'a "b"\r\nc', ""]
    assert rows[3] == ["NULL"] * 8


def test_c26_a_file_for_excel_reads_back_with_duckdb(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(written(csv_options(EXCEL, raw=True)))
    with duckdb.connect() as connection:
        rows = connection.execute(
            "SELECT * FROM read_csv(?, delim = ';', quote = '\"', escape = '\"', header = true, "
            "decimal_separator = ',', nullstr = 'NULL', allow_quoted_nulls = false, columns = {'n': 'INT', "
            "'d': 'DECIMAL(9,2)', 'f': 'DOUBLE', 't': 'VARCHAR', 'z': 'VARCHAR', 'b': 'BIGINT', 'o': 'BOOL', "
            "'day': 'DATE'})",
            [str(path)],
        ).fetchall()
    assert [str(value) for value in rows[0]] == [
        "1", "1.50", "0.1", "però; così", "00123", "1234567890123456", "True", "2024-02-29",
    ]  # fmt: skip
    assert rows[1][3:6] == ('a "b"\r\nc', "", 9007199254740993)
    assert rows[2] == (None, None, None, None, "NULL", None, None, None)


@given(
    delimiter=st.sampled_from([*",;\t|:.-+ex10tT\u00e9\u3001"]),
    null=st.sampled_from(["", "NULL", "\\N", "0", "1", "true", "-", ".", "1.5", "2024-02-29", "a b"]),
    decimal_comma=st.booleans(),
    crlf=st.booleans(),
    header=st.booleans(),
    bom=st.booleans(),
)
def test_every_delimiter_and_null_token_keeps_fields_and_null_apart(
    delimiter: str, null: str, **flags: bool
) -> None:
    try:
        options = csv_options({"delimiter": delimiter, "null": null, **flags}, raw=True)
    except Fault as fault:
        assert fault.code is Code.INVALID_ARGUMENT
        return
    result = kept(
        ("integer", [0, 1, None], pa.int64()),
        ("decimal", ["1.5", "-0.1", None], pa.string()),
        ("float", [1e300, 1.5, None], pa.float64()),
        ("boolean", [True, False, None], pa.bool_()),
        ("date", ["2024-02-29", "2024-03-01", None], pa.string()),
        ("uuid", ["0" * 8, "1", None], pa.string()),
        ("text", ["", null, None], pa.string()),
        ("timestamp", ["2024-02-29T00:00:00", "1", None], pa.string()),
    )
    data = written(options, result).decode("utf-8-sig" if flags["bom"] else "utf-8")
    rows = _fields(data, delimiter, options.newline)[int(flags["header"]) :]
    point = "," if flags["decimal_comma"] else "."
    assert [[text for text, _ in row] for row in rows[:2]] == [
        ["0", f"1{point}5", "1e+300", "true", "2024-02-29", "0" * 8, "", "2024-02-29T00:00:00"],
        ["1", f"-0{point}1", f"1{point}5", "false", "2024-03-01", "1", null, "1"],
    ]
    assert rows[2] == [(null, False)] * 8
    for row in rows[:2]:
        assert all(quoted for text, quoted in row if text == null), "a value that reads as NULL"


def _fields(text: str, delimiter: str, newline: str) -> list[list[tuple[str, bool]]]:
    """The fields of a file (RFC 4180) and whether each was quoted, which no reader of Python's tells."""
    rows: list[list[tuple[str, bool]]] = [[]]
    at = 0
    while at < len(text):
        quoted = text[at] == '"'
        field, at = (_quoted if quoted else _bare)(text, at, delimiter, newline)
        rows[-1].append((field, quoted))
        if text.startswith(newline, at):
            rows.append([])
            at += len(newline)
        else:
            assert text[at] == delimiter
            at += 1
            if text.startswith(newline, at):
                rows[-1].append(("", False))
                rows.append([])
                at += len(newline)
    return rows[:-1]


def _quoted(text: str, at: int, _: str, __: str) -> tuple[str, int]:
    end = at + 1
    while text[end] != '"' or text[end : end + 2] == '""':
        end += 2 if text[end] == '"' else 1
    return text[at + 1 : end].replace('""', '"'), end + 1


def _bare(text: str, at: int, delimiter: str, newline: str) -> tuple[str, int]:
    end = min(place for mark in (delimiter, newline) if (place := text.find(mark, at)) >= 0)
    return text[at:end], end


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ""},
        {"delimiter": ";;"},
        {"delimiter": '"'},
        {"delimiter": "\n"},
        {"delimiter": " "},
        {"null": "a,b"},
        {"null": '"'},
        {"null": "x" * 21},
        {"decimal_comma": True},
        {"bom": 1},
        {"quote": "'"},
    ],
)
def test_options_that_would_make_a_broken_file_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(Fault) as caught:
        csv_options(options, raw=True)
    assert caught.value.code is Code.INVALID_ARGUMENT
