"""What each dialect lets through: data, one `Policy` for each (facts measured on SQLite 3.40, DuckDB 2.0,
PostgreSQL 15 and MariaDB 10.11)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules of one dialect. All names are in small letters."""

    parser: str
    """Name of the dialect in sqlglot."""
    denied: frozenset[str]
    """Functions never called: files, network, sleep, locks, settings, sequences, signals, SQL from a
    string."""
    denied_prefixes: tuple[str, ...]
    """A function that begins with one of these is refused unless it is `known`."""
    denied_relations: frozenset[str]
    """Tables and views never read: they show passwords or the server's files."""
    table_functions: frozenset[str] | None
    """Functions that may stand in FROM beside the user's own; None: any that is not denied."""
    engine_tables: frozenset[str]
    """Built-in table functions; with `table_functions` these say which are refused."""
    default_schema: str
    """Where a name without a schema is looked up."""
    catalog_schemas: frozenset[str]
    """The engine's own schemas."""
    catalog_prefixes: tuple[str, ...]
    """A table without schema whose name begins so belongs to the engine."""
    fold: bool
    """Names are compared without case, quoted or not."""
    fold_unquoted: bool
    """Names without quotes are folded to small letters, quoted ones are kept."""
    words_denied: tuple[tuple[str, ...], ...] = ()
    """Sequences of bare words that are refused wherever they stand."""
    computing: frozenset[str] = frozenset()
    """Functions named like `catalog_prefixes` that tell nothing of the catalog: where these are given, an
    allow list refuses the others."""
    writing_words: frozenset[str] = frozenset()
    """Keywords by which a query writes: where they are given, `query_words` reads what the parser cannot."""
    pragmas: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """PRAGMA statements that only read; True: may take an argument."""
    show: frozenset[str] = frozenset()
    """First words of a SHOW that only reads."""
    listed: bool = False
    """Only functions of the dialect's list may be called, and only queries are statements."""
    listed_suffixes: tuple[str, ...] = ()
    """A listed name with one of these at its end is listed too (combinators of aggregates)."""
    no_calls: frozenset[str] = frozenset()
    """Words and types before a parenthesis that call nothing."""
    aliases_with_columns: bool = False
    """`AS name (columns)` and `WITH name (columns)` are understood."""
    catalog_tables: frozenset[str] | None = None
    """What of `catalog_schemas` may be read, `schema.table`; None: what is not denied."""
    denied_catalogs: frozenset[str] = frozenset()
    """Catalogs (of three-part names) that are never read."""
    in_names_tables: bool = False
    """`x IN name` reads the table `name`."""


def names(text: str) -> frozenset[str]:
    """The words of `text`."""
    return frozenset(text.split())


@cache
def policy(dialect: str) -> Policy:
    """The policy of `dialect`, one of the lexicon's names."""
    found: Policy = import_module(f"tht.sql.guard.policies.{dialect}").POLICY
    return found


@cache
def known_functions(dialect: str) -> frozenset[str]:
    """Names of the engine's own functions that only read."""
    resource = files("tht.sql.guard.policies").joinpath(f"{dialect}_functions.txt")
    return frozenset(resource.read_text(encoding="utf-8").split()) if resource.is_file() else frozenset()
