"""SQLite. The engine's authorizer is the stronger layer; this one gives the clear message."""

from tht.sql.guard.policy import Policy, names

_TAKING = names(
    "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list foreign_key_check "
    "integrity_check quick_check"
)
_TELLING = names(
    "analysis_limit application_id auto_vacuum automatic_index busy_timeout cache_size cache_spill "
    "cell_size_check collation_list compile_options data_version database_list defer_foreign_keys encoding "
    "foreign_keys freelist_count function_list hard_heap_limit ignore_check_constraints journal_mode "
    "journal_size_limit legacy_alter_table locking_mode max_page_count mmap_size module_list page_count "
    "page_size pragma_list query_only read_uncommitted recursive_triggers reverse_unordered_selects "
    "schema_version secure_delete soft_heap_limit stats synchronous temp_store threads trusted_schema "
    "user_version wal_autocheckpoint"
)
"""What a PRAGMA tells of when it has no argument; with one it sets it."""

POLICY = Policy(
    parser="sqlite",
    denied=names(
        "load_extension fts3_tokenizer readfile writefile edit fsdir lsdir optimize zipfile sqlar_compress "
        "sqlar_uncompress writefile_ex shell_putsnl sqlite_dbpage sqlite_dbdata sqlite_dbptr dbstat "
        "eval define undefine exec_shell sqlite_log"
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
    in_names_tables=True,
    writing_words=names("insert into update delete create drop alter"),
    pragmas=dict.fromkeys(_TAKING, True) | dict.fromkeys(_TELLING, False),
)
