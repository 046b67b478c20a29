"""ClickHouse, over HTTP with readonly on. Functions by a list of those that only compute (from the server's
own system.functions, version 26.5), so that a function nobody has looked at is refused."""

from tht.sql.guard.policy import Policy, names

POLICY = Policy(
    parser="clickhouse",
    denied=frozenset(),
    denied_prefixes=(),
    denied_relations=frozenset(),
    table_functions=names("numbers numbers_mt zeros zeros_mt generate_series generateseries values"),
    engine_tables=frozenset(),
    default_schema="",
    catalog_schemas=frozenset({"system", "information_schema"}),
    catalog_prefixes=(),
    fold=False,
    fold_unquoted=False,
    words_denied=(("into", "outfile"),),
    listed=True,
    listed_suffixes=(
        *("if", "array", "distinct", "ornull", "ordefault", "merge", "state", "foreach", "resample"),
        *("map", "simplestate", "argmin", "argmax"),
    ),
    no_calls=names(
        "select distinct all from join on using where prewhere having and or not xor in by over "
        "when then else case between like ilike limit offset with as union intersect except over "
        "exists values div mod is any asof semi anti global left right inner outer full cross "
        "interval top qualify window sets cube rollup nullable lowcardinality decimal decimal32 "
        "decimal64 decimal128 decimal256 datetime datetime32 datetime64 fixedstring enum enum8 "
        "enum16 array tuple map nested variant time64 char varchar numeric dec"
    ),
    catalog_tables=names(
        "system.one system.numbers system.numbers_mt system.zeros system.zeros_mt system.tables "
        "system.columns system.databases system.functions system.data_type_families "
        "system.time_zones system.contributors system.table_functions system.table_engines "
        "system.formats system.collations information_schema.tables information_schema.columns "
        "information_schema.schemata information_schema.views information_schema.key_column_usage "
        "information_schema.referential_constraints"
    ),
    in_names_tables=True,
)
