"""PostgreSQL. READ ONLY stops writers behind any disguise; this layer stops what READ ONLY lets through."""

from tht.sql.guard.policy import Policy, names

POLICY = Policy(
    parser="postgres",
    denied=names(
        # files and large objects
        "pg_read_file pg_read_file_old pg_read_binary_file pg_stat_file pg_ls_dir pg_file_read pg_file_write "
        "pg_file_rename pg_file_unlink pg_file_sync pg_file_length pg_logdir_ls pg_current_logfile "
        "pg_show_all_file_settings pg_hba_file_rules pg_ident_file_mappings loread lowrite "
        # network
        "dblink dblink_exec dblink_connect dblink_connect_u dblink_open dblink_send_query http http_get "
        "http_post http_put http_delete http_head "
        # SQL given as a string
        "query_to_xml query_to_xmlschema query_to_xml_and_xmlschema cursor_to_xml cursor_to_xmlschema "
        "table_to_xml table_to_xmlschema table_to_xml_and_xmlschema schema_to_xml schema_to_xmlschema "
        "schema_to_xml_and_xmlschema database_to_xml database_to_xmlschema database_to_xml_and_xmlschema "
        "ts_stat ts_rewrite crosstab crosstab2 crosstab3 crosstab4 crosstab_hash connectby xpath_table "
        # settings, sequences, session
        "set_config setseed nextval setval currval lastval txid_current pg_current_xact_id "
        "pg_export_snapshot currtid currtid2 "
        # sleep, locks, messages, signals, server administration
        "pg_sleep pg_sleep_for pg_sleep_until pg_notify pg_terminate_backend pg_cancel_backend "
        "pg_reload_conf pg_rotate_logfile pg_rotate_logfile_old pg_switch_wal pg_switch_xlog "
        "pg_create_restore_point pg_promote pg_backup_start pg_backup_stop pg_start_backup pg_stop_backup "
        "pg_logical_emit_message pg_import_system_collations pg_nextoid pg_extension_config_dump "
        "pg_log_backend_memory_contexts pg_wal_replay_pause pg_wal_replay_resume pg_prewarm pg_repack "
        "query_export_to_s3 table_import_from_s3 pg_config "
        "autoprewarm_start_worker autoprewarm_dump_now brin_desummarize_range brin_summarize_new_values "
        "brin_summarize_range gin_clean_pending_list pg_stop_making_pinned_objects"
    ),
    denied_prefixes=(
        "pg_",
        "lo_",
        "dblink",
        "crosstab",
        "binary_upgrade_",
        "http_",
        "ri_fkey_",
        "txid_",
        "postgres_fdw_",
    ),
    denied_relations=names(
        "pg_authid pg_shadow pg_user_mapping pg_user_mappings pg_hba_file_rules pg_ident_file_mappings "
        "pg_file_settings pg_largeobject pg_subscription pg_config pg_foreign_server _pg_user_mappings "
        "user_mapping_options _pg_foreign_servers foreign_server_options"
    ),
    table_functions=None,
    engine_tables=frozenset(),
    default_schema="public",
    catalog_schemas=frozenset({"pg_catalog", "information_schema", "pg_toast"}),
    catalog_prefixes=("pg_",),
    fold=False,
    fold_unquoted=True,
    words_denied=(
        ("for", "update"),
        ("for", "share"),
        ("for", "no", "key"),
        ("for", "key", "share"),
        ("for", "read", "only"),
    ),
    computing=names(
        "pg_typeof pg_column_size pg_column_compression pg_size_pretty pg_size_bytes pg_client_encoding "
        "pg_encoding_max_length pg_char_to_encoding pg_encoding_to_char pg_input_is_valid "
        "pg_input_error_info pg_wal_lsn_diff pg_current_snapshot pg_snapshot_xmin pg_snapshot_xmax "
        "pg_snapshot_xip pg_visible_in_snapshot pg_backend_pid pg_my_temp_schema pg_is_in_recovery "
        "pg_postmaster_start_time pg_conf_load_time pg_timezone_names pg_timezone_abbrevs "
        "pg_get_keywords pg_collation_for pg_trigger_depth"
    ),
    writing_words=names("into insert update delete merge create alter drop truncate"),
)
