-- What the guard must refuse, one a line.
COPY orders TO 'x.csv'
COPY orders FROM 'x.csv'
EXPORT DATABASE 'x'
IMPORT DATABASE 'x'
ATTACH 'x.db'
DETACH x
USE x
INSTALL httpfs
LOAD httpfs
SET memory_limit='1GB'
SET VARIABLE x = 1
RESET memory_limit
PRAGMA memory_limit='1GB'
PRAGMA enable_profiling
PRAGMA database_list
PRAGMA table_info('orders')
CALL pragma_version()
CHECKPOINT
FORCE CHECKPOINT
VACUUM
ANALYZE
BEGIN
CREATE TEMP TABLE x AS SELECT 1
CREATE TEMP MACRO f() AS 1
CREATE SECRET s (TYPE s3)
CREATE PERSISTENT SECRET s (TYPE s3)
PREPARE p AS SELECT 1
EXECUTE p
DEALLOCATE p
WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d
WITH d AS (INSERT INTO orders VALUES (1) RETURNING *) FROM d
MERGE INTO orders USING customers ON true WHEN MATCHED THEN DELETE
SELECT nextval('order_seq')
SELECT currval('order_seq')
SELECT * FROM checkpoint()
SELECT * FROM force_checkpoint()
SELECT * FROM enable_logging()
SELECT * FROM truncate_duckdb_logs()
SELECT * FROM query('DELETE FROM orders')
SELECT * FROM query_table('orders')
SELECT * FROM glob('/etc/*')
SELECT * FROM read_blob('/etc/passwd')
SELECT * FROM read_csv_auto('/etc/passwd')
SELECT * FROM 'x.parquet'
SELECT * FROM "x.parquet"
SELECT * FROM '/etc/passwd'
FROM 'x.csv'
SELECT * FROM orders JOIN 'x.csv' USING (id)
SELECT * FROM orders, 'x.csv'
SELECT (SELECT content FROM read_text('x'))
SELECT * FROM parquet_metadata('x')
SELECT * FROM sqlite_scan('x','y')
SELECT * FROM postgres_query('x','y')
SELECT getenv('HOME')
SELECT * FROM duckdb_secrets()
SELECT * FROM which_secret('x','s3')
SELECT write_log('x')
SELECT sleep_ms(10)
EXPLAIN ANALYZE DELETE FROM orders
EXPLAIN COPY orders TO 'x.csv'
DESCRIBE 'x.csv'
SUMMARIZE 'x.csv'
SUMMARIZE "x.csv"
DESCRIBE TABLE 'x.csv'
SELECT 1; SELECT 2
ALTER TABLE orders ADD COLUMN x INT
COMMENT ON TABLE orders IS 'x'
DROP TABLE orders
TRUNCATE orders
UPDATE orders SET id=1
PIVOT 'x.csv' ON a USING sum(b)
PIVOT (SELECT nextval('order_seq') a) ON a USING count(*) GROUP BY a ORDER BY a
PIVOT read_csv('x') ON a USING sum(b) ORDER BY a
UPDATE EXTENSIONS
SELECT * FROM json_execute_serialized_sql('x')
SELECT * FROM arrow_scan(1,2,3)
SELECT * FROM python_map_function()
SELECT * FROM seq_scan('x')
SELECT * FROM st_read('x')
SELECT (SELECT count(*) FROM 'x.csv') AS "a/b"
SELECT a IS DISTINCT FROM 'x' FROM 'x.csv'
SELECT trim('a' FROM 'x') FROM 'x.csv'
SELECT DISTINCT ON (a) a FROM 'x.csv'
SELECT * FROM orders LEFT JOIN "x.parquet" p ON true
SELECT * FROM orders, "x.csv"
DESCRIBE "x.csv"
SHOW "x/y"
PIVOT "x.csv" ON a USING count(*) GROUP BY a ORDER BY a
FROM (SUMMARIZE 'x.csv')
FROM (DESCRIBE "x.csv")
FROM (SUMMARIZE SELECT * FROM read_text('x'))
SELECT read_anything('x') AS read_anything
SELECT * FROM duckdb_logs
PIVOT (SELECT * FROM duckdb_logs) ON a USING count(*) ORDER BY a
SELECT 1 AS `'`, nextval('order_seq') AS `'`
SELECT 1 AS `--`, nextval('order_seq')
SELECT nextval​('order_seq')
SELECT nextval⁠('order_seq')
SELECT nextval﻿('order_seq')
/* ' */ SELECT 1 AS a $$, nextval('order_seq') AS b$$
SELECT 1 AS a$$, nextval('order_seq') AS b$$
SELECT 1 AS a$$, nextval('order_seq') AS b$$
SELECT trim('a' FROM 'b' FROM 'x.csv')
