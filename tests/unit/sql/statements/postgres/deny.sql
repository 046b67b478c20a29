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
