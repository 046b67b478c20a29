"""DuckDB's own parser, asked without a database."""

import duckdb

from tht.sql.messages import database_error, safe_line


def reads_only(sql: str) -> bool:
    """True when DuckDB reads `sql` as exactly one SELECT, EXPLAIN, or PIVOT (which it expands to several).

    Raises Fault DATABASE_ERROR, with what DuckDB says of it, when it cannot read the text.
    """
    try:
        found = duckdb.extract_statements(sql)
    except duckdb.Error as error:
        raise database_error(safe_line(str(error), redact=False)) from error
    kinds = duckdb.StatementType
    return len(found) == 1 and found[0].type in (kinds.SELECT, kinds.EXPLAIN, kinds.MULTI)
