"""Views of kept results on real engines: their order is the one the database itself gives."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.databases.conftest import DIALECTS
from tht import sql
from tht.sql.results.view_request import Condition, SortKey, view_request
from tht.workspaces import Workspace

pytestmark = pytest.mark.databases

CAST = "CAST('{0}' AS {1})"
FORMS = {
    "any": "{0}",
    "text by bytes": "CAST('{0}' AS text) COLLATE \"C\"",
    "char": "'{0}' COLLATE utf8mb4_bin",
}
"""How a value of a kind is written where it is no plain CAST."""
DIGITS = "1.5 10 9 -0.001 0 -9 -10.25 0.0010 123456789012345678901234567890.5"
CLOCKS = "00:00:00 23:59:59.5 23:59:59 12:00:00.000001"
MOMENTS = (
    "2024-02-29T00:00:00 2024-02-29T00:00:00.5 2024-02-29T00:00:00.25 1999-12-31T23:59:59 0001-01-01T00:00:00"
)
IDS = "f0000000-0000-0000-0000-000000000000 0a000000-0000-0000-0000-000000000000"

KINDS: dict[str, dict[str, str]] = {
    "postgres": {
        "numeric": f"{DIGITS} NaN Infinity -Infinity",
        "numeric(12,3)": "1.5 10 9 -0.001 -9 NaN",
        "bigint": "9223372036854775807 -9223372036854775808 9007199254740993 9 10 -9",
        "integer": "9 10 -9",
        "double precision": "0.1 1e300 -1e300 1e-300 -Infinity Infinity NaN",
        "real": "0.1 0.2 16777216 -1.5",
        "boolean": "true false",
        "date": "2024-02-29 infinity -infinity 10000-01-01 0001-01-01",
        "time": f"{CLOCKS} 24:00:00",
        "timetz": "12:00:00+02:00 10:00:00.5+00:00 09:59:59-01:00 00:00:00+15:59",
        "timestamp": f"{MOMENTS} infinity -infinity",
        "timestamptz": "2024-03-31T01:59:59+02:00 2024-03-31T00:00:00+00:00 2024-03-31T00:00:00.5Z -infinity",
        "uuid": IDS,
        "bit varying": "0 1 01 101 0000",
        "bytea": "\\x00 \\xff \\x7f \\x00ff",
        "text by bytes": "a B b A è z aa",
    },
    "mariadb": {
        "decimal(65,30)": DIGITS,
        "unsigned": "18446744073709551615 9 10 9007199254740993",
        "signed": "-9223372036854775808 9 10 -9",
        "double": "0.1 1e300 -1e300 1e-300",
        "date": "2024-02-29 1999-12-31 0001-01-01",
        "time(6)": f"{CLOCKS} -838:59:59 -00:00:01.5 -00:00:01 838:59:59",
        "datetime(6)": MOMENTS,
        "char": "a B b A z aa",
        "binary(2)": "a B b A z",
    },
    "duckdb": {
        "decimal(38,4)": "1.5 10 9 -0.001 0 -9 -10.25",
        "hugeint": f"{2**127 - 1} -{2**127 - 1} 9 10 9007199254740993",
        "ubigint": "18446744073709551615 9 10",
        "double": "0.1 1e300 -1e300 1e-300 Infinity NaN",
        "float": "0.1 0.2 16777216 -1.5",
        "boolean": "true false",
        "date": "2024-02-29 infinity -infinity 10000-01-01 0001-01-01",
        "time": CLOCKS,
        "timestamp": f"{MOMENTS} infinity",
        "timestamp_ns": "2024-02-29T00:00:00.000000001 2024-02-29T00:00:00 1999-12-31T23:59:59",
        "timestamptz": "2024-03-31T01:59:59+02:00 2024-03-31T00:00:00+00:00 2024-03-31T00:00:00.5+00:00",
        "uuid": IDS,
        "bit": "0 1 01 101 0000",
        "blob": "\\x00 \\xff a \\x00a",
        "varchar": "a B b A è z aa",
    },
    "sqlite": {
        "integer": "9 10 -9 9007199254740993",
        "real": "0.1 1e300 -1e300 9e999",
        "text": "a B b A è z aa",
        "blob": "a B b A è z aa",
        "any": "1.5 10 9 'a' 9223372036854775807 9223372036854775806 9.5 -1 'b' '10' x'00' x'ff'",
    },
}
CASES = [(dialect, kind) for dialect in DIALECTS for kind in KINDS[dialect]]


def statement(dialect: str, kind: str) -> str:
    """The values in no order, and NULL among them."""
    values = [FORMS.get(kind, CAST).format(text, kind) for text in KINDS[dialect][kind].split()]
    null = f"NULLIF({values[0]}, {values[0]})"
    selects = [f"SELECT {value} AS v" for value in (values[0], null, *values[1:])]
    return f"SELECT v FROM ({' UNION ALL '.join(selects)}) AS t"


@pytest.mark.parametrize(("dialect", "kind"), CASES)
def test_a_view_has_the_order_of_the_database(
    open_workspace: Callable[[str], Workspace], tmp_path: Path, dialect: str, kind: str
) -> None:
    workspace, text = open_workspace(dialect), statement(dialect, kind)

    def cells(**options: Any) -> list[Any]:
        page = json.loads(sql.preview(workspace, text, home_results=tmp_path, **options))
        return [row[0] for row in page["rows"]]

    ordered = f"{text} ORDER BY v IS NULL, v"
    page = json.loads(sql.preview(workspace, ordered, home_results=tmp_path, draft=True))
    expected = [row[0] for row in page["rows"]]
    assert expected[-1] is None
    assert len({json.dumps(cell) for cell in expected}) == len(KINDS[dialect][kind].split()) + 1
    assert cells(view=view_request([SortKey("c0")], None)) == expected
    numbers = [cell for cell in expected[:-1] if cell != "NaN"]
    last = expected[len(numbers) :]
    assert cells(view=view_request([SortKey("c0", descending=True)], None)) == [*numbers[::-1], *last]
    for index, cell in enumerate(expected[:-1]):
        if kind == "any" and cell not in ("a", "b", "10") and isinstance(cell, str):
            # in a mixed column a string means text, also where it shows a large number or bytes
            continue
        for op, found in (("lt", expected[:index]), ("eq", [cell]), ("ge", expected[index:-1])):
            condition: Any = Condition("c0", op, cell)  # type: ignore[arg-type]
            view = view_request([SortKey("c0")], [condition])
            assert cells(view=view) == found, (op, cell)
