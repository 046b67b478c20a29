"""Trino. Functions by a list, so that table functions of connectors (`system.query` passes SQL through) and
routines of users are refused."""

from tht.sql.guard.policy import Policy, names

POLICY = Policy(
    parser="trino",
    denied=frozenset(),
    denied_prefixes=(),
    denied_relations=frozenset(),
    table_functions=names("unnest"),
    engine_tables=frozenset(),
    default_schema="",
    catalog_schemas=frozenset({"information_schema"}),
    catalog_prefixes=(),
    fold=True,
    fold_unquoted=False,
    words_denied=(("with", "function"),),
    listed=True,
    no_calls=names(
        "select distinct all from join on using where having and or not in by over when then else "
        "case between like limit offset with as union intersect except exists values any some "
        "left right inner outer full cross interval filter within group lateral rows row sets "
        "cube rollup bernoulli window ordinality of decimal varchar char varbinary timestamp time "
        "array map qdigest tdigest"
    ),
    catalog_tables=names(
        "information_schema.tables information_schema.columns information_schema.schemata "
        "information_schema.views"
    ),
    denied_catalogs=frozenset({"system", "jmx"}),
    aliases_with_columns=True,
)
