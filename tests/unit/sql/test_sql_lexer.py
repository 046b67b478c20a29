"""The lexer loses nothing and reads quotes and comments as each engine does."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import Fault
from tht.sql.guard.lexer import scan, statements
from tht.sql.guard.lexicons import LEXICONS

DIALECTS = sorted(LEXICONS)
NO_SPACES = "\x01\x08\x0e\x1c\x1f\x7f\x85\u1680\u2028\u2029"
"""Signs that Python or another database takes for a space, letters to DuckDB."""
SPACES_BEYOND_ASCII = "\u00a0\u2000\u202f\u205f\u3000"
FRAGMENTS = st.sampled_from(
    [
        "'",
        '"',
        "`",
        "[",
        "]",
        "--",
        "-- ",
        "/*",
        "*/",
        "#",
        ";",
        "\n",
        "\r",
        " ",
        "$",
        "$a$",
        "\\",
        "a",
        "1",
        "E",
        "U&",
        "x",
        "(",
        "!",
        "M!",
    ]
)
TEXTS = st.one_of(st.text(max_size=40), st.lists(FRAGMENTS, max_size=20).map("".join))


@given(st.sampled_from(DIALECTS), TEXTS)
def test_pieces_are_the_text(dialect: str, sql: str) -> None:
    try:
        pieces = scan(sql, dialect)
    except Fault as fault:
        assert fault.message
    else:
        assert "".join(piece.text for piece in pieces) == sql


@given(st.sampled_from(DIALECTS), st.text(alphabet=st.characters(exclude_characters="\0\\"), max_size=30))
def test_a_quoted_string_is_one_piece_with_its_value(dialect: str, value: str) -> None:
    quoted = "'" + value.replace("'", "''") + "'"
    pieces = scan(f"SELECT {quoted}", dialect)
    assert pieces[-1].kind == "string"
    assert pieces[-1].value.replace("''", "'") == value.replace("''", "'")
    assert len(statements(pieces)) == 1


@pytest.mark.parametrize(
    ("dialect", "sql", "count"),
    [
        ("postgres", "SELECT $a$;$a$; SELECT 2", 2),
        ("postgres", "SELECT /* /* ; */ ; */ 1", 1),
        ("sqlite", "SELECT /* /* */ 1; SELECT 2 -- */", 2),
        ("sqlite", "SELECT [a;b]; SELECT `;`", 2),
        ("mariadb", "SELECT 'a\\';' ; SELECT \"\\\";\"", 2),
        ("mariadb", "SELECT 1--1; SELECT 2", 2),
        ("duckdb", "SELECT E'\\';' ; SELECT $$;$$", 2),
        ("postgres", "SELECT '\\'; SELECT 2", 2),
        ("postgres", "SELECT E'a'\n'\\'' ; SELECT 2", 2),
        ("postgres", "SELECT E'a' -- '\r\n-- '\n '\\'; b'", 1),
        ("postgres", "SELECT E'a' /* c */\n'\\'; SELECT 2", 2),
        ("postgres", "SELECT $\u00e9$ ' $\u00e9$; SELECT ' '", 2),
        ("postgres", "SELECT 1 AS \U0001f600, 2 AS e\u0301; SELECT 2", 2),
        ("duckdb", "SELECT E'a'\n'\\'; SELECT 2", 2),
        ("mariadb", "SELECT 1 --\x7f ' ; SELECT 2\n ; SELECT 3", 2),
    ],
)
def test_c01_statements_are_counted_by_the_engines_rules(dialect: str, sql: str, count: int) -> None:
    assert len(statements(scan(sql, dialect))) == count


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        (r'U&"pg\005Fread"', "pg_read"),
        ("u&\"d!0061t!+000061\" UESCAPE '!'", "data"),
        (r"U&'a\\b'", r"a\b"),
    ],
)
def test_unicode_escapes_are_read(sql: str, value: str) -> None:
    assert scan(sql, "postgres")[0].value == value


@pytest.mark.parametrize("sql", ["'a", '"a', "/* a", "$a$ b", r'U&"\zz"', "a\0b", r'U&"\0000"'])
def test_what_has_no_end_is_refused(sql: str) -> None:
    with pytest.raises(Fault):
        scan(sql, "postgres")


@pytest.mark.parametrize(
    ("dialect", "sql", "word"),
    [
        ("mariadb", "SELECT \\NINTO OUTFILE '/x'", "INTO"),
        ("mariadb", "SELECT \\NFOR UPDATE", "FOR"),
        *(("mariadb", f"SELECT 7 {sign}-- '\n3, sleep(9) -- '", "sleep") for sign in "+-*/%^&|<>=!~"),
        ("mariadb", "SELECT --/*--\n'*/ f", "f"),
        ("mariadb", "SELECT 7 %--\x01'\n3, sleep(9) --\x7f'", "sleep"),
        *(
            (dialect, f"SELECT $\U0001f600{more}$ ' $\U0001f600{more}$, f(1), $$ ' $$", "f")
            for dialect in ("postgres", "duckdb")
            for more in ("", "1", "\u0301", "\u0661")
        ),
        ("postgres", "SELECT 1 AS \u0661$a$, f(1) AS b$a$", "f"),
        ("postgres", "SELECT 1\u0661$a$, f(1) AS b$a$", "f"),
        ("duckdb", "SELECT 1 AS `'`, f(1) AS `'`", "f"),
        ("duckdb", "SELECT 1 AS `a``'`, f(1) AS `--`, 2", "f"),
        ("duckdb", "SELECT 1 AS `--`, f(1)", "f"),
    ],
)
def test_a_word_outside_of_quotes_and_comments_is_seen(dialect: str, sql: str, word: str) -> None:
    assert word in [piece.text for piece in scan(sql, dialect) if piece.kind == "word"]


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        *(("mariadb", f"SELECT sleep {number}(9)") for number in ("1.e", ".5E", "0.0e+", "12.5e-")),
        *(
            ("sqlite", f"SELECT {name}('), f(1), $b(')")
            for name in ("$a", "@a", ":a", "#a", "$a::b", "$1", "<@a")
        ),
        *(("duckdb", f"SELECT 1 AS a{sign}$$, f(1) AS b$$") for sign in NO_SPACES),
        *(("duckdb", f"/* ' */ SELECT 1 AS a{sign}$$, f(1) AS b$$") for sign in SPACES_BEYOND_ASCII),
        *(("duckdb", f"SELECT f{sign}(1)") for sign in "\u200b\u2060\ufeff"),
        *(("clickhouse", f"SELECT * FROM system{sign}.users") for sign in "\u180e\u200b\u200d\u2060\ufeff"),
        *(
            ("postgres", f"SELECT U&{text} UESCAPE '!'{gap}'' (1)")
            for text in ("'!0061'", '"!0061"')
            for gap in ("\n", "\r", " -- c\n \n")
        ),
        *(
            (dialect, f"SELECT {number}$$, f(1) AS b$$")
            for dialect in ("postgres", "duckdb")
            for number in ("1_0", "0x1", "0XfF", "0x_1", "1.5_0", ".5_0", "1_0e5", "1_0.5")
        ),
        ("duckdb", "SELECT 1 +`a' FROM t -- `, f(1), '"),
        ("duckdb", "SELECT $\u00a0$ ' $\u00a0$, f(1), ' '"),
        ("duckdb", "SELECT $\u200b$ ' $\u200b$, f(1), ' '"),
    ],
)
def test_what_hides_a_parenthesis_or_a_quote_is_refused(dialect: str, sql: str) -> None:
    with pytest.raises(Fault):
        scan(sql, dialect)


@pytest.mark.parametrize(
    ("dialect", "before", "text", "after"),
    [
        ("sqlite", "*", "+", ""),
        ("mariadb", "", "+`", ""),
        ("mariadb", "", "''", ""),
        ("mariadb", "'", "\\a", "'"),
        ("mariadb", "", "-", "1"),
        ("postgres", "", "--\n", ""),
        ("postgres", "", "U&''", ""),
        ("duckdb", "", "/*", "*/"),
        ("duckdb", "/*" * 200_000, "*/", ""),
    ],
)
def test_time_grows_with_the_text_and_not_with_its_square(
    dialect: str, before: str, text: str, after: str
) -> None:
    began = time.process_time()
    try:
        scan(before + text * (400_000 // len(text)) + after, dialect)
    except Fault as fault:
        assert fault.message
    assert time.process_time() - began < 4
