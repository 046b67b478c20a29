"""The allow list of syntax: which kinds of nodes a read may be made of."""

from sqlglot import exp

from tht.sql.guard.lexer import refused

ROOTS = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values, exp.Pivot, exp.Paren)
"""What a statement may be as a whole."""

_STRUCTURE = (
    "Alias Aliases AtIndex AtTimeZone CTE CharacterSet ColumnConstraint ColumnDef ColumnPrefix "
    "Comprehension Cube DataType DataTypeParam DefaultColumnConstraint Distinct Except Fetch Filter "
    "Final ForIn FormatJson From FromTimeZone Group GroupingSets Having HavingMax Hint HistoricalData "
    "Identifier IgnoreNulls IndexTableHint Intersect Interval IntervalSpan Introducer JSON "
    "JSONColumnDef JSONExtractQuote JSONKeyValue JSONPath JSONPathFilter JSONPathKey JSONPathPart "
    "JSONPathRecursive JSONPathRoot JSONPathScript JSONPathSelector JSONPathSlice JSONPathSubscript "
    "JSONPathUnion JSONPathWildcard JSONSchema JSONValue Join JoinHint Lambda Lateral Limit "
    "LimitOptions MatchRecognize MatchRecognizeMeasure National Nearest NotNullColumnConstraint "
    "ObjectIdentifier Offset OnCondition OpenJSONColumnDef Order Ordered OverflowTruncateBehavior "
    "Partition PathColumnConstraint Pivot PivotAlias PivotAny PositionalColumn PreWhere ProjectionDef "
    "PseudoType Qualify QueryOption RecursiveWithSearch RespectNulls Rollup Schema ScopeResolution "
    "Select SetOperation Slice Sort Star Subquery TableAlias TableColumn TableFromRows TableSample "
    "Table Tuple Union UnpivotColumns UsingData Values Var Variadic Version Where WindowSpec With "
    "WithFill WithOperator WithinGroup WithTableHint XMLKeyValueOption XMLNamespace "
)
_ALLOWED = tuple(getattr(exp, name) for name in _STRUCTURE.split() if hasattr(exp, name))
_OF_DIALECT: dict[str, tuple[type, ...]] = {"duckdb": (exp.Describe, exp.Show, exp.Summarize)}
"""What one dialect reads from as from a table: `FROM (SUMMARIZE t)`."""

_REASONS: dict[type, str] = {
    exp.Command: "this statement is not understood",
    exp.Into: "SELECT INTO writes",
    exp.Lock: "a read that takes row locks is not allowed",
    exp.Insert: "INSERT writes",
    exp.Update: "UPDATE writes",
    exp.Delete: "DELETE writes",
    exp.Merge: "MERGE writes",
    exp.Create: "CREATE changes the database",
    exp.Drop: "DROP changes the database",
    exp.Alter: "ALTER changes the database",
    exp.TruncateTable: "TRUNCATE changes the database",
    exp.Set: "SET changes settings",
    exp.Copy: "COPY reads or writes files",
    exp.Attach: "ATTACH opens another database",
    exp.Transaction: "transactions are not for statements to open or close",
    exp.Commit: "transactions are not for statements to open or close",
    exp.Rollback: "transactions are not for statements to open or close",
}


def check_nodes(tree: exp.Expr, dialect: str) -> None:
    """Raises Fault REFUSED when the root or any node of `tree` is not of a kind that reads."""
    if not isinstance(tree, ROOTS) or (isinstance(tree, exp.Pivot) and dialect != "duckdb"):
        raise refused(f"{_reason(tree)}; only queries are allowed")
    allowed = (exp.Condition, *_ALLOWED, *_OF_DIALECT.get(dialect, ()))
    for node in tree.walk():
        if isinstance(node, exp.Into | exp.Lock) or not isinstance(node, allowed):
            raise refused(_reason(node))


def _reason(node: exp.Expr) -> str:
    found = next((reason for kind, reason in _REASONS.items() if isinstance(node, kind)), None)
    return found or f"{type(node).__name__} is no part of a query"
