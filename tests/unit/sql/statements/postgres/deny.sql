-- What the guard must refuse, one a line.
MERGE INTO orders o USING customers c ON o.id=c.id WHEN MATCHED THEN DELETE
WITH x AS (MERGE INTO orders USING customers ON true WHEN MATCHED THEN DELETE RETURNING *) SELECT * FROM x
EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1
EXPLAIN (ANALYZE) INSERT INTO orders VALUES (1)
EXPLAIN (ANALYZE false, ANALYZE true) DELETE FROM orders
EXPLAIN ANALYZE EXECUTE p
EXPLAIN EXPLAIN SELECT 1
PREPARE p AS DELETE FROM orders
EXECUTE p
DEALLOCATE ALL
DECLARE c CURSOR WITH HOLD FOR SELECT 1
FETCH ALL FROM c
LISTEN x
NOTIFY x
UNLISTEN *
VACUUM
REINDEX TABLE orders
CLUSTER orders
REFRESH MATERIALIZED VIEW mv_totals
IMPORT FOREIGN SCHEMA x FROM SERVER y INTO z
COPY orders TO '/tmp/x'
COPY orders FROM '/tmp/x'
COPY orders TO STDOUT
SECURITY LABEL ON TABLE orders IS 'x'
ALTER SYSTEM SET work_mem='1GB'
ALTER ROLE postgres SUPERUSER
SET ROLE x
SET SESSION AUTHORIZATION x
SET LOCAL work_mem = '1GB'
RESET ROLE
DISCARD ALL
SAVEPOINT a
ROLLBACK TO a
PREPARE TRANSACTION 'x'
COMMIT PREPARED 'x'
START TRANSACTION READ WRITE
ABORT
END
DROP OWNED BY x
REASSIGN OWNED BY x TO y
CREATE EXTENSION dblink
CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'select 1'
SELECT U&"pg\005Fread_file"('/etc/passwd')
SELECT U&"pg!005Fread_file" UESCAPE '!' ('/etc/passwd')
SELECT u&"\0070g_read_file"('/etc/passwd')
SELECT pg_catalog.pg_read_file('/etc/passwd')
SELECT "pg_catalog"."pg_read_file"('/etc/passwd')
SELECT PG_READ_FILE('/etc/passwd')
SELECT pg_read_file/**/('/etc/passwd')
SELECT 1 ORDER BY pg_read_file('x')
SELECT 1 LIMIT pg_read_file('x')::int
SELECT * FROM orders TABLESAMPLE system((SELECT length(pg_read_file('x'))))
SELECT * FROM ROWS FROM (pg_read_file('x')) t
SELECT CASE WHEN true THEN pg_read_file('x') END
SELECT (SELECT pg_read_file('x'))
SELECT lo_get(1)
SELECT lo_import('/etc/passwd')
SELECT lo_export(1,'/tmp/x')
SELECT lo_open(lo_creat(131072), 131072)
SELECT loread(0, 10)
SELECT lowrite(0, 'x')
SELECT pg_file_write('x','y',true)
SELECT pg_sleep_for('1 s')
SELECT pg_try_advisory_lock(1)
SELECT pg_advisory_xact_lock_shared(1)
SELECT pg_notify('a','b')
SELECT pg_stat_reset()
SELECT pg_stat_statements_reset()
SELECT pg_logical_slot_get_changes('x',null,null)
SELECT pg_create_physical_replication_slot('x')
SELECT pg_replication_origin_create('x')
SELECT pg_switch_wal()
SELECT txid_current()
SELECT setval('order_seq', 1)
SELECT nextval('order_seq'::regclass) FROM orders
SELECT ('order_seq').nextval
SELECT query_to_xml('select 1',true,false,'')
SELECT table_to_xml('orders',true,false,'')
SELECT cursor_to_xml('c',1,true,true,'')
SELECT ts_stat('select 1')
SELECT * FROM crosstab('select 1,2,3') AS t(a int, b int)
SELECT * FROM dblink('x','y') AS t(a int)
SELECT dblink_connect('x')
SELECT set_config('a.b','c',false)
SELECT pg_reload_conf()
SELECT pg_promote()
SELECT * FROM pg_ls_logdir()
SELECT * FROM pg_stat_file('x')
SELECT * FROM pg_hba_file_rules
SELECT * FROM pg_catalog.pg_authid
SELECT * FROM pg_shadow
SELECT * FROM pg_file_settings
SELECT * FROM orders FOR NO KEY UPDATE
SELECT * FROM orders FOR KEY SHARE OF orders NOWAIT
SELECT * FROM (SELECT * FROM orders FOR UPDATE) x
WITH a AS (SELECT * FROM orders FOR SHARE) SELECT * FROM a
SELECT 1 INTO x
WITH a AS (SELECT 1) SELECT * INTO x FROM a
CREATE TABLE x AS TABLE orders
SHOW a; DROP TABLE x
SELECT 1;;SELECT 2
DO 'begin end'
CALL p()
TRUNCATE orders
LOCK orders
VALUES (pg_read_file('x'))
SELECT * FROM (VALUES (pg_read_file('x'))) t
SELECT count(*) FILTER (WHERE pg_read_file('x') IS NULL) OVER (PARTITION BY pg_read_file('y')) FROM orders
SELECT 1 FROM orders WINDOW w AS (ORDER BY pg_read_file('x'))
SELECT 1 GROUP BY pg_read_file('x') HAVING pg_read_file('x') IS NULL
SELECT DISTINCT ON (pg_read_file('x')) 1
SELECT /* */ 'a' /* ' */ ; DELETE FROM orders -- '
SELECT 'a\'; DELETE FROM orders; --'
SELECT $a$ $b$ $a$; DELETE FROM orders
SELECT 1 \; DELETE FROM orders
insert into orders select * from orders
INSERT INTO audit_log (what) VALUES ('x') ON CONFLICT DO NOTHING
INSERT INTO audit_log DEFAULT VALUES RETURNING id
DELETE FROM ONLY orders USING customers c WHERE c.id = customer_id
UPDATE ONLY public.orders o SET note = 'x' FROM customers c WHERE c.id = o.customer_id
MERGE INTO orders USING customers c ON c.id = customer_id WHEN NOT MATCHED THEN DO NOTHING WHEN MATCHED THEN UPDATE SET note = 'x'
WITH i AS (INSERT INTO audit_log(what) VALUES ('a') RETURNING id) SELECT * FROM i
WITH a AS (SELECT 1), d AS MATERIALIZED (DELETE FROM orders RETURNING id) TABLE d
WITH d AS NOT MATERIALIZED (DELETE FROM orders RETURNING id) SELECT count(*) FROM d
WITH d AS (WITH e AS (DELETE FROM orders RETURNING id) SELECT * FROM e) SELECT * FROM d
(WITH d AS (DELETE FROM orders RETURNING id) SELECT * FROM d)
WITH RECURSIVE d AS (UPDATE orders SET note='z' RETURNING id) VALUES (1)
EXPLAIN (ANALYZE, VERBOSE) UPDATE orders SET note = 'x'
EXPLAIN (VERBOSE, ANALYZE on) DELETE FROM orders
EXPLAIN (ANALYZE off, ANALYZE on) DELETE FROM orders
EXPLAIN (COSTS, "analyze") DELETE FROM orders
EXPLAIN ANALYZE WITH d AS (DELETE FROM orders RETURNING 1) SELECT * FROM d
EXPLAIN DELETE FROM orders
EXPLAIN (ANALYZE) CREATE TABLE pwned AS SELECT 1
EXPLAIN ANALYZE CREATE MATERIALIZED VIEW pwned AS SELECT 1
EXPLAIN ANALYZE SELECT 1 AS a INTO pwned
EXPLAIN ANALYZE DECLARE c CURSOR FOR SELECT 1
EXPLAIN ANALYZE REFRESH MATERIALIZED VIEW mv_totals
EXPLAIN (FORMAT JSON, ANALYZE) EXECUTE x
SELECT table_to_xml('orders', true, false, '')
SELECT table_to_xml('v_touch'::regclass, true, false, '')
SELECT * FROM query_to_xmlschema('select bump_counter()', true, false, '')
SELECT query_to_xml_and_xmlschema('select 1', true, false, '')
SELECT pg_catalog.query_to_xml($$select public.bump_counter()$$, true, false, '')
SELECT "query_to_xml"('select 1', true, false, '')
SELECT U&"query\005Fto\005Fxml"('select 1', true, false, '')
SELECT schema_to_xml('public', true, false, '')
SELECT database_to_xml(true, false, '')
SELECT schema_to_xml_and_xmlschema('public', true, false, '')
SELECT cursor_to_xmlschema('c', true, false, '')
SELECT * FROM ts_stat('select bump_counter()::text::tsvector')
SELECT ts_rewrite('a'::tsquery, 'select ''a''::tsquery, ''b''::tsquery')
SELECT * FROM crosstab('select bump_counter()::text, 1::text, 1') AS t(a text, b int)
SELECT * FROM crosstab2('select ''a'', ''b'', ''c''')
SELECT * FROM crosstab('select 1,2,3', 'select bump_counter()') AS t(a int, b int)
SELECT * FROM connectby('orders', 'id', 'customer_id', '1', 0) AS t(a int, b int, c int)
SELECT CURRVAL('order_seq')
SELECT lastval()
SELECT setval('order_seq', 5, false)
SELECT pg_catalog.nextval('public.order_seq')
SELECT * FROM nextval('order_seq')
SELECT "nextval"('order_seq'::regclass)
SELECT generate_series(1, nextval('order_seq'))
COPY orders FROM STDIN
COPY audit_log (what) FROM PROGRAM 'echo x'
COPY (SELECT 1) TO STDOUT
COPY (DELETE FROM orders RETURNING *) TO STDOUT
COPY (SELECT * FROM orders) TO '/srv/trap/pwned.txt' CSV
COPY orders TO '/srv/trap/pwned.txt' WITH (FORMAT csv)
COPY orders TO PROGRAM 'cat > /srv/trap/pwned.txt'
copy (select 1) to program $$touch /srv/trap/pwned$$
COPY empty_table FROM '/srv/trap/canary.csv' CSV
COPY empty_table FROM PROGRAM 'cat /srv/trap/canary.csv' CSV
CALL public.do_touch()
DO LANGUAGE plpgsql $x$ BEGIN PERFORM bump_counter(); END $x$
DO 'BEGIN PERFORM 1; END' LANGUAGE plpgsql
PREPARE p AS SELECT bump_counter()
PREPARE p (int) AS SELECT $1
EXECUTE p(1)
DEALLOCATE p
DECLARE c NO SCROLL CURSOR FOR SELECT 1
DECLARE c BINARY INSENSITIVE CURSOR WITH HOLD FOR SELECT * FROM orders
FETCH NEXT FROM c
MOVE FORWARD 2 IN c
CLOSE ALL
CREATE TABLE pwned (LIKE orders INCLUDING ALL)
CREATE UNLOGGED TABLE pwned (a int)
CREATE TABLE IF NOT EXISTS pwned AS TABLE orders WITH NO DATA
CREATE TABLE pwned AS EXECUTE p
CREATE MATERIALIZED VIEW pwned AS SELECT 1
CREATE OR REPLACE VIEW v_paid AS SELECT 1 AS id, 2 AS customer_id, 3.0::numeric(12,2) AS amount
CREATE RECURSIVE VIEW pwned (n) AS SELECT 1
CREATE INDEX CONCURRENTLY pwned ON orders (note)
CREATE UNIQUE INDEX ON orders (id)
CREATE SCHEMA pwned AUTHORIZATION postgres CREATE TABLE x (a int)
CREATE SEQUENCE pwned
CREATE TYPE pwned AS ENUM ('a')
CREATE DOMAIN pwned AS int
CREATE OR REPLACE FUNCTION pwned() RETURNS int LANGUAGE sql AS 'SELECT 1'
CREATE OR REPLACE PROCEDURE do_touch() LANGUAGE sql AS 'SELECT 1'
CREATE TRIGGER t BEFORE INSERT ON orders EXECUTE FUNCTION x()
CREATE RULE r AS ON SELECT TO orders DO INSTEAD NOTHING
CREATE EVENT TRIGGER t ON ddl_command_start EXECUTE FUNCTION x()
CREATE ROLE pwned SUPERUSER
CREATE USER pwned
CREATE DATABASE pwned
CREATE TABLESPACE pwned LOCATION '/tmp'
CREATE CAST (text AS int) WITH INOUT
CREATE COLLATION pwned FROM "C"
CREATE STATISTICS pwned ON id, customer_id FROM orders
CREATE PUBLICATION pwned FOR ALL TABLES
CREATE SUBSCRIPTION pwned CONNECTION 'host=127.0.0.1' PUBLICATION x
CREATE SERVER pwned FOREIGN DATA WRAPPER x
CREATE POLICY pwned ON orders USING (true)
CREATE AGGREGATE pwned(int) (SFUNC = int4pl, STYPE = int)
CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq)
CREATE TEXT SEARCH CONFIGURATION pwned (COPY = english)
CREATE LANGUAGE plpython3u
CREATE ACCESS METHOD x TYPE TABLE HANDLER y
CREATE TEMP SEQUENCE pwned
CREATE LOCAL TEMPORARY TABLE pwned ON COMMIT DROP AS SELECT 1 AS a
ALTER TABLE orders DROP COLUMN note
ALTER TABLE orders DISABLE ROW LEVEL SECURITY
ALTER VIEW v_paid RENAME TO pwned
ALTER SEQUENCE order_seq RESTART
ALTER DATABASE postgres SET work_mem = '1MB'
ALTER ROLE postgres SET work_mem = '1MB'
ALTER USER postgres PASSWORD 'x'
ALTER SYSTEM RESET ALL
ALTER FUNCTION bump_counter() OWNER TO postgres
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC
ALTER LARGE OBJECT 4242 OWNER TO postgres
ALTER EXTENSION dblink UPDATE
ALTER TYPE x ADD VALUE 'b'
DROP VIEW v_paid
DROP FUNCTION bump_counter()
DROP SEQUENCE order_seq CASCADE
DROP DATABASE IF EXISTS x
DROP MATERIALIZED VIEW mv_totals
DROP ROLE x
DROP SCHEMA public CASCADE
DROP EXTENSION dblink
TRUNCATE orders, customers RESTART IDENTITY CASCADE
TRUNCATE ONLY orders
SELECT * INTO TABLE pwned FROM orders
SELECT 1 AS a INTO LOCAL TEMPORARY TABLE pwned
SELECT 1 a INTO pwned UNION SELECT 2
WITH a AS (SELECT 1 AS x) SELECT x INTO pwned FROM a
(SELECT 1 AS a INTO pwned)
SELECT id INTO TEMPORARY pwned FROM orders GROUP BY id
SELECT/**/1/**/AS/**/a/**/INTO/**/pwned
GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC
GRANT postgres TO pwned
REVOKE ALL ON orders FROM PUBLIC
COMMENT ON COLUMN orders.id IS NULL
SECURITY LABEL FOR x ON TABLE orders IS 'x'
REASSIGN OWNED BY postgres TO x
ANALYZE
ANALYSE orders
ANALYZE VERBOSE orders (id)
VACUUM FULL ANALYZE orders
VACUUM (ANALYZE) orders
REINDEX (VERBOSE) TABLE CONCURRENTLY orders
REINDEX DATABASE x
CLUSTER VERBOSE
REFRESH MATERIALIZED VIEW CONCURRENTLY mv_totals
IMPORT FOREIGN SCHEMA x FROM SERVER y INTO public
LOAD '$libdir/dblink'
SELECT 1;;DELETE FROM orders
SELECT 1;/* */DELETE FROM orders
SELECT $$a$$; DELETE FROM orders
SELECT $a$;$b$;$a$; DELETE FROM orders
SELECT 'a' /* ' */; DELETE FROM orders; -- '
SELECT E'a\\'; DELETE FROM orders; --'
SELECT 'a\'; DELETE FROM orders; --
SELECT e'\'; -- '; DELETE FROM orders
SELECT U&'\0027;'; DELETE FROM orders
SELECT "a;"".b"; DELETE FROM orders
SELECT 1 /* /* */ */; DELETE FROM orders
SELECT 1 /*/**/*/; DELETE FROM orders
SELECT 1; SET ROLE postgres
SELECT 1; COMMIT; DROP TABLE orders
BEGIN; SELECT 1; COMMIT
SELECT 1 \; SELECT 2
SELECT 1 AS x)) AS q; DELETE FROM orders; SELECT * FROM ((SELECT 1
SELECT 1) TO STDOUT; DELETE FROM orders; --
SELECT 1) TO PROGRAM 'touch /srv/trap/pwned' --
SELECT 1) TO '/srv/trap/pwned' --
SELECT B'1'; DELETE FROM orders
SELECT 1.;DELETE FROM orders
SELECT $1; DELETE FROM orders
SELECT a$$; DELETE FROM orders; --$$
SELECT N'\'; DELETE FROM orders; --'
BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE
BEGIN WORK
COMMIT WORK
END TRANSACTION
ROLLBACK AND NO CHAIN
SAVEPOINT s
RELEASE SAVEPOINT s
RELEASE s
ROLLBACK TO SAVEPOINT s
PREPARE TRANSACTION 'tht_pwned'
COMMIT PREPARED 'tht_pwned'
ROLLBACK PREPARED 'tht_pwned'
SET TRANSACTION READ WRITE
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
SET TRANSACTION SNAPSHOT '1'
SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE
SET CONSTRAINTS ALL DEFERRED
SET work_mem TO '1GB'
SET SESSION statement_timeout TO 0
SET LOCAL statement_timeout = 0
SET default_transaction_read_only = off
SET TIME ZONE 'Europe/Rome'
SET NAMES 'LATIN1'
SET SCHEMA 'pg_catalog'
SET search_path TO pg_catalog, public
SET SESSION AUTHORIZATION DEFAULT
SET LOCAL ROLE postgres
SET ROLE NONE
SET SEED TO 0.5
SET XML OPTION DOCUMENT
RESET statement_timeout
RESET SESSION AUTHORIZATION
RESET TIME ZONE
DISCARD PLANS
DISCARD TEMP
SELECT pg_catalog.set_config('work_mem', '1GB', false)
SELECT * FROM set_config('a.b', 'c', true)
SELECT "set_config"('role', 'postgres', false)
SELECT U&"set\005fconfig"('role', 'postgres', true)
SELECT set_config/* */('statement_timeout', '0', true)
SELECT id FROM orders WHERE set_config('statement_timeout','0',true) = '0'
SELECT id FROM orders ORDER BY (SELECT set_config('statement_timeout','0',true))
SELECT set_config(name, setting, false) FROM pg_settings LIMIT 1
UPDATE pg_settings SET setting = '1GB' WHERE name = 'work_mem'
SELECT setseed(0.1), random()
SELECT * FROM orders FOR SHARE
SELECT * FROM orders FOR NO KEY UPDATE SKIP LOCKED
SELECT * FROM orders FOR KEY SHARE
SELECT * FROM orders o FOR UPDATE OF o NOWAIT
SELECT * FROM orders LIMIT 1 FOR UPDATE
SELECT * FROM orders FOR UPDATE LIMIT 1
SELECT * FROM orders FOR SHARE FOR UPDATE
SELECT * FROM (SELECT * FROM orders FOR SHARE SKIP LOCKED) q
SELECT id FROM customers WHERE id IN (SELECT customer_id FROM orders FOR UPDATE)
(SELECT * FROM orders FOR UPDATE)
WITH l AS MATERIALIZED (SELECT * FROM orders FOR UPDATE) SELECT count(*) FROM l
SELECT * FROM orders FOR /* x */ UPDATE
VALUES (1) FOR UPDATE
SELECT * FROM orders FOR READ ONLY
LOCK TABLE ONLY orders NOWAIT
LOCK TABLE orders, customers IN ROW EXCLUSIVE MODE
SELECT pg_advisory_lock(1, 2)
SELECT pg_advisory_lock_shared(1)
SELECT pg_advisory_xact_lock(1)
SELECT pg_advisory_unlock_all()
SELECT pg_advisory_unlock(1)
SELECT pg_try_advisory_lock_shared(1)
SELECT pg_try_advisory_xact_lock(1)
SELECT pg_try_advisory_xact_lock_shared(1, 2)
SELECT * FROM orders WHERE pg_try_advisory_lock(id)
SELECT "pg_advisory_lock"(1)
SELECT pg_catalog . pg_advisory_lock ( 1 )
SELECT pg_catalog."pg_advisory_lock"(1)
SELECT U&"pg_advisory\005flock"(1)
SELECT pg_read_file('/srv/trap/canary.txt', 0, 10)
SELECT pg_read_file('/srv/trap/canary.txt', 0, 10, true)
SELECT PG_READ_FILE ('/srv/trap/canary.txt')
SELECT pg_catalog.pg_read_file('/srv/trap/canary.txt')
SELECT PG_CATALOG."pg_read_file"('/srv/trap/canary.txt')
SELECT U&"pg_read\005ffile"('/srv/trap/canary.txt')
SELECT U&"pg_read\+00005ffile"('/srv/trap/canary.txt')
SELECT U&"pg_read!005ffile" UESCAPE '!' ('/srv/trap/canary.txt')
SELECT pg_catalog.U&"pg_read\005ffile"('/srv/trap/canary.txt')
SELECT pg_read_file/* (1) */('/srv/trap/canary.txt')
SELECT pg_read_file(U&'/srv/trap\002fcanary.txt')
SELECT pg_read_file(E'/srv/trap/canary\x2etxt')
SELECT pg_read_file($$/srv/trap/canary.txt$$)
SELECT length(pg_read_file('/srv/trap/canary.txt'))
SELECT 1 FROM pg_read_binary_file('/srv/trap/canary.txt') AS x
SELECT * FROM ROWS FROM (pg_read_file('/srv/trap/canary.txt')) AS x
SELECT * FROM generate_series(1, length(pg_read_file('/srv/trap/canary.txt')))
SELECT string_agg(pg_read_file('/srv/trap/canary.txt'), ',')
SELECT id FROM orders ORDER BY pg_read_file('/srv/trap/canary.txt') LIMIT 1
SELECT id FROM orders GROUP BY id, pg_read_file('/srv/trap/canary.txt')
SELECT id FROM orders LIMIT length(pg_read_file('/srv/trap/canary.txt'))
SELECT id FROM orders OFFSET length(pg_read_file('/srv/trap/canary.txt'))
SELECT rank() OVER (ORDER BY pg_read_file('/srv/trap/canary.txt'))
VALUES (1, pg_read_file('/srv/trap/canary.txt'))
SELECT 'a' WHERE EXISTS (SELECT pg_read_file('/srv/trap/canary.txt'))
SELECT CASE pg_read_file('/srv/trap/canary.txt') WHEN 'x' THEN 1 END
SELECT ROW(pg_read_file('/srv/trap/canary.txt')) IS NULL
SELECT to_json(pg_read_file('/srv/trap/canary.txt'))
SELECT x.a FROM XMLTABLE('/r' PASSING pg_read_file('/srv/trap/canary.xml')::xml COLUMNS a text PATH '.') x
SELECT count(*) FROM orders TABLESAMPLE SYSTEM (length(pg_read_file('/srv/trap/canary.txt')))
SELECT 1 FROM orders o JOIN customers c ON pg_read_file('/srv/trap/canary.txt') = c.name
SELECT (pg_stat_file('/srv/trap/canary.txt')).size
SELECT size FROM pg_stat_file('/srv/trap/canary.txt')
SELECT pg_ls_dir('/srv/trap', true, false)
SELECT * FROM pg_ls_tmpdir()
SELECT * FROM pg_ls_archive_statusdir()
SELECT * FROM pg_ls_logicalsnapdir()
SELECT * FROM pg_ls_logicalmapdir()
SELECT * FROM pg_ls_replslotdir('x')
SELECT pg_current_logfile()
SELECT * FROM pg_hba_file_rules()
SELECT * FROM pg_ident_file_mappings()
SELECT * FROM pg_show_all_file_settings()
SELECT * FROM pg_catalog.pg_file_settings
SELECT lo_import('/srv/trap/canary.txt')
SELECT lo_import('/srv/trap/canary.txt', 99)
SELECT lo_get(lo_import('/srv/trap/canary.txt'))
SELECT loread(lo_open(lo_import('/srv/trap/canary.txt'), 262144), 100)
SELECT pg_logdir_ls()
SELECT pg_file_read('/srv/trap/canary.txt', 0, 10)
EXPLAIN ANALYZE SELECT pg_read_file('/srv/trap/canary.txt')
EXPLAIN SELECT pg_read_file('/srv/trap/canary.txt')
SELECT * FROM orders WHERE note = ANY (ARRAY[pg_read_file('/srv/trap/canary.txt')])
SELECT regexp_split_to_table(pg_read_file('/srv/trap/canary.txt'), E'\n')
SELECT convert_from(pg_read_binary_file('/srv/trap/canary.txt'), 'UTF8')
SELECT * FROM pg_config
SELECT * FROM pg_config()
SELECT lo_export(4242, '/srv/trap/pwned.txt')
SELECT "lo_export"(4242, '/srv/trap/pwned.txt')
SELECT pg_catalog.lo_export(loid, '/srv/trap/pwned.txt') FROM pg_largeobject LIMIT 1
SELECT pg_file_write('/srv/trap/pwned.txt', 'x', false)
SELECT pg_file_rename('a', 'b')
SELECT pg_file_unlink('/srv/trap/canary.txt')
SELECT pg_file_sync('/srv/trap/canary.txt')
SELECT lo_from_bytea(0, pg_read_binary_file('x'))
SELECT lo_put(4242, 0, 'x')
SELECT lo_unlink(4242)
SELECT lo_creat(-1)
SELECT lo_truncate(lo_open(4242, 131072), 0)
SELECT lo_lseek(0, 0, 0)
SELECT lo_close(0)
SELECT lo_get(4242)
SELECT dblink_connect('host=h dbname=d')
SELECT dblink_connect('x', 'host=h dbname=d')
SELECT "dblink_connect"('host=h dbname=d')
SELECT public.dblink_connect_u('host=h dbname=d')
SELECT * FROM public.dblink('host=h dbname=d', 'select 1') AS t(a int)
SELECT * FROM "dblink"('host=h dbname=d', 'select 1') AS t(a int)
SELECT * FROM U&"dbl\0069nk"('host=127.0.0.1 port=1', 'select 1') AS t(a int)
SELECT dblink_send_query('x', 'select 1')
SELECT dblink_get_connections()
SELECT dblink_disconnect()
SELECT dblink_exec('host=127.0.0.1 port=1', 'select 1')
SELECT dblink_open('c', 'select 1')
SELECT dblink_get_pkey('orders')
SELECT dblink_build_sql_insert('orders', '1', 1, '{1}', '{1}')
SELECT dblink_current_query()
SELECT dblink_cancel_query('x')
SELECT pg_sleep('60')
SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'other'
SELECT pg_terminate_backend(1, 1000)
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid = 1
SELECT "pg_cancel_backend"(1)
SELECT pid FROM pg_stat_activity WHERE pid = 1 AND pg_terminate_backend(pid)
SELECT U&"pg_terminate\005fbackend"(1)
SELECT pg_rotate_logfile_old()
SELECT pg_backup_stop(false)
SELECT pg_walfile_name(pg_switch_wal())
SELECT pg_create_logical_replication_slot('x', 'pgoutput')
SELECT pg_create_physical_replication_slot('tht_pwned', true)
SELECT pg_copy_physical_replication_slot('a', 'b')
SELECT pg_drop_replication_slot('x')
SELECT pg_replication_slot_advance('x', '0/0')
SELECT * FROM pg_logical_slot_peek_changes('x', NULL, NULL)
SELECT pg_replication_origin_create('tht_pwned')
SELECT pg_replication_origin_session_setup('x')
SELECT pg_replication_origin_advance('x', '0/0')
SELECT pg_logical_emit_message(true, 'a', 'b'::bytea)
SELECT pg_notify('x', 'y')
NOTIFY tht, 'x'
LISTEN tht
UNLISTEN tht
SELECT pg_stat_reset_shared('bgwriter')
SELECT pg_stat_reset_single_table_counters('orders'::regclass)
SELECT pg_stat_reset_single_function_counters(1)
SELECT pg_stat_reset_slru('x')
SELECT pg_stat_reset_replication_slot('x')
SELECT pg_stat_reset_subscription_stats(1)
SELECT pg_stat_clear_snapshot()
SELECT pg_stat_force_next_flush()
SELECT pg_export_snapshot()
SELECT pg_current_xact_id()
SELECT pg_import_system_collations('pg_catalog')
SELECT pg_nextoid('pg_class', 'oid', 'pg_class_oid_index')
SELECT pg_extension_config_dump('orders', '')
SELECT pg_log_backend_memory_contexts(1)
SELECT pg_wal_replay_pause()
SELECT pg_promote(true, 1)
SELECT pg_start_backup('x')
SELECT currtid2('orders', '(0,1)')
SELECT currtid('orders'::regclass, '(0,1)')
SELECT brin_summarize_new_values('orders')
SELECT gin_clean_pending_list('orders')
SELECT binary_upgrade_set_next_pg_type_oid(1)
SELECT pg_trigger_depth(), pg_notify('a', 'b')
SELECT pg_blocking_pids(1), pg_cancel_backend(1)
SELECT pg_relation_check_pages('orders')
SELECT pg_stop_making_pinned_objects()
SELECT pg_event_trigger_ddl_commands()
SELECT lo_create(0)
SELECT setseed(0.5)
CHECKPOINT
SELECT amvalidate(1), pg_rotate_logfile()
SELECT pg_get_wal_replay_pause_state(), pg_wal_replay_resume()
SELECT inet_client_addr(), pg_reload_conf()
SELECT pg_ls_dir('.')
SELECT pg_read_file('PG_VERSION')
SELECT * FROM pg_ls_waldir()
SELECT usename, passwd FROM pg_shadow
SELECT rolpassword FROM pg_authid
SELECT * FROM "pg_catalog"."pg_authid"
SELECT * FROM pg_user_mappings
SELECT data FROM pg_largeobject
SELECT a.rolpassword FROM pg_roles r JOIN pg_authid a USING (rolname)
SELECT (1::bigint).pg_advisory_lock
SELECT (ARRAY[1::bigint])[1].pg_advisory_lock
SELECT (0).lo_creat
SELECT (0.5::float8) . "setseed"
SELECT (16400::oid).lo_get
