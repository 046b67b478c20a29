"""A grammar of writes hidden in reads: what the guard must refuse and no engine may carry out.

A write is a statement, or a call inside an expression that has an effect. It is put into reads, which are put
into reads, and dressed: other cases, comments and line ends between words, quoted and qualified names.
"""

from hypothesis import strategies as st

DIALECTS = ("sqlite", "duckdb", "postgres", "mariadb")

_COMMON = [
    "DELETE FROM orders",
    "DELETE FROM orders WHERE id = 1 RETURNING id",
    "INSERT INTO orders (id) VALUES (99)",
    "INSERT INTO orders (id) SELECT 98",
    "UPDATE orders SET note = 'x'",
    "UPDATE orders SET note = 'x' WHERE id IN (SELECT id FROM orders)",
    "DROP TABLE orders",
    "CREATE TABLE made (a INTEGER)",
    "CREATE TABLE made AS SELECT 1 AS a",
    "CREATE VIEW made AS SELECT 1 AS a",
    "CREATE INDEX made ON orders (note)",
    "ALTER TABLE orders ADD COLUMN a INTEGER",
    "ANALYZE",
]
STATEMENTS: dict[str, list[str]] = {
    "sqlite": [
        *_COMMON,
        "REPLACE INTO orders (id) VALUES (1)",
        "INSERT OR REPLACE INTO orders (id) VALUES (1)",
        "ATTACH 'made.db' AS made",
        "VACUUM INTO 'made.db'",
        "PRAGMA user_version = 7",
        "PRAGMA journal_mode = WAL",
        "REINDEX",
    ],
    "duckdb": [
        *_COMMON,
        "INSERT OR REPLACE INTO orders (id) VALUES (1)",
        "COPY orders TO 'made.csv'",
        "EXPORT DATABASE 'made'",
        "ATTACH 'made.db' AS made",
        "SET memory_limit = '1GB'",
        "CALL force_checkpoint()",
        "MERGE INTO orders USING (SELECT 1 AS i) s ON id = s.i WHEN MATCHED THEN DELETE",
    ],
    "postgres": [
        *_COMMON,
        "TRUNCATE orders",
        "COPY orders TO '/tmp/made.csv'",
        "COPY orders TO PROGRAM 'cat'",
        "MERGE INTO orders USING (SELECT 1 AS i) s ON id = s.i WHEN MATCHED THEN DELETE",
        "CALL do_touch()",
        "GRANT ALL ON orders TO PUBLIC",
        "LOCK TABLE orders",
        "SET ROLE postgres",
        "SELECT * INTO made FROM orders",
        "SELECT * FROM orders FOR UPDATE",
        "REFRESH MATERIALIZED VIEW mv_totals",
        "COMMENT ON TABLE orders IS 'x'",
    ],
    "mariadb": [
        *_COMMON,
        "TRUNCATE orders",
        "REPLACE INTO orders (id) VALUES (1)",
        "RENAME TABLE orders TO made",
        "GRANT ALL ON cases.* TO nobody",
        "LOCK TABLES orders WRITE",
        "SET GLOBAL general_log = 1",
        "SET STATEMENT max_statement_time = 0 FOR SELECT 1",
        "SELECT * FROM orders FOR UPDATE",
        "SELECT 1 INTO @a",
        "HANDLER orders OPEN",
        "DROP SEQUENCE order_seq",
    ],
}

_GAPS = ["", " ", "\n", "/**/", "/* ' */"]
CALLS: dict[str, list[str]] = {
    "sqlite": [
        "load_extension('made')",
        "fts3_tokenizer('simple', x'00')",
        "writefile('made', 'x')",
        "edit('x')",
    ],
    "duckdb": ["nextval('order_seq')", "write_log('x')", "read_text('made')", "getenv('HOME')"],
    "postgres": [
        "nextval('order_seq')",
        "setval('order_seq', 1)",
        "lo_create(0)",
        "lo_unlink(4242)",
        "pg_advisory_lock(1)",
        "pg_notify('x', 'y')",
        "set_config('work_mem', '1GB', false)",
        "pg_terminate_backend(0)",
        "pg_read_file('/etc/passwd')",
        "query_to_xml('DELETE FROM orders', true, true, '')",
        "pg_switch_wal()",
    ],
    "mariadb": [
        "NEXTVAL(order_seq)",
        "SETVAL(order_seq, 1)",
        "GET_LOCK('x', 0)",
        "LOAD_FILE('/etc/passwd')",
        "SLEEP(0)",
        "BENCHMARK(1, 1)",
        "RELEASE_ALL_LOCKS()",
    ],
}
"""Calls with an effect or a way out, none of which a read may hold."""

