"""The workspace's allow list, enforced on the names that a statement resolves to."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from sqlglot import exp

from contracts.errors import Fault
from tht.sql.guard.lexer import refused
from tht.sql.guard.policy import Policy
from tht.sql.guard.relations import Relation, folded

ViewDefinition = Callable[[Relation], str | None]
"""Gives the SELECT behind a view, None for a table. Raises Fault when it cannot be known."""


KnownColumns = Callable[[Relation], Sequence[str] | None]
"""Gives the columns of a table or view, None when they are not known."""


@dataclass(frozen=True, slots=True)
class Restrictions:
    """What of a database may be read. Patterns as in a shell, compared without case.

    Without `schemas` every schema but the engine's own may be read; when nothing at all is restricted, those
    may be read too.
    """

    schemas: tuple[str, ...] | None = None
    tables: tuple[str, ...] = ("*",)
    deny_columns: tuple[str, ...] = ()
    default_schema: str = ""
    """Where names without a schema are looked up, when the dialect's policy cannot say it."""
    default_catalog: str = ""
    """The catalog of names without one, for a dialect with catalogs: with a list no other is read."""
    view_definition: ViewDefinition | None = field(default=None, compare=False)
    known_columns: KnownColumns | None = field(default=None, compare=False)

    @property
    def restricted(self) -> bool:
        """False when everything may be read."""
        return self.schemas is not None or self.tables != ("*",) or bool(self.deny_columns)

    def check(
        self, tree: exp.Expr, found: Mapping[int, Relation], rules: Policy, known: frozenset[str]
    ) -> None:
        """Raises Fault REFUSED when `tree` reads, or may read, what is not allowed."""
        if not self.restricted:
            return
        if tree.find(exp.Describe, exp.Show, exp.Summarize):
            raise refused("DESCRIBE, SHOW and SUMMARIZE are understood as statements of their own only")
        self.check_tables(found.values(), rules)
        _check_functions(tree, rules, known)
        if self.deny_columns:
            _ColumnCheck(self, tree, found, rules).run()
            for relation in dict.fromkeys(found.values()):
                self._check_view(relation, rules, known)

    def check_tables(self, found: Iterable[Relation], rules: Policy) -> None:
        """Raises Fault REFUSED for the first table that is not on the list."""
        if self.restricted:
            for relation in found:
                if not self.may_read(relation, rules):
                    raise refused(f"the workspace does not allow table {relation}", table=str(relation))

    def check_whole_table(self, relation: Relation) -> None:
        """Raises Fault REFUSED when `relation` has a denied column and all its columns are asked for."""
        if self.denied(relation):
            raise refused(f"{relation} has columns that the workspace denies; name the others one by one")

    def denied(self, relation: Relation) -> tuple[str, ...]:
        """The patterns of the columns of `relation` that may not be read."""
        patterns = tuple(
            column
            for owner, column in map(_split, self.deny_columns)
            if _matches(owner, relation, self._home(relation))
        )
        columns = self.known_columns(relation) if patterns and self.known_columns else None
        if columns is None:
            return patterns
        names = [column.lower() for column in columns]
        return tuple(pattern for pattern in patterns if any(fnmatchcase(name, pattern) for name in names))

    def denies(self, relation: Relation, column: str) -> bool:
        """True when `column` of `relation` may not be read."""
        return any(fnmatchcase(column.lower(), pattern) for pattern in self.denied(relation))

    def may_read(self, relation: Relation, rules: Policy) -> bool:
        """True when `relation` is on the list (and, with a list, not one of the engine's own)."""
        schema, name = relation.schema.lower(), relation.name.lower()
        if self.default_catalog and relation.catalog.lower() not in ("", self.default_catalog.lower()):
            return False
        schemas = None if self.schemas is None else tuple(pattern.lower() for pattern in self.schemas)
        own = schema in rules.catalog_schemas or (
            not schema and name.startswith(rules.catalog_prefixes or ("\0",))
        )
        if own:
            implied = schema or next((s for s in ("pg_catalog",) if s in rules.catalog_schemas), schema)
            return schemas is not None and implied in schemas
        home = self._home(relation) or (rules.default_schema,)
        if schemas is not None and not all(any(fnmatchcase(place, p) for p in schemas) for place in home):
            return False
        tables = [pattern.lower() for pattern in self.tables]
        return all(
            any(fnmatchcase(name, p) or fnmatchcase(f"{place}.{name}", p) for p in tables) for place in home
        )

    def _home(self, relation: Relation) -> tuple[str, ...]:
        """The schemas in which `relation` may be found."""
        if relation.schema:
            return (relation.schema.lower(),)
        if self.default_schema:
            return (self.default_schema.lower(),)
        plain = [schema for schema in self.schemas or () if not set("*?[") & set(schema)]
        return tuple(schema.lower() for schema in plain)

    def _check_view(self, relation: Relation, rules: Policy, known: frozenset[str]) -> None:
        """The columns that a view shows are those of the tables behind it."""
        if self.view_definition is None:
            return
        definition = self.view_definition(relation)
        if definition is None:
            return
        from tht.sql.guard.parsing import parse_one
        from tht.sql.guard.relations import relations

        try:
            tree = parse_one(definition, rules.parser)
        except Fault as fault:
            raise refused(f"what the view {relation} shows cannot be understood") from fault
        inner = relations(tree, rules)
        _ColumnCheck(self, tree, inner, rules).run()
        for below in dict.fromkeys(inner.values()):
            if below != relation:
                self._check_view(below, rules, known)


