"""What of a database's message is passed on: never a value of a row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tht.sql.messages import safe_line

VALUES = st.text(alphabet="aZ9'\"`\n .,é", min_size=1, max_size=30).map(lambda text: f"<<{text}>>")
PREFIXES = ["invalid input syntax for type integer: ", "Truncated incorrect DOUBLE value: ", "role "]
ENDINGS = ["", " does not exist", " for function str_to_date", " of relation '\"customers\"'"]


@given(VALUES, st.sampled_from("'\""), st.sampled_from(PREFIXES), st.sampled_from(ENDINGS))
def test_a_value_in_quotes_is_left_out_with_all_that_it_holds(
    value: str, mark: str, prefix: str, ending: str
) -> None:
    message = f"{prefix}{mark}{value}{mark}{ending}"
    for line in (safe_line(message, True), safe_line(message, False, "SELECT pg_has_role(name, 'x')")):
        assert line.startswith(f"{prefix}'...'")
        assert "<<" not in line
        assert ">>" not in line
        assert "\n" not in line


def test_a_value_that_the_server_cut_short_is_left_out() -> None:
    assert safe_line("Incorrect integer value: 'Ada Lov", True) == "Incorrect integer value: '...'"


@pytest.mark.parametrize(
    ("message", "sql"),
    [
        ('relation "public.nothing" does not exist', "SELECT * FROM Public.Nothing"),
        ('column "o.status" must appear in the GROUP BY clause', "SELECT o.status, count(*) FROM orders o"),
        ('syntax error at or near "x"', "SELECT 1 2 x"),
        ("division by zero", "SELECT 1/0"),
    ],
)
def test_names_of_the_statement_are_told(message: str, sql: str) -> None:
    assert safe_line(message, False, sql) == message