AROUND_STATEMENTS = [
    "{w}",
    "({w})",
    "WITH a AS ({w}) SELECT * FROM a",
    "WITH a AS (SELECT 1), b AS ({w}) SELECT 1",
    "WITH RECURSIVE a AS (SELECT 1 UNION ALL {w}) SELECT 1",
    "SELECT * FROM ({w}) q",
    "SELECT * FROM orders o JOIN ({w}) q ON true",
    "SELECT ({w})",
    "SELECT coalesce(({w}), 1)",
    "SELECT 1 WHERE EXISTS ({w})",
    "SELECT id FROM orders WHERE id IN ({w})",
    "SELECT 1 UNION ALL {w}",
    "{w} UNION ALL SELECT 1",
    "SELECT 1; {w}",
    "{w}; SELECT 1",
    "SELECT ';' ; {w}",
    "SELECT 1 -- x\n; {w}",
    "EXPLAIN ANALYZE {w}",
    "EXPLAIN {w}",
    "ANALYZE {w}",
    "DESCRIBE {w}",
    "SELECT 1 AS a) AS q; {w}; --",
    "SELECT 'a'' ; ' ; {w}",
    'SELECT "a;" ; {w}',
    "SELECT $$ ; $$; {w}",
    "/*! {w} */",
    "/*!50000 {w} */",
    "/*M! {w} */",
    "SELECT 1 /*! ; {w} */",
    "BEGIN; {w}; COMMIT",
    "COMMIT; {w}",
    "PREPARE p AS {w}",
    "PREPARE p FROM '{w}'",
    "EXECUTE IMMEDIATE '{w}'",
    "DO $$ BEGIN {w}; END $$",
    "BEGIN NOT ATOMIC {w}; END",
    "CREATE TABLE made AS WITH a AS ({w}) SELECT 1",
    "COPY ({w}) TO 'x'",
    "VALUES (({w}))",
    "SELECT CASE WHEN true THEN ({w}) END",
    "SELECT 1 ORDER BY ({w})",
    "SELECT 1 LIMIT ({w})",
    "DECLARE c CURSOR FOR {w}",
    "FROM ({w})",
    "PIVOT ({w}) ON id USING count(*)",
]
AROUND_CALLS = [
    "SELECT {e}",
    "SELECT {e} AS a FROM orders",
    "SELECT id FROM orders WHERE {e} IS NOT NULL",
    "SELECT id FROM orders WHERE id = 1 OR {e} = 1",
    "SELECT id FROM orders WHERE id IN (SELECT {e})",
    "SELECT id FROM orders WHERE EXISTS (SELECT {e})",
    "SELECT count(*) FROM orders GROUP BY {e}",
    "SELECT count(*) FROM orders HAVING count({e}) > 0",
    "SELECT id FROM orders ORDER BY {e}",
    "SELECT sum(id) OVER (ORDER BY {e}) FROM orders",
    "SELECT o.id FROM orders o JOIN orders p ON {e} IS NULL",
    "SELECT CASE WHEN id = 1 THEN {e} ELSE NULL END FROM orders",
    "SELECT CASE {e} WHEN 1 THEN 2 END",
    "SELECT coalesce(NULL, {e})",
    "SELECT abs(length({e}))",
    "SELECT CAST({e} AS CHAR(10))",
    "SELECT ({e})",
    "SELECT -({e})",
    "SELECT (SELECT (SELECT {e}))",
    "SELECT 1 UNION SELECT {e}",
    "SELECT 1 EXCEPT SELECT {e}",
    "VALUES (1), ({e})",
    "WITH a AS (SELECT {e} AS v) SELECT v FROM a",
    "WITH a AS (SELECT 1 AS v), b AS (SELECT {e} AS w FROM a) SELECT 1",
    "WITH RECURSIVE a (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a WHERE n < {e}) SELECT n FROM a",
    "SELECT * FROM (SELECT {e} AS a) q",
    "EXPLAIN SELECT {e}",
    "SELECT max(id) FROM orders WHERE note LIKE {e}",
    "SELECT id BETWEEN {e} AND 2 FROM orders",
]
_SPACES = st.sampled_from([" ", "\n", "\t", "/* a */", "/* ' */", "/* ; */", "-- b\n", "-- ' \n", "  \r\n"])
_ENDS = st.sampled_from(["", ";", "\n", " -- end", ";\n", " /* end */"])
_CASES = st.sampled_from([str, str.lower, str.upper, str.swapcase])


@st.composite
def hidden_statements(draw: st.DrawFn, dialect: str) -> str:
    """A writing statement in up to three reads."""
    write = draw(_CASES)(draw(st.sampled_from(STATEMENTS[dialect]))).replace(" ", draw(_SPACES))
    text = "{w}"
    for _ in range(draw(st.integers(1, 3))):
        text = draw(st.sampled_from(AROUND_STATEMENTS)).replace("{w}", text)
    return draw(_SPACES) + text.replace("{w}", write) + draw(_ENDS)


@st.composite
def hidden_calls(draw: st.DrawFn, dialect: str) -> str:
    """A call with an effect in an expression of a read, which may stand in another."""
    call = draw(st.sampled_from(CALLS[dialect]))
    name, _, rest = call.partition("(")
    text = _named(draw, dialect, draw(_CASES)(name)) + draw(st.sampled_from(_GAPS)) + "(" + rest
    read = draw(st.sampled_from(AROUND_CALLS))
    if draw(st.booleans()):
        read = draw(st.sampled_from(AROUND_CALLS)).replace("{e}", f"({read})")
    return draw(_SPACES) + read.replace(" ", draw(_SPACES)).replace("{e}", text) + draw(_ENDS)


def _named(draw: st.DrawFn, dialect: str, name: str) -> str:
    """The name as it is, quoted, or with its schema."""
    lower = name.lower()
    ways = [name]
    if dialect == "postgres":
        ways += [f'"{lower}"', f"pg_catalog.{name}", f'"pg_catalog"."{lower}"', f'pg_catalog."{lower}"']
    if dialect == "duckdb":
        ways += [f'"{lower}"', f"main.{name}", f'system.main."{lower}"']
    if dialect == "sqlite":
        ways += [f'"{lower}"', f"[{lower}]", f"`{lower}`"]
    return draw(st.sampled_from(ways))