def _split(pattern: str) -> tuple[str, str]:
    owner, _, column = pattern.lower().rpartition(".")
    return owner or "*", column


def _matches(pattern: str, relation: Relation, home: tuple[str, ...]) -> bool:
    name = relation.name.lower()
    return fnmatchcase(name, pattern) or any(fnmatchcase(f"{place}.{name}", pattern) for place in home)


def _check_functions(tree: exp.Expr, rules: Policy, known: frozenset[str]) -> None:
    """A user's function can read any table, so with an allow list only the engine's own may be called."""
    _check_catalog_functions(tree, rules)
    if not known or rules.listed:
        return
    for call in tree.find_all(exp.Anonymous, exp.AnonymousAggFunc, exp.CombinedAggFunc, exp.Dot):
        if isinstance(call, exp.Dot):
            foreign = isinstance(call.expression, exp.Func) and not (
                rules.parser == "duckdb" or call.this.name.lower() == "pg_catalog"
            )
            if not foreign:
                continue
            name = call.expression.name
        else:
            name = call.name.lower()
            if name in known or (rules.table_functions is not None and name in rules.table_functions):
                continue
        raise refused(f"the workspace allows the engine's own functions only, not {name}")


def _check_catalog_functions(tree: exp.Expr, rules: Policy) -> None:
    """Functions in FROM that list the engine's catalog (pragma_table_info, duckdb_tables)."""
    if not rules.fold:
        return
    for table in tree.find_all(exp.Table):
        called = table.this.name.lower() if isinstance(table.this, exp.Func) else ""
        if called.startswith(rules.catalog_prefixes):
            raise refused("this tells of more than the workspace allows; ask for the schema instead")


class _ColumnCheck:
    """Looks for every way in which a query can show a denied column.

    It knows no columns but those the patterns name, so where a name could mean a denied column it is refused,
    and the message says how to write it.
    """

    def __init__(
        self, restrictions: Restrictions, tree: exp.Expr, found: Mapping[int, Relation], rules: Policy
    ) -> None:
        self.tree = tree
        self.rules = rules
        self.tables: list[tuple[exp.Table, Relation]] = []
        for table in tree.find_all(exp.Table):
            relation = found.get(id(table))
            if relation is not None and restrictions.denied(relation):
                self.tables.append((table, relation))
        self.patterns = {pattern for _, relation in self.tables for pattern in restrictions.denied(relation)}
        self.qualifiers = {self._qualifier(table, relation) for table, relation in self.tables}
        self.selects = {id(table.find_ancestor(exp.Select)) for table, _ in self.tables}

    def _qualifier(self, table: exp.Table, relation: Relation) -> str:
        alias = table.args.get("alias")
        return (folded(alias.this, self.rules) if alias and alias.this else relation.name).lower()

    def run(self) -> None:
        if not self.tables:
            return
        for table, relation in self.tables:
            alias = table.args.get("alias")
            if (alias and alias.columns) or table.args.get("pivots") or isinstance(table.parent, exp.Pivot):
                raise refused(
                    f"columns of {relation} cannot be renamed or pivoted here; name them one by one"
                )
        for node in self.tree.walk():
            if isinstance(node, exp.Column):
                self._column(node)
            elif isinstance(node, exp.Star | exp.Columns):
                self._star(node)
            elif isinstance(node, exp.Join):
                self._join(node)

    def _denied(self, name: str) -> bool:
        return any(fnmatchcase(name.lower(), pattern) for pattern in self.patterns)

    def _column(self, column: exp.Column) -> None:
        if isinstance(column.parent, exp.Star):
            return
        qualifier, name = column.table.lower(), column.name.lower()
        if isinstance(column.this, exp.Star):
            if qualifier in self.qualifiers:
                self._refuse_star()
        elif qualifier in self.qualifiers and self._denied(name):
            raise refused(f"the workspace denies the column {qualifier}.{name}", column=name)
        elif not qualifier and self._denied(name):
            raise refused(
                f"the workspace denies the column {name}; write table.{name} if another table's is meant"
            )
        elif not qualifier and name in self.qualifiers:
            raise refused(f"{name} as a whole row would show columns that the workspace denies")

    def _star(self, star: exp.Expr) -> None:
        if isinstance(star.parent, exp.Count | exp.Column):
            return
        select = star.find_ancestor(exp.Select)
        if id(select) in self.selects and not self._all_excluded(star):
            self._refuse_star()

    def _all_excluded(self, star: exp.Expr) -> bool:
        excluded = {item.name.lower() for item in star.args.get("except_") or ()}
        return isinstance(star, exp.Star) and bool(self.patterns) and self.patterns <= excluded

    def _join(self, join: exp.Join) -> None:
        if (join.args.get("method") or "").upper() == "NATURAL" and id(
            join.find_ancestor(exp.Select)
        ) in self.selects:
            raise refused("a NATURAL JOIN would compare columns that the workspace denies; write ON")
        for name in join.args.get("using") or ():
            if self._denied(name.name):
                raise refused(f"the workspace denies the column {name.name}", column=name.name)

    def _refuse_star(self) -> None:
        names = ", ".join(sorted(self.patterns))
        raise refused(f"* would show columns that the workspace denies ({names}); name the others one by one")
