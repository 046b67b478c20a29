"""MariaDB and MySQL. The read-only session stops writes; files, locks, sleeps and settings are stopped
here."""

from tht.sql.guard.policy import Policy, names

POLICY = Policy(
    parser="mysql",
    denied=names(
        "load_file sleep benchmark get_lock release_lock release_all_locks is_free_lock is_used_lock nextval "
        "setval lastval master_pos_wait source_pos_wait master_gtid_wait wait_for_executed_gtid_set "
        "wait_until_sql_thread_after_gtids binlog_gtid_pos sys_exec sys_eval sys_get sys_set "
        "http_get http_post spider_direct_sql spider_bg_direct_sql spider_copy_tables "
        "spider_flush_table_mon_cache spider_ping_table mysql_query keyring_key_store keyring_key_remove "
        "keyring_key_generate keyring_key_fetch last_value_reset analyse wsrep_sync_wait_upto_gtid "
        "set_user_var service_get_read_locks service_get_write_locks service_release_locks "
        "audit_api_message_emit_udf"
    ),
    denied_prefixes=(
        "sys_",
        "lib_mysqludf_",
        "spider_",
        "keyring_",
        "asynchronous_connection_",
        "group_replication_",
    ),
    denied_relations=names(
        "mysql.user mysql.global_priv mysql.servers mysql.proxies_priv mysql.slave_master_info "
        "mysql.password_history"
    ),
    table_functions=None,
    engine_tables=frozenset(),
    default_schema="",
    catalog_schemas=frozenset({"information_schema", "mysql", "performance_schema", "sys"}),
    catalog_prefixes=(),
    fold=False,
    fold_unquoted=False,
    words_denied=(
        ("into", "outfile"),
        ("into", "dumpfile"),
        ("next", "value", "for"),
        ("previous", "value", "for"),
        ("lock", "in", "share", "mode"),
        ("for", "update"),
        ("for", "share"),
        ("procedure", "analyse"),
    ),
    writing_words=names("into insert replace update delete procedure create alter drop truncate"),
    show=names(
        "tables columns fields full databases schemas create index indexes keys status variables table "
        "character charset collation engines warnings errors function procedure triggers events plugins "
        "privileges open processlist global session local storage extended count"
    ),
)
