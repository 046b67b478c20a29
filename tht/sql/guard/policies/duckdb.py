"""DuckDB. The locked configuration stops files and network; this layer stops what only changes the
session."""

from tht.sql.guard.policy import Policy, names

_READING = names(
    "duckdb_columns duckdb_constraints duckdb_databases duckdb_dependencies duckdb_functions "
    "duckdb_indexes duckdb_keywords duckdb_schemas duckdb_sequences duckdb_settings duckdb_tables "
    "duckdb_types duckdb_views duckdb_memory duckdb_optimizers duckdb_extensions generate_series "
    "icu_calendar_names json_each json_tree pg_timezone_names pragma_collations pragma_show "
    "pragma_storage_info pragma_table_info pragma_version pragma_platform pragma_user_agent range repeat "
    "repeat_row summary unnest test_all_types histogram histogram_values regexp_split_to_table "
    "generate_subscripts pragma_metadata_info duckdb_variables"
)

_ENGINE = names(
    "add_grammar_extension arrow_scan arrow_scan_dumb checkpoint create_external_resource "
    "deregister_external_resource destroy_external_resource disable_logging disable_profiling "
    "duckdb_approx_database_count duckdb_available_metrics duckdb_connection_count duckdb_coordinate_systems "
    "duckdb_dialects duckdb_eviction_queues duckdb_extension_repositories "
    "duckdb_external_file_cache duckdb_external_resource_types duckdb_external_resources "
    "duckdb_grammar_extensions duckdb_live_query_metrics duckdb_log_contexts duckdb_logs "
    "duckdb_logs_parsed duckdb_prepared_statements duckdb_profiling_settings duckdb_secret_type_parameters "
    "duckdb_secret_types duckdb_secrets duckdb_table_sample duckdb_temporary_files duckdb_triggers "
    "enable_logging enable_profiling force_checkpoint glob json_execute_serialized_sql pandas_scan "
    "parquet_bloom_probe parquet_file_metadata parquet_full_metadata parquet_kv_metadata parquet_metadata "
    "parquet_page_index parquet_scan parquet_schema pragma_database_size python_arrow_scan "
    "python_map_function query query_table read_blob read_csv read_csv_auto read_duckdb read_json "
    "read_json_auto read_json_objects read_json_objects_auto read_ndjson read_ndjson_auto "
    "read_ndjson_objects read_parquet read_single_csv_file read_single_json_file read_single_parquet_file "
    "read_text register_external_resource register_external_resource_type remove_grammar_extension "
    "seq_scan sniff_csv test_vector_types truncate_duckdb_logs which_secret"
)

POLICY = Policy(
    parser="duckdb",
    denied=(_ENGINE - {"checkpoint", "glob", "query", "query_table"})
    | names(
        "nextval setval currval setseed sleep_ms pg_sleep write_log getenv iceberg_scan delta_scan "
        "sqlite_scan "
        "sqlite_attach sqlite_query postgres_scan postgres_scan_pushdown postgres_query postgres_attach "
        "postgres_execute mysql_query mysql_execute mysql_attach st_read st_read_meta read_xlsx http_get "
        "http_post load_aws_credentials from_substrait from_substrait_json get_substrait shell_exec "
        "parse_duckdb_log_message json_copy_strftime_if_date json_copy_strftime_if_timestamp "
        "set_config pg_read_file"
    ),
    denied_prefixes=("read_", "parquet_", "write_", "copy_", "enable_", "disable_", "force_", "postgres_"),
    denied_relations=frozenset(
        {
            "duckdb_secrets",
            "duckdb_logs",
            "duckdb_temporary_files",
            "duckdb_prepared_statements",
        }
    ),
    table_functions=_READING,
    engine_tables=_READING | _ENGINE,
    default_schema="main",
    catalog_schemas=frozenset({"information_schema", "pg_catalog"}),
    catalog_prefixes=("duckdb_", "sqlite_master", "pg_", "pragma_"),
    fold=True,
    fold_unquoted=False,
)
