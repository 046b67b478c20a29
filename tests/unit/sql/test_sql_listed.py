"""Dialects whose functions are held to a list: ClickHouse and Trino, reached by the rest transport alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.errors import Code, Fault
from tht.sql.guard.judge import judge
from tht.sql.guard.policy import known_functions, policy
from tht.sql.guard.restrictions import Restrictions

OPEN = {
    "clickhouse": Restrictions(default_schema="default"),
    "trino": Restrictions(default_schema="sales", default_catalog="hive"),
}

READS = {
    "clickhouse": [
        "SELECT count(), sumIf(a, b > 1), quantile(0.9)(x), uniqExactOrNull(a) FROM t GROUP BY b",
        "SELECT * FROM numbers(10)",
        "SELECT * FROM t FINAL PREWHERE a = 1 LIMIT 1 BY a",
        "SELECT arrayMap(x -> x + 1, [1, 2]), CAST(1 AS Decimal(10, 2)), 1::Nullable(String)",
        "SELECT t.1, a[1] FROM t",
        "WITH x AS (SELECT 1 AS a) SELECT a FROM x",
        "WITH 1 AS a SELECT a + 1",
        "SELECT a FROM t WHERE a IN (1, 2) AND b GLOBAL IN (SELECT 1) AND c NOT IN ('x')",
        "SELECT toDate('2020-01-01') + INTERVAL 1 DAY, now()",
        "SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t",
        "SELECT * FROM db.t AS x ANY LEFT JOIN y USING (a)",
        "SELECT name FROM system.tables",
        "SELECT 'a\\'b' AS `c d` -- the end",
        "SELECT a FROM t ARRAY JOIN b AS c",
    ],
    "trino": [
        "SELECT count(*) FILTER (WHERE a > 1), approx_distinct(x) FROM a.b.c",
        "SELECT * FROM UNNEST(ARRAY[1]) AS t(a)",
        "WITH x(a) AS (SELECT 1) SELECT a FROM x",
        "SELECT transform(ARRAY[1], x -> x + 1), CAST(1 AS ROW(a INTEGER)), DECIMAL '1.1'",
        "SELECT listagg(x, ',') WITHIN GROUP (ORDER BY x) FROM t",
        "VALUES (1, 2)",
        "SELECT DATE '2020-01-01', x AT TIME ZONE 'UTC' FROM t TABLESAMPLE BERNOULLI (10)",
    ],
}

REFUSED = {
    "clickhouse": [
        # files, network, other servers, other tables behind a name
        "SELECT * FROM url('http://x')",
        "SELECT * FROM file('x')",
        "SELECT file('x')",
        "SELECT `file`('x')",
        "SELECT * FROM t, URL('x')",
        "SELECT * FROM remote('h', 'd', 't')",
        "SELECT * FROM merge('db', 'x')",
        "SELECT * FROM executable('x', TSV, 'a Int8')",
        "SELECT * FROM s3('x')",
        "SELECT * FROM mysql('h', 'd', 't', 'u', 'p')",
        "SELECT * FROM 'x.csv'",
        "SELECT * FROM t, 'x.csv'",
        "SELECT dictGet('d', 'a', 1)",
        "SELECT joinGet('a', 'b', 1)",
        "SELECT hasColumnInTable('a', 'b', 'c')",
        "SELECT 1 IN tt",
        "SELECT 1 IN (tt)",
        "SELECT 1 GLOBAL NOT IN db.tt",
        "SELECT in(1, tt)",
        "SELECT notIn(1, tt)",
        "SELECT getSetting('x')",
        "SELECT mine(1)",
        "SELECT sleep(3)",
        "SELECT * APPLY(mine) FROM t",
        "SELECT * FROM system.query_log",
        "SELECT * FROM system.processes",
        # settings and formats
        "SELECT * FROM t SETTINGS max_execution_time = 0",
        "SELECT * FROM (SELECT 1 SETTINGS readonly = 0)",
        "SELECT 1 FORMAT JSON",
        "SELECT 1 INTO OUTFILE 'x'",
        # signs that the server reads otherwise
        "SELECT 1 // '\n; DROP TABLE t --'",
        "SELECT 1 # '\n+ url('x')",
        "SELECT ‘a’",
        "SELECT “a”",
        "SELECT 3 − 1",
        "SELECT $$a$$",
        'SELECT "a\\"b" FROM t',
        # statements
        "SELECT 1; SELECT 2",
        "INSERT INTO t VALUES (1)",
        "INSERT INTO FUNCTION file('x') SELECT 1",
        "CREATE TABLE x ENGINE = Memory AS SELECT 1",
        "DROP TABLE t",
        "TRUNCATE TABLE t",
        "ALTER TABLE t DELETE WHERE 1",
        "DELETE FROM t WHERE 1",
        "OPTIMIZE TABLE t",
        "SYSTEM SHUTDOWN",
        "KILL QUERY WHERE 1",
        "SET readonly = 0",
        "GRANT SELECT ON *.* TO x",
        "ATTACH TABLE t",
        "DETACH TABLE t",
        "EXCHANGE TABLES a AND b",
        "RENAME TABLE a TO b",
        "BACKUP TABLE t TO Disk('d', 'x')",
        "EXPLAIN SELECT 1",
        "SHOW TABLES",
        "DESCRIBE TABLE t",
        "CHECK TABLE t",
        "USE db",
        "WATCH v",
    ],
    "trino": [
        "SELECT * FROM TABLE(mysql.system.query(query => 'DROP TABLE x'))",
        "SELECT * FROM TABLE(sequence(1, 10))",
        "WITH FUNCTION f(x INTEGER) RETURNS INTEGER RETURN 1 SELECT f(1)",
        "SELECT f(1)",
        "SELECT c.s.f(1)",
        'SELECT "f"(1)',
        "SELECT * FROM system.runtime.queries",
        "SELECT * FROM jmx.current.x",
        "SELECT * FROM information_schema.roles",
        'SELECT * FROM "t$files"',
        "SELECT `a`",
        "SELECT 1; DROP TABLE x",
        "INSERT INTO t VALUES (1)",
        "CREATE TABLE x AS SELECT 1",
        "DELETE FROM t",
        "UPDATE t SET a = 1",
        "MERGE INTO t USING s ON 1 = 1 WHEN MATCHED THEN DELETE",
        "CALL system.runtime.kill_query('x')",
        "EXECUTE IMMEDIATE 'DROP TABLE x'",
        "PREPARE x FROM SELECT 1",
        "EXPLAIN ANALYZE INSERT INTO x SELECT 1",
        "SET SESSION a = 1",
        "START TRANSACTION",
        "GRANT SELECT ON t TO x",
        "ANALYZE t",
        "REFRESH MATERIALIZED VIEW x",
        "SHOW TABLES",
    ],
}


def pairs(cases: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(dialect, text) for dialect, texts in cases.items() for text in texts]


@pytest.mark.parametrize(("dialect", "text"), pairs(READS))
def test_reads_pass(dialect: str, text: str) -> None:
    assert judge(text, dialect, OPEN[dialect]).statement == "select"


@pytest.mark.parametrize(("dialect", "text"), pairs(REFUSED))
def test_all_else_is_refused(dialect: str, text: str) -> None:
    with pytest.raises(Fault) as caught:
        judge(text, dialect, OPEN[dialect])
    assert caught.value.code is Code.REFUSED


@pytest.mark.parametrize("dialect", ["clickhouse", "trino"])
@given(name=st.from_regex(r"[a-z][a-z0-9_]{0,20}", fullmatch=True), wrapped=st.booleans())
def test_a_function_that_is_on_no_list_is_refused(dialect: str, name: str, wrapped: bool) -> None:
    rules = policy(dialect)
    listed = known_functions(dialect) | rules.no_calls | (rules.table_functions or frozenset())
    if name in listed or name.endswith(rules.listed_suffixes or ("\0",)):
        return
    text = f"SELECT abs({name}('x'))" if wrapped else f"SELECT * FROM {name}('x')"
    with pytest.raises(Fault) as caught:
        judge(text, dialect, OPEN[dialect])
    assert caught.value.code is Code.REFUSED


DANGEROUS = (
    "url file s3 remote cluster mysql postgresql mongodb redis jdbc odbc hdfs executable merge "
    "input loop view sleep sleepeachrow joinget dictget getsetting getmacro hascolumnintable "
    "generateserialid zookeeper query evalmlmethod catboostevaluate addresstoline logtrace "
    "throwif in notin globalin getclienthttpheader"
)


@pytest.mark.parametrize("name", DANGEROUS.split())
def test_no_list_holds_what_reaches_out(name: str) -> None:
    assert name not in known_functions("clickhouse")
    assert name == "merge" or name not in known_functions("trino"), "merge() of Trino joins sketches"


RESTRICTED = Restrictions(
    tables=("t",), schemas=("default",), deny_columns=("t.secret",), default_schema="default"
)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM other",
        "SELECT * FROM db.t",
        "WITH 1 AS other SELECT * FROM other",
        "WITH (SELECT 1) AS other SELECT * FROM other",
        "SELECT 1 WHERE a IN other",
        "SELECT secret FROM t",
        "SELECT * FROM t",
        "SELECT COLUMNS('.*') FROM t",
        "SELECT t FROM t",
        "SELECT untuple(t) FROM t",
        "SELECT * FROM system.tables",
        "SELECT * FROM INFORMATION_SCHEMA.COLUMNS",
    ],
)
def test_clickhouse_shows_nothing_beyond_the_allow_list(text: str) -> None:
    with pytest.raises(Fault) as caught:
        judge(text, "clickhouse", RESTRICTED)
    assert caught.value.code is Code.REFUSED


def test_clickhouse_shows_what_is_allowed() -> None:
    for text in ("SELECT a, sumIf(b, 1) FROM t GROUP BY a", "SELECT * EXCEPT (secret) FROM default.t"):
        assert judge(text, "clickhouse", RESTRICTED).tables


def test_trino_reads_no_other_catalog_than_that_of_the_list() -> None:
    rules = Restrictions(schemas=("sales",), default_schema="sales", default_catalog="hive")
    assert judge("SELECT * FROM hive.sales.t, t", "trino", rules).tables
    for text in (
        "SELECT * FROM other.sales.t",
        "SELECT * FROM hr.t",
        "SELECT * FROM information_schema.tables",
    ):
        with pytest.raises(Fault) as caught:
            judge(text, "trino", rules)
        assert caught.value.code is Code.REFUSED
