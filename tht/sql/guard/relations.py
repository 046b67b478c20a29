"""Which tables and views a query names, its CTEs told apart from them."""

from dataclasses import dataclass

from sqlglot import exp

from tht.sql.guard.policy import Policy


@dataclass(frozen=True, slots=True)
class Relation:
    """A table or view as a statement names it, folded as the engine folds names."""

    name: str
    schema: str = ""
    """Empty when the statement gives none."""
    catalog: str = ""

    def __str__(self) -> str:
        return ".".join(part for part in (self.catalog, self.schema, self.name) if part)


def folded(identifier: exp.Expr | None, rules: Policy) -> str:
    """The name of `identifier` as the engine compares it."""
    if identifier is None:
        return ""
    quoted = bool(identifier.args.get("quoted"))
    if rules.fold or (rules.fold_unquoted and not quoted):
        return identifier.name.lower()
    return identifier.name


def relations(tree: exp.Expr, rules: Policy) -> dict[int, Relation]:
    """The relation of every table node, by `id(node)`; references to CTEs and table functions are left out.

    Where it is not certain that a CTE is meant, the name counts as a table: that can refuse too much, never
    too little.
    """
    found: dict[int, Relation] = {}
    for table in tree.find_all(exp.Table):
        if not isinstance(table.this, exp.Identifier | exp.Parameter):
            continue
        relation = Relation(
            name=folded(table.this, rules),
            schema=folded(table.args.get("db"), rules),
            catalog=folded(table.args.get("catalog"), rules),
        )
        if relation.schema or not _is_cte(table, relation.name, rules):
            found[id(table)] = relation
    return found


def _is_cte(table: exp.Expr, name: str, rules: Policy) -> bool:
    """True when a WITH that encloses `table` defines `name` before it (or around it, when recursive)."""
    inside: exp.Expr | None = None
    node: exp.Expr | None = table
    while node is not None:
        if isinstance(node, exp.CTE):
            inside = node
        clause = node.args.get("with_")
        if isinstance(clause, exp.With) and not _of_this_clause(table, clause, node):
            if any(_defines(cte, name, rules) for cte in clause.expressions):
                return True
        elif isinstance(clause, exp.With):
            for cte in clause.expressions:
                if cte is inside:
                    if clause.args.get("recursive") and _defines(cte, name, rules):
                        return True
                    break
                if _defines(cte, name, rules):
                    return True
        node = node.parent
    return False


def _of_this_clause(table: exp.Expr, clause: exp.With, owner: exp.Expr) -> bool:
    """True when `table` stands inside one of the CTEs of `clause`."""
    node: exp.Expr | None = table
    while node is not None and node is not owner:
        if node is clause:
            return True
        node = node.parent
    return False


def _defines(cte: exp.Expr, name: str, rules: Policy) -> bool:
    alias = cte.args.get("alias")
    return alias is not None and folded(alias.this, rules) == name
