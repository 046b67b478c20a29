"""SQLite. The engine's authorizer is the stronger layer; this one gives the clear message."""

from tht.sql.policy import Policy, names

POLICY = Policy(
    parser="sqlite",
    denied=names(
        "load_extension fts3_tokenizer readfile writefile edit fsdir lsdir optimize zipfile sqlar_compress "
        "sqlar_uncompress writefile_ex shell_putsnl sqlite_dbpage sqlite_dbdata sqlite_dbptr dbstat "
        "eval define undefine exec_shell"
    ),
    denied_prefixes=("fts3_tokenizer", "shell_"),
    denied_relations=frozenset({"sqlite_dbpage", "sqlite_dbdata", "sqlite_dbptr", "fsdir", "zipfile", "csv"}),
    table_functions=None,
    engine_tables=frozenset(),
    default_schema="main",
    catalog_schemas=frozenset({"temp"}),
    catalog_prefixes=("sqlite_", "pragma_"),
    fold=True,
    fold_unquoted=False,
    pragmas={
        "table_info": True,
        "table_xinfo": True,
        "table_list": True,
        "index_list": True,
        "index_info": True,
        "index_xinfo": True,
        "foreign_key_list": True,
        "foreign_key_check": True,
        "integrity_check": True,
        "quick_check": True,
        "collation_list": False,
        "compile_options": False,
        "function_list": False,
        "module_list": False,
        "pragma_list": False,
        "encoding": False,
        "user_version": False,
        "application_id": False,
        "schema_version": False,
        "data_version": False,
        "page_count": False,
        "page_size": False,
        "freelist_count": False,
        "foreign_keys": False,
        "journal_mode": False,
        "auto_vacuum": False,
        "max_page_count": False,
        "cache_size": False,
    },
)
