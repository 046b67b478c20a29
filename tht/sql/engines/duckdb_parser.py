"""DuckDB's own parser, asked without a database."""

import duckdb


def reads_only(sql: str) -> bool:
    """True when DuckDB reads `sql` as exactly one SELECT, EXPLAIN, or PIVOT (which it expands to several)."""
    try:
        found = duckdb.extract_statements(sql)
    except duckdb.Error:
        return False
    kinds = duckdb.StatementType
    return len(found) == 1 and found[0].type in (kinds.SELECT, kinds.EXPLAIN, kinds.MULTI)
